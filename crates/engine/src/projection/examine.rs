//! Level 2 on the witnesses of a projection: can the path be taken?
//!
//! A witness is a path that the facts allow, and facts are few. Level 2 has the whole path. One that cannot be taken has
//! conditions that contradict each other. Then two things are tried. Another witness, that does without one of these
//! conditions: the same pushdown system without the edge. And another projection, in which the conditions are kept apart: it has other witnesses,
//! or none, which is as much of a proof as the projection is. That is counterexample-guided refinement, for one line at a time.
//! Last, those that were found are made to turn their loops more often ([`turns`]). It ends with a path that can be taken, with none that the facts allow, with witnesses that teach nothing new, or after some
//! rounds.

use super::through::in_one_body;
use super::trial::{Said, Trial};
use super::{Checked, Lines, Through, Witnesses, own_path, runs, turns};
use crate::{ErrorPath, Level2};
use automata::Context;
use ir::{EdgeId, ExprId, FuncId, Origin, Stmt};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Projections that are made for one line.
const ROUNDS: usize = 4;
/// Sets of edges that are avoided, for each projection.
const ATTEMPTS: usize = 12;
/// Witnesses of one attempt that are looked at.
const WITNESSES: usize = 4;
/// Paths that are made longer.
const SHORT: usize = 4;
/// Conditions that are learnt: the rest of a function's facts must have room, too.
const LEARNT: usize = 6;

/// Who looks at witnesses, and what they have taught.
pub(super) struct Examiner<'a, 'p> {
    context: &'a Context<'p>,
    /// None: nobody is asked.
    trial: Option<Trial<'a, 'p>>,
    rounds: usize,
    learnt: Vec<(FuncId, ExprId)>,
    /// Paths that cannot be taken, as edges of functions, and the conditions that contradict each other.
    refuted: BTreeMap<Vec<Own>, Vec<Own>>,
    /// Paths that cannot be taken, and may be if they turn their loops more often: with the steps that contradict each other.
    short: Vec<(ErrorPath, Vec<usize>)>,
    /// A path of which nobody knows.
    undecided: Option<Through>,
}

/// An edge of a function.
type Own = (FuncId, EdgeId);

impl<'a, 'p> Examiner<'a, 'p> {
    pub fn new(context: &'a Context<'p>, level2: Option<&Level2>) -> Self {
        Examiner {
            context,
            trial: level2.map(|level2| Trial::new(context, level2)),
            rounds: 0,
            learnt: Vec::new(),
            refuted: BTreeMap::new(),
            short: Vec::new(),
            undecided: None,
        }
    }

    /// The conditions that the next projection should keep apart.
    pub fn learnt(&self) -> &[(FuncId, ExprId)] {
        &self.learnt
    }

    /// The finding's own path, if it passes the place: `check` has shown it already.
    pub fn own(&mut self, error: &ErrorPath) -> Option<Through> {
        let own = Through::Path(Box::new(error.clone()), Checked::Unasked);
        self.look_at(own).err()
    }

    /// A run of the program that fails, and passes these places on the way.
    pub fn run(&self, root: FuncId, error: &ErrorPath, lines: &Lines<'_>) -> Option<Through> {
        self.trial.as_ref()?;
        let program = self.context.program;
        let (steps, arguments) = runs::through(program, root, error, lines)?;
        let mut path = in_one_body(program, root, error, &steps)?;
        let body = program.functions[root].body.as_ref()?;
        path.when = body
            .params
            .first()
            .map(|argc| format!("{} = {arguments}", program.name(body.vars[*argc].name)));
        Some(Through::Path(Box::new(path), Checked::Feasible))
    }

    /// The answer; none if the next projection may have a better one. `seek` gives witnesses that avoid some edges. `closed`:
    /// that there is none is a proof.
    pub fn examine(
        &mut self,
        closed: bool,
        mut seek: impl FnMut(&[Own]) -> Witnesses,
    ) -> Option<Through> {
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
                // There were some before it was learnt from those that contradict themselves: they may not be all.
                Witnesses::Other(Through::None) if self.rounds > 0 && !closed => {
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
        let Some(trial) = &mut self.trial else {
            return Err(Through::Path(error, Checked::Unasked));
        };
        match trial.judge(&error) {
            Said::Feasible(when) => {
                error.when = when;
                Err(Through::Path(error, Checked::Feasible))
            }
            Said::Infeasible(core) => {
                let conditions = self.learn(&error, &core);
                self.refuted.insert(own, conditions.clone());
                if self.short.len() < SHORT {
                    self.short.push((*error, core));
                }
                Ok(conditions)
            }
            Said::Unknown(depends) => {
                error.when = None;
                let path = Through::Path(error, Checked::Undecided(depends));
                self.undecided.get_or_insert(path);
                Ok(Vec::new())
            }
        }
    }

    /// Paths that turn more often, and then what is known of those that were looked at.
    fn so_far(&mut self) -> Through {
        let mut tried = 0;
        for (error, core) in std::mem::take(&mut self.short) {
            let longer = match (&mut self.trial, error.body(self.context.program)) {
                (Some(trial), Some(body)) => turns::longer(trial, body, &error, &core, &mut tried),
                _ => None,
            };
            if let Some(longer) = longer {
                return Through::Path(Box::new(longer), Checked::Feasible);
            }
        }
        let refuted = Through::Refuted(self.refuted.len());
        self.undecided.take().unwrap_or(refuted)
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
