//! Replays of functions in the middle of a program: what a call found when it was entered
//! (arguments, globals, all memory that it can reach) is written down as a script, and the replay
//! fails where the call did.

use super::record::{One, Visits, cannot, havocs};
use interp::replay::{Replayed, Replayer, Script, ScriptObject, ScriptTarget, ScriptValue, Write};
use interp::{
    Blob, Cause, Config, FrameView, Interpreter, Kind, ObjId, Observer, Outcome, Scalar, State,
    Value,
};
use ir::{Body, FuncId, GlobalId, NodeId, Program};
use random_cfa::Size;
use std::collections::{BTreeMap, BTreeSet};

/// What a call found; none where a script cannot say it.
struct Found {
    objects: Vec<ScriptObject>,
    args: Vec<ScriptValue>,
    globals: Vec<(GlobalId, Write)>,
}

/// Puts memory into a script.
struct Scribe<'a, 'v, 'p> {
    program: &'a Program,
    view: &'a FrameView<'v, 'p>,
    globals: BTreeMap<ObjId, GlobalId>,
    /// All objects that are reached, in the order of their addresses.
    objects: BTreeSet<ObjId>,
}

impl Scribe<'_, '_, '_> {
    fn pointer(&self, p: Scalar) -> Option<ScriptValue> {
        let memory = self.view.memory();
        let offset = p.bits.wrapping_sub(memory.base(p.prov)) as i64;
        let target = if let Some(g) = self.globals.get(&p.prov) {
            ScriptTarget::Global(*g)
        } else if memory.kind(p.prov) == Kind::Function {
            ScriptTarget::Function(FuncId(p.prov.0 - 1))
        } else {
            let mut known = self.objects.iter();
            ScriptTarget::Object(known.position(|o| *o == p.prov)?)
        };
        Some(ScriptValue::Pointer { target, offset })
    }

    fn bytes(&self, blob: &Blob) -> Option<Vec<Write>> {
        let mut writes = Vec::new();
        let mut at = 0;
        while at < blob.bytes.len() {
            let slot = blob.prov.get(at / 8).copied().unwrap_or_default();
            if at % 8 == 0 && !slot.is_none() {
                let bits = u64::from_le_bytes(blob.bytes[at..at + 8].try_into().ok()?);
                let value = self.pointer(Scalar::pointer(bits, slot))?;
                writes.push(Write {
                    offset: at as u64,
                    value,
                    size: 8,
                });
                at += 8;
                continue;
            }
            let value = match blob.undef.get(at) {
                None | Some(0) => ScriptValue::Bits(u128::from(blob.bytes[at])),
                Some(0xFF) => ScriptValue::Undefined,
                _ => return None,
            };
            writes.push(Write {
                offset: at as u64,
                value,
                size: 1,
            });
            at += 1;
        }
        Some(writes)
    }

    fn value(&self, value: Value) -> Option<ScriptValue> {
        Some(match value {
            Value::Scalar(s) if s.undef != 0 => ScriptValue::Undefined,
            Value::Scalar(s) if !s.prov.is_none() => self.pointer(s)?,
            Value::Scalar(s) => ScriptValue::Bits(u128::from(s.bits)),
            Value::Wide(w) if w.undef != 0 => ScriptValue::Undefined,
            Value::Wide(w) => ScriptValue::Bits(w.bits),
            Value::Blob(b) => ScriptValue::Bytes(self.bytes(&b)?, b.bytes.len() as u64),
            Value::Void => return None,
        })
    }

    fn content(&self, object: ObjId) -> Option<Blob> {
        let memory = self.view.memory();
        memory.read_blob(object, 0, memory.size(object)).ok()
    }

    /// Follows pointers to all memory that is not a global or a function.
    fn reach(&mut self, values: &[Value]) -> Option<()> {
        let pointers = |b: &Blob| b.prov.clone();
        let mut todo: Vec<ObjId> = Vec::new();
        for v in values {
            match v {
                Value::Scalar(s) => todo.push(s.prov),
                Value::Blob(b) => todo.extend(pointers(b)),
                _ => {}
            }
        }
        for global in self.globals.keys() {
            todo.extend(pointers(&self.content(*global)?));
        }
        while let Some(o) = todo.pop() {
            let memory = self.view.memory();
            let known = o.is_none() || self.globals.contains_key(&o);
            if known || memory.kind(o) == Kind::Function || !self.objects.insert(o) {
                continue;
            }
            if memory.state(o) != State::Alive {
                return None;
            }
            todo.extend(pointers(&self.content(o)?));
        }
        Some(())
    }

    fn found(mut self, body: &Body) -> Option<Found> {
        let params = body.params.iter().map(|p| self.view.var(*p));
        let values: Vec<Value> = params.collect::<Option<_>>()?;
        self.reach(&values)?;
        let mut objects = Vec::new();
        for &o in &self.objects {
            let memory = self.view.memory();
            objects.push(ScriptObject {
                size: memory.size(o),
                align: 1,
                writes: self.bytes(&self.content(o)?)?,
                heap: memory.kind(o) == Kind::Heap,
            });
        }
        let mut globals = Vec::new();
        for (&object, &g) in &self.globals {
            if !self.program.globals[g].constant {
                let writes = self.bytes(&self.content(object)?)?;
                globals.extend(writes.into_iter().map(|w| (g, w)));
            }
        }
        let args = values.into_iter().map(|v| self.value(v));
        Some(Found {
            args: args.collect::<Option<_>>()?,
            objects,
            globals,
        })
    }
}

