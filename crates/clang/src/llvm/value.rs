//! Values: constants, globals, functions, blocks and instructions.

use super::{Block, Meta, Of, Opcode, Ty, text};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMRealPredicate, LLVMValueKind,
};
use std::borrow::Cow;
use std::marker::PhantomData;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'m> {
    pub(super) raw: LLVMValueRef,
    of: Of<'m>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Argument,
    Instruction,
    Block,
    Function,
    Global,
    Alias,
    Int,
    Float,
    Null,
    Undef,
    Poison,
    /// Struct, array or vector constant, data arrays and zero initialisers included.
    Aggregate,
    Expression,
    BlockAddress,
    InlineAsm,
    Metadata,
    Other,
}

/// Where an attribute stands.
#[derive(Clone, Copy, Debug)]
pub enum AttributeSet {
    Function,
    Param(u32),
}

/// Read-modify-write operations, as LLVM names them.
pub use llvm_sys::LLVMAtomicRMWBinOp as RmwOp;

impl<'m> Value<'m> {
    pub(super) fn wrap(raw: LLVMValueRef) -> Option<Self> {
        if raw.is_null() {
            None
        } else {
            Some(Value {
                raw,
                of: PhantomData,
            })
        }
    }

    pub fn kind(self) -> ValueKind {
        use LLVMValueKind::*;
        // SAFETY: a live value handle.
        match unsafe { LLVMGetValueKind(self.raw) } {
            LLVMArgumentValueKind => ValueKind::Argument,
            LLVMBasicBlockValueKind => ValueKind::Block,
            LLVMFunctionValueKind => ValueKind::Function,
            LLVMGlobalVariableValueKind => ValueKind::Global,
            LLVMGlobalAliasValueKind | LLVMGlobalIFuncValueKind => ValueKind::Alias,
            LLVMConstantIntValueKind => ValueKind::Int,
            LLVMConstantFPValueKind => ValueKind::Float,
            LLVMConstantPointerNullValueKind => ValueKind::Null,
            LLVMUndefValueValueKind => ValueKind::Undef,
            LLVMPoisonValueKind => ValueKind::Poison,
            LLVMConstantArrayValueKind
            | LLVMConstantStructValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantAggregateZeroValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => ValueKind::Aggregate,
            LLVMConstantExprValueKind => ValueKind::Expression,
            LLVMBlockAddressValueKind => ValueKind::BlockAddress,
            LLVMInlineAsmValueKind => ValueKind::InlineAsm,
            LLVMMetadataAsValueValueKind => ValueKind::Metadata,
            LLVMInstructionValueKind => ValueKind::Instruction,
            _ => ValueKind::Other,
        }
    }

