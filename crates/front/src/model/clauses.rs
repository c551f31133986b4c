//! What stands in `where { … }`: the clauses, and their conditions as far as they must be taken apart.

use super::tokens::{Kind, Token};
use super::{Mistake, Wrong};

/// What a function does, as the user says it.
#[derive(Debug, Default)]
pub struct Clauses<'t> {
    /// What holds when it comes back; several: one of them.
    pub ok: Vec<Formula<'t>>,
    /// With what it fails; each `||` makes one.
    pub err: Vec<Formula<'t>>,
    /// With what it ends the program.
    pub exit: Vec<Formula<'t>>,
}

/// A condition.
#[derive(Clone, Copy, Debug)]
pub struct Formula<'t> {
    pub tokens: &'t [Token<'t>],
}

/// A comparison: its sides, and how they are compared.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'t> {
    pub left: Formula<'t>,
    pub sign: &'t str,
    pub right: Formula<'t>,
}

impl<'t> Clauses<'t> {
    /// The clauses between the braces; the line is that of the `where`.
    pub fn parse(tokens: &'t [Token<'t>], line: u32) -> Result<Clauses<'t>, Wrong> {
        let mut clauses = Clauses::default();
        let mut rest = tokens;
        if rest.is_empty() {
            return Err(Wrong {
                line,
                mistake: Mistake::NoClause,
            });
        }
        while let [label, behind @ ..] = rest {
            let [colon, behind @ ..] = behind else {
                return Err(label.wrong(Mistake::NotAClause(label.text.to_string())));
            };
            if !is_label(label) || !colon.is(":") {
                return Err(label.wrong(Mistake::NotAClause(label.text.to_string())));
            }
            let formula = until_next_clause(behind);
            if formula.tokens.is_empty() {
                return Err(label.wrong(Mistake::Empty(label.text.to_string())));
            }
            match label.text {
                "OK" => clauses.ok.push(formula),
                "ERR" => clauses.err.extend(formula.split("||")),
                _ => clauses.exit.push(formula),
            }
            rest = behind.get(formula.tokens.len() + 1..).unwrap_or_default();
        }
        Ok(clauses)
    }
}

impl Token<'_> {
    fn wrong(&self, mistake: Mistake) -> Wrong {
        Wrong {
            line: self.line,
            mistake,
        }
    }
}

fn is_label(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && matches!(token.text, "OK" | "ERR" | "EXIT")
}

/// All up to a comma behind which another clause begins.
fn until_next_clause<'t>(tokens: &'t [Token<'t>]) -> Formula<'t> {
    let formula = Formula { tokens };
    let ends = |at: usize| {
        tokens[at].is(",")
            && match &tokens[at + 1..] {
                [label, colon, ..] => is_label(label) && colon.is(":"),
                [] => true,
                _ => false,
            }
    };
    let end = formula.outermost().find(|at| ends(*at));
    Formula {
        tokens: &tokens[..end.unwrap_or(tokens.len())],
    }
}

impl<'t> Formula<'t> {
    pub fn line(&self) -> u32 {
        self.tokens.first().map_or(0, |t| t.line)
    }

    /// The tokens that are in no parentheses.
    fn outermost(&self) -> impl Iterator<Item = usize> + use<'t> {
        let tokens = self.tokens;
        let mut depth = 0;
        (0..tokens.len()).filter(move |at| {
            let nesting = tokens[*at].nesting();
            depth += nesting.min(0);
            let is_out = depth == 0;
            depth += nesting.max(0);
            is_out
        })
    }

    /// The parts between such signs; all of it if the sign is not what binds least.
    pub fn split(&self, sign: &str) -> Vec<Formula<'t>> {
        let tokens = self.tokens;
        let binds_less = |t: &Token<'_>| t.is("?") || t.is(",") || (sign == "&&" && t.is("||"));
        if self.outermost().any(|at| binds_less(&tokens[at])) {
            return vec![*self];
        }
        let mut parts = Vec::new();
        let mut begin = 0;
        for at in self.outermost().filter(|at| tokens[*at].is(sign)) {
            parts.push(Formula {
                tokens: &tokens[begin..at],
            });
            begin = at + 1;
        }
        parts.push(Formula {
            tokens: &tokens[begin..],
        });
        parts
    }

    /// Without parentheses around all of it.
    fn bare(&self) -> Formula<'t> {
        match self.tokens {
            [open, inner @ .., close] if open.is("(") && close.is(")") => {
                let inner = Formula { tokens: inner };
                let mut depth = 0;
                let is_one = inner.tokens.iter().all(|t| {
                    depth += t.nesting();
                    depth >= 0
                });
                match is_one {
                    true => inner.bare(),
                    false => *self,
                }
            }
            _ => *self,
        }
    }

    /// As a comparison, if nothing else binds less.
    pub fn comparison(&self) -> Option<Comparison<'t>> {
        let formula = self.bare();
        let tokens = formula.tokens;
        let signs = ["<", "<=", ">", ">=", "==", "!="];
        let mut found = None;
        for at in formula.outermost() {
            let token = &tokens[at];
            if ["&&", "||", "?", "&", "|", "^", ",", "="]
                .iter()
                .any(|s| token.is(s))
                && !(token.is("&") && is_prefix(tokens, at))
            {
                return None;
            }
            if signs.iter().any(|s| token.is(s)) && found.replace(at).is_some() {
                return None;
            }
        }
        let at = found?;
        let (left, right) = (&tokens[..at], &tokens[at + 1..]);
        (!left.is_empty() && !right.is_empty()).then(|| Comparison {
            left: Formula { tokens: left },
            sign: tokens[at].text,
            right: Formula { tokens: right },
        })
    }

    /// `p` of `len(p)`.
    pub fn length_of(&self) -> Option<Formula<'t>> {
        match self.bare().tokens {
            [name, open, ..] if name.text == "len" && open.is("(") => {
                let argument = Formula {
                    tokens: &self.bare().tokens[1..],
                };
                let bare = argument.bare();
                (bare.tokens.len() < argument.tokens.len()).then_some(bare)
            }
            _ => None,
        }
    }

    /// Does a part of it say something of the inputs alone?
    pub fn is_of_inputs(&self) -> bool {
        let is_output = |t: &Token<'_>| t.kind == Kind::Word && matches!(t.text, "res" | "new");
        let parts = self.bare().split("&&");
        parts.iter().any(|part| !part.tokens.iter().any(is_output))
    }

    /// Are these surely not both true, whatever the values?
    pub fn excludes(&self, other: &Formula<'t>) -> bool {
        let parts = |formula: &Formula<'t>| formula.bare().split("&&");
        let others = parts(other);
        parts(self)
            .iter()
            .any(|a| others.iter().any(|b| are_opposite(a, b)))
    }

    /// In one line, as it is written.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut end = None;
        for token in self.tokens {
            if end.is_some_and(|end| end < token.at) {
                text.push(' ');
            }
            text.push_str(token.text);
            end = Some(token.end());
        }
        text
    }

    fn is_same(&self, other: &Formula<'t>) -> bool {
        let texts = |f: &Formula<'t>| f.bare().tokens.iter().map(|t| t.text).collect::<Vec<_>>();
        texts(self) == texts(other)
    }
}

