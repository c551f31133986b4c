use super::*;
use expect_test::expect;

fn translated(text: &str) -> String {
    let all = translate(text, "m.model", Language::C).unwrap_or_else(|e| panic!("{e:?}"));
    // The first line is the same for all.
    all.split_once('\n').unwrap().1.to_string()
}

#[test]
fn a_relation_becomes_a_body() {
    let text = "#include <stddef.h>\nstatic int divide(int x, int y) where { OK: y != 0 && res == x / y, ERR: y == 0 }\nint other(void) { return 1; }\n";
    expect![[r##"
        # 1 "m.model"
        #include <stddef.h>
        __typeof_unqual__(int) __rigel_any_divide(void); static int divide(int x, int y) { __rigel_model();
        # 2 "m.model"
        if ((y == 0)) __rigel_fail("divide", "y == 0"); __typeof__(int) res = __rigel_any_divide();
        # 2 "m.model"
        __builtin_assume((y != 0 && res == x / y)); return res; }
        # 2 "m.model"

        int other(void) { return 1; }
    "##]]
    .assert_eq(&translated(text));
}

#[test]
fn room_is_asked_as_an_access_asks_it() {
    let text = "void update(int *a, int i, int v)\n  where { ERR: i < 0 || 4 * i + 4 > len(a) }";
    expect![[r##"
        # 1 "m.model"
        __attribute__((weak)) void update(int *a, int i, int v)
          { __rigel_model();
        # 2 "m.model"
        if ((i < 0)) __rigel_fail("update", "i < 0");
        # 2 "m.model"
        if ((4 * i + 4) > 0) { if (!(a)) __rigel_fail("update", "4 * i + 4 > len(a)"); __rigel_room(a, 4 * i + 4, "update", "4 * i + 4 > len(a)"); } }
        # 2 "m.model"
    "##]]
    .assert_eq(&translated(text));
}

#[test]
fn what_may_come_back_or_fail_is_a_choice_and_new_values_are_stored() {
    let text = "__attribute__((nonnull)) const char *take(char **at, size_t n) where {\n  OK: n < 9 && res == *at && new(*at) == *at + n,\n  ERR: n >= len(*at),\n  EXIT: n == 0 }";
    expect![[r##"
        # 1 "m.model"
        __typeof_unqual__(const char *) __rigel_any_take(void); __attribute__((weak)) __attribute__((nonnull)) const char *take(char **at, size_t n) { __rigel_model();
        # 3 "m.model"
        if (((n) + 1) > 0 && __rigel_any_choice()) { if (!(* at)) __rigel_fail("take", "n >= len(*at)"); __rigel_room(* at, (n) + 1, "take", "n >= len(*at)"); }
        # 4 "m.model"
        if ((n == 0) && __rigel_any_choice()) __rigel_exit(); __typeof__(const char *) res = __rigel_any_take(); __typeof__(* at) __rigel_new0; __rigel_any_memory((void *)&__rigel_new0, sizeof __rigel_new0);
        # 2 "m.model"
        __builtin_assume((n < 9 && res == * at && __rigel_new0 == * at + n)); (* at) = __rigel_new0; return res; }
        # 4 "m.model"
    "##]]
    .assert_eq(&translated(text));
}

#[test]
fn mistakes_say_where_and_what() {
    let mistake = |text: &str| {
        let wrong = translate(text, "m", Language::C).unwrap_err();
        format!("{}: {}", wrong.line, wrong.mistake)
    };
    expect![
        "2: `OKAY` begins no clause: these are `OK:`, `ERR:` and `EXIT:`, with commas between them"
    ]
    .assert_eq(&mistake("\nint f(void) where { OKAY: 1 }"));
    expect!["1: `where` stands behind the parameters of a function, as in `int f(int n) where { ERR: n == 0 }`"]
        .assert_eq(&mistake("int x where { OK: 1 }"));
    expect!["1: `where` without clauses (write `where { OK: …, ERR: … }`)"]
        .assert_eq(&mistake("int f(void) where { }"));
    expect!["1: `{` is not closed"].assert_eq(&mistake("int f(void) where { OK: 1"));
    expect!["1: `new(…)` is what is there when the function comes back: it belongs in `OK:`"]
        .assert_eq(&mistake("int f(int *p) where { ERR: new(*p) == 1 }"));
}

#[test]
fn a_word_is_no_clause_where_it_is_a_name() {
    let text = "int where(int where) { int where2 = where; return where2; }\n";
    let out = translated(text);
    assert!(out.ends_with(text), "{out}");
}
