//! Saturation: transitions and their weights grow until no rule adds anything.
//!
//! What post* and pre* share: a transition waits while it has news, in an order that follows the program
//! (`order`), and passes on only what is new since it was looked at (semi-naive evaluation). Where
//! witnesses are wanted, each growth of a weight leaves a derivation ([`crate::witness`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::automaton::Automaton;
use crate::ids::{State, Symbol, TransitionId};
use crate::semiring::Semiring;
use crate::witness::{Derivation, Derivations, Part, Parts};

pub(crate) struct Saturation<'s, S: Semiring> {
    pub semiring: &'s S,
    pub automaton: Automaton<S::Weight>,
    /// By transition: what nobody was told yet.
    news: Vec<Option<S::Weight>>,
    priority: Vec<u32>,
    waiting: BinaryHeap<Reverse<(u32, TransitionId)>>,
    derivations: Option<Derivations<S::Weight>>,
}

impl<'s, S: Semiring> Saturation<'s, S> {
    /// From an automaton, all of whose transitions are news.
    pub fn new(
        semiring: &'s S,
        automaton: Automaton<S::Weight>,
        record: bool,
        priority: impl Fn(Option<Symbol>) -> u32,
    ) -> Self {
        let mut saturation = Saturation {
            semiring,
            news: automaton
                .transitions()
                .iter()
                .enumerate()
                .map(|(i, _)| Some(automaton.weight(TransitionId(i as u32)).clone()))
                .collect(),
            priority: automaton
                .transitions()
                .iter()
                .map(|t| priority(t.symbol))
                .collect(),
            waiting: BinaryHeap::new(),
            derivations: None,
            automaton,
        };
        if record {
            let mut derivations = Derivations::default();
            for id in 0..saturation.news.len() {
                let id = TransitionId(id as u32);
                let weight = saturation.automaton.weight(id).clone();
                derivations.add(id, Derivation::new(weight.clone(), weight, Parts::new()));
            }
            saturation.derivations = Some(derivations);
        }
        for (id, priority) in saturation.priority.iter().enumerate() {
            saturation
                .waiting
                .push(Reverse((*priority, TransitionId(id as u32))));
        }
        saturation
    }

    /// The next transition with news, and the news.
    pub fn next(&mut self) -> Option<(TransitionId, S::Weight)> {
        while let Some(Reverse((_, id))) = self.waiting.pop() {
            if let Some(news) = self.news[id.index()].take() {
                return Some((id, news));
            }
        }
        None
    }

    /// A transition as a part of a derivation: as it is now.
    pub fn part(&self, id: TransitionId) -> Part {
        let count = self.derivations.as_ref().map_or(0, |d| d.count(id));
        Part::Transition(id, count)
    }

    /// Adds to the weight of a transition, and says which one that is.
    pub fn grow(
        &mut self,
        from: State,
        symbol: Option<Symbol>,
        to: State,
        weight: S::Weight,
        priority: u32,
        parts: impl FnOnce() -> Parts,
    ) -> Option<TransitionId> {
        if self.semiring.is_zero(&weight) {
            return None;
        }
        let (id, new) = self
            .automaton
            .transition(from, symbol, to, || self.semiring.zero());
        if new {
            self.news.push(None);
            self.priority.push(priority);
        }
        let old = self.automaton.weight(id);
        let total = self.semiring.combine(old, &weight);
        if total == *old {
            return Some(id);
        }
        let fresh = self.semiring.difference(&weight, old);
        let news = &mut self.news[id.index()];
        *news = Some(match news.take() {
            Some(known) => self.semiring.combine(&known, &fresh),
            None => {
                self.waiting.push(Reverse((self.priority[id.index()], id)));
                fresh
            }
        });
        if let Some(derivations) = &mut self.derivations {
            derivations.add(id, Derivation::new(weight, total.clone(), parts()));
        }
        self.automaton.set_weight(id, total);
        Some(id)
    }

    pub fn finish(self) -> Saturated<S::Weight> {
        Saturated {
            automaton: self.automaton,
            derivations: self.derivations,
        }
    }
}

/// What post* or pre* gives: the automaton, and where its weights come from, if that was asked for.
#[derive(Clone, Debug)]
pub struct Saturated<W> {
    pub automaton: Automaton<W>,
    pub derivations: Option<Derivations<W>>,
}
