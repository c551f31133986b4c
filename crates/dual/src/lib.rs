//! Dual analysis: for every function the inputs with which it fails, succeeds, ends the program, or never comes back
//! (Popeea & Chin, "Dual Analysis for Proving Safety and Finding Bugs").
//!
//! Two conditions are computed side by side, both too large rather than too small: OK, the inputs with which the function can
//! come back, and ERR for each check, the inputs with which it can fail there. What is in one and not in the other is
//! certain ([`function::Outcomes`]): it *must* fail, or it *never* does; and what is in neither never ends.
//!
//! Straight code is executed path by path on linear forms; only joins, loops and the end of a function need polyhedra, and only
//! they cost something.
//!
//! | module | what |
//! | --- | --- |
//! | `linear`, `facts` | forms over symbols; what is known of these on a path, and a quick prover |
//! | `input`, `value`, `memory` | what a function is given; values; what memory holds |
//! | `run`, `place`, `eval`, `arithmetic`, `nonlinear`, `assume`, `statement`, `check` | the forward rules (Fig. 3), on one path |
//! | `shape`, `cone`, `hull`, `ranges`, `merge` | facts as polyhedra or boxes, and several paths as one |
//! | `execute`, `apart`, `grow` | execution in the order of `ir::flow`; loops as fixed points (§2.2) |
//! | `function`, `certain` | the outcomes of a function; what is certain of a check |
//! | `summary`, `special`, `seen`, `call`, `library` | what callers know of a function, and calls |
//! | `program`, `descend`, `work` | whole programs, bottom-up; recursion; budgets |
//! | `met` | where a function meets a condition of failure, whoever calls it |
//! | `endless` | from where a loop never ends, as a condition to check |
//! | `error` | how sure an error is |
//! | `notation` | conditions on inputs, in C |
//!
//! What this crate must not know: rules by name, LLVM, files, the clock.

pub mod apart;
pub mod arithmetic;
pub mod assume;
pub mod call;
pub mod certain;
pub mod check;
pub mod cone;
pub mod descend;
pub mod endless;
pub mod error;
pub mod eval;
pub mod execute;
pub mod facts;
pub mod function;
pub mod grow;
pub mod hull;
pub mod input;
pub mod library;
pub mod linear;
pub mod memory;
pub mod merge;
pub mod met;
pub mod nonlinear;
pub mod notation;
pub mod path;
pub mod place;
pub mod program;
pub mod ranges;
pub mod run;
pub mod seen;
pub mod shape;
pub mod special;
pub mod statement;
pub mod summary;
pub mod trust;
pub mod value;
pub mod work;
