//! The one writer of all benchmarks: what is printed is written, too, for programs to read.
//!
//! A benchmark fills a [`Report`] with sentences, tables and curves. [`Out::write`] prints it, and puts `NAME.json`
//! and the curves as `NAME-CURVE.svg` into the folder of `--out`, each with the machine, the day and the command.
//! [`crate::evaluation`] makes pages of these files.

use crate::machine;
use crate::plot::Plot;
use crate::table::Table;
use anyhow::Context;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Where results go.
pub struct Out {
    directory: PathBuf,
}

/// What a benchmark has to say.
pub struct Report {
    name: String,
    pieces: Vec<Piece>,
    curves: Vec<(String, Plot)>,
    data: Map<String, Value>,
}

enum Piece {
    Words(String),
    Table(Table),
}

impl Out {
    /// In this folder; else in `target/bench`, beside the folder that this executable is in.
    pub fn new(wanted: Option<PathBuf>) -> anyhow::Result<Out> {
        let directory = match wanted {
            Some(directory) => directory,
            None => {
                let executable = std::env::current_exe()?;
                let target = executable.parent().and_then(Path::parent);
                target
                    .context("this executable is in no folder")?
                    .join("bench")
            }
        };
        Ok(Out { directory })
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// A further file, in the folder, which is there.
    pub fn file(&self, name: &str) -> anyhow::Result<PathBuf> {
        std::fs::create_dir_all(&self.directory).with_context(|| {
            let directory = self.directory.display();
            format!("cannot make {directory}: give another folder with --out")
        })?;
        Ok(self.directory.join(name))
    }

    /// Prints the report, and writes it.
    pub fn write(&self, report: &Report) -> anyhow::Result<()> {
        print!("{}", report.text());
        self.keep(report)
    }

    /// Writes it only.
    pub fn keep(&self, report: &Report) -> anyhow::Result<()> {
        for (curve, plot) in &report.curves {
            let file = self.file(&format!("{}-{curve}.svg", report.name))?;
            write(&file, &plot.to_svg())?;
        }
        let file = self.file(&format!("{}.json", report.name))?;
        write(
            &file,
            &(serde_json::to_string_pretty(&report.json())? + "\n"),
        )?;
        eprintln!("bench: {}", file.display());
        Ok(())
    }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

impl Report {
    /// The name is that of the file, too.
    pub fn new(name: impl Into<String>) -> Report {
        Report {
            name: name.into(),
            pieces: Vec::new(),
            curves: Vec::new(),
            data: Map::new(),
        }
    }

    pub fn words(&mut self, words: impl Into<String>) {
        self.pieces.push(Piece::Words(words.into()));
    }

    pub fn table(&mut self, table: Table) {
        self.pieces.push(Piece::Table(table));
    }

    pub fn curve(&mut self, name: impl Into<String>, plot: Plot) {
        self.curves.push((name.into(), plot));
    }

    /// Numbers behind the tables, for programs.
    pub fn data(&mut self, key: impl Into<String>, value: Value) {
        self.data.insert(key.into(), value);
    }

    fn text(&self) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Words(words) => format!("{words}\n"),
            Piece::Table(table) => table.to_string(),
        });
        pieces.collect()
    }

    fn json(&self) -> Value {
        let tables = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Table(table) => Some(table.json()),
            Piece::Words(_) => None,
        });
        let words = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Words(words) => Some(words.clone()),
            Piece::Table(_) => None,
        });
        let curves = self.curves.iter();
        json!({
            "bench": self.name,
            "command": command(std::env::args().skip(1)),
            "machine": machine::describe(),
            "date": machine::today(),
            "tables": tables.collect::<Vec<_>>(),
            "words": words.collect::<Vec<_>>(),
            "curves": curves.map(|(curve, _)| format!("{}-{curve}.svg", self.name)).collect::<Vec<_>>(),
            "data": self.data,
        })
    }
}

/// The command as it is repeated; where the results went is left out, and so are names of folders above a file.
fn command(words: impl Iterator<Item = String>) -> String {
    let mut kept = vec!["./x".to_string(), "bench".to_string()];
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if word == "--out" {
            words.next();
        } else if !word.starts_with("--out=") {
            kept.push(word);
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Series;

    fn report() -> Report {
        let mut report = Report::new("some");
        report.words("What it is.");
        let mut table = Table::new(&["program", "n"]);
        table.row(["lua".to_string(), "7".to_string()]);
        report.table(table);
        report.data("lua", json!({ "n": 7 }));
        report.curve(
            "lua",
            Plot {
                title: "t".to_string(),
                across: String::new(),
                up: String::new(),
                series: vec![Series {
                    name: "one".to_string(),
                    values: vec![2.0],
                }],
            },
        );
        report
    }

    #[test]
    fn what_is_printed_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let out = Out::new(Some(folder.path().join("a/b"))).unwrap();
        let report = report();
        out.keep(&report).unwrap();
        assert_eq!(
            report.text(),
            "What it is.\nprogram  n\n----------\nlua      7\n"
        );
        let text = std::fs::read_to_string(folder.path().join("a/b/some.json")).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["tables"][0]["head"], json!(["program", "n"]));
        assert_eq!(json["tables"][0]["rows"], json!([["lua", "7"]]));
        assert_eq!(json["data"]["lua"]["n"], 7);
        assert_eq!(json["curves"], json!(["some-lua.svg"]));
        assert!(json["machine"].is_string() && json["date"].is_string());
        let svg = std::fs::read_to_string(folder.path().join("a/b/some-lua.svg")).unwrap();
        assert!(svg.starts_with("<svg"));
    }

    #[test]
    fn the_command_says_nothing_of_where_it_was_written() {
        let words = [
            "--out", "/tmp/x", "cold", "lua", "--out=/y", "--repeat", "3",
        ];
        let command = command(words.iter().map(ToString::to_string));
        assert_eq!(command, "./x bench cold lua --repeat 3");
    }
}
