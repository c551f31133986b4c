//! Arguments that nobody looks at.

use crate::body::{Body, VarId};
use crate::expr::{ExprId, ExprKind};
use crate::program::{FuncId, Program};
use crate::stmt::{Call, Callee, Stmt};
use crate::types::Type;
use crate::walk::{Item, expr_items, place_items, statement_items};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Functions that hand a parameter on to each other, at most.
const DEPTH: usize = 16;

/// Which parameters are ignored, as far as that was asked.
pub(super) struct Ignored<'p> {
    program: &'p Program,
    known: FxHashMap<(FuncId, usize), bool>,
}

impl<'p> Ignored<'p> {
    pub fn new(program: &'p Program) -> Self {
        Ignored {
            program,
            known: FxHashMap::default(),
        }
    }

    /// Is what a call passes there at most handed on, or printed by somebody who is not in view?
    pub fn is_ignored(&mut self, call: &Call, argument: usize) -> bool {
        self.passed(call, argument, DEPTH)
    }

    fn passed(&mut self, call: &Call, argument: usize, depth: usize) -> bool {
        match call.callee {
            Callee::Direct(f) => self.parameter(f, argument, depth),
            // Any function may be meant: only what comes behind its parameters is out of reach.
            Callee::Indirect(_) => match self.program.types.lookup(call.signature) {
                Some(Type::Function {
                    params, variadic, ..
                }) => *variadic && argument >= params.len(),
                _ => false,
            },
        }
    }

    fn parameter(&mut self, f: FuncId, argument: usize, depth: usize) -> bool {
        let program = self.program;
        let function = program.functions.get(f);
        let Some(body) = function.and_then(|f| f.body.as_ref()) else {
            return true;
        };
        let Some(v) = body.params.get(argument) else {
            return true;
        };
        if let Some(known) = self.known.get(&(f, argument)) {
            return *known;
        }
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        // Who hands it to itself does not look at it either.
        self.known.insert((f, argument), true);
        let ignored = self.is_unused(body, *v, depth);
        if !ignored {
            // What was found while this was taken for ignored may rest on it.
            self.known.retain(|_, known| !*known);
            self.known.insert((f, argument), false);
        }
        ignored
    }

    /// Is the variable only passed on to those who ignore it?
    fn is_unused(&mut self, body: &Body, v: VarId, depth: usize) -> bool {
        if body.vars[v].address_taken {
            return false;
        }
        let is_it = |place: crate::expr::PlaceId| body.places[place].as_var() == Some(v);
        // Its value, converted or not.
        let mut values: Vec<ExprId> = Vec::new();
        for (id, e) in body.exprs.iter() {
            match e.kind {
                ExprKind::Load(place) if is_it(place) => values.push(id),
                ExprKind::Cast(inner) if values.contains(&inner) => values.push(id),
                _ => {}
            }
        }
        let is_value = |item: Item| match item {
            Item::Expr(e) => values.contains(&e),
            Item::Place(_) => false,
        };
        for (id, e) in body.exprs.iter() {
            let mut uses = false;
            expr_items(e, &mut |item| uses |= is_value(item));
            if uses && !values.contains(&id) {
                return false;
            }
        }
        for place in body.places.values() {
            let mut uses = false;
            place_items(place, &mut |item| uses |= is_value(item));
            if uses {
                return false;
            }
        }
        for edge in body.edges().values() {
            if let Stmt::Call(call) = &edge.stmt {
                let passes = call.args.iter().enumerate();
                for (i, _) in passes.filter(|(_, arg)| values.contains(arg)) {
                    if !self.passed(call, i, depth) {
                        return false;
                    }
                }
                if call.result.is_some_and(is_it) {
                    return false;
                }
                continue;
            }
            let mut items: SmallVec<[Item; 8]> = SmallVec::new();
            statement_items(body, &edge.stmt, &mut |item| items.push(item));
            let uses = |item: &Item| match *item {
                Item::Expr(e) => values.contains(&e),
                Item::Place(p) => is_it(p),
            };
            if items.iter().any(uses) {
                return false;
            }
        }
        true
    }
}
