//! What the built-in prover must settle alone: the easy majority.

use logic::*;

struct Facts {
    pool: Pool,
    facts: Vec<TermId>,
}

impl Facts {
    fn new() -> Facts {
        Facts {
            pool: Pool::new(),
            facts: Vec::new(),
        }
    }

    fn symbol(&mut self, width: u16) -> TermId {
        self.pool.fresh(Sort::Bits(width))
    }

    fn compare(&mut self, order: Order, a: TermId, b: TermId) {
        let fact = self.pool.compare(order, a, b);
        self.facts.push(fact);
    }

    /// `a order c`, and `c order a`.
    fn compare_with(&mut self, order: Order, a: TermId, c: i128) {
        let c = self.constant(a, c);
        self.compare(order, a, c);
    }

    fn compare_to(&mut self, c: i128, order: Order, a: TermId) {
        let c = self.constant(a, c);
        self.compare(order, c, a);
    }

    fn constant(&mut self, like: TermId, c: i128) -> TermId {
        let width = self.pool.width(like);
        self.pool.bits(width, c as u128)
    }

    fn equal(&mut self, a: TermId, c: i128) {
        let c = self.constant(a, c);
        let fact = self.pool.equal(a, c);
        self.facts.push(fact);
    }

    fn differ(&mut self, a: TermId, c: i128) {
        let c = self.constant(a, c);
        let fact = self.pool.differ(a, c);
        self.facts.push(fact);
    }

    fn check(&self) -> Answer {
        let mut prover = Intervals::new();
        for (i, &fact) in self.facts.iter().enumerate() {
            prover.assert(&self.pool, i as Label, fact);
        }
        prover.check(&self.pool, 0)
    }

    #[track_caller]
    fn contradict(&self, core: &[Label]) {
        assert_eq!(self.check(), Answer::Unsatisfiable(core.to_vec()));
    }

