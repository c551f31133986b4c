//! Speed-ups, and what is said of many of them.

use super::measure::{Edit, Run};

/// Which run of an edit is meant.
pub type Way = fn(&Edit) -> Run;

/// What was measured of a program.
pub struct Measured {
    pub name: String,
    pub precision: u8,
    /// That can be reached.
    pub functions: usize,
    pub full: Vec<Run>,
    /// One for each function that was edited, with its name.
    pub edits: Vec<(String, Edit)>,
    pub many: Vec<Many>,
}

/// Many functions changed at once.
pub struct Many {
    /// Percent of the functions.
    pub share: usize,
    pub count: usize,
    /// Each with the run of Full just before it: there are few, and a busy machine is not always as busy.
    pub runs: Vec<(Run, Edit)>,
}

/// What is said of many speed-ups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub average: f64,
    pub median: f64,
    pub worst: f64,
    /// Of all the work: the time of that many runs of Full over the time of all edits.
    pub together: f64,
    /// Shares with a speed-up of at least 20, and of at least 2.
    pub twenty: f64,
    pub two: f64,
}

impl Measured {
    /// The median time of Full.
    pub fn full_seconds(&self) -> f64 {
        median(self.full.iter().map(|run| run.seconds).collect())
    }

    pub fn full_transitions(&self) -> u64 {
        self.full.first().map_or(0, |run| run.transitions)
    }

    /// Speed-ups, the best first.
    pub fn speedups(&self, of: Way) -> Vec<f64> {
        let edits = self.edits.iter().map(|(_, edit)| of(edit).seconds);
        speedups(self.full_seconds(), edits)
    }

    /// Transitions of the median edit.
    pub fn transitions(&self, of: Way) -> f64 {
        let all = self.edits.iter().map(|(_, e)| of(e).transitions as f64);
        median(all.collect())
    }

    /// The edits with the smallest speed-up of IncrBack, the worst first.
    pub fn slowest(&self, count: usize) -> Vec<(&str, f64)> {
        let full = self.full_seconds();
        let speedup = |(_, edit): &(String, Edit)| full / edit.backward.seconds.max(1e-9);
        let mut all: Vec<(&str, f64)> = self
            .edits
            .iter()
            .map(|edit| (edit.0.as_str(), speedup(edit)))
            .collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(b.0)));
        all.truncate(count);
        all
    }
}

impl Many {
    /// The average speed-up.
    pub fn average(&self, of: Way) -> f64 {
        let speedup = |(full, edit): &(Run, Edit)| full.seconds / of(edit).seconds.max(1e-9);
        self.runs.iter().map(speedup).sum::<f64>() / self.runs.len().max(1) as f64
    }
}

/// Speed-ups against a time, the best first.
fn speedups(full: f64, seconds: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = seconds.map(|s| full / s.max(1e-9)).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all
}

/// Of speed-ups that are sorted, the best first.
pub fn summary(speedups: &[f64]) -> Summary {
    let count = speedups.len().max(1) as f64;
    let at_least = |n: f64| speedups.iter().filter(|s| **s >= n).count() as f64 / count;
    Summary {
        average: speedups.iter().sum::<f64>() / count,
        median: median(speedups.to_vec()),
        worst: speedups.last().copied().unwrap_or_default(),
        together: count / speedups.iter().map(|s| 1.0 / s).sum::<f64>().max(1e-9),
        twenty: at_least(20.0),
        two: at_least(2.0),
    }
}

/// The one in the middle, or what lies half way between the two; 0 of none.
pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    let half = all.len() / 2;
    match (all.len() % 2, all.get(half)) {
        (_, None) => 0.0,
        (1, Some(middle)) => *middle,
        (_, Some(upper)) => (all[half - 1] + upper) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_held_against_the_run_before() {
        let run = |seconds| Run {
            seconds,
            transitions: 0,
        };
        let edit = |seconds| Edit {
            forward: run(1.0),
            backward: run(seconds),
        };
        let many = Many {
            share: 10,
            count: 1,
            runs: vec![(run(4.0), edit(1.0)), (run(8.0), edit(4.0))],
        };
        assert_eq!(many.average(|edit| edit.backward), 3.0);
        assert_eq!(many.average(|edit| edit.forward), 6.0);
    }

    #[test]
    fn what_is_said_of_speedups() {
        let all = speedups(10.0, [0.25, 5.0, 10.0, 0.5].into_iter());
        assert_eq!(all, [40.0, 20.0, 2.0, 1.0]);
        let said = summary(&all);
        assert_eq!((said.average, said.median, said.worst), (15.75, 11.0, 1.0));
        assert_eq!((said.twenty, said.two), (0.5, 0.75));
        // 40 seconds of Full, 15.75 of edits.
        assert!((said.together - 40.0 / 15.75).abs() < 1e-9);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(Vec::new()), 0.0);
    }
}
