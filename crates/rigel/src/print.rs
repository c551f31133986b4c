//! Writing to the user. A pipe that was closed (`rigel check | head`) is no error of ours, and
//! never a panic.

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

/// `61204` as `61,204`.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 unit`, `2 units`.
pub fn count(n: usize, what: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(count(1, "unit"), "1 unit");
        assert_eq!(count(0, "check"), "0 checks");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(61_204_000), "61,204,000");
    }
}
