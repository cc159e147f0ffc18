"""Master data that is corrected, through HTTP: every open liveblog shows it, and what a person says holds against the provider."""

import asyncio
import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from api.masterdata.endpoint import AT_ONCE
from ingest.jobs import tasks
from ingest.kit.quarantine import Quarantine
from store.clients import clients
from store.following import follow_rows
from store.following.closing import close_match
from store.tables import outbox
from tests.api.conftest import Server, serving
from tests.kit import matchday
from tests.kit.creating import LINES
from tests.kit.day import ORGANIZATION, match_day
from tests.kit.desk import Desk, change, good, match, player, team
from tests.kit.scripted import Bodies, Process, open_store
from tests.kit.sqlite import migrated_url
from tests.providers.heim import feed

PICTURE = "https://img.example/a.png"


def snapshot(score: str = "1:0", *, starter: dict[str, Any] | None = None, **changes: Any) -> Bodies:
    """A running match: a starter on each side, and the goals of the one at home."""
    goals = [feed.row(10 + n, "goal/head", 5 + n, "home", 9, content=f"{n + 1}:0") for n in range(int(score[0]))]
    rows = [
        feed.row(1, "playing/lineup", 0, "home", 9, **({} if starter is None else {"person": starter})),
        feed.row(2, "playing/lineup", 0, "away", 8),
        feed.row(3, "match/game-start", 1),
        *goals,
    ]
    body = {"match": feed.match(match_result=feed.results(p0=score), current_period="game-start", **changes)}
    return {"match": json.dumps(body).encode(), "match-event": json.dumps(rows).encode(), "liveticker": b"[]"}


@dataclass
class Newsroom:
    """The API and the sync on one store, with a match that is followed."""

    server: Server
    desk: Desk
    process: Process
    ticker_id: str

    async def show(self, ticker_id: str | None = None) -> dict[str, Any]:
        return await self.desk.read("ticker/show", ticker_id=ticker_id or self.ticker_id)

    async def settle(self) -> None:
        """The process hears of what has changed, as it does when it renews its leases, and polls."""
        for followed in self.process.matches:
            await self.process.followers.follow(followed.id)
        await self.process.settle()

    async def poll(self, bodies: Bodies | None = None) -> None:
        """A poll, and the tick that brings what it has corrected into other liveblogs."""
        await self.process.poll(bodies)
        await tasks.correct_liveblogs(self.server.store, Quarantine())

    async def notified(self, ticker_id: str) -> list[int]:
        query = select(outbox.c.version).where(outbox.c.game_id == ticker_id).order_by(outbox.c.version)
        return list(await self.server.store.read(lambda conn: conn.scalars(query).all()))

    async def update(self, kind: str, record_id: str, **fields: Any) -> dict[str, Any]:
        before = await self.desk.read(f"{kind}/show", _id=record_id)
        return await self.desk.made(f"{kind}/update", {"_id": record_id, "name": before["name"], **fields})


@pytest.fixture
async def newsroom(tmp_path):
    store = await open_store(migrated_url(tmp_path / "master.db"))
    await store.write(partial(clients.declare, declared=matchday.CLIENTS))
    process = Process(store, feed.MATCH_ID)
    process.adapter.bodies = snapshot()
    ticker_id = await process.create(text=False)
    await process.settle()
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as server:
        yield Newsroom(server, Desk(server.http), process, ticker_id)
    await store.close()


async def test_a_corrected_team_shows_in_title_board_squads_posts_and_feeds(newsroom):
    """At once, with one step and its notification; the provider's next answers change nothing of it."""
    before = await newsroom.show()
    home = before["meta_info"]["home_team"]["_id"]
    await newsroom.update("team", home, name="SV Nordhafen 1899", short_name="SVN", image=PICTURE)
    at_once = await newsroom.show()
    await newsroom.settle()
    await newsroom.process.poll(snapshot("2:0"))
    after = await newsroom.show()
    page = await newsroom.server.http.get(
        "/api/embed/v4/feed/liveblog.rss", params={"liveblogId": before["local_id"], "limit": 100}
    )

    assert at_once["version"] == before["version"] + 1
    assert await newsroom.notified(newsroom.ticker_id) == list(range(1, after["version"] + 1))
    for shown in (at_once, after):
        assert shown["meta_info"]["title"] == "SV Nordhafen 1899 – FC Südtor"
        assert shown["summary_text"].startswith("SV Nordhafen 1899 – FC Südtor")
        teams = shown["meta_info"]["home_team"], shown["scoreboard"]["home_team"], shown["squads"]["home"]["team"]
        for each in teams:
            assert (each["name"], each["short_name"], each["image"]) == ("SV Nordhafen 1899", "SVN", PICTURE)
    assert after["scoreboard"]["score"]["home_score"] == "2"
    assert "SV Nordhafen 1899 – FC Südtor" in page.text
    assert '"SV Nordhafen"' not in json.dumps(after["events"], ensure_ascii=False)


