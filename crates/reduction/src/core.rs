//! Observers of the second kind: from the steps of a path that a solver found to contradict each
//! other (an unsat core).
//!
//! Intervals cannot see why `x == y && x != y` is impossible; a solver can, and names the steps. These
//! steps, with the definitions that they rely on, are a *sequence* of edges: to each value that a
//! step reads belongs the step of the sequence that wrote it last, or it was there at the entry. A
//! word that takes the same edges in the same order, and between them writes nothing that a later
//! one relies on, computes the same values from the same unknowns, and makes the same contradictory
//! demands on them: no run takes it.
//!
//! What a step reads and writes is told apart by *cells*: each variable whose address nobody takes, and
//! all of memory as one. So a sequence that reads memory contains every step that wrote any, from the
//! entry on.
//!
//! The observer counts how much of the sequence it has seen. It takes an edge for the next of the
//! sequence whenever it can; that, and giving up at the first write that disturbs what was at the
//! entry, may miss words, but accepts none that a run takes.

use crate::automaton::Edge;
use ir::arena::Id;
use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{Base, Body, CallOutcome, EdgeId, PlaceId, Stmt, VarId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What statements read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    Variable(VarId),
    /// Everything that a pointer may lead to.
    Memory,
}

/// What a statement reads, and what it gives a new value.
#[derive(Clone, Debug, Default)]
pub struct Access {
    pub reads: BTreeSet<Cell>,
    pub writes: BTreeSet<Cell>,
}

impl Access {
    pub fn of(body: &Body, stmt: &Stmt) -> Access {
        let mut access = Access::default();
        let mut items = Vec::new();
        statement_items(body, stmt, &mut |item| items.push(item));
        let target = match stmt {
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
            Stmt::Call(call) => call.result,
            _ => None,
        };
        if let Some(place) = target {
            access.write(body, place);
            // A variable as a whole is not read by being written (though it may be by the value).
            if body.places[place].as_var().is_some() {
                let own = items.iter().position(|i| *i == Item::Place(place));
                own.map(|i| items.remove(i));
            }
        }
        match stmt {
            Stmt::Declare(v) | Stmt::End(v) | Stmt::Allocate { var: v, .. } => {
                access.write_variable(body, *v);
            }
            Stmt::LandingPad {
                exception,
                selector,
                ..
            } => {
                access.write_variable(body, *exception);
                access.write_variable(body, *selector);
            }
            Stmt::Call(call) => {
                access.reads.insert(Cell::Memory);
                access.writes.insert(Cell::Memory);
                if call.outcome == CallOutcome::Again {
                    // A longjmp comes back: variables are what they were, or what they became.
                    let all = body.vars.ids().map(|v| cell(body, v));
                    access.writes.extend(all);
                }
            }
            Stmt::Copy { .. } | Stmt::Fill { .. } | Stmt::VaStart(_) => {
                access.reads.insert(Cell::Memory);
                access.writes.insert(Cell::Memory);
            }
            _ => {}
        }
        access.read(body, items);
        access
    }

    /// A variable as a whole: if it lies in memory, the rest of memory stays what it was.
    fn write_variable(&mut self, body: &Body, v: VarId) {
        let written = cell(body, v);
        self.writes.insert(written);
        if written == Cell::Memory {
            self.reads.insert(written);
        }
    }

    fn write(&mut self, body: &Body, place: PlaceId) {
        let p = &body.places[place];
        let written = match p.base {
            Base::Var(v) => cell(body, v),
            Base::Global(_) | Base::Deref(_) => Cell::Memory,
        };
        self.writes.insert(written);
        // The other parts stay what they were.
        if p.as_var().is_none() || written == Cell::Memory {
            self.reads.insert(written);
        }
    }

    fn read(&mut self, body: &Body, mut items: Vec<Item>) {
        let mut seen = BTreeSet::new();
        while let Some(item) = items.pop() {
            match item {
                Item::Expr(e) => {
                    if seen.insert(e) {
                        expr_items(&body.exprs[e], &mut |item| items.push(item));
                    }
                }
                Item::Place(p) => {
                    let place = &body.places[p];
                    self.reads.insert(match place.base {
                        Base::Var(v) => cell(body, v),
                        Base::Global(_) | Base::Deref(_) => Cell::Memory,
                    });
                    place_items(place, &mut |item| items.push(item));
                }
            }
        }
    }
}

fn cell(body: &Body, v: VarId) -> Cell {
    match body.vars[v].address_taken {
        true => Cell::Memory,
        false => Cell::Variable(v),
    }
}

/// The last edge of an error path: the check is taken, and fails. Everywhere else its edge means that
/// it holds.
pub const FAILS: Edge = Edge(u32::MAX);

/// What the edges of a body access, once for all observers of one error.
#[derive(Clone, Debug)]
pub struct Accesses {
    by_edge: Arc<[Access]>,
    /// Of the check that fails.
    check: Access,
}

impl Accesses {
    /// `check`: the edge of the check that the error is about.
    pub fn new(body: &Body, check: EdgeId) -> Accesses {
        Accesses::among(Accesses::of_edges(body), check)
    }

