//! Random bodies: structured code (blocks, branches, counted loops), flattened into a graph.

use crate::exprs::{Scope, is_var, vars_of};
use crate::flow;
use crate::social;
use crate::world::{INTS, World};
use ir::{
    BinaryOp, Body, BodyBuilder, Call, CallOutcome, Callee, Check, CompareOp, Condition, FuncId,
    Function, GlobalId, HavocReason, Linkage, NodeId, Span, Stmt, Type, TypeId, VarId, VarKind,
};

/// What a function takes and gives.
pub struct Signature {
    pub params: Vec<TypeId>,
    pub ret: TypeId,
}

impl Signature {
    pub fn random(w: &mut World, main: bool) -> Signature {
        let pointer = w.program.types.pointer_to(TypeId::I32);
        let node_pointer = w.program.types.pointer_to(w.node);
        let count = if main { 0 } else { w.rng.below(4) };
        let mut params = Vec::new();
        for _ in 0..count {
            params.push(match w.rng.below(6) {
                0 => pointer,
                1 => node_pointer,
                _ => w.int_type(),
            });
        }
        let ret = match main {
            true => TypeId::I32,
            false if w.rng.one_in(4) => TypeId::VOID,
            false if w.rng.one_in(6) => pointer,
            false => w.int_type(),
        };
        Signature { params, ret }
    }

    pub fn intern(&self, w: &mut World) -> TypeId {
        w.program.types.intern(Type::Function {
            ret: self.ret,
            params: self.params.clone(),
            variadic: false,
        })
    }
}

/// Adds a function that may call all earlier ones.
pub fn function(w: &mut World, name: &str, main: bool) {
    let signature = Signature::random(w, main);
    let itself = Some(w.program.functions.next_id()).filter(|_| !main && w.fuel.is_some());
    let (span, body) = define(w, &signature, itself);
    let signature = signature.intern(w);
    let name = w.program.symbols.intern(name);
    let linkage = match main || w.rng.one_in(2) {
        true => Linkage::External,
        false => Linkage::Internal,
    };
    let id = w.program.functions.push(Function {
        name,
        display: name,
        unit: w.unit,
        linkage,
        signature,
        noreturn: false,
        span,
        body: Some(body),
    });
    w.functions.push(id);
}

/// A body, and where it begins.
pub fn define(w: &mut World, signature: &Signature, itself: Option<FuncId>) -> (Span, Body) {
    let own = signature.intern(w);
    let mut s = Scope {
        b: BodyBuilder::new(),
        vars: Vec::new(),
        counters: Vec::new(),
        checks: Vec::new(),
        tested: Vec::new(),
        itself: itself.map(|f| (f, own)),
    };
    for (i, ty) in signature.params.iter().enumerate() {
        let symbols = &mut w.program.symbols;
        let v = s.b.var(symbols, &format!("p{i}"), *ty, VarKind::Param);
        s.vars.push(v);
    }
    let mut ret_var = None;
    if signature.ret != TypeId::VOID {
        let symbols = &mut w.program.symbols;
        let v = s.b.var(symbols, "$ret", signature.ret, VarKind::Temp);
        s.b.set_return(v);
        ret_var = Some(v);
    }
    let span = w.span();
    let entry = s.b.node();
    let count = 3 + w.rng.below(5);
    let mut at = locals(w, &mut s, entry, count);
    if w.sociable {
        at = social::gives(w, &mut s, at);
        at = social::takes(w, &mut s, at);
    }
    let mut budget = 1 + w.rng.below(w.size.statements);
    at = block(w, &mut s, at, &mut budget, w.size.nesting);
    let exit = s.b.node();
    match ret_var {
        Some(v) => {
            if w.sociable {
                at = social::null(w, &mut s, at, v, exit);
            }
            let depth = w.size.depth;
            let value = w.expr(&mut s, signature.ret, depth);
            at = checks(w, &mut s, at);
            let place = s.b.var_place(v);
            let span = w.span();
            s.b.edge(at, exit, Stmt::Assign { place, value }, span);
        }
        None => s.b.edge(at, exit, Stmt::Skip, Span::NONE),
    }
    (span, s.b.finish(entry, exit))
}

