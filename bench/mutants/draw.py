"""Draws the mutants: as many of each kind, evenly over the programs, from a seed.

Of each kind the next mutant comes from the program that has the fewest so far. In a program, functions
are tried in random order, in a function its candidates are; the first that is accepted is the mutant,
and a function gives at most one of each kind. The order depends on the seed, the program and the kind
only, so a larger count extends a smaller one's cells.
"""

import random

from flow import Unreadable
from rules import CANDIDATES, KINDS, Context, accept
from source import units

# A unit of sqlite3 is its whole library: one analysis costs as much as twenty of the others.
LIMITS = {"sqlite3": 0.15}
LIMIT = 0.30


class Program:
    def __init__(self, root, name, seed):
        self.name, self.seed, self.root = name, seed, root
        self.functions = [(unit, function) for unit in units(root, name) for function in unit.functions]
        self.contexts = {}
        self.cells = {kind: self.cell(kind) for kind in KINDS}
        self.drawn = 0

    def context(self, number):
        if number not in self.contexts:
            try:
                self.contexts[number] = Context(*self.functions[number])
            except Unreadable:
                self.contexts[number] = None
        return self.contexts[number]

    def cell(self, kind):
        """The accepted mutants of one kind, in random order."""
        dice = random.Random(f"{self.seed}/{self.name}/{kind}")
        order = list(range(len(self.functions)))
        dice.shuffle(order)
        for number in order:
            context = self.context(number)
            if context is None:
                continue
            candidates = list(CANDIDATES[kind](context))
            dice.shuffle(candidates)
            for mutant in candidates:
                if accept(context, mutant):
                    yield mutant
                    break


def draw(root, names, seed, count, say):
    programs = [Program(root, name, seed) for name in names]
    drawn = {kind: [] for kind in KINDS}
    exhausted = set()
    for number in range(count * len(KINDS)):
        if sum(map(len, drawn.values())) >= count:
            break
        kind = KINDS[number % len(KINDS)]
        if len(drawn[kind]) >= -(-count // len(KINDS)):
            continue
        while True:
            open_ones = [
                p for p in programs
                if (p.name, kind) not in exhausted
                and (len(names) < 4 or p.drawn + 1 <= count * LIMITS.get(p.name, LIMIT))
            ]  # fmt: skip
            if not open_ones:
                break
            program = min(open_ones, key=lambda p: (p.drawn, sum(m.unit.program == p.name for m in drawn[kind])))
            mutant = next(program.cells[kind], None)
            if mutant is None:
                exhausted.add((program.name, kind))
                continue
            program.drawn += 1
            drawn[kind].append(mutant)
            say(f"{sum(map(len, drawn.values()))}/{count} {mutant.unit.program} {mutant.unit.name}:{mutant.line} {kind}")
            break
    for name, kind in sorted(exhausted):
        say(f"no more of this kind: {name}, {kind}")
    return [mutant for kind in KINDS for mutant in drawn[kind]]
