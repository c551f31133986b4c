//! Pushdown systems with weights on their rules (§3.1, §3.2).
//!
//! A configuration is a state and a stack. A rule looks at the state and the symbol on top: it *pops* the symbol
//! (a return), *steps* to another (a statement), or *pushes*: replaces it by two (a call: the callee's entry on top of
//! the place to return to).

use smallvec::SmallVec;

use crate::ids::{RuleId, State, Symbol};
use crate::semiring::Semiring;

/// What a rule puts in place of the symbol on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// Nothing.
    Pop,
    /// One symbol.
    Step(Symbol),
    /// Two: the new top, and the one below it.
    Push(Symbol, Symbol),
}

/// `⟨from, symbol⟩ ↪ ⟨to, right⟩`, with a weight.
#[derive(Clone, Debug)]
pub struct Rule<W> {
    pub from: State,
    pub symbol: Symbol,
    pub to: State,
    pub right: Right,
    pub weight: W,
}

/// A state and a stack, whose top comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    pub state: State,
    pub stack: Vec<Symbol>,
}

/// Few rules have the same head.
pub(crate) type RuleList = SmallVec<[RuleId; 2]>;

/// A weighted pushdown system (Definition 4). The semiring is kept apart, and given to each question.
#[derive(Clone, Debug)]
pub struct System<W> {
    states: u32,
    rules: Vec<Rule<W>>,
    /// By symbol: the rules that look at it.
    by_symbol: Vec<RuleList>,
    /// By symbol: the rules that put it on top by a step or a push.
    by_top: Vec<RuleList>,
}

impl<W> System<W> {
    /// With so many states; programs need one.
    pub fn new(states: u32) -> Self {
        System {
            states,
            rules: Vec::new(),
            by_symbol: Vec::new(),
            by_top: Vec::new(),
        }
    }

    /// How many states there are: they have the ids from 0.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// How many symbols there are: one more than the greatest that was made or used.
    pub fn symbols(&self) -> u32 {
        u32::try_from(self.by_symbol.len()).unwrap_or(u32::MAX)
    }

    /// A symbol that was not there before.
    pub fn symbol(&mut self) -> Symbol {
        let symbol = Symbol(self.symbols());
        self.reserve(symbol);
        symbol
    }

    fn reserve(&mut self, symbol: Symbol) {
        if symbol.index() >= self.by_symbol.len() {
            self.by_symbol
                .resize_with(symbol.index() + 1, RuleList::new);
            self.by_top.resize_with(symbol.index() + 1, RuleList::new);
        }
    }

    /// Adds a rule.
    pub fn rule(&mut self, rule: Rule<W>) -> RuleId {
        debug_assert!(rule.from.0 < self.states && rule.to.0 < self.states);
        let id = RuleId(u32::try_from(self.rules.len()).unwrap_or(u32::MAX));
        self.reserve(rule.symbol);
        match rule.right {
            Right::Pop => {}
            Right::Step(top) => {
                self.reserve(top);
                self.by_top[top.index()].push(id);
            }
            Right::Push(top, below) => {
                self.reserve(top);
                self.reserve(below);
                self.by_top[top.index()].push(id);
            }
        }
        self.by_symbol[rule.symbol.index()].push(id);
        self.rules.push(rule);
        id
    }

    /// A rule of a system with one state: pops `symbol`.
    pub fn pop(&mut self, symbol: Symbol, weight: W) -> RuleId {
        self.plain(symbol, Right::Pop, weight)
    }

    /// A rule of a system with one state: from `symbol` to `next`.
    pub fn step(&mut self, symbol: Symbol, next: Symbol, weight: W) -> RuleId {
        self.plain(symbol, Right::Step(next), weight)
    }

    /// A rule of a system with one state: replaces `symbol` by `top` above `below`.
    pub fn push(&mut self, symbol: Symbol, top: Symbol, below: Symbol, weight: W) -> RuleId {
        self.plain(symbol, Right::Push(top, below), weight)
    }

    fn plain(&mut self, symbol: Symbol, right: Right, weight: W) -> RuleId {
        self.rule(Rule {
            from: State(0),
            symbol,
            to: State(0),
            right,
            weight,
        })
    }

    /// The same system, in which nothing goes on from these symbols: for paths that avoid them.
    pub fn without(&self, symbols: &[Symbol]) -> System<W>
    where
        W: Clone,
    {
        let mut system = System::new(self.states);
        for symbol in (0..self.symbols()).map(Symbol) {
            system.reserve(symbol);
        }
        for rule in self.rules.iter().filter(|r| !symbols.contains(&r.symbol)) {
            system.rule(rule.clone());
        }
        system
    }

    /// Makes another weight of that of a rule.
    pub fn reweigh(&mut self, id: RuleId, weight: impl FnOnce(&W) -> W) {
        if let Some(rule) = self.rules.get_mut(id.index()) {
            rule.weight = weight(&rule.weight);
        }
    }

    /// All rules, in the order in which they were added.
    pub fn rules(&self) -> &[Rule<W>] {
        &self.rules
    }

    /// The rule of this id.
    pub fn get(&self, id: RuleId) -> Option<&Rule<W>> {
        self.rules.get(id.index())
    }

