//! How many statements the interpreter executes in a second: `cargo run --release --example speed`.
//! Built-in loops (registers, memory, calls), or a program in the text form given as argument.

use interp::{Config, Interpreter};
use std::time::Instant;

const REGISTERS: &str = "unit \"r\" fn main() -> i32 { var h: u32, i: i32
    0: h = 1u32 1: i = 0
    2: assume i < 10000000 -> 3
    2: assume i >= 10000000 -> 6
    3: h = h * 31u32 + (u32)i
    4: h = h ^ (h >> 3u32)
    5: i = i + 1 -> 2
    6: return 0 -> 7
    7: exit }";

const MEMORY: &str = "unit \"m\" global a: u32[1000] = zero fn main() -> i32 { var p: u32*, i: i32
    0: i = 0 -> 2
    2: assume i < 5000000 -> 3
    2: assume i >= 5000000 -> 7
    3: a[i % 1000] = a[(i + 7) % 1000] + (u32)i
    4: p = &a[i % 1000]
    5: *p = *p + 1u32
    6: i = i + 1 -> 2
    7: return 0 -> 8
    8: exit }";

const CALLS: &str = "unit \"c\" fn f(x: u32, y: u32) -> u32 { 0: return x * 3u32 + y 1: exit }
    fn main() -> i32 { var h: u32, i: u32
    0: h = 1u32 1: i = 0u32 -> 3
    3: assume i < 3000000u32 -> 4
    3: assume i >= 3000000u32 -> 6
    4: h = f(h, i)
    5: i = i + 1u32 -> 3
    6: return 0 -> 7
    7: exit }";

fn measure(name: &str, source: &str) {
    let program = match ir::text::parse(source) {
        Ok(p) => p,
        Err(e) => return eprintln!("{name}: {e}"),
    };
    let limit = Config::default().step_limit;
    let mut run = Interpreter::new(&program, Config::default());
    let start = Instant::now();
    let outcome = run.run();
    let seconds = start.elapsed().as_secs_f64();
    let steps = limit - run.steps_left();
    let rate = steps as f64 / seconds / 1e6;
    println!("{name}: {steps} statements, {seconds:.2} s, {rate:.0} M/s ({outcome:?})");
}

fn main() {
    match std::env::args().nth(1) {
        Some(path) => match std::fs::read_to_string(&path) {
            Ok(source) => measure(&path, &source),
            Err(e) => eprintln!("{path}: {e}"),
        },
        None => {
            measure("registers", REGISTERS);
            measure("memory", MEMORY);
            measure("calls", CALLS);
        }
    }
}
