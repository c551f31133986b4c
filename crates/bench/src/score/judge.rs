//! Which cases a tool found, and in which it reported what is not there.
//!
//! *Found* (TP): a report of a fitting kind in the bad half. *False* (FP): one in the good half. What else a tool says is not judged,
//! but counted where it is about good code. Every case weighs the same, however many reports it has.

use super::cases::{Juliet, Pair, Sample};
use super::kinds::Kinds;
use super::layout::test;
use super::results::Results;
use super::source::{Side, Source};
use crate::findings::Finding;
use crate::pattern::pattern;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;

pattern!(MARK, r"/\*\s*(BAD|OK)\b");

/// What became of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    pub id: String,
    /// What it is counted with, in each way to count.
    pub groups: Groups,
    pub ran: bool,
    pub has_bad: bool,
    pub has_good: bool,
    pub found: bool,
    pub wrong: bool,
    /// Found where the corpus says that it is.
    pub near: bool,
    /// Files and functions with a false report.
    pub wrong_functions: BTreeSet<(String, String)>,
    /// Reports of other kinds in good code.
    pub others: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    pub cwe: String,
    pub family: String,
    pub flow: String,
}

/// Sources that were read already; one that cannot be read is empty.
struct Sources<'a> {
    root: &'a Path,
    known: BTreeMap<PathBuf, Rc<Source>>,
}

impl Sources<'_> {
    fn get(&mut self, file: &str) -> Rc<Source> {
        let path = self.root.join(file);
        let read = || Rc::new(Source::read(&path).unwrap_or_else(|_| Source::new(file, "")));
        self.known.entry(path.clone()).or_insert_with(read).clone()
    }
}

/// One verdict for each case.
pub fn judge(sample: &Sample, root: &Path, results: &Results, kinds: &Kinds) -> Vec<Verdict> {
    let mut sources = Sources {
        root,
        known: BTreeMap::new(),
    };
    match sample {
        Sample::Juliet(cases) => {
            let judge = |case| juliet(case, &mut sources, results, kinds);
            cases.iter().map(judge).collect()
        }
        Sample::Itc(cases) => {
            let judge = |case| pair(case, true, &mut sources, results, kinds);
            cases.iter().map(judge).collect()
        }
        Sample::Verisec(cases) => {
            let judge = |case| pair(case, false, &mut sources, results, kinds);
            cases.iter().map(judge).collect()
        }
        Sample::Svcomp(_) => Vec::new(),
    }
}

fn fits(kinds: &Kinds, tool: &str, finding: &Finding, wanted: &BTreeSet<String>) -> bool {
    kinds
        .of(tool, finding)
        .iter()
        .any(|kind| wanted.contains(*kind))
}

fn juliet(case: &Juliet, sources: &mut Sources, results: &Results, kinds: &Kinds) -> Verdict {
    let none = BTreeSet::new();
    let wanted = kinds.accepted(case.cwe).unwrap_or(&none);
    let unit = results.unit(&case.id);
    let mut verdict = Verdict {
        id: case.id.clone(),
        groups: Groups {
            cwe: format!("CWE-{}", case.cwe),
            family: primary(case.cwe, wanted),
            flow: case.flow.clone(),
        },
        ran: unit.is_some(),
        ..Verdict::default()
    };
    for file in &case.files {
        let source = sources.get(file);
        verdict.has_bad |= source.has(Side::Bad);
        verdict.has_good |= source.has(Side::Good);
    }
    for finding in unit
        .map(|unit| unit.findings.as_slice())
        .unwrap_or_default()
    {
        let is_header = finding.file.ends_with(".h") && finding.file.contains(&case.id);
        if !case.files.contains(&finding.file) && !is_header {
            continue;
        }
        let source = sources.get(&finding.file);
        let fits = fits(kinds, &results.tool, finding, wanted);
        match source.side(finding.line) {
            Some(Side::Bad) if fits => {
                verdict.found = true;
                verdict.near |= source.is_near_flaw(finding.line);
            }
            Some(Side::Good) if fits => {
                let function = source.function(finding.line).unwrap_or_default();
                verdict.wrong = true;
                verdict
                    .wrong_functions
                    .insert((finding.file.clone(), function.to_string()));
            }
            Some(Side::Good) => verdict.others += 1,
            _ => {}
        }
    }
    verdict
}

