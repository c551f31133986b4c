//! Abstract stores (§5.2): with which values at a node does the program fail later?
//!
//! `V_γ` has the stores that some path from S to T has at γ. Four answers:
//! - [`passes`]: is one of these stores in `V_γ`? Exact: the bottleneck `{(v, v)}` is put between what leads to γ and
//!   what leads on.
//! - [`exact`]: all of `V_γ` at once, which the paper does not have: what surrounds the top of the stack is a test, and the
//!   stores between the two weights at the top that this test sees are the answer.
//! - [`under`]: the stores of one witness.
//! - [`over`]: the paper's triples. A state's label is (the weight from S, the weight to T, the weight of the whole);
//!   where the whole is zero, all three are. It needs a semiring only, and keeps apart what the whole keeps apart.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::functional::Functional;
use crate::ids::Symbol;
use crate::semiring::{Semiring, Stores};
use crate::system::{Pieces, System};
use crate::witness::Witness;

/// Does a path lead from S to T that has one of these stores at this node?
pub fn passes<S: Stores>(
    functional: &Functional<'_, S::Weight>,
    semiring: &S,
    symbol: Symbol,
    stores: &S::Set,
) -> bool {
    let bottleneck = semiring.only(stores);
    !semiring.is_zero(&functional.chop_with(semiring, symbol, &bottleneck))
}

/// The stores at each of these nodes on paths from S to T: exactly `V_γ`.
pub fn exact<S: Stores>(
    functional: &Functional<'_, S::Weight>,
    semiring: &S,
    symbols: impl IntoIterator<Item = Symbol>,
) -> Vec<S::Set> {
    let outside = functional.outside(semiring);
    let at = |symbol| {
        functional
            .heads(symbol)
            .iter()
            .fold(semiring.empty(), |all, head| {
                let test = &outside[functional.pair(*head).to as usize];
                let (back, front) = (functional.back_of(*head), functional.front_of(*head));
                semiring.union(&all, &semiring.between(back, front, test))
            })
    };
    symbols.into_iter().map(at).collect()
}

/// The stores that a witness has where it is for the n-th time on its way (after `n` rules): a part of `V_γ` for the
/// node γ there.
pub fn under<S: Stores>(
    system: &System<S::Weight>,
    semiring: &S,
    witness: &Witness<S::Weight>,
    n: usize,
) -> S::Set {
    let Some((before, after)) = witness.rules.split_at_checked(n) else {
        return semiring.empty();
    };
    let mut pieces = Pieces::new(semiring);
    for rule in before.iter().filter_map(|id| system.get(*id)) {
        pieces.rule(semiring, rule);
    }
    // What comes after, cut where it returns from what was called before: innermost first.
    let mut later: Vec<S::Weight> = Vec::new();
    let mut inner = Pieces::new(semiring);
    for rule in after.iter().filter_map(|id| system.get(*id)) {
        if inner.pieces.len() == 1
            && rule.right == crate::Right::Pop
            && later.len() + 1 < pieces.pieces.len()
        {
            let last = inner.product(semiring);
            later.push(semiring.extend(&last, &rule.weight));
            inner = Pieces::new(semiring);
        } else {
            inner.rule(semiring, rule);
        }
    }
    later.push(inner.product(semiring));
    // What surrounds the innermost call, from outside to inside.
    let one = semiring.one();
    let mut test = semiring.any();
    let depth = pieces.pieces.len();
    for (level, left) in pieces.pieces[..depth - 1].iter().enumerate() {
        let right = later.get(depth - 1 - level).unwrap_or(&one);
        test = semiring.around(left, &test, right);
    }
    semiring.between(
        pieces.pieces.last().unwrap_or(&one),
        later.first().unwrap_or(&one),
        &test,
    )
}

/// A triple of weights: S to node, node to T, S through node to T.
pub type Triple<W> = (W, W, W);

/// The triple of a node: `V_γ` lies within what is common to its first two weights. Not for weights that keep the
/// variables of pending calls apart ([`crate::weights::Relations`] with local bits): those have [`exact`].
pub fn over<S: Semiring>(
    functional: &Functional<'_, S::Weight>,
    semiring: &S,
    symbol: Symbol,
) -> Triple<S::Weight> {
    let zero = || (semiring.zero(), semiring.zero(), semiring.zero());
    let apply = |pair: u32, (a, b, c): &Triple<S::Weight>| {
        let whole = functional.apply(semiring, pair, c);
        if semiring.is_zero(&whole) {
            return zero();
        }
        let back = semiring.extend(functional.back_of(pair), a);
        let front = semiring.extend(b, functional.front_of(pair));
        (back, front, whole)
    };
    let combine = |x: &Triple<S::Weight>, y: &Triple<S::Weight>| {
        (
            semiring.combine(&x.0, &y.0),
            semiring.combine(&x.1, &y.1),
            semiring.combine(&x.2, &y.2),
        )
    };
    let states = functional.accepting.len();
    let mut labels = vec![zero(); states];
    let mut waiting = BinaryHeap::new();
    let one = (semiring.one(), semiring.one(), semiring.one());
    let grow = |labels: &mut Vec<_>, waiting: &mut BinaryHeap<_>, pair: u32, from: &_| {
        let to = functional.pair(pair).to;
        let sum = combine(&labels[to as usize], &apply(pair, from));
        if sum != labels[to as usize] {
            labels[to as usize] = sum;
            waiting.push(Reverse(to));
        }
    };
    for head in functional.heads(symbol) {
        grow(&mut labels, &mut waiting, *head, &one);
    }
    while let Some(Reverse(state)) = waiting.pop() {
        let label = labels[state as usize].clone();
        for pair in &functional.leaving[state as usize] {
            grow(&mut labels, &mut waiting, *pair, &label);
        }
    }
    (0..states)
        .filter(|state| functional.accepting[*state])
        .fold(zero(), |sum, state| combine(&sum, &labels[state]))
}
