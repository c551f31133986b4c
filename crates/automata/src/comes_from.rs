//! Which parameters the values of a body come from, judging by the text alone, without regard to order.
//!
//! A value *comes from* a parameter if it was computed from it, read through it, or given back by a call that was handed such
//! a value. Who wants to know where a pointer leads has to tell two ways apart: it may lead into what the parameter points to
//! ([`Passed::Itself`]), or to what is found behind that ([`Passed::Inside`]).

use crate::models::{self, Gives, model};
use crate::summary::Summary;
use ir::arena::Id;
use ir::{Base, Body, Call, Callee, ExprId, ExprKind, FuncId, PlaceId, Program, Stmt};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What somebody gets of what a function was handed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Passed {
    #[default]
    Nothing,
    /// Only what is read through the pointer: the next node, not this one.
    Inside,
    Itself,
}

/// Parameters, as bits: those that a value comes from, by the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct From {
    itself: u64,
    inside: u64,
    /// What lies in variables that the value is the address of: whoever reads through it gets that itself.
    local: u64,
}

/// The bit of all further parameters.
const LAST: usize = 63;

impl From {
    fn param(i: usize) -> From {
        From {
            itself: 1 << i.min(LAST),
            ..From::default()
        }
    }

    fn with(self, other: From) -> From {
        From {
            itself: self.itself | other.itself,
            inside: self.inside | other.inside,
            local: self.local | other.local,
        }
    }

    /// What is read through such a value.
    fn behind(self) -> From {
        From {
            itself: self.local,
            inside: self.itself | self.inside,
            local: self.local,
        }
    }

    /// The address of a variable that holds such a value.
    fn address(self) -> From {
        From {
            itself: 0,
            inside: self.inside,
            local: self.itself | self.local,
        }
    }

    /// What is left of such an argument by a callee that passes this on.
    fn passed(self, passed: Passed) -> From {
        match passed {
            Passed::Nothing => From::default(),
            Passed::Inside => self.behind(),
            Passed::Itself => self,
        }
    }

    /// Does it come from this parameter at all?
    pub fn has(self, param: usize) -> bool {
        self.way(param) != Passed::Nothing
    }

    fn way(self, param: usize) -> Passed {
        let bit = 1 << param.min(LAST);
        match ((self.itself | self.local) & bit, self.inside & bit) {
            (0, 0) => Passed::Nothing,
            (0, _) => Passed::Inside,
            _ => Passed::Itself,
        }
    }
}

/// What a body gives back, and what it leaves where others find it, by parameter.
pub struct Passes {
    pub gives: Vec<Passed>,
    pub leaves: Vec<Passed>,
}

pub struct ComesFrom<'a, 's> {
    program: &'a Program,
    body: &'a Body,
    summary: &'a dyn Fn(FuncId) -> Option<&'s Summary>,
    /// By variable.
    vars: Vec<From>,
    left: From,
}

impl<'a, 's> ComesFrom<'a, 's> {
    pub fn new(
        program: &'a Program,
        body: &'a Body,
        summary: &'a dyn Fn(FuncId) -> Option<&'s Summary>,
    ) -> ComesFrom<'a, 's> {
        let mut all = ComesFrom {
            program,
            body,
            summary,
            vars: vec![From::default(); body.vars.len()],
            left: From::default(),
        };
        for (i, v) in body.params.iter().enumerate() {
            all.vars[v.index()] = From::param(i);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for edge in body.edges().values() {
                changed |= all.statement(&edge.stmt);
            }
        }
        all
    }

    /// What becomes of the parameters when the body is left.
    pub fn passes(&self) -> Passes {
        let given = self.body.ret.map(|ret| self.vars[ret.index()]);
        let given = given.unwrap_or_default();
        let by_param = |from: From| (0..self.body.params.len()).map(move |i| from.way(i));
        Passes {
            gives: by_param(given).collect(),
            leaves: by_param(self.left).collect(),
        }
    }

