//! Ghosts: the variables in which a body remembers the state and the value of an instance.
//!
//! They are temporaries of the body, named after the rule: `$double-free.state` and
//! `$double-free.value`, with a number behind where there are several. Each state has a variable of its
//! own that is 1 in it and 0 elsewhere (where there is only one beside the initial state, it is
//! called `state`, else `state.freed`): level 1 knows numbers by their bounds, and between 1 and 3 there
//! is 2. No statement of the program
//! reads or writes them, and no report shows them: what has happened to a value is told in the
//! words of the automaton's states.

use super::machine::Machine;
use crate::Rule;
use ir::{
    Base, Body, CompareOp, Condition, Edge, Expr, ExprId, ExprKind, Place, PlaceId, Program, Stmt,
    Type, TypeId, TypeTable, Var, VarId, VarKind, program::SymbolTable,
};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

const STATE: &str = "state";
const VALUE: &str = "value";

const WAS: &str = "was";
const GIVEN: &str = "given";

/// The variables of an instance.
#[derive(Clone)]
pub(super) struct Ghost {
    /// 1 in a state, of every state but the first.
    states: Vec<Slot>,
    /// What they were before the label at hand, for labels that move one state to where another
    /// leaves.
    were: Vec<Slot>,
    /// None: the automaton follows the run, and no value.
    pub value: Option<Slot>,
    /// What the call gives that it waits for, where the program does not look.
    pub given: Option<Slot>,
}

impl Ghost {
    /// The variable of a state, which must not be the first one.
    pub fn state(&self, state: usize) -> Slot {
        self.states[state - 1]
    }

    pub fn was(&self, state: usize) -> Slot {
        self.were[state - 1]
    }

    pub fn states(&self) -> impl Iterator<Item = Slot> + '_ {
        self.states.iter().copied()
    }
}

/// A variable, as a place and as a value.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub place: PlaceId,
    pub load: ExprId,
    pub ty: TypeId,
}

/// Makes the expressions of woven statements in a body.
pub(crate) struct Maker<'a> {
    pub types: &'a TypeTable,
    pub body: &'a mut Body,
    exprs: FxHashMap<Expr, ExprId>,
}

