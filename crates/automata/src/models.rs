//! What is known of functions without a body, as the engines see it: one view of the entries of [`library`].

use crate::text::Unit;
use domain::Number;
pub use library::{Left, When, Writes};

/// What a call gives back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gives {
    /// Anything of its type.
    Anything,
    /// A pointer to fresh memory: which arguments multiply to its size.
    Memory {
        size: Size,
        zeroed: bool,
        /// Null when there is none left.
        can_fail: bool,
    },
    /// A pointer, or null when there is nothing to point to: a documented answer.
    PointerOrNull,
    NonNull,
    /// A pointer that is not null, the same in every call.
    Same,
    /// Input: any number of the range must be reckoned with.
    Input(i64, i64),
    Number(i64, i64),
    /// How many characters there are from an argument to the first one that is zero, or to the end of the object.
    Characters(usize, Unit),
    /// What it got.
    Argument(usize),
    /// How many bytes there are from an argument to the end of the object; 0 if that is null.
    Length(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Argument(usize),
    Product(usize, usize),
    Constant(u32),
    Unknown,
}

/// Does a call end the life of what an argument points to?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frees {
    Never,
    Always(usize),
    /// `realloc`: unless it gives null, the block is another one now.
    UnlessNull(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    pub gives: Gives,
    /// Position of the argument that the number it gives is at most.
    pub at_most: Option<usize>,
    pub writes: Writes,
    pub returns: bool,
    pub frees: Frees,
    /// Looks something up in memory: a null says that it is not there, and is no failure.
    pub searches: bool,
    /// May it throw for want of something? (`new` never gives null.)
    pub throws: bool,
    /// What string it leaves where its first argument points to.
    pub leaves: Leaves,
}

impl Model {
    /// May a call write where this argument points to, if it writes where its arguments do? Who copies strings reads the others.
    pub fn may_write(&self, argument: usize) -> bool {
        matches!(self.leaves, Leaves::Nothing) || argument == 0
    }
}

/// What string a call leaves where its first argument points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Nobody knows.
    Nothing,
    String(Left, Unit),
}

/// No object is longer than the part of the address space that programs have: sums of a few lengths
/// do not wrap.
pub const LONGEST_OBJECT: i64 = library::Longest::OBJECT;

/// What is known of a function of this linkage name; none if nothing is.
pub fn model(name: &str) -> Option<Model> {
    let f = library::function(name)?;
    Some(Model {
        gives: gives(&f.gives),
        at_most: f.at_most,
        writes: f.writes?,
        returns: f.comes_back != Some(false),
        frees: match f.frees() {
            None => Frees::Never,
            Some((at, When::NotZero)) => Frees::UnlessNull(at),
            Some((at, When::Always | When::Zero)) => Frees::Always(at),
        },
        searches: f.searches,
        throws: f.fails == Some(library::Failure::Throws),
        leaves: match f.leaves {
            None => Leaves::Nothing,
            Some(leaves) => Leaves::String(leaves.what, Unit::of(leaves.wide)),
        },
    })
}

fn gives(gives: &library::Gives) -> Gives {
    match gives {
        library::Gives::Anything => Gives::Anything,
        library::Gives::Memory {
            size,
            zeroed,
            or_null,
        } => Gives::Memory {
            size: size.as_ref().map_or(Size::Unknown, memory),
            zeroed: *zeroed,
            can_fail: *or_null,
        },
        library::Gives::PointerOrNull => Gives::PointerOrNull,
        library::Gives::Pointer => Gives::NonNull,
        library::Gives::SamePointer => Gives::Same,
        library::Gives::Input(low, high) => Gives::Input(*low, *high),
        library::Gives::Number(low, high) => Gives::Number(*low, *high),
        library::Gives::StringLength(at) => Gives::Characters(*at, Unit::Byte),
        library::Gives::WideLength(at) => Gives::Characters(*at, Unit::Wide),
        library::Gives::Argument(at) => Gives::Argument(*at),
        library::Gives::BytesBehind(at) => Gives::Length(*at),
    }
}

/// The sizes of memory that engines can compute.
fn memory(size: &library::Size) -> Size {
    match size {
        library::Size::Argument(at) => Size::Argument(*at),
        library::Size::Constant(n) => u32::try_from(*n).map_or(Size::Unknown, Size::Constant),
        library::Size::Product(a, b) => match (&**a, &**b) {
            (library::Size::Argument(a), library::Size::Argument(b)) => Size::Product(*a, *b),
            _ => Size::Unknown,
        },
        _ => Size::Unknown,
    }
}

/// Does the function do more than its model can say? It calls whom it is given, comes back elsewhere, lets something happen
/// later, or gives memory of its own that the next call of it writes. Who proves something has to know that.
pub fn does_more(name: &str) -> bool {
    let more = |f: &library::Function| !f.calls.is_empty() || f.jumps || f.ends_thread || f.own;
    library::function(name).is_some_and(more)
}

impl Model {
    /// The number that a call gives, if it is one that the model knows.
    pub fn number(&self) -> Option<Number> {
        match self.gives {
            Gives::Input(low, high) => Some(Number::outside(low, high)),
            Gives::Number(low, high) => Some(Number::range(low, high)),
            Gives::Characters(..) => Some(Number::range(0, LONGEST_OBJECT)),
            _ => None,
        }
    }
}
