//! What is taken for granted where a function's conditions are told, so that none promises more than is known.
//!
//! Three things. Of pointers that are handed in, and of the memory behind them, conditions are mostly told as if these were as they
//! should be: [`Notation::assumed`] has that, input by input. What is called and not known is taken to come back. And a function
//! that is only declared is taken to come back, if it is none that is known, and to do nothing wrong with what it gets ([`dual::trust`]).

use super::Condition;
use dual::notation::{Assumed, Notation, Validity};

/// What is taken for granted of one function.
pub struct Given {
    /// Of its inputs, unless a condition says otherwise.
    pub inputs: Vec<Assumed>,
    /// Something was called of which nothing is known: it is taken to come back, and not to fail.
    pub calls_unknown: bool,
    /// In these lines the compiler has done operations on constants that overflow: no check is left of them.
    pub folded: Vec<u32>,
    /// Something is called, by itself or by what it calls, that is only declared: it is taken to do nothing wrong.
    pub calls_declared: bool,
    /// And nobody knows of it whether it comes back: it is taken to.
    pub calls_strangers: bool,
}

impl Given {
    /// Of the inputs, what one of the conditions takes for granted: all, or nothing.
    pub fn inputs<'c>(
        notation: &Notation,
        mut said: impl Iterator<Item = &'c Condition>,
    ) -> Vec<Assumed> {
        match said.any(|condition| condition.valid_pointers) {
            true => notation.assumed().to_vec(),
            false => Vec::new(),
        }
    }

    /// A line for each.
    pub fn words(&self) -> Vec<String> {
        let has = |about| self.inputs.iter().any(|assumed| assumed.about == about);
        let lines = [
            (
                has(Validity::Pointer),
                "pointers are alive and within their objects, unless it says otherwise",
            ),
            (
                has(Validity::Contents),
                "what it reads there has been written before, unless it says otherwise",
            ),
            (
                self.calls_unknown,
                "what it calls, and is not known, comes back and does not fail",
            ),
            (
                self.calls_strangers,
                "what it calls, and is only declared, comes back",
            ),
            (
                self.calls_declared,
                "what it calls, and is only declared, does nothing wrong with what it gets",
            ),
        ];
        let said = lines.into_iter().filter(|(holds, _)| *holds);
        let said = said.map(|(_, line)| line.to_string());
        let overflow = |line: &u32| {
            format!("line {line}: an operation on constants overflows, which is no check here")
        };
        said.chain(self.folded.iter().map(overflow)).collect()
    }
}
