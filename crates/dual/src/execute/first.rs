//! The first turn of a loop, apart from the others.
//!
//! Passes over an array differ in how far they go. The first one of bubble sort goes to the end; that it got there is a fact about the
//! inputs, which all later ones inherit. In a hull with these it would be lost, together with the proof that the first pass fails. So the
//! fixed point (dual.txt §2.2) begins behind the first turn. Of loops within loops that would cost too much.

use super::{Ends, Execution, Waiting};
use crate::apart::Apart;
use crate::path::Path;
use ir::flow::{Loop, Step};
use isl::Result;

impl Execution<'_, '_> {
    /// Is the first turn told apart?
    pub(super) fn has_first_turn(&self, of: &Loop) -> bool {
        let has_loops = of.body.iter().any(|step| matches!(step, Step::Loop(_)));
        has_loops && self.depth == 0 && self.limits.disjuncts > 1
    }

    /// Executes it, and says what comes back to the head.
    pub(super) fn first_turn(
        &mut self,
        of: &Loop,
        entering: &[Path],
        within: &Waiting,
        waiting: &mut Waiting,
        ends: &mut Ends,
    ) -> Result<Vec<Path>> {
        let head = Apart::default().with(&mut self.ground(), entering)?;
        let head = head.settled(&self.ground())?;
        let (back, leaving, inside) = self.turn(of, &head, within)?;
        for (node, paths) in leaving {
            waiting.entry(node).or_default().extend(paths);
        }
        ends.add(inside);
        // The others do not begin where this one came to rest.
        self.forget(of);
        Ok(back)
    }
}
