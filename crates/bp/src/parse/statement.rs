//! Statements.

use super::Parser;
use crate::ast::{Action, Error, Expression, Name, Statement};
use crate::lexer::Kind;

impl Parser<'_> {
    pub(super) fn statements(&mut self, until: &[&str]) -> Result<Vec<Statement>, Error> {
        let mut statements = Vec::new();
        while !until.contains(&self.token().text) {
            if self.token().kind == Kind::End {
                return self.expected(&format!("a statement or `{}`", until.join("` or `")));
            }
            statements.push(self.statement(until)?);
        }
        Ok(statements)
    }

    fn statement(&mut self, until: &[&str]) -> Result<Statement, Error> {
        let mut labels = Vec::new();
        while self.is_name(0) && self.peek(1) == ":" {
            labels.push(self.name("a label")?);
            self.advance();
        }
        self.operators = 0;
        let (place, start) = (self.place(), self.token().offset);
        // A label before `end` labels nothing but that place.
        if !labels.is_empty() && until.contains(&self.token().text) {
            return Ok(Statement {
                labels,
                place,
                text: String::new(),
                action: Action::Skip,
            });
        }
        let (action, end) = self.action(until)?;
        let text = self.text.get(start..end).unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Statement {
            labels,
            place,
            text,
            action,
        })
    }

    /// The end of what was read so far, for the text of a statement.
    fn end(&self) -> usize {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or(0, |token| token.offset + token.text.len())
    }

    fn action(&mut self, until: &[&str]) -> Result<(Action, usize), Error> {
        let first = self.token();
        let action = match first.text {
            "skip" => {
                self.advance();
                Action::Skip
            }
            "assume" => {
                self.advance();
                Action::Assume(self.expression()?)
            }
            "assert" => {
                self.advance();
                Action::Assert(self.expression()?)
            }
            "goto" => {
                self.advance();
                Action::Goto(self.names("a label")?)
            }
            "dead" => {
                self.advance();
                let targets = self.names("a variable")?;
                let values = targets.iter().map(|_| Expression::Any).collect();
                Action::Assign {
                    targets,
                    values,
                    constrain: None,
                }
            }
            "return" => {
                self.advance();
                Action::Return(if self.is(";") {
                    Vec::new()
                } else {
                    self.expressions()?
                })
            }
            "if" => return self.nested(|p| p.conditional()),
            "while" => {
                return self.nested(|p| {
                    p.advance();
                    let condition = p.expression()?;
                    let end = p.end();
                    p.expect("do")?;
                    let body = p.statements(&["od"])?;
                    p.expect("od")?;
                    p.accept(";");
                    Ok((Action::While { condition, body }, end))
                });
            }
            _ if self.is_name(0) => self.assignment_or_call()?,
            _ => return self.expected(&format!("a statement or `{}`", until.join("` or `"))),
        };
        let end = self.end();
        self.expect(";")?;
        Ok((action, end))
    }

    /// From `if` or `elsif`.
    fn conditional(&mut self) -> Result<(Action, usize), Error> {
        self.advance();
        let condition = self.expression()?;
        let end = self.end();
        self.expect("then")?;
        let then = self.statements(&["else", "elsif", "fi"])?;
        let place = self.place();
        let start = self.token().offset;
        let otherwise = if self.is("elsif") {
            let (action, end) = self.nested(|p| p.conditional())?;
            let text = self.text.get(start..end).unwrap_or_default();
            return Ok((
                Action::If {
                    condition,
                    then,
                    otherwise: vec![Statement {
                        labels: Vec::new(),
                        place,
                        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
                        action,
                    }],
                },
                end,
            ));
        } else if self.accept("else") {
            self.statements(&["fi"])?
        } else {
            Vec::new()
        };
        self.expect("fi")?;
        self.accept(";");
        Ok((
            Action::If {
                condition,
                then,
                otherwise,
            },
            end,
        ))
    }

    fn assignment_or_call(&mut self) -> Result<Action, Error> {
        if self.peek(1) == "(" {
            return self.call(Vec::new());
        }
        let targets = self.names("a variable")?;
        self.expect(":=")?;
        if self.is_name(0) && self.peek(1) == "(" {
            return self.call(targets);
        }
        let values = self.expressions()?;
        let constrain = match self.accept("constrain") {
            true => Some(self.expression()?),
            false => None,
        };
        Ok(Action::Assign {
            targets,
            values,
            constrain,
        })
    }

    fn call(&mut self, targets: Vec<Name>) -> Result<Action, Error> {
        let function = self.name("a function")?;
        self.expect("(")?;
        let arguments = if self.is(")") {
            Vec::new()
        } else {
            self.expressions()?
        };
        self.expect(")")?;
        Ok(Action::Call {
            targets,
            function,
            arguments,
        })
    }
}
