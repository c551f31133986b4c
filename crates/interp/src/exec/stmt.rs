//! The statements that are not on the fast path.

use super::Interpreter;
use crate::code::{Code, Repr, Root};
use crate::compile::repr_of;
use crate::machine::Machine;
use crate::memory::AccessError;
use crate::observe::Observer;
use crate::outcome::{Ctl, FaultKind, StuckReason};
use crate::value::{Scalar, Value};
use ir::{Stmt, TrapReason};

impl<'p, O: Observer> Interpreter<'p, O> {
    pub(super) fn stmt(&mut self, code: &Code<'p>, stmt: &Stmt) -> Result<(), Ctl> {
        let m = &mut self.m;
        match stmt {
            Stmt::Skip => Ok(()),
            Stmt::Assume(e) => {
                let on = m.bits(code, e.0) & 1 != 0;
                m.check_fault()?;
                if on {
                    Ok(())
                } else {
                    Err(Ctl::Stuck(StuckReason::Blocked))
                }
            }
            Stmt::Copy {
                target,
                source,
                size,
                overlap,
            } => {
                let (to, from) = (m.scalar(code, target.0), m.scalar(code, source.0));
                let size = m.index(code, size.0);
                m.check_fault()?;
                m.copy(to, from, size, *overlap)
            }
            Stmt::Fill { target, byte, size } => {
                let to = m.scalar(code, target.0);
                let (byte, size) = (m.bits(code, byte.0) as u8, m.index(code, size.0));
                m.check_fault()?;
                m.fill(to, byte, size)
            }
            Stmt::Allocate { var, count } => {
                let n = m.index(code, count.0);
                m.check_fault()?;
                let stride = match code.body.vars.get(*var) {
                    Some(v) => m.program.types.stride(v.ty),
                    None => return Err(Ctl::malformed("unknown variable")),
                };
                let size = n
                    .checked_mul(stride)
                    .ok_or(Ctl::Stuck(StuckReason::Memory))?;
                let obj = m.new_local(size, 16)?;
                if let Some(frame) = m.frames.last_mut() {
                    frame.extra.push(obj);
                }
                let address = m.mem.address(obj);
                m.set_var(code, var.0, Value::Scalar(address))
            }
            Stmt::Havoc { place, reason } => {
                let ty = code.body.places.get(*place).map(|p| p.ty);
                let ty = ty.ok_or_else(|| Ctl::malformed("unknown place"))?;
                match m.oracle.havoc(reason, ty) {
                    Some(value) => m.assign(code, place.0, value),
                    None => Err(Ctl::Stuck(StuckReason::Havoc(reason.clone()))),
                }
            }
            Stmt::VaStart(list) => {
                let list = m.scalar(code, list.0);
                m.check_fault()?;
                m.va_start(list)
            }
            Stmt::LandingPad {
                exception,
                selector,
                clauses,
                cleanup,
            } => {
                let Some(address) = m.exceptions.in_flight else {
                    return Err(Ctl::malformed("landing pad without an exception"));
                };
                let selected = m.select_clause(address, clauses);
                if selected.is_none() && !cleanup {
                    return Err(Ctl::Rethrow(address));
                }
                let pointer = m.exceptions.pointer(address);
                m.set_var(code, exception.0, Value::Scalar(pointer))?;
                let number = selected.unwrap_or(0);
                m.set_var(code, selector.0, Value::i32(number))
            }
            Stmt::Resume(e) => {
                let address = m.bits(code, e.0);
                m.check_fault()?;
                // The edge leads to where it leaves the function, or to a caller that is part of the body.
                m.exceptions.in_flight = Some(address);
                Ok(())
            }
            Stmt::Trap(TrapReason::Trap) => Err(Ctl::Abort("trap".into())),
            Stmt::Trap(TrapReason::Unreachable) => {
                Err(Ctl::Abort("unreachable code was reached".into()))
            }
            Stmt::Trap(TrapReason::Poison | TrapReason::ZeroDivisor | TrapReason::ShiftAmount) => {
                Err(Ctl::Abort(
                    "undefined behaviour seen by the compiler".into(),
                ))
            }
            Stmt::Declare(_)
            | Stmt::End(_)
            | Stmt::Assign { .. }
            | Stmt::Check(_)
            | Stmt::Call(_) => Err(Ctl::malformed("statement with ids out of range")),
        }
    }
}

impl<'p> Machine<'p> {
    /// Assigns a variable as a whole, wherever it lives.
    pub(crate) fn set_var(&mut self, code: &Code<'p>, var: u32, value: Value) -> Result<(), Ctl> {
        let Some(v) = code.vars.get(var as usize) else {
            return Err(Ctl::malformed("unknown variable"));
        };
        let value = coerce(value, v.repr)?;
        if v.in_memory {
            let (address, repr, size) = (self.reg(var), v.repr, v.size);
            return self.store(address, repr, size, None, value);
        }
        let Some(s) = value.scalar() else {
            self.set_reg(var, Scalar::undefined(v.repr.width()));
            return Ok(());
        };
        let sh = v.repr.sh();
        let mut s = Scalar {
            bits: crate::eval::trunc(s.bits, sh),
            undef: crate::eval::trunc(s.undef, sh),
            prov: if sh == 0 { s.prov } else { crate::ObjId::NONE },
        };
        if v.repr == Repr::Pointer {
            s = self.mem.with_object(s);
        }
        self.set_reg(var, s);
        Ok(())
    }

