//! What a check said, and in what two checks differ: what is kept between runs may never be seen in a report.

use std::process::Output;

/// What a check said: all of it but the time.
#[derive(PartialEq, Eq)]
pub struct Said {
    report: Vec<u8>,
    code: Option<i32>,
    totals: String,
}

impl Said {
    pub fn new(output: Output) -> Said {
        Said {
            code: output.status.code(),
            totals: totals(&String::from_utf8_lossy(&output.stderr)),
            report: output.stdout,
        }
    }

    /// In what two checks differ, in one line.
    pub fn difference(&self, wanted: &Said) -> Option<String> {
        if self == wanted {
            return None;
        }
        let lines = |said: &Said| -> Vec<String> {
            let report = String::from_utf8_lossy(&said.report);
            report.split('\n').map(String::from).collect()
        };
        let (ours, theirs) = (lines(self), lines(wanted));
        let at = (0..ours.len().max(theirs.len())).find(|i| ours.get(*i) != theirs.get(*i));
        Some(match at {
            Some(at) => {
                let line = |all: &[String]| {
                    all.get(at)
                        .map_or("nothing".to_string(), |l| format!("{l:?}"))
                };
                format!(
                    "line {}: {} instead of {}",
                    at + 1,
                    line(&ours),
                    line(&theirs)
                )
            }
            None if self.totals != wanted.totals => {
                format!("{:?} instead of {:?}", self.totals, wanted.totals)
            }
            None if self.code != wanted.code => {
                format!("exit code {:?} instead of {:?}", self.code, wanted.code)
            }
            None => "bytes that are no text".to_string(),
        })
    }
}

/// What became of the checks, from the last line of standard error; the time stands behind a dot.
fn totals(errors: &str) -> String {
    let last = errors.trim_end().lines().next_back().unwrap_or_default();
    let counts = last.split_once(" · ").map_or(last, |(counts, _)| counts);
    counts.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(report: &str, totals: &str, code: i32) -> Said {
        Said {
            report: report.as_bytes().to_vec(),
            code: Some(code),
            totals: totals.to_string(),
        }
    }

    #[test]
    fn a_difference_is_named() {
        let wanted = said("a\nb\n", "2 units", 1);
        assert_eq!(said("a\nb\n", "2 units", 1).difference(&wanted), None);
        let of = |other: Said| other.difference(&wanted).unwrap();
        assert_eq!(
            of(said("a\nc\n", "2 units", 1)),
            "line 2: \"c\" instead of \"b\""
        );
        assert_eq!(
            of(said("a\nb\n\n", "2 units", 1)),
            "line 4: \"\" instead of nothing"
        );
        assert_eq!(
            of(said("a\nb\n", "3 units", 1)),
            "\"3 units\" instead of \"2 units\""
        );
        assert_eq!(
            of(said("a\nb\n", "2 units", 0)),
            "exit code Some(0) instead of Some(1)"
        );
    }

    #[test]
    fn totals_are_without_the_time() {
        let errors = "rigel: note: x\n2 units, 1 proved · 0.3 s (clang 0.1 s)\n";
        assert_eq!(totals(errors), "2 units, 1 proved");
        assert_eq!(totals(""), "");
    }
}