/// Declares variables of many types; most are initialised at once.
fn locals(w: &mut World, s: &mut Scope, mut at: NodeId, count: u32) -> NodeId {
    let pointer = w.program.types.pointer_to(TypeId::I32);
    let node_pointer = w.program.types.pointer_to(w.node);
    let array = w.program.types.array_of(TypeId::I32, crate::world::ARRAY);
    for i in 0..count {
        let ty = match w.rng.below(10) {
            0 | 1 => pointer,
            2 => node_pointer,
            3 => w.node,
            4 => array,
            _ => w.int_type(),
        };
        // Some names occur twice, as in nested scopes.
        let name = format!("x{}", i % 5);
        let v = s.b.var(&mut w.program.symbols, &name, ty, VarKind::Local);
        at = step(w, s, at, Stmt::Declare(v));
        if w.program.types.is_scalar(ty) {
            // A variable that was never written is for `initialized` to find.
            if !w.rng.one_in(12) {
                let value = w.expr(s, ty, 1);
                at = checks(w, s, at);
                let place = s.b.var_place(v);
                at = step(w, s, at, Stmt::Assign { place, value });
            }
        } else {
            let place = s.b.var_place(v);
            let target = s.b.addr_of(&mut w.program.types, place);
            let byte = s.b.int(&w.program.types, 0, TypeId::U8);
            let size = i128::from(w.program.types.size_of(ty));
            let size = s.b.int(&w.program.types, size, TypeId::U64);
            at = step(w, s, at, Stmt::Fill { target, byte, size });
        }
        s.vars.push(v);
    }
    at
}

pub fn step(w: &mut World, s: &mut Scope, at: NodeId, stmt: Stmt) -> NodeId {
    let span = w.span();
    s.b.step(at, stmt, span)
}

/// Emits the checks that the next statement needs.
pub fn checks(w: &mut World, s: &mut Scope, mut at: NodeId) -> NodeId {
    for (rule, condition) in std::mem::take(&mut s.checks) {
        let rule = w.program.symbols.intern(rule);
        let check = s.b.check(Check {
            rule,
            which: 0,
            condition,
        });
        at = step(w, s, at, Stmt::Check(check));
    }
    at
}

pub fn block(
    w: &mut World,
    s: &mut Scope,
    mut at: NodeId,
    budget: &mut u32,
    nesting: u32,
) -> NodeId {
    let mut length = 1 + w.rng.below(6);
    while *budget > 0 && length > 0 {
        *budget -= 1;
        length -= 1;
        at = statement(w, s, at, budget, nesting);
        at = checks(w, s, at);
        if nesting == w.size.nesting {
            // The outermost block goes on while there is anything left.
            length = 1;
        }
    }
    at
}

fn statement(w: &mut World, s: &mut Scope, at: NodeId, budget: &mut u32, nesting: u32) -> NodeId {
    match w.rng.below(20) {
        0..=2 if nesting > 0 => branch(w, s, at, budget, nesting - 1),
        3 if nesting > 0 => flow::switch(w, s, at, budget, nesting - 1),
        4 if nesting > 0 => counted_loop(w, s, at, budget, nesting - 1),
        5 if nesting > 0 => flow::do_while(w, s, at, budget, nesting - 1),
        13 => flow::short_circuit(w, s, at),
        14 => flow::bytes(w, s, at),
        15 if nesting > 0 => scope(w, s, at, budget, nesting - 1),
        6..=8 => call(w, s, at),
        9 => initialized(w, s, at),
        10 => copy(w, s, at),
        11 => {
            let place = w.scalar_place(s);
            let at = checks(w, s, at);
            let value = w.condition(s, 1);
            let at = checks(w, s, at);
            let ty = s.b.place_ref(place).ty;
            match INTS.contains(&ty) {
                true => {
                    let value = s.b.cast(&w.program.types, value, ty);
                    step(w, s, at, Stmt::Assign { place, value })
                }
                false => step(w, s, at, Stmt::Skip),
            }
        }
        12 if w.rng.one_in(4) => {
            let ints = vars_of(s, |t| INTS.contains(&t));
            match w.rng.pick(&ints) {
                Some(v) => {
                    let place = s.b.var_place(v);
                    let reason = HavocReason::InlineAssembly;
                    step(w, s, at, Stmt::Havoc { place, reason })
                }
                None => step(w, s, at, Stmt::Skip),
            }
        }
        _ => {
            let place = w.scalar_place(s);
            let ty = s.b.place_ref(place).ty;
            let depth = w.size.depth;
            let value = w.expr(s, ty, depth);
            let at = checks(w, s, at);
            step(w, s, at, Stmt::Assign { place, value })
        }
    }
}

