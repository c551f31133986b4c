//! With whatever part of the answers that is known, all answers are those of the prover itself; what is known is
//! not asked.

mod common;
use common::*;
use logic::remember::{Counts, Start};
use logic::*;
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const BUDGET: u64 = 1_000_000;

#[derive(Clone, Copy, Debug)]
enum Move {
    Push,
    Pop,
    Assert(Label, TermId),
    Check(u64),
    Reset,
}

fn moves(facts: &[TermId], random: &[(u8, u8)], least: u64) -> Vec<Move> {
    let mut depth = 0;
    let mut all = Vec::new();
    for &(what, which) in random {
        all.push(match what % 16 {
            0..=2 => {
                depth += 1;
                Move::Push
            }
            3 | 4 if depth > 0 => {
                depth -= 1;
                Move::Pop
            }
            5..=9 if !facts.is_empty() => {
                let fact = facts[usize::from(which) % facts.len()];
                Move::Assert(Label::from(which) % 8, fact)
            }
            10..=13 => Move::Check([BUDGET, BUDGET, BUDGET / 2, least][usize::from(which) % 4]),
            14 if which % 3 == 0 => {
                depth = 0;
                Move::Reset
            }
            _ => continue,
        });
    }
    all
}

fn answers(prover: &mut dyn Prover, pool: &Pool, moves: &[Move]) -> Vec<Answer> {
    let mut all = Vec::new();
    for one in moves {
        match *one {
            Move::Push => prover.push(),
            Move::Pop => prover.pop(),
            Move::Assert(label, fact) => prover.assert(pool, label, fact),
            Move::Check(budget) => all.push(prover.check(pool, budget)),
            Move::Reset => prover.reset(),
        }
    }
    all
}

/// Counts what it is asked.
struct Counting<P> {
    prover: P,
    checks: Arc<AtomicU32>,
}

impl<P: Prover> Prover for Counting<P> {
    fn name(&self) -> String {
        self.prover.name()
    }
    fn reset(&mut self) {
        self.prover.reset();
    }
    fn push(&mut self) {
        self.prover.push();
    }
    fn pop(&mut self) {
        self.prover.pop();
    }
    fn assert(&mut self, pool: &Pool, label: Label, fact: TermId) {
        self.prover.assert(pool, label, fact);
    }
    fn check(&mut self, pool: &Pool, budget: u64) -> Answer {
        self.checks.fetch_add(1, Ordering::Relaxed);
        self.prover.check(pool, budget)
    }
}

/// What came of a run with a memory: answers, those to be kept, counts, how often the prover was started and asked.
struct Run {
    answers: Vec<Answer>,
    used: Known,
    counts: Counts,
    starts: u32,
    checks: u32,
}

fn run<P: Prover + 'static>(
    make: fn() -> P,
    pool: &Pool,
    moves: &[Move],
    solver: &str,
    known: Known,
) -> Run {
    let (starts, checks) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (started, checked) = (Arc::clone(&starts), Arc::clone(&checks));
    let start: Start = Box::new(move || {
        started.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Counting {
            prover: make(),
            checks: Arc::clone(&checked),
        }))
    });
    let mut prover = Remembering::new(start);
    prover.remember(solver, Arc::new(known));
    Run {
        answers: answers(&mut prover, pool, moves),
        used: prover.take_used(),
        counts: prover.counts(),
        starts: starts.load(Ordering::Relaxed),
        checks: checks.load(Ordering::Relaxed),
    }
}

/// With no answer known, with some, and with all.
fn remembers<P: Prover + 'static>(
    make: fn() -> P,
    pool: &Pool,
    moves: &[Move],
    keep: &[bool],
) -> Result<(), TestCaseError> {
    let plain = answers(&mut make(), pool, moves);
    let questions = plain.len() as u64;
    let first = run(make, pool, moves, "p", Known::new());
    prop_assert_eq!(&first.answers, &plain);
    let counts = first.counts;
    prop_assert_eq!(counts.asked + counts.recalled, questions);
    prop_assert_eq!(counts.asked, first.used.len() as u64);
    prop_assert_eq!(u64::from(first.checks), counts.asked + counts.repeated);

    let kept = first.used.iter().zip(keep.iter().cycle());
    let some: Known = kept
        .filter(|(_, keep)| **keep)
        .map(|((key, answer), _)| (*key, answer.clone()))
        .collect();
    let unknown = (first.used.len() - some.len()) as u64;
    let second = run(make, pool, moves, "p", some);
    prop_assert_eq!(&second.answers, &plain);
    prop_assert_eq!(&second.used, &first.used);
    prop_assert_eq!(second.counts.asked, unknown);
    prop_assert_eq!(second.starts, u32::from(unknown > 0));

    let third = run(make, pool, moves, "p", first.used.clone());
    prop_assert_eq!(&third.answers, &plain);
    prop_assert_eq!(&third.used, &first.used);
    prop_assert_eq!((third.starts, third.checks), (0, 0));
    prop_assert_eq!(third.counts.recalled, questions);

    // Another prover may say something else.
    let other = run(make, pool, moves, "q", first.used.clone());
    prop_assert_eq!(other.counts, first.counts);
    Ok(())
}

