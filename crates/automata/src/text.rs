//! Strings: where the first character of an object is that is zero.
//!
//! How long a string is depends on all of its characters, and cells know a few of them. So two numbers go with an
//! object, in cells of their own ([`CellId::first_zero`], [`CellId::last_zero`]): the position of its first zero, whose
//! lower bound says that everything before is not zero; and the position of some zero, the last that is known of.
//! `memset(p, 'A', 99)` moves the former to 99 at least, `p[99] = 0` says that it is 99. They are numbers like all others: they
//! meet, widen, and know what the program has introduced; so `strlen(p) + 1` is evidence exactly where the characters are.
//!
//! Characters are bytes, or wide ones of four. Only bodies that measure strings ([`crate::models::Gives::Characters`]) pay for it.

use crate::Automata;
use crate::context::Context;
use crate::frame::{ObjectKind, Shape};
use crate::memory::OFFSET;
use crate::models::{Gives, LONGEST_OBJECT, Leaves, Left, model};
use crate::state::State;
use crate::value::Value;
use domain::arithmetic::apply;
use domain::{Bound, CellId, LEAST, MOST, Number, ObjectId, Operator, Pointer, Targets};
use ir::{Body, Callee, Function, Program, Stmt};

/// How wide the characters of a string are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Byte,
    /// `wchar_t`.
    Wide,
}

impl Unit {
    pub fn of(wide: bool) -> Unit {
        match wide {
            true => Unit::Wide,
            false => Unit::Byte,
        }
    }

    /// In bytes.
    pub fn bytes(self) -> i64 {
        match self {
            Unit::Byte => 1,
            Unit::Wide => 4,
        }
    }

    fn first_zero(self, object: ObjectId) -> CellId {
        CellId::first_zero(object, self == Unit::Wide)
    }

    fn last_zero(self, object: ObjectId) -> CellId {
        CellId::last_zero(object, self == Unit::Wide)
    }
}

/// The characters that are written to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Zero,
    NonZero,
    Anything,
}

/// The units in which a body measures strings.
pub(crate) fn measured(context: &Context<'_>, body: &Body) -> Vec<Unit> {
    let mut units = Vec::new();
    for edge in body.edges().values() {
        if let Stmt::Call(call) = &edge.stmt
            && let Callee::Direct(f) = call.callee
            && let Some(unit) = context.measures(f)
            && !units.contains(&unit)
        {
            units.push(unit);
        }
    }
    units
}

/// By function: in which unit it measures a string, if it does.
pub(crate) fn measuring(program: &Program) -> Vec<Option<Unit>> {
    let unit = |f: &Function| match (&f.body, model(program.name(f.name))?.gives) {
        (None, Gives::Characters(_, unit)) => Some(unit),
        _ => None,
    };
    program.functions.values().map(unit).collect()
}

/// What a string function leaves at its first argument, found before it writes.
pub(crate) struct TextLeft {
    object: ObjectId,
    unit: Unit,
    /// Where its first zero is then, and whether that is sure.
    zero: Number,
    sure: bool,
}

/// From the least to the greatest position, whoever says so.
fn plain(n: &Number) -> Number {
    n.without_evidence()
}

fn sum(a: &Number, b: &Number) -> Number {
    apply(Operator::Add, a, b, OFFSET, false)
}

fn difference(a: &Number, b: &Number) -> Number {
    apply(Operator::Sub, a, b, OFFSET, false)
}

/// What an object says of which nothing is known.
fn nowhere() -> Number {
    Number::range(0, MOST)
}

