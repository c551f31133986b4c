//! What becomes of what a function is handed: is it only looked at, is it released, may somebody keep it?
//!
//! Within one body that is asked without the order of its statements: from a parameter, which variables may come to hold it, and
//! what is done with those ([`Local`])? What they are handed on to is a graph of parameters of functions, and the answer is
//! what can be reached in it. Of one that is not in view, the library's list knows ([`super::library`]), or nobody: then it is kept.
//!
//! Behind a pointer there may be what is owned: `free_all(&list)`. So it can also be asked of all that can be read through it
//! (*deep*): then whatever is changed there counts as kept.

use super::library;
use super::value::{Carry, Values};
use ir::{
    Base, Body, Call, Callee, ExprId, ExprKind, FuncId, PlaceId, Program, Stmt, TypeId, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::RwLock;

/// What may become of it, on some way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// It may be stored where it outlives the call, or nobody knows.
    pub kept: bool,
    pub released: bool,
    /// It may be a part of the result.
    pub returned: bool,
}

/// A parameter: of which function, which one, and whether with all that is behind it.
type Param = (FuncId, usize, bool);

#[derive(Clone, Debug, Default)]
struct Local {
    fate: Fate,
    /// Whom it is handed on to, and whether something is made of the result.
    passed: Vec<(Param, bool)>,
}

pub struct Fates<'a> {
    program: &'a Program,
    releases: FxHashSet<FuncId>,
    locals: RwLock<FxHashMap<Param, Local>>,
    known: RwLock<FxHashMap<Param, Fate>>,
}

/// So many parameters are looked at for one answer; who hands on to more may do anything.
const REACHED: usize = 200;

impl<'a> Fates<'a> {
    pub fn of(program: &'a Program, releases: &[&str]) -> Fates<'a> {
        let all = program.functions.iter();
        let releases = all
            .filter(|(_, f)| f.body.is_none() && releases.contains(&program.name(f.name)))
            .map(|(id, _)| id);
        Fates {
            program,
            releases: releases.collect(),
            locals: RwLock::default(),
            known: RwLock::default(),
        }
    }

    /// What may become of an argument of a call.
    pub fn of_argument(&self, body: &Body, call: &Call, position: usize, deep: bool) -> Fate {
        match callee(body, call) {
            Some(f) => self.of_param((f, position, deep)),
            None => Fate {
                kept: true,
                ..Fate::default()
            },
        }
    }

    fn of_param(&self, param: Param) -> Fate {
        if let Ok(known) = self.known.read()
            && let Some(fate) = known.get(&param)
        {
            return *fate;
        }
        let mut fate = Fate::default();
        let mut seen: FxHashSet<Param> = FxHashSet::default();
        let mut stack = vec![param];
        seen.insert(param);
        while let Some(at) = stack.pop() {
            let local = self.local(at);
            fate.kept |= local.fate.kept;
            fate.released |= local.fate.released;
            if at == param {
                fate.returned |= local.fate.returned;
            }
            for (to, result) in local.passed {
                // What comes back from there goes where nobody follows it.
                if result && self.returns(to) {
                    fate.kept = true;
                    fate.returned |= at == param;
                }
                if seen.insert(to) {
                    stack.push(to);
                }
            }
            if seen.len() > REACHED {
                fate.kept = true;
                break;
            }
        }
        if let Ok(mut known) = self.known.write() {
            known.insert(param, fate);
        }
        fate
    }

    /// May it be a part of the result?
    fn returns(&self, param: Param) -> bool {
        let mut seen: FxHashSet<Param> = FxHashSet::default();
        let mut stack = vec![param];
        while let Some(at) = stack.pop() {
            if !seen.insert(at) {
                continue;
            }
            let local = self.local(at);
            if local.fate.returned || seen.len() > REACHED {
                return true;
            }
            stack.extend(local.passed.iter().filter(|(_, r)| *r).map(|(to, _)| *to));
        }
        false
    }

    fn local(&self, param: Param) -> Local {
        if let Ok(locals) = self.locals.read()
            && let Some(local) = locals.get(&param)
        {
            return local.clone();
        }
        let local = self.look(param);
        if let Ok(mut locals) = self.locals.write() {
            locals.insert(param, local.clone());
        }
        local
    }

    fn look(&self, (f, position, deep): Param) -> Local {
        let mut local = Local::default();
        let Some(function) = self.program.functions.get(f) else {
            local.fate.kept = true;
            return local;
        };
        let Some(body) = &function.body else {
            let name = self.program.name(function.name);
            match (self.releases.contains(&f), deep) {
                _ if function.noreturn => {}
                (true, _) => local.fate.released = true,
                _ if library::keeps(name, position) => local.fate.kept = true,
                (_, true) => local.fate.kept = !library::only_reads(name),
                (_, false) => local.fate.kept = !library::only_borrows(name),
            }
            return local;
        };
        let Some(param) = body.params.get(position) else {
            local.fate.kept = true;
            return local;
        };
        let types = &self.program.types;
        // What is owned may be a number, and it may stand behind the pointer.
        let ty = body.vars[*param].ty;
        let behind = types.pointee(ty).filter(|_| deep).unwrap_or(ty);
        let unknown = deep && behind == TypeId::VOID;
        let numbers = unknown || [ty, behind].iter().any(|ty| types.as_int(*ty).is_some());
        let mut values = Values::new(types, &self.program.symbols, body, numbers);
        values.deep = deep;
        let mut look = Look {
            fates: self,
            body,
            values: &values,
            held: vec![false; body.vars.len()],
            param: *param,
            arguments: with_argument(body, *param),
            here: true,
            local,
        };
        look.all();
        look.local
    }
}

/// Who is called: by name, or through a local variable that is only ever this function.
pub(super) fn callee(body: &Body, call: &Call) -> Option<FuncId> {
    let e = match call.callee {
        Callee::Direct(f) => return Some(f),
        Callee::Indirect(e) => e,
    };
    let v = body.places[body.loaded(e)?].as_var()?;
    if body.vars[v].address_taken || body.params.contains(&v) {
        return None;
    }
    let is_it = |p: PlaceId| matches!(body.places[p].base, Base::Var(w) if w == v);
    let mut found = None;
    for edge in body.edges().values() {
        match &edge.stmt {
            Stmt::Assign { place, value } if is_it(*place) => match body.exprs[*value].kind {
                ExprKind::Function(f) if found.is_none_or(|g| g == f) => found = Some(f),
                _ => return None,
            },
            Stmt::Havoc { place, .. } if is_it(*place) => return None,
            Stmt::Call(call) if call.result.is_some_and(is_it) => return None,
            _ => {}
        }
    }
    found
}

/// One body, and what comes to hold the parameter.
struct Look<'a> {
    fates: &'a Fates<'a>,
    body: &'a Body,
    values: &'a Values<'a>,
    held: Vec<bool>,
    param: VarId,
    /// The nodes at which the parameter may still hold what the caller passed.
    arguments: Vec<bool>,
    /// Does it at the statement at hand?
    here: bool,
    local: Local,
}

