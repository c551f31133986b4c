//! A solver that is not asked twice.
//!
//! A prover's answer is a function of the calls since its last reset ([`Prover`]). So a digest of these calls names
//! the answer, in this run and in the next ("path formula → verdict"), and whoever has it needs no solver: it
//! is not even started. At the first question that is new the solver is told everything since the
//! reset, earlier questions included, so that it is where it would be without any memory, and answers the same.
//!
//! Facts and pushes that were popped before anybody asked count for nothing, neither for the solver nor for the name.
//! A term is what it is made of, and where it stands among the others: solvers are told of terms in the order of the
//! pool, and another order may bring another model. Symbols have the numbers of the pool, as they have in models. What
//! else is in the pool does not matter.

use crate::prover::{Answer, Label, Prover, Unknown};
use crate::term::{Node, Pool, TermId};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

/// Names a question by its content: the solver, the calls since the reset, the budgets.
pub type Key = u128;

/// Answers by their questions. None is of a solver in trouble.
pub type Known = BTreeMap<Key, Answer>;

/// Starts a solver, or says why there is none.
pub type Start = Box<dyn FnMut() -> Result<Box<dyn Prover>, String> + Send>;

enum Solver {
    NotYet(Start),
    Started(Box<dyn Prover>),
    /// Why not. It is not tried again.
    Missing(String),
}

/// What was called since the reset.
#[derive(Clone, Copy)]
enum Call {
    Push,
    Pop,
    Assert(Label, TermId),
    Check(u64),
}

/// How often a solver was asked, and how often it was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions that were new.
    pub asked: u64,
    /// Questions whose answers were known.
    pub recalled: u64,
    /// Of those, questions that were asked all the same, because a new one came after them.
    pub repeated: u64,
}

/// What makes keys, and what is known by them.
struct Memory {
    known: Arc<Known>,
    used: Known,
    digest: Digest,
}

/// A solver that is started when it is needed, and asked what nobody knows.
pub struct Remembering {
    solver: Solver,
    /// Since the reset, without what was popped before anybody asked.
    calls: Vec<Call>,
    /// Where the pushes are that were not popped.
    open: Vec<usize>,
    /// The calls up to the last question, which stay.
    asked: usize,
    /// The calls that the solver knows of.
    told: usize,
    /// It was in trouble since the reset, and answers as one that began anew.
    troubled: bool,
    memory: Option<Memory>,
    counts: Counts,
}

impl Remembering {
    /// Without a memory yet.
    pub fn new(start: Start) -> Remembering {
        Remembering {
            solver: Solver::NotYet(start),
            calls: Vec::new(),
            open: Vec::new(),
            asked: 0,
            told: 0,
            troubled: false,
            memory: None,
            counts: Counts::default(),
        }
    }

    /// From the next reset on, takes what is known for an answer. `solver` stands for all that its answers depend on.
    /// Forgets all facts.
    pub fn remember(&mut self, solver: &str, known: Arc<Known>) {
        self.memory = Some(Memory {
            known,
            used: Known::new(),
            digest: Digest::new(solver),
        });
        self.reset();
    }

    /// The answers that were given since [`remember`](Remembering::remember), recalled or new.
    pub fn take_used(&mut self) -> Known {
        let memory = self.memory.as_mut();
        memory.map_or_else(Known::new, |memory| std::mem::take(&mut memory.used))
    }

    /// Since the beginning.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Starts the solver, if that has not been done.
    pub fn start(&mut self) -> Result<&mut dyn Prover, Unknown> {
        if let Solver::NotYet(start) = &mut self.solver {
            self.solver = match start() {
                Ok(prover) => Solver::Started(prover),
                Err(why) => Solver::Missing(why),
            };
        }
        match &mut self.solver {
            Solver::Started(prover) => Ok(&mut **prover),
            Solver::Missing(why) => Err(Unknown::Trouble(why.clone())),
            Solver::NotYet(_) => Err(Unknown::Incomplete),
        }
    }

    /// Asks the solver the last of the calls, after what it does not know of.
    fn ask(&mut self, pool: &Pool) -> Answer {
        let news: Vec<Call> = self.calls[self.told..].to_vec();
        let mut answer = Answer::Unknown(Unknown::Incomplete);
        let (mut checks, mut troubles) = (0, 0);
        match self.start() {
            Err(why) => answer = Answer::Unknown(why),
            Ok(prover) => {
                for call in news {
                    match call {
                        Call::Push => prover.push(),
                        Call::Pop => prover.pop(),
                        Call::Assert(label, fact) => prover.assert(pool, label, fact),
                        Call::Check(budget) => {
                            answer = prover.check(pool, budget);
                            checks += 1;
                            troubles += u64::from(is_trouble(&answer));
                        }
                    }
                }
                self.told = self.calls.len();
                self.counts.asked += 1;
                self.counts.repeated += checks - 1;
            }
        }
        self.troubled |= troubles > 0;
        answer
    }
}

fn is_trouble(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(Unknown::Trouble(_)))
}

impl Prover for Remembering {
    /// Of the solver, if it was started.
    fn name(&self) -> String {
        match &self.solver {
            Solver::Started(prover) => prover.name(),
            _ => String::new(),
        }
    }

    fn reset(&mut self) {
        if let Solver::Started(prover) = &mut self.solver
            && self.told > 0
        {
            prover.reset();
        }
        self.calls.clear();
        self.open.clear();
        (self.asked, self.told, self.troubled) = (0, 0, false);
        if let Some(memory) = &mut self.memory {
            memory.digest.reset();
        }
    }

