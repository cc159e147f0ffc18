"""The desk and the sources of a match: the page of its settings, the table of matches, the page of the liveblog."""

from __future__ import annotations

import re
from functools import partial
from html import unescape

import pytest
from sqlalchemy import event

from mapping.errors import MatchUnknown
from mapping.fusion.disagreements import Disagreement
from mapping.fusion.leading_source import Lead, Reason
from mapping.fusion.source_pair import Difference, PairState
from store.following import standbys
from tests.api.conftest import NOW, declared_database, serving
from tests.kit import matchday, poison
from tests.kit.desk_table import a_person, handlers_in, keys
from tests.kit.followed import add_followed, add_pair
from tests.kit.source_pair import failing, refused, turned_round
from tests.kit.source_service import AFTER, BEFORE, OTHER_SCORER, SECOND_ID, THIRD_ID, source_service
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


def at_field(html, name):
    """What is said of the field of this name, which points to it."""
    assert f'aria-invalid="true" aria-describedby="{name}-wrong"' in html
    return unescape(re.search(rf'<span id="{name}-wrong"[^>]*>(.*?)</span>', html)[1])


@BOTH
async def test_a_person_has_a_source_stand_by_chooses_who_leads_and_takes_it_off(desk):
    """By forms that call the operation of clients; each is written down as what the person did."""
    before = await page_of(desk)
    assert "One source alone" in words(before)
    assert re.findall(
        r'<option value="([^"]+)"', before.partition('id="standby_provider"')[2].partition("</select>")[0]
    ) == [
        "gn-gsd",
        "second",
    ]
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


async def test_a_person_adds_a_third_source_and_takes_the_second_one_off(tmp_path):
    """The form stands there until no provider is left; each standby is taken off by itself."""
    url = copied_url(tmp_path / "sources.db", declared_database)
    async with source_service(url, third=True) as desk:
        await desk.create()
        desk.browser = await a_person(desk.server)
        await submit(desk, ADD)
        page = await page_of(desk)
        offered = page.partition('id="standby_provider"')[2].partition("</select>")[0]
        assert re.findall(r'<option value="([^"]+)"', offered) == ["gn-gsd", "third"]
        twice = await submit(desk, ADD)
        assert (twice.status_code, at_field(twice.text, "standby_provider")) == (
            422,
            "The match comes from this provider already. Choose another one.",
        )
        another = {**ADD, "standby_provider": "third", "standby_id": THIRD_ID}
        assert (await submit(desk, another)).status_code == 303
        desk.process.second.error = failing()
        await desk.go_on(30, first=False)

        page = await page_of(desk)
        assert re.search(r"heim First source .* second Standby .* third Standby .* Leads since", words(page))
        assert "Always third, whatever happens" in words(page)
        assert "third – the other source answers with errors" in await page_of(desk, "/desk")
        assert (await submit(desk, {"remove": "second"})).status_code == 303
        assert [each["provider"] for each in (await desk.source())["sources"]] == ["heim", "third"]
        assert (await submit(desk, {"remove": "third"})).status_code == 303
        assert "One source alone" in words(await page_of(desk))


async def test_the_standby_leads_and_the_page_says_why(desk):
    """On the settings, in the table of matches, on the page of the liveblog."""
    await submit(desk, ADD)
    await desk.go_on()
    assert keys(await page_of(desk, "/desk?trouble=standby-leads")) == []
    await desk.switched()

    assert re.search(
        r"heim .* Does not lead now Last answer: .* It answers with errors\. second .*"
        r" Leads since .*: the other source answers with errors",
        words(await page_of(desk)),
    )
    table = await page_of(desk, "/desk")
    assert "The standby leads: <bdi" in table
    assert "second – the other source answers with errors" in table
    page = await page_of(desk, f"/desk/liveblogs/{desk.name}")
    assert "second leads: the other source answers with errors" in page
    assert keys(await page_of(desk, "/desk?trouble=standby-leads")) == [desk.name]
    assert keys(await page_of(desk, "/desk?trouble=sources-disagree")) == []
    assert keys(await page_of(desk, "/desk?trouble=disagreeing")) == []


