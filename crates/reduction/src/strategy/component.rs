//! One strongly connected component: raise, improve, accelerate, until nothing changes.

use super::graph::{Graph, Operation};
use super::rules::{BoundId, LOWER, Rule, UPPER, multiples, products};
use super::{Effort, SNAPSHOTS};
use crate::interval::Interval;
use crate::interval::bound::{INFINITE, NONE};
use rustc_hash::FxHashMap;

/// Beyond this many accelerations per node a component's bounds go to infinity where they still
/// grow. No strategy comes twice, so there is an end anyway; nothing is known to get here.
const PATIENCE: usize = 4;

pub(super) struct Component<'a> {
    graph: &'a Graph,
    nodes: &'a [u32],
    values: &'a mut [Interval],
    effort: &'a mut Effort,
    /// Where in `nodes` a node stands. What is not here is known already.
    place: FxHashMap<u32, usize>,
    /// Two for each of `nodes`; meaningful where the node is not empty.
    rules: Vec<[Rule; 2]>,
    /// Who in this component reads a node.
    readers: Vec<Vec<usize>>,
    dirty: Vec<bool>,
    /// How often a bound of a product followed its own value.
    snapshots: Vec<[u32; 2]>,
    /// Guards that failed: their value is their range.
    failed: Vec<bool>,
    impatient: bool,
}

impl<'a> Component<'a> {
    pub fn new(
        graph: &'a Graph,
        nodes: &'a [u32],
        values: &'a mut [Interval],
        effort: &'a mut Effort,
    ) -> Self {
        let count = nodes.len();
        Component {
            graph,
            nodes,
            values,
            effort,
            place: FxHashMap::default(),
            rules: vec![[Rule::Constant(NONE); 2]; count],
            readers: Vec::new(),
            dirty: vec![true; count],
            snapshots: vec![[0; 2]; count],
            failed: vec![false; count],
            impatient: false,
        }
    }

    /// Leaves the solution in the values of the component's nodes.
    pub fn solve(mut self) {
        if let [node] = *self.nodes
            && !self.graph.is_loop(node)
        {
            self.effort.raises += 1;
            self.values[node as usize] = match self.graph.operations[node as usize] {
                // Alone in its component, a guard needs no optimism.
                Operation::Guard(a, range) => self.value(a).guarded(range),
                _ => self.evaluate(0),
            };
            return;
        }
        self.place = (0..self.nodes.len()).map(|i| (self.nodes[i], i)).collect();
        self.readers = vec![Vec::new(); self.nodes.len()];
        for (i, &node) in self.nodes.iter().enumerate() {
            for operand in self.graph.operations[node as usize].operands() {
                if let Some(&at) = operand.and_then(|o| self.place.get(&o)) {
                    self.readers[at].push(i);
                }
            }
        }
        loop {
            self.climb();
            if !self.replace_failed_guards() {
                return;
            }
        }
    }

    fn value(&self, node: u32) -> Interval {
        self.values[node as usize]
    }

    fn evaluate(&self, i: usize) -> Interval {
        match self.graph.operations[self.nodes[i] as usize] {
            Operation::Constant(a) => a,
            Operation::Copy(a) => self.value(a),
            Operation::Join(a, b) => self.value(a).join(self.value(b)),
            Operation::Meet(a, b) => self.value(a).meet(self.value(b)),
            Operation::Sum(a, b) => self.value(a).sum(self.value(b)),
            Operation::Product(a, b) => self.value(a).product(self.value(b)),
            Operation::Guard(a, range) => match self.value(a) {
                raw if raw.is_empty() || !self.failed[i] => raw,
                _ => range,
            },
        }
    }

    /// From the empty valuation up to the least solution.
    fn climb(&mut self) {
        for &node in self.nodes {
            self.values[node as usize] = Interval::EMPTY;
        }
        self.dirty.fill(true);
        let mut left = PATIENCE * self.nodes.len() + 64;
        while self.raise_all() {
            self.impatient = left == 0;
            left = left.saturating_sub(1);
            self.accelerate();
            self.dirty.fill(true);
        }
    }

    /// One pass over the nodes whose operands changed; false if it changed nothing that was
    /// passed already.
    fn raise_all(&mut self) -> bool {
        let mut again = false;
        for i in 0..self.nodes.len() {
            if !std::mem::take(&mut self.dirty[i]) || !self.raise(i) {
                continue;
            }
            for r in 0..self.readers[i].len() {
                let reader = self.readers[i][r];
                self.dirty[reader] = true;
                again |= reader <= i;
            }
        }
        again
    }

    fn raise(&mut self, i: usize) -> bool {
        self.effort.raises += 1;
        let node = self.nodes[i] as usize;
        let old = self.values[node];
        let new = old.join(self.evaluate(i));
        if new == old {
            return false;
        }
        let (before, mut after) = (old.bounds(), new.bounds());
        for side in [LOWER, UPPER] {
            if after[side] > before[side] {
                after[side] = self.improve(i, side, after[side], old.is_empty());
            }
        }
        self.values[node] = Interval::from_bounds(after);
        true
    }