/// Weaknesses for which several kinds are right: the one that they are counted with.
const PRIMARY: [(u32, &str); 5] = [
    (415, "doublefree"),
    (680, "intoverflow"),
    (773, "fdleak"),
    (775, "fdleak"),
    (690, "null"),
];

fn primary(cwe: u32, wanted: &BTreeSet<String>) -> String {
    let named = PRIMARY
        .iter()
        .find(|(of, _)| *of == cwe)
        .map(|(_, kind)| kind.to_string());
    named
        .or_else(|| wanted.first().cloned())
        .unwrap_or_else(|| "?".to_string())
}

/// A case of ITC, if functions are cases, or of Verisec.
fn pair(
    case: &Pair,
    functions: bool,
    sources: &mut Sources,
    results: &Results,
    kinds: &Kinds,
) -> Verdict {
    let wanted = match functions {
        true => kinds.sub_type(&case.sub).cloned().unwrap_or_default(),
        false => BTreeSet::from(["buffer".to_string()]),
    };
    let family = kinds.sub_type(&case.sub).and_then(|kinds| kinds.first());
    let mut verdict = Verdict {
        id: case.id.clone(),
        groups: Groups {
            cwe: case.sub.clone(),
            family: family.unwrap_or(&case.sub).clone(),
            flow: "-".to_string(),
        },
        ran: true,
        has_bad: true,
        has_good: case.good_file.is_some(),
        ..Verdict::default()
    };
    let bad = (Side::Bad, Some(&case.bad_file), &case.bad_lines);
    let good = (Side::Good, case.good_file.as_ref(), &case.good_lines);
    for (side, file, labelled) in [bad, good] {
        let Some(file) = file else {
            continue;
        };
        let unit = results.unit(file);
        verdict.ran &= unit.is_some();
        let source = sources.get(file);
        for finding in unit
            .map(|unit| unit.findings.as_slice())
            .unwrap_or_default()
        {
            let own = source.function(finding.line);
            if finding.file != *file || functions && own.map(test) != case.test {
                continue;
            }
            if !fits(kinds, &results.tool, finding, &wanted) {
                verdict.others += usize::from(side == Side::Good);
                continue;
            }
            match side {
                Side::Bad => {
                    verdict.found = true;
                    verdict.near |= match functions {
                        true => labelled.contains(&finding.line),
                        false => is_marked(&source, finding.line),
                    };
                }
                Side::Good => {
                    let function = own.unwrap_or_default().to_string();
                    verdict.wrong = true;
                    verdict.wrong_functions.insert((file.clone(), function));
                }
            }
        }
    }
    verdict
}

/// Is there a mark on the line, or on one of the three above?
fn is_marked(source: &Source, line: usize) -> bool {
    let from = line.saturating_sub(4);
    source
        .lines
        .iter()
        .take(line)
        .skip(from)
        .any(|text| MARK.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_reach_three_lines() {
        let source = Source::new("a.c", "\n/* BAD */\n\n\n\n\n");
        let near: Vec<usize> = (0..8).filter(|line| is_marked(&source, *line)).collect();
        assert_eq!(near, [2, 3, 4, 5]);
    }

    #[test]
    fn weaknesses_have_one_family() {
        let kinds = Kinds::load().unwrap();
        let of = |cwe| primary(cwe, kinds.accepted(cwe).unwrap_or(&BTreeSet::new()));
        assert_eq!(
            (of(680).as_str(), of(476).as_str(), of(1).as_str()),
            ("intoverflow", "null", "?")
        );
    }
}
