//! What a rule of a user says: its messages, and its page.

use super::Message;
use super::parse::nearest;
use crate::Meta;
use std::fmt::Write;

/// A message is text with names of what is known where it is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// `{l}`
    Value,
    /// `{function}`
    Function,
}

/// Takes a message apart; or what is wrong with it, and a hint.
pub(super) fn parts(text: &str, each: Option<&str>) -> Result<Vec<Part>, (String, String)> {
    if text.trim().is_empty() {
        return Err((
            "the message is empty".to_string(),
            "say what is wrong".to_string(),
        ));
    }
    if text.contains('\n') || text.chars().any(char::is_control) {
        return Err((
            "the message has more than one line".to_string(),
            "one line".to_string(),
        ));
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        if open > 0 {
            parts.push(Part::Text(rest[..open].to_string()));
        }
        let Some(length) = rest[open..].find('}') else {
            return Err((
                "a `{` in the message is not closed".to_string(),
                "`{l}` is the value, `{function}` the function".to_string(),
            ));
        };
        let name = &rest[open + 1..open + length];
        parts.push(match name {
            "function" => Part::Function,
            name if Some(name) == each => Part::Value,
            name => {
                let known = each.into_iter().chain(["function"]);
                let hint = match (nearest(name, known), each) {
                    (Some(near), _) => format!("did you mean `{{{near}}}`?"),
                    (None, Some(each)) => {
                        format!("`{{{each}}}` is the value, `{{function}}` the function")
                    }
                    (None, None) => "`{function}` is the function".to_string(),
                };
                return Err((format!("the message has no `{{{name}}}` to say"), hint));
            }
        });
        rest = &rest[open + length + 1..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_string()));
    }
    Ok(parts)
}

pub(super) fn filled(parts: &[Part], value: &str, function: &str) -> String {
    let mut text = String::new();
    for part in parts {
        text.push_str(match part {
            Part::Text(text) => text,
            Part::Value => value,
            Part::Function => function,
        });
    }
    text
}

/// A pattern with the value in place of its name: what happens where it is wrong.
pub(super) fn happens(pattern: &str, each: Option<&str>, value: &str) -> String {
    match pattern {
        "return" => return "returns".to_string(),
        "end" => return "the program ends".to_string(),
        _ => {}
    }
    let Some(each) = each else {
        return one_line(pattern);
    };
    let mut text = String::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = pattern;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, behind) = match length {
            0 => rest.split_at(rest.chars().next().map_or(1, char::len_utf8)),
            n => rest.split_at(n),
        };
        text.push_str(if word == each { value } else { word });
        rest = behind;
    }
    one_line(&text)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What `rigel rules` prints of it.
pub(super) fn docs(meta: &Meta, file: &str, source: &str, messages: &[Message]) -> String {
    let mut docs = format!("# {}\n\n## What it finds\n\n{}.\n\n", meta.id, meta.summary);
    for message in messages {
        let said: String = message
            .parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Value => "…".to_string(),
                Part::Function => "the function".to_string(),
            })
            .collect();
        let _ = writeln!(docs, "- {said}");
    }
    let _ = write!(
        docs,
        "\n## The rule\n\nFrom {file}:\n\n```\n{source}\n```\n\n## How rigel decides\n\n\
         Where a function is entered, what is followed may be in any state. A line of the rule takes it to another; a state in \
         which it would be an error is left out. It is an error where it is one in every state that is left. Calls count by what \
         the called function makes of each state on all of its ways together; of one that is not in view anything is possible. \
         That a function returns is an error only if it does on another way what makes it right.\n"
    );
    if !meta.cwe.is_empty() {
        let all: Vec<String> = meta.cwe.iter().map(|n| format!("CWE-{n}")).collect();
        let _ = write!(docs, "\n## CWE\n\n{}\n", all.join("; "));
    }
    docs
}
