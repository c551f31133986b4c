//! Model files: what functions do of which the program has no source, said by the user.
//!
//! A model file is C (or C++, by its ending) in which a function may have, instead of a body, the conditions under which it
//! comes back, fails, or ends the program (dual.txt §2, the primitives of Fig. 2):
//!
//! ```text
//! int divide(int x, int y) where { OK: y != 0 && res == x / y, ERR: y == 0 }
//! ```
//!
//! Such a function is given a body that does just that, in C, and the file is compiled like any other: types, macros and
//! names are clang's affair, and every engine sees a body like any other. What must not be the case is a call of
//! `__rigel_fail`, where a rule stands; what comes back is a call of a function that gives anything, and an assumption.
//! `len(p)` is the number of bytes from `p` to the end of its object, `new(e)` what is at `e` afterwards.
//!
//! If OK says with which inputs the function comes back, those that satisfy both OK and ERR may fail; else what satisfies ERR
//! fails. Without OK all that does not fail comes back, with anything.

mod clauses;
mod file;
mod tokens;

use crate::flags::Language;
use clauses::{Clauses, Formula};
pub use file::prepare;
use std::fmt::Write;
use tokens::{Kind, Token, tokens};

/// What is wrong with a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub line: u32,
    pub mistake: Mistake,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    #[error("`{0}` is not closed")]
    Unclosed(&'static str),
    #[error(
        "`where` stands behind the parameters of a function, as in `int f(int n) where {{ ERR: n == 0 }}`"
    )]
    NoFunction,
    #[error("`where` without clauses (write `where {{ OK: …, ERR: … }}`)")]
    NoClause,
    #[error(
        "`{0}` begins no clause: these are `OK:`, `ERR:` and `EXIT:`, with commas between them"
    )]
    NotAClause(String),
    #[error("`{0}:` without a condition")]
    Empty(String),
    #[error("`new(…)` is what is there when the function comes back: it belongs in `OK:`")]
    NewOutsideOk,
}

/// What the bodies use.
const PRELUDE: &str = "void __rigel_model(void); void __rigel_fail(const char *, const char *); \
    void __rigel_room(const void *, unsigned long, const char *, const char *); \
    __attribute__((noreturn)) void __rigel_exit(void); \
    __attribute__((const)) long __rigel_len(const volatile void *); \
    int __rigel_any_choice(void); void __rigel_any_memory(void *, unsigned long);";

/// The file as C that a compiler reads, with the lines of the original, which is called `name` in messages.
pub fn translate(text: &str, name: &str, language: Language) -> Result<String, Wrong> {
    let all = tokens(text)?;
    let name = quoted(name);
    let prelude = match language {
        Language::C => PRELUDE.to_string(),
        Language::Cxx => format!("extern \"C\" {{ {PRELUDE} }}"),
    };
    let mut out = format!("{prelude}\n# 1 {name}\n");
    let mut copied = 0;
    let mut begin = 0;
    let mut depth = 0;
    let mut at = 0;
    while let Some(token) = all.get(at) {
        let nesting = token.nesting();
        depth += nesting;
        if depth == 0 && (token.is("}") || token.is(";") || token.kind == Kind::Directive) {
            begin = at + 1;
        }
        let opens = all.get(at + 1).is_some_and(|t| t.is("{"));
        if depth == 0 && token.kind == Kind::Word && token.text == "where" && opens {
            let wrong = |mistake| Wrong {
                line: token.line,
                mistake,
            };
            let close = closing(&all, at + 1).ok_or(wrong(Mistake::Unclosed("{")))?;
            let head = Head::of(&all[begin..at]).ok_or(wrong(Mistake::NoFunction))?;
            let clauses = Clauses::parse(&all[at + 2..close], token.line)?;
            out.push_str(&text[copied..all[begin].at]);
            out.push_str(&head.before(language));
            out.push_str(&text[all[begin].at..token.at]);
            body(&mut out, &head, &clauses, &name)?;
            let _ = write!(out, "\n# {} {name}\n", all[close].line);
            copied = all[close].end();
            begin = close + 1;
            at = close;
        }
        at += 1;
    }
    out.push_str(&text[copied..]);
    Ok(out)
}

