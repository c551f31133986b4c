//! The papers' own examples, as far as the CFA and its interpreter can show them.

mod common;

use common::command;
use expect_test::expect;
use std::path::Path;

fn rigel_in_papers(args: &[&str]) -> String {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/papers");
    let output = command(args).current_dir(papers).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Orion, Fig. 3: statement by statement as in the source, with its names and lines.
#[test]
fn orion_fig_3_reads_like_the_source() {
    expect![[r#"
        unit "orion_fig3.c"

        fn f(i: i32) -> i32 {                                   # "orion_fig3.c":1:0
            var r: i32, a: i32, p: i32*, m: i32
            0: declare r                                        # 3:3
            1: declare a                                        # 3:3
            2: declare p                                        # 3:3
            3: p = &a                                           # 3:14
            4: declare m                                        # 4:3
            5: m = 1                                            # 4:7
            6: assume i < 2                                     # 6:8
            6: assume i >= 2              -> 8                  # 6:8
            7: r = m * i                  -> 9                  # 7:7
            8: m = m + 1                                        # 9:6
            9: a = m * (i + 1)                                  # 10:5
            10: assume *p >= 6                                  # 11:9
            10: assume *p < 6             -> 12                 # 11:9
            11: r = m * 6                                       # 12:7
            12: return r                                        # 13:10
            13: end m                                           # 14:1
            14: end p                                           # 14:1
            15: end a                                           # 14:1
            16: end r                                           # 14:1
            17: exit
        }
    "#]]
    .assert_eq(&rigel_in_papers(&["ir", "orion_fig3.c"]));
}
