"""Who gives memory and resources, and who takes them back: of the library, and what a program makes of it.

A program wraps its allocator. Three kinds of wrappers are read off its text, over all of its units: a short function that hands its
parameter on to a release on every way (or returns what an allocation gave), a global function pointer that is initialised with one, and
what is `documented` to be one although the text does not show it (an allocator behind a table of methods). The units in which wrappers
stand are measured together with the mutant (`beside`): rigel is to see what a whole build would show it.
"""

import re

from flow import Flow, Unreadable
from read import assignments, call_name, chain, null_test, strip_cast, texts

FREE, CLOSE = "memory", "resource"


class Release:
    """A function that takes back its argument number `argument`; `units`: where it and what it calls for that are."""

    def __init__(self, what, argument, units=()):
        self.what, self.argument, self.units = what, argument, units


class Source:
    """A function that gives something fresh; `size`: which argument says how many bytes."""

    def __init__(self, what, size=None, units=()):
        self.what, self.size, self.units = what, size, units


LIBRARY_RELEASES = {
    "free": Release(FREE, 0),
    **{name: Release(CLOSE, 0) for name in "fclose close pclose closedir".split()},
}  # fmt: skip
LIBRARY_SOURCES = {
    "malloc": Source(FREE, 0), "calloc": Source(FREE), "strdup": Source(FREE), "strndup": Source(FREE),
    **{name: Source(CLOSE) for name in "fopen fdopen tmpfile popen opendir open openat creat socket accept dup mkstemp".split()},
}  # fmt: skip
# What the manuals say of allocators whose text hides it behind a table of methods, locks and statistics.
DOCUMENTED = {
    "sqlite3": (
        {"sqlite3_free": 0, "sqlite3DbFree": 1, "sqlite3DbFreeNN": 1},
        {"sqlite3_malloc": 0, "sqlite3_malloc64": 0, "sqlite3Malloc": 0, "sqlite3DbMallocRaw": 1, "sqlite3DbMallocZero": 1, "sqlite3DbMallocRawNN": 1,
         "sqlite3DbStrDup": None, "sqlite3DbStrNDup": None, "sqlite3_mprintf": None, "sqlite3_vmprintf": None, "sqlite3MPrintf": None},
    ),
    "sendmail": ({"sm_free": 0}, {"sm_malloc": 0, "sm_malloc_x": 0, "sm_strdup": None, "sm_strdup_x": None}),
}  # fmt: skip
# The functions behind macros of these names.
BEHIND = {"sm_free": "sm_free_tagged", "sm_malloc": "sm_malloc_tagged", "sm_malloc_x": "sm_malloc_tagged_x"}
# Programs that are built against another one.
BASE = {"libxslt": "libxml2"}
# The library functions that keep no pointer that they are given.
HARMLESS = re.compile(
    r"(mem|str|wcs)\w+|v?s?n?printf|v?fprintf|f?puts|f?gets|fput[cs]|getc|fgetc|ungetc|putc|fread|fwrite|fseeko?|ftello?|rewind|fflush|feof|ferror"
    r"|clearerr|fileno|v?f?s?scanf|ato[fil]|strto\w+|read|write|pread|pwrite|lseek|f?l?stat|fstat|fchmod|fchown|fcntl|flock|ftruncate|fsync|isatty"
    r"|readdir|rewinddir|dirfd|qsort|bind|listen|connect|send|recv|sendto|recvfrom|[gs]etsockopt|getsockname|getpeername|shutdown|ioctl|perror|exit"
    r"|is\w+|to(upper|lower)|sizeof|if|while|for|switch|return|setvbuf|getline|open|fopen|stat|access|unlink|rename|remove|mkdir|chmod|getenv"
)
SHORT = 500  # characters of a wrapper, at most


