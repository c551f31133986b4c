//! Conflicts (§4.3): fragments of a word that are infeasible by themselves, reduced to what matters.
//!
//! A fragment ends in an update whose value is empty; of its equations only those in the cone of
//! influence of that update are kept (the *reduced conflict*). Of all fragments those are found that
//! contain no other.
//!
//! **Which ends.** The word is executed once, on intervals, along its path: this is more precise
//! than any equations of a fragment, which join what comes to a location twice. So only an update that is empty there
//! can end a conflict, and words that are feasible cost one walk. Once a conflict [s, e] is
//! found, others that do not contain it start after s: the execution is done anew from there.
//!
//! **Which starts.** The fragment grows backwards from its end, not edge by edge, but to the next edge
//! that matters: one that writes what the cone reads from outside of the fragment so far, or writes an
//! instance of the cone once more. (So edges at the start that say nothing are never part of it.) The
//! first fragment without a solution is the shortest with this end.
//!
//! **What is empty.** The paper asks for an instance without values. Here it is enough that the
//! *last expression* has none: with `x_l = e₁ ⊔ e₂`, the run that comes to e₂ ends there, even
//! if e₁ has values. (`if (x == 0)` in a loop that increments x, taken twice, is such a conflict.)

use crate::automaton::{Automaton, Edge, Location, Variable};
use crate::expression::{ExpressionId, Expressions, Replacement};
use crate::interval::Interval;
use crate::strategy;
use crate::system::{System, Valuation};
use crate::word::Instance;
use rustc_hash::{FxHashMap, FxHashSet};
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
    /// The budget was used up: there may be more, and the last one may contain a shorter one with the same end.
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
        let empty = word.empty_updates(start);
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

    /// Executes the word on intervals along its path from a position; the updates that were empty.
    fn empty_updates(&self, start: usize) -> BTreeMap<usize, Vec<usize>> {
        let mut now: Vec<Interval> = (0..self.automaton.variable_count() as u32)
            .map(|x| self.automaton.range(Variable(x)))
            .collect();
        let mut empty: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut written: Vec<(Variable, Interval)> = Vec::new();
        for position in start..self.word.len() {
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

    /// The shortest conflict that ends in this update and starts at `least` or later.
    fn shortest(
        &self,
        end: usize,
        update: usize,
        least: usize,
        budget: usize,
        spent: &mut Conflicts,
    ) -> Option<Found> {
        let mut cone = Cone::new(self, end, update);
        loop {
            if std::mem::take(&mut cone.changed) && cone.is_new() {
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

/// The cone of influence of an update within a fragment that grows backwards.
struct Cone<'a> {
    word: &'a Indexed<'a>,
    start: usize,
    end: usize,
    last: Write,
    expressions: Expressions<Instance>,
    /// The updates of the cone, with the expression that each is in the fragment so far.
    members: BTreeMap<Write, (Instance, ExpressionId)>,
    /// How many members have this expression.
    counts: BTreeMap<(Instance, ExpressionId), usize>,
    instances: BTreeSet<Instance>,
    /// Members that read something written at this position, before the fragment.
    open: BTreeMap<usize, Vec<Write>>,
    /// Earlier writes of instances of the cone.
    earlier: BTreeSet<usize>,
    /// The equations are others than those solved last.
    changed: bool,
    /// What was solved already. The turns of a loop give the same few systems again and again.
    solved: FxHashSet<Vec<(Instance, ExpressionId)>>,
}

impl<'a> Cone<'a> {
    fn new(word: &'a Indexed<'a>, end: usize, update: usize) -> Self {
        let mut cone = Cone {
            word,
            start: end,
            end,
            last: (end, update),
            expressions: Expressions::new(),
            members: BTreeMap::new(),
            counts: BTreeMap::new(),
            instances: BTreeSet::new(),
            open: BTreeMap::new(),
            earlier: BTreeSet::new(),
            changed: true,
            solved: FxHashSet::default(),
        };
        let variable = word.automaton.updates(word.word[end])[update].variable;
        cone.enter(vec![Instance {
            variable,
            location: word.location(end),
        }]);
        cone
    }

    fn values(&self) -> BTreeMap<Instance, BTreeSet<ExpressionId>> {
        let mut values: BTreeMap<Instance, BTreeSet<ExpressionId>> = BTreeMap::new();
        for &(instance, value) in self.counts.keys() {
            values.entry(instance).or_default().insert(value);
        }
        values
    }

    /// Are these equations, with this last update, solved for the first time?
    fn is_new(&mut self) -> bool {
        let last = self.members.get(&self.last).copied();
        self.solved.insert(
            last.into_iter()
                .chain(self.counts.keys().copied())
                .collect(),
        )
    }

    /// The conflict, if the last update has no value in the least solution.
    fn conflict(&self) -> Option<Conflict> {
        let conflict = Conflict::new(&self.expressions, &self.values());
        let &(_, last) = self.members.get(&self.last)?;
        let value = |x| {
            let value = conflict.solution.get(&x);
            value.copied().unwrap_or(Interval::FULL)
        };
        let empty = self.expressions.evaluate(last, &value).is_empty();
        empty.then_some(conflict)
    }

    /// Moves the start to the next position that matters, if there is one that is not too early.
    fn grow(&mut self, least: usize) -> bool {
        let open = self.open.last_key_value().map(|(&position, _)| position);
        let earlier = self.earlier.last().copied();
        let Some(start) = open.max(earlier).filter(|&start| start >= least) else {
            return false;
        };
        self.start = start;
        self.earlier.remove(&start);
        let mut entering = Vec::new();
        for reader in self.open.remove(&start).unwrap_or_default() {
            self.express(reader, &mut entering);
        }
        // What is written here once more.
        let edge = self.word.word[start];
        for (k, update) in self.word.automaton.updates(edge).iter().enumerate() {
            let instance = Instance {
                variable: update.variable,
                location: self.word.location(start),
            };
            if self.instances.contains(&instance) {
                self.express((start, k), &mut entering);
                self.announce_earlier(instance);
            }
        }
        self.enter(entering);
        true
    }

    /// Takes instances into the cone, with all that writes them in the fragment, and what that reads.
    fn enter(&mut self, mut entering: Vec<Instance>) {
        while let Some(instance) = entering.pop() {
            if !self.instances.insert(instance) {
                continue;
            }
            let word = self.word;
            let writes = word.writes.get(&instance).map_or(&[][..], |w| &w[..]);
            let from = writes.partition_point(|&(position, _)| position < self.start);
            let to = writes.partition_point(|&(position, _)| position <= self.end);
            for &write in &writes[from..to] {
                self.express(write, &mut entering);
            }
            self.announce_earlier(instance);
        }
    }

    /// The last write of the instance before the fragment is one that it may grow to.
    fn announce_earlier(&mut self, instance: Instance) {
        let writes = self.word.writes.get(&instance).map_or(&[][..], |w| &w[..]);
        let before = writes.partition_point(|&(position, _)| position < self.start);
        if let Some(&(position, _)) = before.checked_sub(1).map(|i| &writes[i]) {
            self.earlier.insert(position);
        }
    }

    /// Makes the write a member with its expression in the fragment as it is now.
    fn express(&mut self, write: Write, entering: &mut Vec<Instance>) {
        let word = self.word;
        let (position, k) = write;
        let update = word.automaton.updates(word.word[position])[k];
        let instance = Instance {
            variable: update.variable,
            location: word.location(position),
        };
        let (start, open) = (self.start, &mut self.open);
        let value =
            self.expressions
                .substitute(
                    &word.automaton.expressions,
                    update.value,
                    &mut |x| match word.definition(position, x) {
                        Some(at) if at >= start => {
                            let instance = Instance {
                                variable: x,
                                location: word.location(at),
                            };
                            entering.push(instance);
                            Replacement::Variable(instance)
                        }
                        definition => {
                            if let Some(at) = definition {
                                let readers = open.entry(at).or_default();
                                if !readers.contains(&write) {
                                    readers.push(write);
                                }
                            }
                            Replacement::Constant(word.automaton.range(x))
                        }
                    },
                );
        if let Some(old) = self.members.insert(write, (instance, value)) {
            if old == (instance, value) {
                return;
            }
            if let Some(count) = self.counts.get_mut(&old) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&old);
                    self.changed = true;
                }
            }
        }
        let count = self.counts.entry((instance, value)).or_insert(0);
        *count += 1;
        self.changed |= *count == 1 || write == self.last;
    }
}
