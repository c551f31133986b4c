//! Where a function meets a condition of failure, whoever calls it (issue 7 §4; dual.txt §3: an ERR condition is propagated
//! to the callers until one meets it).
//!
//! ERR of a callee is no error: its callers may know better than to meet it. What a call makes of it is a condition on the
//! caller's inputs, which may be as harmless. But if *whatever comes to the call* can fail there, the caller's inputs decide
//! nothing any more; nor do they if a path of the caller's own, that it chose by a branch, comes to the call and cannot but
//! fail. Then the condition is met here, and nobody further up could have prevented it but by not coming here.
//!
//! What is found is a suspicion: the sets are larger than what happens. It comes with inputs to run the function with.

use crate::execute::Place;
use crate::function::{collected, ends, inputs_of};
use crate::input::{Aspect, Input};
use crate::program::{Dual, Effort};
use ir::FuncId;
use isl::{Constraint, Dim, Result, Set, Stopped};
use std::collections::BTreeMap;

/// A place of a function where it fails, whoever calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    pub place: Place,
    /// Inputs with which to try it.
    pub inputs: Vec<(Input, i128)>,
}

impl Dual<'_> {
    /// Where a function meets conditions of failure, its own and those of its callees, as far as there are summaries
    /// ([`Dual::need`]).
    pub fn met(&mut self, f: FuncId) -> Result<Vec<Met>> {
        let program = self.program;
        let Some(body) = program.functions.get(f).and_then(|f| f.body.as_ref()) else {
            return Err(Stopped::Failed("it has no body".into()));
        };
        let mut met = Vec::new();
        let effort = self.try_hard(&mut |dual, limits| {
            let mut run = dual.run(body);
            run.watched = true;
            let ends = ends(&dual.context, &mut run, dual.callees(), limits)?;
            let outcomes = collected(&dual.context, &run.symbols, &ends, limits)?;
            let mut fails: BTreeMap<Place, Set> = BTreeMap::new();
            for (failure, set) in &outcomes.failures {
                let all = fails.entry(failure.place());
                let all = all.or_insert(outcomes.none()?);
                *all = all.union(set)?;
            }
            met.clear();
            for (place, fails) in fails {
                let inputs = |paths: &[_]| -> Result<Set> {
                    let all = inputs_of(&dual.context, &run.symbols, paths)?;
                    all.intersect(&outcomes.possible)
                };
                let paths = |of: &BTreeMap<Place, Vec<_>>| of.get(&place).cloned();
                let surely = paths(&ends.reached.surely).unwrap_or_default();
                let mut where_met = inputs(&surely)?;
                if where_met.is_empty()? {
                    let all = paths(&ends.reached.paths).unwrap_or_default();
                    let all = inputs(&all)?;
                    if all.is_subset(&fails)? {
                        where_met = all;
                    }
                }
                if let Some(inputs) = ordinary(&where_met, &outcomes.inputs)? {
                    met.push(Met { place, inputs });
                }
            }
            Ok(())
        });
        match effort {
            Effort::Nothing(stopped) => Err(stopped),
            _ => Ok(met),
        }
    }
}

/// Bytes of an object that is large enough for most.
const LARGE: i128 = 4096;

/// Inputs of a set that are as ordinary as can be: objects in good order and large, numbers small and not negative. None if
/// there are none.
fn ordinary(set: &Set, inputs: &[Input]) -> Result<Option<Vec<(Input, i128)>>> {
    if set.is_empty()? {
        return Ok(None);
    }
    let mut set = set.clone();
    for (at, input) in inputs.iter().enumerate() {
        let (least, equal) = match input.aspect {
            Aspect::Alive | Aspect::Initialized | Aspect::Filled => (1, true),
            Aspect::Offset => (0, true),
            Aspect::Length => (LARGE, true),
            Aspect::Value => (0, false),
        };
        let wish = match equal {
            true => Constraint::equal([(Dim::At(at), 1)], -least),
            false => Constraint::at_least_zero([(Dim::At(at), 1)], -least),
        };
        let closer = set.constrain(&[wish])?;
        if !closer.is_empty()? {
            set = closer;
        }
    }
    let point = set
        .lexmin()?
        .map_or_else(|| set.sample(), |p| Ok(Some(p)))?;
    Ok(point.map(|point| inputs.iter().cloned().zip(point).collect()))
}
