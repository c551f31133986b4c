//! Prints the text form of bitcode files: `cargo run --example print -- FILE.bc…`

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let Ok(module) = clang::Module::parse(&bytes) else { continue };
        let program = clang::lower(&module, &clang::Options { file: path.clone(), ..Default::default() });
        print!("{}", ir::text::print(&program));
    }
}
