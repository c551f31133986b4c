//! Whose addresses are out.
//!
//! An object of the function's own is nobody else's to write until its address is stored where
//! others can find it, or handed to a call that may keep it; from then on it is theirs for good.

use crate::Automata;
use crate::frame::ObjectKind;
use crate::state::State;
use crate::value::Value;
use domain::{ObjectId, Targets};

impl Automata<'_> {
    /// An address that is stored where others can find it is out.
    pub fn let_escape_into(&mut self, st: &mut State, into: &Targets, value: &Value) {
        let Value::Pointer(p) = value else { return };
        let Targets::Known(objects) = &p.targets else {
            return;
        };
        let visible = match into {
            Targets::Any => true,
            Targets::Known(set) => set.iter().any(|o| match self.frame.info(*o).kind {
                ObjectKind::Pointee(_) | ObjectKind::Global(_) => true,
                _ => st.escaped.get(*o).is_some(),
            }),
        };
        if visible {
            for &object in objects {
                self.escape(st, object);
            }
        }
    }

    /// Somebody else knows the object's address, and through it what it points to.
    pub fn escape(&mut self, st: &mut State, object: ObjectId) {
        let mut work = vec![object];
        while let Some(o) = work.pop() {
            let ours = matches!(
                self.frame.info(o).kind,
                ObjectKind::Var(_) | ObjectKind::Allocated(_)
            );
            if !ours || st.escaped.get(o).is_some() {
                continue;
            }
            st.escaped.insert(o, ());
            for (cell, p) in st.pointers.iter() {
                if cell.object() == o
                    && let Targets::Known(set) = &p.targets
                {
                    work.extend(set.iter().copied());
                }
            }
        }
    }
}
