//! `<setjmp.h>`. A `jmp_buf` holds the number of the frame and the node of the `setjmp`.

use super::{Args, Host, Table};
use crate::outcome::{Ctl, FaultKind};
use crate::value::Value;

fn set(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let buffer = a.at(0)?;
    let m = h.m();
    let Some((serial, node)) = m.frames.last().map(|f| (f.serial, f.node)) else {
        return Err(Ctl::malformed("setjmp outside a function"));
    };
    m.write_word(buffer, 8, serial)?;
    m.write_word(buffer.offset(8), 8, u64::from(node))?;
    Ok(Value::int(0))
}

fn jump(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (buffer, value) = (a.at(0)?, a.int(1)?);
    let m = h.m();
    let frame = m.read_word(buffer, 8)?;
    let node = m.read_word(buffer.offset(8), 8)?;
    if frame.undef != 0 || node.undef != 0 {
        return Err(Ctl::fault(FaultKind::BadJump, "the jmp_buf was never set"));
    }
    Err(Ctl::Jump {
        frame: frame.bits,
        node: node.bits as u32,
        value: value as u32,
    })
}

pub(super) const TABLE: Table = &[
    ("setjmp", set),
    ("_setjmp", set),
    ("sigsetjmp", set),
    ("__sigsetjmp", set),
    ("longjmp", jump),
    ("_longjmp", jump),
    ("siglongjmp", jump),
    ("__longjmp_chk", jump),
];
