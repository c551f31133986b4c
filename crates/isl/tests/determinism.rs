//! The same calls give the same constraints in the same order.

mod common;

use common::work::{a_bit_of_everything, boxes};
use isl::{Context, Set, Stopped};

#[test]
fn the_same_in_any_context_and_after_anything() {
    let context = Context::new();
    let first = a_bit_of_everything(&context).unwrap();
    let other = boxes(&context, 5).unwrap();
    context.allow(30_000);
    let _ = other.complement().and_then(|set| set.convex_hull());
    context.allow_anything();
    assert_eq!(a_bit_of_everything(&context).unwrap(), first);
    assert_eq!(a_bit_of_everything(&Context::new()).unwrap(), first);
    let elsewhere = std::thread::spawn(|| a_bit_of_everything(&Context::new()).unwrap());
    assert_eq!(elsewhere.join().unwrap(), first);
}

/// In another process, where addresses are others: this test starts itself. That process sees errors of all kinds, too, and
/// says nothing.
#[test]
fn the_same_in_any_process() {
    const CHILD: &str = "ISL_TEST_WRITES_TO";
    if let Some(file) = std::env::var_os(CHILD) {
        let context = Context::new();
        assert!(Set::parse(&context, "{ [x] : x > }").is_err());
        let set = boxes(&context, 9).unwrap();
        context.allow(1_000);
        assert_eq!(set.complement().unwrap_err(), Stopped::Budget);
        context.allow_anything();
        assert!(
            Set::parse(&context, "{ [x] : x < 0 }")
                .unwrap()
                .lexmin()
                .is_err()
        );
        let text = a_bit_of_everything(&context).unwrap().join("\n");
        std::fs::write(file, text).unwrap();
        return;
    }
    let expected = a_bit_of_everything(&Context::new()).unwrap().join("\n");
    for number in 0..2 {
        let file = std::env::temp_dir().join(format!("isl-{}-{number}", std::process::id()));
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_same_in_any_process"])
            .env(CHILD, &file)
            .output()
            .unwrap();
        let text = std::fs::read_to_string(&file);
        let _ = std::fs::remove_file(&file);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(text.unwrap(), expected);
    }
}
