//! Rules that users write: a small language for safety automata (path reduction §2.3, Uno).
//!
//! ```text
//! rule lock-discipline "a lock is taken and given back in turn" {
//!     each l
//!     start:
//!         spin_lock(l)   -> locked
//!         spin_unlock(l) -> error "`{l}` is unlocked, but it is not locked"
//!     locked "is locked":
//!         spin_unlock(l) -> start
//!         spin_lock(l)   -> error "`{l}` is locked twice"
//!         return         -> error "`{l}` is still locked when {function} returns"
//! }
//! ```
//!
//! A text becomes an automaton ([`crate::temporal`]) and the words of its errors, and is a rule like those that rigel comes with: it is
//! woven into the program, and no engine knows that there are others. This module knows texts; who reads files is
//! elsewhere. What is installed counts for the process.
//!
//! [`tokens`], [`parse`], [`pattern`]: from text to [`syntax`]. [`compile`]: to an automaton. [`message`]: its words.

mod compile;
mod message;
mod parse;
mod pattern;
mod syntax;
mod tokens;

use crate::temporal::{Automaton, followed};
use crate::{Broken, Meta, Rule, Wording, all, built_in};
use message::Part;
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// How bad the user takes it to be. A report says no more than that, however sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place in a text, from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// What is wrong with a text, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub place: Place,
    pub message: String,
    pub hint: String,
}

impl Mistake {
    fn new(place: Place, message: impl Into<String>, hint: impl Into<String>) -> Mistake {
        Mistake {
            place,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// `3:5: there is no state `loked` (did you mean `locked`?)`
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.place;
        write!(f, "{line}:{column}: {}", self.message)?;
        match self.hint.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", self.hint),
        }
    }
}

impl std::error::Error for Mistake {}

/// What a rule says about one of its errors.
#[derive(Debug)]
struct Message {
    parts: Vec<Part>,
    /// The pattern, as it is written.
    source: String,
}

/// A rule of a user.
pub struct User {
    meta: &'static Meta,
    automata: &'static [Automaton],
    /// What the text calls the value.
    each: Option<&'static str>,
    messages: Vec<Message>,
    place: Place,
}

impl Rule for User {
    fn meta(&self) -> &'static Meta {
        self.meta
    }

    fn automata(&self) -> &'static [Automaton] {
        self.automata
    }

    fn ends_runs(&self) -> bool {
        false
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(message) = self.messages.get(broken.which as usize) else {
            return broken.plain(self.meta.summary);
        };
        let value = followed(broken.program, broken.body, broken.condition);
        let value = value.map(|value| broken.expr(value));
        let value = value.as_deref().or(self.each).unwrap_or_default();
        Wording::new(
            message::filled(&message.parts, value, broken.function),
            message::happens(&message.source, self.each, value),
        )
    }
}

/// The rules of one text, in order.
pub fn parse(file: &str, text: &str) -> Result<Vec<User>, Mistake> {
    let mut rules: Vec<User> = Vec::new();
    for text in parse::rules(text)? {
        let place = text.place;
        let id = text.id;
        if built_in().iter().any(|rule| rule.meta().id == id) {
            return Err(Mistake::new(
                place,
                format!("`{id}` is a rule of rigel's own"),
                "choose another id",
            ));
        }
        if let Some(known) = rules.iter().find(|rule| rule.meta.id == id) {
            return Err(twice(id, place, file, known.place));
        }
        rules.push(compile::rule(file, text)?);
    }
    Ok(rules)
}

fn twice(id: &str, place: Place, file: &str, first: Place) -> Mistake {
    Mistake::new(
        place,
        format!("there are two rules `{id}`"),
        format!("the first is in {file}:{}", first.line),
    )
}

/// Rules that are there at most: sets of rules are bits.
const MOST: usize = 100;

/// Reads the rules of several texts: the files' names, and what stands in them. What is wrong is said with the file's name.
pub fn read(files: &[(String, String)]) -> Result<Vec<User>, String> {
    let mut rules: Vec<User> = Vec::new();
    let mut from: Vec<&str> = Vec::new();
    for (file, text) in files {
        let said = |mistake: Mistake| format!("{file}:{mistake}");
        for rule in parse(file, text).map_err(said)? {
            if let Some(at) = rules.iter().position(|known| known.meta.id == rule.meta.id) {
                let first = rules[at].place;
                return Err(said(twice(rule.meta.id, rule.place, from[at], first)));
            }
            if rules.len() == MOST {
                return Err(said(Mistake::new(
                    rule.place,
                    format!("there are more than {MOST} rules"),
                    "leave some out",
                )));
            }
            rules.push(rule);
            from.push(file);
        }
    }
    Ok(rules)
}

/// What is installed.
struct Installed {
    said: &'static [(String, String)],
    all: &'static [&'static dyn Rule],
}

static INSTALLED: RwLock<Option<Installed>> = RwLock::new(None);

/// From now on there are these rules, too. What was there before stays for whoever has it: programs may be woven with it.
pub fn install(files: Vec<(String, String)>) -> Result<(), String> {
    if said() == files {
        return Ok(());
    }
    let rules = read(&files)?;
    let own = rules
        .into_iter()
        .map(|rule| -> &'static dyn Rule { Box::leak(Box::new(rule)) });
    let all = built_in().iter().copied().chain(own);
    let installed = Installed {
        all: all.collect::<Vec<_>>().leak(),
        said: files.leak(),
    };
    *INSTALLED.write().unwrap_or_else(PoisonError::into_inner) = Some(installed);
    Ok(())
}

/// What users said: the files' names and texts. All that rules of users do depends on nothing else.
pub fn said() -> &'static [(String, String)] {
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
    installed.as_ref().map_or(&[], |i| i.said)
}

/// All rules, if there are rules of users.
pub(crate) fn with_users() -> Option<&'static [&'static dyn Rule]> {
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
    installed.as_ref().map(|i| i.all)
}

/// The rules of users.
pub fn rules() -> &'static [&'static dyn Rule] {
    all().get(built_in().len()..).unwrap_or_default()
}

#[cfg(test)]
mod tests;
