//! Which functions a field of a struct can hold: `err->error_exit` is what somebody assigned to an
//! `error_exit`, and not any function of that type.
//!
//! Field-based: all objects of a struct type share one set for each of their fields. It is exact as long as
//! fields are written as fields. Where anything but a function's name (or the same field of another
//! object) is put into a field, or its address is taken, the field can hold anything.

use crate::body::Body;
use crate::expr::{Base, Expr, ExprId, ExprKind, PlaceId, Projection};
use crate::program::{FuncId, Program, Target};
use crate::stmt::{Call, Callee, Stmt};
use crate::types::{StructId, Type, TypeId, TypeTable};
use crate::walk::{Item, used_by_program};
use rustc_hash::FxHashMap;

type Field = (StructId, u32);

/// For every field that holds functions which; none for one that can hold anything.
#[derive(Default)]
pub struct FieldTargets {
    fields: FxHashMap<Field, Option<Vec<FuncId>>>,
}

impl FieldTargets {
    pub fn new(program: &Program) -> FieldTargets {
        let mut targets = FieldTargets::default();
        for (_, _, body) in program.bodies() {
            targets.read_body(program, body);
        }
        for g in program.globals.values() {
            for r in g.init.iter().flat_map(|i| &i.relocations) {
                if let Some(field) = field_at(&program.types, g.ty, r.offset) {
                    match r.target {
                        Target::Function(f) if r.addend == 0 => targets.add(field, f),
                        _ => targets.give_up(field),
                    }
                }
            }
        }
        for functions in targets.fields.values_mut().flatten() {
            functions.sort_unstable();
            functions.dedup();
        }
        targets
    }

    /// The functions that an indirect call through a field may reach, in id order; none if it is
    /// no such call or nobody knows.
    pub fn of_call(&self, program: &Program, body: &Body, call: &Call) -> Option<&[FuncId]> {
        let Callee::Indirect(e) = call.callee else {
            return None;
        };
        let field = loaded_field(program, body, e)?;
        let functions = self.fields.get(&field)?.as_ref()?;
        (!functions.is_empty()).then_some(functions)
    }

    fn add(&mut self, field: Field, f: FuncId) {
        if let Some(functions) = self.fields.entry(field).or_insert_with(|| Some(Vec::new())) {
            functions.push(f);
        }
    }

    fn give_up(&mut self, field: Field) {
        self.fields.insert(field, None);
    }

    fn read_body(&mut self, program: &Program, body: &Body) {
        for edge in body.edges().values() {
            match &edge.stmt {
                Stmt::Assign { place, value } => {
                    if let Some(field) = field_of(program, body, *place) {
                        self.store(program, body, field, *value);
                    }
                }
                Stmt::Havoc { place, .. } => {
                    if let Some(field) = field_of(program, body, *place) {
                        self.give_up(field);
                    }
                }
                Stmt::Call(call) => {
                    if let Some(field) = call.result.and_then(|p| field_of(program, body, p)) {
                        self.give_up(field);
                    }
                }
                _ => {}
            }
        }
        // Few bodies take the address of such a field.
        let takes = |e: &Expr| match e.kind {
            ExprKind::AddrOf(place) => field_of(program, body, place).is_some(),
            _ => false,
        };
        if !body.exprs.values().any(takes) {
            return;
        }
        used_by_program(body, &mut |item| {
            if let Item::Expr(e) = item
                && let ExprKind::AddrOf(place) = body.exprs[e].kind
                && let Some(field) = field_of(program, body, place)
            {
                self.give_up(field);
            }
        });
    }

    fn store(&mut self, program: &Program, body: &Body, field: Field, value: ExprId) {
        let value = bare(body, value);
        match body.exprs[value].kind {
            ExprKind::Function(f) => self.add(field, f),
            ExprKind::Null | ExprKind::Int(0) => {}
            _ if loaded_field(program, body, value) == Some(field) => {}
            _ => self.give_up(field),
        }
    }
}

fn bare(body: &Body, mut e: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    e
}

fn loaded_field(program: &Program, body: &Body, e: ExprId) -> Option<Field> {
    match body.exprs[bare(body, e)].kind {
        ExprKind::Load(place) => field_of(program, body, place),
        _ => None,
    }
}

/// The field that a place is, if that is a pointer to a function.
fn field_of(program: &Program, body: &Body, place: PlaceId) -> Option<Field> {
    let types = &program.types;
    let place = &body.places[place];
    if !is_function_pointer(types, place.ty) {
        return None;
    }
    let (Projection::Field(last), before) = place.projections.split_last()? else {
        return None;
    };
    let mut ty = match place.base {
        Base::Var(v) => body.vars[v].ty,
        Base::Global(g) => program.globals[g].ty,
        Base::Deref(e) => types.pointee(body.exprs[e].ty)?,
    };
    for projection in before {
        ty = match *projection {
            Projection::Field(n) => types.as_struct(ty)?.fields.get(n as usize)?.ty,
            Projection::Index(_) => match *types.lookup(ty)? {
                Type::Array { elem, .. } => elem,
                _ => return None,
            },
            Projection::As(to) => to,
        };
    }
    match *types.lookup(ty)? {
        // What one part of a union holds another may have put there.
        Type::Struct(s) if !types.structs.get(s)?.union => Some((s, *last)),
        _ => None,
    }
}

fn is_function_pointer(types: &TypeTable, ty: TypeId) -> bool {
    types
        .pointee(ty)
        .is_some_and(|to| matches!(types.lookup(to), Some(Type::Function { .. })))
}

/// The field with a pointer to a function at this offset of a type.
fn field_at(types: &TypeTable, ty: TypeId, offset: u64) -> Option<Field> {
    let part = types.part_at(ty, offset)?;
    let whole = part.within == 0 && is_function_pointer(types, part.ty);
    part.field.filter(|_| whole)
}
