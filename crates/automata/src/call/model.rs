//! A call of a function of the C library, by its model: what it frees, what it writes, what it gives back.

use crate::Automata;
use crate::frame::{ObjectKind, Shape};
use crate::models::{Frees, Gives, Model, Size, Writes};
use crate::state::State;
use crate::value::Value;
use domain::arithmetic::apply;
use domain::{CellId, Definition, Gone, Nullness, Number, ObjectId, Operator, Pointer, Targets};
use ir::{Call, EdgeId, TypeId};

impl Automata<'_> {
    pub(super) fn call_model(
        &mut self,
        st: &mut State,
        edge: EdgeId,
        call: &Call,
        m: Model,
    ) -> Value {
        let args: Vec<Value> = call.args.iter().map(|&a| self.eval(st, a)).collect();
        if let Frees::Always(at) | Frees::UnlessNull(at) = m.frees
            && let Some(&arg) = call.args.get(at)
            && let Targets::Known(objects) = &self.follow(st, arg).targets
        {
            let sure = objects.len() == 1 && matches!(m.frees, Frees::Always(_));
            for &object in objects {
                if matches!(self.frame.info(object).kind, ObjectKind::Function(_)) {
                    continue;
                }
                let gone = if sure { Gone::Surely } else { Gone::Possibly };
                st.end_lifetime(object, gone);
            }
        }
        let left = self.text_left(st, m.leaves, &args);
        let given = match m.gives {
            Gives::Characters(at, unit) => call.args.get(at).map(|&argument| {
                let pointer = self.follow(st, argument);
                self.characters(st, &pointer, unit)
            }),
            _ => None,
        };
        match m.writes {
            Writes::Nothing => {}
            Writes::Anything => self.blur_targets(st, &Targets::Any),
            Writes::Arguments | Writes::Input => {
                let written = call.args.iter().zip(&args).enumerate();
                for (_, (&arg, value)) in written.filter(|(i, _)| m.may_write(*i)) {
                    let Value::Pointer(p) = value else { continue };
                    let p = if p.targets == Targets::Any {
                        self.follow(st, arg)
                    } else {
                        *p
                    };
                    let Targets::Known(objects) = &p.targets else {
                        self.blur_targets(st, &Targets::Any);
                        continue;
                    };
                    for &object in objects {
                        self.blur_region(st, object, 0, u64::MAX, true);
                        self.forget_definitions(st, object);
                        if m.writes == Writes::Input {
                            self.take_input(st, object);
                        }
                    }
                }
            }
        }
        if let Some(left) = left {
            self.leave_text(st, left);
        }
        match given {
            Some(n) => self.as_result(call, Some(n)),
            None => self.given(st, edge, call, m, &args),
        }
    }

    /// All of it counts as written.
    fn forget_definitions(&mut self, st: &mut State, object: ObjectId) {
        st.definedness.retain(|c, _| c.object() != object);
    }

    /// Its numbers come from outside.
    fn take_input(&mut self, st: &mut State, object: ObjectId) {
        for cell in self.frame.cells(object) {
            if let Some(Shape::Int(int)) = self.frame.cell_info(cell).map(|i| i.shape) {
                let (low, high) = int.bounds();
                st.bounds.set(cell, Number::outside(low, high));
            }
        }
    }

    fn given(
        &mut self,
        st: &mut State,
        edge: EdgeId,
        call: &Call,
        m: Model,
        args: &[Value],
    ) -> Value {
        let number = |i: usize| match args.get(i) {
            Some(Value::Number(n)) => *n,
            _ => Number::TOP,
        };
        match m.gives {
            Gives::Anything => Value::Unknown,
            Gives::Input(..) | Gives::Number(..) | Gives::Characters(..) => {
                let most = m.at_most.map(number).filter(|most| most.low >= 0);
                let most = most.map_or(i64::MAX, |most| most.high);
                let bound = |value| domain::Bound {
                    value,
                    acknowledged: false,
                };
                let given = m.number().map(|n| {
                    let less = n.restrict(bound(i64::MIN), bound(most));
                    less.unwrap_or(n)
                });
                self.as_result(call, given)
            }
            Gives::Argument(at) => args.get(at).cloned().unwrap_or(Value::Unknown),
            Gives::Length(at) => self.as_result(call, Some(self.length_behind(st, args.get(at)))),
            Gives::NonNull | Gives::Same => Value::Pointer(Pointer {
                null: Nullness::VALID,
                ..Pointer::any()
            }),
            Gives::PointerOrNull => Value::Pointer(Pointer {
                null: Nullness::FALLIBLE,
                ..Pointer::any()
            }),
            Gives::Memory {
                size,
                zeroed,
                can_fail,
            } => {
                let size = match size {
                    Size::Argument(i) => number(i),
                    Size::Product(i, j) => apply(
                        Operator::Mul,
                        &number(i),
                        &number(j),
                        crate::memory::OFFSET,
                        false,
                    ),
                    Size::Constant(n) => Number::constant(i64::from(n)),
                    Size::Unknown => Number::TOP,
                };
                let object = self.allocate(st, edge, size);
                let rest = CellId::rest(object);
                if zeroed {
                    st.bounds.set(rest, Number::constant(0));
                    st.pointers.set(rest, Pointer::null());
                } else {
                    st.definedness.set(rest, Definition::Undefined);
                }
                let null = if can_fail {
                    Nullness::FALLIBLE
                } else {
                    Nullness::VALID
                };
                Value::Pointer(Pointer {
                    null,
                    ..Pointer::to(object)
                })
            }
        }
    }

    /// Bytes from a pointer to the end of what it points into.
    fn length_behind(&self, st: &State, pointer: Option<&Value>) -> Number {
        let longest = crate::models::LONGEST_OBJECT;
        let any = Number::range(0, longest);
        let Some(Value::Pointer(p)) = pointer else {
            return any;
        };
        let (Targets::Known(objects), false) = (&p.targets, p.null.may_be_null) else {
            return any;
        };
        let lengths = objects.iter().map(|object| {
            let room = self.room(st, *object)?;
            let low = room.low.checked_sub(p.offset.high)?.max(0);
            let high = room.high.checked_sub(p.offset.low)?;
            (low <= high && high <= longest).then(|| Number::range(low, high))
        });
        let joined = lengths.reduce(|a, b| Some(a?.join(&b?)));
        joined.flatten().unwrap_or(any)
    }

    /// A number, cut to what the call's result can be.
    pub(super) fn as_result(&self, call: &Call, n: Option<Number>) -> Value {
        let ty = call
            .result
            .map_or(TypeId::VOID, |p| self.frame.body.places[p].ty);
        match (self.frame.shape(ty), n) {
            (Shape::Int(int), Some(n)) => {
                let (low, high) = int.bounds();
                let bound = |value| domain::Bound {
                    value,
                    acknowledged: false,
                };
                Value::Number(n.restrict(bound(low), bound(high)).unwrap_or(int.any()))
            }
            (shape, _) => Value::unknown(shape),
        }
    }
}
