//! Kinds of memory by names that know no ids, so that what two runs know of them can be compared.

use super::Kind;
use ir::arena::Id;
use ir::{GlobalId, Linkage, Program};
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// A kind of memory, in any program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Name {
    /// A global or a field, by a number.
    Known(u64),
    Plain(u32),
    Foreign,
}

/// A number for each name.
#[derive(Debug)]
pub(super) struct Names {
    globals: Vec<u64>,
    /// By [`super::Fields::number`].
    fields: Vec<u64>,
    kinds: FxHashMap<u64, Option<Kind>>,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let mut globals = Vec::with_capacity(program.globals.len());
        let mut taken: FxHashMap<u64, u32> = FxHashMap::default();
        for g in program.globals.values() {
            let unit = match g.linkage {
                Linkage::Internal => program.units.get(g.unit).map(|u| program.name(u.name)),
                _ => None,
            };
            globals.push(again(&mut taken, number(&(program.name(g.name), unit))));
        }
        let mut fields = Vec::new();
        for s in program.types.structs.values() {
            let count = s.fields.len();
            let named = number(&(program.name(s.name), s.size, count));
            let named = again(&mut taken, named);
            fields.extend((0..count).map(|n| number(&(named, n))));
        }
        let of_globals = globals.iter().zip(0..);
        let of_globals = of_globals.map(|(name, g)| (*name, Kind::Global(GlobalId::from_index(g))));
        let of_fields = fields.iter().zip(0..);
        let of_fields = of_fields.map(|(name, n)| (*name, Kind::Field(n)));
        let mut kinds: FxHashMap<u64, Option<Kind>> = FxHashMap::default();
        for (name, kind) in of_globals.chain(of_fields) {
            let known = kinds.entry(name).or_insert(Some(kind));
            // Should two have one number, neither is known again.
            if *known != Some(kind) {
                *known = None;
            }
        }
        Names {
            globals,
            fields,
            kinds,
        }
    }

    pub fn of(&self, kind: Kind) -> Name {
        let known = |numbers: &[u64], i: usize| numbers.get(i).copied().unwrap_or_default();
        match kind {
            Kind::Global(g) => Name::Known(known(&self.globals, g.index())),
            Kind::Field(n) => Name::Known(known(&self.fields, n as usize)),
            Kind::Plain(size) => Name::Plain(size),
            Kind::Foreign => Name::Foreign,
        }
    }

    /// What the name means; `Some(None)`: nothing, none: one of several.
    pub fn kind(&self, name: Name) -> Option<Option<Kind>> {
        match name {
            Name::Known(number) => match self.kinds.get(&number) {
                Some(known) => known.map(Some),
                None => Some(None),
            },
            Name::Plain(size) => Some(Some(Kind::Plain(size))),
            Name::Foreign => Some(Some(Kind::Foreign)),
        }
    }
}

/// Two of the same name are told apart by which comes first.
fn again(taken: &mut FxHashMap<u64, u32>, first: u64) -> u64 {
    let times = taken.entry(first).or_default();
    *times += 1;
    match *times {
        1 => first,
        n => number(&(first, n)),
    }
}

fn number(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
