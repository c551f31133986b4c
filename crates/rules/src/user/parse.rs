//! From words to rules: what stands around the patterns.

use super::syntax::{RuleText, StateText, TargetText, TransitionText};
use super::tokens::{Kind, Token, tokens};
use super::{Mistake, Severity};

/// Words that name no state and no value.
pub(super) const RESERVED: &[&str] = &[
    "rule", "severity", "cwe", "each", "harmless", "error", "return", "end", "calls", "except",
    "NULL", "_",
];

/// What is said of a rule before its states.
pub(super) const SETTINGS: &[&str] = &["severity", "cwe", "each", "harmless"];

pub(super) fn rules(text: &str) -> Result<Vec<RuleText<'_>>, Mistake> {
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        at: 0,
        each: None,
    };
    let mut all = Vec::new();
    while parser.next().kind != Kind::End {
        all.push(parser.rule()?);
    }
    Ok(all)
}

pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    /// What the rule at hand calls its values.
    pub each: Option<&'t str>,
}

impl<'t> Parser<'t> {
    fn rule(&mut self) -> Result<RuleText<'t>, Mistake> {
        let begin = self.next();
        if !self.eat_word("rule") {
            return Err(begin.wrong(
                format!("expected a rule, found {}", begin.shown()),
                "a rule is `rule some-id \"what it finds\" { … }`",
            ));
        }
        let id = self.name("the id of the rule", "such as `lock-discipline`")?;
        let kebab = |id: &str| {
            id.split('-').all(|part| {
                let good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
                !part.is_empty() && part.bytes().all(good)
            })
        };
        if !kebab(id.text) {
            return Err(id.wrong(
                format!("{} is no id of a rule", id.shown()),
                "lower-case words with `-` between them, such as `lock-discipline`",
            ));
        }
        let summary = self.text(
            "what the rule finds",
            "one line in quotes, such as \"a lock is taken twice\"",
        )?;
        if summary.trim().is_empty() {
            return Err(id.wrong("it is not said what the rule finds", "say it in quotes"));
        }
        self.symbol("{", "the states of the rule stand in braces")?;
        self.each = None;
        let mut rule = RuleText {
            id: id.text,
            place: id.place,
            summary,
            severity: Severity::Error,
            cwe: Vec::new(),
            each: None,
            harmless: Vec::new(),
            states: Vec::new(),
            source: "",
        };
        while !self.next().is("}") {
            self.item(&mut rule)?;
        }
        let end = self.advance();
        rule.source = self.text.get(begin.start..end.end).unwrap_or_default();
        Ok(rule)
    }

    fn item(&mut self, rule: &mut RuleText<'t>) -> Result<(), Mistake> {
        let word = self.next();
        if word.kind == Kind::End {
            return Err(word.wrong(
                format!("the rule `{}` has no end", rule.id),
                "close it with `}`",
            ));
        }
        let begins_state = self.peek(1).is(":") || self.peek(1).kind == Kind::Text;
        if SETTINGS.contains(&word.text) && word.kind == Kind::Name && !self.peek(1).is(":") {
            self.advance();
            return self.setting(word, rule);
        }
        if word.kind != Kind::Name || !begins_state {
            let hint = match rule.states.is_empty() {
                true => "a state is `name:` with lines `pattern -> state` below it",
                false => "a line is `pattern -> state` or `pattern -> error \"message\"`",
            };
            return Err(word.wrong(format!("expected a state, found {}", word.shown()), hint));
        }
        let state = self.state()?;
        if let Some(known) = rule.states.iter().find(|s| s.name == state.name) {
            return Err(Mistake::new(
                state.place,
                format!("there are two states `{}`", state.name),
                format!("the first is in line {}", known.place.line),
            ));
        }
        rule.states.push(state);
        Ok(())
    }

    fn setting(&mut self, word: Token<'t>, rule: &mut RuleText<'t>) -> Result<(), Mistake> {
        match word.text {
            "severity" => {
                let which = self.name("a severity", "`error`, `warning` or `note`")?;
                rule.severity = match which.text {
                    "error" => Severity::Error,
                    "warning" => Severity::Warning,
                    "note" => Severity::Note,
                    _ => {
                        return Err(which.wrong(
                            format!("{} is no severity", which.shown()),
                            "`error`, `warning` or `note`",
                        ));
                    }
                };
            }
            "cwe" => loop {
                let number = self.advance();
                match number.text.parse() {
                    Ok(n) if number.kind == Kind::Number => rule.cwe.push(n),
                    _ => {
                        return Err(number.wrong(
                            format!("expected a number, found {}", number.shown()),
                            "such as `cwe 667`",
                        ));
                    }
                }
                if !self.eat(",") {
                    break;
                }
            },
            "each" => {
                let name = self.name("a name for every value", "such as `each l`")?;
                if let Some((known, _)) = rule.each {
                    return Err(name.wrong(
                        format!("`{known}` is followed already"),
                        "a rule follows one value; make two rules of it",
                    ));
                }
                if RESERVED.contains(&name.text) || !is_plain(name.text) {
                    return Err(name.wrong(
                        format!("{} is no name of a value", name.shown()),
                        "letters, digits and `_`, and none of the words of the language",
                    ));
                }
                if self.next().is(",") {
                    return Err(self
                        .next()
                        .wrong("a rule follows one value", "make a rule for each of them"));
                }
                rule.each = Some((name.text, name.place));
                self.each = Some(name.text);
            }
            _ => rule.harmless.extend(self.names(",")?),
        }
        Ok(())
    }

    fn state(&mut self) -> Result<StateText<'t>, Mistake> {
        let name = self.advance();
        if RESERVED.contains(&name.text) || !is_plain(&name.text.replace('-', "_")) {
            return Err(name.wrong(
                format!("{} is no name of a state", name.shown()),
                "letters, digits, `_` and `-`, and none of the words of the language",
            ));
        }
        let told = match self.next().kind {
            Kind::Text => Some(self.text("", "")?),
            _ => None,
        };
        self.symbol(":", "a state is `name:` or `name \"what is said of it\":`")?;
        let mut transitions = Vec::new();
        loop {
            let begins_state = self.next().kind == Kind::Name
                && (self.peek(1).is(":")
                    || (self.peek(1).kind == Kind::Text && self.peek(2).is(":")));
            if begins_state || self.next().is("}") || self.next().kind == Kind::End {
                break;
            }
            transitions.push(self.transition()?);
        }
        Ok(StateText {
            name: name.text,
            place: name.place,
            told,
            transitions,
        })
    }

    fn transition(&mut self) -> Result<TransitionText<'t>, Mistake> {
        let begin = self.next();
        let pattern = self.pattern()?;
        let end = self.tokens[self.at.saturating_sub(1)].end;
        self.symbol(
            "->",
            "behind a pattern stands `-> state` or `-> error \"message\"`",
        )?;
        let to = self.name(
            "a state, or `error`",
            "`-> state` or `-> error \"message\"`",
        )?;
        let to = match to.text {
            "error" => TargetText::Error(self.text(
                "what is wrong",
                "in quotes, such as `error \"`{l}` is locked twice\"`",
            )?),
            name => TargetText::State(name, to.place),
        };
        Ok(TransitionText {
            place: begin.place,
            pattern,
            source: self.text.get(begin.start..end).unwrap_or_default(),
            to,
        })
    }

    /// Names of functions with this between them.
    pub fn names(&mut self, between: &str) -> Result<Vec<String>, Mistake> {
        let mut all = Vec::new();
        loop {
            let name = self.name("the name of a function", "such as `spin_lock` or `log_*`")?;
            function_name(name)?;
            all.push(name.text.to_string());
            if !self.eat(between) {
                return Ok(all);
            }
        }
    }

    pub fn next(&self) -> Token<'t> {
        self.peek(0)
    }

    pub fn peek(&self, ahead: usize) -> Token<'t> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)]
    }

    pub fn previous(&self) -> Token<'t> {
        self.tokens[self.at.saturating_sub(1)]
    }

    pub fn advance(&mut self) -> Token<'t> {
        let token = self.next();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn eat(&mut self, symbol: &str) -> bool {
        let is = self.next().is(symbol);
        if is {
            self.advance();
        }
        is
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let is = self.next().kind == Kind::Name && self.next().text == word;
        if is {
            self.advance();
        }
        is
    }

    pub fn symbol(&mut self, symbol: &str, hint: &str) -> Result<Token<'t>, Mistake> {
        let token = self.next();
        match token.is(symbol) {
            true => Ok(self.advance()),
            false => Err(token.wrong(
                format!("expected `{symbol}`, found {}", token.shown()),
                hint,
            )),
        }
    }

    pub fn name(&mut self, what: &str, hint: &str) -> Result<Token<'t>, Mistake> {
        let token = self.next();
        match token.kind == Kind::Name {
            true => Ok(self.advance()),
            false => Err(token.wrong(format!("expected {what}, found {}", token.shown()), hint)),
        }
    }

    /// A text, with what is escaped in it as it is meant.
    fn text(&mut self, what: &str, hint: &str) -> Result<String, Mistake> {
        let token = self.next();
        if token.kind != Kind::Text {
            return Err(token.wrong(format!("expected {what}, found {}", token.shown()), hint));
        }
        self.advance();
        let mut text = String::new();
        let mut chars = token.text.chars();
        while let Some(c) = chars.next() {
            text.push(match c {
                '\\' => chars.next().unwrap_or('\\'),
                c => c,
            });
        }
        Ok(text)
    }
}

