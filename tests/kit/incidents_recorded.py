"""The bundle of what happened to a recorded match."""

import asyncio

from ingest.cli.incident import _collect
from ingest.incident.bundle import IncidentWindow, pack, unpack

WINDOW = IncidentWindow(since=0.0, until=9e9)


async def bundle_of(day, path, local_id, **wanted):
    """The bundle of the liveblog, through its file."""
    path.write_bytes(pack(await _collect(day.settings, local_id, WINDOW, **{"commentary": True, **wanted})))
    return await asyncio.to_thread(unpack, path)
