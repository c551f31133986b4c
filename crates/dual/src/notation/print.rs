//! Comparisons as C has them.
//!
//! What has a minus goes to the other side; the simpler side stands on the left, the constant on the right. Of `x >= 11` and
//! `x > 10`, which are the same, the one with the rounder number is taken.

use super::names::{Kind, Named};
use super::sayable::GREATEST;
use super::sum::{Comparison, Number, Relation, Sum};
use std::cmp::Ordering;

/// How numbers are written.
pub(super) struct Writer<'a> {
    pub names: &'a [Named],
    /// Is the sum never negative where this is read? Then `/` and `%` of C are rounded as here.
    pub is_natural: &'a dyn Fn(&Sum) -> bool,
}

/// Truths of one comparison that are told apart, at most.
const TRUTHS: usize = 4;

/// One side of a comparison: factors are positive.
type Side<'s> = Vec<(&'s Number, i128)>;

impl Writer<'_> {
    pub fn comparison(&self, comparison: &Comparison) -> String {
        self.special(comparison)
            .or_else(|| self.truths(comparison))
            .unwrap_or_else(|| self.two_sides(comparison))
    }

    /// Of several that are 0 or 1: which of them hold, instead of how large they are. `a - b >= 1` is `a && !b`. Alternatives are in
    /// parentheses.
    fn truths(&self, comparison: &Comparison) -> Option<String> {
        let terms = &comparison.sum.terms;
        let truth = |number: &Number| match number {
            Number::Input(at) => self.names.get(*at).filter(|n| n.kind == Kind::Truth),
            _ => None,
        };
        let names: Option<Vec<&Named>> = terms.keys().map(truth).collect();
        let names = names.filter(|names| (2..=TRUTHS).contains(&names.len()))?;
        // Bit by bit: which of them hold.
        let holds = |which: &u32| {
            let chosen = terms.values().enumerate();
            let chosen = chosen.filter(|(at, _)| which >> at & 1 == 1);
            let mut factors = chosen.map(|(_, factor)| *factor);
            let sum = factors.try_fold(comparison.sum.constant, i128::checked_add)?;
            Some(match comparison.relation {
                Relation::Equal => sum == 0,
                Relation::Different => sum != 0,
                Relation::AtLeast => sum >= 0,
            })
        };
        let all: Vec<u32> = (0..1 << names.len()).collect();
        let answers: Option<Vec<bool>> = all.iter().map(holds).collect();
        let (yes, no): (Vec<_>, Vec<_>) = all.into_iter().zip(answers?).partition(|(_, a)| *a);
        let literals = |which: u32, join: &str| {
            let literal = |(at, name): (usize, &&Named)| match which >> at & 1 {
                1 => name.text.clone(),
                _ => format!("!{}", name.text),
            };
            let literals = names.iter().enumerate().map(literal);
            literals.collect::<Vec<_>>().join(join)
        };
        Some(match (&yes[..], &no[..]) {
            ([(only, _)], _) => literals(*only, " && "),
            (_, [(only, _)]) => format!("({})", literals(!*only, " || ")),
            _ => {
                let each = yes
                    .iter()
                    .map(|(which, _)| format!("({})", literals(*which, " && ")));
                format!("({})", each.collect::<Vec<_>>().join(" || "))
            }
        })
    }

    /// What is not said with numbers.
    fn special(&self, comparison: &Comparison) -> Option<String> {
        let (number, factor) = comparison.sum.single()?;
        if factor != 1 && factor != -1 {
            return None;
        }
        let bound = comparison.sum.constant.checked_mul(-factor)?;
        let relation = comparison.relation;
        match number {
            Number::Input(at) => {
                let Named { text, kind } = self.names.get(*at)?;
                // It is 0, or it is at least 1.
                let is_zero = match (relation, factor, bound) {
                    (Relation::Equal, _, 0) | (Relation::AtLeast, -1, 0) => true,
                    (Relation::Different, _, 0) | (Relation::AtLeast, 1, 1) => false,
                    (Relation::Equal, _, 1) if *kind == Kind::Truth => false,
                    (Relation::Different, _, 1) if *kind == Kind::Truth => true,
                    _ => return None,
                };
                match (kind, is_zero) {
                    (Kind::Number, _) => None,
                    (Kind::Truth, true) => Some(format!("!{text}")),
                    (Kind::Truth, false) => Some(text.clone()),
                    (Kind::Pointer, true) => Some(format!("{text} == NULL")),
                    (Kind::Pointer, false) => Some(format!("{text} != NULL")),
                }
            }
            Number::Remainder(of, by) => {
                let operator = match relation {
                    Relation::Equal => "==",
                    Relation::Different => "!=",
                    Relation::AtLeast => return None,
                };
                if !(0..*by).contains(&bound) {
                    return None;
                }
                // (e + c) % m == b is e % m == b - c, rounded into the range.
                let bound = bound.checked_sub(of.constant)?.rem_euclid(*by);
                let mut of = (**of).clone();
                of.constant = 0;
                let bound = match bound == 0 || (self.is_natural)(&of) {
                    true => bound,
                    // In C the remainder of a negative number is negative; but not if it is 0.
                    false => {
                        let down = bound <= by - bound;
                        of.constant = if down { -bound } else { by - bound };
                        0
                    }
                };
                Some(format!("{} % {by} {operator} {bound}", self.operand(&of)))
            }
            Number::Quotient(..) => None,
        }
    }

    fn two_sides(&self, comparison: &Comparison) -> String {
        let Sum { terms, constant } = &comparison.sum;
        let side = |sign: i128| -> Side<'_> {
            let own = terms.iter().filter(|(_, n)| n.signum() == sign);
            own.map(|(number, n)| (number, n.saturating_mul(sign)))
                .collect()
        };
        let (plus, minus) = (side(1), side(-1));
        let turned = is_turned(&plus, &minus);
        let (left, right) = match turned {
            true => (minus, plus),
            false => (plus, minus),
        };
        // left + constant, compared with right; or, turned, left with right + constant.
        let bound = match turned {
            true => *constant,
            false => constant.saturating_neg(),
        };
        let (operator, bound) = match (comparison.relation, turned) {
            (Relation::Equal, _) => ("==", bound),
            (Relation::Different, _) => ("!=", bound),
            (Relation::AtLeast, turned) => {
                let (weak, strict, next) = match turned {
                    false => (">=", ">", bound.saturating_sub(1)),
                    true => ("<=", "<", bound.saturating_add(1)),
                };
                match roundness(next, right.is_empty()) < roundness(bound, right.is_empty()) {
                    true => (strict, next),
                    false => (weak, bound),
                }
            }
        };
        // What no number of C is large enough for stands on both sides.
        let least = match right.is_empty() {
            true => i64::MIN.into(),
            false => -GREATEST,
        };
        let rest = bound.clamp(least, GREATEST);
        let left = match left.is_empty() {
            true => "0".to_string(),
            false => self.with_constant(&left, rest.saturating_sub(bound)),
        };
        format!("{left} {operator} {}", self.with_constant(&right, rest))
    }

    fn side(&self, side: &Side<'_>) -> String {
        let terms: Vec<String> = side
            .iter()
            .map(|(n, factor)| self.term(n, *factor))
            .collect();
        terms.join(" + ")
    }

    fn with_constant(&self, side: &Side<'_>, constant: i128) -> String {
        if side.is_empty() {
            return alone(constant);
        }
        let side = self.side(side);
        match constant.cmp(&0) {
            Ordering::Equal => side,
            Ordering::Greater => format!("{side} + {}", number(constant)),
            Ordering::Less => format!("{side} - {}", number(constant.saturating_neg())),
        }
    }

    /// A product; the factor is positive.
    fn term(&self, number: &Number, factor: i128) -> String {
        let (text, is_product) = match number {
            Number::Input(at) => {
                let name = self.names.get(*at);
                (name.map_or("?".to_string(), |n| n.text.clone()), false)
            }
            Number::Quotient(of, by) => self.quotient(of, *by),
            Number::Remainder(of, by) => (self.remainder(of, *by), true),
        };
        match (factor, is_product) {
            (1, _) => text,
            (_, false) => format!("{factor} * {text}"),
            (_, true) => format!("{factor} * ({text})"),
        }
    }

    /// A quotient that is rounded down, and whether it is a product. C rounds towards zero: that is one more where the remainder
    /// is negative.
    fn quotient(&self, of: &Sum, by: i128) -> (String, bool) {
        let operand = self.operand(of);
        if (self.is_natural)(of) {
            return (format!("{operand} / {by}"), true);
        }
        let text = match self.shifted(of, by) {
            Some((of, turns)) => {
                let sign = if turns < 0 { '-' } else { '+' };
                format!(
                    "({} / {by} {sign} {})",
                    self.operand(&of),
                    turns.unsigned_abs()
                )
            }
            None => format!("({operand} / {by} - ({operand} % {by} < 0))"),
        };
        (text, false)
    }

    /// A remainder that is never negative. In C that of a negative number is.
    fn remainder(&self, of: &Sum, by: i128) -> String {
        if (self.is_natural)(of) {
            return format!("{} % {by}", self.operand(of));
        }
        match self.shifted(of, by) {
            Some((of, _)) => format!("{} % {by}", self.operand(&of)),
            None => format!("({} % {by} + {by}) % {by}", self.operand(of)),
        }
    }

    /// The same sum but for so many times the divisor, if it is never negative then: `k + 6` for `k - 2`, and -1 times 8.
    fn shifted(&self, of: &Sum, by: i128) -> Option<(Sum, i128)> {
        let turns = of.constant.checked_div_euclid(by)?;
        let shifted = of.plus_constant(turns.checked_mul(by)?.checked_neg()?)?;
        (self.is_natural)(&shifted).then_some((shifted, turns))
    }

    /// What is divided.
    fn operand(&self, sum: &Sum) -> String {
        let text = self.sum(sum);
        match (sum.single(), sum.constant) {
            (Some((Number::Input(_), 1)), 0) => text,
            _ => format!("({text})"),
        }
    }

    /// A sum with its signs, what is positive first.
    fn sum(&self, sum: &Sum) -> String {
        let mut text = String::new();
        let terms = sum.terms.iter();
        let (plus, minus): (Vec<_>, Vec<_>) = terms.partition(|(_, factor)| **factor > 0);
        for (n, factor) in plus.into_iter().chain(minus) {
            let sign = match (text.is_empty(), *factor > 0) {
                (true, true) => "",
                (true, false) => "-",
                (false, true) => " + ",
                (false, false) => " - ",
            };
            text += sign;
            text += &self.term(n, factor.saturating_abs());
        }
        match (text.is_empty(), sum.constant.cmp(&0)) {
            (true, _) => number(sum.constant),
            (false, Ordering::Equal) => text,
            (false, Ordering::Greater) => format!("{text} + {}", number(sum.constant)),
            (false, Ordering::Less) => {
                format!("{text} - {}", number(sum.constant.saturating_neg()))
            }
        }
    }
}

