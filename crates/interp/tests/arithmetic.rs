//! Integer arithmetic, casts and overflow at small widths, exhaustively, against plain numbers.

use interp::{Config, FaultKind, Interpreter, Outcome, Scalar, Value};
use ir::expr::int_value;
use ir::{
    BinaryOp, BodyBuilder, CompareOp, ExprId, ExprKind, FuncId, Function, Linkage, Program, Span,
    Stmt, Type, TypeId, Unit, UnitId, VarKind,
};

/// A program with one function `f(a, b)` that returns what `make` says.
fn function(
    a: (u16, bool),
    b: (u16, bool),
    result: impl Fn(&mut Program) -> TypeId,
    make: impl Fn(&mut BodyBuilder, &Program, ExprId, ExprId) -> ExprId,
) -> Program {
    let mut p = Program::default();
    let name = p.symbols.intern("f");
    p.units.push(Unit {
        name,
        constructors: vec![],
        destructors: vec![],
    });
    let (ta, tb) = (p.types.int(a.0, a.1), p.types.int(b.0, b.1));
    let ret = result(&mut p);
    let mut body = BodyBuilder::new();
    let va = body.var(&mut p.symbols, "a", ta, VarKind::Param);
    let vb = body.var(&mut p.symbols, "b", tb, VarKind::Param);
    let vr = body.var(&mut p.symbols, "r", ret, VarKind::Temp);
    body.set_return(vr);
    let (la, lb) = (body.load_var(va), body.load_var(vb));
    let value = make(&mut body, &p, la, lb);
    let entry = body.node();
    let place = body.var_place(vr);
    let exit = body.step(entry, Stmt::Assign { place, value }, Span::NONE);
    let signature = p.types.intern(Type::Function {
        ret,
        params: vec![ta, tb],
        variadic: false,
    });
    p.functions.push(Function {
        name,
        display: name,
        unit: UnitId(0),
        linkage: Linkage::External,
        signature,
        noreturn: false,
        span: Span::NONE,
        body: Some(body.finish(entry, exit)),
    });
    p
}

/// Calls `f` on all pairs of bit patterns and compares.
fn exhaust(
    p: &Program,
    (wa, wb): (u16, u16),
    expect: impl Fn(u128, u128) -> Result<u128, FaultKind>,
) {
    let mut run = Interpreter::new(p, Config::default());
    for a in 0..1u128 << wa {
        for b in 0..1u128 << wb {
            let args = vec![Value::int(a as u64), Value::int(b as u64)];
            match (run.call(FuncId(0), args), expect(a, b)) {
                (Ok(Value::Scalar(s)), Ok(n)) => {
                    assert_eq!(u128::from(s.bits), n, "on {a}, {b}");
                    assert_eq!(s.undef, 0);
                }
                (Err(Outcome::Failed(f)), Err(kind)) => {
                    assert_eq!(f.cause, interp::Cause::Fault(kind), "on {a}, {b}");
                }
                (got, want) => panic!("on {a}, {b}: {got:?}, expected {want:?}"),
            }
        }
    }
}

const OPS: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::WrapAdd,
    BinaryOp::WrapSub,
    BinaryOp::WrapMul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];

fn cut(n: i128, w: u16) -> u128 {
    ir::expr::mask(n as u128, w)
}

#[test]
fn binary_operators() {
    for w in [1, 3, 5, 6] {
        for signed in [false, true] {
            for op in OPS {
                let t = (w, signed);
                let p = function(
                    t,
                    t,
                    |p| p.types.int(w, signed),
                    |b, _, x, y| b.binary(op, x, y),
                );
                exhaust(&p, (w, w), |a, b| {
                    let (x, y) = (int_value(a, w, signed), int_value(b, w, signed));
                    Ok(match op {
                        BinaryOp::Add | BinaryOp::WrapAdd => cut(x + y, w),
                        BinaryOp::Sub | BinaryOp::WrapSub => cut(x - y, w),
                        BinaryOp::Mul | BinaryOp::WrapMul => cut(x * y, w),
                        BinaryOp::Div | BinaryOp::Rem if y == 0 => {
                            return Err(FaultKind::DivisionByZero);
                        }
                        BinaryOp::Div | BinaryOp::Rem
                            if signed && y == -1 && x == -(1 << (w - 1)) =>
                        {
                            return Err(FaultKind::DivisionOverflow);
                        }
                        BinaryOp::Div => cut(x / y, w),
                        BinaryOp::Rem => cut(x % y, w),
                        // The amount is taken as bits: negative ones are too large.
                        BinaryOp::Shl if b < u128::from(w) => cut(x << b, w),
                        BinaryOp::Shr if b < u128::from(w) => cut(x >> b, w),
                        BinaryOp::Shl | BinaryOp::Shr => 0,
                        BinaryOp::And => a & b,
                        BinaryOp::Or => a | b,
                        BinaryOp::Xor => a ^ b,
                    })
                });
            }
        }
    }
}

