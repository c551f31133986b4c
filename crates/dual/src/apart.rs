//! What is known at the head of a loop, apart for runs that were given null where others were given a pointer.
//!
//! Null leads nowhere, and what a function computes from it has another shape than what it computes from a pointer: `&p[i]` is
//! then no place in the object behind `p`, but nowhere. In one template with the others, each such pointer would be four
//! numbers of which nothing but polyhedra could say what they are. Apart, it stays a form over the numbers of the loop.

use crate::grow::{Ground, Growing};
use crate::input::Symbols;
use crate::linear::Symbol;
use crate::path::Path;
use isl::Result;
use std::collections::BTreeMap;

/// The inputs that are surely null.
type Nulls = Vec<Symbol>;

/// Kept apart, at most; those that come later are together with those that were given no null.
const GROUPS: usize = 4;

/// What is known, apart by which inputs are null.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    groups: BTreeMap<Nulls, Growing>,
}

fn nulls(symbols: &Symbols, path: &Path) -> Nulls {
    let pointers = symbols.pointers();
    let nulls = pointers.filter(|s| path.facts.range(*s).most == Some(0));
    nulls.collect()
}

impl Apart {
    /// With more paths.
    pub fn with(&self, ground: &mut Ground<'_>, paths: &[Path]) -> Result<Apart> {
        let mut groups = self.groups.clone();
        let mut new: BTreeMap<Nulls, Vec<Path>> = BTreeMap::new();
        for path in paths {
            let mut state = nulls(ground.symbols, path);
            let count = groups.len();
            if !groups.contains_key(&state) && count >= GROUPS {
                state = Nulls::new();
            }
            groups.entry(state.clone()).or_default();
            new.entry(state).or_default().push(path.clone());
        }
        for (state, paths) in new {
            let grown = match groups.get(&state) {
                Some(group) => group.with(ground, &paths)?,
                None => Growing::default().with(ground, &paths)?,
            };
            groups.insert(state, grown);
        }
        Ok(Apart { groups })
    }

    /// Each group changed in the same way.
    fn each(&self, change: impl Fn(&Nulls, &Growing) -> Result<Growing>) -> Result<Apart> {
        let all = self.groups.iter();
        let groups = all.map(|(state, group)| Ok((state.clone(), change(state, group)?)));
        Ok(Apart {
            groups: groups.collect::<Result<_>>()?,
        })
    }

    fn group(&self, state: &Nulls) -> Growing {
        self.groups.get(state).cloned().unwrap_or_default()
    }

    /// What is in it now will not grow: it is where a loop is entered.
    pub fn settled(self, ground: &Ground<'_>) -> Result<Apart> {
        self.each(|_, group| group.clone().settled(ground))
    }

    /// The same shape, and nothing in it.
    pub fn emptied(&self) -> Apart {
        let all = self.groups.iter();
        Apart {
            groups: all.map(|(s, group)| (s.clone(), group.emptied())).collect(),
        }
    }

    /// One path for each piece.
    pub fn paths(&self, symbols: &mut Symbols) -> Result<Vec<Path>> {
        let mut all = Vec::new();
        for group in self.groups.values() {
            all.extend(group.paths(symbols)?);
        }
        Ok(all)
    }

    /// One path for each piece that is not where a loop is entered.
    pub fn growing(&self, symbols: &mut Symbols) -> Result<Vec<Path>> {
        let mut all = Vec::new();
        for group in self.groups.values() {
            all.extend(group.growing(symbols)?);
        }
        Ok(all)
    }

    /// Is there nothing in it that was not there before?
    pub fn is_rest(&self, before: &Apart) -> Result<bool> {
        for (state, group) in &self.groups {
            if !group.is_rest(&before.group(state))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// For the next turn.
    pub fn next(self, old: &Apart, ground: &Ground<'_>, turn: usize) -> Result<Apart> {
        self.each(|state, group| group.clone().next(&old.group(state), ground, turn))
    }

    /// What another turn from here leaves of it: `again` is where the loop is entered, and what comes back.
    pub fn narrowed(self, again: &Apart, ground: &Ground<'_>) -> Result<Apart> {
        self.each(|state, group| group.clone().narrowed(again.group(state), ground))
    }
}
