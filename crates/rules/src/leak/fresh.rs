//! Who gives something that its caller owns: the functions that a rule names, and those of the program that give their caller what
//! such a function gave to them, or nothing.

use super::Ownership;
use super::fate::{Fates, with_argument};
use super::library;
use super::walk::{Cx, behind_parameter, lives};
use crate::temporal::{Outcome, Valid};
use ir::{Body, Call, CallOutcome, Callee, ExprId, ExprKind, FuncId, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Givers {
    pub of: &'static Ownership,
    results: FxHashSet<FuncId>,
    through: FxHashMap<FuncId, Vec<(usize, Outcome)>>,
    renews: FxHashMap<FuncId, usize>,
}

/// Wrappers of wrappers of wrappers.
const ROUNDS: usize = 6;

impl Givers {
    pub fn of(
        program: &Program,
        fates: &Fates<'_>,
        of: &'static Ownership,
        by_name: &FxHashMap<&str, Vec<FuncId>>,
    ) -> Givers {
        let ids = |name: &str| by_name.get(name).into_iter().flatten().copied();
        let mut givers = Givers {
            of,
            results: of.results.iter().flat_map(|name| ids(name)).collect(),
            through: FxHashMap::default(),
            renews: FxHashMap::default(),
        };
        for (name, position, outcome) in of.through {
            for f in ids(name) {
                givers
                    .through
                    .entry(f)
                    .or_default()
                    .push((*position, *outcome));
            }
        }
        for (name, position) in of.renews {
            givers.renews.extend(ids(name).map(|f| (f, *position)));
        }
        if !givers.is_empty() {
            givers.find_wrappers(program, fates);
        }
        givers
    }

    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && self.through.is_empty()
    }

    pub fn numbers(&self) -> bool {
        self.of.valid == Valid::NotNegative
    }

    fn callee(call: &Call) -> Option<FuncId> {
        match call.callee {
            Callee::Direct(f) => Some(f),
            Callee::Indirect(_) => None,
        }
    }

    pub fn gives(&self, call: &Call) -> bool {
        self.result(call) || self.through(call).next().is_some()
    }

    pub fn result(&self, call: &Call) -> bool {
        Self::callee(call).is_some_and(|f| self.results.contains(&f))
    }

    pub fn through(&self, call: &Call) -> impl Iterator<Item = (usize, Outcome)> + '_ {
        let found = Self::callee(call).and_then(|f| self.through.get(&f));
        found.into_iter().flatten().copied()
    }

    pub fn renews(&self, call: &Call) -> Option<usize> {
        self.renews.get(&Self::callee(call)?).copied()
    }

    /// May the result of a library function point into what it is handed at this position?
    pub fn points_into(&self, program: &Program, call: &Call, position: usize) -> bool {
        let Some(f) = Self::callee(call) else {
            return false;
        };
        let function = &program.functions[f];
        function.body.is_none() && library::gives_back(program.name(function.name), position)
    }

    fn find_wrappers(&mut self, program: &Program, fates: &Fates<'_>) {
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        for (id, function, body) in program.bodies() {
            if !self.could_give(program, function.signature) && body.params.is_empty() {
                continue;
            }
            for edge in body.edges().values() {
                if let Stmt::Call(call) = &edge.stmt
                    && let Some(f) = Self::callee(call)
                {
                    callers.entry(f).or_default().push(id);
                }
            }
        }
        let mut new: Vec<FuncId> = self.results.iter().copied().collect();
        for _ in 0..ROUNDS {
            let mut asked: Vec<FuncId> = new
                .iter()
                .filter_map(|f| callers.get(f))
                .flatten()
                .copied()
                .filter(|f| !self.results.contains(f) && !self.through.contains_key(f))
                .collect();
            asked.sort_unstable();
            asked.dedup();
            let (mut results, mut through) = (Vec::new(), Vec::new());
            for f in asked {
                let could_give = self.could_give(program, program.functions[f].signature);
                if could_give && self.is_wrapper(program, fates, f) {
                    results.push(f);
                } else if let Some(position) = self.leaves(program, fates, f) {
                    through.push((f, position));
                }
            }
            new = results
                .iter()
                .chain(through.iter().map(|(f, _)| f))
                .copied()
                .collect();
            if new.is_empty() {
                break;
            }
            self.results.extend(results);
            for (f, position) in through {
                self.through.insert(f, vec![(position, Outcome::Any)]);
            }
        }
    }

    /// Is the result of a type that this could be?
    fn could_give(&self, program: &Program, signature: ir::TypeId) -> bool {
        let Some(Type::Function { ret, .. }) = program.types.lookup(signature) else {
            return false;
        };
        match self.numbers() {
            true => program
                .types
                .as_int(*ret)
                .is_some_and(|(width, _)| width == 32),
            false => program.types.is_pointer(*ret),
        }
    }

    fn is_wrapper(&self, program: &Program, fates: &Fates<'_>, f: FuncId) -> bool {
        let Some(body) = &program.functions[f].body else {
            return false;
        };
        let Some(ret) = body.ret else { return false };
        if self.sources(body, ret).is_none_or(|n| n == 0) {
            return false;
        }
        let cx = Cx {
            program,
            fates,
            givers: self,
        };
        let lives = lives(&cx, body, false);
        !lives.is_empty()
            && lives.iter().all(|l| !l.kept && l.left.is_empty())
            && lives.iter().any(|l| l.returned)
            || lives.is_empty()
    }

    /// The parameter that a function leads to what it acquires, whatever way it takes.
    fn leaves(&self, program: &Program, fates: &Fates<'_>, f: FuncId) -> Option<usize> {
        let body = program.functions[f].body.as_ref()?;
        let to = |stmt: &Stmt| match stmt {
            Stmt::Assign { place, .. } => behind_parameter(body, *place),
            Stmt::Call(call) => behind_parameter(body, call.result?),
            _ => None,
        };
        let position = body.edges().values().find_map(|e| to(&e.stmt))?;
        let mut calls = 0;
        for edge in body
            .edges()
            .values()
            .filter(|e| to(&e.stmt) == Some(position))
        {
            let mut stack = Vec::new();
            match &edge.stmt {
                Stmt::Assign { value, .. } => self.of_value(body, *value, &mut stack)?,
                Stmt::Call(call) if self.result(call) => calls += 1,
                _ => return None,
            }
            for v in stack {
                calls += self.sources(body, v)?;
            }
        }
        // It is written on every way, or what was there before could be taken for it.
        let mut seen = vec![false; body.node_count as usize];
        let mut stack = vec![body.entry];
        while let Some(node) = stack.pop() {
            if node == body.exit {
                return None;
            }
            if std::mem::replace(&mut seen[node.0 as usize], true) {
                continue;
            }
            let out = body
                .out_edges(node)
                .filter(|(_, e)| to(&e.stmt) != Some(position));
            stack.extend(out.map(|(_, e)| e.to));
        }
        let cx = Cx {
            program,
            fates,
            givers: self,
        };
        let lives = lives(&cx, body, false);
        let fine =
            |l: &super::walk::Life| !l.kept && !l.returned && l.left.iter().all(|p| *p == position);
        (calls > 0 && lives.iter().all(fine)).then_some(position)
    }

    /// How many calls the result can come from; none if from anything else than calls that give, and constants.
    fn sources(&self, body: &Body, ret: VarId) -> Option<usize> {
        let mut seen = vec![false; body.vars.len()];
        let mut stack = vec![ret];
        let mut calls = 0;
        while let Some(v) = stack.pop() {
            if std::mem::replace(&mut seen[v.0 as usize], true) {
                continue;
            }
            if body.vars[v].address_taken || body.params.contains(&v) && has_argument(body, v) {
                return None;
            }
            let is_it = |p: ir::PlaceId| matches!(body.places[p].base, ir::Base::Var(w) if w == v);
            for edge in body.edges().values() {
                match &edge.stmt {
                    Stmt::Assign { place, value } if is_it(*place) => {
                        body.places[*place].as_var()?;
                        self.of_value(body, *value, &mut stack)?;
                    }
                    Stmt::Call(call) if call.result.is_some_and(is_it) => {
                        let whole = call.result.and_then(|p| body.places[p].as_var());
                        if whole.is_none() || !self.result(call) {
                            return None;
                        }
                        calls += usize::from(call.outcome == CallOutcome::Return);
                    }
                    Stmt::Havoc { place, .. } if is_it(*place) => return None,
                    _ => {}
                }
            }
        }
        Some(calls)
    }

    fn of_value(&self, body: &Body, e: ExprId, stack: &mut Vec<VarId>) -> Option<()> {
        match &body.exprs[e].kind {
            ExprKind::Null | ExprKind::Int(_) | ExprKind::Undef => Some(()),
            ExprKind::Cast(inner) => self.of_value(body, *inner, stack),
            ExprKind::Select(_, a, b) => {
                self.of_value(body, *a, stack)?;
                self.of_value(body, *b, stack)
            }
            ExprKind::Load(place) => {
                stack.push(body.places[*place].as_var()?);
                Some(())
            }
            _ => None,
        }
    }
}

/// May what the caller passed still be in a parameter where it is read as a whole?
fn has_argument(body: &Body, v: VarId) -> bool {
    let there = with_argument(body, v);
    body.edges().values().any(|edge| match &edge.stmt {
        Stmt::Assign { value, .. } => {
            let read = body.loaded(*value).and_then(|p| body.places[p].as_var());
            read == Some(v) && there[edge.from.0 as usize]
        }
        _ => false,
    })
}
