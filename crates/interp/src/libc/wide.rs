//! `<wchar.h>`: strings of `wchar_t`, four bytes each.

use super::{Args, Table};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Scalar, Value};
use std::cmp::Ordering;

impl Machine<'_> {
    fn wide_at(&self, p: Scalar, i: u64) -> Result<i32, Ctl> {
        Ok(self.read_word(p.offset(4 * i), 4)?.bits as i32)
    }

    fn set_wide(&mut self, p: Scalar, i: u64, c: i32) -> Result<(), Ctl> {
        self.write_word(p.offset(4 * i), 4, u64::from(c as u32))
    }

    /// The length of a string of which at most `max` characters are read.
    fn wide_length(&self, p: Scalar, max: u64) -> Result<u64, Ctl> {
        let mut n = 0;
        while n < max && self.wide_at(p, n)? != 0 {
            n += 1;
        }
        Ok(n)
    }

    fn wide_copy(&mut self, to: Scalar, from: Scalar, count: u64) -> Result<(), Ctl> {
        if count > 0 {
            self.copy(to, from, count.saturating_mul(4), true)?;
        }
        Ok(())
    }
}

/// `wcsncmp`, or `wmemcmp` if zeros are characters like others.
fn compare(m: &Machine<'_>, a: &[Value], max: u64, zeros: bool) -> Result<Value, Ctl> {
    let (p, q) = (a.at(0)?, a.at(1)?);
    for i in 0..max {
        let (x, y) = (m.wide_at(p, i)?, m.wide_at(q, i)?);
        match x.cmp(&y) {
            Ordering::Less => return Ok(Value::i32(-1)),
            Ordering::Greater => return Ok(Value::i32(1)),
            Ordering::Equal if x == 0 && !zeros => break,
            Ordering::Equal => {}
        }
    }
    Ok(Value::i32(0))
}

fn find(m: &Machine<'_>, p: Scalar, c: i32, max: u64) -> Result<Value, Ctl> {
    for i in 0..max {
        if m.wide_at(p, i)? == c {
            return Ok(Value::Scalar(p.offset(4 * i)));
        }
    }
    Ok(Value::int(0))
}

pub(super) const TABLE: Table = &[
    ("wcslen", |h, a| {
        Ok(Value::int(h.m().wide_length(a.at(0)?, u64::MAX)?))
    }),
    ("wcsnlen", |h, a| {
        Ok(Value::int(h.m().wide_length(a.at(0)?, a.u64(1)?)?))
    }),
    ("wcscpy", |h, a| {
        let n = h.m().wide_length(a.at(1)?, u64::MAX)?;
        h.m().wide_copy(a.at(0)?, a.at(1)?, n + 1)?;
        Ok(Value::Scalar(a.at(0)?))
    }),
    ("wcsncpy", |h, a| {
        let (to, count) = (a.at(0)?, a.u64(2)?);
        let n = h.m().wide_length(a.at(1)?, count)?;
        h.m().wide_copy(to, a.at(1)?, n)?;
        for i in n..count {
            h.m().set_wide(to, i, 0)?;
        }
        Ok(Value::Scalar(to))
    }),
    ("wcscat", |h, a| {
        let (to, from) = (a.at(0)?, a.at(1)?);
        let end = h.m().wide_length(to, u64::MAX)?;
        let n = h.m().wide_length(from, u64::MAX)?;
        h.m().wide_copy(to.offset(4 * end), from, n + 1)?;
        Ok(Value::Scalar(to))
    }),
    ("wcscmp", |h, a| compare(h.m(), a, u64::MAX, false)),
    ("wcsncmp", |h, a| compare(h.m(), a, a.u64(2)?, false)),
    ("wmemcmp", |h, a| compare(h.m(), a, a.u64(2)?, true)),
    ("wcschr", |h, a| {
        let n = h.m().wide_length(a.at(0)?, u64::MAX)?;
        find(h.m(), a.at(0)?, a.int(1)?, n + 1)
    }),
    ("wmemchr", |h, a| {
        find(h.m(), a.at(0)?, a.int(1)?, a.u64(2)?)
    }),
    ("wmemcpy", |h, a| {
        h.m().wide_copy(a.at(0)?, a.at(1)?, a.u64(2)?)?;
        Ok(Value::Scalar(a.at(0)?))
    }),
    ("wmemmove", |h, a| {
        h.m().wide_copy(a.at(0)?, a.at(1)?, a.u64(2)?)?;
        Ok(Value::Scalar(a.at(0)?))
    }),
    ("wmemset", |h, a| {
        let (to, c) = (a.at(0)?, a.int(1)?);
        for i in 0..a.u64(2)? {
            h.m().set_wide(to, i, c)?;
        }
        Ok(Value::Scalar(to))
    }),
];
