//! Places, temporaries and calls as a C programmer writes them: `p->next[2].len`, `malloc(10)`.

use super::notation::{Bound, Words, binds, closed};
use ir::{Base, Call, Callee, ExprId, ExprKind, PlaceId, Projection, Stmt, Type, VarId};

impl<'a> Words<'a> {
    /// Does the variable hold what a function returns?
    pub(super) fn is_result(&self, v: VarId) -> bool {
        let frame = self.composed.map(|c| &c.frames[c.owner(v)]);
        self.body.ret == Some(v) || frame.is_some_and(|frame| frame.ret == Some(v))
    }

    /// Is the place a variable of the compiler's, or a part of one?
    pub fn is_temporary(&self, p: PlaceId) -> bool {
        match self.body.places.get(p).map(|p| p.base) {
            Some(Base::Var(v)) => self.name(v).is_none() && !self.is_result(v),
            _ => false,
        }
    }

    /// `&x`, but an array's name for the address of its first element, as in C.
    pub(super) fn write_address(&self, p: PlaceId, depth: u32) -> Bound {
        let Some(place) = self.body.places.get(p) else {
            return ("?".to_string(), binds::SUFFIX);
        };
        let literal = match place.base {
            Base::Global(g) => self.literal(g),
            _ => None,
        };
        let last = place.projections.last();
        let first_element = match last {
            Some(Projection::Index(e)) => matches!(self.kind(*e), Some(ExprKind::Int(0))),
            _ => false,
        };
        if first_element {
            return self.write_place(p, place.projections.len() - 1, depth);
        }
        if let (Some(text), None) = (literal, last) {
            return (text.to_string(), binds::SUFFIX);
        }
        let text = closed(self.write_place(p, usize::MAX, depth), binds::PREFIX);
        (format!("&{text}"), binds::PREFIX)
    }

