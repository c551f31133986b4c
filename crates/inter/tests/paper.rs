//! The example of the paper (§1.1): Fig. 1, and Fig. 2 after the edit.
//!
//! `p` is a global pointer; the automaton has the states Z (it may be null), NZ and ERR (it was
//! dereferenced although it may be null). A run that is in ERR goes no further.

use expect_test::expect;
use inter::{
    Action, Analysis, Edge, EdgeKey, Exit, FunctionId, Limits, Machine, NodeId, Place, Property,
    Shape, Step, full, incremental_backward, incremental_forward,
};
use std::fmt::Write;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum State {
    Z,
    NZ,
    Err,
}
use State::{Err, NZ, Z};

const NAMES: [&str; 3] = ["main", "setp", "usep"];
const STATEMENTS: [&str; 7] = ["C", "!C", "p = &x", "x++", "y = *p", "setp()", "usep()"];
const NO_LIMITS: Limits = Limits { contexts: None };

struct Program {
    shapes: Vec<Arc<Shape>>,
}

/// A function with nodes `0..nodes`, entered at the first, left at the last.
fn function(nodes: u32, edges: &[(u32, &str, u32)]) -> Arc<Shape> {
    let edge = |(source, statement, target): &(u32, &str, u32)| {
        let key = STATEMENTS.iter().position(|s| s == statement).unwrap();
        let callee = NAMES.iter().position(|f| *statement == format!("{f}()"));
        Edge {
            source: NodeId(*source),
            target: NodeId(*target),
            key: EdgeKey(key as u128),
            action: match callee {
                None => Action::Statement,
                Some(callee) => Action::Call {
                    targets: vec![FunctionId(callee as u32)],
                    unwind: None,
                },
            },
        }
    };
    let edges = edges.iter().map(edge).collect();
    Arc::new(Shape::new(nodes, NodeId(0), NodeId(nodes - 1), None, edges).unwrap())
}

/// Fig. 1(b). The paper's node numbers are ours plus 1 in main, 4 in setp, 7 in usep.
fn figure_1() -> Program {
    let main = function(3, &[(0, "setp()", 1), (1, "usep()", 2)]);
    let setp = function(3, &[(0, "C", 1), (0, "!C", 2), (1, "p = &x", 2)]);
    let usep = function(2, &[(0, "y = *p", 1)]);
    Program {
        shapes: vec![main, setp, usep],
    }
}

/// Fig. 2(a): the body of setp is `x++; p = &x;`. The paper's 5' is node 1 of ours.
fn figure_2() -> Program {
    let mut program = figure_1();
    program.shapes[1] = function(3, &[(0, "x++", 1), (1, "p = &x", 2)]);
    program
}

impl Machine for Program {
    fn functions(&self) -> usize {
        self.shapes.len()
    }

    fn shape(&self, function: FunctionId) -> Option<&Arc<Shape>> {
        self.shapes.get(function.0 as usize)
    }

    fn roots(&self) -> Vec<FunctionId> {
        vec![FunctionId(0)]
    }
}

impl Property for Program {
    type State = State;

    fn initial(&self, _: FunctionId) -> Vec<State> {
        vec![Z]
    }

    fn step(&self, state: &State, at: Place) -> Vec<State> {
        match (statement(self, at), state) {
            (_, Err) => vec![],
            ("p = &x", _) => vec![NZ],
            ("y = *p", Z) => vec![Err],
            _ => vec![*state],
        }
    }

    fn enter(&self, state: &State, _: Place, _: FunctionId) -> Option<State> {
        Some(*state)
    }

    fn leave(&self, _: &State, _: Place, _: FunctionId, _: Exit, state: &State) -> Option<State> {
        (*state != Err).then_some(*state)
    }

    fn is_rejecting(&self, state: &State) -> bool {
        *state == Err
    }

    fn merge(&self, _: &[State]) -> State {
        Z
    }

    fn covers(&self, bound: &State, state: &State) -> bool {
        bound == state || (*bound == Z && *state == NZ)
    }
}

fn statement(program: &Program, at: Place) -> &'static str {
    let shape = &program.shapes[at.function.0 as usize];
    STATEMENTS[shape.edge(at.edge).key.0 as usize]
}

/// One derivation a line; the paper's node numbers; errors at the end.
fn text(program: &Program, analysis: &Analysis<State>) -> String {
    let number = |f: FunctionId, n: NodeId| [1, 4, 7][f.0 as usize] + n.0;
    let mut out = String::new();
    for (function, part) in analysis.graph.iter() {
        writeln!(out, "{}", NAMES[function.0 as usize]).unwrap();
        for d in part.derivations() {
            let label = statement(
                program,
                Place {
                    function,
                    edge: d.edge,
                },
            );
            let used = d
                .through
                .map(|t| format!(" by <{:?}, {:?}>", t.entry, t.state));
            writeln!(
                out,
                "  from {:?}: ({}, {:?}) --{label}--> ({}, {:?}){}",
                d.root,
                number(function, d.node),
                d.state,
                number(function, d.target),
                d.result,
                used.unwrap_or_default(),
            )
            .unwrap();
        }
    }
    for error in &analysis.errors {
        let node = number(error.function, error.node);
        let name = NAMES[error.function.0 as usize];
        writeln!(out, "error in {name} at ({node}, {:?})", error.state).unwrap();
    }
    out
}

