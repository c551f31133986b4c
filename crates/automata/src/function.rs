//! One function through level 1.
//!
//! 1. *Ascend*: a covering search with aggregation, in topological order, widening at loop heads.
//! 2. *Descend*: where there are loops, all states are computed once more from those at the loop
//!    heads, without widening, which takes back what widening gave away; and on the way every
//!    check is *asked* whether the state implies it.
//! 3. For each check that fails on evidence, search for a path to it, keeping states apart: the
//!    shortest, and one that the automata hold to be possible as such. If there is none, merging
//!    was to blame, and the check is refuted.
//!
//! Without aggregation (`--aggregate off`) the first search answers everything: it keeps all states
//! apart, and its parent links are the paths.

use crate::Automata;
use crate::checks::Answer;
use crate::context::{Context, Options};
use crate::dependence::sensitive;
use crate::entry::Entry;
use crate::expansions::Expansions;
use crate::graph::Graph;
use crate::paths::{Links, check_edges, full_path, reaching};
use crate::project::{Asked, Calls};
use crate::space::{Errors, Product, class};
use crate::state::State;
use crate::summarize::summarize;
use crate::summary::Summary;
use ir::{Body, CheckId, EdgeId, FuncId, NodeId};
use search::{Algorithm, End, Order, Search, Statistics};
use serde::{Deserialize, Serialize};

/// How one function is searched.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub algorithm: Algorithm,
    pub aggregate: bool,
    pub max_states: usize,
    pub automata: Options,
    /// Of the callees only those count that are analysed before ([`Context::before`]): what level 1 says of
    /// a function must not depend on who else was analysed already.
    pub scheduled: bool,
    /// The only check that is to be explained; none: all that are wanted.
    pub only: Option<CheckId>,
}

/// States kept apart at a location.
const CLASSES: u32 = 4;
/// States that the search for one path may take, keeping all apart.
const PATH_STATES: usize = 200;
/// And for all paths of a function: a table of two thousand forgotten variables is one mistake.
const ALL_PATH_STATES: usize = 4000;

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It holds in every state that reaches it, or nothing does.
    Proved,
    Latent,
    Refuted,
    /// It fails on this path, the check's own edge being the last.
    Fails(Vec<EdgeId>),
    /// The budget ended first; with the path through merged states on which it seems to fail, if
    /// there is one.
    Undecided(Option<Vec<EdgeId>>),
    /// It fails, and nobody wants to know.
    Unwanted,
}

/// What became of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// In the order of the checks.
    pub verdicts: Vec<Verdict>,
    pub summary: Summary,
    /// In which states it enters others, where that can make a difference; sorted.
    pub calls: Vec<Asked>,
    pub statistics: Statistics,
    /// Edges executed.
    pub steps: usize,
    /// The budget was not enough for the function.
    pub exhausted: bool,
}

/// Analyses a function that is entered in a state: for any caller ([`Entry::Anything`]), or for those
/// that enter it so. A pure function of its arguments, and of the callees' summaries in the context.
pub fn analyze(
    context: &Context<'_>,
    f: FuncId,
    body: &Body,
    plan: Plan,
    entry: &Entry,
) -> Outcome {
    let graph = Graph::of(body);
    let mut automata = Automata::new(context, body, plan.automata);
    automata.is_main = context.program.is_main(f);
    automata.entry = entry.clone();
    automata.moved = context.recursion.moved(f);
    if plan.scheduled {
        automata.sees = context.before.get(f.0 as usize).map(|all| &**all);
        // What a function is for any caller is found first, and follows from the same.
        automata.itself = Some(f).filter(|_| *entry != Entry::Anything);
    }
    let mut run = Run {
        automata: &mut automata,
        graph: &graph,
        plan,
        statistics: Statistics::default(),
        steps: 0,
        exhausted: false,
        links: Links::default(),
        path_states: ALL_PATH_STATES,
        calls: Calls::default(),
    };
    let (answers, exits, paths) = if plan.aggregate {
        run.merged()
    } else {
        run.apart()
    };
    let verdicts = run.verdicts(&answers, paths);
    // What matters is the function's own: it is found once, where any caller is meant.
    let sensitive = match (entry, context.summaries.get(f)) {
        (Entry::Given(_), Some(summary)) => summary.sensitive.clone(),
        _ => sensitive(
            context.program,
            body,
            |g| run.automata.summary(g),
            &verdicts,
            |c| run.is_wanted(c),
        ),
    };
    let calls = std::mem::take(&mut run.calls).asked();
    let (statistics, steps, exhausted) = (run.statistics, run.steps, run.exhausted);
    let mut summary = summarize(context, body, &mut automata, &exits, exhausted);
    summary.sensitive = sensitive;
    Outcome {
        verdicts,
        summary,
        calls,
        statistics,
        steps,
        exhausted,
    }
}

