//! Terms as SMT-LIB 2 text.
//!
//! The text is linear in the terms: whatever is used twice, by one fact or by two, gets a name
//! (`define-fun`) and is spelled out once. Nothing is declared but what occurs.
//!
//! Arrays cost solvers far more than words. An array of which only elements at constant indices
//! have been met is therefore a handful of words, one per index. The first symbolic index brings
//! in the array itself, and one equation for each of these words, which says whose element it is.
//!
//! All of this happens on a stack, as the solver's own declarations do: what is popped there is
//! forgotten here.

use crate::term::{BinaryOp, Node, Order, Pool, Sort, SymbolId, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// How often a term has been spelled out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelled {
    Once,
    /// It has a name, with this number.
    Named(u32),
}

/// Names that a solver knows and that have a value in its models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Valued {
    Symbol(SymbolId),
    /// An element at a constant index, which is a word of its own.
    Element(SymbolId, u128),
    /// An element at a symbolic index.
    Select {
        array: SymbolId,
        index: TermId,
        select: TermId,
    },
}

/// What a pop takes back.
enum Undo {
    Spelled(TermId, Option<Spelled>),
    Valued,
    Array(SymbolId),
}

/// What a solver has been told so far.
#[derive(Default)]
pub struct Printer {
    spelled: FxHashMap<TermId, Spelled>,
    /// How many names were given.
    names: u32,
    /// In the order of their declarations.
    valued: Vec<Valued>,
    known: FxHashSet<Valued>,
    /// Arrays that are declared as such.
    arrays: FxHashSet<SymbolId>,
    undo: Vec<Undo>,
    frames: Vec<usize>,
}

/// Spelled-out terms are nested no deeper, for solvers whose parsers recurse.
const DEEPEST: u32 = 12;

impl Printer {
    pub fn new() -> Printer {
        Printer::default()
    }

    pub fn push(&mut self) {
        self.frames.push(self.undo.len());
    }

    pub fn pop(&mut self) {
        let Some(start) = self.frames.pop() else {
            return;
        };
        for undo in self.undo.drain(start..).rev() {
            match undo {
                Undo::Spelled(term, Some(before)) => {
                    self.spelled.insert(term, before);
                }
                Undo::Spelled(term, None) => {
                    self.spelled.remove(&term);
                }
                Undo::Valued => {
                    if let Some(valued) = self.valued.pop() {
                        self.known.remove(&valued);
                    }
                }
                Undo::Array(symbol) => {
                    self.arrays.remove(&symbol);
                }
            }
        }
    }

    /// Whatever has a value in a model.
    pub fn valued(&self) -> &[Valued] {
        &self.valued
    }

    /// Declares and defines what the term needs, and gives its own text.
    pub fn term(&mut self, pool: &Pool, root: TermId, out: &mut String) -> String {
        let order = self.unnamed(pool, root);
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for &t in &order {
            for operand in pool.operands(t) {
                *uses.entry(operand).or_default() += 1;
            }
        }
        self.introduce_arrays(pool, &order, out);
        // Elements, and their indices, are what a model is asked for: by name.
        let mut asked = FxHashSet::default();
        for &t in &order {
            if let Some((_, index)) = symbolic_select(pool, t) {
                asked.extend([t, index]);
            }
        }
        let mut texts: FxHashMap<TermId, (String, u32)> = FxHashMap::default();
        for &t in &order {
            let mut depth = 0;
            let text = self.spell(pool, t, out, |printer, operand| match texts.get(&operand) {
                Some((text, d)) => {
                    depth = depth.max(*d);
                    text.clone()
                }
                None => printer.name(pool, operand),
            });
            if self.is_leaf(pool, t) {
                texts.insert(t, (text, 0));
                continue;
            }
            let again = uses.get(&t).copied().unwrap_or(0) > 1 || self.spelled.contains_key(&t);
            if again || asked.contains(&t) || depth >= DEEPEST {
                // Not by its number in the pool, which depends on terms that no solver is told of.
                let name = format!("t{}", self.names);
                let _ = writeln!(out, "(define-fun {name} () {} {text})", sort(pool.sort(t)));
                self.remember(t, Spelled::Named(self.names));
                self.names += 1;
                texts.insert(t, (name, 0));
                if let Some((array, index)) = symbolic_select(pool, t) {
                    self.declare(Valued::Select {
                        array,
                        index,
                        select: t,
                    });
                }
            } else {
                self.remember(t, Spelled::Once);
                texts.insert(t, (text, depth + 1));
            }
        }
        match texts.remove(&root) {
            Some((text, _)) => text,
            None => self.name(pool, root),
        }
    }

