//! The one file that exists, `/dev/null`, and directories, all of them empty: enough for programs
//! whose errors are in the order of `open`, use and `close`.

use super::stdio::{fail, no_file};
use super::{Args, Host, Table};
use crate::outcome::Ctl;
use crate::value::{Scalar, Value};
use std::collections::BTreeSet;

/// What is open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opened {
    /// Addresses of streams and of directories.
    streams: BTreeSet<u64>,
    directories: BTreeSet<u64>,
    descriptors: BTreeSet<i32>,
}

impl Opened {
    /// Is this a stream of `/dev/null`?
    pub fn has_stream(&self, p: Scalar) -> bool {
        self.streams.contains(&p.bits)
    }

    pub fn has_descriptor(&self, fd: i32) -> bool {
        self.descriptors.contains(&fd)
    }

    /// The lowest number that is free; those of the standard streams are taken.
    fn descriptor(&mut self) -> i32 {
        let free = (3..).find(|fd| !self.descriptors.contains(fd));
        let fd = free.unwrap_or(-1);
        self.descriptors.insert(fd);
        fd
    }
}

fn is_device(h: &mut dyn Host<'_>, path: Scalar) -> Result<bool, Ctl> {
    Ok(h.m().read_str(path)? == b"/dev/null")
}

fn open_stream(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    if !is_device(h, a.at(0)?)? {
        return no_file(h, a);
    }
    new_stream(h)
}

fn new_stream(h: &mut dyn Host<'_>) -> Result<Value, Ctl> {
    let p = h.m().new_static(216)?;
    h.m().lib.opened.streams.insert(p.bits);
    Ok(Value::Scalar(p))
}

fn open_descriptor(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    match is_device(h, a.at(0)?)? {
        true => Ok(Value::i32(h.m().lib.opened.descriptor())),
        false => fail(h, a),
    }
}

fn close(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let fd = a.int(0)?;
    let closed = h.m().lib.opened.descriptors.remove(&fd);
    Ok(Value::i32(if closed { 0 } else { -1 }))
}

pub(super) const TABLE: Table = &[
    ("fopen", open_stream),
    ("fopen64", open_stream),
    ("fdopen", |h, a| {
        let fd = a.int(0)?;
        match h.m().lib.opened.has_descriptor(fd) {
            true => new_stream(h),
            false => no_file(h, a),
        }
    }),
    ("fclose", |h, a| {
        let p = a.at(0)?;
        h.m().lib.opened.streams.remove(&p.bits);
        Ok(Value::i32(0))
    }),
    ("open", open_descriptor),
    ("open64", open_descriptor),
    ("close", close),
    ("dup", |h, a| {
        let fd = a.int(0)?;
        Ok(Value::i32(match h.m().lib.opened.has_descriptor(fd) {
            true => h.m().lib.opened.descriptor(),
            false => -1,
        }))
    }),
    ("opendir", |h, _| {
        let p = h.m().new_static(64)?;
        h.m().lib.opened.directories.insert(p.bits);
        Ok(Value::Scalar(p))
    }),
    ("readdir", |_, _| Ok(Value::int(0))),
    ("rewinddir", |_, _| Ok(Value::Void)),
    ("closedir", |h, a| {
        let p = a.at(0)?;
        let closed = h.m().lib.opened.directories.remove(&p.bits);
        Ok(Value::i32(if closed { 0 } else { -1 }))
    }),
];
