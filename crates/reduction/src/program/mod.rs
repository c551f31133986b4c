//! From a function's CFA to an interval automaton (§5.1, and what C's machine integers ask for).
//!
//! **Variables** are the integers of up to 64 bits and the pointers whose address is not taken:
//! nothing but a statement that names them writes them. A pointer is 0 if it is null, and some
//! number from 1 on if not. The range of a variable is that of its type, which is also where every
//! expression for its value stays, as the automaton demands. Locations are the nodes of the CFA,
//! edges its edges, under the same numbers.
//!
//! **Results.** Signed `+ - *` are cut to their type (`⊓`): overflow ends a run. What wraps
//! (unsigned types, `-fwrapv`, narrowing conversions) is *guarded*: itself if it fits the type,
//! anything if not ([`Interval::guarded`]). That is a monotone operator like any other, and
//! contains what the machine computes: a value that fits is not changed by wrapping, and one that
//! does not ends up in the type. How systems with guards are solved, and why that is sound, is said
//! in [`crate::strategy`]. All that has no operator here (memory, calls, division, floating point
//! …) is the range of its type.
//!
//! **Conditions** restrict the variables that they compare, both sides at once: `x < y` is `x' = x
//! ⊓ (y + [-∞, -1])` and `y' = y ⊓ (x + [1, ∞])`; `x != c` is `(x ⊓ [-∞, c-1]) ⊔ (x ⊓ [c+1, ∞])`. A
//! comparison of other expressions restricts an extra variable that nothing reads: it can still be
//! empty. A check is a condition like `assume`, for whoever comes past it; so the word of an error
//! path ends *before* the check that fails.

mod condition;
mod value;

use crate::automaton::{Automaton, Edge, Update, Variable};
use crate::core::{Access, Accesses};
use crate::expression::ExpressionId;
use crate::interval::Interval;
use crate::{Location, word::Instance};
use ir::arena::Id;
use ir::{
    Base, Body, CallOutcome, Condition, EdgeId, ExprId, NodeId, PlaceId, Program, Stmt, Type,
    TypeId, TypeTable, VarId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The interval automaton of a body.
#[derive(Clone, Debug)]
pub struct Abstraction {
    pub automaton: Automaton,
    /// By `VarId`.
    variables: Vec<Option<Variable>>,
    /// The variable of each of the automaton's, but for the last one.
    origins: Vec<VarId>,
    /// What the edges read and write.
    pub(crate) accesses: Arc<[Access]>,
    /// Per node the nodes from which an edge leads to it.
    pub(crate) into: Vec<Vec<NodeId>>,
    /// Per edge where it begins.
    pub(crate) starts: Vec<NodeId>,
}

impl Abstraction {
    pub fn new(types: &TypeTable, body: &Body) -> Abstraction {
        let mut automaton = Automaton::new();
        let mut origins = Vec::new();
        let variables = body
            .vars
            .iter()
            .map(|(id, var)| {
                let range = range(types, var.ty).filter(|_| !var.address_taken)?;
                origins.push(id);
                Some(automaton.add_variable(range))
            })
            .collect();
        let condition = automaton.add_variable(Interval::FULL);
        let mut translation = Translation {
            types,
            body,
            automaton,
            variables,
            condition,
            values: FxHashMap::default(),
        };
        for edge in body.edges().values() {
            let updates = translation.updates(&edge.stmt);
            let updates = updates
                .into_iter()
                .map(|(variable, value)| Update { variable, value });
            let target = Location(edge.to.0);
            translation.automaton.add_edge(target, updates);
        }
        Abstraction {
            automaton: translation.automaton,
            variables: translation.variables,
            origins,
            accesses: Accesses::of_edges(body),
            into: {
                let mut into = vec![Vec::new(); body.node_count as usize];
                for edge in body.edges().values() {
                    into[edge.to.index()].push(edge.from);
                }
                into
            },
            starts: body.edges().values().map(|e| e.from).collect(),
        }
    }

    /// The edge of the automaton, which has the same number.
    pub fn edge(&self, edge: EdgeId) -> Edge {
        Edge(edge.0)
    }

    pub fn word(&self, path: impl IntoIterator<Item = EdgeId>) -> Vec<Edge> {
        path.into_iter().map(|edge| self.edge(edge)).collect()
    }

    /// The automaton's variable for one of the body, if it is followed.
    pub fn variable(&self, var: VarId) -> Option<Variable> {
        self.variables.get(var.index()).copied().flatten()
    }

    /// The body's variable; none for the one that stands for conditions.
    pub fn origin(&self, variable: Variable) -> Option<VarId> {
        self.origins.get(variable.0 as usize).copied()
    }

    /// An instance for people: `x@7`.
    pub fn name(&self, program: &Program, body: &Body, instance: Instance) -> String {
        let name = match self.origin(instance.variable) {
            Some(var) => program.name(body.vars[var].name),
            None => "condition",
        };
        format!("{name}@{}", instance.location.0)
    }
}

/// All values of a type that is followed.
fn range(types: &TypeTable, ty: TypeId) -> Option<Interval> {
    match *types.lookup(ty)? {
        Type::Int { width, signed } if (1..=64).contains(&width) => Some(if signed {
            Interval::new(-(1 << (width - 1)), (1 << (width - 1)) - 1)
        } else {
            Interval::new(0, (1 << width) - 1)
        }),
        Type::Pointer(_) => Some(Interval::at_least(0)),
        _ => None,
    }
}

/// What an edge makes of variables.
type Updates = BTreeMap<Variable, ExpressionId>;

struct Translation<'a> {
    types: &'a TypeTable,
    body: &'a Body,
    automaton: Automaton,
    variables: Vec<Option<Variable>>,
    /// Takes the value of conditions that restrict no variable.
    condition: Variable,
    /// What was translated already, and how large it is as a tree.
    values: FxHashMap<ExprId, (ExpressionId, u32)>,
}

