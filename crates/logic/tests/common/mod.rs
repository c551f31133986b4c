//! Random terms with their values, computed apart from the constructors; a brute-force prover; and
//! Z3, which must be there.
#![allow(dead_code)] // Each test uses a part.

use logic::evaluate::{binary, compare};
use logic::smt::{Patience, Session, z3};
use logic::term::{mask, signed};
use logic::*;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The library that `./x setup` puts under the target directory. A test that needs it fails
/// without it: a suite that passes because it tested nothing helps nobody.
pub fn library() -> &'static z3::Library {
    static LIBRARY: OnceLock<z3::Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let executable = std::env::current_exe().unwrap();
        let mut candidates: Vec<PathBuf> = std::env::var_os("RIGEL_Z3")
            .map(PathBuf::from)
            .into_iter()
            .collect();
        candidates.extend(executable.ancestors().map(|a| a.join("z3/libz3.so")));
        candidates.push("libz3.so".into());
        z3::load(&candidates)
            .unwrap_or_else(|why| panic!("{why}: run `./x setup`, which fetches it"))
    })
}

pub fn z3_prover() -> Session<z3::Z3> {
    Session::new(library().solver(), Patience::default())
}

/// One operator: what it is, and where its operands are, counted back from the newest.
pub type Step = (u8, u8, u8, u8);

pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(any::<Step>(), 1..most)
}

/// Terms made by a list of steps, each with its value under one assignment, which is computed by the
/// meaning of the operators, not by the terms.
pub struct Machine {
    pub pool: Pool,
    pub symbols: Vec<SymbolId>,
    pub array: SymbolId,
    pub assignment: Assignment,
    pub words: Vec<(TermId, u128)>,
    pub truths: Vec<(TermId, u128)>,
}

const OPERATORS: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::UDiv,
    BinaryOp::SDiv,
    BinaryOp::URem,
    BinaryOp::SRem,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];

const ORDERS: [Order; 4] = [Order::Ult, Order::Ule, Order::Slt, Order::Sle];

pub const INDEX: u16 = 2;
pub const ELEMENT: u16 = 3;

impl Machine {
    /// Symbols of these widths with these values, and an array.
    pub fn new(widths: &[u16], values: &[u128], elements: &[u128], array: bool) -> Machine {
        let mut pool = Pool::new();
        let mut assignment = Assignment::default();
        let mut words = Vec::new();
        let mut symbols = Vec::new();
        for (i, &width) in widths.iter().enumerate() {
            let term = pool.fresh(Sort::Bits(width));
            let symbol = pool.as_symbol(term).unwrap();
            let value = mask(values[i % values.len()], width);
            assignment.symbols.insert(symbol, value);
            symbols.push(symbol);
            words.push((term, value));
        }
        let array_term = pool.fresh(Sort::Array {
            index: INDEX,
            element: ELEMENT,
        });
        let array_symbol = pool.as_symbol(array_term).unwrap();
        if array {
            for (i, &element) in elements.iter().enumerate().take(1 << INDEX) {
                let place = (array_symbol, i as u128);
                assignment.elements.insert(place, mask(element, ELEMENT));
            }
        }
        let truth = pool.truth(true);
        Machine {
            pool,
            symbols,
            array: array_symbol,
            assignment,
            words,
            truths: vec![(truth, 1)],
        }
    }

    pub fn run(&mut self, steps: &[Step], array: bool) {
        for &step in steps {
            self.step(step, array);
        }
    }

    fn word(&self, back: u8) -> (TermId, u128) {
        self.words[self.words.len() - 1 - usize::from(back) % self.words.len()]
    }

    fn truth(&self, back: u8) -> (TermId, u128) {
        self.truths[self.truths.len() - 1 - usize::from(back) % self.truths.len()]
    }

    /// The word, cut or zero-extended.
    fn fit(&mut self, (term, value): (TermId, u128), width: u16) -> (TermId, u128) {
        if self.pool.width(term) > width {
            (self.pool.extract(term, 0, width), mask(value, width))
        } else {
            (self.pool.zero_extend(term, width), value)
        }
    }

