//! Where a label stands in a body, and the value that it speaks of there.

use super::label::Outcome;
use ir::{Body, ExprId, ExprKind, Place, PlaceId, Stmt, VarKind};

/// Statements that are looked at for where a value was read.
const ORIGIN: usize = 16;

/// A statement that carries a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The position of its edge.
    pub edge: usize,
    pub label: usize,
    pub value: Option<Subject>,
    /// Behind the statement rather than before it.
    pub after: bool,
    pub outcome: Outcome,
}

/// The value that a label speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Expr(ExprId),
    /// What was put into the place.
    Content(PlaceId),
}

impl Subject {
    /// The value without conversions of pointers around it: where it is loaded from, if it is.
    pub fn place(self, body: &Body) -> Option<PlaceId> {
        match self {
            Subject::Content(place) => Some(place),
            Subject::Expr(e) => body.loaded(e),
        }
    }

    /// Is it the address of a variable or a global, which never changes and is never null?
    pub fn is_fixed_address(self, body: &Body) -> bool {
        let Subject::Expr(mut e) = self else {
            return false;
        };
        loop {
            match body.exprs.get(e).map(|e| &e.kind) {
                Some(ExprKind::Cast(inner)) => e = *inner,
                Some(ExprKind::AddrOf(place)) => {
                    let place = body.places.get(*place);
                    return place.is_some_and(|p| !matches!(p.base, ir::Base::Deref(_)));
                }
                _ => return false,
            }
        }
    }
}

/// Names values by where they were read: `delete b->p` reads `$ = b->p`, tests `$`, and frees it, and
/// it is `b->p` of which a later statement knows something. Only what is read just before, with
/// nothing in between but tests, is sure to be there still.
pub(crate) fn name_by_origin(body: &Body, sites: &mut [Site]) {
    let is_temporary = |p: PlaceId| {
        let var = body.places.get(p).and_then(Place::as_var);
        var.and_then(|v| body.vars.get(v))
            .is_some_and(|v| v.kind == VarKind::Temp && !v.address_taken)
    };
    let temporary = |site: &Site| match site.value {
        Some(Subject::Expr(e)) if !site.after => body.loaded(e).filter(|p| is_temporary(*p)),
        _ => None,
    };
    if !sites.iter().any(|site| temporary(site).is_some()) {
        return;
    }
    let into = body.in_edges();
    let edges = body.edges().as_slice();
    for site in sites {
        let Some(held) = temporary(site) else {
            continue;
        };
        let mut node = edges[site.edge].from;
        for _ in 0..ORIGIN {
            let [only] = into[node.0 as usize][..] else {
                break;
            };
            let edge = &body.edges()[only];
            match edge.stmt {
                Stmt::Assume(_) | Stmt::Check(_) | Stmt::Skip => node = edge.from,
                Stmt::Assign { place, value } if place == held => {
                    if body.loaded(value).is_some() {
                        site.value = Some(Subject::Expr(value));
                    }
                    break;
                }
                _ => break,
            }
        }
    }
}
