//! What a finding is recognized by, wherever its line moves to: the function, the broken
//! condition, and which of equal conditions it is. The interpreter's findings and the engine's
//! are identified alike, so that both speak of one error under one id.

use crate::explain::Places;
use ir::text::Printer;
use ir::{Check, CheckId, FuncId, Linkage, Program};
use report::FingerprintParts;

/// Names checks of one program.
pub struct Identities<'a> {
    program: &'a Program,
    places: &'a Places<'a>,
    printer: Printer<'a>,
}

impl<'a> Identities<'a> {
    pub fn new(program: &'a Program, places: &'a Places<'a>) -> Identities<'a> {
        Identities {
            program,
            places,
            printer: Printer::new(program),
        }
    }

    /// What a fingerprint calls a function: its linkage name, and its file where other units may
    /// have one of the same name.
    pub fn function(&self, function: FuncId) -> String {
        let Some(function) = self.program.functions.get(function) else {
            return String::new();
        };
        let name = self.program.name(function.name);
        match function.linkage {
            // The name alone: how the file is reached depends on where rigel is started.
            Linkage::Internal => {
                let file = (self.places)(function.span).file;
                let file = file.rsplit('/').next().unwrap_or(&file);
                format!("{file}:{name}")
            }
            _ => name.to_string(),
        }
    }

    /// What identifies a check of a function.
    pub fn check(&self, function: FuncId, id: CheckId) -> FingerprintParts {
        let body = self
            .program
            .functions
            .get(function)
            .and_then(|f| f.body.as_ref());
        let found = body.and_then(|body| Some((body, body.checks.get(id)?)));
        let Some((body, check)) = found else {
            return FingerprintParts::default();
        };
        // What was woven in is numbered, and changes with every statement that it hears of: the value stands for the check, and
        // where there is none, the rule.
        let subject = |c: &Check| rules::temporal::subject(self.program, body, &c.condition);
        let is_woven =
            |c: &Check| rules::temporal::is_woven_check(self.program, body, &c.condition);
        let value = subject(check);
        let condition = match value {
            Some(value) => self.printer.expr(function, body, value),
            None if is_woven(check) => String::new(),
            None => self.printer.condition(function, body, &check.condition),
        };
        // Expressions are hash-consed: equal conditions have equal ids.
        let before = body.checks.iter().take_while(|(other, _)| *other != id);
        let equal = before.filter(|(_, c)| match value {
            Some(_) => c.rule == check.rule && subject(c) == value,
            None if is_woven(check) => c.rule == check.rule && is_woven(c),
            None => *c == check,
        });
        FingerprintParts {
            function: self.function(function),
            ordinal: equal.count() as u32,
            condition,
        }
    }
}
