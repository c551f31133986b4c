//! Prints the program of a seed: `cargo run -p random-cfa --example show -- 7`.

fn main() {
    let seed = std::env::args().nth(1).and_then(|s| s.parse().ok());
    let program = random_cfa::program(seed.unwrap_or(0), random_cfa::Size::MEDIUM);
    print!("{}", ir::print(&program));
}
