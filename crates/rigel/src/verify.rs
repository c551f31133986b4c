//! `rigel verify`: does a property hold of every run of a program?
//!
//! What is undefined in C besides the property must not decide it: signed numbers wrap, unless the property is about just
//! that, or about runs without an end, for which neither counts.

use crate::kept::Kept;
use crate::pipeline::{self, Loaded};
use crate::{cli, print, sizes, solver};
use ::verify::{Answer, Goal, Reason, Task, Verdict};
use ir::{CallGraph, Program, Stmt, TrapReason};
use rules::{Property, Selection};
use serde_json::json;

/// The exit code: 0 TRUE, 1 FALSE, 2 if something could not be read, 3 UNKNOWN.
pub fn verify(args: &cli::Verify) -> Result<u8, String> {
    let (property, goal) = match args.property {
        cli::Property::UnreachCall => (Property::UnreachCall, Goal::Checks),
        cli::Property::Memsafety => (Property::Memsafety, Goal::Memory),
        cli::Property::NoOverflow => (Property::NoOverflow, Goal::Arithmetic),
        cli::Property::Termination => (Property::Termination, Goal::End),
    };
    let mut flags = args.flags.clone();
    if matches!(goal, Goal::Checks | Goal::Memory) {
        flags.push("-fwrapv".to_string());
    }
    if args.data_model == cli::DataModel::Ilp32 {
        // There `long` has 32 bits; pointers have 64, which only sizes can tell.
        flags.push("--target=x86_64-pc-windows-gnu".to_string());
    }
    let input = cli::Input {
        files: args.files.clone(),
        database: None,
        jobs: None,
        models: Vec::new(),
    };
    let mut loaded = pipeline::load(&input, &flags, &Kept::nothing())?;
    if loaded.failed > 0 {
        // Of half a program nothing can be said.
        return Ok(2);
    }
    let mut proved = loaded.program.clone();
    rules::instrument_asking(
        &mut proved,
        property.selection(),
        &engine::ByDual::default(),
    );
    loaded.instrument(Selection::all_but_loops(), &[]);
    let provers = solver::in_process();
    let asks =
        |program: &ir::Program, body: &ir::Body, check| property.asks_for(program, body, check);
    let task = Task {
        goal,
        proved,
        run: &loaded.program,
        asks: &asks,
        doubts: match goal {
            Goal::Arithmetic => folded(&loaded),
            Goal::Checks => errors_by_pointer(&loaded.program),
            _ => Vec::new(),
        },
        sizes: args.data_model == cli::DataModel::Lp64,
        prover: Some(&*provers.make),
    };
    let Some(mut answer) = ::verify::verify(task) else {
        return Err("there is no function main to begin with".to_string());
    };
    let other = args.data_model == cli::DataModel::Ilp32;
    if let (true, Some(why)) = (
        other && answer.verdict != Verdict::Unknown,
        sizes_asked(args),
    ) {
        answer = Answer {
            verdict: Verdict::Unknown,
            reasons: vec![why],
            inputs: Vec::new(),
        };
    }
    say(&loaded, args, &answer)
}

/// Where the program asks for a size that is another one on the machine that is meant.
fn sizes_asked(args: &cli::Verify) -> Option<Reason> {
    args.files.iter().find_map(|file| {
        let text = String::from_utf8_lossy(&std::fs::read(file).ok()?).into_owned();
        let (line, word) = sizes::asked(&text)?;
        Some(Reason {
            function: None,
            span: None,
            text: format!(
                "{}:{line}: what `{word}` is on a machine with addresses of 32 bits is not known",
                file.display()
            ),
        })
    })
}

/// Prints the answer; the exit code.
fn say(loaded: &Loaded, args: &cli::Verify, answer: &Answer) -> Result<u8, String> {
    let text = match args.format {
        cli::PlainFormat::Text => text(loaded, answer),
        cli::PlainFormat::Json => in_json(loaded, args.property, answer),
    };
    print::report(&text, None)?;
    Ok(match answer.verdict {
        Verdict::True => 0,
        Verdict::False => 1,
        Verdict::Unknown => 3,
    })
}

