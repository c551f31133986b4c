//! Garbage is answered, always with the same words, and never met with a panic.

use interp::replay::{
    Allocation, Replayed, Replayer, Script, ScriptObject, ScriptTarget, ScriptValue, StepEffect,
    Write, replay,
};
use ir::{Body, EdgeId, FuncId, GlobalId, NodeId, Program, Stmt, Type, TypeId, VarId};
use random_cfa::{Rng, Size};

/// Scripts that make little sense, most of them along connected paths.
struct Garbage<'p> {
    rng: Rng,
    program: &'p Program,
}

impl Garbage<'_> {
    /// Mostly small, sometimes at the edge.
    fn number(&mut self) -> u64 {
        match self.rng.below(12) {
            0 => self.rng.bits(),
            1 => u64::MAX - u64::from(self.rng.below(20)),
            2 => 1 << self.rng.below(64),
            _ => u64::from(self.rng.below(20)),
        }
    }

    fn target(&mut self) -> ScriptTarget {
        let n = self.rng.below(8);
        match self.rng.below(6) {
            0 => ScriptTarget::Object(n as usize % 4),
            1 => ScriptTarget::Global(GlobalId(n)),
            2 => ScriptTarget::Function(FuncId(n)),
            3 => ScriptTarget::Local(VarId(n)),
            4 => ScriptTarget::Step(n as usize),
            _ => ScriptTarget::Absolute,
        }
    }

    fn value(&mut self, depth: u32) -> ScriptValue {
        match self.rng.below(if depth == 0 { 6 } else { 8 }) {
            0..=2 => ScriptValue::Bits(u128::from(self.number())),
            3 | 4 => ScriptValue::Pointer {
                target: self.target(),
                offset: self.number() as i64,
            },
            5 => ScriptValue::Undefined,
            _ => {
                let writes = (0..self.rng.below(3)).map(|_| self.write(depth - 1));
                ScriptValue::Bytes(writes.collect(), self.number())
            }
        }
    }

    fn write(&mut self, depth: u32) -> Write {
        let size = match self.rng.below(4) {
            0 => self.number(),
            _ => 1 << self.rng.below(4),
        };
        Write {
            offset: self.number(),
            value: self.value(depth),
            size,
        }
    }

    /// Mostly a value of the type.
    fn fitting(&mut self, ty: TypeId) -> ScriptValue {
        let types = &self.program.types;
        let value = match *types.get(ty) {
            Type::Int { width, .. } => {
                ScriptValue::Bits(ir::expr::mask(u128::from(self.number()), width))
            }
            Type::Pointer(_) => ScriptValue::Pointer {
                target: ScriptTarget::Object(self.rng.below(2) as usize),
                offset: 4 * i64::from(self.rng.below(3)),
            },
            Type::Float(_) => ScriptValue::Bits(u128::from(self.rng.below(9))),
            _ => ScriptValue::Bytes(Vec::new(), types.size_of(ty)),
        };
        match self.rng.below(20) {
            0 => self.value(2),
            1 => ScriptValue::Undefined,
            _ => value,
        }
    }

    fn effect(&mut self, ty: Option<TypeId>) -> StepEffect {
        if self.rng.one_in(4) {
            return StepEffect::Execute;
        }
        let result = match ty {
            Some(ty) if !self.rng.one_in(5) => Some(self.fitting(ty)),
            _ => self.rng.one_in(2).then(|| self.value(2)),
        };
        StepEffect::Instead {
            result,
            writes: (0..self.rng.below(5) / 4)
                .map(|_| (self.target(), self.write(2)))
                .collect(),
            frees: (0..self.rng.below(8) / 7).map(|_| self.target()).collect(),
            allocates: self.rng.one_in(5).then(|| Allocation {
                size: self.number(),
                zeroed: self.rng.one_in(2),
                family: ir::Family::Malloc,
            }),
        }
    }

    fn path(&mut self, body: &Body) -> Vec<EdgeId> {
        let mut at = body.entry;
        let mut path = Vec::new();
        for _ in 0..self.rng.below(60) {
            if self.rng.one_in(100) {
                at = NodeId(self.rng.below(body.node_count));
            }
            let edges: Vec<_> = body.out_edges(at).collect();
            let Some((id, edge)) = self.rng.pick(&edges) else {
                break;
            };
            path.push(id);
            at = edge.to;
        }
        let check = |id: &EdgeId| matches!(body.edges()[*id].stmt, Stmt::Check(_));
        let end = path.iter().rposition(check).map_or(0, |i| i + 1);
        if !self.rng.one_in(10) {
            path.truncate(end);
        }
        if self.rng.one_in(20) {
            path.push(EdgeId(self.rng.below(body.edges().len() as u32 * 2)));
        }
        path
    }

    fn script(&mut self) -> Script {
        // Once in a while one that is not there, or has no body.
        let count = self.program.functions.len() as u32;
        let bodies: Vec<FuncId> = self.program.bodies().map(|(id, ..)| id).collect();
        let function = match self.rng.pick(&bodies) {
            Some(f) if !self.rng.one_in(30) => f,
            _ => FuncId(self.rng.below(count + 1)),
        };
        let found = self.program.functions.get(function);
        let body = found.and_then(|f| f.body.as_ref());
        let path = body.map(|b| self.path(b)).unwrap_or_default();
        let mut args = Vec::new();
        for param in body.iter().flat_map(|b| &b.params) {
            let ty = body.map_or(TypeId::VOID, |b| b.vars[*param].ty);
            args.push(self.fitting(ty));
        }
        if self.rng.one_in(20) {
            args.push(self.value(2));
        }
        let mut steps = std::collections::BTreeMap::new();
        for (k, id) in path.iter().enumerate() {
            let edge = body.and_then(|b| b.edges().get(*id));
            let place = |p: ir::PlaceId| body.map(|b| b.place(p).ty);
            let (open, ty) = match edge.map(|e| &e.stmt) {
                Some(Stmt::Call(call)) => (true, call.result.and_then(place)),
                Some(Stmt::Havoc { place: p, .. }) => (true, place(*p)),
                Some(Stmt::LandingPad { .. }) => (self.rng.one_in(2), Some(TypeId::I32)),
                _ => (false, None),
            };
            if open && !self.rng.one_in(4) || self.rng.one_in(500) {
                steps.insert(k, self.effect(ty));
            }
        }
        let objects = (0..2 + self.rng.below(2)).map(|_| ScriptObject {
            size: match self.rng.below(20) {
                0 => self.number(),
                _ => 8 + u64::from(self.rng.below(40)),
            },
            align: 1 << self.rng.below(6),
            writes: (0..self.rng.below(8) / 7).map(|_| self.write(3)).collect(),
            heap: self.rng.one_in(2),
        });
        let objects = objects.collect();
        let globals = (0..self.rng.below(8) / 7)
            .map(|_| (GlobalId(self.rng.below(6)), self.write(2)))
            .collect();
        Script {
            function,
            path,
            objects,
            args,
            globals,
            steps,
        }
    }
}

