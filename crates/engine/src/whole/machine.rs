//! A program as a recursive state machine, for [`inter`]: what is asked of whom, and in which order.
//!
//! Every function has three machines.
//!
//! Its **summary** machine gets, one call after the other, the summaries of the functions that it calls and
//! that are analysed before it; then one statement analyses the body, and the summary is where it exits.
//! What it was told on the way leaves by the exceptional exit. Calls lead to earlier functions only: every
//! summary machine is a component of its own, and a change ends where the summary comes out as before.
//!
//!     entry ─call g₁→ ∘ ─call g₂→ ∘ … ─analyse→ exit
//!                                    └─told────→ exceptional exit
//!
//! Its **root** machine is entered from outside, in the state of which nothing is known. It asks the summary
//! machine what is known of callees, analyses the body, and enters whom it calls in states that matter. Its
//! **context** machine is the same for the states in which callers enter it:
//!
//!     entry ─call summary→ ∘ ─analyse→ ∘ ─call contexts of the callees→ exit

use super::ahead::Ahead;
use super::digest::Digest;
use super::level1::Level1;
use crate::schedule::Schedule;
use inter::{Action, Edge, EdgeKey, FunctionId, NodeId, Shape};
use ir::FuncId;
use ir::arena::Id;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which of the machines of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Summary,
    Root,
    Context,
}

/// Machines of a function.
const KINDS: u32 = 3;

/// The machine of a function by its number.
pub(crate) fn machine_of(number: u32, kind: Kind) -> FunctionId {
    FunctionId(KINDS * number + kind as u32)
}

/// Whose machine it is, and which.
pub(crate) fn whose(machine: FunctionId) -> (u32, Kind) {
    let kind = match machine.0 % KINDS {
        0 => Kind::Summary,
        1 => Kind::Root,
        _ => Kind::Context,
    };
    (machine.0 / KINDS, kind)
}

/// Keys of edges that depend on nothing but states.
const CALL: EdgeKey = EdgeKey(1);
const TOLD: EdgeKey = EdgeKey(2);

/// The machines of a program.
pub(crate) struct Machines {
    shapes: Vec<Option<Arc<Shape>>>,
    roots: Vec<FunctionId>,
}

impl Machines {
    pub fn new(level1: &Level1<'_, '_>, schedule: &Schedule, ahead: &Ahead) -> Machines {
        let Level1 {
            context,
            numbers,
            keys,
            contexts,
            ..
        } = level1;
        let program = context.program;
        let mut shapes = vec![None; KINDS as usize * numbers.functions.len()];
        let mut roots = Vec::new();
        let machine = |f: FuncId, kind| Some(machine_of(numbers.of[f.index()]?, kind));
        for (f, ..) in program.bodies() {
            let Some(number) = numbers.of[f.index()] else {
                continue;
            };
            let [summary, root, entered] =
                [Kind::Summary, Kind::Root, Kind::Context].map(|kind| machine_of(number, kind));
            let key = EdgeKey(keys[f.index()]);
            let before = schedule.before[f.index()].iter();
            let before = before.filter_map(|g| machine(*g, Kind::Summary));
            shapes[summary.0 as usize] = summary_machine(before.collect(), key);
            let contexts_of = |all: BTreeSet<u32>| -> Vec<FunctionId> {
                let all = all.into_iter();
                all.map(|g| machine_of(g, Kind::Context)).collect()
            };
            if let Some(result) = &ahead.results[f.index()] {
                let callees = contexts_of(contexts.entered_by_root(result));
                let into = EdgeKey(contexts.of_root(result));
                shapes[root.0 as usize] = entered_machine(summary, callees, key, into);
            }
            let callees = contexts_of(contexts.entered_by(number));
            let into = EdgeKey(contexts.of_contexts(number));
            let analysed = EdgeKey(Digest::default().wide(key.0).wide(into.0).finish());
            shapes[entered.0 as usize] = entered_machine(summary, callees, analysed, into);
            roots.push(root);
        }
        Machines { shapes, roots }
    }
}

fn call(source: u32, target: u32, targets: Vec<FunctionId>, unwind: Option<u32>) -> Edge {
    Edge {
        source: NodeId(source),
        target: NodeId(target),
        key: CALL,
        action: Action::Call {
            targets,
            unwind: unwind.map(NodeId),
        },
    }
}

fn statement(source: u32, target: u32, key: EdgeKey) -> Edge {
    Edge {
        source: NodeId(source),
        target: NodeId(target),
        key,
        action: Action::Statement,
    }
}

fn summary_machine(before: Vec<FunctionId>, key: EdgeKey) -> Option<Arc<Shape>> {
    let last = before.len() as u32;
    let mut edges: Vec<Edge> = before
        .into_iter()
        .zip(0..)
        .map(|(g, at)| call(at, at + 1, vec![g], None))
        .collect();
    let (exit, told) = (last + 1, last + 2);
    edges.push(statement(last, exit, key));
    edges.push(statement(last, told, TOLD));
    let shape = Shape::new(last + 3, NodeId(0), NodeId(exit), Some(NodeId(told)), edges);
    shape.ok().map(Arc::new)
}

/// `into`: what becomes of the calls.
fn entered_machine(
    summary: FunctionId,
    callees: Vec<FunctionId>,
    key: EdgeKey,
    into: EdgeKey,
) -> Option<Arc<Shape>> {
    // What the summary is does not matter here, only what it was made of.
    let edges = vec![
        call(0, 3, vec![summary], Some(1)),
        statement(1, 2, key),
        Edge {
            key: into,
            ..call(2, 3, callees, None)
        },
    ];
    let shape = Shape::new(4, NodeId(0), NodeId(3), None, edges);
    shape.ok().map(Arc::new)
}

impl inter::Machine for Machines {
    fn functions(&self) -> usize {
        self.shapes.len()
    }

    fn shape(&self, function: FunctionId) -> Option<&Arc<Shape>> {
        self.shapes.get(function.0 as usize)?.as_ref()
    }

    fn roots(&self) -> Vec<FunctionId> {
        self.roots.clone()
    }
}
