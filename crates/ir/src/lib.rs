//! The control-flow automaton (CFA): the only program model of rigel.
//!
//! A [`Program`] is a set of functions, globals and types. A function's [`Body`] has nodes and
//! edges; every edge carries one simple [`Stmt`] and a [`Span`]. Side effects happen only in
//! statements, never in expressions; a possible error is a [`Check`] on an edge and nothing else.
//!
//! What this crate knows: the shape of programs, their text form, their hashes, their call graph.
//! What it must not know: LLVM, clang, any rule by name, any engine, files on disk, the clock.

pub mod arena;
pub mod body;
pub mod build;
pub mod callgraph;
pub mod components;
pub mod compose;
pub mod expr;
mod fields;
pub mod flow;
pub mod hash;
pub mod lines;
pub mod link;
mod part;
pub mod program;
pub mod span;
pub mod stmt;
pub mod text;
pub mod tidy;
pub mod types;
pub mod unwritten;
pub mod validate;
pub mod walk;

pub use arena::Arena;
pub use body::{Body, Edge, EdgeId, NodeId, Var, VarId, VarKind};
pub use build::BodyBuilder;
pub use callgraph::CallGraph;
pub use compose::{Composed, FrameId, Impossible, Inlined, Origin, compose};
pub use expr::{
    Base, BinaryOp, CompareOp, Expr, ExprId, ExprKind, Intrinsic, Place, PlaceId, Projection,
    UnaryOp, int_value,
};
pub use hash::{function_hash, function_hashes};
pub use link::{LinkWarning, LinkWarningKind, link};
pub use part::Part;
pub use program::{
    FuncId, Function, Global, GlobalId, Init, Linkage, Program, Relocation, Symbol, Target, Unit,
    UnitId,
};
pub use span::{FileId, Span};
pub use stmt::{
    Call, CallOutcome, Callee, CatchClause, Check, CheckId, Condition, Family, HavocReason, Stmt,
    TrapReason,
};
pub use text::{parse, print, print_function};
pub use types::{Field, FloatKind, StructDef, StructId, Type, TypeId, TypeTable};
pub use validate::{Violation, validate, validate_body};
