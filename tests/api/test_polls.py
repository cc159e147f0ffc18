"""Polls and quizzes: the read of the interface, one vote a reader, and solutions that nobody sees before voting."""

import asyncio
import json
import re
from dataclasses import replace
from hashlib import sha256

import pytest
from sqlalchemy import select

from store.clients import clients
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from store.polls.votes import poll_tallies, poll_votes
from tests.api.conftest import NOW, contents
from tests.kit import matchday
from tests.kit.desk import Desk
from tests.kit.polling_readers import POLL, POLLS, QUIZ, SOLUTION, Voter, liveblog, numbers, poll_post, reader_of

GAME = "9c" * 12


def voter(server, name="r1", **more):
    return Voter(server.http, reader_of(matchday.ORGANIZATION, name), **more)


async def test_a_poll_shows_its_results_and_takes_one_vote_a_reader(server):
    """The interface's read; votes are changed and taken back, sent again they change nothing, and no version steps."""
    await server.add(liveblog(poll_post(POLL)))
    anybody, first, second = Voter(server.http, None), voter(server), voter(server, "r2")

    empty = await anybody.read("p1")
    assert {name: empty[name] for name in ("id", "question", "total_votes", "closed", "closes_at", "multiple", "quiz")} == {
        "id": "p1", "question": "Who wins?", "total_votes": 0, "closed": False, "closes_at": None, "multiple": False,
        "quiz": False,
    }  # fmt: skip
    assert numbers(empty) == [(0, 0), (0, 0)]
    assert (await first.voted("p1", "a"))["vote"] == {"options": ["a"]}
    assert numbers(await second.voted("p1", "b")) == [(1, 50), (1, 50)]
    changed = await first.voted("p1", "b")
    assert (numbers(changed), changed["total_votes"]) == ([(0, 0), (2, 100)], 2)
    before = await contents(server)
    assert await first.voted("p1", "b") == changed == await first.read("p1")
    assert await contents(server) == before
    assert (await second.voted("p1"))["vote"] == {"options": []}
    assert numbers(await anybody.read("p1")) == [(0, 0), (1, 100)]
    versions = [empty["version"], changed["version"], (await anybody.read("p1"))["version"]]
    assert versions == sorted(set(versions))
    game = await server.store.read(lambda conn: liveblogs.find_game(conn, GAME))
    assert game.version == 1

    head = await anybody.sent("HEAD", "p1")
    again = await server.http.get(
        f"{POLLS}/p1", params={"client_id": "reader"}, headers={"If-None-Match": head.headers["ETag"]}
    )
    assert (again.status_code, again.headers["Vary"]) == (304, "Authorization, Reader-Token")
    assert (await first.sent("GET", "p1")).headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, "options"), ({"options": "a"}, 422, "options"), ({"options": ["a", "x"]}, 422, "options.1"),
        ({"options": [5]}, 422, "options.0"), ({"options": [""]}, 422, "options.0"), ({"options": ["a", "b"]}, 422, "options"),
        ({"options": ["a"] * 1001}, 422, "options"), ([], 422, None), ({"options": [None]}, 422, "options.0"),
    ],
)  # fmt: skip
async def test_what_is_no_vote_is_refused_with_its_path(server, body, status, field):
    """Nothing is written."""
    await server.add(liveblog(poll_post(POLL)))
    before = await contents(server)

    response = await voter(server).sent("POST", "p1/votes", json=body)

    assert (response.status_code, response.json().get("field")) == (status, field), response.text
    assert await contents(server) == before


async def test_only_readers_of_the_organization_vote(server):
    """Without a token, with a forged one or one of another organization: 401, and nothing is counted."""
    await server.add(liveblog(poll_post(POLL)))
    before = await contents(server)

    for wrong in (None, "", "x", reader_of(matchday.OTHER)):
        response = await Voter(server.http, wrong).vote("p1", "a")
        assert (response.status_code, response.json()["code"]) == (401, "unauthorized"), wrong
    assert (await server.http.get(f"{POLLS}/p1")).status_code == 401  # a client_id is required
    assert await contents(server) == before


