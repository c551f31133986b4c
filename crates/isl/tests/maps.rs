//! Operations on maps against the oracle: sets of pairs.

mod common;

use std::collections::BTreeSet;

use common::{Point, Union, config, grid, points, union};
use isl::{Affine, Constraint, Context, Dim, Map, Result};
use proptest::collection::vec;
use proptest::prelude::*;

type Pairs = BTreeSet<(Point, Point)>;

/// A map of so many inputs, drawn as the set of its pairs.
#[derive(Debug, Clone)]
struct Relation {
    inputs: usize,
    pairs: Union,
}

impl Relation {
    fn map(&self, context: &Context) -> Result<Map> {
        Map::unwrap(&self.pairs.set(context)?, self.inputs)
    }

    /// The same by constraints on inputs and outputs.
    fn by_constraints(&self, context: &Context) -> Result<Map> {
        let outputs = self.pairs.dimensions - self.inputs;
        let mut map = Map::empty(context, self.inputs, outputs)?;
        for system in &self.pairs.systems {
            let constraints: Vec<Constraint> = system
                .iter()
                .map(|c| {
                    let mut c = c.clone();
                    for (dim, _) in &mut c.form.terms {
                        *dim = match *dim {
                            Dim::At(i) if i < self.inputs => Dim::In(i),
                            Dim::At(i) => Dim::Out(i - self.inputs),
                            other => other,
                        };
                    }
                    c
                })
                .collect();
            let part = Map::from_constraints(context, self.inputs, outputs, &constraints)?;
            map = map.union(&part)?;
        }
        Ok(map)
    }

    fn points(&self) -> Pairs {
        split(self.pairs.points(), self.inputs)
    }
}

fn split(points: BTreeSet<Point>, inputs: usize) -> Pairs {
    let halves = |point: Point| (point[..inputs].to_vec(), point[inputs..].to_vec());
    points.into_iter().map(halves).collect()
}

fn pairs(map: &Map, size: i128) -> Pairs {
    split(points(&map.wrap().unwrap(), size).unwrap(), map.inputs())
}

fn relation(inputs: usize, outputs: usize) -> impl Strategy<Value = Relation> {
    union(inputs + outputs).prop_map(move |pairs| Relation { inputs, pairs })
}

