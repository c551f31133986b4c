//! Conditions on a function's inputs as C: `n > 10 && n <= m`, `p == NULL || len(p) < 4 * n`.
//!
//! | notation | what |
//! | --- | --- |
//! | `n`, `*p`, `p->next->len`, `a[3]`, `table.size` | what it was when the function was called; arithmetic is that of integers: nothing overflows |
//! | `p == NULL`, `p != NULL` | a pointer |
//! | `len(p)` | bytes from where `p` points to the end of the object: all of it, if `p` points to its beginning |
//! | `offset(p)` | bytes from the beginning of the object to where `p` points |
//! | `alive(p)`, `initialized(x)` | the object is there, not freed; the memory has been written |
//! | `filled(p)` | all of the object has been written: asked where it is not known which part is read |
//! | `p != NULL && *p > 0` | what is behind a pointer is spoken of only where it is not null |
//! | `n % 4`, `n / 4` | as in C, which rounds towards zero |
//! | `(n % 4 + 4) % 4` | the remainder that is never negative, where `n` may be; `n / 4 - (n % 4 < 0)`: the quotient that is rounded down |
//! | `… \|\| …` | other inputs, too, that would take too long to say, or that C has no words for ([`sayable`]; [`Condition::exact`] is false); `…` alone: none of it can be said |
//!
//! A condition is simplified first ([`simplify`]): what the types say, it does not. And it is told for pointers as they should be
//! (alive, initialised, within their objects) unless it is about others alone; if it would say something
//! else of the others, it says so: [`Condition::valid_pointers`], and [`Notation::assumed`] says what that means.

mod guard;
mod names;
mod print;
mod sayable;
mod signature;
mod simplify;
mod sum;

use crate::function::Outcomes;
use crate::input::{Aspect, Input};
use guard::Guards;
use ir::{Body, Program};
use isl::{Affine, Constraint, Dim, Map, Result, Set};
use names::{Kind, Named};
use print::Writer;
use sayable::{only_sayable, sayable};
pub use signature::signature;
use simplify::{Alternative, MOST, Simplified, all_points, points, simplified};
use sum::{Comparison, Number, Relation, Sum};

/// A condition in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `true`, `false`, or a condition in C.
    pub text: String,
    /// All inputs that meet it are told by the text, and no others. If not, the text ends in `…`: there are more.
    pub exact: bool,
    /// It is told of inputs whose pointers are alive and within their objects, and whose memory is initialised. Of others
    /// the text says nothing.
    pub valid_pointers: bool,
}

impl Condition {
    pub fn is_never(&self) -> bool {
        self.text == "false"
    }

    pub fn is_always(&self) -> bool {
        self.text == "true"
    }
}

/// What is taken for granted of an input where a condition is told of valid pointers only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// In the notation of conditions: `alive(p)`.
    pub text: String,
    pub about: Validity,
}

/// What there is to take for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// A pointer is alive, and within its object.
    Pointer,
    /// Memory has been written.
    Contents,
}

/// Writes the conditions of one function.
pub struct Notation {
    names: Vec<Named>,
    guards: Guards,
    assumed: Vec<Assumed>,
    /// How much it disturbs a reader to hear of an input.
    weights: Vec<u32>,
    /// From inputs to what is shown: lengths become what remains.
    shown: Map,
    possible: Set,
    valid: Set,
}

impl Notation {
    pub fn new(program: &Program, body: &Body, outcomes: &Outcomes) -> Result<Notation> {
        let inputs = &outcomes.inputs;
        let isl = outcomes.possible.context();
        let offset_of = |length: &Input| {
            let offset = Input {
                given: length.given.clone(),
                aspect: Aspect::Offset,
            };
            inputs.iter().position(|input| *input == offset)
        };
        let names: Vec<Named> = inputs
            .iter()
            .map(|input| names::named(program, body, input))
            .collect();
        let mut assumed = Vec::new();
        let mut forms = Vec::new();
        let mut rules = Vec::new();
        for (at, (input, Named { text, .. })) in inputs.iter().zip(&names).enumerate() {
            let (text, about) = match input.aspect {
                Aspect::Length => (format!("{text} >= 0"), Some(Validity::Pointer)),
                Aspect::Alive => (text.clone(), Some(Validity::Pointer)),
                Aspect::Initialized | Aspect::Filled => (text.clone(), Some(Validity::Contents)),
                Aspect::Value | Aspect::Offset => (String::new(), None),
            };
            assumed.extend(about.map(|about| Assumed { text, about }));
            let mut form = vec![(Dim::In(at), 1)];
            match input.aspect {
                Aspect::Length => {
                    if let Some(offset) = offset_of(input) {
                        form.push((Dim::In(offset), -1));
                    }
                    rules.push(Constraint::at_least_zero([(Dim::At(at), 1)], 0));
                }
                Aspect::Alive | Aspect::Initialized | Aspect::Filled => {
                    rules.push(Constraint::equal([(Dim::At(at), 1)], -1));
                }
                Aspect::Value | Aspect::Offset => {}
            }
            forms.push(Some(Affine::new(form, 0)));
        }
        let shown = Map::from_affine(&isl, inputs.len(), &forms)?;
        let possible = outcomes.possible.apply(&shown)?;
        let valid = possible.constrain(&rules)?;
        let weight = |input: &Input| match input.aspect {
            Aspect::Value => 1,
            Aspect::Length => 2,
            Aspect::Offset => 20,
            Aspect::Alive | Aspect::Initialized | Aspect::Filled => 10,
        };
        Ok(Notation {
            names,
            guards: Guards::new(inputs),
            assumed,
            weights: inputs.iter().map(weight).collect(),
            shown,
            possible,
            valid,
        })
    }

