//! The machine of one body: the sets of states that its statements lead to.

use super::grouping::groups;
use super::summary::{Does, Through};
use super::{Fate, Labels, Possible, Set};
use crate::temporal::label::{Outcome, Site, Subject, Valid};
use crate::temporal::machine::{Effect, Entry, Machine, Next};
use crate::visit::{View, Visitor};
use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{Base, Body, Edge, ExprId, ExprKind, Place, Stmt, VarId};

/// Sets that a body may need. Beyond, nothing is known.
const SETS: usize = 60;

/// Nobody but this body has met it: its life began here, and its address is nowhere else.
const NEW: Set = 1 << 63;

/// What a site does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Labels {
        labels: Labels,
        leaves: bool,
    },
    Through(Vec<Fate>),
    AnyOf(Labels),
    /// Its life begins.
    Begins,
    /// Others may know it from here on.
    Shown,
}

pub(super) fn machine(
    possible: &Possible,
    view: View<'_>,
    is_main: bool,
    visitor: &mut Visitor,
) -> (Machine, Vec<Site>) {
    let body = view.body;
    let mut building = Building {
        possible,
        kinds: Vec::new(),
        sites: Vec::new(),
        names: Vec::new(),
        sets: Vec::new(),
    };
    for (at, edge) in body.edges().as_slice().iter().enumerate() {
        building.edge(view, at, edge, is_main, visitor);
    }
    if possible.each {
        building.lives(body);
    }
    building.finish(is_main)
}

struct Building<'a> {
    possible: &'a Possible,
    /// What sites do: a label of the machine each.
    kinds: Vec<Kind>,
    sites: Vec<Site>,
    names: Vec<String>,
    /// The states of the machine.
    sets: Vec<Set>,
}

