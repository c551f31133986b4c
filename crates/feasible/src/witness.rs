//! A solution in the program's own words: which inputs have which values.

use crate::object::{ObjectId, ObjectKind};
use crate::path::{Meaning, Path, Source};
use ir::{Type, TypeId};
use logic::{Label, Model, Node, SymbolId, TermId};

/// An input of a path and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub place: Place,
    pub value: Value,
}

/// Where an input is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// As the source writes it: `n`, `p->len`, `table[2]`.
    Named(String),
    /// What the call at this step of the path gives back.
    Result(Label),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Signed(i128),
    Unsigned(u128),
    /// The bits of a double.
    Float(u64),
    Null,
    NonNull,
}

/// The inputs that the facts mention, with their values, parameters first.
pub fn inputs(path: &Path<'_>, model: &Model) -> Vec<Input> {
    let mut found: Vec<(u8, Input)> = Vec::new();
    let facts: Vec<TermId> = path.facts.iter().map(|(_, f)| *f).collect();
    let mentioned = path.pool.closure(&facts);
    for &term in &mentioned {
        match path.pool.node(term) {
            Node::Select { array, index } => {
                let (Some(symbol), Some(at)) = (
                    path.pool.as_symbol(array),
                    path.pool.as_bits(index).and_then(|i| u64::try_from(i).ok()),
                ) else {
                    continue;
                };
                let Some(&bits) = model.elements.get(&(symbol, u128::from(at))) else {
                    continue;
                };
                if let Some((rank, name, ty)) = name_of(path, symbol, at) {
                    let value = value(path, ty, bits);
                    let place = Place::Named(name);
                    found.push((rank, Input { place, value }));
                }
            }
            Node::Symbol(symbol) => {
                let Some(&bits) = model.symbols.get(&symbol) else {
                    continue;
                };
                if let Some(Meaning::Result { step }) = path.meanings.get(&symbol) {
                    let ty = result_type(path, *step);
                    let value = value(path, ty, bits);
                    let place = Place::Result(*step);
                    found.push((2, Input { place, value }));
                }
            }
            _ => {}
        }
    }
    found.sort_by(|a, b| (a.0, &a.1.place).cmp(&(b.0, &b.1.place)));
    found.dedup_by(|a, b| a.1.place == b.1.place);
    found.into_iter().map(|(_, input)| input).collect()
}

fn result_type(path: &Path<'_>, step: Label) -> TypeId {
    path.result_types.get(&step).copied().unwrap_or(TypeId::U64)
}

fn value(path: &Path<'_>, ty: TypeId, bits: u128) -> Value {
    match *path.program().types.get(ty) {
        Type::Int {
            width,
            signed: true,
        } => Value::Signed(ir::int_value(bits, width, true)),
        Type::Float(ir::FloatKind::F32) => {
            Value::Float(f64::from(f32::from_bits(bits as u32)).to_bits())
        }
        Type::Float(ir::FloatKind::F64) => Value::Float(bits as u64),
        Type::Pointer(_) if bits == 0 => Value::Null,
        Type::Pointer(_) => Value::NonNull,
        _ => Value::Unsigned(bits),
    }
}

/// What a word of a source is called, if it was there at the entry: 0 for parameters, 1 for what
/// they point to and for globals.
fn name_of(path: &Path<'_>, array: SymbolId, at: u64) -> Option<(u8, String, TypeId)> {
    let Some(Meaning::Bytes { source, size }) = path.meanings.get(&array) else {
        return None;
    };
    let Source {
        object, step: None, ..
    } = path.sources[source.0 as usize]
    else {
        return None;
    };
    let (name, ty, rank) = object_name(path, object, 0)?;
    let (suffix, ty) = part(path, ty, at, *size)?;
    let text = match name.strip_prefix('*') {
        // `(*p).len` is written `p->len`.
        Some(pointer) if suffix.starts_with('.') => format!("{pointer}->{}", &suffix[1..]),
        Some(pointer) if suffix.starts_with('[') => format!("{pointer}{suffix}"),
        _ => format!("{name}{suffix}"),
    };
    Some((rank, text, ty))
}

/// `*p` for what a pointer points to.
fn object_name(path: &Path<'_>, object: ObjectId, depth: u32) -> Option<(String, TypeId, u8)> {
    let program = path.program();
    match path.objects[object.0 as usize].kind {
        ObjectKind::Var(0, v) => {
            let var = &path.body().vars[v];
            let name = program.name(var.name);
            let name = name.split('.').next().unwrap_or(name);
            (!name.starts_with('$')).then(|| (name.to_string(), var.ty, 0))
        }
        ObjectKind::Global(g) => {
            let global = &program.globals[g];
            Some((program.name(global.name).to_string(), global.ty, 1))
        }
        ObjectKind::Pointee(base) if depth < 3 => {
            let Node::Select { array, index } = path.pool.node(base) else {
                return None;
            };
            let at = u64::try_from(path.pool.as_bits(index)?).ok()?;
            let Some(Meaning::Bytes { source, size }) =
                path.meanings.get(&path.pool.as_symbol(array)?)
            else {
                return None;
            };
            let Source {
                object, step: None, ..
            } = path.sources[source.0 as usize]
            else {
                return None;
            };
            let (name, ty, _) = object_name(path, object, depth + 1)?;
            let (suffix, ty) = part(path, ty, at, *size)?;
            let name = match name.strip_prefix('*') {
                Some(pointer) if suffix.starts_with('.') => {
                    format!("*{pointer}->{}", &suffix[1..])
                }
                Some(_) if suffix.is_empty() => format!("*{name}"),
                Some(pointer) => format!("*{pointer}{suffix}"),
                None => format!("*{name}{suffix}"),
            };
            Some((name, program.types.pointee(ty)?, 1))
        }
        _ => None,
    }
}

/// The scalar of some bytes at an offset of a type, and how it is written.
fn part(path: &Path<'_>, ty: TypeId, at: u64, size: u64) -> Option<(String, TypeId)> {
    let types = &path.program().types;
    match types.get(ty) {
        Type::Struct(s) => {
            let definition = &types.structs[*s];
            let field = definition.fields.iter().find(|f| {
                f.bits.is_none() && f.offset <= at && at + size <= f.offset + types.size_of(f.ty)
            })?;
            let (rest, ty) = part(path, field.ty, at - field.offset, size)?;
            let name = path.program().name(field.name);
            Some((format!(".{name}{rest}"), ty))
        }
        Type::Array { elem, .. } => {
            let stride = types.size_of(*elem).max(1);
            let (rest, ty) = part(path, *elem, at % stride, size)?;
            Some((format!("[{}]{rest}", at / stride), ty))
        }
        _ => {
            let stride = types.store_size(ty);
            if stride == size && at == 0 {
                return Some((String::new(), ty));
            }
            // `p[3]`, through a pointer to a scalar.
            (stride == size && at.is_multiple_of(size)).then(|| (format!("[{}]", at / size), ty))
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Signed(n) => write!(f, "{n}"),
            Value::Unsigned(n) => write!(f, "{n}"),
            Value::Float(bits) => write!(f, "{}", f64::from_bits(*bits)),
            Value::Null => f.write_str("NULL"),
            Value::NonNull => f.write_str("not NULL"),
        }
    }
}
