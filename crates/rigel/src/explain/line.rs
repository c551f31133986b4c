//! A line of the program, as the user names it.

use crate::pipeline::Loaded;
use engine::projection::functions_at;
use std::path::{Path, PathBuf};

/// `FILE:LINE`.
pub struct Line {
    file: String,
    line: u32,
}

impl Line {
    pub fn parse(text: &str) -> Result<Line, String> {
        let wrong = || format!("{text}: not a line (say FILE:LINE, such as list.c:14)");
        let (file, line) = text.rsplit_once(':').ok_or_else(wrong)?;
        let line: u32 = line.parse().map_err(|_| wrong())?;
        if file.is_empty() || line == 0 {
            return Err(wrong());
        }
        let file = file.to_string();
        Ok(Line { file, line })
    }

    /// Is a place of the program on it? A file may be named by the end of its path.
    pub fn has(&self, loaded: &Loaded, span: ir::Span) -> bool {
        span.line == self.line && self.is_file(loaded, span)
    }

    fn is_file(&self, loaded: &Loaded, span: ir::Span) -> bool {
        let path = Path::new(loaded.program.file_path(span.file));
        let whole = |path: &Path| -> PathBuf { loaded.cwd.join(path).components().collect() };
        path.ends_with(&self.file) || whole(path) == whole(Path::new(&self.file))
    }

    /// Is there anything on it that is executed?
    pub fn has_code(&self, loaded: &Loaded) -> Result<(), String> {
        let here = |span: ir::Span| self.has(loaded, span);
        if !functions_at(&loaded.program, &here).is_empty() {
            return Ok(());
        }
        let file = |span: ir::Span| self.is_file(loaded, span);
        Err(match functions_at(&loaded.program, &file).is_empty() {
            true => match self.without_column() {
                Some(line) => {
                    format!("{self}: this has a column, and a line is wanted (say {line})")
                }
                None => format!("{self}: the program has no functions in a file of this name"),
            },
            false => match self.next(loaded) {
                Some(next) => format!(
                    "{self}: there is no code on this line (the next one with code is {}:{next})",
                    self.file
                ),
                None => format!("{self}: there is no code on this line"),
            },
        })
    }

    /// The line, if this is `FILE:LINE:COLUMN` as reports have it.
    fn without_column(&self) -> Option<&str> {
        let (_, line) = self.file.rsplit_once(':')?;
        line.parse::<u32>().is_ok().then_some(self.file.as_str())
    }

    /// The next line of the file that has code: what a declaration, or the end of a scope, belongs to.
    fn next(&self, loaded: &Loaded) -> Option<u32> {
        let edges = loaded.program.bodies();
        let edges = edges.flat_map(|(.., body)| body.edges().values());
        let spans = edges.filter(|edge| !matches!(edge.stmt, ir::Stmt::End(_)));
        let spans = spans.map(|edge| edge.span).filter(|span| !span.is_none());
        let behind = spans.filter(|span| span.line > self.line && self.is_file(loaded, *span));
        behind.map(|span| span.line).min()
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
