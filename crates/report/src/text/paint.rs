//! Lines in colour, or without: the layout is the same.

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Plain,
    Strong,
    /// Line numbers, bars, the marks of steps.
    Frame,
    Error,
    Warning,
    Note,
}

impl Ink {
    fn code(self) -> Option<&'static str> {
        match self {
            Ink::Plain => None,
            Ink::Strong => Some("1"),
            Ink::Frame => Some("1;34"),
            Ink::Error => Some("1;31"),
            Ink::Warning => Some("1;33"),
            Ink::Note => Some("1;36"),
        }
    }
}

/// One line under construction.
#[derive(Default)]
pub struct Line(Vec<(Ink, String)>);

impl Line {
    pub fn of(ink: Ink, text: impl Into<String>) -> Line {
        Line::default().and(ink, text)
    }

    /// Control characters, which could do anything to a terminal (a name or a string of the
    /// program may have them), are replaced.
    pub fn and(mut self, ink: Ink, text: impl Into<String>) -> Line {
        let text: String = text.into();
        self.0
            .push((ink, text.replace(char::is_control, "\u{fffd}")));
        self
    }

    pub fn then(mut self, rest: Line) -> Line {
        self.0.extend(rest.0);
        self
    }

    /// Writes the line without blanks at its end.
    pub fn write(mut self, out: &mut String, color: bool) {
        while let Some((_, text)) = self.0.last_mut() {
            text.truncate(text.trim_end().len());
            if !text.is_empty() {
                break;
            }
            self.0.pop();
        }
        for (ink, text) in self.0 {
            match ink.code().filter(|_| color && !text.trim().is_empty()) {
                Some(code) => out.push_str(&format!("\x1b[{code}m{text}\x1b[0m")),
                None => out.push_str(&text),
            }
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_command_the_terminal() {
        let mut out = String::new();
        Line::of(Ink::Plain, "call f(\"\u{1b}[2J\n\")").write(&mut out, true);
        assert_eq!(out, "call f(\"\u{fffd}[2J\u{fffd}\")\n");
    }

    #[test]
    fn no_blanks_at_the_end_and_no_empty_colours() {
        let line = || {
            Line::of(Ink::Frame, "12 | ")
                .and(Ink::Plain, "x ")
                .and(Ink::Error, "  ")
        };
        let mut out = String::new();
        line().write(&mut out, false);
        assert_eq!(out, "12 | x\n");
        out.clear();
        line().write(&mut out, true);
        assert_eq!(out, "\x1b[1;34m12 | \x1b[0mx\n");
    }
}
