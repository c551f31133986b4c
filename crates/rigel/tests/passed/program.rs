//! Random C programs, some runs of which fail. All that a run depends on is `argc`.
//!
//! They have what decides about failing: pointers that are null on some ways, globals, pointers to pointers, loops that count, `switch` that
//! falls through, `goto`, recursion, answers of callees; few of them also `longjmp`, calls through pointers and the library, which leave a
//! projection open. All loops end, and nothing dangles, so that what a processor does with them is what C says.
//!
//! What is executed on a line stands behind a mark: without marks it is the program, with them it also tells on which lines a run is.

use random_cfa::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Stands before what is executed on a line.
const MARK: char = '@';

/// A random program.
pub struct Random {
    text: String,
}

impl Random {
    pub fn new(rng: &mut Rng) -> Random {
        let mut writer = Writer {
            rng,
            text: String::new(),
            indent: 0,
            function: 0,
            functions: 0,
            labels: 0,
            counters: 0,
            loops: 0,
            odd: false,
        };
        writer.odd = writer.rng.one_in(5);
        writer.program();
        Random { text: writer.text }
    }

    /// The program.
    pub fn plain(&self) -> String {
        self.text.replace(MARK, "")
    }

    /// The lines of which the program says that it is there: not those with no more than a bracket.
    pub fn marked(&self) -> BTreeSet<u32> {
        let lines = self.text.lines().zip(1..);
        let marked = lines.filter(|(line, _)| line.contains(MARK));
        marked.map(|(_, number)| number).collect()
    }

    /// The program that says where it is, by `T(LINE)`.
    pub fn traced(&self) -> String {
        let mut out = String::new();
        for (i, line) in self.text.lines().enumerate() {
            let mark = format!("T({}),", i + 1);
            let _ = writeln!(out, "{}", line.replace(MARK, &mark));
        }
        out
    }
}

