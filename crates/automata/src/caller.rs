//! A caller's state at one call, as far as the callee can observe it.
//!
//! Arguments are evaluated, and pointers in them followed, only as far as the callee is sensitive to what is
//! found there. Nothing is made up on the way: of memory that the caller never spoke of it knows what it knows of
//! the rest of that object.

use crate::Automata;
use crate::entry::{
    Access, Content, Entry, Kind, Known, Named, Part, Reference, Room, is_null_on_evidence,
};
use crate::frame::{ObjectKind, Shape};
use crate::project::named;
use crate::sensitive::{Matters, Sensitive, kind_of};
use crate::state::State;
use crate::value::Value;
use domain::arithmetic::convert;
use domain::{Bound, CellId, Definition, Gone, IntType, ObjectId, Pointer, Targets};
use ir::{Body, Call, FuncId};
use smallvec::SmallVec;

/// A caller at a call.
pub struct Caller<'a, 'p> {
    automata: &'a mut Automata<'p>,
    st: State,
    call: &'a Call,
    /// The callee's.
    body: &'a Body,
    /// The arguments that were evaluated.
    args: SmallVec<[Option<Argument>; 4]>,
    /// Is there anything unwritten at all? Once somebody asks.
    unwritten: Option<bool>,
}

#[derive(Clone)]
struct Argument {
    value: Value,
    /// It is a pointer, and something is known of what it points to.
    leads_on: bool,
    /// And some of that was not written.
    unwritten: bool,
}

impl<'a, 'p> Caller<'a, 'p> {
    pub fn new(
        automata: &'a mut Automata<'p>,
        st: &State,
        call: &'a Call,
        body: &'a Body,
    ) -> Caller<'a, 'p> {
        Caller {
            automata,
            st: st.clone(),
            call,
            body,
            args: SmallVec::from_elem(None, call.args.len()),
            unwritten: None,
        }
    }

    /// What the callee may observe of what it is sensitive to, if any of that is bad.
    pub fn entry(&mut self, sensitive: &Sensitive) -> Entry {
        // Mostly nothing is: that is found without telling anything.
        let mut all = sensitive.iter();
        let bad = all.any(|(access, matters)| {
            if !matters.triggers() || matters.only_definition() && !self.may_be_unwritten(access) {
                return false;
            }
            let known = self.find(access);
            known.is_some_and(|(value, definition)| self.is_bad(&value, definition, matters))
        });
        if !bad {
            return Entry::Anything;
        }
        let mut known = Vec::new();
        for (access, matters) in sensitive.iter() {
            if let Some((value, definition)) = self.find(access) {
                let content = self.told(&value, definition, matters);
                if content.says_something() {
                    known.push((access.clone(), content));
                }
            }
        }
        Entry::in_order(known)
    }

    /// Is it a reason to look at the callee again?
    fn is_bad(&self, value: &Value, definition: Definition, matters: &Matters) -> bool {
        if matters.definition && definition.is_evidence() {
            return true;
        }
        match value {
            Value::Unknown => false,
            Value::Number(n) => matters.value && n.acknowledged().is_some(),
            Value::Pointer(p) => {
                let small = |room: Room| {
                    let before = i128::from(room.before);
                    before + i128::from(matters.from) < 0
                        || before + i128::from(matters.to) > i128::from(room.size)
                };
                let called = || self.automata.functions(p).into_iter();
                matters.value && is_null_on_evidence(p.null)
                    || matters.room && self.room(p).is_some_and(small)
                    || matters.target && called().any(|f| self.is_sensitive(f))
            }
        }
    }

    fn is_sensitive(&self, f: FuncId) -> bool {
        let context = self.automata.context;
        let summary = self.automata.summary(f);
        context.program.functions[f].body.is_some()
            && summary.is_none_or(|s| !s.sensitive.is_empty())
    }

    /// What is known of a scalar of the callee's; none if nothing is.
    fn find(&mut self, access: &Access) -> Option<(Value, Definition)> {
        let arg = self.argument(access.param as usize)?;
        let Some((last, holders)) = access.path.split_last() else {
            return Some((arg.value.clone(), Definition::Defined));
        };
        let Value::Pointer(mut pointer) = arg.value else {
            return None;
        };
        if !arg.leads_on {
            return None;
        }
        for holder in holders {
            let (Value::Pointer(next), _) = self.scalar(&pointer, *holder)? else {
                return None;
            };
            pointer = next;
        }
        self.scalar(&pointer, *last)
    }

    /// The value of an argument; none if the callee takes it for something else.
    fn argument(&mut self, i: usize) -> Option<&Argument> {
        let arg = *self.call.args.get(i)?;
        if self.args[i].is_none() {
            let program = self.automata.frame.program;
            let here = self.automata.type_of(arg);
            let there = self.body.vars[*self.body.params.get(i)?].ty;
            let same = here == there
                || kind_of(program, here)? == kind_of(program, there)?
                    && program.types.as_int(here) == program.types.as_int(there);
            if !same {
                return None;
            }
            let value = self.automata.eval(&mut self.st, arg);
            let leads_on = match &value {
                Value::Pointer(p) => self.leads_on(p),
                _ => false,
            };
            let unwritten = match &value {
                Value::Pointer(p) if leads_on => self.is_unwritten(p),
                _ => false,
            };
            self.args[i] = Some(Argument {
                value,
                leads_on,
                unwritten,
            });
        }
        self.args[i].as_ref()
    }

    /// Can there be evidence that it was not written? Asked often, and the answer is mostly no.
    fn may_be_unwritten(&mut self, access: &Access) -> bool {
        if access.path.len() > 1 {
            return *self.unwritten.get_or_insert_with(|| {
                let mut all = self.st.definedness.iter();
                all.any(|(_, definition)| definition.is_evidence())
            });
        }
        self.argument(access.param as usize)
            .is_some_and(|arg| arg.unwritten)
    }