impl<'a> Maker<'a> {
    pub fn new(types: &'a TypeTable, body: &'a mut Body) -> Maker<'a> {
        let exprs = body.exprs.iter().map(|(id, e)| (e.clone(), id)).collect();
        Maker { types, body, exprs }
    }

    /// The ghost of instance number `number` of a rule.
    pub(super) fn ghost(
        &mut self,
        symbols: &mut SymbolTable,
        rule: &str,
        number: usize,
        machine: &Machine,
        value: Option<TypeId>,
        given: Option<TypeId>,
    ) -> Ghost {
        let mut variable = |part: &str, ty: TypeId| self.slot(symbols, rule, part, number, ty);
        let named = |part: &str, name: &str| match machine.named {
            false => part.to_string(),
            true => format!("{part}.{name}"),
        };
        let others = || machine.states.iter().skip(1);
        let states = others()
            .map(|state| variable(&named(STATE, state), TypeId::I32))
            .collect();
        let were = match (0..machine.effects.len()).any(|label| machine.shifts(label)) {
            true => others()
                .map(|state| variable(&named(WAS, state), TypeId::I32))
                .collect(),
            false => Vec::new(),
        };
        let value = value.map(|ty| variable(VALUE, ty));
        let given = given.map(|ty| variable(GIVEN, ty));
        Ghost {
            states,
            were,
            value,
            given,
        }
    }

    fn slot(
        &mut self,
        symbols: &mut SymbolTable,
        rule: &str,
        part: &str,
        number: usize,
        ty: TypeId,
    ) -> Slot {
        let name = match number {
            0 => format!("${rule}.{part}"),
            n => format!("${rule}.{part}.{n}"),
        };
        let var = self.body.vars.push(Var {
            name: symbols.intern(&name),
            ty,
            kind: VarKind::Temp,
            address_taken: false,
        });
        let place = self.body.places.push(Place {
            base: Base::Var(var),
            projections: smallvec![],
            ty,
        });
        let load = self.expr(ExprKind::Load(place), ty);
        Slot { place, load, ty }
    }

    /// The flag of a state, for whoever needs no more than that.
    pub fn state(&mut self, symbols: &mut SymbolTable, rule: &str, number: usize) -> Slot {
        self.slot(symbols, rule, STATE, number, TypeId::I32)
    }

    /// Where the result of a call goes that nobody else looks at.
    pub(super) fn given(
        &mut self,
        symbols: &mut SymbolTable,
        rule: &str,
        number: usize,
        ty: TypeId,
    ) -> Slot {
        self.slot(symbols, rule, GIVEN, number, ty)
    }

    /// A value to be remembered, likewise.
    pub fn remembered(
        &mut self,
        symbols: &mut SymbolTable,
        rule: &str,
        number: usize,
        ty: TypeId,
    ) -> Slot {
        self.slot(symbols, rule, VALUE, number, ty)
    }

    pub fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        let expr = Expr { kind, ty };
        if let Some(&id) = self.exprs.get(&expr) {
            return id;
        }
        let id = self.body.exprs.push(expr.clone());
        self.exprs.insert(expr, id);
        id
    }

    /// The place that a variable is.
    pub fn variable(&mut self, v: VarId) -> PlaceId {
        let is_it = |(_, place): &(PlaceId, &Place)| place.as_var() == Some(v);
        let known = self.body.places.iter().find(is_it).map(|(place, _)| place);
        match known {
            Some(place) => place,
            None => self.body.places.push(Place {
                base: Base::Var(v),
                projections: smallvec![],
                ty: self.body.vars[v].ty,
            }),
        }
    }

    pub fn load(&mut self, place: PlaceId) -> ExprId {
        let ty = self.body.places[place].ty;
        self.expr(ExprKind::Load(place), ty)
    }

    pub fn type_of(&self, e: ExprId) -> TypeId {
        self.body.exprs[e].ty
    }

    /// 1 for being in a state, 0 for not.
    pub fn flag(&mut self, is: bool) -> ExprId {
        self.expr(ExprKind::Int(u128::from(is)), TypeId::I32)
    }

    /// Is the flag set?
    pub fn is_set(&mut self, flag: Slot) -> ExprId {
        let one = self.flag(true);
        self.compare(CompareOp::Eq, flag.load, one)
    }

    pub fn truth(&mut self, value: bool) -> ExprId {
        self.expr(ExprKind::Int(u128::from(value)), TypeId::BOOL)
    }

    /// Zero or null.
    pub fn zero(&mut self, ty: TypeId) -> ExprId {
        match self.types.is_pointer(ty) {
            true => self.expr(ExprKind::Null, ty),
            false => self.expr(ExprKind::Int(0), ty),
        }
    }

    pub fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprId {
        self.expr(ExprKind::Compare(op, a, b), TypeId::BOOL)
    }

    pub fn select(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.type_of(a);
        self.expr(ExprKind::Select(c, a, b), ty)
    }

    /// The value at the type of the ghost that is compared with it.
    pub fn converted(&mut self, e: ExprId, ty: TypeId) -> ExprId {
        match self.type_of(e) == ty {
            true => e,
            false => self.expr(ExprKind::Cast(e), ty),
        }
    }
}

/// The type at which values are followed; none if such values are not.
pub(super) fn followed_type(types: &TypeTable, ty: TypeId) -> Option<TypeId> {
    match types.lookup(ty)? {
        Type::Pointer(_) => Some(TypeId::VOID_PTR),
        Type::Int { width, .. } if *width <= 64 => Some(ty),
        _ => None,
    }
}

/// What a ghost is for, by its name.
fn part<'p>(program: &'p Program, body: &Body, v: VarId) -> Option<(&'p str, &'p str)> {
    let var = body.vars.get(v).filter(|v| v.kind == VarKind::Temp)?;
    let mut parts = program.name(var.name).strip_prefix('$')?.split('.');
    let (rule, part) = (parts.next()?, parts.next()?);
    [STATE, VALUE, WAS, GIVEN]
        .contains(&part)
        .then_some((rule, part))
}

/// Is it what a ghost is called?
pub(crate) fn is_ghost_name(name: &str) -> bool {
    let mut parts = name.strip_prefix('$').unwrap_or("").split('.').skip(1);
    parts
        .next()
        .is_some_and(|part| [STATE, VALUE, WAS, GIVEN].contains(&part))
}

