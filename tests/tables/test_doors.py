"""Every route by every caller on both databases, in a full house: who gets in, and that nobody else gets a word or leaves a trace.

The rows are those of tests/kit/doors.py, the routes those of the product. After requests that are refused the database is
what it was: every table is compared, none is left out (rate limits live in memory, the audit of clients is a log).
"""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from typing import NamedTuple

import httpx
import pytest
import pytest_asyncio

from mapping.desk.account_roles import SCOPES
from tests.api.conftest import Server, contents
from tests.kit.described import operations
from tests.kit.desk import refused
from tests.kit.doors import BY_NAME, DOORS, ROLE_SCOPES, Caller, Credentials, Door, credentials_of, parameters_of, send
from tests.kit.full_house import MISSING, OTHER, SECRET, WORDS, House, Names, OpenSession, empty_tables
from tests.tables.conftest import BOTH_IN_PROOF, ON_BOTH, Houses

pytestmark = pytest.mark.usefixtures("quiet")
READING = [name for name, route in BY_NAME.items() if route.method == "GET"]
WRITING = [name for name, route in BY_NAME.items() if route.method != "GET"]
OUTSIDE = [each for each in Caller if each not in ROLE_SCOPES]
"""Who is no person of the owner: to them a record that exists is as good as one that does not."""
STRANGERS = (Caller.NOBODY, Caller.OTHER_CLIENT, Caller.OTHER_PERSON)
EXAMPLES = {"GET /openapi.json"}
"""Shows the same example to all, whose id is that of the organization of these tests."""
ONES_OWN_ROOM = "frame-ancestors 'none'"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(houses: Houses):
    """The API over a house that is only read, for all tests of the module."""
    async with houses.serve() as server:
        yield server


def test_every_route_has_a_row():
    """One that has none fails here until somebody says who may have it."""
    missing, gone = BY_NAME.keys() - DOORS.keys(), DOORS.keys() - BY_NAME.keys()

    assert not missing, (
        f"add a row to DOORS in tests/kit/doors.py for {sorted(missing)}: what is sent, and who gets what"
    )
    assert not gone, f"there is no such route any more; take its row out of DOORS in tests/kit/doors.py: {sorted(gone)}"
    assert len(BY_NAME) > 110


def test_the_document_says_who_may():
    """What the OpenAPI document calls open is what the rows call open, and the roles of people are those of the rows."""
    described = {name: each[2] for name, each in operations().items()}
    needless = {name for name, operation in described.items() if not operation["security"]}
    without_secret = {name for name, operation in described.items() if {"query_id": []} in operation["security"]}

    assert needless == {name for name in described if not DOORS[name].credentials_count}
    assert without_secret == {name for name in described if DOORS[name].by_name}
    assert {role.value: scopes for role, scopes in SCOPES.items()} == {
        role.name.lower(): scopes for role, scopes in ROLE_SCOPES.items()
    }


@ON_BOTH
@pytest.mark.asyncio(loop_scope="module")
async def test_the_house_is_full(shared: Server):
    """There is a row in every table: a new one fails here until tests/kit/full_house.py puts one into it."""
    assert await shared.store.read(empty_tables) == set()


@ON_BOTH
@pytest.mark.parametrize("name", READING)
@pytest.mark.asyncio(loop_scope="module")
async def test_who_may_read(shared: Server, houses: Houses, name: str):
    """Each caller gets the status of the row; strangers learn nothing, and nothing is written by anybody."""
    before = await houses.stored(shared)

    wrong = [
        *await faults_of_refusals(shared, houses, name),
        *await faults_of_permissions([(each, shared) for each in served(name)], houses.house, name),
    ]

    assert wrong == []
    assert changed(before, await contents(shared)) == set()


