//! The question of level 2, for all error paths of a function.
//!
//! Paths of one function share long prefixes. They are walked in lexicographic order; where the next one
//! leaves the last, the state is put aside, so that a shared prefix is walked once, and its facts
//! are given to the prover once.

use crate::path::Path;
use crate::start::Start;
use automata::Context;
use ir::{Body, EdgeId, FuncId};
use logic::{Answer, Label, Model, Prover, Unknown};

/// What became of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It can happen, with these values.
    Feasible(Model),
    /// It cannot: these steps contradict each other, in ascending order; says who.
    Infeasible(Vec<Label>, Refuter),
    Undecided(Unknown),
}

/// Who says that a path cannot happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refuter {
    /// Nobody had to be asked: a fact is false as it stands.
    Walk,
    Builtin,
    Solver,
}

/// A state that was put aside, with how much of the path and of the facts it has.
struct Saved<'p> {
    steps: usize,
    path: Path<'p>,
}

/// Judges paths that begin at the function's entry and end with the edge of a check that fails.
/// `each` is told of every path, by its index, with its formula; in the order of the walk.
pub fn judge<'p>(
    context: &'p Context<'p>,
    function: FuncId,
    body: &'p Body,
    paths: &[Vec<EdgeId>],
    prover: &mut dyn Prover,
    budget: u64,
    each: impl FnMut(usize, &Path<'p>, Judgement),
) {
    let start = (Start::Called, function);
    judge_from(context, start, body, paths, prover, budget, each);
}

/// The same where more may be known of the beginning.
pub fn judge_from<'p>(
    context: &'p Context<'p>,
    (start, function): (Start, FuncId),
    body: &'p Body,
    paths: &[Vec<EdgeId>],
    prover: &mut dyn Prover,
    budget: u64,
    mut each: impl FnMut(usize, &Path<'p>, Judgement),
) {
    let mut order: Vec<usize> = (0..paths.len()).collect();
    order.sort_by(|a, b| paths[*a].cmp(&paths[*b]));
    prover.reset();
    let mut path = Path::new(context, function, body);
    path.begin(start);
    for &(label, fact) in &path.facts {
        prover.assert(&path.pool, label, fact);
    }
    let mut saved: Vec<Saved<'p>> = vec![Saved { steps: 0, path }];
    for (n, &index) in order.iter().enumerate() {
        let edges = &paths[index];
        let shared = match order.get(n + 1) {
            Some(&next) => common(edges, &paths[next]),
            None => 0,
        };
        // The last edge is a check that fails here and holds for whoever goes on.
        let shared = shared.min(edges.len().saturating_sub(1));
        let before = n
            .checked_sub(1)
            .map_or(0, |i| common(&paths[order[i]], edges));
        while saved.last().is_some_and(|s| s.steps > before) {
            let gone = saved.pop();
            prover.pop();
            // Terms of all paths live in one pool, which only grows.
            if let (Some(gone), Some(top)) = (gone, saved.last_mut()) {
                top.path.pool = gone.path.pool;
            }
        }
        let Some(top) = saved.last_mut() else { return };
        let start = top.steps;
        let mut path = top.path.clone_without_pool();
        path.pool = std::mem::take(&mut top.path.pool);
        let mut stood = path.facts.len();
        let mut step = start;
        if shared > start {
            path.steps(edges, start..shared);
            step = shared;
            prover.push();
            for &(label, fact) in &path.facts[stood..] {
                prover.assert(&path.pool, label, fact);
            }
            stood = path.facts.len();
            saved.push(Saved {
                steps: shared,
                path: path.clone_without_pool(),
            });
        }
        path.steps(edges, step..edges.len());
        let judgement =
            if let Some(&(label, _)) = path.facts.last().filter(|_| path.is_contradictory()) {
                Judgement::Infeasible(vec![label], Refuter::Walk)
            } else {
                prover.push();
                for &(label, fact) in &path.facts[stood..] {
                    prover.assert(&path.pool, label, fact);
                }
                let answer = prover.check(&path.pool, budget);
                prover.pop();
                match answer {
                    Answer::Satisfiable(model) => Judgement::Feasible(model),
                    Answer::Unsatisfiable(mut core) => {
                        core.dedup();
                        let by = match prover.is_builtin() {
                            true => Refuter::Builtin,
                            false => Refuter::Solver,
                        };
                        Judgement::Infeasible(core, by)
                    }
                    Answer::Unknown(why) => Judgement::Undecided(why),
                }
            };
        each(index, &path, judgement);
        if let Some(top) = saved.last_mut() {
            top.path.pool = std::mem::take(&mut path.pool);
        }
    }
}

