//! Types, functions and globals as a function's hash sees them: each has a hash of its own, made once for
//! all bodies that speak of it.

use super::out::Out;
use crate::program::{FuncId, Function, Global, Linkage, Program, Symbol, Target};
use crate::types::{StructId, Type, TypeId};

/// 16 bytes of a hash.
pub(super) type Short = [u8; 16];

/// The hashes of everything that bodies speak of, by id.
pub(super) struct Tables {
    types: Vec<Short>,
    functions: Vec<Short>,
    globals: Vec<Short>,
}

impl Tables {
    pub fn new(program: &Program) -> Tables {
        let mut types = Types {
            program,
            known: vec![None; program.types.len()],
        };
        let ids = (0..program.types.len()).map(|i| TypeId(i as u32));
        let types: Vec<Short> = ids.map(|ty| types.value_type(ty)).collect();
        let mut tables = Tables {
            types,
            functions: Vec::new(),
            globals: Vec::new(),
        };
        let mut writer = Writer {
            program,
            types: &tables.types,
            functions: &[],
            out: Out::default(),
        };
        let functions = program.functions.values();
        let functions: Vec<Short> = functions.map(|f| writer.function(f)).collect();
        writer.functions = &functions;
        let globals = program.globals.values();
        let globals: Vec<Short> = globals.map(|g| writer.global(g)).collect();
        (tables.functions, tables.globals) = (functions, globals);
        tables
    }

    pub fn value_type(&self, ty: TypeId) -> Short {
        self.types.get(ty.0 as usize).copied().unwrap_or_default()
    }

    pub fn function(&self, id: FuncId) -> Short {
        let known = self.functions.get(id.0 as usize);
        known.copied().unwrap_or_default()
    }

    pub fn global(&self, id: crate::GlobalId) -> Short {
        self.globals.get(id.0 as usize).copied().unwrap_or_default()
    }
}

/// Types, while their hashes are found.
struct Types<'a> {
    program: &'a Program,
    known: Vec<Option<Short>>,
}

impl Types<'_> {
    /// A type that a function has values of: with the layout of its structs.
    fn value_type(&mut self, ty: TypeId) -> Short {
        if let Some(Some(known)) = self.known.get(ty.0 as usize) {
            return *known;
        }
        // A type that contains itself is none; it must not keep anybody, though.
        if let Some(slot) = self.known.get_mut(ty.0 as usize) {
            *slot = Some(Short::default());
        }
        let mut out = Out::default();
        match self.program.types.lookup(ty) {
            Some(Type::Array { elem, len }) => {
                out.byte(b'[');
                out.number(*len);
                out.short(self.value_type(*elem));
            }
            Some(Type::Struct(s)) => self.layout(*s, &mut out),
            Some(Type::Function {
                ret,
                params,
                variadic,
            }) => {
                out.byte(b'(');
                out.number(params.len() as u64);
                out.byte(u8::from(*variadic));
                for &t in params.iter().chain([ret]) {
                    out.short(self.value_type(t));
                }
            }
            _ => out.type_name(self.program, ty),
        }
        let hash = out.short_hash();
        if let Some(slot) = self.known.get_mut(ty.0 as usize) {
            *slot = Some(hash);
        }
        hash
    }

    fn layout(&mut self, id: StructId, out: &mut Out) {
        let Some(def) = self.program.types.structs.get(id) else {
            return out.byte(b'?');
        };
        out.byte(b'{');
        out.symbol(self.program, def.name);
        out.byte(u8::from(def.union) | u8::from(def.complete) << 1);
        out.number(def.size);
        out.number(u64::from(def.align));
        out.number(def.fields.len() as u64);
        for field in &def.fields {
            out.symbol(self.program, field.name);
            out.number(field.offset);
            let (low, count) = field.bits.unwrap_or((u16::MAX, u16::MAX));
            out.number(u64::from(low) << 16 | u64::from(count));
            out.short(self.value_type(field.ty));
        }
    }
}

impl Out {
    pub(super) fn symbol(&mut self, program: &Program, s: Symbol) {
        let name = program.symbols.lookup(s).unwrap_or_default();
        self.bytes(name.as_bytes());
    }

