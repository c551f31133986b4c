//! Joining frames: which edges are replaced, where exceptions go, and the body that comes of it.
//!
//! Nodes of a frame are those of its function, moved by a constant; the glue has nodes of its own.
//!
//! Exceptions: a call without an `Unwind` edge lets them pass. So what leaves a frame goes to the
//! handler of the nearest call on the way to the root that has one, and calls in between that had
//! no such edge get one where there is a handler that they did not know of.

use crate::arena::Arena;
use crate::body::{Body, Edge, EdgeId, NodeId, Parts};
use crate::compose::copy::{Copied, Store};
use crate::compose::{Composed, FrameId, FrameInfo, Impossible, Inlined, Origin};
use crate::program::{FuncId, Program};
use crate::span::Span;
use crate::stmt::{Call, CallOutcome, Callee, CatchClause, Stmt};
use std::collections::BTreeMap;

/// A frame that is being joined.
pub(super) struct Frame<'p> {
    pub(super) function: FuncId,
    pub(super) body: &'p Body,
    pub(super) copied: Copied,
    /// Its node 0.
    pub(super) first_node: u32,
    pub(super) caller: Option<Site>,
    pub(super) depth: u32,
    /// Its calls that are replaced, by the node that they leave.
    pub(super) inlined: BTreeMap<NodeId, FrameId>,
}

/// The call that makes a frame.
pub(super) struct Site {
    pub(super) frame: FrameId,
    pub(super) edge: EdgeId,
    /// In the caller's own body.
    pub(super) node: NodeId,
    /// Over the new body's ids.
    pub(super) call: Call,
    pub(super) span: Span,
    /// All its edges.
    pub(super) outcomes: Vec<EdgeId>,
    /// Where the call returns to, and where its exceptions are handled, in the new body.
    pub(super) returns: Option<NodeId>,
    pub(super) unwinds: Option<NodeId>,
}

pub(super) struct Join<'p> {
    pub(super) program: &'p Program,
    pub(super) store: Store,
    pub(super) frames: Arena<FrameId, Frame<'p>>,
    pub(super) node_count: u32,
    pub(super) edges: Vec<(Edge, Origin)>,
}

