//! What runs before `main` and after it.
//!
//! Constructors and destructors are in lists of LLVM's own. But a program can also write into the sections from which such lists are made
//! by the linker, and the resolver of an ifunc is called when the program is loaded: these run before `main`, too, and find
//! nothing said of them anywhere else. Whoever takes globals for what they are initialised with has to know of all.

use crate::initializer;
use crate::llvm::Value;
use crate::unit::{UNIT, UnitLowering};
use ir::{FuncId, Target};

/// The priority of a constructor that names none.
const PLAIN: u32 = 65535;

/// Sections that are lists of functions to be called: before `main`, or after it.
const BEFORE: [&str; 3] = [".preinit_array", ".init_array", ".ctors"];
const AFTER: [&str; 2] = [".fini_array", ".dtors"];

pub fn lower(unit: &mut UnitLowering<'_>) {
    let mut before = resolvers(unit);
    let mut after = Vec::new();
    let module = unit.module;
    for g in module.globals() {
        let name = g.name();
        match &*name {
            "llvm.global_ctors" => before.extend(listed(unit, g)),
            "llvm.global_dtors" => after.extend(listed(unit, g)),
            _ => {
                let section = g.section();
                if let Some(priority) = priority(&section, &BEFORE) {
                    before.extend(placed(unit, g).map(|f| (priority, f)));
                } else if let Some(priority) = priority(&section, &AFTER) {
                    after.extend(placed(unit, g).map(|f| (priority, f)));
                }
            }
        }
    }
    let unit = &mut unit.program.units[UNIT];
    unit.constructors = before;
    unit.destructors = after;
}

/// `llvm.global_ctors` and `llvm.global_dtors`.
fn listed<'m>(unit: &UnitLowering<'m>, list: Value<'m>) -> Vec<(u32, FuncId)> {
    let Some(list) = list.initializer() else {
        return Vec::new();
    };
    let entries = (0..list.ty().len()).map_while(|i| list.element(i as u32));
    let entry = |entry: Value<'m>| {
        let priority = entry.element(0).and_then(|p| p.int_bits());
        let f = entry.element(1).and_then(|f| unit.functions.get(&f))?;
        Some((priority.map_or(PLAIN, |p| p as u32), *f))
    };
    entries.filter_map(entry).collect()
}

/// The functions whose addresses a global holds that is part of such a list.
fn placed<'m>(unit: &UnitLowering<'m>, g: Value<'m>) -> impl Iterator<Item = FuncId> + use<> {
    let init = g.initializer().map(|init| initializer::lower(unit, init));
    let relocations = init.map(|init| init.relocations).unwrap_or_default();
    relocations.into_iter().filter_map(|r| match r.target {
        Target::Function(f) => Some(f),
        _ => None,
    })
}

/// Those that choose a function are called first of all.
fn resolvers(unit: &UnitLowering<'_>) -> Vec<(u32, FuncId)> {
    let resolvers = unit.module.ifuncs().filter_map(|f| f.resolver());
    let mut all: Vec<(u32, FuncId)> = Vec::new();
    for f in resolvers.filter_map(|f| unit.functions.get(&f)) {
        if !all.contains(&(0, *f)) {
            all.push((0, *f));
        }
    }
    all
}

/// When the functions of a section are called, if it is one of these: `.init_array.00101` before `.init_array`, and the lists of old, which are
/// gone through backwards, count from the other end: `.ctors.65434`.
fn priority(section: &str, lists: &[&str]) -> Option<u32> {
    lists.iter().find_map(|list| {
        let number = section.strip_prefix(list)?;
        let backwards = matches!(*list, ".ctors" | ".dtors");
        match number.strip_prefix('.') {
            None if *list == ".preinit_array" && number.is_empty() => Some(0),
            None => number.is_empty().then_some(PLAIN),
            Some(number) => {
                let number = number.parse::<u32>().unwrap_or(PLAIN).min(PLAIN);
                Some(if backwards { PLAIN - number } else { number })
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_lists_with_priorities() {
        assert_eq!(priority(".init_array", &BEFORE), Some(PLAIN));
        assert_eq!(priority(".init_array.00101", &BEFORE), Some(101));
        assert_eq!(priority(".ctors.65434", &BEFORE), Some(101));
        assert_eq!(priority(".preinit_array", &BEFORE), Some(0));
        assert_eq!(priority(".init_array_of_mine", &BEFORE), None);
        assert_eq!(priority(".data", &BEFORE), None);
        assert_eq!(priority(".fini_array", &AFTER), Some(PLAIN));
    }
}
