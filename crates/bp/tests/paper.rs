//! The paper's own examples.

use bp::{Analysis, Goal, Model, ROOM, parse};

/// The lines with this text in the error projection, and those that are not, as (text, inside).
fn projection(source: &str, goal: &Goal) -> Vec<(String, bool)> {
    let program = parse(source).expect("it parses");
    let model = Model::new(&program, goal, ROOM >> 6).expect("it has a meaning");
    let analysis = Analysis::new(&model).expect("it fits");
    let statements = analysis.statements().into_iter();
    statements
        .map(|(node, inside)| (node.text.clone(), inside))
        .collect()
}

#[test]
fn table_1() {
    let found = projection(include_str!("programs/table1.bp"), &Goal::Failure);
    let inside = |text: &str| {
        let found = found.iter().find(|(t, _)| t == text);
        found.unwrap_or_else(|| panic!("no statement {text}")).1
    };
    for text in [
        "assert (positive)",
        "r := 0",
        "high, low := f(a0, a1, a2)",
        "return *, *",
        "if (high & low)",
        "r := foo(a2)",
        "r := foo(a1)",
        "r := bar(1, 0, 0)",
    ] {
        assert!(inside(text), "{text} is on an error path");
    }
    for text in [
        "r := foo(a0)",
        "positive := complex(positive)",
        "return positive",
        "return r",
        "return *",
        "goto case1",
    ] {
        assert!(!inside(text), "{text} is on no error path");
    }
}

#[test]
fn table_1_is_no_single_counterexample() {
    let source = include_str!("programs/table1.bp");
    let program = parse(source).expect("it parses");
    let model = Model::new(&program, &Goal::Failure, ROOM >> 6).expect("it has a meaning");
    let analysis = Analysis::new(&model).expect("it fits");
    let line = |text: &str| {
        let at = source.lines().position(|l| l.contains(text));
        at.expect("the line is there") as u32 + 1
    };
    let texts = |line| -> Option<Vec<String>> {
        let steps = analysis.witness_through_line(line).expect("it fits")?;
        Some(
            steps
                .into_iter()
                .map(|step| step.node.text.clone())
                .collect(),
        )
    };
    let one = texts(line("case3:")).expect("there is a path");
    assert!(!one.contains(&"r := foo(a1)".to_string()), "{one:?}");
    assert_eq!(one.last().map(String::as_str), Some("assert (positive)"));
    let other = texts(line("case2:")).expect("there is a path");
    assert!(!other.contains(&"r := foo(a2)".to_string()), "{other:?}");
    assert_eq!(texts(line("case1:")), None);
    assert_eq!(analysis.reached().len(), 1);
    let witness = analysis.witness().expect("it fits");
    assert!(analysis.reachable() && witness.is_some());
}

#[test]
fn the_callers_variables_come_back() {
    // Without frames of their own, `x` would be lost in the recursion.
    let source = "decl g;
void down(x, again) begin
  if (again) then down(!x, *); fi;
  g := x;
end
void main() begin
  decl y;
  y := *;
  down(y, 1);
  assert (g = y);
  goodbye: skip;
end";
    let found = projection(source, &Goal::Failure);
    assert!(found.iter().all(|(_, inside)| !inside), "{found:?}");
    let found = projection(source, &Goal::Label("goodbye".to_string()));
    assert!(found.iter().any(|(_, inside)| *inside));
}
