//! Patterns: what a statement must do, written as C would write it.

use super::Mistake;
use super::compile::leak;
use super::parse::{Parser, RESERVED, SETTINGS, is_plain};
use super::syntax::PatternText;
use super::tokens::{Kind, Token};
use crate::temporal::{Argument, Outcome, Stored};

const FORMS: &str = "a pattern is `f(l, _, ...)`, `l = f(...)`, `f(l) == 0`, `*l`, `name = _`, `l->field = _`, `return`, `return l`, `end` or `calls`";

impl<'t> Parser<'t> {
    pub fn pattern(&mut self) -> Result<PatternText, Mistake> {
        let first = self.next();
        if first.kind != Kind::Name && !first.is("*") {
            return Err(first.wrong(
                format!("expected a pattern, found {}", first.shown()),
                FORMS,
            ));
        }
        if first.is("*") || (first.text.starts_with('*') && !self.calls(1)) {
            return self.dereference();
        }
        match first.text {
            "return" => {
                self.advance();
                // `return l -> state`.
                let value = self.next();
                if value.kind != Kind::Name {
                    return Ok(PatternText::Left);
                }
                self.value()?;
                return Ok(PatternText::Returned);
            }
            "end" => {
                self.advance();
                return Ok(PatternText::Ended);
            }
            "calls" => {
                self.advance();
                let except = match self.eat_word("except") {
                    true => self.names(",")?,
                    false => Vec::new(),
                };
                return Ok(PatternText::AnyCall { except });
            }
            _ => {}
        }
        let second = self.peek(1);
        if second.is("=") {
            return self.assignment();
        }
        if second.is("->") && self.peek(3).is("=") {
            return self.field();
        }
        if self.calls(1) {
            return self.call(false);
        }
        if SETTINGS.contains(&first.text) {
            return Err(first.wrong(
                format!("{} stands among the lines of a state", first.shown()),
                "say it before the first state",
            ));
        }
        Err(first.wrong(
            format!("{} alone is no pattern", first.shown()),
            match second.is("->") {
                true => format!("to call it is `{}(...)`; {FORMS}", first.text),
                false => FORMS.to_string(),
            },
        ))
    }

    /// Is the word so far ahead behind the names of a call?
    fn calls(&self, ahead: usize) -> bool {
        self.peek(ahead).is("(") || self.peek(ahead).is("|")
    }

    /// `*l`
    fn dereference(&mut self) -> Result<PatternText, Mistake> {
        let star = self.advance();
        let name = match star.text.strip_prefix('*') {
            Some("") | None => self.name("a value", "such as `*l`")?.text,
            Some(name) => name,
        };
        match self.each {
            Some(each) if each == name => Ok(PatternText::Dereferenced),
            _ => Err(self.unknown(star, name)),
        }
    }

    /// `l = f(…)`, `name = …`, `_ = l`
    fn assignment(&mut self) -> Result<PatternText, Mistake> {
        let to = self.advance();
        self.symbol("=", "")?;
        let gives = self.each == Some(to.text);
        if gives && self.next().kind == Kind::Name && self.calls(1) {
            return self.call(true);
        }
        if gives {
            return Err(self.next().wrong(
                format!("expected a call, found {}", self.next().shown()),
                format!("a value comes from a call: `{} = open_it(...)`", to.text),
            ));
        }
        let what = self.what()?;
        let to = match to.text {
            "_" => Stored::Anywhere,
            name if is_plain(name) && !RESERVED.contains(&name) => Stored::Global(leak(name)),
            _ => {
                return Err(to.wrong(
                    format!("{} is no variable", to.shown()),
                    "the name of a global variable, or `_` for any place in memory",
                ));
            }
        };
        if to == Stored::Anywhere && what != Argument::Value {
            let hint = match self.each {
                Some(each) => format!("`_ = {each}`: it is stored somewhere"),
                None => "name the variable: `ready = 1`".to_string(),
            };
            return Err(self.previous().wrong("every assignment would fit", hint));
        }
        Ok(PatternText::Stored { to, what })
    }

    /// `l->field = …`, `_->field = …`
    fn field(&mut self) -> Result<PatternText, Mistake> {
        let of = self.advance();
        self.symbol("->", "")?;
        let name = self.name("a field", "such as `l->state = _`")?;
        if !is_plain(name.text) {
            return Err(name.wrong(format!("{} is no field", name.shown()), "one name"));
        }
        self.symbol("=", "")?;
        let what = self.what()?;
        let of_value = match of.text {
            "_" => false,
            text if self.each == Some(text) => true,
            text => return Err(self.unknown(of, text)),
        };
        if of_value && what == Argument::Value {
            return Err(self.previous().wrong(
                "a pattern speaks of one value",
                "put `_` on one of the sides",
            ));
        }
        let name = leak(name.text);
        Ok(PatternText::Stored {
            to: Stored::Field { name, of_value },
            what,
        })
    }

