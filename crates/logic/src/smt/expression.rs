//! S-expressions, as solvers answer them. Whatever a broken solver prints, reading ends with
//! expressions or with an error, never with a panic: nesting is bounded, nothing recurses.

/// What a solver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A symbol or a literal, without the bars of `|quoted symbols|`.
    Atom(String),
    /// What stood between double quotes.
    Text(String),
    List(Vec<Expression>),
}

/// No answer to a question of ours is nested deeper than a few levels.
const DEEPEST: usize = 64;

impl Expression {
    pub fn as_atom(&self) -> Option<&str> {
        match self {
            Expression::Atom(atom) => Some(atom),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Expression]> {
        match self {
            Expression::List(list) => Some(list),
            _ => None,
        }
    }

    /// The message of `(error "…")`.
    pub fn as_error(&self) -> Option<&str> {
        match self.as_list()? {
            [head, rest @ ..] if head.as_atom() == Some("error") => match rest.first() {
                Some(Expression::Text(message)) => Some(message),
                _ => Some("an error without a message"),
            },
            _ => None,
        }
    }

    /// The value of a constant: `true`, `#b101`, `#x1f`, `(_ bv5 32)`. None if it is none, or has
    /// more than 128 bits.
    pub fn as_value(&self) -> Option<u128> {
        match self {
            Expression::Atom(atom) => {
                if let Some(digits) = atom.strip_prefix("#b") {
                    digits_of(digits, 2)
                } else if let Some(digits) = atom.strip_prefix("#x") {
                    digits_of(digits, 16)
                } else {
                    match atom.as_str() {
                        "true" => Some(1),
                        "false" => Some(0),
                        _ => None,
                    }
                }
            }
            Expression::List(list) => match list.as_slice() {
                [head, value, _] if head.as_atom() == Some("_") => {
                    digits_of(value.as_atom()?.strip_prefix("bv")?, 10)
                }
                _ => None,
            },
            Expression::Text(_) => None,
        }
    }
}

/// Unlike `from_str_radix`, no sign is read.
fn digits_of(digits: &str, radix: u32) -> Option<u128> {
    let all = digits.chars().all(|c| c.is_digit(radix));
    all.then(|| u128::from_str_radix(digits, radix).ok())?
}

/// All expressions of a text, one after the other.
pub fn read(text: &str) -> Result<Vec<Expression>, String> {
    let mut open: Vec<Vec<Expression>> = Vec::new();
    let mut done = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let expression = match c {
            _ if c.is_whitespace() => continue,
            ';' => {
                for c in chars.by_ref() {
                    if c == '\n' {
                        break;
                    }
                }
                continue;
            }
            '(' => {
                if open.len() == DEEPEST {
                    return Err("an answer that is nested too deeply".into());
                }
                open.push(Vec::new());
                continue;
            }
            ')' => match open.pop() {
                Some(list) => Expression::List(list),
                None => return Err("an answer with a stray `)`".into()),
            },
            '"' => {
                let mut string = String::new();
                loop {
                    match chars.next() {
                        None => return Err("an answer that ends within a string".into()),
                        // A doubled quote stands for one.
                        Some('"') if chars.peek() == Some(&'"') => {
                            chars.next();
                            string.push('"');
                        }
                        Some('"') => break,
                        Some(c) => string.push(c),
                    }
                }
                Expression::Text(string)
            }
            '|' => {
                let mut symbol = String::new();
                loop {
                    match chars.next() {
                        None => return Err("an answer that ends within a symbol".into()),
                        Some('|') => break,
                        Some(c) => symbol.push(c),
                    }
                }
                Expression::Atom(symbol)
            }
            _ => {
                let mut atom = String::from(c);
                while let Some(&c) = chars.peek() {
                    if c.is_whitespace() || "();\"|".contains(c) {
                        break;
                    }
                    atom.push(c);
                    chars.next();
                }
                Expression::Atom(atom)
            }
        };
        match open.last_mut() {
            Some(list) => list.push(expression),
            None => done.push(expression),
        }
    }
    if open.is_empty() {
        Ok(done)
    } else {
        Err("an answer that ends within an expression".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn answers_of_solvers() {
        let all =
            read("sat\n((x #x0000000a) (|y z| (_ bv12 32))) ; so be it\n(error \"a \"\"b\"\"\")")
                .unwrap();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].as_atom(), Some("sat"));
        let pairs = all[1].as_list().unwrap();
        assert_eq!(pairs[0].as_list().unwrap()[1].as_value(), Some(10));
        assert_eq!(pairs[1].as_list().unwrap()[0].as_atom(), Some("y z"));
        assert_eq!(pairs[1].as_list().unwrap()[1].as_value(), Some(12));
        assert_eq!(all[2].as_error(), Some("a \"b\""));
        assert_eq!(all[0].as_error(), None);
    }

    #[test]
    fn what_is_no_value() {
        for text in [
            "#b",
            "#b12",
            "#x+1",
            "(_ bv 3)",
            "(_ bv-1 3)",
            "7",
            "()",
            "\"1\"",
        ] {
            let all = read(text).unwrap();
            assert_eq!(all[0].as_value(), None, "{text}");
        }
        let wide = format!("#b{}", "1".repeat(129));
        assert_eq!(read(&wide).unwrap()[0].as_value(), None);
    }

    #[test]
    fn half_an_answer_is_an_error() {
        for text in ["(", "((x #x0)", "\"ab", "|ab", ")", "sat)"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"(".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn garbage_is_read_without_a_panic(text in "[()\"|; a#bx_0-9\n\\PC]{0,60}") {
            for e in read(&text).unwrap_or_default() {
                let _ = (e.as_value(), e.as_error());
            }
        }
    }
}