pub(crate) fn is_ghost(program: &Program, body: &Body, place: PlaceId) -> bool {
    let var = body.places.get(place).and_then(Place::as_var);
    var.is_some_and(|v| part(program, body, v).is_some())
}

/// Is the expression the value of a ghost, conversions apart?
fn loads_ghost(program: &Program, body: &Body, e: ExprId) -> bool {
    body.loaded(e).is_some_and(|p| is_ghost(program, body, p))
}

/// Was the statement put in by an automaton, rather than written by anybody?
pub fn is_woven(program: &Program, body: &Body, edge: &Edge) -> bool {
    match edge.stmt {
        Stmt::Assign { place, .. } => is_ghost(program, body, place),
        Stmt::Assume(e) => match body.exprs.get(e).map(|e| &e.kind) {
            Some(ExprKind::Compare(_, _, b)) if loads_ghost(program, body, *b) => true,
            _ => decides_start(program, body, edge),
        },
        _ => false,
    }
}

/// Does the condition only look at a state, and at no value?
pub fn is_woven_check(program: &Program, body: &Body, condition: &Condition) -> bool {
    let Condition::Holds(e) = *condition else {
        return false;
    };
    let kind = |e: ExprId| body.exprs.get(e).map(|e| &e.kind);
    let (c, then) = match kind(e) {
        Some(ExprKind::Select(c, then, _)) => (c, then),
        // Where the label speaks of no value.
        Some(ExprKind::Compare(_, a, _)) => return loads_ghost(program, body, *a),
        _ => return false,
    };
    match (kind(*c), kind(*then)) {
        (Some(ExprKind::Compare(_, a, _)), Some(ExprKind::Int(_))) => {
            loads_ghost(program, body, *a)
        }
        _ => false,
    }
}

/// Is this the branch on what a call gave, behind which a value is followed or not?
fn decides_start(program: &Program, body: &Body, edge: &Edge) -> bool {
    let mut next = body.out_edges(edge.to);
    match (next.next().map(|(_, e)| &e.stmt), next.next()) {
        (Some(Stmt::Assign { place, .. }), None) => {
            let var = body.places.get(*place).and_then(Place::as_var);
            let part = var.and_then(|v| part(program, body, v));
            part.is_some_and(|(_, part)| part == STATE)
        }
        _ => false,
    }
}

/// What an automaton says that a woven statement does to a value: the value, and words to be said
/// behind its name. None if there is nothing to say.
pub fn told(program: &Program, body: &Body, stmt: &Stmt) -> Option<(Option<ExprId>, &'static str)> {
    let Stmt::Assign { place, value } = *stmt else {
        return None;
    };
    let state = body.places.get(place)?.as_var()?;
    let (rule, STATE) = part(program, body, state)? else {
        return None;
    };
    if !sets(body, value) {
        return None;
    }
    let rule: &dyn Rule = crate::find(rule)?;
    let of = |v: VarId| program.name(body.vars[v].name);
    // `$rule.state.3` or `$rule.state.freed.3`: the state, and the number of the instance.
    let behind: Vec<&str> = of(state).split('.').skip(2).collect();
    let named = behind.first().filter(|name| !is_number(name));
    let automata = rule.automata().iter();
    let mut reached = automata.filter_map(|a| match named {
        Some(name) => a.states.iter().find(|s| s.name == *name),
        None => a.states.get(1),
    });
    let words = reached.find(|s| !s.told.is_empty()).map(|s| s.told);
    let words = words.or_else(|| rule.owns().first().map(|o| o.told))?;
    Some((value_of(program, body, state), words))
}

fn is_number(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit())
}

/// The value that a check of an automaton is about: the one that its statement speaks of, or, where that speaks of none, the one
/// that is followed.
pub fn followed(program: &Program, body: &Body, condition: &Condition) -> Option<ExprId> {
    if let Some(value) = subject(program, body, condition) {
        return Some(value);
    }
    let Condition::Holds(e) = *condition else {
        return None;
    };
    let mut pending = vec![e];
    while let Some(e) = pending.pop() {
        match body.exprs.get(e)?.kind {
            ExprKind::Select(c, then, _) => pending.extend([then, c]),
            ExprKind::Compare(_, a, _) if loads_ghost(program, body, a) => {
                let state = body.places.get(body.loaded(a)?)?.as_var()?;
                return value_of(program, body, state);
            }
            _ => {}
        }
    }
    None
}

