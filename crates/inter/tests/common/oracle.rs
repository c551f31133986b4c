//! Two other ways to find errors, which know nothing of summaries and derivations.

use super::{Built, Checker};
use inter::{Action, EdgeId, Exit, FunctionId, Machine, NodeId, Path, Place, Property, Step};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Where a run rejects: function, node, state.
pub type Rejection = (FunctionId, NodeId, u16);

/// A call under way: the call, the caller's state before it, the callee.
type Frame = (Place, u16, FunctionId);

/// Explicit executions (§2, rules 1 to 3) with at most `deepest` open calls: where a run rejects, and
/// whether no run was cut short, be it by `deepest` or by `most` program states.
pub fn executions(
    machine: &Built,
    checker: &Checker<'_>,
    deepest: usize,
    most: usize,
) -> (BTreeSet<Rejection>, bool) {
    type State = (Vec<Frame>, FunctionId, NodeId, u16);
    let mut queue: VecDeque<State> = VecDeque::new();
    for root in machine.roots() {
        if let Some(shape) = machine.shape(root) {
            let initial = checker.initial(root).into_iter();
            queue.extend(initial.map(|q| (Vec::new(), root, shape.entry(), q)));
        }
    }
    let mut seen: BTreeSet<State> = queue.iter().cloned().collect();
    let mut found = BTreeSet::new();
    let mut complete = true;
    while let Some((stack, function, node, q)) = queue.pop_front() {
        if checker.is_rejecting(&q) {
            found.insert((function, node, q));
        }
        let mut next = Vec::new();
        let shape = machine.shape(function).expect("entered");
        if let (Some(exit), Some((at, before, callee))) = (shape.exit_at(node), stack.last()) {
            let caller = machine.shape(at.function).expect("entered");
            if let Some(after) = caller.edge(at.edge).after(exit)
                && let Some(q) = checker.leave(before, *at, *callee, exit, &q)
            {
                let rest = stack[..stack.len() - 1].to_vec();
                next.push((rest, at.function, after, q));
            }
        }
        for edge in shape.outgoing(node) {
            let at = Place { function, edge };
            match &shape.edge(edge).action {
                Action::Statement => {
                    let results = checker.step(&q, at).into_iter();
                    let target = shape.edge(edge).target;
                    next.extend(results.map(|q| (stack.clone(), function, target, q)));
                }
                Action::Call { targets, .. } => {
                    for callee in targets {
                        let Some(inner) = machine.shape(*callee) else {
                            continue;
                        };
                        if let Some(entry) = checker.enter(&q, at, *callee) {
                            let mut deeper = stack.clone();
                            deeper.push((at, q, *callee));
                            next.push((deeper, *callee, inner.entry(), entry));
                        }
                    }
                }
            }
        }
        for state in next {
            if state.0.len() > deepest || seen.len() >= most {
                complete = false;
            } else if seen.insert(state.clone()) {
                queue.push_back(state);
            }
        }
    }
    (found, complete)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Control {
    At(u16),
    Back(u16, Exit),
    /// The accepting state of the automaton for pre* of one position.
    Final(Rejection),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Symbol {
    Location(FunctionId, NodeId),
    Frame(Frame),
}

/// The program as a pushdown system, and pre* of each rejecting position, by saturation (for all of
/// them at once: each has an accepting state of its own).
pub fn pre_star(machine: &Built, checker: &Checker<'_>) -> BTreeSet<Rejection> {
    let plain: Vec<u16> = (0..checker.automaton.plain).map(|bit| 1 << bit).collect();
    let functions = || {
        let ids = (0..machine.functions() as u32).map(FunctionId);
        ids.filter_map(|f| machine.shape(f).map(|shape| (f, shape)))
    };
    let mut rules: Vec<(Control, Symbol, Control, Vec<Symbol>)> = Vec::new();
    for (function, shape) in functions() {
        for exit in [Exit::Normal, Exit::Exceptional] {
            let node = shape.exit(exit).expect("both exits");
            let location = Symbol::Location(function, node);
            for q in &plain {
                rules.push((Control::At(*q), location, Control::Back(*q, exit), vec![]));
            }
        }
        for (edge, content) in (0..).map(EdgeId).zip(shape.edges()) {
            let at = Place { function, edge };
            let from = Symbol::Location(function, content.source);
            for q in &plain {
                let here = Control::At(*q);
                match &content.action {
                    Action::Statement => {
                        let to = Symbol::Location(function, content.target);
                        for result in checker.step(q, at) {
                            rules.push((here, from, Control::At(result), vec![to]));
                        }
                    }
                    Action::Call { targets, .. } => {
                        for callee in targets {
                            let Some(inner) = machine.shape(*callee) else {
                                continue;
                            };
                            let frame = Symbol::Frame((at, *q, *callee));
                            if let Some(entry) = checker.enter(q, at, *callee) {
                                let top = Symbol::Location(*callee, inner.entry());
                                rules.push((here, from, Control::At(entry), vec![top, frame]));
                            }
                            for exit in [Exit::Normal, Exit::Exceptional] {
                                for x in &plain {
                                    let after = content.after(exit);
                                    let result = checker.leave(q, at, *callee, exit, x);
                                    if let (Some(after), Some(result)) = (after, result) {
                                        let to = Symbol::Location(function, after);
                                        let back = Control::Back(*x, exit);
                                        rules.push((back, frame, Control::At(result), vec![to]));
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    let mut edges: BTreeMap<(Control, Symbol), BTreeSet<Control>> = BTreeMap::new();
    for (function, shape) in functions() {
        for node in (0..shape.nodes()).map(NodeId) {
            for q in plain.iter().filter(|q| checker.is_rejecting(q)) {
                let target = (Control::At(*q), Symbol::Location(function, node));
                edges.insert(target, [Control::Final((function, node, *q))].into());
            }
        }
    }
    saturate(&rules, &mut edges);
    let mut found = BTreeSet::new();
    for root in machine.roots() {
        let Some(shape) = machine.shape(root) else {
            continue;
        };
        let location = Symbol::Location(root, shape.entry());
        for q in checker.initial(root) {
            let ends = edges.get(&(Control::At(q), location));
            found.extend(ends.into_iter().flatten().filter_map(|end| match end {
                Control::Final(rejection) => Some(*rejection),
                _ => None,
            }));
        }
    }
    found
}

/// If p γ → p′ w is a rule and w leads from p′ to q, then γ leads from p to q. Whatever is below a
/// rejecting position on the stack does not matter: all symbols lead from an accepting state to itself.
fn saturate(
    rules: &[(Control, Symbol, Control, Vec<Symbol>)],
    edges: &mut BTreeMap<(Control, Symbol), BTreeSet<Control>>,
) {
    loop {
        let mut grew = false;
        for (from, symbol, to, word) in rules {
            let mut ends: BTreeSet<Control> = [*to].into();
            for letter in word {
                let mut next = BTreeSet::new();
                for end in ends {
                    match end {
                        Control::Final(_) => drop(next.insert(end)),
                        _ => next.extend(edges.get(&(end, *letter)).into_iter().flatten()),
                    }
                }
                ends = next;
            }
            let known = edges.entry((*from, *symbol)).or_default();
            for end in ends {
                grew |= known.insert(end);
            }
        }
        if !grew {
            return;
        }
    }
}

/// Follows a path step by step; gives where it ends. Panics where it is no execution.
pub fn follow(machine: &Built, checker: &Checker<'_>, path: &Path<u16>) -> Rejection {
    assert!(machine.roots().contains(&path.root));
    assert!(checker.initial(path.root).contains(&path.state));
    let shape = |f| machine.shape(f).expect("a function of the program");
    let mut stack: Vec<Frame> = Vec::new();
    let (mut function, mut node, mut q) = (path.root, shape(path.root).entry(), path.state);
    for step in &path.steps {
        match step {
            Step::Statement { at, state } => {
                let edge = shape(at.function).edge(at.edge);
                assert_eq!((at.function, edge.source), (function, node));
                assert_eq!(edge.action, Action::Statement);
                assert!(checker.step(&q, *at).contains(state));
                (node, q) = (edge.target, *state);
            }
            Step::Enter { at, callee, state } => {
                let edge = shape(at.function).edge(at.edge);
                assert_eq!((at.function, edge.source), (function, node));
                assert!(edge.targets().contains(callee));
                assert_eq!(checker.enter(&q, *at, *callee), Some(*state));
                stack.push((*at, q, *callee));
                (function, node, q) = (*callee, shape(*callee).entry(), *state);
            }
            Step::Leave {
                at,
                callee,
                exit,
                state,
            } => {
                let frame = stack.pop().expect("a call to come back from");
                assert_eq!((frame.0, frame.2), (*at, *callee));
                assert_eq!(function, *callee);
                assert_eq!(shape(function).exit_at(node), Some(*exit));
                assert_eq!(
                    checker.leave(&frame.1, *at, *callee, *exit, &q),
                    Some(*state)
                );
                let after = shape(at.function).edge(at.edge).after(*exit);
                (function, node, q) = (at.function, after.expect("a way on"), *state);
            }
            Step::Over { .. } => panic!("no call is passed over"),
        }
    }
    (function, node, q)
}
