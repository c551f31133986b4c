//! What a rule is given: a view of the body, constructors for the expressions of conditions, and
//! [`Context::require`].
//!
//! Conditions are made of the program's own expressions and a few new ones (`p != null`,
//! `i < 10`). The expressions of a body are hash-consed, so a new one must be looked up first.
//! Only the kinds that conditions are made of are indexed for that, a small part of all: the
//! index costs less than reopening the body for building would.

use crate::beyond::{Beyond, Local};
use crate::facts::Facts;
use crate::needs::Measuring;
use crate::range::{self, Range};
use crate::taken::{taken, used};
use crate::visit::View;
use ir::arena::Arena;
use ir::program::SymbolTable;
use ir::{
    Base, BinaryOp, Body, Call, CallOutcome, Callee, Check, CheckId, CompareOp, Condition, Expr,
    ExprId, ExprKind, Family, FuncId, Global, GlobalId, NodeId, Place, PlaceId, Program, Span,
    Stmt, Symbol, Type, TypeId, TypeTable, UnaryOp, Var, VarId, VarKind,
};
use rustc_hash::FxHashMap;

/// The parts of a program that instrumenting one body needs beside the body itself.
#[derive(Clone, Copy)]
pub(crate) struct Tables<'a> {
    pub types: &'a TypeTable,
    pub globals: &'a Arena<GlobalId, Global>,
    pub symbols: &'a SymbolTable,
    pub functions: &'a [FunctionInfo],
    /// The functions that measure strings.
    pub measuring: Measuring,
    /// Names for the variables of a body that hold lengths of strings.
    pub lengths: &'a [Symbol],
}

/// What a body may know about the functions it calls.
pub(crate) struct FunctionInfo {
    /// Linkage name.
    pub name: Symbol,
    /// Has a body.
    pub defined: bool,
    pub forgets_result: bool,
    pub signature: TypeId,
    /// The arguments that it gives back to an allocator.
    pub taken: Vec<(usize, Family)>,
    /// Its parameters that it follows, or hands on: one bit each.
    pub used: u64,
}

