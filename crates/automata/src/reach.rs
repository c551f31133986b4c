//! Which objects still matter at a location; a state forgets the others.
//!
//! A variable matters if a path from here names it, or if its address is taken anywhere. What a
//! pointer of unknown origin points to, and what was allocated, has no name in the program: it
//! begins anew when its pointer is followed, or its statement executed, again. Until then only
//! pointers lead to it; without one of them in a cell that matters it is garbage. (The pointees of
//! parameters stay: the function's summary speaks of them.)
//!
//! States that differ in garbage only are equal then, and a large function does not carry along
//! what every temporary of it once pointed to.

use crate::frame::{Frame, ObjectKind};
use crate::graph::Graph;
use crate::state::State;
use domain::{ObjectId, Pointer, Targets};
use ir::VarKind;

/// Marks for objects, kept from one location to the next for the sake of their memory.
#[derive(Default)]
pub struct Reach {
    /// The round in which a pointer that matters was last found to lead to an object.
    marks: Vec<u32>,
    round: u32,
    /// Objects that may be garbage, each with a pointer in it.
    doubtful: Vec<(ObjectId, Pointer)>,
}

impl Reach {
    /// Drops what does not matter.
    pub fn forget_garbage(&mut self, frame: &Frame<'_>, graph: &Graph, at: usize, st: &mut State) {
        let objects = frame.object_count();
        if self.marks.len() < objects {
            self.marks.resize(objects, 0);
        }
        self.round += 1;
        let escaped = st.escaped.clone();
        let is_root = |object: ObjectId| match frame.info(object).kind {
            ObjectKind::Var(v) => graph.is_live(at, v),
            ObjectKind::Global(_) | ObjectKind::Function(_) => true,
            ObjectKind::Allocated(_) => escaped.get(object).is_some(),
            ObjectKind::Pointee(cell) => cell.is_whole() && is_parameter(frame, cell.object()),
        };
        self.doubtful.clear();
        let mut last = None;
        for (cell, pointer) in st.pointers.iter() {
            let object = cell.object();
            let root = match last {
                Some((known, root)) if known == object => root,
                _ => is_root(object),
            };
            last = Some((object, root));
            if !matches!(&pointer.targets, Targets::Known(set) if !set.is_empty()) {
                continue;
            }
            if root {
                mark(&mut self.marks, self.round, pointer);
            } else {
                self.doubtful.push((object, *pointer));
            }
        }
        // What leads on from something that was led to matters as well.
        loop {
            let before = self.doubtful.len();
            let (marks, round) = (&mut self.marks, self.round);
            self.doubtful.retain(|(object, pointer)| {
                let matters = marks[object.0 as usize] == round;
                if matters {
                    mark(marks, round, pointer);
                }
                !matters
            });
            if self.doubtful.len() == before {
                break;
            }
        }
        let mut last = None;
        let mut matters = |object: ObjectId| match last {
            Some((known, matters)) if known == object => matters,
            _ => {
                let matters = self.marks[object.0 as usize] == self.round || is_root(object);
                last = Some((object, matters));
                matters
            }
        };
        st.bounds.retain(|cell, _| matters(cell.object()));
        st.pointers.retain(|cell, _| matters(cell.object()));
        st.definedness.retain(|cell, _| matters(cell.object()));
        st.lifetimes.retain(|object, _| matters(object));
        st.keep_copies(|cell| matters(cell.object()));
    }
}

fn mark(marks: &mut [u32], round: u32, pointer: &Pointer) {
    if let Targets::Known(objects) = &pointer.targets {
        for object in objects {
            marks[object.0 as usize] = round;
        }
    }
}

fn is_parameter(frame: &Frame<'_>, object: ObjectId) -> bool {
    let variable = frame.as_var(object);
    variable.is_some_and(|v| frame.body.vars[v].kind == VarKind::Param)
}
