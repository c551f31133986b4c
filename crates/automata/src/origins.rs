//! Which of the caller's pointers a pointer of a body may be, judging by the text alone.
//!
//! Copies, casts and offsets that the text states are followed, without regard to order: `q = p; q++;` may
//! be `p`, or something of it at an offset that is not known.

use crate::entry::{Access, DEPTH, Part};
use crate::frame::bits_of;
use crate::sensitive::{kind_of, moved};
use ir::arena::Id;
use ir::{Base, Body, ExprId, ExprKind, PlaceId, Program, Projection, Stmt, Type, TypeId, VarId};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// Origins of one pointer that are told, and expressions that are looked at for it.
const MOST: usize = 8;
const STEPS: usize = 64;

/// What a pointer may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The caller's, so many bytes further; none: not known how many.
    Given(Access, Option<i64>),
    /// The address of something in a variable.
    Local(VarId),
}

/// The pointers of a body.
pub struct Pointers<'a> {
    program: &'a Program,
    body: &'a Body,
    /// By variable: what is assigned to it or to parts of it.
    assigned: Vec<SmallVec<[ExprId; 2]>>,
    param: Vec<Option<u32>>,
    /// By expression: what [`Pointers::of`] has found.
    memo: RefCell<Vec<Option<Rc<[Origin]>>>>,
}

