//! Expressions and places in C's syntax, with C's precedence.

use super::Printer;
use crate::body::{Body, VarId};
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId, ExprKind, PlaceId, UnaryOp};
use crate::program::{FuncId, GlobalId};
use crate::text::names::symbol;
use crate::text::typing::{self, Expected, INDEX};
use crate::text::words::{intrinsic_name, quote_name};
use crate::types::{Type, TypeId};
use rustc_hash::FxHashSet;

/// How tightly an operator binds, as in C.
pub mod precedence {
    pub const SELECT: u8 = 3;
    pub const OR: u8 = 6;
    pub const XOR: u8 = 7;
    pub const AND: u8 = 8;
    pub const EQUALITY: u8 = 9;
    pub const RELATION: u8 = 10;
    pub const SHIFT: u8 = 11;
    pub const SUM: u8 = 12;
    pub const PRODUCT: u8 = 13;
    pub const UNARY: u8 = 14;
    pub const POSTFIX: u8 = 15;
}
use precedence as p;

pub fn binary_precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => p::OR,
        BinaryOp::Xor => p::XOR,
        BinaryOp::And => p::AND,
        BinaryOp::Shl | BinaryOp::Shr => p::SHIFT,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::WrapAdd | BinaryOp::WrapSub => p::SUM,
        BinaryOp::Mul | BinaryOp::WrapMul | BinaryOp::Div | BinaryOp::Rem => p::PRODUCT,
    }
}

pub fn compare_precedence(op: CompareOp) -> u8 {
    match op {
        CompareOp::Eq | CompareOp::Ne => p::EQUALITY,
        _ => p::RELATION,
    }
}

/// Writes the expressions of one body.
pub struct ExprPrinter<'a> {
    pub printer: &'a Printer<'a>,
    pub body: &'a Body,
    /// Names of variables, which hide equal names of functions and globals.
    locals: FxHashSet<&'a str>,
    /// The function, for its own labels.
    pub function: FuncId,
}

impl<'a> ExprPrinter<'a> {
    pub fn new(printer: &'a Printer<'a>, body: &'a Body, function: FuncId) -> Self {
        let locals = body.vars.values();
        let locals = locals.map(|v| symbol(printer.program, v.name)).collect();
        ExprPrinter {
            printer,
            body,
            locals,
            function,
        }
    }

    pub fn var(&self, id: VarId) -> String {
        match self.body.vars.get(id) {
            Some(v) => quote_name(symbol(self.printer.program, v.name)),
            None => format!("`bad variable {}`", id.0),
        }
    }

    pub fn type_text(&self, ty: TypeId) -> String {
        self.printer.type_text(ty)
    }

    pub fn expr(&self, id: ExprId, expected: Expected) -> String {
        let mut out = String::new();
        self.write(&mut out, id, expected, 0);
        out
    }

    /// An expression behind a prefix operator.
    pub fn operand(&self, id: ExprId) -> String {
        let mut out = String::new();
        self.write(&mut out, id, None, p::UNARY);
        out
    }

    pub fn place(&self, id: PlaceId) -> String {
        let mut out = String::new();
        match self.body.places.get(id) {
            Some(place) => self.write_place(&mut out, place, 0),
            None => out.push_str(&format!("`bad place {}`", id.0)),
        }
        out
    }

    /// Type of an expression; void if there is no such expression.
    pub fn type_of(&self, id: ExprId) -> TypeId {
        self.body.exprs.get(id).map_or(TypeId::VOID, |e| e.ty)
    }

    fn is_bare(&self, id: ExprId) -> bool {
        let types = &self.printer.program.types;
        self.body
            .exprs
            .get(id)
            .is_some_and(|e| typing::is_bare(types, e))
    }

    /// Writes an expression, in parentheses if it binds less tightly than `min`.
    pub(super) fn write(&self, out: &mut String, id: ExprId, expected: Expected, min: u8) {
        let Some(e) = self.body.exprs.get(id) else {
            out.push_str(&format!("`bad expression {}`", id.0));
            return;
        };
        let own = self.precedence(e);
        if own < min {
            out.push('(');
            self.write_open(out, e, expected);
            out.push(')');
        } else {
            self.write_open(out, e, expected);
        }
    }