fn common(a: &[EdgeId], b: &[EdgeId]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Could the path be taken if its loops ran on for as long as they need to? For a path that leaves a
/// loop sooner than it can be left: each loop on it is taken for any number of turns, after which
/// whatever it writes is unknown. Only for errors that have nothing to do with what a loop computes:
/// where the failing check depends on it, the answer is no.
pub fn feasible_around_loops<'p>(
    context: &'p Context<'p>,
    function: FuncId,
    body: &'p Body,
    edges: &[EdgeId],
    prover: &mut dyn Prover,
    budget: u64,
) -> bool {
    // The last turn is one that a run takes, too: `i` ran on for as long as `i < n` was true. But what it writes is the loop's.
    [false, true].into_iter().all(|ends| {
        let path = around_loops(context, function, body, edges, ends);
        if path.is_contradictory() || !ends && path.depends_on_loop() {
            return false;
        }
        prover.reset();
        for &(label, fact) in &path.facts {
            prover.assert(&path.pool, label, fact);
        }
        matches!(prover.check(&path.pool, budget), Answer::Satisfiable(_))
    })
}

/// The path with loops that run on; it `ends` each with its last turn as it is.
fn around_loops<'p>(
    context: &'p Context<'p>,
    function: FuncId,
    body: &'p Body,
    edges: &[EdgeId],
    ends: bool,
) -> Path<'p> {
    let mut path = Path::new(context, function, body);
    let mut at = 0;
    let repeats = (0..edges.len()).any(|at| same_turns(body, edges, at).is_some());
    while at < edges.len() {
        let node = body.edges()[edges[at]].from;
        let again = match repeats {
            true => same_turns(body, edges, at),
            false => edges.iter().rposition(|e| body.edges()[*e].from == node),
        };
        match again {
            Some(again) if again > at => {
                // The first turn is one that a run takes, with all that it tests.
                let turn = edges[at + 1..again].iter();
                let mut turn = turn.map(|e| body.edges()[*e].from);
                let first = turn.position(|n| n == node).map_or(again, |n| at + 1 + n);
                path.steps(edges, at..first);
                path.any_turns(&edges[at..again]);
                if ends {
                    let mut last = edges[at..again].iter();
                    let last = last.rposition(|e| body.edges()[*e].from == node);
                    path.steps(edges, last.map_or(again, |n| at + n)..again);
                }
                path.leave_loop(again);
                at = again;
            }
            _ => {
                path.steps(edges, at..at + 1);
                at += 1;
            }
        }
    }
    path
}

/// Where turns of a loop end that begin here and are all the same; none if there are not several.
fn same_turns(body: &Body, edges: &[EdgeId], at: usize) -> Option<usize> {
    let node = body.edges()[edges[at]].from;
    let visits = edges[at + 1..].iter();
    let length = 1 + visits
        .into_iter()
        .position(|e| body.edges()[*e].from == node)?;
    let turn = &edges[at..at + length];
    let mut end = at + length;
    while edges.get(end..end + length) == Some(turn) {
        end += length;
    }
    (end >= at + SAME_TURNS * length).then_some(end)
}

/// Of fewer turns that are the same nothing follows.
const SAME_TURNS: usize = 3;
