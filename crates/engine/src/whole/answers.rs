//! Are the questions that level 2 asked about other functions answered as they were?

use super::digest::{self, Digest};
use super::numbers::Numbers;
use automata::Context;
use automata::effects::{Kind, Name};
use automata::footprint::Question;
use ir::FuncId;
use ir::arena::Id;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A question and its answer, as they are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Asked {
    /// About whom, by name.
    One(What, u128, u128),
    /// What a function, by name, may write and what not.
    Writes(u128, Vec<(Name, bool)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum What {
    Body,
    Summary,
    Callers,
}

/// Answers of one program.
pub(crate) struct Answers<'a, 'p> {
    context: &'a Context<'p>,
    numbers: &'a Numbers,
    keys: &'a [u128],
    /// Digests of summaries, once somebody asks.
    summaries: Vec<OnceLock<u128>>,
}

impl<'a, 'p> Answers<'a, 'p> {
    pub fn new(
        context: &'a Context<'p>,
        numbers: &'a Numbers,
        keys: &'a [u128],
    ) -> Answers<'a, 'p> {
        let summaries = keys.iter().map(|_| OnceLock::new());
        Answers {
            context,
            numbers,
            keys,
            summaries: summaries.collect(),
        }
    }

    /// What is to be kept of questions, which are in order.
    pub fn keep(&self, questions: &[Question]) -> Vec<Asked> {
        let mut all: Vec<Asked> = Vec::new();
        for question in questions {
            let (what, f) = match *question {
                Question::Body(f) => (What::Body, f),
                Question::Summary(f) => (What::Summary, f),
                Question::Callers(f) => (What::Callers, f),
                Question::Writes(f, kind) => {
                    self.keep_write(f, kind, &mut all);
                    continue;
                }
            };
            let whom = self.numbers.names[f.index()];
            all.push(Asked::One(what, whom, self.answer(what, f)));
        }
        all
    }

    fn keep_write(&self, f: FuncId, kind: Kind, all: &mut Vec<Asked>) {
        let effects = self.context.effects();
        let name = effects.name(self.context.program, kind);
        let answer = (name, effects.writes(f, kind));
        let of = self.numbers.names[f.index()];
        match all.last_mut() {
            Some(Asked::Writes(whom, answers)) if *whom == of => answers.push(answer),
            _ => all.push(Asked::Writes(of, vec![answer])),
        }
    }

    /// Would all of them be answered as they were?
    pub fn are_as_before(&self, asked: &[Asked]) -> bool {
        asked.iter().all(|asked| match asked {
            Asked::One(what, whom, answer) => {
                let f = self.numbers.named(*whom);
                f.is_some_and(|f| self.answer(*what, f) == *answer)
            }
            Asked::Writes(whom, answers) => {
                let f = self.numbers.named(*whom);
                let (effects, program) = (self.context.effects(), self.context.program);
                f.is_some_and(|f| {
                    let mut all = answers.iter();
                    all.all(|(name, may)| effects.writes_named(program, f, *name) == Some(*may))
                })
            }
        })
    }

    fn answer(&self, what: What, f: FuncId) -> u128 {
        match what {
            What::Body => self.keys[f.index()],
            What::Summary => *self.summaries[f.index()]
                .get_or_init(|| self.context.summaries.get(f).map_or(0, digest::of)),
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
