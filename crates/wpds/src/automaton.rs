//! Weighted automata (§3.3, Definition 7): functions from configurations to weights.
//!
//! The weight of a path is the product of the weights of its transitions, read in the automaton's direction. What
//! post* gives is read *backward*: the bottom of the stack was put there first. What pre* gives is read *forward*: the top
//! of the stack goes on first. That the two differ is what makes their intersection possible (§4).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ids::{State, Symbol, TransitionId};
use crate::language::{Language, Letter};
use crate::semiring::Semiring;
use crate::system::Configuration;

/// In which order the weights of a path are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the top of the stack to its bottom: what pre* takes and gives.
    Forward,
    /// From the bottom of the stack to its top: what post* takes and gives.
    Backward,
}

/// An edge of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    pub from: State,
    /// Nothing for the ε-transitions that post* makes of pop rules. What can be read after them has transitions of its
    /// own, so they matter for the empty stack only.
    pub symbol: Option<Symbol>,
    pub to: State,
}

type Bucket = SmallVec<[TransitionId; 2]>;

/// A weighted automaton over the configurations of a pushdown system. Its first states are those of the system.
#[derive(Clone, Debug)]
pub struct Automaton<W> {
    direction: Direction,
    system_states: u32,
    accepting: Vec<bool>,
    transitions: Vec<Transition>,
    weights: Vec<W>,
    /// By state: the transitions that leave it and read a symbol.
    leaving: Vec<Vec<TransitionId>>,
    by_head: FxHashMap<(State, Option<Symbol>), Bucket>,
}

impl<W: Clone + Eq> Automaton<W> {
    pub(crate) fn new(direction: Direction, system_states: u32) -> Self {
        let states = system_states as usize;
        Automaton {
            direction,
            system_states,
            accepting: vec![false; states],
            transitions: Vec::new(),
            weights: Vec::new(),
            leaving: vec![Vec::new(); states],
            by_head: FxHashMap::default(),
        }
    }

    /// Gives weight one to the configurations of a language, zero to all others. `symbols` is the size of the stack
    /// alphabet ([`crate::System::symbols`]), which the letter *any* stands for.
    pub fn of<S: Semiring<Weight = W>>(
        semiring: &S,
        direction: Direction,
        language: &Language,
        symbols: u32,
    ) -> Self {
        let mut automaton = Automaton::new(direction, language.system_states());
        while automaton.states() < language.states() {
            automaton.state();
        }
        for from in (0..language.states()).map(State) {
            automaton.accepting[from.index()] = language.is_accepting(from);
            for (letter, to) in language.edges(from) {
                match letter {
                    Letter::One(symbol) => {
                        automaton.transition(from, Some(*symbol), *to, || semiring.one());
                    }
                    Letter::Any => {
                        for symbol in (0..symbols).map(Symbol) {
                            automaton.transition(from, Some(symbol), *to, || semiring.one());
                        }
                    }
                }
            }
        }
        automaton
    }

    pub(crate) fn state(&mut self) -> State {
        let state = State(self.states());
        self.accepting.push(false);
        self.leaving.push(Vec::new());
        state
    }

    pub(crate) fn accept(&mut self, state: State) {
        self.accepting[state.index()] = true;
    }

    /// The transition with these ends, which is made if it is not there.
    pub(crate) fn transition(
        &mut self,
        from: State,
        symbol: Option<Symbol>,
        to: State,
        weight: impl FnOnce() -> W,
    ) -> (TransitionId, bool) {
        let bucket = self.by_head.entry((from, symbol)).or_default();
        let found = bucket.iter().find(|t| self.transitions[t.index()].to == to);
        if let Some(id) = found {
            return (*id, false);
        }
        let id = TransitionId(u32::try_from(self.transitions.len()).unwrap_or(u32::MAX));
        bucket.push(id);
        if symbol.is_some() {
            self.leaving[from.index()].push(id);
        }
        self.transitions.push(Transition { from, symbol, to });
        self.weights.push(weight());
        (id, true)
    }

    pub(crate) fn set_weight(&mut self, id: TransitionId, weight: W) {
        self.weights[id.index()] = weight;
    }

    /// In which order the weights of a path are multiplied.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// How many states the system has.
    pub fn system_states(&self) -> u32 {
        self.system_states
    }

    /// How many states there are, with those of the system.
    pub fn states(&self) -> u32 {
        u32::try_from(self.leaving.len()).unwrap_or(u32::MAX)
    }

    /// Is this an accepting state?
    pub fn is_accepting(&self, state: State) -> bool {
        self.accepting.get(state.index()).is_some_and(|a| *a)
    }

    /// All transitions, by id.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// The ends of a transition.
    pub fn get(&self, id: TransitionId) -> Transition {
        self.transitions[id.index()]
    }

    /// The weight of a transition.
    pub fn weight(&self, id: TransitionId) -> &W {
        &self.weights[id.index()]
    }

