//! Theorems 4 and 5 of the Orion paper (§3.1), and its examples: for random paths the backward
//! calculation says "infeasible" iff the forward one does iff no input runs along the path.

use feasible::{Action, strongest_postcondition, weakest_liberal_precondition};
use logic::{Assignment, BinaryOp, Order, Pool, Sort, SymbolId, TermId, evaluate};
use proptest::prelude::*;

const WIDTH: u16 = 3;
const INPUTS: u32 = 3;

/// How one random term, test or definition is made: numbers that choose.
type Choice = (u8, u8, u8, u8);

fn term(pool: &mut Pool, known: &[TermId], (op, a, b, c): Choice) -> TermId {
    let pick = |n: u8| known[n as usize % known.len()];
    let (x, y) = (pick(a), pick(b));
    match op % 12 {
        0 => pool.bits(WIDTH, u128::from(c)),
        1 => pool.add(x, y),
        2 => pool.sub(x, y),
        3 => pool.binary(BinaryOp::Mul, x, y),
        4 => pool.binary(BinaryOp::And, x, y),
        5 => pool.binary(BinaryOp::Shl, x, y),
        6 => pool.binary(BinaryOp::UDiv, x, y),
        7 => pool.binary(BinaryOp::SRem, x, y),
        8 => pool.complement(x),
        9 => {
            let narrow = pool.extract(x, 0, 2);
            pool.sign_extend(narrow, WIDTH)
        }
        10 => {
            let test = pool.compare(Order::Slt, x, y);
            pool.choose(test, pick(c), x)
        }
        _ => {
            let constant = pool.bits(WIDTH, u128::from(c));
            pool.add(x, constant)
        }
    }
}

fn test(pool: &mut Pool, known: &[TermId], (op, a, b, c): Choice) -> TermId {
    let pick = |n: u8| known[n as usize % known.len()];
    let x = pick(a);
    let y = if b % 2 == 0 {
        pool.bits(WIDTH, u128::from(c))
    } else {
        pick(b)
    };
    match op % 5 {
        0 => pool.equal(x, y),
        1 => pool.differ(x, y),
        2 => pool.compare(Order::Ult, x, y),
        3 => pool.compare(Order::Sle, x, y),
        _ => {
            let (first, second) = (pool.equal(x, y), pool.compare(Order::Slt, y, x));
            pool.or(first, second)
        }
    }
}

/// A random path: inputs, then definitions and tests.
fn path(pool: &mut Pool, steps: &[(bool, Choice)]) -> Vec<Action> {
    let mut known: Vec<TermId> = (0..INPUTS).map(|_| pool.fresh(Sort::Bits(WIDTH))).collect();
    let mut actions = Vec::new();
    for (i, &(defines, choice)) in steps.iter().enumerate() {
        if defines {
            let value = term(pool, &known, choice);
            let symbol = pool.fresh(Sort::Bits(WIDTH));
            actions.push(Action::Define(pool.as_symbol(symbol).unwrap(), value));
            known.push(symbol);
        } else {
            actions.push(Action::Assume(i as u32, test(pool, &known, choice)));
        }
    }
    actions
}

fn all_inputs() -> impl Iterator<Item = Assignment> {
    let values = 1u128 << WIDTH;
    (0..values.pow(INPUTS)).map(move |n| Assignment {
        symbols: (0..INPUTS)
            .map(|i| (SymbolId(i), n / values.pow(i) % values))
            .collect(),
        ..Assignment::default()
    })
}

