//! Several paths as one: the selective hull (dual.txt §2.2).
//!
//! What memory holds alike stays as it is. A scalar that holds different numbers becomes a symbol, of which each path says
//! what it is there; the rest is geometry: the convex hull of what the paths know of these symbols, and of all that memory
//! still speaks of. The hull is exact about linear relations that hold on all paths (`i = n - k` on both) and forgets which
//! path it was.

use crate::execute::Limits;
use crate::facts::{Facts, Range};
use crate::hull::hull_of;
use crate::input::{Part, Symbols};
use crate::linear::{Linear, Symbol};
use crate::memory::{Found, Memory};
use crate::path::Path;
use crate::shape::{Frame, within};
use crate::value::{Object, Pointer, Value};
use isl::{Constraint, Context, Dim, Piece, Result, Set};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Scalars that differ from path to path, and of each number that they are made of, how. In the same template the same scalar
/// has the same symbols.
pub type Varying = BTreeMap<(Object, Part), Vec<Varied>>;

/// A number that differs from path to path: `start + step * symbol`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varied {
    pub symbol: Symbol,
    start: Linear,
    step: i128,
}

impl Varied {
    /// Anything.
    fn anything(symbols: &mut Symbols) -> Varied {
        Varied {
            symbol: symbols.unknown(),
            start: Linear::default(),
            step: 1,
        }
    }

    /// What the symbol is where the number is this; none if it cannot be.
    fn symbol_for(&self, number: &Linear) -> Option<Linear> {
        number.minus(&self.start)?.divided(self.step)
    }

    fn number(&self) -> Option<Linear> {
        self.start
            .plus_times(self.step, &Linear::symbol(self.symbol))
    }
}

/// Steps of loops that are worth it, at most: what is further apart is mostly no step of anything.
const STEP: i128 = 64;

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
        let mut lost: Vec<Object> = Vec::new();
        let there = self.values_on(path).into_iter().collect();
        let mut known = symbols_in(&path.memory);
        known.extend(path.facts.symbols());
        known.extend(symbols.inputs().map(|(_, symbol, _)| symbol));
        known.sort_unstable();
        let mut joint = Joint {
            varying: &mut self.varying,
            symbols,
            there,
            known,
            begun: Vec::new(),
        };
        let memory = self.memory.join(&path.memory, |object, part, a, b| {
            let cell = (object.clone(), part);
            match (a, b) {
                (Value::Number(a), Value::Number(b)) => {
                    Some(Value::Number(joint.number(&cell, 0, a, b)))
                }
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
                    Some(Value::from(Pointer {
                        object,
                        value: joint.number(&cell, 0, &p.value, &q.value),
                        offset: joint.number(&cell, 1, &p.offset, &q.offset),
                        length: joint.number(&cell, 2, &p.length, &q.length),
                        alive: joint.number(&cell, 3, &p.alive, &q.alive),
                    }))
                }
                _ => None,
            }
        });
        self.memory = memory;
        // A pointer that may lead to either is one of which nothing is known.
        lost.iter().for_each(|object| self.memory.escape(object));
    }

    /// What the symbols of the template are on a path, as far as it knows.
    fn values_on(&self, path: &Path) -> Vec<(Symbol, Linear)> {
        let mut all = Vec::new();
        for ((object, part), varied) in &self.varying {
            let Found::Value(value) = path.memory.read(object, *part) else {
                continue;
            };
            let numbers: Vec<&Linear> = match value {
                Value::Number(form) => vec![form],
                Value::Pointer(pointer) => pointer.numbers().to_vec(),
                Value::Undefined | Value::Other => continue,
            };
            let each = varied.iter().zip(numbers);
            let known = each.filter_map(|(v, form)| Some((v.symbol, v.symbol_for(form)?)));
            all.extend(known);
        }
        all
    }

    /// The symbols of what varies.
    pub fn names(&self) -> impl Iterator<Item = Symbol> {
        self.varying.values().flatten().map(|varied| varied.symbol)
    }

    /// The symbols that the memory speaks of, in order.
    pub fn symbols(&self) -> Vec<Symbol> {
        symbols_in(&self.memory)
    }

    /// What the path knows, and what the symbols of the template are on it. Of inputs that it never asked for it knows what
    /// their types say.
    pub fn facts(&self, symbols: &Symbols, path: &Path) -> Facts {
        let mut facts = path.facts.clone();
        for (_, symbol, range) in symbols.inputs() {
            facts.within(symbol, range);
        }
        let used = self.symbols();
        for (symbol, form) in self.values_on(path) {
            if used.binary_search(&symbol).is_err() {
                continue;
            }
            let range = Range {
                least: path.facts.least(&form),
                most: path.facts.most(&form),
            };
            facts.within(symbol, range);
            if let Some(same) = form.minus(&Linear::symbol(symbol)) {
                facts.add_zero(same);
            }
        }
        facts
    }

    /// A path that knows what a piece says. What varies has new symbols there: those of the template are for what comes
    /// together in it, and at the head of a loop that is another turn.
    pub fn path(&self, frame: &Frame, piece: &Piece, symbols: &mut Symbols) -> Result<Path> {
        let used = self.symbols();
        let names = self.names().filter(|s| used.binary_search(s).is_ok());
        let renamed: FxHashMap<Symbol, Symbol> = names.map(|s| (s, symbols.unknown())).collect();
        let mut memory = self.memory.clone();
        memory.rename(&renamed);
        let mut ranges: Vec<(Linear, Range)> = Vec::new();
        for (object, part) in self.varying.keys() {
            if let Found::Value(Value::Number(form)) = memory.read(object, *part) {
                ranges.push((form.clone(), symbols.range_in(object, *part)));
            }
        }
        let names = frame.symbols().iter();
        let names = names
            .map(|s| renamed.get(s).copied().unwrap_or(*s))
            .collect();
        let mut facts = Frame::new(names).facts(piece, symbols)?;
        // The type of a variable bounds it, however wide a piece became.
        for (form, range) in ranges {
            facts.bound(&form, range);
        }
        Ok(Path {
            facts,
            memory,
            guessed: true,
            ..Path::default()
        })
    }
}

