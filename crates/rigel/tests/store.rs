//! What is kept between runs: it saves work, and it never changes an answer.
//!
//! Every test holds a run that starts from what others left against one that keeps nothing.

mod common;

use common::{Project, command, settle, show};
use std::path::{Path, PathBuf};
use std::time::Duration;

const HEADER: &str = "struct node { struct node *next; int value; };
struct node *last(struct node *l);
int sum(const int *a, int n);
";

const LAST: &str = "#include \"list.h\"
struct node *last(struct node *l)
{
    struct node *p = 0;
    for (; l; l = l->next)
        p = l;
    return p;
}
";

const SUM: &str = "#include \"list.h\"
int sum(const int *a, int n)
{
    int s = 0;
    int i;
    for (i = 0; i < n; i++)
        s += a[i];
    return s / n;
}
";

const MAIN: &str = "#include \"list.h\"
int main(int argc, char **argv)
{
    int a[4] = {1, 2, 3, 4};
    int i = 3;
    int *p = 0;
    if (sum(a, 4) + argc > 3)
        i = 4;
    if (a[i] == 7)
        return *p;
    return 0;
}
";

/// A program of three units with something to report, `.rigel` in its own directory.
struct Kept(Project);

impl Kept {
    fn new() -> Kept {
        let kept = Kept(Project::new(&[
            ("inc/list.h", HEADER),
            ("last.c", LAST),
            ("sum.c", SUM),
            ("main.c", MAIN),
        ]));
        settle();
        kept
    }

    fn write(&self, name: &str, text: &str) {
        self.0.write(name, text);
        settle();
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.0.read(name);
        assert!(text.contains(from), "{name} has no {from}");
        self.write(name, &text.replace(from, to));
    }

    fn words<'a>(&self, args: &[&'a str]) -> Vec<&'a str> {
        let files = ["check", "main.c", "last.c", "sum.c"];
        let flags = ["--", "-Inone", "-Iinc"];
        let all = files.iter().chain(args).chain(&flags);
        all.copied().collect()
    }

    fn run(&self, args: &[&str], environment: &[(&str, &str)]) -> std::process::Output {
        command(&self.words(args))
            .env_remove("RIGEL_CACHE")
            .envs(environment.iter().copied())
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    fn check(&self, args: &[&str]) -> String {
        show(&self.run(args, &[]), self.0.path())
    }

    /// What a run says that has never seen this program.
    fn truth(&self, args: &[&str]) -> String {
        let mut args = args.to_vec();
        args.extend(["--cache", "none"]);
        show(&self.run(&args, &[]), self.0.path())
    }

    /// How many units a run took over; the report must be the true one.
    fn taken(&self) -> u64 {
        self.taken_with(&[])
    }

    fn taken_with(&self, environment: &[(&str, &str)]) -> u64 {
        let output = self.run(&["--stats", "--format", "json"], environment);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let none = [environment, &[("RIGEL_CACHE", "none")]].concat();
        let truth = show(&self.run(&["--format", "json"], &none), self.0.path());
        let plain = show(&self.run(&["--format", "json"], environment), self.0.path());
        assert_eq!(plain, truth);
        json["stats"]["units_kept"].as_u64().unwrap()
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join(".rigel/store")
    }

    /// The blobs, by name.
    fn blobs(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder()).unwrap();
        let mut files: Vec<PathBuf> = files.map(|f| f.unwrap().path()).collect();
        files.retain(|f| {
            f.file_name()
                .is_some_and(|n| n != "lock" && n != "users" && n != ".gitignore")
        });
        files.sort();
        files
    }
}

/// Numbers that look random and are the same in every run (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

