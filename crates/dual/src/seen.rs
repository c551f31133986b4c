//! What was seen of a function, on its way to what callers are told ([`Summary`]), and, if it calls itself, to what the next
//! round knows of it ([`Grown`]).

use crate::execute::{Ends, Failure, Limits};
use crate::facts::Facts;
use crate::grow::{Ground, Growing, fewer};
use crate::hull::hull;
use crate::input::{Part, Symbols};
use crate::linear::{Linear, Symbol};
use crate::memory::{Found, Written};
use crate::path::{Path, Way};
use crate::shape::{Frame, Told};
use crate::summary::{Origin, Return, Summary};
use crate::value::{Object, Value};
use ir::{Body, FuncId};
use isl::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Where the runs of a function end, as far as others can see.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Memory holds what others can see, and the result.
    pub returns: Vec<Path>,
    /// Of these only the facts count. All reasons to come back, if these are more.
    pub back: Vec<Path>,
    pub unwinds: Vec<Path>,
    pub exits: Vec<Path>,
    pub fails: BTreeMap<(Origin, Way), Vec<Path>>,
    /// The variable of the result, and where in it that is.
    pub result: Option<(Object, Part)>,
    pub guessed: bool,
    pub strangers: bool,
}

/// Checks that are told apart, at most.
pub(crate) const ORIGINS: usize = 256;

/// Facts that a summary has of failures, about: those behind are told as one.
const SIZE: usize = 16_000;

impl Seen {
    pub fn of(f: FuncId, body: &Body, ends: Ends) -> Seen {
        let variable = body.ret.map(Object::Variable);
        let result = variable.as_ref().and_then(|variable| {
            let mut cells = ends.returns.iter().flat_map(|path| path.memory.cells());
            let cell = cells.find(|(object, _, _)| *object == variable);
            cell.map(|(_, part, _)| (variable.clone(), part))
        });
        let without_memory = |path: Path| Path {
            facts: path.facts,
            way: path.way,
            ..Path::default()
        };
        let facts =
            |paths: Vec<Path>| -> Vec<Path> { paths.into_iter().map(without_memory).collect() };
        let returned = |path: Path| Path {
            facts: path.facts,
            memory: path.memory.without_variables(variable.as_ref()),
            guessed: path.guessed,
            way: path.way,
            ..Path::default()
        };
        let origin = |failure: Failure| match failure {
            Failure::Here(check) => Some((f, check)),
            Failure::Call(_, origin) => origin,
        };
        // Several calls may lead to the same check: that is one origin, by whichever call.
        let origins: BTreeSet<Origin> = ends.fails.keys().map(|failure| origin(*failure)).collect();
        let several = origins.len() > ORIGINS;
        let mut fails: BTreeMap<(Origin, Way), Vec<Path>> = BTreeMap::new();
        for (failure, paths) in ends.fails {
            let origin = origin(failure).filter(|_| !several);
            for path in facts(paths) {
                // What is before an object and what is behind it have nothing in common: a hull around both would be all.
                fails.entry((origin, path.way)).or_default().push(path);
            }
        }
        let more = ends.back.len() > ends.returns.len();
        Seen {
            back: facts(if more { ends.back } else { Vec::new() }),
            returns: ends.returns.into_iter().map(returned).collect(),
            unwinds: facts(ends.unwinds),
            exits: facts(ends.exits),
            fails,
            result,
            guessed: ends.guessed,
            strangers: ends.strangers,
        }
    }

    /// What of it comes to an end without failing.
    pub fn without_failures(self) -> Seen {
        Seen {
            fails: BTreeMap::new(),
            ..self
        }
    }

    /// Only how it fails.
    pub fn failures(self) -> Seen {
        Seen {
            fails: self.fails,
            ..Seen::default()
        }
    }

    /// What callers are told.
    pub fn summary(
        self,
        context: &Context,
        symbols: &mut Symbols,
        limits: Limits,
    ) -> Result<Summary> {
        let inputs: Vec<Symbol> = symbols.inputs().map(|(_, symbol, _)| symbol).collect();
        let mut fresh: Vec<Object> = Vec::new();
        let mut returns = Vec::new();
        for path in self.returns {
            let mut told = inputs.clone();
            for (object, _, value) in path.memory.cells() {
                told.extend(symbols_of(value));
                if let Object::Fresh(_) = object {
                    fresh.push(object.clone());
                }
                if let Value::Pointer(pointer) = value
                    && let Object::Fresh(_) = pointer.object
                {
                    fresh.push(pointer.object.clone());
                }
            }
            let Some(facts) = projected(context, symbols, &path.facts, told)? else {
                continue;
            };
            let result = self.result.as_ref();
            let value =
                result.and_then(|(variable, part)| match path.memory.read(variable, *part) {
                    Found::Value(value) => Some(value.clone()),
                    Found::Untouched | Found::Anything => None,
                });
            let unsure = match result {
                Some((variable, part)) if value.is_some() => {
                    path.memory.unsure(variable, *part).cloned()
                }
                _ => Some(Written::Maybe),
            };
            returns.push(Return {
                unsure,
                facts,
                memory: path.memory.without_variables(None),
                value,
            });
        }
        fresh.sort_unstable();
        fresh.dedup();
        let frame = Frame::new(inputs);
        let failing = self.fails.values().map(Vec::len).sum();
        let told = Told::of(limits, failing, frame.len());
        let conditions = |paths: &[Path], symbols: &mut Symbols| -> Result<Vec<Facts>> {
            let paths: Vec<&Facts> = paths.iter().map(|path| &path.facts).collect();
            let union = frame.union(context, &paths, told)?.coalesce()?;
            let flags = frame.flags(symbols);
            let pieces = fewer(union.pieces()?, 4 * limits.disjuncts, &flags)?;
            let pieces = pieces.iter();
            pieces.map(|piece| frame.facts(piece, symbols)).collect()
        };
        let back = conditions(&self.back, symbols)?;
        let unwinds = conditions(&self.unwinds, symbols)?;
        let exits = conditions(&self.exits, symbols)?;
        let mut fails: BTreeMap<Origin, Vec<(Way, Facts)>> = BTreeMap::new();
        let (mut size, mut others) = (0, Vec::new());
        for ((origin, way), paths) in &self.fails {
            if size > SIZE {
                others.extend(paths.iter().cloned());
                continue;
            }
            let cases = conditions(paths, symbols)?;
            size += cases.iter().map(Facts::size).sum::<usize>();
            if !cases.is_empty() {
                let cases = cases.into_iter().map(|facts| (*way, facts));
                fails.entry(*origin).or_default().extend(cases);
            }
        }
        if !others.is_empty() {
            let others = conditions(&others, symbols)?.into_iter();
            let others = others.map(|facts| (Way::default(), facts));
            fails.entry(None).or_default().extend(others);
        }
        Ok(Summary {
            inputs: symbols
                .inputs()
                .map(|(i, s, r)| (i.clone(), s, r))
                .collect(),
            types: symbols.types().clone(),
            height: symbols.height,
            returns,
            back,
            unwinds,
            exits,
            fails,
            fresh,
            guessed: self.guessed,
            strangers: self.strangers,
            below: None,
        })
    }
}

