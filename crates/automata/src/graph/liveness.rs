//! Which variables still matter at a node: those that something reads before they are written again, and those of them that a check
//! reads.

use ir::arena::Id;
use ir::walk::{Item, Once, statement_items};
use ir::{Base, Body, NodeId, Stmt, VarId};

/// A matrix of bits.
pub struct BitRows {
    words: usize,
    bits: Vec<u64>,
}

impl BitRows {
    fn new(rows: usize, columns: usize) -> BitRows {
        let words = columns.div_ceil(64);
        BitRows {
            words,
            bits: vec![0; words * rows],
        }
    }

    pub fn row(&self, i: usize) -> &[u64] {
        &self.bits[i * self.words..(i + 1) * self.words]
    }

    pub fn has(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.words + column / 64] >> (column % 64) & 1 == 1
    }
}

/// The variables that a statement reads, and the one that it sets as a whole.
pub fn uses(body: &Body, stmt: &Stmt, items: &mut Once, out: &mut Vec<VarId>) -> Option<VarId> {
    let mut set = None;
    let whole = |p: ir::PlaceId| body.places[p].as_var();
    match stmt {
        Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => set = whole(*place),
        Stmt::Call(call) => set = call.result.and_then(whole),
        Stmt::Declare(v) | Stmt::End(v) | Stmt::Allocate { var: v, .. } => set = Some(*v),
        _ => {}
    }
    items.clear();
    statement_items(body, stmt, &mut |item| match item {
        // The written place itself is no use of it, if it is a variable as a whole.
        Item::Place(p) if set.is_some() && whole(p) == set => {}
        item => items.push(item),
    });
    while let Some(item) = items.pop() {
        if let Item::Place(p) = item
            && let Base::Var(v) = body.places[p].base
        {
            out.push(v);
        }
        items.push_parts(body, item);
    }
    if let Stmt::LandingPad { exception, .. } = stmt {
        set = Some(*exception);
    }
    set
}

/// Backwards over the edges until nothing changes; rows are kept for locations only.
pub fn liveness(
    body: &Body,
    order: &[NodeId],
    locations: &[NodeId],
    at_exit: &[VarId],
) -> (BitRows, BitRows) {
    let vars = body.vars.len();
    let words = vars.div_ceil(64);
    let mut used: Vec<VarId> = Vec::new();
    let mut items = Once::default();
    let mut per_edge: Vec<(u32, u32, Option<VarId>)> = Vec::with_capacity(body.edges().len());
    for e in body.edges().values() {
        let from = used.len() as u32;
        let set = uses(body, &e.stmt, &mut items, &mut used);
        per_edge.push((from, used.len() as u32, set));
    }
    let mut live = BitRows::new(body.node_count as usize, vars);
    let mut checked = BitRows::new(body.node_count as usize, vars);
    for v in at_exit {
        live.bits[body.exit.index() * words + v.index() / 64] |= 1 << (v.index() % 64);
    }
    let mut scratch = vec![0u64; words];
    loop {
        let mut changed = false;
        for &n in order {
            for (id, e) in body.out_edges(n) {
                let (from, to, set) = per_edge[id.index()];
                for (rows, of_checks) in [(&mut live, false), (&mut checked, true)] {
                    scratch.copy_from_slice(rows.row(e.to.index()));
                    if let Some(v) = set {
                        scratch[v.index() / 64] &= !(1 << (v.index() % 64));
                    }
                    if !of_checks || matches!(e.stmt, Stmt::Check(_)) {
                        for v in &used[from as usize..to as usize] {
                            scratch[v.index() / 64] |= 1 << (v.index() % 64);
                        }
                    }
                    let row = &mut rows.bits[n.index() * words..(n.index() + 1) * words];
                    for (mine, new) in row.iter_mut().zip(&scratch) {
                        changed |= *new & !*mine != 0;
                        *mine |= new;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    let keep = |rows: &BitRows| {
        let mut kept = BitRows::new(locations.len(), vars);
        for (i, n) in locations.iter().enumerate() {
            kept.bits[i * words..(i + 1) * words].copy_from_slice(rows.row(n.index()));
        }
        kept
    };
    (keep(&live), keep(&checked))
}
