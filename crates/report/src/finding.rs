//! What an engine found, as plain data: everything a reader needs to believe it, and nothing that
//! only the engine understands (design.md §7 and §9).

use crate::Totals;
use rules::{Meta, Severity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How sure it is that a check fails. The order is the order of weight: the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// On the stated condition every run fails.
    Must,
    /// There is a feasible path, and no proof that it always fails.
    May,
    /// It needs an input that no caller in view gives and no test acknowledges.
    Latent,
    /// There is a path, and the budget ended before anything settled it.
    Undecided,
    /// Found by the search, and no path to it can happen.
    Refuted,
}

impl Verdict {
    /// The word people read.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Must => "must",
            Verdict::May => "may",
            Verdict::Latent => "latent",
            Verdict::Undecided => "undecided",
            Verdict::Refuted => "refuted",
        }
    }
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Relative to the working directory where possible.
    pub file: String,
    /// From 1; 0 if the place is not in a file (generated code).
    pub line: u32,
    /// From 1, in bytes, as clang counts; 0 if only the line is known.
    pub column: u32,
}

impl Location {
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Location {
        let file = file.into();
        Location { file, line, column }
    }
}

/// `list.c:14:12`, as compilers write it.
impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}", self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}

/// What happens in a step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StepKind {
    Declare,
    Assign,
    /// A condition came out one way.
    Branch,
    Call,
    Return,
    /// A loop is entered, left or gone round.
    Loop,
    /// A check; the last step of a path is the one that fails.
    Check,
}

impl StepKind {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            StepKind::Declare => "declare",
            StepKind::Assign => "assign",
            StepKind::Branch => "branch",
            StepKind::Call => "call",
            StepKind::Return => "return",
            StepKind::Loop => "loop",
            StepKind::Check => "check",
        }
    }
}

/// Who needs to see a step. The words are SARIF's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Importance {
    /// The error cannot be understood without it: shown in text.
    Essential,
    /// Part of the path that a reader may want; in text only with the full path.
    Important,
    /// Passed on the way; in text only with the full path.
    Unimportant,
}

impl Importance {
    /// The word in JSON and SARIF.
    pub fn word(self) -> &'static str {
        match self {
            Importance::Essential => "essential",
            Importance::Important => "important",
            Importance::Unimportant => "unimportant",
        }
    }
}

/// One step on the way to the error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Step {
    pub location: Location,
    /// Display name of the function the step is in, as [`Finding::function`].
    pub function: String,
    pub kind: StepKind,
    /// `p = NULL`, `l is NULL: the loop body never runs`, `p dereferenced`.
    pub text: String,
    /// How deep in calls, from 0.
    pub depth: u32,
    pub importance: Importance,
    /// What is known after the step: `("i", "0..10")`.
    pub values: Vec<(String, String)>,
}

/// A call that leads to the function of the finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Caller {
    pub location: Location,
    /// `last(NULL)`, `in main()`.
    pub text: String,
}

/// What identifies a finding wherever its line moves to. Together with the rule's id this is the
/// content of [`fingerprint`](crate::fingerprint).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FingerprintParts {
    /// The function's linkage name; for one that is local to its unit with the file in front,
    /// so that two `static` functions of one name are two.
    pub function: String,
    /// The broken condition, over the program's own names.
    pub condition: String,
    /// Among equal conditions of this rule in this function, which one: from 0, in the order of
    /// the function's checks (reported or not).
    pub ordinal: u32,
}

/// One thing that is wrong with a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The rule whose check fails. None only where a run failed at no check (`abort()`).
    #[serde(with = "by_id")]
    pub rule: Option<&'static Meta>,
    pub verdict: Verdict,
    /// What is wrong, in one line: "`p` is null when it is dereferenced".
    pub message: String,
    pub location: Location,
    /// Display name: `last`, `list::last(node *)`. Shown with `()` where it has no parameters.
    pub function: String,
    /// Other instances of the same template in which the same place fails, by display name.
    pub also_in: Vec<String>,
    /// The path. The last step is the failing check.
    pub steps: Vec<Step>,
    /// The condition on the function's inputs under which it fails.
    pub when: Option<String>,
    /// Of one that is not reported: why not, in a sentence.
    pub why: Option<String>,
    /// What a concrete run saw: the values in the broken condition.
    pub seen: Option<String>,
    /// Calls that lead here, the innermost first.
    pub called: Vec<Caller>,
    /// Which lines failing runs can pass, where somebody asked.
    pub projection: Option<crate::Projection>,
    pub fingerprint_parts: FingerprintParts,
}

impl Finding {
    /// Does it say that something is wrong? What is latent, undecided or refuted does not.
    pub fn is_reported(&self) -> bool {
        matches!(self.verdict, Verdict::Must | Verdict::May)
    }

    /// The id of the rule, empty if there is none.
    pub fn rule_id(&self) -> &'static str {
        self.rule.map_or("", |rule| rule.id)
    }
}

impl Finding {
    /// How bad it is: as sure as it is, but no worse than its rule. None if it is no error at all.
    pub fn severity(&self) -> Option<Severity> {
        let sure = match self.verdict {
            Verdict::Must => Severity::Error,
            Verdict::May => Severity::Warning,
            Verdict::Latent => Severity::Note,
            Verdict::Undecided | Verdict::Refuted => return None,
        };
        Some(self.rule.map_or(sure, |rule| sure.min(rule.severity)))
    }
}

/// A rule is written down as its id, and found again by it.
mod by_id {
    use super::Meta;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(rule: &Option<&Meta>, to: S) -> Result<S::Ok, S::Error> {
        rule.map(|rule| rule.id).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<&'static Meta>, D::Error> {
        let Some(id) = Option::<String>::deserialize(from)? else {
            return Ok(None);
        };
        match rules::find(&id) {
            Some(rule) => Ok(Some(rule.meta())),
            None => Err(D::Error::custom("there is no such rule")),
        }
    }
}

/// A function as a reader knows it: `last()`. C++ names carry their parameters already.
pub fn called_name(display: &str) -> String {
    match display.ends_with(')') {
        true => display.to_string(),
        false => format!("{display}()"),
    }
}

/// A function of the program, and how many checks of each rule it has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionChecks {
    pub function: String,
    pub file: String,
    pub line: u32,
    /// By rule id.
    pub checks: BTreeMap<String, usize>,
}

/// Everything there is to tell about one run of rigel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    pub findings: Vec<Finding>,
    pub totals: Totals,
    /// What the user should know about the run itself, one line each: functions given up, units
    /// that failed.
    pub notifications: Vec<String>,
    /// The functions that were analysed, for JSON; may be left empty.
    pub functions: Vec<FunctionChecks>,
}

/// Which verdicts are shown beside `must` and `may`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub latent: bool,
    pub undecided: bool,
    pub refuted: bool,
}

impl Report {
    /// Leaves the findings that the user wants to see. The totals stay as they are.
    pub fn keep(&mut self, shown: Shown) {
        self.findings.retain(|finding| match finding.verdict {
            Verdict::Must | Verdict::May => true,
            Verdict::Latent => shown.latent,
            Verdict::Undecided => shown.undecided,
            Verdict::Refuted => shown.refuted,
        });
    }
}
