"""The table of matches: what is wrong stands first, in words; who may do what; and what it costs."""

import re
from functools import partial

import pytest
from sqlalchemy import event

from store.alarms import alarms
from store.alarms.alarms import Observed
from store.engine.liveblog_records import Change
from store.engine.unit import Unit
from store.following import follow_rows
from store.liveblogs import liveblogs
from store.tables import resources
from store.webhooks import webhooks
from tests.api.conftest import NOW, contents
from tests.kit import matchday, poison
from tests.kit.desk import a_person, keys
from tests.kit.followed import add_followed, draft

ROLES = ("viewer", "editor", "admin")


async def raise_alarm(server, kind, name, **details):
    await server.store.write(partial(alarms.record, observed=[Observed(kind, name, "trouble", details)], patience=1e9))


async def test_trouble_stands_on_top_in_words(server):
    """Refused credentials, a lost provider, standing still, silence, failures, doubts, drafts; then what is well."""
    follows = [await add_followed(server, number, endpoint=f"heim:{number}") for number in range(9)]
    server.answered.update(dict.fromkeys(follows, NOW - 5.0))
    server.answered[follows[3]] = NOW - 600.0
    await raise_alarm(server, "provider_lost", "heim:8", cause="in whatever words", code="credentials_refused")
    await raise_alarm(
        server, "provider_lost", "heim:7", cause="it refuses the credentials, by a word", code="unreachable"
    )
    await raise_alarm(server, "frozen", f"liveblog:{6:024x}", cause="a row")
    await raise_alarm(server, "feed_silent", follows[5])
    await server.store.write(partial(follow_rows.save_follow, follow_id=follows[2], pending=True))
    failing = {"follow_id": follows[4], "name": "match-event", "rows": 0, "failures": 2, "faults": []}
    await server.store.write(lambda unit: unit.conn.execute(resources.insert().values(failing)))
    change = Change(events=(draft("edraft"),))
    await server.store.write(partial(liveblogs.record, game_id=f"{1:024x}", change=change))

    page = await (await a_person(server)).send("GET", "/desk")

    assert keys(page.text) == [f"gmatch{number}" for number in (8, 7, 6, 3, 5, 4, 2, 1, 0)]
    for words in (
        "The provider refuses the credentials",
        "The provider cannot be reached",
        "Stands still, and is tried again",
        "No answer since",
        "A part of the provider&#39;s data fails",
        "The provider contradicts itself; the next answer decides",
        "Drafts: 1",
    ):
        assert words in page.text.partition("<ol")[2], words
    assert '<h2>Live</h2><span class="num">9</span>' in page.text


async def test_failing_receivers_are_said(server):
    """Those that fail and those that are disabled, of the organization alone."""

    def subscribe(unit: Unit) -> None:
        for owner, name in ((matchday.ORGANIZATION, "a"), (matchday.ORGANIZATION, "b"), (matchday.OTHER, "c")):
            webhooks.subscribe(unit, owner, f"https://{name}.example.org/", secret="whsec_c2VjcmV0", limit=9)
        table = webhooks.webhooks
        unit.conn.execute(table.update().values(failures=2))
        unit.conn.execute(table.update().where(table.c.url.contains("b.example")).values(status="disabled"))

    await server.store.write(subscribe)
    page = await (await a_person(server)).send("GET", "/desk")

    assert "Webhook receivers that do not accept deliveries: 1" in page.text
    assert "Webhook receivers that are disabled: 1" in page.text


