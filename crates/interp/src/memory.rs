//! Memory: objects with an address, bytes, and what is known about every one of them.
//!
//! Every object (a local, a global, a heap block, a function) gets an address of its own in one
//! 64-bit space that only ever grows: an address is never used twice, and between two objects lies
//! a gap. So ids are ordered like addresses, a number finds its object by binary search, and a
//! pointer to something that died is recognised for ever.
//!
//! A dead object keeps 24 bytes (where it was and how large, so that bounds of dangling pointers
//! can still be judged); its storage goes back to a pool, since locals come and go by the million.

use crate::value::{Blob, FILL, Scalar};
use ir::Family;

mod access;
mod checkpoint;
mod image;

pub use image::Image;

/// An object. `NONE` is no object: what an integer or a null pointer points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjId(pub u32);

impl ObjId {
    pub const NONE: ObjId = ObjId(0);

    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Local,
    Global,
    /// A global that may not be written: `const` data, string literals.
    Constant,
    Heap,
    Function,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Alive,
    Freed,
    OutOfScope,
}

/// Why memory cannot serve an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessError {
    Null,
    /// An address that belongs to no object.
    Wild,
    OutOfBounds,
    Freed,
    OutOfScope,
    ReadOnly,
    /// Code is not data.
    Function,
}

/// What new storage holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    Undefined,
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    base: u64,
    size: u64,
    /// Index of the storage, or `NO_STORE`.
    store: u32,
    kind: Kind,
    /// Of a heap block: who gave it; none if nobody knows, as of what a script brings.
    family: Option<Family>,
    state: State,
    /// From before the mark, and unchanged since: to be saved before it changes.
    kept: bool,
}

const NO_STORE: u32 = u32::MAX;
/// Room between objects, so that one past the end of one is never the start of the next.
const GAP: u64 = 32;
const FIRST_ADDRESS: u64 = 0x10_0000;
/// Buffers above this are given back instead of pooled.
const POOLED: usize = 1 << 14;

#[derive(Clone, Default, Debug, PartialEq, Eq)]
struct Store {
    data: Blob,
    read_only: bool,
}

/// All objects of a run.
pub struct Memory {
    headers: Vec<Header>,
    stores: Vec<Store>,
    pool: Vec<u32>,
    next: u64,
    /// Bytes of all living objects, and how many there may be.
    used: u64,
    limit: u64,
    refused: bool,
    checkpoint: Option<checkpoint::Checkpoint>,
}

impl Memory {
    pub fn new(limit: u64) -> Memory {
        // Object 0 stands for none, with an address that no access can have.
        let none = Header {
            base: 0,
            size: 0,
            store: NO_STORE,
            kind: Kind::Function,
            family: None,
            state: State::OutOfScope,
            kept: false,
        };
        Memory {
            headers: vec![none],
            stores: Vec::new(),
            pool: Vec::new(),
            next: FIRST_ADDRESS,
            used: 0,
            limit,
            refused: false,
            checkpoint: None,
        }
    }

    /// A new object, or none if memory is full.
    pub fn allocate(&mut self, size: u64, align: u64, kind: Kind, fresh: Fresh) -> Option<ObjId> {
        if size > self.limit - self.used.min(self.limit) || self.headers.len() >= NO_STORE as usize
        {
            self.refused = true;
            return None;
        }
        let index = match self.pool.pop() {
            Some(i) => i,
            None => {
                self.stores.push(Store::default());
                self.stores.len() as u32 - 1
            }
        };
        let store = self.stores.get_mut(index as usize)?;
        let data = &mut store.data;
        let n = size as usize;
        store.read_only = kind == Kind::Constant;
        data.prov.clear();
        data.bytes.clear();
        data.undef.clear();
        match fresh {
            Fresh::Zero if n > POOLED => data.bytes = vec![0; n],
            Fresh::Zero => data.bytes.resize(n, 0),
            Fresh::Undefined => {
                data.bytes.resize(n, FILL);
                data.undef.resize(n, 0xFF);
            }
        }
        self.used += size;
        self.place(size, align, kind, index)
    }

    /// An object with an address but nothing to read or write: a function.
    pub fn allocate_code(&mut self, size: u64) -> Option<ObjId> {
        self.place(size, 16, Kind::Function, NO_STORE)
    }

    fn place(&mut self, size: u64, align: u64, kind: Kind, store: u32) -> Option<ObjId> {
        // An absurd alignment must not use the address space up.
        let align = align.max(16).checked_next_power_of_two()?;
        if align > 1 << 24 {
            return None;
        }
        let base = self.next.checked_next_multiple_of(align)?;
        self.next = base.checked_add(size)?.checked_add(GAP)?;
        self.headers.push(Header {
            base,
            size,
            store,
            kind,
            family: None,
            state: State::Alive,
            kept: false,
        });
        Some(ObjId(self.headers.len() as u32 - 1))
    }

    /// Ends an object's life.
    pub fn kill(&mut self, id: ObjId, state: State) {
        if self.state(id) != State::Alive || id.is_none() {
            return;
        }
        if self.header(id).kept {
            self.save(id);
        }
        let Some(h) = self.headers.get_mut(id.0 as usize) else {
            return;
        };
        h.state = state;
        let index = std::mem::replace(&mut h.store, NO_STORE);
        self.used = self.used.saturating_sub(h.size);
        if let Some(store) = self.stores.get_mut(index as usize) {
            if store.data.bytes.capacity() > POOLED {
                store.data = Blob::default();
            }
            self.pool.push(index);
        }
    }

