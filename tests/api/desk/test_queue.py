"""The queue of all that waits: in its order, answered by the operations that there are, and no more dear for what is stored."""

from functools import partial

import pytest
from sqlalchemy import event

from mapping.documents.scalars import LocalStatus
from mapping.fusion.disagreements import Disagreement
from mapping.fusion.leading_source import Lead, Reason
from mapping.fusion.source_pair import Difference, PairState
from store.following import follow_rows
from store.liveblogs import liveblogs
from tests.api.conftest import NOW
from tests.kit.desk import a_person
from tests.kit.followed import add_followed, add_pair, draft

DISAGREEMENTS = (
    Disagreement("score", "score", "1:0", "2:0"),
    Disagreement("minute", "goal", "soccer.goal 4'", "soccer.goal 5'"),
)
ITEM = '<li class="item '


async def items(browser, query=""):
    """Kind and key of each thing that waits."""
    page = (await browser.send("GET", f"/desk/queue/list?{query}", headers={"Cache-Control": "no-cache"})).text
    return [tuple(each.split('"')[0::2][:2]) for each in page.split(ITEM)[1:]]


async def post_of(server, name="edraft"):
    return await server.store.read(partial(liveblogs.event, local_id=name))


async def test_what_is_lost_comes_first_and_drafts_last(server):
    """Each kind is listed alone too; more than a page has a next one; whoever may only look answers nothing."""
    lost = await add_followed(server, 1)
    server.answered[lost] = NOW - 600.0
    await add_followed(server, 2, events=tuple(draft(f"e{number:02}") for number in range(30)))
    editor, viewer = [await a_person(server, role=role) for role in ("editor", "viewer")]

    found = await items(editor)
    assert found[0] == ("lost", "lost gmatch1")
    assert found[1:] == [("pen", f"e{number:02}") for number in range(25)]
    assert await items(editor, "kind=pen&page=2") == [("pen", f"e{number}") for number in range(25, 30)]
    assert await items(editor, "kind=say") == await items(editor, "kind=lost&page=2") == []
    assert "page=2" in (await editor.send("GET", "/desk/queue?kind=pen")).text
    assert "<button form" not in (await viewer.send("GET", "/desk/queue")).text


async def test_a_draft_is_published_held_again_and_discarded_as_it_was_seen(server):
    """What somebody else has changed meanwhile is not; the page says so."""
    await add_followed(server, 1, events=(draft("edraft"),))
    browser = await a_person(server)
    seen = (await post_of(server)).version
    for name, value, status, local_status in (
        ("publish", f"edraft {seen}", 303, LocalStatus.PUBLISHED),
        ("discard", f"edraft {seen}", 409, LocalStatus.PUBLISHED),
        ("hold", "edraft", 303, LocalStatus.UNPUBLISHED),
        ("discard", "edraft", 303, LocalStatus.DELETED),
        ("publish", "enever", 409, LocalStatus.DELETED),
    ):
        answer = await browser.submit("/desk/queue/act", {name: value})
        assert (answer.status_code, (await post_of(server)).local_status) == (status, local_status), name
    assert (await browser.submit("/desk/queue/act", {"sell": "x"})).status_code == 400


async def test_whoever_answers_a_score_pins_its_source(server):
    """By one button a source; the lead is automatic again after undo. What else they disagree about is decided in the liveblog."""
    said = tuple(Difference(what=what, since=NOW, lasts=True) for what in DISAGREEMENTS)
    await add_pair(
        server, PairState(running=True, lead=Lead(source="first", reason=Reason.FIRST, since=NOW), differences=said)
    )
    browser = await a_person(server)
    assert [kind for kind, _ in await items(browser)] == ["ask", "ask"]
    page = (await browser.send("GET", "/desk/queue")).text
    assert page.count('name="pin"') == 2
    assert "Decide in the liveblog" in page
    for value, leads in (("gmatch1 gn-gsd", "gn-gsd"), ("gmatch1 auto", "auto")):
        assert (await browser.submit("/desk/queue/act", {"pin": value})).status_code == 303
        shown = await browser.send("GET", "/desk/matches/gmatch1")
        assert f'value="{leads}" selected' in shown.text or f'value="{leads}" checked' in shown.text
    for name, by_hand in (("byhand", True), ("byprovider", False)):
        assert (await browser.submit("/desk/queue/act", {name: "gmatch1"})).status_code == 303
        attachment = await server.store.read(partial(follow_rows.attachment, game_id=f"{1:024x}"))
        assert follow_rows.terms_of(attachment).exclude_scoreboard is by_hand


@pytest.mark.parametrize("query", ["", "kind=pen&page=2"])
async def test_a_hundred_matches_cost_what_ten_cost(server, query):
    """In statements."""
    statements = []
    browser = await a_person(server)
    engine = await server.store.read(lambda conn: conn.engine)
    event.listen(engine, "before_cursor_execute", lambda _c, _u, text, *_: statements.append(text))
    costs = []
    for numbers in (range(10), range(10, 100)):
        for number in numbers:
            await add_followed(server, number, events=(draft(f"e{number}"),))
        server.ticks += 3
        statements.clear()
        await items(browser, query)
        costs.append(len(statements))
    assert costs[0] == costs[1] <= 14
