//! Why a check that can fail is not reported, where that is not for want of a bad value.
//!
//! What is *latent* needs a bad value that nothing in view brings (design.md §7). That is not so where somebody
//! brings one and rigel did not follow it: the function is asked for in a state that was not looked at, since it is
//! too large or too far away from who causes it ([`super::contexts`]), or what was looked at came to no end.
//! Then the check is *undecided*. And it is not the whole truth where a callee can give the bad value, and only the
//! habits of its callers speak against it: that is said.
//!
//! Which checks a state that was cut off is about is found without regard to order: those of what may be bad in it,
//! up to copies, in this function and in those that it hands it on to.

use super::contexts::Cut;
use super::decided::{copies, sources};
use super::numbers::Numbers;
use crate::Why;
use crate::habits::Habits;
use crate::origin::spoken_of;
use automata::entry::{Content, Known, Room, is_null_on_evidence};
use automata::summary::Result;
use automata::{Context, Entry};
use ir::arena::Id;
use ir::{Base, Body, Callee, CheckId, Condition, ExprId, ExprKind, FuncId, PlaceId, Stmt, VarId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The reasons.
pub(crate) struct Unsaid<'a, 'p> {
    context: &'a Context<'p>,
    habits: &'a Habits,
    undecided: BTreeMap<(FuncId, CheckId), Why>,
    /// Of the function that was asked about last: its checks are asked about one after the other.
    last: RefCell<Option<Results>>,
}

/// Where the results of calls go in a body.
struct Results {
    of: FuncId,
    copies: Vec<Vec<VarId>>,
    /// Variables, and the callee that each gets a result of.
    given: Vec<(VarId, FuncId)>,
}

impl Results {
    fn new(of: FuncId, body: &Body) -> Results {
        let given = body.edges().values().filter_map(|edge| match &edge.stmt {
            Stmt::Call(call) => match call.callee {
                Callee::Direct(callee) => Some((body.places[call.result?].as_var()?, callee)),
                Callee::Indirect(_) => None,
            },
            _ => None,
        });
        Results {
            of,
            copies: copies(body),
            given: given.collect(),
        }
    }
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
            last: RefCell::new(None),
        };
        let mut reached: [BTreeSet<(FuncId, Bad)>; 2] = Default::default();
        for cut in cut {
            if let Some(f) = numbers.function(cut.number) {
                let bad = bad(context, f, &cut.entry).into_iter();
                reached[usize::from(cut.large)].extend(bad.map(|bad| (f, bad)));
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
        self.given_by(f, check).unwrap_or(Why::Unacknowledged)
    }

    /// Notes the checks that depend on what is bad, and on what others get of it.
    fn follow(&mut self, mut seen: BTreeSet<(FuncId, Bad)>, why: Why) {
        let mut work: BTreeMap<FuncId, BTreeSet<Bad>> = BTreeMap::new();
        for (f, bad) in &seen {
            work.entry(*f).or_default().insert(*bad);
        }
        while let Some((f, bad)) = work.pop_first() {
            let Some(body) = &self.context.program.functions[f].body else {
                continue;
            };
            let flow = Flow::new(body);
            for edge in body.edges().values() {
                match &edge.stmt {
                    Stmt::Check(check) => {
                        let condition = &body.checks[*check].condition;
                        if bad.iter().any(|bad| flow.is_about(condition, *bad)) {
                            self.note((f, *check), why);
                        }
                    }
                    Stmt::Call(call) => {
                        let Callee::Direct(callee) = call.callee else {
                            continue;
                        };
                        for (arg, param) in call.args.iter().zip(0..) {
                            for bad in bad.iter().filter(|bad| flow.is_copy(*arg, bad.param)) {
                                let bad = Bad { param, ..*bad };
                                if seen.insert((callee, bad)) {
                                    work.entry(callee).or_default().insert(bad);
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The callee that may give the bad value that the check needs, and what speaks against it.
    fn given_by(&self, f: FuncId, check: CheckId) -> Option<Why> {
        let body = self.context.program.functions.get(f)?.body.as_ref()?;
        let condition = &body.checks.get(check)?.condition;
        let v = body.places[spoken_of(body, condition)?].as_var()?;
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|last| last.of != f) {
            *last = Some(Results::new(f, body));
        }
        let results = last.as_ref()?;
        let sources = sources(&results.copies, v);
        let callees = results.given.iter().filter(|(to, _)| sources.contains(to));
        let whys: Vec<Why> = callees
            .filter_map(|(_, callee)| self.gives(*callee))
            .collect();
        let relied = |why: &&Why| matches!(why, Why::Relied { .. });
        whys.iter().find(relied).or(whys.first()).copied()
    }

    /// May the function give something bad, and what speaks against it?
    fn gives(&self, callee: FuncId) -> Option<Why> {
        self.context.program.functions[callee].body.as_ref()?;
        let null = match self.context.summaries.get(callee).map(|s| s.result) {
            Some(Result::Pointer(null)) if !null.may_be_null => return None,
            Some(Result::Pointer(null)) => is_null_on_evidence(null),
            _ => self.context.recursion.gives_null(callee),
        };
        let sites = self.habits.sites.get(callee.index())?;
        let trusted = self.habits.trusted.get(callee.index()) == Some(&true);
        Some(match null && trusted {
            true => Why::Relied {
                callee,
                untested: sites.all - sites.tested,
                calls: sites.all,
            },
            false => Why::Answered { callee },
        })
    }
}

/// What may be bad in a state that a function is asked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bad {
    param: u32,
    /// It is a scalar behind the parameter; else the parameter itself.
    behind: bool,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Null,
    Number,
    Room,
    Unwritten,
}

/// What of it callers brought, and what the function's checks ask for.
fn bad(context: &Context<'_>, f: FuncId, entry: &Entry) -> Vec<Bad> {
    let (Entry::Given(given), Some(summary)) = (entry, context.summaries.get(f)) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (access, matters) in summary.sensitive.iter() {
        let Some(content) = given.get(access) else {
            continue;
        };
        let value = match &content.value {
            Known::Number(_) => matters.value.then_some(What::Number),
            Known::Pointer(r) if is_null_on_evidence(r.null) => matters.value.then_some(What::Null),
            Known::Pointer(r) => {
                let small = |room: &Room| {
                    let before = i128::from(room.before);
                    before + i128::from(matters.from) < 0
                        || before + i128::from(matters.to) > i128::from(room.size)
                };
                let small = r.room.as_ref().is_some_and(small);
                (matters.room && small).then_some(What::Room)
            }
            Known::Nothing => None,
        };
        let unwritten = content.definition != Content::ANY.definition;
        let unwritten = (unwritten && matters.definition).then_some(What::Unwritten);
        all.extend(value.into_iter().chain(unwritten).map(|what| Bad {
            param: access.param,
            behind: !access.path.is_empty(),
            what,
        }));
    }
    all
}

/// Which values of a body are whose.
struct Flow<'p> {
    body: &'p Body,
    /// For each variable those that are copied to it.
    copies: Vec<Vec<VarId>>,
}

impl<'p> Flow<'p> {
    fn new(body: &'p Body) -> Flow<'p> {
        Flow {
            body,
            copies: copies(body),
        }
    }

    /// Can it be why the condition does not hold?
    fn is_about(&self, condition: &Condition, bad: Bad) -> bool {
        let fits = match (condition, bad.what) {
            (Condition::Holds(e), What::Null) => is_comparison_with_null(self.body, *e),
            (Condition::Holds(_) | Condition::Unreachable, What::Number) => true,
            (Condition::InBounds { .. }, What::Number | What::Room) => true,
            (Condition::Initialized(_), What::Unwritten) => true,
            _ => false,
        };
        fits && match (condition, bad.what) {
            (Condition::InBounds { pointer, .. }, What::Room) => self.is_copy(*pointer, bad.param),
            _ => {
                let place = spoken_of(self.body, condition);
                place.is_some_and(|place| self.is_it(place, bad))
            }
        }
    }

    /// Is it the value of the place?
    fn is_it(&self, place: PlaceId, bad: Bad) -> bool {
        match self.body.places[place].base {
            Base::Var(v) => !bad.behind && self.is_param(v, bad.param),
            Base::Deref(e) => bad.behind && self.is_copy(e, bad.param),
            Base::Global(_) => false,
        }
    }

    /// Is it the value of a parameter?
    fn is_copy(&self, e: ExprId, param: u32) -> bool {
        let var = self
            .body
            .loaded(e)
            .and_then(|p| self.body.places[p].as_var());
        var.is_some_and(|v| self.is_param(v, param))
    }

    fn is_param(&self, v: VarId, param: u32) -> bool {
        let param = self.body.params.get(param as usize);
        let sources = sources(&self.copies, v);
        param.is_some_and(|param| sources.contains(param))
    }
}

fn is_comparison_with_null(body: &Body, e: ExprId) -> bool {
    match body.exprs[e].kind {
        ExprKind::Compare(_, _, b) => matches!(body.exprs[b].kind, ExprKind::Null),
        _ => false,
    }
}
