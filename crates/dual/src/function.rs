//! One function: the inputs with which it comes back, ends the program, or fails, and at which check.

use crate::arithmetic::Integers;
use crate::execute::{Ends, Execution, Failure, Limits, straight_end};
use crate::facts::Facts;
use crate::input::{Given, Input, Root, Symbols};
use crate::linear::{Linear, Symbol};
use crate::memory::Written;
use crate::path::Path;
use crate::run::Run;
use crate::seen::ORIGINS;
use crate::shape::{Frame, Told, within};
use crate::summary::Callees;
use crate::value::Value;
use automata::graph::Graph;
use ir::flow::order;
use ir::{Body, CallOutcome, CheckId, Edge, EdgeId, Program, Stmt};
use isl::{Constraint, Context, Dim, Result, Set, Stopped};
use std::collections::BTreeMap;

/// The inputs of a function by what becomes of runs with them. Every set contains *all* inputs of such runs, and may contain
/// more (dual.txt, Definitions 1 and 2).
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The dimensions of the sets.
    pub inputs: Vec<Input>,
    /// What the types say of the inputs.
    pub possible: Set,
    /// It comes back.
    pub ok: Set,
    /// The program ends, or an exception leaves the function.
    pub exit: Set,
    /// A check fails, of the function itself or in a call.
    pub failures: BTreeMap<Failure, Set>,
    /// Something was called of which nothing is known: whether that fails or comes back is not said here.
    pub guessed: bool,
    /// Something was called that is only declared: that it comes back is taken for granted here.
    pub strangers: bool,
}

/// The path before anything is executed: parameters have the values that they are given.
fn start(run: &mut Run<'_>) -> Path {
    let (program, body) = (run.program, run.body);
    let mut start = Path::default();
    for (i, v) in (0..).zip(&body.params) {
        let ty = body.vars[*v].ty;
        let given = Given {
            root: Root::Parameter(i),
            path: Vec::new(),
        };
        if program.types.is_scalar(ty) {
            let constant = usize::try_from(i).ok().and_then(|i| *run.constants.get(i)?);
            let value = match constant {
                Some(n) => Value::Number(Linear::constant(n)),
                None => run.given(&mut start, &given, ty),
            };
            let address = run.variable(*v);
            let unsure = Some(Written::Given(given));
            run.store_unsure(&mut start, &address, ty, value, unsure);
        } else {
            start.memory.forget(&crate::value::Object::Variable(*v));
        }
    }
    start
}

/// What was written between the two returns of a `setjmp` a path does not say: that is given up.
fn refuse_second_returns<'b>(edges: impl IntoIterator<Item = &'b Edge>) -> Result<()> {
    let is_second =
        |edge: &Edge| matches!(&edge.stmt, Stmt::Call(call) if call.outcome == CallOutcome::Again);
    match edges.into_iter().any(is_second) {
        true => Err(Stopped::Failed("a call in it returns twice".into())),
        false => Ok(()),
    }
}

/// Executes one path of a function, and says with which facts it fails at its end, and whether it cannot end before.
pub fn along(
    context: &Context,
    run: &mut Run<'_>,
    callees: Callees<'_>,
    limits: Limits,
    edges: &[EdgeId],
) -> Result<(Vec<Path>, bool)> {
    let body = run.body;
    refuse_second_returns(edges.iter().filter_map(|id| body.edges().get(*id)))?;
    let start = start(run);
    let mut execution = Execution {
        run,
        context: context.clone(),
        limits,
        callees,
        graph: Graph::of(body),
        tail: straight_end(body),
        last: BTreeMap::new(),
        depth: 0,
    };
    execution.along(start, edges)
}

/// Executes a function for any inputs, and says where its runs end.
pub fn ends(
    context: &Context,
    run: &mut Run<'_>,
    callees: Callees<'_>,
    limits: Limits,
) -> Result<Ends> {
    let body = run.body;
    refuse_second_returns(body.edges().values())?;
    let start = start(run);
    let Some(steps) = order(body) else {
        return Err(Stopped::Failed("loops are nested too deeply".into()));
    };
    let mut execution = Execution {
        run,
        context: context.clone(),
        limits,
        callees,
        graph: Graph::of(body),
        tail: straight_end(body),
        last: BTreeMap::new(),
        depth: 0,
    };
    let mut waiting = BTreeMap::from([(body.entry, vec![start])]);
    let mut ends = Ends::default();
    execution.steps(&steps, &mut waiting, &mut ends)?;
    Ok(ends)
}

