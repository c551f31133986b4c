//! What all functions of a random program share: types and globals.

use crate::{Rng, Size};
use ir::program::File;
use ir::{
    Field, FileId, FuncId, Global, GlobalId, Init, Linkage, Program, Relocation, StructDef, Target,
    Type, TypeId, Unit, UnitId,
};
use ir::{Span, StructId};

pub struct World {
    pub program: Program,
    pub rng: Rng,
    pub size: Size,
    pub unit: UnitId,
    pub file: FileId,
    pub node: TypeId,
    pub globals: Vec<GlobalId>,
    /// Those that bodies may call.
    pub functions: Vec<FuncId>,
    /// How often functions call themselves, all together: a global that counts down.
    pub fuel: Option<GlobalId>,
    /// Do functions make much of what they give each other? See `social`.
    pub sociable: bool,
    pub line: u32,
}

/// The integer types that values have.
pub const INTS: &[TypeId] = &[
    TypeId::I8,
    TypeId::U8,
    TypeId::I16,
    TypeId::U16,
    TypeId::I32,
    TypeId::I32,
    TypeId::U32,
    TypeId::I64,
    TypeId::U64,
];

/// Length of every array: a power of two, so that an index can be masked.
pub const ARRAY: u64 = 8;

impl World {
    pub fn new(rng: Rng, size: Size) -> World {
        let mut program = Program::default();
        let name = program.symbols.intern("random.c");
        let unit = program.units.push(Unit {
            name,
            constructors: Vec::new(),
            destructors: Vec::new(),
        });
        let file = program.files.push(File {
            path: name,
            system: false,
        });
        let node = node_type(&mut program);
        let mut world = World {
            program,
            rng,
            size,
            unit,
            file,
            node,
            globals: Vec::new(),
            functions: Vec::new(),
            fuel: None,
            sociable: false,
            line: 1,
        };
        world.make_globals();
        world
    }

    fn make_globals(&mut self) {
        let array = self.program.types.array_of(TypeId::I32, ARRAY);
        let pointer = self.program.types.pointer_to(TypeId::I32);
        let types = [
            TypeId::I32,
            TypeId::U8,
            TypeId::I64,
            array,
            self.node,
            pointer,
        ];
        for (i, ty) in types.into_iter().enumerate() {
            let bytes = match self.program.types.is_pointer(ty) || self.rng.one_in(3) {
                true => Vec::new(),
                false => vec![self.rng.below(256) as u8],
            };
            // The pointer points to the first variable.
            let relocations = match self.program.types.is_pointer(ty) {
                true => vec![Relocation {
                    offset: 0,
                    target: Target::Global(GlobalId(0)),
                    addend: 0,
                }],
                false => Vec::new(),
            };
            let name = self.program.symbols.intern(&format!("g{i}"));
            let linkage = match self.rng.one_in(2) {
                true => Linkage::Internal,
                false => Linkage::External,
            };
            let id = self.program.globals.push(Global {
                name,
                unit: self.unit,
                linkage,
                ty,
                constant: false,
                thread_local: false,
                span: Span::NONE,
                init: Some(Init {
                    bytes,
                    relocations,
                    unknown: Vec::new(),
                }),
            });
            self.globals.push(id);
        }
    }

    /// Lets functions call themselves, so often.
    pub fn allow_recursion(&mut self, calls: u8) {
        let name = self.program.symbols.intern("fuel");
        let fuel = self.program.globals.push(Global {
            name,
            unit: self.unit,
            linkage: Linkage::Internal,
            ty: TypeId::I32,
            constant: false,
            thread_local: false,
            span: Span::NONE,
            init: Some(Init {
                bytes: vec![calls],
                relocations: Vec::new(),
                unknown: Vec::new(),
            }),
        });
        self.fuel = Some(fuel);
    }

    pub fn int_type(&mut self) -> TypeId {
        self.rng.pick(INTS).unwrap_or(TypeId::I32)
    }

    /// A fresh position: the next line.
    pub fn span(&mut self) -> Span {
        self.line += 1;
        Span {
            file: self.file,
            line: self.line,
            column: self.rng.below(40) + 1,
        }
    }
}

/// `struct node { struct node *next; int value; unsigned flags : 3, rest : 5; union … u; int a[8]; }`
fn node_type(program: &mut Program) -> TypeId {
    let types = &mut program.types;
    let symbols = &mut program.symbols;
    let field = |name: ir::Symbol, ty, offset, bits| Field {
        name,
        ty,
        offset,
        bits,
    };
    let union_fields = vec![
        field(symbols.intern("wide"), TypeId::I64, 0, None),
        field(symbols.intern("narrow"), TypeId::U16, 0, None),
    ];
    let overlay = types.structs.push(StructDef {
        name: symbols.intern("overlay"),
        union: true,
        size: 8,
        align: 8,
        fields: union_fields,
        complete: true,
    });
    let overlay = types.intern(Type::Struct(overlay));
    let id = StructId(types.structs.len() as u32);
    let node = types.intern(Type::Struct(id));
    let next = types.pointer_to(node);
    let array = types.array_of(TypeId::I32, ARRAY);
    let fields = vec![
        field(symbols.intern("next"), next, 0, None),
        field(symbols.intern("value"), TypeId::I32, 8, None),
        field(symbols.intern("flags"), TypeId::U32, 12, Some((0, 3))),
        field(symbols.intern("rest"), TypeId::U32, 12, Some((3, 5))),
        field(symbols.intern("u"), overlay, 16, None),
        field(symbols.intern("a"), array, 24, None),
    ];
    types.structs.push(StructDef {
        name: symbols.intern("node"),
        union: false,
        size: 56,
        align: 8,
        fields,
        complete: true,
    });
    node
}
