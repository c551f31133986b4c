//! Following the path: one edge after the other, whatever the run would have chosen.
//!
//! A node that several edges leave is where a run could go elsewhere; there the edge's own
//! assumption decides whether it goes along. All else is executed as the interpreter does it.

use super::end::End;
use super::{Replayed, Script, ScriptTarget, ScriptValue, StepEffect};
use crate::code::{Code, Repr};
use crate::compile::repr_of;
use crate::exec::Interpreter;
use crate::machine::Target;
use crate::memory::ObjId;
use crate::outcome::{Ctl, StuckReason};
use crate::value::Value;
use ir::{Edge, EdgeId, NodeId, PlaceId, Stmt, Type, TypeId, VarId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A script being run.
pub(super) struct Player<'r, 'p, 's> {
    pub run: &'r mut Interpreter<'p>,
    pub script: &'s Script,
    pub code: Rc<Code<'p>>,
    /// The script's objects.
    pub objects: Vec<ObjId>,
    /// What steps have allocated.
    pub allocated: BTreeMap<usize, ObjId>,
    /// No value is larger.
    pub memory_limit: u64,
}

impl<'r, 'p, 's> Player<'r, 'p, 's> {
    /// Enters the function: memory is made and filled, parameters have their values.
    pub fn start(
        run: &'r mut Interpreter<'p>,
        target: Target<'p>,
        script: &'s Script,
        memory_limit: u64,
    ) -> Result<Self, End> {
        let Target::Body(code) = target else {
            return End::stuck("a function without a body");
        };
        let mut player = Player {
            run,
            script,
            code,
            objects: Vec::with_capacity(script.objects.len()),
            allocated: BTreeMap::new(),
            memory_limit,
        };
        player.make_objects()?;
        // The frame comes first: what memory holds may point to its variables.
        let entered = player.run.m.push_frame(Rc::clone(&player.code), Vec::new());
        entered.map_err(|ctl| player.end(ctl))?;
        for (i, object) in script.objects.iter().enumerate() {
            for write in &object.writes {
                player.write(ScriptTarget::Object(i), write)?;
            }
        }
        for (global, write) in &script.globals {
            player.write(ScriptTarget::Global(*global), write)?;
        }
        player.set_arguments()?;
        Ok(player)
    }

    fn set_arguments(&mut self) -> Result<(), End> {
        let code = Rc::clone(&self.code);
        let params = &code.body.params;
        let given = self.script.args.len();
        let types = &self.run.m.program.types;
        let function = self.run.m.program.functions.get(self.script.function);
        let signature = function.and_then(|f| types.lookup(f.signature));
        let variadic = matches!(signature, Some(Type::Function { variadic: true, .. }));
        if given < params.len() || given > params.len() && !variadic {
            return End::stuck(format!("{given} arguments for {} parameters", params.len()));
        }
        let (named, variadic) = self.script.args.split_at(params.len());
        let mut args = Vec::with_capacity(named.len());
        for (param, value) in params.iter().zip(named) {
            let var = code.vars.get(param.0 as usize);
            let repr = var.map_or(Repr::Unsupported, |v| v.repr);
            args.push((self.value(value, repr)?, TypeId::VOID));
        }
        let set = self.run.m.set_parameters(&code, args);
        set.map_err(|ctl| self.end(ctl))?;
        let mut varargs = Vec::with_capacity(variadic.len());
        for value in variadic {
            let ty = match value {
                ScriptValue::Pointer { .. } => TypeId::VOID_PTR,
                _ => TypeId::U64,
            };
            let value = self.value(value, repr_of(self.run.m.program, ty))?;
            varargs.push((value, ty));
        }
        if let Some(frame) = self.run.m.frames.last_mut() {
            frame.varargs = varargs;
        }
        Ok(())
    }

    /// Runs the path to its end.
    pub fn play(mut self) -> Replayed {
        let path = &self.script.path;
        let last = path.len().saturating_sub(1);
        let is_check = path.last().and_then(|&id| self.edge(id));
        if !is_check.is_some_and(|e| matches!(e.stmt, Stmt::Check(_))) {
            let why = "the path does not end at a check".into();
            return Replayed::Stuck { step: last, why };
        }
        let mut at = self.code.body.entry;
        let mut step = 0;
        loop {
            let edge = path.get(step).and_then(|&id| self.edge(id));
            let Some(edge) = edge.filter(|e| e.from == at) else {
                let why = format!("no such edge leaves node {}", at.0);
                return Replayed::Stuck { step, why };
            };
            self.stand_at(edge.from);
            if step == last {
                return match self.last_check(edge) {
                    Ok(()) => Replayed::Confirmed,
                    Err(end) => end.at(step),
                };
            }
            match self.step(step, edge) {
                Ok(next) => (step, at) = next,
                Err(end) => return end.at(step),
            }
        }
    }

