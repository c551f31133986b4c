//! One line of a text as the preprocessor sees it: `\` at the end of a line goes on with the next,
//! comments are blanks. Where it begins is not always known (within a comment?); then it counts as
//! a directive, which at worst asks too much.

use super::{Asked, Kind, Name, Words};

pub struct Line {
    text: Vec<u8>,
    /// Where the next one begins.
    pub end: usize,
}

/// The macro that a line defines.
struct Macro<'a> {
    name: &'a [u8],
    parameters: Vec<&'a [u8]>,
}

impl Line {
    /// The line that the byte at `at` is on.
    pub fn around(text: &[u8], at: usize) -> Line {
        let newline_before = |at: usize| memchr::memrchr(b'\n', &text[..at]);
        let mut begin = newline_before(at).map_or(0, |n| n + 1);
        while begin > 0 && is_continued(&text[..begin]) {
            begin = newline_before(begin - 1).map_or(0, |n| n + 1);
        }
        let mut line = Vec::new();
        let mut from = begin;
        loop {
            let end = memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |n| from + n + 1);
            let part = &text[from..end];
            from = end;
            if is_continued(part) {
                line.extend(before_splice(part));
            } else {
                line.extend(part);
                break;
            }
        }
        Line {
            text: line,
            end: from,
        }
    }

    /// Adds what it asks.
    pub fn read(&self, words: &Words, asked: &mut Asked) {
        let code = without_comments(&self.text);
        // To clang a carriage return ends a line.
        for line in code.split(|byte| *byte == b'\r') {
            if let Some(directive) = directive(line) {
                read(directive, words, asked);
            }
        }
    }
}

/// Adds what a directive asks.
fn read(directive: &[u8], words: &Words, asked: &mut Asked) {
    let defined = defined_macro(directive);
    let mut before: &[u8] = b"";
    let mut at = 0;
    while at < directive.len() {
        let byte = directive[at];
        if is_word(byte) {
            let word = word_at(directive, at);
            at += word.len();
            // To be put together with `##`.
            asked.computed |= is_beginning(word) && may_ask(&directive[at..]);
            if let Some(kind) = words.kind(word) {
                let only_named = matches!(
                    before,
                    b"defined"
                        | b"define"
                        | b"undef"
                        | b"ifdef"
                        | b"ifndef"
                        | b"elifdef"
                        | b"elifndef"
                );
                if !only_named {
                    question(&directive[at..], kind, defined.as_ref(), asked);
                }
            }
            before = word;
        } else {
            if byte == b'"' {
                at = string_end(directive, at);
            }
            if !matches!(byte, b' ' | b'\t' | b'(') {
                before = b"";
            }
            at += 1;
        }
    }
}

/// Is it a part of one of clang's own words?
fn is_beginning(word: &[u8]) -> bool {
    let part =
        |(whole, _): &(&str, Kind)| whole.len() > word.len() && whole.as_bytes().starts_with(word);
    word.starts_with(super::BEGIN) && super::OWN.iter().any(part) && word != b"__has_include"
}

/// Can a beginning that these bytes follow become a question? Only words, `(` and what joins or
/// separates them stand behind one; `struct __has_##NAME<T>`, in the C++ library, asks nothing.
fn may_ask(rest: &[u8]) -> bool {
    let Some(rest) = rest.trim_ascii_start().strip_prefix(b"##") else {
        return true;
    };
    let rest = rest.trim_ascii_start();
    let next = rest[word_at(rest, 0).len()..].trim_ascii_start().first();
    next.is_none_or(|byte| is_word(*byte) || matches!(byte, b'(' | b')' | b',' | b'#'))
}

/// What stands behind a word that asks.
fn question(rest: &[u8], kind: Kind, defined: Option<&Macro>, asked: &mut Asked) {
    let rest = rest.trim_ascii_start();
    let Some(argument) = rest.strip_prefix(b"(") else {
        // Another name for the word itself.
        return another_word(defined, kind, asked);
    };
    let argument = argument.trim_ascii_start();
    let close = match argument.first() {
        Some(b'<') => b'>',
        Some(b'"') => b'"',
        _ => {
            let word = word_at(argument, 0);
            let handed_on = defined.is_some_and(|d| d.parameters == [word]) && !word.is_empty();
            return match handed_on {
                true => another_word(defined, kind, asked),
                false => asked.computed = true,
            };
        }
    };
    let name = memchr::memchr(close, &argument[1..]).map(|end| &argument[1..=end]);
    let Some(name) = name.and_then(|name| std::str::from_utf8(name).ok()) else {
        asked.computed = true;
        return;
    };
    // A parameter within `<…>` is replaced.
    let replaced = |p: &&[u8]| name.as_bytes().split(|b| !is_word(*b)).any(|w| w == *p);
    if close == b'>' && defined.is_some_and(|d| d.parameters.iter().any(replaced)) {
        asked.computed = true;
        return;
    }
    asked.names.insert(Name {
        text: name.to_string(),
        kind,
        quoted: close == b'"',
    });
}

