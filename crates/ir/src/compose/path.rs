//! Paths of a composed body from those of its functions.

use crate::body::EdgeId;
use crate::compose::{Composed, FrameId, FrameInfo, Origin};

impl Composed {
    /// A path of the composed body from its entry, given as the edges of the functions in the order
    /// of the run: the caller's up to the call, then the callee's, then again the caller's. The glue
    /// is put in between. The edges of replaced calls may be there or not; where a call through a
    /// pointer is there, and what follows is not in its frame, it is one that was not replaced.
    ///
    /// None, if the edges do not follow each other.
    pub fn path(&self, steps: &[(FrameId, EdgeId)]) -> Option<Vec<EdgeId>> {
        let body = &self.body;
        let mut path: Vec<EdgeId> = Vec::with_capacity(steps.len());
        let mut at = body.entry;
        for (i, &(frame, own)) in steps.iter().enumerate() {
            let entered = self.entered(frame, own);
            let follows = |child: FrameId| {
                let next = steps.get(i + 1);
                next.is_none_or(|(next, _)| *next == child)
            };
            let edge = match (entered, self.edge(frame, own)) {
                // The way into the frame is the glue before its first edge.
                (Some(_), None) => continue,
                (Some(child), Some(_)) if follows(child) => continue,
                (_, Some(edge)) => edge,
                (None, None) => return None,
            };
            let from = body.edges()[edge].from;
            // No way of glue is longer than the body.
            for _ in 0..body.node_count {
                if at == from {
                    break;
                }
                // Where a pointer decides, the call itself is wanted, or what it enters.
                let wanted = entered.map(Origin::Another);
                let glue = |(id, _): &(EdgeId, _)| !matches!(self.origin(*id), Origin::Own(..));
                let ways = || body.out_edges(at).filter(glue);
                let beside = ways().find(|(id, _)| Some(self.origin(*id)) == wanted);
                let (glue, edge) = beside.or_else(|| ways().next())?;
                path.push(glue);
                at = edge.to;
            }
            if at != from {
                return None;
            }
            path.push(edge);
            at = body.edges()[edge].to;
        }
        Some(path)
    }

    /// The frame that replaces a call.
    fn entered(&self, caller: FrameId, call: EdgeId) -> Option<FrameId> {
        let mut frames = self.frames.iter();
        let is_it = |f: &FrameInfo| f.caller.is_some_and(|(c, _)| c == caller);
        let found = frames.find(|(_, f)| is_it(f) && f.outcomes.contains(&call));
        found.map(|(id, _)| id)
    }
}
