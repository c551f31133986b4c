//! Functions that call each other, as a fixed point (dual.txt §2.2): round by round, until nothing is added.

use super::Dual;
use crate::execute::Limits;
use crate::grow::Ground;
use crate::input::Symbols;
use crate::seen::{Grown, Seen};
use crate::summary::Summary;
use ir::FuncId;
use isl::{Result, Stopped};
use std::collections::BTreeMap;

/// Rounds over functions that call each other, at most.
pub(crate) const ROUNDS: usize = 40;

impl Dual<'_> {
    pub(super) fn fixed_point(&mut self, members: &[FuncId], limits: Limits) -> Result<()> {
        let mut grown: BTreeMap<FuncId, (Symbols, Grown)> = BTreeMap::new();
        for f in members {
            grown.insert(*f, Default::default());
            self.knows(*f, Summary::default());
        }
        // Whether a function comes back does not depend on how it fails, but the other way round: so one after the other.
        self.grow(members, limits, &mut grown, Seen::without_failures)?;
        if let [f] = members {
            let (symbols, _) = grown.remove(f).unwrap_or_default();
            return self.descents(*f, limits, symbols);
        }
        self.grow(members, limits, &mut grown, Seen::failures)?;
        // Once more: what widening guessed too much goes.
        let mut last = Vec::new();
        for f in members {
            let (symbols, _) = grown.remove(f).unwrap_or_default();
            let (mut symbols, seen) = self.round(*f, limits, symbols)?;
            last.push((*f, seen.summary(&self.context, &mut symbols, limits)?));
        }
        for (f, summary) in last {
            self.knows(f, summary);
        }
        Ok(())
    }

    /// Rounds over functions that call each other, until what is chosen of what they see comes to rest.
    fn grow(
        &mut self,
        members: &[FuncId],
        limits: Limits,
        grown: &mut BTreeMap<FuncId, (Symbols, Grown)>,
        chosen: fn(Seen) -> Seen,
    ) -> Result<()> {
        for round in 0.. {
            let mut at_rest = true;
            for f in members {
                let (symbols, before) = grown.remove(f).unwrap_or_default();
                let (mut symbols, seen) = self.round(*f, limits, symbols)?;
                let seen = chosen(seen);
                let mut ground = Ground {
                    context: &self.context,
                    symbols: &mut symbols,
                    limits,
                    same_inputs: false,
                };
                let now = before.with(&mut ground, &seen)?;
                let after = match now.is_rest(&before)? {
                    true => before,
                    false => {
                        at_rest = false;
                        now.next(&before, &ground, round)?
                    }
                };
                let summary = after.seen(&mut symbols)?;
                let summary = summary.summary(&self.context, &mut symbols, limits)?;
                self.knows(*f, summary);
                grown.insert(*f, (symbols, after));
            }
            if at_rest {
                break;
            }
            if round > ROUNDS {
                return Err(Stopped::Failed("a recursion does not come to rest".into()));
            }
        }
        Ok(())
    }
}
