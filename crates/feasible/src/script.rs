//! From a solution to a script that the interpreter can run.
//!
//! A solution gives values to symbols; a script says what the arguments are, what lies in memory at
//! the start, and what the calls that were not entered do. Words that are pointers to the path
//! become pointers to the script's objects: by the term they are, or else by the address they hold.

use crate::action::Action;
use crate::contents::SourceId;
use crate::object::{ObjectId, ObjectKind};
use crate::path::{Meaning, Path};
use interp::replay::{
    Allocation, Script, ScriptObject, ScriptTarget, ScriptValue, StepEffect, Write,
};
use ir::EdgeId;
use logic::evaluate::evaluate_all;
use logic::{Label, Model, Node, TermId, evaluate};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What one object of unknown size becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Its number among the script's objects.
    pub number: usize,
    /// How far before the pointer it begins.
    pub before: i64,
    pub size: u64,
}

/// Larger objects are not made.
pub(crate) const LARGEST: u64 = 1 << 20;

pub(crate) struct Writer<'a, 'p> {
    pub path: &'a Path<'p>,
    pub model: Model,
    pub extents: FxHashMap<ObjectId, Extent>,
    /// Addresses of unknown pointees in the solution.
    pub by_address: BTreeMap<u128, ObjectId>,
}

/// The script of a solution; an error says why there is none.
pub fn script(path: &Path<'_>, model: &Model, edges: &[EdgeId]) -> Result<Script, String> {
    let mut writer = Writer {
        path,
        model: model.clone(),
        extents: FxHashMap::default(),
        by_address: BTreeMap::new(),
    };
    writer.place_objects()?;
    writer.name_values();
    writer.write(edges)
}

impl Writer<'_, '_> {
    pub(crate) fn value_of(&self, term: TermId) -> u128 {
        evaluate(&self.path.pool, term, &self.model)
    }

    /// The values of what the path defined, so that terms that use it have one, too.
    fn name_values(&mut self) {
        let defined = self.path.actions.iter().filter_map(|a| match *a {
            Action::Define(symbol, _) => Some((symbol, self.path.definitions.get(symbol)?)),
            Action::Assume(..) => None,
        });
        let (symbols, terms): (Vec<_>, Vec<_>) = defined.unzip();
        let values = evaluate_all(&self.path.pool, &terms, &self.model);
        self.model.symbols.extend(symbols.into_iter().zip(values));
    }

    /// What an object is to the script, and how far the script's begins before it.
    fn target(&self, object: ObjectId) -> Option<(ScriptTarget, i64)> {
        Some(match self.path.objects[object.0 as usize].kind {
            ObjectKind::Var(0, v) => (ScriptTarget::Local(v), 0),
            ObjectKind::Var(..) | ObjectKind::Labels(_) => return None,
            ObjectKind::Global(g) => (ScriptTarget::Global(g), 0),
            ObjectKind::Function(f) => (ScriptTarget::Function(f), 0),
            ObjectKind::Allocated(step) => (ScriptTarget::Step(step as usize), 0),
            ObjectKind::Pointee(_) => {
                let extent = self.extents.get(&object)?;
                (ScriptTarget::Object(extent.number), extent.before)
            }
        })
    }

    /// The value of a term, which may be a pointer.
    fn value(&self, term: TermId) -> ScriptValue {
        let bits = self.value_of(term);
        if self.path.pool.width(term) != 64 || bits == 0 {
            return ScriptValue::Bits(bits);
        }
        let exact = self.path.pointees.get(&term).copied();
        if let Some((target, before)) = exact.and_then(|o| self.target(o)) {
            return ScriptValue::Pointer {
                target,
                offset: before,
            };
        }
        self.pointer(bits)
    }

    /// A word that may be an address.
    fn pointer(&self, bits: u128) -> ScriptValue {
        if let Some((object, offset)) = ObjectId::at(bits)
            && self.has_identity(object)
            && let Some((target, _)) = self.target(object)
        {
            return ScriptValue::Pointer { target, offset };
        }
        if let Some((&address, &object)) = self.by_address.range(..=bits).next_back()
            && let Some((target, before)) = self.target(object)
            && let Some(extent) = self.extents.get(&object)
            && bits - address <= u128::from(extent.size)
        {
            return ScriptValue::Pointer {
                target,
                offset: before + (bits - address) as i64,
            };
        }
        ScriptValue::Bits(bits)
    }

