//! The text parser on any bytes: it must not crash, and what it accepts must print to a text that
//! parses back to the same print.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(program) = ir::parse(source) else {
        return;
    };
    let text = ir::print(&program);
    let again = match ir::parse(&text) {
        Ok(again) => again,
        Err(e) => panic!("{e}\n{text}"),
    };
    assert_eq!(ir::print(&again), text);
    // Whoever accepts a program must be able to work with it.
    let _ = ir::function_hashes(&program);
    let _ = ir::CallGraph::new(&program);
    let _ = ir::link(vec![program, again]);
});
