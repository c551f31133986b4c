//! When a recipe holds, without a compiler: what it would say is written down.

use super::*;

struct Tree(tempfile::TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        for (name, text) in files {
            tree.write(name, text);
        }
        tree
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// As if clang had been started `later` than now.
    fn reads(&self, later: Duration) -> Reads {
        let moment = SystemTime::now() + later;
        let since = moment.duration_since(UNIX_EPOCH).unwrap();
        Reads {
            files: vec!["a.c".into(), "two/x.h".into()],
            search: vec!["one".into(), "two".into()],
            started: since.as_nanos() as u64,
        }
    }

    fn recipe(&self) -> Recipe {
        let reads = self.reads(Duration::from_secs(1));
        Recipe::record(&reads, &[], self.0.path(), &Files::default()).unwrap()
    }

    /// In a new run.
    fn holds(&self, recipe: &Recipe) -> bool {
        recipe.holds(self.0.path(), &Files::default())
    }
}

fn tree() -> Tree {
    Tree::new(&[("a.c", "#include \"x.h\"\n"), ("two/x.h", "int x;\n")])
}

#[test]
fn contents_count_and_nothing_else() {
    let tree = tree();
    let recipe = tree.recipe();
    assert!(tree.holds(&recipe));
    tree.write("two/x.h", "int y;\n");
    assert!(!tree.holds(&recipe));
    tree.write("two/x.h", "int x;\n");
    assert!(tree.holds(&recipe));
    std::fs::remove_file(tree.0.path().join("two/x.h")).unwrap();
    assert!(!tree.holds(&recipe));
}

#[test]
fn a_header_that_would_be_found_first_counts() {
    for place in ["one/x.h", "x.h"] {
        let tree = tree();
        let recipe = tree.recipe();
        tree.write(place, "int x;\n");
        assert!(!tree.holds(&recipe), "{place}");
    }
    let tree = tree();
    let recipe = tree.recipe();
    tree.write("three/x.h", "");
    tree.write("two/y.h", "");
    std::fs::create_dir_all(tree.0.path().join("one/x.h")).unwrap();
    assert!(tree.holds(&recipe), "none of these would be taken");
}

#[test]
fn what_clang_passed_over_may_stay_and_go() {
    let tree = tree();
    // As with `#include_next`, or <x.h> with a file beside.
    tree.write("one/x.h", "");
    let recipe = tree.recipe();
    assert!(tree.holds(&recipe));
    std::fs::remove_file(tree.0.path().join("one/x.h")).unwrap();
    assert!(tree.holds(&recipe));
}

#[test]
fn what_changed_while_clang_ran_is_not_known() {
    let tree = tree();
    let files = Files::default();
    let earlier = Reads {
        started: tree.reads(Duration::ZERO).started - 1_000_000_000,
        ..tree.reads(Duration::ZERO)
    };
    assert_eq!(Recipe::record(&earlier, &[], tree.0.path(), &files), None);
}

#[test]
fn a_hash_from_before_an_edit_is_not_taken_for_the_content_after_it() {
    let tree = tree();
    let files = Files::default();
    let path = tree.0.path().join("two/x.h");
    let old = files.digest(&path).unwrap();
    tree.write("two/x.h", "int z;\n");
    let recipe = Recipe::record(
        &tree.reads(Duration::from_secs(1)),
        &[],
        tree.0.path(),
        &files,
    );
    let (_, new) = recipe.unwrap().files[1].clone();
    assert_ne!(old, new);
    assert_eq!(Files::default().digest(&path), Some(new));
}

#[test]
fn what_is_asked_for_may_neither_come_nor_go() {
    let tree = tree();
    tree.write("a.c", "#if __has_include(<o.h>) || __has_embed(\"o\")\n");
    let recipe = tree.recipe();
    assert!(tree.holds(&recipe));
    // In the list of directories; beside a file that may ask.
    for place in ["one/o.h", "two/o.h", "o", "two/o"] {
        tree.write(place, "");
        assert!(!tree.holds(&recipe), "{place}");
        let with = tree.recipe();
        assert!(tree.holds(&with), "{place}");
        std::fs::remove_file(tree.0.path().join(place)).unwrap();
        assert!(!tree.holds(&with), "{place}");
        assert!(tree.holds(&recipe), "{place}");
    }
    tree.write("o.h", "");
    tree.write("one/o", "");
    std::fs::create_dir(tree.0.path().join("two/o.h")).unwrap();
    assert!(
        tree.holds(&recipe),
        "nobody looks there, or for a directory"
    );
}

#[test]
fn without_the_names_there_is_no_recipe() {
    let tree = tree();
    let reads = tree.reads(Duration::from_secs(1));
    let record = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        Recipe::record(&reads, &words, tree.0.path(), &Files::default())
    };
    assert!(record(&["-DA"]).is_some());
    assert!(record(&["-DA=__has_include(<a.h>)"]).is_some());
    assert!(record(&["-DA=__has_include(A_H)"]).is_none());
    // A macro that asks, used with a name and without.
    tree.write("two/x.h", "#define HAS(x) __has_include(x)\n");
    tree.write("a.c", "#if HAS(<a.h>)\n");
    assert!(record(&[]).is_some());
    tree.write("a.c", "#if HAS(A_H)\n");
    assert!(record(&[]).is_none());
}
