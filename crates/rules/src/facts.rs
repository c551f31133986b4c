//! What one cheap look at the bodies says about variables and results.
//!
//! Nothing here is an analysis in earnest: it leaves out checks that no run can fail and that
//! would otherwise be most of a program's checks, `int n = 0;` and its uses.

use crate::context::FunctionInfo;
use crate::rules::uninitialized_use::is_punned;
use ir::{
    Base, Body, Call, Callee, Edge, ExprId, ExprKind, NodeId, PlaceId, Projection, Span, Stmt,
    TypeTable, VarId, VarKind,
};

/// Which variables no run can read before they are written, and which nodes macros lead to.
pub(crate) struct Facts {
    initialized: Vec<bool>,
    /// The place of the branch behind which a node lies, as long as everything since is at that
    /// place: then branch and statement are of one macro.
    branch: Vec<Option<Span>>,
    /// Something is freed, or a variable ends whose address is known.
    ends_memory: bool,
}

/// How far behind a declaration its initialisation may be (`int x = g(f(a));` is two calls).
const REACH: usize = 8;
/// How many expressions to look through on the way, for a use of the variable itself.
const BUDGET: usize = 64;

impl Facts {
    /// A scalar is surely initialised if
    /// - it is a parameter, or a temporary of the front end (the value of an expression), whose
    ///   address is not taken and which is not declared anew; or
    /// - wherever it is declared, an assignment or a call's result follows in a straight line
    ///   without a use in between: `int x = f(a);`.
    ///
    /// The assigned value must be a real one: an indeterminate byte can be moved around, and
    /// then the variable it is moved to is as indeterminate.
    pub fn of(types: &TypeTable, functions: &[FunctionInfo], body: &Body, edges: &[Edge]) -> Facts {
        let first_out = first_out(body.node_count, edges);
        let mut initialized: Vec<bool> = body
            .vars
            .iter()
            .map(|(id, v)| {
                types.is_scalar(v.ty)
                    && !v.address_taken
                    && body.ret != Some(id)
                    && matches!(v.kind, VarKind::Param | VarKind::Temp)
            })
            .collect();
        let mut declared = vec![false; body.vars.len()];
        let mut walk = Walk {
            types,
            functions,
            body,
            edges,
            first_out,
            stack: Vec::new(),
        };
        for e in edges {
            match e.stmt {
                Stmt::Declare(v) => {
                    let (Some(known), Some(var)) =
                        (initialized.get_mut(v.0 as usize), body.vars.get(v))
                    else {
                        continue;
                    };
                    let before = std::mem::replace(&mut declared[v.0 as usize], true);
                    let now = types.is_scalar(var.ty) && walk.written_next(e.to, v);
                    *known = now && (!before || *known);
                }
                // Such a result may be none at all.
                Stmt::Call(ref call) if !walk.returns_value(call) => {
                    if let Some(v) = call.result.and_then(|r| body.places.get(r)?.as_var())
                        && body.vars[v].kind == VarKind::Temp
                    {
                        initialized[v.0 as usize] = false;
                    }
                }
                _ => {}
            }
        }
        Facts {
            initialized,
            branch: branches(body.node_count, edges),
            ends_memory: edges.iter().any(|e| match &e.stmt {
                Stmt::End(v) => body.vars.get(*v).is_some_and(|v| v.address_taken),
                Stmt::Call(call) => match call.callee {
                    Callee::Direct(f) => {
                        let info = functions.get(f.0 as usize);
                        info.is_some_and(|f| !f.taken.is_empty())
                    }
                    Callee::Indirect(_) => false,
                },
                _ => false,
            }),
        }
    }

    pub fn ends_memory(&self) -> bool {
        self.ends_memory
    }

    /// Is what stands at this place behind the node in one macro with the branch that leads there?
    pub fn is_behind_own_branch(&self, node: NodeId, span: Span) -> bool {
        !span.is_none() && self.branch.get(node.0 as usize) == Some(&Some(span))
    }

    pub fn surely_initialized(&self, v: VarId) -> bool {
        self.initialized.get(v.0 as usize) == Some(&true)
    }
}

/// Can the function come to its end without a value for its result? C allows that as long as no
/// caller uses it, so it is an error of the caller and not of the function.
pub(crate) fn forgets_result(body: &Body) -> bool {
    let Some(ret) = body.ret else { return false };
    if body.vars.get(ret).is_none_or(|v| v.address_taken) {
        return true;
    }
    let writes = |stmt: &Stmt| {
        let place = match stmt {
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
            Stmt::Call(call) => call.result,
            _ => None,
        };
        // Writing a part of a struct counts: its fields are checked where they are read.
        place.is_some_and(|p| body.places.get(p).is_some_and(|p| p.base == Base::Var(ret)))
    };
    let mut seen = vec![false; body.node_count as usize];
    let mut stack = vec![body.entry];
    while let Some(n) = stack.pop() {
        if std::mem::replace(&mut seen[n.0 as usize], true) {
            continue;
        }
        if n == body.exit {
            return true;
        }
        for (_, e) in body.out_edges(n) {
            if !writes(&e.stmt) {
                stack.push(e.to);
            }
        }
    }
    false
}

