//! Every function of isl that is used on objects, with isl's own name. `Handle<T>` is `__isl_take` (argument) and
//! `__isl_give` (result), `&Handle<T>` is `__isl_keep`.

use std::ffi::CStr;
use std::rc::Rc;

use super::handle::{
    DimType, Handle, functions, isl_aff, isl_basic_set, isl_basic_set_list, isl_local_space,
    isl_map, isl_mat, isl_point, isl_set, isl_space, isl_val, isl_vec,
};
use super::owner::Owner;

// Spaces, matrices, affine functions, points.
functions! {
    fn isl_space_set_alloc(ctx: &Rc<Owner>, parameters: u32, dimensions: u32) -> Handle<isl_space>;
    fn isl_space_alloc(ctx: &Rc<Owner>, parameters: u32, inputs: u32, outputs: u32) -> Handle<isl_space>;
    fn isl_local_space_from_space(space: Handle<isl_space>) -> Handle<isl_local_space>;

    fn isl_mat_alloc(ctx: &Rc<Owner>, rows: u32, columns: u32) -> Handle<isl_mat>;
    fn isl_mat_rows(mat: &Handle<isl_mat>) -> usize;
    fn isl_mat_set_element_si(mat: Handle<isl_mat>, row: i32, column: i32, value: i32) -> Handle<isl_mat>;
    fn isl_mat_set_element_val(mat: Handle<isl_mat>, row: i32, column: i32, value: Handle<isl_val>) -> Handle<isl_mat>;
    fn isl_mat_get_element_val(mat: &Handle<isl_mat>, row: i32, column: i32) -> Handle<isl_val>;
    fn isl_mat_get_row(mat: &Handle<isl_mat>, row: u32) -> Handle<isl_vec>;

    fn isl_vec_zero(ctx: &Rc<Owner>, size: u32) -> Handle<isl_vec>;
    fn isl_vec_set_si(vec: Handle<isl_vec>, value: i32) -> Handle<isl_vec>;
    fn isl_vec_cmp_element(a: &Handle<isl_vec>, b: &Handle<isl_vec>, position: i32) -> i32;

    fn isl_aff_zero_on_domain(space: Handle<isl_local_space>) -> Handle<isl_aff>;
    fn isl_aff_set_constant_val(aff: Handle<isl_aff>, value: Handle<isl_val>) -> Handle<isl_aff>;
    fn isl_aff_set_coefficient_val(aff: Handle<isl_aff>, kind: DimType, position: i32, value: Handle<isl_val>) -> Handle<isl_aff>;
    fn isl_aff_scale_val(aff: Handle<isl_aff>, value: Handle<isl_val>) -> Handle<isl_aff>;
    fn isl_aff_get_denominator_val(aff: &Handle<isl_aff>) -> Handle<isl_val>;
    fn isl_aff_get_constant_val(aff: &Handle<isl_aff>) -> Handle<isl_val>;
    fn isl_aff_get_coefficient_val(aff: &Handle<isl_aff>, kind: DimType, position: i32) -> Handle<isl_val>;

    fn isl_point_zero(space: Handle<isl_space>) -> Handle<isl_point>;
    fn isl_point_is_void(point: &Handle<isl_point>) -> bool;
    fn isl_point_get_coordinate_val(point: &Handle<isl_point>, kind: DimType, position: i32) -> Handle<isl_val>;
    fn isl_point_set_coordinate_val(point: Handle<isl_point>, kind: DimType, position: i32, value: Handle<isl_val>) -> Handle<isl_point>;

    fn isl_val_neg(value: Handle<isl_val>) -> Handle<isl_val>;
    fn isl_val_sgn(value: &Handle<isl_val>) -> i32;
    fn isl_val_is_int(value: &Handle<isl_val>) -> bool;
    fn isl_val_is_nan(value: &Handle<isl_val>) -> bool;
    fn isl_val_ceil(value: Handle<isl_val>) -> Handle<isl_val>;
    fn isl_val_is_infty(value: &Handle<isl_val>) -> bool;
    fn isl_val_is_neginfty(value: &Handle<isl_val>) -> bool;
}

