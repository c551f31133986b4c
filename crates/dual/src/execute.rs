//! The forward rules over a function (dual.txt, Fig. 3): from what is known at the entry to what is known where it ends.
//!
//! Straight parts are executed path by path; at a join there are several, and more than `m` become fewer by hulls. A loop is
//! a fixed point (§2.2): what is known at its head grows, turn by turn, until a turn adds nothing; after some turns it is
//! widened; and one more turn from there takes back what widening guessed too much (narrowing). All of it over-approximates,
//! so that what is *not* there cannot happen.

use crate::flow::{Loop, Step};
use crate::merge::{Template, hull, merged};
use crate::path::Path;
use crate::run::Run;
use crate::shape::Frame;
use ir::{Body, CallOutcome, CheckId, EdgeId, NodeId, Stmt};
use isl::{Context, Piece, Result, Set};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How much may be kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Disjuncts (the paper's m).
    pub disjuncts: usize,
    /// Turns of a loop before it is widened.
    pub turns: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            disjuncts: 4,
            turns: 3,
        }
    }
}

/// Where the runs of a function end.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    pub returns: Vec<Path>,
    /// An exception leaves the function, or the program ends.
    pub exits: Vec<Path>,
    /// At a check that fails.
    pub fails: BTreeMap<CheckId, Vec<Path>>,
}

/// Paths that wait at nodes.
type Waiting = BTreeMap<NodeId, Vec<Path>>;

/// A function that is executed.
pub struct Execution<'r, 'p> {
    pub run: &'r mut Run<'p>,
    pub context: Context,
    pub limits: Limits,
}

