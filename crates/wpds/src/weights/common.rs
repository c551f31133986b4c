//! Have some formulas a store in common?
//!
//! Whether there is one is less than which there are: nothing has to be built, and the first one found ends the search. A
//! walk down all diagrams at once, one variable at a time, which remembers where it found nothing.

use oxidd::util::Ref;
use oxidd::{Edge, Function, HasLevel, InnerNode, LevelNo, Manager, ManagerRef, Node};
use rustc_hash::FxHashSet;

use super::vocabulary::{Formula, Vocabulary};

impl Vocabulary {
    /// Is there an assignment that makes all three true?
    pub(crate) fn common(&self, formulas: [&Formula; 3]) -> bool {
        self.manager.with_manager_shared(|manager| {
            let mut walk = Walk {
                manager,
                no: self.no.as_edge(manager),
                yes: self.yes.as_edge(manager),
                nothing: FxHashSet::default(),
            };
            walk.meet(formulas.map(|formula| formula.0.as_edge(manager)))
        })
    }
}

struct Walk<'m, M: Manager> {
    manager: &'m M,
    no: Ref<'m, M::Edge>,
    yes: Ref<'m, M::Edge>,
    /// Where there is nothing in common.
    nothing: FxHashSet<[Ref<'m, M::Edge>; 3]>,
}

impl<'m, M: Manager> Walk<'m, M>
where
    M::InnerNode: HasLevel,
    M::Edge: Edge,
{
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
        let level = nodes.iter().fold(LevelNo::MAX, |l, n| l.min(n.level()));
        for branch in 0..2 {
            let mut next = edges;
            for (edge, node) in next.iter_mut().zip(nodes) {
                if let Node::Inner(node) = node
                    && node.level() == level
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
