//! What is known of the symbols on one path: a conjunction of linear facts, and a prover that is quick and incomplete.
//!
//! Most questions on a path are simple: does `i + 1` fit into 32 bits, when `i < n` and `n` is an `int`? The quick prover
//! answers them from the ranges of symbols and from one fact at a time (Farkas' lemma with one multiplier): `i + 1 <= n`
//! and `n <= 2147483647`. It says *yes* or *I do not know*. What it does not know, isl does; it is asked where the answer
//! matters ([`crate::shape`]).

use crate::linear::{Linear, Symbol, gcd};
use rustc_hash::FxHashMap;

/// The values that a symbol can have: from, to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    pub least: Option<i128>,
    pub most: Option<i128>,
}

impl Range {
    pub const ANYTHING: Range = Range {
        least: None,
        most: None,
    };

    pub fn new(least: i128, most: i128) -> Range {
        Range {
            least: Some(least),
            most: Some(most),
        }
    }

    pub fn at_least(least: i128) -> Range {
        Range {
            least: Some(least),
            most: None,
        }
    }

    /// What both allow.
    pub fn and(self, other: Range) -> Range {
        let both = |a: Option<i128>, b: Option<i128>, choose: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(choose(a, b)),
            (a, b) => a.or(b),
        };
        Range {
            least: both(self.least, other.least, i128::max),
            most: both(self.most, other.most, i128::min),
        }
    }

    /// What either allows.
    pub fn or(self, other: Range) -> Range {
        let both = |a: Option<i128>, b: Option<i128>, choose: fn(i128, i128) -> i128| {
            a.zip(b).map(|(a, b)| choose(a, b))
        };
        Range {
            least: both(self.least, other.least, i128::min),
            most: both(self.most, other.most, i128::max),
        }
    }

    pub fn is_empty(self) -> bool {
        matches!((self.least, self.most), (Some(least), Some(most)) if least > most)
    }
}

/// A conjunction.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Forms that are zero.
    zero: Vec<Linear>,
    /// Forms of two symbols and more that are not negative.
    not_negative: Vec<Linear>,
    /// What is known of single symbols, the ranges of their types included.
    ranges: FxHashMap<Symbol, Range>,
    contradiction: bool,
}

impl Facts {
    /// Found out that nothing satisfies them. If not, nothing may, all the same.
    pub fn is_contradiction(&self) -> bool {
        self.contradiction
    }

    pub fn zero(&self) -> &[Linear] {
        &self.zero
    }

    pub fn not_negative(&self) -> &[Linear] {
        &self.not_negative
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.zero.len() + self.not_negative.len() + self.ranges.len()
    }

    /// The range of a symbol; of one that was never mentioned, nothing is known.
    pub fn range(&self, s: Symbol) -> Range {
        self.ranges.get(&s).copied().unwrap_or(Range::ANYTHING)
    }

    /// A symbol lies in a range.
    pub fn within(&mut self, s: Symbol, range: Range) {
        let all = self.ranges.entry(s).or_insert(Range::ANYTHING);
        *all = all.and(range);
        self.contradiction |= all.is_empty();
    }

    /// A form lies in a range.
    pub fn bound(&mut self, form: &Linear, range: Range) {
        if let Some(symbol) = form.as_symbol() {
            return self.within(symbol, range);
        }
        let above = range.least.and_then(|n| form.plus_constant(-n));
        let below = range.most.and_then(|n| Linear::constant(n).minus(form));
        for end in above.into_iter().chain(below) {
            self.add_not_negative(end);
        }
    }

    /// The form is not negative.
    pub fn add_not_negative(&mut self, form: Linear) {
        match form.terms() {
            [] => self.contradiction |= form.offset() < 0,
            [(s, factor)] => {
                let (s, factor) = (*s, *factor);
                // factor * s + offset >= 0
                let range = match factor > 0 {
                    true => Range::at_least(-form.offset().div_euclid(factor)),
                    false => Range {
                        least: None,
                        most: Some(form.offset().div_euclid(-factor)),
                    },
                };
                self.within(s, range);
            }
            _ => {
                if self.is_surely_not_negative(&form) {
                    return;
                }
                let opposite = form.times(-1).and_then(|form| form.plus_constant(-1));
                self.contradiction |= opposite.is_some_and(|o| self.is_surely_not_negative(&o));
                let form = tightened(form);
                // Of parallel facts only the strongest says something.
                let parallel = |other: &Linear| other.terms() == form.terms();
                self.not_negative.retain(|other| !parallel(other));
                self.not_negative.push(form);
            }
        }
    }

    /// The form is zero.
    pub fn add_zero(&mut self, form: Linear) {
        match form.terms() {
            [] => self.contradiction |= form.offset() != 0,
            [(s, factor)] => {
                let (s, factor, offset) = (*s, *factor, form.offset());
                if offset.rem_euclid(factor) != 0 {
                    self.contradiction = true;
                    return;
                }
                let n = -(offset / factor);
                self.within(s, Range::new(n, n));
            }
            _ => {
                let opposite = form.times(-1);
                let below = form.plus_constant(-1);
                let above = opposite.as_ref().and_then(|form| form.plus_constant(-1));
                let sure = |form: Option<Linear>| {
                    form.is_some_and(|form| self.is_surely_not_negative(&form))
                };
                self.contradiction |= sure(below) || sure(above);
                if !self.zero.contains(&form) && !opposite.is_some_and(|o| self.zero.contains(&o)) {
                    self.zero.push(form);
                }
            }
        }
    }

