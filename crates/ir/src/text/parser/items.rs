//! Definitions: files, units, structs, globals and the headers of functions.

use super::init::PendingInit;
use super::{Entity, Name, Parser, Places, Result};
use crate::program::{FuncId, Function, Global, GlobalId, Init, Linkage, Symbol, Unit, UnitId};
use crate::span::Span;
use crate::text::lexer::Kind;
use crate::text::names::scope;
use crate::text::words::quote_bytes;
use crate::types::{Type, TypeId};

/// What can be read only when all names are known.
#[derive(Default)]
pub(super) struct Pending {
    inits: Vec<(GlobalId, PendingInit)>,
    /// (unit, before main, priority, name)
    constructors: Vec<(UnitId, bool, u32, Name)>,
    bodies: Vec<PendingBody>,
}

pub(super) struct PendingBody {
    pub function: FuncId,
    pub params: Vec<(Name, TypeId)>,
    /// The first token behind the opening brace.
    pub start: usize,
}

/// The parameters of a definition; the types of all; whether more may follow.
type Parameters = (Vec<(Name, TypeId)>, Vec<TypeId>, bool);

/// The words before `global` and `fn`.
#[derive(Default)]
struct Attributes {
    external: bool,
    linkage: Option<Linkage>,
    constant: bool,
    thread_local: bool,
}

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Result<Pending> {
        let mut pending = Pending::default();
        let mut unit = None;
        while *self.kind() != Kind::End {
            match *self.kind() {
                Kind::Word("system") => {
                    self.advance();
                    self.word("file")?;
                    let path = self.string("a file name")?;
                    let id = self.file(&path);
                    self.program.files[id].system = true;
                }
                Kind::Word("unit") => {
                    self.advance();
                    let name = self.string("the name of the unit")?;
                    unit = Some(self.unit(&name));
                }
                Kind::Word(word @ ("struct" | "union")) => self.structure(word == "union")?,
                _ => {
                    let unit = match unit {
                        Some(unit) => unit,
                        None => *unit.insert(self.unit("")),
                    };
                    self.unit_item(unit, &mut pending)?;
                }
            }
        }
        Ok(pending)
    }

    fn unit(&mut self, name: &str) -> UnitId {
        let name = self.program.symbols.intern(name);
        self.program.units.push(Unit {
            name,
            constructors: Vec::new(),
            destructors: Vec::new(),
        })
    }

    fn unit_item(&mut self, unit: UnitId, pending: &mut Pending) -> Result<()> {
        let mut attributes = Attributes::default();
        loop {
            match *self.kind() {
                Kind::Word("extern") => attributes.external = true,
                Kind::Word("static") => attributes.linkage = Some(Linkage::Internal),
                Kind::Word("inline") => attributes.linkage = Some(Linkage::Inline),
                Kind::Word("weak") => attributes.linkage = Some(Linkage::Weak),
                Kind::Word("const") => attributes.constant = true,
                Kind::Word("thread_local") => attributes.thread_local = true,
                Kind::Word("global") => {
                    self.advance();
                    return self.global(unit, attributes, pending);
                }
                Kind::Word("fn") => {
                    self.advance();
                    return self.function(unit, attributes, pending);
                }
                Kind::Word("literal") => {
                    self.advance();
                    let text = self.text("a string")?;
                    self.literal(unit, text);
                    return Ok(());
                }
                Kind::Word(word @ ("constructor" | "destructor")) => {
                    self.advance();
                    let priority = self.integer("a priority")?;
                    let name = self.name("a function")?;
                    let before = word == "constructor";
                    pending.constructors.push((unit, before, priority, name));
                    return Ok(());
                }
                _ => {
                    return self.expected(
                        "a definition (`unit`, `struct`, `union`, `global`, `fn`, `literal`)",
                    );
                }
            }
            self.advance();
        }
    }

    fn enter(
        &mut self,
        linkage: Linkage,
        unit: UnitId,
        name: &Name,
        entity: Entity,
    ) -> Result<Symbol> {
        let scope = scope(linkage, unit);
        if name.rank > 1
            && !self
                .names
                .contains_key(&(scope, name.text.clone(), name.rank - 1))
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
        let key = (scope, name.text.clone(), name.rank);
        if self.names.insert(key, entity).is_some() || name.rank == 0 {
            return self.error_at(name.at, format!("`{}` is defined twice", name.text));
        }
        Ok(self.program.symbols.intern(&name.text))
    }

    fn global(&mut self, unit: UnitId, a: Attributes, pending: &mut Pending) -> Result<()> {
        let name = self.name("the name of a global")?;
        let id = self.program.globals.next_id();
        let linkage = a.linkage.unwrap_or(Linkage::External);
        let symbol = self.enter(linkage, unit, &name, Entity::Global(id))?;
        self.punct(":")?;
        let ty = self.ty()?;
        let init = match a.external {
            true => None,
            false => {
                self.punct("=")?;
                Some(self.pending_init(ty)?)
            }
        };
        let span = self.span(None)?;
        let id = self.program.globals.push(Global {
            name: symbol,
            unit,
            linkage,
            ty,
            constant: a.constant,
            thread_local: a.thread_local,
            span,
            init: None,
        });
        pending.inits.extend(init.map(|i| (id, i)));
        Ok(())
    }

    /// The global of a string literal, made when it is first mentioned.
    pub(super) fn literal(&mut self, unit: UnitId, text: Vec<u8>) -> GlobalId {
        if let Some(&id) = self.literals.get(&text) {
            return id;
        }
        let name = self.program.symbols.intern(&quote_bytes(&text));
        let len = text.len() as u64 + 1;
        let ty = self.program.types.array_of(TypeId::I8, len);
        let mut bytes = text.clone();
        bytes.push(0);
        let id = self.program.globals.push(Global {
            name,
            unit,
            linkage: Linkage::Internal,
            ty,
            constant: true,
            thread_local: false,
            span: Span::NONE,
            init: Some(Init {
                bytes,
                ..Init::default()
            }),
        });
        self.literals.insert(text, id);
        id
    }

    fn function(&mut self, unit: UnitId, a: Attributes, pending: &mut Pending) -> Result<()> {
        if a.constant || a.thread_local {
            return self.error("a function is neither `const` nor `thread_local`");
        }
        let name = self.name("the name of a function")?;
        let id = self.program.functions.next_id();
        let linkage = a.linkage.unwrap_or(Linkage::External);
        let symbol = self.enter(linkage, unit, &name, Entity::Function(id))?;
        let display = match self.kind() {
            Kind::Text(_) => {
                let display = self.string("a display name")?;
                self.program.symbols.intern(&display)
            }
            _ => symbol,
        };
        let (params, types, variadic) = self.parameters(!a.external)?;
        self.punct("->")?;
        let ret = self.ty()?;
        let mut signature = self.program.types.intern(Type::Function {
            ret,
            params: types,
            variadic,
        });
        if self.eat_punct(":") {
            signature = self.ty()?;
        }
        let noreturn = self.eat_word("noreturn");
        if !a.external {
            self.punct("{")?;
        }
        let span = self.span(None)?;
        self.program.functions.push(Function {
            name: symbol,
            display,
            unit,
            linkage,
            signature,
            noreturn,
            span,
            body: None,
        });
        if !a.external {
            pending.bodies.push(PendingBody {
                function: id,
                params,
                start: self.at,
            });
            while !self.is_punct("}") {
                if *self.kind() == Kind::End {
                    return self.expected("`}`");
                }
                self.advance();
            }
            self.advance();
        }
        Ok(())
    }

    /// `(a: i32, b: i8*)` of a definition, `(i32, i8*)` of a declaration.
    fn parameters(&mut self, named: bool) -> Result<Parameters> {
        let mut params = Vec::new();
        let mut types = Vec::new();
        let mut variadic = false;
        self.punct("(")?;
        while !self.is_punct(")") {
            if self.eat_punct("...") {
                variadic = true;
                break;
            }
            if named {
                let at = self.at;
                let text = self.plain_name("a parameter")?;
                self.punct(":")?;
                let ty = self.ty()?;
                params.push((Name { text, rank: 1, at }, ty));
                types.push(ty);
            } else {
                types.push(self.ty()?);
            }
            if !self.eat_punct(",") {
                break;
            }
        }
        self.punct(")")?;
        Ok((params, types, variadic))
    }

    /// Reads what had to wait for the names.
    pub(super) fn finish(&mut self, pending: Pending) -> Result<Places> {
        for (id, init) in pending.inits {
            let unit = self.program.globals[id].unit;
            let init = self.resolve_init(unit, init)?;
            self.program.globals[id].init = Some(init);
        }
        for (unit, before, priority, name) in pending.constructors {
            let f = self.function_named(unit, &name)?;
            let unit = &mut self.program.units[unit];
            match before {
                true => unit.constructors.push((priority, f)),
                false => unit.destructors.push((priority, f)),
            }
        }
        let mut places = Places::default();
        for body in pending.bodies {
            self.at = body.start;
            places
                .functions
                .insert(body.function, self.position(body.start.saturating_sub(1)));
            let function = body.function;
            let (body, edges) = self.body(body)?;
            places.edges.insert(function, edges);
            self.program.functions[function].body = Some(body);
        }
        Ok(places)
    }
}
