//! What loops come to after some turns.
//!
//! Level 1 widens: of what a loop has counted after ten turns it knows that it is some number, and that is no evidence, for
//! nobody has said it. Mostly the number of turns is up to a caller. But where all that ends the loop is read from outside
//! ([`Outside`]), any number of turns must be reckoned with, and none of them needs to be believed: the loop is gone through turn by
//! turn, states apart ([`automata::hunt`]), until the count is a number that the check does not allow. Level 2 judges these paths as
//! any other, and everything on them that decides must come from outside ([`Demand::Outside`]). So it is where a check asks for data from outside itself:
//! how long a string is that nobody in view has written.
//!
//! [`Demand::Outside`]: crate::coincidence::Demand::Outside

use crate::coincidence::outside::Outside;
use crate::level2::Error;
use automata::hunt::{Hunt, Patience};
use automata::{Context, Plan, Verdict};
use ir::arena::Id;
use ir::flow::{Loop, Step};
use ir::walk::{Item, Once, statement_items};
use ir::{
    Base, Body, CheckId, CompareOp, Condition, ExprId, ExprKind, FuncId, NodeId, Stmt, VarId,
};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Checks of a body for which it is tried.
const CHECKS: usize = 16;

/// States for all of them.
const ALL_STATES: usize = 4000;

/// An array with more elements is not filled turn by turn.
const LARGEST: u128 = 300;

/// What is tried for one.
const PATIENCE: Patience = Patience {
    states: 1500,
    waiting: 200,
    turns: 400,
    paths: 24,
};

/// Paths on which level 1 cannot say that a check of what is read holds: the shortest strings are short.
const READ_PATHS: usize = 60;

/// Paths to latent checks on which a loop that is up to the outside has turned often enough.
pub(super) fn errors<'p>(
    context: &'p Context<'p>,
    root: FuncId,
    body: &'p Body,
    plan: Plan,
    outside: &Outside<'_>,
    checks: impl IntoIterator<Item = CheckId>,
) -> Vec<Error> {
    let mut checks = checks.into_iter().peekable();
    if checks.peek().is_none() {
        return Vec::new();
    }
    let loops = Loops::of(body);
    // Of what is read itself level 1 knows too little to say that it is evidence.
    let mut doubting = plan;
    doubting.automata.doubts = true;
    let (mut counting, mut measuring) = (None, None);
    let mut left = ALL_STATES;
    let mut found = Vec::new();
    let worth = checks.filter_map(|c| Some((c, loops.worth(body, c, outside)?)));
    for (check, worth) in worth.take(CHECKS) {
        let patience = Patience {
            states: PATIENCE.states.min(left),
            paths: match worth {
                Worth::Counted => PATIENCE.paths,
                Worth::Read => READ_PATHS,
            },
            ..PATIENCE
        };
        if patience.states == 0 {
            break;
        }
        let (hunt, plan) = match worth {
            Worth::Counted => (&mut counting, plan),
            Worth::Read => (&mut measuring, doubting),
        };
        let hunt = hunt.get_or_insert_with(|| Hunt::new(context, root, body, plan));
        let sought = hunt.seek(check, patience);
        left = left.saturating_sub(sought.states);
        found.extend(sought.paths.into_iter().map(|path| (check, path)));
    }
    found
}

/// Is there a check that a search may come to?
pub(super) fn is_worth(body: &Body, checks: Vec<CheckId>, outside: &Outside<'_>) -> bool {
    let loops = match checks.is_empty() {
        true => return false,
        false => Loops::of(body),
    };
    checks
        .iter()
        .any(|c| loops.worth(body, *c, outside).is_some())
}

/// Does the check of a verdict have a chance? It is not proved, and asks whether something is within bounds.
pub(super) fn may_be_come_to(body: &Body, check: CheckId, verdict: &Verdict) -> bool {
    let open = matches!(
        verdict,
        Verdict::Latent | Verdict::Undecided(_) | Verdict::Fails(_)
    );
    open && asks_for_bounds(body, &body.checks[check].condition)
}

