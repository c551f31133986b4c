//! `printf` formatting, as glibc does it.

use super::VarArgs;
use crate::machine::Machine;
use crate::outcome::{Ctl, StuckReason};
use crate::value::Scalar;

mod float;

#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    alt: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Length {
    Char,
    Short,
    #[default]
    Int,
    Long,
    LongDouble,
}

/// Widths beyond this are a mistake that must not cost memory.
const MAX_WIDTH: usize = 1 << 20;

/// The formatted text.
pub(super) fn format(
    m: &mut Machine<'_>,
    fmt: Scalar,
    args: &mut VarArgs<'_>,
) -> Result<Vec<u8>, Ctl> {
    let fmt = m.read_str(fmt)?;
    let all = match args {
        VarArgs::Values(values) => Some(*values),
        VarArgs::List(_) => None,
    };
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(&b) = fmt.get(i) {
        i += 1;
        if b != b'%' {
            out.push(b);
            continue;
        }
        let start = i - 1;
        if let Some(n) = position(&fmt, &mut i) {
            let Some(all) = all else {
                return Err(Ctl::Stuck(StuckReason::Unsupported(
                    "numbered arguments in a va_list".into(),
                )));
            };
            *args = VarArgs::Values(all.get(n - 1..).unwrap_or_default());
        }
        let spec = parse(m, &fmt, &mut i, args)?;
        let conversion = fmt.get(i).copied().unwrap_or(0);
        i += 1;
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let bits = args.scalar(m)?.bits;
                let n = match spec.length {
                    Length::Char => i64::from(bits as i8),
                    Length::Short => i64::from(bits as i16),
                    Length::Int => i64::from(bits as i32),
                    _ => bits as i64,
                };
                let sign = sign_of(n < 0, &spec);
                integer(&mut out, &spec, sign, n.unsigned_abs().to_string(), n == 0);
            }
            b'u' | b'x' | b'X' | b'o' => {
                let bits = args.scalar(m)?.bits;
                let n = match spec.length {
                    Length::Char => bits & 0xFF,
                    Length::Short => bits & 0xFFFF,
                    Length::Int => bits & 0xFFFF_FFFF,
                    _ => bits,
                };
                unsigned(&mut out, spec, conversion, n);
            }
            b'p' => {
                let p = args.scalar(m)?.bits;
                if p == 0 {
                    pad(&mut out, &spec, "", b"(nil)", false);
                } else {
                    let text = format!("0x{p:x}");
                    pad(&mut out, &spec, "", text.as_bytes(), false);
                }
            }
            b's' if spec.length == Length::Long => {
                let p = args.scalar(m)?;
                let text = wide_text(m, p, spec.precision)?;
                pad(&mut out, &spec, "", &text, false);
            }
            b'c' => {
                let c = args.scalar(m)?.bits as u8;
                pad(&mut out, &spec, "", &[c], false);
            }
            b's' => {
                let p = args.scalar(m)?;
                let text = if p.bits == 0 {
                    b"(null)".to_vec()
                } else {
                    let max = spec.precision.map_or(u64::MAX, |n| n as u64);
                    let n = m.strnlen(p, max)?;
                    m.read_bytes(p, n)?
                };
                pad(&mut out, &spec, "", &text, false);
            }
            b'n' => {
                let p = args.scalar(m)?;
                let size = match spec.length {
                    Length::Char => 1,
                    Length::Short => 2,
                    Length::Int => 4,
                    _ => 8,
                };
                m.write_word(p, size, out.len() as u64)?;
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let x = if spec.length == Length::LongDouble {
                    float::Number::Extended(args.x87(m)?)
                } else {
                    float::Number::Double(f64::from_bits(args.scalar(m)?.bits))
                };
                float::print(&mut out, &spec, conversion, x);
            }
            b'm' => {
                let text = super::string::error_text(0);
                pad(&mut out, &spec, "", text.as_bytes(), false);
            }
            // Not a conversion: glibc prints it as it is.
            _ => out.extend_from_slice(fmt.get(start..i.min(fmt.len())).unwrap_or_default()),
        }
    }
    Ok(out)
}

/// `%2$s` takes the second argument: its number, which is at least 1.
fn position(fmt: &[u8], i: &mut usize) -> Option<usize> {
    let mut at = *i;
    let n = number(fmt, &mut at);
    if n == 0 || fmt.get(at) != Some(&b'$') {
        return None;
    }
    *i = at + 1;
    Some(n)
}

