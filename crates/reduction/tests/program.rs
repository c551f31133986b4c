//! Interval automata of functions, from the text form.

use ir::{Body, EdgeId, NodeId, Program};
use reduction::*;
use std::collections::{BTreeSet, VecDeque};

struct Case {
    program: Program,
    abstraction: Abstraction,
}

impl Case {
    /// The first function of the text.
    fn new(text: &str) -> Case {
        let program = ir::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let abstraction = Abstraction::new(&program.types, body(&program));
        Case {
            program,
            abstraction,
        }
    }

    fn body(&self) -> &Body {
        body(&self.program)
    }

    fn edge(&self, from: u32, to: u32) -> EdgeId {
        let mut edges = self.body().out_edges(NodeId(from));
        let found = edges.find(|(_, e)| e.to == NodeId(to));
        found.unwrap_or_else(|| panic!("{from} -> {to}")).0
    }

    fn word(&self, nodes: &[u32]) -> Vec<Edge> {
        let path = nodes.windows(2).map(|pair| self.edge(pair[0], pair[1]));
        self.abstraction.word(path)
    }

    fn conflicts(&self, nodes: &[u32]) -> Conflicts {
        conflicts(&self.abstraction.automaton, &self.word(nodes), 1000)
    }

    fn show(&self, conflict: &Conflict) -> String {
        conflict
            .system()
            .show(&|x| self.abstraction.name(&self.program, self.body(), x))
    }

    /// The updates of an edge, as text.
    fn updates(&self, edge: EdgeId) -> String {
        let name = |x: Variable| match self.abstraction.origin(x) {
            Some(var) => self.program.name(self.body().vars[var].name).to_string(),
            None => "?".to_string(),
        };
        let automaton = &self.abstraction.automaton;
        let updates = automaton.updates(self.abstraction.edge(edge)).iter();
        let shown: Vec<String> = updates
            .map(|u| {
                format!(
                    "{} = {}",
                    name(u.variable),
                    automaton.expressions.show(u.value, &name)
                )
            })
            .collect();
        shown.join("; ")
    }
}

fn body(program: &Program) -> &Body {
    let mut functions = program.functions.values();
    functions.find_map(|f| f.body.as_ref()).unwrap()
}

fn paper(start: &str) -> Case {
    Case::new(&format!(
        "unit \"foo.c\"
fn foo() -> void {{
    var x: i32, a: i32, p: i32*
    temp $call: void*
    0: declare x
    1: declare a
    2: declare p
    3: $call = malloc(4)
    4: p = $call
    5: x = {start}
    6: assume x > 0
    6: assume x <= 0 -> 11
    7: a = *p
    8: assume x == 1
    8: assume x != 1 -> 10
    9: call free(p)
    10: x = x - 1 -> 6
    11: exit
}}
extern fn malloc(u64) -> void*
extern fn free(void*) -> void
"
    ))
}

/// Frees in the first turn, and uses in the second.
const COUNTEREXAMPLE: [u32; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 6, 7, 8];

/// The shortest path, not accepted by the observers, with a use (7, 8) after a free (9, 10).
fn use_after_free(case: &Case, observers: &Observers) -> Option<Vec<u32>> {
    let start = (0u32, false, observers.initial());
    let mut seen = BTreeSet::from([start.clone()]);
    let mut queue = VecDeque::from([(start, vec![0])]);
    while let Some(((at, freed, states), path)) = queue.pop_front() {
        for (edge, data) in case.body().out_edges(NodeId(at)) {
            let next = observers.step(&states, case.abstraction.edge(edge));
            if observers.is_conflict(&next) {
                continue;
            }
            let mut path = path.clone();
            path.push(data.to.0);
            if freed && at == 7 {
                return Some(path);
            }
            let node = (data.to.0, freed || at == 9, next);
            if seen.insert(node.clone()) {
                queue.push_back((node, path));
            }
        }
    }
    None
}