    /// The bytes that the solution has for a source, by offset.
    fn bytes_of(&self, source: SourceId) -> Vec<(i64, u64, ScriptValue)> {
        let mut found = Vec::new();
        let mut arrays: Vec<(u64, TermId)> = Vec::new();
        for ((s, size), array) in sorted(&self.path.arrays) {
            if s == source {
                arrays.push((size, array));
            }
        }
        for (size, array) in arrays {
            let Some(symbol) = self.path.pool.as_symbol(array) else {
                continue;
            };
            let from = (symbol, 0);
            let to = (symbol, u128::MAX);
            for (&(_, index), &bits) in self.model.elements.range(from..=to) {
                let exact = self.select_of(array, index);
                let value = match exact {
                    Some(term) if size == 8 => self.value(term),
                    _ if size == 8 && self.may_be_pointer(source, index) => self.pointer(bits),
                    _ => ScriptValue::Bits(bits),
                };
                found.push((index as u64 as i64, size, value));
            }
        }
        found
    }

    /// A number may look like an address: the type decides, where there is one.
    fn may_be_pointer(&self, source: SourceId, offset: u128) -> bool {
        let object = self.path.sources[source.0 as usize].object;
        let types = &self.path.program().types;
        let object = &self.path.objects[object.0 as usize];
        let ty = match object.kind {
            ObjectKind::Global(g) => Some(self.path.program().globals[g].ty),
            _ => object.ty,
        };
        let part = ty
            .zip(u64::try_from(offset).ok())
            .and_then(|(ty, at)| types.part_at(ty, at));
        part.is_none_or(|part| types.is_pointer(part.ty))
    }

    /// The term of an element at a known offset, which may be a pointer with a pointee.
    fn select_of(&self, array: TermId, index: u128) -> Option<TermId> {
        self.path
            .pointees
            .keys()
            .copied()
            .filter(|t| {
                matches!(self.path.pool.node(*t), Node::Select { array: a, index: i }
                if a == array && self.value_of(i) == index)
            })
            .min()
    }

    fn write(&self, edges: &[EdgeId]) -> Result<Script, String> {
        let path = self.path;
        let body = path.frame.body;
        let types = &path.program().types;
        let count = self
            .extents
            .values()
            .map(|e| e.number + 1)
            .max()
            .unwrap_or(0);
        let mut objects: Vec<ScriptObject> = Vec::new();
        for number in 0..count {
            let extent = self.extents.values().find(|e| e.number == number);
            objects.push(ScriptObject {
                size: extent.map_or(0, |e| e.size),
                align: 16,
                writes: Vec::new(),
                heap: true,
            });
        }
        let mut args: Vec<ScriptValue> = Vec::new();
        for &param in &body.params {
            let ty = body.vars[param].ty;
            let size = types.size_of(ty);
            let scalar = types.is_scalar(ty);
            let found = path.object_of(param).map(|o| self.initial_of(o));
            let found = found.unwrap_or_default();
            args.push(if scalar {
                let first = found.into_iter().find(|(at, ..)| *at == 0);
                first.map_or(ScriptValue::Bits(0), |(_, _, v)| v)
            } else {
                ScriptValue::Bytes(writes(found, 0), size)
            });
        }
        let mut globals = Vec::new();
        let mut steps: BTreeMap<usize, StepEffect> = BTreeMap::new();
        for (i, source) in path.sources.iter().enumerate() {
            let id = SourceId(i as u32);
            let object = &path.objects[source.object.0 as usize];
            if source.step.is_some() {
                continue;
            }
            match object.kind {
                ObjectKind::Global(g) => {
                    for w in writes(self.bytes_of(id), 0) {
                        globals.push((g, w));
                    }
                }
                ObjectKind::Pointee(_) => {
                    if let Some(extent) = self.extents.get(&source.object) {
                        let w = writes(self.bytes_of(id), extent.before);
                        objects[extent.number].writes.extend(w);
                    }
                }
                _ => {}
            }
        }
        for (&step, record) in &path.records {
            if record.entered {
                steps.insert(step as usize, StepEffect::Execute);
                continue;
            }
            let mut allocates = None;
            let number = path
                .result_types
                .get(&step)
                .is_some_and(|t| !types.is_pointer(*t));
            let mut result = record.result.map(|t| match number {
                true => ScriptValue::Bits(self.value_of(t)),
                false => self.value(t),
            });
            if let Some(memory) = record.allocated {
                let given = memory.given.is_none_or(|g| self.value_of(g) == 1);
                if given {
                    let size = memory.size.map_or(0, |s| self.value_of(s));
                    let size = u64::try_from(size).unwrap_or(u64::MAX);
                    if size > LARGEST {
                        return Err("an allocation is too large".into());
                    }
                    allocates = Some(Allocation {
                        size,
                        zeroed: memory.zeroed,
                        family: memory.family,
                    });
                    result = None;
                } else {
                    result = Some(ScriptValue::Bits(0));
                }
            }
            let frees = record.freed.iter().filter_map(|p| match self.value(*p) {
                ScriptValue::Pointer { target, .. } => Some(target),
                _ => None,
            });
            steps.insert(
                step as usize,
                StepEffect::Instead {
                    result,
                    writes: self.writes_at(step),
                    frees: frees.collect(),
                    allocates,
                },
            );
        }
        Ok(Script {
            function: path.function,
            path: edges.to_vec(),
            objects,
            args,
            globals,
            steps,
        })
    }

