//! The scanf family.

use super::number::{parse_float, parse_integer};
use super::stdio::File;
use super::{Args, Table, VarArgs};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Scalar, Value};
use crate::x87::X87;

/// Where the characters come from.
enum Source {
    Input,
    Text { bytes: Vec<u8>, at: usize },
}

struct Scanner<'m, 'p> {
    m: &'m mut Machine<'p>,
    source: Source,
    taken: u64,
}

impl Scanner<'_, '_> {
    fn peek(&mut self) -> Option<u8> {
        match &self.source {
            Source::Input => self.m.io.peek(),
            Source::Text { bytes, at } => bytes.get(*at).copied(),
        }
    }

    fn next(&mut self) {
        self.taken += 1;
        match &mut self.source {
            Source::Input => {
                self.m.io.get();
            }
            Source::Text { at, .. } => *at += 1,
        }
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|c| matches!(c, b' ' | 9..=13)) {
            self.next();
        }
    }

    /// Takes characters while they are wanted.
    fn take(&mut self, max: usize, mut want: impl FnMut(&[u8], u8) -> bool) -> Vec<u8> {
        let mut text = Vec::new();
        while text.len() < max {
            match self.peek() {
                Some(c) if want(&text, c) => {
                    text.push(c);
                    self.next();
                }
                _ => break,
            }
        }
        text
    }
}

/// Can the text go on with this character and still be (the start of) a number?
fn integer_goes_on(text: &[u8], c: u8, base: u32) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+"));
    let digits = digits.unwrap_or(text);
    match c {
        b'+' | b'-' => text.is_empty(),
        b'x' | b'X' => (base == 16 || base == 0) && digits == b"0",
        _ => {
            let base = match base {
                0 if digits.starts_with(b"0x") || digits.starts_with(b"0X") => 16,
                0 if digits.starts_with(b"0") => 8,
                0 => 10,
                b => b,
            };
            (c as char).is_digit(base)
        }
    }
}

