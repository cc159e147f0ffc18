"""`matchwire media purge` and `matchwire keys rotate`, beside a database that a daemon may be serving."""

import asyncio

import pytest

from store.clients.service_keys import all_keys
from store.media import file_uses
from store.upkeep import command
from tests.kit.sqlite import migrated_url

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
