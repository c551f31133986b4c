//! Puts the flag of a loop and its check into a body.

use super::Plan;
use super::loops::{Bound, Than};
use super::never::Never;
use super::turn::Change;
use crate::instrument::Rebuilt;
use crate::temporal::{Maker, Slot};
use ir::program::SymbolTable;
use ir::{
    Body, Check, CheckId, CompareOp, Condition, Edge, EdgeId, ExprId, ExprKind, NodeId, Span, Stmt,
    Symbol, TypeTable, VarId,
};

/// The flags of a loop.
struct Flags {
    /// Something has surely changed.
    changed: Slot,
    moved: Vec<Moved>,
}

/// A statement that moves a variable.
struct Moved {
    edge: EdgeId,
    by: ExprId,
    /// It was passed.
    passed: Slot,
    /// By how much it moved then.
    distance: Slot,
}

impl Flags {
    fn all(&self) -> impl Iterator<Item = Slot> {
        let moved = self.moved.iter();
        let moved = moved.flat_map(|moved| [moved.distance, moved.passed]);
        moved.chain([self.changed])
    }
}

pub(super) fn weave(
    types: &TypeTable,
    symbols: &mut SymbolTable,
    rule: &str,
    plan: &Plan,
    body: &mut Body,
) {
    let turns = &plan.turns;
    let symbol = symbols.intern(rule);
    let mut maker = Maker::new(types, body);
    let mut number = 0;
    let mut flags = Vec::with_capacity(turns.len());
    for turn in turns {
        let changed = maker.state(symbols, rule, number);
        number += 1;
        let mut moved = Vec::new();
        for (edge, change) in &turn.changes {
            if let Change::By(by) = change {
                let ty = maker.type_of(*by);
                moved.push(Moved {
                    edge: *edge,
                    by: *by,
                    passed: maker.state(symbols, rule, number),
                    distance: maker.remembered(symbols, rule, number, ty),
                });
                number += 1;
            }
        }
        flags.push(Flags { changed, moved });
    }
    let yes = maker.flag(true);
    let edges = maker.body.take_edges();
    let mut new = Rebuilt::new(maker.body.node_count, edges.len());
    let mut begun: Option<(NodeId, NodeId)> = None;
    for (id, edge) in (0..).map(EdgeId).zip(edges) {
        let old = edge.from;
        let mut from = match begun {
            Some((of, from)) if of == old => from,
            _ => {
                let mut from = new.node(old);
                for (turn, flags) in turns.iter().zip(&flags).filter(|(t, _)| t.head == old) {
                    for flag in flags.all() {
                        let nothing = maker.zero(flag.ty);
                        from = new.step(from, set(flag, nothing), turn.span);
                    }
                }
                begun = Some((old, from));
                from
            }
        };
        let mut behind = Vec::new();
        for (turn, flags) in turns.iter().zip(&flags) {
            for moved in flags.moved.iter().filter(|moved| moved.edge == id) {
                from = new.step(from, set(moved.distance, moved.by), edge.span);
                behind.push((set(moved.passed, yes), edge.span));
            }
            if let Some(Change::Surely) = turn.changes.get(&id) {
                behind.push((set(flags.changed, yes), edge.span));
            }
            if turn.back.contains(&id) {
                let check = check(&mut maker, symbol, flags);
                behind.push((Stmt::Check(check), turn.span));
            }
        }
        let mut last = Vec::new();
        let mut nevers = plan.nevers.iter().filter(|n| n.back.contains(&id));
        if let Some(never) = nevers.next()
            && let Some(check) = not_from_here(&mut maker, symbol, never)
        {
            last.push((Stmt::Check(check), never.span));
            // A free choice: what else goes wrong in a loop that never ends is not hidden by that. A run that ends so has not
            // met this error: its way leads past the check, not on behind it as the one of an error that ends no run
            // ([`Rebuilt::beside`]).
            last.extend(never.may_fail.then_some((Stmt::Skip, never.span)));
        }
        keep(&mut new, from, edge, behind, last);
    }
    new.finish(maker.body);
}

