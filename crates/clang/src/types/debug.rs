//! Types as debug information describes them.

use super::TypeMap;
use crate::llvm::{Meta, MetaKind};
use ir::{Field, FloatKind, Program, StructDef, StructId, Type, TypeId};

/// DWARF tags that C and C++ use.
mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const CLASS: u16 = 0x02;
    pub const ENUMERATION: u16 = 0x04;
    pub const MEMBER: u16 = 0x0d;
    pub const POINTER: u16 = 0x0f;
    pub const REFERENCE: u16 = 0x10;
    pub const STRUCTURE: u16 = 0x13;
    pub const TYPEDEF: u16 = 0x16;
    pub const UNION: u16 = 0x17;
    pub const INHERITANCE: u16 = 0x1c;
    pub const MEMBER_POINTER: u16 = 0x1f;
    pub const RVALUE_REFERENCE: u16 = 0x42;
}

/// LLVM's DIFlags that matter.
mod flag {
    pub const FORWARD: i32 = 1 << 2;
    pub const VIRTUAL: i32 = 1 << 5;
    pub const STATIC: i32 = 1 << 12;
    pub const BIT_FIELD: i32 = 1 << 19;
}

impl<'m> TypeMap<'m> {
    /// The type that a debug node describes.
    pub fn debug_type(&mut self, program: &mut Program, node: Meta<'m>) -> TypeId {
        self.named_debug_type(program, node, None)
    }

    fn named_debug_type(
        &mut self,
        program: &mut Program,
        node: Meta<'m>,
        typedef: Option<&str>,
    ) -> TypeId {
        if let Some(&id) = self.debug.get(&node) {
            return id;
        }
        let id = match node.kind() {
            MetaKind::BasicType => self.basic(program, node),
            MetaKind::DerivedType => self.derived(program, node),
            MetaKind::CompositeType => return self.composite(program, node, typedef),
            MetaKind::SubroutineType => self.subroutine(program, node),
            _ => TypeId::VOID,
        };
        self.debug.insert(node, id);
        id
    }

    fn basic(&mut self, program: &mut Program, node: Meta<'m>) -> TypeId {
        // The encoding has no accessor in the C interface; the names clang gives are fixed.
        let name = node.type_name();
        let bits = node.size_in_bits();
        if name.contains("omplex") {
            let part = float_of_size(bits / 2)
                .map_or(TypeId::F64, |k| program.types.intern(Type::Float(k)));
            return self.pair(program, &name, part);
        }
        let float = match &*name {
            "float" | "double" | "long double" | "_Float32" | "_Float64" | "_Float64x"
            | "_Float128" | "__float128" | "__ibm128" => {
                if matches!(&*name, "__float128" | "_Float128") {
                    Some(FloatKind::F128)
                } else {
                    float_of_size(bits)
                }
            }
            "_Float16" | "__fp16" | "half" => Some(FloatKind::F16),
            "__bf16" => Some(FloatKind::BF16),
            _ => None,
        };
        if let Some(kind) = float {
            return program.types.intern(Type::Float(kind));
        }
        if bits == 0 {
            return TypeId::VOID_PTR; // decltype(nullptr) and other unspecified types
        }
        if matches!(&*name, "_Bool" | "bool") {
            return TypeId::BOOL;
        }
        let unsigned = name.contains("unsigned")
            || matches!(&*name, "char8_t" | "char16_t" | "char32_t")
            || &*name == "char" && self.unsigned_char;
        match u16::try_from(bits) {
            Ok(width) if width <= 128 => program.types.int(width, !unsigned),
            _ => program.types.intern(Type::Opaque {
                size: bits / 8,
                align: 16,
            }),
        }
    }

    fn derived(&mut self, program: &mut Program, node: Meta<'m>) -> TypeId {
        let base = node.operand(self.module, 3);
        match node.tag() {
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => {
                let to = base.map_or(TypeId::VOID, |b| self.debug_type(program, b));
                program.types.pointer_to(to)
            }
            tag::MEMBER_POINTER => {
                if node.size_in_bits() > 64 {
                    self.pair(program, "member pointer", TypeId::I64)
                } else {
                    TypeId::I64
                }
            }
            // const, volatile, atomic, restrict change nothing; a typedef lends its name.
            tag::TYPEDEF => {
                let name = node.type_name();
                base.map_or(TypeId::VOID, |b| {
                    self.named_debug_type(program, b, Some(&name))
                })
            }
            _ => base.map_or(TypeId::VOID, |b| self.debug_type(program, b)),
        }
    }

