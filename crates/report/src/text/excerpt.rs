//! Source lines with the steps of a path under them.
//!
//! Steps are put into blocks, and in a block under their lines. Where the path stays in one call,
//! there is a block for each function, that of the error first. Where it enters calls and leaves
//! them, blocks follow the path: a new one begins wherever the function changes, moved to the right by
//! a bar for each call that it is in. A block that is not the one of the error, or not the first,
//! starts with `:::` and its place. A line longer than the screen is cut around its marks, and
//! shown twice if they are too far apart for one cut.

use super::Style;
use super::paint::{Ink, Line};
use crate::source::Cells;
use crate::{Location, Sources, called_name};
use unicode_width::UnicodeWidthStr;

/// Lines shown above a step that stands alone.
const BEFORE: u32 = 2;

/// Lines further apart than this are separated by dots.
const NEAR: u32 = 5;

/// The least room for a source line, on however small a terminal.
const ROOM: usize = 40;

/// A step where it stands.
pub struct Mark<'a> {
    pub location: &'a Location,
    pub function: &'a str,
    /// How deep in calls.
    pub depth: u32,
    pub label: String,
    /// The failing one has another mark.
    pub fails: bool,
}

#[derive(Clone, Copy)]
pub struct Layout {
    /// Cells of the line numbers.
    pub gutter: usize,
    pub style: Style,
    /// The colour of the failing step.
    pub accent: Ink,
    /// Bars in front of the lines: calls that are entered.
    pub depth: usize,
}

/// Deeper calls are not moved further to the right: the source needs the room.
const DEEPEST: u32 = 8;

/// Marks that stand together.
struct Block<'m> {
    file: &'m str,
    function: &'m str,
    depth: u32,
    marks: Vec<&'m Mark<'m>>,
}

/// One block for each function, that of the error (file and function) first.
fn by_function<'m>(marks: &'m [Mark<'m>], home: (&'m str, &'m str)) -> Vec<Block<'m>> {
    let block = |(file, function)| Block {
        file,
        function,
        depth: 0,
        marks: Vec::new(),
    };
    let mut blocks = vec![block(home)];
    for mark in marks {
        let key = (mark.location.file.as_str(), mark.function);
        let known = blocks.iter().position(|b| (b.file, b.function) == key);
        let at = known.unwrap_or_else(|| {
            blocks.push(block(key));
            blocks.len() - 1
        });
        blocks[at].marks.push(mark);
    }
    blocks
}

/// In the order of the path, as long as it stays in a call.
fn by_call<'m>(marks: &'m [Mark<'m>]) -> Vec<Block<'m>> {
    let least = marks.iter().map(|mark| mark.depth).min().unwrap_or(0);
    let mut blocks: Vec<Block> = Vec::new();
    for mark in marks {
        let file = mark.location.file.as_str();
        let depth = (mark.depth - least).min(DEEPEST);
        let here = (file, mark.function, depth);
        match blocks.last_mut() {
            Some(last) if (last.file, last.function, last.depth) == here => last.marks.push(mark),
            _ => blocks.push(Block {
                file,
                function: mark.function,
                depth,
                marks: vec![mark],
            }),
        }
    }
    blocks
}

/// Cells that the line numbers of all marks need.
pub fn gutter(marks: &[Mark]) -> usize {
    let last = marks.iter().map(|mark| mark.location.line).max();
    last.unwrap_or(0).to_string().len()
}

pub fn width(text: &str) -> usize {
    text.width()
}

/// `list.c:14:12  in last()`.
pub fn place(location: &Location, function: &str) -> String {
    match function {
        "" => location.to_string(),
        name => format!("{location}  in {}", called_name(name)),
    }
}

fn source(mark: &Mark, sources: &dyn Sources) -> Option<String> {
    match mark.location.line {
        0 => None,
        line => sources.line(&mark.location.file, line),
    }
}

impl Layout {
    /// All marks. `home`: file and function of the error.
    pub fn render<'m>(
        &self,
        out: &mut String,
        marks: &'m [Mark<'m>],
        home: (&'m str, &'m str),
        sources: &dyn Sources,
    ) {
        let calls = marks.windows(2).any(|pair| pair[0].depth != pair[1].depth);
        let mut blocks = match calls {
            true => by_call(marks),
            false => by_function(marks, home),
        };
        // A mark without a word and without its line says nothing.
        let tells = |mark: &&Mark| !mark.label.is_empty() || source(mark, sources).is_some();
        blocks.retain(|block| block.marks.iter().any(tells));
        for (i, mut block) in blocks.into_iter().enumerate() {
            let layout = Layout {
                depth: block.depth as usize,
                ..*self
            };
            if (block.file, block.function) != home || calls && i > 0 {
                layout.place(out, block.marks[0]);
            }
            // Stable: steps on one line stay in their order.
            block.marks.sort_by_key(|mark| mark.location.line);
            layout.block(out, &block.marks, marks.len() == 1, sources);
        }
    }

    /// Where a block is: `::: list.c:14:12  in last()`, below the call that it is in.
    fn place(&self, out: &mut String, first: &Mark) {
        let bars = match self.depth.checked_sub(1) {
            Some(outer) => format!(" | {}", "| ".repeat(outer)),
            None => String::new(),
        };
        Line::of(Ink::Frame, format!("{:1$}{bars}::: ", "", self.gutter))
            .and(Ink::Plain, place(first.location, first.function))
            .write(out, self.style.color);
    }

    fn block(&self, out: &mut String, marks: &[&Mark], alone: bool, sources: &dyn Sources) {
        self.bar(out, None, Line::default());
        let mut previous: Option<u32> = None;
        let mut rest = marks;
        while let Some(first) = rest.first() {
            let line = first.location.line;
            let end = rest.partition_point(|mark| mark.location.line <= line);
            let (here, later) = rest.split_at(end);
            rest = later;
            if previous.is_some_and(|before| line > before + NEAR) {
                Line::of(Ink::Frame, "...").write(out, self.style.color);
            }
            previous = Some(line);
            match source(first, sources) {
                Some(source) => {
                    if alone {
                        self.context(out, first.location, sources);
                    }
                    self.line(out, line, &source, here);
                }
                None => self.without_source(out, line, here),
            }
        }
    }

    /// The lines above. Empty ones at their beginning tell nothing.
    fn context(&self, out: &mut String, at: &Location, sources: &dyn Sources) {
        let above = at.line.saturating_sub(BEFORE).max(1)..at.line;
        let lines = above.filter_map(|n| Some((n, sources.line(&at.file, n)?)));
        for (number, source) in lines.skip_while(|(_, source)| source.trim().is_empty()) {
            let cells = Cells::new(&source);
            let shown = match cells.width() <= self.room() {
                true => cells.text(0, cells.width()),
                false => format!("{}…", cells.text(0, self.room() - 1)),
            };
            self.bar(out, Some(number), Line::of(Ink::Plain, shown));
        }
    }

    fn room(&self) -> usize {
        let taken = self.gutter + 3 + 2 * self.depth;
        self.style.width.saturating_sub(taken).max(ROOM)
    }

    fn line(&self, out: &mut String, number: u32, source: &str, marks: &[&Mark]) {
        let cells = Cells::new(source);
        // Once for each: a line may be as long as the program.
        let column = |mark: &&Mark| cells.of_column(source, mark.location.column);
        let at: Vec<usize> = marks.iter().map(column).collect();
        let mut columns = at.clone();
        columns.sort_unstable();
        for window in windows(&columns, cells.width(), self.room()) {
            let dots = if window.from > 0 { "…" } else { "" };
            let more = if window.to < cells.width() { "…" } else { "" };
            let shown = format!("{dots}{}{more}", cells.text(window.from, window.to));
            self.bar(out, Some(number), Line::of(Ink::Plain, shown));
            let inside = marks.iter().zip(&at).filter(|(_, at)| window.has(**at));
            for (mark, at) in inside {
                let indent = at - window.from + dots.chars().count();
                let line = Line::of(Ink::Plain, " ".repeat(indent));
                self.bar(out, None, self.mark(line, mark));
            }
        }
    }

    fn without_source(&self, out: &mut String, number: u32, marks: &[&Mark]) {
        for mark in marks {
            let number = Some(number).filter(|&n| n > 0);
            self.bar(out, number, self.mark(Line::default(), mark));
        }
    }

    fn mark(&self, line: Line, mark: &Mark) -> Line {
        let (sign, ink) = match mark.fails {
            true => ("^", self.accent),
            false => ("-", Ink::Frame),
        };
        line.and(ink, format!("{sign} {}", mark.label))
    }

    /// `12 | ` and the rest, with a bar for each call in between.
    fn bar(&self, out: &mut String, number: Option<u32>, rest: Line) {
        let number = number.map_or(String::new(), |n| n.to_string());
        let (gutter, bars) = (self.gutter, "| ".repeat(self.depth));
        Line::of(Ink::Frame, format!("{number:>gutter$} | {bars}"))
            .then(rest)
            .write(out, self.style.color);
    }
}

