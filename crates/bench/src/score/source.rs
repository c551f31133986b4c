//! The text of a case: which function a line is in, and which half of a test: the bad one or the good one.
//!
//! No compiler is asked: what has to be known is where bodies begin and end, and what the guards of the corpora say. The rules
//! are those of the reference scorer; both must see the same.

use crate::pattern::pattern;
use anyhow::Context;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

pattern!(HEAD, r"([~\w:]+)\s*\(");
pattern!(
    SCOPE,
    r"^(?:inline\s+)?(namespace|extern|class|struct|union|enum)\b"
);
pattern!(
    GUARD,
    r"^\s*#\s*(ifndef|ifdef|if|else|elif|endif)\b\s*(\w*)"
);
pattern!(BEFORE_NUMBER, r"^.*_\d\d");
pattern!(BAD, r"(?i)bad");
pattern!(GOOD, r"(?i)good");
pattern!(FLAW, r"\bFLAW:");

/// Which half of a test a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Bad,
    Good,
}

pub struct Source {
    name: String,
    pub lines: Vec<String>,
    functions: Vec<Function>,
    /// Of each line, by the guards around it.
    guards: Vec<Option<Side>>,
}

pub struct Function {
    pub name: String,
    first: usize,
    last: usize,
}

impl Source {
    pub fn read(path: &Path) -> anyhow::Result<Source> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        Ok(Source::new(
            &name.unwrap_or_default(),
            &String::from_utf8_lossy(&bytes),
        ))
    }

    pub fn new(name: &str, text: &str) -> Source {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines = |text: &str| text.split('\n').map(String::from).collect::<Vec<_>>();
        let code = lines(&blank(&text));
        Source {
            name: name.to_string(),
            functions: functions(&code),
            guards: guards(&code),
            lines: lines(&text),
        }
    }

    /// The function that a line is in; lines are counted from 1. Of a local class's member, the outer function.
    pub fn function(&self, line: usize) -> Option<&str> {
        let mut around = self
            .functions
            .iter()
            .filter(|f| f.first <= line && line <= f.last);
        around.next().map(|f| f.name.as_str())
    }

    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Has it lines of this half, by the guards?
    pub fn has(&self, side: Side) -> bool {
        self.guards.contains(&Some(side))
    }

    /// The half of a line: by the guards, else by the function's or the file's name. `main` belongs to none.
    pub fn side(&self, line: usize) -> Option<Side> {
        let guard = self.guards.get(line.checked_sub(1)?)?;
        let function = self.function(line).unwrap_or_default();
        if function == "main" {
            return None;
        }
        if guard.is_some() {
            return *guard;
        }
        let member = function.rsplit("::").next().unwrap_or_default();
        let file = BEFORE_NUMBER.replace(&self.name, "");
        [member, function, file.as_ref()]
            .into_iter()
            .find_map(|name| {
                let bad = BAD.is_match(name).then_some(Side::Bad);
                bad.or_else(|| GOOD.is_match(name).then_some(Side::Good))
            })
    }

    /// Is the line one of the six below a comment that names the flaw, or that line itself?
    pub fn is_near_flaw(&self, line: usize) -> bool {
        let from = line.saturating_sub(7);
        let mut lines = self.lines.iter().take(line).skip(from);
        lines.any(|text| FLAW.is_match(text))
    }
}

/// Comments and literals become blanks; every newline stays where it is.
pub fn blank(text: &str) -> String {
    pieces(text)
        .into_iter()
        .map(|(kind, piece)| match kind {
            Kind::Code => piece.to_string(),
            Kind::Comment | Kind::Literal => blanks(piece),
        })
        .collect()
}

pub fn blanks(text: &str) -> String {
    text.chars()
        .map(|c| if c == '\n' { '\n' } else { ' ' })
        .collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Code,
    Comment,
    /// With its quotes.
    Literal,
}

/// A text cut into code, comments and literals.
pub fn pieces(text: &str) -> Vec<(Kind, &str)> {
    let mut pieces = Vec::new();
    let mut code = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if let Some(behind) = rest.strip_prefix("/*") {
            let end = behind.find("*/").map_or(rest.len(), |end| end + 4);
            (Kind::Comment, end)
        } else if rest.starts_with("//") {
            (Kind::Comment, rest.find('\n').unwrap_or(rest.len()))
        } else if c == '"' || c == '\'' {
            (Kind::Literal, literal(rest, c))
        } else {
            at += c.len_utf8();
            continue;
        };
        if code < at {
            pieces.push((Kind::Code, &text[code..at]));
        }
        pieces.push((kind, &rest[..length]));
        at += length;
        code = at;
    }
    if code < text.len() {
        pieces.push((Kind::Code, &text[code..]));
    }
    pieces
}

