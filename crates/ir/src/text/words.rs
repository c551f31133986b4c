//! The words of the text form: which are reserved, how odd names are quoted, how enums are spelled.
//!
//! Printer and parser both read these tables, so that neither can know a word the other does not.

use crate::expr::Intrinsic;
use crate::stmt::TrapReason;
use crate::types::FloatKind;

/// Words with a meaning wherever an expression or a type may stand. A variable or function that
/// bears one is written in backquotes. Statement words (`check`, `end`, …) are not among them:
/// what follows tells them from a variable of that name.
const RESERVED: &[&str] = &[
    "null",
    "undef",
    "true",
    "false",
    "as",
    "void",
    "bool",
    "struct",
    "union",
    "fn",
    "opaque",
    "x87",
    "unreachable",
    "call",
    "return",
];

/// Words that look like a call in an expression and are none.
pub const BUILTINS: &[&str] = &["overflow", "load", "typeid"];

/// Is this the name of a scalar type (`i32`, `u8`, `f64`, …)?
pub fn is_scalar_word(word: &str) -> bool {
    int_word(word).is_some() || float_word(word).is_some()
}

/// `i32` is (32, true), `bool` is (1, false).
pub fn int_word(word: &str) -> Option<(u16, bool)> {
    if word == "bool" {
        return Some((1, false));
    }
    let (signed, digits) = match (word.strip_prefix('i'), word.strip_prefix('u')) {
        (Some(d), _) => (true, d),
        (_, Some(d)) => (false, d),
        _ => return None,
    };
    if digits.is_empty() || digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let width = digits.parse().ok()?;
    Some((width, signed))
}

pub fn float_word(word: &str) -> Option<FloatKind> {
    Some(match word {
        "f16" => FloatKind::F16,
        "bf16" => FloatKind::BF16,
        "f32" => FloatKind::F32,
        "f64" => FloatKind::F64,
        "x87" => FloatKind::X87,
        "f128" => FloatKind::F128,
        _ => return None,
    })
}

pub fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::F16 => "f16",
        FloatKind::BF16 => "bf16",
        FloatKind::F32 => "f32",
        FloatKind::F64 => "f64",
        FloatKind::X87 => "x87",
        FloatKind::F128 => "f128",
    }
}

pub fn int_name(width: u16, signed: bool) -> String {
    match (width, signed) {
        (1, false) => "bool".to_string(),
        (w, true) => format!("i{w}"),
        (w, false) => format!("u{w}"),
    }
}

const INTRINSICS: &[(&str, Intrinsic)] = &[
    ("abs", Intrinsic::Abs),
    ("min", Intrinsic::Min),
    ("max", Intrinsic::Max),
    ("popcount", Intrinsic::PopCount),
    ("leading_zeros", Intrinsic::LeadingZeros),
    ("trailing_zeros", Intrinsic::TrailingZeros),
    ("byte_swap", Intrinsic::ByteSwap),
    ("bit_reverse", Intrinsic::BitReverse),
    ("funnel_left", Intrinsic::FunnelLeft),
    ("funnel_right", Intrinsic::FunnelRight),
    ("sat_add", Intrinsic::SatAdd),
    ("sat_sub", Intrinsic::SatSub),
    ("sqrt", Intrinsic::Sqrt),
    ("floor", Intrinsic::Floor),
    ("ceil", Intrinsic::Ceil),
    ("trunc", Intrinsic::Trunc),
    ("round", Intrinsic::Round),
    ("round_even", Intrinsic::RoundEven),
    ("copysign", Intrinsic::CopySign),
    ("fma", Intrinsic::Fma),
    ("sin", Intrinsic::Sin),
    ("cos", Intrinsic::Cos),
    ("exp", Intrinsic::Exp),
    ("exp2", Intrinsic::Exp2),
    ("log", Intrinsic::Log),
    ("log2", Intrinsic::Log2),
    ("log10", Intrinsic::Log10),
    ("pow", Intrinsic::Pow),
    ("ptr_mask", Intrinsic::PtrMask),
    ("bits", Intrinsic::Bits),
    ("volatile", Intrinsic::Volatile),
    ("is_class", Intrinsic::IsClass),
];

pub fn intrinsic_name(op: Intrinsic) -> &'static str {
    INTRINSICS
        .iter()
        .find(|(_, i)| *i == op)
        .map_or("unknown", |(n, _)| n)
}

pub fn intrinsic_word(word: &str) -> Option<Intrinsic> {
    INTRINSICS.iter().find(|(n, _)| *n == word).map(|&(_, i)| i)
}

/// Would `name(…)` in an expression be something other than a call?
pub fn is_builtin(word: &str) -> bool {
    BUILTINS.contains(&word) || intrinsic_word(word).is_some()
}

pub fn trap_name(reason: TrapReason) -> &'static str {
    match reason {
        TrapReason::Unreachable => "unreachable",
        TrapReason::Trap => "trap",
        TrapReason::ZeroDivisor => "zero_divisor",
        TrapReason::ShiftAmount => "shift_amount",
        TrapReason::Poison => "poison",
    }
}

pub fn trap_word(word: &str) -> Option<TrapReason> {
    [
        TrapReason::Unreachable,
        TrapReason::Trap,
        TrapReason::ZeroDivisor,
        TrapReason::ShiftAmount,
        TrapReason::Poison,
    ]
    .into_iter()
    .find(|&r| trap_name(r) == word)
}

/// May this byte start a plain identifier, or go on in one?
pub fn starts_identifier(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$'
}

pub fn continues_identifier(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$'
}

/// Length of the plain identifier that the text starts with. A dot belongs to it when a digit
/// follows: `i.1` is the second `i` of a function.
pub fn identifier_length(text: &[u8]) -> usize {
    if !text.first().copied().is_some_and(starts_identifier) {
        return 0;
    }
    let mut n = 1;
    loop {
        match text.get(n) {
            Some(&b) if continues_identifier(b) => n += 1,
            Some(b'.') if text.get(n + 1).is_some_and(u8::is_ascii_digit) => n += 2,
            _ => return n,
        }
    }
}

/// The name as it is written: plain, or in backquotes.
pub fn quote_name(name: &str) -> String {
    let plain = !name.is_empty() && identifier_length(name.as_bytes()) == name.len();
    if plain && !RESERVED.contains(&name) && !is_scalar_word(name) {
        name.to_string()
    } else {
        backquote(name)
    }
}

/// The name in backquotes, whatever it is.
pub fn backquote(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    out.push('`');
    for c in name.chars() {
        match c {
            '`' => out.push_str("\\`"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                out.push_str(&format!("\\x{:02x}", c as u32))
            }
            c => out.push(c),
        }
    }
    out.push('`');
    out
}

/// Is this rule id written without quotes: `use-after-free`?
pub fn is_plain_rule(rule: &str) -> bool {
    rule.split('-')
        .all(|part| !part.is_empty() && identifier_length(part.as_bytes()) == part.len())
}

/// Bytes as a string literal. Front ends name the global of a string literal by this form of its
/// text (without the closing zero).
pub fn quote_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for &b in bytes {
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            0x20..=0x7e => out.push(b as char),
            b => out.push_str(&format!("\\x{b:02x}")),
        }
    }
    out.push('"');
    out
}
