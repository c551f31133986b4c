//! Bytes to be hashed. Small numbers, which most are, take one byte.

#[derive(Default)]
pub(super) struct Out {
    bytes: Vec<u8>,
}

impl Out {
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    pub fn byte(&mut self, b: u8) {
        self.bytes.push(b);
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Seven bits a byte, the lowest first.
    pub fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    /// With their length, so that two strings in a row are not another two.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub fn short(&mut self, hash: super::types::Short) {
        self.raw(&hash);
    }

    pub fn short_hash(&self) -> super::types::Short {
        let mut short = [0; 16];
        short.copy_from_slice(&self.hash()[..16]);
        short
    }

    pub fn hash(&self) -> super::Hash {
        *blake3::hash(&self.bytes).as_bytes()
    }
}
