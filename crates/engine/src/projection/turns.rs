//! Paths that turn a loop more often.
//!
//! Witnesses are shortest paths: they leave loops as soon as the facts allow, and facts do not count. A run may have to turn
//! five times before it can leave. So from a path that cannot be taken others are made, turn by turn, at the loops whose tests are part of the contradiction: of
//! the ways round the loop (one through each of its branches) those that level 2 lets a run begin with. A loop over a constant
//! number has one way in each turn, and is gone through as an interpreter would. What is tried is counted.

use super::trial::{Said, Trial, root_of};
use crate::ErrorPath;
use ir::{Body, EdgeId, NodeId, Stmt};
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
    let mut ways: Vec<Vec<EdgeId>> = Vec::new();
    for (id, edge) in body.edges().iter() {
        if !matches!(edge.stmt, Stmt::Assume(_)) {
            continue;
        }
        let Some(mut way) = shortest(body, node, edge.from) else {
            continue;
        };
        let Some(back) = shortest(body, edge.to, node) else {
            continue;
        };
        way.push(id);
        way.extend(back);
        // Once round, not twice.
        let visits = way.iter().filter(|e| body.edges()[**e].from == node);
        if visits.count() == 1 && !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways.sort_by_key(Vec::len);
    ways.truncate(WAYS);
    ways
}

/// The shortest way from a node to another.
fn shortest(body: &Body, from: NodeId, to: NodeId) -> Option<Vec<EdgeId>> {
    let mut came: Vec<Option<EdgeId>> = vec![None; body.node_count as usize];
    let mut seen: BTreeSet<NodeId> = BTreeSet::from([from]);
    let mut waiting = VecDeque::from([from]);
    while let Some(node) = waiting.pop_front() {
        if node == to {
            let mut way = Vec::new();
            let mut at = node;
            while at != from {
                let edge = (*came.get(at.0 as usize)?)?;
                way.push(edge);
                at = body.edges().get(edge)?.from;
            }
            way.reverse();
            return Some(way);
        }
        for (id, edge) in body.out_edges(node) {
            if seen.insert(edge.to) {
                *came.get_mut(edge.to.0 as usize)? = Some(id);
                waiting.push_back(edge.to);
            }
        }
    }
    None
}
