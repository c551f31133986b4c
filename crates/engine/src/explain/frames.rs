//! Paths through several functions: the calls that they enter and leave, in words.
//!
//! In a composed body ([`ir::compose()`]) a call is glue: declarations, assignments of arguments and of
//! the result. A reader wants to see a call. So the glue is not told edge by edge; each *visit* of a
//! callee is told by one step in the caller, where it is entered, and one in the callee, where
//! it is left without a word of its own (`return x` is such a word). They matter if the path ends
//! in the callee, or something there matters.

use super::Explainer;
use super::notation::Words;
use crate::ErrorPath;
use ir::{Call, CallOutcome, ExprId, ExprKind, FrameId, Origin, PlaceId, Span, Stmt};
use report::{Caller, Importance, StepKind};

/// A step, in words.
pub(super) struct Told {
    pub span: Span,
    /// The frame that it happens in.
    pub frame: FrameId,
    pub kind: StepKind,
    pub text: String,
    pub importance: Importance,
}

/// A frame from the step that enters it to the one that leaves it.
struct Visit {
    frame: FrameId,
    entered: usize,
    /// None: the path ends in it.
    left: Option<usize>,
}

/// The visits of a path.
pub(super) struct Visits<'a> {
    words: &'a Words<'a>,
    told: &'a [Option<(StepKind, String)>],
    importance: &'a [Importance],
    visits: Vec<Visit>,
}

/// Copies that are followed back to a constant or an address.
const COPIES: usize = 16;

impl<'a> Words<'a> {
    fn origin(&self, step: usize) -> Option<Origin> {
        Some(self.composed?.origin(*self.path.get(step)?))
    }

    /// Is the step one of no function's own?
    pub(super) fn is_glue(&self, step: usize) -> bool {
        let origin = self.origin(step);
        origin.is_some_and(|origin| !matches!(origin, Origin::Own(..)))
    }

    /// The frame that a step happens in.
    pub(super) fn frame(&self, step: usize) -> FrameId {
        let edge = self.composed.zip(self.path.get(step));
        edge.map_or(FrameId::ROOT, |(composed, edge)| composed.frame(*edge))
    }

    /// How a step that writes this place returns: `return`, or of a callee `returns`.
    pub(super) fn returns(&self, place: PlaceId) -> Option<&'static str> {
        let v = self.body.places.get(place)?.as_var()?;
        match self.body.ret == Some(v) {
            true => Some("return"),
            false => self.is_result(v).then_some("returns"),
        }
    }

    /// The call whose result a step assigns, and the step at which it was entered.
    pub(super) fn returned(&self, step: usize) -> Option<(&'a Call, usize)> {
        let Some(Origin::Leave(frame)) = self.origin(step) else {
            return None;
        };
        let call = self.composed?.frames[frame].call.as_ref()?;
        let is_in = |at: &usize| self.origin(*at) == Some(Origin::Enter(frame));
        let last = (0..step).rev().find(is_in)?;
        let first = (0..last).rev().take_while(is_in).last();
        Some((call, first.unwrap_or(last)))
    }

    /// The constant that a variable was given on the path, as it is written.
    fn constant(&self, e: ExprId) -> Option<String> {
        let (words, e) = self.copied(e)?;
        let plain = matches!(words.kind(e)?, ExprKind::Null | ExprKind::Int(_));
        plain.then(|| words.expr(e))
    }

    /// The place whose address a pointer was given on the path.
    pub(super) fn pointed(&self, pointer: ExprId) -> Option<PlaceId> {
        let (words, e) = self.copied(pointer)?;
        match words.kind(e)? {
            ExprKind::AddrOf(place) => Some(*place),
            _ => None,
        }
    }

    /// What a value is a copy of on the path, through variables, and the words at that point.
    fn copied(&self, e: ExprId) -> Option<(Words<'a>, ExprId)> {
        let (mut words, mut e) = (*self, self.bare(e));
        for _ in 0..COPIES {
            let ExprKind::Load(place) = words.kind(e)? else {
                return Some((words, e));
            };
            let v = words.body.places.get(*place)?.as_var()?;
            // Somebody else may have written it since.
            if words.body.vars.get(v)?.address_taken {
                return None;
            }
            let (step, stmt) = words.last_write(v)?;
            let Stmt::Assign { value, .. } = stmt else {
                return None;
            };
            e = words.bare(*value);
            words = words.before(step);
        }
        None
    }
}

