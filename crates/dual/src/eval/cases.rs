//! Too many cases of one expression: `(a + b) * 3 - (c << 2)` over unsigned numbers wraps, or does not, at each operator, and the
//! cases of a long one are thousands, each a path of its own. Then it is taken to be anything.

use crate::assume::Parts;
use crate::path::{Path, Paths};
use crate::run::Run;
use crate::value::Value;
use ir::walk::{Item, expr_items, place_items};
use ir::{ExprId, TypeId};
use smallvec::smallvec;

/// Cases of one expression, at most.
const CASES: usize = 64;

/// Operators from which on cases are counted: fewer do not make that many.
const OPERATORS: u32 = 5;

impl Run<'_> {
    /// May an expression have many cases?
    pub(crate) fn is_long(&mut self, e: ExprId) -> bool {
        self.operators(e) >= OPERATORS
    }

    /// Operators of an expression, those of its parts among them.
    fn operators(&mut self, e: ExprId) -> u32 {
        if let Some(known) = self.operators.get(&e) {
            return *known;
        }
        let body = self.body;
        let (mut below, mut places) = (Vec::new(), Vec::new());
        let mut is_operator = true;
        expr_items(&body.exprs[e], &mut |item| match item {
            Item::Expr(e) => below.push(e),
            Item::Place(place) => places.push(place),
        });
        for place in places {
            is_operator = false;
            place_items(&body.places[place], &mut |item| {
                if let Item::Expr(e) = item {
                    below.push(e);
                    is_operator = true;
                }
            });
        }
        let own = u32::from(is_operator && !below.is_empty());
        let all = below
            .into_iter()
            .fold(own, |sum, e| sum.saturating_add(self.operators(e)));
        self.operators.insert(e, all);
        all
    }

    /// The cases of an expression that was evaluated on a path, if they are not too many.
    pub(super) fn few(&mut self, before: Path, all: Paths<Value>, ty: TypeId) -> Paths<Value> {
        if all.len() <= CASES {
            return all;
        }
        let mut path = given_away(before, all.iter().map(|(path, _)| path));
        for (_, value) in &all {
            // Nobody can say any more where it leads.
            if let Value::Pointer(pointer) = value {
                path.memory.escape(&pointer.object);
            }
        }
        let value = self.anything(&mut path, ty);
        smallvec![(path, value)]
    }
}

/// The parts of a path, if they are not too many.
pub(crate) fn few_parts(before: Path, parts: Parts) -> Parts {
    match parts.len() <= CASES {
        true => parts,
        false => smallvec![given_away(before, parts.iter())],
    }
}

/// The path before, but for the objects whose address got out.
fn given_away<'a>(before: Path, after: impl Iterator<Item = &'a Path>) -> Path {
    let mut path = before.guess();
    for after in after {
        let escaped = after.memory.escaped();
        escaped.for_each(|object| path.memory.escape(object));
    }
    path
}
