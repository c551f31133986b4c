//! Writing down where a run went.

use interp::replay::{Replayed, ScriptValue, StepEffect};
use interp::{FrameView, Oracle, Scalar, Value};
use ir::{Body, EdgeId, NodeId, Stmt};
use std::collections::BTreeMap;

/// Whatever is unknown is 1.
pub struct One;

impl Oracle for One {
    fn havoc(&mut self, _: &ir::HavocReason, _: ir::TypeId) -> Option<Value> {
        Some(Value::Scalar(Scalar::plain(1)))
    }
}

/// The nodes of one call, each with the edges that it could take there.
#[derive(Default)]
pub struct Visits(Vec<(NodeId, Vec<EdgeId>)>);

impl Visits {
    pub fn add(&mut self, body: &Body, node: NodeId, frame: &FrameView<'_, '_>) {
        let enabled = body.out_edges(node).filter(|(_, e)| match e.stmt {
            Stmt::Assume(c) => {
                // Where evaluating it fails, the run ends at this edge.
                let value = frame.eval(c).and_then(|v| v.scalar());
                value.is_none_or(|s| s.bits & 1 != 0)
            }
            _ => true,
        });
        let enabled = enabled.map(|(id, _)| id).collect();
        self.0.push((node, enabled));
    }

    /// The edges that were taken, and the one where it ended, if one leaves that node.
    pub fn path(&self, body: &Body) -> Vec<EdgeId> {
        let mut path = Vec::new();
        for pair in self.0.windows(2) {
            let to = |id: &&EdgeId| body.edges()[**id].to == pair[1].0;
            path.push(*pair[0].1.iter().find(to).unwrap());
        }
        path.extend(self.0.last().and_then(|v| v.1.first()));
        path
    }
}

/// What [`One`] said on a path.
pub fn havocs(body: &Body, path: &[EdgeId]) -> BTreeMap<usize, StepEffect> {
    let havoc = |id: &EdgeId| matches!(body.edges()[*id].stmt, Stmt::Havoc { .. });
    let steps = path.iter().enumerate().filter(|(_, id)| havoc(id));
    steps
        .map(|(k, _)| (k, super::returns(Some(ScriptValue::Bits(1)))))
        .collect()
}

/// The only thing that a replay of a recorded path cannot do: a callee's havoc.
pub fn cannot(answer: &Replayed) -> bool {
    matches!(answer, Replayed::Stuck { why, .. } if why.contains("unknown to the front end"))
}