#[test]
fn the_papers_example_from_its_cfa() {
    for start in ["10", "100", "1000000"] {
        let case = paper(start);
        assert_eq!(
            use_after_free(&case, &Observers::new()).as_deref(),
            Some(&COUNTEREXAMPLE[..])
        );
        let all = case.conflicts(&COUNTEREXAMPLE);
        let [one, two] = &all.found[..] else {
            panic!("{all:?}")
        };
        assert_eq!((one.first, one.last), (5, 8));
        let expected =
            format!("x@6 = [{start}, {start}]\nx@7 = x@6 ⊓ [1, ∞]\nx@9 = x@7 ⊓ [1, 1]\n");
        assert_eq!(case.show(&one.conflict), expected);
        assert_eq!((two.first, two.last), (8, 11));
        let expected = "\
x@6 = (x@9 + [-1, -1]) ⊓ [-2147483648, 2147483647]
x@7 = x@6 ⊓ [1, ∞]
x@9 = [-2147483648, 2147483647] ⊓ [1, 1]
";
        assert_eq!(case.show(&two.conflict), expected);
        let mut observers = Observers::new();
        for found in all.found {
            assert!(observers.insert(&case.abstraction.automaton, found.conflict));
        }
        assert_eq!(use_after_free(&case, &observers), None);
    }
}

#[test]
fn the_real_run_of_the_papers_example_is_accepted_by_nothing() {
    let case = paper("10");
    let mut nodes = vec![0, 1, 2, 3, 4, 5];
    for turn in (1..=10).rev() {
        nodes.extend([6, 7, 8]);
        nodes.extend(if turn == 1 { &[9, 10][..] } else { &[10] });
    }
    nodes.extend([6, 11]);
    assert!(case.conflicts(&nodes).found.is_empty());
    let mut observers = Observers::new();
    for found in case.conflicts(&COUNTEREXAMPLE).found {
        assert!(observers.insert(&case.abstraction.automaton, found.conflict));
    }
    assert!(!observers.accepts(&case.word(&nodes)));
}

