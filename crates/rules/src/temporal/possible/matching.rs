//! Which statements carry which labels.

use crate::temporal::automaton::Automaton;
use crate::temporal::label::{
    Argument, Outcome, Pattern, Stored, Subject, Valid, followed, leaving, stored,
};
use crate::visit::{View, Visitor};
use ir::arena::Id;
use ir::{
    Base, Body, Call, CallOutcome, Callee, ExprId, ExprKind, FuncId, GlobalId, PlaceId, Program,
    Projection, Stmt, Symbol, Type, TypeId, TypeTable,
};
use rustc_hash::FxHashMap;

/// The patterns of an automaton, with what their names are in a program.
pub(crate) struct Atoms {
    all: Vec<Atom>,
    /// Of each function the patterns that name it.
    by_function: Vec<Vec<usize>>,
    /// Those that any statement may match.
    others: Vec<usize>,
    /// Functions that end the program, and those that rigel itself calls.
    ends: Vec<bool>,
    own: Vec<bool>,
    pub valid: Valid,
}

struct Atom {
    label: usize,
    what: What,
}

enum What {
    Call {
        arguments: Vec<Wanted>,
        more: bool,
        gives: bool,
        outcome: Outcome,
    },
    AnyCall {
        except: Vec<bool>,
    },
    Dereferenced,
    Stored {
        to: Place,
        what: Wanted,
    },
    Returned,
    Left,
    Ended,
}

enum Wanted {
    Any,
    Value,
    Int(i128),
    Null,
    /// The literals with this text.
    Text(Vec<GlobalId>),
}

enum Place {
    Anywhere,
    Global(Vec<GlobalId>),
    /// None: there is no such field in the program.
    Field(Option<Symbol>, bool),
}

/// A statement that carries a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The position of its edge.
    pub edge: usize,
    pub label: usize,
    pub value: Option<Subject>,
    pub after: bool,
    pub outcome: Outcome,
    pub leaves: bool,
}

impl Atoms {
    pub fn of(automaton: &'static Automaton, program: &Program) -> Atoms {
        let each = automaton.any_state.as_ref().is_some_and(|a| a.each);
        let functions = || program.functions.values();
        let literals = Literals::of(program);
        let mut atoms = Atoms {
            all: Vec::new(),
            by_function: vec![Vec::new(); program.functions.len()],
            others: Vec::new(),
            ends: functions()
                .map(|f| ENDS.contains(&program.name(f.name)))
                .collect(),
            own: functions().map(|f| is_own(program.name(f.name))).collect(),
            valid: if each { Valid::Success } else { Valid::Always },
        };
        let names = Names::of(program);
        for (label, l) in automaton.labels.iter().enumerate() {
            for pattern in l.patterns {
                let number = atoms.all.len();
                let what = match pattern {
                    Pattern::Call {
                        names: wanted,
                        arguments,
                        more,
                        gives,
                        outcome,
                    } => {
                        for f in names.functions(wanted) {
                            if !atoms.own[f] {
                                atoms.by_function[f].push(number);
                            }
                        }
                        What::Call {
                            arguments: arguments.iter().map(|a| literals.wanted(a)).collect(),
                            more: *more,
                            gives: *gives,
                            outcome: *outcome,
                        }
                    }
                    Pattern::AnyCall { except } => {
                        let mut all = vec![false; program.functions.len()];
                        names.functions(except).for_each(|f| all[f] = true);
                        What::AnyCall { except: all }
                    }
                    Pattern::Stored { to, what } => What::Stored {
                        to: match to {
                            Stored::Anywhere => Place::Anywhere,
                            Stored::Global(name) => Place::Global(literals.variables(name)),
                            Stored::Field { name, of_value } => {
                                Place::Field(program.symbols.get(name), *of_value)
                            }
                        },
                        what: literals.wanted(what),
                    },
                    Pattern::Dereferenced => What::Dereferenced,
                    Pattern::Returned => What::Returned,
                    Pattern::Left => What::Left,
                    Pattern::Ended => What::Ended,
                    // Those of automata that begin in their first state.
                    _ => continue,
                };
                if !matches!(what, What::Call { .. }) {
                    atoms.others.push(number);
                }
                atoms.all.push(Atom { label, what });
            }
        }
        atoms
    }

    /// Can no statement of the program change anything? (What ends or leaves is everywhere, and starts nothing.)
    pub fn is_empty(&self) -> bool {
        let mut others = self.others.iter();
        let everywhere = |a: &usize| matches!(self.all[*a].what, What::Left | What::Returned);
        self.by_function.iter().all(Vec::is_empty) && others.all(everywhere)
    }

    pub fn needs_events(&self) -> bool {
        let mut all = self.all.iter();
        all.any(|a| matches!(a.what, What::Dereferenced))
    }

