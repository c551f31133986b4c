//! A solver as a prover: what it has been told, what it is asked, what it is believed.
//!
//! Facts are sent when a question needs them, so that what is pushed and popped between two
//! questions costs nothing. After trouble (a solver that died, or talked nonsense) the next
//! question goes to a new one, which is told the whole stack.

use crate::evaluate::evaluate_all;
use crate::prover::{Answer, Label, Model, Prover, Unknown};
use crate::smt::expression::{Expression, read};
use crate::smt::print::{Printer, Valued};
use crate::term::{Pool, TermId, mask};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// What a solver did instead of answering, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble(pub String);

/// A way to a solver that executes SMT-LIB 2 commands.
pub trait Transport: Send {
    /// For statistics: `z3 5.4.0`.
    fn name(&self) -> String;

    /// Executes the commands, and gives all that the solver printed meanwhile.
    fn ask(&mut self, commands: &str) -> Result<String, Trouble>;

    /// The next question goes to a solver that knows nothing, whatever the last one has become.
    fn restart(&mut self);

    /// The commands that a new solver gets first.
    fn preamble(&self) -> String;

    /// The command that limits the next check, if this solver has one.
    fn limit(&self, budget: u64) -> String;
}

/// How much trouble is put up with, before a solver is asked no more. Shared by all sessions of a
/// run: a solver that hangs must cost some seconds in all, not for every function.
#[derive(Clone, Debug)]
pub struct Patience(Arc<Troubles>);

#[derive(Debug)]
struct Troubles {
    /// So many more.
    left: AtomicU32,
    /// The first one, in words: what is said of all questions that are not asked any more.
    first: OnceLock<String>,
}

impl Patience {
    pub fn new(troubles: u32) -> Patience {
        Patience(Arc::new(Troubles {
            left: AtomicU32::new(troubles),
            first: OnceLock::new(),
        }))
    }

    /// What it came to its end with.
    fn end(&self) -> Option<&str> {
        let first = self.0.first.get().map(String::as_str);
        let gone = self.0.left.load(Ordering::Relaxed) == 0;
        gone.then(|| first.unwrap_or("the solver is not asked"))
    }

    fn lose_some(&self, what: &str) {
        let _ = self.0.first.set(what.to_string());
        let _ = self
            .0
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
    }
}

impl Default for Patience {
    fn default() -> Patience {
        Patience::new(3)
    }
}

/// A prover that asks a solver.
pub struct Session<T: Transport> {
    transport: T,
    patience: Patience,
    facts: Vec<(Label, TermId)>,
    /// How many facts there were at each push.
    frames: Vec<usize>,
    /// How much of the stack the solver knows.
    sent_facts: usize,
    sent_frames: usize,
    /// Frames that it knows and that are gone.
    gone_frames: usize,
    /// The labels by the numbers that facts have in the solver.
    named: BTreeMap<u64, Label>,
    next_name: u64,
    printer: Printer,
    /// The solver was told something since it began.
    used: bool,
    broken: bool,
}

impl<T: Transport> Session<T> {
    pub fn new(transport: T, patience: Patience) -> Session<T> {
        Session {
            transport,
            patience,
            facts: Vec::new(),
            frames: Vec::new(),
            sent_facts: 0,
            sent_frames: 0,
            gone_frames: 0,
            named: BTreeMap::new(),
            next_name: 0,
            printer: Printer::new(),
            used: false,
            broken: false,
        }
    }

    /// As if nothing had been sent.
    fn begin_anew(&mut self) {
        if self.used || self.broken {
            self.transport.restart();
        }
        self.sent_facts = 0;
        self.sent_frames = 0;
        self.gone_frames = 0;
        self.named.clear();
        self.next_name = 0;
        self.printer = Printer::new();
        self.used = false;
        self.broken = false;
    }

    /// The commands that bring the solver's stack to ours.
    fn difference(&mut self, pool: &Pool) -> String {
        let mut out = String::new();
        if !self.used {
            out.push_str(&self.transport.preamble());
            self.used = true;
        }
        if self.gone_frames > 0 {
            let _ = writeln!(out, "(pop {})", self.gone_frames);
            self.gone_frames = 0;
        }
        for at in self.sent_facts..=self.facts.len() {
            while self.frames.get(self.sent_frames) == Some(&at) {
                out.push_str("(push 1)\n");
                self.printer.push();
                self.sent_frames += 1;
            }
            let Some(&(label, fact)) = self.facts.get(at) else {
                break;
            };
            // What is true anyway is in no core.
            if pool.as_bool(fact) != Some(true) {
                let text = self.printer.term(pool, fact, &mut out);
                let name = self.next_name;
                let _ = writeln!(out, "(assert (! {text} :named f{name}))");
                self.named.insert(name, label);
                self.next_name += 1;
            }
        }
        self.sent_facts = self.facts.len();
        out
    }

    fn ask(&mut self, commands: &str) -> Result<Vec<Expression>, Trouble> {
        let text = self.transport.ask(commands)?;
        let all = read(&text).map_err(|what| Trouble(format!("gave {what}")))?;
        match all.iter().find_map(Expression::as_error) {
            Some(message) => Err(Trouble(format!("reported an error: {}", brief(message)))),
            None => Ok(all),
        }
    }

