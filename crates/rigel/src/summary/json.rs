//! The summaries for programs, as `rigel summary --help` documents it.

use super::{Conditions, Efforts, Failing, Said, Summary};
use serde_json::{Value, json};

pub fn render(all: &[Summary], efforts: &Efforts) -> String {
    report::json::pretty(&json!({
        "version": 1,
        "tool": { "name": "rigel", "version": env!("CARGO_PKG_VERSION") },
        "too_much": {
            "one_case": efforts.hull,
            "ranges": efforts.ranges,
            "not_known": efforts.nothing,
        },
        "functions": all.iter().map(function).collect::<Vec<_>>(),
    }))
}

fn function(summary: &Summary) -> Value {
    let mut value = json!({
        "name": summary.name,
        "linkage_name": summary.linkage_name,
        "signature": summary.signature,
        "file": summary.location.file,
        "line": summary.location.line,
        "column": summary.location.column,
        "checks": summary.checks,
    });
    match &summary.said {
        Ok(conditions) => add(&mut value, conditions, summary.checks),
        Err(why) => value["error"] = why.as_str().into(),
    }
    value
}

fn add(value: &mut Value, conditions: &Conditions, checks: usize) {
    value["proved"] = conditions.proved(checks).into();
    let given = &conditions.given;
    let inputs = given.inputs.iter().map(|assumed| assumed.text.as_str());
    value["given"] = inputs.collect();
    value["calls_unknown"] = given.calls_unknown.into();
    value["calls_declared"] = given.calls_declared.into();
    value["calls_strangers"] = given.calls_strangers.into();
    value["constants_overflow"] = given.folded.as_slice().into();
    value["returns"] = condition(&conditions.returns);
    value["exits"] = condition(&conditions.exits);
    value["must_fail"] = condition(&conditions.must);
    value["may_fail"] = condition(&conditions.may);
    value["never_fails"] = condition(&conditions.never);
    value["never_ends"] = condition(&conditions.endless);
    value["failing"] = conditions.failing.iter().map(failing).collect();
}

fn failing(check: &Failing) -> Value {
    json!({
        "rule": check.rule,
        "message": check.message,
        "file": check.location.file,
        "line": check.location.line,
        "column": check.location.column,
        "fails": condition(&check.fails),
        "must": condition(&check.must),
        "may": condition(&check.may),
    })
}

fn condition(said: &Said) -> Value {
    said.as_ref().map_or(Value::Null, |condition| {
        json!({
            "text": condition.text,
            "exact": condition.exact,
            "valid_pointers": condition.valid_pointers,
        })
    })
}