    fn is_unwritten(&self, p: &Pointer) -> bool {
        let definedness = &self.st.definedness;
        p.targets.single().is_some_and(|object| {
            let mut cells = definedness.of_object(object).iter();
            cells.any(|(_, definition)| definition.is_evidence())
        })
    }

    /// Is anything known of what the pointer points to?
    fn leads_on(&self, p: &Pointer) -> bool {
        let Targets::Known(objects) = &p.targets else {
            return false;
        };
        let st = &self.st;
        // Constants are known without a state.
        let constant = |o: ObjectId| match self.automata.frame.info(o).kind {
            ObjectKind::Global(g) => self.automata.frame.program.globals[g].constant,
            _ => false,
        };
        let mut all = objects.iter();
        p.offset.as_constant().is_some()
            && all.all(|o| {
                !st.bounds.of_object(*o).is_empty()
                    || !st.pointers.of_object(*o).is_empty()
                    || !st.definedness.of_object(*o).is_empty()
                    || constant(*o)
            })
    }

    /// A value as the callee sees it.
    fn told(&self, value: &Value, definition: Definition, matters: &Matters) -> Content {
        let value = match value {
            Value::Number(n) if matters.value || matters.guards => Known::Number(n.settled()),
            Value::Pointer(p) => {
                let room = self.room(p).filter(|_| matters.room);
                let functions = match matters.target {
                    true => self.automata.functions(p),
                    false => Vec::new(),
                };
                let program = self.automata.frame.program;
                let mut functions: Vec<Named> =
                    functions.iter().map(|f| named(program, *f)).collect();
                functions.sort_unstable();
                Known::Pointer(Reference {
                    null: p.null,
                    room,
                    functions,
                })
            }
            _ => Known::Nothing,
        };
        let value = value.or_nothing();
        let told = matters.definition && definition.is_evidence();
        Content {
            value,
            definition: match told {
                true => definition,
                false => Definition::Defined,
            },
        }
    }

    fn room(&self, p: &Pointer) -> Option<Room> {
        let object = p.targets.single()?;
        let before = u64::try_from(p.offset.as_constant()?).ok()?;
        let size = self.automata.room(&self.st, object)?.as_constant()?;
        let room = Room {
            before,
            size: u64::try_from(size).ok()?,
        };
        (room.before <= room.size).then_some(room)
    }

    /// The scalar at a position behind a pointer; none if nothing is known of it.
    fn scalar(&mut self, p: &Pointer, part: Part) -> Option<(Value, Definition)> {
        let Targets::Known(objects) = &p.targets else {
            return None;
        };
        let start = p.offset.as_constant()?.checked_mul(8)?;
        let start = u64::try_from(start.checked_add(part.start)?).ok()?;
        let mut all: Option<(Value, Definition)> = None;
        for &object in objects {
            let (value, definition) = self.scalar_in(object, start, part)?;
            all = Some(match all {
                None => (value, definition),
                // Which of them it is decides whether it was written.
                Some((other, _)) => (other.join(&value), Definition::Defined),
            });
        }
        all
    }

    fn scalar_in(&self, object: ObjectId, start: u64, part: Part) -> Option<(Value, Definition)> {
        let (frame, st) = (&self.automata.frame, &self.st);
        if matches!(
            st.lifetimes.get(object),
            Some(Gone::Surely | Gone::Possibly)
        ) {
            return None;
        }
        let end = start.checked_add(u64::from(part.bits))?;
        let known = frame.known_cell(object, start, part.bits, part.kind == Kind::Pointer);
        let Some(cell) = known else {
            // What nobody spoke of is what the rest is, unless a part of it was.
            let apart = !frame.is_named(object, start, end);
            let inside = frame.info(object).size.is_none_or(|s| end <= s * 8);
            return (apart && inside).then(|| self.rest(object, part));
        };
        let value = match part.kind {
            Kind::Pointer => Value::Pointer(match st.pointers.lookup(cell) {
                Some(p) => *p,
                None => self.automata.initial_pointer(cell),
            }),
            Kind::Signed | Kind::Unsigned => self.number_in(cell, part),
            Kind::Float => Value::Unknown,
        };
        Some((value, st.definedness.value(cell)))
    }

    fn number_in(&self, cell: CellId, part: Part) -> Value {
        let info = self.automata.frame.cell_info(cell);
        let Some(Shape::Int(stored)) = info.map(|i| i.shape) else {
            return Value::Unknown;
        };
        let number = self.st.bounds.lookup(cell).copied();
        let Some(number) = number.or_else(|| self.automata.initial_number(cell, stored)) else {
            return Value::Unknown;
        };
        let bound = |value| Bound {
            value,
            acknowledged: false,
        };
        let (low, high) = stored.bounds();
        let number = number.restrict(bound(low), bound(high));
        let read = IntType {
            width: part.bits as u16,
            signed: part.kind == Kind::Signed,
        };
        number.map_or(Value::Unknown, |n| Value::Number(convert(&n, stored, read)))
    }

    fn rest(&self, object: ObjectId, part: Part) -> (Value, Definition) {
        let (st, rest) = (&self.st, CellId::rest(object));
        let value = match part.kind {
            Kind::Pointer => st.pointers.get(rest).map(|p| Value::Pointer(*p)),
            // Zeros are zeros at any type.
            Kind::Signed | Kind::Unsigned => {
                let zero = st.bounds.get(rest).filter(|n| n.as_constant() == Some(0));
                zero.map(|n| Value::Number(*n))
            }
            Kind::Float => None,
        };
        (value.unwrap_or(Value::Unknown), st.definedness.value(rest))
    }
}
