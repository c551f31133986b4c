//! Paths as URIs: relative to the source root where they are below it, else absolute.

use super::model::ArtifactLocation;
use std::fmt::Write;

/// The name of the directory that relative paths are relative to.
pub const ROOT: &str = "SRCROOT";

/// A file as people see it: relative to `directory`, or absolute.
pub fn file(path: &str, directory: &str) -> ArtifactLocation {
    let root = parts("", directory);
    let absolute = match path.starts_with('/') {
        true => parts("", path),
        false => parts(directory, path),
    };
    match absolute.strip_prefix(root.as_slice()) {
        Some(relative) if !relative.is_empty() => ArtifactLocation {
            uri: encode(relative),
            uri_base_id: Some(ROOT),
        },
        _ => ArtifactLocation {
            uri: format!("file:///{}", encode(&absolute)),
            uri_base_id: None,
        },
    }
}

/// A directory. Its URI ends with a slash, without which the last part would get lost in joining.
pub fn directory(path: &str) -> ArtifactLocation {
    let mut uri = format!("file:///{}", encode(&parts("", path)));
    if !uri.ends_with('/') {
        uri.push('/');
    }
    ArtifactLocation {
        uri,
        uri_base_id: None,
    }
}

/// The parts of both, without `.` and with `..` taken back: what a reader of URIs does with them,
/// if it does anything.
fn parts<'a>(directory: &'a str, path: &'a str) -> Vec<&'a str> {
    let mut out = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

fn encode(parts: &[&str]) -> String {
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            out.push('/');
        }
        for byte in part.bytes() {
            // RFC 3986's pchar without the colon, which would make a scheme of `a:b.c`.
            if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=@".contains(&byte) {
                out.push(byte as char);
            } else {
                // Writing to a string does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str) -> (String, bool) {
        let location = file(path, "/home/me/my project");
        (location.uri, location.uri_base_id.is_some())
    }

    #[test]
    fn files_below_the_root_are_relative() {
        assert_eq!(shown("src/a.c"), ("src/a.c".to_string(), true));
        assert_eq!(shown("./src//x/../a.c"), ("src/a.c".to_string(), true));
        let absolute = "/home/me/my project/b.c";
        assert_eq!(shown(absolute), ("b.c".to_string(), true));
    }

    #[test]
    fn others_are_absolute() {
        let header = "file:///usr/include/stdio.h".to_string();
        assert_eq!(shown("/usr/include/stdio.h"), (header, false));
        let beside = "file:///home/me/other/x.c".to_string();
        assert_eq!(shown("../other/x.c"), (beside, false));
    }

    #[test]
    fn odd_characters_are_encoded() {
        let (uri, _) = shown("a b/100%#?/ä:[x]/c++.c");
        assert_eq!(uri, "a%20b/100%25%23%3F/%C3%A4%3A%5Bx%5D/c++.c");
        assert_eq!(directory("/a b").uri, "file:///a%20b/");
        assert_eq!(directory("/").uri, "file:///");
    }
}
