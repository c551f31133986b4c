//! Random recursive state machines, random automata, random edits.
#![allow(dead_code)]

pub mod oracle;

use inter::{Action, Edge, EdgeKey, Exit, FunctionId, Machine, NodeId, Place, Property, Shape};
use std::sync::Arc;

/// SplitMix64: the same numbers everywhere.
pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

pub fn hash(parts: &[u64]) -> u64 {
    parts.iter().fold(7, |sum, part| mix(sum ^ mix(*part)))
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(1);
        (mix(mix(self.0)) % u64::from(bound.max(1))) as u32
    }

    pub fn chance(&mut self, one_in: u32) -> bool {
        self.below(one_in) == 0
    }
}

/// A function whose nodes are 0 (entry), 1 (exit), 2 (exceptional exit) and others.
#[derive(Clone, Debug)]
pub struct Draft {
    pub nodes: u32,
    pub edges: Vec<DraftEdge>,
    /// What is added to each node number, modulo their number: an editor renumbers freely.
    pub shift: u32,
}

#[derive(Clone, Debug)]
pub struct DraftEdge {
    pub source: u32,
    pub target: u32,
    pub letter: u32,
    /// Targets, and where it unwinds to.
    pub call: Option<(Vec<u32>, Option<u32>)>,
}

impl Draft {
    fn shape(&self) -> Arc<Shape> {
        let node = |n: u32| NodeId((n + self.shift) % self.nodes);
        let edge = |e: &DraftEdge| Edge {
            source: node(e.source),
            target: node(e.target),
            key: EdgeKey(u128::from(e.letter)),
            action: match &e.call {
                None => Action::Statement,
                Some((targets, unwind)) => Action::Call {
                    targets: targets.iter().copied().map(FunctionId).collect(),
                    unwind: unwind.map(node),
                },
            },
        };
        let edges = self.edges.iter().map(edge).collect();
        let shape = Shape::new(self.nodes, node(0), node(1), Some(node(2)), edges);
        Arc::new(shape.expect("drafts are well formed"))
    }
}

#[derive(Clone, Debug)]
pub struct Program {
    pub drafts: Vec<Option<Draft>>,
    pub roots: Vec<u32>,
}

/// A program as a machine.
pub struct Built {
    shapes: Vec<Option<Arc<Shape>>>,
    roots: Vec<FunctionId>,
}

impl Machine for Built {
    fn functions(&self) -> usize {
        self.shapes.len()
    }

    fn shape(&self, function: FunctionId) -> Option<&Arc<Shape>> {
        self.shapes[function.0 as usize].as_ref()
    }

    fn roots(&self) -> Vec<FunctionId> {
        self.roots.clone()
    }
}

impl Program {
    pub fn build(&self) -> Built {
        let shape = |draft: &Option<Draft>| draft.as_ref().map(Draft::shape);
        Built {
            shapes: self.drafts.iter().map(shape).collect(),
            roots: self.roots.iter().copied().map(FunctionId).collect(),
        }
    }

    pub fn random(random: &mut Random) -> Program {
        let count = 2 + random.below(5);
        let mut program = Program {
            drafts: Vec::new(),
            roots: vec![0],
        };
        for _ in 0..count {
            let draft = random_draft(random, count);
            program.drafts.push(Some(draft));
        }
        if random.chance(2) {
            program.roots.push(random.below(count));
        }
        program
    }

    /// One random edit.
    pub fn edit(&mut self, random: &mut Random) {
        let count = self.drafts.len() as u32;
        let at = random.below(count) as usize;
        let kind = random.below(20);
        let Some(draft) = &mut self.drafts[at] else {
            self.drafts[at] = Some(random_draft(random, count));
            return;
        };
        match kind {
            0 => self.drafts[at] = None,
            1 => self.drafts.push(Some(random_draft(random, count + 1))),
            2 => self.drafts[at] = Some(random_draft(random, count)),
            3 => {
                let root = random.below(count);
                match self.roots.iter().position(|r| *r == root) {
                    Some(known) if self.roots.len() > 1 => drop(self.roots.remove(known)),
                    _ => self.roots.push(root),
                }
            }
            4 => draft.shift = random.below(draft.nodes),
            5 => draft.nodes += 1,
            6..=9 => {
                let edge = random_edge(random, draft.nodes, count);
                let at = random.below(draft.edges.len() as u32 + 1);
                draft.edges.insert(at as usize, edge);
            }
            10..=13 if !draft.edges.is_empty() => {
                let edge = random.below(draft.edges.len() as u32);
                draft.edges.remove(edge as usize);
            }
            _ if !draft.edges.is_empty() => {
                let edge = random.below(draft.edges.len() as u32) as usize;
                let other = random_edge(random, draft.nodes, count);
                let edge = &mut draft.edges[edge];
                match random.below(3) {
                    0 => edge.letter = other.letter,
                    1 => edge.call = other.call,
                    _ => (edge.letter, edge.call) = (other.letter, other.call),
                }
            }
            _ => {}
        }
    }
}

