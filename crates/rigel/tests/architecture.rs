//! The crates know of each other what ARCHITECTURE.md allows, and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The `[dependencies]` of every crate (not those of its tests), by reading the manifests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let directory = entry.unwrap().path();
        let Ok(manifest) = std::fs::read_to_string(directory.join("Cargo.toml")) else {
            continue;
        };
        let mut section = String::new();
        let mut names = BTreeSet::new();
        for line in manifest.lines() {
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').to_string();
                // `[dependencies.name]` is a dependency as well.
                names.extend(section.strip_prefix("dependencies.").map(String::from));
            } else if section == "dependencies"
                && let Some((name, _)) = line.split_once('=')
            {
                let name = name.trim().split('.').next().unwrap_or_default();
                names.insert(name.trim_matches('"').to_string());
            }
        }
        let crate_name = directory
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        all.insert(crate_name, names);
    }
    assert!(
        all.contains_key("ir") && all.contains_key("rigel"),
        "{all:?}"
    );
    all
}

/// What a crate may use of the workspace. A crate that is not listed fails the test: decide its
/// place, write it down in ARCHITECTURE.md, then here.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("logic", &[]),
    ("store", &[]),
    ("search", &[]),
    ("inter", &[]),
    ("library", &[]),
    ("dual", &["ir", "isl", "automata", "library"]),
    ("isl", &[]),
    ("wpds", &[]),
    ("bp", &["wpds"]),
    ("project", &["ir", "automata", "wpds"]),
    ("domain", &["search"]),
    (
        "automata",
        &["ir", "search", "domain", "reduction", "library"],
    ),
    ("reduction", &["ir"]),
    ("rules", &["ir", "library"]),
    ("feasible", &["ir", "logic", "interp", "automata", "domain"]),
    ("report", &["rules"]),
    (
        "engine",
        &[
            "dual",
            "ir",
            "search",
            "automata",
            "rules",
            "report",
            "feasible",
            "logic",
            "interp",
            "reduction",
            "inter",
            "project",
            "library",
        ],
    ),
    ("interp", &["ir"]),
    ("front", &["ir"]),
    ("clang", &["ir", "front"]),
    ("fixtures", &[]),
    ("random-cfa", &["ir"]),
    (
        "bench",
        &[
            "ir", "rules", "interp", "front", "search", "automata", "engine", "logic", "bp", "wpds",
        ],
    ),
    (
        "verify",
        &[
            "ir",
            "automata",
            "dual",
            "engine",
            "feasible",
            "interp",
            "logic",
            "library",
            "reduction",
            "search",
        ],
    ),
    (
        "rigel",
        &[
            "ir", "rules", "report", "interp", "front", "search", "engine", "logic", "store",
            "dual", "isl", "verify", "bp", "library",
        ],
    ),
];

#[test]
fn dependencies_point_downwards_only() {
    let all = dependencies();
    for (name, uses) in &all {
        let Some((_, allowed)) = ALLOWED.iter().find(|(n, _)| n == name) else {
            panic!("crates/{name} has no place in ARCHITECTURE.md and in this test");
        };
        for used in uses.iter().filter(|used| all.contains_key(*used)) {
            assert!(
                allowed.contains(&used.as_str()),
                "{name} must not depend on {used}"
            );
        }
    }
}

#[test]
fn only_clang_knows_llvm() {
    for (name, uses) in dependencies() {
        for used in uses {
            let llvm = used.contains("llvm") || used.contains("inkwell") || used.contains("clang");
            assert!(!llvm || name == "clang", "{name} depends on {used}");
        }
    }
}

#[test]
fn only_the_command_line_prints() {
    for (name, _) in dependencies() {
        if matches!(name.as_str(), "rigel" | "bench") {
            continue;
        }
        for file in sources(&root().join("crates").join(&name).join("src")) {
            let text = std::fs::read_to_string(&file).unwrap();
            // Tests, which stand at the end of a file, may print.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for forbidden in ["println!", "print!(", "process::exit"] {
                let used = code
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"))
                    .any(|line| line.contains(forbidden));
                // A worker's last words are its own.
                let worker = name == "clang" && file.ends_with("main.rs");
                assert!(!used || worker, "{}: {forbidden}", file.display());
            }
        }
    }
}

#[test]
fn every_crate_is_described() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for name in dependencies().keys() {
        assert!(
            text.contains(&format!("| `{name}` |")),
            "ARCHITECTURE.md says nothing about crates/{name}"
        );
    }
}

fn sources(directory: &std::path::Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    out
}
