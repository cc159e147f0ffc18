"""Small faults put into the heart of `mapping/` one by one, and which of them `tests/mapping` catches: `make mutants`.

The tests are collected once. A mutant is a fork of that process in which one function or constant is replaced, and which runs
the tests that come past it, the quickest first. What changes nothing is named in `equivalent_mutants.toml`, with the reason.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import inspect
import os
import pickle
import random
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
POSTS = "disallowed merge posts reconcile reissued shootout"
FILES = [
    "mapping/belief/*.py", "mapping/fusion/*.py", "mapping/match/identity.py",
    *(f"mapping/posts/{name}.py" for name in POSTS.split()),
]  # fmt: skip
OTHERS = {"Eq": "NotEq", "NotEq": "Eq", "Is": "IsNot", "IsNot": "Is", "In": "NotIn", "NotIn": "In", "Lt": "LtE GtE",
          "LtE": "Lt Gt", "Gt": "GtE LtE", "GtE": "Gt Lt", "And": "Or", "Or": "And", "Add": "Sub", "Sub": "Add",
          "BitOr": "BitAnd", "BitAnd": "BitOr", "Mult": "Div", "Div": "Mult"}  # fmt: skip
"""Operator → those that may stand instead."""
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}
SILENT = {"annotation", "returns", "decorator_list"}
"""Fields of nodes that change nothing of what the program does."""


class Unit(NamedTuple):
    """A function or method of a file, or a constant, which has no name here."""

    file: str
    name: str
    code: Any


def put(node: Any, **fields: Any) -> Any:
    """A copy of a node with these fields."""
    other = copy.copy(node)
    vars(other).update(fields)
    return other


def other_operators(node: Any) -> list[Any]:
    return [put(node, op=getattr(ast, name)()) for name in OTHERS.get(type(node.op).__name__, "").split()]


def other_values(node: Any) -> list[Any]:
    if isinstance(node.value, bool):
        return [put(node, value=not node.value)]
    steps = () if not isinstance(node.value, int) else (1, -1) if node.value else (1,)
    return [put(node, value=node.value + step) for step in steps]


def without_one(node: Any, *fields: str) -> list[Any]:
    rows = [getattr(node, field) for field in fields]
    return [
        put(node, **{field: row[:at] + row[at + 1 :] for field, row in zip(fields, rows, strict=True)})
        for at in range(len(rows[0]))
    ]


VARIANTS: dict[type[ast.AST], Callable[[Any], list[Any]]] = {
    ast.Compare: lambda node: [put(node, ops=[each.op]) for each in other_operators(put(node, op=node.ops[0]))],
    ast.BoolOp: other_operators,
    ast.BinOp: other_operators,
    ast.UnaryOp: lambda node: [node.operand] if isinstance(node.op, ast.Not) else [],
    ast.Constant: other_values,
    ast.Name: lambda node: [put(node, id=NAMES[node.id])] if node.id in NAMES else [],
    ast.Return: lambda node: [] if isinstance(node.value, ast.Constant) else [put(node, value=ast.Constant(None))],
    ast.If: lambda node: [put(node, test=ast.Constant(value)) for value in (True, False)],
    ast.IfExp: lambda node: [node.body, node.orelse],
    ast.comprehension: lambda node: without_one(node, "ifs"),
    ast.Call: lambda node: without_one(node, "keywords") if ast.unparse(node.func) == "replace" else [],
    ast.Set: lambda node: without_one(node, "elts"),
    ast.List: lambda node: without_one(node, "elts"),
    ast.Tuple: lambda node: without_one(node, "elts") if isinstance(node.ctx, ast.Load) else [],
    ast.Dict: lambda node: without_one(node, "keys", "values"),
    ast.Expr: lambda node: [ast.Pass()] if isinstance(node.value, ast.Call) else [],
    ast.AugAssign: lambda _: [ast.Pass()],
    ast.Raise: lambda _: [ast.Pass()],
    ast.Continue: lambda _: [ast.Break()],
}
"""Kind of node → what may stand in its place."""


def mutations(node: Any, line: int = 0) -> Iterator[tuple[int, Any]]:
    """The node with each change of itself or of what it holds, and the line where that is."""
    line = getattr(node, "lineno", line)
    yield from ((line, each) for each in VARIANTS.get(type(node), lambda _: [])(node))
    for field, value in ast.iter_fields(node):
        rows = value if isinstance(value, list) else [value]
        for at, each in enumerate(rows) if field not in SILENT else ():
            if isinstance(each, ast.AST):
                for where, new in mutations(each, line):
                    yield (
                        where,
                        put(node, **{field: [*rows[:at], new, *rows[at + 1 :]] if rows is value else new}),
                    )


def units() -> Iterator[Unit]:
    """What is mutated."""
    for path in [path for pattern in FILES for path in sorted(ROOT.glob(pattern))]:
        yield from units_of(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def units_of(file: str, source: str) -> Iterator[Unit]:
    """What may be changed in a file of which this is the source; a method that calls `super()` is bound to its class."""
    body = ast.parse(source).body
    owned = [(f"{each.name}.", inner) for each in body if isinstance(each, ast.ClassDef) for inner in each.body]
    for owner, each in [*(("", each) for each in body), *owned]:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            if "super()" not in ast.unparse(each):
                yield Unit(file, f"{owner}{each.name}", put(each, decorator_list=[]))
        elif not owner and isinstance(each, ast.Assign | ast.AnnAssign) and not isinstance(each.value, ast.Subscript):
            yield Unit(file, "", each)


def named(unit: Unit, line: int, changed: Any) -> tuple[str, str]:
    """`file::function::the line → its mutation`, and where that is."""
    texts = (ast.unparse(each).split("\n") for each in (unit.code, changed))
    was, now = next((one.strip(), two.strip()) for one, two in zip(*texts, strict=False) if one != two)
    return f"{unit.file}::{unit.name}::{was} → {now}", f"{unit.file}:{line}"


def apply(unit: Unit, change: Callable[[Any, str, Any], None] = setattr) -> None:
    """Put the unit into this process, wherever the product has got the function or constant from its file.

    The constants that follow are made anew, as they may be made of it. `change` sets what a function has.
    """
    module = import_module(unit.file.removesuffix(".py").replace("/", "."))
    made = dict(vars(module))
    rest = ast.parse((ROOT / unit.file).read_text(encoding="utf-8")).body if not unit.name else []
    later = [each for each in rest if isinstance(each, ast.Assign | ast.AnnAssign) and each.lineno > unit.code.lineno]
    tree = ast.fix_missing_locations(ast.Module([unit.code, *later], []))
    exec(compile(tree, str(module.__file__), "exec"), made)  # noqa: S102
    if unit.name:
        old: Any = module
        for part in unit.name.split("."):
            old = inspect.getattr_static(old, part)
        old = inspect.unwrap(getattr(old, "__func__", None) or getattr(old, "fget", None) or old)
        for field in ("__code__", "__defaults__", "__kwdefaults__"):
            change(old, field, getattr(made[unit.code.name], field))
        return
    users = [vars(each) for name, each in sys.modules.items() if name.startswith("mapping.")]
    for name, was in [(name, was) for name, was in vars(module).items() if made[name] is not was]:
        for user in users:
            for key in [key for key, value in user.items() if value is was]:
                if key == name or was not in range(-5, 257):  # small numbers are one object, whatever they mean
                    user[key] = made[name]


def fork(work: Callable[[], object], seconds: float = 3600) -> int:
    """Do it in a process of its own, which says nothing; an endless loop ends after so many seconds of processor."""
    if pid := os.fork():
        return pid
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        work()
        os._exit(0)
    finally:
        os._exit(1)


def run(unit: Unit, tests: Sequence[pytest.Item]) -> None:
    """The tests with the changed unit, until one of them fails."""
    apply(unit)
    for each in tests:
        each.ihook.pytest_runtest_protocol(item=each, nextitem=None)
        if each.session.testsfailed:
            os._exit(1)


def come_past(tests: Sequence[pytest.Item], file: str) -> None:
    """Write of each test how long it takes and past which functions it comes: each has a line more, which says so."""
    seen: set[tuple[str, str]] = set()
    vars(builtins)["_comes_past"] = seen.add
    for unit in units():
        if unit.name:
            probe = ast.parse(f"_comes_past({unit[:2]})").body
            apply(unit._replace(code=put(unit.code, body=[*probe, *unit.code.body])))
    rows = []
    for at, each in enumerate(tests):
        seen.clear()
        began = time.process_time()
        each.ihook.pytest_runtest_protocol(item=each, nextitem=None)
        rows.append((time.process_time() - began, at, {*seen, *((name, "") for name, _ in seen)}))
        if each.session.testsfailed:
            os._exit(1)
    Path(file).write_bytes(pickle.dumps(rows))


class Mutants:
    """A plugin of pytest: instead of once, the collected tests run for every mutant of a sample."""

    def __init__(self, wanted: argparse.Namespace) -> None:
        self.wanted, self.caught, self.tried = wanted, 0, 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Fork once for every mutant."""
        reasons = tomllib.loads((ROOT / "tools/equivalent_mutants.toml").read_text(encoding="utf-8"))
        every = [
            (*named(unit, *each), unit._replace(code=each[1])) for unit in units() for each in mutations(unit.code)
        ]
        if unknown := reasons.keys() - {name for name, *_ in every}:
            pytest.exit(f"equivalent, and no mutants: {unknown}", 2)
        left = [each for each in every if each[0] not in reasons and self.wanted.only in each[0]]
        sample = random.Random(self.wanted.seed).sample(left, min(self.wanted.sample, len(left)))  # noqa: S311
        with tempfile.NamedTemporaryFile() as kept:
            if os.waitpid(fork(partial(come_past, session.items, kept.name)), 0)[1]:
                pytest.exit("the tests fail without any mutant", 2)
            rows = sorted(pickle.loads(Path(kept.name).read_bytes()), key=lambda row: row[:2])  # noqa: S301
        running: dict[int, str] = {}
        while sample or running:
            if sample and len(running) < self.wanted.jobs:
                name, where, unit = sample.pop()
                past = [(seconds, session.items[at]) for seconds, at, seen in rows if unit[:2] in seen]
                seconds = 10 + 3 * sum(each for each, _ in past)
                running[fork(partial(run, unit, [each for _, each in past]), seconds)] = f"{where}: {name}"
                continue
            pid, status = os.wait()
            self.tried, self.caught, name = self.tried + 1, self.caught + bool(status), running.pop(pid)
            if not status:
                print(name, flush=True)  # noqa: T201
        return True


def main() -> int:
    """Say which mutants survive, and how many of all were caught."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--sample", type=int, default=400)
    options.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options.add_argument("--only", default="", help="only mutants whose names have this text")
    plugin = Mutants(options.parse_args())
    tests = ["tests/mapping", "-q", "-s", "-p", "no:cacheprovider", "-m", "not proof and not soak"]
    failed = pytest.main(tests, plugins=[plugin])
    print(f"{plugin.caught} of {plugin.tried} caught, {plugin.caught / max(plugin.tried, 1):.1%}")  # noqa: T201
    return failed or plugin.caught < 0.9 * plugin.tried


if __name__ == "__main__":
    sys.exit(main())
