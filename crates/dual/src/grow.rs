//! What grows until it comes to rest: what is known at the head of a loop, turn by turn, and what is known of a recursive
//! function, round by round (dual.txt §2.2).
//!
//! Paths that came together are kept as a template, which says what memory holds, and pieces, which say what numbers its
//! symbols are: at most `m` of them. It grows in small steps first. After some it is *widened*: what did not hold twice is
//! given up, so that it cannot grow for ever. One more turn from there says what is true of that (*narrowing*).

mod orders;
mod state;
mod within;

use crate::execute::Limits;
use crate::facts::{Facts, Range};
use crate::hull::hull;
use crate::input::Symbols;
use crate::linear::Symbol;
use crate::merge::{Chosen, Template};
use crate::path::Path;
use crate::ranges::{self, ends};
use crate::shape::{Frame, within};
use isl::{Bound, Constraint, Context, Dim, Piece, Result, Set};
pub use state::fewer;
use state::{State, nearest};
use std::collections::{BTreeMap, BTreeSet};
use within::is_within;

/// What is known, as a union.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    template: Option<Template>,
    frame: Frame,
    /// What is known of symbols that the pieces are not about.
    rest: Vec<(Symbol, Range)>,
    /// Those that stay as they are come first.
    pieces: Vec<Piece>,
    fixed: usize,
}

/// What all steps need.
pub struct Ground<'a> {
    pub context: &'a Context,
    pub symbols: &'a mut Symbols,
    pub limits: Limits,
    /// What grows does so for inputs that stay as they are: turns of a loop, not activations of a function.
    pub same_inputs: bool,
}

impl Growing {
    /// With more paths.
    pub fn with(&self, ground: &mut Ground<'_>, paths: &[Path]) -> Result<Growing> {
        if paths.is_empty() {
            return Ok(self.clone());
        }
        if let Some(grown) = self.with_alike(ground, paths)? {
            return Ok(grown);
        }
        let mut all = self.paths(ground.symbols)?;
        all.extend(paths.iter().cloned());
        let mut template = self.template.clone();
        for path in &all {
            match &mut template {
                Some(template) => template.include(ground.symbols, path),
                None => template = Some(Template::of(path)),
            }
        }
        let Some(template) = template else {
            return Ok(Growing::default());
        };
        let mut symbols = template.symbols();
        symbols.extend(ground.symbols.inputs().map(|(_, s, _)| s));
        let facts: Vec<Facts> = all
            .iter()
            .map(|path| template.facts(ground.symbols, path))
            .collect();
        // A frame only grows: what mattered once goes on to.
        let Chosen { frame, rest } = Chosen::of(symbols, self.frame.symbols(), &facts);
        let mut grown = Growing {
            pieces: Vec::new(),
            frame,
            rest,
            template: Some(template),
            fixed: 0,
        };
        for (at, facts) in facts.iter().enumerate() {
            if grown.add(facts, ground)? {
                grown.fixed += usize::from(at < self.fixed);
            }
        }
        Ok(grown)
    }

    /// One more piece, unless all of it was there before, as of most that comes back. Was it not?
    fn add(&mut self, facts: &Facts, ground: &Ground<'_>) -> Result<bool> {
        let mut piece = match ground.limits.relations {
            true => self.frame.piece(ground.context, facts)?,
            false => match self.frame.ranges(facts) {
                Some(ranges) => self.frame.boxed(ground.context, &ranges)?,
                None => return Ok(false),
            },
        };
        if !ground.same_inputs && ground.limits.relations {
            let orders = self.orders(std::slice::from_ref(&piece), ground)?;
            piece = piece.to_set()?.constrain(&orders)?.simple_hull()?;
        }
        let is_new = !is_within(&piece, &self.pieces)?;
        self.pieces.extend(is_new.then_some(piece));
        Ok(is_new)
    }

    /// The same, if the new paths speak of nothing that was not spoken of before: then what is there stays as it is, and
    /// nothing has to be computed of it again. That is so in most turns of a loop. None if they do.
    fn with_alike(&self, ground: &mut Ground<'_>, paths: &[Path]) -> Result<Option<Growing>> {
        let Some(template) = &self.template else {
            return Ok(None);
        };
        let mut wider = template.clone();
        for path in paths {
            wider.include(ground.symbols, path);
        }
        if wider != *template {
            return Ok(None);
        }
        let mut symbols = template.symbols();
        symbols.extend(ground.symbols.inputs().map(|(_, s, _)| s));
        // What all pieces know of what they are not about.
        let mut facts = vec![Facts::default()];
        for (symbol, range) in &self.rest {
            facts[0].within(*symbol, *range);
        }
        for (_, symbol, range) in ground.symbols.inputs() {
            facts[0].within(symbol, range);
        }
        let new = paths.iter();
        facts.extend(new.map(|path| template.facts(ground.symbols, path)));
        let Chosen { frame, rest } = Chosen::of(symbols, self.frame.symbols(), &facts);
        if frame != self.frame {
            return Ok(None);
        }
        let mut grown = Growing {
            rest,
            ..self.clone()
        };
        for facts in &facts[1..] {
            grown.add(facts, ground)?;
        }
        Ok(Some(grown))
    }