    fn literal(&self, g: ir::GlobalId) -> Option<&'a str> {
        let name = self.program.name(self.program.globals.get(g)?.name);
        name.starts_with('"').then_some(name)
    }

    /// The place after so many of its projections.
    pub(super) fn write_place(&self, p: PlaceId, steps: usize, depth: u32) -> Bound {
        let (Some(place), Some(below)) = (self.body.places.get(p), depth.checked_sub(1)) else {
            return ("…".to_string(), binds::SUFFIX);
        };
        let types = &self.program.types;
        let mut steps = place.projections.iter().take(steps).peekable();
        let (mut text, mut ty) = match place.base {
            Base::Var(v) => {
                let ty = self.body.vars.get(v).map(|v| v.ty);
                if steps.peek().is_none()
                    && let Some(value) = self.temporary(v, below)
                {
                    return value;
                }
                let name = self.name(v);
                let unnamed = match self.is_result(v) {
                    true => "the return value",
                    false => "a temporary",
                };
                ((name.unwrap_or(unnamed).to_string(), binds::SUFFIX), ty)
            }
            Base::Global(g) => {
                let global = self.program.globals.get(g);
                let name = global.map_or("?", |g| self.program.name(g.name));
                // `f.counter`, a static variable of a function, is called `counter` in it.
                let name = match name.starts_with(['"', '_']) {
                    true => name,
                    false => name.split('.').nth(1).unwrap_or(name),
                };
                ((name.to_string(), binds::SUFFIX), global.map(|g| g.ty))
            }
            Base::Deref(e) => {
                let ty = self.body.exprs.get(e).and_then(|e| types.pointee(e.ty));
                let pointer = self.bare(e);
                match (self.kind(pointer), steps.peek()) {
                    (Some(ExprKind::PtrAdd(base, index)), _) => {
                        let base = closed(self.write(*base, below), binds::SUFFIX);
                        let index = self.write(*index, below).0;
                        ((format!("{base}[{index}]"), binds::SUFFIX), ty)
                    }
                    (Some(ExprKind::AddrOf(inner)), _) => {
                        (self.write_place(*inner, usize::MAX, below), ty)
                    }
                    (_, Some(Projection::Field(k))) => {
                        steps.next();
                        let base = closed(self.write(pointer, below), binds::SUFFIX);
                        let (name, ty) = self.field(ty, *k);
                        ((format!("{base}->{name}"), binds::SUFFIX), ty)
                    }
                    (_, Some(Projection::Index(_))) => {
                        let text = closed(self.write(pointer, below), binds::PREFIX);
                        ((format!("(*{text})"), binds::SUFFIX), ty)
                    }
                    _ => {
                        let text = closed(self.write(pointer, below), binds::PREFIX);
                        ((format!("*{text}"), binds::PREFIX), ty)
                    }
                }
            }
        };
        for step in steps {
            let base = closed(text, binds::SUFFIX);
            text = match step {
                Projection::Field(k) => {
                    let (name, field) = self.field(ty, *k);
                    ty = field;
                    (format!("{base}.{name}"), binds::SUFFIX)
                }
                Projection::Index(e) => {
                    ty = ty.and_then(|ty| match types.lookup(ty) {
                        Some(Type::Array { elem, .. }) => Some(*elem),
                        _ => None,
                    });
                    let index = self.write(*e, below).0;
                    (format!("{base}[{index}]"), binds::SUFFIX)
                }
                // Another view of the same bytes: the compiler's affair.
                Projection::As(other) => {
                    ty = Some(*other);
                    (base, binds::SUFFIX)
                }
            };
        }
        text
    }

    fn field(&self, ty: Option<ir::TypeId>, k: u32) -> (&'a str, Option<ir::TypeId>) {
        let structure = ty.and_then(|ty| self.program.types.as_struct(ty));
        match structure.and_then(|s| s.fields.get(k as usize)) {
            Some(field) => (self.program.name(field.name), Some(field.ty)),
            None => ("?", None),
        }
    }

    /// What the compiler's variable stands for: what was put into it last on the path.
    fn temporary(&self, v: VarId, depth: u32) -> Option<Bound> {
        if self.name(v).is_some() || self.is_result(v) {
            return None;
        }
        let (step, stmt) = self.last_write(v)?;
        if let Some((call, entered)) = self.returned(step) {
            let text = self.before(entered).write_call(call, depth);
            return Some((text, binds::SUFFIX));
        }
        let before = self.before(step);
        match stmt {
            Stmt::Assign { value, .. } => Some(before.write(*value, depth)),
            Stmt::Call(call) => Some((before.write_call(call, depth), binds::SUFFIX)),
            _ => None,
        }
    }

    /// The expression that a place of the compiler's was assigned, and the words at that point.
    pub(super) fn assigned_temporary(&self, p: PlaceId) -> Option<(ExprId, Words<'a>)> {
        let v = self.body.places.get(p)?.as_var()?;
        if self.name(v).is_some() || self.is_result(v) {
            return None;
        }
        match self.last_write(v)? {
            // What a function returns is told as its call: its own names mean nothing here.
            (step, _) if self.returned(step).is_some() => None,
            (step, Stmt::Assign { value, .. }) => Some((*value, self.before(step))),
            _ => None,
        }
    }

    pub(super) fn last_write(&self, v: VarId) -> Option<(usize, &'a Stmt)> {
        let (body, path) = (self.body, self.path);
        let written = |stmt: &Stmt| {
            let place = match stmt {
                Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
                Stmt::Call(call) => call.result,
                _ => None,
            };
            place.and_then(|p| body.places.get(p)?.as_var()) == Some(v)
        };
        let steps = path.iter().enumerate().rev();
        steps
            .filter_map(|(step, edge)| Some((step, &body.edges().get(*edge)?.stmt)))
            .find(|(_, stmt)| written(stmt))
    }

    pub(super) fn write_call(&self, call: &Call, depth: u32) -> String {
        let callee = match call.callee {
            Callee::Direct(f) => self.function_name(f),
            Callee::Indirect(e) => {
                let (text, bound) = self.write(e, depth.saturating_sub(1));
                closed((text, bound), binds::SUFFIX)
            }
        };
        let arguments = call.args.iter();
        let arguments: Vec<String> = arguments
            .map(|a| self.write(*a, depth.saturating_sub(1)).0)
            .collect();
        format!("{callee}({})", arguments.join(", "))
    }

    /// What the runtime of C++ is told by a compiler, in words; none of it: the text is empty.
    pub(super) fn runtime(&self, call: &Call) -> Option<&'static str> {
        let Callee::Direct(f) = call.callee else {
            return None;
        };
        match self.program.name(self.program.functions.get(f)?.name) {
            "__cxa_throw" => Some("an exception is thrown"),
            "__cxa_rethrow" => Some("the exception is thrown again"),
            "__cxa_allocate_exception" | "__cxa_free_exception" => Some(""),
            "__cxa_begin_catch" | "__cxa_end_catch" => Some(""),
            _ => None,
        }
    }

    /// The display name without parameters: the arguments come behind it.
    pub(super) fn function_name(&self, f: ir::FuncId) -> String {
        let Some(function) = self.program.functions.get(f) else {
            return "?".to_string();
        };
        let name = modelled(self.program.name(function.display));
        if let Some(plain) = unmangled(name) {
            return plain;
        }
        let mut depth = 0usize;
        if name.ends_with(')') {
            for (at, c) in name.char_indices().rev() {
                match c {
                    ')' => depth += 1,
                    '(' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 {
                    return name[..at].to_string();
                }
            }
        }
        name.to_string()
    }
}

