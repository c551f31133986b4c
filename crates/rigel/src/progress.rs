//! A bar on standard error while something long runs, if a person is there to see it.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// One bar, for one stage after the other. It may be advanced from any thread.
pub struct Progress(ProgressBar);

impl Progress {
    /// `enabled`: whether standard error is a terminal. Otherwise nothing is ever written.
    pub fn new(enabled: bool) -> Progress {
        let target = match enabled {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        // The template is ours, and right; the default bar would do as well.
        if let Ok(style) = ProgressStyle::with_template("{msg:>10} [{bar:30}] {pos}/{len}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Progress(bar)
    }

    /// Begins to count from 0 to `total` under this name.
    pub fn stage(&self, name: &'static str, total: usize) {
        self.0.reset();
        self.0.set_length(total as u64);
        self.0.set_message(name);
    }

    /// So many more are done.
    pub fn inc(&self, done: usize) {
        self.0.inc(done as u64);
    }

    /// Takes the bar away: what is printed next begins on an empty line.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_count_together() {
        let progress = Progress::new(false);
        for stage in ["reading", "searching"] {
            progress.stage(stage, 40);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| (0..10).for_each(|_| progress.inc(1)));
                }
            });
            assert_eq!(progress.0.position(), 40);
            assert_eq!(progress.0.length(), Some(40));
        }
        progress.finish();
        assert!(progress.0.is_finished());
    }
}
