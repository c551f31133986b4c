//! Numbers from text, and pseudo-random numbers.

use super::{Args, Host, Table};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Scalar, Value, Wide};
use crate::x87::X87;

const ERANGE: u32 = 34;
const EINVAL: u32 = 22;

/// glibc's `rand`: the additive feedback generator of degree 31.
#[derive(Clone)]
pub(crate) struct Rand {
    state: Vec<i32>,
    front: usize,
    rear: usize,
}

impl Default for Rand {
    fn default() -> Self {
        Rand::new(1)
    }
}

impl Rand {
    pub fn new(seed: u32) -> Rand {
        let mut state = Vec::with_capacity(31);
        let mut word = if seed == 0 { 1 } else { seed as i32 };
        state.push(word);
        for _ in 1..31 {
            let (high, low) = (word / 127_773, word % 127_773);
            word = 16_807i32
                .wrapping_mul(low)
                .wrapping_sub(2_836i32.wrapping_mul(high));
            if word < 0 {
                word = word.wrapping_add(i32::MAX);
            }
            state.push(word);
        }
        let mut rand = Rand {
            state,
            front: 3,
            rear: 0,
        };
        for _ in 0..310 {
            rand.next();
        }
        rand
    }

    pub fn next(&mut self) -> i32 {
        let sum = self.state[self.front].wrapping_add(self.state[self.rear]);
        self.state[self.front] = sum;
        self.front = (self.front + 1) % 31;
        self.rear = (self.rear + 1) % 31;
        (sum as u32 >> 1) as i32
    }
}

/// An integer at the start of a text: magnitude, sign, bytes used (0: none), too large.
pub(super) struct Integer {
    pub magnitude: u64,
    pub negative: bool,
    pub used: usize,
    pub overflow: bool,
}

pub(super) fn parse_integer(text: &[u8], base: u32) -> Integer {
    let mut i = text
        .iter()
        .take_while(|c| matches!(c, b' ' | 9..=13))
        .count();
    let negative = text.get(i) == Some(&b'-');
    if matches!(text.get(i), Some(b'-' | b'+')) {
        i += 1;
    }
    let digit = |i: usize, base: u32| text.get(i).and_then(|&c| (c as char).to_digit(base));
    let mut base = base;
    let hex = text.get(i) == Some(&b'0') && matches!(text.get(i + 1), Some(b'x' | b'X'));
    if (base == 0 || base == 16) && hex && digit(i + 2, 16).is_some() {
        i += 2;
        base = 16;
    } else if base == 0 {
        base = if text.get(i) == Some(&b'0') { 8 } else { 10 };
    }
    let start = i;
    let mut magnitude = 0u64;
    let mut overflow = false;
    while let Some(d) = digit(i, base.clamp(2, 36)) {
        let next = magnitude
            .checked_mul(u64::from(base))
            .and_then(|m| m.checked_add(u64::from(d)));
        overflow |= next.is_none();
        magnitude = next.unwrap_or(u64::MAX);
        i += 1;
    }
    Integer {
        magnitude,
        negative,
        used: if i == start { 0 } else { i },
        overflow,
    }
}

/// A number with point and exponent at the start of a text, and the bytes used (0: none).
pub(super) fn parse_float(text: &[u8]) -> (f64, usize) {
    let skip = text
        .iter()
        .take_while(|c| matches!(c, b' ' | 9..=13))
        .count();
    let mut i = skip;
    let negative = text.get(i) == Some(&b'-');
    if matches!(text.get(i), Some(b'-' | b'+')) {
        i += 1;
    }
    let rest = text.get(i..).unwrap_or_default();
    let starts = |word: &str| {
        rest.get(..word.len())
            .is_some_and(|r| r.eq_ignore_ascii_case(word.as_bytes()))
    };
    let (magnitude, used) = if starts("infinity") {
        (f64::INFINITY, 8)
    } else if starts("inf") {
        (f64::INFINITY, 3)
    } else if starts("nan") {
        (f64::NAN, 3)
    } else if starts("0x") {
        hex_float(rest)
    } else {
        decimal(rest)
    };
    if used == 0 {
        return (0.0, 0);
    }
    let x = if negative { -magnitude } else { magnitude };
    (x, i + used)
}

fn decimal(text: &[u8]) -> (f64, usize) {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().take_while(|c| c.is_ascii_digit()).count()
    };
    let whole = digits(0);
    let mut end = whole;
    let mut fraction = 0;
    if text.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return (0.0, 0);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'-' | b'+')));
        let n = digits(end + 1 + sign);
        if n > 0 {
            end += 1 + sign + n;
        }
    }
    let text = std::str::from_utf8(text.get(..end).unwrap_or_default()).unwrap_or("0");
    (text.parse().unwrap_or(0.0), end)
}

