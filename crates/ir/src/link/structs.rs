//! Which structs of different units are the same one.
//!
//! Two structs are the same if they have the same name and definition, and the structs that they
//! mention are the same in turn, also where the mention goes round in a circle. That is the
//! coarsest stable partition: start from the definitions with mentioned structs given by name
//! only, and split a class while its members mention different classes.
//!
//! A struct that a unit only declares (`struct s;`) is the complete one of its name, if the
//! whole program has just one: so an opaque handle is the same type on both sides of its interface.

use crate::program::{Program, Symbol};
use crate::types::{StructId, Type, TypeId};
use rustc_hash::FxHashMap;

/// For every program and struct the number of its class.
pub type Classes = Vec<Vec<u32>>;

struct Item {
    /// (name, union): what a declaration and its definition share.
    tag: u32,
    complete: bool,
    class: u32,
    /// The items that its fields mention, in order.
    mentions: Vec<u32>,
}

pub fn classes(programs: &[Program]) -> Classes {
    let mut starts = Vec::with_capacity(programs.len());
    let mut items = Vec::new();
    let mut shapes = Shapes::default();
    for program in programs {
        let start = items.len() as u32;
        starts.push(start);
        for id in program.types.structs.ids() {
            items.push(shapes.item(program, id, start));
        }
    }
    refine(&mut items);
    let mut classes = Vec::with_capacity(programs.len());
    let mut items = items.iter();
    for program in programs {
        let n = program.types.structs.len();
        classes.push(items.by_ref().take(n).map(|i| i.class).collect());
    }
    classes
}

/// Splits classes until all members of each mention the same classes.
fn refine(items: &mut [Item]) {
    let tags = items.iter().map(|i| i.tag + 1).max().unwrap_or(0) as usize;
    let mut count = 0;
    loop {
        resolve_declarations(items, tags);
        let mut next: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
        let new: Vec<u32> = items
            .iter()
            .map(|item| {
                let mentions = item
                    .mentions
                    .iter()
                    .map(|&m| items.get(m as usize).map_or(u32::MAX, |i| i.class))
                    .collect();
                let fresh = next.len() as u32;
                *next.entry((item.class, mentions)).or_insert(fresh)
            })
            .collect();
        for (item, class) in items.iter_mut().zip(new) {
            item.class = class;
        }
        if next.len() == count {
            break;
        }
        count = next.len();
    }
    resolve_declarations(items, tags);
}

/// Gives every mere declaration the class of the complete structs of its tag, if they have one.
fn resolve_declarations(items: &mut [Item], tags: usize) {
    let mut complete: Vec<Option<&Item>> = vec![None; tags];
    let mut unique = vec![true; tags];
    for item in items.iter().filter(|i| i.complete) {
        let tag = item.tag as usize;
        match complete[tag] {
            None => complete[tag] = Some(item),
            Some(first) => unique[tag] &= first.class == item.class,
        }
    }
    let found: Vec<Option<(u32, Vec<u32>)>> = complete
        .iter()
        .zip(unique)
        .map(|(c, u)| c.filter(|_| u).map(|i| (i.class, i.mentions.clone())))
        .collect();
    let fresh = items.iter().map(|i| i.class + 1).max().unwrap_or(0);
    for item in items.iter_mut().filter(|i| !i.complete) {
        match &found[item.tag as usize] {
            // It takes the mentions too, so that the next round keeps both together.
            Some((class, mentions)) => {
                item.class = *class;
                item.mentions.clone_from(mentions);
            }
            None => {
                item.class = fresh + item.tag;
                item.mentions.clear();
            }
        }
    }
}

/// Numbers tags and shallow definitions.
#[derive(Default)]
struct Shapes {
    names: FxHashMap<String, u32>,
    tags: FxHashMap<(u32, bool), u32>,
    shapes: FxHashMap<Vec<u8>, u32>,
}

impl Shapes {
    fn item(&mut self, program: &Program, id: StructId, start: u32) -> Item {
        let def = &program.types.structs[id];
        let name = self.name(program, def.name);
        let fresh = self.tags.len() as u32;
        let tag = *self.tags.entry((name, def.union)).or_insert(fresh);
        let mut shape = Vec::new();
        let mut mentions = Vec::new();
        put(&mut shape, u64::from(tag));
        put(&mut shape, u64::from(def.complete));
        put(&mut shape, def.size);
        put(&mut shape, u64::from(def.align));
        for field in &def.fields {
            let field_name = self.name(program, field.name);
            put(&mut shape, u64::from(field_name));
            put(&mut shape, field.offset);
            let (low, count) = field.bits.unwrap_or((u16::MAX, u16::MAX));
            put(&mut shape, u64::from(low) << 16 | u64::from(count));
            self.type_shape(program, field.ty, &mut shape, &mut mentions);
        }
        let fresh = self.shapes.len() as u32;
        Item {
            tag,
            complete: def.complete,
            class: *self.shapes.entry(shape).or_insert(fresh),
            mentions: mentions.into_iter().map(|s| start + s.0).collect(),
        }
    }

    /// The type, with structs by name; the structs go to `mentions`.
    fn type_shape(
        &mut self,
        program: &Program,
        ty: TypeId,
        shape: &mut Vec<u8>,
        mentions: &mut Vec<StructId>,
    ) {
        // A type's parts were interned before it; anything else would be a circle.
        let part = |t: TypeId| if t.0 < ty.0 { t } else { TypeId::VOID };
        match program.types.lookup(ty) {
            None | Some(Type::Void) => shape.push(0),
            Some(&Type::Int { width, signed }) => {
                shape.push(1);
                put(shape, u64::from(width) << 1 | u64::from(signed));
            }
            Some(&Type::Float(kind)) => shape.extend([2, kind as u8]),
            Some(&Type::Pointer(to)) => {
                shape.push(3);
                self.type_shape(program, part(to), shape, mentions);
            }
            Some(&Type::Array { elem, len }) => {
                shape.push(4);
                put(shape, len);
                self.type_shape(program, part(elem), shape, mentions);
            }
            Some(&Type::Struct(s)) => {
                shape.push(5);
                if let Some(def) = program.types.structs.get(s) {
                    let name = self.name(program, def.name);
                    put(shape, u64::from(name) << 1 | u64::from(def.union));
                    mentions.push(s);
                }
            }
            Some(Type::Function {
                ret,
                params,
                variadic,
            }) => {
                shape.extend([6, u8::from(*variadic)]);
                put(shape, params.len() as u64);
                for &t in params.iter().chain([ret]) {
                    self.type_shape(program, part(t), shape, mentions);
                }
            }
            Some(&Type::Opaque { size, align }) => {
                shape.push(7);
                put(shape, size);
                put(shape, u64::from(align));
            }
        }
    }

    fn name(&mut self, program: &Program, symbol: Symbol) -> u32 {
        let name = program.symbols.lookup(symbol).unwrap_or_default();
        if let Some(&n) = self.names.get(name) {
            return n;
        }
        let n = self.names.len() as u32;
        self.names.insert(name.to_string(), n);
        n
    }
}

fn put(shape: &mut Vec<u8>, n: u64) {
    shape.extend(n.to_le_bytes());
}
