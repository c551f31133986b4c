"""The mutants of heap, resources and bounds: where each can be made in a function, and the trackers that say whether it can matter.

    free doubled            p is freed again, at once or before a later return: nothing is assigned to p in between
    free dropped            the release of a local that holds fresh memory, on a way on which nobody else takes it
    close removed           the same of a stream, a descriptor, a directory, a socket
    size off by one         `malloc(n + 1)` less the 1 where the last byte is used; a copy of `sizeof(a) + 1`; the element behind the last
    length check removed    the limit of a loop or of an index that counts up, or of a length from outside, before the array is accessed

That a release or an allocation is one is read off the program's text (owners.py).
"""

import re

from owned import Freed, Owned, Reached, Sized
from owners import CLOSE, FREE
from paths import Index, successors
from read import assignments, call_name, chain, is_name, strip, strip_cast, texts
from rules import arrays_at, bound_test, check_removed

MEMORY_LEAK, RESOURCE_LEAK, BOUNDS = "memory-leak", "resource-leak", "out-of-bounds"
KINDS = ("free doubled", "free dropped", "close removed", "size off by one", "length check removed")
# What is freed twice by a function that looks at it first is used after it was freed: that fits as well.
FREED_TWICE = ("double-free", "use-after-free")
# Who fills a buffer: (position of the buffer, of the size), where the buffer then is full: always, or for some input.
FILLS = {
    "memset": (0, 2), "memcpy": (0, 2), "memmove": (0, 2), "strncpy": (0, 2),
    "fgets": (0, 1), "read": (1, 2), "recv": (1, 2), "getcwd": (0, 1), "gethostname": (0, 1), "readlink": (1, 2),
}  # fmt: skip


def owners(context):
    return context.unit.owners


# -- candidates -------------------------------------------------------------------------------


def released_here(context, what):
    """(start, stop, target, release) of every statement that releases a variable."""
    for start, stop in context.flow.statements:
        found = owners(context).release(context.flow, start, stop)
        if found and found[2].what == what:
            yield start, stop, found[1], found[2]


def freed_at_once(context):
    for start, stop, target, release in released_here(context, FREE):
        words = context.unit.text[context.at(start) : context.end(stop)]
        mutant = context.mutant(KINDS[0], "at once", start, stop, f"{words}; {words}", FREED_TWICE, target)
        mutant.again, mutant.relies = context.at(start) + len(words) + 2, [release]
        yield mutant


def freed_before_return(context):
    flow = context.flow
    for start, stop, target, release in released_here(context, FREE):
        words = context.unit.text[context.at(start) : context.end(stop)]
        for first, last in flow.statements if context.plain(target) else []:
            if first <= stop + 1 or flow.text(first) != "return" or target[0] in texts(flow, first, last):
                continue
            rest = context.unit.text[context.at(first) : context.end(last)]
            mutant = context.mutant(KINDS[0], "before a return", first, last, f"{{ {words}; {rest}; }}", FREED_TWICE, target)
            mutant.again, mutant.relies = context.at(first) + 2, [release]
            yield mutant


def dropped(what, kind, rule):
    def candidates(context):
        flow = context.flow
        if context.function.name == "main" and what == CLOSE:
            return  # what main has open when it returns is no error
        for start, stop, target, release in released_here(context, what):
            if len(target) != 1 or not context.is_local(target[0]):
                continue
            mutant = context.mutant(kind, call_name(flow, start, stop), start, stop, "", rule, target)
            sources = [owners(context).sources.get(call_name(flow, *r)) for s, e in flow.statements + conditions(flow)
                       for n, r in assignments(flow, s, e) if n == target[0] and r]  # fmt: skip
            mutant.relies = [release, *(s for s in sources if s)]
            yield mutant

    return candidates


def conditions(flow):
    return [(node.start, node.stop) for node in flow.atoms()]


def allocation_short(context):
    flow = context.flow
    for start, stop in flow.statements + conditions(flow):
        for index in range(start, stop - 3):
            source = owners(context).sources.get(flow.text(index))
            if not source or source.what != FREE or source.size is None or flow.text(index + 1) != "(":
                continue
            target = assigned_before(flow, start, index)
            arguments = flow.split(index + 2, flow.tokens[index + 1].match, ",")
            if target is None or source.size >= len(arguments):
                continue
            size = arguments[source.size]
            factors = flow.split(*strip(flow, *size), "*")
            element = None
            if len(factors) == 2 and flow.text(factors[1][0]) == "sizeof":
                size, element = factors[0], "".join(texts(flow, *factors[1]))
            terms = flow.split(*strip(flow, *size), "+")
            if len(terms) < 2 or texts(flow, *terms[-1]) != ["1"] or flow.text(terms[0][0]) == "sizeof":
                continue
            mutant = context.mutant(KINDS[3], "allocation", terms[-1][0] - 1, terms[-1][1], "", BOUNDS, target)
            mutant.short, mutant.element, mutant.relies = context.at(index), element or "1", [source]
            mutant.terms = [texts(flow, *strip_cast(flow, *t)) for t in terms[:-1]]
            mutant.others = {w for t in mutant.terms for w in t if is_name(w)}
            yield mutant


