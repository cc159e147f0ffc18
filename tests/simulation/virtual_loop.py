"""An event loop whose time is virtual, and processes in it that can be stopped, continued and killed between any two steps."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

T = TypeVar("T")

RUNNING: ContextVar[SimulatedExecution | None] = ContextVar("RUNNING", default=None)
"""To which process the step belongs that runs at this moment; None for the world around the processes."""


class Deadlock(Exception):
    """Everybody waits, and nothing is planned that could wake anybody."""


class SimulatedExecution:
    """What runs in the name of one process. While it is stopped its steps wait, as after SIGSTOP; for ever if it was killed."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._stopped = False
        self._waiting: list[_Step] = []
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def stopped(self) -> bool:
        return self._stopped

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        context = copy_context()
        context.run(RUNNING.set, self)
        task = self._loop.create_task(work, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def stop(self) -> None:
        self._stopped = True

    def resume(self) -> None:
        self._stopped = False
        waiting, self._waiting = self._waiting, []
        for step in waiting:
            step.again(self._loop)

    def hold(self, step: _Step) -> None:
        self._waiting.append(step)


class _Step:
    """A callback of a process, which waits while its process is stopped."""

    def __init__(self, callback: Callable[..., object], context: Context, process: SimulatedExecution) -> None:
        self._callback = callback
        self._context = context
        self._process = process
        self._args: tuple[Any, ...] = ()
        self.handle: asyncio.Handle | None = None

    def __call__(self, *args: Any) -> None:
        if self._process.stopped:
            self._args = args
            self._process.hold(self)
        else:
            self._callback(*args)

    def again(self, loop: VirtualLoop) -> None:
        if self.handle is None or not self.handle.cancelled():
            self.handle = loop.call_plainly(self, self._args, self._context)


class _NoWaiting(selectors.SelectSelector):
    """Lets the time pass for which the loop would have waited."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Deadlock
        self.now += max(timeout, 0.0)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` stands still while something runs, and jumps to what is planned next when nothing does."""

    def __init__(self) -> None:
        self._virtual = _NoWaiting()
        super().__init__(self._virtual)
        self.set_exception_handler(self._note)
        self.unexpected: list[str] = []
        """What went wrong in tasks that nobody waited for."""

    def time(self) -> float:
        return self._virtual.now

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        context = copy_context() if context is None else context
        process = context.get(RUNNING)
        if process is None:
            return super().call_soon(callback, *args, context=context)
        step = _Step(callback, context, process)
        step.handle = super().call_soon(step, *args, context=context)
        return step.handle

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        context = copy_context() if context is None else context
        process = context.get(RUNNING)
        if process is None:
            return super().call_at(when, callback, *args, context=context)
        step = _Step(callback, context, process)
        step.handle = handle = super().call_at(when, step, *args, context=context)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """There is one thread."""
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(self, executor: object, work: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        """What a thread would do is done at once, in no time."""
        del executor
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(work(*args))
        except Exception as error:  # noqa: BLE001 -- whoever awaits it gets it
            done.set_exception(error)
        return done

    def call_plainly(self, callback: Callable[..., object], args: tuple[Any, ...], context: Context) -> asyncio.Handle:
        """Like `call_soon`, for what is a step already."""
        return super().call_soon(callback, *args, context=context)

    def _note(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.unexpected.append(f"{context.get('message')}: {context.get('exception')!r}")
