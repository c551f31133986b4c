//! What a tool reports, in one form: rigel and clang say it in SARIF, gcc in lines of text, cppcheck in XML.

mod cppcheck;
mod lines;
mod sarif;

use serde::{Deserialize, Serialize};

/// One report.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    pub file: String,
    pub line: usize,
    pub rule: String,
    #[serde(rename = "msg")]
    pub message: String,
    /// Numbers in the Common Weakness Enumeration, as far as the tool gives any.
    pub cwes: Vec<u32>,
    /// In the tool's own word.
    #[serde(rename = "sev", default)]
    pub severity: String,
}

/// How a tool writes its reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It has none: a compiler, for its time.
    Nothing,
    Sarif,
    Lines,
    Cppcheck,
}

/// The reports in what a tool wrote; an error if it is not of that form.
pub fn read(form: Form, text: &str) -> anyhow::Result<Vec<Finding>> {
    match form {
        Form::Nothing => Ok(Vec::new()),
        Form::Sarif => sarif::read(text),
        Form::Lines => Ok(lines::read(text)),
        Form::Cppcheck => cppcheck::read(text),
    }
}
