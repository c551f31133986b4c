//! CPU time, as the kernel counts it: a busy machine changes it little.

use anyhow::Context;
use rustix::time::{ClockId, clock_gettime};

/// The kernel shows times of other processes in hundredths of a second, on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// User and system time of this process, all threads, in seconds, to the nanosecond.
pub fn own() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// User and system time of all children that have ended and were waited for, with all of theirs,
/// in seconds.
pub fn of_children() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    seconds(&stat).context("/proc/self/stat is not as it should be")
}

/// Two fields of `/proc/PID/stat`: `cutime` and `cstime` are 16 and 17, counted from 1. The name in field 2 may contain
/// anything, but in the last parentheses.
fn seconds(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(13);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_fields_are_read() {
        let stat = "7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 1100 1200 250 50 20 0 1 0";
        assert_eq!(seconds(stat), Some(3.0));
        assert_eq!(seconds("7 (a) S 1"), None);
    }

    #[test]
    fn the_own_clock_is_fine() {
        let before = own();
        let mut last = before;
        let mut steps = 0;
        while last - before < 0.005 {
            let now = own();
            steps += usize::from(now > last);
            last = now;
        }
        assert!(steps > 10, "{steps} steps in 5 ms");
    }

    #[test]
    fn children_count_when_they_have_ended() {
        let before = of_children().unwrap();
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let status = std::process::Command::new("sh").args(["-c", busy]).status();
        assert!(status.unwrap().success());
        assert!(of_children().unwrap() > before);
    }
}
