//! The interpreter against the machine on random programs: csmith's checksums.
//!
//! CI runs the first [`IN_CI`] seeds; `RIGEL_CSMITH=1..=347` (or `1..348`, or one seed) runs a
//! range.

mod common;

use common::native::{self, Ran};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

/// Reasonable size: some hundred lines each.
const OPTIONS: [&str; 8] = [
    "--max-funcs",
    "6",
    "--max-block-depth",
    "3",
    "--max-array-dim",
    "2",
    "--max-array-len-per-dim",
    "6",
];

/// Three hundred programs that end, and those that do not.
const SEEDS: RangeInclusive<u32> = 1..=347;

/// How many programs CI runs.
const IN_CI: usize = 30;

/// Seeds whose program does not end: compiled by clang -O0, it had not after 30 seconds of
/// processor time (the others take milliseconds). Nothing else is a reason to be here.
const ENDLESS: &[u32] = &[
    7, 35, 39, 40, 81, 92, 103, 104, 108, 110, 111, 117, 127, 129, 136, 140, 141, 153, 155, 156,
    157, 192, 197, 203, 204, 206, 208, 230, 233, 236, 246, 256, 259, 264, 266, 276, 280, 284, 287,
    298, 299, 307, 310, 312, 322, 338, 343,
];

const INCLUDE: &str = "/usr/include/csmith";

/// Seconds, far beyond what a program that ends needs: it guards the test, and decides nothing.
const LIMIT: u32 = 60;

fn seeds() -> Vec<u32> {
    let ends = |s: &u32| !ENDLESS.contains(s);
    let Ok(range) = std::env::var("RIGEL_CSMITH") else {
        return SEEDS.filter(ends).take(IN_CI).collect();
    };
    let number = |s: &str| -> u32 {
        s.parse()
            .unwrap_or_else(|_| panic!("RIGEL_CSMITH={range}: not a range such as 1..=347"))
    };
    let seeds: RangeInclusive<u32> = match range.split_once("..") {
        Some((from, to)) => match to.strip_prefix('=') {
            Some(to) => number(from)..=number(to),
            None => number(from)..=number(to) - 1,
        },
        None => number(&range)..=number(&range),
    };
    seeds.filter(ends).collect()
}

/// Why the two differ, if they do.
fn compare(seed: u32, directory: &Path) -> Result<(), String> {
    let source = directory.join(format!("{seed}.c"));
    let generated = Command::new("csmith")
        .args(["--seed", &seed.to_string()])
        .args(OPTIONS)
        // It leaves a file where it runs.
        .current_dir(source.parent().unwrap())
        .output()
        .unwrap_or_else(|e| panic!("csmith: {e} (./x setup installs it)"));
    assert!(generated.status.success(), "csmith fails on seed {seed}");
    std::fs::write(&source, &generated.stdout).unwrap();

    let executable = directory.join(format!("{seed}"));
    let flags = [format!("-I{INCLUDE}")];
    native::compile("clang-19", &flags, &[&source], &executable);
    let Some(machine) = native::run_within(&executable, LIMIT) else {
        return Err("does not end: does it belong to ENDLESS?".to_string());
    };
    let machine = Ran::of(&machine);

    let flags = format!("--flags=-w -I{INCLUDE}");
    let rigel = common::command(&["run", &flags])
        .arg(&source)
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&rigel.stderr);
    let rigel = Ran::of(&rigel);
    std::fs::remove_file(&executable).unwrap();
    if machine == rigel {
        return Ok(());
    }
    Err(format!("machine {machine:?}, rigel {rigel:?}\n{words}"))
}

#[test]
fn checksums() {
    assert!(
        Path::new(INCLUDE).join("csmith.h").exists(),
        "{INCLUDE}/csmith.h is missing: ./x setup installs libcsmith-dev"
    );
    let directory = tempfile::tempdir().unwrap();
    let seeds = seeds();
    assert!(!seeds.is_empty(), "no seeds to run");
    let failures: Vec<String> = seeds
        .iter()
        .filter_map(|&s| compare(s, directory.path()).err().map(|e| (s, e)))
        .map(|(s, e)| format!("seed {s}: {e}"))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} programs differ:\n{}",
        failures.len(),
        seeds.len(),
        failures.join("\n")
    );
}

#[test]
fn three_hundred_programs_remain() {
    assert_eq!(SEEDS.filter(|s| !ENDLESS.contains(s)).count(), 300);
}