def assigned_before(flow, start, index):
    """The `x` of `x = (cast) CALL`, where the call stands at the index."""
    while index > start and flow.text(index - 1) == ")":
        index = flow.tokens[index - 1].match
    if index - 1 <= start or flow.text(index - 1) != "=":
        return None
    first = index - 2
    while first > start and flow.text(first - 1) in ("->", "."):
        first -= 2
    return chain(flow, first, index - 1)


def touches(flow, mutant):
    """Where the byte that is missing is needed: `p[n] = …`, `strcpy(p, s)`, `memcpy(p, s, n + 1)`."""
    found = set()
    target, terms = list(mutant.subject), mutant.terms
    whole = [w for n, t in enumerate(terms) for w in (["+"] if n else []) + t]
    lengths = [t[2:-1] for t in terms if t[:2] in (["strlen", "("], ["xmlStrlen", "("])]
    for start, stop in flow.statements:
        for index in range(start, stop):
            if texts(flow, index, index + len(target)) != target or flow.text(index - 1) in ("->", "."):
                continue
            end = index + len(target)
            if flow.text(end) == "[" and texts(flow, end + 1, flow.tokens[end].match) == whole and flow.text(flow.tokens[end].match + 1) == "=":
                found.add(flow.tokens[index].at)
        call = next((i for i in range(start, stop - 1) if flow.text(i) in ("strcpy", "strcat", "memcpy", "memmove") and flow.text(i + 1) == "("), None)
        if call is None:
            continue
        arguments = flow.split(call + 2, flow.tokens[call + 1].match, ",")
        if texts(flow, *strip_cast(flow, *arguments[0])) != target or len(arguments) < 2:
            continue
        copied = texts(flow, *strip_cast(flow, *arguments[1]))
        only = len(lengths) == len(terms) == 1
        if flow.text(call) == "strcpy" and only and copied == lengths[0] or flow.text(call) == "strcat" and len(lengths) == len(terms) == 2 and copied == lengths[1]:
            found.add(flow.tokens[call].at)
        if flow.text(call)[:3] == "mem" and texts(flow, *strip(flow, *arguments[2])) == [*whole, "+", "1"]:
            found.add(flow.tokens[call].at)
    return found


def fill_long(context):
    """`memset(a, 0, sizeof(a))`, `fgets(a, sizeof(a), f)`: one more than there is."""
    flow = context.flow
    for start, stop in flow.statements + conditions(flow):
        for index in range(start, stop - 3):
            fills = FILLS.get(flow.text(index))
            if fills is None or flow.text(index + 1) != "(":
                continue
            arguments = flow.split(index + 2, flow.tokens[index + 1].match, ",")
            if max(fills) >= len(arguments):
                continue
            array, size = (strip_cast(flow, *arguments[i]) for i in fills)
            name = texts(flow, *array)
            taken = name[:1] == ["&"]
            name = name[1:] if taken else name
            if len(name) != 1 or not is_name(name[0]) or name[0] in context.parameters:
                continue
            if [w for w in texts(flow, *size) if w not in "()"] != ["sizeof", *name]:
                continue
            end = size[1]
            mutant = context.mutant(KINDS[3], flow.text(index), end - 1, end, flow.text(end - 1) + " + 1", BOUNDS, tuple(name))
            mutant.error, mutant.is_array = context.at(index), not taken
            yield mutant


def last_element(context):
    """`a[N - 1] = …`: the element behind it."""
    flow = context.flow
    for start, stop in flow.statements:
        index = start + 1
        if not is_name(flow.text(start)) or stop - start < 5 or flow.text(index) != "[":
            continue
        close = flow.tokens[index].match
        terms = flow.split(index + 1, close, "-")
        if flow.text(close + 1) != "=" or len(terms) != 2 or texts(flow, *terms[1]) != ["1"] or flow.text(start) in context.parameters:
            continue
        mutant = context.mutant(KINDS[3], "last element", terms[1][0] - 1, terms[1][1], "", BOUNDS, (flow.text(start),))
        mutant.error, mutant.is_array, mutant.bound = context.at(start), True, texts(flow, *terms[0])
        yield mutant


def index_guards(context):
    for mutant in check_removed(context):
        if mutant.expected == BOUNDS:
            mutant.kind, mutant.form = KINDS[4], "index, " + mutant.form
            yield mutant


