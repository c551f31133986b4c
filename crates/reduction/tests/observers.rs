//! The two properties at the end of §4.4, and that conflicts are what §4.3 says, on random
//! automata.

use random_cfa::Rng;
use reduction::expression::{ExpressionId, Node};
use reduction::*;
use std::collections::BTreeSet;

const VARIABLES: usize = 3;

fn small_interval(rng: &mut Rng) -> Interval {
    let low = i128::from(rng.below(9)) - 4;
    match rng.below(6) {
        0 => Interval::at_least(low),
        1 => Interval::at_most(low),
        2 => Interval::new(low, low + i128::from(rng.below(4))),
        _ => Interval::constant(low),
    }
}

fn expression(rng: &mut Rng, automaton: &mut Automaton, depth: u32) -> ExpressionId {
    if depth == 0 || rng.one_in(4) {
        let e = &mut automaton.expressions;
        return match rng.below(3) {
            0 => e.constant(small_interval(rng)),
            _ => e.variable(Variable(rng.below(VARIABLES as u32))),
        };
    }
    let a = expression(rng, automaton, depth - 1);
    let b = expression(rng, automaton, depth - 1);
    let e = &mut automaton.expressions;
    match rng.below(9) {
        0 => e.join(a, b),
        1..=4 => e.meet(a, b),
        5..=6 => e.sum(a, b),
        7 => e.product(a, b),
        _ => e.guarded(a, Interval::new(-4, 4)),
    }
}

/// A few locations, a dozen edges, up to two updates each; some variables stay in a range.
fn automaton(rng: &mut Rng) -> Automaton {
    let mut automaton = Automaton::new();
    for _ in 0..VARIABLES {
        let range = if rng.one_in(3) {
            Interval::new(-4, 4)
        } else {
            Interval::FULL
        };
        automaton.add_variable(range);
    }
    for _ in 0..4 + rng.below(8) {
        let mut updates = Vec::new();
        for _ in 0..[0, 1, 1, 1, 2][rng.below(5) as usize] {
            let variable = Variable(rng.below(VARIABLES as u32));
            // Mostly what programs have: an assumption, an assignment, a step.
            let own = automaton.expressions.variable(variable);
            let interval = small_interval(rng);
            let e = &mut automaton.expressions;
            let constant = e.constant(interval);
            let mut value = match rng.below(5) {
                0 | 1 => e.meet(own, constant),
                2 => constant,
                3 => e.sum(own, constant),
                _ => expression(rng, &mut automaton, 2),
            };
            // The promise: no update leaves the range.
            let range = automaton.range(variable);
            if range != Interval::FULL {
                let e = &mut automaton.expressions;
                value = if rng.one_in(2) {
                    let range = e.constant(range);
                    e.meet(value, range)
                } else {
                    e.guarded(value, range)
                };
            }
            updates.push(Update { variable, value });
        }
        automaton.add_edge(Location(rng.below(4)), updates);
    }
    automaton
}

fn word(rng: &mut Rng, automaton: &Automaton, length: u32) -> Vec<Edge> {
    let edges = automaton.edge_count() as u32;
    (0..length).map(|_| Edge(rng.below(edges))).collect()
}

/// Values beyond this are not followed.
const FAR: i128 = 12;

/// The values that an expression can have in a concrete state.
fn outcomes(automaton: &Automaton, e: ExpressionId, state: &[i128]) -> BTreeSet<i128> {
    let all = |interval: Interval| (-FAR..=FAR).filter(move |&v| interval.contains(v));
    let pairs = |a, b, f: fn(i128, i128) -> i128| {
        let b = outcomes(automaton, b, state);
        let a = outcomes(automaton, a, state);
        a.into_iter()
            .flat_map(|x| b.iter().map(move |&y| f(x, y)).collect::<Vec<_>>())
            .filter(|v| v.abs() <= FAR)
            .collect()
    };
    match automaton.expressions.node(e) {
        Node::Constant(a) => all(a).collect(),
        Node::Variable(x) => BTreeSet::from([state[x.0 as usize]]),
        Node::Join(a, b) => &outcomes(automaton, a, state) | &outcomes(automaton, b, state),
        Node::Meet(a, b) => &outcomes(automaton, a, state) & &outcomes(automaton, b, state),
        Node::Sum(a, b) => pairs(a, b, |x, y| x + y),
        Node::Product(a, b) => pairs(a, b, |x, y| x * y),
        Node::Guarded(a, range) => {
            let raw = outcomes(automaton, a, state);
            let leaves = raw.iter().any(|&v| !range.contains(v));
            if leaves {
                let kept = raw.into_iter().filter(|&v| range.contains(v));
                kept.chain(all(range)).collect()
            } else {
                raw
            }
        }
    }
}

