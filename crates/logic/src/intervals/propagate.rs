//! From what is known of a term to what is known of its operands, and back, until nothing new
//! follows or the steps are used up.
//!
//! Each visit of a term does three things: what its operands can be says what it can be
//! (`transfer`); what it can be narrows its operands; and a term with the same operator on equal
//! operands is equal to it (congruence).

use super::order;
use super::range::{Range, greatest, signed_ends};
use super::reason::{ALWAYS, Reason};
use super::state::{Local, State};
use super::transfer;
use crate::evaluate;
use crate::term::{BinaryOp, Node, TermId, mask, signed};

/// Visits until nothing is left to do, there is a contradiction, or `limit` visits were made.
/// What is not done is lost, not wrong: less is known.
pub fn propagate(state: &mut State, limit: u64) {
    let end = state.steps.saturating_add(limit);
    while state.conflict.is_none()
        && state.steps < end
        && let Some(local) = state.dequeue()
    {
        state.steps += 1;
        visit(state, local);
    }
    state.clear_queue();
}

/// Why all operands are in their ranges.
fn operands_why(state: &mut State, local: Local) -> Reason {
    let (operands, arity) = (state.entry(local).operands, state.entry(local).arity);
    operands[..arity].iter().fold(ALWAYS, |all, &operand| {
        let why = state.why(operand);
        state.both(all, why)
    })
}

/// Why the term and all its operands are in their ranges.
fn all_why(state: &mut State, local: Local) -> Reason {
    let (of_operands, own) = (operands_why(state, local), state.why(local));
    state.both(of_operands, own)
}

fn visit(state: &mut State, local: Local) {
    let entry = state.entry(local);
    let (node, width, [a, b, c], arity) = (entry.node, entry.width, entry.operands, entry.arity);
    debug_assert!(arity > 0);
    if let Some(range) = forward(state, node, width, [a, b, c]) {
        state.narrow(local, range, |state| operands_why(state, local));
        if range.single().is_some() {
            state.note_done(local);
            return;
        }
    }
    if matches!(node, Node::Equal(..) | Node::Compare(..)) && state.root(a) == state.root(b) {
        let value = match node {
            Node::Compare(o, ..) => evaluate::compare(o, 0, 0, 1),
            _ => true,
        };
        state.narrow(local, Range::of(u128::from(value), 1), |state| {
            let (x, y) = (state.membership(a), state.membership(b));
            state.both(x, y)
        });
    }
    if state.conflict.is_none() {
        backward(state, local, node, [a, b, c]);
    }
    if state.conflict.is_none() {
        congruence(state, local);
    }
}

fn truth(value: bool) -> Range {
    Range::of(u128::from(value), 1)
}

fn forward(state: &State, node: Node, width: u16, [a, b, c]: [Local; 3]) -> Option<Range> {
    let (x, y) = (state.range(a), state.range(b));
    let (known_x, known_y) = (x.single(), y.single());
    let operand_width = state.entry(a).width;
    Some(match node {
        Node::Not(_) => truth(known_x? == 0),
        Node::And(..) => match (known_x, known_y) {
            (Some(0), _) | (_, Some(0)) => truth(false),
            (Some(_), Some(_)) => truth(true),
            _ => return None,
        },
        Node::Or(..) => match (known_x, known_y) {
            (Some(1), _) | (_, Some(1)) => truth(true),
            (Some(_), Some(_)) => truth(false),
            _ => return None,
        },
        Node::Equal(..) => match (known_x, known_y) {
            (Some(p), Some(q)) => truth(p == q),
            _ if x.meet(&y, operand_width).is_empty() => truth(false),
            _ => return None,
        },
        Node::Compare(order, ..) => truth(transfer::compare(order, &x, &y)?),
        Node::Choose(..) => y.join(&state.range(c)),
        Node::Complement(_) => transfer::complement(&x, width),
        Node::Binary(op, ..) => transfer::binary(op, &x, &y, width),
        Node::Extract { low, width, .. } => transfer::extract(&x, operand_width, low, width),
        Node::Concat(..) => transfer::concat(&x, &y, state.entry(b).width, width),
        Node::ZeroExtend { .. } => Range::unsigned(x.low, x.high, width),
        Node::SignExtend { .. } => Range::signed(x.signed_low, x.signed_high, width),
        Node::Select { .. } | Node::Bool(_) | Node::Bits { .. } | Node::Symbol(_) => return None,
    })
}

