//! Functional automata (§4): `A_post* ◁ A_pre*`, which gives each configuration `A_post*(c) ⊗ A_pre*(c)`.
//!
//! The product of the two automata reads one stack. From its top to its bottom, a backward automaton multiplies on the
//! left and a forward one on the right; so a pair of transitions with weights `b` and `f` does `λz. b ⊗ z ⊗ f` to what
//! was found above it, and the whole stack gives `b_n ⊗ … ⊗ b_1 ⊗ f_1 ⊗ … ⊗ f_n`, as it must. Between the middle two any
//! weight can be put: a *bottleneck*, which is how stores are asked for (§5.2) and processes are switched (§7.2).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::automaton::{Automaton, Direction};
use crate::ids::{State, Symbol, TransitionId};
use crate::language::Language;
use crate::semiring::{Kinds, Semiring, Tests};

/// A pair of transitions that read the same symbol. Its weight is `λz. back ⊗ z ⊗ front`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub from: u32,
    pub symbol: Symbol,
    pub to: u32,
    pub back: TransitionId,
    pub front: TransitionId,
}

/// Pairs between two states that agree in what comes after: calls of one function, after which the rest of the caller does the
/// same. Tests of a sum are sums of tests, so one of them is enough.
struct Surrounding<W> {
    from: u32,
    back: W,
    front: W,
}

/// The intersection of a backward automaton, from post*, and a forward one, from pre*.
#[derive(Clone, Debug)]
pub struct Functional<'a, W> {
    pub(crate) back: &'a Automaton<W>,
    pub(crate) front: &'a Automaton<W>,
    pub(crate) pairs: Vec<Pair>,
    /// By symbol: the pairs that read it from an initial state.
    heads: Vec<SmallVec<[u32; 2]>>,
    /// By state: the pairs that leave it. States are numbered so that most pairs lead to greater numbers.
    pub(crate) leaving: Vec<Vec<u32>>,
    pub(crate) accepting: Vec<bool>,
    initial: u32,
}

impl<'a, W: Clone + Eq> Functional<'a, W> {
    /// `back ◁ front`: what lies on a way from an initial to an accepting state.
    pub fn new(back: &'a Automaton<W>, front: &'a Automaton<W>) -> Self {
        debug_assert_eq!(back.direction(), Direction::Backward);
        debug_assert_eq!(front.direction(), Direction::Forward);
        let mut product = Functional {
            back,
            front,
            pairs: Vec::new(),
            heads: Vec::new(),
            leaving: Vec::new(),
            accepting: Vec::new(),
            initial: back.system_states(),
        };
        product.explore();
        product.trim();
        product
    }

    fn explore(&mut self) {
        let mut numbers: FxHashMap<(State, State), u32> = FxHashMap::default();
        let mut states: Vec<(State, State)> = Vec::new();
        for state in (0..self.initial).map(State) {
            numbers.insert((state, state), state.0);
            states.push((state, state));
            // No pair reads the empty stack.
            self.accepting.push(false);
        }
        let mut next = 0;
        while let Some((b, f)) = states.get(next).copied() {
            for back in self.back.leaving(b) {
                let one = self.back.get(*back);
                let Some(symbol) = one.symbol else { continue };
                for front in self.front.reading(f, symbol) {
                    let to = (one.to, self.front.get(*front).to);
                    let to = *numbers.entry(to).or_insert_with(|| {
                        states.push(to);
                        self.accepting
                            .push(self.back.is_accepting(to.0) && self.front.is_accepting(to.1));
                        (states.len() - 1) as u32
                    });
                    self.pairs.push(Pair {
                        from: next as u32,
                        symbol,
                        to,
                        back: *back,
                        front: *front,
                    });
                }
            }
            next += 1;
        }
    }

