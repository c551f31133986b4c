//! What comes from outside of the program.
//!
//! How often a loop turns is known to nobody if what ends it is read from outside: `while ((c = getchar()) != EOF)
//! line[n++] = c;` turns as often as somebody likes, and that `n` gets large is no matter of what a caller does. If a
//! parameter, a global or a callee in view has a word in it, it may well keep to bounds that the body does not say. So the
//! question is of what a value is made: from what is read, from what strangers give, from memory that nobody has written; or
//! from anything else (design.md §6: read from outside, such a value can be anything its type allows).
//!
//! It is asked of the text, without regard to order ([`Outside::decides`]), to find loops that are worth a search; and of the
//! facts of a path ([`Outside::is_missed`]), which have to follow from such values alone.

use feasible::Path;
use feasible::object::ObjectKind;
use feasible::unknown::{From, unknowns};
use ir::arena::Id;
use ir::walk::{Item, Once, statement_items};
use ir::{Base, Body, Call, Callee, EdgeId, ExprKind, Program, Stmt, Type, TypeId, VarId};
use std::collections::BTreeSet;

/// Of one body.
pub(crate) struct Outside<'p> {
    program: &'p Program,
    body: &'p Body,
    /// Parameters count: nobody calls it with known ones.
    is_main: bool,
    /// The statements that write a variable, or are handed its address.
    writers: Vec<Vec<EdgeId>>,
}

impl<'p> Outside<'p> {
    pub fn new(program: &'p Program, body: &'p Body, is_main: bool) -> Outside<'p> {
        let mut writers = vec![Vec::new(); body.vars.len()];
        for (id, edge) in body.edges().iter() {
            for v in written(body, &edge.stmt) {
                writers[v.index()].push(id);
            }
        }
        Outside {
            program,
            body,
            is_main,
            writers,
        }
    }

    /// Is all that these are made of read from outside, or stated by the code?
    pub fn decides(&self, of: impl IntoIterator<Item = Item>) -> bool {
        let body = self.body;
        let mut items = Once::default();
        of.into_iter().for_each(|item| items.push(item));
        let mut seen: BTreeSet<VarId> = BTreeSet::new();
        while let Some(item) = items.pop() {
            let base = match item {
                Item::Place(p) => Some(body.places[p].base),
                Item::Expr(_) => None,
            };
            match base {
                // The arguments of the program come from outside; who calls another function is asked for its own.
                Some(Base::Var(v)) if body.params.contains(&v) && self.is_main => {}
                Some(Base::Var(v)) if body.params.contains(&v) => return false,
                Some(Base::Var(v)) => {
                    if !seen.insert(v) {
                        continue;
                    }
                    for edge in &self.writers[v.index()] {
                        if !self.made_of(*edge, &mut items) {
                            return false;
                        }
                    }
                }
                Some(Base::Global(g)) if !self.program.globals[g].constant => return false,
                _ => {}
            }
            items.push_parts(body, item);
        }
        true
    }

    /// Is there data among what these are made of, that somebody outside has written, or nobody?
    pub fn reads(&self, of: impl IntoIterator<Item = Item>) -> bool {
        let body = self.body;
        let mut items = Once::default();
        of.into_iter().for_each(|item| items.push(item));
        let mut seen: BTreeSet<VarId> = BTreeSet::new();
        while let Some(item) = items.pop() {
            if let Item::Place(p) = item
                && let Base::Var(v) = body.places[p].base
                && seen.insert(v)
            {
                if self.are_characters(body.vars[v].ty) {
                    return true;
                }
                for edge in &self.writers[v.index()] {
                    let hears = match &body.edges()[*edge].stmt {
                        Stmt::Call(call) => matches!(self.kind(call), Kind::Reads | Kind::Strange),
                        _ => false,
                    };
                    if hears {
                        return true;
                    }
                    self.made_of(*edge, &mut items);
                }
            }
            items.push_parts(body, item);
        }
        false
    }

    /// An array of characters, which need not have been written.
    fn are_characters(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Array { elem, .. } => matches!(types.as_int(*elem), Some((8, _))),
            _ => false,
        }
    }

    /// Adds what a statement makes values of; false if that is something in the program.
    fn made_of(&self, edge: EdgeId, items: &mut Once) -> bool {
        match &self.body.edges()[edge].stmt {
            Stmt::Assign { value, .. } => items.push(Item::Expr(*value)),
            Stmt::Call(call) => match self.kind(call) {
                Kind::Reads => {}
                Kind::Computes | Kind::Strange => {
                    call.args.iter().for_each(|e| items.push(Item::Expr(*e)))
                }
                Kind::Inside => return false,
            },
            Stmt::Copy { source, .. } => items.push(Item::Expr(*source)),
            Stmt::Fill { .. } | Stmt::Allocate { .. } | Stmt::Declare(_) => {}
            _ => return false,
        }
        true
    }

    fn kind(&self, call: &Call) -> Kind {
        let Callee::Direct(f) = call.callee else {
            return Kind::Inside;
        };
        let function = &self.program.functions[f];
        if function.body.is_some() {
            return Kind::Inside;
        }
        match library::function(self.program.name(function.name)) {
            Some(known) if known.pure || known.determined => Kind::Computes,
            Some(_) => Kind::Reads,
            None => Kind::Strange,
        }
    }

    fn call_at(&self, edges: &[EdgeId], step: u32) -> Option<&'p Call> {
        let edge = edges.get(step as usize)?;
        match &self.body.edges()[*edge].stmt {
            Stmt::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Does a path need anything else than what comes from outside? What decides which way is taken may be up to strangers; but
    /// that the check fails they would not do: it takes a count, or data from outside.
    pub fn is_missed(&self, path: &Path<'_>, edges: &[EdgeId]) -> bool {
        let last = edges.len().saturating_sub(1);
        let mut facts = path.facts.iter();
        let missed = facts.any(|(step, fact)| {
            let stmt = edges
                .get(*step as usize)
                .map(|e| &self.body.edges()[*e].stmt);
            let mut unknowns = unknowns(path, *fact).into_iter();
            matches!(stmt, Some(Stmt::Assume(_)))
                && unknowns.any(|u| !self.is_outside(path, edges, u.from))
        });
        let fails = path.facts.iter().filter(|(step, _)| *step as usize == last);
        let fails = fails.flat_map(|(_, fact)| unknowns(path, *fact));
        let made: Vec<Made> = fails.map(|u| self.made(path, edges, u.from)).collect();
        missed
            || made.contains(&Made::Inside)
            || made.contains(&Made::Strange) && !made.contains(&Made::Outside)
    }

    /// May a value decide which way is taken?
    fn is_outside(&self, path: &Path<'_>, edges: &[EdgeId], from: From) -> bool {
        match self.made(path, edges, from) {
            Made::Outside => true,
            // What a stranger gives; but not what it may have done to what it was handed.
            Made::Strange => match (from, self.call_of(edges, from)) {
                (From::Result { .. }, Some(call)) => {
                    self.decides(call.args.iter().map(|e| Item::Expr(*e)))
                }
                _ => false,
            },
            Made::Inside => match (from, self.call_of(edges, from)) {
                (From::Allocated, _) => true,
                (_, Some(call)) => matches!(self.kind(call), Kind::Reads),
                _ => false,
            },
        }
    }

    /// The call that an unknown value is of.
    fn call_of(&self, edges: &[EdgeId], from: From) -> Option<&'p Call> {
        match from {
            From::Result { step }
            | From::Memory {
                step: Some(step), ..
            } => self.call_at(edges, step),
            _ => None,
        }
    }

    /// Who has made an unknown value what it is?
    fn made(&self, path: &Path<'_>, edges: &[EdgeId], from: From) -> Made {
        let call = self.call_of(edges, from);
        match (from, call) {
            (From::Unset, _) => Made::Outside,
            (From::Parameter, _) if self.is_main => Made::Outside,
            (
                From::Memory {
                    object, step: None, ..
                },
                _,
            ) => match path.objects[object.0 as usize].kind {
                ObjectKind::Var(..) | ObjectKind::Allocated(_) => Made::Outside,
                ObjectKind::Pointee(_) if self.is_main => Made::Outside,
                _ => Made::Inside,
            },
            (_, Some(call)) => match (self.kind(call), from) {
                (Kind::Reads, From::Memory { .. }) => Made::Outside,
                (Kind::Reads, _) if self.gives_input(call) => Made::Outside,
                // It has looked at characters that nobody had written.
                (Kind::Computes, From::Memory { .. }) if self.is_pure(call) => Made::Outside,
                (Kind::Strange, _) => Made::Strange,
                _ => Made::Inside,
            },
            _ => Made::Inside,
        }
    }

    fn gives_input(&self, call: &Call) -> bool {
        let known = self.known(call);
        known.is_some_and(|known| matches!(known.gives, library::Gives::Input(..)))
    }

    fn is_pure(&self, call: &Call) -> bool {
        self.known(call).is_some_and(|known| known.pure)
    }

    fn known(&self, call: &Call) -> Option<&'static library::Function> {
        match call.callee {
            Callee::Direct(f) => {
                let name = self.program.functions[f].name;
                library::function(self.program.name(name))
            }
            Callee::Indirect(_) => None,
        }
    }
}