/// Puts an edge in, statements behind it, and at last those of which a run chooses one.
fn keep(
    new: &mut Rebuilt,
    from: NodeId,
    edge: Edge,
    mut behind: Vec<(Stmt, Span)>,
    mut last: Vec<(Stmt, Span)>,
) {
    if last.is_empty() {
        last.extend(behind.pop());
    }
    if last.is_empty() {
        return new.keep(from, edge);
    }
    let to = edge.to;
    let mut from = new.step(from, edge.stmt, edge.span);
    for (stmt, span) in behind {
        from = new.step(from, stmt, span);
    }
    for (stmt, span) in last {
        let from = match stmt {
            Stmt::Skip => new.step(from, Stmt::Skip, span),
            _ => from,
        };
        new.keep(
            from,
            Edge {
                from,
                to,
                stmt,
                span,
            },
        );
    }
}

fn set(flag: Slot, value: ExprId) -> Stmt {
    Stmt::Assign {
        place: flag.place,
        value,
    }
}

/// Something has changed, or was moved by what is not zero. All of it is one choice, as in all woven checks: a distance
/// that could be zero is for callers to answer for, and not a flag that could be anything.
fn check(maker: &mut Maker<'_>, rule: Symbol, flags: &Flags) -> CheckId {
    let (yes, no) = (maker.truth(true), maker.truth(false));
    let mut holds = no;
    for moved in &flags.moved {
        let zero = maker.zero(moved.distance.ty);
        let some = maker.compare(CompareOp::Ne, moved.distance.load, zero);
        let is_set = maker.is_set(moved.passed);
        let moves = maker.select(is_set, some, no);
        // Each part stands in it once: whoever walks over expressions takes them for trees.
        holds = match holds == no {
            true => moves,
            false => maker.select(moves, yes, holds),
        };
    }
    let is_set = maker.is_set(flags.changed);
    let holds = maker.select(is_set, yes, holds);
    maker.body.checks.push(Check {
        rule,
        which: 0,
        condition: Condition::Holds(holds),
    })
}

/// None of the cases holds from which a loop never ends. As above, one choice.
fn not_from_here(maker: &mut Maker<'_>, rule: Symbol, never: &Never) -> Option<CheckId> {
    let (yes, no) = (maker.truth(true), maker.truth(false));
    let mut holds = yes;
    for case in &never.cases {
        let mut broken = no;
        for bound in case {
            let one = is_not(maker, never, bound)?;
            broken = match broken == no {
                true => one,
                false => maker.select(broken, yes, one),
            };
        }
        holds = match holds == yes {
            true => broken,
            false => maker.select(holds, broken, no),
        };
    }
    Some(maker.body.checks.push(Check {
        rule,
        which: 0,
        condition: Condition::Holds(holds),
    }))
}

/// The opposite of a bound, on the variables of the loop.
fn is_not(maker: &mut Maker<'_>, never: &Never, bound: &Bound) -> Option<ExprId> {
    let a = value(maker, *never.variables.get(bound.of)?);
    let ty = maker.type_of(a);
    let b = match bound.than {
        Than::Parameter(other) => value(maker, *never.variables.get(other)?),
        Than::Number(n) => {
            let (width, _) = maker.types.as_int(ty)?;
            let mask = u128::MAX.checked_shr(128 - u32::from(width))?;
            maker.expr(ExprKind::Int(n as u128 & mask), ty)
        }
    };
    let same = maker.type_of(b) == ty;
    let op = bound.op.negated().filter(|_| same)?;
    Some(maker.compare(op, a, b))
}

fn value(maker: &mut Maker<'_>, v: VarId) -> ExprId {
    let place = maker.variable(v);
    maker.load(place)
}
