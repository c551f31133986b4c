//! All that level 1 is asked about a function before there are rules: functions do not wait for each other.
//!
//! What an edge does is a matter of its function alone, so functions are looked at in parallel. What comes of it are cases in
//! terms of facts, in which no state of level 1 is left; [`crate::building`] makes rules of them, in one order.

use crate::choose::{Chosen, Fact, Told};
use crate::cut::Cut;
use crate::question::{Limits, Question};
use crate::reads::Reads;
use crate::relate::{Case, Cube, FactNo, Relating, Relation};
use crate::ways::{Calls, Way};
use automata::everywhere::everywhere;
use automata::{Answer, Context, Plan};
use ir::arena::Id;
use ir::{Callee, CheckId, Condition, EdgeId, ExprId, PlaceId, Stmt};
use std::collections::BTreeMap;

/// Answers to questions, for each cube.
pub type Answers = Vec<(Cube, Vec<Option<bool>>)>;

/// What a call of a function that is entered passes on.
pub struct Passed {
    /// What arguments say of parameters.
    pub told: Answers,
    /// What is made of the result, and which facts that changes.
    pub back: (Vec<(Case, Vec<bool>)>, Vec<FactNo>),
}

/// What the edges of a function do to facts.
pub struct Related {
    /// By node: some run comes there.
    pub reached: Vec<bool>,
    /// Level 1's states stand for all runs.
    pub complete: bool,
    /// What holds wherever the function is entered.
    pub at_entry: Vec<Option<bool>>,
    /// By edge, as one step; none: it is only a call of functions that are entered, or no run takes it.
    pub steps: Vec<Option<Relation>>,
    /// Where the check can fail, by edge.
    pub failing: BTreeMap<EdgeId, Vec<Cube>>,
    /// The ways of a call, by edge.
    pub passed: BTreeMap<EdgeId, Vec<Passed>>,
    /// What is returned at the two ends: the ordinary one, and that of exceptions.
    pub ends: [Answers; 2],
}

impl Related {
    pub fn new<'p>(
        context: &'p Context<'p>,
        plan: Plan,
        (question, limits): (&Question<'_>, &Limits),
        chosen: &'p Chosen,
        calls: &Calls,
    ) -> Related {
        let mut relating = relating(context, plan, (question, limits), chosen);
        let body = &chosen.body;
        let reached: Vec<bool> = body
            .nodes()
            .map(|node| !relating.everywhere.at(node).is_empty())
            .collect();
        let mut related = Related {
            complete: relating.everywhere.complete,
            at_entry: relating.at_entry(),
            steps: vec![None; body.edges().len()],
            failing: BTreeMap::new(),
            passed: BTreeMap::new(),
            ends: [
                relating.result(body.exit, &chosen.results),
                body.unwind
                    .map_or_else(Vec::new, |node| relating.result(node, &[])),
            ],
            reached,
        };
        let check = (chosen.function == question.function).then_some(question.check);
        for node in body.nodes() {
            let is_end = node == body.exit || Some(node) == body.unwind;
            if related.reached[node.index()] && !is_end {
                for (id, _) in body.out_edges(node) {
                    let at = calls.binary_search_by_key(&id, |(edge, _)| *edge).ok();
                    let ways = at.map_or(&[][..], |at| &calls[at].1);
                    related.edge(&mut relating, id, check, ways);
                }
            }
        }
        related
    }

    fn edge(
        &mut self,
        relating: &mut Relating<'_, '_>,
        id: EdgeId,
        check: Option<CheckId>,
        ways: &[Way],
    ) {
        let body = relating.everywhere.automata.frame.body;
        let edge = &body.edges()[id];
        if let Stmt::Check(here) = edge.stmt
            && check == Some(here)
        {
            let reads = Reads::of_statement(body, &edge.stmt);
            let cubes = relating.before(id, &reads, |automata, st| {
                automata.answer(st, here) != Answer::Holds
            });
            self.failing.insert(id, cubes);
        }
        let goes_on = self.reached[edge.to.index()];
        if !ways.is_empty() {
            let passed = ways.iter().map(|way| Passed {
                told: relating.told(id, &way.told),
                back: match goes_on {
                    true => relating.returned(id, &way.results),
                    false => (Vec::new(), Vec::new()),
                },
            });
            self.passed.insert(id, passed.collect());
        }
        // A pointer may lead elsewhere, too.
        let only =
            matches!(&edge.stmt, Stmt::Call(call) if matches!(call.callee, Callee::Direct(_)));
        if goes_on && (!only || ways.is_empty()) {
            self.steps[id.index()] = Some(relating.edge(id));
        }
    }
}

/// Level 1's states of a function.
fn relating<'p>(
    context: &'p Context<'p>,
    plan: Plan,
    (question, limits): (&Question<'_>, &Limits),
    chosen: &'p Chosen,
) -> Relating<'p, 'p> {
    let facts: Vec<&Told> = chosen.shared.iter().chain(&chosen.facts).collect();
    let conditions: Vec<ExprId> = facts
        .iter()
        .filter_map(|t| match t.fact {
            Fact::Condition(e) => Some(e),
            Fact::Check(_) => None,
        })
        .collect();
    let body = &chosen.body;
    // The root is entered as level 1 takes functions to be entered; others by callers that are looked at.
    let unwritten: Vec<PlaceId> = facts
        .iter()
        .filter(|_| chosen.function != question.root)
        .filter_map(|t| match t.fact {
            Fact::Check(check) => match body.checks[check].condition {
                Condition::Initialized(place) => Some(place),
                _ => None,
            },
            Fact::Condition(_) => None,
        })
        .collect();
    let f = chosen.function;
    Relating {
        everywhere: everywhere(context, f, body, plan, &conditions, &unwritten),
        facts,
        most: limits.cube,
        cut: Cut::default(),
    }
}
