//! Keys: the hash of all that an answer depends on, part by part.

/// What a blob is kept under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// The key of some bytes: what is kept under its own content.
    pub fn of(bytes: &[u8]) -> Key {
        Key(*blake3::hash(bytes).as_bytes())
    }

    /// As a file name has it.
    pub fn hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

/// Builds a key from parts. Each part carries its length, so that "ab", "c" is not "a", "bc".
#[derive(Clone, Debug)]
pub struct Keyer(blake3::Hasher);

impl Keyer {
    /// `purpose` keeps keys of different things apart.
    pub fn new(purpose: &str) -> Keyer {
        Keyer(blake3::Hasher::new()).part(purpose)
    }

    #[must_use]
    pub fn part(mut self, part: impl AsRef<[u8]>) -> Keyer {
        let part = part.as_ref();
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    #[must_use]
    pub fn number(self, number: u64) -> Keyer {
        self.part(number.to_le_bytes())
    }

    /// Several parts, and how many they are.
    #[must_use]
    pub fn parts<P: AsRef<[u8]>>(self, parts: impl IntoIterator<Item = P>) -> Keyer {
        let mut count = 0;
        let all = parts.into_iter().fold(self, |keyer, part| {
            count += 1;
            keyer.part(part)
        });
        all.number(count)
    }

    pub fn key(self) -> Key {
        Key(*self.0.finalize().as_bytes())
    }
}
