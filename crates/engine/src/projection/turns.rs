//! Paths that turn a loop more often.
//!
//! Witnesses are shortest paths: they leave loops as soon as the facts allow, and facts do not count. A run may have to turn
//! five times before it can leave. So from a path that cannot be taken others are made, turn by turn, at the loops whose tests are part of the contradiction: of
//! the ways round the loop (one through each of its branches) those that level 2 lets a run begin with. A loop over a constant
//! number has one way in each turn, and is gone through as an interpreter would. What is tried is counted.

use super::trial::{Said, Trial, root_of};
use crate::ErrorPath;
use ir::{Body, Edge, EdgeId, NodeId, Stmt};
use std::collections::{BTreeSet, VecDeque};

/// Turns more of one loop.
const TURNS: usize = 12;
/// Paths that are put to level 2 for one line.
const TRIED: usize = 120;
/// Ways round one loop.
const WAYS: usize = 4;
/// Loops of one path.
const LOOPS: usize = 4;
/// Edges of a path.
const LONGEST: usize = 2000;

/// A path like this one that a run can take, with its inputs. `tried` counts for all calls together.
pub(super) fn longer(
    trial: &mut Trial<'_, '_>,
    body: &Body,
    error: &ErrorPath,
    core: &[usize],
    tried: &mut usize,
) -> Option<ErrorPath> {
    let root = root_of(error);
    for (at, ways) in loops(body, &error.path, core) {
        let (before, after) = error.path.split_at(at);
        let mut waiting: Vec<(usize, Vec<EdgeId>)> = vec![(0, before.to_vec())];
        while let Some((turns, before)) = waiting.pop() {
            // The first way is looked at first: it goes on top.
            let mut next = Vec::new();
            for way in &ways {
                if *tried >= TRIED || before.len() + way.len() + after.len() > LONGEST {
                    break;
                }
                *tried += 1;
                let turned: Vec<EdgeId> = before.iter().chain(way).copied().collect();
                if !trial.can_begin(root, body, turned.clone()) {
                    continue;
                }
                let path = turned.iter().chain(after).copied().collect();
                let mut longer = ErrorPath {
                    path,
                    ..error.clone()
                };
                *tried += 1;
                if let Said::Feasible(when) = trial.judge(&longer) {
                    longer.when = when;
                    return Some(longer);
                }
                if turns + 1 < TURNS {
                    next.push((turns + 1, turned));
                }
            }
            waiting.extend(next.into_iter().rev());
        }
    }
    None
}

/// Where the path could turn more often, and how; loops with a test that is part of the contradiction first.
fn loops(body: &Body, path: &[EdgeId], core: &[usize]) -> Vec<(usize, Vec<Vec<EdgeId>>)> {
    let tests = |step: &usize| {
        let edge = path.get(*step).and_then(|e| body.edges().get(*e));
        edge.is_some_and(|edge| matches!(edge.stmt, Stmt::Assume(_)))
    };
    let core = core.iter().rev().copied();
    let order = core.chain((0..path.len()).rev()).filter(tests);
    let mut seen: BTreeSet<NodeId> = BTreeSet::new();
    let mut all = Vec::new();
    for step in order {
        let Some(edge) = path.get(step).and_then(|e| body.edges().get(*e)) else {
            continue;
        };
        if seen.insert(edge.from) {
            let ways = round(body, edge.from);
            if !ways.is_empty() {
                all.push((step, ways));
            }
        }
        if all.len() == LOOPS {
            break;
        }
    }
    all
}

/// Ways from a node back to it, the shortest first: through each branch that leads back, the shortest.
fn round(body: &Body, node: NodeId) -> Vec<Vec<EdgeId>> {
    let out = |at: NodeId| -> Vec<EdgeId> { body.out_edges(at).map(|(id, _)| id).collect() };
    let into = body.in_edges();
    let into = |at: NodeId| into.get(at.0 as usize).cloned().unwrap_or_default();
    let there = Nearest::of(body, node, out, |edge| edge.to);
    let back = Nearest::of(body, node, into, |edge| edge.from);
    let mut branches: Vec<(usize, EdgeId)> = Vec::new();
    for (id, edge) in body.edges().iter() {
        if let Stmt::Assume(_) = edge.stmt
            && let (Some(there), Some(back)) = (there.distance(edge.from), back.distance(edge.to))
        {
            branches.push((there + 1 + back, id));
        }
    }
    branches.sort_unstable();
    let mut ways: Vec<Vec<EdgeId>> = Vec::new();
    for (_, id) in branches {
        let edge = &body.edges()[id];
        let mut way = there.way(body, edge.from, |edge| edge.from);
        way.reverse();
        way.push(id);
        way.extend(back.way(body, edge.to, |edge| edge.to));
        // Once round, not twice.
        let visits = way.iter().filter(|e| body.edges()[**e].from == node);
        if visits.count() == 1 && !ways.contains(&way) {
            ways.push(way);
        }
        if ways.len() == WAYS {
            break;
        }
    }
    ways
}

/// The shortest ways between a node and all others, in one direction.
struct Nearest {
    /// How far, and by which edge; none if it cannot be come to.
    by: Vec<Option<(usize, Option<EdgeId>)>>,
}

impl Nearest {
    fn of(
        body: &Body,
        node: NodeId,
        edges: impl Fn(NodeId) -> Vec<EdgeId>,
        end: impl Fn(&Edge) -> NodeId,
    ) -> Nearest {
        let mut by = vec![None; body.node_count as usize];
        let mut waiting = VecDeque::from([(node, 0, None)]);
        while let Some((at, distance, edge)) = waiting.pop_front() {
            match by.get_mut(at.0 as usize) {
                Some(nearest @ None) => *nearest = Some((distance, edge)),
                _ => continue,
            }
            for id in edges(at) {
                waiting.push_back((end(&body.edges()[id]), distance + 1, Some(id)));
            }
        }
        Nearest { by }
    }

    fn distance(&self, node: NodeId) -> Option<usize> {
        let nearest = self.by.get(node.0 as usize)?;
        nearest.map(|(distance, _)| distance)
    }

    /// The edges from here to the node that it began with.
    fn way(&self, body: &Body, mut at: NodeId, next: impl Fn(&Edge) -> NodeId) -> Vec<EdgeId> {
        let mut way = Vec::new();
        while let Some(Some((_, Some(edge)))) = self.by.get(at.0 as usize) {
            way.push(*edge);
            at = next(&body.edges()[*edge]);
        }
        way
    }
}
