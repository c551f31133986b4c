//! Puts the flag of a loop and its check into a body.

use super::turn::{Change, Turn};
use crate::instrument::Rebuilt;
use crate::temporal::{Maker, Slot};
use ir::program::SymbolTable;
use ir::{
    Body, Check, CheckId, CompareOp, Condition, Edge, EdgeId, ExprId, NodeId, Stmt, Symbol,
    TypeTable,
};

/// The flags of a loop.
struct Flags {
    /// Something has surely changed.
    changed: Slot,
    /// The statement was passed that moves a variable by so much.
    moved: Vec<(EdgeId, ExprId, Slot)>,
}

impl Flags {
    fn all(&self) -> impl Iterator<Item = Slot> {
        let moved = self.moved.iter().map(|(_, _, flag)| *flag);
        moved.chain([self.changed])
    }

    /// The flag that a statement sets.
    fn set_by(&self, turn: &Turn, id: EdgeId) -> Option<Slot> {
        match turn.changes.get(&id)? {
            Change::Surely => Some(self.changed),
            Change::By(_) => {
                let mut moved = self.moved.iter();
                moved.find(|(edge, ..)| *edge == id).map(|(.., flag)| *flag)
            }
        }
    }
}

pub(super) fn weave(
    types: &TypeTable,
    symbols: &mut SymbolTable,
    rule: &str,
    turns: &[Turn],
    body: &mut Body,
) {
    let symbol = symbols.intern(rule);
    let mut maker = Maker::new(types, body);
    let mut number = 0;
    let mut flag = |maker: &mut Maker<'_>| {
        number += 1;
        maker.state(symbols, rule, number - 1)
    };
    let mut flags = Vec::with_capacity(turns.len());
    for turn in turns {
        let changed = flag(&mut maker);
        let mut moved = Vec::new();
        for (id, change) in &turn.changes {
            if let Change::By(by) = change {
                moved.push((*id, *by, flag(&mut maker)));
            }
        }
        flags.push(Flags { changed, moved });
    }
    let (yes, no) = (maker.flag(true), maker.flag(false));
    let edges = maker.body.take_edges();
    let mut new = Rebuilt::new(maker.body.node_count, edges.len());
    let mut begun: Option<(NodeId, NodeId)> = None;
    for (id, edge) in (0..).map(EdgeId).zip(edges) {
        let old = edge.from;
        let from = match begun {
            Some((of, from)) if of == old => from,
            _ => {
                let mut from = new.node(old);
                for (turn, flags) in turns.iter().zip(&flags).filter(|(t, _)| t.head == old) {
                    for flag in flags.all() {
                        from = new.step(from, set(flag, no), turn.span);
                    }
                }
                begun = Some((old, from));
                from
            }
        };
        let mut behind = Vec::new();
        for (turn, flags) in turns.iter().zip(&flags) {
            let sets = flags.set_by(turn, id);
            behind.extend(sets.map(|flag| (set(flag, yes), edge.span)));
            if turn.back.contains(&id) {
                let check = check(&mut maker, symbol, flags);
                behind.push((Stmt::Check(check), turn.span));
            }
        }
        keep(&mut new, from, edge, behind);
    }
    new.finish(maker.body);
}

/// Puts an edge in, and statements behind it.
fn keep(new: &mut Rebuilt, from: NodeId, edge: Edge, mut behind: Vec<(Stmt, ir::Span)>) {
    let Some((stmt, span)) = behind.pop() else {
        return new.keep(from, edge);
    };
    let to = edge.to;
    let mut from = new.step(from, edge.stmt, edge.span);
    for (stmt, span) in behind {
        from = new.step(from, stmt, span);
    }
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

fn set(flag: Slot, value: ExprId) -> Stmt {
    Stmt::Assign {
        place: flag.place,
        value,
    }
}

/// Something has changed, or was moved by what is not zero. All of it is one choice, as in all woven checks: a distance
/// that could be zero is for callers to answer for, and not a flag that could be anything.
fn check(maker: &mut Maker<'_>, rule: Symbol, flags: &Flags) -> CheckId {
    let (yes, mut holds) = (maker.truth(true), maker.truth(false));
    for (_, by, flag) in &flags.moved {
        let ty = maker.type_of(*by);
        let zero = maker.zero(ty);
        let some = maker.compare(CompareOp::Ne, *by, zero);
        let moves = match holds == maker.truth(false) {
            true => some,
            false => maker.select(some, yes, holds),
        };
        let is_set = maker.is_set(*flag);
        holds = maker.select(is_set, moves, holds);
    }
    let is_set = maker.is_set(flags.changed);
    let holds = maker.select(is_set, yes, holds);
    maker.body.checks.push(Check {
        rule,
        condition: Condition::Holds(holds),
    })
}