fn backward(state: &mut State, local: Local, node: Node, [a, b, c]: [Local; 3]) {
    let t = state.range(local);
    let known = t.single();
    let narrow = |state: &mut State, operand: Local, range: Range| {
        state.narrow(operand, range, |state| all_why(state, local));
    };
    match node {
        Node::Not(_) => {
            if let Some(value) = known {
                narrow(state, a, truth(value == 0));
            }
        }
        Node::And(..) | Node::Or(..) => {
            // The value that one operand alone decides.
            let decides = u128::from(matches!(node, Node::Or(..)));
            if known == Some(1 - decides) {
                narrow(state, a, Range::of(1 - decides, 1));
                narrow(state, b, Range::of(1 - decides, 1));
            } else if known == Some(decides) {
                for (one, other) in [(a, b), (b, a)] {
                    if state.range(one).single() == Some(1 - decides) {
                        narrow(state, other, Range::of(decides, 1));
                    }
                }
            }
        }
        Node::Equal(..) if known == Some(1) => {
            let why = state.why(local);
            order::note_equal(state, a, b, why);
            state.unite(a, b, why);
        }
        Node::Equal(..) if known == Some(0) => {
            for (one, other) in [(a, b), (b, a)] {
                if let Some(value) = state.range(one).single() {
                    let width = state.entry(other).width;
                    let rest = without(state.range(other), value, width);
                    narrow(state, other, rest);
                }
            }
        }
        Node::Compare(order, ..) => {
            if let Some(value) = known {
                order::compared(state, local, order, a, b, value == 1);
            }
        }
        Node::Choose(..) => match state.range(a).single() {
            Some(value) => {
                let chosen = if value == 1 { b } else { c };
                let why = state.why(a);
                order::note_equal(state, local, chosen, why);
                state.unite(local, chosen, why);
            }
            None => {
                let width = state.entry(local).width;
                for (branch, other) in [(b, false), (c, true)] {
                    if t.meet(&state.range(branch), width).is_empty() {
                        narrow(state, a, truth(other));
                    }
                }
            }
        },
        Node::Select { .. } | Node::Bool(_) | Node::Bits { .. } | Node::Symbol(_) => {}
        _ => words(state, local, node, a, b),
    }
}

/// The range without one of its ends.
fn without(mut range: Range, value: u128, width: u16) -> Range {
    let as_signed = signed(value, width);
    if range.single() == Some(value) {
        // Nothing is left.
        (range.low, range.high) = (1, 0);
        return range;
    }
    if range.low == value {
        range.low += 1;
    }
    if range.high == value {
        range.high -= 1;
    }
    if range.signed_low == as_signed {
        range.signed_low += 1;
    }
    if range.signed_high == as_signed {
        range.signed_high -= 1;
    }
    range
}

/// The operands of operators on words.
fn words(state: &mut State, local: Local, node: Node, a: Local, b: Local) {
    let t = state.range(local);
    let (x, y) = (state.range(a), state.range(b));
    let (width, second_width) = (state.entry(a).width, state.entry(b).width);
    let mut first = None;
    let mut second = None;
    match node {
        Node::Complement(_) => first = Some(transfer::complement(&t, width)),
        Node::ZeroExtend { .. } => {
            // What does not fit is refuted forwards.
            first = (t.low <= greatest(width)).then(|| Range::unsigned(t.low, t.high, width));
        }
        Node::SignExtend { .. } => {
            let (least, most) = signed_ends(width);
            let fits = t.signed_low <= most && t.signed_high >= least;
            first = fits.then(|| Range::signed(t.signed_low, t.signed_high, width));
        }
        Node::Extract {
            low: 0,
            width: part,
            ..
        } => {
            let (least, most) = signed_ends(part);
            if x.high <= greatest(part) {
                first = Some(Range::unsigned(t.low, t.high, width));
            } else if x.signed_low >= least && x.signed_high <= most {
                first = Some(Range::signed(t.signed_low, t.signed_high, width));
            }
        }
        Node::Extract {
            low, width: part, ..
        } if low + part == width => {
            let rest = greatest(low);
            first = Some(Range::unsigned(t.low << low, t.high << low | rest, width));
        }
        Node::Concat(..) => {
            let (low, high) = (t.low >> second_width, t.high >> second_width);
            first = Some(Range::unsigned(low, high, width));
            if low == high {
                let (low, high) = (mask(t.low, second_width), mask(t.high, second_width));
                second = Some(Range::unsigned(low, high, second_width));
            }
        }
        Node::Binary(op, ..) => (first, second) = operator(op, &t, &x, &y, width),
        _ => {}
    }
    if let Some(range) = first {
        state.narrow(a, range, |state| all_why(state, local));
    }
    if let Some(range) = second {
        state.narrow(b, range, |state| all_why(state, local));
    }
}

