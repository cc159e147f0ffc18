"""Who may not: every operation of the OpenAPI document against every kind of caller, and nothing changes.

A row (tests/kit/tenants.py) says what a client of the owner sends. From it follow the requests of all the others: about
the owner's records, and about records that do not exist, which must be answered alike. After all of them the database is
what it was: every table is compared, none is left out (rate limits live in memory, the audit is a log).
"""

from __future__ import annotations

import functools
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from api.routes import ROUTES
from store.clients import clients
from store.comments import comments
from store.comments.comments import NewComment
from store.following import sync
from store.masterdata import declarations
from store.tables import games, webhook_rounds
from store.webhooks import webhooks
from tests.api.conftest import contents, declared_database, open_store, serving
from tests.kit import matchday
from tests.kit.described import operations
from tests.kit.desk import match, player, refused, team, tournament
from tests.kit.polling_readers import POLL, poll_post, reader_of
from tests.kit.sqlite import copied_url, filled_database
from tests.kit.tenants import MISSING, ROWS, UNKNOWN, ByName, Names, Public, Row, Sent

if TYPE_CHECKING:
    import httpx

    from store.engine.unit import Unit
    from tests.api.conftest import Server

OWNER, OTHER = matchday.ORGANIZATION, matchday.OTHER
SECRET = matchday.SECRET
SCOPES = ("read", "write", "stats", "webhooks", "external", "comments", "admin")
OPERATIONS = operations()
FILES = {"/openapi.json", *(each.path for each in ROUTES if not each.operation and not each.path.startswith("/desk"))}
"""What is served without being an operation of the document; pages of people are in tests/api/desk."""


SECRET_ROWS = [name for name, row in ROWS.items() if isinstance(row, Row)]
NAME_ROWS = [name for name, row in ROWS.items() if isinstance(row, ByName)]
PUBLIC_ROWS = [name for name, row in ROWS.items() if isinstance(row, Public)]
OPENED = [name for name in ROWS if name.startswith("feed.") or name in NAME_ROWS]
"""What anybody may read where the operator makes feeds public."""


def test_every_operation_of_the_document_has_a_row():
    """And every other path that is served; an operation without a row fails, so does a row without an operation."""
    assert set(ROWS) == set(OPERATIONS) | FILES
    assert len(OPERATIONS) >= 40


def test_operations_with_security_are_no_public_rows():
    """What the document calls open is what the rows call open."""
    needless = {name for name, (_, _, operation) in OPERATIONS.items() if not operation["security"]}
    without_secret = {name for name, (_, _, each) in OPERATIONS.items() if {"query_id": []} in each["security"]}

    assert needless == set(PUBLIC_ROWS) & set(OPERATIONS)
    assert without_secret == set(NAME_ROWS)


CLIENTS = (
    matchday.client("owner", *SCOPES),
    matchday.client("stranger", *SCOPES, organization=OTHER),
    *(matchday.client(f"without-{'-'.join(each)}", *sorted({*SCOPES} - {*each})) for each in
      sorted({row.scopes for row in ROWS.values() if isinstance(row, Row)})),
)  # fmt: skip


@functools.cache
def owned_database() -> tuple[bytes, Names]:
    """A database with a record of each kind that belongs to the owner, and a client that was revoked; the records' names.

    They are made through the API once, and each test has a copy.
    """
    owned: list[Names] = []

    async def fill(url: str) -> None:
        opened = await open_store(url)
        async with serving(opened, client_per_second=0, public_per_second=0) as server:
            await prepare(server)
            owned.append(await made(server))
        await opened.close()

    return filled_database(fill, declared_database), owned[0]


@pytest.fixture
def owned() -> Names:
    """The owner's records."""
    return owned_database()[1]


@pytest.fixture
async def store(tmp_path):
    """A copy of that database."""
    opened = await open_store(copied_url(tmp_path / "owned.db", lambda: owned_database()[0]))
    yield opened
    await opened.close()


@pytest.fixture
async def service(store):
    """The API over it."""
    async with serving(
        store, client_per_second=0, public_per_second=0, metrics=lambda _: (b"up 1\n", "text/plain")
    ) as server:
        yield server


@pytest.fixture
async def open_feeds(store):
    """The same where feeds are public."""
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as server:
        yield server