/// Does what has a minus stand on the left?
fn is_turned(plus: &Side<'_>, minus: &Side<'_>) -> bool {
    let is_simple = |side: &Side<'_>| matches!(side[..], [(Number::Input(_), 1)]);
    if plus.is_empty() || minus.is_empty() {
        return plus.is_empty();
    }
    match (is_simple(plus), is_simple(minus)) {
        (true, false) => false,
        (false, true) => true,
        _ => minus.first() < plus.first(),
    }
}

/// Of two ways to say the same the one with the rounder number is taken: the rounder, the less.
fn roundness(n: i128, is_alone: bool) -> (u8, u128) {
    // Near the end of a type it is the distance that is read.
    let read = match (is_alone, n.saturating_abs()) {
        (true, _) => near(n).map_or(n, |(_, distance)| distance),
        (false, size) if near(size).is_some_and(|(_, distance)| distance == 0) => 0,
        (false, size) => size,
    };
    let size = read.unsigned_abs();
    let class = match size {
        0 => 0,
        _ if size.is_multiple_of(10) || (size >= 4 && size.is_power_of_two()) => 1,
        _ if size.is_multiple_of(4) || size.is_multiple_of(5) => 2,
        _ if size.is_multiple_of(2) || size == 1 => 3,
        _ => 4,
    };
    (class, size)
}

