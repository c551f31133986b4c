//! Rules that users write (`--rule-file`): their texts are read here, and nowhere else.

use crate::cli;

/// From now on there are the rules of these files, and those that rigel comes with. A file that cannot be used ends the run: without
/// its rules a report would read as if they had been kept.
pub fn install(given: &cli::RuleFiles) -> Result<(), String> {
    let mut files = Vec::new();
    for file in &given.rule_file {
        let shown = file.display().to_string();
        let bytes = std::fs::read(file).map_err(|e| format!("{shown}: no rules: {e}"))?;
        let text =
            String::from_utf8(bytes).map_err(|_| format!("{shown}: no rules: it is not UTF-8"))?;
        files.push((shown, text));
    }
    rules::user::install(files)
}
