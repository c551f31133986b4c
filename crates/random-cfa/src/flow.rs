//! More shapes of code: `switch`, `do … while`, `a && b` with a variable for its value, and bytes
//! that are filled and copied in the middle of things.

use crate::body::{block, checks, step};
use crate::exprs::{Scope, vars_of};
use crate::world::{INTS, World};
use ir::{BinaryOp, CompareOp, NodeId, Span, Stmt, TypeId, VarKind};

/// A value compared with one constant after the other.
pub fn switch(w: &mut World, s: &mut Scope, at: NodeId, budget: &mut u32, nesting: u32) -> NodeId {
    let ty = w.int_type();
    let depth = w.size.depth.min(2);
    let on = w.expr(s, ty, depth);
    let mut at = checks(w, s, at);
    let join = s.b.node();
    let first = i128::from(w.rng.below(4)) - 1;
    let cases = i128::from(1 + w.rng.below(3));
    let span = w.span();
    for case in first..first + cases {
        let value = s.b.int(&w.program.types, case, ty);
        let same = s.b.compare(CompareOp::Eq, on, value);
        let other = s.b.compare(CompareOp::Ne, on, value);
        let inside = s.b.step(at, Stmt::Assume(same), span);
        let inside = block(w, s, inside, budget, nesting);
        s.b.edge(inside, join, Stmt::Skip, Span::NONE);
        at = s.b.step(at, Stmt::Assume(other), span);
    }
    let default = block(w, s, at, budget, nesting);
    s.b.edge(default, join, Stmt::Skip, Span::NONE);
    join
}

/// `i = N; do … while (--i)`: the counter goes down, and is tested behind the body.
pub fn do_while(
    w: &mut World,
    s: &mut Scope,
    at: NodeId,
    budget: &mut u32,
    nesting: u32,
) -> NodeId {
    let turns = i128::from(1 + w.rng.below(w.size.turns));
    let ty = if w.rng.one_in(2) {
        TypeId::U32
    } else {
        TypeId::I32
    };
    let i = s.b.var(&mut w.program.symbols, "n", ty, VarKind::Local);
    let place = s.b.var_place(i);
    let start = s.b.int(&w.program.types, turns, ty);
    let at = step(w, s, at, Stmt::Declare(i));
    let head = step(
        w,
        s,
        at,
        Stmt::Assign {
            place,
            value: start,
        },
    );
    s.counters.push(i);
    let tested = s.tested.len();
    let inside = block(w, s, head, budget, nesting);
    // Behind the loop there is no counter to speak of.
    s.tested.truncate(tested);
    s.counters.pop();
    let value = s.b.load_var(i);
    let one = s.b.int(&w.program.types, 1, ty);
    let less = s.b.binary(BinaryOp::Sub, value, one);
    let tail = step(w, s, inside, Stmt::Assign { place, value: less });
    let zero = s.b.int(&w.program.types, 0, ty);
    let more = s.b.compare(CompareOp::Ne, value, zero);
    let done = s.b.compare(CompareOp::Eq, value, zero);
    let span = w.span();
    s.b.edge(tail, head, Stmt::Assume(more), span);
    let after = s.b.step(tail, Stmt::Assume(done), span);
    step(w, s, after, Stmt::End(i))
}

/// `t = a && b`, as a compiler writes it: `b` is looked at only behind `a`; then `t` is tested.
pub fn short_circuit(w: &mut World, s: &mut Scope, at: NodeId) -> NodeId {
    let t =
        s.b.var(&mut w.program.symbols, "$and", TypeId::BOOL, VarKind::Temp);
    let place = s.b.var_place(t);
    let a = w.test(s, 1);
    let at = checks(w, s, at);
    let not = s.b.not(&w.program.types, a);
    let span = w.span();
    let first = s.b.step(at, Stmt::Assume(a), span);
    let b = w.test(s, 1);
    let first = checks(w, s, first);
    let both = s.b.node();
    s.b.edge(first, both, Stmt::Assign { place, value: b }, span);
    let none = s.b.step(at, Stmt::Assume(not), span);
    let no = s.b.int(&w.program.types, 0, TypeId::BOOL);
    s.b.edge(none, both, Stmt::Assign { place, value: no }, span);
    let value = s.b.load_var(t);
    let not = s.b.not(&w.program.types, value);
    let yes = s.b.step(both, Stmt::Assume(value), span);
    let target = w.scalar_place(s);
    let yes = checks(w, s, yes);
    let ty = s.b.place_ref(target).ty;
    let value = w.expr(s, ty, 1);
    let yes = checks(w, s, yes);
    let join = s.b.node();
    s.b.edge(
        yes,
        join,
        Stmt::Assign {
            place: target,
            value,
        },
        span,
    );
    s.b.edge(both, join, Stmt::Assume(not), span);
    join
}

/// `memset` and `memcpy` of some bytes at the start of objects.
pub fn bytes(w: &mut World, s: &mut Scope, at: NodeId) -> NodeId {
    let node = w.node;
    let array = w.program.types.array_of(TypeId::I32, crate::world::ARRAY);
    let ty = if w.rng.one_in(2) { node } else { array };
    let places = vars_of(s, |t| t == ty);
    let global = w
        .globals
        .iter()
        .copied()
        .find(|g| w.program.globals[*g].ty == ty);
    let Some(global) = global.map(|g| s.b.global_place(g, ty)) else {
        return step(w, s, at, Stmt::Skip);
    };
    let place = |w: &mut World, s: &mut Scope| match w.rng.pick(&places) {
        Some(v) if !w.rng.one_in(3) => s.b.var_place(v),
        _ => global,
    };
    let target = place(w, s);
    let source = place(w, s);
    let most = w.program.types.size_of(ty) as u32;
    let size = i128::from(w.rng.below(most / 4 + 1) * 4);
    let size = s.b.int(&w.program.types, size, TypeId::U64);
    let target = s.b.addr_of(&mut w.program.types, target);
    if w.rng.one_in(2) {
        let byte = i128::from(w.rng.below(3)) * i128::from(w.rng.below(100));
        let byte = s.b.int(&w.program.types, byte, TypeId::U8);
        return step(w, s, at, Stmt::Fill { target, byte, size });
    }
    // Sometimes one of two targets.
    let source = s.b.addr_of(&mut w.program.types, source);
    let ints = vars_of(s, |t| INTS.contains(&t));
    let target = match w.rng.pick(&ints) {
        Some(v) if w.rng.one_in(2) => {
            let c = s.b.load_var(v);
            let zero = s.b.int(&w.program.types, 0, s.b.type_of(c));
            let c = s.b.compare(CompareOp::Ne, c, zero);
            let other = place(w, s);
            let other = s.b.addr_of(&mut w.program.types, other);
            let pointer = s.b.type_of(target);
            s.b.expr(ir::ExprKind::Select(c, target, other), pointer)
        }
        _ => target,
    };
    let overlap = true;
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
