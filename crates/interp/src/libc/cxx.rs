//! The C++ run-time library (allocation, exceptions, statics, casts) and the verifier's functions.

use super::{Args, Host, Table};
use crate::outcome::{Ctl, StuckReason};
use crate::unwind::Exception;
use crate::value::{Scalar, Value};
use ir::Family;

/// A block of `new` or `new[]`, or null.
fn block(h: &mut dyn Host<'_>, family: Family, size: u64, align: u64) -> Scalar {
    let m = h.m();
    let p = m.malloc(size.max(1), align, false);
    m.mem.set_family(p.prov, family);
    p
}

fn new(h: &mut dyn Host<'_>, a: &[Value], family: Family) -> Result<Value, Ctl> {
    let p = block(h, family, a.u64(0)?, 16);
    if p.bits == 0 {
        return Err(h.m().throw_standard("St9bad_alloc", b""));
    }
    Ok(Value::Scalar(p))
}

fn new_nothrow(h: &mut dyn Host<'_>, a: &[Value], family: Family) -> Result<Value, Ctl> {
    Ok(Value::Scalar(block(h, family, a.u64(0)?, 16)))
}

fn new_aligned(h: &mut dyn Host<'_>, a: &[Value], family: Family) -> Result<Value, Ctl> {
    Ok(Value::Scalar(block(h, family, a.u64(0)?, a.u64(1)?)))
}

fn delete(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().free(a.at(0)?)?;
    Ok(Value::Void)
}

fn throw(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (object, type_info, destructor) = (a.at(0)?, a.at(1)?, a.at(2)?);
    let m = h.m();
    let object = m.mem.with_object(object);
    let exception = Exception::new(object, m.mem.with_object(type_info), destructor);
    m.exceptions.thrown.insert(object.bits, exception);
    Err(Ctl::Throw(object.bits))
}

fn begin_catch(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let p = a.at(0)?;
    let e = &mut h.m().exceptions;
    let Some(exception) = e.thrown.get_mut(&p.bits) else {
        return Err(Ctl::malformed("catch of what was not thrown"));
    };
    exception.handlers += 1;
    exception.rethrown = false;
    let adjusted = exception.adjusted;
    e.caught.push(p.bits);
    e.in_flight = None;
    Ok(Value::Scalar(adjusted))
}

fn end_catch(h: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    let e = &mut h.m().exceptions;
    let Some(address) = e.caught.pop() else {
        return Ok(Value::Void);
    };
    let Some(exception) = e.thrown.get_mut(&address) else {
        return Ok(Value::Void);
    };
    exception.handlers -= 1;
    drop_unused(h, address)
}

/// Destroys an exception that nobody handles, throws on or holds.
fn drop_unused(h: &mut dyn Host<'_>, address: u64) -> Result<Value, Ctl> {
    let e = &mut h.m().exceptions;
    let unused = |x: &Exception| x.handlers <= 0 && !x.rethrown && x.references == 0;
    let Some(exception) = e.thrown.get(&address).filter(|x| unused(x)).cloned() else {
        return Ok(Value::Void);
    };
    e.thrown.remove(&address);
    if exception.destructor.bits != 0 {
        h.call_pointer(exception.destructor, vec![Value::Scalar(exception.object)])?;
    }
    h.m().free(exception.object)?;
    Ok(Value::Void)
}

/// A `std::exception_ptr` is a pointer to the exception.
fn current_exception(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let m = h.m();
    let held = m.exceptions.caught.last().copied();
    let object = match held.and_then(|address| m.exceptions.thrown.get_mut(&address)) {
        Some(exception) => {
            exception.references += 1;
            exception.object
        }
        None => Scalar::ZERO,
    };
    m.write_scalar(a.at(0)?, 8, object)?;
    Ok(Value::Void)
}