impl Automata<'_> {
    /// Where the first zero of an object is, in bytes.
    fn first_zero(&self, st: &State, object: ObjectId, unit: Unit) -> Number {
        if let Some(n) = st.bounds.get(unit.first_zero(object)) {
            return *n;
        }
        self.constant_text(object, unit).unwrap_or_else(nowhere)
    }

    /// The same of a string literal, or another constant.
    fn constant_text(&self, object: ObjectId, unit: Unit) -> Option<Number> {
        let ObjectKind::Global(g) = self.frame.info(object).kind else {
            return None;
        };
        let global = self.frame.program.globals.get(g)?;
        let init = global.init.as_ref().filter(|_| global.constant)?;
        if !init.unknown.is_empty() || !init.relocations.is_empty() {
            return None;
        }
        let size = self.frame.info(object).size?;
        let width = unit.bytes() as usize;
        let zero = (init.bytes.chunks(width)).position(|c| c.iter().all(|b| *b == 0));
        let at = zero
            .unwrap_or(init.bytes.len().div_ceil(width))
            .saturating_mul(width) as u64;
        let at = i64::try_from(at.min(size)).ok()?;
        // An array without room for the zero.
        match zero.is_none() && at as u64 >= size {
            true => Some(Number::range(at, MOST)),
            false => Some(Number::constant(at)),
        }
    }

    /// How many characters there are from a pointer to the next zero, or to the end of the object.
    pub(crate) fn characters(&self, st: &State, pointer: &Pointer, unit: Unit) -> Number {
        let any = Number::range(0, LONGEST_OBJECT);
        let Targets::Known(objects) = &pointer.targets else {
            return any;
        };
        let lengths = objects.iter().map(|object| {
            let zero = self.first_zero(st, *object, unit);
            let offset = &pointer.offset;
            let behind = offset.low >= 0 && offset.high <= zero.low && offset.low != LEAST;
            let length = match behind {
                true => difference(&zero, offset),
                false => nowhere(),
            };
            let room = self.room(st, *object);
            let most = room.and_then(|room| room.high.checked_sub(offset.low));
            let most = most.unwrap_or(MOST).clamp(0, LONGEST_OBJECT);
            if length.low >= most {
                return Number::constant(most);
            }
            let bound = |value| Bound {
                value,
                acknowledged: false,
            };
            let cut = length.restrict(bound(0), bound(most));
            cut.unwrap_or(Number::range(0, most))
        });
        let Some(bytes) = lengths.reduce(|a, b| a.join(&b)) else {
            return any;
        };
        match unit {
            Unit::Byte => bytes,
            Unit::Wide => apply(
                Operator::Div,
                &bytes,
                &Number::constant(unit.bytes()),
                OFFSET,
                false,
            ),
        }
    }

    /// Characters of a region were written, from one byte up to another.
    pub(crate) fn write_text(
        &self,
        st: &mut State,
        object: ObjectId,
        (start, end): (u64, u64),
        what: impl Fn(Unit) -> Written,
    ) {
        if self.units.is_empty() || self.frame.info(object).whole.is_some() {
            return;
        }
        let position = |at: u64| i64::try_from(at).unwrap_or(MOST);
        for &unit in &self.units {
            let width = unit.bytes();
            let (mut start, mut end) = (position(start), position(end));
            let mut what = what(unit);
            if start % width != 0 || end != MOST && end % width != 0 {
                what = Written::Anything;
            }
            start -= start % width;
            end = end.saturating_add((width - end % width) % width);
            if start < end {
                self.write_characters(st, object, unit, (start, end), what);
            }
        }
    }

    fn write_characters(
        &self,
        st: &mut State,
        object: ObjectId,
        unit: Unit,
        (start, end): (i64, i64),
        what: Written,
    ) {
        let width = unit.bytes();
        let before = st.bounds.get(unit.first_zero(object)).copied();
        let last = st.bounds.get(unit.last_zero(object)).copied();
        if before.is_none() && last.is_none() && what == Written::Anything {
            return;
        }
        let first = before.unwrap_or_else(nowhere);
        let last = match what {
            Written::Zero => Some(match last {
                Some(last) if last.low >= end => last,
                _ => Number::constant(end.saturating_sub(width)),
            }),
            _ => last.filter(|last| last.high < start || last.low >= end),
        };
        let first = match what {
            Written::Zero if first.low >= start => Number::constant(start),
            Written::Zero if first.high <= start => first,
            Written::Zero => Number::range(first.low, start),
            _ if first.high < start => first,
            // A zero that is known exactly stays behind what is written, and what comes before it is not.
            _ if first.as_constant().is_some_and(|z| z >= end) && what == Written::NonZero => first,
            _ => {
                let low = match what {
                    Written::NonZero if first.low >= start => first.low.max(end),
                    _ => first.low.min(start),
                };
                let high = last.map_or(MOST, |last| last.high).max(low);
                match low == high && low != MOST {
                    true => Number::constant(low),
                    false => Number::range(low, high),
                }
            }
        };
        self.set_text(st, object, unit, first, last);
    }

    fn set_text(
        &self,
        st: &mut State,
        object: ObjectId,
        unit: Unit,
        first: Number,
        last: Option<Number>,
    ) {
        let nothing = first.low <= 0 && first.high == MOST && first.acknowledged().is_none();
        match nothing {
            true => {
                st.bounds.remove(unit.first_zero(object));
            }
            false => st.bounds.set(unit.first_zero(object), first),
        }
        match last {
            Some(last) => st.bounds.set(unit.last_zero(object), last),
            None => {
                st.bounds.remove(unit.last_zero(object));
            }
        }
    }

    /// A cell holds this value now.
    pub(crate) fn write_cell_text(&self, st: &mut State, cell: CellId, value: &Value) {
        if self.units.is_empty() || !cell.is_part() {
            return;
        }
        let Some(&info) = self.frame.cell_info(cell) else {
            return;
        };
        let region = (
            info.start / 8,
            (info.start + u64::from(info.bits)).div_ceil(8),
        );
        self.write_text(st, cell.object(), region, |unit| {
            match (info.shape, value) {
                (Shape::Int(_), Value::Number(n)) if n.as_constant() == Some(0) => Written::Zero,
                (Shape::Int(_), Value::Number(n))
                    if !n.contains(0) && i64::from(info.bits) == 8 * unit.bytes() =>
                {
                    Written::NonZero
                }
                _ => Written::Anything,
            }
        });
    }

    /// The characters of one region are those of another now, `size` bytes of them.
    pub(crate) fn copy_text(
        &self,
        st: &mut State,
        (to, to_start): (ObjectId, u64),
        (from, from_start): (ObjectId, u64),
        size: u64,
        before: &State,
    ) {
        for &unit in &self.units {
            let zero = self.first_zero(before, from, unit);
            let (Ok(start), Ok(to_start), Ok(size)) = (
                i64::try_from(from_start),
                i64::try_from(to_start),
                i64::try_from(size),
            ) else {
                continue;
            };
            let width = unit.bytes();
            if zero.low < start || start % width != 0 || to_start % width != 0 {
                continue;
            }
            let rest = difference(&zero, &Number::constant(start));
            self.place_text(st, (to, to_start), rest, size, unit, before);
        }
    }

    /// A string of so many bytes is placed somewhere, cut to a size, and the zero behind it if there is room.
    fn place_text(
        &self,
        st: &mut State,
        (to, start): (ObjectId, i64),
        length: Number,
        size: i64,
        unit: Unit,
        before: &State,
    ) {
        let first = self.first_zero(before, to, unit);
        let sure = first.low >= start;
        let inside = length.high < size && length.high != MOST;
        let end = match inside {
            true => sum(&length, &Number::constant(start)),
            false => Number::range(start.saturating_add(length.low.min(size)), MOST),
        };
        let zero = match sure {
            true => end,
            false => Number::range(first.low, end.high.max(first.low)),
        };
        let last = inside.then(|| plain(&sum(&length, &Number::constant(start))));
        self.set_text(st, to, unit, zero, last);
    }

    /// What a string function will leave at its first argument. To be asked before it writes.
    pub(crate) fn text_left(
        &mut self,
        st: &State,
        leaves: Leaves,
        args: &[Value],
    ) -> Option<TextLeft> {
        let Leaves::String(left, unit) = leaves else {
            return None;
        };
        let sure = left != Left::Line;
        if !self.units.contains(&unit) {
            return None;
        }
        let pointer = |i: usize| match args.get(i) {
            Some(Value::Pointer(p)) => Some(*p),
            _ => None,
        };
        let number = |i: usize| match args.get(i) {
            Some(Value::Number(n)) => *n,
            _ => Number::TOP,
        };
        let width = Number::constant(unit.bytes());
        let scaled = |n: &Number| apply(Operator::Mul, n, &width, OFFSET, false);
        let target = pointer(0)?;
        let object = target.targets.single()?;
        let start = target.offset.as_constant().filter(|o| *o >= 0)?;
        let first = self.first_zero(st, object, unit);
        let length =
            |i: usize| pointer(i).map_or(nowhere(), |p| scaled(&self.characters(st, &p, unit)));
        let end = match left {
            Left::Copy => sum(&length(1), &Number::constant(start)),
            Left::Append if first.low >= start => sum(&first, &length(1)),
            Left::AppendUpTo if first.low >= start => {
                sum(&first, &least(&length(1), &scaled(&number(2))))
            }
            Left::CopyUpTo => {
                let (length, most) = (length(1), scaled(&number(2)));
                match length.high < most.low {
                    true => sum(&length, &Number::constant(start)),
                    // Without a zero, or perhaps so.
                    false => {
                        Number::range(start.saturating_add(length.low.min(most.low).max(0)), MOST)
                    }
                }
            }
            Left::Line => {
                let most = number(1).high;
                let most = most.saturating_sub(1).saturating_mul(unit.bytes());
                (most >= 0).then(|| {
                    sum(
                        &Number::outside(0, most.min(LONGEST_OBJECT)),
                        &Number::constant(start),
                    )
                })?
            }
            Left::Filled => {
                let end = sum(&scaled(&number(2)), &Number::constant(start));
                let byte = number(1);
                match byte.contains(0) {
                    true => return None,
                    false => Number::range(end.low.max(0), MOST),
                }
            }
            _ => return None,
        };
        if first.low < start {
            return None;
        }
        // Without a target that is written for sure it may be as it was: nothing read.
        let zero = match sure {
            true => end,
            false => end.join(&first),
        };
        Some(TextLeft {
            object,
            unit,
            zero,
            sure,
        })
    }

    /// Now it is written.
    pub(crate) fn leave_text(&self, st: &mut State, left: TextLeft) {
        let last = (left.sure && left.zero.high != MOST).then(|| plain(&left.zero));
        self.set_text(st, left.object, left.unit, left.zero, last);
    }
}

/// The smaller of two numbers that are not negative.
fn least(a: &Number, b: &Number) -> Number {
    if a.high <= b.low {
        return *a;
    }
    if b.high <= a.low {
        return *b;
    }
    Number::range(a.low.min(b.low), a.high.min(b.high))
}
