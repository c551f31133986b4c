//! Programs that can be edited: what is done to one function leaves the others as they are.
//!
//! A recipe has a few seeds for every function (its signature, its body, a constant in it) and names those that
//! it may call, which can be any: recursion comes and goes. A program is made of it anew after every edit, so that ids
//! move as they do when a file is read again.

use crate::body::{Signature, define};
use crate::world::World;
use crate::{Rng, Size};
use ir::{Body, ExprKind, FuncId, Function, Linkage, Program, Span, TypeId};
use std::collections::BTreeMap;

/// How to make a program.
#[derive(Clone, Debug)]
pub struct Recipe {
    size: Size,
    globals: u64,
    /// What was done to globals, by their number.
    initial: BTreeMap<usize, Initial>,
    functions: Vec<Planned>,
    /// The key of the next function.
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Initial {
    /// None: defined elsewhere.
    byte: Option<u8>,
    constant: bool,
}

#[derive(Clone, Debug)]
struct Planned {
    /// The same for ever.
    key: u32,
    name: String,
    main: bool,
    linkage: Linkage,
    signature: u64,
    /// None: declared only.
    body: Option<u64>,
    noreturn: bool,
    /// Keys of the functions that it may call.
    calls: Vec<u32>,
    /// Which constant is another, if any.
    constant: Option<u64>,
}

/// Functions of a recipe, at most.
const MOST: usize = 9;

impl Recipe {
    /// The recipe of a seed: `main` and a few functions that call each other.
    pub fn new(rng: &mut Rng, size: Size) -> Recipe {
        let mut recipe = Recipe {
            size,
            globals: rng.bits(),
            initial: BTreeMap::new(),
            functions: Vec::new(),
            next: 0,
        };
        for _ in 0..=2 + rng.below(size.functions) {
            recipe.add(rng);
        }
        recipe
    }

    /// What is to be made of it now.
    pub fn program(&self) -> Program {
        let mut w = World::new(Rng::new(self.globals), self.size);
        w.sociable = true;
        for (g, initial) in &self.initial {
            let global = w.globals[g % w.globals.len()];
            let global = &mut w.program.globals[global];
            global.constant = initial.constant;
            match (initial.byte, &mut global.init) {
                (Some(byte), Some(init)) if init.relocations.is_empty() => init.bytes = vec![byte],
                (Some(_), _) => {}
                (None, init) => {
                    *init = None;
                    global.linkage = Linkage::External;
                }
            }
        }
        let mut ids: BTreeMap<u32, FuncId> = BTreeMap::new();
        for planned in &self.functions {
            w.rng = Rng::new(planned.signature);
            let signature = Signature::random(&mut w, planned.main).intern(&mut w);
            let name = w.program.symbols.intern(&planned.name);
            let id = w.program.functions.push(Function {
                name,
                display: name,
                unit: w.unit,
                linkage: planned.linkage,
                signature,
                noreturn: planned.noreturn && planned.body.is_none(),
                span: Span::NONE,
                body: None,
            });
            ids.insert(planned.key, id);
        }
        for planned in &self.functions {
            let (Some(seed), Some(id)) = (planned.body, ids.get(&planned.key)) else {
                continue;
            };
            w.rng = Rng::new(planned.signature);
            let signature = Signature::random(&mut w, planned.main);
            w.rng = Rng::new(seed);
            let calls = planned.calls.iter();
            w.functions = calls.filter_map(|key| ids.get(key).copied()).collect();
            let (span, mut body) = define(&mut w, &signature, None);
            if let Some(choice) = planned.constant {
                change_constant(&mut body, choice);
            }
            let function = &mut w.program.functions[*id];
            function.span = span;
            function.body = Some(body);
        }
        w.program
    }

