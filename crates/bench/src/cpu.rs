//! CPU time, as the kernel counts it: a busy machine changes it little.

use anyhow::Context;

/// The kernel shows times in hundredths of a second, on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// User and system time of this process, all threads, in seconds.
pub fn own() -> anyhow::Result<f64> {
    read(14)
}

/// User and system time of all children that have ended and were waited for, with all of theirs,
/// in seconds.
pub fn of_children() -> anyhow::Result<f64> {
    read(16)
}

fn read(field: usize) -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    seconds(&stat, field).context("/proc/self/stat is not as it should be")
}

/// Two fields of `/proc/PID/stat`, counted from 1: `utime` and `stime` are 14 and 15, `cutime` and
/// `cstime` 16 and 17. The name in field 2 may contain anything, but in the last parentheses.
fn seconds(stat: &str, field: usize) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(field.checked_sub(3)?);
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
        assert_eq!(seconds(stat, 14), Some(23.0));
        assert_eq!(seconds(stat, 16), Some(3.0));
        assert_eq!(seconds("7 (a) S 1", 14), None);
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
