//! What the inputs of a function are called: `n`, `p->next->len`, `a[3]`, `table.size`.
//!
//! An input is known by bits: so many of the object that a pointer leads to, from such a bit on. The types say which field or
//! element that is. Where they do not (memory that is read as something else), it is written as the cast that it would take.

use crate::input::{Aspect, Given, Input, Part, Root};
use crate::value::part_of;
use ir::{Body, FloatKind, Program, Type, TypeId};

/// A number that a function is given, in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub text: String,
    pub kind: Kind,
}

/// How its value is spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    /// 0 or 1: `flag`, `!flag`.
    Truth,
    /// `p == NULL`, `p != NULL`.
    Pointer,
}

/// What an input is called. The length of an object is that of what remains of it from the pointer on: see [`super`].
pub(super) fn named(program: &Program, body: &Body, input: &Input) -> Named {
    let (text, ty) = place(program, body, &input.given);
    let about = |what: &str| format!("{what}({text})");
    match input.aspect {
        Aspect::Length => Named {
            text: about("len"),
            kind: Kind::Number,
        },
        Aspect::Offset => Named {
            text: about("offset"),
            kind: Kind::Number,
        },
        Aspect::Alive => Named {
            text: about("alive"),
            kind: Kind::Truth,
        },
        Aspect::Initialized => Named {
            text: about("initialized"),
            kind: Kind::Truth,
        },
        // Not `initialized(*p)`, which is about the one thing at `p`.
        Aspect::Filled => Named {
            text: about("filled"),
            kind: Kind::Truth,
        },
        Aspect::Value => Named {
            text,
            kind: match program.types.lookup(ty) {
                Some(Type::Int { width: 1, .. }) => Kind::Truth,
                Some(Type::Pointer(_)) => Kind::Pointer,
                _ => Kind::Number,
            },
        },
    }
}

/// The scalar that is given, and its type as far as that is known.
fn place(program: &Program, body: &Body, given: &Given) -> (String, TypeId) {
    let mut parts = given.path.iter().enumerate();
    let last = given.path.len();
    let (mut text, mut ty) = match given.root {
        Root::Parameter(i) => parameter(program, body, i),
        Root::Global(g) => {
            let (name, ty) = match program.globals.get(g) {
                Some(global) => (program.name(global.name).to_string(), global.ty),
                None => ("?".to_string(), TypeId::VOID),
            };
            match parts.next() {
                None => (name, ty),
                Some((at, part)) => match within(program, ty, *part, at + 1 < last) {
                    Some((suffix, ty)) => (name + &suffix, ty),
                    None => behind(program, &format!("&{name}"), TypeId::VOID, *part, false),
                },
            }
        }
    };
    for (at, part) in parts {
        let to = program.types.pointee(ty).unwrap_or(TypeId::VOID);
        (text, ty) = behind(program, &text, to, *part, at + 1 < last);
    }
    (text, ty)
}

/// A parameter by position; one without a name by its number.
pub(super) fn parameter(program: &Program, body: &Body, position: u32) -> (String, TypeId) {
    let v = body.params.get(position as usize);
    let Some(var) = v.and_then(|v| body.vars.get(*v)) else {
        return (format!("arg{}", position + 1), TypeId::VOID);
    };
    let name = program.name(var.name);
    match name.is_empty() || name.starts_with('$') {
        true => (format!("arg{}", position + 1), var.ty),
        false => (name.to_string(), var.ty),
    }
}