    pub fn ty(self) -> Ty<'m> {
        // SAFETY: a live value handle.
        unsafe { Ty::wrap(LLVMTypeOf(self.raw)) }
    }

    pub fn name(self) -> Cow<'m, str> {
        let mut len = 0;
        // SAFETY: LLVM keeps the name with the value.
        unsafe {
            let name = LLVMGetValueName2(self.raw, &mut len);
            text(name, len)
        }
    }

    pub fn operand_count(self) -> u32 {
        // SAFETY: a live user.
        unsafe { LLVMGetNumOperands(self.raw).max(0) as u32 }
    }

    /// Callers stay below `operand_count`.
    pub fn operand(self, index: u32) -> Value<'m> {
        // SAFETY: index in range by contract; operands of instructions are never null.
        unsafe {
            Value {
                raw: LLVMGetOperand(self.raw, index),
                of: PhantomData,
            }
        }
    }

    pub fn operands(self) -> impl Iterator<Item = Value<'m>> {
        (0..self.operand_count()).map(move |i| self.operand(i))
    }

    /// The instructions and constants that use this value, one entry per use.
    pub fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: uses are walked while nothing changes the module.
        let mut next = unsafe { LLVMGetFirstUse(self.raw) };
        std::iter::from_fn(move || {
            if next.is_null() {
                return None;
            }
            // SAFETY: as above.
            unsafe {
                let user = LLVMGetUser(next);
                next = LLVMGetNextUse(next);
                Value::wrap(user)
            }
        })
    }

    // Instructions.

    pub fn opcode(self) -> Opcode {
        // SAFETY: an instruction or constant expression.
        unsafe {
            if LLVMIsAInstruction(self.raw).is_null() {
                LLVMGetConstOpcode(self.raw)
            } else {
                LLVMGetInstructionOpcode(self.raw)
            }
        }
    }

    /// The block of an instruction.
    pub fn block(self) -> Option<Block<'m>> {
        // SAFETY: checked to be an instruction.
        unsafe {
            if LLVMIsAInstruction(self.raw).is_null() {
                return None;
            }
            Block::wrap(LLVMGetInstructionParent(self.raw))
        }
    }

    pub fn next(self) -> Option<Value<'m>> {
        // SAFETY: an instruction.
        unsafe { Value::wrap(LLVMGetNextInstruction(self.raw)) }
    }

    pub fn debug_location(self) -> Option<Meta<'m>> {
        // SAFETY: an instruction.
        unsafe { Meta::wrap(llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(self.raw)) }
    }

    pub fn int_predicate(self) -> LLVMIntPredicate {
        // SAFETY: an icmp.
        unsafe { LLVMGetICmpPredicate(self.raw) }
    }

    pub fn real_predicate(self) -> LLVMRealPredicate {
        // SAFETY: an fcmp.
        unsafe { LLVMGetFCmpPredicate(self.raw) }
    }

    pub fn no_signed_wrap(self) -> bool {
        // SAFETY: add, sub or mul.
        unsafe { LLVMGetNSW(self.raw) != 0 }
    }

    pub fn no_unsigned_wrap(self) -> bool {
        // SAFETY: add, sub or mul.
        unsafe { LLVMGetNUW(self.raw) != 0 }
    }

    pub fn is_volatile(self) -> bool {
        // SAFETY: a load or a store.
        unsafe { LLVMGetVolatile(self.raw) != 0 }
    }

    pub fn is_atomic(self) -> bool {
        // SAFETY: a load or a store.
        unsafe { LLVMGetOrdering(self.raw) != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic }
    }

    pub fn allocated_type(self) -> Ty<'m> {
        // SAFETY: an alloca.
        unsafe { Ty::wrap(LLVMGetAllocatedType(self.raw)) }
    }

    pub fn gep_source_type(self) -> Ty<'m> {
        // SAFETY: a getelementptr, instruction or constant.
        unsafe { Ty::wrap(LLVMGetGEPSourceElementType(self.raw)) }
    }

    /// Index path of extractvalue and insertvalue.
    pub fn indices(self) -> Vec<u32> {
        // SAFETY: one of these two; the array has the length LLVM reports.
        unsafe {
            let n = LLVMGetNumIndices(self.raw) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.raw), n).to_vec()
        }
    }

    /// Lanes that a shufflevector selects; -1 is poison.
    pub fn shuffle_mask(self) -> Vec<i32> {
        // SAFETY: a shufflevector; indices below the reported length.
        unsafe {
            let n = LLVMGetNumMaskElements(self.raw);
            (0..n).map(|i| LLVMGetMaskValue(self.raw, i)).collect()
        }
    }

    pub fn rmw_op(self) -> LLVMAtomicRMWBinOp {
        // SAFETY: an atomicrmw.
        unsafe { LLVMGetAtomicRMWBinOp(self.raw) }
    }

    pub fn successors(self) -> impl Iterator<Item = Block<'m>> {
        // SAFETY: a terminator; indices below the reported length.
        let n = unsafe { LLVMGetNumSuccessors(self.raw) };
        (0..n).filter_map(move |i| Block::wrap(unsafe { LLVMGetSuccessor(self.raw, i) }))
    }

    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        // SAFETY: a phi; indices below the reported length.
        unsafe {
            (0..LLVMCountIncoming(self.raw))
                .filter_map(|i| {
                    let v = Value::wrap(LLVMGetIncomingValue(self.raw, i))?;
                    Some((v, Block::wrap(LLVMGetIncomingBlock(self.raw, i))?))
                })
                .collect()
        }
    }

    pub fn normal_dest(self) -> Option<Block<'m>> {
        // SAFETY: an invoke.
        unsafe { Block::wrap(LLVMGetNormalDest(self.raw)) }
    }

    pub fn unwind_dest(self) -> Option<Block<'m>> {
        // SAFETY: an invoke.
        unsafe { Block::wrap(LLVMGetUnwindDest(self.raw)) }
    }

    pub fn is_cleanup(self) -> bool {
        // SAFETY: a landingpad.
        unsafe { LLVMIsCleanup(self.raw) != 0 }
    }

    pub fn clauses(self) -> Vec<Value<'m>> {
        // SAFETY: a landingpad; indices below the reported length.
        unsafe {
            (0..LLVMGetNumClauses(self.raw))
                .filter_map(|i| Value::wrap(LLVMGetClause(self.raw, i)))
                .collect()
        }
    }

    // Calls.

    pub fn callee(self) -> Option<Value<'m>> {
        // SAFETY: a call or invoke.
        unsafe { Value::wrap(LLVMGetCalledValue(self.raw)) }
    }

    pub fn called_type(self) -> Ty<'m> {
        // SAFETY: a call or invoke.
        unsafe { Ty::wrap(LLVMGetCalledFunctionType(self.raw)) }
    }

    pub fn arg_count(self) -> u32 {
        // SAFETY: a call or invoke.
        unsafe { LLVMGetNumArgOperands(self.raw) }
    }

    /// Does a call site carry this attribute?
    pub fn call_has(self, set: AttributeSet, kind: u32) -> bool {
        // SAFETY: a call or invoke.
        unsafe { !LLVMGetCallSiteEnumAttribute(self.raw, set.index(), kind).is_null() }
    }

    /// The type in a call site's type attribute (byval, elementtype).
    pub fn call_type_attribute(self, set: AttributeSet, kind: u32) -> Option<Ty<'m>> {
        // SAFETY: a call or invoke; the attribute is a type attribute by its kind.
        unsafe {
            let a = LLVMGetCallSiteEnumAttribute(self.raw, set.index(), kind);
            if a.is_null() {
                None
            } else {
                Some(Ty::wrap(LLVMGetTypeAttributeValue(a)))
            }
        }
    }

    pub fn function_has(self, set: AttributeSet, kind: u32) -> bool {
        // SAFETY: a function.
        unsafe { !LLVMGetEnumAttributeAtIndex(self.raw, set.index(), kind).is_null() }
    }

    pub fn is_intrinsic(self) -> bool {
        // SAFETY: a function.
        unsafe { LLVMGetIntrinsicID(self.raw) != 0 }
    }

    pub fn asm_text(self) -> (String, String) {
        // SAFETY: an inline asm value.
        unsafe {
            let (mut n, mut m) = (0, 0);
            let template = LLVMGetInlineAsmAsmString(self.raw, &mut n);
            let constraints = LLVMGetInlineAsmConstraintString(self.raw, &mut m);
            (
                text(template, n).into_owned(),
                text(constraints, m).into_owned(),
            )
        }
    }

    pub fn as_block(self) -> Option<Block<'m>> {
        // SAFETY: checked to be a block.
        unsafe {
            if LLVMValueIsBasicBlock(self.raw) == 0 {
                return None;
            }
            Block::wrap(LLVMValueAsBasicBlock(self.raw))
        }
    }

    /// The node behind a metadata operand (of a dbg intrinsic).
    pub fn as_meta(self) -> Option<Meta<'m>> {
        // SAFETY: a metadata-as-value operand.
        unsafe { Meta::wrap(LLVMValueAsMetadata(self.raw)) }
    }

    /// The value behind a metadata operand that wraps one.
    pub fn wrapped_value(self) -> Option<Value<'m>> {
        // SAFETY: a metadata-as-value operand; LLVM reports one operand for a wrapped value.
        unsafe {
            if LLVMGetMDNodeNumOperands(self.raw) != 1 {
                return None;
            }
            let mut out = std::ptr::null_mut();
            LLVMGetMDNodeOperands(self.raw, &mut out);
            Value::wrap(out)
        }
    }
}

impl AttributeSet {
    fn index(self) -> u32 {
        match self {
            AttributeSet::Function => u32::MAX,
            AttributeSet::Param(i) => i + 1,
        }
    }
}