async def test_the_filter_takes_what_it_names(server):
    """State, provider, trouble, words; liveblogs without a match; pages."""
    await add_followed(server, 1, status="scheduled", title="Alpha – Beta", provider="gn-gsd")
    await add_followed(server, 2, status="live", title="Gamma – Delta")
    await add_followed(server, 3, status="finished", title="Alpha – Delta", events=(draft("eone"),))
    await server.add(matchday.derby())
    browser = await a_person(server)
    wanted = {
        "": ["gmatch2", "gmatch1", "gmatch3"], "show=running": ["gmatch2"], "show=coming": ["gmatch1"],
        "show=over": ["gmatch3"], "show=others": ["gderby"], "show=others&q=hafen": ["gderby"],
        "show=others&q=nothing": [], "provider=gn-gsd": ["gmatch1"], "trouble=some": ["gmatch3"],
        "trouble=drafts": ["gmatch3"], "trouble=silent": [], "q=ALPHA+delta": ["gmatch3"],
        "limit=1&page=2": ["gmatch1"], "sport=soccer&q=gamma": ["gmatch2"], "sport=tennis": [],
    }  # fmt: skip
    for query, rows in wanted.items():
        page = await browser.send("GET", f"/desk?{query}")
        assert keys(page.text) == rows, query
    first = await browser.send("GET", "/desk?limit=2&q=a")
    assert "page=2&amp;limit=2" in first.text
    for query in ("show=none", "trouble=none", "page=0", "limit=101"):
        assert (await browser.send("GET", f"/desk?{query}")).status_code == 400, query


@pytest.mark.parametrize("role", ROLES)
async def test_a_reader_looks_and_the_others_act(server, role):
    """The forms are not there for a reader, and are refused; for the others they do what they say."""
    await add_followed(server, 1)
    browser = await a_person(server, role=role)
    may = role != "viewer"
    page, settings = [(await browser.send("GET", path)).text for path in ("/desk", "/desk/matches/gmatch1")]
    assert ('name="pause"' in page, 'action="gmatch1/detach' in settings or "/detach" in settings) == (may, may)
    assert ("Your role may look at this" in settings) == (not may)

    paused = await browser.submit("/desk/matches/act", {"pause": "gmatch1", "back": "/desk?show=running"})
    assert paused.status_code == (303 if may else 409)
    assert (await terms(server)).paused is may
    form = {"auto": "yes", "exclude.soccer.goal": "yes", "scoreboard": "yes", "locale": "de"}
    saved = await browser.submit("/desk/matches/gmatch1/settings", form)
    assert saved.status_code == (303 if may else 409)
    if may:
        now = await terms(server)
        assert (now.paused, now.auto_post, now.exclude_scoreboard, now.locale) == (False, True, True, "de")
        assert now.exclude_events == {"soccer.goal"}
        assert paused.headers["location"] == "../../desk?show=running"
    created = await browser.submit(
        "/desk/matches/new", {"provider": "heim", "kind": "matchId", "id": "7", "auto": "yes"}
    )
    assert created.status_code == (303 if may else 403)
    assert len(server.requested) == may
    kept = await browser.submit("/desk/matches/gmatch1/detach", {})
    assert kept.status_code == 200
    assert await attached(server)
    detached = await browser.submit("/desk/matches/gmatch1/detach", {"confirmed": "yes"})
    assert detached.status_code == (303 if may else 409)
    assert await attached(server) is not may
    account = "person."
    done = [
        row["operation"] for row in (await contents(server))["audit_entries"] if row["account_id"].startswith(account)
    ]
    writes = ["changeExternal", "changeExternal", "createFromExternal", "detachExternal"]
    assert [each for each in done if "desk." not in each] == ([f"liveblog.{each}" for each in writes] if may else [])


async def test_several_are_acted_on_at_once(server):
    """What is chosen is paused, goes on and holds its goals; whatever fails is named, and the others are done."""
    for number in (1, 2):
        await add_followed(server, number, terms={"exclude_events": ["soccer.yellow-card"]})
    browser = await a_person(server)

    async def act(do, *more):
        ticks = {f"match.{name}": "yes" for name in ("gmatch1", "gmatch2", *more)}
        return await browser.submit("/desk/matches/act", {**ticks, "do": do, "back": "/desk?sport=soccer"})

    for do, holds in (("pause", lambda each: each.paused), ("resume", lambda each: not each.paused)):
        answer = await act(do)
        assert (answer.status_code, answer.headers["location"]) == (303, "../../desk?sport=soccer")
        assert [holds(await terms(server, number)) for number in (1, 2)] == [True, True], do
    answer = await act("drafts", "gnone")
    assert (answer.status_code, "Done: 2. That did not work" in answer.text) == (409, True)
    assert (await terms(server, 2)).exclude_events == {"soccer.yellow-card", "soccer.goal"}
    for do, ticked, words in (
        ("backup", True, "Home 2 – Away 2: "),
        ("sell", True, "Choose the matches first."),
        ("pause", False, "Choose the"),
    ):
        answer = await (act(do) if ticked else browser.submit("/desk/matches/act", {"do": do}))
        assert (answer.status_code, words in answer.text) == (409, True), do


