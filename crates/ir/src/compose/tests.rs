//! What composed bodies look like. That they do what the program does is tested with the interpreter,
//! in `interp/tests/compose.rs`.

use super::{Composed, FrameId, Inlined, Origin, compose};
use crate::text::Printer;
use crate::{EdgeId, Program, VarKind, parse, validate_body};

const TEXT: &str = r#"
    unit "a.c"
    fn f(x: i32) -> i32 {
        var $t: i32
        0: $t = g(x + 1, null)
        1: return $t
        2: exit
    }
    fn g(x: i32, p: i32*) -> i32 {
        var y: i32
        0: declare y
        1: y = x
        2: check null-dereference p != null
        3: *p = y
        4: end y
        5: return y
        6: exit
    }
"#;

fn composed() -> (Program, Composed) {
    let program = parse(TEXT).unwrap();
    let root = program.find_function("f").unwrap();
    let callee = program.find_function("g").unwrap();
    let call = Inlined {
        frame: FrameId::ROOT,
        call: EdgeId(0),
        callee,
    };
    let composed = compose(&program, root, &[call]).unwrap();
    validate_body(&program, root, &composed.body).unwrap();
    (program, composed)
}

#[test]
fn glue_declares_and_assigns_on_the_way_in_and_ends_on_the_way_out() {
    let (program, composed) = composed();
    let root = composed.frames[FrameId::ROOT].function;
    let printer = Printer::new(&program);
    let mut at = composed.body.entry;
    let mut seen = Vec::new();
    // Straight code: one edge leaves each node.
    while let Some((id, edge)) = composed.body.out_edges(at).next() {
        let text = printer.stmt(root, &composed.body, &edge.stmt);
        seen.push((composed.origin(id), text));
        at = edge.to;
    }
    let (root, callee) = (FrameId(0), FrameId(1));
    let own = |e: u32, text: &str| (Origin::Own(callee, EdgeId(e)), text.to_string());
    let enter = |text: &str| (Origin::Enter(callee), text.to_string());
    let leave = |text: &str| (Origin::Leave(callee), text.to_string());
    let expected = [
        enter("declare x"),
        enter("declare p"),
        // The result, for which the text form has no name but `return`.
        enter("declare $ret"),
        enter("x = x + 1"),
        enter("p = null"),
        own(0, "declare y"),
        own(1, "y = x"),
        own(2, "check null-dereference p != null"),
        own(3, "*p = y"),
        own(4, "end y"),
        own(5, "$ret = y"),
        leave("end x"),
        leave("end p"),
        leave("end y"),
        leave("$t = $ret"),
        leave("end $ret"),
        (Origin::Own(root, EdgeId(1)), "return $t".to_string()),
    ];
    assert_eq!(seen, expected);
    assert_eq!(at, composed.body.exit);
}

#[test]
fn variables_belong_to_frames_and_only_the_root_has_parameters() {
    let (program, composed) = composed();
    let g = &program.functions[composed.frames[FrameId(1)].function];
    let g = g.body.as_ref().unwrap();
    for v in g.vars.ids() {
        let new = composed.var(FrameId(1), v).unwrap();
        assert_eq!(composed.owner(new), FrameId(1));
        assert_eq!(composed.body.vars[new].name, g.vars[v].name);
        assert_ne!(composed.body.vars[new].kind, VarKind::Param);
    }
    assert_eq!(composed.body.params.len(), 1);
    assert_eq!(composed.owner(composed.body.params[0]), FrameId::ROOT);
    // The call is not there any more; what it was is still known.
    assert_eq!(composed.edge(FrameId::ROOT, EdgeId(0)), None);
    let call = composed.frames[FrameId(1)].call.as_ref().unwrap();
    assert_eq!(call.args.len(), 2);
}
