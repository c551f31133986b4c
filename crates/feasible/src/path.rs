//! A path as a formula: the state while a path is walked, and what comes out.
//!
//! [`Path::walk`] executes the edges of a path symbolically, forwards. Along one path points-to is
//! almost always exact, so every load and store is resolved to words of known objects (Orion §3.1:
//! "aliasing information is quite accurate along a single path"), and what is left is a straight
//! line of [`Action`]s over symbols.

use crate::action::Action;
use crate::contents::SourceId;
use crate::exception::Exceptions;
use crate::object::{Object, ObjectId};
use automata::Context;
use ir::{Body, EdgeId, FuncId, Program, VarId};
use logic::{Label, Pool, Sort, Substitution, SymbolId, TermId};
use rustc_hash::FxHashMap;

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A definition: the value of something written at a step.
    Written,
    /// Bytes of an object that the path does not determine: an array, indexed by offset.
    Bytes { source: SourceId, size: u64 },
    /// What a call gave back.
    Result { step: Label },
    /// Whether the allocation at a step gave memory.
    Allocated { step: Label },
    /// Whether the call at a step wrote something.
    Wrote { source: SourceId },
    /// What the front end could not say.
    Havoc { step: Label },
    /// A character that nobody had written when it was looked at.
    Unset { step: Label },
    /// A value that level 2 does not compute; why.
    Opaque(Opaque),
}

/// What level 2 does not compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Opaque {
    /// Floating-point arithmetic.
    Float,
    /// An operator without a bit-vector form here.
    Operator,
    /// A read that could have met too many writes.
    Memory,
    /// A type that does not fit a word.
    Wide,
}

/// Bytes that come from outside of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub object: ObjectId,
    /// The step at which they came to be what they are; none: the function's entry.
    pub step: Option<Label>,
    /// Some of the bytes were never written before.
    pub completes: bool,
    /// Words that stayed what they were: offset, size, word.
    pub kept: Vec<(TermId, u64, crate::contents::Word)>,
}

/// What was not treated exactly, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Approximations {
    /// Case splits on aliases that were made, and that were given up.
    pub splits: u32,
    pub splits_dropped: u32,
    pub opaque: u32,
    /// Calls whose effects and result are unknown, or known by a summary only.
    pub calls: u32,
}

/// What a call (or a havoc, or a landing pad) did, for those who do it again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The callee's body was executed.
    pub entered: bool,
    pub result: Option<TermId>,
    pub freed: Vec<TermId>,
    pub allocated: Option<Allocated>,
}

/// Memory that a call gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocated {
    pub size: Option<TermId>,
    pub zeroed: bool,
    pub family: ir::Family,
    /// Whether there was any; none: always.
    pub given: Option<TermId>,
}

/// One call that is entered, or the function itself.
#[derive(Clone, Debug)]
pub(crate) struct Frame<'p> {
    pub number: u32,
    pub body: &'p Body,
    pub vars: FxHashMap<VarId, ObjectId>,
}

