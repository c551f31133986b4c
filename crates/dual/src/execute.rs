//! The forward rules over a function (dual.txt, Fig. 3): from what is known at the entry to what is known where it ends.
//!
//! Straight parts are executed path by path; at a join there are several, and more than `m` become fewer by hulls. A loop is
//! a fixed point (§2.2): what is known at its head grows, turn by turn, until a turn adds nothing; after some turns it is
//! widened; and one more turn from there takes back what widening guessed too much (narrowing). All of it over-approximates,
//! so that what is *not* there cannot happen.

mod along;
mod calling;
mod first;
mod nearest;
mod reached;
mod tail;

use crate::apart::Apart;
use crate::grow::Ground;
use crate::merge::merged;
use crate::path::Path;
use crate::run::Run;
use crate::summary::{Callees, Origin};
use crate::value::Object;
use automata::graph::Graph;
use ir::flow::{Loop, Step};
use ir::{Body, CheckId, EdgeId, NodeId, Stmt};
use isl::{Context, Result, Stopped};
use nearest::{nearest, say_far};
pub use reached::{Place, Reached};
use std::collections::{BTreeMap, BTreeSet};
pub use tail::straight_end;

/// How much may be kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Disjuncts (the paper's m).
    pub disjuncts: usize,
    /// Turns of a loop before it is widened.
    pub turns: usize,
    /// How numbers are related is kept where paths meet, and not only between which ends each of them is.
    pub relations: bool,
    /// Work outside of isl ([`crate::work`]).
    pub work: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            disjuncts: 4,
            turns: 3,
            relations: true,
            work: 100_000_000,
        }
    }
}

/// How often a loop may turn after it began to be widened. What can still change then is finite, and small.
const PATIENCE: usize = 40;

/// Cases of one path, at most: values that depend on others, calls that end in several ways.
const CASES: usize = 64;

/// Where a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// At a check of the function itself.
    Here(CheckId),
    /// In a call, at the check that this leads to.
    Call(EdgeId, Origin),
}

/// Where the runs of a function end.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    pub returns: Vec<Path>,
    /// The same, before they were made fewer: what of all inputs they need is said of these.
    pub back: Vec<Path>,
    /// An exception leaves the function.
    pub unwinds: Vec<Path>,
    /// The program ends.
    pub exits: Vec<Path>,
    pub fails: BTreeMap<Failure, Vec<Path>>,
    /// Activations of the function below this one, while these are looked for.
    pub descents: Vec<Path>,
    /// Something was called of which nothing is known.
    pub guessed: bool,
    /// Something was called that is only declared: nobody knows whether it comes back.
    pub strangers: bool,
    /// How the places are come to where runs fail, if somebody asks.
    pub reached: Reached,
}

impl Ends {
    fn add(&mut self, other: Ends) {
        self.returns.extend(other.returns);
        self.back.extend(other.back);
        self.unwinds.extend(other.unwinds);
        self.exits.extend(other.exits);
        self.descents.extend(other.descents);
        for (failure, paths) in other.fails {
            self.fails.entry(failure).or_default().extend(paths);
        }
        self.guessed |= other.guessed;
        self.strangers |= other.strangers;
        self.reached.add(other.reached);
    }
}

/// Paths that wait at nodes.
type Waiting = BTreeMap<NodeId, Vec<Path>>;

/// A function that is executed.
pub struct Execution<'r, 'p> {
    pub run: &'r mut Run<'p>,
    pub context: Context,
    pub limits: Limits,
    pub callees: Callees<'r>,
    /// Which variables still matter where paths meet.
    pub graph: Graph,
    /// Where more paths are kept apart.
    pub tail: BTreeSet<NodeId>,
    /// What was known at the heads of loops when they came to rest the last time: within a loop, from where to go on in the
    /// next turn of that. (It is a guess: what is known at rest holds wherever it began.)
    pub last: BTreeMap<NodeId, Apart>,
    /// Loops around what is executed.
    pub depth: usize,
}

