//! What functions make of states: by all ways from their entry to their exit together.
//!
//! What a function does with what it is handed is known if that is all that it does: every label in it speaks of a
//! parameter, of a field behind one, or of a variable of its own. Then a call of it is a label for these values. Ways on which it is wrong are left
//! out, as everywhere; if no other way comes back, the call is wrong. Of a function that does something to other values, through
//! pointers to functions or in a recursion, it is only known which labels it may come to.
//!
//! An automaton of the run as a whole has no values, and is followed through whatever a function does.

use super::fact::Fact;
use super::grouping::{Group, groups};
use super::matching::Atoms;
use super::naming::{fits, is_own};
use super::{Fate, Labels, Set, Transitions};
use crate::temporal::label::{Outcome, Subject};
use crate::temporal::surely::{Access, access, may_change};
use crate::visit::View;
use ir::arena::Id;
use ir::{Base, Body, Call, Callee, EdgeId, FuncId, NodeId, Place, Program, Stmt};

pub(super) struct Known {
    /// The labels that a function may come to; of unknown functions, those that lead somewhere.
    may: Vec<Labels>,
    /// What a function makes of the states of what it is handed (none: of the run), if that is all that it does.
    through: Vec<Option<Vec<Through>>>,
    /// Functions that end the program.
    ends: Vec<bool>,
    /// All labels that lead somewhere: what nobody knows may do any of it.
    moving: Labels,
}

#[derive(Clone, Debug)]
pub(super) struct Through {
    pub access: Option<Access>,
    /// By state.
    pub fates: Vec<Fate>,
}

/// What a call of a function that the automaton does not name does.
pub(super) enum Does<'a> {
    Nothing,
    Through(&'a [Through]),
    /// Any of these, any number of times.
    AnyOf(Labels),
}

impl Known {
    pub fn of(
        transitions: &Transitions,
        atoms: &Atoms,
        program: &Program,
        harmless: &[String],
        each: bool,
    ) -> Known {
        let moving = transitions.moving();
        let mut known = Known {
            may: may(atoms, program, harmless, moving),
            through: vec![None; program.functions.len()],
            ends: program
                .functions
                .values()
                .map(|f| {
                    let known = || library::function(program.name(f.name));
                    f.noreturn
                        || f.body.is_none() && known().is_some_and(|f| f.comes_back == Some(false))
                })
                .collect(),
            moving,
        };
        for f in callees_first(program, |f| {
            known.may[f.index()] != 0 && !atoms.names(f) && program.functions[f].body.is_some()
        }) {
            let Some(body) = &program.functions[f].body else {
                continue;
            };
            let view = View {
                types: &program.types,
                globals: &program.globals,
                body,
            };
            let walk = Walk {
                transitions,
                known: &known,
                each,
            };
            known.through[f.index()] = walk.function(view, atoms);
        }
        known
    }

    /// Does nothing come behind the statement?
    fn stops(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Call(call) => {
                let ends = |f: FuncId| self.ends.get(f.index()) == Some(&true);
                call.noreturn || matches!(call.callee, Callee::Direct(f) if ends(f))
            }
            _ => false,
        }
    }

    pub fn call(&self, atoms: &Atoms, call: &Call) -> Does<'_> {
        let Callee::Direct(f) = call.callee else {
            return Does::AnyOf(self.moving);
        };
        if atoms.names(f) {
            return Does::Nothing;
        }
        match (self.may.get(f.index()), self.through.get(f.index())) {
            (Some(0), _) => Does::Nothing,
            (_, Some(Some(through))) => Does::Through(through),
            (Some(may), _) => Does::AnyOf(*may),
            _ => Does::AnyOf(self.moving),
        }
    }
}

/// For each function the labels that it may come to: those of calls, and of other statements those that lead anywhere.
fn may(atoms: &Atoms, program: &Program, harmless: &[String], moving: Labels) -> Vec<Labels> {
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); program.functions.len()];
    let mut may: Vec<Labels> = vec![0; program.functions.len()];
    let others = atoms.of_others() & moving;
    for (id, f) in program.functions.iter() {
        let Some(body) = &f.body else {
            let name = program.name(f.name);
            let is_known = library::function(name).is_some_and(|f| f.calls.is_empty());
            let spared = || harmless.iter().any(|pattern| fits(pattern, name));
            if !is_known && !is_own(name) && !spared() {
                may[id.index()] = moving;
            }
            continue;
        };
        let own = &mut may[id.index()];
        *own |= others;
        for edge in body.edges().values() {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            match call.callee {
                Callee::Direct(g) if atoms.names(g) => *own |= atoms.of_function(g),
                Callee::Direct(g) => match callers.get_mut(g.index()) {
                    Some(callers) => callers.push(id.0),
                    None => *own |= moving,
                },
                Callee::Indirect(_) => *own |= moving,
            }
        }
    }
    let mut work: Vec<u32> = (0..may.len() as u32).collect();
    while let Some(f) = work.pop() {
        for &caller in &callers[f as usize] {
            let more = may[caller as usize] | may[f as usize];
            if more != may[caller as usize] {
                may[caller as usize] = more;
                work.push(caller);
            }
        }
    }
    may
}

