//! Values that have not happened yet, and when they must.
//!
//! A pending value is an expression over memory as it is *now*. Before a statement that may
//! change what the expression reads (see [`super::reads`]), it is saved into a temporary.

use super::FunctionLowering;
use crate::llvm::{Opcode, TyKind, Value, ValueKind};
use ir::{ExprId, ExprKind, PlaceId, Span, TypeId};

/// What an LLVM value stands for.
#[derive(Clone, Debug)]
pub enum Val {
    Expr(ExprId),
    /// The address of a place. Kept apart so that taking it is not "address taken" as long as
    /// it is only used to load and store.
    Address(PlaceId),
    /// A piece of a bit-field's storage unit.
    Bits(super::bits::Piece),
    /// The address of a storage unit: (the struct's place, byte offset into it).
    Storage(PlaceId, u64),
    /// A first-class struct or a vector, part by part.
    Parts(Vec<Val>),
}

pub struct Pending<'m> {
    pub(super) value: Value<'m>,
    pub(super) uses_left: u32,
    /// Where it is computed: there it is saved, whatever statement is the reason.
    pub(super) span: Span,
}

/// A tree larger than this is saved in a temporary, so that trees that share parts stay small.
const TREE_LIMIT: u32 = 40;
/// A tree larger than this is not repeated.
const REPEAT_LIMIT: u32 = 9;

