//! Labels: which statements an automaton hears of, and which value each of them speaks of.
//!
//! A label is a set of patterns over what statements do. A pattern that matches gives the value
//! `p` of `free_p`: an argument, a result, a pointer that is followed. It may give none (a function
//! is called, the function is left): then what happens concerns every value that is followed.

pub(crate) use super::site::{Site, Subject, name_by_origin};
use super::surely::Access;
use crate::leak::Places;
use crate::visit::{Event, View, Visitor};
use ir::arena::Id;
use ir::{
    Body, CallOutcome, Callee, CompareOp, Edge, EdgeId, ExprId, FuncId, Place, Program, Stmt,
};

/// Something that happens to a value.
#[derive(Debug)]
pub struct Label {
    pub name: &'static str,
    pub patterns: &'static [Pattern],
    /// Of other values nothing is said.
    pub valid: Valid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Valid {
    Always,
    /// No null pointer, and no zero.
    NotZero,
    /// A number that is not negative: a descriptor.
    NotNegative,
    /// Not the pointer that `mmap` gives when it fails.
    NotMinusOne,
    /// No null pointer, and no negative number.
    Success,
}

/// What a statement must do.
#[derive(Debug)]
pub enum Pattern {
    /// One of the functions is called with the value at this position. What starts by it starts
    /// only if the call comes back with this outcome; an error is one whatever comes of it.
    Argument {
        functions: &'static [&'static str],
        position: usize,
        outcome: Outcome,
    },
    /// One of the functions gives the value back.
    Result { functions: &'static [&'static str] },
    /// One of the functions is called.
    Called { functions: &'static [&'static str] },
    /// A call that may come to one of the functions: of a function that calls one, of one that is
    /// not in view and whose name is not one of the harmless ones, or through a pointer.
    Elsewhere {
        functions: &'static [&'static str],
        harmless: fn(&str) -> bool,
    },
    /// The value is a pointer that is followed.
    Dereferenced,
    /// The value is stored somewhere.
    Assigned,
    /// The value is what the function returns.
    Returned,
    /// The function is left, in the ordinary way.
    Left,
    // What follows is for automata that may be in any state ([`super::possible`]).
    /// A call of one of these functions (`*` stands for any letters), with these arguments, that ends so.
    Call {
        names: &'static [String],
        arguments: &'static [Argument],
        /// There may be others behind them.
        more: bool,
        /// The value is what it gives.
        gives: bool,
        outcome: Outcome,
    },
    /// A call of any function but these.
    AnyCall { except: &'static [String] },
    /// Something is stored.
    Stored { to: Stored, what: Argument },
    /// The program ends: `main` is left, or `exit` is called.
    Ended,
}

/// What an argument must be, or what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    Any,
    /// The value that is followed.
    Value,
    Int(i128),
    Null,
    /// A string literal, as the source has it between the quotes.
    Text(&'static str),
}

/// Where something is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Anywhere but in a variable of the function.
    Anywhere,
    /// In a variable that is there as long as the program runs.
    Global(&'static str),
    /// In a field of this name: of what the value points to, or of anything.
    Field { name: &'static str, of_value: bool },
}

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Any,
    /// It gives zero: `pthread_mutex_trylock` that got the lock.
    Zero,
    /// It gives something else: `realloc` that moved its block.
    NotZero,
    /// It gives no negative number: `asprintf` that had the memory.
    NotNegative,
    Negative,
    Positive,
    NotPositive,
}

impl Outcome {
    /// How a result is compared with zero if it is this outcome, and if it is not.
    pub fn comparison(self) -> (CompareOp, CompareOp) {
        use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
        match self {
            Outcome::Zero => (Eq, Ne),
            Outcome::NotNegative => (Ge, Lt),
            Outcome::Negative => (Lt, Ge),
            Outcome::Positive => (Gt, Le),
            Outcome::NotPositive => (Le, Gt),
            Outcome::Any | Outcome::NotZero => (Ne, Eq),
        }
    }
}

impl Label {
    /// Does a start by this label wait for what a call gives?
    pub fn waits(&self) -> bool {
        let waits = |p: &Pattern| matches!(p, Pattern::Argument { outcome, .. } | Pattern::Call { outcome, .. } if *outcome != Outcome::Any);
        self.patterns.iter().any(waits)
    }
}

