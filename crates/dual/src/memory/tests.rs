use super::*;
use crate::input::Given;
use crate::input::Root;
use crate::linear::Linear;
use ir::VarId;

fn int(at: i128) -> Part {
    Part {
        start: at * 8,
        bits: 32,
    }
}

fn number(n: i128) -> Value {
    Value::Number(Linear::constant(n))
}

fn behind(parameter: u32) -> Object {
    Object::Behind(Given {
        root: Root::Parameter(parameter),
        path: Vec::new(),
    })
}

#[test]
fn what_was_written_is_read_until_something_overlaps() {
    let mut memory = Memory::default();
    let x = Object::Variable(VarId(0));
    assert_eq!(memory.read(&x, int(0)), Found::Untouched);
    memory.write(&x, int(0), number(1));
    memory.write(&x, int(4), number(2));
    assert_eq!(memory.read(&x, int(0)), Found::Value(&number(1)));
    memory.write(&x, int(2), number(3));
    assert_eq!(memory.read(&x, int(0)), Found::Anything);
    assert_eq!(memory.read(&x, int(2)), Found::Value(&number(3)));
}

#[test]
fn a_write_to_one_object_from_outside_may_hit_the_others() {
    let mut memory = Memory::default();
    let (p, q, own) = (behind(0), behind(1), Object::Variable(VarId(0)));
    memory.learn(&q, int(0), number(7));
    memory.write(&own, int(0), number(1));
    memory.write(&p, int(0), number(2));
    assert_eq!(memory.read(&p, int(0)), Found::Value(&number(2)));
    assert_eq!(memory.read(&p, int(4)), Found::Untouched);
    assert_eq!(memory.read(&q, int(0)), Found::Anything);
    assert_eq!(memory.read(&behind(2), int(0)), Found::Anything);
    assert_eq!(memory.read(&own, int(0)), Found::Value(&number(1)));
}

#[test]
fn an_object_whose_address_got_out_may_be_written_by_anybody() {
    let mut memory = Memory::default();
    let (x, y) = (Object::Variable(VarId(0)), Object::Variable(VarId(1)));
    let pointer =
        |to: &Object| Value::from(crate::value::Pointer::to(to.clone(), Linear::constant(4)));
    let place = Part {
        start: 64,
        bits: 64,
    };
    memory.write(&x, int(0), number(1));
    memory.write(&y, place, pointer(&x));
    memory.write(&Object::Somewhere, int(0), number(5));
    assert_eq!(memory.read(&x, int(0)), Found::Value(&number(1)));
    // y gets out, and with it x
    memory.write(&behind(0), place, pointer(&y));
    memory.write(&Object::Somewhere, int(0), number(5));
    assert_eq!(memory.read(&x, int(0)), Found::Anything);
    assert_eq!(memory.read(&y, place), Found::Anything);
}

#[test]
fn a_join_knows_what_both_know() {
    let (mut a, mut b) = (Memory::default(), Memory::default());
    let x = Object::Variable(VarId(0));
    for memory in [&mut a, &mut b] {
        memory.write(&x, int(0), number(1));
    }
    a.write(&x, int(4), number(2));
    b.write(&x, int(4), number(3));
    a.write(&x, int(8), number(4));
    let joined = a.join(&b, |_, part, _, _| (part == int(4)).then(|| number(9)));
    assert_eq!(joined.read(&x, int(0)), Found::Value(&number(1)));
    assert_eq!(joined.read(&x, int(4)), Found::Value(&number(9)));
    assert_eq!(joined.read(&x, int(8)), Found::Anything);
    assert_eq!(
        joined.read(&Object::Variable(VarId(1)), int(0)),
        Found::Untouched
    );
}

#[test]
fn what_is_dead_goes_unless_its_address_is_out() {
    let mut memory = Memory::default();
    let (dead, known) = (Object::Variable(VarId(0)), Object::Variable(VarId(1)));
    memory.write(&dead, int(0), number(1));
    memory.write(&known, int(0), number(2));
    memory.escape(&known);
    memory.drop_objects(|object| matches!(object, Object::Variable(_)));
    assert_eq!(memory.read(&dead, int(0)), Found::Untouched);
    assert_eq!(memory.read(&known, int(0)), Found::Value(&number(2)));
}

/// An `int` of 7 at the bytes that the first symbol says.
fn seven() -> Placed {
    Placed {
        offset: Linear::symbol(Symbol(1)),
        bytes: 4,
        number: Linear::constant(7),
    }
}

#[test]
fn a_number_somewhere_in_an_object_is_known_until_it_may_be_written_over() {
    let object = Object::Variable(VarId(0));
    let placed = seven();
    let mut memory = Memory::default();
    memory.hide(&object, true);
    memory.place(&object, Some(placed.clone()));
    assert_eq!(memory.placed(&object), Some(&placed));
    // Alike on both sides, and not.
    let same = memory.join(&memory.clone(), |_, _, _, _| None);
    assert_eq!(same.placed(&object), Some(&placed));
    let mut other = memory.clone();
    other.hide(&object, true);
    assert_eq!(other.placed(&object), None);
    let both = memory.join(&other, |_, _, _, _| None);
    assert_eq!(both.placed(&object), None);
    // Whoever knows better says so behind the write.
    memory.write(&object, int(0), number(1));
    assert_eq!(memory.placed(&object), None);
}

#[test]
fn a_number_in_an_object_from_outside_is_not_known_when_another_is_written() {
    let placed = seven();
    let mut memory = Memory::default();
    memory.hide(&behind(0), true);
    memory.place(&behind(0), Some(placed));
    memory.write(&behind(1), int(0), number(1));
    assert_eq!(memory.placed(&behind(0)), None);
}

#[test]
fn places_that_overlap_in_part_have_no_distance() {
    let placed = seven();
    let at = |n: i128| Linear::symbol(Symbol(1)).plus_constant(n).unwrap();
    assert_eq!(placed.distance(&at(8), 4), Some(Linear::constant(8)));
    assert_eq!(placed.distance(&at(2), 4), None);
    assert_eq!(placed.distance(&at(8), 8), None);
    let other = Linear::symbol(Symbol(2));
    assert_eq!(placed.distance(&other, 4), None);
}

/// `p = c ? q : &local`, and then the scope of `local` ends.
#[test]
fn what_is_somewhere_may_be_a_variable_that_is_gone() {
    let local = Object::Variable(VarId(0));
    let mut memory = Memory::default();
    memory.begin(&local);
    memory.end(&local);
    assert_eq!(memory.gone(&Object::Somewhere), None);
    memory.escape(&local);
    assert_eq!(memory.gone(&Object::Somewhere), Some(Gone::Maybe));
    assert_eq!(memory.gone(&behind(0)), None);
}