/// Runs along the path: step by step, as a machine would.
fn runs(pool: &Pool, actions: &[Action], input: &Assignment) -> bool {
    let mut state = input.clone();
    for action in actions {
        match *action {
            Action::Define(symbol, value) => {
                let value = evaluate(pool, value, &state);
                state.symbols.insert(symbol, value);
            }
            Action::Assume(_, test) => {
                if evaluate(pool, test, &state) == 0 {
                    return false;
                }
            }
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn backwards_and_forwards_and_execution_agree(
        steps in prop::collection::vec((any::<bool>(), any::<Choice>()), 1..14)
    ) {
        let mut pool = Pool::new();
        let actions = path(&mut pool, &steps);
        let never = pool.truth(false);
        let backwards = weakest_liberal_precondition(&mut pool, &actions, never);
        let forwards = strongest_postcondition(&mut pool, &actions);
        let mut feasible = false;
        for input in all_inputs() {
            let run = runs(&pool, &actions, &input);
            feasible |= run;
            // Not only the verdicts: state by state.
            let escapes = evaluate(&pool, backwards.condition, &input) == 1;
            prop_assert_eq!(escapes, !run, "wlp at {:?}", input);
            let all = forwards.iter().all(|(_, t)| evaluate(&pool, *t, &input) == 1);
            prop_assert_eq!(all, run, "sp at {:?}", input);
        }
        // What the calculations settle by themselves is right.
        if pool.as_bool(backwards.condition) == Some(true) {
            prop_assert!(!feasible);
        }
    }

    /// What the slice leaves out can be left out.
    #[test]
    fn a_slice_decides_like_the_whole(
        steps in prop::collection::vec((any::<bool>(), any::<Choice>()), 1..14)
    ) {
        let mut pool = Pool::new();
        let actions = path(&mut pool, &steps);
        let never = pool.truth(false);
        let whole = weakest_liberal_precondition(&mut pool, &actions, never);
        let kept: Vec<Action> = actions
            .iter()
            .enumerate()
            .filter(|(i, a)| matches!(a, Action::Assume(..)) || whole.slice.contains(i))
            .map(|(_, a)| *a)
            .collect();
        for input in all_inputs() {
            prop_assert_eq!(runs(&pool, &actions, &input), runs(&pool, &kept, &input));
        }
    }
}

/// read(&x); (x < 0); y = x; (y > 3); z = f(x, y) is infeasible, and found to be so without looking
/// at the read.
#[test]
fn the_example_of_section_3_1() {
    let mut pool = Pool::new();
    let x = pool.fresh(Sort::Bits(32));
    let y = pool.fresh(Sort::Bits(32));
    let z = pool.fresh(Sort::Bits(32));
    let f = pool.fresh(Sort::Bits(32));
    let (zero, three) = (pool.bits(32, 0), pool.bits(32, 3));
    let negative = pool.compare(Order::Slt, x, zero);
    let large = pool.compare(Order::Slt, three, y);
    let symbol = |pool: &Pool, t: TermId| pool.as_symbol(t).unwrap();
    let actions = [
        Action::Assume(1, negative),
        Action::Define(symbol(&pool, y), x),
        Action::Assume(3, large),
        Action::Define(symbol(&pool, z), f),
    ];
    let never = pool.truth(false);
    let wlp = weakest_liberal_precondition(&mut pool, &actions, never);
    // z is not asked for: its assignment is a no-op.
    assert_eq!(wlp.slice, [1]);
    for value in [0u32, 1, 3, 4, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] {
        let mut input = Assignment::default();
        input.symbols.insert(symbol(&pool, x), u128::from(value));
        assert_eq!(evaluate(&pool, wlp.condition, &input), 1);
    }
    let mut prover = logic::Portfolio::builtin();
    use logic::Prover;
    for (label, fact) in strongest_postcondition(&mut pool, &actions) {
        prover.assert(&pool, label, fact);
    }
    let answer = prover.check(&pool, 1000);
    assert_eq!(answer, logic::Answer::Unsatisfiable(vec![1, 3]));
}

/// A path of 2,000 statements, each of which uses the last twice: linear, although the value written
/// out would have 2^1000 leaves.
#[test]
fn long_paths_stay_small() {
    let mut pool = Pool::new();
    let mut last = pool.fresh(Sort::Bits(32));
    let mut actions = Vec::new();
    for i in 0..1000u32 {
        let double = pool.binary(BinaryOp::Mul, last, last);
        let sum = pool.add(double, last);
        let next = pool.fresh(Sort::Bits(32));
        actions.push(Action::Define(pool.as_symbol(next).unwrap(), sum));
        let limit = pool.bits(32, u128::from(i));
        let test = pool.differ(next, limit);
        actions.push(Action::Assume(i, test));
        last = next;
    }
    let before = pool.len();
    let facts = strongest_postcondition(&mut pool, &actions);
    assert_eq!(facts.len(), 1000);
    let never = pool.truth(false);
    let wlp = weakest_liberal_precondition(&mut pool, &actions, never);
    assert_eq!(wlp.slice.len(), 1000);
    assert!(pool.len() < before + 12_000, "{} terms", pool.len());
}
