//! What values read, and what statements may change: when a value that has not happened yet must.
//!
//! A store to a variable changes expressions that read this variable and, if its address
//! escaped, those that read through pointers; a store through a pointer, or a call, changes
//! whatever is read through pointers, from globals, or from escaped variables.
//!
//! A value that may *fail* (a division, a signed sum, an element of an array) must have happened
//! before a call, whatever it reads: the call may not come back, and `10 / y + h(y)` divides first.

use super::FunctionLowering;
use super::values::Val;
use ir::{Base, BinaryOp, ExprId, ExprKind, PlaceId, Projection, UnaryOp, VarId};
use smallvec::SmallVec;

/// What an expression reads, and how big it is as a tree.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    vars: SmallVec<[VarId; 2]>,
    pub(super) memory: bool,
    /// There may be a check of it.
    pub(super) fails: bool,
    pub(super) size: u32,
}

/// What a statement may write.
#[derive(Clone, Copy)]
enum Clobber {
    Var(VarId),
    /// Globals, heap, escaped locals.
    Memory,
    /// The same, and it may not come back.
    Call,
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn reads_of_val(&mut self, v: &Val) -> Reads {
        match v {
            Val::Expr(e) => self.reads_of(*e),
            Val::Address(p) | Val::Storage(p, _) => self.reads_of_address(*p),
            Val::Bits(piece) => {
                let mut r = self.reads_of_address(piece.place);
                self.add_place(&mut r, piece.place);
                r
            }
            Val::Parts(parts) => {
                let mut all = Reads::default();
                for p in parts {
                    let r = self.reads_of_val(p);
                    all.merge(&r);
                }
                all
            }
        }
    }

    /// Would a write to the place change the value?
    pub(super) fn reads_from(&mut self, v: &Val, place: PlaceId) -> bool {
        let reads = self.reads_of_val(v);
        match self.b.place_ref(place).base {
            Base::Var(x) => reads.vars.contains(&x) || self.escaped.contains(&x) && reads.memory,
            _ => reads.memory,
        }
    }

    /// What must be read to know where a place is.
    fn reads_of_address(&mut self, place: PlaceId) -> Reads {
        let p = self.b.place_ref(place).clone();
        let mut r = Reads {
            size: 1,
            ..Reads::default()
        };
        if let Base::Deref(e) = p.base {
            let inner = self.reads_of(e);
            r.merge(&inner);
        }
        for step in &p.projections {
            if let Projection::Index(e) = step {
                let inner = self.reads_of(*e);
                r.merge(&inner);
            }
        }
        r
    }

    /// May reading the place fail? What a pointer points to counts as memory anyway.
    fn is_element(&self, place: PlaceId) -> bool {
        let chosen =
            |step: &Projection| matches!(step, Projection::Index(e) if !self.is_int_const(*e));
        self.b.place_ref(place).projections.iter().any(chosen)
    }

