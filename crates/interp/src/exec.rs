//! The interpreter's loop: one node after the other.

use crate::code::{Code, Node};
use crate::machine::{Config, Machine, Target};
use crate::memory::Memory;
use crate::observe::{FrameView, NoObserver, Observer};
use crate::outcome::{Ctl, Outcome, StuckReason};
use crate::value::{Scalar, Value};
use ir::{Body, CheckId, Condition, EdgeId, FuncId, NodeId, Program, Stmt, TypeId};
use std::rc::Rc;

mod stmt;
pub(crate) use stmt::coerce;

/// Runs a program.
pub struct Interpreter<'p, O = NoObserver> {
    pub(crate) m: Machine<'p>,
    observer: O,
}

impl<'p> Interpreter<'p> {
    pub fn new(program: &'p Program, config: Config<'p>) -> Self {
        Self::with_observer(program, config, NoObserver)
    }
}

impl<'p, O: Observer> Interpreter<'p, O> {
    pub fn with_observer(program: &'p Program, config: Config<'p>, observer: O) -> Self {
        Interpreter {
            m: Machine::new(program, config, O::ACTIVE),
            observer,
        }
    }

    /// Runs the program: constructors, `main`, exit handlers, destructors.
    pub fn run(&mut self) -> Outcome {
        let end = self.run_program();
        self.conclude(end)
    }

    /// Calls one function with the given arguments; afterwards memory can be looked at, and other
    /// functions called.
    pub fn call(&mut self, function: FuncId, args: Vec<Value>) -> Result<Value, Outcome> {
        self.called(|run| run.invoke(function, args))
    }

    /// The same with another body in the function's place, which [`ir::compose()`] made: what it says of
    /// the run is over that body. Who handles an exception is found out when it gets there, not
    /// where it is thrown.
    pub fn call_body(
        &mut self,
        function: FuncId,
        body: &'p Body,
        args: Vec<Value>,
    ) -> Result<Value, Outcome> {
        self.called(|run| {
            let typed = run.m.typed(function, args)?;
            let code = Rc::new(run.m.translate(function, body));
            let callers_unknown = std::mem::replace(&mut run.m.callers_unknown, true);
            let end = run.run_code(code, typed);
            run.m.callers_unknown = callers_unknown;
            end
        })
    }

    fn called(
        &mut self,
        call: impl FnOnce(&mut Self) -> Result<Value, Ctl>,
    ) -> Result<Value, Outcome> {
        let depth = self.m.frames.len();
        let end = self.m.check_fault();
        let end = end.and_then(|()| call(self));
        self.m.io.flush();
        let end = end.map_err(|ctl| self.outcome(ctl));
        // A run that ended early leaves its frames for the report.
        while self.m.frames.len() > depth {
            self.m.pop_frame();
        }
        end
    }

    pub fn memory(&self) -> &Memory {
        &self.m.mem
    }

