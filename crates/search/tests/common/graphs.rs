//! Random graphs with a covering relation that is valid by construction.

use proptest::prelude::*;
use search::{Space, Successor};

/// How much of the greatest covering relation a graph uses. Any part of it matches paths.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Covering {
    Equality,
    Some,
    Greatest,
}

/// An explicit graph, with the greatest relation that matches paths: a state covers those that are
/// no nearer to an error. Differences may be states that nothing reaches, as in the paper.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The location of every state.
    pub at: Vec<usize>,
    pub initial: Vec<usize>,
    pub edges: Vec<(usize, usize)>,
    pub is_error: Vec<bool>,
    /// The length of the shortest path to an error; `usize::MAX` if there is none.
    pub distance: Vec<usize>,
    pub covering: Covering,
    /// Chooses pairs, differences and classes.
    pub seed: usize,
}

impl Graph {
    fn choose(&self, a: usize, b: usize) -> usize {
        (a.wrapping_mul(0x9E37_79B9) ^ b.wrapping_mul(0x85EB_CA6B) ^ self.seed)
            .wrapping_mul(0xC2B2_AE35)
            >> 13
    }

    fn with_distances(mut self) -> Self {
        self.distance = self
            .is_error
            .iter()
            .map(|is_error| if *is_error { 0 } else { usize::MAX })
            .collect();
        for _ in 0..self.at.len() {
            for (from, to) in &self.edges {
                let through = self.distance[*to].saturating_add(1);
                self.distance[*from] = self.distance[*from].min(through);
            }
        }
        self
    }
}

impl Space for Graph {
    type State = usize;
    type Label = usize;

    fn locations(&self) -> usize {
        2
    }

    fn initial(&mut self, out: &mut Vec<(usize, usize)>) {
        out.extend(self.initial.iter().map(|state| (self.at[*state], *state)));
    }

    fn successors(&mut self, _: usize, state: &usize, out: &mut Vec<Successor<usize, usize>>) {
        for (label, (from, to)) in self.edges.iter().enumerate() {
            if from == state {
                out.push(Successor {
                    label,
                    at: self.at[*to],
                    state: *to,
                });
            }
        }
    }

    fn is_error(&self, _: usize, state: &usize) -> bool {
        self.is_error[*state]
    }

    fn covers(&self, _: usize, by: &usize, state: &usize) -> bool {
        let allowed = match self.covering {
            Covering::Equality => false,
            Covering::Some => self.choose(*by, *state).is_multiple_of(2),
            Covering::Greatest => true,
        };
        by == state || (allowed && self.distance[*by] <= self.distance[*state])
    }

    /// States of this location that are as near to an error, and perhaps some that are less near.
    fn difference(&self, at: usize, state: &usize, _: &usize) -> Option<Vec<usize>> {
        let others: Vec<usize> = (0..self.at.len())
            .filter(|other| self.at[*other] == at && other != state)
            .collect();
        let distance = self.distance[*state];
        let same = others
            .iter()
            .find(|other| self.distance[**other] == distance)?;
        let less = others.iter().filter(|other| {
            self.distance[**other] > distance && self.choose(**other, *state).is_multiple_of(3)
        });
        Some(std::iter::once(same).chain(less).copied().collect())
    }

    fn merge(&mut self, _: usize, reached: &usize, state: &usize, _: u32) -> usize {
        if self.distance[*reached] <= self.distance[*state] {
            *reached
        } else {
            *state
        }
    }

    fn class(&self, _: usize, state: &usize) -> u64 {
        (self.choose(*state, 0) % 3) as u64
    }

    fn widen(&mut self, _: usize, _: &usize, state: usize, _: u32) -> usize {
        state
    }

    fn fingerprint(&self, _: usize, state: &usize) -> u64 {
        match self.covering {
            Covering::Equality => *state as u64 % 4,
            _ => 0,
        }
    }
}

/// Edges lead a few states on (in a circle), so that errors are near and far, and four of five states
/// have one to the next, so that much can be reached.
pub fn graphs() -> impl Strategy<Value = Graph> {
    (6usize..40).prop_flat_map(|states| {
        (
            prop::collection::vec(0usize..2, states),
            prop::collection::vec(0..states, 1..4),
            prop::collection::vec(prop::bool::weighted(0.8), states),
            prop::collection::vec((0..states, 1..states), 0..states),
            prop::collection::vec(0..states, 0..3),
            any::<u32>(),
        )
            .prop_map(move |(at, initial, next, jumps, errors, seed)| {
                let next = (0..states).filter(|state| next[*state]);
                let next = next.map(|state| (state, (state + 1) % states));
                let jumps = jumps.into_iter();
                let jumps = jumps.map(|(from, far)| (from, (from + far.min(5)) % states));
                Graph {
                    at,
                    initial,
                    edges: jumps.chain(next).collect(),
                    is_error: (0..states).map(|state| errors.contains(&state)).collect(),
                    distance: Vec::new(),
                    covering: Covering::Equality,
                    seed: seed as usize,
                }
                .with_distances()
            })
    })
}
