//! What `infinite-loop` puts into loops: programs before and after; and that what its check says is so, on random programs.

use expect_test::expect;
use interp::{Config, Interpreter, Outcome, Scalar, Value};
use ir::Program;
use random_cfa::Rng;
use rules::Selection;

/// Vars are bytes: whatever ends at all ends soon.
const PRELUDE: &str = r#"
    unit "t.c"
    global g: u8 = zero
    fn computes(x: u8) -> u8 {
        0: return x % 3u8
        1: exit
    }
    fn looks(x: u8) -> u8 {
        0: return x + g
        1: exit
    }
    fn steps() -> u8 {
        0: g = g + 1u8
        1: return g
        2: exit
    }
"#;

/// Edges of a function that is being made.
struct Maker {
    rng: Rng,
    edges: Vec<(u32, String, u32)>,
    nodes: u32,
    exit: u32,
}

impl Maker {
    fn node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }

    fn edge(&mut self, from: u32, stmt: impl Into<String>, to: u32) {
        self.edges.push((from, stmt.into(), to));
    }

    fn value(&mut self) -> &'static str {
        let all = ["a", "b", "c", "g", "0u8", "1u8", "3u8"];
        self.rng.pick(&all).unwrap()
    }

    fn variable(&mut self) -> &'static str {
        self.rng.pick(&["a", "b", "c", "g"]).unwrap()
    }

    /// A branch at a node: where its two sides begin. Some ask a function first.
    fn branch(&mut self, mut at: u32) -> (u32, u32) {
        let asks = self.rng.one_in(3);
        if asks {
            let (next, arg) = (self.node(), self.variable());
            let f = self.rng.pick(&["computes", "looks"]).unwrap();
            self.edge(at, format!("c = {f}({arg})"), next);
            at = next;
        }
        let (yes, no) = self.test(asks);
        let (then, other) = (self.node(), self.node());
        self.edge(at, format!("assume {yes}"), then);
        self.edge(at, format!("assume {no}"), other);
        (then, other)
    }

    /// What the two sides of a branch assume.
    fn test(&mut self, asked: bool) -> (String, String) {
        let (a, b) = (self.variable(), self.value());
        let a = if asked { "c" } else { a };
        match self.rng.below(4) {
            0 => (format!("{a} == {b}"), format!("{a} != {b}")),
            1 => (format!("{a} <= {b}"), format!("{a} > {b}")),
            2 => (format!("{a} != {b}"), format!("{a} == {b}")),
            _ => (format!("{a} < {b}"), format!("{a} >= {b}")),
        }
    }

    /// Statements from a node; where they end. `out` is where `continue` and `break` lead.
    fn block(&mut self, mut at: u32, depth: u32, out: Option<(u32, u32)>) -> u32 {
        for _ in 0..1 + self.rng.below(3) {
            let next = self.node();
            match self.rng.below(12) {
                0 | 1 => {
                    let (to, by) = (self.variable(), self.value());
                    let op = self.rng.pick(&["+", "-"]).unwrap();
                    self.edge(at, format!("{to} = {to} {op} {by}"), next);
                }
                2 => {
                    let (to, value) = (self.variable(), self.value());
                    self.edge(at, format!("{to} = {value}"), next);
                }
                3 => {
                    let (to, arg) = (self.variable(), self.variable());
                    let f = self.rng.pick(&["computes", "looks"]).unwrap();
                    self.edge(at, format!("{to} = {f}({arg})"), next);
                }
                4 => {
                    let to = self.variable();
                    self.edge(at, format!("{to} = steps()"), next);
                }
                5..=8 if depth > 0 => {
                    let (then, other) = self.branch(at);
                    let then = self.block(then, depth - 1, out);
                    self.edge(then, "skip", next);
                    let leaves = self.rng.below(3);
                    match (out, leaves) {
                        (Some((head, _)), 0) => self.edge(other, "skip", head),
                        (Some((_, after)), 1) => self.edge(other, "skip", after),
                        _ => self.edge(other, "skip", next),
                    }
                }
                9 | 10 if depth > 0 => {
                    let head = self.node();
                    self.edge(at, "skip", head);
                    let (body, left) = self.branch(head);
                    self.edge(left, "skip", next);
                    let end = self.block(body, depth - 1, Some((head, next)));
                    self.edge(end, "skip", head);
                }
                _ => self.edge(at, "skip", next),
            }
            at = next;
        }
        at
    }
}

