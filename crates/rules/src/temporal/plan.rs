//! Where in a body a value must be followed: from which statements, past which others.
//!
//! Each statement with a label that starts the automaton is an *instance* of its own: it follows the
//! value that it saw last. (One instance for all of them, which chooses freely which value to follow,
//! would be the textbook's way. But its states meet behind every choice, and level 1, which merges them,
//! would know no more which variable holds the value. What is given up is the value of an earlier turn
//! of a loop, once the same statement has seen another one.)
//!
//! An instance from which no error is reached, past labels that may speak of the same value, is left
//! out: most functions free several pointers, and few free one twice.

use super::label::{Outcome, Site, Subject};
use super::machine::{Machine, Next};
use super::related::{Class, Related};
use crate::instrument::is_one_step;
use ir::arena::Id;
use ir::{Body, Edge, NodeId, Place, Stmt, VarId};

/// A statement whose value is followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// The number of its site; none: it is followed from the beginning of the body.
    pub start: Option<usize>,
    pub value: Option<Subject>,
    /// The state in which it starts.
    pub state: usize,
    /// What starts it is wrong by itself, whatever has happened before: it is followed that far only.
    pub at_once: bool,
    /// The sites at which something can happen to the value, in order.
    pub passes: Vec<usize>,
}

/// Statements of one body whose values are followed at most. A function with more is a destructor of
/// something large, which frees each thing once.
const INSTANCES: usize = 64;

/// What a body looks like to the automaton.
pub(crate) struct Plan {
    pub sites: Vec<Site>,
    pub instances: Vec<Instance>,
}

/// For every edge the first of those that are one step of the program with it.
pub(crate) fn leads(edges: &[Edge]) -> Vec<usize> {
    let mut leads = Vec::with_capacity(edges.len());
    let mut at = 0;
    for group in edges.chunk_by(|a, b| a.from == b.from) {
        let one_step = is_one_step(group);
        leads.extend((0..group.len()).map(|i| if one_step { at } else { at + i }));
        at += group.len();
    }
    leads
}

impl Plan {
    /// The sites must be those of the body, in the order of its edges.
    pub fn of(machine: &Machine, body: &Body, mut sites: Vec<Site>) -> Plan {
        let edges = body.edges().as_slice();
        let leads = leads(edges);
        // What stands before the edges of one step happens once.
        for site in &mut sites {
            if !site.after {
                site.edge = leads[site.edge];
            }
        }
        let mut kept: Vec<Site> = Vec::with_capacity(sites.len());
        for site in sites {
            if !kept.contains(&site) {
                kept.push(site);
            }
        }
        kept.sort_by_key(|site| (site.edge, site.after));
        let mut plan = Plan {
            sites: kept,
            instances: Vec::new(),
        };
        let is = |test: &dyn Fn(usize) -> bool| plan.sites.iter().any(|s| test(s.label));
        let starts = is(&|label| machine.next(0, label).is_some()) || !machine.entries.is_empty();
        let errs = is(&|label| machine.errors_on(label).next().is_some());
        if starts && errs {
            plan.follow(machine, body, &leads);
        }
        plan
    }

    /// The numbers of the sites before or behind an edge.
    pub fn at(&self, edge: usize, after: bool) -> std::ops::Range<usize> {
        let key = |s: &Site| (s.edge, s.after);
        let first = self.sites.partition_point(|s| key(s) < (edge, after));
        let end = self.sites.partition_point(|s| key(s) <= (edge, after));
        first..end
    }

    fn follow(&mut self, machine: &Machine, body: &Body, leads: &[usize]) {
        let edges = body.edges().as_slice();
        let mut related = Related::of(body, edges);
        let classes: Vec<Option<Class>> = self
            .sites
            .iter()
            .map(|s| s.value.and_then(|v| related.class(v)))
            .collect();
        let mut walk = Walk {
            machine,
            body,
            leads,
            plan: self,
            classes: &classes,
            class: None,
            seen: Vec::new(),
            found: Found::default(),
        };
        let mut instances = Vec::new();
        for entry in &machine.entries {
            let class = entry.value.and_then(|v| related.class(v));
            if entry.value.is_some() != class.is_some() {
                continue;
            }
            walk.class = class;
            if let Some(passes) = walk.passed_from_the_start(entry.state) {
                instances.push(Instance {
                    start: None,
                    value: entry.value,
                    state: entry.state,
                    at_once: false,
                    passes,
                });
            }
        }
        for (start, site) in walk.plan.sites.iter().enumerate() {
            let value = site.value;
            if value.is_some() && classes[start].is_none() {
                continue;
            }
            walk.class = classes[start];
            let only = classes[start].and_then(|c| related.only_variable(c));
            let (state, at_once) = match machine.next(0, site.label) {
                Some(Next::State(state)) => (state, false),
                Some(Next::Error(_)) => (0, true),
                None => continue,
            };
            let passes = match at_once {
                true => Some(vec![start]),
                false => walk.passed_behind(start, state, only),
            };
            if let Some(passes) = passes {
                instances.push(Instance {
                    start: Some(start),
                    value,
                    state,
                    at_once,
                    passes,
                });
            }
            if instances.len() >= INSTANCES {
                break;
            }
        }
        self.instances = instances;
    }
}

