//! One question with all that belongs to it: a system, a semiring, the sets S and T, post*(S) and pre*(T).

use crate::automaton::{Automaton, Direction};
use crate::functional::Functional;
use crate::language::Language;
use crate::post::post_star;
use crate::pre::pre_star;
use crate::saturate::Saturated;
use crate::semiring::{Semiring, Tests};
use crate::system::System;

/// Which paths lead from S to T? Both automata are made at once; everything else is read off them.
pub struct Query<'q, S: Semiring> {
    system: &'q System<S::Weight>,
    semiring: &'q S,
    post: Saturated<S::Weight>,
    pre: Saturated<S::Weight>,
}

impl<'q, S: Semiring> Query<'q, S> {
    /// Without a record: projections, chops and stores, but no witnesses.
    pub fn new(
        system: &'q System<S::Weight>,
        semiring: &'q S,
        source: &Language,
        target: &Language,
    ) -> Self {
        Self::make(system, semiring, source, target, false)
    }

    /// With a record of where weights come from, for witnesses.
    pub fn recorded(
        system: &'q System<S::Weight>,
        semiring: &'q S,
        source: &Language,
        target: &Language,
    ) -> Self {
        Self::make(system, semiring, source, target, true)
    }

    fn make(
        system: &'q System<S::Weight>,
        semiring: &'q S,
        source: &Language,
        target: &Language,
        record: bool,
    ) -> Self {
        let symbols = system.symbols();
        let start = Automaton::of(semiring, Direction::Backward, source, symbols);
        let end = Automaton::of(semiring, Direction::Forward, target, symbols);
        Query {
            system,
            semiring,
            post: post_star(system, semiring, start, record),
            pre: pre_star(system, semiring, end, record),
        }
    }

    pub fn system(&self) -> &'q System<S::Weight> {
        self.system
    }

    pub fn semiring(&self) -> &'q S {
        self.semiring
    }

    /// post*(S), a backward automaton.
    pub fn post(&self) -> &Saturated<S::Weight> {
        &self.post
    }

    /// pre*(T), a forward automaton.
    pub fn pre(&self) -> &Saturated<S::Weight> {
        &self.pre
    }

    /// JOP(S, T): the combine of the weights of all paths (Definition 5).
    pub fn join_over_all_paths(&self, source: &Language) -> S::Weight {
        self.pre
            .automaton
            .intersect(source)
            .path_summary(self.semiring)
    }

    /// `A_post* ◁ A_pre*`, from which everything about nodes is read.
    pub fn functional(&self) -> Functional<'_, S::Weight> {
        Functional::new(&self.post.automaton, &self.pre.automaton)
    }

    /// The error projection: by symbol, is it on a path from S to T that can be taken?
    pub fn projection(&self) -> Vec<bool>
    where
        S: Tests,
    {
        crate::projection::projection(&self.functional(), self.semiring, self.system.symbols())
    }
}
