//! What linking has to say to a person.

use crate::program::{Program, UnitId};
use crate::span::Span;
use std::fmt;

/// Units that disagree about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkWarning {
    /// The name as a person knows it.
    pub name: String,
    pub kind: LinkWarningKind,
    /// The definition that was kept.
    pub kept: Site,
    /// The other one.
    pub other: Site,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkWarningKind {
    /// Two strong definitions of one name. Of variables the first is used; functions stay with their units.
    DuplicateDefinition,
    /// A declaration whose type is not that of the definition.
    TypeMismatch,
    /// A function in one unit, a variable in another.
    FunctionAndVariable,
}

/// A unit, the place in it, and the type the name has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub unit: String,
    /// `file:line:column`, or the unit where no position is known.
    pub place: String,
    pub ty: String,
}

impl Site {
    pub(super) fn new(program: &Program, unit: UnitId, span: Span, ty: String) -> Site {
        let unit = program
            .units
            .get(unit)
            .and_then(|u| program.symbols.lookup(u.name))
            .unwrap_or_default()
            .to_string();
        let place = if span.is_none() {
            unit.clone()
        } else {
            let path = program.file_path(span.file);
            format!("{path}:{}:{}", span.line, span.column)
        };
        Site { unit, place, ty }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        if !self.place.starts_with(&self.unit) {
            write!(f, " (in {})", self.unit)?;
        }
        Ok(())
    }
}

impl fmt::Display for LinkWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinkWarning {
            name, kept, other, ..
        } = self;
        match self.kind {
            LinkWarningKind::DuplicateDefinition => write!(
                f,
                "`{name}` is defined at {kept} and again at {other}: two programs?"
            ),
            LinkWarningKind::TypeMismatch => write!(
                f,
                "`{name}` is declared as `{}` at {other} but defined as `{}` at {kept}",
                other.ty, kept.ty
            ),
            LinkWarningKind::FunctionAndVariable => {
                write!(
                    f,
                    "`{name}` is a function at {kept} but a variable at {other}"
                )
            }
        }
    }
}