impl Building<'_> {
    fn site(
        &mut self,
        edge: usize,
        does: Kind,
        value: Option<Subject>,
        after: bool,
        outcome: Outcome,
    ) {
        let label = match self.kinds.iter().position(|kind| *kind == does) {
            Some(label) => label,
            None => {
                self.kinds.push(does);
                self.kinds.len() - 1
            }
        };
        let site = Site {
            edge,
            label,
            value,
            after,
            outcome,
        };
        if !self.sites.contains(&site) {
            self.sites.push(site);
        }
    }

    fn edge(
        &mut self,
        view: View<'_>,
        at: usize,
        edge: &Edge,
        is_main: bool,
        visitor: &mut Visitor,
    ) {
        let Possible { atoms, known, .. } = self.possible;
        let hits = atoms.hits(view, at, is_main, Some(visitor));
        for group in groups(&hits) {
            let does = Kind::Labels {
                labels: group.labels,
                leaves: group.leaves,
            };
            self.site(group.edge, does, group.value, group.after, group.outcome);
        }
        let Stmt::Call(call) = &edge.stmt else {
            return;
        };
        match known.call(atoms, call) {
            Does::Nothing => {}
            Does::AnyOf(labels) => {
                self.site(at, Kind::AnyOf(labels), None, false, Outcome::Any);
            }
            Does::Through(through) => {
                for Through { access, fates } in through {
                    let value = match access {
                        None => None,
                        Some(access) => match access.value(view.body, call) {
                            Some(value) => Some(value),
                            None => continue,
                        },
                    };
                    let does = Kind::Through(fates.clone());
                    self.site(at, does, value, false, Outcome::Any);
                }
            }
        }
    }

    /// Variables of the body whose addresses are followed: where they begin, and where others get to know them.
    fn lives(&mut self, body: &Body) {
        let mut followed: Vec<(ExprId, VarId)> = Vec::new();
        for site in &self.sites {
            if let Some(Subject::Expr(e)) = site.value
                && let Some(v) = variable_at(body, e)
                && !body.params.contains(&v)
                && !followed.iter().any(|(known, _)| *known == e)
            {
                followed.push((e, v));
            }
        }
        for (e, v) in followed {
            let value = Some(Subject::Expr(e));
            for (at, edge) in body.edges().as_slice().iter().enumerate() {
                if matches!(edge.stmt, Stmt::Declare(w) if w == v) {
                    self.site(at, Kind::Begins, value, true, Outcome::Any);
                    continue;
                }
                let spoken = |s: &Site| {
                    let same = |w: Subject| matches!(w, Subject::Expr(w) if variable_at(body, w) == Some(v));
                    s.edge == at && s.value.is_some_and(same)
                };
                let looks = matches!(
                    edge.stmt,
                    Stmt::Fill { .. } | Stmt::Check(_) | Stmt::Assume(_)
                );
                if !looks && !self.sites.iter().any(spoken) && shows(body, &edge.stmt, v) {
                    self.site(at, Kind::Shown, value, false, Outcome::Any);
                }
            }
        }
    }

    /// The number of a set.
    fn state(&mut self, set: Set) -> usize {
        let unknown = usize::from(!self.possible.each);
        if set == self.possible.transitions.all() {
            return unknown;
        }
        if let Some(at) = self.sets.iter().position(|known| *known == set) {
            return at;
        }
        if self.sets.len() == SETS {
            return unknown;
        }
        let of = |state: usize| self.possible.names.get(state).copied().unwrap_or("");
        let members = (0..self.possible.names.len()).filter(|s| set >> s & 1 == 1);
        let mut name = members.map(of).collect::<Vec<_>>().join("+");
        if set & NEW != 0 {
            name.push('*');
        }
        self.names.push(name);
        self.sets.push(set);
        self.sets.len() - 1
    }

    fn finish(mut self, is_main: bool) -> (Machine, Vec<Site>) {
        let Possible {
            transitions, each, ..
        } = self.possible;
        let all = transitions.all();
        // State 0 is where nothing is noted: nothing is known of a value. A run is always in a state.
        self.names.push(String::new());
        self.sets.push(if *each { all } else { 0 });
        if !each {
            self.names.push("any".to_string());
            self.sets.push(all);
        } else if self.wrong_anywhere(all) {
            // A flag for what is wrong whatever was before.
            self.names.push("*".to_string());
            self.sets.push(0);
        }
        let mut entries = Vec::new();
        if !each {
            let state = match is_main {
                true => self.state(1),
                false => 1,
            };
            entries.push(Entry { value: None, state });
        }
        let mut next: Vec<Vec<Option<Next>>> = vec![Vec::new(); self.kinds.len()];
        let mut at = 0;
        while at < self.sets.len() {
            for (kind, next) in next.iter_mut().enumerate() {
                let to = match self.sets[at] {
                    0 => None,
                    set => self.next(set, kind),
                };
                next.push(to.filter(|to| *to != Next::State(at)));
            }
            at += 1;
        }
        let effect = |(kind, next): (&Kind, Vec<Option<Next>>)| Effect {
            next,
            valid: match kind {
                Kind::Begins => Valid::Always,
                _ => self.possible.atoms.valid,
            },
            leaves: matches!(kind, Kind::Labels { leaves: true, .. }),
            vague: matches!(kind, Kind::AnyOf(_) | Kind::Shown),
        };
        let effects = self.kinds.iter().zip(next).map(effect).collect();
        let machine = Machine {
            states: self.names,
            named: true,
            effects,
            entries,
            goes_on: self.possible.goes_on,
            needs: None,
            shows_way_out: true,
        };
        (machine, self.sites)
    }

    /// Is there a label that is an error in every state?
    fn wrong_anywhere(&self, all: Set) -> bool {
        let mut kinds = 0..self.kinds.len();
        kinds.any(|kind| matches!(self.fate(all, kind), Some(Fate::Error(_))))
    }

    fn fate(&self, set: Set, kind: usize) -> Option<Fate> {
        let transitions = &self.possible.transitions;
        let is_new = set & NEW != 0;
        let states = set & !NEW;
        match &self.kinds[kind] {
            Kind::Labels { labels, .. } => said(transitions.step(states, *labels), states),
            Kind::Through(fates) => said(transitions.each(states, |state| fates[state]), states),
            Kind::AnyOf(_) if is_new => None,
            Kind::AnyOf(labels) => Some(Fate::States(transitions.closure(states, *labels))),
            Kind::Begins => (states == transitions.all()).then_some(Fate::States(1 | NEW)),
            Kind::Shown => is_new.then(|| Fate::States(transitions.all())),
        }
    }

    fn next(&mut self, set: Set, kind: usize) -> Option<Next> {
        Some(match self.fate(set, kind)? {
            Fate::States(to) => Next::State(self.state(to)),
            Fate::Error(which) => Next::Error(which),
        })
    }
}

/// None if it changes nothing.
fn said(fate: Fate, states: Set) -> Option<Fate> {
    match fate {
        Fate::States(to) if to == states => None,
        fate => Some(fate),
    }
}

/// The variable of the body that an expression is the address of, or of a part of it.
fn variable_at(body: &Body, mut e: ExprId) -> Option<VarId> {
    loop {
        match body.exprs.get(e)?.kind {
            ExprKind::Cast(inner) => e = inner,
            ExprKind::AddrOf(place) => match body.places.get(place)?.base {
                Base::Var(v) => return Some(v),
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// Does a statement hand the address of a variable on, or give all of it another content?
fn shows(body: &Body, stmt: &Stmt, v: VarId) -> bool {
    if let Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } = stmt
        && body.places.get(*place).and_then(Place::as_var) == Some(v)
    {
        return true;
    }
    let mut pending = Vec::new();
    statement_items(body, stmt, &mut |item| pending.push(item));
    // Shared parts are met once for each use.
    let mut budget = 1000;
    while let Some(item) = pending.pop() {
        budget -= 1;
        if budget == 0 {
            return true;
        }
        match item {
            Item::Expr(e) => {
                if variable_at(body, e) == Some(v) {
                    return true;
                }
                if let Some(e) = body.exprs.get(e) {
                    expr_items(e, &mut |item| pending.push(item));
                }
            }
            Item::Place(p) => {
                if let Some(place) = body.places.get(p) {
                    place_items(place, &mut |item| pending.push(item));
                }
            }
        }
    }
    false
}
