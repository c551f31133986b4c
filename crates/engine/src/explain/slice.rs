//! Which steps of a path matter for the check at its end.
//!
//! A backward slice over the one path (the paper leaves this to its second level, §2.3; for a
//! reader it is needed before that). It starts with the places that the broken condition reads.
//! What writes one of them matters, and then what it read; so does a branch that tests one, or
//! whose other side would have written one: `if (c) x = 3;` is why `x` is not set when `c` is 0.
//! What such a branch tests is followed to where it was set, but branches over that are not. Of a callee
//! on the path that returns the value, the last branch matters that decided to return this one.

use super::held::held_before;
use super::notation::Words;
use super::unset::tell_callees;
use ir::walk::{Item, expr_items, place_items};
use ir::{Base, Body, CallOutcome, Condition, Edge, EdgeId, ExprId, ExprKind, NodeId, PlaceId};
use ir::{Place, Projection, Stmt, VarId};
use report::Importance;
use std::collections::{BTreeMap, BTreeSet};

/// Edges that are looked at on the other side of a branch.
const OTHER_SIDE: usize = 200;

/// Items of an expression that are looked at.
const ITEMS: usize = 2_000;

/// For every step of the path how much it matters. The last step is the check.
pub fn importance(words: &Words<'_>, condition: &Condition) -> Vec<Importance> {
    let mut slice = Slice {
        words: *words,
        body: words.body,
        core: BTreeSet::new(),
        side: BTreeSet::new(),
        addresses: BTreeSet::new(),
        contents: matches!(condition, Condition::Initialized(_)),
        alive: matches!(condition, Condition::Alive(_)),
        sizes: matches!(condition, Condition::InBounds { .. }),
        later: BTreeSet::new(),
        returned: None,
        at: words.path.len(),
    };
    match *condition {
        Condition::Holds(e)
        | Condition::Alive(e)
        | Condition::Freeable { pointer: e, .. }
        | Condition::Apart(e, _) => slice.want(Item::Expr(e), Set::Core),
        Condition::Initialized(p) => {
            slice.core.insert(p);
            slice.want(Item::Place(p), Set::Core);
        }
        Condition::InBounds { pointer, size } => {
            slice.want(Item::Expr(pointer), Set::Core);
            slice.want(Item::Expr(size), Set::Core);
        }
        // The branch that led here is the condition.
        Condition::Unreachable => {
            let edges = words.path.iter().rev();
            let last = edges
                .filter_map(|e| words.body.edges().get(*e))
                .find_map(|e| match e.stmt {
                    Stmt::Assume(e) => Some(e),
                    _ => None,
                });
            if let Some(e) = last {
                slice.want(Item::Expr(e), Set::Core);
            }
        }
    }
    let mut out = vec![Importance::Unimportant; words.path.len()];
    for (step, id) in words.path.iter().enumerate().rev() {
        let Some(edge) = slice.body.edges().get(*id) else {
            continue;
        };
        slice.at = step;
        out[step] = match step + 1 == words.path.len() {
            true => Importance::Essential,
            false => slice.step(*id, edge),
        };
        slice.later.insert(edge.to);
    }
    slice.ends(words.path, &mut out);
    tell_callees(words, condition, &mut out);
    thin(words.path, &mut out);
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    /// What the condition depends on.
    Core,
    /// What the branches depend on that matter.
    Side,
}

struct Slice<'a> {
    words: Words<'a>,
    body: &'a Body,
    core: BTreeSet<PlaceId>,
    side: BTreeSet<PlaceId>,
    /// Variables whose address is in a value that matters.
    addresses: BTreeSet<VarId>,
    /// The condition is about what lies in a place, not only about a value.
    contents: bool,
    alive: bool,
    /// It is about how large an object is.
    sizes: bool,
    /// The nodes of the path behind the present step.
    later: BTreeSet<NodeId>,
    /// What a callee returned, until the branch is found that decided it.
    returned: Option<PlaceId>,
    /// The present step.
    at: usize,
}