    fn composite(
        &mut self,
        program: &mut Program,
        node: Meta<'m>,
        typedef: Option<&str>,
    ) -> TypeId {
        match node.tag() {
            tag::ARRAY => self.array(program, node),
            tag::ENUMERATION => {
                let id = match node.operand(self.module, 3) {
                    Some(base) => self.debug_type(program, base),
                    None => program
                        .types
                        .int(node.size_in_bits().clamp(8, 64) as u16, false),
                };
                self.debug.insert(node, id);
                id
            }
            _ => self.structure(program, node, typedef),
        }
    }

    fn array(&mut self, program: &mut Program, node: Meta<'m>) -> TypeId {
        let operands = node.operands(self.module);
        let meta = |i: usize| operands.get(i).copied().flatten().and_then(|v| v.as_meta());
        let mut id = meta(3).map_or(TypeId::VOID, |b| self.debug_type(program, b));
        let dims = meta(4).map_or_else(Vec::new, |e| e.operands(self.module));
        for dim in dims.into_iter().rev() {
            let count = dim
                .and_then(|d| d.as_meta())
                .and_then(|d| d.operands(self.module).first().copied().flatten())
                .filter(|c| c.kind() == crate::llvm::ValueKind::Int)
                .and_then(|c| c.int_bits())
                .unwrap_or(0);
            // A flexible or variable length is -1 or absent: nothing is known, length 0.
            let len = u64::try_from(count)
                .ok()
                .filter(|&n| n < 1 << 60)
                .unwrap_or(0);
            id = program.types.array_of(id, len);
        }
        self.debug.insert(node, id);
        id
    }

    fn structure(
        &mut self,
        program: &mut Program,
        node: Meta<'m>,
        typedef: Option<&str>,
    ) -> TypeId {
        let operands = node.operands(self.module);
        let meta = |i: usize| operands.get(i).copied().flatten().and_then(|v| v.as_meta());
        let own = node.type_name();
        let name = match (&*own, typedef) {
            ("", Some(t)) => t.to_string(),
            ("", None) => "anonymous".to_string(),
            (n, _) => format!("{}{n}", self.scope_prefix(meta(1))),
        };
        let union = node.tag() == tag::UNION;
        let complete = node.type_flags() & flag::FORWARD == 0;
        let symbol = program.symbols.intern(&name);
        let size = node.size_in_bits() / 8;
        let def = StructDef {
            name: symbol,
            union,
            size,
            align: 1,
            fields: Vec::new(),
            complete,
        };
        let sid = program.types.structs.push(def);
        let id = program.types.intern(Type::Struct(sid));
        // Before the fields: they may point back here.
        self.debug.insert(node, id);
        let prefix = match node.tag() {
            tag::CLASS => "class",
            tag::STRUCTURE => "struct",
            _ => "union",
        };
        if complete {
            self.by_llvm_name
                .entry(format!("{prefix}.{name}"))
                .or_insert(id);
        }
        let members = meta(4).map_or_else(Vec::new, |e| e.operands(self.module));
        for member in members.into_iter().flatten().filter_map(|m| m.as_meta()) {
            self.member(program, sid, member);
        }
        let fields = &program.types.structs[sid].fields;
        let align = fields
            .iter()
            .filter(|f| f.bits.is_none())
            .map(|f| (f, program.types.align_of(f.ty)))
            .filter(|(f, a)| {
                f.offset.is_multiple_of(u64::from(*a)) && size.is_multiple_of(u64::from(*a))
            })
            .map(|(_, a)| a)
            .max()
            .unwrap_or(1);
        program.types.structs[sid].align = align.max(node.align_in_bits() / 8);
        id
    }

