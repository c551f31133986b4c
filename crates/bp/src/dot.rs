//! The program as a graph for Graphviz: a cluster for each function, and the error projection filled.

use std::fmt::Write;

use wpds::{Right, Symbol};

use crate::analysis::Analysis;
use crate::lower::{Model, What};

/// The graph as text.
pub fn dot(model: &Model, analysis: &Analysis<'_>) -> String {
    let mut text = String::from("digraph program {\n  node [shape=box, fontname=monospace];\n");
    let shown = |symbol: Symbol| {
        let node = model.nodes.get(symbol.index());
        node.filter(|node| node.what != What::Outside)
    };
    for (index, name) in model.functions.iter().enumerate() {
        let _ = writeln!(
            text,
            "  subgraph cluster_{index} {{\n    label={};",
            quoted(name)
        );
        for (symbol, node) in (0..).map(Symbol).zip(&model.nodes) {
            if node.function != index || node.what == What::Outside {
                continue;
            }
            let label = match node.what {
                What::Statement => format!("{}: {}", node.place.line, node.text),
                What::Returned => format!("{}: back", node.place.line),
                What::End => format!("{}: end", node.place.line),
                What::Reached | What::Outside => "reached".to_string(),
            };
            let filled = if analysis.contains(symbol) {
                ", style=filled, fillcolor=\"#f4c7c3\""
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "    n{} [label={}{filled}];",
                symbol.0,
                quoted(&label)
            );
        }
        text.push_str("  }\n");
    }
    for rule in model.system.rules() {
        if shown(rule.symbol).is_none() {
            continue;
        }
        let (top, below) = match rule.right {
            Right::Pop => continue,
            Right::Step(top) => (top, None),
            Right::Push(top, below) => (top, Some(below)),
        };
        if shown(top).is_none() {
            continue;
        }
        let call = if below.is_some() {
            " [style=dashed]"
        } else {
            ""
        };
        let _ = writeln!(text, "  n{} -> n{}{call};", rule.symbol.0, top.0);
        if let Some(below) = below {
            let _ = writeln!(text, "  n{} -> n{};", rule.symbol.0, below.0);
        }
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
