//! A body and the automata as a space to search: the product of §2.2.
//!
//! Locations are those of the [`Graph`], and behind them one for each check: being there is
//! being in a rejecting state.

use crate::Automata;
use crate::checks::Answer;
use crate::expansions::{Expansion, Expansions, Told};
use crate::graph::Graph;
use crate::project::Calls;
use crate::reach::Reach;
use crate::state::State;
use domain::{CellId, Definition, Number};
use ir::arena::Id;
use ir::{CheckId, EdgeId, NodeId, Stmt};
use search::{Space, Successor};
use std::cell::Cell;
use std::hash::{Hash, Hasher};

/// Which failing checks are errors of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    None,
    All,
    Of(CheckId),
}

pub struct Product<'a, 'p> {
    pub automata: &'a mut Automata<'p>,
    pub graph: &'a Graph,
    pub errors: Errors,
    /// What checks were answered, the worst of all states; empty: not asked for.
    pub answers: Vec<Option<Answer>>,
    /// What becomes of states is kept here, if anything is; then every check is asked, but what it
    /// answers is kept here only.
    pub expansions: Option<Expansions>,
    /// Checks and calls are asked.
    asking: bool,
    /// In which states calls enter functions.
    pub calls: Calls,
    /// What was answered on the way.
    told: Told,
    reach: Reach,
    /// Nodes that matter; none: all.
    pub within: Option<Vec<bool>>,
    /// A check whose failing is an error was not implied by some state.
    pub doubted: bool,
    /// Edges executed.
    pub steps: usize,
    /// Turns of a loop that are kept as they are before states are widened.
    pub turns: u32,
    /// Some loop took more.
    pub turned_more: bool,
    /// The number in which the last two states differed that were compared.
    differed: Cell<Option<CellId>>,
}

/// Widening: merges at a loop head before bounds jump, and before they jump over all thresholds.
const JOINS: u32 = 1;
const JUMPS: u32 = 3;
/// Turns of a loop that may leave a note which is not joined with the state before.
const NOTED: u32 = 16;

impl<'a, 'p> Product<'a, 'p> {
    pub fn new(automata: &'a mut Automata<'p>, graph: &'a Graph, errors: Errors) -> Self {
        Product {
            automata,
            graph,
            errors,
            answers: Vec::new(),
            expansions: None,
            asking: false,
            calls: Calls::default(),
            told: Told::default(),
            reach: Reach::default(),
            within: None,
            doubted: false,
            steps: 0,
            turns: 0,
            turned_more: false,
            differed: Cell::new(None),
        }
    }

    /// Asks every check that is passed from here on, and in which state every call enters its callee.
    pub fn ask(&mut self) {
        self.asking = true;
        self.answers = vec![None; self.automata.frame.body.checks.len()];
    }

    /// Takes answers into account.
    pub fn note(&mut self, told: &Told) {
        for &(check, answer) in &told.answers {
            let slot = &mut self.answers[check.index()];
            *slot = Some(slot.map_or(answer, |a| a.max(answer)));
        }
        for entered in &told.entered {
            self.calls.note(entered);
        }
    }

    /// Runs from a location to the next ones.
    pub fn expand(&mut self, at: usize, state: State, leave: impl FnMut(EdgeId, usize, State)) {
        self.follow(at, state, leave);
        let mut told = std::mem::take(&mut self.told);
        self.note(&told);
        told.answers.clear();
        told.entered.clear();
        self.told = told;
    }