fn random_moves() -> impl Strategy<Value = Vec<(u8, u8)>> {
    proptest::collection::vec(any::<(u8, u8)>(), 1..60)
}

fn small() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(3u16..5, 2..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_built_in_prover_with_a_memory_says_the_same(
        widths in small(),
        steps in steps(60),
        random in random_moves(),
        keep in proptest::collection::vec(any::<bool>(), 1..9),
        array in any::<bool>(),
    ) {
        let mut machine = Machine::new(&widths, &[0], &[], array);
        machine.run(&steps, array);
        let moves = moves(&machine.facts(12), &random, 1);
        remembers(Intervals::new, &machine.pool, &moves, &keep)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn z3_with_a_memory_says_the_same(
        widths in small(),
        steps in steps(60),
        random in random_moves(),
        keep in proptest::collection::vec(any::<bool>(), 1..9),
        array in any::<bool>(),
    ) {
        let mut machine = Machine::new(&widths, &[0], &[], array);
        machine.run(&steps, array);
        // With much less, Z3 fails while it is told facts, which is trouble.
        let moves = moves(&machine.facts(12), &random, BUDGET / 20);
        remembers(z3_prover, &machine.pool, &moves, &keep)?;
    }
}

/// One that does not look at facts: each answer says how many checks there were since the reset.
#[derive(Default)]
struct Script {
    checks: u32,
    trouble_at: Option<u32>,
}

impl Prover for Script {
    fn name(&self) -> String {
        "script".into()
    }
    fn reset(&mut self) {
        self.checks = 0;
    }
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn assert(&mut self, _: &Pool, _: Label, _: TermId) {}
    fn check(&mut self, _: &Pool, _: u64) -> Answer {
        self.checks += 1;
        match self.trouble_at {
            Some(at) if at == self.checks => Answer::Unknown(Unknown::Trouble("broken".into())),
            _ => Answer::Unsatisfiable(vec![self.checks]),
        }
    }
}

/// x, y, and two facts about them.
fn two_facts() -> (Pool, TermId, TermId) {
    let mut pool = Pool::new();
    let (x, y) = (pool.fresh(Sort::Bits(8)), pool.fresh(Sort::Bits(8)));
    let (a, b) = (pool.is_nonzero(x), pool.is_nonzero(y));
    (pool, a, b)
}

#[test]
fn all_that_an_answer_depends_on_is_in_its_key() {
    use Move::*;
    let (pool, a, b) = two_facts();
    // Pairs of questions. `true`: the same one.
    let pairs: [(&[Move], &[Move], bool); 10] = [
        (&[Assert(1, a), Check(9)], &[Assert(1, a), Check(9)], true),
        (&[Assert(1, a), Check(9)], &[Assert(1, b), Check(9)], false),
        (&[Assert(1, a), Check(9)], &[Assert(2, a), Check(9)], false),
        (&[Assert(1, a), Check(9)], &[Assert(1, a), Check(8)], false),
        (&[Assert(1, a), Check(9)], &[Check(9)], false),
        (
            &[Assert(1, a), Assert(1, b), Check(9)],
            &[Assert(1, b), Assert(1, a), Check(9)],
            false,
        ),
        (
            &[Push, Assert(1, a), Check(9)],
            &[Assert(1, a), Check(9)],
            false,
        ),
        // What was popped before anybody asked.
        (
            &[Push, Assert(2, b), Push, Pop, Pop, Assert(1, a), Check(9)],
            &[Assert(1, a), Check(9)],
            true,
        ),
        // Somebody asked: the solver may have learnt from it.
        (
            &[Push, Assert(2, b), Check(9), Pop, Assert(1, a), Check(9)],
            &[Assert(1, a), Check(9)],
            false,
        ),
        (
            &[Assert(2, b), Check(9), Reset, Assert(1, a), Check(9)],
            &[Assert(1, a), Check(9)],
            true,
        ),
    ];
    for (n, (first, second, same)) in pairs.into_iter().enumerate() {
        let known = run(Script::default, &pool, first, "p", Known::new()).used;
        let counts = run(Script::default, &pool, second, "p", known).counts;
        assert_eq!(counts.recalled, u64::from(same), "pair {n}");
        assert_eq!(counts.asked, u64::from(!same), "pair {n}");
    }
}

/// The same numbers, of other terms.
#[test]
fn terms_are_what_they_are_made_of() {
    let question = |value| {
        let mut pool = Pool::new();
        let x = pool.fresh(Sort::Bits(8));
        let value = pool.bits(8, value);
        let fact = pool.equal(x, value);
        (pool, fact)
    };
    let ((first, fact), (second, other)) = (question(3), question(4));
    assert_eq!(fact, other);
    let moves = [Move::Assert(0, fact), Move::Check(9)];
    let known = run(Script::default, &first, &moves, "p", Known::new()).used;
    let again = run(Script::default, &first, &moves, "p", known.clone());
    assert_eq!((again.counts.recalled, again.starts), (1, 0));
    let other = run(Script::default, &second, &moves, "p", known);
    assert_eq!((other.counts.recalled, other.starts), (0, 1));
}

/// Terms that no fact is made of move the numbers of those that are; solvers do not see it. The order they do.
#[test]
fn what_else_is_in_the_pool_does_not_matter() {
    let question = |others: &[u128], swapped: bool| {
        let mut pool = Pool::new();
        let (x, y) = (pool.fresh(Sort::Bits(16)), pool.fresh(Sort::Bits(16)));
        for &other in others {
            let other = pool.bits(16, other);
            pool.binary(BinaryOp::Xor, x, other);
        }
        let mut square = |of| {
            let product = pool.binary(BinaryOp::Mul, of, of);
            let more = pool.bits(16, 17);
            pool.equal(product, more)
        };
        let facts = match swapped {
            false => [square(x), square(y)],
            true => {
                let second = square(y);
                [square(x), second]
            }
        };
        (pool, facts.map(|fact| Move::Assert(0, fact)))
    };
    let ask = |(pool, facts): &(Pool, [Move; 2]), known| {
        let moves = [&facts[..], &[Move::Check(BUDGET)]].concat();
        run(z3_prover, pool, &moves, "p", known)
    };
    let first = ask(&question(&[], false), Known::new());
    assert!(matches!(first.answers[0], Answer::Satisfiable(_)));
    for others in [&[1, 2, 3][..], &[17], &[5, 17, 6]] {
        let other = question(others, false);
        let recalled = ask(&other, first.used.clone());
        assert_eq!((recalled.counts.recalled, recalled.starts), (1, 0));
        assert_eq!(recalled.answers, ask(&other, Known::new()).answers);
    }
    let swapped = ask(&question(&[], true), first.used.clone());
    assert_eq!(swapped.counts.recalled, 0);
}

#[test]
fn a_new_question_is_asked_after_all_that_came_before_it() {
    use Move::*;
    let (pool, a, b) = two_facts();
    let before = [Assert(1, a), Check(9), Push, Assert(2, b), Check(9)];
    let known = run(Script::default, &pool, &before, "p", Known::new()).used;
    let after = [&before[..], &[Pop, Check(9), Check(9)]].concat();
    let now = run(Script::default, &pool, &after, "p", known);
    let expected = [1, 2, 3, 4].map(|n| Answer::Unsatisfiable(vec![n]));
    assert_eq!(now.answers, expected);
    let counts = Counts {
        asked: 2,
        recalled: 2,
        repeated: 2,
    };
    assert_eq!((now.counts, now.checks), (counts, 4));
}

#[test]
fn trouble_is_not_remembered_nor_what_comes_after_it() {
    use Move::*;
    let (pool, a, b) = two_facts();
    let troubled = || Script {
        trouble_at: Some(2),
        ..Script::default()
    };
    let moves = [
        Assert(1, a),
        Check(9),
        Assert(2, b),
        Check(9),
        Check(9),
        Reset,
        Assert(2, b),
        Check(9),
    ];
    let first = run(troubled, &pool, &moves, "p", Known::new());
    assert!(matches!(
        first.answers[1],
        Answer::Unknown(Unknown::Trouble(_))
    ));
    // The first question, and the one after the reset.
    assert_eq!(first.used.len(), 2);
    let second = run(Script::default, &pool, &moves, "p", first.used);
    let expected = [1, 2, 3, 1].map(|n| Answer::Unsatisfiable(vec![n]));
    assert_eq!(second.answers, expected);
    assert_eq!(second.counts.asked, 2);
}

#[test]
fn a_solver_that_is_missing_is_not_missed_where_all_is_known() {
    use Move::*;
    let (pool, a, b) = two_facts();
    let known = [Assert(1, a), Check(9)];
    let used = run(Script::default, &pool, &known, "p", Known::new()).used;
    let mut prover = Remembering::new(Box::new(|| Err("not there".into())));
    prover.remember("p", Arc::new(used));
    let moves = [&known[..], &[Reset, Assert(1, b), Check(9)]].concat();
    let expected = [
        Answer::Unsatisfiable(vec![1]),
        Answer::Unknown(Unknown::Trouble("not there".into())),
    ];
    assert_eq!(answers(&mut prover, &pool, &moves), expected);
    assert_eq!(prover.take_used().len(), 1);
}
