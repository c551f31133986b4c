//! What level 2 did, in numbers: for `--stats`, and for tests that hold it to zero errors of its own.

use crate::Inexact;
use logic::Settled;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// What came of refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Refined {
    /// No path is left: a proof.
    Refuted,
    /// No path with evidence is left.
    Latent,
    /// A path that can be taken.
    Found,
    /// A path taught nothing that was not known.
    Stuck,
    /// The budget of states or rounds ended.
    Budget,
}

/// Functions that may meet conditions of their callees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Met {
    /// Dual analysis was asked, now or in an earlier run.
    pub asked: usize,
    /// And suspected something, now.
    pub suspected: usize,
    /// Errors that a run showed.
    pub shown: usize,
}

/// What level 2 did, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub paths: usize,
    /// Checks for which several functions were looked at as one.
    pub looks: usize,
    /// Functions that were looked at with all that they call.
    pub together: usize,
    /// Conditions of callees that callers meet.
    pub met: Met,
    /// Checks for which another path was looked for.
    pub sought: usize,
    /// Who settled the questions that were asked.
    pub settled: Settled,
    /// Paths on which some fact is false as it stands: nobody was asked.
    pub contradictions: usize,
    pub infeasible: usize,
    pub feasible: usize,
    pub undecided: usize,
    /// Feasible paths: the interpreter fails there, too.
    pub confirmed: usize,
    /// It does not, although nothing on the path is approximated: an error of rigel.
    pub defects: usize,
    /// It cannot tell: something on the path is approximated, or cannot be run.
    pub not_replayed: usize,
    /// Checks that refinement was tried on, by what came of it and after how many rounds.
    pub refined: BTreeMap<(Refined, usize), usize>,
    /// States of all searches that refinement made.
    pub refining_states: usize,
    /// Nodes of the bodies that refinement searched, and of their error projections.
    pub projected: (usize, usize),
    /// What refinement took of all threads, the judgement of its paths included; 0 without a stopwatch.
    pub refining: Duration,
    /// Observers that were made: of intervals, and of cores.
    pub observers: (usize, usize),
    /// Feasible paths that need values to coincide that nothing in view relates.
    pub coincidences: usize,
    /// Why, with how often.
    pub reasons: BTreeMap<String, usize>,
    /// What the provers said of themselves.
    pub troubles: Vec<String>,
    /// What level 2 did not treat exactly.
    pub inexact: Inexact,
    /// Of each path, from walking it to its replay; empty without a stopwatch.
    pub costs: Vec<Duration>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.paths += other.paths;
        self.looks += other.looks;
        self.together += other.together;
        self.met.asked += other.met.asked;
        self.met.suspected += other.met.suspected;
        self.met.shown += other.met.shown;
        self.sought += other.sought;
        self.settled += other.settled;
        self.contradictions += other.contradictions;
        self.infeasible += other.infeasible;
        self.feasible += other.feasible;
        self.undecided += other.undecided;
        self.confirmed += other.confirmed;
        self.defects += other.defects;
        self.not_replayed += other.not_replayed;
        self.refining_states += other.refining_states;
        self.projected.0 += other.projected.0;
        self.projected.1 += other.projected.1;
        for (key, count) in &other.refined {
            *self.refined.entry(*key).or_default() += count;
        }
        self.refining += other.refining;
        self.observers.0 += other.observers.0;
        self.observers.1 += other.observers.1;
        self.coincidences += other.coincidences;
        self.inexact += other.inexact;
        self.costs.extend(&other.costs);
        for (why, count) in &other.reasons {
            *self.reasons.entry(why.clone()).or_default() += count;
        }
        for what in &other.troubles {
            if !self.troubles.contains(what) {
                self.troubles.push(what.clone());
            }
        }
    }

    /// What the median path costs, the 95th percentile, and the dearest.
    pub fn cost(&self) -> Option<[Duration; 3]> {
        let mut costs = self.costs.clone();
        costs.sort_unstable();
        let last = costs.len().checked_sub(1)?;
        Some([costs[last / 2], costs[last * 95 / 100], costs[last]])
    }
}