/// The scalar that lies at a part of what a pointer leads to, if that is of the type `to`.
fn behind(
    program: &Program,
    pointer: &str,
    to: TypeId,
    part: Part,
    leads_on: bool,
) -> (String, TypeId) {
    let is_simple = !pointer.starts_with(['*', '&', '(']);
    let whole = match is_simple {
        true => pointer.to_string(),
        false => format!("({pointer})"),
    };
    let size = match program.types.lookup(to) {
        None | Some(Type::Void | Type::Function { .. }) => 0,
        Some(_) => i128::from(program.types.size_of(to)) * 8,
    };
    if size > 0 {
        let index = part.start.div_euclid(size);
        let rest = Part {
            start: part.start.rem_euclid(size),
            ..part
        };
        if let Some((suffix, ty)) = within(program, to, rest, leads_on) {
            let text = match (index, suffix.strip_prefix('.')) {
                (0, Some(field)) => format!("{whole}->{field}"),
                (0, None) if suffix.is_empty() => format!("*{pointer}"),
                (0, None) => format!("(*{pointer}){suffix}"),
                _ => format!("{whole}[{index}]{suffix}"),
            };
            return (text, ty);
        }
    }
    // The types do not say what is there.
    let byte = part.start.div_euclid(8);
    let at = match byte {
        0 => whole,
        1.. => format!("((char *){whole} + {byte})"),
        _ => format!("((char *){whole} - {})", byte.unsigned_abs()),
    };
    let ty = match part.bits {
        8 => "char",
        16 => "short",
        32 => "int",
        64 => "long",
        bits => {
            let low = part.start.rem_euclid(8);
            return (format!("bits({at}, {low}, {bits})"), TypeId::VOID);
        }
    };
    (format!("*({ty} *){at}"), TypeId::VOID)
}

/// The scalar at a part of a type, as it is written behind the whole: `.next`, `[3].len`. If it `leads_on`, it must be a
/// pointer: of a union's members that one is meant.
fn within(program: &Program, ty: TypeId, part: Part, leads_on: bool) -> Option<(String, TypeId)> {
    let types = &program.types;
    match types.lookup(ty)? {
        Type::Int { .. } | Type::Float(_) | Type::Pointer(_) => {
            let fits = part_of(types, ty, 0) == Some(part);
            (fits && (!leads_on || types.is_pointer(ty))).then(|| (String::new(), ty))
        }
        Type::Array { elem, .. } => {
            let size = i128::from(types.size_of(*elem)).checked_mul(8)?;
            let index = part.start.checked_div_euclid(size)?;
            let rest = Part {
                start: part.start.rem_euclid(size),
                ..part
            };
            let (suffix, ty) = within(program, *elem, rest, leads_on)?;
            Some((format!("[{index}]{suffix}"), ty))
        }
        Type::Struct(id) => types.structs.get(*id)?.fields.iter().find_map(|field| {
            let name = program.name(field.name);
            let name = match name.is_empty() || name.starts_with(['$', '(']) {
                // Members of a member without a name are written as one's own.
                true => String::new(),
                false => format!(".{name}"),
            };
            let start = part.start - i128::from(field.offset) * 8;
            if let Some((low, bits)) = field.bits {
                let found = start == i128::from(low) && part.bits == u32::from(bits) && !leads_on;
                return found.then_some((name, field.ty));
            }
            // The last one may be an array of any length.
            let end = i128::from(types.size_of(field.ty)) * 8;
            if start < 0 || (end > 0 && start >= end) {
                return None;
            }
            let (suffix, ty) = within(program, field.ty, Part { start, ..part }, leads_on)?;
            Some((name + &suffix, ty))
        }),
        _ => None,
    }
}

