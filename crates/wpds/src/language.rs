//! Regular sets of configurations, without weights: the sets S, T and C of the paper.
//!
//! A language is a finite automaton that reads the stack from its top, started in the state of the configuration
//! (Definition 2).

use crate::ids::{State, Symbol};
use crate::system::Configuration;

/// What an edge of a [`Language`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// This symbol.
    One(Symbol),
    /// Whatever symbol.
    Any,
}

/// A regular set of configurations. Its first states are those of the pushdown system.
#[derive(Clone, Debug)]
pub struct Language {
    system_states: u32,
    edges: Vec<Vec<(Letter, State)>>,
    accepting: Vec<bool>,
}

impl Language {
    /// The empty set, over a system with so many states.
    pub fn new(system_states: u32) -> Self {
        Language {
            system_states,
            edges: vec![Vec::new(); system_states as usize],
            accepting: vec![false; system_states as usize],
        }
    }

    /// One configuration.
    pub fn configuration(system_states: u32, configuration: &Configuration) -> Self {
        let mut language = Language::new(system_states);
        let mut here = configuration.state;
        for symbol in &configuration.stack {
            let next = language.state();
            language.edge(here, Letter::One(*symbol), next);
            here = next;
        }
        language.accept(here);
        language
    }

    /// `symbol Γ*`: all configurations with this symbol on top, in any state.
    pub fn on_top(system_states: u32, symbol: Symbol) -> Self {
        let mut language = Language::new(system_states);
        let rest = language.state();
        for state in 0..system_states {
            language.edge(State(state), Letter::One(symbol), rest);
        }
        language.edge(rest, Letter::Any, rest);
        language.accept(rest);
        language
    }

    /// Adds a state.
    pub fn state(&mut self) -> State {
        let state = State(u32::try_from(self.edges.len()).unwrap_or(u32::MAX));
        self.edges.push(Vec::new());
        self.accepting.push(false);
        state
    }

    /// Makes a state an accepting one.
    pub fn accept(&mut self, state: State) {
        if let Some(accepting) = self.accepting.get_mut(state.index()) {
            *accepting = true;
        }
    }

    /// Adds an edge. No edge may lead into a state of the system.
    pub fn edge(&mut self, from: State, letter: Letter, to: State) {
        debug_assert!(to.0 >= self.system_states);
        if let Some(edges) = self.edges.get_mut(from.index()) {
            edges.push((letter, to));
        }
    }

    /// How many states there are, with those of the system.
    pub fn states(&self) -> u32 {
        u32::try_from(self.edges.len()).unwrap_or(u32::MAX)
    }

    /// How many states the system has.
    pub fn system_states(&self) -> u32 {
        self.system_states
    }

    /// Is this an accepting state?
    pub fn is_accepting(&self, state: State) -> bool {
        self.accepting.get(state.index()).is_some_and(|a| *a)
    }

    /// The edges that leave a state.
    pub fn edges(&self, state: State) -> &[(Letter, State)] {
        self.edges.get(state.index()).map_or(&[], Vec::as_slice)
    }

    /// Where a symbol leads from a state.
    pub fn read(&self, state: State, symbol: Symbol) -> impl Iterator<Item = State> {
        let edges = self.edges(state).iter();
        edges
            .filter(move |(letter, _)| match letter {
                Letter::One(one) => *one == symbol,
                Letter::Any => true,
            })
            .map(|(_, to)| *to)
    }

    /// Is the configuration in the set?
    pub fn contains(&self, configuration: &Configuration) -> bool {
        let mut here = vec![configuration.state];
        for symbol in &configuration.stack {
            let mut next: Vec<State> = here.iter().flat_map(|s| self.read(*s, *symbol)).collect();
            next.sort_unstable();
            next.dedup();
            here = next;
        }
        here.iter().any(|state| self.is_accepting(*state))
    }
}
