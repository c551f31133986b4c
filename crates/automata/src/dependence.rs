//! The walk that finds what a function is sensitive to.
//!
//! One walk backwards from the conditions of the open checks, over copies and arithmetic and without regard to
//! order. It may name too much, which costs an analysis, or too little (what went through other
//! memory, or came back from a call), which costs a finding; never a wrong proof, for what is proved for
//! any caller is proved for each.

use crate::entry::{Access, Part};
use crate::function::Verdict;
use crate::origins::{Origin, Pointers};
use crate::sensitive::{CELLS, Matters, Sensitive, moved};
use crate::summary::Summary;
use ir::arena::Id;
use ir::walk::{Item, expr_items};
use ir::{
    Base, Body, Call, Callee, CheckId, Condition, EdgeId, ExprId, ExprKind, FuncId, PlaceId,
    Program, Projection, Stmt, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Statements between a branch and what must not be reached behind it; copies that an index is sought through.
const NEAR: usize = 16;

/// What the checks of a body depend on that were not proved.
pub fn sensitive<'s>(
    program: &Program,
    body: &Body,
    summary: impl Fn(FuncId) -> Option<&'s Summary>,
    verdicts: &[Verdict],
    is_wanted: impl Fn(CheckId) -> bool,
) -> Sensitive {
    if body.params.is_empty() {
        return Sensitive::default();
    }
    let mut walk = Walk {
        program,
        body,
        pointers: Pointers::new(program, body),
        found: FxHashMap::default(),
        cells: 0,
        mark: Matters::default(),
        exprs: vec![false; body.exprs.len()],
        vars: vec![false; body.vars.len()],
        work: Vec::new(),
        read: vec![false; body.places.len()],
        used: vec![0; body.exprs.len()],
        passed: FxHashSet::default(),
        entering: None,
    };
    walk.begin(Matters {
        value: true,
        ..Matters::default()
    });
    for (id, edge) in body.edges().iter() {
        match &edge.stmt {
            Stmt::Check(check) if is_wanted(*check) => {
                let open = verdicts.get(check.index()).is_none_or(is_open);
                walk.check(id, &body.checks[*check].condition, open);
            }
            Stmt::Call(call) => walk.call(call, &summary),
            _ => {}
        }
    }
    walk.run();
    if !walk.found.values().any(Matters::triggers) {
        return Sensitive::default();
    }
    walk.begin(Matters {
        guards: true,
        ..Matters::default()
    });
    for edge in body.edges().values() {
        match &edge.stmt {
            Stmt::Assume(e) => walk.work.push(*e),
            Stmt::Call(call) => walk.guards_of(call, &summary),
            _ => {}
        }
    }
    walk.run();
    Sensitive::of(walk.found)
}

fn is_open(verdict: &Verdict) -> bool {
    !matches!(verdict, Verdict::Proved | Verdict::Unwanted)
}

/// The walk backwards.
struct Walk<'a> {
    program: &'a Program,
    body: &'a Body,
    pointers: Pointers<'a>,
    found: FxHashMap<Access, Matters>,
    /// How many of them lie behind parameters.
    cells: usize,
    /// What the walk is about.
    mark: Matters,
    /// Seen.
    exprs: Vec<bool>,
    vars: Vec<bool>,
    work: Vec<ExprId>,
    /// Places that must be written before.
    read: Vec<bool>,
    /// By pointer: one more than the bytes that are used there.
    used: Vec<i64>,
    /// What was passed on, and to which parameter of whom.
    passed: FxHashSet<(FuncId, u32, ExprId)>,
    /// The one edge into each node, if there is but one; once somebody asks.
    entering: Option<Vec<Option<EdgeId>>>,
}

