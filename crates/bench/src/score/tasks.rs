//! Tasks of SV-COMP: `NAME.yml` beside the program, with the properties and what holds of them.
//!
//! Only the small part of the format is read that is needed. Where a task does not say its data model (edition 2019), the category's
//! `.cfg` does, which covers the folders that the `.set` of the same name lists.

use super::cases::{Task, extension, folder, stem};
use super::layout::{below, names};
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::Path;

/// What can be asked.
pub const PROPERTIES: [&str; 4] = [
    "unreach-call",
    "valid-memsafety",
    "no-overflow",
    "termination",
];

/// Categories, and the property that they are about.
const CATEGORIES: [(&str, &str); 4] = [
    ("ReachSafety", "unreach-call"),
    ("MemSafety", "valid-memsafety"),
    ("NoOverflows", "no-overflow"),
    ("Termination", "termination"),
];

/// All tasks with an expected verdict below a folder, which is the repository, its `c`, or one of the sets.
pub fn find(root: &Path) -> anyhow::Result<Vec<Task>> {
    let models = models(root)?;
    let mut tasks = Vec::new();
    for file in below(root, ".")? {
        let file = file.trim_start_matches("./");
        if extension(file) != "yml" {
            continue;
        }
        let text = std::fs::read(root.join(file)).with_context(|| format!("cannot read {file}"))?;
        let definition = Definition::read(&String::from_utf8_lossy(&text));
        let set = folder(file);
        let name = if set.is_empty() {
            stem(file).to_string()
        } else {
            format!("{set}/{}", stem(file))
        };
        for (property, expected) in definition.expected {
            if !PROPERTIES.contains(&property.as_str()) {
                continue;
            }
            let known = models.get(&(set.clone(), property.clone()));
            let model = definition.model.as_ref().or(known);
            tasks.push(Task {
                id: format!("{name}:{property}"),
                set: set.clone(),
                model: model.map_or("ILP32", String::as_str).to_string(),
                files: definition
                    .files
                    .iter()
                    .map(|file| beside(&set, file))
                    .collect(),
                property,
                expected,
            });
        }
    }
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(tasks)
}

fn beside(set: &str, file: &str) -> String {
    if set.is_empty() {
        file.to_string()
    } else {
        format!("{set}/{file}")
    }
}

#[derive(Default)]
struct Definition {
    files: Vec<String>,
    /// Properties with a verdict.
    expected: Vec<(String, String)>,
    model: Option<String>,
}

impl Definition {
    fn read(text: &str) -> Definition {
        let mut all = Definition::default();
        let mut in_files = false;
        let mut property: Option<String> = None;
        let bare = |word: &str| word.trim_matches([' ', '\'', '"', '[', ']']).to_string();
        for line in text.lines() {
            let line = line.split(" #").next().unwrap_or_default();
            let words = line.trim().trim_start_matches('-').trim();
            let (key, value) = words.split_once(':').unwrap_or((words, ""));
            if key == "input_files" {
                in_files = value.trim().is_empty();
                all.files
                    .extend(value.split(',').map(bare).filter(|file| !file.is_empty()));
                continue;
            }
            if in_files && line.trim().starts_with('-') {
                all.files.push(bare(words));
                continue;
            }
            in_files &= words.is_empty();
            match key {
                "property_file" => property = Some(stem(&bare(value)).to_string()),
                "expected_verdict" => {
                    let known = property.take();
                    all.expected
                        .extend(known.map(|property| (property, bare(value).to_lowercase())));
                }
                "data_model" => all.model = Some(bare(value)),
                _ => {}
            }
        }
        all
    }
}

/// The data model of a set and a property, by the categories.
fn models(root: &Path) -> anyhow::Result<BTreeMap<(String, String), String>> {
    let mut models = BTreeMap::new();
    for file in names(root)?
        .into_iter()
        .filter(|file| extension(file) == "set")
    {
        let category = CATEGORIES
            .iter()
            .find(|(name, _)| file.split('-').next() == Some(name));
        let Some((_, property)) = category else {
            continue;
        };
        let read = |name: String| std::fs::read_to_string(root.join(name)).unwrap_or_default();
        let large = read(format!("{}.cfg", stem(&file))).contains("64 bit");
        let model = if large { "LP64" } else { "ILP32" };
        for line in read(file).lines() {
            let set = line.trim().split('/').next().unwrap_or_default();
            if !set.is_empty() && !set.starts_with('#') {
                let key = (set.to_string(), property.to_string());
                models.entry(key).or_insert_with(|| model.to_string());
            }
        }
    }
    Ok(models)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_of_both_formats_are_read() {
        let old = Definition::read(
            "format_version: '1.0'\n# old name\ninput_files: 'a.i'\nproperties:\n  - property_file: ../properties/unreach-call.prp\n    \
             expected_verdict: true\n  - property_file: ../properties/coverage-branches.prp\n  - property_file: ../p/termination.prp # x\n    \
             expected_verdict: False\n",
        );
        assert_eq!(old.files, ["a.i"]);
        let verdicts = [("unreach-call", "true"), ("termination", "false")];
        assert_eq!(
            old.expected,
            verdicts.map(|(p, v)| (p.to_string(), v.to_string()))
        );
        let new = Definition::read(
            "input_files:\n  - 'a.c'\n  - \"b.c\"\noptions:\n  language: C\n  data_model: LP64\n",
        );
        assert_eq!(new.files, ["a.c", "b.c"]);
        assert_eq!(new.model.as_deref(), Some("LP64"));
    }

    #[test]
    fn models_come_from_the_category() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("NoOverflows-Other.set", "# all\nfar/*.yml\n");
        write("NoOverflows-Other.cfg", "Architecture: 64 bit\n");
        let task = "input_files: t.c\nproperties:\n  - property_file: p/no-overflow.prp\n    expected_verdict: true\n";
        write("far/t.yml", task);
        write("near/t.yml", task);
        let tasks = find(root.path()).unwrap();
        let said: Vec<(&str, &str)> = tasks
            .iter()
            .map(|t| (t.id.as_str(), t.model.as_str()))
            .collect();
        assert_eq!(
            said,
            [
                ("far/t:no-overflow", "LP64"),
                ("near/t:no-overflow", "ILP32")
            ]
        );
        assert_eq!(tasks[0].files, ["far/t.c"]);
    }
}
