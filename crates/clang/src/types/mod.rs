//! Types: from debug information, which has the names, signs and fields of the source, and from
//! LLVM where there is none.
//!
//! LLVM's own types lost what a reader needs: signedness, union members, bit-fields, what a
//! pointer points to. So every variable and parameter takes its type from debug information
//! ([`debug`]), and accesses are resolved within that type by byte offset (see
//! `function::address`). LLVM types appear only for what clang itself invents: ABI forms,
//! temporaries, vtables.

mod debug;

use crate::llvm::{Meta, Module, Ty, TyKind};
use ir::{Field, FloatKind, Program, StructDef, Type, TypeId};
use rustc_hash::FxHashMap;

/// Integers beyond this width are bytes.
const WIDEST: u32 = 1024;

/// Maps debug and LLVM types to those of the program.
pub struct TypeMap<'m> {
    module: &'m Module,
    debug: FxHashMap<Meta<'m>, TypeId>,
    llvm: FxHashMap<Ty<'m>, TypeId>,
    /// Structs known from debug information by the name LLVM gives them: `struct.node`.
    by_llvm_name: FxHashMap<String, TypeId>,
    /// Structs that only their shape tells apart.
    shapes: FxHashMap<StructDef, TypeId>,
    unsigned_char: bool,
}

impl<'m> TypeMap<'m> {
    pub fn new(module: &'m Module, unsigned_char: bool) -> Self {
        TypeMap {
            module,
            debug: FxHashMap::default(),
            llvm: FxHashMap::default(),
            by_llvm_name: FxHashMap::default(),
            shapes: FxHashMap::default(),
            unsigned_char,
        }
    }

    /// The type for an LLVM type, where debug information has none.
    pub fn llvm_type(&mut self, program: &mut Program, ty: Ty<'m>) -> TypeId {
        if let Some(&id) = self.llvm.get(&ty) {
            return id;
        }
        let id = match ty.kind() {
            TyKind::Void | TyKind::Other => TypeId::VOID,
            TyKind::Int(1) => TypeId::BOOL,
            // Wider than any register: the storage of bit-fields, which folds away, or _BitInt.
            TyKind::Int(w) if w <= WIDEST => program.types.int(w as u16, true),
            TyKind::Int(_) => {
                let (size, align) = (self.module.size_of(ty), self.module.align_of(ty));
                program.types.intern(Type::Opaque { size, align })
            }
            TyKind::Half => program.types.intern(Type::Float(FloatKind::F16)),
            TyKind::BFloat => program.types.intern(Type::Float(FloatKind::BF16)),
            TyKind::Float => TypeId::F32,
            TyKind::Double => TypeId::F64,
            TyKind::X87 => TypeId::X87,
            TyKind::Fp128 => program.types.intern(Type::Float(FloatKind::F128)),
            TyKind::Pointer => TypeId::VOID_PTR,
            TyKind::Array | TyKind::Vector => {
                let elem = self.llvm_type(program, ty.element());
                program.types.array_of(elem, ty.len())
            }
            TyKind::Struct => self.llvm_struct(program, ty),
            TyKind::Function => {
                let (ret, params, variadic) = ty.signature();
                let ret = self.llvm_type(program, ret);
                let params = params
                    .into_iter()
                    .map(|p| self.llvm_type(program, p))
                    .collect();
                program.types.intern(Type::Function {
                    ret,
                    params,
                    variadic,
                })
            }
        };
        self.llvm.insert(ty, id);
        id
    }

    fn llvm_struct(&mut self, program: &mut Program, ty: Ty<'m>) -> TypeId {
        let size = self.module.size_of(ty);
        let name = ty.name().unwrap_or("");
        if let Some(&known) = self.by_llvm_name.get(name)
            && program.types.size_of(known) == size
        {
            return known;
        }
        let align = self.module.align_of(ty);
        // LLVM numbers structs of one name across the unit: another function's types must not
        // rename this one's.
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let name = if stem.len() < name.len() {
            stem.strip_suffix('.').unwrap_or(name)
        } else {
            name
        };
        let symbol = program
            .symbols
            .intern(if name.is_empty() { "$tuple" } else { name });
        let elements = ty.fields();
        let fields = elements
            .iter()
            .enumerate()
            .map(|(i, &e)| Field {
                name: program.symbols.intern(&format!("f{i}")),
                ty: self.llvm_type(program, e),
                offset: self.module.offset_of(ty, i as u32),
                bits: None,
            })
            .collect();
        let def = StructDef {
            name: symbol,
            union: false,
            size,
            align,
            fields,
            complete: ty.is_sized(),
        };
        self.structural(program, def)
    }

    /// The type of a struct that is known by its shape, not by a name: `{i64, i64}` is one type
    /// however often it is written.
    fn structural(&mut self, program: &mut Program, def: StructDef) -> TypeId {
        if let Some(&id) = self.shapes.get(&def) {
            return id;
        }
        let sid = program.types.structs.push(def.clone());
        let id = program.types.intern(Type::Struct(sid));
        self.shapes.insert(def, id);
        id
    }
}
