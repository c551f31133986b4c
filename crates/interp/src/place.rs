//! Places, and values of every shape: where they are, what is in them, and assigning to them.

use crate::code::{CPlace, Code, E, Repr, Root};
use crate::eval::{sext, trunc};
use crate::machine::Machine;
use crate::memory::{AccessError, ObjId};
use crate::outcome::Ctl;
use crate::value::{Blob, Scalar, Value, Wide, low_bits};

impl<'p> Machine<'p> {
    /// The small value of any place.
    pub(crate) fn load_place(&self, c: &Code<'p>, place: u32) -> Scalar {
        let Some(p) = c.places.get(place as usize) else {
            return Scalar::plain(self.bad(c, 0));
        };
        if let Root::Reg(v) = p.root {
            return self.reg(v);
        }
        let address = self.place_address(c, p);
        self.load_at(p, address)
    }

    /// The small value at an address, by the place's type.
    pub(crate) fn load_at(&self, p: &CPlace, address: Scalar) -> Scalar {
        let loaded = match p.bits {
            Some((low, count)) => {
                let bytes = u64::from((low + count).div_ceil(8));
                self.mem.resolve(address, bytes).and_then(|(obj, at)| {
                    let s = self
                        .mem
                        .read_bits(obj, at, u32::from(low), u32::from(count))?;
                    Ok(extend_field(s, count, p.repr))
                })
            }
            None => self.mem.resolve(address, p.size).and_then(|(obj, at)| {
                let s = self.mem.read(obj, at, p.size as usize)?;
                let sh = p.repr.sh();
                let s = Scalar {
                    bits: trunc(s.bits, sh),
                    undef: trunc(s.undef, sh),
                    prov: s.prov,
                };
                Ok(match p.repr {
                    Repr::Pointer => self.mem.with_object(s),
                    _ => s,
                })
            }),
        };
        loaded.unwrap_or_else(|err| self.note_access(err, address, p.size))
    }

    /// Where a place in memory is.
    pub(crate) fn place_address(&self, c: &Code<'p>, p: &CPlace) -> Scalar {
        let base = match p.root {
            Root::Var(v) => self.reg(v),
            Root::Global(obj) => self.mem.address(obj),
            Root::Deref(e) => self.scalar(c, e),
            Root::Reg(_) | Root::Bad => return Scalar::plain(self.bad(c, u32::MAX)),
        };
        let mut offset = p.offset as u64;
        for step in &p.indices {
            let i = self.index(c, step.index);
            offset = offset.wrapping_add(i.wrapping_mul(step.stride));
        }
        base.offset(offset)
    }

    /// An integer expression at its mathematical value, modulo 2^64.
    pub(crate) fn index(&self, c: &Code<'p>, e: E) -> u64 {
        match c.reprs.get(e as usize) {
            Some(Repr::Int { signed, width }) => {
                let i = self.bits(c, e);
                if *signed {
                    sext(i, 64 - width) as u64
                } else {
                    i
                }
            }
            Some(Repr::WideInt { .. }) => self.wide(c, e).bits as u64,
            _ => self.bad(c, e),
        }
    }

    /// An expression of any shape.
    pub(crate) fn value(&self, c: &Code<'p>, e: E) -> Value {
        match c.reprs.get(e as usize) {
            Some(r) if r.is_small() => Value::Scalar(self.scalar(c, e)),
            Some(r) if r.is_wide() => Value::Wide(self.wide(c, e)),
            Some(Repr::Blob { size }) => Value::Blob(Box::new(self.blob(c, e, *size))),
            _ => {
                self.bad(c, e);
                Value::Void
            }
        }
    }

    /// An expression of struct or array type.
    pub(crate) fn blob(&self, c: &Code<'p>, e: E, size: u64) -> Blob {
        match c.body.exprs.get(ir::ExprId(e)).map(|e| &e.kind) {
            Some(ir::ExprKind::Load(p)) => {
                let Some(p) = c.places.get(p.0 as usize) else {
                    self.bad(c, e);
                    return Blob::default();
                };
                let address = self.place_address(c, p);
                if size == 0 {
                    return Blob::default();
                }
                let read = self
                    .mem
                    .resolve(address, size)
                    .and_then(|(obj, at)| self.mem.read_blob(obj, at, size));
                read.unwrap_or_else(|err| {
                    self.note_access(err, address, size);
                    Blob::default()
                })
            }
            Some(ir::ExprKind::Select(k, a, b)) => {
                let chosen = if self.bits(c, k.0) & 1 != 0 { a } else { b };
                self.blob(c, chosen.0, size)
            }
            Some(ir::ExprKind::Undef) if size <= 1 << 30 => Blob::undefined(size as usize),
            Some(ir::ExprKind::Int(0)) if size <= 1 << 30 => Blob {
                bytes: vec![0; size as usize],
                ..Blob::default()
            },
            _ => {
                self.bad(c, e);
                Blob::default()
            }
        }
    }

