"""Over real HTTP a replay has the manners of the provider."""

import asyncio
import socket
from hashlib import md5

import httpx
import pytest

from providers.replay import ReplaySettings, serve
from providers.replay.demo import demo_files
from tests.providers.replay.samples import Ticking, replaying

PATHS = {"match": "/match/ma1", "match-event": "/match-event/ma1", "liveticker": "/liveticker/co7/ma1"}


async def test_answers_are_json_with_the_providers_headers():
    """UTF-8 JSON, the MD5 as tag, thirty seconds to cache, readable from everywhere."""
    async with replaying() as (_, client):
        answer = await client.get("/match/ma1", headers={"accept-encoding": "identity"})

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.headers["etag"] == f'"{md5(answer.content).hexdigest()}"'
    assert answer.headers["cache-control"] == "public, max-age=30"
    assert answer.headers["expires"] == "Sat, 14 Mar 2026 15:09:56 GMT"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.json()["match"]["id"] == "1"


async def test_before_its_first_answer_a_match_is_unknown_and_lists_are_empty():
    """A match that was not yet recorded is 404; its events and texts are empty lists."""
    async with replaying(step=True) as (_, client):
        answers = {kind: await client.get(path) for kind, path in PATHS.items()}

    assert answers["match"].status_code == 404
    assert (answers["match-event"].json(), answers["liveticker"].json()) == ([], [])


async def test_what_is_given_is_answered_as_it_was_recorded_and_all_else_fails():
    """Dates and all, whatever the clock says, and again under the same tag."""
    async with replaying(step=True) as (replay, client):
        replay.give([replay.matches["1"].lines[1]])
        match, events = await client.get("/match/ma1"), await client.get("/match-event/ma1")
        same = await client.get("/match/ma1", headers={"if-none-match": match.headers["etag"]})

    assert match.text == replay.matches["1"].lines[1].text
    assert (match.status_code, events.status_code, same.status_code) == (200, 503, 304)


async def test_a_known_tag_is_not_modified():
    """Who has the answer gets 304 without a body until the answer changes."""
    ticking = Ticking()
    async with replaying(ticking=ticking) as (replay, client):
        first = await client.get("/match/ma1")
        known = {"if-none-match": first.headers["etag"]}
        same = await client.get("/match/ma1", headers=known)
        ticking.seconds = 60
        other = await client.get("/match/ma1", headers=known)

    assert (same.status_code, same.content) == (304, b"")
    assert same.headers["etag"] == first.headers["etag"]
    assert other.status_code == 200
    assert [request.etag_match for request in replay.log.requests] == [False, True, False]


async def test_right_credentials_are_let_in_and_the_log_knows_the_user_alone():
    """The log has the user of each request; the password appears nowhere in it."""
    async with replaying(user="newsroom", password="geheim-ß") as (replay, client):
        answer = await client.get("/match/ma1", auth=("newsroom", "geheim-ß"))
        log = (await client.get("/__replay/log")).text

    assert answer.status_code == 200
    assert replay.log.requests[-1].user == "newsroom"
    assert "newsroom" in log
    assert "geheim" not in log


async def test_the_tree_holds_the_same_match():
    """In the other envelope the match lies below sport, competition, season and round; events stay a list."""
    async with replaying(envelope="tree") as (_, client):
        (sport,) = (await client.get("/match/ma1")).json()
        events = (await client.get("/match-event/ma1")).json()

    round_ = sport["competition"][0]["season"][0]["round"][0]
    assert (sport["id"], round_["id"], round_["name"]) == ("1", "9", "Achtelfinale")
    assert round_["match"][0]["home"] == {"id": "3", "name": "Heim"}
    assert "round" not in round_["match"][0]
    assert sport["match_result_at"] == [{"id": "0", "name": "Endergebnis"}]
    assert events == []


async def test_an_answer_that_was_not_json_is_served_as_it_came():
    """What the provider once sent instead of JSON is sent again, without a tag."""
    async with replaying() as (replay, client):
        replay.seek_end()
        answer = await client.get("/match-event/ma1")

    assert (answer.status_code, answer.text) == (200, "<html>oops</html>")
    assert "etag" not in answer.headers


async def test_it_listens_on_the_own_machine_alone():
    """The free port is bound on loopback, and given back afterwards."""
    async with replaying() as (replay, _):
        host, port = replay.url.removeprefix("http://").split(":")
        assert host == "127.0.0.1"

    with socket.socket() as again:
        again.bind((host, int(port)))


async def test_serve_prints_its_address_and_runs_until_cancelled(capsys):
    """The command's entry point says where it listens, prints nothing and stops when cancelled."""
    reported = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve(ReplaySettings(files=demo_files("en")), ready=reported.set_result))
    url = await asyncio.wait_for(reported, 30)
    async with httpx.AsyncClient(base_url=url) as client:
        assert (await client.get("/match/ma9900003")).status_code == 200

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "auth", [None, ("newsroom", "wrong"), ("other", "secret"), ("newsroom", ""), ("newsroom", "secret2")]
)
async def test_wrong_credentials_are_refused(auth):
    """With a password set nobody reads without it."""
    async with replaying(user="newsroom", password="secret") as (_, client):
        answer = await client.get("/match/ma1", auth=auth)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Basic")
