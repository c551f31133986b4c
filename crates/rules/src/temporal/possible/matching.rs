//! Which statements carry which labels.

use super::naming::{Literals, Names, is_own};
use super::wanted::{Place, Wanted, is_overwritten, matched, possible_outcome, stores};
use crate::temporal::automaton::Automaton;
use crate::temporal::label::{Outcome, Pattern, Stored, Subject, Valid, followed, leaving, stored};
use crate::visit::{View, Visitor};
use ir::arena::Id;
use ir::{Body, CallOutcome, Callee, ExprId, FuncId, Program, Stmt};

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
