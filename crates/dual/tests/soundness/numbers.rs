//! A concrete state as the numbers of [`Outcomes::inputs`].

use dual::facts::Range;
use dual::function::Outcomes;
use dual::input::{Aspect, Given, Input, Part, Root};
use interp::{Interpreter, Memory, ObjId, Scalar, State, Value};
use isl::{Bound, Set};

/// What the types say of an input, as far as that is needed to read it.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    least: Option<i128>,
    most: Option<i128>,
}

impl From<Range> for Shape {
    fn from(range: Range) -> Shape {
        Shape {
            least: range.least,
            most: range.most,
        }
    }
}

/// The shapes of all inputs.
pub fn shapes(outcomes: &Outcomes) -> isl::Result<Vec<Shape>> {
    let value = |bound: Bound| match bound {
        Bound::Value(n) => Some(n),
        Bound::Empty | Bound::Unbounded => None,
    };
    (0..outcomes.inputs.len())
        .map(|at| {
            Ok(Shape {
                least: value(outcomes.possible.minimum(at)?),
                most: value(outcomes.possible.maximum(at)?),
            })
        })
        .collect()
}

/// A state before a call.
pub struct Before<'a, 'p> {
    pub run: &'a Interpreter<'p>,
    pub args: &'a [Value],
    /// What stands for "not null".
    pub some: fn(u64) -> i128,
}

impl Before<'_, '_> {
    /// The numbers of the inputs; none where the state has no such thing.
    pub fn point(&self, inputs: &[Input], shapes: &[Shape]) -> Vec<Option<i128>> {
        let each = inputs.iter().zip(shapes);
        each.map(|(input, shape)| self.number(input, *shape))
            .collect()
    }

    pub fn number(&self, input: &Input, shape: Shape) -> Option<i128> {
        let (scalar, width) = self.scalar(&input.given)?;
        let memory = self.run.memory();
        let pointer = memory.with_object(scalar);
        let object = pointer.prov;
        match input.aspect {
            Aspect::Value => Some(self.value(scalar, width, shape)),
            Aspect::Initialized => Some(i128::from(scalar.undef == 0)),
            // As the caller writes null.
            _ if scalar.bits == 0 && object.is_none() => Some(0),
            _ if object.is_none() => None,
            Aspect::Length => Some(i128::from(memory.size(object))),
            Aspect::Offset => {
                let offset = pointer.bits.wrapping_sub(memory.base(object)) as i64;
                Some(i128::from(offset)).filter(|n| *n >= 0)
            }
            Aspect::Filled => {
                let size = memory.size(object);
                let byte = |at| memory.read(object, at, 1).is_ok_and(|s| s.undef == 0);
                Some(i128::from((0..size).all(byte)))
            }
            Aspect::Alive => Some(i128::from(memory.state(object) == State::Alive)),
        }
    }

    fn value(&self, scalar: Scalar, width: Option<u32>, shape: Shape) -> i128 {
        let Some((least, most)) = shape.least.zip(shape.most) else {
            return match scalar.bits {
                0 => 0,
                bits => (self.some)(bits),
            };
        };
        let of_type = (most - least + 1).trailing_zeros();
        let width = width.map_or(of_type, |width| width.min(of_type));
        ir::int_value(u128::from(scalar.bits), width as u16, least < 0)
    }

    /// A scalar and its width in memory.
    pub fn scalar(&self, given: &Given) -> Option<(Scalar, Option<u32>)> {
        match given.root {
            Root::Parameter(i) => {
                let start = self.args.get(i as usize)?.scalar()?;
                self.follow((start, None), &given.path)
            }
            Root::Global(g) => {
                let (first, rest) = given.path.split_first()?;
                let start = part(self.run.memory(), self.run.global(g)?, 0, *first)?;
                self.follow((start, Some(first.bits)), rest)
            }
        }
    }

    fn follow(&self, start: (Scalar, Option<u32>), path: &[Part]) -> Option<(Scalar, Option<u32>)> {
        let memory = self.run.memory();
        path.iter().try_fold(start, |(pointer, _), step| {
            let pointer = memory.with_object(pointer);
            if pointer.prov.is_none() {
                return None;
            }
            let offset = pointer.bits.wrapping_sub(memory.base(pointer.prov)) as i64;
            let found = part(memory, pointer.prov, offset, *step)?;
            Some((found, Some(step.bits)))
        })
    }
}

/// What lies at some bits of an object.
pub fn part(memory: &Memory, object: ObjId, offset: i64, part: Part) -> Option<Scalar> {
    let bit = i128::from(offset) * 8 + part.start;
    let byte = u64::try_from(bit.div_euclid(8)).ok()?;
    let low = bit.rem_euclid(8) as u32;
    match (low, part.bits) {
        (0, 64) => memory.read(object, byte, 8).ok(),
        (low, bits) if bits <= 64 => memory.read_bits(object, byte, low, bits).ok(),
        _ => None,
    }
}

/// Is there a point of the set with these numbers?
pub fn is_in(set: &Set, point: &[Option<i128>]) -> isl::Result<bool> {
    if let Some(point) = point.iter().copied().collect::<Option<Vec<i128>>>() {
        return set.contains(&point);
    }
    let mut left = set.clone();
    for (at, n) in point.iter().enumerate() {
        if let Some(n) = n {
            left = left.fix(at, *n)?;
        }
    }
    Ok(!left.is_empty()?)
}