    /// Stores a value in a place.
    pub(crate) fn assign(&mut self, c: &Code<'p>, place: u32, value: Value) -> Result<(), Ctl> {
        let Some(p) = c.places.get(place as usize) else {
            return Err(Ctl::malformed("assignment to an unknown place"));
        };
        if let Root::Reg(v) = p.root {
            let (sh, is_pointer) = (p.repr.sh(), p.repr == Repr::Pointer);
            let Some(s) = value.scalar() else {
                return Err(Ctl::malformed("struct assigned to a scalar"));
            };
            let prov = if sh == 0 { s.prov } else { ObjId::NONE };
            let mut s = Scalar {
                bits: trunc(s.bits, sh),
                undef: trunc(s.undef, sh),
                prov,
            };
            if is_pointer {
                s = self.mem.with_object(s);
            }
            self.set_reg(v, s);
            return Ok(());
        }
        let address = self.place_address(c, p);
        self.check_fault()?;
        self.store(address, p.repr, p.size, p.bits, value)
    }

    /// Stores a value of some type at an address.
    pub(crate) fn store(
        &mut self,
        address: Scalar,
        repr: Repr,
        size: u64,
        field: Option<(u8, u8)>,
        value: Value,
    ) -> Result<(), Ctl> {
        let bytes = match field {
            Some((low, count)) => u64::from((low + count).div_ceil(8)),
            None => size,
        };
        if bytes == 0 {
            return Ok(());
        }
        let done = self.mem.resolve(address, bytes).and_then(|(obj, at)| {
            match (repr, &value, field) {
                (_, Value::Scalar(s), Some((low, count))) => {
                    self.mem
                        .write_bits(obj, at, u32::from(low), u32::from(count), *s)
                }
                (Repr::Blob { .. }, Value::Blob(b), _) if b.bytes.len() as u64 == size => {
                    self.mem.write_blob(obj, at, b)
                }
                (Repr::X87, Value::Wide(w), _) => self.mem.write_wide(obj, at, 10, *w),
                (Repr::WideInt { .. }, Value::Wide(w), _) => {
                    self.mem.write_wide(obj, at, size as usize, *w)
                }
                (r, Value::Scalar(s), None) if r.is_small() => {
                    let mut s = *s;
                    if s.undef != 0 {
                        // Bits beyond the width of, say, a bool share its mark.
                        s.undef |= !low_bits(r.width());
                    }
                    self.mem.write(obj, at, size as usize, s)
                }
                // Void where a value was promised: nothing was written.
                (_, Value::Void, _) => self.mem.forget(obj, at, size),
                _ => Err(AccessError::Function),
            }
        });
        match done {
            Ok(()) => Ok(()),
            Err(AccessError::Function) => Err(Ctl::malformed("value does not fit its place")),
            Err(err) => Err(self.access_fault(err, address, bytes)),
        }
    }

    /// A wide value at an address.
    pub(crate) fn load_wide(&self, repr: Repr, address: Scalar) -> Wide {
        let size = match repr {
            Repr::X87 => 10,
            other => u64::from(other.width()).div_ceil(8),
        };
        let read = self
            .mem
            .resolve(address, size)
            .and_then(|(obj, at)| self.mem.read_wide(obj, at, size as usize));
        read.unwrap_or_else(|err| {
            self.note_access(err, address, size);
            Wide::default()
        })
    }
}

/// A bit-field's bits as a value of its declared type.
fn extend_field(s: Scalar, count: u8, repr: Repr) -> Scalar {
    let (from, to) = (64 - count, repr.sh());
    if repr.is_signed() {
        Scalar {
            bits: trunc(sext(s.bits, from) as u64, to),
            undef: trunc(sext(s.undef, from) as u64, to),
            prov: ObjId::NONE,
        }
    } else {
        s
    }
}