/// Who has made a value what it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Somebody outside: it may be anything.
    Outside,
    /// A function that is only declared, as it sees fit.
    Strange,
    /// Code in view, or nobody knows.
    Inside,
}

/// Where what a call gives and writes comes from.
enum Kind {
    /// From outside.
    Reads,
    /// From its arguments.
    Computes,
    /// From its arguments, as far as anybody knows.
    Strange,
    /// From code in view.
    Inside,
}

/// The variables that a statement writes, or hands over.
fn written(body: &Body, stmt: &Stmt) -> BTreeSet<VarId> {
    let mut all = BTreeSet::new();
    match stmt {
        Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => all.extend(based(body, *place)),
        Stmt::Call(call) => {
            all.extend(call.result.and_then(|place| based(body, place)));
            for arg in &call.args {
                handed(body, *arg, &mut all);
            }
        }
        Stmt::Copy { target, .. } | Stmt::Fill { target, .. } => handed(body, *target, &mut all),
        Stmt::Allocate { var, .. } => {
            all.insert(*var);
        }
        Stmt::LandingPad { .. } => {
            let mut places = |item| {
                if let Item::Place(p) = item {
                    all.extend(based(body, p));
                }
            };
            statement_items(body, stmt, &mut places);
        }
        _ => {}
    }
    all
}

fn based(body: &Body, place: ir::PlaceId) -> Option<VarId> {
    match body.places[place].base {
        Base::Var(v) => Some(v),
        _ => None,
    }
}

/// The variables whose address an expression has.
fn handed(body: &Body, e: ir::ExprId, all: &mut BTreeSet<VarId>) {
    let mut items = Once::default();
    items.push(Item::Expr(e));
    while let Some(item) = items.pop() {
        let Item::Expr(e) = item else { continue };
        match body.exprs[e].kind {
            ExprKind::AddrOf(place) => all.extend(based(body, place)),
            ExprKind::Load(_) => {}
            _ => items.push_parts(body, item),
        }
    }
}
