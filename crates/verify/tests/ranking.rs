//! What is shown to end, ends: random loops over numbers of eight bits, which wrap soon, run by the interpreter.

use interp::{Config, Interpreter, Outcome};
use ir::CallGraph;
use random_cfa::Rng;
use std::fmt::Write;

/// Writes a function, node by node.
struct Writer {
    rng: Rng,
    text: String,
    node: u32,
}

const VARIABLES: [&str; 3] = ["i", "j", "n"];

impl Writer {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.bits() % n
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.below(3) as usize]
    }

    /// A statement, and on to the next node.
    fn step(&mut self, what: &str) {
        let node = self.node;
        writeln!(self.text, "    {node}: {what}").unwrap();
        self.node += 1;
    }

    fn block(&mut self, nesting: u32) {
        for _ in 0..1 + self.below(3) {
            self.statement(nesting);
        }
    }

    fn statement(&mut self, nesting: u32) {
        let v = self.variable();
        let by = 1 + self.below(3);
        match self.below(if nesting == 0 { 5 } else { 8 }) {
            0..=2 => self.step(&format!("{v} = {v} +% {by}")),
            3 => self.step(&format!("{v} = {v} -% {by}")),
            4 => {
                let value = self.below(100);
                self.step(&format!("{v} = {value}"));
            }
            5 => self.branch(nesting),
            _ => self.repeat(nesting),
        }
    }

    /// A condition and its opposite.
    fn condition(&mut self) -> (String, String) {
        let (a, b) = (self.variable(), self.variable());
        let b = match self.below(2) {
            0 => b.to_string(),
            _ => self.below(128).to_string(),
        };
        let (yes, no) = [
            ("<", ">="),
            ("<=", ">"),
            (">", "<="),
            (">=", "<"),
            ("!=", "=="),
        ][self.below(5) as usize];
        (format!("{a} {yes} {b}"), format!("{a} {no} {b}"))
    }

    fn branch(&mut self, nesting: u32) {
        let (yes, no) = self.condition();
        let at = self.node;
        self.step(&format!("assume {yes}"));
        self.block(nesting - 1);
        let end = self.node;
        self.step("skip");
        writeln!(self.text, "    {at}: assume {no} -> {end}").unwrap();
    }

    fn repeat(&mut self, nesting: u32) {
        let (yes, no) = self.condition();
        let head = self.node;
        self.step(&format!("assume {yes}"));
        self.block(nesting - 1);
        let last = self.node;
        writeln!(self.text, "    {last}: skip -> {head}").unwrap();
        self.node += 1;
        let end = self.node;
        self.step("skip");
        writeln!(self.text, "    {head}: assume {no} -> {end}").unwrap();
    }
}

fn source(seed: u64) -> String {
    let mut writer = Writer {
        rng: Rng::new(seed),
        text: String::new(),
        node: 0,
    };
    for v in VARIABLES {
        let value = writer.below(128);
        writer.step(&format!("{v} = {value}"));
    }
    writer.block(2);
    writer.repeat(2);
    let exit = writer.node;
    let ty = if seed.is_multiple_of(2) { "u8" } else { "i8" };
    let variables = VARIABLES.map(|v| format!("    var {v}: {ty}\n")).concat();
    format!(
        "unit \"a.c\"\nfn main() -> void {{\n{variables}{}    {exit}: exit\n}}\n",
        writer.text
    )
}

#[test]
fn what_is_shown_to_end_ends() {
    let mut shown = 0;
    let mut endless = 0;
    for seed in 0..3000 {
        let source = source(seed);
        let program = ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let graph = CallGraph::new(&program);
        let functions = program.functions.ids().collect();
        let is_shown = verify::ranking::open(&program, &graph, &functions).is_empty();
        if !is_shown && seed % 10 > 0 {
            continue;
        }
        let config = Config {
            step_limit: 3_000_000,
            ..Config::default()
        };
        let outcome = Interpreter::new(&program, config).run();
        let ends = !matches!(outcome, Outcome::StepLimit { .. });
        assert!(ends || !is_shown, "seed {seed}: {outcome:?}\n{source}");
        shown += usize::from(is_shown);
        endless += usize::from(!ends);
    }
    // Both are among them, or the test says nothing.
    assert!(shown > 100 && endless > 20, "{shown} {endless}");
}
