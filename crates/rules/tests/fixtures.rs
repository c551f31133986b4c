//! The fixtures themselves: whatever runs them, they must be well-formed.

use fixtures::Fixture;
use std::path::Path;

/// Per rule: so many programs that fail, and so many that stay silent.
const AT_LEAST: usize = 6;

#[test]
fn fixtures_are_well_formed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for rule in rules::all() {
        let id = rule.meta().id;
        let (mut failing, mut silent) = (0, 0);
        for entry in std::fs::read_dir(root.join(id)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let shown = path.display();
            // What is true of the program, whatever level 1 makes of it today.
            let fixture = Fixture::parse(&path, &text).unwrap().truth();

            let first = text.lines().find(|l| !l.starts_with("// rigel:"));
            assert!(
                first.is_some_and(|l| l.starts_with("// ") && l.ends_with('.')),
                "{shown}: the first line says in one sentence what it shows"
            );
            let name = path.file_name().unwrap().to_string_lossy();
            match fixture.expected[..] {
                [] => {
                    assert!(name.starts_with("ok_"), "{shown}: silent ones are ok_…");
                    silent += 1;
                }
                [ref e] => {
                    assert_eq!(e.rule, id, "{shown}");
                    assert!(
                        !name.starts_with("ok_"),
                        "{shown}: failing ones are not ok_…"
                    );
                    failing += 1;
                }
                _ => panic!("{shown}: a run stops at its first failing check"),
            }
        }
        assert!(
            failing >= AT_LEAST && silent >= AT_LEAST,
            "{id}: {failing} fail, {silent} are silent"
        );
    }
}
