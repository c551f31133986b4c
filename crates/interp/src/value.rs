//! Values: what an expression evaluates to.
//!
//! Three shapes cover all of C. A [`Scalar`] is what fits a 64-bit register: integers up to 64
//! bits, pointers, `float` and `double`. A [`Wide`] is an integer of 65 to 128 bits or an x87 long
//! double. A [`Blob`] is a struct or array as bytes.
//!
//! All three carry which of their *bits* were never written (`undef`), so that a struct passed
//! through registers, or a bit-field beside an unwritten one, keeps exactly what it had. Copies and
//! bit-moving operators keep the mark; arithmetic makes a defined value of whatever pattern it saw,
//! because "initialised" means "has been written" (`ir::Condition::Initialized`).
//!
//! Pointers also carry the object they were made from (`prov`). It is what bounds and liveness are
//! judged by, as in the C standard; the address alone decides comparisons.

use crate::memory::ObjId;

/// A value of at most 64 bits, zero-extended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scalar {
    pub bits: u64,
    /// Bits that were never written.
    pub undef: u64,
    /// The object a pointer was made from; `ObjId::NONE` for all else.
    pub prov: ObjId,
}

/// A value of 65 to 128 bits (an x87 long double has 80).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wide {
    pub bits: u128,
    pub undef: u128,
}

/// The bytes of a struct or array, with their marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blob {
    pub bytes: Vec<u8>,
    /// Per byte the bits never written; empty means that all were.
    pub undef: Vec<u8>,
    /// Per 8-byte slot the object of the pointer stored there; empty means no pointers.
    pub prov: Vec<ObjId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The result of a void function.
    Void,
    Scalar(Scalar),
    Wide(Wide),
    Blob(Box<Blob>),
}

impl Scalar {
    pub const ZERO: Scalar = Scalar::plain(0);

    #[inline]
    pub const fn plain(bits: u64) -> Scalar {
        Scalar {
            bits,
            undef: 0,
            prov: ObjId::NONE,
        }
    }

    #[inline]
    pub const fn pointer(bits: u64, prov: ObjId) -> Scalar {
        Scalar {
            bits,
            undef: 0,
            prov,
        }
    }

    /// The pattern that storage has before anything is written to it.
    #[inline]
    pub const fn undefined(width: u32) -> Scalar {
        let mask = low_bits(width);
        Scalar {
            bits: 0xAAAA_AAAA_AAAA_AAAA & mask,
            undef: mask,
            prov: ObjId::NONE,
        }
    }

    /// The pointer moved by some bytes.
    #[inline]
    pub fn offset(self, by: u64) -> Scalar {
        Scalar::pointer(self.bits.wrapping_add(by), self.prov)
    }
}

impl Wide {
    pub const fn plain(bits: u128) -> Wide {
        Wide { bits, undef: 0 }
    }
}

impl Blob {
    /// A blob nothing of which was written.
    pub fn undefined(size: usize) -> Blob {
        Blob {
            bytes: vec![FILL; size],
            undef: vec![0xFF; size],
            prov: Vec::new(),
        }
    }
}

impl Value {
    pub const fn int(bits: u64) -> Value {
        Value::Scalar(Scalar::plain(bits))
    }

    /// An `int` result of a library function.
    pub const fn i32(n: i32) -> Value {
        Value::int(n as u32 as u64)
    }

    pub const fn i64(n: i64) -> Value {
        Value::int(n as u64)
    }

    pub fn f64(x: f64) -> Value {
        Value::int(x.to_bits())
    }

    pub fn f32(x: f32) -> Value {
        Value::int(u64::from(x.to_bits()))
    }

    /// The value as a scalar: the low half of a wide one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(s) => Some(*s),
            Value::Wide(w) => Some(Scalar {
                bits: w.bits as u64,
                undef: w.undef as u64,
                prov: ObjId::NONE,
            }),
            _ => None,
        }
    }
}

/// The byte that storage holds before anything is written to it. Not zero, so that a program that
/// lives by fresh memory being zero is seen to, and neither a null pointer nor a valid one.
pub const FILL: u8 = 0xAA;

/// The `width` lowest bits set.
#[inline]
pub const fn low_bits(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// The `width` lowest of 128 bits set.
#[inline]
pub const fn low_bits_wide(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}
