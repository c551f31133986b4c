//! `bench front`: CPU for reading and lowering over CPU for clang, in one run.

use crate::out::{Out, Report};
use crate::programs;
use crate::spread::Spread;
use crate::table::Table;
use front::pool;
use serde_json::json;

/// What the front end may cost, in units of clang's own time for the bitcode.
const TARGET: f64 = 0.45;

struct Run {
    clang: u64,
    read: u64,
    lower: u64,
    peak_kib: u64,
}

pub fn run(out: &Out, names: &[String], repeat: usize) -> anyhow::Result<()> {
    let executable = pool::executable().map_err(anyhow::Error::msg)?;
    let mut report = Report::new("front");
    let mut table = Table::new(&[
        "program",
        "units",
        "clang",
        "read",
        "lower",
        "ratio",
        "target",
        "peak memory",
    ]);
    for name in names {
        let tasks = programs::tasks(name)?;
        let mut runs = Vec::new();
        for _ in 0..repeat.max(1) {
            let mut sum = Run {
                clang: 0,
                read: 0,
                lower: 0,
                peak_kib: 0,
            };
            for answer in pool::lower_all(&executable, &tasks, 1) {
                match answer {
                    Ok(lowered) => {
                        let c = lowered.cost;
                        sum.clang += c.clang_cpu_us;
                        sum.read += c.read_cpu_us;
                        sum.lower += c.lower_cpu_us;
                        sum.peak_kib = sum.peak_kib.max(c.peak_kib);
                    }
                    Err(e) => eprintln!("{name}: {e:?}"),
                }
            }
            runs.push(sum);
        }
        runs.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        let ratio = Spread::of(runs.iter().map(Run::ratio).collect());
        let (Some(ratio), Some(m)) = (ratio, runs.get(runs.len() / 2)) else {
            continue;
        };
        let seconds = |us: u64| format!("{:.3} s", us as f64 / 1e6);
        table.row([
            name.clone(),
            tasks.len().to_string(),
            seconds(m.clang),
            seconds(m.read),
            seconds(m.lower),
            ratio.to_string(),
            format!(
                "{TARGET} {}",
                if ratio.median <= TARGET {
                    "met"
                } else {
                    "missed"
                }
            ),
            format!("{} MiB", m.peak_kib / 1024),
        ]);
        report.data(
            name,
            json!({ "ratio": ratio.json(), "peak_kib": m.peak_kib }),
        );
    }
    report.table(table);
    report.words(format!(
        "CPU time, the run with the median ratio of {repeat}, and the least and the greatest ratio; \
         ratio = (read + lower) / clang. Lowering includes serialising."
    ));
    out.write(&report)
}

impl Run {
    fn ratio(&self) -> f64 {
        (self.read + self.lower) as f64 / self.clang.max(1) as f64
    }
}
