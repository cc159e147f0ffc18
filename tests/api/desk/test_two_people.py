"""Every form of the desk, opened by one person before another changes something: what the other has changed stays."""

from functools import partial
from html.parser import HTMLParser
from typing import Any, NamedTuple

import pytest
from structlog.testing import capture_logs

from api.desk.desk_routes import DESK_ROUTES
from store.comments import comments
from store.comments.comments import NewComment
from tests.api.conftest import declared_database
from tests.kit import matchday
from tests.kit.desk import a_person
from tests.kit.source_service import SECOND_ID, THIRD_ID, SourceService, source_service
from tests.kit.sqlite import copied_url

COMMENT = f"{1:024x}"
ALONE = {
    "/desk/sign-in", "/desk/sign-in/code", "/desk/sign-out", "/desk/account/password", "/desk/account/second-factor",
    "/desk/account/end-session", "/desk/account/end-everywhere", "/desk/liveblogs/{liveblogId}/open", "/desk/new/match",
    "/desk/new/topic", "/desk/liveblogs/act", "/desk/rules", "/desk/rules/try",
}  # fmt: skip
"""Forms about the account or the browser that sends them, of what is not there yet, and of what is then over."""
MATCH, NEW, QUEUE = "/desk/matches/{liveblogId}", "/desk/matches/new", "/desk/comments"


class Sent(NamedTuple):
    """A form: the page that it stands on, its address, and what a person fills in or presses."""

    page: str
    form: str
    fields: dict[str, str]


class Row(NamedTuple):
    """What A opens and sends later, what B sends meanwhile, and what of it stays: a part of what a client is shown."""

    a: Sent
    b: Sent
    stays: dict[str, Any]
    status: int = 303


def settings(**fields: str) -> Sent:
    return Sent(MATCH, f"{MATCH}/settings", fields)


def sources(**fields: str) -> Sent:
    return Sent(MATCH, f"{MATCH}/sources", fields)


def decided(**fields: str) -> Sent:
    return Sent(QUEUE, f"{QUEUE}/act", fields)


def attached(provider: str, match_id: str) -> Sent:
    return Sent(f"{NEW}?attach={{liveblogId}}&provider={provider}&kind=matchId&id={match_id}", NEW, {})


THIRD = {"add": "yes", "standby_provider": "third", "standby_id": THIRD_ID}
PINNED = sources(choose="yes", leads="second")
ROWS = {
    "settings": Row(
        settings(**{"exclude.soccer.yellow-card": "yes"}),
        settings(**{"paused": "yes", "locale": "de", "exclude.soccer.goal": "yes"}),
        {
            "paused": True,
            "locale": "de",
            "excluded": ["soccer.goal", "soccer.yellow-card"],
            "includeTextContent": False,
        },
    ),
    "who confirms": Row(sources(choose="yes", confirm="two"), PINNED, {"leads": "second"}),
    "who leads": Row(PINNED, sources(choose="yes", confirm="two"), {"confirm": "two"}),
    "another source": Row(sources(**THIRD), PINNED, {"leads": "second"}),
    "no source": Row(sources(remove="second"), sources(**THIRD), {"sources": ["heim", "third"]}),
    "pause": Row(
        Sent("/desk", "/desk/matches/act", {"pause": "{liveblogId}"}), settings(locale="de"), {"locale": "de"}
    ),
    "detach": Row(
        Sent(MATCH, f"{MATCH}/detach", {"confirmed": "yes"}), attached("second", SECOND_ID), {"provider": "second"}, 409
    ),
    "attach": Row(attached("second", SECOND_ID), settings(paused="yes"), {"paused": True, "provider": "second"}),
    "approve": Row(decided(approve=COMMENT), decided(reject=COMMENT), {"comment": "rejected"}, 409),
    "reject": Row(decided(reject=COMMENT), decided(approve=COMMENT), {"comment": "approved"}, 409),
    "queue": Row(
        Sent("/desk/queue", "/desk/queue/act", {"approve": COMMENT}),
        decided(reject=COMMENT),
        {"comment": "rejected"},
        409,
    ),
    "ban": Row(decided(ban="reader1"), decided(reject=COMMENT), {"comment": "rejected"}),
    "unban": Row(decided(unban="reader1"), decided(reject=COMMENT), {"comment": "rejected"}),
}


class Forms(HTMLParser):
    """The fields of each form of a page as a browser sends them untouched, and the names of its buttons."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str], set[str]]] = []
        self._select = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "form":
            self.found.append((given.get("action") or "", {}, {"form"} if given.get("id") == "act" else set()))
        elif tag == "button" and self.found:
            self.found[-1][2].add(name)
        elif tag == "select":
            self._select = name
        elif tag == "option" and "selected" in given:
            self.found[-1][1][self._select] = value
        elif tag == "input" and name and (given.get("type") not in {"checkbox", "radio"} or "checked" in given):
            self.found[-1][1][name] = value


def opened(html: str, sent: Sent) -> dict[str, str]:
    """What the form holds in which one of the buttons is that the person presses."""
    fitting = [each for each in Forms(html).found if each[0].endswith(sent.form.rpartition("/")[2])]
    pressed = [each for each in fitting if each[2] & {*sent.fields}] or fitting
    return pressed[-1][1]


async def open_form(desk: SourceService, browser: Any, sent: Sent) -> dict[str, str]:
    page = await browser.send("GET", sent.page.replace("{liveblogId}", desk.name))
    assert page.status_code == 200
    return opened(page.text, sent)


async def submit(desk: SourceService, browser: Any, sent: Sent, fields: dict[str, str]) -> int:
    filled = {**fields, **{name: value.replace("{liveblogId}", desk.name) for name, value in sent.fields.items()}}
    return (await browser.submit(sent.form.replace("{liveblogId}", desk.name), filled)).status_code


async def standing(desk: SourceService) -> dict[str, Any]:
    found = await desk.source()
    comment = await desk.server.store.read(partial(comments.require, comment_id=COMMENT))
    excluded = sorted(found["autoPostConfiguration"]["excludeEvents"])
    sources = [each["provider"] for each in found["sources"]]
    return {**found, "sources": sources, "excluded": excluded, "comment": comment.status}


def test_every_form_has_a_row():
    """But those that are about whoever sends them."""
    forms = {each.path for each in DESK_ROUTES if each.method == "POST"}
    assert forms == {row.a.form for row in ROWS.values()} | ALONE


@pytest.mark.parametrize("name", ROWS)
async def test_what_a_colleague_has_changed_meanwhile_stays(tmp_path, name):
    """A opens the page, B changes something by another, A sends: B's change is there, and what was done is logged whole."""
    row = ROWS[name]
    async with source_service(copied_url(tmp_path / "two.db", declared_database), third=True) as desk:
        await desk.create()
        await desk.change(standby=[{"provider": "second", "matchId": SECOND_ID}])
        new = NewComment(
            COMMENT, matchday.ORGANIZATION, desk.ticker_id, "egoal", None, "reader1", "Kim", None, "No", "pending"
        )
        await desk.server.store.write(partial(comments.create, new=new, duplicate_period=0))
        a, b = await a_person(desk.server), await a_person(desk.server, role="admin")
        seen = await open_form(desk, a, row.a)
        with capture_logs() as logs:
            assert await submit(desk, b, row.b, await open_form(desk, b, row.b)) == 303
            assert await submit(desk, a, row.a, seen) == row.status
        now = await standing(desk)

    assert {each: now[each] for each in row.stays} == row.stays
    written = [each for each in logs if each["event"] == "audit.write" and each["operation"].startswith("liveblog.")]
    assert all(each["version"] for each in written)
