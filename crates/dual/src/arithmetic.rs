//! Machine arithmetic on linear forms.
//!
//! What is linear stays exact: sums, products with constants, quotients and remainders by constants, masks of low bits, shifts
//! by constants. A result that does not fit its type wraps; whether it can is mostly seen at once, and if not the path parts:
//! a case for each number of times that it wraps, and if there are too many, the quotient is a symbol that nobody knows.
//! Everything else is some number of the type ("else havoc"): more than can happen, never less.

use crate::facts::Range;
use crate::input::Symbols;
use crate::linear::Linear;
use crate::path::{Path, Paths};
use smallvec::smallvec;

/// Which numbers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Integers {
    /// Those of the machine: each type has its own.
    #[default]
    Machine,
    /// All, as in the paper.
    Unbounded,
}

/// Cases in which a result wraps, at most.
const CASES: i128 = 2;

/// A number of which only the range is known.
pub fn some_number(path: &mut Path, symbols: &mut Symbols, range: Range) -> Linear {
    let symbol = symbols.unknown_within(range);
    path.within(symbol, range);
    Linear::symbol(symbol)
}

/// The number that is left of a form in a type of this range, one case for each number of times that it wraps.
pub fn wrapped(
    mut path: Path,
    symbols: &mut Symbols,
    form: Option<Linear>,
    range: Range,
) -> Paths<Linear> {
    let Some(form) = form else {
        let any = some_number(&mut path, symbols, range);
        return smallvec![(path, any)];
    };
    let (Some(least), Some(most)) = (range.least, range.most) else {
        return smallvec![(path, form)];
    };
    if path.surely_within(&form, range) {
        return smallvec![(path, form)];
    }
    let size = most - least + 1;
    let times = |end: Option<i128>| Some((end?.checked_sub(least)?).div_euclid(size));
    let (from, to) = (
        times(path.facts.least(&form)),
        times(path.facts.most(&form)),
    );
    if let (Some(from), Some(to)) = (from, to)
        && to - from < CASES
    {
        let case = |turns: i128| {
            let left = form.plus_constant(-turns.checked_mul(size)?)?;
            let path = path
                .clone()
                .where_not_negative(left.plus_constant(-least))?;
            let path = path.where_not_negative(Linear::constant(most).minus(&left))?;
            Some((path, left))
        };
        return (from..=to).filter_map(case).collect();
    }
    // form = size * turns + left
    let turns = Linear::symbol(symbols.unknown());
    let left = some_number(&mut path, symbols, range);
    let whole = left.plus_times(size, &turns);
    let path = path.where_zero(whole.and_then(|whole| form.minus(&whole)));
    path.into_iter().map(|path| (path, left.clone())).collect()
}

/// Quotient and remainder of a form by a positive constant, rounded down. None if the path cannot be.
pub fn floor_division(
    mut path: Path,
    symbols: &mut Symbols,
    form: &Linear,
    divisor: i128,
) -> Option<(Path, Linear, Linear)> {
    if let Some(n) = form.as_constant() {
        let quotient = Linear::constant(n.div_euclid(divisor));
        return Some((path, quotient, Linear::constant(n.rem_euclid(divisor))));
    }
    let ends = (path.facts.least(form), path.facts.most(form));
    let range = Range {
        least: ends.0.map(|n| n.div_euclid(divisor)),
        most: ends.1.map(|n| n.div_euclid(divisor)),
    };
    let quotient = some_number(&mut path, symbols, range);
    let left = Range::new(0, divisor - 1);
    let Some(remainder) = form.plus_times(-divisor, &quotient) else {
        let remainder = some_number(&mut path, symbols, left);
        return Some((path, quotient, remainder));
    };
    // 0 <= form - divisor * quotient < divisor
    let path = path.where_not_negative(Some(remainder.clone()))?;
    let path = path.where_not_negative(Linear::constant(divisor - 1).minus(&remainder))?;
    Some((path, quotient, remainder))
}

