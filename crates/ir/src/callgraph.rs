//! Who calls whom.
//!
//! An indirect call may reach every function of a fitting signature whose address is taken
//! somewhere: by an expression, or in an initial value (a table of handlers, a vtable). Fitting
//! means that values travel the same way; what pointers point to does not matter, and a call
//! without a prototype (`()`) fits all.

use crate::arena::Arena;
use crate::body::Body;
use crate::expr::{Expr, ExprKind};
use crate::fields::FieldTargets;
use crate::program::{FuncId, Linkage, Program, Target};
use crate::stmt::{Call, Callee, Stmt};
use crate::types::{Type, TypeId, TypeTable};
use crate::walk::{Item, used};
use rustc_hash::FxHashMap;

pub struct CallGraph {
    /// The functions that each one may call, in id order, each once.
    callees: Arena<FuncId, Vec<FuncId>>,
    callers: Arena<FuncId, Vec<FuncId>>,
    address_taken: Arena<FuncId, bool>,
    by_signature: FxHashMap<Vec<Class>, Vec<FuncId>>,
    unprototyped: Vec<FuncId>,
    taken: Vec<FuncId>,
    components: Vec<Vec<FuncId>>,
    component: Arena<FuncId, u32>,
    roots: Vec<FuncId>,
    fields: FieldTargets,
}

/// How a value is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    Void,
    Int(u16),
    Float(u8),
    Pointer,
    /// By size.
    Memory(u64),
    Variadic,
}

fn class(types: &TypeTable, ty: TypeId) -> Class {
    match types.lookup(ty) {
        None | Some(Type::Void) => Class::Void,
        Some(Type::Int { width, .. }) => Class::Int(*width),
        Some(Type::Float(kind)) => Class::Float(*kind as u8),
        Some(Type::Pointer(_) | Type::Function { .. }) => Class::Pointer,
        Some(Type::Array { .. } | Type::Struct(_) | Type::Opaque { .. }) => {
            Class::Memory(types.size_of(ty))
        }
    }
}

/// The classes of result and parameters; None for `()`.
fn signature(types: &TypeTable, ty: TypeId) -> Option<Vec<Class>> {
    let Some(Type::Function {
        ret,
        params,
        variadic,
    }) = types.lookup(ty)
    else {
        return None;
    };
    if params.is_empty() && *variadic {
        return None;
    }
    let parts = [ret].into_iter().chain(params);
    let mut key: Vec<Class> = parts.map(|&t| class(types, t)).collect();
    key.extend(variadic.then_some(Class::Variadic));
    Some(key)
}

impl CallGraph {
    pub fn new(program: &Program) -> CallGraph {
        let n = program.functions.len();
        let mut graph = CallGraph {
            callees: vec![Vec::new(); n].into(),
            callers: vec![Vec::new(); n].into(),
            address_taken: vec![false; n].into(),
            by_signature: FxHashMap::default(),
            unprototyped: Vec::new(),
            taken: Vec::new(),
            components: Vec::new(),
            component: vec![u32::MAX; n].into(),
            roots: Vec::new(),
            fields: FieldTargets::new(program),
        };
        graph.find_addresses(program);
        for (id, _, body) in program.bodies() {
            let mut callees = Vec::new();
            for edge in body.edges().values() {
                let Stmt::Call(call) = &edge.stmt else {
                    continue;
                };
                match call.callee {
                    Callee::Direct(f) if f.0 < n as u32 => callees.push(f),
                    Callee::Direct(_) => {}
                    Callee::Indirect(_) => callees.extend(graph.targets(program, body, call)),
                }
            }
            callees.sort_unstable();
            callees.dedup();
            for &c in &callees {
                graph.callers[c].push(id);
            }
            graph.callees[id] = callees;
        }
        graph.find_components();
        graph.find_roots(program);
        graph
    }