/// A path, while it is walked.
#[derive(Clone)]
pub struct Path<'p> {
    pub context: &'p Context<'p>,
    pub function: FuncId,
    pub pool: Pool,
    pub actions: Vec<Action>,
    /// The tests with all definitions put in: `sp(π, true)`.
    pub facts: Vec<(Label, TermId)>,
    pub objects: Vec<Object>,
    pub sources: Vec<Source>,
    pub meanings: FxHashMap<SymbolId, Meaning>,
    pub approximations: Approximations,
    /// What the steps did that the path does not determine.
    pub records: std::collections::BTreeMap<Label, Record>,
    /// The types of what calls give back.
    pub(crate) result_types: FxHashMap<Label, ir::TypeId>,
    /// What functions gave that give the same in every call.
    pub(crate) same: FxHashMap<ir::FuncId, TermId>,
    /// Bytes of objects that were read or written: object, offset, number.
    pub touched: Vec<(ObjectId, TermId, TermId)>,
    pub(crate) frame: Frame<'p>,
    pub(crate) frames: u32,
    /// Calls that are entered now.
    pub(crate) depth: u32,
    pub(crate) edges: Vec<EdgeId>,
    /// The step that is executed.
    pub(crate) step: Label,
    pub(crate) definitions: Substitution,
    pub(crate) globals: FxHashMap<ir::GlobalId, ObjectId>,
    pub(crate) functions: FxHashMap<FuncId, ObjectId>,
    pub(crate) labels: FxHashMap<FuncId, ObjectId>,
    pub(crate) pointees: FxHashMap<TermId, ObjectId>,
    /// Words, and parts of them, that somebody outside was given; true: code that is not in view.
    pub(crate) outside: FxHashMap<TermId, bool>,
    /// How an address was made: of which pointer, and how far from it.
    pub(crate) splits: FxHashMap<TermId, (TermId, TermId)>,
    /// Pointers that a test found to be equal to an address.
    pub(crate) rebased: FxHashMap<TermId, TermId>,
    /// The array of the words of a size from a source.
    pub(crate) arrays: FxHashMap<(SourceId, u64), TermId>,
    /// Words at known offsets that were read from a source.
    pub(crate) seen: FxHashMap<SourceId, std::collections::BTreeMap<u64, (u64, TermId)>>,
    /// Values that are not computed, so that the same question has the same answer.
    pub(crate) opaque: FxHashMap<(String, Vec<TermId>), TermId>,
    /// The symbols and sources that loops of any number of turns made.
    pub(crate) looped: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>,
    /// The steps at which such loops are left.
    pub(crate) left: Vec<Label>,
    pub(crate) exceptions: Exceptions,
    /// What is known at the beginning.
    pub(crate) start: crate::start::Start,
    /// Calls write only what is near; see [`crate::calm`].
    pub(crate) calm: bool,
    /// A call that is entered has met one that cannot be.
    pub(crate) refused: bool,
    /// What the statements since the last mark have written: for calls that are entered.
    pub(crate) journal: Option<Vec<crate::memory::Written>>,
}

impl<'p> Path<'p> {
    pub fn new(context: &'p Context<'p>, function: FuncId, body: &'p Body) -> Path<'p> {
        let mut path = Path {
            context,
            function,
            pool: Pool::new(),
            actions: Vec::new(),
            facts: Vec::new(),
            objects: Vec::new(),
            sources: Vec::new(),
            meanings: FxHashMap::default(),
            approximations: Approximations::default(),
            records: std::collections::BTreeMap::new(),
            result_types: FxHashMap::default(),
            same: FxHashMap::default(),
            touched: Vec::new(),
            frame: Frame {
                number: 0,
                body,
                vars: FxHashMap::default(),
            },
            frames: 1,
            depth: 0,
            edges: Vec::new(),
            step: 0,
            definitions: Substitution::new(),
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            labels: FxHashMap::default(),
            pointees: FxHashMap::default(),
            outside: FxHashMap::default(),
            splits: FxHashMap::default(),
            rebased: FxHashMap::default(),
            arrays: FxHashMap::default(),
            seen: FxHashMap::default(),
            opaque: FxHashMap::default(),
            looped: Vec::new(),
            left: Vec::new(),
            exceptions: Exceptions::default(),
            start: crate::start::Start::Called,
            calm: false,
            refused: false,
            journal: None,
        };
        // Object 0 is nobody's, so that no object is where null is.
        path.reserve_null();
        path
    }

    /// The path from the function's entry along the edges, the last of which is a check that
    /// fails. The facts are what must be true for that.
    pub fn walk(
        context: &'p Context<'p>,
        function: FuncId,
        body: &'p Body,
        edges: &[EdgeId],
    ) -> Path<'p> {
        let mut path = Path::new(context, function, body);
        path.steps(edges, 0..edges.len());
        path
    }

