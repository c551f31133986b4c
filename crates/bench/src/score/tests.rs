//! Held against the reference scorer: corpora of a few files, written for this (`fixtures/score`), what tools said of them, and what
//! the reference made of that (`said/*.expected.json`, from `score.py score --format json`).

use super::cases::Sample;
use super::disguise::disguise;
use super::fold::By;
use super::judge::judge;
use super::kinds::Kinds;
use super::layout::{self, Set};
use super::results::Results;
use super::tool_json;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/score")
}

fn sample(name: &str) -> Sample {
    Sample::read(&fixtures().join(format!("said/{name}.json"))).unwrap()
}

/// Every number of the reference is ours, and there are no others.
fn agree(corpus: &str, tools: &[&str]) {
    let sample = sample(corpus);
    let kinds = Kinds::load().unwrap();
    let units: Vec<String> = sample.units().into_iter().map(|unit| unit.id).collect();
    for (by, name) in [(By::Cwe, "cwe"), (By::Family, "family"), (By::Flow, "flow")] {
        let path = fixtures().join(format!("said/{corpus}.{name}.expected.json"));
        let expected: Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(expected.as_object().unwrap().len(), tools.len());
        for tool in tools {
            let path = fixtures().join(format!("said/{corpus}.{tool}.jsonl"));
            let results = Results::read(&path).unwrap();
            let verdicts = judge(&sample, &fixtures().join(corpus), &results, &kinds);
            let ours = tool_json(&results, &verdicts, &units, by);
            let theirs = expected[*tool].as_object().unwrap();
            let keys = |of: &serde_json::Map<String, Value>| of.keys().cloned().collect::<Vec<_>>();
            let (mut a, mut b) = (keys(ours.as_object().unwrap()), keys(theirs));
            a.sort();
            b.sort();
            assert_eq!(a, b, "{corpus} by {name}");
            for (group, theirs) in theirs {
                same(
                    &ours[group],
                    theirs,
                    &format!("{tool} on {corpus} by {name}: {group}"),
                );
            }
        }
    }
}

/// What the reference leaves out is zero.
fn same(ours: &Value, theirs: &Value, place: &str) {
    let Some(ours) = ours.as_object() else {
        assert_eq!(ours, theirs, "{place}");
        return;
    };
    for (key, ours) in ours {
        let theirs = theirs.get(key).unwrap_or(&Value::Null);
        match (ours.as_f64(), theirs.as_f64()) {
            (Some(a), Some(b)) => {
                assert!((a - b).abs() < 1e-12, "{place}: {key}: {a} instead of {b}")
            }
            (Some(a), None) => assert!(a == 0.0, "{place}: {key}: {a} instead of nothing"),
            (None, b) => assert_eq!(b, None, "{place}: {key}"),
        }
    }
}

#[test]
fn juliet_is_scored_as_by_the_reference() {
    agree("juliet", &["rigel", "gcc-12"]);
}

#[test]
fn itc_is_scored_as_by_the_reference() {
    agree("itc", &["rigel"]);
}

#[test]
fn verisec_is_scored_as_by_the_reference() {
    agree("verisec", &["cppcheck-2.10"]);
}

/// The samples were drawn by the reference, with all cases that there are.
#[test]
fn layouts_have_the_cases_of_the_reference() {
    let kinds = Kinds::load().unwrap();
    let find = |corpus: &str, set| layout::find(&fixtures().join(corpus), set, &kinds).unwrap();
    let ids = |sample: &Sample| {
        let json = sample.json();
        let mut cases = json["cases"].as_array().unwrap().clone();
        cases.sort_by_key(|case| case["id"].to_string());
        cases
    };
    for corpus in ["itc", "verisec", "svcomp"] {
        let found = find(corpus, Set::A);
        assert_eq!(found.kind(), corpus);
        assert_eq!(ids(&found), ids(&sample(corpus)), "{corpus}");
    }
    let mut juliet = ids(&find("juliet", Set::A));
    juliet.extend(ids(&find("juliet", Set::B)));
    juliet.sort_by_key(|case| case["id"].to_string());
    assert_eq!(juliet, ids(&sample("juliet")));
}

/// The copy has as many lines, compiles to the same, and nothing in it says what is wrong.
#[test]
fn a_copy_tells_nothing() {
    for corpus in ["juliet", "itc", "verisec"] {
        let sample = sample(corpus);
        let root = fixtures().join(corpus);
        let folder = tempfile::tempdir().unwrap();
        let copy = disguise(&sample, &root, folder.path()).unwrap();
        assert_eq!(copy.units.len(), sample.units().len());
        for (unit, original) in copy.units.iter().zip(sample.units()) {
            assert_eq!(unit.id, original.id);
            for file in &unit.files {
                let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
                let source = std::fs::read_to_string(root.join(copy.original(file))).unwrap();
                assert_eq!(text.lines().count(), source.lines().count(), "{file}");
                let all = format!("{file}\n{text}").to_lowercase();
                for word in [
                    "bad",
                    "good",
                    "flaw",
                    "cwe4",
                    "cwe3",
                    "defect",
                    "null_pointer",
                    "error",
                ] {
                    assert!(!all.contains(word), "{word} in {file}:\n{text}");
                }
            }
            for include in &unit.include {
                assert!(folder.path().join(include).is_dir(), "{include}");
            }
        }
    }
}
