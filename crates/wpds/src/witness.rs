//! Witnesses (§5.1): sequences of rules that justify a weight.
//!
//! Each time that saturation makes a weight grow it notes from which rule and which transitions: a *derivation*. A
//! transition is referred to *as it was*, by how many derivations it had; so derivations form a DAG, although the automaton
//! has cycles. A witness is read off it from outside to inside. What surrounds a part is a test ([`crate::Tests`]), and of the
//! derivations of the part the first is taken that the test sees: there is one, since tests see a sum iff they see a
//! part. So the path that comes out can be taken, also in semirings where the product of two weights other than zero may
//! be zero.

use smallvec::SmallVec;

use crate::functional::Functional;
use crate::ids::{RuleId, Symbol, TransitionId};
use crate::query::Query;
use crate::semiring::Tests;
use crate::summary::Summary;
use crate::system::{Configuration, System};

/// A part of a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One step.
    Rule(RuleId),
    /// A transition, as it was after so many derivations.
    Transition(TransitionId, u32),
}

/// The parts of a derivation, in the order of the path.
pub type Parts = SmallVec<[Part; 3]>;

/// Why a transition has (a part of) its weight.
#[derive(Clone, Debug)]
pub struct Derivation<W> {
    weight: W,
    /// The weight of the transition with this derivation and all before it.
    total: W,
    parts: Parts,
}

impl<W> Derivation<W> {
    pub(crate) fn new(weight: W, total: W, parts: Parts) -> Self {
        Derivation {
            weight,
            total,
            parts,
        }
    }
}

/// The derivations of all transitions of an automaton: a DAG.
#[derive(Clone, Debug)]
pub struct Derivations<W> {
    of: Vec<Vec<Derivation<W>>>,
}

impl<W> Default for Derivations<W> {
    fn default() -> Self {
        Derivations { of: Vec::new() }
    }
}

impl<W> Derivations<W> {
    pub(crate) fn add(&mut self, id: TransitionId, derivation: Derivation<W>) {
        if id.index() >= self.of.len() {
            self.of.resize_with(id.index() + 1, Vec::new);
        }
        self.of[id.index()].push(derivation);
    }

    /// How many derivations a transition has.
    pub fn count(&self, id: TransitionId) -> u32 {
        self.of.get(id.index()).map_or(0, |d| d.len() as u32)
    }

    /// The first so many derivations of a transition.
    fn first(&self, id: TransitionId, count: u32) -> &[Derivation<W>] {
        let all = self.of.get(id.index()).map_or(&[][..], Vec::as_slice);
        all.get(..count as usize).unwrap_or(all)
    }
}

/// A path that can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness<W> {
    /// Where it begins: a configuration of S.
    pub start: Configuration,
    pub rules: Vec<RuleId>,
    /// After so many rules it is at the node that was asked for.
    pub through: usize,
    /// Its weight, which is not zero.
    pub weight: W,
}

/// What is being read off: parts in a row, inside of a test.
struct Frame<S: Tests> {
    parts: Parts,
    next: usize,
    test: S::Test,
    done: S::Weight,
}

/// Reads paths off the derivations of one automaton.
struct Reader<'r, S: Tests> {
    system: &'r System<S::Weight>,
    semiring: &'r S,
    derivations: &'r Derivations<S::Weight>,
    longest: usize,
}

impl<S: Tests> Reader<'_, S> {
    /// The rules of a path of a transition that the test sees, and their weight. Nothing if it would be too long.
    fn read(&self, transition: TransitionId, test: &S::Test) -> Option<(Vec<RuleId>, S::Weight)> {
        let semiring = self.semiring;
        let count = self.derivations.count(transition);
        let mut rules = Vec::new();
        let mut frames = vec![self.choose(transition, count, test)?];
        loop {
            let frame = frames.last_mut()?;
            match frame.parts.get(frame.next).copied() {
                Some(Part::Rule(id)) => {
                    if rules.len() >= self.longest {
                        return None;
                    }
                    rules.push(id);
                    frame.done = semiring.extend(&frame.done, &self.system.get(id)?.weight);
                    frame.next += 1;
                }
                Some(Part::Transition(id, count)) => {
                    let mut test = frame.test.clone();
                    let one = semiring.one();
                    for part in frame.parts[frame.next + 1..].iter().rev() {
                        test = semiring.around(&one, &test, self.weight(*part)?);
                    }
                    let test = semiring.around(&frame.done, &test, &one);
                    let inner = self.choose(id, count, &test)?;
                    frames.push(inner);
                }
                None => {
                    let done = frames.pop()?.done;
                    let Some(outer) = frames.last_mut() else {
                        return Some((rules, done));
                    };
                    outer.done = semiring.extend(&outer.done, &done);
                    outer.next += 1;
                }
            }
        }
    }

    fn weight(&self, part: Part) -> Option<&S::Weight> {
        match part {
            Part::Rule(id) => Some(&self.system.get(id)?.weight),
            Part::Transition(id, count) => Some(&self.derivations.first(id, count).last()?.total),
        }
    }

    fn choose(&self, id: TransitionId, count: u32, test: &S::Test) -> Option<Frame<S>> {
        let all = self.derivations.first(id, count).iter();
        let chosen = all
            .into_iter()
            .find(|derivation| self.semiring.sees(test, &derivation.weight))?;
        Some(Frame {
            parts: chosen.parts.clone(),
            next: 0,
            test: test.clone(),
            done: self.semiring.one(),
        })
    }
}

