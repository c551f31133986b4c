//! Which object a pointer points into, and where: points-to along one path.

use crate::contents::Layer;
use crate::object::{ObjectId, ObjectKind};
use crate::path::Path;
use crate::start::Start;
use crate::unknown::{From, unknowns};
use ir::{FuncId, GlobalId, Linkage, VarId};
use logic::{BinaryOp, Node, Order, TermId};
use smallvec::SmallVec;

/// One place where a pointer may point to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// When it does.
    pub when: TermId,
    pub object: ObjectId,
    /// Without definitions.
    pub offset: TermId,
}

pub(crate) type Targets = SmallVec<[Target; 2]>;

/// No object lies in the first page, nor in the upper half of the addresses.
const FIRST_PAGE: u64 = 1 << 12;
const LAST_ADDRESS: u64 = 1 << 47;

/// Cases of one pointer that are told apart.
const MOST_TARGETS: usize = 4;

impl<'p> Path<'p> {
    /// The object of a variable of the current frame. A parameter holds what the caller passed.
    pub(crate) fn var_object(&mut self, var: VarId) -> ObjectId {
        if let Some(&known) = self.frame.vars.get(&var) {
            return known;
        }
        let types = &self.program().types;
        let ty = self.frame.body.vars[var].ty;
        let size = self.word64(types.size_of(ty));
        let param = self.frame.number == 0 && self.frame.body.params.contains(&var);
        let kind = ObjectKind::Var(self.frame.number, var);
        let id = self.new_object(kind, Some(size), |path, id| {
            if param {
                Layer::Unknown(path.source(id, false))
            } else {
                Layer::Undefined
            }
        });
        self.object_mut(id).ty = Some(ty);
        self.frame.vars.insert(var, id);
        id
    }

    pub(crate) fn global_object(&mut self, global: GlobalId) -> ObjectId {
        if let Some(&known) = self.globals.get(&global) {
            return known;
        }
        let program = self.program();
        let g = &program.globals[global];
        let size = program.types.size_of(g.ty);
        // A declaration may leave the size open: `extern int table[];`.
        let open = g.init.is_none() && size == 0;
        let size = (!open).then(|| self.word64(size));
        // A weak definition is one that another may replace.
        let begun = self.start == Start::Program && g.linkage != Linkage::Weak;
        let known = g.constant || begun;
        let known = known && g.init.is_some();
        let id = self.new_object(ObjectKind::Global(global), size, |path, id| {
            if known {
                Layer::Initial(global)
            } else {
                Layer::Unknown(path.source(id, false))
            }
        });
        self.object_mut(id).escaped = true;
        self.globals.insert(global, id);
        id
    }

    pub(crate) fn function_object(&mut self, function: FuncId) -> ObjectId {
        if let Some(&known) = self.functions.get(&function) {
            return known;
        }
        let id = self.new_object(ObjectKind::Function(function), None, |_, _| Layer::Zero);
        self.functions.insert(function, id);
        id
    }

    /// Labels of one function lie one byte apart: the distance of two is a number.
    pub(crate) fn label_address(&mut self, function: FuncId, label: u32) -> TermId {
        let object = match self.labels.get(&function) {
            Some(&known) => known,
            None => {
                let kind = ObjectKind::Labels(function);
                let id = self.new_object(kind, None, |_, _| Layer::Zero);
                self.labels.insert(function, id);
                id
            }
        };
        let (address, by) = (self.object(object).address, self.word64(u64::from(label)));
        self.pool.add(address, by)
    }

    /// Notes how an address was made, so that it can be taken apart.
    pub(crate) fn displaced(&mut self, pointer: TermId, by: TermId) -> TermId {
        let address = self.pool.add(pointer, by);
        let (base, distance) = (self.expand(pointer), self.expand(by));
        let whole = self.pool.add(base, distance);
        if whole != base && self.pool.as_bits(whole).is_none() {
            let (root, before) = self.split(base);
            let distance = self.pool.add(before, distance);
            self.splits.insert(whole, (root, distance));
        }
        address
    }

    /// An address without definitions as a pointer and a distance from it.
    pub(crate) fn split(&mut self, address: TermId) -> (TermId, TermId) {
        let zero = self.word64(0);
        let (mut base, mut offset) = match self.splits.get(&address) {
            Some(&parts) => parts,
            None => match self.pool.node(address) {
                // The constant is an object's address, or it is a distance.
                Node::Binary(BinaryOp::Add, x, c) if self.is_object(c) => (c, x),
                Node::Binary(BinaryOp::Add, x, c) if self.pool.as_bits(c).is_some() => {
                    let (base, before) = self.split(x);
                    (base, self.pool.add(before, c))
                }
                _ => (address, zero),
            },
        };
        if let Some(&same) = self.rebased.get(&base) {
            base = same;
        }
        if let Some(value) = self.pool.as_bits(base)
            && let Some((object, distance)) = ObjectId::at(value)
            && (object.0 as usize) < self.objects.len()
            && distance != 0
        {
            let by = self.pool.bits(64, distance as i128 as u128);
            base = self.pool.bits(64, object.address());
            offset = self.pool.add(offset, by);
        }
        (base, offset)
    }

