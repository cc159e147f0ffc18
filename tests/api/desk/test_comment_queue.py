"""The queue of comments: what each role may do, whose comments they are, undoing, and what it costs."""

from functools import partial

import pytest

from store.comments import comments
from store.comments.comments import NewComment
from tests.api.conftest import contents
from tests.kit import matchday
from tests.kit.people import add_account, signed_in

DESK = f"/api/comments/v1/organization/{matchday.ORGANIZATION}"


async def add(server, number, *, status="pending"):
    new = NewComment(
        f"{number:024x}", matchday.ORGANIZATION, "6a" * 12, "egoal", None, f"reader{number}", "Kim", None, f"No {number}", status
    )  # fmt: skip
    await server.store.write(partial(comments.create, new=new, duplicate_period=0))
    return new.id


async def a_person(server, role="editor", **more):
    return await signed_in(server, await add_account(server.store, role=role, email=f"{role}@example.org", **more))


async def status_of(server, comment_id):
    return (await server.store.read(partial(comments.require, comment_id=comment_id))).status


@pytest.mark.parametrize("role", ["viewer", "editor", "admin"])
async def test_roles_decide_or_do_not(server, role):
    """A reader has no queue; the others approve, reject, ban and let in again, and all of it is written down."""
    await server.add(matchday.derby())
    one, may = await add(server, 1), role != "viewer"
    browser = await a_person(server, role)
    for path in ("/desk/comments", "/desk/comments/list"):
        assert (await browser.send("GET", path)).status_code == (200 if may else 403)
    assert ("Comments</a>" in (await browser.send("GET", "/desk")).text) is may
    before = await contents(server)
    for field, value in (("approve", one), ("reject", one), ("ban", "reader1"), ("unban", "reader1")):
        response = await browser.submit("/desk/comments/act", {field: value, "back": "/desk/comments?status=hidden"})
        assert response.status_code == (303 if may else 403)
    if not may:
        assert await contents(server) == before
        return
    assert await status_of(server, one) == "rejected"
    assert response.headers["location"] == "../../desk/comments?status=hidden"
    done = [row["operation"] for row in (await contents(server))["audit_entries"]]
    assert done == ["comments.moderate", "comments.moderate", "comments.ban", "comments.ban"]


async def test_a_decision_is_taken_back(server):
    """The comment waits again as if nobody had decided, and reports count for it."""
    await server.add(matchday.derby())
    one = await add(server, 1)
    browser = await a_person(server)
    for action, status in (("approve", "approved"), ("wait", "pending")):
        answer = await browser.send("POST", f"{DESK}/comments/{one}/moderate.json", json={"action": action})
        assert answer.json()["status"] == status
    assert answer.json().get("moderated_by") is None


async def test_states_are_counted_and_pages_follow(server):
    """Each state has its number; a liveblog alone has its own; a page ends with the way to the next one."""
    await server.add(matchday.derby())
    for number in range(5):
        await add(server, number, status="approved" if number == 4 else "pending")
    browser = await a_person(server)
    first = await browser.send("GET", "/desk/comments?limit=3&liveblogId=gderby")
    assert "Waiting <b>4</b>" in first.text
    assert "Approved <b>1</b>" in first.text
    assert [f"No {number}" in first.text for number in range(4)] == [False, True, True, True]
    second = await browser.send("GET", f"/desk/comments?limit=3&liveblogId=gderby&next={1:024x}")
    assert [f"No {number}" in second.text for number in range(4)] == [True, False, False, False]
    for query in ("status=deleted", "status=x", "limit=0", "next=x"):
        assert (await browser.send("GET", f"/desk/comments?{query}")).status_code == 400, query
