"""A receiver of webhooks in a process of its own: each path is a way to behave, each request a line of its log."""

import asyncio
import json
import sys
import time
from contextlib import suppress
from pathlib import Path

MEGABYTE = b"x" * 1_000_000


async def answer(status, writer, body=b"", headers=()):
    reason = "" if " " in str(status) else " X"
    lines = [f"HTTP/1.1 {status}{reason}", f"content-length: {len(body)}", *headers]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()


async def behave(how, writer):  # noqa: C901 -- a table of behaviours
    """True where the connection can be used again."""
    match how:
        case "ok":
            await answer(204, writer)
            return True
        case "once":
            await answer(204, writer, headers=("connection: close",))
        case "500" | "503" | "400" | "404":
            await answer(int(how), writer, b"no")
            return True
        case "429":
            await answer(429, writer, headers=("retry-after: 1200",))
            return True
        case "301":
            await answer(301, writer, headers=("location: /ok",))
            return True
        case "telling" | "telling-ok":
            status = 500 if how == "telling" else 200
            await answer(f"{status} inner-9d1f", writer, b"inner-9d1f", ("x-inside: inner-9d1f",))
            return True
        case _ if how.startswith("after-"):  # after-<seconds>: slow, and healthy
            await asyncio.sleep(float(how.removeprefix("after-")))
            await answer(204, writer)
            return True
        case "hang":
            await asyncio.sleep(3600)
        case "drip":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
            while True:
                writer.write(b".")
                await writer.drain()
                await asyncio.sleep(0.2)
        case "reset":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf")
            await writer.drain()
            writer.transport.abort()
        case "big":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 50000000\r\n\r\n")
            for _ in range(50):
                writer.write(MEGABYTE)
                await writer.drain()
    return False


async def main(log_file):
    log = Path(log_file).open("a", encoding="utf-8")  # noqa: SIM115, ASYNC230 -- for the life of the process
    switched = {}

    async def serve(reader, writer):
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            again = True
            while again:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = dict(line.lower().partition(": ")[::2] for line in head[1:] if line)
                exact = dict(line.partition(": ")[::2] for line in head[1:] if line)
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                path = head[0].split(" ")[1]
                if path.startswith("/switch/"):  # /switch/<receiver>/<how>; /switch/*/reset for all
                    _, _, name, how = path.split("/")
                    if name == "*":
                        switched.clear()
                    else:
                        switched[name] = how
                    again = await behave("ok", writer)
                    continue
                _, how, name = path.split("/")
                line = {"at": time.time(), "name": name, "body": body.decode(), "headers": exact}
                log.write(json.dumps(line) + "\n")
                log.flush()
                again = await behave(switched.get(name, how), writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
