//! Solvers over a pipe that misbehave in every way we could think of. None is needed but python3.

use logic::smt::pipe::{Pipe, PipeCommand};
use logic::smt::{Patience, Session};
use logic::*;
use std::path::Path;
use std::time::Duration;

/// Long enough for any machine, where no test waits for it to pass.
const LONG: Duration = Duration::from_secs(60);
/// Where the test is that it passes.
const SHORT: Duration = Duration::from_millis(300);

/// Answers each command: `sat` and `unsat` as said, values all 0, echoes.
const DECENT: &str = r##"
import sys, re
def serve(check="sat", value="#x00", core="(f0)"):
    for line in sys.stdin:
        if "(check-sat)" in line: print(check)
        elif "(get-value" in line:
            names = re.search(r"get-value \((.*)\)\)", line).group(1).split()
            print("(" + " ".join("(%s %s)" % (n, value) for n in names) + ")")
        elif "(get-unsat-core)" in line: print(core)
        elif "(get-info" in line: print("(:reason-unknown timeout)")
        elif "(echo" in line: print(line.split(chr(34))[1])
        sys.stdout.flush()
"##;

fn command(code: &str) -> PipeCommand {
    assert!(!code.contains('\''), "quoted with these");
    PipeCommand::parse(&format!("python3 -c '{DECENT}{code}'")).unwrap()
}

fn session(code: &str, watch: Duration) -> Session<Pipe> {
    let solver = command(code).watch(watch).solver();
    Session::new(solver, Patience::default())
}

/// x != 0 for a byte, and x = 0.
fn facts(pool: &mut Pool) -> (TermId, TermId) {
    let x = pool.fresh(Sort::Bits(8));
    let nonzero = pool.is_nonzero(x);
    (nonzero, pool.not(nonzero))
}

