//! What a statement does to a state.

use crate::Automata;
use crate::frame::{ObjectKind, Shape};
use crate::memory::Spot;
use crate::slots::Slot;
use crate::state::State;
use crate::value::Value;
use crate::weaken::blurred;
use domain::{CellId, Definition, Gone, Number, ObjectId, Pointer, Targets};
use ir::{BinaryOp, EdgeId, ExprId, ExprKind, PlaceId, Stmt, UnaryOp, VarKind};

impl Automata<'_> {
    /// Executes the statement of an edge; false if no run takes it. Checks are taken to hold: an
    /// error is what does not go on.
    pub fn step(&mut self, st: &mut State, edge: EdgeId) -> bool {
        let body = self.frame.body;
        match &body.edges()[edge].stmt {
            Stmt::Skip => true,
            Stmt::Declare(v) => {
                let object = self.frame.var_object(*v);
                self.note_written(st, object);
                self.refresh(st, object);
                let cell = match self.frame.info(object).whole {
                    Some(_) => CellId::whole(object),
                    None => CellId::rest(object),
                };
                st.definedness.set(cell, Definition::Undefined);
                true
            }
            Stmt::End(v) => {
                let object = self.frame.var_object(*v);
                self.note_written(st, object);
                self.forget_object(st, object);
                st.end_lifetime(object, Gone::Surely);
                true
            }
            Stmt::Allocate { var, count } => {
                let count = self.number(st, *count);
                let ty = body.vars[*var].ty;
                let elem = self.frame.program.types.pointee(ty).unwrap_or(ty);
                let size = self.scaled(&Number::constant(0), &count, elem);
                let object = self.allocate(st, edge, size);
                st.definedness
                    .set(CellId::rest(object), Definition::Undefined);
                let cell = CellId::whole(self.frame.var_object(*var));
                self.write_cell(
                    st,
                    cell,
                    Value::Pointer(Pointer::to(object)),
                    Definition::Defined,
                );
                true
            }
            Stmt::Assign { place, value } => {
                self.assign(st, *place, *value);
                true
            }
            Stmt::Havoc { place, .. } => {
                self.store(st, *place, Value::Unknown, Definition::Defined);
                true
            }
            // Where nothing else could happen nothing was tested: an annotation, or
            // `__builtin_assume`, narrows and acknowledges nothing, as a check that was passed.
            Stmt::Assume(e) if body.out_edges(body.edges()[edge].from).nth(1).is_none() => {
                self.hold(st, *e)
            }
            Stmt::Assume(e) => {
                let truth = self.truth(st, *e);
                let possible = self.assume(st, *e, true);
                st.forced = truth.true_seen;
                possible
            }
            Stmt::Copy {
                target,
                source,
                size,
                ..
            } => {
                self.copy(st, *target, *source, *size);
                true
            }
            Stmt::Fill { target, byte, size } => {
                self.fill(st, *target, *byte, *size);
                true
            }
            Stmt::Call(call) => self.call(st, edge, call),
            Stmt::Check(check) => self.pass(st, *check),
            Stmt::VaStart(e) => {
                let p = self.follow(st, *e);
                self.blur_targets(st, &p.targets);
                true
            }
            Stmt::LandingPad {
                exception,
                selector,
                ..
            } => {
                for v in [*exception, *selector] {
                    let cell = CellId::whole(self.frame.var_object(v));
                    self.write_cell(st, cell, Value::Unknown, Definition::Defined);
                }
                st.forced = false;
                true
            }
            Stmt::Resume(_) => true,
            Stmt::Trap(_) => false,
        }
    }

    /// The object that a statement allocates, fresh, of a size in bytes.
    pub fn allocate(&mut self, st: &mut State, edge: EdgeId, size: Number) -> ObjectId {
        let object = self.frame.object(ObjectKind::Allocated(edge));
        self.refresh(st, object);
        st.bounds.set(CellId::size(object), size);
        object
    }

    fn assign(&mut self, st: &mut State, place: PlaceId, value: ExprId) {
        let body = self.frame.body;
        let ty = body.places[place].ty;
        if self.frame.shape(ty) == Shape::Aggregate {
            if let ExprKind::Load(from) = body.exprs[value].kind {
                let size = self.frame.program.types.size_of(ty);
                let source = self.region_of(st, from);
                let target = self.region_of(st, place);
                self.copy_bytes(st, &target, &source, Some(size));
            } else {
                self.store(st, place, Value::Unknown, Definition::Defined);
            }
            return;
        }
        let mut v = self.eval(st, value);
        let def = self.definition(st, value);
        // A truth value that the compiler keeps for a moment (`a && b`) states a constant on
        // each side of a branch: it says as much as the branch did.
        if let Value::Number(n) = &v
            && !st.forced
            && n.as_constant().is_some()
            && matches!(body.exprs[value].kind, ExprKind::Int(_))
            && let Some(var) = body.places[place].as_var()
            && body.vars[var].kind == VarKind::Temp
            && matches!(self.frame.shape(ty), Shape::Int(int) if int.width == 1)
        {
            v = Value::Number(n.without_evidence());
        }
        self.store(st, place, v, def);
        if let (Some(to), Some(from)) = (self.plain_variable(place), self.copied_variable(value)) {
            st.note_copy(to, from);
        }
    }

    /// The cell of a variable that only assignments to it can change.
    fn plain_variable(&self, place: PlaceId) -> Option<CellId> {
        let v = self.frame.body.places[place].as_var()?;
        let object = self.frame.var_object(v);
        (!self.frame.body.vars[v].address_taken && self.frame.info(object).whole.is_some())
            .then(|| CellId::whole(object))
    }

    /// The variable whose value an expression is.
    pub(crate) fn copied_variable(&self, e: ExprId) -> Option<CellId> {
        match self.frame.body.exprs[e].kind {
            ExprKind::Load(place) => self.plain_variable(place),
            // Pointer casts change nothing.
            ExprKind::Cast(inner)
                if self.frame.shape(self.type_of(e)) == Shape::Pointer
                    && self.frame.shape(self.type_of(inner)) == Shape::Pointer =>
            {
                self.copied_variable(inner)
            }
            _ => None,
        }
    }

    /// Is the value of an expression defined? A value that is merely moved stays what it was;
    /// arithmetic makes a defined one of any, and of what picks bits we do not know.
    pub fn definition(&mut self, st: &mut State, e: ExprId) -> Definition {
        if st.definedness.is_empty() {
            return Definition::Defined;
        }
        match self.frame.body.exprs[e].kind {
            ExprKind::Undef => Definition::Undefined,
            ExprKind::Load(place) => self.place_definition(st, place),
            ExprKind::Cast(inner) => {
                let moved = |e| self.frame.shape(self.type_of(e)) != Shape::Opaque;
                if moved(e) && moved(inner) {
                    self.definition(st, inner)
                } else {
                    Definition::Defined
                }
            }
            ExprKind::Binary(
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr,
                a,
                b,
            )
            | ExprKind::Select(_, a, b) => {
                let both = [a, b].map(|e| self.definition(st, e));
                if both == [Definition::Defined; 2] {
                    Definition::Defined
                } else {
                    Definition::Unclear
                }
            }
            ExprKind::Unary(UnaryOp::Complement, a) => blurred(self.definition(st, a)),
            ExprKind::Intrinsic(_, ref args) => {
                let mut all = args.iter();
                if all.all(|a| self.definition(st, *a) == Definition::Defined) {
                    Definition::Defined
                } else {
                    Definition::Unclear
                }
            }
            _ => Definition::Defined,
        }
    }

    /// Is what is stored in a place defined?
    pub fn place_definition(&mut self, st: &mut State, place: PlaceId) -> Definition {
        if st.definedness.is_empty() {
            return Definition::Defined;
        }
        let (object, start, end) = match self.frame.slot(place) {
            Slot::Cell(cell) => return st.definedness.value(cell),
            Slot::Region(object, start, bits) => (object, start, start.saturating_add(bits)),
            Slot::Computed => {
                let spot = self.locate(st, place);
                let Some(object) = spot.pointer.targets.single() else {
                    return self.definition_of_any(st, &spot);
                };
                if matches!(self.frame.info(object).kind, ObjectKind::Pointee(_))
                    && self.others_see_undefined(st)
                {
                    return Definition::Unclear;
                }
                if let Some(cell) = self.spot_cell(&spot) {
                    return st.definedness.value(cell);
                }
                let rest = st.definedness.value(CellId::rest(object));
                let cells = self.frame.cells(object);
                let mut all = cells.iter().map(|c| st.definedness.value(*c));
                // Which element it is decides, and we do not know.
                return if rest == Definition::Defined && all.all(|d| d == Definition::Defined) {
                    Definition::Defined
                } else {
                    Definition::Unclear
                };
            }
        };
        let mut result: Option<Definition> = None;
        for cell in self.frame.overlapping(object, start, end) {
            let def = st.definedness.value(cell);
            result = Some(result.map_or(def, |r| r.join(def)));
        }
        match result {
            Some(Definition::Undefined) | None => st.definedness.value(CellId::rest(object)),
            Some(Definition::Defined) => Definition::Defined,
            Some(_) => Definition::Unclear,
        }
    }

    /// Of a place that may be in several objects.
    fn definition_of_any(&mut self, st: &State, spot: &Spot) -> Definition {
        let Targets::Known(objects) = &spot.pointer.targets else {
            let unclear = self.others_see_undefined(st);
            return if unclear {
                Definition::Unclear
            } else {
                Definition::Defined
            };
        };
        let defined = st
            .definedness
            .iter()
            .all(|(c, d)| *d == Definition::Defined || !objects.contains(&c.object()));
        if defined {
            Definition::Defined
        } else {
            Definition::Unclear
        }
    }

    /// Is there something undefined that a pointer of unknown origin could point to?
    fn others_see_undefined(&self, st: &State) -> bool {
        let seen = |o: ObjectId| match self.frame.info(o).kind {
            ObjectKind::Global(_) => true,
            ObjectKind::Pointee(_) => false, // undefined only for the sake of summaries
            _ => st.escaped.get(o).is_some(),
        };
        let mut all = st.definedness.iter();
        all.any(|(c, d)| *d != Definition::Defined && seen(c.object()))
    }

    /// Where a place begins.
    fn region_of(&mut self, st: &mut State, place: PlaceId) -> Pointer {
        match self.frame.slot(place) {
            Slot::Region(object, start, _) => Pointer {
                offset: Number::constant(i64::try_from(start / 8).unwrap_or(i64::MAX)),
                ..Pointer::to(object)
            },
            Slot::Cell(_) | Slot::Computed => self.locate(st, place).pointer,
        }
    }
}
