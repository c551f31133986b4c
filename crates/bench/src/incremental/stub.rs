//! Functions without their bodies, as the paper's experiment has them (§6).

use ir::arena::Id;
use ir::body::Parts;
use ir::{
    Arena, Base, Body, CallGraph, Edge, FuncId, HavocReason, NodeId, Place, Program, Span, Stmt,
    VarId,
};

/// The functions with a body that a run can reach, in id order.
pub fn reachable(program: &Program) -> Vec<FuncId> {
    let graph = CallGraph::new(program);
    let mut seen = vec![false; program.functions.len()];
    let mut open: Vec<FuncId> = graph.roots().to_vec();
    while let Some(f) = open.pop() {
        if !std::mem::replace(&mut seen[f.index()], true) {
            open.extend(graph.callees(f));
        }
    }
    let bodies = program.bodies().map(|(f, ..)| f);
    bodies.filter(|f| seen[f.index()]).collect()
}

/// Takes bodies out, each replaced by one that returns at once: any value, no effects.
pub fn stub(program: &mut Program, functions: &[FuncId]) -> Vec<Option<Body>> {
    let take = |f: &FuncId| {
        let body = &mut program.functions[*f].body;
        let stub = body.as_ref().map(empty);
        std::mem::replace(body, stub)
    };
    functions.iter().map(take).collect()
}

/// Puts them back.
pub fn restore(program: &mut Program, functions: &[FuncId], bodies: Vec<Option<Body>>) {
    for (f, body) in functions.iter().zip(bodies) {
        program.functions[*f].body = body;
    }
}

fn empty(body: &Body) -> Body {
    let kept = body.params.iter().chain(&body.ret);
    let kept: Vec<_> = kept.map(|v| body.vars[*v].clone()).collect();
    let params: Vec<VarId> = (0..body.params.len()).map(VarId::from_index).collect();
    let ret = body.ret.map(|_| VarId::from_index(params.len()));
    let mut places = Arena::new();
    let stmt = match ret {
        Some(ret) => Stmt::Havoc {
            place: places.push(Place {
                base: Base::Var(ret),
                projections: Default::default(),
                ty: kept[ret.index()].ty,
            }),
            reason: HavocReason::InlineAssembly,
        },
        None => Stmt::Skip,
    };
    let [entry, exit] = [NodeId(0), NodeId(1)];
    Body::new(Parts {
        vars: kept.into(),
        params,
        ret,
        exprs: Arena::new(),
        places,
        checks: Arena::new(),
        node_count: 2,
        entry,
        exit,
        unwind: None,
        // As many: tables of addresses refer to them by number.
        labels: vec![exit; body.labels.len()],
        edges: vec![Edge {
            from: entry,
            to: exit,
            stmt,
            span: Span::NONE,
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_returns_anything_and_comes_off_again() {
        let text = "unit \"a.c\"
            fn f(p: i32*) -> i32 {
                0: *p = 7
                1: return 3
                2: exit
            }
            fn unused() -> void { 0: exit }
            fn main() -> i32 {
                temp $: i32
                0: $ = f(null)
                1: return $
                2: exit
            }";
        let mut program = match ir::text::parse(text) {
            Ok(program) => program,
            Err(e) => panic!("{e}"),
        };
        let before = program.clone();
        let all = reachable(&program);
        let names: Vec<&str> = all.iter().map(|f| program.function_name(*f)).collect();
        assert_eq!(names, ["f", "main"]);
        let bodies = stub(&mut program, &all);
        assert_eq!(ir::validate(&program), Ok(()));
        let f = program.functions[all[0]].body.as_ref().unwrap();
        assert_eq!(f.edges().len(), 1);
        assert_eq!((f.params.len(), f.ret.is_some()), (1, true));
        restore(&mut program, &all, bodies);
        assert_eq!(ir::print(&program), ir::print(&before));
    }
}
