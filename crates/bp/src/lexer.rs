//! From text to words. Comments are `// …` and `/* … */`. A name may be any text in braces: `{x > 0}`.

use crate::ast::{Error, Place};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Number,
    Symbol,
    End,
}

/// A word of the text, and where it begins and ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub place: Place,
    pub offset: usize,
}

const BOM: char = '\u{feff}';

/// The longest come first.
const SYMBOLS: &[&str] = &[
    "<=>", ":=", "&&", "||", "==", "!=", "=>", "->", "(", ")", "[", "]", "<", ">", ",", ";", ":",
    "&", "|", "^", "=", "!", "~", "*", "?", "'",
];

pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Error> {
    let mut all = Vec::new();
    let mut lexer = Lexer {
        text,
        // Editors of Windows begin a file with a byte order mark, which is no part of the text.
        offset: if text.starts_with(BOM) {
            BOM.len_utf8()
        } else {
            0
        },
        place: Place { line: 1, column: 1 },
    };
    loop {
        lexer.blank()?;
        let token = lexer.token()?;
        let end = token.kind == Kind::End;
        all.push(token);
        if end {
            return Ok(all);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    offset: usize,
    place: Place,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> &'t str {
        let taken = self.rest().get(..length).unwrap_or_default();
        for c in taken.chars() {
            if c == '\n' {
                self.place.line = self.place.line.saturating_add(1);
                self.place.column = 1;
            } else {
                self.place.column = self.place.column.saturating_add(1);
            }
        }
        self.offset += taken.len();
        taken
    }

    fn blank(&mut self) -> Result<(), Error> {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start().len();
            if spaces > 0 {
                self.take(spaces);
            } else if rest.starts_with("//") {
                self.take(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    return Err(Error::new(
                        self.place,
                        "this comment has no end: expected `*/`",
                    ));
                };
                self.take(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token<'t>, Error> {
        let (place, offset, rest) = (self.place, self.offset, self.rest());
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '#' | '@');
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (kind, length) = match rest.chars().next() {
            None => (Kind::End, 0),
            Some('{') => match rest.find('}') {
                Some(end) => (Kind::Name, end + 1),
                None => {
                    return Err(Error::new(place, "this name has no end: expected `}`"));
                }
            },
            Some(c) if c.is_ascii_digit() => (Kind::Number, length),
            Some(_) if length > 0 => (Kind::Name, length),
            Some(c) => match SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                Some(symbol) => (Kind::Symbol, symbol.len()),
                None => {
                    return Err(Error::new(
                        place,
                        format!("unexpected `{}`", c.escape_default()),
                    ));
                }
            },
        };
        let text = self.take(length);
        Ok(Token {
            kind,
            text,
            place,
            offset,
        })
    }
}