impl<'a> Visits<'a> {
    /// The visits of a path whose own steps are told as they are, and matter so much.
    pub fn of(
        words: &'a Words<'a>,
        told: &'a [Option<(StepKind, String)>],
        importance: &'a [Importance],
    ) -> Visits<'a> {
        Visits {
            words,
            told,
            importance,
            visits: visits(words),
        }
    }

    /// What is told of the glue at a step.
    pub fn told(&self, step: usize) -> Option<Told> {
        if let Some(visit) = self.visits.iter().find(|v| v.entered == step) {
            return self.entering(visit);
        }
        let visit = self.visits.iter().find(|v| v.left == Some(step))?;
        self.leaving(visit)
    }

    fn span(&self, step: usize) -> Span {
        let edge = self.words.path.get(step);
        let edge = edge.and_then(|edge| self.words.body.edges().get(*edge));
        edge.map_or(Span::NONE, |edge| edge.span)
    }

    /// Does anything matter that is told of the visit?
    fn matters(&self, visit: &Visit) -> bool {
        let Some(left) = visit.left else {
            return true;
        };
        let inside = visit.entered..left;
        let essential =
            |at: usize| self.importance[at] == Importance::Essential && self.told[at].is_some();
        inside.into_iter().any(essential) || self.assigned(visit).is_some()
    }

    /// The steps of the glue by which a visit is left.
    fn leave(&self, visit: &Visit) -> impl Iterator<Item = usize> + use<'a> {
        let (words, frame) = (self.words, visit.frame);
        let from = visit.left.unwrap_or(words.path.len());
        (from..words.path.len())
            .take_while(move |at| words.origin(*at) == Some(Origin::Leave(frame)))
    }

    /// The place that gets the result of a visit, if that matters and the source has it.
    fn assigned(&self, visit: &Visit) -> Option<PlaceId> {
        let wanted = |at: &usize| self.importance[*at] == Importance::Essential;
        self.leave(visit).filter(wanted).find_map(|at| {
            match self.words.body.edges().get(self.words.path[at])?.stmt {
                Stmt::Assign { place, .. } => Some(place),
                _ => None,
            }
        })
    }

    /// `p = find(list)`, or `calls find(list)`.
    fn entering(&self, visit: &Visit) -> Option<Told> {
        let composed = self.words.composed?;
        let frame = &composed.frames[visit.frame];
        let words = self.words.before(visit.entered);
        let call = frame.call.as_ref()?;
        let text = words.call(call);
        let result = visit.left.and(call.result);
        let result = result.filter(|p| !words.is_temporary(*p));
        let (kind, mut text) = match (result, result.and_then(|p| words.returns(p))) {
            (_, Some(returns)) => (StepKind::Call, format!("{returns} {text}")),
            (Some(p), None) => (StepKind::Call, format!("{} = {text}", words.place(p))),
            (None, None) => (StepKind::Call, format!("calls {text}")),
        };
        let passed = self.passed(visit, call);
        if !passed.is_empty() {
            text = format!("{text} where {}", passed.join(", "));
        }
        Some(Told {
            span: self.span(visit.entered),
            frame: self.caller(visit)?,
            kind,
            text,
            importance: match self.matters(visit) {
                true => Importance::Essential,
                false => Importance::Important,
            },
        })
    }

    /// The arguments that matter and are constants on this path, where the call does not say so:
    /// `p is NULL`.
    fn passed(&self, visit: &Visit, call: &Call) -> Vec<String> {
        let (words, before) = (self.words, self.words.before(visit.entered));
        let entering = (visit.entered..words.path.len())
            .take_while(|at| words.origin(*at) == Some(Origin::Enter(visit.frame)));
        let assigned =
            entering.filter_map(|at| match words.body.edges().get(words.path[at])?.stmt {
                Stmt::Assign { value, .. } => Some((value, self.importance[at])),
                _ => None,
            });
        let essential = assigned.filter(|(_, importance)| *importance == Importance::Essential);
        let mut passed: Vec<String> = Vec::new();
        for (value, _) in essential {
            let argument = before.bare(value);
            let named = matches!(before.kind(argument), Some(ExprKind::Load(_)));
            if let Some(constant) = before.constant(value).filter(|_| named)
                && call.args.iter().any(|arg| before.bare(*arg) == argument)
            {
                let name = before.expr(argument);
                let text = format!("{name} is {constant}");
                // A temporary is written as the constant itself.
                if name != constant && !passed.contains(&text) {
                    passed.push(text);
                }
            }
        }
        passed
    }

    /// The frame that a visit is made from.
    fn caller(&self, visit: &Visit) -> Option<FrameId> {
        let (caller, _) = self.words.composed?.frames[visit.frame].caller?;
        Some(caller)
    }

    /// Does the caller give back what the visit gives?
    fn hands_on(&self, visit: &Visit) -> bool {
        let Some(composed) = self.words.composed.filter(|_| visit.left.is_some()) else {
            return false;
        };
        let call = composed.frames[visit.frame].call.as_ref();
        let result = call.and_then(|call| call.result);
        result.is_some_and(|place| self.words.returns(place).is_some())
    }

    /// `returns`, unless the callee's own last word says it.
    fn leaving(&self, visit: &Visit) -> Option<Told> {
        let words = self.words;
        let left = visit.left?;
        let ended = self.leave(visit).filter_map(|at| {
            let stmt = &words.body.edges().get(words.path[at])?.stmt;
            match (stmt, self.importance[at]) {
                (Stmt::End(v), Importance::Essential) => words.name(*v),
                _ => None,
            }
        });
        let ended: Vec<&str> = ended.collect();
        let last = (visit.entered..left).rev().find(|at| !words.is_glue(*at));
        let thrown = last.is_some_and(|at| self.is_thrown(at));
        // The visits that this one makes: `return f(x)` is said where `f` is entered.
        let within = visit.entered + 1..left;
        let inner = self.visits.iter().filter(|inner| {
            within.contains(&inner.entered) && self.caller(inner) == Some(visit.frame)
        });
        let hands_on = inner.clone().any(|inner| self.hands_on(inner));
        let own = |at: &usize| words.frame(*at) == visit.frame;
        let mut told = (visit.entered..left).filter(own);
        let says = hands_on || told.any(|at| matches!(self.told[at], Some((StepKind::Return, _))));
        let mut own = (visit.entered..left).rev().filter(own);
        let own = own.find(|at| !words.is_glue(*at));
        let last = own.max(inner.map(|inner| inner.entered).max());
        let text = match (thrown, ended.as_slice()) {
            (true, _) => "an exception leaves".to_string(),
            (false, []) if says => return None,
            (false, []) => "returns".to_string(),
            (false, [one]) => format!("returns: {one} goes out of scope"),
            (false, more) => format!("returns: {} go out of scope", more.join(", ")),
        };
        Some(Told {
            span: last.map_or(Span::NONE, |at| self.span(at)),
            frame: visit.frame,
            kind: StepKind::Return,
            text,
            importance: match self.matters(visit) || !ended.is_empty() {
                true => Importance::Essential,
                false => Importance::Important,
            },
        })
    }

    fn is_thrown(&self, step: usize) -> bool {
        let edge = self.words.body.edges().get(self.words.path[step]);
        edge.is_some_and(|edge| match &edge.stmt {
            Stmt::Resume(_) => true,
            Stmt::Call(call) => call.outcome == CallOutcome::Unwind,
            _ => false,
        })
    }
}

