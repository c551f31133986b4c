//! Says what `ir::validate` finds in bitcode files, and whether their text form reads back:
//! `cargo run --release --example validate -- FILE.bc…`

fn main() {
    let worker = std::thread::Builder::new().stack_size(512 << 20).spawn(run);
    if let Ok(w) = worker {
        let _ = w.join();
    }
}

fn run() {
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let Ok(module) = clang::Module::parse(&bytes) else {
            continue;
        };
        let options = clang::Options {
            file: path.clone(),
            ..Default::default()
        };
        let program = clang::lower(&module, &options);
        if let Err(violations) = ir::validate::validate(&program) {
            println!("{path}: {} violations", violations.len());
            for v in violations.iter().take(12) {
                println!("    {v}");
            }
        }
        let text = ir::text::print(&program);
        match ir::text::parse(&text) {
            Ok(again) if ir::text::print(&again) == text => {}
            Ok(again) => {
                let second = ir::text::print(&again);
                let differs = text.lines().zip(second.lines()).find(|(a, b)| a != b);
                println!("{path}: text differs: {differs:?}");
            }
            Err(e) => {
                let line = text.lines().nth(e.line as usize - 1).unwrap_or("");
                println!("{path}: text does not parse: {e}\n    {line}");
            }
        }
    }
}
