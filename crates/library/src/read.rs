//! From TOML to functions: a table for each, a key for each thing that is said.

use crate::function::*;
use crate::problem::{Problem, Source, hint};
use crate::words::{self, MOST_ARGUMENTS, Wrong};
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'t> = Spanned<DeValue<'t>>;

const KEYS: &[&str] = &[
    "like",
    "also",
    "gives",
    "at_most",
    "writes",
    "comes_back",
    "jumps",
    "ends",
    "pure",
    "prints",
    "determined",
    "searches",
    "own",
    "leaves",
    "follows",
    "needs",
    "apart",
    "format",
    "keeps",
    "calls",
    "fails",
    "allocates",
    "opens",
    "releases",
    "uses",
    "locks",
    "tries",
    "unlocks",
    "makes_lock",
    "ends_lock",
];

/// What was read of one function: its text is looked at when all names are known.
struct Raw<'t> {
    source: Source<'t>,
    at: std::ops::Range<usize>,
    table: DeTable<'t>,
    /// The name that it stands under, if it is one of `also`.
    of: Option<String>,
}

/// Functions by name. `base`: those that `like` may name as well.
pub(crate) fn functions(
    files: &[(&str, &str)],
    base: &dyn Fn(&str) -> Option<Function>,
) -> Result<Vec<Function>, Problem> {
    let mut all: BTreeMap<String, Raw<'_>> = BTreeMap::new();
    for &(file, text) in files {
        gather(Source { file, text }, &mut all)?;
    }
    let mut read = BTreeMap::new();
    for name in all.keys() {
        function(name, &all, &mut read, base, 0)?;
    }
    Ok(read.into_values().collect())
}

fn gather<'t>(source: Source<'t>, all: &mut BTreeMap<String, Raw<'t>>) -> Result<(), Problem> {
    let table = DeTable::parse(source.text)
        .map_err(|e| source.problem(e.span().unwrap_or(0..0), e.message().to_string()))?;
    for (key, value) in table.into_inner() {
        let at = key.span();
        let name = key.into_inner().into_owned();
        let span = value.span();
        let DeValue::Table(table) = value.into_inner() else {
            return Err(source.problem(
                span,
                format!("`{name}` is no function: write `[{name}]` and what is known of it below"),
            ));
        };
        let mut names = Vec::new();
        if let Some(also) = table.get("also") {
            for value in items(also) {
                let other = value.get_ref().as_str().ok_or_else(|| {
                    source.problem(value.span(), "`also` is a list of names".to_string())
                })?;
                names.push((other.to_string(), value.span()));
            }
        }
        for (other, at) in names {
            let raw = Raw {
                source,
                at,
                table: DeTable::new(),
                of: Some(name.clone()),
            };
            add(other, raw, all)?;
        }
        let raw = Raw {
            source,
            at,
            table,
            of: None,
        };
        add(name, raw, all)?;
    }
    Ok(())
}

fn add<'t>(name: String, raw: Raw<'t>, all: &mut BTreeMap<String, Raw<'t>>) -> Result<(), Problem> {
    match all.get(&name) {
        Some(other) => {
            let there = other.source.problem(other.at.clone(), String::new());
            Err(raw.source.problem(
                raw.at.clone(),
                format!("`{name}` is there twice: see {}:{}", there.file, there.line),
            ))
        }
        None => {
            all.insert(name, raw);
            Ok(())
        }
    }
}

/// More steps of `like` are a circle.
const LONGEST_CHAIN: usize = 16;

