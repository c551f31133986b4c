//! Translating a body into [`Code`]: variables, places and nodes. Expressions are in `lower`.
//!
//! Whatever in the body is not as `ir` promises (an id out of range, an operand that contains its
//! own user) becomes `Bad`, so that only running into it ends the run.

use crate::code::{CVar, CallSite, CallTarget, Code, Node, Op, Repr, Root};
use crate::init::Addresses;
use ir::{
    Base, Body, Callee, EdgeId, ExprId, ExprKind, FuncId, Place, Program, Projection, Stmt, Type,
    TypeId,
};
use smallvec::SmallVec;

mod branch;
mod lower;
mod place;

/// Expressions deeper than this would exhaust the native stack.
const MAX_DEPTH: u32 = 3000;

/// Translates a function's body.
pub fn compile<'p>(
    program: &'p Program,
    addresses: &Addresses,
    func: FuncId,
    body: &'p Body,
    keep_nodes: bool,
) -> Code<'p> {
    let mut c = Compiler {
        program,
        addresses,
        body,
        code: Code {
            func,
            body,
            ops: Vec::with_capacity(body.exprs.len()),
            reprs: Vec::with_capacity(body.exprs.len()),
            places: Vec::with_capacity(body.places.len()),
            nodes: Vec::with_capacity(body.node_count as usize),
            calls: Vec::new(),
            switches: Vec::new(),
            vars: Vec::new(),
            entry_vars: Vec::new(),
            memory_vars: Vec::new(),
            broken: None,
        },
        depth: Vec::with_capacity(body.exprs.len()),
    };
    c.vars();
    for p in body.places.values() {
        let p = c.place(p);
        c.code.places.push(p);
    }
    for (id, e) in body.exprs.iter() {
        let repr = repr_of(program, e.ty);
        c.code.reprs.push(repr);
        let depth = c.depth_of(id);
        c.depth.push(depth.unwrap_or(MAX_DEPTH));
        let op = match depth {
            Some(d) if d < MAX_DEPTH => c.op(e).unwrap_or(Op::Bad),
            _ => Op::Bad,
        };
        c.code.ops.push(op);
    }
    for n in body.nodes() {
        let node = c.node(n).unwrap_or(Node::Malformed);
        c.code.nodes.push(node);
    }
    if !keep_nodes {
        c.shorten();
    }
    if body.entry.0 >= body.node_count {
        c.code.broken = Some("entry node out of range".into());
    }
    c.code
}

/// The representation of a type; ids out of range are not supported.
pub fn repr_of(program: &Program, ty: TypeId) -> Repr {
    let types = &program.types;
    if ty.0 as usize >= types.len() {
        return Repr::Unsupported;
    }
    match *types.get(ty) {
        Type::Int { width, signed } => match width {
            1..=64 => Repr::Int {
                width: width as u8,
                signed,
            },
            65..=128 => Repr::WideInt {
                width: width as u8,
                signed,
            },
            _ => Repr::Unsupported,
        },
        Type::Pointer(_) => Repr::Pointer,
        Type::Float(ir::FloatKind::F32) => Repr::F32,
        Type::Float(ir::FloatKind::F64) => Repr::F64,
        Type::Float(ir::FloatKind::X87) => Repr::X87,
        Type::Float(_) => Repr::Unsupported,
        Type::Array { .. } | Type::Struct(_) | Type::Opaque { .. } => Repr::Blob {
            size: types.size_of(ty),
        },
        Type::Void | Type::Function { .. } => Repr::Void,
    }
}

struct Compiler<'a, 'p> {
    program: &'p Program,
    addresses: &'a Addresses,
    body: &'p Body,
    code: Code<'p>,
    /// Height of each expression tree.
    depth: Vec<u32>,
}