    /// Lets a bound follow a rule that gives it its new value; says which value it then has.
    fn improve(&mut self, i: usize, side: usize, value: i128, new: bool) -> i128 {
        if self.impatient || value == INFINITE {
            self.rules[i][side] = Rule::Constant(INFINITE);
            return INFINITE;
        }
        if !new && self.rule_value(self.rules[i][side]) == value {
            return value;
        }
        let at = |node: u32| 2 * node + side as u32;
        let rule = match self.graph.operations[self.nodes[i] as usize] {
            Operation::Constant(_) => Rule::Constant(value),
            Operation::Copy(a) => Rule::Copy(at(a)),
            Operation::Join(a, b) => {
                let first = self.value(a).bounds()[side] == value;
                Rule::Copy(at(if first { a } else { b }))
            }
            Operation::Meet(a, b) => Rule::Least(at(a), at(b)),
            Operation::Sum(a, b) => Rule::Sum(at(a), at(b)),
            Operation::Guard(..) if self.failed[i] => Rule::Constant(value),
            Operation::Guard(a, _) => Rule::Copy(at(a)),
            Operation::Product(a, b) => return self.improve_product(i, (a, b), side, value),
        };
        self.rules[i][side] = rule;
        value
    }

    fn improve_product(&mut self, i: usize, (a, b): (u32, u32), side: usize, value: i128) -> i128 {
        let (inside_a, inside_b) = (self.place.contains_key(&a), self.place.contains_key(&b));
        let rule = if inside_a && inside_b {
            products(a, b, side)
                .into_iter()
                .filter(|&(x, y)| self.bound(x) >= 1 && self.bound(y) >= 1)
                .map(|(x, y)| Rule::Product(x, y))
                .find(|&rule| self.rule_value(rule) == value)
        } else {
            let (known, other) = if inside_a { (b, a) } else { (a, b) };
            multiples(self.value(known).bounds(), other, side)
                .find(|&rule| self.rule_value(rule) == value)
        };
        let (rule, value) = match rule {
            Some(rule) => (rule, value),
            None => {
                self.snapshots[i][side] += 1;
                let value = if self.snapshots[i][side] > SNAPSHOTS {
                    value.max(0)
                } else {
                    value
                };
                (Rule::Constant(value), value)
            }
        };
        self.rules[i][side] = rule;
        value
    }

    fn bound(&self, bound: BoundId) -> i128 {
        self.value(bound / 2).bounds()[(bound % 2) as usize]
    }

    fn rule_value(&self, rule: Rule) -> i128 {
        rule.evaluate(|bound| self.bound(bound))
    }

    /// The greatest solution of the current rules: all bounds that are not empty start from
    /// infinity and sink. Never below where they were: the current valuation is not above what
    /// the rules make of it, and rules are monotone.
    fn accelerate(&mut self) {
        self.effort.accelerations += 1;
        let count = self.nodes.len();
        let active: Vec<bool> = (0..count)
            .map(|i| !self.value(self.nodes[i]).is_empty())
            .collect();
        let mut bounds = vec![[INFINITE; 2]; count];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); 2 * count];
        for i in (0..count).filter(|&i| active[i]) {
            for side in [LOWER, UPPER] {
                for operand in self.rules[i][side].operands().into_iter().flatten() {
                    if let Some(&at) = self.place.get(&(operand / 2)) {
                        readers[2 * at + (operand % 2) as usize].push(2 * i + side);
                    }
                }
            }
        }
        let mut dirty: Vec<bool> = (0..2 * count).map(|b| active[b / 2]).collect();
        let mut again = true;
        // In each round every bound that may sink does, so as many rounds as there are bounds are
        // enough.
        for _ in 0..=2 * count {
            if !std::mem::take(&mut again) {
                break;
            }
            for b in 0..2 * count {
                if !std::mem::take(&mut dirty[b]) {
                    continue;
                }
                self.effort.relaxations += 1;
                let value = self.rules[b / 2][b % 2].evaluate(|operand| {
                    let side = (operand % 2) as usize;
                    match self.place.get(&(operand / 2)) {
                        Some(&at) => bounds[at][side],
                        None => self.bound(operand),
                    }
                });
                if value < bounds[b / 2][b % 2] {
                    bounds[b / 2][b % 2] = value;
                    for &reader in &readers[b] {
                        dirty[reader] = true;
                        again |= reader <= b;
                    }
                }
            }
        }
        debug_assert!(!again, "a cycle of rules without slack");
        for i in (0..count).filter(|&i| active[i]) {
            let old = self.value(self.nodes[i]);
            let new = Interval::from_bounds(bounds[i]);
            debug_assert!(old.is_within(new), "{old} became {new}");
            self.values[self.nodes[i] as usize] = old.join(new);
        }
    }

    /// Are there guards whose operand leaves the range? They are their range from now on.
    fn replace_failed_guards(&mut self) -> bool {
        let mut any = false;
        for (i, &node) in self.nodes.iter().enumerate() {
            if let Operation::Guard(a, range) = self.graph.operations[node as usize]
                && !self.failed[i]
                && !self.value(a).is_within(range)
            {
                self.failed[i] = true;
                any = true;
            }
        }
        if any {
            self.snapshots.fill([0; 2]);
        }
        any
    }
}
