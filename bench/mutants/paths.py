"""Whether a mutation can matter: a witness path through the mutated function.

A tracker watches one variable: what makes it bad (an allocation that may fail, a declaration without
a value), what makes it good again, and where being bad is an error. `witness` looks for a path from
the entry to such an error **whose conditions cannot contradict each other**: no two of them mention the
same variable unless it was assigned in between or they say the same, and none contradicts a constant
that the path assigned. So a mutant is drawn only if it can fail for some run, as far as its function's
text tells. `possible` is the plain dataflow of the same tracker: what was possible before the mutation
does not count as its effect.
"""

import heapq
import re

from read import (
    assignments, base, call_name, expression_end, has_call, in_macro, in_sizeof, is_declaration,
    is_name, is_null, is_unary, keys, null_test, strip, strip_cast, texts,
)  # fmt: skip

BAD, GOOD = True, False
ASSERT = re.compile(r"assert|require|ensure|check_api|api_check|insist", re.I)


class Tracker:
    """Watches `target` (a name or a member chain). Subclasses say what its mentions mean."""

    def __init__(self, flow, target, plain):
        self.flow, self.target = flow, tuple(target)
        self.plain = plain  # a variable of the function itself: no call changes it
        self._events = {}

    def mentions(self, start, stop):
        flow, target = self.flow, self.target
        for index in range(start, stop - len(target) + 1):
            if flow.text(index) == target[0] and tuple(texts(flow, index, index + len(target))) == target:
                if index == start or flow.text(index - 1) not in ("->", "."):
                    yield index, index + len(target)

    def events(self, node):
        """In order of evaluation: ("bad", keys) | ("good",) | ("error", offset)."""
        if node.number not in self._events:
            found = []
            if node.kind in ("simple", "condition", "choose", "stop") and node.start < node.stop:
                self.collect(node, found)
                found.sort(key=lambda event: event[0])
            self._events[node.number] = [event[1:] for event in found]
        return self._events[node.number]

    def collect(self, node, found):
        flow, start, stop = self.flow, node.start, node.stop
        declares = node.kind == "simple" and is_declaration(flow, start, stop)
        if ASSERT.search(flow.text(start)) and any(self.mentions(start, stop)):
            found.append((start, "good"))
            return
        for first, last in self.mentions(start, stop):
            before = flow.text(first - 1) if first > start else ""
            after = flow.text(last) if last < stop else ""
            star = before == "*" and is_unary(flow, start, first - 1)
            if declares and before in ("*", ",") or declares and first > start and is_name(before):
                star = False if after in ("=", ",", "") or last >= stop else star
            if in_sizeof(flow, start, first):
                continue
            if before == "&" and is_unary(flow, start, first - 1):
                if after not in ("->", "[", "."):
                    found.append((first, "good"))
                continue
            if after == "=" and not star:
                end = expression_end(flow, last + 1, stop)
                found.append((end, *self.assigned(last + 1, end)))
                continue
            self.mention(node, first, last, before, after, star, declares, found)
        if not self.plain and has_call(flow, start, stop):
            found.append((stop, "good"))
        elif len(self.target) > 1:
            if any(name == self.target[0] for name, _ in assignments(flow, start, stop)):
                found.append((stop, "good"))

    def assigned(self, start, stop):
        return ("good",)

    def mention(self, node, first, last, before, after, star, declares, found):
        pass

    def edge(self, node, truth):
        """What taking this branch says: None, "good", "bad" (acknowledged), or "bad only"."""
        return None

    def always(self):
        """(offset of the error, 0) if every run that comes to the mutated place fails behind it; None: who knows."""
        return None


class Pointer(Tracker):
    """Bad is null. Sources: NULL, calls of `sources`, and the null branch of the test at `acknowledged`."""

    def __init__(self, flow, target, plain, sources=(), acknowledged=None):
        super().__init__(flow, target, plain)
        self.sources, self.acknowledged = sources, acknowledged

    def assigned(self, start, stop):
        if self.acknowledged is None:
            if is_null(self.flow, start, stop):
                return ("bad", frozenset())
            name = call_name(self.flow, start, stop)
            if name in self.sources:
                return ("bad", keys(self.flow, start, stop))
        return ("good",)

    def mention(self, node, first, last, before, after, star, declares, found):
        if re.match(r"(\+\+|--|[-+]=)$", after) or before in ("++", "--"):
            found.append((last, "good"))
        elif after in ("->", "[") or star:
            found.append((first, "error", self.flow.tokens[first].at))

    def edge(self, node, truth):
        test = null_test(self.flow, node.start, node.stop)
        if test is None or test[0] != self.target:
            return "good" if any(self.mentions(node.start, node.stop)) else None
        if truth != test[1]:
            return "good"
        if self.acknowledged is not None and self.flow.tokens[node.start].at == self.acknowledged:
            return "bad"
        return "bad only"


