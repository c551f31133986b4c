//! Calls and returns.

use crate::code::{CallSite, CallTarget, Code, Node};
use crate::compile::repr_of;
use crate::exec::{Interpreter, by_priority};
use crate::init::Entry;
use crate::libc::Host;
use crate::machine::{Frame, Machine, Target};
use crate::memory::{Fresh, Kind};
use crate::observe::Observer;
use crate::outcome::{Ctl, FaultKind, StuckReason};
use crate::value::{Scalar, Value};
use ir::{FuncId, Type, TypeId};
use std::rc::Rc;

impl<'p, O: Observer> Interpreter<'p, O> {
    /// Executes a call node. The node to go on at, or none if a frame was entered.
    pub(crate) fn call_node(&mut self, code: &Code<'p>, i: u32) -> Result<Option<u32>, Ctl> {
        let Some(site) = code.calls.get(i as usize) else {
            return Err(Ctl::malformed("call"));
        };
        let Some(value) = self.call_value(code, site)? else {
            return Ok(None);
        };
        self.m.set_result(code, site, value)?;
        match site.normal {
            Some(to) => Ok(Some(to)),
            None => Err(Ctl::malformed("a call returned where it must not")),
        }
    }

    /// Evaluates a call's operands and calls. The value that it returned, or none if a frame was
    /// entered.
    pub(crate) fn call_value(
        &mut self,
        code: &Code<'p>,
        site: &CallSite,
    ) -> Result<Option<Value>, Ctl> {
        let entry = match site.target {
            CallTarget::Direct(f) => Entry::Function(f),
            CallTarget::Indirect(e) => {
                let p = self.m.scalar(code, e);
                self.m.check_fault()?;
                self.m.addresses.entry_at(p).ok_or_else(|| {
                    let kind = if p.bits == 0 {
                        FaultKind::NullAccess
                    } else {
                        FaultKind::BadCall
                    };
                    Ctl::fault(kind, format!("call of {}", self.m.describe(p)))
                })?
            }
        };
        let args = self.m.call_arguments(code, site)?;
        let target = match entry {
            Entry::Function(f) => self.m.target(f),
            Entry::Native(native) => Target::Native(native),
        };
        let value = match (target, entry) {
            (Target::Body(callee), _) => {
                self.m.push_frame(callee, args)?;
                return Ok(None);
            }
            (Target::Native(native), _) => {
                let args: Vec<Value> = args.into_iter().map(|(v, _)| v).collect();
                native(self, &args)?
            }
            (Target::Unknown, Entry::Function(f)) => self.unknown_call(f, &args)?,
            (Target::Unknown, Entry::Native(_)) => return Err(Ctl::malformed("call")),
        };
        Ok(Some(value))
    }

    /// A function that nobody knows: the oracle may answer.
    pub(crate) fn unknown_call(
        &mut self,
        f: FuncId,
        args: &[(Value, TypeId)],
    ) -> Result<Value, Ctl> {
        let program = self.m.program;
        let name = program.function_name(f);
        let result = match program.types.get(program.functions[f].signature) {
            Type::Function { ret, .. } => *ret,
            _ => TypeId::VOID,
        };
        let args: Vec<Value> = args.iter().map(|(v, _)| v.clone()).collect();
        match self.m.oracle.call(name, &args, result) {
            Some(value) => Ok(value),
            None => Err(Ctl::Stuck(StuckReason::UnknownFunction(name.to_string()))),
        }
    }

    /// Handlers of `atexit`, last first (they may register more), then destructors.
    pub(crate) fn shut_down(&mut self) -> Result<(), Ctl> {
        while let Some((f, arg)) = self.m.at_exit.pop() {
            let args = arg.into_iter().map(Value::Scalar).collect();
            self.call_pointer(f, args)?;
        }
        // What a destructor ends with `exit` must not run it again.
        if std::mem::replace(&mut self.m.shut_down, true) {
            return Ok(());
        }
        for f in by_priority(self.m.program, |u| &u.destructors)
            .into_iter()
            .rev()
        {
            self.invoke(f, Vec::new())?;
        }
        Ok(())
    }
}

impl<'p, O: Observer> Host<'p> for Interpreter<'p, O> {
    fn m(&mut self) -> &mut Machine<'p> {
        &mut self.m
    }

    fn call_pointer(&mut self, f: Scalar, args: Vec<Value>) -> Result<Value, Ctl> {
        match self.m.addresses.entry_at(f) {
            Some(Entry::Function(id)) => self.invoke(id, args),
            Some(Entry::Native(native)) => native(self, &args),
            None => Err(Ctl::fault(
                FaultKind::BadCall,
                format!("call of {}", self.m.describe(f)),
            )),
        }
    }

    fn exit(&mut self, code: i32) -> Ctl {
        match self.shut_down() {
            Ok(()) => Ctl::Exit(code & 0xFF),
            Err(ctl) => ctl,
        }
    }
}

impl<'p> Machine<'p> {
    /// The values of a call's arguments, with their types.
    pub(crate) fn call_arguments(
        &self,
        code: &Code<'p>,
        site: &CallSite,
    ) -> Result<Vec<(Value, TypeId)>, Ctl> {
        let mut args = Vec::with_capacity(site.args.len());
        for &(a, ty) in &site.args {
            args.push((self.value(code, a), ty));
        }
        self.check_fault()?;
        Ok(args)
    }

