//! What the statements of a path do.

use crate::address::{Target, Targets};
use crate::contents::Layer;
use crate::object::{ObjectId, ObjectKind};
use crate::path::{Meaning, Path};
use crate::value::Shape;
use ir::{EdgeId, ExprId, ExprKind, PlaceId, Stmt};
use logic::TermId;
use std::rc::Rc;

impl Path<'_> {
    /// Executes an edge; the last one of a path is the check that fails. False: nothing can follow.
    pub(crate) fn edge(&mut self, edge: EdgeId, last: bool) -> bool {
        let body = self.frame.body;
        match &body.edges()[edge].stmt {
            Stmt::Skip => {}
            Stmt::Declare(v) => {
                let object = self.var_object(*v);
                self.cover(object, Layer::Undefined);
                let alive = self.pool.truth(true);
                self.object_mut(object).alive = alive;
            }
            Stmt::End(v) => {
                let object = self.var_object(*v);
                let gone = self.pool.truth(false);
                self.object_mut(object).alive = gone;
            }
            Stmt::Allocate { var, count } => self.allocate_local(*var, *count),
            Stmt::Assign { place, value } => self.assign(*place, *value),
            Stmt::Havoc { place, .. } => {
                let meaning = Meaning::Havoc { step: self.step };
                self.write_unknown(*place, meaning);
            }
            Stmt::Assume(e) => {
                let test = self.value(*e);
                self.assume(test);
            }
            Stmt::Copy {
                target,
                source,
                size,
                ..
            } => self.copy(*target, *source, *size),
            Stmt::Fill { target, byte, size } => self.fill(*target, *byte, *size),
            Stmt::Call(call) => return self.call(call),
            Stmt::Check(check) => {
                let (body, types) = (self.frame.body, &self.program().types);
                let condition = &body.checks[*check].condition;
                if let (Some(place), false) = (condition.asks_for_character(body, types), last) {
                    self.take_character(place);
                    return true;
                }
                let holds = self.condition(*check);
                if last {
                    let fails = self.pool.not(holds);
                    self.assume(fails);
                } else {
                    self.assume(holds);
                }
            }
            Stmt::VaStart(e) => {
                let pointer = self.value(*e);
                self.blur_pointee(pointer, true);
            }
            Stmt::LandingPad {
                exception,
                selector,
                clauses,
                ..
            } => self.land(*exception, *selector, clauses),
            Stmt::Resume(_) => {}
            Stmt::Trap(_) => return false,
        }
        true
    }

    /// A character that nobody may have written is looked at: it is one from here on.
    fn take_character(&mut self, place: PlaceId) {
        let located = self.locate(place);
        if located.bits.is_some() {
            return;
        }
        let word = self.load_word(&located);
        let zero = self.pool.bits(self.pool.width(word.shadow), 0);
        let written = self.pool.equal(word.shadow, zero);
        if self.pool.as_bool(written) == Some(true) {
            return;
        }
        let sort = self.pool.sort(word.value);
        let found = self.fresh(sort, Meaning::Unset { step: self.step });
        let value = self.pool.choose(written, word.value, found);
        self.store(place, value, None);
        self.record(|record| record.result = Some(value));
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        let ty = self.frame.body.places[place].ty;
        match self.shape(ty) {
            Shape::Region(size) => self.assign_region(place, value, size),
            Shape::Other => {}
            _ => {
                let shadow = self.shadow_of(value);
                let value = self.value(value);
                self.store(place, value, shadow);
            }
        }
    }

    /// The shadow of a value that is only moved, in memory's form.
    fn shadow_of(&mut self, value: ExprId) -> Option<TermId> {
        match self.frame.body.exprs[value].kind {
            ExprKind::Load(from) => {
                let located = self.locate(from);
                if located.bits.is_some() {
                    return None;
                }
                let word = self.load_word(&located);
                let plain = self.pool.as_bits(word.shadow) == Some(0);
                (!plain).then_some(word.shadow)
            }
            ExprKind::Undef => {
                let width = self.bytes(self.frame.body.exprs[value].ty) as u16 * 8;
                (width > 0).then(|| self.pool.bits(width, u128::MAX))
            }
            _ => None,
        }
    }

    fn assign_region(&mut self, place: PlaceId, value: ExprId, size: u64) {
        let to = self.locate(place).targets;
        match self.frame.body.exprs[value].kind {
            ExprKind::Load(from) => {
                let from = self.locate(from).targets;
                let size = self.word64(size);
                self.copy_between(&to, &from, size);
            }
            ExprKind::Undef => {}
            _ => {
                for target in to {
                    self.blur(target.object, true);
                }
            }
        }
    }

    /// A place takes a value that the path does not determine.
    pub(crate) fn write_unknown(&mut self, place: PlaceId, meaning: Meaning) {
        let ty = self.frame.body.places[place].ty;
        match self.shape(ty) {
            Shape::Region(_) => {
                for target in self.locate(place).targets {
                    self.blur(target.object, true);
                }
            }
            Shape::Other => {}
            _ => {
                let value = self.unknown(ty, meaning);
                self.record(|r| r.result = Some(value));
                self.store(place, value, None);
            }
        }
    }

    fn copy(&mut self, target: ExprId, source: ExprId, size: ExprId) {
        let (to, from) = (self.value(target), self.value(source));
        let size = self.size_value(size);
        let (to, from) = (self.targets(to), self.targets(from));
        self.copy_between(&to, &from, size);
    }

    pub(crate) fn copy_between(&mut self, to: &Targets, from: &Targets, size: TermId) {
        if self.pool.as_bits(size) == Some(0) {
            return;
        }
        match (to.as_slice(), from.as_slice()) {
            ([to], [from]) => {
                if self.object(from.object).size.is_none() {
                    self.touched.push((from.object, from.offset, size));
                }
                let contents = Rc::clone(&self.object(from.object).contents);
                let layer = Layer::Copied {
                    offset: to.offset,
                    size,
                    from: contents,
                    start: from.offset,
                };
                self.cover(to.object, layer);
                // What was copied may be the address of something.
                if self.object(to.object).escaped {
                    self.escape_contents(from.object);
                }
            }
            _ => {
                for target in to {
                    self.blur(target.object, false);
                }
            }
        }
    }

    /// Everything whose address lies in an object.
    fn escape_contents(&mut self, object: ObjectId) {
        let contents = Rc::clone(&self.object(object).contents);
        for layer in &contents.layers {
            if let Layer::Cells(cells) = layer {
                for (size, word) in cells.values() {
                    if *size == 8 {
                        self.escape(word.value, false);
                    }
                }
            }
        }
    }

    fn fill(&mut self, target: ExprId, byte: ExprId, size: ExprId) {
        let pointer = self.value(target);
        let byte = self.value(byte);
        let size = self.size_value(size);
        let targets = self.targets(pointer);
        match targets.as_slice() {
            [target] => {
                let byte = self.expand(byte);
                let layer = Layer::Filled {
                    offset: target.offset,
                    size,
                    byte,
                };
                self.cover(target.object, layer);
            }
            _ => {
                for target in targets {
                    self.blur(target.object, false);
                }
            }
        }
    }

    /// A number of bytes, without definitions.
    pub(crate) fn size_value(&mut self, size: ExprId) -> TermId {
        let value = self.value(size);
        let value = self.offset_form(self.frame.body.exprs[size].ty, value);
        self.expand(value)
    }

    fn allocate_local(&mut self, var: ir::VarId, count: ExprId) {
        let ty = self.frame.body.vars[var].ty;
        let stride = self.program().types.stride(ty);
        let count = self.size_value(count);
        let size = self.scaled(count, stride);
        let object = self.new_object(ObjectKind::Allocated(self.step), Some(size), |_, _| {
            Layer::Undefined
        });
        let address = self.object(object).address;
        let holder = self.var_object(var);
        let zero = self.word64(0);
        let word = self.defined(address);
        self.write(holder, zero, 8, word);
    }

    pub(crate) fn record(&mut self, note: impl FnOnce(&mut crate::path::Record)) {
        if self.depth == 0 {
            note(self.records.entry(self.step).or_default());
        }
    }

    /// An object takes any bytes. `surely`: all of it is written; else perhaps nothing.
    pub(crate) fn blur(&mut self, object: ObjectId, surely: bool) {
        let kind = self.object(object).kind;
        if matches!(kind, ObjectKind::Function(_) | ObjectKind::Labels(_)) {
            return;
        }
        let source = self.source(object, true);
        let undefined = self.object(object).contents.may_be_undefined();
        self.sources[source.0 as usize].completes = undefined;
        let layer = if surely || !undefined {
            Layer::Unknown(source)
        } else {
            let written = self.fresh(logic::Sort::Bool, Meaning::Wrote { source });
            Layer::Perhaps { source, written }
        };
        self.cover(object, layer);
    }

    /// What a pointer points to takes any bytes.
    pub(crate) fn blur_pointee(&mut self, pointer: TermId, surely: bool) {
        let targets = self.targets(pointer);
        let sure = surely && targets.len() == 1;
        for Target { object, .. } in targets {
            if !self.is_constant(object) {
                self.blur(object, sure);
            }
        }
    }
}
