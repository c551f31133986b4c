//! The small languages in the strings of a model: what a call gives, how many bytes.
//!
//! ```text
//! gives:  anything | pointer | pointer or null | same pointer | arg N | strlen(N) | wcslen(N) | bytes behind arg N
//!         memory(SIZE) [zeroed] [or null] | memory [or null] | number RANGE | input RANGE
//! RANGE:  LOW..HIGH | LOW.. | bool | char | unsigned char | short | unsigned short | int | unsigned int | long | unsigned long | length
//! SIZE:   PRODUCT + PRODUCT ...     PRODUCT: ATOM * ATOM ...
//! ATOM:   12 | arg N | strlen(N) | wcslen(N) | wchar | formatted | unbounded | least(SIZE, SIZE) | (SIZE)
//! ```

use crate::function::{Gives, Size};

/// Bounds of what programs can have.
pub struct Longest;

impl Longest {
    /// No object is longer than the part of the address space that programs have: sums of a few lengths do not wrap.
    pub const OBJECT: i64 = 1 << 47;
}

/// Bytes of a `wchar_t`.
const WIDE: u64 = 4;

/// Why a text is none of these languages.
pub type Wrong = String;

pub(crate) fn gives(text: &str) -> Result<Gives, Wrong> {
    Ok(match text {
        "anything" => Gives::Anything,
        "pointer" => Gives::Pointer,
        "pointer or null" => Gives::PointerOrNull,
        "same pointer" => Gives::SamePointer,
        _ => {
            if let Some(range) = text.strip_prefix("number ") {
                let (low, high) = range_of(range)?;
                return Ok(Gives::Number(low, high));
            }
            if let Some(range) = text.strip_prefix("input ") {
                let (low, high) = range_of(range)?;
                return Ok(Gives::Input(low, high));
            }
            if let Some(rest) = text.strip_prefix("memory") {
                return memory(rest);
            }
            if let Some(at) = text.strip_prefix("bytes behind arg ") {
                return Ok(Gives::BytesBehind(position(at)?));
            }
            match size(text) {
                Ok(Size::Argument(n)) => Gives::Argument(n),
                Ok(Size::StringLength(n)) => Gives::StringLength(n),
                Ok(Size::WideLength(n)) => Gives::WideLength(n),
                _ => {
                    return Err(format!(
                        "`{text}` is nothing that a call gives; try \"anything\", \"pointer or null\", \"number 0..\", \"memory(arg 0) or null\" or \"arg 0\""
                    ));
                }
            }
        }
    })
}

fn memory(rest: &str) -> Result<Gives, Wrong> {
    let mut rest = rest.trim_start();
    let or_null = rest.strip_suffix("or null");
    if let Some(before) = or_null {
        rest = before.trim_end();
    }
    let zeroed = rest.strip_suffix("zeroed");
    if let Some(before) = zeroed {
        rest = before.trim_end();
    }
    let size = match rest {
        "" => None,
        _ => Some(size(rest)?),
    };
    Ok(Gives::Memory {
        size,
        zeroed: zeroed.is_some(),
        or_null: or_null.is_some(),
    })
}

