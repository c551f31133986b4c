//! Between facts and polyhedra.
//!
//! A path speaks of many symbols; what is to be kept of it, of few ([`Frame`]): the inputs of the function, and at a loop the
//! variables that it changes. All others are *some* number: existentially quantified integers of isl, eliminated exactly.

use crate::execute::Limits;
use crate::facts::{Facts, Range};
use crate::hull::hull;
use crate::input::Symbols;
use crate::linear::{Linear, Symbol};
use crate::ranges::{around, narrow};
use isl::{Affine, Bound, Constraint, Context, Dim, Kind, Piece, Result, Set};
use rustc_hash::FxHashMap;

/// Symbols outside of a frame that facts are eliminated from, at most.
const OTHERS: usize = 32;

/// Boxes of one outcome that are told apart, at most.
const BOXES: usize = 4;

/// Failing paths of one function, times its inputs: up to so many each can be a polyhedron even where numbers are only ranges.
const NUMBERS: usize = 640;

/// How the ends of paths are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Each as the polyhedron that it is.
    Exactly,
    /// By the ends of each number alone: no polyhedron is computed.
    AsBoxes,
}

impl Told {
    /// Of so many failing paths of a function with so many inputs.
    pub fn of(limits: Limits, paths: usize, inputs: usize) -> Told {
        match limits.relations || paths.saturating_mul(inputs) <= NUMBERS {
            true => Told::Exactly,
            false => Told::AsBoxes,
        }
    }
}

/// The dimensions of polyhedra: which symbol each is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Frame {
    symbols: Vec<Symbol>,
}

impl Frame {
    pub fn new(symbols: Vec<Symbol>) -> Frame {
        Frame { symbols }
    }

    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The dimensions that are a yes or no: is it null, alive, initialised?
    pub fn flags(&self, symbols: &Symbols) -> Vec<usize> {
        let all = self.symbols.iter().enumerate();
        let flags = all.filter(|(_, symbol)| symbols.is_flag(**symbol));
        flags.map(|(at, _)| at).collect()
    }

    /// The facts as a set in this frame: what values its symbols can have. All others are eliminated, exactly; but if they are more than
    /// [`OTHERS`], what is said of those beyond is left out. (isl eliminates for hours, and counts it as nothing.)
    pub fn set(&self, context: &Context, facts: &Facts) -> Result<Set> {
        if facts.is_contradiction() {
            return Set::empty(context, self.len());
        }
        let mut dims = Dims::new(self);
        let mut all = dims.constraints(facts, self.len() + OTHERS);
        // Of symbols that nothing else mentions only those of the frame matter.
        for (symbol, dim) in dims.in_order() {
            all.extend(within(dim, facts.range(symbol)));
        }
        let set = Set::from_constraints(context, dims.count, &all)?;
        let others: Vec<usize> = (self.len()..dims.count).collect();
        set.project_out(&others)
    }

    /// What values the symbols of the frame can have on one of several paths.
    pub fn union(&self, context: &Context, paths: &[&Facts], told: Told) -> Result<Set> {
        let mut union = Set::empty(context, self.len())?;
        if told == Told::Exactly {
            for facts in paths {
                union = union.union(&self.set(context, facts)?)?;
            }
            return Ok(union);
        }
        let boxes = paths.iter().filter_map(|facts| self.ranges(facts));
        let mut boxes: Vec<Vec<Range>> = boxes.collect();
        if boxes.len() > BOXES {
            boxes = vec![around(&boxes)];
        }
        for ends in boxes {
            union = union.union(&self.boxed(context, &ends)?.to_set()?)?;
        }
        Ok(union)
    }

    /// The same as one convex piece without existential integers, which may be more.
    pub fn piece(&self, context: &Context, facts: &Facts) -> Result<Piece> {
        hull(&self.set(context, facts)?, &[])
    }

    /// Between which ends the symbols of the frame are, as far as facts narrow them one by one; none if that cannot be.
    pub fn ranges(&self, facts: &Facts) -> Option<Vec<Range>> {
        let mut dims = Dims::new(self);
        let constraints = dims.constraints(facts, usize::MAX);
        let mut ranges = vec![Range::ANYTHING; dims.count];
        for (symbol, dim) in dims.in_order() {
            if let Dim::At(at) = dim {
                ranges[at] = facts.range(symbol);
            }
        }
        narrow(&mut ranges, &constraints);
        let possible = !facts.is_contradiction() && !ranges.iter().any(|range| range.is_empty());
        ranges.truncate(self.len());
        possible.then_some(ranges)
    }

    /// The box of these ranges.
    pub fn boxed(&self, context: &Context, ranges: &[Range]) -> Result<Piece> {
        let ends = ranges.iter().enumerate();
        let ends = ends.flat_map(|(at, range)| within(Dim::At(at), *range));
        Piece::from_constraints(context, self.len(), &ends.collect::<Vec<_>>())
    }

