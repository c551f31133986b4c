//! Memory as bytes: `memcpy`, `memset`, whole structs, and what unknown code may have written.

use crate::Automata;
use crate::frame::Shape;
use crate::state::State;
use crate::text::Written;
use crate::value::Value;
use crate::weaken::blurred;
use domain::{CellId, Change, Definition, Number, ObjectId, Pointer, Targets};
use ir::ExprId;

impl Automata<'_> {
    pub fn copy(&mut self, st: &mut State, target: ExprId, source: ExprId, size: ExprId) {
        let size = self.number(st, size);
        if size.as_constant() == Some(0) {
            return;
        }
        let source = self.follow(st, source);
        let target = self.follow(st, target);
        let size = size.as_constant().and_then(|s| u64::try_from(s).ok());
        self.copy_bytes(st, &target, &source, size);
    }

    /// Moves what is known of one region to another.
    pub fn copy_bytes(
        &mut self,
        st: &mut State,
        target: &Pointer,
        source: &Pointer,
        size: Option<u64>,
    ) {
        let known = |p: &Pointer| {
            let offset = u64::try_from(p.offset.as_constant()?).ok()?;
            Some((p.targets.single()?, offset.checked_mul(8)?))
        };
        let bits = size.and_then(|s| s.checked_mul(8));
        let (Some((to, to_start)), Some((from, from_start)), Some(bits)) =
            (known(target), known(source), bits)
        else {
            // What is copied somewhere is known to whoever looks there.
            if let Targets::Known(objects) = &source.targets {
                let held: Vec<Pointer> = st
                    .pointers
                    .iter()
                    .filter(|(c, _)| objects.contains(&c.object()))
                    .map(|(_, p)| *p)
                    .collect();
                held.into_iter()
                    .for_each(|p| self.lose(st, &Value::Pointer(p)));
            }
            return self.blur_pointer(st, target, size);
        };
        // What the target speaks of, the source must, too.
        for cell in self
            .frame
            .overlapping(to, to_start, to_start.saturating_add(bits))
        {
            if let Some(&info) = self.frame.cell_info(cell)
                && info.is_within(to_start, to_start + bits)
            {
                let start = from_start + (info.start - to_start);
                self.frame.cell(from, start, info.bits, info.ty);
            }
        }
        let mut moved = Vec::new();
        for cell in self
            .frame
            .overlapping(from, from_start, from_start.saturating_add(bits))
        {
            let Some(&info) = self.frame.cell_info(cell) else {
                continue;
            };
            if !info.is_within(from_start, from_start + bits) {
                continue;
            }
            let value = self.read_cell(st, cell, info.ty);
            moved.push((info, value, st.definedness.value(cell)));
        }
        let rest = CellId::rest(from);
        let rest_values = (
            st.bounds.get(rest).copied(),
            st.pointers.get(rest).cloned(),
            st.definedness.get(rest).copied(),
        );
        let from_whole = self.frame.info(from).whole.is_some();
        let before = (!self.units.is_empty()).then(|| st.clone());
        self.blur_region(st, to, to_start, to_start.saturating_add(bits), true);
        let covered = self
            .frame
            .info(to)
            .size
            .is_some_and(|s| to_start == 0 && s.saturating_mul(8) <= bits);
        if covered && !from_whole && self.frame.info(to).whole.is_none() {
            let rest = CellId::rest(to);
            if let Some(n) = rest_values.0 {
                st.bounds.set(rest, n);
            }
            if let Some(p) = rest_values.1 {
                st.pointers.set(rest, p);
            }
            if let Some(d) = rest_values.2 {
                st.definedness.set(rest, d);
            }
        }
        for (info, value, def) in moved {
            let start = to_start + (info.start - from_start);
            match self.frame.cell(to, start, info.bits, info.ty) {
                Some(cell) => {
                    self.let_escape_into(st, &Targets::one(to), &value);
                    self.set_cell(st, cell, value, def);
                }
                None => self.lose(st, &value),
            }
        }
        if let Some(before) = before {
            let (to, from) = ((to, to_start / 8), (from, from_start / 8));
            self.copy_text(st, to, from, bits / 8, &before);
        }
    }

    pub fn fill(&mut self, st: &mut State, target: ExprId, byte: ExprId, size: ExprId) {
        let byte = self.number(st, byte).as_constant();
        let size = self.number(st, size);
        if size.as_constant() == Some(0) {
            return;
        }
        let target = self.follow(st, target);
        let size = size.as_constant().and_then(|s| u64::try_from(s).ok());
        let start = target
            .offset
            .as_constant()
            .and_then(|o| u64::try_from(o).ok());
        let (Some(object), Some(start), Some(size)) = (target.targets.single(), start, size) else {
            return self.blur_pointer(st, &target, size);
        };
        let (start, end) = (start.saturating_mul(8), (start + size).saturating_mul(8));
        self.blur_region(st, object, start, end, true);
        // A wide character of bytes that are not zero is none either.
        self.write_text(st, object, (start / 8, end / 8), |_| match byte {
            Some(0) => Written::Zero,
            Some(_) => Written::NonZero,
            None => Written::Anything,
        });
        if byte != Some(0) {
            return;
        }
        let inside: Vec<CellId> = self.frame.overlapping(object, start, end);
        for cell in inside {
            let Some(info) = self.frame.cell_info(cell) else {
                continue;
            };
            if !info.is_within(start, end) {
                continue;
            }
            let zero = match info.shape {
                Shape::Int(_) => Value::Number(Number::constant(0)),
                Shape::Pointer => Value::Pointer(Pointer::null()),
                _ => Value::Unknown,
            };
            self.set_cell(st, cell, zero, Definition::Defined);
        }
        let info = self.frame.info(object);
        if info.whole.is_none()
            && start == 0
            && info.size.is_some_and(|s| s.saturating_mul(8) <= end)
        {
            st.bounds.set(CellId::rest(object), Number::constant(0));
            st.pointers.set(CellId::rest(object), Pointer::null());
        }
    }

    /// Unknown values somewhere from the pointer on.
    pub fn blur_pointer(&mut self, st: &mut State, target: &Pointer, size: Option<u64>) {
        self.conditions.memory_written(st);
        let Targets::Known(objects) = target.targets else {
            return self.blur_targets(st, &Targets::Any);
        };
        let start = u64::try_from(target.offset.low.max(0))
            .unwrap_or(0)
            .saturating_mul(8);
        let exact = target.offset.as_constant().is_some() && objects.len() == 1;
        let end = match (size, u64::try_from(target.offset.high)) {
            (Some(size), Ok(high)) if target.offset.high != domain::MOST => {
                high.saturating_add(size).saturating_mul(8)
            }
            _ => u64::MAX,
        };
        for &object in &objects {
            self.blur_region(st, object, start, end, exact && size.is_some());
        }
    }

    /// Everything in these objects may have changed.
    pub fn blur_targets(&mut self, st: &mut State, targets: &Targets) {
        self.conditions.memory_written(st);
        let Targets::Known(objects) = targets else {
            return self.blur_shared(st);
        };
        for &object in objects {
            if let Some(v) = self.frame.as_var(object) {
                self.conditions.written(st, v);
            }
            st.forget_copies(CellId::whole(object));
        }
        blur(st, |object| objects.contains(&object));
    }

    /// Everything that code we do not see can get at may have changed.
    fn blur_shared(&mut self, st: &mut State) {
        let escaped = st.escaped.clone();
        for (object, ()) in escaped.iter() {
            if let Some(v) = self.frame.as_var(object) {
                self.conditions.written(st, v);
            }
            st.forget_copies(CellId::whole(object));
        }
        let frame = &self.frame;
        blur(st, |object| {
            frame.is_shared(object) || escaped.get(object).is_some()
        });
    }
}

/// Forgets the content of objects, in one pass over the entries.
fn blur(st: &mut State, among: impl Fn(ObjectId) -> bool) {
    st.bounds
        .retain(|c, _| !among(c.object()) || c == CellId::size(c.object()));
    st.pointers.retain(|c, _| !among(c.object()));
    // That it may have been written is no promise.
    st.definedness.update(|c, old| match blurred(*old) {
        new if new != *old && among(c.object()) => Change::Set(new),
        _ => Change::Keep,
    });
}
