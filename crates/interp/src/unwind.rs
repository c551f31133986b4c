//! Exceptions and long jumps: control that leaves frames without returning.
//!
//! Exceptions follow the Itanium ABI: `__cxa_throw` first looks for a handler up the whole stack
//! (an exception that nobody catches ends the run where it is thrown), then frames are left one by
//! one, each landing pad on the way running its cleanups.

use crate::code::{Code, Node};
use crate::exec::Interpreter;
use crate::libc::Host;
use crate::machine::{Frame, Machine};
use crate::memory::ObjId;
use crate::observe::Observer;
use crate::outcome::{Ctl, Outcome};
use crate::value::{Scalar, Value};
use ir::{CatchClause, GlobalId, NodeId, Stmt};
use rustc_hash::FxHashMap;
use std::rc::Rc;

mod typeinfo;

/// The exceptions that exist.
#[derive(Default)]
pub(crate) struct Exceptions {
    /// By the address of the exception object.
    pub thrown: FxHashMap<u64, Exception>,
    /// The one that unwinds now.
    pub in_flight: Option<u64>,
    /// Those being handled, innermost last.
    pub caught: Vec<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Exception {
    pub object: Scalar,
    pub type_info: Scalar,
    pub destructor: Scalar,
    /// What `__cxa_begin_catch` returns: the base that was caught, or the pointer itself.
    pub adjusted: Scalar,
    /// How many handlers are active; negative while rethrown.
    pub handlers: i32,
    pub rethrown: bool,
    /// How many `std::exception_ptr` hold it.
    pub references: u32,
}

impl Exception {
    pub fn new(object: Scalar, type_info: Scalar, destructor: Scalar) -> Exception {
        Exception {
            object,
            type_info,
            destructor,
            adjusted: object,
            handlers: 0,
            rethrown: false,
            references: 0,
        }
    }
}

impl Exceptions {
    pub fn pointer(&self, address: u64) -> Scalar {
        match self.thrown.get(&address) {
            Some(e) => e.object,
            None => Scalar::pointer(address, ObjId::NONE),
        }
    }
}

impl<'p, O: Observer> Interpreter<'p, O> {
    /// Handles what interrupted the innermost frame; an error if the run (down to `floor`) is over.
    pub(crate) fn interrupt(&mut self, ctl: Ctl, floor: usize) -> Result<(), Ctl> {
        match ctl {
            Ctl::Done(_) | Ctl::Exit(_) => Err(ctl),
            Ctl::Throw(address) => {
                if !self.m.has_handler(address) {
                    if let Some(handler) = self.m.lib.terminate_handler.take() {
                        self.call_pointer(handler, Vec::new())?;
                    }
                    let outcome = self.outcome(Ctl::Throw(address));
                    return Err(Ctl::Done(Box::new(outcome)));
                }
                self.unwind(address, floor)
            }
            Ctl::Rethrow(address) => {
                self.m.pop_frame();
                if self.m.frames.is_empty() {
                    let outcome = self.outcome(Ctl::Rethrow(address));
                    return Err(Ctl::Done(Box::new(outcome)));
                }
                if self.m.frames.len() <= floor {
                    return Err(Ctl::Throw(address));
                }
                self.unwind(address, floor)
            }
            Ctl::Jump { frame, node, value } => {
                let target = self.m.frames.iter().rposition(|f| f.serial == frame);
                let Some(target) = target else {
                    let outcome = self.outcome(ctl);
                    return Err(Ctl::Done(Box::new(outcome)));
                };
                if target < floor {
                    while self.m.frames.len() > floor {
                        self.m.pop_frame();
                    }
                    return Err(ctl);
                }
                while self.m.frames.len() > target + 1 {
                    self.m.pop_frame();
                }
                self.m.arrive(node, value)
            }
            other => {
                let outcome: Outcome = self.outcome(other);
                Err(Ctl::Done(Box::new(outcome)))
            }
        }
    }

