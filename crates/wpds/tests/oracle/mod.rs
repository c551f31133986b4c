//! Random pushdown systems, and what their configurations really do, one by one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wpds::{Configuration, Right, State, Symbol};

/// A small generator of random numbers (splitmix64): the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A relation on four stores: bit `4 * before + after`.
pub type Matrix = u16;

pub const IDENTITY: Matrix = 0b1000_0100_0010_0001;

/// A rule with a weight of each domain.
#[derive(Clone, Debug)]
pub struct RawRule {
    pub from: State,
    pub symbol: Symbol,
    pub to: State,
    pub right: Right,
    pub matrix: Matrix,
    pub length: u64,
}

#[derive(Clone, Debug)]
pub struct RawSystem {
    pub states: u32,
    pub symbols: u32,
    pub rules: Vec<RawRule>,
    pub start: Configuration,
    pub target: Symbol,
}

fn matrix(random: &mut Random) -> Matrix {
    match random.below(5) {
        0 => IDENTITY,
        // An assumption.
        1 => IDENTITY & (0xf << (4 * random.below(4)) | 0xf << (4 * random.below(4))),
        // A function of the store.
        2 => (0..4).fold(0, |m, v| m | 1 << (4 * v + random.below(4))),
        // Some pairs.
        _ => (0..2 + random.below(4)).fold(0, |m, _| m | 1 << random.below(16)),
    }
}

impl RawSystem {
    /// Functions with a few nodes each, which branch, call and return; the last symbol is the error.
    pub fn random(random: &mut Random) -> Self {
        let states = if random.chance(80) { 1 } else { 2 };
        let functions = 1 + random.below(3);
        let size = 2 + random.below(3);
        let symbols = (functions * size) as u32 + 1;
        let target = Symbol(symbols - 1);
        let mut rules = Vec::new();
        let mut rule = |random: &mut Random, symbol: u64, right: Right| {
            rules.push(RawRule {
                from: State(random.below(states) as u32),
                symbol: Symbol(symbol as u32),
                to: State(random.below(states) as u32),
                right,
                matrix: matrix(random),
                length: random.below(5),
            });
        };
        for function in 0..functions {
            for node in 0..size {
                let symbol = function * size + node;
                for _ in 0..1 + random.below(2) {
                    let other = Symbol((function * size + random.below(size)) as u32);
                    let next = Symbol((function * size + (node + 1).min(size - 1)) as u32);
                    let next = if random.chance(80) { next } else { other };
                    let right = match random.below(10) {
                        0..4 if node + 1 < size || random.chance(20) => Right::Step(next),
                        4..8 => Right::Push(Symbol((random.below(functions) * size) as u32), next),
                        8 if random.chance(60) => Right::Step(target),
                        _ => Right::Pop,
                    };
                    rule(random, symbol, right);
                }
            }
            rule(random, function * size + size - 1, Right::Pop);
        }
        let somewhere = random.below(u64::from(symbols) - 1);
        rule(random, somewhere, Right::Step(target));
        RawSystem {
            states: states as u32,
            symbols,
            rules,
            start: Configuration {
                state: State(0),
                stack: vec![Symbol(0)],
            },
            target,
        }
    }

    pub fn has_calls(&self) -> bool {
        self.rules
            .iter()
            .any(|r| matches!(r.right, Right::Push(..)))
    }

    /// Can a callee be called again before it has returned?
    pub fn has_recursion(&self) -> bool {
        let n = self.symbols as usize;
        let mut reaches = vec![vec![false; n]; n];
        for rule in &self.rules {
            let row = &mut reaches[rule.symbol.index()];
            match rule.right {
                Right::Pop => {}
                Right::Step(top) => row[top.index()] = true,
                Right::Push(top, below) => {
                    row[top.index()] = true;
                    row[below.index()] = true;
                }
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    reaches[i][j] |= reaches[i][k] && reaches[k][j];
                }
            }
        }
        self.rules.iter().any(|rule| match rule.right {
            Right::Push(top, _) => self.rules.iter().any(|again| {
                let inside = again.symbol == top || reaches[top.index()][again.symbol.index()];
                matches!(again.right, Right::Push(t, _) if t == top) && inside
            }),
            _ => false,
        })
    }
}

/// A configuration and, where stores are followed, the store in it.
type Point = (State, Vec<Symbol>, u8);

/// All configurations up to a height of the stack, each with each store, and the steps between them.
pub struct Explicit {
    points: Vec<Point>,
    steps: Vec<Vec<(usize, u64)>>,
    /// Was something left out?
    pub cut: bool,
    starts: Vec<usize>,
    target: Symbol,
}

