//! The concrete semantics of the CFA: runs a program and stops at a failing check.
//!
//! This is the ground truth that every abstract engine is tested against: where a [`ir::Check`]'s
//! condition is false, the run ends with [`Outcome::Failed`]; what the compiled program prints, the
//! interpreter prints. A run is a function of the program and its [`Config`]: no clock, no addresses
//! of the host, no hash order.
//!
//! What this crate knows: the meaning of statements and expressions (`exec`, `eval`, `place`, `slow`),
//! memory (`memory`), calls, exceptions and long jumps (`call`, `unwind`), the C library that test
//! programs need (`libc`), and running one path of one function ([`replay`]). What it must not know: any rule by name, LLVM, any abstraction.
//!
//! ```
//! use interp::{Config, Interpreter, Outcome};
//! let program = ir::Program::default();
//! let outcome = Interpreter::new(&program, Config::default()).run();
//! assert!(matches!(outcome, Outcome::Stuck { .. })); // there is no `main`
//! ```

#![forbid(unsafe_code)]

mod call;
pub mod chance;
mod code;
mod compile;
mod eval;
mod exec;
mod init;
mod io;
mod libc;
mod machine;
mod memory;
mod observe;
mod outcome;
mod place;
pub mod replay;
mod report;
mod slow;
mod snapshot;
mod unwind;
mod value;
mod x87;

pub use exec::Interpreter;
pub use machine::Config;
pub use memory::{Fresh, Kind, Memory, ObjId, State};
pub use observe::{FrameView, NoObserver, Observer, Oracle, StuckOracle};
pub use outcome::{Cause, Failure, FaultKind, Outcome, Site, StuckReason};
pub use snapshot::Snapshot;
pub use value::{Blob, FILL, Scalar, Value, Wide};
pub use x87::X87;

/// Can a run go on behind a call of the library's function of this name?
pub fn knows(name: &str) -> bool {
    libc::find(name).is_some()
}
