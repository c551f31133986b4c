//! Functions that walk over arrays that they were given: loops up to a parameter, pointers that move, sums that may overflow.
//!
//! What `body` makes has constant bounds, and most of its checks hold whatever the inputs are. Here all depends on the inputs:
//! how often a loop turns, whether it ends, which access is out of bounds, which two pointers are the same.

use crate::body::{checks, step};
use crate::exprs::{Scope, vars_of};
use crate::world::{ARRAY, World};
use ir::{
    BinaryOp, BodyBuilder, Call, CallOutcome, Callee, CompareOp, Condition, ExprId, ExprKind,
    FuncId, Function, Linkage, NodeId, Span, Stmt, TrapReason, Type, TypeId, VarId, VarKind,
};

/// The integer types here: few, so that values meet.
const INTS: &[TypeId] = &[
    TypeId::I32,
    TypeId::I32,
    TypeId::I32,
    TypeId::U32,
    TypeId::I64,
    TypeId::U8,
    TypeId::I8,
];

/// Functions of the library: the program ends; memory is given back.
pub struct Library {
    pub exit: FuncId,
    pub free: FuncId,
}

pub fn library(w: &mut World) -> Library {
    let mut declare = |name: &str, param: TypeId, noreturn: bool| {
        let signature = w.program.types.intern(Type::Function {
            ret: TypeId::VOID,
            params: vec![param],
            variadic: false,
        });
        let name = w.program.symbols.intern(name);
        w.program.functions.push(Function {
            name,
            display: name,
            unit: w.unit,
            linkage: Linkage::External,
            signature,
            noreturn,
            span: Span::NONE,
            body: None,
        })
    };
    Library {
        exit: declare("exit", TypeId::I32, true),
        free: declare("free", TypeId::VOID_PTR, false),
    }
}

/// What one function is made of.
struct Scan<'a> {
    w: &'a mut World,
    s: Scope,
    library: &'a Library,
    ret: VarId,
    exit: NodeId,
    array: VarId,
    budget: u32,
}

/// Adds a function that may call all earlier ones.
pub fn function(w: &mut World, name: &str, library: &Library) {
    let int_pointer = w.program.types.pointer_to(TypeId::I32);
    let byte_pointer = w.program.types.pointer_to(TypeId::U8);
    let indirect = w.program.types.pointer_to(int_pointer);
    let params: Vec<TypeId> = (0..2 + w.rng.below(3))
        .map(|_| match w.rng.below(8) {
            0..=2 => int_pointer,
            3 => byte_pointer,
            4 if w.rng.one_in(2) => indirect,
            _ => w.rng.pick(INTS).unwrap_or(TypeId::I32),
        })
        .collect();
    let ret_type = w.rng.pick(INTS).unwrap_or(TypeId::I32);
    let mut b = BodyBuilder::new();
    let mut vars = Vec::new();
    for (i, ty) in params.iter().enumerate() {
        let name = format!("p{i}");
        vars.push(b.var(&mut w.program.symbols, &name, *ty, VarKind::Param));
    }
    let ret = b.var(&mut w.program.symbols, "$ret", ret_type, VarKind::Temp);
    b.set_return(ret);
    let entry = b.node();
    let exit = b.node();
    let array_type = w.program.types.array_of(TypeId::I32, ARRAY);
    let array = b.var(&mut w.program.symbols, "a", array_type, VarKind::Local);
    let mut scan = Scan {
        s: Scope {
            b,
            vars,
            counters: Vec::new(),
            checks: Vec::new(),
            tested: Vec::new(),
            itself: None,
        },
        library,
        ret,
        exit,
        array,
        budget: 2 + w.rng.below(w.size.statements),
        w,
    };
    let mut at = scan.stmt(entry, Stmt::Declare(array));
    for (name, ty) in [
        ("i", TypeId::I32),
        ("j", TypeId::I64),
        ("u", TypeId::U32),
        ("q", int_pointer),
    ] {
        at = scan.local(at, name, ty);
    }
    let nesting = scan.w.size.nesting;
    at = scan.block(at, nesting);
    scan.returned(at);
    let body = scan.s.b.finish(entry, exit);
    let signature = w.program.types.intern(Type::Function {
        ret: ret_type,
        params,
        variadic: false,
    });
    let name = w.program.symbols.intern(name);
    let span = w.span();
    let id = w.program.functions.push(Function {
        name,
        display: name,
        unit: w.unit,
        linkage: Linkage::External,
        signature,
        noreturn: false,
        span,
        body: Some(body),
    });
    w.functions.push(id);
}