class Divisor(Pointer):
    """Bad is zero; `= 0` is the source and a division the error."""

    def assigned(self, start, stop):
        start, stop = strip_cast(self.flow, start, stop)
        return ("bad", frozenset()) if texts(self.flow, start, stop) == ["0"] else ("good",)

    def mention(self, node, first, last, before, after, star, declares, found):
        if re.match(r"(\+\+|--|[-+*/%&|^]=)$", after) or before in ("++", "--"):
            found.append((last, "good"))
        elif before in ("/", "%", "/=", "%=") and after not in ("->", ".", "["):
            found.append((first, "error", self.flow.tokens[first].at))


class Uninitialized(Tracker):
    """Bad is without a value: a declaration that gives none. A use of the value is the error."""

    def mention(self, node, first, last, before, after, star, declares, found):
        flow = self.flow
        depth0 = all(
            not (flow.text(i) in ("(", "[", "{") and flow.tokens[i].match >= first)
            for i in range(node.start, first)
        )
        if declares and depth0 and (before in ("*", ",") or is_name(before) or not star) and after in ("", ",", "["):
            if not any(flow.text(i) == "=" for i in range(self.declarator(node.start, first), first)):
                found.append((first, "bad", frozenset()))
                return
        if before == ")" and flow.text(flow.tokens[first - 1].match + 1) == "void" and first - flow.tokens[first - 1].match == 3:
            return
        if in_macro(flow, node.start, first):
            found.append((first, "good"))  # it may take the address, or do nothing
        else:
            found.append((first, "error", flow.tokens[first].at))

    def declarator(self, start, index):
        while index > start and self.flow.text(index) != ",":
            index -= 1
        return index


class Index(Tracker):
    """Bad is one past the end. The source is the branch `truth` of the test at `acknowledged`, or,
    where the test is gone, counting up; an access of `array` at this index is the error."""

    def __init__(self, flow, target, array, acknowledged=None, truth=True):
        super().__init__(flow, target, True)
        self.array, self.acknowledged, self.truth = array, acknowledged, truth

    def mention(self, node, first, last, before, after, star, declares, found):
        close = last + 1 if after in ("++", "--") else last
        if before == "[" and close < node.stop and self.flow.text(close) == "]":
            begin = array_start(self.flow, node.start, first - 1)
            taken = begin > node.start and self.flow.text(begin - 1) == "&" and is_unary(self.flow, node.start, begin - 1)
            if begin < first - 1 and not taken and texts(self.flow, begin, first - 1) == self.array:
                found.append((first, "error", self.flow.tokens[first].at))
        if re.match(r"(\+\+|--|[-+*/%&|^]=)$", after) or before in ("++", "--"):
            grows = self.acknowledged is None and "++" in (before, after)
            found.append((last, "bad", frozenset()) if grows else (last, "good"))

    def edge(self, node, truth):
        if self.acknowledged is not None and self.flow.tokens[node.start].at == self.acknowledged:
            return "bad" if truth == self.truth else "good"
        return "good" if any(self.mentions(node.start, node.stop)) else None


def array_start(flow, start, bracket):
    """Where the expression before the `[` at `bracket` begins: `a`, `s->a`, `a[k]`."""
    index = bracket
    while index > start:
        before = flow.tokens[index - 1]
        if before.text == "]" and before.match >= start:
            index = before.match
        elif is_name(before.text) and (index == bracket or flow.text(index) in ("->", ".", "[")):
            index -= 1
            if index > start and flow.text(index - 1) in ("->", "."):
                index -= 1
                continue
            return index
        else:
            return index if index < bracket and is_name(flow.text(index)) else bracket
    return index


# -- the two questions ------------------------------------------------------------------------


def successors(node):
    if node.kind == "condition":
        return [(node.next, True), (node.false, False)]
    if node.kind == "choose":
        return [(target, None) for target in node.next]
    return [(node.next, None)] if node.next is not None else []


def after_events(tracker, node, state, errors):
    for event in tracker.events(node):
        if event[0] == "error":
            if state is BAD:
                errors.append(event[1])
            # One that did not fail here is good from here on; but keep looking for others as bad.
        else:
            state = event[0] == "bad"
    return state