/// How often: a few times in every run of the tests, as often as `bench/faults.sh` says else.
fn times(variable: &str, usual: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn what_did_not_change_is_not_read_again() {
    let kept = Kept::new();
    assert_eq!(kept.taken(), 0);
    assert_eq!(kept.taken(), 3);
    kept.edit("sum.c", "s / n", "s / (n + 1)");
    assert_eq!(kept.taken(), 2);
    assert_eq!(kept.taken(), 3);
    // A comment is another content, and the same program.
    kept.edit("sum.c", "int s = 0;", "int s = 0; /* the sum */");
    assert_eq!(kept.taken(), 2);
    kept.edit("inc/list.h", "int value;", "long value;");
    assert_eq!(kept.taken(), 0);
    // Written again as it was: contents count, not times.
    kept.edit("last.c", "p = l;", "p = l;");
    assert_eq!(kept.taken(), 3);
}

#[test]
fn a_fix_and_its_undoing_are_both_seen() {
    let kept = Kept::new();
    let broken = kept.check(&[]);
    assert!(broken.contains("out-of-bounds"), "{broken}");
    assert_eq!(broken, kept.check(&[]));
    kept.edit("main.c", "i = 4;", "i = 2;");
    let fixed = kept.check(&[]);
    assert!(!fixed.contains("out-of-bounds"), "{fixed}");
    assert_eq!(fixed, kept.truth(&[]));
    kept.edit("main.c", "i = 2;", "i = 4;");
    assert_eq!(broken, kept.check(&[]));
}

#[test]
fn a_line_that_moves_moves_in_the_report() {
    let kept = Kept::new();
    kept.check(&[]);
    kept.edit("main.c", "int main", "\n/* new */\nint main");
    let moved = kept.check(&[]);
    assert!(moved.contains("main.c:11:"), "{moved}");
    assert_eq!(moved, kept.truth(&[]));
    // The excerpt shows the line as it is, though the program is the same.
    kept.edit("main.c", "if (a[i] == 7)", "if (a[i] == 7) // here");
    assert!(kept.check(&[]).contains("if (a[i] == 7) // here"));
}

#[test]
fn a_header_that_would_be_found_first_is_seen() {
    let kept = Kept::new();
    kept.taken();
    kept.write("none/list.h", HEADER);
    assert_eq!(kept.taken(), 0);
    assert_eq!(kept.taken(), 3);
    kept.write("list.h", HEADER);
    assert_eq!(kept.taken(), 0);
    std::fs::remove_file(kept.0.path().join("list.h")).unwrap();
    settle();
    assert_eq!(kept.taken(), 0);
    kept.write("inc/other.h", "");
    assert_eq!(kept.taken(), 3);
}

#[test]
fn flags_and_the_environment_count() {
    let kept = Kept::new();
    kept.taken();
    assert_eq!(kept.taken_with(&[("CPATH", "elsewhere")]), 0);
    assert_eq!(kept.taken(), 3);
    let mut words = kept.words(&["--stats"]);
    words.push("-DX=1");
    let output = command(&words)
        .env_remove("RIGEL_CACHE")
        .current_dir(kept.0.path())
        .output()
        .unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("kept from"));
}

#[test]
fn every_setting_asks_another_question() {
    let kept = Kept::new();
    let settings: [&[&str]; 14] = [
        &[],
        &["--rules", "all"],
        &["--rules", "null-dereference"],
        &["--precision", "0"],
        &["--precision", "1"],
        &["--latent"],
        &["--verbose"],
        &["--noreturn", "sum"],
        &["--noreturn", "nobody"],
        &["--aggregate", "off"],
        &["--search", "differencing"],
        &["--format", "json"],
        &["--path", "full"],
        &["--color", "always"],
    ];
    let truths: Vec<String> = settings.iter().map(|s| kept.truth(s)).collect();
    for (setting, truth) in settings.iter().zip(&truths) {
        assert_eq!(&kept.check(setting), truth, "{setting:?}, first");
    }
    // Eight runs are remembered: these are answered, the older ones are worked out again.
    for (setting, truth) in settings.iter().zip(&truths).rev() {
        assert_eq!(&kept.check(setting), truth, "{setting:?}, again");
    }
    let mut distinct = truths[..9].to_vec();
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() >= 6, "the settings hardly differ here");
}