impl Explicit {
    pub fn new(system: &RawSystem, stores: u8, height: usize, most: usize) -> Self {
        let mut numbers: BTreeMap<Point, usize> = BTreeMap::new();
        let mut explicit = Explicit {
            points: Vec::new(),
            steps: Vec::new(),
            cut: false,
            starts: Vec::new(),
            target: system.target,
        };
        for store in 0..stores {
            let point = (system.start.state, system.start.stack.clone(), store);
            numbers.insert(point.clone(), explicit.points.len());
            explicit.starts.push(explicit.points.len());
            explicit.points.push(point);
        }
        let mut next = 0;
        while let Some((state, stack, store)) = explicit.points.get(next).cloned() {
            let mut steps = Vec::new();
            for rule in &system.rules {
                if rule.from != state || stack.first() != Some(&rule.symbol) {
                    continue;
                }
                let mut after = match rule.right {
                    Right::Pop => vec![],
                    Right::Step(top) => vec![top],
                    Right::Push(top, below) => vec![top, below],
                };
                after.extend_from_slice(&stack[1..]);
                for to in (0..stores)
                    .filter(|to| stores == 1 || rule.matrix & (1 << (4 * store + to)) != 0)
                {
                    let point = (rule.to, after.clone(), to);
                    if !numbers.contains_key(&point)
                        && (after.len() > height || explicit.points.len() >= most)
                    {
                        explicit.cut = true;
                        continue;
                    }
                    let number = *numbers.entry(point.clone()).or_insert_with(|| {
                        explicit.points.push(point);
                        explicit.points.len() - 1
                    });
                    steps.push((number, rule.length));
                }
            }
            explicit.steps.push(steps);
            next += 1;
        }
        explicit
    }

    fn top(&self, point: usize) -> Option<Symbol> {
        self.points[point].1.first().copied()
    }

    fn reach(&self, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        let mut waiting: VecDeque<usize> = from.into_iter().collect();
        while let Some(point) = waiting.pop_front() {
            if seen.insert(point) {
                waiting.extend(self.steps[point].iter().map(|(to, _)| *to));
            }
        }
        seen
    }

    /// Through each symbol: from which store to which is there a path to the target?
    pub fn chops(&self, symbols: u32) -> Vec<Matrix> {
        let reached: Vec<BTreeSet<usize>> = self.starts.iter().map(|s| self.reach([*s])).collect();
        (0..symbols)
            .map(Symbol)
            .map(|symbol| {
                let mut pairs = 0;
                for (before, reached) in reached.iter().enumerate() {
                    let through = reached.iter().copied();
                    let through = through.filter(|p| self.top(*p) == Some(symbol));
                    for end in self.reach(through) {
                        if self.top(end) == Some(self.target) {
                            pairs |= 1 << (4 * before + self.points[end].2 as usize);
                        }
                    }
                }
                pairs
            })
            .collect()
    }

    /// At each symbol: the stores, as a set of bits, on paths to the target.
    pub fn stores(&self, symbols: u32) -> Vec<u8> {
        let mut stores = vec![0; symbols as usize];
        let reached = self.reach(self.starts.iter().copied());
        let failing = self.failing();
        for point in reached {
            if let Some(top) = self.top(point)
                && failing[point]
            {
                stores[top.index()] |= 1 << self.points[point].2;
            }
        }
        stores
    }

    fn failing(&self) -> Vec<bool> {
        let mut failing: Vec<bool> = (0..self.points.len())
            .map(|p| self.top(p) == Some(self.target))
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for point in (0..self.points.len()).rev() {
                if !failing[point] && self.steps[point].iter().any(|(to, _)| failing[*to]) {
                    failing[point] = true;
                    changed = true;
                }
            }
        }
        failing
    }

    /// Through each symbol: the length of a shortest path to the target.
    pub fn lengths(&self, symbols: u32) -> Vec<Option<u64>> {
        let n = self.points.len();
        let relax = |distance: &mut Vec<Option<u64>>, backward: bool| {
            let mut changed = true;
            while changed {
                changed = false;
                for point in 0..n {
                    for (to, length) in &self.steps[point] {
                        let (a, b) = if backward { (*to, point) } else { (point, *to) };
                        if let Some(d) = distance[a]
                            && distance[b].is_none_or(|known| d + length < known)
                        {
                            distance[b] = Some(d + length);
                            changed = true;
                        }
                    }
                }
            }
        };
        let mut from_start = vec![None; n];
        for start in &self.starts {
            from_start[*start] = Some(0);
        }
        relax(&mut from_start, false);
        let mut to_target: Vec<Option<u64>> = (0..n)
            .map(|p| (self.top(p) == Some(self.target)).then_some(0))
            .collect();
        relax(&mut to_target, true);
        (0..symbols)
            .map(Symbol)
            .map(|symbol| {
                (0..n)
                    .filter(|p| self.top(*p) == Some(symbol))
                    .filter_map(|p| Some(from_start[p]? + to_target[p]?))
                    .min()
            })
            .collect()
    }
}
