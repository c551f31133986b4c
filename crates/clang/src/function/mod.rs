//! One function: LLVM's three-address code folded back into statements over source variables.
//!
//! clang's unoptimised code loads every variable before each use and stores it after each
//! assignment. Lowering walks a block once and keeps what an instruction computes as an
//! *expression that has not happened yet*; only stores, calls and branches become edges. An
//! expression that reads memory stays valid until something may write what it reads; just before
//! that, it is put into a temporary (see [`values`]). So `m = m + 1` is one edge, and `i++`
//! keeps its old value where it is used.

mod address;
mod aggregate;
mod annotation;
mod arith;
mod arrays;
mod assembly;
mod atomic;
mod bits;
mod call;
mod compare;
mod control;
mod gep;
mod intrinsic;
mod prepare;
mod reads;
mod values;

use crate::llvm::{Block, Opcode, Value};
use crate::unit::UnitLowering;
use ir::{
    Body, BodyBuilder, Call, CallOutcome, Callee, ExprId, ExprKind, FuncId, HavocReason, NodeId,
    PlaceId, Span, Stmt, TrapReason, Type, TypeId, VarId, VarKind,
};
use reads::Reads;
use rustc_hash::{FxHashMap, FxHashSet};
use values::{Pending, Val};

/// Lowers the body of a defined function.
pub fn lower<'m>(unit: &mut UnitLowering<'m>, f: Value<'m>, id: FuncId) -> Body {
    let mut lowering = FunctionLowering::new(unit, id);
    lowering.prepare(f);
    lowering.blocks(f);
    lowering.finish()
}

/// The body of a function whose lowering failed: it returns anything, and is counted.
pub fn lost(unit: &mut UnitLowering<'_>, id: FuncId) -> Body {
    let reason = HavocReason::Instruction(unit.symbol("a function that rigel failed to read"));
    let signature = unit.program.functions[id].signature;
    let mut b = BodyBuilder::new();
    let (entry, exit) = (b.node(), b.node());
    let Type::Function { ret, params, .. } = unit.program.types.get(signature).clone() else {
        return b.finish(entry, exit);
    };
    for (i, ty) in params.into_iter().enumerate() {
        b.var(
            &mut unit.program.symbols,
            &format!("p{i}"),
            ty,
            VarKind::Param,
        );
    }
    let ty = if ret == TypeId::VOID {
        TypeId::I32
    } else {
        ret
    };
    let v = b.var(&mut unit.program.symbols, "$ret", ty, VarKind::Temp);
    if ret != TypeId::VOID {
        b.set_return(v);
    }
    let place = b.var_place(v);
    b.edge(entry, exit, Stmt::Havoc { place, reason }, Span::NONE);
    b.finish(entry, exit)
}

/// A body that passes its arguments on to another function: an alias of that function.
pub fn forward(unit: &mut UnitLowering<'_>, target: FuncId) -> Option<Body> {
    let signature = unit.program.functions[target].signature;
    let Type::Function {
        ret,
        params,
        variadic: false,
    } = unit.program.types.get(signature).clone()
    else {
        return None; // a variadic function cannot be forwarded; the call stays unresolved
    };
    let mut b = BodyBuilder::new();
    let symbols = &mut unit.program.symbols;
    let mut args = Vec::new();
    for (i, ty) in params.into_iter().enumerate() {
        let v = b.var(symbols, &format!("p{i}"), ty, VarKind::Param);
        args.push(b.load_var(v));
    }
    let result = (ret != TypeId::VOID).then(|| {
        let v = b.var(symbols, "$ret", ret, VarKind::Temp);
        b.set_return(v);
        b.var_place(v)
    });
    let (entry, exit) = (b.node(), b.node());
    let call = Call {
        result,
        callee: Callee::Direct(target),
        args,
        signature,
        outcome: CallOutcome::Return,
        noreturn: false,
    };
    b.edge(entry, exit, Stmt::Call(Box::new(call)), Span::NONE);
    Some(b.finish(entry, exit))
}

