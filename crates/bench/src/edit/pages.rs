//! What was measured, for people: tables for the terminal and for a page. The page has nothing in it that changes
//! without a new measurement.

use super::measure::{Edit, Measured};
use super::{ALLOWANCE, DISK, FACTOR, NOTHING, Wishes};
use crate::machine;
use crate::out::Report;
use crate::table::Table;
use std::path::Path;

/// The edit with the median of what it takes of its limit.
fn median(edits: &[Edit]) -> Option<&Edit> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by(|a, b| (a.check / a.limit()).total_cmp(&(b.check / b.limit())));
    sorted.get(sorted.len() / 2).copied()
}

/// One row a program, one verdict a limit.
fn limits(all: &[Measured]) -> Table {
    let (idle, disk) = (
        format!("≤ {:.0} %", 100.0 * NOTHING),
        format!("≤ {DISK:.0}"),
    );
    let mut table = Table::new(&[
        "program",
        "units",
        "edited file",
        "clang",
        "check",
        "limit",
        "≤ limit",
        "within",
        "first",
        "nothing edited",
        "of first",
        &idle,
        "store",
        "objects",
        "ratio",
        &disk,
    ]);
    for measured in all {
        let Some(edit) = median(&measured.edits) else {
            continue;
        };
        let within = measured.edits.iter().filter(|e| e.is_within()).count();
        let idle = measured.nothing / measured.cold;
        let disk = measured.store as f64 / measured.objects as f64;
        table.row([
            measured.name.clone(),
            measured.units.to_string(),
            measured.file.clone(),
            seconds(edit.clang),
            seconds(edit.check),
            seconds(edit.limit()),
            met(edit.is_within()),
            format!("{within} of {}", measured.edits.len()),
            seconds(measured.cold),
            format!("{:.0} ms", 1000.0 * measured.nothing),
            format!("{:.1} %", 100.0 * idle),
            met(idle <= NOTHING),
            megabytes(measured.store),
            megabytes(measured.objects),
            format!("{disk:.2}"),
            met(disk <= DISK),
        ]);
    }
    table
}

/// One row an edit.
fn edits(all: &[Measured]) -> Table {
    let mut table = Table::new(&[
        "program",
        "function",
        "line",
        "clang",
        "check",
        "limit",
        "≤ limit",
    ]);
    for measured in all {
        for edit in &measured.edits {
            table.row([
                measured.name.clone(),
                edit.function.clone(),
                edit.line.to_string(),
                seconds(edit.clang),
                seconds(edit.check),
                seconds(edit.limit()),
                met(edit.is_within()),
            ]);
        }
    }
    table
}

fn met(met: bool) -> String {
    if met { "met" } else { "missed" }.to_string()
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.2} s")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// What the columns mean, and the limits.
fn explanation() -> String {
    format!(
        "A statement is put at the start of a function in the program's largest file, on a line of its own, so that all lines below it \
         move; edits stay. *check*: `rigel check` of the whole program after it. *clang*: what clang takes to emit that one unit as \
         bitcode, at the same moment. *limit*: {FACTOR} × clang + {:.0} ms. The median edit by check / limit counts; \
         *within*: how many of all are. *first*: a check that knows nothing; with *nothing edited* it may take {:.0} % of that. \
         *store*: what is kept, after all edits or before, whichever is more; *objects*: the object files of a debug build (`-g -O0`); \
         the limit is {DISK:.0} times as much. Wall-clock; sizes are those of the files. After every edit the report was that \
         of `--fresh`, byte for byte.",
        1000.0 * ALLOWANCE,
        100.0 * NOTHING,
    )
}

/// A measurement of another build than that of users says so.
fn build() -> &'static str {
    match cfg!(debug_assertions) {
        true => "*Not the release build*: with assertions, and slower. ",
        false => "",
    }
}

/// For the terminal.
pub fn report(all: &[Measured]) -> Report {
    let mut report = Report::new("edit");
    report.words(format!("{}{}\n", build(), explanation()));
    report.table(limits(all));
    report.words("");
    report.table(edits(all));
    report
}

/// The page.
fn page(wishes: &Wishes, machine: &str, all: &[Measured]) -> String {
    format!(
        "# What a user waits for after an edit\n\nMade by `./x bench edit {} --edits {} --docs docs` on {machine}. {}What the \
         analysis alone costs is in [incremental.md](incremental.md).\n\n{}\n\n{}\n## The edits\n\n{}",
        wishes.programs.join(" "),
        wishes.edits,
        build(),
        explanation(),
        limits(all).markdown(),
        edits(all).markdown()
    )
}

/// Writes the page into a directory.
pub fn write(directory: &Path, wishes: &Wishes, all: &[Measured]) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    std::fs::write(
        directory.join("edit.md"),
        page(wishes, &machine::describe(), all),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(function: &str, clang: f64, check: f64) -> Edit {
        Edit {
            function: function.to_string(),
            line: 7,
            clang,
            check,
        }
    }

    /// Limits of the edits: 1.65 s, 1.65 s and 3.15 s, of which they take 182 %, 61 % and 95 %.
    fn measured() -> Measured {
        Measured {
            name: "p".to_string(),
            units: 2,
            file: "src/a.c".to_string(),
            cold: 10.0,
            nothing: 0.6,
            edits: vec![
                edit("f", 1.0, 3.0),
                edit("g", 1.0, 1.0),
                edit("h", 2.0, 3.0),
            ],
            store: 3_000_000,
            objects: 1_000_000,
        }
    }

    #[test]
    fn the_median_edit_is_judged() {
        let measured = measured();
        assert_eq!(median(&measured.edits).unwrap().function, "h");
        assert!(median(&[]).is_none());
    }

    #[test]
    fn every_limit_has_a_verdict() {
        let table = limits(&[measured()]).markdown();
        let row = table.lines().nth(2).unwrap();
        assert_eq!(
            row,
            "| p | 2 | src/a.c | 2.00 s | 3.00 s | 3.15 s | met | 2 of 3 | 10.00 s | 600 ms | 6.0 % | missed | 3.0 MB | 1.0 MB | 3.00 | met |"
        );
        let mut more = measured();
        more.store = 3_010_000;
        more.nothing = 0.5;
        more.edits.truncate(1);
        let table = limits(&[more]).markdown();
        let row = table.lines().nth(2).unwrap();
        assert_eq!(
            row,
            "| p | 2 | src/a.c | 1.00 s | 3.00 s | 1.65 s | missed | 0 of 1 | 10.00 s | 500 ms | 5.0 % | met | 3.0 MB | 1.0 MB | 3.01 | missed |"
        );
    }

    #[test]
    fn the_page_says_how_it_was_made() {
        let wishes = Wishes {
            programs: vec!["p".to_string()],
            edits: 3,
            docs: None,
        };
        let page = page(&wishes, "a machine, 2 cores", &[measured()]);
        assert!(page.contains("`./x bench edit p --edits 3 --docs docs` on a machine, 2 cores."));
        assert!(page.contains("*limit*: 1.5 × clang + 150 ms."));
        assert!(page.contains("5 % of that"));
        assert!(page.contains("| of first | ≤ 5 % |") && page.contains("| ratio | ≤ 3 |"));
        assert!(page.contains("| p | g | 7 | 1.00 s | 1.00 s | 1.65 s | met |\n"));
    }
}
