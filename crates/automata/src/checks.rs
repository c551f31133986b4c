//! What a state says about a check.

use crate::Automata;
use crate::frame::ObjectKind;
use crate::state::State;
use domain::arithmetic::apply;
use domain::{Bound, CellId, Gone, Number, ObjectId, Operator, Pointer, Targets};
use ir::{Callee, CheckId, Condition, EdgeId, ExprId, ExprKind, Family, Stmt};

/// The answer for all runs that a state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The condition holds.
    Holds,
    /// It may not hold, but nothing acknowledges a value for which it does not: what the callers
    /// do decides (design.md §6).
    Latent,
    /// It does not hold for a value that the code introduced or acknowledged.
    Fails,
}

impl Answer {
    fn of(may_fail: bool, seen: bool) -> Answer {
        match (may_fail, seen) {
            (false, _) => Answer::Holds,
            (true, false) => Answer::Latent,
            (true, true) => Answer::Fails,
        }
    }
}

impl Automata<'_> {
    /// Does the check hold here?
    pub fn answer(&mut self, st: &mut State, check: CheckId) -> Answer {
        match self.answer_by_evidence(st, check) {
            Answer::Latent if self.options.doubts => Answer::Fails,
            answer => answer,
        }
    }

    fn answer_by_evidence(&mut self, st: &mut State, check: CheckId) -> Answer {
        match self.frame.body.checks[check].condition {
            Condition::Holds(e) => {
                let truth = self.truth(st, e);
                Answer::of(truth.may_be_false, truth.false_seen)
            }
            Condition::Initialized(place) => match self.place_definition(st, place) {
                domain::Definition::Defined => Answer::Holds,
                def => Answer::of(true, def.is_evidence()),
            },
            Condition::InBounds { pointer, size } => self.in_bounds(st, pointer, size),
            Condition::Alive(e) => {
                let p = self.follow(st, e);
                self.alive(st, &p)
            }
            Condition::Freeable { pointer, family } => {
                let p = self.follow(st, pointer);
                self.freeable(&p, family)
            }
            Condition::Apart(a, b) => {
                let (a, b) = (self.pointer(st, a), self.pointer(st, b));
                self.apart(st, &a, &b)
            }
            Condition::Unreachable => Answer::of(true, st.forced),
        }
    }

    fn in_bounds(&mut self, st: &mut State, pointer: ExprId, size: ExprId) -> Answer {
        let p = self.follow(st, pointer);
        let size = self.number(st, size);
        let Targets::Known(objects) = &p.targets else {
            return Answer::Latent;
        };
        // Nothing lies at null; that it is null is for another check to say.
        let nothing = size.as_constant() == Some(0) || !p.null.may_be_null;
        let mut worst = if nothing {
            Answer::Holds
        } else {
            Answer::Latent
        };
        let end = end_of(&p, &size);
        for &object in objects {
            let Some(room) = self.room(st, object) else {
                worst = worst.max(Answer::Latent);
                continue;
            };
            // A negative size is a huge one.
            let may_fail = p.offset.low < 0 || end.high > room.low || size.low < 0;
            let negative = |n: &Number| n.acknowledged().is_some_and(|(least, _)| least < 0);
            let below = negative(&p.offset) || negative(&size);
            // A size that the program computes may be computed from the index: only a fixed one
            // can be held against it.
            let above = end
                .acknowledged()
                .zip(room.as_constant())
                .is_some_and(|(end, room)| end.1 > room && end.1 != domain::MOST);
            let certain = is_outside(&p, &size, &room);
            worst = worst.max(Answer::of(may_fail, below || above || certain));
        }
        worst
    }

    /// Bytes in an object, where that is known.
    pub(crate) fn room(&self, st: &State, object: ObjectId) -> Option<Number> {
        match self.frame.info(object).size {
            Some(s) => Some(Number::constant(i64::try_from(s).unwrap_or(i64::MAX))),
            None => st.bounds.get(CellId::size(object)).copied(),
        }
    }

    /// Is the access out of bounds whichever object it hits? Then nothing comes after it.
    fn surely_outside(&mut self, st: &mut State, pointer: ExprId, size: ExprId) -> bool {
        let p = self.follow(st, pointer);
        let size = self.number(st, size);
        let Targets::Known(objects) = &p.targets else {
            return false;
        };
        let outside = |o: &ObjectId| {
            let room = self.room(st, *o);
            room.is_some_and(|room| is_outside(&p, &size, &room))
        };
        // Nothing at null is in bounds, either.
        let null_is_fine = p.null.may_be_null && size.low <= 0;
        !objects.is_empty() && !null_is_fine && objects.iter().all(outside)
    }

    fn alive(&mut self, st: &State, p: &Pointer) -> Answer {
        let Targets::Known(objects) = &p.targets else {
            return Answer::Latent;
        };
        let mut worst = Answer::Holds;
        for &object in objects {
            let answer = match (st.lifetimes.get(object), self.frame.info(object).kind) {
                (Some(Gone::Surely | Gone::Possibly), _) => Answer::Fails,
                (Some(Gone::Unseen), _) | (None, ObjectKind::Pointee(_)) => Answer::Latent,
                (None, ObjectKind::Allocated(_)) if st.escaped.get(object).is_some() => {
                    Answer::Latent
                }
                (None, _) => Answer::Holds,
            };
            worst = worst.max(answer);
        }
        worst
    }

    /// That a pointer can lead into the object is known from the code that made it so. What an unknown pointer leads to can be
    /// whatever others know of.
    fn apart(&self, st: &State, a: &Pointer, b: &Pointer) -> Answer {
        let (Targets::Known(ones), Targets::Known(others)) = (&a.targets, &b.targets) else {
            return Answer::Latent;
        };
        let unknown = |o: ObjectId| matches!(self.frame.info(o).kind, ObjectKind::Pointee(_));
        let open = |o: ObjectId| self.frame.is_shared(o) || st.escaped.get(o).is_some();
        let mut worst = Answer::Holds;
        for &one in ones {
            for &other in others {
                let may_be_one = unknown(one) && open(other) || unknown(other) && open(one);
                worst = worst.max(match one == other {
                    true => Answer::Fails,
                    false => Answer::of(may_be_one, false),
                });
            }
        }
        worst
    }

    /// What is no block of the family is known for what it is by its address having been taken, or by the call that gave
    /// it: that the pointer can be it is evidence.
    fn freeable(&self, p: &Pointer, family: Family) -> Answer {
        let Targets::Known(objects) = &p.targets else {
            return Answer::Latent;
        };
        let at_start = p.offset.as_constant() == Some(0);
        let behind = p.offset.acknowledged();
        let elsewhere = behind.is_some_and(|(least, greatest)| least != 0 || greatest != 0)
            || !p.offset.contains(0);
        let mut worst = Answer::Holds;
        for &object in objects {
            let answer = match self.frame.info(object).kind {
                ObjectKind::Var(_) | ObjectKind::Global(_) | ObjectKind::Function(_) => {
                    Answer::Fails
                }
                ObjectKind::Allocated(edge) => match self.family(edge) == Some(family) {
                    true => Answer::of(!at_start, elsewhere),
                    false => Answer::Fails,
                },
                ObjectKind::Pointee(_) => Answer::Latent,
            };
            worst = worst.max(answer);
        }
        worst
    }

    /// Who gave what is allocated on this edge; none if it goes by itself.
    fn family(&self, edge: EdgeId) -> Option<Family> {
        let body = self.frame.body;
        let Stmt::Call(call) = &body.edges().get(edge)?.stmt else {
            return None;
        };
        let callee = match call.callee {
            Callee::Direct(f) => Some(f),
            Callee::Indirect(_) => self.context.stands_for(body, call),
        };
        let name = callee.map(|f| self.context.program.function_name(f));
        Some(name.and_then(Family::given_by).unwrap_or(Family::Malloc))
    }

    /// Surely no block of the family?
    fn never_freeable(&self, p: &Pointer, family: Family) -> bool {
        let Targets::Known(objects) = &p.targets else {
            return false;
        };
        let wrong = |object: &ObjectId| match self.frame.info(*object).kind {
            ObjectKind::Var(_) | ObjectKind::Global(_) | ObjectKind::Function(_) => true,
            ObjectKind::Allocated(edge) => {
                self.family(edge) != Some(family) || !p.offset.contains(0)
            }
            ObjectKind::Pointee(_) => false,
        };
        !p.null.may_be_null && !objects.is_empty() && objects.iter().all(wrong)
    }

    /// Goes on with the runs in which the check holds; false if there are none.
    pub fn pass(&mut self, st: &mut State, check: CheckId) -> bool {
        match self.frame.body.checks[check].condition {
            Condition::Holds(e) => self.hold(st, e),
            Condition::Initialized(place) => {
                if !st.definedness.is_empty()
                    && let Some(cell) = self.cell_at(st, place)
                {
                    let surely = st.definedness.value(cell) == domain::Definition::Undefined;
                    st.definedness.set(cell, domain::Definition::Defined);
                    let (body, types) = (self.frame.body, &self.context.program.types);
                    let condition = &body.checks[check].condition;
                    return !surely || condition.asks_for_character(body, types).is_some();
                }
                true
            }
            Condition::InBounds { pointer, size } => {
                if self.surely_outside(st, pointer, size) {
                    return false;
                }
                self.stay_inside(st, pointer, size);
                true
            }
            Condition::Alive(e) => {
                let p = self.follow(st, e);
                if let Some(object) = p.targets.single() {
                    if st.lifetimes.get(object) == Some(&Gone::Surely) {
                        return false;
                    }
                    st.lifetimes.remove(object);
                }
                true
            }
            Condition::Freeable { pointer, family } => {
                let p = self.follow(st, pointer);
                !self.never_freeable(&p, family)
            }
            Condition::Apart(a, b) => {
                let (a, b) = (self.pointer(st, a), self.pointer(st, b));
                !surely_together(&a, &b)
            }
            Condition::Unreachable => false,
        }
    }

    /// Goes on with the runs in which the check does not hold; false if there are none. What a state cannot say of
    /// them it does not say.
    pub fn fail(&mut self, st: &mut State, check: CheckId) -> bool {
        match self.frame.body.checks[check].condition {
            Condition::Holds(e) => {
                self.quiet = true;
                let possible = self.assume(st, e, false);
                self.quiet = false;
                return possible;
            }
            Condition::Initialized(place) => {
                if self.place_definition(st, place) != domain::Definition::Defined
                    && let Some(cell) = self.cell_at(st, place)
                {
                    st.definedness.set(cell, domain::Definition::Undefined);
                }
            }
            Condition::Alive(e) => {
                let p = self.follow(st, e);
                if self.alive(st, &p) != Answer::Holds
                    && let Some(object) = p.targets.single()
                {
                    st.end_lifetime(object, Gone::Surely);
                }
            }
            Condition::InBounds { .. }
            | Condition::Freeable { .. }
            | Condition::Apart(..)
            | Condition::Unreachable => {}
        }
        self.answer_by_evidence(st, check) != Answer::Holds
    }

    /// Does the check hold in all runs that the state stands for, or in none of them?
    pub fn decided(&mut self, st: &mut State, check: CheckId) -> Option<bool> {
        if self.answer_by_evidence(st, check) == Answer::Holds {
            return Some(true);
        }
        let fails = match self.frame.body.checks[check].condition {
            Condition::Holds(e) => !self.truth(st, e).may_be_true,
            Condition::Initialized(place) => {
                self.place_definition(st, place) == domain::Definition::Undefined
            }
            Condition::InBounds { pointer, size } => self.surely_outside(st, pointer, size),
            Condition::Alive(e) => {
                let p = self.follow(st, e);
                let object = p.targets.single();
                object.is_some_and(|o| st.lifetimes.get(o) == Some(&Gone::Surely))
            }
            Condition::Freeable { pointer, family } => {
                let p = self.follow(st, pointer);
                self.never_freeable(&p, family)
            }
            Condition::Apart(a, b) => {
                let (a, b) = (self.pointer(st, a), self.pointer(st, b));
                surely_together(&a, &b)
            }
            Condition::Unreachable => true,
        };
        fails.then_some(false)
    }

    /// A condition that was checked is no test: it acknowledges nothing.
    pub(crate) fn hold(&mut self, st: &mut State, e: ExprId) -> bool {
        self.quiet = true;
        let possible = self.assume(st, e, true);
        self.quiet = false;
        possible
    }

    /// After an access at `a + i`, `i` is one that fits: the bound is the object's, not the code's.
    fn stay_inside(&mut self, st: &mut State, pointer: ExprId, size: ExprId) {
        let ExprKind::Load(place) = self.frame.body.exprs[pointer].kind else {
            return;
        };
        let (Some(cell), Some(size)) =
            (self.cell_at(st, place), self.number(st, size).as_constant())
        else {
            return;
        };
        let Some(p) = st.pointers.lookup(cell).cloned() else {
            return;
        };
        let Some(room) = p.targets.single().and_then(|o| self.frame.info(o).size) else {
            return;
        };
        let bound = |value| Bound {
            value,
            acknowledged: false,
        };
        let last = i64::try_from(room).unwrap_or(i64::MAX).saturating_sub(size);
        if let Some(offset) = p.offset.restrict(bound(0), bound(last)) {
            st.pointers.set(cell, Pointer { offset, ..p });
        }
    }
}

/// Do both surely lead into one object?
fn surely_together(a: &Pointer, b: &Pointer) -> bool {
    let valid = !a.null.may_be_null && !b.null.may_be_null;
    valid && a.targets.single().is_some() && a.targets.single() == b.targets.single()
}

/// Where an access ends.
fn end_of(p: &Pointer, size: &Number) -> Number {
    apply(Operator::Add, &p.offset, size, crate::memory::OFFSET, false)
}

/// Does no access of this size fit in an object of this size?
fn is_outside(p: &Pointer, size: &Number, room: &Number) -> bool {
    p.offset.high < 0 || end_of(p, size).low > room.high || size.high < 0
}

impl PartialOrd for Answer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Answer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (*self as u8).cmp(&(*other as u8))
    }
}
