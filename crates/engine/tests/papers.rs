//! The paper's own examples on the real engine: `foo` of §3.2 and Figure 2 of §2.
//!
//! `crates/search/tests/paper.rs` has them on automata written for the purpose. Here they are
//! functions as the front end delivers them, with the checks that the rules put in, and the
//! automata are those that every user gets.

use engine::{Analysis, Automata, Settings, analyze};
use ir::{Program, Stmt};
use search::Algorithm;

/// `int foo(int x)` of §3.2, from `rigel ir --checks`.
const FOO: &str = r#"
unit "foo.c"

fn foo(x: i32) -> i32 {                                 # "foo.c":1:0
    var u: i32, v: i32
    0: declare u                                        # 3:3
    1: declare v                                        # 3:3
    2: assume x > 0                                     # 4:9
    2: assume x <= 0              -> 4                  # 4:9
    3: v = x                      -> 6                  # 4:16
    4: check integer-overflow !overflow(x + 1)          # 4:28
    5: v = x + 1                                        # 4:28
    6: assume x < 0                                     # 5:9
    6: assume x >= 0              -> 9                  # 5:9
    7: check uninitialized-use initialized(u)           # 6:5
    8: return u                   -> 10                 # 6:5
    9: return x                                         # 7:8
    10: end v                                           # 8:1
    11: end u                                           # 8:1
    12: exit
}
"#;

/// Figure 3, from `rigel ir --checks`.
const FIGURE_3: &str = r#"
unit "fig3.c"

fn f(i: i32) -> i32 {                                   # "fig3.c":1:0
    var r: i32, a: i32, p: i32*, m: i32
    0: declare r                                        # 3:3
    1: declare a                                        # 3:3
    2: declare p                                        # 3:3
    3: p = &a                                           # 3:14
    4: declare m                                        # 4:3
    5: m = 1                                            # 4:7
    6: assume i < 2                                     # 6:8
    6: assume i >= 2              -> 9                  # 6:8
    7: check integer-overflow !overflow(m * i)          # 7:7
    8: r = m * i                  -> 11                 # 7:7
    9: check integer-overflow !overflow(m + 1)          # 9:6
    10: m = m + 1                                       # 9:6
    11: check integer-overflow !overflow(i + 1)         # 10:5
    12: check integer-overflow !overflow(m * (i + 1))   # 10:5
    13: a = m * (i + 1)                                 # 10:5
    14: check null-dereference p != null                # 11:9
    15: check use-after-free alive(p)                   # 11:9
    16: check out-of-bounds in_bounds(p, 4)             # 11:9
    17: check uninitialized-use initialized(*p)         # 11:9
    18: assume *p >= 6                                  # 11:9
    18: assume *p < 6             -> 21                 # 11:9
    19: check integer-overflow !overflow(m * 6)         # 12:7
    20: r = m * 6                                       # 12:7
    21: check uninitialized-use initialized(r)          # 13:10
    22: return r                                        # 13:10
    23: end m                                           # 14:1
    24: end p                                           # 14:1
    25: end a                                           # 14:1
    26: end r                                           # 14:1
    27: exit
}
"#;

/// Where `v` is assigned tells the branches of `foo` apart.
const THEN: (u32, u32) = (4, 16);
const ELSE: (u32, u32) = (4, 28);

const ALGORITHMS: [Algorithm; 3] = [
    Algorithm::Plain,
    Algorithm::Covering,
    Algorithm::Differencing,
];

/// Figure 2: `int x, y; if (c) x = 2; f(y);`, the branch that does not define `x` first.
const FIGURE_2: &str = r#"
unit "fig2.c"

fn g(c: i32) -> void {                                  # "fig2.c":2:0
    var x: i32, y: i32
    0: declare x                                        # 3:3
    1: declare y                                        # 3:3
    2: assume c == 0              -> 4                  # 4:7
    2: assume c != 0                                    # 4:7
    3: x = 2                                            # 5:7
    4: check uninitialized-use initialized(y)           # 6:3
    5: call f(y)                                        # 6:3
    6: exit
}
extern fn f(i32) -> void                                # "fig2.c":1:0
"#;

/// The same, where `x` stays part of the state (its address is known outside), and is *possibly*
/// undefined before the branch: `maybe(&x, d)` writes it if `d` says so.
const FIGURE_2_WITH_X: &str = r#"
unit "fig2.c"

