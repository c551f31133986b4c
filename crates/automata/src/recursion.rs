//! What functions that call themselves, or each other, give back.
//!
//! While a recursion is analysed the summaries of its functions are not all there, so the result of a call
//! into it can be anything, and must be able to be anything for whatever is proved. *Evidence*
//! (design.md §6) is another matter: what comes out of a recursion was made by one of its statements, and
//! a call whose result is only *handed on* adds nothing to that (summaries are least fixpoints: incremental.txt,
//! Fig. 3). So three things are found from the statements alone, for all functions at once:
//!
//! 1. Calls that stay within the recursion and whose result is only passed on. They are no callers that rely on
//!    something.
//! 2. Parameters that such calls *move*: `return search(p->next)` is a loop, and the null that it ends
//!    with is not one that a caller has passed.
//! 3. Functions that give back a null which the program text states, by themselves or through calls
//!    that are handed on.
//!
//! All of it is a function of the program, and so small that it can be a part of a function's key.

use crate::summary::fixed_params;
use crate::valid::{Valid, is_valid, valid_pointers};
use ir::arena::Id;
use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{
    Base, Body, Call, Callee, CompareOp, Edge, ExprId, ExprKind, FuncId, NodeId, PlaceId, Program,
    Stmt, VarId,
};

/// What is known of the functions of recursions, by id.
#[derive(Clone, Debug, Default)]
pub struct Recursion {
    functions: Vec<Option<Part>>,
}

/// A function of a recursion.
#[derive(Clone, Debug)]
struct Part {
    /// Which recursion.
    of: usize,
    uses: Uses,
    moved: Vec<bool>,
    gives_null: bool,
}

/// A parameter of a function.
type Param = (FuncId, usize);

impl Recursion {
    /// `components`: the strongly connected components of direct calls.
    pub fn new(program: &Program, components: &[Vec<FuncId>]) -> Recursion {
        let mut all = Recursion {
            functions: program.functions.iter().map(|_| None).collect(),
        };
        for (of, component) in components.iter().enumerate() {
            if !is_recursive(program, component) {
                continue;
            }
            for f in component {
                let body = program.functions.get(*f).and_then(|f| f.body.as_ref());
                all.functions[f.index()] = body.map(|body| Part {
                    of,
                    uses: Uses::of(body),
                    moved: vec![false; body.params.len()],
                    gives_null: false,
                });
            }
            all.find_moved(program, component);
            all.find_nulls(program, component);
        }
        all
    }

    /// Does a call stay within the recursion of the function that it is in, which neither follows nor tests what it
    /// gets, but gives it back or puts it into memory? What becomes of it is up to others.
    pub fn passes_on(&self, f: FuncId, body: &Body, call: &Call) -> bool {
        self.becomes(f, body, call, |uses| &uses.passed_on, true)
    }

    /// Does a call stay within the recursion of the function that it is in, which gives back what it gets?
    fn hands_on(&self, f: FuncId, body: &Body, call: &Call) -> bool {
        self.becomes(f, body, call, |uses| &uses.handed_on, false)
    }

    /// Does a call stay within the recursion, and its result become a variable that is one of these? `memory`: what is
    /// no variable.
    fn becomes(
        &self,
        f: FuncId,
        body: &Body,
        call: &Call,
        these: impl Fn(&Uses) -> &[bool],
        memory: bool,
    ) -> bool {
        let (Some(part), Some(_)) = (self.part(f), self.inner(f, call)) else {
            return false;
        };
        let result = call.result.map(|p| body.places[p].as_var());
        result.is_some_and(|v| v.map_or(memory, |v| these(&part.uses)[v.index()]))
    }

    /// The parameters that a call which is handed on gives other values than the caller was given. Empty: none.
    pub fn moved(&self, f: FuncId) -> &[bool] {
        self.part(f).map_or(&[], |part| &part.moved)
    }

    /// Does the function, of a recursion, give back a null that the program text states, and no answer to a null that
    /// it was passed?
    pub fn gives_null(&self, f: FuncId) -> bool {
        self.part(f).is_some_and(|part| part.gives_null)
    }

