//! The shape of a body: the locations of the search, their order, and which variables still
//! matter there.
//!
//! States are kept only where paths meet: at the entry, at nodes with several edges into them,
//! at the exits. Between two such *locations* a path is determined by its last edge, and a state
//! is moved along it without being copied.

mod liveness;

use ir::arena::Id;
use ir::walk::{Item, Once};
use ir::{Base, Body, EdgeId, ExprId, ExprKind, NodeId, Stmt, VarId, VarKind};
use liveness::{BitRows, liveness};

pub struct Graph {
    /// The location of a node, if it is one.
    location: Vec<Option<u32>>,
    /// The nodes that are locations, in topological order (loops apart).
    pub locations: Vec<NodeId>,
    /// Is it entered by an edge from below?
    loop_head: Vec<bool>,
    pub has_loops: bool,
    /// The one edge into a node that is no location.
    entering: Vec<Option<EdgeId>>,
    /// Per location: variables whose value can still be used.
    live: BitRows,
    /// Per location: variables that a check speaks of later.
    checked: BitRows,
    /// Variables whose address is taken: always live.
    exposed: Vec<bool>,
    /// Variables that only take values which the text states.
    flags: Vec<bool>,
    /// The location of the exit.
    exit: Option<u32>,
    /// The result, and what is only there to become it: `$` of `$ = a ? b : c; return $`.
    results: Vec<VarId>,
    /// Result and parameters.
    told: Vec<VarId>,
}

impl Graph {
    /// For an analysis that ends in a summary, which speaks of the result and the parameters.
    pub fn of(body: &Body) -> Graph {
        let results = body.ret.map_or(Vec::new(), |ret| results(body, ret));
        Graph::new(body, results.iter().chain(&body.params).copied().collect())
    }

    /// For a search of paths: at the exit nothing matters any more.
    pub fn of_paths(body: &Body) -> Graph {
        Graph::new(body, Vec::new())
    }

    fn new(body: &Body, told: Vec<VarId>) -> Graph {
        let nodes = body.node_count as usize;
        let (order, back) = postorder(body);
        let mut into = vec![0u32; nodes];
        let mut entering = vec![None; nodes];
        let mut reached = vec![false; nodes];
        for &n in &order {
            reached[n.index()] = true;
        }
        for (id, e) in body.edges().iter() {
            if reached[e.from.index()] {
                into[e.to.index()] += 1;
                entering[e.to.index()] = Some(id);
            }
        }
        let is_location = |n: NodeId| {
            n == body.entry
                || n == body.exit
                || Some(n) == body.unwind
                || into[n.index()] > 1
                || back[n.index()]
        };
        let locations: Vec<NodeId> = order
            .iter()
            .rev()
            .copied()
            .filter(|n| is_location(*n))
            .collect();
        let mut location = vec![None; nodes];
        for (i, n) in locations.iter().enumerate() {
            location[n.index()] = Some(i as u32);
        }
        let loop_head: Vec<bool> = locations.iter().map(|n| back[n.index()]).collect();
        // A temporary has become the result by then.
        let at_exit = told.iter().copied();
        let at_exit: Vec<VarId> = at_exit
            .filter(|v| body.vars[*v].kind != VarKind::Temp || body.ret == Some(*v))
            .collect();
        let (live, checked) = liveness(body, &order, &locations, &at_exit);
        Graph {
            has_loops: loop_head.contains(&true),
            loop_head,
            entering,
            live,
            checked,
            exposed: body.vars.values().map(|v| v.address_taken).collect(),
            flags: flags(body),
            exit: location[body.exit.index()],
            results: body.ret.map_or(Vec::new(), |ret| results(body, ret)),
            told,
            location,
            locations,
        }
    }

    pub fn location(&self, node: NodeId) -> Option<usize> {
        self.location[node.index()].map(|i| i as usize)
    }

    pub fn is_loop_head(&self, location: usize) -> bool {
        self.loop_head[location]
    }

    /// Can the value of the variable still be used?
    pub fn is_live(&self, location: usize, v: VarId) -> bool {
        self.exposed[v.index()] || self.live.has(location, v.index())
    }

    /// Does the variable only take values that the text states, as a flag does and a counter does not?
    pub fn is_flag(&self, v: VarId) -> bool {
        self.flags[v.index()]
    }

    /// The variables that a check speaks of later, before they are written again.
    pub fn checked_later(&self, location: usize) -> impl Iterator<Item = VarId> + '_ {
        let row = self.checked.row(location);
        row.iter().enumerate().flat_map(|(w, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                if bits == 0 {
                    return None;
                }
                let i = bits.trailing_zeros();
                bits &= bits - 1;
                Some(VarId(w as u32 * 64 + i))
            })
        })
    }

    /// From where the result is set, the variables that the function's summary speaks of.
    pub fn told(&self, location: usize) -> impl Iterator<Item = VarId> + '_ {
        let set = |v: &VarId| self.live.has(location, v.index());
        let here = self.exit == Some(location as u32) || self.results.iter().any(set);
        self.told.iter().copied().filter(move |_| here)
    }

    /// The edges that lead from a location to the given edge, which is the last of them.
    pub fn path_to(&self, body: &Body, last: EdgeId) -> Vec<EdgeId> {
        let mut path = vec![last];
        let mut node = body.edges()[last].from;
        while self.location[node.index()].is_none() {
            let Some(edge) = self.entering[node.index()] else {
                break;
            };
            path.push(edge);
            node = body.edges()[edge].from;
        }
        path.reverse();
        path
    }
}

