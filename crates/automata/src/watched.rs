//! The product of level 1's automata with the observers of one error (path reduction, §4.1).
//!
//! A state is one of level 1, and what the observers have seen of the path; a path that one of them accepts
//! ends there. The two parts move on their own: what becomes of level 1's part is kept ([`Known`]) for the
//! next search, and only the observers are stepped again.

use crate::graph::Graph;
use crate::space::{Errors, Product};
use crate::state::State;
use ir::arena::Id;
use ir::{CheckId, EdgeId};
use reduction::{Watch, Watched};
use rustc_hash::{FxHashMap, FxHasher};
use search::{Space, Successor};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A state of level 1, and what was seen by the observers, if there are any.
#[derive(Clone, Debug)]
pub struct Observed {
    pub state: State,
    seen: Option<Rc<Watched>>,
}

/// What became of a state on the ways to the next locations.
struct Onward {
    state: State,
    /// The check that is asked for lies on the way, and is not implied.
    doubted: bool,
    leaves: Vec<(EdgeId, usize, State)>,
}

/// Location, the check that is asked on the way, and a hash of the state.
type Key = (usize, Option<CheckId>, u64);

/// What became of states.
#[derive(Default)]
pub struct Known(FxHashMap<Key, SmallVec<[Rc<Onward>; 1]>>);

impl Known {
    fn find(&self, key: Key, state: &State) -> Option<Rc<Onward>> {
        let here = self.0.get(&key)?;
        here.iter().find(|o| o.state == *state).map(Rc::clone)
    }
}

/// The product, for one check.
pub struct Watching<'a, 'p> {
    pub product: Product<'a, 'p>,
    check: CheckId,
    edge: EdgeId,
    /// The location from which the check comes before the next one.
    home: Option<usize>,
    /// Nodes from which the check can be reached.
    within: Vec<bool>,
    watch: Option<&'a Watch>,
    known: &'a mut Known,
    /// The check was not implied by some state that a run may have.
    pub doubted: bool,
}

impl<'a, 'p> Watching<'a, 'p> {
    pub fn new(
        product: Product<'a, 'p>,
        (check, edge): (CheckId, EdgeId),
        within: Vec<bool>,
        watch: Option<&'a Watch>,
        known: &'a mut Known,
    ) -> Watching<'a, 'p> {
        let (graph, body) = (product.graph, product.automata.frame.body);
        let first = graph.path_to(body, edge).first().copied();
        Watching {
            home: first.and_then(|e| graph.location(body.edges()[e].from)),
            product,
            check,
            edge,
            within,
            watch,
            known,
            doubted: false,
        }
    }

    /// What becomes of a state of level 1.
    fn onward(&mut self, at: usize, state: &State) -> Rc<Onward> {
        let asked = (self.home == Some(at)).then_some(self.check);
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        let key = (at, asked, hasher.finish());
        if let Some(known) = self.known.find(key, state) {
            return known;
        }
        self.product.errors = asked.map_or(Errors::None, Errors::Of);
        self.product.doubted = false;
        let mut leaves = Vec::new();
        let leave = |label, at, state| leaves.push((label, at, state));
        self.product.expand(at, state.clone(), leave);
        let onward = Rc::new(Onward {
            state: state.clone(),
            doubted: self.product.doubted,
            leaves,
        });
        let here = self.known.0.entry(key).or_default();
        here.push(Rc::clone(&onward));
        onward
    }

    /// What the observers have seen behind these edges; none if no run goes there.
    fn step(&self, seen: &Option<Rc<Watched>>, edges: &[EdgeId]) -> Option<Option<Rc<Watched>>> {
        let (Some(watch), Some(seen)) = (self.watch, seen) else {
            return Some(None);
        };
        let mut now: Option<Watched> = None;
        for edge in edges {
            if watch.is_relevant(*edge) {
                now = Some(watch.step(now.as_ref().unwrap_or(seen), *edge)?);
            }
        }
        Some(Some(now.map_or_else(|| Rc::clone(seen), Rc::new)))
    }