/// Cells of a line that are shown together.
#[derive(Debug, PartialEq, Eq)]
struct Window {
    from: usize,
    to: usize,
    /// The last mark it is for.
    until: usize,
    /// The first.
    since: usize,
}

impl Window {
    fn has(&self, column: usize) -> bool {
        (self.since..=self.until).contains(&column)
    }
}

/// Cuts a line of this width so that every mark (in order) is in one window, with something of
/// the text around it.
fn windows(marks: &[usize], width: usize, room: usize) -> Vec<Window> {
    let (Some(&first), Some(&last)) = (marks.first(), marks.last()) else {
        return Vec::new();
    };
    if width <= room {
        return vec![Window {
            from: 0,
            to: width,
            since: first,
            until: last,
        }];
    }
    // What is left of the room beside the dots.
    let room = room.saturating_sub(2);
    let around = room / 4;
    let mut out = Vec::new();
    let mut rest = marks;
    while let Some(&since) = rest.first() {
        let end = rest.partition_point(|&mark| mark < since + room - 2 * around);
        let until = rest[end - 1];
        let from = match until + around < room {
            true => 0,
            false => (since.saturating_sub(around)).min(width.saturating_sub(room)),
        };
        out.push(Window {
            from,
            to: (from + room).min(width),
            since,
            until,
        });
        rest = &rest[end..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_shown_whole() {
        let whole = windows(&[3, 30], 40, 40);
        assert_eq!(whole.len(), 1);
        assert_eq!((whole[0].from, whole[0].to), (0, 40));
    }

    #[test]
    fn every_mark_of_a_long_line_is_in_a_window_with_room() {
        for room in [40, 97] {
            for marks in [vec![0], vec![199], vec![5, 60, 61, 150], vec![20, 199, 300]] {
                let all = windows(&marks, 200, room);
                for mark in &marks {
                    let window: Vec<_> = all.iter().filter(|w| w.has(*mark)).collect();
                    assert_eq!(window.len(), 1, "{mark} in {all:?}");
                    let inside = window[0].from <= *mark && *mark < window[0].to;
                    assert!(inside || *mark >= 200, "{mark} in {all:?}");
                    assert!(window[0].to - window[0].from <= room - 2);
                }
            }
        }
    }
}
