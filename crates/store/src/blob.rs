//! One blob as a file: everything that could be wrong with it can be seen from it.
//!
//! ```text
//! magic 8 │ format 4 │ identity 32 │ kind 1 + n │ key 32 │ packed 1 │ length 8 │ bytes │ blake3 32
//! ```
//!
//! The checksum covers all before it. A file that was cut, flipped, swapped with another one or
//! written by another build differs somewhere in these, and then it is not there.

use crate::{Key, Kind};

const MAGIC: &[u8; 8] = b"rigelkpt";
/// To be raised whenever a file is laid out differently.
const FORMAT: u32 = 1;
const CHECKSUM: usize = 32;
/// The longest content that is believed: more would not fit into memory anyway.
const LIMIT: usize = 1 << 32;

pub fn name(kind: Kind, key: &Key) -> String {
    format!("{kind}-{}", key.hex())
}

fn header(identity: &Key, kind: Kind, key: &Key) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&identity.0);
    out.push(kind.len() as u8);
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(&key.0);
    out
}

pub fn encode(content: &[u8], identity: &Key, kind: Kind, key: &Key) -> Vec<u8> {
    let packed = lz4_flex::block::compress(content);
    let is_packed = packed.len() < content.len();
    let body = if is_packed { &packed[..] } else { content };
    let mut out = header(identity, kind, key);
    out.reserve(body.len() + 9 + CHECKSUM);
    out.push(u8::from(is_packed));
    out.extend_from_slice(&(content.len() as u64).to_le_bytes());
    out.extend_from_slice(body);
    let checksum = blake3::hash(&out);
    out.extend_from_slice(checksum.as_bytes());
    out
}

/// The content, if the file is what it should be in every respect.
pub fn decode(file: &[u8], identity: &Key, kind: Kind, key: &Key) -> Option<Vec<u8>> {
    let (signed, checksum) = file.split_last_chunk::<CHECKSUM>()?;
    let rest = signed.strip_prefix(&header(identity, kind, key)[..])?;
    if blake3::hash(signed).as_bytes() != checksum {
        return None;
    }
    let (&packed, rest) = rest.split_first()?;
    let (length, body) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    match packed {
        0 => (body.len() == length).then(|| body.to_vec()),
        1 if length <= LIMIT => {
            let content = lz4_flex::block::decompress(body, length).ok()?;
            (content.len() == length).then_some(content)
        }
        _ => None,
    }
}
