//! First-class structs and vectors: kept as their parts.
//!
//! clang passes small structs as `{i64, i64}` or `<2 x float>`, and builds exception pairs and
//! overflow results as structs. All of them are short-lived; as lists of parts they disappear.
//! SIMD arithmetic is done lane by lane.

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{Opcode, Ty, TyKind, Value, ValueKind};
use ir::{ExprId, ExprKind, HavocReason, PlaceId, TypeId};

/// Vectors with more lanes than this are not taken apart.
const LANES: u64 = 64;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn part_type(ty: Ty<'m>, i: u32) -> Ty<'m> {
        if ty.kind() == TyKind::Struct {
            ty.field(i)
        } else {
            ty.element()
        }
    }

    /// Place of the i-th part of an aggregate of LLVM type `ty` held in `place`.
    pub(super) fn part_place(&mut self, place: PlaceId, ty: Ty<'m>, i: u32) -> PlaceId {
        let shape = self.unit.llvm_type(ty);
        let place = if self.b.place_ref(place).ty == shape {
            place
        } else {
            self.b.reinterpret(place, shape)
        };
        if ty.kind() == TyKind::Struct {
            self.b.field(&self.unit.program.types, place, i)
        } else {
            let index = self.int(i128::from(i), TypeId::I64);
            self.b.index(&self.unit.program.types, place, index)
        }
    }

    pub(super) fn load_parts(&mut self, place: PlaceId, ty: Ty<'m>) -> Val {
        let mut parts = Vec::new();
        for i in 0..ty.len() as u32 {
            let p = self.part_place(place, ty, i);
            parts.push(self.load_place(p, Self::part_type(ty, i)));
        }
        Val::Parts(parts)
    }

    pub(super) fn store_parts(&mut self, place: PlaceId, ty: Ty<'m>, parts: Vec<Val>) {
        // Parts may read what is about to be written.
        let overlap = parts.len() > 1 && parts.iter().any(|v| self.reads_from(v, place));
        let parts: Vec<Val> = if overlap {
            parts.into_iter().map(|v| self.settle(v)).collect()
        } else {
            parts
        };
        for (i, v) in parts.into_iter().enumerate() {
            if let Val::Expr(e) = v
                && matches!(self.b.kind(e), ExprKind::Undef)
            {
                continue;
            }
            let p = self.part_place(place, ty, i as u32);
            self.store_place(p, Self::part_type(ty, i as u32), v);
        }
    }

    fn settle(&mut self, v: Val) -> Val {
        match v {
            Val::Parts(parts) => Val::Parts(parts.into_iter().map(|p| self.settle(p)).collect()),
            v => {
                let e = self.expr_of(v);
                let reads = self.reads_of(e);
                Val::Expr(if reads.changes() {
                    self.save("part", e)
                } else {
                    e
                })
            }
        }
    }

    /// An aggregate as one value: built in a temporary.
    pub(super) fn build_aggregate(&mut self, ty: Ty<'m>, parts: Vec<Val>) -> ExprId {
        let shape = self.unit.llvm_type(ty);
        let v = self.temp("tuple", shape);
        let place = self.b.var_place(v);
        self.store_parts(place, ty, parts);
        self.b.load(place)
    }

    /// The parts of an operand, whatever form it has.
    pub(super) fn parts_of(&mut self, v: Value<'m>) -> Vec<Val> {
        let ty = v.ty();
        match self.operand_value(v) {
            Val::Parts(parts) => parts,
            Val::Expr(e) => match *self.b.kind(e) {
                ExprKind::Load(place) => match self.load_parts(place, ty) {
                    Val::Parts(parts) => parts,
                    other => vec![other],
                },
                _ => (0..ty.len() as u32)
                    .map(|i| {
                        let t = self.unit.llvm_type(Self::part_type(ty, i));
                        Val::Expr(self.b.expr(ExprKind::Undef, t))
                    })
                    .collect(),
            },
            other => vec![other],
        }
    }

    pub(super) fn aggregate_op(&mut self, inst: Value<'m>) {
        let v = match inst.opcode() {
            Opcode::LLVMExtractValue => {
                let mut parts = self.parts_of(inst.operand(0));
                let mut ty = inst.operand(0).ty();
                let mut found = None;
                let path = inst.indices();
                for (n, &i) in path.iter().enumerate() {
                    let Some(v) = parts.get(i as usize).cloned() else {
                        break;
                    };
                    ty = Self::part_type(ty, i);
                    if n + 1 == path.len() {
                        found = Some(v);
                    } else {
                        parts = match v {
                            Val::Parts(p) => p,
                            Val::Expr(e) => match *self.b.kind(e) {
                                ExprKind::Load(place) => match self.load_parts(place, ty) {
                                    Val::Parts(p) => p,
                                    _ => break,
                                },
                                _ => break,
                            },
                            _ => break,
                        };
                    }
                }
                found
            }
            Opcode::LLVMInsertValue => {
                let parts = self.parts_of(inst.operand(0));
                let new = self.operand_value(inst.operand(1));
                let ty = inst.ty();
                Some(Val::Parts(self.replace(parts, ty, &inst.indices(), new)))
            }
            Opcode::LLVMExtractElement => match constant_index(inst.operand(1)) {
                Some(i) => self.parts_of(inst.operand(0)).get(i).cloned(),
                None => Some(self.lane(inst)),
            },
            Opcode::LLVMInsertElement => match constant_index(inst.operand(2)) {
                Some(i) => {
                    let mut parts = self.parts_of(inst.operand(0));
                    let new = self.operand_value(inst.operand(1));
                    if let Some(slot) = parts.get_mut(i) {
                        *slot = new;
                    }
                    Some(Val::Parts(parts))
                }
                None => Some(self.with_lane(inst)),
            },
            _ => {
                let (mut a, b) = (
                    self.parts_of(inst.operand(0)),
                    self.parts_of(inst.operand(1)),
                );
                a.extend(b);
                let lane = self.unit.llvm_type(inst.ty().element());
                let undef = Val::Expr(self.b.expr(ExprKind::Undef, lane));
                let pick = |i: i32| usize::try_from(i).ok().and_then(|i| a.get(i)).cloned();
                Some(Val::Parts(
                    inst.shuffle_mask()
                        .into_iter()
                        .map(|i| pick(i).unwrap_or(undef.clone()))
                        .collect(),
                ))
            }
        };
        let v = match v {
            Some(v) => v,
            None => {
                let ty = self.unit.llvm_type(inst.ty());
                Val::Expr(self.havoc("lane", ty, HavocReason::Vector))
            }
        };
        self.define(inst, v);
    }

    /// A vector in a variable of its own, where a lane can be chosen at run time.
    fn spread(&mut self, vector: Value<'m>) -> PlaceId {
        let parts = self.parts_of(vector);
        let shape = self.unit.llvm_type(vector.ty());
        let name = vector.name();
        let v = self.temp(&name, shape);
        // Lanes of it may change: what reads it is not fixed by its one beginning.
        self.single.remove(&v);
        let place = self.b.var_place(v);
        self.store_parts(place, vector.ty(), parts);
        place
    }

    fn lane(&mut self, inst: Value<'m>) -> Val {
        let vector = self.spread(inst.operand(0));
        let index = self.operand(inst.operand(1));
        let lane = self.b.index(&self.unit.program.types, vector, index);
        self.load_place(lane, inst.ty())
    }

    fn with_lane(&mut self, inst: Value<'m>) -> Val {
        let vector = self.spread(inst.operand(0));
        let new = self.operand_value(inst.operand(1));
        let index = self.operand(inst.operand(2));
        let lane = self.b.index(&self.unit.program.types, vector, index);
        self.store_place(lane, inst.operand(1).ty(), new);
        self.load_parts(vector, inst.ty())
    }

    fn replace(&mut self, mut parts: Vec<Val>, ty: Ty<'m>, path: &[u32], new: Val) -> Vec<Val> {
        let Some((&i, rest)) = path.split_first() else {
            return parts;
        };
        let part_type = Self::part_type(ty, i);
        let Some(slot) = parts.get(i as usize).cloned() else {
            return parts;
        };
        let replacement = if rest.is_empty() {
            new
        } else {
            let inner = match slot {
                Val::Parts(p) => p,
                _ => (0..part_type.len() as u32)
                    .map(|k| {
                        let t = self.unit.llvm_type(Self::part_type(part_type, k));
                        Val::Expr(self.b.expr(ExprKind::Undef, t))
                    })
                    .collect(),
            };
            Val::Parts(self.replace(inner, part_type, rest, new))
        };
        parts[i as usize] = replacement;
        parts
    }

    /// A vector operation, lane by lane; unknown where lanes do not line up.
    pub(super) fn lanewise(&mut self, inst: Value<'m>) -> Val {
        let lanes = inst.ty().len();
        let operands: Vec<Value<'m>> = inst.operands().collect();
        let aligned = lanes <= LANES
            && lanes > 0
            && operands.len() <= 3
            && operands
                .iter()
                .all(|o| o.ty().kind() != TyKind::Vector || o.ty().len() == lanes);
        if !aligned {
            let ty = self.unit.llvm_type(inst.ty());
            return Val::Expr(self.havoc("vector", ty, HavocReason::Vector));
        }
        let columns: Vec<Vec<Val>> = operands
            .iter()
            .map(|&o| {
                if o.ty().kind() == TyKind::Vector {
                    self.parts_of(o)
                } else {
                    let v = self.operand_value(o);
                    vec![v; lanes as usize]
                }
            })
            .collect();
        let lane_type = inst.ty().element();
        let mut out = Vec::new();
        for lane in 0..lanes as usize {
            let mut args = [None; 3];
            for (slot, column) in args.iter_mut().zip(&columns) {
                *slot = column.get(lane).cloned().map(|v| self.expr_of(v));
            }
            let e = match self.apply(inst, args, lane_type) {
                Some(e) => e,
                None => {
                    let ty = self.unit.llvm_type(lane_type);
                    self.havoc("lane", ty, HavocReason::Vector)
                }
            };
            out.push(Val::Expr(e));
        }
        Val::Parts(out)
    }
}

fn constant_index(v: Value<'_>) -> Option<usize> {
    if v.kind() == ValueKind::Int {
        usize::try_from(v.int_bits()?).ok()
    } else {
        None
    }
}