async def test_a_corrected_player_shows_in_squad_posts_texts_and_feeds(newsroom):
    """Name and number are a person's from now on, in what was posted before and in what comes."""
    before = await newsroom.show()
    [scorer] = before["squads"]["home"]["lineup"]
    await newsroom.update("player", scorer["_id"], name="Jan Richtig", short_name="Richtig", number="99")
    at_once = await newsroom.show()
    await newsroom.settle()
    await newsroom.process.poll(snapshot("2:0"))
    after = await newsroom.show()
    page = await newsroom.server.http.get(
        "/api/embed/v4/feed/liveblog.json", params={"liveblogId": before["local_id"], "limit": 100}
    )

    assert at_once["version"] == before["version"] + 1
    for shown in (at_once, after):
        [now] = shown["squads"]["home"]["lineup"]
        assert (now["name"], now["number"]) == ("Jan Richtig", "99")
    posts = [
        event["sport_event"]["players"][0]["player"] for event in after["events"] if event["sport_event"].get("players")
    ]
    assert [(each["name"], each["number"]) for each in posts] == [("Jan Richtig", "99")] * 2
    assert scorer["name"] not in json.dumps(after, ensure_ascii=False)
    assert "Richtig" in page.text
    assert scorer["name"] not in page.text


async def test_matches_that_disagree_about_a_player_step_no_liveblog(newsroom):
    """A shirt number and a position are those of a match: neither a finished liveblog takes another's, nor a live one."""
    store, first = newsroom.server.store, newsroom.process
    over = await first.store.read(lambda conn: follow_rows.attachment(conn, newsroom.ticker_id))
    await store.write(partial(close_match, follow_id=over.follow_id))
    others = []
    for match_id, number in (("9000002", "19"), ("9000003", "29")):
        process = Process(store, match_id)
        named = {
            "id": "9",
            "shirtnumber": number,
            "role": {"id": "3", "name": "Sturm", "group": "Athletes", "order": "4"},
        }
        bodies = snapshot(id=match_id)
        rows = [
            {**each, "team_person": named} if each["id"] == "1" else each for each in json.loads(bodies["match-event"])
        ]
        process.adapter.bodies = {**bodies, "match-event": json.dumps(rows).encode()}
        others.append((process, await process.create(text=False)))
    before = [await newsroom.notified(each) for each in (newsroom.ticker_id, *(ticker_id for _, ticker_id in others))]
    for process, _ in others * 4:
        await process.restart()
        await process.settle()
        await tasks.correct_liveblogs(store, Quarantine())

    shown = [await newsroom.show(each) for each in (newsroom.ticker_id, *(ticker_id for _, ticker_id in others))]
    assert before == [await newsroom.notified(each["ticker_id"]) for each in shown]
    assert ["9", "19", "29"] == [str(each["squads"]["home"]["lineup"][0]["number"]) for each in shown]


async def test_a_corrected_record_shows_in_a_liveblog_made_by_hand(newsroom):
    """A team, a player named in a post, a tournament: each a step; a title of its own and a copy's own words stay."""
    desk = newsroom.desk
    home = await desk.made("team/create", team())
    who = await desk.made("player/create", player(team_id=home["_id"]))
    game = await desk.made("ticker/create", match(home={"_type": "Svc::Model::Team", "_id": home["_id"]}))
    goal = {
        "_type": "Svc::Model::Content::SportEventContentBlock",
        "event_type": "soccer.goal",
        "players": [{"role": "scorer", "player": {"_type": "Svc::Model::Player", "_id": who["_id"]}}],
    }
    posted = good(await desk.http.post(
        "/api/v5/write/event/create.json", params={"ticker_local_id": game["local_id"]},
        json={"_type": "Svc::Model::Event", "sport_event": goal}, auth=(desk.name, matchday.SECRET),
    ))  # fmt: skip
    before = await newsroom.show(game["ticker_id"])
    await newsroom.update("player", who["_id"], name="Sören Dahlmann")
    named = await newsroom.show(game["ticker_id"])
    await newsroom.update("player", who["_id"])
    await newsroom.update("team", home["_id"], name="SV Hafenstadt 1905")
    after = await newsroom.show(game["ticker_id"])

    assert [named["version"], after["version"]] == [before["version"] + 1, before["version"] + 2]
    [event] = named["events"]
    assert (event["local_id"], event["version"]) == (posted["local_id"], named["version"])
    assert event["sport_event"]["players"][0]["player"]["name"] == "Sören Dahlmann"
    assert after["meta_info"]["title"] == "SV Hafenstadt 1905 – AV Bergheim"
    titled = change(
        "UpdateGameMetaInfo", meta_info={"_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo", "title": "Derby"}
    )
    good(await desk.modify(game, titled))
    await newsroom.update("team", home["_id"], name="SV Hafenstadt")
    assert (await newsroom.show(game["ticker_id"]))["meta_info"]["title"] == "Derby"


