//! What a result must say of where and when it was measured.

use std::time::{SystemTime, UNIX_EPOCH};

/// The processor and how many of it, memory, and the compilers that figures are ratios of.
pub fn describe() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let cores = match cores {
        1 => "1 core".to_string(),
        n => format!("{n} cores"),
    };
    let gib = field(&memory, "MemTotal").and_then(|v| v.split(' ').next()?.parse::<f64>().ok());
    let gib = gib.map_or(String::new(), |kib| {
        format!(", {:.0} GiB", kib / (1 << 20) as f64)
    });
    let processor = field(&cpus, "model name").unwrap_or("unknown processor");
    format!("{processor}, {cores}{gib}")
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let mut found = lines.filter(|(key, _)| key.trim() == name);
    found.next().map(|(_, value)| value.trim())
}

/// Year, month and day, in UTC.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    date(since.map_or(0, |since| since.as_secs() / 86_400))
}

/// Of a number of days since 1970, by the calendar: years are counted from March on, so that the odd day is the last one.
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        let known = [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_454, "2026-01-01"),
            (20_818, "2026-12-31"),
        ];
        for (days, name) in known {
            assert_eq!(date(days), name);
        }
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t: 85\nmodel name\t: A: B\n";
        assert_eq!(field(text, "model name"), Some("A: B"));
        assert_eq!(field(text, "name"), None);
        assert!(describe().contains("core"));
    }
}
