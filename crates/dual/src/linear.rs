//! Linear forms: what the numbers of a program are in terms of a few unknown ones.
//!
//! A run of straight code does not need a polyhedron: if `i` is `n - 1` before `i = i + 2`, it is `n + 1` behind it. So a path
//! keeps its variables as forms over [`Symbol`]s, and only what must forget or generalise (the end of a function, a loop)
//! asks for polyhedra.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A number that has a name but no known value: an input of the function, or something that is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

/// A sum of symbols with factors, and a constant. In order of the symbols, no factor is zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Linear {
    terms: SmallVec<[(Symbol, i128); 2]>,
    constant: i128,
}

/// Beyond this, numbers are given up: products of two such still fit.
const LARGEST: i128 = 1 << 100;

fn fits(n: i128) -> Option<i128> {
    (-LARGEST..=LARGEST).contains(&n).then_some(n)
}

impl Linear {
    pub fn constant(n: i128) -> Linear {
        Linear {
            terms: SmallVec::new(),
            constant: n,
        }
    }

    pub fn symbol(s: Symbol) -> Linear {
        Linear {
            terms: SmallVec::from_slice(&[(s, 1)]),
            constant: 0,
        }
    }

    /// Its value, if it has no symbols.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The symbol, if it is nothing else.
    pub fn as_symbol(&self) -> Option<Symbol> {
        match (self.terms.as_slice(), self.constant) {
            ([(s, 1)], 0) => Some(*s),
            _ => None,
        }
    }

    pub fn terms(&self) -> &[(Symbol, i128)] {
        &self.terms
    }

    pub fn offset(&self) -> i128 {
        self.constant
    }

    /// The factor of a symbol.
    pub fn factor(&self, s: Symbol) -> i128 {
        let at = self.terms.binary_search_by_key(&s, |t| t.0);
        at.map_or(0, |at| self.terms[at].1)
    }

    /// `self + factor * other`; none if a number gets too large.
    pub fn plus_times(&self, factor: i128, other: &Linear) -> Option<Linear> {
        let times = |n: i128| fits(n.checked_mul(factor)?);
        let mut terms = SmallVec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (symbol, sum) = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(&&(s, m)), Some(&&(t, n))) if s == t => {
                    a.next();
                    b.next();
                    (s, m.checked_add(times(n)?)?)
                }
                (Some(&&(s, m)), Some(&&(t, _))) if s < t => {
                    a.next();
                    (s, m)
                }
                (Some(&&(s, m)), None) => {
                    a.next();
                    (s, m)
                }
                (_, Some(&&(t, n))) => {
                    b.next();
                    (t, times(n)?)
                }
            };
            if fits(sum)? != 0 {
                terms.push((symbol, sum));
            }
        }
        let constant = fits(self.constant.checked_add(times(other.constant)?)?)?;
        Some(Linear { terms, constant })
    }

    pub fn plus(&self, other: &Linear) -> Option<Linear> {
        self.plus_times(1, other)
    }

    pub fn minus(&self, other: &Linear) -> Option<Linear> {
        self.plus_times(-1, other)
    }

    pub fn times(&self, factor: i128) -> Option<Linear> {
        Linear::default().plus_times(factor, self)
    }

    pub fn plus_constant(&self, n: i128) -> Option<Linear> {
        let constant = fits(self.constant.checked_add(n)?)?;
        Some(Linear {
            terms: self.terms.clone(),
            constant,
        })
    }

    /// The greatest number that divides all of it; 0 if it is zero.
    pub fn divisor(&self) -> i128 {
        let factors = self.terms.iter().map(|(_, n)| n.abs());
        factors.fold(self.constant.abs(), gcd)
    }

    /// A part of it; none if that is no form of whole numbers.
    pub fn divided(&self, by: i128) -> Option<Linear> {
        let part = |n: i128| (by != 0 && n % by == 0).then(|| n / by);
        let terms = self.terms.iter().map(|(s, n)| Some((*s, part(*n)?)));
        Some(Linear {
            terms: terms.collect::<Option<_>>()?,
            constant: part(self.constant)?,
        })
    }

    /// Without the symbols that are not chosen.
    pub fn only(&self, is_chosen: impl Fn(Symbol) -> bool) -> Linear {
        let terms = self.terms.iter().filter(|(s, _)| is_chosen(*s));
        Linear {
            terms: terms.copied().collect(),
            constant: self.constant,
        }
    }

    /// With other symbols in place of some.
    pub fn rename(&mut self, names: &FxHashMap<Symbol, Symbol>) {
        for (symbol, _) in &mut self.terms {
            *symbol = names.get(symbol).copied().unwrap_or(*symbol);
        }
        self.terms.sort_unstable();
    }

    /// With other forms in place of symbols, as far as there are any; none if a number gets too large.
    pub fn replaced<'a>(&self, by: impl Fn(Symbol) -> Option<&'a Linear>) -> Option<Linear> {
        let start = Linear::constant(self.constant);
        self.terms
            .iter()
            .try_fold(start, |sum, (s, n)| match by(*s) {
                Some(form) => sum.plus_times(*n, form),
                None => sum.plus_times(*n, &Linear::symbol(*s)),
            })
    }

    /// Its value under an assignment of its symbols.
    pub fn value(&self, of: impl Fn(Symbol) -> i128) -> Option<i128> {
        self.terms
            .iter()
            .try_fold(self.constant, |sum, (s, factor)| {
                sum.checked_add(factor.checked_mul(of(*s))?)
            })
    }
}

/// The greatest common divisor of numbers that are not negative.
pub fn gcd(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_sums() {
        let (x, y) = (Linear::symbol(Symbol(1)), Linear::symbol(Symbol(2)));
        let form = y.times(3).unwrap().plus(&x).unwrap();
        assert_eq!(form.terms(), [(Symbol(1), 1), (Symbol(2), 3)]);
        assert_eq!(form.minus(&x).unwrap(), y.times(3).unwrap());
        assert_eq!(form.minus(&form).unwrap().as_constant(), Some(0));
        let moved = form.plus_constant(-4).unwrap();
        assert_eq!(moved.value(|s| i128::from(s.0)), Some(3));
        assert_eq!(x.as_symbol(), Some(Symbol(1)));
        assert_eq!(moved.as_symbol(), None);
    }

    #[test]
    fn large_numbers_are_given_up() {
        let x = Linear::symbol(Symbol(0));
        assert_eq!(x.times(LARGEST + 1), None);
        assert_eq!(Linear::constant(LARGEST).plus_constant(1), None);
        assert!(x.times(LARGEST).is_some());
    }
}
