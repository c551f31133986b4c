//! What a run finds outside: the same line again and again.
//!
//! Nobody knows what is there, and everything may be. A run is one of many, so a few are made, with numbers at which much goes
//! wrong that is never tried.

use std::cell::Cell;
use std::io::{Read, Result};
use std::rc::Rc;

/// Nothing; and numbers that are too small, too large, and no size of anything.
pub(super) const TEXTS: [&str; 4] = ["", "2147483647\n", "-2147483648\n", "0\n"];

/// An input that never ends, unless there is nothing.
pub(super) struct Input {
    text: &'static str,
    at: usize,
    asked: Rc<Cell<bool>>,
}

impl Input {
    pub fn new(text: &'static str, asked: Rc<Cell<bool>>) -> Input {
        Input { text, at: 0, asked }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.asked.set(true);
        let rest = &self.text.as_bytes()[self.at..];
        let count = rest.len().min(buffer.len());
        let (to, from) = (buffer.get_mut(..count), rest.get(..count));
        if let (Some(to), Some(from)) = (to, from) {
            to.copy_from_slice(from);
        }
        self.at += count;
        if self.at == self.text.len() {
            self.at = 0;
        }
        Ok(count)
    }
}
