//! The state of a run, apart from who observes it.

use crate::code::{Code, Repr};
use crate::compile::{compile, repr_of};
use crate::init::Addresses;
use crate::io::Io;
use crate::libc::{self, Native};
use crate::memory::{AccessError, Fresh, Kind, Memory, ObjId, State};
use crate::observe::{Oracle, StuckOracle};
use crate::outcome::{Ctl, Fault, FaultKind, StuckReason};
use crate::unwind::Exceptions;
use crate::value::{Scalar, Value};
use ir::{Body, FuncId, Program, TypeId};
use std::cell::{Cell, RefCell};
use std::io::{Read, Write};
use std::rc::Rc;

mod load;

/// What a run is given.
pub struct Config<'p> {
    /// `argv`, the program's name included.
    pub args: Vec<String>,
    /// `NAME=value` each.
    pub env: Vec<String>,
    pub stdin: Box<dyn Read + 'p>,
    pub stdout: Box<dyn Write + 'p>,
    pub stderr: Box<dyn Write + 'p>,
    /// Statements to execute at most.
    pub step_limit: u64,
    /// Nested calls at most.
    pub call_depth: usize,
    /// Bytes of living objects at most; an allocation beyond them gives null.
    pub memory_limit: u64,
    /// What `__VERIFIER_nondet_…` functions return, in order; 0 after the last.
    pub nondet: Vec<u64>,
    /// Variables whose scope ends stay until their function is left, as most compilers have it: a run goes on that has used one.
    pub late_ends: bool,
    pub oracle: Box<dyn Oracle + 'p>,
}

impl Default for Config<'_> {
    fn default() -> Self {
        Config {
            args: vec!["a.out".into()],
            env: Vec::new(),
            stdin: Box::new(std::io::empty()),
            stdout: Box::new(std::io::sink()),
            stderr: Box::new(std::io::sink()),
            step_limit: 1 << 40,
            call_depth: 100_000,
            memory_limit: 1 << 30,
            nondet: Vec::new(),
            late_ends: false,
            oracle: Box::new(StuckOracle),
        }
    }
}

/// An active call of a function with a body.
pub(crate) struct Frame<'p> {
    pub code: Rc<Code<'p>>,
    /// Where it stands: for all but the innermost, the node of the call it waits for.
    pub node: u32,
    /// Its first register.
    pub base: usize,
    /// Never used twice: what a `jmp_buf` refers to.
    pub serial: u64,
    pub varargs: Vec<(Value, TypeId)>,
    /// `alloca` and `va_start` memory.
    pub extra: Vec<ObjId>,
}

/// What a function is to the interpreter.
#[derive(Clone)]
pub(crate) enum Target<'p> {
    Body(Rc<Code<'p>>),
    Native(Native),
    Unknown,
}

pub(crate) struct Machine<'p> {
    pub program: &'p Program,
    pub mem: Memory,
    pub addresses: Addresses,
    pub regs: Vec<Scalar>,
    /// First register of the innermost frame.
    pub base: usize,
    pub frames: Vec<Frame<'p>>,
    pub serial: u64,
    pub steps: u64,
    pub call_depth: usize,
    /// How many library functions wait for a function that they called.
    pub nested: usize,
    targets: Vec<Option<Target<'p>>>,
    /// Translate so that an observer sees every node.
    keep_nodes: bool,
    faulted: Cell<bool>,
    fault: RefCell<Option<Ctl>>,
    pub io: Io<'p>,
    pub exceptions: Exceptions,
    /// The outermost frame has callers that are not there: they may catch what leaves it.
    pub callers_unknown: bool,
    pub oracle: Box<dyn Oracle + 'p>,
    pub nondet: std::vec::IntoIter<u64>,
    /// Handlers of `atexit` and `__cxa_atexit`: function, and argument if it takes one.
    pub at_exit: Vec<(Scalar, Option<Scalar>)>,
    /// Destructors have begun.
    pub shut_down: bool,
    /// See [`Config::late_ends`].
    pub late_ends: bool,
    pub lib: libc::State,
    pub args: Vec<String>,
    pub env: Vec<String>,
}

