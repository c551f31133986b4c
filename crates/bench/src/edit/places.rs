//! Where a function's body begins, told by the text alone, and the statement that is put there.
//!
//! Three ways of writing a function are known: `{` alone in the first column, behind a line that ends the parameters
//! (`)`) or declares one of old style (`;`), and a line that starts in the first column and ends with `) {`. The text is
//! not parsed, so a place may lie in a comment or in code that is compiled away: whoever edits asks the compiler
//! whether the statement has arrived ([`edited_function`]).

/// The line behind which a body's first statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Of the first byte behind that line.
    offset: usize,
}

/// The places of a source text, in its order.
pub fn find(text: &[u8]) -> Vec<Place> {
    let mut places = Vec::new();
    let mut offset = 0;
    let mut before: &[u8] = b"";
    for (number, whole) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        offset += whole.len();
        let line = whole.trim_ascii_end();
        if whole.ends_with(b"\n") && begins_body(before, line) {
            places.push(Place {
                line: number + 1,
                offset,
            });
        }
        before = line;
    }
    places
}

/// Lines between the name of a function and the beginning of its body, at most.
const HEAD: usize = 12;

/// Those of the places that the compiler has seen a function at, by LLVM's text form of the unit with positions; all, if
/// that does not tell (a file that says it is another one).
pub fn compiled(places: Vec<Place>, assembly: &[u8]) -> Vec<Place> {
    let lines: std::collections::BTreeSet<usize> = assembly
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let line = std::str::from_utf8(line).ok()?;
            let (_, rest) = line.split_once("DISubprogram(")?.1.split_once(" line: ")?;
            rest.split(',').next()?.parse().ok()
        })
        .collect();
    let is_seen = |place: &&Place| {
        let head = place.line.saturating_sub(HEAD)..=place.line;
        lines.range(head).next().is_some()
    };
    let seen: Vec<Place> = places.iter().filter(is_seen).copied().collect();
    match seen.is_empty() {
        true => places,
        false => seen,
    }
}

/// Does a body begin at the end of this line, by the look of it and of the line before?
fn begins_body(before: &[u8], line: &[u8]) -> bool {
    if line == b"{" {
        return before.ends_with(b")") || before.ends_with(b";");
    }
    // In the first column neither an inner statement nor the line of a macro.
    let outer = line
        .first()
        .is_some_and(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'#' | b'}' | b'/'));
    let head = line.strip_suffix(b"{").unwrap_or_default();
    outer && head.trim_ascii_end().ends_with(b")")
}

/// For each of the edits the numbers of the places to try, the best first: of so many equal parts of all `places` the
/// middle one, then the middles of its halves, and so on, since what is not compiled (for another system) often is a long
/// piece of a file. No place belongs to two edits.
pub fn spread(places: usize, edits: usize) -> Vec<Vec<usize>> {
    let middles = |part: std::ops::Range<usize>| {
        let mut parts = std::collections::VecDeque::from([part]);
        let mut all = Vec::new();
        while let Some(part) = parts.pop_front() {
            if !part.is_empty() {
                let middle = (part.start + part.end) / 2;
                all.push(middle);
                parts.extend([part.start..middle, middle + 1..part.end]);
            }
        }
        all
    };
    let part = |i: usize| i * places / edits..(i + 1) * places / edits;
    (0..edits).map(part).map(middles).collect()
}

/// The variable of an edit.
fn variable(number: usize) -> String {
    format!("rigel_edit_{number}")
}

/// A line that changes what a function does, and declares nothing outside of itself. A volatile variable, so
/// that nobody may leave it out; a block, so that declarations may follow (C99 and later, and what compilers accept).
fn statement(number: usize) -> String {
    let variable = variable(number);
    format!("{{ static volatile int {variable}; {variable} += {number}; }}\n")
}

/// The text with the statements of these edits in it, each with its number.
pub fn insert(text: &[u8], edits: &[(usize, Place)]) -> Vec<u8> {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|(_, place)| place.offset);
    let mut edited = Vec::with_capacity(text.len() + 100 * edits.len());
    let mut done = 0;
    for (number, place) in edits {
        edited.extend_from_slice(&text[done..place.offset]);
        edited.extend_from_slice(statement(number).as_bytes());
        done = place.offset;
    }
    edited.extend_from_slice(&text[done..]);
    edited
}

