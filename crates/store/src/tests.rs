//! What a store promises: a blob comes back as it was put, or not at all.

use super::*;
use proptest::prelude::*;
use std::fs;
use std::time::SystemTime;

fn identity(n: u8) -> Key {
    Key([n; 32])
}

fn key(word: &str) -> Key {
    Key::of(word.as_bytes())
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn open(&self) -> Store {
        Store::open(self.0.path(), identity(1))
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join(FOLDER)
    }

    fn names(&self) -> Vec<String> {
        let files = fs::read_dir(self.folder()).unwrap();
        let names = files.map(|f| f.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

#[test]
fn what_is_put_comes_back_in_the_next_run() {
    let place = Place::new();
    let zeros = vec![0; 100_000];
    place.open().put("unit", &key("a"), &zeros);
    place.open().put("unit", &key("b"), b"");
    let store = place.open();
    assert_eq!(store.get("unit", &key("a")), Some(zeros));
    assert_eq!(store.get("unit", &key("b")), Some(Vec::new()));
    assert_eq!(store.get("unit", &key("c")), None);
    assert_eq!(store.get("report", &key("a")), None);
    assert_eq!(store.trouble(), None);
    // Zeros take no room.
    let size = fs::metadata(place.folder().join(blob::name("unit", &key("a"))));
    assert!(size.unwrap().len() < 1000);
    let ignored = fs::read_to_string(place.folder().join(".gitignore")).unwrap();
    assert_eq!(ignored, "*\n");
}

#[test]
fn another_build_sees_nothing_and_a_fresh_run_neither() {
    let place = Place::new();
    place.open().put("unit", &key("a"), b"one");
    let other = Store::open(place.0.path(), identity(2));
    assert_eq!(other.get("unit", &key("a")), None);
    let fresh = Store::open_fresh(place.0.path(), identity(1));
    assert_eq!(fresh.get("unit", &key("a")), None);
    fresh.put("unit", &key("a"), b"two");
    assert_eq!(
        place.open().get("unit", &key("a")).as_deref(),
        Some(&b"two"[..])
    );
}

#[test]
fn a_blob_in_the_place_of_another_is_not_there() {
    let place = Place::new();
    place.open().put("unit", &key("a"), b"one");
    place.open().put("unit", &key("b"), b"two");
    let at = |word| place.folder().join(blob::name("unit", &key(word)));
    fs::copy(at("a"), at("b")).unwrap();
    assert_eq!(place.open().get("unit", &key("b")), None);
    place.open().put("unit", &key("b"), b"two");
    assert!(place.open().get("unit", &key("b")).is_some());
}

#[test]
fn a_directory_in_the_way_is_overwritten() {
    let place = Place::new();
    let at = place.folder().join(blob::name("unit", &key("a")));
    fs::create_dir_all(at.join("inside")).unwrap();
    assert_eq!(place.open().get("unit", &key("a")), None);
    place.open().put("unit", &key("a"), b"one");
    assert!(place.open().get("unit", &key("a")).is_some());
}

proptest! {
    #[test]
    fn any_content_comes_back(content in proptest::collection::vec(any::<u8>(), 0..5000)) {
        let file = blob::encode(&content, &identity(1), "unit", &key("a"));
        prop_assert_eq!(blob::decode(&file, &identity(1), "unit", &key("a")), Some(content));
    }

    #[test]
    fn damage_is_seen(
        content in proptest::collection::vec(0u8..4, 0..500),
        at in any::<proptest::sample::Index>(),
        flip in 1u8..,
        cut in any::<proptest::sample::Index>(),
    ) {
        let whole = blob::encode(&content, &identity(1), "unit", &key("a"));
        let mut flipped = whole.clone();
        flipped[at.index(whole.len())] ^= flip;
        let mut longer = whole.clone();
        longer.push(flip);
        for file in [&flipped[..], &longer, &whole[..cut.index(whole.len())]] {
            prop_assert_eq!(blob::decode(file, &identity(1), "unit", &key("a")), None);
        }
    }
}

#[test]
fn what_no_recent_run_used_goes() {
    let place = Place::new();
    let store = place.open();
    store.put("unit", &key("old"), b"1");
    store.put("unit", &key("both"), b"2");
    store.finish(&key("run"));
    fs::write(place.folder().join("tmp-1"), "half").unwrap();
    fs::write(place.folder().join("foreign"), "file").unwrap();
    let store = place.open();
    assert!(store.get("unit", &key("both")).is_some());
    store.put("unit", &key("new"), b"3");
    store.finish(&key("run"));
    let mut expected = vec![
        ".gitignore".to_string(),
        "lock".to_string(),
        "users".to_string(),
        blob::name("manifest", &key("run")),
        blob::name("unit", &key("both")),
        blob::name("unit", &key("new")),
    ];
    expected.sort();
    assert_eq!(place.names(), expected);
}

#[test]
fn eight_questions_are_remembered() {
    let place = Place::new();
    for i in 0..10 {
        let store = place.open();
        store.put("unit", &key(&format!("unit {i}")), b"x");
        // The older a run, the older its manifest.
        for j in 0..i {
            let manifest = blob::name("manifest", &key(&format!("run {j}")));
            let Ok(file) = fs::File::options()
                .append(true)
                .open(place.folder().join(manifest))
            else {
                continue;
            };
            let age = std::time::Duration::from_secs(7200 - 60 * j);
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        store.finish(&key(&format!("run {i}")));
    }
    let left: Vec<u32> = (0..10)
        .filter(|i| {
            let name = blob::name("unit", &key(&format!("unit {i}")));
            place.names().contains(&name)
        })
        .collect();
    assert_eq!(left, [2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn a_blob_that_was_kept_without_reading_stays() {
    let place = Place::new();
    let store = place.open();
    store.put("unit", &key("a"), b"1");
    store.finish(&key("run"));
    let store = place.open();
    store.keep("unit", &key("a"));
    store.put("report", &key("r"), b"2");
    store.finish(&key("run"));
    assert!(place.open().get("unit", &key("a")).is_some());
}

#[test]
fn a_run_under_way_loses_nothing_to_one_that_ends() {
    let place = Place::new();
    let old = place.open();
    old.put("unit", &key("read"), b"0");
    old.put("unit", &key("unused"), b"0");
    old.finish(&key("second"));
    let (first, second) = (place.open(), place.open());
    first.put("unit", &key("a"), b"1");
    assert!(first.get("unit", &key("read")).is_some());
    second.put("unit", &key("b"), b"2");
    second.finish(&key("second"));
    assert!(first.get("unit", &key("a")).is_some());
    assert!(first.get("unit", &key("read")).is_some());
    first.finish(&key("first"));
    // The last one tidies up.
    let third = place.open();
    for word in ["a", "b", "read"] {
        assert!(third.get("unit", &key(word)).is_some(), "{word}");
    }
    assert_eq!(third.get("unit", &key("unused")), None);
}

#[test]
fn where_nothing_can_be_written_nothing_is_kept_and_that_is_said_once() {
    let place = Place::new();
    fs::write(place.folder(), "a file").unwrap();
    let store = place.open();
    store.put("unit", &key("a"), b"1");
    let said = store.trouble().unwrap();
    assert!(said.contains("cannot be written"), "{said}");
    store.put("unit", &key("b"), b"1");
    store.finish(&key("run"));
    assert_eq!(store.trouble().unwrap(), said);
    assert_eq!(store.get("unit", &key("a")), None);
}

#[test]
fn many_writers_at_once() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                let store = place.open();
                for i in 0..25 {
                    let word = format!("{writer} {i}");
                    store.put("unit", &key(&word), word.as_bytes());
                }
                store.finish(&key(&format!("run {writer}")));
                assert_eq!(store.trouble(), None);
            });
        }
    });
    let store = place.open();
    for writer in 0..4 {
        for i in 0..25 {
            let word = format!("{writer} {i}");
            assert_eq!(store.get("unit", &key(&word)), Some(word.into_bytes()));
        }
    }
}

/// A run that ends and finds itself alone deletes nothing of another one that has just begun.
#[test]
fn who_begins_while_another_ends_loses_nothing() {
    for _ in 0..40 {
        let place = Place::new();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let place = &place;
                scope.spawn(move || {
                    let store = place.open();
                    let word = writer.to_string();
                    store.put("unit", &key(&word), word.as_bytes());
                    store.finish(&key(&format!("run {writer}")));
                });
            }
        });
        let store = place.open();
        for writer in 0..8 {
            let word = writer.to_string();
            assert_eq!(store.get("unit", &key(&word)), Some(word.into_bytes()));
        }
    }
}

#[test]
fn the_parts_of_a_key_keep_apart() {
    let ab = Keyer::new("x").part("ab").part("c").key();
    let a = Keyer::new("x").part("a").part("bc").key();
    assert_ne!(ab, a);
    assert_ne!(
        Keyer::new("x").parts(["a"]).parts(["b"]).key(),
        Keyer::new("x").parts(["a", "b"]).parts([""; 0]).key()
    );
}