/// Reads one function, and those before it that it is like.
fn function<'r>(
    name: &'r str,
    all: &'r BTreeMap<String, Raw<'_>>,
    read: &mut BTreeMap<&'r str, Function>,
    base: &dyn Fn(&str) -> Option<Function>,
    depth: usize,
) -> Result<(), Problem> {
    if read.contains_key(name) {
        return Ok(());
    }
    let Some(raw) = all.get(name) else {
        return Ok(());
    };
    let problem = |at, text| raw.source.problem(at, text);
    if depth > LONGEST_CHAIN {
        let text = format!("`{name}` is like itself, by others");
        return Err(problem(raw.at.clone(), text));
    }
    let like = match (&raw.of, raw.table.get("like")) {
        (Some(of), _) => Some((of.as_str(), raw.at.clone())),
        (None, Some(like)) => {
            let of = like.get_ref().as_str();
            let of = of.ok_or_else(|| {
                let text = "`like` is the name of a function".to_string();
                problem(like.span(), text)
            })?;
            Some((of, like.span()))
        }
        (None, None) => None,
    };
    let mut f = match like {
        None => Function::default(),
        Some((of, _)) if all.contains_key(of) && of != name => {
            function(of, all, read, base, depth + 1)?;
            read.get(of).cloned().unwrap_or_default()
        }
        Some((of, at)) => base(of).ok_or_else(|| {
            let others = all.keys().map(String::as_str).filter(|o| *o != name);
            let hint = hint(of, others);
            problem(at, format!("nothing is known of `{of}`{hint}"))
        })?,
    };
    f.name = name.to_string();
    for (key, value) in &raw.table {
        let said = key.get_ref().as_ref();
        if !KEYS.contains(&said) {
            let hint = hint(said, KEYS.iter().copied());
            let text = format!("a model says nothing by `{said}`{hint}");
            return Err(problem(key.span(), text));
        }
        say(&mut f, said, value)
            .map_err(|text| problem(value.span(), format!("`{said}` of `{name}`: {text}")))?;
    }
    conclude(&mut f);
    if let Some(text) = contradiction(&f) {
        return Err(problem(raw.at.clone(), format!("`{name}`: {text}")));
    }
    read.insert(name, f);
    Ok(())
}

/// What follows from what is said.
fn conclude(f: &mut Function) {
    let ends = f.comes_back == Some(false);
    if f.writes.is_none() && (ends || f.pure) {
        f.writes = Some(Writes::Nothing);
    }
    if f.comes_back.is_none() && f.writes.is_some() {
        f.comes_back = Some(true);
    }
    f.determined |= f.pure || f.prints;
}

fn contradiction(f: &Function) -> Option<&'static str> {
    let writes = f.writes.unwrap_or(Writes::Nothing) != Writes::Nothing;
    let comes_back = f.comes_back != Some(false);
    let reads_only = |need: &Need| !matches!(need.what, Needed::Write(_));
    let gives_null = match f.gives {
        Gives::PointerOrNull | Gives::Anything => true,
        Gives::Memory { or_null, .. } => or_null,
        _ => false,
    };
    if f.pure && writes {
        Some("it cannot be pure and write")
    } else if f.writes == Some(Writes::Nothing) && !f.needs.iter().all(reads_only) {
        Some("it needs something to write to, but writes nothing")
    } else if f.jumps && comes_back {
        Some("who jumps does not come back")
    } else if f.ends_thread && comes_back {
        Some("who ends the thread does not come back")
    } else if !comes_back && f.gives != Gives::Anything {
        Some("it does not come back, and gives something")
    } else if f.searches && f.gives != Gives::PointerOrNull {
        Some("who searches gives a pointer or null")
    } else if f.fails == Some(Failure::Null) && !gives_null {
        Some("it fails with null, but never gives it")
    } else {
        None
    }
}

fn say(f: &mut Function, key: &str, value: &Value<'_>) -> Result<(), Wrong> {
    match key {
        "like" | "also" => {}
        "gives" => f.gives = words::gives(text(value)?)?,
        "at_most" => f.at_most = Some(position(value)?),
        "writes" => {
            f.writes = Some(one_of(
                text(value)?,
                &[
                    ("nothing", Writes::Nothing),
                    ("arguments", Writes::Arguments),
                    ("input", Writes::Input),
                    ("anything", Writes::Anything),
                ],
            )?);
        }
        "comes_back" => f.comes_back = Some(truth(value)?),
        "jumps" => {
            f.jumps = truth(value)?;
            if f.jumps {
                f.comes_back = f.comes_back.or(Some(false));
            }
        }
        "ends" => {
            f.ends_thread = one_of(text(value)?, &[("thread", true), ("program", false)])?;
            f.comes_back = f.comes_back.or(Some(false));
        }
        "pure" => f.pure = truth(value)?,
        "prints" => f.prints = truth(value)?,
        "determined" => f.determined = truth(value)?,
        "searches" => f.searches = truth(value)?,
        "own" => f.own = truth(value)?,
        "leaves" => {
            let all = text(value)?;
            let (wide, what) = match all.strip_prefix("wide ") {
                Some(what) => (true, what),
                None => (false, all),
            };
            let what = one_of(what, LEFT)?;
            f.leaves = Some(Leaves { what, wide });
        }
        "follows" => f.follows = positions(value)?,
        "keeps" => f.keeps = positions(value)?,
        "calls" => f.calls = positions(value)?,
        "needs" => f.needs = items(value).map(need).collect::<Result<_, _>>()?,
        "apart" => match positions(value)?[..] {
            [a, b] if a != b => f.apart = Some((a, b)),
            _ => return Err("two arguments, as in [0, 1]".to_string()),
        },
        "format" => f.format = Some(format_of(value)?),
        "fails" => {
            f.fails = Some(one_of(
                text(value)?,
                &[
                    ("null", Failure::Null),
                    ("all ones", Failure::AllOnes),
                    ("negative", Failure::Negative),
                    ("nonzero", Failure::NonZero),
                    ("throws", Failure::Throws),
                ],
            )?);
        }
        "allocates" => f.allocates = items(value).map(allocation).collect::<Result<_, _>>()?,
        "opens" => f.opens = items(value).map(allocation).collect::<Result<_, _>>()?,
        "releases" => f.releases = items(value).map(release).collect::<Result<_, _>>()?,
        "uses" => f.uses = items(value).map(used).collect::<Result<_, _>>()?,
        "locks" => lock(f, value, Locking::Locks)?,
        "tries" => lock(f, value, Locking::Tries)?,
        "unlocks" => lock(f, value, Locking::Unlocks)?,
        "makes_lock" => lock(f, value, Locking::Makes)?,
        "ends_lock" => lock(f, value, Locking::Ends)?,
        _ => return Err("unknown".to_string()),
    }
    Ok(())
}