    /// The transitions that leave a state and read a symbol.
    pub fn leaving(&self, state: State) -> &[TransitionId] {
        self.leaving.get(state.index()).map_or(&[], Vec::as_slice)
    }

    /// The transitions that leave a state reading this symbol.
    pub fn reading(&self, state: State, symbol: Symbol) -> &[TransitionId] {
        self.bucket(state, Some(symbol))
    }

    /// The ε-transitions that leave a state.
    pub fn epsilons(&self, state: State) -> &[TransitionId] {
        self.bucket(state, None)
    }

    fn bucket(&self, state: State, symbol: Option<Symbol>) -> &[TransitionId] {
        self.by_head
            .get(&(state, symbol))
            .map_or(&[], SmallVec::as_slice)
    }

    /// The product of what was read so far and the next transition.
    fn then<S: Semiring<Weight = W>>(&self, semiring: &S, so_far: &W, next: &W) -> W {
        match self.direction {
            Direction::Forward => semiring.extend(so_far, next),
            Direction::Backward => semiring.extend(next, so_far),
        }
    }

    /// The weight A(c) of a configuration.
    pub fn weight_of<S: Semiring<Weight = W>>(
        &self,
        semiring: &S,
        configuration: &Configuration,
    ) -> W {
        let mut here: Vec<(State, W)> = vec![(configuration.state, semiring.one())];
        if configuration.stack.is_empty() {
            for id in self.epsilons(configuration.state) {
                here.push((self.get(*id).to, self.weight(*id).clone()));
            }
        }
        for symbol in &configuration.stack {
            let mut next: Vec<(State, W)> = Vec::new();
            for (state, weight) in &here {
                for id in self.reading(*state, *symbol) {
                    let weight = self.then(semiring, weight, self.weight(*id));
                    let to = self.get(*id).to;
                    match next.iter_mut().find(|(state, _)| *state == to) {
                        Some((_, known)) => *known = semiring.combine(known, &weight),
                        None => next.push((to, weight)),
                    }
                }
            }
            here = next;
        }
        here.iter()
            .filter(|(state, _)| self.is_accepting(*state))
            .fold(semiring.zero(), |sum, (_, weight)| {
                semiring.combine(&sum, weight)
            })
    }

    /// `path_summary`: the combine of A(c) over all configurations c.
    pub fn path_summary<S: Semiring<Weight = W>>(&self, semiring: &S) -> W {
        let zero = semiring.zero();
        let mut labels = vec![zero.clone(); self.leaving.len()];
        let mut waiting: Vec<State> = (0..self.system_states).map(State).collect();
        let mut queued = vec![false; self.leaving.len()];
        for state in &waiting {
            labels[state.index()] = semiring.one();
            queued[state.index()] = true;
        }
        while let Some(state) = waiting.pop() {
            queued[state.index()] = false;
            for id in self.leaving(state) {
                let to = self.get(*id).to.index();
                let weight = self.then(semiring, &labels[state.index()], self.weight(*id));
                let sum = semiring.combine(&labels[to], &weight);
                if sum != labels[to] {
                    labels[to] = sum;
                    if !std::mem::replace(&mut queued[to], true) {
                        waiting.push(State(to as u32));
                    }
                }
            }
        }
        let mut summary = zero;
        for (label, accepting) in labels.iter().zip(&self.accepting) {
            if *accepting {
                summary = semiring.combine(&summary, label);
            }
        }
        for (id, transition) in self.transitions.iter().enumerate() {
            if transition.symbol.is_none() && self.is_accepting(transition.to) {
                summary = semiring.combine(&summary, &self.weights[id]);
            }
        }
        summary
    }

    /// The same weights for the configurations of a language, zero for all others (§3.3): the product of two
    /// automata, with the weights of this one. The empty stack is not in it.
    pub fn intersect(&self, language: &Language) -> Automaton<W> {
        let mut product = Automaton::new(self.direction, self.system_states);
        let mut numbers: FxHashMap<(State, State), State> = FxHashMap::default();
        let mut waiting = Vec::new();
        for state in (0..self.system_states).map(State) {
            numbers.insert((state, state), state);
            waiting.push((state, state));
        }
        while let Some(pair @ (mine, other)) = waiting.pop() {
            let Some(from) = numbers.get(&pair).copied() else {
                continue;
            };
            for id in self.leaving(mine) {
                let transition = self.get(*id);
                let Some(symbol) = transition.symbol else {
                    continue;
                };
                for next in language.read(other, symbol) {
                    let pair = (transition.to, next);
                    let to = *numbers.entry(pair).or_insert_with(|| {
                        waiting.push(pair);
                        let state = product.state();
                        if self.is_accepting(pair.0) && language.is_accepting(pair.1) {
                            product.accept(state);
                        }
                        state
                    });
                    product.transition(from, Some(symbol), to, || self.weight(*id).clone());
                }
            }
        }
        product
    }
}
