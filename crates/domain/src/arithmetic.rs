//! What C's operators do to [`Number`]s, exactly where intervals can be exact.
//!
//! Signed operations do not overflow (that is an error of its own, and a run ends there), so a
//! result is cut to its type. Unsigned ones wrap: a result that leaves the type as a whole comes
//! back shifted, any other becomes the whole type.

use crate::number::{LEAST, MOST, Number};

/// The values of an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntType {
    pub width: u16,
    pub signed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

const INFINITE: i128 = 1 << 100;

/// The range between two bounds. Each stands for infinity at its own side only: a *low* bound of
/// [`MOST`] is that very number, or `u64`s beyond it would seem equal.
fn wide((low, high): (i64, i64)) -> Range {
    let low = if low == LEAST {
        -INFINITE
    } else {
        i128::from(low)
    };
    let high = if high == MOST {
        INFINITE
    } else {
        i128::from(high)
    };
    (low, high)
}

fn narrow(bound: i128) -> i64 {
    bound.clamp(i128::from(LEAST), i128::from(MOST)) as i64
}

impl IntType {
    /// Least and greatest value, the ends of what [`Number`] can say standing for more.
    pub fn bounds(self) -> (i64, i64) {
        let (low, high) = self.exact();
        (narrow(low), narrow(high))
    }

    fn exact(self) -> (i128, i128) {
        match (self.width, self.signed) {
            (0, _) => (0, 0),
            (w, true) if w <= 100 => (-(1 << (w - 1)), (1 << (w - 1)) - 1),
            (w, false) if w <= 100 => (0, (1 << w) - 1),
            (_, true) => (-INFINITE, INFINITE),
            (_, false) => (0, INFINITE),
        }
    }

    /// All values, without evidence.
    pub fn any(self) -> Number {
        let (low, high) = self.bounds();
        Number::range(low, high)
    }
}

/// A pair of bounds on the way to a result.
type Range = (i128, i128);

fn corners(a: Range, b: Range, op: impl Fn(i128, i128) -> i128) -> Range {
    let all = [op(a.0, b.0), op(a.0, b.1), op(a.1, b.0), op(a.1, b.1)];
    let low = all.iter().copied().fold(i128::MAX, i128::min);
    let high = all.iter().copied().fold(i128::MIN, i128::max);
    (low, high)
}

fn quotient(a: i128, b: i128) -> i128 {
    // What is finite stays so; ∞/∞ can be anything up to the dividend.
    match b {
        0 => a,
        INFINITE => 0,
        b if b == -INFINITE => 0,
        b => a / b,
    }
}

fn exact(op: Operator, a: Range, b: Range) -> Option<Range> {
    Some(match op {
        Operator::Add => (a.0 + b.0, a.1 + b.1),
        Operator::Sub => (a.0 - b.1, a.1 - b.0),
        Operator::Mul => corners(a, b, i128::saturating_mul),
        Operator::Div => {
            // The divisor is not 0: a range over both signs is split around it.
            let mut result: Option<Range> = None;
            let parts = [(b.0, b.1.min(-1)), (b.0.max(1), b.1)];
            for part in parts.into_iter().filter(|p| p.0 <= p.1) {
                let r = corners(a, part, quotient);
                result = Some(result.map_or(r, |q| (q.0.min(r.0), q.1.max(r.1))));
            }
            result?
        }
        Operator::Rem => {
            let most = b.0.abs().max(b.1.abs()) - 1;
            if most < 0 {
                return None;
            }
            if a.0 >= 0 && a.1 <= most && b.0 == b.1 {
                a
            } else {
                (
                    if a.0 < 0 { (-most).max(a.0) } else { 0 },
                    if a.1 > 0 { most.min(a.1) } else { 0 },
                )
            }
        }
        Operator::Shl if b.0 >= 0 && b.1 < 64 => corners(a, b, |x, s| x.saturating_mul(1 << s)),
        Operator::Shr if b.0 >= 0 && b.1 < 128 => {
            corners(a, b, |x, s| if x.abs() >= INFINITE { x } else { x >> s })
        }
        Operator::And if a.0 >= 0 || b.0 >= 0 => {
            let most = match (a.0 >= 0, b.0 >= 0) {
                (true, true) => a.1.min(b.1),
                (true, false) => a.1,
                _ => b.1,
            };
            if a.0 == a.1 && b.0 == b.1 {
                (a.0 & b.0, a.0 & b.0)
            } else {
                (0, most)
            }
        }
        Operator::Or if a.0 >= 0 && b.0 >= 0 => {
            if a.0 == a.1 && b.0 == b.1 {
                (a.0 | b.0, a.0 | b.0)
            } else {
                (a.0.max(b.0), below_power(a.1.max(b.1)))
            }
        }
        Operator::Xor if a.0 >= 0 && b.0 >= 0 => {
            if a.0 == a.1 && b.0 == b.1 {
                (a.0 ^ b.0, a.0 ^ b.0)
            } else {
                (0, below_power(a.1.max(b.1)))
            }
        }
        Operator::And | Operator::Or | Operator::Xor if a.0 == a.1 && b.0 == b.1 => {
            let r = match op {
                Operator::And => a.0 & b.0,
                Operator::Or => a.0 | b.0,
                _ => a.0 ^ b.0,
            };
            (r, r)
        }
        _ => return None,
    })
}

