"""What the tokens of a statement or condition say about one variable: where it is assigned, tested,
followed, indexed or used. All questions are answered from the text, macros unexpanded."""

import re

KEYWORDS = set(
    "auto break case char const continue default do double else enum extern float for goto if inline"
    " int long register restrict return short signed sizeof static struct switch typedef union"
    " unsigned void volatile while NULL Z_NULL".split()
)
TYPE_WORDS = set(
    "char const double enum extern float int long register short signed static struct union unsigned"
    " void volatile".split()
)
NULLS = {("NULL",), ("0",), ("Z_NULL",), ("0L",)}
IDENT = re.compile(r"[A-Za-z_]\w*$")


def is_name(text):
    return bool(IDENT.match(text)) and text not in KEYWORDS


def is_constant_name(text):
    return bool(re.match(r"[A-Z_][A-Z0-9_]*$", text))


def texts(flow, start, stop):
    return [token.text for token in flow.tokens[start:stop]]


def strip(flow, start, stop):
    """Without brackets around the whole."""
    while start < stop and flow.text(start) == "(" and flow.tokens[start].match == stop - 1:
        start, stop = start + 1, stop - 1
    return start, stop


def strip_cast(flow, start, stop):
    """Without brackets around the whole and casts before it."""
    while True:
        start, stop = strip(flow, start, stop)
        if start >= stop or flow.text(start) != "(":
            return start, stop
        close = flow.tokens[start].match
        inner = texts(flow, start + 1, close)
        if close + 1 >= stop or not all(IDENT.match(t) or t == "*" for t in inner):
            return start, stop
        if not (IDENT.match(flow.text(close + 1)) or flow.text(close + 1) in ("(", "0")):
            return start, stop
        start = close + 1


def is_null(flow, start, stop):
    start, stop = strip_cast(flow, start, stop)
    return tuple(texts(flow, start, stop)) in NULLS


def chain(flow, start, stop):
    """tokens[start:stop] if they are `a`, `a->b.c`, …; else None."""
    words = texts(flow, start, stop)
    if len(words) % 2 == 0 or not words or not is_name(words[0]) or is_constant_name(words[0]):
        return None
    for index, word in enumerate(words):
        if (index % 2 == 0 and not IDENT.match(word)) or (index % 2 == 1 and word not in ("->", ".")):
            return None
    return tuple(words)


def keys(flow, start, stop):
    """The variables and members that tokens[start:stop] mention, as written."""
    found, index = set(), start
    while index < stop:
        word = flow.text(index)
        if is_name(word) and not is_constant_name(word) and flow.text(index - 1) not in ("->", "."):
            if index + 1 < stop and flow.text(index + 1) == "(":
                index += 1
                continue
            end = index + 1
            while end + 1 < stop and flow.text(end) in ("->", ".") and IDENT.match(flow.text(end + 1)):
                end += 2
            found.add("".join(texts(flow, index, end)))
            index = end
        else:
            index += 1
    return frozenset(found)


def base(key):
    return re.match(r"\w+", key).group()


def is_declaration(flow, start, stop):
    words = texts(flow, start, min(stop, start + 8))
    if not words or not IDENT.match(words[0]):
        return False
    if words[0] in TYPE_WORDS:
        return True
    if words[0] in KEYWORDS:
        return False
    index = 1
    while index < len(words) and words[index] in ("const", "*"):
        index += 1
    if index >= len(words) or not is_name(words[index]):
        return False
    return index + 1 >= len(words) or words[index + 1] in ("=", ",", "[", ";") or is_name(words[index + 1])


def is_unary(flow, start, index):
    """Is the `*` or `&` at index a prefix operator? (`start` is where its statement begins)"""
    if index == start:
        return True
    before = flow.text(index - 1)
    if before in (")", "]") or (IDENT.match(before) and before not in ("return", "case", "else", "do")):
        return False
    return not re.match(r"[\w'\"]", before) or before in ("return", "case", "else", "do")


def in_sizeof(flow, start, index):
    """Is the token inside sizeof(…), or behind a plain sizeof?"""
    if index > start and flow.text(index - 1) == "sizeof":
        return True
    depth = index
    while depth > start:
        depth -= 1
        token = flow.tokens[depth]
        if token.text in (")", "]") and token.match < depth:
            depth = token.match
        elif token.text == "(" and depth > start and flow.text(depth - 1) in ("sizeof", "offsetof", "typeof", "__typeof__"):
            return True
    return False


