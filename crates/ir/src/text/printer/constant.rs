//! Constants, with their types where the surroundings do not tell them.

use super::expr::ExprPrinter;
use crate::expr::{Expr, ExprKind, int_value, mask};
use crate::text::typing::{self, Expected};
use crate::text::words::{float_name, int_name};
use crate::types::{Type, TypeId};

impl ExprPrinter<'_> {
    pub(super) fn int_text(&self, bits: u128, ty: TypeId) -> String {
        match self.printer.program.types.as_int(ty) {
            Some((width, true)) => int_value(bits, width, true).to_string(),
            Some((width, false)) => mask(bits, width).to_string(),
            None => bits.to_string(),
        }
    }

    /// A constant; with its type if it is `explicit` or does not have the expected one.
    pub(super) fn write_constant(
        &self,
        out: &mut String,
        e: &Expr,
        expected: Expected,
        explicit: bool,
    ) {
        let types = &self.printer.program.types;
        match e.kind {
            ExprKind::Int(bits) if e.ty == TypeId::BOOL => {
                out.push_str(if bits & 1 == 1 { "true" } else { "false" });
            }
            ExprKind::Int(bits) => {
                out.push_str(&self.int_text(bits, e.ty));
                if explicit || typing::int_constant(types, expected) != e.ty {
                    match types.as_int(e.ty) {
                        Some((width, signed)) => out.push_str(&int_name(width, signed)),
                        None => out.push_str("`no integer`"),
                    }
                }
            }
            ExprKind::Float(bits) => {
                let kind = match types.lookup(e.ty) {
                    Some(Type::Float(kind)) => float_name(*kind),
                    _ => "`no float`",
                };
                match typing::decimal(types, bits, e.ty) {
                    Some(text) => {
                        out.push_str(&text);
                        if explicit || typing::float_constant(types, expected) != e.ty {
                            out.push_str(kind);
                        }
                    }
                    None => out.push_str(&format!("{kind}(0x{bits:x})")),
                }
            }
            _ => {
                if explicit || expected != Some(e.ty) {
                    out.push_str(&format!("({})", self.type_text(e.ty)));
                }
                out.push_str(match e.kind {
                    ExprKind::Null => "null",
                    _ => "undef",
                });
            }
        }
    }
}
