//! The temporal property of §2.3 of the path reduction paper, through the whole engine:
//!
//! ```text
//!     AG (malloc_p ⇒ AG (free_p ⇒ ¬ EF used_p))
//! ```
//!
//! as an automaton that only this test knows, on the program of Fig. 1, `foo`: it allocates, copies in a
//! loop, and frees in the last turn. Without the values of `x` that is an alarm; with them the loop of
//! refinement (§4.1) finds that no run does it. Its twin has one turn more, and does it.

mod common;

use common::Project;
use engine::{Analysis, Level2, Provers, Settings, analyze};
use expect_test::expect;
use rules::Selection;
use rules::temporal::{
    Automaton, Label, Outcome, Pattern, State, Target, Transition, Valid, subject, weave,
};

static USED_AFTER_FREE: Automaton = Automaton {
    states: &[
        State {
            name: "idle",
            told: "",
        },
        State {
            name: "allocated",
            told: "is allocated",
        },
        State {
            name: "freed",
            told: "is freed",
        },
    ],
    labels: &[
        Label {
            name: "malloc_p",
            patterns: &[Pattern::Result {
                functions: &["malloc"],
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "free_p",
            patterns: &[Pattern::Argument {
                functions: &["free"],
                position: 0,
                outcome: Outcome::Any,
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "used_p",
            patterns: &[Pattern::Dereferenced],
            valid: Valid::NotZero,
        },
    ],
    transitions: &[
        Transition {
            from: 0,
            on: 0,
            to: Target::State(1),
        },
        Transition {
            from: 1,
            on: 1,
            to: Target::State(2),
        },
        Transition {
            from: 2,
            on: 2,
            to: Target::Error,
        },
    ],
    library_only: true,
    by_callees: &[],
    void_if_called: &[],
    zero_at_first: false,
    needs: None,
    goes_on: false,
    any_state: None,
};

/// Fig. 1, with so many turns; the twin's loop runs once more.
fn foo(turns: u32, violating: bool) -> String {
    let compare = if violating { ">=" } else { ">" };
    format!(
        "#include <stdlib.h>\n\
         int foo(void) {{\n\
         int x, a = 0, *p = malloc(sizeof *p);\n\
         if (!p) return 0;\n\
         *p = 1;\n\
         for (x = {turns}; x {compare} 0; x--) {{\n\
         a = *p;\n\
         if (x == 1) free(p);\n\
         }}\n\
         return a; }}\n"
    )
}

/// Everything of the property, with all built-in rules that could know of it off.
fn examine(source: &str) -> (ir::Program, Analysis) {
    let project = Project::new(&[("foo.c", source)]);
    let mut program = common::lower(project.path(), "foo.c").remove(0);
    rules::instrument(&mut program, Selection::parse("assertion").unwrap());
    weave(&mut program, &[("used-after-free", &USED_AFTER_FREE)]);
    ir::validate::validate(&program).unwrap();
    let shown = program.symbols.intern("used-after-free");
    let settings = Settings {
        latent: true,
        rules: Some(vec![shown]),
        level2: Some(Level2 {
            provers: Provers::builtin(),
            budget: 100_000,
            stopwatch: None,
        }),
        ..Settings::default()
    };
    let analysis = analyze(&program, &settings, &|| {});
    assert!(analysis.defects.is_empty(), "{:?}", analysis.defects);
    (program, analysis)
}

#[test]
fn the_program_of_the_paper_keeps_the_property() {
    for turns in [2, 10, 1_000] {
        let (_, analysis) = examine(&foo(turns, false));
        let counts = analysis.counts;
        assert_eq!(counts.reported, 0, "{turns}: {counts:?}");
        assert_eq!(counts.undecided, 0, "{turns}: {counts:?}");
        // `*p = 1` and `a = *p` are uses; only the second can come after the free.
        assert_eq!(counts.checks, 1, "{turns}: {counts:?}");
        assert_eq!(counts.proved + counts.refuted, 1, "{turns}: {counts:?}");
    }
}

#[test]
fn its_twin_violates_it_on_a_path_that_exists() {
    // More turns than are worth taking one by one are for a solver: see below.
    for turns in [2, 10] {
        let (program, analysis) = examine(&foo(turns, true));
        let [error] = &analysis.errors[..] else {
            panic!("{turns}: {:?}", analysis.counts);
        };
        let body = program.functions[error.function].body.as_ref().unwrap();
        let condition = &body.checks[error.check].condition;
        let value = subject(&program, body, condition).unwrap();
        let printer = ir::text::Printer::new(&program);
        assert_eq!(printer.expr(error.function, body, value), "p");
        // It frees before it uses: the free is on the path, and so is the use, which is the end.
        let calls = error.path.iter().filter(|e| {
            let free = program.find_function("free").unwrap();
            matches!(&body.edges()[**e].stmt,
                ir::Stmt::Call(call) if call.callee == ir::Callee::Direct(free))
        });
        assert_eq!(calls.count(), 1, "{turns}");
    }
}

#[test]
fn a_value_that_is_not_allocated_here_is_none_of_its_business() {
    let source = "#include <stdlib.h>\n\
                  int bar(int *p) { free(p); return *p; }\n";
    let (_, analysis) = examine(source);
    assert_eq!(analysis.counts.checks, 0);
}

/// The same for a built-in rule, with everything that the command line has: freed in the last turn, or
/// in the last two.
#[test]
fn freed_in_the_last_turns() {
    for turns in [2, 10, 1_000, 1_000_000] {
        for (last, expected) in [("x == 1", 0), ("x <= 2", 1)] {
            let source = format!(
                "#include <stdlib.h>\n\
                 void drop(void) {{\n\
                 int x, *p = malloc(sizeof *p);\n\
                 if (!p) return;\n\
                 for (x = {turns}; x > 0; x--) if ({last}) free(p);\n\
                 }}\n"
            );
            let project = Project::new(&[("drop.c", &source)]);
            let output = project.output(&["check", "drop.c", "--format", "json"], &[]);
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let findings = report["findings"].as_array().unwrap();
            let rules: Vec<_> = findings.iter().map(|f| &f["rule"]).collect();
            assert_eq!(rules, vec!["double-free"; expected], "{turns}, {last}");
        }
    }
}

const THREE: &str = "\
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct box { char *data; pthread_mutex_t lock; };
int pack(struct box *b, int n, int fd) {
    int rc = -1;
    if (n > 3) {
        free(b->data);
        goto out;
    }
    rc = 0;
out:
    free(b->data);
    if (close(fd) == 0)
        rc += (int)write(fd, \"x\", 1);
    pthread_mutex_lock(&b->lock);
    if (rc)
        pthread_mutex_lock(&b->lock);
    pthread_mutex_unlock(&b->lock);
    return rc;
}
";

#[test]
fn a_report_tells_what_happened_to_the_value() {
    let project = Project::new(&[("pack.c", THREE)]);
    expect![[r#"
        warning[double-free]: `b->data` is freed, but it was freed before                  may
          --> pack.c:13:5  in pack()
           |
         8 |         free(b->data);
           |         - 1  b->data is freed
        13 |     free(b->data);
           |     ^ 2  b->data freed again
           |
           = when    b = not NULL, n = 4, b->data = not NULL
           = id      062983

        warning[use-after-close]: `fd` is used after it was closed                         may
          --> pack.c:15:20  in pack()
           |
        14 |     if (close(fd) == 0)
           |         - 1  fd is closed
        15 |         rc += (int)write(fd, "x", 1);
           |                    ^ 2  fd used
           |
           = when    b = not NULL, fd = 0, n = 4, b->data = NULL, close() = 0
           = id      d2ebae

        warning[double-lock]: `&b->lock` is locked while this thread holds it              may
          --> pack.c:18:9  in pack()
           |
         6 |     int rc = -1;
           |         - 1  rc = -1
        ...
        15 |         rc += (int)write(fd, "x", 1);
           |            - 2  rc = rc + write(fd, "x", 1)
        16 |     pthread_mutex_lock(&b->lock);
           |     - 3  &b->lock is locked
        17 |     if (rc)
           |         - 4  rc != 0
        18 |         pthread_mutex_lock(&b->lock);
           |         ^ 5  &b->lock locked again
           |
           = when    b = not NULL, fd = -2147483648, n = 4, b->data = NULL, close() = 0, write() = 0, …
           = id      aaeac4

        ! 1 unit, 1 function, 17 checks: 3 proved, 11 latent, 0 refuted, 3 reported · TIME
        = exit 1
    "#]]
    .assert_eq(&project.rigel(&["check", "pack.c"]));
}

/// Ghosts are nobody's variables: whatever is shown, they are not.
#[test]
fn no_report_names_a_ghost() {
    let project = Project::new(&[("pack.c", THREE)]);
    for more in [
        &["--path", "full"][..],
        &["--latent", "--verbose"],
        &["--format", "json"],
        &["--format", "sarif"],
    ] {
        let text = project.rigel(&[&["check", "pack.c"], more].concat());
        assert!(text.contains("freed"), "{text}");
        for ghost in ["$double", "$use", ".state", ".value"] {
            assert!(!text.contains(ghost), "{ghost} with {more:?}:\n{text}");
        }
    }
}

/// That a lock hangs is certain only if it is of the ordinary kind, and was got before.
#[test]
fn a_lock_must_hang_only_if_its_kind_is_known() {
    const LOCKS: &str = "\
typedef struct { long words[5]; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
static pthread_mutex_t plain;
extern pthread_mutex_t other;
void twice(void) {
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&plain);
}
void twice_other(void) {
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&other);
}
void tried(void) {
    pthread_mutex_trylock(&plain);
    pthread_mutex_lock(&plain);
}
";
    let project = Project::new(&[("locks.c", LOCKS)]);
    let text = project.rigel(&["check", "locks.c", "--path", "full"]);
    let found: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("[double-lock]"))
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    assert_eq!(found, ["must", "may", "may"], "{text}");
    assert!(!text.contains(".given"), "{text}");
}
