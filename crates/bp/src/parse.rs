//! The parser: recursive descent, with a bound on nesting, and an error at the first word that does not fit.
//!
//! The syntax is that of Bebop, in the variants that model checkers write:
//!
//! ```text
//! program    = { "decl" names ";" } { function }
//! function   = ("void" | "bool" [ "<" number ">" ]) name "(" [ names ] ")" "begin" { "decl" names ";" | "enforce" e ";" } { statement } "end"
//! statement  = { name ":" } action
//! action     = "skip" ";" | "assume" e ";" | "assert" e ";" | "goto" names ";" | "return" [ es ] ";" | "dead" names ";"
//!            | names ":=" es [ "constrain" e ] ";" | [ names ":=" ] name "(" [ es ] ")" ";"
//!            | "if" e "then" { statement } [ "else" { statement } ] "fi" [ ";" ]
//!            | "while" e "do" { statement } "od" [ ";" ]
//! e          = "0" | "1" | "F" | "T" | "false" | "true" | "*" | name | "'" name | "!" e | e op e | e "?" e ":" e
//!            | "schoose" "[" e "," e "]" | "(" e ")"
//! op         = "&" | "&&" | "|" | "||" | "^" | "!=" | "=" | "==" | "<=>" | "=>" | "->"
//! ```

mod expression;
mod statement;

use crate::ast::{Error, Function, Name, Place, Program};
use crate::lexer::{Kind, Token, tokens};

/// Statements within statements, and expressions within expressions: deeper ones are refused.
const DEEPEST: u32 = 200;

/// In one statement; more are refused.
const MOST_OPERATORS: u32 = 2000;

const KEYWORDS: &[&str] = &[
    "decl",
    "void",
    "bool",
    "begin",
    "end",
    "skip",
    "assume",
    "assert",
    "goto",
    "return",
    "if",
    "then",
    "else",
    "elsif",
    "fi",
    "while",
    "do",
    "od",
    "schoose",
    "constrain",
    "dead",
    "enforce",
];

/// Reads a program.
pub fn parse(text: &str) -> Result<Program, Error> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        depth: 0,
        operators: 0,
    };
    parser.program()
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    at: usize,
    depth: u32,
    /// Of the current statement.
    operators: u32,
}

impl<'t> Parser<'t> {
    fn token(&self) -> Token<'t> {
        // The last one is the end, and is never passed.
        match self.tokens.get(self.at).or(self.tokens.last()) {
            Some(token) => *token,
            None => Token {
                kind: Kind::End,
                text: "",
                place: Place { line: 1, column: 1 },
                offset: 0,
            },
        }
    }

    fn peek(&self, ahead: usize) -> &'t str {
        self.tokens.get(self.at + ahead).map_or("", |t| t.text)
    }

    fn place(&self) -> Place {
        self.token().place
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len().saturating_sub(1));
    }

    fn expected<T>(&self, what: &str) -> Result<T, Error> {
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            _ => format!("`{}`", token.text.escape_debug()),
        };
        Err(Error::new(
            token.place,
            format!("expected {what}, found {found}"),
        ))
    }

    fn is(&self, text: &str) -> bool {
        self.token().text == text && self.token().kind != Kind::End
    }

    fn accept(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.advance();
        }
        is
    }

    fn expect(&mut self, text: &str) -> Result<(), Error> {
        if self.accept(text) {
            return Ok(());
        }
        self.expected(&format!("`{text}`"))
    }

    fn is_name(&self, ahead: usize) -> bool {
        self.tokens
            .get(self.at + ahead)
            .is_some_and(|t| t.kind == Kind::Name && !KEYWORDS.contains(&t.text))
    }

    fn name(&mut self, what: &str) -> Result<Name, Error> {
        if !self.is_name(0) {
            return self.expected(what);
        }
        let token = self.token();
        self.advance();
        Ok(Name {
            text: token.text.to_string(),
            place: token.place,
        })
    }

    fn names(&mut self, what: &str) -> Result<Vec<Name>, Error> {
        let mut names = vec![self.name(what)?];
        while self.accept(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn declarations(&mut self) -> Result<Vec<Name>, Error> {
        let mut names = Vec::new();
        while self.accept("decl") {
            names.extend(self.names("a variable")?);
            self.expect(";")?;
        }
        Ok(names)
    }

    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("nested too deeply: more than {DEEPEST} levels");
            return Err(Error::new(self.place(), message));
        }
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn program(&mut self) -> Result<Program, Error> {
        let mut globals = self.declarations()?;
        let mut functions = Vec::new();
        while self.token().kind != Kind::End {
            if self.is("decl") {
                globals.extend(self.declarations()?);
                continue;
            }
            functions.push(self.function()?);
        }
        Ok(Program { globals, functions })
    }

    fn function(&mut self) -> Result<Function, Error> {
        let returns = if self.accept("void") {
            0
        } else if self.accept("bool") {
            self.width()?
        } else {
            return self.expected("`decl`, `void` or `bool`");
        };
        let name = self.name("the name of a function")?;
        self.expect("(")?;
        let parameters = if self.is(")") {
            Vec::new()
        } else {
            self.names("a parameter or `)`")?
        };
        self.expect(")")?;
        self.expect("begin")?;
        let mut locals = Vec::new();
        let mut enforced = Vec::new();
        loop {
            locals.extend(self.declarations()?);
            if !self.accept("enforce") {
                break;
            }
            self.operators = 0;
            enforced.push(self.expression()?);
            self.expect(";")?;
        }
        let body = self.statements(&["end"])?;
        let end = self.place();
        self.expect("end")?;
        Ok(Function {
            name,
            returns,
            parameters,
            locals,
            enforced,
            body,
            end,
        })
    }

    /// `<2>` behind `bool`.
    fn width(&mut self) -> Result<u32, Error> {
        if !self.accept("<") {
            return Ok(1);
        }
        let number = self.token();
        let Some(width) = (number.kind == Kind::Number)
            .then(|| number.text.parse().ok())
            .flatten()
        else {
            return self.expected("how many bits are returned");
        };
        self.advance();
        self.expect(">")?;
        Ok(width)
    }
}
