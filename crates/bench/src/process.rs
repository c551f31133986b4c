//! A command with a limit in time, and what it cost: CPU and memory of it and all that it started.
//!
//! The kernel tells who waits for a process what that and its children have used (`wait4`). A compiler driver starts others, and
//! one that is ended at its limit does not wait for them; so this process adopts what is left of the group, and
//! waits for that, too.
#![allow(unsafe_code)]

use anyhow::Context;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Once;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What a command used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// User and system time, in seconds.
    pub cpu: f64,
    /// By the clock on the wall.
    pub wall: f64,
    /// Resident memory of its largest process. The kernel counts from the moment it is started: never less than what this
    /// process itself has.
    pub peak_kib: u64,
}

impl Cost {
    /// One after the other.
    pub fn and(self, other: Cost) -> Cost {
        Cost {
            cpu: self.cpu + other.cpu,
            wall: self.wall + other.wall,
            peak_kib: self.peak_kib.max(other.peak_kib),
        }
    }
}

/// A command that has ended.
pub struct Ended {
    pub stdout: String,
    pub stderr: String,
    /// None if a signal ended it.
    pub code: Option<i32>,
    /// It was ended at its limit.
    pub capped: bool,
    pub cost: Cost,
}

/// Runs a command; at its limit it and all that it started are ended.
pub fn run(command: &mut Command, cap: Option<Duration>) -> anyhow::Result<Ended> {
    adopt();
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot run {name}"))?;
    let group = libc::pid_t::try_from(child.id())?;
    let stdout = child.stdout.take().context("no standard output")?;
    let stderr = child.stderr.take().context("no standard error")?;
    let (done, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let out = scope.spawn(|| all(stdout));
        let errors = scope.spawn(|| all(stderr));
        let watch = scope.spawn(move || {
            let cap = cap.unwrap_or(Duration::from_secs(u32::MAX.into()));
            let late = ended.recv_timeout(cap) == Err(mpsc::RecvTimeoutError::Timeout);
            if late {
                // SAFETY: a signal to a group that this process started, and whose first process it has not waited for.
                unsafe { libc::killpg(group, libc::SIGKILL) };
            }
            late
        });
        let first = wait(group, 0);
        drop(done);
        let capped = watch.join().unwrap_or(false);
        let (status, mut cost) = first.with_context(|| format!("cannot wait for {name}"))?;
        // Orphans of the group: all of them are ended at the limit; else who goes on is not waited for.
        let options = if capped { 0 } else { libc::WNOHANG };
        while let Some((_, more)) = wait(-group, options) {
            cost = cost.and(more);
        }
        cost.wall = start.elapsed().as_secs_f64();
        Ok(Ended {
            stdout: out.join().unwrap_or_default(),
            stderr: errors.join().unwrap_or_default(),
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            capped,
            cost,
        })
    })
}

/// What cannot be decoded is replaced: a tool may quote any source.
fn all(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Orphans come to this process, so that what they used is known.
fn adopt() {
    static ONCE: Once = Once::new();
    // SAFETY: sets a flag of this process; the other arguments are not looked at.
    ONCE.call_once(|| {
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1_u64, 0_u64, 0_u64, 0_u64) };
    });
}

/// Waits for a process (or, negative, for any of a group): its status and what it used. None if there is none that has ended.
fn wait(pid: libc::pid_t, options: libc::c_int) -> Option<(libc::c_int, Cost)> {
    let mut status = 0;
    loop {
        // SAFETY: all-zero is a valid rusage, and the kernel fills what it is given.
        let (ended, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            let ended = libc::wait4(pid, &mut status, options, &mut usage);
            (ended, usage)
        };
        if ended < 0 && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted {
            continue;
        }
        let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
        let cost = Cost {
            cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            wall: 0.0,
            peak_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
        };
        return (ended > 0).then_some((status, cost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, cap: Option<Duration>) -> Ended {
        run(Command::new("sh").args(["-c", script]), cap).unwrap()
    }

    #[test]
    fn what_it_said_and_used_is_known() {
        let ended = shell("echo out; echo err >&2; exit 3", None);
        assert_eq!(
            (ended.stdout.as_str(), ended.stderr.as_str()),
            ("out\n", "err\n")
        );
        assert_eq!((ended.code, ended.capped), (Some(3), false));
        assert!(ended.cost.peak_kib > 100 && ended.cost.wall > 0.0);
    }

    #[test]
    fn at_the_limit_all_that_it_started_ends() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        // The inner shell is not waited for by the outer one, which is ended with it.
        let busy = format!("echo \\$\\$ > {}; while :; do :; done", pid.display());
        let ended = shell(
            &format!("sh -c \"{busy}\"; true"),
            Some(Duration::from_millis(300)),
        );
        assert!(ended.capped && ended.code.is_none());
        assert!(ended.cost.cpu > 0.0, "{:?}", ended.cost);
        // On a busy machine it may not even have begun.
        if let Ok(pid) = std::fs::read_to_string(pid)
            && !pid.trim().is_empty()
        {
            let there = std::path::Path::new("/proc").join(pid.trim());
            assert!(!there.exists(), "{pid} is still there");
        }
    }

    #[test]
    fn a_command_that_is_not_there_is_an_error() {
        let error = run(&mut Command::new("no-such-command-here"), None)
            .err()
            .unwrap();
        assert!(error.to_string().contains("no-such-command-here"));
    }

    #[test]
    fn costs_add_up_and_memory_does_not() {
        let cost = |cpu, peak_kib| Cost {
            cpu,
            wall: 1.0,
            peak_kib,
        };
        assert_eq!(
            cost(1.0, 7).and(cost(2.0, 5)),
            Cost {
                cpu: 3.0,
                wall: 2.0,
                peak_kib: 7
            }
        );
    }
}