    /// What is in it now will not grow: it is where a loop is entered.
    pub fn settled(self, ground: &Ground<'_>) -> Result<Growing> {
        let mut settled = self.fewer(ground)?;
        settled.fixed = settled.pieces.len();
        Ok(settled)
    }

    /// The same template, and nothing in it.
    pub fn emptied(&self) -> Growing {
        Growing {
            template: self.template.clone(),
            frame: self.frame.clone(),
            ..Growing::default()
        }
    }

    /// One path for each piece.
    pub fn paths(&self, symbols: &mut Symbols) -> Result<Vec<Path>> {
        self.paths_of(&self.pieces, symbols)
    }

    /// One path for each piece that is not where a loop is entered.
    pub fn growing(&self, symbols: &mut Symbols) -> Result<Vec<Path>> {
        self.paths_of(&self.pieces[self.fixed..], symbols)
    }

    fn paths_of(&self, pieces: &[Piece], symbols: &mut Symbols) -> Result<Vec<Path>> {
        let Some(template) = &self.template else {
            return Ok(Vec::new());
        };
        let each = pieces.iter().map(|piece| {
            let mut path = template.path(&self.frame, piece, symbols)?;
            Chosen::complete(&self.rest, &mut path);
            Ok(path)
        });
        each.collect()
    }

