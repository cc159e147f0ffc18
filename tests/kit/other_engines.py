"""Firefox by WebDriver BiDi and WebKit by WebDriver: real keys and clicks in the engines that Chromium is not.

Both take the same actions (https://www.w3.org/TR/webdriver2/#actions). Chromium has a kit of its own (`browser.py`).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.kit.postgres import free_port
from tests.kit.workers import until

ENTER, CONTROL, SHIFT = "\ue007", "\ue009", "\ue008"
PATIENCE = 60
"""Seconds for a browser's start, and for an answer of it."""
SCREEN = {"width": 1280, "height": 800}


class Engine:
    """A window of a browser; `complaints`: what its console has warned of."""

    def __init__(
        self, evaluate: Callable[[str], Any], act: Callable[[list[Any]], Any], go: Callable[[str], Any]
    ) -> None:
        self._evaluate, self._act, self.go = evaluate, act, go
        self.complaints: list[str] = []

    async def evaluate(self, expression: str) -> Any:
        """What a JavaScript expression comes to."""
        return json.loads(await self._evaluate(f"JSON.stringify({expression}) ?? 'null'"))

    async def holds(self, expression: str) -> None:
        """Wait until the expression is true."""
        await until(lambda: self.evaluate(f"!!({expression})"), PATIENCE)

    async def keys(self, *keys: str) -> None:
        """Press the keys, all held down together."""
        steps = [{"type": "keyDown", "value": each} for each in keys]
        steps += [{"type": "keyUp", "value": each} for each in reversed(keys)]
        await self._act([{"type": "key", "id": "keyboard", "actions": steps}])

    async def type(self, text: str) -> None:
        """Type the text, key by key."""
        steps = [{"type": kind, "value": each} for each in text for kind in ("keyDown", "keyUp")]
        await self._act([{"type": "key", "id": "keyboard", "actions": steps}])

    async def click(self, selector: str) -> None:
        """Click into the middle of the first element that is chosen by the selector, once it is there."""
        found = f"document.querySelector({json.dumps(selector)})"
        await self.holds(f"{found}?.getClientRects().length")
        await self.evaluate(f"{found}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = await self.evaluate(f"{found}.getBoundingClientRect()")
        place = {"x": int(box["x"] + box["width"] / 2), "y": int(box["y"] + box["height"] / 2)}
        steps = [
            {"type": "pointerMove", **place, "duration": 0, "origin": "viewport"},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        await self._act([{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}])


@asynccontextmanager
async def _running(
    home: str, *command: str, more: Mapping[str, str] | None = None, **started: Any
) -> AsyncIterator[Any]:
    """The process of a command, whose home is a folder that goes with it; ended at the end."""
    env = {"HOME": home, "PATH": os.environ["PATH"], **(more or {})}
    quiet = {"stdout": asyncio.subprocess.DEVNULL, "stderr": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(*command, env=env, **quiet, **started)
    try:
        yield process
    finally:
        process.terminate()
        await process.communicate()


async def _line(process: Any, wanted: bytes) -> bytes:
    """What fits the pattern in the first line of the process' log in which something does."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if found := re.search(wanted, await process.stderr.readline()):
                return found[0]


@asynccontextmanager
async def firefox() -> AsyncIterator[Engine]:
    """Firefox without a screen, with a profile that goes with it."""
    async with AsyncExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        command = ("firefox-esr", "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", home)
        process = await stack.enter_async_context(_running(home, *command, f"--width={SCREEN['width']}", "about:blank"))
        address = (await _line(process, rb"ws://\S+")).decode()
        client = await stack.enter_async_context(aiohttp.ClientSession())
        socket = await stack.enter_async_context(client.ws_connect(f"{address}/session", max_msg_size=0))
        waiting: dict[int, asyncio.Future[Any]] = {}

        async def send(method: str, **params: Any) -> Any:
            number = len(waiting)
            waiting[number] = asyncio.get_running_loop().create_future()
            await socket.send_json({"id": number, "method": method, "params": params})
            return await asyncio.wait_for(waiting[number], PATIENCE)

        async def listen() -> None:
            async for message in socket:
                said = message.json()
                if "id" in said:
                    known = waiting[said["id"]]
                    known.set_result(said["result"]) if "result" in said else known.set_exception(AssertionError(said))
                elif said["params"]["level"] in {"warn", "error"}:
                    engine.complaints.append(said["params"]["text"])

        async def evaluate(expression: str) -> str:
            found = await send("script.evaluate", expression=expression, target={"context": tab}, awaitPromise=True)
            assert found["type"] == "success", found
            return str(found["result"]["value"])

        async def act(actions: list[Any]) -> None:
            await send("input.performActions", context=tab, actions=actions)

        async def go(url: str) -> None:
            await send("browsingContext.navigate", context=tab, url=url, wait="complete")

        engine = Engine(evaluate, act, go)
        listening = asyncio.create_task(listen())
        stack.callback(listening.cancel)
        await send("session.new", capabilities={})
        tab = (await send("browsingContext.getTree"))["contexts"][0]["context"]
        await send("browsingContext.setViewport", context=tab, viewport=SCREEN)
        await send("session.subscribe", events=["log.entryAdded"])
        yield engine


@asynccontextmanager
async def webkit() -> AsyncIterator[Engine]:
    """WebKit's own small browser, on a screen that nobody sees. Its driver does not say what the console warns of."""
    async with AsyncExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        screen = f"{SCREEN['width']}x{SCREEN['height'] + 100}x24"
        read, write = os.pipe()
        server = _running(
            home, "Xvfb", "-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp", pass_fds=(write,)
        )
        await stack.enter_async_context(server)
        with os.fdopen(read) as numbers:
            os.close(write)
            display = (await asyncio.to_thread(numbers.readline)).strip()
        more = {"DISPLAY": f":{display}", "XDG_RUNTIME_DIR": home, "LIBGL_ALWAYS_SOFTWARE": "1", "LANG": "C.UTF-8"}
        # Whoever is root has no sandbox to give; the pages are our own.
        more |= {"WEBKIT_DISABLE_COMPOSITING_MODE": "1", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        port = free_port()
        await stack.enter_async_context(_running(home, "WebKitWebDriver", f"--port={port}", more=more))
        timeout = aiohttp.ClientTimeout(PATIENCE)
        client = await stack.enter_async_context(aiohttp.ClientSession(f"http://127.0.0.1:{port}", timeout=timeout))

        async def send(path: str, **body: Any) -> Any:
            async with client.post(path, json=body) as response:
                said = (await response.json())["value"]
                assert response.status == 200, said
                return said

        async def reachable() -> bool:
            try:
                async with client.get("/status") as response:
                    return response.status == 200
            except aiohttp.ClientError:
                return False

        await until(reachable, PATIENCE)
        options = {"binary": _mini_browser(), "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        session = f"/session/{(await send('/session', capabilities=wanted))['sessionId']}"
        stack.push_async_callback(client.delete, session)
        await send(f"{session}/window/rect", x=0, y=0, **SCREEN)
        yield Engine(
            lambda expression: send(f"{session}/execute/sync", script=f"return {expression}", args=[]),
            lambda actions: send(f"{session}/actions", actions=actions),
            lambda url: send(f"{session}/url", url=url),
        )


ENGINES: Mapping[str, Callable[[], Any]] = {"firefox": firefox, "webkit": webkit}


def _mini_browser() -> str:
    return str(next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")))


def is_missing(name: str) -> bool:
    """Whether this machine has not the engine."""
    command = {"firefox": "firefox-esr", "webkit": "WebKitWebDriver"}[name]
    return shutil.which(command) is None or (name == "webkit" and shutil.which("Xvfb") is None)