    /// Is the function one of those that the automaton names?
    pub fn names(&self, f: FuncId) -> bool {
        let patterns = self.by_function.get(f.index());
        patterns.is_some_and(|p| !p.is_empty()) || self.own.get(f.index()) == Some(&true)
    }

    /// The labels that a call of a function may carry by its name.
    pub fn of_function(&self, f: FuncId) -> u64 {
        let patterns = self.by_function.get(f.index()).into_iter().flatten();
        patterns.fold(0, |all, at| all | 1 << self.all[*at].label)
    }

    /// Labels that are about the function itself, and say nothing to who calls it.
    pub fn local_labels(&self) -> u64 {
        let local = |a: &&Atom| matches!(a.what, What::Left | What::Returned | What::Ended);
        let all = self.all.iter().filter(local);
        all.fold(0, |all, atom| all | 1 << atom.label)
    }

    /// The labels that statements which call nothing may carry, and calls of any function.
    pub fn of_others(&self) -> u64 {
        let others = self.others.iter();
        others.fold(0, |all, at| all | 1 << self.all[*at].label)
    }

    /// What a statement carries.
    pub fn hits(
        &self,
        view: View<'_>,
        at: usize,
        is_main: bool,
        visitor: Option<&mut Visitor>,
    ) -> Vec<Hit> {
        let body = view.body;
        let edges = body.edges().as_slice();
        let Some(edge) = edges.get(at) else {
            return Vec::new();
        };
        let mut hits = Vec::new();
        let hit = |label, value, after, outcome| Hit {
            edge: at,
            label,
            value,
            after,
            outcome,
            leaves: false,
        };
        if let Stmt::Call(call) = &edge.stmt
            && let Callee::Direct(f) = call.callee
        {
            for &atom in self.by_function.get(f.index()).into_iter().flatten() {
                let atom = &self.all[atom];
                let What::Call {
                    arguments,
                    more,
                    gives,
                    outcome,
                } = &atom.what
                else {
                    continue;
                };
                let Some(mut value) = matched(view, call, arguments, *more) else {
                    continue;
                };
                let comes_back = call.outcome == CallOutcome::Return;
                if *gives {
                    match call.result {
                        Some(place) if comes_back => value = Some(Subject::Content(place)),
                        _ => continue,
                    }
                }
                let outcome = match *outcome {
                    Outcome::Any => Outcome::Any,
                    _ if !comes_back => continue,
                    outcome => match possible_outcome(view.types, call, outcome) {
                        Some(outcome) => outcome,
                        None => continue,
                    },
                };
                let after = *gives || outcome != Outcome::Any;
                if after && !gives && value.is_some_and(|v| is_overwritten(body, call, v)) {
                    continue;
                }
                hits.push(hit(atom.label, value, after, outcome));
            }
        }
        let mut pointers = None;
        let visitor = std::cell::RefCell::new(visitor);
        for &atom in &self.others {
            let atom = &self.all[atom];
            match &atom.what {
                What::AnyCall { except } => {
                    if let Stmt::Call(call) = &edge.stmt {
                        let spared = match call.callee {
                            // What the automaton names has a meaning of its own.
                            Callee::Direct(f) => {
                                except.get(f.index()) == Some(&true) || self.names(f)
                            }
                            Callee::Indirect(_) => false,
                        };
                        hits.extend((!spared).then(|| hit(atom.label, None, false, Outcome::Any)));
                    }
                }
                What::Dereferenced => {
                    let all: &Vec<ExprId> =
                        pointers.get_or_insert_with(|| match visitor.borrow_mut().as_deref_mut() {
                            Some(visitor) => followed(view, &edge.stmt, visitor),
                            None => Vec::new(),
                        });
                    let one =
                        |p: &ExprId| hit(atom.label, Some(Subject::Expr(*p)), false, Outcome::Any);
                    hits.extend(all.iter().map(one));
                }
                What::Stored { to, what } => {
                    if let Some((value, after)) = stores(view, &edge.stmt, to, what) {
                        hits.push(hit(atom.label, value, after, Outcome::Any));
                    }
                }
                What::Returned => {
                    let value = stored(body, &edge.stmt, true);
                    hits.extend(value.map(|v| hit(atom.label, Some(v), false, Outcome::Any)));
                }
                // At the returns that lead there, where a person would look.
                What::Left if edge.to == body.exit => hits.extend(self.left(body, at, atom.label)),
                What::Ended => {
                    if let Stmt::Call(call) = &edge.stmt
                        && let Callee::Direct(f) = call.callee
                        && self.ends.get(f.index()) == Some(&true)
                    {
                        hits.push(hit(atom.label, None, false, Outcome::Any));
                    }
                    if is_main && edge.to == body.exit {
                        // Nobody comes behind who could make it right.
                        let left = self.left(body, at, atom.label).into_iter();
                        hits.extend(left.map(|hit| Hit {
                            leaves: false,
                            ..hit
                        }));
                    }
                }
                _ => {}
            }
        }
        hits
    }

