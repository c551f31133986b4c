//! Replays of paths: what a script says, and what the run makes of it. Here are the words that tests
//! write scripts with.

use interp::replay::{
    Allocation, Replayed, Replayer, Script, ScriptObject, ScriptTarget, ScriptValue, StepEffect,
    Write, replay,
};
use ir::{EdgeId, FuncId, GlobalId, Program, VarId};

mod calls;
mod found;
mod garbage;
mod inputs;
mod jumps;
mod limits;
mod random;
mod record;

fn parse(source: &str) -> Program {
    ir::text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

fn function(program: &Program, name: &str) -> FuncId {
    program.find_function(name).unwrap()
}

/// The edges between consecutive nodes.
fn path(program: &Program, name: &str, nodes: &[u32]) -> Vec<EdgeId> {
    let body = program.functions[function(program, name)].body.as_ref();
    let edges = body.unwrap().edges();
    let between = |pair: &[u32]| {
        let mut all = edges.iter();
        let found = all.find(|(_, e)| e.from.0 == pair[0] && e.to.0 == pair[1]);
        found.unwrap_or_else(|| panic!("no edge {pair:?}")).0
    };
    nodes.windows(2).map(between).collect()
}

/// A script without inputs, along the nodes of the function `f`.
fn script(program: &Program, nodes: &[u32]) -> Script {
    Script {
        function: function(program, "f"),
        path: path(program, "f", nodes),
        objects: Vec::new(),
        args: Vec::new(),
        globals: Vec::new(),
        steps: Default::default(),
    }
}

fn global(program: &Program, name: &str) -> GlobalId {
    let mut all = program.globals.iter();
    all.find(|(_, g)| program.name(g.name) == name).unwrap().0
}

fn local(program: &Program, name: &str) -> VarId {
    let f = &program.functions[function(program, "f")];
    let mut vars = f.body.as_ref().unwrap().vars.iter();
    vars.find(|(_, v)| program.name(v.name) == name).unwrap().0
}

fn bits(n: i32) -> ScriptValue {
    ScriptValue::Bits(u128::from(n as u32))
}

fn to(target: ScriptTarget) -> ScriptValue {
    ScriptValue::Pointer { target, offset: 0 }
}

fn object(size: u64) -> ScriptObject {
    ScriptObject {
        size,
        align: 8,
        writes: Vec::new(),
        heap: true,
    }
}

fn write(offset: u64, size: u64, value: ScriptValue) -> Write {
    Write {
        offset,
        value,
        size,
    }
}

/// A call that does nothing but return.
fn returns(result: Option<ScriptValue>) -> StepEffect {
    StepEffect::Instead {
        result,
        writes: Vec::new(),
        frees: Vec::new(),
        allocates: None,
    }
}

#[track_caller]
fn confirmed(program: &Program, script: &Script) {
    assert_eq!(replay(program, script), Replayed::Confirmed);
}

#[track_caller]
fn diverges(program: &Program, script: &Script, at: usize, words: &str) {
    match replay(program, script) {
        Replayed::Diverged { step, why } if step == at && why.contains(words) => {}
        other => panic!("{other:?}, not diverged at {at}: {words}"),
    }
}

#[track_caller]
fn sticks(program: &Program, script: &Script, at: usize, words: &str) {
    match replay(program, script) {
        Replayed::Stuck { step, why } if step == at && why.contains(words) => {}
        other => panic!("{other:?}, not stuck at {at}: {words}"),
    }
}