/// The states at every location after the descending pass, with the automata that made them: what
/// level 1 knows of each place. (The nodes in between are what one path makes of these.)
pub fn reached<'p>(
    context: &'p Context<'p>,
    f: FuncId,
    body: &'p Body,
    plan: Plan,
    entry: &Entry,
) -> (Automata<'p>, Vec<(NodeId, Vec<State>)>) {
    let graph = Graph::of(body);
    let mut automata = Automata::new(context, body, plan.automata);
    automata.is_main = context.program.is_main(f);
    automata.entry = entry.clone();
    let (states, _) = states_at_locations(&mut automata, &graph, plan);
    let states = graph.locations.iter().copied().zip(states).collect();
    (automata, states)
}

/// Ascend and descend; and whether the budget was enough.
pub(crate) fn states_at_locations(
    automata: &mut Automata<'_>,
    graph: &Graph,
    plan: Plan,
) -> (Vec<Vec<State>>, bool) {
    let mut product = Product::new(automata, graph, Errors::None);
    let mut search = Search::new(&mut product, ascent(plan));
    let end = search.run();
    let mut states: Vec<Vec<State>> = (0..graph.locations.len())
        .map(|at| search.reached(at).map(|(_, s)| s.clone()).collect())
        .collect();
    drop(search);
    descend(&mut product, &mut states);
    (states, end != End::Budget)
}

/// The search that merges.
fn ascent(plan: Plan) -> search::Options {
    search::Options {
        algorithm: plan.algorithm,
        order: Order::Topological,
        aggregate: Some(CLASSES),
        max_states: plan.max_states,
        ..search::Options::default()
    }
}

struct Run<'a, 'p> {
    automata: &'a mut Automata<'p>,
    graph: &'a Graph,
    plan: Plan,
    statistics: Statistics,
    steps: usize,
    exhausted: bool,
    links: Links,
    /// States left for the search of paths.
    path_states: usize,
    /// In which states others are entered.
    calls: Calls,
}

type Answers = Vec<Option<Answer>>;
type Paths = Vec<(CheckId, Vec<EdgeId>)>;