    /// Does it follow from the facts that the form is not negative? `false`: not that this can see.
    pub fn is_surely_not_negative(&self, form: &Linear) -> bool {
        if self.contradiction || self.least(form).is_some_and(|least| least >= 0) {
            return true;
        }
        let shares = |fact: &Linear| {
            let mut all = fact.terms().iter();
            all.find_map(|(s, n)| Some((form.factor(*s), *n)).filter(|(m, _)| *m != 0))
        };
        let proves = |rest: Option<Linear>| {
            rest.and_then(|rest| self.least(&rest))
                .is_some_and(|least| least >= 0)
        };
        let by_inequality = self.not_negative.iter().any(|fact| {
            // form = k * fact + rest, with k > 0 and rest >= 0
            shares(fact).is_some_and(|(m, n)| {
                m.signum() == n.signum() && m % n == 0 && proves(form.plus_times(-(m / n), fact))
            })
        });
        by_inequality
            || self.zero.iter().any(|fact| {
                shares(fact)
                    .is_some_and(|(m, n)| m % n == 0 && proves(form.plus_times(-(m / n), fact)))
            })
    }

    /// The least value that the ranges allow.
    pub fn least(&self, form: &Linear) -> Option<i128> {
        form.terms()
            .iter()
            .try_fold(form.offset(), |sum, (s, factor)| {
                let range = self.range(*s);
                let end = if *factor > 0 { range.least } else { range.most };
                sum.checked_add(factor.checked_mul(end?)?)
            })
    }

    /// The largest value that the ranges allow.
    pub fn most(&self, form: &Linear) -> Option<i128> {
        self.least(&form.times(-1)?)?.checked_neg()
    }

    /// The symbols that facts are about, in order.
    pub fn symbols(&self) -> Vec<Symbol> {
        let forms = self.zero.iter().chain(&self.not_negative);
        let mut all: Vec<Symbol> = forms.flat_map(|f| f.terms().iter().map(|t| t.0)).collect();
        all.extend(self.ranges.keys());
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Divided by what all factors have in common; integers are not in between.
fn tightened(form: Linear) -> Linear {
    let common = form
        .terms()
        .iter()
        .fold(0, |common, (_, n)| gcd(common, n.abs()));
    if common <= 1 {
        return form;
    }
    let rest = Linear::constant(form.offset().div_euclid(common));
    let terms = form.terms().iter().try_fold(rest, |sum, (s, n)| {
        sum.plus_times(n / common, &Linear::symbol(*s))
    });
    terms.unwrap_or(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(n: u32) -> Linear {
        Linear::symbol(Symbol(n))
    }

    #[test]
    fn one_fact_and_the_ranges_are_enough_for_most_questions() {
        let (i, n) = (symbol(0), symbol(1));
        let mut facts = Facts::default();
        facts.within(Symbol(0), Range::new(-1 << 31, (1 << 31) - 1));
        facts.within(Symbol(1), Range::new(-1 << 31, (1 << 31) - 1));
        let fits = Linear::constant((1 << 31) - 2).minus(&i).unwrap();
        assert!(!facts.is_surely_not_negative(&fits));
        // i < n
        facts.add_not_negative(n.minus(&i).unwrap().plus_constant(-1).unwrap());
        assert!(facts.is_surely_not_negative(&fits));
        assert!(!facts.is_surely_not_negative(&i));
    }

    #[test]
    fn contradictions_of_two_facts_are_seen() {
        let (i, n) = (symbol(0), symbol(1));
        let mut facts = Facts::default();
        facts.add_not_negative(n.minus(&i).unwrap().plus_constant(-1).unwrap());
        assert!(!facts.is_contradiction());
        facts.add_not_negative(i.minus(&n).unwrap());
        assert!(facts.is_contradiction());
    }

    #[test]
    fn ranges_of_single_symbols_are_kept_as_such() {
        let mut facts = Facts::default();
        // 2 x >= 5, 3 x <= 10: only 3
        facts.add_not_negative(symbol(0).times(2).unwrap().plus_constant(-5).unwrap());
        facts.add_not_negative(symbol(0).times(-3).unwrap().plus_constant(10).unwrap());
        assert_eq!(facts.range(Symbol(0)), Range::new(3, 3));
        assert_eq!(facts.not_negative().len(), 0);
        facts.add_zero(symbol(0).times(2).unwrap().plus_constant(-7).unwrap());
        assert!(facts.is_contradiction());
    }

    #[test]
    fn equalities_prove_in_both_directions() {
        let (x, y) = (symbol(0), symbol(1));
        let mut facts = Facts::default();
        facts.within(Symbol(1), Range::new(2, 5));
        // x = 2 y
        facts.add_zero(x.plus_times(-2, &y).unwrap());
        assert!(facts.is_surely_not_negative(&x.plus_constant(-4).unwrap()));
        let most = Linear::constant(10).minus(&x).unwrap();
        assert!(facts.is_surely_not_negative(&most));
        assert!(!facts.is_surely_not_negative(&x.plus_constant(-5).unwrap()));
    }

    #[test]
    fn of_parallel_facts_the_strongest_stays() {
        let form = symbol(0).minus(&symbol(1)).unwrap();
        let mut facts = Facts::default();
        facts.add_not_negative(form.clone());
        facts.add_not_negative(form.plus_constant(-3).unwrap());
        facts.add_not_negative(form.plus_constant(-1).unwrap());
        assert_eq!(facts.not_negative(), [form.plus_constant(-3).unwrap()]);
    }
}
