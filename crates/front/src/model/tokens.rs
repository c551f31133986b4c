//! C text as tokens, as far as a model file needs it: what is a word, a literal, a sign, and where it stands.

use super::{Mistake, Wrong};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// A number, a string or a character.
    Literal,
    /// A line of the preprocessor.
    Directive,
    Sign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    /// The byte where it begins.
    pub at: usize,
    pub line: u32,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }

    pub fn is(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    /// Does it open a parenthesis of any kind (1), or close one (-1)?
    pub fn nesting(&self) -> i32 {
        match self.text {
            "(" | "[" | "{" if self.kind == Kind::Sign => 1,
            ")" | "]" | "}" if self.kind == Kind::Sign => -1,
            _ => 0,
        }
    }
}

/// Signs of two characters that must not be taken for two.
const PAIRS: [&str; 10] = ["||", "&&", "<=", ">=", "==", "!=", "<<", ">>", "->", "::"];

/// The tokens of a text, without comments.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Wrong> {
    let mut all = Vec::new();
    let (mut at, mut line) = (0, 1);
    let mut begins_line = true;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = match first {
            '\n' => {
                at += 1;
                line += 1;
                begins_line = true;
                continue;
            }
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '/' if rest.starts_with("/*") => {
                let end = rest.find("*/").ok_or(Wrong {
                    line,
                    mistake: Mistake::Unclosed("/*"),
                })?;
                line += newlines(&rest[..end]);
                at += end + 2;
                continue;
            }
            '#' if begins_line => (Kind::Directive, directive(rest)),
            '"' => (Kind::Literal, quoted(rest, '"', line)?),
            '\'' => (Kind::Literal, quoted(rest, '\'', line)?),
            c if c.is_ascii_digit() => (Kind::Literal, run(rest, |c| is_of_word(c) || c == '.')),
            c if is_of_word(c) => (Kind::Word, run(rest, is_of_word)),
            c => match PAIRS.iter().find(|pair| rest.starts_with(**pair)) {
                Some(pair) => (Kind::Sign, pair.len()),
                None => (Kind::Sign, c.len_utf8()),
            },
        };
        begins_line = false;
        let token = &rest[..length];
        all.push(Token {
            kind,
            text: token,
            at,
            line,
        });
        line += newlines(token);
        at += length;
    }
    Ok(all)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn newlines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

/// Bytes of the longest beginning of such characters.
fn run(text: &str, is_in: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_in(c)).unwrap_or(text.len())
}

/// A line of the preprocessor, with the lines that continue it.
fn directive(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            return line.strip_suffix('\n').map_or(end, |_| end - 1);
        }
    }
    end
}

fn quoted(text: &str, quote: char, line: u32) -> Result<usize, Wrong> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => break,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err(Wrong {
        line,
        mistake: Mistake::Unclosed(if quote == '"' { "\"" } else { "'" }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_hide_what_is_in_them() {
        let text = "#define A \\\n 1\nint /* { */ x; // }\nchar c = '}'; \"a\\\"}\" ü<=1.5e3";
        let all = tokens(text).unwrap();
        let texts: Vec<&str> = all.iter().map(|t| t.text).collect();
        assert_eq!(
            texts,
            [
                "#define A \\\n 1",
                "int",
                "x",
                ";",
                "char",
                "c",
                "=",
                "'}'",
                ";",
                "\"a\\\"}\"",
                "ü",
                "<=",
                "1.5e3"
            ]
        );
        assert_eq!((all[1].line, all[4].line), (3, 4));
        assert!(all.iter().all(|t| text[t.at..t.end()] == *t.text));
    }

    #[test]
    fn what_is_not_closed_is_said_with_its_line() {
        for (text, line) in [("\n/* x", 2), ("a\n\n\"x\n\"", 3), ("'", 1)] {
            assert_eq!(tokens(text).unwrap_err().line, line, "{text}");
        }
    }
}