/// `{ int x; … }`: pointers to what is declared inside may be left behind.
fn scope(w: &mut World, s: &mut Scope, at: NodeId, budget: &mut u32, nesting: u32) -> NodeId {
    let (outer, tested) = (s.vars.len(), s.tested.len());
    let count = 1 + w.rng.below(2);
    let at = locals(w, s, at, count);
    let mut at = block(w, s, at, budget, nesting);
    s.tested.truncate(tested);
    for v in s.vars.split_off(outer).into_iter().rev() {
        at = step(w, s, at, Stmt::End(v));
    }
    at
}

/// `if (c) … else …`
fn branch(w: &mut World, s: &mut Scope, at: NodeId, budget: &mut u32, nesting: u32) -> NodeId {
    let depth = w.size.depth;
    let c = w.test(s, depth);
    let at = checks(w, s, at);
    let not = s.b.not(&w.program.types, c);
    let span = w.span();
    let yes = s.b.step(at, Stmt::Assume(c), span);
    let no = s.b.step(at, Stmt::Assume(not), span);
    let yes = block(w, s, yes, budget, nesting);
    let no = match w.rng.one_in(2) {
        true => block(w, s, no, budget, nesting),
        false => no,
    };
    let join = s.b.node();
    s.b.edge(yes, join, Stmt::Skip, Span::NONE);
    s.b.edge(no, join, Stmt::Skip, Span::NONE);
    join
}

/// `for (i = 0; i < N; i++)`, sometimes left early.
fn counted_loop(
    w: &mut World,
    s: &mut Scope,
    at: NodeId,
    budget: &mut u32,
    nesting: u32,
) -> NodeId {
    let turns = i128::from(1 + w.rng.below(w.size.turns));
    let i =
        s.b.var(&mut w.program.symbols, "i", TypeId::I32, VarKind::Local);
    let place = s.b.var_place(i);
    let zero = s.b.int(&w.program.types, 0, TypeId::I32);
    let at = step(w, s, at, Stmt::Declare(i));
    let head = step(w, s, at, Stmt::Assign { place, value: zero });
    let value = s.b.load_var(i);
    let bound = s.b.int(&w.program.types, turns, TypeId::I32);
    let more = s.b.compare(CompareOp::Lt, value, bound);
    let done = s.b.not(&w.program.types, more);
    let span = w.span();
    let after = s.b.node();
    let mut inside = s.b.step(head, Stmt::Assume(more), span);
    s.b.edge(head, after, Stmt::Assume(done), span);
    s.counters.push(i);
    let tested = s.tested.len();
    inside = block(w, s, inside, budget, nesting);
    if w.rng.one_in(3) {
        let c = w.condition(s, 1);
        inside = checks(w, s, inside);
        let not = s.b.not(&w.program.types, c);
        s.b.edge(inside, after, Stmt::Assume(c), span);
        inside = s.b.step(inside, Stmt::Assume(not), span);
    }
    s.counters.pop();
    // Behind the loop there is no counter to speak of.
    s.tested.truncate(tested);
    let one = s.b.int(&w.program.types, 1, TypeId::I32);
    let next = s.b.binary(BinaryOp::Add, value, one);
    s.b.edge(inside, head, Stmt::Assign { place, value: next }, span);
    step(w, s, after, Stmt::End(i))
}