async def test_a_team_of_thirty_liveblogs_shows_in_all_of_them_within_seconds(tmp_path):
    """The first ones with the response, the others by the running daemon, each with one step."""
    async with match_day(lines=LINES, folder=tmp_path) as day:
        home = (await day.client.post("/api/v5/write/team/create.json", json=team(owner_id=ORGANIZATION))).json()
        named = {"_type": "Svc::Model::Team", "_id": home["_id"]}
        game = match(home=named, organization_id=ORGANIZATION)
        made = [(await day.client.post("/api/v5/write/ticker/create.json", json=game)).json() for _ in range(30)]
        renamed = {"_type": home["_type"], "_id": home["_id"], "name": "SV Hafenstadt 1905"}
        answer = await day.client.post("/api/v5/write/team/update.json", json=renamed)
        assert answer.status_code == 200, answer.text
        at_once = shown = [await day.show(each["local_id"]) for each in made]
        async with asyncio.timeout(60):
            while {each["version"] for each in shown} != {2}:
                await asyncio.sleep(0.2)
                shown = [await day.show(each["local_id"]) for each in made]

    assert sum(each["version"] == 2 for each in at_once) >= AT_ONCE - 1
    assert {each["meta_info"]["title"] for each in shown} == {"SV Hafenstadt 1905 – AV Bergheim"}


def teams_in(shown: dict[str, Any], side: str) -> set[str]:
    """The `_id`s under which a liveblog names the team of one side."""
    named = shown["meta_info"][f"{side}_team"], shown["scoreboard"][f"{side}_team"], shown["squads"][side]["team"]
    return {each["_id"] for each in named}


async def test_a_team_exchanged_in_the_meta_info_is_exchanged_in_board_and_squads(newsroom):
    """By a modification, one step; it stays so against the provider, whose score goes on."""
    desk, before = newsroom.desk, await newsroom.show()
    other = await desk.made("team/create", team(name="TSV Ersatz"))
    meta = {"_type": before["meta_info"]["_type"], "home_team": {"_type": "Svc::Model::Team", "_id": other["_id"]}}
    changed = good(await desk.modify(before, change("UpdateGameMetaInfo", meta_info=meta)))
    await newsroom.process.poll(snapshot("2:0"))
    after = await newsroom.show()

    assert changed["version"] == before["version"] + 1
    for shown in (changed, after):
        assert teams_in(shown, "home") == {other["_id"]}
        assert teams_in(shown, "away") == teams_in(before, "away")
        assert shown["meta_info"]["title"] == "TSV Ersatz – FC Südtor"
        assert shown["squads"]["home"]["lineup"] == []
        assert shown["squads"]["away"]["lineup"] == before["squads"]["away"]["lineup"]
    assert after["scoreboard"]["score"]["home_score"] == "2"


async def test_the_import_keeps_its_own_key(newsroom):
    """A transferred player is recorded anew under the same ext_id, and the old record gets another: no 409, no new record."""
    [scorer] = (await newsroom.show())["squads"]["home"]["lineup"]
    await newsroom.desk.made("player/create", player(ext_id=scorer["ext_id"], name="Jan Neu"))
    moved = await newsroom.update("player", scorer["_id"], ext_id="old-7")
    await newsroom.settle()
    await newsroom.process.poll(snapshot("2:0", starter=feed.person(9, height="190")))
    [now] = (await newsroom.show())["squads"]["home"]["lineup"]
    cleared = await newsroom.update("player", scorer["_id"], ext_id=None)
    back = await newsroom.update("player", scorer["_id"], ext_id=scorer["ext_id"])

    assert moved["ext_id"] == now["ext_id"] == "old-7"
    assert (now["_id"], now["name"], now["height"]) == (scorer["_id"], scorer["name"], 190)
    assert "ext_id" not in cleared
    assert back["ext_id"] == scorer["ext_id"]
