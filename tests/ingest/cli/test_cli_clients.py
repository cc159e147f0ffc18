"""`matchwire clients`, `keys` and exports beside a running daemon: what is created, rotated and revoked counts soon."""

import asyncio
import csv
import io
import json
import re
from functools import partial

import httpx
import pytest

from api.middleware import credentials
from config import Settings
from store.clients.service_keys import all_keys
from store.comments import comments
from store.comments.comments import NewComment
from store.media import file_uses
from store.polls import votes
from store.upkeep import command
from tests.kit import matchday
from tests.kit.day import configuration, running
from tests.kit.opening import pool_settings, store_at
from tests.kit.polling_readers import POLL, liveblog, poll_post
from tests.kit.sqlite import migrated_url

PATH = "/api/v5/write/ticker/show.json"


def secret_of(output):
    return re.search(r"secret \(shown once\): (\S+)", output)[1]


async def test_clients_come_and_go_beside_a_running_daemon(matchwire, tmp_path, monkeypatch):
    """A created client is let in, a rotated one with both secrets, a revoked one not any more; a declared one is left alone."""
    monkeypatch.setattr(credentials, "CACHE_SECONDS", 0.0)
    settings = Settings.model_validate(configuration("http://127.0.0.1:9", tmp_path))

    def command(*words):
        return asyncio.to_thread(matchwire, "clients", *words)

    async with running(settings) as address, httpx.AsyncClient(base_url=address, trust_env=False, verify=False) as http:

        async def status(secret):
            answer = await http.get(PATH, params={"local_id": "gnone"}, auth=("desk", secret))
            return answer.status_code

        before = await status("x")
        _, made = await command("create", "desk", "--scope", "read", "--scope", "write")
        one = secret_of(made)
        _, rotated = await command("rotate", "desk")
        two = secret_of(rotated)
        both = [await status(one), await status(two), await status("wrong")]
        _, third = await command("rotate", "desk")
        after_third = [await status(one), await status(two), await status(secret_of(third))]
        shown = (await command("list"))[1]
        gone = await command("revoke", "desk")
        refused = await status(two)
        declared = await command("revoke", "cms")

    assert (before, both, after_third) == (401, [404, 404, 401], [401, 404, 404])
    assert "desk" in shown
    assert one not in shown
    assert two not in shown
    assert (gone[0], refused) == (0, 401)
    assert (declared[0], "declared in the configuration" in declared[1]) == (2, True)


def test_mistakes_are_reported_in_one_line(matchwire, tmp_path):
    """No database yet, an unknown scope or organization, an id that no header could carry."""
    (tmp_path / "matchwire.db").unlink()
    for words in (
        ("list",),
        ("create", "desk", "--scope", "everything"),
        ("create", "desk", "--organization", "unknown"),
        ("create", "a:b"),
    ):
        code, output = matchwire("clients", *words)
        assert code == 2, words
        assert output.count("\n") == 1
        assert output.startswith("matchwire: ")


URL = "https://photos.example.org/a.jpg"


@pytest.fixture
def url(tmp_path):
    return migrated_url(tmp_path / "matchwire.db")


def purged(url):
    return asyncio.run(command.look(url, lambda conn: file_uses.is_blocked(conn, URL), timeout=5))


def test_a_file_is_purged_and_shown_again(matchwire, url):
    """Once and once more, and the same back; what it says is what it did."""
    for undo, state, said in (
        ((), True, "is shown to nobody any more; browsers that have it keep it for up to 600 s"),
        ((), True, "Nothing to do"),
        (("--undo",), False, "is shown again where it is named"),
        (("--undo",), False, "Nothing to do"),
    ):
        code, output = matchwire("media", "purge", URL, *undo)
        assert (code, purged(url)) == (0, state)
        assert said in output


def test_a_key_is_rotated(matchwire, url):
    """It says what is to be done then; a name that is none is a mistake."""
    before = command.run(url, all_keys, timeout=5)
    code, output = matchwire("keys", "rotate", "media")
    after = command.run(url, all_keys, timeout=5)

    assert code == 0
    assert "SIGHUP" in output
    assert before.media.hex() not in output
    assert after.media.hex() not in output
    assert (after.media_before, after.readers) == ((before.media,), before.readers)
    assert matchwire("keys", "rotate", "database")[0] != 0


@pytest.fixture
def export(matchwire, tmp_path):
    """Fills the database by these units; the result is the command on it: exit code and output."""

    async def filled(units):
        url = migrated_url(tmp_path / "matchwire.db")
        store = await store_at(url, clock=lambda: 1_790_000_000, pool=pool_settings(timeout=5))
        for unit in units:
            await store.write(unit)
        await store.close()

    def fill(*units):
        asyncio.run(filled(units))
        return lambda *words: matchwire(words[0], "export", *words[1:])

    return fill


def test_all_comments_of_a_liveblog_are_written_out(export):
    """In the order of writing, by either name of the liveblog, a table without formulas; an unknown one is a mistake."""
    new = [
        NewComment(name, matchday.ORGANIZATION, "6a" * 12, "egoal", None, "akim", "Kim", None, text, "approved")
        for name, text in (("c1", "=1+1"), ("c2", 'Two "lines"\nof it'))
    ]
    written = [partial(comments.create, new=each, duplicate_period=0) for each in new]
    run = export(partial(matchday.insert, matchday.derby()), *written)
    code, lines = run("comments", "--liveblog", "gderby")
    _, table = run("comments", "--liveblog", "6a" * 12, "--format", "csv")

    assert code == 0
    found = [json.loads(line) for line in lines.splitlines()]
    assert [(each["id"], each["created_at"]) for each in found] == [(f"c{n}", "2026-09-21T14:13:20Z") for n in (1, 2)]
    assert [row["text"] for row in csv.DictReader(io.StringIO(table))] == ["'=1+1", 'Two "lines"\nof it']
    assert run("comments", "--liveblog", "gnever")[0] != 0


def test_votes_and_results_of_a_liveblog_are_written_out(export):
    """By either name of the liveblog, the reader as a number; an unknown liveblog is a mistake."""
    cast = partial(votes.vote, game_id="9c" * 12, poll_id="p1", reader_id="akim", choose=lambda _: ("a",))
    run = export(partial(matchday.insert, liveblog(poll_post(POLL))), cast)
    code, lines = run("polls", "--liveblog", "gpolls", "--format", "jsonl")
    [vote] = map(json.loads, lines.splitlines())

    assert (code, vote["options"], vote["voted_at"]) == (0, ["a"], 1_790_000_000)
    assert len(vote["reader"]) == 16
    assert "akim" not in lines
    assert run("polls", "--liveblog", "9c" * 12, "--content", "results")[1].splitlines()[1:] == [
        "p1,Who wins?,a,Us,1,100", "p1,Who wins?,b,Them,0,0",
    ]  # fmt: skip
    assert run("polls", "--liveblog", "gnever")[0] != 0