async def prepare(server: Server) -> None:
    await server.store.write(lambda unit: clients.declare(unit, CLIENTS))
    await server.store.write(partial(clients.create, spec=matchday.client("gone", *SCOPES)))
    await server.store.write(partial(clients.revoke, client_id="gone"))
    derby, poll = matchday.derby(), poll_post({**POLL, "local_id": "pderby"})
    await server.add(replace(derby, events=(*derby.events, poll)))
    await server.store.write(attached)


def attached(unit: Unit) -> None:
    """Put the owner's liveblog on a match."""
    match = {"provider": "heim", "organization_id": OWNER, "match_id": "8315073"}
    follow = sync.follow_for(unit, sync.NewFollow(endpoint="heim", sport="soccer", status="live", **match))
    selector, terms = {"kind": "match", "id": "8315073"}, {"sport": "soccer"}
    sync.attach(unit, sync.Attachment(game_id="6a" * 12, follow_id=follow.id, selector=selector, terms=terms, **match))


async def made(server: Server) -> Names:
    """Make the owner's records."""

    async def create(operation: str, body: Any, **query: str) -> dict[str, Any]:
        method, path, _ = OPERATIONS[operation]
        path = path.format(organizationId=OWNER)
        response = await server.http.request(method, path, json=body, params=query, auth=("owner", SECRET))
        assert response.status_code == 200, response.text
        document: dict[str, Any] = response.json()
        return document

    url = "https://cms.example.org/hooks"
    await create("webhooks.subscribe", {"url": url})
    row = await server.store.read(lambda conn: webhooks.require(conn, OWNER, url))
    delivered = {
        "webhook_id": row.id, "organization_id": OWNER, "number": 1,
        "game_id": "6a" * 12, "local_id": "gderby", "version": 1, "kind": "update",
        "round": 1, "tries": 1, "at": 1.0, "took_ms": 1, "success": True, "message": "",
    }  # fmt: skip
    number = await server.store.write(
        lambda unit: unit.conn.execute(webhook_rounds.insert().values(delivered)).inserted_primary_key[0]
    )
    comment = NewComment("c" * 24, OWNER, "6a" * 12, "egoal", None, "akim", None, None, "Owned", "approved")
    await server.store.write(partial(comments.create, new=comment, duplicate_period=0))
    return Names(
        organization=OWNER,
        player=(await create("player.create", player()))["_id"],
        team=(await create("team.create", team()))["_id"],
        tournament=(await create("tournament.create", tournament()))["_id"],
        ticker="gderby",
        event="egoal",
        url=url,
        delivery=str(number),
        comment=comment.id,
        reader=comment.reader_id,
        poll="pderby",
    )


async def send(
    server: Server, name: str, sent: Sent, *, method: str | None = None, **credentials: Any
) -> httpx.Response:
    """Send the request; `auth` as a pair, or `client_id` alone in the query."""
    auth, query = credentials.pop("auth", None), {**sent.query, **credentials}
    verb, path, _ = OPERATIONS.get(name, ("GET", name, None))
    headers = {} if sent.reader is None else {"Reader-Token": reader_of(sent.reader)}
    return await server.http.request(
        method or verb,
        path.format(**sent.path),
        params=query,
        json=sent.body,
        content=sent.content,
        auth=auth,
        headers=headers,
    )


def visible_part(response: httpx.Response) -> tuple[int, str, dict[str, str]]:
    """All of a response but the id of its request."""
    return response.status_code, response.text, {**response.headers, "x-request-id": ""}


@pytest.mark.parametrize("name", SECRET_ROWS)
async def test_nobody_else_gets_in(service, owned, name):
    """401, 403 or 404, alike for what exists and what does not, and nothing is written."""
    row = ROWS[name]
    callers = {
        "no credentials": ({}, 401),
        "the id alone": ({"client_id": "owner"}, 401),
        "wrong secret": ({"auth": ("owner", "wrong")}, 401),
        "another's secret": ({"auth": ("stranger", matchday.OLD_SECRET + "x")}, 401),
        "unknown client": ({"auth": ("who", SECRET)}, 401),
        "revoked": ({"auth": ("gone", SECRET)}, 401),
        "wrong scope": ({"auth": (f"without-{'-'.join(row.scopes)}", SECRET)}, 403),
        "other tenant": ({"auth": ("stranger", SECRET)}, row.stranger),
    }
    before = await contents(service)

    for caller, (credentials, status) in callers.items():
        response = await send(service, name, row.sends(owned), **credentials)
        absent = await send(service, name, row.sends(MISSING), **credentials)
        assert (caller, response.status_code) == (caller, status)
        assert visible_part(response) == visible_part(absent), caller
        if status >= 400:
            assert refused(response)[0] == status
        assert not reveals(response, owned), caller
    assert await contents(service) == before


