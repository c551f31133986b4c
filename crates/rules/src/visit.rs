//! What a statement does, as a list of events in the order in which C does them.
//!
//! Rules are not interested in the shape of statements but in what happens while one is executed:
//! which places are read and written, which pointers are followed, what is divided by what.
//! [`Visitor::visit`] lists that, operands before the operators that use them, the value of an
//! assignment before the place it goes to (as clang evaluates them).
//!
//! Expressions are hash-consed, so the tree of a statement can be a graph with shared parts, and
//! the edges that leave one node usually share theirs (`assume a < b`, `assume a >= b`). Every
//! part is listed once per [`Visitor::begin`], which is called once per node: the total work is
//! linear in the size of the body. Expressions can be as deep as the source is long, so the walk
//! keeps its own stack.

pub use crate::event::{Event, EventKind};
use ir::arena::Arena;
use ir::{
    Base, BinaryOp, Body, Callee, ExprId, ExprKind, Global, GlobalId, PlaceId, Projection, Stmt,
    Type, TypeId, TypeTable,
};

/// What a rule can look at: one body and the tables its ids refer to.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub types: &'a TypeTable,
    pub globals: &'a Arena<GlobalId, Global>,
    pub body: &'a Body,
}

/// Of an assignment that sets some bits of a place and leaves the others: what is set. `p = (p & ~3) | x` is how
/// clang writes to a bit-field that shares its bytes with another member of a union.
fn some_bits(body: &Body, place: PlaceId, value: ExprId) -> Option<ExprId> {
    let ExprKind::Binary(BinaryOp::Or, a, b) = body.exprs.get(value)?.kind else {
        return None;
    };
    let keeps = |e: ExprId| match body.exprs.get(e).map(|e| &e.kind) {
        Some(&ExprKind::Binary(BinaryOp::And, old, mask)) => {
            let is = |e: ExprId| body.exprs.get(e).map(|e| &e.kind);
            matches!(is(mask), Some(ExprKind::Int(_)))
                && matches!(is(old), Some(ExprKind::Load(p)) if *p == place)
        }
        _ => false,
    };
    match (keeps(a), keeps(b)) {
        (true, _) => Some(b),
        (_, true) => Some(a),
        _ => None,
    }
}

/// Is the place touched, or only its address computed?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Address,
    Access,
}

enum Task {
    Expr(ExprId),
    /// The operands are done.
    Operate(ExprId),
    Place(PlaceId, Use),
    /// The pointer and the indices are done.
    Reach(PlaceId, Use),
    Emit(Event),
}

/// Lists events. Keep one for a whole program: its tables are reused.
#[derive(Default)]
pub struct Visitor {
    /// When (`now`) an expression, or a place in one of its two uses, was last listed.
    exprs: Vec<u32>,
    places: Vec<[u32; 2]>,
    now: u32,
    tasks: Vec<Task>,
}

impl Visitor {
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a new body.
    pub fn enter(&mut self, body: &Body) {
        self.exprs.clear();
        self.exprs.resize(body.exprs.len(), 0);
        self.places.clear();
        self.places.resize(body.places.len(), [0; 2]);
        self.now = 0;
    }

    /// Starts a new node: forgets what was already listed.
    pub fn begin(&mut self) {
        self.now += 1;
    }