/// Is there a run of the word, from small values and with small values?
fn has_run(automaton: &Automaton, word: &[Edge]) -> bool {
    let values = |x: u32| {
        let range = automaton.range(Variable(x));
        (-5i128..=5).filter(move |&v| range.contains(v))
    };
    let mut states: BTreeSet<Vec<i128>> = BTreeSet::new();
    for a in values(0) {
        for b in values(1) {
            states.extend(values(2).map(|c| vec![a, b, c]));
        }
    }
    for &edge in word {
        let mut next: BTreeSet<Vec<i128>> = BTreeSet::new();
        for state in &states {
            let mut successors = vec![state.clone()];
            for update in automaton.updates(edge) {
                let outcomes = outcomes(automaton, update.value, state);
                successors = successors
                    .into_iter()
                    .flat_map(|s| {
                        outcomes.iter().map(move |&v| {
                            let mut s = s.clone();
                            s[update.variable.0 as usize] = v;
                            s
                        })
                    })
                    .collect();
            }
            next.extend(successors);
            // A part of the states will do: what is found is a run in any case.
            if next.len() > 400 {
                break;
            }
        }
        states = next;
    }
    !states.is_empty()
}

fn show(automaton: &Automaton, word: &[Edge]) -> String {
    let name = |x: Variable| format!("x{}", x.0);
    let mut text = String::new();
    for &edge in word {
        for update in automaton.updates(edge) {
            let value = automaton.expressions.show(update.value, &name);
            text += &format!("x{} = {value}; ", update.variable.0);
        }
        text += &format!("-> l{}\n", automaton.target(edge).0);
    }
    text
}

#[test]
fn an_accepted_word_has_no_run() {
    let (mut accepted, mut running) = (0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let automaton = automaton(&mut rng);
        let mut observers = Observers::new();
        for _ in 0..4 {
            let length = 1 + rng.below(12);
            let word = word(&mut rng, &automaton, length);
            for found in conflicts(&automaton, &word, 1000).found {
                let _ = observers.insert(&automaton, found.conflict);
            }
        }
        for _ in 0..6 {
            let length = 1 + rng.below(12);
            let word = word(&mut rng, &automaton, length);
            let is_accepted = observers.accepts(&word);
            accepted += usize::from(is_accepted);
            if is_accepted || rng.one_in(8) {
                let runs = has_run(&automaton, &word);
                running += usize::from(runs);
                assert!(
                    !(is_accepted && runs),
                    "{seed}\n{}",
                    show(&automaton, &word)
                );
            }
        }
    }
    // The test is about something.
    assert!(accepted > 2_000, "{accepted}");
    assert!(running > 300, "{running}");
}

#[test]
fn a_word_with_the_fragment_is_accepted_and_no_observer_is_built_twice() {
    let (mut fragments, mut refused) = (0, 0);
    for seed in 0..6_000 {
        let mut rng = Rng::new(seed);
        let automaton = automaton(&mut rng);
        let mut observers = Observers::new();
        for _ in 0..6 {
            let length = 1 + rng.below(14);
            let first = word(&mut rng, &automaton, length);
            let accepted = observers.accepts(&first);
            let all = conflicts(&automaton, &first, 1000);
            assert!(!all.exhausted);
            for found in all.found {
                fragments += 1;
                let observer = Observer::new(&automaton, &found.conflict);
                assert!(
                    observer.accepts(&first),
                    "{seed}\n{}",
                    show(&automaton, &first)
                );
                // Whatever comes before and after.
                let mut around = word(&mut rng, &automaton, 5);
                around.extend(&first[found.first..=found.last]);
                around.extend(word(&mut rng, &automaton, 3));
                assert!(
                    observer.accepts(&around),
                    "{seed}\n{}",
                    show(&automaton, &around)
                );
                let inserted = observers.insert(&automaton, found.conflict);
                // The termination argument.
                assert!(inserted || accepted, "{seed}\n{}", show(&automaton, &first));
                refused += usize::from(!inserted);
            }
        }
    }
    assert!(fragments > 5_000, "{fragments}");
    assert!(refused > 500, "{refused}");
}

