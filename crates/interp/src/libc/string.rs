//! `<string.h>` and `<strings.h>`.

use super::{Args, Host, Table};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Scalar, Value};
use std::cmp::Ordering;

fn sign(o: Ordering) -> Value {
    Value::i32(match o {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    })
}

/// Compares byte by byte, up to a difference, a 0 or `max` bytes: reads no further than that.
fn compare(
    m: &Machine<'_>,
    a: &[Value],
    max: u64,
    stop_at_zero: bool,
    fold: bool,
) -> Result<Value, Ctl> {
    let (p, q) = (a.at(0)?, a.at(1)?);
    for i in 0..max {
        let (x, y) = (m.read_u8(p.offset(i))?, m.read_u8(q.offset(i))?);
        let (x, y) = if fold {
            (x.to_ascii_lowercase(), y.to_ascii_lowercase())
        } else {
            (x, y)
        };
        if x != y {
            return Ok(sign(x.cmp(&y)));
        }
        if stop_at_zero && x == 0 {
            break;
        }
    }
    Ok(Value::int(0))
}

fn copy(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().copy(a.at(0)?, a.at(1)?, a.u64(2)?, false)?;
    Ok(Value::Scalar(a.at(0)?))
}

fn move_bytes(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().copy(a.at(0)?, a.at(1)?, a.u64(2)?, true)?;
    Ok(Value::Scalar(a.at(0)?))
}

fn set(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().fill(a.at(0)?, a.byte(1)?, a.u64(2)?)?;
    Ok(Value::Scalar(a.at(0)?))
}

fn zero(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().fill(a.at(0)?, 0, a.u64(1)?)?;
    Ok(Value::Void)
}

/// How many characters there are from a pointer to the first zero that was written, or to the end of the object: what a check asks, so
/// nothing is wrong with a string that has no end.
pub(super) fn characters(h: &mut dyn Host<'_>, a: &[Value], width: usize) -> Result<Value, Ctl> {
    let p = h.m().mem.with_object(a.at(0)?);
    let size = width as u64;
    let memory = &h.m().mem;
    let mut count = 0;
    if p.bits == 0 || p.prov.is_none() {
        return Ok(Value::int(0));
    }
    let end = memory.base(p.prov).saturating_add(memory.size(p.prov));
    loop {
        let at = p.offset(count * size);
        if at.bits.saturating_add(size) > end {
            break;
        }
        match h.m().read_word(at, width) {
            Ok(word) if word.bits != 0 || word.undef != 0 => count += 1,
            _ => break,
        }
    }
    Ok(Value::int(count))
}

/// Copies a string and its 0; the address of that 0.
fn string_copy(m: &mut Machine<'_>, to: Scalar, from: Scalar) -> Result<Scalar, Ctl> {
    let n = m.strlen(from)?;
    m.copy(to, from, n + 1, false)?;
    Ok(to.offset(n))
}

fn strcpy(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    string_copy(h.m(), a.at(0)?, a.at(1)?)?;
    Ok(Value::Scalar(a.at(0)?))
}

fn strncpy(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (to, from, max) = (a.at(0)?, a.at(1)?, a.u64(2)?);
    let n = h.m().strnlen(from, max)?;
    h.m().copy(to, from, n, false)?;
    h.m().fill(to.offset(n), 0, max - n)?;
    Ok(Value::Scalar(to))
}

fn strcat(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let end = h.m().strlen(a.at(0)?)?;
    string_copy(h.m(), a.at(0)?.offset(end), a.at(1)?)?;
    Ok(Value::Scalar(a.at(0)?))
}

fn strncat(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (to, from) = (a.at(0)?, a.at(1)?);
    let end = h.m().strlen(to)?;
    let n = h.m().strnlen(from, a.u64(2)?)?;
    h.m().copy(to.offset(end), from, n, false)?;
    h.m().write_word(to.offset(end + n), 1, 0)?;
    Ok(Value::Scalar(to))
}

fn found(p: Scalar, at: Option<usize>) -> Result<Value, Ctl> {
    Ok(match at {
        Some(i) => Value::Scalar(p.offset(i as u64)),
        None => Value::int(0),
    })
}

fn strchr(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (p, c) = (a.at(0)?, a.byte(1)?);
    let mut text = h.m().read_str(p)?;
    text.push(0);
    found(p, text.iter().position(|&b| b == c))
}

fn strrchr(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (p, c) = (a.at(0)?, a.byte(1)?);
    let mut text = h.m().read_str(p)?;
    text.push(0);
    found(p, text.iter().rposition(|&b| b == c))
}

fn memchr(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (p, c, n) = (a.at(0)?, a.byte(1)?, a.u64(2)?);
    for i in 0..n {
        if h.m().read_u8(p.offset(i))? == c {
            return Ok(Value::Scalar(p.offset(i)));
        }
    }
    Ok(Value::int(0))
}