// Basic sets.
functions! {
    fn isl_basic_set_from_constraint_matrices(
        space: Handle<isl_space>, equalities: Handle<isl_mat>, inequalities: Handle<isl_mat>,
        first: DimType, second: DimType, third: DimType, fourth: DimType,
    ) -> Handle<isl_basic_set>;
    fn isl_basic_set_equalities_matrix(
        set: &Handle<isl_basic_set>, first: DimType, second: DimType, third: DimType, fourth: DimType,
    ) -> Handle<isl_mat>;
    fn isl_basic_set_inequalities_matrix(
        set: &Handle<isl_basic_set>, first: DimType, second: DimType, third: DimType, fourth: DimType,
    ) -> Handle<isl_mat>;
    fn isl_basic_set_dim(set: &Handle<isl_basic_set>, kind: DimType) -> usize;
    fn isl_basic_set_get_div(set: &Handle<isl_basic_set>, position: i32) -> Handle<isl_aff>;
    fn isl_basic_set_get_space(set: &Handle<isl_basic_set>) -> Handle<isl_space>;
    fn isl_basic_set_is_empty(set: &Handle<isl_basic_set>) -> bool;
    fn isl_basic_set_detect_equalities(set: Handle<isl_basic_set>) -> Handle<isl_basic_set>;
    fn isl_basic_set_remove_redundancies(set: Handle<isl_basic_set>) -> Handle<isl_basic_set>;
    fn isl_basic_set_intersect(a: Handle<isl_basic_set>, b: Handle<isl_basic_set>) -> Handle<isl_basic_set>;
    fn isl_basic_set_eliminate(set: Handle<isl_basic_set>, kind: DimType, first: u32, count: u32) -> Handle<isl_basic_set>;
    fn isl_basic_set_drop_constraints_involving_dims(
        set: Handle<isl_basic_set>, kind: DimType, first: u32, count: u32,
    ) -> Handle<isl_basic_set>;
    fn isl_basic_set_remove_divs(set: Handle<isl_basic_set>) -> Handle<isl_basic_set>;
    fn isl_basic_set_min_lp_val(set: &Handle<isl_basic_set>, objective: &Handle<isl_aff>) -> Handle<isl_val>;
    fn isl_basic_set_list_get_at(list: &Handle<isl_basic_set_list>, index: i32) -> Handle<isl_basic_set>;
    fn isl_basic_set_list_size(list: &Handle<isl_basic_set_list>) -> usize;
    fn isl_basic_set_to_str(set: &Handle<isl_basic_set>) -> String;
}

