"""The four kinds of mutants: where each can be made in a function, and the test that it can matter.

A rule yields *candidates* (edits of the text) in a fixed order; `accept` then demands a
witness path (paths.py) that the unmutated function does not have, and asks clang about what the text
does not tell (that an array has the size of the bound, that a variable is really used without a value).
No rule knows what rigel can find.
"""

import re

from flow import NO_RETURN, Flow, Unreadable
from paths import Divisor, Index, Pointer, Uninitialized, array_start, possible, witness
from read import has_call, is_name, is_unary, keys, locals_of, null_test, strip, texts

# Library functions that return NULL when they fail or find nothing.
LIBRARY = set(
    "malloc calloc realloc reallocarray strdup strndup aligned_alloc fopen fdopen freopen popen tmpfile"
    " opendir readdir fgets getenv strchr strrchr strstr strpbrk strtok memchr index rindex bsearch"
    " getpwnam getpwuid getgrnam getgrgid gethostbyname gethostbyaddr getservbyname getcwd realpath"
    " dlopen dlsym localtime gmtime setlocale ttyname ctime lfind tsearch".split()
)
KINDS = ("check removed", "initialisation dropped", "bound off by one", "null test inverted")


class Mutant:
    """One edit of one function: text[start:stop] becomes `new`."""

    def __init__(self, kind, form, unit, function, start, stop, new, expected, subject):
        self.kind, self.form, self.unit, self.function = kind, form, unit, function
        self.start, self.stop, self.new = start, stop, new
        self.fitting = (expected,) if isinstance(expected, str) else expected  # one of these rules must fire
        self.expected, self.subject = self.fitting[0], subject
        self.relies = []  # the functions of the program whose effect makes it an error
        self.witness = None
        self.error_line = None

    @property
    def beside(self):
        """The other units in which those functions are."""
        return sorted({u for r in self.relies for u in r.units if u is not self.unit}, key=lambda u: (u.program, u.name))

    @property
    def delta(self):
        return len(self.new) - (self.stop - self.start)

    @property
    def line(self):
        return self.unit.line(self.start)

    def moved(self, at):
        """Where an offset of the original text is in the mutated one."""
        return at if at <= self.start else at + self.delta

    def back(self, at):
        return at if at <= self.start else max(self.start, at - self.delta)

    def edit(self, text):
        return text[: self.start] + self.new + text[self.stop :]

    @property
    def text(self):
        return self.edit(self.unit.text)

    def flow(self):
        active = self.edit(self.unit.active)
        return Flow(active, self.function.start, self.function.stop + self.delta)


def keep_lines(new, old):
    """The replacement, followed by the line ends of what it replaces."""
    return new + "\n" * (old.count("\n") - new.count("\n"))


def parameter_names(function):
    words = function.parameters
    return {
        words[i] for i in range(len(words) - 1)
        if is_name(words[i]) and words[i + 1] in (",", ")", "[", ";")
    }  # fmt: skip


class Context:
    """A function to draw from: its flow, its variables, and what its unit says about others."""

    def __init__(self, unit, function):
        self.unit, self.function = unit, function
        self.flow = Flow(unit.active, function.start, function.stop)
        self.locals = locals_of(self.flow)
        self.parameters = parameter_names(function)

    def plain(self, target):
        name = target[0]
        return len(target) == 1 and (name in self.parameters or self.is_local(name))

    def is_local(self, name):
        return name in self.locals and "static" not in self.locals[name].words

    def at(self, index):
        return self.flow.tokens[index].at

    def end(self, index):
        return self.flow.tokens[index - 1].end

    def mutant(self, kind, form, start, stop, new, expected, subject):
        """An edit of tokens[start:stop]."""
        first, last = self.at(start), self.end(stop)
        old = self.unit.text[first:last]
        return Mutant(kind, form, self.unit, self.function, first, last, keep_lines(new, old), expected, subject)


