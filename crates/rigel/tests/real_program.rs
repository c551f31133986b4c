//! A real program, whole: Lua, whose sources come with a crate of the registry, so that this test
//! needs no network of its own.

mod common;

fn program() -> ir::Program {
    let units = common::lower(&common::lua::directory(), ".");
    assert!(units.len() > 30, "{} units", units.len());
    let (program, _) = ir::link::link(units);
    program
}

#[test]
fn lua_is_valid_and_its_text_reads_back() {
    let mut program = program();
    assert_eq!(ir::validate::validate(&program), Ok(()));
    assert!(program.bodies().count() > 1000);
    let text = ir::text::print(&program);
    let again = ir::text::parse(&text).unwrap();
    assert!(
        ir::text::print(&again) == text,
        "print → parse → print is not the identity"
    );

    // With checks, too.
    rules::instrument(&mut program, rules::Selection::all());
    assert_eq!(ir::validate::validate(&program), Ok(()));
    let text = ir::text::print(&program);
    let again = ir::text::parse(&text).unwrap();
    assert!(
        ir::text::print(&again) == text,
        "print → parse → print is not the identity"
    );
}

#[test]
fn lua_lowers_without_unknowns() {
    let program = program();
    let unknown: Vec<String> = program
        .bodies()
        .filter(|(_, _, body)| {
            body.edges()
                .values()
                .any(|e| matches!(e.stmt, ir::Stmt::Havoc { .. }))
        })
        .map(|(id, _, _)| program.function_name(id).to_string())
        .collect();
    assert_eq!(unknown, Vec::<String>::new());
    let initialized_to_what = program
        .globals
        .values()
        .filter(|g| g.init.as_ref().is_some_and(|i| !i.unknown.is_empty()))
        .map(|g| program.name(g.name))
        .collect::<Vec<_>>();
    assert_eq!(initialized_to_what, Vec::<&str>::new());
}

/// Every check of Lua, explained along a shortest path to it: nothing that the compiler made up
/// shows, and nothing takes long.
#[test]
fn every_check_of_lua_can_be_explained() {
    let mut program = program();
    rules::instrument(&mut program, rules::Selection::all());
    let places = |span: ir::Span| report::Location::new("lua.c", span.line, span.column);
    let explainer = engine::explain::Explainer::new(&program, &places);
    let mut explained = 0;
    for (function, _, body) in program.bodies() {
        // The edge by which a node was first reached.
        let mut came: Vec<Option<ir::EdgeId>> = vec![None; body.node_count as usize];
        let mut queue = std::collections::VecDeque::from([body.entry]);
        while let Some(node) = queue.pop_front() {
            for (id, edge) in body.out_edges(node) {
                // One in so many: neighbours are alike.
                if let ir::Stmt::Check(check) = edge.stmt
                    && check.0 % 7 == 0
                {
                    let mut path = vec![id];
                    let mut at = node;
                    while at != body.entry
                        && let Some(edge) = came[at.0 as usize]
                    {
                        path.push(edge);
                        at = body.edges()[edge].from;
                    }
                    path.reverse();
                    let error = engine::ErrorPath::new(function, check, path);
                    let finding = explainer.finding(&error, report::Verdict::May);
                    let texts = finding.steps.iter().map(|s| &s.text);
                    for text in texts.chain([&finding.message]) {
                        assert!(!text.contains('$') && !text.is_empty(), "{text}");
                    }
                    explained += 1;
                }
                if edge.to != body.entry && came[edge.to.0 as usize].is_none() {
                    came[edge.to.0 as usize] = Some(id);
                    queue.push_back(edge.to);
                }
            }
        }
    }
    assert!(explained > 1000, "{explained}");
}
