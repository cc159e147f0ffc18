"""People for tests: accounts with a password that is hashed once, and browsers that keep their sessions."""

import functools
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
from argon2 import PasswordHasher

from api.desk.cookies import PROTECTED, SESSION
from api.desk.passwords import hash_password, password_hasher
from mapping.desk.account_roles import AccountRole
from store.accounts import accounts, sessions
from store.accounts.accounts import AccountSpec
from tests.kit.matchday import ORGANIZATION

PASSWORD = "four herons over the harbour"
EMAIL = "kim@example.org"
OWN_SITE = {"Sec-Fetch-Site": "same-origin"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
real_hasher = password_hasher
"""As the product makes it."""


@functools.cache
def cheap_hasher() -> PasswordHasher:
    """In place of it: the same algorithm with the least of time and memory that it takes."""
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@functools.cache
def hashed() -> str:
    """The hash of the password."""
    return hash_password(PASSWORD)


async def add_account(store, email: str = EMAIL, role: str = "editor", organization: str = ORGANIZATION, **more: Any):
    """An account in the store."""
    spec = AccountSpec(
        organization_id=organization,
        email=email,
        name=more.pop("name", "Kim Example"),
        role=AccountRole(role),
        password_hash=more.pop("password_hash", None) or hashed(),
    )
    return await store.write(partial(accounts.create, spec=spec))


async def from_address(server, address, email=EMAIL, password=PASSWORD, *, path="/desk/sign-in", headers=None, **form):
    """A try to sign in from another address, or another form."""
    sent = {"data": form or {"email": email, "password": password}, "headers": {**OWN_SITE, **(headers or {})}}
    transport = httpx.ASGITransport(app=server.app, client=(address, 4000))
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as http:
        return await http.post(path, **sent)


@dataclass
class SignedInBrowser:
    """Sends requests as a browser with a session does."""

    http: httpx.AsyncClient
    token: str
    name: str = PROTECTED.name(SESSION)
    headers: dict[str, str] = field(default_factory=lambda: dict(OWN_SITE))
    account: str | None = None
    """Whom its pages were made for; None: whom the service says before the first write."""

    async def send(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        """A request of a script of the desk: with cookie, site and account; `headers` replace those, None takes one away."""
        sent = {"Cookie": f"{self.name}={self.token}", **self.headers}
        if method != "GET":
            sent |= {"X-Account": await self.account_of_pages()}
        sent |= headers or {}
        return await self.http.request(method, path, headers={k: v for k, v in sent.items() if v is not None}, **more)

    async def submit(self, path: str, fields: dict[str, str] | None = None, **more: Any) -> httpx.Response:
        """A form of the desk."""
        data = {"account": await self.account_of_pages(), **(fields or {})}
        return await self.send("POST", path, data=data, **more)

    async def account_of_pages(self) -> str:
        if self.account is None:
            said = await self.send("GET", "/desk/session")
            self.account = str(said.json()["account"]) if said.status_code == 200 else ""
        return self.account


async def signed_in(server, account, *, lasts: float = 43_200) -> SignedInBrowser:
    """A browser whose session has begun."""
    begin = partial(sessions.begin, account_id=account.id, browser="Firefox", lasts=lasts)
    return SignedInBrowser(server.http, await server.store.write(begin), account=account.id)


async def try_password(server, email: str = EMAIL, password: str = PASSWORD, **more: Any) -> httpx.Response:
    """What the form of the sign-in sends."""
    headers = {**OWN_SITE, **more.pop("headers", {})}
    fields = {"email": email, "password": password, **more}
    return await server.http.post("/desk/sign-in", data=fields, headers=headers)


def session_of(response: httpx.Response) -> str:
    """The token in the cookie that a response sets."""
    header = next(each for each in response.headers.get_list("set-cookie") if SESSION in each)
    return header.partition("=")[2].partition(";")[0]
