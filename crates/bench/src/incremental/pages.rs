//! What was measured, for people: a table like the paper's Table 1 as text, the same as a page with plots like
//! Fig. 6.

use super::Wishes;
use super::summary::{Measured, Way, summary};
use crate::out::Report;
use crate::plot::{Plot, Series};
use crate::table::Table;
use std::fmt::Write;
use std::path::Path;

/// Edits that are named because they gain least.
const NAMED: usize = 5;

const WAYS: [(&str, Way); 2] = [
    ("IncrFwd", |edit| edit.forward),
    ("IncrBack", |edit| edit.backward),
];

/// The first table.
fn first(all: &[Measured]) -> Table {
    let mut table = Table::new(&[
        "program",
        "functions",
        "edited",
        "Full",
        "",
        "average",
        "median",
        "worst",
        "together",
        "≥ 20",
        "≥ 2",
        "transitions",
        "of Full",
    ]);
    for measured in all {
        for (way, of) in WAYS {
            let said = summary(&measured.speedups(of));
            table.row([
                title(measured),
                measured.functions.to_string(),
                measured.edits.len().to_string(),
                seconds(measured.full_seconds()),
                way.to_string(),
                factor(said.average),
                factor(said.median),
                factor(said.worst),
                factor(said.together),
                percent(said.twenty),
                percent(said.two),
                format!("{:.0}", measured.transitions(of)),
                measured.full_transitions().to_string(),
            ]);
        }
    }
    table
}

/// The second experiment: many functions at once.
fn second(all: &[Measured]) -> Table {
    let mut table = Table::new(&[
        "program",
        "changed",
        "functions",
        "draws",
        "IncrFwd",
        "IncrBack",
    ]);
    for measured in all {
        for many in measured.many.iter().filter(|many| !many.runs.is_empty()) {
            let [forward, backward] = WAYS.map(|(_, of)| factor(many.average(of)));
            table.row([
                title(measured),
                format!("{} %", many.share),
                many.count.to_string(),
                many.runs.len().to_string(),
                forward,
                backward,
            ]);
        }
    }
    table
}

fn title(measured: &Measured) -> String {
    match measured.precision {
        2 => measured.name.clone(),
        0 => format!("{}, level 1", measured.name),
        n => format!("{}, precision {n}", measured.name),
    }
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.2} s")
}

fn factor(factor: f64) -> String {
    match factor >= 100.0 {
        true => format!("{factor:.0}"),
        false => format!("{factor:.1}"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn explanation(wishes: &Wishes) -> String {
    format!(
        "Each function is analysed as a stub (any result, no effects), put back, and the program re-analysed from what \
         was left. Speed-ups are against Full on the whole program (the median of several runs in between); \
         wall-clock of the analysis, {}, front end apart{}. Every re-analysis said what Full said.",
        match wishes.jobs {
            1 => "one thread".to_string(),
            n => format!("{n} threads"),
        },
        match wishes.quick {
            true =>
                "; the programs with stubs were analysed by IncrFwd, which leaves what Full does",
            false => "",
        }
    )
}

/// How the page was made.
fn command(wishes: &Wishes) -> String {
    let mut words = format!(
        "./x bench incremental {} --jobs {} --seed {} --draws {}",
        wishes.programs.join(" "),
        wishes.jobs,
        wishes.seed,
        wishes.draws
    );
    if let Some(count) = wishes.count {
        let _ = write!(words, " --count {count}");
    }
    let precision: Vec<String> = wishes.precision.iter().map(u8::to_string).collect();
    let _ = write!(words, " --precision {}", precision.join(","));
    words.push_str(if wishes.quick { " --quick" } else { "" });
    words + " --docs docs"
}

/// For the terminal.
pub fn report(wishes: &Wishes, all: &[Measured]) -> Report {
    let mut report = Report::new("incremental");
    report.words(format!("{}\n", explanation(wishes)));
    report.table(first(all));
    report.words("\nMany functions at once: average speed-ups.\n");
    report.table(second(all));
    for measured in all {
        report.words(format!(
            "\n{}: least gain {}",
            title(measured),
            slowest(measured)
        ));
        report.curve(plot_name(measured), plot(measured));
    }
    report
}

fn plot_name(measured: &Measured) -> String {
    match measured.precision {
        2 => measured.name.clone(),
        n => format!("{}-precision-{n}", measured.name),
    }
}

fn slowest(measured: &Measured) -> String {
    let slowest = measured.slowest(NAMED).into_iter();
    let named = slowest.map(|(name, speedup)| format!("`{name}` {}", factor(speedup)));
    named.collect::<Vec<_>>().join(", ")
}

/// The page and its plots, into a directory.
pub fn write(directory: &Path, wishes: &Wishes, all: &[Measured]) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let mut page = format!(
        "# What an edit costs\n\nMade by `{}`; the experiment is that of Conway et al., §6.\n\n{}\n\n{}",
        command(wishes),
        explanation(wishes),
        first(all).markdown()
    );
    page.push_str(
        "\n*together*: that many runs of Full over the time of all edits. *≥ 20*, *≥ 2*: the share of edits with such a \
         speed-up. *transitions*: of the automaton, computed by the walk of the median edit.\n\n\
         The paper has 8.2 on average for IncrBack and 1.4 for IncrFwd, on other programs and another machine.\n\n\
         ## Many functions at once\n\nAverage speed-ups, each against a run of Full just before, by the share of the functions that are changed. The paper has 2.5 \
         for IncrBack with 10 to 50 %.\n\n",
    );
    page.push_str(&second(all).markdown());
    page.push_str("\n## Distribution\n");
    for measured in all {
        let file = format!("incremental-{}.svg", plot_name(measured));
        std::fs::write(directory.join(&file), plot(measured).to_svg())?;
        let _ = write!(
            page,
            "\n![Speed-ups on {0}]({file})\n\nLeast gain on {0}: {1}.\n",
            title(measured),
            slowest(measured)
        );
    }
    std::fs::write(directory.join("incremental.md"), page)
}

/// Fig. 6: for each percentage the least speed-up of that many of the best edits.
fn plot(measured: &Measured) -> Plot {
    Plot {
        title: format!(
            "{}: speed-up of {} edits, the best first",
            title(measured),
            measured.edits.len()
        ),
        across: "% of the edits".to_string(),
        up: "times faster than Full".to_string(),
        series: WAYS
            .map(|(name, of)| Series {
                name: name.to_string(),
                values: measured.speedups(of),
            })
            .into(),
    }
}
