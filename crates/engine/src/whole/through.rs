//! Errors that need a caller, and errors that a look into callees explains, settles or finds.

use super::chains::Chain;
use super::decided;
use super::freed;
use super::inside;
use super::level1::Result1;
use super::look::{Kind, Look, Sight};
use super::memory::{Judged, Judgement};
use super::stored::Stored;
use super::{Everything, Unsaid};
use crate::level2::{self, Fate};
use crate::{ErrorPath, Why};
use ir::{CheckId, FrameId, FuncId};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Errors with a path through several functions, by function and check.
pub(crate) type Through = BTreeMap<(FuncId, CheckId), ErrorPath>;

impl Everything<'_, '_> {
    /// The checks that are reported for the sake of a caller, with the path from there.
    pub fn through(
        &self,
        chains: &BTreeMap<(FuncId, CheckId), Vec<Chain>>,
        judgements: &mut BTreeMap<Judged, Judgement>,
        kept: &mut BTreeMap<Judged, Judgement>,
        all: &mut level2::Judged,
        unsaid: &mut Unsaid<'_, '_>,
    ) -> Through {
        let mut places = Vec::new();
        let mut looks = Vec::new();
        for (at, chains) in chains {
            for chain in chains {
                let calls = chain.calls.iter().zip(0..);
                let calls = calls.map(|((edge, f), frame)| (FrameId(frame), *edge, *f));
                places.push(*at);
                looks.push(Look {
                    root: chain.root,
                    calls: calls.collect(),
                    check: (FrameId(chain.calls.len() as u32), at.1),
                    kind: Kind::Down,
                });
            }
        }
        let mut found = Through::new();
        for (at, sight) in places
            .into_iter()
            .zip(self.look(&looks, judgements, kept, all))
        {
            match sight {
                Sight::Error(error) => {
                    found.entry(at).or_insert(*error);
                }
                Sight::Unclear(Some(why)) => unsaid.note(at, why),
                Sight::Unclear(None) | Sight::Holds | Sight::Latent => {}
            }
        }
        found
    }

    /// Looks into the callees that a value comes from: of what is reported, to show more of it or to take it back; and
    /// of variables that a callee sets on some of its ways only.
    pub fn inside(
        &self,
        roots: &[(FuncId, Arc<Result1>)],
        judgements: &mut BTreeMap<Judged, Judgement>,
        kept: &mut BTreeMap<Judged, Judgement>,
        all: &mut level2::Judged,
        found: &mut Through,
    ) {
        let mut looks: Vec<Look> = Vec::new();
        for ((f, check), fate) in &all.fates {
            if let Fate::Reported { path, .. } = fate {
                looks.extend(inside::look_for_source(self.context, *f, path, *check));
            }
        }
        let stored = Stored::new(self.context, roots);
        let more = roots.par_iter().map(|(f, result)| {
            let mut looks = inside::half_set(self.context, *f, &result.verdicts);
            looks.extend(decided::looks(self.context, *f, &result.verdicts));
            looks.extend(stored.looks(*f, &result.verdicts));
            looks.extend(freed::looks(self.context, *f, &result.verdicts));
            looks
        });
        // In the order of the functions.
        let more: Vec<Vec<Look>> = more.collect();
        let mut seen = BTreeSet::new();
        let more = more.into_iter().flatten();
        looks.extend(more.filter(|look| seen.insert(look.clone())));
        for (look, sight) in looks.iter().zip(self.look(&looks, judgements, kept, all)) {
            let at = look.place();
            let fate = match sight {
                Sight::Error(error) => {
                    found.entry(at).or_insert(*error);
                    continue;
                }
                Sight::Holds => match all.fates.get(&at) {
                    Some(Fate::Reported { path, .. }) => Fate::Refuted {
                        path: path.clone(),
                        core: Vec::new(),
                        by: Why::Merged,
                    },
                    _ => continue,
                },
                Sight::Latent => Fate::Latent,
                Sight::Unclear(_) => continue,
            };
            if let Some(known) = all.fates.get_mut(&at) {
                *known = fate;
            }
        }
    }
}