    /// Executes some edges of a path, until a fact is false.
    pub(crate) fn steps(&mut self, edges: &[EdgeId], range: std::ops::Range<usize>) {
        for step in range {
            if self.is_contradictory() {
                return;
            }
            self.step = step as Label;
            self.edges.truncate(step);
            self.edges.extend(&edges[self.edges.len()..=step]);
            if !self.edge(edges[step], step + 1 == edges.len()) {
                let never = self.pool.truth(false);
                self.assume(never);
            }
        }
    }

    /// The same state, for a pool that is handed over.
    pub(crate) fn clone_without_pool(&mut self) -> Path<'p> {
        let pool = std::mem::take(&mut self.pool);
        let copy = self.clone();
        self.pool = pool;
        copy
    }

    /// Some fact is false, whatever the symbols are.
    pub fn is_contradictory(&self) -> bool {
        self.facts
            .last()
            .is_some_and(|(_, t)| self.pool.as_bool(*t) == Some(false))
    }

    pub(crate) fn program(&self) -> &'p Program {
        self.context.program
    }

    /// A new unknown.
    pub fn fresh(&mut self, sort: Sort, meaning: Meaning) -> TermId {
        if matches!(meaning, Meaning::Opaque(_)) {
            self.approximations.opaque += 1;
        }
        let term = self.pool.fresh(sort);
        if let Some(symbol) = self.pool.as_symbol(term) {
            self.meanings.insert(symbol, meaning);
        }
        term
    }

    /// The term with all definitions put in.
    pub fn expand(&mut self, term: TermId) -> TermId {
        self.definitions.apply(&mut self.pool, term)
    }

    /// The path goes on only if this holds.
    pub fn assume(&mut self, test: TermId) {
        let fact = self.expand(test);
        let (test, fact) = match self.is_too_old(fact) {
            true => (self.pool.truth(false), self.pool.truth(false)),
            false => (test, fact),
        };
        if self.pool.as_bool(fact) == Some(true) {
            return;
        }
        self.actions.push(Action::Assume(self.step, test));
        self.facts.push((self.step, fact));
        self.learn(fact);
    }

    /// A name for a value, if it is worth one.
    pub(crate) fn name(&mut self, term: TermId) -> TermId {
        let sort = self.pool.sort(term);
        if self.pool.as_bits(term).is_some()
            || self.pool.as_bool(term).is_some()
            || self.pool.as_symbol(term).is_some()
            || matches!(self.pool.node(term), logic::Node::Select { .. })
        {
            return term;
        }
        let expanded = self.expand(term);
        let named = self.fresh(sort, Meaning::Written);
        if let Some(symbol) = self.pool.as_symbol(named) {
            self.definitions.define(symbol, expanded);
            self.actions.push(Action::Define(symbol, term));
        }
        named
    }

    /// A value that is not computed: unknown, but the same for the same operands.
    pub(crate) fn opaque(
        &mut self,
        why: Opaque,
        what: &str,
        operands: &[TermId],
        sort: Sort,
    ) -> TermId {
        let operands: Vec<TermId> = operands.iter().map(|t| self.expand(*t)).collect();
        let key = (format!("{what}:{sort:?}"), operands);
        if let Some(&known) = self.opaque.get(&key) {
            return known;
        }
        let term = self.fresh(sort, Meaning::Opaque(why));
        self.opaque.insert(key, term);
        term
    }

    pub(crate) fn word64(&mut self, value: u64) -> TermId {
        self.pool.bits(64, u128::from(value))
    }
}

impl Path<'_> {
    /// Were pointers taken apart by what tests said of them? Then the formula of a step depends on tests
    /// that a core need not name.
    pub fn is_rebased(&self) -> bool {
        !self.rebased.is_empty()
    }

    /// The edge of a step that was executed.
    pub fn edge_at(&self, step: Label) -> Option<EdgeId> {
        self.edges.get(step as usize).copied()
    }

    /// The body whose path it is; of a call that is entered, that one's.
    pub fn body(&self) -> &Body {
        self.frame.body
    }

    /// The object of a variable of the function, if the path met it.
    pub fn object_of(&self, var: VarId) -> Option<ObjectId> {
        self.frame.vars.get(&var).copied()
    }
}
