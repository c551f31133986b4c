"""Trackers (paths.py) of what a variable owns: memory and resources that were taken back already, and such that nobody takes back."""

import re

from paths import BAD, GOOD, Tracker, possible, successors
from read import IDENT, call_name, expression_end, is_name, null_test, strip, strip_cast, tested, texts


class Freed(Tracker):
    """Bad is released. The release at `again` (an offset) is the error if it comes then."""

    def __init__(self, flow, target, plain, owners, again):
        super().__init__(flow, target, plain)
        self.owners, self.again = owners, again

    def collect(self, node, found):
        released = node.kind == "simple" and self.owners.release(self.flow, node.start, node.stop)
        if not released or released[1] != self.target:
            super().collect(node, found)
            return
        at = self.flow.tokens[node.start].at
        if at == self.again:
            found.append((node.start, "error", at))
        found.append((node.stop, "bad", frozenset()))

    def edge(self, node, truth):
        test = null_test(self.flow, node.start, node.stop)
        return "good" if test and test[0] == self.target and truth == test[1] else None


class Owned(Tracker):
    """Bad is to own something fresh of this kind. To lose it is the error: where the function is left, or the variable overwritten."""

    def __init__(self, flow, target, owners, unit, what, removed=None):
        super().__init__(flow, target, True)
        self.owners, self.unit, self.what = owners, unit, what
        self.removed = removed  # (the tracker of the original, where its release stands, where its offsets are in the mutant)

    def always(self):
        """The release is there to be reached. If it is only reached with what is fresh, and behind it every way loses that or ends the
        program, it need not be asked which way is taken."""
        if self.removed is None:
            return None
        before, offset, moved = self.removed
        release = next((n for n in before.flow.nodes if n.kind == "simple" and n.start < n.stop and before.flow.tokens[n.start].at == offset), None)
        states = set()
        possible(before.flow, before, states)
        if release is None or (release.number, BAD) not in states or (release.number, GOOD) in states:
            return None
        lost, seen, work = [], set(), [target for target, _ in successors(release)]
        while work:
            node = work.pop(0)
            if node is None or node.number in seen or node is release:
                continue
            seen.add(node.number)
            events = before.events(node)
            if events and events[0][0] == "error":
                lost.append(events[0][1])
            elif events:
                return None
            else:
                work += [target for target, _ in successors(node)]
        return (moved(lost[0]), 0) if lost else None

    def events(self, node):
        if node is self.flow.exit:
            return [("error", self.flow.tokens[-1].at)]
        return super().events(node)

    def collect(self, node, found):
        flow = self.flow
        super().collect(node, found)
        for first, last in self.mentions(node.start, node.stop):
            if last < node.stop and flow.text(last) == "=":
                end = expression_end(flow, last + 1, node.stop)
                found.insert(0, (end, "error", flow.tokens[first].at))
        if flow.text(node.start) == "return" and node.kind == "simple":
            found.append((node.stop, "error", flow.tokens[node.start].at))

    def assigned(self, start, stop):
        source = self.owners.sources.get(call_name(self.flow, start, stop))
        return ("bad", frozenset()) if source and source.what == self.what else ("good",)

    def mention(self, node, first, last, before, after, star, declares, found):
        flow = self.flow
        if after == "=" or declares and (before in ("*", ",") or is_name(before)) and after in ("", ","):
            return
        if after in ("->", "[") or star:
            return
        call = self.call_around(node.start, first)
        if call is not None:
            name = flow.text(call - 1)
            if name in self.owners.releases or not self.owners.keeps_nothing(self.unit, name):
                found.append((first, "good"))
            return
        compared = r"==|!=|<|>|<=|>=|&&|\|\||!|\?|-|\+|"
        if node.kind == "condition" or node.kind == "simple" and re.fullmatch(compared, before) and re.fullmatch(compared, after):
            return
        found.append((first, "good"))  # it goes elsewhere

    def call_around(self, start, index):
        """The innermost call that the token is an argument of: where its bracket opens."""
        flow = self.flow
        while index > start:
            index -= 1
            token = flow.tokens[index]
            if token.text in (")", "]") and token.match < index:
                index = token.match
            elif token.text == "(" and index > start and IDENT.match(flow.text(index - 1)):
                return index
        return None

    def edge(self, node, truth):
        test = null_test(self.flow, node.start, node.stop)
        if test and test[0] == self.target and self.what == "memory":
            return "good" if truth == test[1] else None
        failed = failure_test(self.flow, node.start, node.stop)
        if test and test[0] == self.target and not failed:
            return "good" if truth == test[1] else None
        if failed and failed[0] == self.target:
            return "good" if truth == failed[1] else None
        return None


def failure_test(flow, start, stop):
    """(expression, whether the condition's truth means that it failed) of `fd < 0`, `(fd = open(…)) == -1` and the like."""
    start, stop = strip(flow, start, stop)
    for operator in ("<", ">=", "==", "!=", "<=", ">"):
        parts = flow.split(start, stop, operator)
        if len(parts) != 2 or parts[0][0] >= parts[0][1] or parts[1][0] >= parts[1][1]:
            continue
        number = "".join(texts(flow, *strip_cast(flow, *parts[1])))
        fails = {"<0": True, ">=0": False, "==-1": True, "!=-1": False, "<=-1": True, ">-1": False}.get(operator + number)
        target = tested(flow, *parts[0])
        if fails is not None and target:
            return target[0], fails
    return None


class Sized(Tracker):
    """Bad is to be a byte short, by the allocation at `short`. The error is one of `touches`: the accesses that need the byte."""

    def __init__(self, flow, target, plain, short, touches, others):
        super().__init__(flow, target, plain)
        self.short, self.touches, self.others = short, touches, others

    def collect(self, node, found):
        flow = self.flow
        super().collect(node, found)
        for index in range(node.start, node.stop):
            if flow.tokens[index].at == self.short:
                found[:] = [f for f in found if f[1] != "good"] + [(node.stop, "bad", frozenset())]
            elif flow.tokens[index].at in self.touches:
                found.append((index, "error", flow.tokens[index].at))
            elif flow.text(index) in self.others and flow.text(index - 1) not in ("->", "."):
                after = flow.text(index + 1)
                if re.match(r"=$|\+\+|--|[-+*/%&|^]=", after) or flow.text(index - 1) in ("++", "--"):
                    found.append((node.stop, "good"))

    def edge(self, node, truth):
        test = null_test(self.flow, node.start, node.stop)
        return "good" if test and test[0] == self.target and truth == test[1] else None


class Reached(Tracker):
    """The statement at this offset is the error, on any way to it."""

    def __init__(self, flow, at):
        super().__init__(flow, ("",), True)
        self.at = at

    def collect(self, node, found):
        for index in range(node.start, node.stop):
            if self.flow.tokens[index].at == self.at:
                found += [(index, "bad", frozenset()), (index, "error", self.at)]
