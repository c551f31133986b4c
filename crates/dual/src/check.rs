//! Checks on a path: the part on which the condition fails, and the part on which it holds.

use crate::assume::Parts;
use crate::input::Aspect;
use crate::linear::Linear;
use crate::memory::{Gone, Written};
use crate::path::{Path, Way};
use crate::run::Run;
use crate::value::{Object, Pointer};
use ir::{Callee, Condition, ExprId, Family, PlaceId, Stmt};
use smallvec::smallvec;

/// The ways to be out of bounds; all others are one.
const BEFORE: Way = 1;
const BEHIND: Way = 2;

/// A path behind a check.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    pub fails: Parts,
    pub holds: Parts,
}

impl Checked {
    /// Nothing is known: it may fail, and it may hold.
    fn either(path: Path) -> Checked {
        let path = path.guess();
        Checked {
            fails: smallvec![path.clone()],
            holds: smallvec![path],
        }
    }

    fn add(&mut self, other: Checked) {
        self.fails.extend(other.fails);
        self.holds.extend(other.holds);
    }
}

impl Run<'_> {
    pub fn check(&mut self, mut path: Path, condition: &Condition) -> Checked {
        path.way = Way::default();
        match condition {
            Condition::Holds(e) => Checked {
                fails: self.assume(path.clone(), *e, false),
                holds: self.assume(path, *e, true),
            },
            Condition::Unreachable => Checked {
                fails: smallvec![path],
                holds: smallvec![],
            },
            Condition::InBounds { pointer, size } => self.in_bounds(path, *pointer, *size),
            Condition::Alive(pointer) => {
                let mut all = Checked::default();
                for (mut path, value) in self.eval(path, *pointer) {
                    let pointer = self.pointer(&mut path, value);
                    all.add(alive(path, &pointer));
                }
                all
            }
            Condition::Initialized(place) => self.initialized(path, *place),
            Condition::Freeable { pointer, family } => {
                let mut all = Checked::default();
                for (mut path, value) in self.eval(path, *pointer) {
                    let pointer = self.pointer(&mut path, value);
                    all.add(self.freeable(path, &pointer, *family));
                }
                all
            }
            Condition::Apart(a, b) => {
                let mut all = Checked::default();
                for (mut path, value) in self.eval(path, *a) {
                    let a = self.pointer(&mut path, value);
                    for (mut path, value) in self.eval(path, *b) {
                        let b = self.pointer(&mut path, value);
                        all.add(apart(path, &a, &b));
                    }
                }
                all
            }
        }
    }

    /// What the function itself has made is known for what it is; of what it was given only its caller knows.
    fn freeable(&self, path: Path, pointer: &Pointer, family: Family) -> Checked {
        let nothing = path.clone().where_zero(Some(pointer.value.clone()));
        let mut all = Checked {
            fails: smallvec![],
            holds: nothing.into_iter().collect(),
        };
        let Some(path) = path.where_not_negative(pointer.value.plus_constant(-1)) else {
            return all;
        };
        match &pointer.object {
            Object::Variable(_) | Object::Global(_) => all.fails.push(path),
            Object::Fresh(site) => {
                let stmt = self.body.edges().get(site.edge).map(|edge| &edge.stmt);
                let given = match stmt {
                    Some(Stmt::Call(call)) => match call.callee {
                        Callee::Direct(f) => Family::given_by(self.program.function_name(f)),
                        Callee::Indirect(_) => None,
                    },
                    _ => None,
                };
                match given {
                    Some(given) if given == family => {
                        let offset = &pointer.offset;
                        let before = offset.times(-1).and_then(|o| o.plus_constant(-1));
                        all.fails.extend(path.clone().where_not_negative(before));
                        let behind = offset.plus_constant(-1);
                        all.fails.extend(path.clone().where_not_negative(behind));
                        all.holds.extend(path.where_zero(Some(offset.clone())));
                    }
                    Some(_) => all.fails.push(path),
                    None => all.add(Checked::either(path)),
                }
            }
            _ => all.add(Checked::either(path)),
        }
        all
    }

    /// `size` bytes at the pointer lie within the object. Where it is null this may hold, and may fail: it is not about null.
    fn in_bounds(&mut self, path: Path, pointer: ExprId, size: ExprId) -> Checked {
        let size_type = self.body.exprs[size].ty;
        let mut all = Checked::default();
        for (mut path, value) in self.eval(path, pointer) {
            let pointer = self.pointer(&mut path, value);
            for (mut path, size) in self.eval(path, size) {
                let size = self.number(&mut path, size, size_type);
                // 0 <= offset, offset + size <= length
                let end = pointer.offset.plus(&size);
                let room = end.and_then(|end| pointer.length.minus(&end));
                let below = pointer.offset.times(-1).and_then(|o| o.plus_constant(-1));
                let beyond = room
                    .as_ref()
                    .and_then(|room| room.times(-1)?.plus_constant(-1));
                // Sizes are counts of bytes: one below zero is larger than any object.
                let negative = size.times(-1).and_then(|size| size.plus_constant(-1));
                all.fails.extend(path.clone().where_not_negative(negative));
                let Some(path) = path.where_not_negative(Some(size.clone())) else {
                    continue;
                };
                if let Some(null) = path.clone().where_zero(Some(pointer.value.clone())) {
                    // Whoever does not ask for null first finds out here.
                    let some = null.clone().where_not_negative(size.plus_constant(-1));
                    all.fails.extend(some);
                    all.holds.push(null);
                }
                let nowhere = pointer.value.plus_constant(-1);
                let Some(path) = path.where_not_negative(nowhere) else {
                    continue;
                };
                let before = path.clone().where_not_negative(below);
                all.fails.extend(before.map(|path| Path {
                    way: BEFORE,
                    ..path
                }));
                let from = path.where_not_negative(Some(pointer.offset.clone()));
                let Some(path) = from else { continue };
                let behind = path.clone().where_not_negative(beyond);
                all.fails.extend(behind.map(|path| Path {
                    way: BEHIND,
                    ..path
                }));
                all.holds.extend(path.where_not_negative(room));
            }
        }
        all
    }

    fn initialized(&mut self, path: Path, place: PlaceId) -> Checked {
        let ty = self.body.places[place].ty;
        let mut all = Checked::default();
        for (mut path, address) in self.address(path, place) {
            let checked = match self.written_at(&path, &address, ty) {
                None => Checked {
                    fails: smallvec![],
                    holds: smallvec![path],
                },
                Some(Written::Never) => Checked {
                    fails: smallvec![path],
                    holds: smallvec![],
                },
                Some(Written::Maybe) => Checked::either(path),
                Some(Written::Given(given)) => {
                    let aspect = Aspect::Initialized;
                    let written = self.input(&mut path, &given, aspect, aspect.range());
                    let fails = path.clone().where_zero(Some(written.clone()));
                    let holds = path.where_not_negative(written.plus_constant(-1));
                    Checked {
                        fails: fails.into_iter().collect(),
                        holds: holds.into_iter().collect(),
                    }
                }
                // Some part of the object was not written, nobody knows which one.
                Some(Written::Filled(given)) => {
                    let aspect = Aspect::Filled;
                    let filled = self.input(&mut path, &given, aspect, aspect.range());
                    let fails = path.clone().where_zero(Some(filled));
                    Checked {
                        fails: fails.into_iter().collect(),
                        holds: smallvec![path],
                    }
                }
            };
            all.fails.extend(checked.fails);
            let part = self.part(&address, ty);
            for mut path in checked.holds {
                if let Some(part) = part {
                    path.memory.mark(&address.pointer.object, part, None);
                }
                path.checked.push(place);
                all.holds.push(path);
            }
        }
        all
    }
}

