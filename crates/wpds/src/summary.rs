//! `path_summary` on functional automata (§4): labels on states, `l(q') := l(q') ⊕ W(l(q))`, until nothing changes.
//!
//! Functional weights distribute over `combine`, so this is the join over all paths, although they have no sums of
//! their own. With a record, a path of the automaton can be read back from any label.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::functional::Functional;
use crate::semiring::Semiring;

/// How a label grew: by this pair, from the label of the pair's origin as it was after so many growths.
#[derive(Clone, Debug)]
pub(crate) struct Growth<W> {
    pub pair: u32,
    /// Growths of the label at the pair's origin; nothing for a head.
    pub origin: Option<u32>,
    pub weight: W,
}

pub(crate) struct Summary<'f, 'a, S: Semiring> {
    semiring: &'f S,
    functional: &'f Functional<'a, S::Weight>,
    labels: FxHashMap<u32, S::Weight>,
    waiting: BinaryHeap<Reverse<u32>>,
    record: bool,
    pub growths: FxHashMap<u32, Vec<Growth<S::Weight>>>,
}

impl<'f, 'a, S: Semiring> Summary<'f, 'a, S> {
    pub fn new(semiring: &'f S, functional: &'f Functional<'a, S::Weight>, record: bool) -> Self {
        Summary {
            semiring,
            functional,
            labels: FxHashMap::default(),
            waiting: BinaryHeap::new(),
            record,
            growths: FxHashMap::default(),
        }
    }

    /// Begins with a pair that leaves an initial state.
    pub fn head(&mut self, pair: u32, bottleneck: &S::Weight) {
        let weight = self.functional.apply(self.semiring, pair, bottleneck);
        self.grow(pair, None, weight);
    }

    fn grow(&mut self, pair: u32, origin: Option<u32>, weight: S::Weight) {
        if self.semiring.is_zero(&weight) {
            return;
        }
        let to = self.functional.pair(pair).to;
        let label = self
            .labels
            .entry(to)
            .or_insert_with(|| self.semiring.zero());
        let sum = self.semiring.combine(label, &weight);
        if sum == *label {
            return;
        }
        *label = sum;
        self.waiting.push(Reverse(to));
        if self.record {
            self.growths.entry(to).or_default().push(Growth {
                pair,
                origin,
                weight,
            });
        }
    }

    /// Until nothing changes: the combine of the labels of accepting states.
    pub fn run(&mut self) -> S::Weight {
        while let Some(Reverse(state)) = self.waiting.pop() {
            // Those that were pushed twice stand next to each other.
            while self.waiting.peek() == Some(&Reverse(state)) {
                self.waiting.pop();
            }
            let Some(label) = self.labels.get(&state).cloned() else {
                continue;
            };
            let count = self.growths.get(&state).map_or(0, |g| g.len() as u32);
            for pair in &self.functional.leaving[state as usize] {
                let weight = self.functional.apply(self.semiring, *pair, &label);
                self.grow(*pair, Some(count), weight);
            }
        }
        let mut sum = self.semiring.zero();
        for state in self.accepting() {
            if let Some(label) = self.labels.get(&state) {
                sum = self.semiring.combine(&sum, label);
            }
        }
        sum
    }

    /// The accepting states that have a label, in order.
    pub fn accepting(&self) -> Vec<u32> {
        let accepting = &self.functional.accepting;
        #[expect(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut states: Vec<u32> = {
            let mut states = Vec::new();
            for state in self.labels.keys() {
                if accepting[*state as usize] {
                    states.push(*state);
                }
            }
            states
        };
        states.sort_unstable();
        states
    }
}