impl<'a> Pointers<'a> {
    pub fn new(program: &'a Program, body: &'a Body) -> Pointers<'a> {
        let mut assigned = vec![SmallVec::new(); body.vars.len()];
        for edge in body.edges().values() {
            if let Stmt::Assign { place, value } = &edge.stmt
                && let Base::Var(v) = body.places[*place].base
            {
                assigned[v.index()].push(*value);
            }
        }
        let mut param = vec![None; body.vars.len()];
        for (i, v) in body.params.iter().enumerate() {
            param[v.index()] = Some(i as u32);
        }
        Pointers {
            program,
            body,
            assigned,
            param,
            memo: RefCell::new(vec![None; body.exprs.len()]),
        }
    }

    /// Which parameter a variable is.
    pub fn param(&self, v: VarId) -> Option<u32> {
        self.param[v.index()]
    }

    /// What is assigned to a variable anywhere.
    pub fn assigned(&self, v: VarId) -> impl Iterator<Item = ExprId> + '_ {
        self.assigned[v.index()].iter().copied()
    }

    /// The scalar that a place is, as seen from its base; none if that is computed.
    pub fn part(&self, place: PlaceId) -> Option<Part> {
        let (start, field, ty) = self.position(place)?;
        let bits = field.unwrap_or_else(|| bits_of(self.program.types.store_size(ty)));
        Some(Part {
            start,
            bits,
            kind: kind_of(self.program, ty)?,
        })
    }

    /// Bits from the base, the bits of a bit-field, and the type.
    fn position(&self, place: PlaceId) -> Option<(i64, Option<u32>, TypeId)> {
        let types = &self.program.types;
        let place = &self.body.places[place];
        let mut ty = match place.base {
            Base::Var(v) => self.body.vars[v].ty,
            Base::Global(g) => self.program.globals[g].ty,
            Base::Deref(e) => types.pointee(self.body.exprs[e].ty)?,
        };
        let (mut start, mut bits) = (0i64, None);
        for step in &place.projections {
            match *step {
                Projection::Field(n) => {
                    let field = types.as_struct(ty)?.fields.get(n as usize)?;
                    start = start.checked_add(i64::try_from(field.offset.checked_mul(8)?).ok()?)?;
                    bits = field.bits.map(|(_, bits)| u32::from(bits));
                    start += field.bits.map_or(0, |(low, _)| i64::from(low));
                    ty = field.ty;
                }
                Projection::Index(e) => {
                    let Type::Array { elem, .. } = *types.get(ty) else {
                        return None;
                    };
                    let by = self.stated(e)?.checked_mul(self.size(elem)?)?;
                    start = start.checked_add(by.checked_mul(8)?)?;
                    (ty, bits) = (elem, None);
                }
                Projection::As(to) => (ty, bits) = (to, None),
            }
        }
        Some((start, bits, ty))
    }

    fn size(&self, ty: TypeId) -> Option<i64> {
        i64::try_from(self.program.types.size_of(ty)).ok()
    }

    /// A number that the text states.
    fn stated(&self, e: ExprId) -> Option<i64> {
        let expr = &self.body.exprs[e];
        let ExprKind::Int(bits) = expr.kind else {
            return None;
        };
        let (width, signed) = self.program.types.as_int(expr.ty)?;
        i64::try_from(ir::int_value(bits, width, signed)).ok()
    }

    /// What the pointer may be, in the order of the text, as far as it is known.
    pub fn of(&self, pointer: ExprId) -> Rc<[Origin]> {
        if let Some(known) = &self.memo.borrow()[pointer.index()] {
            return Rc::clone(known);
        }
        let found = match self.base(pointer) {
            Some((base, Some(0))) => self.of(base),
            Some((base, by)) => shifted(&self.of(base), by),
            None => {
                let mut search = Search::new(self);
                search.expr(pointer, Some(0));
                search.found.into()
            }
        };
        self.memo.borrow_mut()[pointer.index()] = Some(Rc::clone(&found));
        found
    }

    /// The pointer that another is so many bytes behind, by their form.
    fn base(&self, pointer: ExprId) -> Option<(ExprId, Option<i64>)> {
        let body = self.body;
        match body.exprs[pointer].kind {
            ExprKind::Cast(inner) => Some((inner, Some(0))),
            ExprKind::PtrAdd(base, index) => {
                let stride = self.program.types.stride(body.exprs[base].ty);
                let by = self.stated(index).zip(i64::try_from(stride).ok());
                Some((
                    base,
                    by.and_then(|(index, stride)| index.checked_mul(stride)),
                ))
            }
            ExprKind::AddrOf(place) => match body.places[place].base {
                Base::Deref(inner) => {
                    let position = self.position(place);
                    Some((inner, position.map(|(start, _, _)| start / 8)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What the pointers at a position behind others may be.
    pub fn through(&self, holders: &[Origin], at: Part) -> Rc<[Origin]> {
        let mut search = Search::new(self);
        search.through(holders, at, Some(0));
        search.found.into()
    }
}

struct Search<'a, 'b> {
    pointers: &'a Pointers<'b>,
    /// Variables that were looked at, and at which offset.
    seen: SmallVec<[(VarId, Option<i64>); 8]>,
    found: Vec<Origin>,
    /// Pointers that are followed to get to this one.
    depth: usize,
    /// Expressions that may still be looked at.
    left: usize,
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(pointers: &'a Pointers<'b>) -> Search<'a, 'b> {
        Search {
            pointers,
            seen: SmallVec::new(),
            found: Vec::new(),
            depth: 0,
            left: STEPS,
        }
    }

    fn tell(&mut self, origin: Origin) {
        if self.found.len() < MOST && !self.found.contains(&origin) {
            self.found.push(origin);
        }
    }

    fn expr(&mut self, e: ExprId, offset: Option<i64>) {
        let Some(left) = self.left.checked_sub(1) else {
            return;
        };
        self.left = left;
        if let Some((base, by)) = self.pointers.base(e) {
            return self.expr(base, sum(offset, by));
        }
        let body = self.pointers.body;
        match body.exprs[e].kind {
            ExprKind::Load(place) => self.load(place, offset),
            ExprKind::Select(_, a, b) => {
                self.expr(a, offset);
                self.expr(b, offset);
            }
            ExprKind::AddrOf(place) => {
                if let Base::Var(v) = body.places[place].base {
                    self.tell(Origin::Local(v));
                }
            }
            _ => {}
        }
    }

    fn load(&mut self, place: PlaceId, offset: Option<i64>) {
        match self.pointers.body.places[place].base {
            Base::Var(v) => {
                if let Some(i) = self.pointers.param(v) {
                    self.tell(Origin::Given(Access::param(i), offset));
                }
                self.variable(v, offset);
            }
            Base::Global(_) => {}
            Base::Deref(inner) => {
                let part = self.pointers.part(place);
                let Some(part) = part.filter(|_| self.depth < DEPTH) else {
                    return;
                };
                let mut holders = Search {
                    depth: self.depth + 1,
                    left: self.left,
                    ..Search::new(self.pointers)
                };
                holders.expr(inner, Some(0));
                self.left = holders.left;
                let holders = holders.found;
                self.through(&holders, part, offset);
            }
        }
    }

    fn variable(&mut self, v: VarId, offset: Option<i64>) {
        // What comes round at another offset comes round at any.
        let again = self.seen.iter().any(|(seen, _)| *seen == v);
        let offset = if again { None } else { offset };
        if self.seen.contains(&(v, offset)) {
            return;
        }
        self.seen.push((v, offset));
        if again && let Some(i) = self.pointers.param(v) {
            self.tell(Origin::Given(Access::param(i), None));
        }
        for value in self.pointers.assigned(v) {
            let ty = self.pointers.body.exprs[value].ty;
            if self.pointers.program.types.is_pointer(ty) {
                self.expr(value, offset);
            }
        }
    }

    fn through(&mut self, holders: &[Origin], at: Part, offset: Option<i64>) {
        for holder in holders {
            match holder {
                Origin::Given(access, Some(by)) => {
                    if let Some(access) = access.then(moved(at, *by)) {
                        self.tell(Origin::Given(access, offset));
                    }
                }
                Origin::Given(_, None) => {}
                Origin::Local(v) => self.variable(*v, offset),
            }
        }
    }
}

/// The same pointers, so many bytes further.
fn shifted(origins: &[Origin], by: Option<i64>) -> Rc<[Origin]> {
    let mut moved: Vec<Origin> = Vec::with_capacity(origins.len());
    for origin in origins {
        let origin = match origin {
            Origin::Given(access, offset) => Origin::Given(access.clone(), sum(*offset, by)),
            Origin::Local(v) => Origin::Local(*v),
        };
        if !moved.contains(&origin) {
            moved.push(origin);
        }
    }
    moved.into()
}

fn sum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_add(b?)
}