/// A number that stands alone: `INT_MAX - 4`, where that is shorter.
fn alone(n: i128) -> String {
    match near(n) {
        None => literal(n),
        Some((limit, 0)) => limit.to_string(),
        Some((limit, more @ 1..)) => format!("{limit} + {more}"),
        Some((limit, less)) => format!("{limit} - {}", less.unsigned_abs()),
    }
}

/// A number that is added to something.
fn number(n: i128) -> String {
    match near(n) {
        Some((limit, 0)) => limit.to_string(),
        _ => literal(n),
    }
}

/// A number as C has it: beyond what is signed it says that it is not.
fn literal(n: i128) -> String {
    match n > i64::MAX.into() && n <= u64::MAX.into() {
        true => format!("{n}u"),
        false => n.to_string(),
    }
}

/// The least or greatest number of a type that a number is near to, and how far behind it lies. It must be one of that type: C does
/// not compute `INT_MIN - 1`.
fn near(n: i128) -> Option<(&'static str, i128)> {
    const LIMITS: [(&str, i128); 6] = [
        ("INT_MIN", i32::MIN as i128),
        ("INT_MAX", i32::MAX as i128),
        ("UINT_MAX", u32::MAX as i128),
        ("LONG_MIN", i64::MIN as i128),
        ("LONG_MAX", i64::MAX as i128),
        ("ULONG_MAX", u64::MAX as i128),
    ];
    LIMITS.iter().find_map(|(name, limit)| {
        let distance = n.checked_sub(*limit)?;
        let is_of_type = distance == 0 || (distance > 0) == (*limit < 0);
        (is_of_type && distance.unsigned_abs() <= 1 << 12).then_some((*name, distance))
    })
}