    fn precedence(&self, e: &Expr) -> u8 {
        match &e.kind {
            ExprKind::Int(bits) => match self.int_text(*bits, e.ty).starts_with('-') {
                true => p::UNARY,
                false => p::POSTFIX,
            },
            ExprKind::Float(bits) => {
                match typing::decimal(&self.printer.program.types, *bits, e.ty) {
                    Some(text) if text.starts_with('-') => p::UNARY,
                    _ => p::POSTFIX,
                }
            }
            // They may be written with a cast.
            ExprKind::Null | ExprKind::Undef => p::UNARY,
            ExprKind::Load(place) => match self.body.places.get(*place) {
                Some(place) if self.is_whole_literal(place) => p::POSTFIX,
                Some(place) => self.place_precedence(place),
                None => p::POSTFIX,
            },
            ExprKind::AddrOf(_) | ExprKind::Label(..) | ExprKind::Unary(..) | ExprKind::Cast(_) => {
                p::UNARY
            }
            ExprKind::Binary(..) if self.negated(e).is_some() => p::UNARY,
            ExprKind::Binary(op, ..) => binary_precedence(*op),
            ExprKind::PtrAdd(..) => p::SUM,
            ExprKind::Compare(op, ..) => compare_precedence(*op),
            ExprKind::Select(..) => p::SELECT,
            ExprKind::Function(_)
            | ExprKind::Overflow(..)
            | ExprKind::Intrinsic(..)
            | ExprKind::TypeInfo(_) => p::POSTFIX,
        }
    }

