//! What is analysed after an edit is what would be analysed from scratch: random programs, random sequences of
//! edits, and every kind of re-analysis held against Full, in everything that is printed (Theorems 2 and 3 of Conway
//! et al., carried over to level 2 and to the settings).
//!
//! 500 sequences; `RIGEL_EDITS=20000 cargo nextest run --cargo-profile fast -p engine --test incremental --no-capture`
//! is the long run. `RIGEL_SEED=7` runs one sequence and shows the programs before and after the failing edit.

use engine::explain::Explainer;
use engine::{Analysis, Automata, How, Level2, Memory, Provers, Settings, reanalyze};
use ir::Program;
use logic::Portfolio;
use logic::smt::{Patience, Session, z3};
use random_cfa::{Recipe, Rng, Size};
use rayon::prelude::*;
use report::{Location, Verdict};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

const SEQUENCES: u64 = 500;

/// Rules that random programs have checks of.
const RULES: [&str; 5] = [
    "null-dereference",
    "uninitialized-use",
    "division-by-zero",
    "out-of-bounds",
    "assertion",
];

/// Who answers at level 2.
#[derive(Clone, Copy, Debug)]
enum Prover {
    /// Nobody: level 1 alone.
    None,
    Builtin,
    /// A solver that does not start, of which the user is told.
    Broken,
    /// What it says is remembered.
    Solver,
}

/// Settings without what depends on a program.
#[derive(Clone, Debug)]
struct Wishes {
    rules: Option<Vec<&'static str>>,
    prover: Prover,
    latent: bool,
    bounds: bool,
    aggregate: bool,
    max_states: usize,
    noreturn: Vec<String>,
}

/// The Z3 that `./x setup` puts under the target directory.
fn library() -> &'static z3::Library {
    static LIBRARY: OnceLock<z3::Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let executable = std::env::current_exe().unwrap();
        let named = std::env::var_os("RIGEL_Z3").map(PathBuf::from);
        let mut candidates: Vec<PathBuf> = named.into_iter().collect();
        candidates.extend(executable.ancestors().map(|a| a.join("z3/libz3.so")));
        z3::load(&candidates)
            .unwrap_or_else(|why| panic!("{why}: run `./x setup`, which fetches it"))
    })
}

impl Prover {
    fn provers(self) -> Option<Provers> {
        match self {
            Prover::None => None,
            Prover::Builtin => Some(Provers::builtin()),
            Prover::Broken => Some(Provers {
                name: "broken".to_string(),
                make: Arc::new(|| Portfolio::new(Box::new(|| Err("does not start".to_string())))),
            }),
            Prover::Solver => Some(Provers {
                name: "z3".to_string(),
                make: Arc::new(|| {
                    Portfolio::new(Box::new(|| {
                        let solver = library().solver();
                        Ok(Box::new(Session::new(solver, Patience::default())))
                    }))
                }),
            }),
        }
    }
}

impl Wishes {
    fn new() -> Wishes {
        Wishes {
            rules: None,
            prover: Prover::Builtin,
            latent: true,
            bounds: true,
            aggregate: true,
            max_states: 5_000,
            noreturn: Vec::new(),
        }
    }

    fn edit(&mut self, rng: &mut Rng) -> String {
        match rng.below(7) {
            0 => {
                let some = RULES.into_iter().filter(|_| rng.one_in(2)).collect();
                self.rules = (!rng.one_in(3)).then_some(some);
            }
            1 => {
                let all = [
                    Prover::None,
                    Prover::Builtin,
                    Prover::Broken,
                    Prover::Solver,
                ];
                self.prover = rng.pick(&all).unwrap_or(Prover::Builtin);
            }
            2 => self.latent = !self.latent,
            3 => self.bounds = !self.bounds,
            4 => self.aggregate = !self.aggregate,
            5 => self.max_states = rng.pick(&[20, 100, 5_000]).unwrap_or(5_000),
            _ => {
                self.noreturn = match self.noreturn.is_empty() {
                    true => vec![format!("f{}", 1 + rng.below(4))],
                    false => Vec::new(),
                }
            }
        }
        format!("settings: {self:?}")
    }

    fn settings(&self, program: &Program) -> Settings {
        let symbols = |rules: &Vec<&'static str>| {
            let known = rules.iter().filter_map(|rule| program.symbols.get(rule));
            known.collect()
        };
        Settings {
            rules: self.rules.as_ref().map(symbols),
            level2: self.prover.provers().map(|provers| Level2 {
                provers,
                budget: 100_000,
                stopwatch: None,
            }),
            latent: self.latent,
            automata: Automata {
                bounds: self.bounds,
                ..Automata::default()
            },
            aggregate: self.aggregate,
            max_states: self.max_states,
            noreturn: self.noreturn.clone(),
            ..Settings::default()
        }
    }
}

/// What a user reads, as data that can be compared.
fn printed(program: &Program, analysis: &Analysis) -> String {
    let places = |span: ir::Span| {
        Location::new(
            program.file_path(span.file).to_string(),
            span.line,
            span.column,
        )
    };
    let explainer = Explainer::new(program, &places);
    let lists = [
        (&analysis.errors, Verdict::May),
        (&analysis.latent, Verdict::Latent),
        (&analysis.undecided, Verdict::Undecided),
        (&analysis.refuted, Verdict::Refuted),
    ];
    let findings = lists.into_iter().flat_map(|(list, verdict)| {
        let explainer = &explainer;
        list.iter()
            .map(move |error| format!("{:?}\n", explainer.finding(error, verdict)))
    });
    findings.collect()
}