    fn find_addresses(&mut self, program: &Program) {
        let mut take = |f: FuncId| {
            if f.0 < self.address_taken.len() as u32 {
                self.address_taken[f] = true;
            }
        };
        for (_, _, body) in program.bodies() {
            // Few bodies name a function at all.
            let names = |e: &Expr| matches!(e.kind, ExprKind::Function(_));
            if !body.exprs.values().any(names) {
                continue;
            }
            used(body, &mut |item| {
                if let Item::Expr(e) = item
                    && let ExprKind::Function(f) = body.exprs[e].kind
                {
                    take(f);
                }
            });
        }
        for g in program.globals.values() {
            for r in g.init.iter().flat_map(|i| &i.relocations) {
                if let Target::Function(f) = r.target {
                    take(f);
                }
            }
        }
        for (id, f) in program.functions.iter() {
            if self.address_taken[id] {
                self.taken.push(id);
                match signature(&program.types, f.signature) {
                    Some(key) => self.by_signature.entry(key).or_default().push(id),
                    None => self.unprototyped.push(id),
                }
            }
        }
    }

    /// The functions that an indirect call may reach, in id order: by the field that the pointer is
    /// kept in, or else by its signature.
    pub fn targets(&self, program: &Program, body: &Body, call: &Call) -> Vec<FuncId> {
        match self.fields.of_call(program, body, call) {
            Some(known) => known.to_vec(),
            None => self.indirect_targets(program, call.signature),
        }
    }

    /// The functions that a call through a pointer of this signature may reach, in id order.
    pub fn indirect_targets(&self, program: &Program, ty: TypeId) -> Vec<FuncId> {
        let Some(key) = signature(&program.types, ty) else {
            return self.taken.clone();
        };
        let mut targets = self.by_signature.get(&key).cloned().unwrap_or_default();
        targets.extend(&self.unprototyped);
        targets.sort_unstable();
        targets
    }

    pub fn callees(&self, f: FuncId) -> &[FuncId] {
        self.callees.get(f).map_or(&[], Vec::as_slice)
    }

    pub fn callers(&self, f: FuncId) -> &[FuncId] {
        self.callers.get(f).map_or(&[], Vec::as_slice)
    }

    pub fn is_address_taken(&self, f: FuncId) -> bool {
        self.address_taken.get(f).copied().unwrap_or(false)
    }

    /// Strongly connected components, callees before callers; each in id order.
    pub fn components(&self) -> &[Vec<FuncId>] {
        &self.components
    }

    /// The number of a function's component.
    pub fn component_of(&self, f: FuncId) -> usize {
        self.component.get(f).map_or(usize::MAX, |&c| c as usize)
    }

    /// Does the function call itself, directly or through others?
    pub fn is_recursive(&self, f: FuncId) -> bool {
        let size = self
            .components
            .get(self.component_of(f))
            .map_or(0, Vec::len);
        size > 1 || self.callees(f).contains(&f)
    }

    /// Where execution starts: `main` and what runs around it; in a library, every function
    /// that its users can name or that nobody calls. In id order.
    pub fn roots(&self) -> &[FuncId] {
        &self.roots
    }

    fn find_roots(&mut self, program: &Program) {
        let is_main = |id: FuncId| program.functions[id].body.is_some() && program.is_main(id);
        let mut roots: Vec<FuncId> = program.functions.ids().filter(|&f| is_main(f)).collect();
        if roots.is_empty() {
            let defined = program.bodies().filter(|(id, f, _)| {
                let only_itself = self.callers[*id].iter().all(|c| c == id);
                f.linkage != Linkage::Internal || only_itself
            });
            roots = defined.map(|(id, _, _)| id).collect();
        }
        for unit in program.units.values() {
            let around = unit.constructors.iter().chain(&unit.destructors);
            roots.extend(
                around
                    .map(|(_, f)| *f)
                    .filter(|f| f.0 < self.callees.len() as u32),
            );
        }
        roots.sort_unstable();
        roots.dedup();
        self.roots = roots;
    }

