//! Expressions as a C programmer writes them.
//!
//! The text form of `ir` says everything, because it must parse back; a message says what the
//! source says: `NULL`, no conversions that the compiler put in, `i` for the second `i` of a
//! function. What the compiler introduced (names with `$`) is never shown: a temporary is written
//! as what was put into it last on the path. Long text is cut: the source line stands beside it.

use ir::{
    BinaryOp, Body, Call, CompareOp, Composed, EdgeId, ExprId, ExprKind, Intrinsic, PlaceId,
    Program,
};
use ir::{UnaryOp, VarId};
use rules::wording::Notation;

/// Deeper parts are left out: nobody reads them, and no input may exhaust the stack.
const DEPTH: u32 = 12;

/// Characters of one expression.
const LENGTH: usize = 60;

/// How tightly an operator binds, as in C.
pub(super) mod binds {
    pub const SELECT: u8 = 3;
    pub const PREFIX: u8 = 14;
    pub const SUFFIX: u8 = 15;
}

fn binary(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("|", 6),
        BinaryOp::Xor => ("^", 7),
        BinaryOp::And => ("&", 8),
        BinaryOp::Shl => ("<<", 11),
        BinaryOp::Shr => (">>", 11),
        BinaryOp::Add | BinaryOp::WrapAdd => ("+", 12),
        BinaryOp::Sub | BinaryOp::WrapSub => ("-", 12),
        BinaryOp::Mul | BinaryOp::WrapMul => ("*", 13),
        BinaryOp::Div => ("/", 13),
        BinaryOp::Rem => ("%", 13),
    }
}

fn comparison(op: CompareOp) -> u8 {
    match op {
        CompareOp::Eq | CompareOp::Ne => 9,
        _ => 10,
    }
}

/// Writes what stands at the end of a path: temporaries have the values they got on it.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    pub program: &'a Program,
    pub body: &'a Body,
    /// What the body is made of, if it is of several.
    pub composed: Option<&'a Composed>,
    pub path: &'a [EdgeId],
}

/// Text, and how tightly its outermost operator binds.
pub(super) type Bound = (String, u8);

