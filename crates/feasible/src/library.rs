//! Calls of the C library, by its models: memory, frees, input.

use crate::contents::Layer;
use crate::object::ObjectKind;
use crate::path::{Meaning, Path};
use automata::models::{Frees, Gives, LONGEST_OBJECT, Model, Size, Writes};
use ir::{Call, FuncId};
use logic::{Sort, TermId};

impl Path<'_> {
    pub(crate) fn call_model(&mut self, call: &Call, args: &[Option<TermId>], f: FuncId, m: Model) {
        if let Frees::Always(at) = m.frees
            && let Some(Some(arg)) = args.get(at)
        {
            self.free(*arg);
        }
        if let Gives::Characters(at, unit) = m.gives
            && self.measure(call, args.get(at), unit, self.is_asked_for(f))
        {
            return;
        }
        if self.copy_string(args, m.leaves) {
            if let (Some(place), Some(Some(first))) = (call.result, args.first()) {
                self.store(place, *first, None);
            }
            return;
        }
        match m.writes {
            Writes::Nothing => {}
            Writes::Anything => {
                let written = self.written_by(call, Some(f));
                self.blur_outside(&written);
            }
            Writes::Arguments | Writes::Input => {
                let written = args.iter().enumerate().filter(|(i, _)| m.may_write(*i));
                for arg in written.filter_map(|(_, arg)| *arg) {
                    self.blur_handed(arg, true);
                }
            }
        }
        match m.gives {
            Gives::Memory {
                size,
                zeroed,
                can_fail,
            } => {
                let name = self.program().function_name(f);
                let family = ir::Family::given_by(name).unwrap_or(ir::Family::Malloc);
                self.give_memory(call, args, family, size, zeroed, can_fail);
            }
            Gives::Argument(at) => {
                if let (Some(place), Some(Some(first))) = (call.result, args.get(at)) {
                    self.record(|r| r.result = Some(*first));
                    self.store(place, *first, None);
                }
            }
            Gives::Length(at) => {
                let length = self.length_behind(args.get(at));
                match (length, call.result) {
                    (Some(length), Some(place)) => {
                        self.record(|r| r.result = Some(length));
                        self.store(place, length, None);
                    }
                    _ => {
                        self.result_unknown(call);
                    }
                }
            }
            Gives::Same if self.same.contains_key(&f) => {
                if let (Some(place), Some(&value)) = (call.result, self.same.get(&f)) {
                    self.record(|r| r.result = Some(value));
                    self.store(place, value, None);
                }
            }
            Gives::NonNull | Gives::Same => {
                if let Some((_, value)) = self.result_unknown(call)
                    && self.pool.sort(value) == Sort::Bits(64)
                {
                    let valid = self.pool.is_nonzero(value);
                    self.assume(valid);
                    if m.gives == Gives::Same {
                        self.same.insert(f, value);
                    }
                }
            }
            Gives::Input(..) | Gives::Number(..) | Gives::Characters(..) => {
                let (low, high) = match m.gives {
                    Gives::Input(low, high) | Gives::Number(low, high) => (low, high),
                    _ => (0, LONGEST_OBJECT),
                };
                if let Some((_, value)) = self.result_unknown(call) {
                    self.assume_range(call, value, low, high);
                    let most = m.at_most.and_then(|at| args.get(at).copied().flatten());
                    self.assume_at_most(value, most);
                }
            }
            Gives::Anything | Gives::PointerOrNull => {
                let given = self.result_unknown(call);
                if let Frees::UnlessNull(at) = m.frees
                    && let Some(Some(arg)) = args.get(at)
                {
                    self.free_unless_null(*arg, given.map(|(_, value)| value));
                }
            }
        }
    }

    /// Who was asked for so many bytes gives a number of them, or one below 0 where it fails.
    fn assume_at_most(&mut self, value: TermId, most: Option<TermId>) {
        let width = |pool: &logic::Pool, term: TermId| match pool.sort(term) {
            Sort::Bits(width) if width <= 64 => Some(width),
            _ => None,
        };
        let Some(most) = most else { return };
        let (Some(own), Some(other)) = (width(&self.pool, value), width(&self.pool, most)) else {
            return;
        };
        let (own, other) = (u32::from(own), u32::from(other));
        let value = match own < 64 {
            true => self.pool.sign_extend(value, 64),
            false => value,
        };
        let most = match other < 64 {
            true => self.pool.zero_extend(most, 64),
            false => most,
        };
        let zero = self.word64(0);
        let failed = self.pool.compare(logic::Order::Slt, value, zero);
        let fits = self.pool.compare(logic::Order::Ule, value, most);
        let either = self.pool.or(failed, fits);
        self.assume(either);
    }

    /// Is it one of our own functions, by which checks measure?
    fn is_asked_for(&self, f: FuncId) -> bool {
        self.program().function_name(f).starts_with("__rigel_")
    }

    /// What a pointer points to is freed; null frees nothing.
    fn free(&mut self, pointer: TermId) {
        self.record(|r| r.freed.push(pointer));
        for target in self.targets(pointer) {
            let gone = self.pool.truth(false);
            let alive = self.object(target.object).alive;
            let alive = self.pool.choose(target.when, gone, alive);
            let object = self.object_mut(target.object);
            object.alive = alive;
        }
    }

    /// What a pointer points to is freed if something else was given for it.
    fn free_unless_null(&mut self, pointer: TermId, given: Option<TermId>) {
        let moved = match given {
            Some(value) => self.pool.is_nonzero(value),
            None => self.fresh(Sort::Bool, Meaning::Allocated { step: self.step }),
        };
        let null = self.word64(0);
        let freed = self.pool.choose(moved, pointer, null);
        self.free(freed);
    }

    fn give_memory(
        &mut self,
        call: &Call,
        args: &[Option<TermId>],
        family: ir::Family,
        size: Size,
        zeroed: bool,
        can_fail: bool,
    ) {
        let Some(place) = call.result else { return };
        let number = |path: &mut Self, i: usize| match args.get(i) {
            Some(Some(t)) if path.pool.sort(*t) == Sort::Bits(64) => Some(path.expand(*t)),
            _ => None,
        };
        let size = match size {
            Size::Argument(i) => number(self, i),
            Size::Product(i, j) => match (number(self, i), number(self, j)) {
                (Some(a), Some(b)) => Some(self.pool.binary(logic::BinaryOp::Mul, a, b)),
                _ => None,
            },
            Size::Constant(n) => Some(self.word64(u64::from(n))),
            Size::Unknown => None,
        };
        let kind = ObjectKind::Allocated(self.step);
        let object = self.new_object(kind, size, |_, _| {
            if zeroed {
                Layer::Zero
            } else {
                Layer::Undefined
            }
        });
        self.object_mut(object).family = Some(family);
        let mut address = self.object(object).address;
        let mut flag = None;
        if can_fail {
            let given = self.fresh(Sort::Bool, Meaning::Allocated { step: self.step });
            let null = self.word64(0);
            address = self.pool.choose(given, address, null);
            flag = Some(given);
        }
        self.record(|r| {
            r.allocated = Some(crate::path::Allocated {
                size,
                zeroed,
                family,
                given: flag,
            });
        });
        self.store(place, address, None);
    }

    /// Bytes from an argument to the end of what it points into; 0 if that is null.
    fn length_behind(&mut self, arg: Option<&Option<TermId>>) -> Option<TermId> {
        let pointer = (*arg?)?;
        let target = self.single_target(pointer)?;
        let size = self.object(target.object).size?;
        let length = self.pool.binary(logic::BinaryOp::Sub, size, target.offset);
        let none = self.word64(0);
        let there = self.pool.is_nonzero(pointer);
        Some(self.pool.choose(there, length, none))
    }
}
