//! A copy of the cases from which nothing can be read but the code: no comments, no telling names, line for line.
//!
//! The corpora say in names and comments what is wrong where: `CWE476_..._bad`, `/* FLAW: */`, `01.w_Defects`, `#ifndef OMITBAD`. What
//! a tool is given has none of that; its reports are then translated back to the files of the corpus.

use super::cases::{Sample, Unit, extension, folder, stem};
use super::layout::{below, names};
use super::source::{Kind, blanks, pieces};
use crate::pattern::pattern;
use anyhow::Context;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

pattern!(WORD, r"\w+");
pattern!(GUARD, r"^\s*#\s*(ifndef|ifdef|if|endif)\b\s*(\w*)");
pattern!(JULIET, r"(?i)good|bad|CWE\d");
pattern!(OTHER, r"(?i)good|bad|defect|flaw");

/// The units of the copy, with the ids of those that they are copies of.
pub struct Disguised {
    pub units: Vec<Unit>,
    /// From the files of the copy to those of the corpus.
    back: BTreeMap<String, String>,
}

impl Disguised {
    /// The file of the corpus that a file of the copy is made of.
    pub fn original<'a>(&'a self, file: &'a str) -> &'a str {
        self.back.get(file).map_or(file, String::as_str)
    }
}

pub fn disguise(sample: &Sample, root: &Path, copy: &Path) -> anyhow::Result<Disguised> {
    match sample {
        Sample::Juliet(_) => juliet(sample, root, copy),
        Sample::Itc(_) => tree(sample, root, copy, &stems(root)?),
        Sample::Verisec(_) => tree(sample, root, copy, &BTreeSet::new()),
        Sample::Svcomp(_) => Ok(Disguised {
            units: Vec::new(),
            back: BTreeMap::new(),
        }),
    }
}

/// Each case in a folder of its own, with its own header.
fn juliet(sample: &Sample, root: &Path, copy: &Path) -> anyhow::Result<Disguised> {
    let names_of = Names::new(&JULIET, BTreeSet::new());
    for name in names(&root.join("testcasesupport"))? {
        let file = format!("testcasesupport/{name}");
        if root.join(&file).is_file() {
            names_of.copy(&root.join(&file), &copy.join(&file))?;
        }
    }
    let mut back = BTreeMap::new();
    let mut units = Vec::new();
    for unit in sample.units() {
        let own = format!("t/{}", hidden(&unit.id));
        let header = unit
            .files
            .first()
            .map(|file| format!("{}/{}.h", folder(file), unit.id));
        let header = header.filter(|header| root.join(header).is_file());
        let mut files = Vec::new();
        for file in unit.files.iter().chain(&header) {
            let target = format!("{own}/{}.{}", hidden(stem(file)), extension(file));
            names_of.copy(&root.join(file), &copy.join(&target))?;
            back.insert(target.clone(), file.clone());
            if extension(file) != "h" {
                files.push(target);
            }
        }
        units.push(Unit {
            id: unit.id,
            files,
            include: vec!["testcasesupport".to_string(), own],
            flags: unit.flags,
        });
    }
    Ok(Disguised { units, back })
}

/// The whole tree, since files include each other by relative paths; the cases and the topmost folders are renamed.
fn tree(
    sample: &Sample,
    root: &Path,
    copy: &Path,
    telling: &BTreeSet<String>,
) -> anyhow::Result<Disguised> {
    let names_of = Names::new(&OTHER, telling.clone());
    let units = sample.units();
    let cases: BTreeSet<&String> = units.iter().flat_map(|unit| &unit.files).collect();
    let tops: BTreeSet<&str> = units
        .iter()
        .flat_map(|unit| unit.files.iter().chain(&unit.include))
        .filter_map(|path| path.split('/').next())
        .collect();
    let moved = |file: &str| {
        let (top, rest) = file.split_once('/').unwrap_or((file, ""));
        let top = if OTHER.is_match(top) || top.contains("Defects") {
            hidden(top)
        } else {
            top.to_string()
        };
        format!("{top}/{rest}").trim_end_matches('/').to_string()
    };
    let mut back = BTreeMap::new();
    for top in tops.into_iter().filter(|top| root.join(top).is_dir()) {
        for file in below(root, top)? {
            let is_case = cases.contains(&file);
            if !is_case && !matches!(extension(&file), "h" | "inc" | "def" | "c") {
                continue;
            }
            let mut target = moved(&file);
            if is_case {
                target = format!("{}/{}.{}", folder(&target), hidden(&file), extension(&file));
                back.insert(target.clone(), file.clone());
            }
            names_of.copy(&root.join(&file), &copy.join(&target))?;
        }
    }
    let forward: BTreeMap<&String, &String> =
        back.iter().map(|(copy, file)| (file, copy)).collect();
    let renamed = |unit: Unit| Unit {
        files: unit
            .files
            .iter()
            .filter_map(|file| forward.get(file).map(ToString::to_string))
            .collect(),
        include: unit.include.iter().map(|folder| moved(folder)).collect(),
        ..unit
    };
    let units = units.into_iter().map(renamed).collect();
    Ok(Disguised { units, back })
}

