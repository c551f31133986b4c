//! What an expression can be worth, as two formulas about the store: it may be true, it may be false. Each `*` chooses for
//! itself, so that the two are exact: what holds of one operand has no influence on what the other one chooses.

use rustc_hash::FxHashMap;
use wpds::weights::{Bit, Formula, Vocabulary};

use crate::ast::{Error, Expression, Name, Operator};

/// The variables that a function sees.
pub(crate) struct Scope<'p> {
    pub names: FxHashMap<&'p str, Bit>,
}

impl Scope<'_> {
    pub fn bit(&self, name: &Name) -> Result<Bit, Error> {
        self.names.get(name.text.as_str()).copied().ok_or_else(|| {
            let message = format!("there is no variable `{}`", name.text);
            Error::new(name.place, message)
        })
    }
}

pub(crate) struct Value {
    pub may_be_true: Formula,
    pub may_be_false: Formula,
}

impl Value {
    /// `next`: may the expression speak of values after the step?
    pub fn of(
        v: &Vocabulary,
        scope: &Scope<'_>,
        expression: &Expression,
        next: bool,
    ) -> Result<Value, Error> {
        let of = |e: &Expression| Value::of(v, scope, e, next);
        Ok(match expression {
            Expression::Constant(value) => Value::exact(v, v.constant(*value)),
            Expression::Any => Value {
                may_be_true: v.constant(true),
                may_be_false: v.constant(true),
            },
            Expression::Variable(name) => Value::exact(v, v.now(scope.bit(name)?)),
            Expression::Next(name) if next => Value::exact(v, v.next(scope.bit(name)?)),
            Expression::Next(name) => {
                let message = format!("`'{}` has a meaning in `constrain` only", name.text);
                return Err(Error::new(name.place, message));
            }
            Expression::Not(inner) => of(inner)?.not(),
            Expression::Binary(operator, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match operator {
                    Operator::And => a.and(v, &b),
                    Operator::Or => a.not().and(v, &b.not()).not(),
                    Operator::Implies => a.and(v, &b.not()).not(),
                    Operator::Xor => a.xor(v, &b),
                    Operator::Equal => a.xor(v, &b).not(),
                }
            }
            Expression::Choice(c, a, b) => {
                let (c, a, b) = (of(c)?, of(a)?, of(b)?);
                let either = |a: &Formula, b: &Formula| {
                    v.or(&v.and(&c.may_be_true, a), &v.and(&c.may_be_false, b))
                };
                Value {
                    may_be_true: either(&a.may_be_true, &b.may_be_true),
                    may_be_false: either(&a.may_be_false, &b.may_be_false),
                }
            }
            Expression::Schoose(yes, no) => {
                let (yes, no) = (of(yes)?, of(no)?);
                let neither = v.and(&yes.may_be_false, &no.may_be_false);
                Value {
                    may_be_true: v.or(&yes.may_be_true, &neither),
                    may_be_false: yes.may_be_false,
                }
            }
        })
    }

    fn exact(v: &Vocabulary, formula: Formula) -> Value {
        Value {
            may_be_false: v.not(&formula),
            may_be_true: formula,
        }
    }

    fn not(self) -> Value {
        Value {
            may_be_true: self.may_be_false,
            may_be_false: self.may_be_true,
        }
    }

    fn and(&self, v: &Vocabulary, other: &Value) -> Value {
        Value {
            may_be_true: v.and(&self.may_be_true, &other.may_be_true),
            may_be_false: v.or(&self.may_be_false, &other.may_be_false),
        }
    }

    fn xor(&self, v: &Vocabulary, other: &Value) -> Value {
        let both =
            |a: &Formula, b: &Formula, c: &Formula, d: &Formula| v.or(&v.and(a, b), &v.and(c, d));
        let (t, f) = (&self.may_be_true, &self.may_be_false);
        let (u, g) = (&other.may_be_true, &other.may_be_false);
        Value {
            may_be_true: both(t, g, f, u),
            may_be_false: both(t, u, f, g),
        }
    }

    /// A bit, by its formula, has (one of) these values.
    pub fn is(&self, v: &Vocabulary, bit: &Formula) -> Formula {
        let yes = v.and(bit, &self.may_be_true);
        v.or(&yes, &v.minus(&self.may_be_false, bit))
    }
}
