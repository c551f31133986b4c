use super::*;
use expect_test::{Expect, expect};

/// A rule around these states.
fn around(inner: &str) -> String {
    format!("rule mine \"it is wrong\" {{\n{inner}\n}}\n")
}

fn mistake(text: &str) -> String {
    match parse("a.rigel", text) {
        Ok(rules) => format!("{} rules", rules.len()),
        Err(mistake) => mistake.to_string(),
    }
}

/// What is wrong with each of these rules; the first line of a rule's states is line 2.
fn mistakes(rules: &[&str], expected: Expect) {
    let said: Vec<String> = rules
        .iter()
        .map(|inner| format!("{inner}\n    {}\n", mistake(&around(inner))))
        .collect();
    expected.assert_eq(&said.concat());
}

const LOCKS: &str = r#"
# What a comment says is not read: rule }
rule lock-discipline "a lock is taken and given back in turn" {
    severity warning // so far
    cwe 667, 764
    each l
    harmless log_*, printk
    start:
        spin_lock | spin_lock_irq(l) -> locked
        spin_trylock(l) != 0         -> locked
    locked "is locked": /* by whom? */
        spin_unlock(l) -> start
        spin_lock(l)   -> error "`{l}` is locked twice in {function}"
        return         -> error "`{l}` is \"still\" locked"
}
rule second "another one" { start: gets(...) -> error "never" }
"#;

#[test]
fn a_text_becomes_rules() {
    let rules = parse("locks.rigel", LOCKS).unwrap();
    let [locks, second] = &rules[..] else {
        panic!("{}", rules.len());
    };
    let meta = locks.meta();
    assert_eq!(meta.id, "lock-discipline");
    assert_eq!(meta.summary, "a lock is taken and given back in turn");
    assert_eq!(meta.severity, Severity::Warning);
    assert_eq!(meta.cwe, [667, 764]);
    assert!(meta.shown_by_default);
    assert!(meta.docs.contains("CWE-667; CWE-764"), "{}", meta.docs);
    assert!(meta.docs.contains("spin_trylock(l) != 0"), "{}", meta.docs);
    let [automaton] = locks.automata() else {
        panic!("{:?}", locks.automata());
    };
    assert_eq!(automaton.validate(), Ok(()));
    let told: Vec<&str> = automaton.states.iter().map(|s| s.told).collect();
    assert_eq!(told, ["is start", "is locked"]);
    let any_state = automaton.any_state.unwrap();
    assert!(any_state.each);
    assert_eq!(any_state.harmless, ["log_*", "printk"]);
    // What is written twice is one label.
    assert_eq!(
        (automaton.labels.len(), automaton.transitions.len()),
        (5, 5)
    );
    assert!(!second.automata()[0].any_state.unwrap().each);
    assert_eq!(second.meta().severity, Severity::Error);
}

#[test]
fn every_form_of_a_pattern_is_read() {
    for pattern in [
        "f(l)",
        "f(_, l, ...)",
        "f(...)",
        "f()",
        "f(l, 3, -1, 0x1f, NULL, \"text\")",
        "a | b_* | *_c | ns::Class::d(l)",
        "f(l) == 0",
        "f(l) != NULL",
        "f(l) < 0",
        "f(l) <= 0",
        "f(l) > 0",
        "f(l) >= 0",
        "l = f(_)",
        "*l",
        "* l",
        "return",
        "return l",
        "end",
        "calls",
        "calls except a, b_*",
        "ready = 1",
        "ready = _",
        "ready = NULL",
        "ready = l",
        "_ = l",
        "l->state = _",
        "_->next = l",
        "_->state = 2",
    ] {
        let text = around(&format!(
            "each l\nstart:\n  *l -> other\n  {pattern} -> error \"no\"\nother:"
        ));
        let said = mistake(&text);
        let twice = ["*l", "* l"].contains(&pattern);
        assert_eq!(said == "1 rules", !twice, "{pattern}: {said}");
    }
}

