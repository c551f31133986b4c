//! What error projections cost: the columns of the paper's Table 2, on generated Boolean programs, and on the findings of real ones.
//!
//! *Functional* is what the paper measures: after post* and pre*, which nodes are in the projection? Ours walks the
//! functional automaton once for all nodes. *Chops* asks one weighted chopping query for each node, as the paper's
//! implementation does, and has the weights too. *Double pre\** is the method without functional automata; as in the paper it is
//! run for one node of a hundred, and the time multiplied.

use bp::{Goal, Model, Style};
use clap::Args;
use engine::Settings;
use wpds::weights::{RelationWeight, Relations};
use wpds::{
    Automaton, Direction, Functional, Language, Semiring, Symbol, System, chop_by_double_pre_star,
    post_star, pre_star, projection,
};

use crate::out::{Out, Report};
use crate::table::Table;
use crate::{cpu, programs};

#[derive(Args)]
pub struct Wishes {
    /// Nodes of the generated programs
    #[arg(default_values_t = [5_000, 10_000, 40_000])]
    nodes: Vec<usize>,
    /// Global variables
    #[arg(long, default_value_t = 12)]
    globals: usize,
    /// Variables of a function, at most
    #[arg(long, default_value_t = 12)]
    locals: usize,
    /// Of 100 protocol operations, those that nobody prepared: 0 makes a program that cannot fail
    #[arg(long, default_values_t = [0, 2, 20])]
    careless: Vec<u64>,
    /// The seed of the first program; the next ones follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs of each size; the median of each column counts
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Double pre* for one node of so many
    #[arg(long, default_value_t = 100)]
    sample: usize,
    /// Chops for one node of so many: few cost more for each, since products are remembered
    #[arg(long, default_value_t = 1)]
    chops: usize,
    /// Instead of generated programs: the largest projection among the findings of each of these real ones (`all`: all)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    programs: Vec<String>,
}

/// For the decision diagrams: chops for all nodes leave many weights behind.
const ROOM: usize = 1 << 26;

/// One program, measured once, in seconds.
struct Measured {
    nodes: usize,
    inside: usize,
    post: f64,
    pre: f64,
    functional: f64,
    chops: f64,
    double: f64,
}

pub fn run(out: &Out, wishes: &Wishes) -> anyhow::Result<()> {
    let mut table = Table::new(&[
        match wishes.programs.is_empty() {
            true => "careless",
            false => "program",
        },
        "nodes",
        "in projection",
        "post*",
        "pre*",
        "functional",
        "chops",
        "double pre*",
        "for a node",
        "functional/reach",
        "double/functional",
        "double/chops",
    ]);
    if wishes.programs.is_empty() {
        for careless in &wishes.careless {
            for nodes in &wishes.nodes {
                let mut runs = Vec::new();
                for program in 0..wishes.repeat.max(1) as u64 {
                    let seed = wishes.seed + program;
                    runs.push(generated(wishes, *nodes, *careless, seed)?);
                }
                row(&mut table, format!("{careless} %"), &runs);
            }
        }
    }
    let all = ["all".to_string()];
    let names: Vec<String> = match wishes.programs == all {
        true => programs::ALL.map(str::to_string).to_vec(),
        false => wishes.programs.clone(),
    };
    for name in names {
        if let Some(measured) = largest(wishes, &name)? {
            row(&mut table, name, &[measured]);
        }
    }
    let mut report = Report::new(match wishes.programs.is_empty() {
        true => "projection",
        false => "projection-programs",
    });
    report.words(
        "Error projections (the columns of Table 2 of Lal, Kidd, Reps and Touili); the median of each column, CPU time.",
    );
    report.table(table);
    out.write(&report)
}

/// The median of each column.
fn row(table: &mut Table, name: String, runs: &[Measured]) {
    let median = |column: &dyn Fn(&Measured) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(column).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    };
    let time = |column: &dyn Fn(&Measured) -> f64| match median(column) {
        short if short < 0.1 => format!("{:.2} ms", 1e3 * short),
        long => format!("{long:.2} s"),
    };
    let nodes = median(&|m| m.nodes as f64);
    eprintln!("{nodes} nodes, {name}: {}", time(&|m| m.functional));
    let share = median(&|m| m.inside as f64 / m.nodes as f64);
    let each = median(&|m| m.functional / m.nodes as f64);
    table.row([
        name,
        nodes.to_string(),
        format!("{:.0} %", 100.0 * share),
        time(&|m| m.post),
        time(&|m| m.pre),
        time(&|m| m.functional),
        time(&|m| m.chops),
        time(&|m| m.double),
        format!("{:.1} µs", 1e6 * each),
        format!("{:.2}", median(&|m| m.functional / (m.post + m.pre))),
        format!("{:.0}", median(&|m| m.double / m.functional)),
        format!("{:.0}", median(&|m| m.double / m.chops)),
    ]);
}

