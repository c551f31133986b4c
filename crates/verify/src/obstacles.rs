//! What stands in the way of a proof: code of which the engines do not know all that it may do.
//!
//! `rigel check` reports what it finds, and takes the rest of the world for reasonable. A proof must not: each of these is a
//! reason to say that nobody knows.

use crate::{Goal, Reason};
use automata::models::{Frees, Gives, Writes, does_more, model};
use ir::walk::Item;
use ir::{
    BinaryOp, Body, CallOutcome, Callee, ExprKind, FuncId, Function, Intrinsic, Program, Stmt, Type,
};
use std::collections::BTreeSet;

/// What proofs cannot cope with, the first of each kind in a function.
pub fn obstacles(program: &Program, functions: &BTreeSet<FuncId>, goal: Goal) -> Vec<Reason> {
    let mut all = Vec::new();
    for unit in program.units.values() {
        if let Some((_, f)) = unit.constructors.first() {
            all.push(Reason::of(*f, None, "runs before main"));
        }
        if let Some((_, f)) = unit.destructors.first() {
            all.push(Reason::of(*f, None, "runs after main"));
        }
    }
    for &f in functions {
        let Some(function) = program.functions.get(f) else {
            continue;
        };
        let Some(body) = &function.body else { continue };
        if goal == Goal::Arithmetic && shifts(program, body) {
            let what = "a signed left shift, which is not checked for overflow";
            all.push(Reason::of(f, Some(function.span), what));
        }
        if asks_addresses(program, body) {
            let what = "the number of an address, which differs from run to run";
            all.push(Reason::of(f, Some(function.span), what));
        }
        if reads_volatile(body) {
            let what = "volatile memory, which somebody else may write";
            all.push(Reason::of(f, Some(function.span), what));
        }
        let mut seen = BTreeSet::new();
        for edge in body.edges().values() {
            if let Some(what) = obstacle(program, &edge.stmt, goal)
                && seen.insert(what.clone())
            {
                all.push(Reason::of(f, Some(edge.span), &what));
            }
        }
    }
    all
}

fn obstacle(program: &Program, stmt: &Stmt, goal: Goal) -> Option<String> {
    match stmt {
        Stmt::Havoc { reason, .. } => Some(match reason {
            ir::HavocReason::InlineAssembly => "inline assembly".to_string(),
            ir::HavocReason::Intrinsic(name) | ir::HavocReason::Instruction(name) => {
                format!("`{}` of the compiler is not modelled", program.name(*name))
            }
            ir::HavocReason::Vector => "vector arithmetic is not modelled".to_string(),
            ir::HavocReason::Constant | ir::HavocReason::WideInteger => {
                "a value that is not modelled".to_string()
            }
        }),
        Stmt::LandingPad { .. } => Some("exceptions are not followed".to_string()),
        Stmt::VaStart(_) => Some("variadic arguments are not followed".to_string()),
        Stmt::Call(call) if call.outcome == CallOutcome::Again => {
            Some("setjmp is not followed".to_string())
        }
        Stmt::Call(call) => match call.callee {
            Callee::Indirect(_) => Some("a call through a pointer".to_string()),
            Callee::Direct(f) => {
                let function = program.functions.get(f)?;
                let name = program.name(function.name);
                (function.body.is_none() && !is_known(program, function, goal))
                    .then(|| format!("what `{name}` does is not known exactly"))
            }
        },
        _ => None,
    }
}

fn reads_volatile(body: &Body) -> bool {
    let mut found = false;
    ir::walk::used_by_program(body, &mut |item| {
        if let Item::Expr(e) = item {
            found |= matches!(
                body.exprs[e].kind,
                ExprKind::Intrinsic(Intrinsic::Volatile, _)
            );
        }
    });
    found
}

/// Is memory allocated?
pub fn makes_memory(program: &Program, functions: &BTreeSet<FuncId>) -> bool {
    let gives = |name: &str| {
        let gives = model(name).map(|model| model.gives);
        matches!(gives, Some(Gives::Memory { .. } | Gives::PointerOrNull))
    };
    let makes = |stmt: &Stmt| match stmt {
        Stmt::Allocate { .. } => true,
        Stmt::Call(call) => match call.callee {
            Callee::Direct(f) => program
                .functions
                .get(f)
                .is_some_and(|f| gives(program.name(f.name))),
            Callee::Indirect(_) => true,
        },
        _ => false,
    };
    functions.iter().any(|f| {
        let body = program.functions.get(*f).and_then(|f| f.body.as_ref());
        body.is_some_and(|body| body.edges().values().any(|edge| makes(&edge.stmt)))
    })
}

/// Is an address taken for a number, or the bytes of a pointer read as such?
pub fn asks_addresses(program: &Program, body: &Body) -> bool {
    let types = &program.types;
    let mut asks = false;
    ir::walk::used_by_program(body, &mut |item| {
        if let Item::Expr(e) = item
            && let ExprKind::Cast(from) = body.exprs[e].kind
        {
            let (from, to) = (body.exprs[from].ty, body.exprs[e].ty);
            let pointees = types.pointee(from).zip(types.pointee(to));
            let is_punned = pointees.is_some_and(|(before, after)| {
                types.is_pointer(before) && types.as_int(after).is_some()
            });
            asks |= is_punned || types.is_pointer(from) && types.as_int(to).is_some();
        }
    });
    asks
}

/// Is a signed number shifted to the left? Whether the result fits its type is not checked.
pub fn shifts(program: &Program, body: &Body) -> bool {
    let mut found = false;
    ir::walk::used_by_program(body, &mut |item| {
        if let Item::Expr(e) = item
            && let ExprKind::Binary(BinaryOp::Shl, a, _) = body.exprs[e].kind
        {
            let int = program.types.as_int(body.exprs[a].ty);
            found |= int.is_some_and(|(_, signed)| signed);
        }
    });
    found
}

/// Is all that a function of the library does known to every engine, as far as the goal needs it?
fn is_known(program: &Program, function: &Function, goal: Goal) -> bool {
    let name = program.name(function.name);
    let Some(model) = model(name) else {
        return false;
    };
    if does_more(name) {
        return false;
    }
    if name == "__rigel_end_of_array" {
        return true;
    }
    match goal {
        // What a function of the library accesses is not checked, and what is allocated can get lost.
        Goal::Memory => {
            model.frees == Frees::Never
                && !matches!(model.gives, Gives::Memory { .. } | Gives::PointerOrNull)
                && (!model.returns || is_plain(program, function))
        }
        Goal::Checks | Goal::Arithmetic | Goal::End => model.writes != Writes::Anything,
    }
}

/// Does it access no memory of the program? One that gets no pointer has none to access.
fn is_plain(program: &Program, function: &Function) -> bool {
    let is_pointer = |ty| program.types.is_pointer(ty);
    match program.types.lookup(function.signature) {
        Some(Type::Function {
            ret,
            params,
            variadic: false,
        }) => !is_pointer(*ret) && !params.iter().any(|ty| is_pointer(*ty)),
        _ => false,
    }
}
