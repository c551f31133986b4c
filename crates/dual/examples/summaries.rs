//! What callers are told of each function below `main`, for whoever wants to know why something is not proved.
//!
//!     rigel ir --checks FILE.c > FILE.ir
//!     cargo run --profile fast -p dual --example summaries FILE.ir [OPERATIONS [DISJUNCTS]]
//!
//! For each function, callees first: what it took, how many numbers it is given, and at which checks it can fail. With
//! `RIGEL_FACTS` a function's name, or `all`, also with which facts. At the end, what is left of it in `main` itself, and what is
//! told to those who pass constants.

use dual::execute::{Failure, Limits};
use dual::facts::Facts;
use dual::linear::Linear;
use dual::program::{Dual, Settings};
use dual::summary::{Origin, Summary};
use ir::{CallGraph, Program, Stmt};
use std::time::Instant;

/// A check: its line, and its rule.
fn shown(program: &Program, origin: Origin) -> String {
    let Some((f, check)) = origin else {
        return "somewhere".into();
    };
    let Some(body) = &program.functions[f].body else {
        return "nowhere".into();
    };
    let mut edges = body.edges().iter();
    let line = edges.find(|(_, edge)| edge.stmt == Stmt::Check(check));
    let line = line.map_or(0, |(_, edge)| edge.span.line);
    let rule = program.name(body.checks[check].rule);
    format!("{}:{line} {rule}", program.function_name(f))
}

/// A form, with the symbols as `s1`, `s2`, …
fn form(form: &Linear) -> String {
    let terms = form.terms().iter().map(|(s, n)| format!("{n:+} s{} ", s.0));
    format!("{}{:+}", terms.collect::<String>(), form.offset())
}

fn facts(facts: &Facts) {
    let all = |word: &str, forms: &[Linear]| {
        for one in forms {
            println!("      {} {word} 0", form(one));
        }
    };
    all("==", facts.zero());
    all(">=", facts.not_negative());
    let symbols = facts.symbols();
    let end = |n: Option<i128>| n.map_or("…".to_string(), |n| n.to_string());
    let ranges = symbols.iter().map(|s| {
        let range = facts.range(*s);
        format!("s{}: {}..{}", s.0, end(range.least), end(range.most))
    });
    println!("      {}", ranges.collect::<Vec<_>>().join(", "));
}

fn summary(program: &Program, summary: &Summary, with_facts: bool) {
    if with_facts {
        for (input, symbol, _) in &summary.inputs {
            println!(
                "    s{} is {:?} of {:?}",
                symbol.0, input.aspect, input.given
            );
        }
    }
    for case in &summary.returns {
        println!("    returns {:?}", case.value);
        if with_facts {
            facts(&case.facts);
        }
    }
    if !summary.back.is_empty() {
        println!("    comes back: {} cases", summary.back.len());
        if with_facts {
            summary.back.iter().for_each(facts);
        }
    }
    for (origin, cases) in &summary.fails {
        let count = cases.len();
        println!("    fails at {}: {count} cases", shown(program, *origin));
        if with_facts {
            cases.iter().for_each(|(_, case)| facts(case));
        }
    }
    if !summary.exits.is_empty() {
        println!("    exits: {} cases", summary.exits.len());
    }
    if summary.guessed {
        println!("    guessed");
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), operations) = (arguments.next(), arguments.next()) else {
        println!("usage: summaries FILE.ir [OPERATIONS [DISJUNCTS]]");
        return;
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(e) => return println!("{file}: {e}"),
    };
    let program = match ir::text::parse(&text) {
        Ok(program) => program,
        Err(e) => return println!("{file}: {e}"),
    };
    let limits = Limits {
        disjuncts: arguments.next().and_then(|n| n.parse().ok()).unwrap_or(4),
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        operations: operations.and_then(|n| n.parse().ok()).unwrap_or(4_000_000),
        // One after the other, so that it is known what each takes.
        total: u64::MAX - 1,
        ..Settings::default()
    };
    let with_facts = std::env::var("RIGEL_FACTS").unwrap_or_default();
    let graph = CallGraph::new(&program);
    let mut dual = Dual::new(&program, &graph, settings);
    let mut bodies = program.bodies();
    let main = bodies.find(|(_, f, _)| program.name(f.name) == "main");
    let Some((main, _, _)) = main else {
        return println!("{file}: no main");
    };
    let below = dual.below(&[main]);
    let of_main = |dual: &mut Dual<'_>| match dual.function(main) {
        Ok(outcomes) => {
            let returns = outcomes.ok.is_empty().is_ok_and(|is_empty| !is_empty);
            let guessed = if outcomes.guessed { ", guessed" } else { "" };
            println!("main, with no inputs: comes back: {returns}{guessed}");
            for failure in outcomes.failures.keys() {
                let origin = match failure {
                    Failure::Here(check) => Some((main, *check)),
                    Failure::Call(_, origin) => *origin,
                };
                println!("    fails at {}", shown(&program, origin));
            }
        }
        Err(stopped) => println!("main: {stopped}"),
    };
    for component in graph.components() {
        for f in component.iter().copied().filter(|f| below.contains(f)) {
            let (start, before) = (Instant::now(), dual.spent());
            dual.need(&[f]);
            let name = program.function_name(f);
            let time = start.elapsed().as_secs_f64();
            let spent = dual.spent() - before;
            println!(
                "{name}: {:?}, {time:.2} s, {spent} operations",
                dual.efforts().get(&f)
            );
            if let Some(known) = dual.summary(f) {
                println!("    {} inputs", known.inputs.len());
                summary(&program, known, with_facts == name || with_facts == "all");
            }
        }
    }
    of_main(&mut dual);
    for f in below {
        for (constants, known) in dual.special().summaries(f) {
            let name = program.function_name(f);
            println!("{name} for {constants:?}");
            summary(&program, known, with_facts == name || with_facts == "all");
        }
    }
}
