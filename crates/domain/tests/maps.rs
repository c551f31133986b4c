//! The map against an ordinary one, and the components' laws: a merge covers both, a difference
//! and what it was taken from cover the whole, and the whole covers every piece.

use domain::components::definedness_difference;
use domain::{
    Bounds, CellId, Change, CowMap, Definedness, Definition, FactId, Facts, Gone, Lifetimes,
    Nullness, Number, ObjectId, Pointer, Pointers, Targets,
};
use proptest::prelude::*;
use search::Component;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Step {
    Insert(u8, u8),
    Remove(u8),
    Retain(u8),
    Update(u8),
    /// Someone else holds the map from here on.
    Share,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0u8..12, any::<u8>()).prop_map(|(k, v)| Step::Insert(k, v)),
        2 => (0u8..12).prop_map(Step::Remove),
        1 => (1u8..5).prop_map(Step::Retain),
        1 => (1u8..5).prop_map(Step::Update),
        1 => Just(Step::Share),
    ];
    prop::collection::vec(step, 0..40)
}

fn run(steps: &[Step]) -> (CowMap<u8, u8>, BTreeMap<u8, u8>) {
    let (mut map, mut model) = (CowMap::default(), BTreeMap::new());
    let mut shared: Vec<(CowMap<u8, u8>, BTreeMap<u8, u8>)> = Vec::new();
    for step in steps {
        match *step {
            Step::Insert(k, v) => {
                map.insert(k, v);
                model.insert(k, v);
            }
            Step::Remove(k) => assert_eq!(map.remove(k), model.remove(&k).is_some()),
            Step::Retain(n) => {
                map.retain(|k, v| (k ^ v) % n != 0);
                model.retain(|k, v| (*k ^ *v) % n != 0);
            }
            Step::Update(n) => {
                map.update(|k, v| match (k ^ v) % (n + 2) {
                    0 => Change::Remove,
                    1 => Change::Set(v.wrapping_add(1)),
                    _ => Change::Keep,
                });
                let old = std::mem::take(&mut model);
                model.extend(
                    old.into_iter()
                        .filter_map(|(k, v)| match (k ^ v) % (n + 2) {
                            0 => None,
                            1 => Some((k, v.wrapping_add(1))),
                            _ => Some((k, v)),
                        }),
                );
            }
            Step::Share => shared.push((map.clone(), model.clone())),
        }
    }
    for (map, model) in &shared {
        assert!(same(map, model), "a write reached what was shared");
    }
    (map, model)
}

fn same(map: &CowMap<u8, u8>, model: &BTreeMap<u8, u8>) -> bool {
    map.len() == model.len()
        && map.is_empty() == model.is_empty()
        && map.iter().eq(model.iter().map(|(k, v)| (*k, v)))
        && (0..12).all(|k| map.get(k) == model.get(&k))
}

fn cells() -> Vec<CellId> {
    let (scalar, aggregate) = (ObjectId(1), ObjectId(2));
    vec![
        CellId::whole(scalar),
        CellId::rest(aggregate),
        CellId::part(aggregate, 0),
        CellId::part(aggregate, 1),
        CellId::shared_part(aggregate, 2),
    ]
}

fn map_of<V: domain::Lattice + std::fmt::Debug>(
    value: impl Strategy<Value = V> + Clone,
) -> impl Strategy<Value = CowMap<CellId, V>> {
    prop::collection::vec(prop::option::of(value), cells().len()).prop_map(|values| {
        let mut map = CowMap::default();
        for (cell, value) in cells().into_iter().zip(values) {
            if let Some(value) = value {
                map.set(cell, value);
            }
        }
        map
    })
}

fn bounds() -> impl Strategy<Value = Bounds> {
    map_of((-6i64..6, 0i64..6).prop_map(|(low, more)| Number::range(low, low + more)))
}

fn definedness() -> impl Strategy<Value = Definedness> {
    map_of(prop::sample::select(vec![
        Definition::Defined,
        Definition::Undefined,
        Definition::Possibly,
        Definition::Unclear,
    ]))
}