static fn maybe(p: i32*, d: i32) -> void {              # "fig2.c":10:0
    0: assume d != 0                                    # 11:7
    0: assume d == 0              -> 2                  # 11:7
    1: *p = 1                                           # 12:8
    2: exit
}

fn g(c: i32, d: i32) -> void {                          # "fig2.c":2:0
    var x: i32, y: i32
    0: declare x                                        # 3:3
    1: declare y                                        # 3:3
    2: call maybe(&x, d)                                # 3:9
    3: assume c == 0              -> 5                  # 4:7
    3: assume c != 0                                    # 4:7
    4: x = 2                                            # 5:7
    5: check uninitialized-use initialized(y)           # 6:3
    6: call f(y)                                        # 6:3
    7: exit
}
extern fn f(i32) -> void                                # "fig2.c":1:0
"#;

fn parse(text: &str) -> Program {
    let program = ir::text::parse(text).unwrap();
    assert_eq!(ir::validate::validate(&program), Ok(()));
    program
}

/// The searches of the paper: depth-first, states kept apart, with the set of undefined variables
/// and with or without bounds.
fn paper(algorithm: Algorithm, bounds: bool) -> Settings {
    Settings {
        algorithm,
        aggregate: false,
        automata: Automata {
            bounds,
            pointers: true,
            flags: false,
            doubts: false,
        },
        ..Settings::default()
    }
}

fn search(program: &Program, settings: &Settings) -> Analysis {
    let analysis = analyze(program, settings, &|| {});
    assert_eq!(analysis.defects, []);
    assert_eq!(analysis.exhausted, []);
    analysis
}

/// Lines and columns.
type Places = Vec<(u32, u32)>;

/// The uses of uninitialised variables: the line of each, and the places that its path passes.
fn errors(program: &Program, analysis: &Analysis) -> Vec<(u32, Places)> {
    let mut all = Vec::new();
    for error in &analysis.errors {
        let body = program.functions[error.function].body.as_ref().unwrap();
        if program.name(body.checks[error.check].rule) != "uninitialized-use" {
            continue;
        }
        let edges = error.path.iter().map(|edge| &body.edges()[*edge]);
        // A path is one: it starts at the entry, and each edge where the last one ended.
        let mut at = body.entry;
        for edge in edges.clone() {
            assert_eq!(edge.from, at);
            at = edge.to;
        }
        let last = edges.clone().next_back().unwrap();
        assert!(matches!(last.stmt, Stmt::Check(check) if check == error.check));
        let places = edges.map(|edge| (edge.span.line, edge.span.column));
        all.push((last.span.line, places.collect()));
    }
    all
}

/// The one path to `return u`.
fn path_to_u(settings: &Settings) -> Places {
    let program = parse(FOO);
    let analysis = search(&program, settings);
    let mut errors = errors(&program, &analysis);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let (line, path) = errors.remove(0);
    assert_eq!(line, 6);
    path
}

/// Without bounds the else-branch comes to L2 with the state that is known there, and the path is
/// the infeasible P1.
#[test]
fn foo_without_bounds_has_one_path_and_it_is_p1() {
    for algorithm in ALGORITHMS {
        let path = path_to_u(&paper(algorithm, false));
        assert!(path.contains(&THEN) && !path.contains(&ELSE), "{path:?}");
    }
}

/// "Orion actually avoids the problem for this example, since it also keeps track of upper and
/// lower bounds on variable values, which can distinguish the prefixes of P1 and P2 at L2."
#[test]
fn foo_with_bounds_has_one_path_and_it_is_p2() {
    for algorithm in ALGORITHMS {
        let path = path_to_u(&paper(algorithm, true));
        assert!(path.contains(&ELSE) && !path.contains(&THEN), "{path:?}");
    }
}

/// Merging the states of L2 forgets what told P1 from P2; the search for the path, which keeps them
/// apart, finds P2 all the same.
#[test]
fn foo_with_aggregation_has_one_path_and_it_is_p2() {
    for flags in [false, true] {
        let mut settings = paper(Algorithm::Covering, true);
        settings.aggregate = true;
        settings.automata.flags = flags;
        let path = path_to_u(&settings);
        assert!(path.contains(&ELSE) && !path.contains(&THEN), "{path:?}");
    }
}

