//! Reading and writing the contents of objects.

use crate::contents::{Contents, Layer, SourceId, Word};
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
            family: None,
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
            family: None,
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
}
