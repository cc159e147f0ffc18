"""One Chromium for all browser tests of a process; what a test opens in it has cookies, storage and cache of its own."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from providers.http_server import bind_socket, listening

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
UNUSED = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")
"""Two pages of the browser's own, below an address bar that nobody sees: each new window loads and draws them, which costs as much
as the page that is tested."""
AS_PLAYWRIGHT_SAYS = (
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
)  # fmt: skip
"""What playwright switches off; of two such lists Chromium heeds the last, so that ours has to have it too."""
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--renderer-process-limit=1",  # else a process that waits for the next page is started with each window
    f"--disable-features={','.join((*AS_PLAYWRIGHT_SAYS, *UNUSED))}",
)
needed = pytest.mark.skipif(CHROMIUM is None and "CI" not in os.environ, reason="no Chromium on this machine")
"""The mark of a module of browser tests."""


AT_ONCE = {"timeout_graceful_shutdown": 0, "log_level": "critical"}
"""A server that waits for nobody when it stops: what an open page has left with it is no longer of interest to anybody."""


RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
SMALL = """() => [...document.querySelectorAll("a, button, summary")].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.width > 1 && !each.closest(".body p, footer") && (box.height < 23.9 || box.width < 23.9);
}).map((each) => `${each.className} ${each.textContent} ${JSON.stringify(each.getBoundingClientRect())}`)"""


SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


class Remote:
    """An object of playwright, which lives in the loop of its driver, as one of the test's own loop.

    A call is made there; what comes of it is waited for here, and handlers are called here too, in the order in which
    things happened.
    """

    def __init__(self, of: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._of = of
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._of, name)
        return functools.partial(self._call, value) if callable(value) else self._given(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Remote) and self._of == other._of

    def __hash__(self) -> int:
        return hash(self._of)

    def _call(self, method: Callable[..., Any], *args: Any, **named: Any) -> Any:
        here = asyncio.get_running_loop()
        args = tuple(self._taken(each, here) for each in args)
        named = {name: self._taken(each, here) for name, each in named.items()}
        begun: Future[Any] = Future()

        def begin() -> None:
            try:
                begun.set_result(method(*args, **named))
            except Exception as error:  # noqa: BLE001 -- it is raised where the call was made
                begun.set_exception(error)

        self._loop.call_soon_threadsafe(begin)
        result = begun.result()
        if hasattr(result, "__aenter__") and not hasattr(result, "new_page"):
            return self._expected(result)
        return self._awaited(result) if inspect.isawaitable(result) else self._given(result)

    async def _awaited(self, running: Any) -> Any:
        async def wait() -> Any:
            return await running

        return self._given(await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(wait(), self._loop)))

    @asynccontextmanager
    async def _expected(self, manager: Any) -> AsyncIterator[Any]:
        """`async with page.expect_request(…) as info`: `info.value` is awaited afterwards."""
        info = await self._awaited(manager.__aenter__())
        yield SimpleNamespace(value=_Lazy(lambda: self._value_of(info)))
        await self._awaited(manager.__aexit__(None, None, None))

    async def _value_of(self, info: Remote) -> Any:
        async def wait() -> Any:
            return await info._of.value

        return await self._awaited(wait())

    def _given(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(map(self._given, value))
        return Remote(value, self._loop) if type(value).__module__.startswith("playwright.") else value

    def _taken(self, value: Any, here: asyncio.AbstractEventLoop) -> Any:
        if isinstance(value, Remote):
            return value._of
        return self._handler(value, here) if callable(value) else value

    def _handler(self, handler: Callable[..., Any], here: asyncio.AbstractEventLoop) -> Callable[..., Any]:
        most = len(inspect.signature(handler).parameters)

        async def call(*args: Any) -> Any:
            result = handler(*map(self._given, args))
            return await result if inspect.isawaitable(result) else result

        return lambda *args: asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call(*args[:most]), here))


class _Lazy:
    """Awaited when somebody asks for it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __await__(self) -> Any:
        return self._make().__await__()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, asyncio.AbstractEventLoop]]:
    """One browser and one driver, in an event loop and a thread of their own: a test has one that ends with it."""
    os.environ.setdefault("NODE_COMPILE_CACHE", str(tmp_path_factory.mktemp("node")))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="browser")
    thread.start()

    def run(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    from playwright.async_api import async_playwright  # which no run without a browser needs

    async def opened() -> tuple[Any, Any]:
        playwright = await async_playwright().start()
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS])
        return playwright, browser

    playwright, browser = run(opened())
    try:
        yield browser, loop
    finally:
        run(browser.close())
        run(playwright.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
async def browsers(chromium: tuple[Any, asyncio.AbstractEventLoop]) -> AsyncIterator[Any]:
    """Opens contexts, which are closed after the test."""
    browser = Remote(*chromium)
    try:
        yield browser
    finally:
        for context in browser.contexts:
            await context.close()


@pytest.fixture
async def browser(browsers: Any) -> Any:
    """Opens pages for a reader whose language is English."""
    return await browsers.new_context(locale="en")


@pytest.fixture
async def address(public):
    """The API on a real port."""
    async with listening(public.app, bind_socket("127.0.0.1", 0), **AT_ONCE) as address:
        yield address


async def violations(page):
    """What axe-core finds, as rule and elements."""
    from axe_playwright_python.async_playwright import Axe

    found = (await Axe().run(page, options=RULES)).response["violations"]
    return {each["id"]: [node["target"] + [node["failureSummary"]] for node in each["nodes"]] for each in found}
