//! Conflicts (§4.3): fragments of a word that are infeasible by themselves, reduced to what
//! matters.
//!
//! A fragment ends in an update whose value is empty; of its equations only those in the cone of
//! influence of that update are kept (the *reduced conflict*). Of all fragments those are found
//! that contain no other.
//!
//! **Which ends.** The word is executed once, on intervals, along its path: this is more precise
//! than any equations of a fragment, which join what comes to a location twice. So only an update
//! that is empty there can end a conflict, and words that are feasible cost one walk. Once a
//! conflict [s, e] is found, others that do not contain it start after s: the execution is done
//! anew from there.
//!
//! **Which starts.** The fragment grows backwards from its end, not edge by edge, but to the next
//! edge that matters: one that writes what the cone reads from outside of the fragment so far, or
//! writes an instance of the cone once more. (So edges at the start that say nothing are never part
//! of it.) The first fragment without a solution is the shortest with this end. Nothing is solved
//! before the fragment is so long that the execution of it alone comes to nothing, which a binary
//! search finds out: a chain of a thousand assignments is one system, not a thousand.
//!
//! **What is empty.** The paper asks for an instance without values. Here it is enough that the
//! *last expression* has none: with `x_l = e₁ ⊔ e₂`, the run that comes to e₂ ends there, even
//! if e₁ has values. (`if (x == 0)` in a loop that increments x, taken twice, is such a conflict.)

mod cone;

use crate::automaton::{Automaton, Edge, Location, Variable};
use crate::expression::{ExpressionId, Expressions, Replacement};
use crate::interval::Interval;
use crate::strategy;
use crate::system::{System, Valuation};
use crate::word::Instance;
use cone::Cone;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A reduced conflict. Equal if the equations are.
#[derive(Clone, Debug)]
pub struct Conflict {
    system: System<Instance>,
    /// The expressions of each instance, each once, in an order of their own.
    values: BTreeMap<Instance, Vec<ExpressionId>>,
    solution: Valuation<Instance>,
}

impl PartialEq for Conflict {
    fn eq(&self, other: &Self) -> bool {
        self.system == other.system && self.values == other.values
    }
}

impl Eq for Conflict {}

impl Conflict {
    /// Of the expressions of each instance, in any arena; canonical.
    fn new(
        from: &Expressions<Instance>,
        values: &BTreeMap<Instance, BTreeSet<ExpressionId>>,
    ) -> Conflict {
        let mut system: System<Instance> = System::new();
        let mut sorted_values = BTreeMap::new();
        for (&instance, values) in values {
            let mut sorted: Vec<ExpressionId> = values.iter().copied().collect();
            sorted.sort_by(|&a, &b| from.compare(a, b));
            let copied: Vec<ExpressionId> = sorted
                .into_iter()
                .map(|e| {
                    let keep = &mut |x| Replacement::Variable(x);
                    system.expressions.substitute(from, e, keep)
                })
                .collect();
            for &e in &copied {
                system.add(instance, e);
            }
            sorted_values.insert(instance, copied);
        }
        let solution = strategy::solve(&system);
        Conflict {
            system,
            values: sorted_values,
            solution,
        }
    }

    /// The reduced equations.
    pub fn system(&self) -> &System<Instance> {
        &self.system
    }

    /// Their least solution.
    pub fn solution(&self) -> &Valuation<Instance> {
        &self.solution
    }

    /// The expressions that are joined for each instance.
    pub fn values(&self) -> impl Iterator<Item = (Instance, &[ExpressionId])> {
        self.values.iter().map(|(&x, values)| (x, &values[..]))
    }

    /// Is this one of the expressions that have no value: the end of every run that comes there?
    pub fn is_fatal(&self, value: ExpressionId) -> bool {
        self.system.evaluate(value, &self.solution).is_empty()
    }
}

/// A conflict and where in the word it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Positions of the first and the last edge.
    pub first: usize,
    pub last: usize,
    pub conflict: Conflict,
}

/// The conflicts of a word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conflicts {
    /// By their ends. No two have the same equations; one per fragment.
    pub found: Vec<Found>,
    /// Equation systems that were solved.
    pub solved: usize,
    /// The budget was used up: there may be more, and the last one may contain a shorter one with
    /// the same end.
    pub exhausted: bool,
}

/// All minimal conflicts of a word: those whose fragment contains no other conflict's. At most
/// `budget` fragments are tried.
pub fn conflicts(automaton: &Automaton, word: &[Edge], budget: usize) -> Conflicts {
    let word = Indexed::new(automaton, word);
    let mut all = Conflicts::default();
    // Conflicts that start later than this contain none of those found.
    let mut start = 0;
    let mut after = 0;
    'execution: loop {
        let empty = match word.word.len().checked_sub(1) {
            Some(end) => word.execute(start, end),
            None => BTreeMap::new(),
        };
        for (end, updates) in empty.range(after..) {
            let mut best: Option<Found> = None;
            for &update in updates {
                let least = best.as_ref().map_or(start, |found| found.first + 1);
                let Some(found) = word.shortest(*end, update, least, budget, &mut all) else {
                    continue;
                };
                best = Some(found);
            }
            if let Some(found) = best {
                start = found.first + 1;
                after = end + 1;
                if all.found.iter().all(|f| f.conflict != found.conflict) {
                    all.found.push(found);
                }
                continue 'execution;
            }
            if all.exhausted {
                break;
            }
        }
        return all;
    }
}

