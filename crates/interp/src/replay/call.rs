//! Calls on the path: entered, or replaced by what the script says they do.

use super::StepEffect;
use super::end::End;
use super::path::Player;
use crate::code::{CallSite, CallTarget, Code, Node, Repr};
use crate::memory::{Fresh, Kind};
use crate::outcome::{Ctl, FaultKind};
use crate::unwind::Exception;
use crate::value::{Scalar, Value};
use ir::{Call, CallOutcome, Edge, NodeId, Stmt};
use std::rc::Rc;

impl<'p> Player<'_, 'p, '_> {
    /// Executes a call edge; the next step, and the node to be at.
    pub(super) fn call(
        &mut self,
        step: usize,
        edge: &'p Edge,
        call: &'p Call,
        effect: Option<&StepEffect>,
    ) -> Result<(usize, NodeId), End> {
        let code = Rc::clone(&self.code);
        let site = match code.nodes.get(edge.from.0 as usize) {
            Some(&Node::Call(i)) => code.calls.get(i as usize),
            _ => None,
        };
        let Some(site) = site else {
            return End::stuck("malformed program: call");
        };
        if let Some(StepEffect::Instead { .. }) = effect {
            self.replaced(step, call.outcome, &code, site)?;
            return Ok((step + 1, edge.to));
        }
        let objects = self.run.m.mem.count();
        match (self.entered(&code, site), call.outcome) {
            (Ok(value), CallOutcome::Return) => {
                if let Some(p) = value.scalar()
                    && p.prov.0 >= objects
                    && self.run.m.mem.kind(p.prov) == Kind::Heap
                {
                    self.allocated.insert(step, p.prov);
                }
                let set = self.run.m.set_result(&code, site, value);
                set.map_err(|ctl| self.end(ctl))?;
            }
            (Ok(_), CallOutcome::Unwind) => {
                return End::diverged("the call returns, and throws nothing");
            }
            (Ok(_), CallOutcome::Again) => {
                return End::diverged("the call returns for the first time");
            }
            (Err(Ctl::Throw(address)), CallOutcome::Unwind) => {
                self.run.m.exceptions.in_flight = Some(address);
            }
            (Err(Ctl::Throw(_)), _) => return End::diverged("the call throws an exception"),
            (Err(Ctl::Jump { frame, node, value }), _) if self.serial() == Some(frame) => {
                return self.jump(step, node, value);
            }
            (Err(ctl), _) => return Err(self.end(ctl)),
        }
        Ok((step + 1, edge.to))
    }

    /// Calls, and runs until the callee has ended.
    fn entered(&mut self, code: &Code<'p>, site: &CallSite) -> Result<Value, Ctl> {
        let floor = self.run.m.frames.len();
        match self.run.call_value(code, site)? {
            Some(value) => Ok(value),
            None => self.run.run_to(floor),
        }
    }

    /// The number by which a `jmp_buf` knows the path's frame.
    fn serial(&self) -> Option<u64> {
        self.run.m.frames.last().map(|f| f.serial)
    }

    /// A call has jumped back to a `setjmp` of this function: the path goes on from there.
    fn jump(&mut self, step: usize, node: u32, value: u32) -> Result<(usize, NodeId), End> {
        let next = self.script.path.get(step + 1);
        let next = next.and_then(|&id| self.edge(id));
        let again = next.filter(|e| match &e.stmt {
            Stmt::Call(call) => e.from.0 == node && call.outcome == CallOutcome::Again,
            _ => false,
        });
        let Some(edge) = again else {
            return End::diverged(format!("the call jumps to the setjmp at node {node}"));
        };
        let arrived = self.run.m.arrive(node, value);
        arrived.map_err(|ctl| self.end(ctl))?;
        Ok((step + 2, edge.to))
    }

    /// Does what the script says instead of the call.
    fn replaced(
        &mut self,
        step: usize,
        outcome: CallOutcome,
        code: &Code<'p>,
        site: &CallSite,
    ) -> Result<(), End> {
        // A function that is not in view may be called, but not none.
        if let CallTarget::Indirect(e) = site.target {
            let p = self.run.m.scalar(code, e);
            let evaluated = self.run.m.check_fault();
            evaluated.map_err(|ctl| self.end(ctl))?;
            if p.bits == 0 {
                return Err(self.end(Ctl::fault(FaultKind::NullAccess, "call of null")));
            }
        }
        let arguments = self.run.m.call_arguments(code, site);
        arguments.map_err(|ctl| self.end(ctl))?;
        let place = site.result.and_then(|p| code.places.get(p as usize));
        let repr = match outcome {
            CallOutcome::Unwind => None,
            _ => place.map(|p| p.repr),
        };
        let value = self.instead(step, repr.unwrap_or(Repr::Void))?;
        match outcome {
            CallOutcome::Unwind => return self.throw(step),
            CallOutcome::Again => {
                let zero = value.as_ref().and_then(Value::scalar);
                if zero.is_some_and(|s| s.bits == 0 && s.undef == 0) {
                    return End::stuck("setjmp returns once more, with 0");
                }
            }
            CallOutcome::Return => {}
        }
        let value = value.unwrap_or(Value::Void);
        let set = self.run.m.set_result(code, site, value);
        set.map_err(|ctl| self.end(ctl))
    }

    /// The effects of a step that the script replaces; its result at the type that is wanted, none
    /// if that is void or the script gives none.
    pub(super) fn instead(&mut self, step: usize, repr: Repr) -> Result<Option<Value>, End> {
        let script = self.script;
        let Some(StepEffect::Instead {
            result,
            writes,
            frees,
            allocates,
        }) = script.steps.get(&step)
        else {
            return Ok(None);
        };
        let mut made = None;
        if let Some(wanted) = allocates {
            made = Some(self.allocate(step, *wanted)?);
        }
        for (target, write) in writes {
            self.write(*target, write)?;
        }
        for target in frees {
            self.free(*target)?;
        }
        match (result, made) {
            _ if repr == Repr::Void => Ok(None),
            (Some(value), _) => self.value(value, repr).map(Some),
            (None, Some(p)) if repr.is_small() && repr.width() == 64 => Ok(Some(Value::Scalar(p))),
            (None, Some(_)) => End::stuck("memory is returned where no pointer is wanted"),
            (None, None) => Ok(None),
        }
    }

    /// An exception of a type that nobody knows is in flight.
    fn throw(&mut self, step: usize) -> Result<(), End> {
        let made = self.allocated.get(&step).copied();
        let memory = &mut self.run.m.mem;
        let object = made.or_else(|| memory.allocate(0, 16, Kind::Heap, Fresh::Undefined));
        let Some(object) = object else {
            return End::stuck("no memory for an exception");
        };
        let thrown = memory.address(object);
        let exception = Exception::new(thrown, Scalar::ZERO, Scalar::ZERO);
        let exceptions = &mut self.run.m.exceptions;
        exceptions.thrown.insert(thrown.bits, exception);
        exceptions.in_flight = Some(thrown.bits);
        Ok(())
    }
}