    pub(crate) fn copy(
        &mut self,
        to: Scalar,
        from: Scalar,
        size: u64,
        overlap: bool,
    ) -> Result<(), Ctl> {
        if size == 0 {
            return Ok(());
        }
        let source = self.mem.resolve(from, size);
        let (source, s_at) = source.map_err(|e| self.access_fault(e, from, size))?;
        let target = self.mem.resolve(to, size);
        let (target, t_at) = target.map_err(|e| self.access_fault(e, to, size))?;
        if !overlap && source == target && s_at != t_at && s_at.abs_diff(t_at) < size {
            let detail = format!(
                "{size} bytes from {} to {}",
                self.describe(from),
                self.describe(to)
            );
            return Err(Ctl::fault(FaultKind::OverlappingCopy, detail));
        }
        let done = self
            .mem
            .read_blob(source, s_at, size)
            .and_then(|blob| self.mem.write_blob(target, t_at, &blob));
        done.map_err(|e: AccessError| self.access_fault(e, to, size))
    }

    pub(crate) fn fill(&mut self, to: Scalar, byte: u8, size: u64) -> Result<(), Ctl> {
        if size == 0 {
            return Ok(());
        }
        let done = self
            .mem
            .resolve(to, size)
            .and_then(|(obj, at)| self.mem.fill(obj, at, size, byte));
        done.map_err(|e| self.access_fault(e, to, size))
    }

    /// Lays the variadic arguments out in memory and points the `va_list` at them.
    fn va_start(&mut self, list: Scalar) -> Result<(), Ctl> {
        let Some(frame) = self.frames.last() else {
            return Err(Ctl::malformed("va_start outside a function"));
        };
        let args = frame.varargs.clone();
        let mut at = 0u64;
        let mut slots = Vec::new();
        for (value, ty) in args {
            if ty.0 as usize >= self.program.types.len() {
                return Err(Ctl::malformed("argument of unknown type"));
            }
            let repr = repr_of(self.program, ty);
            let size = self.program.types.size_of(ty);
            if self.program.types.align_of(ty) >= 16 {
                at = at.next_multiple_of(16);
            }
            let value = match (value, repr) {
                // Promotion fills the slot by the argument's own signedness.
                (
                    Value::Scalar(s),
                    Repr::Int {
                        width,
                        signed: true,
                    },
                ) => Value::Scalar(Scalar {
                    bits: crate::eval::sext(s.bits, 64 - width) as u64,
                    undef: crate::eval::sext(s.undef, 64 - width) as u64,
                    ..s
                }),
                (v, _) => v,
            };
            let slot = if repr.is_small() { 8 } else { size };
            slots.push((at, slot, repr, value));
            at += size.next_multiple_of(8).max(if size == 0 { 0 } else { 8 });
        }
        let area = self.new_local(at.max(8), 16)?;
        let base = self.mem.address(area);
        for (at, size, repr, value) in slots {
            let repr = if repr.is_small() { Repr::Pointer } else { repr };
            self.store(base.offset(at), repr, size, None, value)?;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.extra.push(area);
        }
        let u32s = Repr::Int {
            width: 32,
            signed: false,
        };
        self.store(list, u32s, 4, None, Value::int(48))?;
        self.store(list.offset(4), u32s, 4, None, Value::int(176))?;
        self.store(list.offset(8), Repr::Pointer, 8, None, Value::Scalar(base))?;
        self.store(list.offset(16), Repr::Pointer, 8, None, Value::int(0))
    }

    /// Have all bits of a place been written?
    pub(crate) fn is_initialized(&self, c: &Code<'p>, place: u32) -> bool {
        let Some(p) = c.places.get(place as usize) else {
            self.bad(c, u32::MAX);
            return false;
        };
        if let Root::Reg(v) = p.root {
            return self.reg(v).undef == 0;
        }
        let address = self.place_address(c, p);
        if p.bits.is_some() {
            return self.load_at(p, address).undef == 0;
        }
        // The padding of a long double is never written.
        let size = if p.repr == Repr::X87 { 10 } else { p.size };
        if size == 0 {
            return true;
        }
        let written = self
            .mem
            .resolve(address, size)
            .and_then(|(obj, at)| self.mem.is_written(obj, at, size));
        written.unwrap_or_else(|err| {
            self.note_access(err, address, size);
            false
        })
    }
}

/// A value handed over at a call, at the type of the one who takes it.
pub(crate) fn coerce(value: Value, to: Repr) -> Result<Value, Ctl> {
    let ok = match (&value, to) {
        (Value::Scalar(_), r) => r.is_small() || matches!(r, Repr::WideInt { .. }),
        (Value::Wide(_), r) => r.is_wide() || matches!(r, Repr::Int { .. }),
        (Value::Blob(b), Repr::Blob { size }) => b.bytes.len() as u64 == size,
        (Value::Void, _) => true,
        _ => false,
    };
    if !ok {
        return Err(Ctl::fault(
            FaultKind::BadCall,
            "a value of another kind than the callee's or caller's type",
        ));
    }
    Ok(match (value, to) {
        (Value::Scalar(s), Repr::WideInt { .. }) => Value::Wide(crate::value::Wide {
            bits: u128::from(s.bits),
            undef: u128::from(s.undef),
        }),
        (v @ Value::Wide(_), Repr::Int { .. }) => v.scalar().map_or(Value::Void, Value::Scalar),
        (v, _) => v,
    })
}