impl<'p> Machine<'p> {
    // Faults of expressions.

    /// Notes the first thing that went wrong.
    #[cold]
    pub fn note(&self, ctl: Ctl) {
        if !self.faulted.replace(true) {
            *self.fault.borrow_mut() = Some(ctl);
        }
    }

    #[cold]
    pub fn note_fault(&self, kind: FaultKind, detail: impl FnOnce() -> String) -> u64 {
        if !self.faulted.get() {
            self.note(Ctl::Fault(Fault {
                kind,
                detail: detail(),
            }));
        }
        0
    }

    #[cold]
    pub fn note_access(&self, err: AccessError, p: Scalar, size: u64) -> Scalar {
        if !self.faulted.get() {
            self.note(self.access_fault(err, p, size));
        }
        Scalar::ZERO
    }

    /// An expression that cannot be evaluated.
    #[cold]
    pub fn bad(&self, c: &Code<'p>, e: u32) -> u64 {
        if !self.faulted.get() {
            let ctl = match c.body.exprs.get(ir::ExprId(e)) {
                Some(x) if repr_of(self.program, x.ty) == Repr::Unsupported => {
                    Ctl::unsupported("a value of a type that is not computed with")
                }
                Some(x) => Ctl::malformed(format!("expression {e}: {:?}", x.kind)),
                None => Ctl::malformed("expression or place out of range"),
            };
            self.note(ctl);
        }
        0
    }

    /// Was everything evaluated since the last statement well?
    #[inline]
    pub fn check_fault(&self) -> Result<(), Ctl> {
        if self.faulted.get() {
            return Err(self.take_fault());
        }
        Ok(())
    }

    #[cold]
    fn take_fault(&self) -> Ctl {
        self.faulted.set(false);
        self.fault
            .borrow_mut()
            .take()
            .unwrap_or_else(|| Ctl::malformed("fault without a cause"))
    }

    /// Forgets a fault; true if there was none.
    pub fn discard_fault(&self) -> bool {
        !self.faulted.replace(false)
    }

    /// Puts an access that failed into words.
    #[cold]
    pub fn access_fault(&self, err: AccessError, p: Scalar, size: u64) -> Ctl {
        let detail = match err {
            AccessError::Null | AccessError::Wild => {
                format!("{size} bytes at address {:#x}", p.bits)
            }
            _ => format!("{size} bytes at {}", self.describe(p)),
        };
        Ctl::fault(err.into(), detail)
    }

    /// A pointer in words: `offset 4 of global x (4 bytes)`.
    pub fn describe(&self, p: Scalar) -> String {
        let p = self.mem.with_object(p);
        if p.prov.is_none() && p.bits == 0 {
            return "null".into();
        }
        if p.prov.is_none() {
            return format!("address {:#x}", p.bits);
        }
        let offset = p.bits.wrapping_sub(self.mem.base(p.prov)) as i64;
        let what = match (self.addresses.global_of(p.prov), self.mem.kind(p.prov)) {
            (Some(g), _) => {
                let g = &self.program.globals[g];
                format!("global {}", self.program.name(g.name))
            }
            (_, Kind::Local) => "a local".into(),
            (_, Kind::Heap) => "a heap block".into(),
            (_, Kind::Function) => "a function".into(),
            _ => "a static object".into(),
        };
        let size = self.mem.size(p.prov);
        format!("offset {offset} of {what} ({size} bytes)")
    }

    // Frames.

