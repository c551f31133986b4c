//! Does a property hold of every run of a program? TRUE, FALSE, or nobody knows.
//!
//! Two answers need two kinds of evidence. *FALSE* is a run: the interpreter executes the program from `main` with certain inputs
//! and stops at a check of the property ([`runs`]). *TRUE* is a proof over all runs: by level 1, by level 2 with refinement, by dual
//! analysis ([`proof`]), or, where a program has no inputs, by its only run. Whatever an engine does not know
//! for certain about the code ([`obstacles`]) is no proof. Everything else is unknown, with the reason.
//!
//! | module | what |
//! | --- | --- |
//! | `initial`, `whole` | the program as one body, from the initial values on |
//! | `obstacles` | what no proof copes with |
//! | `proof` | no run fails |
//! | `runs`, `inputs` | a run that fails: which inputs to try |
//! | `paths` | inputs from the solutions of level 2 |
//! | `ranking`, `lasso` | every run ends; some run does not |
//!
//! What this crate must not know: rules by name, LLVM, files, the clock.

mod initial;
mod inputs;
mod lasso;
mod obstacles;
mod paths;
mod proof;
pub mod ranking;
mod runs;
mod whole;

use ir::{Body, CallGraph, CheckId, FuncId, Program, Span};
use logic::Portfolio;

/// What is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// No check of the property fails.
    Checks,
    /// The same, of checks of memory; and no run does what has no meaning, or loses memory.
    Memory,
    /// The same, of checks of signed arithmetic.
    Arithmetic,
    /// Every run ends.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No run violates the property.
    True,
    /// This one does.
    False,
    Unknown,
}

/// A program and a property.
pub struct Task<'a> {
    pub goal: Goal,
    /// With the checks of the property, and those without which a run has no meaning.
    pub proved: Program,
    /// With all checks.
    pub run: &'a Program,
    /// Is a check one that the property asks for?
    pub asks: &'a (dyn Fn(&Program, &Body, CheckId) -> bool + Sync),
    /// What is wrong with the program as it was read, so that nothing can be proved of it.
    pub doubts: Vec<Reason>,
    /// Objects have the sizes that they have on the machine that is meant.
    pub sizes: bool,
    /// Makes a prover for level 2; none: it is left out.
    pub prover: Option<&'a (dyn Fn() -> Portfolio + Send + Sync)>,
}

/// What is said, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub verdict: Verdict,
    pub reasons: Vec<Reason>,
    /// The values of inputs, in order, with which a run violates the property.
    pub inputs: Vec<u64>,
}

/// One reason, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    pub function: Option<FuncId>,
    pub span: Option<Span>,
    pub text: String,
}

impl Reason {
    fn of(function: FuncId, span: Option<Span>, text: &str) -> Reason {
        Reason {
            function: Some(function),
            span,
            text: text.to_string(),
        }
    }
}

impl Answer {
    fn new(verdict: Verdict, reasons: Vec<Reason>) -> Answer {
        Answer {
            verdict,
            reasons,
            inputs: Vec::new(),
        }
    }

    fn proved(how: &str) -> Answer {
        let reason = Reason {
            function: None,
            span: None,
            text: how.to_string(),
        };
        Answer::new(Verdict::True, vec![reason])
    }
}

/// Says of a program whether its property holds. There must be a `main` with a body.
pub fn verify(mut task: Task<'_>) -> Option<Answer> {
    let main = task.proved.find_function("main")?;
    task.proved.functions.get(main)?.body.as_ref()?;
    let graph = CallGraph::new(&task.proved);
    let functions = whole::reachable(&graph, main);
    let mut globals = std::collections::BTreeSet::new();
    for f in &functions {
        if let Some(body) = task.proved.functions.get(*f).and_then(|f| f.body.as_ref()) {
            ir::walk::used_globals(body, &mut |g| {
                globals.insert(g);
            });
        }
    }
    let found = obstacles::obstacles(&task.proved, &functions, task.goal);
    let fresh = obstacles::makes_memory(&task.proved, &functions);
    for f in &functions {
        initial::leave_open(&mut task.proved, *f);
    }
    // Once at the start is not at every call.
    if !graph.is_recursive(main) {
        initial::assign(&mut task.proved, main, &globals);
    }
    let mut obstacles = std::mem::take(&mut task.doubts);
    let doubtful = !obstacles.is_empty();
    obstacles.extend(found);
    let code = Code {
        graph: &graph,
        main,
        functions: &functions,
        obstacles: &obstacles,
        doubtful,
        fresh,
    };
    Some(match task.goal {
        Goal::End => ends(&task, &code),
        _ => holds(&task, &code),
    })
}

/// What there is of the program.
struct Code<'a> {
    graph: &'a CallGraph,
    main: FuncId,
    functions: &'a std::collections::BTreeSet<FuncId>,
    obstacles: &'a [Reason],
    /// Not even a run says all.
    doubtful: bool,
    /// Some memory is made on the way, and holds what nobody has written: level 2 takes that for some value.
    fresh: bool,
}

/// No check fails?
fn holds(task: &Task<'_>, code: &Code<'_>) -> Answer {
    match runs::only(task, code) {
        runs::Only::Holds => return Answer::proved("the program has one run, which was executed"),
        runs::Only::Fails(answer) => return answer,
        runs::Only::Unclear => {}
    }
    if let Some(answer) = runs::search(task, code, runs::FIRST) {
        return answer;
    }
    let roots = whole::roots(&task.proved, code.graph, code.main);
    let proof = proof::prove(task, code, &roots);
    match proof {
        Ok(how) if code.obstacles.is_empty() => Answer::proved(how),
        Ok(_) => Answer::new(Verdict::Unknown, code.obstacles.to_vec()),
        Err(open) => {
            let inputs = paths::inputs(task, code, &roots, &open);
            let seen = runs::with(task, &inputs);
            if let Some(answer) = seen.or_else(|| runs::search(task, code, runs::LAST)) {
                return answer;
            }
            let mut reasons = code.obstacles.to_vec();
            reasons.extend(open.into_iter().map(|open| open.reason));
            Answer::new(Verdict::Unknown, reasons)
        }
    }
}

/// Every run ends?
fn ends(task: &Task<'_>, code: &Code<'_>) -> Answer {
    if let runs::Only::Holds = runs::only(task, code) {
        return Answer::proved("the program has one run, which was executed to its end");
    }
    let open = ranking::open(&task.proved, code.graph, code.functions);
    if open.is_empty() && code.obstacles.is_empty() {
        return Answer::proved("every loop comes nearer to its end with each turn");
    }
    if let Some(answer) = lasso::search(task, code) {
        return answer;
    }
    let mut reasons = code.obstacles.to_vec();
    reasons.extend(open);
    Answer::new(Verdict::Unknown, reasons)
}