fn find(h: &mut dyn Host<'_>, a: &[Value], fold: bool) -> Result<Value, Ctl> {
    let (p, q) = (a.at(0)?, a.at(1)?);
    let (mut text, mut word) = (h.m().read_str(p)?, h.m().read_str(q)?);
    if fold {
        text.make_ascii_lowercase();
        word.make_ascii_lowercase();
    }
    if word.is_empty() {
        return Ok(Value::Scalar(p));
    }
    found(p, text.windows(word.len()).position(|w| w == word))
}

/// How many bytes of the first string are (or are not) in the second.
fn span(h: &mut dyn Host<'_>, a: &[Value], accept: bool) -> Result<u64, Ctl> {
    let text = h.m().read_str(a.at(0)?)?;
    let set = h.m().read_str(a.at(1)?)?;
    Ok(text
        .iter()
        .take_while(|b| set.contains(b) == accept)
        .count() as u64)
}

fn token(m: &mut Machine<'_>, p: Scalar, set: &[u8]) -> Result<(Value, Scalar), Ctl> {
    let text = m.read_str(p)?;
    let start = text.iter().take_while(|b| set.contains(b)).count();
    let rest = text.get(start..).unwrap_or_default();
    if rest.is_empty() {
        return Ok((Value::int(0), p.offset(start as u64)));
    }
    let len = rest.iter().take_while(|b| !set.contains(b)).count();
    let begin = p.offset(start as u64);
    let mut next = begin.offset(len as u64);
    if len < rest.len() {
        m.write_word(next, 1, 0)?;
        next = next.offset(1);
    }
    Ok((Value::Scalar(begin), next))
}

fn duplicate(m: &mut Machine<'_>, p: Scalar, n: u64) -> Result<Value, Ctl> {
    let new = m.malloc(n + 1, 16, false);
    if new.bits != 0 {
        m.copy(new, p, n, false)?;
        m.write_word(new.offset(n), 1, 0)?;
    }
    Ok(Value::Scalar(new))
}

fn length(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    Ok(Value::int(h.m().strlen(a.at(0)?)?))
}

/// What glibc says about an error number.
pub(super) fn error_text(code: i32) -> String {
    let known = match code {
        0 => "Success",
        1 => "Operation not permitted",
        2 => "No such file or directory",
        4 => "Interrupted system call",
        5 => "Input/output error",
        9 => "Bad file descriptor",
        11 => "Resource temporarily unavailable",
        12 => "Cannot allocate memory",
        13 => "Permission denied",
        14 => "Bad address",
        17 => "File exists",
        22 => "Invalid argument",
        33 => "Numerical argument out of domain",
        34 => "Numerical result out of range",
        n => return format!("Unknown error {n}"),
    };
    known.into()
}

