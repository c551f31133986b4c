"""The control flow of one function, from its tokens: enough of C's grammar to tell statements and
conditions apart, macros left as they are written.

`&&`, `||` and `!` become branches, so that every condition node is one atom. What cannot be read
(a macro that hides half a statement, a computed goto) makes the whole function unreadable, and no
mutant is drawn from it.
"""

import re

from source import tokenize

NO_RETURN = re.compile(
    r"(_?exit|_Exit|abort|longjmp|siglongjmp|errx?|verrx?|__assert_fail|finis|usage|fatal|die"
    r"|ERREXIT\w*|luaD_throw|luaG_\w*error|luaM_toobig|luaM_error|luaL_error|luaL_argerror"
    r"|luaL_typeerror|lua_error|luaX_syntaxerror|lexerror|error_expected|luaK_semerror|errorlimit"
    r"|EX_\w+|__builtin_unreachable|unreachable)$"
)
WORDS = {
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "break",
    "continue",
}  # fmt: skip


class Unreadable(Exception):
    pass


class Node:
    """A statement or one atom of a condition: tokens[start:stop], and where control goes next."""

    __slots__ = ("number", "kind", "start", "stop", "next", "false", "parent")

    def __init__(self, number, kind, start, stop):
        self.number, self.kind, self.start, self.stop = number, kind, start, stop
        self.next = None  # the node after it; of a condition, if it is true
        self.false = None  # of a condition, if it is false
        self.parent = None  # the `if`, `for`, `while` or `do` this atom belongs to


class If:
    """An `if` statement, by token indices."""

    def __init__(self, start, condition, body, body_stop, otherwise, stop):
        self.start, self.condition = start, condition  # condition: (first, last + 1)
        self.body, self.body_stop, self.otherwise, self.stop = body, body_stop, otherwise, stop
        self.kind = "if"


