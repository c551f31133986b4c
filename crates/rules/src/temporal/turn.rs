//! What waits for how a call ends, behind the call: `try(l) == 0` takes the lock, and `try(l) != 0` does not.
//!
//! Of a number it is decided by a branch, so that level 1 knows state and number together. A branch on a pointer would be a test
//! for null, and evidence that it can be: there what is noted is chosen without one.

use super::label::Outcome;
use super::weave::{Weaver, assign};
use ir::program::SymbolTable;
use ir::{CallOutcome, Check, Condition, Edge, ExprId, NodeId, PlaceId, Span, Stmt, Symbol, Type};

/// What happens if a call ends so.
pub(super) struct Turn {
    outcome: Outcome,
    /// Where the result is.
    place: PlaceId,
    sites: Vec<usize>,
}

impl Weaver<'_> {
    /// Makes places for what calls give that the program does not look at, and somebody waits for.
    pub(super) fn unseen(
        &mut self,
        symbols: &mut SymbolTable,
        rule: &str,
        mut taken: usize,
        edges: &[Edge],
    ) {
        for site in &self.plan.sites {
            let Some(Stmt::Call(call)) = edges.get(site.edge).map(|e| &e.stmt) else {
                continue;
            };
            let Some(Type::Function { ret, .. }) = self.maker.types.lookup(call.signature) else {
                continue;
            };
            let looked_at = call.result.is_some() || !self.maker.types.is_scalar(*ret);
            if site.after && site.waits() && !looked_at && !self.unseen.contains_key(&site.edge) {
                let slot = self.maker.given(symbols, rule, taken, *ret);
                self.unseen.insert(site.edge, slot.place);
                taken += 1;
            }
        }
    }

    /// What waits behind a call for how it ends.
    pub(super) fn turns(&self, at: usize, stmt: &Stmt) -> Vec<Turn> {
        let Stmt::Call(call) = stmt else {
            return Vec::new();
        };
        let Some(place) = call.result.filter(|_| call.outcome == CallOutcome::Return) else {
            return Vec::new();
        };
        let mut turns: Vec<Turn> = Vec::new();
        for site in self.plan.at(at, true) {
            let outcome = self.plan.sites[site].outcome;
            if outcome == Outcome::Any {
                continue;
            }
            match turns.iter_mut().find(|t| t.outcome == outcome) {
                Some(turn) => turn.sites.push(site),
                None => turns.push(Turn {
                    outcome,
                    place,
                    sites: vec![site],
                }),
            }
        }
        turns
    }

    /// Puts them behind a node; the node where they end.
    pub(super) fn turn(&mut self, turns: &[Turn], mut at: NodeId, span: Span) -> NodeId {
        let mut end: Option<NodeId> = None;
        for turn in turns {
            let given = self.maker.load(turn.place);
            let nothing = self.maker.zero(self.maker.type_of(given));
            let (yes, no) = turn.outcome.comparison();
            let came = self.maker.compare(yes, given, nothing);
            let stmts = self.at_sites(&turn.sites);
            if self.maker.types.is_pointer(self.maker.type_of(given)) {
                for stmt in stmts {
                    if let Some(stmt) = self.chosen(came, stmt) {
                        at = self.put(at, stmt, span);
                    }
                }
                continue;
            }
            let failed = self.maker.compare(no, given, nothing);
            let mut inside = self.new.step(at, Stmt::Assume(came), span);
            let mut outside = self.new.step(at, Stmt::Assume(failed), span);
            // What stands first behind a branch shows that it is none of the program's.
            if let Some(mark) = self.mark() {
                inside = self.new.step(inside, mark.clone(), span);
                outside = self.new.step(outside, mark, span);
            }
            for stmt in stmts {
                inside = self.put(inside, stmt, span);
            }
            let end = *end.get_or_insert_with(|| self.new.fresh());
            self.new.join(inside, end, Stmt::Skip, span);
            at = outside;
        }
        match end {
            Some(end) => {
                self.new.join(at, end, Stmt::Skip, span);
                end
            }
            None => at,
        }
    }

    /// A statement that does something only if the bool is true.
    fn chosen(&mut self, came: ExprId, stmt: Stmt) -> Option<Stmt> {
        match stmt {
            Stmt::Assign { place, value } => {
                let before = self.maker.load(place);
                Some(assign(place, self.maker.select(came, value, before)))
            }
            Stmt::Check(id) => {
                let (rule, which): (Symbol, u32) = {
                    let check = &self.maker.body.checks[id];
                    (check.rule, check.which)
                };
                let Condition::Holds(holds) = self.maker.body.checks[id].condition else {
                    return None;
                };
                let fine = self.maker.truth(true);
                let holds = self.maker.select(came, holds, fine);
                let check = Check {
                    rule,
                    which,
                    condition: Condition::Holds(holds),
                };
                Some(Stmt::Check(self.maker.body.checks.push(check)))
            }
            _ => None,
        }
    }

    fn mark(&self) -> Option<Stmt> {
        let state = self.ghosts.iter().find_map(|ghost| ghost.states().next())?;
        Some(assign(state.place, state.load))
    }
}