/// An update of an edge of the word: its position, and which of the edge's it is.
type Write = (usize, usize);

struct Indexed<'a> {
    automaton: &'a Automaton,
    word: &'a [Edge],
    /// For each position and variable read there, where it was written last before.
    definitions: Vec<Vec<(Variable, Option<usize>)>>,
    /// Where each instance is written, in the order of the word.
    writes: FxHashMap<Instance, Vec<Write>>,
}

impl<'a> Indexed<'a> {
    fn new(automaton: &'a Automaton, word: &'a [Edge]) -> Self {
        let mut last: Vec<Option<usize>> = vec![None; automaton.variable_count()];
        let mut definitions = Vec::with_capacity(word.len());
        let mut writes: FxHashMap<Instance, Vec<Write>> = FxHashMap::default();
        for (position, &edge) in word.iter().enumerate() {
            let mut read: Vec<(Variable, Option<usize>)> = Vec::new();
            for (k, update) in automaton.updates(edge).iter().enumerate() {
                automaton.expressions.variables(update.value, &mut |x| {
                    if read.iter().all(|&(y, _)| y != x) {
                        read.push((x, last[x.0 as usize]));
                    }
                });
                let instance = Instance {
                    variable: update.variable,
                    location: automaton.target(edge),
                };
                writes.entry(instance).or_default().push((position, k));
            }
            for update in automaton.updates(edge) {
                last[update.variable.0 as usize] = Some(position);
            }
            definitions.push(read);
        }
        Indexed {
            automaton,
            word,
            definitions,
            writes,
        }
    }

    fn location(&self, position: usize) -> Location {
        self.automaton.target(self.word[position])
    }

    fn definition(&self, position: usize, variable: Variable) -> Option<usize> {
        let read = &self.definitions[position];
        read.iter().find(|&&(x, _)| x == variable)?.1
    }

    /// Executes the word on intervals along its path, from one position to another; the updates
    /// that were empty.
    fn execute(&self, start: usize, end: usize) -> BTreeMap<usize, Vec<usize>> {
        let mut now: Vec<Interval> = (0..self.automaton.variable_count() as u32)
            .map(|x| self.automaton.range(Variable(x)))
            .collect();
        let mut empty: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut written: Vec<(Variable, Interval)> = Vec::new();
        for position in start..=end {
            written.clear();
            let updates = self.automaton.updates(self.word[position]);
            for (k, update) in updates.iter().enumerate() {
                let value = self
                    .automaton
                    .expressions
                    .evaluate(update.value, &|x| now[x.0 as usize]);
                if value.is_empty() {
                    empty.entry(position).or_default().push(k);
                }
                written.push((update.variable, value));
            }
            for &(variable, value) in &written {
                now[variable.0 as usize] = value;
            }
        }
        empty
    }

    /// Has this update no value if the word is executed from `start`, where nothing is known?
    fn is_empty_from(&self, start: usize, (end, update): Write) -> bool {
        let empty = self.execute(start, end);
        empty
            .get(&end)
            .is_some_and(|updates| updates.contains(&update))
    }

    /// The last position from `least` on from which the update is empty along the path. Starting
    /// earlier one knows more, so all positions before are such as well, and none after.
    fn latest_start(&self, write: Write, least: usize) -> Option<usize> {
        if !self.is_empty_from(least, write) {
            return None;
        }
        let (mut empty, mut not_empty) = (least, write.0 + 1);
        while not_empty - empty > 1 {
            let middle = empty.midpoint(not_empty);
            if self.is_empty_from(middle, write) {
                empty = middle;
            } else {
                not_empty = middle;
            }
        }
        Some(empty)
    }

    /// The shortest conflict that ends in this update and starts at `least` or later.
    fn shortest(
        &self,
        end: usize,
        update: usize,
        least: usize,
        budget: usize,
        spent: &mut Conflicts,
    ) -> Option<Found> {
        let latest = self.latest_start((end, update), least)?;
        let mut cone = Cone::new(self, end, update);
        loop {
            if cone.start <= latest && std::mem::take(&mut cone.changed) && cone.is_new() {
                if spent.solved == budget {
                    spent.exhausted = true;
                    return None;
                }
                spent.solved += 1;
                if let Some(conflict) = cone.conflict() {
                    return Some(Found {
                        first: cone.start,
                        last: end,
                        conflict,
                    });
                }
            }
            if !cone.grow(least) {
                return None;
            }
        }
    }
}
