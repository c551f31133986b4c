//! What is found of a program as a whole before any function is analysed.

use crate::Settings;
use crate::habits::{self, Habits};
use crate::noreturn::{Jumps, noreturn};
use crate::schedule::{self, Mentions, Schedule};
use automata::{Context, Recursion};
use ir::{CallGraph, FuncId, Program};

/// Who calls whom, in which order they are analysed, who never returns, and what is usual.
pub(crate) struct Prepared {
    pub graph: CallGraph,
    pub habits: Habits,
    pub schedule: Schedule,
    recursion: Recursion,
    /// Who never returns, whether or not somebody jumps back; and if nobody does.
    never: Vec<FuncId>,
    never_calmly: Vec<FuncId>,
}

impl Prepared {
    /// `named`: functions that never return, by linkage name.
    pub fn new(program: &Program, named: &[String]) -> Prepared {
        let (mentions, graph) =
            rayon::join(|| Mentions::of_all(program), || CallGraph::new(program));
        let never = |jumps| noreturn(program, &graph, &mentions, named, jumps);
        let ((back, calmly), (recursion, habits, schedule)) = rayon::join(
            || rayon::join(|| never(Jumps::Back), || never(Jumps::None)),
            || {
                let components = schedule::components(&mentions);
                let recursion = Recursion::new(program, &components);
                let (habits, schedule) = rayon::join(
                    || habits::habits(program, &graph, &recursion),
                    || Schedule::new(program, &mentions, &components),
                );
                (recursion, habits, schedule)
            },
        );
        Prepared {
            graph,
            habits,
            schedule,
            recursion,
            never: back,
            never_calmly: calmly,
        }
    }

    /// What analyses of functions know of the rest of the program; no function is analysed yet.
    pub fn context<'p>(&'p self, program: &'p Program, settings: &'p Settings) -> Context<'p> {
        let mut context = Context::new(program, &self.graph, self.never.clone());
        context.noreturn_calmly.clone_from(&self.never_calmly);
        context.wanted = settings.rules.as_deref();
        context.trusted.clone_from(&self.habits.trusted);
        context.recursion = self.recursion.clone();
        context.before.clone_from(&self.schedule.before);
        context
    }
}
