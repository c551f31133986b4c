//! Ways through the body beside the path: what the other side of a branch leads to, and which branches belong to
//! loops.

use super::Case;
use ir::arena::Id;
use ir::{CompareOp, ExprKind, Stmt};

impl Case<'_, '_> {
    /// Is the step a branch from whose other side a way to the end meets no check of this kind?
    pub(super) fn decides(&self, step: usize) -> bool {
        let edge = &self.body.edges()[self.edges[step]];
        let mut ends = false;
        self.other_side(step, |stmt| match stmt {
            None => {
                ends = true;
                false
            }
            Some(Stmt::Check(c)) => self.body.checks[*c].condition != *self.condition,
            Some(_) => true,
        });
        matches!(edge.stmt, Stmt::Assume(_)) && ends
    }

    /// Is there a way from where the value was made to the check on which the place is given another?
    pub(super) fn is_set_on_some_way(&self) -> bool {
        let edges = self.body.edges();
        let [made, check] = [
            self.edges[self.origin.step],
            self.edges[self.edges.len() - 1],
        ];
        let mut seen = vec![false; self.body.node_count as usize];
        let mut stack = vec![edges[made].to];
        let mut writers = Vec::new();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            for (id, e) in self.body.out_edges(node) {
                if id != made {
                    stack.push(e.to);
                    let copies = self.edges[self.origin.step..].contains(&id);
                    if self.writes(&e.stmt) && !copies {
                        writers.push(e.to);
                    }
                }
            }
        }
        let before = automata::paths::reaching(self.body, check);
        writers.iter().any(|node| before[node.index()])
    }

    /// Does the branch belong to a loop that was entered after the value was made, and is passed for the first
    /// time?
    pub(super) fn is_first_turn(&self, step: usize) -> bool {
        let edges = self.body.edges();
        let taken = &edges[self.edges[step]];
        if !matches!(taken.stmt, Stmt::Assume(_)) || step == self.origin.step {
            return false;
        }
        let branch = taken.from;
        let made = self.edges[self.origin.step];
        let since = &self.edges[self.origin.step..step];
        if since.iter().any(|e| edges[*e].from == branch) {
            return false;
        }
        let mut seen = vec![false; self.body.node_count as usize];
        let mut stack = vec![branch];
        while let Some(node) = stack.pop() {
            for (id, e) in self.body.out_edges(node) {
                if e.to == branch && id != made {
                    return true;
                }
                if id != made && !std::mem::replace(&mut seen[e.to.index()], true) {
                    stack.push(e.to);
                }
            }
        }
        false
    }

    /// Does the branch say how often a loop runs: does this side leave it, by a comparison of sizes?
    pub(super) fn leaves_loop(&self, step: usize) -> bool {
        let taken = &self.body.edges()[self.edges[step]];
        let Stmt::Assume(e) = taken.stmt else {
            return false;
        };
        use CompareOp::{Eq, Ne};
        match self.body.exprs[e].kind {
            ExprKind::Compare(op, ..) if op != Eq && op != Ne => {}
            _ => return false,
        }
        let mut seen = vec![false; self.body.node_count as usize];
        let mut stack = vec![taken.to];
        while let Some(node) = stack.pop() {
            if node == taken.from {
                return false;
            }
            if !std::mem::replace(&mut seen[node.index()], true) {
                // An outer loop makes the value anew.
                let made = self.edges[self.origin.step];
                let next = self.body.out_edges(node).filter(|(id, _)| *id != made);
                stack.extend(next.map(|(_, e)| e.to));
            }
        }
        true
    }

    /// Looks at every statement on the ways from the other side of a branch, up to the branch itself; at
    /// an end of the body, at none. Goes on behind a statement if `look` says so.
    pub(super) fn other_side(&self, step: usize, mut look: impl FnMut(Option<&Stmt>) -> bool) {
        let taken = self.edges[step];
        let branch = self.body.edges()[taken].from;
        let mut seen = vec![false; self.body.node_count as usize];
        seen[branch.index()] = true;
        let others = self.body.out_edges(branch);
        let mut stack: Vec<_> = others
            .filter(|(id, _)| *id != taken)
            .map(|(_, e)| e.to)
            .collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            let mut is_end = true;
            for (_, e) in self.body.out_edges(node) {
                is_end = false;
                if look(Some(&e.stmt)) {
                    stack.push(e.to);
                }
            }
            if is_end {
                look(None);
            }
        }
    }
}
