//! One translation unit: names, functions, globals and files; bodies are in [`crate::function`].

use crate::folded::{self, Folded};
use crate::function;
use crate::llvm::{AttributeSet, Block, Meta, MetaKind, Module, Ty, TyKind, Value, ValueKind};
use crate::startup;
use crate::types::TypeMap;
use ir::{
    FileId, FuncId, Function, Global, GlobalId, Linkage, Program, Span, Symbol, TrapReason, Type,
    TypeId, Unit, UnitId,
};
use llvm_sys::LLVMLinkage;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// What lowering must know about a unit beside its bitcode.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The unit's name: its source file as the build named it.
    pub file: String,
    /// Paths below this directory are given relative to it.
    pub root: PathBuf,
    /// Plain `char` is unsigned (`-funsigned-char`).
    pub unsigned_char: bool,
    /// Constant undefined behaviour that clang warned about.
    pub folded: Vec<Folded>,
    /// Directories whose files are system headers, beside `/usr`.
    pub system_dirs: Vec<PathBuf>,
}

/// Lowers a parsed module into a program with one unit.
pub fn lower(module: &Module, options: &Options) -> Program {
    let mut unit = UnitLowering::new(module, options);
    unit.declare_functions();
    unit.declare_globals();
    unit.declare_aliases();
    unit.number_labels();
    unit.initialize_globals();
    unit.lower_bodies();
    startup::lower(&mut unit);
    unit.program
}

/// State of a unit while it is lowered.
pub struct UnitLowering<'m> {
    pub module: &'m Module,
    pub program: Program,
    pub types: TypeMap<'m>,
    pub functions: FxHashMap<Value<'m>, FuncId>,
    pub globals: FxHashMap<Value<'m>, GlobalId>,
    /// Blocks whose address is taken, numbered per function.
    pub labels: FxHashMap<Block<'m>, (FuncId, u32)>,
    pub attributes: Attributes,
    pub(crate) scope_files: FxHashMap<Meta<'m>, Option<FileId>>,
    pub(crate) files: FxHashMap<PathBuf, FileId>,
    pub(crate) options: Options,
}

/// Attribute kinds, looked up once.
pub struct Attributes {
    pub noreturn: u32,
    pub byval: u32,
    pub sret: u32,
    pub elementtype: u32,
    pub returns_twice: u32,
}

pub const UNIT: UnitId = UnitId(0);

impl<'m> UnitLowering<'m> {
    fn new(module: &'m Module, options: &Options) -> Self {
        let mut program = Program::default();
        let name = program.symbols.intern(&options.file);
        program.units.push(Unit {
            name,
            constructors: Vec::new(),
            destructors: Vec::new(),
        });
        UnitLowering {
            module,
            program,
            types: TypeMap::new(module, options.unsigned_char),
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            labels: FxHashMap::default(),
            attributes: Attributes {
                noreturn: module.attribute_kind("noreturn"),
                byval: module.attribute_kind("byval"),
                sret: module.attribute_kind("sret"),
                elementtype: module.attribute_kind("elementtype"),
                returns_twice: module.attribute_kind("returns_twice"),
            },
            scope_files: FxHashMap::default(),
            files: FxHashMap::default(),
            options: options.clone(),
        }
    }

    pub fn symbol(&mut self, name: &str) -> Symbol {
        self.program.symbols.intern(name)
    }

    /// Why clang made poison of what stands there.
    pub fn poison_reason(&self, span: Span) -> TrapReason {
        folded::reason(
            &self.options.folded,
            self.program.file_path(span.file),
            span.line,
        )
    }

    pub fn debug_type(&mut self, node: Meta<'m>) -> TypeId {
        self.types.debug_type(&mut self.program, node)
    }

    pub fn llvm_type(&mut self, ty: Ty<'m>) -> TypeId {
        self.types.llvm_type(&mut self.program, ty)
    }

    // Functions.

    fn declare_functions(&mut self) {
        for f in self.module.functions() {
            if f.is_intrinsic() {
                continue;
            }
            let name = f.name();
            let name = self.symbol(&name);
            let (display, span) = match f.subprogram() {
                Some(sub) => self.describe(sub),
                None => (name, Span::NONE),
            };
            let signature = self.signature(f);
            let linkage = linkage(f);
            let noreturn = f.function_has(AttributeSet::Function, self.attributes.noreturn);
            let id = self.program.functions.push(Function {
                name,
                display,
                unit: UNIT,
                linkage,
                signature,
                noreturn,
                span,
                body: None,
            });
            self.functions.insert(f, id);
        }
    }

