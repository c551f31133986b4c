//! Constructors, substitution and the text for solvers keep the value of a term.

mod common;
use common::*;
use logic::smt::Transport;
use logic::smt::expression::read;
use logic::smt::print::Printer;
use logic::*;
use proptest::prelude::*;

fn widths() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(prop_oneof![1u16..9, Just(32), Just(64), Just(128)], 1..4)
}

fn values() -> impl Strategy<Value = Vec<u128>> {
    let value = prop_oneof![any::<u128>(), 0u128..4, Just(u128::MAX)];
    proptest::collection::vec(value, 4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn simplified_terms_have_the_value_of_their_operators(
        widths in widths(), values in values(), elements in values(), steps in steps(40)
    ) {
        let mut machine = Machine::new(&widths, &values, &elements, true);
        machine.run(&steps, true);
        for &(term, value) in machine.words.iter().chain(&machine.truths) {
            prop_assert_eq!(evaluate(&machine.pool, term, &machine.assignment), value);
        }
    }

    #[test]
    fn substitution_is_evaluation_under_the_values_of_the_replacements(
        widths in widths(), values in values(), elements in values(), steps in steps(40)
    ) {
        let mut machine = Machine::new(&widths, &values, &elements, true);
        machine.run(&steps, true);
        // Each symbol by its value, except the first, which stays.
        let mut substitution = Substitution::new();
        let assignment = machine.assignment.clone();
        for &symbol in &machine.symbols[1..] {
            let Sort::Bits(width) = machine.pool.symbol_sort(symbol) else { unreachable!() };
            let constant = machine.pool.bits(width, assignment.symbols[&symbol]);
            substitution.define(symbol, constant);
        }
        let mut left = Assignment { elements: assignment.elements.clone(), ..Assignment::default() };
        let first = machine.symbols[0];
        left.symbols.insert(first, assignment.symbols[&first]);
        let all: Vec<_> = machine.words.iter().chain(&machine.truths).copied().collect();
        for (term, value) in all {
            let replaced = substitution.apply(&mut machine.pool, term);
            prop_assert_eq!(machine.pool.sort(replaced), machine.pool.sort(term));
            prop_assert_eq!(evaluate(&machine.pool, replaced, &left), value);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The symbols are fixed by equations; then the solver is asked for the term.
    #[test]
    fn text_has_the_value_of_the_term(
        widths in widths(), values in values(), elements in values(), steps in steps(30)
    ) {
        let mut machine = Machine::new(&widths, &values, &elements, true);
        machine.run(&steps, true);
        let mut solver = library().solver();
        let mut printer = Printer::new();
        let mut out = String::new();
        let mut asked = Vec::new();
        let all: Vec<_> = machine.words.iter().chain(&machine.truths).copied().collect();
        let pool = &mut machine.pool;
        for (term, value) in all {
            asked.push((printer.term(pool, term, &mut out), value));
        }
        for (&symbol, &value) in &machine.assignment.symbols {
            let Sort::Bits(width) = pool.symbol_sort(symbol) else { unreachable!() };
            // Symbols have the first numbers among the terms.
            let constant = pool.bits(width, value);
            let equation = pool.equal(TermId(symbol.0), constant);
            let text = printer.term(pool, equation, &mut out);
            out += &format!("(assert {text})\n");
        }
        let array = TermId(machine.array.0);
        for (&(_, at), &value) in &machine.assignment.elements {
            let at = pool.bits(INDEX, at);
            let element = pool.select(array, at);
            let constant = pool.bits(ELEMENT, value);
            let equation = pool.equal(element, constant);
            let text = printer.term(pool, equation, &mut out);
            out += &format!("(assert {text})\n");
        }
        out += "(check-sat)\n(get-value (";
        for (text, _) in &asked {
            out += text;
            out.push(' ');
        }
        out += "))\n";
        let said = read(&solver.ask(&out).unwrap()).unwrap();
        prop_assert_eq!(said[0].as_atom(), Some("sat"), "{:?}\n{}", said, out);
        for (pair, (text, value)) in said[1].as_list().unwrap().iter().zip(&asked) {
            let found = pair.as_list().unwrap()[1].as_value();
            prop_assert_eq!(found, Some(*value), "{}\n{}", text, out);
        }
    }
}

/// The text of a chain of sums, each of the one before with itself, and of facts about all of them.
#[test]
fn text_is_linear() {
    let mut pool = Pool::new();
    let mut x = pool.fresh(Sort::Bits(32));
    let mut length = Vec::new();
    let mut printer = Printer::new();
    let mut out = String::new();
    for i in 0..2000u128 {
        let squared = pool.binary(BinaryOp::Mul, x, x);
        x = pool.binary(BinaryOp::Xor, squared, x);
        let c = pool.bits(32, i);
        let fact = pool.compare(Order::Ult, x, c);
        let text = printer.term(&pool, fact, &mut out);
        out += &text;
        length.push(out.len());
    }
    // Half of the facts take about half of the text; a fact has 4 operators.
    assert!(
        length[1999] < 3 * length[999],
        "{} {}",
        length[999],
        length[1999]
    );
    assert!(length[1999] < 2000 * 200, "{}", length[1999]);
}

#[test]
fn an_array_with_constant_indices_is_words() {
    let mut pool = Pool::new();
    let array = pool.fresh(Sort::Array {
        index: 64,
        element: 8,
    });
    let (three, four) = (pool.bits(64, 3), pool.bits(64, 4));
    let (a, b) = (pool.select(array, three), pool.select(array, four));
    let fact = pool.compare(Order::Ult, a, b);
    let mut printer = Printer::new();
    let mut out = String::new();
    let text = printer.term(&pool, fact, &mut out);
    assert_eq!(text, "(bvult a0_3 a0_4)");
    assert_eq!(
        out,
        "(declare-const a0_3 (_ BitVec 8))\n(declare-const a0_4 (_ BitVec 8))\n"
    );
    // A symbolic index brings the array, and says which elements the words are.
    printer.push();
    let i = pool.fresh(Sort::Bits(64));
    let c = pool.select(array, i);
    let fact = pool.compare(Order::Ult, c, a);
    let mut more = String::new();
    let text = printer.term(&pool, fact, &mut more);
    // The first term that has a name.
    assert_eq!(text, "(bvult t0 a0_3)");
    assert!(more.starts_with("(declare-const a0 (Array (_ BitVec 64) (_ BitVec 8)))\n"));
    assert!(more.contains("(assert (= (select a0 #x0000000000000003) a0_3))"));
    assert!(more.contains("(assert (= (select a0 #x0000000000000004) a0_4))"));
    // Popped, the array is gone: the words are still words.
    printer.pop();
    let five = pool.bits(64, 5);
    let e = pool.select(array, five);
    let fact = pool.compare(Order::Ult, e, a);
    let mut more = String::new();
    assert_eq!(printer.term(&pool, fact, &mut more), "(bvult a0_5 a0_3)");
    assert_eq!(more, "(declare-const a0_5 (_ BitVec 8))\n");
}
