//! What is wrong with a file of models: where, and what was perhaps meant.

use std::fmt;
use std::ops::Range;

/// Why a file of models cannot be used: one line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    /// From 1 on.
    pub line: usize,
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

impl std::error::Error for Problem {}

/// A text with the name of its file.
#[derive(Clone, Copy)]
pub(crate) struct Source<'t> {
    pub file: &'t str,
    pub text: &'t str,
}

impl Source<'_> {
    pub fn problem(&self, at: Range<usize>, text: String) -> Problem {
        let before = self.text.as_bytes().get(..at.start).unwrap_or_default();
        Problem {
            file: self.file.to_string(),
            line: 1 + before.iter().filter(|b| **b == b'\n').count(),
            text,
        }
    }
}

/// " (did you mean `x`?)" for the word of these that is nearest, if one is near.
pub(crate) fn hint<'w>(wrong: &str, words: impl Iterator<Item = &'w str>) -> String {
    let near = words
        .map(|word| (distance(wrong, word), word))
        .filter(|(distance, word)| *distance <= 1 + word.len() / 4);
    match near.min() {
        Some((_, word)) => format!(" (did you mean `{word}`?)"),
        None => String::new(),
    }
}

/// How many letters must be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let (a, b) = (a.get(..64).unwrap_or(a), b.get(..64).unwrap_or(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_perhaps_meant() {
        let words = ["gives", "writes", "needs"];
        assert_eq!(hint("need", words.into_iter()), " (did you mean `needs`?)");
        assert_eq!(hint("colour", words.into_iter()), "");
        assert_eq!(hint("", words.into_iter()), "");
    }
}
