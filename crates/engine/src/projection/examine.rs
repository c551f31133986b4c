//! Level 2 on the witnesses of a projection: can the path be taken?
//!
//! A witness is a path that the facts allow, and facts are few. Level 2 has the whole path. One that cannot be taken has
//! conditions that contradict each other. Then two things are tried. Another witness, that does without one of these
//! conditions: the same pushdown system without the edge. And another projection, in which the conditions are kept apart: it has other witnesses,
//! or none, which is as much of a proof as the projection is. That is counterexample-guided refinement, for one line at a time.
//! It ends with a path that can be taken, with none that the facts allow, with witnesses that teach nothing new, or after some
//! rounds.

use super::{Checked, Through, Witnesses, own_path};
use crate::when::words;
use crate::{ErrorPath, Level2};
use automata::Context;
use feasible::Judgement;
use interp::replay::{Replayed, Replayer};
use ir::{EdgeId, ExprId, FrameId, FuncId, Origin, Stmt};
use logic::Portfolio;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Projections that are made for one line.
const ROUNDS: usize = 4;
/// Sets of edges that are avoided, for each projection.
const ATTEMPTS: usize = 12;
/// Witnesses of one attempt that are looked at.
const WITNESSES: usize = 4;
/// Conditions that are learnt: the rest of a function's facts must have room, too.
const LEARNT: usize = 6;

/// Who looks at witnesses, and what they have taught.
pub(super) struct Examiner<'a, 'p> {
    context: &'a Context<'p>,
    /// None: nobody is asked.
    level2: Option<(Portfolio, u64)>,
    rounds: usize,
    learnt: Vec<(FuncId, ExprId)>,
    /// Paths that cannot be taken, as edges of functions, and the conditions that contradict each other.
    refuted: BTreeMap<Vec<Own>, Vec<Own>>,
    /// A path of which nobody knows.
    undecided: Option<Through>,
}

/// An edge of a function.
type Own = (FuncId, EdgeId);

/// What level 2 says of a path.
enum Said {
    Feasible(Option<String>),
    /// These steps contradict each other.
    Infeasible(Vec<usize>),
    Unknown,
}

impl<'a, 'p> Examiner<'a, 'p> {
    pub fn new(context: &'a Context<'p>, level2: Option<&Level2>) -> Self {
        Examiner {
            context,
            level2: level2.map(|level2| ((level2.provers.make)(), level2.budget)),
            rounds: 0,
            learnt: Vec::new(),
            refuted: BTreeMap::new(),
            undecided: None,
        }
    }

    /// The conditions that the next projection should keep apart.
    pub fn learnt(&self) -> &[(FuncId, ExprId)] {
        &self.learnt
    }

    /// The answer; none if the next projection may have a better one. `seek` gives witnesses that avoid some edges.
    pub fn examine(&mut self, mut seek: impl FnMut(&[Own]) -> Witnesses) -> Option<Through> {
        let known = self.learnt.len();
        let mut waiting: VecDeque<Vec<Own>> = VecDeque::from([Vec::new()]);
        let mut tried: BTreeSet<Vec<Own>> = BTreeSet::new();
        for _ in 0..ATTEMPTS {
            let Some(avoided) = waiting.pop_front() else {
                break;
            };
            let paths = match seek(&avoided) {
                Witnesses::Paths(paths) => paths,
                Witnesses::Other(_) if !avoided.is_empty() => continue,
                // With what was learnt it became too much: what was known before still is.
                Witnesses::Other(Through::TooLong) if self.rounds > 0 => {
                    return Some(self.so_far());
                }
                Witnesses::Other(other) => return Some(other),
            };
            for path in paths.into_iter().take(WITNESSES) {
                let conditions = match self.look_at(path) {
                    Ok(conditions) => conditions,
                    Err(answer) => return Some(answer),
                };
                for condition in conditions {
                    let mut more = avoided.clone();
                    more.push(condition);
                    more.sort_unstable();
                    more.dedup();
                    if tried.insert(more.clone()) {
                        waiting.push_back(more);
                    }
                }
            }
        }
        self.rounds += 1;
        match self.learnt.len() > known && self.rounds < ROUNDS {
            true => None,
            false => Some(self.so_far()),
        }
    }

    /// What another witness should do without; or the answer.
    fn look_at(&mut self, path: Through) -> Result<Vec<Own>, Through> {
        let Through::Path(mut error, _) = path else {
            self.undecided.get_or_insert(path);
            return Ok(Vec::new());
        };
        let own = own_path(&error);
        if let Some(conditions) = self.refuted.get(&own) {
            return Ok(conditions.clone());
        }
        match self.judge(&error) {
            None => Err(Through::Path(error, Checked::Unasked)),
            Some(Said::Feasible(when)) => {
                error.when = when;
                Err(Through::Path(error, Checked::Feasible))
            }
            Some(Said::Infeasible(core)) => {
                let conditions = self.learn(&error, &core);
                self.refuted.insert(own, conditions.clone());
                Ok(conditions)
            }
            Some(Said::Unknown) => {
                let path = Through::Path(error, Checked::Undecided);
                self.undecided.get_or_insert(path);
                Ok(Vec::new())
            }
        }
    }

    fn so_far(&mut self) -> Through {
        let refuted = Through::Refuted(self.refuted.len());
        self.undecided.take().unwrap_or(refuted)
    }

    /// None: nobody is asked.
    fn judge(&mut self, error: &ErrorPath) -> Option<Said> {
        let (prover, budget) = self.level2.as_mut()?;
        let context: &Context<'_> = self.context;
        let Some(body) = error.body(context.program) else {
            return Some(Said::Unknown);
        };
        let root = match &error.composed {
            Some(composed) => composed.frames[FrameId::ROOT].function,
            None => error.function,
        };
        let mut said = Said::Unknown;
        let paths = std::slice::from_ref(&error.path);
        feasible::judge(
            context,
            root,
            body,
            paths,
            prover,
            *budget,
            |_, path, judgement| {
                said = match judgement {
                    Judgement::Infeasible(core, _) => {
                        Said::Infeasible(core.into_iter().map(|step| step as usize).collect())
                    }
                    Judgement::Undecided(_) => Said::Unknown,
                    Judgement::Feasible(model) => {
                        let script = feasible::script::script(path, &model, &error.path);
                        let mut replayer = Replayer::new(context.program);
                        match script.map(|script| replayer.replay_in(body, &script)) {
                            Ok(Replayed::Confirmed) => Said::Feasible(words(context, path, &model)),
                            // One of the two is wrong, the path is not all of the truth, or nobody can run it.
                            _ => Said::Unknown,
                        }
                    }
                };
            },
        );
        Some(said)
    }

    /// The conditions among the steps that contradict each other.
    fn learn(&mut self, error: &ErrorPath, core: &[usize]) -> Vec<Own> {
        let mut conditions = Vec::new();
        for step in core {
            let Some(edge) = error.path.get(*step) else {
                continue;
            };
            let own = match &error.composed {
                None => Some((error.function, *edge)),
                Some(composed) => match composed.origin(*edge) {
                    Origin::Own(frame, edge) => Some((composed.frames[frame].function, edge)),
                    _ => None,
                },
            };
            let Some((function, edge)) = own else {
                continue;
            };
            let body = self.context.program.functions[function].body.as_ref();
            if let Some(found) = body.and_then(|body| body.edges().get(edge))
                && let Stmt::Assume(condition) = found.stmt
            {
                conditions.push((function, edge));
                if !self.learnt.contains(&(function, condition)) && self.learnt.len() < LEARNT {
                    self.learnt.push((function, condition));
                }
            }
        }
        conditions
    }
}
