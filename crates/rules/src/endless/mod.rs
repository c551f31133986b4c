//! Loops that never end: a turn that changes nothing on which the loop depends is repeated for ever.
//!
//! What becomes of a deterministic program depends on its state alone. So a turn of a loop that ends as it began is the first of
//! endlessly many; and it is enough that those parts of the state are as they were on which the way of the next turn depends
//! ([`matters`]): what is only counted, summed up or written is not asked. Dual analysis (dual.txt, §4) calls the
//! inputs of such runs LOOP; here the same is *compiled into the program*, as the automata of [`crate::temporal`] are: a flag
//! remembers whether the turn has changed anything ([`turn`]), and where the loop leads back stands a check that it has. So every engine
//! finds such loops as it finds any other error, and none needs to know of them.
//!
//! ```text
//!     while (i < n) {            changed = 0
//!         if (a[i] < 0)
//!             continue;
//!         sum += a[i];
//!         i++;                   changed = 1
//!     }                          check changed
//! ```
//!
//! A loop that changes something in every turn may still never end: its counter goes round, or in steps over the limit. From which states it
//! does is asked of whoever knows ([`loops`], [`never`]), and checked where the loop leads back.
//!
//! What is not sure to be repeated counts as a change: a call of a function that does more than compute, or of which nothing is known (it
//! may end the program, wait, or read), and what is volatile. A loop without a way out is meant to have none. One that only waits for
//! what others may write is waiting.

mod callees;
mod loops;
mod matters;
mod never;
mod numbers;
mod turn;
mod ways_out;
mod weave;

use crate::temporal::is_ghost;
use callees::Callees;
use ir::arena::Id;
use ir::flow::{Loop, Step, order};
use ir::{Body, Condition, ExprId, ExprKind, PlaceId, Program, Stmt};
pub use loops::{Bound, Cases, Loops, Nobody, Than};
use never::Never;
use rayon::prelude::*;
use turn::Turn;

/// Puts the checks of a rule on loops into every body. To be called after the checks of other rules are in, and once.
pub fn weave(program: &mut Program, rule: &str, loops: &dyn Loops) {
    let callees = Callees::of(program, loops);
    let functions = program.functions.as_slice();
    let planned: Vec<Plan> = functions
        .par_iter()
        .map(|f| match &f.body {
            Some(body) => plan(program, body, &callees, loops),
            None => Plan::default(),
        })
        .collect();
    let Program {
        types,
        symbols,
        functions,
        ..
    } = program;
    for ((_, function), plan) in functions.iter_mut().zip(planned) {
        if let Some(body) = &mut function.body
            && !plan.is_empty()
        {
            weave::weave(types, symbols, rule, &plan, body);
        }
    }
}

/// What is put into a body.
#[derive(Debug, Default)]
struct Plan {
    /// Loops of which a turn may change nothing.
    turns: Vec<Turn>,
    /// Loops that change something in every turn, and never end from some states.
    nevers: Vec<Never>,
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.turns.is_empty() && self.nevers.is_empty()
    }
}

fn plan(program: &Program, body: &Body, callees: &Callees, loops: &dyn Loops) -> Plan {
    let mut plan = Plan::default();
    // Most bodies have no loop, and of most loops every turn calls somebody.
    let is_back = |e: &ir::Edge| e.to <= e.from;
    if !body.edges().values().any(is_back) {
        return plan;
    }
    let mut found: Vec<Loop> = Vec::new();
    let mut steps: Vec<Step> = order(body).unwrap_or_default();
    while let Some(step) = steps.pop() {
        if let Step::Loop(mut one) = step {
            steps.append(&mut one.body);
            found.push(one);
        }
    }
    // What is within a loop comes behind it. One of which an inner one never ends does not end for that reason.
    while let Some(one) = found.pop() {
        let turn = Turn::of(&program.types, body, callees, &one);
        let inner = |never: &Never| one.nodes.contains(&never.head);
        let never = match plan.nevers.iter().any(inner) {
            true => None,
            false => Never::of(program, body, callees, loops, &one),
        };
        match (turn, never) {
            (turn, Some(never)) if turn.is_none() || never.always() => plan.nevers.push(never),
            (turn, _) => plan.turns.extend(turn),
        }
    }
    plan.turns.sort_by_key(|turn| turn.head);
    plan.nevers.sort_by_key(|never| never.head);
    plan
}

/// What a turn could have changed that it leaves as it is where this check of a loop fails, in the order of the program.
pub fn could_change(program: &Program, body: &Body, condition: &Condition) -> Vec<PlaceId> {
    let flags = flags_of(body, condition);
    let into = body.in_edges();
    let mut places = Vec::new();
    for edge in body.edges().values() {
        let Stmt::Assign { place, value } = edge.stmt else {
            continue;
        };
        let sets = matches!(
            body.exprs.get(value).map(|e| &e.kind),
            Some(ExprKind::Int(1))
        );
        if !sets || !flags.contains(&place) {
            continue;
        }
        // The flags of several loops stand behind one statement.
        let mut at = edge.from;
        for _ in 0..body.vars.len() {
            let before = into.get(at.index()).and_then(|edges| edges.first());
            let Some(before) = before.and_then(|id| body.edges().get(*id)) else {
                break;
            };
            match before.stmt {
                Stmt::Assign { place, .. } if is_ghost(program, body, place) => at = before.from,
                Stmt::Assign { place, .. } if !places.contains(&place) => {
                    places.push(place);
                    break;
                }
                _ => break,
            }
        }
    }
    places
}

/// Does the check of a loop ask whether the turn has changed anything?
pub fn is_of_a_turn(program: &Program, body: &Body, condition: &Condition) -> bool {
    let flags = flags_of(body, condition);
    flags.iter().any(|place| is_ghost(program, body, *place))
}

/// The flags that a check of a loop looks at.
fn flags_of(body: &Body, condition: &Condition) -> Vec<PlaceId> {
    let mut flags = Vec::new();
    let mut work: Vec<ExprId> = match condition {
        Condition::Holds(e) => vec![*e],
        _ => Vec::new(),
    };
    while let Some(e) = work.pop() {
        match body.exprs.get(e).map(|e| &e.kind) {
            Some(ExprKind::Select(c, a, b)) => work.extend([*c, *a, *b]),
            Some(ExprKind::Compare(_, flag, _)) => flags.extend(body.loaded(*flag)),
            _ => {}
        }
    }
    flags
}
