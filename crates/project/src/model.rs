//! The program, as far as it matters for a check, as a weighted pushdown system (§3 of the paper).
//!
//! One state. A symbol for each node of the functions that are entered, and one for each edge where a node has several: so
//! the projection says of every *edge* whether a failing run can take it. A call is a push, with what arguments say
//! of parameters; the return is a pop, with answers about the result; what the caller makes of these, and of what the callee may
//! have written, is a step of its own.

use crate::building::Building;
use crate::choose::{Fact, choose};
use crate::formulas::Formulas;
use crate::open::Openness;
use crate::question::{Limits, Question};
use crate::related::Related;
use crate::scope::Reaching;
use crate::ways::with_calls;
use automata::{Context, Plan};
use ir::{Body, EdgeId, FuncId, NodeId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use wpds::weights::{RelationWeight, Relations};
use wpds::{Configuration, Language, State, Symbol, System};

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Before an edge.
    Edge(EdgeId),
    /// At a node with no edges, or with several.
    Node(NodeId),
    /// Back from the call of an edge.
    Returned(EdgeId),
    /// The check of an edge has failed.
    Failed(EdgeId),
    /// Before anything begins, and after everything.
    Outside,
}

/// A symbol, in terms of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// An index into [`Model::functions`].
    pub function: usize,
    pub at: At,
}

/// A function that is entered.
pub struct Entered {
    pub function: FuncId,
    /// With expressions for facts that the function itself does not state.
    pub body: Body,
    /// The facts about globals, then its own.
    pub facts: Vec<Fact>,
    /// By node.
    pub nodes: Vec<Option<Symbol>>,
    /// By edge.
    pub edges: Vec<Option<Symbol>>,
}

/// The system of a [`Question`].
pub struct Model {
    pub functions: Vec<Entered>,
    pub(crate) formulas: Formulas,
    pub system: System<RelationWeight>,
    /// By symbol.
    pub meanings: Vec<Meaning>,
    pub open: Openness,
    pub(crate) start: Symbol,
    pub(crate) goal: Symbol,
    /// Facts about globals come first in every function's list: so many.
    pub shared: usize,
}

impl Model {
    /// Makes the system. Level 1 is asked about every edge of the functions that matter.
    pub fn new(
        context: &Context<'_>,
        plan: Plan,
        question: &Question<'_>,
        limits: &Limits,
    ) -> Model {
        let scope = choose(context, question, limits);
        let (calls, scope) = match question.body {
            None => with_calls(context, scope),
            Some(_) => (vec![Vec::new(); scope.functions.len()], scope),
        };
        let plan = Plan {
            scheduled: false,
            only: None,
            ..plan
        };
        let related: Vec<Related> = scope
            .functions
            .par_iter()
            .zip(&calls)
            .map(|(chosen, calls)| Related::new(context, plan, (question, limits), chosen, calls))
            .collect();
        let shared = scope.functions.first().map_or(0, |f| f.shared.len());
        let results = scope.functions.iter().map(|f| f.results.len()).max();
        let facts = scope.functions.iter().map(|f| f.facts.len()).max();
        let formulas = Formulas::new(
            shared,
            results.unwrap_or(0),
            facts.unwrap_or(0),
            limits.nodes,
        );
        let mut system = System::new(1);
        let (start, goal) = (system.symbol(), system.symbol());
        let outside = Meaning {
            function: 0,
            at: At::Outside,
        };
        let open = Openness {
            cut: scope.cut,
            ..Openness::default()
        };
        let mut building = Building {
            context,
            question,
            scope: &scope,
            model: Model {
                functions: Vec::new(),
                formulas,
                system,
                meanings: vec![outside; 2],
                open,
                start,
                goal,
                shared,
            },
            related: &related,
            weights: FxHashMap::default(),
            reaching: Reaching::new(context, &scope),
        };
        for (chosen, related) in scope.functions.iter().zip(&related) {
            building.enter(chosen, related);
        }
        for (i, calls) in calls.iter().enumerate() {
            building.rules(i, calls);
        }
        building.begin();
        building.model
    }

    pub fn relations(&self) -> &Relations {
        &self.formulas.relations
    }

    /// The set S: the root's entry.
    pub fn source(&self) -> Language {
        let start = Configuration {
            state: State(0),
            stack: vec![self.start],
        };
        Language::configuration(1, &start)
    }

    /// The set T: the check has failed.
    pub fn target(&self) -> Language {
        Language::on_top(1, self.goal)
    }
}