    fn call(&mut self, gives: bool) -> Result<PatternText, Mistake> {
        let names = self.names("|")?;
        self.symbol(
            "(",
            "behind the names of functions stand arguments: `f(l)`, `f(...)`",
        )?;
        let mut arguments = Vec::new();
        let mut more = false;
        if !self.eat(")") {
            loop {
                if self.eat("...") {
                    more = true;
                    self.symbol(
                        ")",
                        "`...` stands for all further arguments, and comes last",
                    )?;
                    break;
                }
                let argument = self.what()?;
                let again = argument == Argument::Value && arguments.contains(&Argument::Value);
                if again || (gives && argument == Argument::Value) {
                    return Err(self.previous().wrong(
                        "a pattern speaks of the value once",
                        "put `_` for the other argument",
                    ));
                }
                arguments.push(argument);
                if self.eat(")") {
                    break;
                }
                self.symbol(",", "arguments stand in parentheses, with `,` between them")?;
            }
        }
        let outcome = self.outcome(gives)?;
        Ok(PatternText::Call {
            names,
            arguments,
            more,
            gives,
            outcome,
        })
    }

    /// `== 0` behind a call.
    fn outcome(&mut self, gives: bool) -> Result<Outcome, Mistake> {
        let sign = self.next();
        let outcome = match sign.text {
            _ if sign.kind != Kind::Symbol => return Ok(Outcome::Any),
            "==" => Outcome::Zero,
            "!=" => Outcome::NotZero,
            "<" => Outcome::Negative,
            ">" => Outcome::Positive,
            "<=" => Outcome::NotPositive,
            ">=" => Outcome::NotNegative,
            _ => return Ok(Outcome::Any),
        };
        if gives {
            return Err(sign.wrong(
                "what a call gives is followed only if it did not fail",
                "leave the comparison out: a null pointer or a negative number is no value",
            ));
        }
        self.advance();
        let zero = self.advance();
        match zero.text {
            "0" => Ok(outcome),
            "NULL" if matches!(outcome, Outcome::Zero | Outcome::NotZero) => Ok(outcome),
            _ => Err(zero.wrong(
                format!("a result is compared with 0, not with {}", zero.shown()),
                "`== 0`, `!= 0`, `< 0`, `> 0`, `<= 0`, `>= 0`, `== NULL` or `!= NULL`",
            )),
        }
    }

    /// `_`, the value, a number, `NULL`, a text.
    fn what(&mut self) -> Result<Argument, Mistake> {
        let token = self.advance();
        match (token.kind, token.text) {
            (Kind::Name, "_") => Ok(Argument::Any),
            (Kind::Name, "NULL") => Ok(Argument::Null),
            (Kind::Name, name) if self.each == Some(name) => Ok(Argument::Value),
            (Kind::Name, name) => Err(self.unknown(token, name)),
            (Kind::Text, text) => Ok(Argument::Text(leak(text))),
            (Kind::Number, text) => match number(text) {
                Some(n) => Ok(Argument::Int(n)),
                None => Err(token.wrong(
                    format!("{} is no number", token.shown()),
                    "such as 3, -1 or 0x1f",
                )),
            },
            _ => Err(token.wrong(
                format!("expected an argument, found {}", token.shown()),
                "`_` for any, `...` for all further ones, a value, a number, `NULL` or a text",
            )),
        }
    }

    fn value(&mut self) -> Result<(), Mistake> {
        let token = self.advance();
        match self.each == Some(token.text) {
            true => Ok(()),
            false => Err(self.unknown(token, token.text)),
        }
    }

    /// A name that stands for nothing.
    fn unknown(&self, token: Token<'_>, name: &str) -> Mistake {
        let hint = match self.each {
            Some(each) => {
                format!("the value of this rule is called `{each}`; `_` stands for any other")
            }
            None => format!("say `each {name}` before the states, or `_` for any value"),
        };
        token.wrong(format!("nobody knows what `{name}` is"), hint)
    }
}

fn number(text: &str) -> Option<i128> {
    let (minus, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let n = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    Some(if minus { -n } else { n })
}