/// A type as C writes it before a name: `int `, `struct node *`.
pub(super) fn type_text(program: &Program, ty: TypeId) -> String {
    let plain = match program.types.lookup(ty) {
        None => "?",
        Some(Type::Void) => "void",
        Some(Type::Int { width, signed }) => match (width, signed) {
            (1, _) => "bool",
            (8, true) => "char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (32, true) => "int",
            (32, false) => "unsigned",
            (64, true) => "long",
            (64, false) => "unsigned long",
            (128, true) => "__int128",
            (128, false) => "unsigned __int128",
            (width, true) => return format!("_BitInt({width}) "),
            (width, false) => return format!("unsigned _BitInt({width}) "),
        },
        Some(Type::Float(kind)) => match kind {
            FloatKind::F16 => "_Float16",
            FloatKind::BF16 => "__bf16",
            FloatKind::F32 => "float",
            FloatKind::F64 => "double",
            FloatKind::X87 => "long double",
            FloatKind::F128 => "__float128",
        },
        Some(Type::Pointer(to)) => {
            return match program.types.lookup(*to) {
                Some(Type::Function { .. }) => "function *".to_string(),
                _ => type_text(program, *to) + "*",
            };
        }
        Some(Type::Array { elem, len }) => {
            return format!("{}[{len}] ", type_text(program, *elem).trim_end());
        }
        Some(Type::Struct(id)) => program
            .types
            .structs
            .get(*id)
            .map_or("struct", |definition| program.name(definition.name)),
        Some(Type::Function { .. }) => "function",
        Some(Type::Opaque { .. }) => "?",
    };
    format!("{plain} ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::GlobalId;

    const PROGRAM: &str = r#"unit "a.c"
struct node { size 32 align 8; next: struct node* @0; len: i32 @8; flags: u32 @12 bits 3:5; data: i16[4] @16; pair: union two @24 }
union two { size 8 align 8; word: i64 @0; to: i32* @0 }
extern global table: struct node
fn f(p: struct node*, a: i32*, q: i32**, any: void*, m: i32[3]*) -> void {
    0: exit
}
"#;

    fn text(root: Root, path: &[(i128, u32)]) -> String {
        let program = ir::text::parse(PROGRAM).unwrap_or_else(|e| panic!("{e}"));
        let (_, _, body) = program.bodies().next().unwrap();
        let path = path.iter().map(|&(start, bits)| Part { start, bits });
        let given = Given {
            root,
            path: path.collect(),
        };
        place(&program, body, &given).0
    }

    #[test]
    fn fields_and_elements_are_found_by_their_bits() {
        let p = |path: &[(i128, u32)]| text(Root::Parameter(0), path);
        assert_eq!(p(&[]), "p");
        assert_eq!(p(&[(0, 64)]), "p->next");
        assert_eq!(p(&[(0, 64), (64, 32)]), "p->next->len");
        assert_eq!(p(&[(99, 5)]), "p->flags");
        assert_eq!(p(&[(128 + 32, 16)]), "p->data[2]");
        assert_eq!(p(&[(256 + 64, 32)]), "p[1].len");
        // Of a union the member of the type that is read, or that leads on.
        assert_eq!(p(&[(192, 64)]), "p->pair.word");
        assert_eq!(p(&[(192, 64), (0, 32)]), "*p->pair.to");
        // Half of a field is none.
        assert_eq!(p(&[(8, 8)]), "*(char *)((char *)p + 1)");
        assert_eq!(p(&[(97, 5)]), "bits(((char *)p + 12), 1, 5)");
    }

    #[test]
    fn pointers_are_followed_as_c_does() {
        let a = |at, path: &[(i128, u32)]| text(Root::Parameter(at), path);
        assert_eq!(a(1, &[(0, 32)]), "*a");
        assert_eq!(a(1, &[(96, 32)]), "a[3]");
        assert_eq!(a(1, &[(-32, 32)]), "a[-1]");
        assert_eq!(a(2, &[(0, 64), (0, 32)]), "**q");
        assert_eq!(a(2, &[(0, 64), (32, 32)]), "(*q)[1]");
        assert_eq!(a(3, &[(64, 32)]), "*(int *)((char *)any + 8)");
        assert_eq!(a(4, &[(32, 32)]), "(*m)[1]");
        assert_eq!(a(4, &[(96 + 32, 32)]), "m[1][1]");
        let g = |path: &[(i128, u32)]| text(Root::Global(GlobalId(0)), path);
        assert_eq!(g(&[(64, 32)]), "table.len");
        assert_eq!(g(&[(0, 64), (0, 64)]), "table.next->next");
    }
}
