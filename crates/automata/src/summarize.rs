//! From the states at a function's exit to its summary.

use crate::Automata;
use crate::context::Context;
use crate::frame::Shape;
use crate::state::State;
use crate::summary::{Effect, Result, Summary, Written, fixed_params};
use crate::value::Value;
use domain::{CellId, Definition};
use ir::Body;

/// What callers may rely on. `exhausted`: the states are not all there, so nothing follows from
/// them.
pub fn summarize(
    context: &Context<'_>,
    body: &Body,
    automata: &mut Automata<'_>,
    exits: &[State],
    exhausted: bool,
) -> Summary {
    let written = Written::by(context.program, body, |g| automata.summary(g));
    if exhausted {
        return Summary {
            params: effects(&written, &fixed_params(body), |_| false),
            writes_elsewhere: written.elsewhere,
            ..Summary::unknown(body.params.len())
        };
    }
    let result = match body.ret {
        Some(ret) => {
            let cell = CellId::whole(automata.frame.var_object(ret));
            let ty = body.vars[ret].ty;
            // What answers a null says nothing to callers that pass none.
            let values = exits.iter().map(|s| match automata.read_cell(s, cell, ty) {
                Value::Number(n) if answers_null(body, automata, s) => {
                    Value::Number(n.without_evidence())
                }
                value => value,
            });
            match values.reduce(|a, b| a.join(&b)) {
                Some(Value::Number(n)) if matches!(automata.frame.shape(ty), Shape::Int(_)) => {
                    Result::Number(n)
                }
                Some(Value::Pointer(p)) => {
                    let introduced = exits.iter().any(|s| {
                        s.pointers.value(cell).null.introduced && !answers_null(body, automata, s)
                    });
                    Result::Pointer(domain::Nullness {
                        acknowledged: introduced,
                        introduced,
                        ..p.null
                    })
                }
                _ => Result::Anything,
            }
        }
        None => Result::Anything,
    };
    let types = &context.program.types;
    let fixed = fixed_params(body);
    let params = effects(&written, &fixed, |i| {
        let param = body.params[i];
        let Some(pointee) = types.pointee(body.vars[param].ty) else {
            return false;
        };
        if !fixed[i] || !types.is_scalar(pointee) {
            return false;
        }
        let cell = CellId::whole(automata.frame.var_object(param));
        let Some(object) = automata.frame.pointee(cell) else {
            return false;
        };
        let bits = automata.store_bits(pointee);
        let Some(target) = automata.frame.cell(object, 0, bits, pointee) else {
            return false;
        };
        exits
            .iter()
            .all(|s| s.definedness.value(target) == Definition::Defined)
    });
    Summary {
        returns: !exits.is_empty(),
        result,
        params,
        writes_elsewhere: written.elsewhere,
    }
}

/// Was a null passed to it, in this state?
fn answers_null(body: &Body, automata: &Automata<'_>, st: &State) -> bool {
    let passed = body.params.iter().zip(fixed_params(body));
    passed.filter(|(_, fixed)| *fixed).any(|(p, _)| {
        let cell = CellId::whole(automata.frame.var_object(*p));
        st.pointers.get(cell).is_some_and(|p| !p.null.may_be_valid)
    })
}

fn effects(
    written: &Written,
    fixed: &[bool],
    mut surely: impl FnMut(usize) -> bool,
) -> Vec<Effect> {
    let all = written.params.iter().enumerate();
    all.map(|(i, may)| match (*may, *may && surely(i)) {
        // A parameter that is moved along may be what is written through.
        (false, _) if !fixed[i] && written.elsewhere => Effect::Maybe,
        (false, _) => Effect::Never,
        (true, true) => Effect::Surely,
        (true, false) => Effect::Maybe,
    })
    .collect()
}
