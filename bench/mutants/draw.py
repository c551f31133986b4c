"""Draws the mutants: as many of each kind, evenly over the programs, from a seed.

Of each kind the next mutant comes from the program that has the fewest so far. In a program, functions
are tried in random order, in a function its candidates are; the first that is accepted is the mutant,
and a function gives at most one of each kind. The order depends on the seed, the program and the kind
only, so a larger count extends a smaller one's cells.
"""

import random

import heap
import rules
from flow import Unreadable
from owners import BASE, Owners
from rules import Context, accept
from source import units

# The sets of kinds: (their names, where each can be made, the trackers that say whether it matters).
SETS = {
    "checks": (rules.KINDS, rules.CANDIDATES, rules.trackers),
    "heap": (heap.KINDS, heap.CANDIDATES, heap.trackers),
}  # fmt: skip

# A unit of sqlite3 is its whole library: one analysis costs as much as twenty of the others.
LIMITS = {"sqlite3": 0.15}
LIMIT = 0.30


class Program:
    def __init__(self, root, name, seed, kinds):
        self.name, self.seed = name, seed
        names, self.candidates, self.trackers = SETS[kinds]
        mine = units(root, name)
        if kinds == "heap":
            owners = program_owners(root, name, mine)
            for unit in mine:
                unit.owners = owners
        self.functions = [(unit, function) for unit in mine for function in unit.functions]
        self.contexts = {}
        self.cells = {kind: in_turn([self.cell(kind, c) for c in forms(self.candidates[kind])]) for kind in names}
        self.drawn = 0

    def context(self, number):
        if number not in self.contexts:
            try:
                self.contexts[number] = Context(*self.functions[number])
            except Unreadable:
                self.contexts[number] = None
        return self.contexts[number]

    def cell(self, kind, candidates):
        """The accepted mutants of one kind, in random order."""
        dice = random.Random(f"{self.seed}/{self.name}/{kind}")
        order = list(range(len(self.functions)))
        dice.shuffle(order)
        for number in order:
            context = self.context(number)
            if context is None:
                continue
            found = list(candidates(context))
            dice.shuffle(found)
            for mutant in found:
                if accept(context, mutant, self.trackers):
                    yield mutant
                    break


def forms(candidates):
    return candidates if isinstance(candidates, tuple) else (candidates,)


def in_turn(cells):
    """One of each form in turn, and at most one of a function."""
    cells, seen = list(cells), set()
    while cells:
        for cell in list(cells):
            mutant = next((m for m in cell if (m.unit, m.function) not in seen), None)
            if mutant is None:
                cells.remove(cell)
                continue
            seen.add((mutant.unit, mutant.function))
            yield mutant


def program_owners(root, name, mine):
    base = BASE.get(name)
    return Owners(name, mine, program_owners(root, base, units(root, base)) if base else None)


def draw(root, names, seed, count, say, kinds="checks"):
    programs = [Program(root, name, seed, kinds) for name in names]
    kinds = SETS[kinds][0]
    drawn = {kind: [] for kind in kinds}
    exhausted = set()
    share = -(-count // len(kinds))
    # Where a kind is rare in these programs, the others fill up what it leaves, within limits, in the second half.
    for number in range(2 * count * len(kinds)):
        if sum(map(len, drawn.values())) >= count:
            break
        kind = kinds[number % len(kinds)]
        if len(drawn[kind]) >= (share if number < count * len(kinds) else share * 4 // 3):
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
    return [mutant for kind in kinds for mutant in drawn[kind]]