async def test_only_published_polls_are_found(server):
    """One of a draft, a scheduled, withdrawn or deleted post or liveblog, and another organization's, are as one that never was."""
    hidden = [
        poll_post({**POLL, "local_id": "pdraft"}, status=60),
        poll_post({**POLL, "local_id": "psoon"}, publish_at=NOW + 60),
        poll_post({**POLL, "local_id": "pgone"}, status=100),
        matchday.event("etext", NOW, contents=[{**matchday.QUOTE, "local_id": "pquote"}]),
        poll_post({**POLL, "local_id": "pbare", "options": []}),
    ]
    await server.add(liveblog(poll_post(POLL), *hidden))
    other = {"organization_id": matchday.OTHER, "name": "gother", "ticker_id": "9d" * 12}
    await server.add(liveblog(poll_post({**POLL, "local_id": "pother"}), **other))
    never = (await voter(server).sent("GET", "never")).json()

    for name in ("pdraft", "psoon", "pgone", "pquote", "pbare", "pother", "epdraft", "gpolls"):
        for response in (await voter(server).sent("GET", name), await voter(server).vote(name, "a")):
            assert (response.status_code, response.json()) == (404, never), name
    assert (await voter(server, client="stranger").sent("GET", "p1")).status_code == 404

    await server.store.write(lambda unit: liveblogs.record(unit, GAME, Change(local_status=60)))
    assert (await voter(server).vote("p1", "a")).json() == never


async def test_editors_edit_and_close_polls_while_votes_exist(server):
    """An edited text keeps its votes, a removed option's do not count, a new one starts at none; a closed poll takes no votes."""
    await server.add(liveblog(poll_post(POLL)))
    reader = voter(server)
    await reader.voted("p1", "a")
    await voter(server, "r2").voted("p1", "b")

    async def edited(**block):
        response = await server.http.post(
            "/api/v5/write/event/update.json",
            params={"event_local_id": "ep1"},
            json={"contents": [{**POLL, **block}]},
            auth=("desk", matchday.SECRET),
        )
        assert response.status_code == 200, response.text
        return await reader.read("p1")

    shorter = await edited(options=[{"id": "a", "text": "We"}, {"text": "Nobody"}])
    assert [(each["text"], each["votes"]) for each in shorter["options"]] == [("We", 1), ("Nobody", 0)]
    assert shorter["options"][1]["id"] not in {"a", "b", "1", "2"}
    assert (await voter(server, "r2").read("p1"))["vote"] == {"options": []}
    whole = await edited()
    assert numbers(whole) == [(1, 50), (1, 50)]

    closed = await edited(closed=True)
    assert closed["closed"]
    refused = await reader.vote("p1", "b")
    assert (refused.status_code, refused.json()["code"], refused.json()["message"]) == (
        409,
        "conflict",
        "the poll is closed",
    )
    assert (await reader.vote("p1", "a")).status_code == 200  # as it is
    opened = await edited(closes_at=NOW + 5)
    assert (await reader.voted("p1", "b"))["closes_at"] == NOW + 5
    server.now += 5
    assert (await reader.read("p1"))["closed"]
    assert (await reader.vote("p1", "a")).status_code == 409
    versions = [each["version"] for each in (shorter, whole, closed, opened, await reader.read("p1"))]
    assert versions == sorted(set(versions))


async def test_results_show_to_those_for_whom_the_poll_shows_them(server):
    """After voting, after the close, or to a client of the organization that gives its secret."""
    blocks = [{**POLL, "local_id": f"p{each}", "results": each} for each in ("voted", "closed")]
    await server.add(liveblog(*map(poll_post, blocks)))
    anybody, reader = Voter(server.http, None), voter(server)

    hidden = {name: await anybody.read(name) for name in ("pvoted", "pclosed")}
    assert {(each["total_votes"], each["options"][0]["votes"]) for each in hidden.values()} == {(None, None)}
    assert numbers(await reader.voted("pvoted", "a")) == [(1, 100), (0, 0)]
    assert (await reader.voted("pclosed", "a"))["total_votes"] is None
    assert (await anybody.read("pvoted"))["total_votes"] is None
    assert (await reader.voted("pvoted"))["total_votes"] is None
    for name, status in (("desk", 1), ("stranger", 404)):
        response = await server.http.get(f"{POLLS}/pclosed", auth=(name, matchday.SECRET))
        assert response.json().get("total_votes", response.status_code) == status