/// The token that closes what the one at this place opens.
fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0;
    (open..tokens.len()).find(|at| {
        depth += tokens[*at].nesting();
        depth == 0
    })
}

/// What stands before `where`.
struct Head<'t> {
    name: &'t str,
    /// The type of the result; none if there is none.
    result: Option<String>,
    is_static: bool,
}

/// Words before a function's type that say nothing of it.
const NOT_OF_TYPE: [&str; 7] = [
    "static",
    "extern",
    "inline",
    "__inline",
    "__inline__",
    "_Noreturn",
    "noreturn",
];

impl<'t> Head<'t> {
    fn of(tokens: &'t [Token<'t>]) -> Option<Head<'t>> {
        let mut depth = 0;
        let open = tokens.iter().rposition(|t| {
            depth += t.nesting();
            depth == 0
        })?;
        let (before, parameters) = tokens.split_at(open);
        let name = before.last().filter(|t| t.kind == Kind::Word)?;
        if !parameters.first()?.is("(") || !parameters.last()?.is(")") {
            return None;
        }
        let typed = &before[..before.len() - 1];
        let mut words = Vec::new();
        let mut at = 0;
        while let Some(word) = typed.get(at) {
            // An attribute, with its argument.
            match word.text {
                "[" => at = closing(typed, at)?,
                "__attribute__" | "__declspec" | "_Alignas" => at = closing(typed, at + 1)?,
                text if NOT_OF_TYPE.contains(&text) => {}
                text => words.push(text),
            }
            at += 1;
        }
        let result = words.join(" ");
        if result.is_empty() {
            return None;
        }
        Some(Head {
            name: name.text,
            result: Some(result).filter(|words| words != "void"),
            is_static: typed.iter().any(|t| t.text == "static"),
        })
    }

    /// What stands before the function. If the program defines it, that counts: a model is weak.
    fn before(&self, language: Language) -> String {
        let weak = match self.is_static {
            true => "",
            false => "__attribute__((weak)) ",
        };
        let Some(result) = &self.result else {
            return weak.to_string();
        };
        let name = self.name;
        let any = match language {
            Language::C => format!("__typeof_unqual__({result}) __rigel_any_{name}(void); "),
            Language::Cxx => {
                format!("extern \"C\" __remove_cv({result}) __rigel_any_{name}(void); ")
            }
        };
        any + weak
    }
}

/// The body that does what the clauses say.
fn body(out: &mut String, head: &Head<'_>, clauses: &Clauses<'_>, file: &str) -> Result<(), Wrong> {
    let function = quoted(head.name);
    out.push_str("{ __rigel_model();");
    for err in &clauses.err {
        let _ = write!(out, "\n# {} {file}\n", err.line());
        let text = quoted(&err.text());
        let choice = choice(err, &clauses.ok);
        let mut parts = err.split("&&");
        match parts.last().and_then(room) {
            Some((pointer, size)) => {
                parts.pop();
                let mut when = Vec::new();
                for part in &parts {
                    when.push(format!("({})", plain(part)?));
                }
                let (pointer, size) = (plain(&pointer)?, size.c()?);
                when.push(format!("({size}) > 0"));
                let when = when.join(" && ");
                let _ = write!(
                    out,
                    "if ({when}{choice}) {{ if (!({pointer})) __rigel_fail({function}, {text}); \
                     __rigel_room({pointer}, {size}, {function}, {text}); }}"
                );
            }
            None => {
                let condition = plain(err)?;
                let _ = write!(
                    out,
                    "if (({condition}){choice}) __rigel_fail({function}, {text});"
                );
            }
        }
    }
    for exit in &clauses.exit {
        let choice = choice(exit, &clauses.ok);
        let _ = write!(out, "\n# {} {file}\n", exit.line());
        let _ = write!(out, "if (({}){choice}) __rigel_exit();", plain(exit)?);
    }
    if let Some(result) = &head.result {
        let name = head.name;
        let _ = write!(out, " __typeof__({result}) res = __rigel_any_{name}();");
    }
    let mut new = Vec::new();
    let mut ok = Vec::new();
    for formula in &clauses.ok {
        ok.push(format!("({})", written(formula, Some(&mut new))?));
    }
    for (at, place) in new.iter().enumerate() {
        let _ = write!(
            out,
            " __typeof__({place}) __rigel_new{at}; __rigel_any_memory((void *)&__rigel_new{at}, sizeof __rigel_new{at});"
        );
    }
    if let Some(first) = clauses.ok.first() {
        let line = first.line();
        let _ = write!(
            out,
            "\n# {line} {file}\n__builtin_assume({});",
            ok.join(" || ")
        );
    }
    for (at, place) in new.iter().enumerate() {
        let _ = write!(out, " ({place}) = __rigel_new{at};");
    }
    if head.result.is_some() {
        out.push_str(" return res;");
    }
    out.push_str(" }");
    Ok(())
}