    /// Of all edges of a body.
    pub fn of_edges(body: &Body) -> Arc<[Access]> {
        let all = body.edges().values();
        all.map(|e| Access::of(body, &e.stmt)).collect()
    }

    /// Where the accesses of all edges are known.
    pub fn among(by_edge: Arc<[Access]>, check: EdgeId) -> Accesses {
        Accesses {
            check: by_edge[check.index()].clone(),
            by_edge,
        }
    }

    pub fn of(&self, edge: Edge) -> &Access {
        match edge {
            FAILS => &self.check,
            edge => &self.by_edge[edge.0 as usize],
        }
    }
}

/// Accepts words that are infeasible for the reason that a core names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreObserver {
    sequence: Vec<Edge>,
    /// At each position what must not be written by others: what the rest of the sequence relies on.
    live: Vec<BTreeSet<Cell>>,
    /// After so many edges of the sequence, whether what was at the entry is disturbed by them.
    spoiled: Vec<bool>,
}

/// Edges that can change what an observer has seen.
pub struct Relevance<'a> {
    sequence: &'a [Edge],
    live: BTreeSet<Cell>,
}

impl Relevance<'_> {
    pub fn includes(&self, accesses: &Accesses, edge: Edge) -> bool {
        let writes = &accesses.of(edge).writes;
        self.sequence.contains(&edge) || writes.iter().any(|cell| self.live.contains(cell))
    }
}

/// How many edges of the sequence were seen; or that it cannot be seen any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seen {
    Edges(u16),
    /// All of them: the word is infeasible.
    All,
    Never,
}

impl CoreObserver {
    /// `path`: the whole path, whose last edge is the check that fails; `core`: the steps that
    /// contradict each other.
    pub fn new(accesses: &Accesses, path: &[EdgeId], core: &[usize]) -> Option<CoreObserver> {
        let edge = |step: usize| match step + 1 == path.len() {
            true => FAILS,
            false => Edge(path[step].index() as u32),
        };
        // Backwards: the steps of the core, and whatever wrote what they read last.
        let mut wanted: BTreeSet<Cell> = BTreeSet::new();
        let mut steps = Vec::new();
        let last = *core.iter().max()?;
        for step in (0..=last).rev() {
            let access = accesses.of(edge(step));
            let in_core = core.contains(&step);
            let defines = access.writes.iter().any(|c| wanted.contains(c));
            if in_core || defines {
                for cell in &access.writes {
                    wanted.remove(cell);
                }
                wanted.extend(&access.reads);
                steps.push(step);
            }
        }
        steps.reverse();
        if steps.len() > usize::from(u16::MAX) {
            return None;
        }
        let sequence: Vec<Edge> = steps.iter().map(|s| edge(*s)).collect();
        let mut live = vec![BTreeSet::new(); sequence.len() + 1];
        for i in (0..sequence.len()).rev() {
            let access = accesses.of(sequence[i]);
            let mut before: BTreeSet<Cell> =
                live[i + 1].difference(&access.writes).copied().collect();
            before.extend(&access.reads);
            live[i] = before;
        }
        let mut spoiled = vec![false];
        for edge in &sequence {
            let disturbs = !accesses.of(*edge).writes.is_disjoint(&live[0]);
            spoiled.push(disturbs || spoiled.last() == Some(&true));
        }
        Some(CoreObserver {
            sequence,
            live,
            spoiled,
        })
    }

    /// The edge that it ends with; none if that is the failing of the check.
    pub fn last(&self) -> Option<Edge> {
        self.sequence.last().copied().filter(|e| *e != FAILS)
    }

    pub fn initial(&self) -> Seen {
        match self.sequence.is_empty() {
            true => Seen::All,
            false => Seen::Edges(0),
        }
    }

    pub fn step(&self, accesses: &Accesses, seen: Seen, edge: Edge) -> Seen {
        let Seen::Edges(n) = seen else { return seen };
        let at = usize::from(n);
        if self.sequence[at] == edge {
            return self.after(at);
        }
        let writes = &accesses.of(edge).writes;
        if writes.is_disjoint(&self.live[at]) {
            return seen;
        }
        if self.spoiled[at] || !writes.is_disjoint(&self.live[0]) {
            return Seen::Never;
        }
        match self.sequence[0] == edge {
            true => self.after(0),
            false => Seen::Edges(0),
        }
    }

    /// The edges that can change what is seen.
    pub fn relevance(&self) -> Relevance<'_> {
        Relevance {
            sequence: &self.sequence,
            live: self.live.iter().flatten().copied().collect(),
        }
    }

    fn after(&self, at: usize) -> Seen {
        match at + 1 == self.sequence.len() {
            true => Seen::All,
            false => Seen::Edges(at as u16 + 1),
        }
    }

    pub fn accepts(&self, accesses: &Accesses, word: impl IntoIterator<Item = Edge>) -> bool {
        let mut seen = self.initial();
        for edge in word {
            seen = self.step(accesses, seen, edge);
        }
        seen == Seen::All
    }
}
