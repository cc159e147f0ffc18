"""A process of its own that writes until it is killed; each line that it prints is a write that was reported as done."""

# ruff: noqa: T201
import asyncio
import sys

from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs.liveblogs import insert_game, record
from tests.kit.opening import store_at
from tests.store.conftest import new_game

WRITERS = 16


async def main(url, run):
    store = await store_at(url)
    game = await store.write(lambda unit: insert_game(unit, new_game(run)))
    print("ready", flush=True)

    async def write(writer):
        number = 0
        while True:
            local_id = f"r{run}w{writer}n{number}"
            event = EventWrite.new(local_id=local_id, document={"headline": "x" * 500}, created_at=number)
            version = await store.write(lambda unit, event=event: record(unit, game.id, Change(events=(event,))))
            print(local_id, version, flush=True)
            number += 1

    await asyncio.gather(*(write(writer) for writer in range(WRITERS)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
