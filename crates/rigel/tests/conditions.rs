//! Conditions are C: what `rigel summary` prints of random functions compiles, and says of numbers what the sets say that it was
//! made from.

use dual::execute::Failure;
use dual::function::Outcomes;
use dual::input::{Aspect, Input, Root};
use dual::notation::Notation;
use dual::program::{Dual, Settings};
use ir::{Body, CallGraph, Program};
use isl::Set;
use random_cfa::{Rng, Size};
use std::fmt::Write;
use std::process::Command;

/// Random programs whose functions are asked.
const PROGRAMS: u64 = 100;
/// Numbers with which a condition is tried.
const POINTS: usize = 20;

/// A condition as it is printed, and what it has to say of some points.
struct Said {
    text: String,
    points: Vec<(Vec<i128>, bool)>,
}

/// The parameter that an input is, if it is one, and no pointer.
fn parameter(program: &Program, body: &Body, input: &Input) -> Option<usize> {
    let Root::Parameter(at) = input.given.root else {
        return None;
    };
    let at = at as usize;
    let ty = body.vars.get(*body.params.get(at)?)?.ty;
    let is_number = program.types.as_int(ty).is_some() && input.given.path.is_empty();
    (is_number && input.aspect == Aspect::Value).then_some(at)
}

/// All sets that are told of a function.
fn sets(outcomes: &Outcomes) -> Vec<Set> {
    let failures = outcomes.failures.keys().copied();
    let failures: Vec<Failure> = failures.collect();
    let own = [
        Ok(outcomes.ok.clone()),
        outcomes.must(),
        outcomes.may(),
        outcomes.never(),
        outcomes.endless(),
    ];
    let checks = failures
        .iter()
        .flat_map(|f| [outcomes.err_at(*f), outcomes.must_at(*f)]);
    own.into_iter().chain(checks).flatten().collect()
}

/// A number that is likely to make a difference.
fn number(rng: &mut Rng, least: i128, most: i128) -> i128 {
    let n = match rng.below(6) {
        0 => least + i128::from(rng.below(3)),
        1 => most - i128::from(rng.below(3)),
        2 => i128::from(rng.bits()),
        _ => i128::from(rng.below(40)) - 12,
    };
    n.clamp(least, most)
}

/// The conditions of one function, over its parameters in their order.
fn conditions(program: &Program, body: &Body, outcomes: &Outcomes, rng: &mut Rng) -> Vec<Said> {
    let parameters = outcomes.inputs.iter();
    let parameters: Option<Vec<usize>> = parameters
        .map(|input| parameter(program, body, input))
        .collect();
    let (Some(parameters), Ok(notation)) = (parameters, Notation::new(program, body, outcomes))
    else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for set in sets(outcomes) {
        let Ok(condition) = notation.condition(&set) else {
            continue;
        };
        if !condition.exact {
            continue;
        }
        let points = (0..POINTS).map(|_| {
            let mut point = vec![0; parameters.len()];
            let mut given = vec![0; body.params.len()];
            for (at, parameter) in parameters.iter().enumerate() {
                let ty = body.vars[body.params[*parameter]].ty;
                let range = dual::value::range_of(&program.types, ty);
                let end = |n: Option<Option<i128>>, other| n.flatten().unwrap_or(other);
                let least = end(range.map(|r| r.least), i64::MIN.into());
                let most = end(range.map(|r| r.most), i64::MAX.into());
                point[at] = number(rng, least, most);
                given[*parameter] = point[at];
            }
            let holds = set.contains(&point).expect("a point");
            (given, holds)
        });
        let points = points.collect();
        let text = condition.text;
        all.push(Said { text, points });
    }
    all
}

#[test]
fn conditions_compile_and_say_what_they_mean() {
    let mut rng = Rng::new(7);
    let mut source =
        String::from("#include <limits.h>\n#include <stdbool.h>\n#include <stdio.h>\n");
    let mut calls = String::new();
    let mut wanted = Vec::new();
    for seed in 0..PROGRAMS {
        let program = random_cfa::program(seed, Size::SMALL);
        let graph = CallGraph::new(&program);
        let mut dual = Dual::new(&program, &graph, Settings::default());
        for (id, _, body) in program.bodies() {
            let Ok(outcomes) = dual.function(id) else {
                continue;
            };
            let names = (0..body.params.len()).map(|at| {
                let name = program.name(body.vars[body.params[at]].name);
                match name.is_empty() || name.starts_with('$') {
                    true => format!("arg{}", at + 1),
                    false => name.to_string(),
                }
            });
            // Nothing overflows: conditions are over integers.
            let parameters: Vec<String> = names.map(|name| format!("__int128 {name}")).collect();
            let parameters = match parameters.is_empty() {
                true => "void".to_string(),
                false => parameters.join(", "),
            };
            for said in conditions(&program, body, &outcomes, &mut rng) {
                let n = wanted.len();
                let text = &said.text;
                let _ = writeln!(source, "static int c{n}({parameters}) {{ return {text}; }}");
                for (point, _) in &said.points {
                    // A number of 128 bits in two halves.
                    let each = point.iter().map(|x| {
                        format!(
                            "(__int128){}ll * 4294967296 + {}ll",
                            x >> 32,
                            x & 0xffff_ffff
                        )
                    });
                    let each = each.collect::<Vec<_>>().join(", ");
                    let _ = writeln!(calls, "    putchar('0' + !!c{n}({each}));");
                }
                calls.push_str("    putchar('\\n');\n");
                wanted.push(said);
            }
        }
    }
    assert!(wanted.len() > 100, "only {} conditions", wanted.len());
    let _ = write!(source, "int main(void)\n{{\n{calls}    return 0;\n}}\n");
    let folder = tempfile::tempdir().expect("a folder");
    let (file, program) = (folder.path().join("c.c"), folder.path().join("c"));
    std::fs::write(&file, &source).expect("written");
    let clang = std::env::var("RIGEL_CLANG").unwrap_or_else(|_| "clang-19".to_string());
    let built = Command::new(clang)
        .args(["-w", "-std=c11", "-o"])
        .args([&program, &file])
        .output()
        .expect("clang runs");
    let errors = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{errors}");
    let output = Command::new(&program).output().expect("it runs");
    let output = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), wanted.len());
    for (line, said) in lines.iter().zip(&wanted) {
        for (answer, (point, holds)) in line.chars().zip(&said.points) {
            assert_eq!(answer == '1', *holds, "{} of {point:?}", said.text);
        }
    }
}