/// Signed operations on constants that the compiler has done already: no check is left of them.
fn folded(loaded: &Loaded) -> Vec<Reason> {
    crate::folded::overflows(loaded)
        .iter()
        .map(|folded| Reason {
            function: None,
            span: None,
            text: format!("{}: an operation on constants overflows", folded.place()),
        })
        .chain(loaded.program.bodies().filter_map(|(f, _, body)| {
            let mut edges = body.edges().values();
            let poison = edges.find(|e| matches!(e.stmt, Stmt::Trap(TrapReason::Poison)))?;
            Some(Reason {
                function: Some(f),
                span: Some(poison.span),
                text: "an operation on constants has no value".to_string(),
            })
        }))
        .collect()
}

/// Functions that say that an error is reached, and may be called through pointers: no check stands before such a call.
fn errors_by_pointer(program: &Program) -> Vec<Reason> {
    let graph = CallGraph::new(program);
    let functions = program.functions.iter();
    functions
        .filter(|(id, f)| rules::says_error(program.name(f.name)) && graph.is_address_taken(*id))
        .map(|(_, f)| Reason {
            function: None,
            span: None,
            text: format!("{}() may be called through a pointer", program.name(f.name)),
        })
        .collect()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::True => "TRUE",
        Verdict::False => "FALSE",
        Verdict::Unknown => "UNKNOWN",
    }
}

/// Reasons that are shown to people; the rest is counted.
const SHOWN: usize = 8;

fn text(loaded: &Loaded, answer: &Answer) -> String {
    let mut text = String::new();
    for reason in answer.reasons.iter().take(SHOWN) {
        let place = place(loaded, reason);
        let place = place.map_or(String::new(), |place| format!("{place}: "));
        text.push_str(&format!("{place}{}\n", reason.text));
    }
    if answer.reasons.len() > SHOWN {
        let more = answer.reasons.len() - SHOWN;
        text.push_str(&format!("and {more} more like these\n"));
    }
    if !answer.inputs.is_empty() {
        let inputs: Vec<String> = answer.inputs.iter().map(|n| signed(*n)).collect();
        let more = inputs.len().saturating_sub(INPUTS);
        let rest = if more > 0 { ", …" } else { "" };
        let shown = inputs[..inputs.len() - more].join(", ");
        text.push_str(&format!("inputs of that run: {shown}{rest}\n"));
    }
    text.push_str(word(answer.verdict));
    text.push('\n');
    text
}

/// Inputs that are shown to people.
const INPUTS: usize = 20;

/// Most inputs are small, on either side of 0.
fn signed(input: u64) -> String {
    (input as i64).to_string()
}

/// `a.c:3:7: in f()`.
fn place(loaded: &Loaded, reason: &Reason) -> Option<String> {
    let function = loaded.program.functions.get(reason.function?)?;
    let name = report::called_name(loaded.program.name(function.display));
    let span = reason.span.filter(|span| !span.is_none());
    let span = span.unwrap_or(function.span);
    let at = loaded.location(span);
    Some(format!("{}:{}:{}: in {name}", at.file, at.line, at.column))
}

fn in_json(loaded: &Loaded, property: cli::Property, answer: &Answer) -> String {
    let reasons: Vec<_> = answer
        .reasons
        .iter()
        .map(|reason| {
            let function = reason.function;
            let function = function.and_then(|f| loaded.program.functions.get(f));
            let span = reason.span.filter(|span| !span.is_none());
            let at = span.map(|span| loaded.location(span));
            json!({
                "text": reason.text,
                "function": function.map(|f| loaded.program.name(f.display)),
                "file": at.as_ref().map(|at| &at.file),
                "line": at.as_ref().map(|at| at.line),
                "column": at.as_ref().map(|at| at.column),
            })
        })
        .collect();
    let property = match property {
        cli::Property::UnreachCall => "unreach-call",
        cli::Property::Memsafety => "memsafety",
        cli::Property::NoOverflow => "no-overflow",
        cli::Property::Termination => "termination",
    };
    let object = json!({
        "version": 1,
        "tool": { "name": "rigel", "version": env!("CARGO_PKG_VERSION") },
        "property": property,
        "verdict": word(answer.verdict),
        "reasons": reasons,
        "inputs": answer.inputs,
    });
    format!("{object:#}\n")
}