/// The finding of a real program whose system has most symbols.
fn largest(wishes: &Wishes, name: &str) -> anyhow::Result<Option<Measured>> {
    let program = crate::search_cost::load(name)?;
    let settings = Settings {
        level2: Some(engine::Level2 {
            provers: engine::Provers::builtin(),
            budget: 100_000,
            stopwatch: None,
        }),
        ..Settings::default()
    };
    let mut memory = engine::Memory::default();
    let analysis = engine::reanalyze(&program, &settings, &mut memory, engine::How::Full, &|| {});
    let mut sizes: Vec<u32> = Vec::new();
    let errors = &analysis.errors;
    engine::projection::models(&program, &settings, &mut memory, errors, |_, model| {
        sizes.push(model.system.symbols());
    });
    let most = (0..sizes.len()).max_by_key(|i| sizes[*i]);
    let mut measured = None;
    if let Some(most) = most {
        let one = &errors[most..=most];
        engine::projection::models(&program, &settings, &mut memory, one, |_, model| {
            let (source, target) = (model.source(), model.target());
            let system = &model.system;
            measured = Some(measure(wishes, system, model.relations(), &source, &target));
        });
    }
    measured.transpose()
}

/// In CPU time: a busy machine changes it little.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = cpu::own();
    let result = work();
    (result, cpu::own() - start)
}

fn generated(wishes: &Wishes, nodes: usize, careless: u64, seed: u64) -> anyhow::Result<Measured> {
    let text = bp::generate(Style {
        nodes,
        globals: wishes.globals,
        locals: wishes.locals,
        careless,
        seed,
    });
    let program = bp::parse(&text)?;
    let model = Model::new(&program, &Goal::Failure, ROOM)?;
    let (source, target) = (model.source(), model.target());
    measure(wishes, &model.system, &model.relations, &source, &target)
}

fn measure(
    wishes: &Wishes,
    system: &System<RelationWeight>,
    relations: &Relations,
    source: &Language,
    target: &Language,
) -> anyhow::Result<Measured> {
    let symbols = system.symbols();
    let start = Automaton::of(relations, Direction::Backward, source, symbols);
    let end = Automaton::of(relations, Direction::Forward, target, symbols);
    let (post, post_time) = timed(|| post_star(system, relations, start, false));
    let (pre, pre_time) = timed(|| pre_star(system, relations, end, false));
    let (inside, functional_time) = timed(|| {
        let functional = Functional::new(&post.automaton, &pre.automaton);
        projection(&functional, relations, symbols)
    });
    let every =
        |step: usize| -> Vec<Symbol> { (0..symbols).step_by(step.max(1)).map(Symbol).collect() };
    let scaled = |time: f64, sample: &[Symbol]| time * f64::from(symbols) / sample.len() as f64;
    let agree = |sample: &[Symbol], weights: &[RelationWeight]| {
        let exhausted = relations.vocabulary().exhausted();
        anyhow::ensure!(!exhausted, "the diagrams need more room");
        for (symbol, weight) in sample.iter().zip(weights) {
            let zero = relations.is_zero(weight);
            anyhow::ensure!(
                zero != inside[symbol.index()],
                "two ways differ at {symbol:?}"
            );
        }
        Ok(())
    };
    let chopped = every(wishes.chops);
    let (weights, chop_time) = timed(|| {
        let functional = Functional::new(&post.automaton, &pre.automaton);
        let chop = |symbol: &Symbol| functional.chop(relations, *symbol);
        chopped.iter().map(chop).collect::<Vec<_>>()
    });
    agree(&chopped, &weights)?;
    let sample = every(wishes.sample);
    let (weights, double_time) = timed(|| {
        let chop = |symbol: &Symbol| {
            chop_by_double_pre_star(system, relations, source, *symbol, &pre.automaton)
        };
        sample.iter().map(chop).collect::<Vec<_>>()
    });
    agree(&sample, &weights)?;
    Ok(Measured {
        nodes: symbols as usize,
        inside: inside.iter().filter(|inside| **inside).count(),
        post: post_time,
        pre: pre_time,
        functional: functional_time,
        chops: scaled(chop_time, &chopped),
        double: scaled(double_time, &sample),
    })
}
