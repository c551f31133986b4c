//! What is still to be done, in the order asked for.
//!
//! Depth-first order holds *transitions* that nobody looked at yet: a state is coloured when its
//! turn comes, with everything below its elder siblings done, as a recursive search would (but
//! paths may be a million states long). The other orders hold grey states.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::options::Order;
use crate::search::StateId;

/// A transition that was computed, but whose target is still white. No parent: an initial state.
pub(crate) struct Arrival<L, S> {
    pub parent: Option<(StateId, L)>,
    pub at: usize,
    pub state: S,
}

pub(crate) enum Task<L, S> {
    /// Look at the target of a transition.
    Arrive(Arrival<L, S>),
    /// Explore a grey state.
    Visit(StateId),
    /// Everything below this state is done.
    Leave(StateId),
}

pub(crate) enum Frontier<L, S> {
    Stack(Vec<Task<L, S>>),
    Queue(VecDeque<StateId>),
    /// Rank in the upper half, number of the state, which grows with time, in the lower.
    Heap(BinaryHeap<Reverse<u64>>),
}

impl<L, S> Frontier<L, S> {
    pub fn new(order: Order) -> Self {
        match order {
            Order::DepthFirst => Frontier::Stack(Vec::new()),
            Order::BreadthFirst => Frontier::Queue(VecDeque::new()),
            Order::Topological => Frontier::Heap(BinaryHeap::new()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Frontier::Stack(stack) => stack.len(),
            Frontier::Queue(queue) => queue.len(),
            Frontier::Heap(heap) => heap.len(),
        }
    }

    pub fn is_stack(&self) -> bool {
        matches!(self, Frontier::Stack(_))
    }

    pub fn push(&mut self, id: StateId, rank: impl FnOnce() -> u32) {
        match self {
            Frontier::Stack(stack) => stack.push(Task::Visit(id)),
            Frontier::Queue(queue) => queue.push_back(id),
            Frontier::Heap(heap) => {
                heap.push(Reverse(u64::from(rank()) << 32 | u64::from(id.0)));
            }
        }
    }

    pub fn pop(&mut self) -> Option<Task<L, S>> {
        match self {
            Frontier::Stack(stack) => stack.pop(),
            Frontier::Queue(queue) => queue.pop_front().map(Task::Visit),
            Frontier::Heap(heap) => heap
                .pop()
                .map(|Reverse(key)| Task::Visit(StateId(key as u32))),
        }
    }
}
