//! A worker for the tests of the pool: it does what the job's first word says.

use front::protocol::{Answer, Cost, Encoded, Failure, Job, Lowered, receive, send};
use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    while let Some(job) = receive::<Job>(&mut input)? {
        match job.command.first().map_or("", |s| s.as_str()) {
            "abort" => {
                eprintln!("LLVM ERROR: no");
                std::process::abort();
            }
            "exit" => std::process::exit(3),
            "garbage" => output.write_all(b"\xff\xff\xff\xffgarbage")?,
            "fail" => send(
                &mut output,
                &Answer::Failed(Failure::DoesNotCompile {
                    diagnostics: format!("{}:1:1: error: no\n", job.file),
                    tried: front::protocol::Tried::default(),
                }),
            )?,
            _ => send(
                &mut output,
                &Answer::Lowered(Box::new(Lowered {
                    program: Encoded::new(&ir::Program::default())?,
                    diagnostics: job.file,
                    cost: Cost::default(),
                    reads: None,
                })),
            )?,
        }
        output.flush()?;
    }
    Ok(())
}
