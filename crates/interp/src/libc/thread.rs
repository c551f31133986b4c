//! Locks, as one thread sees them that is alone: a lock is free, or its own.

use super::{Args, Host, Table};
use crate::outcome::Ctl;
use crate::value::Value;

const EBUSY: i32 = 16;
const THRD_BUSY: i32 = 1;
const RECURSIVE: i32 = 1;

/// Nobody will ever unlock what this thread waits for.
fn lock(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    match take(h, a)? || h.m().lib.recursive {
        true => Ok(Value::i32(0)),
        false => Err(Ctl::Abort(
            "the thread waits for a lock that it holds".into(),
        )),
    }
}

/// Was it free?
fn take(h: &mut dyn Host<'_>, a: &[Value]) -> Result<bool, Ctl> {
    let address = a.at(0)?.bits;
    Ok(h.m().lib.locked.insert(address))
}

fn try_lock(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    Ok(Value::i32(if take(h, a)? { 0 } else { EBUSY }))
}

fn unlock(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let address = a.at(0)?.bits;
    h.m().lib.locked.remove(&address);
    Ok(Value::i32(0))
}

/// Waiting lets go of the lock, and takes it again.
fn nothing(_: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    Ok(Value::i32(0))
}

pub(super) const TABLE: Table = &[
    ("pthread_mutex_init", unlock),
    ("pthread_mutex_destroy", unlock),
    ("pthread_mutex_lock", lock),
    ("pthread_mutex_trylock", try_lock),
    ("pthread_mutex_unlock", unlock),
    ("pthread_spin_init", unlock),
    ("pthread_spin_destroy", unlock),
    ("pthread_spin_lock", lock),
    ("pthread_spin_trylock", try_lock),
    ("pthread_spin_unlock", unlock),
    ("pthread_mutexattr_init", nothing),
    ("pthread_mutexattr_settype", |h, a| {
        h.m().lib.recursive |= a.int(1)? == RECURSIVE;
        Ok(Value::i32(0))
    }),
    ("pthread_mutexattr_destroy", nothing),
    ("pthread_cond_init", nothing),
    ("pthread_cond_destroy", nothing),
    ("pthread_cond_wait", nothing),
    ("pthread_cond_signal", nothing),
    ("pthread_cond_broadcast", nothing),
    ("mtx_init", unlock),
    ("mtx_destroy", unlock),
    ("mtx_lock", lock),
    ("mtx_trylock", |h, a| {
        Ok(Value::i32(if take(h, a)? { 0 } else { THRD_BUSY }))
    }),
    ("mtx_unlock", unlock),
];
