//! The built-in prover first, the solver when it is needed, and who settled what.

mod common;
use common::z3_prover;
use logic::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const BUDGET: u64 = 1_000_000;

/// x * x = 17 modulo 2^16, which has solutions that are no bounds of anything; x * x = 3 has none.
fn square(pool: &mut Pool, x: TermId, value: u128) -> TermId {
    let product = pool.binary(BinaryOp::Mul, x, x);
    let value = pool.bits(16, value);
    pool.equal(product, value)
}

#[test]
fn the_solver_starts_when_it_is_needed_and_is_told_everything() {
    let starts = Arc::new(AtomicU32::new(0));
    let counter = starts.clone();
    let mut prover = Portfolio::new(Box::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(z3_prover()))
    }));
    let mut pool = Pool::new();
    let (x, y) = (pool.fresh(Sort::Bits(16)), pool.fresh(Sort::Bits(16)));
    let nonzero = pool.is_nonzero(y);
    let zero = pool.not(nonzero);
    prover.assert(&pool, 1, nonzero);
    assert!(matches!(
        prover.check(&pool, BUDGET),
        Answer::Satisfiable(_)
    ));
    prover.push();
    prover.assert(&pool, 2, zero);
    assert_eq!(
        prover.check(&pool, BUDGET),
        Answer::Unsatisfiable(vec![1, 2])
    );
    prover.pop();
    assert_eq!(starts.load(Ordering::Relaxed), 0);

    prover.push();
    let has = square(&mut pool, x, 17);
    prover.assert(&pool, 3, has);
    let Answer::Satisfiable(model) = prover.check(&pool, BUDGET) else {
        panic!("17 is a square modulo 2^16");
    };
    // The solver knows of the fact from before it was started.
    assert_eq!(evaluate(&pool, nonzero, &model), 1);
    assert_eq!(evaluate(&pool, has, &model), 1);
    prover.push();
    let other = square(&mut pool, y, 3);
    prover.assert(&pool, 4, other);
    assert_eq!(prover.check(&pool, BUDGET), Answer::Unsatisfiable(vec![4]));
    prover.pop();
    prover.pop();
    prover.reset();
    prover.assert(&pool, 9, has);
    assert!(matches!(
        prover.check(&pool, BUDGET),
        Answer::Satisfiable(_)
    ));
    assert_eq!(starts.load(Ordering::Relaxed), 1);
    let settled = Settled {
        builtin_unsatisfiable: 1,
        builtin_satisfiable: 1,
        prover_unsatisfiable: 1,
        prover_satisfiable: 2,
        asked: 3,
        ..Settled::default()
    };
    assert_eq!(prover.settled(), settled);
    assert_eq!(settled.questions(), 5);
}

#[test]
fn without_a_solver() {
    let mut pool = Pool::new();
    let x = pool.fresh(Sort::Bits(16));
    let hard = square(&mut pool, x, 3);
    let mut alone = Portfolio::builtin();
    alone.assert(&pool, 0, hard);
    let answer = alone.check(&pool, BUDGET);
    assert_eq!(answer, Answer::Unknown(Unknown::Incomplete));
    assert_eq!(alone.settled().incomplete, 1);

    let mut missing = Portfolio::new(Box::new(|| Err("Z3 was not found".into())));
    missing.assert(&pool, 0, hard);
    for _ in 0..2 {
        let answer = missing.check(&pool, BUDGET);
        let why = Unknown::Trouble("Z3 was not found".into());
        assert_eq!(answer, Answer::Unknown(why));
    }
    assert_eq!(missing.settled().trouble, 2);
    // What is easy is still settled.
    missing.reset();
    let nonzero = pool.is_nonzero(x);
    missing.assert(&pool, 0, nonzero);
    assert!(matches!(
        missing.check(&pool, BUDGET),
        Answer::Satisfiable(_)
    ));
}