fn symbols_of(value: &Value) -> Vec<Symbol> {
    let of = |form: &Linear| form.terms().iter().map(|t| t.0).collect::<Vec<_>>();
    match value {
        Value::Number(form) => of(form),
        Value::Pointer(pointer) => pointer.numbers().into_iter().flat_map(of).collect(),
        Value::Undefined | Value::Other => Vec::new(),
    }
}

/// What the facts say of these symbols; none if they cannot be.
fn projected(
    context: &Context,
    symbols: &mut Symbols,
    facts: &Facts,
    mut told: Vec<Symbol>,
) -> Result<Option<Facts>> {
    told.sort_unstable();
    told.dedup();
    let frame = Frame::new(told);
    let set = frame.set(context, facts)?;
    if set.is_empty()? {
        return Ok(None);
    }
    let piece = hull(&set, &frame.flags(symbols))?;
    Ok(Some(frame.facts(&piece, symbols)?))
}

/// What grows from round to round.
#[derive(Clone, Debug, Default)]
pub struct Grown {
    returns: Growing,
    unwinds: Growing,
    exits: Growing,
    fails: BTreeMap<(Origin, Way), Growing>,
    result: Option<(Object, Part)>,
    guessed: bool,
    strangers: bool,
}

impl Grown {
    /// With what a round has seen.
    pub fn with(&self, ground: &mut Ground<'_>, seen: &Seen) -> Result<Grown> {
        let mut fails = self.fails.clone();
        for (origin, paths) in &seen.fails {
            let grown = fails.entry(*origin).or_default();
            *grown = grown.with(ground, paths)?;
        }
        Ok(Grown {
            returns: self.returns.with(ground, &seen.returns)?,
            unwinds: self.unwinds.with(ground, &seen.unwinds)?,
            exits: self.exits.with(ground, &seen.exits)?,
            fails,
            result: self.result.clone().or_else(|| seen.result.clone()),
            guessed: self.guessed || seen.guessed,
            strangers: self.strangers || seen.strangers,
        })
    }

    /// Is there nothing in it that was not there before?
    pub fn is_rest(&self, before: &Grown) -> Result<bool> {
        let none = Growing::default();
        for (origin, grown) in &self.fails {
            let before = before.fails.get(origin).unwrap_or(&none);
            if !grown.is_rest(before)? {
                return Ok(false);
            }
        }
        Ok(
            (self.guessed, self.strangers) == (before.guessed, before.strangers)
                && self.returns.is_rest(&before.returns)?
                && self.unwinds.is_rest(&before.unwinds)?
                && self.exits.is_rest(&before.exits)?,
        )
    }

    /// For the next round.
    pub fn next(self, before: &Grown, ground: &Ground<'_>, round: usize) -> Result<Grown> {
        let none = Growing::default();
        let next = |now: Growing, before: &Growing| match before.is_empty() {
            // What comes back, or fails, without recursion.
            true => now.settled(ground),
            // Others still grow: what has come to rest stays as it is.
            false if now.is_rest(before)? => Ok(before.clone()),
            false => now.next(before, ground, round),
        };
        let mut fails = BTreeMap::new();
        for (origin, grown) in self.fails {
            let before = before.fails.get(&origin).unwrap_or(&none);
            fails.insert(origin, next(grown, before)?);
        }
        Ok(Grown {
            returns: next(self.returns, &before.returns)?,
            unwinds: next(self.unwinds, &before.unwinds)?,
            exits: next(self.exits, &before.exits)?,
            fails,
            ..self
        })
    }

    /// As something that was seen.
    pub fn seen(&self, symbols: &mut Symbols) -> Result<Seen> {
        let mut fails = BTreeMap::new();
        for (origin, grown) in &self.fails {
            fails.insert(*origin, grown.paths(symbols)?);
        }
        Ok(Seen {
            returns: self.returns.paths(symbols)?,
            back: Vec::new(),
            unwinds: self.unwinds.paths(symbols)?,
            exits: self.exits.paths(symbols)?,
            fails,
            result: self.result.clone(),
            guessed: self.guessed,
            strangers: self.strangers,
        })
    }
}