    fn find_components(&mut self) {
        self.components = components(&self.callees);
        for (i, component) in self.components.iter().enumerate() {
            for &f in component {
                self.component[f] = i as u32;
            }
        }
    }
}

/// The strongly connected components of a graph of calls, callees before callers; each in id order.
pub fn components(callees: &Arena<FuncId, Vec<FuncId>>) -> Vec<Vec<FuncId>> {
    let callee = |f: usize, k: usize| callees[FuncId(f as u32)].get(k).map(|g| g.0 as usize);
    let all = crate::components::components(callees.len(), callee);
    let ids = |component: Vec<usize>| component.into_iter().map(|f| FuncId(f as u32)).collect();
    all.into_iter().map(ids).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    fn names(program: &Program, ids: &[FuncId]) -> String {
        let names: Vec<_> = ids.iter().map(|&f| program.function_name(f)).collect();
        names.join(" ")
    }

    fn graph(source: &str) -> (Program, CallGraph) {
        let program = parse(source).unwrap_or_else(|e| panic!("{e}"));
        let graph = CallGraph::new(&program);
        (program, graph)
    }

    fn components(source: &str) -> Vec<String> {
        let (program, graph) = graph(source);
        let components = graph.components().iter();
        components.map(|c| names(&program, c)).collect()
    }

    #[test]
    fn callees_come_first() {
        let source = "
            fn main() -> void { 0: call a() 1: call b() 2: exit }
            fn a() -> void { 0: call b() 1: exit }
            fn b() -> void { 0: call c() 1: exit }
            fn c() -> void { 0: call b() 1: call d() 2: exit }
            extern fn d() -> void";
        assert_eq!(components(source), ["d", "b c", "a", "main"]);
        let (program, graph) = graph(source);
        assert_eq!(names(&program, graph.roots()), "main");
        let b = program.find_function("b").unwrap();
        let a = program.find_function("a").unwrap();
        assert!(graph.is_recursive(b) && !graph.is_recursive(a));
        assert_eq!(names(&program, graph.callers(b)), "main a c");
    }

    #[test]
    fn pointers_reach_what_fits() {
        let source = "
            struct s { size 4 align 4; x: i32 @0 }
            global table: (fn(i8*) -> i32)*[2] = zero with { 0: &fits; 8: &unfit }
            fn fits(p: struct s*) -> i32 { 0: exit }
            fn unfit(n: i64) -> i32 { 0: exit }
            fn untaken(p: i8*) -> i32 { 0: exit }
            fn taken(p: i8*) -> i32 { 0: exit }
            fn any(...) -> i32 { 0: exit }
            fn main() -> void {
                var p: (fn(i8*) -> i32)*, q: (fn(...) -> i32)*
                0: p = taken
                1: q = any
                2: call (*p)(null)
                3: exit
            }
            fn loose(q: (fn(...) -> i32)*) -> void { 0: call (*q)(1) 1: exit }";
        let (program, graph) = graph(source);
        let callees = |f| names(&program, graph.callees(program.find_function(f).unwrap()));
        assert_eq!(callees("main"), "fits taken any");
        assert_eq!(callees("loose"), "fits unfit taken any");
    }

    #[test]
    fn a_library_has_many_roots() {
        let (program, graph) = graph(
            "constructor 1 init
            fn api() -> void { 0: call helper() 1: exit }
            static fn helper() -> void { 0: exit }
            static fn unused() -> void { 0: call unused() 1: exit }
            static fn init() -> void { 0: exit }
            extern fn other() -> void",
        );
        assert_eq!(names(&program, graph.roots()), "api unused init");
    }

    #[test]
    fn deep_call_chains() {
        let mut source = String::from("fn f0() -> void { 0: exit }\n");
        for i in 1..20000 {
            source += &format!("fn f{i}() -> void {{ 0: call f{}() 1: exit }}\n", i - 1);
        }
        assert_eq!(components(&source).len(), 20000);
    }
}