    /// Appends what the statement does to `events`, except what was listed since `begin`.
    pub fn visit(&mut self, view: View<'_>, stmt: &Stmt, events: &mut Vec<Event>) {
        match *stmt {
            Stmt::Skip
            | Stmt::Declare(_)
            | Stmt::End(_)
            | Stmt::Check(_)
            | Stmt::LandingPad { .. } => {}
            Stmt::Allocate { count, .. } => {
                self.expr(view, count, events);
                events.push(Event::Allocate { count });
            }
            Stmt::Assign { place, value } => {
                // A value that is only moved is listed as such, without marking the expression:
                // another use of it in the same statement is a use.
                if let Some(&ExprKind::Load(from)) = view.body.exprs.get(value).map(|e| &e.kind) {
                    self.run(view, Task::Place(from, Use::Access), events);
                    events.push(Event::Load {
                        place: from,
                        moved_to: Some(place),
                    });
                } else if let Some(new) = some_bits(view.body, place, value) {
                    // The others are written back as they were.
                    self.run(view, Task::Place(place, Use::Access), events);
                    events.push(Event::Load {
                        place,
                        moved_to: Some(place),
                    });
                    self.expr(view, new, events);
                } else {
                    self.expr(view, value, events);
                }
                self.store(view, place, events);
                let to = view.body.places.get(place).and_then(ir::Place::as_var);
                if to.is_some() && to == view.body.ret {
                    events.push(Event::Return { value });
                }
            }
            Stmt::Havoc { place, .. } => self.store(view, place, events),
            Stmt::Assume(e) | Stmt::VaStart(e) | Stmt::Resume(e) => self.expr(view, e, events),
            Stmt::Copy {
                target,
                source,
                size,
                ..
            } => {
                for e in [target, source, size] {
                    self.expr(view, e, events);
                }
                for (pointer, write) in [(source, false), (target, true)] {
                    events.push(Event::Range {
                        pointer,
                        size,
                        write,
                    });
                }
            }
            Stmt::Fill { target, byte, size } => {
                for e in [target, byte, size] {
                    self.expr(view, e, events);
                }
                events.push(Event::Range {
                    pointer: target,
                    size,
                    write: true,
                });
            }
            Stmt::Call(ref call) => {
                if let Callee::Indirect(pointer) = call.callee {
                    self.expr(view, pointer, events);
                }
                for &arg in &call.args {
                    self.expr(view, arg, events);
                }
                if let Callee::Direct(callee) = call.callee {
                    let args = call.args.iter().enumerate();
                    events.extend(args.map(|(position, &arg)| Event::Argument {
                        callee,
                        position,
                        arg,
                    }));
                }
                events.push(match call.callee {
                    Callee::Direct(callee) => Event::Call {
                        callee,
                        args: [0, 1, 2, 3].map(|at| call.args.get(at).copied()),
                    },
                    Callee::Indirect(pointer) => Event::CallThrough { pointer },
                });
                if let Some(place) = call.result {
                    self.store(view, place, events);
                }
            }
            Stmt::Trap(reason) => events.push(Event::Trap(reason)),
        }
    }

    fn expr(&mut self, view: View<'_>, e: ExprId, events: &mut Vec<Event>) {
        self.run(view, Task::Expr(e), events);
    }

    fn store(&mut self, view: View<'_>, place: PlaceId, events: &mut Vec<Event>) {
        self.run(view, Task::Place(place, Use::Access), events);
        events.push(Event::Store { place });
    }

    fn run(&mut self, view: View<'_>, task: Task, events: &mut Vec<Event>) {
        self.tasks.push(task);
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Expr(e) => self.enter_expr(view, e),
                Task::Operate(e) => operate(view, e, events),
                Task::Place(p, usage) => self.enter_place(view, p, usage),
                Task::Reach(p, usage) => reach(view, p, usage, events),
                Task::Emit(event) => events.push(event),
            }
        }
    }

    /// Plans the operands of an expression, then itself. (Planned last is done first.)
    fn enter_expr(&mut self, view: View<'_>, e: ExprId) {
        let Some(expr) = view.body.exprs.get(e) else {
            return;
        };
        match self.exprs.get_mut(e.0 as usize) {
            Some(last) if *last != self.now => *last = self.now,
            _ => return,
        }
        match expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Null
            | ExprKind::Undef
            | ExprKind::Function(_)
            | ExprKind::Label(..)
            | ExprKind::TypeInfo(_) => {}
            ExprKind::Load(place) => {
                let moved_to = None;
                self.tasks.push(Task::Emit(Event::Load { place, moved_to }));
                self.tasks.push(Task::Place(place, Use::Access));
            }
            ExprKind::AddrOf(place) => self.tasks.push(Task::Place(place, Use::Address)),
            ExprKind::Cast(a) if narrows(view, a, expr.ty) => {
                self.tasks.extend([Task::Operate(e), Task::Expr(a)]);
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.tasks.push(Task::Expr(a)),
            ExprKind::Binary(_, a, b) => {
                self.tasks
                    .extend([Task::Operate(e), Task::Expr(b), Task::Expr(a)]);
            }
            ExprKind::Compare(_, a, b) | ExprKind::Overflow(_, a, b) | ExprKind::PtrAdd(a, b) => {
                self.tasks.extend([Task::Expr(b), Task::Expr(a)]);
            }
            ExprKind::Select(c, a, b) => {
                self.tasks
                    .extend([Task::Expr(b), Task::Expr(a), Task::Expr(c)]);
            }
            ExprKind::Intrinsic(_, ref args) => {
                self.tasks.extend(args.iter().rev().map(|&a| Task::Expr(a)));
            }
        }
    }

    fn enter_place(&mut self, view: View<'_>, p: PlaceId, usage: Use) {
        let Some(place) = view.body.places.get(p) else {
            return;
        };
        match self.places.get_mut(p.0 as usize) {
            Some(last) if last[usage as usize] != self.now => last[usage as usize] = self.now,
            _ => return,
        }
        if let (Base::Var(_) | Base::Global(_), true) = (place.base, place.projections.is_empty()) {
            return;
        }
        self.tasks.push(Task::Reach(p, usage));
        for step in place.projections.iter().rev() {
            if let Projection::Index(i) = *step {
                self.tasks.push(Task::Expr(i));
            }
        }
        if let Base::Deref(pointer) = place.base {
            self.tasks.push(Task::Expr(pointer));
        }
    }
}

