//! Functions that call themselves: with which inputs they do, however deep.
//!
//! A run that fails in a recursive function fails in *one* of its activations, at a check of its own or of a function that is
//! not recursive. So no condition of failure has to grow with the recursion (dual.txt §2.2 iterates each): one relation does,
//! from the inputs of an activation to those of all that are below it,
//!
//!     D  =  C  ∪  C ∘ D        C: the inputs of a call of itself
//!
//! and then  ERR(x)  =  own(x)  ∨  ∃ y. D(x, y) ∧ own(y), once for each check. Both parts over-approximate, and so does this.
//!
//! D is kept as what grows at a loop's head is ([`crate::grow`]): a path for each piece, whose memory holds the inputs of the
//! activation below as the scalars of an object of their own.

use crate::call::Actual;
use crate::execute::Limits;
use crate::facts::Facts;
use crate::grow::{Ground, Growing};
use crate::input::{Part, Symbols};
use crate::linear::{Linear, Symbol};
use crate::memory::Memory;
use crate::path::Path;
use crate::program::{Dual, ROUNDS};
use crate::run::Run;
use crate::seen::Seen;
use crate::summary::Summary;
use crate::value::{Object, Value};
use ir::FuncId;
use isl::{Result, Stopped};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A call of a function by itself, directly or through others: what is known then, and the inputs that it is given.
#[derive(Clone, Debug)]
pub struct Descent {
    pub facts: Facts,
    pub inputs: BTreeMap<Symbol, Linear>,
}

/// Where the input of that symbol lies.
fn part(symbol: Symbol) -> Part {
    Part {
        start: i128::from(symbol.0) * 64,
        bits: 64,
    }
}

impl Descent {
    /// As a path that remembers the inputs.
    fn path(self) -> Path {
        let mut memory = Memory::default();
        for (symbol, form) in self.inputs {
            memory.learn(&Object::Below, part(symbol), Value::Number(form));
        }
        Path {
            facts: self.facts,
            memory,
            ..Path::default()
        }
    }

    /// What a path remembers. Of an input that is not there nothing is known.
    pub fn of(path: Path, inputs: impl Iterator<Item = Symbol>) -> Descent {
        let known = inputs.filter_map(|symbol| {
            let cells = path.memory.contents_of(&Object::Below)?;
            let mut cells = cells.cells();
            match cells.find(|(at, _)| *at == part(symbol))?.1 {
                Value::Number(form) => Some((symbol, form.clone())),
                _ => None,
            }
        });
        Descent {
            inputs: known.collect(),
            facts: path.facts,
        }
    }
}

impl Run<'_> {
    /// The activations that a call of the function by itself leads to: its own, and those that are known to be below.
    pub(crate) fn descend(
        &mut self,
        path: &Path,
        actual: &mut Actual<'_>,
        below: &[Descent],
    ) -> Vec<Path> {
        let given = actual.forms.clone();
        for (input, symbol, range) in &actual.summary.inputs {
            debug_assert_eq!(self.symbols.find(input), Some(*symbol));
            self.symbols.is_put(&Object::Below, part(*symbol), *range);
        }
        let first = Descent {
            facts: path.facts.clone(),
            inputs: given.iter().map(|(s, form)| (*s, form.clone())).collect(),
        };
        let mut all = vec![first.path()];
        for descent in below {
            if let Some(path) = self.with_facts(path.clone(), actual, &descent.facts) {
                let inputs = descent.inputs.iter();
                let inputs = inputs.filter_map(|(s, form)| Some((*s, self.form(actual, form)?)));
                let further = Descent {
                    inputs: inputs.collect(),
                    facts: path.facts,
                };
                all.push(further.path());
            }
            actual.forms.clone_from(&given);
        }
        all
    }

    /// What is known where an activation below fails as `own` says; none if it cannot.
    pub(crate) fn fails_below(
        &mut self,
        summary: &Summary,
        descent: &Descent,
        own: &Facts,
    ) -> Option<Path> {
        let inputs = descent.inputs.iter();
        let forms: FxHashMap<Symbol, Linear> = inputs.map(|(s, f)| (*s, f.clone())).collect();
        let mut actual = Actual::of_inputs(summary, forms);
        let path = Path {
            facts: descent.facts.clone(),
            ..Path::default()
        };
        self.with_facts(path, &mut actual, own)
    }
}

impl Dual<'_> {
    /// How a function fails that calls itself, and of which it is known how it comes back ([`crate::descend`]).
    pub(crate) fn descents(
        &mut self,
        f: FuncId,
        limits: Limits,
        mut symbols: Symbols,
    ) -> Result<()> {
        let returns = self.summary(f).cloned().unwrap_or_default();
        let mut below = Growing::default();
        // What is below is compared with itself, round by round: pieces would multiply, and their rounding with them.
        let one = Limits {
            disjuncts: 1,
            ..limits
        };
        for round in 0.. {
            self.knows_below(f, &returns, &below, &mut symbols)?;
            let (_, after, ends) = self.ends_of(f, limits, symbols)?;
            symbols = after;
            let mut ground = Ground {
                context: &self.context,
                symbols: &mut symbols,
                limits: one,
                same_inputs: false,
            };
            let now = below.with(&mut ground, &ends.descents)?;
            if now.is_rest(&below)? {
                break;
            }
            below = match below.is_empty() {
                true => now.settled(&ground)?,
                false => now.next(&below, &ground, round)?,
            };
            if round > ROUNDS {
                return Err(Stopped::Failed("a recursion does not come to rest".into()));
            }
        }
        // What comes back is narrowed by one more round; what is below stays as it came to rest.
        let (body, mut symbols, ends) = self.ends_of(f, limits, symbols)?;
        let mut seen = Seen::of(f, body, ends);
        let own = seen.clone().summary(&self.context, &mut symbols, limits)?;
        let mut run = self.run(body);
        run.symbols = symbols;
        let inputs: Vec<Symbol> = own.inputs.iter().map(|(_, symbol, _)| *symbol).collect();
        for path in below.paths(&mut run.symbols)? {
            let descent = Descent::of(path, inputs.iter().copied());
            for (origin, cases) in &own.fails {
                for (way, facts) in cases {
                    let path = run.fails_below(&own, &descent, facts);
                    let all = seen.fails.entry((*origin, *way)).or_default();
                    all.extend(path);
                }
            }
        }
        let summary = seen.summary(&self.context, &mut run.symbols, limits)?;
        self.knows(f, summary);
        Ok(())
    }

    /// While activations below are looked for: how the function comes back, and those that are known.
    fn knows_below(
        &mut self,
        f: FuncId,
        returns: &Summary,
        below: &Growing,
        symbols: &mut Symbols,
    ) -> Result<()> {
        let inputs: Vec<Symbol> = symbols.inputs().map(|(_, symbol, _)| symbol).collect();
        let paths = below.paths(symbols)?.into_iter();
        let below = paths.map(|path| Descent::of(path, inputs.iter().copied()));
        let inputs = symbols.inputs().map(|(i, s, r)| (i.clone(), s, r));
        let summary = Summary {
            below: Some(below.collect()),
            inputs: inputs.collect(),
            types: symbols.types().clone(),
            ..returns.clone()
        };
        self.knows(f, summary);
        Ok(())
    }
}
