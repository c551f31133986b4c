//! Memory on a path: what is known of each object, scalar by scalar.
//!
//! What was never touched holds what it held when the function began: of an object from outside that is an input, asked for
//! when it is first read; of a variable, nothing. A write through a pointer that leads nobody knows where makes all that it
//! may have hit unknown. Objects from outside may overlap: a write to one makes the others unknown ("else havoc").

mod join;
mod placed;
mod rest;
mod seen;

use crate::input::Part;
use crate::linear::Symbol;
use crate::value::{Object, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

pub use placed::Placed;
pub use rest::{Rest, Written};

/// What is known of one object.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Contents {
    cells: BTreeMap<Part, Value>,
    /// Cells that may hold what nobody has written.
    unsure: BTreeMap<Part, Written>,
    /// What is not among the cells may have been written by anybody: it is not what it was in the beginning.
    pub touched: bool,
    /// Was what is not among the cells written?
    rest: Rest,
    /// What was written last where only a variable says, if nothing was written since that may be the same place.
    placed: Option<Placed>,
}

/// The objects of a path.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Memory {
    objects: BTreeMap<Object, Contents>,
    /// Objects from outside that are not among these were written by somebody.
    outside_touched: bool,
    /// And that with what nobody has written, maybe.
    outside_unfilled: bool,
    /// Objects of the function's own whose address others know.
    escaped: BTreeSet<Object>,
    /// Objects that are gone, surely or not.
    gone: BTreeMap<Object, Gone>,
    /// Objects from outside that were written, or whose end has come.
    written: BTreeSet<Object>,
    /// Something was written nobody knows where.
    anywhere: bool,
}

/// Is an object gone that was there?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    Surely,
    Maybe,
}

impl Contents {
    /// The scalars of it that something is known of.
    pub fn cells(&self) -> impl Iterator<Item = (Part, &Value)> {
        self.cells.iter().map(|(part, value)| (*part, value))
    }

    /// May the scalar hold what nobody has written?
    pub fn unsure(&self, part: Part) -> Option<&Written> {
        self.unsure.get(&part)
    }
}

fn overlap(a: Part, b: Part) -> bool {
    a.start < b.start + i128::from(b.bits) && b.start < a.start + i128::from(a.bits)
}

/// What a read finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    Value(&'a Value),
    /// As it was in the beginning.
    Untouched,
    /// Anything.
    Anything,
}

