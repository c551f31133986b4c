//! Structs and unions.

use super::{Name, Parser, Result};
use crate::text::lexer::Kind;
use crate::types::{Field, StructDef};

impl Parser<'_> {
    /// Enters the structs in the order of their definitions, which is the order of their ids.
    pub(super) fn declare_structs(&mut self) -> Result<()> {
        let mut depth = 0u32;
        let mut type_follows = false;
        while *self.kind() != Kind::End {
            match self.kind() {
                Kind::Punct("{" | "(") => depth += 1,
                Kind::Punct("}" | ")") => depth = depth.saturating_sub(1),
                Kind::Word(word @ ("struct" | "union")) if depth == 0 && !type_follows => {
                    let union = *word == "union";
                    self.advance();
                    let name = self.name("the name of a struct")?;
                    if self.is_punct("{") || self.is_punct(";") {
                        self.declare_struct(union, name)?;
                    }
                    type_follows = false;
                    continue;
                }
                _ => {}
            }
            type_follows = self.is_punct("->") || self.is_punct(":");
            self.advance();
        }
        self.at = 0;
        Ok(())
    }

    fn declare_struct(&mut self, union: bool, name: Name) -> Result<()> {
        if name.rank > 1
            && !self
                .structs
                .contains_key(&(union, name.text.clone(), name.rank - 1))
        {
            return self.error_at(
                name.at,
                format!(
                    "`{}#{}` comes before `#{}`",
                    name.text,
                    name.rank,
                    name.rank - 1
                ),
            );
        }
        let symbol = self.program.symbols.intern(&name.text);
        let id = self.program.types.structs.push(StructDef {
            name: symbol,
            union,
            size: 0,
            align: 0,
            fields: Vec::new(),
            complete: false,
        });
        let key = (union, name.text, name.rank);
        if self.structs.contains_key(&key) {
            return self.error_at(name.at, format!("`{}` is defined twice", key.1));
        }
        self.structs.insert(key, id);
        Ok(())
    }

    pub(super) fn structure(&mut self, union: bool) -> Result<()> {
        self.advance();
        let name = self.name("the name of a struct")?;
        let key = (union, name.text, name.rank);
        let Some(&id) = self.structs.get(&key) else {
            return self.error_at(name.at, format!("expected the definition of `{}`", key.1));
        };
        if self.eat_punct(";") {
            return Ok(());
        }
        self.punct("{")?;
        self.word("size")?;
        let size = self.integer("a size")?;
        self.word("align")?;
        let align = self.integer("an alignment")?;
        let mut fields = Vec::new();
        let mut complete = true;
        while self.eat_punct(";") {
            // A field may have that name.
            if self.is_word("incomplete") && *self.kind_at(1) != Kind::Punct(":") {
                self.advance();
                complete = false;
            } else if !self.is_punct("}") {
                fields.push(self.field()?);
            }
        }
        self.punct("}")?;
        let def = &mut self.program.types.structs[id];
        def.size = size;
        def.align = align;
        def.fields = fields;
        def.complete = complete;
        Ok(())
    }

    fn field(&mut self) -> Result<Field> {
        let name = self.plain_name("a field")?;
        let name = self.program.symbols.intern(&name);
        self.punct(":")?;
        let ty = self.ty()?;
        self.punct("@")?;
        let offset = self.integer("an offset")?;
        let bits = match self.eat_word("bits") {
            true => {
                let low = self.integer("the lowest bit")?;
                self.punct(":")?;
                Some((low, self.integer("the number of bits")?))
            }
            false => None,
        };
        Ok(Field {
            name,
            ty,
            offset,
            bits,
        })
    }
}