async def test_what_sources_disagree_about_is_said_with_the_words_of_each(desk):
    """Everywhere; and it goes once they agree."""
    await submit(desk, ADD)
    desk.second_says(AFTER)
    await desk.go_on(30)
    said = "score: heim 1:0, second 2:0"

    settings, table = words(await page_of(desk)), await page_of(desk, "/desk")
    assert f"The sources disagree about: {said} what only one of them has: heim nothing, second Goal 50'" in settings
    assert f'The sources disagree: <bdi class="why">{said}; what only' in table
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


async def test_the_page_of_the_liveblog_knows_at_once_that_another_source_leads(desk):
    """What an open page compares is another one, although no post has changed."""
    await submit(desk, ADD)
    await desk.go_on()
    path = f"/desk/liveblogs/{desk.name}/posts"
    mark = (await desk.browser.send("GET", path)).json()["mark"]
    assert (await desk.browser.send("GET", path, params={"mark": mark})).status_code == 204
    await desk.switched()

    after = await desk.browser.send("GET", path, params={"mark": mark})
    assert after.status_code == 200
    assert "second leads: the other source answers with errors" in after.json()["match"]


async def test_a_draft_that_waits_for_the_other_source_says_so(desk):
    """With a reason of its own, and publishing it in one click."""
    await submit(desk, ADD)
    await submit(desk, {"choose": "yes", "leads": "auto", "confirm": "two"})
    await desk.go_on()
    desk.first_says(AFTER)
    await desk.go_on()
    page = await page_of(desk, f"/desk/liveblogs/{desk.name}")

    assert "Draft</b> – one source alone has it: it is published by itself once the other one has it too" in page
    assert "this kind of event is not posted automatically" not in page


@pytest.mark.parametrize(
    ("fields", "error", "field", "said"),
    [
        ({"standby_provider": "heim"}, None, "standby_provider", "comes from this provider already"),
        ({"standby_provider": "teletext"}, None, "standby_provider", "has no access to this provider"),
        ({"standby_provider": "gn-gsd"}, None, "standby_provider", "has no access to this provider"),
        ({"standby_id": "a b"}, None, "standby_id", "This is no id of a match."),
        ({"standby_id": ""}, None, "standby_id", "This is no id of a match."),
        ({}, MatchUnknown("no such match"), "standby_id", "The provider has no such match."),
        ({}, failing(), "standby_provider", "The provider does not answer."),
        ({}, refused(), "standby_provider", "The provider refuses the credentials"),
    ],
)
async def test_what_cannot_stand_by_is_said_at_its_field(desk, fields, error, field, said):
    """In words; what was written stands there still, and nothing has changed."""
    desk.process.second.error = error
    answer = await submit(desk, {**ADD, **fields})

    assert answer.status_code == 422
    assert said in at_field(answer.text, field)
    assert f'value="{({**ADD, **fields})["standby_id"]}"' in answer.text
    assert (await desk.source())["sources"] == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "This is another match: home and away are the other way round (SV Nordhafen – FC Südtor; "),
        ("de", "Das ist ein anderes Spiel: Heim und Gast sind vertauscht (SV Nordhafen – FC Südtor; "),
    ],
)
async def test_another_match_is_refused_in_the_language_of_the_person(desk, language, said):
    desk.process.second.match = turned_round(desk.process.second.match)
    path = f"/desk/matches/{desk.name}/sources"
    answer = await desk.browser.submit(path, ADD, headers={"Accept-Language": language})

    assert answer.status_code == 422
    assert said in at_field(answer.text, "standby_id")