    fn push(&mut self) {
        self.open.push(self.calls.len());
        self.calls.push(Call::Push);
    }

    fn pop(&mut self) {
        match self.open.pop() {
            Some(push) if push >= self.asked => self.calls.truncate(push),
            Some(_) => self.calls.push(Call::Pop),
            None => {}
        }
    }

    fn assert(&mut self, _pool: &Pool, label: Label, fact: TermId) {
        self.calls.push(Call::Assert(label, fact));
    }

    fn check(&mut self, pool: &Pool, budget: u64) -> Answer {
        self.calls.push(Call::Check(budget));
        let since = std::mem::replace(&mut self.asked, self.calls.len());
        let news = &self.calls[since..];
        let memory = self.memory.as_mut().filter(|_| !self.troubled);
        let key = memory.map(|memory| (memory.digest.extend(pool, news), memory));
        let Some((key, memory)) = key else {
            return self.ask(pool);
        };
        if let Some(known) = memory.used.get(&key) {
            self.counts.recalled += 1;
            return known.clone();
        }
        if let Some(known) = memory.known.get(&key) {
            self.counts.recalled += 1;
            memory.used.insert(key, known.clone());
            return known.clone();
        }
        let answer = self.ask(pool);
        if !self.troubled
            && !is_trouble(&answer)
            && let Some(memory) = &mut self.memory
        {
            memory.used.insert(key, answer.clone());
        }
        answer
    }
}

/// The calls since the reset, as a number that grows with them.
struct Digest {
    solver: Key,
    so_far: Key,
    /// Terms that are in it, without constants, by when they came.
    seen: BTreeMap<TermId, u32>,
    bytes: Bytes,
}

impl Digest {
    fn new(solver: &str) -> Digest {
        let solver = first_bits(solver.as_bytes());
        Digest {
            solver,
            so_far: solver,
            seen: BTreeMap::new(),
            bytes: Bytes::default(),
        }
    }

    fn reset(&mut self) {
        self.so_far = self.solver;
        self.seen.clear();
    }

    /// With these calls, too. Each term is spelled out where it is first met: hashing all of it in one piece costs
    /// less than a hash for each.
    fn extend(&mut self, pool: &Pool, calls: &[Call]) -> Key {
        self.bytes.0.clear();
        self.so_far.hash(&mut self.bytes);
        for call in calls {
            discriminant(call).hash(&mut self.bytes);
            match call {
                Call::Push | Call::Pop => {}
                Call::Check(budget) => budget.hash(&mut self.bytes),
                Call::Assert(label, fact) => {
                    label.hash(&mut self.bytes);
                    self.spell_out(pool, *fact);
                    self.refer_to(pool, *fact);
                }
            }
        }
        self.so_far = first_bits(&self.bytes.0);
        self.so_far
    }

    /// The new terms of a fact in the order of the pool, each with the one that it comes after.
    fn spell_out(&mut self, pool: &Pool, fact: TermId) {
        let mut new = BTreeSet::new();
        let mut stack = vec![fact];
        while let Some(term) = stack.pop() {
            if !is_constant(pool, term) && !self.seen.contains_key(&term) && new.insert(term) {
                stack.extend(pool.operands(term));
            }
        }
        new.len().hash(&mut self.bytes);
        for term in new {
            let before = self.seen.range(..term).next_back();
            before.map(|(_, number)| number).hash(&mut self.bytes);
            let node = pool.node(term);
            discriminant(&node).hash(&mut self.bytes);
            match node {
                Node::Symbol(symbol) => (symbol, pool.symbol_sort(symbol)).hash(&mut self.bytes),
                Node::Compare(order, ..) => order.hash(&mut self.bytes),
                Node::Binary(operator, ..) => operator.hash(&mut self.bytes),
                Node::Extract { low, width, .. } => (low, width).hash(&mut self.bytes),
                Node::ZeroExtend { width, .. } | Node::SignExtend { width, .. } => {
                    width.hash(&mut self.bytes);
                }
                Node::Bool(_)
                | Node::Bits { .. }
                | Node::Not(_)
                | Node::And(..)
                | Node::Or(..)
                | Node::Equal(..)
                | Node::Choose(..)
                | Node::Complement(_)
                | Node::Concat(..)
                | Node::Select { .. } => {}
            }
            // How many there are the kind says.
            for operand in pool.operands(term) {
                self.refer_to(pool, operand);
            }
            self.seen.insert(term, self.seen.len() as u32);
        }
    }

    /// A term that has been spelled out, or a constant: solvers are told of constants where they occur, so that their
    /// place in the pool is nothing.
    fn refer_to(&mut self, pool: &Pool, term: TermId) {
        match self.seen.get(&term) {
            Some(number) => (true, number).hash(&mut self.bytes),
            None => (false, pool.node(term)).hash(&mut self.bytes),
        }
    }
}

fn is_constant(pool: &Pool, term: TermId) -> bool {
    matches!(pool.node(term), Node::Bool(_) | Node::Bits { .. })
}

/// What is hashed, as it is: kinds and numbers of known sizes, of which no two are written alike.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

fn first_bits(bytes: &[u8]) -> Key {
    let mut first = [0; 16];
    first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    u128::from_le_bytes(first)
}
