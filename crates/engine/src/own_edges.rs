//! Where the checks of a body stand.

use ir::{Body, CheckId, EdgeId};

/// For each check its own edge, as a path; none where nobody asks for them.
#[derive(Default)]
pub(crate) struct Own(Vec<Option<EdgeId>>);

impl Own {
    pub fn edges(body: &Body) -> Own {
        let mut all = vec![None; body.checks.len()];
        for (id, edge) in body.edges().iter() {
            if let ir::Stmt::Check(check) = edge.stmt
                && let Some(own) = all.get_mut(check.0 as usize)
                && own.is_none()
            {
                *own = Some(id);
            }
        }
        Own(all)
    }

    pub fn path(&self, check: CheckId) -> Vec<EdgeId> {
        let own = self.0.get(check.0 as usize).copied().flatten();
        own.into_iter().collect()
    }
}
