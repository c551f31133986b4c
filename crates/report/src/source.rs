//! Columns. clang counts bytes, SARIF is told characters, and a terminal has cells: a tab takes
//! cells up to the next stop, a Chinese character takes two, a combining accent none.

use unicode_width::UnicodeWidthChar;

/// Cells between tab stops, as terminals have it and as mixed indentation was written for.
const TAB: usize = 8;

/// How many characters of the line stand before the byte column (from 1).
pub fn characters_before(line: &str, column: u32) -> usize {
    let bytes = column.saturating_sub(1) as usize;
    line.char_indices()
        .take_while(|(at, _)| *at < bytes)
        .count()
}

/// How many characters the word at this character position has: an identifier or number, else
/// one.
pub fn word_length(line: &str, characters: usize) -> usize {
    line.chars()
        .skip(characters)
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .count()
        .max(1)
}

/// A line as a terminal shows it: each character with the cells it takes.
pub struct Cells {
    cells: Vec<(char, usize)>,
    /// Position in `cells` of each character of the line, and the end.
    of_character: Vec<usize>,
}

impl Cells {
    /// Tabs become spaces, and control characters, which could do anything to a terminal, a
    /// replacement character.
    pub fn new(line: &str) -> Cells {
        let mut cells = Vec::new();
        let mut of_character = Vec::new();
        let mut width = 0;
        for c in line.chars() {
            of_character.push(cells.len());
            match c {
                '\t' => {
                    let spaces = TAB - width % TAB;
                    cells.extend(std::iter::repeat_n((' ', 1), spaces));
                    width += spaces;
                }
                _ => {
                    // None is the width of a control character.
                    let (shown, cell) = c.width().map_or(('\u{fffd}', 1), |w| (c, w));
                    cells.push((shown, cell));
                    width += cell;
                }
            }
        }
        while cells.last().is_some_and(|(c, _)| c.is_whitespace()) {
            cells.pop();
        }
        of_character.push(cells.len());
        Cells {
            cells,
            of_character,
        }
    }

    pub fn width(&self) -> usize {
        self.cells.iter().map(|(_, width)| width).sum()
    }

    /// The cell at which the byte column of the line stands; one behind the end if it is beyond.
    pub fn of_column(&self, line: &str, column: u32) -> usize {
        let character = characters_before(line, column);
        let end = self.of_character.last().copied().unwrap_or_default();
        let at = self.of_character.get(character).copied().unwrap_or(end);
        self.cells.iter().take(at).map(|(_, width)| width).sum()
    }

    /// What stands in these cells. A wide character at an edge that does not fit is left out.
    pub fn text(&self, from: usize, to: usize) -> String {
        let mut at = 0;
        let mut out = String::new();
        for (c, width) in &self.cells {
            if at >= from && at + width <= to {
                out.push(*c);
            } else if at < from && at + width > from {
                // Half of it is inside: keep what follows in its column.
                out.push(' ');
            }
            at += width;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_bytes() {
        // ä is two bytes, one character, one cell.
        let line = "ä = x1;";
        assert_eq!(characters_before(line, 6), 4);
        assert_eq!(Cells::new(line).of_column(line, 6), 4);
        // 漢 is three bytes, one character, two cells.
        let line = "漢 = x;";
        assert_eq!(characters_before(line, 7), 4);
        assert_eq!(Cells::new(line).of_column(line, 7), 5);
        // Beyond the end: behind it.
        assert_eq!(characters_before("ab", 99), 2);
        assert_eq!(Cells::new("ab").of_column("ab", 99), 2);
        assert_eq!(Cells::new("").of_column("", 0), 0);
    }

    #[test]
    fn tabs_reach_the_next_stop() {
        let line = "\tab\tc";
        let cells = Cells::new(line);
        assert_eq!(cells.of_column(line, 2), 8);
        assert_eq!(cells.of_column(line, 5), 16);
        assert_eq!(cells.text(0, 99), "        ab      c");
        assert_eq!(cells.width(), 17);
    }

    #[test]
    fn nothing_reaches_the_terminal_that_could_command_it() {
        assert_eq!(
            Cells::new("a\u{1b}[31mb\r").text(0, 99),
            "a\u{fffd}[31mb\u{fffd}"
        );
    }

    #[test]
    fn words() {
        assert_eq!(word_length("p->value;", 0), 1);
        assert_eq!(word_length("p->value;", 3), 5);
        assert_eq!(word_length("p->value;", 1), 1);
        assert_eq!(word_length("x = 0x1F;", 4), 4);
        assert_eq!(word_length("größe", 0), 5);
        assert_eq!(word_length("a", 7), 1);
    }
}
