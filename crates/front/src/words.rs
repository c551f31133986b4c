//! Command lines as text: splitting them the way a shell does, and putting response files in.
//!
//! The `command` form of a compile database is one string "as a shell would read it". Real
//! databases hold simple words and quotes only, so this knows exactly that: single and double
//! quotes and the backslash. Variables, globs and redirections are ordinary characters.

use std::path::Path;

/// Splits a line into words. `None` if a quote stays open.
pub fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut in_word = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => {
                if in_word {
                    words.push(std::mem::take(&mut word));
                    in_word = false;
                }
            }
            '\'' => {
                in_word = true;
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                in_word = true;
                loop {
                    match chars.next()? {
                        '"' => break,
                        // Within double quotes a backslash stays itself, except before these.
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            '\n' => {}
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => {
                in_word = true;
                match chars.next() {
                    Some('\n') => {}
                    Some(c) => word.push(c),
                    None => word.push('\\'),
                }
            }
            c => {
                in_word = true;
                word.push(c);
            }
        }
    }
    if in_word {
        words.push(word);
    }
    Some(words)
}

/// Response files may name response files; beyond this depth they name themselves.
const MAX_DEPTH: u32 = 8;

/// Replaces every `@file` by the words of that file, as gcc and clang do. A file that cannot be
/// read leaves its argument as it is, which is also what the compilers do.
pub fn expand_response_files(arguments: &[String], directory: &Path) -> Vec<String> {
    let mut out = Vec::with_capacity(arguments.len());
    expand(arguments, directory, 0, &mut out);
    out
}

fn expand(arguments: &[String], directory: &Path, depth: u32, out: &mut Vec<String>) {
    for argument in arguments {
        let inner = argument
            .strip_prefix('@')
            .filter(|name| !name.is_empty() && depth < MAX_DEPTH)
            .and_then(|name| std::fs::read_to_string(directory.join(name)).ok())
            .and_then(|text| split(&text));
        match inner {
            Some(words) => expand(&words, directory, depth + 1, out),
            None => out.push(argument.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        let split = |s| split(s).unwrap();
        assert_eq!(split("cc  -c\ta.c"), ["cc", "-c", "a.c"]);
        assert_eq!(split(r#"cc -DX="a b" 'c d'"#), ["cc", "-DX=a b", "c d"]);
        assert_eq!(split(r#"-DV=\"1.0\""#), [r#"-DV="1.0""#]);
        assert_eq!(split(r#""-DV=\"1 0\"" \\n"#), [r#"-DV="1 0""#, r"\n"]);
        assert_eq!(split(r#""a\nb""#), [r"a\nb"]);
        assert_eq!(split("'' x"), ["", "x"]);
        assert_eq!(split("  "), [""; 0]);
    }

    #[test]
    fn an_open_quote_is_no_command_line() {
        assert_eq!(split("cc 'a.c"), None);
        assert_eq!(split("cc \"a.c"), None);
    }

    #[test]
    fn response_files_nest_and_end() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.rsp"), "-DA @b.rsp\n'-DC=1 2'").unwrap();
        std::fs::write(dir.path().join("b.rsp"), "-DB @b.rsp").unwrap();
        let args = ["cc", "@a.rsp", "@missing"].map(String::from);
        let got = expand_response_files(&args, dir.path());
        assert_eq!(&got[..3], ["cc", "-DA", "-DB"]);
        assert_eq!(&got[got.len() - 3..], ["@b.rsp", "-DC=1 2", "@missing"]);
    }
}
