//! post*: all configurations that can be reached, with the weights of the ways there (§3.3).
//!
//! Each push rule `⟨p, γ⟩ ↪ ⟨p', γ' γ''⟩` has a state of the automaton for its callee `(p', γ')`, shared by all calls of
//! it. The transition `(p', n, callee)` then has the weight from the callee's entry to `n`, and `(callee, γ'', q)` the
//! weight from the caller's entry to the call. Where the callee returns, an ε-transition `(p, ε, callee)` has its summary,
//! which meets every call: `(p, γ'', q)` gets their product.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Direction};
use crate::ids::{State, Symbol};
use crate::order::Ranks;
use crate::saturate::{Saturated, Saturation};
use crate::semiring::Semiring;
use crate::system::{Right, System};
use crate::witness::{Part, Parts};

/// The backward automaton with `A(c) = ⊕ { start(c') ⊗ pval(σ) | c' ⇒σ c }`. No transition of `start`, a backward
/// automaton, may lead into a state of the system. With `record` the derivations for witnesses are kept.
pub fn post_star<S: Semiring>(
    system: &System<S::Weight>,
    semiring: &S,
    start: Automaton<S::Weight>,
    record: bool,
) -> Saturated<S::Weight> {
    debug_assert_eq!(start.direction(), Direction::Backward);
    let ranks = Ranks::forward(system);
    let rank = |symbol: Symbol| ranks.of(Some(symbol));
    let mut s = Saturation::new(semiring, start, record, |symbol| ranks.of(symbol));
    let mut callees: FxHashMap<(State, Symbol), State> = FxHashMap::default();
    // By state: the ε-transitions that lead into it.
    let mut returned: FxHashMap<State, Vec<crate::TransitionId>> = FxHashMap::default();
    while let Some((id, news)) = s.next() {
        let transition = s.automaton.get(id);
        let Some(symbol) = transition.symbol else {
            // A summary of a callee meets all its calls.
            let known = returned.entry(transition.to).or_default();
            if !known.contains(&id) {
                known.push(id);
            }
            let calls = s.automaton.leaving(transition.to).to_vec();
            for call in calls {
                let weight = semiring.extend(s.automaton.weight(call), &news);
                let rest = s.automaton.get(call);
                let parts = Parts::from_slice(&[s.part(call), s.part(id)]);
                let priority = ranks.of(rest.symbol);
                s.grow(
                    transition.from,
                    rest.symbol,
                    rest.to,
                    weight,
                    priority,
                    || parts,
                );
            }
            continue;
        };
        if transition.from.0 >= system.states() {
            // A call meets the summaries of its callee.
            let Some(summaries) = returned.get(&transition.from) else {
                continue;
            };
            for summary in summaries {
                let weight = semiring.extend(&news, s.automaton.weight(*summary));
                let from = s.automaton.get(*summary).from;
                let parts = Parts::from_slice(&[s.part(id), s.part(*summary)]);
                s.grow(
                    from,
                    Some(symbol),
                    transition.to,
                    weight,
                    rank(symbol),
                    || parts,
                );
            }
            continue;
        }
        for (rule_id, rule) in system.at(symbol) {
            if rule.from != transition.from {
                continue;
            }
            let weight = semiring.extend(&news, &rule.weight);
            let here = s.part(id);
            let parts = || Parts::from_slice(&[here, Part::Rule(rule_id)]);
            match rule.right {
                Right::Pop => {
                    s.grow(rule.to, None, transition.to, weight, rank(symbol), parts);
                }
                Right::Step(top) => {
                    s.grow(rule.to, Some(top), transition.to, weight, rank(top), parts);
                }
                Right::Push(top, below) => {
                    if semiring.is_zero(&weight) {
                        continue;
                    }
                    let callee = *callees
                        .entry((rule.to, top))
                        .or_insert_with(|| s.automaton.state());
                    let one = semiring.one();
                    s.grow(rule.to, Some(top), callee, one, rank(top), Parts::new);
                    s.grow(
                        callee,
                        Some(below),
                        transition.to,
                        weight,
                        rank(below),
                        parts,
                    );
                }
            }
        }
    }
    s.finish()
}