@pytest.mark.parametrize("name", [name for name in SECRET_ROWS if ROWS[name].own])
async def test_ones_own_organization_is_no_way_to_anothers_record(service, owned, name):
    """Another tenant in its own name, but about the owner's record: as if there were none, and nothing is written."""
    row = ROWS[name]
    before = await contents(service)

    response, absent = [
        await send(service, name, row.sends(replace(names, organization=OTHER)), auth=("stranger", SECRET))
        for names in (owned, MISSING)
    ]

    assert response.status_code == row.own
    assert visible_part(response) == visible_part(absent)
    assert not reveals(response, owned)
    assert await contents(service) == before


@pytest.mark.parametrize("name", SECRET_ROWS)
async def test_the_owner_gets_in(service, owned, name):
    """The very requests that others are refused succeed for the owner's client, or the matrix would show nothing."""
    row = ROWS[name]

    for scope in row.scopes:
        await service.store.write(partial(clients.create, spec=matchday.client(f"only-{scope}", scope)))
        response = await send(service, name, row.sends(owned), auth=(f"only-{scope}", SECRET))
        assert response.status_code == 200, response.text


@pytest.mark.parametrize("name", NAME_ROWS)
async def test_reads_by_name_still_check_whose_client_it_is(service, owned, name):
    """No id, an unknown or revoked one, a wrong secret: 401; another tenant's: as if there were no such liveblog."""
    row = ROWS[name]
    callers = {
        "no credentials": ({}, 401),
        "unknown client": ({"client_id": "who"}, 401),
        "revoked": ({"client_id": "gone"}, 401),
        "wrong secret": ({"auth": ("owner", "wrong")}, 401),
        "other tenant's name": ({"client_id": "stranger"}, row.stranger),
        "other tenant": ({"auth": ("stranger", SECRET)}, row.stranger),
    }
    before = await contents(service)

    for caller, (credentials, status) in callers.items():
        response = await send(service, name, row.sends(owned), **credentials)
        absent = await send(service, name, row.sends(MISSING), **credentials)
        assert (caller, refused(response)[0] if response.is_error else response.status_code) == (caller, status)
        assert visible_part(response) == visible_part(absent), caller
    assert (await send(service, name, row.sends(owned), method=row.opens, client_id="owner")).status_code == row.status
    assert await contents(service) == before


@pytest.mark.parametrize("name", OPENED)
async def test_public_feeds_open_reads_and_nothing_else(open_feeds, owned, name):
    """Anybody reads what is published; credentials that are given are checked all the same; nothing is written."""
    row = ROWS[name]
    method, status = (row.opens, row.status) if isinstance(row, ByName) else (None, 200)
    before = await contents(open_feeds)

    assert (await send(open_feeds, name, row.sends(owned), method=method)).status_code == status
    stranger = await send(open_feeds, name, row.sends(owned), method=method, client_id="stranger")
    assert stranger.status_code == status
    missing = row.stranger if isinstance(row, ByName) else 404
    assert (await send(open_feeds, name, row.sends(MISSING))).status_code == missing
    for wrong in ({"auth": ("owner", "wrong")}, {"auth": ("gone", SECRET)}, {"client_id": "gone"}):
        assert (await send(open_feeds, name, row.sends(owned), **wrong)).status_code == 401
    assert await contents(open_feeds) == before


async def test_public_feeds_open_no_other_operation(open_feeds, owned):
    """Everything else wants its secret as before."""
    for name in set(SECRET_ROWS) - set(OPENED):
        for credentials in ({}, {"client_id": "owner"}):
            response = await send(open_feeds, name, ROWS[name].sends(owned), **credentials)
            assert (name, response.status_code) == (name, 401)


@pytest.mark.parametrize("name", PUBLIC_ROWS)
async def test_what_is_public_is_the_same_for_all_and_shows_no_tenant(service, owned, name):
    """With and without credentials, and without a word of anybody's records."""
    row = ROWS[name]
    before = await contents(service)

    responses = [
        await send(service, name, Sent(path=row.path), **credentials)
        for credentials in ({}, {"auth": ("owner", SECRET)}, {"auth": ("stranger", SECRET)})
    ]

    assert row.why
    assert {(response.status_code, response.text) for response in responses} == {(row.status, responses[0].text)}
    assert name == "/openapi.json" or not reveals(responses[0], owned)
    assert await contents(service) == before