/// Is it arithmetic in `int` on numbers as narrow as the type that the result goes back into?
fn narrows(view: View<'_>, value: ExprId, to: TypeId) -> bool {
    let expr = |e: ExprId| view.body.exprs.get(e);
    let width = |ty: TypeId| view.types.as_int(ty).map(|(width, _)| width);
    let (Some(inner), Some(to)) = (expr(value), width(to)) else {
        return false;
    };
    let ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) = inner.kind else {
        return false;
    };
    let is_narrow = |e: ExprId| match expr(e).map(|e| &e.kind) {
        Some(ExprKind::Cast(from)) => expr(*from).and_then(|e| width(e.ty)) <= Some(to),
        Some(ExprKind::Int(_)) => true,
        _ => false,
    };
    to > 1 && width(inner.ty).is_some_and(|w| w > to) && is_narrow(a) && is_narrow(b)
}

fn operate(view: View<'_>, e: ExprId, events: &mut Vec<Event>) {
    let expr = &view.body.exprs[e];
    if let ExprKind::Cast(value) = expr.kind {
        let to = expr.ty;
        return events.push(Event::Narrow { value, to });
    }
    let ExprKind::Binary(op, a, b) = expr.kind else {
        return;
    };
    let Some((width, signed)) = view.types.as_int(expr.ty) else {
        return;
    };
    match op {
        BinaryOp::Div | BinaryOp::Rem => events.push(Event::Divide { op, a, b }),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if signed => {
            events.push(Event::Arith { op, a, b });
        }
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => events.push(Event::Wrap { op, a, b }),
        BinaryOp::WrapAdd | BinaryOp::WrapSub | BinaryOp::WrapMul if signed && width < 32 => {
            let op = match op {
                BinaryOp::WrapAdd => BinaryOp::Add,
                BinaryOp::WrapSub => BinaryOp::Sub,
                _ => BinaryOp::Mul,
            };
            events.push(Event::Wrap { op, a, b });
        }
        BinaryOp::Shl | BinaryOp::Shr => events.push(Event::Shift { op, a, b }),
        _ => {}
    }
}

/// Lists the indices of a place, then the pointer it hangs on: a bad index is the better
/// explanation of an access out of bounds.
fn reach(view: View<'_>, p: PlaceId, usage: Use, events: &mut Vec<Event>) {
    let place = &view.body.places[p];
    for (step, ty) in types_along(view, p).enumerate() {
        let (Projection::Index(index), Type::Array { len, .. }) =
            (place.projections[step], view.types.get(ty))
        else {
            continue;
        };
        events.push(Event::Index {
            place: p,
            step,
            index,
            len: *len,
            accessed: usage == Use::Access || !only_decays(view, &place.projections[step + 1..]),
        });
    }
    if let (Base::Deref(pointer), Use::Access) = (place.base, usage) {
        events.push(Event::Deref { pointer, place: p });
    }
}

/// Nothing, or the `[0]` by which an array becomes a pointer to its first element: then the
/// address is still that of the element before.
fn only_decays(view: View<'_>, rest: &[Projection]) -> bool {
    rest.iter().all(|step| match *step {
        Projection::Index(i) => {
            matches!(
                view.body.exprs.get(i).map(|e| &e.kind),
                Some(ExprKind::Int(0))
            )
        }
        Projection::As(_) => true,
        Projection::Field(_) => false,
    })
}

/// The type that each projection of a place steps into; ends early where the steps do not fit
/// the types (two units may disagree about a type).
pub fn types_along(view: View<'_>, place: PlaceId) -> impl Iterator<Item = TypeId> {
    let place = &view.body.places[place];
    let mut next = match place.base {
        Base::Var(v) => view.body.vars.get(v).map(|v| v.ty),
        Base::Global(g) => view.globals.get(g).map(|g| g.ty),
        Base::Deref(e) => view
            .body
            .exprs
            .get(e)
            .and_then(|e| view.types.pointee(e.ty)),
    };
    place.projections.iter().map_while(move |step| {
        let ty = next?;
        next = match (*step, view.types.get(ty)) {
            (Projection::Field(f), Type::Struct(s)) => {
                let def = &view.types.structs[*s];
                def.fields.get(f as usize).map(|f| f.ty)
            }
            (Projection::Index(_), Type::Array { elem, .. }) => Some(*elem),
            (Projection::As(to), _) => Some(to),
            _ => None,
        };
        Some(ty)
    })
}
