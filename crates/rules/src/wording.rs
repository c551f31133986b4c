//! What a rule says about a check of its own that fails: the words stand with the rule, so that
//! no engine needs to know rules, and every engine says the same.
//!
//! An engine knows what an expression is called where the check fails (what a temporary stands
//! for depends on the path); a rule knows what it means that its condition is broken. So the
//! engine hands over the check with a way to write expressions ([`Broken`]), and gets a
//! [`Wording`] back. Names in a message stand in back quotes, as in a compiler's; the label of the
//! place has none, because it stands under the source itself.

use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{Body, CompareOp, Condition, ExprId, ExprKind, Place, PlaceId, Program, Stmt, Type};

/// A check that fails, for its rule to put in words.
pub struct Broken<'a> {
    pub program: &'a Program,
    pub body: &'a Body,
    pub condition: &'a Condition,
    /// Which of the rule's errors it is ([`ir::Check::which`]).
    pub which: u32,
    /// The function that the check is in, as people know it.
    pub function: &'a str,
    /// The statement that the check stands before.
    pub guarded: Option<&'a Stmt>,
    pub notation: &'a dyn Notation,
}

/// How a person would write what a body has.
pub trait Notation {
    fn expr(&self, e: ExprId) -> String;

    /// The place after so many of its projections (all, if it has fewer).
    fn place(&self, p: PlaceId, steps: usize) -> String;
}

/// What is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// One line: "`p` is null when it is dereferenced".
    pub message: String,
    /// What happens at the place itself: "p dereferenced".
    pub label: String,
}

impl Wording {
    pub fn new(message: impl Into<String>, label: impl Into<String>) -> Wording {
        Wording {
            message: message.into(),
            label: label.into(),
        }
    }
}

impl<'a> Broken<'a> {
    pub fn expr(&self, e: ExprId) -> String {
        self.notation.expr(e)
    }

    pub fn place(&self, p: PlaceId) -> String {
        self.notation.place(p, usize::MAX)
    }

