//! `infinite-loop`: see the documentation beside this file.

use crate::{Broken, Meta, Rule, Wording, endless};

pub struct InfiniteLoop;

/// So many names of what a turn does not change are told.
const TOLD: usize = 3;

impl Rule for InfiniteLoop {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "infinite-loop",
            summary: "a turn of a loop changes nothing on which the loop depends, so it never ends",
            cwe: &[835],
            docs: include_str!("infinite-loop.md"),
            shown_by_default: true,
        }
    }

    fn asks_of_loops(&self) -> bool {
        true
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
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
