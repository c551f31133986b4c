//! Static variables that nobody writes hold what they began with.
//!
//! A variable with internal linkage is known to its unit alone. If no statement of the program writes it, takes its address or
//! reads it as volatile, and no initial value has its address, then it is as good as a constant, and is said to be one:
//! `static int verbose;` that no option sets any more. No engine has to know more of it than of any other constant.

use crate::expr::{Base, ExprKind, Intrinsic};
use crate::walk::{Item, expr_items, place_items, used};
use crate::{Arena, Body, Call, Global, GlobalId, Linkage, PlaceId, Program, Stmt, Target};
use rustc_hash::FxHashSet;

/// Makes constants of the variables that nobody writes. Of a linked program, before its checks are put in.
pub fn settle(program: &mut Program) {
    let settled = never_written(program, |g| g.linkage == Linkage::Internal);
    let mut settled: Vec<GlobalId> = settled.into_iter().collect();
    settled.sort_unstable();
    for g in settled {
        program.globals[g].constant = true;
    }
}

/// The variables with a value to begin with that nothing in view writes, whoever else may know them.
pub fn unwritten(program: &Program) -> FxHashSet<GlobalId> {
    never_written(program, |_| true)
}

fn never_written(program: &Program, is_wanted: impl Fn(&Global) -> bool) -> FxHashSet<GlobalId> {
    let mut candidates: FxHashSet<GlobalId> = program
        .globals
        .iter()
        .filter(|(_, g)| is_wanted(g) && g.init.is_some() && !g.constant)
        .map(|(id, _)| id)
        .collect();
    if candidates.is_empty() {
        return candidates;
    }
    forget_addressed(&program.globals, &mut candidates);
    for (_, _, body) in program.bodies() {
        forget_written(body, &mut candidates);
    }
    candidates
}

/// Not those whose address an initial value has.
fn forget_addressed(globals: &Arena<GlobalId, Global>, candidates: &mut FxHashSet<GlobalId>) {
    let inits = globals.values().filter_map(|g| g.init.as_ref());
    for relocation in inits.flat_map(|init| &init.relocations) {
        if let Target::Global(g) = relocation.target {
            candidates.remove(&g);
        }
    }
}

/// Not those that the body writes, takes the address of, or reads as volatile.
fn forget_written(body: &Body, candidates: &mut FxHashSet<GlobalId>) {
    let mut forget = |place: PlaceId| {
        if let Base::Global(g) = body.places[place].base {
            candidates.remove(&g);
        }
    };
    for edge in body.edges().values() {
        match &edge.stmt {
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => forget(*place),
            Stmt::Call(call) => {
                let Call { result, .. } = &**call;
                result.iter().for_each(|place| forget(*place));
            }
            _ => {}
        }
    }
    used(body, &mut |item| {
        let Item::Expr(e) = item else { return };
        match &body.exprs[e].kind {
            ExprKind::AddrOf(place) => forget(*place),
            ExprKind::Intrinsic(Intrinsic::Volatile, _) => {
                let mut below = vec![item];
                while let Some(item) = below.pop() {
                    match item {
                        Item::Expr(e) => expr_items(&body.exprs[e], &mut |i| below.push(i)),
                        Item::Place(place) => {
                            forget(place);
                            place_items(&body.places[place], &mut |i| below.push(i));
                        }
                    }
                }
            }
            _ => {}
        }
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_nobody_writes_is_constant() {
        let mut program = crate::text::parse(
            r#"unit "a.c"
static global quiet: i32 = 0
static global written: i32 = 0
static global addressed: i32 = 0
static global watched: i32 = 0
global known: i32 = 0
fn f() -> i32 {
    var p: i32*
    0: written = quiet
    1: p = &addressed
    2: return volatile(watched) + known
    3: exit
}
"#,
        )
        .unwrap_or_else(|e| panic!("{e}"));
        super::settle(&mut program);
        let constant: Vec<&str> = program
            .globals
            .values()
            .filter(|g| g.constant)
            .map(|g| program.name(g.name))
            .collect();
        assert_eq!(constant, ["quiet"]);
    }
}
