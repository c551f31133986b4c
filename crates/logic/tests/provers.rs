//! Provers against brute force over small widths: what they say is true, and the complete one
//! always says something.

mod common;
use common::*;
use logic::*;
use proptest::prelude::*;

const BUDGET: u64 = 5_000_000;

fn small() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(3u16..5, 2..4)
}

fn labelled(facts: &[TermId]) -> Vec<(Label, TermId)> {
    let label = |i: usize| (i * 3 % 7) as Label * 10 + i as Label;
    facts
        .iter()
        .enumerate()
        .map(|(i, &f)| (label(i), f))
        .collect()
}

fn answer(prover: &mut dyn Prover, pool: &Pool, facts: &[(Label, TermId)]) -> Answer {
    prover.reset();
    for &(label, fact) in facts {
        prover.assert(pool, label, fact);
    }
    prover.check(pool, BUDGET)
}

fn agree(answer: &Answer, exists: bool, complete: bool) -> Result<(), TestCaseError> {
    match answer {
        Answer::Satisfiable(_) => prop_assert!(exists, "there is no solution"),
        Answer::Unsatisfiable(_) => prop_assert!(!exists, "there is a solution"),
        Answer::Unknown(why) => prop_assert!(!complete, "{why:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_built_in_prover_says_nothing_wrong(
        widths in small(), steps in steps(40), most in 1usize..7
    ) {
        let mut machine = Machine::new(&widths, &[0], &[], false);
        machine.run(&steps, false);
        let facts = labelled(&machine.facts(most));
        let terms: Vec<_> = facts.iter().map(|&(_, f)| f).collect();
        let exists = brute_force(&machine.pool, &machine.symbols, &terms);
        let said = answer(&mut Intervals::new(), &machine.pool, &facts);
        agree(&said, exists, false)?;
        must_be_true(&machine.pool, &machine.symbols, &facts, &said)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn z3_says_what_is_true(widths in small(), steps in steps(40), most in 1usize..7) {
        let mut machine = Machine::new(&widths, &[0], &[], false);
        machine.run(&steps, false);
        let facts = labelled(&machine.facts(most));
        let terms: Vec<_> = facts.iter().map(|&(_, f)| f).collect();
        let exists = brute_force(&machine.pool, &machine.symbols, &terms);
        let said = answer(&mut z3_prover(), &machine.pool, &facts);
        agree(&said, exists, true)?;
        must_be_true(&machine.pool, &machine.symbols, &facts, &said)?;
    }

    /// With arrays there is no brute force; the two provers must not contradict each other.
    #[test]
    fn with_arrays_the_provers_agree(widths in small(), steps in steps(50), most in 1usize..7) {
        let mut machine = Machine::new(&widths, &[0], &[], true);
        machine.run(&steps, true);
        let facts = labelled(&machine.facts(most));
        let built_in = answer(&mut Intervals::new(), &machine.pool, &facts);
        let z3 = answer(&mut z3_prover(), &machine.pool, &facts);
        prop_assert!(!matches!(z3, Answer::Unknown(_)), "{z3:?}");
        if let Answer::Unsatisfiable(core) = &built_in {
            let core: Vec<_> =
                facts.iter().filter(|(l, _)| core.contains(l)).copied().collect();
            let part = answer(&mut z3_prover(), &machine.pool, &core);
            prop_assert!(matches!(part, Answer::Unsatisfiable(_)), "{part:?}");
        }
        if let Answer::Satisfiable(_) = built_in {
            prop_assert!(matches!(z3, Answer::Satisfiable(_)), "{z3:?}");
        }
    }

    #[test]
    fn a_stack_is_its_facts(
        widths in small(),
        steps in steps(60),
        moves in proptest::collection::vec((0u8..6, any::<u8>()), 1..25),
        array in any::<bool>(),
    ) {
        let mut machine = Machine::new(&widths, &[0], &[], array);
        machine.run(&steps, array);
        let facts = machine.facts(12);
        let pool = &machine.pool;
        let started = Portfolio::new(Box::new(|| Ok(Box::new(z3_prover()))));
        let mut provers: Vec<(Box<dyn Prover>, bool)> = vec![
            (Box::new(z3_prover()), true),
            (Box::new(Intervals::new()), false),
            (Box::new(started), true),
        ];
        let mut stack: Vec<Vec<(Label, TermId)>> = vec![Vec::new()];
        for (what, which) in moves {
            match what {
                0 => {
                    stack.push(Vec::new());
                    provers.iter_mut().for_each(|(p, _)| p.push());
                }
                1 if stack.len() > 1 => {
                    stack.pop();
                    provers.iter_mut().for_each(|(p, _)| p.pop());
                }
                2..=4 if !facts.is_empty() => {
                    let fact = facts[usize::from(which) % facts.len()];
                    let label = Label::from(which) % 8;
                    stack.last_mut().unwrap().push((label, fact));
                    provers.iter_mut().for_each(|(p, _)| p.assert(pool, label, fact));
                }
                5 => {
                    let all: Vec<_> = stack.concat();
                    let scratch = answer(&mut z3_prover(), pool, &all);
                    let exists = matches!(scratch, Answer::Satisfiable(_));
                    for (prover, complete) in &mut provers {
                        let said = prover.check(pool, BUDGET);
                        agree(&said, exists, *complete)?;
                        if !array {
                            must_be_true(pool, &machine.symbols, &all, &said)?;
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