impl Token<'_> {
    pub fn wrong(&self, message: impl Into<String>, hint: impl Into<String>) -> Mistake {
        Mistake::new(self.place, message, hint)
    }
}

/// Names that C and C++ could not have.
fn function_name(name: Token<'_>) -> Result<(), Mistake> {
    let stars = name.text.matches('*').count();
    if name.text.contains('-') {
        return Err(name.wrong(
            format!("no function is called {}", name.shown()),
            "names of functions have no `-`",
        ));
    }
    if stars > 1 || name.text == "*" {
        return Err(name.wrong(
            format!("{} is no family of functions", name.shown()),
            "one `*`, for any letters: `log_*`, `*_free`",
        ));
    }
    // What the compiler makes something else of.
    if ["memcpy", "memmove", "memset", "alloca"].contains(&name.text) {
        return Err(name.wrong(
            format!("{} is no call when rigel reads it", name.shown()),
            "the compiler makes an operation on memory of it: name a function of your own around it",
        ));
    }
    Ok(())
}

/// Letters, digits and `_`.
pub(super) fn is_plain(name: &str) -> bool {
    let part = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    !name.is_empty() && name.bytes().all(part) && !name.as_bytes()[0].is_ascii_digit()
}

/// The word that needs the fewest edits, if they are few enough for a slip.
pub(super) fn nearest<'w>(wrong: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    words
        .map(|word| (crate::select::edits(wrong, word), word))
        .filter(|(edits, word)| *edits <= 1 + word.len() / 4)
        .min()
        .map(|(_, word)| word)
}
