//! Hand-built bodies, and a short way to write them down again.
//!
//! `show` prints a body along its straight lines: one statement a line, a blank line where a node
//! is entered or left by several edges. It names no nodes unless it must, so that a test reads
//! like a program.

use ir::{
    Base, BinaryOp, Body, BodyBuilder, Check, Condition, ExprId, ExprKind, FuncId, Function,
    Linkage, NodeId, PlaceId, Program, Projection, Span, Stmt, Type, TypeId, UnaryOp, UnitId,
    VarId, VarKind,
};

/// A function under construction, with the straight line that statements are added to.
pub struct Build {
    pub program: Program,
    pub b: BodyBuilder,
    pub entry: NodeId,
    pub at: NodeId,
}

impl Build {
    pub fn new() -> Self {
        let mut b = BodyBuilder::new();
        let entry = b.node();
        Build {
            program: Program::default(),
            b,
            entry,
            at: entry,
        }
    }

    pub fn var(&mut self, name: &str, ty: TypeId, kind: VarKind) -> VarId {
        self.b.var(&mut self.program.symbols, name, ty, kind)
    }

    pub fn param(&mut self, name: &str, ty: TypeId) -> ExprId {
        let v = self.var(name, ty, VarKind::Param);
        self.b.load_var(v)
    }

    pub fn local(&mut self, name: &str, ty: TypeId) -> PlaceId {
        let v = self.var(name, ty, VarKind::Local);
        self.b.var_place(v)
    }

    pub fn pointer(&mut self, ty: TypeId) -> TypeId {
        self.program.types.pointer_to(ty)
    }

    pub fn array(&mut self, elem: TypeId, len: u64) -> TypeId {
        self.program.types.array_of(elem, len)
    }

    /// A struct whose fields follow each other without padding.
    pub fn record(&mut self, name: &str, fields: &[(&str, TypeId)]) -> TypeId {
        let mut offset = 0;
        let mut list = Vec::new();
        for &(field, ty) in fields {
            list.push(ir::Field {
                name: self.program.symbols.intern(field),
                ty,
                offset,
                bits: None,
            });
            offset += self.program.types.size_of(ty);
        }
        let id = self.program.types.structs.push(ir::StructDef {
            name: self.program.symbols.intern(name),
            union: false,
            size: offset,
            align: 8,
            fields: list,
            complete: true,
        });
        self.program.types.intern(Type::Struct(id))
    }

    pub fn int(&mut self, value: i128, ty: TypeId) -> ExprId {
        self.b.int(&self.program.types, value, ty)
    }

    pub fn deref(&mut self, pointer: ExprId) -> PlaceId {
        self.b.deref(&self.program.types, pointer)
    }

    pub fn field(&mut self, place: PlaceId, n: u32) -> PlaceId {
        self.b.field(&self.program.types, place, n)
    }

    pub fn index(&mut self, place: PlaceId, i: ExprId) -> PlaceId {
        self.b.index(&self.program.types, place, i)
    }

    pub fn addr(&mut self, place: PlaceId) -> ExprId {
        self.b.addr_of(&mut self.program.types, place)
    }

    pub fn stmt(&mut self, stmt: Stmt) {
        self.at = self.b.step(self.at, stmt, Span::NONE);
    }

    pub fn assign(&mut self, place: PlaceId, value: ExprId) {
        self.stmt(Stmt::Assign { place, value });
    }

    /// A function that is declared only.
    pub fn declare(&mut self, name: &str) -> FuncId {
        let signature = self.program.types.intern(Type::Function {
            ret: TypeId::I32,
            params: vec![],
            variadic: true,
        });
        let name = self.program.symbols.intern(name);
        self.program.functions.push(Function {
            name,
            display: name,
            unit: UnitId(0),
            linkage: Linkage::External,
            signature,
            noreturn: false,
            span: Span::NONE,
            body: None,
        })
    }

    /// Ends the function here, instruments the program and prints what became of it.
    pub fn instrumented(mut self) -> String {
        let f = self.declare("f");
        self.program.functions[f].body = Some(self.b.finish(self.entry, self.at));
        rules::instrument(&mut self.program, rules::Selection::all());
        let body = self.program.functions[f].body.as_ref().unwrap();
        show(&self.program, body)
    }
}