/// The view of one body that rules work with.
pub struct Context<'a> {
    tables: Tables<'a>,
    body: &'a mut Body,
    facts: Facts,
    beyond: Beyond,
    exprs: FxHashMap<Expr, ExprId>,
    /// Prefixes of places that were made here; they are few.
    places: FxHashMap<Place, PlaceId>,
    /// When (`now`) a condition was last required, by which rule.
    required: FxHashMap<(Symbol, Condition), u32>,
    now: u32,
    /// The node and the place of the statement at hand.
    at: (NodeId, Span),
    /// The rule that is being asked.
    rule: Symbol,
    /// What must hold before the statement at hand.
    /// Each with whether a run ends where it fails.
    checks: Vec<(Check, bool)>,
    ends_run: bool,
    /// What is to be measured before that, and into which variable.
    measured: Vec<(ExprId, bool, ExprId)>,
    measuring: Vec<Stmt>,
    /// Variables that hold lengths so far.
    lengths: usize,
    /// The arguments of the call at hand.
    args: Vec<ExprId>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        tables: Tables<'a>,
        body: &'a mut Body,
        facts: Facts,
        beyond: Beyond,
    ) -> Self {
        let mut exprs = FxHashMap::default();
        for (id, e) in body.exprs.iter() {
            if in_conditions(&e.kind) {
                exprs.insert(e.clone(), id);
            }
        }
        Context {
            tables,
            body,
            facts,
            beyond,
            exprs,
            places: FxHashMap::default(),
            required: FxHashMap::default(),
            now: 0,
            at: (NodeId(0), Span::NONE),
            rule: Symbol(0),
            checks: Vec::new(),
            ends_run: true,
            measured: Vec::new(),
            measuring: Vec::new(),
            lengths: 0,
            args: Vec::new(),
        }
    }

    /// The call at hand has these arguments.
    pub(crate) fn set_args(&mut self, args: &[ExprId]) {
        self.args.clear();
        self.args.extend_from_slice(args);
    }

    /// Starts the statement at this place behind a node: the same condition may be required
    /// again.
    pub(crate) fn begin(&mut self, node: NodeId, span: Span) {
        self.now += 1;
        self.at = (node, span);
        self.measured.clear();
    }

    /// What is asked for from now on, this rule asks for; `ends_run`: does a run end where that fails?
    pub(crate) fn set_rule(&mut self, rule: Symbol, ends_run: bool) {
        self.rule = rule;
        self.ends_run = ends_run;
    }

    /// What was asked for since the last time, as new checks of the body, each with whether a run ends where it fails.
    pub(crate) fn take_checks(&mut self) -> impl Iterator<Item = (CheckId, bool)> {
        let checks = &mut self.body.checks;
        let all = self.checks.drain(..);
        all.map(|(check, ends_run)| (checks.push(check), ends_run))
    }

    /// The calls that find out how long strings are, before the checks.
    pub(crate) fn take_measuring(&mut self) -> Vec<Stmt> {
        std::mem::take(&mut self.measuring)
    }

    /// How many characters there are from a pointer to the first zero, or to the end of its object: the value of a variable that a
    /// call before the statement sets. None if nobody can measure here.
    pub fn string_length(&mut self, pointer: ExprId, wide: bool) -> Option<ExprId> {
        if let Some(length) = self.literal_length(pointer, wide) {
            return Some(self.int(i128::from(length), TypeId::U64));
        }
        let known = self.measured.iter().find(|m| (m.0, m.1) == (pointer, wide));
        if let Some((.., length)) = known {
            return Some(*length);
        }
        let callee = self.tables.measuring[usize::from(wide)]?;
        let signature = self.tables.functions.get(callee.0 as usize)?.signature;
        let name = *self.tables.lengths.get(self.lengths)?;
        self.lengths += 1;
        let var = self.body.vars.push(Var {
            name,
            ty: TypeId::U64,
            kind: VarKind::Temp,
            address_taken: false,
        });
        let place = self.body.places.push(Place {
            base: Base::Var(var),
            projections: Default::default(),
            ty: TypeId::U64,
        });
        let length = self.body.exprs.push(Expr {
            kind: ExprKind::Load(place),
            ty: TypeId::U64,
        });
        self.measuring.push(Stmt::Call(Box::new(Call {
            result: Some(place),
            callee: Callee::Direct(callee),
            args: vec![pointer],
            signature,
            outcome: CallOutcome::Return,
            noreturn: false,
        })));
        self.measured.push((pointer, wide, length));
        Some(length)
    }

    /// The length of a string literal.
    fn literal_length(&self, mut e: ExprId, wide: bool) -> Option<u64> {
        while let ExprKind::Cast(inner) = self.body.exprs[e].kind {
            e = inner;
        }
        let ExprKind::AddrOf(place) = self.body.exprs[e].kind else {
            return None;
        };
        let place = &self.body.places[place];
        let Base::Global(g) = place.base else {
            return None;
        };
        let first = |step: &ir::Projection| match *step {
            ir::Projection::Index(i) => self.constant(i) == Some(0),
            _ => false,
        };
        let global = &self.tables.globals[g];
        let init = global.init.as_ref().filter(|_| global.constant)?;
        if !place.projections.iter().all(first)
            || !init.relocations.is_empty()
            || !init.unknown.is_empty()
        {
            return None;
        }
        let width = if wide { 4 } else { 1 };
        let size = self.types().size_of(global.ty);
        let mut characters = init.bytes.chunks(width);
        let zero = characters.position(|c| c.iter().all(|b| *b == 0));
        let length = zero.unwrap_or(init.bytes.len().div_ceil(width)) as u64;
        (length.saturating_mul(width as u64) < size).then_some(length)
    }

    /// The sum or the product of two numbers, as sizes are computed: without a sign, and wrapping.
    pub fn computed(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.expr(ExprKind::Binary(op, a, b), TypeId::U64)
    }

    /// `c ? a : b`.
    pub fn choose(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.type_of(a);
        self.expr(ExprKind::Select(c, a, b), ty)
    }

    // What a rule can look at.

    pub fn view(&self) -> View<'_> {
        View {
            types: self.tables.types,
            globals: self.tables.globals,
            body: self.body,
        }
    }

    pub fn types(&self) -> &TypeTable {
        self.tables.types
    }

    pub fn type_of(&self, e: ExprId) -> TypeId {
        self.body.exprs[e].ty
    }

    pub fn place(&self, p: PlaceId) -> &Place {
        &self.body.places[p]
    }

    pub fn is_pointer(&self, e: ExprId) -> bool {
        self.types().is_pointer(self.type_of(e))
    }

    /// The value of an integer constant.
    pub fn constant(&self, e: ExprId) -> Option<i128> {
        range::constant(self.view(), e)
    }

    /// Bounds of an integer expression, judging by its shape.
    pub fn range(&self, e: ExprId) -> Option<Range> {
        range::range(self.view(), e)
    }

    /// Is the variable written before every read of it, whichever way execution goes?
    pub fn surely_initialized(&self, place: PlaceId) -> bool {
        self.body.places[place]
            .as_var()
            .is_some_and(|v| self.facts.surely_initialized(v))
    }

    /// Is the place memory of the compiler's own, in which a struct is moved as a number?
    pub fn is_transfer(&self, place: PlaceId) -> bool {
        self.body.places[place].as_var().is_some_and(|v| {
            let var = &self.body.vars[v];
            var.kind == VarKind::Temp && var.address_taken && self.body.ret != Some(v)
        })
    }

    /// Does the place hold the value of an expression or the function's result, rather than
    /// being an object of the program?
    pub fn is_value(&self, place: PlaceId) -> bool {
        self.body.places[place].as_var().is_some_and(|v| {
            self.body.ret == Some(v)
                || self.body.vars[v].kind == VarKind::Temp && !self.body.vars[v].address_taken
        })
    }

    pub fn function_name(&self, f: FuncId) -> &str {
        let functions = self.tables.functions;
        functions
            .get(f.0 as usize)
            .map_or("", |f| self.tables.symbols.name(f.name))
    }

    /// An argument of the call at hand.
    pub fn argument(&self, position: usize) -> Option<ExprId> {
        self.args.get(position).copied()
    }

    pub fn kind(&self, e: ExprId) -> &ExprKind {
        &self.body.exprs[e].kind
    }

    fn info(&self, f: FuncId) -> Option<&'a FunctionInfo> {
        self.tables.functions.get(f.0 as usize)
    }

    /// The family that an argument must be of, if the function gives it back to an allocator.
    pub fn taken(&self, f: FuncId, position: usize) -> Option<Family> {
        let mut taken = self.info(f)?.taken.iter();
        taken
            .find(|(at, _)| *at == position)
            .map(|(_, family)| *family)
    }

    /// Does a function of the program do something with this argument besides looking at its value?
    pub fn uses(&self, f: FuncId, position: usize) -> bool {
        position < 64 && self.info(f).is_some_and(|f| f.used >> position & 1 == 1)
    }

    /// Does memory end in this body, by a call that frees or with a variable?
    pub fn ends_memory(&self) -> bool {
        self.facts.ends_memory()
    }

    /// The locals that a value may lead to.
    pub(crate) fn locals(&self, value: ExprId) -> impl Iterator<Item = Local> + use<> {
        self.beyond.locals(self.body, value).into_iter()
    }

    /// The address of a local.
    pub(crate) fn local_address(&mut self, local: Local) -> Option<ExprId> {
        match local {
            Local::Variable(v) => {
                let place = self.whole(v);
                Some(self.address(place, 0))
            }
            Local::Array(v) => {
                let place = self.whole(v);
                Some(self.content(place))
            }
        }
    }

    /// The place that is a variable; there are few that are not there yet.
    fn whole(&mut self, v: VarId) -> PlaceId {
        let is_it = |p: &Place| p.base == Base::Var(v) && p.projections.is_empty();
        if let Some((id, _)) = self.body.places.iter().find(|(_, p)| is_it(p)) {
            return id;
        }
        let ty = self.body.vars[v].ty;
        let place = Place {
            base: Base::Var(v),
            projections: Default::default(),
            ty,
        };
        self.body.places.push(place)
    }

    /// What a place holds.
    pub fn content(&mut self, place: PlaceId) -> ExprId {
        let load = ExprKind::Load(place);
        let known = self.body.exprs.iter().find(|(_, e)| e.kind == load);
        if let Some((id, _)) = known {
            return id;
        }
        let ty = self.body.places[place].ty;
        self.body.exprs.push(Expr { kind: load, ty })
    }

    /// Is the statement part of a macro that tests something first, and comes to it on one outcome?
    pub fn is_behind_test_of_macro(&self) -> bool {
        self.facts.is_behind_own_branch(self.at.0, self.at.1)
    }

    /// Does the program define the function?
    pub fn is_defined(&self, f: FuncId) -> bool {
        self.tables
            .functions
            .get(f.0 as usize)
            .is_some_and(|f| f.defined)
    }

    // What conditions are made of.

    fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        debug_assert!(in_conditions(&kind), "not indexed: {kind:?}");
        let expr = Expr { kind, ty };
        if let Some(&id) = self.exprs.get(&expr) {
            return id;
        }
        let id = self.body.exprs.push(expr.clone());
        self.exprs.insert(expr, id);
        id
    }

    pub fn int(&mut self, value: i128, ty: TypeId) -> ExprId {
        let width = self.types().as_int(ty).map_or(128, |(w, _)| w);
        let bits = ir::expr::mask(value as u128, width);
        self.expr(ExprKind::Int(bits), ty)
    }

    pub fn null(&mut self, ty: TypeId) -> ExprId {
        self.expr(ExprKind::Null, ty)
    }

    pub fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprId {
        self.expr(ExprKind::Compare(op, a, b), TypeId::BOOL)
    }

    /// `e op value`, at the type of `e`.
    pub fn compare_int(&mut self, op: CompareOp, e: ExprId, value: i128) -> ExprId {
        let value = self.int(value, self.type_of(e));
        self.compare(op, e, value)
    }

    /// `p != null`.
    pub fn non_null(&mut self, pointer: ExprId) -> ExprId {
        let null = self.null(self.type_of(pointer));
        self.compare(CompareOp::Ne, pointer, null)
    }

    /// `!overflow(a op b)`.
    pub fn no_overflow(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let overflow = self.expr(ExprKind::Overflow(op, a, b), TypeId::BOOL);
        self.expr(ExprKind::Unary(UnaryOp::Not, overflow), TypeId::BOOL)
    }

    /// `!a || b`: the IR has no such operator, but all its expressions are pure.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let yes = self.expr(ExprKind::Int(1), TypeId::BOOL);
        self.expr(ExprKind::Select(a, b, yes), TypeId::BOOL)
    }

    /// The integer read at another type.
    pub fn cast(&mut self, e: ExprId, ty: TypeId) -> ExprId {
        if self.type_of(e) == ty {
            return e;
        }
        self.expr(ExprKind::Cast(e), ty)
    }

    /// The unsigned integer type as wide as the expression's.
    pub fn unsigned(&mut self, ty: TypeId) -> TypeId {
        match self.types().as_int(ty) {
            Some((width, true)) => {
                let unsigned = Type::Int {
                    width,
                    signed: false,
                };
                self.types().find(&unsigned).unwrap_or(ty)
            }
            _ => ty,
        }
    }

    /// The address of the place that the first `steps` projections lead to.
    pub fn address(&mut self, place: PlaceId, steps: usize) -> ExprId {
        let p = &self.body.places[place];
        if let (Base::Deref(pointer), 0) = (p.base, steps) {
            return pointer;
        }
        let id = if steps == p.projections.len() {
            place
        } else {
            self.prefix(place, steps)
        };
        let p = &self.body.places[id];
        if let Base::Var(v) = p.base {
            self.body.vars[v].address_taken = true;
        }
        let pointer = |ty| self.types().find(&Type::Pointer(ty));
        let ty = pointer(p.ty).or_else(|| pointer(TypeId::VOID));
        let ty = ty.unwrap_or(TypeId::VOID);
        self.expr(ExprKind::AddrOf(id), ty)
    }

    /// The place without its last projections. Places are not indexed: what is made here is
    /// looked up among what was made here, and else, rarely, among all.
    fn prefix(&mut self, place: PlaceId, steps: usize) -> PlaceId {
        let ty = crate::visit::types_along(self.view(), place)
            .nth(steps)
            .unwrap_or(TypeId::VOID);
        let p = &self.body.places[place];
        let prefix = Place {
            base: p.base,
            projections: p.projections[..steps.min(p.projections.len())].into(),
            ty,
        };
        if self.places.is_empty() {
            self.places = self
                .body
                .places
                .iter()
                .map(|(i, p)| (p.clone(), i))
                .collect();
        }
        if let Some(&id) = self.places.get(&prefix) {
            return id;
        }
        let id = self.body.places.push(prefix.clone());
        self.places.insert(prefix, id);
        id
    }

    // What a rule asks for.

    /// The condition must hold before the statement; asking twice is asking once.
    pub fn require(&mut self, condition: Condition) {
        let key = (self.rule, condition);
        let last = self.required.get_mut(&key);
        match last {
            Some(last) if *last == self.now => return,
            Some(last) => *last = self.now,
            None => {
                self.required.insert(key.clone(), self.now);
            }
        }
        let check = Check {
            rule: key.0,
            which: 0,
            condition: key.1,
        };
        self.checks.push((check, self.ends_run));
    }

    /// Has the rule at hand already required that the bool is true before this statement?
    pub fn is_required(&self, e: ExprId) -> bool {
        let key = (self.rule, Condition::Holds(e));
        self.required.get(&key) == Some(&self.now)
    }

    /// The bool must be true before the statement; nothing to check if it is the constant.
    pub fn require_holds(&mut self, e: ExprId) {
        if self.constant(e) != Some(1) {
            self.require(Condition::Holds(e));
        }
    }

    /// What comes is an error whatever the values are: the compiler saw it.
    pub fn require_false(&mut self) {
        let never = self.int(0, TypeId::BOOL);
        self.require(Condition::Holds(never));
    }
}

/// The kinds of expression that conditions are made of, beside those of the program.
fn in_conditions(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Int(_)
            | ExprKind::Null
            | ExprKind::Compare(..)
            | ExprKind::Overflow(..)
            | ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Select(..)
            | ExprKind::Cast(_)
            | ExprKind::AddrOf(_)
            | ExprKind::Binary(BinaryOp::Add | BinaryOp::Mul, ..)
    )
}

/// [`FunctionInfo`] of every function.
pub(crate) fn function_infos(program: &Program) -> Vec<FunctionInfo> {
    let taken = taken(program);
    let used = used(program, &taken);
    let functions = program.functions.values().zip(taken).zip(used);
    functions
        .map(|((f, taken), used)| FunctionInfo {
            name: f.name,
            defined: f.body.is_some(),
            signature: f.signature,
            forgets_result: f.body.as_ref().is_some_and(crate::facts::forgets_result),
            taken,
            used,
        })
        .collect()
}
