//! The shortest way to an error, with matched calls and returns.
//!
//! Within a function, the way to a configuration is a chain of derivations from its entry; where one
//! passes a call, the way through the callee stands in between. Before that come the calls
//! that are still open at the error, each with the way to it. `lengths` has measured all that.
//!
//! Lengths are unique. Where several ways have the shortest one, the least is taken by *content*
//! (nodes, states, edges), so that the path does not depend on how the graph came about.

use crate::graph::{Configuration, PointId, StateId, Transition};
use crate::lengths::{Length, Origin, Paths, Spot};
use crate::machine::{EdgeId, Exit, FunctionId, Place};
use std::hash::Hash;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<S> {
    /// A statement, and the state after it.
    Statement {
        /// The edge.
        at: Place,
        /// The state after it.
        state: S,
    },
    /// A call goes into its callee. If no `Leave` matches, the error is inside.
    Enter {
        /// The call.
        at: Place,
        /// Who is entered.
        callee: FunctionId,
        /// The callee's entry state.
        state: S,
    },
    /// The callee that was entered last comes back.
    Leave {
        /// The call.
        at: Place,
        /// Who comes back.
        callee: FunctionId,
        /// How.
        exit: Exit,
        /// The caller's state after the call.
        state: S,
    },
    /// A call and its return, without what is between: the path would be too long.
    Over {
        /// The call.
        at: Place,
        /// Who is called.
        callee: FunctionId,
        /// How it comes back.
        exit: Exit,
        /// The caller's state after the call.
        state: S,
    },
}

/// A path from outside to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<S> {
    /// The function that is entered from outside.
    pub root: FunctionId,
    /// Its entry state.
    pub state: S,
    /// How many steps there are, if no call is passed over.
    pub length: Length,
    /// The steps.
    pub steps: Vec<Step<S>>,
}

impl<'a, S: Clone + Eq + Hash + Ord> Paths<'a, S> {
    /// The shortest path to a configuration; `None` if there is none. If it has more than `longest`
    /// steps, calls that come back are passed over.
    pub fn to(&self, error: &Configuration<S>, longest: Length) -> Option<Path<S>> {
        let part = self.parts.get(error.function.0 as usize)?;
        let root = *part.entries.get(&error.root)?;
        let state = part.graph.states.iter().position(|s| *s == error.state)?;
        let point = part.points.get(&(error.node, StateId(state as u32)))?;
        let spot = (*point, root);
        let outside = *part.outside.get(&root)?;
        let length = outside.saturating_add(*part.inside.get(&spot)?);
        if length == Length::MAX {
            return None;
        }
        let mut open = vec![(error.function, spot, None)];
        let (mut function, mut entry) = (error.function, root);
        while *self.part(function).outside.get(&entry)? > 0 {
            let (caller, spot, transition) = self.caller(function, entry)?;
            open.push((caller, spot, Some(transition)));
            (function, entry) = (caller, spot.1);
        }
        let mut steps = Vec::new();
        for (function, spot, transition) in open.into_iter().rev() {
            self.inside(function, spot, length <= longest, &mut steps)?;
            if let Some(transition) = transition {
                steps.push(self.entering(function, spot.0, transition)?);
            }
        }
        Some(Path {
            root: function,
            state: self.part(function).graph.state(entry).clone(),
            length,
            steps,
        })
    }

    /// The least of the shortest ways to enter (f, r).
    fn caller(&self, function: FunctionId, entry: StateId) -> Option<(FunctionId, Spot, usize)> {
        let wanted = *self.part(function).outside.get(&entry)?;
        let all = self.callers.get(&(function, entry))?.iter();
        let shortest = all.filter(|(caller, spot, _)| {
            let part = self.part(*caller);
            match (part.outside.get(&spot.1), part.inside.get(spot)) {
                (Some(o), Some(i)) => o.saturating_add(*i).saturating_add(1) == wanted,
                _ => false,
            }
        });
        let least = shortest.min_by_key(|(caller, (point, root), transition)| {
            let graph = self.part(*caller).graph;
            let at = graph.point(*point);
            let states = (graph.state(*root), graph.state(at.state));
            (*caller, at.node, states, *transition)
        });
        least.copied()
    }

    fn entering(&self, function: FunctionId, point: PointId, transition: usize) -> Option<Step<S>> {
        let graph = self.part(function).graph;
        match &graph.point(point).transitions[transition] {
            Transition::Call {
                edge,
                callee,
                entry,
                ..
            } => Some(Step::Enter {
                at: Place {
                    function,
                    edge: *edge,
                },
                callee: *callee,
                state: graph.state((*entry)?).clone(),
            }),
            Transition::Step { .. } => None,
        }
    }

