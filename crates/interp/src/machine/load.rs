//! Loading a program, and starting a run of it: the first one, and any number after that.
//!
//! What loading makes (addresses, globals, the library's objects) does not depend on the run, and
//! translating a body does not either. Many runs of one program share all of it: memory goes back
//! to where it was marked, everything else of a run is made anew, in the one place where it is
//! made at all.

use super::{Config, Machine, Target};
use crate::init::Addresses;
use crate::io::Io;
use crate::libc;
use crate::memory::Memory;
use crate::outcome::Ctl;
use crate::unwind::Exceptions;
use ir::{Program, TypeId};
use std::cell::{Cell, RefCell};

/// What a program needs to be run, apart from the run.
struct Loaded<'p> {
    mem: Memory,
    addresses: Addresses,
    targets: Vec<Option<Target<'p>>>,
    lib: libc::State,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, config: Config<'p>, keep_nodes: bool) -> Machine<'p> {
        let loaded = Loaded {
            mem: Memory::new(config.memory_limit),
            addresses: Addresses::default(),
            targets: vec![None; program.functions.len()],
            lib: libc::State::default(),
        };
        let mut m = Machine::start(program, loaded, config, keep_nodes);
        match check_types(program).and_then(|()| Addresses::new(program, &mut m.mem)) {
            Ok(a) => {
                m.addresses = a;
                if let Err(ctl) = m.open_streams().and_then(|()| m.load_library_types()) {
                    m.note(ctl);
                }
            }
            Err(ctl) => m.note(ctl),
        }
        m
    }

    /// A run of a loaded program that has not begun.
    fn start(
        program: &'p Program,
        loaded: Loaded<'p>,
        config: Config<'p>,
        keep_nodes: bool,
    ) -> Machine<'p> {
        Machine {
            program,
            mem: loaded.mem,
            addresses: loaded.addresses,
            regs: Vec::new(),
            base: 0,
            frames: Vec::new(),
            serial: 0,
            steps: config.step_limit,
            call_depth: config.call_depth,
            nested: 0,
            targets: loaded.targets,
            keep_nodes,
            faulted: Cell::new(false),
            fault: RefCell::new(None),
            io: Io::new(config.stdout, config.stderr, config.stdin),
            exceptions: Exceptions::default(),
            callers_unknown: false,
            oracle: config.oracle,
            nondet: config.nondet.into_iter(),
            at_exit: Vec::new(),
            shut_down: false,
            late_ends: config.late_ends,
            lib: loaded.lib,
            args: config.args,
            env: config.env,
        }
    }

    /// Marks the state that [`Machine::restart`] goes back to, before anything has run.
    pub fn mark(&mut self) -> libc::State {
        self.mem.mark();
        self.lib.clone()
    }

    /// Forgets all that happened since the mark, and begins anew. Translated bodies stay.
    pub fn restart(&mut self, lib: &libc::State, config: Config<'p>) {
        self.mem.go_back();
        self.addresses.go_back(&self.mem);
        let loaded = Loaded {
            mem: std::mem::replace(&mut self.mem, Memory::new(0)),
            addresses: std::mem::take(&mut self.addresses),
            targets: std::mem::take(&mut self.targets),
            lib: lib.clone(),
        };
        *self = Machine::start(self.program, loaded, config, self.keep_nodes);
    }
}

/// Types refer only to types that exist, and arrays to earlier ones (else sizes have no end);
/// functions and globals have names and types. All else is looked at when it is used.
fn check_types(program: &Program) -> Result<(), Ctl> {
    use ir::Type;
    let types = &program.types;
    let known = |t: TypeId| (t.0 as usize) < types.len();
    let named = |s: ir::Symbol| (s.0 as usize) < program.symbols.len();
    let sound = types.iter().all(|(id, ty)| match ty {
        Type::Pointer(to) => known(*to),
        Type::Array { elem, .. } => *elem < id,
        Type::Struct(s) => types.structs.get(*s).is_some(),
        Type::Function { ret, params, .. } => known(*ret) && params.iter().all(|p| known(*p)),
        _ => true,
    });
    let fields = (types.structs.values()).all(|s| s.fields.iter().all(|f| known(f.ty)));
    let functions = (program.functions.values()).all(|f| named(f.name) && known(f.signature));
    let globals = (program.globals.values()).all(|g| named(g.name) && known(g.ty));
    if !sound || !fields {
        return Err(Ctl::malformed("type table"));
    }
    if !functions || !globals {
        return Err(Ctl::malformed("function or global without name or type"));
    }
    let vars = (program.bodies()).all(|(_, _, b)| b.vars.values().all(|v| known(v.ty)));
    if !vars {
        return Err(Ctl::malformed("variable without a type"));
    }
    Ok(())
}
