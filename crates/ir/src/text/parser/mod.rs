//! From text to programs.
//!
//! Names may be used before they are defined, so the text is read in three passes over one list
//! of tokens: struct names; all other definitions, with bodies passed over; then the bodies.
//! An expression is first read as a tree without types (`syntax`), then given its meaning
//! (`elaborate`), for what `a + b` is depends on what `a` turns out to be.

mod body;
mod elaborate;
mod init;
mod items;
mod place;
mod stmt;
mod structs;
mod syntax;
mod tree;
mod types;

use super::ParseError;
use super::lexer::{Kind, Token, lex};
use super::names::Scope;
use crate::program::{File, FuncId, GlobalId, Program, UnitId};
use crate::span::{FileId, Span};
use crate::types::StructId;
use crate::validate::validate;
use rustc_hash::FxHashMap;

type Result<T> = std::result::Result<T, ParseError>;

/// How deep parentheses, casts, types and selections may nest: the parser recurses on them.
pub const MAX_NESTING: u32 = 200;

/// Reads a program. What it returns is well-formed: it has passed `validate`.
pub fn parse(source: &str) -> Result<Program> {
    let mut parser = Parser {
        tokens: lex(source)?,
        at: 0,
        nesting: 0,
        program: Program::default(),
        files: FxHashMap::default(),
        structs: FxHashMap::default(),
        names: FxHashMap::default(),
        literals: FxHashMap::default(),
        node_budget: MAX_NODES,
    };
    parser.declare_structs()?;
    let pending = parser.items()?;
    let places = parser.finish(pending)?;
    let program = parser.program;
    if let Err(violations) = validate(&program)
        && let Some(first) = violations.first()
    {
        let (line, column) = places.position(first.function, first.edge);
        return Err(ParseError {
            line,
            column,
            message: first.describe(&program),
        });
    }
    Ok(program)
}

/// Nodes that all bodies together may have: numbers are cheap to write and dear to store.
const MAX_NODES: u32 = 1 << 24;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Function(FuncId),
    Global(GlobalId),
}

struct Parser<'s> {
    tokens: Vec<Token<'s>>,
    at: usize,
    nesting: u32,
    program: Program,
    files: FxHashMap<String, FileId>,
    /// (union, name, rank)
    structs: FxHashMap<(bool, String, u32), StructId>,
    names: FxHashMap<(Scope, String, u32), Entity>,
    literals: FxHashMap<Vec<u8>, GlobalId>,
    node_budget: u32,
}

/// A name as it was written, with its rank.
#[derive(Clone, Debug)]
struct Name {
    text: String,
    rank: u32,
    at: usize,
}

/// Where functions and edges stand in the text, for errors found later.
#[derive(Default)]
struct Places {
    functions: FxHashMap<FuncId, (u32, u32)>,
    /// Per function, the position of every edge in the order of `Body::edges`.
    edges: FxHashMap<FuncId, Vec<(u32, u32)>>,
}

impl Places {
    fn position(&self, function: Option<FuncId>, edge: Option<crate::body::EdgeId>) -> (u32, u32) {
        let Some(f) = function else { return (1, 1) };
        let whole = self.functions.get(&f).copied();
        let edge = edge.and_then(|e| self.edges.get(&f)?.get(e.0 as usize).copied());
        edge.or(whole).unwrap_or((1, 1))
    }
}