    /// The facts that a piece states. Its existential integers are new symbols.
    pub fn facts(&self, piece: &Piece, symbols: &mut Symbols) -> Result<Facts> {
        let mut facts = Facts::default();
        let exists: Vec<Symbol> = (0..piece.existentials())
            .map(|_| symbols.unknown())
            .collect();
        let linear = |form: &Affine| {
            let start = Linear::constant(form.constant);
            form.terms.iter().try_fold(start, |sum, (dim, factor)| {
                let symbol = match dim {
                    Dim::At(at) => *self.symbols.get(*at)?,
                    Dim::Exists(k) => *exists.get(*k)?,
                    Dim::In(_) | Dim::Out(_) => return None,
                };
                sum.plus_times(*factor, &Linear::symbol(symbol))
            })
        };
        let constraints = piece.constraints()?;
        // A hull leaves the ends of types aside.
        for (_, symbol, range) in symbols.inputs() {
            if self.symbols.contains(&symbol) {
                facts.within(symbol, range);
            }
        }
        // A range often follows from several facts, which the quick prover does not see.
        let mut known: Vec<Range> = self.symbols.iter().map(|s| facts.range(*s)).collect();
        narrow(&mut known, &constraints);
        if narrow_related(&mut known, piece, &constraints)? {
            narrow(&mut known, &constraints);
        }
        for (symbol, range) in self.symbols.iter().zip(known) {
            facts.within(*symbol, range);
        }
        // What cannot be said here is left out: less is known then.
        for (form, is_equality) in constraints.iter().filter_map(|constraint| {
            Some((linear(&constraint.form)?, constraint.kind == Kind::Equal))
        }) {
            match is_equality {
                true => facts.add_zero(form),
                false => facts.add_not_negative(form),
            }
        }
        Ok(facts)
    }
}

/// That a dimension lies in a range.
pub fn within(dim: Dim, range: Range) -> impl Iterator<Item = Constraint> {
    let least = range
        .least
        .map(|n| Constraint::at_least_zero([(dim, 1)], -n));
    let most = range
        .most
        .map(|n| Constraint::at_least_zero([(dim, -1)], n));
    least.into_iter().chain(most)
}

/// The ranges of dimensions that several constraints relate to others: only these together may say more of it than one by one.
/// Did that say more?
fn narrow_related(ranges: &mut [Range], piece: &Piece, constraints: &[Constraint]) -> Result<bool> {
    let before = ranges.to_vec();
    for (at, range) in ranges.iter_mut().enumerate() {
        let relates = |c: &&Constraint| {
            let terms = &c.form.terms;
            terms.len() > 1 && terms.iter().any(|(dim, _)| *dim == Dim::At(at))
        };
        if constraints.iter().filter(relates).count() < 2 {
            continue;
        }
        let value = |bound: Bound| match bound {
            Bound::Value(n) => Some(n),
            Bound::Empty | Bound::Unbounded => None,
        };
        *range = range.and(Range {
            least: value(piece.least(at)?),
            most: value(piece.most(at)?),
        });
    }
    Ok(before != ranges)
}

/// Which dimension each symbol is; those outside of the frame are numbered as they come.
struct Dims {
    known: FxHashMap<Symbol, Dim>,
    count: usize,
}

impl Dims {
    fn new(frame: &Frame) -> Dims {
        let all = frame.symbols.iter().enumerate();
        Dims {
            known: all.map(|(at, s)| (*s, Dim::At(at))).collect(),
            count: frame.len(),
        }
    }

    /// The symbols in their order.
    fn in_order(&self) -> Vec<(Symbol, Dim)> {
        let mut all: Vec<(Symbol, Dim)> = self.known.iter().map(|(s, d)| (*s, *d)).collect();
        all.sort_unstable();
        all
    }

    /// The facts about several symbols, but for those that need more dimensions than that.
    fn constraints(&mut self, facts: &Facts, most: usize) -> Vec<Constraint> {
        let zero = facts.zero().iter().map(|form| (Kind::Equal, form));
        let not_negative = facts.not_negative().iter();
        let not_negative = not_negative.map(|form| (Kind::AtLeastZero, form));
        let all = zero.chain(not_negative);
        let all = all.filter_map(|(kind, form)| {
            let form = self.affine(form, most)?;
            Some(Constraint { kind, form })
        });
        all.collect()
    }

    /// The form over dimensions; none if these would be more than that.
    fn affine(&mut self, form: &Linear, most: usize) -> Option<Affine> {
        let is_new = |s: &Symbol| !self.known.contains_key(s);
        let new = form.terms().iter().filter(|(s, _)| is_new(s)).count();
        if self.count + new > most {
            return None;
        }
        let terms = form.terms().iter().map(|(s, factor)| {
            let count = &mut self.count;
            let dim = self.known.entry(*s).or_insert_with(|| {
                *count += 1;
                Dim::At(*count - 1)
            });
            (*dim, *factor)
        });
        Some(Affine::new(terms.collect::<Vec<_>>(), form.offset()))
    }
}
