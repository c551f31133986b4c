//! Giving functions and globals their addresses, and globals their first values.

use crate::libc::{self, Native};
use crate::memory::{Fresh, Kind, Memory, ObjId};
use crate::outcome::{Ctl, StuckReason};
use crate::value::Scalar;
use ir::{FuncId, GlobalId, Init, Linkage, Program, Target};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where functions and globals lie. Functions come first, then globals, in id order: their object
/// numbers follow from their ids.
#[derive(Default)]
pub struct Addresses {
    functions: u32,
    globals: u32,
    bases: Vec<u64>,
    /// Weak symbols that nobody defines: their address is null.
    absent: FxHashSet<ObjId>,
    /// Functions of the library that have an address: slots of its vtables.
    natives: FxHashMap<ObjId, Native>,
}

/// What an address of code is the entry of.
#[derive(Clone, Copy)]
pub(crate) enum Entry {
    Function(FuncId),
    Native(Native),
}

impl Addresses {
    /// Lays out a program in empty memory and writes the initial values.
    pub(crate) fn new(program: &Program, mem: &mut Memory) -> Result<Addresses, Ctl> {
        let full = || Ctl::Stuck(StuckReason::Memory);
        let mut a = Addresses {
            functions: program.functions.len() as u32,
            globals: program.globals.len() as u32,
            bases: vec![0],
            absent: FxHashSet::default(),
            natives: FxHashMap::default(),
        };
        for f in program.functions.values() {
            // The function's own address, then one for each of its labels.
            let labels = f.body.as_ref().map_or(0, |b| b.labels.len());
            let id = mem.allocate_code(labels as u64 + 1).ok_or_else(full)?;
            a.bases.push(mem.base(id));
            let weak = f.linkage == Linkage::Weak && f.body.is_none();
            if weak && libc::find(program.name(f.name)).is_none() {
                a.absent.insert(id);
            }
        }
        for g in program.globals.values() {
            if g.ty.0 as usize >= program.types.len() {
                return Err(Ctl::malformed("global of unknown type"));
            }
            let bytes = g.init.as_ref().map_or(0, |i| i.bytes.len() as u64);
            let size = program.types.size_of(g.ty).max(bytes);
            // A type-info object of the library: declared as a word, but its name is the second.
            let library = g.init.is_none() && program.name(g.name).starts_with("_ZTI");
            let size = if library { size.max(16) } else { size };
            let align = u64::from(program.types.align_of(g.ty));
            let kind = if g.constant && g.init.is_some() {
                Kind::Constant
            } else {
                Kind::Global
            };
            let id = mem
                .allocate(size, align, kind, Fresh::Zero)
                .ok_or_else(full)?;
            a.bases.push(mem.base(id));
            if g.linkage == Linkage::Weak && g.init.is_none() {
                a.absent.insert(id);
            }
        }
        for (id, g) in program.globals.iter() {
            if let (Some(init), Some(obj)) = (&g.init, a.global(id)) {
                mem.set_read_only(obj, false);
                a.write(mem, obj, init)?;
                mem.set_read_only(obj, g.constant);
            }
        }
        Ok(a)
    }

    fn write(&self, mem: &mut Memory, obj: ObjId, init: &Init) -> Result<(), Ctl> {
        let outside = |_| Ctl::malformed("initial value larger than its global");
        for (i, chunk) in init.bytes.chunks(8).enumerate() {
            let mut bits = [0; 8];
            bits[..chunk.len()].copy_from_slice(chunk);
            let value = Scalar::plain(u64::from_le_bytes(bits));
            mem.write(obj, i as u64 * 8, chunk.len(), value)
                .map_err(outside)?;
        }
        for r in &init.relocations {
            let target = match r.target {
                Target::Function(f) => self.function(f),
                Target::Global(g) => self.global(g).and_then(|o| Some((self.base(o)?, o))),
                Target::Label(f, k) => self.function(f).map(|(b, o)| (b + 1 + u64::from(k), o)),
            };
            let (base, prov) =
                target.ok_or_else(|| Ctl::malformed("relocation to an unknown symbol"))?;
            let value = Scalar::pointer(base.wrapping_add(r.addend as u64), prov);
            mem.write(obj, r.offset, 8, value).map_err(outside)?;
        }
        for &(offset, len) in &init.unknown {
            mem.forget(obj, offset, len).map_err(outside)?;
        }
        Ok(())
    }

    /// Address and object of a function.
    pub fn function(&self, f: FuncId) -> Option<(u64, ObjId)> {
        let obj = ObjId((f.0 < self.functions).then_some(f.0 + 1)?);
        Some((self.base(obj)?, obj))
    }

    pub fn global(&self, g: GlobalId) -> Option<ObjId> {
        (g.0 < self.globals).then_some(ObjId(self.functions + g.0 + 1))
    }

    pub fn base(&self, obj: ObjId) -> Option<u64> {
        if self.absent.contains(&obj) {
            return Some(0);
        }
        self.bases.get(obj.0 as usize).copied()
    }

    /// What starts at an address.
    pub(crate) fn entry_at(&self, p: Scalar) -> Option<Entry> {
        if let Some(native) = self.natives.get(&p.prov) {
            return Some(Entry::Native(*native));
        }
        self.function_at(p).map(Entry::Function)
    }

    /// Gives a function of the library an address.
    pub(crate) fn native(&mut self, mem: &mut Memory, native: Native) -> Option<Scalar> {
        let obj = mem.allocate_code(1)?;
        self.natives.insert(obj, native);
        Some(mem.address(obj))
    }

    /// Forgets the library's functions that got an address after memory was marked.
    pub(crate) fn go_back(&mut self, mem: &Memory) {
        self.natives.retain(|&obj, _| mem.is_kept(obj));
    }

    /// The function that an address is the entry of.
    pub fn function_at(&self, p: Scalar) -> Option<FuncId> {
        let obj = if p.prov.is_none() {
            let n = self
                .bases
                .get(..=self.functions as usize)?
                .partition_point(|&b| b <= p.bits);
            ObjId(n.checked_sub(1)? as u32)
        } else {
            p.prov
        };
        let f = FuncId(obj.0.checked_sub(1)?);
        (self.function(f)?.0 == p.bits).then_some(f)
    }

    /// The global that an object is.
    pub fn global_of(&self, obj: ObjId) -> Option<GlobalId> {
        let n = obj.0.checked_sub(self.functions + 1)?;
        (n < self.globals).then_some(GlobalId(n))
    }
}
