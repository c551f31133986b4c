//! Run-time types: reading Itanium type-info objects from memory.
//!
//! A type-info object starts with the vtable pointer of its kind and the type's name; classes with
//! bases name them behind that. The kind is recognised by the vtable's symbol.

use super::Exception;
use crate::libc;
use crate::machine::Machine;
use crate::value::Scalar;
use ir::GlobalId;

enum Bases {
    None,
    /// (type-info, offset of the base, virtual).
    Some(Vec<(Scalar, i64, bool)>),
}

impl<'p> Machine<'p> {
    fn word(&self, p: Scalar) -> Option<Scalar> {
        let (obj, at) = self.mem.resolve(p, 8).ok()?;
        let s = self.mem.read(obj, at, 8).ok()?;
        Some(self.mem.with_object(s))
    }

    fn symbol_of(&self, p: Scalar) -> &'p str {
        match self.addresses.global_of(p.prov) {
            Some(g) => self.program.name(self.program.globals[g].name),
            None => self.lib.types.symbol(p).unwrap_or(""),
        }
    }

    /// The same type: one object, or two of one name (from units that were not linked).
    fn same_type(&self, a: Scalar, b: Scalar) -> bool {
        a.bits == b.bits || {
            let name = self.symbol_of(a);
            !name.is_empty() && name == self.symbol_of(b)
        }
    }

    fn type_kind(&self, type_info: Scalar) -> &'p str {
        self.word(type_info).map_or("", |v| self.symbol_of(v))
    }

    fn bases(&self, type_info: Scalar) -> Bases {
        let kind = self.type_kind(type_info);
        if kind.contains("__si_class_type_info") {
            if let Some(base) = self.word(type_info.offset(16)) {
                return Bases::Some(vec![(base, 0, false)]);
            }
        } else if kind.contains("__vmi_class_type_info") {
            let count = self
                .word(type_info.offset(16))
                .map_or(0, |w| w.bits >> 32)
                .min(1024);
            let mut list = Vec::new();
            for i in 0..count {
                let at = type_info.offset(24 + 16 * i);
                let (Some(base), Some(flags)) = (self.word(at), self.word(at.offset(8))) else {
                    break;
                };
                list.push((base, flags.bits as i64 >> 8, flags.bits & 1 != 0));
            }
            return Bases::Some(list);
        }
        Bases::None
    }

    pub(crate) fn global_named(&self, name: &str) -> Option<GlobalId> {
        let symbol = self.program.symbols.get(name)?;
        let mut all = self.program.globals.iter();
        all.find(|(_, g)| g.name == symbol).map(|(id, _)| id)
    }

    /// Where the `to` part of an object of type `from` is.
    pub(crate) fn upcast(
        &self,
        object: Scalar,
        from: Scalar,
        to: Scalar,
        depth: u32,
    ) -> Option<Scalar> {
        if self.same_type(from, to) {
            return Some(object);
        }
        // Exceptions of the library: their bases lie at their beginning, and may not be declared.
        let mut name = self.symbol_of(from);
        while let Some(base) = libc::base_of(name) {
            if base == self.symbol_of(to) {
                return Some(object);
            }
            name = base;
        }
        let Bases::Some(bases) = self.bases(from) else {
            return None;
        };
        if depth > 64 {
            return None;
        }
        for (base, offset, is_virtual) in bases {
            let at = if is_virtual {
                // The offset is that of an entry of the vtable.
                let vtable = self.word(object)?;
                self.word(vtable.offset(offset as u64))?.bits as i64
            } else {
                offset
            };
            if let Some(p) = self.upcast(object.offset(at as u64), base, to, depth + 1) {
                return Some(p);
            }
        }
        None
    }

    /// What a handler of the type of `g` gets, if it catches the exception.
    pub(super) fn catches(&self, thrown: &Exception, g: GlobalId) -> Option<Scalar> {
        let wanted = self.mem.address(self.addresses.global(g)?);
        let from = thrown.type_info;
        let pointer = "__pointer_type_info";
        // A null pointer constant is caught by pointers of every type.
        if self.symbol_of(from) == "_ZTIDn" && self.symbol_of(wanted).starts_with("_ZTIP") {
            return Some(Scalar::ZERO);
        }
        let is_pointer =
            self.type_kind(from).contains(pointer) || self.symbol_of(from).starts_with("_ZTIP");
        if !is_pointer {
            return self.upcast(thrown.object, from, wanted, 0);
        }
        let held = self.word(thrown.object)?;
        if self.same_type(from, wanted) || self.symbol_of(wanted) == "_ZTIPv" {
            return Some(held);
        }
        // A pointer to a derived class is caught as one to a base; qualifiers may be added.
        if !self.type_kind(from).contains(pointer) || !self.type_kind(wanted).contains(pointer) {
            return None;
        }
        let to_void = |t: Scalar| self.symbol_of(t) == "_ZTIv";
        let (a, b) = (self.word(from.offset(24))?, self.word(wanted.offset(24))?);
        if to_void(b) {
            return Some(held);
        }
        self.upcast(held, a, b, 0)
    }

    /// `dynamic_cast`: the part of type `to` of the whole object that `object` lies in.
    pub(crate) fn dynamic_cast(&self, object: Scalar, to: Scalar) -> Option<Scalar> {
        let vtable = self.word(object)?;
        let to_top = self.word(vtable.offset(-16i64 as u64))?.bits;
        let whole_type = self.word(vtable.offset(-8i64 as u64))?;
        let whole = object.offset(to_top);
        self.upcast(whole, whole_type, to, 0)
    }
}
