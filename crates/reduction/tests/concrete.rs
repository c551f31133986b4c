//! Interval automata of programs against the interpreter: what a run does has no conflict, its
//! values lie in the least solution of its path's equations, and no observer, of whatever other
//! path, accepts it.

use interp::chance::{Chance, number};
use interp::{Config, FrameView, Interpreter, Observer as Visitor, Scalar, Value};
use ir::{EdgeId, FuncId, NodeId, Program, Type};
use random_cfa::{Rng, Size};
use reduction::*;
use std::collections::BTreeMap;

const PROGRAMS: u64 = 1_500;
const CALLS: u32 = 3;
const LONGEST: usize = 250;

/// A part of a run within one activation of a function.
struct Segment {
    function: FuncId,
    at: NodeId,
    path: Vec<EdgeId>,
    /// The values of followed variables at its end.
    values: Vec<(Variable, i128)>,
}

/// Collects the segments of a run.
struct Collect<'a> {
    program: &'a Program,
    abstractions: &'a [Option<Abstraction>],
    stack: Vec<Segment>,
    done: Vec<Segment>,
}

impl Collect<'_> {
    fn values(&self, f: FuncId, view: &FrameView<'_, '_>) -> Vec<(Variable, i128)> {
        let (Some(body), Some(abstraction)) = (
            &self.program.functions[f].body,
            &self.abstractions[f.0 as usize],
        ) else {
            return Vec::new();
        };
        let value = |(v, var): (ir::VarId, &ir::Var)| {
            let variable = abstraction.variable(v)?;
            let scalar = view.var(v)?.scalar().filter(|s| s.undef == 0)?;
            let number = match *self.program.types.get(var.ty) {
                Type::Int { width, signed } => ir::int_value(scalar.bits.into(), width, signed),
                _ => i128::from(scalar.bits),
            };
            Some((variable, number))
        };
        body.vars.iter().filter_map(value).collect()
    }
}

impl Visitor for Collect<'_> {
    fn visit(&mut self, f: FuncId, node: NodeId, view: &FrameView<'_, '_>) {
        let depth = view.depth();
        while self.stack.len() > depth {
            self.done.extend(self.stack.pop());
        }
        let values = self.values(f, view);
        if self.stack.len() == depth
            && let Some(top) = self.stack.last_mut()
            && let Some(body) = &self.program.functions[f].body
        {
            let mut between = body.out_edges(top.at).filter(|(_, e)| e.to == node);
            if top.function == f
                && let (Some((edge, _)), None) = (between.next(), between.next())
                && top.path.len() < LONGEST
            {
                top.path.push(edge);
                top.at = node;
                top.values = values;
                return;
            }
        }
        while self.stack.len() >= depth {
            self.done.extend(self.stack.pop());
        }
        // Frames in between that were never seen do not matter: their segments are empty.
        while self.stack.len() < depth {
            self.stack.push(Segment {
                function: f,
                at: node,
                path: Vec::new(),
                values: values.clone(),
            });
        }
    }
}

fn arguments(program: &Program, f: FuncId, rng: &mut Rng) -> Vec<Value> {
    let Type::Function { params, .. } = program.types.get(program.functions[f].signature) else {
        return Vec::new();
    };
    let argument = |ty: &ir::TypeId| match *program.types.get(*ty) {
        Type::Int { width, .. } => number(width, || rng.bits()),
        _ => Value::Scalar(Scalar::ZERO),
    };
    params.iter().map(argument).collect()
}

/// Observers from random walks through the body.
fn observers(abstraction: &Abstraction, body: &ir::Body, rng: &mut Rng) -> Observers {
    let mut observers = Observers::new();
    for _ in 0..8 {
        let mut at = body.entry;
        let mut path = Vec::new();
        while path.len() < 80 {
            let out: Vec<(EdgeId, NodeId)> = body.out_edges(at).map(|(e, x)| (e, x.to)).collect();
            let Some((edge, to)) = rng.pick(&out) else {
                break;
            };
            path.push(edge);
            at = to;
        }
        let word = abstraction.word(path);
        let accepted = observers.accepts(&word);
        for found in conflicts(&abstraction.automaton, &word, 500).found {
            let new = observers.insert(&abstraction.automaton, found.conflict);
            assert!(new || accepted, "an observer that should have accepted");
        }
    }
    observers
}