struct Writer<'a> {
    rng: &'a mut Rng,
    text: String,
    indent: usize,
    /// The function that is written; those with smaller numbers may be called.
    function: usize,
    functions: usize,
    labels: usize,
    counters: usize,
    /// Loops around.
    loops: usize,
    /// What few programs do, since it leaves a projection open: `longjmp`, calls through pointers, the library.
    odd: bool,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.indent);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    fn one(&mut self, items: &[&'static str]) -> &'static str {
        self.rng.pick(items).unwrap_or("0")
    }

    fn program(&mut self) {
        self.line("#include <assert.h>");
        self.line("#include <setjmp.h>");
        self.line("#include <stdlib.h>");
        self.line("#include <string.h>");
        self.line("static int g, h = 3, x, y;");
        self.line("static int *gp = &x;");
        self.line("static int row[4] = {1, 2, 0, 5};");
        self.line("struct pair { int *at; int n; };");
        self.line("static struct pair gs = {&y, 1};");
        self.line("static jmp_buf back;");
        self.line("static int armed;");
        self.functions = self.rng.below(4) as usize;
        for f in 0..self.functions {
            self.function = f;
            if self.rng.one_in(3) {
                self.pick(f);
            } else {
                self.helper(f);
            }
        }
        self.function = self.functions;
        self.line("int main(int argc, char **argv) {");
        self.indent += 1;
        self.line("int c = (@argc), d = 1, e = 0;");
        self.line("int *p = (@&x), *q = &c, **r = &p;");
        self.line("struct pair s = {(@&d), 2}, *t = &gs;");
        let n = 3 + self.rng.below(6);
        self.block(n, 0);
        self.line("@*p = d;");
        self.line("return @e;");
        self.indent -= 1;
        self.line("}");
    }

    /// A function that gives a pointer.
    fn pick(&mut self, f: usize) {
        let _ = writeln!(self.text, "static int *f{f}(int c, int *p) {{");
        self.body();
        let value = self.one(&["p", "(int *)0", "&x", "gp", "c > 2 ? p : 0", "&row[1]", "q"]);
        self.line(&format!("return @{value};"));
        self.indent -= 1;
        self.line("}");
    }

    /// A function that gives a number.
    fn helper(&mut self, f: usize) {
        let _ = writeln!(self.text, "static int n{f}(int c, int *p) {{");
        self.body();
        if self.rng.one_in(2) {
            self.line("if (@p)");
            self.line("    @*p = d;");
        }
        let value = self.one(&["c", "d", "e", "c > 3", "row[c & 3]", "h", "*p", "p ? 1 : 0"]);
        self.line(&format!("return @{value};"));
        self.indent -= 1;
        self.line("}");
    }

    fn body(&mut self) {
        self.indent += 1;
        self.line("int d = (@2), e = c;");
        self.line("int *q = (@p), **r = &q;");
        self.line("struct pair s = {(@p), c}, *t = &s;");
        if self.rng.one_in(4) {
            self.line("static int often;");
            self.line("@often = (often + 1) & 7;");
            self.line("@d = often;");
        }
        let n = self.rng.below(5);
        self.block(n, 1);
    }

    fn block(&mut self, n: u32, depth: u32) {
        for _ in 0..n {
            self.statement(depth);
        }
    }

    fn number(&mut self) -> String {
        match self.rng.below(14) {
            0 => "c".into(),
            1 => "d".into(),
            2 => "e + 1".into(),
            3 => "g".into(),
            4 => "h - 1".into(),
            5 => format!("{}", self.rng.below(6)),
            6 => "(c + d) & 15".into(),
            7 => "row[c & 3]".into(),
            8 => "s.n".into(),
            9 => "t->n".into(),
            10 => "(c * 2) % 7".into(),
            11 => "(char)(d << 3)".into(),
            12 => "c ^ e".into(),
            _ => "(unsigned char)(e - 1) >> 1".into(),
        }
    }

    fn pointer(&mut self) -> String {
        let own = [
            "p",
            "q",
            "&c",
            "&d",
            "0",
            "0",
            "0",
            "&x",
            "gp",
            "&row[2]",
            "s.at",
            "t->at",
            "*r",
            "c > 4 ? q : 0",
            "&s.n",
        ];
        let mut own = self.one(&own).to_string();
        // Only what main() has lives as long as the program.
        if self.function != self.functions && ["&c", "&d", "&s.n"].contains(&own.as_str()) {
            own = "&y".to_string();
        }
        let pickers: Vec<usize> = self.callable('f');
        match self.rng.pick(&pickers) {
            Some(f) if self.rng.one_in(3) => {
                let n = self.number();
                format!("f{f}({n}, {own})")
            }
            _ => own,
        }
    }

    /// Functions of a kind that were written before.
    fn callable(&self, kind: char) -> Vec<usize> {
        let is_there = |f: &usize| {
            let (number, pick) = (format!("static int n{f}("), format!("static int *f{f}("));
            self.text
                .contains(if kind == 'f' { &pick } else { &number })
        };
        (0..self.function).filter(is_there).collect()
    }

    fn test(&mut self) -> String {
        let n = self.rng.below(7);
        match self.rng.below(14) {
            0 => format!("c > {n}"),
            1 => format!("c == {n}"),
            2 => format!("d < {n}"),
            3 => format!("e != {n}"),
            4 => "p".into(),
            5 => "!p".into(),
            6 => "q == &c".into(),
            7 => "p != q".into(),
            8 => format!("c > {n} && d"),
            9 => format!("c < {n} || !q"),
            10 => "g".into(),
            11 => "h == x".into(),
            12 => format!("(c & 3) == {}", n & 3),
            _ => "gp && s.at".into(),
        }
    }

    fn variable(&mut self) -> &'static str {
        self.one(&["c", "d", "e", "g", "h", "s.n", "t->n", "row[d & 3]", "x"])
    }

    fn holder(&mut self) -> &'static str {
        self.one(&["p", "p", "q", "gp", "s.at", "t->at", "*r"])
    }

    fn statement(&mut self, depth: u32) {
        let kind = if depth > 2 {
            self.rng.below(12)
        } else {
            self.rng.below(29)
        };
        match kind {
            0..=2 => {
                let (v, n) = (self.variable(), self.number());
                self.line(&format!("@{v} = {n};"));
            }
            3..=5 => {
                let (h, p) = (self.holder(), self.pointer());
                self.line(&format!("@{h} = {p};"));
            }
            6 => {
                let (h, n) = (self.holder(), self.number());
                self.line(&format!("@*{h} = ({n}) & 31;"));
            }
            7 => {
                let (v, h) = (self.variable(), self.holder());
                self.line(&format!("@{v} = *{h};"));
            }
            8 => {
                let n = self.number();
                let numbers = self.callable('n');
                match self.rng.pick(&numbers) {
                    Some(f) => {
                        let (v, p) = (self.variable(), self.pointer());
                        self.line(&format!("@{v} = n{f}({n}, {p}) & 31;"));
                    }
                    None => self.line(&format!("@e = ({n}) & 7;")),
                }
            }
            9 => match self.rng.below(9) {
                0 => self.line("@r = r == &q ? &gp : &q;"),
                1 if self.odd => self.line("@memset(&q, 0, sizeof q);"),
                2 if self.odd => self.line("@memcpy(&q, &gp, sizeof q);"),
                3 => self.line("@t = t == &s ? &gs : &s;"),
                4 => self.line("@s = *t;"),
                5 => self.line("@e = 12 / d;"),
                6 if self.odd => self.line("@e = (int)strlen(\"abc\") + abs(d);"),
                7 => self.line("@assert(d != 4);"),
                _ => self.line("@row[c & 3] = e & 7;"),
            },
            10 if self.loops > 0 => {
                let (test, jump) = (self.test(), self.one(&["break", "continue"]));
                self.line(&format!("if (@{test}) {{"));
                self.line(&format!("    @0; {jump};"));
                self.line("}");
            }
            10 | 11 => {
                let test = self.test();
                self.line(&format!("if (@{test})"));
                self.indent += 1;
                let (h, p) = (self.holder(), self.pointer());
                self.line(&format!("@{h} = {p};"));
                self.indent -= 1;
            }
            12..=15 => {
                let test = self.test();
                self.line(&format!("if (@{test}) {{"));
                self.inner(depth);
                if self.rng.one_in(2) {
                    self.line("} else {");
                    self.inner(depth);
                }
                self.line("}");
            }
            16 | 17 => self.for_loop(depth),
            18 => {
                let k = self.counter();
                self.line(&format!("int {k} = (@0);"));
                let n = 1 + self.rng.below(5);
                let test = self.test();
                self.line(&format!("while (@{k} < {n} && ({test})) {{"));
                self.line(&format!("    @{k}++;"));
                self.loops += 1;
                self.inner(depth);
                self.loops -= 1;
                self.line("}");
            }
            19 => {
                let k = self.counter();
                self.line(&format!("int {k} = (@0);"));
                self.line("do {");
                self.line(&format!("    @{k}++;"));
                self.loops += 1;
                self.inner(depth);
                self.loops -= 1;
                let n = 1 + self.rng.below(4);
                self.line(&format!("}} while (@{k} < {n});"));
            }
            20 | 21 => self.switch(depth),
            22 => {
                let (test, l) = (self.test(), self.label());
                self.line(&format!("if (@{test})"));
                self.line(&format!("    @0; else goto {l};"));
                // No declaration may be jumped over.
                self.line("{");
                self.inner(depth);
                self.line("}");
                self.line(&format!("{l}:;"));
            }
            23 => {
                let (k, l) = (self.counter(), self.label());
                self.line(&format!("int {k} = (@0);"));
                self.line(&format!("{l}:"));
                self.line("{");
                self.inner(depth);
                self.line("}");
                let n = 1 + self.rng.below(3);
                self.line(&format!("if (@++{k} < {n})"));
                self.line(&format!("    goto {l};"));
            }
            24 => {
                let test = self.test();
                let value = if self.is_picker() { "(int *)0" } else { "1" };
                self.line(&format!("if (@{test})"));
                self.line(&format!("    return @{value};"));
            }
            25 if self.odd => self.jump(depth),
            26 if self.odd => self.through_pointer(),
            27 => self.recursion(),
            28 => {
                let test = self.test();
                self.line(&format!("if (@{test})"));
                self.line("    @exit(0);");
            }
            _ => {
                let (h, n) = (self.holder(), self.number());
                self.line(&format!("if (@{h})"));
                self.line(&format!("    @*{h} = ({n}) & 31;"));
            }
        }
    }

    /// Is the function that is being written one that gives a pointer?
    fn is_picker(&self) -> bool {
        self.text
            .contains(&format!("static int *f{}(", self.function))
    }

    fn inner(&mut self, depth: u32) {
        self.indent += 1;
        let n = 1 + self.rng.below(3);
        self.block(n, depth + 1);
        self.indent -= 1;
    }

    fn counter(&mut self) -> String {
        self.counters += 1;
        format!("k{}", self.counters)
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn for_loop(&mut self, depth: u32) {
        let k = self.counter();
        let n = match self.rng.below(3) {
            0 => "(c & 7)".to_string(),
            _ => format!("{}", 1 + self.rng.below(5)),
        };
        self.line(&format!("for (int {k} = (@0); {k} < {n}; {k}++) {{"));
        self.loops += 1;
        if self.rng.one_in(2) {
            let v = self.one(&["d", "e", "g"]);
            self.indent += 1;
            self.line(&format!("@{v} = {k};"));
            self.indent -= 1;
        }
        self.inner(depth);
        self.loops -= 1;
        self.line("}");
    }

    fn switch(&mut self, depth: u32) {
        let n = self.number();
        self.line(&format!("switch (@{n}) {{"));
        let outer = std::mem::take(&mut self.loops);
        let from = self.rng.below(3);
        for case in from..from + 2 + self.rng.below(3) {
            self.line(&format!("case {case}: {{"));
            self.inner(depth);
            self.line("}");
            if self.rng.one_in(2) {
                self.line("    @0; break;");
            }
        }
        if self.rng.one_in(2) {
            self.line("default: {");
            self.inner(depth);
            self.line("}");
        }
        self.loops = outer;
        self.line("}");
    }

    /// `longjmp`, here or in a callee that was written before.
    fn jump(&mut self, depth: u32) {
        if self.function != self.functions || self.text.contains("setjmp(back)") {
            let test = self.test();
            self.line(&format!("if (@armed && ({test})) {{"));
            self.line("    @armed = 0;");
            self.line("    @longjmp(back, 1 + (x & 1));");
            self.line("}");
            return;
        }
        self.line("if (@setjmp(back) == 0) {");
        self.line("    @armed = 1;");
        self.inner(depth);
        self.line("} else {");
        self.inner(depth);
        self.line("}");
        self.line("@armed = 0;");
    }

    fn through_pointer(&mut self) {
        let all = self.callable('n');
        let (Some(a), Some(b)) = (self.rng.pick(&all), self.rng.pick(&all)) else {
            return;
        };
        let (test, n, p) = (self.test(), self.number(), self.pointer());
        let k = self.counter();
        self.line(&format!(
            "int (*{k})(int, int *) = (@({test})) ? n{a} : n{b};"
        ));
        let v = self.variable();
        self.line(&format!("@{v} = {k}({n}, {p}) & 31;"));
    }

    fn recursion(&mut self) {
        let f = self.function;
        if f == self.functions {
            return;
        }
        let p = self.pointer();
        self.line("if (@c > 0) {");
        let by = 1 + self.rng.below(3);
        self.line("    @c = c > 40 ? 40 : c;");
        if self.is_picker() {
            let h = self.holder();
            self.line(&format!("    @{h} = f{f}(c - {by}, {p});"));
        } else {
            let v = self.one(&["d", "e", "g", "h"]);
            self.line(&format!("    @{v} = n{f}(c - {by}, {p}) & 31;"));
        }
        self.line("}");
    }
}
