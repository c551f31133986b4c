//! `infinite-loop`: see the documentation beside this file.

use crate::{Broken, Meta, Rule, Severity, Wording, endless};

pub struct InfiniteLoop;

/// So many names of what a turn does not change are told.
const TOLD: usize = 3;

impl Rule for InfiniteLoop {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "infinite-loop",
            summary: "a loop never ends: a turn changes nothing on which it depends, or its way out cannot be taken",
            cwe: &[835],
            docs: include_str!("infinite-loop.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn asks_of_loops(&self) -> bool {
        true
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        if let Some(why) = never(broken) {
            return Wording::new(format!("this loop never ends: {why}"), "never left");
        }
        let places = endless::could_change(broken.program, broken.body, broken.condition);
        let mut names: Vec<String> = places.into_iter().map(|p| broken.place(p)).collect();
        names.retain(|name| !name.contains('$'));
        names.dedup();
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let why = match &quoted[..] {
            [] => "nothing in it changes what would end it".to_string(),
            [one] => format!("a turn of it leaves {one} as it is"),
            [all @ .., last] if all.len() < TOLD => {
                format!(
                    "a turn of it leaves {} and {last} as they are",
                    all.join(", ")
                )
            }
            _ => "a turn of it changes nothing on which it depends".to_string(),
        };
        Wording::new(format!("this loop never ends: {why}"), "asked for ever")
    }
}

/// Why a loop never ends that changes something in every turn; none if it is another one.
fn never(broken: &Broken<'_>) -> Option<String> {
    let holds = broken.holds()?;
    match broken.constant(holds) {
        Some(_) => Some("its way out cannot be taken".to_string()),
        None if endless::is_of_a_turn(broken.program, broken.body, broken.condition) => None,
        None if broken.comparison(holds).is_some() => {
            Some(format!("it would have to be `{}`", broken.expr(holds)))
        }
        None => Some("with these numbers its way out cannot be taken".to_string()),
    }
}
