//! Prints a generated Boolean program: `cargo run --example generate -p bp -- NODES [GLOBALS] [LOCALS] [CARELESS] [SEED]`.

fn main() {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse::<u64>().ok());
    let mut number = |otherwise: u64| numbers.next().flatten().unwrap_or(otherwise);
    let style = bp::Style {
        nodes: number(5000) as usize,
        globals: number(12) as usize,
        locals: number(12) as usize,
        careless: number(2),
        seed: number(1),
    };
    print!("{}", bp::generate(style));
}
