//! The life of what one statement acquires: who may hold it where, where it stops being owned, where it is lost.
//!
//! A walk over nodes with the set of variables that may hold it. Sets only grow where ways meet, so a loss is one on every way that
//! comes there owning it; on which ways that is, the ghost says.

use super::fate::Fates;
use super::fresh::Givers;
use super::place::Places;
use super::value::{Carry, Values};
use crate::temporal::Outcome;
use ir::arena::Id;
use ir::walk::{Item, statement_items};
use ir::{
    Body, Call, CallOutcome, CompareOp, Edge, EdgeId, ExprId, ExprKind, NodeId, PlaceId, Program,
    Span, Stmt, UnaryOp, VarId, VarKind,
};

/// What a walk knows of the program.
pub struct Cx<'a> {
    pub program: &'a Program,
    pub fates: &'a Fates<'a>,
    pub givers: &'a Givers,
}

impl Cx<'_> {
    pub fn gives_through(&self, call: &Call, position: usize) -> bool {
        self.givers.through(call).any(|(at, _)| at == position)
    }

    /// Is it forgotten when the call is over?
    pub fn borrows(&self, body: &Body, call: &Call, position: usize) -> bool {
        let fate = self.fates.of_argument(body, call, position, false);
        !fate.kept && !fate.returned
    }
}

/// From a statement that acquires something.
#[derive(Debug)]
pub struct Life {
    /// It is owned behind this edge, if the value there is valid.
    pub start: EdgeId,
    /// Where it is then.
    pub place: PlaceId,
    /// What a person would call it.
    pub name: VarId,
    /// What the call must have given, and where that is, if not the value itself.
    pub awaited: Option<(PlaceId, Outcome)>,
    /// Edges behind which it is not owned any more.
    pub ends: Vec<EdgeId>,
    /// Edges behind which it is not owned any more if what is in this place is not null.
    pub renewed: Vec<(EdgeId, PlaceId)>,
    /// Edges behind which it must not be owned; and where a person would look for it.
    pub losses: Vec<(EdgeId, Span)>,
    /// Somebody may keep it.
    pub kept: bool,
    pub returned: bool,
    /// It is left where these parameters lead.
    pub left: Vec<usize>,
    /// It is found out whether there is anything.
    pub tested: bool,
}

/// Variables that may hold one value at most, and statements of one body that acquire.
const HOLDERS: usize = 64;
const LIVES: usize = 48;

/// All lives that begin in a body.
pub fn lives(cx: &Cx<'_>, body: &Body, main: bool) -> Vec<Life> {
    let again = |e: &Edge| matches!(&e.stmt, Stmt::Call(c) if c.outcome == CallOutcome::Again);
    if body.edges().values().any(again) {
        return Vec::new();
    }
    let numbers = cx.givers.numbers();
    let mut values = Values::new(&cx.program.types, &cx.program.symbols, body, numbers);
    values.find_exposed(cx);
    let places = Places::of(body);
    let mut all = Vec::new();
    for (id, edge) in body.edges().iter() {
        let Stmt::Call(call) = &edge.stmt else {
            continue;
        };
        if call.outcome != CallOutcome::Return || !cx.givers.gives(call) {
            continue;
        }
        for begin in begins(cx, &values, &places, id, call) {
            let mut walk = Walk::new(cx, &values, &places, begin);
            if let Some(life) = walk.whole(main) {
                all.push((id, life));
            }
        }
        if all.len() >= LIVES {
            break;
        }
    }
    // That it may fail is believed of who renews only where that is tested.
    let untested: Vec<EdgeId> = {
        let tested = all.iter().filter(|(_, l)| l.tested).map(|(id, _)| *id);
        let tested: Vec<EdgeId> = tested.collect();
        let renewed = all
            .iter()
            .flat_map(|(_, l)| l.renewed.iter().map(|(e, _)| *e));
        renewed.filter(|e| !tested.contains(e)).collect()
    };
    let mut lives: Vec<Life> = all.into_iter().map(|(_, life)| life).collect();
    for life in &mut lives {
        let (sure, left): (Vec<_>, Vec<_>) = std::mem::take(&mut life.renewed)
            .into_iter()
            .partition(|(e, _)| untested.contains(e));
        life.ends.extend(sure.into_iter().map(|(e, _)| e));
        life.renewed = left;
    }
    lives
}