    #[inline]
    fn header(&self, id: ObjId) -> &Header {
        // Ids are made here only; an index out of range can only be a corrupted one, and then
        // object 0 (dead, empty) is the safe answer.
        self.headers.get(id.0 as usize).unwrap_or(&self.headers[0])
    }

    #[inline]
    /// Was there ever too little for an object?
    pub fn has_refused(&self) -> bool {
        self.refused
    }

    /// How many objects of a kind live.
    pub fn living(&self, kind: Kind) -> usize {
        let lives = |h: &&Header| h.kind == kind && h.state == State::Alive;
        self.headers.iter().filter(lives).count()
    }

    pub fn base(&self, id: ObjId) -> u64 {
        self.header(id).base
    }

    pub fn size(&self, id: ObjId) -> u64 {
        self.header(id).size
    }

    pub fn kind(&self, id: ObjId) -> Kind {
        self.header(id).kind
    }

    pub fn state(&self, id: ObjId) -> State {
        self.header(id).state
    }

    /// A pointer to the object's first byte.
    #[inline]
    pub fn address(&self, id: ObjId) -> Scalar {
        Scalar::pointer(self.base(id), id)
    }

    /// The object, dead or alive, that an address lies in or one past.
    pub fn object_at(&self, address: u64) -> ObjId {
        let n = self.headers.partition_point(|h| h.base <= address);
        match n
            .checked_sub(1)
            .and_then(|i| Some((i, self.headers.get(i)?)))
        {
            Some((i, h)) if i > 0 && address - h.base <= h.size => ObjId(i as u32),
            _ => ObjId::NONE,
        }
    }

    /// The pointer with its object, found by address if it does not carry one.
    #[inline]
    pub fn with_object(&self, p: Scalar) -> Scalar {
        if p.prov.is_none() && p.bits != 0 {
            Scalar {
                prov: self.object_at(p.bits),
                ..p
            }
        } else {
            p
        }
    }

    /// Object and offset of an access of `size` bytes; what it says is checked.
    #[inline]
    pub fn resolve(&self, p: Scalar, size: u64) -> Result<(ObjId, u64), AccessError> {
        let p = self.with_object(p);
        if p.prov.is_none() {
            return Err(if p.bits < 4096 {
                AccessError::Null
            } else {
                AccessError::Wild
            });
        }
        let h = self.header(p.prov);
        let offset = p.bits.wrapping_sub(h.base);
        if h.store == NO_STORE {
            return Err(dead(h));
        }
        if offset > h.size || size > h.size - offset {
            return Err(AccessError::OutOfBounds);
        }
        Ok((p.prov, offset))
    }

    /// Do `size` bytes at the pointer lie within the object it points into, dead or alive?
    pub fn in_bounds(&self, p: Scalar, size: u64) -> bool {
        let p = self.with_object(p);
        if p.prov.is_none() {
            return size == 0 && p.bits == 0;
        }
        let h = self.header(p.prov);
        let offset = p.bits.wrapping_sub(h.base);
        offset <= h.size && size <= h.size - offset
    }

    /// False only for a pointer into an object that is gone.
    pub fn alive(&self, p: Scalar) -> bool {
        let p = self.with_object(p);
        p.prov.is_none() || self.state(p.prov) == State::Alive
    }

    /// Is it null, or the start of a block of this family, dead or alive?
    pub fn freeable(&self, p: Scalar, family: Family) -> bool {
        let p = self.with_object(p);
        if p.prov.is_none() {
            return p.bits == 0;
        }
        let h = self.header(p.prov);
        h.kind == Kind::Heap && h.family.is_none_or(|of| of == family && p.bits == h.base)
    }

    /// Do the two lead into different objects, or one of them nowhere? Equal addresses that lead nowhere are not apart, but for null.
    pub fn apart(&self, a: Scalar, b: Scalar) -> bool {
        let (a, b) = (self.with_object(a), self.with_object(b));
        match a.prov.is_none() && b.prov.is_none() {
            true => a.bits == 0 || a.bits != b.bits,
            false => a.prov != b.prov,
        }
    }

    /// Says whose block it is. Of what nobody says this of it is not known, nor where it begins: anybody may free it.
    pub fn set_family(&mut self, id: ObjId, family: Family) {
        if self.header(id).kept {
            self.save(id);
        }
        if let Some(h) = self.headers.get_mut(id.0 as usize) {
            h.family = Some(family);
        }
    }

    #[inline]
    fn store(&self, id: ObjId) -> Result<&Store, AccessError> {
        let h = self.header(id);
        match self.stores.get(h.store as usize) {
            Some(s) => Ok(s),
            None => Err(dead(h)),
        }
    }

    #[inline]
    fn store_mut(&mut self, id: ObjId) -> Result<&mut Store, AccessError> {
        let h = *self.header(id);
        if h.kept {
            self.save(id);
        }
        match self.stores.get_mut(h.store as usize) {
            Some(s) if s.read_only => Err(AccessError::ReadOnly),
            Some(s) => Ok(s),
            None => Err(dead(&h)),
        }
    }

    /// For writing a constant's initial value.
    pub fn set_read_only(&mut self, id: ObjId, on: bool) {
        if self.header(id).kept {
            self.save(id);
        }
        let index = self.header(id).store as usize;
        if let Some(s) = self.stores.get_mut(index) {
            s.read_only = on;
        }
    }
}

#[cold]
fn dead(h: &Header) -> AccessError {
    match h.state {
        State::Freed => AccessError::Freed,
        State::Alive => AccessError::Function,
        State::OutOfScope => AccessError::OutOfScope,
    }
}
