//! Random Boolean programs, with variables of their own in recursive functions: the error projection against what the
//! programs do. `RIGEL_BP_CASES=20000` takes so many, `RIGEL_SEED=7` only that one.

mod machine;

use std::fmt::Write;

use bp::{Analysis, Goal, Model, parse};
use machine::Machine;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

const VARIABLES: &[&str] = &["g", "h", "a", "b"];

fn expression(random: &mut Random, depth: u32) -> String {
    let inner = |random: &mut Random| expression(random, depth + 1);
    if depth > 2 {
        return random.pick(VARIABLES).to_string();
    }
    match random.below(12) {
        0 => "*".to_string(),
        1 => random.pick(&["0", "1", "T", "F"]).to_string(),
        2 => format!("!{}", random.pick(VARIABLES)),
        3 => format!("({} & {})", inner(random), inner(random)),
        4 => format!("({} | {})", inner(random), inner(random)),
        5 => format!("({} != {})", inner(random), inner(random)),
        6 => format!("schoose[{}, {}]", inner(random), inner(random)),
        7 => format!(
            "({} => {} ? {} : 1)",
            inner(random),
            inner(random),
            inner(random)
        ),
        _ => random.pick(VARIABLES).to_string(),
    }
}

fn block(random: &mut Random, text: &mut String, function: u64, labels: u64, depth: u32) {
    for _ in 0..1 + random.below(4) {
        let e = expression(random, 0);
        let callee = random.below(3);
        let _ = match random.below(14) {
            0 | 1 => writeln!(text, "{} := {e};", random.pick(VARIABLES)),
            2 => writeln!(text, "a, g := b, {e};"),
            3 => writeln!(text, "b, h := *, * constrain ('b | 'h) & (g => !'b);"),
            4 | 5 if callee > 0 => writeln!(text, "b := f{callee}({e});"),
            6 => writeln!(text, "f{}({e});", callee.max(1)),
            7 => writeln!(text, "assume ({e});"),
            8 => writeln!(
                text,
                "assert ({e} | {});",
                random.pick(&["*", "g", "a", "!h"])
            ),
            9 => writeln!(
                text,
                "goto L{}, L{};",
                random.below(labels),
                random.below(labels)
            ),
            10 if function > 0 => writeln!(text, "return {e};"),
            11 | 12 if depth < 2 => {
                let _ = writeln!(text, "if ({e}) then");
                block(random, text, function, labels, depth + 1);
                if random.below(2) == 0 {
                    text.push_str("else\n");
                    block(random, text, function, labels, depth + 1);
                }
                writeln!(text, "fi;")
            }
            13 if depth < 2 => {
                let _ = writeln!(text, "while ({e}) do");
                block(random, text, function, labels, depth + 1);
                writeln!(text, "od;")
            }
            _ => writeln!(text, "skip;"),
        };
    }
}

fn program(random: &mut Random) -> String {
    let mut text = "decl g, h;\n".to_string();
    for function in 0..3 {
        match function {
            0 => text.push_str("void main() begin\ndecl a, b;\n"),
            f => {
                let _ = writeln!(text, "bool f{f}(a) begin\ndecl b;");
            }
        }
        let labels = 2;
        for label in 0..labels {
            let _ = writeln!(text, "L{label}: skip;");
            block(random, &mut text, function, labels, 0);
        }
        text.push_str("end\n");
    }
    text
}

#[test]
fn the_error_projection_is_what_failing_runs_pass() {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let seeds = match number("RIGEL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("RIGEL_BP_CASES").unwrap_or(300),
    };
    let (mut failing, mut full, total) = (0, 0, seeds.end - seeds.start);
    for seed in seeds {
        let text = program(&mut Random(seed));
        let program = parse(&text).unwrap_or_else(|e| panic!("RIGEL_SEED={seed}: {e}\n{text}"));
        let truth = Machine::new(&program).explore(4, 4000);
        let model = Model::new(&program, &Goal::Failure, 1 << 16).expect("it has a meaning");
        let analysis = Analysis::new(&model).expect("it fits");
        for (line, inside) in analysis.lines() {
            let real = truth.lines.contains(&line);
            assert!(
                inside || !real,
                "RIGEL_SEED={seed}: line {line} is missed\n{text}"
            );
            assert!(
                truth.cut || inside == real,
                "RIGEL_SEED={seed}: line {line} is made up\n{text}"
            );
            let witness = analysis.witness_through_line(line).expect("it fits");
            assert_eq!(
                witness.is_some(),
                inside,
                "RIGEL_SEED={seed}: witness, line {line}\n{text}"
            );
            if let Some(witness) = witness {
                assert!(witness.iter().any(|step| step.node.place.line == line));
            }
        }
        failing += u64::from(analysis.reachable());
        full += u64::from(!truth.cut);
    }
    println!("{total} programs: {failing} can fail, {full} explored in full");
    assert!(
        total < 20 || (failing * 3 >= total && full * 20 >= total),
        "{failing} {full} of {total}"
    );
}
