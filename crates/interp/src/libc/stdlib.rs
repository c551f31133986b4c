//! `<stdlib.h>`: the heap, ending the program, sorting and searching; and what is close to it.

use super::{Args, Host, Table};
use crate::io::Stream;
use crate::machine::Machine;
use crate::memory::{Fresh, Kind, State};
use crate::outcome::{Ctl, FaultKind};
use crate::value::{Blob, Scalar, Value};
use ir::Family;

const ENOMEM: u32 = 12;
const EINVAL: u32 = 22;

impl Machine<'_> {
    /// A heap block, or null.
    pub(crate) fn malloc(&mut self, size: u64, align: u64, zero: bool) -> Scalar {
        let fresh = if zero { Fresh::Zero } else { Fresh::Undefined };
        match self.mem.allocate(size, align, Kind::Heap, fresh) {
            Some(obj) => {
                self.mem.set_family(obj, Family::Malloc);
                self.mem.address(obj)
            }
            None => Scalar::ZERO,
        }
    }

    pub(crate) fn free(&mut self, p: Scalar) -> Result<(), Ctl> {
        if p.bits == 0 {
            return Ok(());
        }
        self.check_freeable(p)?;
        let p = self.mem.with_object(p);
        self.mem.kill(p.prov, State::Freed);
        Ok(())
    }

    fn check_freeable(&self, p: Scalar) -> Result<(), Ctl> {
        let p = self.mem.with_object(p);
        let fault = |kind| Err(Ctl::fault(kind, self.describe(p)));
        if p.prov.is_none() || self.mem.kind(p.prov) != Kind::Heap {
            return fault(FaultKind::InvalidFree);
        }
        if self.mem.state(p.prov) != State::Alive {
            return fault(FaultKind::DoubleFree);
        }
        if p.bits != self.mem.base(p.prov) {
            return fault(FaultKind::InvalidFree);
        }
        Ok(())
    }

    pub(super) fn realloc(&mut self, p: Scalar, size: u64) -> Result<Scalar, Ctl> {
        if p.bits == 0 {
            return Ok(self.malloc(size, 16, false));
        }
        self.check_freeable(p)?;
        let p = self.mem.with_object(p);
        if size == 0 {
            self.free(p)?;
            return Ok(Scalar::ZERO);
        }
        let new = self.malloc(size, 16, false);
        if new.bits == 0 {
            return Ok(new);
        }
        let keep = self.mem.size(p.prov).min(size);
        self.copy(new, p, keep, true)?;
        self.free(p)?;
        Ok(new)
    }

    fn or_errno(&mut self, p: Scalar) -> Result<Value, Ctl> {
        if p.bits == 0 {
            self.set_errno(ENOMEM)?;
        }
        Ok(Value::Scalar(p))
    }
}

/// Calls a comparison function.
fn order(
    h: &mut dyn Host<'_>,
    f: Scalar,
    a: Scalar,
    b: Scalar,
    more: Option<Scalar>,
) -> Result<i32, Ctl> {
    let mut args = vec![Value::Scalar(a), Value::Scalar(b)];
    args.extend(more.map(Value::Scalar));
    match h.call_pointer(f, args)? {
        Value::Scalar(s) => Ok(s.bits as i32),
        _ => Err(Ctl::malformed("comparison without a result")),
    }
}

/// Merge sort, as glibc does it: stable, and the comparison sees pointers into a copy.
fn sort(h: &mut dyn Host<'_>, a: &[Value], more: Option<Scalar>) -> Result<Value, Ctl> {
    let (base, count, size, f) = (a.at(0)?, a.u64(1)?, a.u64(2)?, a.at(3)?);
    if count < 2 || size == 0 {
        return Ok(Value::Void);
    }
    let m = h.m();
    let total = count.saturating_mul(size);
    let (obj, at) = m.access(m.mem.resolve(base, total), base, total)?;
    let blob = m.access(m.mem.read_blob(obj, at, total), base, total)?;
    let copy = m.malloc(total, 16, false);
    let done = m.mem.resolve(copy, total);
    let (copy_obj, copy_at) = m.access(done, copy, total)?;
    let done = m.mem.write_blob(copy_obj, copy_at, &blob);
    m.access(done, copy, total)?;
    let mut items: Vec<u64> = (0..count).collect();
    let mut width = 1usize;
    while width < items.len() {
        let mut next = Vec::with_capacity(items.len());
        for pair in items.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut i, mut j) = (0, 0);
            while i < left.len() && j < right.len() {
                let (x, y) = (copy.offset(left[i] * size), copy.offset(right[j] * size));
                if order(h, f, x, y, more)? <= 0 {
                    next.push(left[i]);
                    i += 1;
                } else {
                    next.push(right[j]);
                    j += 1;
                }
            }
            next.extend_from_slice(&left[i..]);
            next.extend_from_slice(&right[j..]);
        }
        items = next;
        width *= 2;
    }
    for (to, from) in items.into_iter().enumerate() {
        let (to, from) = (base.offset(to as u64 * size), copy.offset(from * size));
        h.m().copy(to, from, size, true)?;
    }
    h.m().free(copy)?;
    Ok(Value::Void)
}

