//! Relations between points: which outputs belong to which inputs. As the summary of a function, and composed at its calls.

use std::ffi::CString;

use crate::constraint::{Affine, Constraint, Dim, Kind};
use crate::ffi::{self, DimType, Handle, isl_map, value};
use crate::matrix::{count, position};
use crate::operations::{binary, comparison, display, runs_backwards, unary};
use crate::{Context, Piece, Result, Set, Stopped};

/// A set of pairs of points: so many integers in, so many out.
///
/// A clone is cheap, as that of a [`Set`].
#[derive(Clone)]
pub struct Map {
    pub(crate) handle: Handle<isl_map>,
}

display!(Map, ffi::isl_map_to_str);

/// Making them.
impl Map {
    /// Everything with everything.
    pub fn universe(context: &Context, inputs: usize, outputs: usize) -> Result<Map> {
        let space = ffi::isl_space_alloc(&context.owner, 0, count(inputs)?, count(outputs)?)?;
        Ok(Map {
            handle: ffi::isl_map_universe(space)?,
        })
    }

    /// Nothing.
    pub fn empty(context: &Context, inputs: usize, outputs: usize) -> Result<Map> {
        let space = ffi::isl_space_alloc(&context.owner, 0, count(inputs)?, count(outputs)?)?;
        Ok(Map {
            handle: ffi::isl_map_empty(space)?,
        })
    }

    /// Every point with itself.
    pub fn identity(context: &Context, dimensions: usize) -> Result<Map> {
        let n = count(dimensions)?;
        let space = ffi::isl_space_alloc(&context.owner, 0, n, n)?;
        Ok(Map {
            handle: ffi::isl_map_identity(space)?,
        })
    }

