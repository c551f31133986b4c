//! How sure an error is of which level 1 and 2 have found a path (design.md §7).

use crate::execute::{Ends, Failure, Limits};
use crate::function::{Outcomes, along, collected, ends, inputs_of};
use crate::input::{Aspect, Input};
use crate::notation::Notation;
use crate::path::Path;
use crate::program::Dual;
use crate::run::Run;
use ir::{Body, CheckId, EdgeId, FuncId};
use isl::{Result, Set, Stopped};

/// What is certain of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certain {
    /// Every run that has these inputs fails there, or never ends; none if they are too many words.
    Must(Option<String>),
    /// It can fail; nothing is certain.
    May,
    /// No run fails there.
    Never,
}

/// What is known of one path.
enum Way {
    Forced(Certain),
    /// It would be, but a call on it may end the run.
    Ends,
    /// On more than the inputs.
    Depends,
    /// No run takes just this path.
    None,
}

impl Dual<'_> {
    /// What is certain of an error: a check of a body, and a path that fails there.
    ///
    /// First, of this path alone: if its branches depend on nothing but the inputs, every run with these inputs takes it. To say
    /// which may need to know those that it calls. If they depend on more, on what a callee gives or what is not known, or if the
    /// path leads through a loop without its turns and is no run, then all runs of the body are executed, if it is small.
    pub fn error(
        &mut self,
        body: &Body,
        check: CheckId,
        path: &[EdgeId],
        called: &[FuncId],
    ) -> Result<Certain> {
        let (limits, operations) = (self.settings.limits, self.settings.operations);
        let forced = |dual: &mut Self| {
            dual.attempt(limits, operations, &mut |dual, limits| {
                dual.forced(body, path, limits)
            })
        };
        let mut way = forced(self)?;
        if let Way::Ends | Way::Depends = way {
            self.need(called);
            way = forced(self)?;
        }
        let is_small = body.edges().len() <= self.settings.edges;
        let whole = |dual: &mut Self| {
            dual.attempt(limits, operations, &mut |dual, limits| {
                dual.inevitable(body, check, limits)
            })
        };
        match way {
            Way::Forced(certain) => Ok(certain),
            Way::None if !is_small => Err(Stopped::Budget),
            Way::None => whole(self),
            Way::Depends | Way::Ends if !is_small => Ok(Certain::May),
            // What is too much for all runs is not too much for this path.
            Way::Depends | Way::Ends => Ok(whole(self).unwrap_or(Certain::May)),
        }
    }

    /// A run of the body that an error is in: the program may begin with it.
    fn beginning<'b>(&self, body: &'b Body) -> Run<'b>
    where
        Self: 'b,
    {
        Run {
            begins: self.settings.begins,
            ..self.run(body)
        }
    }

    /// Is a path taken, whatever happens, by all runs with some inputs?
    fn forced(&mut self, body: &Body, path: &[EdgeId], limits: Limits) -> Result<Way> {
        let mut run = self.beginning(body);
        let (failing, certain) = along(&self.context, &mut run, self.callees(), limits, path)?;
        let is_forced = |path: &Path| !path.guessed && run.symbols.are_of_inputs(&path.facts);
        let all = failing.len();
        let failing: Vec<Path> = failing.into_iter().filter(is_forced).collect();
        if failing.is_empty() {
            return Ok(if all == 0 { Way::None } else { Way::Depends });
        }
        let outcomes = collected(&self.context, &run.symbols, &Ends::default(), limits)?;
        let facts = failing.iter().map(|path| &path.facts);
        let taken = inputs_of(&self.context, &run.symbols, facts)?;
        let taken = taken.intersect(&outcomes.possible)?;
        if taken.is_empty()? {
            return Ok(Way::None);
        }
        if !certain {
            return Ok(Way::Ends);
        }
        Ok(Way::Forced(self.must(body, &outcomes, &taken)?))
    }

    /// Are there inputs with which the check must fail, whatever pointers there are among them? (A pointer that nobody says to
    /// be bad is no evidence: design.md §6.)
    fn inevitable(&mut self, body: &Body, check: CheckId, limits: Limits) -> Result<Certain> {
        let failure = Failure::Here(check);
        let mut run = self.beginning(body);
        let ends = ends(&self.context, &mut run, self.callees(), limits)?;
        let outcomes = collected(&self.context, &run.symbols, &ends, limits)?;
        if !outcomes.failures.contains_key(&failure) {
            // Whoever is not known may have done what makes it fail: freed, written.
            return Ok(match outcomes.guessed {
                true => Certain::May,
                false => Certain::Never,
            });
        }
        // What is called and not known may end the program.
        if outcomes.guessed || outcomes.strangers {
            return Ok(Certain::May);
        }
        let must = outcomes.must_at(failure)?;
        let is_pointer = |input: &Input| {
            let offset = Input {
                given: input.given.clone(),
                aspect: Aspect::Offset,
            };
            outcomes.inputs.contains(&offset)
        };
        let pointers = (0..).zip(&outcomes.inputs);
        let pointers = pointers.filter(|(_, input)| is_pointer(input));
        let pointers: Vec<usize> = pointers.map(|(at, _)| at).collect();
        let whatever = pointers
            .iter()
            .try_fold(must.project_out(&pointers)?, |set, at| set.insert(*at, 1))?;
        let whatever = whatever.intersect(&outcomes.possible)?;
        match whatever.is_subset(&must)? {
            true => self.must(body, &outcomes, &must),
            false => Ok(Certain::May),
        }
    }

    /// Certain with these inputs, if there are any.
    fn must(&self, body: &Body, outcomes: &Outcomes, inputs: &Set) -> Result<Certain> {
        let inputs = inputs.coalesce()?;
        if inputs.is_empty()? {
            return Ok(Certain::May);
        }
        let notation = Notation::new(self.program, body, outcomes)?;
        let condition = notation.condition(&inputs).ok();
        let condition = condition.filter(|c| c.exact).map(|c| c.text);
        Ok(Certain::Must(condition))
    }
}
