//! Content hashes of functions: equal hashes, equal meaning to an analysis of that one function.
//!
//! A hash covers the body, the layout of every struct that the body has by value or reaches into,
//! the prototypes it calls, and the contents of the constants it reads. It knows no ids and no
//! positions, so it stays the same when other functions come and go, when the function moves to
//! another line, when the linker renumbers, and when the compiler numbers its string literals
//! anew. What does move with the lines is the line that `assert` passes on when it fails: that
//! argument is left out.
//!
//! Everything is written to one stream, each expression and place when it is first met and by its number
//! afterwards: linear in the size of the function, and independent of the order in which arenas were
//! filled. Types, and other functions and globals, are written as hashes of their own.

mod out;
mod stream;
mod types;

#[cfg(test)]
mod tests;

use crate::arena::Arena;
use crate::program::{FuncId, Linkage, Program};
use stream::Stream;
use types::Tables;

/// A function's content hash.
pub type Hash = [u8; 32];

/// Hashes the functions of one program.
pub struct Hasher<'a> {
    program: &'a Program,
    tables: Tables,
}

impl<'a> Hasher<'a> {
    pub fn new(program: &'a Program) -> Hasher<'a> {
        Hasher {
            program,
            tables: Tables::new(program),
        }
    }

    /// For many functions, one after the other.
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            stream: Stream::new(self.program, &self.tables),
            program: self.program,
        }
    }
}

/// Hashes functions, one after the other.
pub struct Worker<'a> {
    program: &'a Program,
    stream: Stream<'a>,
}

impl Worker<'_> {
    pub fn function(&mut self, id: FuncId) -> Hash {
        let stream = &mut self.stream;
        if let Some(f) = self.program.functions.get(id) {
            stream.symbol(f.name);
            stream.symbol(f.display);
            stream.byte(u8::from(f.linkage == Linkage::Internal));
            stream.byte(u8::from(f.noreturn));
            stream.value_type(f.signature);
            if let Some(body) = &f.body {
                stream.body(body);
            }
        }
        stream.finish()
    }
}

pub fn function_hash(program: &Program, id: FuncId) -> Hash {
    Hasher::new(program).worker().function(id)
}

/// The hashes of all functions, by id.
pub fn function_hashes(program: &Program) -> Arena<FuncId, Hash> {
    let hasher = Hasher::new(program);
    let mut worker = hasher.worker();
    let ids = program.functions.ids();
    ids.map(|id| worker.function(id)).collect::<Vec<_>>().into()
}