impl<'p> Join<'p> {
    pub fn new(program: &'p Program, root: FuncId) -> Result<Join<'p>, Impossible> {
        let mut join = Join {
            program,
            store: Store::default(),
            frames: Arena::new(),
            node_count: 0,
            edges: Vec::new(),
        };
        join.push(root, None)?;
        Ok(join)
    }

    /// Adds the frame of a call.
    pub fn enter(&mut self, inlined: &Inlined) -> Result<(), Impossible> {
        let frame = self.frames.get(inlined.frame);
        let frame = frame.ok_or(Impossible::NoSuchCall)?;
        let edge = frame.body.edges().get(inlined.call);
        let edge = edge.ok_or(Impossible::NoSuchCall)?;
        let Stmt::Call(call) = &edge.stmt else {
            return Err(Impossible::NoSuchCall);
        };
        if frame.inlined.contains_key(&edge.from) {
            return Err(Impossible::Twice);
        }
        if matches!(call.callee, Callee::Direct(f) if f != inlined.callee) {
            return Err(Impossible::NoSuchCall);
        }
        let malformed = Impossible::Malformed(frame.function);
        let moved = |n: NodeId| NodeId(frame.first_node + n.0);
        let mut site = Site {
            frame: inlined.frame,
            edge: inlined.call,
            node: edge.from,
            call: frame.copied.call(call).ok_or(malformed)?,
            span: edge.span,
            outcomes: Vec::new(),
            returns: None,
            unwinds: None,
        };
        for (id, other) in frame.body.out_edges(edge.from) {
            site.outcomes.push(id);
            let Stmt::Call(outcome) = &other.stmt else {
                return Err(malformed);
            };
            match outcome.outcome {
                CallOutcome::Return => {
                    site.returns.get_or_insert(moved(other.to));
                    // The other edges of a call may leave out where the result goes.
                    let result = outcome.result.and_then(|p| frame.copied.place(p));
                    site.call.result = site.call.result.or(result);
                }
                CallOutcome::Unwind => {
                    site.unwinds.get_or_insert(moved(other.to));
                }
                // What has a body is no `setjmp`.
                CallOutcome::Again => {}
            }
        }
        let (caller, node) = (inlined.frame, edge.from);
        let callee = self.push(inlined.callee, Some(site))?;
        self.frames[caller].inlined.insert(node, callee);
        Ok(())
    }

    fn push(&mut self, function: FuncId, caller: Option<Site>) -> Result<FrameId, Impossible> {
        let body = (self.program.functions.get(function)).and_then(|f| f.body.as_ref());
        let body = body.ok_or(Impossible::NoBody(function))?;
        if caller.is_some() {
            expressible(function, body)?;
        }
        let id = self.frames.next_id();
        let copied = self.store.copy(body, id);
        let first_node = self.node_count;
        self.node_count += body.node_count;
        let depth = caller
            .as_ref()
            .map_or(0, |c| self.frames[c.frame].depth + 1);
        Ok(self.frames.push(Frame {
            function,
            body,
            copied: copied.ok_or(Impossible::Malformed(function))?,
            first_node,
            caller,
            depth,
            inlined: BTreeMap::new(),
        }))
    }

    pub fn finish(mut self) -> Result<Composed, Impossible> {
        // Where exceptions go that leave each frame, and whether somebody handles them there.
        let mut leaving: Vec<(Option<NodeId>, bool)> = Vec::new();
        for id in self.frames.ids() {
            let way = self.unwinding(id, &leaving)?;
            leaving.push(way);
        }
        for id in self.frames.ids() {
            self.own_edges(id, leaving[id.0 as usize])?;
            if self.frames[id].caller.is_some() {
                self.entering(id)?;
                self.returning(id)?;
            }
        }
        let unwind = leaving.first().and_then(|(node, _)| *node);
        Ok(self.body(unwind))
    }

    /// The node where an exception leaves a frame, and whether a call on the way handles it.
    fn unwinding(
        &mut self,
        id: FrameId,
        callers: &[(Option<NodeId>, bool)],
    ) -> Result<(Option<NodeId>, bool), Impossible> {
        let frame = &self.frames[id];
        let own = frame.body.unwind.map(|n| NodeId(frame.first_node + n.0));
        let Some(site) = &frame.caller else {
            // What passes through the root needs a node to leave by.
            let passes = self.frames.values().any(|f| f.body.unwind.is_some());
            return Ok(match own {
                None if passes => (Some(self.node()), false),
                own => (own, false),
            });
        };
        let (passed, handled) = callers[site.frame.0 as usize];
        let (to, handled) = match site.unwinds {
            Some(handler) => (handler, true),
            None => match passed {
                Some(node) => (node, handled),
                None => return Ok((own, false)),
            },
        };
        if handled && !catches_all_or_nothing(frame.body) {
            return Err(Impossible::Handler(frame.function));
        }
        let span = site.span;
        let from = match own {
            Some(node) => node,
            None => self.node(),
        };
        let ends = self.ends(id, None);
        self.chain(from, to, ends, Origin::Leave(id), span);
        Ok((Some(from), handled))
    }

    /// The edges of a frame's own function, without the calls that are replaced.
    fn own_edges(
        &mut self,
        id: FrameId,
        (unwind, handled): (Option<NodeId>, bool),
    ) -> Result<(), Impossible> {
        let body = self.frames[id].body;
        for (edge_id, edge) in body.edges().iter() {
            let frame = &self.frames[id];
            let Some(stmt) = frame.copied.stmt(&edge.stmt) else {
                return Err(Impossible::Malformed(frame.function));
            };
            if frame.inlined.contains_key(&edge.from) {
                continue;
            }
            let moved = |n: NodeId| NodeId(frame.first_node + n.0);
            let (from, to, span) = (moved(edge.from), moved(edge.to), edge.span);
            let passes = match &edge.stmt {
                Stmt::Call(call) if handled => unwind.and_then(|unwind| {
                    passing(body, edge.from, edge_id, call).map(|call| (unwind, call))
                }),
                _ => None,
            };
            let passes = match passes {
                Some((unwind, call)) => frame.copied.call(&call).map(|call| (unwind, call)),
                None => None,
            };
            let new = |to, stmt| Edge {
                from,
                to,
                stmt,
                span,
            };
            self.edges.push((new(to, stmt), Origin::Own(id, edge_id)));
            if let Some((unwind, call)) = passes {
                let thrown = new(unwind, Stmt::Call(Box::new(call)));
                self.edges.push((thrown, Origin::Own(id, edge_id)));
            }
        }
        Ok(())
    }

    pub(super) fn node(&mut self) -> NodeId {
        self.node_count += 1;
        NodeId(self.node_count - 1)
    }

    fn body(mut self, unwind: Option<NodeId>) -> Composed {
        // Stable, like the sort that a body makes of its edges.
        self.edges.sort_by_key(|(edge, _)| edge.from);
        let (edges, origins): (Vec<Edge>, Vec<Origin>) = self.edges.into_iter().unzip();
        let mut frames: Arena<FrameId, FrameInfo> = Arena::new();
        for frame in self.frames.into_vec() {
            let site = frame.caller.as_ref();
            frames.push(FrameInfo {
                function: frame.function,
                caller: site.map(|site| (site.frame, site.edge)),
                outcomes: site.map_or(Vec::new(), |site| site.outcomes.clone()),
                depth: frame.depth,
                ret: frame.body.ret.and_then(|v| frame.copied.var(v)),
                edges: vec![None; frame.body.edges().len()],
                first_check: frame.copied.first_check,
                check_count: frame.body.checks.len() as u32,
                vars: frame.copied.vars,
                call: frame.caller.map(|site| site.call),
            });
        }
        for (i, origin) in origins.iter().enumerate() {
            if let Origin::Own(frame, edge) = *origin {
                // The first: what passes an exception on comes behind the call's own edge.
                frames[frame].edges[edge.0 as usize].get_or_insert(EdgeId(i as u32));
            }
        }
        let root = &self.program.functions[frames[FrameId::ROOT].function];
        let root = root.body.as_ref();
        let body = Body::new(Parts {
            vars: self.store.vars,
            params: root.map_or(Vec::new(), |b| b.params.clone()),
            ret: root.and_then(|b| b.ret),
            exprs: self.store.exprs.items,
            places: self.store.places.items,
            checks: self.store.checks,
            node_count: self.node_count,
            // The root's nodes and variables keep their numbers.
            entry: root.map_or(NodeId(0), |b| b.entry),
            exit: root.map_or(NodeId(0), |b| b.exit),
            unwind,
            labels: root.map_or(Vec::new(), |b| b.labels.clone()),
            edges,
        });
        Composed {
            body,
            frames,
            origins,
            owners: self.store.owners,
        }
    }
}

/// May the function be a part of another?
fn expressible(function: FuncId, body: &Body) -> Result<(), Impossible> {
    if !body.labels.is_empty() {
        return Err(Impossible::Labels(function));
    }
    for edge in body.edges().values() {
        match edge.stmt {
            Stmt::VaStart(_) => return Err(Impossible::Variadic(function)),
            Stmt::Allocate { .. } => return Err(Impossible::Allocates(function)),
            _ => {}
        }
    }
    Ok(())
}

/// Does every landing pad catch whatever comes? What one lets pass would have to go to the next pad
/// of the same body.
fn catches_all_or_nothing(body: &Body) -> bool {
    body.edges().values().all(|e| match &e.stmt {
        Stmt::LandingPad {
            clauses, cleanup, ..
        } => *cleanup || clauses.contains(&CatchClause::Catch(None)),
        _ => true,
    })
}

/// The outcome by which an exception passes through a call that has no edge for it; asked of the
/// call's first edge only.
fn passing(body: &Body, node: NodeId, edge: EdgeId, call: &Call) -> Option<Call> {
    let mut first = None;
    for (id, other) in body.out_edges(node) {
        first = first.or(Some(id));
        if matches!(&other.stmt, Stmt::Call(c) if c.outcome == CallOutcome::Unwind) {
            return None;
        }
    }
    (first == Some(edge)).then(|| Call {
        outcome: CallOutcome::Unwind,
        ..call.clone()
    })
}
