//! Which two of several paths become one, where there are too many: the affinity of dual.txt §2.2.

use crate::facts::Range;
use crate::hull::FAR;
use crate::input::Symbols;
use crate::linear::{Linear, Symbol};
use crate::path::Path;

/// So many paths are compared each with each; if there are more, each with the next one, from which it often parted last.
const COMPARED: usize = 12;

/// The two paths of which most is left when they are one: that differ least in memory, and of those that contradict the
/// fewest facts of each other (the affinity of dual.txt §2.2, seen from the constraints that a hull loses).
pub(super) fn nearest(paths: &[Path], symbols: &Symbols) -> (usize, usize) {
    let mut best = (0, 1, (usize::MAX, usize::MAX));
    let inputs = symbols.inputs().map(|(_, symbol, _)| symbol);
    let (flags, numbers): (Vec<Symbol>, Vec<Symbol>) = inputs.partition(|s| symbols.is_flag(*s));
    let is_plain = |s: &&Symbol| symbols.is_plain(**s);
    let plain: Vec<&Symbol> = numbers.iter().filter(is_plain).collect();
    let is_far = |path: &Path| plain.iter().any(|s| is_far(path.facts.range(**s)));
    let far: Vec<bool> = paths.iter().map(is_far).collect();
    for b in 1..paths.len() {
        let first = match paths.len() > COMPARED {
            true => b - 1,
            false => 0,
        };
        for a in first..b {
            let (x, y) = (&paths[a], &paths[b]);
            // Null here and not null there is worse than any difference of numbers.
            let range = |path: &Path, flag: &Symbol| path.facts.range(*flag);
            let states = flags.iter().filter(|f| range(x, f) != range(y, f));
            // So is what both are given, if it is never the same: they have no run in common.
            let apart = numbers.iter().filter(|n| {
                let both = range(x, n).and(range(y, n));
                both.is_empty()
            });
            let is_given = |s: &Symbol| numbers.contains(s);
            let apart = apart.count() + against(x, y, is_given) + against(y, x, is_given);
            let differ = x.memory.differences(&y.memory) + 100 * states.count() + 10 * apart;
            // What needs numbers that are so large that others wrap is one: few pass them, and those who do not have nothing to
            // do with it.
            let differ = match (far[a], far[b]) {
                (true, true) => 0,
                (false, false) => differ,
                _ => differ + 1000,
            };
            if differ > best.2.0 {
                continue;
            }
            let lost = lost(x, y) + lost(y, x);
            if (differ, lost) < best.2 {
                best = (a, b, (differ, lost));
            }
        }
    }
    (best.0, best.1)
}

/// Is a number so large that others wrap?
fn is_far(range: Range) -> bool {
    range.least.is_some_and(|n| n >= FAR) || range.most.is_some_and(|n| n <= -FAR)
}

/// Says which of the numbers that are given are surely far from zero: mostly that follows from something else, and would be lost with
/// it when the path becomes one with another.
pub(super) fn say_far(paths: &mut [Path], symbols: &Symbols) {
    let numbers = symbols.inputs().map(|(_, symbol, _)| symbol);
    let numbers: Vec<Symbol> = numbers.filter(|s| symbols.is_plain(*s)).collect();
    for path in paths {
        numbers.iter().for_each(|number| say_far_of(path, *number));
    }
}

fn say_far_of(path: &mut Path, symbol: Symbol) {
    let number = Linear::symbol(symbol);
    let above = number.plus_constant(-FAR);
    let below = Linear::constant(-FAR).minus(&number);
    for form in [above, below].into_iter().flatten() {
        if path.facts.is_surely_not_negative(&form) {
            path.facts.add_not_negative(form);
        }
    }
}

/// How many facts of the one about what is given cannot be true of the other.
fn against(of: &Path, by: &Path, is_given: impl Fn(&Symbol) -> bool) -> usize {
    let facts = of.facts.not_negative().iter();
    let facts = facts.filter(|form| form.terms().iter().all(|(s, _)| is_given(s)));
    let opposite = |form: &Linear| form.times(-1)?.plus_constant(-1);
    let is_against =
        |form: &&Linear| opposite(form).is_some_and(|form| by.facts.is_surely_not_negative(&form));
    facts.filter(is_against).count()
}

/// How many facts of the one the other does not know.
fn lost(of: &Path, by: &Path) -> usize {
    let is_known = |form: &Linear| by.facts.is_surely_not_negative(form);
    let opposite = |form: &Linear| form.times(-1);
    let zero = of.facts.zero().iter();
    let zero = zero.filter(|form| !is_known(form) || !opposite(form).is_some_and(|o| is_known(&o)));
    let others = of.facts.not_negative().iter();
    let others = others.filter(|form| !is_known(form));
    let ranges = of.facts.symbols().into_iter().map(|symbol| {
        let (a, b) = (of.facts.range(symbol), by.facts.range(symbol));
        let least = a.least.is_some_and(|n| b.least.is_none_or(|m| m < n));
        let most = a.most.is_some_and(|n| b.most.is_none_or(|m| m > n));
        usize::from(least) + usize::from(most)
    });
    zero.count() + others.count() + ranges.sum::<usize>()
}
