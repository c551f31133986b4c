//! Numbers and their arithmetic against the sets of values that they stand for, on types that are
//! small enough to try everything.

use domain::arithmetic::{apply, convert, keeps, overflows};
use domain::{Bound, IntType, LEAST, MOST, Number, Operator};
use proptest::prelude::*;

const SMALL: std::ops::RangeInclusive<i64> = -20..=20;

/// Numbers of all kinds between -20 and 20, and unbounded ones.
fn numbers() -> impl Strategy<Value = Number> {
    let end = |infinite: i64| prop_oneof![8 => -16i64..=16, 1 => Just(infinite)];
    (end(LEAST), end(MOST), -16i64..=16, -16i64..=16, 0u8..4).prop_map(
        |(a, b, least, greatest, kind)| {
            let (low, high) = (a.min(b), a.max(b));
            match kind {
                0 => Number::range(low, high),
                1 => Number::new(low, high, least.min(greatest), greatest.max(least), true),
                2 => Number::new(low, high, least.min(greatest), greatest.max(least), false),
                _ => Number::range(low, high)
                    .exclude_zero()
                    .unwrap_or(Number::constant(1)),
            }
        },
    )
}

fn values(n: &Number) -> Vec<i64> {
    SMALL.filter(|v| n.contains(*v)).collect()
}

fn bounds() -> impl Strategy<Value = Bound> {
    (
        prop_oneof![8 => -18i64..=18, 1 => Just(LEAST), 1 => Just(MOST)],
        any::<bool>(),
    )
        .prop_map(|(value, acknowledged)| Bound {
            value,
            acknowledged,
        })
}

/// Evidence is about values that there are.
fn evidence_is_inside(n: &Number) -> bool {
    n.acknowledged()
        .is_none_or(|(least, greatest)| n.low <= least && greatest <= n.high)
}

proptest! {
    #[test]
    fn covering_is_an_order_that_holds_all_values(a in numbers(), b in numbers(), c in numbers()) {
        prop_assert!(a.covers(&a) && Number::TOP.covers(&a.without_evidence()));
        if a.covers(&b) {
            prop_assert!(values(&b).iter().all(|v| a.contains(*v)));
            if b.covers(&c) {
                prop_assert!(a.covers(&c));
            }
        }
    }

    #[test]
    fn a_join_covers_both_and_is_the_least_range(a in numbers(), b in numbers()) {
        let joined = a.join(&b);
        prop_assert!(joined.covers(&a) && joined.covers(&b), "{joined:?}");
        prop_assert_eq!((joined.low, joined.high), (a.low.min(b.low), a.high.max(b.high)));
        prop_assert!(evidence_is_inside(&joined));
    }

    #[test]
    fn widening_covers_both_and_ends(start in numbers(), more in prop::collection::vec(numbers(), 40)) {
        let thresholds = [-7, 0, 9];
        let mut now = start;
        let mut changes = 0;
        for next in more {
            let widened = now.widen(&next, &thresholds);
            prop_assert!(widened.covers(&now) && widened.covers(&next), "{now:?} {next:?} {widened:?}");
            prop_assert!(evidence_is_inside(&widened));
            changes += usize::from((widened.low, widened.high) != (now.low, now.high));
            now = widened;
        }
        // Each end jumps over at most three thresholds, then to infinity.
        prop_assert!(changes <= 8, "{changes} changes");
    }

    #[test]
    fn restricting_keeps_exactly_what_lies_between(n in numbers(), low in bounds(), high in bounds()) {
        let wanted: Vec<i64> = values(&n)
            .into_iter()
            .filter(|v| low.value <= *v && *v <= high.value)
            .collect();
        match n.restrict(low, high) {
            Some(r) => {
                prop_assert_eq!(values(&r), wanted);
                prop_assert!(evidence_is_inside(&r), "{r:?}");
            }
            None => prop_assert!(wanted.is_empty()),
        }
    }

    #[test]
    fn excluding_takes_no_other_value(n in numbers(), value in -16i64..=16) {
        let others: Vec<i64> = values(&n).into_iter().filter(|v| *v != value).collect();
        match n.exclude(value) {
            Some(r) => prop_assert!(others.iter().all(|v| r.contains(*v)) && evidence_is_inside(&r)),
            None => prop_assert!(others.is_empty()),
        }
        if let Some(r) = n.exclude_zero() {
            prop_assert!(!r.contains(0));
        }
    }

    #[test]
    fn what_is_left_and_what_is_taken_are_all(a in numbers(), b in numbers()) {
        let parts = a.minus(&b);
        for v in values(&a) {
            prop_assert!(b.contains(v) || parts.iter().any(|p| p.contains(v)), "{v}");
        }
        for part in &parts {
            prop_assert!(values(part).iter().all(|v| a.contains(*v) && !b.contains(*v)));
            prop_assert!(evidence_is_inside(part));
        }
    }
}

