//! Objects of isl, and how they are passed to its functions and received from them: once, for all functions.

#![allow(non_camel_case_types)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::NonNull;
use std::rc::Rc;

use super::owner::{Ctx, Owner};
use crate::{Result, Stopped};

/// A type of isl whose objects count their references.
pub(crate) trait Object {
    /// One reference more.
    ///
    /// # Safety
    /// `pointer` is an object that is alive.
    unsafe fn copy(pointer: *mut Self) -> *mut Self;

    /// One reference less.
    ///
    /// # Safety
    /// `pointer` is an object that is alive, and this reference is not used any more.
    unsafe fn free(pointer: *mut Self);
}

macro_rules! objects {
    ($($name:ident: $copy:ident, $free:ident;)*) => {$(
        #[repr(C)]
        pub(crate) struct $name {
            _private: [u8; 0],
        }

        unsafe extern "C" {
            fn $copy(pointer: *mut $name) -> *mut $name;
            fn $free(pointer: *mut $name) -> *mut $name;
        }

        impl Object for $name {
            unsafe fn copy(pointer: *mut Self) -> *mut Self {
                // SAFETY: what the trait's function asks for.
                unsafe { $copy(pointer) }
            }

            unsafe fn free(pointer: *mut Self) {
                // SAFETY: what the trait's function asks for. The result is always null.
                unsafe { $free(pointer) };
            }
        }
    )*};
}

objects! {
    isl_aff: isl_aff_copy, isl_aff_free;
    isl_basic_set: isl_basic_set_copy, isl_basic_set_free;
    isl_basic_set_list: isl_basic_set_list_copy, isl_basic_set_list_free;
    isl_local_space: isl_local_space_copy, isl_local_space_free;
    isl_map: isl_map_copy, isl_map_free;
    isl_mat: isl_mat_copy, isl_mat_free;
    isl_point: isl_point_copy, isl_point_free;
    isl_set: isl_set_copy, isl_set_free;
    isl_space: isl_space_copy, isl_space_free;
    isl_val: isl_val_copy, isl_val_free;
    isl_vec: isl_vec_copy, isl_vec_free;
}

/// One reference to an object of isl, and to the context it lives in.
pub(crate) struct Handle<T: Object> {
    pointer: NonNull<T>,
    owner: Rc<Owner>,
}

impl<T: Object> Handle<T> {
    pub(crate) fn owner(&self) -> &Rc<Owner> {
        &self.owner
    }

    /// The pointer, for a function that keeps nothing.
    pub(super) fn pointer(&self) -> *mut T {
        self.pointer.as_ptr()
    }
}

impl<T: Object> Clone for Handle<T> {
    fn clone(&self) -> Self {
        // SAFETY: a handle's object is alive.
        let pointer = unsafe { T::copy(self.pointer.as_ptr()) };
        Handle {
            pointer: NonNull::new(pointer).expect("a copy is the same object"),
            owner: self.owner.clone(),
        }
    }
}

impl<T: Object> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: the reference is this handle's own, which ends here. The context lives on: `owner` is dropped later.
        unsafe { T::free(self.pointer.as_ptr()) };
    }
}

/// Which dimensions of a space; isl's `enum isl_dim_type`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) enum DimType {
    Constant = 0,
    Parameter = 1,
    In = 2,
    /// The dimensions of a set, too.
    Out = 3,
    Div = 4,
}

/// What can be passed to isl.
pub(crate) trait Argument {
    type Raw;
    /// The context it belongs to.
    fn home(&self) -> Option<&Rc<Owner>> {
        None
    }
    fn pass(self) -> Self::Raw;
}

/// `__isl_take`.
impl<T: Object> Argument for Handle<T> {
    type Raw = *mut T;
    fn home(&self) -> Option<&Rc<Owner>> {
        Some(&self.owner)
    }
    fn pass(self) -> *mut T {
        let pointer = self.pointer.as_ptr();
        let whole = std::mem::ManuallyDrop::new(self);
        // SAFETY: read once, from a handle that is not dropped: its `Rc` ends here, its reference is isl's from now on.
        drop(unsafe { std::ptr::read(&whole.owner) });
        pointer
    }
}

/// `__isl_keep`.
impl<T: Object> Argument for &Handle<T> {
    type Raw = *mut T;
    fn home(&self) -> Option<&Rc<Owner>> {
        Some(&self.owner)
    }
    fn pass(self) -> *mut T {
        self.pointer.as_ptr()
    }
}

