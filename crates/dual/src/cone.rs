//! Cones, by the double description method (Motzkin, Raiffa, Thompson & Thrall 1953; adjacency as in Fukuda & Prodon 1996).
//!
//! A cone is what satisfies homogeneous constraints, and it is what sums of its *rays* and *lines* reach. From the one
//! description to the other constraint by constraint: rays on the wrong side go, and where the border cuts between two
//! neighbours there is a new ray. The way back is the same algorithm: the constraints of a cone are the rays of its dual. So
//! the hull of polyhedra is easy: put the rays of all together, and go back.
//!
//! A polyhedron is a cone with one coordinate more, which is 1 at its points ([`crate::hull`]).

use crate::linear::gcd;

/// A vector of integers without a common divisor.
pub type Vector = Vec<i128>;

/// What a cone is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cone {
    /// Both directions of each are in it.
    pub lines: Vec<Vector>,
    /// The extreme ones, up to the lines.
    pub rays: Vec<Vector>,
}

/// More rays than this, and nothing is said: the number can grow steeply.
const RAYS: usize = 400;

/// Numbers beyond this are given up.
const LARGEST: i128 = 1 << 62;

fn product(a: &[i128], b: &[i128]) -> Option<i128> {
    let mut sum: i128 = 0;
    for (x, y) in a.iter().zip(b) {
        sum = sum.checked_add(x.checked_mul(*y)?)?;
    }
    Some(sum)
}

/// `a * m + b * n`, without a common divisor.
fn combined(a: &[i128], m: i128, b: &[i128], n: i128) -> Option<Vector> {
    let each = a.iter().zip(b).map(|(x, y)| {
        let sum = x.checked_mul(m)?.checked_add(y.checked_mul(n)?)?;
        Some(sum)
    });
    let mut all: Vector = each.collect::<Option<_>>()?;
    let common = all.iter().fold(0, |common, n| gcd(common, n.abs()));
    if common > 1 {
        all.iter_mut().for_each(|n| *n /= common);
    }
    all.iter().all(|n| n.abs() <= LARGEST).then_some(all)
}

/// Which constraints a ray lies on the border of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Borders(Vec<u64>);

