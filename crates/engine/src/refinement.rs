//! The loop of path reduction (Fehnker, Huuck, Seefried, §4.1) inside level 2: search, check, observe,
//! search again.
//!
//! Orion gives up after an infeasible path (§3.2 of its paper). Here the path teaches: the conflicts of its
//! intervals, or the steps that a solver found to contradict each other, become observers, and the
//! next search leaves out all paths that they accept. It ends with a path that can be taken, with none
//! left (which is a proof), with a path that teaches nothing new, or with the budget. No observer is
//! made twice, and there are finitely many: so without a budget it would end, too.

use crate::Why;
use crate::level2::{Court, Fate};
use crate::tally::{Refined, Tally};
use automata::Plan;
use automata::watched::{NextAnswer, edge_of, next};
use ir::{CheckId, EdgeId};
use reduction::Watch;

/// Rounds for one error.
const ROUNDS: usize = 60;
/// States of all searches for one error, and for all errors of a function.
const STATES: usize = 400;
pub(crate) const STATES_OF_FUNCTION: usize = 800;
/// Systems of equations that are solved for one path.
const SYSTEMS: usize = 200;

impl Court<'_, '_> {
    /// What refinement makes of an error whose known paths cannot be taken; none if it does not know.
    pub(crate) fn refine(
        &mut self,
        plan: Plan,
        check: CheckId,
        known: &[Vec<EdgeId>],
        allowance: &mut usize,
        tally: &mut Tally,
    ) -> Option<Fate> {
        let edge = edge_of(self.body, check)?;
        let mut watch = Watch::new(&self.context.program.types, self.body, edge);
        let mut left = STATES.min(*allowance);
        *allowance -= left;
        let mut last = None;
        let mut rounds = 0;
        let mut queue: Vec<Vec<EdgeId>> = known.to_vec();
        let (refined, fate) = loop {
            let path = match queue.pop() {
                Some(path) if watch.accepts(&path) => continue,
                Some(path) => path,
                None => {
                    let (f, body) = (self.f, self.body);
                    let found = next(self.context, f, body, plan, check, &watch, left);
                    left = left.saturating_sub(found.states);
                    rounds += 1;
                    match found.answer {
                        NextAnswer::Path(path) => path,
                        NextAnswer::None | NextAnswer::Latent => break (Refined::Refuted, last),
                        NextAnswer::Budget => break (Refined::Budget, None),
                    }
                }
            };
            if rounds > ROUNDS || left == 0 {
                break (Refined::Budget, None);
            }
            let judged = self.judge(&[(check, path.clone())], tally).pop();
            let Some((Fate::Refuted { core, .. }, whole)) = judged else {
                break (Refined::Found, judged.map(|(fate, _)| fate));
            };
            let learnt = watch.learn(&path, whole.then_some(&core[..]), SYSTEMS);
            tally.observers.0 += learnt.conflicts;
            tally.observers.1 += learnt.cores;
            if learnt == reduction::Learnt::default() {
                break (Refined::Stuck, None);
            }
            last = Some(Fate::Refuted {
                path,
                core,
                by: Why::Refinement,
            });
        };
        *allowance += left;
        *tally.refined.entry((refined, rounds)).or_default() += 1;
        fate
    }
}