/// `isl_ctx *`.
impl Argument for &Rc<Owner> {
    type Raw = *mut Ctx;
    fn home(&self) -> Option<&Rc<Owner>> {
        Some(self)
    }
    fn pass(self) -> *mut Ctx {
        self.pointer()
    }
}

impl Argument for &CStr {
    type Raw = *const c_char;
    fn pass(self) -> *const c_char {
        self.as_ptr()
    }
}

macro_rules! plain_arguments {
    ($($type:ty as $raw:ty),*) => {$(
        impl Argument for $type {
            type Raw = $raw;
            fn pass(self) -> $raw {
                self
            }
        }
    )*};
}

plain_arguments!(i32 as c_int, u32 as c_uint, DimType as DimType);

/// What can be received from isl.
pub(crate) trait Outcome: Sized {
    type Raw;
    /// # Safety
    /// `raw` is what a function of isl returned that gives such a thing, made in the context `owner`.
    unsafe fn receive(raw: Self::Raw, owner: &Rc<Owner>) -> Result<Self>;
}

/// An error of isl counts even if there is a result: a function that went on after one cannot be believed.
fn check<T>(result: Option<T>, owner: &Owner) -> Result<T> {
    match (owner.failure(), result) {
        (Some(stopped), _) => Err(stopped),
        (None, Some(result)) => Ok(result),
        (None, None) => Err(Stopped::Failed("isl gave no result".into())),
    }
}

/// `__isl_give`.
impl<T: Object> Outcome for Handle<T> {
    type Raw = *mut T;
    unsafe fn receive(raw: *mut T, owner: &Rc<Owner>) -> Result<Self> {
        let handle = NonNull::new(raw).map(|pointer| Handle {
            pointer,
            owner: owner.clone(),
        });
        check(handle, owner)
    }
}

/// `isl_bool`.
impl Outcome for bool {
    type Raw = c_int;
    unsafe fn receive(raw: c_int, owner: &Rc<Owner>) -> Result<bool> {
        check((raw >= 0).then_some(raw > 0), owner)
    }
}

/// `isl_size`.
impl Outcome for usize {
    type Raw = c_int;
    unsafe fn receive(raw: c_int, owner: &Rc<Owner>) -> Result<usize> {
        check(usize::try_from(raw).ok(), owner)
    }
}

/// `int`, every value of which is a good one.
impl Outcome for i32 {
    type Raw = c_int;
    unsafe fn receive(raw: c_int, owner: &Rc<Owner>) -> Result<i32> {
        check(Some(raw), owner)
    }
}

/// `__isl_give char *`.
impl Outcome for String {
    type Raw = *mut c_char;
    unsafe fn receive(raw: *mut c_char, owner: &Rc<Owner>) -> Result<String> {
        unsafe extern "C" {
            fn free(pointer: *mut c_void);
        }
        let text = (!raw.is_null()).then(|| {
            // SAFETY: isl gives text that ends with a zero, and that is ours to free.
            unsafe {
                let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
                free(raw.cast());
                text
            }
        });
        check(text, owner)
    }
}

/// The context of a call. isl does not expect objects of two.
pub(crate) fn common(owners: &[Option<&Rc<Owner>>]) -> Result<Rc<Owner>> {
    let mut known = owners.iter().flatten();
    let Some(first) = known.next() else {
        return Err(Stopped::Failed("a call without a context".into()));
    };
    if known.all(|owner| Rc::ptr_eq(owner, first)) {
        Ok(Rc::clone(first))
    } else {
        Err(Stopped::Failed("objects of different contexts".into()))
    }
}

/// Declares functions of isl, and makes safe ones of the same names: what the types of arguments and result say of
/// ownership is all that is ever said of it.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;)*) => {$(
        pub(crate) fn $name($($argument: $type),*) -> $crate::Result<$result> {
            use $crate::ffi::handle::{Argument, Outcome};
            unsafe extern "C" {
                fn $name($($argument: <$type as Argument>::Raw),*) -> <$result as Outcome>::Raw;
            }
            let owner = $crate::ffi::handle::common(&[$($argument.home()),*])?;
            owner.enter();
            // SAFETY: every pointer is an object that is alive, in one context, with a reference to give away where isl
            // takes one. isl checks positions and shapes itself.
            unsafe { <$result as Outcome>::receive($name($($argument.pass()),*), &owner) }
        }
    )*};
}
pub(super) use functions;