    /// The pairs that satisfy all constraints, over [`Dim::In`], [`Dim::Out`] and [`Dim::Exists`], for some values of the last.
    pub fn from_constraints(
        context: &Context,
        inputs: usize,
        outputs: usize,
        constraints: &[Constraint],
    ) -> Result<Map> {
        let wrapped = constraints
            .iter()
            .map(|c| {
                Ok(Constraint {
                    kind: c.kind,
                    form: c.form.wrapped(inputs, outputs)?,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        count(inputs.saturating_add(outputs))?;
        Map::unwrap(
            &Set::from_constraints(context, inputs + outputs, &wrapped)?,
            inputs,
        )
    }

    /// Every point with its image: each output is a form over [`Dim::In`] (and [`Dim::Exists`], for some values of these), or
    /// anything (`None`).
    pub fn from_affine(
        context: &Context,
        inputs: usize,
        outputs: &[Option<Affine>],
    ) -> Result<Map> {
        let mut constraints = Vec::new();
        for (i, output) in outputs.iter().enumerate() {
            let Some(form) = output else { continue };
            let mut form = form.clone();
            form.terms.push((Dim::Out(i), -1));
            constraints.push(Constraint {
                kind: Kind::Equal,
                form,
            });
        }
        Map::from_constraints(context, inputs, outputs.len(), &constraints)
    }

    /// The map of which this is the [`Map::wrap`]: the first dimensions are its inputs.
    pub fn unwrap(set: &Set, inputs: usize) -> Result<Map> {
        // `inputs` itself is a good position: then there are no outputs.
        let inputs = position(inputs, set.dimensions() + 1)?;
        let map = ffi::isl_map_from_range(set.handle.clone())?;
        Ok(Map {
            handle: ffi::isl_map_move_dims(map, DimType::In, 0, DimType::Out, 0, inputs)?,
        })
    }

    /// A map in isl's notation, `{ [x] -> [y] : y > x }`, without parameters and names of tuples.
    pub fn parse(context: &Context, text: &str) -> Result<Map> {
        let text = CString::new(text).map_err(|e| Stopped::Failed(e.to_string()))?;
        let handle = ffi::isl_map_read_from_str(&context.owner, &text)?;
        if ffi::isl_map_dim(&handle, DimType::Parameter)? != 0 {
            return Err(Stopped::Failed("a map with parameters".into()));
        }
        let handle = ffi::isl_map_flatten(handle)?;
        if ffi::isl_map_has_tuple_name(&handle, DimType::In)?
            || ffi::isl_map_has_tuple_name(&handle, DimType::Out)?
        {
            return Err(Stopped::Failed("a map with names".into()));
        }
        Ok(Map { handle })
    }
}

/// What they are.
impl Map {
    /// The context it lives in.
    pub fn context(&self) -> Context {
        Context {
            owner: self.handle.owner().clone(),
        }
    }

    /// How many integers go in.
    pub fn inputs(&self) -> usize {
        // Reads a field: no budget, no error.
        ffi::isl_map_dim(&self.handle, DimType::In).unwrap_or(0)
    }

    /// How many come out.
    pub fn outputs(&self) -> usize {
        ffi::isl_map_dim(&self.handle, DimType::Out).unwrap_or(0)
    }

    /// Of how many convex pieces it is written as a union. None means that it is empty; an empty map may have some.
    pub fn disjuncts(&self) -> usize {
        ffi::isl_map_n_basic_map(&self.handle).unwrap_or(0)
    }

    /// The convex pieces of [`Map::wrap`].
    pub fn pieces(&self) -> Result<Vec<Piece>> {
        self.wrap()?.pieces()
    }

    /// Whether it has no pair.
    pub fn is_empty(&self) -> Result<bool> {
        ffi::isl_map_is_empty(&self.handle)
    }

    /// Whether it has this pair.
    pub fn contains(&self, input: &[i128], output: &[i128]) -> Result<bool> {
        self.check_dimensions(input.len(), self.inputs())?;
        self.wrap()?.contains(&[input, output].concat())
    }

    comparison! {
        /// Whether all its pairs are in the other.
        is_subset = ffi::isl_map_is_subset;
        /// Whether they have the same pairs.
        is_equal = ffi::isl_map_is_equal;
        /// Whether they have no pair in common.
        is_disjoint = ffi::isl_map_is_disjoint;
    }

    fn check_shape(&self, other: &Map) -> Result<()> {
        self.check_dimensions(other.inputs(), self.inputs())?;
        self.check_dimensions(other.outputs(), self.outputs())
    }

    fn check_dimensions(&self, given: usize, wanted: usize) -> Result<()> {
        if given == wanted {
            return Ok(());
        }
        Err(Stopped::Failed(format!(
            "{given} dimensions where a map of {} to {} has {wanted}",
            self.inputs(),
            self.outputs()
        )))
    }

    /// The dimension as isl has it.
    fn place(&self, dim: Dim, more: usize) -> Result<(DimType, u32)> {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        match dim {
            Dim::In(at) => Ok((DimType::In, position(at, inputs + more)?)),
            Dim::Out(at) => Ok((DimType::Out, position(at, outputs + more)?)),
            Dim::At(at) if at < inputs => Ok((DimType::In, position(at, inputs)?)),
            Dim::At(at) => Ok((DimType::Out, position(at - inputs, outputs + more)?)),
            Dim::Exists(_) => Err(Stopped::Failed(
                "an existential integer has no place".into(),
            )),
        }
    }
}

/// Operations.
impl Map {
    binary! {
        /// The pairs in both.
        intersect = ffi::isl_map_intersect;
        /// The pairs in one or both.
        union = ffi::isl_map_union;
        /// The pairs that are not in the other.
        subtract = ffi::isl_map_subtract;
        /// A map that is simpler, and has the same pairs in common with `other` as this one. Outside of it, anything.
        gist = ffi::isl_map_gist;
    }

    unary! {
        /// The pairs that are not in it.
        complement = ffi::isl_map_complement;
        /// The same pairs, in fewer disjuncts where two together are convex.
        coalesce = ffi::isl_map_coalesce;
        /// The same pairs, without constraints that follow from others.
        remove_redundancies = ffi::isl_map_remove_redundancies;
        /// The same pairs, with equalities where inequalities imply one.
        detect_equalities = ffi::isl_map_detect_equalities;
        /// The same pairs, with a [`FloorDivision`](crate::FloorDivision) for every existential integer; maybe more disjuncts.
        compute_divs = ffi::isl_map_compute_divs;
        /// At least the same pairs, without existential integers.
        remove_divs = ffi::isl_map_remove_divs;
        /// Inputs for outputs.
        reverse = ffi::isl_map_reverse;
    }

    /// The pairs as points: inputs, then outputs.
    pub fn wrap(&self) -> Result<Set> {
        // A wrapped map is still two tuples; a set of ours is one.
        let nested = ffi::isl_map_wrap(self.handle.clone())?;
        Ok(Set {
            handle: ffi::isl_set_flatten(nested)?,
        })
    }

    /// The inputs that have an output.
    pub fn domain(&self) -> Result<Set> {
        Ok(Set {
            handle: ffi::isl_map_domain(self.handle.clone())?,
        })
    }

    /// The outputs that have an input.
    pub fn range(&self) -> Result<Set> {
        Ok(Set {
            handle: ffi::isl_map_range(self.handle.clone())?,
        })
    }

    /// Composition: this map, then another on its outputs. (The paper's ∘ between a callee's relation and its call.)
    pub fn apply_range(&self, then: &Map) -> Result<Map> {
        self.check_dimensions(then.inputs(), self.outputs())?;
        Ok(Map {
            handle: ffi::isl_map_apply_range(self.handle.clone(), then.handle.clone())?,
        })
    }

    /// The pairs whose input is in a set.
    pub fn intersect_domain(&self, set: &Set) -> Result<Map> {
        self.check_dimensions(set.dimensions(), self.inputs())?;
        Ok(Map {
            handle: ffi::isl_map_intersect_domain(self.handle.clone(), set.handle.clone())?,
        })
    }

    /// The pairs whose output is in a set.
    pub fn intersect_range(&self, set: &Set) -> Result<Map> {
        self.check_dimensions(set.dimensions(), self.outputs())?;
        Ok(Map {
            handle: ffi::isl_map_intersect_range(self.handle.clone(), set.handle.clone())?,
        })
    }

    /// The pairs that satisfy these constraints, too: see [`Map::from_constraints`].
    pub fn constrain(&self, constraints: &[Constraint]) -> Result<Map> {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        let context = self.context();
        self.intersect(&Map::from_constraints(
            &context,
            inputs,
            outputs,
            constraints,
        )?)
    }

    /// A map that is simpler, and the same for the inputs in a set. For others, anything.
    pub fn gist_domain(&self, set: &Set) -> Result<Map> {
        self.check_dimensions(set.dimensions(), self.inputs())?;
        Ok(Map {
            handle: ffi::isl_map_gist_domain(self.handle.clone(), set.handle.clone())?,
        })
    }

    /// Without these inputs and outputs, for some values of them. The others keep their order.
    pub fn project_out(&self, dimensions: &[Dim]) -> Result<Map> {
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        for &dim in dimensions {
            match self.place(dim, 0)? {
                (DimType::In, at) => inputs.push(at as usize),
                (_, at) => outputs.push(at as usize),
            }
        }
        let mut handle = self.handle.clone();
        for (kind, positions) in [(DimType::In, inputs), (DimType::Out, outputs)] {
            for (first, run) in runs_backwards(&positions) {
                handle = ffi::isl_map_project_out(handle, kind, count(first)?, count(run)?)?;
            }
        }
        Ok(Map { handle })
    }

    /// With `number` more inputs or outputs, of any value, from position `at` on (which may be the one behind the last).
    pub fn insert(&self, at: Dim, number: usize) -> Result<Map> {
        let (kind, at) = self.place(at, 1)?;
        Ok(Map {
            handle: ffi::isl_map_insert_dims(self.handle.clone(), kind, at, count(number)?)?,
        })
    }

    /// The pairs that have this value at this dimension, which stays.
    pub fn fix(&self, dim: Dim, number: i128) -> Result<Map> {
        let (kind, at) = self.place(dim, 0)?;
        let number = value(self.handle.owner(), number)?;
        Ok(Map {
            handle: ffi::isl_map_fix_val(self.handle.clone(), kind, at, number)?,
        })
    }
}
