//! Statements: what each does to the store, as the weight of its rules.

use wpds::Symbol;
use wpds::weights::{Bit, Formula, RelationWeight};

use super::{Context, Goal, Lowering, Numbered, What, unique, variables};
use crate::ast::{Action, Error, Expression, Name, Place};
use crate::value::Value;

impl<'p> Lowering<'p> {
    pub(super) fn block(
        &mut self,
        c: &Context<'p>,
        block: &[Numbered<'p>],
        after: Symbol,
    ) -> Result<(), Error> {
        for (i, numbered) in block.iter().enumerate() {
            let next = block.get(i + 1).map_or(after, |n| n.symbol);
            self.statement(c, numbered, next)?;
        }
        Ok(())
    }

    fn statement(&mut self, c: &Context<'p>, n: &Numbered<'p>, next: Symbol) -> Result<(), Error> {
        let here = n.symbol;
        if let Goal::Label(goal) = self.goal
            && n.statement.labels.iter().any(|label| label.text == *goal)
        {
            self.goal_seen = true;
            let yes = self.vocabulary().constant(true);
            self.reach(c, n, &yes);
        }
        match &n.statement.action {
            Action::Skip => self.step(here, next, None),
            Action::Assume(condition) => {
                let value = self.value(c, condition)?;
                self.step(here, next, Some(&value.may_be_true));
            }
            Action::Assert(condition) => {
                let value = self.value(c, condition)?;
                self.step(here, next, Some(&value.may_be_true));
                if *self.goal == Goal::Failure {
                    self.reach(c, n, &value.may_be_false);
                }
            }
            Action::Goto(labels) => {
                for label in labels {
                    let Some(target) = c.labels.get(label.text.as_str()).copied() else {
                        let message =
                            format!("there is no label `{}` in this function", label.text);
                        return Err(Error::new(label.place, message));
                    };
                    self.step(here, target, None);
                }
            }
            Action::Assign {
                targets,
                values,
                constrain,
            } => {
                if targets.len() != values.len() {
                    let message =
                        format!("{} variables, but {} values", targets.len(), values.len());
                    return Err(Error::new(n.statement.place, message));
                }
                unique(targets.iter(), "the variable")?;
                let weight = self.assign(c, targets, values, constrain.as_ref())?;
                self.model.system.step(here, next, weight);
            }
            Action::Call {
                targets,
                function,
                arguments,
            } => self.call(c, n, targets, function, arguments, next)?,
            Action::Return(values) => self.give_back(c, here, Some((n.statement.place, values)))?,
            Action::If { condition, .. } => {
                let value = self.value(c, condition)?;
                let then = n.then.first().map_or(next, |s| s.symbol);
                let otherwise = n.otherwise.first().map_or(next, |s| s.symbol);
                self.step(here, then, Some(&value.may_be_true));
                self.step(here, otherwise, Some(&value.may_be_false));
                self.block(c, &n.then, next)?;
                self.block(c, &n.otherwise, next)?;
            }
            Action::While { condition, .. } => {
                let value = self.value(c, condition)?;
                let body = n.then.first().map_or(here, |s| s.symbol);
                self.step(here, body, Some(&value.may_be_true));
                self.step(here, next, Some(&value.may_be_false));
                self.block(c, &n.then, here)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, from: Symbol, to: Symbol, condition: Option<&Formula>) {
        let relations = &self.model.relations;
        let weight = match condition {
            Some(condition) => relations.assume(condition),
            None => wpds::Semiring::one(relations),
        };
        self.model.system.step(from, to, weight);
    }

    /// The goal, where a condition is true.
    fn reach(&mut self, c: &Context<'p>, n: &Numbered<'p>, condition: &Formula) {
        let (place, text) = (n.statement.place, &n.statement.text);
        let reached = self.symbol(What::Reached, c.index, place, text);
        let weight = self.model.relations.fail(condition.clone());
        self.model.system.step(n.symbol, reached, weight);
        let one = wpds::Semiring::one(&self.model.relations);
        self.model.system.step(reached, self.model.goal, one);
    }

    pub(super) fn value(&self, c: &Context<'p>, expression: &Expression) -> Result<Value, Error> {
        Value::of(self.vocabulary(), &c.scope, expression, false)
    }

    fn assign(
        &self,
        c: &Context<'p>,
        targets: &[Name],
        values: &[Expression],
        constrain: Option<&Expression>,
    ) -> Result<RelationWeight, Error> {
        let v = self.vocabulary();
        let mut changed = Vec::new();
        let mut results = v.constant(true);
        for (target, value) in targets.iter().zip(values) {
            let bit = c.scope.bit(target)?;
            changed.push(bit);
            let value = self.value(c, value)?;
            results = v.and(&results, &value.is(v, &v.next(bit)));
        }
        if let Some(constrain) = constrain {
            let value = Value::of(v, &c.scope, constrain, true)?;
            results = v.and(&results, &value.may_be_true);
        }
        changed.sort_unstable();
        let formula = v.and(&results, &self.model.relations.unchanged(&changed));
        Ok(self.model.relations.step(formula))
    }

    fn call(
        &mut self,
        c: &Context<'p>,
        n: &Numbered<'p>,
        targets: &[Name],
        name: &Name,
        arguments: &[Expression],
        next: Symbol,
    ) -> Result<(), Error> {
        let callee = self.functions.get(name.text.as_str()).copied();
        let found =
            callee.and_then(|i| Some((self.program.functions.get(i)?, *self.entries.get(i)?)));
        let Some((callee, entry)) = found else {
            let message = format!("there is no function `{}`", name.text);
            return Err(Error::new(name.place, message));
        };
        if callee.parameters.len() != arguments.len() {
            let message = format!(
                "`{}` has {} parameters, and is called with {}",
                name.text,
                callee.parameters.len(),
                arguments.len()
            );
            return Err(Error::new(name.place, message));
        }
        if !targets.is_empty() && targets.len() != callee.returns as usize {
            let message = format!(
                "`{}` returns {} bits, and {} are assigned",
                name.text,
                callee.returns,
                targets.len()
            );
            return Err(Error::new(name.place, message));
        }
        unique(targets.iter(), "the variable")?;
        let mut formula = self.frame(variables(callee).count());
        let v = self.vocabulary();
        for (bit, argument) in (v.shared()..).map(Bit).zip(arguments) {
            let value = self.value(c, argument)?;
            formula = v.and(&formula, &value.is(v, &v.next(bit)));
        }
        let weight = self.model.relations.push(formula);
        let place = n.statement.place;
        let returned = self.symbol(What::Returned, c.index, place, &n.statement.text);
        self.model.system.push(n.symbol, entry, returned, weight);
        // The results, and the registers back to false.
        let v = self.vocabulary();
        let mut values = Vec::new();
        for (target, register) in targets.iter().zip(self.registers..) {
            values.push((c.scope.bit(target)?, Some(v.now(Bit(register)))));
        }
        for register in (self.registers..).take(callee.returns as usize) {
            values.push((Bit(register), Some(v.constant(false))));
        }
        let weight = self.model.relations.assign(&v.constant(true), &values);
        self.model.system.step(returned, next, weight);
        Ok(())
    }

    /// Shared bits stay, the caller's variables are saved, and what the callee has no name for is false.
    fn frame(&mut self, named: usize) -> Formula {
        if let Some(known) = self.frames.get(&named) {
            return known.clone();
        }
        let v = self.vocabulary();
        let mut frame = v.constant(true);
        for bit in v.from_below() {
            let part = match bit.0.checked_sub(v.shared()) {
                None => v.iff(&v.now(bit), &v.next(bit)),
                Some(local) => {
                    let saved = v.iff(&v.now(bit), &v.saved(bit));
                    if (local as usize) < named {
                        saved
                    } else {
                        v.and(&saved, &v.not(&v.next(bit)))
                    }
                }
            };
            frame = v.and(&part, &frame);
        }
        self.frames.insert(named, frame.clone());
        frame
    }

    /// A return; at the end of a function, the values can be any.
    pub(super) fn give_back(
        &mut self,
        c: &Context<'p>,
        here: Symbol,
        values: Option<(Place, &[Expression])>,
    ) -> Result<(), Error> {
        let v = self.vocabulary();
        let mut formula = v.constant(true);
        for bit in (0..v.shared()).map(Bit) {
            let part = match bit.0.checked_sub(self.registers) {
                None => v.iff(&v.now(bit), &v.next(bit)),
                Some(register) if register < c.function.returns => continue,
                Some(_) => v.not(&v.next(bit)),
            };
            formula = v.and(&part, &formula);
        }
        debug_assert!(c.function.returns <= self.register_count);
        if let Some((place, values)) = values {
            if values.len() != c.function.returns as usize {
                let message = format!(
                    "`{}` returns {} bits, and here {}",
                    c.function.name.text,
                    c.function.returns,
                    values.len()
                );
                return Err(Error::new(place, message));
            }
            for (bit, value) in (self.registers..).map(Bit).zip(values) {
                let value = self.value(c, value)?;
                formula = v.and(&formula, &value.is(v, &v.next(bit)));
            }
        }
        let weight = self.model.relations.pop(formula);
        self.model.system.pop(here, weight);
        Ok(())
    }
}
