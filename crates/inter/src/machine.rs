//! What is analysed: a recursive state machine, and the property it is held against (§2).
//!
//! A [`Machine`] has functions; a function is a graph ([`Shape`]) whose edges are statements or
//! calls. A [`Property`] is the checking automaton: its states move along statements. What
//! the paper leaves out "for simplicity of exposition" is here: a call maps the caller's state to
//! what the callee observes of it ([`Property::enter`]) and back ([`Property::leave`]), has one
//! or several targets, and may come back by a second, exceptional exit. There may be several roots.
//!
//! Two versions of a program are compared by [`EdgeKey`]s. A key stands for everything that a
//! transition along the edge depends on: equal keys promise that `step`, `enter` and `leave` give
//! the same for the same states. Function ids must mean the same function in both versions;
//! node and edge ids need not mean anything from one version to the next. A change of the *property*
//! is told by keys as well: whatever it reads beside the statement (options, models, types) belongs
//! into the key of the edges that it is read for.

use serde::{Deserialize, Serialize};
use std::hash::Hash;
use std::sync::Arc;

/// A function. Ids are dense, and keep their function from one version of a program to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionId(pub u32);

/// A control location of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// An edge of one function: its index in [`Shape::edges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EdgeId(pub u32);

/// The content of an edge, without where it leads: a hash of its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EdgeKey(pub u128);

/// How a function comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Exit {
    /// By its exit node, to the target of the call.
    Normal,
    /// By its exceptional exit node, to the place where the call unwinds to.
    Exceptional,
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Action {
    /// A simple statement: the automaton moves by [`Property::step`].
    Statement,
    /// A call of any of `targets`. A target that the machine has no shape for is never entered.
    Call {
        /// Sorted, each once ([`Shape::new`] sees to it).
        targets: Vec<FunctionId>,
        /// Where an exceptional return goes; nowhere if `None`. To hand it on to the own
        /// caller, name the own exceptional exit.
        unwind: Option<NodeId>,
    },
}

/// An edge of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// Where it begins.
    pub source: NodeId,
    /// Where it leads.
    pub target: NodeId,
    /// Its content.
    pub key: EdgeKey,
    /// What it does.
    pub action: Action,
}

impl Edge {
    /// Where control is after coming back from a callee by `exit`.
    pub fn after(&self, exit: Exit) -> Option<NodeId> {
        match (exit, &self.action) {
            (Exit::Normal, _) => Some(self.target),
            (Exit::Exceptional, Action::Call { unwind, .. }) => *unwind,
            (Exit::Exceptional, Action::Statement) => None,
        }
    }

    /// The functions it may call.
    pub fn targets(&self) -> &[FunctionId] {
        match &self.action {
            Action::Statement => &[],
            Action::Call { targets, .. } => targets,
        }
    }
}

/// Why a [`Shape`] cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// A node id is not smaller than the number of nodes.
    NoSuchNode(NodeId),
    /// An edge leaves an exit (the paper's `E ⊆ (N ∖ {↑}) × Σ′ × N`).
    LeavesExit(NodeId),
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Malformed::NoSuchNode(node) => write!(out, "there is no node {}", node.0),
            Malformed::LeavesExit(node) => write!(out, "an edge leaves the exit {}", node.0),
        }
    }
}

impl std::error::Error for Malformed {}

/// The control-flow graph of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    entry: NodeId,
    exit: NodeId,
    exceptional: Option<NodeId>,
    edges: Vec<Edge>,
    /// The edges out of node `n` are `first[n]..first[n + 1]`.
    first: Vec<u32>,
}

impl Shape {
    /// A function with nodes `0..nodes`. Edges are ordered by their source, and stay in the given
    /// order where that is the same.
    pub fn new(
        nodes: u32,
        entry: NodeId,
        exit: NodeId,
        exceptional: Option<NodeId>,
        mut edges: Vec<Edge>,
    ) -> Result<Shape, Malformed> {
        let known = |node: NodeId| match node.0 < nodes {
            true => Ok(()),
            false => Err(Malformed::NoSuchNode(node)),
        };
        known(entry)?;
        known(exit)?;
        exceptional.map_or(Ok(()), known)?;
        for edge in &mut edges {
            known(edge.source)?;
            known(edge.target)?;
            if edge.source == exit || Some(edge.source) == exceptional {
                return Err(Malformed::LeavesExit(edge.source));
            }
            if let Action::Call { targets, unwind } = &mut edge.action {
                unwind.map_or(Ok(()), known)?;
                targets.sort_unstable();
                targets.dedup();
            }
        }
        edges.sort_by_key(|edge| edge.source);
        let first = (0..=nodes)
            .map(|node| edges.partition_point(|edge| edge.source.0 < node) as u32)
            .collect();
        Ok(Shape {
            entry,
            exit,
            exceptional,
            edges,
            first,
        })
    }

