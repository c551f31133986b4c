//! What labels do, as statements over ghosts: the check of an error, the step of a state, a start.

use super::ghost::{Ghost, Slot, followed_type};
use super::label::{Site, Valid};
use super::machine::Next;
use super::weave::{Weaver, assign};
use ir::{Check, CompareOp, Condition, ExprId, Stmt, TypeId};
use std::collections::BTreeMap;

impl Weaver<'_> {
    /// What the sites before or behind an edge do: first the checks, then the steps, then what starts.
    pub(super) fn statements(&mut self, edge: usize, after: bool) -> Vec<Stmt> {
        let plan = self.plan;
        // What waits for how a call ends behind it has its turn by itself ([`super::turn`]).
        let here: Vec<usize> = plan
            .at(edge, after)
            .filter(|site| !(after && plan.sites[*site].waits()))
            .collect();
        self.at_sites(&here)
    }

    pub(super) fn at_sites(&mut self, here: &[usize]) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for &site in here {
            self.at_once(site, &mut stmts);
            self.checks(site, &mut stmts);
        }
        for &site in here {
            for i in 0..self.plan.instances.len() {
                self.step(site, i, &mut stmts);
            }
        }
        for &site in here {
            let own = |i: &super::plan::Instance| i.start == Some(site) && !i.at_once;
            if let Some(i) = self.plan.instances.iter().position(own) {
                self.start(site, i, &mut stmts);
            }
        }
        stmts
    }

    /// What is wrong by itself: the value is the one that it speaks of.
    fn at_once(&mut self, site: usize, stmts: &mut Vec<Stmt>) {
        let own = |i: &super::plan::Instance| i.start == Some(site) && i.at_once;
        let Some(i) = self.plan.instances.iter().position(own) else {
            return;
        };
        let Some(first) = self.ghosts[i].states().next() else {
            return;
        };
        self.start(site, i, stmts);
        let flag = self.started(i, &self.plan.sites[site]);
        stmts.push(assign(first.place, flag));
    }

    /// The checks of a label that is an error: for no instance is it one. Where the label speaks of no value, each value that is
    /// followed has its own, by which a report can call it.
    fn checks(&mut self, site: usize, stmts: &mut Vec<Stmt>) {
        let label = self.plan.sites[site].label;
        let apart = self.machine.shows_way_out && self.values[site].is_none();
        let mut whole: BTreeMap<(usize, u32), ExprId> = BTreeMap::new();
        for (i, instance) in self.plan.instances.iter().enumerate() {
            if instance.passes.binary_search(&site).is_err() {
                continue;
            }
            let errors: Vec<(usize, u32)> = match instance.at_once {
                // In state 0 there is no flag: that of the first one is set for it.
                true => match self.machine.next(0, label) {
                    Some(Next::Error(which)) => vec![(1, which)],
                    _ => continue,
                },
                false => self.machine.errors_on(label).filter(|e| e.0 != 0).collect(),
            };
            for (state, which) in errors {
                let Some(holds) = self.is_no_error(site, i, state) else {
                    continue;
                };
                let own = if apart { i } else { 0 };
                let never = self.maker.truth(false);
                let all = match whole.get(&(own, which)) {
                    None => holds,
                    Some(before) => self.maker.select(*before, holds, never),
                };
                whole.insert((own, which), all);
            }
        }
        for ((_, which), holds) in whole {
            let id = self.maker.body.checks.push(Check {
                rule: self.rule,
                which,
                condition: Condition::Holds(holds),
            });
            stmts.push(Stmt::Check(id));
        }
    }

    /// `state == s ⇒ v != value`. In such a state the value is one of which the label says something.
    fn is_no_error(&mut self, site: usize, instance: usize, state: usize) -> Option<ExprId> {
        let flag = self.ghosts[instance].state(state);
        let (Some(v), Some(value)) = (self.values[site], self.ghosts[instance].value) else {
            let one = self.maker.flag(true);
            return Some(self.maker.compare(CompareOp::Ne, flag.load, one));
        };
        let v = self.comparable(v, value.ty)?;
        let in_state = self.maker.is_set(flag);
        let other = self.related(CompareOp::Ne, v, value);
        let yes = self.maker.truth(true);
        Some(self.maker.select(in_state, other, yes))
    }

    /// What a label does to the states of an instance: all at once.
    fn step(&mut self, site: usize, instance: usize, stmts: &mut Vec<Stmt>) {
        let passes = &self.plan.instances[instance].passes;
        if passes.binary_search(&site).is_err() {
            return;
        }
        if self.plan.instances[instance].at_once {
            return;
        }
        let label = self.plan.sites[site].label;
        let steps: Vec<(usize, usize)> = self.machine.steps_on(label).collect();
        let ghost = self.ghosts[instance].clone();
        let same = match (self.values[site], ghost.value) {
            (Some(v), Some(value)) => match self.comparable(v, value.ty) {
                Some(v) => Some(self.related(CompareOp::Eq, v, value)),
                None => return,
            },
            _ => None,
        };
        let shifts = self.machine.shifts(label);
        if shifts {
            let saved = steps.iter().map(|(from, _)| *from);
            stmts.extend(saved.map(|s| assign(ghost.was(s).place, ghost.state(s).load)));
        }
        // Where nothing is saved, no state that is left is entered: it is read before it is cleared.
        let is_left = |state: &usize| steps.iter().any(|(from, _)| from == state);
        let (left, others): (Vec<usize>, Vec<usize>) =
            (1..self.machine.states.len()).partition(is_left);
        for state in others.into_iter().chain(left) {
            self.move_to(state, &steps, shifts, same, &ghost, stmts);
        }
    }

    /// The new value of a state's flag.
    fn move_to(
        &mut self,
        state: usize,
        steps: &[(usize, usize)],
        saved: bool,
        same: Option<ExprId>,
        ghost: &Ghost,
        stmts: &mut Vec<Stmt>,
    ) {
        let flag = ghost.state(state);
        let (yes, no) = (self.maker.flag(true), self.maker.flag(false));
        let leaves = steps.iter().any(|(from, _)| *from == state);
        let mut next = if leaves { no } else { flag.load };
        for (from, _) in steps.iter().filter(|(_, to)| *to == state) {
            let before = if saved {
                ghost.was(*from)
            } else {
                ghost.state(*from)
            };
            let was_there = self.maker.is_set(before);
            next = self.maker.select(was_there, yes, next);
        }
        if next == flag.load {
            return;
        }
        if let Some(same) = same {
            next = self.maker.select(same, next, flag.load);
        }
        stmts.push(assign(flag.place, next));
    }

    /// From here on the value is followed.
    fn start(&mut self, site: usize, instance: usize, stmts: &mut Vec<Stmt>) {
        let ghost = self.ghosts[instance].clone();
        let at = self.plan.sites[site];
        if let (Some(v), Some(value)) = (self.values[site], ghost.value)
            && let Some(v) = self.comparable(v, value.ty)
        {
            stmts.push(assign(value.place, v));
            if !self.is_known_by_itself(&at) {
                let same = self.related(CompareOp::Eq, v, value);
                stmts.push(Stmt::Assume(same));
            }
        }
        let first = self.plan.instances[instance].state;
        for state in 1..self.machine.states.len() {
            let flag = match state == first && (!at.waits() || at.after) {
                true => self.started(instance, &at),
                false => self.maker.flag(false),
            };
            stmts.push(assign(ghost.state(state).place, flag));
        }
    }

    /// The flag of the state in which an instance starts: not set for a value of which the label says
    /// nothing.
    pub(super) fn started(&mut self, instance: usize, site: &Site) -> ExprId {
        let yes = self.maker.flag(true);
        let valid = match self.ghosts[instance].value {
            Some(value) => self.valid(site, value.load),
            None => None,
        };
        match valid {
            Some(valid) => {
                let no = self.maker.flag(false);
                self.maker.select(valid, yes, no)
            }
            None => yes,
        }
    }

    /// Does the label say something of the value? None if it always does.
    fn valid(&mut self, site: &Site, v: ExprId) -> Option<ExprId> {
        let op = match self.machine.effects[site.label].valid {
            Valid::Always | Valid::NotMinusOne => return None,
            _ if site
                .value
                .is_some_and(|s| s.is_fixed_address(self.maker.body)) =>
            {
                return None;
            }
            Valid::NotZero => CompareOp::Ne,
            Valid::NotNegative => CompareOp::Ge,
            Valid::Success => match self.maker.types.is_pointer(self.maker.type_of(v)) {
                true => CompareOp::Ne,
                false => CompareOp::Ge,
            },
        };
        let ty = self.maker.type_of(v);
        if op == CompareOp::Ge
            && self
                .maker
                .types
                .as_int(ty)
                .is_none_or(|(_, signed)| !signed)
        {
            return None;
        }
        let zero = self.maker.zero(ty);
        Some(self.maker.compare(op, v, zero))
    }

    /// Are level 1's copies and addresses enough to know the value again?
    fn is_known_by_itself(&self, site: &Site) -> bool {
        let body = &*self.maker.body;
        let Some(subject) = site.value else {
            return true;
        };
        let variable = subject
            .place(body)
            .and_then(|p| body.places.get(p)?.as_var());
        subject.is_fixed_address(body) || variable.is_some_and(|v| !body.vars[v].address_taken)
    }

    /// The comparison of a value with that of a ghost.
    ///
    /// Numbers are compared as if they were addresses: level 1 takes two ranges that the program has
    /// tested for evidence that their numbers can meet, and this is no matter of ranges.
    fn related(&mut self, op: CompareOp, v: ExprId, value: Slot) -> ExprId {
        let a = self.maker.converted(v, TypeId::VOID_PTR);
        let b = self.maker.converted(value.load, TypeId::VOID_PTR);
        self.maker.compare(op, a, b)
    }

    /// The value at the type of a ghost; none if they have nothing to do with each other.
    fn comparable(&mut self, v: ExprId, ty: TypeId) -> Option<ExprId> {
        let types = self.maker.types;
        let pointer = |ty| types.is_pointer(ty);
        let own = followed_type(types, self.maker.type_of(v))?;
        (pointer(own) == pointer(ty)).then(|| self.maker.converted(v, ty))
    }
}
