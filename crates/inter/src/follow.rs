//! FOLLOW-EDGE of Fig. 3 and CHECK-EDGE of Fig. 4: the transitions out of a point, recalled or computed.

use crate::change::known;
use crate::explore::{Explorer, Slot};
use crate::graph::{PointId, Return, StateId, Transition};
use crate::machine::{Action, EdgeId, Exit, FunctionId, Machine, Place, Property};
use crate::work::CallSite;

impl<M: Machine, P: Property> Explorer<'_, M, P> {
    /// FOLLOW-EDGE and CHECK-EDGE for all edges out of a point.
    pub(crate) fn follow_edges(&mut self, function: FunctionId, id: PointId) {
        let work = self.work(function);
        let shape = work.shape.clone();
        let node = work.graph.point(id).node;
        for edge in shape.outgoing(node) {
            match &shape.edge(edge).action {
                Action::Statement => {
                    let results = self.results(function, id, edge);
                    let work = self.work(function);
                    let transitions = &mut work.graph.points[id.0 as usize].transitions;
                    transitions.push(Transition::Step { edge, results });
                }
                Action::Call { targets, .. } => {
                    let property = self.property;
                    let part = &self.work(function).graph;
                    let state = part.state(part.point(id).state).clone();
                    for callee in targets {
                        if property.may_enter(&state, *callee)
                            && known(self.machine, *callee).is_some()
                        {
                            self.follow_call(function, id, edge, *callee);
                        }
                    }
                }
            }
        }
    }

    /// The states after a statement, sorted by value: recalled, or computed.
    fn results(&mut self, function: FunctionId, id: PointId, edge: EdgeId) -> Vec<StateId> {
        let property = self.property;
        let work = self.work(function);
        let (node, state) = (work.graph.point(id).node, work.graph.point(id).state);
        let value = work.graph.state(state).clone();
        for recall in 0..work.recalls.len() {
            let earlier = &mut work.recalls[recall];
            let old = earlier.point(node, state, &value);
            if let Some(results) = old.and_then(|old| earlier.step(old, edge)) {
                let translate = |old| work.translate(recall, old);
                return results.into_iter().map(translate).collect();
            }
        }
        let mut results = property.step(&value, Place { function, edge });
        results.sort_unstable();
        results.dedup();
        let results = results.iter().map(|state| work.intern(state)).collect();
        self.counts.steps += 1;
        results
    }

    fn follow_call(&mut self, function: FunctionId, id: PointId, edge: EdgeId, callee: FunctionId) {
        let given = self.given(function, id, edge, callee);
        let work = self.work(function);
        let value = given.map(|given| work.graph.state(given).clone());
        let transition = work.graph.point(id).transitions.len();
        let transitions = &mut work.graph.points[id.0 as usize].transitions;
        transitions.push(Transition::Call {
            edge,
            callee,
            given,
            entry: None,
            returns: Vec::new(),
        });
        let Some(used) = value.and_then(|value| self.enter(callee, &value)) else {
            return;
        };
        let work = self.work(function);
        let here = work.intern(&used);
        let transitions = &mut work.graph.points[id.0 as usize].transitions;
        if let Transition::Call { entry, .. } = &mut transitions[transition] {
            *entry = Some(here);
        }
        let site = CallSite {
            function,
            point: id,
            transition,
        };
        for (exit, state) in self.wait(site, callee, &used) {
            self.deliver(site, callee, exit, &state);
        }
    }

    /// What is known about an entry; what becomes known later is delivered to `site`.
    fn wait(
        &mut self,
        site: CallSite,
        callee: FunctionId,
        entry: &P::State,
    ) -> Vec<(Exit, P::State)> {
        if let Slot::Rest(graph) = &self.slots[callee.0 as usize] {
            // Nothing is under way there.
            return graph.summary_of(entry);
        }
        let work = self.work(callee);
        let id = work.intern(entry);
        work.sites.entry(id).or_default().push(site);
        work.summary(id)
    }

    /// The state that a call hands to its callee: recalled, or computed.
    fn given(
        &mut self,
        function: FunctionId,
        id: PointId,
        edge: EdgeId,
        callee: FunctionId,
    ) -> Option<StateId> {
        let property = self.property;
        let work = self.work(function);
        let (node, state) = (work.graph.point(id).node, work.graph.point(id).state);
        let value = work.graph.state(state).clone();
        for recall in 0..work.recalls.len() {
            let earlier = &mut work.recalls[recall];
            let old = earlier.point(node, state, &value);
            if let Some(given) = old.and_then(|old| earlier.enter(old, edge, callee)) {
                return given.map(|old| work.translate(recall, old));
            }
        }
        let given = property.enter(&value, Place { function, edge }, callee);
        let given = given.map(|state| work.intern(&state));
        self.counts.enters += 1;
        given
    }

    /// A summary pair of a callee comes back to a call that uses it.
    pub(crate) fn deliver(
        &mut self,
        site: CallSite,
        callee: FunctionId,
        exit: Exit,
        state: &P::State,
    ) {
        let function = site.function;
        let work = self.work(function);
        let from = work.graph.point(site.point);
        let before = from.state;
        let Transition::Call { edge, .. } = from.transitions[site.transition] else {
            return;
        };
        let Some(node) = work.shape.edge(edge).after(exit) else {
            return;
        };
        let id = work.intern(state);
        let result = self.result(site, (edge, before), callee, exit, (id, state));
        let work = self.work(function);
        let from = &mut work.graph.points[site.point.0 as usize];
        if let Transition::Call { returns, .. } = &mut from.transitions[site.transition] {
            returns.push(Return {
                exit,
                state: id,
                result,
            });
        }
        if let Some(result) = result {
            for root in from.roots.clone() {
                self.add(function, node, root, result);
            }
        }
    }

    /// The caller's state after a call: recalled, or computed.
    fn result(
        &mut self,
        site: CallSite,
        (edge, before): (EdgeId, StateId),
        callee: FunctionId,
        exit: Exit,
        (id, state): (StateId, &P::State),
    ) -> Option<StateId> {
        let property = self.property;
        let function = site.function;
        let work = self.work(function);
        let node = work.graph.point(site.point).node;
        let value = work.graph.state(before).clone();
        for recall in 0..work.recalls.len() {
            let earlier = &mut work.recalls[recall];
            let old = earlier.point(node, before, &value);
            let result = old.and_then(|old| earlier.leave(old, edge, callee, exit, (id, state)));
            if let Some(result) = result {
                return result.map(|old| work.translate(recall, old));
            }
        }
        let place = Place { function, edge };
        let result = property.leave(&value, place, callee, exit, state);
        let result = result.map(|state| work.intern(&state));
        self.counts.leaves += 1;
        result
    }
}