    fn part(&self, f: FuncId) -> Option<&Part> {
        self.functions.get(f.index())?.as_ref()
    }

    /// Whom the call enters, if that is of the same recursion.
    fn inner(&self, f: FuncId, call: &Call) -> Option<FuncId> {
        let Callee::Direct(callee) = call.callee else {
            return None;
        };
        (self.part(callee)?.of == self.part(f)?.of).then_some(callee)
    }

    /// What is moved comes round: a parameter is, too, if it is given one that is.
    fn find_moved(&mut self, program: &Program, component: &[FuncId]) {
        // A parameter, and the one of its caller that it is given, if it is one.
        let mut passed: Vec<(Param, Option<Param>)> = Vec::new();
        for &f in component {
            let Some(body) = &program.functions[f].body else {
                continue;
            };
            let fixed = fixed_params(body);
            let mut valid: Option<Vec<Valid>> = None;
            for edge in body.edges().values() {
                let Stmt::Call(call) = &edge.stmt else {
                    continue;
                };
                let Some(callee) = self.inner(f, call).filter(|_| self.hands_on(f, body, call))
                else {
                    continue;
                };
                let valid = valid.get_or_insert_with(|| valid_pointers(body));
                for (i, arg) in call.args.iter().enumerate() {
                    if is_valid(body, &valid[edge.from.index()], *arg) {
                        continue;
                    }
                    let var = body.loaded(*arg).and_then(|p| body.places[p].as_var());
                    let own = body.params.iter().position(|p| Some(*p) == var);
                    let same = own.filter(|own| fixed[*own]);
                    passed.push(((callee, i), same.map(|own| (f, own))));
                }
            }
        }
        loop {
            let mut more = false;
            for ((callee, param), from) in &passed {
                let moves = from.is_none_or(|(f, own)| self.moved(f)[own]);
                let part = self.functions[callee.index()].as_mut();
                if let Some(moved) = part.and_then(|part| part.moved.get_mut(*param))
                    && moves
                    && !*moved
                {
                    *moved = true;
                    more = true;
                }
            }
            if !more {
                break;
            }
        }
    }

    fn find_nulls(&mut self, program: &Program, component: &[FuncId]) {
        let mut handed: Vec<(FuncId, FuncId)> = Vec::new();
        let mut work: Vec<FuncId> = Vec::new();
        for &f in component {
            let Some(body) = &program.functions[f].body else {
                continue;
            };
            let calls = body.edges().values().filter_map(|edge| match &edge.stmt {
                Stmt::Call(call) if self.hands_on(f, body, call) => self.inner(f, call),
                _ => None,
            });
            handed.extend(calls.map(|callee| (callee, f)));
            if self.part(f).is_some_and(|part| states_null(body, part)) {
                work.push(f);
            }
        }
        while let Some(f) = work.pop() {
            if let Some(part) = &mut self.functions[f.index()]
                && !part.gives_null
            {
                part.gives_null = true;
                work.extend(handed.iter().filter(|(g, _)| *g == f).map(|(_, by)| *by));
            }
        }
    }
}

fn is_recursive(program: &Program, component: &[FuncId]) -> bool {
    let [f] = component else {
        return true;
    };
    let body = program.functions.get(*f).and_then(|f| f.body.as_ref());
    let itself =
        |edge: &Edge| matches!(&edge.stmt, Stmt::Call(call) if call.callee == Callee::Direct(*f));
    body.is_some_and(|body| body.edges().values().any(itself))
}

/// What becomes of the variables of a body.
#[derive(Clone, Debug)]
struct Uses {
    /// Nothing but the function's result: they are copied to such only.
    handed_on: Vec<bool>,
    /// They are only copied, and so is each copy: nobody follows or tests them here.
    passed_on: Vec<bool>,
}

