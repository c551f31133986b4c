//! What clang read for a unit: asked of clang itself, in the same run.
//!
//! `-MD` lists the files, system headers included; it goes to a file in memory, so that nothing is
//! left behind however this process ends. `-Xclang -v` says where headers were looked for, in a
//! block on standard error that is taken out again. Neither changes a byte of the bitcode.
//!
//! What the assembler reads (`.incbin "f"` outside of functions) clang does not list; it stands in
//! the bitcode.
#![allow(unsafe_code)]

use front::protocol::Reads;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::{AsRawFd, FromRawFd};
use std::time::{SystemTime, UNIX_EPOCH};

/// A question to clang, and the file for its answer.
pub struct Question {
    list: File,
    started: u64,
}

impl Question {
    /// None where the system has no files in memory; then nothing is asked.
    pub fn new() -> Option<Question> {
        // SAFETY: the name is a terminated string. The compiler inherits the file, which is why
        // it is not closed on exec.
        let fd = unsafe { libc::memfd_create(c"rigel-reads".as_ptr(), 0) };
        if fd < 0 {
            return None;
        }
        // SAFETY: the descriptor is open, and nobody else's.
        let list = unsafe { File::from_raw_fd(fd) };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let question = Question {
            list,
            started: u64::try_from(now.as_nanos()).ok()?,
        };
        std::path::Path::new(&question.place())
            .exists()
            .then_some(question)
    }

    fn place(&self) -> String {
        format!("/dev/fd/{}", self.list.as_raw_fd())
    }

    /// What the compiler is told besides.
    pub fn arguments(&self) -> Vec<String> {
        let place = self.place();
        let words = ["-MD", "-MF", &place, "-MT", "unit", "-Xclang", "-v"];
        words.map(String::from).to_vec()
    }

    /// What clang answered. Takes its words out of the diagnostics.
    pub fn answer(mut self, diagnostics: &mut String) -> Option<Reads> {
        let search = take_search(diagnostics)?;
        let mut list = String::new();
        self.list.rewind().ok()?;
        self.list.read_to_string(&mut list).ok()?;
        let files = dependencies(&list);
        (!files.is_empty()).then_some(Reads {
            files,
            search,
            started: self.started,
        })
    }
}

/// The files that assembler text reads, as seen from where the compiler runs; none if they cannot be
/// told: a name that is put together, or a file that may read others.
pub fn by_assembler(text: &str) -> Option<Vec<String>> {
    let mut files = Vec::new();
    // Directives may be written in capitals.
    let text_low = text.to_ascii_lowercase();
    if text_low.contains(".include") {
        return None;
    }
    for (at, directive) in text_low.match_indices(".incbin") {
        let rest = text[at + directive.len()..].trim_start();
        let (name, _) = rest.strip_prefix('"')?.split_once('"')?;
        // A backslash is a parameter of an assembler macro, or an escape.
        if name.contains(['\\', '\u{fffd}']) {
            return None;
        }
        files.push(name.to_string());
    }
    Some(files)
}

const BEGIN: &str = "clang -cc1 version ";
const END: &str = "End of search list.\n";

/// The directories that `-v` names; the block is gone from the text afterwards.
pub fn take_search(text: &mut String) -> Option<Vec<String>> {
    let begin = text.find(BEGIN)?;
    if begin > 0 && !text[..begin].ends_with('\n') {
        return None;
    }
    let end = begin + text[begin..].find(END)? + END.len();
    let block: String = text.drain(begin..end).collect();
    let mut search = Vec::new();
    let mut missing = Vec::new();
    for line in block.lines() {
        let ignored = line.strip_prefix("ignoring nonexistent directory \"");
        if let Some(directory) = ignored.and_then(|rest| rest.strip_suffix('"')) {
            missing.push(directory.to_string());
        } else if let Some(directory) = line.strip_prefix(' ') {
            // `  as it is a non-system directory …` explains the line before.
            if !directory.starts_with(' ') {
                search.push(directory.to_string());
            }
        }
    }
    missing.extend(search);
    Some(missing)
}

/// The prerequisites of a rule, as make reads it.
fn dependencies(rule: &str) -> Vec<String> {
    let Some((_, rest)) = rule.split_once(':') else {
        return Vec::new();
    };
    let mut files: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut characters = rest.chars().peekable();
    let mut finish = |word: &mut String| {
        if !word.is_empty() {
            files.push(std::mem::take(word));
        }
    };
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some('\n')) => finish(&mut word),
            ('\\', Some(&next @ (' ' | '#'))) | ('$', Some(&next @ '$')) => {
                word.push(next);
                characters.next();
            }
            (c, _) if c.is_ascii_whitespace() => finish(&mut word),
            (c, _) => word.push(c),
        }
    }
    finish(&mut word);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_as_make_reads_it() {
        let rule =
            "unit: a.c \\\n  /usr/include/stdio.h with\\ space.h \\\n  a$$b.h back\\slash.h\n";
        assert_eq!(
            dependencies(rule),
            [
                "a.c",
                "/usr/include/stdio.h",
                "with space.h",
                "a$b.h",
                "back\\slash.h"
            ]
        );
        assert!(dependencies("").is_empty());
    }

    #[test]
    fn what_the_assembler_reads() {
        let some = |names: &[&str]| Some(names.iter().map(|n| n.to_string()).collect());
        assert_eq!(by_assembler(""), some(&[]));
        assert_eq!(by_assembler(".globl x\nx:\n"), some(&[]));
        assert_eq!(
            by_assembler("x: .incbin \"D 1.bin\"\n.INCBIN\t\"e\", 4\n"),
            some(&["D 1.bin", "e"])
        );
        assert_eq!(by_assembler(".macro m f\n.incbin \"\\f\"\n.endm"), None);
        assert_eq!(by_assembler(".incbin name"), None);
        assert_eq!(by_assembler(".include \"x.s\""), None);
    }

    #[test]
    fn the_search_list_is_taken_out_of_the_diagnostics() {
        let mut text = "before\n\
            clang -cc1 version 19.1.7 based upon LLVM 19.1.7 default target x86_64-pc-linux-gnu\n\
            ignoring nonexistent directory \"nope\"\n\
            ignoring duplicate directory \"/usr/include\"\n  as it is a non-system directory that duplicates a system directory\n\
            #include \"...\" search starts here:\n quoted\n\
            #include <...> search starts here:\n inc\n /usr/include\nEnd of search list.\n\
            a.c:1:1: warning: w\n"
            .to_string();
        let search = take_search(&mut text).unwrap();
        assert_eq!(search, ["nope", "quoted", "inc", "/usr/include"]);
        assert_eq!(text, "before\na.c:1:1: warning: w\n");
        assert_eq!(take_search(&mut text), None);
    }
}