    fn question(&mut self, pool: &Pool, budget: u64) -> Result<Answer, Trouble> {
        let mut commands = self.difference(pool);
        commands.push_str(&self.transport.limit(budget));
        commands.push_str("(check-sat)\n");
        let said = self.ask(&commands)?;
        match said.as_slice() {
            [Expression::Atom(word)] if word == "sat" => self.model(pool),
            [Expression::Atom(word)] if word == "unsat" => self.core(),
            [Expression::Atom(word)] if word == "unknown" => self.reason(),
            _ => Err(unexpected("(check-sat)", &said)),
        }
    }

    fn model(&mut self, pool: &Pool) -> Result<Answer, Trouble> {
        let valued = self.printer.valued().to_vec();
        let mut model = Model::default();
        if !valued.is_empty() {
            let mut question = String::from("(get-value (");
            for &v in &valued {
                question.push_str(&self.printer.question(pool, v));
                question.push(' ');
            }
            question.push_str("))\n");
            let said = self.ask(&question)?;
            let values = values_of(&said).ok_or_else(|| unexpected("(get-value)", &said))?;
            let mut values = values.into_iter();
            let mut next = || {
                values
                    .next()
                    .ok_or_else(|| unexpected("(get-value)", &said))
            };
            for v in valued {
                match v {
                    Valued::Symbol(symbol) => {
                        model.symbols.insert(symbol, next()?);
                    }
                    Valued::Element(array, at) => {
                        model.elements.insert((array, at), next()?);
                    }
                    Valued::Select { array, index, .. } => {
                        let element = next()?;
                        let at = mask(next()?, pool.width(index));
                        model.elements.insert((array, at), element);
                    }
                }
            }
        }
        let facts: Vec<TermId> = self.facts.iter().map(|&(_, fact)| fact).collect();
        if evaluate_all(pool, &facts, &model).iter().any(|&v| v != 1) {
            return Err(Trouble("gave values under which a fact is false".into()));
        }
        Ok(Answer::Satisfiable(model))
    }

    fn core(&mut self) -> Result<Answer, Trouble> {
        let said = self.ask("(get-unsat-core)\n")?;
        let [Expression::List(names)] = said.as_slice() else {
            return Err(unexpected("(get-unsat-core)", &said));
        };
        let mut labels = Vec::new();
        for name in names {
            let number = name.as_atom().and_then(|atom| atom.strip_prefix('f'));
            let label = number.and_then(|n| self.named.get(&n.parse().ok()?));
            match label {
                Some(&label) => labels.push(label),
                None => return Err(unexpected("(get-unsat-core)", &said)),
            }
        }
        labels.sort_unstable();
        labels.dedup();
        Ok(Answer::Unsatisfiable(labels))
    }

    fn reason(&mut self) -> Result<Answer, Trouble> {
        let said = self.ask("(get-info :reason-unknown)\n")?;
        let text = format!("{said:?}").to_lowercase();
        let incomplete = text.contains("incomplete") || text.contains("unsupported");
        Ok(Answer::Unknown(if incomplete {
            Unknown::Incomplete
        } else {
            Unknown::Budget
        }))
    }
}

/// The values of `((name value) …)`, in their order.
fn values_of(said: &[Expression]) -> Option<Vec<u128>> {
    let [Expression::List(pairs)] = said else {
        return None;
    };
    let values = pairs.iter().map(|pair| match pair.as_list()? {
        [_, value] => value.as_value(),
        _ => None,
    });
    values.collect()
}

fn unexpected(question: &str, said: &[Expression]) -> Trouble {
    if said.is_empty() {
        return Trouble(format!("did not answer {question}"));
    }
    let text = match &said[0] {
        Expression::Atom(text) | Expression::Text(text) => text.clone(),
        Expression::List(_) => "(…)".into(),
    };
    Trouble(format!("answered {question} with `{}`", brief(&text)))
}

/// One line, and not all of a long one.
pub(crate) fn brief(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

impl<T: Transport> Prover for Session<T> {
    fn name(&self) -> String {
        self.transport.name()
    }

    fn reset(&mut self) {
        self.facts.clear();
        self.frames.clear();
        self.begin_anew();
    }

    fn push(&mut self) {
        self.frames.push(self.facts.len());
    }

    fn pop(&mut self) {
        let Some(start) = self.frames.pop() else {
            return;
        };
        self.facts.truncate(start);
        if self.sent_frames > self.frames.len() {
            self.sent_frames = self.frames.len();
            self.sent_facts = start;
            self.gone_frames += 1;
            self.printer.pop();
        }
    }

    fn assert(&mut self, _pool: &Pool, label: Label, fact: TermId) {
        self.facts.push((label, fact));
    }

    fn check(&mut self, pool: &Pool, budget: u64) -> Answer {
        if self.broken {
            self.begin_anew();
        }
        if let Some(what) = self.patience.end() {
            return Answer::Unknown(Unknown::Trouble(what.to_string()));
        }
        self.question(pool, budget).unwrap_or_else(|Trouble(what)| {
            self.broken = true;
            let what = format!("{}: {what}", self.name());
            self.patience.lose_some(&what);
            Answer::Unknown(Unknown::Trouble(what))
        })
    }
}
