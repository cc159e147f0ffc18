"""The desk and the sources of a match: the page of its settings, the table of matches, the page of the liveblog."""

import re
from dataclasses import asdict
from functools import partial
from html import unescape

import pytest

from ingest.alarms.alarm_kinds import Endings, failing_pins
from mapping.fusion.disagreements import Disagreement
from mapping.fusion.leading_source import Lead, Reason
from mapping.fusion.source_pair import Difference, PairState
from store.alarms.alarms import Alarm
from tests.api.conftest import NOW, declared_database
from tests.kit import poison
from tests.kit.desk import a_person, handlers_in, keys
from tests.kit.followed import add_pair
from tests.kit.source_service import AFTER, BEFORE, OTHER_SCORER, SECOND_ID, source_service
from tests.kit.sqlite import copied_url

ADD = {"add": "yes", "standby_provider": "second", "standby_id": f" {SECOND_ID} "}


@pytest.fixture
async def desk(request, tmp_path):
    """A liveblog on the first source's match, and an editor's browser in `desk.browser`."""
    if getattr(request, "param", "sqlite") == "sqlite":
        url = copied_url(tmp_path / "sources.db", declared_database)
    else:
        url = request.getfixturevalue("postgres_url")
    async with source_service(url) as service:
        await service.create()
        service.browser = await a_person(service.server)
        yield service


BOTH = pytest.mark.parametrize("desk", ["sqlite", "postgresql"], indirect=True)


async def page_of(desk, path="", browser=None):
    """The text of the page of settings, or of another one, as it is read."""
    path = path or f"/desk/matches/{desk.name}"
    page = await (browser or desk.browser).send("GET", path)
    assert page.status_code == 200
    return page.text


async def submit(desk, fields, browser=None):
    return await (browser or desk.browser).submit(f"/desk/matches/{desk.name}/sources", fields)


def words(html):
    """The text of the section of sources."""
    section = html.partition('id="sources"')[2].partition("</section>")[0]
    return " ".join(unescape(re.sub(r"<option.*?</option>|<[^>]+>", " ", section)).split())


def chosen(html, name):
    """The value that is chosen among radio buttons."""
    (value,) = re.findall(rf'<input type="radio" name="{name}" value="([^"]*)" checked>', html)
    return value


@BOTH
async def test_a_person_has_a_source_stand_by_chooses_who_leads_and_takes_it_off(desk):
    """By forms that call the operation of clients; each is written down as what the person did."""
    before = await page_of(desk)
    assert "One source alone" in words(before)
    assert re.findall(
        r'<option value="([^"]+)"', before.partition('id="standby_provider"')[2].partition("</select>")[0]
    ) == ["gn-gsd", "second"]
    added = await submit(desk, ADD)
    await desk.go_on()
    page = await page_of(desk)

    assert (added.status_code, added.headers["location"]) == (303, f"../../../desk/matches/{desk.name}?done=saved")
    assert (
        "heim First source · 9000001 · Live Leads: it is the first source of the match, and well Last answer:"
        in words(page)
    )
    assert f"second Standby · {SECOND_ID} · Live Stands by Last answer:" in words(page)
    assert "No disagreement that lasts." in words(page)
    assert (chosen(page, "leads"), chosen(page, "confirm")) == ("auto", "one")

    assert (await submit(desk, {"choose": "yes", "leads": "second", "confirm": "two"})).status_code == 303
    at_once = await page_of(desk)
    assert "second is going to lead within a few seconds." in words(at_once)
    await desk.go_on()
    page = await page_of(desk)
    assert re.search(r"Does not lead now .* Leads since .*: a person has chosen it", words(page))
    assert "is going to lead" not in words(page)
    assert (chosen(page, "leads"), chosen(page, "confirm")) == ("second", "two")
    await submit(desk, {"choose": "yes", "leads": "auto", "confirm": "two"})
    await desk.go_on()
    assert "a person had chosen it; the first source leads again once it has been well for a while" in words(
        await page_of(desk)
    )

    assert (await submit(desk, {"remove": "second"})).status_code == 303
    assert "One source alone" in words(await page_of(desk))
    rows = await desk.server.store.read(
        lambda conn: conn.exec_driver_sql("SELECT operation, account_id FROM audit_entries").all()
    )
    done = [operation for operation, account in rows if (account or "").startswith("person.")]
    assert done.count("liveblog.changeExternal") == 4