/// Functions, each behind those that it calls directly, recursions apart.
fn callees_first(program: &Program, wanted: impl Fn(FuncId) -> bool) -> Vec<FuncId> {
    let mut order = Vec::new();
    let mut seen = vec![false; program.functions.len()];
    for root in program.functions.ids() {
        let mut stack = vec![(root, false)];
        while let Some((f, done)) = stack.pop() {
            if done {
                order.push(f);
                continue;
            }
            if !wanted(f) || std::mem::replace(&mut seen[f.index()], true) {
                continue;
            }
            stack.push((f, true));
            let body = program.functions[f].body.as_ref();
            for edge in body.iter().flat_map(|body| body.edges().values()) {
                if let Stmt::Call(call) = &edge.stmt
                    && let Callee::Direct(g) = call.callee
                    && program.functions.get(g).is_some()
                {
                    stack.push((g, false));
                }
            }
        }
    }
    order
}

/// What happens on an edge to what the function was handed.
enum Happens<'a> {
    Group(Group, Option<Access>),
    Through(&'a [Fate], Option<Access>),
    AnyOf(Labels),
}

struct Walk<'a> {
    transitions: &'a Transitions,
    known: &'a Known,
    each: bool,
}

impl Walk<'_> {
    fn function(&self, view: View<'_>, atoms: &Atoms) -> Option<Vec<Through>> {
        let body = view.body;
        let mut edges = Vec::with_capacity(body.edges().len());
        let mut accesses: Vec<Option<Access>> = match self.each {
            true => Vec::new(),
            false => vec![None],
        };
        for at in 0..body.edges().len() {
            let happens = self.edge(view, atoms, at)?;
            for one in &happens {
                let (Happens::Group(_, access) | Happens::Through(_, access)) = one else {
                    continue;
                };
                if self.each && access.is_some() && !accesses.contains(access) {
                    accesses.push(access.clone());
                }
            }
            edges.push(happens);
        }
        let through = accesses.into_iter().map(|access| {
            if let Some(access) = access.as_ref().filter(|a| a.is_content()) {
                let mut all = body.edges().values();
                if all.any(|edge| may_change(body, &edge.stmt, access)) {
                    return None;
                }
            }
            let states = self.transitions.states();
            let fates = states.map(|state| self.fate(body, &edges, &access, state));
            Some(Through {
                fates: fates.collect(),
                access,
            })
        });
        through.collect()
    }

    /// None: something happens to values of which nothing is known.
    fn edge<'s>(&'s self, view: View<'_>, atoms: &Atoms, at: usize) -> Option<Vec<Happens<'s>>> {
        let body = view.body;
        let mut hits = atoms.hits(view, at, false, None);
        hits.retain(|hit| atoms.local_labels() >> hit.label & 1 == 0);
        let mut all = Vec::new();
        for group in groups(&hits) {
            let moves = group.labels & self.known.moving != 0;
            match self.each {
                false => all.push(Happens::Group(group, None)),
                true => match handed(body, group.value) {
                    Whose::Handed(access) => all.push(Happens::Group(group, Some(access))),
                    Whose::Own => {}
                    Whose::Unknown if moves => return None,
                    Whose::Unknown => {}
                },
            }
        }
        let edge = body.edges().get(EdgeId::from_index(at))?;
        if let Stmt::Call(call) = &edge.stmt {
            match self.known.call(atoms, call) {
                Does::Nothing => {}
                Does::AnyOf(_) if self.each => return None,
                Does::AnyOf(labels) => all.push(Happens::AnyOf(labels)),
                Does::Through(through) => {
                    for one in through {
                        let Some(inner) = &one.access else {
                            all.push(Happens::Through(&one.fates, None));
                            continue;
                        };
                        match inner.outer(body, call) {
                            Whose::Handed(outer) => {
                                all.push(Happens::Through(&one.fates, Some(outer)));
                            }
                            Whose::Own => {}
                            Whose::Unknown => return None,
                        }
                    }
                }
            }
        }
        Some(all)
    }

    /// What becomes of a state from the entry to the exit.
    fn fate(
        &self,
        body: &Body,
        edges: &[Vec<Happens<'_>>],
        access: &Option<Access>,
        state: usize,
    ) -> Fate {
        let mut facts: Vec<Option<Fact>> = vec![None; body.node_count as usize];
        let mut work: Vec<NodeId> = vec![body.entry];
        facts[body.entry.index()] = Some(Fact::of(1 << state));
        let mut wrong = None;
        while let Some(node) = work.pop() {
            if node == body.exit {
                continue;
            }
            let Some(before) = facts[node.index()].clone() else {
                continue;
            };
            for (id, edge) in body.out_edges(node) {
                let mut fact = before.clone();
                fact.pass(body, &edge.stmt);
                for one in &edges[id.index()] {
                    if let Some(which) = self.happens(&mut fact, body, &edge.stmt, one, access) {
                        wrong = wrong.or(Some(which));
                    }
                }
                if fact.set() == 0 || self.known.stops(&edge.stmt) {
                    continue;
                }
                let to = &mut facts[edge.to.index()];
                let joined = match &*to {
                    None => fact,
                    Some(old) => old.join(&fact),
                };
                if to.as_ref() != Some(&joined) {
                    *to = Some(joined);
                    work.push(edge.to);
                }
            }
        }
        let left = facts[body.exit.index()].as_ref().map_or(0, Fact::set);
        match (left, wrong) {
            (0, Some(which)) => Fate::Error(which),
            // It never comes back.
            (0, None) => Fate::States(1 << state),
            (set, _) => Fate::States(set),
        }
    }

    /// What one thing makes of what is known; which error it is, if it is one whatever was before.
    fn happens(
        &self,
        fact: &mut Fact,
        body: &Body,
        stmt: &Stmt,
        one: &Happens<'_>,
        access: &Option<Access>,
    ) -> Option<u32> {
        let (of, outcome) = match one {
            Happens::AnyOf(labels) => {
                fact.each(|set| self.transitions.closure(set, *labels));
                return None;
            }
            Happens::Group(group, of) => (of, group.outcome),
            Happens::Through(_, of) => (of, Outcome::Any),
        };
        let same = of == access;
        let apart = match (of, access) {
            (Some(a), Some(b)) => a.param == b.param && a.address == b.address,
            _ => false,
        };
        if !same && apart {
            return None;
        }
        let mut wrong = None;
        let step = |set: Set| {
            let fate = match one {
                Happens::Group(group, _) => self.transitions.step(set, group.labels),
                Happens::Through(fates, _) => self.transitions.each(set, |state| fates[state]),
                Happens::AnyOf(_) => return set,
            };
            match fate {
                Fate::States(to) if same => to,
                Fate::States(to) => set | to,
                Fate::Error(which) if same => {
                    wrong = wrong.or(Some(which));
                    0
                }
                Fate::Error(_) => set,
            }
        };
        fact.step(body, stmt, outcome, step);
        wrong
    }
}