impl<'p> Compiler<'_, 'p> {
    /// A variable lives in a register if it is scalar and nothing but its whole is ever named.
    fn vars(&mut self) {
        let types = &self.program.types;
        for v in self.body.vars.values() {
            let repr = repr_of(self.program, v.ty);
            let known = (v.ty.0 as usize) < types.len();
            self.code.vars.push(CVar {
                repr,
                size: if known { types.size_of(v.ty) } else { 0 },
                align: if known { types.align_of(v.ty) } else { 1 },
                in_memory: v.address_taken || !repr.is_small(),
            });
        }
        for e in self.body.exprs.values() {
            if let ExprKind::AddrOf(p) = e.kind
                && let Some(p) = self.body.places.get(p)
            {
                self.put_in_memory(p);
            }
        }
        for p in self.body.places.values() {
            if p.as_var().is_none() {
                self.put_in_memory(p);
            }
        }
        let mut declared = vec![false; self.code.vars.len()];
        for e in self.body.edges().values() {
            if let Stmt::Declare(v) = e.stmt
                && let Some(d) = declared.get_mut(v.0 as usize)
            {
                *d = true;
            }
        }
        for (i, v) in self.code.vars.iter().enumerate() {
            if v.in_memory {
                self.code.memory_vars.push(i as u32);
                if !declared[i] {
                    self.code.entry_vars.push(i as u32);
                }
            }
        }
    }

    fn put_in_memory(&mut self, place: &Place) {
        if let Base::Var(v) = place.base
            && let Some(v) = self.code.vars.get_mut(v.0 as usize)
        {
            v.in_memory = true;
        }
    }

    /// One more than the deepest operand; none if an operand does not come before its user.
    fn depth_of(&self, id: ExprId) -> Option<u32> {
        let mut operands: SmallVec<[ExprId; 4]> = SmallVec::new();
        match &self.body.exprs[id].kind {
            ExprKind::Load(p) | ExprKind::AddrOf(p) => {
                place_operands(self.body.places.get(*p)?, &mut operands);
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => operands.push(*a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Overflow(_, a, b)
            | ExprKind::PtrAdd(a, b) => operands.extend([*a, *b]),
            ExprKind::Select(a, b, c) => operands.extend([*a, *b, *c]),
            ExprKind::Intrinsic(_, args) => operands.extend(args.iter().copied()),
            _ => {}
        }
        let mut depth = 0;
        for o in operands {
            if o >= id {
                return None;
            }
            depth = depth.max(*self.depth.get(o.0 as usize)?);
        }
        Some(depth + 1)
    }

    fn checked(&self, ty: TypeId) -> Option<TypeId> {
        ((ty.0 as usize) < self.program.types.len()).then_some(ty)
    }

    fn node(&mut self, n: ir::NodeId) -> Option<Node> {
        let edges: SmallVec<[(EdgeId, &'p ir::Edge); 2]> = self.body.out_edges(n).collect();
        if edges.iter().any(|(_, e)| e.to.0 >= self.body.node_count) {
            return None;
        }
        match edges.as_slice() {
            [] if n == self.body.exit => Some(Node::Exit),
            [] if Some(n) == self.body.unwind => Some(Node::Unwind),
            [] => Some(Node::DeadEnd),
            [(id, edge), rest @ ..] => match &edge.stmt {
                Stmt::Call(call) if rest.iter().all(|(_, e)| same_call(&edge.stmt, &e.stmt)) => {
                    let site = self.call_site(call, &edges)?;
                    self.code.calls.push(site);
                    Some(Node::Call(self.code.calls.len() as u32 - 1))
                }
                _ if rest.is_empty() => Some(self.statement(*id, edge)),
                _ => Some(self.branch(&edges).unwrap_or(Node::Choice)),
            },
        }
    }

    fn call_site(&self, call: &ir::Call, edges: &[(EdgeId, &'p ir::Edge)]) -> Option<CallSite> {
        let arg = |&a: &ExprId| Some((a.0, self.body.exprs.get(a)?.ty));
        let mut site = CallSite {
            args: call.args.iter().map(arg).collect::<Option<_>>()?,
            target: match call.callee {
                Callee::Direct(f) => {
                    self.program.functions.get(f)?;
                    CallTarget::Direct(f)
                }
                Callee::Indirect(e) => {
                    self.body.exprs.get(e)?;
                    CallTarget::Indirect(e.0)
                }
            },
            result: call.result.map(|p| p.0),
            normal: None,
            unwind: None,
            again: None,
        };
        for (_, e) in edges {
            if let Stmt::Call(c) = &e.stmt {
                site.edge_of(c.outcome).get_or_insert(e.to.0);
                site.result = site.result.or(c.result.map(|p| p.0));
            }
        }
        Some(site)
    }

    fn statement(&self, id: EdgeId, edge: &'p ir::Edge) -> Node {
        let to = edge.to.0;
        match edge.stmt {
            Stmt::Skip => Node::Goto(to),
            Stmt::Declare(v) if (v.0 as usize) < self.code.vars.len() => {
                Node::Declare { var: v.0, to }
            }
            Stmt::End(v) if (v.0 as usize) < self.code.vars.len() => Node::End { var: v.0, to },
            Stmt::Check(c) if self.body.checks.get(c).is_some() => Node::Check { check: c.0, to },
            Stmt::Assign { place, value } => {
                let Some(p) = self.code.places.get(place.0 as usize) else {
                    return Node::Malformed;
                };
                let Some(repr) = self.code.reprs.get(value.0 as usize) else {
                    return Node::Malformed;
                };
                match p.root {
                    Root::Reg(var) if repr.is_small() => Node::SetReg {
                        var,
                        value: value.0,
                        to,
                        copy: keeps_marks(&self.code.ops[value.0 as usize]),
                    },
                    _ => Node::Assign {
                        place: place.0,
                        value: value.0,
                        to,
                    },
                }
            }
            _ => Node::Stmt { edge: id.0, to },
        }
    }

    /// Jumps over nodes that do nothing (never round a cycle).
    fn shorten(&mut self) {
        let next: Vec<u32> = (0..self.code.nodes.len())
            .map(|n| {
                let mut at = n as u32;
                for _ in 0..8 {
                    match self.code.nodes.get(at as usize) {
                        Some(Node::Goto(to)) if *to != at => at = *to,
                        _ => break,
                    }
                }
                at
            })
            .collect();
        for node in &mut self.code.nodes {
            match node {
                Node::Goto(to)
                | Node::SetReg { to, .. }
                | Node::Assign { to, .. }
                | Node::Declare { to, .. }
                | Node::End { to, .. }
                | Node::Check { to, .. }
                | Node::Stmt { to, .. } => *to = next[*to as usize],
                Node::Branch { yes, no, .. } => {
                    *yes = next[*yes as usize];
                    *no = next[*no as usize];
                }
                _ => {}
            }
        }
        for site in &mut self.code.calls {
            if let Some(to) = &mut site.normal {
                *to = next[*to as usize];
            }
        }
    }
}

/// Can the value be an unwritten one, or a pointer?
fn keeps_marks(op: &Op) -> bool {
    !matches!(
        op,
        Op::Const(_)
            | Op::Add { .. }
            | Op::Sub { .. }
            | Op::Mul { .. }
            | Op::DivS { .. }
            | Op::DivU { .. }
            | Op::RemS { .. }
            | Op::RemU { .. }
            | Op::Not { .. }
            | Op::Eq { .. }
            | Op::Ne { .. }
            | Op::LtS { .. }
            | Op::LeS { .. }
            | Op::LtU { .. }
            | Op::LeU { .. }
            | Op::F64 { .. }
            | Op::F32 { .. }
            | Op::Overflow { .. }
    )
}

fn same_call(a: &Stmt, b: &Stmt) -> bool {
    match (a, b) {
        (Stmt::Call(a), Stmt::Call(b)) => {
            a.callee == b.callee && a.args == b.args && a.outcome != b.outcome
        }
        _ => false,
    }
}

fn place_operands(p: &Place, out: &mut SmallVec<[ExprId; 4]>) {
    if let Base::Deref(e) = p.base {
        out.push(e);
    }
    for step in &p.projections {
        if let Projection::Index(e) = step {
            out.push(*e);
        }
    }
}
