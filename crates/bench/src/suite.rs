//! `bench all`, `bench quick` and `bench list`: every benchmark, one after the other.
//!
//! Each is a process of its own, as if it were called by hand: memory and threads of one do not change the figures of the next, and one
//! that fails does not end the others.

use crate::out::{Out, Report};
use crate::table::Table;
use anyhow::bail;
use serde_json::json;
use std::process::Command;
use std::time::Instant;

/// A benchmark: what it is called, what it shows, and its arguments in the quick and in the whole run.
struct Part {
    name: &'static str,
    shows: &'static str,
    quick: &'static str,
    all: &'static str,
}

const PARTS: [Part; 10] = [
    Part {
        name: "front",
        shows: "reading and lowering, over clang's own time",
        quick: "zlib lua --repeat 3",
        all: "zlib lua jpeg-6b libxslt libxml2 sendmail spin sqlite3 leveldb jsoncpp tinyxml2",
    },
    Part {
        name: "cold",
        shows: "a whole check, over clang -O0 -c",
        quick: "zlib lua tinyxml2 --repeat 3",
        all: "zlib lua jpeg-6b libxslt libxml2 sendmail spin sqlite3 leveldb jsoncpp tinyxml2 --repeat 3",
    },
    Part {
        name: "search",
        shows: "states and time of level 1: plain, covering, differencing, aggregation",
        quick: "zlib --repeat 3",
        all: "sqlite3 libxml2 leveldb --repeat 3",
    },
    Part {
        name: "level2",
        shows: "what becomes of level 1's potential errors, and the time of a path",
        quick: "zlib lua jpeg-6b",
        all: "zlib lua jpeg-6b libxslt libxml2 sendmail spin sqlite3 leveldb",
    },
    Part {
        name: "reduction",
        shows: "rounds of refinement, and who made the observers",
        quick: "zlib lua --repeat 1",
        all: "zlib lua jpeg-6b libxslt libxml2 sendmail spin sqlite3 leveldb --repeat 1",
    },
    Part {
        name: "incremental",
        shows: "what an edit costs the analysis, IncrFwd and IncrBack against Full",
        quick: "zlib --count 20 --draws 1 --quick --jobs 1",
        all: "sendmail spin sqlite3 --quick --jobs 1",
    },
    Part {
        name: "dual",
        shows: "conditions of functions: Fig. 4 and real programs, over clang -O0 -c",
        quick: "zlib --repeat 1",
        all: "zlib lua jpeg-6b tinyxml2",
    },
    Part {
        name: "projection",
        shows: "error projections of Boolean programs: functional automata against double pre*",
        quick: "5000 --repeat 1",
        all: "",
    },
    Part {
        name: "peers",
        shows: "clang --analyze, gcc -fanalyzer, cppcheck: time, memory, reports",
        quick: "zlib lua tinyxml2 --units 4 --cap 60",
        all: "zlib lua jpeg-6b libxslt libxml2 sendmail spin sqlite3 leveldb jsoncpp tinyxml2",
    },
    Part {
        name: "gate",
        shows: "instructions, states, solver calls, findings, against the baseline",
        quick: "--quick",
        all: "",
    },
];

/// Not in `all`: they need something, or say nothing that changes.
const OTHERS: [(&str, &str); 6] = [
    (
        "score CORPUS",
        "recall and precision on a corpus with known answers, of rigel and peers",
    ),
    (
        "edit",
        "what a user waits for after an edit, and the size of the store",
    ),
    ("lower", "how completely real programs lower"),
    ("text", "the text form of real programs reads back"),
    (
        "page",
        "writes the tables of all results into docs/evaluation.md",
    ),
    ("list", "this list"),
];

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Within an hour on two cores.
    Quick,
    /// Over night.
    All,
}

pub fn list() {
    let mut table = Table::new(&["./x bench …", "shows", "in quick", "in all"]);
    for part in PARTS {
        table.row([part.name, part.shows, part.quick, part.all].map(String::from));
    }
    for (name, shows) in OTHERS {
        table.row([name, shows, "", ""].map(String::from));
    }
    table.row(["quick", "the first ten, small: within an hour", "", ""].map(String::from));
    table.row(["all", "the first ten, whole: over night", "", ""].map(String::from));
    print!("{table}");
    println!(
        "Results: target/bench, or --out DIR: a table, NAME.json, curves as SVG. `./x bench NAME --help` tells more."
    );
}

pub fn run(out: &Out, extent: Extent, only: &[String]) -> anyhow::Result<()> {
    if let Some(unknown) = only
        .iter()
        .find(|name| !PARTS.iter().any(|part| part.name == **name))
    {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("no benchmark {unknown}: there are {}", names.join(", "));
    }
    let executable = std::env::current_exe()?;
    let mut table = Table::new(&["benchmark", "arguments", "wall", ""]);
    let mut failed = Vec::new();
    let mut report = Report::new(match extent {
        Extent::Quick => "quick",
        Extent::All => "all",
    });
    for part in PARTS {
        if !only.is_empty() && !only.iter().any(|name| name == part.name) {
            continue;
        }
        let arguments = match extent {
            Extent::Quick => part.quick,
            Extent::All => part.all,
        };
        println!("\n== {}: {}", part.name, part.shows);
        let start = Instant::now();
        let status = Command::new(&executable)
            .arg("--out")
            .arg(out.directory())
            .arg(part.name)
            .args(arguments.split_whitespace())
            .status()?;
        let seconds = start.elapsed().as_secs_f64();
        if !status.success() {
            failed.push(part.name);
        }
        let word = if status.success() { "done" } else { "FAILED" };
        table.row([
            part.name.to_string(),
            arguments.to_string(),
            format!("{seconds:.0} s"),
            word.to_string(),
        ]);
        report.data(
            part.name,
            json!({ "seconds": seconds, "done": status.success() }),
        );
    }
    println!();
    report.table(table);
    out.write(&report)?;
    match failed.as_slice() {
        [] => Ok(()),
        failed => bail!("failed: {}", failed.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::Parser;

    /// What `quick` and `all` pass on is understood.
    #[test]
    fn every_part_is_a_command() {
        for part in PARTS {
            for arguments in [part.quick, part.all] {
                let words = ["rigel-bench", "--out", "/tmp/x", part.name];
                let words = words.into_iter().chain(arguments.split_whitespace());
                if let Err(error) = Cli::try_parse_from(words) {
                    panic!("{} {arguments}: {error}", part.name);
                }
            }
        }
    }

    #[test]
    fn an_unknown_part_is_an_error_that_names_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let out = Out::new(Some(folder.path().to_path_buf())).unwrap();
        let error = run(&out, Extent::Quick, &["other".to_string()]).unwrap_err();
        assert!(
            error.to_string().contains("there are front, cold, search"),
            "{error}"
        );
    }
}