impl Walk<'_> {
    fn begin(&mut self, mark: Matters) {
        self.mark = mark;
        self.exprs.fill(false);
        self.vars.fill(false);
        self.passed.clear();
    }

    fn add(&mut self, access: Access, matters: &Matters) {
        let is_cell = !access.path.is_empty();
        match self.found.entry(access) {
            Entry::Occupied(mut known) => known.get_mut().add(matters),
            Entry::Vacant(_) if is_cell && self.cells == CELLS => {}
            Entry::Vacant(new) => {
                self.cells += usize::from(is_cell);
                new.insert(*matters);
            }
        }
    }

    /// Whatever the values of the expressions at hand are computed from.
    fn run(&mut self) {
        while let Some(e) = self.work.pop() {
            if std::mem::replace(&mut self.exprs[e.index()], true) {
                continue;
            }
            match self.body.exprs[e].kind {
                ExprKind::Load(place) => self.load(place),
                ExprKind::AddrOf(place) => {
                    let place = &self.body.places[place];
                    if let Base::Deref(pointer) = place.base {
                        self.work.push(pointer);
                    }
                    for step in &place.projections {
                        if let Projection::Index(e) = step {
                            self.work.push(*e);
                        }
                    }
                }
                _ => {
                    let work = &mut self.work;
                    expr_items(&self.body.exprs[e], &mut |item| {
                        if let Item::Expr(e) = item {
                            work.push(e);
                        }
                    });
                }
            }
        }
    }

    fn load(&mut self, place: PlaceId) {
        match self.body.places[place].base {
            Base::Var(v) => self.variable(v),
            Base::Global(_) => {}
            Base::Deref(_) => {
                let mark = self.mark;
                self.behind(place, &mark);
            }
        }
    }

    fn variable(&mut self, v: VarId) {
        if std::mem::replace(&mut self.vars[v.index()], true) {
            return;
        }
        if let Some(i) = self.pointers.param(v) {
            let mark = self.mark;
            self.add(Access::param(i), &mark);
        }
        self.work.extend(self.pointers.assigned(v));
    }

    /// The scalar in a place that a pointer leads to.
    fn behind(&mut self, place: PlaceId, matters: &Matters) {
        let Base::Deref(pointer) = self.body.places[place].base else {
            return;
        };
        let Some(part) = self.pointers.part(place) else {
            return;
        };
        for origin in self.pointers.of(pointer).iter() {
            self.part_of(origin, part, matters);
        }
    }

    fn part_of(&mut self, origin: &Origin, part: Part, matters: &Matters) {
        match origin {
            Origin::Given(access, Some(offset)) => {
                if let Some(access) = access.then(moved(part, *offset)) {
                    self.add(access, matters);
                }
            }
            Origin::Given(_, None) => {}
            Origin::Local(v) => {
                if matters.value || matters.guards {
                    self.variable(*v);
                }
            }
        }
    }

    fn check(&mut self, edge: EdgeId, condition: &Condition, open: bool) {
        let definition = Matters {
            definition: true,
            ..Matters::default()
        };
        match *condition {
            // What comes from a caller is taken to be written, so this is never settled for all.
            Condition::Initialized(place) => {
                if !std::mem::replace(&mut self.read[place.index()], true) {
                    self.behind(place, &definition);
                }
            }
            _ if !open => {}
            Condition::Holds(e) => self.work.push(e),
            Condition::InBounds { pointer, size } => {
                let bytes = match self.body.exprs[size].kind {
                    ExprKind::Int(bytes) => u32::try_from(bytes).ok().map(i64::from),
                    _ => None,
                };
                self.work.push(size);
                let bytes = bytes.unwrap_or(0);
                let known = &mut self.used[pointer.index()];
                if *known < bytes + 1 {
                    *known = bytes + 1;
                    self.room(pointer, (0, bytes));
                    self.indices(pointer);
                }
            }
            Condition::Unreachable => {
                let condition = self.branch_before(edge);
                self.work.extend(condition);
            }
            // Whether what a caller hands over is alive is for the caller to know.
            Condition::Alive(_) | Condition::Freeable { .. } | Condition::Apart(..) => {}
        }
    }

    /// So many bytes at the pointer are used.
    fn room(&mut self, pointer: ExprId, bytes: (i64, i64)) {
        for origin in self.pointers.of(pointer).iter() {
            let Origin::Given(access, offset) = origin else {
                continue;
            };
            let (from, to) = offset.map_or((0, 0), |offset| {
                (
                    bytes.0.saturating_add(offset),
                    bytes.1.saturating_add(offset),
                )
            });
            let room = Matters {
                room: true,
                from: from.min(0),
                to: to.max(0),
                ..Matters::default()
            };
            self.add(access.clone(), &room);
        }
    }

    /// The numbers that decide where in an object a pointer points to.
    fn indices(&mut self, pointer: ExprId) {
        let mut seen: Vec<VarId> = Vec::new();
        let mut pointers = vec![pointer];
        while let Some(e) = pointers.pop() {
            match self.body.exprs[e].kind {
                ExprKind::PtrAdd(base, index) => {
                    pointers.push(base);
                    self.work.push(index);
                }
                ExprKind::Cast(inner) => pointers.push(inner),
                ExprKind::AddrOf(place) => {
                    let place = &self.body.places[place];
                    for step in &place.projections {
                        if let Projection::Index(e) = step {
                            self.work.push(*e);
                        }
                    }
                    if let Base::Deref(inner) = place.base {
                        pointers.push(inner);
                    }
                }
                ExprKind::Load(place) => {
                    if let Some(v) = self.body.places[place].as_var()
                        && !seen.contains(&v)
                        && seen.len() < NEAR
                    {
                        seen.push(v);
                        pointers.extend(self.pointers.assigned(v));
                    }
                }
                _ => {}
            }
        }
    }

    /// The condition of the branch that leads to an edge.
    fn branch_before(&mut self, edge: EdgeId) -> Option<ExprId> {
        let body = self.body;
        let entering = self.entering.get_or_insert_with(|| only_way_in(body));
        let mut node = body.edges()[edge].from;
        for _ in 0..NEAR {
            let last = &body.edges()[entering[node.index()]?];
            if let Stmt::Assume(e) = last.stmt {
                return Some(e);
            }
            node = last.from;
        }
        None
    }

    /// What is passed on to a function that is sensitive to it.
    fn call<'s>(&mut self, call: &Call, summary: impl Fn(FuncId) -> Option<&'s Summary>) {
        match call.callee {
            Callee::Direct(callee) => self.pass_on(call, callee, summary, Matters::triggers),
            Callee::Indirect(e) => self.target(e),
        }
    }

    /// The pointer decides which function is called.
    fn target(&mut self, pointer: ExprId) {
        let target = Matters {
            target: true,
            ..Matters::default()
        };
        for origin in self.pointers.of(pointer).iter() {
            if let Origin::Given(access, Some(0)) = origin {
                self.add(access.clone(), &target);
            }
        }
    }

    fn guards_of<'s>(&mut self, call: &Call, summary: impl Fn(FuncId) -> Option<&'s Summary>) {
        match call.callee {
            Callee::Direct(callee) => self.pass_on(call, callee, summary, |m| m.guards),
            // Where a caller knows who it is, it may be sensitive to whatever it is passed.
            Callee::Indirect(_) => self.work.extend(&call.args),
        }
    }

    fn pass_on<'s>(
        &mut self,
        call: &Call,
        callee: FuncId,
        summary: impl Fn(FuncId) -> Option<&'s Summary>,
        wanted: impl Fn(&Matters) -> bool,
    ) {
        let Some(body) = &self.program.functions[callee].body else {
            return;
        };
        let unknown;
        let sensitive = match summary(callee) {
            Some(summary) => &summary.sensitive,
            None => {
                unknown = Sensitive::unknown(self.program, body);
                &unknown
            }
        };
        let mut last = None;
        for (access, matters) in sensitive.iter().filter(|(_, m)| wanted(m)) {
            let Some(&arg) = call.args.get(access.param as usize) else {
                continue;
            };
            // The same is often passed to the same function, again and again.
            if last != Some(access.param) && !self.passed.insert((callee, access.param, arg)) {
                continue;
            }
            last = Some(access.param);
            // What guards is worth less than what it costs to find it far away.
            if !self.mark.guards
                || access.path.is_empty()
                || self.cells < CELLS && access.path.len() == 1
            {
                self.pass(arg, &access.path, matters);
            }
        }
    }

    fn pass(&mut self, arg: ExprId, path: &[Part], matters: &Matters) {
        let own = match self.mark.guards {
            true => self.mark,
            false => Matters {
                guards: false,
                ..*matters
            },
        };
        let Some((last, holders)) = path.split_last() else {
            if own.value || own.guards {
                self.work.push(arg);
            }
            if own.room {
                self.room(arg, (own.from, own.to));
                self.indices(arg);
            }
            if own.target {
                self.target(arg);
            }
            return;
        };
        let mut origins = self.pointers.of(arg);
        for holder in holders {
            if origins.is_empty() {
                return;
            }
            origins = self.pointers.through(&origins, *holder);
        }
        for origin in origins.iter() {
            self.part_of(origin, *last, &own);
        }
    }
}

fn only_way_in(body: &Body) -> Vec<Option<EdgeId>> {
    let mut edges = vec![None; body.node_count as usize];
    let mut several = vec![false; body.node_count as usize];
    for (id, edge) in body.edges().iter() {
        several[edge.to.index()] |= edges[edge.to.index()].replace(id).is_some();
    }
    for (edge, _) in edges.iter_mut().zip(several).filter(|(_, many)| *many) {
        *edge = None;
    }
    edges
}
