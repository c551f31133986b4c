//! What stands in a file of rules, as it is written.

use super::{Place, Severity};
use crate::temporal::{Argument, Outcome, Stored};

#[derive(Debug)]
pub(super) struct RuleText<'t> {
    pub id: &'t str,
    pub place: Place,
    pub summary: String,
    pub severity: Severity,
    pub cwe: Vec<u32>,
    /// What every value is called.
    pub each: Option<(&'t str, Place)>,
    pub harmless: Vec<String>,
    pub states: Vec<StateText<'t>>,
    /// All of it, as it is written.
    pub source: &'t str,
}

#[derive(Debug)]
pub(super) struct StateText<'t> {
    pub name: &'t str,
    pub place: Place,
    pub told: Option<String>,
    pub transitions: Vec<TransitionText<'t>>,
}

#[derive(Debug)]
pub(super) struct TransitionText<'t> {
    pub place: Place,
    pub pattern: PatternText,
    /// The pattern as it is written.
    pub source: &'t str,
    pub to: TargetText<'t>,
}

#[derive(Debug)]
pub(super) enum TargetText<'t> {
    State(&'t str, Place),
    Error(String),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum PatternText {
    Call {
        names: Vec<String>,
        arguments: Vec<Argument>,
        more: bool,
        gives: bool,
        outcome: Outcome,
    },
    AnyCall {
        except: Vec<String>,
    },
    Dereferenced,
    Stored {
        to: Stored,
        what: Argument,
    },
    Returned,
    Left,
    Ended,
}

impl PatternText {
    /// Does it speak of the value?
    pub fn has_value(&self) -> bool {
        match self {
            PatternText::Call {
                arguments, gives, ..
            } => *gives || arguments.contains(&Argument::Value),
            PatternText::Stored { to, what } => {
                *what == Argument::Value || matches!(to, Stored::Field { of_value: true, .. })
            }
            PatternText::Dereferenced | PatternText::Returned => true,
            PatternText::AnyCall { .. } | PatternText::Left | PatternText::Ended => false,
        }
    }
}