    /// Where a call begins (the paper's ↓).
    pub fn entry(&self) -> NodeId {
        self.entry
    }

    /// Which exit `node` is, if it is one (the paper's ↑).
    pub fn exit_at(&self, node: NodeId) -> Option<Exit> {
        if node == self.exit {
            Some(Exit::Normal)
        } else if Some(node) == self.exceptional {
            Some(Exit::Exceptional)
        } else {
            None
        }
    }

    /// The node of an exit.
    pub fn exit(&self, exit: Exit) -> Option<NodeId> {
        match exit {
            Exit::Normal => Some(self.exit),
            Exit::Exceptional => self.exceptional,
        }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    /// All edges, by source.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// An edge of this function.
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.0 as usize]
    }

    /// The edges out of a node.
    pub fn outgoing(&self, node: NodeId) -> impl Iterator<Item = EdgeId> + use<> {
        let at = node.0 as usize;
        (self.first[at]..self.first[at + 1]).map(EdgeId)
    }
}

/// An edge of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Whose edge.
    pub function: FunctionId,
    /// Which edge.
    pub edge: EdgeId,
}

/// A recursive state machine: a set of functions that call each other.
pub trait Machine {
    /// Function ids are smaller than this.
    fn functions(&self) -> usize;
    /// The graph of a function; `None` if there is no function of this id (any more, or yet).
    fn shape(&self, function: FunctionId) -> Option<&Arc<Shape>>;
    /// The functions that are called from outside. Those without a shape are ignored.
    fn roots(&self) -> Vec<FunctionId>;
}

/// The checking automaton. Its transitions are computed on the fly, and may be expensive: the algorithms
/// of this crate ask for each at most once for a location and a state, and never for what is
/// recorded already. All methods must be pure, up to the content of the edge (see [`EdgeKey`]).
pub trait Property {
    /// A state of the automaton.
    type State: Clone + Eq + Hash + Ord;

    /// The states in which a root is entered from outside.
    fn initial(&self, root: FunctionId) -> Vec<Self::State>;
    /// Δ: the states after a statement.
    fn step(&self, state: &Self::State, at: Place) -> Vec<Self::State>;
    /// The state in which `callee` is entered: the projection of the caller's state onto what the
    /// callee can observe. `None` if this call never happens in this state.
    fn enter(&self, state: &Self::State, at: Place, callee: FunctionId) -> Option<Self::State>;
    /// `false` promises that [`enter`](Property::enter) gives `None` for this state and callee, whatever the edge:
    /// then nothing is asked, and nothing recorded. For calls of many targets of which a state means few.
    fn may_enter(&self, state: &Self::State, callee: FunctionId) -> bool {
        let _ = (state, callee);
        true
    }
    /// The caller's state after the call, from its state before and the callee's at its exit.
    fn leave(
        &self,
        before: &Self::State,
        at: Place,
        callee: FunctionId,
        exit: Exit,
        state: &Self::State,
    ) -> Option<Self::State>;
    /// Whether a run that is in this state has found an error.
    fn is_rejecting(&self, state: &Self::State) -> bool;
    /// An upper bound of several states, which are sorted and each given once: `covers(merge(x), s)`
    /// for all `s` of `x`. Chains of ever larger bounds must end.
    fn merge(&self, states: &[Self::State]) -> Self::State;
    /// Whether `bound` stands for `state` too.
    fn covers(&self, bound: &Self::State, state: &Self::State) -> bool;
}

/// What bounds an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// A function that is entered in more states than this is analysed once, in their merge.
    pub contexts: Option<usize>,
}

/// What an analysis took. Numbers, not times: they are the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Calls of [`Property::step`].
    pub steps: u64,
    /// Calls of [`Property::enter`].
    pub enters: u64,
    /// Calls of [`Property::leave`].
    pub leaves: u64,
    /// Configurations taken from the workset.
    pub configurations: u64,
    /// Functions whose derivations were generated or checked, counted once in each round.
    pub functions: u64,
    /// Rounds (see the crate's section on contexts).
    pub rounds: u64,
}

impl Counts {
    /// All transitions of the automaton that were computed.
    pub fn transitions(&self) -> u64 {
        self.steps + self.enters + self.leaves
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.steps += other.steps;
        self.enters += other.enters;
        self.leaves += other.leaves;
        self.configurations += other.configurations;
        self.functions += other.functions;
        self.rounds += other.rounds;
    }
}
