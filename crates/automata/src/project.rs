//! Where calls are made: a caller's state, projected onto what the callee is sensitive to.
//!
//! Wherever checks are asked, calls are: in which state does this one enter its callee? What is told is
//! restricted to what makes a difference to the callee ([`Sensitive`]), and told at all only if
//! something bad may come in: a null that the code introduced or acknowledges, a number with
//! acknowledged values that a check depends on, memory that was never written or is too small,
//! a function to call back. For all other calls the analysis for any caller says as much.
//!
//! **What is promised.** The entries of an edge and a callee stand for all runs that make the call in a state
//! in which something bad may come in; if [`Asked::only`] is set, for all runs that make the call. (So far as
//! the state before the call stands for them: it does, unless the budget ended.) Calls through pointers are listed
//! only where the state knows the functions.

use crate::Automata;
use crate::entry::{
    Access, Content, Entry, Kind, Known, Named, Part, Reference, Room, is_null_on_evidence,
};
use crate::frame::{ObjectKind, Shape};
use crate::sensitive::{Matters, Sensitive, kind_of};
use crate::state::State;
use crate::value::Value;
use domain::arithmetic::convert;
use domain::{Bound, CellId, Definition, IntType, ObjectId, Pointer, Targets};
use ir::{Body, Call, CallOutcome, Callee, EdgeId, FuncId, Linkage, Program, Stmt};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// Entries of one edge that are kept apart.
const ENTRIES: usize = 4;

/// A state in which a call enters a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Asked {
    pub edge: EdgeId,
    pub callee: FuncId,
    /// Never [`Entry::Anything`].
    pub entry: Entry,
    /// The call is made in no state but the listed ones of this edge and callee.
    pub only: bool,
}

/// One state before a call: `Anything` if nothing bad comes in.
pub struct Entered {
    pub edge: EdgeId,
    pub callee: FuncId,
    pub entry: Entry,
}

/// The calls of a body, while it is searched.
#[derive(Default)]
pub struct Calls {
    noted: BTreeMap<(EdgeId, FuncId), BTreeSet<Entry>>,
}

impl Calls {
    pub fn note(&mut self, entered: &Entered) {
        let key = (entered.edge, entered.callee);
        let entries = self.noted.entry(key).or_default();
        if !entries.contains(&entered.entry) {
            entries.insert(entered.entry.clone());
        }
    }

    /// What is to be asked, sorted: few entries for each edge and callee, none that another covers.
    pub fn asked(self) -> Vec<Asked> {
        let mut all = Vec::new();
        for ((edge, callee), mut entries) in self.noted {
            let only = !entries.remove(&Entry::Anything);
            let entries: Vec<Entry> = entries.into_iter().collect();
            // Of those that cover each other the first stays.
            let covered = |i: usize| {
                let by = |(j, other): (usize, &Entry)| {
                    j != i && other.covers(&entries[i]) && (j < i || !entries[i].covers(other))
                };
                entries.iter().enumerate().any(by)
            };
            let mut kept: Vec<Entry> = (0..entries.len())
                .filter(|i| !covered(*i))
                .map(|i| entries[i].clone())
                .collect();
            if kept.len() > ENTRIES {
                kept = vec![Entry::merge(&kept)];
            }
            all.extend(kept.into_iter().map(|entry| Asked {
                edge,
                callee,
                entry,
                only,
            }));
        }
        all
    }
}

impl Automata<'_> {
    /// Tells which functions the call of an edge enters in this state, and how, as far as they are sensitive to
    /// anything.
    pub fn enters(&mut self, st: &State, edge: EdgeId, call: &Call, mut tell: impl FnMut(Entered)) {
        match call.callee {
            Callee::Direct(f) => self.enter_one(st, edge, call, f, &mut tell),
            Callee::Indirect(e) => {
                let p = self.pointer(&mut st.clone(), e);
                for f in self.functions(&p) {
                    self.enter_one(st, edge, call, f, &mut tell);
                }
            }
        }
    }

    fn enter_one(
        &mut self,
        st: &State,
        edge: EdgeId,
        call: &Call,
        callee: FuncId,
        tell: &mut impl FnMut(Entered),
    ) {
        let context = self.context;
        let Some(body) = &context.program.functions[callee].body else {
            return;
        };
        let unknown;
        let sensitive = match self.summary(callee) {
            Some(summary) => &summary.sensitive,
            None => {
                unknown = Sensitive::unknown(context.program, body);
                &unknown
            }
        };
        if sensitive.is_empty() || !self.is_made_here(edge, call) {
            return;
        }
        let mut caller = Caller {
            args: SmallVec::from_elem(None, call.args.len()),
            automata: self,
            st: st.clone(),
            call,
            body,
            unwritten: None,
        };
        let entry = caller.entry(sensitive);
        tell(Entered {
            edge,
            callee,
            entry,
        });
    }

    /// Does the edge stand for the call as a whole? One call may have several edges, one for each way it
    /// ends; it is made once.
    fn is_made_here(&self, edge: EdgeId, call: &Call) -> bool {
        let body = self.frame.body;
        let returns =
            |stmt: &Stmt| matches!(stmt, Stmt::Call(c) if c.outcome == CallOutcome::Return);
        match call.outcome {
            CallOutcome::Return => true,
            CallOutcome::Unwind => {
                let mut outcomes = body.out_edges(body.edges()[edge].from);
                !outcomes.any(|(_, e)| returns(&e.stmt))
            }
            CallOutcome::Again => false,
        }
    }

    /// The functions that a pointer points to; none if it could be any, or anything else.
    fn functions(&self, p: &Pointer) -> Vec<FuncId> {
        let Targets::Known(objects) = &p.targets else {
            return Vec::new();
        };
        let function = |o: &ObjectId| match self.frame.info(*o).kind {
            ObjectKind::Function(f) => Some(f),
            _ => None,
        };
        let all: Option<Vec<FuncId>> = objects.iter().map(function).collect();
        all.unwrap_or_default()
    }
}

/// A caller at a call.
struct Caller<'a, 'p> {
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

impl Caller<'_, '_> {
    /// What the callee may observe of what it is sensitive to, if any of that is bad.
    fn entry(&mut self, sensitive: &Sensitive) -> Entry {
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
        if st.lifetimes.get(object).is_some() {
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

/// The function as an entry speaks of it.
pub fn named(program: &Program, f: FuncId) -> Named {
    let function = &program.functions[f];
    let unit = program.units.get(function.unit);
    let own = function.linkage == Linkage::Internal;
    Named {
        name: program.name(function.name).to_string(),
        unit: unit
            .filter(|_| own)
            .map(|u| program.name(u.name).to_string()),
    }
}

/// The function that an entry speaks of; none if the program has none such any more.
pub fn find(program: &Program, named: &Named) -> Option<FuncId> {
    let symbol = program.symbols.get(&named.name)?;
    let is_it = |f: &ir::Function| {
        let own = f.linkage == Linkage::Internal;
        let unit = program.units.get(f.unit).map(|u| program.name(u.name));
        match &named.unit {
            Some(name) => own && unit == Some(name.as_str()),
            None => !own,
        }
    };
    let mut all = program.functions.iter();
    all.find(|(_, f)| f.name == symbol && is_it(f))
        .map(|(id, _)| id)
}
