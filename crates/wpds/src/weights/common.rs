//! Have some formulas a store in common?
//!
//! Whether there is one is less than which there are: nothing has to be built, and the first one found ends the search. A
//! walk down all diagrams at once, one variable at a time, which remembers where it found nothing. A diagram can be read as if one copy
//! of its bits were another: where that keeps the order of the variables, nothing has to be renamed.

use oxidd::util::Ref;
use oxidd::{Edge, Function, HasLevel, InnerNode, LevelNo, Manager, ManagerRef, Node};
use rustc_hash::FxHashSet;

use super::vocabulary::{Copy, Formula, Vocabulary};

/// How a formula is read: with one copy of the bits in the place of another. The formula must not speak of the other, nor of a copy
/// between the two.
pub(crate) type Reading = Option<(Copy, Copy)>;

impl Vocabulary {
    /// Is there an assignment that makes all three true?
    pub(crate) fn common(&self, formulas: [(&Formula, Reading); 3]) -> bool {
        self.manager.with_manager_shared(|manager| {
            let mut walk = Walk {
                manager,
                no: self.no.as_edge(manager),
                yes: self.yes.as_edge(manager),
                readings: formulas.map(|(_, reading)| reading),
                locals: 4 * self.local(),
                nothing: FxHashSet::default(),
            };
            walk.meet(formulas.map(|(formula, _)| formula.0.as_edge(manager)))
        })
    }
}

struct Walk<'m, M: Manager> {
    manager: &'m M,
    no: Ref<'m, M::Edge>,
    yes: Ref<'m, M::Edge>,
    readings: [Reading; 3],
    /// Variables of local bits, four for each; the shared ones follow, three for each.
    locals: u32,
    /// Where there is nothing in common.
    nothing: FxHashSet<[Ref<'m, M::Edge>; 3]>,
}

impl<'m, M: Manager> Walk<'m, M>
where
    M::InnerNode: HasLevel,
    M::Edge: Edge,
{
    /// The level at which a node is read.
    fn level(&self, node: &Node<'m, M>, reading: Reading) -> LevelNo {
        let (Node::Inner(inner), Some((from, to))) = (node, reading) else {
            return node.level();
        };
        let level = inner.level();
        let copy = match level.checked_sub(self.locals) {
            None => level % 4,
            Some(shared) => shared % 3,
        };
        // Nothing of a shared bit is saved.
        let has = to != Copy::Saved || level < self.locals;
        match copy == from.place() && has {
            true => level - from.place() + to.place(),
            false => level,
        }
    }

    fn meet(&mut self, edges: [Ref<'m, M::Edge>; 3]) -> bool {
        if edges.contains(&self.no) {
            return false;
        }
        // What is not false is true of something.
        if edges.iter().filter(|edge| **edge != self.yes).count() <= 1 {
            return true;
        }
        if self.nothing.contains(&edges) {
            return false;
        }
        let manager = self.manager;
        let nodes = edges.map(|edge| manager.get_node(edge));
        let [a, b, c] = &nodes;
        let [x, y, z] = self.readings;
        let levels = [self.level(a, x), self.level(b, y), self.level(c, z)];
        let level = levels.into_iter().fold(LevelNo::MAX, LevelNo::min);
        for branch in 0..2 {
            let mut next = edges;
            for ((edge, node), at) in next.iter_mut().zip(nodes).zip(levels) {
                if let Node::Inner(node) = node
                    && at == level
                {
                    *edge = node.child(branch);
                }
            }
            if self.meet(next) {
                return true;
            }
        }
        self.nothing.insert(edges);
        false
    }
}
