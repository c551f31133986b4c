//! The tools that are compared: how each is called, and where and how it writes what it found.
//!
//! The call is a line with holes: `{files}` all files of a unit, `{file}` the one file of a call, `{flags}` the unit's own flags (as far as
//! every compiler understands them), `{out}` a file for the reports.

use crate::checked;
use crate::findings::Form;
use crate::process;
use anyhow::{Context, bail};
use std::path::Path;
use std::process::Command;

/// Where a tool writes its reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Output,
    Errors,
    /// The file that takes the place of `{out}`.
    File,
}

#[derive(Clone, Debug)]
pub struct Tool {
    /// With its version, as the table of kinds of errors knows it.
    pub name: String,
    program: String,
    arguments: &'static str,
    pub form: Form,
    pub stream: Stream,
    /// One call for each file, not for each unit of several files.
    pub per_file: bool,
    /// It can read C++.
    pub cpp: bool,
}

/// What a tool is, without what only this machine knows of it.
struct Kind {
    name: &'static str,
    program: &'static str,
    arguments: &'static str,
    form: Form,
    stream: Stream,
    per_file: bool,
    cpp: bool,
}

/// The unit of time: what the compiler takes for the same files.
pub const COMPILE: &str = "compile";
pub const RIGEL: &str = "rigel";
pub const PEERS: [&str; 3] = ["clang", "gcc", "cppcheck"];

const KINDS: [Kind; 5] = [
    Kind {
        name: COMPILE,
        program: "clang-19",
        arguments: "-O0 -w -c {flags} -o /dev/null {file}",
        form: Form::Nothing,
        stream: Stream::Output,
        per_file: true,
        cpp: true,
    },
    Kind {
        name: RIGEL,
        program: "rigel",
        arguments: "check --rules all --format sarif --jobs 1 {files} -- {flags}",
        form: Form::Sarif,
        stream: Stream::Output,
        per_file: false,
        cpp: true,
    },
    Kind {
        name: "clang",
        program: "clang-19",
        arguments: "--analyze -w {flags} -Xclang -analyzer-output=sarif -o {out} {file}",
        form: Form::Sarif,
        stream: Stream::File,
        per_file: true,
        cpp: true,
    },
    Kind {
        name: "gcc",
        program: "gcc",
        arguments: "-O0 -fanalyzer {flags} -fdiagnostics-plain-output -c -o /dev/null {file}",
        form: Form::Lines,
        stream: Stream::Errors,
        per_file: true,
        cpp: false,
    },
    Kind {
        name: "cppcheck",
        program: "cppcheck",
        arguments: "-q --enable=warning,style,portability --library=posix --xml {flags} {files}",
        form: Form::Cppcheck,
        stream: Stream::Errors,
        per_file: false,
        cpp: true,
    },
];

/// A tool by its short name. An error says that it is not on this machine, or that there is none of that name.
pub fn find(name: &str) -> anyhow::Result<Tool> {
    let Some(kind) = KINDS.iter().find(|kind| kind.name == name) else {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        bail!("no tool {name}: there are {}", names.join(", "));
    };
    let program = match kind.name {
        RIGEL => checked::rigel()?.to_string_lossy().into_owned(),
        _ => kind.program.to_string(),
    };
    let version = version(&program).with_context(|| {
        format!("{name} is absent: {program} is not on this machine (`./x bench` installs it with apt-get)")
    })?;
    Ok(Tool {
        name: match kind.name {
            COMPILE | RIGEL => kind.name.to_string(),
            _ => format!("{name}-{version}"),
        },
        program,
        arguments: kind.arguments,
        form: kind.form,
        stream: kind.stream,
        per_file: kind.per_file,
        cpp: kind.cpp,
    })
}

/// The first number in what `--version` says: of compilers the major one.
fn version(program: &str) -> anyhow::Result<String> {
    let said = process::run(Command::new(program).arg("--version"), None)?;
    if said.code != Some(0) {
        bail!("{program} --version fails: {}", said.stderr.trim());
    }
    let number = number(&said.stdout).with_context(|| format!("{program} says no version"))?;
    let major = number.split('.').next().unwrap_or(&number);
    Ok(if program.contains("cppcheck") {
        number
    } else {
        major.to_string()
    })
}

/// The first word of digits and dots, outside of parentheses.
fn number(text: &str) -> Option<String> {
    let mut depth = 0;
    let open: String = text
        .chars()
        .filter(|c| {
            depth += i32::from(*c == '(');
            let keep = depth == 0;
            depth -= i32::from(*c == ')');
            keep
        })
        .collect();
    let words = open.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let mut numbers = words
        .map(|w| w.trim_matches('.'))
        .filter(|w| w.starts_with(|c: char| c.is_ascii_digit()));
    numbers.next().map(String::from)
}

impl Tool {
    /// The call for these files.
    pub fn command(&self, files: &[String], flags: &[String], out: &Path) -> Command {
        let mut command = Command::new(&self.program);
        for word in self.arguments.split(' ') {
            match word {
                "{files}" => command.args(files),
                "{file}" => command.args(files.first()),
                "{flags}" => command.args(flags.iter().filter(|flag| self.understands(flag))),
                "{out}" => command.arg(out),
                word => command.arg(word),
            };
        }
        command.env("RIGEL_CACHE", "none");
        command
    }

    /// cppcheck is no compiler.
    fn understands(&self, flag: &str) -> bool {
        self.form != Form::Cppcheck
            || ["-I", "-D", "-U"]
                .iter()
                .any(|known| flag.starts_with(known))
    }

    /// The line with its holes, for whoever wants to repeat it.
    pub fn line(&self) -> String {
        let program = Path::new(&self.program).file_name();
        let program = program.map(|name| name.to_string_lossy().into_owned());
        format!("{} {}", program.unwrap_or_default(), self.arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<String> {
        command
            .get_args()
            .map(|w| w.to_string_lossy().into_owned())
            .collect()
    }

    fn tool(name: &str) -> Tool {
        let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
        Tool {
            name: name.to_string(),
            program: kind.program.to_string(),
            arguments: kind.arguments,
            form: kind.form,
            stream: kind.stream,
            per_file: kind.per_file,
            cpp: kind.cpp,
        }
    }

    #[test]
    fn holes_are_filled() {
        let files = ["a.c", "b.c"].map(String::from);
        let flags = ["-Iinclude", "-std=gnu89"].map(String::from);
        let out = Path::new("/tmp/out");
        let compile = words(&tool(COMPILE).command(&files, &flags, out));
        assert_eq!(
            compile.join(" "),
            "-O0 -w -c -Iinclude -std=gnu89 -o /dev/null a.c"
        );
        let check = words(&tool("cppcheck").command(&files, &flags, out));
        assert!(
            check.join(" ").ends_with("--xml -Iinclude a.c b.c"),
            "{check:?}"
        );
        let clang = words(&tool("clang").command(&files, &flags, out));
        assert!(clang.join(" ").ends_with("-o /tmp/out a.c"), "{clang:?}");
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(
            number("gcc (Debian 12.2.0-14) 12.2.0\n2022"),
            Some("12.2.0".to_string())
        );
        assert_eq!(
            number("Debian clang version 19.1.7 (3+b1)"),
            Some("19.1.7".to_string())
        );
        assert_eq!(number("Cppcheck 2.10"), Some("2.10".to_string()));
        assert_eq!(number("none"), None);
    }

    #[test]
    fn an_unknown_tool_is_an_error_that_names_the_others() {
        let error = find("lint").unwrap_err().to_string();
        assert!(
            error.contains("compile, rigel, clang, gcc, cppcheck"),
            "{error}"
        );
    }
}