/// The body as text: see the module.
pub fn show(program: &Program, body: &Body) -> String {
    let mut out = String::new();
    let entering = body.in_edges();
    let mut seen = vec![false; body.node_count as usize];
    let mut pending = vec![body.entry];
    while let Some(mut n) = pending.pop() {
        if std::mem::replace(&mut seen[n.0 as usize], true) {
            continue;
        }
        loop {
            let edges: Vec<_> = body.out_edges(n).map(|(_, e)| e).collect();
            match edges[..] {
                [e] => {
                    let stmt = Show { program, body }.stmt(&e.stmt);
                    out.push_str(&stmt);
                    out.push('\n');
                    n = e.to;
                }
                [] => break,
                _ => {
                    for e in &edges {
                        let stmt = Show { program, body }.stmt(&e.stmt);
                        out.push_str(&format!("  -> {stmt}\n"));
                    }
                    pending.extend(edges.iter().rev().map(|e| e.to));
                    break;
                }
            }
            if entering[n.0 as usize].len() > 1 {
                pending.push(n);
                break;
            }
            seen[n.0 as usize] = true;
        }
    }
    out
}

struct Show<'a> {
    program: &'a Program,
    body: &'a Body,
}

impl Show<'_> {
    fn var(&self, v: VarId) -> &str {
        self.program.name(self.body.vars[v].name)
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Assign { place, value } => {
                format!("{} = {}", self.place(*place), self.expr(*value))
            }
            Stmt::Assume(e) => format!("assume {}", self.expr(*e)),
            Stmt::Declare(v) => format!("declare {}", self.var(*v)),
            Stmt::Check(c) => self.check(&self.body.checks[*c]),
            Stmt::Call(c) => {
                let args: Vec<_> = c.args.iter().map(|&a| self.expr(a)).collect();
                let callee = match c.callee {
                    ir::Callee::Direct(f) => self.program.function_name(f).to_string(),
                    ir::Callee::Indirect(e) => self.expr(e),
                };
                let result = c.result.map(|p| format!("{} = ", self.place(p)));
                let result = result.unwrap_or_default();
                format!("{result}{callee}({}) {:?}", args.join(", "), c.outcome)
            }
            Stmt::Copy {
                target,
                source,
                size,
                ..
            } => format!(
                "copy {} <- {} size {}",
                self.expr(*target),
                self.expr(*source),
                self.expr(*size)
            ),
            other => format!("{other:?}"),
        }
    }

    fn check(&self, check: &Check) -> String {
        let condition = match &check.condition {
            Condition::Holds(e) => self.expr(*e),
            Condition::Initialized(p) => format!("initialized {}", self.place(*p)),
            Condition::InBounds { pointer, size } => {
                format!("{} within {}", self.expr(*size), self.expr(*pointer))
            }
            Condition::Alive(e) => format!("alive {}", self.expr(*e)),
            Condition::Unreachable => "unreachable".to_string(),
        };
        format!("check [{}] {condition}", self.program.name(check.rule))
    }

    fn place(&self, id: PlaceId) -> String {
        let p = &self.body.places[id];
        let mut s = match p.base {
            Base::Var(v) => self.var(v).to_string(),
            Base::Global(g) => self.program.name(self.program.globals[g].name).to_string(),
            Base::Deref(e) => format!("(*{})", self.expr(e)),
        };
        for step in &p.projections {
            match *step {
                Projection::Field(f) => s.push_str(&format!(".{f}")),
                Projection::Index(i) => s.push_str(&format!("[{}]", self.expr(i))),
                Projection::As(_) => s.push_str(" as T"),
            }
        }
        s
    }

    fn expr(&self, id: ExprId) -> String {
        let e = &self.body.exprs[id];
        match &e.kind {
            ExprKind::Int(bits) => {
                let (w, s) = self.program.types.as_int(e.ty).unwrap();
                ir::expr::int_value(*bits, w, s).to_string()
            }
            ExprKind::Null => "null".to_string(),
            ExprKind::Load(p) => self.place(*p),
            ExprKind::AddrOf(p) => format!("&{}", self.place(*p)),
            ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", self.expr(*a), op.symbol(), self.expr(*b))
            }
            ExprKind::Compare(op, a, b) => {
                format!("{} {} {}", self.expr(*a), op.symbol(), self.expr(*b))
            }
            ExprKind::Overflow(op, a, b) => {
                let op: &BinaryOp = op;
                format!(
                    "overflow({} {} {})",
                    self.expr(*a),
                    op.symbol(),
                    self.expr(*b)
                )
            }
            ExprKind::Unary(UnaryOp::Not, a) => format!("!{}", self.expr(*a)),
            ExprKind::Cast(a) => {
                let ty = match self.program.types.as_int(e.ty) {
                    Some((w, s)) => format!("{}{w}", if s { 'i' } else { 'u' }),
                    None => "T".to_string(),
                };
                format!("({ty}){}", self.expr(*a))
            }
            ExprKind::Select(c, a, b) => format!(
                "({} ? {} : {})",
                self.expr(*c),
                self.expr(*a),
                self.expr(*b)
            ),
            ExprKind::PtrAdd(p, i) => format!("{} + {}", self.expr(*p), self.expr(*i)),
            other => format!("{other:?}"),
        }
    }
}
