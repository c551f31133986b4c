//! Leaks: what a function owns is lost while nobody has given it back.
//!
//! Who calls `malloc` owns what it gives, until it is released, or handed to somebody who may keep it. It is an error if the
//! last variable that holds it ends, or is overwritten, before. As a property of runs that is a safety automaton, *owned* to
//! *lost*; but unlike those of [`crate::temporal`] it does not hear of the value by name. What is lost is lost because no
//! name is left. So a walk over the body ([`walk`]) follows, from each statement that acquires something, the set of variables
//! that may hold it, and finds the statements where ownership ends (it is stored, returned, handed to who may keep it, found to
//! be null) and those where the last holder goes ([`place`] says where a person would look for that). What is left for the engines is
//! one bit: is it owned on this path? That is a ghost, and the loss is a check of it ([`weave`]):
//!
//! ```text
//!     p = malloc(n);          value = p;  state = p != null ? 1 : 0
//!     if (!p)                 state = 0
//!         return -1;          check state != 1
//!     if (n > 10)
//!         return -2;          check state != 1          fails
//!     free(p);                state = 0
//!     return 0;               check state != 1
//! ```
//!
//! The set of holders is never too small: a pointer that may be an alias keeps what it holds alive, and everything that is not
//! known to only look at a pointer ends ownership ([`fate`]). So a check that fails is a loss; what is missed are losses of what
//! may be held elsewhere.
//!
//! What a function gives to its callers on every way is theirs: wrappers of allocators are found ([`fresh`]).

mod fate;
mod fresh;
mod library;
mod place;
mod value;
mod walk;
mod weave;

use crate::temporal::{Outcome, Valid};
use fate::Fates;
use fresh::Givers;
use ir::{Edge, FuncId, Function, Program, Stmt};
pub(crate) use place::Places;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use weave::Followed;

/// What can be owned, and how one comes by it and gets rid of it.
#[derive(Debug)]
pub struct Ownership {
    /// Functions whose result is owned by their caller.
    pub results: &'static [&'static str],
    /// Functions that leave what is owned where an argument points to, and what their result is then.
    pub through: &'static [(&'static str, usize, Outcome)],
    /// Functions of `results` or `through` that take back what was handed to them at this position, and give something else for
    /// it: unless they fail.
    pub renews: &'static [(&'static str, usize)],
    /// Functions that take back what they are handed.
    pub releases: &'static [&'static str],
    /// Other values mean that nothing was acquired.
    pub valid: Valid,
    /// What has happened to a value that is owned, said behind its name: "is allocated".
    pub told: &'static str,
}

/// Puts in, for every rule with its ownerships, a check where something is lost. To be called after the checks of other rules are in.
pub fn weave(program: &mut Program, rules: &[(&'static str, &'static [Ownership])]) {
    let mut plans = plan(program, rules);
    let Program {
        types,
        symbols,
        functions,
        ..
    } = program;
    for (at, function) in functions.iter_mut().map(|(_, f)| f).enumerate() {
        if let Some(plan) = plans.get_mut(at)
            && !plan.is_empty()
            && let Some(body) = &mut function.body
        {
            weave::weave(types, symbols, plan, body);
        }
    }
}

/// Acquisitions of which a program that gives nothing back means it.
const MEANT: usize = 5;

/// Does the program acquire often, and never give anything back? One that runs for a moment leaves that to the system, on purpose.
fn is_kept_for_good(
    program: &Program,
    by_name: &FxHashMap<&str, Vec<FuncId>>,
    givers: &Givers,
) -> bool {
    let is_whole = program
        .functions
        .iter()
        .any(|(id, f)| f.body.is_some() && program.is_main(id));
    let mut releases = givers.of.releases.iter();
    if !is_whole || releases.any(|name| by_name.contains_key(name)) {
        return false;
    }
    let bodies = program.bodies();
    let edges = bodies.flat_map(|(_, _, body)| body.edges().values());
    let acquires = edges.filter(|e| matches!(&e.stmt, Stmt::Call(call) if givers.gives(call)));
    acquires.take(MEANT).count() == MEANT
}

/// What is followed, by function.
fn plan(
    program: &Program,
    rules: &[(&'static str, &'static [Ownership])],
) -> Vec<Vec<Followed<'static>>> {
    let mut by_name: FxHashMap<&str, Vec<FuncId>> = FxHashMap::default();
    for (id, f) in program.functions.iter().filter(|(_, f)| f.body.is_none()) {
        by_name.entry(program.name(f.name)).or_default().push(id);
    }
    let all = || rules.iter().flat_map(|(_, owned)| owned.iter());
    let is_there = |o: &Ownership| {
        let through = o.through.iter().map(|(name, ..)| name);
        let mut names = o.results.iter().chain(through);
        names.any(|name| by_name.contains_key(name))
    };
    if !all().any(is_there) {
        return Vec::new();
    }
    let releases: Vec<&str> = all().flat_map(|o| o.releases).copied().collect();
    let fates = Fates::of(program, &releases);
    let mut work: Vec<(&'static str, Givers)> = Vec::new();
    for &(rule, owned) in rules {
        let givers = owned
            .iter()
            .map(|o| Givers::of(program, &fates, o, &by_name));
        let givers = givers.filter(|g| !g.is_empty() && !is_kept_for_good(program, &by_name, g));
        work.extend(givers.map(|g| (rule, g)));
    }
    let followed = |function: &Function| {
        let mut found = Vec::new();
        let Some(body) = &function.body else {
            return found;
        };
        let main = program.name(function.name) == "main";
        for (rule, givers) in &work {
            let acquires = |e: &Edge| match &e.stmt {
                Stmt::Call(call) => givers.gives(call),
                _ => false,
            };
            if !body.edges().values().any(acquires) {
                continue;
            }
            let cx = walk::Cx {
                program,
                fates: &fates,
                givers,
            };
            let lives = walk::lives(&cx, body, main).into_iter();
            let lost = lives.filter(|life| !life.losses.is_empty());
            found.extend(lost.map(|life| Followed {
                rule,
                valid: givers.of.valid,
                life,
            }));
        }
        found
    };
    program
        .functions
        .as_slice()
        .par_iter()
        .map(followed)
        .collect()
}
