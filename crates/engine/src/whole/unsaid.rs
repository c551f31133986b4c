//! Why a check that can fail is not reported, where that is not for want of a bad value.
//!
//! What is *latent* needs a bad value that nothing in view brings (design.md §7). That is not so where somebody
//! brings one and rigel did not follow it: the function is asked for in a state that was not looked at, since it is
//! too large or too far away from who causes it ([`super::contexts`]), or what was looked at came to no end.
//! Then the check is *undecided*. And it is not the whole truth where a callee can give the bad value, and only the
//! habits of its callers speak against it: that is said.
//!
//! Which checks a state that was cut off is about is found without regard to order: those that depend on a
//! parameter of which something is known there, in this function and in those that it hands it on to.

use super::contexts::Cut;
use super::numbers::Numbers;
use crate::Why;
use crate::habits::Habits;
use crate::origin::spoken_of;
use automata::entry::{Content, Known, is_null_on_evidence};
use automata::summary::Result;
use automata::{Context, Entry};
use ir::arena::Id;
use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{Base, Body, Callee, CheckId, ExprId, FuncId, Stmt, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The reasons.
pub(crate) struct Unsaid<'a, 'p> {
    context: &'a Context<'p>,
    habits: &'a Habits,
    undecided: BTreeMap<(FuncId, CheckId), Why>,
}

impl<'a, 'p> Unsaid<'a, 'p> {
    pub fn new<'c>(
        context: &'a Context<'p>,
        habits: &'a Habits,
        numbers: &Numbers,
        cut: impl Iterator<Item = &'c Cut>,
    ) -> Unsaid<'a, 'p> {
        let mut all = Unsaid {
            context,
            habits,
            undecided: BTreeMap::new(),
        };
        let mut reached: [BTreeSet<(FuncId, u32)>; 2] = Default::default();
        for cut in cut {
            if let Some(f) = numbers.function(cut.number) {
                let bad = bad_params(&cut.entry);
                reached[usize::from(cut.large)].extend(bad.map(|param| (f, param)));
            }
        }
        let [far, large] = reached;
        // Of two reasons the one that is nearer.
        all.follow(large, Why::Size);
        all.follow(far, Why::Distance);
        all
    }

    /// A look did not settle the check. The first reason counts.
    pub fn note(&mut self, at: (FuncId, CheckId), why: Why) {
        self.undecided.entry(at).or_insert(why);
    }

    /// Why nobody knows whether somebody brings the bad value that a check needs; none: nobody does.
    pub fn undecided(&self, f: FuncId, check: CheckId) -> Option<Why> {
        self.undecided.get(&(f, check)).copied()
    }

    /// Why a check is latent.
    pub fn latent(&self, f: FuncId, check: CheckId) -> Why {
        self.relied_on(f, check).unwrap_or(Why::Unacknowledged)
    }

    /// Notes the checks that depend on parameters, and on those that get them from these.
    fn follow(&mut self, mut seen: BTreeSet<(FuncId, u32)>, why: Why) {
        let mut work: BTreeMap<FuncId, BTreeSet<u32>> = BTreeMap::new();
        for (f, param) in &seen {
            work.entry(*f).or_default().insert(*param);
        }
        while let Some((f, params)) = work.pop_first() {
            let Some(body) = &self.context.program.functions[f].body else {
                continue;
            };
            let flow = Flow::new(body);
            let depends = |items: Vec<Item>| flow.params(items).any(|p| params.contains(&p));
            for edge in body.edges().values() {
                match &edge.stmt {
                    Stmt::Check(check) => {
                        let mut items = Vec::new();
                        statement_items(body, &edge.stmt, &mut |item| items.push(item));
                        if depends(items) {
                            self.note((f, *check), why);
                        }
                    }
                    Stmt::Call(call) => {
                        let Callee::Direct(callee) = call.callee else {
                            continue;
                        };
                        for (arg, i) in call.args.iter().zip(0..) {
                            if depends(vec![Item::Expr(*arg)]) && seen.insert((callee, i)) {
                                work.entry(callee).or_default().insert(i);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The callee that may give the null that the check needs, though its callers rely on that it does not.
    fn relied_on(&self, f: FuncId, check: CheckId) -> Option<Why> {
        let body = self.context.program.functions.get(f)?.body.as_ref()?;
        let condition = &body.checks.get(check)?.condition;
        let mut seen = vec![false; body.vars.len()];
        let mut work = vec![body.places[spoken_of(body, condition)?].as_var()?];
        while let Some(v) = work.pop() {
            if std::mem::replace(&mut seen[v.index()], true) {
                continue;
            }
            for edge in body.edges().values() {
                match &edge.stmt {
                    Stmt::Assign { place, value } if body.places[*place].as_var() == Some(v) => {
                        let from = body.loaded(*value).and_then(|p| body.places[p].as_var());
                        work.extend(from);
                    }
                    Stmt::Call(call) => {
                        let result = call.result.and_then(|p| body.places[p].as_var());
                        if let (Callee::Direct(callee), true) = (call.callee, result == Some(v))
                            && let Some(why) = self.is_relied_on(callee)
                        {
                            return Some(why);
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    fn is_relied_on(&self, callee: FuncId) -> Option<Why> {
        let gives = self.context.summaries.get(callee).map(|s| s.result);
        let null = match gives {
            Some(Result::Pointer(null)) => is_null_on_evidence(null),
            _ => self.context.recursion.gives_null(callee),
        };
        let sites = self.habits.sites.get(callee.index())?;
        let trusted = self.habits.trusted.get(callee.index()) == Some(&true);
        (null && trusted).then_some(Why::Relied {
            callee,
            untested: sites.all - sites.tested,
            calls: sites.all,
        })
    }
}

/// The parameters that may be bad, or lead to what is, in a state that a function is asked for in.
fn bad_params(entry: &Entry) -> impl Iterator<Item = u32> {
    let mut params = BTreeSet::new();
    if let Entry::Given(given) = entry {
        for (access, content) in given.iter() {
            let is_bad = match &content.value {
                Known::Nothing => false,
                Known::Number(_) => true,
                Known::Pointer(r) => {
                    is_null_on_evidence(r.null) || r.room.is_some() || !r.functions.is_empty()
                }
            };
            if is_bad || content.definition != Content::ANY.definition {
                params.insert(access.param);
            }
        }
    }
    params.into_iter()
}

/// What the values of a body are computed from.
struct Flow<'p> {
    body: &'p Body,
    /// What each variable is assigned.
    assigned: Vec<Vec<ExprId>>,
}

impl<'p> Flow<'p> {
    fn new(body: &'p Body) -> Flow<'p> {
        let mut assigned = vec![Vec::new(); body.vars.len()];
        for edge in body.edges().values() {
            if let Stmt::Assign { place, value } = edge.stmt
                && let Base::Var(v) = body.places[place].base
            {
                assigned[v.index()].push(value);
            }
        }
        Flow { body, assigned }
    }

    /// The parameters that these are computed from, or found by.
    fn params(&self, mut items: Vec<Item>) -> impl Iterator<Item = u32> {
        let mut params: BTreeSet<u32> = BTreeSet::new();
        let mut exprs = vec![false; self.body.exprs.len()];
        let mut vars = vec![false; self.body.vars.len()];
        while let Some(item) = items.pop() {
            match item {
                Item::Expr(e) => {
                    if !std::mem::replace(&mut exprs[e.index()], true) {
                        expr_items(&self.body.exprs[e], &mut |item| items.push(item));
                    }
                }
                Item::Place(p) => {
                    let place = &self.body.places[p];
                    place_items(place, &mut |item| items.push(item));
                    if let Base::Var(v) = place.base
                        && !std::mem::replace(&mut vars[v.index()], true)
                    {
                        params.extend(self.param(v));
                        items.extend(self.assigned[v.index()].iter().map(|e| Item::Expr(*e)));
                    }
                }
            }
        }
        params.into_iter()
    }

    fn param(&self, v: VarId) -> Option<u32> {
        let at = self.body.params.iter().position(|p| *p == v)?;
        u32::try_from(at).ok()
    }
}
