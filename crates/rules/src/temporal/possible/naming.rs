//! Names: which functions, variables and literals of a program a pattern means.

use super::wanted::Wanted;
use crate::temporal::label::Argument;
use ir::{GlobalId, Program};
use rustc_hash::FxHashMap;

/// What rigel itself puts into programs.
pub(super) fn is_own(name: &str) -> bool {
    name.starts_with("__rigel_") || name == "__asm__" || name.starts_with("llvm.")
}

/// Does the name fit the pattern, in which `*` stands for any letters?
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

/// What functions are called: by the linker, and by people.
pub(super) struct Names<'a> {
    all: Vec<(&'a str, &'a str)>,
    by_name: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Names<'a> {
    pub fn of(program: &'a Program) -> Names<'a> {
        let name = |f: &ir::Function| {
            let display = program.name(f.display);
            let display = display.split('(').next().unwrap_or(display);
            (program.name(f.name), display)
        };
        let all: Vec<_> = program.functions.values().map(name).collect();
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, (name, display)) in all.iter().enumerate() {
            by_name.entry(*name).or_default().push(at);
            if display != name {
                by_name.entry(*display).or_default().push(at);
            }
        }
        Names { all, by_name }
    }

    pub fn functions<'s>(&'s self, patterns: &'s [String]) -> impl Iterator<Item = usize> + 's {
        let mut found: Vec<usize> = Vec::new();
        for pattern in patterns {
            match pattern.contains('*') {
                true => found.extend((0..self.all.len()).filter(|at| {
                    let (name, display) = self.all[*at];
                    fits(pattern, name) || fits(pattern, display)
                })),
                false => found.extend(self.by_name.get(pattern.as_str()).into_iter().flatten()),
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter()
    }
}

/// Globals by their names: variables, and the literals that texts are.
pub(super) struct Literals<'a> {
    by_name: FxHashMap<&'a str, Vec<GlobalId>>,
}

impl<'a> Literals<'a> {
    pub fn of(program: &'a Program) -> Literals<'a> {
        let mut by_name: FxHashMap<&str, Vec<GlobalId>> = FxHashMap::default();
        for (id, global) in program.globals.iter() {
            let name = program.name(global.name);
            by_name.entry(name).or_default().push(id);
        }
        Literals { by_name }
    }

    pub fn variables(&self, name: &str) -> Vec<GlobalId> {
        self.by_name.get(name).cloned().unwrap_or_default()
    }

    pub fn wanted(&self, argument: &Argument) -> Wanted {
        match argument {
            Argument::Any => Wanted::Any,
            Argument::Value => Wanted::Value,
            Argument::Int(n) => Wanted::Int(*n),
            Argument::Null => Wanted::Null,
            Argument::Text(text) => Wanted::Text(self.variables(&format!("\"{text}\""))),
        }
    }
}
