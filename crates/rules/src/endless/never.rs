//! Loops that change something in every turn and never end all the same: from where, and which loops are asked.
//!
//! Most loops have a way out that their numbers can take, or count to a limit: that is seen at once ([`super::ways_out`]). The others become functions of their numbers
//! ([`super::numbers`]), and [`Loops`] says with which of these they never come back. The condition is checked
//! where the loop leads back, and if something else can go wrong in the loop not by every run: what does in a later turn still does ([`super::weave`]).
//!
//! A call of which nobody knows whether it comes back may be how the loop ends. One that does come back is no end; but a loop that works
//! for others may be meant to go on (`while (running)`), so such a loop must be one that no number ends, and count.

use super::callees::Callees;
use super::loops::{Cases, Loops};
use super::matters::{Matters, Writes, edges, writes};
use super::numbers::{function, numbers, reads_only};
use super::turn::is_entered_elsewhere;
use super::ways_out::WayOut;
use ir::flow::Loop;
use ir::{Body, Edge, EdgeId, HavocReason, NodeId, Program, Span, Stmt, VarId};
use std::collections::BTreeSet;

/// A loop that never ends from some states.
#[derive(Debug)]
pub(super) struct Never {
    pub head: NodeId,
    /// The edges by which it leads back.
    pub back: BTreeSet<EdgeId>,
    /// From which states: bounds on these variables.
    pub cases: Cases,
    pub variables: Vec<VarId>,
    /// Something else can go wrong in it, in a turn that comes later.
    pub may_fail: bool,
    /// The test that would end it.
    pub span: Span,
}

impl Never {
    pub fn always(&self) -> bool {
        self.cases.iter().any(Vec::is_empty)
    }

    pub fn of(
        program: &Program,
        body: &Body,
        callees: &Callees,
        loops: &dyn Loops,
        one: &Loop,
    ) -> Option<Never> {
        let types = &program.types;
        let is_left = |e: &&Edge| !one.nodes.contains(&e.to);
        let mut ways_out = edges(body, one).filter(is_left);
        let first = ways_out.next()?;
        // What is no test may happen, whatever the numbers are.
        let is_test = |e: &Edge| matches!(e.stmt, Stmt::Assume(_));
        if !is_test(first) || !ways_out.all(is_test) || is_entered_elsewhere(body, one) {
            return None;
        }
        let goes_on = |e: &Edge| match &e.stmt {
            Stmt::Call(call) => callees.comes_back(types, body, call),
            Stmt::Resume(_) | Stmt::Trap(_) | Stmt::LandingPad { .. } => false,
            Stmt::Havoc { reason, .. } => *reason != HavocReason::InlineAssembly,
            _ => true,
        };
        if !edges(body, one).all(goes_on) {
            return None;
        }
        let turning: BTreeSet<VarId> = edges(body, one)
            .filter_map(|e| match writes(body, &e.stmt) {
                Writes::Variable(v) => Some(v),
                _ => None,
            })
            .collect();
        let way = WayOut {
            types,
            body,
            one,
            turning: &turning,
        };
        if edges(body, one).filter(is_left).any(|e| way.is_open(e)) {
            return None;
        }
        let matters = Matters::of(body, callees, one);
        let numbers = numbers(types, body, &matters);
        let decides = |e: &Edge| reads_only(body, &e.stmt, &numbers);
        if !edges(body, one).filter(is_left).all(decides) {
            return None;
        }
        let carried: Vec<VarId> = numbers
            .iter()
            .copied()
            .filter(|v| matters.is_carried(body, one, *v))
            .collect();
        if !carried.iter().any(|v| turning.contains(v)) {
            return None;
        }
        let only_computes = |e: &Edge| match &e.stmt {
            Stmt::Call(call) => callees.compute(call.callee),
            _ => true,
        };
        let works = !edges(body, one).all(only_computes);
        let alone = function(body, one, &numbers, &carried)?;
        let mut cases = loops.never_ends(program, &alone);
        if works {
            cases.retain(Vec::is_empty);
        }
        if cases.is_empty() {
            return None;
        }
        let back = body.edges().iter();
        let back = back.filter(|(_, e)| e.to == one.head && one.nodes.contains(&e.from));
        Some(Never {
            head: one.head,
            back: back.map(|(id, _)| id).collect(),
            cases,
            variables: carried,
            may_fail: edges(body, one).any(|e| matches!(e.stmt, Stmt::Check(_) | Stmt::Call(_))),
            span: first.span,
        })
    }
}
