//! The same program gives the same bytes: whatever the number of processes and threads, and every
//! time.

mod common;

use serde_json::Value;

/// Files of Lua with a few hundred functions, and errors to report in many of them: latent ones
/// too, so that there is much that could change its place.
const FILES: &[&str] = &[
    "lapi.c",
    "lauxlib.c",
    "lcode.c",
    "ldo.c",
    "lgc.c",
    "lparser.c",
    "lstrlib.c",
    "ltable.c",
    "ltm.c",
];

/// Standard output of `rigel check`.
fn check(format: &str, jobs: &str) -> Vec<u8> {
    let output = common::command(&["check", "--latent", "--format", format, "--jobs", jobs])
        .args(FILES)
        .current_dir(common::lua::directory())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    output.stdout
}

/// `assert_eq` would print megabytes.
fn assert_same(one: &[u8], other: &[u8], what: &str) {
    let at = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let from = |bytes: &[u8]| {
        let end = bytes.len().min(at + 200);
        String::from_utf8_lossy(&bytes[at.saturating_sub(200)..end]).into_owned()
    };
    let same = one == other;
    assert!(
        same,
        "{what}: differs at byte {at}:\n{}\n---\n{}",
        from(one),
        from(other)
    );
}

#[test]
fn the_number_of_jobs_does_not_show() {
    for format in ["text", "json", "sarif"] {
        let one = check(format, "1");
        for jobs in ["2", "4"] {
            assert_same(
                &one,
                &check(format, jobs),
                &format!("{format}, {jobs} jobs"),
            );
        }
    }
}

#[test]
fn ten_runs_are_one() {
    let first = check("json", "4");
    let report: Value = serde_json::from_slice(&first).unwrap();
    // There is something to compare.
    assert!(report["findings"].as_array().unwrap().len() > 100);
    assert!(report["summary"]["functions"].as_u64().unwrap() > 300);
    for run in 2..=10 {
        assert_same(&first, &check("json", "4"), &format!("run {run}"));
    }
}
