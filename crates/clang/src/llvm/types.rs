//! LLVM types.

use super::{Of, text};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty<'m> {
    pub(super) raw: LLVMTypeRef,
    of: Of<'m>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TyKind {
    Void,
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
    X87,
    Fp128,
    Pointer,
    Struct,
    Array,
    Vector,
    Function,
    /// Labels, metadata, tokens, scalable vectors.
    Other,
}

impl<'m> Ty<'m> {
    pub(super) fn wrap(raw: LLVMTypeRef) -> Self {
        Ty {
            raw,
            of: PhantomData,
        }
    }

    pub fn kind(self) -> TyKind {
        // SAFETY: a live type handle.
        unsafe {
            match LLVMGetTypeKind(self.raw) {
                LLVMTypeKind::LLVMVoidTypeKind => TyKind::Void,
                LLVMTypeKind::LLVMIntegerTypeKind => TyKind::Int(LLVMGetIntTypeWidth(self.raw)),
                LLVMTypeKind::LLVMHalfTypeKind => TyKind::Half,
                LLVMTypeKind::LLVMBFloatTypeKind => TyKind::BFloat,
                LLVMTypeKind::LLVMFloatTypeKind => TyKind::Float,
                LLVMTypeKind::LLVMDoubleTypeKind => TyKind::Double,
                LLVMTypeKind::LLVMX86_FP80TypeKind => TyKind::X87,
                LLVMTypeKind::LLVMFP128TypeKind => TyKind::Fp128,
                LLVMTypeKind::LLVMPointerTypeKind => TyKind::Pointer,
                LLVMTypeKind::LLVMStructTypeKind => TyKind::Struct,
                LLVMTypeKind::LLVMArrayTypeKind => TyKind::Array,
                LLVMTypeKind::LLVMVectorTypeKind => TyKind::Vector,
                LLVMTypeKind::LLVMFunctionTypeKind => TyKind::Function,
                _ => TyKind::Other,
            }
        }
    }

    pub fn is_sized(self) -> bool {
        // SAFETY: a live type handle.
        unsafe { LLVMTypeIsSized(self.raw) != 0 }
    }

    pub fn is_aggregate(self) -> bool {
        matches!(self.kind(), TyKind::Struct | TyKind::Array | TyKind::Vector)
    }

    /// Name of a named struct.
    pub fn name(self) -> Option<&'m str> {
        // SAFETY: a struct type; LLVM keeps the name with the context.
        unsafe {
            let name = LLVMGetStructName(self.raw);
            if name.is_null() {
                None
            } else {
                std::ffi::CStr::from_ptr(name).to_str().ok()
            }
        }
    }

    /// Element types of a struct.
    pub fn fields(self) -> Vec<Ty<'m>> {
        // SAFETY: a struct type; the buffer has the length LLVM reports.
        unsafe {
            let n = LLVMCountStructElementTypes(self.raw);
            (0..n)
                .map(|i| Ty::wrap(LLVMStructGetTypeAtIndex(self.raw, i)))
                .collect()
        }
    }

    /// One element type of a struct.
    pub fn field(self, index: u32) -> Ty<'m> {
        // SAFETY: a struct type; callers stay below its length.
        unsafe { Ty::wrap(LLVMStructGetTypeAtIndex(self.raw, index)) }
    }

    pub fn field_count(self) -> u32 {
        // SAFETY: a struct type.
        unsafe { LLVMCountStructElementTypes(self.raw) }
    }

    /// Element type of an array or vector.
    pub fn element(self) -> Ty<'m> {
        // SAFETY: an array or vector type.
        unsafe { Ty::wrap(LLVMGetElementType(self.raw)) }
    }

    /// Length of an array or vector.
    pub fn len(self) -> u64 {
        // SAFETY: the kind is looked at first.
        unsafe {
            match self.kind() {
                TyKind::Array => LLVMGetArrayLength2(self.raw),
                TyKind::Vector => u64::from(LLVMGetVectorSize(self.raw)),
                TyKind::Struct => u64::from(LLVMCountStructElementTypes(self.raw)),
                _ => 0,
            }
        }
    }

    /// Return type, parameter types and variadicity of a function type.
    pub fn signature(self) -> (Ty<'m>, Vec<Ty<'m>>, bool) {
        // SAFETY: a function type; the buffer has the length LLVM reports.
        unsafe {
            let n = LLVMCountParamTypes(self.raw) as usize;
            let mut params = vec![std::ptr::null_mut(); n];
            LLVMGetParamTypes(self.raw, params.as_mut_ptr());
            (
                Ty::wrap(LLVMGetReturnType(self.raw)),
                params.into_iter().map(Ty::wrap).collect(),
                LLVMIsFunctionVarArg(self.raw) != 0,
            )
        }
    }

    /// LLVM's text for it, for messages.
    pub fn describe(self) -> String {
        // SAFETY: the message is copied, then freed.
        unsafe {
            let s = LLVMPrintTypeToString(self.raw);
            let out = text(s, libc::strlen(s)).into_owned();
            LLVMDisposeMessage(s);
            out
        }
    }
}
