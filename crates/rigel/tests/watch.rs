//! `rigel check --watch`, as an editor and its user see it.

mod common;

use common::{Project, command};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const HEADER: &str = "#define SIZE 4\n";
const BAD: &str = "#include \"size.h\"
int main(void)
{
    int a[SIZE] = {0};
    int i = SIZE;
    return a[i];
}
";

/// No round takes so long, on any machine: then something hangs.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(project: &Project, args: &[&str]) -> Watch {
        let words = [&["check", "main.c", "other.c", "--watch"], args].concat();
        let mut child = command(&words)
            .env("RIGEL_CACHE", project.path().join("cache"))
            .current_dir(project.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Watch { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// Reads rounds up to one that ends so; a save may be seen in two parts. All that appeared and
    /// went away until then, by rule.
    fn until(&self, exit_code: i64) -> (Vec<String>, Vec<String>) {
        self.rounds_until(exit_code).0
    }

    /// Also the last of these rounds.
    fn rounds_until(&self, exit_code: i64) -> ((Vec<String>, Vec<String>), Value) {
        let (mut appeared, mut gone) = (Vec::new(), Vec::new());
        loop {
            let round: Value = serde_json::from_str(&self.line()).unwrap();
            assert_eq!(round["event"], "checked");
            let rules = |list: &str| -> Vec<String> {
                let list = round[list].as_array().unwrap();
                list.iter()
                    .map(|f| f["rule"].as_str().unwrap().to_string())
                    .collect()
            };
            appeared.extend(rules("appeared"));
            gone.extend(rules("gone"));
            if round["exit_code"] == exit_code {
                return ((appeared, gone), round);
            }
        }
    }

    fn interrupt(&mut self) -> i32 {
        let pid = self.child.id().to_string();
        let kill = std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status();
        assert!(kill.unwrap().success());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Gone already, if the test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn project() -> Project {
    Project::new(&[
        ("size.h", HEADER),
        ("main.c", BAD),
        ("other.c", "int other(void) { return 1; }\n"),
    ])
}

fn lists(appeared: &[&str], gone: &[&str]) -> (Vec<String>, Vec<String>) {
    let owned = |list: &[&str]| list.iter().map(|word| word.to_string()).collect();
    (owned(appeared), owned(gone))
}

#[test]
fn rounds_for_programs() {
    let project = project();
    let mut watch = Watch::start(&project, &["--format", "json"]);
    let bounds = "out-of-bounds";
    assert_eq!(watch.until(1), lists(&[bounds], &[]));
    // As editors do it: a new file, renamed over the old one.
    project.write(".main.c.new", &BAD.replace("i = SIZE", "i = 0"));
    std::fs::rename(
        project.path().join(".main.c.new"),
        project.path().join("main.c"),
    )
    .unwrap();
    assert_eq!(watch.until(0), lists(&[], &[bounds]));
    // A header, half typed.
    project.write("size.h", "#define SIZE {\n");
    assert_eq!(watch.until(2), lists(&[], &[]));
    project.write("size.h", HEADER);
    assert_eq!(watch.until(0), lists(&[], &[]));
    // A file that goes, and comes back.
    std::fs::remove_file(project.path().join("main.c")).unwrap();
    assert_eq!(watch.until(2), lists(&[], &[]));
    project.write("main.c", BAD);
    assert_eq!(watch.until(1), lists(&[bounds], &[]));
    assert_eq!(watch.interrupt(), 1);
}

#[test]
fn what_does_not_compile_is_not_fixed() {
    let project = project();
    let watch = Watch::start(&project, &["--format", "json"]);
    let bounds = "out-of-bounds";
    assert_eq!(watch.until(1), lists(&[bounds], &[]));
    let waits = |name: &str, text: &str, says: &str| {
        project.write(name, text);
        let (changes, round) = watch.rounds_until(2);
        assert_eq!(changes, lists(&[], &[]));
        let waiting = round["not_checked"].as_array().unwrap();
        assert_eq!(waiting.len(), 1, "{round}");
        assert_eq!(waiting[0]["rule"], bounds);
        let unread = round["unread"].as_array().unwrap();
        assert_eq!(unread.len(), 1, "{round}");
        let said = unread[0].as_str().unwrap();
        assert!(said.starts_with(says), "{said}");
    };
    waits(
        "main.c",
        "#include \"size.h\"\nint main(void) { return }\n",
        "main.c: does not compile: main.c:2:",
    );
    // Another round does not forget it, nor does a header that is wrong, too.
    waits("other.c", "int other(void) { return 2; }\n", "main.c: ");
    waits("size.h", "#error no size\n", "main.c: does not compile: ");
    // It is where it was, though some lines below.
    project.write("size.h", HEADER);
    project.write("main.c", &format!("/* new */\n\n{BAD}"));
    assert_eq!(watch.until(1), lists(&[], &[]));
    // One that was repaired meanwhile is gone when that is seen.
    std::fs::remove_file(project.path().join("main.c")).unwrap();
    assert_eq!(watch.until(2), lists(&[], &[]));
    project.write("main.c", &BAD.replace("i = SIZE", "i = 0"));
    assert_eq!(watch.until(0), lists(&[], &[bounds]));
}

#[test]
fn a_file_that_is_only_asked_for() {
    let project = project();
    let guarded = format!("#if __has_include(\"data/on.txt\")\n{BAD}#endif\n");
    project.write("main.c", &guarded);
    let watch = Watch::start(&project, &["--format", "json"]);
    assert_eq!(watch.until(0), lists(&[], &[]));
    project.write("data/on.txt", "");
    assert_eq!(watch.until(1), lists(&["out-of-bounds"], &[]));
    std::fs::remove_file(project.path().join("data/on.txt")).unwrap();
    assert_eq!(watch.until(0), lists(&[], &["out-of-bounds"]));
}

#[test]
fn rounds_for_people() {
    let project = project();
    let mut watch = Watch::start(&project, &[]);
    let first = watch.line();
    assert!(first.starts_with("error[out-of-bounds]: "), "{first}");
    project.write("main.c", &BAD.replace("i = SIZE", "i = 1"));
    let gone = loop {
        let line = watch.line();
        if line.starts_with("gone") {
            break line;
        }
    };
    let expected = "gone[out-of-bounds]: main.c:6 in main(): ";
    assert!(gone.starts_with(expected), "{gone}");
    project.write("other.c", "int other(void) { int n = 0; return 1 / n; }\n");
    let new = watch.line();
    assert!(new.starts_with("error[division-by-zero]: "), "{new}");
    assert_eq!(watch.interrupt(), 1);
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let project = project();
    for (args, says) in [
        (&["--format", "sarif"][..], "--watch: a SARIF report"),
        (&["--stats"], "cannot be used with"),
        (&["-o", "out"], "cannot be used with"),
        (&["--rules", "nothing"], "--rules"),
    ] {
        let words = [&["check", "main.c", "--watch"], args].concat();
        let said = project.rigel(&words);
        assert!(
            said.contains(says) && said.ends_with("= exit 2\n"),
            "{said}"
        );
    }
}
