//! Two analyses of one program, compared: the promise that an incremental run gives what a fresh one does
//! (Theorems 2 and 3 of Conway et al., as far as anybody can see them) is tested and measured with this.

use crate::{Analysis, Tally};
use std::fmt::Debug;
use std::time::Duration;

impl Analysis {
    /// The first thing in which two analyses differ, in words; none if they say the same. Times do not count, nor
    /// does anything else depend on the machine.
    pub fn difference(&self, other: &Analysis) -> Option<String> {
        // In full, so that what is added to an analysis is compared, or said not to be.
        let Analysis {
            errors,
            latent,
            refuted,
            undecided,
            counts,
            by_function,
            exhausted,
            defects,
            statistics,
            steps,
            tally,
            sure,
            unknown_names,
        } = self;
        let lists = [
            list("errors", errors, &other.errors),
            list("latent", latent, &other.latent),
            list("refuted", refuted, &other.refuted),
            list("undecided", undecided, &other.undecided),
            list("by function", by_function, &other.by_function),
            list("exhausted", exhausted, &other.exhausted),
            list("defects", defects, &other.defects),
            list("unknown names", unknown_names, &other.unknown_names),
        ];
        let numbers = [
            one("counts", counts, &other.counts),
            one("statistics", statistics, &other.statistics),
            one("steps", steps, &other.steps),
            one("how sure", sure, &other.sure),
            one("level 2", &timeless(tally), &timeless(&other.tally)),
        ];
        lists.into_iter().chain(numbers).flatten().next()
    }
}

/// What depends neither on the machine nor on what is remembered.
fn timeless(tally: &Tally) -> Tally {
    Tally {
        // Whether it was the solver who said what it says.
        settled: tally.settled.taken_over(),
        refining: Duration::ZERO,
        costs: Vec::new(),
        ..tally.clone()
    }
}

fn one<T: PartialEq + Debug>(what: &str, a: &T, b: &T) -> Option<String> {
    (a != b).then(|| format!("{what}: {a:?}, and {b:?}"))
}

/// Names the first element only: lists are long.
fn list<T: PartialEq + Debug>(what: &str, a: &[T], b: &[T]) -> Option<String> {
    let longest = a.len().max(b.len());
    let at = (0..longest).find(|i| a.get(*i) != b.get(*i))?;
    let [first, second] = [a, b].map(|list| match list.get(at) {
        Some(element) => format!("{element:?}"),
        None => "nothing".to_string(),
    });
    let (first_length, second_length) = (a.len(), b.len());
    Some(format!(
        "{what} {at} (of {first_length}, and {second_length}): {first}, and {second}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counts, ErrorPath};
    use ir::{CheckId, EdgeId, FuncId};

    fn analysis(paths: &[u32]) -> Analysis {
        let error = |edge: &u32| ErrorPath::new(FuncId(0), CheckId(0), vec![EdgeId(*edge)]);
        Analysis {
            errors: paths.iter().map(error).collect(),
            ..Analysis::default()
        }
    }

    #[test]
    fn what_is_said_is_compared_and_times_are_not() {
        let mut first = analysis(&[1, 2]);
        first.tally.costs.push(Duration::from_secs(1));
        assert_eq!(first.difference(&analysis(&[1, 2])), None);
        let said = first.difference(&analysis(&[1, 3])).unwrap_or_default();
        assert!(said.starts_with("errors 1 (of 2, and 2)"), "{said}");
        let said = first.difference(&analysis(&[1])).unwrap_or_default();
        assert!(said.ends_with("and nothing"), "{said}");
        first.by_function.push((FuncId(0), Counts::default()));
        let said = first.difference(&analysis(&[1, 2])).unwrap_or_default();
        assert!(said.starts_with("by function 0"), "{said}");
    }
}