class Flow:
    """The control-flow graph of the function body text[start:stop]. Node 0 is the exit."""

    def __init__(self, text, start, stop):
        self.tokens = tokenize(text, start, stop)
        if not self.tokens or self.tokens[0].text != "{" or self.tokens[0].match != len(self.tokens) - 1:
            raise Unreadable
        self.nodes = []
        self.ifs, self.loops = [], []
        self.statements = []  # (start, stop) of every simple statement
        self.labels, self.gotos = {}, []
        self.exit = self.node("exit", 0, 0)
        self.exit.next = None
        # Built backwards: a statement is given the node that follows it and returns its first one.
        # Token positions of statement starts are found forwards, so each list is parsed, then linked.
        body = self.parse_list(1, len(self.tokens) - 1)
        self.entry = self.link(body, self.exit, None, None)
        for node, label in self.gotos:
            if label not in self.labels:
                raise Unreadable
            node.next = self.labels[label]

    def node(self, kind, start, stop):
        node = Node(len(self.nodes), kind, start, stop)
        self.nodes.append(node)
        return node

    def text(self, index):
        return self.tokens[index].text

    # -- statements as trees ------------------------------------------------------------------

    def parse_list(self, index, stop):
        statements = []
        while index < stop:
            statement, index = self.parse(index, stop)
            statements.append(statement)
        return ("block", statements)

    def bracket(self, index):
        if index >= len(self.tokens) or self.text(index) != "(":
            raise Unreadable
        return self.tokens[index].match

    def parse(self, index, stop):
        if index >= stop:
            raise Unreadable
        word = self.text(index)
        if word == "{":
            close = self.tokens[index].match
            return self.parse_list(index + 1, close), close + 1
        if word == "if":
            close = self.bracket(index + 1)
            then, after = self.parse(close + 1, stop)
            body_stop, otherwise = after, None
            if after < stop and self.text(after) == "else":
                otherwise, after = self.parse(after + 1, stop)
            statement = If(index, (index + 2, close), close + 1, body_stop, otherwise is not None, after)
            self.ifs.append(statement)
            return ("if", (index + 2, close), then, otherwise, statement), after
        if word in ("while", "switch"):
            close = self.bracket(index + 1)
            body, after = self.parse(close + 1, stop)
            return (word, (index + 2, close), body), after
        if word == "for":
            close = self.bracket(index + 1)
            parts = self.split(index + 2, close, ";")
            if len(parts) != 3:
                raise Unreadable
            body, after = self.parse(close + 1, stop)
            self.loops.append((parts, close + 1, after))
            return ("for", parts, body), after
        if word == "do":
            body, after = self.parse(index + 1, stop)
            if after >= stop or self.text(after) != "while":
                raise Unreadable
            close = self.bracket(after + 1)
            if close + 1 >= stop or self.text(close + 1) != ";":
                raise Unreadable
            return ("do", (after + 2, close), body), close + 2
        if word in ("case", "default"):
            end = index
            while end < stop and self.text(end) != ":":
                end = self.tokens[end].match + 1 if self.text(end) == "(" else end + 1
            if end >= stop:
                raise Unreadable
            return ("case",), end + 1
        if word == "else":
            raise Unreadable
        if re.match(r"[A-Za-z_]", word) and word not in WORDS and index + 1 < stop and self.text(index + 1) == ":":
            return ("label", word), index + 2
        end = index
        while end < stop and self.text(end) != ";":
            if end > index and self.text(end) in WORDS or self.text(end) == "}":
                # A macro that is a statement by itself: it ends before the next keyword.
                return ("simple", index, end), end
            end = self.tokens[end].match + 1 if self.tokens[end].match is not None else end + 1
        if end >= stop:
            if index < end:
                return ("simple", index, end), end
            raise Unreadable
        if end > index:
            self.statements.append((index, end))
        return ("simple", index, end), end + 1

    def split(self, start, stop, separator):
        """The parts of tokens[start:stop] between separators outside of brackets."""
        parts, begin, index = [], start, start
        while index < stop:
            token = self.tokens[index]
            if token.text == separator:
                parts.append((begin, index))
                begin = index + 1
            index = token.match + 1 if token.match is not None and token.match > index else index + 1
        parts.append((begin, stop))
        return parts

    # -- trees as a graph ---------------------------------------------------------------------

    def link(self, tree, after, on_break, on_continue):
        kind = tree[0]
        if kind == "block":
            for statement in reversed(tree[1]):
                after = self.link(statement, after, on_break, on_continue)
            return after
        if kind == "if":
            _, condition, then, otherwise, _ = tree
            no = self.link(otherwise, after, on_break, on_continue) if otherwise else after
            yes = self.link(then, after, on_break, on_continue)
            return self.condition(*condition, yes, no)
        if kind == "while":
            head = self.node("join", 0, 0)
            body = self.link(tree[2], head, after, head)
            head.next = self.condition(*tree[1], body, after)
            return head
        if kind == "do":
            test, head = self.node("join", 0, 0), self.node("join", 0, 0)
            head.next = self.link(tree[2], test, after, test)
            test.next = self.condition(*tree[1], head, after)
            return head
        if kind == "for":
            (first, test, step), body = tree[1], tree[2]
            head, again = self.node("join", 0, 0), self.node("simple", *step)
            again.next = head
            inner = self.link(body, again, after, again)
            head.next = self.condition(*test, inner, after) if test[0] < test[1] else inner
            start = self.node("simple", *first)
            start.next = head
            return start
        if kind == "switch":
            # Any case, or none; a case is also entered from the one above it.
            choose = self.node("choose", *tree[1])
            choose.next = []
            self.switch(tree[2], after, on_continue, choose)
            choose.next.append(after)
            return choose
        if kind == "case":
            return after
        if kind == "label":
            self.labels[tree[1]] = after
            return after
        _, start, stop = tree
        node = self.node("simple", start, stop)
        word = self.text(start) if start < stop else ""
        if word == "return":
            node.next = self.exit
        elif word == "break" or word == "continue":
            node.next = on_break if word == "break" else on_continue
            if node.next is None:
                raise Unreadable
        elif word == "goto":
            if stop - start != 2:
                raise Unreadable
            self.gotos.append((node, self.text(start + 1)))
            node.next = self.exit
        elif NO_RETURN.match(word) and start + 1 < stop and self.text(start + 1) == "(":
            node.kind, node.next = "stop", None
        else:
            node.next = after
        return node

    def switch(self, tree, after, on_continue, choose):
        """Links a switch's body; each statement behind a `case` is a way in."""
        if tree[0] != "block":
            raise Unreadable
        follow = after
        for statement in reversed(tree[1]):
            follow = self.link(statement, follow, after, on_continue)
            if statement[0] == "case":
                choose.next.append(follow)
        return follow

    def condition(self, start, stop, yes, no):
        while start < stop and self.text(start) == "(" and self.tokens[start].match == stop - 1:
            start, stop = start + 1, stop - 1
        for operator in ("||", "&&"):
            parts = self.split(start, stop, operator)
            if len(parts) > 1 and len(self.split(start, stop, "?")) == 1 and len(self.split(start, stop, ",")) == 1:
                target = None
                for part in reversed(parts):
                    if target is None:
                        target = self.condition(*part, yes, no)
                    elif operator == "||":
                        target = self.condition(*part, yes, target)
                    else:
                        target = self.condition(*part, target, no)
                return target
        if start < stop and self.text(start) == "!" and self.text(start + 1) == "(" and self.tokens[start + 1].match == stop - 1:
            return self.condition(start + 2, stop - 1, no, yes)
        if start >= stop:
            raise Unreadable
        node = self.node("condition", start, stop)
        node.next, node.false = yes, no
        return node

    def atoms(self):
        return [node for node in self.nodes if node.kind == "condition"]
