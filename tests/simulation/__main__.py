"""Plays seeds: `PYTHONHASHSEED=0 python -m tests.simulation --seed 17`, or `--seeds 0 100`; ends with 1 where one breaks.

The virtual clocks are put in place before the product is imported.
"""

# ruff: noqa: E402, T201 -- the order of imports is what this is about; it prints

from __future__ import annotations

from tests.simulation.virtual_time import VirtualLoop, seed_all, virtualize

virtualize()

import argparse
import asyncio
import sys
from pathlib import Path

import structlog

from ingest.webhooks import dispatcher
from tests.simulation.plants import PLANTS
from tests.simulation.processes import Receiver, task_of
from tests.simulation.world import Broken, World

KEPT = 3
"""Failures that are shown at most."""


def played(seed: int, schema: bytes) -> tuple[str, str]:
    """What broke, empty where nothing did, and the trace of the play."""
    seed_all(seed)
    loop = VirtualLoop()
    loop.set_task_factory(task_of)
    loop.set_exception_handler(lambda *_: None)  # tasks of processes that were killed end as they like
    world = World(seed, schema)
    try:
        loop.run_until_complete(world.play())
    except Broken:
        pass
    finally:
        figures = world.close()
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.close()
    return (world.broken or [""])[0], " ".join(f"{name}={value}" for name, value in figures.items())


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    options.add_argument("--seed", type=int)
    options.add_argument("--seeds", type=int, nargs=2, default=(0, 20), metavar=("FIRST", "END"))
    options.add_argument("--schema", type=Path, required=True, help="an empty SQLite database with the schema")
    options.add_argument("--plant", choices=PLANTS, help="a fault to plant in the product: it has to be found")
    options.add_argument("--log", action="store_true", help="show the log of the processes")
    given = options.parse_args()
    if not given.log:
        structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    dispatcher.ReceiverClient = Receiver  # type: ignore[misc, assignment]
    if given.plant:
        PLANTS[given.plant]()
    schema = given.schema.read_bytes()
    broken = 0
    for seed in range(*given.seeds) if given.seed is None else [given.seed]:
        fault, figures = played(seed, schema)
        if fault:
            broken += 1
            print(
                f"seed {seed}: {fault}\n    again: PYTHONHASHSEED=0 python -m tests.simulation --seed {seed} --schema …"
            )
        else:
            print(f"seed {seed}: {figures}")
        if broken == KEPT:
            break
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