def reveals(response: httpx.Response, owned: Names) -> set[str]:
    """What a response shows of the owner's records."""
    return {name for name, value in asdict(owned).items() if len(value) > 4 and value in response.text}


async def test_the_stored_owner_decides(service, owned):
    """An owner in the document makes no difference: neither to change a record, nor to move one."""
    claim = Sent(body={"_id": owned.team, "owner_id": OTHER, "name": "Taken over"})

    theirs = await send(service, "team.update", claim, auth=("stranger", SECRET))
    moved = await send(service, "team.update", claim, auth=("owner", SECRET))

    assert refused(theirs) == (404, "_id")
    assert moved.json()["owner_id"] == OWNER


@pytest.mark.parametrize("which", ["theirs", "missing"])
async def test_references_lead_to_ones_own_records_alone(service, owned, which):
    """Another tenant's team is as unknown as a missing one, to players and to liveblogs."""
    team_id = owned.team if which == "theirs" else UNKNOWN
    joining = Sent(body=player(owner_id=OTHER, team_id=team_id))
    playing = Sent(body=match({"_id": team_id}, organization_id=OTHER))

    assert refused(await send(service, "player.create", joining, auth=("stranger", SECRET))) == (422, "team_id")
    response = await send(service, "ticker.create", playing, auth=("stranger", SECRET))
    assert refused(response) == (422, "meta_info.home_team._id")
    assert response.json()["message"] == "there is no such team"


def about(field: str, record_id: str, owner_id: str) -> dict[str, Any]:
    """A new liveblog that refers to a record in one place."""
    body = match(organization_id=owner_id)
    if field == "template_id":
        return body | {field: record_id}
    if field == "pricing":
        info = {
            "_type": "Svc::Model::MarketplaceInfo::BasicMarketplaceInfo",
            "pricing": {"_type": "Svc::Model::Pricing", "_id": record_id},
        }
        return body | {"marketplace_info": info}
    body["meta_info"][field] = {"_id": record_id}
    return body


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ("tournament", "meta_info.tournament._id"),
        ("location", "meta_info.location._id"),
        ("template_id", "template_id"),
        ("pricing", "marketplace_info.pricing._id"),
    ],
)
async def test_a_liveblog_refers_to_what_is_its_owners_alone(service, owned, field, path):
    """Another tenant's tournament, location, template and pricing are as unknown as missing ones; one's own are found."""
    names = {"location": "5f0c1de2a1b2c3d4e5f60800", "template_id": "5f0c1de2a1b2c3d4e5f60801", "pricing": "premium"}
    kinds = {"location": "location", "template_id": "template", "pricing": "pricing"}
    records = [
        declarations.Declaration(
            owner_id=OWNER, kind=kinds[each], id=name, fields={"name": name, "sportstype": "soccer"}
        )
        for each, name in names.items()
    ]
    await service.store.write(lambda unit: declarations.declare(unit, [*matchday.TAGS, *records]))
    own = {**names, "tournament": owned.tournament}[field]
    responses = [
        await send(service, "ticker.create", Sent(body=about(field, name, OTHER)), auth=("stranger", SECRET))
        for name in (own, UNKNOWN)
    ]

    assert [refused(response) for response in responses] == [(422, path)] * 2
    assert responses[0].json() == responses[1].json()
    mine = await send(service, "ticker.create", Sent(body=about(field, own, OWNER)), auth=("owner", SECRET))
    assert mine.status_code == 200, mine.text


async def test_searches_show_own_records_alone(service):
    """Without an owner they search what is the client's, which is nothing here."""
    for name, number in {"player.index": 1, "team.index": 1, "tournament.index": 1, "ticker.search": 1}.items():
        theirs = (await send(service, name, Sent(), auth=("stranger", SECRET))).json()
        own = (await send(service, name, Sent(), auth=("owner", SECRET))).json()
        assert (theirs["total"], theirs["objects"], own["total"]) == (0, [], number)
    assert await service.store.read(lambda conn: conn.scalar(select(func.count()).select_from(games))) == 1
