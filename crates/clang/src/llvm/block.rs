//! Basic blocks.

use super::{Of, Value, ValueKind, text};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::borrow::Cow;
use std::marker::PhantomData;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'m> {
    pub(super) raw: LLVMBasicBlockRef,
    of: Of<'m>,
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
