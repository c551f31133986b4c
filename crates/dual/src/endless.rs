//! From where a loop never ends: LOOP (dual.txt, §4) of a loop that is a function of its numbers, as conditions that can be put into a program.
//!
//! LOOP = ¬(OK ∨ EXIT ∨ ERR) is too small rather than too large, since all that it is the rest of is too large. So a part of it may be left out
//! here: what cannot be said as comparisons of single numbers is.

use crate::arithmetic::Integers;
use crate::execute::Limits;
use crate::function::{Outcomes, outcomes};
use crate::input::{Aspect, Root};
use ir::{Body, CompareOp, Program, TypeId};
use isl::{Constraint, Context, Dim, Kind, Piece, Result};

/// Operations of isl for one loop. Whoever needs more is a computation, and no counting.
const OPERATIONS: u64 = 40_000;

/// What a type lets a counter be is a matter of ranges. Whatever else makes a loop endless changes too little for anybody to have meant it, and
/// shows in a turn that changes nothing; to look for it here, with relations between numbers, costs ten times as much.
const LIMITS: Limits = Limits {
    disjuncts: 1,
    turns: 1,
    relations: false,
    work: 1_000_000,
};

/// More cases are no condition that anybody reads.
const CASES: usize = 4;

/// `a op b`, of parameters, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub a: usize,
    pub op: CompareOp,
    pub b: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Number(i128),
    Parameter(usize),
}

/// For which parameters a body surely never comes to an end: in each of these cases, in which all comparisons hold. The parameters are integers.
pub fn never_ends(program: &Program, body: &Body) -> Vec<Vec<Comparison>> {
    let context = Context::new();
    context.allow(OPERATIONS);
    let all = outcomes(&context, program, body, Integers::Machine, LIMITS);
    let all = all.and_then(|all| cases(body, &all));
    // Too much is nothing known.
    all.unwrap_or_default()
}

fn cases(body: &Body, all: &Outcomes) -> Result<Vec<Vec<Comparison>>> {
    if all.guessed || all.strangers {
        return Ok(Vec::new());
    }
    let endless = all.endless()?;
    if endless.is_empty()? {
        return Ok(Vec::new());
    }
    let pieces = endless.gist(&all.possible)?.coalesce()?.pieces()?;
    let mut cases = Vec::new();
    for piece in pieces.iter().take(CASES) {
        if piece.is_empty()? {
            continue;
        }
        cases.extend(compared(body, all, piece)?);
    }
    Ok(cases)
}

/// A piece as comparisons; none if it is something else.
fn compared(body: &Body, all: &Outcomes, piece: &Piece) -> Result<Option<Vec<Comparison>>> {
    if piece.existentials() > 0 {
        return Ok(None);
    }
    let constraints = piece.constraints()?;
    Ok(constraints
        .iter()
        .map(|c| comparison(body, all, c))
        .collect())
}

fn comparison(body: &Body, all: &Outcomes, constraint: &Constraint) -> Option<Comparison> {
    let parameter = |dim: Dim| {
        let Dim::At(at) = dim else { return None };
        let input = all.inputs.get(at)?;
        let Root::Parameter(i) = input.given.root else {
            return None;
        };
        let is_value = input.aspect == Aspect::Value && input.given.path.is_empty();
        is_value.then_some(usize::try_from(i).ok()?)
    };
    let ty = |i: usize| -> Option<TypeId> { Some(body.vars.get(*body.params.get(i)?)?.ty) };
    let form = &constraint.form;
    let equal = constraint.kind == Kind::Equal;
    match form.terms[..] {
        // factor * a + constant ⋈ 0
        [(dim, factor)] => {
            let a = parameter(dim)?;
            let opposite = form.constant.checked_neg()?;
            let (op, number) = match (equal, factor > 0) {
                (true, _) if opposite % factor != 0 => return None,
                (true, _) => (CompareOp::Eq, opposite / factor),
                (false, true) => (CompareOp::Ge, ceiling(opposite, factor)?),
                (false, false) => (
                    CompareOp::Le,
                    form.constant.div_euclid(factor.checked_neg()?),
                ),
            };
            Some(Comparison {
                a,
                op,
                b: Side::Number(number),
            })
        }
        // a - b + constant ⋈ 0
        [(one, 1), (other, -1)] | [(other, -1), (one, 1)] => {
            let (a, b) = (parameter(one)?, parameter(other)?);
            let op = match (equal, form.constant) {
                (true, 0) => CompareOp::Eq,
                (false, 0) => CompareOp::Ge,
                (false, -1) => CompareOp::Gt,
                _ => return None,
            };
            (ty(a)? == ty(b)?).then_some(Comparison {
                a,
                op,
                b: Side::Parameter(b),
            })
        }
        _ => None,
    }
}

/// The least number of which `factor` times is at least so much; the factor is positive.
fn ceiling(number: i128, factor: i128) -> Option<i128> {
    number.checked_neg()?.div_euclid(factor).checked_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(source: &str) -> String {
        let source = format!("unit \"f.c\"\nfn f{source}");
        let program = ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (_, _, body) = program.bodies().next().unwrap();
        let cases = never_ends(&program, body);
        let side = |side: &Side| match side {
            Side::Number(n) => n.to_string(),
            Side::Parameter(i) => format!("p{i}"),
        };
        let one = |c: &Comparison| format!("p{} {} {}", c.a, c.op.symbol(), side(&c.b));
        let case = |case: &Vec<Comparison>| match &case[..] {
            [] => "always".to_string(),
            all => all.iter().map(one).collect::<Vec<_>>().join(" && "),
        };
        cases.iter().map(case).collect::<Vec<_>>().join(" || ")
    }

    #[test]
    fn a_counter_that_goes_round() {
        let down = "(i: u32) -> void {
            0: skip
            1: assume i >= 0u32
            1: assume i < 0u32 -> 3
            2: i = i - 1u32 -> 1
            3: exit
        }";
        assert_eq!(cases(down), "always");
        let narrow = "(i: u8, n: i32) -> void {
            0: skip
            1: assume (i32)i < n
            1: assume (i32)i >= n -> 3
            2: i = i + 1u8 -> 1
            3: exit
        }";
        assert_eq!(cases(narrow), "p1 >= 256");
        let most = "(i: u32, n: u32) -> void {
            0: skip
            1: assume i <= n
            1: assume i > n -> 3
            2: i = i + 1u32 -> 1
            3: exit
        }";
        assert_eq!(cases(most), "p1 == 4294967295");
    }

    #[test]
    fn loops_that_end() {
        let up = "(i: u32, n: u32) -> void {
            0: skip
            1: assume i < n
            1: assume i >= n -> 3
            2: i = i + 1u32 -> 1
            3: exit
        }";
        assert_eq!(cases(up), "");
    }
}
