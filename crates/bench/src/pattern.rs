//! Patterns that are written down here, and compiled when first used.

/// A static of this name: a `Regex`. That it compiles is seen by the first test that uses it.
macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).unwrap());
    };
}
pub(crate) use pattern;