    /// What to run for a function.
    pub fn target(&mut self, f: FuncId) -> Target<'p> {
        if let Some(Some(t)) = self.targets.get(f.0 as usize) {
            return t.clone();
        }
        let program = self.program;
        let Some(function) = program.functions.get(f) else {
            return Target::Unknown;
        };
        let t = match &function.body {
            Some(body) => Target::Body(Rc::new(self.translate(f, body))),
            None => match libc::find(program.name(function.name)) {
                Some(native) => Target::Native(native),
                None => Target::Unknown,
            },
        };
        if let Some(slot) = self.targets.get_mut(f.0 as usize) {
            *slot = Some(t.clone());
        }
        t
    }

    /// A body that stands for a function's.
    pub fn translate(&self, f: FuncId, body: &'p Body) -> Code<'p> {
        compile(self.program, &self.addresses, f, body, self.keep_nodes)
    }

    /// Arguments with the types of a function's parameters.
    pub fn typed(&self, f: FuncId, args: Vec<Value>) -> Result<Vec<(Value, TypeId)>, Ctl> {
        let Some(function) = self.program.functions.get(f) else {
            return Err(Ctl::malformed("unknown function"));
        };
        let types = match self.program.types.get(function.signature) {
            ir::Type::Function { params, .. } => params.as_slice(),
            _ => &[],
        };
        let types = types.iter().copied().chain(std::iter::repeat(TypeId::I64));
        Ok(args.into_iter().zip(types).collect())
    }

    /// New storage of a local.
    pub fn new_local(&mut self, size: u64, align: u64) -> Result<ObjId, Ctl> {
        self.mem
            .allocate(size, align, Kind::Local, Fresh::Undefined)
            .ok_or(Ctl::Stuck(StuckReason::Memory))
    }

    /// Storage of a variable begins.
    pub fn declare(&mut self, c: &Code<'p>, var: u32) -> Result<(), Ctl> {
        let Some(v) = c.vars.get(var as usize) else {
            return Err(Ctl::malformed("unknown variable"));
        };
        if v.in_memory {
            let old = self.reg(var).prov;
            self.mem.kill(old, State::OutOfScope);
            let obj = self.new_local(v.size, u64::from(v.align))?;
            let address = self.mem.address(obj);
            self.set_reg(var, address);
        } else {
            self.set_reg(var, Scalar::undefined(v.repr.width()));
        }
        Ok(())
    }

    /// Storage of a variable ends.
    pub fn end(&mut self, c: &Code<'p>, var: u32) {
        if let Some(v) = c.vars.get(var as usize) {
            if v.in_memory && self.late_ends {
                // Its frame has it.
            } else if v.in_memory {
                let old = self.reg(var).prov;
                self.mem.kill(old, State::OutOfScope);
            } else {
                self.set_reg(var, Scalar::undefined(v.repr.width()));
            }
        }
    }

    /// Ends a variable-length array.
    pub fn end_of_array(&mut self, p: Scalar) {
        let p = self.mem.with_object(p);
        self.mem.kill(p.prov, State::OutOfScope);
    }

    /// Drops the innermost frame and all that lived in it.
    pub fn pop_frame(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        for &v in &frame.code.memory_vars {
            if let Some(r) = self.regs.get(frame.base + v as usize) {
                self.mem.kill(r.prov, State::OutOfScope);
            }
        }
        for obj in frame.extra {
            self.mem.kill(obj, State::OutOfScope);
        }
        self.regs.truncate(frame.base);
        self.base = self.frames.last().map_or(0, |f| f.base);
    }

    /// The value of some type at an address; faults are noted.
    pub fn value_at(&self, address: Scalar, repr: Repr) -> Value {
        match repr {
            Repr::Blob { size: 0 } => Value::Blob(Box::default()),
            Repr::Blob { size } => {
                let read = self
                    .mem
                    .resolve(address, size)
                    .and_then(|(obj, at)| self.mem.read_blob(obj, at, size));
                match read {
                    Ok(b) => Value::Blob(Box::new(b)),
                    Err(err) => {
                        self.note_access(err, address, size);
                        Value::Void
                    }
                }
            }
            r if r.is_wide() => Value::Wide(self.load_wide(r, address)),
            r if r.is_small() => {
                let place = crate::code::CPlace {
                    root: crate::code::Root::Bad,
                    offset: 0,
                    indices: Default::default(),
                    bits: None,
                    repr: r,
                    size: u64::from(r.width()).div_ceil(8),
                };
                Value::Scalar(self.load_at(&place, address))
            }
            _ => Value::Void,
        }
    }
}