@BOTH_IN_PROOF
@pytest.mark.parametrize("name", [name for name in READING if parameters_of(name)])
@pytest.mark.asyncio(loop_scope="module")
async def test_no_parameter_breaks_a_read(shared: Server, houses: Houses, name: str):
    """Each parameter of its own, with each kind of value: what it shows or refuses is never a fault of the service."""
    door, route, wrong = DOORS[name], BY_NAME[name], []
    admin = Credentials(session=houses.house.sessions["admin"])
    who = admin if route.access == "desk" else Credentials(auth=("owner", SECRET))
    about = door.sends(houses.house.names)
    for query in parameters_of(name):
        response = await send(shared, name, replace(about, query={**about.query, **query}), who)
        status = response.status_code
        wrong += [f"{query}: {each}" for each in faults(response, status if status < 500 else 200)]

    assert wrong == []


@ON_BOTH
@pytest.mark.parametrize("name", WRITING)
async def test_who_may_write(houses: Houses, name: str):
    """Each caller gets the status of the row; who is refused has changed nothing and had nothing done."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(houses.serve())
        before = await houses.stored(server)
        wrong = await faults_of_refusals(server, houses, name)
        assert wrong == []
        assert changed(before, await contents(server)) == set()
        assert server.requested == []

        allowed = served(name)
        servers = [server] + [
            await stack.enter_async_context(houses.serve()) if DOORS[name].once else server for _ in allowed[1:]
        ]
        assert await faults_of_permissions(list(zip(allowed, servers, strict=False)), houses.house, name) == []


@ON_BOTH
async def test_public_feeds_open_reads_and_nothing_else(houses: Houses):
    """Anybody reads what is published; credentials that are given are checked all the same; who writes is known as before."""
    names, wrong = houses.house.names, []
    async with houses.serve(public_feeds=True) as server:
        before = await houses.stored(server)
        for name, door in DOORS.items():
            if not door.credentials_count:
                continue
            callers = [(Credentials(), names, 401), (Credentials(auth=("gone", SECRET)), names, 401)]
            if door.open and door.sends(names).reader is None:
                status = door.answers[Caller.CLIENT]
                callers[0] = (Credentials(), names, status)
                callers += [(Credentials(client_id="stranger"), names, status)]
                callers += [(Credentials(), MISSING, door.answers[Caller.OTHER_CLIENT])]
            for who, about, status in callers:
                response = await send(server, name, replace(door.sends(about), reader=None), who)
                wrong += [f"{name}, {who}: {each}" for each in faults(response, status)]
        assert wrong == []
        assert changed(before, await contents(server)) == set()


def served(name: str) -> list[Caller]:
    """Who gets something by the row."""
    return [each for each in Caller if each in DOORS[name].served]


async def faults_of_permissions(allowed: list[tuple[Caller, Server]], house: House, name: str) -> list[str]:
    """What is wrong with the responses to those who may."""
    door, found = DOORS[name], []
    for caller, server in allowed:
        for label, who in credentials_of(caller, door, house.sessions):
            response = await send(server, name, door.sends(house.names), who)
            found += [f"{label}: {each}" for each in faults(response, door.answers[caller])]
            if caller in STRANGERS and name not in EXAMPLES:
                found += [f"{label}: shows {each}" for each in reveals(response, house.names)]
    return found


class Knock(NamedTuple):
    """A request that is refused. `absent`: about what does not exist, which is answered alike; None where it does not matter."""

    label: str
    who: Credentials
    status: int
    about: Names
    absent: Names | None


def knocks(name: str, houses: Houses) -> Iterator[Knock]:
    """The requests that are refused, of callers whom the row does not serve, and of who claims to be somebody.

    Who claims that is refused before anything is looked for, whatever the database: one kind is enough.
    """
    house, door, own = houses.house, DOORS[name], houses.house.names
    for caller in [each for each in Caller if each not in door.served]:
        for label, who in credentials_of(caller, door, house.sessions):
            yield Knock(label, who, door.answers[caller], own, MISSING if caller in OUTSIDE else None)
    for label, who, status in pretenders(name, house) if houses.database == "sqlite" else ():
        yield Knock(label, who, status, own, None)
    if door.own is not None:
        theirs, none = replace(own, organization=OTHER), replace(MISSING, organization=OTHER)
        ((label, who),) = credentials_of(Caller.OTHER_CLIENT, door, house.sessions)
        yield Knock(f"{label}, in its own name", who, door.own, theirs, none)


async def faults_of_refusals(server: Server, houses: Houses, name: str) -> list[str]:
    """What is wrong with the responses to those who may not."""
    door, found = DOORS[name], []
    for label, who, status, about, absent in knocks(name, houses):
        response = await send(server, name, door.sends(about), who)
        found += [f"{label}: {each}" for each in faults(response, status)]
        if absent is None:
            continue
        found += [f"{label}: shows {each}" for each in reveals(response, houses.house.names)]
        other = await send(server, name, door.sends(absent), who)
        if visible_part(response) != visible_part(other):
            found.append(f"{label}: what exists is told from what does not ({other.status_code} {other.text[:200]})")
    return found


def pretenders(name: str, house: House) -> Iterator[tuple[str, Credentials, int]]:
    """Who claims to be somebody, and what it gets."""
    door, route = DOORS[name], BY_NAME[name]
    if door.credentials_count:
        yield from ((label, who, 401) for label, who in wrong_credentials(door))
    if not route.takes_sessions or Caller.NOBODY in door.served:
        return
    admin, nobody = house.sessions["admin"], door.answers[Caller.NOBODY]
    yield (
        "a session that is made up",
        Credentials(session=OpenSession("made-up", admin.account)),
        nobody if route.access == "desk" else 401,
    )
    if route.method == "POST":
        yield "a page of nobody", Credentials(session=admin, named=False), 403
        another = admin._replace(account=house.sessions["editor"].account)
        yield "a page that was made for somebody else", Credentials(session=another), 403
        for site in ("same-site", "cross-site"):
            yield f"a page {site}", Credentials(session=admin, headers={"Sec-Fetch-Site": site}), 403


def wrong_credentials(door: Door) -> Iterator[tuple[str, Credentials]]:
    """Credentials that open nothing."""
    yield "a wrong secret", Credentials(auth=("owner", "wrong"))
    yield "another's secret", Credentials(auth=("stranger", f"{SECRET}x"))
    yield "an unknown client", Credentials(auth=("who", SECRET))
    yield "a revoked client", Credentials(auth=("gone", SECRET))
    if door.by_name:
        yield "an unknown name", Credentials(client_id="who")
        yield "a revoked name", Credentials(client_id="gone")
    elif not door.open:
        yield "an id without its secret", Credentials(client_id="owner")


def faults(response: httpx.Response, status: int) -> Iterator[str]:
    """What is wrong with a response: its status, the shape of an error, that another site may show a page of the desk."""
    if response.status_code != status:
        yield f"{response.status_code} instead of {status}: {response.text[:200]}"
    desk, method = response.request.url.path.startswith("/desk"), response.request.method
    if response.is_error and method != "HEAD" and not (desk and is_page_or_part(response)):
        try:
            refused(response)
        except (AssertionError, ValueError):
            yield f"no error in the one shape: {response.text[:200]}"
    if desk and method == "GET" and response.status_code != 404 and "/static/" not in str(response.url):
        policy, older = (response.headers.get(each) for each in ("content-security-policy", "x-frame-options"))
        if ONES_OWN_ROOM not in (policy or "") or (not response.is_error and older != "DENY"):
            yield f"may be shown in a frame: {policy}"


def is_page_or_part(response: httpx.Response) -> bool:
    """Whether it is for people, or for the script of their page, and not for clients."""
    return not response.content or response.headers["content-type"].startswith("text/html")


def reveals(response: httpx.Response, names: Names) -> set[str]:
    """What a response shows of the owner's records."""
    shown = {name for name, value in asdict(names).items() if len(value) > 4 and value in response.text}
    return shown | {word for word in (WORDS,) if word in response.text}


def visible_part(response: httpx.Response) -> tuple[int, str, dict[str, str]]:
    """All of a response but the id of its request, and the way to the sign-in, which leads back to the page."""
    return response.status_code, response.text, {**response.headers, "x-request-id": "", "location": ""}


def changed(before: dict[str, object], after: dict[str, object]) -> set[str]:
    """The tables that are no more what they were."""
    return {name for name in before if before[name] != after[name]}
