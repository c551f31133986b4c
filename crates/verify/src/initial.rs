//! What globals hold when `main` begins, as the first statements of `main`.
//!
//! The engines analyse functions for any caller, so that a global is an input like any other. A program has one caller of `main`
//! and one start: with its initial values assigned in front, every engine knows them without knowing what a start is.

use ir::{Base, Body, Edge, Expr, ExprId, ExprKind, FuncId, Global, GlobalId, NodeId, Place};
use ir::{HavocReason, PlaceId, Program, Projection, Span, Stmt, Type, TypeId, TypeTable};
use ir::{VarId, VarKind};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// Scalars of one global that are assigned; a global of more is left unknown.
const PARTS: usize = 64;

/// Scalars of all globals.
const ALL: usize = 2000;

/// A scalar part of a global.
struct Part {
    projections: SmallVec<[Step; 2]>,
    ty: TypeId,
    offset: u64,
}

#[derive(Clone, Copy)]
enum Step {
    Field(u32),
    Element(u64),
}

/// Puts the initial values of globals in front of a function that runs once, at the start. What is not assigned can be
/// anything.
pub fn assign(program: &mut Program, main: FuncId, globals: &BTreeSet<GlobalId>) {
    let mut values: Vec<(GlobalId, Part, ExprKind)> = Vec::new();
    for &g in globals {
        let Some(global) = program.globals.get(g) else {
            continue;
        };
        let mut parts = Vec::new();
        if global.init.is_none() || !scalars(&program.types, global.ty, &mut parts) {
            continue;
        }
        for part in parts {
            if let Some(value) = value(&program.types, global, &part)
                && values.len() < ALL
            {
                values.push((g, part, value));
            }
        }
    }
    let function = main;
    let types = program.types.clone();
    let Some(body) = program
        .functions
        .as_mut_slice()
        .get_mut(function.0 as usize)
        .and_then(|f| f.body.as_mut())
    else {
        return;
    };
    let mut before = Before::new(body);
    for (g, part, kind) in values {
        let mut projections = SmallVec::new();
        for step in &part.projections {
            projections.push(match *step {
                Step::Field(n) => Projection::Field(n),
                Step::Element(n) => {
                    let index = before.expr(ExprKind::Int(u128::from(n)), TypeId::I64);
                    Projection::Index(index)
                }
            });
        }
        let place = before.place(Place {
            base: Base::Global(g),
            projections,
            ty: part.ty,
        });
        let kind = match kind {
            // Only pointers are compared with null.
            ExprKind::Int(0) if types.is_pointer(part.ty) => ExprKind::Null,
            kind => kind,
        };
        let value = before.expr(kind, part.ty);
        before.statements.push(Stmt::Assign { place, value });
    }
    before.finish();
}

/// Says of the variables of a function that they can hold anything until they are written: what was never written is no
/// error of its own to a proof, and no engine may take it for some value.
pub fn leave_open(program: &mut Program, function: FuncId) {
    let Some(body) = program
        .functions
        .as_mut_slice()
        .get_mut(function.0 as usize)
        .and_then(|f| f.body.as_mut())
    else {
        return;
    };
    let mut places = BTreeMap::new();
    for v in body.vars.ids() {
        let known = body.places.iter().find(|(_, p)| p.as_var() == Some(v));
        let known = known.map(|(id, _)| id);
        let ty = body.vars[v].ty;
        let made = known.unwrap_or_else(|| {
            body.places.push(Place {
                base: Base::Var(v),
                projections: SmallVec::new(),
                ty,
            })
        });
        places.insert(v, made);
    }
    let anything = |v: VarId| Stmt::Havoc {
        place: places[&v],
        reason: HavocReason::Constant,
    };
    let mut edges = body.take_edges();
    let mut new = Vec::new();
    let mut declared = BTreeSet::new();
    for edge in &mut edges {
        if let Stmt::Declare(v) = edge.stmt {
            declared.insert(v);
            let between = NodeId(body.node_count);
            body.node_count += 1;
            let to = std::mem::replace(&mut edge.to, between);
            new.push(Edge {
                from: between,
                to,
                stmt: anything(v),
                span: edge.span,
            });
        }
    }
    // Those that live from the entry on; of the compiler's own only the result may be read before it is written.
    for v in body.vars.ids() {
        let own = body.vars[v].kind == VarKind::Local || body.ret == Some(v);
        if own && !declared.contains(&v) {
            let from = NodeId(body.node_count);
            body.node_count += 1;
            new.push(Edge {
                from,
                to: body.entry,
                stmt: anything(v),
                span: Span::NONE,
            });
            body.entry = from;
        }
    }
    edges.extend(new);
    body.set_edges(edges);
}

