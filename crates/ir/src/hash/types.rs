//! Types, functions and globals as a function's hash sees them.

use super::stream::Stream;
use crate::program::{FuncId, Global, GlobalId, Linkage, Symbol, Target};
use crate::types::{StructId, Type, TypeId};

impl Stream<'_> {
    pub(super) fn symbol(&mut self, s: Symbol) {
        let name = self.program.symbols.lookup(s).unwrap_or_default();
        self.bytes(name.as_bytes());
    }

    /// A type that the function has values of: with the layout of its structs.
    pub(super) fn value_type(&mut self, ty: TypeId) {
        if let Some(&number) = self.types.get(&ty) {
            self.byte(b'=');
            self.number(u64::from(number));
            return;
        }
        let number = self.types.len() as u32;
        self.types.insert(ty, number);
        match self.program.types.lookup(ty) {
            Some(Type::Array { elem, len }) => {
                self.byte(b'[');
                self.number(*len);
                self.value_type(*elem);
            }
            Some(Type::Struct(s)) => self.layout(*s),
            Some(Type::Function {
                ret,
                params,
                variadic,
            }) => {
                self.byte(b'(');
                self.number(params.len() as u64);
                self.byte(u8::from(*variadic));
                for &t in params.iter().chain([ret]) {
                    self.value_type(t);
                }
            }
            _ => self.type_name(ty),
        }
    }

    fn layout(&mut self, id: StructId) {
        let Some(def) = self.program.types.structs.get(id) else {
            return self.byte(b'?');
        };
        self.byte(b'{');
        self.symbol(def.name);
        self.byte(u8::from(def.union) | u8::from(def.complete) << 1);
        self.number(def.size);
        self.number(u64::from(def.align));
        self.number(def.fields.len() as u64);
        for field in &def.fields {
            self.symbol(field.name);
            self.number(field.offset);
            let (low, count) = field.bits.unwrap_or((u16::MAX, u16::MAX));
            self.number(u64::from(low) << 16 | u64::from(count));
            self.value_type(field.ty);
        }
    }

    /// A type that is only pointed to: structs by name.
    fn type_name(&mut self, ty: TypeId) {
        match self.program.types.lookup(ty) {
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
                self.type_name(*to);
            }
            Some(Type::Array { elem, len }) => {
                self.byte(b'[');
                self.number(*len);
                self.type_name(*elem);
            }
            Some(Type::Struct(s)) => {
                self.byte(b's');
                if let Some(def) = self.program.types.structs.get(*s) {
                    self.byte(u8::from(def.union));
                    self.symbol(def.name);
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
                    self.type_name(t);
                }
            }
            Some(Type::Opaque { size, align }) => {
                self.byte(b'o');
                self.number(*size);
                self.number(u64::from(*align));
            }
        }
    }

    /// Another function: its name and prototype.
    pub(super) fn function(&mut self, id: FuncId) {
        let Some(f) = self.program.functions.get(id) else {
            return self.byte(b'?');
        };
        self.symbol(f.name);
        self.byte(u8::from(f.linkage == Linkage::Internal));
        self.byte(u8::from(f.noreturn));
        self.value_type(f.signature);
    }

    /// A variable by name and type, a constant with its contents.
    pub(super) fn global(&mut self, id: GlobalId) {
        let Some(g) = self.program.globals.get(id) else {
            return self.byte(b'?');
        };
        self.global_name(g);
        self.byte(u8::from(g.constant) | u8::from(g.thread_local) << 1);
        self.value_type(g.ty);
        if g.constant {
            self.contents(g, true);
        }
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
        self.bytes(name.as_bytes());
        self.byte(u8::from(g.linkage == Linkage::Internal));
    }

    /// Initial bytes and addresses; the strings it points to, if `follow`.
    fn contents(&mut self, g: &Global, follow: bool) {
        let Some(init) = &g.init else {
            return self.byte(0);
        };
        self.byte(1);
        // Zeros at the end say nothing.
        let used = init.bytes.iter().rposition(|&b| b != 0);
        let used = used.map_or(0, |i| i + 1);
        self.bytes(init.bytes.get(..used).unwrap_or_default());
        self.number(init.relocations.len() as u64);
        for r in &init.relocations {
            self.number(r.offset);
            self.number(r.addend as u64);
            match r.target {
                Target::Function(f) => self.function(f),
                Target::Label(f, k) => {
                    self.function(f);
                    self.number(u64::from(k));
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
        self.number(init.unknown.len() as u64);
        for &(at, length) in &init.unknown {
            self.number(at);
            self.number(length);
        }
    }
}
