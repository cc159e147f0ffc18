"""Plays recorded provider traffic again, now, over real HTTP: for the demo, for tests, for last night's match."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from providers.replay.faults import MODES, Fault
from providers.replay.recording import Line, Recording, RecordingError, read, read_lines
from providers.replay.replay import Replay
from providers.replay.settings import ReplaySettings

__all__ = [
    "MODES",
    "Fault",
    "Line",
    "Recording",
    "RecordingError",
    "Replay",
    "ReplaySettings",
    "read",
    "read_lines",
    "running",
    "serve",
]


@asynccontextmanager
async def running(settings: ReplaySettings) -> AsyncIterator[Replay]:
    """A replay of `settings.files` that answers while the context is open.

    Raises RecordingError or OSError for files that cannot be replayed, OSError for a port that is taken.
    """
    lines = [line for path in settings.files for line in read_lines(path)]
    async with Replay(lines, settings).serve() as replay:
        yield replay


async def serve(settings: ReplaySettings, *, ready: Callable[[str], None] | None = None) -> None:
    """Replay until cancelled; `ready` is called once with the base address. Prints nothing."""
    async with running(settings) as replay:
        if ready is not None:
            ready(replay.url)
        await asyncio.Event().wait()