    pub(super) fn edge(&self, id: EdgeId) -> Option<&'p Edge> {
        let body: &'p ir::Body = self.code.body;
        body.edges().get(id)
    }

    /// For reports, for `setjmp`, and for exceptions that look for their handler.
    fn stand_at(&mut self, node: NodeId) {
        if let Some(frame) = self.run.m.frames.last_mut() {
            frame.node = node.0;
        }
    }

    pub(super) fn end(&mut self, ctl: Ctl) -> End {
        End::of(self.run, ctl)
    }

    /// Executes an edge; the next step, and the node to be at.
    fn step(&mut self, step: usize, edge: &'p Edge) -> Result<(usize, NodeId), End> {
        let script = self.script;
        let effect = script.steps.get(&step);
        let next = (step + 1, edge.to);
        match (&edge.stmt, effect) {
            (Stmt::Call(call), _) => return self.call(step, edge, call, effect),
            (Stmt::Havoc { place, .. }, Some(StepEffect::Instead { .. })) => {
                self.give(step, *place)?;
            }
            // A character that nobody wrote is what the script says.
            (Stmt::Check(check), Some(StepEffect::Instead { .. })) => {
                let (body, types) = (self.code.body, &self.run.m.program.types);
                let condition = body.checks.get(*check).map(|c| &c.condition);
                let place = condition.and_then(|c| c.asks_for_character(body, types));
                let Some(place) = place else {
                    return End::stuck("the script replaces a check");
                };
                self.give(step, place)?;
            }
            (
                Stmt::LandingPad {
                    exception,
                    selector,
                    ..
                },
                Some(StepEffect::Instead { .. }),
            ) => self.land(step, *exception, *selector)?,
            (_, Some(StepEffect::Instead { .. })) => {
                return End::stuck("the script replaces a step that the path determines");
            }
            (stmt, _) => self.statement(step, stmt)?,
        }
        Ok(next)
    }

    /// The script says what a place holds from this step on.
    fn give(&mut self, step: usize, place: PlaceId) -> Result<(), End> {
        let repr = self.code.places.get(place.0 as usize).map(|p| p.repr);
        let Some(value) = self.instead(step, repr.unwrap_or(Repr::Unsupported))? else {
            return End::stuck("the script has no value for a place");
        };
        let code = Rc::clone(&self.code);
        let assigned = self.run.m.assign(&code, place.0, value);
        assigned.map_err(|ctl| self.end(ctl))
    }

    /// A statement that needs nothing from the script.
    fn statement(&mut self, step: usize, stmt: &'p Stmt) -> Result<(), End> {
        let code = Rc::clone(&self.code);
        match self.run.execute(&code, stmt) {
            Ok(()) => {}
            Err(Ctl::Stuck(StuckReason::Blocked)) => {
                let words = match stmt {
                    Stmt::Assume(e) => self.run.m.operands_in_words(&code, *e),
                    _ => String::new(),
                };
                self.run.m.discard_fault();
                let detail = if words.is_empty() { "" } else { ": " };
                return End::diverged(format!("the assumption is false{detail}{words}"));
            }
            Err(ctl) => return Err(self.end(ctl)),
        }
        if let Stmt::Allocate { .. } = stmt
            && let Some(&made) = self.run.m.frames.last().and_then(|f| f.extra.last())
        {
            self.allocated.insert(step, made);
        }
        Ok(())
    }

    /// A landing pad whose clause the script chooses.
    fn land(&mut self, step: usize, exception: VarId, selector: VarId) -> Result<(), End> {
        let code = Rc::clone(&self.code);
        let Some(address) = self.run.m.exceptions.in_flight else {
            return End::stuck("a landing pad without an exception");
        };
        let repr = code.vars.get(selector.0 as usize).map(|v| v.repr);
        let Some(number) = self.instead(step, repr.unwrap_or(Repr::Unsupported))? else {
            return End::stuck("a landing pad without a selector");
        };
        let pointer = Value::Scalar(self.run.m.exceptions.pointer(address));
        let m = &mut self.run.m;
        let set = m.set_var(&code, exception.0, pointer);
        let set = set.and_then(|()| m.set_var(&code, selector.0, number));
        set.map_err(|ctl| self.end(ctl))
    }

    /// The check at the end must fail.
    fn last_check(&mut self, edge: &'p Edge) -> Result<(), End> {
        let code = Rc::clone(&self.code);
        match self.run.execute(&code, &edge.stmt) {
            Err(Ctl::Check(_)) => Ok(()),
            Ok(()) => End::diverged("the last check holds"),
            Err(ctl) => Err(self.end(ctl)),
        }
    }
}