/// A call that is active.
struct Active {
    function: FuncId,
    found: Option<Found>,
    visits: Visits,
}

struct Recorder<'p> {
    program: &'p Program,
    stack: Vec<Active>,
}

impl Observer for Recorder<'_> {
    fn visit(&mut self, function: FuncId, node: NodeId, frame: &FrameView<'_, '_>) {
        let body = self.program.functions[function].body.as_ref().unwrap();
        self.stack.truncate(frame.depth());
        if self.stack.len() < frame.depth() {
            let globals = self.program.globals.iter();
            let scribe = Scribe {
                program: self.program,
                view: frame,
                globals: globals
                    .map(|(g, _)| (frame.global(g).unwrap(), g))
                    .collect(),
                objects: BTreeSet::new(),
            };
            self.stack.push(Active {
                function,
                found: scribe.found(body),
                visits: Visits::default(),
            });
        }
        if let Some(active) = self.stack.last_mut() {
            active.visits.add(body, node, frame);
        }
    }
}

/// The script of a call that ended where it stands.
fn script(program: &Program, active: Active) -> Option<Script> {
    let body = program.functions[active.function].body.as_ref()?;
    let path = active.visits.path(body);
    let found = active.found?;
    Some(Script {
        function: active.function,
        steps: havocs(body, &path),
        path,
        objects: found.objects,
        args: found.args,
        globals: found.globals,
    })
}

#[test]
fn a_call_is_replayed_with_what_it_found() {
    let (mut confirmed, mut with_objects, mut unsaid) = (0, 0, 0);
    for seed in 0..1500 {
        let program = random_cfa::program(seed, Size::MEDIUM);
        let recorder = Recorder {
            program: &program,
            stack: Vec::new(),
        };
        let config = Config {
            step_limit: 200_000,
            oracle: Box::new(One),
            ..Config::default()
        };
        let mut interpreter = Interpreter::with_observer(&program, config, recorder);
        let Outcome::Failed(failure) = interpreter.run() else {
            continue;
        };
        if failure.site.stack.len() == 1 || !matches!(failure.cause, Cause::Check { .. }) {
            continue;
        }
        let last = interpreter.into_observer().stack.pop();
        let Some(script) = last.and_then(|active| script(&program, active)) else {
            unsaid += 1;
            continue;
        };
        let mut replayer = Replayer::new(&program);
        match replayer.replay(&script) {
            Replayed::Confirmed => confirmed += 1,
            answer if cannot(&answer) => continue,
            other => panic!("seed {seed}: {other:?}"),
        }
        with_objects += u32::from(!script.objects.is_empty());
    }
    println!("{confirmed} confirmed, {with_objects} with objects, {unsaid} not said");
    assert!(confirmed >= 200, "{confirmed}");
    assert!(with_objects >= 50, "{with_objects}");
    assert!(unsaid <= confirmed / 4, "{unsaid}");
}
