//! Types.

use super::{MAX_NESTING, Parser, Result};
use crate::text::lexer::Kind;
use crate::text::words::{float_word, int_word};
use crate::types::{Type, TypeId};

impl Parser<'_> {
    /// Does a type start at the token `ahead`?
    pub(super) fn is_type_at(&self, ahead: usize) -> bool {
        match self.kind_at(ahead) {
            Kind::Word(w) => {
                matches!(*w, "void" | "struct" | "union" | "fn" | "opaque")
                    || int_word(w).is_some()
                    || float_word(w).is_some()
            }
            // A function type that has suffixes.
            Kind::Punct("(") => *self.kind_at(ahead + 1) == Kind::Word("fn"),
            _ => false,
        }
    }

    pub(super) fn ty(&mut self) -> Result<TypeId> {
        self.nested(|p| p.suffixed_type())
    }

    fn suffixed_type(&mut self) -> Result<TypeId> {
        let mut ty = self.base_type()?;
        let mut suffixes = 0;
        loop {
            if self.eat_punct("*") {
                ty = self.program.types.pointer_to(ty);
            } else if self.is_punct("[") && matches!(self.kind_at(1), Kind::Int(..)) {
                self.advance();
                let len = self.integer("an array length")?;
                self.punct("]")?;
                ty = self.program.types.array_of(ty, len);
            } else {
                return Ok(ty);
            }
            suffixes += 1;
            if suffixes > MAX_NESTING {
                return self.error(format!("a type of more than {MAX_NESTING} levels"));
            }
        }
    }

    fn base_type(&mut self) -> Result<TypeId> {
        if self.eat_punct("(") {
            let ty = self.ty()?;
            self.punct(")")?;
            return Ok(ty);
        }
        let Kind::Word(word) = *self.kind() else {
            return self.expected("a type");
        };
        let scalar = match (int_word(word), float_word(word)) {
            (Some((width, signed)), _) => Some(Type::Int { width, signed }),
            (_, Some(kind)) => Some(Type::Float(kind)),
            _ => None,
        };
        if let Some(ty) = scalar {
            self.advance();
            return Ok(self.program.types.intern(ty));
        }
        match word {
            "void" => {
                self.advance();
                Ok(TypeId::VOID)
            }
            "struct" | "union" => {
                self.advance();
                let name = self.name("the name of a struct")?;
                let key = (word == "union", name.text, name.rank);
                match self.structs.get(&key) {
                    Some(&id) => Ok(self.program.types.intern(Type::Struct(id))),
                    None => self.error_at(name.at, format!("no {word} `{}`", key.1)),
                }
            }
            "fn" => {
                self.advance();
                self.punct("(")?;
                let mut params = Vec::new();
                let mut variadic = false;
                while !self.is_punct(")") {
                    if self.eat_punct("...") {
                        variadic = true;
                        break;
                    }
                    params.push(self.ty()?);
                    if !self.eat_punct(",") {
                        break;
                    }
                }
                self.punct(")")?;
                self.punct("->")?;
                let ret = self.ty()?;
                Ok(self.program.types.intern(Type::Function {
                    ret,
                    params,
                    variadic,
                }))
            }
            "opaque" => {
                self.advance();
                self.punct("(")?;
                let size = self.integer("a size")?;
                self.punct(",")?;
                let align = self.integer("an alignment")?;
                self.punct(")")?;
                Ok(self.program.types.intern(Type::Opaque { size, align }))
            }
            _ => self.expected("a type"),
        }
    }
}