#[test]
fn statements_as_updates() {
    const I32: &str = "[-2147483648, 2147483647]";
    let expected = [
        ("k = (i64)n", "k = n".to_string()),
        ("n = n + 1", format!("n = (n + [1, 1]) ⊓ {I32}")),
        ("n = n +% 1", format!("n = (n + [1, 1]) : {I32}")),
        (
            "u = u + 3",
            "u = (u + [3, 3]) : [0, 4294967295]".to_string(),
        ),
        ("c = (u8)n", "c = n : [0, 255]".to_string()),
        ("u = (u32)c", "u = c".to_string()),
        ("n = (i32)u", format!("n = u : {I32}")),
        (
            "n = n - (i32)c",
            format!("n = (n + ([-1, -1] · c)) ⊓ {I32}"),
        ),
        ("n = n * n", format!("n = (n · n) ⊓ {I32}")),
        ("n = n / 2", format!("n = {I32}")),
        ("n = n % 10", "n = [-9, 9]".to_string()),
        ("u = u & 15", "u = [0, 15]".to_string()),
        ("n = *p", format!("n = {I32}")),
        ("n = (i32)d", format!("n = {I32}")),
        ("n = (i32)b", "n = b".to_string()),
        ("b = n < 3", "b = [0, 1]".to_string()),
        ("b = !b", "b = [1, 1] + ([-1, -1] · b)".to_string()),
        ("p = null", "p = [0, 0]".to_string()),
        ("p = q", "p = q".to_string()),
        ("p = &t", "p = [1, ∞]".to_string()),
        ("n = t", format!("n = {I32}")),
        ("t = 3", String::new()),
        ("*p = 3", String::new()),
        ("n = g(3)", format!("n = {I32}")),
        ("declare n", format!("n = {I32}")),
        ("n = g(3) unwind", String::new()),
        (
            "assume n < (i32)c",
            "n = n ⊓ (c + [-∞, -1]); c = c ⊓ (n + [1, ∞])".to_string(),
        ),
        (
            "assume n > (i32)c",
            "n = n ⊓ (c + [1, ∞]); c = c ⊓ (n + [-∞, -1])".to_string(),
        ),
        ("assume !(n < 5)", "n = n ⊓ [5, ∞]".to_string()),
        ("assume 5 < n", "n = n ⊓ [6, ∞]".to_string()),
        ("assume n == 5", "n = n ⊓ [5, 5]".to_string()),
        (
            "assume n != 3",
            "n = (n ⊓ [-∞, 2]) ⊔ (n ⊓ [4, ∞])".to_string(),
        ),
        ("assume u != 0", "u = u ⊓ [1, ∞]".to_string()),
        ("assume (i32)c == 300", "c = c ⊓ [300, 300]".to_string()),
        ("assume (i32)c != 300", String::new()),
        (
            "assume (u8)n == 3",
            "? = (n : [0, 255]) ⊓ [3, 3]".to_string(),
        ),
        ("assume p != null", "p = p ⊓ [1, ∞]".to_string()),
        ("assume p == null", "p = p ⊓ [0, 0]".to_string()),
        ("assume p == q", "p = p ⊓ q; q = q ⊓ p".to_string()),
        ("assume p != q", String::new()),
        ("assume b", "b = b ⊓ [1, ∞]".to_string()),
        ("assume !b", "b = b ⊓ [0, 0]".to_string()),
        ("assume (i32)b != 0", "b = b ⊓ [1, ∞]".to_string()),
        ("assume (i32)(n < 3) != 0", "n = n ⊓ [-∞, 2]".to_string()),
        ("assume (i32)(n < 3) == 0", "n = n ⊓ [3, ∞]".to_string()),
        (
            "assume (n >= 1) & (n <= 2)",
            "n = (n ⊓ [1, ∞]) ⊓ (n ⊓ [-∞, 2])".to_string(),
        ),
        (
            "assume !((n >= 1) & (n <= 2))",
            "n = (n ⊓ [-∞, 0]) ⊔ (n ⊓ [3, ∞])".to_string(),
        ),
        ("assume (n >= 1) | (u == 2)", String::new()),
        ("assume d < 2.0", String::new()),
        ("assume !(d < 2.0)", String::new()),
        ("assume *p < 3", String::new()),
        ("assume t < 3", String::new()),
        ("assume n < t", "n = n ⊓ [-∞, 2147483646]".to_string()),
        ("assume n + 1 > 5", "n = n ⊓ [5, ∞]".to_string()),
        (
            "assume u + 1 > 5",
            "? = ((u + [1, 1]) : [0, 4294967295]) ⊓ [6, ∞]".to_string(),
        ),
        (
            "assume n * 2 > 10",
            format!("? = ((n · [2, 2]) ⊓ {I32}) ⊓ [11, ∞]"),
        ),
        ("check r n > 0", "n = n ⊓ [1, ∞]".to_string()),
        ("check r alive(p)", String::new()),
    ];
    let mut text = String::from(
        "unit \"t.c\"\nfn f(n: i32, u: u32, c: u8, b: bool, p: i32*, q: i32*, k: i64, d: f64) -> void {\n    var t: i32\n",
    );
    for (i, (statement, _)) in expected.iter().enumerate() {
        text += &format!("    {i}: {statement}\n");
    }
    text += &format!(
        "    {}: exit\n}}\nextern fn g(i32) -> i32\n",
        expected.len()
    );
    let case = Case::new(&text);
    for (i, (statement, expected)) in expected.iter().enumerate() {
        let i = i as u32;
        let shown = case.updates(case.edge(i, i + 1));
        assert_eq!(&shown, expected, "{statement}");
    }
}