    /// Memory to be prepared for a call: objects that its callers would have made.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.m.mem
    }

    /// The object of a global.
    pub fn global(&self, g: ir::GlobalId) -> Option<crate::ObjId> {
        self.m.addresses.global(g)
    }

    /// Statements that may still be executed.
    pub fn steps_left(&self) -> u64 {
        self.m.steps
    }

    pub fn into_observer(self) -> O {
        self.observer
    }

    fn conclude(&mut self, end: Result<i32, Ctl>) -> Outcome {
        self.m.io.flush();
        match (end, self.m.io.error.take()) {
            (Ok(_), Some(e)) => self.outcome(Ctl::Stuck(StuckReason::Output(e))),
            (Ok(code), None) => Outcome::Exit(code),
            (Err(ctl), _) => self.outcome(ctl),
        }
    }

    fn run_program(&mut self) -> Result<i32, Ctl> {
        self.m.check_fault()?;
        let program = self.m.program;
        let main = program
            .find_function("main")
            .ok_or_else(|| Ctl::malformed("no function main"))?;
        for f in by_priority(program, |u| &u.constructors) {
            self.invoke(f, Vec::new())?;
        }
        let args = self.m.main_arguments(main)?;
        let result = self.invoke(main, args)?;
        let code = match result {
            Value::Scalar(s) => s.bits as i32,
            _ => 0,
        };
        self.shut_down()?;
        Ok(code & 0xFF)
    }

    /// Calls a function and runs until it has returned.
    pub(crate) fn invoke(&mut self, f: FuncId, args: Vec<Value>) -> Result<Value, Ctl> {
        if self.m.nested >= 200 {
            return Err(Ctl::Stuck(StuckReason::CallDepth(200)));
        }
        let typed = self.m.typed(f, args)?;
        match self.m.target(f) {
            Target::Body(code) => self.run_code(code, typed),
            Target::Native(native) => {
                let args: Vec<Value> = typed.into_iter().map(|(v, _)| v).collect();
                native(self, &args)
            }
            Target::Unknown => self.unknown_call(f, &typed),
        }
    }

    /// Enters a body and runs until it has returned.
    fn run_code(&mut self, code: Rc<Code<'p>>, args: Vec<(Value, TypeId)>) -> Result<Value, Ctl> {
        let floor = self.m.frames.len();
        self.m.push_frame(code, args)?;
        self.m.nested += 1;
        let result = self.run_to(floor);
        self.m.nested -= 1;
        // An error leaves its frames for the report; what unwinds has dropped them.
        result
    }

    /// Runs until only `floor` frames are left; the result of the last one.
    pub(crate) fn run_to(&mut self, floor: usize) -> Result<Value, Ctl> {
        loop {
            let Some(frame) = self.m.frames.last() else {
                return Ok(Value::Void);
            };
            let code = Rc::clone(&frame.code);
            self.m.base = frame.base;
            let mut pc = frame.node;
            let step = self.run_frame(&code, &mut pc, floor);
            match step {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(ctl) => {
                    if let Some(frame) = self.m.frames.last_mut()
                        && !matches!(ctl, Ctl::Done(_))
                    {
                        frame.node = pc;
                    }
                    self.interrupt(ctl, floor)?;
                }
            }
        }
    }

    /// Runs the innermost frame until another one is to run (none) or the last has returned.
    fn run_frame(
        &mut self,
        code: &Code<'p>,
        pc: &mut u32,
        floor: usize,
    ) -> Result<Option<Value>, Ctl> {
        loop {
            if self.m.steps == 0 {
                return Err(Ctl::StepLimit);
            }
            self.m.steps -= 1;
            if O::ACTIVE {
                let view = FrameView {
                    machine: &self.m,
                    code,
                };
                self.observer.visit(code.func, NodeId(*pc), &view);
            }
            let Some(node) = code.nodes.get(*pc as usize) else {
                return Err(Ctl::malformed("node out of range"));
            };
            match *node {
                Node::Goto(to) => *pc = to,
                Node::SetReg {
                    var,
                    value,
                    to,
                    copy,
                } => {
                    let v = if copy {
                        self.m.scalar(code, value)
                    } else {
                        Scalar::plain(self.m.bits(code, value))
                    };
                    self.m.check_fault()?;
                    self.m.set_reg(var, v);
                    *pc = to;
                }
                Node::Branch { cond, yes, no } => {
                    let c = self.m.bits(code, cond);
                    self.m.check_fault()?;
                    *pc = if c & 1 != 0 { yes } else { no };
                }
                Node::Assign { place, value, to } => {
                    let v = self.m.value(code, value);
                    self.m.check_fault()?;
                    self.m.assign(code, place, v)?;
                    *pc = to;
                }
                Node::Check { check, to } => {
                    self.check(code, CheckId(check))?;
                    *pc = to;
                }
                Node::Declare { var, to } => {
                    self.m.declare(code, var)?;
                    *pc = to;
                }
                Node::End { var, to } => {
                    self.m.end(code, var);
                    *pc = to;
                }
                Node::Switch(i) => {
                    let Some(switch) = code.switches.get(i as usize) else {
                        return Err(Ctl::malformed("switch"));
                    };
                    let x = self.m.bits(code, switch.on);
                    self.m.check_fault()?;
                    let to = switch.cases.get(&x).copied().or(switch.default);
                    *pc = to.ok_or(Ctl::Stuck(StuckReason::Blocked))?;
                }
                Node::Call(i) => {
                    if let Some(frame) = self.m.frames.last_mut() {
                        frame.node = *pc;
                    }
                    match self.call_node(code, i)? {
                        Some(to) => *pc = to,
                        None => return Ok(None),
                    }
                }
                Node::Stmt { edge, to } => {
                    let Some(e) = code.body.edges().get(EdgeId(edge)) else {
                        return Err(Ctl::malformed("edge"));
                    };
                    self.stmt(code, &e.stmt)?;
                    *pc = to;
                }
                Node::Choice => *pc = self.choose(code, *pc)?,
                Node::Exit => {
                    let value = self.m.result_value(code)?;
                    self.m.pop_frame();
                    if self.m.frames.len() <= floor {
                        return Ok(Some(value));
                    }
                    // Should handing over fail, it is the caller that stands there.
                    *pc = self.m.frames.last().map_or(0, |f| f.node);
                    self.m.finish_call(value)?;
                    return Ok(None);
                }
                Node::Unwind => {
                    let address = self.m.exceptions.in_flight;
                    return Err(match address {
                        Some(a) => Ctl::Rethrow(a),
                        None => Ctl::malformed("unwinding without an exception"),
                    });
                }
                Node::DeadEnd => return Err(Ctl::Stuck(StuckReason::Blocked)),
                Node::Malformed => return Err(Ctl::malformed("node with ids out of range")),
            }
        }
    }

    /// A node that several edges leave: the first assumption that holds, or whatever the oracle says
    /// among several.
    fn choose(&mut self, code: &Code<'p>, pc: u32) -> Result<u32, Ctl> {
        let mut enabled = Vec::new();
        for (_, e) in code.body.out_edges(NodeId(pc)) {
            let on = match e.stmt {
                Stmt::Assume(c) => self.m.bits(code, c.0) & 1 != 0,
                _ => true,
            };
            self.m.check_fault()?;
            if on {
                enabled.push(e);
            }
        }
        let edge = match enabled.as_slice() {
            [] => return Err(Ctl::Stuck(StuckReason::Blocked)),
            [one] => one,
            many => {
                let i = self.m.oracle.choose(many.len());
                many.get(i).unwrap_or(&many[0])
            }
        };
        self.execute(code, &edge.stmt)?;
        Ok(edge.to.0)
    }

    /// Executes any statement but a call.
    pub(crate) fn execute(&mut self, code: &Code<'p>, stmt: &Stmt) -> Result<(), Ctl> {
        match stmt {
            Stmt::Call(_) => Err(Ctl::malformed("a call among other edges")),
            Stmt::Declare(v) => self.m.declare(code, v.0),
            Stmt::End(v) => {
                self.m.end(code, v.0);
                Ok(())
            }
            Stmt::Check(c) => self.check(code, *c),
            Stmt::Assign { place, value } => {
                let v = self.m.value(code, value.0);
                self.m.check_fault()?;
                self.m.assign(code, place.0, v)
            }
            stmt => self.stmt(code, stmt),
        }
    }

    /// Evaluates a check.
    fn check(&mut self, code: &Code<'p>, id: CheckId) -> Result<(), Ctl> {
        let Some(check) = code.body.checks.get(id) else {
            return Err(Ctl::malformed("check"));
        };
        let m = &self.m;
        let holds = match check.condition {
            Condition::Holds(e) => m.bits(code, e.0) & 1 != 0,
            Condition::Initialized(p) => m.is_initialized(code, p.0),
            Condition::InBounds { pointer, size } => {
                let (p, n) = (m.scalar(code, pointer.0), m.index(code, size.0));
                m.mem.in_bounds(p, n)
            }
            Condition::Alive(e) => m.mem.alive(m.scalar(code, e.0)),
            Condition::Freeable { pointer, family } => {
                m.mem.freeable(m.scalar(code, pointer.0), family)
            }
            Condition::Apart(a, b) => {
                let (a, b) = (m.scalar(code, a.0), m.scalar(code, b.0));
                !m.discard_fault() || m.mem.apart(a, b)
            }
            Condition::Unreachable => false,
        };
        m.check_fault()?;
        if holds { Ok(()) } else { Err(Ctl::Check(id)) }
    }
}

/// The constructors or destructors of all units, by priority.
pub(crate) fn by_priority(
    program: &Program,
    list: fn(&ir::Unit) -> &Vec<(u32, FuncId)>,
) -> Vec<FuncId> {
    let mut all: Vec<(u32, FuncId)> = (program.units.values())
        .flat_map(|u| list(u).clone())
        .collect();
    all.sort_by_key(|&(priority, _)| priority);
    all.into_iter().map(|(_, f)| f).collect()
}
