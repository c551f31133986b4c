//! Integers of 128 bits as isl's unbounded ones, and back: as a sign and two words of 64 bits.

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use super::functions::{isl_val_is_int, isl_val_neg, isl_val_sgn};
use super::handle::{Handle, Outcome, isl_val};
use super::owner::{Ctx, Owner};
use crate::{Result, Stopped};

unsafe extern "C" {
    fn isl_val_int_from_chunks(
        ctx: *mut Ctx,
        count: usize,
        size: usize,
        chunks: *const c_void,
    ) -> *mut isl_val;
    fn isl_val_n_abs_num_chunks(value: *mut isl_val, size: usize) -> c_int;
    fn isl_val_get_abs_num_chunks(value: *mut isl_val, size: usize, chunks: *mut c_void) -> c_int;
}

const WORD: usize = size_of::<u64>();

/// isl's integer of this value.
pub(crate) fn value(owner: &Rc<Owner>, number: i128) -> Result<Handle<isl_val>> {
    let magnitude = number.unsigned_abs();
    // Least significant first, each in the machine's own order.
    let words = [magnitude as u64, (magnitude >> 64) as u64];
    owner.enter();
    // SAFETY: two words are read, and copied; the result is a new object of this context.
    let positive = unsafe {
        let raw = isl_val_int_from_chunks(owner.pointer(), 2, WORD, words.as_ptr().cast());
        Handle::receive(raw, owner)?
    };
    if number < 0 {
        isl_val_neg(positive)
    } else {
        Ok(positive)
    }
}

/// The value of an isl integer, if it has one and 128 bits are enough for it.
pub(crate) fn number(value: &Handle<isl_val>) -> Result<i128> {
    if !isl_val_is_int(value)? {
        return Err(Stopped::Failed("not an integer".into()));
    }
    let too_large = || Stopped::Failed("a number of more than 128 bits".into());
    let mut words = [0u64; 2];
    // SAFETY: the value is alive; as many words are written as isl says, and these fit.
    unsafe {
        let count = isl_val_n_abs_num_chunks(value.pointer(), WORD);
        if usize::receive(count, value.owner())? > words.len() {
            return Err(too_large());
        }
        let status = isl_val_get_abs_num_chunks(value.pointer(), WORD, words.as_mut_ptr().cast());
        usize::receive(status, value.owner())?;
    }
    let magnitude = u128::from(words[0]) | (u128::from(words[1]) << 64);
    if isl_val_sgn(value)? < 0 {
        0i128.checked_sub_unsigned(magnitude)
    } else {
        i128::try_from(magnitude).ok()
    }
    .ok_or_else(too_large)
}