    #[track_caller]
    fn have_a_solution(&self) {
        match self.check() {
            Answer::Satisfiable(model) => {
                for &fact in &self.facts {
                    assert_eq!(evaluate(&self.pool, fact, &model), 1);
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_condition_tested_twice() {
    let mut f = Facts::new();
    let (x, y) = (f.symbol(32), f.symbol(32));
    f.compare_to(0, Order::Slt, x);
    f.compare_to(7, Order::Slt, y);
    f.have_a_solution();
    f.compare_with(Order::Sle, x, 0);
    f.contradict(&[0, 2]);
}

#[test]
fn a_constant_and_not_it() {
    let mut f = Facts::new();
    let x = f.symbol(32);
    f.equal(x, 3);
    f.have_a_solution();
    f.differ(x, 3);
    f.contradict(&[0, 1]);
}

#[test]
fn null_tests() {
    let mut f = Facts::new();
    let (p, q) = (f.symbol(64), f.symbol(64));
    f.differ(p, 0);
    f.have_a_solution();
    let same = f.pool.equal(p, q);
    f.facts.push(same);
    f.have_a_solution();
    f.equal(q, 0);
    f.contradict(&[0, 1, 2]);
}

#[test]
fn sums_with_constants() {
    // i + 1 wraps only for the greatest i: i >= 0 is not needed.
    let mut f = Facts::new();
    let i = f.symbol(32);
    f.compare_with(Order::Sle, i, 9);
    f.compare_to(0, Order::Sle, i);
    let one = f.constant(i, 1);
    let j = f.pool.add(i, one);
    f.have_a_solution();
    f.compare_to(10, Order::Slt, j);
    f.contradict(&[0, 2]);

    // i - 1 wraps for the least one: here it is.
    let mut f = Facts::new();
    let i = f.symbol(32);
    f.compare_with(Order::Sle, i, 9);
    f.compare_to(0, Order::Sle, i);
    let minus_one = f.constant(i, -1);
    let j = f.pool.add(i, minus_one);
    f.compare_to(8, Order::Slt, j);
    f.contradict(&[0, 1, 2]);
}

#[test]
fn casts() {
    let mut f = Facts::new();
    let c = f.symbol(8);
    let wide = f.pool.zero_extend(c, 32);
    let one = f.constant(wide, 1);
    let next = f.pool.add(wide, one);
    f.compare_to(256, Order::Slt, next);
    f.contradict(&[0]);

    let mut f = Facts::new();
    let c = f.symbol(8);
    let wide = f.pool.sign_extend(c, 32);
    let two = f.constant(wide, 2);
    let product = f.pool.binary(BinaryOp::Mul, wide, two);
    f.compare_with(Order::Slt, product, -256);
    f.contradict(&[0]);

    // The low half of a word that is known to be small.
    let mut f = Facts::new();
    let x = f.symbol(64);
    f.compare_with(Order::Ult, x, 100);
    let low = f.pool.extract(x, 0, 32);
    f.have_a_solution();
    f.compare_with(Order::Slt, low, 0);
    f.contradict(&[0, 1]);
}

#[test]
fn masks_and_shifts() {
    let mut f = Facts::new();
    let x = f.symbol(32);
    let seven = f.constant(x, 7);
    let masked = f.pool.binary(BinaryOp::And, x, seven);
    f.compare_to(7, Order::Ult, masked);
    f.contradict(&[0]);

    let mut f = Facts::new();
    let x = f.symbol(32);
    let by = f.constant(x, 28);
    let high = f.pool.binary(BinaryOp::LShr, x, by);
    f.compare_with(Order::Ult, high, 16);
    f.have_a_solution();
    f.compare_with(Order::Ult, x, 1 << 28);
    f.differ(high, 0);
    f.contradict(&[1, 2]);
}

#[test]
fn orders_without_bounds() {
    let mut f = Facts::new();
    let (i, n, m) = (f.symbol(32), f.symbol(32), f.symbol(32));
    f.compare(Order::Slt, i, n);
    f.have_a_solution();
    f.compare(Order::Sle, n, m);
    f.have_a_solution();
    f.compare(Order::Sle, m, i);
    f.contradict(&[0, 1, 2]);
}

#[test]
fn orders_through_equalities() {
    let mut f = Facts::new();
    let (i, n, m) = (f.symbol(64), f.symbol(64), f.symbol(64));
    f.compare(Order::Ult, i, n);
    f.compare(Order::Ult, n, m);
    let same = f.pool.equal(i, m);
    f.facts.push(same);
    f.contradict(&[0, 1, 2]);
}

#[test]
fn at_most_each_other_is_equal() {
    let mut f = Facts::new();
    let (i, n) = (f.symbol(32), f.symbol(32));
    f.compare(Order::Sle, i, n);
    f.compare(Order::Sle, n, i);
    f.have_a_solution();
    let differ = f.pool.differ(i, n);
    f.facts.push(differ);
    f.contradict(&[0, 1, 2]);
}

#[test]
fn elements_at_equal_indices_are_equal() {
    let mut f = Facts::new();
    let array = f.pool.fresh(Sort::Array {
        index: 64,
        element: 8,
    });
    let (i, j) = (f.symbol(64), f.symbol(64));
    let (a, b) = (f.pool.select(array, i), f.pool.select(array, j));
    f.equal(a, 1);
    f.equal(b, 2);
    f.have_a_solution();
    let same = f.pool.equal(i, j);
    f.facts.push(same);
    f.contradict(&[0, 1, 2]);

    // And at indices with the same value.
    f.facts.pop();
    f.equal(i, 5);
    f.equal(j, 5);
    f.contradict(&[0, 1, 2, 3]);
}

#[test]
fn choices_and_disjunctions() {
    let mut f = Facts::new();
    let (x, y) = (f.symbol(32), f.symbol(32));
    let flag = f.pool.is_nonzero(x);
    let (ten, twenty) = (f.constant(y, 10), f.constant(y, 20));
    let size = f.pool.choose(flag, ten, twenty);
    f.compare(Order::Ult, y, size);
    f.have_a_solution();
    f.compare_to(15, Order::Ult, y);
    f.have_a_solution();
    // So x = 0.
    f.facts.push(flag);
    f.contradict(&[0, 1, 2]);

    let mut f = Facts::new();
    let x = f.symbol(32);
    let (a, b) = {
        let (one, two) = (f.constant(x, 1), f.constant(x, 2));
        (f.pool.equal(x, one), f.pool.equal(x, two))
    };
    let either = f.pool.or(a, b);
    f.facts.push(either);
    f.have_a_solution();
    f.differ(x, 2);
    f.have_a_solution();
    f.differ(x, 1);
    f.contradict(&[0, 1, 2]);
}

#[test]
fn what_is_popped_is_forgotten() {
    let mut pool = Pool::new();
    let x = pool.fresh(Sort::Bits(32));
    let zero = pool.bits(32, 0);
    let (is, is_not) = (pool.equal(x, zero), pool.differ(x, zero));
    let mut prover = Intervals::new();
    prover.assert(&pool, 1, is);
    prover.push();
    prover.assert(&pool, 2, is_not);
    assert_eq!(prover.check(&pool, 0), Answer::Unsatisfiable(vec![1, 2]));
    prover.pop();
    assert!(matches!(prover.check(&pool, 0), Answer::Satisfiable(_)));
    prover.reset();
    prover.assert(&pool, 2, is_not);
    assert!(matches!(prover.check(&pool, 0), Answer::Satisfiable(_)));
}

/// Steps do not grow with what is not concerned: twice the facts, about twice the time. Counted as
/// the time would be too noisy: by what a path of 20,000 facts takes not being minutes.
#[test]
fn a_long_path() {
    let mut f = Facts::new();
    let mut i = f.symbol(32);
    f.equal(i, 0);
    let n = f.symbol(32);
    for _ in 0..10_000 {
        f.compare(Order::Slt, i, n);
        let next = f.symbol(32);
        let one = f.constant(i, 1);
        let sum = f.pool.add(i, one);
        let assigned = f.pool.equal(next, sum);
        f.facts.push(assigned);
        i = next;
    }
    f.have_a_solution();
    f.compare_with(Order::Slt, n, 10_000);
    assert!(matches!(f.check(), Answer::Unsatisfiable(_)));
}
