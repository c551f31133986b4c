//! Calls, by what is known of the callee: how they end, and where the run goes on.

use super::{Ends, Execution, Failure, Place};
use crate::path::Path;
use crate::statement::Behind;
use ir::{Call, CallOutcome, Callee, Edge, EdgeId, Stmt};

impl Execution<'_, '_> {
    /// A call, by one of the edges that it can leave by; what ends in it is counted at the first of these.
    pub(super) fn call(&mut self, path: Path, id: EdgeId, call: &Call, ends: &mut Ends) -> Behind {
        let body = self.body();
        let from = body.edges()[id].from;
        let mut siblings = body.out_edges(from);
        let is_first = siblings.next().is_none_or(|(first, _)| first == id);
        let catches = |(_, edge): (EdgeId, &Edge)| matches!(&edge.stmt, Stmt::Call(c) if c.outcome == CallOutcome::Unwind);
        let caught = body.out_edges(from).any(catches);
        let Some(all) = self.callees.of(self.run.program, body, call) else {
            return self.unknown(path, id, call, caught, ends);
        };
        // Through a pointer others may be called, too, of which nobody in view knows.
        let is_open = matches!(call.callee, Callee::Indirect(_));
        let several = is_open || all.len() > 1;
        let path = if several { path.guess() } else { path };
        let mut behind = match is_open {
            true => self.unknown(path.clone(), id, call, caught, ends),
            false => Behind::new(),
        };
        let (mut fails, mut goes_on) = (false, is_open);
        for summary in all {
            let called = self.run.call(&path, id, call, &summary);
            fails |= !called.fails.is_empty();
            let ends_otherwise = [&called.returns, &called.unwinds, &called.exits];
            goes_on |= ends_otherwise.iter().any(|paths| !paths.is_empty());
            goes_on |= !called.descents.is_empty();
            if is_first {
                ends.guessed |= summary.guessed;
                ends.strangers |= summary.strangers;
                ends.exits.extend(called.exits);
                ends.descents.extend(called.descents);
                for (origin, path) in called.fails {
                    let failure = Failure::Call(id, origin);
                    ends.fails.entry(failure).or_default().push(path);
                }
                if !caught {
                    ends.unwinds.extend(called.unwinds.iter().map(Path::ended));
                }
            }
            behind.extend(match call.outcome {
                CallOutcome::Return => called.returns,
                CallOutcome::Unwind => called.unwinds,
                CallOutcome::Again => Vec::new(),
            });
        }
        if is_first && fails && self.run.watched {
            let before = Some(path.facts);
            ends.reached.note(Place::Call(id), before, !goes_on);
        }
        behind
    }
    /// A call of somebody of whom nothing is known.
    fn unknown(
        &mut self,
        path: Path,
        id: EdgeId,
        call: &Call,
        caught: bool,
        ends: &mut Ends,
    ) -> Behind {
        ends.guessed |= !self.run.is_library(call);
        let is_stranger = self.run.is_stranger(call);
        ends.strangers |= is_stranger;
        // Another run with the same inputs may not come back.
        let path = if is_stranger { path.guess() } else { path };
        let throws = self.run.is_throw(call);
        match call.outcome {
            CallOutcome::Return if throws => {
                ends.unwinds.extend((!caught).then(|| path.ended()));
                Behind::new()
            }
            CallOutcome::Return if call.noreturn => {
                ends.exits.push(path.ended());
                Behind::new()
            }
            CallOutcome::Return if !caught => {
                if self.run.may_throw(call) {
                    ends.unwinds.push(path.ended().guess());
                }
                self.run.outside_call(path, id, call)
            }
            // Whether it throws nobody knows.
            _ => {
                let path = if throws { path } else { path.guess() };
                self.run.outside_call(path, id, call)
            }
        }
    }
}