pub(crate) struct FunctionLowering<'u, 'm> {
    unit: &'u mut UnitLowering<'m>,
    id: FuncId,
    b: BodyBuilder,
    /// What each argument, instruction and alloca stands for.
    values: FxHashMap<Value<'m>, Val>,
    /// Values of the current block that read memory and have uses to come.
    pending: Vec<Pending<'m>>,
    /// By expression: what it reads (filled on demand).
    reads: Vec<Option<Reads>>,
    /// Variables assigned once: reading them later is as good as now.
    single: FxHashSet<VarId>,
    /// Variables whose address leaves the direct loads and stores.
    escaped: FxHashSet<VarId>,
    /// Names and types of allocas from dbg.declare.
    described: FxHashMap<Value<'m>, prepare::Described>,
    phis: FxHashMap<Value<'m>, VarId>,
    starts: FxHashMap<Block<'m>, NodeId>,
    exit: NodeId,
    /// The node that the next statement leaves; none after a terminator.
    at: NodeId,
    span: Span,
    last_location: Option<(crate::llvm::Meta<'m>, Span)>,
    /// Instructions whose effect was folded into an earlier statement.
    consumed: FxHashSet<Value<'m>>,
    reachable: FxHashSet<Block<'m>>,
    /// Pure instructions whose result goes nowhere.
    dead: FxHashSet<Value<'m>>,
    /// Variable-length arrays, and the variables that point to them.
    arrays: Vec<(Value<'m>, VarId)>,
    /// The last call does not return: the `unreachable` behind it is no trap.
    after_noreturn: bool,
}

impl<'u, 'm> FunctionLowering<'u, 'm> {
    fn new(unit: &'u mut UnitLowering<'m>, id: FuncId) -> Self {
        let mut b = BodyBuilder::new();
        let at = b.node();
        let exit = b.node();
        FunctionLowering {
            unit,
            id,
            b,
            values: FxHashMap::default(),
            pending: Vec::new(),
            reads: Vec::new(),
            single: FxHashSet::default(),
            escaped: FxHashSet::default(),
            described: FxHashMap::default(),
            phis: FxHashMap::default(),
            starts: FxHashMap::default(),
            exit,
            at,
            span: Span::NONE,
            last_location: None,
            consumed: FxHashSet::default(),
            reachable: FxHashSet::default(),
            dead: FxHashSet::default(),
            arrays: Vec::new(),
            after_noreturn: false,
        }
    }

    fn blocks(&mut self, f: Value<'m>) {
        self.reachable = self.reachable_blocks(f);
        self.dead = prepare::dead_code(f);
        let mut first = true;
        for block in f.blocks() {
            if !self.reachable.contains(&block) || self.is_threaded(block) {
                continue;
            }
            let start = self.start(block);
            if first {
                // Entry edges (parameter set-up) stand before the first block.
                self.b.edge(self.at, start, Stmt::Skip, Span::NONE);
                first = false;
            }
            self.at = start;
            self.pending.clear();
            self.after_noreturn = false;
            for inst in block.instructions() {
                self.instruction(inst, block);
            }
        }
    }

    fn finish(self) -> Body {
        let id = self.id;
        let mut labels: Vec<(u32, NodeId)> = self
            .unit
            .labels
            .iter()
            .filter(|(_, (f, _))| *f == id)
            .map(|(block, &(_, k))| (k, self.starts.get(block).copied().unwrap_or(self.exit)))
            .collect();
        labels.sort_unstable();
        let labels = labels.into_iter().map(|(_, n)| n).collect();
        self.b.finish_tidy(NodeId(0), self.exit, labels)
    }

    fn instruction(&mut self, inst: Value<'m>, block: Block<'m>) {
        use Opcode::*;
        if self.consumed.contains(&inst) || self.dead.contains(&inst) {
            return;
        }
        self.locate(inst);
        let opcode = inst.opcode();
        match opcode {
            LLVMAlloca => self.alloca(inst),
            LLVMLoad => self.load(inst),
            LLVMStore => self.store(inst),
            LLVMGetElementPtr => {
                let v = self.gep(inst);
                self.define(inst, v);
            }
            LLVMCall | LLVMInvoke => self.call(inst, block),
            LLVMBr | LLVMSwitch | LLVMRet | LLVMUnreachable | LLVMIndirectBr | LLVMResume
            | LLVMCallBr => self.terminator(inst, block),
            LLVMPHI => self.phi(inst),
            LLVMLandingPad => self.landing_pad(inst),
            LLVMExtractValue | LLVMInsertValue | LLVMExtractElement | LLVMInsertElement
            | LLVMShuffleVector => self.aggregate_op(inst),
            LLVMAtomicRMW => self.atomic_rmw(inst),
            LLVMAtomicCmpXchg => self.compare_exchange(inst),
            LLVMFence => {}
            LLVMFreeze => {
                let v = self.operand_value(inst.operand(0));
                self.define(inst, v);
            }
            _ => {
                let v = self.pure(inst);
                self.define(inst, v);
            }
        }
    }

    /// Sets the position of what follows.
    fn locate(&mut self, inst: Value<'m>) {
        let Some(location) = inst.debug_location() else {
            return;
        };
        if let Some((last, span)) = self.last_location
            && last == location
        {
            self.span = span;
            return;
        }
        let (line, column, scope) = location.location();
        let span = self.unit.position(scope, line, column);
        if span.is_none() {
            return; // compiler-made: belongs to the statement before
        }
        self.span = span;
        self.last_location = Some((location, self.span));
    }

    // Emitting.

    fn emit(&mut self, stmt: Stmt) {
        self.at = self.b.step(self.at, stmt, self.span);
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        self.clobber_place(place);
        self.emit(Stmt::Assign { place, value });
    }

    /// A fresh variable that is assigned in one place only.
    fn temp(&mut self, name: &str, ty: TypeId) -> VarId {
        let name = if name.is_empty() {
            "$".to_string()
        } else {
            format!("${name}")
        };
        let v = self
            .b
            .var(&mut self.unit.program.symbols, &name, ty, VarKind::Temp);
        self.single.insert(v);
        v
    }

    /// Puts a value into a fresh temporary now.
    fn save(&mut self, name: &str, e: ExprId) -> ExprId {
        let ty = self.b.type_of(e);
        let v = self.temp(name, ty);
        let place = self.b.var_place(v);
        self.emit(Stmt::Assign { place, value: e });
        self.b.load(place)
    }

    /// A fresh temporary with an unknown value.
    fn havoc(&mut self, name: &str, ty: TypeId, reason: HavocReason) -> ExprId {
        let v = self.temp(name, ty);
        let place = self.b.var_place(v);
        self.emit(Stmt::Havoc { place, reason });
        self.b.load(place)
    }

    /// Execution ends here; what follows in the block is unreachable.
    fn trap(&mut self, reason: TrapReason) {
        self.emit(Stmt::Trap(reason));
        self.at = self.b.node();
    }

    // Small shorthands over the builder, which wants the type table.

    fn cast(&mut self, e: ExprId, to: TypeId) -> ExprId {
        // What is read from a bit-field is small: a narrow type in between loses nothing.
        if let ExprKind::Cast(inner) = *self.b.kind(e)
            && let Some((w, signed)) = self.int_type(e)
            && let Some((bits, field_signed)) = self.bit_field_width(inner)
            && (bits < w || bits == w && signed == field_signed)
            && (signed || !field_signed)
        {
            return self.b.cast(&self.unit.program.types, inner, to);
        }
        self.b.cast(&self.unit.program.types, e, to)
    }

    fn addr_of(&mut self, place: PlaceId) -> ExprId {
        self.b.addr_of(&mut self.unit.program.types, place)
    }

    fn deref(&mut self, e: ExprId) -> PlaceId {
        self.b.deref(&self.unit.program.types, e)
    }

    fn not(&mut self, e: ExprId) -> ExprId {
        self.b.not(&self.unit.program.types, e)
    }

    fn int(&mut self, value: i128, ty: TypeId) -> ExprId {
        self.b.int(&self.unit.program.types, value, ty)
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        self.unit.program.types.is_pointer(ty)
    }

    fn int_type(&self, e: ExprId) -> Option<(u16, bool)> {
        self.unit.program.types.as_int(self.b.type_of(e))
    }

    /// The same bits at the other signedness.
    fn with_sign(&mut self, e: ExprId, signed: bool) -> ExprId {
        match self.int_type(e) {
            Some((1, false)) => e,
            Some((w, s)) if s != signed => {
                let ty = self.unit.program.types.int(w, signed);
                self.cast(e, ty)
            }
            _ => e,
        }
    }

    fn is_int_const(&self, e: ExprId) -> bool {
        matches!(self.b.kind(e), ExprKind::Int(_))
    }
}