#[test]
fn a_second_return_forgets_everything() {
    // What `x` is when setjmp returns again was decided after the first return.
    let case = Case::new(
        "unit \"t.c\"
fn f(x: i32, r: i32, buf: i32*) -> void {
    0: x = 1
    1: r = setjmp(buf) -> 2
    1: r = setjmp(buf) again -> 3
    2: x = 2 -> 4
    3: assume x == 2
    4: exit
}
extern fn setjmp(i32*) -> i32
",
    );
    assert!(case.conflicts(&[0, 1, 3, 4]).found.is_empty());
}

#[test]
fn what_wraps_is_no_conflict() {
    let case = Case::new(
        "unit \"t.c\"
fn f(u: u32, n: i32) -> void {
    0: u = 0
    1: u = u - 1
    2: assume u > 100
    3: u = 5
    4: u = u - 1
    5: assume u > 100
    6: n = 2147483647
    7: n = n + 1
    8: exit
}
",
    );
    let all = case.conflicts(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let found: Vec<(usize, usize)> = all.found.iter().map(|f| (f.first, f.last)).collect();
    assert_eq!(found, [(3, 5), (6, 7)]);
}

#[test]
fn an_unsigned_loop_that_wraps_is_no_conflict() {
    // for (u = 10; u >= 0; u--), and out of it by u > 100.
    let case = Case::new(
        "unit \"t.c\"
fn f(u: u32) -> void {
    0: u = 10
    1: assume u > 100 -> 4
    1: assume u <= 100
    2: u = u - 1 -> 1
    4: exit
}
",
    );
    let mut nodes = vec![0, 1];
    for _ in 0..11 {
        nodes.extend([2, 1]);
    }
    let end = case.body().exit.0;
    nodes.push(end);
    // Eleven turns: it has wrapped. Intervals also allow it after one, where a location that
    // comes again joins all it had.
    assert!(case.conflicts(&nodes).found.is_empty());
    assert_eq!(case.conflicts(&[0, 1, end]).found.len(), 1);
    assert!(case.conflicts(&[0, 1, 2, 1, end]).found.is_empty());
}

#[test]
fn correlated_branches() {
    let case = Case::new(
        "unit \"t.c\"
fn f(n: i32, flag: i32, p: i32*) -> void {
    0: flag = 0
    1: assume n > 3
    1: assume n <= 3 -> 3
    2: flag = 1
    3: assume p != null
    3: assume p == null -> 4
    4: assume flag != 0
    4: assume flag == 0 -> 6
    5: p = null
    6: exit
}
",
    );
    // The test is true without the flag being set: one conflict, whatever p is.
    let all = case.conflicts(&[0, 1, 3, 4, 5]);
    assert_eq!(all.found.len(), 1);
    let observer = Observer::new(&case.abstraction.automaton, &all.found[0].conflict);
    let mut other = case.word(&[0, 1, 3, 4, 5]);
    // The other way from 3 to 4.
    let edges: Vec<EdgeId> = case.body().out_edges(NodeId(3)).map(|(e, _)| e).collect();
    other[2] = case.abstraction.edge(edges[1]);
    assert_ne!(other, case.word(&[0, 1, 3, 4, 5]));
    assert!(observer.accepts(&other));
    assert!(!observer.accepts(&case.word(&[0, 1, 2, 3, 4, 5])));
    assert!(case.conflicts(&[0, 1, 2, 3, 4, 5]).found.is_empty());
}

#[test]
fn a_test_that_holds_twice_although_it_cannot() {
    // The second x == 0 is impossible, though the instance has the value of the first.
    let case = Case::new(
        "unit \"t.c\"
fn f(x: i32) -> void {
    0: assume x == 0
    0: assume x != 0 -> 2
    1: x = x + 1 -> 0
    2: exit
}
",
    );
    assert!(case.conflicts(&[0, 1, 0, 2]).found.is_empty());
    let all = case.conflicts(&[0, 1, 0, 1]);
    assert_eq!(all.found.len(), 1);
    assert_eq!((all.found[0].first, all.found[0].last), (0, 2));
}

#[test]
fn long_paths_cost_little() {
    // 700 turns of a loop, then what contradicts the start.
    let case = Case::new(
        "unit \"t.c\"
fn f(x: i32, y: i32, z: i32) -> void {
    0: y = 7
    1: x = 0
    2: assume x < 1000000
    2: assume x >= 1000000 -> 5
    3: z = z +% x
    4: x = x + 1 -> 2
    5: assume y != 7
    6: exit
}
",
    );
    let mut nodes = vec![0, 1];
    for _ in 0..700 {
        nodes.extend([2, 3, 4]);
    }
    nodes.extend([2, 5, 6]);
    let all = case.conflicts(&nodes);
    let last = all.found.last().unwrap();
    assert_eq!((last.first, last.last), (0, nodes.len() - 2));
    assert!(all.solved < 10, "{}", all.solved);
    // Seven hundred turns are not a million; but by intervals they might be.
    assert_eq!(all.found.len(), 1);
}

#[test]
fn a_long_chain_of_assignments_is_solved_once() {
    let mut text = String::from("unit \"t.c\"\nfn f(x: i32) -> void {\n    0: x = 0\n");
    for i in 1..=2000 {
        text += &format!("    {i}: x = x + 1\n");
    }
    text += "    2001: assume x > 2000\n    2002: exit\n}\n";
    let case = Case::new(&text);
    let nodes: Vec<u32> = (0..=2002).collect();
    let all = case.conflicts(&nodes);
    let [found] = &all.found[..] else {
        panic!("{}", all.found.len())
    };
    assert_eq!((found.first, found.last), (0, 2001));
    assert_eq!(found.conflict.system().len(), 2002);
    assert_eq!(all.solved, 1);
    let observer = Observer::new(&case.abstraction.automaton, &found.conflict);
    assert!(observer.accepts(&case.word(&nodes)));
}

#[test]
fn a_loop_with_a_body_of_two_thousand_edges() {
    // Twice around: all of it is one component.
    let mut text = String::from("unit \"t.c\"\nfn f(x: i32, y: i32) -> void {\n    0: x = 0\n");
    text += "    1: assume x <= 1000000000\n    1: assume x > 1000000000 -> 2000\n";
    for i in 2..1999 {
        let statement = ["x = x + 1", "y = y +% x", "assume y != 7"][i % 3];
        text += &format!("    {i}: {statement}\n");
    }
    text += "    1999: x = x + 1 -> 1\n    2000: assume x == 0\n    2001: exit\n}\n";
    let case = Case::new(&text);
    let mut nodes: Vec<u32> = (0..2000).collect();
    nodes.extend([1, 2]);
    assert!(case.conflicts(&nodes).found.is_empty());
    nodes = (0..2000).chain(1..2000).chain([1, 2000, 2001]).collect();
    let word = case.word(&nodes);
    let (solution, effort) =
        strategy::solve_counted(&word::equations(&case.abstraction.automaton, &word));
    // A turn that starts at the bound ends so many steps above it.
    let steps = (2..1999).filter(|i| i % 3 == 0).count() as i128 + 1;
    let x = case.abstraction.variable(case.body().params[0]).unwrap();
    let at = |location| {
        solution[&Instance {
            variable: x,
            location: Location(location),
        }]
    };
    assert_eq!(at(1), Interval::new(0, 1_000_000_000 + steps));
    assert_eq!(
        at(2000),
        Interval::new(1_000_000_001, 1_000_000_000 + steps)
    );
    assert_eq!(at(2001), Interval::EMPTY);
    assert!(
        effort.raises + effort.relaxations < 40 * nodes.len(),
        "{effort:?}"
    );
    assert_eq!(
        case.conflicts(&nodes).found.last().map(|f| f.last),
        Some(nodes.len() - 2)
    );
}