async def test_the_standby_leads_and_the_page_says_why(desk):
    """On the settings, in the table of matches, on the page of the liveblog."""
    await submit(desk, ADD)
    await desk.go_on()
    assert keys(await page_of(desk, "/desk?trouble=standby-leads")) == []
    await desk.switched()

    assert re.search(
        r"heim .* Does not lead now Last answer: .* It answers with errors\. second .*"
        r" Leads since .*: the source that led before answers with errors",
        words(await page_of(desk)),
    )
    table = await page_of(desk, "/desk")
    assert "Running on backup: second – the source that led before answers with errors" in table
    page = await page_of(desk, f"/desk/liveblogs/{desk.name}")
    assert "second leads: the source that led before answers with errors" in page
    assert keys(await page_of(desk, "/desk?trouble=standby-leads")) == [desk.name]
    assert keys(await page_of(desk, "/desk?trouble=sources-disagree")) == []
    assert keys(await page_of(desk, "/desk?trouble=disagreeing")) == []


async def test_a_choice_that_does_not_answer_raises_an_alarm_and_is_let_go_with_one_click(desk):
    """It holds until then; the alarm ends with it, or once the source answers again."""
    await submit(desk, {**ADD})
    await submit(desk, {"choose": "yes", "leads": "heim"})
    await desk.go_on()
    assert (await failing_pins(desk.process.watch), "does not answer" in await page_of(desk)) == ([], False)

    await desk.go_on(60, first=False)
    (seen,) = await failing_pins(desk.process.watch)
    assert (seen.kind, seen.details["leads"], (await desk.process.state(desk.ticker_id)).lead.source) == (
        "pin_fails", "heim", "first",
    )  # fmt: skip
    assert "A person has chosen heim, which does not answer. Let whichever" in words(await page_of(desk))
    alarm = Alarm(**{**dict.fromkeys(Alarm.__dataclass_fields__), **asdict(seen)})
    ending = partial(Endings(None), alarm=alarm)
    assert await desk.process.store.read(ending) is None

    assert (await submit(desk, {"leads": "auto"})).status_code == 303
    await desk.switched()
    assert (await failing_pins(desk.process.watch), "does not answer" in await page_of(desk)) == ([], False)
    assert (await desk.process.store.read(ending)).recovered is False
    await submit(desk, {"choose": "yes", "leads": "heim"})
    await desk.go_on()
    assert (await desk.process.store.read(ending)).recovered is True


async def test_what_sources_disagree_about_is_said_with_the_words_of_each(desk):
    """Everywhere; and it goes once they agree."""
    await submit(desk, ADD)
    desk.second_says(AFTER)
    await desk.go_on(30)
    said = "score: heim 1:0, second 2:0"

    settings, table = words(await page_of(desk)), await page_of(desk, "/desk")
    assert f"The sources disagree about: {said} what only one of them has: heim nothing, second Goal 50'" in settings
    assert f"The sources disagree: {said}; what only" in table
    assert said in await page_of(desk, f"/desk/liveblogs/{desk.name}")
    assert keys(await page_of(desk, "/desk?trouble=sources-disagree")) == [desk.name]
    assert keys(await page_of(desk, "/desk?trouble=disagreeing")) == []

    desk.second_says(OTHER_SCORER)
    await desk.go_on(30)
    assert re.search(r"The sources disagree about: scorer: heim \w.*, second \w", words(await page_of(desk)))
    desk.second_says(BEFORE)
    await desk.go_on()
    assert "No disagreement that lasts." in words(await page_of(desk))
    assert keys(await page_of(desk, "/desk?trouble=sources-disagree")) == []


async def test_a_draft_that_waits_for_the_other_source_says_so(desk):
    """With a reason of its own, and publishing it in one click."""
    await submit(desk, ADD)
    await submit(desk, {"choose": "yes", "leads": "auto", "confirm": "two"})
    await desk.go_on()
    desk.first_says(AFTER)
    await desk.go_on()
    page = await page_of(desk, f"/desk/liveblogs/{desk.name}")

    assert "one source alone has it: it is published by itself once the other one has it too" in page
    assert "this kind of event is not posted automatically" not in page


LEAD = Lead(source="second", since=NOW - 60, reason=Reason.SILENT)


async def test_hostile_words_of_a_source_are_words(server):
    """What sources say of a match, on all three pages."""
    said = Disagreement("missing", "incident:1", poison.XSS, f"soccer.goal 5' {poison.XSS}")
    await add_pair(
        server, PairState(running=True, lead=LEAD, differences=(Difference(what=said, since=NOW, lasts=True),))
    )
    browser = await a_person(server)
    for path in ("/desk/matches/gmatch1", "/desk", "/desk/liveblogs/gmatch1"):
        page = await browser.send("GET", path)
        assert handlers_in(page.text) == [], path
        assert not re.search(r"<(script>|img|svg [^cav]|/textarea)", page.text), path
        assert page.text.count("&lt;script&gt;alert(1)") >= 2, path