    /// The same; what checks answer is left in `told`.
    fn follow(&mut self, at: usize, state: State, mut leave: impl FnMut(EdgeId, usize, State)) {
        let body = self.automata.frame.body;
        let Some(&start) = self.graph.locations.get(at) else {
            return;
        };
        let asked = self.asking || self.expansions.is_some();
        let mut stack: Vec<(NodeId, State)> = vec![(start, state)];
        while let Some((node, state)) = stack.pop() {
            if self.within.as_ref().is_some_and(|w| !w[node.index()]) {
                continue;
            }
            let mut edges = body.out_edges(node).peekable();
            let mut state = Some(state);
            let pushed = stack.len();
            while let Some((id, edge)) = edges.next() {
                let st = if edges.peek().is_some() {
                    state.clone()
                } else {
                    state.take()
                };
                let Some(mut st) = st else { break };
                self.steps += 1;
                if let Stmt::Check(check) = edge.stmt {
                    let wanted = match self.errors {
                        Errors::None => false,
                        Errors::All => true,
                        Errors::Of(c) => c == check,
                    };
                    if asked || wanted {
                        let answer = self.automata.answer(&mut st, check);
                        if asked {
                            self.told.answers.push((check, answer));
                        }
                        let doubted = wanted && answer != Answer::Holds;
                        self.doubted |= doubted;
                        if doubted && answer == Answer::Fails {
                            leave(id, self.graph.locations.len() + check.index(), st.clone());
                        }
                        if answer == Answer::Holds {
                            // Nothing to learn from what is implied, but a fact to remember.
                            self.automata.remember(&mut st, check);
                            match self.graph.location(edge.to) {
                                Some(to) => leave(id, to, self.at_location(to, st)),
                                None => stack.push((edge.to, st)),
                            }
                            continue;
                        }
                    }
                }
                if asked && let Stmt::Call(call) = &edge.stmt {
                    let entered = &mut self.told.entered;
                    self.automata.enters(&st, id, call, |e| entered.push(e));
                }
                if self.automata.step(&mut st, id) {
                    match self.graph.location(edge.to) {
                        Some(to) => leave(id, to, self.at_location(to, st)),
                        None => stack.push((edge.to, st)),
                    }
                }
            }
            stack[pushed..].reverse();
        }
    }

    /// What no path from here reads is dropped: states that differ only there are equal.
    fn at_location(&mut self, at: usize, mut st: State) -> State {
        let frame = &self.automata.frame;
        self.reach.forget_garbage(frame, self.graph, at, &mut st);
        st
    }
}

impl Space for Product<'_, '_> {
    type State = State;
    type Label = EdgeId;

    fn locations(&self) -> usize {
        self.graph.locations.len() + self.automata.frame.body.checks.len()
    }

    fn initial(&mut self, out: &mut Vec<(usize, State)>) {
        let entry = self.automata.frame.body.entry;
        let state = self.automata.entry_state();
        if let Some(at) = self.graph.location(entry) {
            out.push((at, state));
        }
    }

    fn successors(&mut self, at: usize, state: &State, out: &mut Vec<Successor<EdgeId, State>>) {
        let leave = |label, at, state| out.push(Successor { label, at, state });
        if self.expansions.is_none() {
            return self.expand(at, state.clone(), leave);
        }
        self.follow(at, state.clone(), leave);
        let expansion = Expansion {
            state: state.clone(),
            told: std::mem::take(&mut self.told),
            leaves: out.iter().map(|s| (s.at, s.state.clone())).collect(),
        };
        let class = self.class(at, state);
        if let Some(expansions) = &mut self.expansions {
            expansions.keep(at, class, expansion);
        }
    }

    fn is_error(&self, at: usize, _: &State) -> bool {
        at >= self.graph.locations.len()
    }

    fn covers(&self, _: usize, by: &State, state: &State) -> bool {
        by.covers_remembering(state, &self.differed)
    }

    fn difference(&self, _: usize, state: &State, reached: &State) -> Option<Vec<State>> {
        state.difference(reached)
    }

    fn merge(&mut self, at: usize, reached: &State, state: &State, times: u32) -> State {
        let merged = if at < self.graph.locations.len() && self.graph.is_loop_head(at) {
            self.widened(reached, state, times)
        } else {
            reached.join(state)
        };
        debug_assert!(merged.covers(state), "{}", uncovered(&merged, state));
        debug_assert!(merged.covers(reached), "{}", uncovered(&merged, reached));
        merged
    }

    fn class(&self, at: usize, state: &State) -> u64 {
        if at >= self.graph.locations.len() {
            return 0;
        }
        class(self.graph, at, state)
    }