const OPERATORS: [Operator; 10] = [
    Operator::Add,
    Operator::Sub,
    Operator::Mul,
    Operator::Div,
    Operator::Rem,
    Operator::Shl,
    Operator::Shr,
    Operator::And,
    Operator::Or,
    Operator::Xor,
];

/// The mathematical result, if the operation has one at a width.
fn exact(op: Operator, x: i64, y: i64, width: u16) -> Option<i64> {
    Some(match op {
        Operator::Add => x + y,
        Operator::Sub => x - y,
        Operator::Mul => x * y,
        Operator::Div => x.checked_div(y)?,
        Operator::Rem => x.checked_rem(y)?,
        Operator::Shl if (0..i64::from(width)).contains(&y) => x << y,
        Operator::Shr if (0..i64::from(width)).contains(&y) => x >> y,
        Operator::Shl | Operator::Shr => return None,
        Operator::And => x & y,
        Operator::Or => x | y,
        Operator::Xor => x ^ y,
    })
}

fn wrap(value: i64, ty: IntType) -> i64 {
    let bits = value & ((1 << ty.width) - 1);
    let negative = ty.signed && bits >> (ty.width - 1) & 1 == 1;
    if negative {
        bits - (1 << ty.width)
    } else {
        bits
    }
}

/// All intervals of a type, the evidence being the interval itself.
fn intervals(ty: IntType) -> Vec<Number> {
    let (low, high) = ty.bounds();
    let mut all = Vec::new();
    for a in low..=high {
        for b in a..=high {
            all.push(Number::outside(a, b));
        }
    }
    all
}

fn of_type(n: &Number) -> impl Iterator<Item = i64> + use<> {
    let n = *n;
    (n.low..=n.high).filter(move |v| n.contains(*v))
}

#[test]
fn results_hold_every_concrete_result() {
    for signed in [false, true] {
        let ty = IntType { width: 3, signed };
        let (low, high) = ty.bounds();
        let all = intervals(ty);
        for op in OPERATORS {
            for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                let [wrapped, cut] = [true, false].map(|wraps| apply(op, a, b, ty, wraps));
                let overflow = overflows(op, a, b, ty);
                assert!(
                    evidence_is_inside(&wrapped) && evidence_is_inside(&cut),
                    "{op:?} {a:?} {b:?}"
                );
                let (mut fits, mut leaves) = (false, false);
                for (x, y) in of_type(a).flat_map(|x| of_type(b).map(move |y| (x, y))) {
                    let Some(r) = exact(op, x, y, ty.width) else {
                        continue;
                    };
                    let inside = low <= r && r <= high;
                    fits |= inside;
                    leaves |= !inside;
                    assert!(
                        wrapped.contains(wrap(r, ty)),
                        "{x} {op:?} {y} = {r} is not in {wrapped:?}"
                    );
                    assert!(
                        !inside || cut.contains(r),
                        "{x} {op:?} {y} = {r} is not in {cut:?}"
                    );
                }
                assert!(
                    overflow.possible || !leaves,
                    "{op:?} {a:?} {b:?} leaves its type"
                );
                assert!(
                    !(overflow.certain && fits),
                    "{op:?} {a:?} {b:?} fits its type"
                );
            }
        }
    }
}