/// Collects the scalars of a type; false if there are too many, or some that cannot be told apart.
fn scalars(types: &TypeTable, ty: TypeId, parts: &mut Vec<Part>) -> bool {
    fn walk(
        types: &TypeTable,
        ty: TypeId,
        offset: u64,
        steps: &mut SmallVec<[Step; 2]>,
        parts: &mut Vec<Part>,
    ) -> bool {
        match types.get(ty) {
            Type::Int { .. } | Type::Pointer(_) => {
                parts.push(Part {
                    projections: steps.clone(),
                    ty,
                    offset,
                });
                parts.len() <= PARTS
            }
            Type::Array { elem, len } => {
                let (elem, size) = (*elem, types.size_of(*elem));
                *len <= PARTS as u64
                    && (0..*len).all(|i| {
                        steps.push(Step::Element(i));
                        let small = walk(types, elem, offset + i * size, steps, parts);
                        steps.pop();
                        small
                    })
            }
            Type::Struct(s) => {
                let Some(definition) = types.structs.get(*s).filter(|s| !s.union) else {
                    return false;
                };
                (0..).zip(&definition.fields).all(|(n, field)| {
                    if field.bits.is_some() {
                        return true;
                    }
                    steps.push(Step::Field(n));
                    let small = walk(types, field.ty, offset + field.offset, steps, parts);
                    steps.pop();
                    small
                })
            }
            // A float, or bytes without a meaning: unknown.
            _ => true,
        }
    }
    walk(types, ty, 0, &mut SmallVec::new(), parts)
}

/// What a part holds at the start; none if that cannot be said.
fn value(types: &TypeTable, global: &Global, part: &Part) -> Option<ExprKind> {
    let init = global.init.as_ref()?;
    let size = types.size_of(part.ty);
    let overlaps =
        |offset: u64, length: u64| offset < part.offset + size && part.offset < offset + length;
    if init.unknown.iter().any(|(o, l)| overlaps(*o, *l))
        || init.relocations.iter().any(|r| overlaps(r.offset, 8))
        || size > 8
    {
        return None;
    }
    let mut bits = 0u128;
    for i in (0..size).rev() {
        let at = usize::try_from(part.offset + i).ok()?;
        bits = bits << 8 | u128::from(init.bytes.get(at).copied().unwrap_or(0));
    }
    match types.as_int(part.ty) {
        Some((width, _)) => Some(ExprKind::Int(ir::expr::mask(bits, width))),
        // An address that is no object's.
        None => (bits == 0).then_some(ExprKind::Int(0)),
    }
}

/// Statements in front of a body. Equal expressions and places have equal ids: what is there is looked up.
struct Before<'b> {
    body: &'b mut Body,
    exprs: BTreeMap<String, ExprId>,
    places: BTreeMap<String, PlaceId>,
    statements: Vec<Stmt>,
}

impl<'b> Before<'b> {
    fn new(body: &'b mut Body) -> Before<'b> {
        let simple = |e: &Expr| matches!(e.kind, ExprKind::Int(_) | ExprKind::Null);
        let exprs = body.exprs.iter().filter(|(_, e)| simple(e));
        let exprs = exprs.map(|(id, e)| (format!("{e:?}"), id)).collect();
        let global = |p: &Place| matches!(p.base, Base::Global(_));
        let places = body.places.iter().filter(|(_, p)| global(p));
        let places = places.map(|(id, p)| (format!("{p:?}"), id)).collect();
        Before {
            body,
            exprs,
            places,
            statements: Vec::new(),
        }
    }

    fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        let expr = Expr { kind, ty };
        let body = &mut self.body;
        let made = || body.exprs.push(expr.clone());
        *self.exprs.entry(format!("{expr:?}")).or_insert_with(made)
    }

    fn place(&mut self, place: Place) -> PlaceId {
        let body = &mut self.body;
        let made = || body.places.push(place.clone());
        *self.places.entry(format!("{place:?}")).or_insert_with(made)
    }

    fn finish(self) {
        let body = self.body;
        let mut edges = body.take_edges();
        let mut to = body.entry;
        for stmt in self.statements.into_iter().rev() {
            let from = NodeId(body.node_count);
            body.node_count += 1;
            edges.push(Edge {
                from,
                to,
                stmt,
                span: Span::NONE,
            });
            to = from;
        }
        body.entry = to;
        body.set_edges(edges);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"struct s { size 16 align 8; a: i32 @0; p: i8* @8 }

unit "a.c"
global g: struct s = bytes "\x03"
global n: i32 = 7
extern global elsewhere: i32

fn main() -> i32 {
    0: return g.a + n + elsewhere
    1: exit
}
"#;

    #[test]
    fn globals_are_assigned_before_anything_else() {
        let mut program = ir::text::parse(SOURCE).unwrap_or_else(|e| panic!("{e}"));
        let main = program.find_function("main").unwrap();
        let globals = program.globals.ids().collect();
        assign(&mut program, main, &globals);
        let body = program.functions[main].body.as_ref().unwrap();
        let mut found = Vec::new();
        let mut at = body.entry;
        while let Some((_, edge)) = body.out_edges(at).next() {
            if let Stmt::Assign { place, value } = edge.stmt
                && let (Base::Global(g), kind) = (body.places[place].base, &body.exprs[value].kind)
            {
                let name = program.name(program.globals[g].name);
                let field = body.places[place].projections.len();
                found.push(format!("{name} {field} {kind:?}"));
            }
            at = edge.to;
        }
        // What is declared only holds what somebody else says, and is left as it is.
        assert_eq!(found, ["g 1 Int(3)", "g 1 Null", "n 0 Int(7)"]);
        assert_eq!(ir::validate(&program), Ok(()));
    }
}