pub(super) const TABLE: Table = &[
    ("__rigel_strlen", |h, a| characters(h, a, 1)),
    ("__rigel_wcslen", |h, a| characters(h, a, 4)),
    ("memcpy", copy),
    ("__memcpy_chk", copy),
    ("memmove", move_bytes),
    ("__memmove_chk", move_bytes),
    ("memset", set),
    ("__memset_chk", set),
    ("explicit_bzero", zero),
    ("bzero", zero),
    ("bcopy", |h, a| {
        h.m().copy(a.at(1)?, a.at(0)?, a.u64(2)?, true)?;
        Ok(Value::Void)
    }),
    ("mempcpy", |h, a| {
        h.m().copy(a.at(0)?, a.at(1)?, a.u64(2)?, false)?;
        Ok(Value::Scalar(a.at(0)?.offset(a.u64(2)?)))
    }),
    ("memccpy", |h, a| {
        let (to, from, c, max) = (a.at(0)?, a.at(1)?, a.byte(2)?, a.u64(3)?);
        for i in 0..max {
            let b = h.m().read_u8(from.offset(i))?;
            h.m().write_word(to.offset(i), 1, u64::from(b))?;
            if b == c {
                return Ok(Value::Scalar(to.offset(i + 1)));
            }
        }
        Ok(Value::int(0))
    }),
    ("memcmp", |h, a| compare(h.m(), a, a.u64(2)?, false, false)),
    ("bcmp", |h, a| compare(h.m(), a, a.u64(2)?, false, false)),
    ("strcmp", |h, a| compare(h.m(), a, u64::MAX, true, false)),
    ("strcoll", |h, a| compare(h.m(), a, u64::MAX, true, false)),
    ("strncmp", |h, a| compare(h.m(), a, a.u64(2)?, true, false)),
    ("strcasecmp", |h, a| compare(h.m(), a, u64::MAX, true, true)),
    ("strncasecmp", |h, a| {
        compare(h.m(), a, a.u64(2)?, true, true)
    }),
    ("memchr", memchr),
    ("rawmemchr", |h, a| {
        let p = a.at(0)?;
        memchr(
            h,
            &[
                Value::Scalar(p),
                Value::Scalar(a.at(1)?),
                Value::int(u64::MAX),
            ],
        )
    }),
    ("strlen", length),
    ("strnlen", |h, a| {
        Ok(Value::int(h.m().strnlen(a.at(0)?, a.u64(1)?)?))
    }),
    ("strcpy", strcpy),
    ("__strcpy_chk", strcpy),
    ("stpcpy", |h, a| {
        Ok(Value::Scalar(string_copy(h.m(), a.at(0)?, a.at(1)?)?))
    }),
    ("strncpy", strncpy),
    ("__strncpy_chk", strncpy),
    ("strcat", strcat),
    ("__strcat_chk", strcat),
    ("strncat", strncat),
    ("__strncat_chk", strncat),
    ("strlcpy", |h, a| {
        let (to, from, size) = (a.at(0)?, a.at(1)?, a.u64(2)?);
        let n = h.m().strlen(from)?;
        if size > 0 {
            let keep = n.min(size - 1);
            h.m().copy(to, from, keep, false)?;
            h.m().write_word(to.offset(keep), 1, 0)?;
        }
        Ok(Value::int(n))
    }),
    ("strchr", strchr),
    ("index", strchr),
    ("strrchr", strrchr),
    ("rindex", strrchr),
    ("strchrnul", |h, a| {
        let p = a.at(0)?;
        match strchr(h, a)? {
            Value::Scalar(s) if s.bits != 0 => Ok(Value::Scalar(s)),
            _ => Ok(Value::Scalar(p.offset(h.m().strlen(p)?))),
        }
    }),
    ("strstr", |h, a| find(h, a, false)),
    ("strcasestr", |h, a| find(h, a, true)),
    ("strspn", |h, a| Ok(Value::int(span(h, a, true)?))),
    ("strcspn", |h, a| Ok(Value::int(span(h, a, false)?))),
    ("strpbrk", |h, a| {
        let n = span(h, a, false)?;
        let p = a.at(0)?;
        let end = h.m().strlen(p)?;
        found(p, (n < end).then_some(n as usize))
    }),
    ("strtok", |h, a| {
        let set = h.m().read_str(a.at(1)?)?;
        let p = match a.at(0)? {
            p if p.bits != 0 => p,
            _ => h.m().lib.strtok,
        };
        if p.bits == 0 {
            return Ok(Value::int(0));
        }
        let (found, next) = token(h.m(), p, &set)?;
        h.m().lib.strtok = next;
        Ok(found)
    }),
    ("strtok_r", strtok_r),
    ("__strtok_r", strtok_r),
    ("strsep", |h, a| {
        let (at, set) = (a.at(0)?, h.m().read_str(a.at(1)?)?);
        let p = h.m().read_pointer(at)?;
        if p.bits == 0 {
            return Ok(Value::int(0));
        }
        let text = h.m().read_str(p)?;
        let next = match text.iter().position(|b| set.contains(b)) {
            Some(n) => {
                h.m().write_word(p.offset(n as u64), 1, 0)?;
                p.offset(n as u64 + 1)
            }
            None => Scalar::ZERO,
        };
        h.m().write_scalar(at, 8, next)?;
        Ok(Value::Scalar(p))
    }),
    ("strdup", |h, a| {
        let n = h.m().strlen(a.at(0)?)?;
        duplicate(h.m(), a.at(0)?, n)
    }),
    ("__strdup", |h, a| {
        let n = h.m().strlen(a.at(0)?)?;
        duplicate(h.m(), a.at(0)?, n)
    }),
    ("strndup", |h, a| {
        let n = h.m().strnlen(a.at(0)?, a.u64(1)?)?;
        duplicate(h.m(), a.at(0)?, n)
    }),
    ("strerror", |h, a| {
        let code = a.int(0)?;
        let m = h.m();
        if let Some(&p) = m.lib.errors.get(&code) {
            return Ok(Value::Scalar(p));
        }
        let p = m.new_string(error_text(code).as_bytes())?;
        m.lib.errors.insert(code, p);
        Ok(Value::Scalar(p))
    }),
    ("ffs", |_, a| {
        let x = a.int(0)?;
        Ok(Value::int(match x {
            0 => 0,
            x => u64::from(x.trailing_zeros()) + 1,
        }))
    }),
];

fn strtok_r(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (set, save) = (h.m().read_str(a.at(1)?)?, a.at(2)?);
    let p = match a.at(0)? {
        p if p.bits != 0 => p,
        _ => h.m().read_pointer(save)?,
    };
    if p.bits == 0 {
        return Ok(Value::int(0));
    }
    let (found, next) = token(h.m(), p, &set)?;
    h.m().write_scalar(save, 8, next)?;
    Ok(found)
}
