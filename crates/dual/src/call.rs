//! A call of a function of which a summary is known (dual.txt Fig. 3, the rule for calls).
//!
//! The caller's values stand for the callee's inputs: an argument for a parameter, what the caller's memory holds for what the
//! callee found behind a pointer. Then what the summary says is said of these: whether it fails, comes back, and with what.
//! What the callee wrote is written, object by object; what it may have written nobody knows where, is forgotten.

mod given;

use crate::arithmetic::some_number;
use crate::facts::{Facts, Range};
use crate::input::{Aspect, Given, Part};
use crate::linear::{Linear, Symbol};
use crate::memory::{Contents, Gone, Written};
use crate::path::{Path, Paths};
use crate::place::initial;
use crate::run::Run;
use crate::summary::{Origin, Return, Summary};
use crate::value::{Object, Pointer, Site, Value};
use ir::{Call, EdgeId, ExprId};
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::collections::BTreeMap;

/// What becomes of a path in a call.
#[derive(Clone, Debug, Default)]
pub struct Called {
    pub returns: Vec<Path>,
    pub unwinds: Vec<Path>,
    pub exits: Vec<Path>,
    pub fails: Vec<(Origin, Path)>,
    pub descents: Vec<Path>,
}

/// The caller's values for what the callee speaks of.
pub(crate) struct Actual<'s> {
    pub(crate) summary: &'s Summary,
    edge: EdgeId,
    arguments: Vec<Value>,
    /// Which of them nobody may have written.
    unsure: Vec<Option<Written>>,
    given: BTreeMap<Given, Value>,
    pub(crate) forms: FxHashMap<Symbol, Linear>,
    /// The caller before the call.
    before: Path,
}

impl<'s> Actual<'s> {
    /// Of a call of which nothing but the inputs matters.
    pub(crate) fn of_inputs(summary: &'s Summary, forms: FxHashMap<Symbol, Linear>) -> Actual<'s> {
        Actual {
            summary,
            edge: EdgeId(0),
            arguments: Vec::new(),
            unsure: Vec::new(),
            given: BTreeMap::new(),
            forms,
            before: Path::default(),
        }
    }
}

impl Run<'_> {
    /// The path behind a call, by what the summary says of the callee.
    pub fn call(&mut self, path: &Path, edge: EdgeId, call: &Call, summary: &Summary) -> Called {
        let mut called = Called::default();
        let unsure = call.args.iter().map(|e| self.unsure(path, *e));
        let unsure: Vec<Option<Written>> = unsure.collect();
        for (mut path, arguments) in self.arguments(path.clone(), &call.args) {
            let mut actual = Actual {
                summary,
                edge,
                arguments,
                unsure: unsure.clone(),
                given: BTreeMap::new(),
                forms: FxHashMap::default(),
                before: Path::default(),
            };
            for (input, symbol, range) in &summary.inputs {
                let form = self.actual(&mut path, &mut actual, input, *range);
                actual.forms.insert(*symbol, form);
            }
            let inputs = actual.forms.clone();
            actual.before = path.clone();
            if let Some(below) = &summary.below {
                let descents = self.descend(&path, &mut actual, below);
                called.descents.extend(descents);
            }
            let ended = path.ended();
            for (origin, cases) in &summary.fails {
                for (way, facts) in cases {
                    let path = self.with_facts(ended.clone(), &mut actual, facts);
                    let path = path.map(|path| Path { way: *way, ..path });
                    called.fails.extend(path.map(|path| (*origin, path)));
                    actual.forms.clone_from(&inputs);
                }
            }
            for facts in &summary.exits {
                called
                    .exits
                    .extend(self.with_facts(ended.clone(), &mut actual, facts));
                actual.forms.clone_from(&inputs);
            }
            for facts in &summary.unwinds {
                if let Some(mut path) = self.with_facts(path.clone(), &mut actual, facts) {
                    expose(&mut path, &actual.arguments, false);
                    called.unwinds.push(path);
                }
                actual.forms.clone_from(&inputs);
            }
            let mut comes_back = summary.back.is_empty();
            for facts in &summary.back {
                comes_back |= self.with_facts(ended.clone(), &mut actual, facts).is_some();
                actual.forms.clone_from(&inputs);
            }
            if !comes_back {
                continue;
            }
            // What decides between several ways may be nothing that the caller knows.
            if summary.returns.len() > 1 {
                path = path.guess();
            }
            for case in &summary.returns {
                if let Some(path) = self.with_facts(path.clone(), &mut actual, &case.facts) {
                    called
                        .returns
                        .extend(self.returned(path, &mut actual, call, case));
                }
                actual.forms.clone_from(&inputs);
            }
        }
        called
    }

