//! What a replay costs: `cargo run --release --example replay_speed -- PROGRAM_IN_TEXT_FORM`.
//! Every function is replayed along the shortest path to a check, with made-up arguments.

use interp::replay::{Replayed, Replayer, Script, ScriptObject, ScriptTarget, ScriptValue};
use ir::{Body, EdgeId, FuncId, Program, Stmt, Type};
use std::collections::VecDeque;
use std::time::Instant;

const ROUNDS: usize = 10;

/// The shortest path from the entry to a check.
fn to_check(body: &Body) -> Option<Vec<EdgeId>> {
    let mut from: Vec<Option<EdgeId>> = vec![None; body.node_count as usize];
    let mut queue = VecDeque::from([body.entry]);
    while let Some(node) = queue.pop_front() {
        for (id, edge) in body.out_edges(node) {
            if let Stmt::Check(_) = edge.stmt {
                let mut path = vec![id];
                let mut at = node;
                while at != body.entry {
                    let id = from[at.0 as usize]?;
                    path.push(id);
                    at = body.edges()[id].from;
                }
                path.reverse();
                return Some(path);
            }
            let seen = &mut from[edge.to.0 as usize];
            if seen.is_none() && edge.to != body.entry {
                *seen = Some(id);
                queue.push_back(edge.to);
            }
        }
    }
    None
}

fn script(program: &Program, function: FuncId, body: &Body) -> Option<Script> {
    let mut objects = Vec::new();
    let mut args = Vec::new();
    for param in &body.params {
        let ty = body.vars.get(*param)?.ty;
        args.push(match program.types.get(ty) {
            Type::Pointer(_) => {
                objects.push(ScriptObject {
                    size: 256,
                    align: 8,
                    writes: Vec::new(),
                    heap: true,
                });
                ScriptValue::Pointer {
                    target: ScriptTarget::Object(objects.len() - 1),
                    offset: 0,
                }
            }
            Type::Int { .. } | Type::Float(_) => ScriptValue::Bits(1),
            _ => ScriptValue::Bytes(Vec::new(), program.types.size_of(ty)),
        });
    }
    Some(Script {
        function,
        path: to_check(body)?,
        objects,
        args,
        globals: Vec::new(),
        steps: Default::default(),
    })
}

fn measure(source: &str) -> Result<(), ir::text::ParseError> {
    let program = ir::text::parse(source)?;
    let start = Instant::now();
    let mut replayer = Replayer::new(&program);
    println!(
        "{} functions, {} globals loaded in {:.1} ms",
        program.functions.len(),
        program.globals.len(),
        start.elapsed().as_secs_f64() * 1e3
    );
    let bodies = program.bodies();
    let scripts: Vec<Script> = bodies
        .filter_map(|(f, _, b)| script(&program, f, b))
        .collect();
    let edges: usize = scripts.iter().map(|s| s.path.len()).sum();
    println!("{} paths, {edges} edges", scripts.len());
    for round in 0..ROUNDS {
        let mut times = Vec::with_capacity(scripts.len());
        let (mut confirmed, mut diverged, mut stuck) = (0, 0, 0);
        for script in &scripts {
            let start = Instant::now();
            let answer = replayer.replay(script);
            times.push(start.elapsed().as_secs_f64() * 1e6);
            match answer {
                Replayed::Confirmed => confirmed += 1,
                Replayed::Diverged { .. } => diverged += 1,
                Replayed::Stuck { .. } => stuck += 1,
            }
        }
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
        if round == 0 || round + 1 == ROUNDS {
            println!(
                "round {round}: median {:.1} us, 95 % {:.1} us, 99.9 % {:.1} us, most {:.1} us \
                 ({confirmed} confirmed, {diverged} diverged, {stuck} stuck)",
                at(0.5),
                at(0.95),
                at(0.999),
                at(1.0)
            );
        }
    }
    Ok(())
}

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        return eprintln!("usage: replay_speed PROGRAM_IN_TEXT_FORM");
    };
    match std::fs::read_to_string(&path) {
        Ok(source) => {
            if let Err(e) = measure(&source) {
                eprintln!("{path}: {e}");
            }
        }
        Err(e) => eprintln!("{path}: {e}"),
    }
}