/// The names of ITC's files: what they are about is part of the names within them.
fn stems(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut stems = BTreeSet::new();
    for folder in names(root)?
        .into_iter()
        .filter(|name| name.contains("Defects"))
    {
        let files = names(&root.join(folder))?.into_iter();
        stems.extend(
            files
                .map(|file| stem(&file).to_string())
                .filter(|stem| stem.contains('_')),
        );
    }
    Ok(stems)
}

/// What takes the place of a name: the same for the same name. Of letters that make no word which tells something.
fn hidden(name: &str) -> String {
    const LETTERS: [char; 16] = [
        'g', 'h', 'i', 'j', 'k', 'm', 'n', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x',
    ];
    let hash = blake3::hash(name.as_bytes());
    let letters = hash
        .as_bytes()
        .iter()
        .take(10)
        .map(|byte| LETTERS[usize::from(byte % 16)]);
    std::iter::once('n').chain(letters).collect()
}

/// Which words tell something.
struct Names {
    telling: &'static Regex,
    /// Words that contain one of these do, too.
    parts: BTreeSet<String>,
}

impl Names {
    fn new(telling: &'static Regex, parts: BTreeSet<String>) -> Names {
        Names { telling, parts }
    }

    fn tells(&self, word: &str) -> bool {
        self.telling.is_match(word) || self.parts.iter().any(|part| word.contains(part.as_str()))
    }

    fn copy(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        let bytes =
            std::fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        let text = self.without(&String::from_utf8_lossy(&bytes));
        let write = || -> std::io::Result<()> {
            to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(to, &text)
        };
        write().with_context(|| format!("cannot write {}", to.display()))
    }

    /// The text without comments, guards and telling names.
    fn without(&self, text: &str) -> String {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let pieces = pieces(&text).into_iter().map(|(kind, piece)| match kind {
            Kind::Comment => blanks(piece),
            Kind::Literal => self.literal(piece),
            Kind::Code => {
                let hide = |word: &regex::Captures| match &word[0] {
                    // They are looked for below.
                    guard @ ("OMITBAD" | "OMITGOOD") => guard.to_string(),
                    word if self.tells(word) => hidden(word),
                    word => word.to_string(),
                };
                WORD.replace_all(piece, hide).into_owned()
            }
        });
        without_guards(&pieces.collect::<String>())
    }

    /// Text keeps its length; the name of a header is changed as that of the file.
    fn literal(&self, literal: &str) -> String {
        if !self.tells(literal) {
            return literal.to_string();
        }
        let quote = literal.chars().next().unwrap_or('"');
        let inner = literal.trim_matches(quote);
        if let Some(header) = inner.strip_suffix(".h") {
            return format!("{quote}{}.h{quote}", hidden(header));
        }
        // A character and its backslash are one.
        let mut hidden = String::new();
        let mut characters = inner.chars();
        while let Some(c) = characters.next() {
            if c == '\\' {
                characters.next();
            }
            hidden.push('x');
        }
        format!("{quote}{hidden}{quote}")
    }
}

/// The guards' own lines become empty: what they guard is there, as without the macros.
fn without_guards(text: &str) -> String {
    let mut open: Vec<bool> = Vec::new();
    let line = |line: &str| {
        let Some(directive) = GUARD.captures(line) else {
            return line.to_string();
        };
        let hides = match &directive[1] {
            "endif" => open.pop().unwrap_or(false),
            _ => {
                let hides = matches!(&directive[2], "OMITBAD" | "OMITGOOD");
                open.push(hides);
                hides
            }
        };
        if hides {
            String::new()
        } else {
            line.to_string()
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_tells_and_no_line_moves() {
        let text = "/* bad\n */ #include \"CWE1_x.h\"\n#ifndef OMITBAD\nvoid CWE1_bad(void) { print(\"bad \\\" one\"); }\n#endif /* OMITBAD */\n\
                    #ifdef X\nint goodness; // good\n#endif\n";
        let names = Names::new(&JULIET, BTreeSet::new());
        let without = names.without(text);
        let lines: Vec<&str> = without.split('\n').collect();
        assert_eq!(lines.len(), text.split('\n').count());
        assert!(
            !JULIET.is_match(&without) && !without.contains("OMIT"),
            "{without}"
        );
        assert_eq!(lines[1], format!("    #include \"{}.h\"", hidden("CWE1_x")));
        assert_eq!(
            (lines[2], lines[4], lines[5], lines[7]),
            ("", "", "#ifdef X", "#endif")
        );
        assert!(lines[3].contains("print(\"xxxxxxxxx\")"), "{}", lines[3]);
        assert_eq!(names.without("int a;\r\nint b;"), "int a;\nint b;");
    }

    #[test]
    fn names_of_files_within_names_tell() {
        let parts = BTreeSet::from(["null_pointer".to_string()]);
        let names = Names::new(&OTHER, parts);
        assert_eq!(
            names.without("null_pointer_001(p)"),
            format!("{}(p)", hidden("null_pointer_001"))
        );
        assert_eq!(names.without("pointer(p)"), "pointer(p)");
    }
}