#[test]
fn what_a_state_accepts_a_state_that_knows_more_accepts() {
    let (mut more, mut first_only) = (0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let automaton = automaton(&mut rng);
        let mut observers = Observers::new();
        for _ in 0..4 {
            let word = word(&mut rng, &automaton, 12);
            for found in conflicts(&automaton, &word, 1000).found {
                let _ = observers.insert(&automaton, found.conflict);
            }
        }
        for observer in observers.iter() {
            let step = |state: State, &edge: &Edge| observer.step(&state, edge);
            let before = word(&mut rng, &automaton, 6);
            let mut knowing = before.iter().fold(observer.initial(), step);
            let variable = Variable(rng.below(VARIABLES as u32));
            let mut other = observer.forget(&knowing, |x| x == variable);
            for &edge in &word(&mut rng, &automaton, 10) {
                assert!(observer.covers(&other, &knowing), "{seed}");
                assert!(!observer.is_conflict(&other) || observer.is_conflict(&knowing));
                more += usize::from(!observer.covers(&knowing, &other));
                first_only +=
                    usize::from(observer.is_conflict(&knowing) && !observer.is_conflict(&other));
                (knowing, other) = (observer.step(&knowing, edge), observer.step(&other, edge));
            }
        }
    }
    assert!(more > 500 && first_only > 50, "{more} {first_only}");
}

/// Is this fragment infeasible at its end, by the equations of all its edges?
fn is_conflict(automaton: &Automaton, fragment: &[Edge]) -> bool {
    let mut system = word::equations(automaton, fragment);
    let written = word::expressions(automaton, fragment, &mut system.expressions);
    let solution = strategy::solve(&system);
    let count = fragment.last().map_or(0, |&e| automaton.updates(e).len());
    written[written.len() - count..]
        .iter()
        .any(|&(_, value)| system.evaluate(value, &solution).is_empty())
}

#[test]
fn conflicts_are_the_minimal_fragments() {
    let mut compared = 0;
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let automaton = automaton(&mut rng);
        let length = 1 + rng.below(14);
        let word = word(&mut rng, &automaton, length);
        let mut all: Vec<(usize, usize)> = Vec::new();
        for last in 0..word.len() {
            let first = (0..=last)
                .rev()
                .find(|&first| is_conflict(&automaton, &word[first..=last]));
            all.extend(first.map(|first| (first, last)));
        }
        let contains =
            |(a, b): (usize, usize), (c, d): (usize, usize)| (a, b) != (c, d) && a <= c && d <= b;
        let minimal: Vec<(usize, usize)> = all
            .iter()
            .copied()
            .filter(|&outer| !all.iter().any(|&inner| contains(outer, inner)))
            .collect();
        let found = conflicts(&automaton, &word, 10_000).found;
        for f in &found {
            assert!(
                minimal.contains(&(f.first, f.last)),
                "{seed} {minimal:?} {f:?}\n{}",
                show(&automaton, &word)
            );
            assert!(
                f.conflict
                    .values()
                    .any(|(_, values)| values.iter().any(|&v| f.conflict.is_fatal(v)))
            );
        }
        // What is not found again has the equations of one that is.
        let observers: Vec<Observer> = found
            .iter()
            .map(|f| Observer::new(&automaton, &f.conflict))
            .collect();
        for &(first, last) in &minimal {
            let fragment = &word[first..=last];
            assert!(
                observers.iter().any(|o| o.accepts(fragment)),
                "{seed} {first}..={last}\n{}",
                show(&automaton, &word)
            );
            compared += 1;
        }
        if word::is_spurious(&automaton, &word) {
            assert!(!found.is_empty(), "{seed}\n{}", show(&automaton, &word));
        }
    }
    assert!(compared > 1_500, "{compared}");
}

#[test]
fn a_budget_ends_the_search_for_conflicts() {
    let mut rng = Rng::new(7);
    let mut ended = 0;
    for _ in 0..200 {
        let automaton = automaton(&mut rng);
        let word = word(&mut rng, &automaton, 30);
        let all = conflicts(&automaton, &word, 10_000);
        for budget in 0..all.solved {
            let some = conflicts(&automaton, &word, budget);
            assert!(some.exhausted && some.solved == budget);
            // The last one may be longer than need be.
            let sure = some.found.len().saturating_sub(1);
            assert_eq!(some.found[..sure], all.found[..sure]);
            ended += 1;
        }
        assert!(!conflicts(&automaton, &word, all.solved).exhausted);
    }
    assert!(ended > 200, "{ended}");
}