    /// A type that is only pointed to: structs by name.
    fn type_name(&mut self, program: &Program, ty: TypeId) {
        match program.types.lookup(ty) {
            None => self.byte(b'?'),
            Some(Type::Void) => self.byte(b'v'),
            Some(Type::Int { width, signed }) => {
                self.byte(if *signed { b'i' } else { b'u' });
                self.number(u64::from(*width));
            }
            Some(Type::Float(kind)) => {
                self.byte(b'f');
                self.byte(*kind as u8);
            }
            Some(Type::Pointer(to)) => {
                self.byte(b'*');
                self.type_name(program, *to);
            }
            Some(Type::Array { elem, len }) => {
                self.byte(b'[');
                self.number(*len);
                self.type_name(program, *elem);
            }
            Some(Type::Struct(s)) => {
                self.byte(b's');
                if let Some(def) = program.types.structs.get(*s) {
                    self.byte(u8::from(def.union));
                    self.symbol(program, def.name);
                }
            }
            Some(Type::Function {
                ret,
                params,
                variadic,
            }) => {
                self.byte(b'(');
                self.number(params.len() as u64);
                self.byte(u8::from(*variadic));
                for &t in params.iter().chain([ret]) {
                    self.type_name(program, t);
                }
            }
            Some(Type::Opaque { size, align }) => {
                self.byte(b'o');
                self.number(*size);
                self.number(u64::from(*align));
            }
        }
    }
}

/// Functions and globals, while their hashes are found.
struct Writer<'a> {
    program: &'a Program,
    types: &'a [Short],
    functions: &'a [Short],
    out: Out,
}

impl Writer<'_> {
    fn value_type(&mut self, ty: TypeId) {
        let known = self.types.get(ty.0 as usize).copied();
        self.out.short(known.unwrap_or_default());
    }

    /// Another function: its name and prototype.
    fn function(&mut self, f: &Function) -> Short {
        self.out.clear();
        self.out.symbol(self.program, f.name);
        self.out.byte(u8::from(f.linkage == Linkage::Internal));
        self.out.byte(u8::from(f.noreturn));
        self.value_type(f.signature);
        self.out.short_hash()
    }

    /// A variable by name and type, a constant with its contents.
    fn global(&mut self, g: &Global) -> Short {
        self.out.clear();
        self.global_name(g);
        self.out
            .byte(u8::from(g.constant) | u8::from(g.thread_local) << 1);
        self.value_type(g.ty);
        if g.constant {
            self.contents(g, true);
        }
        self.out.short_hash()
    }

    /// The compiler numbers its private constants (`.str.3`); the contents tell them apart.
    fn global_name(&mut self, g: &Global) {
        let name = self.program.symbols.lookup(g.name).unwrap_or_default();
        let private = g.constant && g.linkage == Linkage::Internal;
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let stem = &name[..name.len() - digits];
        let name = match private && digits > 0 {
            true => stem.strip_suffix('.').unwrap_or(name),
            false => name,
        };
        self.out.bytes(name.as_bytes());
        self.out.byte(u8::from(g.linkage == Linkage::Internal));
    }

    /// Initial bytes and addresses; the strings it points to, if `follow`.
    fn contents(&mut self, g: &Global, follow: bool) {
        let Some(init) = &g.init else {
            return self.out.byte(0);
        };
        self.out.byte(1);
        // Zeros at the end say nothing.
        let used = init.bytes.iter().rposition(|&b| b != 0);
        let used = used.map_or(0, |i| i + 1);
        self.out.bytes(init.bytes.get(..used).unwrap_or_default());
        self.out.number(init.relocations.len() as u64);
        for r in &init.relocations {
            self.out.number(r.offset);
            self.out.number(r.addend as u64);
            match r.target {
                Target::Function(f) => self.known(f),
                Target::Label(f, k) => {
                    self.known(f);
                    self.out.number(u64::from(k));
                }
                Target::Global(id) => {
                    if let Some(g) = self.program.globals.get(id) {
                        self.global_name(g);
                        if g.constant && follow {
                            self.contents(g, false);
                        }
                    }
                }
            }
        }
        self.out.number(init.unknown.len() as u64);
        for &(at, length) in &init.unknown {
            self.out.number(at);
            self.out.number(length);
        }
    }

    fn known(&mut self, id: FuncId) {
        let known = self.functions.get(id.0 as usize).copied();
        self.out.short(known.unwrap_or_default());
    }
}
