//! Random programs, run: the generator keeps its promises, and the text form means what the
//! program means.

use interp::{Config, Interpreter, Oracle, Outcome, Scalar, Value};
use ir::Program;
use random_cfa::Size;

/// Whatever is unknown is 1.
struct One;

impl Oracle for One {
    fn havoc(&mut self, _: &ir::HavocReason, _: ir::TypeId) -> Option<Value> {
        Some(Value::Scalar(Scalar::plain(1)))
    }
}

const PROGRAMS: u64 = 600;

fn run(program: &Program) -> (Outcome, u64) {
    const LIMIT: u64 = 2_000_000;
    let config = Config {
        step_limit: LIMIT,
        oracle: Box::new(One),
        ..Config::default()
    };
    let mut interpreter = Interpreter::new(program, config);
    let outcome = interpreter.run();
    (outcome, LIMIT - interpreter.steps_left())
}

/// What a run did, without the numbers that printing and parsing may change.
fn summary(program: &Program) -> String {
    let (outcome, steps) = run(program);
    let end = match outcome {
        Outcome::Exit(code) => format!("exit {code}"),
        Outcome::Failed(f) => {
            format!(
                "failed {:?} in {:?}: {}",
                f.site.span, f.site.function, f.detail
            )
        }
        other => format!("{other:?}"),
    };
    format!("{end} after {steps}")
}

#[test]
fn random_programs_run_and_mean_what_their_text_says() {
    let (mut exits, mut failures) = (0, 0);
    for seed in 0..PROGRAMS {
        let program = random_cfa::program(seed, Size::MEDIUM);
        match run(&program).0 {
            Outcome::Exit(_) => exits += 1,
            Outcome::Failed(_) => failures += 1,
            other => panic!("seed {seed}: {other:?}"),
        }
        let text = ir::text::print(&program);
        let again = ir::text::parse(&text).unwrap();
        assert_eq!(summary(&program), summary(&again), "seed {seed}");
    }
    // Engines will be compared on these: they need runs of both kinds.
    println!("{exits} run to their end, {failures} fail at a check");
    assert!(
        exits >= PROGRAMS / 4 && failures >= PROGRAMS / 4,
        "{exits} exits, {failures} failures"
    );
}
