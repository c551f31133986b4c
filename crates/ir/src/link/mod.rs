//! Linking: many units become one program, joined by symbol, as a linker joins object files.
//!
//! `static` names stay with their unit. Of all functions (and variables) that share an external
//! name one is kept: a definition before a declaration, a strong definition before a weak one,
//! else the first. Every reference goes to the one that is kept, and nothing of the others
//! remains, except where units define a function each ([`rivals`]). Types, structs, files and string literals that are equal become one.
//!
//! Units may disagree about a name. That is a warning, and each call keeps the signature that
//! its own unit believed in; a variable seen at another type is read through `as`.

mod compatible;
mod remap;
mod rivals;
mod structs;
mod symbols;
mod warning;

#[cfg(test)]
mod tests;

pub use warning::{LinkWarning, LinkWarningKind, Site};

use crate::program::{File, Linkage, Program, UnitId};
use crate::span::FileId;
use crate::types::{StructDef, StructId, Type, TypeId};
use remap::Remap;
use rustc_hash::FxHashMap;
use symbols::Symbols;

/// Joins programs, each usually of one unit. A single program is returned as it is.
pub fn link(mut units: Vec<Program>) -> (Program, Vec<LinkWarning>) {
    if units.len() < 2 {
        return (units.pop().unwrap_or_default(), Vec::new());
    }
    let classes = structs::classes(&units);
    let mut linker = Linker::default();
    for (program, classes) in units.into_iter().zip(classes) {
        linker.add(program, &classes);
    }
    let Linker {
        mut program,
        symbols,
        ..
    } = linker;
    let warnings = symbols.finish(&mut program);
    (program, warnings)
}

#[derive(Default)]
struct Linker {
    program: Program,
    files: FxHashMap<crate::program::Symbol, FileId>,
    structs: FxHashMap<u32, StructId>,
    symbols: Symbols,
}

impl Linker {
    fn add(&mut self, unit: Program, classes: &[u32]) {
        let mut map = Remap::default();
        let symbols = &mut self.program.symbols;
        map.symbols = unit.symbols.iter().map(|s| symbols.intern(s)).collect();
        self.add_types(&unit, classes, &mut map);
        self.add_files(&unit, &mut map);
        let first = self.program.units.len() as u32;
        map.units = (0..unit.units.len() as u32)
            .map(|i| UnitId(first + i))
            .collect();

        let program = &mut self.program;
        for mut u in unit.units.into_vec() {
            u.name = map.symbol(u.name);
            program.units.push(u);
        }
        // First all headers, for bodies and initialisers may refer to any of them.
        let functions = unit.functions.into_vec();
        let bodies = self.symbols.add_functions(program, functions, &mut map);
        let globals = unit.globals.into_vec();
        let inits = self.symbols.add_globals(program, globals, &mut map);
        for id in bodies {
            if let Some(body) = &mut program.functions[id].body {
                map.body(body);
            }
        }
        for id in inits {
            if let Some(init) = &mut program.globals[id].init {
                map.init(init);
            }
        }
        for &u in &map.units {
            map.constructors(&mut program.units[u]);
        }
    }

    fn add_types(&mut self, unit: &Program, classes: &[u32], map: &mut Remap) {
        let types = &mut self.program.types;
        let mut struct_map = Vec::with_capacity(classes.len());
        let mut to_fill = Vec::new();
        for ((old, def), &class) in unit.types.structs.iter().zip(classes) {
            let new = match self.structs.get(&class) {
                Some(&id) => {
                    if def.complete && !types.structs[id].complete {
                        to_fill.push((old, id));
                    }
                    id
                }
                None => {
                    // Its fields follow when the types have their new ids.
                    let id = types.structs.push(StructDef {
                        fields: Vec::new(),
                        complete: false,
                        ..*def
                    });
                    to_fill.push((old, id));
                    self.structs.insert(class, id);
                    id
                }
            };
            struct_map.push(new);
        }
        for (_, ty) in unit.types.iter() {
            let part = |t: TypeId| map.types.get(t.0 as usize).copied();
            let part = |t: TypeId| part(t).unwrap_or(TypeId::VOID);
            let new = match ty {
                Type::Void | Type::Int { .. } | Type::Float(_) | Type::Opaque { .. } => ty.clone(),
                Type::Pointer(to) => Type::Pointer(part(*to)),
                Type::Array { elem, len } => Type::Array {
                    elem: part(*elem),
                    len: *len,
                },
                Type::Struct(s) => match struct_map.get(s.0 as usize) {
                    Some(&s) => Type::Struct(s),
                    None => Type::Void,
                },
                Type::Function {
                    ret,
                    params,
                    variadic,
                } => Type::Function {
                    ret: part(*ret),
                    params: params.iter().map(|&p| part(p)).collect(),
                    variadic: *variadic,
                },
            };
            map.types.push(types.intern(new));
        }
        for (old, new) in to_fill {
            let mut def = unit.types.structs[old].clone();
            map.structure(&mut def);
            types.structs[new] = def;
        }
    }

    fn add_files(&mut self, unit: &Program, map: &mut Remap) {
        for file in unit.files.values() {
            let path = map.symbol(file.path);
            let files = &mut self.program.files;
            let id = *self.files.entry(path).or_insert_with(|| {
                files.push(File {
                    path,
                    system: file.system,
                })
            });
            map.files.push(id);
        }
    }
}

/// How much a definition weighs against others of its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Declared,
    Weak,
    Strong,
}

impl Strength {
    fn new(defined: bool, linkage: Linkage) -> Strength {
        match (defined, linkage) {
            (false, _) => Strength::Declared,
            (true, Linkage::Inline | Linkage::Weak) => Strength::Weak,
            (true, _) => Strength::Strong,
        }
    }
}