    /// Adds the way from the entry of a function to one of its configurations.
    fn inside(
        &self,
        function: FunctionId,
        spot: Spot,
        expand: bool,
        steps: &mut Vec<Step<S>>,
    ) -> Option<()> {
        enum Task<S> {
            Way(FunctionId, Spot),
            Step(Step<S>),
        }
        let mut tasks = vec![Task::Way(function, spot)];
        while let Some(task) = tasks.pop() {
            let (function, (mut point, root)) = match task {
                Task::Step(step) => {
                    steps.push(step);
                    continue;
                }
                Task::Way(function, spot) => (function, spot),
            };
            // From its end to its beginning, so that the beginning is on top.
            let part = self.part(function);
            while *part.inside.get(&(point, root))? > 0 {
                let (from, transition, back) = self.origin(function, (point, root))?;
                let state = part.graph.state(part.graph.point(point).state).clone();
                let place = |edge: EdgeId| Place { function, edge };
                match (&part.graph.point(from).transitions[transition], back) {
                    (Transition::Step { edge, .. }, _) => {
                        let at = place(*edge);
                        tasks.push(Task::Step(Step::Statement { at, state }));
                    }
                    (
                        Transition::Call {
                            edge,
                            callee,
                            entry: Some(entry),
                            returns,
                            ..
                        },
                        Some(back),
                    ) => {
                        let (at, callee) = (place(*edge), *callee);
                        let exit = returns[back].exit;
                        if expand {
                            tasks.push(Task::Step(Step::Leave {
                                at,
                                callee,
                                exit,
                                state,
                            }));
                            let end = self.end(function, callee, *entry, returns[back].state, exit);
                            tasks.push(Task::Way(callee, end?));
                            let enter = self.entering(function, from, transition)?;
                            tasks.push(Task::Step(enter));
                        } else {
                            tasks.push(Task::Step(Step::Over {
                                at,
                                callee,
                                exit,
                                state,
                            }));
                        }
                    }
                    (Transition::Call { .. }, _) => return None,
                }
                point = from;
            }
        }
        Some(())
    }

    /// The configuration of a callee by which it comes back; states are in the caller's table.
    fn end(
        &self,
        caller: FunctionId,
        callee: FunctionId,
        entry: StateId,
        state: StateId,
        exit: Exit,
    ) -> Option<Spot> {
        let entry = self.entry(caller, callee, entry)?;
        let wanted = self.part(caller).graph.state(state);
        let part = self.part(callee);
        let node = part.graph.shape.as_ref()?.exit(exit)?;
        let mut pairs = part.graph.summaries.iter();
        let pair = pairs.find(|pair| {
            pair.entry == entry && pair.exit == exit && part.graph.state(pair.state) == wanted
        })?;
        Some((*part.points.get(&(node, pair.state))?, entry))
    }

    /// The least of the shortest derivations of a configuration.
    fn origin(&self, function: FunctionId, (point, root): Spot) -> Option<Origin> {
        let part = self.part(function);
        let wanted = *part.inside.get(&(point, root))?;
        let cost = |(from, transition, back): &Origin| {
            let before = *part.inside.get(&(*from, root))?;
            match (&part.graph.point(*from).transitions[*transition], back) {
                (Transition::Step { .. }, _) => Some(before.saturating_add(1)),
                (
                    Transition::Call {
                        callee,
                        entry: Some(entry),
                        returns,
                        ..
                    },
                    Some(back),
                ) => {
                    let back = &returns[*back];
                    let end = self.end(function, *callee, *entry, back.state, back.exit)?;
                    let inside = *self.part(*callee).inside.get(&end)?;
                    Some(before.saturating_add(inside).saturating_add(2))
                }
                _ => None,
            }
        };
        let all = part.origins[point.0 as usize].iter();
        let shortest = all.filter(|origin| cost(origin) == Some(wanted));
        let least = shortest.min_by_key(|(from, transition, back)| {
            let at = part.graph.point(*from);
            let back = back.and_then(|back| match &at.transitions[*transition] {
                Transition::Call { returns, .. } => Some(&returns[back]),
                Transition::Step { .. } => None,
            });
            let back = back.map(|back| (back.exit, part.graph.state(back.state)));
            (at.node, part.graph.state(at.state), *transition, back)
        });
        least.copied()
    }
}