fn float_goes_on(text: &[u8], c: u8) -> bool {
    match c {
        b'0'..=b'9' => true,
        b'+' | b'-' => text.is_empty() || matches!(text.last(), Some(b'e' | b'E')),
        b'.' => !text.contains(&b'.'),
        b'e' | b'E' => {
            text.iter().any(u8::is_ascii_digit) && !text.iter().any(|c| matches!(c, b'e' | b'E'))
        }
        b'i' | b'n' | b'f' | b'a' | b't' | b'y' | b'I' | b'N' | b'F' | b'A' => {
            !text.iter().any(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// The set of `%[...]`; leaves `i` behind the bracket.
fn char_set(fmt: &[u8], i: &mut usize) -> [bool; 256] {
    let negated = fmt.get(*i) == Some(&b'^');
    if negated {
        *i += 1;
    }
    let mut set = [negated; 256];
    let start = *i;
    while let Some(&c) = fmt.get(*i) {
        if c == b']' && *i > start {
            break;
        }
        let range = fmt.get(*i + 1) == Some(&b'-');
        let last = match fmt.get(*i + 2) {
            Some(&end) if range && end != b']' && end >= c => {
                *i += 2;
                end
            }
            _ => c,
        };
        for b in c..=last {
            set[b as usize] = !negated;
        }
        *i += 1;
    }
    *i += 1;
    set
}

fn scan(
    m: &mut Machine<'_>,
    source: Source,
    fmt: Scalar,
    mut args: VarArgs<'_>,
) -> Result<Value, Ctl> {
    let fmt = m.read_str(fmt)?;
    let mut s = Scanner {
        m,
        source,
        taken: 0,
    };
    let mut assigned = 0;
    let mut i = 0;
    // EOF before the first conversion is a failure of its own.
    let end = |s: &mut Scanner<'_, '_>, assigned: i32| {
        if assigned == 0 && s.peek().is_none() {
            -1
        } else {
            assigned
        }
    };
    while let Some(&f) = fmt.get(i) {
        i += 1;
        if matches!(f, b' ' | 9..=13) {
            s.skip_space();
            continue;
        }
        if f != b'%' || fmt.get(i) == Some(&b'%') {
            if f == b'%' {
                i += 1;
                s.skip_space();
            }
            if s.peek() != Some(f) {
                return Ok(Value::i32(end(&mut s, assigned)));
            }
            s.next();
            continue;
        }
        let store = fmt.get(i) != Some(&b'*');
        if !store {
            i += 1;
        }
        let mut width = 0usize;
        while let Some(d) = fmt.get(i).filter(|c| c.is_ascii_digit()) {
            width = (width * 10 + usize::from(d - b'0')).min(1 << 20);
            i += 1;
        }
        let max = if width == 0 { usize::MAX } else { width };
        let mut size = 4;
        while let Some(c) = fmt.get(i) {
            size = match (c, size) {
                (b'h', 2) => 1,
                (b'h', _) => 2,
                (b'l' | b'q' | b'j' | b'z' | b't', _) => 8,
                (b'L', _) => 16,
                _ => break,
            };
            i += 1;
        }
        let conversion = fmt.get(i).copied().unwrap_or(0);
        i += 1;
        if conversion == b'n' {
            let to = args.scalar(s.m)?;
            let taken = s.taken;
            s.m.write_word(to, size.min(8), taken)?;
            continue;
        }
        if !matches!(conversion, b'c' | b'[') {
            s.skip_space();
        }
        if s.peek().is_none() {
            return Ok(Value::i32(if assigned == 0 { -1 } else { assigned }));
        }
        match conversion {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => {
                let base = match conversion {
                    b'd' | b'u' => 10,
                    b'i' => 0,
                    b'o' => 8,
                    _ => 16,
                };
                let text = s.take(max, |t, c| integer_goes_on(t, c, base));
                let n = parse_integer(&text, base);
                if n.used == 0 {
                    return Ok(Value::i32(assigned));
                }
                if store {
                    let bits = if n.negative {
                        n.magnitude.wrapping_neg()
                    } else {
                        n.magnitude
                    };
                    let size = if conversion == b'p' { 8 } else { size.min(8) };
                    let to = args.scalar(s.m)?;
                    s.m.write_word(to, size, bits)?;
                    assigned += 1;
                }
            }
            b'f' | b'e' | b'g' | b'a' | b'E' | b'G' | b'F' => {
                let text = s.take(max, float_goes_on);
                let (x, used) = parse_float(&text);
                if used == 0 {
                    return Ok(Value::i32(assigned));
                }
                if store {
                    let to = args.scalar(s.m)?;
                    match size {
                        16 => {
                            s.m.write_bytes(to, &X87::from_f64(x).0.to_le_bytes()[..10])?
                        }
                        8 => s.m.write_word(to, 8, x.to_bits())?,
                        _ => s.m.write_word(to, 4, u64::from((x as f32).to_bits()))?,
                    }
                    assigned += 1;
                }
            }
            b's' | b'[' | b'c' => {
                let text = match conversion {
                    b's' => s.take(max, |_, c| !matches!(c, b' ' | 9..=13)),
                    b'c' => {
                        let count = width.max(1);
                        let text = s.take(count, |_, _| true);
                        if text.len() < count {
                            return Ok(Value::i32(if assigned == 0 { -1 } else { assigned }));
                        }
                        text
                    }
                    _ => {
                        let set = char_set(&fmt, &mut i);
                        let text = s.take(max, |_, c| set[c as usize]);
                        if text.is_empty() {
                            return Ok(Value::i32(assigned));
                        }
                        text
                    }
                };
                if store {
                    let to = args.scalar(s.m)?;
                    s.m.write_bytes(to, &text)?;
                    if conversion != b'c' {
                        s.m.write_word(to.offset(text.len() as u64), 1, 0)?;
                    }
                    assigned += 1;
                }
            }
            _ => return Ok(Value::i32(assigned)),
        }
    }
    Ok(Value::i32(assigned))
}

fn rest(args: &[Value], from: usize) -> VarArgs<'_> {
    VarArgs::Values(args.get(from..).unwrap_or_default())
}

fn text(m: &Machine<'_>, p: Scalar) -> Result<Source, Ctl> {
    Ok(Source::Text {
        bytes: m.read_str(p)?,
        at: 0,
    })
}

fn stream(m: &Machine<'_>, p: Scalar) -> Result<Source, Ctl> {
    Ok(match m.file(p)? {
        File::In => Source::Input,
        File::Write(_) | File::Null => Source::Text {
            bytes: Vec::new(),
            at: 0,
        },
    })
}

pub(super) const TABLE: Table = &[
    ("scanf", |h, a| {
        scan(h.m(), Source::Input, a.at(0)?, rest(a, 1))
    }),
    ("vscanf", |h, a| {
        scan(h.m(), Source::Input, a.at(0)?, VarArgs::List(a.at(1)?))
    }),
    ("fscanf", |h, a| {
        let source = stream(h.m(), a.at(0)?)?;
        scan(h.m(), source, a.at(1)?, rest(a, 2))
    }),
    ("vfscanf", |h, a| {
        let source = stream(h.m(), a.at(0)?)?;
        scan(h.m(), source, a.at(1)?, VarArgs::List(a.at(2)?))
    }),
    ("sscanf", |h, a| {
        let source = text(h.m(), a.at(0)?)?;
        scan(h.m(), source, a.at(1)?, rest(a, 2))
    }),
    ("vsscanf", |h, a| {
        let source = text(h.m(), a.at(0)?)?;
        scan(h.m(), source, a.at(1)?, VarArgs::List(a.at(2)?))
    }),
];