fn search(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (key, base, size, f) = (a.at(0)?, a.at(1)?, a.u64(3)?, a.at(4)?);
    let (mut low, mut high) = (0, a.u64(2)?);
    while low < high {
        let mid = low + (high - low) / 2;
        let at = base.offset(mid.wrapping_mul(size));
        match order(h, f, key, at, None)? {
            0 => return Ok(Value::Scalar(at)),
            n if n < 0 => high = mid,
            _ => low = mid + 1,
        }
    }
    Ok(Value::int(0))
}

/// Operands that can be divided.
fn divisible(n: i64, d: i64) -> Result<(i64, i64), Ctl> {
    match n.checked_rem(d) {
        Some(_) => Ok((n, d)),
        None if d == 0 => Err(Ctl::fault(FaultKind::DivisionByZero, format!("{n} / 0"))),
        None => Err(Ctl::fault(
            FaultKind::DivisionOverflow,
            format!("{n} / {d}"),
        )),
    }
}

fn long_div(_: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (n, d) = divisible(a.u64(0)? as i64, a.u64(1)? as i64)?;
    let mut bytes = (n / d).to_le_bytes().to_vec();
    bytes.extend((n % d).to_le_bytes());
    Ok(Value::Blob(Box::new(Blob {
        bytes,
        ..Blob::default()
    })))
}

fn free(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().free(a.at(0)?)?;
    Ok(Value::Void)
}

fn exit(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let code = a.int(0)?;
    Err(h.exit(code))
}

fn exit_now(_: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    Err(Ctl::Exit(a.int(0)? & 0xFF))
}

fn fixed_time(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let to = a.at(0)?;
    if to.bits != 0 {
        h.m().write_word(to, 8, TIME)?;
    }
    Ok(Value::int(TIME))
}

/// The time that it always is.
const TIME: u64 = 1_000_000_000;