#[test]
fn sums_of_intervals_are_exact() {
    let ty = IntType {
        width: 32,
        signed: true,
    };
    let sum = apply(
        Operator::Add,
        &Number::range(1, 5),
        &Number::range(10, 20),
        ty,
        false,
    );
    assert_eq!((sum.low, sum.high), (11, 25));
    let product = apply(
        Operator::Mul,
        &Number::range(-3, 2),
        &Number::range(-5, 7),
        ty,
        false,
    );
    assert_eq!((product.low, product.high), (-21, 15));
    let masked = apply(Operator::And, &ty.any(), &Number::constant(7), ty, true);
    assert_eq!((masked.low, masked.high), (0, 7));
}

#[test]
fn conversions_hold_every_converted_value() {
    let types = [
        (3, false),
        (3, true),
        (4, false),
        (4, true),
        (2, false),
        (2, true),
    ]
    .map(|(width, signed)| IntType { width, signed });
    for from in types {
        for to in types {
            for n in intervals(from) {
                let converted = convert(&n, from, to);
                assert!(evidence_is_inside(&converted));
                let mut same = true;
                for v in of_type(&n) {
                    assert!(
                        converted.contains(wrap(v, to)),
                        "{v} of {n:?} as {to:?}: {converted:?}"
                    );
                    same &= wrap(v, to) == v;
                }
                assert_eq!(keeps(&n, from, to), same, "{n:?} {from:?} {to:?}");
            }
        }
    }
}

/// An `u64` beyond 2^63 is not told from another one: nothing may follow from their being equal.
#[test]
fn the_ends_of_64_bits_are_no_numbers() {
    let (signed, unsigned) = (
        IntType {
            width: 64,
            signed: true,
        },
        IntType {
            width: 64,
            signed: false,
        },
    );
    let huge = Number::constant(MOST);
    let difference = apply(Operator::Sub, &huge, &huge, unsigned, true);
    assert_eq!((difference.low, difference.high), (0, MOST));
    let negative = convert(&Number::range(5, MOST), unsigned, signed);
    assert_eq!(negative.low, LEAST, "2^64 - 1 becomes -1");
    assert!(keeps(&Number::range(5, MOST), signed, unsigned));
    assert!(!keeps(&Number::range(5, MOST), unsigned, signed));
}

/// An unsigned number of 32 bits from outside.
fn from_outside() -> Number {
    Number::outside(0, i64::from(u32::MAX))
}

const U32: IntType = IntType {
    width: 32,
    signed: false,
};
const I32: IntType = IntType {
    width: 32,
    signed: true,
};
const U64: IntType = IntType {
    width: 64,
    signed: false,
};
const I64: IntType = IntType {
    width: 64,
    signed: true,
};

#[test]
fn what_is_made_of_input_bit_by_bit_is_input() {
    let by = Number::constant(15);
    let turned = apply(Operator::Shl, &from_outside(), &by, U32, true);
    let mixed = apply(Operator::Xor, &turned, &from_outside(), U32, true);
    for n in [turned, mixed] {
        assert_eq!(n.acknowledged(), Some((0, i64::from(u32::MAX))));
    }
    let random = Number::outside(0, i64::from(i32::MAX));
    let turned = apply(Operator::Shl, &random, &by, I32, true);
    let mixed = apply(Operator::Xor, &turned, &random, I32, true);
    assert_eq!(mixed.acknowledged(), Some(I32.bounds()));
    // Of a parameter nobody has said anything.
    let turned = from_outside();
    let mixed = apply(Operator::Xor, &turned, &U32.any(), U32, true);
    assert_eq!(mixed.acknowledged(), None);
}

#[test]
fn all_values_of_a_type_are_all_of_a_narrower_one() {
    let n = convert(&from_outside(), U32, I32);
    let all = (i64::from(i32::MIN), i64::from(i32::MAX));
    assert_eq!(n.acknowledged(), Some(all));
    // Half of them are not.
    let n = convert(&Number::outside(0, 3_000_000_000), U32, I32);
    assert_eq!(n.acknowledged(), Some((0, i64::from(i32::MAX))));
}

#[test]
fn values_that_were_seen_are_seen_as_what_they_become() {
    // `n * 4`, of which the ends are known to be values.
    let bytes = Number::new(-40, 40, -40, 40, false);
    let size = convert(&bytes, I64, U64);
    assert_eq!(size.acknowledged(), Some((40, domain::MOST)));
}
