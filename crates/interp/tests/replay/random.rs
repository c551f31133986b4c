//! What a run of a random program did, its replay does, and nothing else.

use super::record::{One, Visits, cannot, havocs};
use interp::replay::{Replayed, Replayer, Script, replay};
use interp::{Cause, Config, FrameView, Interpreter, Observer, Outcome};
use ir::{Body, EdgeId, FuncId, NodeId, Program, Stmt};
use random_cfa::Size;

/// Records where `main` goes.
struct Recorder<'p> {
    body: &'p Body,
    visits: Visits,
}

impl Observer for Recorder<'_> {
    fn visit(&mut self, _: FuncId, node: NodeId, frame: &FrameView<'_, '_>) {
        if frame.depth() == 1 {
            self.visits.add(self.body, node, frame);
        }
    }
}

fn body(program: &Program, f: FuncId) -> &Body {
    program.functions[f].body.as_ref().unwrap()
}

/// A run of `main`: its edges, the last one where it ended, and how.
fn record(program: &Program, main: FuncId) -> (Vec<EdgeId>, Outcome) {
    let recorder = Recorder {
        body: body(program, main),
        visits: Visits::default(),
    };
    let config = Config {
        step_limit: 200_000,
        oracle: Box::new(One),
        ..Config::default()
    };
    let mut interpreter = Interpreter::with_observer(program, config, recorder);
    let outcome = interpreter.run();
    let Recorder { body, visits } = interpreter.into_observer();
    (visits.path(body), outcome)
}

/// The script of a recorded path.
fn script(program: &Program, main: FuncId, path: Vec<EdgeId>) -> Script {
    Script {
        function: main,
        steps: havocs(body(program, main), &path),
        path,
        objects: Vec::new(),
        args: Vec::new(),
        globals: Vec::new(),
    }
}

#[test]
fn a_run_is_replayed_and_nothing_else() {
    let (mut confirmed, mut elsewhere, mut other_branches, mut holding) = (0, 0, 0, 0);
    for seed in 0..300 {
        let program = random_cfa::program(seed, Size::MEDIUM);
        let main = program.find_function("main").unwrap();
        let body = body(&program, main);
        let (path, outcome) = record(&program, main);
        let mut replayer = Replayer::new(&program);
        let stmt = |id: EdgeId| &body.edges()[id].stmt;
        let whole = script(&program, main, path.clone());
        let checks: Vec<EdgeId> = (body.edges().iter())
            .filter(|(_, e)| matches!(e.stmt, Stmt::Check(_)))
            .map(|(id, _)| id)
            .collect();
        // How far a replay can get at all, and what it says there.
        let mut end = path.len();
        if let Outcome::Failed(f) = &outcome {
            let last = path.len() - 1;
            let depth = f.site.stack.len();
            let words = match f.cause {
                Cause::Check { rule, .. } => format!("check {} fails", program.name(rule)),
                Cause::Fault(kind) => kind.to_string(),
            };
            if depth == 1 && matches!(f.cause, Cause::Check { .. }) {
                let answer = replayer.replay(&whole);
                match &answer {
                    Replayed::Confirmed => confirmed += 1,
                    Replayed::Stuck { step, .. } if cannot(&answer) => end = *step,
                    _ => panic!("seed {seed}: {answer:?}"),
                }
                assert_eq!(replay(&program, &whole), answer, "seed {seed}");
            } else if let Some(check) = checks.first() {
                // It fails before the end of any path: in a callee, or where no check stands.
                let mut longer = whole.clone();
                longer.path.push(*check);
                let answer = replayer.replay(&longer);
                match &answer {
                    Replayed::Diverged { step, why } => {
                        let inside = why.contains(" in f") == (depth > 1);
                        let said = *step == last && why.starts_with(&words) && inside;
                        assert!(said, "seed {seed}: {answer:?}, not {words} at {last}");
                        elsewhere += 1;
                    }
                    Replayed::Stuck { step, .. } if cannot(&answer) => end = *step,
                    _ => panic!("seed {seed}: {answer:?}"),
                }
            }
        }
        // Loops repeat themselves: a part of a long path is enough.
        for k in 0..end.min(path.len().saturating_sub(1)).min(400) {
            let id = path[k];
            let edge = &body.edges()[id];
            if let Stmt::Check(_) = edge.stmt {
                let prefix = script(&program, main, path[..=k].to_vec());
                let why = "the last check holds".to_string();
                let expected = Replayed::Diverged { step: k, why };
                let answer = replayer.replay(&prefix);
                if !cannot(&answer) {
                    assert_eq!(answer, expected, "seed {seed}, step {k}");
                    holding += 1;
                }
            }
            for (sibling, e) in body.out_edges(edge.from) {
                let Stmt::Assume(c) = e.stmt else { continue };
                let same = matches!(stmt(id), Stmt::Assume(d) if *d == c);
                let Some(check) = checks.first() else {
                    continue;
                };
                if sibling == id || same {
                    continue;
                }
                let mut other = path[..k].to_vec();
                other.extend([sibling, *check]);
                let answer = replayer.replay(&script(&program, main, other));
                match answer {
                    Replayed::Diverged { step, ref why } if step == k => {
                        assert!(why.starts_with("the assumption is false"), "{why}");
                        other_branches += 1;
                    }
                    answer if cannot(&answer) => {}
                    answer => panic!("seed {seed}, step {k}: {answer:?}"),
                }
            }
        }
    }
    println!("{confirmed} {elsewhere} {other_branches} {holding}");
    assert!(confirmed >= 40, "{confirmed}");
    assert!(elsewhere >= 10, "{elsewhere}");
    assert!(other_branches >= 300, "{other_branches}");
    assert!(holding >= 300, "{holding}");
}