/// Where a life begins.
struct Begin {
    start: EdgeId,
    place: PlaceId,
    holder: VarId,
    awaited: Option<(PlaceId, Outcome)>,
    /// The statement takes what it gave before.
    reuses: bool,
}

/// Is what the place holds assigned by another edge, too, to something that no automaton remembers it by?
fn is_put_elsewhere(values: &Values<'_>, place: PlaceId, but: EdgeId) -> bool {
    let body = values.body;
    let is_ghost = |to: PlaceId| body.places[to].as_var().is_some_and(|v| values.is_ghost(v));
    body.edges().iter().any(|(id, edge)| match edge.stmt {
        Stmt::Assign { place: to, value } if id != but && !is_ghost(to) => {
            body.loaded(value) == Some(place)
        }
        _ => false,
    })
}

/// What a call begins in variables that nobody else knows.
fn begins(
    cx: &Cx<'_>,
    values: &Values<'_>,
    places: &Places<'_>,
    id: EdgeId,
    call: &Call,
) -> Vec<Begin> {
    let body = values.body;
    let mut all = Vec::new();
    let own = |place: PlaceId| match values.local(place) {
        Some((v, _))
            if Some(v) != body.ret && !values.is_exposed(v) && !values.is_element(place) =>
        {
            Some(v)
        }
        _ => None,
    };
    if cx.givers.result(call)
        && let Some(place) = call.result
        && let Some(holder) = own(place)
    {
        let (mut start, mut at, mut who) = (id, place, holder);
        // What is only put down first has the name of where it is put then.
        if body.vars[holder].kind == VarKind::Temp {
            let mut node = body.edges()[id].to;
            for _ in 0..8 {
                if !places.is_entered_once(node) {
                    break;
                }
                let mut out = body.out_edges(node).filter(|(_, e)| !unwinds(e));
                let (Some((next, edge)), None) = (out.next(), out.next()) else {
                    break;
                };
                let to = match &edge.stmt {
                    Stmt::Assign { place, .. } => body.places[*place].as_var(),
                    _ => None,
                };
                match &edge.stmt {
                    // What automata remember of it.
                    _ if to.is_some_and(|v| values.is_ghost(v)) => {}
                    Stmt::Assign { place: to, value } if body.loaded(*value) == Some(at) => {
                        let Some(v) = own(*to) else { break };
                        // Put down twice: what is asked later may be the other one.
                        if is_put_elsewhere(values, at, next) {
                            break;
                        }
                        (start, at, who) = (next, *to, v);
                        if body.vars[v].kind != VarKind::Temp {
                            break;
                        }
                    }
                    Stmt::Declare(_) | Stmt::Skip => {}
                    // A constructor.
                    Stmt::Call(call) if is_only_borrowed(cx, values, call, at) => {}
                    _ => break,
                }
                node = edge.to;
            }
        }
        // The temporary may be asked afterwards: then it began there, as far as tests go.
        all.push(Begin {
            start,
            place: at,
            holder: who,
            awaited: None,
            reuses: false,
        });
    }
    for (position, outcome) in cx.givers.through(call) {
        let Some(arg) = call.args.get(position) else {
            continue;
        };
        let mut e = *arg;
        while let ExprKind::Cast(inner) = body.exprs[e].kind {
            e = inner;
        }
        if let ExprKind::AddrOf(place) = body.exprs[e].kind
            && let Some(holder) = own(place)
        {
            let awaited = call.result.map(|r| (r, outcome));
            all.push(Begin {
                start: id,
                place,
                holder,
                awaited: awaited.filter(|(_, o)| *o != Outcome::Any),
                reuses: true,
            });
        }
    }
    all
}

