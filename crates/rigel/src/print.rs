//! Writing to the user. A pipe that was closed (`rigel check | head`) is no error of ours, and
//! never a panic.

pub use report::{count, grouped};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// One line on standard error: the run failed in this respect.
pub fn error(message: &str) {
    let _ = writeln!(io::stderr(), "rigel: error: {message}");
}

/// One line on standard error: most likely a mistake in the program.
pub fn warning(message: &str) {
    let _ = writeln!(io::stderr(), "rigel: warning: {message}");
}

/// One line on standard error: worth knowing.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "rigel: note: {message}");
}

/// One line on standard error, as it is.
pub fn status(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// Can the report be written there? Asked before the work is done, which may take minutes; what
/// is in the file stays until then.
pub fn can_report(out: Option<&Path>) -> Result<(), String> {
    let Some(file) = out else { return Ok(()) };
    let mut open = OpenOptions::new();
    open.write(true);
    let opened = match std::fs::metadata(file) {
        // A pipe would wait for its reader: only files and directories are tried.
        Ok(known) if !known.is_file() && !known.is_dir() => Ok(()),
        Ok(_) => open.open(file).map(drop),
        Err(_) => open
            .create_new(true)
            .open(file)
            .and_then(|_| std::fs::remove_file(file)),
    };
    opened.map_err(|e| unwritable(file, &e))
}

fn unwritable(file: &Path, e: &io::Error) -> String {
    format!("-o {}: cannot be written: {e}", file.display())
}

/// The report: to the file, or to standard output.
pub fn report(text: &str, out: Option<&Path>) -> Result<(), String> {
    match out {
        Some(file) => std::fs::write(file, text).map_err(|e| unwritable(file, &e)),
        None => {
            let mut stdout = io::stdout().lock();
            match stdout
                .write_all(text.as_bytes())
                .and_then(|()| stdout.flush())
            {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                Err(e) => Err(format!("standard output: cannot be written: {e}")),
                Ok(()) => Ok(()),
            }
        }
    }
}