/// The symbols that a memory speaks of, in order.
fn symbols_in(memory: &Memory) -> Vec<Symbol> {
    let placed = memory.placed_forms();
    let mut all: Vec<Symbol> = placed.flat_map(|f| f.terms().iter().map(|t| t.0)).collect();
    for (_, _, value) in memory.cells() {
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

/// A template and a path, number by number.
struct Joint<'a> {
    varying: &'a mut Varying,
    symbols: &'a mut Symbols,
    /// What the symbols of the template are on the path.
    there: FxHashMap<Symbol, Linear>,
    /// The symbols that the path speaks of, in order.
    known: Vec<Symbol>,
    /// The symbols that are new: what they are in the template as it was, and on the path.
    begun: Vec<(Symbol, Linear, Linear)>,
}

impl Joint<'_> {
    /// What is one number in the template, and another on the path. (`at`: which of those that a pointer is made of.)
    ///
    /// What goes on in steps is kept as such: if `i` is `m` here and `m + 4` (or `m + 4 k`) there, it is `m + 4 t`, and `t` the
    /// turns of a loop, one might say. So `i` is known to be `m` but for a multiple of 4, and no polyhedron has to know.
    ///
    /// What follows something that varies needs no symbol of its own: if `i` is 1 here and 2 there, and `p` is `a + 8` and
    /// `a + 16`, then `p` is `a + 8 i`, and stays it.
    fn number(&mut self, cell: &(Object, Part), at: usize, a: &Linear, b: &Linear) -> Linear {
        if a == b || self.on_path(a).as_ref() == Some(b) {
            return a.clone();
        }
        if let Some(form) = self.following(a, b) {
            return form;
        }
        let step = b.minus(a).map(|difference| difference.divisor());
        let step = step.filter(|n| (2..=STEP).contains(n));
        let is_fixed = |form: &Linear| {
            let mut names = self.varying.values().flatten();
            !names.any(|varied| form.factor(varied.symbol) != 0)
        };
        let step = step.filter(|_| is_fixed(a));
        // What only the template knows is no place to start from for the path: it is so many steps further.
        let start = a.only(|s| self.known.binary_search(&s).is_ok());
        let known = self.varying.entry(cell.clone()).or_default();
        let is_new = known.len() <= at;
        while known.len() <= at {
            known.push(Varied::anything(self.symbols));
        }
        let varied = &mut known[at];
        match step {
            Some(step) if is_new => {
                varied.start = start;
                varied.step = step;
            }
            // It was on its way in steps, and this is none of them.
            _ if varied.step != 1 => *varied = Varied::anything(self.symbols),
            _ => {}
        }
        let symbol = varied.symbol;
        let both = varied.symbol_for(a).zip(varied.symbol_for(b));
        if a.as_symbol() != Some(symbol) {
            self.begun.extend(both.map(|(x, y)| (symbol, x, y)));
        }
        varied.number().unwrap_or_else(|| Linear::symbol(symbol))
    }

    /// What a form of the template is on the path.
    fn on_path(&self, form: &Linear) -> Option<Linear> {
        form.replaced(|s| self.there.get(&s))
    }

    /// A form over symbols that is `a` where they are what they were in the template, and `b` where they are what they are on the
    /// path; none if there is none. (`k` may follow both `i` and `j`.)
    fn following(&self, a: &Linear, b: &Linear) -> Option<Linear> {
        let mut form = a.clone();
        let mut change = b.minus(&self.on_path(a)?)?;
        for (symbol, x, y) in &self.begun {
            let step = y.minus(&self.on_path(x)?)?;
            let (one, times) = match step.terms().last() {
                Some((s, n)) => (*n, change.factor(*s)),
                None => (step.offset(), change.offset()),
            };
            if one == 0 || times == 0 || times % one != 0 {
                continue;
            }
            let times = times / one;
            change = change.plus_times(-times, &step)?;
            let moved = Linear::symbol(*symbol).minus(x)?;
            form = form.plus_times(times, &moved)?;
        }
        (change.as_constant() == Some(0)).then_some(form)
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
pub fn merged(
    context: &Context,
    symbols: &mut Symbols,
    paths: &[Path],
    limits: Limits,
) -> Result<Path> {
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
    let mut sets: Vec<Set> = Vec::new();
    let mut ranges: Vec<Option<Range>> = vec![None; frame.len()];
    for facts in &facts {
        for (range, symbol) in ranges.iter_mut().zip(frame.symbols()) {
            let here = facts.range(*symbol);
            *range = Some(range.map_or(here, |range| range.or(here)));
        }
        if limits.relations {
            sets.push(frame.set(context, facts)?);
        }
    }
    let hull = match limits.relations {
        true => hull_of(context, frame.len(), &sets, &frame.flags(symbols))?,
        false => Piece::from_constraints(context, frame.len(), &[])?,
    };
    let ranges = ranges.into_iter().flatten().enumerate();
    let ranges: Vec<Constraint> = ranges
        .flat_map(|(at, range)| within(Dim::At(at), range))
        .collect();
    let hull = hull.constrain(&ranges)?;
    let mut path = template.path(&frame, &hull, symbols)?;
    Chosen::complete(&rest, &mut path);
    Ok(path)
}
