//! The order in which functions are analysed: bottom-up over direct calls, level by level.
//!
//! Calls through pointers do not count here: nearly every function of a large program would be
//! in one recursion with nearly every other, and no summary would be there when it is needed.
//! Within a recursion each function is a level of its own, so that later ones know earlier ones.

use ir::arena::Id;
use ir::{Arena, Body, Callee, ExprKind, FuncId, Program, Stmt};
use rayon::prelude::*;

/// Who is analysed when.
pub struct Schedule {
    /// Functions with a body: what a function calls directly lies in an earlier level, its own recursion
    /// apart.
    pub levels: Vec<Vec<FuncId>>,
    /// For each function those with a body that it calls or names and that lie in an earlier level, in id
    /// order: all that its own analysis may know of others.
    pub before: Vec<Vec<FuncId>>,
}

impl Schedule {
    /// `components`: those of [`components`].
    pub fn new(program: &Program, mentions: &[Mentions], components: &[Vec<FuncId>]) -> Schedule {
        let levels = levels(program, mentions, components);
        let mut level_of = vec![usize::MAX; mentions.len()];
        for (i, level) in levels.iter().enumerate() {
            for f in level {
                level_of[f.index()] = i;
            }
        }
        let before = mentions.iter().enumerate().map(|(f, mentions)| {
            let mut all: Vec<FuncId> = mentions.called.clone();
            all.extend(&mentions.named);
            all.retain(|g| level_of[g.index()] < level_of[f]);
            all.sort_unstable();
            all.dedup();
            all
        });
        Schedule {
            before: before.collect(),
            levels,
        }
    }
}

/// The strongly connected components of direct calls, callees before callers.
pub fn components(mentions: &[Mentions]) -> Vec<Vec<FuncId>> {
    let called: Vec<Vec<FuncId>> = mentions.iter().map(|m| m.called.clone()).collect();
    let callees: Arena<FuncId, Vec<FuncId>> = called.into();
    ir::callgraph::components(&callees)
}

fn levels(
    program: &Program,
    mentions: &[Mentions],
    components: &[Vec<FuncId>],
) -> Vec<Vec<FuncId>> {
    let mut component_of = vec![0usize; mentions.len()];
    for (i, component) in components.iter().enumerate() {
        for &f in component {
            component_of[f.index()] = i;
        }
    }
    // The first level after a component.
    let mut after = vec![0usize; components.len()];
    let mut levels: Vec<Vec<FuncId>> = Vec::new();
    for (i, component) in components.iter().enumerate() {
        let below = component.iter().flat_map(|f| &mentions[f.index()].called);
        let mut level = below
            .map(|c| component_of[c.index()])
            .filter(|c| *c != i)
            .map(|c| after[c])
            .max()
            .unwrap_or(0);
        for &f in component {
            if program.functions[f].body.is_none() {
                continue;
            }
            if levels.len() <= level {
                levels.resize_with(level + 1, Vec::new);
            }
            levels[level].push(f);
            level += 1;
        }
        after[i] = level;
    }
    for level in &mut levels {
        level.sort_unstable();
    }
    levels
}

/// The functions that a body speaks of, in id order, each once.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    /// Called by name.
    pub called: Vec<FuncId>,
    /// Whose address it takes.
    pub named: Vec<FuncId>,
}

impl Mentions {
    pub fn of(body: &Body) -> Mentions {
        let mut all = Mentions::default();
        for edge in body.edges().values() {
            if let Stmt::Call(call) = &edge.stmt
                && let Callee::Direct(callee) = call.callee
            {
                all.called.push(callee);
            }
        }
        for e in body.exprs.values() {
            if let ExprKind::Function(f) = e.kind {
                all.named.push(f);
            }
        }
        for list in [&mut all.called, &mut all.named] {
            list.sort_unstable();
            list.dedup();
        }
        all
    }

    /// Of every function.
    pub fn of_all(program: &Program) -> Vec<Mentions> {
        let functions = program.functions.as_slice().par_iter();
        let mentions = functions.map(|f| f.body.as_ref().map(Mentions::of).unwrap_or_default());
        mentions.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_come_first_and_a_recursion_one_by_one() {
        let source = "
            fn main() -> void { 0: call a() 1: call b() 2: exit }
            fn a() -> void { 0: call b() 1: exit }
            fn b() -> void { 0: call c() 1: exit }
            fn c() -> void { 0: call b() 1: call d() 2: exit }
            fn alone() -> void { 0: exit }
            extern fn d() -> void";
        let program = ir::parse(source).unwrap_or_else(|e| panic!("{e}"));
        let mentions = Mentions::of_all(&program);
        let schedule = Schedule::new(&program, &mentions, &components(&mentions));
        let names: Vec<Vec<&str>> = schedule
            .levels
            .iter()
            .map(|level| level.iter().map(|f| program.function_name(*f)).collect())
            .collect();
        assert_eq!(
            names,
            [vec!["b", "alone"], vec!["c"], vec!["a"], vec!["main"]]
        );
    }
}
