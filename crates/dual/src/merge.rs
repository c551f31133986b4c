//! Several paths as one: the selective hull (dual.txt §2.2).
//!
//! What memory holds alike stays as it is. A scalar that holds different numbers becomes a symbol, of which each path says
//! what it is there; the rest is geometry: the convex hull of what the paths know of these symbols, and of all that memory
//! still speaks of. The hull is exact about linear relations that hold on all paths (`i = n - k` on both) and forgets which
//! path it was.

use crate::facts::{Facts, Range};
use crate::hull::hull;
use crate::input::{Part, Symbols};
use crate::linear::{Linear, Symbol};
use crate::memory::{Found, Memory};
use crate::path::{Path, Way};
use crate::shape::{Frame, within};
use crate::value::{Object, Pointer, Value};
use isl::{Constraint, Context, Dim, Piece, Result, Set};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Scalars that differ from path to path: the symbol of each number that they are made of. In the same template the same
/// scalar has the same symbols.
pub type Varying = BTreeMap<(Object, Part), Vec<Symbol>>;

/// What several paths have in common: memory, with symbols where they differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pub memory: Memory,
    pub varying: Varying,
}

impl Template {
    /// Of one path.
    pub fn of(path: &Path) -> Template {
        Template {
            memory: path.memory.clone(),
            varying: Varying::new(),
        }
    }

    /// With another path. What varied goes on to.
    pub fn include(&mut self, symbols: &mut Symbols, path: &Path) {
        let varying = &mut self.varying;
        let mut lost: Vec<Object> = Vec::new();
        let memory = self.memory.join(&path.memory, |object, part, a, b| {
            let mut numbers = |count: usize| {
                let at = varying.entry((object.clone(), part)).or_default();
                while at.len() < count {
                    at.push(symbols.unknown());
                }
                at.iter().map(|s| Linear::symbol(*s)).collect::<Vec<_>>()
            };
            match (a, b) {
                (Value::Number(_), Value::Number(_)) => numbers(1).pop().map(Value::Number),
                (Value::Pointer(p), Value::Pointer(q)) => {
                    let object = match p.object == q.object {
                        true => p.object.clone(),
                        // Null leads nowhere, so it may lead anywhere.
                        false if q.is_null() => p.object.clone(),
                        false if p.is_null() => q.object.clone(),
                        false => {
                            lost.extend([p.object.clone(), q.object.clone()]);
                            Object::Somewhere
                        }
                    };
                    let [value, offset, length, alive] = numbers(4).try_into().ok()?;
                    Some(Value::from(Pointer {
                        object,
                        value,
                        offset,
                        length,
                        alive,
                    }))
                }
                _ => None,
            }
        });
        self.memory = memory;
        // A pointer that may lead to either is one of which nothing is known.
        lost.iter().for_each(|object| self.memory.escape(object));
    }