fn random(seed: u64) -> Program {
    let mut maker = Maker {
        rng: Rng::new(seed),
        edges: Vec::new(),
        nodes: 1,
        exit: 0,
    };
    let (head, after) = (maker.node(), maker.node());
    maker.edge(0, "skip", head);
    let (body, left) = maker.branch(head);
    maker.edge(left, "skip", after);
    let end = maker.block(body, 3, Some((head, after)));
    maker.edge(end, "skip", head);
    maker.exit = maker.node();
    maker.edge(after, "return a", maker.exit);
    maker.edges.sort_by_key(|(from, ..)| *from);
    let lines: Vec<String> = maker
        .edges
        .iter()
        .map(|(from, stmt, to)| format!("    {from}: {stmt} -> {to}\n"))
        .collect();
    let source = format!(
        "{PRELUDE}\nfn f(a: u8, b: u8, c: u8) -> u8 {{\n{}    {}: exit\n}}",
        lines.concat(),
        maker.exit
    );
    ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// How a run of `f` ends.
fn run(program: &Program, args: [u8; 3]) -> Result<Value, Outcome> {
    let config = Config {
        step_limit: 50_000,
        ..Config::default()
    };
    let f = program.find_function("f").unwrap();
    let args = args.map(|arg| Value::Scalar(Scalar::plain(u64::from(arg))));
    Interpreter::new(program, config).call(f, args.to_vec())
}

/// Whoever fails the check never ends; whoever does not ends as without it.
#[test]
fn a_loop_of_which_the_check_fails_never_ends() {
    let cases: u64 = match std::env::var("RIGEL_ENDLESS_CASES") {
        Ok(cases) => cases.parse().unwrap(),
        Err(_) => 500,
    };
    let (mut failed, mut ended, mut missed) = (0, 0, 0);
    for seed in 0..cases {
        let program = random(seed);
        let mut woven = program.clone();
        rules::instrument(&mut woven, Selection::parse("infinite-loop").unwrap());
        if let Err(violations) = ir::validate::validate(&woven) {
            panic!("{seed}: {}", violations[0].describe(&woven));
        }
        let mut rng = Rng::new(seed);
        for _ in 0..8 {
            let args = [(); 3].map(|()| rng.below(6) as u8);
            let plain = run(&program, args);
            match (run(&woven, args), plain) {
                (Err(Outcome::Failed(_)), Err(Outcome::StepLimit { .. })) => failed += 1,
                (Err(Outcome::StepLimit { .. }), Err(Outcome::StepLimit { .. })) => missed += 1,
                (Ok(a), Ok(b)) if format!("{a:?}") == format!("{b:?}") => ended += 1,
                (woven, plain) => panic!("seed {seed}, {args:?}: {woven:?}, but {plain:?}"),
            }
        }
    }
    // Most that do not end change something in every turn, or go through several states in a circle.
    let all = cases * 8;
    assert!(
        failed > all / 20 && ended > all / 5,
        "of {all}: {failed} fail, {ended} end, {missed} do neither"
    );
}

/// The function `f` with the rule in it.
fn woven(body: &str) -> String {
    let source = format!("{PRELUDE}\nextern fn unknown() -> void\nfn f{body}");
    let mut program = ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    rules::instrument(&mut program, Selection::parse("infinite-loop").unwrap());
    let f = program.find_function("f").unwrap();
    let text = ir::text::print_function(&program, f);
    let lines = text.lines().filter_map(|l| l.strip_prefix("    "));
    lines
        .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()))
        .map(|l| format!("{l}\n"))
        .collect()
}

