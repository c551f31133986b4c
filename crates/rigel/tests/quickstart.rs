//! The first screen: `./x check examples/quickstart`, as the README shows it.

mod common;

use common::{command, show};
use expect_test::expect;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    std::fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

fn rigel(args: &[&str]) -> String {
    let output = command(args).current_dir(root()).output().unwrap();
    show(&output, &root())
}

#[test]
fn check() {
    let said = rigel(&["check", "examples/quickstart"]);
    expect![[r#"
        function     where                           checks
        take         examples/quickstart/main.c:8         4  null-dereference 1, out-of-bounds 1, uninitialized-use 1, use-after-free 1
        main         examples/quickstart/main.c:14        4  out-of-bounds 2, uninitialized-use 2
        parse_line   examples/quickstart/parse.c:4       44  null-dereference 12, out-of-bounds 12, use-after-free 12, uninitialized-use 8
        stock_add    examples/quickstart/stock.c:6        9  null-dereference 3, out-of-bounds 3, use-after-free 3
        stock_find   examples/quickstart/stock.c:19       4  null-dereference 1, out-of-bounds 1, uninitialized-use 1, use-after-free 1
        stock_total  examples/quickstart/stock.c:27       8  null-dereference 2, out-of-bounds 2, uninitialized-use 2, use-after-free 2
        stock_free   examples/quickstart/stock.c:35       4  null-dereference 1, out-of-bounds 1, uninitialized-use 1, use-after-free 1

        error[null-dereference]: a null pointer is followed                               must
          --> examples/quickstart/main.c:11:17  in take()
           |
         9 | {
        10 |     struct item *item = stock_find(stock, name);
        11 |     item->count -= count; /* nobody asked whether there is such an item */
           |                 ^ `item != null` does not hold
           |
           = seen    null
           = called  examples/quickstart/main.c:27:13  in main()

        ! 3 units, 7 functions, 77 checks, 1 error · TIME
        = exit 1
    "#]].assert_eq(&said);
    // The README shows this very text (its closing line with a time).
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for line in said.lines().filter(|l| !l.starts_with(['!', '='])) {
        assert!(
            readme.lines().any(|l| l.trim() == line.trim()),
            "README.md does not show: {line}"
        );
    }
}

#[test]
fn the_report_does_not_depend_on_the_number_of_jobs() {
    for format in ["text", "json"] {
        let with = |jobs| {
            rigel(&[
                "check",
                "examples/quickstart",
                "--format",
                format,
                "--jobs",
                jobs,
            ])
        };
        let one = with("1");
        assert_eq!(one, with("2"));
        assert_eq!(one, with("7"));
    }
}

#[test]
fn run() {
    expect![[r#"
        in stock: 49
        ! error[null-dereference]: a null pointer is followed                               must
        !   --> examples/quickstart/main.c:11:17  in take()
        !    |
        !  9 | {
        ! 10 |     struct item *item = stock_find(stock, name);
        ! 11 |     item->count -= count; /* nobody asked whether there is such an item */
        !    |                 ^ `item != null` does not hold
        !    |
        !    = seen    null
        !    = called  examples/quickstart/main.c:27:13  in main()
        = exit 1
    "#]]
    .assert_eq(&rigel(&["run", "examples/quickstart"]));
}

#[test]
fn ir() {
    expect![[r#"
        fn stock_total(list: struct item*) -> i32 {             # "examples/quickstart/stock.c":27:0
            var total: i32
            0: declare total                                    # 29:5
            1: total = 0                                        # 29:9
            2: assume list != null                              # 30:17
            2: assume list == null        -> 5                  # 30:17
            3: total = total + list->count                      # 31:15
            4: list = list->next          -> 2                  # 30:31
            5: return total                                     # 32:12
            6: end total                                        # 33:1
            7: exit
        }
        = exit 0
    "#]]
    .assert_eq(&rigel(&[
        "ir",
        "examples/quickstart",
        "--function",
        "stock_total",
    ]));
}