    /// Is there nothing in it that was not there before?
    pub fn is_rest(&self, before: &Growing) -> Result<bool> {
        if self.pieces.is_empty() {
            return Ok(true);
        }
        if !self.is_like(before) {
            return Ok(false);
        }
        for piece in &self.pieces {
            if !is_within(piece, &before.pieces)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Do both speak of the same?
    fn is_like(&self, other: &Growing) -> bool {
        self.frame == other.frame && self.rest == other.rest && self.template == other.template
    }

    /// With no more pieces than are allowed.
    fn fewer(mut self, ground: &Ground<'_>) -> Result<Growing> {
        let flags = self.frame.flags(ground.symbols);
        if self.pieces.len() - self.fixed <= ground.limits.disjuncts {
            return Ok(self);
        }
        while self.pieces.len() - self.fixed > ground.limits.disjuncts {
            let growing: Vec<&Piece> = self.pieces[self.fixed..].iter().collect();
            let (a, b, differ) = nearest(&growing, &self.states(&growing, &flags, ground)?)?;
            if differ && self.pieces.len() - self.fixed <= 2 * ground.limits.disjuncts {
                break;
            }
            let (a, b) = (a + self.fixed, b + self.fixed);
            let second = self.pieces.remove(b);
            self.pieces[a] = self.around(&[&self.pieces[a], &second], ground)?;
        }
        Ok(self)
    }

    /// For the next turn: in small steps first, then in great ones. In between, what is new becomes one with what was there:
    /// only then is a relation known that holds of both, and can widening keep it.
    pub fn next(self, old: &Growing, ground: &Ground<'_>, turn: usize) -> Result<Growing> {
        if turn <= ground.limits.turns {
            return self.fewer(ground);
        }
        let gently = turn <= ground.limits.turns + 1;
        self.widened(old, ground, gently)
    }

    /// Grown in great steps. What grows is one piece from then on for each [`State`]: of several nobody could say which became
    /// which.
    fn widened(self, old: &Growing, ground: &Ground<'_>, gently: bool) -> Result<Growing> {
        if !self.is_like(old) || self.fixed != old.fixed {
            return self.fewer(ground);
        }
        let fixed = &old.pieces[..old.fixed];
        let (mut before, mut now) = (Groups::new(), Groups::new());
        let flags = self.frame.flags(ground.symbols);
        let grown = |all: &'_ Growing| all.pieces[all.fixed..].len();
        let both: Vec<&Piece> = old.pieces[old.fixed..]
            .iter()
            .chain(&self.pieces[self.fixed..])
            .collect();
        let states = self.states(&both, &flags, ground)?;
        for (at, (piece, state)) in both.iter().zip(states).enumerate() {
            let groups = if at < grown(old) {
                &mut before
            } else {
                &mut now
            };
            groups.entry(state).or_default().push((*piece).clone());
        }
        let states: BTreeSet<_> = before.keys().chain(now.keys()).cloned().collect();
        if states.len() > 2 * ground.limits.disjuncts {
            for groups in [&mut before, &mut now] {
                let all = std::mem::take(groups).into_values().flatten().collect();
                groups.insert(State::default(), all);
            }
        }
        let mut pieces = fixed.to_vec();
        let states: BTreeSet<_> = before.keys().chain(now.keys()).cloned().collect();
        for state in states {
            let mut before = before.remove(&state).unwrap_or_default();
            let now = self.one(&now.remove(&state).unwrap_or_default(), ground)?;
            // Paths that met on the way brought what is fixed along: that is no growth.
            if let (Some(now), false) = (&now, before.is_empty()) {
                for piece in fixed {
                    if is_within(piece, std::slice::from_ref(now))? {
                        before.push(piece.clone());
                    }
                }
            }
            pieces.extend(match (self.one(&before, ground)?, now) {
                (Some(before), Some(now)) => {
                    let both = self.around(&[&before, &now], ground)?;
                    Some(match gently {
                        true => both,
                        false => self.up_to_landmarks(before.widen(&both)?, &both, ground)?,
                    })
                }
                (before, now) => now.or(before),
            });
        }
        Ok(Growing { pieces, ..self })
    }

    /// The pieces as one.
    fn one(&self, pieces: &[Piece], ground: &Ground<'_>) -> Result<Option<Piece>> {
        match pieces {
            [] => return Ok(None),
            [one] => return Ok(Some(one.clone())),
            _ => {}
        }
        let all: Vec<&Piece> = pieces.iter().collect();
        self.around(&all, ground).map(Some)
    }

    /// The dimensions of what varies.
    fn varying(&self) -> BTreeSet<usize> {
        let symbols = self.frame.symbols();
        let names = self.template.iter().flat_map(Template::names);
        names
            .filter_map(|s| symbols.binary_search(&s).ok())
            .collect()
    }

    /// Is nothing in it?
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The hull of several, and the ends of what varies, which it may have left aside.
    fn around(&self, pieces: &[&Piece], ground: &Ground<'_>) -> Result<Piece> {
        if !ground.limits.relations {
            let boxes = pieces.iter().map(|piece| ends(piece));
            let boxes: Vec<Option<Vec<Range>>> = boxes.collect::<Result<_>>()?;
            if let Some(boxes) = boxes.into_iter().collect::<Option<Vec<_>>>() {
                return self.frame.boxed(ground.context, &ranges::around(&boxes));
            }
        }
        let none = Set::empty(ground.context, self.frame.len())?;
        let mut all = pieces.iter();
        let union = &all.try_fold(none, |all, piece| all.union(&piece.to_set()?))?;
        if !ground.limits.relations {
            let ends = ends_of(union, 0..self.frame.len())?;
            return Piece::from_constraints(ground.context, self.frame.len(), &ends);
        }
        let hull = hull(union, &self.frame.flags(ground.symbols))?;
        // From round to round halves are rounded: a hull sees only fractions of which number is the larger one.
        let mut ends = match ground.same_inputs {
            true => Vec::new(),
            false => self.orders(&union.pieces()?, ground)?,
        };
        ends.extend(ends_of(union, self.varying())?);
        hull.to_set()?.constrain(&ends)?.simple_hull()
    }

    /// What another turn from here leaves of it: `again` is where the loop is entered, and what comes back.
    pub fn narrowed(self, again: Growing, ground: &Ground<'_>) -> Result<Growing> {
        if !again.is_like(&self) {
            return Ok(self);
        }
        let mut again = again.fewer(ground)?;
        // A hull of several may be more than what was there before.
        if let [one] = &self.pieces[self.fixed..] {
            for piece in &mut again.pieces[again.fixed..] {
                let both = piece.to_set()?.intersect(&one.to_set()?)?;
                *piece = both.simple_hull()?;
            }
        }
        Ok(again)
    }
}

/// Pieces by their state.
type Groups = BTreeMap<State, Vec<Piece>>;

/// Between which ends these dimensions are.
fn ends_of(union: &Set, dimensions: impl IntoIterator<Item = usize>) -> Result<Vec<Constraint>> {
    let value = |bound: Bound| match bound {
        Bound::Value(n) => Some(n),
        Bound::Empty | Bound::Unbounded => None,
    };
    let mut ends = Vec::new();
    for at in dimensions {
        let range = Range {
            least: value(union.minimum(at)?),
            most: value(union.maximum(at)?),
        };
        ends.extend(within(Dim::At(at), range));
    }
    Ok(ends)
}
