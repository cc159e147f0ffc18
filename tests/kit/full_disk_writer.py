"""A process of its own whose files may not grow for a while: what a full disk does to COMMIT."""

# ruff: noqa: T201
import asyncio
import json
import resource
import sys
from pathlib import Path

from sqlalchemy import text

from mapping.errors import StoreUnavailable
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs.liveblogs import events, insert_game, record
from tests.kit.opening import store_at
from tests.store.conftest import new_game


def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


async def main(url, wal):
    store = await store_at(url)
    game = await store.write(lambda unit: insert_game(unit, new_game()))

    async def write(local_id, size=100):
        event = EventWrite.new(local_id=local_id, document={"headline": "x" * size}, created_at=1)
        try:
            return await store.write(lambda unit: record(unit, game.id, Change(events=(event,))))
        except StoreUnavailable as error:
            return error.body()["code"]

    before = await write("before")
    limit(wal.stat().st_size + 100)
    small = await asyncio.gather(*(write(f"small{number}") for number in range(20)))
    large = await write("large", 20_000_000)
    read = [item.local_id for item in await store.read(lambda conn: events(conn, game.id))]
    await store.ping()
    limit(resource.RLIM_INFINITY)
    after = await write("after")
    intact = await store.read(lambda conn: conn.execute(text("PRAGMA integrity_check")).scalar())
    stored = [item.local_id for item in await store.read(lambda conn: events(conn, game.id))]
    await store.close()
    print(json.dumps({"before": before, "small": sorted(set(small)), "large": large, "read": read, "after": after,
                      "intact": intact, "stored": stored}))  # fmt: skip


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