    /// What is taken for granted in conditions that are told of valid pointers only, in the order of the inputs.
    pub fn assumed(&self) -> &[Assumed] {
        &self.assumed
    }

    /// A set of inputs in words.
    pub fn condition(&self, set: &Set) -> Result<Condition> {
        let whole = set.apply(&self.shown)?.intersect(&self.possible)?;
        let simple = |text: &str| Condition {
            text: text.to_string(),
            exact: true,
            valid_pointers: false,
        };
        if whole.is_empty()? {
            return Ok(simple("false"));
        }
        if self.possible.is_subset(&whole)? {
            return Ok(simple("true"));
        }
        let usual = whole.intersect(&self.valid)?;
        let (target, context) = match usual.is_empty()? {
            true => (&whole, &self.possible),
            false => (&usual, &self.valid),
        };
        let direct = Form::Any(self.simplified(target, context)?);
        let said = self.said(&direct, &whole)?;
        if direct.cost() <= SHORT {
            return Ok(said);
        }
        // What it is not may be said more shortly. If it cannot be found out, all is well, too.
        let indirect = || {
            let rest = context.subtract(target)?.coalesce()?;
            if rest.disjuncts() > MOST {
                return Ok(said.clone());
            }
            let indirect = Form::None(self.simplified(&rest, context)?);
            match indirect.cost() < direct.cost().min(LONG) {
                true => self.said(&indirect, &whole),
                false => Ok(said.clone()),
            }
        };
        let shorter = indirect();
        Ok(shorter.unwrap_or(said))
    }

    /// In few alternatives, none of which follows a pointer that may be null or says what C cannot.
    fn simplified(&self, target: &Set, context: &Set) -> Result<Simplified> {
        let weight = |c: &Comparison| self.weight(c);
        let simplified = simplified(target, context, &weight)?;
        let said = sayable(simplified, &self.names, target, context, &weight)?;
        let guarded = self.guards.guarded(said, target, context)?;
        Ok(only_sayable(guarded, &self.names))
    }

    /// A form of the points in words, that has them all where pointers are valid, or wherever.
    fn said(&self, form: &Form, whole: &Set) -> Result<Condition> {
        let isl = whole.context();
        let dimensions = self.names.len();
        let (text, told, cut) = match form {
            Form::Any(Simplified { alternatives, cut }) => {
                let told = all_points(&isl, dimensions, alternatives)?;
                (self.any(alternatives, *cut)?, told, *cut)
            }
            Form::None(Simplified { alternatives, .. }) => {
                let others = all_points(&isl, dimensions, alternatives)?;
                let told = self.possible.subtract(&others)?;
                (self.none(alternatives)?, told, false)
            }
        };
        let told = told.intersect(&self.possible)?;
        let valid_pointers = match cut {
            // Something is missing in any case: is it only told of valid ones what is told?
            true => !told.is_subset(whole)?,
            false => !told.is_equal(whole)?,
        };
        Ok(Condition {
            text,
            exact: !cut,
            valid_pointers,
        })
    }

    fn weight(&self, comparison: &Comparison) -> u32 {
        let terms = comparison.sum.terms.keys();
        let of = |number: &Number| match number {
            Number::Input(at) => self.weights.get(*at).copied().unwrap_or(0),
            Number::Quotient(..) | Number::Remainder(..) => 8,
        };
        // Numbers near the end of a type are seldom what it is about.
        let is_large = comparison.sum.constant.unsigned_abs() > 1 << 30;
        terms.map(of).sum::<u32>() * 4 + u32::from(is_large) * 30
    }

