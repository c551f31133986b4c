//! Z3 in this process: what the rest relies on.

mod common;
use common::*;
use logic::smt::{Transport, z3};
use logic::*;
use std::path::{Path, PathBuf};

const BUDGET: u64 = 1_000_000;

/// x * y = 2^61 - 1, a prime, with both factors greater than 1 and below 2^32.
fn hard(pool: &mut Pool) -> TermId {
    let (x, y) = (pool.fresh(Sort::Bits(64)), pool.fresh(Sort::Bits(64)));
    let prime = pool.bits(64, (1 << 61) - 1);
    let product = pool.binary(BinaryOp::Mul, x, y);
    let equation = pool.equal(product, prime);
    let (one, limit) = (pool.bits(64, 1), pool.bits(64, 1 << 32));
    let bounds = [
        pool.compare(Order::Ult, one, x),
        pool.compare(Order::Ult, one, y),
        pool.compare(Order::Ult, x, limit),
        pool.compare(Order::Ult, y, limit),
    ];
    let all = pool.all(bounds);
    pool.and(all, equation)
}

#[test]
fn the_stack_stays_between_questions_and_cores_name_facts() {
    let mut pool = Pool::new();
    let x = pool.fresh(Sort::Bits(32));
    let (three, five) = (pool.bits(32, 3), pool.bits(32, 5));
    let below = pool.compare(Order::Slt, x, three);
    let above = pool.compare(Order::Slt, five, x);
    let odd = {
        let one = pool.bits(32, 1);
        let low = pool.binary(BinaryOp::And, x, one);
        pool.equal(low, one)
    };
    let mut prover = z3_prover();
    prover.assert(&pool, 7, odd);
    prover.assert(&pool, 4, below);
    assert!(matches!(
        prover.check(&pool, BUDGET),
        Answer::Satisfiable(_)
    ));
    prover.push();
    prover.assert(&pool, 2, above);
    assert_eq!(
        prover.check(&pool, BUDGET),
        Answer::Unsatisfiable(vec![2, 4])
    );
    prover.pop();
    let Answer::Satisfiable(model) = prover.check(&pool, BUDGET) else {
        panic!("x = 1 is a solution");
    };
    assert_eq!(evaluate(&pool, odd, &model), 1);
    assert_eq!(evaluate(&pool, below, &model), 1);
    prover.reset();
    prover.assert(&pool, 0, above);
    assert!(matches!(
        prover.check(&pool, BUDGET),
        Answer::Satisfiable(_)
    ));
}

#[test]
fn elements_of_arrays_are_in_the_model() {
    let mut pool = Pool::new();
    let array = pool.fresh(Sort::Array {
        index: 8,
        element: 8,
    });
    let (i, two) = (pool.fresh(Sort::Bits(8)), pool.bits(8, 2));
    let (at_i, at_two) = (pool.select(array, i), pool.select(array, two));
    let mut prover = z3_prover();
    let (five, six) = (pool.bits(8, 5), pool.bits(8, 6));
    let first = pool.equal(at_two, five);
    prover.assert(&pool, 0, first);
    assert!(matches!(
        prover.check(&pool, BUDGET),
        Answer::Satisfiable(_)
    ));
    prover.push();
    let second = pool.equal(at_i, six);
    prover.assert(&pool, 1, second);
    let Answer::Satisfiable(model) = prover.check(&pool, BUDGET) else {
        panic!("an array can have 5 at 2 and 6 elsewhere");
    };
    let at = evaluate(&pool, i, &model);
    assert_ne!(at, 2);
    let array_symbol = pool.as_symbol(array).unwrap();
    assert_eq!(model.elements.get(&(array_symbol, at)), Some(&6));
    assert_eq!(model.elements.get(&(array_symbol, 2)), Some(&5));
    let third = pool.equal(i, two);
    prover.assert(&pool, 2, third);
    assert_eq!(
        prover.check(&pool, BUDGET),
        Answer::Unsatisfiable(vec![0, 1, 2])
    );
}