/// The nodes to which a way leads on which a parameter is not written as a whole.
pub(super) fn with_argument(body: &Body, param: VarId) -> Vec<bool> {
    let is_it = |p: PlaceId| body.places[p].as_var() == Some(param);
    let mut seen = vec![false; body.node_count as usize];
    let mut stack = vec![body.entry];
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node.0 as usize], true) {
            continue;
        }
        for (_, edge) in body.out_edges(node) {
            let written = match &edge.stmt {
                Stmt::Assign { place, .. } => is_it(*place),
                Stmt::Call(call) => call.result.is_some_and(is_it),
                _ => false,
            };
            if !written || body.vars[param].address_taken {
                stack.push(edge.to);
            }
        }
    }
    seen
}

impl Look<'_> {
    fn all(&mut self) {
        loop {
            let before = self.held.clone();
            self.local.passed.clear();
            for edge in self.body.edges().values() {
                self.here = self.arguments[edge.from.0 as usize];
                self.statement(&edge.stmt);
                // What is kept cannot become more so.
                if self.local.fate.kept && self.local.fate.returned {
                    return;
                }
            }
            if self.held == before {
                return;
            }
        }
    }

    fn carries(&self, e: ExprId) -> Carry {
        self.values.carries(e, &|v| self.holds(v))
    }

    fn holds(&self, v: VarId) -> bool {
        self.held[v.0 as usize] || v == self.param && self.here
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign { place, value } => {
                let carry = self.carries(*value);
                self.stored(*place, carry);
            }
            Stmt::Copy { target, source, .. } => {
                let deep = self.values.deep;
                let (to, from) = (self.carries(*target), self.carries(*source));
                self.local.fate.kept |= from == Carry::Address || deep && from.max(to) != Carry::No;
            }
            Stmt::Fill { target, .. } => {
                self.local.fate.kept |= self.values.deep && self.carries(*target) == Carry::Value;
            }
            Stmt::Havoc { place, .. } => self.changed(*place),
            Stmt::Call(call) => self.call(call),
            Stmt::Resume(e) => self.local.fate.kept |= self.carries(*e) != Carry::No,
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let mut given_back = Carry::No;
        for (i, arg) in call.args.iter().enumerate() {
            let carry = self.carries(*arg);
            if carry == Carry::No {
                continue;
            }
            let Some(f) = callee(self.body, call) else {
                self.local.fate.kept = true;
                continue;
            };
            let deep = self.values.deep || carry == Carry::Address;
            let function = &self.fates.program.functions[f];
            if function.body.is_none() {
                let name = self.fates.program.name(function.name);
                if library::gives_back(name, i) {
                    given_back = given_back.max(carry);
                }
            }
            let param = ((f, i, deep), call.result.is_some());
            if !self.local.passed.contains(&param) {
                self.local.passed.push(param);
            }
        }
        if let Some(result) = call.result {
            self.stored(result, given_back);
        }
    }

    fn stored(&mut self, place: PlaceId, carry: Carry) {
        if carry == Carry::No {
            return self.changed(place);
        }
        if carry == Carry::Address {
            self.local.fate.kept = true;
        }
        match self.values.local(place) {
            Some((v, _)) if Some(v) == self.body.ret => self.local.fate.returned = true,
            Some((v, _)) => self.held[v.0 as usize] = true,
            None => {
                let held = |v: VarId| self.holds(v);
                self.local.fate.kept |= self.values.deep || !self.values.is_within(place, &held);
            }
        }
    }

    /// What is behind it is no more what it was.
    fn changed(&mut self, place: PlaceId) {
        let place_ = &self.body.places[place];
        if self.values.deep
            && self.values.can_be(place_.ty)
            && let Base::Deref(p) = place_.base
        {
            self.local.fate.kept |= self.carries(p) != Carry::No;
        }
    }
}
