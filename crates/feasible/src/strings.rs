//! Strings on a path: how long they are, and what the functions leave that copy them.
//!
//! Along one path most characters are known: a constant, a `memset`, single stores. Where all up to the first zero are, the length is a
//! number, and `strcpy` is a copy of so many bytes. What is known so the interpreter does for itself when it
//! replays the path; of all else, calls are known by their models.

use crate::contents::Layer;
use crate::object::ObjectId;
use crate::path::Path;
use automata::models::{Leaves, Left};
use automata::text::Unit;
use ir::Call;
use logic::TermId;
use std::rc::Rc;

/// Bytes of an object in which a string may end anywhere.
const SHORT: u64 = 64;

/// Characters that are looked at.
const LONGEST: u64 = 4096;

impl Path<'_> {
    /// How many characters come before the first zero, or the end of the object.
    pub(crate) fn known_characters(&mut self, pointer: TermId, unit: Unit) -> Option<u64> {
        let (object, start) = self.known_place(pointer)?;
        let size = self.object(object).size?;
        let size = u64::try_from(self.pool.as_bits(size)?).ok()?;
        let width = unit.bytes() as u64;
        for count in 0..LONGEST {
            let at = start.checked_add(count * width)?;
            if at + width > size {
                return Some(count);
            }
            let offset = self.word64(at);
            let word = self.read(object, offset, width);
            if self.pool.as_bits(word.shadow)? != 0 {
                return None;
            }
            if self.pool.as_bits(word.value)? == 0 {
                return Some(count);
            }
        }
        None
    }

    /// The object and the offset that a pointer leads to, if it is one.
    fn known_place(&mut self, pointer: TermId) -> Option<(ObjectId, u64)> {
        let target = self.single_target(pointer)?;
        let start = self.pool.as_bits(target.offset)?;
        Some((target.object, u64::try_from(start).ok()?))
    }

    /// `strlen`: true if the length is known, or only a check asks for it.
    pub(crate) fn measure(
        &mut self,
        call: &Call,
        string: Option<&Option<TermId>>,
        unit: Unit,
        asks: bool,
    ) -> bool {
        let (Some(Some(pointer)), Some(place)) = (string, call.result) else {
            return false;
        };
        let known = match self.known_characters(*pointer, unit) {
            Some(length) => Some(self.word64(length)),
            None if unit == Unit::Byte => self.length(*pointer),
            None => None,
        };
        let Some(length) = known else {
            // A check only asks: whatever is there in the run that shows the path.
            if asks {
                self.result_unknown(call);
                self.record(|r| r.entered = true);
            }
            return asks;
        };
        let ty = self.frame.body.places[place].ty;
        let width = self.bytes(ty) as u16 * 8;
        if !(1..=64).contains(&width) {
            return false;
        }
        let length = match width {
            64 => length,
            _ => self.pool.extract(length, 0, width),
        };
        // What nobody had written the script writes.
        let step = self.step;
        let found = self.sources.iter().any(|s| s.step == Some(step));
        self.record(|r| match found {
            true => r.result = Some(length),
            false => r.entered = true,
        });
        self.store(place, length, None);
        true
    }

    /// The length of a string of which not all is known, in an object that is small: as many cases as there are bytes. Those that nobody
    /// has written are any bytes from here on.
    fn length(&mut self, pointer: TermId) -> Option<TermId> {
        let (object, start) = self.known_place(pointer)?;
        let size = self.object(object).size?;
        let size = u64::try_from(self.pool.as_bits(size)?).ok()?;
        if size > SHORT || start > size {
            return None;
        }
        let mut kept = Vec::new();
        for at in 0..size {
            let offset = self.word64(at);
            let word = self.read(object, offset, 1);
            if self.pool.as_bits(word.shadow)? == 0 {
                kept.push((offset, 1, word));
            }
        }
        if kept.len() < size as usize {
            let source = self.source(object, true);
            self.sources[source.0 as usize].completes = true;
            self.sources[source.0 as usize].kept.clone_from(&kept);
            self.cover(object, Layer::Unknown(source));
            for (offset, size, word) in kept {
                self.write(object, offset, size, word);
            }
        }
        let mut length = self.word64(size - start);
        for at in (start..size).rev() {
            let offset = self.word64(at);
            let value = self.read(object, offset, 1).value;
            let zero = self.pool.bits(8, 0);
            let ends = self.pool.equal(value, zero);
            let here = self.word64(at - start);
            length = self.pool.choose(ends, here, length);
        }
        Some(length)
    }

    /// What a string function does, if that is known: true if it was done.
    pub(crate) fn copy_string(&mut self, args: &[Option<TermId>], leaves: Leaves) -> bool {
        self.copied_string(args, leaves).is_some()
    }

    fn copied_string(&mut self, args: &[Option<TermId>], leaves: Leaves) -> Option<()> {
        let argument = |i: usize| args.get(i).copied().flatten();
        let Leaves::String(left, unit) = leaves else {
            return None;
        };
        let (behind, limited) = match left {
            Left::Copy => (false, false),
            Left::CopyUpTo => (false, true),
            Left::Append => (true, false),
            Left::AppendUpTo => (true, true),
            Left::Line | Left::Filled => return None,
        };
        let width = unit.bytes() as u64;
        let target = argument(0)?;
        let source = argument(1)?;
        let (to, mut at) = self.known_place(target)?;
        let (from, start) = self.known_place(source)?;
        if self.is_constant(to) || to == from {
            return None;
        }
        if behind {
            at += width * self.known_characters(target, unit)?;
        }
        let length = self.known_characters(source, unit)?;
        let most = match limited {
            true => u64::try_from(self.pool.as_bits(argument(2)?)?).ok()?,
            false => u64::MAX,
        };
        let copied = length.min(most);
        // Behind the characters: one zero, or as many as there is room for.
        let zeros = match left {
            Left::CopyUpTo => most.checked_sub(copied)?,
            _ => 1,
        };
        if zeros > LONGEST {
            return None;
        }
        self.record(|r| r.entered = true);
        if copied > 0 {
            let layer = Layer::Copied {
                offset: self.word64(at),
                size: self.word64(copied * width),
                from: Rc::clone(&self.object(from).contents),
                start: self.word64(start),
            };
            self.cover(to, layer);
        }
        if zeros > 0 {
            let layer = Layer::Filled {
                offset: self.word64(at + copied * width),
                size: self.word64(zeros * width),
                byte: self.pool.bits(8, 0),
            };
            self.cover(to, layer);
        }
        Some(())
    }
}