/// The value of the instance whose state this is.
fn value_of(program: &Program, body: &Body, state: VarId) -> Option<ExprId> {
    let of = |v: VarId| program.name(body.vars[v].name);
    let number = of(state).split('.').skip(2).last();
    let number = number.filter(|n| is_number(n));
    let twin = |name: &str| {
        let mut parts = name.split('.');
        let first = of(state).split('.').next();
        parts.next() == first && parts.next() == Some(VALUE) && parts.next() == number
    };
    let mut exprs = body.exprs.iter();
    let found = exprs.find(|(_, e)| match e.kind {
        ExprKind::Load(p) => {
            let var = body.places.get(p).and_then(Place::as_var);
            var.is_some_and(|v| twin(of(v)))
        }
        _ => false,
    });
    found.map(|(e, _)| e)
}

/// What was lost where a check of a leak fails: what a person calls the variable that had it.
pub fn lost(program: &Program, body: &Body, condition: &Condition) -> Option<ExprId> {
    if !is_woven_check(program, body, condition) {
        return None;
    }
    let Condition::Holds(e) = *condition else {
        return None;
    };
    let ExprKind::Select(c, ..) = body.exprs.get(e)?.kind else {
        return None;
    };
    let ExprKind::Compare(_, flag, _) = body.exprs.get(c)?.kind else {
        return None;
    };
    let state = body.places.get(body.loaded(flag)?)?.as_var()?;
    let value = body.loaded(value_of(program, body, state)?)?;
    let mut sources = body.edges().values().filter_map(|edge| match edge.stmt {
        Stmt::Assign { place, value: from } if place == value => body.loaded(from),
        _ => None,
    });
    let from = sources.next()?;
    let kind = |p: PlaceId| {
        body.places
            .get(p)?
            .as_var()
            .and_then(|v| Some(body.vars.get(v)?.kind))
    };
    let named = match kind(from) {
        // It has the name of where it is put from there.
        Some(VarKind::Temp) => body.edges().values().find_map(|edge| match edge.stmt {
            Stmt::Assign { place, value } => {
                let copy = body.loaded(value) == Some(from);
                (copy && kind(place).is_some_and(|k| k != VarKind::Temp)).then_some(place)
            }
            _ => None,
        }),
        _ => None,
    };
    let place = named.unwrap_or(from);
    let mut exprs = body.exprs.iter();
    exprs
        .find(|(_, e)| e.kind == ExprKind::Load(place))
        .map(|(e, _)| e)
}

/// Does the value of a flag say that a state is entered, where something happens?
fn sets(body: &Body, value: ExprId) -> bool {
    match body.exprs.get(value).map(|e| &e.kind) {
        Some(ExprKind::Int(flag)) => *flag == 1,
        Some(ExprKind::Select(_, then, _)) => sets(body, *then),
        _ => false,
    }
}

/// The value that a woven check speaks of, without the conversions around it.
pub fn subject(program: &Program, body: &Body, condition: &Condition) -> Option<ExprId> {
    let Condition::Holds(mut e) = *condition else {
        return None;
    };
    let mut woven = false;
    loop {
        match body.exprs.get(e)?.kind {
            // `state == s ? … : true`, and a conjunction of such.
            ExprKind::Select(c, then, _) => {
                if let ExprKind::Select(..) = body.exprs.get(c)?.kind {
                    e = c;
                    continue;
                }
                if let ExprKind::Compare(_, a, _) = body.exprs.get(c)?.kind {
                    woven |= loads_ghost(program, body, a);
                }
                e = then;
            }
            ExprKind::Compare(CompareOp::Ne, a, b) if woven && loads_ghost(program, body, b) => {
                return Some(bare(body, a));
            }
            ExprKind::Int(0) if woven => return lost(program, body, condition),
            _ => return None,
        }
    }
}

fn bare(body: &Body, mut e: ExprId) -> ExprId {
    while let Some(ExprKind::Cast(inner)) = body.exprs.get(e).map(|e| &e.kind) {
        e = *inner;
    }
    e
}