fn visits(words: &Words<'_>) -> Vec<Visit> {
    let mut visits: Vec<Visit> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut before = None;
    for at in 0..words.path.len() {
        let origin = words.origin(at);
        match origin {
            Some(Origin::Enter(frame)) if before != origin => {
                open.push(visits.len());
                visits.push(Visit {
                    frame,
                    entered: at,
                    left: None,
                });
            }
            Some(Origin::Leave(frame)) if before != origin => {
                // Callees are left before their callers.
                if let Some(inner) = open.pop_if(|v| visits[*v].frame == frame) {
                    visits[inner].left = Some(at);
                }
            }
            _ => {}
        }
        before = origin;
    }
    visits
}

impl Explainer<'_> {
    /// Calls around the check.
    pub(super) fn depth(&self, error: &ErrorPath) -> u32 {
        let composed = error.composed.as_ref();
        composed.map_or(0, |c| c.frames[c.check(error.check).0].depth)
    }

    /// The calls that the path is in at its end, the innermost first.
    pub(super) fn called(&self, error: &ErrorPath) -> Vec<Caller> {
        let Some(words) = self.words(error) else {
            return Vec::new();
        };
        let open = visits(&words)
            .into_iter()
            .filter(|v| v.left.is_none())
            .rev();
        let callers = open.filter_map(|visit| {
            let frame = &words.composed?.frames[visit.frame];
            let edge = words.body.edges().get(*words.path.get(visit.entered)?)?;
            Some(Caller {
                location: (self.places)(edge.span),
                text: words.before(visit.entered).call(frame.call.as_ref()?),
            })
        });
        callers.collect()
    }
}
