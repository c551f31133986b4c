//! What grows until it comes to rest: what is known at the head of a loop, turn by turn, and what is known of a recursive
//! function, round by round (dual.txt §2.2).
//!
//! Paths that came together are kept as a template, which says what memory holds, and pieces, which say what numbers its
//! symbols are: at most `m` of them. It grows in small steps first. After some it is *widened*: what did not hold twice is
//! given up, so that it cannot grow for ever. One more turn from there says what is true of that (*narrowing*).

use crate::execute::Limits;
use crate::facts::{Facts, Range};
use crate::hull::hull;
use crate::input::Symbols;
use crate::linear::Symbol;
use crate::merge::{Chosen, Template};
use crate::path::Path;
use crate::shape::Frame;
use isl::{Bound, Constraint, Context, Dim, Piece, Result, Set};

/// What is known, as a union.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    template: Option<Template>,
    frame: Frame,
    /// What is known of symbols that the pieces are not about.
    rest: Vec<(Symbol, Range)>,
    pieces: Vec<Piece>,
}

/// What all steps need.
pub struct Ground<'a> {
    pub context: &'a Context,
    pub symbols: &'a mut Symbols,
    pub limits: Limits,
}

impl Ground<'_> {
    fn union<'p>(&self, frame: &Frame, pieces: impl IntoIterator<Item = &'p Piece>) -> Result<Set> {
        let none = Set::empty(self.context, frame.len())?;
        let mut pieces = pieces.into_iter();
        pieces.try_fold(none, |all, piece| all.union(&piece.to_set()?))
    }
}

/// Widening, as of Cousot and Halbwachs: the constraints of the old that the new satisfies. Bounds of single dimensions
/// count among them also where they only follow from others.
fn widened(old: &Piece, new: &Piece) -> Result<Piece> {
    let wide = old.widen(new)?;
    let (before, after) = (old.to_set()?, new.to_set()?);
    let mut bounds = Vec::new();
    for at in 0..old.dimensions() {
        if let Bound::Value(n) = before.minimum(at)?
            && after.minimum(at)? == Bound::Value(n)
        {
            bounds.push(Constraint::at_least_zero([(Dim::At(at), 1)], -n));
        }
        if let Bound::Value(n) = before.maximum(at)?
            && after.maximum(at)? == Bound::Value(n)
        {
            bounds.push(Constraint::at_least_zero([(Dim::At(at), -1)], n));
        }
    }
    hull(&wide.to_set()?.constrain(&bounds)?)
}

impl Growing {
    /// With more paths.
    pub fn with(&self, ground: &mut Ground<'_>, paths: &[Path]) -> Result<Growing> {
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
        let mut pieces: Vec<Piece> = Vec::new();
        let mut union = Set::empty(ground.context, frame.len())?;
        for facts in &facts {
            let piece = frame.piece(ground.context, facts)?;
            let set = piece.to_set()?;
            // Most of what comes back was there before.
            if !set.is_subset(&union)? {
                union = union.union(&set)?;
                pieces.push(piece);
            }
        }
        Ok(Growing {
            pieces,
            frame,
            rest,
            template: Some(template),
        })
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
        let Some(template) = &self.template else {
            return Ok(Vec::new());
        };
        let each = self.pieces.iter().map(|piece| {
            let mut path = template.path(&self.frame, piece, symbols)?;
            Chosen::complete(&self.rest, &mut path);
            Ok(path)
        });
        each.collect()
    }

    /// Is there nothing in it that was not there before?
    pub fn is_rest(&self, before: &Growing, ground: &Ground<'_>) -> Result<bool> {
        if self.pieces.is_empty() {
            return Ok(true);
        }
        let same = self.is_like(before);
        Ok(same && {
            let all = ground.union(&before.frame, &before.pieces)?;
            ground.union(&self.frame, &self.pieces)?.is_subset(&all)?
        })
    }

    /// Do both speak of the same?
    fn is_like(&self, other: &Growing) -> bool {
        self.frame == other.frame && self.rest == other.rest && self.template == other.template
    }

    /// With no more pieces than are allowed.
    fn fewer(mut self, ground: &Ground<'_>) -> Result<Growing> {
        while self.pieces.len() > ground.limits.disjuncts {
            let (a, b) = nearest(&self.pieces)?;
            let second = self.pieces.remove(b);
            let both = hull(&self.pieces[a].to_set()?.union(&second.to_set()?)?)?;
            self.pieces[a] = both;
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

    /// Grown in great steps.
    fn widened(self, old: &Growing, ground: &Ground<'_>, gently: bool) -> Result<Growing> {
        let grown = self.fewer(ground)?;
        if !grown.is_like(old) {
            return Ok(grown);
        }
        let mut pieces = old.pieces.clone();
        for piece in &grown.pieces {
            let set = piece.to_set()?;
            if set.is_subset(&ground.union(&grown.frame, &pieces)?)? {
                continue;
            }
            // The one that is most like it takes what is new.
            let mut best: Option<(usize, usize)> = None;
            for (at, other) in pieces.iter().enumerate() {
                let differ = differences(other, piece)?;
                if best.is_none_or(|(least, _)| differ <= least) {
                    best = Some((differ, at));
                }
            }
            match best {
                Some((_, at)) => {
                    let both = hull(&pieces[at].to_set()?.union(&set)?)?;
                    pieces[at] = match gently {
                        true => both,
                        false => widened(&pieces[at], &both)?,
                    };
                }
                None => pieces.push(piece.clone()),
            }
        }
        Ok(Growing { pieces, ..grown })
    }

    /// What both say.
    pub fn narrowed(self, again: &Growing, ground: &Ground<'_>) -> Result<Growing> {
        if !again.is_like(&self) {
            return Ok(self);
        }
        let now = ground.union(&self.frame, &self.pieces)?;
        let both = now.intersect(&ground.union(&again.frame, &again.pieces)?)?;
        let both = both.coalesce()?;
        match both.disjuncts() <= ground.limits.disjuncts {
            true => Ok(Growing {
                pieces: both.pieces()?,
                ..self
            }),
            false => Ok(self),
        }
    }
}

/// The two pieces of which most is left when they are one.
fn nearest(pieces: &[Piece]) -> Result<(usize, usize)> {
    let mut best = (0, 1, usize::MAX);
    for b in 1..pieces.len() {
        for a in 0..b {
            let differ = differences(&pieces[a], &pieces[b])?;
            // Of several the last ones: they are of the same loop's last turns.
            if differ <= best.2 {
                best = (a, b, differ);
            }
        }
    }
    Ok((best.0, best.1))
}

/// How many constraints only one of them has.
fn differences(a: &Piece, b: &Piece) -> Result<usize> {
    let (a, b) = (a.constraints()?, b.constraints()?);
    let only = |a: &[Constraint], b: &[Constraint]| a.iter().filter(|c| !b.contains(c)).count();
    Ok(only(&a, &b) + only(&b, &a))
}
