//! A parsed bitcode module.

use super::{Ty, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{bit_reader, support, target};
use std::borrow::Cow;
use std::sync::Once;

/// A module and its context. Neither is freed: a worker process holds a handful of them and
/// disposal costs more than it gives back.
pub struct Module {
    raw: LLVMModuleRef,
    context: LLVMContextRef,
    layout: target::LLVMTargetDataRef,
}

/// The bitcode is of clang's own making a moment ago: that it is verified as a whole on the way in, to find out
/// whether its debug information is of this version, costs a fifth of reading it.
fn set_options() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let words = [
            c"rigel-front".as_ptr(),
            c"-disable-auto-upgrade-debug-info".as_ptr(),
        ];
        // SAFETY: as many words as are said, which LLVM reads during the call only; once, before any context is there.
        unsafe {
            support::LLVMParseCommandLineOptions(
                words.len() as i32,
                words.as_ptr(),
                std::ptr::null(),
            );
        }
    });
}

impl Module {
    /// Parses bitcode; the error is LLVM's own words.
    pub fn parse(bitcode: &[u8]) -> Result<Module, String> {
        set_options();
        // SAFETY: the buffer is copied or kept alive by LLVM for the call; the handles are checked.
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(ignore_diagnostic), std::ptr::null_mut());
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(
                bitcode.as_ptr().cast(),
                bitcode.len(),
                c"unit".as_ptr(),
                0,
            );
            let mut raw = std::ptr::null_mut();
            let failed = bit_reader::LLVMParseBitcodeInContext2(context, buffer, &mut raw);
            LLVMDisposeMemoryBuffer(buffer);
            if failed != 0 || raw.is_null() {
                LLVMContextDispose(context);
                return Err("not LLVM 19 bitcode".into());
            }
            // dbg.declare as calls: the only form that the C interface can read.
            LLVMSetIsNewDbgInfoFormat(raw, 0);
            let layout = target::LLVMGetModuleDataLayout(raw);
            Ok(Module {
                raw,
                context,
                layout,
            })
        }
    }

    pub(super) fn context(&self) -> LLVMContextRef {
        self.context
    }

    pub fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: handles come from this live module.
        let first = unsafe { LLVMGetFirstFunction(self.raw) };
        std::iter::successors(Value::wrap(first), |v| {
            Value::wrap(unsafe { LLVMGetNextFunction(v.raw) })
        })
    }

    pub fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: handles come from this live module.
        let first = unsafe { LLVMGetFirstGlobal(self.raw) };
        std::iter::successors(Value::wrap(first), |v| {
            Value::wrap(unsafe { LLVMGetNextGlobal(v.raw) })
        })
    }

    pub fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: handles come from this live module.
        let first = unsafe { LLVMGetFirstGlobalAlias(self.raw) };
        std::iter::successors(Value::wrap(first), |v| {
            Value::wrap(unsafe { LLVMGetNextGlobalAlias(v.raw) })
        })
    }

    /// Functions that are chosen when the program starts.
    pub fn ifuncs(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: handles come from this live module.
        let first = unsafe { LLVMGetFirstGlobalIFunc(self.raw) };
        std::iter::successors(Value::wrap(first), |v| {
            Value::wrap(unsafe { LLVMGetNextGlobalIFunc(v.raw) })
        })
    }

    /// The text that the assembler gets besides the functions.
    pub fn assembler(&self) -> Cow<'_, str> {
        let mut length = 0;
        // SAFETY: a live module; the text is as long as it says, and lives as long as the module.
        unsafe {
            let text = LLVMGetModuleInlineAsm(self.raw, &mut length);
            super::text(text, length)
        }
    }

    pub fn size_of(&self, ty: Ty<'_>) -> u64 {
        if !ty.is_sized() {
            return 0;
        }
        // SAFETY: a sized type of this module.
        unsafe { target::LLVMABISizeOfType(self.layout, ty.raw) }
    }

    pub fn align_of(&self, ty: Ty<'_>) -> u32 {
        if !ty.is_sized() {
            return 1;
        }
        // SAFETY: a sized type of this module.
        unsafe { target::LLVMABIAlignmentOfType(self.layout, ty.raw) }
    }

    /// Byte offset of a struct's element.
    pub fn offset_of(&self, ty: Ty<'_>, element: u32) -> u64 {
        // SAFETY: callers pass a struct type and an element below its length.
        unsafe { target::LLVMOffsetOfElement(self.layout, ty.raw, element) }
    }

    /// The number by which attributes of this name are looked up.
    pub fn attribute_kind(&self, name: &str) -> u32 {
        // SAFETY: plain bytes with their length.
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }
}

extern "C" fn ignore_diagnostic(_: LLVMDiagnosticInfoRef, _: *mut libc::c_void) {}