/// Everything that the text form has.
const FEATURES: &str = r#"
    struct s { size 24 align 8; n: i32 @0; p: i32* @8; b: u8 @16 bits 1:3; }
    struct __va_list_tag { size 24 align 8; gp: u32 @0; fp: u32 @4; area: void* @8; save: void* @16; }
    extern fn malloc(u64) -> void*
    extern fn free(void*) -> void
    extern fn unknown(void*, ...) -> struct s
    extern fn _setjmp(i64*) -> i32
    extern fn longjmp(i64*, i32) -> void noreturn
    extern fn strlen(i8*) -> u64
    extern fn qsort(void*, u64, u64, (fn(void*, void*) -> i32)*) -> void
    extern fn __cxa_allocate_exception(u64) -> void*
    extern fn __cxa_throw(void*, void*, void*) -> void noreturn
    extern fn __cxa_begin_catch(void*) -> void*
    extern fn __cxa_end_catch() -> void
    unit "f.cpp"
    global _ZTI1A: i8[16] = zero
    const global text: i8[4] = zero
    global buffer: i64[25] = zero
    global table: i32*[3] = zero
    fn order(a: void*, b: void*) -> i32 { 0: return *(i32*)a - *(i32*)b 1: exit }
    fn big(s: struct s, x: x87, w: i128, ...) -> struct s { var l: struct __va_list_tag, t: struct s, v: i16*
        0: va_start &l
        1: check a *(i32*)l.area != 7
        2: t = s
        3: allocate v[w]
        4: check b in_bounds(v, 4)
        5: t.b = 3u8
        6: check c initialized(t.b)
        7: t = unknown((void*)v, w, x)
        8: check d initialized(t)
        9: check e t.n == s.n -> 1
        9: assume t.n == 0 -> 10
        10: exit }
    fn jumps(p: i64*, n: i32, g: (fn(void*, void*) -> i32)*) -> i32 { var r: i32
        0: r = _setjmp(&buffer[0]) -> 1
        0: r = _setjmp(&buffer[0]) again -> 4
        1: check a alive(p)
        2: r = (*g)((void*)p, (void*)&r)
        3: call longjmp(p, n) noreturn -> 4
        4: check b r != n
        5: call qsort((void*)p, 4u64, 4u64, g)
        6: call free((void*)p)
        7: check c alive(p) -> 0
        7: check d *p == 5i64
        8: exit }
    fn throws(n: u64) -> i32 { var h: void*, sel: i32, q: i8*
        0: h = __cxa_allocate_exception(n)
        1: call __cxa_throw(h, (void*)&_ZTI1A, (void*)null) -> 9
        1: call __cxa_throw(h, (void*)&_ZTI1A, (void*)null) unwind -> 2
        2: landingpad h, sel catch _ZTI1A cleanup
        3: check a sel == 0
        4: q = __cxa_begin_catch(h)
        5: check b (u64)*(u8*)q != n
        6: call __cxa_end_catch() -> 7
        7: check c alive(q)
        8: resume h -> 10
        9: exit
        10: unwind }
