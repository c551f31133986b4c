//! Nodes that several assumptions leave: recognising two-way branches and switches, so that their
//! condition is evaluated once.

use super::Compiler;
use crate::code::{Node, Op, Repr, Switch};
use ir::{BinaryOp, CompareOp, EdgeId, ExprId, ExprKind, Stmt, UnaryOp};
use smallvec::SmallVec;

impl<'p> Compiler<'_, 'p> {
    /// Two complementary assumptions, or a switch.
    pub(super) fn branch(&mut self, edges: &[(EdgeId, &'p ir::Edge)]) -> Option<Node> {
        let mut conditions: SmallVec<[(ExprId, u32); 4]> = SmallVec::new();
        for (_, e) in edges {
            let Stmt::Assume(c) = e.stmt else {
                return None;
            };
            self.body.exprs.get(c)?;
            conditions.push((c, e.to.0));
        }
        if let [(a, yes), (b, no)] = *conditions {
            if self.complementary(a, b) {
                return Some(Node::Branch { cond: a.0, yes, no });
            }
            return None;
        }
        self.switch(&conditions)
    }

    fn complementary(&self, a: ExprId, b: ExprId) -> bool {
        let (x, y) = (&self.body.exprs[a].kind, &self.body.exprs[b].kind);
        match (x, y) {
            (ExprKind::Unary(UnaryOp::Not, inner), _) if *inner == b => true,
            (_, ExprKind::Unary(UnaryOp::Not, inner)) if *inner == a => true,
            (ExprKind::Compare(f, a1, a2), ExprKind::Compare(g, b1, b2)) => {
                let Some(repr) = self.code.reprs.get(a1.0 as usize) else {
                    return false;
                };
                let float = matches!(repr, Repr::F32 | Repr::F64 | Repr::X87);
                let eq = matches!(f, CompareOp::Eq | CompareOp::Ne);
                a1 == b1 && a2 == b2 && f.negated() == Some(*g) && (eq || !float)
            }
            _ => false,
        }
    }

    /// `x == 1`, `x == 2`, … and at most one more edge: the conjunction of their negations.
    fn switch(&mut self, conditions: &[(ExprId, u32)]) -> Option<Node> {
        let mut switch = Switch::default();
        let mut on = None;
        let mut default = None;
        for &(c, to) in conditions {
            match self.test(c, CompareOp::Eq) {
                Some((x, n)) if on.is_none_or(|o| o == x) => {
                    on = Some(x);
                    if switch.cases.insert(n, to).is_some() {
                        return None;
                    }
                }
                _ if default.is_none() => default = Some((c, to)),
                _ => return None,
            }
        }
        switch.on = on?.0;
        if !self.code.reprs.get(switch.on as usize)?.is_small() {
            return None;
        }
        if let Some((c, to)) = default {
            let mut excluded = rustc_hash::FxHashSet::default();
            let mut todo = vec![c];
            while let Some(c) = todo.pop() {
                match self.body.exprs.get(c)?.kind {
                    ExprKind::Binary(BinaryOp::And, a, b) => todo.extend([a, b]),
                    _ => match self.test(c, CompareOp::Ne) {
                        Some((x, n)) if Some(x) == on => {
                            excluded.insert(n);
                        }
                        _ => return None,
                    },
                }
            }
            // Exactly the cases: then one of all edges is always enabled, and only one.
            if excluded.len() != switch.cases.len()
                || !excluded.iter().all(|n| switch.cases.contains_key(n))
            {
                return None;
            }
            switch.default = Some(to);
        }
        self.code.switches.push(switch);
        Some(Node::Switch(self.code.switches.len() as u32 - 1))
    }

    /// `x op constant`, as (x, constant).
    fn test(&self, c: ExprId, op: CompareOp) -> Option<(ExprId, u64)> {
        match self.body.exprs.get(c)?.kind {
            ExprKind::Compare(o, a, b) if o == op => match self.code.ops.get(b.0 as usize)? {
                Op::Const(n) => Some((a, *n)),
                _ => None,
            },
            _ => None,
        }
    }
}