    /// What to ask the solver for, to know the value: one name; or two, that of the element and
    /// that of its index.
    pub fn question(&self, pool: &Pool, valued: Valued) -> String {
        match valued {
            Valued::Symbol(symbol) => format!("x{}", symbol.0),
            Valued::Element(symbol, at) => format!("a{}_{at}", symbol.0),
            Valued::Select { index, select, .. } => {
                let (element, index) = (self.name(pool, select), self.name(pool, index));
                format!("{element} {index}")
            }
        }
    }

    /// The term, and what it is made of, operands first, without what has a name (and without
    /// what only that is made of).
    fn unnamed(&self, pool: &Pool, root: TermId) -> Vec<TermId> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        let mut all = Vec::new();
        while let Some(t) = stack.pop() {
            let named = matches!(self.spelled.get(&t), Some(Spelled::Named(_)));
            if !named && seen.insert(t) {
                all.push(t);
                stack.extend(pool.operands(t));
            }
        }
        all.sort_unstable();
        all
    }

    /// An array that is met at a symbolic index for the first time.
    fn introduce_arrays(&mut self, pool: &Pool, order: &[TermId], out: &mut String) {
        for &t in order {
            let Node::Select { array, index } = pool.node(t) else {
                continue;
            };
            let Some(symbol) = pool.as_symbol(array) else {
                continue;
            };
            if pool.as_bits(index).is_some() || !self.arrays.insert(symbol) {
                continue;
            }
            self.undo.push(Undo::Array(symbol));
            let array_sort = pool.symbol_sort(symbol);
            let _ = writeln!(out, "(declare-const a{} {})", symbol.0, sort(array_sort));
            for valued in &self.valued {
                if let Valued::Element(a, at) = *valued
                    && a == symbol
                    && let Sort::Array { index, .. } = array_sort
                {
                    let at_text = bits(index, at);
                    let _ = writeln!(out, "(assert (= (select a{0} {at_text}) a{0}_{at}))", a.0);
                }
            }
        }
    }

    /// Has the term a text of its own that needs no name?
    fn is_leaf(&self, pool: &Pool, term: TermId) -> bool {
        match pool.node(term) {
            Node::Bool(_) | Node::Bits { .. } | Node::Symbol(_) => true,
            Node::Select { index, .. } => pool.as_bits(index).is_some(),
            _ => false,
        }
    }

    fn remember(&mut self, term: TermId, spelled: Spelled) {
        let before = self.spelled.insert(term, spelled);
        if before != Some(spelled) {
            self.undo.push(Undo::Spelled(term, before));
        }
    }

    fn declare(&mut self, valued: Valued) -> bool {
        let new = self.known.insert(valued);
        if new {
            self.valued.push(valued);
            self.undo.push(Undo::Valued);
        }
        new
    }

    /// The text of a term that needs no spelling out.
    fn name(&self, pool: &Pool, term: TermId) -> String {
        match pool.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Bits { width, value } => bits(width, value),
            Node::Symbol(symbol) => match pool.symbol_sort(symbol) {
                Sort::Array { .. } => format!("a{}", symbol.0),
                _ => format!("x{}", symbol.0),
            },
            Node::Select { array, index } if pool.as_bits(index).is_some() => {
                let symbol = pool.as_symbol(array).map_or(0, |symbol| symbol.0);
                format!("a{symbol}_{}", pool.as_bits(index).unwrap_or(0))
            }
            _ => match self.spelled.get(&term) {
                Some(Spelled::Named(number)) => format!("t{number}"),
                // Only what has a name is asked for by it; no solver knows this one.
                Some(Spelled::Once) | None => "unnamed".to_string(),
            },
        }
    }

    /// One operator, with the texts of its operands. Declares symbols.
    fn spell(
        &mut self,
        pool: &Pool,
        term: TermId,
        out: &mut String,
        mut text: impl FnMut(&Printer, TermId) -> String,
    ) -> String {
        let (head, operands): (&str, &[TermId]) = match pool.node(term) {
            Node::Bool(_) | Node::Bits { .. } => return self.name(pool, term),
            Node::Symbol(symbol) => {
                let symbol_sort = pool.symbol_sort(symbol);
                let array = matches!(symbol_sort, Sort::Array { .. });
                if !array && self.declare(Valued::Symbol(symbol)) {
                    let _ = writeln!(out, "(declare-const x{} {})", symbol.0, sort(symbol_sort));
                }
                return self.name(pool, term);
            }
            Node::Select { array, index } => {
                let Some(symbol) = pool.as_symbol(array) else {
                    // No constructor gives an array that is no symbol.
                    return bits(pool.width(term), 0);
                };
                match pool.as_bits(index) {
                    Some(at) if !self.arrays.contains(&symbol) => {
                        if self.declare(Valued::Element(symbol, at)) {
                            let element = sort(pool.sort(term));
                            let _ = writeln!(out, "(declare-const a{}_{at} {element})", symbol.0);
                        }
                        return format!("a{}_{at}", symbol.0);
                    }
                    Some(at) => {
                        let select = format!("(select a{} {})", symbol.0, text(self, index));
                        if self.declare(Valued::Element(symbol, at)) {
                            // A name of its own, as above, so that models are asked in one way.
                            let element = sort(pool.sort(term));
                            let _ = writeln!(
                                out,
                                "(define-fun a{}_{at} () {element} {select})",
                                symbol.0
                            );
                        }
                        return format!("a{}_{at}", symbol.0);
                    }
                    None => ("select", &[array, index]),
                }
            }
            Node::Not(a) => ("not", &[a]),
            Node::And(a, b) => ("and", &[a, b]),
            Node::Or(a, b) => ("or", &[a, b]),
            Node::Equal(a, b) => ("=", &[a, b]),
            Node::Compare(order, a, b) => (order_name(order), &[a, b]),
            Node::Choose(c, a, b) => ("ite", &[c, a, b]),
            Node::Complement(a) => ("bvnot", &[a]),
            Node::Binary(op, a, b) => (operator_name(op), &[a, b]),
            Node::Extract { from, low, width } => {
                let head = format!("(_ extract {} {low})", low + width - 1);
                return format!("({head} {})", text(self, from));
            }
            Node::Concat(a, b) => ("concat", &[a, b]),
            Node::ZeroExtend { from, width } => {
                let by = width - pool.width(from);
                return format!("((_ zero_extend {by}) {})", text(self, from));
            }
            Node::SignExtend { from, width } => {
                let by = width - pool.width(from);
                return format!("((_ sign_extend {by}) {})", text(self, from));
            }
        };
        let mut all = format!("({head}");
        for &operand in operands {
            all.push(' ');
            all.push_str(&text(self, operand));
        }
        all.push(')');
        all
    }
}