fn call(w: &mut World, s: &mut Scope, at: NodeId) -> NodeId {
    if let (Some((itself, signature)), Some(fuel)) = (s.itself, w.fuel)
        && w.rng.one_in(2)
    {
        return recursion(w, s, at, itself, signature, fuel);
    }
    let Some(f) = w.rng.pick(&w.functions.clone()) else {
        return step(w, s, at, Stmt::Skip);
    };
    let signature = w.program.functions[f].signature;
    call_of(w, s, at, f, signature)
}

/// `if (fuel > 0) { fuel--; f(…); }`
fn recursion(
    w: &mut World,
    s: &mut Scope,
    at: NodeId,
    itself: FuncId,
    signature: TypeId,
    fuel: GlobalId,
) -> NodeId {
    let place = s.b.global_place(fuel, TypeId::I32);
    let left = s.b.load(place);
    let zero = s.b.int(&w.program.types, 0, TypeId::I32);
    let one = s.b.int(&w.program.types, 1, TypeId::I32);
    let more = s.b.compare(CompareOp::Gt, left, zero);
    let none = s.b.not(&w.program.types, more);
    let value = s.b.binary(BinaryOp::Sub, left, one);
    let span = w.span();
    let join = s.b.node();
    s.b.edge(at, join, Stmt::Assume(none), span);
    let inside = s.b.step(at, Stmt::Assume(more), span);
    let inside = step(w, s, inside, Stmt::Assign { place, value });
    let inside = call_of(w, s, inside, itself, signature);
    s.b.edge(inside, join, Stmt::Skip, Span::NONE);
    join
}

fn call_of(w: &mut World, s: &mut Scope, at: NodeId, f: FuncId, signature: TypeId) -> NodeId {
    let Type::Function { ret, params, .. } = w.program.types.get(signature).clone() else {
        return at;
    };
    let args: Vec<_> = params.iter().map(|&ty| w.expr(s, ty, 1)).collect();
    let at = checks(w, s, at);
    let targets = vars_of(s, |t| t == ret);
    let result = w.rng.pick(&targets).map(|v: VarId| s.b.var_place(v));
    let callee = match w.rng.one_in(5) {
        true => Callee::Indirect(s.b.function(&mut w.program.types, f, signature)),
        false => Callee::Direct(f),
    };
    let call = Call {
        result,
        callee,
        args,
        signature,
        outcome: CallOutcome::Return,
        noreturn: false,
    };
    step(w, s, at, Stmt::Call(Box::new(call)))
}

fn initialized(w: &mut World, s: &mut Scope, at: NodeId) -> NodeId {
    let place = w.scalar_place(s);
    let at = checks(w, s, at);
    if is_var(s, place) || !w.rng.one_in(4) {
        s.checks
            .push(("uninitialized-use", Condition::Initialized(place)));
    } else {
        let c = w.condition(s, 1);
        s.checks.push(("assertion", Condition::Holds(c)));
    }
    checks(w, s, at)
}

/// Copies one struct to another, whole or by bytes.
fn copy(w: &mut World, s: &mut Scope, at: NodeId) -> NodeId {
    let node = w.node;
    let structs = vars_of(s, |t| t == node);
    let Some(v) = w.rng.pick(&structs) else {
        return step(w, s, at, Stmt::Skip);
    };
    let target = s.b.var_place(v);
    let source = s.b.global_place(w.globals[4], node);
    if w.rng.one_in(2) {
        let value = s.b.load(source);
        return step(
            w,
            s,
            at,
            Stmt::Assign {
                place: target,
                value,
            },
        );
    }
    let target = s.b.addr_of(&mut w.program.types, target);
    let source = s.b.addr_of(&mut w.program.types, source);
    let size = i128::from(w.program.types.size_of(node));
    let size = s.b.int(&w.program.types, size, TypeId::U64);
    let overlap = w.rng.one_in(2);
    step(
        w,
        s,
        at,
        Stmt::Copy {
            target,
            source,
            size,
            overlap,
        },
    )
}
