//! The symbolic execution of one function: what all its parts share.

use crate::arithmetic::{Integers, some_number};
use crate::facts::Range;
use crate::input::{Aspect, Given, Input, Symbols};
use crate::linear::Linear;
use crate::path::Path;
use crate::special::Constants;
use crate::value::{Object, Pointer, Value, range_of};
use crate::work::Work;
use ir::{Body, ExprId, Program, Type, TypeId};
use rustc_hash::FxHashMap;

/// A function under way.
pub struct Run<'p> {
    pub program: &'p Program,
    pub body: &'p Body,
    pub integers: Integers,
    /// Objects that the function is given are taken to be alive and initialised.
    pub trusting: bool,
    /// The program begins with it: globals hold their initial values.
    pub begins: bool,
    /// Somebody asks how the places are come to where it fails ([`crate::execute::Reached`]).
    pub watched: bool,
    /// Parameters that are constants.
    pub constants: Constants,
    pub symbols: Symbols,
    /// What was done.
    pub work: Work,
    /// Of expressions that were asked for, how many operators they have.
    pub(crate) operators: FxHashMap<ExprId, u32>,
}

impl<'p> Run<'p> {
    pub fn new(program: &'p Program, body: &'p Body, integers: Integers) -> Run<'p> {
        Run {
            program,
            body,
            integers,
            trusting: false,
            begins: false,
            watched: false,
            constants: Constants::new(),
            symbols: Symbols::default(),
            work: Work::default(),
            operators: FxHashMap::default(),
        }
    }

    /// The numbers of an integer type; a bool has two, in any world.
    pub fn range(&self, ty: TypeId) -> Range {
        let range = range_of(&self.program.types, ty).unwrap_or(Range::ANYTHING);
        match self.integers {
            Integers::Unbounded if ty != TypeId::BOOL => Range::ANYTHING,
            _ => range,
        }
    }

    /// Is it an integer type so wide that its numbers are not computed with?
    pub fn is_wide(&self, ty: TypeId) -> bool {
        let is_int = self.program.types.as_int(ty).is_some();
        is_int && self.integers == Integers::Machine && self.range(ty) == Range::ANYTHING
    }

    /// Any value of a type.
    pub fn anything(&mut self, path: &mut Path, ty: TypeId) -> Value {
        let range = self.range(ty);
        let symbols = &mut self.symbols;
        match self.program.types.lookup(ty) {
            Some(Type::Int { .. }) => Value::Number(some_number(path, symbols, range)),
            Some(Type::Pointer(_)) => {
                let mut number = |range| some_number(path, symbols, range);
                Value::from(Pointer {
                    object: Object::Somewhere,
                    value: number(Range::at_least(0)),
                    offset: number(Range::ANYTHING),
                    length: number(Aspect::Length.range()),
                    alive: number(Aspect::Alive.range()),
                })
            }
            _ => Value::Other,
        }
    }

    /// What a scalar from outside held when the function began.
    pub fn given(&mut self, path: &mut Path, given: &Given, ty: TypeId) -> Value {
        let range = self.range(ty);
        self.symbols.is_of_type(given, ty);
        if !self.reads_alike(self.symbols.type_of(given).unwrap_or(ty), ty) {
            return self.anything(path, ty);
        }
        let program = self.program;
        let mut number = |aspect: Aspect, range: Range| self.input(path, given, aspect, range);
        match program.types.lookup(ty) {
            Some(Type::Int { .. }) => Value::Number(number(Aspect::Value, range)),
            Some(Type::Pointer(_)) => Value::from(Pointer {
                object: Object::Behind(given.clone()),
                value: number(Aspect::Value, Range::at_least(0)),
                offset: number(Aspect::Offset, Range::ANYTHING),
                length: number(Aspect::Length, Range::ANYTHING),
                alive: number(Aspect::Alive, Range::ANYTHING),
            }),
            _ => Value::Other,
        }
    }

    /// One number of what the function is given.
    pub fn input(
        &mut self,
        path: &mut Path,
        given: &Given,
        aspect: Aspect,
        range: Range,
    ) -> Linear {
        if self.trusting && aspect.is_truth() {
            return Linear::constant(1);
        }
        let input = Input {
            given: given.clone(),
            aspect,
        };
        let (symbol, range) = self.symbols.input(input, range);
        path.within(symbol, range);
        Linear::symbol(symbol)
    }

    /// Is what lies in memory the same number at both types?
    fn reads_alike(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.program.types;
        let pointers = (types.is_pointer(a), types.is_pointer(b));
        a == b || pointers == (true, true) || {
            let (a, b) = (types.as_int(a), types.as_int(b));
            a.is_some() && a == b
        }
    }

    /// The number that a value is; any number of the type if it is none.
    pub fn number(&mut self, path: &mut Path, value: Value, ty: TypeId) -> Linear {
        match value {
            Value::Number(form) => form,
            _ => {
                let range = self.range(ty);
                some_number(path, &mut self.symbols, range)
            }
        }
    }

    /// The pointer that a value is; any if it is none.
    pub fn pointer(&mut self, path: &mut Path, value: Value) -> Pointer {
        match value {
            Value::Pointer(pointer) => *pointer,
            _ => match self.anything(path, TypeId::VOID_PTR) {
                Value::Pointer(pointer) => *pointer,
                _ => Pointer::null(),
            },
        }
    }
}
