"""Runs rigel on one unit with and without the mutation, and says what became of the mutation.

Found: a report (verdict `must` or `may`) of the fitting rule in the mutated function that the unmutated
unit does not have. What is not found falls in the class of the nearest thing that did happen.
"""

import hashlib
import json
import os
import subprocess
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

REPORTED = ("must", "may")
FOUND = "found"
CLASSES = (
    "refuted at level 2",
    "undecided at level 2",
    "latent: no evidence",
    "level 1 only",
    "the function was given up",
    "reported under another rule",
    "reported in another function",
    "reported before the mutation too",
    "proved: no path at level 1",
    "no check of that rule",
    "rigel failed",
)


class Rigel:
    def __init__(self, executable, cache):
        self.executable, self.cache = executable, cache
        self.locks, self.lock = {}, threading.Lock()
        beside = os.path.join(os.path.dirname(executable), "rigel-front")
        parts = [open(path, "rb").read() for path in (executable, beside) if os.path.exists(path)]
        self.version = hashlib.sha256(b"".join(parts)).hexdigest()[:16]
        os.makedirs(cache, exist_ok=True)

    def check(self, unit, text, *options, beside=()):
        """The JSON report on this text in place of the unit's, together with the units beside it; kept by content."""
        what = [self.version, unit.program, unit.name, unit.flags, options]
        what = json.dumps(what + [[b.program, b.name, b.flags] for b in beside])
        name = hashlib.sha256((what + text).encode("latin-1", "replace")).hexdigest()[:32] + ".json"
        kept = os.path.join(self.cache, name)
        with self.lock:
            mine = self.locks.setdefault(name, threading.Lock())
        with mine:  # the same question is not worked on twice at once
            if not os.path.exists(kept):
                self.make(kept, unit, text, options, beside)
            with open(kept) as file:
                return json.load(file)

    def make(self, kept, unit, text, options, beside):
        with tempfile.TemporaryDirectory(prefix="rigel-mutant-") as directory:
            path = os.path.join(directory, os.path.basename(unit.path))
            with open(path, "w", encoding="latin-1", newline="") as file:
                file.write(text)
            entry = {"directory": unit.directory, "file": path, "arguments": unit.command(path, "-w", "-c")}
            with open(os.path.join(directory, "compile_commands.json"), "w") as file:
                others = [{"directory": b.directory, "file": b.path, "arguments": b.command(b.path, "-w", "-c")} for b in beside]
                json.dump([entry, *others], file)
            done = subprocess.run(
                [self.executable, "check", "-p", directory, "--format", "json", "--jobs", "1", *options],
                capture_output=True, cwd=directory,
            )  # fmt: skip
        try:
            report = json.loads(done.stdout)
            report = {key: report[key] for key in ("findings", "functions", "notifications", "summary")}
            for finding in report["findings"]:
                finding["steps"] = len(finding["steps"])
        except (ValueError, KeyError):
            report = {"error": done.stderr.decode("utf-8", "replace")[-2000:], "code": done.returncode}
        with open(kept + ".new", "w") as file:
            json.dump(report, file)
        os.replace(kept + ".new", kept)


def key(finding):
    return finding["rule"], finding["function"], finding["line"], finding["condition"]


def new(mutated, original, verdicts):
    """The findings with these verdicts that the original has fewer of."""
    before = Counter(key(f) for f in original["findings"] if f["verdict"] in verdicts)
    fresh = []
    for finding in mutated["findings"]:
        if finding["verdict"] not in verdicts:
            continue
        if before[key(finding)]:
            before[key(finding)] -= 1
        else:
            fresh.append(finding)
    return fresh


def measure(rigel, mutant):
    """(class, the finding that decides it or None)."""
    unit, name, rules, beside = mutant.unit, mutant.function.name, mutant.fitting, mutant.beside

    def both(*options):
        return tuple(rigel.check(unit, text, *options, beside=beside) for text in (mutant.text, unit.text))

    def failed(reports):
        return any("error" in report or report["summary"]["failed"] for report in reports)

    def first(findings, fits):
        return next((f for f in findings if fits(f)), None)

    def here(finding):
        return finding["function"] == name and finding["rule"] in rules

    plain = both()
    if failed(plain):
        return "rigel failed", None
    reported = new(*plain, REPORTED)
    finding = first(reported, here)
    if finding:
        return FOUND, finding
    # What is not shown costs more to say, so only now.
    mutated, original = everything = both("--verbose", "--latent")
    if failed(everything):
        return "rigel failed", None
    for verdict, label in (("refuted", CLASSES[0]), ("undecided", CLASSES[1])):
        finding = first(new(mutated, original, (verdict,)), here)
        if finding:
            return label, finding
    finding = first(reported, lambda f: f["function"] == name)
    if finding:
        return "reported under another rule", finding
    finding = first(reported, lambda f: f["rule"] in rules)
    if finding:
        return "reported in another function", finding
    finding = first(new(mutated, original, ("latent",)), here)
    if finding:
        return "latent: no evidence", finding
    if any(name in json.dumps(note) for note in mutated["notifications"]):
        return "the function was given up", None
    finding = first(
        mutated["findings"],
        lambda f: here(f) and f["verdict"] in REPORTED and f["line"] == mutant.error_line,
    )
    if finding:
        return "reported before the mutation too", finding
    coarse = both("--precision", "0")
    finding = None if failed(coarse) else first(new(*coarse, REPORTED), here)
    if finding:
        return "level 1 only", finding
    # A check that was latent before and still is: nothing acknowledges that value.
    finding = first(
        mutated["findings"],
        lambda f: here(f) and f["verdict"] == "latent" and f["line"] == mutant.error_line,
    )
    if finding:
        return "latent: no evidence", finding
    checks = [sum(f["checks"].get(rule, 0) for rule in rules) for f in mutated["functions"] if f["function"] == name]
    return ("proved: no path at level 1" if any(checks) else "no check of that rule"), None


def measure_all(rigel, mutants, jobs, say):
    # Mutants of the same unit stand together: its baseline is made once, by whoever comes first.
    order = sorted(mutants, key=lambda m: (m.unit.program, m.unit.name, m.start))
    with ThreadPoolExecutor(jobs) as pool:
        for m in {(m.unit, *m.beside): m for m in order}.values():
            pool.submit(rigel.check, m.unit, m.unit.text, beside=m.beside)
    done = {}

    def one(mutant):
        done[id(mutant)] = result = measure(rigel, mutant)
        say(f"{len(done)}/{len(mutants)} {result[0]}: {mutant.unit.program} {mutant.unit.name}:{mutant.line}")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, order))
    return [done[id(mutant)] for mutant in mutants]
