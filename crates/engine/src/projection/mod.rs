//! The error projection of a finding, in words ([`project`] computes it).
//!
//! Failing runs begin where the finding's path begins, in any state that callers may be in. What is said of lines is said of all
//! edges that have the line: one of them inside is enough. A path through a place is put to level 2 before it is shown
//! ([`examine`]).

mod examine;
mod runs;
mod telling;
mod through;
mod trial;
mod turns;

pub use through::functions_at;
pub use trial::root_of;

use crate::explain::{Explainer, Places};
use crate::whole::afterwards;
use crate::{ErrorPath, Level2, Memory, Settings};
use automata::{Context, Plan};
use examine::Examiner;
use ir::{EdgeId, ExprId, FuncId, Origin, Program, Span};
use project::{Analysis, Limits, Model, Question};
use rayon::prelude::*;
use report::projection::StateAt;
use report::{Location, Projection};
use telling::Telling;
use through::is_there;

/// Which places are meant.
pub type Lines<'a> = dyn Fn(Span) -> bool + 'a;

/// What is asked besides.
#[derive(Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Where failing runs begin; none: where the path begins.
    pub from: Option<FuncId>,
    /// A failing path through these places.
    pub through: Option<&'a Lines<'a>>,
    /// What holds at these places on failing paths.
    pub state: Option<&'a Lines<'a>>,
}

/// Can a path be taken?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Level 2 has values with which a run takes it.
    Feasible,
    /// Nobody knows: it depends on what these functions give back, or, if there are none, level 2 does not know.
    Undecided(Vec<FuncId>),
    /// Nobody asked.
    Unasked,
}

/// A failing path through a place.
#[derive(Clone, Debug)]
pub enum Through {
    Path(Box<ErrorPath>, Checked),
    /// As far as facts can tell there are some. So many were looked at, and no run can take any of them.
    Refuted(usize),
    /// There is one, but not as one body: its places, and how deep in calls they are.
    Places(Vec<(FuncId, Span, usize)>),
    /// There is none.
    None,
    /// The code there is in functions that are called on the way, and taken as a whole.
    Called,
    /// The code there is in functions that no run comes to which begins where failing ones are taken to begin, as far as calls
    /// on the way say: callers, what runs before. Nothing is said of it.
    Outside,
    TooLong,
}

/// All answers.
pub struct Projected {
    pub projection: Projection,
    pub through: Option<Through>,
    /// Empty: no failing run passes there, if it is `inside`.
    pub state: Option<Vec<StateAt>>,
    /// All code there is in functions that are looked into.
    pub inside: bool,
    /// Nothing is unknown: what is said not to be there is not there.
    pub proof: bool,
    /// The finding's own path is inside. It always is, or rigel has an error (or it was too much).
    pub has_path: bool,
}

/// Projects an error of a program that was analysed. `memory` is what that has left.
pub fn project(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    error: &ErrorPath,
    places: &Places<'_>,
    asked: Asked<'_>,
) -> Projected {
    afterwards(program, settings, memory, |context, plan| {
        let level2 = settings.level2.as_ref();
        project_one(context, plan, level2, error, places, asked)
    })
}

/// The lines of all these errors.
pub fn project_all(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    errors: &[&ErrorPath],
    places: &(dyn Fn(Span) -> Location + Sync),
) -> Vec<Projection> {
    afterwards(program, settings, memory, |context, plan| {
        let one = |error: &&ErrorPath| {
            project_one(context, plan, None, error, &places, Asked::default()).projection
        };
        errors.par_iter().map(one).collect()
    })
}

/// Shows the pushdown systems of all these errors, for whoever measures them.
pub fn models(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    errors: &[ErrorPath],
    mut visit: impl FnMut(&ErrorPath, &Model),
) {
    afterwards(program, settings, memory, |context, plan| {
        for error in errors {
            let path = own_path(error);
            visit(error, &model(context, plan, error, &path, None, &[]));
        }
    });
}

/// Where failing runs begin.
fn root(error: &ErrorPath, from: Option<FuncId>) -> FuncId {
    from.unwrap_or_else(|| root_of(error))
}

