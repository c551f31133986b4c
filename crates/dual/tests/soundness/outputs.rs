//! What a run leaves behind is among what its function's summary says: its result, what it wrote, and that it wrote nothing else.

use crate::numbers::{Before, Shape, part};
use dual::facts::{Facts, Range};
use dual::input::{Given, Input};
use dual::linear::{Linear, Symbol};
use dual::memory::Written;
use dual::shape::Frame;
use dual::summary::{Return, Summary};
use dual::value::{Object, Value};
use interp::{Blob, Interpreter, ObjId, Scalar};
use isl::Context;
use std::collections::BTreeMap;

/// What is known before the call, for later.
pub struct Start {
    numbers: BTreeMap<Symbol, i128>,
    /// Where given pointers lead.
    places: BTreeMap<Given, (ObjId, i64)>,
    memory: Vec<(ObjId, Blob)>,
}

impl Start {
    pub fn new(before: &Before<'_, '_>, summary: &Summary, objects: &[ObjId]) -> Start {
        let memory = before.run.memory();
        let number = |(input, symbol, range): &(Input, Symbol, Range)| {
            Some((*symbol, before.number(input, Shape::from(*range))?))
        };
        let places = summary.types.keys().filter_map(|given| {
            let (pointer, _) = before.scalar(given)?;
            let pointer = memory.with_object(pointer);
            let offset = pointer.bits.wrapping_sub(memory.base(pointer.prov)) as i64;
            (!pointer.prov.is_none()).then(|| (given.clone(), (pointer.prov, offset)))
        });
        let whole = |id: &ObjId| Some((*id, memory.read_blob(*id, 0, memory.size(*id)).ok()?));
        Start {
            numbers: summary.inputs.iter().filter_map(number).collect(),
            places: places.collect(),
            memory: objects.iter().filter_map(whole).collect(),
        }
    }

    /// Is there a way to come back that leads to what is there now?
    pub fn leads_to(
        &self,
        context: &Context,
        summary: &Summary,
        run: &Interpreter<'_>,
        result: Option<(Scalar, u32)>,
    ) -> isl::Result<bool> {
        for case in &summary.returns {
            if let Some(facts) = self.with(case, run, result)
                && !Frame::default().set(context, &facts)?.is_empty()?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What has to hold if it came back so; none if that cannot be.
    fn with(
        &self,
        case: &Return,
        run: &Interpreter<'_>,
        result: Option<(Scalar, u32)>,
    ) -> Option<Facts> {
        let mut facts = case.facts.clone();
        for (symbol, n) in &self.numbers {
            facts.within(*symbol, Range::new(*n, *n));
        }
        let mut fresh = u32::MAX;
        if let (Some(value), Some((now, bits))) = (&case.value, result) {
            let unsure = case.unsure.as_ref();
            is(&mut facts, &mut fresh, run, value, unsure, now, bits)?;
        }
        let mut wrote = case.memory.is_written_anywhere();
        for (object, contents) in case.memory.written() {
            wrote = true;
            let place = match object {
                Object::Global(g) => run.global(*g).map(|id| (id, 0)),
                Object::Behind(given) => self.places.get(given).copied(),
                _ => None,
            };
            let (Some((id, offset)), Some(contents)) = (place, contents) else {
                continue;
            };
            for (at, value) in contents.cells() {
                let unsure = contents.unsure(at);
                if let Some(now) = part(run.memory(), id, offset, at) {
                    is(&mut facts, &mut fresh, run, value, unsure, now, at.bits)?;
                }
            }
        }
        let same = |(id, old): &(ObjId, Blob)| {
            let memory = run.memory();
            let now = memory.read_blob(*id, 0, memory.size(*id));
            now.is_ok_and(|now| now == *old)
        };
        let ended = case.memory.ended().next().is_some();
        (wrote || ended || self.memory.iter().all(same)).then_some(facts)
    }
}

/// What has to hold if this value is that one.
fn is(
    facts: &mut Facts,
    fresh: &mut u32,
    run: &Interpreter<'_>,
    value: &Value,
    unsure: Option<&Written>,
    now: Scalar,
    bits: u32,
) -> Option<()> {
    match (value, unsure) {
        (Value::Undefined, _) => return (now.undef != 0).then_some(()),
        (_, None) if now.undef != 0 => return None,
        _ => {}
    }
    let constant = |n: i128| Linear::constant(n);
    match value {
        Value::Number(form) => {
            // As a number of either sign.
            *fresh -= 1;
            let turns = Linear::symbol(Symbol(*fresh));
            let number = constant(i128::from(now.bits)).plus_times(1 << bits, &turns);
            facts.add_zero(form.minus(&number?)?);
        }
        Value::Pointer(pointer) if now.bits == 0 && now.prov.is_none() => {
            facts.add_zero(pointer.value.clone());
        }
        Value::Pointer(pointer) => {
            facts.add_not_negative(pointer.value.plus_constant(-1)?);
            let memory = run.memory();
            let now = memory.with_object(now);
            if !now.prov.is_none() {
                let offset = now.bits.wrapping_sub(memory.base(now.prov)) as i64;
                let length = i128::from(memory.size(now.prov));
                facts.add_zero(pointer.offset.plus_constant(-i128::from(offset))?);
                facts.add_zero(pointer.length.plus_constant(-length)?);
            }
        }
        Value::Undefined | Value::Other => {}
    }
    (!facts.is_contradiction()).then_some(())
}