/// What a model leaves open, as its body has it (`front::model`).
pub(crate) const CHOICE: &str = "__rigel_any_choice";

/// What a modelled function gives back stands in the body of its model as a call of its own (`front::model`): a reader knows
/// the function.
pub(crate) fn modelled(name: &str) -> &str {
    match name.strip_prefix("__rigel_any_") {
        Some("choice" | "memory") | None => name,
        Some(function) => function,
    }
}

/// `list::find` for `_ZNK4list4findEi`. A function that is only declared has no debug information,
/// and with it no name for people; plain names and those of classes and namespaces can be read
/// off the mangled one (Itanium C++ ABI, §5.1.3). None for all others.
fn unmangled(name: &str) -> Option<String> {
    let rest = name.strip_prefix("_Z")?;
    let (nested, mut rest) = match rest.strip_prefix('N') {
        Some(rest) => (true, rest.trim_start_matches(['r', 'V', 'K', 'R', 'O'])),
        None => (false, rest),
    };
    let mut parts: Vec<&str> = Vec::new();
    if let Some(behind) = rest.strip_prefix("St") {
        parts.push("std");
        rest = behind;
    }
    let own = parts.len();
    while let Some(end) = rest.find(|c: char| !c.is_ascii_digit())
        && end > 0
    {
        let length: usize = rest[..end].parse().ok()?;
        parts.push(rest.get(end..end.checked_add(length)?)?);
        rest = &rest[end + length..];
        if !nested {
            break;
        }
    }
    // What is left of a nested name is its end, or something with its own grammar.
    let complete = !nested || rest.starts_with('E');
    // `3absIiE…` is a template.
    let template = rest.starts_with('I');
    (complete && !template && parts.len() > own).then(|| parts.join("::"))
}

#[cfg(test)]
mod tests {
    use super::unmangled;

    #[test]
    fn simple_names_are_read_off() {
        let plain = |name| unmangled(name).unwrap_or_default();
        assert_eq!(plain("_ZNK4list4findEi"), "list::find");
        assert_eq!(plain("_Z4keepPi"), "keep");
        assert_eq!(plain("_ZSt9terminatev"), "std::terminate");
        assert_eq!(plain("_ZNSt9exception4whatEv"), "std::exception::what");
        // Constructors, operators, templates: not this way.
        assert_eq!(plain("_ZN4listC1Ev"), "");
        assert_eq!(plain("_Z3maxIiEiT_S0_"), "");
        assert_eq!(plain("_ZN4listixEi"), "");
        assert_eq!(plain("_Z99short"), "");
        assert_eq!(plain("find"), "");
        assert_eq!(plain("_ZN99999999999999999999xE"), "");
    }
}
