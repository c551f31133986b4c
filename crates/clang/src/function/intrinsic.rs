//! LLVM intrinsics: what clang writes for builtins, struct copies and scopes.

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{TyKind, Value};
use ir::{BinaryOp, ExprId, ExprKind, HavocReason, Intrinsic, Stmt, TrapReason, TypeId};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn intrinsic(&mut self, inst: Value<'m>, callee: Value<'m>) {
        let name = callee.name();
        let name = name.strip_prefix("llvm.").unwrap_or(&name);
        if self.effect(inst, name) {
            return;
        }
        if inst.ty().kind() == TyKind::Void {
            // Without a result and without a known effect: prefetch, annotations, markers.
            if !harmless(name) {
                self.unknown(inst, name);
            }
            return;
        }
        let vector = inst.ty().kind() == TyKind::Vector
            || inst.arg_count() > 0 && inst.operand(0).ty().kind() == TyKind::Vector;
        let v = if vector {
            None
        } else {
            self.value_of(inst, name)
        };
        match v {
            Some(v) => self.define(inst, v),
            None => self.unknown(inst, name),
        }
    }

    fn unknown(&mut self, inst: Value<'m>, name: &str) {
        let base: String = name
            .split('.')
            .take_while(|p| !is_type_suffix(p))
            .collect::<Vec<_>>()
            .join(".");
        let reason = HavocReason::Intrinsic(self.unit.symbol(&base));
        self.clobber_memory();
        if inst.ty().kind() == TyKind::Void {
            // Pointers it was given may have been written through.
            for i in 0..inst.arg_count() {
                let arg = inst.operand(i);
                if arg.ty().kind() == TyKind::Pointer {
                    let v = self.operand_value(arg);
                    let place = self.pointed(v);
                    if self.is_object(self.b.place_ref(place).ty) {
                        self.emit(Stmt::Havoc {
                            place,
                            reason: reason.clone(),
                        });
                    }
                }
            }
            return;
        }
        let ty = self.unit.llvm_type(inst.ty());
        // A token (of coroutines) is no value of the program, but what it stands for is unknown.
        let ty = if self.is_object(ty) {
            ty
        } else {
            TypeId::VOID_PTR
        };
        let e = self.havoc("unknown", ty, reason);
        let v = match *self.b.kind(e) {
            ExprKind::Load(place) if inst.ty().is_aggregate() && inst.ty().len() <= 16 => {
                self.load_parts(place, inst.ty())
            }
            _ => Val::Expr(e),
        };
        self.values.insert(inst, v);
    }

    fn is_object(&self, ty: TypeId) -> bool {
        self.unit.program.types.size_of(ty) > 0
    }

    /// Intrinsics that do something. True if it was one.
    fn effect(&mut self, inst: Value<'m>, name: &str) -> bool {
        if name.starts_with("dbg.") {
            return true;
        }
        let family = name.split('.').next().unwrap_or(name);
        match family {
            "lifetime" => {
                if let Some(v) = self.slot_var(inst.operand(1)) {
                    let place = self.b.var_place(v);
                    self.clobber_place(place);
                    self.emit(if name.starts_with("lifetime.start") {
                        Stmt::Declare(v)
                    } else {
                        Stmt::End(v)
                    });
                }
            }
            "memcpy" | "memmove" => {
                let target = self.operand_value(inst.operand(0));
                let source = self.operand_value(inst.operand(1));
                self.copy(target, source, inst.operand(2), family == "memmove");
            }
            "memset" => {
                let target = self.operand_value(inst.operand(0));
                let byte = self.operand(inst.operand(1));
                let byte = self.cast(byte, TypeId::U8);
                let size = self.operand(inst.operand(2));
                self.clobber_target(&target);
                let target = self.expr_of(target);
                self.emit(Stmt::Fill { target, byte, size });
            }
            "va_start" => {
                let target = self.operand_value(inst.operand(0));
                self.clobber_target(&target);
                let list = self.expr_of(target);
                self.emit(Stmt::VaStart(list));
            }
            "va_copy" => {
                let target = self.operand_value(inst.operand(0));
                self.clobber_target(&target);
                let (target, source) = (self.expr_of(target), self.operand(inst.operand(1)));
                // An x86-64 va_list is 24 bytes.
                let size = self.int(24, TypeId::I64);
                self.emit(Stmt::Copy {
                    target,
                    source,
                    size,
                    overlap: true,
                });
            }
            "va_end" => {}
            "stackrestore" => self.back_to_mark(inst),
            "trap" | "ubsantrap" | "debugtrap" => {
                self.trap(TrapReason::Trap);
                self.after_noreturn = true;
            }
            "assume" => {
                // __builtin_assume: the program promises it; operand bundles promise alignment.
                let e = self.operand(inst.operand(0));
                if !matches!(self.b.kind(e), ExprKind::Int(1)) {
                    self.emit(Stmt::Assume(e));
                }
            }
            _ => return false,
        }
        true
    }

    fn value_of(&mut self, inst: Value<'m>, name: &str) -> Option<Val> {
        let mut parts = name.split('.');
        let family = parts.next().unwrap_or(name);
        let second = parts.next().unwrap_or("");
        let arg = |s: &mut Self, i: u32| s.operand(inst.operand(i));
        let e = match family {
            "expect" | "ssa" | "launder" | "strip" | "annotation" | "preserve" | "arithmetic"
            | "canonicalize" => return Some(self.operand_value(inst.operand(0))),
            "ptr" if second == "annotation" => return Some(self.operand_value(inst.operand(0))),
            "threadlocal" => return Some(self.operand_value(inst.operand(0))),
            "objectsize" => self.int(-1, TypeId::I64),
            "is" if second == "constant" => self.b.bool(false),
            "is" if second == "fpclass" => {
                let (a, mask) = (arg(self, 0), arg(self, 1));
                self.b
                    .intrinsic(Intrinsic::IsClass, &[a, mask], TypeId::BOOL)
            }
            "sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul" => {
                let signed = family.starts_with('s');
                let a = arg(self, 0);
                let b = arg(self, 1);
                let (a, b) = (self.with_sign(a, signed), self.with_sign(b, signed));
                return self.overflow_op(&family[1..], second, signed, a, b);
            }
            "abs" => self.unary_int(inst, Intrinsic::Abs, true),
            "smax" => self.pick(inst, Intrinsic::Max, true),
            "smin" => self.pick(inst, Intrinsic::Min, true),
            "umax" => self.pick(inst, Intrinsic::Max, false),
            "umin" => self.pick(inst, Intrinsic::Min, false),
            "ctpop" => self.unary_int(inst, Intrinsic::PopCount, false),
            "ctlz" => self.unary_int(inst, Intrinsic::LeadingZeros, false),
            "cttz" => self.unary_int(inst, Intrinsic::TrailingZeros, false),
            "bswap" => self.unary_int(inst, Intrinsic::ByteSwap, false),
            "bitreverse" => self.unary_int(inst, Intrinsic::BitReverse, false),
            "fshl" | "fshr" => {
                let (a, b, c) = (arg(self, 0), arg(self, 1), arg(self, 2));
                let (a, b, c) = (
                    self.with_sign(a, false),
                    self.with_sign(b, false),
                    self.with_sign(c, false),
                );
                let op = if family == "fshl" {
                    Intrinsic::FunnelLeft
                } else {
                    Intrinsic::FunnelRight
                };
                let ty = self.b.type_of(a);
                self.b.intrinsic(op, &[a, b, c], ty)
            }
            "eh" if second == "typeid" => {
                let v = inst.operand(0);
                match self.unit.globals.get(&v) {
                    Some(&g) => self.b.expr(ExprKind::TypeInfo(g), TypeId::I32),
                    None => return None,
                }
            }
            "ptrmask" => {
                let (p, m) = (arg(self, 0), arg(self, 1));
                let ty = self.b.type_of(p);
                self.b.intrinsic(Intrinsic::PtrMask, &[p, m], ty)
            }
            // Stack marks and invariant markers: opaque pointers that only their own ends use.
            "stacksave" | "invariant" => self.b.expr(ExprKind::Undef, TypeId::VOID_PTR),
            "flt" | "get" if second == "rounds" || second == "rounding" => self.int(1, TypeId::I32),
            "fmuladd" | "fma" => {
                let (a, b, c) = (arg(self, 0), arg(self, 1), arg(self, 2));
                if family == "fma" {
                    let ty = self.b.type_of(a);
                    self.b.intrinsic(Intrinsic::Fma, &[a, b, c], ty)
                } else {
                    // Fusing is optional, and clang -O0 on x86-64 does not.
                    let product = self.b.binary(BinaryOp::Mul, a, b);
                    self.b.binary(BinaryOp::Add, product, c)
                }
            }
            "fabs" => {
                let a = arg(self, 0);
                let ty = self.b.type_of(a);
                self.b.intrinsic(Intrinsic::Abs, &[a], ty)
            }
            "lround" | "llround" | "lrint" | "llrint" => {
                let a = arg(self, 0);
                let ty = self.b.type_of(a);
                let op = if family.ends_with("rint") {
                    Intrinsic::RoundEven
                } else {
                    Intrinsic::Round
                };
                let rounded = self.b.intrinsic(op, &[a], ty);
                let to = self.unit.llvm_type(inst.ty());
                self.cast(rounded, to)
            }
            _ => {
                let op = float_function(family)?;
                let args: Vec<ExprId> = (0..inst.arg_count()).map(|i| arg(self, i)).collect();
                let ty = self.b.type_of(*args.first()?);
                self.b.intrinsic(op, &args, ty)
            }
        };
        Some(Val::Expr(e))
    }

    /// `__builtin_add_overflow` and saturating arithmetic.
    fn overflow_op(
        &mut self,
        op: &str,
        form: &str,
        signed: bool,
        a: ExprId,
        b: ExprId,
    ) -> Option<Val> {
        let plain = match op {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            _ => BinaryOp::Mul,
        };
        let ty = self.b.type_of(a);
        if form == "sat" {
            let op = match plain {
                BinaryOp::Add => Intrinsic::SatAdd,
                BinaryOp::Sub => Intrinsic::SatSub,
                _ => return None,
            };
            return Some(Val::Expr(self.b.intrinsic(op, &[a, b], ty)));
        }
        let wrapping = match plain {
            _ if !signed => plain,
            BinaryOp::Add => BinaryOp::WrapAdd,
            BinaryOp::Sub => BinaryOp::WrapSub,
            _ => BinaryOp::WrapMul,
        };
        let result = self.b.binary(wrapping, a, b);
        let overflow = self.b.expr(ExprKind::Overflow(plain, a, b), TypeId::BOOL);
        Some(Val::Parts(vec![Val::Expr(result), Val::Expr(overflow)]))
    }

    fn unary_int(&mut self, inst: Value<'m>, op: Intrinsic, signed: bool) -> ExprId {
        let a = self.operand(inst.operand(0));
        let a = self.with_sign(a, signed);
        let ty = self.b.type_of(a);
        self.b.intrinsic(op, &[a], ty)
    }

    fn pick(&mut self, inst: Value<'m>, op: Intrinsic, signed: bool) -> ExprId {
        let (a, b) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let (a, b) = (self.with_sign(a, signed), self.with_sign(b, signed));
        let ty = self.b.type_of(a);
        self.b.intrinsic(op, &[a, b], ty)
    }
}