/// The greatest number with as many bits.
fn below_power(x: i128) -> i128 {
    if x >= INFINITE {
        INFINITE
    } else {
        (1i128 << (128 - x.leading_zeros())) - 1
    }
}

/// The result of an operation on two operands of a type. `wraps`: the operation is one that
/// wraps around, as all unsigned ones do.
pub fn apply(op: Operator, a: &Number, b: &Number, ty: IntType, wraps: bool) -> Number {
    let range = |n: &Number| wide((n.low, n.high));
    let Some(r) = exact(op, range(a), range(b)) else {
        return match op {
            Operator::And | Operator::Or | Operator::Xor => scrambled(a, b, ty.any()),
            _ => ty.any(),
        };
    };
    let mut result = fit(r, ty, wraps);
    result.nonzero |= match op {
        Operator::Or => a.low >= 0 && b.low >= 0 && (a.nonzero || b.nonzero),
        Operator::Mul if !wraps => a.nonzero && b.nonzero,
        _ => false,
    };
    with_evidence(op, a, b, ty, wraps, result)
}

/// What is made of input alone, bit by bit or around the end of a type, is input: which values of its range come out, no interval
/// can say, and nobody has excluded any.
fn scrambled(a: &Number, b: &Number, r: Number) -> Number {
    if !(a.is_interval() || b.is_interval()) || !a.is_all_seen() || !b.is_all_seen() {
        return r;
    }
    let mut n = Number::outside(r.low, r.high);
    n.nonzero |= r.nonzero;
    n
}

/// The evidence of a result: what the operation makes of acknowledged operands, and the bound
/// that a mask or a remainder by a constant states by itself.
fn with_evidence(
    op: Operator,
    a: &Number,
    b: &Number,
    ty: IntType,
    wraps: bool,
    r: Number,
) -> Number {
    let with = |least: i64, greatest: i64, dense: bool| {
        let nonzero = r.nonzero;
        let mut n = Number::new(r.low, r.high, least, greatest, dense);
        n.nonzero |= nonzero;
        n
    };
    match op {
        Operator::Rem if b.as_constant().is_some() => {
            let most = b
                .as_constant()
                .unwrap_or(1)
                .saturating_abs()
                .saturating_sub(1);
            let negative = a.acknowledged().is_some_and(|(least, _)| least < 0) && r.low < 0;
            let dense = a.is_dense();
            if a.high >= most {
                return with(if negative { r.low } else { r.low.max(0) }, most, dense);
            }
        }
        // A mask says how many bits there are, not which values.
        Operator::And if r.high > 0 => {
            let masks = [(a, b), (b, a)];
            let full = |mask: i64| (mask & (mask + 1)) == 0;
            for (value, mask) in masks {
                if let Some(m) = mask.as_constant()
                    && m == r.high
                    && value.is_dense()
                    && value.acknowledged().is_some_and(|(l, g)| l <= 0 && g >= m)
                {
                    return with(0, m, full(m));
                }
            }
        }
        _ => {}
    }
    let (Some(x), Some(y)) = (a.acknowledged(), b.acknowledged()) else {
        return r;
    };
    let (x, y) = (wide(x), wide(y));
    let single = x.0 == x.1 && y.0 == y.1;
    if !single
        && !matches!(
            op,
            Operator::Add
                | Operator::Sub
                | Operator::Mul
                | Operator::Div
                | Operator::Shl
                | Operator::Shr
        )
    {
        return if matches!(op, Operator::Or | Operator::Xor) {
            scrambled(a, b, r)
        } else {
            r
        };
    }
    let Some(seen) = exact(op, x, y) else {
        return r;
    };
    let (low, high) = ty.exact();
    if wraps && (seen.0 < low || seen.1 > high) {
        // Only a result that wraps as a whole is still known.
        if !single || r.as_constant().is_none() {
            return scrambled(a, b, r);
        }
        return with(r.low, r.high, true);
    }
    let dense = a.is_dense()
        && b.is_dense()
        && (x.0 == x.1 || y.0 == y.1)
        && matches!(op, Operator::Add | Operator::Sub)
        || single;
    with(
        narrow(seen.0.max(low.min(seen.1))),
        narrow(seen.1.min(high.max(seen.0))),
        dense,
    )
}

