//! Calls on a path: by the callee's body where it is small, by its summary or the library's model
//! where there is one, and otherwise by what it could do at most.

use crate::object::{ObjectId, ObjectKind};
use crate::path::{Meaning, Path};
use crate::value::Shape;
use automata::effects::{What, Written};
use automata::models::model;
use automata::summary::{Effect, Result, Summary};
use ir::{Call, CallOutcome, Callee, FuncId, TypeId};
use logic::{Order, Sort, TermId};

/// Calls within a call whose writes a reader sees, too.
const NEAR: u32 = 1;

impl Path<'_> {
    /// The call with the outcome of this edge; false if it cannot end so.
    pub(crate) fn call(&mut self, call: &Call) -> bool {
        let args: Vec<Option<TermId>> = call
            .args
            .iter()
            .map(|a| match self.shape(self.frame.body.exprs[*a].ty) {
                Shape::Region(_) | Shape::Other => None,
                _ => Some(self.value(*a)),
            })
            .collect();
        let callee = self.callee(call);
        if call.outcome == CallOutcome::Return && (call.noreturn || !self.can_return(call, callee))
        {
            return false;
        }
        if call.outcome == CallOutcome::Again {
            // Back from a longjmp: whatever was written since is unknown.
            for i in 1..self.objects.len() {
                self.blur(ObjectId(i as u32), false);
            }
        }
        if call.outcome == CallOutcome::Return
            && let Some(f) = callee
            && self.enter(f, call, &args)
        {
            return true;
        }
        if self.runtime_call(call, callee, &args) {
            return true;
        }
        self.refused = true;
        let written = self.written_by(call, callee);
        self.approximations.calls += 1;
        self.record(|_| {});
        let context = self.context;
        let program = self.program();
        let known = callee.and_then(|f| context.summary(f));
        let modelled = callee
            .filter(|f| program.functions[*f].body.is_none())
            .and_then(|f| model(program.function_name(f)).map(|m| (f, m)));
        if let Some(summary) = known {
            self.call_summary(call, &args, summary, &written);
        } else if let Some((f, m)) = modelled {
            self.call_model(call, &args, f, m);
        } else {
            let in_view = match callee {
                Some(f) => program.functions[f].body.is_some(),
                None => context.indirect_targets(self.frame.body, call).is_some(),
            };
            for arg in args.iter().flatten() {
                self.hand_over(*arg, !in_view);
                // Code that is not in view may write what it is handed.
                if !in_view {
                    self.blur_handed(*arg, false);
                }
            }
            self.blur_outside(&written);
            self.result_unknown(call);
        }
        true
    }

    fn callee(&mut self, call: &Call) -> Option<FuncId> {
        match call.callee {
            Callee::Direct(f) => Some(f),
            Callee::Indirect(e) => {
                let pointer = self.value(e);
                let target = self.single_target(pointer).map(|t| t.object);
                match target.map(|object| self.object(object).kind) {
                    Some(ObjectKind::Function(f)) => Some(f),
                    _ => self.context.stands_for(self.frame.body, call),
                }
            }
        }
    }

    fn can_return(&self, call: &Call, callee: Option<FuncId>) -> bool {
        let never = match self.calm {
            true => &self.context.noreturn_calmly,
            false => &self.context.noreturn,
        };
        let returns = |f: FuncId| {
            never.binary_search(&f).is_err() && self.context.summary(f).is_none_or(|s| s.returns)
        };
        match callee {
            Some(f) => returns(f),
            None => {
                let all = self.context.indirect_targets(self.frame.body, call);
                all.is_none_or(|all| all.into_iter().any(returns))
            }
        }
    }

    fn hand_over(&mut self, arg: TermId, foreign: bool) {
        if self.pool.sort(arg) == Sort::Bits(64) {
            self.escape(arg, foreign);
        }
    }

    /// The objects that a call is handed with an argument: those whose addresses are in it, and that of a
    /// pointer of unknown origin that the path has followed. Nothing is assumed of the argument, which may
    /// be a number of that width.
    pub(crate) fn handed(&mut self, arg: TermId) -> Vec<ObjectId> {
        match self.pool.sort(arg) == Sort::Bits(64) {
            true => self.known_objects(arg),
            false => Vec::new(),
        }
    }

    /// What an argument leads to takes any bytes. `surely`: all of it is written; else perhaps nothing.
    pub(crate) fn blur_handed(&mut self, arg: TermId, surely: bool) {
        let objects = self.handed(arg);
        let sure = surely && objects.len() == 1;
        for object in objects {
            if !self.is_constant(object) {
                self.blur(object, sure);
            }
        }
    }

    /// What a call may write.
    pub(crate) fn written_by(&self, call: &Call, callee: Option<FuncId>) -> Written {
        let mut all = Written::default();
        let targets = match callee {
            Some(f) => Some(vec![f]),
            None => self.context.indirect_targets(self.frame.body, call),
        };
        match targets {
            Some(targets) => {
                for f in targets {
                    match self.calm {
                        true => {
                            let effects = self.context.effects();
                            effects.near(self.context, f, NEAR, &mut all);
                        }
                        false => self.context.add_writes(f, What::All, &mut all),
                    }
                }
            }
            None if !self.calm => all.add_foreign(),
            None => {}
        }
        all
    }

    /// Everything that somebody outside can write, and that this call may write, takes any bytes.
    pub(crate) fn blur_outside(&mut self, written: &Written) {
        for i in 1..self.objects.len() {
            let id = ObjectId(i as u32);
            if self.object(id).escaped {
                self.blur_written(id, written);
            }
        }
    }

    /// What a call may write of an object takes any bytes; the other words stay.
    fn blur_written(&mut self, object: ObjectId, written: &Written) {
        if self.is_constant(object) {
            return;
        }
        // It may have kept the address.
        if self.object(object).foreign && written.is_foreign() {
            return self.blur(object, false);
        }
        let program = self.program();
        let (global, ty) = match self.object(object).kind {
            ObjectKind::Global(g) => (Some(g), Some(program.globals[g].ty)),
            _ => (None, self.object(object).ty),
        };
        let Some(ty) = ty else {
            return self.blur(object, false);
        };
        let mut kept = Vec::new();
        for (at, size) in self.words(object) {
            let effects = self.context.effects();
            if !effects.touches(written, program, global, ty, at, size) {
                let offset = self.word64(at);
                kept.push((offset, size, self.read(object, offset, size)));
            }
        }
        self.blur(object, false);
        for &(offset, size, word) in &kept {
            self.write(object, offset, size, word);
        }
        if let Some(source) = self.sources.last_mut().filter(|s| s.object == object) {
            source.kept = kept;
        }
    }

    fn call_summary(
        &mut self,
        call: &Call,
        args: &[Option<TermId>],
        summary: &Summary,
        written: &Written,
    ) {
        let effect = |i: usize| summary.params.get(i).copied().unwrap_or(Effect::Maybe);
        if summary.writes_elsewhere {
            for (i, arg) in args.iter().enumerate() {
                if let Some(arg) = arg
                    && (effect(i) != Effect::Never || summary.writes_elsewhere)
                {
                    self.hand_over(*arg, false);
                }
            }
            self.blur_outside(written);
        }
        for (i, arg) in args.iter().enumerate() {
            let pointer = match arg {
                Some(arg) if self.pool.sort(*arg) == Sort::Bits(64) => *arg,
                _ => continue,
            };
            match effect(i) {
                Effect::Never => {}
                Effect::Maybe => {
                    for object in self.handed(pointer) {
                        self.blur_written(object, written);
                    }
                }
                Effect::Surely => self.blur_scalar(pointer, call, i),
            }
        }
        let Some((_, value)) = self.result_unknown(call) else {
            return;
        };
        match summary.result {
            Result::Anything => {}
            Result::Number(n) => self.assume_range(call, value, n.low, n.high),
            Result::Pointer(null) => {
                if !null.may_be_null && self.pool.sort(value) == Sort::Bits(64) {
                    let valid = self.pool.is_nonzero(value);
                    self.assume(valid);
                }
            }
        }
    }

    /// The callee has written the scalar that it was handed the address of.
    fn blur_scalar(&mut self, pointer: TermId, call: &Call, i: usize) {
        let ty = self.frame.body.exprs[call.args[i]].ty;
        let pointee = self.program().types.pointee(ty).unwrap_or(TypeId::VOID);
        let size = self.bytes(pointee);
        match self.single_target(pointer) {
            Some(target) if size > 0 => {
                // The rest of the object may have been written too, within what the pointer reaches.
                self.blur(target.object, false);
                let source = self.source(target.object, true);
                let value = self.bytes_from(source, target.offset, size);
                let word = self.defined(value);
                self.write(target.object, target.offset, size, word);
            }
            _ => self.blur_pointee(pointer, true),
        }
    }

    /// An unknown result; with its type, if it is a scalar that somebody takes.
    pub(crate) fn result_unknown(&mut self, call: &Call) -> Option<(TypeId, TermId)> {
        let place = call.result?;
        if call.outcome == CallOutcome::Unwind {
            return None;
        }
        let ty = self.frame.body.places[place].ty;
        let meaning = Meaning::Result { step: self.step };
        match self.shape(ty) {
            Shape::Region(_) | Shape::Other => {
                self.write_unknown(place, meaning);
                None
            }
            _ => {
                let value = self.unknown(ty, meaning);
                if self.depth == 0 {
                    self.result_types.insert(self.step, ty);
                }
                self.record(|r| r.result = Some(value));
                self.store(place, value, None);
                if call.outcome == CallOutcome::Again && self.pool.sort(value) != Sort::Bool {
                    let again = self.pool.is_nonzero(value);
                    self.assume(again);
                }
                Some((ty, value))
            }
        }
    }

    pub(crate) fn assume_range(&mut self, call: &Call, value: TermId, low: i64, high: i64) {
        let Some(place) = call.result else { return };
        let ty = self.frame.body.places[place].ty;
        let Shape::Int { width, signed } = self.shape(ty) else {
            return;
        };
        let order = if signed { Order::Sle } else { Order::Ule };
        let (least, most) = match (signed, width) {
            (true, 2..=63) => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
            (false, 2..=62) => (0, (1i64 << width) - 1),
            (true, _) => (i64::MIN, i64::MAX),
            // What is above the signed range counts as the most.
            (false, _) => (0, i64::MAX),
        };
        if low > least && low <= most {
            let low = self.pool.bits(width, low as i128 as u128);
            let fits = self.pool.compare(order, low, value);
            self.assume(fits);
        }
        let unbounded = high == i64::MAX || high == domain::MOST;
        if high < most && high >= least && !unbounded {
            let high = self.pool.bits(width, high as i128 as u128);
            let fits = self.pool.compare(order, value, high);
            self.assume(fits);
        }
    }
}
