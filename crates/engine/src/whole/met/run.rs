//! Runs that show what a function meets.
//!
//! The function is run as if somebody had called it with the inputs that dual analysis names; what these leave open is zero,
//! and what pointers lead to is large and in good order. Whoever has no body says
//! nothing, or the run ends there. If the run fails at a check that
//! was suspected, the calls that lead there are made one body, and it is run once more, for its path.

use super::alone::{names_addresses, reads_parameters};
use super::outside;
use super::scene::{self, Inputs};
use super::settled::{Settled, Watcher};
use dual::execute::Place;
use dual::input::{Given, Input, Root};
use dual::met::Met;
use interp::{Cause, Config, FrameView, Interpreter, Observer, Oracle, Outcome, Value};
use ir::arena::Id;
use ir::{
    Body, Call, Callee, CheckId, Composed, Condition, EdgeId, FrameId, FuncId, Inlined, NodeId,
    Program, Stmt, Type, TypeId,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Statements of a run, at most; and of one of the program itself.
const STEPS: u64 = 100_000;
const WHOLE: u64 = 1_000_000;

/// Edges of a path that is shown with all turns of its loops, at most.
const LONGEST: usize = 5_000;

/// A run that fails, as a path of one body.
pub(super) struct Shown {
    pub composed: Composed,
    /// Of the composed body.
    pub check: CheckId,
    pub path: Vec<EdgeId>,
    /// The program runs like this: nothing of it was invented.
    pub closed: bool,
}

impl Shown {
    /// The function that the check is of, and which it is there.
    pub fn place(&self) -> (FuncId, CheckId) {
        let (frame, check) = self.composed.check(self.check);
        (self.composed.frames[frame].function, check)
    }
}

/// A run of a function with these inputs, if it fails where it is suspected to.
pub(super) fn shown(
    program: &Program,
    f: FuncId,
    inputs: &[(Input, i128)],
    met: &[Met],
) -> Option<Shown> {
    // What globals hold when it begins nobody knows then.
    if program.is_main(f) && !program.is_start(f) {
        return None;
    }
    let invented = !program.is_start(f) || names_addresses(program);
    let start = Start {
        program,
        function: f,
        inputs,
        steps: if invented { STEPS } else { WHOLE },
        text: "",
        late: false,
        asked: Rc::new(Cell::new(false)),
        invented: Rc::new(Cell::new(invented)),
    };
    let mut first = start.machine(Recorder::default());
    let outcome = first.run.call(f, first.args).err()?;
    let check = failed(&outcome)?;
    let stack = first.run.into_observer().stack;
    if !met
        .iter()
        .any(|met| is_suspected(program, met, &stack, check))
    {
        return None;
    }
    start.shown(&stack, check)
}

/// The runs of a function that is given nothing that fail. What it finds in variables that others write too is not the program's.
/// If it reads from outside, it is run once for each of a few texts that are found there. What uses memory that is gone
/// does so on most machines without a trace: what else is wrong then is shown, too.
pub(super) fn shown_alone(
    program: &Program,
    f: FuncId,
    settled: &Settled<'_>,
    steps: u64,
) -> Alone {
    let mut all = Alone::default();
    for text in outside::TEXTS {
        for late in [false, true] {
            let start = Start {
                program,
                function: f,
                inputs: &[],
                steps,
                text,
                late,
                asked: Rc::new(Cell::new(false)),
                invented: Rc::new(Cell::new(false)),
            };
            let mut first = start.machine(Watcher::new(settled));
            let outcome = first.run.call(f, first.args);
            let mut watcher = first.run.into_observer();
            // What the program begins with is its own.
            watcher.finds &= !program.is_start(f);
            let Some(check) = outcome.as_ref().err().and_then(failed) else {
                if !start.asked.get() {
                    let body = program.functions.get(f).and_then(|f| f.body.as_ref());
                    let told = body.is_none_or(reads_parameters);
                    all.only = outcome.is_ok() && watcher.is_only_run() && !told;
                    return all;
                }
                break;
            };
            let stack = watcher.recorder.stack;
            if watcher.finds {
                start.invented.set(true);
            }
            all.shown.extend(start.shown(&stack, check));
            let goes_on = stack
                .last()
                .is_some_and(|(f, _)| asks_of_life(program, *f, check));
            if late || !goes_on {
                return all;
            }
        }
    }
    all
}

/// What the runs of a function that is given nothing show.
#[derive(Default)]
pub(super) struct Alone {
    pub shown: Vec<Shown>,
    /// There is only one, and it comes back: whatever begins in this function fails nowhere.
    pub only: bool,
}

/// Does a check ask whether memory is there?
fn asks_of_life(program: &Program, f: FuncId, check: CheckId) -> bool {
    let body = program.functions.get(f).and_then(|f| f.body.as_ref());
    let check = body.and_then(|body| body.checks.get(check));
    check.is_some_and(|check| matches!(check.condition, Condition::Alive(_)))
}

/// Is this where a function was suspected to fail?
fn is_suspected(program: &Program, met: &Met, stack: &[(FuncId, NodeId)], check: CheckId) -> bool {
    match (met.place, stack) {
        (Place::Check(own), [_]) => own == check,
        (Place::Call(edge), [(root, node), _, ..]) => {
            let body = program.functions.get(*root).and_then(|f| f.body.as_ref());
            let edge = body.and_then(|body| body.edges().get(edge));
            edge.is_some_and(|edge| edge.from == *node)
        }
        _ => false,
    }
}

/// The check that a run failed at.
fn failed(outcome: &Outcome) -> Option<CheckId> {
    match outcome {
        Outcome::Failed(failure) => match failure.cause {
            Cause::Check { check, .. } => Some(check),
            Cause::Fault(_) => None,
        },
        _ => None,
    }
}

/// The functions of a stack as one body.
fn compose(program: &Program, stack: &[(FuncId, NodeId)]) -> Option<Composed> {
    let (root, _) = stack.first()?;
    let mut calls = Vec::new();
    for (at, pair) in stack.windows(2).enumerate() {
        let [(caller, node), (callee, _)] = pair else {
            return None;
        };
        let body = program.functions.get(*caller)?.body.as_ref()?;
        let is_call = |(_, edge): &(EdgeId, &ir::Edge)| matches!(edge.stmt, Stmt::Call(_));
        let (call, edge) = body.out_edges(*node).find(is_call)?;
        // A library function may have called it.
        if !matches!(&edge.stmt, Stmt::Call(call) if is_of(call, *callee)) {
            return None;
        }
        calls.push(Inlined {
            frame: FrameId::from_index(at),
            call,
            callee: *callee,
        });
    }
    ir::compose(program, *root, &calls).ok()
}

/// Can a call enter this function?
fn is_of(call: &Call, f: FuncId) -> bool {
    match call.callee {
        Callee::Direct(callee) => callee == f,
        Callee::Indirect(_) => true,
    }
}

/// The edges between nodes that a run came by, with that of the check at the end.
fn path(body: &Body, nodes: &[NodeId], check: CheckId) -> Option<Vec<EdgeId>> {
    let between = |pair: &[NodeId]| {
        let [from, to] = pair else {
            return None;
        };
        let mut edges = body.out_edges(*from).filter(|(_, edge)| edge.to == *to);
        edges.next().map(|(id, _)| id)
    };
    let mut path: Vec<EdgeId> = nodes.windows(2).map(between).collect::<Option<_>>()?;
    let mut last = body.out_edges(*nodes.last()?);
    let is_it = |edge: &ir::Edge| matches!(edge.stmt, Stmt::Check(c) if c == check);
    path.push(last.find(|(_, edge)| is_it(edge))?.0);
    Some(path)
}

/// Where a run is, and where its outermost function has been.
#[derive(Default)]
pub(super) struct Recorder {
    pub stack: Vec<(FuncId, NodeId)>,
    nodes: Vec<NodeId>,
}

impl Recorder {
    /// Leaves out the turns of loops, from where each was come to first to where it was last. As on paths of level 1, what the
    /// program did before is then no longer said; but the way from the entry is one.
    fn shorten(&mut self) {
        let mut at: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut kept: Vec<NodeId> = Vec::new();
        for node in self.nodes.drain(..) {
            if let Some(first) = at.get(&node).copied() {
                for left in kept.drain(first..) {
                    at.remove(&left);
                }
            }
            at.insert(node, kept.len());
            kept.push(node);
        }
        self.nodes = kept;
    }

    /// The way that was taken.
    fn way(mut self) -> Vec<NodeId> {
        if self.nodes.len() > LONGEST {
            self.shorten();
        }
        self.nodes
    }
}

impl Observer for Recorder {
    fn visit(&mut self, function: FuncId, node: NodeId, frame: &FrameView<'_, '_>) {
        let depth = frame.depth();
        self.stack.truncate(depth.saturating_sub(1));
        self.stack.push((function, node));
        if depth == 1 {
            self.nodes.push(node);
            if self.nodes.len() >= 2 * LONGEST {
                self.shorten();
            }
        }
    }
}

/// Answers for those who have no body: only where there is nothing to say. What they might give back, or leave in memory, nobody
/// knows, and the run ends.
struct Silence {
    invented: Rc<Cell<bool>>,
}

impl Oracle for Silence {
    fn call(&mut self, _: &str, args: &[Value], result: TypeId) -> Option<Value> {
        let is_number = |value: &Value| value.scalar().is_some_and(|s| s.prov.is_none());
        if result != TypeId::VOID || !args.iter().all(is_number) {
            return None;
        }
        self.invented.set(true);
        Some(Value::Void)
    }
}

/// What a run begins with.
struct Start<'p, 'm> {
    program: &'p Program,
    function: FuncId,
    inputs: &'m [(Input, i128)],
    /// So many statements, at most.
    steps: u64,
    /// What stands in the input, and whether it was read.
    text: &'static str,
    /// Variables outlive their scope.
    late: bool,
    asked: Rc<Cell<bool>>,
    /// Something of the run is not the program's.
    invented: Rc<Cell<bool>>,
}

impl<'p> Start<'p, '_> {
    /// The run once more, as a path of the functions that are being executed when it fails.
    fn shown(&self, stack: &[(FuncId, NodeId)], check: CheckId) -> Option<Shown> {
        let composed = compose(self.program, stack)?;
        let frame = FrameId::from_index(stack.len().checked_sub(1)?);
        let check = composed.composed_check(frame, check)?;
        let path = {
            let mut second = self.machine(Recorder::default());
            let (f, body) = (self.function, &composed.body);
            let outcome = second.run.call_body(f, body, second.args).err()?;
            let failed = failed(&outcome)?;
            let nodes = second.run.into_observer().way();
            (failed == check).then(|| path(body, &nodes, check))??
        };
        Some(Shown {
            composed,
            check,
            path,
            closed: !self.invented.get(),
        })
    }

    fn machine<O: Observer>(&self, observer: O) -> Machine<'p, O> {
        let (program, f) = (self.program, self.function);
        let config = Config {
            step_limit: self.steps,
            call_depth: 1000,
            memory_limit: 1 << 26,
            late_ends: self.late,
            stdin: Box::new(outside::Input::new(self.text, Rc::clone(&self.asked))),
            oracle: Box::new(Silence {
                invented: Rc::clone(&self.invented),
            }),
            ..Config::default()
        };
        let run = Interpreter::with_observer(program, config, observer);
        let mut machine = Machine {
            run,
            args: Vec::new(),
        };
        let inputs = Inputs {
            program,
            inputs: self.inputs.iter().map(|(i, n)| (i, *n)).collect(),
        };
        let signature = program.functions.get(f).map(|f| f.signature);
        let params = match signature.and_then(|ty| program.types.lookup(ty)) {
            Some(Type::Function { params, .. }) => params.to_vec(),
            _ => Vec::new(),
        };
        let is_whole = program.is_start(f);
        for (i, ty) in (0..).zip(params) {
            if is_whole {
                let value = scene::of_main(&mut machine.run, i);
                machine.args.push(Value::Scalar(value));
                continue;
            }
            let given = Given {
                root: Root::Parameter(i),
                path: Vec::new(),
            };
            let value = inputs.value(&mut machine.run, &given, ty);
            machine.args.push(Value::Scalar(value));
        }
        // What a program begins with is no input.
        if !is_whole {
            inputs.set_globals(&mut machine.run);
        }
        machine
    }
}

/// A program that is ready to run a function.
struct Machine<'p, O: Observer> {
    run: Interpreter<'p, O>,
    args: Vec<Value>,
}
