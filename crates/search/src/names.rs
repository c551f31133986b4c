//! Sets of names (§2.2): the variables that are declared and not yet defined, for instance. More
//! names mean more errors, so a set covers its subsets.

use std::collections::BTreeSet;

use crate::product::Component;

/// A set of names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Names<N: Ord>(BTreeSet<N>);

impl<N: Ord> Names<N> {
    /// Is the name in the set?
    pub fn contains(&self, name: &N) -> bool {
        self.0.contains(name)
    }

    /// The set with the name in it.
    pub fn with(mut self, name: N) -> Self {
        self.0.insert(name);
        self
    }

    /// The set without the name.
    pub fn without(mut self, name: &N) -> Self {
        self.0.remove(name);
        self
    }
}

impl<N: Ord> Default for Names<N> {
    fn default() -> Self {
        Names(BTreeSet::new())
    }
}

impl<N: Ord> FromIterator<N> for Names<N> {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Self {
        Names(names.into_iter().collect())
    }
}

impl<N: Ord + Clone> Component for Names<N> {
    fn covers(&self, other: &Self) -> bool {
        self.0.is_superset(&other.0)
    }

    fn difference(&self, reached: &Self) -> Option<Vec<Self>> {
        let rest: BTreeSet<N> = self.0.difference(&reached.0).cloned().collect();
        if rest.is_empty() {
            return Some(Vec::new());
        }
        (rest.len() < self.0.len()).then(|| vec![Names(rest)])
    }

    fn merge(&self, other: &Self) -> Self {
        Names(self.0.union(&other.0).cloned().collect())
    }
}
