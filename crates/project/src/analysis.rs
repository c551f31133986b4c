//! What is read off a [`Model`]: the projection, witnesses, and what holds on failing paths.

use crate::model::{At, Model};
use ir::arena::Id;
use ir::{EdgeId, FuncId};
use wpds::weights::Relations;
use wpds::{Functional, Query, Symbol, projection, stores};

/// Longer witnesses are not shown.
const LONGEST: usize = 20_000;

/// The decision diagrams did not fit into their room, or a witness would be too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

/// An edge on a witness: of which function, and how many calls deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub function: FuncId,
    pub edge: EdgeId,
    pub depth: usize,
}

/// Which values a fact has on failing paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    pub may_be_true: bool,
    pub may_be_false: bool,
}

/// All answers about a [`Model`].
pub struct Analysis<'m> {
    model: &'m Model,
    query: Query<'m, Relations>,
    inside: Vec<bool>,
}

impl<'m> Analysis<'m> {
    /// post*, pre*, and the error projection.
    pub fn new(model: &'m Model) -> Result<Analysis<'m>, Exhausted> {
        let query = Query::recorded(
            &model.system,
            model.relations(),
            &model.source(),
            &model.target(),
        );
        let inside = projection(
            &query.functional(),
            model.relations(),
            model.system.symbols(),
        );
        let analysis = Analysis {
            model,
            query,
            inside,
        };
        match model.relations().vocabulary().exhausted() {
            true => Err(Exhausted),
            false => Ok(analysis),
        }
    }

    fn contains(&self, symbol: Symbol) -> bool {
        self.inside
            .get(symbol.index())
            .is_some_and(|inside| *inside)
    }

    /// Can the check fail at all, as far as facts can tell?
    pub fn can_fail(&self) -> bool {
        self.contains(self.model.goal)
    }

    /// By edge of the function with this index: can a failing run take it?
    pub fn edges(&self, function: usize) -> Vec<bool> {
        let Some(entered) = self.model.functions.get(function) else {
            return Vec::new();
        };
        let inside = |symbol: &Option<Symbol>| symbol.is_some_and(|s| self.contains(s));
        entered.edges.iter().map(inside).collect()
    }

    /// By node of the function with this index: can a failing run come there?
    pub fn nodes(&self, function: usize) -> Vec<bool> {
        let Some(entered) = self.model.functions.get(function) else {
            return Vec::new();
        };
        let inside = |symbol: &Option<Symbol>| symbol.is_some_and(|s| self.contains(s));
        entered.nodes.iter().map(inside).collect()
    }

    /// The shortest of [`Analysis::witnesses`]; nothing if there is none.
    pub fn witness(
        &self,
        function: usize,
        edges: &[EdgeId],
    ) -> Result<Option<Vec<Step>>, Exhausted> {
        Ok(self.witnesses(function, edges)?.into_iter().next())
    }

    /// A failing path through each of these edges of a function that has one, the shortest first. The last edge of each is
    /// the check's.
    pub fn witnesses(
        &self,
        function: usize,
        edges: &[EdgeId],
    ) -> Result<Vec<Vec<Step>>, Exhausted> {
        let inside = self.inside_of(function, edges);
        let all = self.read_off(&self.query, &inside)?;
        // What is inside has a witness, unless it is too long.
        match all.is_empty() && !inside.is_empty() {
            true => Err(Exhausted),
            false => Ok(all),
        }
    }

    /// The same among paths that take none of the edges of `avoided`.
    pub fn witnesses_without(
        &self,
        function: usize,
        edges: &[EdgeId],
        avoided: &[(FuncId, EdgeId)],
    ) -> Result<Vec<Vec<Step>>, Exhausted> {
        let mut symbols: Vec<Symbol> = Vec::new();
        for entered in &self.model.functions {
            let here = avoided.iter().filter(|(f, _)| *f == entered.function);
            symbols.extend(here.filter_map(|(_, e)| entered.edges.get(e.index()).copied()?));
        }
        let system = self.model.system.without(&symbols);
        let query = Query::recorded(
            &system,
            self.model.relations(),
            &self.model.source(),
            &self.model.target(),
        );
        self.read_off(&query, &self.inside_of(function, edges))
    }

    /// The symbols of edges that failing runs can take.
    fn inside_of(&self, function: usize, edges: &[EdgeId]) -> Vec<Symbol> {
        let Some(entered) = self.model.functions.get(function) else {
            return Vec::new();
        };
        let symbols = edges
            .iter()
            .filter_map(|e| entered.edges.get(e.index()).copied().flatten());
        symbols.filter(|s| self.contains(*s)).collect()
    }

    fn read_off(
        &self,
        query: &Query<'_, Relations>,
        symbols: &[Symbol],
    ) -> Result<Vec<Vec<Step>>, Exhausted> {
        if symbols.is_empty() {
            return Ok(Vec::new());
        }
        let functional: Functional<'_, _> = query.functional();
        let mut all: Vec<Vec<Step>> = Vec::new();
        for symbol in symbols {
            let witness = query.witness_through(&functional, *symbol, LONGEST);
            let Some(witness) = witness else { continue };
            let mut steps = Vec::new();
            query
                .system()
                .walk(&witness.start, &witness.rules, |_, _, stack| {
                    if let Some(top) = stack.last()
                        && let Some(meaning) = self.model.meanings.get(top.index())
                        && let At::Edge(edge) = meaning.at
                    {
                        steps.push(Step {
                            function: self.model.functions[meaning.function].function,
                            edge,
                            depth: stack.len() - 1,
                        });
                    }
                });
            if !all.contains(&steps) {
                all.push(steps);
            }
        }
        all.sort_by_key(Vec::len);
        match self.model.relations().vocabulary().exhausted() {
            true => Err(Exhausted),
            false => Ok(all),
        }
    }

    /// What the facts of a function are before these edges, on failing paths; nothing if none passes there.
    pub fn facts(
        &self,
        function: usize,
        edges: &[EdgeId],
    ) -> Result<Option<Vec<Values>>, Exhausted> {
        let Some(entered) = self.model.functions.get(function) else {
            return Ok(None);
        };
        let symbols = self.inside_of(function, edges);
        if symbols.is_empty() {
            return Ok(None);
        }
        let relations = self.model.relations();
        let v = relations.vocabulary();
        let all = stores::exact(&self.query.functional(), relations, symbols);
        let mut formula = v.constant(false);
        for set in &all {
            formula = v.or(&formula, set.formula());
        }
        let mut values = Vec::new();
        for i in 0..entered.facts.len() {
            let bit = v.now(self.model.formulas.bit(i));
            values.push(Values {
                may_be_true: !v.is_false(&v.and(&formula, &bit)),
                may_be_false: !v.is_false(&v.minus(&formula, &bit)),
            });
        }
        match v.exhausted() {
            true => Err(Exhausted),
            false => Ok(Some(values)),
        }
    }
}
