//! What a check asks, as a term.

use crate::path::Path;
use ir::{CheckId, Condition};
use logic::TermId;

impl Path<'_> {
    /// True where the check holds. What level 2 cannot know of is left open: an unknown.
    pub(crate) fn condition(&mut self, check: CheckId) -> TermId {
        match self.frame.body.checks[check].condition {
            Condition::Holds(e) => self.value(e),
            Condition::Initialized(place) => {
                let located = self.locate(place);
                let size = self.bytes(located.ty);
                if size == 0 || size > 16 {
                    return self.open("initialized", check);
                }
                let word = self.load_word(&located);
                let shadow = match located.bits {
                    Some(_) => word.shadow,
                    None => self.shadow_bits(located.ty, word),
                };
                let zero = self.pool.bits(self.pool.width(shadow), 0);
                self.pool.equal(shadow, zero)
            }
            Condition::InBounds { pointer, size } => {
                let pointer = self.value(pointer);
                let size = self.size_value(size);
                let mut all = self.pool.truth(true);
                let targets = self.targets(pointer);
                // A fixed address: what lies there the program does not say.
                let fixed = self.expand(pointer);
                if targets.is_empty() && self.pool.as_bits(fixed).is_some_and(|a| a != 0) {
                    return self.open("bounds", check);
                }
                for target in targets {
                    // How large an object is that nobody has seen made, the program does not say: no
                    // access can be shown to leave it.
                    let fits = match self.fits(&target, size) {
                        Some(fits) => fits,
                        None => {
                            self.approximations.opaque += 1;
                            self.pool.truth(true)
                        }
                    };
                    let fits = self.pool.implies(target.when, fits);
                    all = self.pool.and(all, fits);
                }
                all
            }
            Condition::Alive(e) => {
                let pointer = self.value(e);
                let mut all = self.pool.truth(true);
                for target in self.targets(pointer) {
                    let alive = self.object(target.object).alive;
                    let alive = self.pool.implies(target.when, alive);
                    all = self.pool.and(all, alive);
                }
                all
            }
            Condition::Unreachable => self.pool.truth(false),
        }
    }

    fn open(&mut self, what: &str, check: CheckId) -> TermId {
        let name = format!("{what} {} {}", self.frame.number, check.0);
        let why = crate::path::Opaque::Memory;
        let step = self.word64(u64::from(self.step));
        self.opaque(why, &name, &[step], logic::Sort::Bool)
    }
}