impl Borders {
    fn insert(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn and(&self, other: &Borders) -> Borders {
        Borders(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn contains(&self, other: &Borders) -> bool {
        let word = |at: usize| self.0.get(at).copied().unwrap_or(0);
        let mut words = other.0.iter().enumerate();
        words.all(|(at, b)| b & !word(at) == 0)
    }
}

impl Cone {
    /// The vectors whose product with each of `equal` is zero, and with each of `at_least` not negative. None if that takes
    /// too much.
    pub fn new(dimensions: usize, equal: &[Vector], at_least: &[Vector]) -> Option<Cone> {
        let unit = |at: usize| (0..dimensions).map(|i| i128::from(i == at)).collect();
        let mut lines: Vec<Vector> = (0..dimensions).map(unit).collect();
        let mut rays: Vec<(Vector, Borders)> = Vec::new();
        for form in equal {
            // No rays yet: only lines are left of the space.
            take_line(&mut lines, &mut rays, form)?;
        }
        for (at, form) in at_least.iter().enumerate() {
            let taken = take_line(&mut lines, &mut rays, form)?;
            if let Some(line) = taken {
                rays.iter_mut().for_each(|(_, borders)| borders.insert(at));
                let mut borders = Borders::default();
                (0..at).for_each(|before| borders.insert(before));
                rays.push((line, borders));
                continue;
            }
            cut(&mut rays, form, at)?;
        }
        let rays = rays.into_iter().map(|(ray, _)| ray).collect();
        Some(Cone { lines, rays })
    }

    /// The constraints of the least cone that contains all of these: those that are zero, those that are not negative.
    pub fn around(dimensions: usize, cones: &[Cone]) -> Option<(Vec<Vector>, Vec<Vector>)> {
        let lines: Vec<Vector> = cones.iter().flat_map(|c| c.lines.iter().cloned()).collect();
        let mut rays: Vec<Vector> = cones.iter().flat_map(|c| c.rays.iter().cloned()).collect();
        rays.sort_unstable();
        rays.dedup();
        let dual = Cone::new(dimensions, &lines, &rays)?;
        Some((dual.lines, dual.rays))
    }
}

/// If a line crosses the border of the form, everything else is moved along it until it lies on the border; the line is given,
/// with the side on which the form is positive first. The outer option: numbers got too large.
#[allow(clippy::option_option)] // The outer one is for `?`.
fn take_line(
    lines: &mut Vec<Vector>,
    rays: &mut [(Vector, Borders)],
    form: &[i128],
) -> Option<Option<Vector>> {
    let mut found = None;
    for (at, line) in lines.iter().enumerate() {
        let side = product(form, line)?;
        if side != 0 {
            found = Some((at, side));
            break;
        }
    }
    let Some((at, side)) = found else {
        return Some(None);
    };
    let mut line = lines.remove(at);
    if side < 0 {
        line.iter_mut().for_each(|n| *n = -*n);
    }
    let side = side.abs();
    for other in lines.iter_mut() {
        let distance = product(form, other)?;
        if distance != 0 {
            *other = combined(other, side, &line, -distance)?;
        }
    }
    for (ray, _) in rays.iter_mut() {
        let distance = product(form, ray)?;
        if distance != 0 {
            *ray = combined(ray, side, &line, -distance)?;
        }
    }
    Some(Some(line))
}

/// The rays of the part on which the form is not negative.
fn cut(rays: &mut Vec<(Vector, Borders)>, form: &[i128], at: usize) -> Option<()> {
    let sides: Vec<i128> = rays
        .iter()
        .map(|(ray, _)| product(form, ray))
        .collect::<Option<_>>()?;
    let mut new = Vec::new();
    for (i, positive) in sides.iter().enumerate().filter(|(_, side)| **side > 0) {
        for (j, negative) in sides.iter().enumerate().filter(|(_, side)| **side < 0) {
            let mut common = rays[i].1.and(&rays[j].1);
            let between = |(k, (_, borders)): (usize, &(Vector, Borders))| {
                k != i && k != j && borders.contains(&common)
            };
            if rays.iter().enumerate().any(between) {
                continue;
            }
            let ray = combined(&rays[i].0, -*negative, &rays[j].0, *positive)?;
            common.insert(at);
            new.push((ray, common));
            if new.len() > RAYS {
                return None;
            }
        }
    }
    let mut kept = sides.iter();
    rays.retain(|_| kept.next().is_some_and(|side| *side >= 0));
    let mut kept = sides.iter().filter(|side| **side >= 0);
    for (_, borders) in rays.iter_mut() {
        if kept.next() == Some(&0) {
            borders.insert(at);
        }
    }
    rays.extend(new);
    (rays.len() <= RAYS).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(mut all: Vec<Vector>) -> Vec<Vector> {
        all.sort_unstable();
        all
    }

    #[test]
    fn a_square_has_four_corners() {
        // 0 <= x <= 2, 0 <= y <= 2, the last coordinate is for constants
        let sides = vec![
            vec![1, 0, 0],
            vec![-1, 0, 2],
            vec![0, 1, 0],
            vec![0, -1, 2],
            vec![0, 0, 1],
        ];
        let cone = Cone::new(3, &[], &sides).unwrap();
        let corners = vec![vec![0, 0, 1], vec![0, 2, 1], vec![2, 0, 1], vec![2, 2, 1]];
        // Without a common divisor: (2, 0, 1) is.
        assert_eq!(sorted(cone.rays.clone()), corners);
        assert!(cone.lines.is_empty());
        // and back: the four sides
        let (equal, at_least) = Cone::around(3, &[cone]).unwrap();
        assert!(equal.is_empty());
        let four = vec![vec![-1, 0, 2], vec![0, -1, 2], vec![0, 1, 0], vec![1, 0, 0]];
        assert_eq!(sorted(at_least), four);
    }

    #[test]
    fn what_both_have_in_common_is_in_the_hull() {
        // i = 0, k = 0 and i = 1, k = 1: i = k between them; n is anything
        let point = |at: i128| {
            let equal = [vec![1, 0, 0, -at], vec![0, 1, 0, -at]];
            Cone::new(4, &equal, &[vec![0, 0, 0, 1]]).unwrap()
        };
        let (equal, at_least) = Cone::around(4, &[point(0), point(1)]).unwrap();
        assert_eq!(equal.len(), 1);
        let form = &equal[0];
        assert_eq!((form[0], form[2], form[3]), (-form[1], 0, 0));
        assert_eq!(at_least.len(), 2);
    }

    #[test]
    fn a_hull_contains_all_points_and_no_facet_is_missing() {
        // All triples of small points in the plane: the hull from the sides is the hull from the points.
        let points: Vec<Vector> = (0..9).map(|n| vec![n % 3, n / 3, 1]).collect();
        for a in &points {
            for b in &points {
                for c in &points {
                    let cones: Vec<Cone> = [a, b, c]
                        .map(|p| Cone {
                            lines: Vec::new(),
                            rays: vec![p.clone()],
                        })
                        .into();
                    let (equal, at_least) = Cone::around(3, &cones).unwrap();
                    for p in &points {
                        let inside = equal.iter().all(|f| product(f, p) == Some(0))
                            && at_least.iter().all(|f| product(f, p).unwrap() >= 0);
                        assert_eq!(
                            inside,
                            is_inside(p, [a, b, c]),
                            "{p:?} in {a:?} {b:?} {c:?}"
                        );
                    }
                }
            }
        }
    }

    /// By the signs of areas.
    fn is_inside(p: &Vector, triangle: [&Vector; 3]) -> bool {
        let area = |a: &Vector, b: &Vector, c: &Vector| {
            (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        };
        let [a, b, c] = triangle;
        if area(a, b, c) != 0 {
            let signs = [area(a, b, p), area(b, c, p), area(c, a, p)];
            return signs.iter().all(|n| *n >= 0) || signs.iter().all(|n| *n <= 0);
        }
        let between = |a: &Vector, b: &Vector| {
            let (x, y) = (
                a[0].min(b[0])..=a[0].max(b[0]),
                a[1].min(b[1])..=a[1].max(b[1]),
            );
            area(a, b, p) == 0 && x.contains(&p[0]) && y.contains(&p[1])
        };
        between(a, b) || between(b, c) || between(a, c)
    }
}
