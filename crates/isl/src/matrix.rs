//! Lists of constraints as isl's matrices, and back: a row is a constraint, and its columns are the dimensions of the set,
//! the existential integers, and the constant.

use std::rc::Rc;

use crate::constraint::{Affine, Constraint, Dim, Kind};
use crate::ffi::{
    DimType, Handle, Owner, isl_basic_set, isl_basic_set_dim, isl_basic_set_equalities_matrix,
    isl_basic_set_from_constraint_matrices, isl_basic_set_inequalities_matrix, isl_mat,
    isl_mat_alloc, isl_mat_get_element_val, isl_mat_get_row, isl_mat_rows, isl_mat_set_element_si,
    isl_mat_set_element_val, isl_space_set_alloc, isl_vec, isl_vec_cmp_element, isl_vec_set_si,
    isl_vec_zero, number, value,
};
use crate::{Result, Stopped};

const COLUMNS: [DimType; 4] = [
    DimType::Out,
    DimType::Div,
    DimType::Parameter,
    DimType::Constant,
];

/// isl has no more dimensions than this; a larger number is a mistake.
pub(crate) fn count(number: usize) -> Result<u32> {
    match u32::try_from(number) {
        Ok(number) if number <= i32::MAX as u32 => Ok(number),
        _ => Err(Stopped::Failed(format!("{number} dimensions"))),
    }
}

/// A position that was checked against the number of dimensions.
pub(crate) fn position(at: usize, dimensions: usize) -> Result<u32> {
    if at < dimensions {
        count(at)
    } else {
        Err(Stopped::Failed(format!(
            "dimension {at} of {dimensions} (they count from 0)"
        )))
    }
}

/// Polyhedra of so many dimensions cost what isl counts.
const SMALL: usize = 24;

/// How many operations of a small polyhedron one of a large one is worth, about. isl counts what it allocates; but what a linear program
/// takes grows with the constraints times the square of the dimensions.
fn size(constraints: usize, dimensions: usize) -> u64 {
    let cells = constraints.saturating_mul(dimensions);
    let all = cells.saturating_mul(dimensions) / 1000;
    u64::try_from(all).unwrap_or(u64::MAX)
}

/// What it costs to look at so many pairs of pieces, where they have many dimensions: each has about as many constraints as dimensions, and all
/// are copied. isl counts the allocations, not their size.
pub(crate) fn charge_pairs(owner: &Rc<Owner>, pairs: usize, dimensions: usize) {
    if dimensions > 2 * SMALL {
        owner.charge(size(pairs.saturating_mul(dimensions), dimensions));
    }
}

/// The integer points that satisfy all constraints, for some values of the existential integers.
pub(crate) fn basic_set(
    owner: &Rc<Owner>,
    dimensions: usize,
    constraints: &[Constraint],
) -> Result<Handle<isl_basic_set>> {
    let terms = constraints.iter().flat_map(|c| &c.form.terms);
    let exists = terms.map(|(dim, _)| match dim {
        Dim::Exists(k) => k.saturating_add(1),
        _ => 0,
    });
    let exists = exists.max().unwrap_or(0);
    let all = dimensions.saturating_add(exists);
    count(all)?;
    if all > SMALL {
        owner.charge(size(constraints.len(), all));
    }
    let of = |kind| constraints.iter().filter(move |c| c.kind == kind);
    let space = isl_space_set_alloc(owner, 0, count(dimensions)?)?;
    let equalities = matrix(owner, dimensions, exists, of(Kind::Equal))?;
    let inequalities = matrix(owner, dimensions, exists, of(Kind::AtLeastZero))?;
    let [a, b, c, d] = COLUMNS;
    isl_basic_set_from_constraint_matrices(space, equalities, inequalities, a, b, c, d)
}

fn matrix<'a>(
    owner: &Rc<Owner>,
    dimensions: usize,
    exists: usize,
    constraints: impl Iterator<Item = &'a Constraint>,
) -> Result<Handle<isl_mat>> {
    let rows = constraints
        .map(|c| {
            let mut row = c.form.row(dimensions, exists)?;
            row.push(c.form.constant);
            Ok(row)
        })
        .collect::<Result<Vec<_>>>()?;
    let columns = count(dimensions + exists + 1)?;
    let mut matrix = isl_mat_alloc(owner, count(rows.len())?, columns)?;
    for (i, row) in rows.iter().enumerate() {
        for (j, &entry) in row.iter().enumerate() {
            let (i, j) = (i as i32, j as i32);
            matrix = match i32::try_from(entry) {
                // Almost all are small, and need no object of their own.
                Ok(entry) => isl_mat_set_element_si(matrix, i, j, entry)?,
                Err(_) => isl_mat_set_element_val(matrix, i, j, value(owner, entry)?)?,
            };
        }
    }
    Ok(matrix)
}

/// All constraints of a basic set, those that define its existential integers included: equalities first, in isl's order.
pub(crate) fn constraints(set: &Handle<isl_basic_set>) -> Result<Vec<Constraint>> {
    let dimensions = isl_basic_set_dim(set, DimType::Out)?;
    let exists = isl_basic_set_dim(set, DimType::Div)?;
    let dims: Vec<Dim> = (0..dimensions)
        .map(Dim::At)
        .chain((0..exists).map(Dim::Exists))
        .collect();
    let [a, b, c, d] = COLUMNS;
    let small = Small::new(set.owner(), dims.len() + 1)?;
    let mut constraints = Vec::new();
    for (kind, matrix) in [
        (
            Kind::Equal,
            isl_basic_set_equalities_matrix(set, a, b, c, d)?,
        ),
        (
            Kind::AtLeastZero,
            isl_basic_set_inequalities_matrix(set, a, b, c, d)?,
        ),
    ] {
        for row in 0..isl_mat_rows(&matrix)? {
            let entries = isl_mat_get_row(&matrix, row as u32)?;
            let entry = |column: usize| match small.at(&entries, column)? {
                Some(number) => Ok(number),
                None => {
                    let value = isl_mat_get_element_val(&matrix, row as i32, column as i32)?;
                    number(&value)
                }
            };
            let mut terms = Vec::new();
            for (column, &dim) in dims.iter().enumerate() {
                let factor = entry(column)?;
                if factor != 0 {
                    terms.push((dim, factor));
                }
            }
            let form = Affine {
                terms,
                constant: entry(dims.len())?,
            };
            constraints.push(Constraint { kind, form });
        }
    }
    Ok(constraints)
}

/// The numbers that most entries are. Entries are compared with them: to read one is to make an object of it, and most of what it cost
/// to look at constraints were zeros.
struct Small {
    all: [(i32, Handle<isl_vec>); 3],
}

impl Small {
    fn new(owner: &Rc<Owner>, columns: usize) -> Result<Small> {
        let row = |number: i32| {
            let zeros = isl_vec_zero(owner, count(columns)?)?;
            Ok((number, isl_vec_set_si(zeros, number)?))
        };
        Ok(Small {
            all: [row(0)?, row(1)?, row(-1)?],
        })
    }

    /// The number in a column, if it is one of these.
    fn at(&self, entries: &Handle<isl_vec>, column: usize) -> Result<Option<i128>> {
        for (number, row) in &self.all {
            if isl_vec_cmp_element(entries, row, column as i32)? == 0 {
                return Ok(Some((*number).into()));
            }
        }
        Ok(None)
    }
}
