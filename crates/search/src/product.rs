//! Products of automata (§2.2): covering, difference and merge are defined per component and
//! lifted point-wise to tuples.
//!
//! - A tuple covers another if every component does.
//! - The difference is, in turn, that of one component, while the others stay as they are.
//! - The merge merges every component.

/// What one automaton of a product knows.
pub trait Component: Sized + Clone {
    /// Path matching, see [`Space::covers`](crate::Space::covers).
    fn covers(&self, other: &Self) -> bool;

    /// States that together with `reached` cover `self`, and each of which `self` covers: none if
    /// `reached` covers `self`. `None`: there is no useful difference, only `self` would do.
    fn difference(&self, reached: &Self) -> Option<Vec<Self>>;

    /// A state that covers both.
    fn merge(&self, other: &Self) -> Self;
}

macro_rules! tuple {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Component),+> Component for ($($name,)+) {
            fn covers(&self, other: &Self) -> bool {
                $(self.$index.covers(&other.$index))&&+
            }

            fn difference(&self, reached: &Self) -> Option<Vec<Self>> {
                let mut all = Vec::new();
                $(
                    // A component without a useful difference would give the whole tuple again.
                    for part in self.$index.difference(&reached.$index)? {
                        let mut tuple = self.clone();
                        tuple.$index = part;
                        all.push(tuple);
                    }
                )+
                Some(all)
            }

            fn merge(&self, other: &Self) -> Self {
                ($(self.$index.merge(&other.$index),)+)
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Interval, Names};

    fn state(names: &[&'static str], c: Interval) -> (Names<&'static str>, Bounds<&'static str>) {
        (
            names.iter().copied().collect(),
            Bounds::default().with("c", c),
        )
    }

    #[test]
    fn paper_covering() {
        let wide = state(&["a", "b"], Interval::above(0));
        let narrow = state(&["a"], Interval::above(1));
        assert!(wide.covers(&narrow));
        assert!(!narrow.covers(&wide));
        assert!(!wide.covers(&state(&["d"], Interval::above(1))));
        assert!(!wide.covers(&state(&["a"], Interval::above(-1))));
    }

    #[test]
    fn paper_difference() {
        let difference = state(&["a", "b"], Interval::above(0))
            .difference(&state(&["a", "d"], Interval::above(10)));
        assert_eq!(
            difference,
            Some(vec![
                state(&["b"], Interval::above(0)),
                state(&["a", "b"], Interval { low: 1, high: 10 }),
            ])
        );
    }

    #[test]
    fn paper_merge() {
        let merged =
            state(&["a", "b"], Interval::above(0)).merge(&state(&["a", "d"], Interval::above(10)));
        assert_eq!(merged, state(&["a", "b", "d"], Interval::above(0)));
    }

    #[test]
    fn a_covered_component_adds_nothing_to_the_difference() {
        let difference =
            state(&["a", "b"], Interval::above(5)).difference(&state(&["a"], Interval::above(0)));
        assert_eq!(
            difference,
            Some(vec![state(&["b"], Interval::above(5))]),
            "the bounds are covered"
        );
        let covered =
            state(&["a"], Interval::above(5)).difference(&state(&["a"], Interval::above(0)));
        assert_eq!(covered, Some(vec![]));
    }

    #[test]
    fn one_component_without_difference_leaves_none() {
        let nothing_common =
            state(&["a"], Interval::above(0)).difference(&state(&["b"], Interval::above(10)));
        assert_eq!(nothing_common, None);
    }

    #[test]
    fn three_components() {
        let names = |all: &[&'static str]| all.iter().copied().collect::<Names<_>>();
        let state = (names(&["a", "b"]), names(&["c"]), names(&["d", "e"]));
        let reached = (names(&["a"]), names(&["c"]), names(&["e"]));
        assert_eq!(
            state.difference(&reached),
            Some(vec![
                (names(&["b"]), names(&["c"]), names(&["d", "e"])),
                (names(&["a", "b"]), names(&["c"]), names(&["d"])),
            ])
        );
        assert!(state.covers(&reached));
        assert_eq!(reached.merge(&state), state);
    }
}
