//! The parser of Boolean programs on any bytes: it must not crash, and neither must whoever takes what it accepts.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(program) = bp::parse(source) else {
        return;
    };
    // Small programs only: large ones cost time, and show nothing new.
    let variables = |f: &bp::Function| f.parameters.len() + f.locals.len() + f.returns as usize;
    let widest = program.functions.iter().map(variables).max().unwrap_or(0);
    if program.globals.len() + widest > 24 {
        return;
    }
    let Ok(model) = bp::Model::new(&program, &bp::Goal::Failure, 1 << 16) else {
        return;
    };
    let Ok(analysis) = bp::Analysis::new(&model) else {
        return;
    };
    // Every line of the projection has a witness, and no other.
    for (line, inside) in analysis.lines() {
        if let Ok(witness) = analysis.witness_through_line(line) {
            assert_eq!(witness.is_some(), inside);
        }
    }
});
