//! The shapes that operations have: a line each in `set.rs` and `map.rs`.

/// `fn name(&self) -> Result<Self>`.
macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = $function:path;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self) -> $crate::Result<Self> {
            Ok(Self { handle: $function(self.handle.clone())? })
        }
    )*};
}

/// The same as `binary`, for what looks at every piece of one with every piece of the other.
macro_rules! pairwise {
    ($($(#[$doc:meta])* $name:ident = $function:path;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, other: &Self) -> $crate::Result<Self> {
            self.check_shape(other)?;
            let pairs = self.disjuncts().saturating_mul(other.disjuncts());
            $crate::matrix::charge_pairs(self.handle.owner(), pairs, self.dimensions());
            Ok(Self { handle: $function(self.handle.clone(), other.handle.clone())? })
        }
    )*};
}

/// `fn name(&self, other: &Self) -> Result<Self>`, of two of the same shape.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $function:path;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, other: &Self) -> $crate::Result<Self> {
            self.check_shape(other)?;
            Ok(Self { handle: $function(self.handle.clone(), other.handle.clone())? })
        }
    )*};
}

/// `fn name(&self, other: &Self) -> Result<bool>`, of two of the same shape.
macro_rules! comparison {
    ($($(#[$doc:meta])* $name:ident = $function:path;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, other: &Self) -> $crate::Result<bool> {
            self.check_shape(other)?;
            $function(&self.handle, &other.handle)
        }
    )*};
}

/// `Display` in isl's notation, which `parse` reads. Printing costs nothing of the budget.
macro_rules! display {
    ($name:ident, $function:path) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.handle.owner().unmetered(|| $function(&self.handle)) {
                    Ok(text) => f.write_str(&text),
                    // An error here would be a panic of `to_string`.
                    Err(stopped) => write!(f, "(not printed: {stopped})"),
                }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

pub(crate) use {binary, comparison, display, pairwise, unary};

/// Positions as runs `(first, count)`, the last run first, so that taking one away does not move those that follow.
pub(crate) fn runs_backwards(positions: &[usize]) -> Vec<(usize, usize)> {
    let sorted: std::collections::BTreeSet<usize> = positions.iter().copied().collect();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in sorted {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == at => *count += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs.reverse();
    runs
}

#[cfg(test)]
mod tests {
    use super::runs_backwards;

    #[test]
    fn runs() {
        assert_eq!(runs_backwards(&[]), []);
        assert_eq!(
            runs_backwards(&[4, 0, 1, 1, 5, 7]),
            [(7, 1), (4, 2), (0, 2)]
        );
    }
}
