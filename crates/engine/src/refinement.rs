//! The loop of path reduction (Fehnker, Huuck, Seefried, §4.1) inside level 2: search, check, observe,
//! search again.
//!
//! Orion gives up after an infeasible path (§3.2 of its paper). Here the path teaches: the conflicts of its
//! intervals, or the steps that a solver found to contradict each other, become observers, and the
//! next search leaves out all paths that they accept. It ends with a path that can be taken, with none
//! left (which is a proof), with a path that teaches nothing new, or with the budget. No observer is
//! made twice, and there are finitely many: so without a budget it would end, too.

use crate::tally::Refined;
use automata::hunt::{Hunt, NextAnswer};
use ir::{CheckId, EdgeId};
use reduction::{Abstraction, Learnt, Watch};
use std::sync::Arc;

/// How much is tried for one error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub rounds: usize,
    /// Edges of all paths that are judged: what long paths cost.
    pub edges: usize,
    /// States of one search, and of all.
    pub search: usize,
    pub states: usize,
    /// Systems of equations that are solved for one path.
    pub systems: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            rounds: 16,
            edges: 4000,
            search: 120,
            states: 1500,
            systems: 60,
        }
    }
}

/// What is known of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It cannot be taken: these steps contradict each other, if that is known.
    Infeasible(Option<Vec<usize>>),
    /// It can, or nobody knows.
    Other,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refinement {
    pub end: Refined,
    /// Searches.
    pub rounds: usize,
    /// Observers that were made: of intervals, and of cores.
    pub observers: (usize, usize),
    /// States of all searches.
    pub states: usize,
}

/// Refines the search for an error until something is known of it. `known`: paths that were found
/// before; `judge` is asked of every path that no observer refuses. Where a search takes too much, the next one stays where `inside`
/// says that a path to the error can still lead.
pub fn refine(
    hunt: &mut Hunt<'_>,
    abstraction: &Arc<Abstraction>,
    check: CheckId,
    known: &[Vec<EdgeId>],
    limits: Limits,
    inside: impl FnOnce() -> Option<Vec<bool>>,
    mut judge: impl FnMut(&[EdgeId]) -> Judged,
) -> Refinement {
    let mut refinement = Refinement {
        end: Refined::Refuted,
        rounds: 0,
        observers: (0, 0),
        states: 0,
    };
    let Some(edge) = hunt.edge_of(check) else {
        return refinement;
    };
    let mut watch = Watch::new(Arc::clone(abstraction), edge);
    let mut queue: Vec<Vec<EdgeId>> = known.to_vec();
    let mut edges = 0;
    let mut inside = Some(inside);
    hunt.stay_inside(None);
    refinement.end = loop {
        let path = match queue.pop() {
            Some(path) if watch.accepts(&path) => continue,
            Some(path) => path,
            None => {
                let left = limits.states.saturating_sub(refinement.states);
                if left == 0 || refinement.rounds == limits.rounds || edges > limits.edges {
                    break Refined::Budget;
                }
                let found = hunt.next(check, &watch, left.min(limits.search));
                refinement.states += found.states;
                refinement.rounds += 1;
                match found.answer {
                    NextAnswer::Path(path) => path,
                    NextAnswer::None => break Refined::Refuted,
                    NextAnswer::Latent => break Refined::Latent,
                    NextAnswer::Budget => {
                        // Not all of the body is worth a look (Abstract Error Projection, §7.1).
                        let Some(nodes) = inside.take().and_then(|inside| inside()) else {
                            break Refined::Budget;
                        };
                        hunt.stay_inside(Some(nodes));
                        continue;
                    }
                }
            }
        };
        edges += path.len();
        let Judged::Infeasible(core) = judge(&path) else {
            break Refined::Found;
        };
        let learnt = watch.learn(&path, core.as_deref(), limits.systems);
        refinement.observers.0 += learnt.conflicts;
        refinement.observers.1 += learnt.cores;
        if learnt == Learnt::default() {
            break Refined::Stuck;
        }
    };
    refinement
}
