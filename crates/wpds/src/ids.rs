//! Typed indices: states, stack symbols, rules and transitions are numbers, and never mixed up.

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a vector.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

index!(
    /// A state of a pushdown system, and of the automata over it. Those of the system come first.
    State, "q"
);
index!(
    /// A letter of the stack alphabet: usually a node of a program.
    Symbol, "s"
);
index!(
    /// A rule of a pushdown system.
    RuleId, "r"
);
index!(
    /// A transition of an automaton.
    TransitionId, "t"
);
