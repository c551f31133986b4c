//! Values: constants, globals, functions, blocks and instructions.

use super::{Meta, Of, Opcode, Ty, text};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{
    LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMLinkage, LLVMRealPredicate, LLVMValueKind,
};
use std::borrow::Cow;
use std::marker::PhantomData;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'m> {
    pub(super) raw: LLVMValueRef,
    of: Of<'m>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'m> {
    raw: LLVMBasicBlockRef,
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
        unsafe { Meta::wrap(LLVMInstructionGetDebugLocRaw(self.raw)) }
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

    // Functions and globals.

    pub fn is_declaration(self) -> bool {
        // SAFETY: a global value.
        unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    pub fn linkage(self) -> LLVMLinkage {
        // SAFETY: a global value.
        unsafe { LLVMGetLinkage(self.raw) }
    }

    /// Function type of a function, value type of a global.
    pub fn value_type(self) -> Ty<'m> {
        // SAFETY: a global value.
        unsafe { Ty::wrap(LLVMGlobalGetValueType(self.raw)) }
    }

    pub fn is_constant_global(self) -> bool {
        // SAFETY: a global variable.
        unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    pub fn is_thread_local(self) -> bool {
        // SAFETY: a global variable.
        unsafe { LLVMIsThreadLocal(self.raw) != 0 }
    }

    pub fn initializer(self) -> Option<Value<'m>> {
        // SAFETY: a global variable.
        unsafe { Value::wrap(LLVMGetInitializer(self.raw)) }
    }

    pub fn aliasee(self) -> Option<Value<'m>> {
        // SAFETY: a global alias (ifuncs have a resolver instead).
        unsafe {
            if LLVMIsAGlobalAlias(self.raw).is_null() {
                return None;
            }
            Value::wrap(LLVMAliasGetAliasee(self.raw))
        }
    }

    pub fn subprogram(self) -> Option<Meta<'m>> {
        // SAFETY: a function.
        unsafe { Meta::wrap(llvm_sys::debuginfo::LLVMGetSubprogram(self.raw)) }
    }

    /// Metadata attached to a global, as (kind, node).
    pub fn global_metadata(self) -> Vec<(u32, Meta<'m>)> {
        // SAFETY: entries are read within the reported length, then disposed.
        unsafe {
            let mut n = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.raw, &mut n);
            let all = (0..n as u32)
                .filter_map(|i| {
                    let node = Meta::wrap(LLVMValueMetadataEntriesGetMetadata(entries, i))?;
                    Some((LLVMValueMetadataEntriesGetKind(entries, i), node))
                })
                .collect();
            LLVMDisposeValueMetadataEntries(entries);
            all
        }
    }

    pub fn params(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: a function; indices below the reported length.
        let n = unsafe { LLVMCountParams(self.raw) };
        (0..n).filter_map(move |i| Value::wrap(unsafe { LLVMGetParam(self.raw, i) }))
    }

    pub fn blocks(self) -> impl Iterator<Item = Block<'m>> {
        // SAFETY: a function.
        let first = unsafe { LLVMGetFirstBasicBlock(self.raw) };
        std::iter::successors(Block::wrap(first), |b| {
            Block::wrap(unsafe { LLVMGetNextBasicBlock(b.raw) })
        })
    }

    // Constants.

    /// Bits of an integer constant up to 128 wide; `None` beyond.
    pub fn int_bits(self) -> Option<u128> {
        let super::TyKind::Int(width) = self.ty().kind() else {
            return None;
        };
        if width <= 64 {
            // SAFETY: an integer constant of at most 64 bits.
            return Some(u128::from(unsafe { LLVMConstIntGetZExtValue(self.raw) }));
        }
        if width > 128 {
            return None;
        }
        let printed = self.print();
        let digits = printed.rsplit(' ').next()?;
        match digits.strip_prefix('-') {
            Some(d) => Some((d.parse::<u128>().ok()? as i128).wrapping_neg() as u128 & mask(width)),
            None => Some(digits.parse::<u128>().ok()? & mask(width)),
        }
    }

    /// IEEE bits of a float constant; x87: its 80 bits.
    pub fn float_bits(self) -> Option<u128> {
        use super::TyKind;
        let mut lost = 0;
        // SAFETY: a float constant.
        let value = unsafe { LLVMConstRealGetDouble(self.raw, &mut lost) };
        match self.ty().kind() {
            TyKind::Float if !value.is_nan() => Some(u128::from((value as f32).to_bits())),
            TyKind::Double if !value.is_nan() => Some(u128::from(value.to_bits())),
            kind => {
                // LLVM prints these in hexadecimal: `double 0x7FF8…`, `x86_fp80 0xK3FFF8…`.
                let printed = self.print();
                let word = printed.rsplit(' ').next()?;
                let hex = word
                    .strip_prefix("0x")?
                    .trim_start_matches(['K', 'L', 'M', 'H', 'R']);
                let bits = u128::from_str_radix(hex, 16).ok()?;
                match kind {
                    // A float is printed as the double of the same value.
                    TyKind::Float => {
                        Some(u128::from((f64::from_bits(bits as u64) as f32).to_bits()))
                    }
                    // fp128 is printed low half first.
                    TyKind::Fp128 => Some(bits.rotate_left(64)),
                    _ => Some(bits),
                }
            }
        }
    }

    /// The bytes of a constant array of i8.
    pub fn string_bytes(self) -> Option<&'m [u8]> {
        // SAFETY: checked to be a data sequence of bytes; LLVM keeps the data with the context.
        unsafe {
            if LLVMIsAConstantDataSequential(self.raw).is_null()
                || LLVMIsConstantString(self.raw) == 0
            {
                return None;
            }
            let mut len = 0;
            let data = LLVMGetAsString(self.raw, &mut len);
            Some(std::slice::from_raw_parts(data.cast(), len))
        }
    }

    pub fn is_null_constant(self) -> bool {
        // SAFETY: a live value handle.
        unsafe { LLVMIsNull(self.raw) != 0 }
    }

    /// An element of a constant aggregate, zero initialisers included.
    pub fn element(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: a constant aggregate; LLVM answers null beyond its end.
        unsafe { Value::wrap(LLVMGetAggregateElement(self.raw, index)) }
    }

    pub fn block_address(self) -> Option<(Value<'m>, Block<'m>)> {
        // SAFETY: a block address.
        unsafe {
            let f = Value::wrap(LLVMGetBlockAddressFunction(self.raw))?;
            Some((f, Block::wrap(LLVMGetBlockAddressBasicBlock(self.raw))?))
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

    /// LLVM's text for a constant. Expensive on anything that refers to the module.
    fn print(self) -> String {
        // SAFETY: the message is copied, then freed.
        unsafe {
            let s = LLVMPrintValueToString(self.raw);
            let out = text(s, libc::strlen(s)).into_owned();
            LLVMDisposeMessage(s);
            out
        }
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 { !0 } else { (1 << width) - 1 }
}

impl AttributeSet {
    fn index(self) -> u32 {
        match self {
            AttributeSet::Function => u32::MAX,
            AttributeSet::Param(i) => i + 1,
        }
    }
}

impl<'m> Block<'m> {
    pub(super) fn wrap(raw: LLVMBasicBlockRef) -> Option<Self> {
        if raw.is_null() {
            None
        } else {
            Some(Block {
                raw,
                of: PhantomData,
            })
        }
    }

    pub fn name(self) -> Cow<'m, str> {
        // SAFETY: LLVM keeps the name with the block.
        unsafe {
            let name = LLVMGetBasicBlockName(self.raw);
            if name.is_null() {
                "".into()
            } else {
                text(name, libc::strlen(name))
            }
        }
    }

    pub fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: a block.
        let first = unsafe { LLVMGetFirstInstruction(self.raw) };
        std::iter::successors(Value::wrap(first), |i| i.next())
    }

    /// Is there a `&&label` for this block?
    pub fn address_taken(self) -> bool {
        // SAFETY: a block is a value; its users are walked while nothing changes the module.
        unsafe {
            let v = Value::wrap(LLVMBasicBlockAsValue(self.raw));
            v.is_some_and(|v| v.users().any(|u| u.kind() == ValueKind::BlockAddress))
        }
    }

    pub fn terminator(self) -> Option<Value<'m>> {
        // SAFETY: a block.
        unsafe { Value::wrap(LLVMGetBasicBlockTerminator(self.raw)) }
    }
}

use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc as LLVMInstructionGetDebugLocRaw;
