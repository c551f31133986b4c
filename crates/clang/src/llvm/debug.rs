//! Debug information: metadata nodes.
//!
//! The C interface has accessors for a few fields only; the rest is read through operand lists,
//! whose order is LLVM 19's. A list may be cut short, so every access is bounds-checked.

use super::{Module, Of, Value, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::borrow::Cow;
use std::marker::PhantomData;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Meta<'m> {
    pub(super) raw: LLVMMetadataRef,
    of: Of<'m>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaKind {
    BasicType,
    DerivedType,
    CompositeType,
    SubroutineType,
    Subprogram,
    Namespace,
    Subrange,
    Other,
}

impl<'m> Meta<'m> {
    pub(super) fn wrap(raw: LLVMMetadataRef) -> Option<Self> {
        if raw.is_null() {
            None
        } else {
            Some(Meta {
                raw,
                of: PhantomData,
            })
        }
    }

    pub fn kind(self) -> MetaKind {
        // SAFETY: a live metadata handle.
        match unsafe { LLVMGetMetadataKind(self.raw) } {
            LLVMMetadataKind::LLVMDIBasicTypeMetadataKind => MetaKind::BasicType,
            LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind => MetaKind::DerivedType,
            LLVMMetadataKind::LLVMDICompositeTypeMetadataKind => MetaKind::CompositeType,
            LLVMMetadataKind::LLVMDISubroutineTypeMetadataKind => MetaKind::SubroutineType,
            LLVMMetadataKind::LLVMDISubprogramMetadataKind => MetaKind::Subprogram,
            LLVMMetadataKind::LLVMDINamespaceMetadataKind => MetaKind::Namespace,
            LLVMMetadataKind::LLVMDISubrangeMetadataKind => MetaKind::Subrange,
            _ => MetaKind::Other,
        }
    }

    /// DWARF tag.
    pub fn tag(self) -> u16 {
        // SAFETY: LLVM answers 0 for what is no DINode.
        unsafe { LLVMGetDINodeTag(self.raw) }
    }

    /// Operands as values; absent ones are `None`.
    pub fn operands(self, module: &'m Module) -> Vec<Option<Value<'m>>> {
        // SAFETY: the node is wrapped as a value of its own context; the buffer has the length
        // that LLVM reports.
        unsafe {
            let v = LLVMMetadataAsValue(module.context(), self.raw);
            let n = LLVMGetMDNodeNumOperands(v) as usize;
            let mut out = vec![std::ptr::null_mut(); n];
            LLVMGetMDNodeOperands(v, out.as_mut_ptr());
            out.into_iter().map(Value::wrap).collect()
        }
    }

    pub fn operand(self, module: &'m Module, index: usize) -> Option<Meta<'m>> {
        self.operands(module)
            .get(index)
            .copied()
            .flatten()
            .and_then(Value::as_meta)
    }

    /// A string operand.
    pub fn string(self, module: &'m Module, index: usize) -> Option<Cow<'m, str>> {
        let v = self.operands(module).get(index).copied().flatten()?;
        let mut len = 0;
        // SAFETY: LLVM answers null for what is no string.
        unsafe {
            let s = LLVMGetMDString(v.raw, &mut len);
            if s.is_null() {
                None
            } else {
                Some(text(s, len as usize))
            }
        }
    }

    // Types.

    pub fn type_name(self) -> Cow<'m, str> {
        let mut len = 0;
        // SAFETY: a DIType.
        unsafe {
            let s = LLVMDITypeGetName(self.raw, &mut len);
            text(s, len)
        }
    }

    pub fn size_in_bits(self) -> u64 {
        // SAFETY: a DIType.
        unsafe { LLVMDITypeGetSizeInBits(self.raw) }
    }

    pub fn offset_in_bits(self) -> u64 {
        // SAFETY: a DIType.
        unsafe { LLVMDITypeGetOffsetInBits(self.raw) }
    }

    pub fn align_in_bits(self) -> u32 {
        // SAFETY: a DIType.
        unsafe { LLVMDITypeGetAlignInBits(self.raw) }
    }

    /// LLVM's DIFlags of a type.
    pub fn type_flags(self) -> i32 {
        // SAFETY: a DIType.
        unsafe { LLVMDITypeGetFlags(self.raw) }
    }

    // Positions.

    /// (line, column, scope) of a location.
    pub fn location(self) -> (u32, u32, Option<Meta<'m>>) {
        // SAFETY: a DILocation.
        unsafe {
            (
                LLVMDILocationGetLine(self.raw),
                LLVMDILocationGetColumn(self.raw),
                Meta::wrap(LLVMDILocationGetScope(self.raw)),
            )
        }
    }

    /// (directory, file name) of a scope.
    pub fn scope_file(self) -> Option<(Cow<'m, str>, Cow<'m, str>)> {
        // SAFETY: a DIScope.
        unsafe {
            let file = LLVMDIScopeGetFile(self.raw);
            if file.is_null() {
                return None;
            }
            let (mut n, mut m) = (0, 0);
            let dir = LLVMDIFileGetDirectory(file, &mut n);
            let name = LLVMDIFileGetFilename(file, &mut m);
            Some((text(dir, n as usize), text(name, m as usize)))
        }
    }

    pub fn subprogram_line(self) -> u32 {
        // SAFETY: a DISubprogram.
        unsafe { LLVMDISubprogramGetLine(self.raw) }
    }

    pub fn variable_line(self) -> u32 {
        // SAFETY: a DIVariable.
        unsafe { LLVMDIVariableGetLine(self.raw) }
    }
}