#[test]
fn the_budget_is_per_question_and_is_no_trouble() {
    let mut pool = Pool::new();
    let hard = hard(&mut pool);
    let x = pool.fresh(Sort::Bits(8));
    let easy = pool.is_nonzero(x);
    let mut prover = z3_prover();
    for _ in 0..3 {
        prover.push();
        prover.assert(&pool, 0, hard);
        assert_eq!(
            prover.check(&pool, 50_000),
            Answer::Unknown(Unknown::Budget)
        );
        prover.pop();
        // The budget of the last question is spent, that of this one is not.
        prover.push();
        prover.assert(&pool, 1, easy);
        assert!(matches!(
            prover.check(&pool, 50_000),
            Answer::Satisfiable(_)
        ));
        prover.pop();
    }
}

#[test]
fn errors_are_text() {
    let mut solver = library().solver();
    let said = solver.ask("(assert (bvfoo x))\n(assert\n").unwrap();
    assert!(said.contains("error"), "{said}");
    // A new context knows nothing of it.
    solver.restart();
    assert_eq!(solver.ask("(check-sat)\n").unwrap().trim(), "sat");
    assert!(solver.ask("(check\0sat)").is_err());
}

/// The model of a question with many solutions, after whatever else was asked.
fn model_of(prover: &mut dyn Prover) -> Answer {
    let mut pool = Pool::new();
    let symbols: Vec<_> = (0..6).map(|_| pool.fresh(Sort::Bits(32))).collect();
    prover.reset();
    for (i, pair) in symbols.windows(2).enumerate() {
        let product = pool.binary(BinaryOp::Mul, pair[0], pair[1]);
        let sum = pool.add(pair[0], product);
        let limit = pool.bits(32, 1000 + i as u128);
        let fact = pool.compare(Order::Ult, limit, sum);
        prover.push();
        prover.assert(&pool, i as Label, fact);
        prover.check(&pool, BUDGET);
    }
    prover.check(&pool, BUDGET)
}

#[test]
fn answers_do_not_depend_on_the_past() {
    let mut fresh = z3_prover();
    let expected = model_of(&mut fresh);
    assert!(matches!(expected, Answer::Satisfiable(_)), "{expected:?}");
    let mut used = z3_prover();
    let mut pool = Pool::new();
    let hard = hard(&mut pool);
    for round in 0..5 {
        used.reset();
        used.assert(&pool, 0, hard);
        used.check(&pool, 10_000 * (round + 1));
        assert_eq!(model_of(&mut used), expected, "round {round}");
    }
}

#[test]
fn contexts_in_threads_do_not_disturb_each_other() {
    let expected = model_of(&mut z3_prover());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut prover = z3_prover();
                    (0..5).map(|_| model_of(&mut prover)).collect::<Vec<_>>()
                })
            })
            .collect();
        for thread in threads {
            for answer in thread.join().unwrap() {
                assert_eq!(answer, expected);
            }
        }
    });
}

#[test]
fn what_is_missing_or_no_library_is_said() {
    let Err(why) = z3::load(&[PathBuf::from("/nowhere/libz3.so")]) else {
        panic!("loaded from nowhere");
    };
    assert_eq!(why, "Z3 (libz3.so) was not found");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let Err(why) = z3::load(std::slice::from_ref(&source)) else {
        panic!("loaded a manifest");
    };
    assert!(why.starts_with("Z3 could not be loaded: "), "{why}");
    // The next candidate is taken.
    let good = library().path().to_path_buf();
    assert!(z3::load(&[source, good]).is_ok());
}

#[test]
fn where_the_library_is_looked_for() {
    let all = z3::candidates(
        Some("/my/z3.so".into()),
        Some(Path::new("/t/release/rigel")),
    );
    let expected: Vec<PathBuf> = [
        "/my/z3.so",
        "/t/release/libz3.so",
        "/t/release/../lib/rigel/libz3.so",
        "/t/release/../z3/libz3.so",
        "libz3.so",
    ]
    .iter()
    .map(PathBuf::from)
    .collect();
    assert_eq!(all, expected);
}
