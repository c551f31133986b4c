//! Reading expressions: C's operators and precedence.

use super::tree::{FieldName, Id, Node, Syntax, Tree};
use super::{MAX_NESTING, Name, Parser, Result};
use crate::expr::{BinaryOp, CompareOp, UnaryOp};
use crate::text::lexer::Kind;
use crate::text::printer::{binary_precedence, compare_precedence};
use crate::text::words::{float_word, int_word, intrinsic_word};
use crate::types::FloatKind;

impl Parser<'_> {
    fn push(&self, tree: &mut Tree, at: usize, syntax: Syntax) -> Result<Id> {
        let depth = tree.children_depth(&syntax) + 1;
        if depth > MAX_NESTING {
            return self.error_at(at, format!("nested more than {MAX_NESTING} levels deep"));
        }
        tree.nodes.push(Node { syntax, at, depth });
        Ok(tree.nodes.len() as Id - 1)
    }

    /// `c ? a : b` or anything that binds more tightly.
    pub(super) fn syntax(&mut self, tree: &mut Tree) -> Result<Id> {
        self.nested(|p| {
            let at = p.at;
            let condition = p.operators(tree, 0)?;
            if !p.eat_punct("?") {
                return Ok(condition);
            }
            let a = p.syntax(tree)?;
            p.punct(":")?;
            let b = p.syntax(tree)?;
            p.push(tree, at, Syntax::Select(condition, a, b))
        })
    }

    /// Binary operators of at least this precedence.
    fn operators(&mut self, tree: &mut Tree, min: u8) -> Result<Id> {
        let at = self.at;
        let mut left = self.prefix(tree)?;
        while let Some(op) = self.operator() {
            let (own, right_min) = match op {
                Operator::Binary(op) => (binary_precedence(op), binary_precedence(op) + 1),
                Operator::Compare(op) => (compare_precedence(op), compare_precedence(op) + 1),
            };
            if own < min {
                break;
            }
            self.advance();
            let right = self.nested(|p| p.operators(tree, right_min))?;
            let syntax = match op {
                Operator::Binary(op) => Syntax::Binary(op, left, right),
                Operator::Compare(op) => Syntax::Compare(op, left, right),
            };
            left = self.push(tree, at, syntax)?;
        }
        Ok(left)
    }

    fn operator(&self) -> Option<Operator> {
        let Kind::Punct(p) = self.kind() else {
            return None;
        };
        Some(match *p {
            "+" => Operator::Binary(BinaryOp::Add),
            "-" => Operator::Binary(BinaryOp::Sub),
            "*" => Operator::Binary(BinaryOp::Mul),
            "+%" => Operator::Binary(BinaryOp::WrapAdd),
            "-%" => Operator::Binary(BinaryOp::WrapSub),
            "*%" => Operator::Binary(BinaryOp::WrapMul),
            "/" => Operator::Binary(BinaryOp::Div),
            "%" => Operator::Binary(BinaryOp::Rem),
            "<<" => Operator::Binary(BinaryOp::Shl),
            ">>" => Operator::Binary(BinaryOp::Shr),
            "&" => Operator::Binary(BinaryOp::And),
            "|" => Operator::Binary(BinaryOp::Or),
            "^" => Operator::Binary(BinaryOp::Xor),
            "==" => Operator::Compare(CompareOp::Eq),
            "!=" => Operator::Compare(CompareOp::Ne),
            "<" => Operator::Compare(CompareOp::Lt),
            "<=" => Operator::Compare(CompareOp::Le),
            ">" => Operator::Compare(CompareOp::Gt),
            ">=" => Operator::Compare(CompareOp::Ge),
            "<>" => Operator::Compare(CompareOp::Unordered),
            _ => return None,
        })
    }

    fn prefix(&mut self, tree: &mut Tree) -> Result<Id> {
        let at = self.at;
        let Kind::Punct(p) = *self.kind() else {
            return self.postfix(tree);
        };
        match p {
            "-" if matches!(self.kind_at(1), Kind::Int(..) | Kind::Float(..)) => {
                self.advance();
                let constant = self.number(true)?;
                self.push(tree, at, constant)
            }
            "-" | "!" | "~" | "*" | "&" => {
                self.advance();
                let a = self.nested(|p| p.prefix(tree))?;
                let syntax = match p {
                    "-" => Syntax::Unary(UnaryOp::Neg, a),
                    "!" => Syntax::Unary(UnaryOp::Not, a),
                    "~" => Syntax::Unary(UnaryOp::Complement, a),
                    "*" => Syntax::Deref(a),
                    _ => Syntax::AddrOf(a),
                };
                self.push(tree, at, syntax)
            }
            "&&" => {
                self.advance();
                let name_at = self.at;
                let name = match self.kind() {
                    Kind::Number(_) => None,
                    _ => Some(self.plain_name("a function or the number of a label")?),
                };
                let (rank, label) = self.rank_and_label()?;
                let name = name.map(|text| Name {
                    text,
                    rank,
                    at: name_at,
                });
                self.push(tree, at, Syntax::Label(name, label))
            }
            "(" if self.is_type_at(1) => {
                // `f64(0x…)` in parentheses is a constant; so `(f64(` is no cast.
                if matches!(self.kind_at(1), Kind::Word(w) if float_word(w).is_some())
                    && *self.kind_at(2) == Kind::Punct("(")
                {
                    return self.postfix(tree);
                }
                self.advance();
                let ty = self.ty()?;
                self.punct(")")?;
                let constant = match self.kind() {
                    Kind::Word("null") => Syntax::Null(Some(ty)),
                    Kind::Word("undef") => Syntax::Undef(Some(ty)),
                    _ => {
                        let a = self.nested(|p| p.prefix(tree))?;
                        return self.push(tree, at, Syntax::Cast(ty, a));
                    }
                };
                self.advance();
                self.push(tree, at, constant)
            }
            _ => self.postfix(tree),
        }
    }

    fn postfix(&mut self, tree: &mut Tree) -> Result<Id> {
        let at = self.at;
        let mut e = self.primary(tree)?;
        loop {
            let syntax = match self.kind() {
                Kind::Punct("[") => {
                    self.advance();
                    let index = self.syntax(tree)?;
                    self.punct("]")?;
                    Syntax::Index(e, index)
                }
                Kind::Punct("(") => Syntax::Call(e, self.arguments(tree)?),
                // `-> 8` is the target of the edge.
                Kind::Punct("->") if matches!(self.kind_at(1), Kind::Int(..)) => return Ok(e),
                Kind::Punct(p @ ("." | "->")) => {
                    let arrow = *p == "->";
                    self.advance();
                    let field = match *self.kind() {
                        Kind::Number(n) => {
                            self.advance();
                            FieldName::Number(n)
                        }
                        _ => FieldName::Name(self.plain_name("a field")?),
                    };
                    Syntax::Field {
                        of: e,
                        field,
                        arrow,
                    }
                }
                _ => return Ok(e),
            };
            e = self.push(tree, at, syntax)?;
        }
    }

    /// `name(…)`, a call even if the name is that of an intrinsic.
    pub(super) fn named_call(&mut self, tree: &mut Tree) -> Result<Id> {
        let at = self.at;
        let name = self.name("a function")?;
        let callee = self.push(tree, at, Syntax::Name { name, outer: false })?;
        let args = self.arguments(tree)?;
        self.push(tree, at, Syntax::Call(callee, args))
    }

    fn arguments(&mut self, tree: &mut Tree) -> Result<Vec<Id>> {
        let mut args = Vec::new();
        self.punct("(")?;
        while !self.is_punct(")") {
            args.push(self.syntax(tree)?);
            if !self.eat_punct(",") {
                break;
            }
        }
        self.punct(")")?;
        Ok(args)
    }

    fn primary(&mut self, tree: &mut Tree) -> Result<Id> {
        let at = self.at;
        let syntax = match self.kind() {
            Kind::Int(..) | Kind::Float(..) => self.number(false)?,
            Kind::Text(text) => {
                let text = text.clone();
                self.advance();
                Syntax::Text(text)
            }
            Kind::Quoted(_) => {
                let name = self.name("a name")?;
                Syntax::Name { name, outer: false }
            }
            Kind::Punct("::") => {
                self.advance();
                let name = self.name("a function or global")?;
                Syntax::Name { name, outer: true }
            }
            Kind::Punct("(") => {
                self.advance();
                let inner = self.syntax(tree)?;
                let syntax = match self.kind() {
                    Kind::Word("as") => {
                        self.advance();
                        Some(Syntax::As(inner, self.ty()?))
                    }
                    Kind::Punct(":") => {
                        self.advance();
                        Some(Syntax::Ascribed(inner, self.ty()?))
                    }
                    _ => None,
                };
                self.punct(")")?;
                match syntax {
                    Some(syntax) => syntax,
                    None => return Ok(inner),
                }
            }
            Kind::Word(word) => return self.word_expression(tree, word),
            _ => return self.expected("an expression"),
        };
        self.push(tree, at, syntax)
    }

    fn word_expression(&mut self, tree: &mut Tree, word: &str) -> Result<Id> {
        let at = self.at;
        let called = *self.kind_at(1) == Kind::Punct("(");
        let syntax = match word {
            "true" | "false" => {
                self.advance();
                Syntax::Bool(word == "true")
            }
            "null" => {
                self.advance();
                Syntax::Null(None)
            }
            "undef" => {
                self.advance();
                Syntax::Undef(None)
            }
            "overflow" if called => {
                self.advance();
                self.punct("(")?;
                let e = self.syntax(tree)?;
                self.punct(")")?;
                Syntax::Overflow(e)
            }
            "load" if called => {
                self.advance();
                self.punct("(")?;
                let e = self.syntax(tree)?;
                self.punct(")")?;
                Syntax::Load(e)
            }
            "typeid" if called => {
                self.advance();
                self.punct("(")?;
                self.eat_punct("::");
                let syntax = match self.kind() {
                    Kind::Text(_) => Syntax::TypeInfoText(self.text("a string")?),
                    _ => Syntax::TypeInfo(self.name("a global")?),
                };
                self.punct(")")?;
                syntax
            }
            _ => match (float_word(word), intrinsic_word(word)) {
                (Some(kind), _) if called => {
                    self.advance();
                    self.punct("(")?;
                    let bits = self.integer("the bits of a float")?;
                    self.punct(")")?;
                    Syntax::FloatBits(kind, bits)
                }
                (_, Some(op)) if called => {
                    self.advance();
                    Syntax::Intrinsic(op, None, self.arguments(tree)?)
                }
                // `bits:f32(x)`; but in `c ? min : x` the colon is not glued.
                (_, Some(op)) if self.glued_colon() => {
                    self.advance();
                    self.advance();
                    let ty = self.ty()?;
                    Syntax::Intrinsic(op, Some(ty), self.arguments(tree)?)
                }
                _ if self.is_type_at(0) || matches!(word, "as" | "call" | "return") => {
                    return self.expected("an expression");
                }
                _ => {
                    let name = self.name("a name")?;
                    Syntax::Name { name, outer: false }
                }
            },
        };
        self.push(tree, at, syntax)
    }

    /// Is the next token a colon without a space before it?
    fn glued_colon(&self) -> bool {
        let next = self.tokens.get(self.at + 1);
        next.is_some_and(|t| t.kind == Kind::Punct(":") && t.glued)
    }

    fn number(&mut self, negative: bool) -> Result<Syntax> {
        let syntax = match *self.kind() {
            Kind::Int(value, suffix) => Syntax::Int {
                negative,
                value,
                suffix: match (suffix, int_word(suffix)) {
                    ("", _) => None,
                    (_, Some(ty)) if suffix != "bool" => Some(ty),
                    _ => return self.error(format!("expected an integer type, found `{suffix}`")),
                },
            },
            Kind::Float(text, suffix) => Syntax::Float {
                negative,
                text: text.to_string(),
                suffix: match suffix {
                    "" => None,
                    "f32" => Some(FloatKind::F32),
                    "f64" => Some(FloatKind::F64),
                    _ => return self.error(format!("expected `f32` or `f64`, found `{suffix}`")),
                },
            },
            _ => return self.expected("a number"),
        };
        self.advance();
        Ok(syntax)
    }
}

#[derive(Clone, Copy)]
enum Operator {
    Binary(BinaryOp),
    Compare(CompareOp),
}