    /// Is it a constant that lies in or near to an object?
    fn is_object(&self, address: TermId) -> bool {
        let at = self.pool.as_bits(address).and_then(ObjectId::at);
        at.is_some_and(|(o, _)| o.0 > 0 && (o.0 as usize) < self.objects.len())
    }

    /// Does a test say that a pointer which was there when the function was entered is the address of
    /// something that has come to be since?
    pub(crate) fn is_too_old(&self, fact: TermId) -> bool {
        let Node::Equal(a, b) = self.pool.node(fact) else {
            return false;
        };
        [(a, b), (b, a)].into_iter().any(|(pointer, address)| {
            let at = self.pool.as_bits(address).and_then(ObjectId::at);
            let object = at.and_then(|(o, _)| self.objects.get(o.0 as usize));
            let new = object
                .map(|o| o.kind)
                .is_some_and(|kind| matches!(kind, ObjectKind::Var(..) | ObjectKind::Allocated(_)));
            new && match unknowns(self, pointer).as_slice() {
                [only] if only.term == pointer => match only.from {
                    From::Parameter => true,
                    From::Memory { object, step, .. } => {
                        let kind = self.objects[object.0 as usize].kind;
                        step.is_none()
                            && matches!(kind, ObjectKind::Pointee(_) | ObjectKind::Global(_))
                    }
                    From::Result { .. } | From::Unset | From::Allocated | From::Other => false,
                },
                _ => false,
            }
        })
    }

    /// A test found a pointer to be an address.
    pub(crate) fn learn(&mut self, fact: TermId) {
        match self.pool.node(fact) {
            Node::And(a, b) => {
                self.learn(a);
                self.learn(b);
            }
            Node::Equal(a, b) if self.pool.width(a) == 64 => {
                for (pointer, address) in [(a, b), (b, a)] {
                    if self.is_object(address) && self.pool.as_bits(pointer).is_none() {
                        self.rebased.insert(pointer, address);
                    }
                }
            }
            _ => {}
        }
    }

    /// Everything that a pointer may point to. Null is nowhere.
    pub(crate) fn targets(&mut self, pointer: TermId) -> Targets {
        let pointer = self.expand(pointer);
        let always = self.pool.truth(true);
        let mut targets = Targets::new();
        self.collect(pointer, None, always, &mut targets);
        targets
    }

    fn collect(&mut self, address: TermId, by: Option<TermId>, when: TermId, out: &mut Targets) {
        let (base, mut offset) = self.split(address);
        if let Some(by) = by {
            offset = self.pool.add(offset, by);
        }
        if let Node::Choose(c, a, b) = self.pool.node(base)
            && out.len() < MOST_TARGETS
        {
            self.approximations.splits += 1;
            let first = self.pool.and(when, c);
            let not = self.pool.not(c);
            let second = self.pool.and(when, not);
            self.collect(a, Some(offset), first, out);
            self.collect(b, Some(offset), second, out);
            return;
        }
        let object = match self.pool.as_bits(base) {
            Some(value) => match ObjectId::at(value) {
                Some((o, 0)) if o.0 > 0 && (o.0 as usize) < self.objects.len() => o,
                // A number that is no object of ours: null, or a fixed address.
                _ => return,
            },
            None => self.pointee(base),
        };
        out.push(Target {
            when,
            object,
            offset,
        });
    }

    /// What an unknown pointer points to.
    fn pointee(&mut self, pointer: TermId) -> ObjectId {
        if let Some(&known) = self.pointees.get(&pointer) {
            return known;
        }
        let id = self.new_object(ObjectKind::Pointee(pointer), None, |path, id| {
            Layer::Unknown(path.source(id, false))
        });
        let foreign = self.outside.get(&pointer) == Some(&true);
        let object = self.object_mut(id);
        object.escaped = true;
        object.foreign = foreign;
        self.pointees.insert(pointer, id);
        // It is null, or lies where objects are: what is a little further is not null either.
        let (first, end) = (self.word64(FIRST_PAGE - 1), self.word64(LAST_ADDRESS));
        let one = self.word64(1);
        let before = self.pool.sub(pointer, one);
        let above = self.pool.compare(Order::Ule, first, before);
        let below = self.pool.compare(Order::Ult, pointer, end);
        self.assume(above);
        self.assume(below);
        id
    }

    /// The object that a pointer surely points into.
    pub(crate) fn single_target(&mut self, pointer: TermId) -> Option<Target> {
        match self.targets(pointer).as_slice() {
            [target] => Some(*target),
            _ => None,
        }
    }
}