fn hold(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let m = h.m();
    let held = m.read_pointer(a.at(0)?)?.bits;
    if let Some(exception) = m.exceptions.thrown.get_mut(&held) {
        exception.references += 1;
    }
    Ok(Value::Void)
}

fn release(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let m = h.m();
    let held = m.read_pointer(a.at(0)?)?.bits;
    m.write_word(a.at(0)?, 8, 0)?;
    match m.exceptions.thrown.get_mut(&held) {
        Some(exception) => exception.references = exception.references.saturating_sub(1),
        None => return Ok(Value::Void),
    }
    drop_unused(h, held)
}

fn rethrow_held(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let m = h.m();
    let held = m.read_pointer(a.at(0)?)?.bits;
    match m.exceptions.thrown.get_mut(&held) {
        Some(exception) => {
            exception.rethrown = true;
            exception.adjusted = exception.object;
            Err(Ctl::Throw(held))
        }
        None => terminate(h, a),
    }
}

fn rethrow(h: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    let e = &mut h.m().exceptions;
    let Some(&address) = e.caught.last() else {
        return Err(Ctl::Abort("terminate: rethrow without an exception".into()));
    };
    if let Some(exception) = e.thrown.get_mut(&address) {
        exception.rethrown = true;
        exception.adjusted = exception.object;
    }
    Err(Ctl::Throw(address))
}

fn terminate(h: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    if let Some(handler) = h.m().lib.terminate_handler.take()
        && handler.bits != 0
    {
        h.call_pointer(handler, Vec::new())?;
    }
    Err(Ctl::Abort("std::terminate() was called".into()))
}

fn error(_: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    Err(Ctl::Abort("the error function was called".into()))
}

/// The next value of the configured list; then what the oracle says; then 0.
pub(super) fn nondet(h: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    let m = h.m();
    let value = match m.nondet.next() {
        Some(n) => n,
        None => m.oracle.nondet("__VERIFIER_nondet").unwrap_or(0),
    };
    Ok(Value::int(value))
}

/// The same as a `_Bool`: whatever is not zero is one.
pub(super) fn nondet_bool(h: &mut dyn Host<'_>, args: &[Value]) -> Result<Value, Ctl> {
    let value = nondet(h, args)?;
    Ok(Value::int(u64::from([value].int(0)? != 0)))
}

fn assume(_: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    if a.int(0)? == 0 {
        return Err(Ctl::Stuck(StuckReason::Blocked));
    }
    Ok(Value::Void)
}

fn nothing(_: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    Ok(Value::Void)
}

