//! Which addresses of its own variables a function hands to those that outlive them.
//!
//! Judged by the text alone, without regard to order: a variable *leads* to a local if something computed from the local's
//! address is ever put into it. Of a value that is returned, or put into a global or behind a parameter, this says
//! which locals a check has to ask about; whether it can be one of them there is for the engines to find out. Most
//! functions take no address that goes anywhere, and have no check.

use ir::{
    Base, Body, Callee, Edge, ExprId, ExprKind, PlaceId, Projection, Span, Stmt, TypeTable, VarId,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A piece of memory that goes when the function is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    Variable(VarId),
    /// The variable-length array that this variable holds the address of.
    Array(VarId),
}

/// What is put where others find it.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub place: PlaceId,
    pub local: Local,
    /// Where it is put there first.
    pub span: Span,
}

/// More locals than these are not asked about.
const MOST: usize = 4;

type Locals = SmallVec<[Local; MOST]>;

/// Where the addresses of a body's locals go.
#[derive(Default)]
pub struct Beyond {
    leads: FxHashMap<VarId, Locals>,
    pub kept: Vec<Kept>,
}

impl Beyond {
    /// `name`: the linkage name of a function. `is_main`: nobody is there to find what it leaves.
    pub fn of<'n>(
        types: &TypeTable,
        body: &Body,
        edges: &[Edge],
        is_main: bool,
        name: impl Fn(ir::FuncId) -> &'n str,
    ) -> Beyond {
        let mut beyond = Beyond::default();
        let arrays = edges.iter().filter_map(|edge| match edge.stmt {
            Stmt::Allocate { var, .. } => Some(var),
            _ => None,
        });
        for v in arrays {
            let of = beyond.leads.entry(v).or_default();
            if !of.contains(&Local::Array(v)) {
                of.push(Local::Array(v));
            }
        }
        let taken = |(id, v): (VarId, &ir::Var)| v.address_taken && body.ret != Some(id);
        if beyond.leads.is_empty() && !body.vars.iter().any(taken) {
            return beyond;
        }
        while beyond.learn(body, edges, &name) {}
        if !is_main {
            beyond.keep(types, body, edges);
        }
        beyond
    }

    /// One round over all assignments; true if something was new.
    fn learn<'n>(
        &mut self,
        body: &Body,
        edges: &[Edge],
        name: &impl Fn(ir::FuncId) -> &'n str,
    ) -> bool {
        let mut changed = false;
        for edge in edges {
            let (to, value) = match &edge.stmt {
                Stmt::Assign { place, value } => (*place, *value),
                Stmt::Call(call) => match (call.callee, call.result, call.args.first()) {
                    (Callee::Direct(f), Some(place), Some(first)) if gives_first(name(f)) => {
                        (place, *first)
                    }
                    _ => continue,
                },
                _ => continue,
            };
            let Base::Var(v) = body.places[to].base else {
                continue;
            };
            for local in self.locals(body, value) {
                let of = self.leads.entry(v).or_default();
                if !of.contains(&local) && of.len() < MOST {
                    of.push(local);
                    changed = true;
                }
            }
        }
        changed
    }

    /// The locals that a value may lead to.
    pub fn locals(&self, body: &Body, value: ExprId) -> Locals {
        let mut found = Locals::new();
        let mut add = |local: Local| {
            if !found.contains(&local) && found.len() < MOST {
                found.push(local);
            }
        };
        let mut stack: SmallVec<[ExprId; 8]> = SmallVec::from_slice(&[value]);
        let mut left = 64;
        while let Some(e) = stack.pop() {
            left -= 1;
            if left == 0 {
                break;
            }
            match body.exprs[e].kind {
                ExprKind::AddrOf(place) => match body.places[place].base {
                    Base::Var(v) => add(Local::Variable(v)),
                    Base::Deref(pointer) => stack.push(pointer),
                    Base::Global(_) => {}
                },
                ExprKind::Load(place) => {
                    if let Base::Var(v) = body.places[place].base {
                        self.leads
                            .get(&v)
                            .into_iter()
                            .flatten()
                            .copied()
                            .for_each(&mut add);
                    }
                }
                ExprKind::Cast(inner) => stack.push(inner),
                ExprKind::PtrAdd(base, _) => stack.push(base),
                ExprKind::Select(_, a, b) => stack.extend([a, b]),
                _ => {}
            }
        }
        found
    }

    /// Finds what is put into globals, and behind pointers that came from elsewhere and stay what they are.
    fn keep(&mut self, types: &TypeTable, body: &Body, edges: &[Edge]) {
        let mut kept: Vec<Kept> = Vec::new();
        for edge in edges {
            let Stmt::Assign { place, value } = edge.stmt else {
                continue;
            };
            let to = &body.places[place];
            let fixed = |step: &Projection| match *step {
                Projection::Field(_) | Projection::As(_) => true,
                Projection::Index(i) => matches!(body.exprs[i].kind, ExprKind::Int(_)),
            };
            if matches!(to.base, Base::Var(_))
                || !types.is_pointer(to.ty)
                || !to.projections.iter().all(fixed)
            {
                continue;
            }
            if let Base::Deref(pointer) = to.base
                && !self.stays(body, edges, pointer)
            {
                continue;
            }
            for local in self.locals(body, value) {
                let same = |k: &Kept| k.place == place && k.local == local;
                if !kept.iter().any(same) && kept.len() < 2 * MOST {
                    kept.push(Kept {
                        place,
                        local,
                        span: edge.span,
                    });
                }
            }
        }
        self.kept = kept;
    }

    /// Is the pointer held by a variable that is set once, or only by the caller, and leads to no local?
    fn stays(&self, body: &Body, edges: &[Edge], pointer: ExprId) -> bool {
        let Some(v) = body.loaded(pointer).and_then(|p| body.places[p].as_var()) else {
            return false;
        };
        let is_it = |p: PlaceId| matches!(body.places[p].base, Base::Var(w) if w == v);
        let set = edges.iter().filter(|edge| match &edge.stmt {
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => is_it(*place),
            Stmt::Call(call) => call.result.is_some_and(is_it),
            _ => false,
        });
        let times = set.count() + usize::from(body.params.contains(&v));
        times == 1 && !body.vars[v].address_taken && !self.leads.contains_key(&v)
    }
}

/// Library functions that give their first argument back.
fn gives_first(name: &str) -> bool {
    matches!(
        name,
        "strcpy" | "strncpy" | "strcat" | "strncat" | "memcpy" | "memmove" | "memset"
    )
}
