//! `rigel explain`: one finding in full, or why it is not reported.
//!
//! The program is analysed once more, as `check` does it, from the units that `check` kept. All that `check` could show has an id here, also what is latent, undecided or refuted.
//! Then the finding is projected ([`projected`]): which lines can failing runs pass?

mod line;
mod projected;

use crate::check::{self, analysed_again, findings, selection};
use crate::kept::Kept;
use crate::sources::Files;
use crate::{Exit, cli, pipeline, print, solver, terminal, user_rules};
use line::Line;
use projected::Answer;
use report::text::render_finding;
use report::{Finding, Report, Shown, Verdict, nearest_ids, short_ids, with_id};
use serde_json::json;

/// Ids that are named when there is none, or more than one.
const NAMED: usize = 5;

pub fn explain(args: &cli::Explain) -> Result<Exit, String> {
    let through = args.through.as_deref().map(Line::parse).transpose()?;
    let state = args.state.as_deref().map(Line::parse).transpose()?;
    let mut args = args.clone();
    let mut kept = Kept::open(&args.keeping, &args.input);
    let last = kept.last();
    if args.input.files.is_empty() && args.input.database.is_none() {
        match &last {
            Some(last) => {
                last.ask_again(kept.cwd(), &mut args);
                kept = Kept::open(&args.keeping, &args.input);
            }
            // As `check` would.
            None if front::database::find_upwards(kept.cwd()).is_some() => {}
            None => {
                return Err(format!(
                    "{}: no run of check is kept here (give explain the files and options of check)",
                    args.id
                ));
            }
        }
    }
    let args = &args;
    user_rules::install(&args.analysis.own)?;
    let selection = selection(args.rules.as_deref())?;
    let level2 = solver::level2(&args.analysis)?;
    let mut loaded = pipeline::load(&args.input, &args.flags, &kept)?;
    let mut memory = kept.memory(&args.input, &args.flags);
    // What is reported is what an id mostly means; all that could be shown is a lot.
    let mut shown = Shown::default();
    loaded.instrument(selection, &args.analysis.noreturn);
    let (analysis, report, at) = loop {
        let (level2, how) = (level2.clone(), &args.analysis);
        let analysis = analysed_again(&mut loaded, selection, level2, how, shown, &mut memory);
        let mut report = Report {
            findings: findings(&loaded, &analysis, selection, shown),
            ..Report::default()
        };
        report::normalize(&mut report);
        let all = shown.latent;
        match with_id(&report.findings, &args.id)[..] {
            [one] => break (analysis, report, one),
            _ if !all => {
                shown = Shown {
                    latent: true,
                    undecided: true,
                    refuted: true,
                };
            }
            ref found => {
                let was = last.as_ref().and_then(|last| last.was(&args.id));
                return Err(not_found(&report.findings, found, args, was));
            }
        }
    };
    kept.complain();
    let finding = &report.findings[at];
    let id = short_ids(&report.findings)[at].clone();
    for line in [&through, &state].into_iter().flatten() {
        line.has_code(&loaded)?;
    }
    let from = args.from.as_deref();
    let from = from
        .map(|name| projected::function(&loaded, name))
        .transpose()?;
    let settings = engine::Settings {
        level2,
        ..check::settings(&loaded.program, selection, &args.analysis)
    };
    // Of a path that cannot be taken there is nothing to project, unless somebody asks for more.
    let asked = through.is_some() || state.is_some() || from.is_some();
    let refuted = finding.verdict == Verdict::Refuted && !asked;
    let projected = match args.why_not || refuted && args.format == cli::GraphFormat::Text {
        true => None,
        false => projected::project(
            &loaded,
            &analysis,
            &settings,
            &mut memory,
            finding,
            from,
            (through.as_ref(), state.as_ref()),
        ),
    };
    let files = Files::new(&loaded.cwd);
    let text = match args.format {
        cli::GraphFormat::Text => {
            let mut style = terminal::style_with(&std::io::stdout(), args.color);
            match &projected {
                None => text(finding, &id, args, &files),
                Some(projected) if through.is_none() && state.is_none() => {
                    let path = text(finding, &id, args, &files);
                    format!("{path}\n{}", projected.projection.text(&files, style))
                }
                Some(projected) => {
                    style.full_path = true;
                    projected.text(&id, &files, style)
                }
            }
        }
        cli::GraphFormat::Json => {
            let mut value = json!({
                "version": 2,
                "tool": { "name": "rigel", "version": env!("CARGO_PKG_VERSION") },
                "finding": report::json::finding((finding, id)),
            });
            if args.why_not {
                value["headline"] = headline(finding).into();
            }
            if let Some(projected) = &projected {
                projected.add_to(&mut value);
            }
            report::json::pretty(&value)
        }
        cli::GraphFormat::Dot => match &projected {
            Some(_) if state.is_some() => {
                return Err("--format dot: --state is no graph (say text or json)".to_string());
            }
            Some(projected) => projected.dot(),
            None => return Err("--format dot: there is no graph of why not".to_string()),
        },
    };
    print::report(&text, None)?;
    let answer = projected.as_ref().and_then(|p| p.answer());
    let has_runs = projected.as_ref().is_none_or(|p| p.has_runs());
    Ok(match answer {
        _ if loaded.failed > 0 => Exit::Failed,
        Some(Answer::Yes) => Exit::Findings,
        Some(Answer::No) => Exit::Clean,
        Some(Answer::Unknown) => Exit::Unknown,
        None if finding.is_reported() && has_runs => Exit::Findings,
        None => Exit::Clean,
    })
}

/// Why there is not one finding of this id. `was`: what it was when `check` last ran.
fn not_found(
    findings: &[Finding],
    found: &[usize],
    args: &cli::Explain,
    was: Option<&str>,
) -> String {
    let id = &args.id;
    let ids = short_ids(findings);
    if found.len() > 1 {
        let named: Vec<&str> = found.iter().map(|i| ids[*i].as_str()).collect();
        let more = match named.len() > NAMED {
            true => ", …",
            false => "",
        };
        let named = named[..named.len().min(NAMED)].join(", ");
        return format!("{id}: several findings begin so: {named}{more}");
    }
    if let Some(was) = was {
        return format!(
            "{id}: it was a finding when check last ran ({was}), and is none any more: the program or the options have changed since"
        );
    }
    if findings.is_empty() {
        return format!(
            "{id}: there is no such finding, nor any other (give explain the files and options of check)"
        );
    }
    let near = nearest_ids(findings, id, NAMED).join(", ");
    let hint = match args.rules.is_some() {
        true => "",
        false => "; of a rule that is shown only with --rules, say --rules here, too",
    };
    format!("{id}: there is no such finding; the nearest are {near}{hint}")
}

fn text(finding: &Finding, id: &str, args: &cli::Explain, files: &Files) -> String {
    let mut style = terminal::style_with(&std::io::stdout(), args.color);
    if args.why_not {
        let shown = render_finding(finding, Some(id), files, style);
        return format!("{}\n\n{shown}", headline(finding));
    }
    style.full_path = true;
    style.stars = true;
    render_finding(finding, Some(id), files, style)
}

/// What became of it, in one line.
fn headline(finding: &Finding) -> &'static str {
    match finding.verdict {
        Verdict::Must | Verdict::May => "reported: nothing speaks against this path",
        Verdict::Refuted if finding.steps.len() > 1 => "refuted: no run can take this path",
        Verdict::Refuted => "refuted: no path leads to this error",
        Verdict::Latent => "latent: nothing shows that a bad value comes here",
        Verdict::Undecided => "undecided: neither seen to happen nor refuted",
    }
}