fn another_word(defined: Option<&Macro>, kind: Kind, asked: &mut Asked) {
    match defined.map(|d| (d.parameters.len(), std::str::from_utf8(d.name))) {
        Some((0 | 1, Ok(name))) => {
            asked.words.insert((name.to_string(), kind));
        }
        _ => asked.computed = true,
    }
}

/// What follows the `#`, if that comes first.
fn directive(code: &[u8]) -> Option<&[u8]> {
    // The byte order mark, at the beginning of a file; and a blank is more here than elsewhere.
    let code = code.strip_prefix(b"\xef\xbb\xbf").unwrap_or(code);
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\x0b';
    let code = &code[code.iter().take_while(|byte| blank(byte)).count()..];
    let signs: [&[u8]; 3] = [b"#", b"%:", b"??="];
    signs.iter().find_map(|sign| code.strip_prefix(*sign))
}

fn defined_macro(directive: &[u8]) -> Option<Macro<'_>> {
    let rest = directive.trim_ascii_start().strip_prefix(b"define")?;
    let rest = rest.trim_ascii_start();
    let name = word_at(rest, 0);
    let mut parameters = Vec::new();
    if let Some(list) = rest[name.len()..].strip_prefix(b"(") {
        let list = list.split(|b| *b == b')').next().unwrap_or(&[]);
        let list = list.split(|b| *b == b',').map(<[u8]>::trim_ascii);
        parameters.extend(list.map(|parameter| match parameter {
            b"..." => b"__VA_ARGS__",
            named => word_at(named, 0),
        }));
    }
    Some(Macro { name, parameters })
}

/// Blanks instead of comments. A line that begins within one goes on behind it, as a directive:
/// the `#` may stand before the comment.
fn without_comments(line: &[u8]) -> Vec<u8> {
    let find = |what: &[u8], from: &[u8]| memchr::memmem::find(from, what);
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    if directive(rest).is_none()
        && let Some(end) = find(b"*/", rest)
        && find(b"/*", rest).is_none_or(|begin| end < begin)
    {
        rest = &rest[end + 2..];
        if directive(rest).is_none() {
            out.push(b'#');
        }
    }
    while let Some(&byte) = rest.first() {
        let taken = match byte {
            b'/' if rest.starts_with(b"/*") => {
                out.push(b' ');
                find(b"*/", &rest[2..]).map_or(rest.len(), |end| end + 4)
            }
            b'/' if rest.starts_with(b"//") && !in_header_name(&out) => break,
            b'"' => {
                let end = (string_end(rest, 0) + 1).min(rest.len());
                out.extend(&rest[..end]);
                end
            }
            // Not the one within a number.
            b'\'' if !out.last().is_some_and(|b| is_word(*b)) => {
                let escaped = usize::from(rest.get(1) == Some(&b'\\'));
                let end = find(b"'", rest.get(2 + escaped..).unwrap_or(&[]));
                end.map_or(1, |end| end + 3 + escaped)
            }
            other => {
                out.push(other);
                1
            }
        };
        rest = &rest[taken..];
    }
    out
}

/// As in `(<dir//x.h>)`.
fn in_header_name(before: &[u8]) -> bool {
    let open = memchr::memrchr(b'<', before);
    open.is_some_and(|open| {
        before[..open].trim_ascii_end().ends_with(b"(") && !before[open..].contains(&b'>')
    })
}

/// Of the string that begins at `at`: where its last quote is, or the end of the line.
fn string_end(line: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < line.len() && line[end] != b'"' {
        end += 1 + usize::from(line[end] == b'\\');
    }
    end
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn word_at(text: &[u8], at: usize) -> &[u8] {
    let length = text[at..].iter().take_while(|b| is_word(**b)).count();
    &text[at..at + length]
}

/// Does a text that ends with a newline go on with the next line?
fn is_continued(text: &[u8]) -> bool {
    before_splice(text).len() < text.len()
}

/// What stands before a `\` at the end; compilers allow blanks behind it.
fn before_splice(text: &[u8]) -> &[u8] {
    let Some(line) = text.strip_suffix(b"\n") else {
        return text;
    };
    let blanks = line.iter().rev();
    let blanks = blanks.take_while(|b| b.is_ascii_whitespace() && **b != b'\n');
    let line = &line[..line.len() - blanks.count()];
    line.strip_suffix(b"\\").unwrap_or(text)
}