impl Uses {
    fn of(body: &Body) -> Uses {
        // For each variable those that are copied to it, and how many copies of it are not known to be handed on.
        let mut copied: Vec<Vec<VarId>> = vec![Vec::new(); body.vars.len()];
        let mut open = vec![0usize; body.vars.len()];
        for edge in body.edges().values() {
            if let Some((from, to)) = copy(body, &edge.stmt) {
                open[from.index()] += 1;
                if let Some(to) = body.places[to].as_var() {
                    copied[to.index()].push(from);
                }
            }
        }
        let used = used_otherwise(body);
        let mut handed_on = vec![false; body.vars.len()];
        let mut work: Vec<VarId> = body.ret.into_iter().collect();
        while let Some(v) = work.pop() {
            if std::mem::replace(&mut handed_on[v.index()], true) {
                continue;
            }
            for from in &copied[v.index()] {
                open[from.index()] -= 1;
                if open[from.index()] == 0 && !used[from.index()] {
                    work.push(*from);
                }
            }
        }
        let mut passed_on = vec![true; body.vars.len()];
        work.extend(body.vars.ids().filter(|v| used[v.index()]));
        while let Some(v) = work.pop() {
            if std::mem::replace(&mut passed_on[v.index()], false) {
                work.extend(&copied[v.index()]);
            }
        }
        Uses {
            handed_on,
            passed_on,
        }
    }
}

/// The variables that the code reads for anything else than to copy them.
fn used_otherwise(body: &Body) -> Vec<bool> {
    let mut used: Vec<bool> = body.vars.values().map(|v| v.address_taken).collect();
    let mut seen = vec![false; body.exprs.len()];
    let mut stack = Vec::new();
    for edge in body.edges().values() {
        // A check asks what the code does not.
        if matches!(edge.stmt, Stmt::Check(_)) {
            continue;
        }
        let written = match &edge.stmt {
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
            Stmt::Call(call) => call.result,
            _ => None,
        };
        // What is written is not read, unless as a part of where that is.
        let copied = copy(body, &edge.stmt).is_some();
        statement_items(body, &edge.stmt, &mut |item| match item {
            Item::Place(place) if Some(place) == written => {
                place_items(&body.places[place], &mut |item| stack.push(item));
            }
            Item::Expr(_) if copied => {}
            item => stack.push(item),
        });
        while let Some(item) = stack.pop() {
            match item {
                Item::Place(place) => {
                    let place = &body.places[place];
                    if let Base::Var(v) = place.base {
                        used[v.index()] = true;
                    }
                    place_items(place, &mut |item| stack.push(item));
                }
                Item::Expr(e) => {
                    if !std::mem::replace(&mut seen[e.index()], true) {
                        expr_items(&body.exprs[e], &mut |item| stack.push(item));
                    }
                }
            }
        }
    }
    used
}

/// From which variable a statement copies, and to where.
fn copy(body: &Body, stmt: &Stmt) -> Option<(VarId, PlaceId)> {
    let Stmt::Assign { place, value } = *stmt else {
        return None;
    };
    let from = body.places[body.loaded(value)?].as_var()?;
    Some((from, place))
}

/// Is null assigned to the result, where no parameter is known to be null that only a caller can make so?
fn states_null(body: &Body, part: &Part) -> bool {
    let fixed = fixed_params(body);
    let given = |v: VarId| {
        let param = body.params.iter().position(|p| *p == v);
        param.is_some_and(|i| fixed[i] && !part.moved[i])
    };
    let mut seen = vec![false; body.node_count as usize];
    let mut work: Vec<NodeId> = vec![body.entry];
    while let Some(node) = work.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        for (_, edge) in body.out_edges(node) {
            match edge.stmt {
                Stmt::Assign { place, value } if is_null(body, value) => {
                    let to = body.places[place].as_var();
                    if to.is_some_and(|v| part.uses.handed_on[v.index()]) {
                        return true;
                    }
                }
                Stmt::Assume(e) if null_variable(body, e).is_some_and(given) => continue,
                _ => {}
            }
            work.push(edge.to);
        }
    }
    false
}

fn is_null(body: &Body, mut e: ExprId) -> bool {
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    matches!(body.exprs[e].kind, ExprKind::Null)
}

/// The variable that is null if the condition holds.
fn null_variable(body: &Body, e: ExprId) -> Option<VarId> {
    match body.exprs[e].kind {
        ExprKind::Compare(CompareOp::Eq, a, b) if is_null(body, b) => {
            body.places[body.loaded(a)?].as_var()
        }
        _ => None,
    }
}
