//! Small callees are entered: their few paths, each under its condition.
//!
//! A callee without loops and with few ways through is executed along each of them on the memory of the
//! caller. What each way wrote is then written again under the condition of that way, so that
//! `if (get(&x) == 0) use(x)` knows that `x` was written exactly when the result is 0.

use crate::memory::Written;
use crate::path::{Frame, Path};
use crate::value::Shape;
use ir::arena::Id;
use ir::{Body, Call, EdgeId, FuncId, NodeId, Stmt};
use logic::TermId;
use rustc_hash::FxHashMap;

/// Ways through a callee that is entered, and edges of all of them together.
const MOST_WAYS: usize = 6;
const MOST_EDGES: usize = 120;
/// Calls within calls that are entered.
const MOST_DEPTH: u32 = 2;

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
    /// Executes the callee's body, if it is small enough; false if nothing was done.
    pub(crate) fn enter(&mut self, f: FuncId, call: &Call, args: &[Option<TermId>]) -> bool {
        let Some(body) = self.context.body(f) else {
            return false;
        };
        if self.depth >= MOST_DEPTH || body.params.len() != args.len() {
            return false;
        }
        let Some(ways) = ways(body) else { return false };
        let Some(args) = args.iter().copied().collect::<Option<Vec<TermId>>>() else {
            return false;
        };
        let result_ty = call.result.map(|p| self.frame.body.places[p].ty);
        if let Some(ty) = result_ty
            && matches!(self.shape(ty), Shape::Region(_) | Shape::Other)
        {
            return false;
        }
        if let Some(ty) = result_ty
            && body
                .ret
                .is_none_or(|r| self.shape(body.vars[r].ty).sort() != self.shape(ty).sort())
        {
            return false;
        }
        for (param, arg) in body.params.iter().zip(&args) {
            let ty = body.vars[*param].ty;
            if self.shape(ty).sort() != Some(self.pool.sort(*arg)) {
                return false;
            }
        }
        let refused = std::mem::replace(&mut self.refused, false);
        let mut outcomes = Vec::new();
        for way in &ways {
            // It may have done something that cannot be done again under a condition.
            match self.one_way(body, way, &args, result_ty.is_some()) {
                Some(outcome) if !self.refused => outcomes.push(outcome),
                _ => {
                    self.refused = refused;
                    return false;
                }
            }
        }
        self.refused = refused;
        outcomes.retain(|o| self.pool.as_bool(o.when) != Some(false));
        self.record(|r| r.entered = true);
        self.conclude(call, outcomes);
        true
    }

    /// One way through the callee, with the memory as it was before.
    fn one_way(
        &mut self,
        body: &'p Body,
        way: &[EdgeId],
        args: &[TermId],
        takes_result: bool,
    ) -> Option<Outcome> {
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
            if !self.edge(edge, false) || self.is_contradictory() {
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
                Some(self.value_form(ty, word.value))
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
        let mut changes = Vec::new();
        let mut whole = false;
        let mut lives = Vec::new();
        for (i, (_, alive)) in contents.iter().enumerate() {
            if self.objects[i].alive != *alive {
                lives.push((crate::object::ObjectId(i as u32), self.objects[i].alive));
            }
        }
        for w in written {
            match w {
                Written::Word {
                    object,
                    offset,
                    size,
                    word,
                } => {
                    if (object.0 as usize) < contents.len() {
                        changes.push((object, offset, size, word));
                    }
                }
                // Of the callee's own variables it does not matter.
                Written::Layer(object) if (object.0 as usize) >= contents.len() => {}
                Written::Layer(_) => whole |= possible,
            }
        }
        for (i, (old, alive)) in contents.into_iter().enumerate() {
            self.objects[i].contents = old;
            self.objects[i].alive = alive;
        }
        (!whole).then_some(Outcome {
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
            for (object, offset, size, word) in o.changes {
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
            if let Some(value) = o.result {
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
    result: Option<TermId>,
    changes: Vec<(crate::object::ObjectId, TermId, u64, crate::contents::Word)>,
    lives: Vec<(crate::object::ObjectId, TermId)>,
}