// Sets.
functions! {
    fn isl_set_universe(space: Handle<isl_space>) -> Handle<isl_set>;
    fn isl_set_empty(space: Handle<isl_space>) -> Handle<isl_set>;
    fn isl_set_from_basic_set(set: Handle<isl_basic_set>) -> Handle<isl_set>;
    fn isl_set_from_point(point: Handle<isl_point>) -> Handle<isl_set>;
    fn isl_set_read_from_str(ctx: &Rc<Owner>, text: &CStr) -> Handle<isl_set>;
    fn isl_set_to_str(set: &Handle<isl_set>) -> String;
    fn isl_set_dim(set: &Handle<isl_set>, kind: DimType) -> usize;
    fn isl_set_has_tuple_name(set: &Handle<isl_set>) -> bool;
    fn isl_set_flatten(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_intersect(a: Handle<isl_set>, b: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_union(a: Handle<isl_set>, b: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_subtract(a: Handle<isl_set>, b: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_complement(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_gist(set: Handle<isl_set>, context: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_project_out(set: Handle<isl_set>, kind: DimType, first: u32, count: u32) -> Handle<isl_set>;
    fn isl_set_insert_dims(set: Handle<isl_set>, kind: DimType, position: u32, count: u32) -> Handle<isl_set>;
    fn isl_set_fix_val(set: Handle<isl_set>, kind: DimType, position: u32, value: Handle<isl_val>) -> Handle<isl_set>;
    fn isl_set_is_empty(set: &Handle<isl_set>) -> bool;
    fn isl_set_is_subset(a: &Handle<isl_set>, b: &Handle<isl_set>) -> bool;
    fn isl_set_is_equal(a: &Handle<isl_set>, b: &Handle<isl_set>) -> bool;
    fn isl_set_is_disjoint(a: &Handle<isl_set>, b: &Handle<isl_set>) -> bool;
    fn isl_set_is_bounded(set: &Handle<isl_set>) -> bool;
    fn isl_set_coalesce(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_remove_redundancies(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_detect_equalities(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_compute_divs(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_remove_divs(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_make_disjoint(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_affine_hull(set: Handle<isl_set>) -> Handle<isl_basic_set>;
    fn isl_set_convex_hull(set: Handle<isl_set>) -> Handle<isl_basic_set>;
    fn isl_set_polyhedral_hull(set: Handle<isl_set>) -> Handle<isl_basic_set>;
    fn isl_set_simple_hull(set: Handle<isl_set>) -> Handle<isl_basic_set>;
    fn isl_set_bounded_simple_hull(set: Handle<isl_set>) -> Handle<isl_basic_set>;
    fn isl_set_lexmin(set: Handle<isl_set>) -> Handle<isl_set>;
    fn isl_set_sample_point(set: Handle<isl_set>) -> Handle<isl_point>;
    fn isl_set_dim_min_val(set: Handle<isl_set>, position: i32) -> Handle<isl_val>;
    fn isl_set_dim_max_val(set: Handle<isl_set>, position: i32) -> Handle<isl_val>;
    fn isl_set_n_basic_set(set: &Handle<isl_set>) -> usize;
    fn isl_set_get_basic_set_list(set: &Handle<isl_set>) -> Handle<isl_basic_set_list>;
    fn isl_set_apply(set: Handle<isl_set>, map: Handle<isl_map>) -> Handle<isl_set>;
}

// Maps.
functions! {
    fn isl_map_universe(space: Handle<isl_space>) -> Handle<isl_map>;
    fn isl_map_empty(space: Handle<isl_space>) -> Handle<isl_map>;
    fn isl_map_identity(space: Handle<isl_space>) -> Handle<isl_map>;
    fn isl_map_from_range(set: Handle<isl_set>) -> Handle<isl_map>;
    fn isl_map_read_from_str(ctx: &Rc<Owner>, text: &CStr) -> Handle<isl_map>;
    fn isl_map_to_str(map: &Handle<isl_map>) -> String;
    fn isl_map_dim(map: &Handle<isl_map>, kind: DimType) -> usize;
    fn isl_map_has_tuple_name(map: &Handle<isl_map>, kind: DimType) -> bool;
    fn isl_map_flatten(map: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_wrap(map: Handle<isl_map>) -> Handle<isl_set>;
    fn isl_map_move_dims(
        map: Handle<isl_map>, to: DimType, to_position: u32, from: DimType, from_position: u32, count: u32,
    ) -> Handle<isl_map>;
    fn isl_map_intersect(a: Handle<isl_map>, b: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_union(a: Handle<isl_map>, b: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_subtract(a: Handle<isl_map>, b: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_complement(map: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_gist(map: Handle<isl_map>, context: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_gist_domain(map: Handle<isl_map>, context: Handle<isl_set>) -> Handle<isl_map>;
    fn isl_map_project_out(map: Handle<isl_map>, kind: DimType, first: u32, count: u32) -> Handle<isl_map>;
    fn isl_map_insert_dims(map: Handle<isl_map>, kind: DimType, position: u32, count: u32) -> Handle<isl_map>;
    fn isl_map_fix_val(map: Handle<isl_map>, kind: DimType, position: u32, value: Handle<isl_val>) -> Handle<isl_map>;
    fn isl_map_is_empty(map: &Handle<isl_map>) -> bool;
    fn isl_map_is_subset(a: &Handle<isl_map>, b: &Handle<isl_map>) -> bool;
    fn isl_map_is_equal(a: &Handle<isl_map>, b: &Handle<isl_map>) -> bool;
    fn isl_map_is_disjoint(a: &Handle<isl_map>, b: &Handle<isl_map>) -> bool;
    fn isl_map_coalesce(map: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_remove_redundancies(map: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_detect_equalities(map: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_compute_divs(map: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_remove_divs(map: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_n_basic_map(map: &Handle<isl_map>) -> usize;
    fn isl_map_apply_range(first: Handle<isl_map>, second: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_domain(map: Handle<isl_map>) -> Handle<isl_set>;
    fn isl_map_range(map: Handle<isl_map>) -> Handle<isl_set>;
    fn isl_map_reverse(map: Handle<isl_map>) -> Handle<isl_map>;
    fn isl_map_intersect_domain(map: Handle<isl_map>, set: Handle<isl_set>) -> Handle<isl_map>;
    fn isl_map_intersect_range(map: Handle<isl_map>, set: Handle<isl_set>) -> Handle<isl_map>;
}
