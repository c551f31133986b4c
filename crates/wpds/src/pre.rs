//! pre*: all configurations from which a target can be reached, with the weights of the ways there (§3.3).
//!
//! A transition `(p, γ, q)` has the weight of all ways from `γ` on top in `p` to where the automaton can go on in `q`
//! with the rest of the stack: for `q` a state of the system, that is from `γ` until it is popped. A push rule needs two
//! transitions in a row, for the callee and for the place that it returns to. Which rules wait at `(q, γ'')` for the
//! second is kept in a table, so that nothing is ever searched for.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Direction};
use crate::ids::{RuleId, State, Symbol, TransitionId};
use crate::order::Ranks;
use crate::saturate::{Saturated, Saturation};
use crate::semiring::Semiring;
use crate::system::{Right, System};
use crate::witness::{Part, Parts};

/// The forward automaton with `A(c) = ⊕ { pval(σ) ⊗ target(c') | c ⇒σ c' }`. No transition of `target`, a forward
/// automaton, may lead into a state of the system. With `record` the derivations for witnesses are kept.
pub fn pre_star<S: Semiring>(
    system: &System<S::Weight>,
    semiring: &S,
    target: Automaton<S::Weight>,
    record: bool,
) -> Saturated<S::Weight> {
    debug_assert_eq!(target.direction(), Direction::Forward);
    let ranks = Ranks::backward(system);
    let rank = |symbol: Symbol| ranks.of(Some(symbol));
    let mut s = Saturation::new(semiring, target, record, |symbol| ranks.of(symbol));
    let mut half_done: FxHashMap<(State, Symbol), Vec<(RuleId, TransitionId)>> =
        FxHashMap::default();
    let mut entered = vec![false; s.automaton.transitions().len()];
    for (id, rule) in (0u32..).map(RuleId).zip(system.rules()) {
        if rule.right == Right::Pop {
            let weight = rule.weight.clone();
            let parts = || Parts::from_slice(&[Part::Rule(id)]);
            let priority = rank(rule.symbol);
            s.grow(
                rule.from,
                Some(rule.symbol),
                rule.to,
                weight,
                priority,
                parts,
            );
        }
    }
    while let Some((id, news)) = s.next() {
        let transition = s.automaton.get(id);
        let Some(symbol) = transition.symbol else {
            continue;
        };
        // As the second of two: after a callee that comes back to here.
        if let Some(waiting) = half_done.get(&(transition.from, symbol)) {
            for (rule_id, first) in waiting {
                let Some(rule) = system.get(*rule_id) else {
                    continue;
                };
                let call = semiring.extend(&rule.weight, s.automaton.weight(*first));
                let weight = semiring.extend(&call, &news);
                let parts = Parts::from_slice(&[Part::Rule(*rule_id), s.part(*first), s.part(id)]);
                let priority = rank(rule.symbol);
                s.grow(
                    rule.from,
                    Some(rule.symbol),
                    transition.to,
                    weight,
                    priority,
                    || parts,
                );
            }
        }
        if transition.from.0 >= system.states() {
            continue;
        }
        if id.index() >= entered.len() {
            entered.resize(s.automaton.transitions().len(), false);
        }
        let first_time = !std::mem::replace(&mut entered[id.index()], true);
        for (rule_id, rule) in system.to_top(symbol) {
            if rule.to != transition.from {
                continue;
            }
            let here = s.part(id);
            let priority = rank(rule.symbol);
            match rule.right {
                Right::Pop => {}
                Right::Step(_) => {
                    let weight = semiring.extend(&rule.weight, &news);
                    let parts = || Parts::from_slice(&[Part::Rule(rule_id), here]);
                    s.grow(
                        rule.from,
                        Some(rule.symbol),
                        transition.to,
                        weight,
                        priority,
                        parts,
                    );
                }
                Right::Push(_, below) => {
                    if first_time {
                        half_done
                            .entry((transition.to, below))
                            .or_default()
                            .push((rule_id, id));
                    }
                    let seconds = s.automaton.reading(transition.to, below).to_vec();
                    if seconds.is_empty() {
                        continue;
                    }
                    let call = semiring.extend(&rule.weight, &news);
                    for second in seconds {
                        let weight = semiring.extend(&call, s.automaton.weight(second));
                        let parts = Parts::from_slice(&[Part::Rule(rule_id), here, s.part(second)]);
                        let to = s.automaton.get(second).to;
                        s.grow(rule.from, Some(rule.symbol), to, weight, priority, || parts);
                    }
                }
            }
        }
    }
    s.finish()
}
