//! Boolean programs of any size, in the style of the paper's Table 2: drivers after predicate abstraction.
//!
//! Many functions of some forty statements each. Globals keep the state of a protocol (locked, pending, …), which a few
//! functions at the bottom check by assertions and change; the functions above test flags of their own, pass some on,
//! return two bits, and call functions further down, now and then themselves or a neighbour (recursion). So summaries differ by
//! context, and whether a call may fail depends on what was called before.
//!
//! A larger program has more functions, and calls of no greater depth than a call graph of that size has: every function calls two
//! of its own, and some of those that others call in the next layer. So there are as many layers as the logarithm of the size.

use std::fmt::Write;

/// What a generated program is like.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Statements and ends of functions, about.
    pub nodes: usize,
    pub globals: usize,
    /// Variables of a function, parameters included: at most.
    pub locals: usize,
    /// Of 100 protocol operations, those that the caller did not prepare by a test: where failures come from.
    pub careless: u64,
    pub seed: u64,
}

/// Statements of a function.
const FUNCTION: usize = 40;

struct Random(u64);

impl Random {
    /// splitmix64
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

struct Generator {
    style: Style,
    random: Random,
    text: String,
    nodes: usize,
    functions: usize,
}

/// A program as text.
pub fn generate(style: Style) -> String {
    let style = Style {
        globals: style.globals.max(1),
        locals: style.locals.max(3),
        ..style
    };
    let functions = (style.nodes / FUNCTION).max(1);
    let mut generator = Generator {
        style,
        random: Random(style.seed),
        text: String::new(),
        nodes: 0,
        functions,
    };
    generator.program();
    generator.text
}

impl Generator {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * indent);
    }

    fn statement(&mut self, indent: usize, text: &str) {
        self.nodes += 1;
        self.line(indent, text);
    }

    fn program(&mut self) {
        let globals: Vec<String> = (0..self.style.globals).map(|g| format!("g{g}")).collect();
        self.line(0, &format!("decl {};", globals.join(", ")));
        self.line(0, "void main() begin");
        for global in &globals {
            self.statement(1, &format!("{global} := 0;"));
        }
        // The first functions are called from here: every other one from the middle of those before it.
        for function in 0..self.functions.min(4) {
            self.statement(1, &format!("call_{function}: skip;"));
            self.call(1, function, "*", "*");
        }
        self.statement(0, "end");
        for global in 0..self.style.globals {
            self.protocol(global);
        }
        for function in 0..self.functions {
            self.function(function);
        }
    }

    /// A lock: taken twice, or given back when it was not taken, is a failure.
    fn protocol(&mut self, global: usize) {
        for (name, before, after) in [("take", "!", "1"), ("give", "", "0")] {
            self.line(0, &format!("void {name}{global}() begin"));
            self.statement(1, &format!("assert ({before}g{global});"));
            self.statement(1, &format!("g{global} := {after};"));
            self.statement(0, "end");
        }
    }

    fn call(&mut self, indent: usize, function: usize, a: &str, b: &str) {
        self.statement(indent, &format!("f{function}({a}, {b});"));
    }

    fn function(&mut self, function: usize) {
        let locals = 3 + self.random.below(self.style.locals - 2);
        let names: Vec<String> = (2..locals).map(|l| format!("v{l}")).collect();
        self.line(0, &format!("bool<2> f{function}(v0, v1) begin"));
        self.line(1, &format!("decl {};", names.join(", ")));
        for name in &names {
            let value = ["0", "1", "*", "v0"][self.random.below(4)];
            self.statement(1, &format!("{name} := {value};"));
        }
        let end = self.nodes + FUNCTION.saturating_sub(names.len() + 4);
        // Every function is called by the one at half its number, so that all can be reached.
        for callee in [2 * function + 4, 2 * function + 5] {
            if callee < self.functions {
                self.conditional_call(1, callee, locals);
            }
        }
        while self.nodes < end {
            self.piece(1, function, locals);
        }
        let (a, b) = (self.variable(locals), self.variable(locals));
        self.statement(1, &format!("return {a}, {b};"));
        self.statement(0, "end");
    }

    fn variable(&mut self, locals: usize) -> String {
        format!("v{}", self.random.below(locals))
    }

    fn conditional_call(&mut self, indent: usize, callee: usize, locals: usize) {
        let (a, b, c) = (
            self.variable(locals),
            self.variable(locals),
            self.variable(locals),
        );
        self.statement(indent, &format!("if ({a}) then"));
        let value = if self.random.chance(50) {
            "*"
        } else {
            b.as_str()
        };
        if b == c {
            self.call(indent + 1, callee, value, &a);
        } else {
            self.statement(indent + 1, &format!("{b}, {c} := f{callee}({value}, {a});"));
        }
        self.line(indent, "fi;");
    }

    fn piece(&mut self, indent: usize, function: usize, locals: usize) {
        let (a, b) = (self.variable(locals), self.variable(locals));
        match self.random.below(12) {
            0 | 1 => {
                let value = match self.random.below(4) {
                    0 => "*".to_string(),
                    1 => format!("!{b}"),
                    2 => format!("schoose[{b}, F]"),
                    _ => b,
                };
                self.statement(indent, &format!("{a} := {value};"));
            }
            2 => self.statement(indent, "skip;"),
            3 => self.statement(indent, &format!("assume ({a} | {b} | *);")),
            4 | 5 => {
                self.statement(indent, &format!("if ({a}) then"));
                self.statement(indent + 1, &format!("{b} := !{b};"));
                self.line(indent, "else");
                self.statement(indent + 1, &format!("{b} := {a};"));
                self.line(indent, "fi;");
            }
            6 => {
                self.statement(indent, "while (*) do");
                self.statement(indent + 1, &format!("{a} := {b};"));
                self.line(indent, "od;");
            }
            7 | 8 => {
                // In the next layer, near those that are its own.
                let further = 2 * function + 4 + self.random.below(8);
                let again = if function % 2 == 1 && self.random.chance(50) {
                    function - 1
                } else {
                    function
                };
                let recursive = self.random.chance(4);
                let callee = if recursive { again } else { further };
                if callee < self.functions {
                    self.conditional_call(indent, callee, locals);
                }
            }
            _ => self.operation(indent, &a),
        }
    }

    /// Takes a lock and gives it back, or, carelessly, does one of the two.
    fn operation(&mut self, indent: usize, flag: &str) {
        let global = self.random.below(self.style.globals);
        if self.random.chance(self.style.careless) {
            let name = if self.random.chance(50) {
                "take"
            } else {
                "give"
            };
            self.statement(indent, &format!("if ({flag}) then"));
            self.statement(indent + 1, &format!("{name}{global}();"));
            self.line(indent, "fi;");
            return;
        }
        self.statement(indent, &format!("if (!g{global}) then"));
        self.statement(indent + 1, &format!("take{global}();"));
        self.statement(indent + 1, "skip;");
        self.statement(indent + 1, &format!("give{global}();"));
        self.line(indent, "fi;");
    }
}