    /// Did it make a difference?
    fn statement(&mut self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Assign { place, value } => {
                let from = self.expr(*value);
                self.store(*place, from)
            }
            Stmt::Copy { target, source, .. } => {
                let from = self.expr(*source).behind();
                match self.variable_at(*target) {
                    Some(place) => self.store(place, from),
                    None => self.leave(from),
                }
            }
            Stmt::Call(call) => {
                let (mut given, mut left) = (From::default(), From::default());
                for (i, &arg) in call.args.iter().enumerate() {
                    let from = self.expr(arg);
                    let (gives, leaves) = self.passed(call, i);
                    given = given.with(from.passed(gives));
                    left = left.with(from.passed(leaves));
                }
                let changed = self.leave(left);
                let stored = call.result.is_some_and(|to| self.store(to, given));
                changed | stored
            }
            _ => false,
        }
    }

    fn store(&mut self, to: PlaceId, from: From) -> bool {
        if !self.can_be_address(self.body.places[to].ty) {
            return false;
        }
        let Base::Var(v) = self.body.places[to].base else {
            return self.leave(from);
        };
        let known = &mut self.vars[v.index()];
        let after = known.with(from);
        std::mem::replace(known, after) != after
    }

    fn leave(&mut self, from: From) -> bool {
        let after = self.left.with(from);
        std::mem::replace(&mut self.left, after) != after
    }

    /// What a call gives back of an argument, and what it leaves in memory.
    fn passed(&self, call: &Call, arg: usize) -> (Passed, Passed) {
        let all = (Passed::Itself, Passed::Itself);
        let Callee::Direct(f) = call.callee else {
            return all;
        };
        if let Some(s) = (self.summary)(f) {
            let of = |all: &[Passed]| all.get(arg).copied().unwrap_or(Passed::Itself);
            return (of(&s.gives), of(&s.leaves));
        }
        let known = model(self.program.function_name(f));
        let Some(m) = known.filter(|_| self.program.functions[f].body.is_none()) else {
            return all;
        };
        let gives = match m.gives {
            Gives::Memory { .. } => Passed::Nothing,
            Gives::Argument(at) if at != arg => Passed::Nothing,
            _ => Passed::Itself,
        };
        let leaves = match m.writes {
            models::Writes::Anything => Passed::Itself,
            _ => Passed::Nothing,
        };
        (gives, leaves)
    }

    /// The variable, or the part of it, that a pointer is the address of.
    fn variable_at(&self, pointer: ExprId) -> Option<PlaceId> {
        match self.body.exprs[pointer].kind {
            ExprKind::AddrOf(place) => {
                matches!(self.body.places[place].base, Base::Var(_)).then_some(place)
            }
            ExprKind::Cast(inner) => self.variable_at(inner),
            _ => None,
        }
    }

    /// No address fits in a number of fewer bits.
    fn can_be_address(&self, ty: ir::TypeId) -> bool {
        let types = &self.program.types;
        types.as_float(ty).is_none() && types.as_int(ty).is_none_or(|(width, _)| width >= 64)
    }

    /// What a value comes from.
    pub fn expr(&self, e: ExprId) -> From {
        self.walk(e, &mut FxHashMap::default())
    }

    /// Parts may be shared: looked at once, a large expression is no more than large.
    fn walk(&self, e: ExprId, seen: &mut FxHashMap<ExprId, From>) -> From {
        if let Some(known) = seen.get(&e) {
            return *known;
        }
        let expr = &self.body.exprs[e];
        let from = match &expr.kind {
            _ if !self.can_be_address(expr.ty) => From::default(),
            ExprKind::Load(p) => match self.body.places[*p].base {
                Base::Var(v) => self.vars[v.index()],
                Base::Global(_) => From::default(),
                Base::Deref(inner) => self.walk(inner, seen).behind(),
            },
            ExprKind::AddrOf(p) => match self.body.places[*p].base {
                Base::Var(v) => self.vars[v.index()].address(),
                Base::Global(_) => From::default(),
                Base::Deref(inner) => self.walk(inner, seen),
            },
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::PtrAdd(a, _) => {
                self.walk(*a, seen)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Select(_, a, b) => {
                self.walk(*a, seen).with(self.walk(*b, seen))
            }
            ExprKind::Intrinsic(_, args) => {
                let all = args.iter().map(|a| self.walk(*a, seen));
                all.fold(From::default(), From::with)
            }
            _ => From::default(),
        };
        seen.insert(e, from);
        from
    }
}
