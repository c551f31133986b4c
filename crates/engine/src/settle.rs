//! Where an error belongs after level 2, and how it counts.

use crate::level2::Fate;
use crate::projection::root_of;
use crate::whole::Unsaid;
use crate::{Analysis, Counts, ErrorPath, Settings};
use ir::FuncId;
use std::collections::BTreeSet;

impl Analysis {
    /// A reported error of this function is none: it is proved.
    pub(crate) fn take_back(&mut self, f: FuncId) {
        let of_function = self.by_function.iter_mut().find(|(g, _)| *g == f);
        let of_function = of_function.map(|(_, counts)| counts);
        for counts in of_function.into_iter().chain([&mut self.counts]) {
            counts.reported -= 1;
            counts.proved += 1;
        }
    }

    /// No run that begins in these functions fails anywhere: errors whose path does are none.
    pub(crate) fn take_back_of(&mut self, fine: &BTreeSet<FuncId>) {
        let errors = std::mem::take(&mut self.errors);
        for error in errors {
            match fine.contains(&root_of(&error)) {
                true => self.take_back(error.function),
                false => self.errors.push(error),
            }
        }
    }

    /// Puts an error of level 1 where it belongs after level 2.
    pub(crate) fn settle(
        &mut self,
        settings: &Settings,
        counts: &mut Counts,
        error: ErrorPath,
        fate: Fate,
        unsaid: &Unsaid<'_, '_>,
    ) {
        match fate {
            Fate::Reported { path, when, .. } => {
                counts.reported += 1;
                self.errors.push(ErrorPath {
                    path,
                    when,
                    ..error
                });
            }
            Fate::Refuted { path, core, by } => {
                counts.refuted += 1;
                self.refuted.push(ErrorPath {
                    path,
                    core,
                    why: Some(by),
                    ..error
                });
            }
            Fate::Latent => {
                counts.latent += 1;
                if settings.latent {
                    self.latent.push(ErrorPath {
                        path: error.path.last().copied().into_iter().collect(),
                        why: Some(unsaid.latent(error.function, error.check)),
                        ..error
                    });
                }
            }
            Fate::Undecided(why) => {
                counts.undecided += 1;
                if settings.latent {
                    self.undecided.push(ErrorPath {
                        why: Some(why),
                        ..error
                    });
                }
            }
        }
    }
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.checks += other.checks;
        self.proved += other.proved;
        self.latent += other.latent;
        self.refuted += other.refuted;
        self.reported += other.reported;
        self.undecided += other.undecided;
    }
}
