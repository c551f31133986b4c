//! Lowers bitcode files and says what became of them: `cargo run --release --example lower -- FILE.bc…`

use ir::Stmt;
use std::collections::BTreeMap;
use std::time::Instant;

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
        let start = Instant::now();
        let module = match clang::Module::parse(&bytes) {
            Ok(m) => m,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        let parsed = start.elapsed();
        let program = clang::lower(
            &module,
            &clang::Options {
                file: path.clone(),
                ..Default::default()
            },
        );
        let lowered = start.elapsed() - parsed;
        let (mut functions, mut edges, mut exprs, mut havocs) = (0, 0, 0, 0);
        let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
        for (_, _, body) in program.bodies() {
            functions += 1;
            edges += body.edges().len();
            exprs += body.exprs.len();
            let mut any = false;
            for e in body.edges().values() {
                if let Stmt::Havoc { reason, .. } = &e.stmt {
                    any = true;
                    let name = match reason {
                        ir::HavocReason::Intrinsic(s) | ir::HavocReason::Instruction(s) => {
                            program.name(*s).to_string()
                        }
                        r => format!("{r:?}"),
                    };
                    *reasons.entry(name).or_default() += 1;
                }
            }
            havocs += u32::from(any);
        }
        println!(
            "{path}: {functions} functions, {edges} edges, {exprs} exprs, {havocs} with havoc {reasons:?}; parse {parsed:?} lower {lowered:?}"
        );
    }
}