    /// Leaves out what leads nowhere, and numbers the states in reverse postorder.
    fn trim(&mut self) {
        let states = self.accepting.len();
        let mut entering: Vec<Vec<u32>> = vec![Vec::new(); states];
        for (i, pair) in self.pairs.iter().enumerate() {
            entering[pair.to as usize].push(i as u32);
        }
        let mut useful = self.accepting.clone();
        let mut waiting: Vec<usize> = (0..states).filter(|s| useful[*s]).collect();
        while let Some(state) = waiting.pop() {
            for pair in &entering[state] {
                let from = self.pairs[*pair as usize].from as usize;
                if !std::mem::replace(&mut useful[from], true) {
                    waiting.push(from);
                }
            }
        }
        self.pairs.retain(|pair| useful[pair.to as usize]);
        let order = self.order(states);
        let mut accepting = vec![false; states];
        for (state, number) in order.iter().enumerate() {
            accepting[*number as usize] = self.accepting[state];
        }
        self.accepting = accepting;
        self.leaving = vec![Vec::new(); states];
        for (i, pair) in self.pairs.iter_mut().enumerate() {
            pair.from = order[pair.from as usize];
            pair.to = order[pair.to as usize];
            if pair.from < self.initial {
                let symbol = pair.symbol.index();
                if symbol >= self.heads.len() {
                    self.heads.resize_with(symbol + 1, SmallVec::new);
                }
                self.heads[symbol].push(i as u32);
            } else {
                self.leaving[pair.from as usize].push(i as u32);
            }
        }
    }

