//! Types as text. Suffixes apply from left to right: `i32*[10]` is an array of ten pointers.

use crate::program::Program;
use crate::text::names::Names;
use crate::text::words::{float_name, int_name};
use crate::types::{Type, TypeId};

/// Nesting beyond this is cut: no real type comes near it.
const MAX_DEPTH: u32 = 1000;

pub fn type_text(program: &Program, names: &Names, id: TypeId) -> String {
    let mut out = String::new();
    write(program, names, id, &mut out, 0);
    out
}

fn write(program: &Program, names: &Names, id: TypeId, out: &mut String, depth: u32) {
    let Some(ty) = program.types.lookup(id) else {
        out.push_str(&format!("`bad type {}`", id.0));
        return;
    };
    if depth > MAX_DEPTH {
        out.push_str("...");
        return;
    }
    match ty {
        Type::Void => out.push_str("void"),
        Type::Int { width, signed } => out.push_str(&int_name(*width, *signed)),
        Type::Float(kind) => out.push_str(float_name(*kind)),
        Type::Pointer(to) => {
            write_base(program, names, *to, out, depth);
            out.push('*');
        }
        Type::Array { elem, len } => {
            write_base(program, names, *elem, out, depth);
            out.push_str(&format!("[{len}]"));
        }
        Type::Struct(s) => {
            let union = program.types.structs.get(*s).is_some_and(|d| d.union);
            out.push_str(if union { "union " } else { "struct " });
            out.push_str(&names.structure(program, *s));
        }
        Type::Function {
            ret,
            params,
            variadic,
        } => {
            out.push_str("fn(");
            for (i, p) in params.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write(program, names, *p, out, depth + 1);
            }
            if *variadic {
                out.push_str(if params.is_empty() { "..." } else { ", ..." });
            }
            out.push_str(") -> ");
            write(program, names, *ret, out, depth + 1);
        }
        Type::Opaque { size, align } => out.push_str(&format!("opaque({size}, {align})")),
    }
}

/// What a suffix is put behind: a function type needs parentheses, for its result would take
/// the suffix.
fn write_base(program: &Program, names: &Names, id: TypeId, out: &mut String, depth: u32) {
    if matches!(program.types.lookup(id), Some(Type::Function { .. })) {
        out.push('(');
        write(program, names, id, out, depth + 1);
        out.push(')');
    } else {
        write(program, names, id, out, depth + 1);
    }
}
