//! `bench incremental`: what an edit costs, as Conway, Namjoshi, Dams and Edwards measured it (§6, Table 1, Fig. 6).
//!
//! For each function that can be reached: the program is analysed with this function replaced by a stub; then
//! the function is put back, and IncrFwd and IncrBack start from what the first analysis has left. The *speed-up* is
//! the time of Full on the program as it is, which does not depend on the function, over theirs. Only the
//! analysis is timed, not the front end; and every re-analysis must say what Full says, or the bench fails.
//!
//! The second experiment stubs many functions at once.

mod measure;
mod pages;
mod stub;
mod summary;

use crate::out::Out;
use crate::search_cost::load;
use anyhow::{Context, ensure};
use clap::Args;
use ir::FuncId;
use measure::{Edit, Run, Subject};
use std::path::PathBuf;
use summary::{Many, Measured};

#[derive(Args)]
pub struct Wishes {
    /// Programs to measure
    #[arg(default_values_t = ["sendmail", "spin", "sqlite3"].map(String::from))]
    programs: Vec<String>,
    /// Functions of each program, drawn by seed [default: all that can be reached; 200 of sqlite3]
    #[arg(long)]
    count: Option<usize>,
    /// Which are drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads, of all runs
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// As of `rigel check`: 0 is level 1 alone
    #[arg(long, value_delimiter = ',', default_values_t = [2])]
    precision: Vec<u8>,
    /// Draws of each share of the functions that are changed at once
    #[arg(long, default_value_t = 3)]
    draws: u64,
    /// Analyse the program with stubs by IncrFwd instead of Full (untimed; it leaves the same)
    #[arg(long)]
    quick: bool,
    /// Write incremental.md and the plots there
    #[arg(long)]
    docs: Option<PathBuf>,
}

/// Programs that are too large for all of their functions, and how many are drawn.
const DRAWN: [(&str, usize); 1] = [("sqlite3", 200)];

/// Shares of the functions that are changed at once, in percent.
const SHARES: [usize; 3] = [10, 25, 50];

/// Edits between two runs of Full.
const BETWEEN: usize = 20;

pub fn run(out: &Out, wishes: &Wishes) -> anyhow::Result<()> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(wishes.jobs)
        .build_global()?;
    let mut all = Vec::new();
    for name in &wishes.programs {
        for precision in &wishes.precision {
            all.push(measure(wishes, name, *precision)?);
            // Each time: it takes hours, and what is done is done.
            if let Some(directory) = &wishes.docs {
                pages::write(directory, wishes, &all)
                    .with_context(|| format!("cannot write to {}", directory.display()))?;
            }
        }
    }
    out.write(&pages::report(wishes, &all))
}

fn measure(wishes: &Wishes, name: &str, precision: u8) -> anyhow::Result<Measured> {
    let program = load(name)?;
    let functions = stub::reachable(&program);
    ensure!(!functions.is_empty(), "{name} has no function");
    let wanted = DRAWN.iter().find(|(drawn, _)| *drawn == name);
    let wanted = wishes.count.or(wanted.map(|(_, count)| *count));
    let drawn = match wanted {
        Some(count) => draw(&functions, count, wishes.seed),
        None => functions.clone(),
    };
    let mut subject = Subject::new(name, program, precision, wishes.quick);
    let mut edits = Vec::new();
    for (i, f) in drawn.iter().enumerate() {
        if i % BETWEEN == 0 {
            eprintln!("{name}, precision {precision}: {i} of {}", drawn.len());
            subject.time_full()?;
        }
        let function = subject.program.function_name(*f).to_string();
        let edit = subject.edit(&function, &[*f])?;
        edits.push((function, edit));
    }
    let mut many = Vec::new();
    for share in SHARES {
        let count = (functions.len() * share).div_ceil(100);
        let mut runs: Vec<(Run, Edit)> = Vec::new();
        for seed in 0..wishes.draws {
            let seed = wishes.seed.wrapping_add(seed);
            let full = subject.time_full()?;
            let some = draw(&functions, count, seed);
            let what = format!("{count} functions (seed {seed})");
            runs.push((full, subject.edit(&what, &some)?));
        }
        many.push(Many { share, count, runs });
    }
    Ok(Measured {
        name: name.to_string(),
        precision,
        functions: functions.len(),
        full: subject.full,
        edits,
        many,
    })
}

/// So many of the functions, by a seed, in their order.
fn draw(functions: &[FuncId], count: usize, seed: u64) -> Vec<FuncId> {
    let mut keyed: Vec<(u64, FuncId)> = functions
        .iter()
        .map(|f| (mix(seed << 32 ^ u64::from(f.0)), *f))
        .collect();
    keyed.sort_unstable();
    keyed.truncate(count);
    let mut drawn: Vec<FuncId> = keyed.into_iter().map(|(_, f)| f).collect();
    drawn.sort_unstable();
    drawn
}

/// SplitMix64's scrambling of a number.
fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_of_its_seed() {
        let all: Vec<FuncId> = (0..100).map(FuncId).collect();
        let some = draw(&all, 10, 1);
        assert_eq!(some.len(), 10);
        assert!(some.is_sorted() && some.windows(2).all(|w| w[0] != w[1]));
        assert_eq!(some, draw(&all, 10, 1));
        assert_ne!(some, draw(&all, 10, 2));
        assert_eq!(draw(&all, 1000, 1), all);
    }
}
