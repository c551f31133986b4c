//! A small safe layer over the parts of LLVM's C interface that lowering needs.
//!
//! Every handle borrows the [`Module`] it comes from through its lifetime, so it cannot outlive
//! it. LLVM is only read here, never changed: that is what makes the layer small. All `unsafe`
//! of rigel is in this folder.
#![allow(unsafe_code)]

mod block;
mod constant;
mod debug;
mod global;
mod module;
mod types;
mod value;

pub use block::Block;
pub use debug::{Meta, MetaKind};
pub use module::Module;
pub use types::{Ty, TyKind};
pub use value::{AttributeSet, RmwOp, Value, ValueKind};

/// Opcodes and predicates are plain enumerations: used as LLVM names them.
pub use llvm_sys::{
    LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
};

use std::marker::PhantomData;

/// Ties a raw handle to its module.
type Of<'m> = PhantomData<&'m Module>;

/// A string that LLVM owns and keeps as long as the module.
///
/// # Safety
/// `ptr` must point to `len` bytes that live for `'m`, or be null.
unsafe fn text<'m>(ptr: *const libc::c_char, len: usize) -> std::borrow::Cow<'m, str> {
    if ptr.is_null() {
        return "".into();
    }
    // SAFETY: by the contract above.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(ptr.cast(), len) })
}