/// The functions that the patterns of an automaton name, by their ids.
pub(crate) struct Named {
    /// Label, pattern.
    by_function: Vec<Vec<(usize, usize)>>,
    /// Patterns that any statement may match.
    others: Vec<(usize, &'static Pattern)>,
    /// Label, and the functions that may come to those of [`Pattern::Elsewhere`].
    elsewhere: Vec<(usize, Vec<bool>)>,
    /// By function: label, and with what of its arguments it is done.
    callees: Vec<Vec<(usize, Access)>>,
    labels: &'static [Label],
}

impl Named {
    /// `resolve`: the functions of a name.
    pub fn of(
        labels: &'static [Label],
        program: &Program,
        resolve: &dyn Fn(&str) -> Vec<FuncId>,
    ) -> Named {
        let mut by_function = vec![Vec::new(); program.functions.len()];
        let mut others = Vec::new();
        let mut elsewhere = Vec::new();
        for (label, l) in labels.iter().enumerate() {
            for (at, pattern) in l.patterns.iter().enumerate() {
                let names = match pattern {
                    Pattern::Argument { functions, .. }
                    | Pattern::Result { functions }
                    | Pattern::Called { functions } => *functions,
                    Pattern::Elsewhere {
                        functions,
                        harmless,
                    } => {
                        elsewhere.push((label, *functions, *harmless));
                        continue;
                    }
                    _ => {
                        others.push((label, pattern));
                        continue;
                    }
                };
                for f in names.iter().flat_map(|name| resolve(name)) {
                    by_function[f.0 as usize].push((label, at));
                }
            }
        }
        let mut named = Named {
            by_function,
            others,
            elsewhere: Vec::new(),
            callees: Vec::new(),
            labels,
        };
        if !named.is_empty() {
            let reaching = |functions: &[&str], harmless: fn(&str) -> bool| {
                let named: Vec<FuncId> = functions.iter().flat_map(|name| resolve(name)).collect();
                reaching(program, &named, harmless)
            };
            named.elsewhere = elsewhere
                .into_iter()
                .map(|(label, functions, harmless)| (label, reaching(functions, harmless)))
                .collect();
        }
        named
    }

    /// What functions do with what they are handed.
    pub fn by_callees(&mut self, found: Vec<Vec<Access>>, label: usize) {
        self.callees.resize(found.len(), Vec::new());
        for (all, found) in self.callees.iter_mut().zip(found) {
            all.extend(found.into_iter().map(|access| (label, access)));
        }
    }

    /// The arguments of a call that the label is about, whatever comes of the call.
    pub fn arguments(&self, f: FuncId, label: usize) -> impl Iterator<Item = usize> + '_ {
        let patterns = self.by_function.get(f.0 as usize).into_iter().flatten();
        patterns
            .filter(move |(l, _)| *l == label)
            .filter_map(|(l, at)| match self.labels[*l].patterns[*at] {
                Pattern::Argument {
                    position,
                    outcome: Outcome::Any,
                    ..
                } => Some(position),
                _ => None,
            })
    }

    /// Can no statement match at all?
    pub fn is_empty(&self) -> bool {
        self.others.is_empty() && self.by_function.iter().all(Vec::is_empty)
    }

    /// Must the visitor of [`Named::sites`] have entered the body?
    pub fn needs_events(&self) -> bool {
        let mut others = self.others.iter();
        others.any(|(_, pattern)| matches!(pattern, Pattern::Dereferenced))
    }