/// `%ls` in the C locale, which has ASCII only.
fn wide_text(m: &Machine<'_>, p: Scalar, max: Option<usize>) -> Result<Vec<u8>, Ctl> {
    let mut text = Vec::new();
    while max.is_none_or(|n| text.len() < n) {
        match m.read_word(p.offset(4 * text.len() as u64), 4)?.bits {
            0 => break,
            c @ 1..128 => text.push(c as u8),
            _ => {
                return Err(Ctl::Stuck(StuckReason::Unsupported(
                    "%ls of what is not ASCII".into(),
                )));
            }
        }
    }
    Ok(text)
}

fn parse(
    m: &mut Machine<'_>,
    fmt: &[u8],
    i: &mut usize,
    args: &mut VarArgs<'_>,
) -> Result<Spec, Ctl> {
    let mut spec = Spec::default();
    loop {
        match fmt.get(*i) {
            Some(b'-') => spec.minus = true,
            Some(b'+') => spec.plus = true,
            Some(b' ') => spec.space = true,
            Some(b'#') => spec.alt = true,
            Some(b'0') => spec.zero = true,
            Some(b'\'') => {}
            _ => break,
        }
        *i += 1;
    }
    if fmt.get(*i) == Some(&b'*') {
        *i += 1;
        let n = args.scalar(m)?.bits as i32;
        spec.minus |= n < 0;
        spec.width = (n.unsigned_abs() as usize).min(MAX_WIDTH);
    } else {
        spec.width = number(fmt, i);
    }
    if fmt.get(*i) == Some(&b'.') {
        *i += 1;
        if fmt.get(*i) == Some(&b'*') {
            *i += 1;
            let n = args.scalar(m)?.bits as i32;
            spec.precision = usize::try_from(n).ok().map(|n| n.min(MAX_WIDTH));
        } else {
            spec.precision = Some(number(fmt, i));
        }
    }
    loop {
        spec.length = match (fmt.get(*i), spec.length) {
            (Some(b'h'), Length::Short) => Length::Char,
            (Some(b'h'), _) => Length::Short,
            (Some(b'l' | b'z' | b'j' | b't' | b'q'), _) => Length::Long,
            (Some(b'L'), _) => Length::LongDouble,
            _ => break,
        };
        *i += 1;
    }
    Ok(spec)
}

fn number(fmt: &[u8], i: &mut usize) -> usize {
    let mut n = 0usize;
    while let Some(d) = fmt.get(*i).filter(|b| b.is_ascii_digit()) {
        n = (n * 10 + usize::from(d - b'0')).min(MAX_WIDTH);
        *i += 1;
    }
    n
}

fn sign_of(negative: bool, spec: &Spec) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn unsigned(out: &mut Vec<u8>, spec: Spec, conversion: u8, n: u64) {
    let (mut digits, prefix) = match conversion {
        b'x' => (format!("{n:x}"), "0x"),
        b'X' => (format!("{n:X}"), "0X"),
        b'o' => (format!("{n:o}"), ""),
        _ => (n.to_string(), ""),
    };
    let prefix = if spec.alt && n != 0 { prefix } else { "" };
    if conversion == b'o' && spec.alt && spec.precision.is_none_or(|p| p <= digits.len()) && n != 0
    {
        digits.insert(0, '0');
    }
    let empty = n == 0 && !(conversion == b'o' && spec.alt);
    integer(out, &spec, prefix, digits, empty);
}

/// Digits with precision, then padding. `zero`: precision 0 prints nothing.
fn integer(out: &mut Vec<u8>, spec: &Spec, prefix: &str, digits: String, zero: bool) {
    let digits = match spec.precision {
        Some(0) if zero => String::new(),
        Some(p) => format!("{digits:0>p$}"),
        None => digits,
    };
    // A precision switches zero padding off.
    pad(
        out,
        spec,
        prefix,
        digits.as_bytes(),
        spec.precision.is_none(),
    );
}

/// Prefix and text, padded to the width; zeros (if allowed) go between the two.
fn pad(out: &mut Vec<u8>, spec: &Spec, prefix: &str, text: &[u8], zeros: bool) {
    let missing = spec.width.saturating_sub(prefix.len() + text.len());
    let zeros = zeros && spec.zero && !spec.minus;
    if !spec.minus && !zeros {
        out.resize(out.len() + missing, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    if zeros {
        out.resize(out.len() + missing, b'0');
    }
    out.extend_from_slice(text);
    if spec.minus {
        out.resize(out.len() + missing, b' ');
    }
}