impl<'a> Words<'a> {
    /// The same, in front of the path's step of this number.
    pub fn before(self, step: usize) -> Words<'a> {
        let path = &self.path[..step.min(self.path.len())];
        Words { path, ..self }
    }

    pub fn expr(&self, e: ExprId) -> String {
        cut(self.write(e, DEPTH).0)
    }

    pub fn place(&self, p: PlaceId) -> String {
        cut(self.write_place(p, usize::MAX, DEPTH).0)
    }

    /// `malloc(10)`, `list::last(p)`.
    pub fn call(&self, call: &Call) -> String {
        cut(self.write_call(call, DEPTH))
    }

    /// The variable's name in the source; none if the compiler introduced it.
    pub fn name(&self, v: VarId) -> Option<&'a str> {
        let name = self.program.name(self.body.vars.get(v)?.name);
        if name.starts_with('$') || self.is_result(v) {
            return None;
        }
        // `i.1` is the source's second `i`.
        Some(name.split_once('.').map_or(name, |(name, _)| name))
    }

    /// A condition that was found to be true: `p is NULL`, `i > 10`, `done is false`.
    pub fn fact(&self, e: ExprId) -> String {
        self.said(e, true)
    }

    /// The same of one that was found to be true, or false.
    pub fn said(&self, e: ExprId, holds: bool) -> String {
        let (e, truth) = self.stripped(e);
        let truth = truth == holds;
        let Some(expr) = self.body.exprs.get(e) else {
            return String::new();
        };
        match &expr.kind {
            ExprKind::Compare(op, a, b) => {
                let op = if truth { Some(*op) } else { op.negated() };
                if let Some(op) = op {
                    return self.comparison_fact(op, *a, *b);
                }
            }
            // `a && b`, when it was computed into a temporary: as it was written there.
            ExprKind::Load(p) => {
                if let Some((value, before)) = self.assigned_temporary(*p) {
                    if truth {
                        return before.fact(value);
                    }
                    if let Some(&ExprKind::Compare(op, a, b)) = self.kind(value)
                        && let Some(op) = op.negated()
                    {
                        return before.comparison_fact(op, a, b);
                    }
                }
            }
            _ => {}
        }
        format!("{} is {truth}", self.expr(e))
    }

    fn comparison_fact(&self, op: CompareOp, a: ExprId, b: ExprId) -> String {
        let is_null = |e: ExprId| matches!(self.kind(self.bare(e)), Some(ExprKind::Null));
        match op {
            CompareOp::Eq if is_null(b) => format!("{} is NULL", self.expr(a)),
            CompareOp::Ne if is_null(b) => format!("{} is not NULL", self.expr(a)),
            _ => {
                // A bool that was widened and compared with 0 is that bool.
                let zero = matches!(self.kind(b), Some(ExprKind::Int(0)));
                let inner = self.bare(a);
                if zero && inner != a && self.is_bool(inner) {
                    match op {
                        CompareOp::Ne => return self.fact(inner),
                        CompareOp::Eq => return format!("{} is false", self.expr(inner)),
                        _ => {}
                    }
                }
                let own = comparison(op);
                let (left, right) = (self.write(a, DEPTH), self.write(b, DEPTH));
                let right = self.signed_like(b, a).unwrap_or(right);
                cut(format!(
                    "{} {} {}",
                    closed(left, own + 1),
                    op.symbol(),
                    closed(right, own + 1)
                ))
            }
        }
    }

    /// A constant on the right reads better with the signedness of what it is compared with.
    fn signed_like(&self, constant: ExprId, other: ExprId) -> Option<Bound> {
        let ExprKind::Int(bits) = self.kind(constant)? else {
            return None;
        };
        let ty = self.body.exprs.get(other)?.ty;
        let (width, signed) = self.program.types.as_int(ty)?;
        let value = ir::expr::int_value(*bits, width, signed);
        Some((value.to_string(), binds::SUFFIX))
    }

    fn is_bool(&self, e: ExprId) -> bool {
        let ty = self.body.exprs.get(e).map(|e| e.ty);
        ty == Some(ir::TypeId::BOOL)
    }

    /// Without negations; whether what is left is true.
    fn stripped(&self, mut e: ExprId) -> (ExprId, bool) {
        let mut truth = true;
        while let Some(ExprKind::Unary(UnaryOp::Not, inner)) = self.kind(e) {
            e = *inner;
            truth = !truth;
        }
        (e, truth)
    }

    pub(super) fn kind(&self, e: ExprId) -> Option<&'a ExprKind> {
        self.body.exprs.get(e).map(|e| &e.kind)
    }

    pub(super) fn bare(&self, mut e: ExprId) -> ExprId {
        while let Some(ExprKind::Cast(inner)) = self.kind(e) {
            e = *inner;
        }
        e
    }

    pub(super) fn write(&self, e: ExprId, depth: u32) -> Bound {
        let Some(expr) = self.body.exprs.get(e) else {
            return ("?".to_string(), binds::SUFFIX);
        };
        let Some(below) = depth.checked_sub(1) else {
            return ("…".to_string(), binds::SUFFIX);
        };
        let simple = |text: String| (text, binds::SUFFIX);
        match &expr.kind {
            ExprKind::Int(bits) => match self.program.types.as_int(expr.ty) {
                Some((1, _)) => simple(if *bits & 1 == 1 { "true" } else { "false" }.to_string()),
                Some((width, signed)) => {
                    let value = ir::expr::int_value(*bits, width, signed);
                    let bound = if value < 0 {
                        binds::PREFIX
                    } else {
                        binds::SUFFIX
                    };
                    (value.to_string(), bound)
                }
                None => simple(bits.to_string()),
            },
            ExprKind::Float(_) | ExprKind::TypeInfo(_) => {
                simple(ir::text::Printer::new(self.program).expr(ir::FuncId(0), self.body, e))
            }
            ExprKind::Null => simple("NULL".to_string()),
            ExprKind::Undef => simple("an unset value".to_string()),
            ExprKind::Load(p) => self.write_place(*p, usize::MAX, below),
            ExprKind::AddrOf(p) => self.write_address(*p, below),
            ExprKind::Function(f) => simple(self.function_name(*f)),
            ExprKind::Label(_, k) => (format!("&&label{k}"), binds::PREFIX),
            ExprKind::Unary(op, a) => {
                let sign = match op {
                    UnaryOp::Neg => '-',
                    UnaryOp::Not => '!',
                    UnaryOp::Complement => '~',
                };
                let operand = closed(self.write(*a, below), binds::PREFIX);
                (format!("{sign}{operand}"), binds::PREFIX)
            }
            ExprKind::Binary(BinaryOp::Sub | BinaryOp::WrapSub, zero, a)
                if matches!(self.kind(*zero), Some(ExprKind::Int(0))) =>
            {
                let operand = closed(self.write(*a, below), binds::PREFIX);
                (format!("-{operand}"), binds::PREFIX)
            }
            ExprKind::Binary(op, a, b) => {
                let (symbol, own) = binary(*op);
                self.pair(*a, symbol, *b, own, below)
            }
            ExprKind::Compare(op, a, b) => self.pair(*a, op.symbol(), *b, comparison(*op), below),
            ExprKind::Overflow(op, a, b) => {
                let (symbol, own) = binary(*op);
                let text = self.pair(*a, symbol, *b, own, below).0;
                simple(format!("overflow({text})"))
            }
            ExprKind::PtrAdd(a, b) => self.pair(*a, "+", *b, 12, below),
            // The compiler's conversions and the source's look alike: neither is shown.
            ExprKind::Cast(a) => self.write(*a, depth),
            ExprKind::Select(c, a, b) => {
                let own = binds::SELECT;
                let text = format!(
                    "{} ? {} : {}",
                    closed(self.write(*c, below), own + 1),
                    closed(self.write(*a, below), own + 1),
                    closed(self.write(*b, below), own),
                );
                (text, own)
            }
            ExprKind::Intrinsic(Intrinsic::Volatile, arguments) => match arguments.first() {
                Some(read) => self.write(*read, depth),
                None => simple(String::new()),
            },
            ExprKind::Intrinsic(op, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|a| self.write(*a, below).0).collect();
                let name = format!("{op:?}").to_lowercase();
                simple(format!("{name}({})", arguments.join(", ")))
            }
        }
    }

    fn pair(&self, a: ExprId, symbol: &str, b: ExprId, own: u8, depth: u32) -> Bound {
        // C's own rules about these surprise people: `a & b + 1` is written `a & (b + 1)`.
        let (low, high) = match symbol {
            "|" | "^" | "&" | "<<" | ">>" => (binds::PREFIX, binds::PREFIX),
            _ => (own, own + 1),
        };
        let left = match self.write(a, depth) {
            (text, bound) if bound == own => text,
            other => closed(other, low),
        };
        let right = closed(self.write(b, depth), high);
        (format!("{left} {symbol} {right}"), own)
    }
}

impl Notation for Words<'_> {
    fn expr(&self, e: ExprId) -> String {
        Words::expr(self, e)
    }

    fn place(&self, p: PlaceId, steps: usize) -> String {
        cut(self.write_place(p, steps, DEPTH).0)
    }
}

/// In parentheses if it binds less tightly than its surroundings ask for.
pub(super) fn closed((text, bound): Bound, at_least: u8) -> String {
    match bound < at_least {
        true => format!("({text})"),
        false => text,
    }
}

/// Not longer than a person reads, and on one line.
fn cut(text: String) -> String {
    let text = text.replace('\n', " ");
    if text.chars().count() <= LENGTH {
        return text;
    }
    let kept: String = text.chars().take(LENGTH - 1).collect();
    format!("{}…", kept.trim_end())
}
