//! The text form's tokens.
//!
//! Layout means nothing, with two exceptions: a rule id's hyphens must touch its words
//! (`use-after-free`), and `#2` is a rank where `# 2:5` is a position. `//` starts a comment.

use super::ParseError;
use super::words::identifier_length;

#[derive(Clone, Debug, PartialEq)]
pub enum Kind<'s> {
    /// A plain word: a name or a keyword.
    Word(&'s str),
    /// A name in backquotes, never a keyword.
    Quoted(String),
    /// An integer and the letters behind it.
    Int(u128, &'s str),
    /// A number with a fraction or an exponent, and the letters behind it.
    Float(&'s str, &'s str),
    Text(Vec<u8>),
    /// `#3`: a rank or a number instead of a name.
    Number(u32),
    Punct(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub struct Token<'s> {
    pub kind: Kind<'s>,
    pub line: u32,
    pub column: u32,
    /// No space before it.
    pub glued: bool,
}

/// Longest first, so that `->` is not `-` and `>`.
const PUNCTUATION: &[&str] = &[
    "...", "->", "<-", "<<", ">>", "<=", ">=", "<>", "==", "!=", "+%", "-%", "*%", "&&", "::", "(",
    ")", "{", "}", "[", "]", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?",
    ":", ";", ",", ".", "#", "@",
];

pub fn lex(source: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer {
        source,
        at: 0,
        line: 1,
        line_start: 0,
    };
    let mut tokens = Vec::new();
    loop {
        let before = lexer.at;
        lexer.skip_space();
        let (line, column) = (lexer.line, lexer.column());
        let glued = before == lexer.at && before > 0;
        let kind = lexer.token()?;
        let end = kind == Kind::End;
        tokens.push(Token {
            kind,
            line,
            column,
            glued,
        });
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s [u8] {
        self.source.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn column(&self) -> u32 {
        (self.at - self.line_start) as u32 + 1
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError {
            line: self.line,
            column: self.column(),
            message: message.into(),
        }
    }

    /// The next `n` bytes, which must be ASCII; they are consumed.
    fn take(&mut self, n: usize) -> &'s str {
        let text = self.source.get(self.at..self.at + n).unwrap_or_default();
        self.at += n;
        text
    }

    fn newline(&mut self) {
        self.line += 1;
        self.line_start = self.at;
    }

    fn skip_space(&mut self) {
        loop {
            match self.rest() {
                [b'\n', ..] => {
                    self.at += 1;
                    self.newline();
                }
                [b' ' | b'\t' | b'\r', ..] => self.at += 1,
                [b'/', b'/', rest @ ..] => {
                    let n = rest.iter().position(|&b| b == b'\n');
                    self.at += 2 + n.unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn token(&mut self) -> Result<Kind<'s>, ParseError> {
        let rest = self.rest();
        let Some(&first) = rest.first() else {
            return Ok(Kind::End);
        };
        let n = identifier_length(rest);
        if n > 0 {
            return Ok(Kind::Word(self.take(n)));
        }
        match first {
            b'0'..=b'9' => return self.number(),
            b'"' => return Ok(Kind::Text(self.quoted(b'"')?)),
            b'`' => {
                let bytes = self.quoted(b'`')?;
                let name = String::from_utf8(bytes)
                    .map_err(|_| self.error("this name is not valid UTF-8"))?;
                return Ok(Kind::Quoted(name));
            }
            b'#' if rest.get(1).is_some_and(u8::is_ascii_digit) => {
                let digits = digits(&rest[1..]);
                let text = &self.take(1 + digits)[1..];
                let number = text.parse();
                return number
                    .map(Kind::Number)
                    .map_err(|_| self.error(format!("`#{text}` is too large a number")));
            }
            _ => {}
        }
        for p in PUNCTUATION {
            if rest.starts_with(p.as_bytes()) {
                self.at += p.len();
                return Ok(Kind::Punct(p));
            }
        }
        let c = self.source.get(self.at..).and_then(|s| s.chars().next());
        Err(self.error(format!("unexpected character {:?}", c.unwrap_or('?'))))
    }

    fn number(&mut self) -> Result<Kind<'s>, ParseError> {
        let rest = self.rest();
        if let [b'0', b'x', hex @ ..] = rest {
            let n = hex.iter().take_while(|b| b.is_ascii_hexdigit()).count();
            let text = &self.take(2 + n)[2..];
            return match u128::from_str_radix(text, 16) {
                Ok(value) => Ok(Kind::Int(value, "")),
                Err(_) => Err(self.error("expected at most 32 hexadecimal digits after `0x`")),
            };
        }
        let mut n = digits(rest);
        let mut float = false;
        if rest.get(n) == Some(&b'.') && rest.get(n + 1).is_some_and(u8::is_ascii_digit) {
            n += 1 + digits(&rest[n + 1..]);
            float = true;
        }
        if rest.get(n) == Some(&b'e') {
            let sign = usize::from(matches!(rest.get(n + 1), Some(b'+' | b'-')));
            let exponent = digits(rest.get(n + 1 + sign..).unwrap_or_default());
            if exponent > 0 {
                n += 1 + sign + exponent;
                float = true;
            }
        }
        let text = self.take(n);
        let suffix = self.rest();
        let suffix = suffix.iter().take_while(|b| b.is_ascii_alphanumeric());
        let suffix_length = suffix.count();
        let suffix = self.take(suffix_length);
        if float {
            return Ok(Kind::Float(text, suffix));
        }
        match text.parse() {
            Ok(value) => Ok(Kind::Int(value, suffix)),
            Err(_) => Err(self.error("this number does not fit 128 bits")),
        }
    }

    /// A string or a quoted name, with C's escapes; the closing quote is consumed.
    fn quoted(&mut self, quote: u8) -> Result<Vec<u8>, ParseError> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            match *self.rest() {
                [] => return Err(self.error(format!("expected a closing {}", quote as char))),
                [b, ..] if b == quote => {
                    self.at += 1;
                    return Ok(out);
                }
                [b'\\', b'x', high, low, ..]
                    if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
                {
                    out.push(hex_digit(high) << 4 | hex_digit(low));
                    self.at += 4;
                }
                [b'\\', escaped, ..] => {
                    out.push(match escaped {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'"' | b'`' | b'\\' => escaped,
                        _ => {
                            return Err(
                                self.error("expected one of \\n \\t \\r \\\" \\` \\\\ \\xNN")
                            );
                        }
                    });
                    self.at += 2;
                }
                [b, ..] => {
                    out.push(b);
                    self.at += 1;
                    if b == b'\n' {
                        self.newline();
                    }
                }
            }
        }
    }
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn hex_digit(b: u8) -> u8 {
    (b as char).to_digit(16).unwrap_or(0) as u8
}
