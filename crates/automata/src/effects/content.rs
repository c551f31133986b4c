//! Effects as numbers that know no ids, so that those of two runs can be compared.

use super::Written;
use ir::{FuncId, Linkage, Program};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The contents of what functions write, each found when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Contents {
    names: OnceLock<Names>,
    known: Mutex<FxHashMap<FuncId, u128>>,
}

/// A number for each name.
#[derive(Debug)]
struct Names {
    globals: Vec<u128>,
    /// By [`super::Fields::number`].
    fields: Vec<u128>,
}

impl Names {
    fn new(program: &Program) -> Names {
        let mut globals = Vec::with_capacity(program.globals.len());
        let mut taken: FxHashMap<u128, u32> = FxHashMap::default();
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
        Names { globals, fields }
    }
}

/// Two of the same name are told apart by which comes first.
fn again(taken: &mut FxHashMap<u128, u32>, first: u128) -> u128 {
    let times = taken.entry(first).or_default();
    *times += 1;
    match *times {
        1 => first,
        n => number(&(first, n)),
    }
}

fn number(value: &impl Hash) -> u128 {
    let half = |seed: u64| {
        let mut hasher = FxHasher::default();
        seed.hash(&mut hasher);
        value.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(0x9e37_79b9_7f4a_7c15)
}

impl Contents {
    pub fn of(&self, program: &Program, f: FuncId, written: &Written) -> u128 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&f) {
            return *known;
        }
        drop(known);
        let names = self.names.get_or_init(|| Names::new(program));
        let mut sum = u128::from(written.foreign);
        for g in written.globals.iter() {
            sum = sum.wrapping_add(names.globals.get(g).copied().unwrap_or_default());
        }
        for n in written.fields.iter() {
            sum = sum.wrapping_add(names.fields.get(n).copied().unwrap_or_default());
        }
        for size in written.plain.iter() {
            sum = sum.wrapping_add(number(&("plain", size)));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(f, sum);
        sum
    }
}