    /// Leaves frames until one has a landing pad for the exception.
    fn unwind(&mut self, address: u64, floor: usize) -> Result<(), Ctl> {
        loop {
            let Some(frame) = self.m.frames.last() else {
                let outcome = self.outcome(Ctl::Throw(address));
                return Err(Ctl::Done(Box::new(outcome)));
            };
            if self.m.frames.len() <= floor {
                return Err(Ctl::Throw(address));
            }
            let pad = pad_of(frame);
            if let Some((node, clauses)) = pad
                && clauses.is_none_or(|(clauses, cleanup)| {
                    cleanup || self.m.select_clause(address, clauses).is_some()
                })
            {
                self.m.exceptions.in_flight = Some(address);
                if let Some(frame) = self.m.frames.last_mut() {
                    frame.node = node;
                }
                return Ok(());
            }
            self.m.pop_frame();
        }
    }
}

/// The landing pad of the call that a frame waits for: its node, and what it catches.
type Pad<'p> = (u32, Option<(&'p [CatchClause], bool)>);

fn pad_of<'p>(frame: &Frame<'p>) -> Option<Pad<'p>> {
    let code: &Code<'p> = &frame.code;
    let Some(&Node::Call(i)) = code.nodes.get(frame.node as usize) else {
        return None;
    };
    let entry = code.calls.get(i as usize)?.unwind?;
    // The pad's own statement may come after some that only move things.
    let mut at = entry;
    for _ in 0..code.body.node_count {
        let mut edges = code.body.out_edges(NodeId(at));
        let (Some((_, edge)), None) = (edges.next(), edges.next()) else {
            break;
        };
        match &edge.stmt {
            Stmt::LandingPad {
                clauses, cleanup, ..
            } => {
                return Some((entry, Some((clauses, *cleanup))));
            }
            Stmt::Skip | Stmt::Declare(_) | Stmt::End(_) | Stmt::Assign { .. } => at = edge.to.0,
            _ => break,
        }
    }
    // The function's own unwind node is no pad: the exception passes.
    if Some(NodeId(at)) == code.body.unwind {
        return None;
    }
    Some((entry, None))
}

impl<'p> Machine<'p> {
    /// Does any frame catch the exception?
    fn has_handler(&self, address: u64) -> bool {
        self.callers_unknown
            || self.frames.iter().rev().any(|f| match pad_of(f) {
                Some((_, Some((clauses, _)))) => self.match_clause(address, clauses).is_some(),
                Some((_, None)) => true,
                None => false,
            })
    }

    /// The selector of the clause that catches the exception, and notes what the handler gets.
    pub(crate) fn select_clause(&mut self, address: u64, clauses: &[CatchClause]) -> Option<i32> {
        let (selector, adjusted) = self.match_clause(address, clauses)?;
        if let (Some(e), Some(p)) = (self.exceptions.thrown.get_mut(&address), adjusted) {
            e.adjusted = p;
        }
        Some(selector)
    }

    fn match_clause(&self, address: u64, clauses: &[CatchClause]) -> Option<(i32, Option<Scalar>)> {
        let thrown = self.exceptions.thrown.get(&address)?;
        for (i, clause) in clauses.iter().enumerate() {
            match clause {
                CatchClause::Catch(None) => return Some((0, None)),
                CatchClause::Catch(Some(g)) => {
                    if let Some(p) = self.catches(thrown, *g) {
                        return Some((g.0 as i32 + 1, Some(p)));
                    }
                }
                CatchClause::Filter(allowed) => {
                    if !allowed.iter().any(|&g| self.catches(thrown, g).is_some()) {
                        return Some((-1 - i as i32, None));
                    }
                }
            }
        }
        None
    }

    /// The type-info global of a thrown object.
    pub(crate) fn thrown_type(&self, address: u64) -> Option<GlobalId> {
        let e = self.exceptions.thrown.get(&address)?;
        self.addresses.global_of(e.type_info.prov)
    }

    /// `setjmp` returns once more, in the innermost frame.
    pub(crate) fn arrive(&mut self, node: u32, value: u32) -> Result<(), Ctl> {
        let Some(frame) = self.frames.last() else {
            return Err(Ctl::malformed("jump to nowhere"));
        };
        let code = Rc::clone(&frame.code);
        self.base = frame.base;
        let site = match code.nodes.get(node as usize) {
            Some(&Node::Call(i)) => code.calls.get(i as usize),
            _ => None,
        };
        let Some(site) = site else {
            return Err(Ctl::malformed("jump to a node that does not call setjmp"));
        };
        self.set_result(&code, site, Value::int(u64::from(value.max(1))))?;
        let to = site.again.or(site.normal);
        let to = to.ok_or_else(|| Ctl::malformed("setjmp that never returns"))?;
        if let Some(frame) = self.frames.last_mut() {
            frame.node = to;
        }
        Ok(())
    }
}
