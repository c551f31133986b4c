//! What a term can be, from what its operands can be.

use super::range::{Range, greatest, signed_ends};
use crate::evaluate;
use crate::term::{BinaryOp, Order, mask, signed};

/// A sum or a difference, if it wraps around for all values or for none.
pub fn add(a: &Range, b: &Range, width: u16) -> Range {
    let (low, low_wraps) = wrapping(a.low, b.low, width);
    let (high, high_wraps) = wrapping(a.high, b.high, width);
    let unsigned = if low_wraps == high_wraps {
        Range::unsigned(low, high, width)
    } else {
        Range::all(width)
    };
    let low = a.signed_low.checked_add(b.signed_low);
    let high = a.signed_high.checked_add(b.signed_high);
    unsigned.meet(&signed_between(low, high, width), width)
}

pub fn subtract(a: &Range, b: &Range, width: u16) -> Range {
    let low = mask(a.low.wrapping_sub(b.high), width);
    let high = mask(a.high.wrapping_sub(b.low), width);
    let unsigned = if (a.low < b.high) == (a.high < b.low) {
        Range::unsigned(low, high, width)
    } else {
        Range::all(width)
    };
    let low = a.signed_low.checked_sub(b.signed_high);
    let high = a.signed_high.checked_sub(b.signed_low);
    unsigned.meet(&signed_between(low, high, width), width)
}

fn wrapping(a: u128, b: u128, width: u16) -> (u128, bool) {
    let (sum, carry) = a.overflowing_add(b);
    (mask(sum, width), carry || sum > greatest(width))
}

/// Between these, if they fit the width; anything otherwise.
fn signed_between(low: Option<i128>, high: Option<i128>, width: u16) -> Range {
    let (least, most) = signed_ends(width);
    match (low, high) {
        (Some(low), Some(high)) if low >= least && high <= most => Range::signed(low, high, width),
        _ => Range::all(width),
    }
}

fn multiply(a: &Range, b: &Range, width: u16) -> Range {
    let unsigned = match a.high.checked_mul(b.high) {
        Some(high) if high <= greatest(width) => Range::unsigned(a.low * b.low, high, width),
        _ => Range::all(width),
    };
    let corners = [
        a.signed_low.checked_mul(b.signed_low),
        a.signed_low.checked_mul(b.signed_high),
        a.signed_high.checked_mul(b.signed_low),
        a.signed_high.checked_mul(b.signed_high),
    ];
    let all: Option<Vec<i128>> = corners.into_iter().collect();
    let (low, high) = match &all {
        Some(all) => (all.iter().min().copied(), all.iter().max().copied()),
        None => (None, None),
    };
    unsigned.meet(&signed_between(low, high, width), width)
}

/// All bits below the highest one.
fn filled(value: u128) -> u128 {
    match value.leading_zeros() {
        128 => 0,
        zeros => u128::MAX >> zeros,
    }
}

pub fn binary(op: BinaryOp, a: &Range, b: &Range, width: u16) -> Range {
    if let (Some(x), Some(y)) = (a.single(), b.single()) {
        return Range::of(evaluate::binary(op, x, y, width), width);
    }
    let all = Range::all(width);
    let constant = b.single();
    let bits = u128::from(width);
    match op {
        BinaryOp::Add => add(a, b, width),
        BinaryOp::Sub => subtract(a, b, width),
        BinaryOp::Mul => multiply(a, b, width),
        BinaryOp::UDiv if b.low > 0 => Range::unsigned(a.low / b.high, a.high / b.low, width),
        BinaryOp::URem => {
            // Of 0 it is the dividend.
            let below = if b.low > 0 { b.high - 1 } else { u128::MAX };
            let same = a.high < b.low;
            Range::unsigned(if same { a.low } else { 0 }, a.high.min(below), width)
        }
        BinaryOp::SDiv => match constant.map(|c| signed(c, width)) {
            Some(c) if c > 0 => Range::signed(a.signed_low / c, a.signed_high / c, width),
            _ => all,
        },
        BinaryOp::SRem => {
            let (low, high) = (a.signed_low.min(0), a.signed_high.max(0));
            // Of 0 it is the dividend; of all others it is smaller than the divisor.
            if b.signed_low > 0 || b.signed_high < 0 {
                let (first, last) = (b.signed_low.unsigned_abs(), b.signed_high.unsigned_abs());
                let most = (first.max(last) - 1).min(i128::MAX as u128) as i128;
                return Range::signed(low.max(-most), high.min(most), width);
            }
            Range::signed(low, high, width)
        }
        BinaryOp::Shl => match constant {
            // Read as signed, the last power of two is negative.
            Some(by) if by + 1 < bits => multiply(a, &Range::of(1 << by, width), width),
            _ => all,
        },
        BinaryOp::LShr => match constant {
            Some(by) if by < bits => Range::unsigned(a.low >> by, a.high >> by, width),
            _ => Range::unsigned(0, a.high, width),
        },
        BinaryOp::AShr => match constant {
            Some(by) => {
                let by = by.min(bits - 1);
                Range::signed(a.signed_low >> by, a.signed_high >> by, width)
            }
            // Towards 0 or -1, whatever the sign says.
            None => Range::signed(a.signed_low.min(0), a.signed_high.max(-1), width),
        },
        BinaryOp::And => Range::unsigned(0, a.high.min(b.high), width),
        BinaryOp::Or => Range::unsigned(a.low.max(b.low), filled(a.high | b.high), width),
        BinaryOp::Xor => Range::unsigned(0, filled(a.high | b.high), width),
        BinaryOp::UDiv => all,
    }
}

/// A comparison, if it is the same for all values.
pub fn compare(order: Order, a: &Range, b: &Range) -> Option<bool> {
    let (surely, surely_not) = match order {
        Order::Ult => (a.high < b.low, a.low >= b.high),
        Order::Ule => (a.high <= b.low, a.low > b.high),
        Order::Slt => (a.signed_high < b.signed_low, a.signed_low >= b.signed_high),
        Order::Sle => (a.signed_high <= b.signed_low, a.signed_low > b.signed_high),
    };
    match (surely, surely_not) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

pub fn extract(from: &Range, whole: u16, low: u16, width: u16) -> Range {
    if let Some(value) = from.single() {
        return Range::of(mask(value >> low, width), width);
    }
    let (first, last) = (from.low >> low, from.high >> low);
    if last <= greatest(width) {
        return Range::unsigned(first, last, width);
    }
    let (least, most) = signed_ends(width);
    if low == 0 && from.signed_low >= least && from.signed_high <= most {
        return Range::signed(from.signed_low, from.signed_high, width);
    }
    debug_assert!(low + width <= whole);
    Range::all(width)
}

pub fn concat(high: &Range, low: &Range, low_width: u16, width: u16) -> Range {
    let first = high.low << low_width | low.low;
    let last = high.high << low_width | low.high;
    Range::unsigned(first, last, width)
}

pub fn complement(a: &Range, width: u16) -> Range {
    Range::unsigned(mask(!a.high, width), mask(!a.low, width), width)
}
