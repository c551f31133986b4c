//! Does a program ask for sizes that differ on a machine with addresses of 32 bits?
//!
//! `rigel verify --data-model ILP32` reads a program for a machine whose `long` has 32 bits, and whose pointers have 64. What such a
//! program says of `sizeof` may be wrong, and so would be any verdict that depends on it. By the time that engines see it `sizeof` is
//! a number, so the text is asked. How much is allocated does not count: that is enough on the larger machine.

/// The line, and the word, of the first place that asks for one.
pub fn asked(text: &str) -> Option<(usize, String)> {
    let includes = text.lines().any(|l| {
        let l = l.trim_start();
        l.strip_prefix('#')
            .is_some_and(|l| l.trim_start().starts_with("include"))
    });
    let mut calls: Vec<String> = Vec::new();
    let mut before = String::new();
    let mut defined: Vec<String> = Vec::new();
    let mut typedef = false;
    for (line, token) in Tokens::of(text) {
        match token.as_str() {
            "(" => calls.push(std::mem::take(&mut before)),
            ")" => {
                calls.pop();
            }
            "typedef" => typedef = true,
            ";" => {
                if typedef {
                    defined.push(std::mem::take(&mut before));
                }
                typedef = false;
            }
            word if ASK.contains(&word) && !calls.iter().any(|name| is_about_memory(name)) => {
                return Some((line, token));
            }
            // Its text may say itself how large they are: `typedef unsigned int size_t;`.
            word if !typedef && OWN.contains(&word) => {
                let known = defined.iter().any(|name| name == word);
                if !known && includes {
                    return Some((line, token));
                }
            }
            _ => {}
        }
        if token != "(" && token != ";" {
            before = token;
        }
    }
    None
}

/// Words that ask for a size or a layout, or for a type that is larger with larger addresses.
const ASK: [&str; 10] = [
    "sizeof",
    "_Alignof",
    "alignof",
    "__alignof__",
    "offsetof",
    "__builtin_offsetof",
    "__SIZE_TYPE__",
    "__PTRDIFF_TYPE__",
    "__WCHAR_TYPE__",
    "__SIZEOF_POINTER__",
];

/// Types whose size headers of the other machine would say.
const OWN: [&str; 7] = [
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "wchar_t",
    "off_t",
];

/// Does a function of this name make memory, or fill it?
fn is_about_memory(name: &str) -> bool {
    name.contains("alloc") || matches!(name, "memset" | "memcpy" | "memmove" | "bzero")
}

/// The words and marks of a text, without comments, strings and directives, and their lines.
struct Tokens<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    line: usize,
    begins: bool,
}

impl<'t> Tokens<'t> {
    fn of(text: &'t str) -> Tokens<'t> {
        Tokens {
            rest: text.chars().peekable(),
            line: 1,
            begins: true,
        }
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn skip_line(&mut self) {
        let mut last = ' ';
        while let Some(&c) = self.rest.peek() {
            if c == '\n' && last != '\\' {
                return;
            }
            last = c;
            self.take();
        }
    }

    /// Is a directive a definition? What that says is a part of the program.
    fn defines(&self) -> bool {
        let rest = self.rest.clone().skip_while(|c| *c == ' ');
        rest.take(6).eq("define".chars())
    }

    fn skip_quoted(&mut self, end: char) {
        while let Some(c) = self.take() {
            match c {
                '\\' => {
                    self.take();
                }
                c if c == end => return,
                _ => {}
            }
        }
    }

    /// A comment, whose first stroke was taken; false if it is none.
    fn skip_comment(&mut self) -> bool {
        match self.rest.peek() {
            Some('/') => self.skip_line(),
            Some('*') => {
                let mut last = ' ';
                self.take();
                while let Some(c) = self.take() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            _ => return false,
        }
        true
    }
}

impl Iterator for Tokens<'_> {
    type Item = (usize, String);

    fn next(&mut self) -> Option<(usize, String)> {
        loop {
            let c = self.take()?;
            let line = self.line;
            let begins = self.begins;
            self.begins = c == '\n' || begins && c == ' ';
            match c {
                c if c.is_whitespace() => {}
                '#' if begins && !self.defines() => self.skip_line(),
                '"' | '\'' => self.skip_quoted(c),
                '/' if self.skip_comment() => {}
                c if c.is_alphanumeric() || c == '_' => {
                    let mut word = c.to_string();
                    while let Some(&c) = self.rest.peek()
                        && (c.is_alphanumeric() || c == '_')
                    {
                        word.push(c);
                        self.take();
                    }
                    return Some((line, word));
                }
                c => return Some((line, c.to_string())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::asked;

    fn word(text: &str) -> Option<String> {
        asked(text).map(|(_, word)| word)
    }

    #[test]
    fn what_asks() {
        assert_eq!(
            word("int main(void) { return sizeof(int *) == 4; }").as_deref(),
            Some("sizeof")
        );
        assert_eq!(
            asked("\n\n__SIZE_TYPE__ n;"),
            Some((3, "__SIZE_TYPE__".to_string()))
        );
        assert_eq!(
            word("#include <stddef.h>\nsize_t n;").as_deref(),
            Some("size_t")
        );
        assert_eq!(
            word("int f(void) { g(malloc(3), sizeof(int)); }").as_deref(),
            Some("sizeof")
        );
    }

    #[test]
    fn definitions_ask() {
        assert_eq!(word("#define N sizeof(int)\n").as_deref(), Some("sizeof"));
    }

    #[test]
    fn what_does_not() {
        assert_eq!(word("int *p = malloc(3 * sizeof(int));"), None);
        assert_eq!(word("void f(void) { memset(&s, 0, sizeof(s)); }"), None);
        assert_eq!(
            word("// sizeof\n/* sizeof */ char *s = \"sizeof\"; char c = '\\'';\n#error sizeof\n"),
            None
        );
        assert_eq!(word("typedef unsigned int size_t;\nsize_t n;"), None);
        assert_eq!(word("extern void *malloc(size_t);"), None);
    }
}
