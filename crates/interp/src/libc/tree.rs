//! The red-black trees of libstdc++: `std::map` and `std::set` call these.

use super::{Args, Host, Table};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Scalar, Value};

/// `_Rb_tree_node_base`: colour, parent, left, right.
const COLOUR: u64 = 0;
const PARENT: u64 = 8;
const LEFT: u64 = 16;
const RIGHT: u64 = 24;
const RED: u64 = 0;
const BLACK: u64 = 1;

/// A tree in the program's memory. `header.parent` is the root, `header.left` and `header.right`
/// are its first and last node.
struct Tree<'a, 'p> {
    m: &'a mut Machine<'p>,
    header: Scalar,
}

impl Tree<'_, '_> {
    fn get(&self, node: Scalar, field: u64) -> Result<Scalar, Ctl> {
        self.m.read_pointer(node.offset(field))
    }

    fn set(&mut self, node: Scalar, field: u64, to: Scalar) -> Result<(), Ctl> {
        self.m.write_scalar(node.offset(field), 8, to)
    }

    fn colour(&self, node: Scalar) -> Result<u64, Ctl> {
        Ok(self.m.read_word(node.offset(COLOUR), 4)?.bits)
    }

    fn paint(&mut self, node: Scalar, colour: u64) -> Result<(), Ctl> {
        self.m.write_word(node.offset(COLOUR), 4, colour)
    }

    /// Missing nodes are black.
    fn is_black(&self, node: Scalar) -> Result<bool, Ctl> {
        Ok(node.bits == 0 || self.colour(node)? == BLACK)
    }

    fn root(&self) -> Result<Scalar, Ctl> {
        self.get(self.header, PARENT)
    }

    /// Puts `new` where `old` hangs.
    fn replace(&mut self, old: Scalar, new: Scalar) -> Result<(), Ctl> {
        let parent = self.get(old, PARENT)?;
        if self.root()?.bits == old.bits {
            self.set(self.header, PARENT, new)
        } else if self.get(parent, LEFT)?.bits == old.bits {
            self.set(parent, LEFT, new)
        } else {
            self.set(parent, RIGHT, new)
        }
    }

    /// Turns a node down to the side `to`; its other child takes its place.
    fn rotate(&mut self, x: Scalar, to: u64) -> Result<(), Ctl> {
        let from = LEFT + RIGHT - to;
        let y = self.get(x, from)?;
        let inner = self.get(y, to)?;
        self.set(x, from, inner)?;
        if inner.bits != 0 {
            self.set(inner, PARENT, x)?;
        }
        let parent = self.get(x, PARENT)?;
        self.set(y, PARENT, parent)?;
        self.replace(x, y)?;
        self.set(y, to, x)?;
        self.set(x, PARENT, y)
    }

    fn insert(&mut self, left: bool, x: Scalar, parent: Scalar) -> Result<(), Ctl> {
        self.set(x, PARENT, parent)?;
        self.set(x, LEFT, Scalar::ZERO)?;
        self.set(x, RIGHT, Scalar::ZERO)?;
        self.paint(x, RED)?;
        let header = self.header;
        if left {
            self.set(parent, LEFT, x)?;
            if parent.bits == header.bits {
                self.set(header, PARENT, x)?;
                self.set(header, RIGHT, x)?;
            } else if self.get(header, LEFT)?.bits == parent.bits {
                self.set(header, LEFT, x)?;
            }
        } else {
            self.set(parent, RIGHT, x)?;
            if self.get(header, RIGHT)?.bits == parent.bits {
                self.set(header, RIGHT, x)?;
            }
        }
        let mut x = x;
        while x.bits != self.root()?.bits {
            let parent = self.get(x, PARENT)?;
            if self.colour(parent)? == BLACK {
                break;
            }
            let grand = self.get(parent, PARENT)?;
            let side = if self.get(grand, LEFT)?.bits == parent.bits {
                LEFT
            } else {
                RIGHT
            };
            let other = LEFT + RIGHT - side;
            let uncle = self.get(grand, other)?;
            if !self.is_black(uncle)? {
                self.paint(parent, BLACK)?;
                self.paint(uncle, BLACK)?;
                self.paint(grand, RED)?;
                x = grand;
                continue;
            }
            if self.get(parent, other)?.bits == x.bits {
                x = parent;
                self.rotate(x, side)?;
            }
            let parent = self.get(x, PARENT)?;
            self.paint(parent, BLACK)?;
            self.paint(grand, RED)?;
            self.rotate(grand, other)?;
        }
        let root = self.root()?;
        self.paint(root, BLACK)
    }

    fn end_of(&self, node: Scalar, side: u64) -> Result<Scalar, Ctl> {
        let mut at = node;
        loop {
            let next = self.get(at, side)?;
            if next.bits == 0 {
                return Ok(at);
            }
            at = next;
        }
    }