    fn is_loop_head(&self, at: usize) -> bool {
        at < self.graph.locations.len() && self.graph.is_loop_head(at)
    }

    fn widen(&mut self, at: usize, earlier: &State, state: State, times: u32) -> State {
        // What a turn has noted is what the next one finds: joined with the state before, in which
        // nothing is noted, nobody would know from which variable it was.
        if times < self.turns.saturating_add(NOTED)
            && self.notes(at, earlier, &state)
            && self.class(at, earlier) != self.class(at, &state)
        {
            return state;
        }
        match times.checked_sub(self.turns) {
            Some(times) => {
                self.turned_more = true;
                self.widened(earlier, &state, times)
            }
            None => state,
        }
    }

    fn rank(&self, at: usize) -> u32 {
        at as u32
    }
}

impl Product<'_, '_> {
    /// Is something that a check is still to see a copy now, and was none of it before, or a flag that
    /// was not set?
    fn notes(&self, at: usize, earlier: &State, state: &State) -> bool {
        self.graph.checked_later(at).any(|v| {
            let cell = CellId::whole(domain::ObjectId(v.0));
            let of = state.copies.get(cell);
            of.is_some() && of != earlier.copies.get(cell)
                || self.graph.is_flag(v) && is_set(earlier.bounds.get(cell), state.bounds.get(cell))
        })
    }

    fn widened(&self, old: &State, new: &State, times: u32) -> State {
        if times < JOINS {
            old.join(new)
        } else if times < JUMPS {
            old.widen(new, &self.automata.thresholds)
        } else {
            old.widen(new, &[])
        }
    }
}

/// Was a flag 0, and may it be 1 now?
fn is_set(before: Option<&Number>, now: Option<&Number>) -> bool {
    let (Some(before), Some(now)) = (before, now) else {
        return false;
    };
    before.as_constant() == Some(0) && now.low >= 0 && now.high == 1
}

/// States are kept apart by what an error automaton would say: which variables that a check is
/// still to see are undefined, and which are null, or zero. (This is property simulation: merge
/// what the property cannot tell apart.)
pub fn class(graph: &Graph, at: usize, state: &State) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    // From the return on what decides is the result, and for whom it is so.
    for v in graph.checked_later(at).chain(graph.told(at)) {
        let cell = CellId::whole(domain::ObjectId(v.0));
        for cell in [cell, CellId::rest(cell.object())] {
            if let Some(def) = state.definedness.get(cell)
                && *def != Definition::Defined
            {
                (v.0, 1u8, *def as u8).hash(&mut hasher);
            }
        }
        if let Some(p) = state.pointers.get(cell) {
            if p.null.may_be_null != p.null.may_be_valid {
                (v.0, 2u8, p.null.may_be_null).hash(&mut hasher);
            }
            let content = p.targets.single().map(CellId::rest);
            if let Some(def) = content.and_then(|rest| state.definedness.get(rest)) {
                (v.0, 4u8, *def as u8).hash(&mut hasher);
            }
        }
        if let Some(n) = state.bounds.get(cell) {
            let zero = n.low == 0 && n.high == 0;
            if zero || n.high < 0 {
                (v.0, 3u8, zero).hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

/// What one state does not cover of another, for whoever looks for the reason.
fn uncovered(by: &State, state: &State) -> String {
    use domain::Lattice;
    fn first<V: Lattice + std::fmt::Debug>(
        by: &domain::CowMap<CellId, V>,
        of: &domain::CowMap<CellId, V>,
    ) -> Option<String> {
        let mut found = None;
        by.all_pairs(of, |cell, _, _| {
            let (a, b) = (by.value(cell), of.value(cell));
            if !a.covers(&b) {
                found = Some(format!("{cell:?}: {a:?} does not cover {b:?}"));
            }
            found.is_none()
        });
        found
    }
    first(&by.bounds, &state.bounds)
        .or_else(|| first(&by.pointers, &state.pointers))
        .or_else(|| first(&by.definedness, &state.definedness))
        .unwrap_or_else(|| "flags, facts, lifetimes or escaped objects".to_string())
}
