//! What a run of one function finds in variables of the program.
//!
//! A function that is given nothing does the same whenever it is called, but for what others have put into global variables
//! before. A run begins with their initial values; as long as it reads only what it has written itself, what is constant, or what
//! nobody in view writes, it is one that the program has.

use super::run::Recorder;
use interp::{FrameView, Observer};
use ir::walk::{Item, Once, statement_items};
use ir::{
    Base, Body, Callee, ExprId, ExprKind, FuncId, GlobalId, Intrinsic, NodeId, Program, Stmt,
};
use library::Function;
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables of the C library that a run has.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// The global variables of a program that hold in every run what they began with.
pub(super) struct Settled<'p> {
    program: &'p Program,
    settled: FxHashSet<GlobalId>,
}

impl<'p> Settled<'p> {
    pub fn new(program: &'p Program) -> Settled<'p> {
        Settled {
            program,
            settled: ir::unwritten::unwritten(program),
        }
    }

    /// May it hold something else than it began with? What is only declared holds what somebody else has put there; but the
    /// interpreter has what the library has.
    fn is_open(&self, g: GlobalId) -> bool {
        let global = &self.program.globals[g];
        match global.init {
            Some(_) => !global.constant && !self.settled.contains(&g),
            None => !STREAMS.contains(&self.program.name(global.name)),
        }
    }
}

/// What a node does with variables that may hold something else.
#[derive(Clone, Default)]
struct Touched {
    /// Its statement may do otherwise the next time.
    asks: bool,
    reads: bool,
    read: Vec<GlobalId>,
    written: Vec<GlobalId>,
}

/// Follows a run, and sees whether it finds what it has not put there.
pub(super) struct Watcher<'s, 'p> {
    settled: &'s Settled<'p>,
    pub recorder: Recorder,
    /// By function and node; what touches nothing is not there.
    touched: FxHashMap<FuncId, FxHashMap<NodeId, Touched>>,
    written: FxHashSet<GlobalId>,
    /// It has read what others may have written.
    pub finds: bool,
    /// It has asked somebody outside, or where objects are: another run may be told something else.
    pub asks: bool,
}

impl<'s, 'p> Watcher<'s, 'p> {
    pub fn new(settled: &'s Settled<'p>) -> Watcher<'s, 'p> {
        Watcher {
            settled,
            recorder: Recorder::default(),
            touched: FxHashMap::default(),
            written: FxHashSet::default(),
            finds: false,
            asks: false,
        }
    }

    /// Has nothing of the run come from elsewhere?
    pub fn is_only_run(&self) -> bool {
        !self.finds && !self.asks
    }
}

impl Observer for Watcher<'_, '_> {
    fn visit(&mut self, function: FuncId, node: NodeId, frame: &FrameView<'_, '_>) {
        self.recorder.visit(function, node, frame);
        if self.finds && self.asks {
            return;
        }
        let settled = self.settled;
        let of = self.touched.entry(function).or_insert_with(|| {
            let body = settled.program.functions[function].body.as_ref();
            body.map(|body| touched(settled, body)).unwrap_or_default()
        });
        let Some(here) = of.get(&node) else { return };
        self.asks |= here.asks;
        self.finds |= here.reads || here.read.iter().any(|g| !self.written.contains(g));
        self.written.extend(&here.written);
    }
}

/// What the nodes of a body touch.
fn touched(settled: &Settled<'_>, body: &Body) -> FxHashMap<NodeId, Touched> {
    let mut all: FxHashMap<NodeId, Touched> = FxHashMap::default();
    let mut below = Once::default();
    for edge in body.edges().values() {
        let result = match &edge.stmt {
            Stmt::Assign { place, .. } => Some(*place),
            Stmt::Call(call) => call.result,
            _ => None,
        };
        // A variable as a whole that is written, and not read for it.
        let whole = result.and_then(|place| match &body.places[place] {
            p if p.projections.is_empty() => match p.base {
                Base::Global(g) => Some((place, g)),
                _ => None,
            },
            _ => None,
        });
        let mut here = Touched {
            asks: asks(settled.program, &edge.stmt),
            ..Touched::default()
        };
        if let Some((_, g)) = whole {
            here.written.push(g);
        }
        below.clear();
        let target = whole.map(|(place, _)| Item::Place(place));
        statement_items(body, &edge.stmt, &mut |item| {
            if Some(item) != target {
                below.push(item);
            }
        });
        while let Some(item) = below.pop() {
            if let Item::Expr(e) = item {
                here.asks |= depends(settled.program, body, e);
            }
            if let Item::Expr(e) = item
                && let ExprKind::Load(place) | ExprKind::AddrOf(place) = body.exprs[e].kind
                && let Base::Global(g) = body.places[place].base
                && settled.is_open(g)
            {
                let is_load = matches!(body.exprs[e].kind, ExprKind::Load(_));
                match is_load && body.places[place].projections.is_empty() {
                    true => here.read.push(g),
                    // Whoever has its address may read any of it.
                    false => here.reads = true,
                }
            }
            below.push_parts(body, item);
        }
        if here.asks || here.reads || !here.read.is_empty() || !here.written.is_empty() {
            let known = all.entry(edge.from).or_default();
            known.asks |= here.asks;
            known.reads |= here.reads;
            known.read.extend(here.read);
            known.written.extend(here.written);
        }
    }
    all
}

/// May a statement do otherwise the next time, with the same memory?
fn asks(program: &Program, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Havoc { .. } => true,
        Stmt::Call(call) => match call.callee {
            Callee::Direct(f) => {
                let function = &program.functions[f];
                let is_settled = |known: &Function| {
                    // There may be no memory, no file.
                    let gives = known.fails.is_none()
                        && known.allocates.is_empty()
                        && known.opens.is_empty();
                    known.pure || known.determined && gives || known.prints && call.result.is_none()
                };
                let known = library::function(program.name(function.name));
                function.body.is_none() && !function.noreturn && !known.is_some_and(is_settled)
            }
            Callee::Indirect(_) => true,
        },
        _ => false,
    }
}

/// Does an expression depend on what others write at the same time, or on where objects are?
fn depends(program: &Program, body: &Body, e: ExprId) -> bool {
    let is_pointer = |e: ExprId| program.types.is_pointer(body.exprs[e].ty);
    match body.exprs[e].kind {
        ExprKind::Intrinsic(Intrinsic::Volatile, _) => true,
        ExprKind::Cast(of) => is_pointer(of) && !is_pointer(e),
        _ => false,
    }
}