impl<'p> Execution<'_, 'p> {
    fn ground(&mut self) -> Ground<'_> {
        Ground {
            context: &self.context,
            symbols: &mut self.run.symbols,
            // Every path from the head parts again in the body.
            limits: Limits {
                disjuncts: self.limits.disjuncts.div_ceil(2),
                ..self.limits
            },
            same_inputs: true,
        }
    }

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
        let paths = self.alive(node, paths);
        let most = self.limits.disjuncts * if self.tail.contains(&node) { 2 } else { 1 };
        let paths = self.fewer(paths, most)?;
        if node == body.exit {
            ends.back.extend(paths.iter().cloned());
            ends.returns
                .extend(self.fewer(paths, self.limits.disjuncts)?);
            return Ok(());
        }
        if Some(node) == body.unwind {
            ends.unwinds.extend(paths);
            return Ok(());
        }
        self.leave(node, paths, waiting, ends)
    }

    /// Executes the edges behind a node.
    fn leave(
        &mut self,
        node: NodeId,
        paths: Vec<Path>,
        waiting: &mut Waiting,
        ends: &mut Ends,
    ) -> Result<()> {
        for path in paths {
            for (id, _) in self.body().out_edges(node) {
                self.run.work.add(path.size());
                if self.run.work.done() > self.limits.work {
                    return Err(Stopped::Budget);
                }
                self.edge(path.clone(), id, waiting, ends);
            }
        }
        Ok(())
    }

    fn edge(&mut self, path: Path, id: EdgeId, waiting: &mut Waiting, ends: &mut Ends) {
        let edge = &self.body().edges()[id];
        let mut behind = match &edge.stmt {
            Stmt::Check(check) => {
                let before = self.run.watched.then(|| path.facts.clone());
                let checked = self.run.check(path, &self.body().checks[*check].condition);
                if !checked.fails.is_empty() {
                    let failure = Failure::Here(*check);
                    let surely = checked.holds.is_empty();
                    ends.reached.note(Place::Check(*check), before, surely);
                    let fails = checked.fails.iter().map(Path::ended);
                    ends.fails.entry(failure).or_default().extend(fails);
                }
                checked.holds
            }
            Stmt::Call(call) => self.call(path, id, call, ends),
            Stmt::Trap(_) => {
                ends.exits.push(path.ended());
                return;
            }
            stmt => self.run.statement(path, id, stmt),
        };
        if !matches!(edge.stmt, Stmt::Check(_)) {
            behind.iter_mut().for_each(|path| path.checked.clear());
        }
        if !behind.is_empty() {
            waiting.entry(edge.to).or_default().extend(behind);
        }
    }

    /// The same paths without variables that nothing reads any more. What these held would only make paths differ: at a join
    /// or the head of a loop it would cost a dimension, and hide what they have in common.
    fn alive(&self, node: NodeId, mut paths: Vec<Path>) -> Vec<Path> {
        let Some(at) = self.graph.location(node) else {
            return paths;
        };
        let is_dead =
            |object: &Object| matches!(object, Object::Variable(v) if !self.graph.is_live(at, *v));
        for path in &mut paths {
            path.memory.drop_objects(is_dead);
        }
        paths
    }

    /// The same paths, or so many at most, which are more general.
    fn fewer(&mut self, mut paths: Vec<Path>, most: usize) -> Result<Vec<Path>> {
        if paths.len() > most {
            let all = paths.iter().map(Path::size);
            self.run
                .work
                .add(paths.len().min(MANY) * all.sum::<usize>());
            say_far(&mut paths, &self.run.symbols);
        }
        // Far too many: to look for the nearest ones would take longer than all that comes behind.
        while paths.len() > MANY.max(most) {
            let groups = paths.chunks(paths.len().div_ceil(MANY.max(most)));
            let one = |group: &[Path]| match group {
                [path] => Ok(path.clone()),
                group => merged(&self.context, &mut self.run.symbols, group, self.limits),
            };
            paths = groups.map(one).collect::<Result<_>>()?;
        }
        while paths.len() > most {
            let (a, b) = nearest(&paths, &self.run.symbols);
            let pair = [paths[a].clone(), paths.remove(b)];
            paths[a] = merged(&self.context, &mut self.run.symbols, &pair, self.limits)?;
        }
        Ok(paths)
    }

    /// A loop, until it comes to rest.
    fn cycle(&mut self, inner: &Loop, waiting: &mut Waiting, ends: &mut Ends) -> Result<()> {
        let entering = waiting.remove(&inner.head).unwrap_or_default();
        let mut entering = self.alive(inner.head, entering);
        let mut others: Waiting = inner
            .nodes
            .iter()
            .filter_map(|node| Some((*node, waiting.remove(node)?)))
            .collect();
        if entering.is_empty() && others.is_empty() {
            return Ok(());
        }
        if self.has_first_turn(inner) {
            let waiting_within = std::mem::take(&mut others);
            entering = self.first_turn(inner, &entering, &waiting_within, waiting, ends)?;
            if entering.is_empty() {
                return Ok(());
            }
        }
        let entered = Apart::default().with(&mut self.ground(), &entering)?;
        let entered = entered.settled(&self.ground())?;
        let mut head = entered.clone();
        let mut turn = 0;
        if let Some(last) = self.last.remove(&inner.head) {
            let guess = last.growing(&mut self.run.symbols)?;
            head = head.with(&mut self.ground(), &guess)?;
            turn = self.limits.turns;
        }
        let mut back;
        loop {
            back = self.turn(inner, &head, &others)?.0;
            let grown = head.with(&mut self.ground(), &back)?;
            if grown.is_rest(&head)? {
                break;
            }
            turn += 1;
            if turn > self.limits.turns + PATIENCE {
                return Err(Stopped::Failed("a loop does not come to rest".into()));
            }
            head = grown.next(&head, &self.ground(), turn)?;
        }
        // One more turn, from the entry and what comes back: what widening guessed too much goes. Loops within begin anew, too.
        if self.forget(inner) {
            back = self.turn(inner, &head, &others)?.0;
            self.forget(inner);
        }
        let again = head.emptied().with(&mut self.ground(), &entering)?;
        let again = again.settled(&self.ground())?;
        let again = again.with(&mut self.ground(), &back)?;
        let head = head.narrowed(&again, &self.ground())?;
        let (_, leaving, inside) = self.turn(inner, &head, &others)?;
        for (node, paths) in leaving {
            waiting.entry(node).or_default().extend(paths);
        }
        ends.add(inside);
        self.forget(inner);
        self.last.insert(inner.head, head);
        Ok(())
    }

    /// Forgets where loops within a loop came to rest. Were there any?
    fn forget(&mut self, outer: &Loop) -> bool {
        let before = self.last.len();
        self.last.retain(|node, _| !outer.nodes.contains(node));
        self.last.len() < before
    }

    /// One turn: what comes back to the head, what leaves the loop, and what ends in it.
    fn turn(
        &mut self,
        inner: &Loop,
        head: &Apart,
        others: &Waiting,
    ) -> Result<(Vec<Path>, Waiting, Ends)> {
        let mut waiting = others.clone();
        let mut ends = Ends::default();
        // These are few, and stay apart: what leaves the loop at once has nothing to do with what stays.
        let paths = head.paths(&mut self.run.symbols)?;
        self.leave(inner.head, paths, &mut waiting, &mut ends)?;
        self.depth += 1;
        let done = self.steps(&inner.body, &mut waiting, &mut ends);
        self.depth -= 1;
        done?;
        let back = self.alive(inner.head, waiting.remove(&inner.head).unwrap_or_default());
        Ok((back, waiting, ends))
    }
}

/// More paths than this become fewer, each with the next ones, from which it often parted last.
const MANY: usize = 64;
