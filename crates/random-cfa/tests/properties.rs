//! What holds of every program, on random ones.

use ir::{Program, link, parse, print, validate};
use proptest::prelude::*;
use random_cfa::{Recipe, Rng, Size, program, programs};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_text_form_parses_back(p in programs(Size::MEDIUM)) {
        let text = print(&p);
        let again = parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(print(&again), text);
    }

    #[test]
    fn they_are_well_formed(p in programs(Size::MEDIUM)) {
        prop_assert_eq!(validate(&p), Ok(()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn serialised_they_stay_the_same(p in programs(Size::MEDIUM)) {
        let bytes = postcard::to_allocvec(&p).unwrap();
        let again: Program = postcard::from_bytes(&bytes).unwrap();
        prop_assert_eq!(print(&again), print(&p));
    }

    #[test]
    fn linking_one_unit_changes_nothing(p in programs(Size::MEDIUM)) {
        let text = print(&p);
        let (linked, warnings) = link(vec![p]);
        prop_assert_eq!(warnings, vec![]);
        prop_assert_eq!(print(&linked), text);
    }

    #[test]
    fn linking_with_an_empty_unit_changes_no_function(p in programs(Size::MEDIUM)) {
        let before = ir::function_hashes(&p).into_vec();
        let empty = parse("unit \"empty.c\"").unwrap();
        let (linked, warnings) = link(vec![empty, p]);
        prop_assert_eq!(warnings, vec![]);
        prop_assert_eq!(validate(&linked), Ok(()));
        prop_assert_eq!(ir::function_hashes(&linked).into_vec(), before);
    }

    #[test]
    fn a_hash_survives_the_text(p in programs(Size::SMALL)) {
        // Functions of one name only: main.
        let hash = |p: &Program| ir::function_hash(p, p.find_function("main").unwrap());
        let again = parse(&print(&p)).unwrap();
        prop_assert_eq!(print(&again), print(&p));
        // The parser orders variables anew, so only its own fixed point has equal hashes.
        let third = parse(&print(&again)).unwrap();
        prop_assert_eq!(hash(&third), hash(&again));
    }
}

#[test]
fn a_seed_is_a_program() {
    let text = |seed| print(&program(seed, Size::MEDIUM));
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

/// Recipes make well-formed programs, whatever is done to them, and an edit of one body leaves the others alone.
#[test]
fn edited_programs_are_well_formed() {
    let (mut recursive, mut kept) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut recipe = Recipe::new(&mut rng, Size::SMALL);
        for _ in 0..12 {
            let before = recipe.program();
            let what = recipe.edit(&mut rng);
            let program = recipe.program();
            assert_eq!(validate(&program), Ok(()), "seed {seed}: {what}");
            let graph = ir::CallGraph::new(&program);
            recursive += usize::from(program.functions.ids().any(|f| graph.is_recursive(f)));
            // What comes into view is another thing to its callers.
            let same_view = before.bodies().count() == program.bodies().count();
            if what.starts_with("another body") && same_view {
                let hashes = |p: &Program| ir::function_hashes(p).into_vec();
                let pairs = hashes(&before).into_iter().zip(hashes(&program));
                let changed = pairs.filter(|(a, b)| a != b).count();
                assert!(changed <= 1, "seed {seed}: {what}: {changed}");
                kept += program.functions.len() - changed;
            }
        }
    }
    assert!(
        recursive > 300,
        "too few programs with recursion: {recursive}"
    );
    assert!(kept > 1000, "{kept}");
}
