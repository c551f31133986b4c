//! Reading and writing the bytes of an object, with their marks.
//!
//! Provenance is kept per aligned 8-byte slot, as in Miri: a pointer stored whole keeps its object,
//! a slot written in part forgets it (the pointer read back then finds its object by address).

use super::{AccessError, Memory, ObjId};
use crate::value::{Blob, Scalar, Wide, low_bits, low_bits_wide};

impl Memory {
    /// Reads up to 8 bytes.
    #[inline]
    pub fn read(&self, id: ObjId, offset: u64, size: usize) -> Result<Scalar, AccessError> {
        let data = &self.store(id)?.data;
        let at = offset as usize;
        let bytes = data
            .bytes
            .get(at..at.wrapping_add(size))
            .ok_or(AccessError::OutOfBounds)?;
        let bits = load_le(bytes);
        let undef = if data.undef.is_empty() {
            0
        } else {
            data.undef.get(at..at + size).map_or(0, load_le)
        };
        let mut prov = ObjId::NONE;
        if size == 8 && at & 7 == 0 && !data.prov.is_empty() {
            prov = data.prov.get(at / 8).copied().unwrap_or_default();
        }
        Ok(Scalar { bits, undef, prov })
    }

    /// Writes up to 8 bytes.
    #[inline]
    pub fn write(
        &mut self,
        id: ObjId,
        offset: u64,
        size: usize,
        value: Scalar,
    ) -> Result<(), AccessError> {
        let data = &mut self.store_mut(id)?.data;
        let at = offset as usize;
        let bytes = data
            .bytes
            .get_mut(at..at.wrapping_add(size))
            .ok_or(AccessError::OutOfBounds)?;
        store_le(bytes, value.bits);
        if value.undef != 0 && data.undef.is_empty() {
            data.undef.resize(data.bytes.len(), 0);
        }
        if !data.undef.is_empty()
            && let Some(marks) = data.undef.get_mut(at..at + size)
        {
            store_le(marks, value.undef);
        }
        if !data.prov.is_empty() || !value.prov.is_none() {
            set_provenance(data, at, size, value.prov);
        }
        Ok(())
    }

    /// Reads up to 16 bytes.
    pub fn read_wide(&self, id: ObjId, offset: u64, size: usize) -> Result<Wide, AccessError> {
        let data = &self.store(id)?.data;
        let at = offset as usize;
        let bytes = at
            .checked_add(size)
            .and_then(|end| data.bytes.get(at..end))
            .ok_or(AccessError::OutOfBounds)?;
        Ok(Wide {
            bits: load_wide(bytes),
            undef: data.undef.get(at..at + size).map_or(0, load_wide),
        })
    }

    /// Writes up to 16 bytes.
    pub fn write_wide(
        &mut self,
        id: ObjId,
        offset: u64,
        size: usize,
        value: Wide,
    ) -> Result<(), AccessError> {
        let mut blob = Blob {
            bytes: value.bits.to_le_bytes().to_vec(),
            ..Blob::default()
        };
        blob.bytes.truncate(size);
        if value.undef != 0 {
            blob.undef = value.undef.to_le_bytes().to_vec();
            blob.undef.truncate(size);
        }
        self.write_blob(id, offset, &blob)
    }

    /// Reads `count` bits that start `low` bits into the byte at `offset`.
    pub fn read_bits(
        &self,
        id: ObjId,
        offset: u64,
        low: u32,
        count: u32,
    ) -> Result<Scalar, AccessError> {
        let size = (low + count).div_ceil(8) as usize;
        let w = self.read_wide(id, offset, size)?;
        Ok(Scalar {
            bits: (w.bits >> low) as u64 & low_bits(count),
            undef: (w.undef >> low) as u64 & low_bits(count),
            prov: ObjId::NONE,
        })
    }

    pub fn write_bits(
        &mut self,
        id: ObjId,
        offset: u64,
        low: u32,
        count: u32,
        value: Scalar,
    ) -> Result<(), AccessError> {
        let size = (low + count).div_ceil(8) as usize;
        let old = self.read_wide(id, offset, size)?;
        let mask = low_bits_wide(count) << low;
        let merge = |old: u128, new: u64| old & !mask | u128::from(new) << low & mask;
        let new = Wide {
            bits: merge(old.bits, value.bits),
            undef: merge(old.undef, value.undef),
        };
        self.write_wide(id, offset, size, new)
    }

    pub fn read_blob(&self, id: ObjId, offset: u64, size: u64) -> Result<Blob, AccessError> {
        let data = &self.store(id)?.data;
        let at = offset as usize;
        let end = at
            .checked_add(size as usize)
            .ok_or(AccessError::OutOfBounds)?;
        let bytes = data.bytes.get(at..end).ok_or(AccessError::OutOfBounds)?;
        let undef = match data.undef.get(at..end) {
            Some(marks) if marks.iter().any(|&m| m != 0) => marks.to_vec(),
            _ => Vec::new(),
        };
        let mut prov = Vec::new();
        if at & 7 == 0 && !data.prov.is_empty() {
            // Only slots that are read whole.
            let slots = data.prov.get(at / 8..end / 8).unwrap_or_default();
            if slots.iter().any(|p| !p.is_none()) {
                prov = slots.to_vec();
            }
        }
        Ok(Blob {
            bytes: bytes.to_vec(),
            undef,
            prov,
        })
    }