fn checks(body: &str) -> usize {
    woven(body).matches("check infinite-loop").count()
}

#[test]
fn a_flag_remembers_whether_the_turn_has_changed_what_matters() {
    expect![[r#"
        0: i = 0
        1: `$infinite-loop.state` = 0
        2: assume i < n
        2: assume i >= n              -> 9
        3: assume i == skip
        3: assume i != skip           -> 5
        4: check infinite-loop `$infinite-loop.state` == 1 ? true : false -> 1
        5: sum = sum + i
        6: i = i + 1
        7: `$infinite-loop.state` = 1 -> 1
        9: return sum
        10: exit
    "#]]
    .assert_eq(&woven(
        "(n: u8, skip: u8) -> u8 {
            var i: u8, sum: u8
            0: i = 0u8
            1: assume i < n
            1: assume i >= n -> 6
            2: assume i == skip -> 1
            2: assume i != skip
            3: sum = sum + i
            4: i = i + 1u8 -> 1
            6: return sum
            7: exit
        }",
    ));
}

#[test]
fn a_distance_that_may_be_zero_is_remembered() {
    expect![[r#"
        0: i = 0
        1: `$infinite-loop.value.1` = 0
        2: `$infinite-loop.state.1` = 0
        3: `$infinite-loop.state` = 0
        4: assume i < n
        4: assume i >= n              -> 9
        5: `$infinite-loop.value.1` = step
        6: i = i + step
        7: `$infinite-loop.state.1` = 1
        8: check infinite-loop `$infinite-loop.state` == 1 ? true : `$infinite-loop.state.1` == 1 ? `$infinite-loop.value.1` != 0 : false -> 1
        9: return i
        10: exit
    "#]].assert_eq(&woven(
        "(n: u8, step: u8) -> u8 {
            var i: u8
            0: i = 0u8
            1: assume i < n
            1: assume i >= n -> 3
            2: i = i + step -> 1
            3: return i
            4: exit
        }",
    ));
}

#[test]
fn loops_that_end_wait_or_are_meant_to_go_on_are_left_as_they_are() {
    let every_turn_steps = "(n: u8) -> u8 {
            var i: u8
            0: i = 0u8
            1: assume i < n
            1: assume i >= n -> 3
            2: i = i + 1u8 -> 1
            3: return i
            4: exit
        }";
    assert_eq!(checks(every_turn_steps), 0);
    let waits = "() -> void {
            0: assume g != 0u8 -> 0
            0: assume g == 0u8
            1: exit
        }";
    assert_eq!(checks(waits), 0);
    let calls = "(n: u8) -> void {
            0: assume n != 0u8
            0: assume n == 0u8 -> 2
            1: call unknown() -> 0
            2: exit
        }";
    assert_eq!(checks(calls), 0);
    assert_eq!(checks("() -> void {\n 0: skip -> 0\n 1: exit\n }"), 0);
}

#[test]
fn what_is_only_counted_does_not_matter() {
    // `i` counts, and a branch on it decides only what is counted: `n` stays.
    let counts = "(n: u8) -> u8 {
            var i: u8, odd: u8
            0: i = 0u8
            1: odd = 0u8
            2: assume n != 0u8
            2: assume n == 0u8 -> 6
            3: i = i + 1u8
            4: assume i > 3u8
            4: assume i <= 3u8 -> 2
            5: odd = odd + 1u8 -> 2
            6: return odd
            7: exit
        }";
    assert_eq!(checks(counts), 2);
    // Here the same branch decides whether the loop is left.
    let ends = counts.replace("5: odd = odd + 1u8 -> 2", "5: skip -> 6");
    assert_eq!(checks(&ends), 0);
}
