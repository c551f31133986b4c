//! The end of variable-length arrays.
//!
//! Other locals end with `llvm.lifetime.end`. An array whose length is computed lies on the stack from where it is allocated, and ends
//! with its block (C11 6.2.4p7): clang marks the stack where the block begins to need it, and goes back to the mark where the block
//! is left. So going back ends those arrays that were surely allocated since the mark. It becomes a call of a function that only ends
//! their lives: what a pointer to the array is worth then, every engine knows from `free`.

use super::FunctionLowering;
use crate::llvm::{Block, Opcode, Value};
use ir::{Call, CallOutcome, Callee, Stmt, VarId};
use rustc_hash::FxHashSet;

/// Ends the life of what its argument points to.
const END: &str = "__rigel_end_of_array";

impl<'m> FunctionLowering<'_, 'm> {
    /// `llvm.stackrestore`.
    pub(super) fn back_to_mark(&mut self, restore: Value<'m>) {
        let (Some(mark), Some(here)) = (mark(restore.operand(0)), restore.block()) else {
            return;
        };
        let Some(from) = mark.block() else { return };
        let arrays = self.arrays.iter();
        let ended: Vec<VarId> = arrays
            .filter(|(array, _)| is_between(mark, from, *array, here))
            .map(|(_, v)| *v)
            .collect();
        for v in ended {
            let (callee, signature) = self.unit.outsider(END);
            let array = self.b.load_var(v);
            self.clobber_call();
            self.emit(Stmt::Call(Box::new(Call {
                result: None,
                callee: Callee::Direct(callee),
                args: vec![array],
                signature,
                outcome: CallOutcome::Return,
                noreturn: false,
            })));
        }
    }
}

/// Where the stack was marked: `saved` is read from a slot that only the mark is put into.
fn mark(saved: Value<'_>) -> Option<Value<'_>> {
    if saved.opcode() != Opcode::LLVMLoad {
        return is_mark(saved).then_some(saved);
    }
    let slot = saved.operand(0);
    let mut marks = slot
        .users()
        .filter(|user| user.opcode() == Opcode::LLVMStore)
        .map(|store| store.operand(0));
    let mark = marks.next().filter(|mark| is_mark(*mark))?;
    marks.next().is_none().then_some(mark)
}

fn is_mark(v: Value<'_>) -> bool {
    v.callee()
        .is_some_and(|f| f.name().starts_with("llvm.stacksave"))
}

/// Does whoever comes from the mark to the block allocate the array on the way, whatever way it takes?
fn is_between<'m>(mark: Value<'m>, from: Block<'m>, array: Value<'m>, here: Block<'m>) -> bool {
    let Some(at) = array.block() else {
        return false;
    };
    if at == from {
        return follows(mark, array);
    }
    let mut seen: FxHashSet<Block<'m>> = FxHashSet::default();
    let mut waiting = vec![from];
    let mut passed = false;
    while let Some(block) = waiting.pop() {
        if block == here {
            return false;
        }
        let ends = block.terminator();
        for next in ends.into_iter().flat_map(Value::successors) {
            passed |= next == at;
            if next != at && seen.insert(next) {
                waiting.push(next);
            }
        }
    }
    passed
}

/// Does one instruction come behind the other in its block?
fn follows<'m>(first: Value<'m>, second: Value<'m>) -> bool {
    let mut next = first.next();
    while let Some(inst) = next {
        if inst == second {
            return true;
        }
        next = inst.next();
    }
    false
}
