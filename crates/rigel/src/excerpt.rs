//! A few lines of source with a mark under the column that matters.

use std::fmt::Write;
use std::path::Path;

/// Lines shown before the marked one.
const BEFORE: u32 = 2;

/// The excerpt, or nothing if the file is gone or shorter than the position says.
pub fn render(path: &Path, line: u32, column: u32, label: &str) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    excerpt(&String::from_utf8_lossy(&text), line, column, label).unwrap_or_default()
}

fn excerpt(text: &str, line: u32, column: u32, label: &str) -> Option<String> {
    let first = line.saturating_sub(BEFORE).max(1);
    let lines: Vec<&str> = text
        .lines()
        .skip(first as usize - 1)
        .take((line - first + 1) as usize)
        .collect();
    let marked = *lines.last().filter(|_| lines.len() == (line - first + 1) as usize)?;
    let width = line.to_string().len();
    let mut out = String::new();
    let _ = writeln!(out, "{:width$} |", "");
    for (number, source) in (first..).zip(&lines) {
        // Empty lines above the first word tell nothing.
        if number < line && source.trim().is_empty() && number == first {
            continue;
        }
        let _ = writeln!(out, "{}", format!("{number:width$} | {source}").trim_end());
    }
    // Tabs stay tabs, so that the mark stands under its column whatever their width.
    let indent: String = marked
        .chars()
        .take(column.saturating_sub(1) as usize)
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let _ = writeln!(out, "{}", format!("{:width$} | {indent}^ {label}", "").trim_end());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn marks_stand_under_their_column() {
        let text = "int f(int *p)\n{\n\tint x = 1;\n\treturn x + *p;\n}\n";
        expect![[r#"
              |
            2 | {
            3 | 	int x = 1;
            4 | 	return x + *p;
              | 	           ^ null
        "#]]
        .assert_eq(&excerpt(text, 4, 13, "null").unwrap());
    }

    #[test]
    fn a_position_outside_the_file_gives_nothing() {
        assert_eq!(excerpt("one\n", 9, 1, ""), None);
        assert_eq!(excerpt("", 1, 1, ""), None);
        assert!(excerpt("one\n", 1, 99, "").is_some());
    }
}