async def test_a_quiz_keeps_its_solution_until_the_reader_has_voted(server):
    """No public read has it, in whatever form; the vote says right or wrong, with the reason, and stays."""
    await server.add(liveblog(poll_post(QUIZ)))
    anybody, reader = Voter(server.http, None), voter(server)
    feed = "/api/embed/v4/feed/liveblog"
    public = [
        f"{POLLS}/q1", "/liveblogs/gpolls", "/liveblogs/gpolls?fragment=1", "/liveblogs/gpolls?fragment=1&refresh=0",
        "/embed/gpolls", "/api/embed/v4/prefetch/liveblog.json?liveblogId=gpolls",
        "/api/embed/v4/prefetch/liveblog-teaser.json?liveblogId=gpolls", "/api/v6/ticker/show.json?id=gpolls",
        "/api/v6/ticker/show.json?id=gpolls&refresh=0", "/liveblogs/gpolls/snippets",
        *(f"{feed}.{form}?liveblogId=gpolls" for form in ("rss", "atom", "json")),
    ]  # fmt: skip
    for path in public:
        response = await server.http.get(path, auth=("reader", matchday.SECRET))
        assert response.status_code == 200, path
        assert SOLUTION not in response.text, path
        assert not re.search('"correct|correct_option|explanation', response.text), path
    assert "explanation" not in (await reader.read("q1"))["vote"]

    wrong = (await reader.voted("q1", "a"))["vote"]
    assert wrong == {"options": ["a"], "right": False, "correct": ["b"], "explanation": SOLUTION}
    assert (await voter(server, "r2").voted("q1", "b"))["vote"]["right"] is True
    assert (await reader.read("q1"))["vote"] == wrong
    assert {(await reader.vote("q1", *options)).status_code for options in ([], ["b"])} == {409}
    assert SOLUTION not in str(await anybody.read("q1"))
    written = await Desk(server.http).read("ticker/show", local_id="gpolls")
    assert SOLUTION in str(written)  # who writes sees it


async def test_pages_and_feeds_show_polls_without_a_script(server):
    """Pages have the results that everybody may see, in the liveblog's language; feeds the options and a link; all is escaped."""
    hidden = {**POLL, "local_id": "phidden", "results": "closed", "closes_at": NOW + 5}
    hostile = {**POLL, "local_id": 'p"><x-id>', "question": "<x-q>?", "options": [{"id": '"><x-o>', "text": "<x-t>"}]}
    document = matchday.document(locale="de")
    posts = [poll_post(each) for each in (POLL, hidden, QUIZ)] + [matchday.event("eb", NOW - 60, contents=[hostile])]
    await server.add(replace(liveblog(*posts), document=document))
    for name, option in (("r1", "a"), ("r2", "a"), ("r3", "b")):
        await voter(server, name).voted("p1", option)
        await voter(server, name).voted("phidden", option)

    async def page():
        server.ticks += 6  # older than what is kept of rendered pages
        text = (await server.http.get("/liveblogs/gpolls", params={"client_id": "reader"})).text
        found = re.findall(r'<section class="poll" data-poll="(\w+)".*?</section>', text)
        bodies = re.findall(r'<section class="poll".*?</section>', text)
        return text, dict(zip(found, [each for each in bodies if "&lt;x-" not in each], strict=True))

    text, polls = await page()
    assert re.findall('class="share">([^<]*)<', polls["p1"]) == ["67\u00a0%", "33\u00a0%"]
    assert "3 Stimmen" in polls["p1"]
    assert re.findall('class="share">([^<]*)<', polls["phidden"]) == ["", ""]
    assert "<x-" not in text
    assert "&lt;x-t&gt;" in text
    server.now += 5
    _, polls = await page()
    assert "3 Stimmen · Abstimmung beendet" in polls["phidden"]

    feed = (
        await server.http.get("/api/embed/v4/feed/liveblog.json?liveblogId=gpolls", auth=("reader", matchday.SECRET))
    ).json()
    shown = next(each["content_html"] for each in feed["items"] if "Who wins?" in each["content_html"])
    assert "<li>Us</li><li>Them</li>" in shown
    assert re.search(r'<a href="https://live.example.org/[^"]+">Hier abstimmen</a>', shown)
    assert "%" not in re.sub("<a.*?</a>", "", shown)


async def test_delayed_readers_see_the_results_of_their_moment(server):
    """In the read, and after a vote, which counts at once."""
    await server.add(liveblog(poll_post(POLL)))
    await voter(server).voted("p1", "a")
    await server.store.write(lambda unit: unit.conn.execute(poll_tallies.update().values(written_at=NOW - 30)))
    anybody = Voter(server.http, None)
    server.now = NOW - 25

    assert numbers(await anybody.read("p1", delay=10)) == [(0, 0), (0, 0)]
    assert numbers(await anybody.read("p1")) == [(1, 100), (0, 0)]
    late = (await voter(server, "r2").vote("p1", "b", delay=10)).json()
    assert (numbers(late), late["vote"]) == ([(0, 0), (0, 0)], {"options": ["b"]})
    assert numbers(await anybody.read("p1")) == [(1, 50), (1, 50)]
    server.now = NOW - 15
    assert numbers(await anybody.read("p1", delay=10)) == [(1, 50), (1, 50)]
    assert (await anybody.sent("GET", "p1", params={"delay": 60})).status_code == 404


