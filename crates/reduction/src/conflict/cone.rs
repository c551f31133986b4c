//! The cone of influence of an update, while its fragment grows backwards.

use super::{Conflict, Indexed, Write};
use crate::expression::{ExpressionId, Expressions, Replacement};
use crate::interval::Interval;
use crate::word::Instance;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// The cone of influence of an update within a fragment that grows backwards.
pub(super) struct Cone<'a> {
    word: &'a Indexed<'a>,
    pub start: usize,
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
    pub changed: bool,
    /// What was solved already. The turns of a loop give the same few systems again and again.
    solved: FxHashSet<Vec<(Instance, ExpressionId)>>,
}

impl<'a> Cone<'a> {
    pub fn new(word: &'a Indexed<'a>, end: usize, update: usize) -> Self {
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
    pub fn is_new(&mut self) -> bool {
        let last = self.members.get(&self.last).copied();
        self.solved.insert(
            last.into_iter()
                .chain(self.counts.keys().copied())
                .collect(),
        )
    }

    /// The conflict, if the last update has no value in the least solution.
    pub fn conflict(&self) -> Option<Conflict> {
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
    pub fn grow(&mut self, least: usize) -> bool {
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

    /// Takes instances into the cone, with all that writes them in the fragment, and what that
    /// reads.
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