    /// The values of arguments.
    pub fn arguments(&mut self, path: Path, args: &[ExprId]) -> Paths<Vec<Value>> {
        let mut all: Paths<Vec<Value>> = smallvec![(path, Vec::new())];
        for arg in args {
            let mut next = Paths::new();
            for (path, values) in all {
                next.extend(self.eval(path, *arg).into_iter().map(|(path, value)| {
                    let mut values = values.clone();
                    values.push(value);
                    (path, values)
                }));
            }
            all = next;
        }
        all
    }

    /// The caller's form for one of the callee's; none if it gets too large. What is unknown there is unknown here.
    pub(crate) fn form(&mut self, actual: &mut Actual<'_>, form: &Linear) -> Option<Linear> {
        let start = Linear::constant(form.offset());
        form.terms()
            .iter()
            .try_fold(start, |sum, (symbol, factor)| {
                let unknown = || Linear::symbol(self.symbols.unknown());
                let name = actual.forms.entry(*symbol).or_insert_with(unknown);
                sum.plus_times(*factor, name)
            })
    }

    /// With what the callee's facts say; none if that cannot be.
    pub(crate) fn with_facts(
        &mut self,
        path: Path,
        actual: &mut Actual<'_>,
        facts: &Facts,
    ) -> Option<Path> {
        if facts.is_contradiction() {
            return None;
        }
        self.work.add(path.size() + facts.size());
        let mut path = path;
        for symbol in facts.symbols() {
            let range = facts.range(symbol);
            let Some(form) = self.form(actual, &Linear::symbol(symbol)) else {
                continue;
            };
            if path.surely_within(&form, range) {
                continue;
            }
            let least = range.least.map(|n| form.plus_constant(-n));
            let most = range.most.map(|n| Linear::constant(n).minus(&form));
            for end in least.into_iter().chain(most) {
                path = path.where_not_negative(end)?;
            }
        }
        for fact in facts.zero() {
            path = path.where_zero(self.form(actual, fact))?;
        }
        for fact in facts.not_negative() {
            path = path.where_not_negative(self.form(actual, fact))?;
        }
        Some(path)
    }

    /// The caller's name of an object of the callee.
    fn object(&mut self, actual: &Actual<'_>, object: &Object) -> Object {
        match object {
            Object::Global(g) => Object::Global(*g),
            Object::Somewhere | Object::Variable(_) | Object::Below => Object::Somewhere,
            Object::Behind(given) => match actual.given.get(given) {
                Some(Value::Pointer(pointer)) => pointer.object.clone(),
                _ => Object::Somewhere,
            },
            Object::Fresh(_) => {
                let index = actual.summary.fresh.iter().position(|o| o == object);
                match index.and_then(|index| u32::try_from(index).ok()) {
                    Some(index) => Object::Fresh(Site {
                        edge: actual.edge,
                        index,
                    }),
                    None => Object::Somewhere,
                }
            }
        }
    }

    /// How far the parts of the callee's object are moved in the caller's; none if that depends on the run.
    fn moved(&self, actual: &Actual<'_>, object: &Object) -> Option<i128> {
        match object {
            Object::Behind(given) => match actual.given.get(given) {
                Some(Value::Pointer(pointer)) => self.byte(pointer),
                _ => None,
            },
            _ => Some(0),
        }
    }

