//! What a caller sees of a callee's memory.

use super::{Contents, Gone, Memory};
use crate::linear::Linear;
use crate::value::{Object, Value};

impl Memory {
    /// What a caller has to know of an object from outside that was written: none if it was not.
    pub fn written(&self) -> impl Iterator<Item = (&Object, Option<&Contents>)> {
        let each = self.written.iter();
        each.map(|object| (object, self.objects.get(object)))
    }

    /// What is known of an object.
    pub fn contents_of(&self, object: &Object) -> Option<&Contents> {
        self.objects.get(object)
    }

    /// Was something written nobody knows where?
    pub fn is_written_anywhere(&self) -> bool {
        self.anywhere
    }

    /// The objects whose address got out, those that the function was given among them.
    pub fn escaped(&self) -> impl Iterator<Item = &Object> {
        self.escaped.iter()
    }

    /// The objects that are gone, surely or not.
    pub fn ended(&self) -> impl Iterator<Item = (&Object, Gone)> {
        self.gone.iter().map(|(object, gone)| (object, *gone))
    }

    /// Without what nobody needs who did not see the function's own variables. They are gone: pointers to them lead nowhere, also
    /// those that will be taken together with others.
    pub fn without_variables(mut self, except: Option<&Object>) -> Memory {
        let is_own = |object: &Object| matches!(object, Object::Variable(_));
        let keep = |object: &Object| !is_own(object) || Some(object) == except;
        self.objects.retain(|object, _| keep(object));
        let known = self.escaped.iter().any(is_own);
        let mut may_be_gone = false;
        let cells = self.objects.values_mut();
        for value in cells.flat_map(|contents| contents.cells.values_mut()) {
            let Value::Pointer(pointer) = value else {
                continue;
            };
            if is_own(&pointer.object) {
                pointer.object = Object::Somewhere;
                pointer.alive = Linear::constant(0);
            }
            let is_dead = pointer.alive.as_constant() == Some(0);
            may_be_gone |= pointer.object == Object::Somewhere && known && !is_dead;
        }
        if may_be_gone {
            self.gone.insert(Object::Somewhere, Gone::Maybe);
        }
        // Where a callee wrote, a caller knows only of constant places.
        let contents = self.objects.values_mut();
        contents.for_each(|contents| contents.placed = None);
        self.gone.retain(|object, _| !is_own(object));
        self.escaped.retain(|object| !is_own(object));
        self
    }
}
