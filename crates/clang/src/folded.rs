//! Undefined behaviour that clang folds away before there is any code for it.
//!
//! `5 / 0` reaches the bitcode as a poison constant, without a word about why. clang's own
//! warnings know: the front end switches just these on, and what they say is matched with the
//! poison by its line.

use ir::TrapReason;

/// What clang warned about, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    pub file: String,
    pub line: u32,
    pub reason: TrapReason,
}

/// Reads `FILE:LINE:COLUMN: warning: … [-Wdivision-by-zero]` lines.
pub fn read(diagnostics: &str) -> Vec<Folded> {
    diagnostics.lines().filter_map(read_line).collect()
}

fn read_line(line: &str) -> Option<Folded> {
    let (place, message) = line.split_once(": warning: ")?;
    let reason = match message.rsplit_once("[-W")?.1.trim_end_matches(']') {
        "division-by-zero" => TrapReason::ZeroDivisor,
        "shift-count-overflow" | "shift-count-negative" => TrapReason::ShiftAmount,
        _ => return None,
    };
    let mut parts = place.rsplitn(3, ':');
    let (_column, number, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Folded {
        file: file.to_string(),
        line: number.parse().ok()?,
        reason,
    })
}

/// Why there is poison at this place.
pub fn reason(folded: &[Folded], file: &str, line: u32) -> TrapReason {
    let name = |path: &str| path.rsplit('/').next().map(str::to_string);
    folded
        .iter()
        .find(|f| f.line == line && name(&f.file) == name(file))
        .map_or(TrapReason::Poison, |f| f.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_say_why() {
        let text = "src/a.c:3:15: warning: division by zero is undefined [-Wdivision-by-zero]\n\
            a.c:4:14: warning: shift count >= width of type [-Wshift-count-overflow]\n\
            a.c:5:1: warning: something else [-Wother]\n1 warning generated.\n";
        let all = read(text);
        assert_eq!(all.len(), 2);
        assert_eq!(reason(&all, "/home/src/a.c", 3), TrapReason::ZeroDivisor);
        assert_eq!(reason(&all, "a.c", 4), TrapReason::ShiftAmount);
        assert_eq!(reason(&all, "a.c", 5), TrapReason::Poison);
        assert_eq!(reason(&all, "b.c", 4), TrapReason::Poison);
    }
}
