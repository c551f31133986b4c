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

use super::automaton::{Automaton, Target};
use super::label::{Outcome, Site};
use super::related::{Class, Related};
use crate::instrument::is_one_step;
use ir::arena::Id;
use ir::{Body, Edge, Place, Stmt, VarId};

/// A statement whose value is followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// The number of its site.
    pub start: usize,
    /// The state in which it starts.
    pub state: usize,
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
    pub fn of(automaton: &Automaton, body: &Body, mut sites: Vec<Site>) -> Plan {
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
        let starts = is(&|label| automaton.started_by(label).is_some());
        let errs = is(&|label| automaton.errors_on(label).next().is_some());
        if starts && errs {
            plan.follow(automaton, body, &leads);
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

    fn follow(&mut self, automaton: &Automaton, body: &Body, leads: &[usize]) {
        let edges = body.edges().as_slice();
        let mut related = Related::of(body, edges);
        let classes: Vec<Option<Class>> = self
            .sites
            .iter()
            .map(|s| s.value.and_then(|v| related.class(v)))
            .collect();
        let mut walk = Walk {
            automaton,
            body,
            leads,
            plan: self,
            classes: &classes,
            seen: Vec::new(),
        };
        let mut instances = Vec::new();
        for (start, site) in walk.plan.sites.iter().enumerate() {
            let Some(state) = automaton.started_by(site.label) else {
                continue;
            };
            if site.value.is_some() && classes[start].is_none() {
                continue;
            }
            let only = classes[start].and_then(|c| related.only_variable(c));
            let passes = walk.passes(start, state, only);
            if let Some(passes) = passes {
                instances.push(Instance {
                    start,
                    state,
                    passes,
                });
            }
            if instances.len() == INSTANCES {
                break;
            }
        }
        self.instances = instances;
    }
}

/// What can happen to the value of one instance, by a walk over nodes and states.
struct Walk<'a> {
    automaton: &'a Automaton,
    body: &'a Body,
    leads: &'a [usize],
    plan: &'a Plan,
    classes: &'a [Option<Class>],
    /// Per node the states in which it was reached, as bits.
    seen: Vec<u64>,
}

impl Walk<'_> {
    /// The sites at which something can happen, if an error is among it.
    fn passes(&mut self, start: usize, state: usize, only: Option<VarId>) -> Option<Vec<usize>> {
        let site = self.plan.sites[start];
        self.seen.clear();
        self.seen.resize(self.body.node_count as usize, 0);
        let mut passed = Vec::new();
        let mut wrong = false;
        let mut stack = Vec::new();
        let edges = self.body.edges().as_slice();
        // From where it starts only what comes behind is left to pass.
        for (at, edge) in edges.iter().enumerate() {
            let mine = if site.after { at } else { self.leads[at] };
            if mine == site.edge {
                let states = match site.after {
                    true => 1 << state,
                    false => self.pass(start, at, true, 1 << state, &mut passed, &mut wrong),
                };
                if !overwrites(self.body, &edge.stmt, only) || site.after {
                    stack.push((edge.to, states));
                }
            }
        }
        while let Some((node, states)) = stack.pop() {
            let seen = &mut self.seen[node.index()];
            let new = states & !*seen;
            if new == 0 {
                continue;
            }
            *seen |= new;
            for (id, edge) in self.body.out_edges(node) {
                let at = id.index();
                let lead = self.leads[at];
                let states = self.pass(start, lead, false, new, &mut passed, &mut wrong);
                if overwrites(self.body, &edge.stmt, only) {
                    continue;
                }
                let states = self.pass(start, at, true, states, &mut passed, &mut wrong);
                stack.push((edge.to, states));
            }
        }
        passed.sort_unstable();
        passed.dedup();
        let is_there = |label| passed.iter().any(|at| self.plan.sites[*at].label == label);
        let wanted = self.automaton.needs.is_none_or(is_there);
        (wrong && wanted).then_some(passed)
    }

    /// The states behind the sites of an edge: a label may speak of the value, or of another one.
    fn pass(
        &self,
        start: usize,
        edge: usize,
        after: bool,
        mut states: u64,
        passed: &mut Vec<usize>,
        wrong: &mut bool,
    ) -> u64 {
        for at in self.plan.at(edge, after) {
            let site = self.plan.sites[at];
            if !self.may_speak_of(start, at) {
                continue;
            }
            let mut more = 0;
            for state in (1..self.automaton.states.len()).filter(|s| states >> s & 1 == 1) {
                match self.automaton.next(state, site.label) {
                    Some(Target::State(to)) if to < 64 => more |= 1 << to,
                    Some(Target::Error) => *wrong = true,
                    _ => continue,
                }
                passed.push(at);
            }
            states |= more;
        }
        states
    }

    fn may_speak_of(&self, start: usize, at: usize) -> bool {
        let valued = |site: usize| self.plan.sites[site].value.is_some();
        match (valued(start), valued(at)) {
            (true, true) => self.classes[at].is_some() && self.classes[start] == self.classes[at],
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