/// What was seen on the way: that the tests test something.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    edits: usize,
    reported: usize,
    refuted: usize,
    undecided: usize,
    exhausted: usize,
    full: u64,
    backward: u64,
    /// Questions that a solver was asked in fresh runs, and after edits.
    asked: u64,
    asked_after_edits: u64,
}

impl Seen {
    fn add(mut self, other: Seen) -> Seen {
        self.edits += other.edits;
        self.reported += other.reported;
        self.refuted += other.refuted;
        self.undecided += other.undecided;
        self.exhausted += other.exhausted;
        self.full += other.full;
        self.backward += other.backward;
        self.asked += other.asked;
        self.asked_after_edits += other.asked_after_edits;
        self
    }
}

/// One way to go on from edit to edit.
struct Way {
    name: &'static str,
    how: fn(&mut Rng) -> How,
    /// Is the memory written and read again after each run?
    stored: bool,
    memory: Memory,
}

fn ways() -> [Way; 3] {
    let way = |name, how, stored| Way {
        name,
        how,
        stored,
        memory: Memory::default(),
    };
    [
        way("Backward", |_| How::Backward, false),
        way("Forward", |_| How::Forward, false),
        way(
            "either, through bytes",
            |rng| match rng.one_in(3) {
                true => How::Forward,
                false => How::Backward,
            },
            true,
        ),
    ]
}

fn stored(memory: &Memory) -> Result<Memory, String> {
    let bytes = memory.to_bytes()?;
    Memory::from_bytes(&bytes).ok_or_else(|| "cannot be read again".to_string())
}

/// A sequence of edits; the error says which step of which way went wrong.
fn sequence(seed: u64) -> Result<Seen, String> {
    let mut rng = Rng::new(seed ^ 0xed17);
    let size = match seed % 3 {
        0 => Size::MEDIUM,
        _ => Size::SMALL,
    };
    let mut recipe = Recipe::new(&mut rng, size);
    let mut wishes = Wishes::new();
    if seed % 4 == 1 {
        wishes.prover = Prover::Solver;
    }
    let mut ways = ways();
    let mut seen = Seen::default();
    let mut what = "the first version".to_string();
    let mut before = recipe.program();
    for edit in 0..=1 + rng.below(20) {
        if edit > 0 {
            let edits = 1 + rng.below(2);
            let said: Vec<String> = (0..edits)
                .map(|_| match rng.one_in(8) {
                    true => wishes.edit(&mut rng),
                    false => recipe.edit(&mut rng),
                })
                .collect();
            what = said.join("; ");
        }
        let program = recipe.program();
        let settings = wishes.settings(&program);
        let mut fresh = Memory::default();
        let expected = reanalyze(&program, &settings, &mut fresh, How::Full, &|| {});
        for way in &mut ways {
            let how = (way.how)(&mut rng);
            let analysis = reanalyze(&program, &settings, &mut way.memory, how, &|| {});
            let text = || (printed(&program, &expected), printed(&program, &analysis));
            let difference = expected.difference(&analysis).or_else(|| {
                let (a, b) = text();
                (a != b).then(|| format!("printed: {a}, and {b}"))
            });
            if let Some(difference) = difference {
                if std::env::var("RIGEL_SEED").is_ok() {
                    println!("{}\n{}", ir::print(&before), ir::print(&program));
                }
                return Err(format!(
                    "seed {seed}, edit {edit} ({what}): {} ({how:?}) differs: {difference}",
                    way.name
                ));
            }
            let [fresh, now] = [&expected, &analysis].map(|a| a.tally.settled.asked);
            if now > fresh {
                return Err(format!(
                    "seed {seed}, edit {edit} ({what}): asked {now}, not {fresh}"
                ));
            }
            if edit > 0 && way.name == "Backward" {
                seen.asked += expected.tally.settled.asked;
                seen.asked_after_edits += analysis.tally.settled.asked;
            }
            if way.stored {
                way.memory = stored(&way.memory).map_err(|e| format!("seed {seed}: {e}"))?;
            }
        }
        let transitions = |memory: &Memory| memory.transitions().map_or(0, |t| t.transitions());
        seen.edits += usize::from(edit > 0);
        seen.reported += expected.counts.reported;
        seen.refuted += expected.counts.refuted;
        seen.undecided += expected.counts.undecided;
        seen.exhausted += expected.exhausted.len();
        seen.full += transitions(&fresh);
        seen.backward += transitions(&ways[0].memory);
        before = program;
    }
    Ok(seen)
}

#[test]
fn an_edit_gives_what_a_fresh_run_gives() {
    let number = |name: &str| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse::<u64>().ok())
    };
    let sequences = match number("RIGEL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("RIGEL_EDITS").unwrap_or(SEQUENCES),
    };
    let all: Vec<Result<Seen, String>> = sequences.clone().into_par_iter().map(sequence).collect();
    let wrong: Vec<&String> = all.iter().filter_map(|r| r.as_ref().err()).collect();
    let shown = &wrong[..wrong.len().min(5)];
    assert!(wrong.is_empty(), "{} sequences: {shown:#?}", wrong.len());
    let seen = all.into_iter().flatten().fold(Seen::default(), Seen::add);
    println!("{seen:?}");
    if sequences.end - sequences.start >= SEQUENCES {
        assert!(seen.edits > 4 * SEQUENCES as usize, "{seen:?}");
        assert!(
            seen.reported > seen.edits / 2 && seen.refuted > 500,
            "{seen:?}"
        );
        assert!(seen.undecided > 500 && seen.exhausted > 10, "{seen:?}");
        assert!(seen.backward < seen.full / 2, "{seen:?}");
        assert!(seen.asked_after_edits < seen.asked, "{seen:?}");
    }
}