def growth(context):
    """`if (n >= room) { room *= 2; a = realloc(a, room); }`: the array no longer grows with the index."""
    flow = context.flow
    for statement in flow.ifs:
        start, stop = strip(flow, *statement.condition)
        bound = re.search(r">=?|==|<", " ".join(texts(flow, start, stop)))
        if statement.otherwise or not bound or len(flow.split(start, stop, "&&")) > 1:
            continue
        for index in range(statement.body, statement.body_stop - 1):
            if not re.search(r"realloc|grow", flow.text(index), re.I) or flow.text(index + 1) != "(":
                continue
            inside = flow.split(index + 2, flow.tokens[index + 1].match, ",")
            arrays = [a for a in (chain(flow, *strip_cast(flow, *part)) for part in inside) if a]
            for name in sorted(set(texts(flow, start, stop))):
                if context.is_local(name) and arrays:
                    mutant = context.mutant(KINDS[4], "growth", statement.start, statement.stop, ";", BOUNDS, (name,))
                    mutant.arrays = [list(a) for a in arrays]
                    yield mutant
            break


def loop_limits(context):
    """One of several conditions of a loop, that limits an index."""
    flow = context.flow
    loops = [parts[1] for parts, _, _ in flow.loops]
    for index in range(len(flow.tokens) - 1):
        if flow.text(index) == "while" and flow.text(index + 1) == "(":
            loops.append((index + 2, flow.tokens[index + 1].match))
    for start, stop in loops:
        parts = flow.split(start, stop, "&&")
        for number, (first, last) in enumerate(parts if len(parts) > 1 else []):
            bound = bound_test(flow, first, last)
            if not bound or bound[1] not in ("<", "<=") or not context.is_local(bound[0]):
                continue
            lost = (first, parts[1][0]) if number == 0 else (parts[number - 1][1], last)
            mutant = context.mutant(KINDS[4], "loop", *lost, "", BOUNDS, (bound[0],))
            mutant.test = bound
            yield mutant


# Where a kind has several forms, they take turns.
CANDIDATES = {
    KINDS[0]: (freed_before_return, freed_at_once),
    KINDS[1]: (dropped(FREE, KINDS[1], MEMORY_LEAK),),
    KINDS[2]: (dropped(CLOSE, KINDS[2], RESOURCE_LEAK),),
    KINDS[3]: (allocation_short, last_element, fill_long),
    KINDS[4]: (growth, loop_limits, index_guards),
}


# -- acceptance -------------------------------------------------------------------------------


def trackers(context, mutant, flow):
    """(tracker of the original, tracker of the mutant, question for clang) in turn, as in rules.py."""
    subject = mutant.subject
    if mutant.kind == KINDS[0]:
        yield None, Freed(flow, subject, context.plain(subject), owners(context), mutant.again), None
    elif mutant.kind in KINDS[1:3]:
        what = FREE if mutant.kind == KINDS[1] else CLOSE
        before = Owned(context.flow, subject, owners(context), context.unit, what)
        yield before, Owned(flow, subject, owners(context), context.unit, what, (before, mutant.start, mutant.moved)), None
    elif mutant.kind == KINDS[3] and mutant.form == "allocation":
        plain = context.plain(subject)
        yield None, Sized(flow, subject, plain, mutant.short, touches(flow, mutant), mutant.others), f"sizeof(*({''.join(subject)})) == {mutant.element}"
    elif mutant.kind == KINDS[3]:
        name = subject[0]
        size = f"sizeof({name})/sizeof(({name})[0]) == ({' '.join(mutant.bound)})" if mutant.form == "last element" else "1"
        array = f"!__builtin_types_compatible_p(__typeof__({name}), __typeof__(&({name})[0]))" if mutant.is_array else "1"
        yield None, Reached(flow, mutant.error), f"{size} && {array}"
    else:
        yield from index_trackers(context, mutant, flow)


def index_trackers(context, mutant, flow):
    subject = mutant.subject
    if mutant.form == "growth":
        for array in mutant.arrays:
            yield Index(context.flow, subject, array), Again(flow, subject, array), None
        return
    _, operator, _, bound = mutant.test
    bound, more = texts(context.flow, *bound), 1 if operator in (">", "<=") else 0
    for array in arrays_at(flow, subject[0]):
        # Room for what ends it may be left: `i < sizeof(a) - 1`.
        for room in range(3):
            yield Index(context.flow, subject, array), Index(flow, subject, array), (array, bound, more + room)


class Again(Index):
    """The access is one that is come to again and again, as the index counts up."""

    def mention(self, node, first, last, before, after, star, declares, found):
        super().mention(node, first, last, before, after, star, declares, found)
        if not comes_again(node):
            found[:] = [event for event in found if event[1] != "error"]


def comes_again(node):
    work, seen = [target for target, _ in successors(node)], set()
    while work:
        other = work.pop()
        if other is node:
            return True
        if other is not None and other.number not in seen:
            seen.add(other.number)
            work += [target for target, _ in successors(other)]
    return False