def null_sources(unit):
    """Functions that may return null: library ones, and those of the unit with a `return NULL` that is
    not only the answer to a bad argument."""
    if hasattr(unit, "_sources"):
        return unit._sources
    found = set(LIBRARY)
    for function in unit.functions:
        body = unit.active[function.start : function.stop]
        if not re.search(r"return\s*\(?\s*(NULL|0|Z_NULL|\(\s*\w+\s*\*?\s*\)\s*(0|NULL))\s*\)?\s*;", body):
            continue
        try:
            flow = Flow(unit.active, function.start, function.stop)
        except Unreadable:
            continue
        parameters = parameter_names(function)
        before = {}
        for node in flow.nodes:
            targets = node.next if isinstance(node.next, list) else [node.next, node.false]
            for target in targets:
                if target is not None:
                    before.setdefault(target.number, []).append(node)
        for node in flow.nodes:
            words = texts(flow, node.start, node.stop) if node.kind == "simple" else []
            if words[:1] != ["return"] or [w for w in words[1:] if w not in ("(", ")", "*")][-1:] not in (["NULL"], ["0"], ["Z_NULL"]):
                continue
            if len(words) > 7:
                continue
            if acknowledged_return(flow, node, before, parameters):
                found.add(function.name)
                break
    unit._sources = found
    return found


def acknowledged_return(flow, node, before, parameters):
    work, seen = [node], set()
    while work:
        node = work.pop()
        for previous in before.get(node.number, []):
            if previous.number in seen:
                continue
            seen.add(previous.number)
            if previous.kind == "condition":
                others = {k for k in keys(flow, previous.start, previous.stop)} - parameters
                if others or has_call(flow, previous.start, previous.stop):
                    return True
            elif previous.kind == "choose":
                return True
            else:
                work.append(previous)
    return False


# -- candidates -------------------------------------------------------------------------------


def leaves(context, statement):
    """Does the body of this `if` never fall through?"""
    flow = context.flow
    stop = statement.body_stop
    while stop > statement.body and flow.text(stop - 1) in ("}", ";"):
        stop -= 1
    start = stop
    while start > statement.body and flow.text(start - 1) not in (";", "{", "}"):
        if flow.text(start - 1) == ")":
            start = flow.tokens[start - 1].match
        else:
            start -= 1
    words = texts(flow, start, stop)
    if words[:1] and words[0] == "if":
        return False
    return bool(words) and (words[0] in ("return", "goto", "break", "continue") or bool(NO_RETURN.match(words[0])))


def check_removed(context):
    flow = context.flow
    for statement in flow.ifs:
        start, stop = strip(flow, *statement.condition)
        for form, first, last, lost_first, lost_last in guards(context, statement, start, stop):
            whole = form in ("guard", "unguarded")
            for expected, subject in subjects(context, first, last, form in ("guard", "disjunct")):
                test = null_test(flow, first, last)
                inner = test[2] if test and expected != "out-of-bounds" else None
                if form == "guard":
                    new = ";"
                    if inner:
                        new = subject[0] + " = " + context.unit.text[context.at(inner[0]) : context.end(inner[1])] + ";"
                    edit = (statement.start, statement.stop, new)
                elif inner is None:
                    edit = (statement.start, statement.body, "") if whole else (lost_first, lost_last, "")
                else:
                    continue
                mutant = context.mutant(KINDS[0], form, *edit, expected, subject)
                mutant.test = bound_test(flow, first, last)
                yield mutant


def guards(context, statement, start, stop):
    """(form, the atom, what goes when the atom goes) for each test in the condition of an `if`."""
    flow = context.flow
    disjuncts, conjuncts = flow.split(start, stop, "||"), flow.split(start, stop, "&&")
    if len(disjuncts) == 1 and len(conjuncts) == 1:
        if not statement.otherwise and leaves(context, statement):
            yield "guard", start, stop, None, None
        if not statement.otherwise:
            yield "unguarded", start, stop, None, None
        return
    parts, form = (disjuncts, "disjunct") if len(disjuncts) > 1 else (conjuncts, "conjunct")
    if form == "disjunct" and not leaves(context, statement):
        return
    for number, (first, last) in enumerate(parts):
        if number == 0:
            yield form, first, last, first, parts[1][0]
        else:
            yield form, first, last, parts[number - 1][1], last


def subjects(context, first, last, leaving):
    """What the test protects: (rule, subject tokens) if it is of the shape that a guard has."""
    flow = context.flow
    test = null_test(flow, first, last)
    if test and test[1] == leaving and context.plain(test[0]):
        yield "null-dereference", test[0]
        yield "division-by-zero", test[0]
    bound = bound_test(flow, first, last)
    if bound and (bound[1] in (">=", ">")) == leaving and context.is_local(bound[0]):
        yield "out-of-bounds", (bound[0],)


def bound_test(flow, start, stop):
    """`i < B`: (i, operator, index of the operator, B's tokens)."""
    start, stop = strip(flow, start, stop)
    if stop - start < 3 or not is_name(flow.text(start)) or flow.text(start + 1) not in ("<", ">=", ">", "<="):
        return None
    return flow.text(start), flow.text(start + 1), start + 1, (start + 2, stop)


