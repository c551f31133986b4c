//! The theorems of the paper on random systems, against double-pre* and against the configurations themselves.
//!
//! `RIGEL_WPDS_CASES=20000` takes so many systems, `RIGEL_SEED=7` only that one.

mod oracle;

use oracle::{Explicit, Matrix, Random, RawSystem};
use std::collections::BTreeMap;
use wpds::weights::{Bit, Boolean, Formula, MinPlus, Product, RelationWeight, Relations};
use wpds::{
    Language, Query, Rule, Semiring, Stores, Symbol, System, Tests, chop_by_double_pre_star,
    projection, projection_by_chops, projection_by_witnesses, projection_with, stores,
};

fn system<W>(raw: &RawSystem, weight: impl Fn(&oracle::RawRule) -> W) -> System<W> {
    let mut system = System::new(raw.states);
    for _ in 0..raw.symbols {
        system.symbol();
    }
    for rule in &raw.rules {
        system.rule(Rule {
            from: rule.from,
            symbol: rule.symbol,
            to: rule.to,
            right: rule.right,
            weight: weight(rule),
        });
    }
    system
}

/// What holds in every semiring with tests. Gives the chop of each symbol, and how many are not zero.
fn check_any<S: Tests>(
    semiring: &S,
    raw: &RawSystem,
    system: &System<S::Weight>,
) -> Vec<S::Weight> {
    let source = Language::configuration(raw.states, &raw.start);
    let target = Language::on_top(raw.states, raw.target);
    let query = Query::recorded(system, semiring, &source, &target);
    let functional = query.functional();
    let symbols = system.symbols();
    let all = (0..symbols).map(Symbol);
    let chops: Vec<S::Weight> = all.clone().map(|s| functional.chop(semiring, s)).collect();
    for symbol in all.clone() {
        let chop = &chops[symbol.index()];
        let double =
            chop_by_double_pre_star(system, semiring, &source, symbol, &query.pre().automaton);
        assert_eq!(*chop, double, "functional = double-pre* at {symbol:?}");
        let language = Language::on_top(raw.states, symbol);
        assert_eq!(*chop, functional.chop_language(semiring, &language));
    }
    // Forward and backward agree on the whole.
    let whole = query.join_over_all_paths(&source);
    assert_eq!(
        whole,
        query
            .post()
            .automaton
            .intersect(&target)
            .path_summary(semiring)
    );
    assert_eq!(whole, chops[raw.target.index()]);
    let inside: Vec<bool> = chops.iter().map(|chop| !semiring.is_zero(chop)).collect();
    assert_eq!(projection(&functional, semiring, symbols), inside);
    assert_eq!(projection_by_chops(&functional, semiring, symbols), inside);
    // With a bottleneck: any weight will do.
    if let Some(rule) = system.rules().first() {
        let chops = all
            .clone()
            .map(|s| functional.chop_with(semiring, s, &rule.weight));
        let passed: Vec<bool> = chops.map(|chop| !semiring.is_zero(&chop)).collect();
        let at_once = projection_with(&functional, semiring, symbols, &rule.weight);
        assert_eq!(at_once, passed);
    }
    let (by_witnesses, queries) = projection_by_witnesses(&query, &functional, 100_000);
    assert_eq!(by_witnesses, inside);
    assert!(queries <= symbols as usize);
    for symbol in all {
        let chop = &chops[symbol.index()];
        let witnesses = query.witnesses_through(&functional, symbol, 64, 100_000);
        let mut sum = semiring.zero();
        for witness in &witnesses {
            let replayed = system.replay(semiring, &witness.start, &witness.rules);
            let (end, weight) = replayed.expect("a witness replays");
            assert_eq!(weight, witness.weight, "with its stated weight");
            assert!(!semiring.is_zero(&weight) && semiring.is_below(&weight, chop));
            assert!(source.contains(&witness.start) && target.contains(&end));
            let before = &witness.rules[..witness.through];
            let there = system.walk(&witness.start, before, |_, _, _| {});
            assert_eq!(there.expect("it starts").stack.first(), Some(&symbol));
            sum = semiring.combine(&sum, &weight);
        }
        assert_eq!(sum, *chop, "the witnesses justify the weight at {symbol:?}");
    }
    chops
}

/// The domain of relations on four stores, and the way from matrices to it and back.
struct Four {
    relations: Relations,
    pairs: Vec<Formula>,
    sets: Vec<Formula>,
    weights: std::cell::RefCell<BTreeMap<RelationWeight, Matrix>>,
}

const BITS: [Bit; 2] = [Bit(0), Bit(1)];

fn values(store: u8) -> [bool; 2] {
    [store & 1 != 0, store & 2 != 0]
}

impl Four {
    fn new() -> Self {
        let relations = Relations::new(wpds::weights::Vocabulary::new(2, 0, 1 << 18));
        let v = relations.vocabulary();
        let literal = |formula: Formula, value: bool| if value { formula } else { v.not(&formula) };
        let now = |store| {
            let [a, b] = values(store);
            v.and(&literal(v.now(BITS[0]), a), &literal(v.now(BITS[1]), b))
        };
        let next = |store| {
            let [a, b] = values(store);
            v.and(&literal(v.next(BITS[0]), a), &literal(v.next(BITS[1]), b))
        };
        let pairs = (0..16u8)
            .map(|p| v.and(&now(p / 4), &next(p % 4)))
            .collect();
        let sets = (0..4).map(now).collect();
        Four {
            pairs,
            sets,
            relations,
            weights: std::cell::RefCell::default(),
        }
    }