fn symbolic_select(pool: &Pool, term: TermId) -> Option<(SymbolId, TermId)> {
    match pool.node(term) {
        Node::Select { array, index } if pool.as_bits(index).is_none() => {
            Some((pool.as_symbol(array)?, index))
        }
        _ => None,
    }
}

/// A constant word.
pub fn bits(width: u16, value: u128) -> String {
    if width.is_multiple_of(4) {
        format!("#x{value:0digits$x}", digits = usize::from(width / 4))
    } else {
        format!("#b{value:0digits$b}", digits = usize::from(width))
    }
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => {
            format!("(Array (_ BitVec {index}) (_ BitVec {element}))")
        }
    }
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Ult => "bvult",
        Order::Ule => "bvule",
        Order::Slt => "bvslt",
        Order::Sle => "bvsle",
    }
}

fn operator_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "bvadd",
        BinaryOp::Sub => "bvsub",
        BinaryOp::Mul => "bvmul",
        BinaryOp::UDiv => "bvudiv",
        BinaryOp::SDiv => "bvsdiv",
        BinaryOp::URem => "bvurem",
        BinaryOp::SRem => "bvsrem",
        BinaryOp::Shl => "bvshl",
        BinaryOp::LShr => "bvlshr",
        BinaryOp::AShr => "bvashr",
        BinaryOp::And => "bvand",
        BinaryOp::Or => "bvor",
        BinaryOp::Xor => "bvxor",
    }
}