def initialisation_dropped(context):
    flow = context.flow
    for local in context.locals.values():
        if not local.scalar or uses_members(flow, local.name):
            continue
        subject = (local.name,)
        declared = any(local.at == s or s <= local.at < e for s, e in flow.statements)
        if local.initial:
            if declared:
                yield context.mutant(
                    KINDS[1], "initializer", local.initial[0] - 1, local.initial[1], "", "uninitialized-use", subject
                )
            continue
        for start, stop in flow.statements:
            if assigns(flow, start, stop, local.name):
                yield context.mutant(KINDS[1], "assignment", start, stop, "", "uninitialized-use", subject)
        for parts, _, _ in flow.loops:
            start, stop = parts[0]
            if start < stop and assigns(flow, start, stop, local.name):
                yield context.mutant(KINDS[1], "loop start", start, stop, "", "uninitialized-use", subject)


def assigns(flow, start, stop, name):
    """Is it `name = …` and nothing else?"""
    return (
        stop - start >= 3 and flow.text(start) == name and flow.text(start + 1) == "="
        and len(flow.split(start + 2, stop, ",")) == 1 and len(flow.split(start + 2, stop, "=")) == 1
    )  # fmt: skip


def uses_members(flow, name):
    return any(
        flow.text(i) == name and flow.text(i + 1) == "." and flow.text(i - 1) not in ("->", ".")
        for i in range(1, len(flow.tokens) - 1)
    )


def bound_off_by_one(context):
    flow = context.flow
    for node in flow.atoms():
        bound = bound_test(flow, node.start, node.stop)
        if bound is None or bound[1] not in ("<", ">=") or not context.is_local(bound[0]):
            continue
        if not any(flow.text(i) == "[" and flow.text(i + 1) == bound[0] for i in range(len(flow.tokens) - 1)):
            continue
        new = "<=" if bound[1] == "<" else ">"
        mutant = context.mutant(KINDS[2], bound[1] + " to " + new, bound[2], bound[2] + 1, new, "out-of-bounds", (bound[0],))
        mutant.atom, mutant.bound, mutant.inside = node, bound[3], bound[1] == "<"
        yield mutant


def null_test_inverted(context):
    flow = context.flow
    conditions = [statement.condition for statement in flow.ifs]
    for node in flow.atoms():
        if not any(first <= node.start < last for first, last in conditions):
            continue
        start, stop = node.start, node.stop
        test = null_test(flow, start, stop)
        if test is None:
            continue
        operator = next((i for o in ("==", "!=") for i in [len_split(flow, start, stop, o)] if i), None)
        if operator:
            new = "!=" if flow.text(operator) == "==" else "=="
            edit = (operator, operator + 1, new)
        elif flow.text(start) == "!":
            edit = (start, start + 1, "")
        elif flow.text(start - 1) == "(" and flow.text(start - 2) == "!":
            edit = (start - 2, start - 1, "")
        elif test[2]:
            continue
        else:
            edit = (start, start + 1, "!" + flow.text(start))
        mutant = context.mutant(KINDS[3], "inverted", *edit, "null-dereference", test[0])
        mutant.atom = node
        yield mutant


def len_split(flow, start, stop, operator):
    parts = flow.split(start, stop, operator)
    return parts[0][1] if len(parts) == 2 else None


CANDIDATES = {
    KINDS[0]: check_removed,
    KINDS[1]: initialisation_dropped,
    KINDS[2]: bound_off_by_one,
    KINDS[3]: null_test_inverted,
}


# -- acceptance -------------------------------------------------------------------------------


def accept(context, mutant, ways=None):
    """Whether the mutant can fail and its original cannot, there; and that it compiles. `ways`: the trackers of its kind."""
    try:
        flow = mutant.flow()
    except Unreadable:
        return False
    for before, after, query in (ways or trackers)(context, mutant, flow):
        # What happens on every way needs no witness, and cannot happen without the mutation.
        always = after.always()
        found = always or witness(flow, after)
        if found is None:
            continue
        at = mutant.back(found[0])
        if before is not None and not always and at in possible(context.flow, before):
            continue
        if isinstance(query, str) and not holds(context, at, query):
            continue
        if isinstance(query, tuple) and not array_has_size(context, mutant, at, *query):
            continue
        mutant.witness, mutant.error_line = found[1], context.unit.line(at)
        if not context.unit.compiles(mutant.text):
            return False
        # Not where a macro drops what it is given: nonsense put there must not compile.
        if context.unit.compiles(mutant.text[: found[0]] + " rigel_nonsense_ " + mutant.text[found[0] :]):
            return False
        if mutant.kind == KINDS[1] and not clang_agrees(context, mutant):
            return False
        return True
    return False


