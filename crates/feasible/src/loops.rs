//! Loops that run any number of turns: what they write is unknown afterwards, except for counters. A
//! variable that every turn moves by the same constant is what it was plus so many times that constant,
//! and all counters of a loop have made the same number of turns: `x` and `y` that start equal and count
//! down together stay equal.

use crate::contents::Layer;
use crate::object::ObjectId;
use crate::path::{Meaning, Path};
use ir::{BinaryOp as Op, EdgeId, ExprId, ExprKind, PlaceId, Stmt};
use logic::{BinaryOp, Label, Order, Sort, SymbolId, TermId};
use std::collections::BTreeMap;

/// Steps at the end of a loop that its test takes: `i < n && a[i]` is two tests with checks.
const EXIT_TESTS: Label = 3;

impl Path<'_> {
    /// The edges of some turns of a loop, any number of times.
    pub(crate) fn any_turns(&mut self, edges: &[EdgeId]) {
        let body = self.frame.body;
        let counters = self.counters(edges);
        let first = (self.pool.symbol_count(), self.sources.len());
        for &edge in edges {
            match &body.edges()[edge].stmt {
                Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => {
                    for target in self.locate(*place).targets {
                        self.forget(target.object);
                    }
                }
                Stmt::Copy { target, .. } | Stmt::Fill { target, .. } => {
                    let pointer = self.value(*target);
                    for target in self.targets(pointer) {
                        self.forget(target.object);
                    }
                }
                Stmt::Call(call) => {
                    self.call(call);
                    if let Some(place) = call.result {
                        for target in self.locate(place).targets {
                            self.forget(target.object);
                        }
                    }
                }
                _ => {}
            }
        }
        let end = (self.pool.symbol_count(), self.sources.len());
        self.looped.push((first.0..end.0, first.1..end.1));
        self.count_turns(&counters);
    }

    /// The variables that every turn moves by the same constant: their place, value before, and constant.
    fn counters(&mut self, edges: &[EdgeId]) -> Vec<(PlaceId, TermId, i128)> {
        let body = self.frame.body;
        let Some(start) = edges.first().map(|e| body.edges()[*e].from) else {
            return Vec::new();
        };
        let turns = edges.split_inclusive(|e| body.edges()[*e].to == start);
        let moves = |turn: &[EdgeId]| {
            let mut by: BTreeMap<PlaceId, Option<(u32, i128)>> = BTreeMap::new();
            for edge in turn {
                let written = match &body.edges()[*edge].stmt {
                    Stmt::Assign { place, value } => Some((*place, Some(*value))),
                    Stmt::Havoc { place, .. } => Some((*place, None)),
                    Stmt::Call(call) => call.result.map(|place| (place, None)),
                    _ => None,
                };
                let Some((place, value)) = written else {
                    continue;
                };
                let step = value.and_then(|value| self.moved_by(place, value));
                let slot = by.entry(place).or_insert(step.map(|c| (0, c)));
                *slot = match (*slot, step) {
                    (Some((n, c)), Some(d)) if c == d => Some((n + 1, c)),
                    _ => None,
                };
            }
            by
        };
        let mut turns = turns.map(moves);
        let Some(mut common) = turns.next() else {
            return Vec::new();
        };
        for turn in turns {
            for (place, by) in &turn {
                if common.get(place) != Some(by) {
                    common.insert(*place, None);
                }
            }
            common.retain(|place, _| turn.contains_key(place));
        }
        let mut found = Vec::new();
        for (place, by) in common {
            let plain = body.places[place]
                .as_var()
                .is_some_and(|v| !body.vars[v].address_taken);
            let Some((1, by)) = by.filter(|_| plain) else {
                continue;
            };
            let located = self.locate(place);
            let before = self.load_word(&located).value;
            if matches!(self.pool.sort(before), Sort::Bits(1..=64)) {
                found.push((place, self.expand(before), by));
            }
        }
        found
    }

    /// The constant by which `x = x + c` moves `x`.
    fn moved_by(&self, place: PlaceId, value: ExprId) -> Option<i128> {
        let body = self.frame.body;
        let ExprKind::Binary(op, a, b) = body.exprs[value].kind else {
            return None;
        };
        let itself = matches!(body.exprs[a].kind, ExprKind::Load(p) if p == place);
        let (ExprKind::Int(bits), true) = (&body.exprs[b].kind, itself) else {
            return None;
        };
        let (width, _) = self.program().types.as_int(body.exprs[b].ty)?;
        let by = ir::int_value(*bits, width, true);
        match op {
            Op::Add | Op::WrapAdd => Some(by),
            Op::Sub | Op::WrapSub => Some(-by),
            _ => None,
        }
    }

    /// All counters have made the same number of turns, and none has come round.
    fn count_turns(&mut self, counters: &[(PlaceId, TermId, i128)]) {
        let mut turns: Option<TermId> = None;
        for &(place, before, step) in counters {
            let width = self.pool.width(before);
            let count = match turns {
                Some(count) => count,
                None => {
                    let meaning = Meaning::Havoc { step: self.step };
                    let count = self.fresh(Sort::Bits(64), meaning);
                    // More turns than there are numbers would come round.
                    let most = self.word64(1 << 62);
                    let few = self.pool.compare(Order::Ult, count, most);
                    self.assume(few);
                    turns = Some(count);
                    count
                }
            };
            // In 128 bits nothing is lost: the result is one of the type, or the loop has not got there.
            let start = self.pool.sign_extend(before, 128);
            let times = self.pool.zero_extend(count, 128);
            let by = self.pool.bits(128, step as u128);
            let way = self.pool.binary(BinaryOp::Mul, times, by);
            let end = self.pool.add(start, way);
            let value = self.pool.extract(end, 0, width);
            let again = self.pool.sign_extend(value, 128);
            let fits = self.pool.equal(again, end);
            self.assume(fits);
            self.store(place, value, None);
        }
    }

    /// A loop is left at this step.
    pub(crate) fn leave_loop(&mut self, step: usize) {
        self.left.push(step as Label);
    }

    /// All of it was written, with anything.
    fn forget(&mut self, object: ObjectId) {
        if !self.is_constant(object) {
            let source = self.source(object, true);
            self.cover(object, Layer::Unknown(source));
        }
    }

    /// Does a fact depend on what a loop left, other than the test with which it is left? Then the
    /// error may well have to do with the loop.
    pub(crate) fn depends_on_loop(&self) -> bool {
        self.facts.iter().any(|&(label, fact)| {
            let exit = self
                .left
                .iter()
                .any(|at| (*at..at + EXIT_TESTS).contains(&label));
            let symbols = self.pool.closure(&[fact]).into_iter();
            let mut symbols = symbols.filter_map(|t| self.pool.as_symbol(t));
            !exit && symbols.any(|s| self.is_looped(s))
        })
    }

    fn is_looped(&self, symbol: SymbolId) -> bool {
        let source = match self.meanings.get(&symbol) {
            Some(Meaning::Bytes { source, .. }) => Some(source.0 as usize),
            _ => None,
        };
        self.looped.iter().any(|(symbols, sources)| {
            symbols.contains(&(symbol.0 as usize)) || source.is_some_and(|s| sources.contains(&s))
        })
    }
}
