//! Texts, read back, say what the sets are that they were written from.

use super::*;

/// A tiny reader of C: names, numbers, and the operators that the notation uses, with the precedence and the meaning that they have
/// there, but that no number is too large.
struct Reader<'a> {
    rest: &'a str,
    names: &'a [(String, i128)],
}

impl Reader<'_> {
    fn eats(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn or(&mut self) -> i128 {
        let mut value = self.and();
        while self.eats("||") {
            // Both sides are read, whatever they are.
            let right = self.and();
            value = i128::from(value != 0 || right != 0);
        }
        value
    }

    fn and(&mut self) -> i128 {
        let mut value = self.equality();
        while self.eats("&&") {
            let right = self.equality();
            value = i128::from(value != 0 && right != 0);
        }
        value
    }

    fn equality(&mut self) -> i128 {
        let mut left = self.order();
        loop {
            if self.eats("==") {
                left = i128::from(left == self.order());
            } else if self.eats("!=") {
                left = i128::from(left != self.order());
            } else {
                return left;
            }
        }
    }

    fn order(&mut self) -> i128 {
        let mut left = self.sum();
        loop {
            if self.eats("<=") {
                left = i128::from(left <= self.sum());
            } else if self.eats(">=") {
                left = i128::from(left >= self.sum());
            } else if self.eats("<") {
                left = i128::from(left < self.sum());
            } else if self.eats(">") {
                left = i128::from(left > self.sum());
            } else {
                return left;
            }
        }
    }

    fn sum(&mut self) -> i128 {
        let mut sum = self.product();
        loop {
            if self.eats("+") {
                sum += self.product();
            } else if self.eats("-") {
                sum -= self.product();
            } else {
                return sum;
            }
        }
    }

    fn product(&mut self) -> i128 {
        let mut product = self.factor();
        loop {
            if self.eats("*") {
                product *= self.factor();
            } else if self.eats("/") {
                product /= self.factor();
            } else if self.eats("%") {
                product %= self.factor();
            } else {
                return product;
            }
        }
    }

    fn factor(&mut self) -> i128 {
        if self.eats("-") {
            return -self.factor();
        }
        if self.eats("!") {
            return i128::from(self.factor() == 0);
        }
        if self.eats("(") {
            let value = self.or();
            assert!(self.eats(")"), "{}", self.rest);
            return value;
        }
        let limits = [("INT_MAX", i32::MAX), ("INT_MIN", i32::MIN)];
        for (name, value) in limits {
            if self.eats(name) {
                return i128::from(value);
            }
        }
        for (name, value) in self.names {
            if self.eats(name) {
                return *value;
            }
        }
        let digits = self.rest.trim_start();
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        let number = digits[..end].parse();
        self.rest = &digits[end..];
        number.unwrap_or_else(|_| panic!("neither name nor number: {digits}"))
    }
}

/// What a text says of a point.
fn read(text: &str, names: &[(String, i128)]) -> bool {
    match text {
        "true" => true,
        "false" => false,
        _ => {
            let mut reader = Reader { rest: text, names };
            let value = reader.or();
            assert_eq!(reader.rest.trim(), "", "{text}");
            value != 0
        }
    }
}

#[test]
fn the_reader_reads_c() {
    let names = [("n".to_string(), -3), ("m".to_string(), 7)];
    for (text, holds) in [
        ("n % 4 == -3", true),
        ("(n % 4 + 4) % 4 == 1", true),
        ("n / 2 == -1 && n / 2 - (n % 2 < 0) == -2", true),
        ("n % 2 == -1 < 0 || m < n == 0", true),
        ("(n > 0 && m > 0) || m - 2 * n == 13", true),
        ("(n + 1) % 2 == 0 && !n", false),
        ("m", true),
    ] {
        assert_eq!(read(text, &names), holds, "{text}");
    }
}

mod properties {
    use super::*;
    use isl::Affine;
    use proptest::prelude::*;

    /// A union of up to four systems of constraints over so many inputs, with remainders by up to 5.
    fn systems(inputs: usize) -> impl Strategy<Value = Vec<Vec<Constraint>>> {
        let factors = proptest::collection::vec(-3..=3i128, inputs);
        let constraint = (factors, -8..=8i128, 0..6u8, 2..=5i128).prop_map(
            move |(factors, constant, kind, by)| {
                let mut terms: Vec<(Dim, i128)> = factors
                    .into_iter()
                    .enumerate()
                    .map(|(at, n)| (Dim::At(at), n))
                    .collect();
                if kind == 0 {
                    terms.push((Dim::Exists(0), by));
                }
                Constraint {
                    kind: match kind {
                        0 | 1 => isl::Kind::Equal,
                        _ => isl::Kind::AtLeastZero,
                    },
                    form: Affine::new(terms, constant),
                }
            },
        );
        proptest::collection::vec(proptest::collection::vec(constraint, 1..4), 1..5)
    }

