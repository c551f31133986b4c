//! Random interval expressions and systems.
#![allow(dead_code)]

use proptest::prelude::*;
use reduction::expression::{ExpressionId, Expressions};
use reduction::{Interval, System, Valuation};

#[derive(Clone, Debug)]
pub enum Tree {
    Constant(Interval),
    Variable(usize),
    Join(Box<Tree>, Box<Tree>),
    Meet(Box<Tree>, Box<Tree>),
    Sum(Box<Tree>, Box<Tree>),
    Product(Box<Tree>, Box<Tree>),
    Guarded(Box<Tree>, Interval),
}

/// Small intervals, some of them unbounded, few of them empty.
pub fn interval() -> impl Strategy<Value = Interval> {
    prop_oneof![
        8 => (-6i128..=6, 0i128..=6).prop_map(|(low, size)| Interval::new(low, low + size)),
        3 => (-3i128..=3).prop_map(Interval::constant),
        2 => (-12i128..=12).prop_map(Interval::at_least),
        2 => (-12i128..=12).prop_map(Interval::at_most),
        1 => Just(Interval::FULL),
        1 => Just(Interval::EMPTY),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Operators {
    pub products: bool,
    pub guards: bool,
}

pub fn tree(variables: usize, operators: Operators) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        2 => interval().prop_map(Tree::Constant),
        3 => (0..variables).prop_map(Tree::Variable),
    ];
    leaf.prop_recursive(3, 12, 2, move |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        let range = (-8i128..=0, 0i128..=8).prop_map(|(low, high)| Interval::new(low, high));
        prop_oneof![
            3 => pair.clone().prop_map(|(a, b)| Tree::Join(a, b)),
            3 => pair.clone().prop_map(|(a, b)| Tree::Meet(a, b)),
            4 => pair.clone().prop_map(|(a, b)| Tree::Sum(a, b)),
            if operators.products { 2 } else { 0 } => pair.prop_map(|(a, b)| Tree::Product(a, b)),
            if operators.guards { 2 } else { 0 } => (inner, range)
                .prop_map(|(a, range)| Tree::Guarded(Box::new(a), range)),
        ]
    })
}

pub fn intern<V: Copy + Eq + Ord + std::hash::Hash>(
    expressions: &mut Expressions<V>,
    tree: &Tree,
    variable: &impl Fn(usize) -> V,
) -> ExpressionId {
    let mut two = |a: &Tree, b: &Tree| {
        let a = intern(expressions, a, variable);
        (a, intern(expressions, b, variable))
    };
    match tree {
        Tree::Constant(a) => expressions.constant(*a),
        Tree::Variable(x) => expressions.variable(variable(*x)),
        Tree::Join(a, b) => {
            let (a, b) = two(a, b);
            expressions.join(a, b)
        }
        Tree::Meet(a, b) => {
            let (a, b) = two(a, b);
            expressions.meet(a, b)
        }
        Tree::Sum(a, b) => {
            let (a, b) = two(a, b);
            expressions.sum(a, b)
        }
        Tree::Product(a, b) => {
            let (a, b) = two(a, b);
            expressions.product(a, b)
        }
        Tree::Guarded(a, range) => {
            let a = intern(expressions, a, variable);
            expressions.guarded(a, *range)
        }
    }
}

/// Equations for as many variables as there are trees; each within `bounds`, if there are some.
pub fn system(trees: &[Tree], bounds: Option<Interval>) -> System<u32> {
    let mut system = System::new();
    for (x, tree) in trees.iter().enumerate() {
        let mut e = intern(&mut system.expressions, tree, &|x| x as u32);
        if let Some(bounds) = bounds {
            let bounds = system.expressions.constant(bounds);
            e = system.expressions.meet(e, bounds);
        }
        system.define(x as u32, e);
    }
    system
}

/// Naive iteration from the empty valuation, for at most so many rounds; also whether it ended.
pub fn kleene(system: &System<u32>, rounds: usize) -> (Valuation<u32>, bool) {
    let nothing = system
        .equations()
        .map(|(x, _)| (x, Interval::EMPTY))
        .collect();
    kleene_from(system, nothing, rounds)
}

pub fn kleene_from(
    system: &System<u32>,
    start: Valuation<u32>,
    rounds: usize,
) -> (Valuation<u32>, bool) {
    let mut now = start;
    for _ in 0..rounds {
        let next: Valuation<u32> = system
            .equations()
            .map(|(x, e)| (x, now[&x].join(system.evaluate(e, &now))))
            .collect();
        if next == now {
            return (now, true);
        }
        now = next;
    }
    (now, false)
}