/// Does the sign stand before what it is applied to?
fn is_prefix(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    before.is_none_or(|t| t.kind == Kind::Sign && t.nesting() >= 0)
}

fn are_opposite(a: &Formula<'_>, b: &Formula<'_>) -> bool {
    let negated = |a: &Formula<'_>, b: &Formula<'_>| match a.bare().tokens {
        [not, rest @ ..] if not.is("!") => Formula { tokens: rest }.is_same(b),
        _ => false,
    };
    if negated(a, b) || negated(b, a) {
        return true;
    }
    let (Some(a), Some(b)) = (a.comparison(), b.comparison()) else {
        return false;
    };
    let same = a.left.is_same(&b.left) && a.right.is_same(&b.right);
    let swapped = a.left.is_same(&b.right) && a.right.is_same(&b.left);
    (same && excluding(a.sign).contains(&b.sign))
        || (swapped && excluding(a.sign).contains(&mirrored(b.sign)))
}

/// The comparisons of the same two numbers that cannot be true as well.
fn excluding(sign: &str) -> &'static [&'static str] {
    match sign {
        "<" => &[">", ">=", "=="],
        "<=" => &[">"],
        ">" => &["<", "<=", "=="],
        ">=" => &["<"],
        "==" => &["!=", "<", ">"],
        "!=" => &["=="],
        _ => &[],
    }
}

/// `b > a` for `a < b`.
fn mirrored(sign: &str) -> &str {
    match sign {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn conditions_that_cannot_both_hold() {
        let excludes = |a: &str, b: &str| {
            let (a, b) = (tokens(a).unwrap(), tokens(b).unwrap());
            let [a, b] = [&a, &b].map(|tokens| Formula { tokens });
            let (one, other) = (a.excludes(&b), b.excludes(&a));
            assert_eq!(one, other, "{} / {}", a.text(), b.text());
            one
        };
        assert!(excludes("y != 0 && res == x / y", "y == 0"));
        assert!(excludes("0 <= i && i < len(a)", "i < 0"));
        assert!(excludes("(n <= len(p))", "q && n > len( p )"));
        assert!(excludes("!p->open", "p->open"));
        assert!(excludes("a == b", "b < a"));
        assert!(!excludes("y != 0 || res == 0", "y == 0"));
        assert!(!excludes("x > 0", "y <= 0"));
        assert!(!excludes("a <= b", "a >= b"));
        assert!(!excludes("a & 1 == 0", "a & 1 != 0"));
    }

    #[test]
    fn clauses_are_parted_at_commas_before_labels() {
        let text = "OK: res == f(a, b), ERR: a < 0 || (b || a), EXIT: n == 0,";
        let tokens = tokens(text).unwrap();
        let clauses = Clauses::parse(&tokens, 1).unwrap();
        let texts = |all: &[Formula<'_>]| all.iter().map(Formula::text).collect::<Vec<_>>();
        assert_eq!(texts(&clauses.ok), ["res == f(a, b)"]);
        assert_eq!(texts(&clauses.err), ["a < 0", "(b || a)"]);
        assert_eq!(texts(&clauses.exit), ["n == 0"]);
    }

    #[test]
    fn mistakes_are_named() {
        for text in ["OKAY: 1", "OK", "OK 1", "ERR: , OK: 1", ""] {
            let tokens = tokens(text).unwrap();
            assert!(Clauses::parse(&tokens, 1).is_err(), "{text}");
        }
    }
}