#[test]
fn comparisons_and_overflow() {
    let compares = [
        CompareOp::Eq,
        CompareOp::Ne,
        CompareOp::Lt,
        CompareOp::Le,
        CompareOp::Gt,
        CompareOp::Ge,
    ];
    for w in [1, 4, 6] {
        for signed in [false, true] {
            let t = (w, signed);
            for op in compares {
                let p = function(t, t, |_| TypeId::BOOL, |b, _, x, y| b.compare(op, x, y));
                exhaust(&p, (w, w), |a, b| {
                    let (x, y) = (int_value(a, w, signed), int_value(b, w, signed));
                    Ok(u128::from(match op {
                        CompareOp::Eq => x == y,
                        CompareOp::Ne => x != y,
                        CompareOp::Lt => x < y,
                        CompareOp::Le => x <= y,
                        CompareOp::Gt => x > y,
                        _ => x >= y,
                    }))
                });
            }
            for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
                let p = function(
                    t,
                    t,
                    |_| TypeId::BOOL,
                    |b, _, x, y| b.expr(ExprKind::Overflow(op, x, y), TypeId::BOOL),
                );
                exhaust(&p, (w, w), |a, b| {
                    let (x, y) = (int_value(a, w, signed), int_value(b, w, signed));
                    let exact = match op {
                        BinaryOp::Add => x + y,
                        BinaryOp::Sub => x - y,
                        _ => x * y,
                    };
                    Ok(u128::from(int_value(exact as u128, w, signed) != exact))
                });
            }
        }
    }
}

#[test]
fn casts() {
    for from in [1, 4, 7] {
        for to in [1, 3, 7, 8, 16, 64] {
            for signed in [(false, false), (false, true), (true, false), (true, true)] {
                let p = function(
                    (from, signed.0),
                    (1, false),
                    |p| p.types.int(to, signed.1),
                    |b, p, x, _| {
                        let ty = p.types.iter().find(|(_, t)| {
                            **t == Type::Int {
                                width: to,
                                signed: signed.1,
                            }
                        });
                        b.cast(&p.types, x, ty.map_or(TypeId::VOID, |t| t.0))
                    },
                );
                exhaust(&p, (from, 1), |a, _| {
                    Ok(cut(int_value(a, from, signed.0), to))
                });
            }
        }
    }
}

/// The same operators at 64 and 128 bits, on values near the ends.
#[test]
fn at_the_edges() {
    let interesting = |w: u16| {
        let one = 1u128;
        let half = one << (w - 1);
        [
            0,
            1,
            2,
            3,
            half - 1,
            half,
            half + 1,
            half / 3,
            2 * (half - 1),
            2 * (half - 1) + 1,
        ]
    };
    for w in [32, 64, 100, 128] {
        for signed in [false, true] {
            for op in OPS {
                let t = (w, signed);
                let p = function(
                    t,
                    t,
                    |p| p.types.int(w, signed),
                    |b, _, x, y| b.binary(op, x, y),
                );
                for a in interesting(w) {
                    for b in interesting(w) {
                        let (x, y) = (int_value(a, w, signed), int_value(b, w, signed));
                        let want = match op {
                            BinaryOp::Add | BinaryOp::WrapAdd => a.wrapping_add(b),
                            BinaryOp::Sub | BinaryOp::WrapSub => a.wrapping_sub(b),
                            BinaryOp::Mul | BinaryOp::WrapMul => a.wrapping_mul(b),
                            BinaryOp::Div | BinaryOp::Rem if y == 0 => continue,
                            BinaryOp::Div | BinaryOp::Rem if signed && y == -1 => continue,
                            BinaryOp::Div if signed => (x / y) as u128,
                            BinaryOp::Rem if signed => (x % y) as u128,
                            BinaryOp::Div => a / b,
                            BinaryOp::Rem => a % b,
                            BinaryOp::Shl if b < u128::from(w) => a << b,
                            BinaryOp::Shr if b < u128::from(w) && signed => (x >> b) as u128,
                            BinaryOp::Shr if b < u128::from(w) => a >> b,
                            BinaryOp::Shl | BinaryOp::Shr => 0,
                            BinaryOp::And => a & b,
                            BinaryOp::Or => a | b,
                            BinaryOp::Xor => a ^ b,
                        };
                        let arg = |n: u128| {
                            if w <= 64 {
                                Value::Scalar(Scalar::plain(n as u64))
                            } else {
                                Value::Wide(interp::Wide { bits: n, undef: 0 })
                            }
                        };
                        let mut run = Interpreter::new(&p, Config::default());
                        let got = match run.call(FuncId(0), vec![arg(a), arg(b)]) {
                            Ok(Value::Scalar(s)) => u128::from(s.bits),
                            Ok(Value::Wide(x)) => x.bits,
                            other => panic!("{op:?} at {w} on {a}, {b}: {other:?}"),
                        };
                        assert_eq!(got, ir::expr::mask(want, w), "{op:?} {w} {signed} {a} {b}");
                    }
                }
            }
        }
    }
}
