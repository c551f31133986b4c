//! A solver is somebody else's program, and may do anything. Whatever it does: the run finishes,
//! says so once, and with the same exit code; what only a solver could decide stays undecided.

mod common;

use common::Project;

/// The built-in prover cannot refute the first (nor the second), a solver can; the last is real.
const PROGRAM: &str = "\
unsigned never(unsigned x, unsigned y)
{
    unsigned *p = 0;
    if ((x & y) + (x | y) != x + y)
        return *p;
    return x;
}
unsigned nor(unsigned x, unsigned y)
{
    unsigned *p = 0;
    if ((x ^ y) + 2 * (x & y) != x + y)
        return *p;
    return y;
}
int real(int n)
{
    int *p = 0;
    if (n > 10)
        return *p;
    return n;
}
";

/// Only the first of these functions: one question.
fn one_question() -> String {
    let end = PROGRAM.find("unsigned nor").unwrap();
    PROGRAM[..end].to_string()
}

/// Answers every question with this word.
const ANSWERS: &str = "\
import re, sys
for line in sys.stdin:
    echo = re.match(r'\\(echo \"?([^\")]*)\"?\\)', line)
    if echo or line.startswith(('(check-sat', '(get-')):
        print(echo.group(1) if echo else sys.argv[1], flush=True)
";

fn project(program: &str) -> Project {
    Project::new(&[
        ("a.c", program),
        ("answers.py", ANSWERS),
        ("dies.py", "import sys\nsys.stdin.readline()\nsys.exit(3)\n"),
        ("hangs.py", "import sys\nfor line in sys.stdin: pass\n"),
    ])
}

/// Checks the program, with these arguments: what it finds, with the exit code; and what is said on standard
/// error besides the last line.
fn run(project: &Project, args: &[&str], environment: &[(&str, &str)]) -> (String, Vec<String>) {
    let all: Vec<&str> = ["check", "a.c"].iter().chain(args).copied().collect();
    let output = project.output(&all, environment);
    let code = output.status.code().unwrap();
    assert!(matches!(code, 0 | 1), "{args:?}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let mut lines: Vec<String> = errors.lines().map(str::to_string).collect();
    let last = lines.pop().unwrap_or_default();
    assert!(last.starts_with("1 unit, "), "{errors}");
    (format!("{text}exit code {code}\n"), lines)
}

/// With a solver that gives no answer what it would refute is not reported, either, and it is said once.
#[track_caller]
fn gives_no_answer(project: &Project, solver: &str, said: &str) {
    let (expected, quiet) = run(project, &[], &[]);
    assert_eq!(quiet, [""; 0]);
    let (text, lines) = run(project, &["--solver", solver], &[]);
    assert_eq!(text, expected);
    let [line] = lines.as_slice() else {
        panic!("not one line: {lines:#?}");
    };
    assert!(line.starts_with("rigel: warning: "), "{line}");
    assert!(line.contains(said), "`{said}` is not in: {line}");
    let end = "; paths that only a solver could decide stay undecided";
    assert!(line.ends_with(end), "{line}");
}

#[test]
fn a_solver_refutes_what_the_built_in_prover_cannot() {
    let project = project(PROGRAM);
    let (alone, _) = run(&project, &["--precision", "1"], &[]);
    for function in ["never()", "nor()", "real()"] {
        assert!(alone.contains(function), "{alone}");
    }
    let (text, lines) = run(&project, &[], &[]);
    assert!(
        !text.contains("never()") && !text.contains("nor()"),
        "{text}"
    );
    assert!(text.contains("real()"), "{text}");
    assert_eq!(lines, [""; 0], "a solver that works has nothing to say");
}

#[test]
fn a_solver_that_is_missing() {
    let project = project(PROGRAM);
    gives_no_answer(
        &project,
        "./no-such-solver -in",
        "no-such-solver -in: could not be started",
    );
}

#[test]
fn a_solver_that_dies() {
    gives_no_answer(
        &project(PROGRAM),
        "python3 dies.py",
        "dies.py: ended (exit status: 3)",
    );
}

#[test]
fn a_solver_that_answers_garbage() {
    let project = project(PROGRAM);
    gives_no_answer(
        &project,
        "python3 answers.py potato",
        "answered (check-sat) with `potato`",
    );
    gives_no_answer(
        &project,
        "python3 answers.py ')'",
        "gave an answer with a stray `)`",
    );
    let error = "python3 answers.py '(error \"no memory\")'";
    gives_no_answer(&project, error, "reported an error: no memory");
}

/// It says `sat`, and then `sat` again when it is asked for the values.
#[test]
fn a_solver_whose_solutions_are_none() {
    gives_no_answer(&project(PROGRAM), "python3 answers.py sat", "(get-value)");
}

/// One question, since each costs its time; no more are asked after the third.
#[test]
fn a_solver_that_hangs() {
    let one = format!("{}int main(void) {{ return 0; }}\n", one_question());
    gives_no_answer(&project(&one), "python3 hangs.py", "hangs.py: ");
}

#[test]
fn z3_that_is_not_where_it_is_said_to_be() {
    let project = project(PROGRAM);
    let (expected, _) = run(&project, &[], &[]);
    let (text, lines) = run(&project, &[], &[("RIGEL_Z3", "/nonexistent")]);
    assert_eq!(text, expected);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("/nonexistent"), "{}", lines[0]);
}

/// Nobody asks it anything: nobody misses it.
#[test]
fn a_missing_solver_that_is_not_needed_is_not_missed() {
    let project = project("int twice(int n) { return n + n; }\n");
    let output = project.output(&["check", "a.c", "--solver", "./no-such-solver"], &[]);
    let said = common::show(&output, project.path());
    assert_eq!(
        said,
        "! 1 unit, 1 function, 0 checks: 0 proved, 0 latent, 0 refuted, 0 reported · TIME\n= exit 0\n"
    );
}

#[test]
fn a_solver_without_a_name_is_a_mistake() {
    let project = project(PROGRAM);
    for (precision, solver) in [("2", ""), ("1", "  "), ("0", ""), ("2", "'cvc5")] {
        let args = ["check", "a.c", "--precision", precision, "--solver", solver];
        let said = project.rigel(&args);
        assert!(said.starts_with("! rigel: error: --solver: "), "{said}");
        assert!(said.ends_with("\n= exit 2\n"), "{said}");
    }
}