/// For each node the place of the branch that leads there. Edges are in the order of their nodes,
/// in which a macro reads forward.
fn branches(node_count: u32, edges: &[Edge]) -> Vec<Option<Span>> {
    let mut branch = vec![None; node_count as usize];
    for e in edges {
        let tested = match e.stmt {
            Stmt::Assume(_) => true,
            _ => branch[e.from.0 as usize] == Some(e.span),
        };
        if tested {
            branch[e.to.0 as usize] = Some(e.span);
        }
    }
    branch
}

/// The index of the first edge that leaves each node.
fn first_out(node_count: u32, edges: &[Edge]) -> Vec<u32> {
    let mut first = vec![0u32; node_count as usize + 1];
    for e in edges {
        first[e.from.0 as usize + 1] += 1;
    }
    for n in 0..node_count as usize {
        first[n + 1] += first[n];
    }
    first
}

struct Walk<'a> {
    types: &'a TypeTable,
    functions: &'a [FunctionInfo],
    body: &'a Body,
    edges: &'a [Edge],
    first_out: Vec<u32>,
    stack: Vec<ExprId>,
}

impl Walk<'_> {
    fn returns_value(&self, call: &Call) -> bool {
        match call.callee {
            Callee::Direct(f) => self
                .functions
                .get(f.0 as usize)
                .is_some_and(|f| !f.forgets_result),
            Callee::Indirect(_) => false,
        }
    }

    /// Is `v` written by the statements that follow `node` in a straight line, before any of
    /// them mentions it otherwise?
    fn written_next(&mut self, mut node: NodeId, v: VarId) -> bool {
        let body = self.body;
        let is_v = |p: PlaceId| body.places.get(p).and_then(|p| p.as_var()) == Some(v);
        let mut budget = BUDGET;
        for _ in 0..REACH {
            let n = node.0 as usize;
            let out = self.first_out[n] as usize..self.first_out[n + 1] as usize;
            let [edge] = &self.edges[out] else {
                return false;
            };
            match edge.stmt {
                Stmt::Assign { place, value } => {
                    if self.mentions(v, &[value], &mut budget) {
                        return false;
                    }
                    if is_v(place) {
                        return is_real(self.types, body, value);
                    }
                    if !simple(body, place) {
                        return false;
                    }
                }
                Stmt::Call(ref call) => {
                    if self.mentions(v, &call.args, &mut budget) {
                        return false;
                    }
                    if let Callee::Indirect(f) = call.callee
                        && self.mentions(v, &[f], &mut budget)
                    {
                        return false;
                    }
                    match call.result {
                        Some(place) if is_v(place) => return self.returns_value(call),
                        Some(place) if !simple(body, place) => return false,
                        _ => {}
                    }
                }
                Stmt::Skip | Stmt::Declare(_) => {}
                _ => return false,
            }
            node = edge.to;
        }
        false
    }

    /// Does one of the expressions read `v` (or are they too large to tell)?
    fn mentions(&mut self, v: VarId, exprs: &[ExprId], budget: &mut usize) -> bool {
        self.stack.clear();
        self.stack.extend(exprs);
        while let Some(e) = self.stack.pop() {
            if *budget == 0 {
                return true;
            }
            *budget -= 1;
            let Some(expr) = self.body.exprs.get(e) else {
                return true;
            };
            match expr.kind {
                ExprKind::Load(p) | ExprKind::AddrOf(p) => {
                    let Some(place) = self.body.places.get(p) else {
                        return true;
                    };
                    match place.base {
                        Base::Var(base) if base == v => return true,
                        Base::Deref(pointer) => self.stack.push(pointer),
                        _ => {}
                    }
                    for step in &place.projections {
                        if let Projection::Index(i) = *step {
                            self.stack.push(i);
                        }
                    }
                }
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.stack.push(a),
                ExprKind::Binary(_, a, b)
                | ExprKind::Compare(_, a, b)
                | ExprKind::Overflow(_, a, b)
                | ExprKind::PtrAdd(a, b) => self.stack.extend([a, b]),
                ExprKind::Select(c, a, b) => self.stack.extend([c, a, b]),
                ExprKind::Intrinsic(_, ref args) => self.stack.extend(args),
                _ => {}
            }
        }
        false
    }
}

/// A place that mentions no expression.
fn simple(body: &Body, place: PlaceId) -> bool {
    body.places.get(place).is_some_and(|p| {
        !matches!(p.base, Base::Deref(_))
            && !p
                .projections
                .iter()
                .any(|s| matches!(s, Projection::Index(_)))
    })
}

/// A value that is not merely moved from a place that may be indeterminate unchecked (see the
/// `uninitialized-use` rule).
fn is_real(types: &TypeTable, body: &Body, value: ExprId) -> bool {
    match body.exprs.get(value).map(|e| &e.kind) {
        None | Some(ExprKind::Undef) => false,
        Some(ExprKind::Load(p)) => body.places.get(*p).is_some_and(|p| {
            types.as_int(p.ty).is_none_or(|(width, _)| width > 8) && !is_punned(types, p)
        }),
        Some(_) => true,
    }
}