class Owners:
    """The releases and sources of one program."""

    def __init__(self, program, units, base=None):
        self.releases = dict(base.releases if base else LIBRARY_RELEASES)
        self.sources = dict(base.sources if base else LIBRARY_SOURCES)
        self.names = {u: {f.name for f in u.functions} for u in units}
        releases, sources = DOCUMENTED.get(program, ({}, {}))
        for name, argument in releases.items():
            self.releases[name] = Release(FREE, argument, self.definer(name))
        for name, size in sources.items():
            self.sources[name] = Source(FREE, size, self.definer(name))
        for _ in range(2):  # wrappers of wrappers
            for unit in units:
                self.pointers(unit)
                for function in unit.functions:
                    if function.stop - function.start <= SHORT:
                        self.wrapper(unit, function)

    def definer(self, name):
        name = BEHIND.get(name, name)
        return tuple(u for u, names in self.names.items() if name in names)[:1]

    def pointers(self, unit):
        """`xmlFreeFunc xmlFree = (xmlFreeFunc) free;`, `void (*release)(void *) = free;`"""
        declared = r"^\w[\w *]*?\W(?:(\w+)|\(\s*\*\s*(\w+)\s*\)\s*\([^()]*\))\s*=\s*(?:\(\w+\)\s*)?(\w+)\s*;"
        for found in re.finditer(declared, unit.active, re.M):
            name, target = found.group(1) or found.group(2), found.group(3)
            for table in (self.releases, self.sources):
                if target in table and name not in table:
                    old = table[target]
                    where = old.size if table is self.sources else old.argument
                    table[name] = type(old)(old.what, where, (unit, *old.units))

    def wrapper(self, unit, function):
        if function.name in self.releases or function.name in self.sources:
            return
        body = unit.active[function.start : function.stop]
        if not any(re.search(rf"\b{n}\s*\(", body) for t in (self.releases, self.sources) for n in t):
            return
        try:
            flow = Flow(unit.active, function.start, function.stop)
        except Unreadable:
            return
        parameters = ordered_parameters(function)
        for number, name in enumerate(parameters):
            by = self.surely_released(flow, name)
            if by:
                self.releases[function.name] = Release(by.what, number, (unit, *by.units))
                return
        by = self.surely_fresh(flow)
        if by:
            self.sources[function.name] = Source(by.what, None, (unit, *by.units))

    def release(self, flow, start, stop):
        """(name, target, Release) if tokens[start:stop] are a call that releases a variable and nothing else."""
        name = call_name(flow, start, stop)
        release = self.releases.get(name)
        if release is None:
            return None
        start, stop = strip_cast(flow, start, stop)
        arguments = flow.split(start + 2, stop - 1, ",")
        if release.argument >= len(arguments):
            return None
        target = chain(flow, *strip_cast(flow, *arguments[release.argument]))
        return target and (name, target, release)

    def surely_released(self, flow, name):
        """By whom it is released, if on every way to the end the parameter is, or is null."""
        by, work, seen = None, [flow.entry], set()
        while work:
            node = work.pop()
            if node is None or node.number in seen:
                continue
            seen.add(node.number)
            if node is flow.exit:
                return None
            if node.kind == "simple" and node.start < node.stop:
                released = self.release(flow, node.start, node.stop)
                if released and released[1] == (name,):
                    by = released[2]
                    continue
                if any(n == name for n, _ in assignments(flow, node.start, node.stop)):
                    return None
            if node.kind == "condition":
                test = null_test(flow, node.start, node.stop)
                if test and test[0] == (name,):
                    work.append(node.false if test[1] else node.next)
                    continue
                work += [node.next, node.false]
            else:
                work += node.next if isinstance(node.next, list) else [node.next]
        return by

    def surely_fresh(self, flow):
        """The source of what every return gives that does not give null, and nothing else refers to."""
        found, fresh = None, {}
        for start, stop in flow.statements:
            for name, right in assignments(flow, start, stop):
                source = right and self.sources.get(call_name(flow, *right))
                fresh[name] = source if source and fresh.get(name, source) is not None else None
        for start, stop in flow.statements:
            if texts(flow, start, start + 1) == ["return"]:
                value = strip_cast(flow, start + 1, stop)
                words = texts(flow, *value)
                source = self.sources.get(call_name(flow, *value))
                if source:
                    found = source
                elif len(words) == 1 and fresh.get(words[0]):
                    found = fresh[words[0]]
                elif words not in (["NULL"], ["0"]):
                    return None
            elif any(fresh.get(flow.text(i)) and flow.text(i - 1) == "=" and flow.text(i + 1) in (";", "=") for i in range(start, stop)):
                return None
        return found

    def keeps_nothing(self, unit, name):
        """A function of the library that keeps no pointer, or one of the unit: what it kept would dangle in the program as it was."""
        return bool(HARMLESS.fullmatch(name)) or name in self.names.get(unit, ())


def ordered_parameters(function):
    """The names of the parameters in their order: those of the bracket, before any K&R declarations."""
    words, depth, names, last = function.parameters, 0, [], None
    for word in words:
        if word in "([":
            depth += 1
        elif word in ")]":
            depth -= 1
            if depth == 0:
                break
        elif word == "," and depth == 1:
            names.append(last)
            last = None
        elif re.match(r"[A-Za-z_]\w*$", word) and depth == 1:
            last = word
    return [n for n in [*names, last] if n]
