//! What a Boolean program does, one configuration after the other: the truth for small programs.

use std::collections::{BTreeMap, BTreeSet};

use bp::{Action, Expression, Function, Operator, Program, Statement};

/// A call: function, place in its code, variables by name.
type Frame = (usize, usize, BTreeMap<String, bool>);
/// Globals, and the calls, the innermost last.
type Point = (BTreeMap<String, bool>, Vec<Frame>);

enum Code<'p> {
    Statement(&'p Statement),
    Jump(usize),
    /// The head of a conditional: where to go.
    Branch(&'p Statement, &'p Expression, usize, usize),
    End(u32),
}

pub struct Machine<'p> {
    program: &'p Program,
    code: Vec<(Vec<Code<'p>>, BTreeMap<&'p str, usize>)>,
}

/// The lines through which failing runs lead, and whether some runs were left out.
pub struct Truth {
    pub lines: BTreeSet<u32>,
    pub cut: bool,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program) -> Self {
        let code = program.functions.iter().map(|function| {
            let mut code = Vec::new();
            let mut labels = BTreeMap::new();
            emit(&function.body, &mut code, &mut labels);
            code.push(Code::End(function.end.line));
            (code, labels)
        });
        Machine {
            program,
            code: code.collect(),
        }
    }

    fn frames(&self, function: usize, arguments: &[bool]) -> Vec<Frame> {
        let f = &self.program.functions[function];
        let mut all = vec![BTreeMap::new()];
        for (name, value) in f.parameters.iter().zip(arguments) {
            all.iter_mut().for_each(|v: &mut BTreeMap<String, bool>| {
                v.insert(name.text.clone(), *value);
            });
        }
        for name in &f.locals {
            all = with_any(all, &name.text);
        }
        all.into_iter().map(|v| (function, 0, v)).collect()
    }

    pub fn explore(&self, height: usize, most: usize) -> Truth {
        let main = self
            .program
            .functions
            .iter()
            .position(|f| f.name.text == "main");
        let mut globals = vec![BTreeMap::new()];
        for global in &self.program.globals {
            globals = with_any(globals, &global.text);
        }
        let mut numbers: BTreeMap<Point, usize> = BTreeMap::new();
        let mut points: Vec<Point> = Vec::new();
        for globals in globals {
            for frame in self.frames(main.expect("there is a main"), &[]) {
                points.push((globals.clone(), vec![frame]));
            }
        }
        for (i, point) in points.iter().enumerate() {
            numbers.insert(point.clone(), i);
        }
        let mut edges: Vec<Vec<usize>> = Vec::new();
        let mut failing: Vec<bool> = Vec::new();
        let mut cut = false;
        let mut next = 0;
        while let Some(point) = points.get(next).cloned() {
            let (successors, fails) = self.step(&point);
            let mut to = Vec::new();
            for successor in successors {
                let known = numbers.get(&successor).copied();
                if known.is_none() && (successor.1.len() > height || points.len() >= most) {
                    cut = true;
                    continue;
                }
                to.push(known.unwrap_or_else(|| {
                    numbers.insert(successor.clone(), points.len());
                    points.push(successor);
                    points.len() - 1
                }));
            }
            edges.push(to);
            failing.push(fails);
            next += 1;
        }
        loop {
            let mut changed = false;
            for i in (0..points.len()).rev() {
                if !failing[i] && edges[i].iter().any(|to| failing[*to]) {
                    failing[i] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let lines = (0..points.len()).filter(|i| failing[*i]);
        Truth {
            lines: lines.filter_map(|i| self.line(&points[i])).collect(),
            cut,
        }
    }

    fn line(&self, (_, frames): &Point) -> Option<u32> {
        let (function, at, _) = frames.last()?;
        match &self.code[*function].0[*at] {
            Code::Statement(s) | Code::Branch(s, ..) => Some(s.place.line),
            Code::End(line) => Some(*line),
            Code::Jump(_) => None,
        }
    }

    fn step(&self, point: &Point) -> (Vec<Point>, bool) {
        let (globals, frames) = point;
        let Some(((function, at, locals), callers)) = frames.split_last() else {
            return (Vec::new(), false);
        };
        let f: &Function = &self.program.functions[*function];
        let to = |at: usize| {
            let mut frames = callers.to_vec();
            frames.push((*function, at, locals.clone()));
            (globals.clone(), frames)
        };
        let value = |e: &Expression| values(e, globals, locals, None);
        match &self.code[*function].0[*at] {
            Code::Jump(target) => (vec![to(*target)], false),
            Code::Branch(_, condition, yes, no) => {
                let targets = value(condition).into_iter();
                (
                    targets.map(|v| to(if v { *yes } else { *no })).collect(),
                    false,
                )
            }
            Code::End(_) => {
                let mut results = vec![vec![]];
                for _ in 0..f.returns {
                    results = product(results, &[false, true]);
                }
                (self.back(point, &results), false)
            }
            Code::Statement(statement) => match &statement.action {
                Action::Skip => (vec![to(at + 1)], false),
                Action::Assume(e) => {
                    let go_on = value(e).contains(&true);
                    (if go_on { vec![to(at + 1)] } else { vec![] }, false)
                }
                Action::Assert(e) => {
                    let all = value(e);
                    let go_on = all.contains(&true);
                    (
                        if go_on { vec![to(at + 1)] } else { vec![] },
                        all.contains(&false),
                    )
                }
                Action::Goto(labels) => {
                    let targets = labels
                        .iter()
                        .map(|l| to(self.code[*function].1[l.text.as_str()]));
                    (targets.collect(), false)
                }
                Action::Assign {
                    targets,
                    values: e,
                    constrain,
                } => {
                    let mut all = vec![vec![]];
                    for e in e {
                        all = product(all, &value(e));
                    }
                    let mut successors = Vec::new();
                    for results in all {
                        let mut after = to(at + 1);
                        for (target, result) in targets.iter().zip(results) {
                            set(&mut after, &target.text, result);
                        }
                        let next = (&after.0, &after.1.last().expect("a frame").2);
                        let allowed = constrain
                            .as_ref()
                            .is_none_or(|c| values(c, globals, locals, Some(next)).contains(&true));
                        if allowed {
                            successors.push(after);
                        }
                    }
                    (successors, false)
                }
                Action::Call {
                    function: name,
                    arguments,
                    ..
                } => {
                    let callee = self
                        .program
                        .functions
                        .iter()
                        .position(|f| f.name.text == name.text);
                    let mut all = vec![vec![]];
                    for argument in arguments {
                        all = product(all, &value(argument));
                    }
                    let mut successors = Vec::new();
                    for arguments in all {
                        for frame in self.frames(callee.expect("it is there"), &arguments) {
                            let mut frames = frames.clone();
                            frames.push(frame);
                            successors.push((globals.clone(), frames));
                        }
                    }
                    (successors, false)
                }
                Action::Return(e) => {
                    let mut results = vec![vec![]];
                    for e in e {
                        results = product(results, &value(e));
                    }
                    (self.back(point, &results), false)
                }
                Action::If { .. } | Action::While { .. } => unreachable!("these are branches"),
            },
        }
    }

    fn back(&self, (globals, frames): &Point, results: &[Vec<bool>]) -> Vec<Point> {
        let callers = &frames[..frames.len() - 1];
        let Some((function, at, _)) = callers.last() else {
            return Vec::new();
        };
        let Code::Statement(statement) = &self.code[*function].0[*at] else {
            unreachable!("a caller is at a call");
        };
        let Action::Call { targets, .. } = &statement.action else {
            unreachable!("a caller is at a call");
        };
        let after = |results: &Vec<bool>| {
            let mut point = (globals.clone(), callers.to_vec());
            for (target, result) in targets.iter().zip(results) {
                set(&mut point, &target.text, *result);
            }
            point.1.last_mut().expect("the caller").1 += 1;
            point
        };
        results.iter().map(after).collect()
    }
}

fn emit<'p>(
    statements: &'p [Statement],
    code: &mut Vec<Code<'p>>,
    labels: &mut BTreeMap<&'p str, usize>,
) {
    for statement in statements {
        for label in &statement.labels {
            labels.insert(&label.text, code.len());
        }
        match &statement.action {
            Action::If {
                condition,
                then,
                otherwise,
            } => {
                let head = code.len();
                code.push(Code::Jump(0));
                emit(then, code, labels);
                let jump = code.len();
                code.push(Code::Jump(0));
                code[head] = Code::Branch(statement, condition, head + 1, code.len());
                emit(otherwise, code, labels);
                code[jump] = Code::Jump(code.len());
            }
            Action::While { condition, body } => {
                let head = code.len();
                code.push(Code::Jump(0));
                emit(body, code, labels);
                code.push(Code::Jump(head));
                code[head] = Code::Branch(statement, condition, head + 1, code.len());
            }
            _ => code.push(Code::Statement(statement)),
        }
    }
}

fn with_any(all: Vec<BTreeMap<String, bool>>, name: &str) -> Vec<BTreeMap<String, bool>> {
    let both = |v: BTreeMap<String, bool>| {
        [false, true].map(|value| {
            let mut v = v.clone();
            v.insert(name.to_string(), value);
            v
        })
    };
    all.into_iter().flat_map(both).collect()
}

fn product(all: Vec<Vec<bool>>, values: &[bool]) -> Vec<Vec<bool>> {
    let mut out = Vec::new();
    for row in all {
        for value in values {
            let mut row = row.clone();
            row.push(*value);
            out.push(row);
        }
    }
    out
}

fn set((globals, frames): &mut Point, name: &str, value: bool) {
    let locals = &mut frames.last_mut().expect("a frame").2;
    match locals.get_mut(name) {
        Some(local) => *local = value,
        None => *globals.get_mut(name).expect("it is there") = value,
    }
}

type Store = BTreeMap<String, bool>;

/// All values that an expression can have.
fn values(
    e: &Expression,
    globals: &Store,
    locals: &Store,
    next: Option<(&Store, &Store)>,
) -> Vec<bool> {
    let of = |e: &Expression| values(e, globals, locals, next);
    let combine = |a: &Expression, b: &Expression, f: fn(bool, bool) -> bool| {
        let (a, b) = (of(a), of(b));
        let all = a.iter().flat_map(|a| b.iter().map(move |b| f(*a, *b)));
        all.collect::<BTreeSet<bool>>().into_iter().collect()
    };
    match e {
        Expression::Constant(value) => vec![*value],
        Expression::Any => vec![false, true],
        Expression::Variable(name) => vec![
            *locals
                .get(&name.text)
                .unwrap_or_else(|| &globals[&name.text]),
        ],
        Expression::Next(name) => {
            let (globals, locals) = next.expect("in constrain");
            vec![
                *locals
                    .get(&name.text)
                    .unwrap_or_else(|| &globals[&name.text]),
            ]
        }
        Expression::Not(inner) => of(inner).into_iter().map(|v| !v).collect(),
        Expression::Binary(operator, a, b) => combine(
            a,
            b,
            match operator {
                Operator::And => |a, b| a && b,
                Operator::Or => |a, b| a || b,
                Operator::Xor => |a, b| a != b,
                Operator::Equal => |a, b| a == b,
                Operator::Implies => |a, b| !a || b,
            },
        ),
        Expression::Choice(c, a, b) => {
            let mut all = BTreeSet::new();
            for c in of(c) {
                all.extend(if c { of(a) } else { of(b) });
            }
            all.into_iter().collect()
        }
        Expression::Schoose(yes, no) => {
            let mut all = BTreeSet::new();
            for yes in of(yes) {
                for no in of(no) {
                    all.extend(match (yes, no) {
                        (true, _) => vec![true],
                        (false, true) => vec![false],
                        (false, false) => vec![false, true],
                    });
                }
            }
            all.into_iter().collect()
        }
    }
}
