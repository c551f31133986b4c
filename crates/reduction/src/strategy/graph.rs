//! The expressions of a system as a graph of operations, and its strongly connected components.

use crate::expression::{ExpressionId, Node};
use crate::interval::Interval;
use crate::system::System;
use std::hash::Hash;

/// What a node is computed from. Nodes are numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Constant(Interval),
    /// A variable, which is what its equation says.
    Copy(u32),
    Join(u32, u32),
    Meet(u32, u32),
    Sum(u32, u32),
    Product(u32, u32),
    Guard(u32, Interval),
}

impl Operation {
    pub fn operands(self) -> [Option<u32>; 2] {
        match self {
            Operation::Constant(_) => [None, None],
            Operation::Copy(a) | Operation::Guard(a, _) => [Some(a), None],
            Operation::Join(a, b)
            | Operation::Meet(a, b)
            | Operation::Sum(a, b)
            | Operation::Product(a, b) => [Some(a), Some(b)],
        }
    }
}

pub(super) struct Graph {
    pub operations: Vec<Operation>,
}

impl Graph {
    /// The graph of a system, and the node of each variable that has an equation.
    pub fn of<V: Copy + Eq + Hash + Ord>(system: &System<V>) -> (Graph, Vec<(V, u32)>) {
        let id = |e: ExpressionId| e.0;
        let mut operations: Vec<Operation> = system
            .expressions
            .nodes()
            .iter()
            .map(|&node| match node {
                Node::Constant(a) => Operation::Constant(a),
                Node::Variable(x) => match system.equation(x) {
                    Some(e) => Operation::Copy(id(e)),
                    None => Operation::Constant(Interval::FULL),
                },
                Node::Join(a, b) => Operation::Join(id(a), id(b)),
                Node::Meet(a, b) => Operation::Meet(id(a), id(b)),
                Node::Sum(a, b) => Operation::Sum(id(a), id(b)),
                Node::Product(a, b) => Operation::Product(id(a), id(b)),
                Node::Guarded(a, range) => Operation::Guard(id(a), range),
            })
            .collect();
        // A variable that nothing reads has no node of its own: it is its expression. One whose
        // equation is itself can only be found by reading it.
        let variables = system.equations().map(|(x, e)| (x, id(e))).collect();
        for (index, operation) in operations.iter_mut().enumerate() {
            if matches!(*operation, Operation::Copy(a) if a as usize == index) {
                *operation = Operation::Constant(Interval::EMPTY);
            }
        }
        (Graph { operations }, variables)
    }

    /// The strongly connected components, operands first; the nodes of each in an order in
    /// which as many operands as a walk could manage come before what is computed from them.
    pub fn components(&self) -> Vec<Vec<u32>> {
        Tarjan::run(self)
    }

    /// Does the node read itself?
    pub fn is_loop(&self, node: u32) -> bool {
        self.operations[node as usize]
            .operands()
            .contains(&Some(node))
    }
}

/// Tarjan's algorithm, without recursion: a path has as many nodes as it likes.
struct Tarjan<'g> {
    graph: &'g Graph,
    /// When a node was entered, from 1; 0 if not yet.
    entered: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    /// When a node was left.
    left: Vec<u32>,
    clock: u32,
    components: Vec<Vec<u32>>,
}

impl Tarjan<'_> {
    fn run(graph: &Graph) -> Vec<Vec<u32>> {
        let count = graph.operations.len();
        let mut tarjan = Tarjan {
            graph,
            entered: vec![0; count],
            low: vec![0; count],
            on_stack: vec![false; count],
            stack: Vec::new(),
            left: vec![0; count],
            clock: 0,
            components: Vec::new(),
        };
        for root in 0..count as u32 {
            if tarjan.entered[root as usize] == 0 {
                tarjan.walk(root);
            }
        }
        let left = tarjan.left;
        for component in &mut tarjan.components {
            component.sort_unstable_by_key(|&node| left[node as usize]);
        }
        tarjan.components
    }

    fn enter(&mut self, node: u32) {
        self.clock += 1;
        self.entered[node as usize] = self.clock;
        self.low[node as usize] = self.clock;
        self.on_stack[node as usize] = true;
        self.stack.push(node);
    }

    fn walk(&mut self, root: u32) {
        self.enter(root);
        let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((node, next)) = calls.last_mut() {
            let node = *node;
            let operands = self.graph.operations[node as usize].operands();
            let Some(&operand) = operands.get(*next) else {
                calls.pop();
                self.leave(node);
                if let Some(&(parent, _)) = calls.last() {
                    let low = self.low[node as usize];
                    self.low[parent as usize] = self.low[parent as usize].min(low);
                }
                continue;
            };
            *next += 1;
            let Some(operand) = operand else { continue };
            if self.entered[operand as usize] == 0 {
                self.enter(operand);
                calls.push((operand, 0));
            } else if self.on_stack[operand as usize] {
                let seen = self.entered[operand as usize];
                self.low[node as usize] = self.low[node as usize].min(seen);
            }
        }
    }

    fn leave(&mut self, node: u32) {
        self.clock += 1;
        self.left[node as usize] = self.clock;
        if self.low[node as usize] != self.entered[node as usize] {
            return;
        }
        let mut component = Vec::new();
        while let Some(top) = self.stack.pop() {
            self.on_stack[top as usize] = false;
            component.push(top);
            if top == node {
                break;
            }
        }
        self.components.push(component);
    }
}
