//! What is woven in means what the automaton means: random bodies are run by the interpreter, and beside
//! them a monitor, which knows nothing of ghosts, follows every value through what was called.
//!
//! The error: from some `start` of a value on, an odd number of `step`s and then `used`, of the same value. Every start
//! begins a run of the automaton of its own; zero is no value.

use interp::{Cause, Config, Interpreter, Oracle, Outcome, Value};
use ir::TypeId;
use rules::temporal::{
    Automaton, Label, Outcome as Await, Pattern, State, Target, Transition, Valid, weave,
};
use std::cell::RefCell;
use std::rc::Rc;

const fn heard(function: &'static [&'static str]) -> Pattern {
    Pattern::Argument {
        functions: function,
        position: 0,
        outcome: Await::Any,
    }
}

static AUTOMATON: Automaton = Automaton {
    states: &[
        State {
            name: "idle",
            told: "",
        },
        State {
            name: "started",
            told: "is started",
        },
        State {
            name: "stepped",
            told: "is stepped",
        },
    ],
    labels: &[
        Label {
            name: "start",
            patterns: &[heard(&["start"])],
            valid: Valid::NotZero,
        },
        Label {
            name: "step",
            patterns: &[heard(&["step"])],
            valid: Valid::NotZero,
        },
        Label {
            name: "used",
            patterns: &[heard(&["used"])],
            valid: Valid::NotZero,
        },
        Label {
            name: "stop",
            patterns: &[heard(&["stop"])],
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
        // Two steps are none.
        Transition {
            from: 2,
            on: 1,
            to: Target::State(1),
        },
        Transition {
            from: 2,
            on: 2,
            to: Target::Error,
        },
        Transition {
            from: 1,
            on: 3,
            to: Target::State(0),
        },
        Transition {
            from: 2,
            on: 3,
            to: Target::State(0),
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

const LABELS: [&str; 4] = ["start", "step", "used", "stop"];

/// What was called, with which value.
type Trace = Rc<RefCell<Vec<(String, i32)>>>;

struct Recorder(Trace);

impl Oracle for Recorder {
    fn call(&mut self, name: &str, args: &[Value], _: TypeId) -> Option<Value> {
        let value = args.first().and_then(Value::scalar)?.bits as i32;
        self.0.borrow_mut().push((name.to_string(), value));
        Some(Value::Void)
    }
}

/// The positions of the calls that are errors. A run of the automaton stays where it was then.
fn monitored(trace: &[(String, i32)]) -> Vec<usize> {
    let mut errors = Vec::new();
    let mut runs: Vec<(i32, usize)> = Vec::new();
    for (at, (name, value)) in trace.iter().enumerate() {
        let label = LABELS.iter().position(|l| l == name).unwrap();
        if *value == 0 {
            continue;
        }
        for (followed, state) in &mut runs {
            if followed != value || *state == 0 {
                continue;
            }
            let mut all = AUTOMATON.transitions.iter();
            match all
                .find(|t| t.from == *state && t.on == label)
                .map(|t| t.to)
            {
                Some(Target::State(next)) => *state = next,
                Some(_) => errors.push(at),
                None => {}
            }
        }
        if label == 0 {
            runs.push((*value, 1));
        }
    }
    errors
}

/// A rule of a user over the same calls.
const RULE: &str = r#"
rule order "calls come in turn" {
    each v
    start:
        start(v) -> started
        used(v)  -> error "used before it is started"
    started:
        step(v)  -> stepped
        start(v) -> error "started again"
        stop(v)  -> start
    stepped:
        step(v)  -> started
        used(v)  -> error "used behind a step"
        stop(v)  -> start
}
"#;

/// The same with sets: where the body is entered, every value may be in any state.
fn monitored_sets(trace: &[(String, i32)]) -> Vec<usize> {
    // By state and label: the next state, or the error.
    let next = |state: usize, label: &str| match (state, label) {
        (0, "start") => Some(Ok(1)),
        (0, "used") | (1, "start") | (2, "used") => Some(Err(())),
        (1, "step") => Some(Ok(2)),
        (2, "step") => Some(Ok(1)),
        (1 | 2, "stop") => Some(Ok(0)),
        _ => None,
    };
    let mut errors = Vec::new();
    let mut values: Vec<(i32, Vec<usize>)> = Vec::new();
    for (at, (label, value)) in trace.iter().enumerate() {
        if !values.iter().any(|(v, _)| v == value) {
            values.push((*value, vec![0, 1, 2]));
        }
        let (_, set) = values.iter_mut().find(|(v, _)| v == value).unwrap();
        let led = set.iter().filter_map(|s| next(*s, label)?.ok());
        let stays = set.iter().copied().filter(|s| next(*s, label).is_none());
        let mut now: Vec<usize> = stays.chain(led).collect();
        now.sort_unstable();
        now.dedup();
        match now.is_empty() {
            true => errors.push(at),
            false => *set = now,
        }
    }
    errors
}

/// The rule, with runs that end where it is broken.
fn rule() -> &'static Automaton {
    let rules = rules::user::parse("order.rigel", RULE).unwrap();
    let automaton = &rules::Rule::automata(&rules[0])[0];
    Box::leak(Box::new(Automaton {
        goes_on: false,
        ..*automaton
    }))
}

/// A small generator of chance.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// The edges of a body over `a` and `b`, which hold what the parameters `p` and `q` hold.
struct Writer {
    dice: Dice,
    edges: String,
    nodes: u32,
    loops: u32,
}

impl Writer {
    fn edge(&mut self, from: u32, stmt: &str, to: u32) {
        self.edges
            .push_str(&format!("    {from}: {stmt} -> {to}\n"));
    }

    fn node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }

    /// A few statements from a node on; where they end.
    fn block(&mut self, mut at: u32, depth: u32, with_loops: bool) -> u32 {
        for _ in 0..1 + self.dice.below(6) {
            at = match self.dice.below(10) {
                0 if depth > 0 => self.branch(at, depth - 1, with_loops),
                1 if depth > 0 && with_loops => self.turns(at, depth - 1),
                2 => {
                    let to = self.node();
                    let from = ["p", "q", "a", "b"][self.dice.below(4) as usize];
                    let var = ["a", "b"][self.dice.below(2) as usize];
                    self.edge(at, &format!("{var} = {from}"), to);
                    to
                }
                _ => {
                    let to = self.node();
                    let function = ["start", "step", "used", "start", "step", "used", "stop"]
                        [self.dice.below(7) as usize];
                    let var = ["a", "b"][self.dice.below(2) as usize];
                    self.edge(at, &format!("call {function}({var})"), to);
                    to
                }
            };
        }
        at
    }

    fn branch(&mut self, at: u32, depth: u32, with_loops: bool) -> u32 {
        let bit = 1 << self.dice.below(4);
        let (yes, no, end) = (self.node(), self.node(), self.node());
        self.edge(at, &format!("assume (c & {bit}) != 0"), yes);
        self.edge(at, &format!("assume (c & {bit}) == 0"), no);
        let yes = self.block(yes, depth, with_loops);
        self.edge(yes, "skip", end);
        if self.dice.below(2) == 0 {
            let no = self.block(no, depth, with_loops);
            self.edge(no, "skip", end);
        } else {
            self.edge(no, "skip", end);
        }
        end
    }

    fn turns(&mut self, at: u32, depth: u32) -> u32 {
        self.loops += 1;
        let counter = format!("turn{}", self.loops);
        let (head, inside, end) = (self.node(), self.node(), self.node());
        self.edge(at, &format!("{counter} = 0"), head);
        self.edge(head, &format!("assume {counter} < 3"), inside);
        self.edge(head, &format!("assume {counter} >= 3"), end);
        let inside = self.block(inside, depth, false);
        self.edge(inside, &format!("{counter} = {counter} +% 1"), head);
        end
    }
}

fn body(seed: u64, with_loops: bool) -> String {
    let mut w = Writer {
        dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        edges: String::new(),
        nodes: 3,
        loops: 0,
    };
    w.edge(0, "a = p", 1);
    w.edge(1, "b = q", 2);
    let mut end = 2;
    for _ in 0..3 {
        end = w.block(end, 2, with_loops);
    }
    let counters: String = (1..=w.loops).map(|i| format!(", turn{i}: i32")).collect();
    let functions: String = LABELS
        .iter()
        .map(|f| format!("extern fn {f}(i32) -> void\n"))
        .collect();
    format!(
        "unit \"t.c\"\n{functions}fn f(p: i32, q: i32, c: i32) -> void {{\n    var a: i32, b: i32{counters}\n{}    {end}: exit\n}}\n",
        w.edges
    )
}

/// What was called, and whether a check failed.
fn run(program: &ir::Program, args: [i32; 3]) -> (Vec<(String, i32)>, bool) {
    let trace = Trace::default();
    let config = Config {
        step_limit: 10_000,
        oracle: Box::new(Recorder(Rc::clone(&trace))),
        ..Config::default()
    };
    let f = program.find_function("f").unwrap();
    let args = args.map(|n| Value::int(u64::from(n as u32))).to_vec();
    let failed = match Interpreter::new(program, config).call(f, args) {
        Ok(_) => false,
        Err(Outcome::Failed(failure)) => {
            assert!(matches!(failure.cause, Cause::Check { .. }), "{failure:?}");
            true
        }
        Err(other) => panic!("{other:?}"),
    };
    (trace.take(), failed)
}

fn compare(
    seeds: std::ops::Range<u64>,
    with_loops: bool,
    automaton: &'static Automaton,
    monitored: fn(&[(String, i32)]) -> Vec<usize>,
) -> (u32, u32, u32) {
    let (mut both, mut missed, mut silent) = (0, 0, 0);
    for seed in seeds {
        let text = body(seed, with_loops);
        let plain = ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut woven = plain.clone();
        weave(&mut woven, &[("order", automaton)]);
        if let Err(violations) = ir::validate::validate(&woven) {
            panic!("{}\n{text}", violations[0].describe(&woven));
        }
        for c in 0..16 {
            for q in [8, 0] {
                let args = [7, q, c];
                let (trace, failed) = run(&plain, args);
                assert!(!failed);
                let errors = monitored(&trace);
                let (before, failed) = run(&woven, args);
                match (errors.first(), failed) {
                    (Some(first), true) => {
                        // The run has stopped in front of the call.
                        let at = before.len();
                        // With sets, behind an error that was missed another state is taken to have been the one: the run was wrong.
                        let missed = automaton.any_state.is_some() && at > *first;
                        let fits = if with_loops {
                            errors.contains(&at) || missed
                        } else {
                            at == *first
                        };
                        assert!(fits, "seed {seed}, {args:?}: {at}, {errors:?}\n{text}");
                        both += 1;
                    }
                    (None, false) => silent += 1,
                    (Some(_), false) => {
                        assert!(with_loops, "missed: seed {seed}, {args:?}\n{text}");
                        missed += 1;
                    }
                    (None, true) => panic!("made up: seed {seed}, {args:?}\n{text}"),
                }
            }
        }
    }
    (both, missed, silent)
}

#[test]
fn without_loops_the_check_fails_exactly_where_the_monitor_does() {
    let (both, missed, silent) = compare(0..400, false, &AUTOMATON, monitored);
    println!("{both} runs fail, {silent} do not");
    assert!(
        missed == 0 && both > 1_000 && silent > 1_000,
        "{both} {silent}"
    );
}

/// In a loop a statement follows the value that it saw last: earlier ones are given up, and nothing is
/// made up.
#[test]
fn with_loops_the_check_fails_only_where_the_monitor_does() {
    let (both, missed, silent) = compare(0..300, true, &AUTOMATON, monitored);
    println!("{both} runs fail, {silent} do not, {missed} are missed");
    assert!(both > 1_000 && silent > 500, "{both} {silent}");
    assert!(missed * 20 < both, "{missed} of {both}");
}

#[test]
fn a_rule_of_a_user_fails_exactly_where_its_monitor_does() {
    let (both, missed, silent) = compare(0..400, false, rule(), monitored_sets);
    println!("{both} runs fail, {silent} do not");
    assert!(
        missed == 0 && both > 1_000 && silent > 1_000,
        "{both} {silent}"
    );
}

#[test]
fn with_loops_a_rule_of_a_user_fails_only_where_its_monitor_does() {
    let (both, missed, silent) = compare(0..300, true, rule(), monitored_sets);
    println!("{both} runs fail, {silent} do not, {missed} are missed");
    assert!(both > 1_000 && silent > 500, "{both} {silent}");
    assert!(missed * 20 < both, "{missed} of {both}");
}