#[test]
fn sarif_does_not_tell_how_it_came_about() {
    let kept = Kept::new();
    let sarif = |args: &[&str]| {
        let args = [&["--format", "sarif"], args].concat();
        kept.run(&args, &[]).stdout
    };
    let first = sarif(&[]);
    assert!(first == sarif(&[]));
    assert!(first == sarif(&["--fresh"]));
    assert!(first == sarif(&["--cache=elsewhere"]));
    assert!(first == sarif(&["--cache", "none"]));
}

#[test]
fn a_file_that_does_not_compile_is_said_every_time() {
    let kept = Kept::new();
    let good = kept.check(&[]);
    kept.edit("sum.c", "return s", "retrun s");
    let broken = kept.check(&[]);
    assert!(broken.contains("= exit 2"), "{broken}");
    assert_eq!(broken, kept.truth(&[]));
    assert_eq!(broken, kept.check(&[]));
    kept.edit("sum.c", "retrun s", "return s");
    assert_eq!(good, kept.check(&[]));
    // What it was before is still known.
    assert_eq!(kept.taken(), 3);
}

#[test]
fn fresh_ignores_what_is_there_and_leaves_it_whole() {
    let kept = Kept::new();
    let truth = kept.truth(&[]);
    kept.check(&[]);
    let output = kept.run(&["--fresh", "--stats"], &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("kept from"), "{said}");
    assert_eq!(kept.check(&["--fresh"]), truth);
    assert_eq!(kept.taken(), 3);
}

#[test]
fn it_lies_where_the_user_says() {
    let kept = Kept::new();
    kept.truth(&[]);
    assert!(!kept.0.path().join(".rigel").exists());
    kept.check(&["--cache", "my/cache"]);
    assert!(kept.0.path().join("my/cache/store/lock").exists());
    kept.run(&[], &[("RIGEL_CACHE", "other")]);
    assert!(kept.0.path().join("other/store/lock").exists());
    assert!(!kept.0.path().join(".rigel").exists());
    kept.check(&[]);
    let ignored = std::fs::read_to_string(kept.folder().join(".gitignore")).unwrap();
    assert_eq!(ignored, "*\n");
}

#[test]
fn edits_do_not_make_it_grow() {
    let kept = Kept::new();
    kept.check(&[]);
    let names = kept.blobs().len();
    for i in 0..5 {
        let (from, to) = (
            format!("{{1, 2, 3, {}}}", 4 + i),
            format!("{{1, 2, 3, {}}}", 5 + i),
        );
        kept.edit("main.c", &from, &to);
        kept.check(&[]);
    }
    assert_eq!(kept.blobs().len(), names);
}

