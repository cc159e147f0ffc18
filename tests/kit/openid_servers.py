"""A provider of OpenID Connect for tests, which says whatever a test wants, and the service and browsers that use it."""

import asyncio
import json
import os
import re
import shutil
import threading
import time
from base64 import b64decode
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urljoin, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from joserfc.jws import JWSRegistry
from pydantic import SecretStr

from api.desk.openid_sign_in import BACK, BEGIN
from config.sections import OpenId, OpenIdRole
from tests.api.conftest import serving

CLIENT, SECRET = "matchwire", "the-secret-of-openid"
HERE = "http://127.0.0.1:8080"
KEY, OTHER_KEY = RSAKey.generate_key(2048, {"kid": "one"}), RSAKey.generate_key(2048, {"kid": "one"})
ENCRYPTS = RSAKey.generate_key(2048, {"kid": "enc", "use": "enc", "alg": "RSA-OAEP"})
RIGHT = {"sub": "kim-at-sso", "email": "kim@example.org", "email_verified": True}


class Forger:
    """A provider that says what the test says: `claims` in its token, `user_info` where it has some, `metadata` of itself."""

    def __init__(self) -> None:
        self.address = ""
        self.claims: dict[str, Any] = {}
        self.user_info: dict[str, Any] | None = None
        self.metadata: dict[str, Any] = {}
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "one"}
        self.key = KEY
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.token: str | None = None
        self.keys: list[dict[str, Any]] = [KEY.as_dict(private=False)]
        self.secret, self.ways = SECRET, {"client_secret_basic", "client_secret_post"}
        self.seen: list[tuple[str, str, str]] = []
        self.stall = threading.Event()
        self.stalls = False

    def requests(self, path: str) -> int:
        """How often that was requested of it."""
        return sum(each[0] == path for each in self.seen)

    def answer(self, path: str, authorization: str = "", body: str = "") -> tuple[int, dict[str, str], bytes]:
        if path in self.answers:
            return self.answers[path]
        if path == "/token" and self.way_of(authorization, body) not in self.ways:
            return 401, {}, b'{"error": "invalid_client"}'
        documents = {
            "/.well-known/openid-configuration": lambda: {
                "issuer": self.address,
                "authorization_endpoint": f"{self.address}/authorize",
                "token_endpoint": f"{self.address}/token",
                "jwks_uri": f"{self.address}/keys",
                **({} if self.user_info is None else {"userinfo_endpoint": f"{self.address}/userinfo"}),
                **self.metadata,
            },
            "/keys": lambda: {"keys": self.keys},
            "/token": lambda: {"access_token": "a", "token_type": "Bearer", "id_token": self.token or self.signed()},
            "/userinfo": lambda: {"sub": self.claims["sub"], **(self.user_info or {})},
        }
        return 200, {"Content-Type": "application/json"}, json.dumps(documents[path]()).encode()

    def way_of(self, authorization: str, body: str) -> str:
        """How our secret has come, encoded as RFC 6749 says; nothing where it is not ours."""
        sent = parse_qs(body)
        if sent.get("client_secret") == [self.secret] and sent["client_id"] == [CLIENT]:
            return "client_secret_post"
        basic = b64decode(authorization.removeprefix("Basic ")).decode().split(":")
        return "client_secret_basic" if [unquote_plus(each) for each in basic] == [CLIENT, self.secret] else ""

    def signed(self) -> str:
        claims = {each: value for each, value in self.claims.items() if value is not None}
        registry = JWSRegistry(algorithms=[self.header["alg"]], strict_check_header=False)
        return jwt.encode(self.header, claims, self.key, registry=registry)


@contextmanager
def forger():
    """A `Forger` that listens."""
    made = Forger()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if made.stalls:
                made.stall.wait(30)
            length = int(self.headers.get("Content-Length") or 0)
            sent, authorization = self.rfile.read(length).decode(), self.headers.get("Authorization", "")
            made.seen.append((self.path, sent, authorization))
            status, headers, body = made.answer(self.path, authorization, sent)
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


def desk(store, issuer, *roles, secret=SECRET, **more):
    """The service with this provider."""
    rows = tuple(OpenIdRole(group=group, organization=owner, account_role=role) for group, owner, role in roles)
    openid = OpenId(issuer=issuer, client_id=CLIENT, client_secret=SecretStr(secret), roles=rows, **more)
    return serving(store, public_url=HERE, desk__openid=openid, client_per_second=0, public_per_second=0)


def cookie_in(response):
    """The cookie that binds the browser, as it is sent back."""
    cookies = (each.partition(";")[0] for each in response.headers.get_list("set-cookie"))
    return next(each for each in cookies if each.startswith("matchwire-openid") and not each.endswith("="))


def sent_in(response):
    """What a browser that is led to the provider brings there."""
    return {name: values[0] for name, values in parse_qs(urlsplit(response.headers["location"]).query).items()}


PACKAGE = Path(__file__).with_name("openid_provider")
PROMPT = re.compile(r'name="prompt" value="(\w+)"')
needs_node = pytest.mark.skipif(
    shutil.which("npm") is None and "CI" not in os.environ, reason="no Node.js on this machine"
)


@asynccontextmanager
async def node_provider(folder, people, habits):
    """The addresses of oidc-provider by habit, installed into the folder as it is locked, for these people."""
    shutil.copytree(PACKAGE, folder, dirs_exist_ok=True)
    npm = ("npm", "ci", "--prefix", str(folder), "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
    assert await (await asyncio.create_subprocess_exec(*npm, stdout=asyncio.subprocess.DEVNULL)).wait() == 0
    client = {"client_id": CLIENT, "client_secret": SECRET, "redirect_uris": [HERE + BACK]}
    given = json.dumps({"client": client, "people": people, "habits": habits})
    process = await asyncio.create_subprocess_exec(
        "node", str(folder / "provider.mjs"), given,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        addresses = {}
        async for line in process.stdout:
            if line.startswith(b"{"):
                addresses.update(json.loads(line))
            if len(addresses) == len(habits):
                break
        yield addresses
    finally:
        process.terminate()
        await process.communicate()


async def sign_in(server, subject):
    """All pages and redirects of a person who signs in with a provider, whose time is that of the machine: the last response."""
    still, server.now = server.now, time.time()
    begun = await server.http.get(BEGIN)
    assert begun.status_code == 303, begun.text
    address = begun.headers["location"]
    async with httpx.AsyncClient(trust_env=False) as http:
        while not address.startswith(HERE):
            page = await http.get(address)
            if not page.is_redirect:
                prompt = PROMPT.search(page.text)[1]
                page = await http.post(address, data={"prompt": prompt, "login": subject, "password": "any"})
            address = urljoin(address, page.headers["location"])
    back = await server.http.get(f"{BACK}?{urlsplit(address).query}", headers={"Cookie": cookie_in(begun)})
    server.now = still
    return back


def right(server, forged, nonce, /, **claims):
    """The claims of a token that is right but for these; None leaves one out."""
    times = {"iat": int(server.now), "exp": int(server.now) + 300}
    return {"iss": forged.address, "aud": CLIENT, "nonce": nonce, **times, **RIGHT, **claims}


async def return_with(server, forged, begun=None, /, **claims):
    """Come back from the forger with claims that are right but for these."""
    begun = begun or await server.http.get(BEGIN)
    sent = sent_in(begun)
    forged.claims = right(server, forged, sent["nonce"], **claims)
    query = {"code": "c", "state": sent["state"]}
    return await server.http.get(BACK, params=query, headers={"Cookie": cookie_in(begun)})
