//! Running one path of one function with given inputs.
//!
//! Level 2 (Orion §3) finds values that satisfy the formula of a path. The formula is a theory of
//! the program; this is the program: a [`Script`] says what the path is and what it starts with,
//! and the interpreter's own semantics decides whether the run goes along it and fails at its end.
//!
//! The function is run as if its callers were there: memory that they would have made is in the
//! script, and an exception that leaves the function is taken as caught by one of them. What the
//! path itself says is followed edge by edge (`path`); calls that are entered run like any other.
//!
//! A program is loaded once, by [`Replayer::new`]. Each replay starts from that state, to which
//! memory goes back at the cost of what the last one changed, so that thousands of replays of a
//! large program are cheap and no one of them sees another.
//!
//! ```
//! use interp::replay::{Replayed, Replayer, Script, ScriptValue};
//! let program = ir::text::parse(
//!     r#"unit "a.c" fn f(n: i32) -> i32 { 0: check zero n != 0  1: return 7 / n  2: exit }"#,
//! )?;
//! let mut script = Script {
//!     function: program.find_function("f").ok_or("no f")?,
//!     path: vec![ir::EdgeId(0)],
//!     objects: Vec::new(),
//!     args: vec![ScriptValue::Bits(0)],
//!     globals: Vec::new(),
//!     steps: Default::default(),
//! };
//! let mut replayer = Replayer::new(&program);
//! assert_eq!(replayer.replay(&script), Replayed::Confirmed);
//! script.args = vec![ScriptValue::Bits(1)];
//! assert!(matches!(replayer.replay(&script), Replayed::Diverged { step: 0, .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod call;
mod end;
mod path;
mod scene;
mod script;

pub use script::{
    Allocation, Replayed, Script, ScriptObject, ScriptTarget, ScriptValue, StepEffect, Write,
};

use crate::code::Code;
use crate::exec::Interpreter;
use crate::libc;
use crate::machine::{Config, Machine, Target};
use ir::{Body, Program};
use std::rc::Rc;

/// What one replay may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Statements inside calls that are entered, all together.
    pub steps: u64,
    /// Nested calls.
    pub call_depth: usize,
    /// Bytes of memory besides globals.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 100_000,
            call_depth: 1_000,
            memory: 1 << 26,
        }
    }
}

/// A program that is ready for many replays, each independent of the ones before.
pub struct Replayer<'p> {
    run: Interpreter<'p>,
    /// What the library remembers before anything has run.
    lib: libc::State,
    limits: Limits,
    /// Why nothing of this program can be run.
    broken: Option<String>,
    /// The last body that is not in the program.
    composed: Option<Rc<Code<'p>>>,
}

impl<'p> Replayer<'p> {
    /// Loads a program: addresses, and the initial values of globals.
    pub fn new(program: &'p Program) -> Replayer<'p> {
        Replayer::with_limits(program, Limits::default())
    }

    pub fn with_limits(program: &'p Program, limits: Limits) -> Replayer<'p> {
        let mut run = Interpreter::new(program, Config::default());
        let loaded = run.m.check_fault();
        let broken = loaded.err().map(|ctl| match end::End::of(&mut run, ctl) {
            end::End::Diverged(why) | end::End::Stuck(why) => why,
        });
        let lib = run.m.mark();
        Replayer {
            run,
            lib,
            limits,
            broken,
            composed: None,
        }
    }

    /// Runs a script. The same script has the same answer, whatever was run before.
    pub fn replay(&mut self, script: &Script) -> Replayed {
        self.play(script, |m| m.target(script.function))
    }

    /// The same where the path is one of another body that stands for the function's: what
    /// [`ir::compose()`] made of it and its callees.
    pub fn replay_in(&mut self, body: &'p Body, script: &Script) -> Replayed {
        let known = self.composed.take();
        let known = known.filter(|c| std::ptr::eq(c.body, body) && c.func == script.function);
        let made = || Rc::new(self.run.m.translate(script.function, body));
        let code = known.unwrap_or_else(made);
        self.composed = Some(Rc::clone(&code));
        self.play(script, |_| Target::Body(code))
    }

    fn play(
        &mut self,
        script: &Script,
        target: impl FnOnce(&mut Machine<'p>) -> Target<'p>,
    ) -> Replayed {
        if let Some(why) = &self.broken {
            let why = why.clone();
            return Replayed::Stuck { step: 0, why };
        }
        let config = Config {
            args: Vec::new(),
            step_limit: self.limits.steps,
            call_depth: self.limits.call_depth,
            ..Config::default()
        };
        let m = &mut self.run.m;
        m.restart(&self.lib, config);
        m.mem.limit_to(self.limits.memory);
        m.callers_unknown = true;
        // What ends the program also ends the replay: nothing after that matters.
        m.shut_down = true;
        let target = target(&mut self.run.m);
        match path::Player::start(&mut self.run, target, script, self.limits.memory) {
            Ok(player) => player.play(),
            Err(end) => end.at(0),
        }
    }
}

/// Runs one script of a program. For many, load the program once: [`Replayer`].
pub fn replay(program: &Program, script: &Script) -> Replayed {
    Replayer::new(program).replay(script)
}
