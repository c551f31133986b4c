//! Initial values of globals.

use super::{Entity, Name, Parser, Result};
use crate::program::{Init, Relocation, Target, UnitId};
use crate::text::lexer::Kind;
use crate::types::{FloatKind, Type, TypeId};

/// An initial value whose addresses are still names.
pub(super) struct PendingInit {
    bytes: Vec<u8>,
    addresses: Vec<(u64, Address)>,
    unknown: Vec<(u64, u64)>,
}

struct Address {
    target: AddressOf,
    addend: i64,
}

enum AddressOf {
    Named(Name),
    Label(Name, u32),
    Literal(Vec<u8>),
}

impl Parser<'_> {
    pub(super) fn pending_init(&mut self, ty: TypeId) -> Result<PendingInit> {
        let mut init = PendingInit {
            bytes: Vec::new(),
            addresses: Vec::new(),
            unknown: Vec::new(),
        };
        match self.kind() {
            Kind::Punct("&" | "&&") => {
                let address = self.address()?;
                init.addresses.push((0, address));
                return Ok(init);
            }
            Kind::Word("zero") => self.advance(),
            Kind::Word("bytes") => {
                self.advance();
                init.bytes = self.text("the bytes")?;
            }
            _ => {
                init.bytes = self.scalar_bytes(ty)?;
                return Ok(init);
            }
        }
        if self.eat_word("with") {
            self.punct("{")?;
            loop {
                let offset = self.integer("an offset")?;
                self.punct(":")?;
                let address = self.address()?;
                init.addresses.push((offset, address));
                if !self.eat_punct(";") {
                    break;
                }
            }
            self.punct("}")?;
        }
        if self.eat_word("unknown") {
            self.punct("{")?;
            loop {
                let offset = self.integer("an offset")?;
                self.punct(":")?;
                init.unknown.push((offset, self.integer("a length")?));
                if !self.eat_punct(";") {
                    break;
                }
            }
            self.punct("}")?;
        }
        Ok(init)
    }

    /// A number as the bytes that hold it.
    fn scalar_bytes(&mut self, ty: TypeId) -> Result<Vec<u8>> {
        let negative = self.eat_punct("-");
        let types = &self.program.types;
        let bits = match (self.kind(), types.lookup(ty)) {
            (Kind::Int(value, ""), Some(Type::Int { width, signed })) => {
                match super::elaborate::int_bits(negative, *value, *width, *signed) {
                    Some(bits) => bits,
                    None => return self.error("this number does not fit the type"),
                }
            }
            (
                Kind::Float(text, ""),
                Some(Type::Float(kind @ (FloatKind::F32 | FloatKind::F64))),
            ) => super::elaborate::float_bits(negative, text, *kind),
            _ => return self.expected("a number of this type, `zero`, `bytes` or an address"),
        };
        let size = types.size_of(ty).min(16) as usize;
        self.advance();
        Ok(bits.to_le_bytes().into_iter().take(size).collect())
    }

    /// `&name`, `&"text"`, `&&function#1`, with an offset.
    fn address(&mut self) -> Result<Address> {
        let target = if self.eat_punct("&&") {
            let at = self.at;
            let text = self.plain_name("a function")?;
            let (rank, label) = self.rank_and_label()?;
            AddressOf::Label(Name { text, rank, at }, label)
        } else {
            self.punct("&")?;
            match self.kind() {
                Kind::Text(_) => AddressOf::Literal(self.text("a string")?),
                _ => AddressOf::Named(self.name("a function or global")?),
            }
        };
        let at = self.at;
        let negative = match self.kind() {
            Kind::Punct("+") => false,
            Kind::Punct("-") => true,
            _ => return Ok(Address { target, addend: 0 }),
        };
        self.advance();
        let magnitude: u64 = self.integer("an offset")?;
        let addend = match negative {
            true => 0i64.checked_sub_unsigned(magnitude),
            false => i64::try_from(magnitude).ok(),
        };
        match addend {
            Some(addend) => Ok(Address { target, addend }),
            None => self.error_at(at, "this offset does not fit 64 bits"),
        }
    }

    /// `#2#1`: label 1 of the second function of that name; `#1`: label 1 of the first.
    pub(super) fn rank_and_label(&mut self) -> Result<(u32, u32)> {
        let Kind::Number(first) = *self.kind() else {
            return self.expected("the number of a label, `#0`");
        };
        self.advance();
        if let Kind::Number(second) = *self.kind() {
            self.advance();
            return Ok((first, second));
        }
        Ok((1, first))
    }

    pub(super) fn resolve_init(&mut self, unit: UnitId, init: PendingInit) -> Result<Init> {
        let mut relocations = Vec::with_capacity(init.addresses.len());
        for (offset, address) in init.addresses {
            let target = match address.target {
                AddressOf::Literal(text) => Target::Global(self.literal(unit, text)),
                AddressOf::Label(name, k) => Target::Label(self.function_named(unit, &name)?, k),
                AddressOf::Named(name) => match self.resolve(unit, &name) {
                    Some(Entity::Function(f)) => Target::Function(f),
                    Some(Entity::Global(g)) => Target::Global(g),
                    None => {
                        return self
                            .error_at(name.at, format!("no function or global `{}`", name.text));
                    }
                },
            };
            relocations.push(Relocation {
                offset,
                target,
                addend: address.addend,
            });
        }
        Ok(Init {
            bytes: init.bytes,
            relocations,
            unknown: init.unknown,
        })
    }
}
