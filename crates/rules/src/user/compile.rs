//! From what is written to an automaton, and what is wrong with it as a whole.

use super::parse::nearest;
use super::syntax::{PatternText, RuleText, TargetText};
use super::{Message, Mistake, User};
use crate::Meta;
use crate::temporal::{AnyState, Automaton, Label, Pattern, State, Target, Transition, Valid};

/// States, and different patterns, that a rule may have.
const MOST: usize = crate::temporal::MOST;

/// What stands in it holds in every state.
pub(super) const ANY: &str = "any";

/// The rule; what it needs lives as long as the process.
pub(super) fn rule(file: &str, text: RuleText<'_>) -> Result<User, Mistake> {
    let (any, own): (Vec<_>, Vec<_>) = text.states.into_iter().partition(|s| s.name == ANY);
    let text = RuleText {
        states: own,
        ..text
    };
    let Some(first) = text.states.first() else {
        return Err(Mistake::new(
            text.place,
            format!("the rule `{}` has no state", text.id),
            "a state is `start:` with lines `pattern -> state` below it",
        ));
    };
    let mut patterns: Vec<PatternText> = Vec::new();
    let mut transitions: Vec<Transition> = Vec::new();
    let mut messages: Vec<Message> = Vec::new();
    let mut reached: Vec<&str> = vec![first.name];
    let mut speaks = false;
    // What is led to from every state that says nothing else, and what `any` has.
    let mut everywhere: Vec<(usize, Target)> = Vec::new();
    let mut in_any: Vec<usize> = Vec::new();
    let names: Vec<(&str, super::Place)> = text.states.iter().map(|s| (s.name, s.place)).collect();
    let each = text.each.map(|(name, _)| name);
    let states: &'static [State] = text
        .states
        .iter()
        .map(|s| State {
            name: leak(s.name),
            told: leak(&told(each.is_some(), s.name, s.told.as_deref())),
        })
        .collect::<Vec<_>>()
        .leak();
    let count = text.states.len();
    // The lines of every state come last.
    let all = text.states.into_iter().enumerate();
    let all = all.map(|(at, s)| (Some(at), s));
    for (from, state) in all.chain(any.into_iter().map(|s| (None, s))) {
        for t in state.transitions {
            speaks |= t.pattern.has_value();
            let on = match patterns.iter().position(|p| *p == t.pattern) {
                Some(on) => on,
                None => {
                    patterns.push(t.pattern);
                    patterns.len() - 1
                }
            };
            let gives = is_given(&patterns[on]);
            let here = |u: &Transition| Some(u.from) == from && u.on == on;
            if transitions.iter().any(here) || (from.is_none() && in_any.contains(&on)) {
                return Err(Mistake::new(
                    t.place,
                    format!("`{}` stands twice in the state `{}`", t.source, state.name),
                    "the first line that fits counts",
                ));
            }
            let to = match t.to {
                TargetText::State(name, place) => match names.iter().position(|n| n.0 == name) {
                    Some(to) => {
                        reached.push(name);
                        Target::State(to)
                    }
                    None => return Err(no_state(name, place, &names)),
                },
                TargetText::Error(message) => {
                    let parts = super::message::parts(&message, each)
                        .map_err(|(what, hint)| Mistake::new(t.place, what, hint))?;
                    messages.push(Message {
                        parts,
                        source: t.source.to_string(),
                    });
                    Target::Told(messages.len() as u32 - 1)
                }
            };
            match from {
                Some(from) => transitions.push(Transition { from, on, to }),
                None => in_any.push(on),
            }
            // What a call gives is new, and in the first state.
            if from.is_none() || (from == Some(0) && gives) {
                everywhere.push((on, to));
            }
        }
    }
    for (on, to) in everywhere {
        for from in 0..count {
            if !transitions.iter().any(|t| t.from == from && t.on == on) {
                transitions.push(Transition { from, on, to });
            }
        }
    }
    if let Some((name, place)) = names.iter().find(|(name, _)| !reached.contains(name)) {
        return Err(Mistake::new(
            *place,
            format!("no line leads to the state `{name}`"),
            format!(
                "the first state is `{}`; the others need a `-> {name}`",
                names[0].0
            ),
        ));
    }
    if messages.is_empty() {
        return Err(Mistake::new(
            text.place,
            format!("the rule `{}` can find nothing", text.id),
            "a line must lead to `error \"message\"`",
        ));
    }
    if let (Some((name, place)), false) = (text.each, speaks) {
        return Err(Mistake::new(
            place,
            format!("no pattern speaks of `{name}`"),
            format!("leave `each {name}` out for a rule about the run as a whole"),
        ));
    }
    if names.len() > MOST || patterns.len() > MOST {
        return Err(Mistake::new(
            text.place,
            format!(
                "the rule `{}` is too large: {} states, {} patterns",
                text.id,
                names.len(),
                patterns.len()
            ),
            format!("at most {MOST} of each: make several rules of it"),
        ));
    }
    let labels = patterns.into_iter().map(|p| label(p, each.is_some()));
    let automaton = Automaton {
        states,
        labels: labels.collect::<Vec<_>>().leak(),
        transitions: transitions.leak(),
        library_only: false,
        by_callees: &[],
        void_if_called: &[],
        zero_at_first: false,
        needs: None,
        goes_on: true,
        any_state: Some(AnyState {
            each: each.is_some(),
            harmless: text.harmless.leak(),
        }),
    };
    let meta = Meta {
        id: leak(text.id),
        summary: leak(&text.summary),
        cwe: text.cwe.leak(),
        docs: "",
        shown_by_default: true,
        severity: text.severity,
    };
    let docs = super::message::docs(&meta, file, text.source, &messages);
    let meta = Meta {
        docs: leak(&docs),
        ..meta
    };
    Ok(User {
        meta: Box::leak(Box::new(meta)),
        automata: vec![automaton].leak(),
        each: each.map(leak),
        messages,
        place: text.place,
    })
}

