//! What a model says of a function: data, of which every engine and every rule takes what it needs.

use crate::words::Longest;

/// All that is known of one function. What is not said is not known, and nothing is concluded from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// The linkage name.
    pub name: String,
    /// A user says so: it counts even where the program has the function's body.
    pub by_user: bool,
    pub gives: Gives,
    /// Position of the argument that the number it gives is at most: how many bytes `read` was asked for.
    pub at_most: Option<usize>,
    /// Whether it is known what a call does to memory: without it, nothing of what a call does is relied on.
    pub writes: Option<Writes>,
    /// Does the next statement come? Not known of a stranger: `void die(void);`.
    pub comes_back: Option<bool>,
    /// It does not come back because it goes on somewhere else (`longjmp`).
    pub jumps: bool,
    /// It ends the thread, not the program (`pthread_exit`).
    pub ends_thread: bool,
    /// Gives what follows from its arguments and what they point to, and does nothing else.
    pub pure: bool,
    /// What it leaves behind is output, and nothing that the program could find.
    pub prints: bool,
    /// What it gives and writes follows from the program's memory and its arguments alone.
    pub determined: bool,
    /// It gives a pointer to memory of its own, and what that holds the next call of it, or of one like it, writes: `localtime`.
    pub own: bool,
    /// What string it leaves where its first argument points to.
    pub leaves: Option<Leaves>,
    /// Looks something up in memory: a null says that it is not there, and is no failure.
    pub searches: bool,
    /// Positions of the arguments that it follows whatever the others are: a null there is an error.
    pub follows: Vec<usize>,
    /// What must be there behind its arguments.
    pub needs: Vec<Need>,
    /// Two arguments whose memory, as far as it is needed, must not overlap.
    pub apart: Option<(usize, usize)>,
    /// Arguments that follow a format.
    pub format: Option<Format>,
    /// Positions of the arguments that it keeps beyond the call: the program can lose them.
    pub keeps: Vec<usize>,
    /// Positions of the functions that it calls, now or later.
    pub calls: Vec<usize>,
    /// How a failure shows in what it gives.
    pub fails: Option<Failure>,
    /// What a call makes that must be given back.
    pub allocates: Vec<Allocation>,
    /// What is open after a call, and need not be given back on its account: the descriptor of `fileno`.
    pub opens: Vec<Allocation>,
    /// What a call gives back.
    pub releases: Vec<Release>,
    /// What must not have been given back.
    pub uses: Vec<Use>,
    /// What it does to locks.
    pub locks: Vec<Lock>,
}

/// What a call gives back.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Gives {
    /// Anything of its type.
    #[default]
    Anything,
    /// A pointer to fresh memory.
    Memory {
        /// None: nobody knows how much.
        size: Option<Size>,
        zeroed: bool,
        /// Null when there is none left.
        or_null: bool,
    },
    /// A pointer, or null when there is nothing to point to: a documented answer.
    PointerOrNull,
    Pointer,
    /// A pointer that is not null, the same in every call.
    SamePointer,
    /// A number that comes from outside: any of the range must be reckoned with.
    Input(i64, i64),
    Number(i64, i64),
    /// How many bytes there are in the string that an argument points to.
    StringLength(usize),
    /// How many wide characters.
    WideLength(usize),
    /// What it got.
    Argument(usize),
    /// How many bytes there are from an argument to the end of the object; 0 if that is null.
    BytesBehind(usize),
}

/// A number of bytes, said by the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    Constant(u64),
    /// The value of an argument.
    Argument(usize),
    /// The bytes of the string that an argument points to, without its end.
    StringLength(usize),
    /// The wide characters of the string that an argument points to, without its end.
    WideLength(usize),
    /// The bytes of what a format makes, without its end ([`Function::format`]).
    Formatted,
    /// As much as comes in: no memory is large enough.
    Unbounded,
    Product(Box<Size>, Box<Size>),
    Sum(Box<Size>, Box<Size>),
    Least(Box<Size>, Box<Size>),
}

impl Size {
    /// The arguments that it speaks of.
    pub fn arguments(&self) -> Vec<usize> {
        match self {
            Size::Constant(_) | Size::Formatted | Size::Unbounded => Vec::new(),
            Size::Argument(n) | Size::StringLength(n) | Size::WideLength(n) => vec![*n],
            Size::Product(a, b) | Size::Sum(a, b) | Size::Least(a, b) => {
                let mut all = a.arguments();
                all.extend(b.arguments());
                all
            }
        }
    }
}

