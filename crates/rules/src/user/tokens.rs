//! From text to words. A comment is `# …` or `// …` to the end of the line, or `/* … */`.

use super::{Mistake, Place};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits and `_`; `-` within; `::` between; `*` for any letters.
    Name,
    Number,
    /// In quotes, which are no part of it.
    Text,
    Symbol,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub place: Place,
    /// Where it begins and ends, in bytes.
    pub start: usize,
    pub end: usize,
}

impl Token<'_> {
    pub fn is(&self, symbol: &str) -> bool {
        self.kind == Kind::Symbol && self.text == symbol
    }

    /// As a message calls it.
    pub fn shown(&self) -> String {
        match self.kind {
            Kind::End => "the end of the file".to_string(),
            Kind::Text => format!("the text \"{}\"", short(self.text)),
            _ => format!("`{}`", short(self.text)),
        }
    }
}

/// Not more of a word than a message can bear.
fn short(text: &str) -> String {
    const MOST: usize = 40;
    match text.chars().count() > MOST {
        true => text.chars().take(MOST).chain(['…']).collect(),
        false => text.to_string(),
    }
}

/// The longest come first.
const SYMBOLS: &[&str] = &[
    "...", "->", "==", "!=", "<=", ">=", "{", "}", "(", ")", ",", ":", "|", "=", "<", ">", "*", ";",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Mistake> {
    let mut lexer = Lexer {
        text,
        at: 0,
        place: Place { line: 1, column: 1 },
    };
    let mut all = Vec::new();
    loop {
        lexer.blank()?;
        let token = lexer.token()?;
        all.push(token);
        if token.kind == Kind::End {
            return Ok(all);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    place: Place,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> &'t str {
        let taken = self.rest().get(..length).unwrap_or_default();
        for c in taken.chars() {
            match c {
                '\n' => {
                    self.place.line = self.place.line.saturating_add(1);
                    self.place.column = 1;
                }
                _ => self.place.column = self.place.column.saturating_add(1),
            }
        }
        self.at += taken.len();
        taken
    }

    fn blank(&mut self) -> Result<(), Mistake> {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start().len();
            if spaces > 0 {
                self.take(spaces);
            } else if rest.starts_with("//") || rest.starts_with('#') {
                self.take(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => {
                        self.take(end + 2);
                    }
                    None => {
                        return Err(Mistake::new(
                            self.place,
                            "this comment has no end",
                            "close it with `*/`",
                        ));
                    }
                }
            } else if rest.starts_with('\u{feff}') {
                self.take('\u{feff}'.len_utf8());
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token<'t>, Mistake> {
        let (place, rest, mut start) = (self.place, self.rest(), self.at);
        let (kind, length) = match rest.chars().next() {
            None => (Kind::End, 0),
            Some('"') => {
                let inner = self.quoted(place, rest)?;
                self.take(1);
                start += 1;
                let text = self.take(inner);
                self.take(1);
                return Ok(Token {
                    kind: Kind::Text,
                    text,
                    place,
                    start,
                    end: start + inner,
                });
            }
            Some(c) if c.is_ascii_digit() => (Kind::Number, word(rest)),
            Some('-') if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                (Kind::Number, 1 + word(&rest[1..]))
            }
            Some('*') if rest[1..].starts_with(is_letter) => (Kind::Name, name(rest)),
            Some(c) if is_letter(c) => (Kind::Name, name(rest)),
            Some(c) => match SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                Some(symbol) => (Kind::Symbol, symbol.len()),
                None => {
                    return Err(Mistake::new(
                        place,
                        format!("`{}` has no meaning here", c.escape_default()),
                        "a comment begins with `#`, a text stands in double quotes",
                    ));
                }
            },
        };
        let text = self.take(length);
        Ok(Token {
            kind,
            text,
            place,
            start,
            end: self.at,
        })
    }

    /// The length of what stands between quotes, in one line.
    fn quoted(&self, place: Place, rest: &str) -> Result<usize, Mistake> {
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                '\n' => break,
                '"' if !escaped => return Ok(at - 1),
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Err(Mistake::new(
            place,
            "this text has no end",
            "close it with `\"` on the same line",
        ))
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '~')
}

fn word(rest: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    rest.find(|c| !is_part(c)).unwrap_or(rest.len())
}

/// The length of a name: `spin_lock`, `log_*`, `lock-discipline`, `ns::Class::close`.
fn name(rest: &str) -> usize {
    let mut length = 0;
    loop {
        let before = length;
        length += word(&rest[length..]);
        let tail = &rest[length..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let dash = tail.starts_with('-') && tail[1..].starts_with(is_part);
        if dash || tail.starts_with(['*', '~']) {
            length += 1;
        } else if tail.starts_with("::") && tail[2..].starts_with(|c| is_letter(c) || c == '*') {
            length += 2;
        }
        if length == before || !rest[length..].starts_with(|c| is_part(c) || "*~-:".contains(c)) {
            return length;
        }
    }
}