/// The function that an edit has changed, by LLVM's text form of the unit: a static variable of a function is a
/// global that is named after both. None if the compiler has not seen the statement.
pub fn edited_function(assembly: &[u8], number: usize) -> Option<String> {
    let variable = variable(number);
    let in_c = format!(".{variable}");
    let in_cxx = format!("E{}{variable}", variable.len());
    assembly
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"@"))
        .find_map(|line| {
            let line = std::str::from_utf8(line).ok()?;
            let symbol = line.split_once(" = ")?.0.trim_matches('"');
            if let Some(function) = symbol.strip_suffix(&in_c) {
                return Some(function.to_string());
            }
            let (function, rest) = symbol.strip_prefix("_ZZ")?.split_once(&in_cxx)?;
            let ends = rest.is_empty() || rest.starts_with('_');
            ends.then(|| format!("_Z{function}"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        find(text.as_bytes()).into_iter().map(|p| p.line).collect()
    }

    #[test]
    fn the_usual_ways_to_write_a_function_are_found() {
        assert_eq!(lines("int f(void)\n{\n  return 1;\n}\n"), [2]);
        assert_eq!(lines("int f(void) {\n  return 1;\n}\n"), [1]);
        assert_eq!(lines("static int f(\n  int a\n){\n  return a;\n}\n"), [3]);
        assert_eq!(lines("int\nf(a)\n\tint a;\n{\n\treturn a;\n}\n"), [4]);
        assert_eq!(lines("int f(void)\r\n{\r\n}\r\n"), [2]);
    }

    #[test]
    fn other_braces_are_not() {
        for text in [
            "struct s\n{\n  int a;\n};\n",
            "int a[] = {\n  1\n};\n",
            "  if (a) {\n  }\n  while (b)\n  {\n  }\n",
            "#define M(a) if (a) {\n} while (b) {\n",
            "// f(void) {\n",
            // There is no line behind it.
            "int f(void) {",
        ] {
            assert!(lines(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_not_compiled_is_no_place() {
        let places = find(b"int f(void)\n{\n}\n\n\n\n\n\n\n\n\n\n\n\n\nint g(void)\n{\n}\n");
        assert_eq!(places.len(), 2);
        let text =
            b"!7 = distinct !DISubprogram(name: \"g\", scope: !1, file: !1, line: 16, type: !8)\n";
        let seen = compiled(places.clone(), text);
        assert_eq!(seen.iter().map(|p| p.line).collect::<Vec<_>>(), [17]);
        assert_eq!(compiled(places.clone(), b"define i32 @g()"), places);
    }

    #[test]
    fn edits_are_spread_and_share_no_place() {
        assert_eq!(spread(10, 2), [vec![2, 1, 4, 0, 3], vec![7, 6, 9, 5, 8]]);
        assert_eq!(spread(3, 3), [[0], [1], [2]]);
        // Fewer places than edits: some edits have none.
        assert_eq!(spread(1, 2), [vec![], vec![0]]);
        let mut all: Vec<usize> = spread(101, 7).concat();
        all.sort_unstable();
        assert_eq!(all, (0..101).collect::<Vec<_>>());
    }

    #[test]
    fn statements_are_inserted_at_the_start_of_bodies() {
        let text = b"int f(void)\n{\n  return '\xe9';\n}\nint g(void) {\n}\n";
        let places = find(text);
        let edited = insert(text, &[(1, places[1]), (2, places[0])]);
        let wanted: &[u8] = b"int f(void)\n{\n\
            { static volatile int rigel_edit_2; rigel_edit_2 += 2; }\n  return '\xe9';\n}\n\
            int g(void) {\n{ static volatile int rigel_edit_1; rigel_edit_1 += 1; }\n}\n";
        assert_eq!(edited, wanted);
        assert_eq!(insert(text, &[]), text);
    }

    #[test]
    fn the_edited_function_is_told_by_its_variable() {
        let assembly =
            b"target triple = \"x\"\n@.str = private constant [13 x i8] c\"rigel_edit_1\\00\"\n\
            @f.rigel_edit_1 = internal global i32 0, align 4\n\
            @g.rigel_edit_12 = internal global i32 0, align 4\n\
            @_ZZN1A1hEiE12rigel_edit_3 = internal global i32 0, align 4\n";
        let of = |number| edited_function(assembly, number);
        assert_eq!(of(1).as_deref(), Some("f"));
        assert_eq!(of(12).as_deref(), Some("g"));
        assert_eq!(of(3).as_deref(), Some("_ZN1A1hEi"));
        assert_eq!(of(2), None);
    }
}
