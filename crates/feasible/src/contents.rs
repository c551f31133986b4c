//! What is known of the bytes of one object, at one point of a path.
//!
//! Contents are layers, the newest on top: cells at known offsets, single words at offsets that are
//! terms, regions copied from elsewhere, regions that a call may have written. A read looks from
//! the top down; where an offset stays symbolic it is a choice between what it may meet, bounded by
//! [`MOST_CASES`]. Every word has a *shadow* of the same width: its ones are the bits that were never
//! written, as in the interpreter.

use logic::TermId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A word in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// As wide as the bytes it takes.
    pub value: TermId,
    /// Which bits were never written.
    pub shadow: TermId,
}

/// Where bytes that the path does not determine come from: an index into `Path::sources`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// One layer.
#[derive(Clone, Debug)]
pub enum Layer {
    /// Any bytes, all written.
    Unknown(SourceId),
    /// Never written. What nobody wrote nobody may ask for, so its value decides nothing; it is the
    /// one that the interpreter sees.
    Undefined,
    Zero,
    /// The initial value of a global that is constant, or that nobody has written since the program began.
    Initial(ir::GlobalId),
    /// Any bytes if the flag is true, else what lies below.
    Perhaps {
        source: SourceId,
        written: TermId,
    },
    /// Words at known offsets, which do not overlap, by their first byte.
    Cells(BTreeMap<u64, (u64, Word)>),
    /// One word at a symbolic offset.
    Symbolic {
        offset: TermId,
        size: u64,
        word: Word,
    },
    /// `size` bytes from `offset` on are those of another object, as it was, from `start` on.
    Copied {
        offset: TermId,
        size: TermId,
        from: Rc<Contents>,
        start: TermId,
    },
    /// `size` bytes from `offset` on are all this one.
    Filled {
        offset: TermId,
        size: TermId,
        byte: TermId,
    },
}

/// The bytes of an object. Never empty: the lowest layer covers everything.
#[derive(Clone, Debug)]
pub struct Contents {
    pub layers: Vec<Layer>,
}

/// Cases of one read that are told apart; what is beyond is any value.
pub const MOST_CASES: usize = 16;

impl Contents {
    pub fn new(lowest: Layer) -> Contents {
        Contents {
            layers: vec![lowest],
        }
    }

    /// A new layer. One that covers everything takes the place of all below.
    pub fn push(&mut self, layer: Layer) {
        if matches!(
            layer,
            Layer::Unknown(_) | Layer::Undefined | Layer::Zero | Layer::Initial(_)
        ) {
            self.layers.clear();
        }
        self.layers.push(layer);
    }

    /// The topmost layer, if it is one of cells; a new one otherwise.
    pub fn cells(&mut self) -> &mut BTreeMap<u64, (u64, Word)> {
        if !matches!(self.layers.last(), Some(Layer::Cells(_))) {
            self.layers.push(Layer::Cells(BTreeMap::new()));
        }
        match self.layers.last_mut() {
            Some(Layer::Cells(cells)) => cells,
            _ => unreachable!("a layer of cells was just put on top"),
        }
    }

    /// Can some byte be one that was never written?
    pub fn may_be_undefined(&self) -> bool {
        self.layers
            .iter()
            .any(|l| matches!(l, Layer::Undefined | Layer::Copied { .. }))
    }
}
