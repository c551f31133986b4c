//! Relations on facts as weights: cases become formulas over bits.
//!
//! Bits that all functions share: the facts about globals, then *registers*, which carry answers about a result from a callee's
//! end to its caller and are false everywhere else; the last of them says that an exception left the callee. Then come the
//! facts of the current call.

use crate::relate::{Case, Cube, FactNo, Relation};
use wpds::Semiring;
use wpds::weights::{Bit, Formula, RelationWeight, Relations, Vocabulary};

/// The bits, and what is made of them.
pub struct Formulas {
    pub relations: Relations,
    /// Facts about globals.
    globals: u32,
    /// Registers, the last one for exceptions.
    registers: u32,
}

impl Formulas {
    /// For so many facts about globals, answers about a result, and facts of a function.
    pub fn new(globals: usize, results: usize, facts: usize, nodes: usize) -> Formulas {
        let (globals, registers) = (globals as u32, results as u32 + 1);
        let vocabulary = Vocabulary::new(globals + registers, facts as u32, nodes);
        Formulas {
            relations: Relations::new(vocabulary),
            globals,
            registers,
        }
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        self.relations.vocabulary()
    }

    /// The bit of a fact.
    pub fn bit(&self, fact: FactNo) -> Bit {
        let fact = fact as u32;
        match fact < self.globals {
            true => Bit(fact),
            false => Bit(fact + self.registers),
        }
    }

    fn register(&self, i: usize) -> Bit {
        Bit(self.globals + i as u32)
    }

    fn thrown(&self) -> Bit {
        Bit(self.globals + self.registers - 1)
    }

    fn all_registers(&self) -> impl DoubleEndedIterator<Item = Bit> + use<> {
        (self.globals..self.globals + self.registers).map(Bit)
    }

    fn literal(&self, formula: Formula, value: bool) -> Formula {
        match value {
            true => formula,
            false => self.vocabulary().not(&formula),
        }
    }

    /// All of these, of *now* or of *next*.
    fn conjunction(&self, bits: impl IntoIterator<Item = (Bit, bool)>, next: bool) -> Formula {
        let v = self.vocabulary();
        bits.into_iter()
            .fold(v.constant(true), |all, (bit, value)| {
                let bit = match next {
                    true => v.next(bit),
                    false => v.now(bit),
                };
                v.and(&all, &self.literal(bit, value))
            })
    }

    fn now(&self, cube: &Cube) -> Formula {
        self.conjunction(cube.iter().map(|(i, value)| (self.bit(*i), *value)), false)
    }

    fn next(&self, cube: &Cube) -> Formula {
        self.conjunction(cube.iter().map(|(i, value)| (self.bit(*i), *value)), true)
    }

    fn any(&self, all: impl IntoIterator<Item = Formula>) -> Formula {
        let v = self.vocabulary();
        all.into_iter()
            .fold(v.constant(false), |sum, one| v.or(&sum, &one))
    }

    /// The weight of a step; none if no run takes it.
    pub fn step(&self, relation: &Relation) -> Option<RelationWeight> {
        let v = self.vocabulary();
        if relation.cases.is_empty() {
            return None;
        }
        if relation.changed.is_empty() && relation.cases.iter().any(|c| c.now.is_empty()) {
            return Some(self.relations.one());
        }
        let case = |c: &Case| v.and(&self.now(&c.now), &self.next(&c.next));
        let cases = self.any(relation.cases.iter().map(case));
        let changed: Vec<Bit> = relation.changed.iter().map(|i| self.bit(*i)).collect();
        let formula = v.and(&cases, &self.relations.unchanged(&changed));
        Some(self.relations.step(formula))
    }

    /// The end of a run that fails in one of these cubes.
    pub fn fail(&self, cubes: &[Cube]) -> RelationWeight {
        self.relations
            .fail(self.any(cubes.iter().map(|c| self.now(c))))
    }