/// The length of a literal that begins here; one that is not closed ends with its line.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote || c == '\n' {
            return at + c.len_utf8();
        }
    }
    text.len()
}

enum Open {
    Function(String, usize),
    Other,
}

/// The bodies of functions: a brace outside of one, behind something that looks like a declarator with parameters.
fn functions(code: &[String]) -> Vec<Function> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut within = false;
    let mut head = String::new();
    let mut continued = false;
    for (number, line) in code.iter().enumerate().map(|(i, line)| (i + 1, line)) {
        let directive = continued || line.trim_start().starts_with('#');
        continued = directive && line.trim_end().ends_with('\\');
        for c in line.chars().filter(|_| !directive) {
            match c {
                '{' => {
                    let name = if within { None } else { declared(head.trim()) };
                    within |= name.is_some();
                    open.push(match name {
                        Some(name) => Open::Function(name, number),
                        None => Open::Other,
                    });
                    head.clear();
                }
                '}' => {
                    if let Some(Open::Function(name, first)) = open.pop() {
                        found.push(Function {
                            name,
                            first: first - 1,
                            last: number,
                        });
                        within = false;
                    }
                    head.clear();
                }
                ';' => head.clear(),
                c => head.push(c),
            }
        }
        head.push(' ');
    }
    found
}

/// The name of the function whose head this is.
fn declared(head: &str) -> Option<String> {
    let name = HEAD.captures(head)?[1].to_string();
    let is_scope = SCOPE.is_match(head) && !head.ends_with(')');
    let is_initialiser = head
        .split('(')
        .next()
        .is_some_and(|before| before.contains('='));
    (!is_scope && !is_initialiser).then_some(name)
}

fn guards(code: &[String]) -> Vec<Option<Side>> {
    let mut open: Vec<Option<Side>> = Vec::new();
    let side = |line: &String| {
        if let Some(directive) = GUARD.captures(line) {
            match (&directive[1], &directive[2]) {
                ("ifndef", "OMITBAD") => open.push(Some(Side::Bad)),
                ("ifndef", "OMITGOOD") => open.push(Some(Side::Good)),
                ("ifndef" | "ifdef" | "if", _) => open.push(None),
                ("endif", _) => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.iter().rev().find_map(|side| *side)
    };
    code.iter().map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#include \"x.h\"\n\
        #ifndef OMITBAD\n\
        namespace n { class C { void in(); }; }\n\
        static int table[] = { 1, f(2) };\n\
        void t_01_bad()\n\
        {\n\
        \x20   /* FLAW: { */ g(\"}\", '\"'); // bad {\n\
        \x20   if (x) { h(); }\n\
        }\n\
        #endif\n\
        #ifdef OTHER\n\
        void good1(void) { k(); }\n\
        #endif\n\
        int main(void)\n\
        {\n\
        }\n";

    #[test]
    fn lines_have_functions_and_halves() {
        let source = Source::new("CWE1_x__t_01.c", TEXT);
        assert_eq!(source.function(7), Some("t_01_bad"));
        assert_eq!(source.function(5), Some("t_01_bad"));
        assert_eq!(source.function(4), None);
        assert_eq!(source.function(12), Some("good1"));
        assert_eq!(source.functions().len(), 3);
        assert_eq!(source.side(8), Some(Side::Bad));
        assert_eq!(source.side(12), Some(Side::Good));
        assert_eq!(source.side(15), None);
        assert_eq!(source.side(0), None);
        assert_eq!(source.side(99), None);
        assert!(source.has(Side::Bad) && !source.has(Side::Good));
    }

    #[test]
    fn a_file_may_be_all_of_one_half() {
        let text = "void action()\n{\n}\n";
        assert_eq!(
            Source::new("CWE1_x__t_82_bad.cpp", text).side(2),
            Some(Side::Bad)
        );
        assert_eq!(
            Source::new("CWE1_bad__t_82_goodG2B.cpp", text).side(2),
            Some(Side::Good)
        );
        assert_eq!(Source::new("CWE1_bad__t_01.c", text).side(2), None);
    }

    #[test]
    fn a_flaw_reaches_six_lines() {
        let source = Source::new("a.c", TEXT);
        assert!(source.is_near_flaw(7) && source.is_near_flaw(13));
        assert!(!source.is_near_flaw(6) && !source.is_near_flaw(14));
    }

    #[test]
    fn lines_and_columns_stay() {
        let text = "a /* b\nc */ d \"e\\\"f\" 'g' // h\n'unclosed\nx";
        let blank = blank(text);
        assert_eq!(blank, "a     \n     d                \n         \nx");
        let pieces: String = pieces(text).into_iter().map(|(_, piece)| piece).collect();
        assert_eq!(pieces, text);
    }
}
