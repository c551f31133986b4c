//! The C and C++ library functions that programs need to run, by linkage name.
//!
//! One file a family; each has a table of names and handlers. A handler sees memory through the same
//! checks as the program does: `strcpy` past the end of its target fails the run like a loop that
//! does it by hand. A function with a body in the program is never looked up here.

use crate::machine::Machine;
use crate::memory::AccessError;
use crate::outcome::Ctl;
use crate::value::{Scalar, Value, Wide};
use std::collections::{BTreeMap, BTreeSet};

mod complex;
mod ctype;
mod cxx;
mod device;
mod exceptions;
mod format;
mod hash_table;
mod jump;
mod list;
mod math;
mod number;
mod scan;
mod stdio;
mod stdlib;
mod string;
mod thread;
mod tree;
mod wide;

pub(crate) use self::exceptions::base_of;
pub(crate) use self::stdio::FileState;

/// What a handler can do: look at the machine, and call back into the program.
pub(crate) trait Host<'p> {
    fn m(&mut self) -> &mut Machine<'p>;

    /// Calls a function through its address and waits for its result.
    fn call_pointer(&mut self, f: Scalar, args: Vec<Value>) -> Result<Value, Ctl>;

    /// Runs the exit handlers; what then ends the run.
    fn exit(&mut self, code: i32) -> Ctl;
}

pub(crate) type Native = fn(&mut dyn Host<'_>, &[Value]) -> Result<Value, Ctl>;

/// A family's functions.
type Table = &'static [(&'static str, Native)];

/// What the library remembers between calls.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub rand: number::Rand,
    /// Where `strtok` goes on.
    pub strtok: Scalar,
    pub errno: Option<Scalar>,
    /// Tables of `<ctype.h>`: classes, lower, upper.
    pub ctype: [Option<Scalar>; 3],
    pub files: FileState,
    pub opened: device::Opened,
    /// Addresses of locks that are taken.
    pub locked: BTreeSet<u64>,
    /// The program has asked for locks that their holder may take again.
    pub recursive: bool,
    pub types: exceptions::Types,
    /// Called instead of ending the run at once.
    pub terminate_handler: Option<Scalar>,
    /// What `strerror` returned, by error.
    pub errors: BTreeMap<i32, Scalar>,
}

/// The handler of a library function.
pub(crate) fn find(name: &str) -> Option<Native> {
    let tables: [Table; 17] = [
        device::TABLE,
        thread::TABLE,
        stdio::TABLE,
        scan::TABLE,
        string::TABLE,
        wide::TABLE,
        stdlib::TABLE,
        ctype::TABLE,
        math::TABLE,
        complex::TABLE,
        tree::TABLE,
        list::TABLE,
        hash_table::TABLE,
        exceptions::TABLE,
        cxx::TABLE,
        jump::TABLE,
        number::TABLE,
    ];
    let exact = |name: &str| {
        tables
            .iter()
            .flat_map(|t| t.iter())
            .find(|(n, _)| *n == name)
            .map(|(_, f)| *f)
            .or_else(|| math::find_one(name))
            .or_else(|| exceptions::find(name))
    };
    if let Some(f) = exact(name) {
        return Some(f);
    }
    // Other names of the same functions: C99/C23 variants, builtins, `_l` and GNU spellings.
    for prefix in ["__isoc99_", "__isoc23_", "__builtin_", "__GI_", "\u{1}"] {
        if let Some(rest) = name.strip_prefix(prefix)
            && let Some(f) = exact(rest)
        {
            return Some(f);
        }
    }
    if matches!(name, "__VERIFIER_nondet_bool" | "__VERIFIER_nondet__Bool") {
        return Some(cxx::nondet_bool);
    }
    if name.starts_with("__VERIFIER_nondet_") {
        return Some(cxx::nondet);
    }
    None
}

/// Access to arguments; a missing or misshapen one is the program's mistake.
pub(crate) trait Args {
    fn at(&self, i: usize) -> Result<Scalar, Ctl>;

    fn int(&self, i: usize) -> Result<i32, Ctl> {
        Ok(self.at(i)?.bits as i32)
    }

    fn u64(&self, i: usize) -> Result<u64, Ctl> {
        Ok(self.at(i)?.bits)
    }

    fn byte(&self, i: usize) -> Result<u8, Ctl> {
        Ok(self.at(i)?.bits as u8)
    }

    fn f64(&self, i: usize) -> Result<f64, Ctl> {
        Ok(f64::from_bits(self.at(i)?.bits))
    }

    fn f32(&self, i: usize) -> Result<f32, Ctl> {
        Ok(f32::from_bits(self.at(i)?.bits as u32))
    }
}

impl Args for [Value] {
    fn at(&self, i: usize) -> Result<Scalar, Ctl> {
        self.get(i)
            .and_then(Value::scalar)
            .ok_or_else(|| Ctl::malformed("library function called with too few arguments"))
    }
}

impl<'p> Machine<'p> {
    /// Checks an access of a library function.
    pub(crate) fn access<T>(
        &self,
        done: Result<T, AccessError>,
        p: Scalar,
        size: u64,
    ) -> Result<T, Ctl> {
        done.map_err(|err| self.access_fault(err, p, size))
    }

    pub(crate) fn read_u8(&self, p: Scalar) -> Result<u8, Ctl> {
        let read = self
            .mem
            .resolve(p, 1)
            .and_then(|(obj, at)| self.mem.read(obj, at, 1));
        Ok(self.access(read, p, 1)?.bits as u8)
    }