fn pointers() -> impl Strategy<Value = Pointers> {
    let null = prop::sample::select(vec![
        Nullness::ANY,
        Nullness::NULL,
        Nullness::VALID,
        Nullness::FALLIBLE,
    ]);
    map_of(
        (null, 0u32..3, any::<bool>()).prop_map(|(null, object, any)| {
            if !null.may_be_valid {
                Pointer::null()
            } else if any {
                Pointer {
                    null,
                    ..Pointer::any()
                }
            } else {
                Pointer {
                    null,
                    ..Pointer::to(ObjectId(object))
                }
            }
        }),
    )
}

fn lifetimes() -> impl Strategy<Value = Lifetimes> {
    let gone = prop::sample::select(vec![
        None,
        Some(Gone::Surely),
        Some(Gone::Possibly),
        Some(Gone::Unseen),
    ]);
    prop::collection::vec(gone, 3).prop_map(|all| {
        let mut map = Lifetimes::default();
        for (i, gone) in all.into_iter().enumerate() {
            if let Some(gone) = gone {
                map.insert(ObjectId(i as u32), gone);
            }
        }
        map
    })
}

fn facts() -> impl Strategy<Value = Facts> {
    prop::collection::vec(prop::option::of(any::<bool>()), 3).prop_map(|all| {
        let mut map = Facts::default();
        for (i, fact) in all.into_iter().enumerate() {
            if let Some(fact) = fact {
                map.insert(FactId(i as u32), fact);
            }
        }
        map
    })
}

fn merge_covers_both<C: Component>(a: &C, b: &C) -> bool {
    let merged = a.merge(b);
    merged.covers(a) && merged.covers(b) && a.covers(a)
}

proptest! {
    #[test]
    fn the_map_is_a_map(steps in steps(), others in steps()) {
        let (map, model) = run(&steps);
        prop_assert!(same(&map, &model));
        let (other, other_model) = run(&others);
        prop_assert_eq!(map == other, model == other_model);
        let both = map.combine(&other, |_, a, b| a.or(b).copied());
        let mut union = other_model.clone();
        union.extend(model);
        prop_assert!(same(&both, &union));
    }

    #[test]
    fn merges_cover_what_is_merged(
        (a, b) in (bounds(), bounds()),
        (p, q) in (pointers(), pointers()),
        (d, e) in (definedness(), definedness()),
        (l, m) in (lifetimes(), lifetimes()),
        (f, g) in (facts(), facts()),
    ) {
        prop_assert!(merge_covers_both(&a, &b) && merge_covers_both(&p, &q));
        prop_assert!(merge_covers_both(&d, &e) && merge_covers_both(&l, &m) && merge_covers_both(&f, &g));
    }

    /// Of one scalar, value by value: what the other does not hold is in a piece, and the pieces
    /// hold nothing that was not there.
    #[test]
    fn bounds_and_their_difference_are_all(a in bounds(), b in bounds()) {
        let Some(pieces) = a.difference(&b) else { return Ok(()) };
        prop_assert!(pieces.iter().all(|p| a.covers(p)), "{pieces:?}");
        prop_assert_eq!(pieces.is_empty(), b.covers(&a));
        for (i, x) in cells().into_iter().enumerate().filter(|(_, c)| *c != CellId::rest(ObjectId(2))) {
            for v in -8i64..14 {
                let inside = |m: &Bounds| m.value(x).contains(v);
                prop_assert!(!inside(&a) || inside(&b) || pieces.iter().any(inside), "cell {i} value {v}");
            }
        }
    }

    #[test]
    fn pointers_lose_a_half_or_nothing(a in pointers(), b in pointers()) {
        let Some(pieces) = a.difference(&b) else { return Ok(()) };
        prop_assert!(pieces.iter().all(|p| a.covers(p)));
        prop_assert_eq!(pieces.is_empty(), b.covers(&a));
    }

    #[test]
    fn facts_and_their_difference_are_all(a in facts(), b in facts()) {
        let Some(pieces) = a.difference(&b) else { return Ok(()) };
        for bits in 0u32..8 {
            let mut run = Facts::default();
            (0..3).for_each(|i| run.insert(FactId(i), bits >> i & 1 == 1));
            let inside = |m: &Facts| m.covers(&run);
            prop_assert!(pieces.iter().all(|p| !inside(p) || inside(&a)));
            prop_assert!(!inside(&a) || inside(&b) || pieces.iter().any(inside));
        }
    }

    /// Every cell that is undefined in a way that the other does not know of is so in the piece.
    #[test]
    fn undefined_cells_that_are_new_stay(a in definedness(), b in definedness()) {
        let pieces = definedness_difference(&a, &b);
        prop_assert_eq!(pieces.is_empty(), b.covers(&a));
        for piece in &pieces {
            for cell in cells() {
                let (new, old) = (a.value(cell), b.value(cell));
                if !old.covers(new) && a.get(cell).is_some() {
                    prop_assert_eq!(piece.value(cell), new);
                }
            }
        }
    }
}

