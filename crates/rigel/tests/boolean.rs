//! `rigel bp` from outside.

mod common;

use common::Project;
use expect_test::{Expect, expect};

const LOCK: &str = "decl locked;
void lock() begin
  assert (!locked);
  locked := 1;
end
void log() begin
  skip;
end
void main() begin
  locked := 0;
  lock();
  log();
  if (*) then
    done: skip;
  else
    lock();
  fi;
end
";

fn check(args: &[&str], expected: Expect) {
    let project = Project::new(&[
        ("lock.bp", LOCK),
        ("bad.bp", "void main() begin\n  x = 1;\nend\n"),
    ]);
    expected.assert_eq(&project.rigel(args));
}

#[test]
fn an_assertion_that_can_fail() {
    check(
        &["bp", "lock.bp"],
        expect![[r#"
        error: `assert (!locked)` can fail
          --> lock.bp:3:3  in lock()

        a path:
          10   main: locked := 0
          11   main: lock()
           3     lock: assert (!locked)
           4     lock: locked := 1
           5     lock: end
          12   main: log()
           7     log: skip
           8     log: end
          13   main: if (*)
          16   main: lock()
           3     lock: assert (!locked)

        error projection: 10 of 12 statements, in 3 of 3 functions
          …  |
           2 | void lock() begin
        >  3 |   assert (!locked);
        >  4 |   locked := 1;
        >  5 | end
           6 | void log() begin
        >  7 |   skip;
        >  8 | end
           9 | void main() begin
        > 10 |   locked := 0;
        > 11 |   lock();
        > 12 |   log();
        > 13 |   if (*) then
          14 |     done: skip;
          15 |   else
        > 16 |     lock();
          17 |   fi;
          18 | end
        = exit 1
    "#]],
    );
}

#[test]
fn through_a_line() {
    check(
        &["bp", "lock.bp", "--through", "4"],
        expect![[r#"
        error: `assert (!locked)` can fail
          --> lock.bp:3:3  in lock()

        a path through line 4:
          10   main: locked := 0
          11   main: lock()
           3     lock: assert (!locked)
        >  4     lock: locked := 1
           5     lock: end
          12   main: log()
           7     log: skip
           8     log: end
          13   main: if (*)
          16   main: lock()
           3     lock: assert (!locked)

        error projection: 10 of 12 statements, in 3 of 3 functions
          …  |
           2 | void lock() begin
        >  3 |   assert (!locked);
        >  4 |   locked := 1;
        >  5 | end
           6 | void log() begin
        >  7 |   skip;
        >  8 | end
           9 | void main() begin
        > 10 |   locked := 0;
        > 11 |   lock();
        > 12 |   log();
        > 13 |   if (*) then
          14 |     done: skip;
          15 |   else
        > 16 |     lock();
          17 |   fi;
          18 | end
        = exit 1
    "#]],
    );
    check(
        &["bp", "lock.bp", "--through", "14"],
        expect![[r#"
        error: `assert (!locked)` can fail
          --> lock.bp:3:3  in lock()

        no such path leads through line 14: that is proved of this program

        error projection: 10 of 12 statements, in 3 of 3 functions
          …  |
           2 | void lock() begin
        >  3 |   assert (!locked);
        >  4 |   locked := 1;
        >  5 | end
           6 | void log() begin
        >  7 |   skip;
        >  8 | end
           9 | void main() begin
        > 10 |   locked := 0;
        > 11 |   lock();
        > 12 |   log();
        > 13 |   if (*) then
          14 |     done: skip;
          15 |   else
        > 16 |     lock();
          17 |   fi;
          18 | end
        = exit 1
    "#]],
    );
}

#[test]
fn labels() {
    check(
        &["bp", "lock.bp", "--label", "done"],
        expect![[r#"
        error: the label `done` can be reached
          --> lock.bp:14:11  in main()

        a path:
          10   main: locked := 0
          11   main: lock()
           3     lock: assert (!locked)
           4     lock: locked := 1
           5     lock: end
          12   main: log()
           7     log: skip
           8     log: end
          13   main: if (*)
          14   main: skip

        error projection: 10 of 12 statements, in 3 of 3 functions
          …  |
           2 | void lock() begin
        >  3 |   assert (!locked);
        >  4 |   locked := 1;
        >  5 | end
           6 | void log() begin
        >  7 |   skip;
        >  8 | end
           9 | void main() begin
        > 10 |   locked := 0;
        > 11 |   lock();
        > 12 |   log();
        > 13 |   if (*) then
        > 14 |     done: skip;
          15 |   else
          16 |     lock();
          17 |   fi;
          18 | end
        = exit 1
    "#]],
    );
}

#[test]
fn nothing_fails() {
    let fine = LOCK.replace("    lock();\n  fi", "    locked := 0;\n    lock();\n  fi");
    let project = Project::new(&[("lock.bp", &fine)]);
    expect![[r#"
        no assertion can fail

        error projection: 0 of 13 statements, in 0 of 3 functions
        = exit 0
    "#]]
    .assert_eq(&project.rigel(&["bp", "lock.bp"]));
}

#[test]
fn for_programs() {
    check(
        &["bp", "lock.bp", "--format", "json"],
        expect![[r#"
        {
          "file": "lock.bp",
          "label": null,
          "path": [
            {
              "column": 3,
              "depth": 0,
              "function": "main",
              "line": 10,
              "text": "locked := 0"
            },
            {
              "column": 3,
              "depth": 0,
              "function": "main",
              "line": 11,
              "text": "lock()"
            },
            {
              "column": 3,
              "depth": 1,
              "function": "lock",
              "line": 3,
              "text": "assert (!locked)"
            },
            {
              "column": 3,
              "depth": 1,
              "function": "lock",
              "line": 4,
              "text": "locked := 1"
            },
            {
              "column": 1,
              "depth": 1,
              "function": "lock",
              "line": 5,
              "text": "end"
            },
            {
              "column": 3,
              "depth": 0,
              "function": "main",
              "line": 12,
              "text": "log()"
            },
            {
              "column": 3,
              "depth": 1,
              "function": "log",
              "line": 7,
              "text": "skip"
            },
            {
              "column": 1,
              "depth": 1,
              "function": "log",
              "line": 8,
              "text": "end"
            },
            {
              "column": 3,
              "depth": 0,
              "function": "main",
              "line": 13,
              "text": "if (*)"
            },
            {
              "column": 5,
              "depth": 0,
              "function": "main",
              "line": 16,
              "text": "lock()"
            },
            {
              "column": 3,
              "depth": 1,
              "function": "lock",
              "line": 3,
              "text": "assert (!locked)"
            }
          ],
          "projection": [
            {
              "column": 3,
              "function": "lock",
              "line": 3,
              "text": "assert (!locked)"
            },
            {
              "column": 3,
              "function": "lock",
              "line": 4,
              "text": "locked := 1"
            },
            {
              "column": 1,
              "function": "lock",
              "line": 5,
              "text": "end"
            },
            {
              "column": 3,
              "function": "log",
              "line": 7,
              "text": "skip"
            },
            {
              "column": 1,
              "function": "log",
              "line": 8,
              "text": "end"
            },
            {
              "column": 3,
              "function": "main",
              "line": 10,
              "text": "locked := 0"
            },
            {
              "column": 3,
              "function": "main",
              "line": 11,
              "text": "lock()"
            },
            {
              "column": 3,
              "function": "main",
              "line": 12,
              "text": "log()"
            },
            {
              "column": 3,
              "function": "main",
              "line": 13,
              "text": "if (*)"
            },
            {
              "column": 5,
              "function": "main",
              "line": 16,
              "text": "lock()"
            }
          ],
          "reachable": true,
          "reached": [
            {
              "column": 3,
              "function": "lock",
              "line": 3,
              "text": "assert (!locked)"
            }
          ],
          "statements": 12,
          "through": null
        }
        = exit 1
    "#]],
    );
    check(
        &["bp", "lock.bp", "--format", "dot"],
        expect![[r##"
        digraph program {
          node [shape=box, fontname=monospace];
          subgraph cluster_0 {
            label="lock";
            n2 [label="3: assert (!locked)", style=filled, fillcolor="#f4c7c3"];
            n3 [label="4: locked := 1", style=filled, fillcolor="#f4c7c3"];
            n4 [label="5: end", style=filled, fillcolor="#f4c7c3"];
            n14 [label="reached", style=filled, fillcolor="#f4c7c3"];
          }
          subgraph cluster_1 {
            label="log";
            n5 [label="7: skip", style=filled, fillcolor="#f4c7c3"];
            n6 [label="8: end", style=filled, fillcolor="#f4c7c3"];
          }
          subgraph cluster_2 {
            label="main";
            n7 [label="10: locked := 0", style=filled, fillcolor="#f4c7c3"];
            n8 [label="11: lock()", style=filled, fillcolor="#f4c7c3"];
            n9 [label="12: log()", style=filled, fillcolor="#f4c7c3"];
            n10 [label="13: if (*)", style=filled, fillcolor="#f4c7c3"];
            n11 [label="14: skip"];
            n12 [label="16: lock()", style=filled, fillcolor="#f4c7c3"];
            n13 [label="18: end"];
            n15 [label="11: back", style=filled, fillcolor="#f4c7c3"];
            n16 [label="12: back", style=filled, fillcolor="#f4c7c3"];
            n17 [label="16: back"];
          }
          n2 -> n3;
          n2 -> n14;
          n3 -> n4;
          n5 -> n6;
          n7 -> n8;
          n8 -> n2 [style=dashed];
          n8 -> n15;
          n15 -> n9;
          n9 -> n5 [style=dashed];
          n9 -> n16;
          n16 -> n10;
          n10 -> n11;
          n10 -> n12;
          n11 -> n13;
          n12 -> n2 [style=dashed];
          n12 -> n17;
          n17 -> n13;
        }
        = exit 1
    "##]],
    );
}

#[test]
fn bad_input() {
    check(
        &["bp", "bad.bp"],
        expect![[r#"
        ! rigel: error: bad.bp:2:5: expected `:=`, found `=`
        = exit 2
    "#]],
    );
    check(
        &["bp", "missing.bp"],
        expect![[r#"
        ! rigel: error: missing.bp: no such file (is the name right? it is read from the current directory)
        = exit 2
    "#]],
    );
    check(
        &["bp", "lock.bp", "--through", "99"],
        expect![[r#"
        ! rigel: error: lock.bp:99: there is no statement on this line
        = exit 2
    "#]],
    );
    check(
        &["bp", "lock.bp", "--label", "nowhere"],
        expect![[r#"
        ! rigel: error: lock.bp:1:1: there is no label `nowhere`
        = exit 2
    "#]],
    );
}