fn float_function(family: &str) -> Option<Intrinsic> {
    Some(match family {
        "sqrt" => Intrinsic::Sqrt,
        "floor" => Intrinsic::Floor,
        "ceil" => Intrinsic::Ceil,
        "trunc" => Intrinsic::Trunc,
        "round" => Intrinsic::Round,
        "roundeven" | "rint" | "nearbyint" => Intrinsic::RoundEven,
        "copysign" => Intrinsic::CopySign,
        "minnum" | "minimum" => Intrinsic::Min,
        "maxnum" | "maximum" => Intrinsic::Max,
        "sin" => Intrinsic::Sin,
        "cos" => Intrinsic::Cos,
        "exp" => Intrinsic::Exp,
        "exp2" => Intrinsic::Exp2,
        "log" => Intrinsic::Log,
        "log2" => Intrinsic::Log2,
        "log10" => Intrinsic::Log10,
        "pow" => Intrinsic::Pow,
        _ => return None,
    })
}

/// Void intrinsics that change nothing a program can see.
fn harmless(name: &str) -> bool {
    [
        "prefetch",
        "invariant",
        "var.annotation",
        "donothing",
        "sideeffect",
        "experimental.noalias",
        "codeview",
        "pseudoprobe",
        "instrprof",
        "clear_cache",
        "x86.sse2.pause",
        "x86.sse2.mfence",
        "x86.sse.sfence",
        "x86.sse2.lfence",
        "set.rounding",
        "eh.unwind",
    ]
    .iter()
    .any(|p| name.starts_with(p))
}

fn is_type_suffix(part: &&str) -> bool {
    let mut chars = part.chars();
    matches!(chars.next(), Some('i' | 'f' | 'p' | 'v'))
        && chars.next().is_some_and(|c| c.is_ascii_digit())
}