fn random_edge(random: &mut Random, nodes: u32, functions: u32) -> DraftEdge {
    // No edge leaves an exit (1, 2).
    let source = match random.below(nodes - 2) {
        0 => 0,
        n => n + 2,
    };
    let call = random.chance(3).then(|| {
        let targets = (0..1 + random.below(2)).map(|_| random.below(functions));
        let targets = targets.collect();
        let unwind = random.chance(2).then(|| random.below(nodes));
        (targets, unwind)
    });
    DraftEdge {
        source,
        target: random.below(nodes),
        letter: random.below(12),
        call,
    }
}

fn random_draft(random: &mut Random, functions: u32) -> Draft {
    let nodes = 4 + random.below(4);
    let mut edges: Vec<_> = (0..2 + random.below(nodes))
        .map(|_| random_edge(random, nodes, functions))
        .collect();
    // Most functions can come back.
    let mut from = 0;
    for node in 3..nodes {
        if random.chance(2) {
            let mut edge = random_edge(random, nodes, functions);
            (edge.source, edge.target) = (from, node);
            edges.push(edge);
            from = node;
        }
    }
    let mut last = random_edge(random, nodes, functions);
    (last.source, last.target) = (from, 1);
    edges.push(last);
    Draft {
        nodes,
        edges,
        shift: 0,
    }
}

/// A random automaton. A state is a set of plain states, as bits: one bit unless merged.
#[derive(Clone, Copy, Debug)]
pub struct Automaton {
    pub seed: u64,
    pub plain: u32,
    /// Merged states move in ways that have nothing to do with those of their parts.
    pub wild: bool,
}

impl Automaton {
    pub fn random(random: &mut Random) -> Automaton {
        Automaton {
            seed: u64::from(random.below(u32::MAX)),
            plain: 2 + random.below(4),
            wild: random.chance(3),
        }
    }

    /// Where `mask` goes for an event that is described by `parts`; once in `never` times nowhere.
    fn move_on(&self, mask: u16, parts: &[u64], never: u64) -> Option<u16> {
        if self.wild && mask.count_ones() > 1 {
            let all = (1 << self.plain) - 1;
            let result = hash(&[self.seed, u64::from(mask), hash(parts)]) as u16 & all;
            return (result != 0).then_some(result);
        }
        let mut result = 0;
        for bit in (0..self.plain).filter(|bit| mask & (1 << bit) != 0) {
            let chosen = hash(&[self.seed, u64::from(bit), hash(parts)]);
            if !chosen.is_multiple_of(never) {
                result |= 1 << ((chosen >> 8) % u64::from(self.plain));
            }
        }
        (result != 0).then_some(result)
    }
}

pub struct Checker<'a> {
    pub machine: &'a Built,
    pub automaton: Automaton,
}

impl Checker<'_> {
    fn key(&self, at: Place) -> u64 {
        let shape = self
            .machine
            .shape(at.function)
            .expect("edges have a function");
        shape.edge(at.edge).key.0 as u64
    }
}

impl Property for Checker<'_> {
    type State = u16;

    fn initial(&self, root: FunctionId) -> Vec<u16> {
        let chosen = hash(&[self.automaton.seed, 1, u64::from(root.0)]);
        if chosen.is_multiple_of(2) {
            vec![1, 2]
        } else {
            vec![1]
        }
    }

    fn step(&self, state: &u16, at: Place) -> Vec<u16> {
        let key = self.key(at);
        (0..2)
            .filter_map(|branch| {
                let never = if branch == 0 { 8 } else { 2 };
                self.automaton.move_on(*state, &[2, key, branch], never)
            })
            .collect()
    }

    fn enter(&self, state: &u16, at: Place, callee: FunctionId) -> Option<u16> {
        let parts = [3, self.key(at), u64::from(callee.0)];
        self.automaton.move_on(*state, &parts, 10)
    }

    fn leave(
        &self,
        before: &u16,
        at: Place,
        callee: FunctionId,
        exit: Exit,
        state: &u16,
    ) -> Option<u16> {
        let key = [self.key(at), u64::from(callee.0), exit as u64];
        let parts = [4, u64::from(*before), key[0], key[1], key[2]];
        self.automaton.move_on(*state, &parts, 10)
    }

    fn is_rejecting(&self, state: &u16) -> bool {
        state & (1 << (self.automaton.plain - 1)) != 0
    }

    fn merge(&self, states: &[u16]) -> u16 {
        states.iter().fold(0, |all, state| all | state)
    }

    fn covers(&self, bound: &u16, state: &u16) -> bool {
        bound & state == *state
    }
}

/// How many random cases a test runs.
pub fn cases(normally: u64) -> u64 {
    let asked = std::env::var("INTER_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(normally)
}
