//! Everything that the analysis of one function depends on, callees' summaries apart, as one number.
//!
//! A *key* covers the body with its checks, the globals that it speaks of as far as they are more than
//! names (initial values, whether pointers may lead to them), and of each call whom it may reach and
//! whether these come back, are relied on, are in view, and give null from within a recursion. Equal keys and equal summaries promise
//! equal results of level 1; level 2 asks for more, and notes what ([`automata::footprint`]).

use super::digest::{self, Digest};
use super::numbers::Numbers;
use automata::Context;
use feasible::start::Start;
use ir::arena::Id;
use ir::hash::{Hasher, Worker};
use ir::{Base, Body, Callee, ExprKind, FuncId, Function, Global, Linkage, Program, Stmt, Target};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// What functions say themselves, by id, the globals that they speak of included.
pub(crate) fn contents(program: &Program) -> Vec<u128> {
    let (globals, hasher) = rayon::join(|| globals(program), || Hasher::new(program));
    let functions: Vec<FuncId> = program.functions.ids().collect();
    let content = |worker: &mut Worker<'_>, f: &FuncId| {
        let function = &program.functions[*f];
        let mut digest = Digest::default();
        digest.raw(&worker.function(*f));
        digest.number(u64::from(program.is_main(*f)));
        // It begins with what all globals hold, whoever leads to them.
        if program.is_start(*f) {
            let all = program.globals.values();
            all.for_each(|global| initial(program, global, &mut digest));
        }
        digest.number(function.linkage as u64);
        if let Some(body) = &function.body {
            of_globals(body, &globals, &mut digest);
        }
        digest.finish()
    };
    let all = functions.par_iter();
    all.map_init(|| hasher.worker(), content).collect()
}

/// The keys of all functions, by id. `settings`: what else level 1 is told.
pub(crate) fn keys(
    context: &Context<'_>,
    numbers: &Numbers,
    contents: &[u128],
    settings: u128,
) -> Vec<u128> {
    let key = |(f, (function, content)): (usize, (&Function, &u128))| {
        let mut digest = Digest::default();
        digest.wide(settings).wide(*content);
        let start = Start::of(context.program, context.graph, FuncId::from_index(f));
        digest.number(u64::from(start == Start::Program));
        for moved in context.recursion.moved(FuncId::from_index(f)) {
            digest.number(u64::from(*moved));
        }
        if let Some(body) = &function.body {
            for e in body.exprs.values() {
                if let ExprKind::Function(f) = e.kind {
                    let named = context.program.functions.get(f);
                    digest.number(u64::from(named.is_some_and(|f| f.body.is_some())));
                }
            }
            calls(context, numbers, body, &mut digest);
        }
        digest.finish()
    };
    let functions = context.program.functions.as_slice().par_iter();
    functions.zip(contents).enumerate().map(key).collect()
}

/// What of a global its name does not say, by id.
fn globals(program: &Program) -> Vec<u128> {
    let exposed = automata::effects::exposed(program);
    let all = program.globals.as_slice().par_iter().enumerate();
    all.map(|(g, global)| {
        let mut digest = Digest::default();
        digest.number(u64::from(exposed.contains(g)));
        // The contents of constants are in the hash of whoever reads them.
        if !global.constant {
            initial(program, global, &mut digest);
        }
        digest.finish()
    })
    .collect()
}

fn initial(program: &Program, global: &Global, digest: &mut Digest) {
    let Some(init) = &global.init else {
        digest.number(0);
        return;
    };
    digest.number(1).raw(&init.bytes);
    digest.number(init.relocations.len() as u64);
    for r in &init.relocations {
        let (kind, name) = match r.target {
            Target::Function(f) => (0, program.functions.get(f).map(|f| f.name)),
            Target::Global(g) => (1, program.globals.get(g).map(|g| g.name)),
            Target::Label(f, n) => (2 + u64::from(n), program.functions.get(f).map(|f| f.name)),
        };
        digest.number(r.offset).number(r.addend as u64).number(kind);
        digest.text(name.map_or("", |name| program.name(name)));
    }
    for (offset, length) in &init.unknown {
        digest.number(*offset).number(*length);
    }
}

fn of_globals(body: &Body, globals: &[u128], digest: &mut Digest) {
    let mut last = None;
    for place in body.places.values() {
        if let Base::Global(g) = place.base
            && last != Some(g)
        {
            // In the order of the arena, which the body's own hash does not fix: two equal bodies may
            // differ here, which costs one more analysis and nothing else.
            digest.wide(globals.get(g.index()).copied().unwrap_or_default());
            last = Some(g);
        }
    }
}

fn calls(context: &Context<'_>, numbers: &Numbers, body: &Body, digest: &mut Digest) {
    let program = context.program;
    let among = |list: &[FuncId], f: FuncId| u64::from(list.binary_search(&f).is_ok());
    let returns = |f: FuncId| {
        let all = [&context.noreturn, &context.noreturn_calmly];
        among(all[0], f) | among(all[1], f) << 1
    };
    // Most calls through pointers are like others of the same body.
    let mut seen: FxHashMap<Vec<FuncId>, u128> = FxHashMap::default();
    for edge in body.edges().values() {
        let Stmt::Call(call) = &edge.stmt else {
            continue;
        };
        match call.callee {
            Callee::Direct(f) => {
                let Some(function) = program.functions.get(f) else {
                    continue;
                };
                let trusted = context.trusted.get(f.index()) == Some(&true);
                let view = u64::from(function.body.is_some());
                let null = u64::from(context.recursion.gives_null(f));
                digest.number(returns(f) | view << 2 | u64::from(trusted) << 3 | null << 4);
                if function.linkage == Linkage::Internal {
                    digest.wide(numbers.names[f.index()]);
                }
            }
            Callee::Indirect(_) => {
                if let Some(f) = context.stands_for(body, call) {
                    digest.text(program.function_name(f));
                }
                let targets = context.graph.targets(program, body, call);
                let known = seen.entry(targets).or_insert_with_key(|targets| {
                    let told = targets.iter().map(|f| {
                        let view = u64::from(program.functions[*f].body.is_some());
                        (numbers.names[f.index()], returns(*f) | view << 2)
                    });
                    // By name: ids come and go.
                    let mut told: Vec<(u128, u64)> = told.collect();
                    told.sort_unstable();
                    digest::of(&told)
                });
                digest.wide(*known);
            }
        }
    }
}
