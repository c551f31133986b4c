//! Are the questions that level 2 asked about other functions answered as they were?

use super::digest::{self, Digest};
use super::numbers::Numbers;
use automata::Context;
use automata::footprint::Question;
use ir::FuncId;
use ir::arena::Id;
use serde::{Deserialize, Serialize};

/// A question and its answer, as they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    what: What,
    /// About whom, by name.
    whom: u128,
    answer: u128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum What {
    Body,
    Summary,
    Writes,
    Callers,
}

/// Answers of one program.
pub(crate) struct Answers<'a, 'p> {
    pub context: &'a Context<'p>,
    pub numbers: &'a Numbers,
    pub keys: &'a [u128],
}

impl Answers<'_, '_> {
    /// What is to be kept of questions.
    pub fn keep(&self, questions: &[Question]) -> Vec<Asked> {
        let all = questions.iter().map(|question| {
            let (what, f) = match *question {
                Question::Body(f) => (What::Body, f),
                Question::Summary(f) => (What::Summary, f),
                Question::Writes(f) => (What::Writes, f),
                Question::Callers(f) => (What::Callers, f),
            };
            Asked {
                what,
                whom: self.numbers.names[f.index()],
                answer: self.answer(what, f),
            }
        });
        all.collect()
    }

    /// Would all of them be answered as they were?
    pub fn are_as_before(&self, asked: &[Asked]) -> bool {
        // Writes are dear, and rarely what changed.
        let (dear, cheap): (Vec<&Asked>, Vec<&Asked>) =
            asked.iter().partition(|a| a.what == What::Writes);
        cheap.into_iter().chain(dear).all(|a| {
            let f = self.numbers.named(a.whom);
            f.is_some_and(|f| self.answer(a.what, f) == a.answer)
        })
    }

    fn answer(&self, what: What, f: FuncId) -> u128 {
        match what {
            What::Body => self.keys[f.index()],
            What::Summary => self.context.summaries.get(f).map_or(0, digest::of),
            What::Writes => self.context.effects().content(self.context.program, f),
            What::Callers => self.callers(f),
        }
    }

    /// Who calls it, and how: the callers' keys.
    fn callers(&self, f: FuncId) -> u128 {
        let graph = self.context.graph;
        let callers = graph.callers(f).iter();
        let mut keys: Vec<(u128, u128)> = callers
            .map(|c| (self.numbers.names[c.index()], self.keys[c.index()]))
            .collect();
        keys.sort_unstable();
        let mut digest = Digest::default();
        digest.number(u64::from(graph.is_address_taken(f)));
        for (name, key) in keys {
            digest.wide(name).wide(key);
        }
        digest.finish()
    }
}