#[derive(Default)]
struct Tally {
    words: usize,
    edges: usize,
    observers: usize,
    values: usize,
    bounded: usize,
}

fn examine(segment: &Segment, abstraction: &Abstraction, observers: &Observers, tally: &mut Tally) {
    let word = abstraction.word(segment.path.iter().copied());
    let automaton = &abstraction.automaton;
    assert!(!observers.accepts(&word), "accepted {:?}", segment.path);
    let all = conflicts(automaton, &word, 500);
    assert!(all.found.is_empty(), "{:?} {:?}", segment.path, all.found);
    assert!(!word::is_spurious(automaton, &word));
    tally.words += 1;
    tally.edges += word.len();
    let solution = strategy::solve(&word::equations(automaton, &word));
    let mut last: BTreeMap<Variable, Location> = BTreeMap::new();
    for &edge in &word {
        for update in automaton.updates(edge) {
            last.insert(update.variable, automaton.target(edge));
        }
    }
    for &(variable, number) in &segment.values {
        let Some(&location) = last.get(&variable) else {
            assert!(automaton.range(variable).contains(number));
            continue;
        };
        let interval = solution[&Instance { variable, location }];
        assert!(
            interval.contains(number),
            "{variable:?} is {number}, not in {interval}, after {:?}",
            segment.path
        );
        tally.values += 1;
        tally.bounded += usize::from(interval != automaton.range(variable));
    }
}

#[test]
fn runs_have_no_conflict_and_their_values_are_in_the_solution() {
    let mut tally = Tally::default();
    for seed in 0..PROGRAMS {
        let size = if seed.is_multiple_of(2) {
            Size::MEDIUM
        } else {
            Size::SMALL
        };
        let program = random_cfa::program(seed, size);
        let mut rng = Rng::new(seed ^ 0x5eed);
        let abstractions: Vec<Option<Abstraction>> = program
            .functions
            .values()
            .map(|f| Some(Abstraction::new(&program.types, f.body.as_ref()?)))
            .collect();
        let observers: Vec<Observers> = program
            .functions
            .iter()
            .map(
                |(f, function)| match (&abstractions[f.0 as usize], &function.body) {
                    (Some(abstraction), Some(body)) => observers(abstraction, body, &mut rng),
                    _ => Observers::new(),
                },
            )
            .collect();
        tally.observers += observers.iter().map(Observers::len).sum::<usize>();
        for f in program.functions.ids() {
            for _ in 0..CALLS {
                let config = Config {
                    step_limit: 3_000,
                    oracle: {
                        let mut own = Rng::new(rng.bits());
                        Box::new(Chance(move || own.bits()))
                    },
                    ..Config::default()
                };
                let collect = Collect {
                    program: &program,
                    abstractions: &abstractions,
                    stack: Vec::new(),
                    done: Vec::new(),
                };
                let mut interpreter = Interpreter::with_observer(&program, config, collect);
                let args = arguments(&program, f, &mut rng);
                let _ = interpreter.call(f, args);
                let collect = interpreter.into_observer();
                for segment in collect.done.iter().chain(&collect.stack) {
                    let function = segment.function.0 as usize;
                    if let Some(abstraction) = &abstractions[function]
                        && !segment.path.is_empty()
                    {
                        examine(segment, abstraction, &observers[function], &mut tally);
                    }
                }
            }
        }
    }
    // The test is about something.
    assert!(
        tally.words > 10_000 && tally.edges > 100_000,
        "{} {}",
        tally.words,
        tally.edges
    );
    assert!(tally.observers > 2_000, "{}", tally.observers);
    assert!(
        3 * tally.bounded > tally.values,
        "{} of {}",
        tally.bounded,
        tally.values
    );
}
