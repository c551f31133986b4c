//! The streams of a run.

use std::io::{Read, Write};

/// Output is collected to this size before it is handed on.
const CHUNK: usize = 1 << 16;

/// One of the two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

pub struct Io<'p> {
    stdout: Box<dyn Write + 'p>,
    stderr: Box<dyn Write + 'p>,
    stdin: Box<dyn Read + 'p>,
    out: Vec<u8>,
    input: Vec<u8>,
    at: usize,
    ended: bool,
    /// A read has met the end of the input.
    pub eof: bool,
    /// Bytes pushed back by `ungetc`, last first.
    pushed: Vec<u8>,
    /// The first write that failed.
    pub error: Option<String>,
}

impl<'p> Io<'p> {
    pub fn new(
        stdout: Box<dyn Write + 'p>,
        stderr: Box<dyn Write + 'p>,
        stdin: Box<dyn Read + 'p>,
    ) -> Io<'p> {
        Io {
            stdout,
            stderr,
            stdin,
            out: Vec::new(),
            input: Vec::new(),
            at: 0,
            ended: false,
            eof: false,
            pushed: Vec::new(),
            error: None,
        }
    }

    pub fn write(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => {
                self.out.extend_from_slice(bytes);
                if self.out.len() >= CHUNK {
                    self.flush();
                }
            }
            Stream::Err => {
                // What was printed before must be seen before.
                self.flush();
                if let Err(e) = self.stderr.write_all(bytes) {
                    self.error.get_or_insert(e.to_string());
                }
            }
        }
    }

    pub fn flush(&mut self) {
        let done = self
            .stdout
            .write_all(&self.out)
            .and_then(|()| self.stdout.flush());
        if let Err(e) = done {
            self.error.get_or_insert(e.to_string());
        }
        self.out.clear();
    }

    /// The next input byte, without taking it.
    pub fn peek(&mut self) -> Option<u8> {
        if let Some(&b) = self.pushed.last() {
            return Some(b);
        }
        if self.at >= self.input.len() && !self.ended {
            self.flush();
            self.input.resize(CHUNK, 0);
            let n = self.stdin.read(&mut self.input).unwrap_or(0);
            self.input.truncate(n);
            self.at = 0;
            self.ended = n == 0;
        }
        let b = self.input.get(self.at).copied();
        self.eof |= b.is_none();
        b
    }

    pub fn get(&mut self) -> Option<u8> {
        let b = self.peek()?;
        if self.pushed.pop().is_none() {
            self.at += 1;
        }
        Some(b)
    }

    pub fn unget(&mut self, b: u8) {
        self.pushed.push(b);
        self.eof = false;
    }
}
