//! What users say of functions that the program has ([`library`], `--models FILE.toml`) counts where they are called.
//!
//! An allocator, or a wrapper that is too clever, may have a body that no engine understands. Its callers call another function then, of the
//! same name, which is only declared: whoever asks for what is known of it is told what the user said. Its own body is checked like
//! any other.

use ir::{Callee, EdgeId, FuncId, Function, Program, Stmt};
use rustc_hash::FxHashMap;

/// Puts declared functions in place of those that users know, wherever these are called by name.
pub(crate) fn believe(program: &mut Program) {
    if library::current().said().is_empty() {
        return;
    }
    let known = |f: &Function| {
        let known = library::function(program.name(f.name));
        f.body.is_some() && known.is_some_and(|known| known.by_user && known.is_modelled())
    };
    let all = program.functions.iter().filter(|(_, f)| known(f));
    let known: Vec<(FuncId, Function)> = all
        .map(|(id, f)| {
            let declared = Function {
                name: f.name,
                display: f.display,
                unit: f.unit,
                linkage: f.linkage,
                signature: f.signature,
                noreturn: f.noreturn,
                span: f.span,
                body: None,
            };
            (id, declared)
        })
        .collect();
    let mut instead: FxHashMap<FuncId, FuncId> = FxHashMap::default();
    for (id, declared) in known {
        instead.insert(id, program.functions.push(declared));
    }
    for function in program.functions.as_mut_slice() {
        let Some(body) = &mut function.body else {
            continue;
        };
        let edges: Vec<EdgeId> = body.edges().ids().collect();
        for edge in edges {
            if let Stmt::Call(call) = &mut body.edge_mut(edge).stmt
                && let Callee::Direct(f) = call.callee
                && let Some(other) = instead.get(&f)
            {
                call.callee = Callee::Direct(*other);
            }
        }
    }
}