    pub fn write_blob(&mut self, id: ObjId, offset: u64, blob: &Blob) -> Result<(), AccessError> {
        self.store_mut(id)?.data.put(offset as usize, blob)
    }

    /// Sets a range to one byte.
    pub fn fill(&mut self, id: ObjId, offset: u64, size: u64, byte: u8) -> Result<(), AccessError> {
        let data = &mut self.store_mut(id)?.data;
        let (at, size) = (offset as usize, size as usize);
        let end = at.checked_add(size).ok_or(AccessError::OutOfBounds)?;
        data.bytes
            .get_mut(at..end)
            .ok_or(AccessError::OutOfBounds)?
            .fill(byte);
        if let Some(marks) = data.undef.get_mut(at..end) {
            marks.fill(0);
        }
        if !data.prov.is_empty() {
            set_provenance(data, at, size, ObjId::NONE);
        }
        Ok(())
    }

    /// Marks a range as never written.
    pub fn forget(&mut self, id: ObjId, offset: u64, size: u64) -> Result<(), AccessError> {
        if size > self.size(id) {
            return Err(AccessError::OutOfBounds);
        }
        let blob = Blob::undefined(size as usize);
        self.write_blob(id, offset, &blob)
    }

    /// Have all bytes of the range been written?
    pub fn is_written(&self, id: ObjId, offset: u64, size: u64) -> Result<bool, AccessError> {
        let data = &self.store(id)?.data;
        let at = offset as usize;
        let end = at
            .checked_add(size as usize)
            .filter(|&end| end <= data.bytes.len())
            .ok_or(AccessError::OutOfBounds)?;
        Ok(data
            .undef
            .get(at..end)
            .is_none_or(|marks| marks.iter().all(|&m| m == 0)))
    }

    /// The bytes of an object, for library functions that scan them.
    pub fn bytes(&self, id: ObjId) -> Result<&[u8], AccessError> {
        Ok(&self.store(id)?.data.bytes)
    }
}

impl Blob {
    /// Overwrites a part, marks included.
    pub(crate) fn put(&mut self, at: usize, blob: &Blob) -> Result<(), AccessError> {
        let size = blob.bytes.len();
        let end = at.checked_add(size).ok_or(AccessError::OutOfBounds)?;
        self.bytes
            .get_mut(at..end)
            .ok_or(AccessError::OutOfBounds)?
            .copy_from_slice(&blob.bytes);
        if !blob.undef.is_empty() && self.undef.is_empty() {
            self.undef.resize(self.bytes.len(), 0);
        }
        if let Some(marks) = self.undef.get_mut(at..end) {
            match blob.undef.get(..size) {
                Some(new) => marks.copy_from_slice(new),
                None => marks.fill(0),
            }
        }
        if !self.prov.is_empty() {
            set_provenance(self, at, size, ObjId::NONE);
        }
        if at & 7 == 0 {
            for (i, &p) in blob.prov.iter().enumerate() {
                if !p.is_none() {
                    set_provenance(self, at + i * 8, 8, p);
                }
            }
        }
        Ok(())
    }
}

/// Sets the pointer of a whole slot, and clears all other slots that the range touches.
fn set_provenance(data: &mut Blob, at: usize, size: usize, prov: ObjId) {
    if size == 0 {
        return;
    }
    if !prov.is_none() && size == 8 && at & 7 == 0 {
        if data.prov.is_empty() {
            data.prov.resize(data.bytes.len().div_ceil(8), ObjId::NONE);
        }
        if let Some(slot) = data.prov.get_mut(at / 8) {
            *slot = prov;
        }
        return;
    }
    let last = (at + size - 1) / 8;
    let last = last.min(data.prov.len().saturating_sub(1));
    if let Some(slots) = data.prov.get_mut(at / 8..=last) {
        slots.fill(ObjId::NONE);
    }
}

#[inline]
fn load_le(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => load_wide(bytes) as u64,
    }
}

#[inline]
fn store_le(bytes: &mut [u8], bits: u64) {
    match bytes.len() {
        1 => bytes[0] = bits as u8,
        2 => bytes.copy_from_slice(&(bits as u16).to_le_bytes()),
        4 => bytes.copy_from_slice(&(bits as u32).to_le_bytes()),
        8 => bytes.copy_from_slice(&bits.to_le_bytes()),
        _ => {
            for (b, v) in bytes.iter_mut().zip(bits.to_le_bytes()) {
                *b = v;
            }
        }
    }
}

fn load_wide(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    for (a, &b) in all.iter_mut().zip(bytes) {
        *a = b;
    }
    u128::from_le_bytes(all)
}