impl<'p> Execution<'_, 'p> {
    fn body(&self) -> &'p Body {
        self.run.body
    }

    /// Executes the steps, from what waits.
    pub fn steps(&mut self, steps: &[Step], waiting: &mut Waiting, ends: &mut Ends) -> Result<()> {
        for step in steps {
            match step {
                Step::Node(node) => self.node(*node, waiting, ends)?,
                Step::Loop(inner) => self.cycle(inner, waiting, ends)?,
            }
        }
        Ok(())
    }

    fn node(&mut self, node: NodeId, waiting: &mut Waiting, ends: &mut Ends) -> Result<()> {
        let Some(paths) = waiting.remove(&node) else {
            return Ok(());
        };
        let body = self.body();
        let paths = self.fewer(paths)?;
        if node == body.exit {
            ends.returns.extend(paths);
            return Ok(());
        }
        if Some(node) == body.unwind {
            ends.exits.extend(paths);
            return Ok(());
        }
        for path in paths {
            for (id, _) in body.out_edges(node) {
                self.edge(path.clone(), id, waiting, ends);
            }
        }
        Ok(())
    }

    fn edge(&mut self, path: Path, id: EdgeId, waiting: &mut Waiting, ends: &mut Ends) {
        let edge = &self.body().edges()[id];
        let behind = match &edge.stmt {
            Stmt::Check(check) => {
                let checked = self.run.check(path, &self.body().checks[*check].condition);
                if !checked.fails.is_empty() {
                    ends.fails.entry(*check).or_default().extend(checked.fails);
                }
                checked.holds
            }
            Stmt::Call(call) => {
                if call.noreturn && call.outcome == CallOutcome::Return {
                    ends.exits.push(path);
                    return;
                }
                self.run.unknown_call(path, call)
            }
            stmt => self.run.statement(path, stmt),
        };
        if !behind.is_empty() {
            waiting.entry(edge.to).or_default().extend(behind);
        }
    }

    /// The same paths, or fewer that are more general.
    fn fewer(&mut self, mut paths: Vec<Path>) -> Result<Vec<Path>> {
        while paths.len() > self.limits.disjuncts {
            let (a, b) = nearest(&paths);
            let pair = [paths[a].clone(), paths.remove(b)];
            paths[a] = merged(&self.context, &mut self.run.symbols, &pair)?;
        }
        Ok(paths)
    }

    /// A loop, until it comes to rest.
    fn cycle(&mut self, inner: &Loop, waiting: &mut Waiting, ends: &mut Ends) -> Result<()> {
        let entering = waiting.remove(&inner.head).unwrap_or_default();
        let others: Waiting = inner
            .nodes
            .iter()
            .filter_map(|node| Some((*node, waiting.remove(node)?)))
            .collect();
        if entering.is_empty() && others.is_empty() {
            return Ok(());
        }
        let mut head = Head::default();
        head.include(self, &entering)?;
        let mut turn = 0;
        loop {
            let back = self.turn(inner, &head, &others)?.0;
            let before = head.set(self)?;
            let grown = head.with(self, &back)?;
            if grown.is_rest(&before, self)? {
                break;
            }
            turn += 1;
            head = match turn > self.limits.turns {
                true => grown.widened(&head, self)?,
                false => grown.fewer(self)?,
            };
        }
        // One more turn, from the entry and what comes back: what widening guessed too much goes.
        let back = self.turn(inner, &head, &others)?.0;
        let mut again = Head {
            template: head.template.clone(),
            ..Head::default()
        };
        again.include(self, &entering)?;
        let again = again.with(self, &back)?;
        let head = head.narrowed(&again, self)?;
        let (_, leaving, inside) = self.turn(inner, &head, &others)?;
        for (node, paths) in leaving {
            waiting.entry(node).or_default().extend(paths);
        }
        ends.returns.extend(inside.returns);
        ends.exits.extend(inside.exits);
        for (check, paths) in inside.fails {
            ends.fails.entry(check).or_default().extend(paths);
        }
        Ok(())
    }

    /// One turn: what comes back to the head, what leaves the loop, and what ends in it.
    fn turn(
        &mut self,
        inner: &Loop,
        head: &Head,
        others: &Waiting,
    ) -> Result<(Vec<Path>, Waiting, Ends)> {
        let mut waiting = others.clone();
        let mut ends = Ends::default();
        waiting.insert(inner.head, head.paths(self)?);
        self.node(inner.head, &mut waiting, &mut ends)?;
        self.steps(&inner.body, &mut waiting, &mut ends)?;
        let back = waiting.remove(&inner.head).unwrap_or_default();
        Ok((back, waiting, ends))
    }
}

/// So many paths are compared each with each; if there are more, each with the next one, from which it often parted last.
const COMPARED: usize = 12;

/// The two paths that differ least.
fn nearest(paths: &[Path]) -> (usize, usize) {
    let mut best = (0, paths.len() - 1, usize::MAX);
    for b in 1..paths.len() {
        let first = match paths.len() > COMPARED {
            true => b - 1,
            false => 0,
        };
        for a in first..b {
            let differ = difference(&paths[a], &paths[b]);
            if differ < best.2 {
                best = (a, b, differ);
            }
        }
    }
    (best.0, best.1)
}

/// How many cells of memory two paths do not agree on.
fn difference(a: &Path, b: &Path) -> usize {
    let (mut a, mut b) = (a.memory.cells().peekable(), b.memory.cells().peekable());
    let mut count = 0;
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return count,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((o, p, _)), Some((q, r, _))) => (o, p).cmp(&(q, r)),
        };
        let x = if order.is_le() { a.next() } else { None };
        let y = if order.is_ge() { b.next() } else { None };
        count += usize::from(x != y);
    }
}

/// What is known at the head of a loop.
#[derive(Clone, Debug, Default)]
struct Head {
    template: Option<Template>,
    frame: Frame,
    pieces: Vec<Piece>,
}

impl Head {
    /// With these paths, which come from outside.
    fn include(&mut self, execution: &mut Execution<'_, '_>, paths: &[Path]) -> Result<()> {
        *self = self.with(execution, paths)?;
        Ok(())
    }

