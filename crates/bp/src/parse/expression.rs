//! Expressions. Operators bind in this order: `!`, `=` and `!=`, `&`, `^`, `|`, `=>`, `?`.

use super::{MOST_OPERATORS, Parser};
use crate::ast::{Error, Expression, Operator};

impl Parser<'_> {
    pub(super) fn expressions(&mut self) -> Result<Vec<Expression>, Error> {
        let mut all = vec![self.expression()?];
        while self.accept(",") {
            all.push(self.expression()?);
        }
        Ok(all)
    }

    pub(super) fn expression(&mut self) -> Result<Expression, Error> {
        self.nested(|p| {
            let condition = p.binary(0)?;
            if !p.accept("?") {
                return Ok(condition);
            }
            let then = p.expression()?;
            p.expect(":")?;
            let otherwise = p.expression()?;
            Ok(Expression::Choice(
                Box::new(condition),
                Box::new(then),
                Box::new(otherwise),
            ))
        })
    }

    /// Operators of a level and above; 5 are operands.
    fn binary(&mut self, level: u32) -> Result<Expression, Error> {
        if level == 5 {
            return self.operand();
        }
        let mut left = self.binary(level + 1)?;
        loop {
            let (operator, negated) = match (level, self.token().text) {
                (0, "=>" | "->") => (Operator::Implies, false),
                (1, "|" | "||") => (Operator::Or, false),
                (2, "^") => (Operator::Xor, false),
                (3, "&" | "&&") => (Operator::And, false),
                (4, "=" | "==" | "<=>") => (Operator::Equal, false),
                (4, "!=") => (Operator::Equal, true),
                _ => return Ok(left),
            };
            // A row of operators is a tree as deep as it is long.
            self.operators += 1;
            if self.operators > MOST_OPERATORS {
                let message = format!("more than {MOST_OPERATORS} operators in a statement");
                return Err(Error::new(self.place(), message));
            }
            self.advance();
            let right = match operator {
                Operator::Implies => self.nested(|p| p.binary(0))?,
                _ => self.binary(level + 1)?,
            };
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
            if negated {
                left = Expression::Not(Box::new(left));
            }
        }
    }

    fn operand(&mut self) -> Result<Expression, Error> {
        let token = self.token();
        match token.text {
            "!" | "~" => {
                self.advance();
                let inner = self.nested(|p| p.operand())?;
                Ok(Expression::Not(Box::new(inner)))
            }
            "(" => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            "*" => self.constant(Expression::Any),
            "0" | "F" | "false" => self.constant(Expression::Constant(false)),
            "1" | "T" | "true" => self.constant(Expression::Constant(true)),
            "'" => {
                self.advance();
                Ok(Expression::Next(self.name("a variable")?))
            }
            "schoose" => {
                self.advance();
                self.expect("[")?;
                let yes = self.expression()?;
                self.expect(",")?;
                let no = self.expression()?;
                self.expect("]")?;
                Ok(Expression::Schoose(Box::new(yes), Box::new(no)))
            }
            _ if self.is_name(0) => Ok(Expression::Variable(self.name("a variable")?)),
            _ => self.expected("an expression"),
        }
    }

    fn constant(&mut self, value: Expression) -> Result<Expression, Error> {
        self.advance();
        Ok(value)
    }
}