impl<'p> Run<'_, 'p> {
    fn body(&self) -> &'p Body {
        self.automata.frame.body
    }

    fn exit(&self) -> Option<usize> {
        self.graph.location(self.body().exit)
    }

    /// Ascend, descend, ask.
    fn merged(&mut self) -> (Answers, Vec<State>, Option<Paths>) {
        let exit = self.exit();
        let loops = self.graph.has_loops;
        // Whoever asks for one check need not know what does not lead there.
        let within = self.plan.only.and_then(|check| {
            let edge = check_edges(self.body())[check.0 as usize]?;
            Some(reaching(self.body(), edge))
        });
        let mut product = Product::new(self.automata, self.graph, Errors::None);
        product.within = within;
        if loops {
            product.expansions = Some(Expansions::new(
                self.graph.locations.len(),
                CLASSES as usize,
            ));
        } else {
            product.ask();
        }
        let mut search = Search::new(&mut product, ascent(self.plan));
        let end = search.run();
        self.statistics.add(&search.statistics());
        self.exhausted = end == End::Budget;
        let mut reached: Vec<Vec<State>> = Vec::new();
        if loops {
            for at in 0..self.graph.locations.len() {
                reached.push(search.reached(at).map(|(_, s)| s.clone()).collect());
            }
        }
        let exits: Vec<State> = match exit {
            Some(at) => search.reached(at).map(|(_, s)| s.clone()).collect(),
            None => Vec::new(),
        };
        self.links = Links::of(&search, self.graph.locations.len());
        drop(search);
        self.steps += product.steps;
        if !loops {
            self.calls = product.calls;
            return (product.answers, exits, None);
        }
        product.steps = 0;
        product.ask();
        descend(&mut product, &mut reached);
        self.steps += product.steps;
        self.calls = product.calls;
        let exits = exit.map_or(Vec::new(), |at| std::mem::take(&mut reached[at]));
        (product.answers, exits, None)
    }

    /// One search that keeps all states apart.
    fn apart(&mut self) -> (Answers, Vec<State>, Option<Paths>) {
        let exit = self.exit();
        let body = self.body();
        let mut product = Product::new(self.automata, self.graph, Errors::All);
        product.ask();
        let options = search::Options {
            algorithm: self.plan.algorithm,
            max_states: self.plan.max_states,
            ..search::Options::default()
        };
        let mut search = Search::new(&mut product, options);
        let end = search.run();
        self.statistics.add(&search.statistics());
        self.exhausted = end == End::Budget;
        let mut paths: Paths = Vec::new();
        for &error in search.errors() {
            let check = CheckId((search.at(error) - self.graph.locations.len()) as u32);
            let path = full_path(self.graph, body, &search.labels(error));
            match paths.iter_mut().find(|(c, _)| *c == check) {
                Some((_, known)) if path.len() < known.len() => *known = path,
                Some(_) => {}
                None => paths.push((check, path)),
            }
        }
        let exits = match exit {
            Some(at) => search.reached(at).map(|(_, s)| s.clone()).collect(),
            None => Vec::new(),
        };
        drop(search);
        self.steps += product.steps;
        self.calls = product.calls;
        (product.answers, exits, Some(paths))
    }

    fn verdicts(&mut self, answers: &Answers, paths: Option<Paths>) -> Vec<Verdict> {
        let edges = check_edges(self.body());
        let mut verdicts = Vec::with_capacity(answers.len());
        for (i, answer) in answers.iter().enumerate() {
            let check = CheckId(i as u32);
            let known = |paths: &Paths| {
                paths
                    .iter()
                    .find(|(c, _)| *c == check)
                    .map(|(_, p)| p.clone())
            };
            verdicts.push(match (answer, edges[i]) {
                _ if self.exhausted && paths.is_none() => Verdict::Undecided(None),
                (None | Some(Answer::Holds), _) if self.exhausted => Verdict::Undecided(None),
                (None | Some(Answer::Holds), _) | (_, None) => Verdict::Proved,
                (Some(Answer::Latent), _) => Verdict::Latent,
                (Some(Answer::Fails), Some(_)) if !self.is_wanted(check) => Verdict::Unwanted,
                (Some(Answer::Fails), Some(edge)) => match &paths {
                    Some(paths) => known(paths).map_or(Verdict::Undecided(None), Verdict::Fails),
                    None => self
                        .find_path(check, edge)
                        .unwrap_or_else(|| Verdict::Undecided(self.merged_path(edge))),
                },
            });
        }
        verdicts
    }

    fn is_wanted(&self, check: CheckId) -> bool {
        let wanted = self.automata.context.wanted;
        self.plan.only.is_none_or(|only| only == check)
            && wanted.is_none_or(|w| w.contains(&self.body().checks[check].rule))
    }

    /// The shortest path to the failing check, keeping states apart; none if that costs too much.
    fn find_path(&mut self, check: CheckId, edge: EdgeId) -> Option<Verdict> {
        if self.path_states == 0 {
            return None;
        }
        let within = reaching(self.body(), edge);
        let mut product = Product::new(self.automata, self.graph, Errors::Of(check));
        product.within = Some(within);
        let options = search::Options {
            algorithm: Algorithm::Covering,
            order: Order::BreadthFirst,
            max_states: PATH_STATES.min(self.path_states),
            stop_at_first_error: true,
            ..search::Options::default()
        };
        let mut search = Search::new(&mut product, options);
        let end = search.run();
        self.statistics.add(&search.statistics());
        self.path_states = self.path_states.saturating_sub(search.statistics().grey);
        let found = search.errors().first().map(|e| search.labels(*e));
        drop(search);
        self.steps += product.steps;
        let doubted = product.doubted;
        match (found, end) {
            (Some(labels), _) => Some(Verdict::Fails(full_path(self.graph, self.body(), &labels))),
            (None, End::Budget) => None,
            // Kept apart, the states have no evidence, but it may fail.
            (None, _) if doubted => Some(Verdict::Latent),
            (None, _) => Some(Verdict::Refuted),
        }
    }

    /// A path through merged states: the one that the ascent took to the check's location.
    fn merged_path(&self, edge: EdgeId) -> Option<Vec<EdgeId>> {
        let body = self.body();
        let last = self.graph.path_to(body, edge);
        let start = body.edges()[*last.first()?].from;
        let labels = self.links.path(self.graph.location(start)?);
        let mut path = full_path(self.graph, body, &labels);
        path.extend(last);
        Some(path)
    }
}

/// One pass over all locations in order, from the states at loop heads: what they give is as
/// sound as what they were, and no larger than widening made it.
fn descend(product: &mut Product<'_, '_>, reached: &mut [Vec<State>]) {
    let graph = product.graph;
    let mut next: Vec<Vec<(u64, State)>> = vec![Vec::new(); graph.locations.len()];
    if let Some(entry) = graph.location(product.automata.frame.body.entry) {
        let state = product.automata.entry_state();
        next[entry].push((class(graph, entry, &state), state));
    }
    let known = product.expansions.take();
    for at in 0..graph.locations.len() {
        let states: Vec<State> = if graph.is_loop_head(at) {
            reached[at].clone()
        } else {
            next[at].iter().map(|(_, s)| s.clone()).collect()
        };
        let mut arrive = |to: usize, state: State| {
            let Some(here) = next.get_mut(to) else { return };
            let key = class(graph, to, &state);
            let full = here.len() >= CLASSES as usize;
            let slot = match here.iter().position(|(k, _)| *k == key) {
                Some(i) => Some(i),
                None if full => Some(CLASSES as usize - 1),
                None => None,
            };
            match slot {
                Some(i) => here[i].1 = here[i].1.join(&state),
                None => here.push((key, state)),
            }
        };
        for state in states {
            match known.as_ref().and_then(|known| known.find(at, &state)) {
                Some(same) => {
                    product.note(&same.told);
                    for (to, state) in &same.leaves {
                        arrive(*to, state.clone());
                    }
                }
                None => product.expand(at, state, |_, to, state| arrive(to, state)),
            }
        }
    }
    for (at, states) in next.into_iter().enumerate() {
        reached[at] = states.into_iter().map(|(_, s)| s).collect();
    }
}
