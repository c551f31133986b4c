//! The built-in models are right in themselves; what is wrong with a user's is said in one line.

use library::{Allocation, Failure, Gives, Kind, Library, When, Where, Writes};

#[test]
fn the_built_in_models_are_right() {
    let library = Library::read_built_in().unwrap_or_else(|problem| panic!("{problem}"));
    assert!(library.functions().count() >= 300);
    let strlen = library.function("strlen").unwrap();
    assert!(strlen.pure && strlen.determined && strlen.is_modelled());
    assert_eq!(strlen.range(), Some((0, library::Longest::OBJECT)));
    assert_eq!(
        library.function("realloc").unwrap().frees(),
        Some((0, When::NotZero))
    );
    // An entry of a function's own comes before its family's.
    let nondet = |name: &str| library.function(name).unwrap().gives.clone();
    assert_eq!(nondet("__VERIFIER_nondet_bool"), Gives::Input(0, 1));
    assert_eq!(nondet("__VERIFIER_nondet_float"), Gives::Anything);
    assert_eq!(nondet("__rigel_any_f"), Gives::Input(i64::MIN, i64::MAX));
    assert!(library.function("pthread_setname_np").unwrap().comes_back == Some(true));
    assert!(library.function("my_malloc").is_none());
    assert!(library.named(|f| f.jumps).contains(&"longjmp"));
}

/// How long it takes to read them, for whoever wants to know: `cargo test -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn time_to_read() {
    for _ in 0..5 {
        let start = std::time::Instant::now();
        let count = Library::read_built_in().map(|library| library.functions().count());
        eprintln!("{count:?} functions in {:?}", start.elapsed());
    }
}

#[test]
fn users_add_and_replace() {
    let first = "
[my_alloc]
like = 'malloc'
gives = 'memory(arg 1) or null'

[my_free]
writes = 'nothing'
releases = { arg = 1, of = 'malloc' }

[fatal]
comes_back = false

[strlen]
writes = 'anything'
";
    let second = "[my_new]\nlike = 'my_alloc'\nfails = 'null'";
    let library = Library::with(&[("a.toml", first), ("b.toml", second)]).unwrap();
    let f = |name: &str| library.function(name).unwrap();
    let memory = [Allocation {
        of: Kind::Malloc,
        at: Where::Result,
    }];
    assert_eq!(f("my_alloc").allocates, memory);
    assert_eq!(f("my_new").allocates, memory);
    assert_eq!(f("my_new").fails, Some(Failure::Null));
    assert_eq!(f("my_free").frees(), Some((1, When::Always)));
    assert_eq!(f("fatal").comes_back, Some(false));
    // All of it is replaced.
    assert_eq!(f("strlen").writes, Some(Writes::Anything));
    assert!(!f("strlen").pure && f("strlen").follows.is_empty());
}

#[test]
fn what_is_wrong_is_said() {
    let said = |text: &str| Library::with(&[("m.toml", text)]).unwrap_err().to_string();
    let all = [
        (
            "[f]\ngive = 'pointer'",
            "m.toml:2: a model says nothing by `give` (did you mean `gives`?)",
        ),
        (
            "[f]\ngives = 'nil'",
            "m.toml:2: `gives` of `f`: `nil` is nothing that a call gives; try \"anything\", \"pointer or null\", \"number 0..\", \"memory(arg 0) or null\" or \"arg 0\"",
        ),
        (
            "[f]\nwrites = 'argument'",
            "m.toml:2: `writes` of `f`: \"argument\" is none of \"nothing\", \"arguments\", \"input\", \"anything\" (did you mean `arguments`?)",
        ),
        (
            "\n\n[f]\npure = true\nwrites = 'input'",
            "m.toml:3: `f`: it cannot be pure and write",
        ),
        (
            "[f]\nlike = 'mallok'",
            "m.toml:2: nothing is known of `mallok`",
        ),
        (
            "[f]\nlike = 'g'\n[g]\nlike = 'f'",
            "m.toml:3: `g` is like itself, by others",
        ),
        ("[f]\nlike = 'f'", "m.toml:2: nothing is known of `f`"),
        (
            "[f]\nalso = ['g']\n[g]\npure = true",
            "m.toml:3: `g` is there twice: see m.toml:2",
        ),
        (
            "f = 1",
            "m.toml:1: `f` is no function: write `[f]` and what is known of it below",
        ),
        (
            "[f]\nreleases = { arg = 0 }",
            "m.toml:2: `releases` of `f`: `of` is missing",
        ),
        (
            "[f]\nreleases = { arg = 0, of = 'heap' }",
            "m.toml:2: `releases` of `f`: \"heap\" is none of \"malloc\", \"new\", \"new[]\", \"kmalloc\", \"array\", \"stream\", \"pipe\", \"descriptor\", \"directory\", \"mapping\"",
        ),
        (
            "[f]\nneeds = { arg = 0, write = 'arg 1 +' }\nwrites='arguments'",
            "m.toml:2: `needs` of `f`: a size is missing at the end",
        ),
        (
            "[f]\nneeds = { arg = 0, write = 'arg 1' }\nwrites='nothing'",
            "m.toml:1: `f`: it needs something to write to, but writes nothing",
        ),
        (
            "[f]\nfollows = -1",
            "m.toml:2: `follows` of `f`: a number is expected that is not negative",
        ),
        (
            "[f]\nfollows = 64",
            "m.toml:2: `follows` of `f`: no function has an argument 64",
        ),
        ("[f]\nfollows = [0", "m.toml:2: "),
        ("[f]\n[f]", "m.toml:2: "),
        (
            "[f]\ncomes_back = false\ngives = 'pointer'",
            "m.toml:1: `f`: it does not come back, and gives something",
        ),
    ];
    for (text, problem) in all {
        let said = said(text);
        match problem.ends_with(' ') {
            true => assert!(said.starts_with(problem), "{said}"),
            false => assert_eq!(said, problem),
        }
    }
}
