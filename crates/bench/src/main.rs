//! `./x bench NAME`: measurements, as tables, and as JSON and curves in a folder.
//!
//! Figures are ratios against clang in the same run: the machine may be slow or busy, then both
//! sides are. Real programs are Debian source packages, built once outside the repository (see
//! [`programs`]); corpora with known answers are given by path ([`score`]).

mod checked;
mod cold_cost;
mod compiler;
mod cpu;
mod dual;
mod edit;
mod evaluation;
mod findings;
mod front_cost;
mod gate;
mod incremental;
mod level2;
mod lowering;
mod machine;
mod out;
#[cfg(test)]
mod papers;
mod pattern;
mod peers;
mod plot;
mod process;
mod programs;
mod projection;
mod reduction;
mod score;
mod search_cost;
mod spread;
mod suite;
mod table;
mod text_form;
mod tools;

use clap::{Parser, Subcommand};
use out::Out;
use std::path::PathBuf;
use suite::Extent;

/// As in `rigel`, whose times are meant.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(
    name = "rigel-bench",
    about = "Measurements on real programs and on corpora"
)]
struct Cli {
    /// Where JSON and curves go [default: target/bench]
    #[arg(long, global = true)]
    out: Option<PathBuf>,
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// What there is, and what `quick` and `all` run
    List,
    /// The first ten, small: within an hour on two cores
    Quick {
        /// Only these
        names: Vec<String>,
    },
    /// The first ten, whole: over night
    All {
        /// Only these
        names: Vec<String>,
    },
    /// What reading and lowering cost, against what clang costs to write the bitcode
    Front {
        /// Programs to measure
        #[arg(default_values_t = ["sqlite3".to_string(), "libxml2".to_string()])]
        programs: Vec<String>,
        /// Runs; the median counts
        #[arg(long, default_value_t = 5)]
        repeat: usize,
    },
    /// What a whole check costs, against what clang costs to compile the same files
    Cold {
        /// Programs to measure
        #[arg(default_values_t = ["sqlite3", "libxml2", "sendmail"].map(String::from))]
        programs: Vec<String>,
        /// Runs; the median counts
        #[arg(long, default_value_t = 3)]
        repeat: usize,
        /// Processes and threads, of both sides
        #[arg(long, default_value_t = 2)]
        jobs: usize,
    },
    /// States and time of level 1's searches: plain, covering, with aggregation, differencing
    Search(search_cost::Wishes),
    /// What level 2 makes of the potential errors of level 1, who settled them, and the cost of a path
    #[command(alias = "paths")]
    Level2 {
        #[arg(default_values_t = ["sqlite3", "libxml2", "libxslt", "jpeg-6b", "sendmail"].map(String::from))]
        programs: Vec<String>,
    },
    /// What infeasible paths say about others: rounds of refinement, and who made the observers
    Reduction {
        #[arg(default_values_t = ["zlib", "lua", "jpeg-6b"].map(String::from))]
        programs: Vec<String>,
        /// Runs; the median counts
        #[arg(long, default_value_t = 3)]
        repeat: usize,
        /// Processes and threads, of both sides
        #[arg(long, default_value_t = 2)]
        jobs: usize,
    },
    /// What an edit costs the analysis: functions stubbed and put back, IncrFwd and IncrBack against Full
    Incremental(incremental::Wishes),
    /// What conditions of functions cost: the programs of Fig. 4, and real ones
    Dual(dual::Wishes),
    /// What error projections of Boolean programs cost: post*, pre*, functional automata, double pre*
    Projection(projection::Wishes),
    /// Other analyzers on the same files: time, memory, number of reports
    Peers(peers::Wishes),
    /// Instructions, states, solver calls and findings, against the baseline
    Gate(gate::Wishes),
    /// Recall and precision on a corpus with known answers, of rigel and of others
    Score(score::Wishes),
    /// What a user waits for after an edit, against clang's emission of the edited unit; and the size of the store
    Edit(edit::Wishes),
    /// Real programs are well formed, and their text form reads back as the same text
    Text {
        #[arg(default_values_t = programs::ALL.map(String::from))]
        programs: Vec<String>,
    },
    /// How completely real programs lower: units, functions, functions with an unknown value
    Lower {
        #[arg(default_values_t = programs::ALL.map(String::from))]
        programs: Vec<String>,
    },
    /// Writes the tables of the results in --out into docs/evaluation.md
    Page {
        /// Another page with marks
        page: Option<PathBuf>,
    },
}

fn main() -> anyhow::Result<()> {
    // As in `rigel`, too.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    let cli = Cli::parse();
    let out = Out::new(cli.out)?;
    match cli.bench {
        Bench::List => {
            suite::list();
            Ok(())
        }
        Bench::Quick { names } => suite::run(&out, Extent::Quick, &names),
        Bench::All { names } => suite::run(&out, Extent::All, &names),
        Bench::Front { programs, repeat } => front_cost::run(&out, &programs, repeat),
        Bench::Cold {
            programs,
            repeat,
            jobs,
        } => cold_cost::run(&out, &programs, repeat, jobs),
        Bench::Search(wishes) => search_cost::run(&out, &wishes),
        Bench::Level2 { programs } => level2::run(&out, &programs),
        Bench::Reduction {
            programs,
            repeat,
            jobs,
        } => reduction::run(&out, &programs, repeat, jobs),
        Bench::Incremental(wishes) => incremental::run(&out, &wishes),
        Bench::Dual(wishes) => dual::run(&out, &wishes),
        Bench::Projection(wishes) => projection::run(&out, &wishes),
        Bench::Peers(wishes) => peers::run(&out, &wishes),
        Bench::Gate(wishes) => gate::run(&out, &wishes),
        Bench::Score(wishes) => score::run(&out, &wishes),
        Bench::Edit(wishes) => edit::run(&out, &wishes),
        Bench::Text { programs } => text_form::run(&out, &programs),
        Bench::Lower { programs } => lowering::run(&out, &programs),
        Bench::Page { page } => evaluation::run(&out, &page.unwrap_or_else(evaluation::page)),
    }
}
