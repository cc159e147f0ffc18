"""Entry point of the `matchwire` command: sees to it that matchwire's packages are its own before any of them is loaded.

Their names are common words, and another distribution may install one of the same name in front of ours, or over it.
Nothing else is imported here: an import of a package that is somebody else's would end in a traceback.
"""

from __future__ import annotations

import gc
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("config", "mapping", "providers", "store", "api")
HOME = Path(__file__).resolve().parent.parent
MARK = b"matchwire"
"""Stands in the `__init__` of each of our packages."""
MISTAKE = 2
"""Exit status; `ingest.cli.main.start_errors` cannot be loaded before all packages are known to be ours."""


def main() -> None:
    """Run the command. While modules are loaded nothing becomes garbage; looking for it costs a third."""
    if sys.argv[1:2] == ["run"]:
        signal.signal(
            signal.SIGHUP, signal.SIG_IGN
        )  # it asks the daemon to check its settings, and would end one that loads
    gc.disable()
    problem = next(filter(None, map(foreign, PACKAGES)), None)
    if problem is None:
        try:
            from ingest.cli.main import main as run
        except ImportError as error:
            problem = f"a package is damaged, or one that matchwire needs is missing: {error}"
        else:
            run()
            return
    sys.stderr.write(f"matchwire: {problem}\n")
    raise SystemExit(MISTAKE)


def foreign(name: str) -> str | None:
    """What is wrong with the package of that name; None where it is ours."""
    spec = find_spec(name)
    file = None if spec is None or spec.origin is None else Path(spec.origin)
    ours = (HOME / name / "__init__.py").resolve()
    if file is None:
        return f"the package {name} is damaged, {ours} is missing: install matchwire again"
    if file.resolve() != ours or not _has_mark(file):
        return (
            f"the package {name} is not matchwire's own, another distribution has put its own there ({file}): "
            "install matchwire into an environment of its own"
        )
    return None


def _has_mark(file: Path) -> bool:
    try:
        return MARK in file.read_bytes()
    except OSError:
        return False
