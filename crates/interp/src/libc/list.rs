//! The list nodes of libstdc++: `std::list` calls these.

use super::{Args, Host, Table};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Scalar, Value};

/// `_List_node_base`: next, previous.
const NEXT: u64 = 0;
const PREVIOUS: u64 = 8;

fn join(m: &mut Machine<'_>, a: Scalar, b: Scalar) -> Result<(), Ctl> {
    m.write_scalar(a.offset(NEXT), 8, b)?;
    m.write_scalar(b.offset(PREVIOUS), 8, a)
}

/// Moves [first, last) in front of a node.
fn transfer(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (to, first, last) = (a.at(0)?, a.at(1)?, a.at(2)?);
    if to.bits == last.bits {
        return Ok(Value::Void);
    }
    let m = h.m();
    let end = m.read_pointer(last.offset(PREVIOUS))?;
    let before_first = m.read_pointer(first.offset(PREVIOUS))?;
    let before_to = m.read_pointer(to.offset(PREVIOUS))?;
    join(m, before_first, last)?;
    join(m, before_to, first)?;
    join(m, end, to)?;
    Ok(Value::Void)
}

fn reverse(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let start = a.at(0)?;
    let m = h.m();
    let mut at = start;
    loop {
        let (next, previous) = (
            m.read_pointer(at.offset(NEXT))?,
            m.read_pointer(at.offset(PREVIOUS))?,
        );
        m.write_scalar(at.offset(NEXT), 8, previous)?;
        m.write_scalar(at.offset(PREVIOUS), 8, next)?;
        at = next;
        if at.bits == start.bits {
            return Ok(Value::Void);
        }
    }
}

/// Exchanges what two list heads hold.
fn swap_lists(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (x, y) = (a.at(0)?, a.at(1)?);
    let m = h.m();
    let ends = |m: &Machine<'_>, p: Scalar| -> Result<_, Ctl> {
        let first = m.read_pointer(p.offset(NEXT))?;
        let last = m.read_pointer(p.offset(PREVIOUS))?;
        Ok((first.bits != p.bits).then_some((first, last)))
    };
    let (of_x, of_y) = (ends(m, x)?, ends(m, y)?);
    for (head, list) in [(x, of_y), (y, of_x)] {
        match list {
            Some((first, last)) => {
                join(m, head, first)?;
                join(m, last, head)?;
            }
            None => join(m, head, head)?,
        }
    }
    Ok(Value::Void)
}

pub(super) const TABLE: Table = &[
    ("_ZNSt8__detail15_List_node_base7_M_hookEPS0_", |h, a| {
        let (node, before) = (a.at(0)?, a.at(1)?);
        let m = h.m();
        let previous = m.read_pointer(before.offset(PREVIOUS))?;
        join(m, previous, node)?;
        join(m, node, before)?;
        Ok(Value::Void)
    }),
    ("_ZNSt8__detail15_List_node_base9_M_unhookEv", |h, a| {
        let node = a.at(0)?;
        let m = h.m();
        let next = m.read_pointer(node.offset(NEXT))?;
        let previous = m.read_pointer(node.offset(PREVIOUS))?;
        join(m, previous, next)?;
        Ok(Value::Void)
    }),
    (
        "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
        transfer,
    ),
    ("_ZNSt8__detail15_List_node_base10_M_reverseEv", reverse),
    ("_ZNSt8__detail15_List_node_base4swapERS0_S1_", swap_lists),
];
