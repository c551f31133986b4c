//! From the states at a function's exit to its summary.

use crate::Automata;
use crate::comes_from::{ComesFrom, Passes};
use crate::context::Context;
use crate::entry::{Access, Entry, Known, is_null_on_evidence};
use crate::frame::Shape;
use crate::freed::freed;
use crate::sensitive::Sensitive;
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
    let (frees, Passes { gives, leaves }) = {
        let summary = |g| automata.summary(g);
        let come_from = ComesFrom::new(context.program, body, &summary);
        let frees = freed(context.program, body, &come_from, &summary);
        (frees, come_from.passes())
    };
    if exhausted {
        return Summary {
            frees,
            gives,
            leaves,
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
                    let counts = exits.iter().filter(|s| !answers_null(body, automata, s));
                    let nulls: Vec<_> = counts.map(|s| s.pointers.value(cell).null).collect();
                    let introduced = nulls.iter().any(|n| n.introduced);
                    // What a caller passed and had tested before comes back to it.
                    let passed = (0..body.params.len()).any(|i| null_is_given(automata, i));
                    Result::Pointer(domain::Nullness {
                        acknowledged: introduced || passed && nulls.iter().any(|n| n.acknowledged),
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
        frees,
        gives,
        leaves,
        sensitive: Sensitive::default(),
    }
}

/// Was a null passed to it, in this state, by nobody that we know?
fn answers_null(body: &Body, automata: &Automata<'_>, st: &State) -> bool {
    let fixed = fixed_params(body);
    let mut passed = body.params.iter().enumerate();
    passed.any(|(i, p)| {
        let moved = automata.moved.get(i) == Some(&true);
        if !fixed[i] || moved || null_is_given(automata, i) {
            return false;
        }
        let cell = CellId::whole(automata.frame.var_object(*p));
        st.pointers.get(cell).is_some_and(|p| !p.null.may_be_valid)
    })
}

/// Do callers that are meant pass null for this parameter, on evidence?
fn null_is_given(automata: &Automata<'_>, param: usize) -> bool {
    let Entry::Given(given) = &automata.entry else {
        return false;
    };
    let known = given.get(&Access::param(param as u32));
    matches!(known.map(|c| &c.value), Some(Known::Pointer(r)) if is_null_on_evidence(r.null))
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