    /// May the operation itself fail? Not where its shape shows that it cannot.
    fn may_fail(&self, e: ExprId) -> bool {
        let Some((width, signed)) = self.int_type(e) else {
            return false;
        };
        let constant = |e: ExprId| match (self.b.kind(e), self.int_type(e)) {
            (&ExprKind::Int(bits), Some((width, signed))) => {
                Some(ir::int_value(bits, width, signed))
            }
            _ => None,
        };
        match *self.b.kind(e) {
            ExprKind::Unary(UnaryOp::Neg, _) => signed,
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => signed,
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, b) => {
                constant(b).is_none_or(|c| c == 0 || c == -1)
            }
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, _, b) => {
                constant(b).is_none_or(|c| c < 0 || c >= i128::from(width))
            }
            _ => false,
        }
    }

    /// Adds the reading of the place's content.
    fn add_place(&mut self, r: &mut Reads, place: PlaceId) {
        match self.b.place_ref(place).base {
            Base::Var(v) if self.single.contains(&v) => {}
            Base::Var(v) => {
                if !r.vars.contains(&v) {
                    r.vars.push(v);
                }
                if self.escaped.contains(&v) {
                    r.memory = true;
                }
            }
            _ => r.memory = true,
        }
    }

    pub(super) fn reads_of(&mut self, e: ExprId) -> Reads {
        let index = e.0 as usize;
        if let Some(Some(r)) = self.reads.get(index) {
            return r.clone();
        }
        let mut r = Reads {
            size: 1,
            ..Reads::default()
        };
        let operands: SmallVec<[ExprId; 3]> = match self.b.kind(e) {
            ExprKind::Load(p) => {
                let p = *p;
                r = self.reads_of_address(p);
                r.fails |= self.is_element(p);
                self.add_place(&mut r, p);
                SmallVec::new()
            }
            ExprKind::AddrOf(p) => {
                let p = *p;
                r = self.reads_of_address(p);
                SmallVec::new()
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => SmallVec::from_slice(&[*a]),
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Overflow(_, a, b)
            | ExprKind::PtrAdd(a, b) => SmallVec::from_slice(&[*a, *b]),
            ExprKind::Select(a, b, c) => SmallVec::from_slice(&[*a, *b, *c]),
            ExprKind::Intrinsic(_, args) => SmallVec::from_slice(args),
            _ => SmallVec::new(),
        };
        for operand in operands {
            let inner = self.reads_of(operand);
            r.merge(&inner);
        }
        r.fails |= self.may_fail(e);
        if self.reads.len() <= index {
            self.reads.resize(index + 1, None);
        }
        self.reads[index] = Some(r.clone());
        r
    }

    /// Saves what a write to this place would change.
    pub(super) fn clobber_place(&mut self, place: PlaceId) {
        match self.b.place_ref(place).base {
            Base::Var(v) if self.single.contains(&v) => {}
            Base::Var(v) => self.clobber(Clobber::Var(v)),
            _ => self.clobber(Clobber::Memory),
        }
    }

    /// Saves what a write through a pointer may change.
    pub(super) fn clobber_memory(&mut self) {
        self.clobber(Clobber::Memory);
    }

    /// Saves what a call may change, and what may fail before it.
    pub(super) fn clobber_call(&mut self) {
        self.clobber(Clobber::Call);
    }

    fn clobber(&mut self, what: Clobber) {
        if self.pending.is_empty() {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain(|p| {
            if p.uses_left == 0 {
                return false;
            }
            let Some(v) = self.values.get(&p.value).cloned() else {
                return false;
            };
            let reads = self.reads_of_val(&v);
            let hit = match what {
                Clobber::Var(x) => {
                    reads.vars.contains(&x) || self.escaped.contains(&x) && reads.memory
                }
                Clobber::Memory | Clobber::Call => reads.memory,
            };
            let fails = matches!(what, Clobber::Call) && reads.fails;
            if hit || fails {
                let here = std::mem::replace(&mut self.span, p.span);
                let saved = match v {
                    Val::Address(place) if !hit => Val::Address(self.with_saved_indices(place)),
                    v => self.save_val(p.value, v),
                };
                self.span = here;
                self.values.insert(p.value, saved);
            }
            // An address may still change with the variables in it.
            !hit && (!fails || matches!(self.values.get(&p.value), Some(Val::Address(_))))
        });
        self.pending = pending;
    }

    /// The same place, with what may fail in its address computed now. The address itself is not taken.
    fn with_saved_indices(&mut self, place: PlaceId) -> PlaceId {
        let mut p = self.b.place_ref(place).clone();
        if let Base::Deref(e) = &mut p.base
            && self.reads_of(*e).fails
        {
            *e = self.save("", *e);
        }
        for step in &mut p.projections {
            if let Projection::Index(e) = step
                && self.reads_of(*e).fails
            {
                *e = self.save("", *e);
            }
        }
        self.b.place(p)
    }
}

impl Reads {
    fn merge(&mut self, other: &Reads) {
        for &v in &other.vars {
            if !self.vars.contains(&v) {
                self.vars.push(v);
            }
        }
        self.memory |= other.memory;
        self.fails |= other.fails;
        self.size = self.size.saturating_add(other.size);
    }

    /// May its value differ later?
    pub(super) fn changes(&self) -> bool {
        self.memory || !self.vars.is_empty()
    }

    /// Worth no temporary: a constant or a fixed address.
    pub(super) fn is_constant(&self) -> bool {
        self.vars.is_empty() && !self.memory && self.size <= 2
    }
}
