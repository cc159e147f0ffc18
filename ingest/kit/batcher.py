"""Many callers who want the same of different keys: one run gives it for all who wait, so many at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

KeyT = TypeVar("KeyT")
ResultT = TypeVar("ResultT")


class Batcher(Generic[KeyT, ResultT]):
    """`run` gives the results of up to `most` keys; a caller who is alone does not wait for others.

    While a run is under way callers gather, and each further one takes the next of them, in the order in which they came.
    """

    def __init__(
        self, run: Callable[[Sequence[KeyT]], Awaitable[Mapping[KeyT, ResultT | Exception]]], *, most: int
    ) -> None:
        self._run = run
        self._most = most
        self._waiting: list[tuple[KeyT, asyncio.Future[ResultT | Exception | None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def result(self, key: KeyT) -> ResultT | None:
        """The result for `key`, None where the run gives none. Raises what the run raised, or gave as the result of `key`."""
        future: asyncio.Future[ResultT | Exception | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run_all(), name="batch")
        found = await future
        if isinstance(found, Exception):
            raise found
        return found

    async def _run_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            wanted = [each for each in batch if not each[1].done()]  # a caller who was cancelled wants nothing
            if wanted:
                found = await self._found([key for key, _ in wanted])
                for key, future in wanted:
                    if not future.done():
                        future.set_result(found.get(key))

    async def _found(self, keys: Sequence[KeyT]) -> Mapping[KeyT, ResultT | Exception]:
        try:
            return await self._run(keys)
        except Exception as error:  # noqa: BLE001 -- it is its callers' matter
            return dict.fromkeys(keys, error)
