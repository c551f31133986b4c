//! `bench page`: the tables of `docs/evaluation.md` are those that were measured last.
//!
//! The page is written by people; where a table belongs there is a pair of marks, and what is between them is replaced:
//!
//! ```text
//! <!-- bench cold -->
//! … made by `bench page` from cold.json
//! <!-- end -->
//! ```
//!
//! A mark whose result is not in the folder keeps what it has.

use crate::out::Out;
use crate::table::Table;
use anyhow::{Context, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};

const END: &str = "<!-- end -->";

/// The page, if no other is named.
pub fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/evaluation.md")
}

pub fn run(out: &Out, page: &Path) -> anyhow::Result<()> {
    let text =
        std::fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let mut done = Vec::new();
    let written = fill(&text, |name| {
        let path = out.directory().join(format!("{name}.json"));
        let Ok(result) = std::fs::read_to_string(&path) else {
            eprintln!(
                "bench: {name}: there is no {}; its table stays",
                path.display()
            );
            return Ok(None);
        };
        let result: Value = serde_json::from_str(&result)
            .with_context(|| format!("{} is no result", path.display()))?;
        done.push(name.to_string());
        markdown(&result)
            .map(Some)
            .with_context(|| format!("{} is no result", path.display()))
    })?;
    std::fs::write(page, written).with_context(|| format!("cannot write {}", page.display()))?;
    println!("{}: {}", page.display(), done.join(", "));
    Ok(())
}

/// The text with what the marks ask for.
fn fill(
    text: &str,
    mut result: impl FnMut(&str) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("<!-- bench ") {
        let mark = &rest[start..];
        let line = mark.lines().next().unwrap_or_default();
        let name = line
            .trim_start_matches("<!-- bench ")
            .trim_end_matches("-->")
            .trim();
        let Some(end) = mark.find(END) else {
            bail!("the mark of {name} has no {END}");
        };
        filled.push_str(&rest[..start + line.len()]);
        match result(name)? {
            Some(made) => filled.push_str(&format!("\n{made}")),
            None => filled.push_str(&mark[line.len()..end]),
        }
        filled.push_str(END);
        rest = &mark[end + END.len()..];
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A result as it stands on a page.
fn markdown(result: &Value) -> Option<String> {
    let word = |key: &str| result[key].as_str().unwrap_or_default();
    let mut text = format!(
        "`{}` · {} · {}\n\n",
        word("command"),
        word("machine"),
        word("date")
    );
    for table in result["tables"].as_array()? {
        text.push_str(&Table::from_json(table)?.markdown());
        text.push('\n');
    }
    for words in result["words"].as_array()? {
        let words = words.as_str()?.trim();
        if !words.is_empty() {
            text.push_str(&format!("{words}\n\n"));
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_is_between_marks_changes() {
        let text = "# A\n<!-- bench cold -->\nbefore\n<!-- end -->\nmine\n<!-- bench other -->\nkept\n<!-- end -->\nend\n";
        let new = |name: &str| Ok((name == "cold").then(|| "behind\n".to_string()));
        let expected = text.replace("before", "behind");
        let filled = fill(text, new).unwrap();
        assert_eq!(filled, expected);
        // Again: the same.
        assert_eq!(fill(&filled, new).unwrap(), expected);
        assert!(fill("<!-- bench x -->\n", new).is_err());
    }

    #[test]
    fn a_result_says_where_it_comes_from() {
        let result = json!({
            "command": "./x bench cold", "machine": "M, 2 cores", "date": "2026-11-20",
            "tables": [{ "head": ["a", "b"], "rows": [["1", "2"]] }], "words": ["w", ""],
        });
        let expected = "`./x bench cold` · M, 2 cores · 2026-11-20\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n\nw\n\n";
        assert_eq!(markdown(&result).as_deref(), Some(expected));
        assert_eq!(markdown(&json!({})), None);
    }
}