    fn left(&self, body: &Body, at: usize, label: usize) -> Vec<Hit> {
        let found = leaving(body, body.edges().as_slice(), at);
        let left = |(edge, _): (ir::EdgeId, ir::Span)| Hit {
            edge: edge.index(),
            label,
            value: None,
            after: true,
            outcome: Outcome::Any,
            leaves: true,
        };
        found.into_iter().map(left).collect()
    }
}

/// Functions at which a program ends in the ordinary way.
const ENDS: &[&str] = &["exit", "_exit", "_Exit", "quick_exit"];

/// What rigel itself puts into programs.
pub(super) fn is_own(name: &str) -> bool {
    name.starts_with("__rigel_") || name == "__asm__" || name.starts_with("llvm.")
}

/// Does the name fit the pattern, in which `*` stands for any letters?
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

/// What functions are called: by the linker, and by people.
struct Names<'a> {
    all: Vec<(&'a str, &'a str)>,
    by_name: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Names<'a> {
    fn of(program: &'a Program) -> Names<'a> {
        let name = |f: &ir::Function| {
            let display = program.name(f.display);
            let display = display.split('(').next().unwrap_or(display);
            (program.name(f.name), display)
        };
        let all: Vec<_> = program.functions.values().map(name).collect();
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, (name, display)) in all.iter().enumerate() {
            by_name.entry(*name).or_default().push(at);
            if display != name {
                by_name.entry(*display).or_default().push(at);
            }
        }
        Names { all, by_name }
    }

    fn functions<'s>(&'s self, patterns: &'s [String]) -> impl Iterator<Item = usize> + 's {
        let mut found: Vec<usize> = Vec::new();
        for pattern in patterns {
            match pattern.contains('*') {
                true => found.extend((0..self.all.len()).filter(|at| {
                    let (name, display) = self.all[*at];
                    fits(pattern, name) || fits(pattern, display)
                })),
                false => found.extend(self.by_name.get(pattern.as_str()).into_iter().flatten()),
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter()
    }
}

/// Globals by their names: variables, and the literals that texts are.
struct Literals<'a> {
    by_name: FxHashMap<&'a str, Vec<GlobalId>>,
}

