//! Contents as numbers: 128 bits of a BLAKE3 hash.

use serde::Serialize;

/// What is to be hashed, in one piece: many small updates would cost more than the hash.
#[derive(Default)]
pub(crate) struct Digest {
    bytes: Vec<u8>,
}

impl Digest {
    pub fn number(&mut self, n: u64) -> &mut Digest {
        self.bytes.extend(n.to_le_bytes());
        self
    }

    pub fn wide(&mut self, n: u128) -> &mut Digest {
        self.bytes.extend(n.to_le_bytes());
        self
    }

    /// With its length, so that two words in a row are not another two.
    pub fn text(&mut self, text: &str) -> &mut Digest {
        self.raw(text.as_bytes())
    }

    pub fn raw(&mut self, bytes: &[u8]) -> &mut Digest {
        self.number(bytes.len() as u64);
        self.bytes.extend(bytes);
        self
    }

    pub fn finish(&self) -> u128 {
        let hash = blake3::hash(&self.bytes);
        let mut first = [0; 16];
        first.copy_from_slice(&hash.as_bytes()[..16]);
        u128::from_le_bytes(first)
    }
}

/// The hash of a value, by its serialised form.
pub(crate) fn of<T: Serialize>(value: &T) -> u128 {
    let mut digest = Digest::default();
    match postcard::to_allocvec(value) {
        Ok(bytes) => digest.raw(&bytes),
        // Nothing that is hashed here has a length that is not known; still, it must not pass for equal.
        Err(error) => digest.text(&error.to_string()),
    };
    digest.finish()
}
