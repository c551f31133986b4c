//! Reading through the layers of an object's contents, and bytes that come from outside: the start of
//! the function, a call, the initial value of a constant.

use crate::contents::{Layer, MOST_CASES, SourceId, Word};
use crate::path::{Meaning, Opaque, Path};
use logic::{Sort, TermId};
use std::rc::Rc;

impl<'p> Path<'p> {
    pub(crate) fn read_layers(&mut self, layers: &[Layer], offset: TermId, size: u64) -> Word {
        let Some((top, below)) = layers.split_last() else {
            return self.anything(size);
        };
        let known = self.pool.as_bits(offset);
        match top {
            Layer::Zero => self.plain(size, 0),
            Layer::Unknown(source) => {
                let value = self.bytes_from(*source, offset, size);
                self.defined(value)
            }
            Layer::Undefined => {
                let value = self.unwritten(size as u16 * 8);
                let shadow = self.pool.bits(size as u16 * 8, u128::MAX);
                Word { value, shadow }
            }
            Layer::Initial(global) => match known {
                Some(at) => self.initial(*global, at as u64, size),
                None => self.initial_table(*global, offset, size),
            },
            Layer::Perhaps { source, written } => {
                let new = self.bytes_from(*source, offset, size);
                let old = self.read_layers(below, offset, size);
                let zero = self.pool.bits(size as u16 * 8, 0);
                Word {
                    value: self.pool.choose(*written, new, old.value),
                    shadow: self.pool.choose(*written, zero, old.shadow),
                }
            }
            Layer::Cells(cells) => match known {
                Some(at) => {
                    let at = at as u64;
                    self.assemble(
                        at,
                        size,
                        |end| {
                            let (&start, &(size, word)) = cells.range(..end).next_back()?;
                            Some((start, size, word))
                        },
                        |path, at, size| {
                            let offset = path.word64(at);
                            path.read_layers(below, offset, size)
                        },
                    )
                }
                None => {
                    let mut word = self.read_layers(below, offset, size);
                    if cells.len() > MOST_CASES || cells.values().any(|(s, _)| *s != size) {
                        self.approximations.splits_dropped += 1;
                        return self.anything(size);
                    }
                    for (&at, (_, cell)) in cells {
                        let at = self.word64(at);
                        let here = self.pool.equal(offset, at);
                        self.approximations.splits += 1;
                        word = self.choice(here, *cell, word);
                    }
                    word
                }
            },
            Layer::Symbolic {
                offset: at,
                size: width,
                word,
            } => {
                let here = self.pool.equal(offset, *at);
                if self.pool.as_bool(here) == Some(true) && *width == size {
                    return *word;
                }
                if *width != size {
                    if self.are_apart(offset, size, *at, *width) {
                        return self.read_layers(below, offset, size);
                    }
                    self.approximations.splits_dropped += 1;
                    return self.anything(size);
                }
                let below = self.read_layers(below, offset, size);
                self.approximations.splits += 1;
                self.choice(here, *word, below)
            }
            Layer::Copied {
                offset: at,
                size: length,
                from,
                start,
            } => {
                let (at, length, start) = (*at, *length, *start);
                let from = Rc::clone(from);
                self.read_region(below, offset, size, at, length, move |path, offset| {
                    let distance = path.pool.sub(offset, at);
                    let there = path.pool.add(start, distance);
                    path.read_layers(&from.layers, there, size)
                })
            }
            Layer::Filled {
                offset: at,
                size: length,
                byte,
            } => {
                let byte = *byte;
                self.read_region(below, offset, size, *at, *length, move |path, _| {
                    let mut value = byte;
                    for _ in 1..size {
                        value = path.pool.concat(value, byte);
                    }
                    path.defined(value)
                })
            }
        }
    }

