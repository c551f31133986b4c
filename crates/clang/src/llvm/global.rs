//! Functions and global variables.

use super::{Block, Meta, Ty, Value};
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use std::borrow::Cow;
use std::ffi::CStr;

impl<'m> Value<'m> {
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

    /// The section that the source puts it into; empty if it names none.
    pub fn section(self) -> Cow<'m, str> {
        // SAFETY: a global object; LLVM keeps the name with the module, and ends it with a zero.
        unsafe {
            let name = LLVMGetSection(self.raw);
            match name.is_null() {
                true => Cow::Borrowed(""),
                false => CStr::from_ptr(name).to_string_lossy(),
            }
        }
    }

    /// Who says at the start of the program which function an ifunc is.
    pub fn resolver(self) -> Option<Value<'m>> {
        // SAFETY: checked to be an ifunc.
        unsafe {
            if LLVMIsAGlobalIFunc(self.raw).is_null() {
                return None;
            }
            Value::wrap(LLVMGetGlobalIFuncResolver(self.raw))
        }
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
}
