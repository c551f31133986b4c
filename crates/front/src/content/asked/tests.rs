//! Which names a text asks for.

use super::*;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let asked = Words::own().asked(text.as_bytes()).unwrap_or_default();
    let mut said: Vec<String> = Vec::new();
    for name in &asked.names {
        let embed = if name.kind == Kind::Embed {
            "embed "
        } else {
            ""
        };
        said.push(match name.quoted {
            true => format!("{embed}\"{}\"", name.text),
            false => format!("{embed}<{}>", name.text),
        });
    }
    said.extend(asked.words.iter().map(|(word, _)| format!("word {word}")));
    said.extend(asked.computed.then(|| "computed".to_string()));
    expected.assert_eq(&said.join(", "));
}

#[test]
fn odd_spellings() {
    check(
        "\u{feff}#if __has_include(\"x.h\")\n",
        expect![[r#""x.h""#]],
    );
    check("\u{b}#if __has_include(\"x.h\")\n", expect![[r#""x.h""#]]);
    check(
        "int q;\r#if __has_include(\"x.h\")\r",
        expect![[r#""x.h""#]],
    );
    check("#if C(__has_,include)(\"x.h\")\n", expect!["computed"]);
    check("#if __has_builtin(__builtin_trap)\n", expect![""]);
}

#[test]
fn names() {
    check("#if __has_include(<a/b.h>)\n", expect!["<a/b.h>"]);
    check("# if __has_include ( \"a.h\" )", expect![[r#""a.h""#]]);
    check(
        "#if __has_include_next(<a.h>) && !__has_include(\"b.h\")\n",
        expect![[r#"<a.h>, "b.h""#]],
    );
    check(
        "#elif __has_embed(\"d.bin\" limit(1)) || __has_embed(<e>)\n",
        expect![[r#"embed "d.bin", embed <e>"#]],
    );
    check("%: if __has_include(<a//b.h>)\n", expect!["<a//b.h>"]);
    check(
        "#if defined(__has_include) && __has_include(<a.h>)\n",
        expect!["<a.h>"],
    );
    check("#define HAVE_A __has_include(<a.h>)\n", expect!["<a.h>"]);
}

#[test]
fn lines_that_go_on() {
    check(
        "#if defined(X) \\\n  && __has_in\\\r\nclude(\\ \n<a.h>)\n",
        expect!["<a.h>"],
    );
    check(
        "#if X /* a\n it's */ && __has_include(<a.h>)\n",
        expect!["<a.h>"],
    );
    check("/* a\n */ #if __has_include(<a.h>)\n", expect!["<a.h>"]);
    check(
        "/**/ # /**/ if __has_include/**/(/**/<a.h>)",
        expect!["<a.h>"],
    );
    // An empty line ends it.
    check(
        "#define X(a) \\\n\n#if __has_include(a)\n",
        expect!["computed"],
    );
    check("#if '\"' && __has_include(<a.h>) // \"\n", expect!["<a.h>"]);
    check("#if 1'000 && __has_include(<a.h>)\n", expect!["<a.h>"]);
}

#[test]
fn what_does_not_ask() {
    for text in [
        "#ifdef __has_include\n",
        "#if defined __has_include || defined ( __has_embed )\n",
        "#ifndef __has_include\n# define __has_include(x) 0\n#endif\n#undef __has_include\n",
        "int x = __has_include(A);\n",
        "// __has_include(A)\n/* with __has_include argument */\n",
        "#if X // __has_include(A)\n",
        "#if X /* __has_include(A) */\n",
        "#define TEXT \"__has_include(A)\"\n",
        "#if __has_builtin(x) && __has_include_none(A)\n",
        "#if my__has_include(A)\n",
        "#define NESTED(N) struct __has_##N \\\n : no {}; struct __has_##N<T> : yes {}\n",
    ] {
        assert_eq!(Words::own().asked(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn macros_that_hand_it_on() {
    check("#define HAS(x) __has_include(x)\n", expect!["word HAS"]);
    check(
        "#define HAS(...) (defined(__has_include) && __has_include(__VA_ARGS__))\n",
        expect!["word HAS"],
    );
    check("#define HAS __has_include\n", expect!["word HAS"]);
    let option = Words::own().asked_by_option("-DHAS(x)=__has_include(x)");
    let words = option.unwrap().words;
    assert_eq!(words, BTreeSet::from([("HAS".to_string(), Kind::Include)]));
    let words = Words::of(&words);
    let asked = words
        .asked(b"#if HAS(<a.h>)\n#ifdef HAS\n#if XHAS(y)\n")
        .unwrap();
    let names: Vec<&str> = asked.names.iter().map(|n| n.text.as_str()).collect();
    assert_eq!((names, asked.computed), (vec!["a.h"], false));
    assert!(words.asked(b"#if HAS(A_H)\n").unwrap().computed);
    assert_eq!(words.asked(b"int HAS(int);\n"), None);
}

#[test]
fn what_cannot_be_told() {
    for text in [
        "#if __has_include(A_H)\n",
        "#if __has_embed(DATA)\n",
        "#define HAS(a, b) __has_include(a)\n",
        "#define HAS(a) __has_include(A_H)\n",
        "#define HAS(lib) __has_include(<lib.h>)\n",
        "#if APPLY(__has_include, <a.h>)\n",
        "#if __has_include(<a.h\n",
        "#define HAS(x) __has_ ## x\n",
        "#define HAS(x, y) __has_##x(y)\n",
        "#define HAS(x, y) (__has_##x y)\n",
        "#if __h\\\nas_include(<a.h>)\n",
    ] {
        let asked = Words::own().asked(text.as_bytes()).unwrap_or_default();
        assert!(asked.computed, "{text}");
    }
    check("#define HAS(a) __has_include(\"a\")\n", expect![[r#""a""#]]);
}