/// The outcomes of a function for itself: nothing is known of those that it calls.
pub fn outcomes(
    context: &Context,
    program: &Program,
    body: &Body,
    integers: Integers,
    limits: Limits,
) -> Result<Outcomes> {
    let mut run = Run::new(program, body, integers);
    let callees = Callees {
        graph: None,
        known: &Default::default(),
        special: &Default::default(),
    };
    let ends = ends(context, &mut run, callees, limits)?;
    collected(context, &run.symbols, &ends, limits)
}

/// The inputs of the paths, as sets.
pub fn collected(
    context: &Context,
    symbols: &Symbols,
    ends: &Ends,
    limits: Limits,
) -> Result<Outcomes> {
    let inputs: Vec<(Input, Symbol)> = symbols
        .inputs()
        .map(|(input, symbol, _)| (input.clone(), symbol))
        .collect();
    let frame = Frame::new(inputs.iter().map(|(_, s)| *s).collect());
    let ranges = symbols.inputs().enumerate();
    let ranges: Vec<Constraint> = ranges
        .flat_map(|(at, (_, _, range))| within(Dim::At(at), range))
        .collect();
    let possible = Set::from_constraints(context, frame.len(), &ranges)?;
    let failing = ends.fails.values().map(Vec::len).sum::<usize>();
    let told = Told::of(limits, failing, frame.len());
    let union = |paths: &mut dyn Iterator<Item = &Path>| {
        let paths: Vec<&Facts> = paths.map(|path| &path.facts).collect();
        let union = frame.union(context, &paths, told)?;
        union.intersect(&possible)?.coalesce()
    };
    // So many that nobody reads them: only which call it is.
    let several = ends.fails.len() > ORIGINS;
    let mut fails: BTreeMap<Failure, Vec<&Path>> = BTreeMap::new();
    for (failure, paths) in &ends.fails {
        let failure = match *failure {
            Failure::Call(edge, _) if several => Failure::Call(edge, None),
            failure => failure,
        };
        fails.entry(failure).or_default().extend(paths);
    }
    let mut failures = BTreeMap::new();
    for (failure, paths) in fails {
        let set = union(&mut paths.into_iter())?;
        if !set.is_empty()? {
            failures.insert(failure, set);
        }
    }
    Ok(Outcomes {
        ok: union(&mut ends.back.iter())?,
        exit: union(&mut ends.exits.iter().chain(&ends.unwinds))?,
        failures,
        possible: possible.clone(),
        inputs: inputs.into_iter().map(|(input, _)| input).collect(),
        guessed: ends.guessed,
        strangers: ends.strangers,
    })
}

/// The inputs with which paths of these facts are taken, in the dimensions of [`collected`].
pub fn inputs_of<'f>(
    context: &Context,
    symbols: &Symbols,
    paths: impl IntoIterator<Item = &'f Facts>,
) -> Result<Set> {
    let frame = Frame::new(symbols.inputs().map(|(_, symbol, _)| symbol).collect());
    let paths: Vec<&Facts> = paths.into_iter().collect();
    frame.union(context, &paths, Told::Exactly)
}

impl Outcomes {
    pub(crate) fn none(&self) -> Result<Set> {
        Set::empty(&self.ok.context(), self.ok.dimensions())
    }

    /// Some check fails.
    pub fn any_err(&self) -> Result<Set> {
        let mut all = self.failures.values();
        all.try_fold(self.none()?, |all, set| all.union(set))
    }

    /// The checks of the function itself that can fail.
    pub fn own(&self) -> impl Iterator<Item = (CheckId, &Set)> {
        let all = self.failures.iter();
        all.filter_map(|(failure, set)| match failure {
            Failure::Here(check) => Some((*check, set)),
            Failure::Call(..) => None,
        })
    }

    fn comes_to_an_end(&self) -> Result<Set> {
        self.ok.union(&self.exit)
    }

    /// Every run fails, or never ends: ERR ∧ ¬(OK ∨ EXIT).
    pub fn must(&self) -> Result<Set> {
        self.any_err()?
            .subtract(&self.comes_to_an_end()?)?
            .coalesce()
    }

    /// A run may fail, or not: ERR ∧ (OK ∨ EXIT).
    pub fn may(&self) -> Result<Set> {
        self.any_err()?
            .intersect(&self.comes_to_an_end()?)?
            .coalesce()
    }

    /// No run fails: (OK ∨ EXIT) ∧ ¬ERR.
    pub fn never(&self) -> Result<Set> {
        self.comes_to_an_end()?
            .subtract(&self.any_err()?)?
            .coalesce()
    }

    /// No run ends: ¬(OK ∨ EXIT ∨ ERR).
    pub fn endless(&self) -> Result<Set> {
        let ends = self.comes_to_an_end()?.union(&self.any_err()?)?;
        self.possible.subtract(&ends)?.coalesce()
    }
}
