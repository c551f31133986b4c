//! Statements and checks.

use super::elaborate::BodyScope;
use super::tree::{Syntax, Tree};
use super::{Entity, Name, Parser, Result};
use crate::expr::{Base, Place, PlaceId};
use crate::program::{GlobalId, Symbol};
use crate::stmt::{
    Call, CallOutcome, Callee, CatchClause, Check, Condition, Family, HavocReason, Stmt,
};
use crate::text::lexer::Kind;
use crate::text::typing::SIZE;
use crate::text::words::trap_word;
use crate::types::{Type, TypeId};
use smallvec::smallvec;

impl Parser<'_> {
    /// Does a place start here? A word of a statement (`end`, `check`) may also be a variable.
    pub(super) fn is_assignment(&self) -> bool {
        match self.kind_at(1) {
            Kind::Punct("=" | "." | "[") | Kind::Number(_) => true,
            Kind::Punct("->") => !matches!(self.kind_at(2), Kind::Int(..)),
            _ => false,
        }
    }

    pub(super) fn stmt(&mut self, scope: &mut BodyScope) -> Result<Stmt> {
        let word = match *self.kind() {
            Kind::Word(word) if !self.is_assignment() => word,
            _ => return self.assignment(scope),
        };
        self.advance();
        match word {
            "skip" => Ok(Stmt::Skip),
            "declare" => Ok(Stmt::Declare(self.local(scope)?)),
            "end" => Ok(Stmt::End(self.local(scope)?)),
            "allocate" => {
                let var = self.local(scope)?;
                self.punct("[")?;
                let count = self.expr(scope, Some(SIZE))?;
                self.punct("]")?;
                Ok(Stmt::Allocate { var, count })
            }
            "return" => {
                let at = self.at - 1;
                let Some(ret) = scope.builder.ret() else {
                    return self.error_at(at, "this function has no return variable");
                };
                let ty = scope.builder.var_type(ret);
                let place = scope.builder.place(Place {
                    base: Base::Var(ret),
                    projections: smallvec![],
                    ty,
                });
                self.value(scope, place)
            }
            "havoc" => {
                let place = self.place(scope)?;
                self.word("because")?;
                let reason = self.reason()?;
                Ok(Stmt::Havoc { place, reason })
            }
            "assume" => Ok(Stmt::Assume(self.expr(scope, Some(TypeId::BOOL))?)),
            "copy" | "move" => {
                let target = self.expr(scope, None)?;
                self.punct("<-")?;
                let source = self.expr(scope, None)?;
                self.punct(",")?;
                let size = self.expr(scope, Some(SIZE))?;
                Ok(Stmt::Copy {
                    target,
                    source,
                    size,
                    overlap: word == "move",
                })
            }
            "fill" => {
                let target = self.expr(scope, None)?;
                self.punct("<-")?;
                let byte = self.expr(scope, Some(TypeId::U8))?;
                self.punct(",")?;
                let size = self.expr(scope, Some(SIZE))?;
                Ok(Stmt::Fill { target, byte, size })
            }
            "call" => {
                let mut tree = Tree::default();
                let call = self.call_syntax(&mut tree)?;
                self.call(scope, &tree, call, None)
            }
            "check" => self.check(scope),
            "va_start" => Ok(Stmt::VaStart(self.expr(scope, None)?)),
            "landingpad" => self.landing_pad(scope),
            "resume" => Ok(Stmt::Resume(self.expr(scope, Some(TypeId::VOID_PTR))?)),
            "trap" => match *self.kind() {
                Kind::Word(word) => match trap_word(word) {
                    Some(reason) => {
                        self.advance();
                        Ok(Stmt::Trap(reason))
                    }
                    None => self.expected("`unreachable`, `trap` or `poison`"),
                },
                _ => self.expected("`unreachable`, `trap` or `poison`"),
            },
            _ => {
                self.at -= 1;
                self.expected("a statement")
            }
        }
    }

    fn assignment(&mut self, scope: &mut BodyScope) -> Result<Stmt> {
        let place = self.place(scope)?;
        self.punct("=")?;
        self.value(scope, place)
    }

    /// What is assigned: an expression or the result of a call.
    fn value(&mut self, scope: &mut BodyScope, place: PlaceId) -> Result<Stmt> {
        let mut tree = Tree::default();
        if self.is_word("call") {
            self.advance();
            let call = self.call_syntax(&mut tree)?;
            return self.call(scope, &tree, call, Some(place));
        }
        let id = self.syntax(&mut tree)?;
        if let Syntax::Call(..) = tree.get(id) {
            return self.call(scope, &tree, id, Some(place));
        }
        let ty = scope.builder.place_ref(place).ty;
        let value = self.elaborate(scope, &tree, id, Some(ty))?;
        Ok(Stmt::Assign { place, value })
    }

    /// A call behind the word `call`, where `sqrt(x)` is a call too.
    fn call_syntax(&mut self, tree: &mut Tree) -> Result<u32> {
        let named = matches!(self.kind(), Kind::Word(_) | Kind::Quoted(_));
        match named {
            true => self.named_call(tree),
            false => self.syntax(tree),
        }
    }

    fn call(
        &mut self,
        scope: &mut BodyScope,
        tree: &Tree,
        id: u32,
        result: Option<PlaceId>,
    ) -> Result<Stmt> {
        let at = tree.at(id);
        let Syntax::Call(callee, args) = tree.get(id) else {
            return self.error_at(at, "expected a call");
        };
        let (callee, natural) = match tree.get(*callee) {
            Syntax::Name { name, .. } => match self.resolve(scope.unit, name) {
                Some(Entity::Function(f)) => {
                    (Callee::Direct(f), Some(self.program.functions[f].signature))
                }
                _ => {
                    let name = &name.text;
                    return self.error_at(
                        at,
                        format!(
                            "no function `{name}` (a call through a pointer is `(*{name})(…)`)"
                        ),
                    );
                }
            },
            Syntax::Deref(pointer) => {
                let pointer = self.elaborate(scope, tree, *pointer, None)?;
                let ty = scope.builder.type_of(pointer);
                (Callee::Indirect(pointer), self.program.types.pointee(ty))
            }
            _ => return self.error_at(at, "expected a function or `(*pointer)` before `(`"),
        };
        let signature = match self.eat_punct(":") {
            true => Some(self.ty()?),
            false => natural,
        };
        let params = match signature.and_then(|s| self.program.types.lookup(s)) {
            Some(Type::Function { params, .. }) => params.clone(),
            _ => return self.error_at(at, "expected a function's type: `f(x) : fn(i32) -> void`"),
        };
        let Some(signature) = signature else {
            return self.error_at(at, "expected the type of the callee");
        };
        let mut values = Vec::with_capacity(args.len());
        for (i, &a) in args.iter().enumerate() {
            values.push(self.elaborate(scope, tree, a, params.get(i).copied())?);
        }
        let outcome = if self.eat_word("unwind") {
            CallOutcome::Unwind
        } else if self.eat_word("again") {
            CallOutcome::Again
        } else {
            CallOutcome::Return
        };
        let noreturn = self.eat_word("noreturn");
        Ok(Stmt::Call(Box::new(Call {
            result,
            callee,
            args: values,
            signature,
            outcome,
            noreturn,
        })))
    }

    fn symbol(&mut self, what: &str) -> Result<Symbol> {
        let name = self.plain_name(what)?;
        Ok(self.program.symbols.intern(&name))
    }

    /// Words joined by hyphens: `use-after-free`.
    fn hyphenated(&mut self, what: &str) -> Result<String> {
        let quoted = matches!(self.kind(), Kind::Quoted(_));
        let mut name = self.plain_name(what)?;
        while !quoted && self.is_punct("-") {
            let glued = |ahead: usize| self.tokens.get(self.at + ahead).is_some_and(|t| t.glued);
            let Kind::Word(next) = *self.kind_at(1) else {
                break;
            };
            if !glued(0) || !glued(1) {
                break;
            }
            name.push('-');
            name.push_str(next);
            self.advance();
            self.advance();
        }
        Ok(name)
    }

    fn reason(&mut self) -> Result<HavocReason> {
        let at = self.at;
        let word = self.hyphenated("a reason")?;
        Ok(match word.as_str() {
            "inline-assembly" => HavocReason::InlineAssembly,
            "vector" => HavocReason::Vector,
            "intrinsic" => HavocReason::Intrinsic(self.symbol("the name of the intrinsic")?),
            "instruction" => HavocReason::Instruction(self.symbol("the instruction")?),
            "constant" => HavocReason::Constant,
            "wide-integer" => HavocReason::WideInteger,
            _ => {
                return self.error_at(
                    at,
                    "expected `inline-assembly`, `vector`, `intrinsic`, `instruction`, `constant` or `wide-integer`",
                );
            }
        })
    }

    fn check(&mut self, scope: &mut BodyScope) -> Result<Stmt> {
        let rule = self.hyphenated("the name of a rule")?;
        let rule = self.program.symbols.intern(&rule);
        let which = match self.eat_punct("[") {
            true => {
                let which = self.integer("which error of the rule it is")?;
                self.punct("]")?;
                which
            }
            false => 0,
        };
        let called = *self.kind_at(1) == Kind::Punct("(");
        let condition = match *self.kind() {
            Kind::Word("unreachable") => {
                self.advance();
                Condition::Unreachable
            }
            Kind::Word("initialized") if called => {
                self.advance();
                self.punct("(")?;
                let place = self.place(scope)?;
                self.punct(")")?;
                Condition::Initialized(place)
            }
            Kind::Word("alive") if called => {
                self.advance();
                self.punct("(")?;
                let pointer = self.expr(scope, None)?;
                self.punct(")")?;
                Condition::Alive(pointer)
            }
            Kind::Word("freeable") if called => {
                self.advance();
                self.punct("(")?;
                let pointer = self.expr(scope, None)?;
                self.punct(",")?;
                let family = self.family()?;
                self.punct(")")?;
                Condition::Freeable { pointer, family }
            }
            Kind::Word("apart") if called => {
                self.advance();
                self.punct("(")?;
                let a = self.expr(scope, None)?;
                self.punct(",")?;
                let b = self.expr(scope, None)?;
                self.punct(")")?;
                Condition::Apart(a, b)
            }
            Kind::Word("in_bounds") if called => {
                self.advance();
                self.punct("(")?;
                let pointer = self.expr(scope, None)?;
                self.punct(",")?;
                let size = self.expr(scope, Some(SIZE))?;
                self.punct(")")?;
                Condition::InBounds { pointer, size }
            }
            _ => Condition::Holds(self.expr(scope, Some(TypeId::BOOL))?),
        };
        Ok(Stmt::Check(scope.builder.check(Check {
            rule,
            which,
            condition,
        })))
    }

    fn family(&mut self) -> Result<Family> {
        for family in Family::ALL {
            if self.eat_word(family.word()) {
                return Ok(family);
            }
        }
        self.error_at(self.at, "expected `malloc`, `new` or `new_array`")
    }

    fn landing_pad(&mut self, scope: &mut BodyScope) -> Result<Stmt> {
        let exception = self.local(scope)?;
        self.punct(",")?;
        let selector = self.local(scope)?;
        let mut clauses = Vec::new();
        loop {
            if self.eat_word("catch") {
                clauses.push(CatchClause::Catch(match self.eat_punct("...") {
                    true => None,
                    false => Some(self.type_info(scope)?),
                }));
            } else if self.eat_word("filter") {
                let mut types = Vec::new();
                self.punct("(")?;
                while !self.is_punct(")") {
                    types.push(self.type_info(scope)?);
                    if !self.eat_punct(",") {
                        break;
                    }
                }
                self.punct(")")?;
                clauses.push(CatchClause::Filter(types));
            } else {
                break;
            }
        }
        Ok(Stmt::LandingPad {
            exception,
            selector,
            clauses,
            cleanup: self.eat_word("cleanup"),
        })
    }

    fn type_info(&mut self, scope: &BodyScope) -> Result<GlobalId> {
        self.eat_punct("::");
        if let Kind::Text(_) = self.kind() {
            let text = self.text("a string")?;
            return Ok(self.literal(scope.unit, text));
        }
        let name: Name = self.name("a type-info object")?;
        self.global_named(scope.unit, &name)
    }
}
