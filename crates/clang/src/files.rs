//! Positions and the files they are in.

use crate::llvm::Meta;
use crate::unit::UnitLowering;
use ir::program::File;
use ir::{FileId, Span};
use std::path::{Component, Path, PathBuf};

impl<'m> UnitLowering<'m> {
    /// A position in the file of a scope; none if the scope has no file.
    pub fn position(&mut self, scope: Option<Meta<'m>>, line: u32, column: u32) -> Span {
        match scope.and_then(|s| self.scope_file(s)) {
            Some(file) if line > 0 => Span { file, line, column },
            _ => Span::NONE,
        }
    }

    fn scope_file(&mut self, scope: Meta<'m>) -> Option<FileId> {
        if let Some(&id) = self.scope_files.get(&scope) {
            return id;
        }
        let id = scope
            .scope_file()
            .map(|(dir, name)| self.file(&Path::new(&*dir).join(&*name)));
        self.scope_files.insert(scope, id);
        id
    }

    fn file(&mut self, path: &Path) -> FileId {
        let path = normalize(path);
        if let Some(&id) = self.files.get(&path) {
            return id;
        }
        let system = path.starts_with("/usr/include")
            || path.starts_with("/usr/lib")
            || path.starts_with("/usr/local/include")
            || self.options.system_dirs.iter().any(|d| path.starts_with(d));
        let shown = path.strip_prefix(&self.options.root).unwrap_or(&path);
        let symbol = self.program.symbols.intern(&shown.to_string_lossy());
        let id = self.program.files.push(File {
            path: symbol,
            system,
        });
        self.files.insert(path, id);
        id
    }
}

/// Resolves `.` and `..` without asking the file system.
fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    out.push("..");
                }
            }
            other => out.push(other),
        }
    }
    out
}
