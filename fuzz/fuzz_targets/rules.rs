//! The parser of users' rules on any bytes: it must not crash, and what it accepts are automata.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::Rule;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match rules::user::parse("fuzzed.rigel", text) {
        Ok(all) => {
            for rule in &all {
                assert!(rule.meta().docs.contains(rule.meta().id));
                for automaton in rule.automata() {
                    assert_eq!(automaton.validate(), Ok(()));
                }
            }
        }
        Err(mistake) => {
            let lines = text.lines().count() as u32 + 1;
            assert!((1..=lines).contains(&mistake.place.line));
            assert!(!mistake.to_string().contains('\n'));
        }
    }
});
