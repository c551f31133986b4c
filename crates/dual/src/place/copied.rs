//! Structs and arrays as a whole: scalar by scalar if these are few, else only whether all was written.

use super::{Address, initial};
use crate::linear::Linear;
use crate::memory::{Contents, Found};
use crate::path::Path;
use crate::run::Run;
use crate::value::{Object, Pointer, Value, part_of};
use ir::{Type, TypeId, TypeTable};

/// Scalars of what is copied one by one, at most.
const SCALARS: usize = 16;

/// Those among them that become inputs only because they are copied, at most.
const INPUTS: usize = 4;

/// The scalars of a type, each with its offset; none if they are many, or cannot be told apart.
fn scalars(types: &TypeTable, ty: TypeId) -> Option<Vec<(i128, TypeId)>> {
    let mut all = Vec::new();
    let mut waiting = vec![(0i128, ty)];
    while let Some((at, ty)) = waiting.pop() {
        match types.lookup(ty)? {
            Type::Int { .. } | Type::Pointer(_) | Type::Float(_) => all.push((at, ty)),
            Type::Array { elem, len } => {
                let len = usize::try_from(*len).ok().filter(|len| *len <= SCALARS)?;
                let step = i128::from(types.size_of(*elem));
                let each = (0..).take(len).map(|i: i128| (at + i * step, *elem));
                waiting.extend(each);
            }
            Type::Struct(s) => {
                let definition = types.structs.get(*s).filter(|s| !s.union)?;
                for field in &definition.fields {
                    if field.bits.is_some() {
                        return None;
                    }
                    waiting.push((at + i128::from(field.offset), field.ty));
                }
            }
            _ => return None,
        }
        if all.len() + waiting.len() > SCALARS {
            return None;
        }
    }
    Some(all)
}

/// The same, if it is at so many bytes of what the address is of.
fn at(address: &Address, bytes: i128) -> Option<Address> {
    let offset = address.pointer.offset.plus_constant(bytes)?;
    let pointer = Pointer {
        offset,
        ..address.pointer.clone()
    };
    Some(Address {
        pointer,
        bits: None,
    })
}

/// Is a pointer to the beginning of an object that is so long?
fn is_whole(pointer: &Pointer, bytes: &Linear) -> bool {
    pointer.offset.as_constant() == Some(0) && pointer.length == *bytes
}

impl Run<'_> {
    /// A struct or an array is copied from one address to another.
    pub fn copy(&mut self, path: &mut Path, target: &Address, source: &Address, ty: TypeId) {
        let types = &self.program.types;
        let all = scalars(types, ty).unwrap_or_default();
        let size = types.size_of(ty);
        let bits = all.iter().filter_map(|(_, ty)| part_of(types, *ty, 0));
        let no_padding = bits.map(|part| u64::from(part.bits)).sum::<u64>() == size * 8;
        let sources = all
            .iter()
            .filter_map(|(bytes, ty)| Some((*bytes, *ty, at(source, *bytes)?)));
        let mut sources: Vec<(i128, TypeId, Address)> = sources.collect();
        let new = sources.iter();
        let new = new.filter(|(_, ty, source)| self.is_new_input(path, source, *ty));
        if new.count() > INPUTS {
            sources.clear();
        }
        let complete = !sources.is_empty() && sources.len() == all.len();
        let mut values = Vec::new();
        for (bytes, ty, source) in sources {
            {
                let written = self.written_at(path, &source, ty);
                let value = self.load(path, &source, ty);
                values.push((bytes, ty, value, written));
            }
        }
        let written = self.filled(path, &source.pointer.object);
        let each_written = values.iter().all(|(_, _, _, written)| written.is_none());
        let sure = written.is_none() || (complete && no_padding && each_written);
        path.memory.escape_held(&source.pointer.object);
        path.memory.hide(&target.pointer.object, sure);
        let is_known = self.byte(&target.pointer).is_some();
        for (bytes, ty, value, written) in values.into_iter().filter(|_| is_known) {
            if let Some(target) = at(target, bytes) {
                self.store_unsure(path, &target, ty, value, written);
            }
        }
        let size = Linear::constant(i128::from(size));
        if sure && is_whole(&target.pointer, &size) {
            path.memory.fill(&target.pointer.object);
        }
    }

    /// Would what lies there become an input if it was read?
    fn is_new_input(&self, path: &Path, address: &Address, ty: TypeId) -> bool {
        let object = &address.pointer.object;
        self.part(address, ty).is_some_and(|part| {
            path.memory.read(object, part) == Found::Untouched && initial(object, part).is_some()
        })
    }

    /// So many bytes are written where a pointer leads, with nothing that nobody has written unless it is not `sure`.
    pub fn overwrite(&mut self, path: &mut Path, target: &Pointer, size: &Linear, sure: bool) {
        path.memory.hide(&target.object, sure);
        if sure && is_whole(target, size) {
            path.memory.fill(&target.object);
        }
    }

    /// What a pointer leads to is zero, if all of it was just written.
    pub fn zero(&mut self, path: &mut Path, target: &Pointer) {
        let ty = match &target.object {
            Object::Variable(v) => self.body.vars[*v].ty,
            Object::Global(g) => self.program.globals[*g].ty,
            _ => return,
        };
        let is_written = path.memory.contents_of(&target.object);
        if !is_written.is_some_and(Contents::is_written) {
            return;
        }
        let start = Address {
            pointer: target.clone(),
            bits: None,
        };
        for (bytes, ty) in scalars(&self.program.types, ty).unwrap_or_default() {
            let types = &self.program.types;
            let value = match types.is_pointer(ty) {
                true => Value::from(Pointer::null()),
                false if types.as_int(ty).is_some() => Value::Number(Linear::constant(0)),
                false => continue,
            };
            if let Some(address) = at(&start, bytes) {
                self.store(path, &address, ty, value);
            }
        }
    }
}