#[test]
fn figure_1_before_the_edit() {
    let program = figure_1();
    let analysis = full(&program, &program, NO_LIMITS);
    expect![[r#"
        main
          from Z: (1, Z) --setp()--> (2, Z) by <Z, Z>
          from Z: (1, Z) --setp()--> (2, NZ) by <Z, NZ>
          from Z: (2, NZ) --usep()--> (3, NZ) by <NZ, NZ>
        setp
          from Z: (4, Z) --C--> (5, Z)
          from Z: (4, Z) --!C--> (6, Z)
          from Z: (5, Z) --p = &x--> (6, NZ)
        usep
          from Z: (7, Z) --y = *p--> (8, Err)
          from NZ: (7, NZ) --y = *p--> (8, NZ)
        error in usep at (8, Err)
    "#]]
    .assert_eq(&text(&program, &analysis));
    // setp: C, !C, p = &x; usep: twice; main: calls from (1, Z), (2, Z) and (2, NZ), and what comes
    // back from them: Z and NZ from setp, ERR and NZ from usep.
    assert_eq!(analysis.counts.steps, 5);
    assert_eq!(analysis.counts.enters, 3);
    assert_eq!(analysis.counts.leaves, 4);
}

#[test]
fn figure_1_the_path_to_the_error() {
    let program = figure_1();
    let analysis = full(&program, &program, NO_LIMITS);
    let paths = inter::Paths::new(&analysis.graph);
    let path = paths.to(&analysis.errors[0], 100).unwrap();
    let steps: Vec<String> = path
        .steps
        .iter()
        .map(|step| match step {
            Step::Statement { at, .. } => statement(&program, *at).to_string(),
            Step::Enter { callee, .. } => format!("into {}", NAMES[callee.0 as usize]),
            Step::Leave { callee, .. } => format!("out of {}", NAMES[callee.0 as usize]),
            Step::Over { callee, .. } => format!("over {}", NAMES[callee.0 as usize]),
        })
        .collect();
    assert_eq!(
        steps,
        ["into setp", "!C", "out of setp", "into usep", "y = *p"]
    );
    let short = paths.to(&analysis.errors[0], 4).unwrap();
    assert!(matches!(short.steps[0], Step::Over { .. }));
    assert_eq!((short.steps.len(), short.length), (3, 5));
}

/// The condition is gone, and with it the error. Between 5' and 6 stands what stood between 5 and
/// 6: only `x++` is new.
#[test]
fn figure_2_forward() {
    let (old, new) = (figure_1(), figure_2());
    let before = full(&old, &old, NO_LIMITS);
    let after = incremental_forward(&new, &new, NO_LIMITS, &before);
    expect![[r#"
        main
          from Z: (1, Z) --setp()--> (2, NZ) by <Z, NZ>
          from Z: (2, NZ) --usep()--> (3, NZ) by <NZ, NZ>
        setp
          from Z: (4, Z) --x++--> (5, Z)
          from Z: (5, Z) --p = &x--> (6, NZ)
        usep
          from NZ: (7, NZ) --y = *p--> (8, NZ)
    "#]]
    .assert_eq(&text(&new, &after));
    assert_eq!(after.rounds(), full(&new, &new, NO_LIMITS).rounds());
    assert_eq!((after.counts.steps, after.counts.transitions()), (1, 1));
}

/// "The backward algorithm will also inspect the derivation graph in main, but not that for usep":
/// what usep did when p could be null stays, and is no error.
#[test]
fn figure_2_backward() {
    let (old, new) = (figure_1(), figure_2());
    let before = full(&old, &old, NO_LIMITS);
    let after = incremental_backward(&new, &new, NO_LIMITS, &before);
    expect![[r#"
        main
          from Z: (1, Z) --setp()--> (2, NZ) by <Z, NZ>
          from Z: (2, NZ) --usep()--> (3, NZ) by <NZ, NZ>
        setp
          from Z: (4, Z) --x++--> (5, Z)
          from Z: (5, Z) --p = &x--> (6, NZ)
        usep
          from Z: (7, Z) --y = *p--> (8, Err)
          from NZ: (7, NZ) --y = *p--> (8, NZ)
    "#]]
    .assert_eq(&text(&new, &after));
    assert_eq!(after.errors, []);
    assert_eq!((after.counts.steps, after.counts.transitions()), (1, 1));
    assert_eq!(after.counts.functions, 2);
    assert!(Arc::ptr_eq(
        &before.graph.functions[2],
        &after.graph.functions[2]
    ));
}

/// And back again: the error returns, with nothing computed but the condition's two branches.
#[test]
fn figure_2_undone() {
    let (old, new) = (figure_2(), figure_1());
    let before = full(&old, &old, NO_LIMITS);
    let fresh = full(&new, &new, NO_LIMITS);
    let forward = incremental_forward(&new, &new, NO_LIMITS, &before);
    assert_eq!(forward.rounds(), fresh.rounds());
    let backward = incremental_backward(&new, &new, NO_LIMITS, &before);
    assert_eq!(backward.errors, fresh.errors);
    assert_eq!(text(&new, &backward), text(&new, &fresh));
    // C and !C; y = *p in Z; main: enters usep in Z, comes back from setp with Z, from usep with ERR.
    for analysis in [forward, backward] {
        let counts = analysis.counts;
        assert_eq!((counts.steps, counts.enters, counts.leaves), (3, 1, 2));
    }
}
