"""What a daemon does not load when it starts on a database that is up to date."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from store.database import Store

STARTED_AGAIN = """
import asyncio, sys
import ingest.daemon
from store.database import Store

async def main():
    store = await Store.open(sys.argv[1])
    await store.close()

asyncio.run(main())
print(sorted({"alembic", "mako", "ingest.recording"} & sys.modules.keys()))
"""


async def test_a_second_start_loads_nothing_to_migrate_with(tmp_path):
    """Ready again within two seconds after a crash: the migrations' library is only loaded where there are any."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'matchwire.db'}"
    await (await Store.open(url)).close()
    ran = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", STARTED_AGAIN, url], capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "[]"