    /// Qualified name and position of a subprogram.
    fn describe(&mut self, sub: Meta<'m>) -> (Symbol, Span) {
        let operands = sub.operands(self.module);
        let scope = operands.get(1).copied().flatten().and_then(|v| v.as_meta());
        let name = sub.string(self.module, 2).unwrap_or_default();
        let prefix = match scope.map(Meta::kind) {
            Some(MetaKind::Namespace | MetaKind::CompositeType) => self.types.scope_prefix(scope),
            _ => String::new(),
        };
        let display = self.symbol(&format!("{prefix}{name}"));
        (display, self.position(Some(sub), sub.subprogram_line(), 0))
    }

    /// The function type: LLVM's, with each part that debug information describes alike taken
    /// from there.
    fn signature(&mut self, f: Value<'m>) -> TypeId {
        let (ret, params, variadic) = f.value_type().signature();
        let source = f.subprogram().and_then(|s| s.operand(self.module, 4));
        let (source_ret, source_params) = match source {
            Some(node) => {
                let (r, p, _) = self.types.subroutine_parts(&mut self.program, node);
                (r, p)
            }
            None => (None, Vec::new()),
        };
        let sret =
            !params.is_empty() && f.function_has(AttributeSet::Param(0), self.attributes.sret);
        let skip = usize::from(sret);
        let matching = params.len() == source_params.len() + skip;
        let mut types = Vec::with_capacity(params.len());
        for (i, &p) in params.iter().enumerate() {
            let source = match i.checked_sub(skip) {
                None => source_ret,
                Some(k) if matching => source_params.get(k).copied().flatten(),
                Some(_) => None,
            };
            types.push(self.refine(p, source));
        }
        let ret = self.refine(ret, source_ret);
        self.program.types.intern(Type::Function {
            ret,
            params: types,
            variadic,
        })
    }

    /// The source's type if it is represented as this LLVM type; a struct behind a pointer is
    /// one passed in memory.
    pub fn refine(&mut self, llvm: Ty<'m>, source: Option<TypeId>) -> TypeId {
        match source {
            Some(s) if self.represents(llvm, s) => s,
            Some(s) if llvm.kind() == TyKind::Pointer && !self.program.types.is_scalar(s) => {
                self.program.types.pointer_to(s)
            }
            _ => self.llvm_type(llvm),
        }
    }

    /// Is a value of this source type held as this LLVM type, scalar by scalar?
    pub fn represents(&self, llvm: Ty<'m>, source: TypeId) -> bool {
        let types = &self.program.types;
        match (llvm.kind(), types.get(source)) {
            (TyKind::Int(w), &Type::Int { width, .. }) => {
                u32::from(width) == w || width == 1 && w == 8
            }
            (TyKind::Pointer, Type::Pointer(_)) => true,
            (TyKind::Float, &Type::Float(ir::FloatKind::F32))
            | (TyKind::Double, &Type::Float(ir::FloatKind::F64))
            | (TyKind::X87, &Type::Float(ir::FloatKind::X87))
            | (TyKind::Half, &Type::Float(ir::FloatKind::F16))
            | (TyKind::BFloat, &Type::Float(ir::FloatKind::BF16))
            | (TyKind::Fp128, &Type::Float(ir::FloatKind::F128))
            | (TyKind::Void, Type::Void) => true,
            _ => false,
        }
    }

    /// The functions that have a body here.
    fn defined(&self) -> Vec<(Value<'m>, FuncId)> {
        let defined = self.module.functions().filter(|f| !f.is_declaration());
        defined
            .filter_map(|f| Some((f, *self.functions.get(&f)?)))
            .collect()
    }

    fn lower_bodies(&mut self) {
        for (f, id) in self.defined() {
            // A bug in lowering costs one function, and says so.
            let lowered = catch_unwind(AssertUnwindSafe(|| function::lower(self, f, id)));
            let body = lowered.unwrap_or_else(|_| function::lost(self, id));
            self.program.functions[id].body = Some(body);
        }
    }