fn lock(f: &mut Function, value: &Value<'_>, does: Locking) -> Result<(), Wrong> {
    let argument = position(value)?;
    f.locks.push(Lock { argument, does });
    Ok(())
}

fn need(value: &Value<'_>) -> Result<Need, Wrong> {
    let mut fields = Fields::of(
        value,
        &["arg", "read", "write", "string", "most", "or_null"],
    )?;
    let argument = fields.position("arg")?;
    let or_null = fields.optional("or_null").map(truth).transpose()?;
    let sized =
        |value: Option<&Value<'_>>| -> Result<Option<Size>, Wrong> { value.map(size).transpose() };
    let read = sized(fields.optional("read"))?;
    let write = sized(fields.optional("write"))?;
    let most = sized(fields.optional("most"))?;
    let string = fields.optional("string");
    let what = match (read, write, string) {
        (Some(size), None, None) => Needed::Read(size),
        (None, Some(size), None) => Needed::Write(size),
        (None, None, Some(string)) => Needed::String {
            wide: match string.get_ref() {
                DeValue::Boolean(true) => false,
                DeValue::String(text) if text == "wide" => true,
                _ => return Err("`string` is true or \"wide\"".to_string()),
            },
            most: most.clone(),
        },
        _ => {
            return Err(
                "one of `read = \"SIZE\"`, `write = \"SIZE\"` and `string = true`".to_string(),
            );
        }
    };
    if most.is_some() && string.is_none() {
        return Err("`most` is for strings".to_string());
    }
    Ok(Need {
        argument,
        what,
        or_null: or_null.unwrap_or(false),
    })
}

fn size(value: &Value<'_>) -> Result<Size, Wrong> {
    match value.get_ref() {
        DeValue::Integer(_) => Ok(Size::Constant(number(value)?)),
        _ => words::size(text(value)?),
    }
}

fn format_of(value: &Value<'_>) -> Result<Format, Wrong> {
    let mut fields = Fields::of(value, &["arg", "kind", "first"])?;
    Ok(Format {
        argument: fields.position("arg")?,
        kind: one_of(
            fields.text("kind")?,
            &[
                ("printf", FormatKind::Printf),
                ("scanf", FormatKind::Scanf),
                ("strftime", FormatKind::Strftime),
            ],
        )?,
        first: fields.optional("first").map(position).transpose()?,
    })
}

const LEFT: &[(&str, Left)] = &[
    ("copy", Left::Copy),
    ("append", Left::Append),
    ("copy up to", Left::CopyUpTo),
    ("append up to", Left::AppendUpTo),
    ("line", Left::Line),
    ("filled", Left::Filled),
];

const KINDS: &[(&str, Kind)] = &[
    ("malloc", Kind::Malloc),
    ("new", Kind::New),
    ("new[]", Kind::NewArray),
    ("kmalloc", Kind::Kmalloc),
    ("array", Kind::Array),
    ("stream", Kind::Stream),
    ("pipe", Kind::Pipe),
    ("descriptor", Kind::Descriptor),
    ("directory", Kind::Directory),
    ("mapping", Kind::Mapping),
];

