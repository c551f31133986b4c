//! Functions and the shape of their bodies.

use super::{Names, Validator};
use crate::body::{Body, NodeId, VarKind};
use crate::program::Function;
use crate::types::{Type, TypeId};
use rustc_hash::FxHashSet;

impl Validator<'_> {
    pub(super) fn function(&mut self, f: &Function) {
        self.symbol(f.name, "the function");
        self.symbol(f.display, "the function");
        self.span(f.span, "the function");
        self.ensure(self.program.units.get(f.unit).is_some(), |_| {
            format!("its unit is out of range: {:?}", f.unit)
        });
        match &f.body {
            Some(body) => self.body(f.signature, body, Names::Unique),
            None => {
                self.returned(f.signature);
            }
        }
    }

    /// The type that a function of this signature returns.
    fn returned(&mut self, signature: TypeId) -> Option<TypeId> {
        let Some(Type::Function { ret, .. }) = self.program.types.lookup(signature) else {
            self.report("its signature is not a function type");
            return None;
        };
        Some(*ret)
    }

    pub(super) fn body(&mut self, signature: TypeId, body: &Body, names: Names) {
        let Some(ret) = self.returned(signature) else {
            return;
        };
        let before = self.violations.len();
        self.variables(body, ret, names);
        self.graph(body);
        self.ranges(body);
        // The checks of types follow ids without looking.
        if self.violations.len() > before {
            return;
        }
        self.exprs(body);
        self.places(body);
        if self.violations.len() > before {
            return;
        }
        for (id, edge) in body.edges().iter() {
            self.edge = Some(id);
            self.span(edge.span, "the edge");
            self.stmt(body, &edge.stmt);
        }
        self.edge = None;
    }

    fn variables(&mut self, body: &Body, ret: TypeId, sharing: Names) {
        let mut names = FxHashSet::default();
        for v in body.vars.values() {
            self.symbol(v.name, "a variable");
            self.has_type(v.ty, "a variable");
            self.ensure(names.insert(v.name) || sharing == Names::Shared, |s| {
                let name = s.program.symbols.lookup(v.name).unwrap_or_default();
                format!("two variables are named `{name}`")
            });
        }
        let mut params = FxHashSet::default();
        for &p in &body.params {
            let var = body.vars.get(p);
            self.ensure(var.is_some_and(|v| v.kind == VarKind::Param), |_| {
                format!("{p:?} is in the list of parameters but is none")
            });
            self.ensure(params.insert(p), |_| {
                format!("the parameter {p:?} is listed twice")
            });
        }
        for (id, v) in body.vars.iter() {
            self.ensure(v.kind != VarKind::Param || params.contains(&id), |_| {
                format!("{id:?} is a parameter but not in the list of parameters")
            });
        }
        if let Some(r) = body.ret {
            let ty = body.vars.get(r).map(|v| v.ty);
            self.ensure(ty.is_some(), |_| {
                format!("the return variable is out of range: {r:?}")
            });
            if let Some(ty) = ty {
                self.ensure(ty == ret, |s| {
                    let (ty, ret) = (s.type_name(ty), s.type_name(ret));
                    format!("the return variable has type {ty}, the function returns {ret}")
                });
            }
        }
    }

    fn graph(&mut self, body: &Body) {
        let inside = |n: NodeId| n.0 < body.node_count;
        self.ensure(inside(body.entry), |_| "the entry is out of range");
        self.ensure(inside(body.exit), |_| "the exit is out of range");
        self.ensure(
            body.unwind.is_none_or(inside),
            |_| "the unwind node is out of range",
        );
        self.ensure(
            body.labels.iter().all(|&n| inside(n)),
            |_| "a label is out of range",
        );
        self.ensure(
            body.unwind != Some(body.exit),
            |_| "exit and unwind are one node",
        );
        let mut last = NodeId(0);
        for (id, e) in body.edges().iter() {
            self.edge = Some(id);
            self.ensure(inside(e.from) && inside(e.to), |_| {
                format!(
                    "it leads from {} to {}, of {} nodes",
                    e.from.0, e.to.0, body.node_count
                )
            });
            self.ensure(
                last <= e.from,
                |_| "the edges are not sorted by their source",
            );
            self.ensure(e.from != body.exit, |_| "it leaves the exit");
            self.ensure(Some(e.from) != body.unwind, |_| "it leaves the unwind node");
            last = e.from;
        }
        self.edge = None;
    }

    /// Every id that an expression, place or statement holds.
    fn ranges(&mut self, body: &Body) {
        use crate::walk::{Item, expr_items, place_items, statement_items};
        let exprs = body.exprs.len();
        let places = body.places.len();
        // The last expression that each place needs.
        let mut needs = vec![None; places];
        for (id, p) in body.places.iter() {
            let mut last = None;
            place_items(p, &mut |item| {
                if let Item::Expr(e) = item {
                    last = last.max(Some(e.0));
                }
            });
            self.ensure(last < Some(exprs as u32), |_| {
                format!("{id:?} holds an expression out of range")
            });
            needs[id.0 as usize] = last;
        }
        for (id, e) in body.exprs.iter() {
            let mut fine = true;
            expr_items(e, &mut |item| {
                let last = match item {
                    Item::Expr(e) => Some(Some(e.0)),
                    Item::Place(p) => needs.get(p.0 as usize).copied(),
                };
                fine &= last.is_some_and(|last| last < Some(id.0));
            });
            self.ensure(fine, |_| {
                format!("{id:?} holds an operand that is out of range or does not come before it")
            });
        }
        for (id, edge) in body.edges().iter() {
            self.edge = Some(id);
            let mut fine = true;
            statement_items(body, &edge.stmt, &mut |item| {
                fine &= match item {
                    Item::Expr(e) => (e.0 as usize) < exprs,
                    Item::Place(p) => (p.0 as usize) < places,
                };
            });
            self.ensure(fine, |_| "it holds an expression or place out of range");
            if let crate::stmt::Stmt::Check(c) = edge.stmt {
                self.ensure(body.checks.get(c).is_some(), |_| format!("no check {c:?}"));
            }
        }
        self.edge = None;
        let mut checks: Vec<_> = body.checks.values().collect();
        checks.dedup_by_key(|c| c.rule);
        for check in checks {
            self.symbol(check.rule, "a rule");
        }
    }
}
