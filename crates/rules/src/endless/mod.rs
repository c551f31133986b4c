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
//! What is not sure to be repeated counts as a change: a call of a function that does more than compute, or of which nothing is known (it
//! may end the program, wait, or read), and what is volatile. A loop without a way out is meant to have none. One that only waits for
//! what others may write is waiting.

mod computes;
mod matters;
mod turn;
mod weave;

use crate::temporal::is_ghost;
use computes::Computing;
use ir::arena::Id;
use ir::flow::{Step, order};
use ir::{Body, Condition, ExprId, ExprKind, PlaceId, Program, Stmt, TypeTable};
use rayon::prelude::*;
use turn::Turn;

/// Puts the checks of a rule on loops into every body. To be called after the checks of other rules are in, and once.
pub fn weave(program: &mut Program, rule: &str) {
    let computing = Computing::of(program);
    let functions = program.functions.as_slice();
    let planned: Vec<Vec<Turn>> = functions
        .par_iter()
        .map(|f| match &f.body {
            Some(body) => turns(&program.types, body, &computing),
            None => Vec::new(),
        })
        .collect();
    let Program {
        types,
        symbols,
        functions,
        ..
    } = program;
    for ((_, function), turns) in functions.iter_mut().zip(planned) {
        if let Some(body) = &mut function.body
            && !turns.is_empty()
        {
            weave::weave(types, symbols, rule, &turns, body);
        }
    }
}

/// The loops of a body of which a turn may change nothing.
fn turns(types: &TypeTable, body: &Body, computing: &Computing) -> Vec<Turn> {
    // Most bodies have no loop, and of most loops every turn calls somebody.
    let is_back = |e: &ir::Edge| e.to <= e.from;
    if !body.edges().values().any(is_back) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut steps: Vec<Step> = order(body).unwrap_or_default();
    while let Some(step) = steps.pop() {
        if let Step::Loop(one) = step {
            found.extend(Turn::of(types, body, computing, &one));
            steps.extend(one.body);
        }
    }
    found.sort_by_key(|turn| turn.head);
    found
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