    /// Do they let the check fail on the way from a location?
    fn may_fail(&self, graph: &Graph, seen: &Option<Rc<Watched>>) -> bool {
        let way = graph.path_to(self.product.automata.frame.body, self.edge);
        match (self.watch, self.step(seen, &way[..way.len() - 1])) {
            (_, None) => false,
            (Some(watch), Some(Some(seen))) => watch.may_fail(&seen),
            (_, Some(_)) => true,
        }
    }

    /// What matters at a location of what was seen.
    fn relevant(&self, at: usize, seen: Option<Rc<Watched>>) -> Option<Rc<Watched>> {
        let (watch, seen) = (self.watch?, seen?);
        let graph = self.product.graph;
        let dead = |v| !graph.is_live(at, v);
        Some(Rc::new(watch.forget(&seen, graph.locations[at], dead)))
    }
}

impl Space for Watching<'_, '_> {
    type State = Observed;
    type Label = EdgeId;

    fn locations(&self) -> usize {
        self.product.locations()
    }

    fn initial(&mut self, out: &mut Vec<(usize, Observed)>) {
        let mut plain = Vec::new();
        self.product.initial(&mut plain);
        let seen = self.watch.map(|watch| Rc::new(watch.initial()));
        out.extend(plain.into_iter().map(|(at, state)| {
            let seen = seen.clone();
            (at, Observed { state, seen })
        }));
    }

    fn successors(
        &mut self,
        at: usize,
        from: &Observed,
        out: &mut Vec<Successor<EdgeId, Observed>>,
    ) {
        if at >= self.product.graph.locations.len() {
            return;
        }
        let onward = self.onward(at, &from.state);
        let (graph, body) = (self.product.graph, self.product.automata.frame.body);
        let fails = onward.doubted && self.may_fail(graph, &from.seen);
        self.doubted |= fails;
        for (label, to, state) in &onward.leaves {
            let seen = match graph.locations.get(*to) {
                None if fails => None,
                Some(node) if self.within[node.index()] => {
                    match self.step(&from.seen, &graph.path_to(body, *label)) {
                        Some(seen) => self.relevant(*to, seen),
                        None => continue,
                    }
                }
                _ => continue,
            };
            out.push(Successor {
                label: *label,
                at: *to,
                state: Observed {
                    state: state.clone(),
                    seen,
                },
            });
        }
    }

    fn is_error(&self, at: usize, observed: &Observed) -> bool {
        self.product.is_error(at, &observed.state)
    }

    fn covers(&self, at: usize, by: &Observed, observed: &Observed) -> bool {
        let seen = match (self.watch, &by.seen, &observed.seen) {
            (Some(watch), Some(by), Some(seen)) => Rc::ptr_eq(by, seen) || watch.covers(by, seen),
            _ => true,
        };
        seen && self.product.covers(at, &by.state, &observed.state)
    }

    fn difference(&self, _: usize, _: &Observed, _: &Observed) -> Option<Vec<Observed>> {
        None
    }

    fn merge(&mut self, at: usize, reached: &Observed, new: &Observed, times: u32) -> Observed {
        // Who has seen nothing refuses least.
        let seen = match reached.seen == new.seen {
            true => new.seen.clone(),
            false => self.watch.map(|watch| Rc::new(watch.blank())),
        };
        Observed {
            state: self.product.merge(at, &reached.state, &new.state, times),
            seen,
        }
    }

    fn class(&self, at: usize, observed: &Observed) -> u64 {
        let mut hasher = FxHasher::default();
        (self.product.class(at, &observed.state), &observed.seen).hash(&mut hasher);
        hasher.finish()
    }

    fn is_loop_head(&self, at: usize) -> bool {
        self.product.is_loop_head(at)
    }

    fn widen(&mut self, at: usize, earlier: &Observed, observed: Observed, times: u32) -> Observed {
        Observed {
            state: (self.product).widen(at, &earlier.state, observed.state, times),
            seen: observed.seen,
        }
    }

    fn rank(&self, at: usize) -> u32 {
        self.product.rank(at)
    }
}
