//! A program: units, functions, globals, types, files and names.
//!
//! What the front end makes of one source file is a program with one unit; linking joins many.
//! Within a program a name is unique per unit: `static` names belong to their unit, all others
//! to the program.

use crate::arena::Arena;
use crate::body::Body;
use crate::define_id;
use crate::span::{FileId, Span};
use crate::types::{TypeId, TypeTable};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

define_id!(
    /// An interned string of a program (`Program::symbols`).
    Symbol
);
define_id!(FuncId);
define_id!(GlobalId);
define_id!(UnitId);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    pub units: Arena<UnitId, Unit>,
    pub files: Arena<FileId, File>,
    pub symbols: SymbolTable,
    pub types: TypeTable,
    pub functions: Arena<FuncId, Function>,
    pub globals: Arena<GlobalId, Global>,
}

/// One translation unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The source file as the build named it.
    pub name: Symbol,
    /// Functions that run before `main`, with their priority, in order.
    pub constructors: Vec<(u32, FuncId)>,
    /// Functions that run after `main`.
    pub destructors: Vec<(u32, FuncId)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct File {
    pub path: Symbol,
    /// Below a system include directory: never reported in.
    pub system: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SymbolTable {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Linkage {
    External,
    /// Belongs to its unit: `static`, string literals, compiler-made constants.
    Internal,
    /// Any one of equal definitions: C++ inline functions, templates, vtables.
    Inline,
    /// Gives way to another definition: `__attribute__((weak))`. Only declared, it may be nowhere, at address 0.
    Weak,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Linkage name: mangled in C++.
    pub name: Symbol,
    /// What a person calls it: `ns::Class::method`.
    pub display: Symbol,
    pub unit: UnitId,
    pub linkage: Linkage,
    /// `Type::Function`.
    pub signature: TypeId,
    pub noreturn: bool,
    /// Where it is defined (or declared).
    pub span: Span,
    /// None: declared only.
    pub body: Option<Body>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// A string literal is named by itself, in quotes: `"hello\n"`.
    pub name: Symbol,
    pub unit: UnitId,
    pub linkage: Linkage,
    pub ty: TypeId,
    pub constant: bool,
    pub thread_local: bool,
    pub span: Span,
    /// None: declared only.
    pub init: Option<Init>,
}

/// An initial value, as an object file has it: bytes, and addresses to put in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Init {
    /// The first bytes; the rest of the object is zero.
    pub bytes: Vec<u8>,
    /// Sorted by offset.
    pub relocations: Vec<Relocation>,
    /// Parts (offset, length) that the front end could not express: any value.
    pub unknown: Vec<(u64, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Relocation {
    pub offset: u64,
    pub target: Target,
    pub addend: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Target {
    Function(FuncId),
    Global(GlobalId),
    /// The k-th label of a function.
    Label(FuncId, u32),
}

impl SymbolTable {
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(i) = self.names.get_index_of(name) {
            return Symbol(i as u32);
        }
        Symbol(self.names.insert_full(name.into()).0 as u32)
    }

    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|i| Symbol(i as u32))
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// Like `name`, for symbols that may be out of range.
    pub fn lookup(&self, symbol: Symbol) -> Option<&str> {
        self.names.get_index(symbol.0 as usize).map(|s| &**s)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|s| &**s)
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl Program {
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// The function's linkage name.
    pub fn function_name(&self, id: FuncId) -> &str {
        self.name(self.functions[id].name)
    }

    /// The defined functions, in order.
    pub fn bodies(&self) -> impl Iterator<Item = (FuncId, &Function, &Body)> {
        self.functions
            .iter()
            .filter_map(|(id, f)| f.body.as_ref().map(|b| (id, f, b)))
    }

    /// Is it where a program starts? Several programs in one each have such a function.
    pub fn is_main(&self, id: FuncId) -> bool {
        let f = &self.functions[id];
        f.linkage != Linkage::Internal && self.name(f.display) == "main"
    }

    /// Is it what the program begins with? Not if something runs before `main`, nor if these are several programs.
    pub fn is_start(&self, id: FuncId) -> bool {
        let mut units = self.units.values();
        let is_other = |(other, f): (FuncId, &Function)| {
            other != id && f.body.is_some() && self.is_main(other)
        };
        self.is_main(id)
            && units.all(|unit| unit.constructors.is_empty())
            && !self.functions.iter().any(is_other)
    }

    /// May another definition take the place of this one? A program with a `main` is complete, and nothing else will come.
    pub fn is_replaceable(&self, id: FuncId) -> bool {
        let f = &self.functions[id];
        let is_begin = |(id, f): (FuncId, &Function)| f.body.is_some() && self.is_main(id);
        f.linkage == Linkage::Weak && f.body.is_some() && !self.functions.iter().any(is_begin)
    }

    /// The first function of this linkage name that is visible everywhere, else the first of any.
    pub fn find_function(&self, name: &str) -> Option<FuncId> {
        let symbol = self.symbols.get(name)?;
        let named = || self.functions.iter().filter(|(_, f)| f.name == symbol);
        named()
            .find(|(_, f)| f.linkage != Linkage::Internal)
            .or_else(|| named().next())
            .map(|(id, _)| id)
    }

    pub fn file_path(&self, file: FileId) -> &str {
        self.files.get(file).map_or("", |f| self.name(f.path))
    }
}