/// Do they lead into different objects, or nowhere?
fn apart(path: Path, a: &Pointer, b: &Pointer) -> Checked {
    let own = |p: &Pointer| matches!(p.object, Object::Variable(_) | Object::Fresh(_));
    let named = |p: &Pointer| own(p) || matches!(p.object, Object::Global(_));
    let given = |p: &Pointer| matches!(p.object, Object::Behind(_));
    if named(a) && named(b) && a.object != b.object || own(a) && given(b) || given(a) && own(b) {
        // The function was not given its own variables.
        return Checked {
            fails: smallvec![],
            holds: smallvec![path],
        };
    }
    let mut all = Checked {
        fails: smallvec![],
        holds: path
            .clone()
            .where_zero(Some(a.value.clone()))
            .into_iter()
            .collect(),
    };
    let Some(path) = path.where_not_negative(a.value.plus_constant(-1)) else {
        return all;
    };
    match a.object {
        Object::Variable(_) | Object::Global(_) if a.object == b.object => all.fails.push(path),
        // What one place made in several turns of a loop is several objects, and two that were given can be one.
        _ => all.add(Checked::either(path)),
    }
    all
}

fn alive(path: Path, pointer: &Pointer) -> Checked {
    let one = Linear::constant(1);
    let nowhere = path.clone().where_zero(Some(pointer.value.clone()));
    // Null is another rule's business.
    let Some(path) = path.where_not_negative(pointer.value.minus(&one)) else {
        return Checked {
            fails: smallvec![],
            holds: nowhere.into_iter().collect(),
        };
    };
    let mut all = match path.memory.gone(&pointer.object) {
        Some(Gone::Surely) => Checked {
            fails: smallvec![path],
            holds: smallvec![],
        },
        Some(Gone::Maybe) => Checked::either(path),
        None => Checked {
            fails: path
                .clone()
                .where_zero(Some(pointer.alive.clone()))
                .into_iter()
                .collect(),
            holds: path
                .where_zero(pointer.alive.minus(&one))
                .into_iter()
                .collect(),
        },
    };
    all.holds.extend(nowhere);
    all
}
