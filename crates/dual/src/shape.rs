//! Between facts and polyhedra.
//!
//! A path speaks of many symbols; what is to be kept of it, of few ([`Frame`]): the inputs of the function, and at a loop the
//! variables that it changes. All others are *some* number: existentially quantified integers of isl, eliminated exactly.

use crate::facts::{Facts, Range};
use crate::hull::hull;
use crate::input::Symbols;
use crate::linear::{Linear, Symbol};
use isl::{Affine, Bound, Constraint, Context, Dim, Kind, Piece, Result, Set};
use rustc_hash::FxHashMap;

/// Symbols outside of a frame that facts are eliminated from, at most.
const OTHERS: usize = 32;

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
        let mut all = Vec::new();
        let zero = facts.zero().iter().map(|form| (Kind::Equal, form));
        let not_negative = facts.not_negative().iter();
        let not_negative = not_negative.map(|form| (Kind::AtLeastZero, form));
        for (kind, form) in zero.chain(not_negative) {
            if let Some(form) = dims.affine(form, self.len() + OTHERS) {
                all.push(Constraint { kind, form });
            }
        }
        // Of symbols that nothing else mentions only those of the frame matter.
        let mut ranged: Vec<(Symbol, Dim)> = dims.known.iter().map(|(s, d)| (*s, *d)).collect();
        ranged.sort_unstable();
        for (symbol, dim) in ranged {
            all.extend(within(dim, facts.range(symbol)));
        }
        let set = Set::from_constraints(context, dims.count, &all)?;
        let others: Vec<usize> = (self.len()..dims.count).collect();
        set.project_out(&others)
    }

    /// The same as one convex piece without existential integers, which may be more.
    pub fn piece(&self, context: &Context, facts: &Facts) -> Result<Piece> {
        hull(&self.set(context, facts)?, &[])
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

/// Passes over all constraints, at most: ends that move on for ever are not worth it.
const PASSES: usize = 4;

/// The ranges of dimensions, as far as constraints narrow them one by one: in each a dimension is bounded by what the others
/// can be at most.
fn narrow(ranges: &mut [Range], constraints: &[Constraint]) {
    for _ in 0..PASSES {
        let before = ranges.to_vec();
        for constraint in constraints {
            by_one(
                ranges,
                constraint.form.terms.as_slice(),
                constraint.form.constant,
            );
            if constraint.kind == Kind::Equal {
                let opposite: Vec<(Dim, i128)> = constraint
                    .form
                    .terms
                    .iter()
                    .map(|(dim, n)| (*dim, -n))
                    .collect();
                by_one(ranges, &opposite, -constraint.form.constant);
            }
        }
        if before == ranges {
            break;
        }
    }
}

/// By one constraint: the sum of the terms and the constant is not negative.
fn by_one(ranges: &mut [Range], terms: &[(Dim, i128)], constant: i128) {
    let most = |ranges: &[Range], (dim, factor): &(Dim, i128)| {
        let Dim::At(at) = dim else { return None };
        let range = ranges.get(*at)?;
        let end = if *factor > 0 { range.most } else { range.least };
        factor.checked_mul(end?)
    };
    // What the terms are together at most; but one of them may have no end.
    let mut endless = None;
    let mut sum = constant;
    for (position, term) in terms.iter().enumerate() {
        let with = most(ranges, term).map(|n| sum.checked_add(n));
        match (with, endless) {
            (Some(Some(with)), _) => sum = with,
            (None, None) => endless = Some(position),
            _ => return,
        }
    }
    for (position, term) in terms.iter().enumerate() {
        let others = match endless {
            Some(only) if only != position => continue,
            Some(_) => Some(sum),
            None => most(ranges, term).and_then(|n| sum.checked_sub(n)),
        };
        // factor * x >= -others
        let ((Dim::At(at), factor), Some(others)) = (term, others) else {
            continue;
        };
        let Some(range) = ranges.get_mut(*at) else {
            continue;
        };
        *range = range.and(match *factor > 0 {
            true => Range::at_least(-others.div_euclid(*factor)),
            false => Range {
                least: None,
                most: Some(others.div_euclid(-factor)),
            },
        });
    }
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