fn model(
    context: &Context<'_>,
    plan: Plan,
    error: &ErrorPath,
    path: &[(FuncId, EdgeId)],
    from: Option<FuncId>,
    learnt: &[(FuncId, ExprId)],
) -> Model {
    let question = Question {
        root: root(error, from),
        function: error.function,
        check: error.own_check(),
        path,
        body: None,
        learnt,
    };
    Model::new(context, plan, &question, &Limits::default())
}

/// Asks, and puts the paths that are found to level 2. What these teach, if they cannot be taken, are facts for the next round.
fn project_one(
    context: &Context<'_>,
    plan: Plan,
    level2: Option<&Level2>,
    error: &ErrorPath,
    places: &Places<'_>,
    asked: Asked<'_>,
) -> Projected {
    let mut examiner = Examiner::new(context, level2);
    let passes = |lines: &&Lines<'_>| {
        let begins_here = asked.from.is_none_or(|from| from == root_of(error));
        begins_here && error.path.len() > 1 && passes(context.program, error, *lines)
    };
    let mut own = asked
        .through
        .filter(passes)
        .and_then(|_| examiner.own(error));
    if let (None, Some(lines)) = (&own, asked.through) {
        own = examiner.run(root(error, asked.from), error, lines);
    }
    loop {
        // What is answered already is not asked again.
        let through = asked.through.filter(|_| own.is_none());
        let rest = Asked { through, ..asked };
        let mut projected = ask(context, plan, error, places, rest, &mut examiner);
        projected.through = projected.through.or(own.take());
        if projected.through.is_some() || asked.through.is_none() {
            return projected;
        }
    }
}

/// All answers with those facts kept apart that were learnt. None about a path through a place if the next round may have a better
/// one.
fn ask(
    context: &Context<'_>,
    plan: Plan,
    error: &ErrorPath,
    places: &Places<'_>,
    asked: Asked<'_>,
    examiner: &mut Examiner<'_, '_>,
) -> Projected {
    let program = context.program;
    let root = root(error, asked.from);
    let path = own_path(error);
    let model = model(context, plan, error, &path, asked.from, examiner.learnt());
    let explainer = Explainer::new(program, places);
    let telling = Telling {
        program,
        model: &model,
        explainer: &explainer,
        places,
    };
    let mut projected = Projected {
        projection: Projection {
            root: explainer.display(root),
            open: telling.open(&model.open),
            ..Projection::default()
        },
        through: None,
        state: asked.state.map(|_| Vec::new()),
        inside: false,
        proof: model.open.is_closed(),
        has_path: true,
    };
    let Ok(analysis) = Analysis::new(&model) else {
        projected.projection.too_large = true;
        projected.proof = false;
        let too_long = |_: &[_]| Witnesses::Other(Through::TooLong);
        projected.through = asked
            .through
            .and_then(|_| examiner.examine(false, too_long));
        return projected;
    };
    telling.parts(&analysis, &path, &mut projected.projection);
    projected.state = asked.state.map(|lines| telling.state(&analysis, lines));
    projected.inside = asked.state.is_none_or(|lines| telling.is_inside(lines));
    // Whoever asks where else failing runs could begin asks for other paths.
    projected.has_path =
        asked.from.is_some() || path.len() < 2 || telling.has_path(&analysis, &path);
    projected.through = asked.through.and_then(|lines| {
        let seek = |avoided: &[_]| telling.through(&analysis, root, error, lines, avoided);
        examiner.examine(projected.proof, seek)
    });
    projected
}

/// Does the path of an error pass these places?
fn passes(program: &Program, error: &ErrorPath, lines: &Lines<'_>) -> bool {
    let mut path = own_path(error).into_iter();
    path.any(|edge| is_there(program, edge, lines))
}

/// What a projection knows of paths through a place.
enum Witnesses {
    /// Paths, the shortest first.
    Paths(Vec<Through>),
    /// Nothing that could be looked at.
    Other(Through),
}

/// The path as edges of functions.
fn own_path(error: &ErrorPath) -> Vec<(FuncId, EdgeId)> {
    let Some(composed) = &error.composed else {
        return error.path.iter().map(|e| (error.function, *e)).collect();
    };
    let own = error.path.iter().filter_map(|e| match composed.origin(*e) {
        Origin::Own(frame, edge) => Some((composed.frames[frame].function, edge)),
        Origin::Enter(_) | Origin::Leave(_) | Origin::Another(_) => None,
    });
    own.collect()
}