impl<S: Tests> Query<'_, S> {
    /// A path from S to T through a node, of at most `longest` rules: the witness that the node is in the error
    /// projection. Nothing if there is none, if it is too long, or if the query was made without a record.
    pub fn witness_through(
        &self,
        functional: &Functional<'_, S::Weight>,
        symbol: Symbol,
        longest: usize,
    ) -> Option<Witness<S::Weight>> {
        self.witness_seen_by(functional, symbol, &self.semiring().any(), longest)
    }

    /// Paths through a node that together have the weight WC(S, symbol Γ*, T), as long as there are not more than
    /// `most`, and none is longer than `longest`.
    pub fn witnesses_through(
        &self,
        functional: &Functional<'_, S::Weight>,
        symbol: Symbol,
        most: usize,
        longest: usize,
    ) -> Vec<Witness<S::Weight>> {
        let semiring = self.semiring();
        let whole = functional.chop(semiring, symbol);
        let mut covered = semiring.zero();
        let mut witnesses = Vec::new();
        while covered != whole && witnesses.len() < most {
            let test = semiring.missing(&whole, &covered);
            let Some(witness) = self.witness_seen_by(functional, symbol, &test, longest) else {
                break;
            };
            covered = semiring.combine(&covered, &witness.weight);
            witnesses.push(witness);
        }
        witnesses
    }

    /// A path through a node whose weight a test sees.
    pub fn witness_seen_by(
        &self,
        functional: &Functional<'_, S::Weight>,
        symbol: Symbol,
        test: &S::Test,
        longest: usize,
    ) -> Option<Witness<S::Weight>> {
        let semiring = self.semiring();
        let one = semiring.one();
        let pairs = self.stack_through(functional, symbol, test)?;
        // From the innermost pair outwards: what each finds above it.
        let mut above = vec![one.clone()];
        for pair in &pairs {
            let z = functional.apply(semiring, *pair, above.last()?);
            above.push(z);
        }
        let before = self.reader(self.post().derivations.as_ref()?, longest);
        let after = self.reader(self.pre().derivations.as_ref()?, longest);
        // From the outermost pair inwards: paths for both of its transitions.
        let mut firsts = Vec::new();
        let mut lasts = Vec::new();
        let mut test = test.clone();
        for (pair, z) in pairs.iter().zip(&above).rev() {
            let outer = semiring.around(&one, &test, functional.front_of(*pair));
            let outer = semiring.around(&one, &outer, z);
            let (rules, back) = before.read(functional.pair(*pair).back, &outer)?;
            firsts.extend(rules);
            let left = semiring.extend(&back, z);
            let outer = semiring.around(&left, &test, &one);
            let (rules, front) = after.read(functional.pair(*pair).front, &outer)?;
            lasts.push(rules);
            test = semiring.around(&back, &test, &front);
        }
        let through = firsts.len();
        let mut rules = firsts;
        rules.extend(lasts.into_iter().rev().flatten());
        let first = functional.pair(*pairs.first()?);
        let mut start = Configuration {
            state: self.post().automaton.get(first.back).from,
            stack: pairs.iter().map(|p| functional.pair(*p).symbol).collect(),
        };
        for rule in rules[..through].iter().rev() {
            start = self.system().undo(*rule, &start)?;
        }
        let (_, weight) = self.system().replay(semiring, &start, &rules)?;
        Some(Witness {
            start,
            rules,
            through,
            weight,
        })
    }

    fn reader<'r>(
        &'r self,
        derivations: &'r Derivations<S::Weight>,
        longest: usize,
    ) -> Reader<'r, S> {
        Reader {
            system: self.system(),
            semiring: self.semiring(),
            derivations,
            longest,
        }
    }

    /// A path of the functional automaton, as its pairs from the top of the stack to its bottom.
    fn stack_through(
        &self,
        functional: &Functional<'_, S::Weight>,
        symbol: Symbol,
        test: &S::Test,
    ) -> Option<Vec<u32>> {
        let semiring = self.semiring();
        let mut summary = Summary::new(semiring, functional, true);
        for head in functional.heads(symbol) {
            summary.head(*head, &semiring.one());
        }
        summary.run();
        let mut test = test.clone();
        let seen = |state: u32, count: usize, test: &S::Test| {
            let growths = summary.growths.get(&state)?;
            let mut growths = growths.get(..count).unwrap_or(growths).iter();
            growths.find(|growth| semiring.sees(test, &growth.weight))
        };
        let mut growth = summary
            .accepting()
            .into_iter()
            .find_map(|state| seen(state, usize::MAX, &test))?;
        let mut pairs = vec![growth.pair];
        while let Some(count) = growth.origin {
            let pair = growth.pair;
            test = semiring.around(functional.back_of(pair), &test, functional.front_of(pair));
            growth = seen(functional.pair(pair).from, count as usize, &test)?;
            pairs.push(growth.pair);
        }
        pairs.reverse();
        Some(pairs)
    }
}
