//! Two processes (§7.2): where can a context switch make process 1 fail later? `cargo run --example two_processes -p wpds`
//!
//! Process 1 reads a shared balance twice and relies on it not having changed; process 2 withdraws.

use wpds::weights::{Bit, Relations, Vocabulary};
use wpds::{Configuration, Language, Query, Semiring, State, System, processes};

fn main() {
    // Shared: is the balance enough? Process 1's own: what it saw.
    let (enough, saw) = (Bit(0), Bit(1));
    let relations = Relations::new(Vocabulary::new(2, 0, 1 << 12));
    let v = relations.vocabulary();
    let always = v.constant(true);
    let one = relations.one();

    let names = [
        "start",
        "if (enough)",
        "log()",
        "in log",
        "pay()",
        "assert enough",
        "done",
        "failed",
    ];
    let mut first = System::new(1);
    let [start, check, log, in_log, pay, assertion, done, failed] =
        std::array::from_fn(|_| first.symbol());
    first.step(
        start,
        check,
        relations.assign(&always, &[(enough, Some(v.constant(true)))]),
    );
    first.step(
        check,
        log,
        relations.assign(&always, &[(saw, Some(v.now(enough)))]),
    );
    first.push(log, in_log, pay, one);
    first.pop(in_log, one);
    first.step(pay, assertion, relations.assume(&v.now(saw)));
    first.step(pay, done, relations.assume(&v.not(&v.now(saw))));
    first.step(assertion, done, relations.assume(&v.now(enough)));
    first.step(assertion, failed, relations.assume(&v.not(&v.now(enough))));

    let mut second = System::new(1);
    let [withdraw, end] = std::array::from_fn(|_| second.symbol());
    second.step(
        withdraw,
        end,
        relations.assign(&always, &[(enough, Some(v.constant(false)))]),
    );

    let at = |symbol| {
        let configuration = Configuration {
            state: State(0),
            stack: vec![symbol],
        };
        Language::configuration(1, &configuration)
    };
    let query = Query::new(&first, &relations, &at(start), &Language::on_top(1, failed));
    let run = processes::any_run(&second, &relations, &at(withdraw));
    let failing =
        processes::failing_switches(&query.functional(), &relations, first.symbols(), &run);
    println!(
        "alone, process 1 can fail: {}",
        query.projection().contains(&true)
    );
    for (name, fails) in names.iter().zip(failing) {
        println!(
            "{} {name}",
            if fails {
                "switch here: fails later "
            } else {
                "                         "
            }
        );
    }
}
