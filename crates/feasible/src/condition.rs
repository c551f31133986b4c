//! What a check asks, as a term.

use crate::object::{ObjectId, ObjectKind};
use crate::path::Path;
use ir::{CheckId, Condition, ExprId, Family};
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
                // Nothing lies at null: whoever does not ask for it first finds out here.
                let (address, bytes) = (self.expand(pointer), self.expand(size));
                let nowhere = self.word64(0);
                let (there, nothing) = (
                    self.pool.differ(address, nowhere),
                    self.pool.equal(bytes, nowhere),
                );
                let mut all = self.pool.or(there, nothing);
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
                            // The run that shows the path needs one that is large enough.
                            self.touched.push((target.object, target.offset, size));
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
            Condition::Freeable { pointer, family } => self.freeable(pointer, family, check),
            Condition::Apart(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                let (ones, others) = (self.targets(a), self.targets(b));
                let mut all = self.pool.truth(true);
                for one in &ones {
                    for other in &others {
                        let apart = self.objects_apart(one.object, other.object, check);
                        let both = self.pool.and(one.when, other.when);
                        let apart = self.pool.implies(both, apart);
                        all = self.pool.and(all, apart);
                    }
                }
                if ones.is_empty() || others.is_empty() {
                    // One address is one place, whatever lies there.
                    let null = self.pool.bits(self.pool.width(a), 0);
                    let (nowhere, differ) = (self.pool.equal(a, null), self.pool.differ(a, b));
                    let apart = self.pool.or(nowhere, differ);
                    all = self.pool.and(all, apart);
                }
                all
            }
            Condition::Unreachable => self.pool.truth(false),
        }
    }

    /// What is known to be something else than a block of the family, or not to be its start, cannot be freed. Of what
    /// came from elsewhere the path does not say what it is.
    fn freeable(&mut self, pointer: ExprId, family: Family, check: CheckId) -> TermId {
        let pointer = self.value(pointer);
        let mut all = self.pool.truth(true);
        for target in self.targets(pointer) {
            let fits = match self.object(target.object).kind {
                ObjectKind::Allocated(_) => {
                    match self.object(target.object).family == Some(family) {
                        true => {
                            let zero = self.word64(0);
                            let offset = self.expand(target.offset);
                            self.pool.equal(offset, zero)
                        }
                        false => self.pool.truth(false),
                    }
                }
                ObjectKind::Pointee(_) => self.open("freeable", check),
                ObjectKind::Var(..)
                | ObjectKind::Global(_)
                | ObjectKind::Function(_)
                | ObjectKind::Labels(_) => self.pool.truth(false),
            };
            let fits = self.pool.implies(target.when, fits);
            all = self.pool.and(all, fits);
        }
        all
    }

    /// What an unknown pointer leads to can be whatever others know of.
    fn objects_apart(&mut self, one: ObjectId, other: ObjectId, check: CheckId) -> TermId {
        let kind = |id: ObjectId| self.object(id).kind;
        let unknown = |id: ObjectId| matches!(kind(id), ObjectKind::Pointee(_));
        let shared = |id: ObjectId| {
            self.object(id).escaped || unknown(id) || matches!(kind(id), ObjectKind::Global(_))
        };
        let may_be_one = unknown(one) && shared(other) || unknown(other) && shared(one);
        match one == other {
            false if may_be_one => self.open("apart", check),
            is_one => self.pool.truth(!is_one),
        }
    }

    fn open(&mut self, what: &str, check: CheckId) -> TermId {
        let name = format!("{what} {} {}", self.frame.number, check.0);
        let why = crate::path::Opaque::Memory;
        let step = self.word64(u64::from(self.step));
        self.opaque(why, &name, &[step], logic::Sort::Bool)
    }
}