"#;

#[test]
fn garbage_is_answered() {
    let features = ir::text::parse(FEATURES).unwrap_or_else(|e| panic!("{e}"));
    let mut seen = [0; 3];
    for seed in 0..60 {
        let random = random_cfa::program(seed, Size::SMALL);
        let program = if seed % 2 == 0 { &features } else { &random };
        let mut replayer = Replayer::new(program);
        let mut garbage = Garbage {
            rng: Rng::new(seed),
            program,
        };
        let scripts: Vec<Script> = (0..400).map(|_| garbage.script()).collect();
        let answers: Vec<Replayed> = scripts.iter().map(|s| replayer.replay(s)).collect();
        for (i, answer) in answers.iter().enumerate() {
            let (class, step) = match answer {
                Replayed::Confirmed => (0, 0),
                Replayed::Diverged { step, .. } => (1, *step),
                Replayed::Stuck { step, .. } => (2, *step),
            };
            seen[class] += 1;
            assert!(step <= scripts[i].path.len(), "seed {seed}, script {i}");
        }
        // In another order, by the same replayer; and some by a fresh one.
        for (i, s) in scripts.iter().enumerate().rev() {
            assert_eq!(replayer.replay(s), answers[i], "seed {seed}, script {i}");
        }
        for i in [3, 77, 200] {
            assert_eq!(
                replay(program, &scripts[i]),
                answers[i],
                "seed {seed}, script {i}"
            );
        }
    }
    println!("{seen:?}");
    assert!(seen.iter().all(|&n| n >= 100), "{seen:?}");
}
