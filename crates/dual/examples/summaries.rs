//! What dual analysis says of each function of a program in text form: `cargo run -p dual --example summaries FILE [unbounded]`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use dual::arithmetic::Integers;
use dual::program::{Dual, Settings};
use ir::CallGraph;

fn main() {
    let mut words = std::env::args().skip(1);
    let source = std::fs::read_to_string(words.next().unwrap()).unwrap();
    let program = ir::text::parse(&source).unwrap();
    let graph = CallGraph::new(&program);
    let settings = Settings {
        integers: match words.next() {
            Some(_) => Integers::Unbounded,
            None => Integers::Machine,
        },
        ..Settings::default()
    };
    let mut dual = Dual::new(&program, &graph, settings);
    for (f, _, _) in program.bodies() {
        println!("{}", program.function_name(f));
        let Ok(all) = dual.function(f) else {
            println!("  too much");
            continue;
        };
        for (at, input) in all.inputs.iter().enumerate() {
            println!("  i{at} = {input:?}");
        }
        println!("  OK {}\n  EXIT {}", all.ok, all.exit);
        for (failure, set) in &all.failures {
            println!("  {failure:?} {set}");
        }
        println!("  MUST {}", all.must().unwrap());
        println!("  LOOP {}", all.endless().unwrap());
    }
    println!("{:?}", dual.efforts());
}
