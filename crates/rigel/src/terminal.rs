//! What the terminal can show. Without one there are no colours and no bar, so that what is
//! written to a file or a pipe is always the same.

use crate::cli::Color;
use report::text::Style;
use std::io::IsTerminal;

/// How text written to this stream should look.
pub fn style(stream: &impl IsTerminal) -> Style {
    if !stream.is_terminal() {
        return Style::default();
    }
    let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    Style {
        color: color(std::env::var("NO_COLOR").ok(), std::env::var("TERM").ok()),
        width: width.unwrap_or(Style::default().width),
        ..Style::default()
    }
}

/// <https://no-color.org>: any value but the empty one.
fn color(no_color: Option<String>, term: Option<String>) -> bool {
    no_color.is_none_or(|value| value.is_empty()) && term.is_none_or(|term| term != "dumb")
}

/// The same, with the user's word on colours.
pub fn style_with(stream: &impl IsTerminal, color: Color) -> Style {
    let style = style(stream);
    Style {
        color: wanted(color).unwrap_or(style.color),
        ..style
    }
}

/// For a file, with the user's word on colours.
pub fn plain(color: Color) -> Style {
    Style {
        color: wanted(color).unwrap_or(false),
        ..Style::default()
    }
}

fn wanted(color: Color) -> Option<bool> {
    match color {
        Color::Auto => None,
        Color::Always => Some(true),
        Color::Never => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_can_be_refused() {
        let word = |w: &str| Some(w.to_string());
        assert!(color(None, word("xterm")));
        assert!(color(word(""), None));
        assert!(!color(word("1"), word("xterm")));
        assert!(!color(None, word("dumb")));
    }

    #[test]
    fn a_file_gets_plain_text() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(style(&file), Style::default());
        assert_eq!(style_with(&file, Color::Auto), Style::default());
        assert!(style_with(&file, Color::Always).color);
        assert!(!style_with(&file, Color::Never).color);
    }
}
