//! What a run can be connected to: observers of its states, and oracles for what it cannot know.

use crate::code::{Code, Root};
use crate::machine::Machine;
use crate::memory::{Memory, ObjId};
use crate::value::{Scalar, Value};
use ir::{ExprId, FuncId, GlobalId, HavocReason, NodeId, PlaceId, TypeId, VarId};

/// Sees every node that a run visits, before its statement is executed.
pub trait Observer {
    /// False costs nothing: the calls are compiled away, and nodes that do nothing are skipped.
    const ACTIVE: bool = true;

    fn visit(&mut self, function: FuncId, node: NodeId, frame: &FrameView<'_, '_>);
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const ACTIVE: bool = false;

    fn visit(&mut self, _: FuncId, _: NodeId, _: &FrameView<'_, '_>) {}
}

impl<T: Observer> Observer for &mut T {
    const ACTIVE: bool = T::ACTIVE;

    fn visit(&mut self, function: FuncId, node: NodeId, frame: &FrameView<'_, '_>) {
        (**self).visit(function, node, frame);
    }
}

/// The innermost frame of a run, to look at.
pub struct FrameView<'a, 'p> {
    pub(crate) machine: &'a Machine<'p>,
    pub(crate) code: &'a Code<'p>,
}

impl FrameView<'_, '_> {
    /// The number of frames, this one included.
    pub fn depth(&self) -> usize {
        self.machine.frames.len()
    }

    pub fn memory(&self) -> &Memory {
        &self.machine.mem
    }

    /// The value of an expression of this body here; none if evaluating it would fail.
    pub fn eval(&self, e: ExprId) -> Option<Value> {
        let value = self.machine.value(self.code, e.0);
        self.machine.discard_fault().then_some(value)
    }

    /// The value of a variable; none if it does not exist here.
    pub fn var(&self, var: VarId) -> Option<Value> {
        let v = self.code.vars.get(var.0 as usize)?;
        let slot = self.machine.reg(var.0);
        if !v.in_memory {
            return Some(Value::Scalar(slot));
        }
        if slot.prov.is_none() {
            return None;
        }
        let value = self.machine.value_at(slot, v.repr);
        self.machine.discard_fault().then_some(value)
    }

    /// The object that holds a variable; none if it is a register or does not exist here.
    pub fn object(&self, var: VarId) -> Option<ObjId> {
        let v = self.code.vars.get(var.0 as usize)?;
        let object = self.machine.reg(var.0).prov;
        (v.in_memory && !object.is_none()).then_some(object)
    }

    /// The object of a global.
    pub fn global(&self, global: GlobalId) -> Option<ObjId> {
        self.machine.addresses.global(global)
    }

    /// Where a place is; none if it is a register or its address cannot be computed.
    pub fn address(&self, place: PlaceId) -> Option<Scalar> {
        let p = self.code.places.get(place.0 as usize)?;
        if matches!(p.root, Root::Reg(_)) {
            return None;
        }
        let address = self.machine.place_address(self.code, p);
        self.machine.discard_fault().then_some(address)
    }
}

/// Answers what the program text does not determine. The default knows nothing, which ends the run.
pub trait Oracle {
    /// The value of a `havoc`.
    fn havoc(&mut self, reason: &HavocReason, ty: TypeId) -> Option<Value> {
        let _ = (reason, ty);
        None
    }

    /// The result of a function without a body that the library does not have.
    fn call(&mut self, name: &str, args: &[Value], result: TypeId) -> Option<Value> {
        let _ = (name, args, result);
        None
    }

    /// The next value of `__VERIFIER_nondet_…`.
    fn nondet(&mut self, name: &str) -> Option<u64> {
        let _ = name;
        None
    }

    /// Which of several enabled edges to take.
    fn choose(&mut self, count: usize) -> usize {
        let _ = count;
        0
    }
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct StuckOracle;

impl Oracle for StuckOracle {}