    /// Enters a callee with so many facts: what is known of them, for each cube of the caller. `later`: somebody else was entered
    /// before, who may have changed globals.
    pub fn enter(
        &self,
        known: &[(Cube, Vec<Option<bool>>)],
        facts: usize,
        later: bool,
    ) -> RelationWeight {
        let v = self.vocabulary();
        let first = self.globals as usize;
        let case = |(cube, values): &(Cube, Vec<Option<bool>>)| {
            let given = values.iter().enumerate();
            let given = given.filter_map(|(i, value)| Some((self.bit(first + i), (*value)?)));
            v.and(&self.now(cube), &self.conjunction(given, true))
        };
        let mut formula = self.any(known.iter().map(case));
        for bit in v.from_below() {
            let part = match v.is_local(bit) {
                false if later && bit.0 < self.globals => continue,
                false => v.iff(&v.now(bit), &v.next(bit)),
                true => {
                    let saved = v.iff(&v.now(bit), &v.saved(bit));
                    match bit.0 - v.shared() < facts as u32 {
                        true => saved,
                        false => v.and(&saved, &v.not(&v.next(bit))),
                    }
                }
            };
            formula = v.and(&part, &formula);
        }
        self.relations.push(formula)
    }

    /// Leaves a function: answers about its result, for each of its cubes.
    pub fn leave(&self, known: &[(Cube, Vec<Option<bool>>)], thrown: bool) -> RelationWeight {
        let v = self.vocabulary();
        let case = |(cube, answers): &(Cube, Vec<Option<bool>>)| {
            let mut registers: Vec<(Bit, bool)> = Vec::new();
            for (i, bit) in self.all_registers().enumerate() {
                match answers.get(i) {
                    _ if bit == self.thrown() => registers.push((bit, thrown)),
                    Some(Some(value)) => registers.push((bit, *value)),
                    Some(None) => {}
                    None => registers.push((bit, false)),
                }
            }
            v.and(&self.now(cube), &self.conjunction(registers, true))
        };
        let mut formula = self.any(known.iter().map(case));
        for bit in (0..self.globals).map(Bit) {
            formula = v.and(&v.iff(&v.now(bit), &v.next(bit)), &formula);
        }
        self.relations.pop(formula)
    }

    /// Back in the caller: what it makes of the answers. The registers are false again.
    pub fn back(
        &self,
        cases: &[(Case, Vec<bool>)],
        changed: &[FactNo],
        thrown: Option<bool>,
    ) -> RelationWeight {
        let v = self.vocabulary();
        let case = |(case, answers): &(Case, Vec<bool>)| {
            let answered = answers.iter().enumerate();
            let answered = answered.map(|(i, value)| (self.register(i), *value));
            let here = v.and(&self.now(&case.now), &self.conjunction(answered, false));
            v.and(&here, &self.next(&case.next))
        };
        let mut formula = self.any(cases.iter().map(case));
        let thrown = thrown.map(|thrown| (self.thrown(), thrown));
        formula = v.and(&formula, &self.conjunction(thrown, false));
        let cleared = self.all_registers().map(|bit| (bit, false));
        formula = v.and(&formula, &self.conjunction(cleared, true));
        let mut free: Vec<Bit> = changed.iter().map(|i| self.bit(*i)).collect();
        free.extend(self.all_registers());
        free.sort_unstable();
        formula = v.and(&formula, &self.relations.unchanged(&free));
        self.relations.step(formula)
    }

    /// Facts about globals: the first ones.
    pub fn shared(&self) -> std::ops::Range<FactNo> {
        0..self.globals as usize
    }

    /// Where runs begin: nothing is in registers, what nobody names is false, and so much is known of the root's facts.
    pub fn begin(&self, known: &[Option<bool>]) -> RelationWeight {
        let v = self.vocabulary();
        let mut values: Vec<(Bit, bool)> = self.all_registers().map(|bit| (bit, false)).collect();
        for (i, value) in known.iter().enumerate() {
            values.extend(value.map(|value| (self.bit(i), value)));
        }
        let named = self.registers + known.len() as u32;
        values.extend(
            v.bits()
                .filter(|bit| bit.0 >= named)
                .map(|bit| (bit, false)),
        );
        values.sort_unstable();
        self.relations
            .assume(&self.conjunction(values.into_iter().rev(), false))
    }
}
