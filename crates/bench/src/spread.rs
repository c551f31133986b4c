//! Several measurements of one thing: the median, and how far the others lie.

use serde_json::{Value, json};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    /// None of nothing. Of an even number the upper one of the two in the middle, which was measured.
    pub fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        Some(Spread {
            median: *values.get(values.len() / 2)?,
            least: *values.first()?,
            most: *values.last()?,
        })
    }

    pub fn json(&self) -> Value {
        json!({ "median": self.median, "least": self.least, "most": self.most })
    }
}

/// `1.50 (1.48–1.61)`.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2}–{:.2})", self.median, self.least, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_in_the_middle_counts() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0]).unwrap();
        assert_eq!(spread.to_string(), "2.00 (1.00–3.00)");
        assert_eq!(spread.json()["most"], 3.0);
        assert_eq!(Spread::of(vec![1.0, 2.0]).unwrap().median, 2.0);
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
