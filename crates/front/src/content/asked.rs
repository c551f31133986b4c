//! What a text asks the file system: `__has_include(<x.h>)`, `__has_embed("f")`.
//!
//! clang says which files it *found* for these; that it found none it does not say, so the names
//! are read from the text. Whether a line counts (`#if 0`) is not looked at: a name too many costs
//! a look at a directory. Lines that no directive is on cannot ask.
//!
//! A macro that only hands its argument on (`#define HAS(x) __has_include(x)`) is another word for
//! the same question, which is looked for in all files of the unit. What is put together otherwise
//! is not known, and said to be so.

mod line;

use line::Line;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Where an answer is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// In the directories for headers.
    Include,
    /// In those of `--embed-dir`.
    Embed,
}

/// A name that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name {
    pub text: String,
    pub kind: Kind,
    /// Also looked for beside the file that asks.
    pub quoted: bool,
}

/// What one text asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub names: BTreeSet<Name>,
    /// Macros that ask for what they are given.
    pub words: BTreeSet<(String, Kind)>,
    /// There is a name that only the preprocessor knows.
    pub computed: bool,
}

impl Asked {
    pub fn add(&mut self, other: &Asked) {
        self.names.extend(other.names.iter().cloned());
        self.words.extend(other.words.iter().cloned());
        self.computed |= other.computed;
    }
}

/// What begins all of clang's own words.
const BEGIN: &[u8] = b"__has_";
const OWN: [(&str, Kind); 3] = [
    ("__has_include", Kind::Include),
    ("__has_include_next", Kind::Include),
    ("__has_embed", Kind::Embed),
];

/// Words to look for in texts.
pub struct Words {
    finders: Vec<Finder<'static>>,
    words: Vec<(String, Kind)>,
}

impl Words {
    /// clang's own.
    pub fn own() -> &'static Words {
        static WORDS: LazyLock<Words> = LazyLock::new(|| Words {
            finders: vec![Finder::new(BEGIN)],
            words: OWN.map(|(word, kind)| (word.to_string(), kind)).to_vec(),
        });
        &WORDS
    }

    pub fn of(words: &BTreeSet<(String, Kind)>) -> Words {
        let finder = |(word, _): &(String, Kind)| Finder::new(word).into_owned();
        Words {
            finders: words.iter().map(finder).collect(),
            words: words.iter().cloned().collect(),
        }
    }

    /// What the text asks with these words; none if it has none of them, which is quick to say.
    pub fn asked(&self, text: &[u8]) -> Option<Asked> {
        let mut asked = Asked::default();
        for finder in &self.finders {
            let mut from = 0;
            while let Some(at) = finder.find(&text[from..]) {
                let line = Line::around(text, from + at);
                from = line.end;
                line.read(self, &mut asked);
            }
        }
        asked.computed |= has_split_word(text);
        (asked != Asked::default()).then_some(asked)
    }

    /// What a word of the command line asks, as in `-DHAS_X=__has_include(<x.h>)`.
    pub fn asked_by_option(&self, word: &str) -> Option<Asked> {
        let definition = word.strip_prefix("-D").unwrap_or(word);
        let line = format!("#define {}", definition.replacen('=', " ", 1));
        self.asked(line.as_bytes())
    }

    fn kind(&self, word: &[u8]) -> Option<Kind> {
        let found = self.words.iter().find(|(w, _)| w.as_bytes() == word);
        found.map(|(_, kind)| *kind)
    }
}

/// Is what begins clang's words cut in two by a `\` at the end of a line? Nobody writes this, and it
/// is not read, but it must not be missed.
fn has_split_word(text: &[u8]) -> bool {
    static SPLICE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\\n"));
    SPLICE.find_iter(text).any(|at| {
        let (before, after) = (&text[..at], &text[at + 2..]);
        (1..BEGIN.len())
            .any(|cut| before.ends_with(&BEGIN[..cut]) && after.starts_with(&BEGIN[cut..]))
    })
}

#[cfg(test)]
mod tests;
