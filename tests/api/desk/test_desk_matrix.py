"""Roles and organizations: every operation that wants a client's secret, by a session of each role and of another tenant.

The rows are those of the tenancy of clients, which every operation must have: a new one cannot escape.
"""

from __future__ import annotations

import pytest

from api.http.routing import FOR_PEOPLE
from api.routes import ROUTES
from mapping.desk.account_roles import SCOPES, AccountRole
from tests.api.conftest import contents, serving
from tests.api.test_tenancy import OPERATIONS, SECRET_ROWS, owned, owned_database, reveals, service, store, visible_part
from tests.kit.matchday import OTHER
from tests.kit.people import add_account, signed_in
from tests.kit.tenants import MISSING, ROWS

__all__ = ["owned", "service", "store"]
TAKING = {route.operation["operationId"] for route in ROUTES if route.operation and route.access in FOR_PEOPLE}
"""Operations where a session counts, by the table of routes."""


async def send(browser, name, sent, **more):
    method, path, _ = OPERATIONS[name]
    return await browser.send(
        method, path.format(**sent.path), params=dict(sent.query), json=sent.body, content=sent.content, **more
    )


def test_every_operation_by_secret_is_in_the_matrix():
    """But for those that clients of the operator alone may use, and feeds, which readers use."""
    others = {"feed.rss", "feed.atom", "feed.json", "metrics", "status", "status.page"}

    assert TAKING == set(SECRET_ROWS) - others


@pytest.mark.parametrize("role", AccountRole)
@pytest.mark.parametrize("name", SECRET_ROWS)
async def test_a_role_opens_what_its_scopes_open_and_no_more(service, owned, name, role):
    """In its own organization; what is not open is refused and changes nothing."""
    browser = await signed_in(service, await add_account(service.store, role=role))
    row, before = ROWS[name], await contents(service)

    response = await send(browser, name, row.sends(owned))

    if name not in TAKING:
        assert response.status_code == 401
    elif SCOPES[role].intersection(row.scopes):
        assert response.status_code == 200, response.text
        return
    else:
        assert response.status_code == 403
    assert await contents(service) == before


@pytest.mark.parametrize("name", sorted(TAKING))
async def test_no_role_reaches_into_another_organization(service, owned, name):
    """Whatever the role: refused as a stranger's client is, and alike for what does not exist."""
    browser = await signed_in(service, await add_account(service.store, role="admin", organization=OTHER))
    row, before = ROWS[name], await contents(service)

    response, absent = [await send(browser, name, row.sends(names)) for names in (owned, MISSING)]

    assert response.status_code == row.stranger
    assert visible_part(response) == visible_part(absent)
    assert not reveals(response, owned)
    assert await contents(service) == before


@pytest.mark.parametrize("name", sorted(TAKING))
async def test_no_session_and_one_that_is_made_up_open_nothing(service, owned, name):
    """401, or 403 for a write without the page's token."""
    browser = await signed_in(service, await add_account(service.store, role="admin"))
    row, method = ROWS[name], OPERATIONS[name][0]
    before = await contents(service)

    made_up = await send(browser, name, row.sends(owned), headers={"Cookie": f"{browser.name}=made-up"})
    assert made_up.status_code == 401
    if method == "POST":
        for headers in ({"X-CSRF-Token": None}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "cross-site"}):
            refused = await send(browser, name, row.sends(owned), headers=headers)
            assert refused.status_code == 403
    assert await contents(service) == before


def test_the_roles_grow():
    """Each may do what the one before it may; none opens what shows the process of all organizations."""
    reader, editor, admin = (SCOPES[role] for role in AccountRole)

    assert reader < editor < admin
    assert "admin" not in admin


async def test_a_permission_for_a_client_of_that_name_is_none_for_a_person(store):
    """A liveblog that is shared with a client is not shared with an account, whatever its id."""
    from api.http.people import DeskPerson
    from api.view.liveblog_access import holders

    async with serving(store) as server:
        browser = await signed_in(server, account := await add_account(server.store))
    person = DeskPerson(
        client_id=account.id, organizations=frozenset({OTHER}), scopes=frozenset(), proven=True,
        name="Kim", role="editor", organization_id=OTHER, session_id="s", csrf_token=browser.csrf,
    )  # fmt: skip

    assert holders(person) == {("Organization", OTHER)}


def test_the_database_is_made_once():
    """The rows of before are those of clients."""
    assert owned_database()[1].ticker == "gderby"
