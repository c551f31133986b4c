//! A path that the solver has values for is run with them.
//!
//! A solver chooses what it does not see: the beginning, and what calls give back that level 2 does not look into. So a path from
//! `main` begins as the program does, and the run executes every callee that has a body. Only a run that still goes along
//! the path, and fails at its end, shows that it can be taken. Where one does that only with an answer that was chosen for a callee, it depends on that
//! callee, and nobody knows.

use crate::when::words_of_run;
use crate::{ErrorPath, Level2};
use automata::Context;
use feasible::Judgement;
use feasible::start::{Start, can_be_started};
use interp::replay::{Replayed, Replayer, Script, StepEffect};
use ir::{Body, CallOutcome, Callee, EdgeId, FrameId, FuncId, NodeId, Program, Stmt};
use logic::Portfolio;
use std::collections::BTreeSet;

/// What is known of a path.
pub(super) enum Said {
    /// A run takes it, with these inputs.
    Feasible(Option<String>),
    /// These steps contradict each other.
    Infeasible(Vec<usize>),
    /// Nobody knows; it depends on what these functions give back, if there are any.
    Unknown(Vec<FuncId>),
}

/// Whoever judges paths, with what that may cost.
pub(super) struct Trial<'a, 'p> {
    context: &'a Context<'p>,
    prover: Portfolio,
    budget: u64,
}

impl<'a, 'p> Trial<'a, 'p> {
    pub fn new(context: &'a Context<'p>, level2: &Level2) -> Self {
        Trial {
            context,
            prover: (level2.provers.make)(),
            budget: level2.budget,
        }
    }

    /// Can a run take the path of an error?
    pub fn judge(&mut self, error: &ErrorPath) -> Said {
        let context: &Context<'_> = self.context;
        let Some(body) = error.body(context.program) else {
            return Said::Unknown(Vec::new());
        };
        let root = root_of(error);
        let start = Start::of(context.program, context.graph, root);
        let mut said = Said::Unknown(Vec::new());
        let paths = std::slice::from_ref(&error.path);
        feasible::judge_from(
            context,
            (start, root),
            body,
            paths,
            &mut self.prover,
            self.budget,
            |_, path, judgement| {
                said = match judgement {
                    Judgement::Infeasible(core, _) => {
                        Said::Infeasible(core.into_iter().map(|step| step as usize).collect())
                    }
                    Judgement::Undecided(_) => Said::Unknown(Vec::new()),
                    Judgement::Feasible(model) => {
                        match feasible::script::script(path, &model, &error.path) {
                            Ok(script) => match run(context.program, start, body, &script) {
                                Ok(()) => Said::Feasible(words_of_run(context, path, &model)),
                                Err(depends) => Said::Unknown(depends),
                            },
                            Err(_) => Said::Unknown(Vec::new()),
                        }
                    }
                };
            },
        );
        said
    }

    /// Can a run come along these edges, as far as level 2 can tell?
    pub fn can_begin(&mut self, root: FuncId, body: &Body, edges: Vec<EdgeId>) -> bool {
        let context: &Context<'_> = self.context;
        let start = (Start::of(context.program, context.graph, root), root);
        let mut can = true;
        let (prover, budget) = (&mut self.prover, self.budget);
        feasible::judge_from(context, start, body, &[edges], prover, budget, |_, _, j| {
            can = !matches!(j, Judgement::Infeasible(..));
        });
        can
    }
}

/// The function that the path of an error begins in.
pub fn root_of(error: &ErrorPath) -> FuncId {
    match &error.composed {
        Some(composed) => composed.frames[FrameId::ROOT].function,
        None => error.function,
    }
}

/// Does the script say of globals only what they hold when the program begins? What others define (`optind`, `environ`) holds what nobody here knows.
fn is_given(program: &Program, script: &Script) -> bool {
    let mut globals = script.globals.iter();
    globals.all(|(g, _)| program.globals[*g].init.is_some())
}

/// Runs a script, with all callees that can be executed; else: the functions whose answers had to be chosen.
fn run(program: &Program, start: Start, body: &Body, script: &Script) -> Result<(), Vec<FuncId>> {
    if start == Start::Program && !(can_be_started(script) && is_given(program, script)) {
        return Err(Vec::new());
    }
    let mut chosen: BTreeSet<FuncId> = BTreeSet::new();
    let mut executed = script.clone();
    for (step, effect) in &mut executed.steps {
        let edge = script.path.get(*step).and_then(|e| body.edges().get(*e));
        let Some((from, Stmt::Call(call))) = edge.map(|edge| (edge.from, &edge.stmt)) else {
            continue;
        };
        let has_answer = match call.callee {
            Callee::Direct(f) => {
                let function = &program.functions[f];
                let name = program.name(function.name);
                let decided =
                    interp::knows(name) && (is_decided(name) || returns_twice(body, from));
                let has_answer = function.body.is_some() || decided;
                if has_answer && *effect != StepEffect::Execute {
                    chosen.insert(f);
                }
                has_answer
            }
            // Whoever calls the function may have put any other there.
            Callee::Indirect(_) => start == Start::Program,
        };
        if has_answer {
            *effect = StepEffect::Execute;
        }
    }
    let mut replayer = Replayer::new(program);
    if replayer.replay_in(body, &executed) == Replayed::Confirmed {
        return Ok(());
    }
    // Is it for the answers?
    match replayer.replay_in(body, script) == Replayed::Confirmed {
        true => Err(chosen.into_iter().collect()),
        false => Err(Vec::new()),
    }
}

/// Does a function of the library give what follows from the program? No solver chooses that. (Whether there is memory left
/// does not follow from it.)
fn is_decided(name: &str) -> bool {
    library::function(name).is_some_and(|f| {
        let may_fail = !f.allocates.is_empty();
        f.pure || (f.determined && !may_fail) || f.makes_text()
    })
}

/// Is it a call of `setjmp`? What it gives when it returns for the first time nobody chooses.
fn returns_twice(body: &Body, node: NodeId) -> bool {
    let again =
        |stmt: &Stmt| matches!(stmt, Stmt::Call(call) if call.outcome == CallOutcome::Again);
    body.out_edges(node).any(|(_, edge)| again(&edge.stmt))
}