/// The trouble with the only question `x = 0`.
fn trouble(mut prover: Session<Pipe>) -> String {
    let mut pool = Pool::new();
    let (_, zero) = facts(&mut pool);
    prover.assert(&pool, 5, zero);
    match prover.check(&pool, 1000) {
        Answer::Unknown(Unknown::Trouble(what)) => {
            let name = format!("{}: ", prover.name());
            what.strip_prefix(&name).expect(&what).to_string()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_decent_solver_is_believed() {
    let mut pool = Pool::new();
    let (nonzero, zero) = facts(&mut pool);
    let mut prover = session("serve()", LONG);
    prover.assert(&pool, 5, zero);
    let Answer::Satisfiable(model) = prover.check(&pool, 1000) else {
        panic!("0 is a solution");
    };
    assert_eq!(evaluate(&pool, zero, &model), 1);
    let mut prover = session(r#"serve(check="unsat", core="(f1 f0)")"#, LONG);
    prover.assert(&pool, 5, zero);
    prover.assert(&pool, 3, nonzero);
    assert_eq!(prover.check(&pool, 1000), Answer::Unsatisfiable(vec![3, 5]));
    let mut prover = session(r#"serve(check="unknown")"#, LONG);
    prover.assert(&pool, 5, zero);
    assert_eq!(prover.check(&pool, 1000), Answer::Unknown(Unknown::Budget));
}

#[test]
fn hanging() {
    let what = trouble(session("import time; time.sleep(1000)", SHORT));
    assert_eq!(what, "did not answer within 0.3 s");
}

#[test]
fn closing_its_input_and_hanging() {
    let code = "import os, time; os.close(0); time.sleep(1000)";
    assert_eq!(trouble(session(code, SHORT)), "did not answer within 0.3 s");
}

#[test]
fn never_reading_what_fills_the_pipe() {
    let mut pool = Pool::new();
    let mut prover = session("import time; time.sleep(1000)", SHORT);
    for i in 0..5000 {
        let x = pool.fresh(Sort::Bits(32));
        let fact = pool.is_nonzero(x);
        prover.assert(&pool, i, fact);
    }
    let answer = prover.check(&pool, 1000);
    assert!(
        matches!(answer, Answer::Unknown(Unknown::Trouble(_))),
        "{answer:?}"
    );
}

#[test]
fn ending() {
    let what = trouble(session("sys.exit(3)", LONG));
    assert_eq!(what, "ended (exit status: 3)");
    let code = r#"
for line in sys.stdin:
    if "check-sat" in line:
        print("about to fail", flush=True)
        sys.exit(9)
"#;
    assert_eq!(
        trouble(session(code, LONG)),
        "ended (exit status: 9) after `about to fail`"
    );
}

#[test]
fn talking_nonsense() {
    let what = trouble(session(r#"serve(check="perhaps")"#, LONG));
    assert_eq!(what, "answered (check-sat) with `perhaps`");
    let what = trouble(session(r#"serve(check="sat sat")"#, LONG));
    assert_eq!(what, "answered (check-sat) with `sat`");
    let what = trouble(session(r#"serve(check="")"#, LONG));
    assert_eq!(what, "did not answer (check-sat)");
    let what = trouble(session(r#"serve(check=")|")"#, LONG));
    assert_eq!(what, "gave an answer with a stray `)`");
    let what = trouble(session(r#"serve(value="(")"#, LONG));
    assert_eq!(what, "gave an answer that ends within an expression");
    let what = trouble(session(r#"serve(value="seven")"#, LONG));
    assert_eq!(what, "answered (get-value) with `(…)`");
    let what = trouble(session(
        r#"serve(check="(error " + chr(34) + "no" + chr(34) + ")")"#,
        LONG,
    ));
    assert_eq!(what, "reported an error: no");
    let what = trouble(session(r#"serve(check="unsat", core="(f7)")"#, LONG));
    assert_eq!(what, "answered (get-unsat-core) with `(…)`");
    let what = trouble(session(r#"serve(check="unsat", core="f0")"#, LONG));
    assert_eq!(what, "answered (get-unsat-core) with `f0`");
}

#[test]
fn a_wrong_model_is_not_believed() {
    let what = trouble(session(r##"serve(value="#x01")"##, LONG));
    assert_eq!(what, "gave values under which a fact is false");
}

#[test]
fn printing_half_an_expression_and_ending() {
    let code = r#"
for line in sys.stdin:
    if "check-sat" in line:
        print("((x0 #x0", end="", flush=True)
        sys.exit(0)
"#;
    assert_eq!(
        trouble(session(code, LONG)),
        "ended (exit status: 0) after `((x0 #x0`"
    );
}

#[test]
fn flooding_standard_error_disturbs_nobody() {
    let mut pool = Pool::new();
    let (_, zero) = facts(&mut pool);
    let code = r#"
for i in range(200): print("x" * 10000, file=sys.stderr)
serve()"#;
    let mut prover = session(code, LONG);
    prover.assert(&pool, 0, zero);
    let answer = prover.check(&pool, 1000);
    assert!(matches!(answer, Answer::Satisfiable(_)), "{answer:?}");
}

#[test]
fn printing_without_end() {
    let code = "\nwhile True: print(\"x\" * 100000)";
    assert_eq!(trouble(session(code, LONG)), "printed without end");
}

#[test]
fn a_missing_program() {
    let solver = PipeCommand::parse("/nowhere/solver --fast")
        .unwrap()
        .solver();
    let mut pool = Pool::new();
    let (_, zero) = facts(&mut pool);
    let mut prover = Session::new(solver, Patience::default());
    prover.assert(&pool, 0, zero);
    let Answer::Unknown(Unknown::Trouble(what)) = prover.check(&pool, 1000) else {
        panic!("nobody was asked");
    };
    assert!(
        what.starts_with("/nowhere/solver --fast: could not be started: "),
        "{what}"
    );
}

/// Notes each start in a file, and hands the number of starts to the code as `starts`.
fn counting(file: &Path, code: &str) -> String {
    let name = file.display();
    format!(
        "name = \"{name}\"\nopen(name, \"a\").write(\"x\")\nstarts = len(open(name).read())\n{code}"
    )
}

#[test]
fn a_new_solver_is_told_the_whole_stack() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("starts");
    // The first one dies at the second question. The second must have heard both facts.
    let code = r#"
if starts == 1:
    checks = 0
    for line in sys.stdin:
        if "(check-sat)" in line:
            checks += 1
            if checks == 2: sys.exit(1)
            print("unknown", flush=True)
        elif "(get-info" in line: print("(:reason-unknown timeout)", flush=True)
        elif "(echo" in line: print(line.split(chr(34))[1], flush=True)
text = ""
for line in sys.stdin:
    text += line
    if "(check-sat)" in line:
        both = "f0" in text and "f1" in text and text.count("(push 1)") == 1
        print("unsat" if both else "sat", flush=True)
    elif "(get-unsat-core)" in line: print("(f0 f1)", flush=True)
    elif "(echo" in line: print(line.split(chr(34))[1], flush=True)
"#;
    let mut pool = Pool::new();
    let (nonzero, zero) = facts(&mut pool);
    let mut prover = session(&counting(&file, code), LONG);
    prover.assert(&pool, 1, zero);
    assert_eq!(prover.check(&pool, 1000), Answer::Unknown(Unknown::Budget));
    prover.push();
    prover.assert(&pool, 2, nonzero);
    let answer = prover.check(&pool, 1000);
    assert!(
        matches!(answer, Answer::Unknown(Unknown::Trouble(_))),
        "{answer:?}"
    );
    assert_eq!(prover.check(&pool, 1000), Answer::Unsatisfiable(vec![1, 2]));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "xx");
}

#[test]
fn patience_ends_for_all_sessions() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("starts");
    let command = command(&counting(&file, "sys.exit(1)"));
    let patience = Patience::default();
    let mut pool = Pool::new();
    let (_, zero) = facts(&mut pool);
    for _ in 0..3 {
        let mut prover = Session::new(command.solver(), patience.clone());
        prover.assert(&pool, 0, zero);
        for _ in 0..2 {
            let answer = prover.check(&pool, 1000);
            assert!(
                matches!(answer, Answer::Unknown(Unknown::Trouble(_))),
                "{answer:?}"
            );
        }
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "xxx");
}

#[test]
fn commands_are_words() {
    assert_eq!(
        PipeCommand::parse("").unwrap_err(),
        "the solver has no name"
    );
    assert_eq!(
        PipeCommand::parse("z3 'in").unwrap_err(),
        "the solver `z3 'in` has an open quote"
    );
    // Quotes keep blanks, and an empty word is a word.
    let code = r#"import sys; assert sys.argv[1:] == ["a b", "", "c"]; sys.exit(7)"#;
    let text = format!("python3 -c '{code}' 'a b' \"\" c");
    let what = trouble(Session::new(
        PipeCommand::parse(&text).unwrap().solver(),
        Patience::default(),
    ));
    assert_eq!(what, "ended (exit status: 7)");
}