    /// The sites of a body, in the order of its edges.
    pub fn sites(&self, view: View<'_>, edges: &[Edge], visitor: &mut Visitor) -> Vec<Site> {
        let mut sites: Vec<Site> = Vec::new();
        for (at, edge) in edges.iter().enumerate() {
            if let Stmt::Call(call) = &edge.stmt
                && let Callee::Direct(f) = call.callee
                && let Some(patterns) = self.by_function.get(f.0 as usize)
            {
                for &(label, pattern) in patterns {
                    let site = |value, after, outcome| Site {
                        edge: at,
                        label,
                        value,
                        after,
                        outcome,
                    };
                    let found = match self.labels[label].patterns[pattern] {
                        Pattern::Argument {
                            position, outcome, ..
                        } => call
                            .args
                            .get(position)
                            .map(|arg| site(Some(Subject::Expr(*arg)), false, outcome)),
                        Pattern::Result { .. } if call.outcome == CallOutcome::Return => call
                            .result
                            .map(|r| site(Some(Subject::Content(r)), true, Outcome::Any)),
                        Pattern::Called { .. } => Some(site(None, false, Outcome::Any)),
                        _ => None,
                    };
                    add(&mut sites, found);
                }
            }
            if let Stmt::Call(call) = &edge.stmt
                && let Callee::Direct(f) = call.callee
                && let Some(callees) = self.callees.get(f.0 as usize)
            {
                for (label, access) in callees {
                    let value = access.value(view.body, call).map(|value| Site {
                        edge: at,
                        label: *label,
                        value: Some(value),
                        after: false,
                        outcome: Outcome::Any,
                    });
                    add(&mut sites, value);
                }
            }
            if let Stmt::Call(call) = &edge.stmt {
                for (label, reaching) in &self.elsewhere {
                    let may = match call.callee {
                        Callee::Direct(f) => {
                            reaching.get(f.0 as usize) == Some(&true)
                                && self.by_function[f.0 as usize].is_empty()
                        }
                        Callee::Indirect(_) => true,
                    };
                    let site = Site {
                        edge: at,
                        label: *label,
                        value: None,
                        after: false,
                        outcome: Outcome::Any,
                    };
                    add(&mut sites, may.then_some(site));
                }
            }
            for &(label, pattern) in &self.others {
                let site = |value, after| Site {
                    edge: at,
                    label,
                    value,
                    after,
                    outcome: Outcome::Any,
                };
                match pattern {
                    Pattern::Dereferenced => {
                        for pointer in followed(view, &edge.stmt, visitor) {
                            add(&mut sites, Some(site(Some(Subject::Expr(pointer)), false)));
                        }
                    }
                    Pattern::Assigned | Pattern::Returned => {
                        let returned = matches!(pattern, Pattern::Returned);
                        add(
                            &mut sites,
                            stored(view.body, &edge.stmt, returned).map(|v| site(Some(v), false)),
                        );
                    }
                    // At the returns that lead there, where a person would look.
                    Pattern::Left if edge.to == view.body.exit => {
                        for (at, _) in leaving(view.body, edges, at) {
                            let site = Site {
                                edge: at.index(),
                                ..site(None, true)
                            };
                            if !sites.contains(&site) {
                                sites.push(site);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        sites
    }
}

/// The functions that may come to one of the named ones.
fn reaching(program: &Program, named: &[FuncId], harmless: fn(&str) -> bool) -> Vec<bool> {
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); program.functions.len()];
    let mut may = vec![false; program.functions.len()];
    for f in named {
        may[f.0 as usize] = true;
    }
    for (id, f) in program.functions.iter() {
        let Some(body) = &f.body else {
            let name = program.name(f.name);
            may[id.0 as usize] |= !harmless(name);
            continue;
        };
        for edge in body.edges().values() {
            if let Stmt::Call(call) = &edge.stmt {
                match call.callee {
                    Callee::Direct(callee) => match callers.get_mut(callee.0 as usize) {
                        Some(callers) => callers.push(id.0),
                        None => may[id.0 as usize] = true,
                    },
                    Callee::Indirect(_) => may[id.0 as usize] = true,
                }
            }
        }
    }
    let mut work: Vec<u32> = (0..may.len() as u32).filter(|f| may[*f as usize]).collect();
    while let Some(f) = work.pop() {
        for &caller in &callers[f as usize] {
            if !std::mem::replace(&mut may[caller as usize], true) {
                work.push(caller);
            }
        }
    }
    may
}

/// Two patterns of one label may match one statement in the same way.
fn add(sites: &mut Vec<Site>, site: Option<Site>) {
    if let Some(site) = site
        && !sites
            .iter()
            .rev()
            .take_while(|s| s.edge == site.edge)
            .any(|s| *s == site)
    {
        sites.push(site);
    }
}

/// The pointers that a statement follows, each by what it is computed from.
pub(super) fn followed(view: View<'_>, stmt: &Stmt, visitor: &mut Visitor) -> Vec<ExprId> {
    let mut events = Vec::new();
    visitor.begin();
    visitor.visit(view, stmt, &mut events);
    let mut found = Vec::new();
    for event in events {
        let pointer = match event {
            Event::Deref { pointer, .. } | Event::Range { pointer, .. } => pointer,
            _ => continue,
        };
        if let Some(root) = crate::layout::root(view, pointer)
            && !found.contains(&root)
        {
            found.push(root);
        }
    }
    found
}

/// Where a function is left by an edge to its exit.
pub(super) fn leaving(body: &Body, edges: &[Edge], at: usize) -> Vec<(EdgeId, ir::Span)> {
    let mut found = Vec::new();
    match body.edges().len() == edges.len() {
        true => Places::of(body).of_loss(EdgeId::from_index(at), &|_| Some(true), &mut found),
        false => found.push((EdgeId::from_index(at), ir::Span::NONE)),
    }
    found
}

/// The value that a statement stores; into the result, if that is asked for.
pub(super) fn stored(body: &Body, stmt: &Stmt, returned: bool) -> Option<Subject> {
    let Stmt::Assign { place, value } = *stmt else {
        return None;
    };
    let to = body.places.get(place).and_then(Place::as_var);
    let is_result = to.is_some() && to == body.ret;
    (is_result == returned).then_some(Subject::Expr(value))
}
