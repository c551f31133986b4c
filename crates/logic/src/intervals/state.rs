//! What is known of terms: classes of equal ones, each with a range, and why.
//!
//! Everything known has a reason, so that a contradiction can name its facts. Every change is noted
//! on a trail, and taken back by a pop.

use super::range::Range;
use super::reason::{ALWAYS, Reason, Reasons};
use crate::term::{Node, Pool, TermId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A term, numbered in the order in which terms were met; operands have smaller numbers.
pub type Local = u32;

/// `from <= to`, or `from < to`, in one of the two orders.
#[derive(Clone, Copy)]
pub struct Edge {
    pub to: Local,
    pub strict: bool,
    pub why: Reason,
}

pub struct Entry {
    pub term: TermId,
    pub node: Node,
    pub width: u16,
    pub operands: [Local; 3],
    pub arity: usize,
    /// Itself in the representative of a class, which alone has members and a range.
    parent: Local,
    /// Why it equals its parent.
    link: Reason,
    pub members: Vec<Local>,
    pub range: Range,
    pub why: Reason,
    /// The terms of which it is an operand.
    pub uses: Vec<Local>,
    /// Known to be less than others, unsigned and signed.
    pub edges: [Vec<Edge>; 2],
    /// Whether its meaning for the order of its operands has been noted.
    pub ordered: bool,
    /// The ranges of its operands leave it one value, so that nothing more can be learned here.
    done: bool,
    queued: bool,
}

enum Undo {
    Range(Local, Range, Reason),
    Union {
        child: Local,
        parent: Local,
        members: usize,
    },
    Use(Local),
    Edge(Local, usize),
    Ordered(Local),
    Done(Local),
    Signature(Node, Option<Local>),
    Constant(u16, u128),
}

#[derive(Clone, Copy)]
pub struct Mark {
    undo: usize,
    reasons: usize,
    entries: usize,
    conflict: Option<Reason>,
}

pub struct State {
    pub entries: Vec<Entry>,
    by_term: FxHashMap<TermId, Local>,
    pub reasons: Reasons,
    /// Terms by their operator and the classes of their operands.
    pub(super) signatures: FxHashMap<Node, Local>,
    /// A term of each class with one value.
    constants: FxHashMap<(u16, u128), Local>,
    undo: Vec<Undo>,
    pub queue: VecDeque<Local>,
    /// Why the facts contradict each other, if they do.
    pub conflict: Option<Reason>,
    /// Visits so far.
    pub steps: u64,
}

impl State {
    pub fn new() -> State {
        State {
            entries: Vec::new(),
            by_term: FxHashMap::default(),
            reasons: Reasons::new(),
            signatures: FxHashMap::default(),
            constants: FxHashMap::default(),
            undo: Vec::new(),
            queue: VecDeque::new(),
            conflict: None,
            steps: 0,
        }
    }

    pub fn mark(&self) -> Mark {
        Mark {
            undo: self.undo.len(),
            reasons: self.reasons.len(),
            entries: self.entries.len(),
            conflict: self.conflict,
        }
    }

    pub fn back_to(&mut self, mark: Mark) {
        self.clear_queue();
        while self.undo.len() > mark.undo {
            match self.undo.pop() {
                Some(Undo::Range(root, range, why)) => {
                    let entry = self.entry_mut(root);
                    (entry.range, entry.why) = (range, why);
                }
                Some(Undo::Union {
                    child,
                    parent,
                    members,
                }) => {
                    let entry = self.entry_mut(child);
                    (entry.parent, entry.link) = (child, ALWAYS);
                    self.entry_mut(parent).members.truncate(members);
                }
                Some(Undo::Use(operand)) => {
                    self.entry_mut(operand).uses.pop();
                }
                Some(Undo::Edge(from, order)) => {
                    self.entry_mut(from).edges[order].pop();
                }
                Some(Undo::Ordered(term)) => self.entry_mut(term).ordered = false,
                Some(Undo::Done(term)) => self.entry_mut(term).done = false,
                Some(Undo::Signature(key, Some(before))) => {
                    self.signatures.insert(key, before);
                }
                Some(Undo::Signature(key, None)) => {
                    self.signatures.remove(&key);
                }
                Some(Undo::Constant(width, value)) => {
                    self.constants.remove(&(width, value));
                }
                None => {}
            }
        }
        for entry in self.entries.drain(mark.entries..) {
            self.by_term.remove(&entry.term);
        }
        self.reasons.truncate(mark.reasons);
        self.conflict = mark.conflict;
    }

    pub fn entry(&self, local: Local) -> &Entry {
        &self.entries[local as usize]
    }

    fn entry_mut(&mut self, local: Local) -> &mut Entry {
        &mut self.entries[local as usize]
    }

    /// Numbers a term and all that it is made of; what is new is queued.
    pub fn register(&mut self, pool: &Pool, root: TermId) -> Local {
        let mut new = Vec::new();
        let mut stack = vec![root];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(t) = stack.pop() {
            if !self.by_term.contains_key(&t) && seen.insert(t) {
                new.push(t);
                stack.extend(pool.operands(t));
            }
        }
        new.sort_unstable();
        for t in new {
            let local = self.entries.len() as Local;
            let mut operands = [local; 3];
            let mut arity = 0;
            for operand in pool.operands(t) {
                operands[arity] = self.by_term[&operand];
                arity += 1;
            }
            let width = pool.width(t);
            let range = match pool.node(t) {
                Node::Bool(value) => Range::of(u128::from(value), 1),
                Node::Bits { value, .. } => Range::of(value, width),
                _ => Range::all(width),
            };
            self.entries.push(Entry {
                term: t,
                node: pool.node(t),
                width,
                operands,
                arity,
                parent: local,
                link: ALWAYS,
                members: vec![local],
                range,
                why: ALWAYS,
                uses: Vec::new(),
                edges: [Vec::new(), Vec::new()],
                ordered: false,
                done: false,
                queued: false,
            });
            self.by_term.insert(t, local);
            for &operand in &operands[..arity] {
                self.entry_mut(operand).uses.push(local);
                self.undo.push(Undo::Use(operand));
            }
            if range.single().is_some() {
                self.same_constant(local);
            }
            self.enqueue(local);
        }
        self.by_term[&root]
    }

    pub fn enqueue(&mut self, local: Local) {
        let entry = self.entry_mut(local);
        if !entry.queued && !entry.done && entry.arity > 0 {
            entry.queued = true;
            self.queue.push_back(local);
        }
    }

    pub fn dequeue(&mut self) -> Option<Local> {
        let local = self.queue.pop_front()?;
        self.entry_mut(local).queued = false;
        Some(local)
    }

    pub fn clear_queue(&mut self) {
        while self.dequeue().is_some() {}
    }

    pub fn both(&mut self, a: Reason, b: Reason) -> Reason {
        self.reasons.both(a, b)
    }

    /// The representative of the class.
    pub fn root(&self, mut local: Local) -> Local {
        while self.entry(local).parent != local {
            local = self.entry(local).parent;
        }
        local
    }

    /// Why the term equals the representative of its class.
    pub fn membership(&mut self, mut local: Local) -> Reason {
        let mut why = ALWAYS;
        while self.entry(local).parent != local {
            why = self.both(why, self.entry(local).link);
            local = self.entry(local).parent;
        }
        why
    }

    pub fn range(&self, local: Local) -> Range {
        self.entry(self.root(local)).range
    }

    /// Why the term is in its range.
    pub fn why(&mut self, local: Local) -> Reason {
        let range = self.entry(self.root(local)).why;
        let membership = self.membership(local);
        self.both(range, membership)
    }

    /// The term is in a range, because of `why`.
    pub fn narrow(&mut self, local: Local, range: Range, why: impl FnOnce(&mut State) -> Reason) {
        if self.conflict.is_some() {
            return;
        }
        let root = self.root(local);
        let (width, before, old) = {
            let entry = self.entry(root);
            (entry.width, entry.range, entry.why)
        };
        let after = before.meet(&range, width);
        if after == before {
            return;
        }
        let why = why(self);
        let membership = self.membership(local);
        let why = self.both(why, membership);
        let why = self.both(old, why);
        if after.is_empty() {
            self.conflict = Some(why);
            return;
        }
        self.undo.push(Undo::Range(root, before, old));
        let entry = self.entry_mut(root);
        (entry.range, entry.why) = (after, why);
        self.enqueue_class(root);
        if after.single().is_some() {
            self.same_constant(root);
        }
    }

    fn enqueue_class(&mut self, root: Local) {
        for at in 0..self.entry(root).members.len() {
            let member = self.entry(root).members[at];
            self.enqueue(member);
            for at in 0..self.entry(member).uses.len() {
                let user = self.entry(member).uses[at];
                self.enqueue(user);
            }
        }
    }

    /// Classes with the same single value are one.
    fn same_constant(&mut self, local: Local) {
        let root = self.root(local);
        let width = self.entry(root).width;
        let Some(value) = self.entry(root).range.single() else {
            return;
        };
        match self.constants.get(&(width, value)).copied() {
            Some(other) if self.root(other) != root => {
                let (a, b) = (self.why(other), self.why(root));
                let why = self.both(a, b);
                self.unite(other, root, why);
            }
            Some(_) => {}
            None => {
                self.constants.insert((width, value), root);
                self.undo.push(Undo::Constant(width, value));
            }
        }
    }

    /// Two terms are equal, because of `why`.
    pub fn unite(&mut self, a: Local, b: Local, why: Reason) {
        let (root_a, root_b) = (self.root(a), self.root(b));
        if root_a == root_b || self.conflict.is_some() {
            return;
        }
        let (of_a, of_b) = (self.membership(a), self.membership(b));
        let link = self.both(of_a, of_b);
        let link = self.both(why, link);
        let (child, parent) = if self.entry(root_a).members.len() < self.entry(root_b).members.len()
        {
            (root_a, root_b)
        } else {
            (root_b, root_a)
        };
        // The smaller class, and what is made of it: new neighbours.
        self.enqueue_class(child);
        let members = self.entry(parent).members.len();
        self.undo.push(Undo::Union {
            child,
            parent,
            members,
        });
        let moved = self.entry(child).members.clone();
        self.entry_mut(parent).members.extend(moved);
        let entry = self.entry_mut(child);
        (entry.parent, entry.link) = (parent, link);
        let (range, reason) = (self.entry(child).range, self.entry(child).why);
        self.narrow(parent, range, |state| state.both(reason, link));
    }

    pub fn note_edge(&mut self, from: Local, order: usize, edge: Edge) {
        self.entry_mut(from).edges[order].push(edge);
        self.undo.push(Undo::Edge(from, order));
    }

    pub fn note_ordered(&mut self, local: Local) {
        self.entry_mut(local).ordered = true;
        self.undo.push(Undo::Ordered(local));
    }

    pub fn note_done(&mut self, local: Local) {
        self.entry_mut(local).done = true;
        self.undo.push(Undo::Done(local));
    }

    pub fn note_signature(&mut self, key: Node, local: Local) {
        let before = self.signatures.insert(key, local);
        self.undo.push(Undo::Signature(key, before));
    }
}
