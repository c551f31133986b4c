//! `docs/papers.md` names a command in every row, and the commands are there.

use crate::Cli;
use clap::Parser;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The cells of a row; none of a head, or of what is no table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let cells: Vec<&str> = inner.split(" | ").map(str::trim).collect();
    let is_rule = cells.iter().all(|cell| cell.starts_with("---"));
    (!is_rule && cells.first() != Some(&"what")).then_some(cells)
}

/// What stands between backticks and begins with `./x`.
fn commands(cell: &str) -> Vec<Vec<&str>> {
    let quoted = cell.split('`').skip(1).step_by(2);
    let commands = quoted.filter_map(|words| words.strip_prefix("./x "));
    commands
        .map(|words| words.split_whitespace().collect())
        .collect()
}

/// All functions behind `#[test]` in the crates.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![root().join("crates")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(path).unwrap();
                let behind = text.split("#[test]").skip(1);
                found.extend(behind.filter_map(name).map(String::from));
            }
        }
    }
    found
}

/// The name of the function that begins a text, behind further attributes.
fn name(text: &str) -> Option<&str> {
    let start = text.find("fn ")? + 3;
    let end = text[start..].find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    Some(&text[start..start + end])
}

#[test]
fn every_row_has_a_command_that_is_there() {
    let page = std::fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let tests = tests();
    let mut rows = 0;
    for line in page.lines() {
        let Some(cells) = cells(line) else { continue };
        assert_eq!(cells.len(), 4, "four columns: {line}");
        rows += 1;
        let commands = commands(cells[3]);
        assert!(!commands.is_empty(), "no command: {line}");
        for command in commands {
            match command.as_slice() {
                ["test", name] => assert!(tests.contains(*name), "no test {name}: {line}"),
                ["bench", words @ ..] => {
                    let words = std::iter::once("rigel-bench").chain(words.iter().copied());
                    if let Err(error) = Cli::try_parse_from(words) {
                        panic!("{error}: {line}");
                    }
                }
                _ => panic!("neither a test nor a bench: {line}"),
            }
        }
    }
    assert!(rows > 90, "{rows} rows");
}

#[test]
fn names_and_commands_are_found() {
    assert_eq!(name("\n    #[ignore]\n    fn a_b(x in y) {"), Some("a_b"));
    assert_eq!(
        commands("`./x test a`, x `b` `./x bench c d`"),
        [vec!["test", "a"], vec!["bench", "c", "d"]]
    );
    assert_eq!(cells("| a | b |"), Some(vec!["a", "b"]));
    assert_eq!((cells("| --- | --- |"), cells("text")), (None, None));
}
