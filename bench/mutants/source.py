"""A C source file as it stands in its build: the text, and the tokens of the part that is compiled.

Mutants are edits of the text that people wrote, so nothing here expands macros. What is left out is
what the preprocessor leaves out: comments, directives, and the groups of `#if` that are not taken
(clang is asked which are: a copy of the file with a mark after each directive goes through `-E`, and
the marks that come out name the groups that are taken). Left-out text becomes blanks, so that
offsets and lines stay those of the file.
"""

import bisect
import json
import os
import re
import shlex
import subprocess

TOKEN = re.compile(
    r"""\s+|[A-Za-z_]\w*|(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)[uUlLfF]*"""
    r"""|L?"(?:\\.|[^"\\\n])*"|L?'(?:\\.|[^'\\\n])*'"""
    r"""|->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\.\.\.|[-+*/%&|^]=|.""",
    re.S,
)
COMMENT = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)(?:[^\n\\]|\\.|\\\n)*", re.M | re.S)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


class Token:
    __slots__ = ("text", "at", "match")

    def __init__(self, text, at):
        self.text, self.at, self.match = text, at, None  # match: index of the other bracket

    @property
    def end(self):
        return self.at + len(self.text)


def tokenize(text, start=0, stop=None):
    """The tokens of text[start:stop], brackets paired; None where brackets do not pair."""
    tokens, stack, at = [], [], start
    stop = len(text) if stop is None else stop
    while at < stop:
        found = TOKEN.match(text, at, stop)
        at = found.end()
        if found.group()[0].isspace():
            continue
        token = Token(found.group(), found.start())
        if token.text in ("(", "[", "{"):
            stack.append(len(tokens))
        elif token.text in (")", "]", "}"):
            if not stack or tokens[stack[-1]].text + token.text not in ("()", "[]", "{}"):
                return None
            token.match = stack.pop()
            tokens[token.match].match = len(tokens)
        tokens.append(token)
    return None if stack else tokens


class Function:
    """A function definition: its name, its parameters' text and where its body is in the text."""

    def __init__(self, name, start, stop, parameters):
        self.name, self.start, self.stop, self.parameters = name, start, stop, parameters


class Unit:
    """One entry of a compile database, with the flags that matter to read it."""

    def __init__(self, program, root, entry):
        self.program = program
        self.directory = entry["directory"]
        arguments = entry.get("arguments") or shlex.split(entry["command"])
        self.path = os.path.normpath(os.path.join(self.directory, entry["file"]))
        self.real = os.path.realpath(self.path)
        self.name = os.path.relpath(self.real, os.path.realpath(root))
        self.compiler = arguments[0]
        self.flags = self._flags(arguments[1:])
        with open(self.path, encoding="latin-1", newline="") as file:
            self.text = file.read()
        self._active = None
        self._functions = None

    @staticmethod
    def _flags(arguments):
        kept, rest = [], iter(arguments)
        for argument in rest:
            if argument in ("-I", "-D", "-U", "-include", "-isystem", "-iquote"):
                kept += [argument, next(rest)]
            elif argument in ("-o", "-MF", "-MT", "-MQ", "-x"):
                next(rest)
            elif re.match(r"-(I.|D.|U.|std=|f|m|pthread|O)", argument):
                kept.append(argument)
        return kept

    def command(self, file, *more):
        """clang on another file in place of this one: quoted includes still resolve beside it."""
        beside = ["-iquote", os.path.dirname(self.path)]
        if os.path.dirname(self.real) != os.path.dirname(self.path):
            beside += ["-iquote", os.path.dirname(self.real)]
        return [self.compiler, *self.flags, *beside, *more, file]

    def clang(self, text, *more):
        """Runs clang on `text` as this unit: (exit code, standard output, diagnostics)."""
        done = subprocess.run(
            self.command("-", *more, "-x", "c"),
            cwd=self.directory,
            input=text.encode("latin-1"),
            capture_output=True,
        )
        return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")

    def compiles(self, text):
        return self.clang(text, "-fsyntax-only", "-w")[0] == 0

    @property
    def active(self):
        """The text with everything blanked that is not compiled."""
        if self._active is None:
            self._active = self._find_active()
        return self._active

    def _find_active(self):
        def comment(found):
            return blank(found.group()) if found.group()[0] == "/" else found.group()

        plain = COMMENT.sub(comment, self.text)
        directives = list(DIRECTIVE.finditer(plain))
        groups = [d for d in directives if re.match("if|el|endif", d.group(1))]
        pieces, last = [], 0
        for number, directive in enumerate(groups):
            pieces += [plain[last : directive.end()], f"\nRIGEL_GROUP_{number}_\n"]
            last = directive.end()
        marked = "".join(pieces) + plain[last:]
        code, out, _ = self.clang(marked, "-E", "-P", "-w")
        taken = {int(n) for n in re.findall(r"RIGEL_GROUP_(\d+)_", out)} if code == 0 else set()
        pieces, last, on = [], 0, True
        # The group after an #endif is taken iff its mark came out too, so nesting needs no stack.
        numbers = {d.start(): n for n, d in enumerate(groups)}
        for directive in directives:
            between = plain[last : directive.start()]
            pieces += [between if on else blank(between), blank(directive.group())]
            last = directive.end()
            if directive.start() in numbers:
                on = numbers[directive.start()] in taken
        pieces.append(plain[last:] if on else blank(plain[last:]))
        return "".join(pieces)

    def line(self, at):
        if not hasattr(self, "_lines"):
            self._lines = [m.end() for m in re.finditer("\n", self.text)]
        return bisect.bisect_right(self._lines, at) + 1

    @property
    def functions(self):
        if self._functions is None:
            self._functions = list(find_functions(self.active))
        return self._functions


