//! Which functions, and in which order: those that are called before those that call them, and those of which neither is called by
//! the other side by side.

use super::{Dual, Fork};
use crate::special::{Constants, choices};
use crate::summary::Summary;
use ir::{CallGraph, FuncId};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl<'p> Dual<'p> {
    /// The functions whose summaries are needed for these, themselves among them: as far down as is followed, in order.
    pub fn below(&self, functions: &[FuncId]) -> Vec<FuncId> {
        let is_small = |f: FuncId| {
            let body = self.program.functions.get(f).and_then(|f| f.body.as_ref());
            body.is_some_and(|body| body.edges().len() <= self.settings.edges)
        };
        let mut seen: BTreeSet<FuncId> = BTreeSet::new();
        let mut level: Vec<FuncId> = functions.to_vec();
        let mut depth = 0;
        while !level.is_empty() && depth < self.settings.depth {
            depth += 1;
            let new: Vec<FuncId> = level
                .into_iter()
                .filter(|f| is_small(*f) && seen.insert(*f))
                .collect();
            let below = new.iter().flat_map(|f| self.graph.callees(*f));
            level = below.copied().collect();
        }
        seen.into_iter().collect()
    }

    /// Computes the summaries of these, and of those that they call.
    pub fn need(&mut self, functions: &[FuncId]) {
        let wanted = self.below(functions);
        let new = wanted.iter().filter(|f| !self.tried.contains_key(f));
        let mut components: Vec<usize> = new.map(|f| self.graph.component_of(*f)).collect();
        components.sort_unstable();
        components.dedup();
        let members = |at: &usize| -> Vec<FuncId> {
            let members = self.graph.components()[*at].iter().copied();
            members
                .filter(|f| wanted.binary_search(f).is_ok())
                .collect()
        };
        let components: Vec<Vec<FuncId>> = components.iter().map(members).collect();
        // What all may cost together is counted in order.
        if self.settings.total != u64::MAX {
            for members in components {
                self.need_special(&members);
                self.component(&members);
            }
            return;
        }
        for level in levels(self.graph, components) {
            self.need_special(&level.concat());
            self.side_by_side(level, Dual::component);
        }
    }

    /// What becomes of functions that call each other where no rest was found for all of them: each by itself, with the summaries of
    /// those that were done before it. Of the others nothing is known, which allows them anything: so what is said of it is true, if less.
    pub(super) fn one_by_one(&mut self, members: &[FuncId]) {
        for level in ways_down(self.graph, members) {
            let each = level.into_iter().map(|f| vec![f]);
            if self.settings.total == u64::MAX {
                self.side_by_side(each.collect(), Dual::alone);
            } else {
                each.for_each(|f| self.alone(&f));
            }
        }
    }

    /// Groups of functions of which none needs another, each with a context of its own.
    fn side_by_side(&mut self, groups: Vec<Vec<FuncId>>, analyse: fn(&mut Dual<'p>, &[FuncId])) {
        let workers: Vec<(Fork<'p>, Vec<FuncId>)> = groups
            .into_iter()
            .map(|members| (self.below_these(&members), members))
            .collect();
        let done: Vec<Fork<'p>> = workers
            .into_par_iter()
            .map(|(fork, members)| {
                let mut dual = fork.dual();
                analyse(&mut dual, &members);
                dual.fork()
            })
            .collect();
        let known = Arc::make_mut(&mut self.known);
        let tried = Arc::make_mut(&mut self.tried);
        for fork in done {
            for (f, effort) in fork.tried.iter() {
                known.extend(fork.known.get(f).map(|summary| (*f, summary.clone())));
                tried.insert(*f, effort.clone());
            }
        }
    }

    /// What is needed for these functions, and nothing else: the summaries of those that they call.
    fn below_these(&self, members: &[FuncId]) -> Fork<'p> {
        let called = members.iter().flat_map(|f| self.graph.callees(*f));
        let called: Vec<FuncId> = called.copied().collect();
        let known = called
            .iter()
            .filter_map(|f| Some((*f, self.known.get(f)?.clone())));
        Fork {
            program: self.program,
            graph: self.graph,
            settings: self.settings,
            known: Arc::new(known.collect()),
            special: Arc::new(self.special.only(&called)),
            tried: Arc::default(),
        }
    }

    /// Computes the summaries for constants that these functions pass where they call others ([`crate::special`]): of those that
    /// can fail, and do not call themselves.
    pub fn need_special(&mut self, callers: &[FuncId]) {
        let program = self.program;
        let bodies = callers.iter().filter_map(|f| program.functions.get(*f));
        let bodies = bodies.filter_map(|f| f.body.as_ref());
        let asked: BTreeSet<(FuncId, Constants)> =
            bodies.flat_map(|body| choices(program, body)).collect();
        let mut work: Vec<(Fork<'p>, FuncId, Constants)> = Vec::new();
        for (f, constants) in asked {
            let known = self.known.get(&f);
            let fails = known.is_some_and(|summary| !summary.fails.is_empty());
            if !fails || self.graph.is_recursive(f) || !self.special.wants(f, &constants) {
                continue;
            }
            let special = Arc::make_mut(&mut self.special);
            special.insert(f, constants.clone(), None);
            // What all may cost together is counted in order.
            if self.settings.total != u64::MAX {
                let summary = self.for_constants(f, &constants);
                Arc::make_mut(&mut self.special).insert(f, constants, summary);
            } else {
                work.push((self.below_these(&[f]), f, constants));
            }
        }
        let done: Vec<(FuncId, Constants, Option<Arc<Summary>>)> = work
            .into_par_iter()
            .map(|(fork, f, constants)| {
                let summary = fork.dual().for_constants(f, &constants);
                (f, constants, summary)
            })
            .collect();
        for (f, constants, summary) in done {
            Arc::make_mut(&mut self.special).insert(f, constants, summary);
        }
    }
}

/// Functions of one component by how many of it are below them, calls that lead back to a caller left out: in one level nobody waits for
/// anybody.
fn ways_down(graph: &CallGraph, members: &[FuncId]) -> Vec<Vec<FuncId>> {
    let own: BTreeSet<FuncId> = members.iter().copied().collect();
    // None: begun, and not done.
    let mut level: BTreeMap<FuncId, Option<usize>> = BTreeMap::new();
    let mut levels: Vec<Vec<FuncId>> = Vec::new();
    for first in members {
        let mut stack = vec![(*first, 0)];
        while let Some((f, next)) = stack.pop() {
            if next == 0 {
                if level.contains_key(&f) {
                    continue;
                }
                level.insert(f, None);
            }
            let callees = graph.callees(f);
            if let Some(callee) = callees.get(next) {
                stack.push((f, next + 1));
                if own.contains(callee) {
                    stack.push((*callee, 0));
                }
                continue;
            }
            let below = callees.iter().filter_map(|g| *level.get(g)?);
            let height = below.max().map_or(0, |highest| highest + 1);
            level.insert(f, Some(height));
            if levels.len() <= height {
                levels.resize_with(height + 1, Vec::new);
            }
            levels[height].push(f);
        }
    }
    levels
}

/// The components by how many others are below them, those at the bottom first: in one level nobody calls anybody.
fn levels(graph: &CallGraph, components: Vec<Vec<FuncId>>) -> Vec<Vec<Vec<FuncId>>> {
    let mut height: BTreeMap<usize, usize> = BTreeMap::new();
    let mut levels: Vec<Vec<Vec<FuncId>>> = Vec::new();
    // Callees come first.
    for members in components {
        let Some(own) = members.first().map(|f| graph.component_of(*f)) else {
            continue;
        };
        let called = members.iter().flat_map(|f| graph.callees(*f));
        let below = called.filter_map(|f| height.get(&graph.component_of(*f)));
        let level = below.max().map_or(0, |highest| highest + 1);
        height.insert(own, level);
        if levels.len() <= level {
            levels.resize_with(level + 1, Vec::new);
        }
        levels[level].push(members);
    }
    levels
}