/// What can happen to the value of one instance, by a walk over nodes and states.
struct Walk<'a> {
    machine: &'a Machine,
    body: &'a Body,
    leads: &'a [usize],
    plan: &'a Plan,
    classes: &'a [Option<Class>],
    /// That of the value; none: there is no value.
    class: Option<Class>,
    /// Per node the states in which it was reached, as bits.
    seen: Vec<u64>,
    found: Found,
}

/// What a walk has come past.
#[derive(Default)]
struct Found {
    passed: Vec<usize>,
    wrong: bool,
    /// The body was left, and that is an error.
    left: bool,
    /// Something led out of a state in which it must not be left.
    way_out: bool,
}

impl Walk<'_> {
    /// The sites at which something can happen to what is followed from one of them, if an error is among it.
    fn passed_behind(
        &mut self,
        start: usize,
        state: usize,
        only: Option<VarId>,
    ) -> Option<Vec<usize>> {
        let site = self.plan.sites[start];
        self.begin();
        let mut stack = Vec::new();
        let edges = self.body.edges().as_slice();
        // From where it starts only what comes behind is left to pass.
        for (at, edge) in edges.iter().enumerate() {
            let mine = if site.after { at } else { self.leads[at] };
            if mine == site.edge {
                let states = match site.after {
                    true => 1 << state,
                    false => self.pass(at, true, 1 << state),
                };
                if !overwrites(self.body, &edge.stmt, only) || site.after {
                    stack.push((edge.to, states));
                }
            }
        }
        self.walk(stack, only)
    }

    /// The same, from the beginning of the body.
    fn passed_from_the_start(&mut self, state: usize) -> Option<Vec<usize>> {
        self.begin();
        self.walk(vec![(self.body.entry, 1 << state)], None)
    }

    fn begin(&mut self) {
        self.seen.clear();
        self.seen.resize(self.body.node_count as usize, 0);
        self.found = Found::default();
    }

    fn walk(&mut self, mut stack: Vec<(NodeId, u64)>, only: Option<VarId>) -> Option<Vec<usize>> {
        while let Some((node, states)) = stack.pop() {
            let seen = &mut self.seen[node.index()];
            let new = states & !*seen;
            if new == 0 {
                continue;
            }
            *seen |= new;
            for (id, edge) in self.body.out_edges(node) {
                let at = id.index();
                let states = self.pass(self.leads[at], false, new);
                if overwrites(self.body, &edge.stmt, only) {
                    continue;
                }
                let states = self.pass(at, true, states);
                stack.push((edge.to, states));
            }
        }
        let mut found = std::mem::take(&mut self.found);
        if self.machine.shows_way_out && !found.way_out {
            let sites = &self.plan.sites;
            let leaves = |at: &usize| self.machine.effects[sites[*at].label].leaves;
            found.passed.retain(|at| !leaves(at));
        } else {
            found.wrong |= found.left;
        }
        let Found {
            mut passed, wrong, ..
        } = found;
        passed.sort_unstable();
        passed.dedup();
        let is_there = |label| passed.iter().any(|at| self.plan.sites[*at].label == label);
        let wanted = self.machine.needs.is_none_or(is_there);
        (wrong && wanted).then_some(passed)
    }

    /// The states behind the sites of an edge: a label may speak of the value, or of another one.
    fn pass(&mut self, edge: usize, after: bool, mut states: u64) -> u64 {
        for at in self.plan.at(edge, after) {
            let site = self.plan.sites[at];
            if !self.may_speak_of(at) {
                continue;
            }
            let Some(effect) = self.machine.effects.get(site.label) else {
                continue;
            };
            let mut more = 0;
            for state in (1..self.machine.states.len()).filter(|s| states >> s & 1 == 1) {
                match self.machine.next(state, site.label) {
                    Some(Next::State(to)) if to < 64 => {
                        more |= 1 << to;
                        self.found.way_out |= !effect.vague
                            && self.machine.must_not_leave(state)
                            && !self.machine.must_not_leave(to);
                    }
                    Some(Next::Error(_)) if effect.leaves => self.found.left = true,
                    Some(Next::Error(_)) => self.found.wrong = true,
                    _ => continue,
                }
                self.found.passed.push(at);
            }
            states |= more;
        }
        states
    }

    fn may_speak_of(&self, at: usize) -> bool {
        match (self.class, self.plan.sites[at].value.is_some()) {
            (Some(class), true) => self.classes[at] == Some(class),
            _ => true,
        }
    }
}

/// Does the statement give the variable another value?
fn overwrites(body: &Body, stmt: &Stmt, variable: Option<VarId>) -> bool {
    let Some(v) = variable else {
        return false;
    };
    let place = match stmt {
        Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
        Stmt::Call(call) => call.result,
        Stmt::Declare(w) | Stmt::End(w) => return *w == v,
        Stmt::Allocate { var, .. } => return *var == v,
        _ => None,
    };
    place.is_some_and(|p| body.places.get(p).and_then(Place::as_var) == Some(v))
}

impl Site {
    /// Does a start here wait for what the call gives?
    pub fn waits(&self) -> bool {
        self.outcome != Outcome::Any
    }
}