/// What must be there behind an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub argument: usize,
    pub what: Needed,
    /// It may be null as well, and then nothing is needed.
    pub or_null: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needed {
    /// So many bytes, which are read.
    Read(Size),
    /// So many bytes, which are written.
    Write(Size),
    /// A string with its end.
    String {
        wide: bool,
        /// It needs no end if there are so many bytes.
        most: Option<Size>,
    },
}

/// A format, and where the arguments begin that it speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub argument: usize,
    pub kind: FormatKind,
    /// The first argument that the format is about; none for those that take a `va_list`.
    pub first: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatKind {
    Printf,
    Scanf,
    Strftime,
}

/// What string a call leaves where its first argument points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaves {
    pub what: Left,
    /// Of wide characters.
    pub wide: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// That of its second argument.
    Copy,
    /// What was there, and behind it that of its second argument.
    Append,
    /// A copy of at most as many characters as its third argument says, filled up with zeros if there is room.
    CopyUpTo,
    /// The same appended, and a zero.
    AppendUpTo,
    /// Input of fewer characters than its second argument says; what was there if there is none.
    Line,
    /// As many of the character that its second argument is as its third one says.
    Filled,
}

/// What a call may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Writes {
    Nothing,
    /// What its arguments point to.
    Arguments,
    /// What its arguments point to, with input: any value must be reckoned with.
    Input,
    Anything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    Null,
    /// `(void *)-1`: mmap.
    AllOnes,
    Negative,
    NonZero,
    /// A C++ exception.
    Throws,
}

/// What kind of thing must be given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Malloc,
    New,
    NewArray,
    /// The kernel's own allocator.
    Kmalloc,
    /// A variable-length array: on the stack, and ended by the compiler.
    Array,
    Stream,
    /// A stream of another process: `popen`.
    Pipe,
    Descriptor,
    Directory,
    Mapping,
}

impl Kind {
    pub fn is_memory(self) -> bool {
        matches!(
            self,
            Kind::Malloc | Kind::New | Kind::NewArray | Kind::Kmalloc
        )
    }

    /// May what is of this kind be used as one of the other?
    pub fn is_a(self, other: Kind) -> bool {
        self == other || (self == Kind::Pipe && other == Kind::Stream)
    }
}

/// Where what a call makes is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    Result,
    /// An argument names it from now on: the second descriptor of `dup2`.
    Argument(usize),
    /// It is stored where an argument points to: `asprintf`.
    Behind(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    pub of: Kind,
    pub at: Where,
}

/// The condition under which a call has done it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    Always,
    /// It gives zero: `close` that was not interrupted.
    Zero,
    /// It gives something else: `realloc` that moved its block.
    NotZero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    pub argument: usize,
    pub of: Kind,
    pub when: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    pub argument: usize,
    pub of: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    pub argument: usize,
    pub does: Locking,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Locking {
    /// Waits until it has the lock.
    Locks,
    /// Has it if it gives zero.
    Tries,
    Unlocks,
    /// Makes a lock, which is free.
    Makes,
    Ends,
}

impl Function {
    /// Is it known what a call does?
    pub fn is_modelled(&self) -> bool {
        self.writes.is_some()
    }

    /// Does it write a text that its arguments determine to where they say (`sprintf`)?
    pub fn makes_text(&self) -> bool {
        let formats = self.format.is_some_and(|f| f.kind == FormatKind::Printf);
        formats && !self.prints && self.writes == Some(Writes::Arguments)
    }

    /// The memory that it gives back: the argument's position, and when.
    pub fn frees(&self) -> Option<(usize, When)> {
        let mut all = self.releases.iter();
        all.find(|r| r.of.is_memory() || r.of == Kind::Array)
            .map(|r| (r.argument, r.when))
    }

    /// Is what it gives open, or alive, from now on? (It may have the value of something that was not.)
    pub fn opened(&self) -> impl Iterator<Item = Allocation> + '_ {
        self.allocates.iter().chain(&self.opens).copied()
    }

    /// The range of what it gives, if that is a number of which something is known.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self.gives {
            Gives::Input(low, high) | Gives::Number(low, high) => Some((low, high)),
            Gives::StringLength(_) | Gives::WideLength(_) => Some((0, Longest::OBJECT)),
            _ => None,
        }
    }
}
