//! What `cppcheck --xml` writes: `<error id=… msg=… cwe=…>` elements, each with the places it is about, the failing one first.
//!
//! Only these elements and their attributes are looked at; so this reads tags, not XML.

use super::Finding;
use anyhow::ensure;

pub fn read(text: &str) -> anyhow::Result<Vec<Finding>> {
    let Some(start) = text.find("<?xml") else {
        return Ok(Vec::new());
    };
    ensure!(
        text.contains("</results>"),
        "the XML of cppcheck has no end"
    );
    let mut found = Vec::new();
    let mut open: Option<Finding> = None;
    let mut rest = &text[start..];
    while let Some(tag) = next_tag(&mut rest) {
        let name = tag
            .split(|c: char| c.is_whitespace() || c == '/')
            .find(|w| !w.is_empty());
        match name {
            Some("error") if !tag.starts_with('/') => {
                open = Some(Finding {
                    file: String::new(),
                    line: 0,
                    rule: attribute(tag, "id").unwrap_or_default(),
                    message: attribute(tag, "msg").unwrap_or_default(),
                    cwes: attribute(tag, "cwe")
                        .and_then(|n| n.parse().ok())
                        .into_iter()
                        .collect(),
                    severity: attribute(tag, "severity").unwrap_or_default(),
                });
            }
            // What has no place is about the run.
            Some("location") => {
                if let Some(mut finding) = open.take() {
                    finding.file = attribute(tag, "file").unwrap_or_default();
                    finding.line = attribute(tag, "line")
                        .and_then(|n| n.parse().ok())
                        .unwrap_or(0);
                    found.push(finding);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// What is between the next `<` and its `>`; a `>` in quotes does not end it.
fn next_tag<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let from = rest.find('<')? + 1;
    let mut quoted = false;
    for (at, c) in rest[from..].char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => {
                let tag = &rest[from..from + at];
                *rest = &rest[from + at + 1..];
                return Some(tag);
            }
            _ => {}
        }
    }
    None
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag;
    loop {
        let at = rest.find(&format!("{name}=\""))?;
        let before = rest[..at].chars().next_back();
        let value = &rest[at + name.len() + 2..];
        if before.is_some_and(char::is_whitespace) {
            let value = &value[..value.find('"')?];
            return Some(unescape(value));
        }
        rest = value;
    }
}

fn unescape(text: &str) -> String {
    let mut out = text.to_string();
    for (name, c) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#039;", "'"),
        ("&amp;", "&"),
    ] {
        out = out.replace(name, c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_with_a_place_are_read() {
        let text = r#"noise <?xml version="1.0" encoding="UTF-8"?>
            <results version="2">
              <errors>
                <error id="nullPointer" severity="error" msg="&lt;p&gt; is &apos;null&apos; > 0" verbose="x" cwe="476" file0="a.c">
                  <location file="a.c" line="7" column="3" info="here"/>
                  <location file="a.c" line="5" column="1"/>
                  <symbol>p</symbol>
                </error>
                <error id="missingInclude" severity="information" msg="m" verbose="v"/>
              </errors>
            </results>"#;
        let found = read(text).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].file.as_str(), found[0].line), ("a.c", 7));
        assert_eq!(found[0].message, "<p> is 'null' > 0");
        assert_eq!(
            (found[0].rule.as_str(), found[0].cwes.as_slice()),
            ("nullPointer", &[476][..])
        );
        assert!(read("").unwrap().is_empty());
        assert!(read("<?xml version=\"1.0\"?><results>").is_err());
    }
}