#[test]
fn where_nothing_can_be_written_the_answer_is_the_same() {
    let kept = Kept::new();
    let truth = kept.truth(&[]);
    kept.write("file", "");
    let said = kept.check(&["--cache", "file"]);
    let warnings: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("cannot be written"))
        .collect();
    assert_eq!(warnings.len(), 1, "{said}");
    let without: String = said
        .lines()
        .filter(|line| !line.contains("cannot be written"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(without, truth);
}

/// A limit on the size of files stands in for a disk that is full: a blob begins, and does not end.
#[test]
fn a_full_disk_costs_what_is_kept_and_nothing_else() {
    let kept = Kept::new();
    let truth = kept.truth(&[]);
    let words = kept.words(&[]);
    let rigel = command(&words);
    for blocks in [1, 2, 3, 5, 8] {
        let _ = std::fs::remove_dir_all(kept.0.path().join(".rigel"));
        let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" \"$@\"");
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .arg(rigel.get_program())
            .args(&words)
            .env_remove("RIGEL_CACHE")
            .current_dir(kept.0.path())
            .output()
            .unwrap();
        let said = show(&output, kept.0.path());
        let without: String = said
            .lines()
            .filter(|line| !line.contains("cannot be written"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(without, truth, "{blocks} blocks");
        if blocks == 1 {
            assert_ne!(said, truth, "the limit did nothing");
        }
        let names = kept.blobs();
        let unfinished = |f: &&PathBuf| {
            f.file_name()
                .is_some_and(|n| n.to_string_lossy().starts_with("tmp"))
        };
        assert_eq!(names.iter().find(unfinished), None);
        assert_eq!(kept.check(&[]), truth, "after {blocks} blocks");
    }
}

fn damage(file: &Path, numbers: &mut Numbers) {
    let mut bytes = std::fs::read(file).unwrap();
    let at = numbers.below(bytes.len() as u64) as usize;
    match numbers.below(4) {
        // What an earlier round left of it nobody may have needed since.
        _ if bytes.is_empty() => bytes.push(numbers.below(256) as u8),
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << numbers.below(8),
        2 => bytes[at..].fill(0),
        _ => bytes.insert(at, numbers.below(256) as u8),
    }
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn damage_is_never_believed() {
    let kept = Kept::new();
    let truth = kept.truth(&[]);
    assert_eq!(kept.check(&[]), truth);
    let mut numbers = Numbers(1);
    for round in 0..times("RIGEL_DAMAGES", 30) {
        let blobs = kept.blobs();
        for _ in 0..=numbers.below(3) {
            let file = &blobs[numbers.below(blobs.len() as u64) as usize];
            if file.exists() {
                damage(file, &mut numbers);
            }
        }
        if numbers.below(4) == 0 {
            let pair = [0, 1].map(|_| numbers.below(blobs.len() as u64) as usize);
            std::fs::copy(&blobs[pair[0]], &blobs[pair[1]]).unwrap();
        }
        assert_eq!(kept.check(&[]), truth, "round {round}");
    }
}

#[test]
fn a_run_that_is_killed_leaves_nothing_wrong() {
    let kept = Kept::new();
    let variants = ["i = 4;", "i = 2;"];
    let truths: Vec<String> = [0, 1]
        .map(|i| {
            let text = MAIN.replace(variants[0], variants[i]);
            kept.write("main.c", &text);
            kept.truth(&[])
        })
        .to_vec();
    let start = std::time::Instant::now();
    kept.check(&["--fresh"]);
    let longest = start.elapsed().as_micros() as u64;
    let mut numbers = Numbers(2);
    for round in 0..times("RIGEL_KILLS", 10) {
        let i = (round % 2) as usize;
        kept.write("main.c", &MAIN.replace(variants[0], variants[i]));
        let fresh: &[&str] = if numbers.below(2) == 0 {
            &["--fresh"]
        } else {
            &[]
        };
        let mut child = command(&kept.words(fresh))
            .env_remove("RIGEL_CACHE")
            .current_dir(kept.0.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(numbers.below(longest)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(kept.check(&[]), truths[i], "round {round}");
    }
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let kept = Kept::new();
    let truth = kept.truth(&[]);
    for round in 0..times("RIGEL_PAIRS", 4) {
        let fresh: &[&str] = if round % 2 == 0 { &["--fresh"] } else { &[] };
        let runs: Vec<String> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..2).map(|_| scope.spawn(|| kept.check(fresh))).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        assert_eq!(runs, [truth.clone(), truth.clone()]);
        assert_eq!(kept.check(&[]), truth);
        assert_eq!(kept.taken(), 3);
    }
}

/// The fixtures of the rules as one program each: whatever rigel can report, it reports the same
/// from what is kept.
#[test]
fn fixtures_are_answered_as_they_are_analysed() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/fixtures");
    let cache = tempfile::tempdir().unwrap();
    // Some of them: the whole takes minutes.
    for name in ["assertion", "double-lock", "shift-range"] {
        let directory = &fixtures.join(name);
        let run = |place: &Path| {
            let words = ["check", ".", "--rules", "all", "--latent", "--verbose"];
            let output = command(&words)
                .env("RIGEL_CACHE", place)
                .current_dir(directory)
                .output()
                .unwrap();
            show(&output, directory)
        };
        let truth = run(Path::new("none"));
        assert_eq!(run(cache.path()), truth, "{}", directory.display());
        assert_eq!(run(cache.path()), truth, "{}", directory.display());
    }
}