impl Slice<'_> {
    fn step(&mut self, id: EdgeId, edge: &Edge) -> Importance {
        match &edge.stmt {
            Stmt::Assign { place, value } => match self.written(*place) {
                Some(set) => {
                    self.kill(*place);
                    self.want(Item::Expr(*value), set);
                    if self.words.returns(*place) == Some("returns") {
                        self.returned = Some(*place);
                    }
                    Importance::Essential
                }
                None => Importance::Unimportant,
            },
            Stmt::Havoc { place, .. } => match self.written(*place) {
                Some(_) => {
                    self.kill(*place);
                    Importance::Essential
                }
                None => Importance::Unimportant,
            },
            Stmt::Call(call) => {
                let result = call.result.filter(|p| self.written(*p).is_some());
                let through = self.writes_through(&edge.stmt);
                if let Some(place) = result {
                    self.kill(place);
                }
                let freed = self.alive && call.args.iter().any(|a| self.is_handed_core(*a));
                // What goes into a temporary is told where that is used.
                let told = result.is_some_and(|p| !self.words.is_temporary(p));
                // Nobody sees an exception in the source.
                let thrown = call.outcome == CallOutcome::Unwind;
                match told || through || freed || thrown {
                    true => Importance::Essential,
                    false => Importance::Important,
                }
            }
            Stmt::Copy { source, .. } if self.writes_through(&edge.stmt) => {
                let source = *source;
                if let Some(place) = self.addressed(source) {
                    self.side.insert(place);
                }
                Importance::Essential
            }
            Stmt::Fill { .. } if self.writes_through(&edge.stmt) => Importance::Essential,
            Stmt::Declare(v) | Stmt::Allocate { var: v, .. } => {
                let wanted = |p: &PlaceId| self.base(*p) == Some(Base::Var(*v));
                let matters = self.core.iter().chain(&self.side).any(wanted);
                self.forget(*v);
                // That a variable begins to be says nothing of a value that it got later.
                match matters && (self.contents || self.alive || self.sizes) {
                    true => Importance::Essential,
                    false => Importance::Unimportant,
                }
            }
            Stmt::Assume(e) => {
                let decides = self.decides_return(id, edge);
                if decides {
                    self.returned = None;
                }
                if decides || self.reads_core(*e) || self.other_side_writes(id, edge) {
                    self.want(Item::Expr(*e), Set::Side);
                    Importance::Essential
                } else {
                    Importance::Important
                }
            }
            Stmt::LandingPad { .. } | Stmt::Resume(_) => Importance::Important,
            _ => Importance::Unimportant,
        }
    }

    /// Adds everything that is read.
    fn want(&mut self, item: Item, set: Set) {
        let mut places = Vec::new();
        let mut addresses = Vec::new();
        reads(self.body, item, &mut places, &mut addresses);
        for place in &addresses {
            if let Some(Base::Var(v)) = self.base(*place) {
                self.addresses.insert(v);
            }
        }
        if self.contents {
            places.extend(addresses);
        }
        let through: Vec<PlaceId> = places.iter().filter_map(|p| self.pointed(*p)).collect();
        places.extend(through);
        match set {
            Set::Core => self.core.extend(places),
            Set::Side => {
                let new = places.into_iter().filter(|p| !self.core.contains(p));
                self.side.extend(new.collect::<Vec<_>>());
            }
        }
    }

    fn reads_core(&self, e: ExprId) -> bool {
        let (mut places, mut addresses) = (Vec::new(), Vec::new());
        reads(self.body, Item::Expr(e), &mut places, &mut addresses);
        places
            .iter()
            .any(|p| self.core.iter().any(|c| self.overlap(*p, *c)))
    }

    /// Is it a value that the condition depends on, perhaps under the names that callees have for it?
    fn is_handed_core(&self, e: ExprId) -> bool {
        let held = |place| held_before(&self.words.before(self.at), place);
        let names = self.body.loaded(e).map(held).unwrap_or_default();
        let is_core = |p: &PlaceId| self.core.iter().any(|c| self.overlap(*p, *c));
        self.reads_core(e) || names.iter().any(is_core)
    }

    /// Which set has a place that a write of this one changes.
    fn written(&self, place: PlaceId) -> Option<Set> {
        let pointed = self.pointed(place);
        let hit = |set: &BTreeSet<PlaceId>| {
            let is_it = |p: &PlaceId| {
                self.overlap(*p, place) || pointed.is_some_and(|place| self.overlap(*p, place))
            };
            set.iter().any(is_it)
        };
        if hit(&self.core) {
            Some(Set::Core)
        } else {
            hit(&self.side).then_some(Set::Side)
        }
    }

    /// Does the statement get the address of something that matters, to write there?
    fn writes_through(&self, stmt: &Stmt) -> bool {
        let targets: Vec<ExprId> = match stmt {
            Stmt::Call(call) => call.args.clone(),
            Stmt::Copy { target, .. } | Stmt::Fill { target, .. } => vec![*target],
            _ => return false,
        };
        targets
            .into_iter()
            .filter_map(|e| self.addressed(e))
            .any(|p| self.written(p).is_some())
    }

    fn addressed(&self, mut e: ExprId) -> Option<PlaceId> {
        loop {
            match self.body.exprs.get(e)?.kind {
                ExprKind::Cast(inner) | ExprKind::PtrAdd(inner, _) => e = inner,
                ExprKind::AddrOf(place) => return Some(place),
                _ => return None,
            }
        }
    }

    fn base(&self, p: PlaceId) -> Option<Base> {
        self.body.places.get(p).map(|p| p.base)
    }

    /// The caller's place that a callee reaches through a pointer: `x` for `*out`, where it was called
    /// with `&x`.
    fn pointed(&self, place: PlaceId) -> Option<PlaceId> {
        self.words.composed?;
        match self.base(place)? {
            Base::Deref(pointer) => self.words.before(self.at).pointed(pointer),
            _ => None,
        }
    }

    /// A place got a new value: what it held before does not matter.
    fn kill(&mut self, place: PlaceId) {
        let whole = |p: &Place| p.projections.is_empty();
        if self.body.places.get(place).is_some_and(whole)
            && let Some(pointed) = self.pointed(place)
        {
            self.kill(pointed);
        }
        match self.body.places.get(place).and_then(Place::as_var) {
            Some(v) => self.forget(v),
            None => {
                self.core.remove(&place);
                self.side.remove(&place);
            }
        }
    }

    fn forget(&mut self, v: VarId) {
        let body = self.body;
        let other = |p: &PlaceId| body.places.get(*p).map(|p| p.base) != Some(Base::Var(v));
        self.core.retain(other);
        self.side.retain(other);
    }

    fn overlap(&self, a: PlaceId, b: PlaceId) -> bool {
        let (Some(a), Some(b)) = (self.body.places.get(a), self.body.places.get(b)) else {
            return false;
        };
        if a.base != b.base {
            return false;
        }
        let constant = |e: &ExprId| match self.body.exprs.get(*e).map(|e| &e.kind) {
            Some(ExprKind::Int(bits)) => Some(*bits),
            _ => None,
        };
        for pair in a.projections.iter().zip(&b.projections) {
            match pair {
                (Projection::Field(i), Projection::Field(j)) if i != j => return false,
                (Projection::Index(i), Projection::Index(j)) => match (constant(i), constant(j)) {
                    (Some(i), Some(j)) if i != j => return false,
                    _ => {}
                },
                // Another view: anything.
                (Projection::As(_), _) | (_, Projection::As(_)) => return true,
                _ => {}
            }
        }
        true
    }

    /// Would the branch that was not taken have written what the condition depends on?
    fn other_side_writes(&self, taken: EdgeId, edge: &Edge) -> bool {
        let wanted = |slice: &Self, e: &Edge| {
            let written = assigned(&e.stmt).and_then(|p| slice.written(p));
            written == Some(Set::Core) || slice.writes_through(&e.stmt)
        };
        self.other_side_has(taken, edge, wanted)
    }

    /// Would the branch that was not taken have returned something else from the callee?
    fn decides_return(&self, taken: EdgeId, edge: &Edge) -> bool {
        let (Some(place), Some(composed)) = (self.returned, self.words.composed) else {
            return false;
        };
        let Some(Base::Var(result)) = self.base(place) else {
            return false;
        };
        let writes = |_: &Self, e: &Edge| assigned(&e.stmt) == Some(place);
        composed.frame(taken) == composed.owner(result) && self.other_side_has(taken, edge, writes)
    }

    /// Is there such an edge on the ways from the other side of a branch back to the path?
    fn other_side_has(
        &self,
        taken: EdgeId,
        edge: &Edge,
        wanted: impl Fn(&Self, &Edge) -> bool,
    ) -> bool {
        let others = self.body.out_edges(edge.from);
        let mut stack: Vec<NodeId> = others
            .filter(|(id, _)| *id != taken)
            .map(|(_, e)| e.to)
            .collect();
        let mut seen = BTreeSet::new();
        let mut budget = OTHER_SIDE;
        while let Some(node) = stack.pop() {
            if self.later.contains(&node) || node == edge.from || !seen.insert(node) {
                continue;
            }
            for (_, e) in self.body.out_edges(node) {
                if wanted(self, e) {
                    return true;
                }
                budget -= 1;
                if budget == 0 {
                    return false;
                }
                stack.push(e.to);
            }
        }
        false
    }

    /// Where a check is about the life of an object, the end of it matters. Only now it is known
    /// which objects the pointer may have pointed to.
    fn ends(&self, path: &[EdgeId], out: &mut [Importance]) {
        if !self.alive {
            return;
        }
        for (id, importance) in path.iter().zip(out) {
            if let Some(Stmt::End(v)) = self.body.edges().get(*id).map(|e| &e.stmt)
                && self.addresses.contains(v)
            {
                *importance = Importance::Essential;
            }
        }
    }
}