/// A mathematical range as values of a type.
fn fit(r: Range, ty: IntType, wraps: bool) -> Number {
    let (low, high) = ty.exact();
    if low <= r.0 && r.1 <= high {
        return Number::range(narrow(r.0), narrow(r.1));
    }
    if !wraps {
        // Some run overflows; those that go on do not.
        let (l, h) = (r.0.max(low), r.1.min(high));
        return if l <= h {
            Number::range(narrow(l), narrow(h))
        } else {
            ty.any()
        };
    }
    let finite = -INFINITE < r.0 && r.1 < INFINITE;
    if ty.width <= 64 && finite && r.1 - r.0 < high - low {
        let modulus = 1i128 << ty.width;
        let turns = (r.0 - low).div_euclid(modulus);
        if turns == (r.1 - low).div_euclid(modulus) {
            return Number::range(narrow(r.0 - turns * modulus), narrow(r.1 - turns * modulus));
        }
    }
    ty.any()
}

/// A value as it comes around in a type.
fn turned(value: i128, to: IntType) -> i128 {
    let (low, high) = to.exact();
    if to.width > 100 || (low <= value && value <= high) {
        return value;
    }
    (value - low).rem_euclid(1 << to.width) + low
}

/// The range between two bounds of a value of some type, which says what an infinite end is.
fn real(bounds: (i64, i64), ty: IntType) -> Range {
    let ((low, high), (least, most)) = (wide(bounds), ty.exact());
    (low.max(least), high.min(most))
}

/// Do all values of one type keep their value when they are converted to another?
pub fn keeps(n: &Number, from: IntType, to: IntType) -> bool {
    let ((low, high), range) = (to.exact(), real((n.low, n.high), from));
    low <= range.0 && range.1 <= high
}

/// A value of one integer type converted to another: unchanged where it fits.
pub fn convert(n: &Number, from: IntType, to: IntType) -> Number {
    if keeps(n, from, to) {
        return *n;
    }
    let (low, high) = to.exact();
    let range = real((n.low, n.high), from);
    let mut r = fit(range, to, true);
    if to.width >= from.width {
        r.nonzero |= n.nonzero;
    }
    if let Some(seen) = n.acknowledged() {
        let (least, greatest) = real(seen, from);
        let fits = low <= least && greatest <= high;
        let every = real(from.bounds(), from);
        if !fits && to.width <= from.width && n.is_dense() && (least, greatest) == every {
            // All values of the wider type: all of the narrower one come out.
            return Number::outside(r.low, r.high);
        }
        if fits {
            let nonzero = r.nonzero;
            r = Number::new(r.low, r.high, narrow(least), narrow(greatest), n.is_dense());
            r.nonzero |= nonzero;
        } else if n.is_dense() && least <= low && high <= greatest {
            return Number::outside(r.low, r.high);
        } else if to.width >= from.width && n.is_dense() && least.max(low) <= greatest.min(high) {
            // Those that fit keep their value; what the others become, nobody said.
            let nonzero = r.nonzero;
            let (least, greatest) = (narrow(least.max(low)), narrow(greatest.min(high)));
            r = Number::new(r.low, r.high, least, greatest, true);
            r.nonzero |= nonzero;
        } else if least == greatest && r.as_constant().is_some() {
            return Number::constant(r.low);
        } else if !n.is_dense() {
            // Two values are known to be seen, and what becomes of each: a length of -4 is a very large size.
            let (a, b) = (turned(least, to), turned(greatest, to));
            let nonzero = r.nonzero;
            r = Number::new(r.low, r.high, narrow(a.min(b)), narrow(a.max(b)), false);
            r.nonzero |= nonzero;
        }
    }
    r
}

/// Can the operation leave its type? The answer for all values, and for the acknowledged ones.
pub fn overflows(op: Operator, a: &Number, b: &Number, ty: IntType) -> Overflow {
    let (low, high) = ty.exact();
    let leaves = |a: Range, b: Range| exact(op, a, b).is_none_or(|r| r.0 < low || r.1 > high);
    let never_fits = |a: Range, b: Range| exact(op, a, b).is_some_and(|r| r.1 < low || r.0 > high);
    let range = |n: &Number| wide((n.low, n.high));
    let seen = match (a.acknowledged(), b.acknowledged()) {
        (Some(x), Some(y)) => {
            // The ends that stand for infinity are the type's own ends here.
            let real = |r: Range| (r.0.max(low), r.1.min(high));
            exact(op, real(wide(x)), real(wide(y))).is_some_and(|r| r.0 < low || r.1 > high)
        }
        _ => false,
    };
    let real = |r: Range| (r.0.max(low), r.1.min(high));
    Overflow {
        possible: leaves(real(range(a)), real(range(b))),
        certain: never_fits(real(range(a)), real(range(b))),
        acknowledged: seen,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow {
    pub possible: bool,
    pub certain: bool,
    /// Acknowledged operands overflow.
    pub acknowledged: bool,
}