/// Who knows a value.
pub(super) enum Whose {
    /// The caller, by what it hands over.
    Handed(Access),
    /// Nobody but the function: it has made it, or it is where a variable of it is.
    Own,
    Unknown,
}

fn handed(body: &Body, value: Option<Subject>) -> Whose {
    match value {
        Some(Subject::Expr(e)) => match access(body, e) {
            Some(access) => Whose::Handed(access),
            None if is_local(body, e) => Whose::Own,
            None => Whose::Unknown,
        },
        // What a call has given is new.
        Some(Subject::Content(place)) => match body.places.get(place).and_then(Place::as_var) {
            Some(_) => Whose::Own,
            None => Whose::Unknown,
        },
        None => Whose::Unknown,
    }
}

/// Is it the address of a variable of the function?
fn is_local(body: &Body, e: ir::ExprId) -> bool {
    let is_var = |p: ir::PlaceId| matches!(body.places[p].base, Base::Var(_));
    let mut e = e;
    loop {
        match body.exprs[e].kind {
            ir::ExprKind::Cast(inner) => e = inner,
            ir::ExprKind::AddrOf(place) => return is_var(place),
            _ => return false,
        }
    }
}

impl Access {
    /// What it is in a function that calls, of what that was handed itself.
    fn outer(&self, body: &Body, call: &Call) -> Whose {
        let Some(arg) = call.args.get(self.param) else {
            return Whose::Unknown;
        };
        match (access(body, *arg), &self.fields) {
            (Some(outer), None) => Whose::Handed(outer),
            (Some(outer), Some(_)) if outer.fields.is_none() => Whose::Handed(Access {
                param: outer.param,
                ..self.clone()
            }),
            (None, _) if is_local(body, *arg) => Whose::Own,
            _ => Whose::Unknown,
        }
    }
}