fn shape() -> impl Strategy<Value = (usize, usize)> {
    (1usize..=2, 1usize..=2)
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn made((n, m) in shape(), seed in any::<prop::sample::Index>(), r in relation(2, 1)) {
        let context = Context::new();
        let map = r.map(&context).unwrap();
        prop_assert_eq!((map.inputs(), map.outputs()), (2, 1));
        prop_assert_eq!(pairs(&map, r.pairs.size), r.points());
        prop_assert!(r.by_constraints(&context).unwrap().is_equal(&map).unwrap());
        prop_assert!(map.wrap().unwrap().is_equal(&r.pairs.set(&context).unwrap()).unwrap());
        prop_assert_eq!(map.disjuncts(), map.pieces().unwrap().len());
        let all = grid(3, r.pairs.size);
        let point = seed.get(&all);
        let (input, output) = point.split_at(2);
        let inside = r.points().contains(&(input.to_vec(), output.to_vec()));
        prop_assert_eq!(map.contains(input, output).unwrap(), inside);
        let read = Map::parse(&context, &map.to_string()).unwrap();
        prop_assert!(read.is_equal(&map).unwrap());
        let universe = Map::universe(&context, n, m).unwrap();
        prop_assert!(Map::empty(&context, n, m).unwrap().complement().unwrap().is_equal(&universe).unwrap());
    }

    #[test]
    fn boolean_operations(((a, b), inside) in (shape().prop_flat_map(|(n, m)| (relation(n, m), relation(n, m))), union(2))) {
        let context = Context::new();
        let (r, s) = (a.map(&context).unwrap(), b.map(&context).unwrap());
        let (p, q) = (a.points(), b.points());
        let size = a.pairs.size;
        prop_assert_eq!(pairs(&r.intersect(&s).unwrap(), size), &p & &q);
        prop_assert_eq!(pairs(&r.union(&s).unwrap(), size), &p | &q);
        prop_assert_eq!(pairs(&r.subtract(&s).unwrap(), size), &p - &q);
        let all = split(grid(a.pairs.dimensions, size).into_iter().collect(), a.inputs);
        prop_assert_eq!(pairs(&r.complement().unwrap(), size), &all - &p);
        prop_assert_eq!(&pairs(&r.gist(&s).unwrap(), size) & &q, &p & &q);
        prop_assert_eq!(r.is_empty().unwrap(), p.is_empty());
        prop_assert_eq!(r.is_subset(&s).unwrap(), p.is_subset(&q));
        prop_assert_eq!(r.is_equal(&s).unwrap(), p == q);
        prop_assert_eq!(r.is_disjoint(&s).unwrap(), p.is_disjoint(&q));
        for same in [r.coalesce(), r.remove_redundancies(), r.detect_equalities(), r.compute_divs()] {
            prop_assert_eq!(&pairs(&same.unwrap(), size), &p);
        }
        prop_assert!(pairs(&r.remove_divs().unwrap(), size).is_superset(&p));
        let domain = inside.set(&context).unwrap().project_out(&(a.inputs..2).collect::<Vec<_>>()).unwrap();
        let known = points(&domain, size).unwrap();
        let with = |pairs: Pairs| -> Pairs { pairs.into_iter().filter(|(input, _)| known.contains(input)).collect() };
        prop_assert_eq!(with(pairs(&r.gist_domain(&domain).unwrap(), size)), with(p));
    }

    #[test]
    fn sides(r in shape().prop_flat_map(|(n, m)| relation(n, m)), d in union(2), e in union(2)) {
        let context = Context::new();
        let map = r.map(&context).unwrap();
        let size = r.pairs.size;
        let all = r.points();
        let inputs: BTreeSet<Point> = all.iter().map(|(input, _)| input.clone()).collect();
        let outputs: BTreeSet<Point> = all.iter().map(|(_, output)| output.clone()).collect();
        prop_assert_eq!(points(&map.domain().unwrap(), size).unwrap(), inputs);
        prop_assert_eq!(points(&map.range().unwrap(), size).unwrap(), outputs);
        let reverse = map.reverse().unwrap();
        let turned: Pairs = all.iter().map(|(input, output)| (output.clone(), input.clone())).collect();
        prop_assert_eq!((reverse.inputs(), reverse.outputs()), (map.outputs(), map.inputs()));
        prop_assert_eq!(pairs(&reverse, size), turned);

        // Sets as large as the sides.
        let d = d.set(&context).unwrap().project_out(&(map.inputs()..2).collect::<Vec<_>>()).unwrap();
        let e = e.set(&context).unwrap().project_out(&(map.outputs()..2).collect::<Vec<_>>()).unwrap();
        let (p, q) = (points(&d, size).unwrap(), points(&e, size).unwrap());
        let mut expected = all.clone();
        expected.retain(|(input, _)| p.contains(input));
        prop_assert_eq!(&pairs(&map.intersect_domain(&d).unwrap(), size), &expected);
        let images: BTreeSet<Point> = expected.into_iter().map(|(_, output)| output).collect();
        prop_assert_eq!(points(&d.apply(&map).unwrap(), size).unwrap(), images);
        let mut expected = all.clone();
        expected.retain(|(_, output)| q.contains(output));
        prop_assert_eq!(pairs(&map.intersect_range(&e).unwrap(), size), expected);
    }

    #[test]
    fn constrained((r, factors, constant) in (relation(2, 1), vec(-3i128..=3, 3), -4i128..=4)) {
        let context = Context::new();
        let terms = [(Dim::In(0), factors[0]), (Dim::In(1), factors[1]), (Dim::Out(0), factors[2])];
        let constraint = Constraint::at_least_zero(terms, constant);
        let map = r.map(&context).unwrap().constrain(&[constraint]).unwrap();
        let mut expected = r.points();
        expected.retain(|(x, y)| factors[0] * x[0] + factors[1] * x[1] + factors[2] * y[0] + constant >= 0);
        prop_assert_eq!(pairs(&map, r.pairs.size), expected);
    }

    #[test]
    fn composition((r, s) in (1usize..=2, 1usize..=2, 1usize..=2).prop_flat_map(|(a, b, c)| (relation(a, b), relation(b, c)))) {
        let context = Context::new();
        let both = r.map(&context).unwrap().apply_range(&s.map(&context).unwrap()).unwrap();
        let (p, q) = (r.points(), s.points());
        let mut expected = Pairs::new();
        for (input, middle) in &p {
            // Pairs are in the order of their first halves.
            let from_middle = q.range((middle.clone(), vec![])..);
            for (_, output) in from_middle.take_while(|(start, _)| start == middle) {
                expected.insert((input.clone(), output.clone()));
            }
        }
        prop_assert_eq!(pairs(&both, r.pairs.size.max(s.pairs.size)), expected);
    }

    #[test]
    fn dimensions((r, number, at) in (relation(2, 2), -2i128..=2, 0usize..=1)) {
        let context = Context::new();
        let map = r.map(&context).unwrap();
        let size = r.pairs.size;
        let all = r.points();
        let mut fixed = all.clone();
        fixed.retain(|(input, _)| input[at] == number);
        prop_assert_eq!(&pairs(&map.fix(Dim::In(at), number).unwrap(), size), &fixed);
        prop_assert_eq!(&pairs(&map.fix(Dim::At(at), number).unwrap(), size), &fixed);
        let mut fixed = all.clone();
        fixed.retain(|(_, output)| output[at] == number);
        prop_assert_eq!(&pairs(&map.fix(Dim::Out(at), number).unwrap(), size), &fixed);
        prop_assert_eq!(&pairs(&map.fix(Dim::At(2 + at), number).unwrap(), size), &fixed);

        let fewer = map.project_out(&[Dim::Out(at), Dim::In(0), Dim::In(1)]).unwrap();
        let expected: Pairs = all.iter().map(|(_, output)| (vec![], vec![output[1 - at]])).collect();
        prop_assert_eq!(pairs(&fewer, size), expected);

        let more = map.insert(Dim::In(2 * at), 1).unwrap();
        prop_assert_eq!((more.inputs(), more.outputs()), (3, 2));
        let without = |input: &Point| [&input[..2 * at], &input[2 * at + 1..]].concat();
        let mut expected = split(grid(5, 1).into_iter().collect(), 3);
        expected.retain(|(input, output)| all.contains(&(without(input), output.clone())));
        prop_assert_eq!(pairs(&more, 1), expected);
        let more = map.insert(Dim::Out(2), 1).unwrap();
        let mut expected = split(grid(5, 1).into_iter().collect(), 2);
        expected.retain(|(input, output)| all.contains(&(input.clone(), output[..2].to_vec())));
        prop_assert_eq!(pairs(&more, 1), expected);
    }

    #[test]
    fn functions((factors, constants, anything) in (vec(vec(-3i128..=3, 2), 2), vec(-3i128..=3, 2), vec(any::<bool>(), 2))) {
        let context = Context::new();
        let outputs: Vec<Option<Affine>> = (0..2).map(|i| {
            let terms = [(Dim::In(0), factors[i][0]), (Dim::In(1), factors[i][1])];
            (!anything[i]).then(|| Affine::new(terms, constants[i]))
        }).collect();
        let map = Map::from_affine(&context, 2, &outputs).unwrap();
        let mut expected = split(grid(4, 2).into_iter().collect(), 2);
        expected.retain(|(x, y)| (0..2).all(|i| {
            anything[i] || y[i] == factors[i][0] * x[0] + factors[i][1] * x[1] + constants[i]
        }));
        prop_assert_eq!(pairs(&map, 2), expected);
        prop_assert!(map.domain().unwrap().is_equal(&isl::Set::universe(&context, 2).unwrap()).unwrap());
    }
}

#[test]
fn identity() {
    let context = Context::new();
    let identity = Map::identity(&context, 2).unwrap();
    let expected: Pairs = grid(2, 3).into_iter().map(|p| (p.clone(), p)).collect();
    assert_eq!(pairs(&identity, 3), expected);
    let map = Map::parse(&context, "{ [a, b] -> [c] : c = a + b }").unwrap();
    assert!(identity.apply_range(&map).unwrap().is_equal(&map).unwrap());
}

#[test]
fn no_inputs_or_no_outputs() {
    let context = Context::new();
    let set = isl::Set::parse(&context, "{ [x] : 0 <= x <= 2 }").unwrap();
    for inputs in [0, 1] {
        let map = Map::unwrap(&set, inputs).unwrap();
        assert_eq!((map.inputs(), map.outputs()), (inputs, 1 - inputs));
        assert!(map.wrap().unwrap().is_equal(&set).unwrap());
        let shape = Map::universe(&context, inputs, 1 - inputs).unwrap();
        assert!(shape.intersect(&map).unwrap().is_equal(&map).unwrap());
    }
}