/// The result, and the temporaries that are assigned to it.
fn results(body: &Body, ret: VarId) -> Vec<VarId> {
    let mut all = vec![ret];
    for edge in body.edges().values() {
        if let Stmt::Assign { place, value } = edge.stmt
            && body.places[place].as_var() == Some(ret)
            && let Some(v) = body.loaded(value).and_then(|p| body.places[p].as_var())
            && body.vars[v].kind == VarKind::Temp
            && !all.contains(&v)
        {
            all.push(v);
        }
    }
    all
}

/// The nodes that the entry reaches, in postorder, and which of them an edge enters from below.
fn postorder(body: &Body) -> (Vec<NodeId>, Vec<bool>) {
    let nodes = body.node_count as usize;
    let mut back = vec![false; nodes];
    // 0 new, 1 on the stack, 2 done.
    let mut color = vec![0u8; nodes];
    let mut order = Vec::with_capacity(nodes);
    let mut stack: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    let targets = |n: NodeId| -> Vec<NodeId> { body.out_edges(n).map(|(_, e)| e.to).collect() };
    color[body.entry.index()] = 1;
    stack.push((body.entry, targets(body.entry)));
    while let Some((node, left)) = stack.last_mut() {
        match left.pop() {
            Some(next) => match color[next.index()] {
                0 => {
                    color[next.index()] = 1;
                    let of_next = targets(next);
                    stack.push((next, of_next));
                }
                1 => back[next.index()] = true,
                _ => {}
            },
            None => {
                color[node.index()] = 2;
                order.push(*node);
                stack.pop();
            }
        }
    }
    (order, back)
}

/// The variables that are assigned constants, or one of several, and nothing else.
fn flags(body: &Body) -> Vec<bool> {
    let mut flags: Vec<bool> = body.vars.values().map(|v| !v.address_taken).collect();
    for v in &body.params {
        flags[v.index()] = false;
    }
    for edge in body.edges().values() {
        let (place, value) = match &edge.stmt {
            Stmt::Assign { place, value } => (Some(*place), Some(*value)),
            Stmt::Havoc { place, .. } => (Some(*place), None),
            Stmt::Call(call) => (call.result, None),
            _ => continue,
        };
        let base = place.map(|p| body.places[p].base);
        if let Some(Base::Var(v)) = base
            && !value.is_some_and(|value| is_stated(body, v, value))
        {
            flags[v.index()] = false;
        }
    }
    flags
}

/// Is the value a constant, or one of several, or what the variable held before?
fn is_stated(body: &Body, v: VarId, value: ExprId) -> bool {
    let mut items = Once::default();
    items.push(Item::Expr(value));
    while let Some(item) = items.pop() {
        let Item::Expr(e) = item else { return false };
        match body.exprs[e].kind {
            ExprKind::Int(_) => {}
            ExprKind::Load(p) if body.places[p].as_var() == Some(v) => {}
            ExprKind::Select(_, a, b) => [a, b]
                .map(Item::Expr)
                .into_iter()
                .for_each(|e| items.push(e)),
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::liveness::uses;
    use super::*;
    use ir::build::BodyBuilder;
    use ir::{BinaryOp, Span, TypeId};

    /// As trees these expressions have 2^60 parts.
    #[test]
    fn shared_parts_are_visited_once() {
        let mut program = ir::Program::default();
        let mut b = BodyBuilder::new();
        let x = b.var(&mut program.symbols, "x", TypeId::I32, VarKind::Param);
        let y = b.var(&mut program.symbols, "y", TypeId::I32, VarKind::Local);
        let condition = b.load_var(x);
        let (mut sum, mut chosen) = (condition, b.int(&program.types, 0, TypeId::I32));
        for _ in 0..60 {
            sum = b.binary(BinaryOp::Add, sum, sum);
            chosen = b.expr(ExprKind::Select(condition, chosen, chosen), TypeId::I32);
        }
        let (entry, x_place, y_place) = (b.node(), b.var_place(x), b.var_place(y));
        let assign = |place, value| Stmt::Assign { place, value };
        let middle = b.step(entry, assign(y_place, chosen), Span::NONE);
        let exit = b.step(middle, assign(x_place, sum), Span::NONE);
        let body = b.finish(entry, exit);
        let graph = Graph::of(&body);
        let entry = graph.location(body.entry).unwrap();
        assert!(graph.is_live(entry, x) && !graph.is_live(entry, y));
        assert!(graph.is_flag(y) && !graph.is_flag(x));
        let mut read = Vec::new();
        let set = uses(
            &body,
            &assign(x_place, sum),
            &mut Once::default(),
            &mut read,
        );
        assert_eq!((set, read), (Some(x), vec![x]));
    }
}