/// A rule lives as long as the process.
pub(super) fn leak(text: &str) -> &'static str {
    String::leak(text.to_string())
}

fn is_given(pattern: &PatternText) -> bool {
    matches!(pattern, PatternText::Call { gives: true, .. })
}

/// What a report says of a state: behind the value, or by itself.
fn told(each: bool, name: &str, said: Option<&str>) -> String {
    match (said, each) {
        (Some(said), _) => said.to_string(),
        (None, true) => format!("is {}", name.replace(['_', '-'], " ")),
        (None, false) => format!("from here on: {}", name.replace(['_', '-'], " ")),
    }
}

fn no_state(name: &str, place: super::Place, names: &[(&str, super::Place)]) -> Mistake {
    let known = || names.iter().map(|n| n.0);
    let hint = match nearest(name, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the states are {}", known().collect::<Vec<_>>().join(", ")),
    };
    Mistake::new(place, format!("there is no state `{name}`"), hint)
}

fn label(pattern: PatternText, each: bool) -> Label {
    let pattern = match pattern {
        PatternText::Call {
            names,
            arguments,
            more,
            gives,
            outcome,
        } => Pattern::Call {
            names: names.leak(),
            arguments: arguments.leak(),
            more,
            gives,
            outcome,
        },
        PatternText::AnyCall { except } => Pattern::AnyCall {
            except: except.leak(),
        },
        PatternText::Stored { to, what } => Pattern::Stored { to, what },
        PatternText::Dereferenced => Pattern::Dereferenced,
        PatternText::Returned => Pattern::Returned,
        PatternText::Left => Pattern::Left,
        PatternText::Ended => Pattern::Ended,
    };
    Label {
        name: "",
        patterns: vec![pattern].leak(),
        valid: if each { Valid::Success } else { Valid::Always },
    }
}