impl<'m> FunctionLowering<'_, 'm> {
    /// Records what an instruction computes.
    pub(super) fn define(&mut self, inst: Value<'m>, v: Val) {
        let (inside, outside) = self.uses(inst);
        if inside == 1
            && !outside
            && let Some(ret) = self.b.ret()
            && inst.users().any(|u| u.opcode() == Opcode::LLVMRet)
        {
            // `return e` takes its value before the scopes end.
            let place = self.b.var_place(ret);
            let own = matches!(v, Val::Expr(e) if *self.b.kind(e) == ExprKind::Load(place));
            if !own {
                self.store_place(place, inst.ty(), v);
            }
            let e = self.b.load(place);
            self.values.insert(inst, Val::Expr(e));
            return;
        }
        if inside == 0 && !outside {
            // `*p;` still accesses p, but a discarded bit-field is not read: other fields of its
            // unit may be unset. Other unused values are of no interest.
            if inst.opcode() == Opcode::LLVMLoad
                && let Val::Expr(e) = v
            {
                self.save("unused", e);
            }
            return;
        }
        let reads = self.reads_of_val(&v);
        // What may fail has its time, even if its value is always the same.
        let changes = reads.changes() || reads.fails && matches!(v, Val::Expr(_));
        let whole = matches!(v, Val::Parts(_) | Val::Storage(..));
        let too_big =
            reads.size > TREE_LIMIT || (inside > 1 || outside) && reads.size > REPEAT_LIMIT;
        if !whole && (changes && outside || too_big && !matches!(v, Val::Bits(_))) {
            let saved = self.save_val(inst, v);
            self.values.insert(inst, saved);
            return;
        }
        let v = if whole && changes && outside {
            self.save_val(inst, v)
        } else {
            v
        };
        if changes || reads.fails {
            self.pending.push(Pending {
                value: inst,
                uses_left: inside,
                span: self.span,
            });
        }
        self.values.insert(inst, v);
    }

    /// Number of uses in the instruction's own block (phis of successors count: they read at its
    /// end), and whether there are others.
    fn uses(&self, inst: Value<'m>) -> (u32, bool) {
        let own = inst.block();
        let (mut inside, mut outside) = (0, false);
        for user in inst.users() {
            if self.dead.contains(&user)
                || user.block().is_some_and(|b| !self.reachable.contains(&b))
            {
                continue;
            }
            let phi = user.kind() == ValueKind::Instruction && user.opcode() == Opcode::LLVMPHI;
            if phi {
                let here = user
                    .incoming()
                    .into_iter()
                    .filter(|(v, _)| *v == inst)
                    .all(|(_, b)| Some(b) == own);
                if here {
                    inside += 1;
                } else {
                    outside = true;
                }
            } else if user.block() == own {
                inside += 1;
            } else {
                outside = true;
            }
        }
        (inside, outside)
    }

    pub(super) fn save_val(&mut self, inst: Value<'m>, v: Val) -> Val {
        match v {
            Val::Parts(parts) => {
                Val::Parts(parts.into_iter().map(|p| self.save_val(inst, p)).collect())
            }
            Val::Storage(place, offset) => {
                // The struct is fixed now; the unit inside it stays symbolic.
                let e = self.addr_of(place);
                let name = inst.name();
                let saved = self.save(&name, e);
                Val::Storage(self.deref(saved), offset)
            }
            v => {
                let e = self.expr_of(v);
                if self.reads_of(e).is_constant() {
                    return Val::Expr(e);
                }
                let name = inst.name();
                // No variable is wider than 128 bits; the small number in it may be saved.
                if let (&ExprKind::Cast(small), Some((129.., _))) =
                    (self.b.kind(e), self.int_type(e))
                {
                    let saved = self.save(&name, small);
                    let wide = self.b.type_of(e);
                    return Val::Expr(self.b.cast(&self.unit.program.types, saved, wide));
                }
                Val::Expr(self.save(&name, e))
            }
        }
    }

    /// The value as an expression. First-class aggregates are built in a temporary.
    pub(super) fn expr_of(&mut self, v: Val) -> ExprId {
        match v {
            Val::Expr(e) => e,
            Val::Address(place) => self.addr_of(place),
            Val::Bits(piece) => self.bits_expr(piece),
            Val::Storage(place, offset) => self.storage_address(place, offset),
            Val::Parts(parts) => {
                let Some(first) = parts.into_iter().next() else {
                    return self.b.expr(ExprKind::Undef, TypeId::VOID);
                };
                self.expr_of(first)
            }
        }
    }

    /// An operand as an expression.
    pub(super) fn operand(&mut self, v: Value<'m>) -> ExprId {
        match self.operand_value(v) {
            Val::Parts(parts) => self.build_aggregate(v.ty(), parts),
            val => self.expr_of(val),
        }
    }

    /// An operand as it stands; counts as one use of it.
    pub(super) fn operand_value(&mut self, v: Value<'m>) -> Val {
        if let Some(val) = self.values.get(&v) {
            let val = val.clone();
            if let Some(p) = self.pending.iter_mut().rev().find(|p| p.value == v) {
                p.uses_left = p.uses_left.saturating_sub(1);
            }
            return val;
        }
        self.constant(v)
    }

    // Constants.

    fn constant(&mut self, v: Value<'m>) -> Val {
        let ty = v.ty();
        match v.kind() {
            ValueKind::Int => {
                let id = self.unit.llvm_type(ty);
                match v.int_bits() {
                    Some(bits) => Val::Expr(self.b.expr(ExprKind::Int(bits), id)),
                    // A mask of a wide bit-field unit: it folds away, or the use of it is
                    // unknown (see `arith::pure`).
                    None => self.undef(v),
                }
            }
            ValueKind::Float => {
                let id = self.unit.llvm_type(ty);
                match v.float_bits() {
                    Some(bits) => Val::Expr(self.b.expr(ExprKind::Float(bits), id)),
                    None => Val::Expr(self.havoc("float", id, ir::HavocReason::Constant)),
                }
            }
            ValueKind::Null => Val::Expr(self.b.null(TypeId::VOID_PTR)),
            ValueKind::Function => match self.unit.functions.get(&v) {
                Some(&f) => {
                    let signature = self.unit.program.functions[f].signature;
                    Val::Expr(self.b.function(&mut self.unit.program.types, f, signature))
                }
                None => self.undef(v),
            },
            ValueKind::Global | ValueKind::Alias => {
                if let Some(&f) = self.unit.functions.get(&v) {
                    let signature = self.unit.program.functions[f].signature;
                    return Val::Expr(self.b.function(&mut self.unit.program.types, f, signature));
                }
                match self.unit.globals.get(&v) {
                    Some(&g) => {
                        let ty = self.unit.program.globals[g].ty;
                        Val::Address(self.b.global_place(g, ty))
                    }
                    None => self.undef(v),
                }
            }
            ValueKind::Poison if !ty.is_aggregate() => {
                self.trap(self.unit.poison_reason(self.span));
                self.undef(v)
            }
            ValueKind::Undef | ValueKind::Poison | ValueKind::Aggregate => {
                if ty.is_aggregate() && ty.len() <= 64 {
                    self.constant_parts(v)
                } else {
                    self.undef(v)
                }
            }
            ValueKind::BlockAddress => match v
                .block_address()
                .and_then(|(_, b)| self.unit.labels.get(&b))
            {
                Some(&(f, k)) => Val::Expr(self.b.expr(ExprKind::Label(f, k), TypeId::VOID_PTR)),
                None => self.undef(v),
            },
            ValueKind::Expression => match v.opcode() {
                Opcode::LLVMGetElementPtr => self.gep(v),
                _ => self.pure(v),
            },
            _ => self.undef(v),
        }
    }

    fn undef(&mut self, v: Value<'m>) -> Val {
        let ty = self.unit.llvm_type(v.ty());
        Val::Expr(self.b.expr(ExprKind::Undef, ty))
    }

    fn constant_parts(&mut self, v: Value<'m>) -> Val {
        let ty = v.ty();
        let undefined = matches!(v.kind(), ValueKind::Undef | ValueKind::Poison);
        let mut parts = Vec::new();
        for i in 0..ty.len() {
            let part_type = if ty.kind() == TyKind::Struct {
                ty.field(i as u32)
            } else {
                ty.element()
            };
            let part = match v.element(i as u32) {
                Some(e) if !undefined && e.kind() != ValueKind::Poison => self.constant(e),
                _ => {
                    let id = self.unit.llvm_type(part_type);
                    Val::Expr(self.b.expr(ExprKind::Undef, id))
                }
            };
            parts.push(part);
        }
        Val::Parts(parts)
    }
}