def in_macro(flow, start, index):
    """The name of the innermost upper-case call around the token, or None."""
    depth = index
    while depth > start:
        depth -= 1
        token = flow.tokens[depth]
        if token.text in (")", "]") and token.match < depth:
            depth = token.match
        elif token.text == "(" and depth > start and is_constant_name(flow.text(depth - 1)):
            return flow.text(depth - 1)
    return None


def expression_end(flow, index, stop):
    """Where the assignment expression that begins at index ends."""
    while index < stop:
        token = flow.tokens[index]
        if token.text in (",", ";", ")", "]", "}"):
            return index
        index = token.match + 1 if token.match is not None else index + 1
    return index


def call_name(flow, start, stop):
    """`f` if tokens[start:stop] are a call of f and nothing else (casts and brackets around it)."""
    start, stop = strip_cast(flow, start, stop)
    if stop - start < 3 or not is_name(flow.text(start)) or flow.text(start + 1) != "(":
        return None
    return flow.text(start) if flow.tokens[start + 1].match == stop - 1 else None


def assignments(flow, start, stop):
    """(name, right side or None) of every plain variable that tokens[start:stop] change."""
    found = []
    declares = is_declaration(flow, start, stop)
    for index in range(start, stop):
        word = flow.text(index)
        if not is_name(word) or (index > start and flow.text(index - 1) in ("->", ".")):
            continue
        after = flow.text(index + 1) if index + 1 < stop else ""
        before = flow.text(index - 1) if index > start else ""
        if after == "=":
            if before == "*" and not declares and is_unary(flow, start, index - 1):
                continue
            found.append((word, (index + 2, expression_end(flow, index + 2, stop))))
        elif re.match(r"(\+\+|--|[-+*/%&|^]=|<<=|>>=)$", after) or before in ("++", "--"):
            found.append((word, None))
        elif before == "&" and is_unary(flow, start, index - 1) and after not in ("->", "["):
            found.append((word, None))
    return found


def has_call(flow, start, stop):
    return any(
        flow.text(i + 1) == "(" and is_name(flow.text(i)) for i in range(start, stop - 1)
    )


def null_test(flow, start, stop):
    """(expression, whether the condition's truth means null, the assignment inside or None)."""
    start, stop = strip(flow, start, stop)
    for operator in ("==", "!="):
        parts = flow.split(start, stop, operator)
        if len(parts) != 2:
            continue
        for one, other in (parts, reversed(parts)):
            if one[0] < one[1] and other[0] < other[1] and is_null(flow, *other):
                target = tested(flow, *one)
                return target and (target[0], operator == "==", target[1])
        return None
    if start < stop and flow.text(start) == "!":
        target = tested(flow, start + 1, stop)
        return target and (target[0], True, target[1])
    target = tested(flow, start, stop)
    return target and (target[0], False, target[1])


def tested(flow, start, stop):
    start, stop = strip(flow, start, stop)
    whole = chain(flow, start, stop)
    if whole:
        return whole, None
    parts = flow.split(start, stop, "=")
    if len(parts) == 2:
        whole = chain(flow, *parts[0])
        if whole:
            return whole, parts[1]
    return None


class Local:
    """A variable that the function declares."""

    def __init__(self, name, words, pointer, array, initial, at, stop):
        self.name, self.words, self.pointer, self.array = name, words, pointer, array
        self.initial, self.at, self.stop = initial, at, stop  # initial: (start, stop) after `=`

    @property
    def scalar(self):
        return not self.array and "static" not in self.words and "extern" not in self.words and (
            self.pointer or not {"struct", "union"} & set(self.words)
        )


def locals_of(flow):
    """The variables declared in the body, by name; names declared twice are left out."""
    found, twice = {}, set()
    ranges = list(flow.statements) + [loop[0][0] for loop in flow.loops]
    for start, stop in ranges:
        if start >= stop or not is_declaration(flow, start, stop):
            continue
        for number, (first, last) in enumerate(flow.split(start, stop, ",")):
            equals = flow.split(first, last, "=")
            left = texts(flow, *equals[0])
            if number == 0:
                words = [w for w in left if IDENT.match(w)][:-1]
            names = [i for i, w in enumerate(left) if is_name(w) and w not in words or (is_name(w) and i == len(left) - 1)]
            if not names or "(" in left:
                continue
            name = left[names[-1] if "[" not in left else left.index("[") - 1]
            if not is_name(name):
                continue
            if name in found:
                twice.add(name)
            found[name] = Local(
                name, words, "*" in left, "[" in left,
                equals[1] if len(equals) > 1 else None, equals[0][0], last,
            )  # fmt: skip
    return {name: local for name, local in found.items() if name not in twice}