    fn weight(&self, matrix: Matrix) -> RelationWeight {
        let v = self.relations.vocabulary();
        let pairs = (0..16).filter(|p| matrix & (1 << p) != 0);
        let formula = pairs.fold(v.constant(false), |all, p| v.or(&all, &self.pairs[p]));
        self.relations.step(formula)
    }

    fn matrix(&self, weight: RelationWeight) -> Matrix {
        *self.weights.borrow_mut().entry(weight).or_insert_with(|| {
            let v = self.relations.vocabulary();
            let (_, formula) = self.relations.get(weight);
            let holds = |p: &u8| v.holds(&formula, &values(p / 4), &values(p % 4));
            (0..16).filter(holds).fold(0, |m, p| m | 1 << p)
        })
    }
}

/// Relations: chops and stores against the configurations. Was the bound enough?
fn check_relations(four: &Four, raw: &RawSystem) -> (bool, bool) {
    let relations = &four.relations;
    let system = system(raw, |rule| four.weight(rule.matrix));
    let chops = check_any(relations, raw, &system);
    let explicit = Explicit::new(raw, 4, 6, 1500);
    let symbols = raw.symbols;
    for (symbol, (real, chop)) in explicit.chops(symbols).iter().zip(&chops).enumerate() {
        let chop = four.matrix(*chop);
        assert_eq!(real & !chop, 0, "no path is missed at s{symbol}");
        assert!(
            explicit.cut || *real == chop,
            "none is made up at s{symbol}"
        );
    }
    let source = Language::configuration(raw.states, &raw.start);
    let target = Language::on_top(raw.states, raw.target);
    let query = Query::recorded(&system, relations, &source, &target);
    let functional = query.functional();
    let all = || (0..symbols).map(Symbol);
    let exact = stores::exact(&functional, relations, all());
    for (symbol, real) in all().zip(explicit.stores(symbols)) {
        let mut members = relations.empty();
        for store in 0..4u8 {
            let one = relations.stores(four.sets[store as usize].clone());
            let passes = stores::passes(&functional, relations, symbol, &one);
            let real = real & (1 << store) != 0;
            assert!(passes || !real, "no store is missed");
            assert!(explicit.cut || passes == real, "membership is exact");
            if passes {
                members = relations.union(&members, &one);
            }
        }
        let exact = &exact[symbol.index()];
        assert_eq!(*exact, members, "all at once as one by one, at {symbol:?}");
        let (before, after, whole) = stores::over(&functional, relations, symbol);
        assert_eq!(whole, chops[symbol.index()]);
        let over = relations.between(&before, &after, &relations.any());
        assert!(relations.is_subset(exact, &over));
        if let Some(witness) = query.witness_through(&functional, symbol, 100_000) {
            let mut tops = Vec::new();
            system.walk(&witness.start, &witness.rules, |n, _, stack| {
                tops.push((n, *stack.last().expect("it goes on")));
            });
            for (n, top) in tops {
                let under = stores::under(&system, relations, &witness, n);
                assert_ne!(under, relations.empty(), "a witness has stores");
                assert!(
                    relations.is_subset(&under, &stores::exact(&functional, relations, [top])[0])
                );
            }
        }
    }
    let inside = chops.iter().any(|chop| !relations.is_zero(chop));
    (explicit.cut, inside)
}

fn check_lengths(raw: &RawSystem) {
    let lengths = check_any(&MinPlus, raw, &system(raw, |rule| rule.length));
    let reached = check_any(&Boolean, raw, &system(raw, |_| true));
    let both = check_any(
        &Product(Boolean, MinPlus),
        raw,
        &system(raw, |rule| (true, rule.length)),
    );
    let explicit = Explicit::new(raw, 1, 6, 1500);
    for (symbol, real) in explicit.lengths(raw.symbols).into_iter().enumerate() {
        let real = real.unwrap_or(MinPlus::INFINITE);
        assert!(lengths[symbol] <= real);
        assert!(explicit.cut || lengths[symbol] == real);
        assert_eq!(both[symbol], (reached[symbol], lengths[symbol]));
        assert_eq!(reached[symbol], lengths[symbol] != MinPlus::INFINITE);
    }
}

#[test]
fn functional_automata_double_pre_star_and_the_configurations_agree() {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let seeds = match number("RIGEL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("RIGEL_WPDS_CASES").unwrap_or(2000),
    };
    let four = Four::new();
    let (mut shaped, mut bounded, total) = (0, 0, seeds.end - seeds.start);
    for seed in seeds {
        let raw = RawSystem::random(&mut Random(seed));
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check_lengths(&raw);
            check_relations(&four, &raw)
        }));
        let Ok((cut, inside)) = checked else {
            panic!("RIGEL_SEED={seed}: {raw:?}");
        };
        shaped += u64::from(inside && raw.has_calls() && raw.has_recursion());
        bounded += u64::from(!cut);
    }
    println!(
        "{total} systems: {shaped} with calls, recursion and a projection; {bounded} explored in full"
    );
    if total > 1 {
        assert!(shaped * 3 >= total, "{shaped} of {total}");
        assert!(bounded * 10 >= total, "{bounded} of {total}");
    }
}