impl<'s> Parser<'s> {
    fn kind(&self) -> &Kind<'s> {
        self.kind_at(0)
    }

    /// The token `ahead` of the current one.
    fn kind_at(&self, ahead: usize) -> &Kind<'s> {
        self.tokens
            .get(self.at + ahead)
            .map_or(&Kind::End, |t| &t.kind)
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn position(&self, at: usize) -> (u32, u32) {
        let token = self.tokens.get(at).or(self.tokens.last());
        token.map_or((1, 1), |t| (t.line, t.column))
    }

    fn error_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T> {
        let (line, column) = self.position(at);
        Err(ParseError {
            line,
            column,
            message: message.into(),
        })
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        self.error_at(self.at, message)
    }

    /// "expected X, found Y"
    fn expected<T>(&self, what: &str) -> Result<T> {
        let found = match self.kind() {
            Kind::Word(w) => format!("`{w}`"),
            Kind::Quoted(n) => format!("the name `{n}`"),
            Kind::Int(n, suffix) => format!("`{n}{suffix}`"),
            Kind::Float(n, suffix) => format!("`{n}{suffix}`"),
            Kind::Text(_) => "a string".to_string(),
            Kind::Number(n) => format!("`#{n}`"),
            Kind::Punct(p) => format!("`{p}`"),
            Kind::End => "the end of the text".to_string(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    fn is_punct(&self, p: &str) -> bool {
        matches!(self.kind(), Kind::Punct(q) if *q == p)
    }

    fn eat_punct(&mut self, p: &str) -> bool {
        let found = self.is_punct(p);
        if found {
            self.advance();
        }
        found
    }

    fn punct(&mut self, p: &str) -> Result<()> {
        match self.eat_punct(p) {
            true => Ok(()),
            false => self.expected(&format!("`{p}`")),
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(w) if *w == word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn word(&mut self, word: &str) -> Result<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => self.expected(&format!("`{word}`")),
        }
    }

    /// A plain integer.
    fn integer<T: TryFrom<u128>>(&mut self, what: &str) -> Result<T> {
        if let Kind::Int(n, "") = *self.kind() {
            let Ok(n) = T::try_from(n) else {
                return self.error(format!("{what} {n} is too large"));
            };
            self.advance();
            return Ok(n);
        }
        self.expected(what)
    }

    fn text(&mut self, what: &str) -> Result<Vec<u8>> {
        if let Kind::Text(bytes) = self.kind() {
            let bytes = bytes.clone();
            self.advance();
            return Ok(bytes);
        }
        self.expected(what)
    }

    /// A string that must be UTF-8: a path or a display name.
    fn string(&mut self, what: &str) -> Result<String> {
        let at = self.at;
        let bytes = self.text(what)?;
        match String::from_utf8(bytes) {
            Ok(s) => Ok(s),
            Err(_) => self.error_at(at, format!("{what} must be UTF-8")),
        }
    }

    /// A name without a rank: of a variable, a field, a rule.
    fn plain_name(&mut self, what: &str) -> Result<String> {
        let name = match self.kind() {
            Kind::Word(w) => w.to_string(),
            Kind::Quoted(n) => n.clone(),
            _ => return self.expected(what),
        };
        self.advance();
        Ok(name)
    }

    /// A name and its rank.
    fn name(&mut self, what: &str) -> Result<Name> {
        let at = self.at;
        let text = self.plain_name(what)?;
        let rank = match *self.kind() {
            Kind::Number(n) => {
                self.advance();
                n
            }
            _ => 1,
        };
        Ok(Name { text, rank, at })
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting >= MAX_NESTING {
            return self.error(format!("nested more than {MAX_NESTING} levels deep"));
        }
        self.nesting += 1;
        let result = f(self);
        self.nesting -= 1;
        result
    }

    fn file(&mut self, path: &str) -> FileId {
        if let Some(&id) = self.files.get(path) {
            return id;
        }
        let symbol = self.program.symbols.intern(path);
        let id = self.program.files.push(File {
            path: symbol,
            system: false,
        });
        self.files.insert(path.to_string(), id);
        id
    }

    /// `# 3:7` or `# "file":3:7`; nothing is no position.
    fn span(&mut self, file: Option<FileId>) -> Result<Span> {
        if !self.eat_punct("#") {
            return Ok(Span::NONE);
        }
        let file = match (self.kind(), file) {
            (Kind::Text(_), _) => {
                let path = self.string("a file name")?;
                self.punct(":")?;
                self.file(&path)
            }
            (_, Some(file)) => file,
            (_, None) => return self.expected("a file name"),
        };
        let line = self.integer("a line number")?;
        // Without a colon the next number belongs to the next line.
        let column = match self.eat_punct(":") {
            true => self.integer("a column number")?,
            false => 0,
        };
        if line == 0 {
            return Ok(Span::NONE);
        }
        Ok(Span { file, line, column })
    }

    fn resolve(&self, unit: UnitId, name: &Name) -> Option<Entity> {
        let find = |scope: Scope| self.names.get(&(scope, name.text.clone(), name.rank));
        find(Some(unit)).or_else(|| find(None)).copied()
    }

    fn function_named(&self, unit: UnitId, name: &Name) -> Result<FuncId> {
        match self.resolve(unit, name) {
            Some(Entity::Function(f)) => Ok(f),
            Some(Entity::Global(_)) => {
                self.error_at(name.at, format!("`{}` is not a function", name.text))
            }
            None => self.error_at(name.at, format!("no function `{}`", name.text)),
        }
    }

    fn global_named(&self, unit: UnitId, name: &Name) -> Result<GlobalId> {
        match self.resolve(unit, name) {
            Some(Entity::Global(g)) => Ok(g),
            Some(Entity::Function(_)) => {
                self.error_at(name.at, format!("`{}` is not a global", name.text))
            }
            None => self.error_at(name.at, format!("no global `{}`", name.text)),
        }
    }
}