    /// Enters a function.
    pub(crate) fn push_frame(
        &mut self,
        code: Rc<Code<'p>>,
        mut args: Vec<(Value, TypeId)>,
    ) -> Result<(), Ctl> {
        if let Some(why) = &code.broken {
            return Err(Ctl::malformed(why.clone()));
        }
        if self.frames.len() >= self.call_depth {
            return Err(Ctl::Stuck(StuckReason::CallDepth(self.call_depth)));
        }
        let params = &code.body.params;
        let varargs = if args.len() > params.len() {
            args.split_off(params.len())
        } else {
            Vec::new()
        };
        let base = self.regs.len();
        for v in &code.vars {
            self.regs.push(if v.in_memory {
                Scalar::ZERO
            } else {
                Scalar::undefined(v.repr.width())
            });
        }
        self.serial += 1;
        self.frames.push(Frame {
            node: code.body.entry.0,
            code: Rc::clone(&code),
            base,
            serial: self.serial,
            varargs,
            extra: Vec::new(),
        });
        self.base = base;
        let entered = self.enter(&code, args);
        if entered.is_err() {
            // The caller is to blame.
            self.pop_frame();
        }
        entered
    }

    /// Makes the variables that exist from the start, and gives the parameters their values.
    fn enter(&mut self, code: &Code<'p>, args: Vec<(Value, TypeId)>) -> Result<(), Ctl> {
        for &v in &code.entry_vars {
            self.declare(code, v)?;
        }
        self.set_parameters(code, args)
    }

    /// Gives the parameters of the innermost frame their values.
    pub(crate) fn set_parameters(
        &mut self,
        code: &Code<'p>,
        args: Vec<(Value, TypeId)>,
    ) -> Result<(), Ctl> {
        for (&param, (value, _)) in code.body.params.iter().zip(args) {
            let in_memory = code.vars.get(param.0 as usize).is_some_and(|v| v.in_memory);
            if in_memory && self.reg(param.0).prov.is_none() {
                self.declare(code, param.0)?;
            }
            self.set_var(code, param.0, value)?;
        }
        Ok(())
    }

    /// The value that the innermost frame returns.
    pub(crate) fn result_value(&mut self, code: &Code<'p>) -> Result<Value, Ctl> {
        let Some(ret) = code.body.ret else {
            return Ok(Value::Void);
        };
        let Some(v) = code.vars.get(ret.0 as usize) else {
            return Err(Ctl::malformed("result variable"));
        };
        let slot = self.reg(ret.0);
        if !v.in_memory {
            return Ok(Value::Scalar(slot));
        }
        let value = self.value_at(slot, v.repr);
        self.check_fault()?;
        Ok(value)
    }

    /// Hands a result to the innermost frame, which waits at a call, and moves it on.
    pub(crate) fn finish_call(&mut self, value: Value) -> Result<(), Ctl> {
        let Some(frame) = self.frames.last() else {
            return Err(Ctl::malformed("return to nowhere"));
        };
        let code = Rc::clone(&frame.code);
        let Some(&Node::Call(i)) = code.nodes.get(frame.node as usize) else {
            return Err(Ctl::malformed("return to a node that does not call"));
        };
        let Some(site) = code.calls.get(i as usize) else {
            return Err(Ctl::malformed("call"));
        };
        self.set_result(&code, site, value)?;
        let to = site
            .normal
            .ok_or_else(|| Ctl::malformed("return from a call that must not return"))?;
        if let Some(frame) = self.frames.last_mut() {
            frame.node = to;
        }
        Ok(())
    }

    /// Assigns a call's result.
    pub(crate) fn set_result(
        &mut self,
        code: &Code<'p>,
        site: &CallSite,
        value: Value,
    ) -> Result<(), Ctl> {
        let Some(place) = site.result else {
            return Ok(());
        };
        let Some(p) = code.places.get(place as usize) else {
            return Err(Ctl::malformed("unknown place"));
        };
        let value = match crate::exec::coerce(value, p.repr)? {
            Value::Void if p.repr.is_small() => Value::Scalar(Scalar::undefined(p.repr.width())),
            v => v,
        };
        self.assign(code, place, value)
    }

    /// `argc`, `argv` and `envp`, as many as `main` takes.
    pub(crate) fn main_arguments(&mut self, main: FuncId) -> Result<Vec<Value>, Ctl> {
        let count = match &self.program.functions[main].body {
            Some(b) => b.params.len(),
            None => return Err(Ctl::malformed("main has no body")),
        };
        let mut args = Vec::new();
        if count > 0 {
            args.push(Value::i32(self.args.len() as i32));
        }
        if count > 1 {
            let strings = self.args.clone();
            args.push(Value::Scalar(self.string_array(&strings)?));
        }
        if count > 2 {
            let strings = self.env.clone();
            args.push(Value::Scalar(self.string_array(&strings)?));
        }
        Ok(args)
    }

    /// A null-terminated array of strings.
    fn string_array(&mut self, strings: &[String]) -> Result<Scalar, Ctl> {
        let bytes = (strings.len() as u64 + 1) * 8;
        let array = self.new_static(bytes)?;
        for (i, s) in strings.iter().enumerate() {
            let p = self.new_string(s.as_bytes())?;
            let at = array.offset(i as u64 * 8);
            self.store(
                at,
                repr_of(self.program, TypeId::VOID_PTR),
                8,
                None,
                Value::Scalar(p),
            )?;
        }
        Ok(array)
    }

    /// Zeroed memory that lives as long as the run.
    pub(crate) fn new_static(&mut self, size: u64) -> Result<Scalar, Ctl> {
        let obj = self
            .mem
            .allocate(size, 16, Kind::Global, Fresh::Zero)
            .ok_or(Ctl::Stuck(StuckReason::Memory))?;
        Ok(self.mem.address(obj))
    }

    pub(crate) fn new_string(&mut self, s: &[u8]) -> Result<Scalar, Ctl> {
        let p = self.new_static(s.len() as u64 + 1)?;
        self.write_bytes(p, s)?;
        Ok(p)
    }
}
