//! The paper's Fig. 1, and two processes (§7.2).

use wpds::weights::{Bit, RelationWeight, Relations};
use wpds::{
    Configuration, Language, Query, Semiring, State, Symbol, System, chop_by_double_pre_star,
    processes, projection_by_chops, projection_by_witnesses,
};

const X: Bit = Bit(0);

fn set(relations: &Relations, value: bool) -> RelationWeight {
    let v = relations.vocabulary();
    relations.assign(&v.constant(true), &[(X, Some(v.constant(value)))])
}

fn test(relations: &Relations, value: bool) -> RelationWeight {
    let v = relations.vocabulary();
    let x = v.now(X);
    relations.assume(&if value { x } else { v.not(&x) })
}

fn start(symbol: Symbol) -> Language {
    let configuration = Configuration {
        state: State(0),
        stack: vec![symbol],
    };
    Language::configuration(1, &configuration)
}

/// From `s` two calls lead to `n`. The first leaves 0 in `x` and needs 1 afterwards, the second the other way round.
#[test]
fn figure_1_correlation() {
    let relations = Relations::plain(1);
    let mut system = System::new(1);
    let [s, n, r1, r2, t] = std::array::from_fn(|_| system.symbol());
    system.push(s, n, r1, set(&relations, false)); // τ1
    system.push(s, n, r2, set(&relations, true)); // τ2
    system.pop(n, relations.one());
    system.step(r1, t, test(&relations, true)); // τ3
    system.step(r2, t, test(&relations, false)); // τ4
    let (source, target) = (start(s), Language::on_top(1, t));
    let query = Query::recorded(&system, &relations, &source, &target);

    let at_n = Language::on_top(1, n);
    let to_n = query
        .post()
        .automaton
        .intersect(&at_n)
        .path_summary(&relations);
    let from_n = query
        .pre()
        .automaton
        .intersect(&at_n)
        .path_summary(&relations);
    let naive = relations.extend(&to_n, &from_n);
    assert!(
        !relations.is_zero(&naive),
        "the naive composition includes n"
    );

    let functional = query.functional();
    assert!(relations.is_zero(&functional.chop(&relations, n)));
    let double = chop_by_double_pre_star(&system, &relations, &source, n, &query.pre().automaton);
    assert!(relations.is_zero(&double));
    let nothing = vec![false; 5];
    assert_eq!(query.projection(), nothing);
    assert_eq!(projection_by_chops(&functional, &relations, 5), nothing);
    assert_eq!(projection_by_witnesses(&query, &functional, 100).0, nothing);
}

/// Process 1: `a: x = 1; b: log(); c: assert x; d:`, where `log` is one node. Process 2: `x = 0; x = 1`.
#[test]
fn a_switch_between_the_write_and_the_assertion_fails() {
    let relations = Relations::plain(1);
    let mut one = System::new(1);
    let [a, b, c, d, log, failed] = std::array::from_fn(|_| one.symbol());
    one.step(a, b, set(&relations, true));
    one.push(b, log, c, relations.one());
    one.pop(log, relations.one());
    one.step(c, d, test(&relations, true));
    one.step(c, failed, test(&relations, false));
    let mut two = System::new(1);
    let [p, q, r] = std::array::from_fn(|_| two.symbol());
    two.step(p, q, set(&relations, false));
    two.step(q, r, set(&relations, true));

    let query = Query::new(&one, &relations, &start(a), &Language::on_top(1, failed));
    assert_eq!(query.projection(), vec![false; 6], "alone it cannot fail");
    let run = processes::any_run(&two, &relations, &start(p));
    let failing = processes::failing_switches(&query.functional(), &relations, one.symbols(), &run);
    let nodes: Vec<Symbol> = (0..)
        .map(Symbol)
        .zip(failing)
        .filter(|(_, f)| *f)
        .map(|(n, _)| n)
        .collect();
    assert_eq!(nodes, [b, c, log]);
}