/// The parameter of which a place is all that it leads to.
pub fn behind_parameter(body: &Body, place: PlaceId) -> Option<usize> {
    let place = &body.places[place];
    let ir::Base::Deref(p) = place.base else {
        return None;
    };
    let v = body.places[body.loaded(p)?].as_var()?;
    let position = body.params.iter().position(|w| *w == v)?;
    (place.projections.is_empty() && !body.vars[v].address_taken).then_some(position)
}

/// Is what is in a place only looked at by a call that gives nothing?
fn is_only_borrowed(cx: &Cx<'_>, values: &Values<'_>, call: &Call, place: PlaceId) -> bool {
    let Some((v, _)) = values.local(place) else {
        return false;
    };
    let all = call.args.iter().enumerate();
    let mut handed = all.filter(|(_, e)| values.carries(**e, &|w| w == v) != Carry::No);
    call.result.is_none() && !call.noreturn && handed.all(|(i, _)| cx.borrows(values.body, call, i))
}

fn unwinds(edge: &Edge) -> bool {
    matches!(&edge.stmt, Stmt::Call(call) if call.outcome == CallOutcome::Unwind)
}

/// What a statement does.
enum Step {
    On(u64),
    /// It is not owned any more.
    Ends,
    /// Nothing comes behind it.
    Stops,
}

