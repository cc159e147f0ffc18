"""How long a start takes until the first answer, beside uvicorn with an empty ASGI application: `python -m bench.start`.

Both are started in turn, each in a process of its own, on a database that is up to date; wall time and CPU time, medians.
"""

# ruff: noqa: RUF001 -- it prints multiples

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.daemon_process import RUN, free_port, start
from bench.measure import Figure, table

WANTED = 1.6
CONFIG = """
[database]
url = "sqlite+aiosqlite:///{folder}/bench.db"
[logging]
level = "error"
"""
HELLO = """
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})
"""


class Start(NamedTuple):
    """Seconds until the first answer, and seconds of CPU by then."""

    wall: float
    cpu: float


def started(command: list[str], folder: Path, port: int, path: str) -> Start:
    """Start a process, wait until `path` answers 200, and end it."""
    process = start(command, folder, port=port, path=path)
    try:
        return Start(process.took, process.cpu())
    finally:
        process.end()


def measured(rounds: int) -> list[Figure]:
    """Both in turn; the first start of each makes database and bytecode, and does not count."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        (folder / "matchwire.toml").write_text(CONFIG.format(folder=folder))
        (folder / "hello.py").write_text(HELLO)
        theirs = [sys.executable, "-m", "uvicorn", "hello:app", "--port", str(port), "--log-level", "error"]
        pairs = [
            (started([*RUN], folder, port, "/readyz"), started(theirs, folder, port, "/")) for _ in range(rounds + 1)
        ][1:]
    return [
        _figure("wall time", [(a.wall, b.wall) for a, b in pairs], WANTED),
        _figure("CPU", [(a.cpu, b.cpu) for a, b in pairs]),
    ]


def _figure(what: str, pairs: list[tuple[float, float]], wanted: float | None = None) -> Figure:
    ours, theirs = (median(side) for side in zip(*pairs, strict=True))
    ratios = sorted(one / other for one, other in pairs)
    shown = f"{median(ratios):.2f} × ({ours:.2f} s : {theirs:.2f} s; {ratios[0]:.2f} to {ratios[-1]:.2f})"
    met = None if wanted is None else median(ratios) <= wanted
    name = f"{what} from start to ready, empty, beside uvicorn hello"
    return Figure(name, shown, f"≤ {wanted} ×" if wanted else "", met)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    print(table(measured(options.parse_args().rounds)))


if __name__ == "__main__":
    main()
