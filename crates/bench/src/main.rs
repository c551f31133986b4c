//! `./x bench NAME`: measurements on real programs, as tables.
//!
//! Figures are ratios against clang in the same run: the machine may be slow or busy, then both
//! sides are. Real programs are Debian source packages, built once outside the repository (see
//! [`programs`]).

mod checked;
mod cold_cost;
mod compiler;
mod cpu;
mod edit;
mod front_cost;
mod incremental;
mod lowering;
mod path_cost;
mod plot;
mod programs;
mod projection;
mod search_cost;
mod table;
mod text_form;

use clap::{Parser, Subcommand};

/// As in `rigel`, whose times are meant.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "rigel-bench", about = "Measurements on real programs")]
struct Cli {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
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
    /// What a user waits for after an edit, against clang's emission of the edited unit; and the size of the store
    Edit(edit::Wishes),
    /// What an edit costs the analysis: functions stubbed and put back, IncrFwd and IncrBack against Full
    Incremental(incremental::Wishes),
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
    /// What level 2 makes of the potential errors of level 1, who settled them, and the cost of a path
    Paths {
        #[arg(default_values_t = ["sqlite3", "libxml2", "libxslt", "jpeg-6b", "sendmail"].map(String::from))]
        programs: Vec<String>,
    },
    /// What error projections of Boolean programs cost: post*, pre*, functional automata, double pre*
    Projection(projection::Wishes),
    /// States and time of level 1's searches: plain, covering, with aggregation, differencing
    Search {
        #[arg(default_values_t = ["sqlite3".to_string(), "libxml2".to_string(), "leveldb".to_string()])]
        programs: Vec<String>,
        /// States per function and search
        #[arg(long, default_value_t = 5000)]
        budget: usize,
        /// Only these: plain, covering, aggregation, differencing
        #[arg(long)]
        only: Option<String>,
        /// List the errors that are found
        #[arg(long)]
        list: bool,
    },
}

fn main() -> anyhow::Result<()> {
    // As in `rigel`, too.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    match Cli::parse().bench {
        Bench::Front { programs, repeat } => front_cost::run(&programs, repeat),
        Bench::Cold {
            programs,
            repeat,
            jobs,
        } => cold_cost::run(&programs, repeat, jobs),
        Bench::Edit(wishes) => edit::run(&wishes),
        Bench::Incremental(wishes) => incremental::run(&wishes),
        Bench::Text { programs } => text_form::run(&programs),
        Bench::Lower { programs } => lowering::run(&programs),
        Bench::Paths { programs } => path_cost::run(&programs),
        Bench::Projection(wishes) => projection::run(&wishes),
        Bench::Search {
            programs,
            budget,
            only,
            list,
        } => search_cost::run(&programs, budget, only.as_deref(), list),
    }
}
