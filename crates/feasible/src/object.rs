//! The objects that a path meets.
//!
//! An address is a constant of its own for each object whose identity the path knows (a local, a
//! global, memory that the path allocates), so that `&x == &y`, `&x == NULL` and alignment tests are
//! decided by arithmetic; the upper half of the address names the object. What an unknown pointer
//! points to is an object too: its address is the pointer.

use crate::contents::Contents;
use ir::{FuncId, GlobalId, VarId};
use logic::TermId;
use std::rc::Rc;

/// An object of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A variable of a frame (0 is the function itself, others are calls that were entered).
    Var(u32, VarId),
    Global(GlobalId),
    Function(FuncId),
    /// The labels of a function (GNU `&&label`).
    Labels(FuncId),
    /// What the path allocated at a step.
    Allocated(u32),
    /// What an unknown pointer points to.
    Pointee(TermId),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub kind: ObjectKind,
    /// Where its first byte is.
    pub address: TermId,
    /// How many bytes it has (a 64-bit word); none: unknown.
    pub size: Option<TermId>,
    /// Of what the path allocated: who has to take it back; none for what goes by itself.
    pub family: Option<ir::Family>,
    /// Neither freed nor out of scope.
    pub alive: TermId,
    /// Shared with whoever reads it: reads are many, writes few.
    pub contents: Rc<Contents>,
    /// Somebody outside may hold its address.
    pub escaped: bool,
    /// Code that is not in view was handed its address.
    pub foreign: bool,
    /// The type that it was first looked at with, if that says anything.
    pub ty: Option<ir::TypeId>,
}

const FIRST: u128 = 1 << 44;
const SPACING: u32 = 32;

impl ObjectId {
    /// The address of an object with an identity of its own.
    pub fn address(self) -> u128 {
        FIRST + (u128::from(self.0) << SPACING)
    }

    /// The object that a constant address lies in or near to, and the offset within.
    pub fn at(address: u128) -> Option<(ObjectId, i64)> {
        // Half of the spacing lies before an object, so that small negative offsets stay with it.
        let distance = address
            .checked_add(1 << (SPACING - 1))?
            .checked_sub(FIRST)?;
        let index = u32::try_from(distance >> SPACING).ok()?;
        let id = ObjectId(index);
        Some((id, (address as i128 - id.address() as i128) as i64))
    }
}