    fn union(isl: &Context, inputs: usize, systems: &[Vec<Constraint>]) -> Set {
        let none = Set::empty(isl, inputs).unwrap();
        let one = |all: Set, system: &Vec<Constraint>| {
            // Each remainder has a quotient of its own.
            let mut set = Set::universe(isl, inputs).unwrap();
            for constraint in system {
                let own = Set::from_constraints(isl, inputs, std::slice::from_ref(constraint));
                set = set.intersect(&own.unwrap()).unwrap();
            }
            all.union(&set).unwrap()
        };
        systems.iter().fold(none, one)
    }

    /// What is said, without the dots, and whether it is all.
    fn told(condition: &Condition) -> (&str, bool) {
        match (condition.text.strip_suffix(" || …"), &*condition.text) {
            (_, "…") => ("false", false),
            (Some(told), _) => (told, false),
            (None, all) => (all, condition.exact),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

        /// What is written, read as C, has the points of the set.
        #[test]
        fn texts_say_what_sets_are(
            systems in systems(3),
            points in proptest::collection::vec(proptest::collection::vec(-12..=12i128, 3), 40),
        ) {
            let w = World::new("x: i32, y: u32, z: i32");
            let set = union(&w.isl, 3, &systems);
            let condition = w.notation.condition(&set).unwrap();
            prop_assert!(!condition.valid_pointers);
            let (told, exact) = told(&condition);
            for point in points {
                let point = [point[0], point[1].abs(), point[2]];
                let names = ["x", "y", "z"].map(str::to_string).into_iter().zip(point);
                let holds = read(told, &names.collect::<Vec<_>>());
                let is_in = set.contains(&point).unwrap();
                prop_assert!(holds == is_in || (!exact && is_in), "{} of {:?}", condition.text, point);
            }
        }

        /// The same of remainders that are compared and of quotients, whose sign may be any, or known.
        #[test]
        fn remainders_and_quotients_are_those_of_c(
            forms in proptest::collection::vec((-2..=2i32, -2..=2i32, -9..=9i32, 2..=8i32, -3..=3i32, -4..=8i32, 0..3u8), 1..3),
            least in -3..=3i32,
            points in proptest::collection::vec((-40..=40i128, 0..=40i128, -40..=40i128), 60),
        ) {
            let w = World::new("x: i32, y: u32, z: i32");
            let constraint = |&(a, b, c, by, factor, bound, kind): &(i32, i32, i32, i32, i32, i32, u8)| {
                let of = format!("{a} * x + {b} * y + {c}");
                match kind {
                    0 => format!("({of}) mod {by} >= {bound}"),
                    1 => format!("({of}) mod {by} + {factor} * z <= {bound}"),
                    _ => format!("z >= {factor} * floor(({of}) / {by}) + {bound}"),
                }
            };
            let all: Vec<String> = forms.iter().map(constraint).collect();
            let text = format!("{{ [x, y, z] : x >= {least} * z and {} }}", all.join(" and "));
            let set = Set::parse(&w.isl, &text).unwrap();
            let condition = w.notation.condition(&set).unwrap();
            let (told, exact) = told(&condition);
            for (x, y, z) in points {
                let names = ["x", "y", "z"].map(str::to_string).into_iter().zip([x, y, z]);
                let holds = read(told, &names.collect::<Vec<_>>());
                let is_in = set.contains(&[x, y, z]).unwrap();
                prop_assert!(holds == is_in || (!exact && is_in), "{} of {:?}, {}", condition.text, (x, y, z), text);
            }
        }

        /// The same of pointers: of those that are as they should be, or of all.
        #[test]
        fn texts_of_pointers_say_what_sets_are(
            systems in systems(5),
            points in proptest::collection::vec(proptest::collection::vec(-9..=9i128, 5), 40),
        ) {
            let w = World::new("p: i32*, n: i32");
            let set = union(&w.isl, 5, &systems);
            let condition = w.notation.condition(&set).unwrap();
            let (told, exact) = told(&condition);
            for point in &points {
                let [p, offset, length, alive, n] = point[..] else { unreachable!() };
                let (p, offset, length, alive) = (p.abs(), offset.abs(), length.abs(), alive & 1);
                let is_valid = alive == 1 && offset <= length;
                if condition.valid_pointers && !is_valid {
                    continue;
                }
                let names = [("len(p)", length - offset), ("offset(p)", offset), ("alive(p)", alive),
                    ("NULL", 0), ("p", p), ("n", n)];
                let names: Vec<_> = names.map(|(name, value)| (name.to_string(), value)).into();
                let point = [p, offset, length, alive, n];
                let holds = read(told, &names);
                let is_in = set.contains(&point).unwrap();
                prop_assert!(holds == is_in || (!exact && is_in), "{} of {:?}", condition.text, point);
            }
        }
    }
}