impl<'a> Literals<'a> {
    fn of(program: &'a Program) -> Literals<'a> {
        let mut by_name: FxHashMap<&str, Vec<GlobalId>> = FxHashMap::default();
        for (id, global) in program.globals.iter() {
            let name = program.name(global.name);
            by_name.entry(name).or_default().push(id);
        }
        Literals { by_name }
    }

    fn variables(&self, name: &str) -> Vec<GlobalId> {
        self.by_name.get(name).cloned().unwrap_or_default()
    }

    fn wanted(&self, argument: &Argument) -> Wanted {
        match argument {
            Argument::Any => Wanted::Any,
            Argument::Value => Wanted::Value,
            Argument::Int(n) => Wanted::Int(*n),
            Argument::Null => Wanted::Null,
            Argument::Text(text) => Wanted::Text(self.variables(&format!("\"{text}\""))),
        }
    }
}

/// Is the call one of these arguments? Then the value among them, if there is one.
fn matched(
    view: View<'_>,
    call: &Call,
    arguments: &[Wanted],
    more: bool,
) -> Option<Option<Subject>> {
    if call.args.len() < arguments.len() || (!more && call.args.len() > arguments.len()) {
        return None;
    }
    let mut value = None;
    for (wanted, arg) in arguments.iter().zip(&call.args) {
        if !is_wanted(view, wanted, *arg, &mut value) {
            return None;
        }
    }
    Some(value)
}

fn is_wanted(view: View<'_>, wanted: &Wanted, e: ExprId, value: &mut Option<Subject>) -> bool {
    let body = view.body;
    match wanted {
        Wanted::Any => true,
        Wanted::Value => {
            *value = Some(Subject::Expr(e));
            true
        }
        Wanted::Int(n) => constant(view, e) == Some(*n),
        Wanted::Null => match body.exprs[bare(body, e)].kind {
            ExprKind::Null => true,
            _ => constant(view, e) == Some(0),
        },
        Wanted::Text(literals) => match body.exprs[bare(body, e)].kind {
            ExprKind::AddrOf(place) => match body.places[place].base {
                Base::Global(g) => literals.contains(&g),
                _ => false,
            },
            _ => false,
        },
    }
}

fn bare(body: &Body, mut e: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    e
}

/// The number that an expression is, conversions apart.
fn constant(view: View<'_>, e: ExprId) -> Option<i128> {
    let e = &view.body.exprs[bare(view.body, e)];
    let ExprKind::Int(bits) = e.kind else {
        return None;
    };
    let (width, signed) = view.types.as_int(e.ty)?;
    Some(ir::expr::int_value(bits, width, signed))
}

/// The outcome, in the way in which results of this type can show it; none if they cannot.
fn possible_outcome(types: &TypeTable, call: &Call, outcome: Outcome) -> Option<Outcome> {
    let Some(Type::Function { ret, .. }) = types.lookup(call.signature) else {
        return None;
    };
    let has_sign = match types.lookup(*ret)? {
        Type::Int { signed, .. } => *signed,
        Type::Pointer(_) => false,
        _ => return None,
    };
    Some(match outcome {
        Outcome::Negative if !has_sign => return None,
        Outcome::Positive if !has_sign => Outcome::NotZero,
        Outcome::NotPositive if !has_sign => Outcome::Zero,
        Outcome::NotNegative if !has_sign => Outcome::Any,
        outcome => outcome,
    })
}

/// Is the value another one behind the call, because its result is put where the value is read from?
fn is_overwritten(body: &Body, call: &Call, value: Subject) -> bool {
    let var = |p: PlaceId| match body.places[p].base {
        Base::Var(v) => Some(v),
        _ => None,
    };
    let result = call.result.and_then(var);
    result.is_some() && value.place(body).and_then(var) == result
}

/// Is this stored there? The value that is followed, and whether it is known behind the statement only.
fn stores(
    view: View<'_>,
    stmt: &Stmt,
    to: &Place,
    what: &Wanted,
) -> Option<(Option<Subject>, bool)> {
    let body = view.body;
    let (place, from) = match stmt {
        Stmt::Assign { place, value } => (*place, Some(*value)),
        Stmt::Call(call) if call.outcome == CallOutcome::Return => (call.result?, None),
        _ => return None,
    };
    let mut value = None;
    let at = &body.places[place];
    match to {
        Place::Anywhere if at.as_var().is_none() => {}
        Place::Global(all) if at.projections.is_empty() => match at.base {
            Base::Global(g) if all.contains(&g) => {}
            _ => return None,
        },
        Place::Field(Some(name), of_value) => {
            if last_field(view, place) != Some(*name) {
                return None;
            }
            match (of_value, at.base, at.projections.len()) {
                (false, ..) => {}
                (true, Base::Deref(pointer), 1) => value = Some(Subject::Expr(pointer)),
                _ => return None,
            }
        }
        _ => return None,
    }
    match (from, what) {
        (Some(from), what) => is_wanted(view, what, from, &mut value).then_some((value, false)),
        (None, Wanted::Any) => Some((value, false)),
        (None, Wanted::Value) => Some((Some(Subject::Content(place)), true)),
        _ => None,
    }
}

/// The name of the field that a place is.
fn last_field(view: View<'_>, place: PlaceId) -> Option<Symbol> {
    let place = view.body.places.get(place)?;
    let mut ty: TypeId = match place.base {
        Base::Var(v) => view.body.vars.get(v)?.ty,
        Base::Global(g) => view.globals.get(g)?.ty,
        Base::Deref(e) => view.types.pointee(view.body.exprs.get(e)?.ty)?,
    };
    let mut name = None;
    for projection in &place.projections {
        (ty, name) = match (projection, view.types.lookup(ty)?) {
            (Projection::Index(_), Type::Array { elem, .. }) => (*elem, None),
            (Projection::Field(k), _) => {
                let field = view.types.as_struct(ty)?.fields.get(*k as usize)?;
                (field.ty, Some(field.name))
            }
            (Projection::As(ty), _) => (*ty, None),
            _ => return None,
        };
    }
    name
}

/// The signs that a result with this outcome can have, as bits.
pub(crate) fn signs(outcome: Outcome) -> u8 {
    const NEGATIVE: u8 = 1;
    const ZERO: u8 = 2;
    const POSITIVE: u8 = 4;
    match outcome {
        Outcome::Any => NEGATIVE | ZERO | POSITIVE,
        Outcome::Zero => ZERO,
        Outcome::NotZero => NEGATIVE | POSITIVE,
        Outcome::NotNegative => ZERO | POSITIVE,
        Outcome::Negative => NEGATIVE,
        Outcome::Positive => POSITIVE,
        Outcome::NotPositive => NEGATIVE | ZERO,
    }
}

/// The outcome that has these signs.
pub(crate) fn with_signs(wanted: u8) -> Option<Outcome> {
    let all = [
        Outcome::Any,
        Outcome::Zero,
        Outcome::NotZero,
        Outcome::NotNegative,
        Outcome::Negative,
        Outcome::Positive,
        Outcome::NotPositive,
    ];
    all.into_iter().find(|o| signs(*o) == wanted)
}