def trackers(context, mutant, flow):
    """(tracker of the original, tracker of the mutant, question for clang) in turn."""
    unit, subject = context.unit, mutant.subject
    if mutant.kind == KINDS[0]:
        if mutant.expected == "null-dereference":
            sources = null_sources(unit)
            yield Pointer(context.flow, subject, True, sources), Pointer(flow, subject, True, sources), None
        elif mutant.expected == "division-by-zero":
            local = context.locals.get(subject[0])
            if local and not {"float", "double"} & set(local.words):
                yield Divisor(context.flow, subject, True), Divisor(flow, subject, True), None
        else:
            _, operator, _, bound = mutant.test
            bound, more = texts(context.flow, *bound), 1 if operator in (">", "<=") else 0
            for array in arrays_at(flow, subject[0]):
                yield Index(context.flow, subject, array), Index(flow, subject, array), (array, bound, more)
    elif mutant.kind == KINDS[1]:
        yield Uninitialized(context.flow, subject, True), Uninitialized(flow, subject, True), None
    elif mutant.kind == KINDS[2]:
        acknowledged = mutant.moved(context.at(mutant.atom.start))
        bound = texts(context.flow, *mutant.bound)
        for array in arrays_at(flow, subject[0]):
            # Inside, the index is at most the bound; behind the loop it is one more.
            yield None, Index(flow, subject, array, acknowledged, mutant.inside), (array, bound, 0)
            yield None, Index(flow, subject, array, acknowledged, not mutant.inside), (array, bound, 1)
    else:
        plain = context.plain(subject)
        original = context.at(mutant.atom.start)
        moved = mutant.moved(original)
        start = next((n for n in flow.atoms() if abs(flow.tokens[n.start].at - moved) <= 1), None)
        if start is not None:
            acknowledged = flow.tokens[start.start].at
            before = Pointer(context.flow, subject, plain, (), original)
            yield before, Pointer(flow, subject, plain, (), acknowledged), None


def arrays_at(flow, index):
    """The arrays that the function accesses at this index, as token texts."""
    found = []
    for i in range(1, len(flow.tokens) - 2):
        if flow.text(i) == "[" and flow.text(i + 1) == index and flow.text(i + 2) in ("]", "++", "--"):
            words = texts(flow, array_start(flow, 0, i), i)
            if words and words not in found:
                found.append(words)
    return found


def array_has_size(context, mutant, at, array, bound, more):
    """Asks clang, in the original text at the access, whether the array's size is the bound."""
    name, size = " ".join(array), f"sizeof({' '.join(array)})/sizeof(({' '.join(array)})[0])"
    wanted = f"{size} == ({' '.join(bound)}) + {more}"
    is_array = f"!__builtin_types_compatible_p(__typeof__({name}), __typeof__(&({name})[0]))"
    question = f"0*sizeof(struct {{ int q : (({wanted}) && {is_array}) ? 1 : -1; }}) + "
    text = context.unit.text
    return context.unit.compiles(text[:at] + question + text[at:])


def holds(context, at, wanted):
    """Asks clang, in the original text before the expression there, whether something is true."""
    question = f"sizeof(struct {{ int q : ({wanted}) ? 1 : -1; }}), "
    text = context.unit.text
    return context.unit.compiles(text[:at] + question + text[at:])


def clang_agrees(context, mutant):
    """clang's own dataflow must see the use without a value too, unless the address is taken (then
    it does not look)."""
    name = mutant.subject[0]
    flow = context.flow
    for i in range(1, len(flow.tokens)):
        if flow.text(i) == name and flow.text(i - 1) == "&" and is_unary(flow, 1, i - 1):
            if flow.text(i + 1) not in ("->", "["):
                return True
    options = ("-fsyntax-only", "-Wno-everything", "-Wuninitialized", "-Wsometimes-uninitialized", "-Wconditional-uninitialized")
    wanted = f"variable '{name}' "

    def count(text):
        return context.unit.clang(text, *options)[2].count(wanted)

    return count(mutant.text) > count(context.unit.text)
