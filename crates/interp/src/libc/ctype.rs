//! `<ctype.h>` in the C locale, and the tables that its macros read.

use super::{Args, Host, Table};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Scalar, Value};

fn test(a: &[Value], f: fn(u8) -> bool) -> Result<Value, Ctl> {
    let c = a.int(0)?;
    let on = u8::try_from(c).is_ok_and(f);
    Ok(Value::i32(on as i32))
}

fn is_space(c: u8) -> bool {
    matches!(c, b' ' | 9..=13)
}

fn is_print(c: u8) -> bool {
    (32..127).contains(&c)
}

/// glibc's bits: upper 1, lower 2, alpha 4, digit 8, xdigit 16, space 32, print 64, graph 128 in the
/// high byte on a little-endian machine; blank 1, cntrl 2, punct 4, alnum 8 in the low one.
fn classes(c: u8) -> u16 {
    let bit = |on: bool, bit: u16| if on { bit } else { 0 };
    bit(c.is_ascii_uppercase(), 1 << 8)
        | bit(c.is_ascii_lowercase(), 1 << 9)
        | bit(c.is_ascii_alphabetic(), 1 << 10)
        | bit(c.is_ascii_digit(), 1 << 11)
        | bit(c.is_ascii_hexdigit(), 1 << 12)
        | bit(is_space(c), 1 << 13)
        | bit(is_print(c), 1 << 14)
        | bit(c.is_ascii_graphic(), 1 << 15)
        | bit(c == b' ' || c == b'\t', 1)
        | bit(c.is_ascii_control(), 2)
        | bit(c.is_ascii_punctuation(), 4)
        | bit(c.is_ascii_alphanumeric(), 8)
}

impl Machine<'_> {
    /// A pointer to a pointer to entry 0 of a table for -128..=255.
    fn ctype_table(&mut self, which: usize, size: usize) -> Result<Value, Ctl> {
        if let Some(Some(p)) = self.lib.ctype.get(which) {
            return Ok(Value::Scalar(*p));
        }
        let table = self.new_static(384 * size as u64)?;
        for i in 0..384u64 {
            let c = i as i64 - 128;
            let byte = u8::try_from(c).ok();
            let bits = match which {
                0 => byte.map_or(0, |c| u64::from(classes(c))),
                1 => byte.map_or(c as u64, |c| u64::from(c.to_ascii_lowercase())),
                _ => byte.map_or(c as u64, |c| u64::from(c.to_ascii_uppercase())),
            };
            self.write_word(table.offset(i * size as u64), size, bits)?;
        }
        let pointer = self.new_static(8)?;
        self.write_scalar(pointer, 8, table.offset(128 * size as u64))?;
        if let Some(slot) = self.lib.ctype.get_mut(which) {
            *slot = Some(pointer);
        }
        Ok(Value::Scalar(pointer))
    }
}

fn map(a: &[Value], f: fn(&u8) -> u8) -> Result<Value, Ctl> {
    let c = a.int(0)?;
    Ok(Value::i32(match u8::try_from(c) {
        Ok(b) => i32::from(f(&b)),
        Err(_) => c,
    }))
}

pub(super) const TABLE: Table = &[
    ("isalpha", |_, a| test(a, |c| c.is_ascii_alphabetic())),
    ("isdigit", |_, a| test(a, |c| c.is_ascii_digit())),
    ("isalnum", |_, a| test(a, |c| c.is_ascii_alphanumeric())),
    ("isspace", |_, a| test(a, is_space)),
    ("isblank", |_, a| test(a, |c| c == b' ' || c == b'\t')),
    ("isupper", |_, a| test(a, |c| c.is_ascii_uppercase())),
    ("islower", |_, a| test(a, |c| c.is_ascii_lowercase())),
    ("ispunct", |_, a| test(a, |c| c.is_ascii_punctuation())),
    ("isprint", |_, a| test(a, is_print)),
    ("isgraph", |_, a| test(a, |c| c.is_ascii_graphic())),
    ("iscntrl", |_, a| test(a, |c| c.is_ascii_control())),
    ("isxdigit", |_, a| test(a, |c| c.is_ascii_hexdigit())),
    ("isascii", |_, a| test(a, |c| c.is_ascii())),
    ("toupper", |_, a| map(a, u8::to_ascii_uppercase)),
    ("tolower", |_, a| map(a, u8::to_ascii_lowercase)),
    ("toascii", |_, a| map(a, |c| c & 127)),
    ("__ctype_b_loc", |h: &mut dyn Host<'_>, _| {
        h.m().ctype_table(0, 2)
    }),
    ("__ctype_tolower_loc", |h, _| h.m().ctype_table(1, 4)),
    ("__ctype_toupper_loc", |h, _| h.m().ctype_table(2, 4)),
    ("__ctype_get_mb_cur_max", |_, _| Ok(Value::int(1))),
    ("setlocale", |h, _| {
        let m = h.m();
        let p: Scalar = m.new_string(b"C")?;
        Ok(Value::Scalar(p))
    }),
];