/// The place that a statement assigns.
fn assigned(stmt: &Stmt) -> Option<PlaceId> {
    match stmt {
        Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
        Stmt::Call(call) => call.result,
        _ => None,
    }
}

/// The places that are read, and those whose address is taken, in an expression or in the parts
/// of a place.
fn reads(body: &Body, item: Item, places: &mut Vec<PlaceId>, addresses: &mut Vec<PlaceId>) {
    let mut stack = vec![item];
    let mut seen = BTreeSet::new();
    while let Some(item) = stack.pop()
        && seen.len() < ITEMS
    {
        match item {
            Item::Expr(e) => {
                if !seen.insert(e) {
                    continue;
                }
                let Some(e) = body.exprs.get(e) else {
                    continue;
                };
                match e.kind {
                    ExprKind::Load(p) => places.push(p),
                    ExprKind::AddrOf(p) => addresses.push(p),
                    _ => {}
                }
                expr_items(e, &mut |item| stack.push(item));
            }
            Item::Place(p) => {
                if let Some(p) = body.places.get(p) {
                    place_items(p, &mut |item| stack.push(item));
                }
            }
        }
    }
}

/// Of an edge that the path takes again and again, the first and the last time are enough.
fn thin(path: &[EdgeId], out: &mut [Importance]) {
    let mut times: BTreeMap<EdgeId, (usize, usize)> = BTreeMap::new();
    for (step, edge) in path.iter().enumerate() {
        times.entry(*edge).or_insert((step, step)).1 = step;
    }
    for (step, edge) in path.iter().enumerate() {
        let kept = times
            .get(edge)
            .is_none_or(|(a, b)| step == *a || step == *b);
        if !kept && out[step] == Importance::Essential {
            out[step] = Importance::Important;
        }
    }
}
