//! The pool against a worker that crashes, lies and fails on demand (`examples/fake-front.rs`).

use front::pool::{Spare, Task, lower_all, lower_all_watched};
use front::protocol::{Failure, Job, Lowered};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `target/…/examples/fake-front`: cargo builds examples together with the tests.
fn fake_front() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let directory = own.parent().unwrap().parent().unwrap();
    directory.join("examples/fake-front")
}

fn tasks(words: &[&str]) -> Vec<Task> {
    words
        .iter()
        .enumerate()
        .map(|(i, word)| Task {
            job: Job {
                file: format!("{i}.c"),
                directory: "/".into(),
                command: vec![word.to_string()],
            },
            // Neither sorted nor all different.
            bytes: (i * 7 % 5) as u64,
        })
        .collect()
}

/// One word for each answer.
fn answers(words: &[&str], workers: usize) -> Vec<String> {
    lower_all(&fake_front(), &tasks(words), workers)
        .into_iter()
        .map(|answer| match answer {
            Ok(lowered) => lowered.diagnostics,
            Err(Failure::DoesNotCompile { diagnostics, .. }) => diagnostics.trim().to_string(),
            Err(Failure::Internal { reason }) => reason,
            Err(other) => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn answers_are_in_the_order_of_the_jobs_for_any_number_of_workers() {
    let words = [
        "ok", "fail", "ok", "abort", "ok", "exit", "ok", "ok", "garbage", "ok",
    ];
    let one = answers(&words, 1);
    assert_eq!(
        one,
        [
            "0.c",
            "1.c:1:1: error: no",
            "2.c",
            "rigel-front was killed by signal 6 (SIGABRT): LLVM ERROR: no",
            "4.c",
            "rigel-front ended with code 3",
            "6.c",
            "7.c",
            "rigel-front ended without an answer",
            "9.c",
        ]
    );
    assert_eq!(one, answers(&words, 2));
    assert_eq!(one, answers(&words, 20));
}

#[test]
fn who_watches_hears_of_every_task_once() {
    let words = ["ok", "fail", "abort", "garbage", "ok"];
    let heard = AtomicUsize::new(0);
    let finished = |_: usize, _: Option<&Lowered>| {
        heard.fetch_add(1, Ordering::Relaxed);
    };
    lower_all_watched(
        &fake_front(),
        &Spare::default(),
        &tasks(&words),
        2,
        &finished,
    );
    assert_eq!(heard.load(Ordering::Relaxed), words.len());
}

#[test]
fn no_jobs_start_no_workers() {
    assert!(lower_all(&PathBuf::from("/nowhere"), &[], 4).is_empty());
}

#[test]
fn a_worker_that_cannot_be_started_is_named() {
    let answer = lower_all(&PathBuf::from("/nowhere/rigel-front"), &tasks(&["ok"]), 2);
    let Err(Failure::Internal { reason }) = &answer[0] else {
        panic!("{answer:?}");
    };
    assert!(reason.contains("/nowhere/rigel-front"), "{reason}");
}
