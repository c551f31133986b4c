//! Numbers at places that depend on the run ([`crate::memory::Placed`]): what a write leaves of them, and what a read finds.

use super::Address;
use crate::linear::Linear;
use crate::memory::Placed;
use crate::path::{Path, Paths};
use crate::run::Run;
use crate::value::Value;
use ir::TypeId;
use smallvec::smallvec;

impl Run<'_> {
    /// Bytes of an integer at an address; none if it is another scalar, or a part of a byte.
    fn bytes(&self, address: &Address, ty: TypeId) -> Option<i128> {
        let types = &self.program.types;
        let is_whole = address.bits.is_none() && types.as_int(ty).is_some() && !self.is_wide(ty);
        is_whole.then(|| i128::from(types.size_of(ty)))
    }

    /// What is known behind a write where only a variable says.
    pub(super) fn placed(&self, address: &Address, ty: TypeId, value: &Value) -> Option<Placed> {
        let Value::Number(number) = value else {
            return None;
        };
        Some(Placed {
            offset: address.pointer.offset.clone(),
            bytes: self.bytes(address, ty)?,
            number: number.clone(),
        })
    }

    /// What a write to the object surely does not hit.
    pub(super) fn beside(&self, path: &Path, address: &Address, ty: TypeId) -> Option<Placed> {
        let placed = path.memory.placed(&address.pointer.object)?;
        let distance = placed.distance(&address.pointer.offset, self.bytes(address, ty)?)?;
        let mut sides = sides(&distance, placed.bytes).into_iter().flatten();
        let apart = sides.any(|side| path.facts.is_surely_not_negative(&side));
        apart.then(|| placed.clone())
    }

    /// What is at an address, read at a type: if a number was written to some place of the object, that number there, and what the
    /// object holds before it and behind it.
    pub fn found(&mut self, mut path: Path, address: &Address, ty: TypeId) -> Paths<Value> {
        let placed = path.memory.placed(&address.pointer.object).cloned();
        let known = placed.and_then(|placed| {
            let bytes = self.bytes(address, ty)?;
            let distance = placed.distance(&address.pointer.offset, bytes)?;
            Some((placed, distance))
        });
        let Some((placed, distance)) = known else {
            let value = self.load(&mut path, address, ty);
            return smallvec![(path, value)];
        };
        let mut all = Paths::new();
        for side in sides(&distance, placed.bytes) {
            if let Some(mut path) = path.clone().where_not_negative(side) {
                let value = self.load(&mut path, address, ty);
                all.push((path, value));
            }
        }
        if let Some(mut there) = path.where_zero(Some(distance)) {
            let number = Value::Number(placed.number);
            let value = match self.is_of(&there, &number, ty) {
                true => number,
                false => self.anything(&mut there, ty),
            };
            all.push((there, value));
        }
        all
    }
}

/// Before it, and behind it: forms that are not negative there.
fn sides(distance: &Linear, bytes: i128) -> [Option<Linear>; 2] {
    let before = distance.times(-1).and_then(|d| d.plus_constant(-bytes));
    [before, distance.plus_constant(-bytes)]
}
