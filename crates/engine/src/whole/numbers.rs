//! Numbers of functions that mean the same function in every run.
//!
//! Ids of a program depend on which functions there are. A function is known again by its linkage name, and
//! by its unit where the name is not the program's only one of that kind (`static`, rival definitions).

use super::digest::Digest;
use ir::arena::Id;
use ir::{FuncId, Linkage, Program};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The functions that were ever seen, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    names: Vec<u128>,
}

/// The functions of one program.
pub(crate) struct Numbers {
    /// The name of every function, by id.
    pub names: Vec<u128>,
    /// The number of every function with a body, by id.
    pub of: Vec<Option<u32>>,
    /// By number; none: not in this program.
    pub functions: Vec<Option<FuncId>>,
    by_name: FxHashMap<u128, FuncId>,
}

impl Numbers {
    /// Numbers the functions of a program: those that were seen before as they were, others after them.
    pub fn new(program: &Program, seen: &mut Seen) -> Numbers {
        let names = names(program);
        let known: FxHashMap<u128, u32> = seen.names.iter().copied().zip(0..).collect();
        let mut of = vec![None; names.len()];
        for (f, ..) in program.bodies() {
            let name = names[f.index()];
            let number = known.get(&name).copied().unwrap_or_else(|| {
                seen.names.push(name);
                (seen.names.len() - 1) as u32
            });
            of[f.index()] = Some(number);
        }
        let mut functions = vec![None; seen.names.len()];
        for (f, number) in of.iter().enumerate() {
            if let Some(number) = number {
                functions[*number as usize] = Some(FuncId::from_index(f));
            }
        }
        let by_name = names
            .iter()
            .enumerate()
            .map(|(f, name)| (*name, FuncId::from_index(f)));
        Numbers {
            by_name: by_name.collect(),
            names,
            of,
            functions,
        }
    }

    /// The function of a number; none if it is not in this program.
    pub fn function(&self, number: u32) -> Option<FuncId> {
        self.functions.get(number as usize).copied().flatten()
    }

    /// The function of a name.
    pub fn named(&self, name: u128) -> Option<FuncId> {
        self.by_name.get(&name).copied()
    }

    /// Functions that are gone, among all that were seen.
    pub fn gone(&self) -> usize {
        self.functions.iter().filter(|f| f.is_none()).count()
    }
}

fn names(program: &Program) -> Vec<u128> {
    let mut uses: FxHashMap<ir::Symbol, u32> = FxHashMap::default();
    for f in program.functions.values() {
        *uses.entry(f.name).or_default() += 1;
    }
    let mut taken: FxHashMap<u128, u64> = FxHashMap::default();
    let name = |f: &ir::Function| {
        let mut digest = Digest::default();
        digest.text(program.name(f.name));
        let alone = f.linkage != Linkage::Internal && uses.get(&f.name) == Some(&1);
        if !alone {
            digest.text(
                program
                    .units
                    .get(f.unit)
                    .map_or("", |u| program.name(u.name)),
            );
        }
        // A unit that is built twice, with other flags.
        let first = digest.finish();
        let times = taken.entry(first).or_default();
        *times += 1;
        match *times {
            1 => first,
            n => digest.number(n).finish(),
        }
    };
    program.functions.values().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        ir::parse(text).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn a_function_keeps_its_number() {
        let mut seen = Seen::default();
        let first = program(
            "fn a() -> void { 0: exit }
             fn b() -> void { 0: exit }
             extern fn c() -> void",
        );
        let numbers = Numbers::new(&first, &mut seen);
        assert_eq!(numbers.of, [Some(0), Some(1), None]);
        let second = program(
            "fn d() -> void { 0: exit }
             fn b() -> void { 0: exit }
             fn c() -> void { 0: exit }",
        );
        let numbers = Numbers::new(&second, &mut seen);
        assert_eq!(numbers.of, [Some(2), Some(1), Some(3)]);
        assert_eq!(numbers.functions[0], None);
        assert_eq!(numbers.gone(), 1);
        assert_eq!(numbers.named(numbers.names[1]), Some(FuncId(1)));
    }
}