    /// An alias is the same object under another name. For linking it needs an entry of its own:
    /// a function that forwards, or a second name for a global.
    fn declare_aliases(&mut self) {
        for alias in self.module.aliases() {
            let mut target = alias.aliasee();
            while let Some(t) = target
                && t.kind() == ValueKind::Alias
            {
                target = t.aliasee();
            }
            let Some(t) = target else { continue };
            if let Some(&f) = self.functions.get(&t) {
                let name = alias.name();
                let name = self.symbol(&name);
                let mut forward = self.program.functions[f].clone();
                forward.name = name;
                forward.linkage = linkage(alias);
                forward.body = function::forward(self, f);
                let weak = forward.linkage == Linkage::Weak;
                let id = self.program.functions.push(forward);
                // Here both names are one address; a weak one may come to mean another function.
                self.functions.insert(alias, if weak { id } else { f });
            } else if let Some(&g) = self.globals.get(&t) {
                self.globals.insert(alias, g);
            }
        }
    }

    // Globals.

    fn declare_globals(&mut self) {
        let dbg = self.debug_kind();
        for g in self.module.globals() {
            let name = g.name();
            if name.starts_with("llvm.") {
                continue;
            }
            let described = g
                .global_metadata()
                .into_iter()
                .find(|(kind, _)| *kind == dbg)
                .and_then(|(_, node)| node.operand(self.module, 0));
            let llvm_type = g.value_type();
            let (ty, span) = match described {
                Some(var) => {
                    let ty = var.operand(self.module, 3).map(|t| self.debug_type(t));
                    let fits = ty.filter(|&t| {
                        self.represents(llvm_type, t)
                            || !self.program.types.is_scalar(t)
                                && self.program.types.size_of(t) == self.module.size_of(llvm_type)
                    });
                    let scope = var.operand(self.module, 0);
                    (fits, self.position(scope, var.variable_line(), 0))
                }
                None => (None, Span::NONE),
            };
            let literal = literal_name(g, &name);
            let span = if literal.is_some() { Span::NONE } else { span };
            let ty = match (ty, &literal) {
                (Some(ty), _) => ty,
                (None, _) => self.llvm_type(llvm_type),
            };
            let name = self.symbol(literal.as_deref().unwrap_or(&name));
            let id = self.program.globals.push(Global {
                name,
                unit: UNIT,
                linkage: linkage(g),
                ty,
                constant: g.is_constant_global(),
                thread_local: g.is_thread_local(),
                span,
                init: None,
            });
            self.globals.insert(g, id);
        }
    }

    fn debug_kind(&self) -> u32 {
        0 // LLVMContext::MD_dbg is fixed
    }

    fn initialize_globals(&mut self) {
        for g in self.module.globals() {
            if let (Some(&id), Some(init)) = (self.globals.get(&g), g.initializer()) {
                let lowered = crate::initializer::lower(self, init);
                self.program.globals[id].init = Some(lowered);
            }
        }
    }

    /// Numbers the blocks whose address is taken before any body is lowered: tables of labels
    /// are global initialisers.
    fn number_labels(&mut self) {
        for (f, id) in self.defined() {
            let mut next = 0;
            for block in f.blocks() {
                if block.address_taken() {
                    self.labels.insert(block, (id, next));
                    next += 1;
                }
            }
        }
    }
}

fn linkage(v: Value<'_>) -> Linkage {
    use LLVMLinkage::*;
    match v.linkage() {
        LLVMInternalLinkage | LLVMPrivateLinkage => Linkage::Internal,
        LLVMLinkOnceODRLinkage
        | LLVMWeakODRLinkage
        // A copy of what another unit defines, for the optimiser: any is as good.
        | LLVMAvailableExternallyLinkage => Linkage::Inline,
        LLVMLinkOnceAnyLinkage
        | LLVMWeakAnyLinkage
        | LLVMCommonLinkage
        | LLVMExternalWeakLinkage => Linkage::Weak,
        _ => Linkage::External,
    }
}

/// String literals are named by what they say, so that adding one renames no other.
fn literal_name(g: Value<'_>, name: &str) -> Option<String> {
    if !name.starts_with(".str") || linkage(g) != Linkage::Internal {
        return None;
    }
    let init = g.initializer()?;
    if let Some(bytes) = init.string_bytes() {
        if let Some(text) = bytes.strip_suffix(b"\0") {
            return Some(ir::text::quote_bytes(text));
        }
        // An array without its terminator is another object: `char s[2] = "ab"`.
        return Some(format!("{}-", ir::text::quote_bytes(bytes)));
    }
    if init.is_null_constant() && matches!(init.ty().element().kind(), TyKind::Int(8)) {
        let text = vec![0; init.ty().len().clamp(1, 1 << 16) as usize - 1];
        return Some(ir::text::quote_bytes(&text));
    }
    None
}
