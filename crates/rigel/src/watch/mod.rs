//! `rigel check --watch`: stays, checks again when a file is saved, and says what is different.
//!
//! Every round is a whole check that starts from what the last one kept, so that a round can never
//! say anything else than a check would. A round that fails (a database that is half written) is
//! said, and waited out. So is a file that does not compile: what was found in it is not gone but
//! [not checked](lost), and compared with what is found when it compiles again.

mod changes;
mod eyes;
mod lost;

use crate::check::{self, Checked, Task};
use crate::kept::Kept;
use crate::sources::Files;
use crate::{Exit, cli, print, solver, terminal};
use changes::Changes;
use eyes::Eyes;
use lost::Lost;
use report::Finding;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Instant, SystemTime};

/// The exit code, should the user end it now. Before the first round is over, nothing is known.
static CODE: AtomicU8 = AtomicU8::new(Exit::Failed as u8);

/// Ends when the user ends it, with the exit code of the last round.
pub fn watch(task: &Task) -> Result<Exit, String> {
    if task.output.format == cli::Format::Sarif {
        return Err("--watch: a SARIF report is about one run (use text or json)".to_string());
    }
    // Mistakes that no edit will repair.
    check::possible(task.output, task.how)?;
    solver::level2(task.how)?;
    ctrlc::set_handler(|| std::process::exit(i32::from(CODE.load(Ordering::SeqCst))))
        .map_err(|e| format!("--watch: cannot listen for Ctrl-C: {e}"))?;
    let mut eyes = Eyes::open()?;
    let mut findings: Vec<Finding> = Vec::new();
    // Those of files that do not compile.
    let mut waiting: Vec<Finding> = Vec::new();
    let mut files: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    let mut first = true;
    loop {
        let keeping = cli::Keeping {
            fresh: task.keeping.fresh && first,
            cache: task.keeping.cache.clone(),
        };
        let kept = Kept::open(&keeping, task.input);
        let (start, moment) = (Instant::now(), SystemTime::now());
        let outcome = check::checked(task, &kept);
        kept.complain();
        let units = kept.files();
        let now: Vec<PathBuf> = units.keys().cloned().collect();
        for (unit, made_of) in units {
            let known = files.entry(unit).or_default();
            // One that does not compile now was made of these before.
            if !made_of.is_empty() {
                *known = made_of;
            }
        }
        eyes.look_at(&files, task.input, &task.how.own)?;
        let exit = outcome.as_ref().map_or(Exit::Failed, Checked::exit);
        // Before it is told: who has read the last line may end it.
        CODE.store(exit as u8, Ordering::SeqCst);
        match outcome {
            // Nothing that could change would be seen.
            Err(message) if first && !eyes.see_anything() => return Err(message),
            Err(message) => failed(&message, task),
            Ok(checked) => {
                let lost = Lost::new(checked.unread(), &files, &now, checked.directory());
                let report = &checked.answer.report;
                let changes = Changes::between(&waiting, &findings, &report.findings, &|finding| {
                    lost.has(finding)
                });
                if !tell(&checked, &changes, start, task) {
                    return Ok(exit);
                }
                waiting = (changes.not_checked.iter())
                    .map(|(finding, _)| (*finding).clone())
                    .collect();
                findings = checked.answer.report.findings;
            }
        }
        first = false;
        eyes.wait(moment)?;
    }
}

fn failed(message: &str, task: &Task) {
    print::error(message);
    if task.output.format == cli::Format::Json {
        line(&json!({ "event": "failed", "message": message }));
    }
}

/// Says what is different. False if nobody listens any more.
fn tell(checked: &Checked, changes: &Changes, start: Instant, task: &Task) -> bool {
    let report = &checked.answer.report;
    let named = |list: &[(&Finding, String)]| -> Vec<Value> {
        let one = |(finding, id): &(&Finding, String)| {
            json!({
                "id": id,
                "rule": finding.rule_id(),
                "fingerprint": report::fingerprint(finding),
            })
        };
        list.iter().map(one).collect()
    };
    let told = match task.output.format {
        cli::Format::Json => line(&json!({
            "event": "checked",
            "appeared": changes.appeared.iter().map(|(finding, id)| {
                report::json::finding((finding, id.clone()))
            }).collect::<Vec<Value>>(),
            "gone": named(&changes.gone),
            "not_checked": named(&changes.not_checked),
            "unread": checked.unread().iter().map(|u| u.message.as_str()).collect::<Vec<&str>>(),
            "totals": report::json::totals(&report.totals),
            "exit_code": checked.exit() as i32,
        })),
        _ => {
            let mut style = terminal::style_with(&std::io::stdout(), task.output.color);
            style.full_path = task.output.path == cli::Steps::Full;
            say(&changes.text(&Files::new(checked.directory()), style))
        }
    };
    if task.output.verbose {
        report.notifications.iter().for_each(|n| print::note(n));
    }
    let closing = check::closing_line(checked, start);
    print::status(&format!("{}{closing}", changes.summary()));
    told
}

fn line(value: &Value) -> bool {
    say(&format!("{value}\n"))
}

fn say(text: &str) -> bool {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    written.and_then(|()| stdout.flush()).is_ok()
}