struct Walk<'a> {
    cx: &'a Cx<'a>,
    values: &'a Values<'a>,
    body: &'a Body,
    places: &'a Places<'a>,
    begin: Begin,
    holders: Vec<VarId>,
    /// Those that hold what was found in it, or nothing: a test of them is none of the value.
    derived: Vec<VarId>,
    /// Temporaries among the holders that are read again, by node.
    live: Vec<u64>,
    temps: u64,
    states: Vec<Option<u64>>,
    overflow: bool,
    kept: bool,
    returned: bool,
    tested: bool,
    left: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(
        cx: &'a Cx<'a>,
        values: &'a Values<'a>,
        places: &'a Places<'a>,
        begin: Begin,
    ) -> Walk<'a> {
        Walk {
            cx,
            values,
            body: values.body,
            places,
            holders: vec![begin.holder],
            derived: Vec::new(),
            begin,
            live: Vec::new(),
            temps: 0,
            states: Vec::new(),
            overflow: false,
            kept: false,
            returned: false,
            tested: false,
            left: Vec::new(),
        }
    }

    fn whole(&mut self, main: bool) -> Option<Life> {
        let places = self.places;
        self.run();
        let kind = |v: VarId| self.body.vars[v].kind;
        let temps = self.holders.iter().enumerate();
        self.temps = temps
            .filter(|(_, v)| kind(**v) == VarKind::Temp)
            .fold(0, |bits, (i, _)| bits | 1 << i);
        if self.temps != 0 && !self.overflow {
            self.find_live();
            (self.kept, self.returned, self.tested) = (false, false, false);
            self.run();
        }
        if self.overflow {
            return None;
        }
        let mut life = Life {
            start: self.begin.start,
            place: self.begin.place,
            name: self.name(),
            awaited: self.begin.awaited,
            ends: Vec::new(),
            renewed: Vec::new(),
            losses: Vec::new(),
            kept: false,
            returned: false,
            left: Vec::new(),
            tested: false,
        };
        for (id, edge) in self.body.edges().iter() {
            let Some(state) = self.states[edge.from.index()] else {
                continue;
            };
            if let Some(result) = self.renews(edge, state) {
                life.renewed.push((id, result));
            }
            match self.step(edge, state) {
                Step::Ends => life.ends.push(id),
                Step::Stops => {}
                Step::On(after) => {
                    if self.is_lost(id, edge, after) && !(main && places.leads_to_exit(edge)) {
                        let (start, edges) = (self.begin.start, self.body.edges());
                        let owned = |e: EdgeId| self.states[edges[e].from.index()].is_some();
                        let owning = |e: EdgeId| (e != start).then(|| owned(e));
                        places.of_loss(id, &owning, &mut life.losses);
                    }
                }
            }
        }
        life.losses.sort_unstable_by_key(|(id, _)| *id);
        life.losses.dedup_by_key(|(id, _)| *id);
        life.left = std::mem::take(&mut self.left);
        (life.kept, life.returned, life.tested) = (self.kept, self.returned, self.tested);
        Some(life)
    }

    /// The first variable of the source that holds it.
    fn name(&self) -> VarId {
        let named = |v: &&VarId| self.body.vars[**v].kind != VarKind::Temp;
        let mut all = self.holders.iter();
        all.find(named).copied().unwrap_or(self.begin.holder)
    }

    fn run(&mut self) {
        self.states.clear();
        self.states.resize(self.body.node_count as usize, None);
        let first = self.body.edges()[self.begin.start].to;
        let one = self.alive(1, first);
        self.states[first.index()] = Some(one);
        let mut work = vec![first];
        while let Some(node) = work.pop() {
            let Some(state) = self.states[node.index()] else {
                continue;
            };
            let body = self.body;
            for (id, edge) in body.out_edges(node) {
                let Step::On(after) = self.step(edge, state) else {
                    continue;
                };
                if self.overflow {
                    return;
                }
                if id == self.begin.start || self.is_lost(id, edge, after) {
                    continue;
                }
                if edge.to == body.exit || Some(edge.to) == body.unwind {
                    continue;
                }
                let after = self.alive(after, edge.to);
                let known = &mut self.states[edge.to.index()];
                let new = known.unwrap_or(0) | after;
                if *known != Some(new) {
                    *known = Some(new);
                    work.push(edge.to);
                }
            }
        }
    }

    /// The holders of which something can still come.
    fn alive(&self, state: u64, node: NodeId) -> u64 {
        match self.live.get(node.index()) {
            Some(live) => state & (live | !self.temps),
            None => state,
        }
    }

    /// Is it lost behind the edge?
    fn is_lost(&self, id: EdgeId, edge: &Edge, after: u64) -> bool {
        if edge.to == self.body.exit {
            return true;
        }
        // Nothing is said of what an exception leaves behind that leaves the function, whatever it passes on its way.
        if Some(edge.to) == self.body.unwind || self.places.is_thrown(edge) {
            return false;
        }
        let mut after = after;
        if id == self.begin.start {
            if self.begin.reuses {
                return false;
            }
            let holder = self.holders.iter().position(|v| *v == self.begin.holder);
            after &= !holder.map_or(0, |i| 1 << i);
        }
        self.alive(after, edge.to) == 0
    }

    fn holds(&self, state: u64, v: VarId) -> bool {
        let found = self.holders.iter().position(|h| *h == v);
        found.is_some_and(|i| state >> i & 1 == 1)
    }

    fn carries(&self, state: u64, e: ExprId) -> Carry {
        self.values.carries(e, &|v| self.holds(state, v))
    }

    fn bit(&mut self, v: VarId) -> u64 {
        let found = self.holders.iter().position(|h| *h == v);
        let at = found.unwrap_or_else(|| {
            self.holders.push(v);
            self.holders.len() - 1
        });
        if at >= HOLDERS {
            self.overflow = true;
            return 0;
        }
        1 << at
    }

    fn without(&mut self, state: u64, v: VarId) -> u64 {
        match self.holds(state, v) {
            true => state & !self.bit(v),
            false => state,
        }
    }

    fn keeps(&mut self) -> Step {
        self.kept = true;
        Step::Ends
    }

    fn step(&mut self, edge: &Edge, state: u64) -> Step {
        match &edge.stmt {
            Stmt::Declare(v) | Stmt::End(v) => Step::On(self.without(state, *v)),
            Stmt::Allocate { var, .. } => Step::On(self.without(state, *var)),
            Stmt::Assign { place, value } => {
                let carry = self.carries(state, *value);
                self.stored(state, *place, carry)
            }
            Stmt::Havoc { place, .. } => self.stored(state, *place, Carry::No),
            Stmt::Copy { source, .. } => match self.carries(state, *source) {
                Carry::Address => self.keeps(),
                _ => Step::On(state),
            },
            Stmt::Assume(e) => match self.is_nothing(state, *e, true) {
                true => {
                    self.tested = true;
                    Step::Ends
                }
                false => Step::On(state),
            },
            Stmt::Call(call) => self.call(call, state),
            Stmt::Resume(e) => match self.carries(state, *e) {
                Carry::No => Step::Stops,
                _ => self.keeps(),
            },
            Stmt::Trap(_) => Step::Stops,
            _ => Step::On(state),
        }
    }

    fn stored(&mut self, state: u64, place: PlaceId, carry: Carry) -> Step {
        match (self.values.local(place), carry) {
            (Some((v, _)), _) if self.values.is_ghost(v) => Step::On(state),
            (Some((v, true)), Carry::No) => Step::On(self.without(state, v)),
            (_, Carry::No) => Step::On(state),
            (Some((v, _)), _) if Some(v) == self.body.ret => {
                self.returned = true;
                Step::Ends
            }
            // An alias of a holder is another name for it.
            (Some(_), Carry::Address) => Step::On(state),
            (Some((v, _)), Carry::Value) => {
                match self.values.is_exposed(v) || self.values.is_element(place) {
                    true => self.keeps(),
                    false => Step::On(state | self.bit(v)),
                }
            }
            (None, Carry::Value) if self.values.is_within(place, &|v| self.holds(state, v)) => {
                Step::On(state)
            }
            (None, _) => match self.parameter(place) {
                Some(i) if carry == Carry::Value => {
                    self.left.push(i);
                    Step::Ends
                }
                _ => self.keeps(),
            },
        }
    }

    /// Which parameter leads to a place: `*p`, as a whole.
    fn parameter(&self, place: PlaceId) -> Option<usize> {
        behind_parameter(self.body, place)
    }

    /// Where the result of a call is that takes it back and gives something else for it, unless it fails.
    fn renews(&self, edge: &Edge, state: u64) -> Option<PlaceId> {
        let Stmt::Call(call) = &edge.stmt else {
            return None;
        };
        let position = self.cx.givers.renews(call)?;
        let carried = self.carries(state, *call.args.get(position)?) == Carry::Value;
        call.result
            .filter(|_| carried && call.outcome == CallOutcome::Return)
    }

    fn call(&mut self, call: &Call, state: u64) -> Step {
        if call.noreturn {
            return Step::Stops;
        }
        let renewed = self.cx.givers.renews(call);
        let (mut given_back, mut derived) = (Carry::No, false);
        for (i, arg) in call.args.iter().enumerate() {
            let carry = self.carries(state, *arg);
            if carry == Carry::No || renewed == Some(i) && call.result.is_some() {
                continue;
            }
            if carry == Carry::Address && self.cx.gives_through(call, i) {
                continue;
            }
            let fate = self
                .cx
                .fates
                .of_argument(self.body, call, i, carry == Carry::Address);
            if fate.kept {
                return self.keeps();
            }
            if fate.released {
                return Step::Ends;
            }
            let points_into = self.cx.givers.points_into(self.cx.program, call, i);
            if fate.returned || points_into {
                given_back = given_back.max(carry);
                derived |= !fate.returned;
            }
        }
        let can_be = |p: PlaceId| self.values.can_be(self.body.places[p].ty);
        if !call.result.is_some_and(can_be) {
            given_back = Carry::No;
        }
        if derived
            && let Some((v, _)) = call.result.and_then(|p| self.values.local(p))
            && !self.derived.contains(&v)
        {
            self.derived.push(v);
        }
        match (call.outcome, call.result) {
            (CallOutcome::Return, Some(result)) => self.stored(state, result, given_back),
            _ => Step::On(state),
        }
    }

    /// Is there nothing to own where the condition holds?
    fn is_nothing(&self, state: u64, e: ExprId, holds: bool) -> bool {
        match &self.body.exprs[e].kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.is_nothing(state, *inner, !holds),
            ExprKind::Cast(inner) => self.is_nothing(state, *inner, holds),
            ExprKind::Compare(op, a, b) => {
                let zero = matches!(self.body.exprs[*b].kind, ExprKind::Int(0));
                if zero && matches!(op, CompareOp::Eq | CompareOp::Ne) && self.is_truth(*a) {
                    return self.is_nothing(state, *a, holds == (*op == CompareOp::Ne));
                }
                let itself = |v: VarId| self.holds(state, v) && !self.derived.contains(&v);
                let of_a = self.values.carries(*a, &itself);
                let of_b = self.values.carries(*b, &itself);
                if self.values.is_ghost_value(*a) || self.values.is_ghost_value(*b) {
                    return false;
                }
                let op = match holds {
                    true => Some(*op),
                    false => op.negated(),
                };
                match (of_a == Carry::Value, of_b == Carry::Value, op) {
                    (true, false, Some(CompareOp::Eq)) | (false, true, Some(CompareOp::Eq)) => true,
                    (true, false, Some(CompareOp::Lt | CompareOp::Le)) => self.values.numbers,
                    (false, true, Some(CompareOp::Gt | CompareOp::Ge)) => self.values.numbers,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Is it a condition, made a number?
    fn is_truth(&self, mut e: ExprId) -> bool {
        while let ExprKind::Cast(inner) = self.body.exprs[e].kind {
            e = inner;
        }
        let kind = &self.body.exprs[e].kind;
        matches!(
            kind,
            ExprKind::Compare(..) | ExprKind::Unary(UnaryOp::Not, _)
        )
    }

    /// Which temporaries are read again, from each node.
    fn find_live(&mut self) {
        let edges = self.body.edges();
        let bit = |v: VarId| {
            let found = self.holders.iter().position(|h| *h == v);
            found.map_or(0, |i| 1u64 << i) & self.temps
        };
        let mut effects: Vec<(u64, u64)> = Vec::with_capacity(edges.len());
        for edge in edges.values() {
            let written = match &edge.stmt {
                Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
                Stmt::Call(call) => call.result,
                _ => None,
            };
            let mut read = 0;
            let mut work = Vec::new();
            statement_items(self.body, &edge.stmt, &mut |item| {
                let is_written = matches!(item, Item::Place(p) if Some(p) == written);
                match item {
                    Item::Place(p) if is_written && self.body.places[p].as_var().is_some() => {}
                    item => work.push(item),
                }
            });
            // What automata remember is no use of it.
            let woven = written.and_then(|p| self.body.places[p].as_var());
            if woven.is_some_and(|v| self.values.is_ghost(v)) || matches!(edge.stmt, Stmt::Check(_))
            {
                work.clear();
            }
            while let Some(item) = work.pop() {
                match item {
                    Item::Expr(e) => {
                        ir::walk::expr_items(&self.body.exprs[e], &mut |i| work.push(i));
                    }
                    Item::Place(p) => {
                        let place = &self.body.places[p];
                        if let ir::Base::Var(v) = place.base {
                            read |= bit(v);
                        }
                        ir::walk::place_items(place, &mut |i| work.push(i));
                    }
                }
            }
            let whole = written.and_then(|p| self.body.places[p].as_var());
            effects.push((read, whole.map_or(0, bit)));
        }
        let mut live = vec![0u64; self.body.node_count as usize];
        loop {
            let mut changed = false;
            for (at, edge) in edges.values().enumerate().rev() {
                let (read, written) = effects[at];
                let new = read | live[edge.to.index()] & !written;
                let known = &mut live[edge.from.index()];
                changed |= new & !*known != 0;
                *known |= new;
            }
            if !changed {
                break;
            }
        }
        self.live = live;
    }
}