/// What the operands of `t = x op y` can be.
fn operator(
    op: BinaryOp,
    t: &Range,
    x: &Range,
    y: &Range,
    width: u16,
) -> (Option<Range>, Option<Range>) {
    let by = y.single();
    let most = greatest(width);
    match op {
        BinaryOp::Add => {
            let first = transfer::subtract(t, y, width);
            (Some(first), Some(transfer::subtract(t, x, width)))
        }
        BinaryOp::Sub => {
            let first = transfer::add(t, y, width);
            (Some(first), Some(transfer::subtract(x, t, width)))
        }
        BinaryOp::Xor => {
            let other = |known: Option<u128>| Some(Range::of(t.single()? ^ known?, width));
            (other(by), other(x.single()))
        }
        // Bits are only taken away, or only added.
        BinaryOp::And => {
            let above = Range::unsigned(t.low, most, width);
            (Some(above), Some(above))
        }
        BinaryOp::Or => {
            let below = Range::unsigned(0, t.high, width);
            (Some(below), Some(below))
        }
        BinaryOp::LShr => match by {
            Some(by) if by < u128::from(width) && t.high <= most >> by => {
                let rest = (1u128 << by) - 1;
                let range = Range::unsigned(t.low << by, t.high << by | rest, width);
                (Some(range), None)
            }
            _ => (Some(Range::unsigned(t.low, most, width)), None),
        },
        BinaryOp::Shl => match by {
            Some(by) if by < u128::from(width) => (factor(t, x, 1 << by, width), None),
            _ => (None, None),
        },
        BinaryOp::AShr => match by {
            Some(by) if by < u128::from(width) => {
                let scale = 1i128.checked_shl(by as u32).filter(|&s| s > 0);
                let bounds = scale.and_then(|s| {
                    let high = t.signed_high.checked_mul(s)?.checked_add(s - 1)?;
                    Some((t.signed_low.checked_mul(s)?, high))
                });
                (
                    bounds.map(|(low, high)| Range::signed(low, high, width)),
                    None,
                )
            }
            _ => (None, None),
        },
        BinaryOp::UDiv => match by {
            Some(by) if by > 0 => {
                let low = t.low.checked_mul(by).filter(|&low| low <= most);
                let high = t.high.saturating_mul(by).saturating_add(by - 1);
                (low.map(|low| Range::unsigned(low, high, width)), None)
            }
            _ => (None, None),
        },
        BinaryOp::Mul => match by {
            Some(by) if by > 0 => (factor(t, x, by, width), None),
            _ => (None, None),
        },
        // A remainder is at most its dividend.
        BinaryOp::URem => (Some(Range::unsigned(t.low, most, width)), None),
        BinaryOp::SDiv | BinaryOp::SRem => (None, None),
    }
}

/// What x can be in `t = x * by`, if the product wraps for no x.
fn factor(t: &Range, x: &Range, by: u128, width: u16) -> Option<Range> {
    let mut range = None;
    if x.high.checked_mul(by).is_some_and(|p| p <= greatest(width)) {
        range = Some(Range::unsigned(t.low.div_ceil(by), t.high / by, width));
    }
    let (least, most) = signed_ends(width);
    let fits = |end: i128, by: i128| end.checked_mul(by).is_some_and(|p| p >= least && p <= most);
    let by = signed(by, width);
    if by > 0 && fits(x.signed_low, by) && fits(x.signed_high, by) {
        // Rounded into the interval.
        let low = t.signed_low.div_euclid(by) + i128::from(t.signed_low.rem_euclid(by) != 0);
        let signed = Range::signed(low, t.signed_high.div_euclid(by), width);
        range = Some(range.map_or(signed, |range| range.meet(&signed, width)));
    }
    range
}

/// The same operator on operands of the same classes gives the same value.
fn congruence(state: &mut State, local: Local) {
    let key = signature(state, local);
    match state.signatures.get(&key).copied() {
        Some(other) if state.root(other) == state.root(local) => {}
        // The classes of the key are still there, and so are the other term's operands in them:
        // classes only grow, and what a pop splits it also forgets.
        Some(other) => {
            let mut why = ALWAYS;
            for term in [local, other] {
                let (operands, arity) = (state.entry(term).operands, state.entry(term).arity);
                for &operand in &operands[..arity] {
                    let member = state.membership(operand);
                    why = state.both(why, member);
                }
            }
            order::note_equal(state, local, other, why);
            state.unite(local, other, why);
        }
        None => state.note_signature(key, local),
    }
}

/// The term's operator, on classes.
fn signature(state: &State, local: Local) -> Node {
    let [a, b, c] = state.entry(local).operands.map(|o| TermId(state.root(o)));
    match state.entry(local).node {
        node @ (Node::Bool(_) | Node::Bits { .. } | Node::Symbol(_)) => node,
        Node::Not(_) => Node::Not(a),
        Node::And(..) => Node::And(a.min(b), a.max(b)),
        Node::Or(..) => Node::Or(a.min(b), a.max(b)),
        Node::Equal(..) => Node::Equal(a.min(b), a.max(b)),
        Node::Compare(order, ..) => Node::Compare(order, a, b),
        Node::Choose(..) => Node::Choose(a, b, c),
        Node::Complement(_) => Node::Complement(a),
        Node::Binary(op, ..) => Node::Binary(op, a, b),
        Node::Extract { low, width, .. } => Node::Extract {
            from: a,
            low,
            width,
        },
        Node::Concat(..) => Node::Concat(a, b),
        Node::ZeroExtend { width, .. } => Node::ZeroExtend { from: a, width },
        Node::SignExtend { width, .. } => Node::SignExtend { from: a, width },
        Node::Select { .. } => Node::Select { array: a, index: b },
    }
}
