//! What the names of a script stand for: its objects, globals, locals, and the values in them.
//!
//! Whatever does not fit (bits wider than their type, a write beyond its object, a name of nothing)
//! is a mistake of the script, not of the path: it is said, and no verdict is given.

use super::end::End;
use super::path::Player;
use super::{Allocation, ScriptTarget, ScriptValue, Write};
use crate::code::Repr;
use crate::memory::{AccessError, Fresh, Kind, ObjId};
use crate::value::{Blob, Scalar, Value, Wide, low_bits_wide};

/// `Bytes` within `Bytes` at most: deeper than any type, and shallow enough for the native stack.
const MAX_NESTING: u32 = 64;

impl Player<'_, '_, '_> {
    /// Makes the script's objects, without their contents: these may name objects that come later.
    pub(super) fn make_objects(&mut self) -> Result<(), End> {
        for object in &self.script.objects {
            let kind = if object.heap {
                Kind::Heap
            } else {
                Kind::Global
            };
            if !object.align.is_power_of_two() {
                return End::stuck(format!("an object aligned to {}", object.align));
            }
            let made = (self.run.m.mem).allocate(object.size, object.align, kind, Fresh::Zero);
            match made {
                Some(id) => self.objects.push(id),
                None => return End::stuck(format!("no memory for {} bytes", object.size)),
            }
        }
        Ok(())
    }

    /// Start address and object of what a target names.
    fn target(&self, target: ScriptTarget) -> Result<(u64, ObjId), End> {
        let m = &self.run.m;
        let at = |id: ObjId| (m.mem.base(id), id);
        let found = match target {
            ScriptTarget::Object(i) => self.objects.get(i).map(|&id| at(id)),
            ScriptTarget::Global(g) => {
                let object = m.addresses.global(g);
                object.and_then(|id| Some((m.addresses.base(id)?, id)))
            }
            ScriptTarget::Function(f) => m.addresses.function(f),
            ScriptTarget::Local(v) => {
                let in_memory = self.code.vars.get(v.0 as usize);
                let in_memory = in_memory.is_some_and(|v| v.in_memory);
                let object = m.reg(v.0).prov;
                (in_memory && !object.is_none()).then(|| at(object))
            }
            ScriptTarget::Step(k) => self.allocated.get(&k).map(|&id| at(id)),
            ScriptTarget::Absolute => Some((0, ObjId::NONE)),
        };
        found.ok_or_else(|| End::Stuck(format!("the script names {target:?}, which is not there")))
    }

    fn pointer(&self, target: ScriptTarget, offset: i64) -> Result<Scalar, End> {
        let (base, object) = self.target(target)?;
        Ok(Scalar::pointer(base.wrapping_add(offset as u64), object))
    }

    /// A value of some type.
    pub(super) fn value(&self, value: &ScriptValue, repr: Repr) -> Result<Value, End> {
        let width = repr.width();
        Ok(match (value, repr) {
            (_, Repr::Blob { size }) => Value::Blob(Box::new(self.bytes(value, size, 0)?)),
            (ScriptValue::Undefined, Repr::Void) => Value::Void,
            (_, Repr::Void | Repr::Unsupported) => {
                return End::stuck("a value of a type that has none");
            }
            (ScriptValue::Bits(bits), _) if *bits > low_bits_wide(width) => {
                return End::stuck(format!("{bits:#x} in {width} bits"));
            }
            (ScriptValue::Bits(bits), r) if r.is_small() => {
                Value::Scalar(Scalar::plain(*bits as u64))
            }
            (ScriptValue::Bits(bits), _) => Value::Wide(Wide::plain(*bits)),
            (ScriptValue::Undefined, r) if r.is_small() => Value::Scalar(Scalar::undefined(width)),
            (ScriptValue::Undefined, _) => Value::Wide(Wide {
                bits: 0,
                undef: low_bits_wide(width),
            }),
            (
                ScriptValue::Pointer { target, offset },
                Repr::Pointer | Repr::Int { width: 64, .. },
            ) => Value::Scalar(self.pointer(*target, *offset)?),
            (ScriptValue::Pointer { .. }, _) => {
                return End::stuck(format!("a pointer in {width} bits"));
            }
            (ScriptValue::Bytes(..), _) => return End::stuck("bytes where a number is wanted"),
        })
    }

    /// A value as so many bytes.
    fn bytes(&self, value: &ScriptValue, size: u64, nesting: u32) -> Result<Blob, End> {
        if size > self.memory_limit || nesting > MAX_NESTING {
            return End::stuck(format!("a value of {size} bytes"));
        }
        let n = size as usize;
        let plain = |bytes: Vec<u8>| Blob {
            bytes,
            ..Blob::default()
        };
        match value {
            ScriptValue::Bits(bits) => {
                if size > 16 || *bits > low_bits_wide(8 * size as u32) {
                    return End::stuck(format!("{bits:#x} in {size} bytes"));
                }
                let mut bytes = bits.to_le_bytes().to_vec();
                bytes.truncate(n);
                Ok(plain(bytes))
            }
            ScriptValue::Pointer { target, offset } => {
                if size != 8 {
                    return End::stuck(format!("a pointer in {size} bytes"));
                }
                let p = self.pointer(*target, *offset)?;
                Ok(Blob {
                    bytes: p.bits.to_le_bytes().to_vec(),
                    undef: Vec::new(),
                    prov: vec![p.prov],
                })
            }
            ScriptValue::Undefined => Ok(Blob::undefined(n)),
            ScriptValue::Bytes(_, own) if *own != size => {
                End::stuck(format!("{own} bytes where {size} are wanted"))
            }
            ScriptValue::Bytes(writes, _) => {
                let mut all = plain(vec![0; n]);
                for w in writes {
                    if w.offset > size || w.size > size - w.offset {
                        return End::stuck(outside(w, size));
                    }
                    let part = self.bytes(&w.value, w.size, nesting + 1)?;
                    all.put(w.offset as usize, &part)
                        .or_else(|_| End::stuck(outside(w, size)))?;
                }
                Ok(all)
            }
        }
    }

    /// Changes memory.
    pub(super) fn write(&mut self, target: ScriptTarget, write: &Write) -> Result<(), End> {
        let (_, object) = self.target(target)?;
        let size = self.run.m.mem.size(object);
        if write.offset > size || write.size > size - write.offset {
            return End::stuck(outside(write, size));
        }
        let bytes = self.bytes(&write.value, write.size, 0)?;
        let written = self.run.m.mem.write_blob(object, write.offset, &bytes);
        written.or_else(|err| {
            End::stuck(match err {
                AccessError::ReadOnly => "the script writes to constant memory",
                AccessError::Function => "the script writes to a function",
                _ => "the script writes to memory that is gone",
            })
        })
    }

    /// New heap memory of a step.
    pub(super) fn allocate(&mut self, step: usize, wanted: Allocation) -> Result<Scalar, End> {
        let p = self.run.m.malloc(wanted.size, 16, wanted.zeroed);
        if p.prov.is_none() {
            return End::stuck(format!("no memory for {} bytes", wanted.size));
        }
        self.run.m.mem.set_family(p.prov, wanted.family);
        self.allocated.insert(step, p.prov);
        Ok(p)
    }

    pub(super) fn free(&mut self, target: ScriptTarget) -> Result<(), End> {
        let (_, object) = self.target(target)?;
        if object.is_none() {
            return End::stuck("the script frees no object");
        }
        let p = self.run.m.mem.address(object);
        let freed = self.run.m.free(p);
        freed.or_else(|_| {
            let what = self.run.m.describe(p);
            End::stuck(format!(
                "the script frees {what}, which is no living heap block"
            ))
        })
    }
}

fn outside(write: &Write, size: u64) -> String {
    let (n, at) = (write.size, write.offset);
    format!("the script writes {n} bytes at offset {at} of {size}")
}
