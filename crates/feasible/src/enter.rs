//! Small callees are entered: their few paths, each under its condition.
//!
//! A callee without loops and with few ways through is executed along each of them on the memory of the
//! caller. What each way wrote is then written again under the condition of that way, so that
//! `if (get(&x) == 0) use(x)` knows that `x` was written exactly when the result is 0.
//!
//! A callee that calls code which nobody can look into, were it only `printf`, is walked too, with any values for
//! what that code gives and writes. What it does to memory the call then does by its summary, and the script that shows the path
//! says what; but that it came back, and with what, is one of these ways ([`Path::agree`]): `wrapup(1)` does not, and
//! `collation(p, i)` is null only where `i` is out of range.

use crate::contents::Word;
use crate::memory::Written;
use crate::object::{ObjectId, ObjectKind};
use crate::path::{Approximations, Frame, Path};
use crate::value::Shape;
use ir::arena::Id;
use ir::{Body, Call, EdgeId, FuncId, NodeId, Stmt};
use logic::{Label, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Ways through a callee that is entered, and edges of all of them together.
const MOST_WAYS: usize = 10;
const MOST_EDGES: usize = 160;
/// Calls within calls that are entered.
const MOST_DEPTH: u32 = 4;
/// Edges that are walked for one call, those of calls within it included.
const MOST_WALKED: usize = 400;

/// What became of a call.
pub(crate) enum Entered {
    /// It was executed.
    Done,
    /// It came back in one of these ways; what it did else its summary says.
    Known(Vec<Answer>),
    No,
}

/// One way in which a call came back: its condition, and what it gave, if that is known.
pub(crate) struct Answer {
    when: TermId,
    result: Option<TermId>,
}

/// Every way from entry to exit of a body without loops, if they are few; none otherwise.
pub(crate) fn ways(body: &Body) -> Option<Vec<Vec<EdgeId>>> {
    if body.edges().len() > 2 * MOST_EDGES {
        return None;
    }
    let mut found = Vec::new();
    let mut total = 0;
    let mut on_path = vec![false; body.node_count as usize];
    let mut path: Vec<EdgeId> = Vec::new();
    fn go(
        body: &Body,
        at: NodeId,
        on_path: &mut [bool],
        path: &mut Vec<EdgeId>,
        found: &mut Vec<Vec<EdgeId>>,
        total: &mut usize,
    ) -> bool {
        if at == body.exit {
            *total += path.len();
            found.push(path.clone());
            return found.len() <= MOST_WAYS && *total <= MOST_EDGES;
        }
        if std::mem::replace(&mut on_path[at.index()], true) {
            return false;
        }
        for (id, edge) in body.out_edges(at) {
            // What unwinds or traps does not come back here.
            if matches!(&edge.stmt, Stmt::Trap(_) | Stmt::Resume(_)) {
                continue;
            }
            if let Stmt::Call(c) = &edge.stmt
                && (c.outcome != ir::CallOutcome::Return || c.noreturn)
            {
                continue;
            }
            path.push(id);
            if path.len() > MOST_EDGES || !go(body, edge.to, on_path, path, found, total) {
                return false;
            }
            path.pop();
        }
        on_path[at.index()] = false;
        true
    }
    let complete = go(
        body,
        body.entry,
        &mut on_path,
        &mut path,
        &mut found,
        &mut total,
    );
    (complete && !found.is_empty()).then_some(found)
}

impl<'p> Path<'p> {
    /// Executes the callee's body, if it is small enough.
    pub(crate) fn enter(&mut self, f: FuncId, call: &Call, args: &[Option<TermId>]) -> Entered {
        let Some((body, ways, args)) = self.can_enter(f, call, args) else {
            return Entered::No;
        };
        let outermost = self.depth == 0;
        if outermost {
            self.allowance = MOST_WALKED;
        }
        let refused = std::mem::replace(&mut self.refused, false);
        let marks = (self.sources.len(), self.touched.len(), self.approximations);
        let mut outcomes = Vec::new();
        for way in &ways {
            let outcome = self.one_way(body, way, &args, call.result.is_some());
            outcomes.extend(outcome);
            if self.allowance == 0 {
                self.refused = refused;
                self.withdraw(marks);
                return Entered::No;
            }
        }
        outcomes.retain(|o| self.pool.as_bool(o.when) != Some(false));
        // Something in it cannot be done again under a condition.
        let opaque = self.refused || outcomes.iter().any(Outcome::covers);
        self.refused = refused || opaque && !outermost;
        if opaque && outermost {
            self.withdraw(marks);
            return match self.turning {
                true => Entered::No,
                false => Entered::Known(outcomes.iter().map(Outcome::answer).collect()),
            };
        }
        self.record(|r| r.entered = true);
        self.conclude(call, outcomes);
        Entered::Done
    }

    /// The callee's body and its ways, if they can be walked with these arguments.
    fn can_enter(
        &self,
        f: FuncId,
        call: &Call,
        args: &[Option<TermId>],
    ) -> Option<(&'p Body, Vec<Vec<EdgeId>>, Vec<TermId>)> {
        let body = self.context.body(f)?;
        if self.depth >= MOST_DEPTH || body.params.len() != args.len() {
            return None;
        }
        let ways = ways(body)?;
        let args = args.iter().copied().collect::<Option<Vec<TermId>>>()?;
        let result_ty = call.result.map(|p| self.frame.body.places[p].ty);
        if let Some(ty) = result_ty
            && (matches!(self.shape(ty), Shape::Region(_) | Shape::Other)
                || body
                    .ret
                    .is_none_or(|r| self.shape(body.vars[r].ty).sort() != self.shape(ty).sort()))
        {
            return None;
        }
        let mut params = body.params.iter().zip(&args);
        let fit = params.all(|(param, arg)| {
            self.shape(body.vars[*param].ty).sort() == Some(self.pool.sort(*arg))
        });
        fit.then_some((body, ways, args))
    }

    /// What was walked is not what is done: the run that shows the path need not do it.
    fn withdraw(&mut self, (sources, touched, before): (usize, usize, Approximations)) {
        for source in &mut self.sources[sources..] {
            if source.step.is_some() {
                source.step = Some(Label::MAX);
            }
        }
        self.touched.truncate(touched);
        self.approximations = before;
    }

    /// The call has come back in one of these ways.
    pub(crate) fn agree(&mut self, call: &Call, answers: Vec<Answer>) {
        let value = call.result.map(|place| self.load(place));
        let mut some = self.pool.truth(false);
        for Answer { when, result } in answers {
            let one = match (value, result) {
                (Some(value), Some(result)) => {
                    let same = self.pool.equal(value, result);
                    self.pool.and(when, same)
                }
                _ => when,
            };
            some = self.pool.or(some, one);
        }
        self.assume(some);
    }

    /// One way through the callee, with the memory as it was before; none if no edges may be walked any more.
    fn one_way(
        &mut self,
        body: &'p Body,
        way: &[EdgeId],
        args: &[TermId],
        takes_result: bool,
    ) -> Option<Outcome> {
        let memory = self.memory_now();
        let number = self.frames;
        self.frames += 1;
        let inner = Frame {
            number,
            body,
            vars: FxHashMap::default(),
        };
        let contents: Vec<_> = self
            .objects
            .iter()
            .map(|o| (o.contents.clone(), o.alive))
            .collect();
        let (facts, actions) = (self.facts.len(), self.actions.len());
        let rebased = self.rebased.clone();
        let outer = std::mem::replace(&mut self.frame, inner);
        let journal = self.journal.replace(Vec::new());
        self.depth += 1;
        for (&param, &arg) in body.params.iter().zip(args) {
            let object = self.var_object(param);
            let ty = body.vars[param].ty;
            let value = self.memory_form(ty, arg);
            let zero = self.word64(0);
            let word = self.defined(value);
            let size = self.bytes(ty);
            self.write(object, zero, size, word);
        }
        let mut possible = true;
        for &edge in way {
            self.allowance = self.allowance.saturating_sub(1);
            if self.allowance == 0 || !self.edge(edge, false) || self.is_contradictory() {
                possible = false;
                break;
            }
        }
        let result = match body.ret {
            Some(ret) if takes_result => {
                let object = self.var_object(ret);
                let ty = body.vars[ret].ty;
                let zero = self.word64(0);
                let size = self.bytes(ty);
                let word = self.read(object, zero, size);
                let written = self.pool.as_bits(word.shadow) == Some(0);
                Some((self.value_form(ty, word.value), written))
            }
            _ => None,
        };
        self.depth -= 1;
        let written = std::mem::replace(&mut self.journal, journal).unwrap_or_default();
        self.frame = outer;
        self.rebased = rebased;
        // The tests of this way are its condition; its definitions stay.
        let mut when = self.pool.truth(possible);
        for (_, fact) in self.facts.split_off(facts) {
            when = self.pool.and(when, fact);
        }
        let kept: Vec<_> = self
            .actions
            .split_off(actions)
            .into_iter()
            .filter(|a| matches!(a, crate::action::Action::Define(..)))
            .collect();
        self.actions.extend(kept);
        let changes = written.into_iter().map(|w| match w {
            Written::Word {
                object,
                offset,
                size,
                word,
            } => (object, Change::Word(offset, size, word)),
            Written::Layer(object) => (object, Change::Anything),
        });
        // Of the callee's own variables it does not matter.
        let own = |path: &Self, object: ObjectId| match path.object(object).kind {
            ObjectKind::Var(frame, _) => frame >= number,
            ObjectKind::Allocated(_) => object.0 as usize >= contents.len(),
            _ => false,
        };
        let changes: Vec<_> = changes.filter(|(o, _)| !own(self, *o)).collect();
        let mut lives = Vec::new();
        for i in 0..self.objects.len() {
            let id = ObjectId(i as u32);
            // What the callee was the first to meet was there before, too.
            let (old, alive) = match contents.get(i) {
                Some((old, alive)) => (Rc::clone(old), *alive),
                None if own(self, id) => continue,
                None => (Rc::clone(&self.objects[i].first), self.pool.truth(true)),
            };
            let object = &mut self.objects[i];
            if object.alive != alive {
                lives.push((id, object.alive));
            }
            object.contents = old;
            object.alive = alive;
        }
        self.memory_back(memory);
        (self.allowance > 0).then_some(Outcome {
            when,
            result,
            changes,
            lives,
        })
    }

    /// The call has ended in one of these ways.
    fn conclude(&mut self, call: &Call, outcomes: Vec<Outcome>) {
        let mut some = self.pool.truth(false);
        for o in &outcomes {
            some = self.pool.or(some, o.when);
        }
        self.assume(some);
        let mut result: Option<TermId> = None;
        for o in outcomes.into_iter().rev() {
            for (object, change) in o.changes {
                let Change::Word(offset, size, word) = change else {
                    if !self.is_constant(object) {
                        self.blur(object, false);
                    }
                    continue;
                };
                let new = if self.pool.as_bool(o.when) == Some(true) {
                    word
                } else {
                    let old = self.read(object, offset, size);
                    self.choice(o.when, word, old)
                };
                self.write_aliased(object, offset, size, new);
            }
            for (object, alive) in o.lives {
                let old = self.object(object).alive;
                let alive = self.pool.choose(o.when, alive, old);
                self.object_mut(object).alive = alive;
            }
            if let Some((value, _)) = o.result {
                result = Some(match result {
                    None => value,
                    Some(other) => self.pool.choose(o.when, value, other),
                });
            }
        }
        if let (Some(place), Some(value)) = (call.result, result) {
            self.store(place, value, None);
        }
    }
}

/// One way through a callee.
struct Outcome {
    when: TermId,
    /// And whether it is all written.
    result: Option<(TermId, bool)>,
    changes: Vec<(ObjectId, Change)>,
    lives: Vec<(ObjectId, TermId)>,
}

enum Change {
    Word(TermId, u64, Word),
    /// More than a word, or nobody knows what.
    Anything,
}

impl Outcome {
    fn covers(&self) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|(_, change)| matches!(change, Change::Anything))
    }

    fn answer(&self) -> Answer {
        Answer {
            when: self.when,
            result: self
                .result
                .and_then(|(value, written)| written.then_some(value)),
        }
    }
}