    fn write_open(&self, out: &mut String, e: &Expr, expected: Expected) {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Undef => {
                self.write_constant(out, e, expected, false);
            }
            ExprKind::Load(place) => match self.body.places.get(*place) {
                Some(place) if self.is_whole_literal(place) => {
                    out.push_str("load(");
                    self.write_place(out, place, 0);
                    out.push(')');
                }
                Some(place) => self.write_place(out, place, 0),
                None => out.push_str(&format!("`bad place {}`", place.0)),
            },
            ExprKind::AddrOf(id) => match self.body.places.get(*id) {
                Some(place) if self.is_decayed_literal(place) => self.write_base(out, place),
                Some(place) => {
                    out.push('&');
                    self.write_place(out, place, p::UNARY);
                }
                None => out.push_str(&format!("&`bad place {}`", id.0)),
            },
            ExprKind::Function(f) => {
                let name = self.function_name(*f);
                let program = self.printer.program;
                let signature = program.functions.get(*f).map(|f| f.signature);
                let natural = program.types.lookup(e.ty) == signature.map(Type::Pointer).as_ref();
                self.ascribed(out, name, natural, e.ty);
            }
            ExprKind::Label(f, k) => {
                let name = match *f == self.function {
                    true => String::new(),
                    false => self.printer.names.function(self.printer.program, *f),
                };
                let natural = e.ty == TypeId::VOID_PTR;
                self.ascribed(out, format!("&&{name}#{k}"), natural, e.ty);
            }
            ExprKind::TypeInfo(g) => {
                let name = self.global_name(*g);
                self.ascribed(out, format!("typeid({name})"), e.ty == TypeId::I32, e.ty);
            }
            ExprKind::Unary(op, a) => {
                let expected = match op {
                    UnaryOp::Not => Some(TypeId::BOOL),
                    UnaryOp::Neg | UnaryOp::Complement => expected,
                };
                out.push(match op {
                    UnaryOp::Neg => '-',
                    UnaryOp::Not => '!',
                    UnaryOp::Complement => '~',
                });
                // `-5` would be a constant.
                let min = match op {
                    UnaryOp::Neg if self.is_bare(*a) => u8::MAX,
                    _ => p::UNARY,
                };
                self.write(out, *a, expected, min);
            }
            ExprKind::Binary(..) | ExprKind::PtrAdd(..) => self.write_spine(out, e, expected),
            ExprKind::Compare(op, a, b) => {
                let own = compare_precedence(*op);
                self.write_pair(out, *a, *b, None, op.symbol(), (own + 1, own + 1));
            }
            ExprKind::Overflow(op, a, b) => {
                out.push_str("overflow(");
                let own = binary_precedence(*op);
                self.write_pair(out, *a, *b, None, op.symbol(), (own, own + 1));
                out.push(')');
            }
            ExprKind::Cast(a) => {
                out.push('(');
                out.push_str(&self.type_text(e.ty));
                out.push(')');
                // `(T)null` is the null of type T.
                match self.body.exprs.get(*a) {
                    Some(e) if matches!(e.kind, ExprKind::Null | ExprKind::Undef) => {
                        self.write_constant(out, e, None, true);
                    }
                    _ => self.write(out, *a, None, p::UNARY),
                }
            }
            ExprKind::Select(c, a, b) => {
                self.write(out, *c, Some(TypeId::BOOL), p::SELECT + 1);
                out.push_str(" ? ");
                self.write_pair(out, *a, *b, expected, ":", (p::SELECT + 1, p::SELECT));
            }
            ExprKind::Intrinsic(op, args) => {
                out.push_str(intrinsic_name(*op));
                let first = args.first().map(|&a| self.type_of(a));
                let natural = typing::intrinsic_result(*op, first) == Some(e.ty);
                if !natural {
                    out.push(':');
                    out.push_str(&self.type_text(e.ty));
                }
                out.push('(');
                for (i, &a) in args.iter().enumerate() {
                    let expected = match first {
                        Some(ty) if i > 0 => Some(typing::further_argument(*op, ty)),
                        _ if natural => typing::first_argument(*op, expected),
                        _ => None,
                    };
                    if i > 0 {
                        out.push_str(", ");
                    }
                    self.write(out, a, expected, 0);
                }
                out.push(')');
            }
        }
    }

    /// Left-leaning chains without recursion: `a + b + c + …` may be thousands long.
    fn write_spine(&self, out: &mut String, top: &Expr, expected: Expected) {
        let mut chain = vec![top];
        while let Some((left, min)) = chain.last().and_then(|e| self.left_operand(e))
            && let Some(e) = self.body.exprs.get(left)
            && matches!(e.kind, ExprKind::Binary(..) | ExprKind::PtrAdd(..))
            && self.negated(e).is_none()
            && self.precedence(e) >= min
        {
            chain.push(e);
        }
        let mut innermost = true;
        for e in chain.into_iter().rev() {
            self.write_link(out, e, expected, innermost);
            innermost = false;
        }
    }

    /// The left operand of a binary expression, and how tightly it has to bind.
    fn left_operand(&self, e: &Expr) -> Option<(ExprId, u8)> {
        if self.negated(e).is_some() {
            return None;
        }
        match e.kind {
            ExprKind::Binary(op, a, _) => Some((a, self.operand_precedence(op, a))),
            ExprKind::PtrAdd(a, _) => Some((a, p::SUM)),
            _ => None,
        }
    }

    /// Precedence that an operand needs. Where C's own rules surprise people (`a & b == c`,
    /// `a << b + 1`), parentheses are written although they could be left out.
    fn operand_precedence(&self, op: BinaryOp, operand: ExprId) -> u8 {
        let same = matches!(self.body.exprs.get(operand).map(|e| &e.kind),
            Some(ExprKind::Binary(inner, ..)) if *inner == op);
        match op {
            _ if same => binary_precedence(op),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => p::SHIFT,
            BinaryOp::Shl | BinaryOp::Shr => p::PRODUCT,
            _ => binary_precedence(op),
        }
    }

    /// One operator of a chain: what is left of it only if it is the innermost.
    fn write_link(&self, out: &mut String, e: &Expr, expected: Expected, innermost: bool) {
        if let Some(operand) = self.negated(e) {
            out.push('-');
            self.write(out, operand, expected, p::UNARY);
            return;
        }
        match e.kind {
            ExprKind::PtrAdd(pointer, index) => {
                if innermost {
                    match self.body.exprs.get(pointer) {
                        Some(e) if self.is_bare(pointer) => {
                            self.write_constant(out, e, None, true);
                        }
                        _ => self.write(out, pointer, expected, p::SUM),
                    }
                }
                match self.negative_index(index) {
                    Some(text) => out.push_str(&format!(" - {text}")),
                    None => {
                        out.push_str(" + ");
                        self.write(out, index, Some(INDEX), p::SUM + 1);
                    }
                }
            }
            ExprKind::Binary(op, a, b) => {
                let left = self.operand_precedence(op, a);
                let right = match self.operand_precedence(op, b) {
                    n if n == binary_precedence(op) => n + 1,
                    n => n,
                };
                if !innermost {
                    out.push_str(&format!(" {} ", op.symbol()));
                    self.write(out, b, Some(self.type_of(a)), right);
                } else if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    self.write(out, a, expected, left);
                    out.push_str(&format!(" {} ", op.symbol()));
                    self.write(out, b, Some(self.type_of(a)), right);
                } else {
                    self.write_pair(out, a, b, expected, op.symbol(), (left, right));
                }
            }
            _ => {}
        }
    }

    /// Two operands of one type, by the rule of `typing`.
    fn write_pair(
        &self,
        out: &mut String,
        a: ExprId,
        b: ExprId,
        expected: Expected,
        operator: &str,
        (left, right): (u8, u8),
    ) {
        let (ty_a, ty_b) = (self.type_of(a), self.type_of(b));
        let right_expected = match self.body.exprs.get(a) {
            Some(e) if self.is_bare(a) && !self.is_bare(b) => {
                if ty_a == ty_b {
                    self.write(out, a, Some(ty_b), left);
                    expected
                } else {
                    self.write_constant(out, e, None, true);
                    Some(ty_a)
                }
            }
            _ => {
                self.write(out, a, expected, left);
                Some(ty_a)
            }
        };
        out.push_str(&format!(" {operator} "));
        self.write(out, b, right_expected, right);
    }

    /// The operand of an integer negation: `0 - x`.
    fn negated(&self, e: &Expr) -> Option<ExprId> {
        match e.kind {
            ExprKind::Binary(BinaryOp::Sub, zero, x) if !self.is_bare(x) => {
                let zero = self.body.exprs.get(zero)?;
                let same = zero.ty == self.type_of(x) && zero.ty == e.ty;
                let int = self.printer.program.types.lookup(e.ty);
                let int = matches!(int, Some(Type::Int { .. })) && e.ty != TypeId::BOOL;
                (zero.kind == ExprKind::Int(0) && same && int).then_some(x)
            }
            _ => None,
        }
    }

    /// `p - 1`: the index is a negative constant of the type that indices have anyway.
    fn negative_index(&self, index: ExprId) -> Option<String> {
        let e = self.body.exprs.get(index)?;
        match e.kind {
            ExprKind::Int(bits) if e.ty == INDEX => {
                let text = self.int_text(bits, e.ty);
                text.strip_prefix('-').map(str::to_string)
            }
            _ => None,
        }
    }

    fn ascribed(&self, out: &mut String, text: String, natural: bool, ty: TypeId) {
        if natural {
            out.push_str(&text);
        } else {
            out.push_str(&format!("({text} : {})", self.type_text(ty)));
        }
    }

    pub fn function_name(&self, f: FuncId) -> String {
        let program = self.printer.program;
        let text = self.printer.names.function(program, f);
        let name = program.functions.get(f).map(|f| f.name);
        self.qualified(name.map(|n| symbol(program, n)), text)
    }

    pub fn global_name(&self, g: GlobalId) -> String {
        let program = self.printer.program;
        let text = self.printer.names.global(program, g);
        let name = program.globals.get(g).map(|g| g.name);
        self.qualified(name.map(|n| symbol(program, n)), text)
    }

    /// `::x` is not the variable `x`.
    fn qualified(&self, name: Option<&str>, text: String) -> String {
        match name {
            Some(name) if self.locals.contains(name) => format!("::{text}"),
            _ => text,
        }
    }
}
