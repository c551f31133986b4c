//! Which report is of which kind of error, and which kinds a case asks for: `kinds.json`.
//!
//! A report has the kinds of all `rule` entries that fit the tool, the rule and the message; if none fits, those of its
//! weakness numbers; if it has none, the kind that is named like the rule.

use crate::findings::Finding;
use anyhow::Context;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const TABLE: &str = include_str!("kinds.json");

#[derive(Deserialize)]
struct File {
    families: BTreeMap<String, Vec<u32>>,
    accept: BTreeMap<String, BTreeSet<String>>,
    itc: BTreeMap<String, BTreeSet<String>>,
    rule: Vec<RuleEntry>,
}

#[derive(Deserialize)]
struct RuleEntry {
    #[serde(default = "anything")]
    tool: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    msg: String,
    family: BTreeSet<String>,
}

fn anything() -> String {
    "*".to_string()
}

pub struct Kinds {
    of_number: BTreeMap<u32, BTreeSet<String>>,
    /// Of a Juliet case, by its weakness.
    accepted: BTreeMap<u32, BTreeSet<String>>,
    /// Of an ITC case, by its file.
    sub_types: BTreeMap<String, BTreeSet<String>>,
    rules: Vec<Entry>,
    known: BTreeSet<String>,
}

struct Entry {
    tool: Regex,
    id: Regex,
    message: Regex,
    kinds: BTreeSet<String>,
}

impl Kinds {
    pub fn load() -> anyhow::Result<Kinds> {
        Kinds::parse(TABLE)
    }

    fn parse(text: &str) -> anyhow::Result<Kinds> {
        let file: File = serde_json::from_str(text).context("kinds.json")?;
        let mut of_number: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for (name, numbers) in &file.families {
            for number in numbers {
                of_number.entry(*number).or_default().insert(name.clone());
            }
        }
        let mut accepted = BTreeMap::new();
        for (number, kinds) in file.accept {
            let number = number
                .parse()
                .with_context(|| format!("kinds.json: {number}"))?;
            accepted.insert(number, kinds);
        }
        let rules = file.rule.into_iter().map(entry);
        Ok(Kinds {
            of_number,
            accepted,
            sub_types: file.itc,
            rules: rules.collect::<anyhow::Result<_>>()?,
            known: file.families.into_keys().collect(),
        })
    }

    /// What this report of this tool is about.
    pub fn of(&self, tool: &str, finding: &Finding) -> BTreeSet<&str> {
        let fits = |entry: &&Entry| {
            entry.tool.is_match(tool)
                && entry.id.is_match(&finding.rule)
                && entry.message.is_match(&finding.message)
        };
        let mut fitting = self.rules.iter().filter(fits).peekable();
        if fitting.peek().is_some() {
            return fitting
                .flat_map(|entry| entry.kinds.iter().map(String::as_str))
                .collect();
        }
        let numbers = finding
            .cwes
            .iter()
            .filter_map(|number| self.of_number.get(number));
        let mut kinds: BTreeSet<&str> = numbers.flatten().map(String::as_str).collect();
        if kinds.is_empty() {
            kinds.extend(self.known.get(&finding.rule).map(String::as_str));
        }
        kinds
    }

    /// What is right for a Juliet case of this weakness.
    pub fn accepted(&self, cwe: u32) -> Option<&BTreeSet<String>> {
        self.accepted.get(&cwe)
    }

    /// What is right for an ITC case of this file.
    pub fn sub_type(&self, name: &str) -> Option<&BTreeSet<String>> {
        self.sub_types.get(name)
    }

    /// The weaknesses that can be scored.
    pub fn weaknesses(&self) -> impl Iterator<Item = u32> {
        self.accepted.keys().copied()
    }
}

fn entry(rule: RuleEntry) -> anyhow::Result<Entry> {
    let whole = |pattern: &str| Regex::new(&format!("^(?s:{pattern})$"));
    let glob = regex::escape(&rule.tool).replace(r"\*", ".*");
    Ok(Entry {
        tool: whole(&glob)?,
        id: whole(rule.id.as_deref().unwrap_or(".*"))?,
        message: RegexBuilder::new(&rule.msg)
            .case_insensitive(true)
            .build()?,
        kinds: rule.family,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &str, message: &str, cwes: &[u32]) -> Finding {
        Finding {
            file: String::new(),
            line: 1,
            rule: rule.to_string(),
            message: message.to_string(),
            cwes: cwes.to_vec(),
            severity: String::new(),
        }
    }

    #[test]
    fn entries_come_before_numbers_and_numbers_before_names() {
        let kinds = Kinds::load().unwrap();
        let of = |tool: &str, finding: &Finding| {
            kinds
                .of(tool, finding)
                .into_iter()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            of("rigel", &finding("null-dereference", "m", &[476])),
            "null"
        );
        assert_eq!(of("rigel", &finding("leak", "m", &[])), "leak");
        assert_eq!(of("rigel", &finding("other", "m", &[])), "");
        let malloc = finding("unix.Malloc", "Use of memory after it is FREED", &[]);
        assert_eq!(of("clang-19", &malloc), "uaf");
        assert_eq!(of("gcc-12", &malloc), "");
        // It says that every call is bad, and so nothing of this one.
        let any = finding("security.insecureAPI.strcpy", "CWE-119", &[119]);
        assert_eq!(of("clang-19", &any), "");
        assert_eq!(
            of("gcc-12", &finding("-Wuse-after-free=", "m", &[])),
            "doublefree uaf"
        );
        assert_eq!(
            of("cppcheck-2.10", &finding("nullPointer", "m", &[476])),
            "null"
        );
    }

    #[test]
    fn cases_ask_for_kinds() {
        let kinds = Kinds::load().unwrap();
        assert!(kinds.accepted(476).unwrap().contains("null"));
        assert!(kinds.accepted(1).is_none());
        assert!(kinds.sub_type("zero_division").unwrap().contains("divzero"));
        assert_eq!(kinds.weaknesses().count(), 24);
    }

    #[test]
    fn a_table_that_cannot_be_read_is_an_error() {
        assert!(Kinds::parse("").is_err());
    }
}
