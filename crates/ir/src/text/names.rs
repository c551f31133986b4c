//! Which name in the text stands for which thing of the program.
//!
//! `static` names are looked up in their unit first, all others in the program. Should a scope
//! hold two things of one name, the later ones are written `name#2`, `name#3`, in the order in
//! which the text defines them. String literals need no definition: the literal is the name.

use crate::arena::Arena;
use crate::program::{FuncId, Global, GlobalId, Linkage, Program, Symbol, UnitId};
use crate::text::words::{quote_bytes, quote_name};
use crate::types::{StructId, Type, TypeId, TypeTable};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// The scope of a name: a unit, or (None) the whole program.
pub type Scope = Option<UnitId>;

pub fn scope(linkage: Linkage, unit: UnitId) -> Scope {
    (linkage == Linkage::Internal).then_some(unit)
}

/// The ranks that tell things of equal name apart.
pub struct Names {
    /// Once somebody asks.
    structs: OnceCell<Vec<u32>>,
    functions: Vec<u32>,
    globals: Vec<u32>,
    literals: Vec<bool>,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let mut seen: FxHashMap<(Scope, Symbol), u32> = FxHashMap::default();
        let mut rank = |scope: Scope, name: Symbol| {
            let n = seen.entry((scope, name)).or_insert(0);
            *n += 1;
            *n
        };
        let literals: Vec<bool> = program
            .globals
            .values()
            .map(|g| is_literal(program, g))
            .collect();
        let mut functions = vec![1; program.functions.len()];
        let mut globals = vec![1; program.globals.len()];
        // The order of the text: unit by unit, globals first.
        let by_unit = ByUnit::new(program);
        for unit in program.units.ids() {
            for &id in by_unit.globals(unit) {
                if !literals[id.0 as usize] {
                    let g = &program.globals[id];
                    globals[id.0 as usize] = rank(scope(g.linkage, g.unit), g.name);
                }
            }
            for &id in by_unit.functions(unit) {
                let f = &program.functions[id];
                functions[id.0 as usize] = rank(scope(f.linkage, f.unit), f.name);
            }
        }
        Names {
            functions,
            globals,
            literals,
            ..Names::of_types()
        }
    }

    /// For types alone: nothing is looked at before it is named.
    pub fn of_types() -> Names {
        Names {
            structs: OnceCell::new(),
            functions: Vec::new(),
            globals: Vec::new(),
            literals: Vec::new(),
        }
    }

    pub fn function(&self, program: &Program, id: FuncId) -> String {
        match program.functions.get(id) {
            Some(f) => with_rank(program, f.name, self.functions.get(id.0 as usize)),
            None => format!("`bad function {}`", id.0),
        }
    }

    /// A global's name; of a string literal, the literal.
    pub fn global(&self, program: &Program, id: GlobalId) -> String {
        match program.globals.get(id) {
            Some(g) if self.is_literal(id) => symbol(program, g.name).to_string(),
            Some(g) => with_rank(program, g.name, self.globals.get(id.0 as usize)),
            None => format!("`bad global {}`", id.0),
        }
    }

    /// Is it written by its text alone?
    pub fn is_literal(&self, id: GlobalId) -> bool {
        self.literals.get(id.0 as usize).copied().unwrap_or(false)
    }

    pub fn structure(&self, program: &Program, id: StructId) -> String {
        match program.types.structs.get(id) {
            Some(def) => {
                let ranks = self.structs.get_or_init(|| struct_ranks(&program.types));
                with_rank(program, def.name, ranks.get(id.0 as usize))
            }
            None => format!("`bad struct {}`", id.0),
        }
    }
}

/// The symbol's text, or a mark for one that is out of range.
pub fn symbol(program: &Program, symbol: Symbol) -> &str {
    program.symbols.lookup(symbol).unwrap_or("bad symbol")
}

fn with_rank(program: &Program, name: Symbol, rank: Option<&u32>) -> String {
    let name = quote_name(symbol(program, name));
    match rank {
        Some(&n) if n > 1 => format!("{name}#{n}"),
        _ => name,
    }
}

fn struct_ranks(types: &TypeTable) -> Vec<u32> {
    let mut seen: FxHashMap<(bool, Symbol), u32> = FxHashMap::default();
    types
        .structs
        .values()
        .map(|def| {
            let n = seen.entry((def.union, def.name)).or_insert(0);
            *n += 1;
            *n
        })
        .collect()
}

/// A private constant `char` array that is named by its own text: what the parser makes of a
/// string literal.
fn is_literal(program: &Program, g: &Global) -> bool {
    let name = symbol(program, g.name);
    if !name.starts_with('"') || !g.constant || g.thread_local || !g.span.is_none() {
        return false;
    }
    let (Some(init), Some(&Type::Array { elem, len })) = (&g.init, program.types.lookup(g.ty))
    else {
        return false;
    };
    let Some(text_len) = len.checked_sub(1).and_then(|n| usize::try_from(n).ok()) else {
        return false;
    };
    if g.linkage != Linkage::Internal
        || elem != TypeId::I8
        || !init.relocations.is_empty()
        || !init.unknown.is_empty()
        || text_len > name.len()
        || init.bytes.len() > text_len + 1
        || init.bytes.get(text_len).is_some_and(|&b| b != 0)
    {
        return false;
    }
    let mut text = init.bytes.clone();
    text.resize(text_len, 0);
    quote_bytes(&text) == name
}

/// Functions and globals of each unit, in id order.
pub struct ByUnit {
    functions: Arena<UnitId, Vec<FuncId>>,
    globals: Arena<UnitId, Vec<GlobalId>>,
}

impl ByUnit {
    pub fn new(program: &Program) -> ByUnit {
        let mut functions: Arena<UnitId, Vec<FuncId>> = vec![vec![]; program.units.len()].into();
        let mut globals: Arena<UnitId, Vec<GlobalId>> = vec![vec![]; program.units.len()].into();
        for (id, f) in program.functions.iter() {
            if functions.get(f.unit).is_some() {
                functions[f.unit].push(id);
            }
        }
        for (id, g) in program.globals.iter() {
            if globals.get(g.unit).is_some() {
                globals[g.unit].push(id);
            }
        }
        ByUnit { functions, globals }
    }

    pub fn functions(&self, unit: UnitId) -> &[FuncId] {
        self.functions.get(unit).map_or(&[], Vec::as_slice)
    }

    pub fn globals(&self, unit: UnitId) -> &[GlobalId] {
        self.globals.get(unit).map_or(&[], Vec::as_slice)
    }
}
