//! Which rules the user wants to see: `--rules a,b`, `--rules all`.

use crate::all;
use thiserror::Error;

/// A set of rules: those to show, or those whose checks are put in ([`Selection::checked`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Selection(u128);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no rule `{name}`{}; `rigel rules` lists them", near.map(|n| format!(", did you mean `{n}`?")).unwrap_or_default())]
pub struct UnknownRule {
    pub name: String,
    pub near: Option<&'static str>,
}

impl Default for Selection {
    fn default() -> Self {
        Selection::of(|i| all()[i].meta().shown_by_default)
    }
}

impl Selection {
    /// All at whose errors a run ends. (`--rules all` are [`Selection::everything`].)
    pub fn all() -> Self {
        Selection::of(|i| all()[i].ends_runs())
    }

    /// All that there are.
    pub fn everything() -> Self {
        Selection::of(|_| true)
    }

    /// These, and all rules of the user.
    pub fn with_users(self) -> Self {
        Selection(self.0 | Selection::of(|i| i >= crate::built_in().len()).0)
    }

    /// All but those that ask of loops whether they end: for whoever says that of a function as a whole.
    pub fn all_but_loops() -> Self {
        Selection::of(|i| all()[i].ends_runs() && !all()[i].asks_of_loops())
    }

    fn of(member: impl Fn(usize) -> bool) -> Self {
        Selection(
            (0..all().len())
                .filter(|&i| member(i))
                .map(|i| 1 << i)
                .sum(),
        )
    }

    /// Those whose id satisfies the condition.
    pub(crate) fn of_ids(member: impl Fn(&str) -> bool) -> Self {
        Selection::of(|i| member(all()[i].meta().id))
    }

    /// Reads `all`, `default`, or a list of rules separated by commas. A rule with a minus is
    /// taken out again: `all,-shift-range`; a list that starts with one starts from the default.
    pub fn parse(list: &str) -> Result<Self, UnknownRule> {
        let mut set = 0;
        for (i, word) in list.split(',').map(str::trim).enumerate() {
            let (minus, name) = match word.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, word),
            };
            if minus && i == 0 {
                set = Selection::default().0;
            }
            let bits = match name {
                "" => 0,
                "all" => Selection::everything().0,
                "default" => Selection::default().0,
                _ => {
                    let index = all().iter().position(|r| r.meta().id == name);
                    1 << index.ok_or_else(|| UnknownRule {
                        name: name.to_string(),
                        near: nearest(name),
                    })?
                }
            };
            set = if minus { set & !bits } else { set | bits };
        }
        Ok(Selection(set))
    }

    /// Is what this rule finds shown to the user?
    pub fn shows(self, rule: &str) -> bool {
        all()
            .iter()
            .position(|r| r.meta().id == rule)
            .is_some_and(|i| self.0 >> i & 1 == 1)
    }

    /// What has to be checked for these to be shown: every rule that asks something of single statements, too.
    ///
    /// A run that follows a null pointer, divides by zero or overflows ends there, whoever wants to see it. Whatever comes behind
    /// such a check relies on it: an engine that did not know of it would go on where no run does, and choose inputs with which
    /// the program is long dead. Rules that are woven in (order, loops) are only about themselves: left out, they cost nothing.
    pub fn checked(self) -> Self {
        Selection(
            self.0 | Selection::of(|i| all()[i].ends_runs() && !all()[i].listens().is_empty()).0,
        )
    }
}

/// The rule whose id needs the fewest edits, if they are few enough for a slip.
fn nearest(name: &str) -> Option<&'static str> {
    all()
        .iter()
        .map(|r| r.meta().id)
        .map(|id| (edits(name, id), id))
        .filter(|&(n, id)| n <= id.len() / 3)
        .min()
        .map(|(_, id)| id)
}

/// Levenshtein's distance of two short strings.
pub(crate) fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let s = Selection::parse("null-dereference, out-of-bounds").unwrap();
        assert!(s.shows("null-dereference") && s.shows("out-of-bounds"));
        assert!(!s.shows("assertion") && !s.shows("integer-overflow"));
        let checked = s.checked();
        assert!(checked.shows("assertion") && checked.shows("integer-overflow"));
        assert!(!checked.shows("double-free") && !checked.shows("infinite-loop"));
        let ends = |s: Selection| Selection(s.0 & Selection::all().0);
        assert_eq!(ends(Selection::default().checked()), Selection::all());
        assert_eq!(
            Selection::all_but_loops().checked(),
            Selection::all_but_loops()
        );
        let s = Selection::parse("all,-assertion").unwrap();
        assert!(s.shows("shift-range") && !s.shows("assertion"));
        let s = Selection::parse("-assertion").unwrap();
        assert!(s.shows("null-dereference") && !s.shows("assertion"));
        assert_eq!(Selection::parse("default"), Ok(Selection::default()));
    }

    #[test]
    fn a_slip_is_corrected() {
        let e = Selection::parse("null-deref,nul-dereference").unwrap_err();
        assert_eq!(e.name, "null-deref");
        let e = Selection::parse("nul-dereference").unwrap_err();
        assert_eq!(
            e.to_string(),
            "there is no rule `nul-dereference`, did you mean `null-dereference`?; `rigel rules` lists them"
        );
        assert_eq!(Selection::parse("xyz").unwrap_err().near, None);
    }
}
