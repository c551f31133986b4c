//! When a declaration agrees well enough with a definition.
//!
//! Only what changes how a value is passed counts: widths and kinds, not signedness and not what
//! a pointer points to. A declaration without a prototype, `int f();`, agrees with any parameters.

use crate::types::{Type, TypeId, TypeTable};

/// May a call through a declaration of type `declared` reach a function of type `defined`?
pub fn functions(types: &TypeTable, declared: TypeId, defined: TypeId) -> bool {
    if declared == defined {
        return true;
    }
    let (
        Some(Type::Function {
            ret: ret_a,
            params: a,
            variadic: variadic_a,
        }),
        Some(Type::Function {
            ret: ret_b,
            params: b,
            variadic: variadic_b,
        }),
    ) = (types.lookup(declared), types.lookup(defined))
    else {
        return false;
    };
    if !values(types, *ret_a, *ret_b) {
        return false;
    }
    let unprototyped = (a.is_empty() && *variadic_a) || (b.is_empty() && *variadic_b);
    let count = a.len() == b.len() || *variadic_a || *variadic_b;
    unprototyped || (count && a.iter().zip(b).all(|(&a, &b)| values(types, a, b)))
}

/// Do values of these types travel the same way?
pub fn values(types: &TypeTable, a: TypeId, b: TypeId) -> bool {
    if a == b {
        return true;
    }
    match (types.lookup(a), types.lookup(b)) {
        (Some(Type::Int { width: a, .. }), Some(Type::Int { width: b, .. })) => a == b,
        (Some(Type::Pointer(_)), Some(Type::Pointer(_))) => true,
        (Some(Type::Struct(a)), Some(Type::Struct(b))) => {
            match (types.structs.get(*a), types.structs.get(*b)) {
                (Some(a), Some(b)) => a.size == b.size || !a.complete || !b.complete,
                _ => false,
            }
        }
        // `extern int a[];` says nothing about the length.
        (Some(Type::Array { elem: a, len: m }), Some(Type::Array { elem: b, len: n })) => {
            (m == n || *m == 0 || *n == 0) && values(types, *a, *b)
        }
        _ => false,
    }
}
