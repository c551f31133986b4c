//! Temporal rules: what may follow what (path reduction, §2.3).
//!
//! Most rules ask whether one statement goes wrong by itself. Some errors are a matter of order:
//! a pointer is freed, and freed again. Such a rule is a safety automaton over labelled statements
//! ([`automaton`], [`label`]), and is *compiled into the program*: ghost variables remember what has
//! happened to a value, and the error is a check over them ([`weave`]). So the search, feasibility,
//! refinement and replay need to know nothing of it: a check on an edge stays the only definition
//! of an error, and the CFA the only model of a program.
//!
//! A value is followed within one body. Of what callees do to it only what they surely do is seen ([`surely`]).

pub mod automaton;
mod effect;
mod ghost;
pub mod label;
mod machine;
pub mod modelled;
mod plan;
mod possible;
mod related;
mod site;
pub(crate) mod surely;
mod turn;
mod weave;

pub use automaton::{AnyState, Automaton, State, Target, Transition};
pub(crate) use ghost::{Maker, Slot, is_ghost, is_ghost_name};
pub use ghost::{followed, is_woven, is_woven_check, subject, told};
pub use label::{Argument, Label, Outcome, Pattern, Stored, Valid};
pub use modelled::Modelled;
pub(crate) use possible::MOST;

use crate::visit::{View, Visitor};
use ir::{Base, Body, ExprId, ExprKind, FuncId, Function, Global, GlobalId, Program, Type, TypeId};
use label::{Named, Site, Subject};
use machine::Machine;
use plan::Plan;
use possible::Possible;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Puts automata, each with the id of its rule, into every body in which an error of theirs can be
/// reached. To be called after the checks of other rules are in, and once.
pub fn weave(program: &mut Program, automata: &[(&str, &'static Automaton)]) {
    let mut by_name: FxHashMap<&str, Vec<FuncId>> = FxHashMap::default();
    for (id, f) in program.functions.iter() {
        by_name.entry(program.name(f.name)).or_default().push(id);
    }
    let mut known: Vec<Known<'_>> = Vec::new();
    for &(rule, automaton) in automata {
        debug_assert_eq!(automaton.validate(), Ok(()), "{rule}");
        let called = |name: &&str| by_name.contains_key(name);
        if automaton.void_if_called.iter().any(called) {
            continue;
        }
        if automaton.any_state.is_some() {
            let possible = Possible::of(automaton, program).map(Hears::Possible);
            known.extend(possible.map(|hears| (rule, automaton, hears)));
            continue;
        }
        let ours = |f: &FuncId| !automaton.library_only || program.functions[*f].body.is_none();
        let resolve = |name: &str| match by_name.get(name) {
            Some(all) => all.iter().copied().filter(ours).collect(),
            None => Vec::new(),
        };
        let mut named = Named::of(automaton.labels, program, &resolve);
        if !named.is_empty() {
            for &label in automaton.by_callees {
                named.by_callees(surely::by_callees(program, &named, label), label);
            }
            known.push((rule, automaton, Hears::Named(named)));
        }
    }
    let Program {
        types,
        globals,
        symbols,
        functions,
        ..
    } = program;
    let main = symbols.get("main");
    // Most bodies have no place for any of them, which many threads find out sooner.
    let planned = |visitor: &mut Visitor, function: &Function| {
        let is_main = Some(function.name) == main;
        let body = function.body.as_ref();
        body.is_some_and(|body| {
            let view = View {
                types,
                globals,
                body,
            };
            let mut all = known.iter();
            all.any(|known| !plan(known, view, is_main, visitor).1.instances.is_empty())
        })
    };
    let all = functions.as_slice().par_iter();
    let planned: Vec<bool> = all.map_init(Visitor::new, planned).collect();
    let mut visitor = Visitor::new();
    for (_, function) in functions
        .iter_mut()
        .zip(planned)
        .filter(|(_, p)| *p)
        .map(|(f, _)| f)
    {
        let is_main = Some(function.name) == main;
        let Some(body) = &mut function.body else {
            continue;
        };
        let mut taken: FxHashMap<&str, usize> = FxHashMap::default();
        for known in &known {
            let view = View {
                types,
                globals,
                body,
            };
            let (machine, plan) = plan(known, view, is_main, &mut visitor);
            if !plan.instances.is_empty() {
                let taken = taken.entry(known.0).or_insert(0);
                weave::weave(types, symbols, known.0, taken, &machine, &plan, body);
            }
        }
    }
}

/// An automaton of a rule, and what of the program it hears.
type Known<'a> = (&'a str, &'static Automaton, Hears);

enum Hears {
    /// The functions that its labels name.
    Named(Named),
    Possible(Possible),
}

/// What the automaton is in a body, and where it goes.
fn plan(
    (_, automaton, hears): &Known<'_>,
    view: View<'_>,
    is_main: bool,
    visitor: &mut Visitor,
) -> (Machine, Plan) {
    let body = view.body;
    let needs_events = match hears {
        Hears::Named(named) => named.needs_events(),
        Hears::Possible(possible) => possible.needs_events(),
    };
    if needs_events {
        visitor.enter(body);
    }
    let (machine, mut sites) = match hears {
        Hears::Named(named) => {
            let sites = named.sites(view, body.edges().as_slice(), visitor);
            (Machine::of(automaton), sites)
        }
        Hears::Possible(possible) => possible.machine(view, is_main, visitor),
    };
    sites.retain(|site| is_followed(view, site));
    if automaton.zero_at_first {
        sites.retain(|site| !is_another_kind(view, site));
    }
    label::name_by_origin(body, &mut sites);
    let plan = Plan::of(&machine, body, sites);
    (machine, plan)
}

/// Is the value the address of a global that does not begin as zero?
fn is_another_kind(view: View<'_>, site: &Site) -> bool {
    let Some(Subject::Expr(e)) = site.value else {
        return false;
    };
    let global = pointed_global(view.body, e).and_then(|g| view.globals.get(g));
    global.is_some_and(|g| g.init.is_some() && !is_zero(g))
}

/// The global that an address is of.
pub fn pointed_global(body: &Body, e: ExprId) -> Option<GlobalId> {
    let ExprKind::AddrOf(place) = body.exprs.get(e)?.kind else {
        return None;
    };
    match body.places.get(place)?.base {
        Base::Global(g) => Some(g),
        _ => None,
    }
}

/// Is the global defined here, and begins as zero?
pub fn is_zero(global: &Global) -> bool {
    let zero = |init: &ir::Init| init.relocations.is_empty() && init.bytes.iter().all(|b| *b == 0);
    global.init.as_ref().is_some_and(zero)
}

/// Is the value one that a ghost can hold?
fn is_followed(view: View<'_>, site: &Site) -> bool {
    let ty = match site.value {
        None => return true,
        Some(Subject::Expr(e)) => view.body.exprs.get(e).map(|e| e.ty),
        Some(Subject::Content(p)) => view.body.places.get(p).map(|p| p.ty),
    };
    ty.is_some_and(|ty: TypeId| match view.types.lookup(ty) {
        Some(Type::Int { width, .. }) => *width <= 64,
        Some(Type::Pointer(_)) => true,
        _ => false,
    })
}