async def test_fifty_readers_at_once_are_counted_exactly(server):
    """Through the API: votes that are changed and taken back by readers who do not wait for each other."""
    await server.add(liveblog(poll_post({**POLL, "multiple": True})))

    async def votes(number):
        one = voter(server, f"r{number}")
        for options in (["a"], ["a", "b"] if number % 5 else []):
            assert (await one.vote("p1", *options)).status_code == 200

    await asyncio.gather(*(votes(number) for number in range(50)))

    results = await Voter(server.http, None).read("p1")
    assert (numbers(results), results["total_votes"]) == ([(40, 50), (40, 50)], 80)


async def test_nobody_finds_a_reader_in_an_export_of_votes(server):
    """Who knows a reader's id, which stands beside public comments, and the liveblog cannot make the number from them."""
    await server.add(liveblog(poll_post(POLL)))
    reader = voter(server, "r-one")
    await reader.voted("p1", "a")
    [(reader_id,)] = await server.store.read(lambda conn: conn.execute(select(poll_votes.c.reader_id)).all())
    await server.store.write(lambda unit: clients.create(unit, spec=matchday.client("counting", "stats")))
    path = f"{POLLS.removesuffix('/polls')}/organization/{matchday.ORGANIZATION}/liveblog/gpolls/export"
    text = (await server.http.get(path, auth=("counting", matchday.SECRET))).text
    [number] = [row.split(",")[1] for row in text.splitlines()[1:]]

    for game in (GAME, "gpolls"):
        assert number != sha256(f"{game} {reader_id}".encode()).hexdigest()[:16]
    assert number not in {sha256(each.encode()).hexdigest()[:16] for each in (reader_id, f"{GAME}{reader_id}")}


async def test_a_quiz_that_waits_says_nothing_of_its_solution_and_a_hidden_poll_nothing_of_its_turnout(server):
    """Before it is closed a vote gives no solution, and no number moves with the votes of others."""
    hidden = {"results": "closed", "closes_at": int(server.now) + 100}
    await server.add(liveblog(poll_post({**QUIZ, **hidden}), poll_post({**POLL, **hidden})))
    first, anybody = voter(server), Voter(server.http, None)
    before = await anybody.read("p1")
    voted = [await first.voted("q1", "a"), await first.voted("p1", "a")]
    for number in range(3):
        await voter(server, f"r{number}").voted("p1", "b")

    assert [{"options": ["a"]}, {"options": ["a"]}] == [each["vote"] for each in voted]
    assert before == await anybody.read("p1")
    server.now += 100
    closed = await first.read("q1")
    assert (False, ["b"]) == (closed["vote"]["right"], closed["vote"]["correct"])
    assert before["version"] < (await anybody.read("p1"))["version"]


async def test_votes_and_results_are_exported_without_names_and_formulas(server):
    """As CSV and as JSON Lines; readers are numbers, a text that begins like a formula is none, drafts are there too."""
    options = [{"id": "=1+1", "text": "=cmd()"}, {"id": "b", "text": "Them"}]
    draft = poll_post({**POLL, "local_id": "pdraft"}, status=60)
    await server.add(liveblog(poll_post({**POLL, "multiple": True, "options": options}), draft))
    await voter(server, "r-one").voted("p1", "=1+1", "b")
    await voter(server, "r-two").voted("p1", "b")
    await server.store.write(lambda unit: clients.create(unit, spec=matchday.client("counting", "stats")))
    path = f"{POLLS.removesuffix('/polls')}/organization/{matchday.ORGANIZATION}/liveblog/gpolls/export"

    async def got(**query):
        response = await server.http.get(path, params=query, auth=("counting", matchday.SECRET))
        assert response.status_code == 200, response.text
        assert "r-one" not in response.text
        return response.text

    head, *rows = (await got()).splitlines()
    assert head == "poll,reader,options,voted_at"
    assert [row.split(",")[2] for row in rows] == ["'=1+1|b", "b"]
    assert len({row.split(",")[1] for row in rows}) == 2
    assert (await got(content="results")).splitlines() == [
        "poll,question,option,text,votes,percent",
        "p1,Who wins?,'=1+1,'=cmd(),1,33", "p1,Who wins?,b,Them,2,67",
        "pdraft,Who wins?,a,Us,0,0", "pdraft,Who wins?,b,Them,0,0",
    ]  # fmt: skip
    first = json.loads((await got(format="jsonl")).splitlines()[0])
    assert (first["options"], list(first)) == (["=1+1", "b"], ["poll", "reader", "options", "voted_at"])
    assert (
        await server.http.get(path, params={"format": "xls"}, auth=("counting", matchday.SECRET))
    ).status_code == 400
