//! A bar on standard error while something long runs, if a person is there to see it.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// One bar, for one stage after the other. It may be advanced from any thread.
pub struct Progress {
    bar: ProgressBar,
    enabled: bool,
}

impl Progress {
    /// `enabled`: whether standard error is a terminal. Otherwise nothing is ever written.
    pub fn new(enabled: bool) -> Progress {
        let bar = ProgressBar::hidden();
        // The template is ours, and right; the default bar would do as well.
        if let Ok(style) = ProgressStyle::with_template("{msg:>10} [{bar:30}] {pos}/{len}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Progress { bar, enabled }
    }

    /// Begins to count from 0 to `total` under this name.
    pub fn stage(&self, name: &'static str, total: usize) {
        // Each of these would draw a bar that is half the old one.
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        self.bar.reset();
        self.bar.set_length(total as u64);
        self.bar.set_message(name);
        if self.enabled {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.tick();
        }
    }

    /// So many more are done.
    pub fn inc(&self, done: usize) {
        self.bar.inc(done as u64);
    }

    /// Takes the bar away: what is printed next begins on an empty line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
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
            assert_eq!(progress.bar.position(), 40);
            assert_eq!(progress.bar.length(), Some(40));
        }
        progress.finish();
        assert!(progress.bar.is_finished());
    }
}
