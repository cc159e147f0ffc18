"""A bucket that answers as a test wants."""

import asyncio
from contextlib import asynccontextmanager, suppress

from tests.kit.s3_server import S3Server

ANSWER = (
    'HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nETag: "e"\r\n'
    "Last-Modified: Sun, 22 Nov 2026 12:00:00 GMT\r\nContent-Length: {length}\r\n\r\n{body}"
)


@asynccontextmanager
async def answering(status=None, body="", *, length=None, seen=None):
    """A server that gives every request this answer; without a status none. `length`: what it promises; `seen`: requests."""

    connections = {}

    async def serve(reader, writer):
        connections[asyncio.current_task()] = writer
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while status is not None and (head := await reader.readuntil(b"\r\n\r\n")):
                if seen is not None:
                    seen.append(head.decode())
                writer.write(ANSWER.format(status=status, length=length or len(body), body=body).encode())
                await writer.drain()
            await reader.read()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        try:
            yield S3Server(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "uploads")
        finally:
            server.close()
            for _ in range(10):  # turns of the loop: a connection that is being accepted has its writer then
                await asyncio.sleep(0.001)
            for writer in connections.values():
                writer.close()
            await asyncio.gather(*connections, *(each.wait_closed() for each in connections.values()))
