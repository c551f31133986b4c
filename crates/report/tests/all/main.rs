//! Reports from outside: what people read, and what other tools read.

mod common;
mod json;
mod normal;
mod sarif;
mod text;