#[test]
fn mistakes_in_patterns() {
    mistakes(
        &[
            "start: f -> error \"no\"",
            "start: f( -> error \"no\"",
            "start: f(a) -> error \"no\"",
            "each l start: f(l -> error \"no\"",
            "each l start: f(l, l) -> error \"no\"",
            "each l start: l = f(l) -> error \"no\"",
            "each l start: l = 3 -> error \"no\"",
            "each l start: l = f() == 0 -> error \"no\"",
            "start: f(..., _) -> error \"no\"",
            "start: f() == 1 -> error \"no\"",
            "start: f() < NULL -> error \"no\"",
            "start: f(3x) -> error \"no\"",
            "start: *p -> error \"no\"",
            "start: return p -> error \"no\"",
            "each l start: m->x = _ -> error \"no\"",
            "each l start: l->x = l -> error \"no\"",
            "start: _ = _ -> error \"no\"",
            "start: a-b() -> error \"no\"",
            "start: **() -> error \"no\"",
            "start: a*b*() -> error \"no\"",
            "start: memcpy(...) -> error \"no\"",
            "start: 3 -> error \"no\"",
            "start: \"f\" -> error \"no\"",
            "start: calls except -> error \"no\"",
        ],
        expect![[r#"
            start: f -> error "no"
                2:8: `f` alone is no pattern (to call it is `f(...)`; a pattern is `f(l, _, ...)`, `l = f(...)`, `f(l) == 0`, `*l`, `name = _`, `l->field = _`, `return`, `return l`, `end` or `calls`)
            start: f( -> error "no"
                2:11: expected an argument, found `->` (`_` for any, `...` for all further ones, a value, a number, `NULL` or a text)
            start: f(a) -> error "no"
                2:10: nobody knows what `a` is (say `each a` before the states, or `_` for any value)
            each l start: f(l -> error "no"
                2:19: expected `,`, found `->` (arguments stand in parentheses, with `,` between them)
            each l start: f(l, l) -> error "no"
                2:20: a pattern speaks of the value once (put `_` for the other argument)
            each l start: l = f(l) -> error "no"
                2:21: a pattern speaks of the value once (put `_` for the other argument)
            each l start: l = 3 -> error "no"
                2:19: expected a call, found `3` (a value comes from a call: `l = open_it(...)`)
            each l start: l = f() == 0 -> error "no"
                2:23: what a call gives is followed only if it did not fail (leave the comparison out: a null pointer or a negative number is no value)
            start: f(..., _) -> error "no"
                2:13: expected `)`, found `,` (`...` stands for all further arguments, and comes last)
            start: f() == 1 -> error "no"
                2:15: a result is compared with 0, not with `1` (`== 0`, `!= 0`, `< 0`, `> 0`, `<= 0`, `>= 0`, `== NULL` or `!= NULL`)
            start: f() < NULL -> error "no"
                2:14: a result is compared with 0, not with `NULL` (`== 0`, `!= 0`, `< 0`, `> 0`, `<= 0`, `>= 0`, `== NULL` or `!= NULL`)
            start: f(3x) -> error "no"
                2:10: `3x` is no number (such as 3, -1 or 0x1f)
            start: *p -> error "no"
                2:8: nobody knows what `p` is (say `each p` before the states, or `_` for any value)
            start: return p -> error "no"
                2:15: nobody knows what `p` is (say `each p` before the states, or `_` for any value)
            each l start: m->x = _ -> error "no"
                2:15: nobody knows what `m` is (the value of this rule is called `l`; `_` stands for any other)
            each l start: l->x = l -> error "no"
                2:22: a pattern speaks of one value (put `_` on one of the sides)
            start: _ = _ -> error "no"
                2:12: every assignment would fit (name the variable: `ready = 1`)
            start: a-b() -> error "no"
                2:8: no function is called `a-b` (names of functions have no `-`)
            start: **() -> error "no"
                2:9: expected a value, found `*` (such as `*l`)
            start: a*b*() -> error "no"
                2:8: `a*b*` is no family of functions (one `*`, for any letters: `log_*`, `*_free`)
            start: memcpy(...) -> error "no"
                2:8: `memcpy` is no call when rigel reads it (the compiler makes an operation on memory of it: name a function of your own around it)
            start: 3 -> error "no"
                2:8: expected a pattern, found `3` (a pattern is `f(l, _, ...)`, `l = f(...)`, `f(l) == 0`, `*l`, `name = _`, `l->field = _`, `return`, `return l`, `end` or `calls`)
            start: "f" -> error "no"
                2:8: expected a pattern, found the text "f" (a pattern is `f(l, _, ...)`, `l = f(...)`, `f(l) == 0`, `*l`, `name = _`, `l->field = _`, `return`, `return l`, `end` or `calls`)
            start: calls except -> error "no"
                2:21: expected the name of a function, found `->` (such as `spin_lock` or `log_*`)
        "#]],
    );
}

#[test]
fn mistakes_in_states_and_settings() {
    mistakes(
        &[
            "",
            "start:",
            "start: f() -> strat",
            "start: f() -> nowhere",
            "start: f() -> other other: g() -> start",
            "start: f() -> error \"no\" other: g() -> start",
            "start: f() -> error \"no\" start: g() -> start",
            "start: f() -> error \"no\" f() -> start",
            "start: f() -> error",
            "start: f() error \"no\"",
            "start: f() -> 3",
            "start: f() -> error \"\"",
            "start: f() -> error \"no {l}\"",
            "each lock start: f(lock) -> error \"no {lok}\"",
            "each l start: f(l) -> error \"no {\"",
            "each l start: f(_) -> error \"no\"",
            "each l each m start: f(l) -> error \"no\"",
            "each l, m start: f(l) -> error \"no\"",
            "each return start: f(l) -> error \"no\"",
            "return: f() -> error \"no\"",
            "any: f() -> error \"no\"",
            "start: f() -> any any: g() -> error \"no\"",
            "start: any: f() -> start f() -> error \"no\"",
            "severity bad start: f() -> error \"no\"",
            "cwe x start: f() -> error \"no\"",
            "harmless 3 start: f() -> error \"no\"",
            "start: f() -> error \"no\" severity note",
            "f() -> error \"no\"",
            "start: f() -> error \"no",
            "start: f() -> error \"no\" /* ",
            "start: f() -> error \"no\" ä",
            "start: f() -> error \"no\" }",
        ],
        expect![[r#"

                1:6: the rule `mine` has no state (a state is `start:` with lines `pattern -> state` below it)
            start:
                1:6: the rule `mine` can find nothing (a line must lead to `error "message"`)
            start: f() -> strat
                2:15: there is no state `strat` (did you mean `start`?)
            start: f() -> nowhere
                2:15: there is no state `nowhere` (the states are start)
            start: f() -> other other: g() -> start
                1:6: the rule `mine` can find nothing (a line must lead to `error "message"`)
            start: f() -> error "no" other: g() -> start
                2:26: no line leads to the state `other` (the first state is `start`; the others need a `-> other`)
            start: f() -> error "no" start: g() -> start
                2:26: there are two states `start` (the first is in line 2)
            start: f() -> error "no" f() -> start
                2:26: `f()` stands twice in the state `start` (the first line that fits counts)
            start: f() -> error
                3:1: expected what is wrong, found `}` (in quotes, such as `error "`{l}` is locked twice"`)
            start: f() error "no"
                2:12: expected `->`, found `error` (behind a pattern stands `-> state` or `-> error "message"`)
            start: f() -> 3
                2:15: expected a state, or `error`, found `3` (`-> state` or `-> error "message"`)
            start: f() -> error ""
                2:8: the message is empty (say what is wrong)
            start: f() -> error "no {l}"
                2:8: the message has no `{l}` to say (`{function}` is the function)
            each lock start: f(lock) -> error "no {lok}"
                2:18: the message has no `{lok}` to say (did you mean `{lock}`?)
            each l start: f(l) -> error "no {"
                2:15: a `{` in the message is not closed (`{l}` is the value, `{function}` the function)
            each l start: f(_) -> error "no"
                2:6: no pattern speaks of `l` (leave `each l` out for a rule about the run as a whole)
            each l each m start: f(l) -> error "no"
                2:13: `l` is followed already (a rule follows one value; make two rules of it)
            each l, m start: f(l) -> error "no"
                2:7: a rule follows one value (make a rule for each of them)
            each return start: f(l) -> error "no"
                2:6: `return` is no name of a value (letters, digits and `_`, and none of the words of the language)
            return: f() -> error "no"
                2:1: `return` is no name of a state (letters, digits, `_` and `-`, and none of the words of the language)
            any: f() -> error "no"
                1:6: the rule `mine` has no state (a state is `start:` with lines `pattern -> state` below it)
            start: f() -> any any: g() -> error "no"
                2:15: there is no state `any` (the states are start)
            start: any: f() -> start f() -> error "no"
                2:26: `f()` stands twice in the state `any` (the first line that fits counts)
            severity bad start: f() -> error "no"
                2:10: `bad` is no severity (`error`, `warning` or `note`)
            cwe x start: f() -> error "no"
                2:5: expected a number, found `x` (such as `cwe 667`)
            harmless 3 start: f() -> error "no"
                2:10: expected the name of a function, found `3` (such as `spin_lock` or `log_*`)
            start: f() -> error "no" severity note
                2:26: `severity` stands among the lines of a state (say it before the first state)
            f() -> error "no"
                2:1: expected a state, found `f` (a state is `name:` with lines `pattern -> state` below it)
            start: f() -> error "no
                2:21: this text has no end (close it with `"` on the same line)
            start: f() -> error "no" /* 
                2:26: this comment has no end (close it with `*/`)
            start: f() -> error "no" ä
                2:26: `\u{e4}` has no meaning here (a comment begins with `#`, a text stands in double quotes)
            start: f() -> error "no" }
                3:1: expected a rule, found `}` (a rule is `rule some-id "what it finds" { … }`)
        "#]],
    );
}

#[test]
fn mistakes_around_rules() {
    let said: Vec<String> = [
        "lock \"no\" {}",
        "rule",
        "rule Mine \"no\" { start: f() -> error \"no\" }",
        "rule a--b \"no\" { start: f() -> error \"no\" }",
        "rule a { start: f() -> error \"no\" }",
        "rule a \" \" { start: f() -> error \"no\" }",
        "rule a \"no\" start: f() -> error \"no\"",
        "rule a \"no\" { start: f() -> error \"no\"",
        "rule double-free \"no\" { start: f() -> error \"no\" }",
        "rule a \"no\" { start: f() -> error \"no\" }\nrule a \"no\" { start: f() -> error \"no\" }",
        "rule a \"no\" { start: f() -> error \"no\" }\n@",
    ]
    .iter()
    .map(|text| format!("{text}\n    {}\n", mistake(text)))
    .collect();
    expect![[r#"
        lock "no" {}
            1:1: expected a rule, found `lock` (a rule is `rule some-id "what it finds" { … }`)
        rule
            1:5: expected the id of the rule, found the end of the file (such as `lock-discipline`)
        rule Mine "no" { start: f() -> error "no" }
            1:6: `Mine` is no id of a rule (lower-case words with `-` between them, such as `lock-discipline`)
        rule a--b "no" { start: f() -> error "no" }
            1:7: `-` has no meaning here (a comment begins with `#`, a text stands in double quotes)
        rule a { start: f() -> error "no" }
            1:8: expected what the rule finds, found `{` (one line in quotes, such as "a lock is taken twice")
        rule a " " { start: f() -> error "no" }
            1:6: it is not said what the rule finds (say it in quotes)
        rule a "no" start: f() -> error "no"
            1:13: expected `{`, found `start` (the states of the rule stand in braces)
        rule a "no" { start: f() -> error "no"
            1:39: the rule `a` has no end (close it with `}`)
        rule double-free "no" { start: f() -> error "no" }
            1:6: `double-free` is a rule of rigel's own (choose another id)
        rule a "no" { start: f() -> error "no" }
        rule a "no" { start: f() -> error "no" }
            2:6: there are two rules `a` (the first is in a.rigel:1)
        rule a "no" { start: f() -> error "no" }
        @
            2:1: `@` has no meaning here (a comment begins with `#`, a text stands in double quotes)
    "#]].assert_eq(&said.concat());
}

/// Whatever is left out, doubled or put elsewhere: there is a mistake or there are rules, and nothing breaks.
#[test]
fn no_text_breaks_the_parser() {
    let words: Vec<&str> = LOCKS.split_inclusive([' ', '\n', '(', ')']).collect();
    for at in 0..words.len() {
        for cut in [1, 2, 5] {
            let rest = words.get(at + cut..).unwrap_or_default();
            let _ = parse("a", &(words[..at].concat() + &rest.concat()));
            let _ = parse(
                "a",
                &(words[..at].concat() + words[at] + &words[at..].concat()),
            );
        }
        let _ = parse("a", &words[..at].concat());
        let _ = parse("a", &words[at..].concat());
    }
    for at in (0..LOCKS.len()).filter(|at| LOCKS.is_char_boundary(*at)) {
        let (before, behind) = LOCKS.split_at(at);
        let _ = parse("a", before);
        for symbol in [
            "*", "\"", "{", "->", "-", ":", "::", "ß", "\u{0}", "...", "=",
        ] {
            let _ = parse("a", &format!("{before}{symbol}{behind}"));
        }
    }
}

#[test]
fn rules_of_several_files_have_different_ids() {
    let file = |name: &str, id: &str| {
        let text = format!("\n rule {id} \"no\" {{ start: f() -> error \"no\" }}");
        (name.to_string(), text)
    };
    let said = |files: &[(String, String)]| read(files).map(|r| r.len());
    assert_eq!(said(&[file("a", "x"), file("b", "y")]), Ok(2));
    assert_eq!(
        said(&[file("a", "x"), file("b", "x")]).unwrap_err(),
        "b:2:7: there are two rules `x` (the first is in a:2)"
    );
    assert_eq!(
        said(&[file("a", "double-free")]).unwrap_err(),
        "a:2:7: `double-free` is a rule of rigel's own (choose another id)"
    );
    let many: Vec<_> = (0..101).map(|i| file("a", &format!("x{i}"))).collect();
    assert_eq!(
        said(&many).unwrap_err(),
        "a:2:7: there are more than 100 rules (leave some out)"
    );
}

#[test]
fn messages_say_what_is_known() {
    let parts = message::parts("`{l}` in {function}, {l}!", Some("l")).unwrap();
    assert_eq!(message::filled(&parts, "a->b", "f"), "`a->b` in f, a->b!");
    let happens = |pattern, each| message::happens(pattern, each, "&q->lock");
    assert_eq!(happens("lock(l,\n   _l)", Some("l")), "lock(&q->lock, _l)");
    assert_eq!(happens("return", Some("l")), "returns");
    assert_eq!(happens("end", None), "the program ends");
    assert_eq!(happens("init()", None), "init()");
}

#[test]
fn lines_of_every_state_and_what_is_new() {
    let text = around(
        "each l start: l = f() -> open any: g(l) -> error \"no\" h(l) -> start open: g(l) -> start",
    );
    let rules = parse("a.rigel", &text).unwrap();
    let all = rules[0].automata()[0].transitions;
    let said = |from, on| {
        all.iter()
            .find(|t| (t.from, t.on) == (from, on))
            .map(|t| t.to)
    };
    use crate::temporal::Target::{State, Told};
    // l = f(), g(l) and h(l), in the order in which they are met: first those of the states.
    assert_eq!((said(0, 0), said(1, 0)), (Some(State(1)), Some(State(1))));
    assert_eq!((said(0, 1), said(1, 1)), (Some(Told(0)), Some(State(0))));
    assert_eq!((said(0, 2), said(1, 2)), (Some(State(0)), Some(State(0))));
}
