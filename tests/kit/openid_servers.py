"""Providers of OpenID Connect for tests: a real one as a process of its own, and one that gives back whatever a test wants."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "matchwire", "the-secret-of-openid"
KEY, OTHER_KEY = RSAKey.generate_key(2048, {"kid": "one"}), RSAKey.generate_key(2048, {"kid": "one"})


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@asynccontextmanager
async def provider(*people: dict[str, Any]):
    """The address of a provider that knows these people by their claims."""
    port = free_port()
    words = [word for each in people for word in ("--user-claims", json.dumps(each))]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce", *words,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        async with httpx.AsyncClient(trust_env=False) as http:
            for _ in range(300):
                try:
                    await http.get(f"{address}/.well-known/openid-configuration")
                    break
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
        yield address
    finally:
        process.terminate()
        await process.wait()


class Forger:
    """A provider that issues what the test says: `claims` over the right ones, and what else is wrong with it."""

    def __init__(self) -> None:
        self.address = ""
        self.claims: dict[str, Any] = {}
        self.key, self.algorithm = KEY, "RS256"
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.token: str | None = None
        self.keys = {"keys": [KEY.as_dict(private=False)]}
        self.seen: list[tuple[str, str, str]] = []
        self.stall = threading.Event()
        self.stalls = False

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        if path in self.answers:
            return self.answers[path]
        documents = {
            "/.well-known/openid-configuration": lambda: {
                "issuer": self.address,
                "authorization_endpoint": f"{self.address}/authorize",
                "token_endpoint": f"{self.address}/token",
                "jwks_uri": f"{self.address}/keys",
            },
            "/keys": lambda: self.keys,
            "/token": lambda: {"access_token": "a", "token_type": "Bearer", "id_token": self.token or self.signed()},
        }
        return 200, {"Content-Type": "application/json"}, json.dumps(documents[path]()).encode()

    def signed(self) -> str:
        claims = {each: value for each, value in self.claims.items() if value is not None}
        return jwt.encode({"alg": self.algorithm, "kid": "one"}, claims, self.key, algorithms=[self.algorithm])


@contextmanager
def forger():
    """A `Forger` that listens."""
    made = Forger()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if made.stalls:
                made.stall.wait(30)
            length = int(self.headers.get("Content-Length") or 0)
            sent = self.rfile.read(length).decode()
            made.seen.append((self.path, sent, self.headers.get("Authorization", "")))
            status, headers, body = made.answer(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                return

        do_POST = do_GET  # noqa: N815 -- http.server's name

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.stall.set()
        server.shutdown()
        server.server_close()
        thread.join()