/// Quotient and remainder as C has them: towards zero; the sign of the remainder is that of the form. No case if the divisor
/// is zero.
pub fn division(
    path: Path,
    symbols: &mut Symbols,
    form: &Linear,
    divisor: i128,
) -> Paths<(Linear, Linear)> {
    let mut all = Paths::new();
    let (size, sign) = (divisor.abs(), divisor.signum());
    if size == 0 {
        return all;
    }
    let Some(opposite) = form.times(-1) else {
        let mut path = path;
        let mut any = |path: &mut Path| some_number(path, symbols, Range::ANYTHING);
        let both = (any(&mut path), any(&mut path));
        return smallvec![(path, both)];
    };
    for (form, side) in [(form, 1), (&opposite, -1)] {
        // Zero is on the first side.
        let least = form.plus_constant(if side == 1 { 0 } else { -1 });
        let Some(path) = path.clone().where_not_negative(least) else {
            continue;
        };
        let Some((mut path, quotient, remainder)) = floor_division(path, symbols, form, size)
        else {
            continue;
        };
        let mut signed = |form: Linear, sign: i128| {
            form.times(sign)
                .unwrap_or_else(|| some_number(&mut path, symbols, Range::ANYTHING))
        };
        let both = (signed(quotient, sign * side), signed(remainder, side));
        all.push((path, both));
    }
    all
}

/// The low bits of a form: what is left of it in an unsigned type of this width.
pub fn low_bits(path: Path, symbols: &mut Symbols, form: Linear, width: u32) -> Paths<Linear> {
    let size = 1 << width;
    let times = |end: Option<i128>| Some(end?.div_euclid(size));
    let ends = (
        times(path.facts.least(&form)),
        times(path.facts.most(&form)),
    );
    let few = matches!(ends, (Some(from), Some(to)) if to - from < CASES);
    if few || width > NARROW {
        return wrapped(path, symbols, Some(form), Range::new(0, size - 1));
    }
    // As a form, so that it goes on to be known how far it is from a multiple.
    let parts = floor_division(path, symbols, &form, size);
    let remainder = |(path, _, remainder)| (path, remainder);
    parts.into_iter().map(remainder).collect()
}

/// Masks of more bits are of addresses and the like, and not of indices.
const NARROW: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Symbol;

    /// All (value, result) pairs that the cases allow, by trying all values of the symbols.
    fn pairs(cases: &Paths<Linear>, of: Symbol, unknowns: u32) -> Vec<(i128, i128)> {
        let mut all = Vec::new();
        for (path, result) in cases {
            for value in -20..20 {
                for turns in -20..20 {
                    for left in -20..20 {
                        let number = |s: Symbol| match s {
                            s if s == of => value,
                            s if s.0 == unknowns => turns,
                            _ => left,
                        };
                        let zero = path.facts.zero().iter().all(|f| f.value(number) == Some(0));
                        let mut rest = path.facts.not_negative().iter();
                        let ranges = path.facts.symbols().into_iter().all(|s| {
                            let range = path.facts.range(s);
                            range.least.is_none_or(|n| n <= number(s))
                                && range.most.is_none_or(|n| number(s) <= n)
                        });
                        if zero && ranges && rest.all(|f| f.value(number).unwrap() >= 0) {
                            all.push((value, result.value(number).unwrap()));
                        }
                    }
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn what_does_not_fit_wraps() {
        for (least, most) in [(-8, 8), (-20, 19)] {
            let mut symbols = Symbols::default();
            let x = symbols.unknown();
            let mut path = Path::default();
            path.within(x, Range::new(least, most));
            let form = Some(Linear::symbol(x));
            let cases = wrapped(path, &mut symbols, form, Range::new(-4, 3));
            let expected: Vec<_> = (least..=most)
                .map(|n| (n, (n + 4).rem_euclid(8) - 4))
                .collect();
            assert_eq!(pairs(&cases, x, x.0 + 1), expected);
        }
    }

    #[test]
    fn division_rounds_towards_zero() {
        for divisor in [-5, -3, -1, 1, 2, 7] {
            let mut symbols = Symbols::default();
            let x = symbols.unknown();
            let mut path = Path::default();
            path.within(x, Range::new(-9, 9));
            let all = division(path, &mut symbols, &Linear::symbol(x), divisor);
            // The quotient of the first case is the first unknown, that of the second the second.
            for (i, (path, (quotient, remainder))) in all.iter().enumerate() {
                let unknown = x.0 + 1 + i as u32;
                for (result, expected) in [
                    (quotient, (|n, d| n / d) as fn(i128, i128) -> i128),
                    (remainder, |n, d| n % d),
                ] {
                    let case: Paths<Linear> = smallvec![(path.clone(), result.clone())];
                    let found = pairs(&case, x, unknown);
                    let side = if i == 0 { 0..=9 } else { -9..=-1 };
                    let wanted: Vec<_> = side.map(|n| (n, expected(n, divisor))).collect();
                    assert_eq!(found, wanted, "{divisor} {i}");
                }
            }
        }
        let none = division(
            Path::default(),
            &mut Symbols::default(),
            &Linear::constant(1),
            0,
        );
        assert!(none.is_empty());
    }
}