/// Is an access within bounds that are not far away?
fn asks_for_bounds(body: &Body, condition: &Condition) -> bool {
    match condition {
        Condition::InBounds { .. } => true,
        Condition::Holds(e) => match body.exprs[*e].kind {
            ExprKind::Compare(op, _, bound) => {
                let is_range = !matches!(op, CompareOp::Eq | CompareOp::Ne);
                is_range && matches!(&body.exprs[bound].kind, ExprKind::Int(n) if *n <= LARGEST)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Why a check is worth a search.
enum Worth {
    /// Loops that are up to the outside count what it asks for.
    Counted,
    /// It asks for data from outside.
    Read,
}

/// The loops of a body.
struct Loops {
    /// All, the inner ones behind the outer ones.
    all: Vec<Turns>,
    /// What is assigned to each variable.
    assigned: Vec<Vec<ExprId>>,
}

/// One loop.
#[derive(Default)]
struct Turns {
    /// What it moves itself, and not a loop in it.
    counts: BTreeSet<VarId>,
    /// With which it ends.
    tests: Vec<Item>,
    /// The outside decides when it ends, and is asked.
    told: OnceCell<(bool, bool)>,
}

impl Loops {
    fn of(body: &Body) -> Loops {
        let mut nested = Vec::new();
        collect(&ir::flow::order(body).unwrap_or_default(), &mut nested);
        let mut all = Vec::new();
        let mut innermost = vec![usize::MAX; body.edges().len()];
        for (i, nodes) in nested.iter().enumerate() {
            let mut turns = Turns::default();
            for node in nodes {
                for (id, edge) in body.out_edges(*node) {
                    match (nodes.contains(&edge.to), &edge.stmt) {
                        (true, _) => innermost[id.index()] = i,
                        (false, Stmt::Assume(e)) => turns.tests.push(Item::Expr(*e)),
                        _ => {}
                    }
                }
            }
            all.push(turns);
        }
        let mut assigned = vec![Vec::new(); body.vars.len()];
        for (id, edge) in body.edges().iter() {
            let Stmt::Assign { place, value } = &edge.stmt else {
                continue;
            };
            let Some(v) = body.places[*place].as_var() else {
                continue;
            };
            assigned[v.index()].push(*value);
            let constant = matches!(body.exprs[*value].kind, ExprKind::Int(_) | ExprKind::Null);
            if let (Some(turns), false) = (all.get_mut(innermost[id.index()]), constant) {
                turns.counts.insert(v);
            }
        }
        Loops { all, assigned }
    }

    fn worth(&self, body: &Body, check: CheckId, outside: &Outside<'_>) -> Option<Worth> {
        if self.decide(body, check, outside) {
            return Some(Worth::Counted);
        }
        let mut items = Vec::new();
        statement_items(body, &Stmt::Check(check), &mut |item| items.push(item));
        (outside.reads(items.iter().copied()) && outside.decides(items)).then_some(Worth::Read)
    }

    /// Is what the check asks for counted in loops that end when the outside says so?
    fn decide(&self, body: &Body, check: CheckId, outside: &Outside<'_>) -> bool {
        let counted = self.variables(body, check);
        let counting = self
            .all
            .iter()
            .filter(|turns| !turns.counts.is_disjoint(&counted));
        let mut any = false;
        for turns in counting {
            let tests = || turns.tests.iter().copied();
            let told = || (outside.decides(tests()), outside.reads(tests()));
            let (decides, reads) = *turns.told.get_or_init(told);
            if !decides {
                return false;
            }
            any |= reads;
        }
        any
    }

    /// The variables that a check asks for, and what these are made of by assignments.
    fn variables(&self, body: &Body, check: CheckId) -> BTreeSet<VarId> {
        let mut all = BTreeSet::new();
        let mut items = Once::default();
        statement_items(body, &Stmt::Check(check), &mut |item| items.push(item));
        while let Some(item) = items.pop() {
            if let Item::Place(p) = item
                && let Base::Var(v) = body.places[p].base
                && all.insert(v)
            {
                let values = self.assigned[v.index()].iter();
                values.for_each(|value| items.push(Item::Expr(*value)));
            }
            items.push_parts(body, item);
        }
        all
    }
}

/// The nodes of all loops.
fn collect(steps: &[Step], all: &mut Vec<BTreeSet<NodeId>>) {
    for step in steps {
        if let Step::Loop(Loop { body, nodes, .. }) = step {
            all.push(nodes.clone());
            collect(body, all);
        }
    }
}