fn range_of(text: &str) -> Result<(i64, i64), Wrong> {
    let of_type = |bits: u32, signed: bool| match (bits, signed) {
        (64, false) => (0, i64::MAX),
        (64, true) => (i64::MIN, i64::MAX),
        (bits, false) => (0, (1 << bits) - 1),
        (bits, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    };
    Ok(match text {
        "bool" => (0, 1),
        "char" => of_type(8, true),
        "unsigned char" => of_type(8, false),
        "short" => of_type(16, true),
        "unsigned short" => of_type(16, false),
        "int" => of_type(32, true),
        "unsigned int" => of_type(32, false),
        "long" => of_type(64, true),
        // Beyond the largest `long` nothing is told apart.
        "unsigned long" => of_type(64, false),
        "length" => (0, Longest::OBJECT),
        _ => {
            let wrong =
                || format!("`{text}` is no range; try \"0..255\", \"0..\", \"int\" or \"length\"");
            let (low, high) = text.split_once("..").ok_or_else(wrong)?;
            let low: i64 = low.trim().parse().map_err(|_| wrong())?;
            let high: i64 = match high.trim() {
                "" => i64::MAX,
                high => high.parse().map_err(|_| wrong())?,
            };
            if low > high {
                return Err(format!("`{text}` is empty"));
            }
            (low, high)
        }
    })
}

fn position(text: &str) -> Result<usize, Wrong> {
    let text = text.trim();
    let position: usize = text
        .parse()
        .map_err(|_| format!("`{text}` is no position of an argument (the first is 0)"))?;
    match position < MOST_ARGUMENTS {
        true => Ok(position),
        false => Err(format!("no function has an argument {position}")),
    }
}

/// Positions beyond are a mistake.
pub(crate) const MOST_ARGUMENTS: usize = 64;

pub(crate) fn size(text: &str) -> Result<Size, Wrong> {
    let mut reader = Reader {
        rest: text,
        depth: 0,
    };
    let size = reader.sum()?;
    match reader.rest.trim_start() {
        "" => Ok(size),
        rest => Err(format!("`{rest}` behind the size")),
    }
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn sum(&mut self) -> Result<Size, Wrong> {
        let mut all = self.product()?;
        while self.take("+") {
            all = Size::Sum(Box::new(all), Box::new(self.product()?));
        }
        Ok(all)
    }

    fn product(&mut self) -> Result<Size, Wrong> {
        let mut all = self.atom()?;
        while self.take("*") {
            all = Size::Product(Box::new(all), Box::new(self.atom()?));
        }
        Ok(all)
    }

    fn atom(&mut self) -> Result<Size, Wrong> {
        if self.take("(") {
            self.depth += 1;
            if self.depth > 8 {
                return Err("too many parentheses".to_string());
            }
            let inner = self.sum()?;
            self.expect(")")?;
            self.depth -= 1;
            return Ok(inner);
        }
        if let Some(number) = self.number() {
            return number.map(Size::Constant);
        }
        let word = self.word();
        Ok(match word {
            "arg" => Size::Argument(self.position()?),
            "strlen" => Size::StringLength(self.in_parentheses()?),
            "wcslen" => Size::WideLength(self.in_parentheses()?),
            "wchar" => Size::Constant(WIDE),
            "formatted" => Size::Formatted,
            "unbounded" => Size::Unbounded,
            "least" => {
                self.expect("(")?;
                self.depth += 1;
                if self.depth > 8 {
                    return Err("too many parentheses".to_string());
                }
                let a = self.sum()?;
                self.expect(",")?;
                let b = self.sum()?;
                self.expect(")")?;
                self.depth -= 1;
                Size::Least(Box::new(a), Box::new(b))
            }
            "" => {
                return Err(match self.rest.trim_start().chars().next() {
                    None => "a size is missing at the end".to_string(),
                    Some(c) => format!("`{c}` is no size"),
                });
            }
            word => {
                return Err(format!(
                    "`{word}` is no size; try a number, \"arg 2\", \"arg 0 * arg 1\" or \"strlen(1) + 1\""
                ));
            }
        })
    }

    fn in_parentheses(&mut self) -> Result<usize, Wrong> {
        self.expect("(")?;
        let at = self.position()?;
        self.expect(")")?;
        Ok(at)
    }

    fn position(&mut self) -> Result<usize, Wrong> {
        let end = self.skip(|c| c.is_ascii_digit());
        position(end)
    }

    fn number(&mut self) -> Option<Result<u64, Wrong>> {
        let digits = self.skip(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return None;
        }
        let number = digits.parse::<u32>().map(u64::from);
        Some(number.map_err(|_| format!("`{digits}` is too large")))
    }

    fn word(&mut self) -> &'t str {
        self.skip(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn skip(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let (found, rest) = rest.split_at(end);
        self.rest = rest;
        found
    }

    fn take(&mut self, what: &str) -> bool {
        match self.rest.trim_start().strip_prefix(what) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, what: &str) -> Result<(), Wrong> {
        match self.take(what) {
            true => Ok(()),
            false => Err(format!("`{what}` is missing in a size")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let said = |text| size(text).map(|size| format!("{size:?}"));
        let ok = |text: &str| Ok(text.to_string());
        assert_eq!(said("12"), ok("Constant(12)"));
        assert_eq!(
            said("strlen(1) + 1"),
            ok("Sum(StringLength(1), Constant(1))")
        );
        assert_eq!(
            said("arg 0 * arg 1 + least(arg 2, strlen(1))"),
            ok("Sum(Product(Argument(0), Argument(1)), Least(Argument(2), StringLength(1)))")
        );
        assert_eq!(
            said("(wcslen(1)+1)*wchar"),
            ok("Product(Sum(WideLength(1), Constant(1)), Constant(4))")
        );
        for wrong in [
            "",
            "arg",
            "arg x",
            "arg 99",
            "1 +",
            "strlen 1",
            "strlen(1",
            "1 1",
            "pages",
            "é",
            "99999999999",
            "((((((((((1))))))))))",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_calls_give() {
        assert_eq!(gives("input -1..255"), Ok(Gives::Input(-1, 255)));
        assert_eq!(gives("number 0.."), Ok(Gives::Number(0, i64::MAX)));
        assert_eq!(gives("input unsigned short"), Ok(Gives::Input(0, 65535)));
        assert_eq!(gives("arg 1"), Ok(Gives::Argument(1)));
        assert_eq!(gives("strlen(0)"), Ok(Gives::StringLength(0)));
        assert_eq!(
            gives("memory(arg 0 * arg 1) zeroed or null"),
            Ok(Gives::Memory {
                size: size("arg 0 * arg 1").ok(),
                zeroed: true,
                or_null: true
            })
        );
        assert_eq!(
            gives("memory or null"),
            Ok(Gives::Memory {
                size: None,
                zeroed: false,
                or_null: true
            })
        );
        for wrong in ["nothing", "number 5..1", "arg", "memory(", "12", "input "] {
            assert!(gives(wrong).is_err(), "{wrong}");
        }
    }
}
