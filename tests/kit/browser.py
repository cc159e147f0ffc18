"""One Chromium for all browser tests of a process; what a test opens in it has cookies, storage and cache of its own."""

from __future__ import annotations

import os
import shutil
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Browser, BrowserContext, async_playwright
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

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


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address at which it is controlled."""
    # Every test starts playwright's driver, a program for Node: it is compiled once, and not by each of them.
    os.environ.setdefault("NODE_COMPILE_CACHE", str(tmp_path_factory.mktemp("node")))
    profile, opened, ended = tmp_path_factory.mktemp("chromium"), Future[str](), threading.Event()

    def run() -> None:
        with sync_playwright() as playwright:
            context = playwright.chromium.launch_persistent_context(
                profile, executable_path=CHROMIUM, args=[*ARGUMENTS, "--remote-debugging-port=0"]
            )
            opened.set_result(f"http://127.0.0.1:{_port(profile)}")
            ended.wait()
            context.close()

    # playwright has an event loop of its own, which must not be that of the tests
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run)
        wait([running, opened], return_when=FIRST_COMPLETED)
        try:
            yield running.result() or "" if running.done() else opened.result()
        finally:
            ended.set()
            running.result()


def _port(profile: Path) -> int:
    return int((profile / "DevToolsActivePort").read_text().split()[0])


@pytest.fixture
async def browsers(chromium: str) -> AsyncIterator[Browser]:
    """Opens contexts, which are closed after the test."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(chromium)
        try:
            yield browser
        finally:
            for context in browser.contexts[1:]:  # the first one is the browser's own
                await context.close()
            await browser.close()


@pytest.fixture
async def browser(browsers: Browser) -> BrowserContext:
    """Opens pages for a reader whose language is English."""
    return await browsers.new_context(locale="en")