    fn initial_of(&self, object: ObjectId) -> Vec<(i64, u64, ScriptValue)> {
        let sources = self.path.sources.iter().enumerate();
        let mut found = Vec::new();
        for (i, source) in sources {
            if source.object == object && source.step.is_none() {
                found.extend(self.bytes_of(SourceId(i as u32)));
            }
        }
        found
    }

    /// What a step wrote.
    fn writes_at(&self, step: Label) -> Vec<(ScriptTarget, Write)> {
        let path = self.path;
        let mut all = Vec::new();
        for (i, source) in path.sources.iter().enumerate() {
            let id = SourceId(i as u32);
            if source.step != Some(step) || !self.was_written(id) {
                continue;
            }
            let object = &path.objects[source.object.0 as usize];
            if matches!(object.kind, ObjectKind::Allocated(s) if s == step) {
                continue;
            }
            let Some((target, before)) = self.target(source.object) else {
                continue;
            };
            // Everything counts as written, whether or not somebody asked for its value.
            let size = match self.extents.get(&source.object) {
                Some(extent) => Some(extent.size),
                None => object.size.map(|s| self.value_of(s) as u64),
            };
            if let Some(size) = size.filter(|s| source.completes && (1..=LARGEST).contains(s)) {
                let blank = ScriptValue::Bytes(Vec::new(), size);
                let write = Write {
                    offset: 0,
                    value: blank,
                    size,
                };
                all.push((target, write));
            }
            let kept = source.kept.iter().filter(|_| source.completes);
            let kept = kept.map(|&(offset, size, word)| {
                let value = match self.value_of(word.shadow) {
                    0 => self.value(word.value),
                    _ => ScriptValue::Undefined,
                };
                (self.value_of(offset) as u64 as i64, size, value)
            });
            let found = kept.chain(self.bytes_of(id)).collect();
            for w in writes(found, before) {
                all.push((target, w));
            }
        }
        all
    }

    /// Was a source written, or is it one that a call left alone in this solution?
    fn was_written(&self, source: SourceId) -> bool {
        let flags = self.path.meanings.iter();
        let mut flags = flags.filter(|(_, m)| **m == Meaning::Wrote { source });
        flags.all(|(s, _)| self.model.symbols.get(s) == Some(&1))
    }
}

fn writes(found: Vec<(i64, u64, ScriptValue)>, before: i64) -> Vec<Write> {
    found
        .into_iter()
        .filter_map(|(at, size, value)| {
            let offset = u64::try_from(at.checked_add(before)?).ok()?;
            Some(Write {
                offset,
                value,
                size,
            })
        })
        .collect()
}

fn sorted<K: Ord + Copy, V: Copy>(map: &FxHashMap<K, V>) -> Vec<(K, V)> {
    let mut all: Vec<(K, V)> = map.iter().map(|(k, v)| (*k, *v)).collect();
    all.sort_by_key(|(k, _)| *k);
    all
}
