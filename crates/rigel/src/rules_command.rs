//! `rigel rules`: the list of rules, and the documentation of one.

use crate::cli;
use crate::{Exit, print, user_rules};
use std::fmt::Write;

pub fn rules(args: &cli::Rules) -> Result<Exit, String> {
    user_rules::install(&args.own)?;
    let text = match &args.rule {
        None => list(),
        Some(id) => match rules::find(id) {
            Some(rule) => rule.meta().docs.to_string(),
            // The selection knows how to say which rule is nearest.
            None => {
                return Err(match rules::Selection::parse(id) {
                    Err(unknown) => unknown.to_string(),
                    Ok(_) => format!("there is no rule `{id}`; `rigel rules` lists them"),
                });
            }
        },
    };
    print::report(&text, None)?;
    Ok(Exit::Clean)
}

fn list() -> String {
    let metas: Vec<_> = rules::all().iter().map(|rule| rule.meta()).collect();
    let width = metas.iter().map(|m| m.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for meta in &metas {
        let cwe: Vec<String> = meta.cwe.iter().map(|n| format!("CWE-{n}")).collect();
        let off = if meta.shown_by_default {
            ""
        } else {
            "; only with --rules"
        };
        let about = match meta.cwe.is_empty() {
            true => String::new(),
            false => format!(" ({}{off})", cwe.join(", ")),
        };
        let _ = writeln!(out, "{:width$}  {}{about}", meta.id, meta.summary);
    }
    out.push_str("\nOne in full: rigel rules RULE\n");
    out
}
