//! What is said about programs that are none, and that nothing is too much for the parser.

use bp::{Analysis, Goal, Model, parse};
use expect_test::{Expect, expect};

fn error(text: &str, expected: Expect) {
    let result = parse(text).and_then(|p| Model::new(&p, &Goal::Failure, 1 << 12));
    match result {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => expected.assert_eq(&error.to_string()),
    }
}

#[test]
fn errors_say_where_and_what() {
    error(
        "decl a",
        expect!["1:7: expected `;`, found the end of the file"],
    );
    error(
        "void main() begin\n  a := ;\nend",
        expect!["2:8: expected an expression, found `;`"],
    );
    error(
        "void main() begin if (*) then skip; end",
        expect!["1:37: expected a statement or `else` or `elsif` or `fi`, found `end`"],
    );
    error(
        "void main() begin skip",
        expect!["1:23: expected `;`, found the end of the file"],
    );
    error(
        "int main()",
        expect!["1:1: expected `decl`, `void` or `bool`, found `int`"],
    );
    error(
        "/* decl",
        expect!["1:1: this comment has no end: expected `*/`"],
    );
    error(
        "decl {x > 0;",
        expect!["1:6: this name has no end: expected `}`"],
    );
    error("decl a; %", expect![[r#"1:9: unexpected `%`"#]]);
    error(
        "bool<x> f() begin end",
        expect!["1:6: expected how many bits are returned, found `x`"],
    );
}

#[test]
fn names_must_be_there() {
    error(
        "void f() begin end",
        expect!["1:1: there is no function `main`"],
    );
    error(
        "void main() begin\n  assume (x);\nend",
        expect!["2:11: there is no variable `x`"],
    );
    error(
        "void main() begin goto L; end",
        expect!["1:24: there is no label `L` in this function"],
    );
    error(
        "void main() begin f(1); end",
        expect!["1:19: there is no function `f`"],
    );
    error(
        "void f(a) begin end void main() begin f(); end",
        expect!["1:39: `f` has 1 parameters, and is called with 0"],
    );
    error(
        "decl x; bool<2> f() begin end void main() begin x := f(); end",
        expect!["1:54: `f` returns 2 bits, and 1 are assigned"],
    );
    error(
        "bool f() begin return; end void main() begin end",
        expect!["1:16: `f` returns 1 bits, and here 0"],
    );
    error(
        "decl a, a; void main() begin end",
        expect!["1:9: the variable `a` is there twice"],
    );
    error(
        "void main() begin L: skip; L: skip; end",
        expect!["1:28: the label `L` is there twice"],
    );
    error(
        "decl a; void main() begin a := 'a; end",
        expect!["1:33: `'a` has a meaning in `constrain` only"],
    );
    error(
        "decl a, b; void main() begin a, b := 1; end",
        expect!["1:30: 2 variables, but 1 values"],
    );
}

#[test]
fn hostile_programs_are_refused() {
    let main = |body: &str| format!("decl a; void main() begin {body} end");
    let many = |n: usize, part: &str| part.repeat(n);
    for text in [
        main(&format!(
            "a := {}a{};",
            many(100_000, "("),
            many(100_000, ")")
        )),
        main(&format!("a := {}a;", many(100_000, "!"))),
        main(&format!("a := a{};", many(100_000, " & a"))),
        main(&format!("a := a{};", many(100_000, " => a"))),
        main(&format!("a := {}a;", many(100_000, "a ? a : "))),
        main(&format!("a := {}a", many(100_000, "schoose["))),
        main(&format!("{}skip;", many(100_000, "if (a) then "))),
        main(&format!("{}skip;", many(100_000, "while (a) do "))),
        main(&format!(
            "if (a) then {} fi;",
            many(100_000, "skip; elsif (a) then ")
        )),
        format!(
            "decl a{};",
            (0..100_000).map(|i| format!(", b{i}")).collect::<String>()
        ) + "void main() begin end",
        "bool<4000000000> f() begin end void main() begin end".to_string(),
    ] {
        let result = parse(&text).and_then(|p| Model::new(&p, &Goal::Failure, 1 << 12));
        assert!(result.is_err(), "{}", &text[..60]);
    }
}

#[test]
fn all_of_the_syntax() {
    let text = "
decl {x > 0}, y; // a name in braces
bool<2> f(p, q) begin
  decl z;
  z := schoose[p, q];
  return z, p ^ q;
end
void main() begin
  decl a, b;
  a, b := f({x > 0}, !y);
  {x > 0}, y := *, a constrain (!'y | a);
  L1: L2: if (a == b) then skip; elsif (a -> b) then goto L3; else assume (T & 1); fi
  while (a <=> b ? * : ~a) do b := !b; dead a; od;
  f(a, b);
  goto L2, L3;
  L3: assert (y || !y && true);
  last:
end";
    let program = parse(text).unwrap_or_else(|e| panic!("{e}"));
    for (goal, reachable) in [
        (Goal::Failure, false),
        (Goal::Label("L3".to_string()), true),
        (Goal::Label("last".to_string()), true),
    ] {
        let model = Model::new(&program, &goal, 1 << 12).unwrap_or_else(|e| panic!("{e}"));
        let analysis = Analysis::new(&model).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(analysis.reachable(), reachable, "{goal:?}");
    }
    // A program without variables is one, too.
    let program = parse("void main() begin assert (*); end").unwrap_or_else(|e| panic!("{e}"));
    let model = Model::new(&program, &Goal::Failure, 1 << 12).unwrap_or_else(|e| panic!("{e}"));
    assert!(Analysis::new(&model).is_ok_and(|analysis| analysis.reachable()));
    let nowhere = Goal::Label("nowhere".to_string());
    let error = Model::new(&program, &nowhere, 1 << 12).err();
    assert_eq!(
        error.map(|e| e.message),
        Some("there is no label `nowhere`".to_string())
    );
}

#[test]
fn too_little_room_is_said() {
    let text = bp::generate(bp::Style {
        nodes: 3000,
        globals: 14,
        locals: 14,
        careless: 30,
        seed: 3,
    });
    let program = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let model = Model::new(&program, &Goal::Failure, 1 << 12).unwrap_or_else(|e| panic!("{e}"));
    assert!(Analysis::new(&model).is_err());
}

#[test]
fn what_is_enforced_is_assumed_before_every_statement() {
    // With `enforced`, not both are true: what makes them so goes no further.
    let text = |enforced: &str| {
        format!(
            "decl g;
             void main() begin
               decl a, b; {enforced}
               a, b := *, *;
               if (a) then b := 1; fi;
               f(a);
               assert (!(a & b));
             end
             void f(x) begin enforce x | g; g := 1; end"
        )
    };
    for (enforced, fails) in [
        ("", true),
        ("enforce !(a & b);", false),
        ("enforce !a; decl c; enforce c | !b;", false),
        ("enforce a | *;", true),
    ] {
        let program = parse(&text(enforced)).unwrap_or_else(|e| panic!("{e}"));
        let model = Model::new(&program, &Goal::Failure, 1 << 12).unwrap_or_else(|e| panic!("{e}"));
        let analysis = Analysis::new(&model).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(analysis.reachable(), fails, "{enforced}");
    }
    // Of what somebody else has no name for nothing can be enforced.
    let program = parse("void main() begin enforce x; skip; end").unwrap_or_else(|e| panic!("{e}"));
    let error = Model::new(&program, &Goal::Failure, 1 << 12).err();
    assert_eq!(
        error.map(|e| e.to_string()),
        Some("1:27: there is no variable `x`".to_string())
    );
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    assert!(parse("\u{feff}void main() begin skip; end").is_ok());
    error(
        "\u{feff}decl a",
        expect!["1:7: expected `;`, found the end of the file"],
    );
    error("decl \u{feff}a;", expect!["1:6: unexpected `\\u{feff}`"]);
}