    /// A read where one region was replaced as a whole.
    fn read_region(
        &mut self,
        below: &[Layer],
        offset: TermId,
        size: u64,
        at: TermId,
        length: TermId,
        inside: impl FnOnce(&mut Path<'p>, TermId) -> Word,
    ) -> Word {
        let known = (
            self.pool.as_bits(offset),
            self.pool.as_bits(at),
            self.pool.as_bits(length),
        );
        if let (Some(offset_at), Some(start), Some(length)) = known {
            let end = offset_at + u128::from(size);
            if offset_at >= start && end <= start + length {
                return inside(self, offset);
            }
            if end <= start || offset_at >= start + length {
                return self.read_layers(below, offset, size);
            }
            self.approximations.splits_dropped += 1;
            return self.anything(size);
        }
        let bytes = self.word64(size);
        let distance = self.pool.sub(offset, at);
        let least = self.pool.compare(logic::Order::Ule, bytes, length);
        let room = self.pool.sub(length, bytes);
        let fits = self.pool.compare(logic::Order::Ule, distance, room);
        let within = self.pool.and(least, fits);
        if self.pool.as_bool(within) == Some(true) {
            return inside(self, offset);
        }
        let inside = inside(self, offset);
        let outside = self.read_layers(below, offset, size);
        self.approximations.splits += 1;
        self.choice(within, inside, outside)
    }

    /// A word from cells and what lies between them. `last(end)` is the last cell that begins
    /// before `end`.
    fn assemble(
        &mut self,
        at: u64,
        size: u64,
        last: impl Fn(u64) -> Option<(u64, u64, Word)>,
        mut gap: impl FnMut(&mut Path<'p>, u64, u64) -> Word,
    ) -> Word {
        let mut high: Option<Word> = None;
        let mut end = at.saturating_add(size);
        while end > at {
            let (start, part) = match last(end) {
                Some((start, width, word)) if start.saturating_add(width) > at => {
                    let stop = start + width;
                    if stop < end {
                        // A gap above the cell.
                        let from = stop.max(at);
                        (from, gap(self, from, end - from))
                    } else if start == at && stop == end && high.is_none() {
                        return word;
                    } else {
                        let from = start.max(at);
                        let low = (from - start) as u16 * 8;
                        let bits = (end - from) as u16 * 8;
                        let part = Word {
                            value: self.pool.extract(word.value, low, bits),
                            shadow: self.pool.extract(word.shadow, low, bits),
                        };
                        (from, part)
                    }
                }
                _ => (at, gap(self, at, end - at)),
            };
            high = Some(match high {
                None => part,
                Some(high) => Word {
                    value: self.pool.concat(high.value, part.value),
                    shadow: self.pool.concat(high.shadow, part.shadow),
                },
            });
            end = start;
        }
        match high {
            Some(word) => word,
            None => self.anything(size.max(1)),
        }
    }

    /// Do two accesses at symbolic offsets surely not overlap?
    fn are_apart(&mut self, a: TermId, a_size: u64, b: TermId, b_size: u64) -> bool {
        let distance = self.pool.sub(a, b);
        match self.pool.as_bits(distance) {
            Some(d) => {
                let d = logic::term::signed(d, 64);
                d >= i128::from(b_size) || d <= -i128::from(a_size)
            }
            None => false,
        }
    }

    /// Bytes that the path does not determine.
    pub(crate) fn bytes_from(&mut self, source: SourceId, offset: TermId, size: u64) -> TermId {
        let Some(at) = self.pool.as_bits(offset) else {
            let array = self.array(source, size);
            return self.pool.select(array, offset);
        };
        let at = at as u64;
        let known = self.seen.get(&source).cloned().unwrap_or_default();
        if let Some(&(width, value)) = known.get(&at)
            && width == size
        {
            return value;
        }
        let last = |end: u64| {
            let (&start, &(size, value)) = known.range(..end).next_back()?;
            Some((
                start,
                size,
                Word {
                    value,
                    shadow: value,
                },
            ))
        };
        let word = self.assemble(at, size, last, |path, at, size| {
            let array = path.array(source, size);
            let offset = path.word64(at);
            let value = path.pool.select(array, offset);
            path.seen
                .entry(source)
                .or_default()
                .insert(at, (size, value));
            Word {
                value,
                shadow: value,
            }
        });
        word.value
    }

    fn array(&mut self, source: SourceId, size: u64) -> TermId {
        if let Some(&array) = self.arrays.get(&(source, size)) {
            return array;
        }
        let sort = Sort::Array {
            index: 64,
            element: size as u16 * 8,
        };
        let array = self.fresh(sort, Meaning::Bytes { source, size });
        self.arrays.insert((source, size), array);
        array
    }

    /// The initial bytes of a constant, at a known offset.
    fn initial(&mut self, global: ir::GlobalId, at: u64, size: u64) -> Word {
        let program = self.program();
        let Some(init) = &program.globals[global].init else {
            return self.anything(size);
        };
        let end = at.saturating_add(size);
        let touches = |start: u64, length: u64| start < end && at < start.saturating_add(length);
        if init.unknown.iter().any(|(s, l)| touches(*s, *l)) {
            return self.anything(size);
        }
        if let Some(r) = init.relocations.iter().find(|r| touches(r.offset, 8)) {
            if r.offset != at || size != 8 {
                return self.anything(size);
            }
            let address = match r.target {
                ir::Target::Function(f) => {
                    let object = self.function_object(f);
                    self.object(object).address
                }
                ir::Target::Global(g) => {
                    let object = self.global_object(g);
                    self.object(object).address
                }
                ir::Target::Label(f, k) => self.label_address(f, k),
            };
            let by = self.pool.bits(64, r.addend as i128 as u128);
            let value = self.pool.add(address, by);
            return self.defined(value);
        }
        let byte = |i: u64| init.bytes.get(i as usize).copied().unwrap_or(0);
        let value = (0..size.min(16)).fold(0u128, |v, i| v | u128::from(byte(at + i)) << (8 * i));
        self.plain(size, value)
    }

    /// A table of constants at a symbolic offset: the cases, if they are few.
    fn initial_table(&mut self, global: ir::GlobalId, offset: TermId, size: u64) -> Word {
        let program = self.program();
        let total = program.types.size_of(program.globals[global].ty);
        let count = total.checked_div(size).unwrap_or(0);
        if count == 0 || count > 4 * MOST_CASES as u64 {
            self.approximations.splits_dropped += 1;
            let value = self.fresh(Sort::Bits(size as u16 * 8), Meaning::Opaque(Opaque::Memory));
            return self.defined(value);
        }
        let mut word = self.initial(global, (count - 1) * size, size);
        for i in (0..count - 1).rev() {
            let case = self.initial(global, i * size, size);
            let at = self.word64(i * size);
            let here = self.pool.equal(offset, at);
            word = self.choice(here, case, word);
        }
        self.approximations.splits += 1;
        word
    }
}