    pub(crate) fn read_word(&self, p: Scalar, size: usize) -> Result<Scalar, Ctl> {
        let read = self
            .mem
            .resolve(p, size as u64)
            .and_then(|(obj, at)| self.mem.read(obj, at, size));
        self.access(read, p, size as u64)
    }

    pub(crate) fn read_pointer(&self, p: Scalar) -> Result<Scalar, Ctl> {
        Ok(self.mem.with_object(self.read_word(p, 8)?))
    }

    pub(crate) fn read_wide16(&self, p: Scalar) -> Result<Wide, Ctl> {
        let read = self
            .mem
            .resolve(p, 10)
            .and_then(|(obj, at)| self.mem.read_wide(obj, at, 10));
        self.access(read, p, 10)
    }

    pub(crate) fn read_bytes(&self, p: Scalar, size: u64) -> Result<Vec<u8>, Ctl> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let read = self.mem.resolve(p, size).and_then(|(obj, at)| {
            let all = self.mem.bytes(obj)?;
            let at = at as usize;
            all.get(at..at + size as usize)
                .ok_or(AccessError::OutOfBounds)
        });
        Ok(self.access(read, p, size)?.to_vec())
    }

    pub(crate) fn write_bytes(&mut self, p: Scalar, bytes: &[u8]) -> Result<(), Ctl> {
        if bytes.is_empty() {
            return Ok(());
        }
        let size = bytes.len() as u64;
        let blob = crate::value::Blob {
            bytes: bytes.to_vec(),
            ..Default::default()
        };
        let done = self
            .mem
            .resolve(p, size)
            .and_then(|(obj, at)| self.mem.write_blob(obj, at, &blob));
        self.access(done, p, size)
    }

    pub(crate) fn write_word(&mut self, p: Scalar, size: usize, bits: u64) -> Result<(), Ctl> {
        self.write_scalar(p, size, Scalar::plain(bits))
    }

    pub(crate) fn write_scalar(&mut self, p: Scalar, size: usize, s: Scalar) -> Result<(), Ctl> {
        let done = self
            .mem
            .resolve(p, size as u64)
            .and_then(|(obj, at)| self.mem.write(obj, at, size, s));
        self.access(done, p, size as u64)
    }

    /// The length of a string; fails where reading on would.
    pub(crate) fn strlen(&self, p: Scalar) -> Result<u64, Ctl> {
        self.strnlen(p, u64::MAX)
    }

    /// The length of a string of which at most `max` bytes are read.
    pub(crate) fn strnlen(&self, p: Scalar, max: u64) -> Result<u64, Ctl> {
        if max == 0 {
            return Ok(0);
        }
        let (obj, at) = self.access(self.mem.resolve(p, 1), p, 1)?;
        let all = self.access(self.mem.bytes(obj), p, 1)?;
        let rest = all.get(at as usize..).unwrap_or_default();
        let seen = rest.len().min(max.min(usize::MAX as u64) as usize);
        match rest[..seen].iter().position(|&b| b == 0) {
            Some(n) => Ok(n as u64),
            None if seen as u64 == max => Ok(max),
            None => Err(self.access_fault(AccessError::OutOfBounds, p.offset(seen as u64), 1)),
        }
    }

    pub(crate) fn read_str(&self, p: Scalar) -> Result<Vec<u8>, Ctl> {
        let n = self.strlen(p)?;
        self.read_bytes(p, n)
    }

    pub(crate) fn set_errno(&mut self, code: u32) -> Result<(), Ctl> {
        let p = self.errno()?;
        self.write_word(p, 4, u64::from(code))
    }

    pub(crate) fn errno(&mut self) -> Result<Scalar, Ctl> {
        if let Some(p) = self.lib.errno {
            return Ok(p);
        }
        let p = self.new_static(4)?;
        self.lib.errno = Some(p);
        Ok(p)
    }
}

/// Variadic arguments of the printf and scanf families, from a call or from a `va_list`.
pub(crate) enum VarArgs<'a> {
    Values(&'a [Value]),
    /// The address of a `va_list`, whose overflow area holds all arguments.
    List(Scalar),
}

impl VarArgs<'_> {
    pub fn scalar(&mut self, m: &mut Machine<'_>) -> Result<Scalar, Ctl> {
        match self {
            VarArgs::Values(values) => match values.split_first() {
                Some((first, rest)) => {
                    *values = rest;
                    first
                        .scalar()
                        .ok_or_else(|| Ctl::malformed("struct passed to printf"))
                }
                None => Err(Ctl::fault(
                    crate::FaultKind::OutOfBounds,
                    "more conversions than arguments",
                )),
            },
            VarArgs::List(list) => {
                let area = m.read_pointer(list.offset(8))?;
                let value = m.read_pointer(area)?;
                m.write_scalar(list.offset(8), 8, area.offset(8))?;
                Ok(value)
            }
        }
    }

    pub fn x87(&mut self, m: &mut Machine<'_>) -> Result<crate::X87, Ctl> {
        match self {
            VarArgs::Values(values) => match values.split_first() {
                Some((Value::Wide(w), rest)) => {
                    *values = rest;
                    Ok(crate::X87(w.bits))
                }
                _ => Err(Ctl::fault(
                    crate::FaultKind::OutOfBounds,
                    "a long double conversion without one",
                )),
            },
            VarArgs::List(list) => {
                let area = m.read_pointer(list.offset(8))?;
                let area = area.offset(area.bits.wrapping_neg() & 15);
                let value = m.read_wide16(area)?;
                m.write_scalar(list.offset(8), 8, area.offset(16))?;
                Ok(crate::X87(value.bits))
            }
        }
    }
}