impl Scan<'_> {
    fn stmt(&mut self, at: NodeId, stmt: Stmt) -> NodeId {
        step(self.w, &mut self.s, at, stmt)
    }

    fn checked(&mut self, at: NodeId) -> NodeId {
        checks(self.w, &mut self.s, at)
    }

    fn assign(&mut self, at: NodeId, v: VarId, value: ExprId) -> NodeId {
        let at = self.checked(at);
        let place = self.s.b.var_place(v);
        self.stmt(at, Stmt::Assign { place, value })
    }

    fn local(&mut self, at: NodeId, name: &str, ty: TypeId) -> NodeId {
        let symbols = &mut self.w.program.symbols;
        let v = self.s.b.var(symbols, name, ty, VarKind::Local);
        let mut at = self.stmt(at, Stmt::Declare(v));
        if !self.w.rng.one_in(8) {
            let value = match self.w.program.types.is_pointer(ty) {
                true => self.pointer(ty),
                false => self.linear(ty),
            };
            at = self.assign(at, v, value);
        }
        self.s.vars.push(v);
        at
    }

    fn returned(&mut self, at: NodeId) {
        let ty = self.s.b.var_type(self.ret);
        let value = self.linear(ty);
        let at = self.checked(at);
        let place = self.s.b.var_place(self.ret);
        let span = self.w.span();
        let stmt = Stmt::Assign { place, value };
        self.s.b.edge(at, self.exit, stmt, span);
    }

    fn int(&mut self, n: i128, ty: TypeId) -> ExprId {
        self.s.b.int(&self.w.program.types, n, ty)
    }

    fn var(&mut self, fits: impl Fn(TypeId) -> bool) -> Option<VarId> {
        let all = vars_of(&self.s, fits);
        self.w.rng.pick(&all)
    }

    /// A variable of any integer type, or a constant, as a number of this type.
    fn term(&mut self, ty: TypeId) -> ExprId {
        let v = self.var(|t| INTS.contains(&t));
        match v {
            Some(v) if !self.w.rng.one_in(4) => {
                let e = self.s.b.load_var(v);
                self.s.b.cast(&self.w.program.types, e, ty)
            }
            _ => {
                let n = match self.w.rng.one_in(8) {
                    true => i128::from(self.w.rng.bits() as i32),
                    false => i128::from(self.w.rng.below(12)) - 3,
                };
                self.int(n, ty)
            }
        }
    }

    /// A sum, mostly.
    fn linear(&mut self, ty: TypeId) -> ExprId {
        let a = self.term(ty);
        let (op, b) = match self.w.rng.below(12) {
            0..=3 => return a,
            4..=6 => (BinaryOp::Add, self.term(ty)),
            7 | 8 => (BinaryOp::Sub, self.term(ty)),
            9 => {
                let n = i128::from(self.w.rng.below(5));
                (BinaryOp::Mul, self.int(n, ty))
            }
            10 => {
                let n = i128::from(1 + self.w.rng.below(9));
                let n = self.int(n, ty);
                let ops = [BinaryOp::Div, BinaryOp::Rem];
                let op = self.w.rng.pick(&ops).unwrap_or(BinaryOp::Div);
                return self.s.b.binary(op, a, n);
            }
            _ => {
                let n = i128::from(self.w.rng.below(7));
                let n = self.int(n, ty);
                let ops = [BinaryOp::Shr, BinaryOp::Shl, BinaryOp::And, BinaryOp::Or];
                let op = self.w.rng.pick(&ops).unwrap_or(BinaryOp::And);
                return self.s.b.binary(op, a, n);
            }
        };
        let signed = self.w.program.types.as_int(ty).is_some_and(|t| t.1);
        if signed {
            let overflow = self.s.b.expr(ExprKind::Overflow(op, a, b), TypeId::BOOL);
            let fine = self.s.b.not(&self.w.program.types, overflow);
            self.s
                .checks
                .push(("integer-overflow", Condition::Holds(fine)));
        }
        self.s.b.binary(op, a, b)
    }

    fn condition(&mut self) -> ExprId {
        let ops = [
            CompareOp::Eq,
            CompareOp::Ne,
            CompareOp::Lt,
            CompareOp::Le,
            CompareOp::Gt,
            CompareOp::Ge,
        ];
        let op = self.w.rng.pick(&ops).unwrap_or(CompareOp::Lt);
        if self.w.rng.one_in(5) {
            let ty = self.w.program.types.pointer_to(TypeId::I32);
            let a = self.pointer(ty);
            let b = match self.w.rng.one_in(3) {
                true => self.s.b.null(ty),
                false => self.pointer(ty),
            };
            return self.s.b.compare(op, a, b);
        }
        let ty = self.w.rng.pick(INTS).unwrap_or(TypeId::I32);
        let (a, b) = (self.term(ty), self.term(ty));
        self.s.b.compare(op, a, b)
    }

    /// A pointer that may have been moved.
    fn pointer(&mut self, ty: TypeId) -> ExprId {
        let v = self.var(|t| t == ty);
        let to = self.w.program.types.pointee(ty).unwrap_or(TypeId::VOID);
        let base = match (v, self.w.rng.below(8)) {
            (_, 0) if to == TypeId::I32 => {
                let place = self.s.b.var_place(self.array);
                let zero = self.int(0, TypeId::I64);
                let place = self.s.b.index(&self.w.program.types, place, zero);
                self.s.b.addr_of(&mut self.w.program.types, place)
            }
            (_, 1) | (None, 2..) => match self.var(|t| t == to) {
                Some(v) => {
                    let place = self.s.b.var_place(v);
                    self.s.b.addr_of(&mut self.w.program.types, place)
                }
                None if to == TypeId::I32 => {
                    let place = self.s.b.global_place(self.w.globals[0], to);
                    self.s.b.addr_of(&mut self.w.program.types, place)
                }
                None => self.s.b.null(ty),
            },
            (Some(v), _) => self.s.b.load_var(v),
            (None, _) => self.s.b.null(ty),
        };
        match self.w.rng.one_in(4) {
            true => {
                let index = self.term(TypeId::I64);
                self.s.b.ptr_add(base, index)
            }
            false => base,
        }
    }

    fn block(&mut self, mut at: NodeId, nesting: u32) -> NodeId {
        let mut length = 2 + self.w.rng.below(4);
        while self.budget > 0 && length > 0 {
            self.budget -= 1;
            length -= 1;
            at = self.statement(at, nesting);
            at = self.checked(at);
        }
        at
    }

    fn statement(&mut self, at: NodeId, nesting: u32) -> NodeId {
        match self.w.rng.below(22) {
            0..=3 if nesting > 0 => self.cycle(at, nesting - 1),
            4 | 5 if nesting > 0 => self.branch(at, nesting - 1),
            6..=9 => self.access(at),
            10 => self.local_access(at),
            11 | 12 => {
                let ty = self.w.program.types.pointer_to(TypeId::I32);
                match self.var(|t| t == ty) {
                    Some(v) => {
                        let value = self.pointer(ty);
                        self.assign(at, v, value)
                    }
                    None => at,
                }
            }
            13 => {
                let c = self.condition();
                self.s.checks.push(("assertion", Condition::Holds(c)));
                at
            }
            14 => self.call(at),
            15 => self.ending(at),
            16 => self.allocation(at),
            17 => self.indirect(at),
            _ => match self.var(|t| INTS.contains(&t)) {
                Some(v) => {
                    let ty = self.s.b.var_type(v);
                    let value = self.linear(ty);
                    self.assign(at, v, value)
                }
                None => at,
            },
        }
    }

    /// Two ways on.
    fn fork(&mut self, at: NodeId, c: ExprId) -> (NodeId, NodeId) {
        let at = self.checked(at);
        let not = self.s.b.not(&self.w.program.types, c);
        let span = self.w.span();
        (
            self.s.b.step(at, Stmt::Assume(c), span),
            self.s.b.step(at, Stmt::Assume(not), span),
        )
    }

    /// `while (c) { …; i += n; }`
    fn cycle(&mut self, at: NodeId, nesting: u32) -> NodeId {
        let head = self.stmt(at, Stmt::Skip);
        let c = self.condition();
        let (inside, after) = self.fork(head, c);
        let mut inside = self.block(inside, nesting);
        if let Some(v) = self.var(|t| INTS.contains(&t))
            && !self.w.rng.one_in(6)
        {
            let ty = self.s.b.var_type(v);
            let value = self.s.b.load_var(v);
            let n = [1, 1, 1, 2, -1, -1][self.w.rng.below(6) as usize];
            let n = self.int(n, ty);
            let overflow = self
                .s
                .b
                .expr(ExprKind::Overflow(BinaryOp::Add, value, n), TypeId::BOOL);
            let fine = self.s.b.not(&self.w.program.types, overflow);
            if self.w.program.types.as_int(ty).is_some_and(|t| t.1) {
                self.s
                    .checks
                    .push(("integer-overflow", Condition::Holds(fine)));
            }
            let sum = self.s.b.binary(BinaryOp::Add, value, n);
            inside = self.assign(inside, v, sum);
        }
        self.s.b.edge(inside, head, Stmt::Skip, Span::NONE);
        after
    }

    fn branch(&mut self, at: NodeId, nesting: u32) -> NodeId {
        let c = self.condition();
        let (yes, no) = self.fork(at, c);
        let yes = self.block(yes, nesting);
        let no = match self.w.rng.one_in(2) {
            true => self.block(no, nesting),
            false => no,
        };
        let join = self.s.b.node();
        self.s.b.edge(yes, join, Stmt::Skip, Span::NONE);
        self.s.b.edge(no, join, Stmt::Skip, Span::NONE);
        join
    }

    /// `p[i]`, read or written, behind its checks.
    fn access(&mut self, at: NodeId) -> NodeId {
        let types = &self.w.program.types;
        let scalars = |t: TypeId| {
            let to = types.pointee(t);
            to.is_some_and(|to| INTS.contains(&to))
        };
        let all = vars_of(&self.s, scalars);
        let Some(p) = self.w.rng.pick(&all) else {
            return at;
        };
        let ty = self.s.b.var_type(p);
        let to = types.pointee(ty).unwrap_or(TypeId::I32);
        let p = self.s.b.load_var(p);
        let index = match self.w.rng.one_in(3) {
            true => self.int(0, TypeId::I64),
            false => self.term(TypeId::I64),
        };
        let null = self.s.b.null(ty);
        let some = self.s.b.compare(CompareOp::Ne, p, null);
        let pointer = self.s.b.ptr_add(p, index);
        let size = i128::from(self.w.program.types.size_of(to));
        let size = self.int(size, TypeId::U64);
        let place = self.s.b.deref(&self.w.program.types, pointer);
        self.s.checks.extend([
            ("null-dereference", Condition::Holds(some)),
            ("use-after-free", Condition::Alive(p)),
            ("out-of-bounds", Condition::InBounds { pointer, size }),
        ]);
        if self.w.rng.one_in(2) {
            let value = self.linear(to);
            let at = self.checked(at);
            return self.stmt(at, Stmt::Assign { place, value });
        }
        if self.w.rng.one_in(3) {
            self.s
                .checks
                .push(("uninitialized-use", Condition::Initialized(place)));
        }
        let at = self.checked(at);
        match self.var(|t| INTS.contains(&t)) {
            Some(v) => {
                let value = self.s.b.load(place);
                let ty = self.s.b.var_type(v);
                let value = self.s.b.cast(&self.w.program.types, value, ty);
                self.assign(at, v, value)
            }
            None => at,
        }
    }

    /// `a[i]` of the function's own array.
    fn local_access(&mut self, at: NodeId) -> NodeId {
        let index = self.term(TypeId::I64);
        let unsigned = self.s.b.cast(&self.w.program.types, index, TypeId::U64);
        let bound = self.int(i128::from(ARRAY), TypeId::U64);
        let fine = self.s.b.compare(CompareOp::Lt, unsigned, bound);
        self.s
            .checks
            .push(("out-of-bounds", Condition::Holds(fine)));
        let at = self.checked(at);
        let place = self.s.b.var_place(self.array);
        let place = self.s.b.index(&self.w.program.types, place, index);
        if self.w.rng.one_in(2) {
            let value = self.linear(TypeId::I32);
            let at = self.checked(at);
            return self.stmt(at, Stmt::Assign { place, value });
        }
        self.s
            .checks
            .push(("uninitialized-use", Condition::Initialized(place)));
        let at = self.checked(at);
        match self.var(|t| t == TypeId::I32) {
            Some(v) => {
                let value = self.s.b.load(place);
                self.assign(at, v, value)
            }
            None => at,
        }
    }

    fn call_of(&mut self, at: NodeId, f: FuncId, args: Vec<ExprId>, result: bool) -> NodeId {
        let at = self.checked(at);
        let signature = self.w.program.functions[f].signature;
        let ret = match self.w.program.types.get(signature) {
            Type::Function { ret, .. } => *ret,
            _ => TypeId::VOID,
        };
        let result = self.var(|t| t == ret).filter(|_| result);
        let call = Call {
            result: result.map(|v| self.s.b.var_place(v)),
            callee: Callee::Direct(f),
            args,
            signature,
            outcome: CallOutcome::Return,
            noreturn: self.w.program.functions[f].noreturn,
        };
        self.stmt(at, Stmt::Call(Box::new(call)))
    }

    fn call(&mut self, at: NodeId) -> NodeId {
        if self.w.rng.one_in(4) {
            let ty = self.w.program.types.pointer_to(TypeId::I32);
            let p = self.pointer(ty);
            let p = self.s.b.cast(&self.w.program.types, p, TypeId::VOID_PTR);
            return self.call_of(at, self.library.free, vec![p], false);
        }
        let Some(f) = self.w.rng.pick(&self.w.functions.clone()) else {
            return at;
        };
        let signature = self.w.program.functions[f].signature;
        let Type::Function { params, .. } = self.w.program.types.get(signature).clone() else {
            return at;
        };
        let args = params.iter().map(|ty| {
            let is_pointer = self.w.program.types.is_pointer(*ty);
            match is_pointer {
                true => self.pointer(*ty),
                false => self.term(*ty),
            }
        });
        let args: Vec<ExprId> = args.collect();
        self.call_of(at, f, args, true)
    }

    /// `if (c) return`, `if (c) exit(n)`, or a trap.
    fn ending(&mut self, at: NodeId) -> NodeId {
        let c = self.condition();
        let (yes, no) = self.fork(at, c);
        match self.w.rng.below(6) {
            0..=2 => self.returned(yes),
            3 | 4 => {
                let code = self.int(3, TypeId::I32);
                let behind = self.call_of(yes, self.library.exit, vec![code], false);
                let trap = Stmt::Trap(TrapReason::Unreachable);
                self.s.b.edge(behind, self.exit, trap, Span::NONE);
            }
            _ => {
                let trap = Stmt::Trap(TrapReason::Trap);
                self.s.b.edge(yes, self.exit, trap, Span::NONE);
            }
        }
        no
    }

    /// `q = alloca(…)`
    fn allocation(&mut self, at: NodeId) -> NodeId {
        let ty = self.w.program.types.pointer_to(TypeId::I32);
        let Some(var) = self.var(|t| t == ty) else {
            return at;
        };
        let count = self.term(TypeId::U8);
        let count = self.s.b.cast(&self.w.program.types, count, TypeId::U64);
        let at = self.checked(at);
        self.stmt(at, Stmt::Allocate { var, count })
    }

    /// `*pp = p`, or `p = *pp`.
    fn indirect(&mut self, at: NodeId) -> NodeId {
        let ty = self.w.program.types.pointer_to(TypeId::I32);
        let outer = self.w.program.types.pointer_to(ty);
        let Some(pp) = self.var(|t| t == outer) else {
            return at;
        };
        let pointer = self.s.b.load_var(pp);
        let null = self.s.b.null(outer);
        let some = self.s.b.compare(CompareOp::Ne, pointer, null);
        let size = self.int(8, TypeId::U64);
        self.s.checks.extend([
            ("null-dereference", Condition::Holds(some)),
            ("use-after-free", Condition::Alive(pointer)),
            ("out-of-bounds", Condition::InBounds { pointer, size }),
        ]);
        let at = self.checked(at);
        let place = self.s.b.deref(&self.w.program.types, pointer);
        if self.w.rng.one_in(2) {
            let value = self.pointer(ty);
            let at = self.checked(at);
            return self.stmt(at, Stmt::Assign { place, value });
        }
        match self.var(|t| t == ty) {
            Some(v) => {
                let value = self.s.b.load(place);
                self.assign(at, v, value)
            }
            None => at,
        }
    }
}