    /// With more paths.
    fn with(&self, execution: &mut Execution<'_, '_>, paths: &[Path]) -> Result<Head> {
        let mut all = self.paths(execution)?;
        all.extend(paths.iter().cloned());
        let symbols = &mut execution.run.symbols;
        let mut template = self.template.clone();
        for path in &all {
            match &mut template {
                Some(template) => template.include(symbols, path),
                None => template = Some(Template::of(path)),
            }
        }
        let Some(template) = template else {
            return Ok(Head::default());
        };
        let mut frame = template.symbols();
        frame.extend(symbols.inputs().map(|(_, s, _)| s));
        frame.sort_unstable();
        frame.dedup();
        let frame = Frame::new(frame);
        let mut pieces: Vec<Piece> = Vec::new();
        let mut union = Set::empty(&execution.context, frame.len())?;
        for path in &all {
            let piece = frame.piece(&execution.context, &template.facts(path))?;
            let set = piece.to_set()?;
            // Most of what comes back was there before.
            if !set.is_subset(&union)? {
                union = union.union(&set)?;
                pieces.push(piece);
            }
        }
        Ok(Head {
            pieces,
            frame,
            template: Some(template),
        })
    }

    /// One path for each piece.
    fn paths(&self, execution: &mut Execution<'_, '_>) -> Result<Vec<Path>> {
        let Some(template) = &self.template else {
            return Ok(Vec::new());
        };
        let symbols = &mut execution.run.symbols;
        let each = self.pieces.iter();
        each.map(|piece| template.path(&self.frame, piece, symbols))
            .collect()
    }

    fn set(&self, execution: &Execution<'_, '_>) -> Result<(Frame, Set)> {
        let mut union = Set::empty(&execution.context, self.frame.len())?;
        for piece in &self.pieces {
            union = union.union(&piece.to_set()?)?;
        }
        Ok((self.frame.clone(), union))
    }

    /// Is there nothing in it that was not there before?
    fn is_rest(&self, before: &(Frame, Set), execution: &Execution<'_, '_>) -> Result<bool> {
        Ok(self.frame == before.0 && self.set(execution)?.1.is_subset(&before.1)?)
    }

    /// With no more pieces than are allowed.
    fn fewer(mut self, execution: &Execution<'_, '_>) -> Result<Head> {
        while self.pieces.len() > execution.limits.disjuncts {
            let last = self.pieces.pop();
            let other = self.pieces.pop();
            if let (Some(a), Some(b)) = (last, other) {
                self.pieces.push(hull(&a.to_set()?.union(&b.to_set()?)?)?);
            }
        }
        Ok(self)
    }

    /// Grown in great steps.
    fn widened(self, old: &Head, execution: &Execution<'_, '_>) -> Result<Head> {
        let grown = self.fewer(execution)?;
        if grown.frame != old.frame {
            return Ok(grown);
        }
        let mut pieces = old.pieces.clone();
        for piece in &grown.pieces {
            let set = piece.to_set()?;
            let mut union = Set::empty(&execution.context, grown.frame.len())?;
            for piece in &pieces {
                union = union.union(&piece.to_set()?)?;
            }
            if set.is_subset(&union)? {
                continue;
            }
            // The last one takes what is new.
            if let Some(last) = pieces.pop() {
                let both = hull(&last.to_set()?.union(&set)?)?;
                pieces.push(last.widen(&both)?);
            }
        }
        Ok(Head { pieces, ..grown })
    }

    /// What both say.
    fn narrowed(self, again: &Head, execution: &Execution<'_, '_>) -> Result<Head> {
        if again.frame != self.frame {
            return Ok(self);
        }
        let both = self.set(execution)?.1.intersect(&again.set(execution)?.1)?;
        let both = both.coalesce()?;
        match both.disjuncts() <= execution.limits.disjuncts {
            true => Ok(Head {
                pieces: both.pieces()?,
                ..self
            }),
            false => Ok(self),
        }
    }
}