    /// Takes a node out; what is returned is to be freed.
    fn erase(&mut self, z: Scalar) -> Result<Scalar, Ctl> {
        let header = self.header;
        let (left, right) = (self.get(z, LEFT)?, self.get(z, RIGHT)?);
        let y = if left.bits == 0 || right.bits == 0 {
            z
        } else {
            self.end_of(right, LEFT)?
        };
        let mut x = if self.get(y, LEFT)?.bits == 0 {
            self.get(y, RIGHT)?
        } else {
            self.get(y, LEFT)?
        };
        let mut x_parent;
        let colour = self.colour(y)?;
        if y.bits != z.bits {
            // The successor takes the place of the node.
            self.set(left, PARENT, y)?;
            self.set(y, LEFT, left)?;
            if y.bits != right.bits {
                x_parent = self.get(y, PARENT)?;
                if x.bits != 0 {
                    self.set(x, PARENT, x_parent)?;
                }
                self.set(x_parent, LEFT, x)?;
                self.set(y, RIGHT, right)?;
                self.set(right, PARENT, y)?;
            } else {
                x_parent = y;
            }
            self.replace(z, y)?;
            let parent = self.get(z, PARENT)?;
            self.set(y, PARENT, parent)?;
            let old = self.colour(z)?;
            self.paint(y, old)?;
        } else {
            x_parent = self.get(y, PARENT)?;
            if x.bits != 0 {
                self.set(x, PARENT, x_parent)?;
            }
            self.replace(z, x)?;
            for side in [LEFT, RIGHT] {
                if self.get(header, side)?.bits == z.bits {
                    let end = match x.bits {
                        0 => self.get(z, PARENT)?,
                        _ => self.end_of(x, side)?,
                    };
                    self.set(header, side, end)?;
                }
            }
        }
        if colour == RED {
            return Ok(z);
        }
        while x.bits != self.root()?.bits && self.is_black(x)? {
            let side = if self.get(x_parent, LEFT)?.bits == x.bits {
                LEFT
            } else {
                RIGHT
            };
            let other = LEFT + RIGHT - side;
            let mut w = self.get(x_parent, other)?;
            if self.colour(w)? == RED {
                self.paint(w, BLACK)?;
                self.paint(x_parent, RED)?;
                self.rotate(x_parent, side)?;
                w = self.get(x_parent, other)?;
            }
            let (near, far) = (self.get(w, side)?, self.get(w, other)?);
            if self.is_black(near)? && self.is_black(far)? {
                self.paint(w, RED)?;
                x = x_parent;
                x_parent = self.get(x_parent, PARENT)?;
                continue;
            }
            if self.is_black(far)? {
                self.paint(near, BLACK)?;
                self.paint(w, RED)?;
                self.rotate(w, other)?;
                w = self.get(x_parent, other)?;
            }
            let colour = self.colour(x_parent)?;
            self.paint(w, colour)?;
            self.paint(x_parent, BLACK)?;
            let far = self.get(w, other)?;
            if far.bits != 0 {
                self.paint(far, BLACK)?;
            }
            self.rotate(x_parent, side)?;
            break;
        }
        if x.bits != 0 {
            self.paint(x, BLACK)?;
        }
        Ok(z)
    }

    /// The next node on the side `to`.
    fn step(&self, node: Scalar, to: u64) -> Result<Scalar, Ctl> {
        let from = LEFT + RIGHT - to;
        // Back from the end: the header is red, and its own grandparent.
        if to == LEFT && self.colour(node)? == RED {
            let parent = self.get(node, PARENT)?;
            if parent.bits != 0 && self.get(parent, PARENT)?.bits == node.bits {
                return self.get(node, RIGHT);
            }
        }
        let down = self.get(node, to)?;
        if down.bits != 0 {
            return self.end_of(down, from);
        }
        let mut x = node;
        let mut y = self.get(x, PARENT)?;
        while x.bits == self.get(y, to)?.bits {
            x = y;
            y = self.get(y, PARENT)?;
        }
        // A tree of one node: its right is the header.
        Ok(if to == RIGHT && self.get(x, RIGHT)?.bits == y.bits {
            x
        } else {
            y
        })
    }
}

fn step(h: &mut dyn Host<'_>, a: &[Value], to: u64) -> Result<Value, Ctl> {
    let node = a.at(0)?;
    let tree = Tree {
        m: h.m(),
        header: node,
    };
    Ok(Value::Scalar(tree.step(node, to)?))
}

fn increment(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    step(h, a, RIGHT)
}

fn decrement(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    step(h, a, LEFT)
}

pub(super) const TABLE: Table = &[
    (
        "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
        |h, a| {
            let (left, x, parent, header) = (a.byte(0)? != 0, a.at(1)?, a.at(2)?, a.at(3)?);
            Tree { m: h.m(), header }.insert(left, x, parent)?;
            Ok(Value::Void)
        },
    ),
    (
        "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
        |h, a| {
            let (z, header) = (a.at(0)?, a.at(1)?);
            Ok(Value::Scalar(Tree { m: h.m(), header }.erase(z)?))
        },
    ),
    ("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", increment),
    (
        "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
        increment,
    ),
    ("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", decrement),
    (
        "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
        decrement,
    ),
];
