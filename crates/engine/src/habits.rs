//! What callers do with the pointers they are given.
//!
//! That a function *can* return null is evidence (design.md §6), but many can only for arguments
//! that no caller passes, and until summaries know arguments the callers know better: where most
//! of them follow the result without a test, they rely on something, and one more that does is no
//! news. Where most of them test, the one that does not is.
//!
//! A null can be a *failure* (no memory, no file: it comes from outside, and nobody can know that it
//! will not) or an *answer* (there is no such key). Who has just put the key there knows the answer,
//! so of a function that cannot fail all other callers must test for one that does not to be news.
//!
//! That there may be no memory is known to every program, and many mean to go on as if there always were. Where most
//! allocations are followed untested, one more is no news; where most are tested, the one that is not is. The functions of the library that
//! allocate are one for this: who tests `malloc` and not `strdup` has forgotten it.
//!
//! A habit speaks against what *may* be, not against what must: a call whose arguments decide that null comes back
//! is looked into all the same ([`crate::whole`], `decided`). And it is named where it is why a check is latent
//! ([`crate::Why::Relied`]).

use automata::Recursion;
use automata::models::{Gives, model};
use ir::arena::Id;
use ir::{Body, CallGraph, Callee, CompareOp, ExprKind, FuncId, Program, Stmt};
use rustc_hash::FxHashSet;

/// Of fewer call sites nothing can be learnt.
const SITES: u32 = 3;

/// Of fewer allocations neither: that memory runs out no function in view can know better.
const ALLOCATIONS: u32 = 5;

/// The calls of a function whose result somebody has a use for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sites {
    pub all: u32,
    /// Those behind which the result is compared with null.
    pub tested: u32,
}

/// What callers do, by function.
#[derive(Debug, Default)]
pub(crate) struct Habits {
    pub sites: Vec<Sites>,
    /// Its callers rely on its result not being null.
    pub trusted: Vec<bool>,
}

/// What the callers of every function do with its result.
pub(crate) fn habits(program: &Program, graph: &CallGraph, recursion: &Recursion) -> Habits {
    let mut sites = vec![Sites::default(); program.functions.len()];
    let mut allocations = Sites::default();
    let functions = program.functions.ids();
    let allocates: Vec<bool> = functions.map(|f| is_allocator(program, f)).collect();
    for (caller, _, body) in program.bodies() {
        let tested = tested_variables(body);
        for edge in body.edges().values() {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            let (Callee::Direct(f), Some(place)) = (call.callee, call.result) else {
                continue;
            };
            // Who passes on what its own recursion gives neither relies on it nor tests it.
            if !program.types.is_pointer(body.places[place].ty)
                || recursion.passes_on(caller, body, call)
            {
                continue;
            }
            let of = &mut sites[f.index()];
            of.all += 1;
            let is_tested = match body.places[place].as_var() {
                Some(v) => tested[v.index()],
                None => false,
            };
            of.tested += u32::from(is_tested);
            if allocates[f.index()] {
                allocations.all += 1;
                allocations.tested += u32::from(is_tested);
            }
        }
    }
    let fails = failing(program, graph);
    let rely = |(of, fails): (&Sites, &bool)| match fails {
        true => of.all >= SITES && of.tested * 3 < of.all * 2,
        // Somebody else relies on it, too.
        false => of.all - of.tested >= 2,
    };
    let mut trusted: Vec<bool> = sites.iter().zip(&fails).map(rely).collect();
    let careless = allocations.all >= ALLOCATIONS && allocations.tested * 3 < allocations.all * 2;
    for (trusted, _) in trusted.iter_mut().zip(&allocates).filter(|(_, a)| **a) {
        *trusted = careless;
    }
    Habits { trusted, sites }
}

/// For every function whether a call of it can fail for a reason outside of the program: it, or one that
/// it calls, asks the library for something that there may not be, or code that is not in view.
fn failing(program: &Program, graph: &CallGraph) -> Vec<bool> {
    let mut fails = vec![false; program.functions.len()];
    for component in graph.components() {
        let can_fail = component.iter().any(|&f| match &program.functions[f].body {
            None => is_fallible(program, f),
            Some(body) => {
                graph.callees(f).iter().any(|c| fails[c.index()])
                    || calls_unseen(program, graph, body)
            }
        });
        for &f in component {
            fails[f.index()] = can_fail;
        }
    }
    fails
}

/// Is there a call through a pointer of which nobody knows where it leads?
fn calls_unseen(program: &Program, graph: &CallGraph, body: &Body) -> bool {
    body.edges().values().any(|edge| match &edge.stmt {
        Stmt::Call(call) => {
            matches!(call.callee, Callee::Indirect(_))
                && graph.targets(program, body, call).is_empty()
        }
        _ => false,
    })
}

/// Of the library, what looks something up in memory gives an answer.
fn is_fallible(program: &Program, f: FuncId) -> bool {
    let name = program.function_name(f);
    match model(name) {
        Some(m) => match m.gives {
            Gives::PointerOrNull => !m.searches,
            Gives::Memory { can_fail, .. } => can_fail,
            _ => false,
        },
        None => true,
    }
}

/// Does the library give memory by it, if there is any?
fn is_allocator(program: &Program, f: FuncId) -> bool {
    let function = &program.functions[f];
    let gives = model(program.function_name(f)).map(|m| m.gives);
    function.body.is_none() && matches!(gives, Some(Gives::Memory { can_fail: true, .. }))
}

/// The variables that are compared with null, or whose value is handed to a place that is.
fn tested_variables(body: &Body) -> Vec<bool> {
    let mut places = FxHashSet::default();
    for edge in body.edges().values() {
        if let Stmt::Assume(e) = edge.stmt
            && let ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) = body.exprs[e].kind
            && matches!(body.exprs[b].kind, ExprKind::Null)
            && let Some(place) = body.loaded(a)
        {
            places.insert(&body.places[place]);
        }
    }
    let mut known = usize::MAX;
    while !places.is_empty() && known != places.len() {
        known = places.len();
        for edge in body.edges().values() {
            if let Stmt::Assign { place, value } = edge.stmt
                && let Some(from) = body.loaded(value)
                && places.contains(&body.places[place])
            {
                places.insert(&body.places[from]);
            }
        }
    }
    let mut tested = vec![false; body.vars.len()];
    for v in places.into_iter().filter_map(|place| place.as_var()) {
        tested[v.index()] = true;
    }
    tested
}
