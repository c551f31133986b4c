//! Random programs: well-formed, mostly terminating, full of what makes analyses go wrong.
//!
//! A program is a function of a seed and a [`Size`]: nothing else decides what it is, so a
//! failing test needs to print no more than these. Functions call only earlier ones (or themselves, while
//! a counter lasts) and every loop counts to a constant, so runs end. Every operation that may fail (dereference, division,
//! shift, signed arithmetic, array access) comes behind its check; most checks hold.
//! A [`Recipe`] is a program that can be edited; its functions may call any other.
//!
//! What this crate knows: how to build CFAs. What it must not know: what they mean.

mod body;
mod exprs;
mod flow;
mod recipe;
mod rng;
mod scan;
mod social;
mod world;

use ir::Program;
use proptest::prelude::*;

pub use recipe::Recipe;
pub use rng::Rng;

/// How large programs get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub functions: u32,
    /// Statements of a function, those of nested blocks included.
    pub statements: u32,
    /// Depth of expressions.
    pub depth: u32,
    /// How deep branches and loops nest.
    pub nesting: u32,
    /// Turns of a loop, at most.
    pub turns: u32,
}

impl Size {
    pub const SMALL: Size = Size {
        functions: 2,
        statements: 8,
        depth: 2,
        nesting: 2,
        turns: 3,
    };
    pub const MEDIUM: Size = Size {
        functions: 5,
        statements: 25,
        depth: 4,
        nesting: 3,
        turns: 5,
    };
}

impl Default for Size {
    fn default() -> Self {
        Size::MEDIUM
    }
}

/// The program of a seed. Its last function is `main`, without parameters, returning i32.
pub fn program(seed: u64, size: Size) -> Program {
    let mut world = world::World::new(Rng::new(seed), size);
    for i in 0..size.functions {
        body::function(&mut world, &format!("f{i}"), false);
    }
    body::function(&mut world, "main", true);
    world.program
}

/// Like [`program`], with functions that call themselves as well: a dozen times in a run, all together.
pub fn recursive_program(seed: u64, size: Size) -> Program {
    let mut world = world::World::new(Rng::new(seed), size);
    world.allow_recursion(12);
    for i in 0..size.functions {
        body::function(&mut world, &format!("f{i}"), false);
    }
    body::function(&mut world, "main", true);
    world.program
}

/// A program of functions that walk over what they are given, in loops that depend on it, and may never end. No `main`.
pub fn scanning_program(seed: u64, size: Size) -> Program {
    let mut world = world::World::new(Rng::new(seed), size);
    let library = scan::library(&mut world);
    for i in 0..size.functions {
        scan::function(&mut world, &format!("f{i}"), &library);
    }
    world.program
}

/// A strategy for programs up to a size; it shrinks towards fewer functions and statements.
pub fn programs(max: Size) -> impl Strategy<Value = Program> {
    (
        any::<u64>().no_shrink(),
        0..=max.functions,
        1..=max.statements,
        1..=max.depth,
        0..=max.nesting,
    )
        .prop_map(move |(seed, functions, statements, depth, nesting)| {
            let size = Size {
                functions,
                statements,
                depth,
                nesting,
                turns: max.turns,
            };
            program(seed, size)
        })
}