async def test_a_choice_of_a_source_that_is_none_any_more_is_refused_at_its_field(desk):
    """Somebody has taken it off meanwhile."""
    await submit(desk, ADD)
    answer = await submit(desk, {"choose": "yes", "leads": "gn-gsd", "confirm": "two"})

    assert (answer.status_code, at_field(answer.text, "leads")) == (422, "This is no source of the match any more.")
    assert (await desk.source())["confirm"] == "one"


@pytest.mark.parametrize(
    ("sport", "providers", "said"),
    [
        ("soccer", {"heim"}, "A standby needs access to a second provider, and your organization has one."),
        ("icehockey", {"heim", "second"}, "In this sport no second source can stand by."),
    ],
)
async def test_where_nothing_can_stand_by_the_page_says_why(store, sport, providers, said):
    async with serving(store, parts={"providers": frozenset(providers)}) as server:
        await add_followed(server, 1, sport=sport)
        page = await (await a_person(server)).send("GET", "/desk/matches/gmatch1")

    assert said in words(page.text)
    assert "standby_id" not in page.text


async def test_pairs_cost_the_same_statements_however_many_there_are(desk):
    """And a table without any costs it too."""
    store, statements = desk.server.store, []
    counted = await store.read(lambda conn: conn.engine)
    event.listen(counted, "before_cursor_execute", lambda _c, _u, text, *_: statements.append(text))

    async def cost():
        statements.clear()
        desk.server.ticks += 3
        assert (await desk.browser.send("GET", "/desk/matches/table?limit=100")).status_code == 200
        return len(statements)

    alone = await cost()
    await submit(desk, ADD)
    one = await cost()
    for number in range(20):
        await add_followed(desk.server, number, title=f"Match {number}")
        (second,) = await store.read(partial(standbys.of_liveblog, game_id=desk.ticker_id))
        await store.write(partial(standbys.save_sources, game_id=f"{number:024x}", follow_ids=[second.follow_id]))
    assert alone == one == await cost()


LEAD = Lead(source="second", since=NOW - 60, reason=Reason.SILENT)


@pytest.mark.parametrize(
    ("state", "answered", "expected"),
    [
        (PairState(running=True, lead=LEAD), (400, 5), "standby-leads"),
        (PairState(running=True, lead=LEAD), (400, 400), "silent"),
        (PairState(running=True, lead=LEAD), (5, 400), "silent"),
        (PairState(running=True), (400, 5), "silent"),
        (PairState(running=False, lead=LEAD), (5, 5), None),
    ],
)
async def test_the_worst_of_a_match_of_two_sources_is_what_readers_lack(server, state, answered, expected):
    """A first source that the standby stands in for is no worse than that; where both are silent, nobody brings anything."""
    state_info = {**matchday.document()["state_info"], "check_time": NOW - 600}
    follows = await add_pair(server, state, document=matchday.document(state_info=state_info))
    server.answered.update({each: NOW - age for each, age in zip(follows, answered, strict=True)})
    page = await (await a_person(server)).send("GET", "/desk?show=running")
    row = re.search(r'<tr data-key="gmatch1"( data-trouble="([a-z-]+)")?', page.text)

    assert row[2] == expected


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
        assert not re.search(r"<(script>|img|svg|/textarea)", page.text), path
        assert page.text.count("&lt;script&gt;alert(1)") >= 2, path


async def test_hostile_ids_and_forms_are_words(desk):
    """Ids of matches, and what a refused form says again."""
    desk.second_says(BEFORE, match_id=poison.XSS)
    assert (await submit(desk, {**ADD, "standby_id": "x"})).status_code == 303
    await submit(desk, {"remove": "second"})
    refusal = await submit(desk, {**ADD, "standby_id": poison.XSS, "standby_provider": poison.XSS})
    await submit(desk, {**ADD, "standby_id": "x"})
    for html in (refusal.text, await page_of(desk)):
        assert handlers_in(html) == []
        assert not re.search(r"<(script>|img|svg|/textarea)", html)
        assert "&lt;script&gt;alert(1)" in html