    /// Initial states keep their numbers: nothing leads into them.
    fn order(&self, states: usize) -> Vec<u32> {
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); states];
        for pair in &self.pairs {
            successors[pair.from as usize].push(pair.to);
        }
        let mut order: Vec<u32> = (0..states as u32).collect();
        let mut seen = vec![false; states];
        let mut number = states as u32;
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for root in (0..states as u32).rev() {
            if std::mem::replace(&mut seen[root as usize], true) || root < self.initial {
                continue;
            }
            stack.push((root, 0));
            while let Some((state, next)) = stack.last_mut() {
                if let Some(successor) = successors[*state as usize].get(*next) {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*successor as usize], true) {
                        stack.push((*successor, 0));
                    }
                } else {
                    number -= 1;
                    order[*state as usize] = number;
                    stack.pop();
                }
            }
        }
        order
    }

    /// How many states and transitions it has.
    pub fn size(&self) -> (usize, usize) {
        (self.accepting.len(), self.pairs.len())
    }

    pub(crate) fn heads(&self, symbol: Symbol) -> &[u32] {
        self.heads
            .get(symbol.index())
            .map_or(&[], SmallVec::as_slice)
    }

    pub(crate) fn pair(&self, id: u32) -> Pair {
        self.pairs[id as usize]
    }

    pub(crate) fn back_of(&self, pair: u32) -> &W {
        self.back.weight(self.pair(pair).back)
    }

    pub(crate) fn front_of(&self, pair: u32) -> &W {
        self.front.weight(self.pair(pair).front)
    }

    /// `W(z)`: the functional weight of a pair at `z`.
    pub(crate) fn apply<S: Semiring<Weight = W>>(&self, semiring: &S, pair: u32, z: &W) -> W {
        let left = semiring.extend(self.back_of(pair), z);
        if semiring.is_zero(&left) {
            return left;
        }
        semiring.extend(&left, self.front_of(pair))
    }

    /// The weighted chopping query WC(S, symbol Γ*, T): all paths through a node (Definition 9).
    pub fn chop<S: Semiring<Weight = W>>(&self, semiring: &S, symbol: Symbol) -> W {
        self.chop_with(semiring, symbol, &semiring.one())
    }

    /// The same with a bottleneck: `⊕ { A_post*(c) ⊗ bottleneck ⊗ A_pre*(c) | c ∈ symbol Γ* }`.
    pub fn chop_with<S: Semiring<Weight = W>>(
        &self,
        semiring: &S,
        symbol: Symbol,
        bottleneck: &W,
    ) -> W {
        let mut summary = crate::summary::Summary::new(semiring, self, false);
        for head in self.heads(symbol) {
            summary.head(*head, bottleneck);
        }
        summary.run()
    }

    /// WC(S, C, T) for any regular set of configurations with non-empty stacks: `path_summary` of the intersection with
    /// an automaton for C.
    pub fn chop_language<S: Semiring<Weight = W>>(&self, semiring: &S, chop: &Language) -> W {
        let mut labels: FxHashMap<(u32, State), W> = FxHashMap::default();
        let mut waiting = Vec::new();
        for state in 0..self.initial {
            for pair in self.heads.iter().flatten() {
                if self.pair(*pair).from == state {
                    waiting.push((*pair, State(state), semiring.one()));
                }
            }
        }
        // A pair, where the language is before it, and what came from above it.
        while let Some((pair, before, z)) = waiting.pop() {
            let weight = self.apply(semiring, pair, &z);
            let to = self.pair(pair).to;
            for after in chop.read(before, self.pair(pair).symbol) {
                let label = labels.entry((to, after)).or_insert_with(|| semiring.zero());
                let sum = semiring.combine(label, &weight);
                if sum != *label {
                    *label = sum.clone();
                    let next = &self.leaving[to as usize];
                    waiting.extend(next.iter().map(|pair| (*pair, after, sum.clone())));
                }
            }
        }
        let mut ends: Vec<_> = labels.into_iter().collect();
        ends.sort_unstable_by_key(|(at, _)| *at);
        ends.iter()
            .filter(|((state, at), _)| self.accepting[*state as usize] && chop.is_accepting(*at))
            .fold(semiring.zero(), |sum, (_, weight)| {
                semiring.combine(&sum, weight)
            })
    }

    /// For every state the test that sees what can be completed: `sees(outside[q], z)` iff some way from `q` to an
    /// accepting state makes a weight other than zero of `z`. One walk against the direction of the pairs.
    pub(crate) fn outside<S: Tests<Weight = W>>(&self, semiring: &S) -> Vec<S::Test>
    where
        W: std::hash::Hash,
    {
        self.outside_for(semiring, &vec![Kinds::ALL; self.accepting.len()])
    }

    /// For every state the kinds of weights that come there from above, if `bottleneck` is in the middle.
    pub(crate) fn arriving<S: Tests<Weight = W>>(
        &self,
        semiring: &S,
        bottleneck: &W,
    ) -> Vec<Kinds> {
        let mut kinds = vec![Kinds::default(); self.accepting.len()];
        let middle = semiring.kind_of(bottleneck);
        let mut waiting: Vec<u32> = self.heads.iter().flatten().copied().collect();
        while let Some(id) = waiting.pop() {
            let pair = self.pair(id);
            let above = match pair.from < self.initial {
                true => middle,
                false => kinds[pair.from as usize],
            };
            let here = semiring.kinds_around(self.back_of(id), above, self.front_of(id));
            let known = &mut kinds[pair.to as usize];
            let sum = known.and(here);
            if sum != *known {
                *known = sum;
                waiting.extend(&self.leaving[pair.to as usize]);
            }
        }
        kinds
    }

    /// The same for one who asks at each state about these kinds of weights only. They must be closed under the pairs, as
    /// those of [`Functional::arriving`] are.
    pub(crate) fn outside_for<S: Tests<Weight = W>>(
        &self,
        semiring: &S,
        kinds: &[Kinds],
    ) -> Vec<S::Test>
    where
        W: std::hash::Hash,
    {
        let states = self.accepting.len();
        let mut entering: Vec<Vec<Surrounding<W>>> = Vec::new();
        entering.resize_with(states, Vec::new);
        let mut places: FxHashMap<(u32, u32, &W), usize> = FxHashMap::default();
        for (i, pair) in self.pairs.iter().enumerate() {
            if pair.from < self.initial {
                continue;
            }
            let (back, front) = (self.back_of(i as u32), self.front_of(i as u32));
            let all = &mut entering[pair.to as usize];
            let at = *places
                .entry((pair.from, pair.to, front))
                .or_insert(all.len());
            match all.get_mut(at) {
                Some(same) => same.back = semiring.combine(&same.back, back),
                None => all.push(Surrounding {
                    from: pair.from,
                    back: back.clone(),
                    front: front.clone(),
                }),
            }
        }
        let mut tests = vec![semiring.none(); states];
        let mut waiting = std::collections::BinaryHeap::new();
        let mut queued = vec![false; states];
        for state in 0..states {
            if self.accepting[state] {
                tests[state] = semiring.any();
                queued[state] = true;
                waiting.push(state);
            }
        }
        while let Some(state) = waiting.pop() {
            queued[state] = false;
            for around in &entering[state] {
                let from = around.from as usize;
                let test =
                    semiring.around_for(kinds[from], &around.back, &tests[state], &around.front);
                let sum = semiring.either(&tests[from], &test);
                if sum != tests[from] {
                    tests[from] = sum;
                    if !std::mem::replace(&mut queued[from], true) {
                        waiting.push(from);
                    }
                }
            }
        }
        tests
    }
}