/// Inputs that satisfy both may do either, if OK says with which inputs it comes back.
fn choice(condition: &Formula<'_>, ok: &[Formula<'_>]) -> &'static str {
    match ok
        .iter()
        .all(|ok| !ok.is_of_inputs() || ok.excludes(condition))
    {
        true => "",
        false => " && __rigel_any_choice()",
    }
}

/// A size, and one more if that much is still too little.
struct Size<'t> {
    formula: Formula<'t>,
    more: bool,
}

impl Size<'_> {
    fn c(&self) -> Result<String, Wrong> {
        let text = plain(&self.formula)?;
        Ok(match self.more {
            true => format!("({text}) + 1"),
            false => text,
        })
    }
}

/// `len(p) < n`: so many bytes must be there. It is asked as every access asks it.
fn room<'t>(condition: &Formula<'t>) -> Option<(Formula<'t>, Size<'t>)> {
    let comparison = condition.comparison()?;
    let (pointer, formula, sign) = match comparison.left.length_of() {
        Some(pointer) => (pointer, comparison.right, comparison.sign),
        None => {
            let sign = match comparison.sign {
                ">" => "<",
                ">=" => "<=",
                _ => return None,
            };
            (comparison.right.length_of()?, comparison.left, sign)
        }
    };
    let more = match sign {
        "<" => false,
        "<=" => true,
        _ => return None,
    };
    Some((pointer, Size { formula, more }))
}

fn plain(formula: &Formula<'_>) -> Result<String, Wrong> {
    written(formula, None)
}

/// A condition in C; `new(e)` are variables, which are collected.
fn written(formula: &Formula<'_>, mut new: Option<&mut Vec<String>>) -> Result<String, Wrong> {
    let tokens = formula.tokens;
    let mut out = String::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let called = tokens.get(at + 1).is_some_and(|t| t.is("("));
        let close = match called && token.kind == Kind::Word {
            true => closing(tokens, at + 1),
            false => None,
        };
        match (token.text, close) {
            ("len", Some(_)) => out.push_str("__rigel_len"),
            ("new", Some(close)) => {
                let Some(new) = new.as_deref_mut() else {
                    return Err(Wrong {
                        line: token.line,
                        mistake: Mistake::NewOutsideOk,
                    });
                };
                let place = plain(&Formula {
                    tokens: &tokens[at + 2..close],
                })?;
                let known = new.iter().position(|p| *p == place);
                let index = known.unwrap_or_else(|| {
                    new.push(place);
                    new.len() - 1
                });
                let _ = write!(out, "__rigel_new{index}");
                at = close;
            }
            _ => out.push_str(token.text),
        }
        out.push(' ');
        at += 1;
    }
    out.truncate(out.trim_end().len());
    Ok(out)
}

/// A string literal.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests;
