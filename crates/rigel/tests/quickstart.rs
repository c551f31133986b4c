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
    let (shown, counts) = said.split_once("! 3 units, 7 functions, ").unwrap();
    expect![[r#"
        error[null-dereference]: `item` is null when it is dereferenced                   must
          --> examples/quickstart/main.c:11:17  in take()
           |
        10 |     struct item *item = stock_find(stock, name);
           |                         - 1  item = stock_find(stock, name)
           | ::: examples/quickstart/stock.c:21:17  in stock_find()
           | |
        21 | |     for (; list != NULL; list = list->next)
           | |                 - 2  list is NULL: the loop body never runs
        24 | |     return NULL;
           | |     - 3  returns NULL
          ::: examples/quickstart/main.c:11:17  in take()
           |
        11 |     item->count -= count; /* nobody asked whether there is such an item */
           |                 ^ 4  item dereferenced
           |
           = when    stock == NULL in take()   (then it always fails)
           = id      b87ec2

    "#]]
    .assert_eq(shown);
    assert!(
        counts.ends_with(" 1 reported, 1 undecided · TIME\n= exit 1\n"),
        "{counts}"
    );
    // The README shows this very text.
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for line in shown.lines() {
        assert!(
            readme.lines().any(|l| l.trim() == line.trim()),
            "README.md does not show: {line}"
        );
    }
    let counts = counts.split(" · ").next().unwrap();
    assert!(
        readme.contains(&format!("3 units, 7 functions, {counts} · ")),
        "README.md does not show these counts: {counts}"
    );
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