def find_functions(text):
    """Function definitions at the outermost level, ANSI or K&R."""
    tokens = tokenize(text)
    if tokens is None:
        return
    index, begin = 0, 0  # begin: where the current outer declaration may have started
    while index < len(tokens):
        token = tokens[index]
        if token.text in ("(", "["):
            index = token.match + 1
            continue
        if token.text != "{":
            index += 1
            continue
        close = token.match
        head = None
        if tokens[index - 1].text == ")":
            head = tokens[index - 1].match
        elif tokens[index - 1].text == ";":
            head = knr_head(tokens, begin, index)
        if head is not None and head > 0 and re.match(r"[A-Za-z_]", tokens[head - 1].text):
            parameters = [t.text for t in tokens[head : index]]
            yield Function(tokens[head - 1].text, token.at, tokens[close].end, parameters)
            begin = close + 1
        index = close + 1


def knr_head(tokens, begin, body):
    """`name(a, b) int a; char *b; {`: the index of that bracket."""
    index, head = begin, None
    while index < body:
        if tokens[index].text == "(" and index > 0:
            close = tokens[index].match
            inner = [t.text for t in tokens[index + 1 : close]]
            if all(re.match(r"[A-Za-z_]\w*$|,$", t) for t in inner) and re.match(
                r"[A-Za-z_]", tokens[close + 1].text
            ):
                head = index
                # The last such head before the body whose declarations follow without a `{`.
            index = close + 1
        elif tokens[index].text == "{":
            index = tokens[index].match + 1
            head = None
        else:
            index += 1
    return head


def units(root, program):
    """The C units of a program under `root`: one for each source file, test programs left out."""
    top = os.path.join(root, program)
    with open(os.path.join(top, "compile_commands.json")) as file:
        entries = json.load(file)
    seen, found = set(), []
    for entry in entries:
        path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        if path in seen or not path.endswith(".c") or not os.path.exists(path):
            continue
        if re.search(r"(^|/)(tests?|testsuite|example|conftest)[^/]*(/|\.c$)", path[len(os.path.realpath(top)):]):
            continue
        seen.add(path)
        found.append(Unit(program, top, entry))
    return sorted(found, key=lambda unit: unit.name)