    /// The rules that look at a symbol, in any state.
    pub(crate) fn at(&self, symbol: Symbol) -> impl Iterator<Item = (RuleId, &Rule<W>)> {
        self.list(self.by_symbol.get(symbol.index()))
    }

    /// The rules that put a symbol on top by a step or a push, in any state.
    pub(crate) fn to_top(&self, symbol: Symbol) -> impl Iterator<Item = (RuleId, &Rule<W>)> {
        self.list(self.by_top.get(symbol.index()))
    }

    fn list<'s>(
        &'s self,
        list: Option<&'s RuleList>,
    ) -> impl Iterator<Item = (RuleId, &'s Rule<W>)> {
        list.into_iter()
            .flatten()
            .map(|id| (*id, &self.rules[id.index()]))
    }

    /// The configuration after a rule, if the rule applies.
    pub fn apply(&self, id: RuleId, before: &Configuration) -> Option<Configuration> {
        let rule = self.get(id)?;
        let (top, rest) = before.stack.split_first()?;
        if rule.from != before.state || rule.symbol != *top {
            return None;
        }
        let mut stack = match rule.right {
            Right::Pop => vec![],
            Right::Step(top) => vec![top],
            Right::Push(top, below) => vec![top, below],
        };
        stack.extend_from_slice(rest);
        Some(Configuration {
            state: rule.to,
            stack,
        })
    }

    /// The configuration before a rule, if the rule can have led here.
    pub fn undo(&self, id: RuleId, after: &Configuration) -> Option<Configuration> {
        let rule = self.get(id)?;
        if rule.to != after.state {
            return None;
        }
        let rest = match (rule.right, after.stack.as_slice()) {
            (Right::Pop, rest) => rest,
            (Right::Step(top), [first, rest @ ..]) if *first == top => rest,
            (Right::Push(top, below), [first, second, rest @ ..])
                if *first == top && *second == below =>
            {
                rest
            }
            _ => return None,
        };
        let mut stack = vec![rule.symbol];
        stack.extend_from_slice(rest);
        Some(Configuration {
            state: rule.from,
            stack,
        })
    }

    /// Goes along a sequence of rules and shows each configuration, the first one included: its number, the rule that led
    /// to it, and its stack with the top *last*. Gives the last one, or nothing if a rule does not apply.
    pub fn walk(
        &self,
        start: &Configuration,
        rules: &[RuleId],
        mut visit: impl FnMut(usize, Option<&Rule<W>>, &[Symbol]),
    ) -> Option<Configuration> {
        let mut state = start.state;
        let mut stack: Vec<Symbol> = start.stack.iter().rev().copied().collect();
        visit(0, None, &stack);
        for (number, id) in (1..).zip(rules) {
            let rule = self.get(*id)?;
            if rule.from != state || stack.pop() != Some(rule.symbol) {
                return None;
            }
            match rule.right {
                Right::Pop => {}
                Right::Step(top) => stack.push(top),
                Right::Push(top, below) => stack.extend([below, top]),
            }
            state = rule.to;
            visit(number, Some(rule), &stack);
        }
        stack.reverse();
        Some(Configuration { state, stack })
    }
}

impl<W: Clone + Eq> System<W> {
    /// The weight of a sequence of rules (`pval`), from `start` to its last configuration; nothing if a rule does not
    /// apply. Products are taken as calls and returns nest, callees first: `extend` is associative, and a semiring
    /// that keeps the variables of the pending calls apart can follow.
    pub fn replay<S: Semiring<Weight = W>>(
        &self,
        semiring: &S,
        start: &Configuration,
        rules: &[RuleId],
    ) -> Option<(Configuration, W)> {
        let mut pieces = Pieces::new(semiring);
        let end = self.walk(start, rules, |_, rule, _| {
            if let Some(rule) = rule {
                pieces.rule(semiring, rule);
            }
        })?;
        Some((end, pieces.product(semiring)))
    }
}

/// The weight of a path, cut at the calls that have not returned.
#[derive(Clone, Debug)]
pub(crate) struct Pieces<W> {
    pub pieces: Vec<W>,
}

impl<W: Clone + Eq> Pieces<W> {
    pub fn new<S: Semiring<Weight = W>>(semiring: &S) -> Self {
        Pieces {
            pieces: vec![semiring.one()],
        }
    }

    pub fn rule<S: Semiring<Weight = W>>(&mut self, semiring: &S, rule: &Rule<W>) {
        let last = self.pieces.pop().unwrap_or_else(|| semiring.one());
        let mut last = semiring.extend(&last, &rule.weight);
        match rule.right {
            Right::Step(_) => self.pieces.push(last),
            Right::Push(..) => {
                self.pieces.push(last);
                self.pieces.push(semiring.one());
            }
            Right::Pop => {
                if let Some(before) = self.pieces.pop() {
                    last = semiring.extend(&before, &last);
                }
                self.pieces.push(last);
            }
        }
    }

    /// From the innermost call outwards.
    pub fn product<S: Semiring<Weight = W>>(&self, semiring: &S) -> W {
        let mut product = semiring.one();
        for piece in self.pieces.iter().rev() {
            product = semiring.extend(piece, &product);
        }
        product
    }
}
