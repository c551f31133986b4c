//! Writing to the user. A pipe that was closed (`rigel check | head`) is no error of ours, and
//! never a panic.

pub use report::{count, grouped};
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

/// The report: to the file, or to standard output.
pub fn report(text: &str, out: Option<&Path>) -> Result<(), String> {
    match out {
        Some(file) => std::fs::write(file, text)
            .map_err(|e| format!("{}: cannot be written: {e}", file.display())),
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