/// A variable that nobody uses any more is no part of a state: in the figure as it is both branches
/// come to location 3 with {y}, and even the plain search looks below it only once.
#[test]
fn figure_2_finds_y_once() {
    let program = parse(FIGURE_2);
    for algorithm in ALGORITHMS {
        let analysis = search(&program, &paper(algorithm, false));
        let errors = errors(&program, &analysis);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].0, 6);
        assert_eq!((analysis.statistics.known, analysis.statistics.red), (1, 0));
    }
}

/// Where `x` matters, {y} is not {x, y}: the plain search looks below location 3 twice, and the
/// covering one once. (Covered is a variable that *may* be undefined. One that surely is does not
/// cover a defined one, for what a caller learns: no path leads on from the use of it.)
#[test]
fn figure_2_is_cheaper_with_covering() {
    let program = parse(FIGURE_2_WITH_X);
    // `maybe` is searched as well; what that takes is none of the figure.
    let maybe = FIGURE_2_WITH_X.split("fn g").next().unwrap();
    let maybe = parse(maybe);
    let run = |algorithm| {
        let analysis = search(&program, &paper(algorithm, false));
        let errors = errors(&program, &analysis);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].0, 6);
        let apart = search(&maybe, &paper(algorithm, false));
        let red = analysis.statistics.red - apart.statistics.red;
        let expanded = analysis.statistics.expanded - apart.statistics.expanded;
        (red, expanded, analysis.steps - apart.steps)
    };
    // Plain: the entry, {x, y} and {y} at location 3, and the error below each. With covering {y}
    // is red, and the error is found once.
    let (red, expanded, steps) = run(Algorithm::Plain);
    assert_eq!((red, expanded), (0, 5));
    for algorithm in [Algorithm::Covering, Algorithm::Differencing] {
        let (covered, fewer, less) = run(algorithm);
        assert_eq!((covered, fewer), (1, 3));
        assert_eq!(less, steps - 1, "the check of `y`, once less");
    }
}

/// With the built-in prover, which needs no library.
fn with_level_2(settings: Settings) -> Settings {
    Settings {
        level2: Some(engine::Level2 {
            provers: engine::Provers::builtin(),
            budget: 1_000_000,
            stopwatch: None,
        }),
        ..settings
    }
}

/// Figure 3: without bounds and without the feasibility check the search reports the path on the
/// right of the figure; with the check it reports nothing, and says why. (i = INT_MAX is no way
/// out: the overflow of i + 1 ends the run.)
#[test]
fn figure_3_is_refuted_by_the_feasibility_check() {
    let program = ir::text::parse(FIGURE_3).unwrap();
    for algorithm in ALGORITHMS {
        let without = paper(algorithm, false);
        let found = errors(&program, &search(&program, &without));
        let [(13, path)] = &found[..] else {
            panic!("{algorithm:?}: {found:?}");
        };
        // The figure's lines: 3: p=(&a), 4: m=1, 6: !(i<=1), 9: m=(m+1), 10: a=…, 11: !(*p>5).
        let lines: Vec<u32> = path.iter().map(|(line, _)| *line).collect();
        for line in [3, 4, 6, 9, 10, 11] {
            assert!(lines.contains(&line), "{algorithm:?}: {lines:?}");
        }
        assert!(!lines.contains(&7) && !lines.contains(&12), "{lines:?}");
        let with = with_level_2(Settings {
            latent: true,
            ..without
        });
        let analysis = search(&program, &with);
        assert_eq!(errors(&program, &analysis), []);
        let refuted = analysis.refuted.iter().filter(|r| !r.core.is_empty());
        assert_eq!(refuted.count(), 1, "{algorithm:?}");
    }
}

/// §3.2's `foo`: the one path that the search without bounds finds, P1, is infeasible; Orion would
/// miss the error. Another path is looked for, and P2 is found, with its input.
#[test]
fn foo_is_found_on_the_other_path() {
    let program = ir::text::parse(FOO).unwrap();
    let settings = with_level_2(Settings::default());
    let analysis = search(&program, &settings);
    let found = errors(&program, &analysis);
    let [(6, path)] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(path.contains(&ELSE) && !path.contains(&THEN));
    let when: Vec<_> = analysis.errors.iter().map(|e| e.when.clone()).collect();
    let Some(Some(text)) = when.first() else {
        panic!("{when:?}");
    };
    let value: i32 = text.strip_prefix("x = ").unwrap().parse().unwrap();
    assert!(value < 0, "{text}");
}
