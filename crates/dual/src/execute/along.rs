//! One path for itself: with which inputs it fails at its end, and whether all runs with these take it.

use super::{CASES, Ends, Execution, Failure, Waiting};
use crate::path::Path;
use ir::{EdgeId, Stmt};
use isl::{Result, Stopped};

impl Execution<'_, '_> {
    /// Executes the edges one after another, as one path goes, and says with which facts that fails at the last of them; and
    /// whether a run on this path cannot end anywhere before.
    pub fn along(&mut self, start: Path, edges: &[EdgeId]) -> Result<(Vec<Path>, bool)> {
        let mut paths = vec![start];
        let mut failing = Vec::new();
        let mut certain = true;
        for (step, id) in edges.iter().enumerate() {
            let mut waiting = Waiting::new();
            let mut ends = Ends::default();
            for path in std::mem::take(&mut paths) {
                self.edge(path, *id, &mut waiting, &mut ends);
            }
            let unknown = ends.guessed || ends.strangers;
            let leaves = !ends.exits.is_empty() || !ends.unwinds.is_empty() || unknown;
            let mut fails = ends.fails.keys();
            certain &= !leaves && !fails.any(|f| matches!(f, Failure::Call(..)));
            // By its place: in a loop the path may have come there before.
            if step + 1 == edges.len() {
                certain &= !self.can_be_passed_by(*id);
                failing = ends.fails.into_values().flatten().collect();
                break;
            }
            paths = waiting.into_values().flatten().collect();
            if paths.len() > CASES {
                return Err(Stopped::Budget);
            }
        }
        Ok((failing, certain))
    }

    /// Is there an edge beside a check that a run may choose instead? Not one to the same place on which nothing happens: that is how
    /// runs go on behind an error that ends none, and whoever goes there has met the error.
    fn can_be_passed_by(&self, check: EdgeId) -> bool {
        let body = self.body();
        let Some(edge) = body.edges().get(check) else {
            return false;
        };
        let mut beside = body.out_edges(edge.from).filter(|(id, _)| *id != check);
        beside.any(|(_, e)| match e.stmt {
            Stmt::Assume(_) => false,
            Stmt::Skip => e.to != edge.to,
            _ => true,
        })
    }
}