impl Memory {
    pub fn read(&self, object: &Object, part: Part) -> Found<'_> {
        if *object == Object::Somewhere {
            return Found::Anything;
        }
        let Some(contents) = self.objects.get(object) else {
            return match object.is_outside() && self.outside_touched {
                true => Found::Anything,
                false => Found::Untouched,
            };
        };
        if let Some(value) = contents.cells.get(&part) {
            return Found::Value(value);
        }
        let hit = contents.cells.keys().any(|other| overlap(*other, part));
        match hit || contents.touched {
            true => Found::Anything,
            false => Found::Untouched,
        }
    }

    /// How many objects and scalars something is known of.
    pub fn size(&self) -> usize {
        let contents = self.objects.values();
        contents.map(|contents| 1 + contents.cells.len()).sum()
    }

    /// Others know the address of the object from now on, and of all that it holds pointers to. Of one that the function was
    /// given this is news, too: to its caller.
    pub fn escape(&mut self, object: &Object) {
        let is_public = matches!(object, Object::Global(_) | Object::Somewhere);
        if is_public || !self.escaped.insert(object.clone()) {
            return;
        }
        self.escape_held(object);
    }

    /// The pointers that an object holds may be anywhere from now on: they are copied as bytes, or nobody can say any more
    /// where in the object they are.
    pub fn escape_held(&mut self, object: &Object) {
        let held: Vec<Object> = self.held(object).cloned().collect();
        held.iter().for_each(|object| self.escape(object));
    }

    /// The objects that an object holds pointers to.
    fn held(&self, object: &Object) -> impl Iterator<Item = &Object> {
        let contents = self.objects.get(object);
        let cells = contents
            .into_iter()
            .flat_map(|contents| contents.cells.values());
        cells.filter_map(|value| match value {
            Value::Pointer(pointer) => Some(&pointer.object),
            _ => None,
        })
    }

    /// Can a pointer lead there of which nothing is known?
    pub fn is_exposed(&self, object: &Object) -> bool {
        object.is_outside() || self.escaped.contains(object)
    }

    /// What was found there for the first time: the memory is as it was, but this is known of it now.
    pub fn learn(&mut self, object: &Object, part: Part, value: Value) {
        let contents = self.contents(object);
        contents.cells.insert(part, value);
    }

    /// May the scalar hold what nobody has written? None if it was written, as far as its value does not say otherwise.
    pub fn unsure(&self, object: &Object, part: Part) -> Option<&Written> {
        self.objects.get(object)?.unsure.get(&part)
    }

    /// What is known of whether the scalar, of which the value is known, was written.
    pub fn mark(&mut self, object: &Object, part: Part, written: Option<Written>) {
        let Some(contents) = self.objects.get_mut(object) else {
            return;
        };
        match written {
            Some(written) => contents.unsure.insert(part, written),
            None => contents.unsure.remove(&part),
        };
    }

    /// The scalar holds this now.
    pub fn write(&mut self, object: &Object, part: Part, value: Value) {
        if let Value::Pointer(pointer) = &value
            && self.is_exposed(object)
        {
            self.escape(&pointer.object);
        }
        let sure = value != Value::Undefined;
        if *object == Object::Somewhere {
            self.hide_exposed(None, sure);
            return;
        }
        let contents = self.contents(object);
        let hit = contents.cells.keys().filter(|other| overlap(**other, part));
        let mut torn = Vec::new();
        for other in hit.copied().collect::<Vec<_>>() {
            let old = contents.cells.remove(&other);
            if other != part {
                contents.touched = true;
                torn.extend(old);
            }
        }
        contents.unsure.remove(&part);
        contents.cells.insert(part, value);
        contents.placed = None;
        contents.spoil_unless(sure);
        // Some bytes of a pointer are still there.
        for value in torn {
            if let Value::Pointer(pointer) = value {
                self.escape(&pointer.object);
            }
        }
        self.hit(object, sure);
    }

    /// An object was written: if it is from outside, any other from there may be the same.
    fn hit(&mut self, object: &Object, sure: bool) {
        if object.is_outside() {
            self.written.insert(object.clone());
            self.hide_exposed(Some(object), sure);
        }
    }

    /// Something was written to the object, nobody knows where.
    pub fn forget(&mut self, object: &Object) {
        self.hide(object, false);
    }

    /// Something was written to the object, nobody knows where; if it is `sure`, nothing that nobody has written.
    pub fn hide(&mut self, object: &Object, sure: bool) {
        if *object == Object::Somewhere {
            return self.hide_exposed(None, sure);
        }
        self.escape_held(object);
        let contents = self.contents(object);
        contents.cells.clear();
        contents.unsure.clear();
        contents.placed = None;
        contents.touched = true;
        contents.spoil_unless(sure);
        self.hit(object, sure);
    }

    /// The object, made where another one was made before: pointers to that lead nobody knows where.
    pub fn renew(&mut self, object: &Object) {
        self.escape_held(object);
        let mut is_known = self.escaped.remove(object);
        for contents in self.objects.values_mut() {
            for value in contents.cells.values_mut() {
                if let Value::Pointer(pointer) = value
                    && pointer.object == *object
                {
                    pointer.object = Object::Somewhere;
                    is_known = true;
                }
            }
        }
        // Of one to which no pointer leads, nobody will find out that it is gone.
        if self.gone.remove(object).is_some() && is_known {
            self.gone.insert(Object::Somewhere, Gone::Maybe);
        }
        self.objects.insert(object.clone(), Contents::default());
    }

    /// The object is gone; what it held nobody can say.
    pub fn end(&mut self, object: &Object) {
        let gone = match object {
            Object::Somewhere => Gone::Maybe,
            _ => Gone::Surely,
        };
        self.gone.insert(object.clone(), gone);
        self.forget(object);
    }

    /// The object may be gone.
    pub fn may_end(&mut self, object: &Object) {
        self.gone.entry(object.clone()).or_insert(Gone::Maybe);
        self.forget(object);
    }

    /// Has the function itself ended the object?
    pub fn gone(&self, object: &Object) -> Option<Gone> {
        let known = self.gone.get(object).copied();
        // Two names of objects from outside may be of the same; and what is somewhere may be any whose address others know.
        let may_be = |other: &Object| match object {
            Object::Somewhere => self.is_exposed(other),
            _ => self.is_exposed(object) && other.is_outside(),
        };
        known.or_else(|| self.gone.keys().any(may_be).then_some(Gone::Maybe))
    }

    /// The object begins: nothing was written to it.
    pub fn begin(&mut self, object: &Object) {
        match self.gone.contains_key(object) || self.objects.contains_key(object) {
            true => self.renew(object),
            false => {
                self.objects.insert(object.clone(), Contents::default());
            }
        }
    }

    /// Without objects that nobody can read any more: whose address is nowhere, and that nothing names.
    pub fn drop_objects(&mut self, is_dead: impl Fn(&Object) -> bool) {
        let matters = |object: &Object| !is_dead(object) || self.escaped.contains(object);
        self.objects.retain(|object, _| matters(object));
        self.gone.retain(|object, _| matters(object));
    }

    /// Something was written to any object that others know of (except this one, of which it is known what); if it is `sure`,
    /// nothing that nobody has written.
    pub fn hide_exposed(&mut self, except: Option<&Object>, sure: bool) {
        self.outside_touched = true;
        self.outside_unfilled |= !sure;
        self.anywhere |= except.is_none();
        for (object, contents) in &mut self.objects {
            let exposed = object.is_outside() || self.escaped.contains(object);
            if exposed && Some(object) != except {
                contents.cells.clear();
                contents.unsure.clear();
                contents.placed = None;
                contents.touched = true;
                contents.spoil_unless(sure);
            }
        }
    }

    fn contents(&mut self, object: &Object) -> &mut Contents {
        let unknown = self.unknown(object);
        self.objects.entry(object.clone()).or_insert(unknown)
    }

    /// With other symbols in place of some.
    pub fn rename(&mut self, names: &FxHashMap<Symbol, Symbol>) {
        for placed in self.placed_mut() {
            placed.offset.rename(names);
            placed.number.rename(names);
        }
        let contents = self.objects.values_mut();
        for value in contents.flat_map(|contents| contents.cells.values_mut()) {
            match value {
                Value::Number(form) => form.rename(names),
                Value::Pointer(pointer) => {
                    let pointer = pointer.as_mut();
                    let numbers = [&mut pointer.value, &mut pointer.offset];
                    let others = [&mut pointer.length, &mut pointer.alive];
                    let all = numbers.into_iter().chain(others);
                    all.for_each(|form| form.rename(names));
                }
                Value::Undefined | Value::Other => {}
            }
        }
    }

    /// All scalars that something is known of, in order.
    pub fn cells(&self) -> impl Iterator<Item = (&Object, Part, &Value)> {
        let all = self.objects.iter();
        all.flat_map(|(object, contents)| {
            let cells = contents.cells.iter();
            cells.map(move |(part, value)| (object, *part, value))
        })
    }
}

#[cfg(test)]
mod tests;