pub(super) const TABLE: Table = &[
    ("_Znwm", |h, a| new(h, a, Family::New)),
    ("_Znam", |h, a| new(h, a, Family::NewArray)),
    ("_ZnwmRKSt9nothrow_t", |h, a| new_nothrow(h, a, Family::New)),
    ("_ZnamRKSt9nothrow_t", |h, a| {
        new_nothrow(h, a, Family::NewArray)
    }),
    ("_ZnwmSt11align_val_t", |h, a| {
        new_aligned(h, a, Family::New)
    }),
    ("_ZnamSt11align_val_t", |h, a| {
        new_aligned(h, a, Family::NewArray)
    }),
    ("_ZdlPv", delete),
    ("_ZdaPv", delete),
    ("_ZdlPvm", delete),
    ("_ZdaPvm", delete),
    ("_ZdlPvSt11align_val_t", delete),
    ("_ZdaPvSt11align_val_t", delete),
    ("_ZdlPvmSt11align_val_t", delete),
    ("_ZdaPvmSt11align_val_t", delete),
    ("_ZdlPvRKSt9nothrow_t", delete),
    ("_ZdaPvRKSt9nothrow_t", delete),
    ("__cxa_allocate_exception", |h, a| {
        let p = h.m().malloc(a.u64(0)?, 16, false);
        if p.bits == 0 {
            return Err(Ctl::Stuck(StuckReason::Memory));
        }
        Ok(Value::Scalar(p))
    }),
    ("__cxa_free_exception", delete),
    ("__cxa_throw", throw),
    ("__cxa_begin_catch", begin_catch),
    ("__cxa_end_catch", end_catch),
    ("__cxa_rethrow", rethrow),
    ("__cxa_get_exception_ptr", |h, a| {
        let p = a.at(0)?;
        let e = h.m().exceptions.thrown.get(&p.bits);
        Ok(Value::Scalar(e.map_or(p, |e| e.adjusted)))
    }),
    ("_Unwind_Resume", |h, a| {
        let p = a.at(0)?;
        h.m().exceptions.in_flight = Some(p.bits);
        Err(Ctl::Rethrow(p.bits))
    }),
    ("__cxa_call_unexpected", terminate),
    ("__cxa_call_terminate", terminate),
    ("_ZSt9terminatev", terminate),
    ("__clang_call_terminate", terminate),
    ("_ZSt13set_terminatePFvvE", |h, a| {
        let old = h.m().lib.terminate_handler.replace(a.at(0)?);
        Ok(Value::Scalar(old.unwrap_or(Scalar::ZERO)))
    }),
    ("_ZSt17current_exceptionv", current_exception),
    ("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv", hold),
    (
        "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv",
        release,
    ),
    (
        "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
        rethrow_held,
    ),
    ("_ZSt13get_terminatev", |h, _| {
        let handler = h.m().lib.terminate_handler;
        Ok(Value::Scalar(handler.unwrap_or(Scalar::ZERO)))
    }),
    ("_ZSt19uncaught_exceptionsv", |h, _| {
        let e = &h.m().exceptions;
        let caught = |address| e.caught.contains(address);
        let flying = e.thrown.keys().filter(|a| !caught(a)).count();
        Ok(Value::int(flying as u64))
    }),
    ("__cxa_pure_virtual", |_, _| {
        Err(Ctl::Abort("pure virtual method called".into()))
    }),
    ("__cxa_deleted_virtual", |_, _| {
        Err(Ctl::Abort("deleted virtual method called".into()))
    }),
    ("__cxa_atexit", at_exit),
    ("__cxa_thread_atexit", at_exit),
    ("__cxa_guard_acquire", |h, a| {
        let done = h.m().read_u8(a.at(0)?)?;
        Ok(Value::i32((done == 0) as i32))
    }),
    ("__cxa_guard_release", |h, a| {
        h.m().write_word(a.at(0)?, 1, 1)?;
        Ok(Value::Void)
    }),
    ("__cxa_guard_abort", nothing),
    ("__dynamic_cast", |h, a| {
        let (p, to) = (a.at(0)?, a.at(2)?);
        let found = h.m().dynamic_cast(p, to);
        Ok(Value::Scalar(found.unwrap_or(Scalar::ZERO)))
    }),
    ("_ZNSt8ios_base4InitC1Ev", nothing),
    ("_ZNSt8ios_base4InitD1Ev", nothing),
    ("__VERIFIER_error", error),
    ("reach_error", error),
    ("__VERIFIER_assume", assume),
    ("__VERIFIER_assert", |_, a| {
        if a.int(0)? == 0 {
            return Err(Ctl::Abort("__VERIFIER_assert failed".into()));
        }
        Ok(Value::Void)
    }),
    // What models say is asked by checks; here it is over.
    ("__rigel_barrier", nothing),
    ("__rigel_end_of_array", |h, a| {
        h.m().end_of_array(a.at(0)?);
        Ok(Value::Void)
    }),
    ("__rigel_model", nothing),
    ("__rigel_room", nothing),
    ("__rigel_fail", error),
    ("__VERIFIER_atomic_begin", nothing),
    ("__VERIFIER_atomic_end", nothing),
];

fn at_exit(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (f, arg) = (a.at(0)?, a.at(1)?);
    h.m().at_exit.push((f, Some(arg)));
    Ok(Value::int(0))
}