    /// One of these holds. What they have in common is said once.
    fn any(&self, alternatives: &[Alternative], cut: bool) -> Result<String> {
        let (first, others) = match alternatives {
            [first, others @ ..] if !cut && !others.is_empty() => (first.as_slice(), others),
            _ => (&[][..], &[][..]),
        };
        let is_common = |c: &&Comparison| others.iter().all(|other| other.contains(c));
        let common: Alternative = first.iter().filter(is_common).cloned().collect();
        let mut texts = Vec::new();
        for alternative in alternatives {
            let own: Vec<&Comparison> =
                alternative.iter().filter(|c| !common.contains(c)).collect();
            let parts = self.written(own, alternative)?;
            let text = parts.join(" && ");
            texts.push(match (parts.len(), alternatives.len() + usize::from(cut)) {
                (0, _) => "true".to_string(),
                (1, 1) => bare(&text).to_string(),
                (_, 1) => text,
                _ if text.contains(" && ") => format!("({})", bare(&text)),
                _ => bare(&text).to_string(),
            });
        }
        if cut {
            texts.push("…".to_string());
        }
        let text = texts.join(" || ");
        if common.is_empty() {
            return Ok(text);
        }
        let common = self.written(common.iter().collect(), &common)?;
        Ok(format!("{} && ({text})", common.join(" && ")))
    }

    /// None of these holds: of each, something does not.
    fn none(&self, alternatives: &[Alternative]) -> Result<String> {
        let mut texts = Vec::new();
        for alternative in alternatives {
            let opposites: Option<Vec<Comparison>> =
                alternative.iter().map(Comparison::opposite).collect();
            let opposites = opposites.ok_or_else(sum::too_large)?;
            // It is read on its own: nothing else can be relied on.
            let parts = self.written(opposites.iter().collect(), &Vec::new())?;
            let part = |part: &String| match part.contains(" && ") {
                true => format!("({})", bare(part)),
                false => bare(part).to_string(),
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            let text = parts.join(" || ");
            texts.push(match (parts.len(), alternatives.len()) {
                (0, _) => "false".to_string(),
                (_, 1) => bare(&text).to_string(),
                _ if text.contains(" || ") => format!("({text})"),
                _ => bare(&text).to_string(),
            });
        }
        Ok(texts.join(" && "))
    }

    /// Comparisons where an alternative holds.
    fn written(&self, mut all: Vec<&Comparison>, within: &Alternative) -> Result<Vec<String>> {
        let isl = self.possible.context();
        // What a quotient or a remainder says is read with C's rounding, too: it is no reason for anything.
        let is_plain = |c: &Comparison| c.sum.terms.keys().all(|n| matches!(n, Number::Input(_)));
        let plain: Alternative = within.iter().filter(|c| is_plain(c)).cloned().collect();
        let points = points(&isl, self.names.len(), &plain)?.intersect(&self.possible)?;
        let is_natural = |sum: &Sum| {
            let holds = || {
                let natural = Comparison::at_least_zero(sum.clone());
                points.is_subset(&natural.set(&isl, self.names.len())?)
            };
            // What cannot be found out is not believed.
            holds().unwrap_or(false)
        };
        let writer = Writer {
            names: &self.names,
            is_natural: &is_natural,
        };
        all.sort_by_key(|c| self.order(c));
        Ok(all.iter().map(|c| writer.comparison(c)).collect())
    }

    /// The order in which a reader wants to hear it: whether a pointer is null before what is behind it, a lower bound before
    /// the upper one.
    fn order<'c>(&self, comparison: &'c Comparison) -> impl Ord + use<'c> {
        let sum = &comparison.sum;
        let first = sum.terms.iter().next();
        let is_upper = comparison.relation == Relation::AtLeast && first.is_some_and(|f| *f.1 < 0);
        let pointer = match first {
            Some((Number::Input(at), _)) => self.names.get(*at).map(|n| n.kind),
            _ => None,
        };
        (
            pointer != Some(Kind::Pointer),
            first.map(|f| f.0),
            sum.terms.len(),
            is_upper,
            comparison,
        )
    }
}

/// Without parentheses around all of it.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0;
    let closes_early = inner.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes_early { text } else { inner }
}

/// Up to here a condition is short enough as it is.
const SHORT: u32 = 2;

/// And from here on it is too long: the beginning of what it is tells more.
const LONG: u32 = 24;

/// How a set is told.
enum Form {
    /// By what it is: one of these alternatives.
    Any(Simplified),
    /// By what it is not: none of these.
    None(Simplified),
}

impl Form {
    /// How hard it is to read.
    fn cost(&self) -> u32 {
        let (Form::Any(simplified) | Form::None(simplified)) = self;
        let of = |comparison: &Comparison| {
            let is_large = comparison.sum.constant.unsigned_abs() > 1 << 30;
            match is_large && comparison.sum.terms.len() > 1 {
                true => 4,
                false => 1,
            }
        };
        let all = simplified.alternatives.iter().flatten();
        let cut = u32::from(simplified.cut) * 1000;
        // An alternative more is harder than a comparison more.
        let alternatives = simplified.alternatives.len() as u32;
        (all.map(of).sum::<u32>() + alternatives)
            .saturating_sub(1)
            .saturating_add(cut)
    }
}

#[cfg(test)]
mod tests;
