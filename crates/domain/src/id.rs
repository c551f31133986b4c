//! The names that states speak of. What they stand for is known to whoever hands them out.

/// A piece of memory that addresses are taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// A piece of an object as large as one scalar; or an object that is one scalar as a whole; or
/// the rest of an object, which stands for all parts that have no entry of their own.
///
/// The cells of an object lie together in the order of ids, its rest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(u64);

/// A condition that the program tests more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactId(pub u32);

const REST: u32 = 0;
const SIZE: u32 = 1;
/// Four that speak of strings; then the parts.
const TEXT: u32 = 2;
const PARTS: u32 = 6;
const WHOLE: u32 = u32::MAX;
/// Marks a part that shares bits with another one.
const SHARED: u32 = 1 << 30;

impl CellId {
    /// The object is one scalar, and this is it.
    pub fn whole(object: ObjectId) -> CellId {
        CellId::new(object, WHOLE)
    }

    /// What has no entry of its own.
    pub fn rest(object: ObjectId) -> CellId {
        CellId::new(object, REST)
    }

    /// Not memory: the object's size in bytes, where the program computes it.
    pub fn size(object: ObjectId) -> CellId {
        CellId::new(object, SIZE)
    }

    /// Not memory: where, in bytes, the first character of the object is that is zero. Characters are bytes, or wide.
    pub fn first_zero(object: ObjectId, wide: bool) -> CellId {
        CellId::new(object, TEXT + u32::from(wide))
    }

    /// Not memory: where some character is that is zero, the last one that is known of.
    pub fn last_zero(object: ObjectId, wide: bool) -> CellId {
        CellId::new(object, TEXT + 2 + u32::from(wide))
    }

    /// Does it say something of the object's characters?
    pub fn is_text(self) -> bool {
        (TEXT..PARTS).contains(&self.slot())
    }

    /// The n-th part that was named.
    pub fn part(object: ObjectId, index: u32) -> CellId {
        CellId::new(object, index + PARTS)
    }

    /// The same for a part that shares bits with one named before: what was written there may have
    /// written it, so it is not simply what the rest is.
    pub fn shared_part(object: ObjectId, index: u32) -> CellId {
        CellId::new(object, (index + PARTS) | SHARED)
    }

    fn new(object: ObjectId, slot: u32) -> CellId {
        CellId(u64::from(object.0) << 32 | u64::from(slot))
    }

    pub fn object(self) -> ObjectId {
        ObjectId((self.0 >> 32) as u32)
    }

    fn slot(self) -> u32 {
        self.0 as u32
    }

    /// The number of a part; none for the whole, the rest and what is no memory.
    pub fn part_index(self) -> Option<u32> {
        (self.is_part()).then(|| (self.slot() & !SHARED) - PARTS)
    }

    /// See [`CellId::shared_part`].
    pub fn is_shared(self) -> bool {
        self.is_part() && self.slot() & SHARED != 0
    }

    pub fn is_whole(self) -> bool {
        self.slot() == WHOLE
    }

    /// One of several of its object: without an entry it is what the rest is.
    pub fn is_part(self) -> bool {
        self.slot() >= PARTS && self.slot() != WHOLE
    }
}
