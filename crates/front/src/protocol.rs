//! What `rigel` and its `rigel-front` workers say to each other.
//!
//! A worker reads jobs from standard input and writes one answer per job to standard output, each
//! message as a little-endian `u32` length and that many bytes of postcard. A worker ends when its
//! input does. Nothing else is written to standard output; a worker that dies costs its current
//! job only.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::ffi::OsString;
use std::io::{self, Read, Write};

/// One unit to lower.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The source file as the build named it: the unit's name.
    pub file: String,
    /// Where the compiler runs. Not always text: it may come from the current directory.
    pub directory: OsString,
    /// The complete command: clang and its arguments, writing bitcode to standard output.
    pub command: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    Lowered(Box<Lowered>),
    Failed(Failure),
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Lowered {
    pub program: Encoded,
    /// What clang wrote to standard error.
    pub diagnostics: String,
    pub cost: Cost,
    /// What clang read; none if it did not say.
    pub reads: Option<Reads>,
}

/// What clang read for a unit, in its own spelling: relative paths start at the job's directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reads {
    /// The source and all that it included, system headers as well.
    pub files: Vec<String>,
    /// Where headers were looked for, in this order. Directories that were not there come first,
    /// since clang does not say where they stood.
    pub search: Vec<String>,
    /// When clang was started: nanoseconds since 1970. What was written later is not what it read.
    pub started: u64,
}

/// A program with one unit, serialised. Apart from the message around it, so that a worker can
/// say what serialising cost.
#[derive(Debug, Serialize, Deserialize)]
pub struct Encoded(Vec<u8>);

impl Encoded {
    pub fn new(program: &ir::Program) -> io::Result<Encoded> {
        postcard::to_allocvec(program)
            .map(Encoded)
            .map_err(io::Error::other)
    }

    /// As [`Encoded::bytes`] gave it.
    pub fn from_bytes(bytes: Vec<u8>) -> Encoded {
        Encoded(bytes)
    }

    /// The same program gives the same bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn decode(&self) -> io::Result<ir::Program> {
        postcard::from_bytes(&self.0).map_err(io::Error::other)
    }
}

/// What a unit cost, for `--stats` and `bench front`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Cost {
    /// User and system time of the clang process.
    pub clang_cpu_us: u64,
    /// CPU time for parsing the bitcode.
    pub read_cpu_us: u64,
    /// CPU time for lowering and serialising.
    pub lower_cpu_us: u64,
    pub bitcode_bytes: u64,
    /// Peak resident memory of the worker so far.
    pub peak_kib: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Failure {
    /// clang could not be started: the command, the reason.
    NoCompiler { program: String, reason: String },
    /// The directory to compile in went away after the unit was planned.
    NoDirectory { directory: String },
    /// clang said no: its standard error.
    DoesNotCompile { diagnostics: String, tried: Tried },
    /// The bitcode could not be read, or lowering failed as a whole: a defect of rigel.
    Internal { reason: String },
}

impl Failure {
    /// The same, after so much time of clang.
    pub fn at(mut self, cpu_us: u64) -> Failure {
        if let Failure::DoesNotCompile { tried, .. } = &mut self {
            tried.clang_cpu_us = cpu_us;
        }
        self
    }

    /// What came of it, if clang was asked.
    pub fn tried(&self) -> Option<&Tried> {
        match self {
            Failure::DoesNotCompile { tried, .. } => Some(tried),
            _ => None,
        }
    }
}

/// What came of a unit that does not compile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// The headers that it came to, and those that it did not find, wherever these could be; as clang spells
    /// them. Who repairs or writes one of them may have repaired the unit.
    pub files: Vec<String>,
    /// User and system time of clang.
    pub clang_cpu_us: u64,
}

/// Longest message that is believed: a length beyond it means that the stream is broken.
const LIMIT: u32 = 1 << 30;

pub fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let bytes = postcard::to_allocvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// The next message; `None` at the end of the stream.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > LIMIT {
        return Err(io::Error::other("message too long"));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes)
        .map(Some)
        .map_err(io::Error::other)
}