    /// The caller's value for one of the callee's.
    fn value(&mut self, path: &mut Path, actual: &mut Actual<'_>, value: &Value) -> Value {
        let mut number = |form: &Linear, range: Range| {
            let form = self.form(actual, form);
            form.unwrap_or_else(|| some_number(path, &mut self.symbols, range))
        };
        match value {
            Value::Number(form) => match self.form(actual, form) {
                Some(form) => Value::Number(form),
                None => Value::Other,
            },
            Value::Pointer(pointer) => {
                let numbers = (
                    number(&pointer.value, Range::at_least(0)),
                    number(&pointer.offset, Range::ANYTHING),
                    number(&pointer.length, Aspect::Length.range()),
                    number(&pointer.alive, Aspect::Alive.range()),
                );
                Value::from(Pointer {
                    object: self.object(actual, &pointer.object),
                    value: numbers.0,
                    offset: numbers.1,
                    length: numbers.2,
                    alive: numbers.3,
                })
            }
            Value::Undefined => Value::Undefined,
            Value::Other => Value::Other,
        }
    }

    /// The paths behind one way to come back.
    fn returned(
        &mut self,
        mut path: Path,
        actual: &mut Actual<'_>,
        call: &Call,
        case: &Return,
    ) -> Vec<Path> {
        if case.memory.is_written_anywhere() {
            expose(&mut path, &actual.arguments, case.memory.is_unspoiled());
        }
        for object in &actual.summary.fresh {
            let object = self.object(actual, object);
            path.memory.renew(&object);
        }
        for object in case.memory.escaped() {
            let object = self.object(actual, object);
            path.memory.escape(&object);
        }
        let fresh = actual.summary.fresh.iter();
        let fresh = fresh.map(|object| (object, case.memory.contents_of(object)));
        let all: Vec<_> = case.memory.written().chain(fresh).collect();
        for (object, contents) in &all {
            let whole = contents.is_some_and(|c| !c.touched);
            if !whole || self.moved(actual, object).is_none() {
                let object = self.object(actual, object);
                let sure = contents.is_some_and(Contents::is_unspoiled);
                path.memory.hide(&object, sure);
            }
            if contents.is_some_and(Contents::is_written) {
                let object = self.object(actual, object);
                path.memory.fill(&object);
            }
        }
        for (object, contents) in &all {
            let (Some(contents), Some(moved)) = (contents, self.moved(actual, object)) else {
                continue;
            };
            let target = self.object(actual, object);
            for (part, value) in contents.cells() {
                let value = self.value(&mut path, actual, value);
                let unsure = self.unsure_of(actual, contents.unsure(part));
                let part = Part {
                    start: part.start + 8 * moved,
                    ..part
                };
                // At which type the callee wrote it is not known here.
                self.symbols.is_put(&target, part, Range::ANYTHING);
                path.memory.write(&target, part, value);
                // What was only read is what it was.
                let own = initial(&target, part).map(Written::Given);
                if unsure.is_some() && unsure != own {
                    path.memory.spoil(&target);
                }
                path.memory.mark(&target, part, unsure);
            }
        }
        for (object, gone) in case.memory.ended() {
            let object = self.object(actual, object);
            match gone {
                Gone::Surely => path.memory.end(&object),
                Gone::Maybe => path.memory.may_end(&object),
            }
        }
        let Some(result) = call.result else {
            return vec![path];
        };
        let ty = self.body.places[result].ty;
        let value = match &case.value {
            Some(value) => self.value(&mut path, actual, value),
            None => self.anything(&mut path, ty),
        };
        let unsure = self.unsure_of(actual, case.unsure.as_ref());
        let all = self.address(path, result);
        all.into_iter()
            .map(|(mut path, address)| {
                self.store_unsure(&mut path, &address, ty, value.clone(), unsure.clone());
                path
            })
            .collect()
    }
}

/// Whoever was called may have written what the arguments lead to, and all that others know of.
/// If it is `sure`, with nothing that nobody has written.
pub fn expose(path: &mut Path, arguments: &[Value], sure: bool) {
    for value in arguments {
        if let Value::Pointer(pointer) = value {
            path.memory.escape(&pointer.object);
        }
    }
    path.memory.hide_exposed(None, sure);
}