    /// The symbols that the memory speaks of, in order.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut all = Vec::new();
        for (_, _, value) in self.memory.cells() {
            let mut add = |form: &Linear| all.extend(form.terms().iter().map(|t| t.0));
            match value {
                Value::Number(form) => add(form),
                Value::Pointer(pointer) => pointer.numbers().into_iter().for_each(add),
                Value::Undefined | Value::Other => {}
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What the path knows, and what the symbols of the template are on it. Of inputs that it never asked for it knows what
    /// their types say.
    pub fn facts(&self, symbols: &Symbols, path: &Path) -> Facts {
        let mut facts = path.facts.clone();
        for (_, symbol, range) in symbols.inputs() {
            facts.within(symbol, range);
        }
        for ((object, part), symbols) in &self.varying {
            let Found::Value(value) = path.memory.read(object, *part) else {
                continue;
            };
            let numbers: Vec<&Linear> = match value {
                Value::Number(form) => vec![form],
                Value::Pointer(pointer) => pointer.numbers().to_vec(),
                Value::Undefined | Value::Other => continue,
            };
            for (symbol, form) in symbols.iter().zip(numbers) {
                facts.within(
                    *symbol,
                    Range {
                        least: path.facts.least(form),
                        most: path.facts.most(form),
                    },
                );
                if let Some(same) = form.minus(&Linear::symbol(*symbol)) {
                    facts.add_zero(same);
                }
            }
        }
        facts
    }

    /// A path that knows what a piece says. What varies has new symbols there: those of the template are for what comes
    /// together in it, and at the head of a loop that is another turn.
    pub fn path(&self, frame: &Frame, piece: &Piece, symbols: &mut Symbols) -> Result<Path> {
        let mut renamed: FxHashMap<Symbol, Symbol> = FxHashMap::default();
        let mut ranges: Vec<(Symbol, Range)> = Vec::new();
        let mut memory = self.memory.clone();
        for ((object, part), names) in &self.varying {
            let Found::Value(value) = self.memory.read(object, *part) else {
                continue;
            };
            let mut new = |form: &Linear| match form.as_symbol().filter(|s| names.contains(s)) {
                Some(s) => Linear::symbol(*renamed.entry(s).or_insert_with(|| symbols.unknown())),
                None => form.clone(),
            };
            let value = match value {
                Value::Number(form) => {
                    let form = new(form);
                    let symbol = form.as_symbol();
                    ranges.extend(symbol.map(|s| (s, symbols.range_in(object, *part))));
                    Value::Number(form)
                }
                Value::Pointer(pointer) => Value::from(Pointer {
                    object: pointer.object.clone(),
                    value: new(&pointer.value),
                    offset: new(&pointer.offset),
                    length: new(&pointer.length),
                    alive: new(&pointer.alive),
                }),
                Value::Undefined | Value::Other => continue,
            };
            memory.learn(object, *part, value);
        }
        let names = frame.symbols().iter();
        let names = names
            .map(|s| renamed.get(s).copied().unwrap_or(*s))
            .collect();
        let mut facts = Frame::new(names).facts(piece, symbols)?;
        // The type of a variable bounds it, however wide a piece became.
        ranges
            .iter()
            .for_each(|(s, range)| facts.within(*s, *range));
        Ok(Path {
            facts,
            memory,
            guessed: true,
            way: Way::default(),
        })
    }
}

/// The symbols that polyhedra have to be about: those of which paths say something together with others, or not the same.
/// Of the rest a range is all that is known, on every path the same.
pub struct Chosen {
    pub frame: Frame,
    pub rest: Vec<(Symbol, Range)>,
}

impl Chosen {
    /// Of these symbols, those that matter to the facts, or that `always` matter.
    pub fn of(mut all: Vec<Symbol>, always: &[Symbol], facts: &[Facts]) -> Chosen {
        all.sort_unstable();
        all.dedup();
        let forms = facts
            .iter()
            .flat_map(|f| f.zero().iter().chain(f.not_negative()));
        let mut matter: FxHashSet<Symbol> = forms
            .flat_map(|form| form.terms().iter().map(|t| t.0))
            .collect();
        matter.extend(always);
        let range = |s: Symbol| facts.first().map_or(Range::ANYTHING, |f| f.range(s));
        let (frame, rest): (Vec<Symbol>, Vec<Symbol>) = all.into_iter().partition(|s| {
            matter.contains(s) || facts.iter().any(|facts| facts.range(*s) != range(*s))
        });
        Chosen {
            frame: Frame::new(frame),
            rest: rest.into_iter().map(|s| (s, range(s))).collect(),
        }
    }

    /// What the path knows of symbols that polyhedra are not about.
    pub fn complete(rest: &[(Symbol, Range)], path: &mut Path) {
        rest.iter().for_each(|(s, range)| path.within(*s, *range));
    }
}

/// The paths as one path.
pub fn merged(context: &Context, symbols: &mut Symbols, paths: &[Path]) -> Result<Path> {
    let Some((first, rest)) = paths.split_first() else {
        return Ok(Path::default());
    };
    let mut template = Template::of(first);
    rest.iter().for_each(|path| template.include(symbols, path));
    let mut all = template.symbols();
    all.extend(symbols.inputs().map(|(_, symbol, _)| symbol));
    let facts: Vec<Facts> = paths
        .iter()
        .map(|path| template.facts(symbols, path))
        .collect();
    let Chosen { frame, rest } = Chosen::of(all, &[], &facts);
    let mut union: Option<Set> = None;
    let mut ranges: Vec<Option<Range>> = vec![None; frame.len()];
    for facts in &facts {
        for (range, symbol) in ranges.iter_mut().zip(frame.symbols()) {
            let here = facts.range(*symbol);
            *range = Some(range.map_or(here, |range| range.or(here)));
        }
        let set = frame.set(context, facts)?;
        union = Some(match union {
            Some(union) => union.union(&set)?,
            None => set,
        });
    }
    let Some(union) = union else {
        return Ok(Path::default());
    };
    let hull = hull(&union, &frame.flags(symbols))?;
    let ranges = ranges.into_iter().flatten().enumerate();
    let ranges: Vec<Constraint> = ranges
        .flat_map(|(at, range)| within(Dim::At(at), range))
        .collect();
    let hull = hull.to_set()?.constrain(&ranges)?.simple_hull()?;
    let mut path = template.path(&frame, &hull, symbols)?;
    Chosen::complete(&rest, &mut path);
    Ok(path)
}
