//! Signed operations on constants that overflow. The compiler has done them, and no check is left in the program: what there is, is its warning.

use crate::pipeline::Loaded;
use ir::Body;

/// One of them.
pub struct Folded {
    file: String,
    line: u32,
    column: String,
}

impl Folded {
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

/// All of the program, in the order of its units.
pub fn overflows(loaded: &Loaded) -> Vec<Folded> {
    loaded.diagnostics.iter().filter_map(|l| read(l)).collect()
}

/// `FILE:LINE:COLUMN: warning: … [-Winteger-overflow]`
fn read(line: &str) -> Option<Folded> {
    let endings = [
        "[-Winteger-overflow]",
        "[-Wshift-overflow]",
        "[-Wshift-sign-overflow]",
    ];
    let (place, message) = line.split_once(": warning:")?;
    if !endings.iter().any(|ending| message.ends_with(ending)) {
        return None;
    }
    let mut parts = place.rsplitn(3, ':');
    let (column, number, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Folded {
        file: file.to_string(),
        line: number.parse().ok()?,
        column: column.to_string(),
    })
}

/// The lines of those that stand among the lines of a body.
pub fn within(all: &[Folded], loaded: &Loaded, body: &Body) -> Vec<u32> {
    let name = |path: &str| path.rsplit('/').next().map(str::to_string);
    let spans = body.edges().values().map(|edge| edge.span);
    let spans: Vec<ir::Span> = spans.filter(|span| !span.is_none()).collect();
    let is_within = |folded: &&Folded| {
        let here = spans
            .iter()
            .filter(|span| name(&loaded.file(**span)) == name(&folded.file));
        let lines = here.map(|span| span.line);
        lines
            .clone()
            .min()
            .is_some_and(|first| first <= folded.line)
            && lines.max().is_some_and(|last| folded.line <= last)
    };
    let mut lines: Vec<u32> = match all {
        [] => Vec::new(),
        all => all.iter().filter(is_within).map(|f| f.line).collect(),
    };
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_clang() {
        let said = "src/a:b.c:3:12: warning: overflow in expression; result is 1 with type 'int' [-Winteger-overflow]";
        let folded = read(said).map(|f| (f.place(), f.line));
        assert_eq!(folded, Some(("src/a:b.c:3:12".to_string(), 3)));
        let other = "a.c:3:12: warning: division by zero is undefined [-Wdivision-by-zero]";
        assert!(read(other).is_none());
        assert!(read("1 warning generated.").is_none());
    }
}
