//! What a call does to a state: by the callee's summary, by a model of the library, or, of an
//! unknown one, whatever it could.

mod model;

use crate::Automata;
use crate::comes_from::Passed;
use crate::frame::{ObjectKind, Shape};
use crate::models::{Gives, Model, model};
use crate::state::State;
use crate::summary::{Effect, Result, Summary};
use crate::value::Value;
use domain::{Change, Definition, Nullness, Number, ObjectId, Pointer, Targets};
use ir::{Call, CallOutcome, Callee, EdgeId, FuncId, Stmt};

/// Who is called, as far as it is known.
enum Who<'a> {
    Summary(&'a Summary),
    Model(Model),
    Unknown,
}

impl Who<'_> {
    /// May those who call it know better than that it gives null? Of the library that is so of memory only.
    fn has_habits(&self) -> bool {
        match self {
            Who::Model(model) => matches!(model.gives, Gives::Memory { .. }),
            Who::Summary(_) | Who::Unknown => true,
        }
    }
}

impl Automata<'_> {
    /// The call with the outcome of this edge; false if it cannot end so.
    pub fn call(&mut self, st: &mut State, edge: EdgeId, call: &Call) -> bool {
        let context = self.context;
        let (callee, exact) = self.callee(st, call);
        let comes_back = !call.noreturn
            && callee
                .as_deref()
                .is_none_or(|all| all.iter().any(|f| self.returns(*f)));
        if !comes_back && call.outcome != CallOutcome::Unwind {
            return false;
        }
        let single = match callee.as_deref() {
            Some([f]) if exact => Some(*f),
            _ => None,
        };
        let who = match single {
            Some(f) => match self.summary(f) {
                Some(s) => Who::Summary(s),
                None if context.program.functions[f].body.is_some() => Who::Unknown,
                None => match model(context.program.function_name(f)) {
                    Some(m) => Who::Model(m),
                    None => Who::Unknown,
                },
            },
            None => Who::Unknown,
        };
        if call.outcome == CallOutcome::Again {
            // Back from a longjmp: whatever was written since is unknown, and whether it was.
            let mut definedness = std::mem::take(&mut st.definedness);
            definedness.update(|_, def| match def {
                Definition::Defined => Change::Keep,
                _ => Change::Set(Definition::Unclear),
            });
            *st = State {
                escaped: st.escaped.clone(),
                definedness,
                ..State::default()
            };
        }
        let relied_on = single.is_some_and(|f| context.trusted.get(f.0 as usize) == Some(&true));
        let result = match &who {
            Who::Summary(s) => self.call_known(st, call, s),
            Who::Model(m) => self.call_model(st, edge, call, *m),
            Who::Unknown => {
                self.hand_over(st, call);
                self.blur_targets(st, &Targets::Any);
                match call.callee {
                    // It can be anything, but this was said.
                    Callee::Direct(f) if context.recursion.gives_null(f) => {
                        Value::Pointer(Pointer {
                            null: Nullness::FALLIBLE,
                            ..Pointer::any()
                        })
                    }
                    _ => Value::Unknown,
                }
            }
        };
        let result = match result {
            Value::Pointer(mut p) if relied_on && who.has_habits() => {
                (p.null.acknowledged, p.null.introduced) = (false, false);
                Value::Pointer(p)
            }
            result => result,
        };
        let result = match call.outcome {
            CallOutcome::Again => self.jumped_back(call),
            CallOutcome::Return if self.may_return_again(edge) => {
                Value::Number(Number::constant(0))
            }
            _ => result,
        };
        if let Some(place) = call.result
            && call.outcome != CallOutcome::Unwind
        {
            self.store(st, place, result, Definition::Defined);
        }
        true
    }

    /// Does the call of this edge have another one, by which a `longjmp` comes back?
    fn may_return_again(&self, edge: EdgeId) -> bool {
        let body = self.frame.body;
        let again = |stmt: &Stmt| matches!(stmt, Stmt::Call(c) if c.outcome == CallOutcome::Again);
        let mut outcomes = body.out_edges(body.edges()[edge].from);
        outcomes.any(|(_, e)| again(&e.stmt))
    }

    /// What `setjmp` gives when a `longjmp` comes back to it: never 0.
    fn jumped_back(&self, call: &Call) -> Value {
        match self.as_result(call, None) {
            Value::Number(n) => Value::Number(n.exclude_zero().unwrap_or(n)),
            value => value,
        }
    }

    /// The functions that a call may enter, none if it could be any; and whether it can be no
    /// others.
    fn callee(&mut self, st: &mut State, call: &Call) -> (Option<Vec<FuncId>>, bool) {
        match call.callee {
            Callee::Direct(f) => (Some(vec![f]), true),
            Callee::Indirect(e) => {
                let p = self.pointer(st, e);
                if let Targets::Known(set) = &p.targets
                    && !set.is_empty()
                {
                    let functions: Option<Vec<FuncId>> = set
                        .iter()
                        .map(|o| match self.frame.info(*o).kind {
                            ObjectKind::Function(f) => Some(f),
                            _ => None,
                        })
                        .collect();
                    if functions.is_some() {
                        return (functions, true);
                    }
                }
                if let Some(f) = self.context.stands_for(self.frame.body, call) {
                    return (Some(vec![f]), true);
                }
                // All functions of that type whose address is taken, as far as they are in view.
                (self.context.indirect_targets(self.frame.body, call), false)
            }
        }
    }

    fn returns(&self, f: FuncId) -> bool {
        self.context.noreturn.binary_search(&f).is_err()
            && self.summary(f).is_none_or(|s| s.returns)
    }

    /// The arguments' pointees are somebody else's to write, now and later.
    fn hand_over(&mut self, st: &mut State, call: &Call) {
        for &arg in &call.args {
            if let Value::Pointer(p) = self.eval(st, arg)
                && let Targets::Known(objects) = p.targets
            {
                for &object in &objects {
                    self.escape(st, object);
                }
            }
        }
    }

    fn call_known(&mut self, st: &mut State, call: &Call, summary: &Summary) -> Value {
        // What it writes itself is known: only then do others have what it has passed on.
        let passed = self.passed_on(st, call, summary);
        if summary.writes_elsewhere {
            // It may keep what it is handed, and write it through others.
            let mut kept = Vec::new();
            for (i, &arg) in call.args.iter().enumerate() {
                let Value::Pointer(p) = self.eval(st, arg) else {
                    continue;
                };
                let Targets::Known(objects) = &p.targets else {
                    continue;
                };
                match summary.params.get(i) {
                    // What it does not write itself may lead it to what it does.
                    Some(&Effect::Never) => {
                        kept.extend(objects.iter().flat_map(|o| pointed_to(st, *o)));
                    }
                    _ => kept.extend(objects.iter().copied()),
                }
            }
            for object in kept {
                self.escape(st, object);
            }
            // Being handed over is no promise to write.
            self.blur_targets(st, &Targets::Any);
        }
        for (i, &arg) in call.args.iter().enumerate() {
            let effect = summary.params.get(i).copied().unwrap_or(Effect::Maybe);
            if effect == Effect::Never {
                continue;
            }
            let Value::Pointer(p) = self.eval(st, arg) else {
                continue;
            };
            let p = if p.targets == Targets::Any {
                self.follow(st, arg)
            } else {
                p
            };
            let pointee = self.frame.program.types.pointee(self.type_of(arg));
            let size = pointee
                .map(|t| self.frame.program.types.size_of(t))
                .filter(|s| *s > 0);
            if effect == Effect::Surely {
                self.blur_pointer(st, &p, size);
            } else {
                self.blur_maybe(st, &p);
            }
        }
        self.doubt_freed(st, call, summary);
        for object in passed {
            self.escape(st, object);
        }
        match summary.result {
            Result::Number(n) => Value::Number(n),
            Result::Pointer(null) => Value::Pointer(Pointer {
                null,
                ..Pointer::any()
            }),
            Result::Anything => Value::Unknown,
        }
    }

    /// What the callee gives back, or leaves in memory, nobody keeps track of: it may lead to these objects that it was handed, or
    /// came upon from there.
    fn passed_on(&mut self, st: &mut State, call: &Call, summary: &Summary) -> Vec<ObjectId> {
        let is_kept = call.result.is_some_and(|place| {
            let ty = self.frame.body.places[place].ty;
            !matches!(self.frame.shape(ty), Shape::Int(int) if int.width < 64)
        });
        let mut out = Vec::new();
        for (i, &arg) in call.args.iter().enumerate() {
            let of = |all: &[Passed]| all.get(i).copied().unwrap_or(Passed::Itself);
            let passed = match is_kept {
                true => of(&summary.gives).max(of(&summary.leaves)),
                false => of(&summary.leaves),
            };
            if passed == Passed::Nothing {
                continue;
            }
            let Value::Pointer(p) = self.eval(st, arg) else {
                continue;
            };
            let Targets::Known(objects) = &p.targets else {
                continue;
            };
            for &object in objects {
                match passed {
                    Passed::Itself => out.push(object),
                    _ => out.extend(pointed_to(st, object)),
                }
            }
        }
        out
    }

    /// What the callee may free of what it is handed may be gone: whatever pointers lead to from there.
    fn doubt_freed(&mut self, st: &mut State, call: &Call, summary: &Summary) {
        let mut handed: Vec<ObjectId> = Vec::new();
        let freed = call.args.iter().zip(&summary.frees).filter(|(_, f)| **f);
        for (&arg, _) in freed {
            if let Value::Pointer(p) = self.eval(st, arg)
                && let Targets::Known(objects) = &p.targets
            {
                handed.extend(objects.iter().copied());
            }
        }
        let mut at = 0;
        while let Some(&object) = handed.get(at) {
            at += 1;
            for (_, inner) in st.pointers.of_object(object) {
                if let Targets::Known(inner) = &inner.targets {
                    let new = inner.iter().filter(|o| !handed.contains(o)).copied();
                    let new: Vec<ObjectId> = new.collect();
                    handed.extend(new);
                }
            }
        }
        for object in handed {
            if matches!(self.frame.info(object).kind, ObjectKind::Allocated(_)) {
                st.doubt_lifetime(object);
            }
        }
    }

    /// The pointees may have been written, anywhere.
    fn blur_maybe(&mut self, st: &mut State, p: &Pointer) {
        let Targets::Known(objects) = &p.targets else {
            return self.blur_targets(st, &Targets::Any);
        };
        for &object in objects {
            self.blur_region(st, object, 0, u64::MAX, false);
        }
    }
}

/// What the pointers in an object lead to.
fn pointed_to(st: &State, object: ObjectId) -> Vec<ObjectId> {
    let mut all = Vec::new();
    for (_, inner) in st.pointers.of_object(object) {
        if let Targets::Known(inner) = &inner.targets {
            all.extend(inner.iter().copied());
        }
    }
    all
}
