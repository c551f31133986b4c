//! Bodies as a stream of bytes.

use super::Hash;
use super::out::Out;
use super::types::Tables;
use crate::body::{Body, VarId};
use crate::expr::{Base, ExprId, ExprKind, PlaceId, Projection};
use crate::program::{FuncId, GlobalId, Program, Symbol};
use crate::stmt::{Call, Callee, CatchClause, Condition, HavocReason, Stmt};
use crate::types::TypeId;
use crate::walk::{Item, expr_items, place_items, statement_items};
use smallvec::SmallVec;

/// Functions that a failed assertion calls; their third argument is the line.
const ASSERTION_HANDLERS: &[&str] = &[
    "__assert_fail",
    "__assert_rtn",
    "__assert",
    "__assert_perror_fail",
    "_assert",
];
const LINE_ARGUMENT: usize = 2;

const UNSEEN: u32 = u32::MAX;

pub(super) struct Stream<'a> {
    program: &'a Program,
    tables: &'a Tables,
    out: Out,
    /// Numbers in the order of first use.
    exprs: Vec<u32>,
    places: Vec<u32>,
    numbered: u32,
    /// The same for types: a hash of its own is long, and most types are met many times.
    types: Vec<u32>,
    met: Vec<TypeId>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(program: &'a Program, tables: &'a Tables) -> Self {
        Stream {
            program,
            tables,
            out: Out::default(),
            exprs: Vec::new(),
            places: Vec::new(),
            numbered: 0,
            types: vec![UNSEEN; program.types.len()],
            met: Vec::new(),
        }
    }

    /// The hash of what was written; then all is as in the beginning.
    pub(super) fn finish(&mut self) -> Hash {
        let hash = self.out.hash();
        self.out.clear();
        self.numbered = 0;
        for ty in self.met.drain(..) {
            self.types[ty.0 as usize] = UNSEEN;
        }
        hash
    }

    pub(super) fn byte(&mut self, b: u8) {
        self.out.byte(b);
    }

    fn number(&mut self, n: u64) {
        self.out.number(n);
    }

    fn wide(&mut self, n: u128) {
        self.out.number(n as u64);
        self.out.number((n >> 64) as u64);
    }

    pub(super) fn symbol(&mut self, s: Symbol) {
        self.out.symbol(self.program, s);
    }

    pub(super) fn value_type(&mut self, ty: TypeId) {
        let new = self.met.len() as u32;
        match self.types.get_mut(ty.0 as usize) {
            Some(number) if *number == UNSEEN => {
                *number = new;
                self.met.push(ty);
            }
            Some(number) => return self.out.number(u64::from(*number)),
            None => {}
        }
        self.out.number(u64::from(new));
        self.out.short(self.tables.value_type(ty));
    }

    fn function(&mut self, id: FuncId) {
        self.out.short(self.tables.function(id));
    }

    fn global(&mut self, id: GlobalId) {
        self.out.short(self.tables.global(id));
    }

    fn var(&mut self, v: VarId) {
        self.number(u64::from(v.0));
    }

    fn expr(&mut self, e: ExprId) {
        let number = self.exprs.get(e.0 as usize).copied();
        self.number(u64::from(number.unwrap_or(UNSEEN)));
    }

    fn place(&mut self, p: PlaceId) {
        let number = self.places.get(p.0 as usize).copied();
        self.number(u64::from(number.unwrap_or(UNSEEN)));
    }

    pub(super) fn body(&mut self, body: &Body) {
        for (numbers, count) in [
            (&mut self.exprs, body.exprs.len()),
            (&mut self.places, body.places.len()),
        ] {
            numbers.clear();
            numbers.resize(count, UNSEEN);
        }
        for v in body.vars.values() {
            self.symbol(v.name);
            self.value_type(v.ty);
            self.byte(v.kind as u8);
        }
        self.byte(b';');
        body.params.iter().for_each(|&p| self.var(p));
        self.byte(b';');
        body.ret.iter().for_each(|&r| self.var(r));
        self.byte(b';');
        let unwind = body.unwind.map(|n| n.0);
        for n in [Some(body.entry.0), Some(body.exit.0), unwind] {
            self.number(n.map_or(u64::MAX, u64::from));
        }
        for label in &body.labels {
            self.number(u64::from(label.0));
        }
        self.byte(b';');
        for edge in body.edges().values() {
            self.number(u64::from(edge.from.0));
            self.number(u64::from(edge.to.0));
            self.stmt(body, &edge.stmt);
        }
    }

    /// Writes an expression or place and all it is made of, unless that was done before.
    fn define(&mut self, body: &Body, item: Item) {
        let mut stack: SmallVec<[(Item, bool); 16]> = SmallVec::new();
        stack.push((item, false));
        while let Some((item, ready)) = stack.pop() {
            let number = match item {
                Item::Expr(e) => self.exprs.get(e.0 as usize),
                Item::Place(p) => self.places.get(p.0 as usize),
            };
            if number != Some(&UNSEEN) {
                continue;
            }
            if !ready {
                stack.push((item, true));
                let first = stack.len();
                let mut push = |i| stack.push((i, false));
                match item {
                    Item::Expr(e) => expr_items(&body.exprs[e], &mut push),
                    Item::Place(p) => place_items(&body.places[p], &mut push),
                }
                stack[first..].reverse();
                continue;
            }
            let number = self.numbered;
            self.numbered += 1;
            match item {
                Item::Expr(e) => {
                    self.define_expr(body, e);
                    self.exprs[e.0 as usize] = number;
                }
                Item::Place(p) => {
                    self.define_place(body, p);
                    self.places[p.0 as usize] = number;
                }
            }
        }
    }

    fn define_expr(&mut self, body: &Body, id: ExprId) {
        let e = &body.exprs[id];
        self.byte(b'e');
        self.value_type(e.ty);
        match &e.kind {
            ExprKind::Int(bits) => {
                self.byte(0);
                self.wide(*bits);
            }
            ExprKind::Float(bits) => {
                self.byte(1);
                self.wide(*bits);
            }
            ExprKind::Null => self.byte(2),
            ExprKind::Undef => self.byte(3),
            ExprKind::Load(_) => self.byte(4),
            ExprKind::AddrOf(_) => self.byte(5),
            ExprKind::Function(f) => {
                self.byte(6);
                self.function(*f);
            }
            ExprKind::Label(f, k) => {
                self.byte(7);
                self.function(*f);
                self.number(u64::from(*k));
            }
            ExprKind::Unary(op, _) => self.out.raw(&[8, *op as u8]),
            ExprKind::Binary(op, ..) => self.out.raw(&[9, *op as u8]),
            ExprKind::Compare(op, ..) => self.out.raw(&[10, *op as u8]),
            ExprKind::Overflow(op, ..) => self.out.raw(&[11, *op as u8]),
            ExprKind::Cast(_) => self.byte(12),
            ExprKind::Select(..) => self.byte(13),
            ExprKind::PtrAdd(..) => {
                self.byte(14);
                // The step is the size of what is pointed to.
                self.number(self.program.types.stride(e.ty));
            }
            ExprKind::Intrinsic(op, args) => {
                self.out.raw(&[15, *op as u8]);
                self.number(args.len() as u64);
            }
            ExprKind::TypeInfo(g) => {
                self.byte(16);
                self.global(*g);
            }
        }
        self.items(|visit| expr_items(e, visit));
    }

    fn define_place(&mut self, body: &Body, id: PlaceId) {
        let place = &body.places[id];
        self.byte(b'p');
        self.value_type(place.ty);
        match place.base {
            Base::Var(v) => {
                self.byte(0);
                self.var(v);
            }
            Base::Global(g) => {
                self.byte(1);
                self.global(g);
            }
            Base::Deref(e) => {
                self.byte(2);
                // Whoever reaches into a struct depends on its layout.
                let to = self.program.types.pointee(body.exprs[e].ty);
                self.value_type(to.unwrap_or(TypeId::VOID));
            }
        }
        for step in &place.projections {
            match step {
                Projection::Field(n) => {
                    self.byte(b'.');
                    self.number(u64::from(*n));
                }
                Projection::Index(_) => self.byte(b'['),
                Projection::As(ty) => {
                    self.byte(b':');
                    self.value_type(*ty);
                }
            }
        }
        self.items(|visit| place_items(place, visit));
    }

    /// The numbers of what something is made of.
    fn items(&mut self, each: impl FnOnce(&mut dyn FnMut(Item))) {
        let mut items: SmallVec<[Item; 8]> = SmallVec::new();
        each(&mut |item| items.push(item));
        for item in items {
            match item {
                Item::Expr(e) => self.expr(e),
                Item::Place(p) => self.place(p),
            }
        }
    }

    fn stmt(&mut self, body: &Body, stmt: &Stmt) {
        let mut items: SmallVec<[Item; 8]> = SmallVec::new();
        statement_items(body, stmt, &mut |item| items.push(item));
        if let Some(line) = self.line_argument(body, stmt) {
            items.remove(line);
        }
        for &item in &items {
            self.define(body, item);
        }
        self.byte(b's');
        for item in items {
            match item {
                Item::Expr(e) => self.expr(e),
                Item::Place(p) => self.place(p),
            }
        }
        match stmt {
            Stmt::Skip => self.byte(0),
            Stmt::Declare(v) => {
                self.byte(1);
                self.var(*v);
            }
            Stmt::End(v) => {
                self.byte(2);
                self.var(*v);
            }
            Stmt::Allocate { var, .. } => {
                self.byte(3);
                self.var(*var);
                let ty = body.vars.get(*var).map(|v| v.ty);
                let step = ty.map_or(0, |ty| self.program.types.stride(ty));
                self.number(step);
            }
            Stmt::Assign { .. } => self.byte(4),
            Stmt::Havoc { reason, .. } => {
                self.byte(5);
                match reason {
                    HavocReason::InlineAssembly => self.byte(0),
                    HavocReason::Vector => self.byte(1),
                    HavocReason::Intrinsic(s) => {
                        self.byte(2);
                        self.symbol(*s);
                    }
                    HavocReason::Instruction(s) => {
                        self.byte(3);
                        self.symbol(*s);
                    }
                    HavocReason::Constant => self.byte(4),
                    HavocReason::WideInteger => self.byte(5),
                }
            }
            Stmt::Assume(_) => self.byte(6),
            Stmt::Copy { overlap, .. } => self.out.raw(&[7, u8::from(*overlap)]),
            Stmt::Fill { .. } => self.byte(8),
            Stmt::Call(call) => self.call(call),
            Stmt::Check(id) => {
                self.byte(10);
                if let Some(check) = body.checks.get(*id) {
                    self.symbol(check.rule);
                    self.out.raw(&check.which.to_le_bytes());
                    self.byte(match check.condition {
                        Condition::Holds(_) => 0,
                        Condition::Initialized(_) => 1,
                        Condition::InBounds { .. } => 2,
                        Condition::Alive(_) => 3,
                        Condition::Unreachable => 4,
                        Condition::Freeable { family, .. } => 5 + family as u8,
                        Condition::Apart(..) => 8,
                    });
                }
            }
            Stmt::VaStart(_) => self.byte(11),
            Stmt::LandingPad {
                exception,
                selector,
                clauses,
                cleanup,
            } => {
                self.out.raw(&[12, u8::from(*cleanup)]);
                self.var(*exception);
                self.var(*selector);
                for clause in clauses {
                    match clause {
                        CatchClause::Catch(None) => self.byte(0),
                        CatchClause::Catch(Some(g)) => {
                            self.byte(1);
                            self.global(*g);
                        }
                        CatchClause::Filter(types) => {
                            self.byte(2);
                            self.number(types.len() as u64);
                            types.iter().for_each(|g| self.global(*g));
                        }
                    }
                }
            }
            Stmt::Resume(_) => self.byte(13),
            Stmt::Trap(reason) => self.out.raw(&[14, *reason as u8]),
        }
    }

    fn call(&mut self, call: &Call) {
        self.out.raw(&[
            9,
            call.outcome as u8,
            u8::from(call.noreturn),
            u8::from(call.result.is_some()),
        ]);
        self.value_type(call.signature);
        self.number(call.args.len() as u64);
        match call.callee {
            Callee::Direct(f) => {
                self.byte(0);
                self.function(f);
            }
            Callee::Indirect(_) => self.byte(1),
        }
    }

    /// Which of a statement's items says on which line an assertion stands.
    fn line_argument(&self, body: &Body, stmt: &Stmt) -> Option<usize> {
        let Stmt::Call(call) = stmt else { return None };
        let Callee::Direct(f) = call.callee else {
            return None;
        };
        let name = self.program.functions.get(f)?.name;
        let name = self.program.symbols.lookup(name)?;
        let &line = call.args.get(LINE_ARGUMENT)?;
        let int = self.program.types.as_int(body.exprs.get(line)?.ty);
        let handler = ASSERTION_HANDLERS.contains(&name) && int.is_some();
        // The arguments follow the result.
        handler.then_some(LINE_ARGUMENT + usize::from(call.result.is_some()))
    }
}