fn undefined(vars: &[u32]) -> Definedness {
    let mut map = Definedness::default();
    for v in vars {
        map.set(CellId::whole(ObjectId(*v)), Definition::Undefined);
    }
    map
}

fn above(bound: i64) -> Bounds {
    let mut map = Bounds::default();
    map.set(
        CellId::whole(ObjectId(9)),
        Number::range(bound + 1, i64::MAX),
    );
    map
}

/// §2.2: ({a,b},(c>0)) against ({a},(c>0)), ({a,b},(c>5)), and others.
#[test]
fn the_examples_of_the_paper() {
    let (a, ab) = (undefined(&[0]), undefined(&[0, 1]));
    // Difference: only b is new.
    assert_eq!(definedness_difference(&ab, &a), [undefined(&[1])]);
    assert!(definedness_difference(&ab, &ab).is_empty());
    // c > 0 covers c > 5, and not the other way round; what is left of it is 1..=5.
    assert!(above(0).covers(&above(5)) && !above(5).covers(&above(0)));
    let rest = above(0).difference(&above(5)).unwrap();
    assert_eq!(rest.len(), 1);
    let n = rest[0].value(CellId::whole(ObjectId(9)));
    assert_eq!((n.low, n.high), (1, 5));
    // Merging takes the weaker bound, and counts as possibly undefined what one side left so.
    assert_eq!(above(0).merge(&above(5)), above(0));
    let merged = ab.merge(&a);
    assert_eq!(
        merged.value(CellId::whole(ObjectId(0))),
        Definition::Undefined
    );
    assert_eq!(
        merged.value(CellId::whole(ObjectId(1))),
        Definition::Possibly
    );
}

/// A run on which the variable was written goes on where one on which it was not stops: it is not
/// covered, and not lost.
#[test]
fn what_is_defined_is_not_covered_by_what_is_not() {
    let (defined, not) = (undefined(&[]), undefined(&[0]));
    assert!(!not.covers(&defined));
    assert_eq!(definedness_difference(&defined, &not), [defined]);
}

#[test]
fn a_part_is_what_the_rest_is_unless_it_shares_bits() {
    let object = ObjectId(3);
    let mut map = Bounds::default();
    map.set(CellId::rest(object), Number::constant(0));
    assert_eq!(map.value(CellId::part(object, 0)), Number::constant(0));
    assert_eq!(map.value(CellId::shared_part(object, 1)), Number::TOP);
    map.set(CellId::shared_part(object, 1), Number::constant(3));
    assert_eq!(
        map.value(CellId::shared_part(object, 1)),
        Number::constant(3)
    );
    assert_eq!(CellId::shared_part(object, 1).part_index(), Some(1));
    assert!(!CellId::whole(object).is_shared());
    assert_eq!(Pointer::to(object).targets, Targets::one(object));
}