def possible(flow, tracker, states=None):
    """The offsets at which the plain dataflow finds an error; `states` gets (number of a node, state before it)."""
    errors, seen, work = [], set() if states is None else states, [(flow.entry, GOOD)]
    while work:
        node, state = work.pop()
        if node is None or (node.number, state) in seen:
            continue
        seen.add((node.number, state))
        state = after_events(tracker, node, state, errors)
        for target, truth in successors(node):
            said = tracker.edge(node, truth) if node.kind == "condition" else None
            after = {"good": GOOD, "bad": BAD}.get(said, state)
            work.append((target, after))
    return set(errors)


def witness(flow, tracker, budget=4000):
    """(offset of the error, number of conditions) of a path that cannot contradict itself."""
    # The members of a structure of the function's own hang together as its code set them: no
    # condition about another one is independent.
    own = tracker.target[0] if tracker.target[1:2] == (".",) else None
    queue, count, expanded = [(0, 0, flow.entry, GOOD, (), ())], 0, {}
    while queue and budget:
        budget -= 1
        length, _, node, state, tested, constants = heapq.heappop(queue)
        visits = expanded.get((node.number, state), 0)
        if visits >= 4:
            continue
        expanded[node.number, state] = visits + 1
        errors, before = [], state
        state = after_events(tracker, node, state, errors)
        if errors:
            return errors[0], length
        if node.kind in ("simple", "condition", "choose") and node.start < node.stop:
            changed = assignments(flow, node.start, node.stop)
            names = {name for name, _ in changed}
            if names:
                tested = tuple(t for t in tested if not any(base(k) in names for k in t[0]))
                kept = [c for c in constants if c[0] not in names]
                kept += [(n, v) for n, r in changed for v in [literal(flow, r)] if v is not None]
                constants = tuple(kept)
            for event in tracker.events(node):
                if event[0] == "bad" and event[1] and before is GOOD:
                    tested += ((event[1], "source", None),)
        for target, truth in successors(node):
            after, conditions = state, tested
            if node.kind == "condition":
                said = tracker.edge(node, truth)
                if state is BAD and said == "good" and null_test_of(tracker, node):
                    continue  # it is null: this branch is not taken
                after = {"good": GOOD, "bad": BAD}.get(said, state)
                if state is BAD and own and any(base(k) == own for k in keys(flow, node.start, node.stop)):
                    continue
                if not (state is BAD and said == "bad only"):
                    conditions = consistent(flow, node, truth, tested, dict(constants))
                    if conditions is None:
                        continue
            if target is None:
                continue
            count += 1
            more = 1 if node.kind in ("condition", "choose") else 0
            heapq.heappush(queue, (length + more, count, target, after, conditions, constants))
    return None


def null_test_of(tracker, node):
    test = null_test(tracker.flow, node.start, node.stop)
    return isinstance(tracker, Pointer) and test is not None and test[0] == tracker.target


def literal(flow, right):
    if right is None or right[0] >= right[1]:
        return None
    start, stop = strip_cast(flow, *right)
    words = texts(flow, start, stop)
    if words in (["NULL"], ["FALSE"], ["false"]):
        return 0
    if words in (["TRUE"], ["true"]):
        return 1
    if words[:1] == ["-"] and len(words) == 2 and words[1].isdigit():
        return -int(words[1])
    return int(words[0]) if len(words) == 1 and words[0].isdigit() else None


COMPARE = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


def consistent(flow, node, truth, tested, constants):
    """The conditions with this one added, or None if it may contradict what the path says."""
    start, stop = strip(flow, node.start, node.stop)
    mentioned = keys(flow, start, stop)
    words = "".join(texts(flow, start, stop))
    known = [key for key in mentioned if key in constants]
    if known:
        outcome = evaluate(flow, start, stop, constants)
        if outcome is not None:
            return tested if outcome == truth else None
        if len(known) == len(mentioned) and not has_call(flow, start, stop):
            # Against a constant whose value is not in sight: a loop's first test, in general.
            if not re.search(r"<|>", words):
                return None
    for others, text, outcome in tested:
        if mentioned & others and not (text == words and outcome == truth):
            return None
    return tested + ((mentioned, words, truth),) if mentioned else tested


def evaluate(flow, start, stop, constants):
    words = texts(flow, start, stop)
    if len(words) == 1 and words[0] in constants:
        return constants[words[0]] != 0
    if len(words) == 2 and words[0] == "!" and words[1] in constants:
        return constants[words[1]] == 0
    if len(words) == 3 and words[0] in constants and words[1] in COMPARE:
        other = 0 if words[2] == "NULL" else int(words[2]) if words[2].isdigit() else constants.get(words[2])
        return None if other is None else COMPARE[words[1]](constants[words[0]], other)
    return None