fn hex_float(text: &[u8]) -> (f64, usize) {
    let mut i = 2;
    let (mut mant, mut exp, mut any, mut point) = (0u64, 0i32, false, false);
    loop {
        match text.get(i) {
            Some(b'.') if !point => point = true,
            Some(&c) => match (c as char).to_digit(16) {
                Some(d) => {
                    any = true;
                    if mant >> 58 == 0 {
                        mant = mant << 4 | u64::from(d);
                        exp -= if point { 4 } else { 0 };
                    } else {
                        // Only that something is there matters for rounding.
                        mant |= u64::from(d != 0);
                        exp += if point { 0 } else { 4 };
                    }
                }
                None => break,
            },
            None => break,
        }
        i += 1;
    }
    if !any {
        return (0.0, 1);
    }
    if matches!(text.get(i), Some(b'p' | b'P')) {
        let sign = usize::from(matches!(text.get(i + 1), Some(b'-' | b'+')));
        let start = i + 1 + sign;
        let end = start
            + text
                .get(start..)
                .unwrap_or_default()
                .iter()
                .take_while(|c| c.is_ascii_digit())
                .count();
        if end > start {
            let digits = text.get(start..end).unwrap_or_default();
            let n = digits.iter().fold(0i32, |n, d| {
                n.saturating_mul(10).saturating_add(i32::from(d - b'0'))
            });
            let n = n.min(100_000);
            exp += if text.get(i + 1) == Some(&b'-') {
                -n
            } else {
                n
            };
            i = end;
        }
    }
    let x = mant as f64;
    (x * 2f64.powi(exp.clamp(-1200, 1200)), i)
}

impl Machine<'_> {
    fn string_to_int(&mut self, a: &[Value], signed: bool) -> Result<Value, Ctl> {
        let (p, end, base) = (a.at(0)?, a.at(1)?, a.int(2)?);
        let text = self.read_str(p)?;
        if base != 0 && !(2..=36).contains(&base) {
            self.set_errno(EINVAL)?;
            return Ok(Value::int(0));
        }
        let n = parse_integer(&text, base as u32);
        if end.bits != 0 {
            self.write_scalar(end, 8, p.offset(n.used as u64))?;
        }
        let limit = if n.negative { 1 << 63 } else { (1 << 63) - 1 };
        let too_large = n.overflow || signed && n.magnitude > limit;
        if too_large {
            self.set_errno(ERANGE)?;
            return Ok(Value::int(match (signed, n.negative) {
                (false, _) => u64::MAX,
                (true, true) => 1 << 63,
                (true, false) => limit,
            }));
        }
        Ok(Value::int(if n.negative {
            n.magnitude.wrapping_neg()
        } else {
            n.magnitude
        }))
    }

    fn string_to_float(&mut self, a: &[Value]) -> Result<f64, Ctl> {
        let (p, end) = (a.at(0)?, a.at(1)?);
        let text = self.read_str(p)?;
        let (x, used) = parse_float(&text);
        if end.bits != 0 {
            self.write_scalar(end, 8, p.offset(used as u64))?;
        }
        // Too large, or so small that digits were lost. (A hexadecimal number loses none.)
        let digits = text.get(..used).unwrap_or_default();
        let mantissa = digits.iter().take_while(|c| !matches!(c, b'e' | b'E'));
        let nonzero = mantissa.clone().any(|c| matches!(c, b'1'..=b'9'));
        let decimal = !digits.iter().any(|c| matches!(c, b'x' | b'X'));
        let lost = (x == 0.0 || x.is_subnormal()) && nonzero && decimal;
        if x.is_infinite() && digits.iter().any(u8::is_ascii_digit) || lost {
            self.set_errno(ERANGE)?;
        }
        Ok(x)
    }

    fn text_to_i64(&mut self, p: Scalar) -> Result<i64, Ctl> {
        let text = self.read_str(p)?;
        let n = parse_integer(&text, 10);
        let clamped = n.magnitude.min(i64::MAX as u64) as i64;
        Ok(if n.negative { -clamped } else { clamped })
    }
}

fn signed(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().string_to_int(a, true)
}

fn unsigned(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().string_to_int(a, false)
}

pub(super) const TABLE: Table = &[
    ("strtol", signed),
    ("strtoll", signed),
    ("strtoimax", signed),
    ("strtoq", signed),
    ("strtoul", unsigned),
    ("strtoull", unsigned),
    ("strtoumax", unsigned),
    ("strtouq", unsigned),
    ("strtod", |h, a| Ok(Value::f64(h.m().string_to_float(a)?))),
    ("strtof", |h, a| {
        Ok(Value::f32(h.m().string_to_float(a)? as f32))
    }),
    ("strtold", |h, a| {
        let x = h.m().string_to_float(a)?;
        Ok(Value::Wide(Wide::plain(X87::from_f64(x).0)))
    }),
    ("atoi", |h, a| {
        Ok(Value::i32(h.m().text_to_i64(a.at(0)?)? as i32))
    }),
    ("atol", |h, a| Ok(Value::i64(h.m().text_to_i64(a.at(0)?)?))),
    ("atoll", |h, a| Ok(Value::i64(h.m().text_to_i64(a.at(0)?)?))),
    ("atof", |h, a| {
        let text = h.m().read_str(a.at(0)?)?;
        Ok(Value::f64(parse_float(&text).0))
    }),
    ("rand", |h, _| Ok(Value::i32(h.m().lib.rand.next()))),
    ("random", |h, _| {
        Ok(Value::i64(i64::from(h.m().lib.rand.next())))
    }),
    ("srand", seed),
    ("srandom", seed),
];

fn seed(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let seed = a.int(0)? as u32;
    h.m().lib.rand = Rand::new(seed);
    Ok(Value::Void)
}