    pub fn kind(&self, e: ExprId) -> Option<&'a ExprKind> {
        self.body.exprs.get(e).map(|e| &e.kind)
    }

    /// The bool that does not hold, if the condition is one.
    pub fn holds(&self) -> Option<ExprId> {
        match self.condition {
            Condition::Holds(e) => Some(*e),
            _ => None,
        }
    }

    /// `c` of a condition `guard ? c : true`, or the condition itself.
    pub fn implied(&self, e: ExprId) -> ExprId {
        match self.kind(e) {
            Some(ExprKind::Select(_, then, _)) => *then,
            _ => e,
        }
    }

    /// The two sides of a comparison.
    pub fn comparison(&self, e: ExprId) -> Option<(CompareOp, ExprId, ExprId)> {
        match self.kind(e) {
            Some(&ExprKind::Compare(op, a, b)) => Some((op, a, b)),
            _ => None,
        }
    }

    /// The expression without conversions around it.
    pub fn bare(&self, mut e: ExprId) -> ExprId {
        while let Some(ExprKind::Cast(inner)) = self.kind(e) {
            e = *inner;
        }
        e
    }

    pub fn constant(&self, e: ExprId) -> Option<i128> {
        match self.kind(e)? {
            ExprKind::Int(bits) => {
                let (width, signed) = self.program.types.as_int(self.body.exprs.get(e)?.ty)?;
                Some(ir::expr::int_value(*bits, width, signed))
            }
            _ => None,
        }
    }

    /// The C name of an expression's integer type.
    pub fn type_name(&self, e: ExprId) -> &'static str {
        let ty = self.body.exprs.get(e).map(|e| e.ty);
        match ty.and_then(|ty| self.program.types.as_int(ty)) {
            Some((8, true)) => "signed char",
            Some((16, true)) => "short",
            Some((32, true)) => "int",
            Some((64, true)) => "long",
            _ => "its type",
        }
    }

    /// The linkage name of the function that the guarded statement calls, and the arguments.
    pub fn call(&self) -> Option<(&'a str, &'a [ExprId])> {
        match self.guarded {
            Some(Stmt::Call(call)) => match call.callee {
                ir::Callee::Direct(f) => {
                    let function = self.program.functions.get(f)?;
                    Some((self.program.name(function.name), &call.args))
                }
                ir::Callee::Indirect(_) => None,
            },
            _ => None,
        }
    }

    /// Text of a string literal.
    pub fn literal(&self, e: ExprId) -> Option<&'a str> {
        let place = match self.kind(self.bare(e))? {
            ExprKind::AddrOf(p) => self.body.places.get(*p)?,
            _ => return None,
        };
        let ir::Base::Global(g) = place.base else {
            return None;
        };
        let name = self.program.name(self.program.globals.get(g)?.name);
        name.strip_prefix('"')?.strip_suffix('"')
    }

    /// The array that the guarded statement indexes with this expression: how it is called, and
    /// how many elements it has.
    pub fn indexed(&self, index: ExprId) -> Option<(String, u64)> {
        let mut found = None;
        let mut items = Vec::new();
        statement_items(self.body, self.guarded?, &mut |item| items.push(item));
        // Shared parts are visited once for each use: expressions of one statement are small, but
        // not bounded by anything else.
        let mut budget = 10_000;
        while let Some(item) = items.pop()
            && found.is_none()
            && budget > 0
        {
            budget -= 1;
            match item {
                Item::Expr(e) => expr_items(self.body.exprs.get(e)?, &mut |i| items.push(i)),
                Item::Place(p) => {
                    let place = self.body.places.get(p)?;
                    found = self.index_step(p, place, index);
                    place_items(place, &mut |i| items.push(i));
                }
            }
        }
        found
    }

    fn index_step(&self, id: PlaceId, place: &Place, index: ExprId) -> Option<(String, u64)> {
        use ir::Projection::{As, Field, Index};
        let types = &self.program.types;
        let mut ty = match place.base {
            ir::Base::Var(v) => self.body.vars.get(v)?.ty,
            ir::Base::Global(g) => self.program.globals.get(g)?.ty,
            ir::Base::Deref(e) => types.pointee(self.body.exprs.get(e)?.ty)?,
        };
        for (step, projection) in place.projections.iter().enumerate() {
            ty = match (projection, types.lookup(ty)?) {
                (Index(e), Type::Array { len, .. }) if *e == index => {
                    return Some((self.notation.place(id, step), *len));
                }
                (Index(_), Type::Array { elem, .. }) => *elem,
                (Field(k), _) => types.as_struct(ty)?.fields.get(*k as usize)?.ty,
                (As(ty), _) => *ty,
                _ => return None,
            };
        }
        None
    }

    /// What an address is the address of: `q[2]` for `q + 2`, `p->a` for `&p->a`, `*p` for `p`.
    pub fn accessed(&self, pointer: ExprId) -> String {
        match self.kind(self.bare(pointer)) {
            Some(ExprKind::AddrOf(place)) => self.place(*place),
            Some(ExprKind::PtrAdd(base, index)) => {
                format!("{}[{}]", self.operand(*base), self.expr(*index))
            }
            _ => format!("*{}", self.operand(pointer)),
        }
    }

    /// In parentheses, unless it is a name with what hangs on it.
    pub fn operand(&self, e: ExprId) -> String {
        let text = self.expr(e);
        let mut depth = 0;
        let open = text.chars().any(|c| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            c == ' ' && depth == 0
        });
        match open {
            true => format!("({text})"),
            false => text,
        }
    }

    /// For conditions that the rule has no words of its own for.
    pub fn plain(&self, summary: &str) -> Wording {
        match self.condition {
            Condition::Holds(e) => {
                let text = self.expr(*e);
                Wording::new(
                    format!("{summary}: `{text}` does not hold"),
                    format!("{text} does not hold"),
                )
            }
            _ => Wording::new(summary, "here"),
        }
    }
}