impl Translation<'_> {
    fn range(&self, ty: TypeId) -> Option<Interval> {
        range(self.types, ty)
    }

    fn tracked(&self, var: VarId) -> Option<Variable> {
        self.variables.get(var.index()).copied().flatten()
    }

    fn updates(&mut self, stmt: &Stmt) -> Updates {
        match *stmt {
            Stmt::Assign { place, value } => self.assign(place, value),
            Stmt::Assume(condition) => self.restrict(condition, true),
            Stmt::Check(check) => match self.body.checks[check].condition {
                Condition::Holds(condition) => self.restrict(condition, true),
                _ => Updates::new(),
            },
            Stmt::Havoc { place, .. } => self.forget_place(place),
            Stmt::Declare(var) => self.forget([var]),
            Stmt::LandingPad {
                exception,
                selector,
                ..
            } => self.forget([exception, selector]),
            Stmt::Allocate { var, .. } => {
                let not_null = self.automaton.expressions.constant(Interval::at_least(1));
                self.tracked(var)
                    .map(|variable| (variable, not_null))
                    .into_iter()
                    .collect()
            }
            Stmt::Call(ref call) => match (call.outcome, call.result) {
                // The values are those of when `longjmp` was called, after who knows what.
                (CallOutcome::Again, _) => self.forget(self.body.vars.ids()),
                (CallOutcome::Return, Some(place)) => self.forget_place(place),
                (CallOutcome::Return, None) | (CallOutcome::Unwind, _) => Updates::new(),
            },
            Stmt::Skip
            | Stmt::End(_)
            | Stmt::Copy { .. }
            | Stmt::Fill { .. }
            | Stmt::VaStart(_)
            | Stmt::Resume(_)
            | Stmt::Trap(_) => Updates::new(),
        }
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) -> Updates {
        match self.body.place(place).as_var() {
            Some(var) => match self.tracked(var) {
                Some(variable) => {
                    let value = self.value_within(value, self.automaton.range(variable));
                    Updates::from([(variable, value)])
                }
                None => Updates::new(),
            },
            None => self.forget_place(place),
        }
    }

    /// The place takes any value; so does a variable of which it is a part.
    fn forget_place(&mut self, place: PlaceId) -> Updates {
        match self.body.place(place).base {
            Base::Var(var) => self.forget([var]),
            _ => Updates::new(),
        }
    }

    fn forget(&mut self, vars: impl IntoIterator<Item = VarId>) -> Updates {
        let mut updates = Updates::new();
        for var in vars {
            if let Some(variable) = self.tracked(var) {
                let range = self.automaton.range(variable);
                updates.insert(variable, self.automaton.expressions.constant(range));
            }
        }
        updates
    }
}
