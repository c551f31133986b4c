//! Reading and writing the contents of objects.

use crate::contents::{Contents, Layer, MOST_CASES, SourceId, Word};
use crate::object::{Object, ObjectId, ObjectKind};
use crate::path::{Meaning, Opaque, Path, Source};
use logic::{Sort, TermId};
use std::rc::Rc;

/// One write, for those who want to do it again under a condition.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    Word {
        object: ObjectId,
        offset: TermId,
        size: u64,
        word: Word,
    },
    /// The object as a whole was changed in a way that is not one word.
    Layer(ObjectId),
}

impl<'p> Path<'p> {
    pub(crate) fn reserve_null(&mut self) {
        let zero = self.word64(0);
        let gone = self.pool.truth(false);
        self.objects.push(Object {
            kind: ObjectKind::Pointee(zero),
            address: zero,
            size: Some(zero),
            alive: gone,
            contents: Rc::new(Contents::new(Layer::Zero)),
            escaped: false,
            foreign: false,
            ty: None,
        });
    }

    /// A new object with an address of its own.
    pub(crate) fn new_object(
        &mut self,
        kind: ObjectKind,
        size: Option<TermId>,
        lowest: impl FnOnce(&mut Path<'p>, ObjectId) -> Layer,
    ) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        let address = match kind {
            ObjectKind::Pointee(pointer) => pointer,
            _ => self.pool.bits(64, id.address()),
        };
        let alive = self.pool.truth(true);
        self.objects.push(Object {
            kind,
            address,
            size,
            alive,
            contents: Rc::new(Contents::new(Layer::Zero)),
            escaped: false,
            foreign: false,
            ty: None,
        });
        let layer = lowest(self, id);
        self.objects[id.0 as usize].contents = Rc::new(Contents::new(layer));
        id
    }

    pub(crate) fn source(&mut self, object: ObjectId, at_step: bool) -> SourceId {
        let step = at_step.then_some(self.step);
        self.sources.push(Source {
            object,
            step,
            completes: false,
            kept: Vec::new(),
        });
        SourceId(self.sources.len() as u32 - 1)
    }

    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.objects[id.0 as usize]
    }

    /// `size` bytes of an object, up to 16, from an offset that needs no definitions.
    pub(crate) fn read(&mut self, object: ObjectId, offset: TermId, size: u64) -> Word {
        self.touch(object, offset, size);
        let contents = Rc::clone(&self.object(object).contents);
        self.read_layers(&contents.layers, offset, size)
    }

    /// Notes an access, so that an object of unknown size can be made as large as it must be.
    fn touch(&mut self, object: ObjectId, offset: TermId, size: u64) {
        if self.object(object).size.is_none() {
            let size = self.word64(size);
            self.touched.push((object, offset, size));
        }
    }

    fn read_layers(&mut self, layers: &[Layer], offset: TermId, size: u64) -> Word {
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

    /// Writes a word at an offset that needs no definitions.
    pub(crate) fn write(&mut self, object: ObjectId, offset: TermId, size: u64, word: Word) {
        let word = Word {
            value: self.name(word.value),
            shadow: word.shadow,
        };
        if let Some(journal) = &mut self.journal {
            journal.push(Written::Word {
                object,
                offset,
                size,
                word,
            });
        }
        self.touch(object, offset, size);
        let Some(at) = self.pool.as_bits(offset) else {
            let layer = Layer::Symbolic { offset, size, word };
            Rc::make_mut(&mut self.object_mut(object).contents).push(layer);
            return;
        };
        let at = at as u64;
        let end = at.saturating_add(size);
        // What is left of the words that this one overlaps.
        let mut rest: Vec<(u64, u64, Word)> = Vec::new();
        let mut gone = Vec::new();
        if let Some(Layer::Cells(cells)) = self.object(object).contents.layers.last() {
            for (&start, &(width, old)) in cells.range(..end).rev() {
                let stop = start + width;
                if stop <= at {
                    break;
                }
                gone.push(start);
                if start < at {
                    rest.push((start, at - start, old));
                }
                if stop > end {
                    rest.push((end, stop - end, old));
                }
            }
        }
        let mut parts = Vec::new();
        for (start, width, old) in rest {
            let base = gone.iter().copied().filter(|s| *s <= start).max();
            let low = (start - base.unwrap_or(start)) as u16 * 8;
            let bits = width as u16 * 8;
            let part = Word {
                value: self.pool.extract(old.value, low, bits),
                shadow: self.pool.extract(old.shadow, low, bits),
            };
            parts.push((start, (width, part)));
        }
        let cells = Rc::make_mut(&mut self.object_mut(object).contents).cells();
        for start in gone {
            cells.remove(&start);
        }
        cells.extend(parts);
        cells.insert(at, (size, word));
    }

    /// Changes an object as a whole.
    pub(crate) fn cover(&mut self, object: ObjectId, layer: Layer) {
        if let Some(journal) = &mut self.journal {
            journal.push(Written::Layer(object));
        }
        if let Layer::Copied { offset, size, .. } | Layer::Filled { offset, size, .. } = layer
            && self.object(object).size.is_none()
        {
            self.touched.push((object, offset, size));
        }
        Rc::make_mut(&mut self.object_mut(object).contents).push(layer);
    }

    /// The initial value of a constant, and nothing else.
    pub(crate) fn is_constant(&self, object: ObjectId) -> bool {
        matches!(
            self.object(object).contents.layers.as_slice(),
            [Layer::Initial(_)]
        )
    }

    /// The words at known offsets that are known of, or were asked for: offset and size.
    pub(crate) fn words(&self, object: ObjectId) -> Vec<(u64, u64)> {
        let mut found = std::collections::BTreeMap::new();
        for layer in &self.object(object).contents.layers {
            match layer {
                Layer::Cells(cells) => {
                    found.extend(cells.iter().map(|(at, (size, _))| (*at, *size)));
                }
                Layer::Unknown(source) | Layer::Perhaps { source, .. } => {
                    let seen = self.seen.get(source).into_iter().flatten();
                    found.extend(seen.map(|(at, (size, _))| (*at, *size)));
                }
                _ => {}
            }
        }
        found.into_iter().collect()
    }

    /// A written word.
    pub(crate) fn defined(&mut self, value: TermId) -> Word {
        let shadow = self.pool.bits(self.pool.width(value), 0);
        Word { value, shadow }
    }

    /// The bits that storage has before anything is written to it.
    pub(crate) fn unwritten(&mut self, width: u16) -> TermId {
        self.pool
            .bits(width, u128::from_ne_bytes([interp::FILL; 16]))
    }

    pub(crate) fn plain(&mut self, size: u64, value: u128) -> Word {
        let value = self.pool.bits(size as u16 * 8, value);
        self.defined(value)
    }

    pub(crate) fn choice(&mut self, condition: TermId, a: Word, b: Word) -> Word {
        Word {
            value: self.pool.choose(condition, a.value, b.value),
            shadow: self.pool.choose(condition, a.shadow, b.shadow),
        }
    }

    /// A word of which nothing is known, not even whether it was written.
    pub(crate) fn anything(&mut self, size: u64) -> Word {
        let sort = Sort::Bits(size.clamp(1, 16) as u16 * 8);
        let value = self.fresh(sort, Meaning::Opaque(Opaque::Memory));
        let shadow = self.fresh(sort, Meaning::Opaque(Opaque::Memory));
        Word { value, shadow }
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
