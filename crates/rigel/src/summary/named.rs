//! The functions that the user names, and what is offered where there is none of that name.

use crate::pipeline::Loaded;
use ir::{FuncId, Function};

/// Similar names that are offered.
const OFFERED: usize = 3;

/// The functions that are asked for: all that are not a system's, or those of these names.
pub fn wanted(loaded: &Loaded, names: &[String]) -> Result<Vec<FuncId>, String> {
    let program = &loaded.program;
    if names.is_empty() {
        return Ok(loaded.functions().map(|(id, ..)| id).collect());
    }
    let spelled = |f: &Function| [program.name(f.name), program.name(f.display)];
    if let Some(name) = names.iter().find(|name| {
        let mut all = program.bodies();
        !all.any(|(_, f, _)| spelled(f).contains(&name.as_str()))
    }) {
        let known = loaded.functions().map(|(_, f, _)| program.name(f.display));
        let similar = similar(name, known);
        let hint = match similar.is_empty() {
            true => "`rigel summary` without --function shows all".to_string(),
            false => format!("similar: {}", similar.join(", ")),
        };
        return Err(format!("no function `{name}` is defined here ({hint})"));
    }
    let is_wanted = |f: &Function| {
        let [linkage, display] = spelled(f);
        names.iter().any(|n| n == linkage || n == display)
    };
    let all = program.bodies().filter(|(_, f, _)| is_wanted(f));
    Ok(all.map(|(id, ..)| id).collect())
}

/// The names nearest to one that is not known, the nearest first.
fn similar<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let near = |other: &str| {
        let steps = steps(name, other);
        let part = other.contains(name) || (!other.is_empty() && name.contains(other));
        (part || steps <= 1 + name.chars().count() / 4).then_some(steps)
    };
    let mut near: Vec<_> = known.filter_map(|k| Some((near(k)?, k))).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter()
        .take(OFFERED)
        .map(|(_, name)| name)
        .collect()
}

/// How many letters must be put in, taken out or changed to get from one word to another.
fn steps(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_offered() {
        let known = ["insert", "insert_all", "remove", "inset", "find", "insert"];
        assert_eq!(
            similar("inser", known.into_iter()),
            ["insert", "inset", "insert_all"]
        );
        assert_eq!(similar("quicksort", known.into_iter()), [""; 0]);
        assert_eq!(steps("kitten", "sitting"), 3);
        assert_eq!((steps("", "abc"), steps("abc", "")), (3, 3));
    }
}