    /// Changes something, and says what.
    pub fn edit(&mut self, rng: &mut Rng) -> String {
        let at = rng.below(self.functions.len() as u32) as usize;
        let name = self.functions[at].name.clone();
        let seed = rng.bits();
        let other = self.functions[rng.below(self.functions.len() as u32) as usize].key;
        let is_main = self.functions[at].main;
        match rng.below(17) {
            0..=3 => {
                self.functions[at].body = Some(seed);
                format!("another body of {name}")
            }
            4 | 5 => {
                self.functions[at].constant = Some(seed);
                format!("another constant in {name}")
            }
            6 | 7 => {
                // To itself or to any other: recursion is made and broken.
                let calls = &mut self.functions[at].calls;
                let call = rng.below(calls.len() as u32) as usize;
                match calls.get_mut(call) {
                    Some(call) => *call = other,
                    None => calls.push(other),
                }
                format!("{name} calls another")
            }
            8 => {
                self.functions[at].calls.truncate(1);
                format!("{name} calls one at most")
            }
            9 if self.functions.len() < MOST => {
                self.add(rng);
                // Somebody calls it.
                let key = self.next - 1;
                self.functions[at].calls.insert(0, key);
                format!("a function more, which {name} calls")
            }
            10 if !is_main && self.functions.len() > 2 => {
                self.functions.remove(at);
                format!("no {name}")
            }
            11 if !is_main => {
                self.functions[at].name = format!("r{}", seed % 1000);
                format!("{name} has another name")
            }
            12 if !is_main => {
                let planned = &mut self.functions[at];
                planned.body = match planned.body {
                    Some(_) => None,
                    None => Some(seed),
                };
                planned.noreturn = seed.is_multiple_of(2);
                format!("{name} is in view no more, or again")
            }
            13 | 16 => {
                let initial = Initial {
                    byte: (!seed.is_multiple_of(5)).then_some((seed >> 8) as u8 % 4),
                    constant: seed.is_multiple_of(2),
                };
                self.initial.insert((seed >> 16) as usize % 6, initial);
                format!("another initial value: {initial:?}")
            }
            14 if !is_main => {
                self.functions[at].signature = seed;
                format!("{name} takes and gives something else")
            }
            15 if !is_main => {
                let linkage = &mut self.functions[at].linkage;
                *linkage = match linkage {
                    Linkage::Internal => Linkage::External,
                    _ => Linkage::Internal,
                };
                format!("{name} is seen elsewhere, or no more")
            }
            _ => {
                self.functions.rotate_left(1);
                "another order".to_string()
            }
        }
    }

    fn add(&mut self, rng: &mut Rng) {
        let key = self.next;
        self.next += 1;
        let main = key == 0;
        let mut calls: Vec<u32> = (0..rng.below(4)).map(|_| rng.below(key.max(1))).collect();
        // Later ones too: recursion.
        if rng.one_in(3) {
            calls.push(key + rng.below(2));
        }
        if main {
            calls = vec![1, 2, 3];
        }
        self.functions.push(Planned {
            key,
            name: match main {
                true => "main".to_string(),
                false => format!("f{key}"),
            },
            main,
            linkage: match main || rng.one_in(2) {
                true => Linkage::External,
                false => Linkage::Internal,
            },
            signature: rng.bits(),
            body: (main || !rng.one_in(8)).then(|| rng.bits()),
            noreturn: rng.one_in(4),
            calls,
            constant: None,
        });
    }
}

/// Makes a small number of some constant.
fn change_constant(body: &mut Body, choice: u64) {
    let is_number = |e: &ir::Expr| matches!(e.kind, ExprKind::Int(_)) && e.ty == TypeId::I32;
    let count = body.exprs.values().filter(|e| is_number(e)).count() as u64;
    if count == 0 {
        return;
    }
    let numbers = body.exprs.iter_mut().filter(|(_, e)| is_number(e));
    if let Some((_, number)) = numbers.into_iter().nth((choice % count) as usize) {
        number.kind = ExprKind::Int(u128::from(choice >> 32) % 8);
    }
}