async def terms(server, number=1):
    found = await server.store.read(lambda conn: follow_rows.attachment(conn, f"{number:024x}"))
    return follow_rows.terms_of(found)


async def attached(server):
    return await server.store.read(lambda conn: follow_rows.attachment(conn, f"{1:024x}")) is not None


async def test_a_match_is_looked_at_before_a_liveblog_is_made_of_it(server):
    """The preview names what the match holds; the form beneath it creates one liveblog, however often it is sent."""
    server.previewed |= {"title": poison.XSS, "competition": poison.XSS, "homeScore": "1", "awayScore": "0"}
    browser = await a_person(server)
    page = await browser.send("GET", "/desk/matches/new?provider=heim&kind=phaseId&id=+77+")
    assert (server.requested[0].selector_kind, server.requested[0].selector_id) == ("phase", "77")
    for words in ("Line-ups: 36 people", "Events so far: 0", "1-0", "Not started"):
        assert words in page.text, words
    assert "<script>alert" not in page.text
    assert page.text.count("&lt;script&gt;alert(1)") >= 2
    (key,) = re.findall(r'name="key" value="([^"]+)"', page.text)
    form = {"provider": "heim", "kind": "phaseId", "id": "77", "key": key, "text": "yes", "title": "T", "locale": "de"}
    created = await browser.submit("/desk/matches/new", form)
    assert created.headers["location"] == "../../desk/matches/gnew?done=saved"
    wanted = server.requested[1]
    terms = wanted.terms
    assert (wanted.idempotency_key, terms.text, terms.auto_post, terms.title, terms.locale) == (
        key, True, False, "T", "de",
    )  # fmt: skip
    assert wanted.client_id.startswith("person.")


async def test_the_fragment_is_sent_once(server):
    """Who has it is sent 304, until something has changed; nobody who is not signed in has any of it."""
    await add_followed(server, 1)
    browser = await a_person(server)
    first = await browser.send("GET", "/desk/matches/table")
    again = await browser.send("GET", "/desk/matches/table", headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    server.ticks += 3
    server.answered["unknown"] = NOW
    later = await browser.send("GET", "/desk/matches/table", headers={"If-None-Match": first.headers["etag"]})
    assert later.status_code == 304
    await browser.send(
        "POST", f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog/gmatch1/external.json", json={"paused": True}
    )
    server.ticks += 3
    changed = await browser.send("GET", "/desk/matches/table", headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200
    assert (await server.http.get("/desk/matches/table")).status_code == 401


async def test_a_hundred_matches_cost_what_ten_cost(server):
    """In statements; and their bytes are few. A second desk within two seconds costs none."""
    statements = []
    for number in range(10):
        await add_followed(server, number, events=(draft(f"e{number}"),))
    browser = await a_person(server)
    reader = server.store

    async def cost(query):
        statements.clear()
        page = await browser.send("GET", f"/desk/matches/table?limit=100{query}")
        return len(statements), page

    counted = await reader.read(lambda conn: conn.engine)
    event.listen(counted, "before_cursor_execute", lambda _c, _u, text, *_: statements.append(text))
    few, _ = await cost("")
    for number in range(10, 100):
        await add_followed(server, number, status="finished" if number % 2 else "live", events=(draft(f"e{number}"),))
    server.ticks += 3
    many, page = await cost("")
    again, _ = await cost("")
    assert len(keys(page.text)) == 100
    assert few <= many <= few + 1, "documents of matches that are over are read apart"
    assert 0 < many <= 10
    assert again <= 2
    assert len(page.content) < 150_000
