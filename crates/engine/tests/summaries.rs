//! What a caller may still believe after a call: the statements of the callee decide, whatever form
//! the pointer has through which they write.

use engine::{Settings, analyze};

/// Is the check in `main`, behind a call of `g(c, &x, &y)` with this body, proved?
fn x_is_still_one(g: &str) -> bool {
    let text = format!(
        "unit \"a.c\"
        global kept: i32* = zero
        fn g(c: i32, p: i32*, q: i32*) -> void {{ {g} }}
        fn f(c: i32) -> void {{
            var x: i32, y: i32
            0: declare x
            1: declare y
            2: x = 1
            3: y = 1
            4: call g(c, &x, &y)
            5: call h()
            6: check assertion x == 1
            7: exit
        }}
        extern fn h() -> void"
    );
    let program = ir::text::parse(&text).unwrap();
    let counts = analyze(&program, &Settings::default(), &|| {}).counts;
    assert_eq!(counts.checks, 1);
    counts.proved == 1
}

#[test]
fn what_is_not_handed_over_stays() {
    assert!(x_is_still_one("0: *q = 2 1: exit"));
    assert!(!x_is_still_one("0: *p = 2 1: exit"));
}

#[test]
fn a_choice_of_pointers_is_written_through_both() {
    assert!(!x_is_still_one("0: *(c != 0 ? p : q) = 2 1: exit"));
    assert!(!x_is_still_one("0: *(c != 0 ? q : p) = 2 1: exit"));
}

#[test]
fn a_choice_that_is_kept_may_be_written_later() {
    assert!(!x_is_still_one("0: kept = c != 0 ? q : p 1: exit"));
    assert!(x_is_still_one("0: kept = q 1: exit"));
}

#[test]
fn an_address_that_is_rounded_is_still_the_address() {
    assert!(!x_is_still_one(
        "0: *(i32*)((u64)p & 18446744073709551612) = 2 1: exit"
    ));
}
