//! What the analysis of a function knows of the rest of the program.

use crate::effects::{Effects, What, Written};
use crate::footprint::{self, Question};
use crate::models::{Frees, Gives, Model, model};
use crate::recursion::Recursion;
use crate::summary::{Summaries, Summary};
use crate::text::{self, Unit};
use ir::{Base, Body, Call, CallGraph, Callee, FuncId, Program};
use ir::{Projection, Symbol, Target};
use std::sync::OnceLock;

/// Which automata are in the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub bounds: bool,
    pub pointers: bool,
    /// Remember conditions that are tested more than once.
    pub flags: bool,
    /// A check that is not implied fails, whether something acknowledges it or not: for whoever wants a proof.
    pub doubts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            bounds: true,
            pointers: true,
            flags: true,
            doubts: false,
        }
    }
}

pub struct Context<'p> {
    pub program: &'p Program,
    pub graph: &'p CallGraph,
    pub summaries: Summaries,
    /// What calls may write, callees included; found when somebody first asks.
    effects: OnceLock<Effects>,
    /// By function: whether it measures strings, found when somebody first asks.
    measures: OnceLock<Vec<Option<Unit>>>,
    /// For each function those that it calls or names and that are analysed before it, in id order. Empty: all.
    pub before: Vec<Vec<FuncId>>,
    /// Functions that never return, in id order: who finds them is the caller's business.
    pub noreturn: Vec<FuncId>,
    /// The same, if nobody calls `longjmp`: those that only a second return of `setjmp` leaves are among them.
    /// Empty: not asked for.
    pub noreturn_calmly: Vec<FuncId>,
    /// Functions whose callers rely on a result that is not null, by id; empty: none.
    pub trusted: Vec<bool>,
    /// What functions give back that call themselves, or each other.
    pub recursion: Recursion,
    /// The rules whose errors are to be explained; none: all.
    pub wanted: Option<&'p [Symbol]>,
}

impl<'p> Context<'p> {
    pub fn new(program: &'p Program, graph: &'p CallGraph, noreturn: Vec<FuncId>) -> Context<'p> {
        Context {
            program,
            graph,
            summaries: Summaries::new(program),
            effects: OnceLock::new(),
            measures: OnceLock::new(),
            before: Vec::new(),
            noreturn,
            noreturn_calmly: Vec::new(),
            trusted: Vec::new(),
            recursion: Recursion::default(),
            wanted: None,
        }
    }

    /// What is known of a callee.
    pub fn summary(&self, f: FuncId) -> Option<&Summary> {
        footprint::note(Question::Summary(f));
        self.summaries.get(f)
    }

    /// The body of another function.
    pub fn body(&self, f: FuncId) -> Option<&'p Body> {
        footprint::note(Question::Body(f));
        self.program.functions[f].body.as_ref()
    }

    /// Adds what a call of the function may write, its callees' writes included.
    pub fn add_writes(&self, f: FuncId, what: What, written: &mut Written) {
        match self.effects().of(f) {
            Some(of) => written.add_of(f, of, what),
            None => written.add_foreign(),
        }
    }

    /// In which characters a library's function measures a string, if it does.
    pub fn measures(&self, f: FuncId) -> Option<Unit> {
        let all = self.measures.get_or_init(|| text::measuring(self.program));
        all.get(f.0 as usize).copied().flatten()
    }

    /// What all functions may write.
    pub fn effects(&self) -> &Effects {
        self.effects
            .get_or_init(|| Effects::new(self.program, self.graph))
    }

    /// The library's function that a call through a global variable stands for: `xmlMalloc(n)`, where
    /// `xmlMalloc` is `malloc` unless somebody installs another, which then has to do what `malloc` does.
    pub fn stands_for(&self, body: &Body, call: &Call) -> Option<FuncId> {
        let Callee::Indirect(e) = call.callee else {
            return None;
        };
        let place = &body.places[body.loaded(e)?];
        // Units may see it at other types.
        let whole = |step: &Projection| matches!(step, Projection::As(_));
        let (Base::Global(g), true) = (place.base, place.projections.iter().all(whole)) else {
            return None;
        };
        let init = self.program.globals[g].init.as_ref()?;
        let [relocation] = init.relocations.as_slice() else {
            return None;
        };
        let Target::Function(f) = relocation.target else {
            return None;
        };
        let allocates =
            |m: Model| m.frees != Frees::Never || matches!(m.gives, Gives::Memory { .. });
        let unseen = self.program.functions[f].body.is_none();
        (unseen && model(self.program.function_name(f)).is_some_and(allocates)).then_some(f)
    }

    /// The functions that an indirect call may reach, as far as they are in view, if there are any.
    /// Others may be meant that are not: only good for asking whether all of them agree.
    pub fn indirect_targets(&self, body: &Body, call: &Call) -> Option<Vec<FuncId>> {
        let all = self.graph.targets(self.program, body, call);
        (!all.is_empty()).then_some(all)
    }
}