    fn step(&mut self, (what, x, y, z): Step, array: bool) {
        let a = self.word(x);
        let width = self.pool.width(a.0);
        match what % 20 {
            0..=7 => {
                let op = OPERATORS[usize::from(z) % OPERATORS.len()];
                let other = self.word(y);
                let b = self.fit(other, width);
                let term = self.pool.binary(op, a.0, b.0);
                self.words.push((term, binary(op, a.1, b.1, width)));
            }
            8 | 9 => {
                let value = mask(u128::from(y), width);
                let term = self.pool.bits(width, value);
                self.words.push((term, value));
            }
            10 | 11 => {
                let order = ORDERS[usize::from(z) % 4];
                let other = self.word(y);
                let b = self.fit(other, width);
                let term = self.pool.compare(order, a.0, b.0);
                let value = u128::from(compare(order, a.1, b.1, width));
                self.truths.push((term, value));
            }
            12 => {
                let other = self.word(y);
                let b = self.fit(other, width);
                let term = self.pool.equal(a.0, b.0);
                self.truths.push((term, u128::from(a.1 == b.1)));
            }
            13 => {
                let (p, q) = (self.truth(x), self.truth(y));
                let (term, value) = match z % 4 {
                    0 => (self.pool.and(p.0, q.0), p.1 & q.1),
                    1 => (self.pool.or(p.0, q.0), p.1 | q.1),
                    2 => (self.pool.not(p.0), 1 - p.1),
                    _ => (self.pool.equal(p.0, q.0), u128::from(p.1 == q.1)),
                };
                self.truths.push((term, value));
            }
            14 => {
                let c = self.truth(z);
                let other = self.word(y);
                let b = self.fit(other, width);
                let term = self.pool.choose(c.0, a.0, b.0);
                self.words.push((term, if c.1 == 1 { a.1 } else { b.1 }));
                let (p, q) = (self.truth(x), self.truth(y));
                let term = self.pool.choose(c.0, p.0, q.0);
                self.truths.push((term, if c.1 == 1 { p.1 } else { q.1 }));
            }
            15 => {
                let term = self.pool.complement(a.0);
                self.words.push((term, mask(!a.1, width)));
            }
            16 => {
                let low = u16::from(y) % width;
                let part = 1 + u16::from(z) % (width - low);
                let term = self.pool.extract(a.0, low, part);
                self.words.push((term, mask(a.1 >> low, part)));
            }
            17 => {
                let b = self.word(y);
                let low = self.pool.width(b.0);
                if width + low <= 128 {
                    let term = self.pool.concat(a.0, b.0);
                    self.words.push((term, a.1 << low | b.1));
                }
            }
            18 => {
                let wide = (width + u16::from(y) % 5).min(128);
                let (term, value) = if z % 2 == 0 {
                    (self.pool.zero_extend(a.0, wide), a.1)
                } else {
                    let value = mask(signed(a.1, width) as u128, wide);
                    (self.pool.sign_extend(a.0, wide), value)
                };
                self.words.push((term, value));
            }
            _ => {
                let index = self.fit(a, INDEX);
                if array {
                    let symbol = self.array;
                    let array = self.array_term();
                    let term = self.pool.select(array, index.0);
                    let element = self.assignment.elements.get(&(symbol, index.1));
                    self.words.push((term, element.copied().unwrap_or(0)));
                }
            }
        }
    }

    /// The array is made after the symbols.
    fn array_term(&self) -> TermId {
        TermId(self.symbols.len() as u32)
    }

    /// The last truth values that are not constant.
    pub fn facts(&self, most: usize) -> Vec<TermId> {
        let open = self.truths.iter().map(|&(term, _)| term);
        let open: Vec<_> = open.filter(|&t| self.pool.as_bool(t).is_none()).collect();
        open[open.len().saturating_sub(most)..].to_vec()
    }
}

/// All values of all symbols (no arrays): does one satisfy the facts?
pub fn brute_force(pool: &Pool, symbols: &[SymbolId], facts: &[TermId]) -> bool {
    let mut assignment = Assignment::default();
    let widths: Vec<u16> = symbols
        .iter()
        .map(|&s| match pool.symbol_sort(s) {
            Sort::Bits(width) => width,
            _ => 1,
        })
        .collect();
    let total: u16 = widths.iter().sum();
    (0..1u128 << total).any(|mut all| {
        for (&symbol, &width) in symbols.iter().zip(&widths) {
            assignment.symbols.insert(symbol, mask(all, width));
            all >>= width;
        }
        evaluate::evaluate_all(pool, facts, &assignment)
            .iter()
            .all(|&v| v == 1)
    })
}

/// An answer must be true: models satisfy, cores contradict.
pub fn must_be_true(
    pool: &Pool,
    symbols: &[SymbolId],
    facts: &[(Label, TermId)],
    answer: &Answer,
) -> Result<(), TestCaseError> {
    let all: Vec<TermId> = facts.iter().map(|&(_, fact)| fact).collect();
    match answer {
        Answer::Satisfiable(model) => {
            for &fact in &all {
                prop_assert_eq!(evaluate(pool, fact, model), 1);
            }
        }
        Answer::Unsatisfiable(core) => {
            prop_assert!(core.is_sorted_by(|a, b| a < b), "{core:?}");
            let part: Vec<TermId> = facts
                .iter()
                .filter(|(label, _)| core.contains(label))
                .map(|&(_, fact)| fact)
                .collect();
            prop_assert!(!brute_force(pool, symbols, &part), "core {core:?}");
        }
        Answer::Unknown(_) => {}
    }
    Ok(())
}
