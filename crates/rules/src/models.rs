//! What a model says of a function is said where the function is called.
//!
//! A model (`front::model`) is a body that says so itself, by a call of `__rigel_model`. Its conditions are mathematics, not code:
//! no rule checks how they are computed. And what it forbids is an error of the caller: its body takes the
//! place of each call (the rule for calls of dual.txt, Fig. 3, with the primitive's formula put in), so that every engine finds,
//! names and keeps the error as one of the caller's own.

use ir::arena::Id;
use ir::compose::{Composed, FrameId, Inlined, Origin, compose};
use ir::{Body, Callee, EdgeId, FuncId, Program, Span, Stmt};

/// The call that says that a body is a model.
const MARK: &str = "__rigel_model";

/// Is the body a model?
pub fn is_model(program: &Program, body: &Body) -> bool {
    let mut edges = body.edges().values();
    edges.any(|edge| is_mark(program, &edge.stmt))
}

fn is_mark(program: &Program, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Call(call) => match call.callee {
            Callee::Direct(f) => program.function_name(f) == MARK,
            Callee::Indirect(_) => false,
        },
        _ => false,
    }
}

/// Of each function, by number: is it a model? None if there are none.
pub(crate) fn models(program: &Program) -> Option<Vec<bool>> {
    let is_mark = |f: &ir::Function| program.name(f.name) == MARK;
    program.functions.values().find(|f| is_mark(f))?;
    let says = |body: &Body| is_model(program, body);
    let all = program.functions.values();
    Some(all.map(|f| f.body.as_ref().is_some_and(says)).collect())
}

/// Puts the bodies of models in place of their calls.
pub(crate) fn expand(program: &mut Program, models: &[bool]) {
    let is_model = |f: FuncId| models.get(f.index()).copied().unwrap_or(false);
    let mut expanded = Vec::new();
    for (root, _, body) in program.bodies().filter(|(f, ..)| !is_model(*f)) {
        let calls = body
            .edges()
            .iter()
            .filter_map(|(call, edge)| match &edge.stmt {
                Stmt::Call(c) => match c.callee {
                    Callee::Direct(callee) if is_model(callee) => Some((edge.from, call, callee)),
                    _ => None,
                },
                _ => None,
            });
        let mut calls: Vec<_> = calls.collect();
        // The outcomes of one call go together.
        calls.dedup_by_key(|(from, ..)| *from);
        let mut inlined: Vec<Inlined> = Vec::new();
        for (_, call, callee) in calls {
            let one = Inlined {
                frame: FrameId::ROOT,
                call,
                callee,
            };
            // A call that does not fit the model's parameters stays what it is.
            if compose(program, root, &[one]).is_ok() {
                inlined.push(one);
            }
        }
        if let (false, Ok(composed)) = (inlined.is_empty(), compose(program, root, &inlined)) {
            expanded.push((root, at_the_calls(program, body, composed)));
        }
    }
    for (root, body) in expanded {
        program.functions[root].body = Some(body);
    }
}

/// The composed body; what a model does happens where it is called.
fn at_the_calls(program: &Program, root: &Body, composed: Composed) -> Body {
    let span = |frame: FrameId| {
        let caller = composed.frames.get(frame).and_then(|f| f.caller);
        let call = caller.and_then(|(_, call)| root.edges().get(call));
        call.map_or(Span::NONE, |edge| edge.span)
    };
    let spans: Vec<Option<Span>> = (composed.body.edges().iter())
        .map(|(edge, _)| match composed.origin(edge) {
            Origin::Own(FrameId::ROOT, _) => None,
            Origin::Own(frame, _)
            | Origin::Enter(frame)
            | Origin::Leave(frame)
            | Origin::Another(frame) => Some(span(frame)),
        })
        .collect();
    let mut body = composed.body;
    for (at, span) in spans.into_iter().enumerate() {
        if let Some(span) = span {
            let edge = body.edge_mut(EdgeId::from_index(at));
            edge.span = span;
            if is_mark(program, &edge.stmt) {
                edge.stmt = Stmt::Skip;
            }
        }
    }
    body
}