    fn member(&mut self, program: &mut Program, owner: StructId, member: Meta<'m>) {
        let flags = member.type_flags_if_type();
        let inherited = member.tag() == tag::INHERITANCE;
        if member.kind() != MetaKind::DerivedType
            || !(member.tag() == tag::MEMBER || inherited)
            || flags & flag::STATIC != 0
            || inherited && flags & flag::VIRTUAL != 0
        {
            return;
        }
        let Some(base) = member.operand(self.module, 3) else {
            return;
        };
        let ty = self.debug_type(program, base);
        let own = member.type_name();
        let name = if inherited {
            match program.types.as_struct(ty) {
                Some(s) => s.name,
                None => program.symbols.intern("$base"),
            }
        } else if own.is_empty() {
            let n = program.types.structs[owner].fields.len();
            program.symbols.intern(&format!("${n}"))
        } else {
            program.symbols.intern(&own)
        };
        let at = member.offset_in_bits();
        let bits =
            (flags & flag::BIT_FIELD != 0).then(|| ((at % 8) as u16, member.size_in_bits() as u16));
        if bits.is_some_and(|(_, n)| n == 0) {
            return;
        }
        program.types.structs[owner].fields.push(Field {
            name,
            ty,
            offset: at / 8,
            bits,
        });
    }

    /// `ns::Outer::` for what lies in a namespace or class.
    pub fn scope_prefix(&self, scope: Option<Meta<'m>>) -> String {
        let mut parts = Vec::new();
        let mut at = scope;
        while let Some(s) = at {
            match s.kind() {
                MetaKind::Namespace => {
                    parts.push(
                        s.string(self.module, 2)
                            .map_or("(anonymous)".into(), |n| n.into_owned()),
                    );
                    at = s.operand(self.module, 1);
                }
                MetaKind::CompositeType => {
                    parts.push(s.type_name().into_owned());
                    at = s.operand(self.module, 1);
                }
                _ => break,
            }
        }
        parts.reverse();
        parts.iter().map(|p| format!("{p}::")).collect()
    }

    fn subroutine(&mut self, program: &mut Program, node: Meta<'m>) -> TypeId {
        let (ret, params, variadic) = self.subroutine_parts(program, node);
        let params = params.into_iter().flatten().collect();
        program.types.intern(Type::Function {
            ret: ret.unwrap_or(TypeId::VOID),
            params,
            variadic,
        })
    }

    /// Return type (none: void) and parameter types as the source has them.
    pub fn subroutine_parts(
        &mut self,
        program: &mut Program,
        node: Meta<'m>,
    ) -> (Option<TypeId>, Vec<Option<TypeId>>, bool) {
        let list = node.operand(self.module, 3);
        let mut types = list
            .map_or_else(Vec::new, |l| l.operands(self.module))
            .into_iter();
        let ret = types
            .next()
            .flatten()
            .and_then(|t| t.as_meta())
            .map(|t| self.debug_type(program, t));
        let mut params: Vec<Option<TypeId>> = types
            .map(|t| {
                t.and_then(|t| t.as_meta())
                    .map(|t| self.debug_type(program, t))
            })
            .collect();
        // A trailing null, or an unspecified parameter, is `...`.
        let variadic = params.last().is_some_and(Option::is_none);
        if variadic {
            params.pop();
        }
        (ret, params, variadic)
    }

    /// `{ part re, im }`: complex numbers and member function pointers.
    fn pair(&mut self, program: &mut Program, name: &str, part: TypeId) -> TypeId {
        let size = program.types.size_of(part);
        let name = program.symbols.intern(name);
        let field = |program: &mut Program, n: &str, offset| Field {
            name: program.symbols.intern(n),
            ty: part,
            offset,
            bits: None,
        };
        let fields = vec![field(program, "re", 0), field(program, "im", size)];
        let align = program.types.align_of(part);
        let def = StructDef {
            name,
            union: false,
            size: 2 * size,
            align,
            fields,
            complete: true,
        };
        self.structural(program, def)
    }
}

impl Meta<'_> {
    fn type_flags_if_type(self) -> i32 {
        if self.kind() == MetaKind::DerivedType {
            self.type_flags()
        } else {
            0
        }
    }
}

fn float_of_size(bits: u64) -> Option<FloatKind> {
    match bits {
        16 => Some(FloatKind::F16),
        32 => Some(FloatKind::F32),
        64 => Some(FloatKind::F64),
        80 | 96 | 128 => Some(FloatKind::X87),
        _ => None,
    }
}
