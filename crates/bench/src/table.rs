//! Tables in plain text, and in Markdown.

use serde_json::{Value, json};
use std::fmt;

pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(head: &[&str]) -> Self {
        Table {
            rows: vec![head.iter().map(ToString::to_string).collect()],
        }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// For programs, and for pages that are made later: the head, and all cells as they are printed.
    pub fn json(&self) -> Value {
        let (head, rows) = match self.rows.split_first() {
            Some((head, rows)) => (head.as_slice(), rows),
            None => (&[][..], &[][..]),
        };
        json!({ "head": head, "rows": rows })
    }

    /// Of what [`Table::json`] has made; none if it is not of that form.
    pub fn from_json(json: &Value) -> Option<Table> {
        let cells = |row: &Value| -> Option<Vec<String>> {
            let cells = row.as_array()?.iter();
            cells.map(|cell| cell.as_str().map(String::from)).collect()
        };
        let mut rows = vec![cells(&json["head"])?];
        for row in json["rows"].as_array()? {
            rows.push(cells(row)?);
        }
        Some(Table { rows })
    }

    /// For a page: the first column to the left, the others to the right.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            text.push_str(&format!("| {} |\n", row.join(" | ")));
            if i == 0 {
                let others = " ---: |".repeat(row.len().saturating_sub(1));
                text.push_str(&format!("| --- |{others}\n"));
            }
        }
        text
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| {
            self.rows
                .iter()
                .filter_map(|r| r.get(c))
                .map(|s| s.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (i, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row
                .iter()
                .enumerate()
                .map(|(c, cell)| {
                    if c == 0 {
                        format!("{cell:<w$}", w = widths[c])
                    } else {
                        format!("{cell:>w$}", w = widths[c])
                    }
                })
                .collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
            if i == 0 {
                writeln!(
                    f,
                    "{}",
                    "-".repeat(widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1))
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_the_same_on_a_page() {
        let mut table = Table::new(&["a", "long"]);
        table.row(["bcd".to_string(), "1".to_string()]);
        assert_eq!(table.to_string(), "a    long\n---------\nbcd     1\n");
        assert_eq!(
            table.markdown(),
            "| a | long |\n| --- | ---: |\n| bcd | 1 |\n"
        );
        let again = Table::from_json(&table.json()).unwrap();
        assert_eq!(again.to_string(), table.to_string());
        assert!(Table::from_json(&json!({ "head": [1] })).is_none());
    }
}
