//! Clang called for a unit with the flags of its build, for comparison with what rigel does.
//!
//! The flags are those that the front end kept: what both sides compile is the same program.

use anyhow::{Context, bail};
use front::pool::Task;
use std::process::{Command, Stdio};

/// What the front end adds to the flags of a unit begins with these.
const FIRST_OWN_FLAGS: [&str; 2] = ["-g", "-gdwarf-4"];

/// Compiles a unit with its own flags, then these. What clang writes to standard output.
pub fn run(task: &Task, flags: &[&str]) -> anyhow::Result<Vec<u8>> {
    let words = call(&task.job.command, flags).with_context(|| {
        format!(
            "{}: not a command of the front end: {:?}",
            task.job.file, task.job.command
        )
    })?;
    let [compiler, arguments @ ..] = words.as_slice() else {
        bail!("{}: an empty command", task.job.file);
    };
    let output = Command::new(compiler)
        .args(arguments)
        .current_dir(&task.job.directory)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {compiler}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{}: clang failed: {words}", task.job.file);
    }
    Ok(output.stdout)
}

/// From the front end's command for bitcode to a compiler call: the unit's own flags, what
/// makes clang accept what the build's compiler accepted, and the given flags.
fn call(bitcode: &[String], flags: &[&str]) -> Option<Vec<String>> {
    let own = bitcode.windows(2).rposition(|w| w == FIRST_OWN_FLAGS)?;
    let file = bitcode.last()?;
    let mut call = bitcode[..own].to_vec();
    let tolerant = bitcode[own..].iter();
    call.extend(tolerant.filter(|w| w.starts_with("-Wno-error=")).cloned());
    call.extend(flags.iter().map(ToString::to_string));
    call.extend(["--".to_string(), file.clone()]);
    Some(call)
}

/// The unit's own flags, as far as every compiler understands them: what is included and defined, the language, what
/// changes the meaning of code.
pub fn plain_flags(task: &Task) -> Vec<String> {
    let command = &task.job.command;
    let own = command.windows(2).rposition(|w| w == FIRST_OWN_FLAGS);
    plain(&command[1.min(command.len())..own.unwrap_or(command.len())])
}

fn plain(words: &[String]) -> Vec<String> {
    const WITH_VALUE: [&str; 7] = [
        "-I",
        "-D",
        "-U",
        "-include",
        "-isystem",
        "-iquote",
        "-idirafter",
    ];
    const MEANING: [&str; 8] = [
        "short-",
        "signed-",
        "unsigned-",
        "exceptions",
        "rtti",
        "common",
        "strict-aliasing",
        "wrapv",
    ];
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            let value = words.next().cloned().unwrap_or_default();
            // In one word, if it can be: that is understood by more.
            match word.len() {
                2 => kept.push(format!("{word}{value}")),
                _ => kept.extend([word.clone(), value]),
            }
            continue;
        }
        let meaning = word
            .strip_prefix("-f")
            .map(|f| f.strip_prefix("no-").unwrap_or(f));
        let meaning = meaning.is_some_and(|f| MEANING.iter().any(|m| f.starts_with(m)));
        let kept_as_it_is = ["-I", "-D", "-U", "-std=", "-isystem", "-iquote", "-pthread"];
        if meaning || kept_as_it_is.iter().any(|flag| word.starts_with(flag)) {
            kept.push(word.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn flags_that_every_compiler_understands_are_kept() {
        let words: Vec<String> = "-O2 -I include -DN=3 -include a.h -std=gnu99 -fno-wrapv -fcolor-diagnostics -Wall -march=x -pthread"
            .split(' ')
            .map(String::from)
            .collect();
        assert_eq!(
            plain(&words).join(" "),
            "-Iinclude -DN=3 -include a.h -std=gnu99 -fno-wrapv -pthread"
        );
    }

    #[test]
    fn the_call_is_that_of_the_build() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(String::from).collect() };
        let build = words("cc -O2 -g -DN=3 -Iinclude -c -o a.o a.c");
        let translation = front::flags::translate(&build, "a.c", Path::new("/"), None);
        let flags = ["-O0", "-w", "-c", "-o", "/dev/null"];
        let call = call(&translation.command, &flags).unwrap();
        let kept: Vec<&str> = call.iter().map(String::as_str).collect();
        assert_eq!(kept[..3], ["clang-19", "-DN=3", "-Iinclude"]);
        assert_eq!(
            kept[kept.len() - 7..],
            words("-O0 -w -c -o /dev/null -- a.c")
        );
        assert!(!kept.contains(&"-emit-llvm") && !kept.contains(&"-g"));
        assert_eq!(super::call(&build, &flags), None);
    }
}
