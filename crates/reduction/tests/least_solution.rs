//! The precise least solution, against naive iteration.

mod common;
use common::*;
use proptest::prelude::*;
use reduction::strategy::{solve, solve_counted};
use reduction::{Interval, System, Valuation};

const LINEAR: Operators = Operators {
    products: false,
    guards: false,
};
const PRODUCTS: Operators = Operators {
    products: true,
    guards: false,
};
const GUARDS: Operators = Operators {
    products: true,
    guards: true,
};

fn trees(operators: Operators) -> impl Strategy<Value = Vec<Tree>> {
    (1usize..6).prop_flat_map(move |n| proptest::collection::vec(tree(n, operators), n))
}

fn show(system: &System<u32>) -> String {
    system.show(&|x| format!("x{x}"))
}

/// What naive iteration tends to: an end that still grows after 20,000 rounds is infinite. (The
/// numbers in the systems are below 13, and the expressions small: an end that stops growing does
/// so within hundreds of rounds.) Infinite ends may let others grow, so this is done again from
/// there.
fn limit(system: &System<u32>) -> Valuation<u32> {
    let nothing = system
        .equations()
        .map(|(x, _)| (x, Interval::EMPTY))
        .collect();
    let mut start: Valuation<u32> = nothing;
    loop {
        let (values, ended) = kleene_from(system, start, 20_000);
        if ended {
            return values;
        }
        let (later, _) = kleene_from(system, values.clone(), 50);
        start = values;
        for (x, value) in &mut start {
            let after = later[x];
            if after.low() != value.low() {
                *value = value.join(Interval::at_most(after.high().unwrap_or(0)));
            }
            if after.high() != value.high() {
                *value = value.join(Interval::at_least(after.low().unwrap_or(0)));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn bounded_systems_are_solved_as_naive_iteration_does(trees in trees(PRODUCTS)) {
        let system = system(&trees, Some(Interval::new(-50, 50)));
        let (expected, ended) = kleene(&system, 100_000);
        prop_assert!(ended);
        prop_assert_eq!(solve(&system), expected, "{}", show(&system));
    }

    #[test]
    fn guards_are_solved_soundly_and_a_single_one_exactly(trees in trees(GUARDS)) {
        let system = system(&trees, Some(Interval::new(-50, 50)));
        let (expected, ended) = kleene(&system, 100_000);
        prop_assert!(ended);
        let solution = solve(&system);
        for (x, value) in &expected {
            prop_assert!(value.is_within(solution[x]), "x{x}: {value} {:?}\n{}", solution[x], show(&system));
        }
        // What observers rest on: no expression leaves the value of its variable.
        for (x, e) in system.equations() {
            prop_assert!(system.evaluate(e, &solution).is_within(solution[&x]), "{}", show(&system));
        }
        let guards = system.expressions.nodes().iter()
            .filter(|n| matches!(n, reduction::Node::Guarded(..))).count();
        if guards <= 1 {
            prop_assert_eq!(solution, expected, "{}", show(&system));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn unbounded_systems_are_solved_as_naive_iteration_tends_to(trees in trees(LINEAR)) {
        let system = system(&trees, None);
        let solution = solve(&system);
        prop_assert!(system.is_solution(&solution), "{}\n{solution:?}", show(&system));
        prop_assert_eq!(solution, limit(&system), "{}", show(&system));
    }

    #[test]
    fn unbounded_products_are_solved_soundly(trees in trees(PRODUCTS)) {
        let system = system(&trees, None);
        let solution = solve(&system);
        for (x, e) in system.equations() {
            prop_assert!(system.evaluate(e, &solution).is_within(solution[&x]), "{}\n{solution:?}", show(&system));
        }
        let (below, ended) = kleene(&system, 3_000);
        for (x, value) in &below {
            prop_assert!(value.is_within(solution[x]));
        }
        if ended {
            prop_assert_eq!(solution, below, "{}", show(&system));
        }
    }
}

/// `x = start; while (x < end) x += step;` as equations: head, body.
fn counting(start: i128, end: i128, step: i128) -> System<u32> {
    let mut system: System<u32> = System::new();
    let e = &mut system.expressions;
    let (head, body) = (e.variable(0), e.variable(1));
    let start = e.constant(Interval::constant(start));
    let step = e.constant(Interval::constant(step));
    let next = e.sum(body, step);
    let head_value = e.join(start, next);
    let below = e.constant(Interval::at_most(end - 1));
    let body_value = e.meet(head, below);
    system.define(0, head_value);
    system.define(1, body_value);
    system
}

#[test]
fn the_bound_of_a_loop_does_not_count() {
    let (small, few) = solve_counted(&counting(0, 10, 1));
    assert_eq!(small[&0], Interval::new(0, 10));
    for end in [100, 1_000_000, 1 << 62, 1 << 100] {
        let (large, effort) = solve_counted(&counting(0, end, 1));
        assert_eq!(large[&0], Interval::new(0, end));
        assert_eq!(large[&1], Interval::new(0, end - 1));
        assert_eq!(effort, few, "{end}");
    }
}

#[test]
fn steps_of_a_loop_may_pass_its_bound() {
    assert_eq!(solve(&counting(0, 10, 3))[&0], Interval::new(0, 12));
    // It never gets there from above.
    assert_eq!(solve(&counting(10, 10, 3))[&0], Interval::constant(10));
    assert_eq!(solve(&counting(10, 10, 3))[&1], Interval::EMPTY);
    assert_eq!(solve(&counting(0, 10, -1))[&0], Interval::at_most(0));
}

#[test]
fn nested_loops() {
    // i in 0..1000, within it j from i down to 0.
    let mut system: System<u32> = System::new();
    let e = &mut system.expressions;
    let [i, i_in, j, j_in, j_out] = [0, 1, 2, 3, 4].map(|x| e.variable(x));
    let zero = e.constant(Interval::constant(0));
    let one = e.constant(Interval::constant(1));
    let minus_one = e.constant(Interval::constant(-1));
    let below = e.constant(Interval::at_most(999));
    let positive = e.constant(Interval::at_least(1));
    let not_positive = e.constant(Interval::at_most(0));
    let next = e.sum(i_in, one);
    let i_value = e.join(zero, next);
    let i_in_value = e.meet(i, below);
    let less = e.sum(j_in, minus_one);
    let j_value = e.join(i_in, less);
    let j_in_value = e.meet(j, positive);
    let j_out_value = e.meet(j, not_positive);
    let _ = j_out;
    for (x, value) in [
        (0, i_value),
        (1, i_in_value),
        (2, j_value),
        (3, j_in_value),
        (4, j_out_value),
    ] {
        system.define(x, value);
    }
    let solution = solve(&system);
    assert_eq!(solution[&0], Interval::new(0, 1000));
    assert_eq!(solution[&2], Interval::new(0, 999));
    assert_eq!(solution[&3], Interval::new(1, 999));
    assert_eq!(solution[&4], Interval::constant(0));
}

#[test]
fn products_within_a_loop() {
    // x = 2 ⊔ (x · x ⊓ [-∞, 1000000])
    let mut system: System<u32> = System::new();
    let e = &mut system.expressions;
    let x = e.variable(0);
    let two = e.constant(Interval::constant(2));
    let end = e.constant(Interval::at_most(1_000_000));
    let square = e.product(x, x);
    let cut = e.meet(square, end);
    let value = e.join(two, cut);
    system.define(0, value);
    assert_eq!(solve(&system)[&0], Interval::new(2, 1_000_000));
    // x = -1 ⊔ x · [-2, -2]: both ends grow without end.
    let mut system: System<u32> = System::new();
    let e = &mut system.expressions;
    let x = e.variable(0);
    let start = e.constant(Interval::constant(-1));
    let factor = e.constant(Interval::constant(-2));
    let scaled = e.product(x, factor);
    let value = e.join(start, scaled);
    system.define(0, value);
    assert_eq!(solve(&system)[&0], Interval::FULL);
}

#[test]
fn a_negative_end_of_a_product_within_a_loop_may_become_zero() {
    // z = x · y, x = -1000 ⊔ ((z + 1) ⊓ [-∞, -10]), y = 1 ⊔ (0 · x + 1): x climbs to -10, by ones.
    let mut system: System<u32> = System::new();
    let e = &mut system.expressions;
    let [x, y, z] = [0, 1, 2].map(|x| e.variable(x));
    let constant = [-1000, 0, 1].map(|value| e.constant(Interval::constant(value)));
    let end = e.constant(Interval::at_most(-10));
    let next = e.sum(z, constant[2]);
    let cut = e.meet(next, end);
    let x_value = e.join(constant[0], cut);
    let nothing = e.product(constant[1], x);
    let one = e.sum(nothing, constant[2]);
    let y_value = e.join(constant[2], one);
    let z_value = e.product(x, y);
    for (variable, value) in [(0, x_value), (1, y_value), (2, z_value)] {
        system.define(variable, value);
    }
    let (least, ended) = kleene(&system, 2000);
    assert!(ended);
    assert_eq!(least[&2], Interval::new(-1000, -10));
    let solution = solve(&system);
    assert_eq!(solution[&0], least[&0]);
    assert_eq!(solution[&2], Interval::new(-1000, 0));
}

#[test]
fn a_loop_of_two_thousand_steps_is_solved_in_linear_work() {
    let work = |steps: u32| {
        let mut system: System<u32> = System::new();
        for x in 0..steps {
            let before = (x + steps - 1) % steps;
            let e = &mut system.expressions;
            let operand = e.variable(before);
            let by = e.constant(Interval::constant(i128::from(x % 3) - 1));
            let mut value = e.sum(operand, by);
            if x == 0 {
                let end = e.constant(Interval::new(-1000, 1000));
                let start = e.constant(Interval::constant(0));
                value = e.meet(value, end);
                value = e.join(start, value);
            }
            system.define(x, value);
        }
        let (solution, effort) = solve_counted(&system);
        assert!(system.is_solution(&solution));
        effort.raises + effort.relaxations
    };
    let (small, large) = (work(500), work(2000));
    assert!(large <= 5 * small, "{small} {large}");
}