fn allocation(value: &Value<'_>) -> Result<Allocation, Wrong> {
    if let DeValue::String(text) = value.get_ref() {
        return Ok(Allocation {
            of: one_of(text, KINDS)?,
            at: Where::Result,
        });
    }
    let mut fields = Fields::of(value, &["of", "arg", "behind"])?;
    let of = one_of(fields.text("of")?, KINDS)?;
    let at = match (fields.optional("arg"), fields.optional("behind")) {
        (Some(at), None) => Where::Argument(position(at)?),
        (None, Some(at)) => Where::Behind(position(at)?),
        (None, None) => Where::Result,
        (Some(_), Some(_)) => return Err("either `arg` or `behind`".to_string()),
    };
    Ok(Allocation { of, at })
}

fn release(value: &Value<'_>) -> Result<Release, Wrong> {
    let mut fields = Fields::of(value, &["arg", "of", "when"])?;
    let when = fields.optional("when").map(text).transpose()?;
    Ok(Release {
        argument: fields.position("arg")?,
        of: one_of(fields.text("of")?, KINDS)?,
        when: match when {
            None => When::Always,
            Some(when) => one_of(when, &[("zero", When::Zero), ("not zero", When::NotZero)])?,
        },
    })
}

fn used(value: &Value<'_>) -> Result<Use, Wrong> {
    let mut fields = Fields::of(value, &["arg", "of"])?;
    Ok(Use {
        argument: fields.position("arg")?,
        of: one_of(fields.text("of")?, KINDS)?,
    })
}

/// The keys of an inline table.
struct Fields<'v, 't> {
    table: &'v DeTable<'t>,
}

impl<'v, 't> Fields<'v, 't> {
    fn of(value: &'v Value<'t>, keys: &[&str]) -> Result<Self, Wrong> {
        let table = value.get_ref().as_table().ok_or_else(|| {
            format!(
                "a table is expected, as in {{ {} = … }}",
                keys.join(" = …, ")
            )
        })?;
        for key in table.keys() {
            let key = key.get_ref().as_ref();
            if !keys.contains(&key) {
                let hint = hint(key, keys.iter().copied());
                return Err(format!("there is no `{key}` here{hint}"));
            }
        }
        Ok(Fields { table })
    }

    fn optional(&mut self, key: &str) -> Option<&'v Value<'t>> {
        self.table.get(key)
    }

    fn required(&mut self, key: &str) -> Result<&'v Value<'t>, Wrong> {
        self.table
            .get(key)
            .ok_or_else(|| format!("`{key}` is missing"))
    }

    fn position(&mut self, key: &str) -> Result<usize, Wrong> {
        position(self.required(key)?)
    }

    fn text(&mut self, key: &str) -> Result<&'v str, Wrong> {
        text(self.required(key)?)
    }
}

/// One thing, or a list of them.
fn items<'v, 't>(value: &'v Value<'t>) -> impl Iterator<Item = &'v Value<'t>> {
    let (list, one) = match value.get_ref() {
        DeValue::Array(list) => (Some(list), None),
        _ => (None, Some(value)),
    };
    list.into_iter().flatten().chain(one)
}

fn text<'v>(value: &'v Value<'_>) -> Result<&'v str, Wrong> {
    let found = value.get_ref().as_str();
    found.ok_or_else(|| format!("a text is expected, not {}", value.get_ref().type_str()))
}

fn truth(value: &Value<'_>) -> Result<bool, Wrong> {
    let found = value.get_ref().as_bool();
    found.ok_or_else(|| "true or false".to_string())
}

fn number(value: &Value<'_>) -> Result<u64, Wrong> {
    let found = value.get_ref().as_integer();
    let found = found.and_then(|n| u32::from_str_radix(n.as_str(), n.radix()).ok());
    found
        .map(u64::from)
        .ok_or_else(|| "a number is expected that is not negative".to_string())
}

fn position(value: &Value<'_>) -> Result<usize, Wrong> {
    match number(value)? as usize {
        at if at < MOST_ARGUMENTS => Ok(at),
        at => Err(format!("no function has an argument {at}")),
    }
}

fn positions(value: &Value<'_>) -> Result<Vec<usize>, Wrong> {
    items(value).map(position).collect()
}

fn one_of<T: Copy>(word: &str, words: &[(&str, T)]) -> Result<T, Wrong> {
    let found = words.iter().find(|(w, _)| *w == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let all: Vec<String> = words.iter().map(|(w, _)| format!("\"{w}\"")).collect();
        let hint = hint(word, words.iter().map(|(w, _)| *w));
        format!("\"{word}\" is none of {}{hint}", all.join(", "))
    })
}