pub(super) const TABLE: Table = &[
    ("malloc", |h, a| {
        let p = h.m().malloc(a.u64(0)?, 16, false);
        h.m().or_errno(p)
    }),
    ("calloc", |h, a| {
        let p = match a.u64(0)?.checked_mul(a.u64(1)?) {
            Some(n) => h.m().malloc(n, 16, true),
            None => Scalar::ZERO,
        };
        h.m().or_errno(p)
    }),
    ("realloc", |h, a| {
        let p = h.m().realloc(a.at(0)?, a.u64(1)?)?;
        h.m().or_errno(p)
    }),
    ("reallocarray", |h, a| {
        let p = match a.u64(1)?.checked_mul(a.u64(2)?) {
            Some(n) => h.m().realloc(a.at(0)?, n)?,
            None => Scalar::ZERO,
        };
        h.m().or_errno(p)
    }),
    ("free", free),
    ("cfree", free),
    ("aligned_alloc", |h, a| {
        let p = h.m().malloc(a.u64(1)?, a.u64(0)?, false);
        h.m().or_errno(p)
    }),
    ("memalign", |h, a| {
        let p = h.m().malloc(a.u64(1)?, a.u64(0)?, false);
        h.m().or_errno(p)
    }),
    ("valloc", |h, a| {
        let p = h.m().malloc(a.u64(0)?, 4096, false);
        h.m().or_errno(p)
    }),
    ("posix_memalign", |h, a| {
        let align = a.u64(1)?;
        if !align.is_power_of_two() || align < 8 {
            return Ok(Value::int(u64::from(EINVAL)));
        }
        let p = h.m().malloc(a.u64(2)?, align, false);
        if p.bits == 0 {
            return Ok(Value::int(u64::from(ENOMEM)));
        }
        h.m().write_scalar(a.at(0)?, 8, p)?;
        Ok(Value::int(0))
    }),
    ("malloc_usable_size", |h, a| {
        let p = h.m().mem.with_object(a.at(0)?);
        Ok(Value::int(h.m().mem.size(p.prov)))
    }),
    ("exit", exit),
    ("_exit", exit_now),
    ("_Exit", exit_now),
    ("quick_exit", exit_now),
    ("abort", |_, _| Err(Ctl::Abort("abort() was called".into()))),
    ("__stack_chk_fail", |_, _| {
        Err(Ctl::Abort("stack smashing detected".into()))
    }),
    ("__chk_fail", |_, _| {
        Err(Ctl::Abort("buffer overflow detected".into()))
    }),
    ("raise", |_, a| {
        Err(Ctl::Abort(format!("signal {}", a.int(0)?)))
    }),
    ("signal", |_, _| Ok(Value::int(0))),
    ("__assert_fail", assert_fail),
    ("__assert", assert_fail),
    ("atexit", |h, a| {
        let f = a.at(0)?;
        h.m().at_exit.push((f, None));
        Ok(Value::int(0))
    }),
    ("qsort", |h, a| sort(h, a, None)),
    ("qsort_r", |h, a| {
        let more = a.at(4)?;
        sort(h, a, Some(more))
    }),
    ("bsearch", search),
    ("abs", |_, a| Ok(Value::i32(a.int(0)?.wrapping_abs()))),
    ("labs", |_, a| {
        Ok(Value::i64((a.u64(0)? as i64).wrapping_abs()))
    }),
    ("llabs", |_, a| {
        Ok(Value::i64((a.u64(0)? as i64).wrapping_abs()))
    }),
    ("imaxabs", |_, a| {
        Ok(Value::i64((a.u64(0)? as i64).wrapping_abs()))
    }),
    ("div", |_, a| {
        let (n, d) = divisible(i64::from(a.int(0)?), i64::from(a.int(1)?))?;
        // Both halves in one register.
        let (quotient, rest) = (n / d, n % d);
        Ok(Value::int(
            u64::from(rest as u32) << 32 | u64::from(quotient as u32),
        ))
    }),
    ("ldiv", long_div),
    ("lldiv", long_div),
    ("imaxdiv", long_div),
    ("getenv", |h, a| {
        let name = h.m().read_str(a.at(0)?)?;
        let env = h.m().env.clone();
        for line in env {
            if let Some(value) = line.as_bytes().strip_prefix(name.as_slice())
                && let Some(value) = value.strip_prefix(b"=")
            {
                return Ok(Value::Scalar(h.m().new_string(value)?));
            }
        }
        Ok(Value::int(0))
    }),
    ("secure_getenv", |_, _| Ok(Value::int(0))),
    ("system", |_, _| Ok(Value::i32(-1))),
    ("time", fixed_time),
    ("clock", |_, _| Ok(Value::int(0))),
    ("gettimeofday", |h, a| {
        let p = a.at(0)?;
        h.m().write_word(p, 8, TIME)?;
        h.m().write_word(p.offset(8), 8, 0)?;
        Ok(Value::int(0))
    }),
    ("clock_gettime", |h, a| {
        let p = a.at(1)?;
        h.m().write_word(p, 8, TIME)?;
        h.m().write_word(p.offset(8), 8, 0)?;
        Ok(Value::int(0))
    }),
    ("getpid", |_, _| Ok(Value::int(4242))),
    ("sleep", |_, _| Ok(Value::int(0))),
    ("usleep", |_, _| Ok(Value::int(0))),
    ("__errno_location", |h, _| Ok(Value::Scalar(h.m().errno()?))),
];

/// `file:line: function: Assertion `text' failed.`, as glibc writes it.
fn assert_fail(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let m = h.m();
    let text = |m: &Machine<'_>, p: Scalar| -> Result<String, Ctl> {
        if p.bits == 0 {
            return Ok(String::new());
        }
        Ok(String::from_utf8_lossy(&m.read_str(p)?).into_owned())
    };
    let (expr, file) = (text(m, a.at(0)?)?, text(m, a.at(1)?)?);
    let (line, function) = (a.int(2)?, text(m, a.at(3).unwrap_or_default())?);
    let program = m.args.first().cloned().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    let place = if function.is_empty() {
        String::new()
    } else {
        format!("{function}: ")
    };
    let words = format!("{program}: {file}:{line}: {place}Assertion `{expr}' failed.\n");
    m.io.write(Stream::Err, words.as_bytes());
    Err(Ctl::Abort(format!("assertion `{expr}` failed")))
}
