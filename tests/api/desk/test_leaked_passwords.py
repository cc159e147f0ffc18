"""Passwords that have leaked: found in a sorted file of hashes, of which little is read, and refused."""

import hashlib
import os
import random

import pytest
import structlog

from api.desk.passwords import is_leaked
from tests.api.desk.conftest import desk_at
from tests.kit.people import PASSWORD, add_account, signed_in

LEAKED = "correct horse battery staple"


def digest(password):
    return hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()


def write_list(path, passwords, *, end="\r\n", last=True):
    """The file as it is downloaded: sorted hashes, each with how often it leaked."""
    draw = random.Random(4)
    text = end.join(
        f"{each}:{draw.randrange(1, 10 ** draw.randrange(1, 9))}" for each in sorted(map(digest, passwords))
    )
    path.write_text(text + (end if last else ""), newline="")
    return str(path)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 500])
@pytest.mark.parametrize(("end", "last"), [("\r\n", True), ("\n", False)])
def test_each_of_a_list_is_found_and_no_other(tmp_path, count, end, last):
    """The first, the last and all between, whatever ends the lines and the file."""
    listed = [f"password {n}" for n in range(count)]
    path = write_list(tmp_path / "list", listed, end=end, last=last)

    assert all(is_leaked(path, each) for each in listed)
    assert not any(is_leaked(path, f"{each}!") for each in listed)


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\n\n", b"x", b"no hashes at all\n" * 50, os.urandom(5000)])
def test_what_is_no_list_refuses_nothing(tmp_path, content):
    """And comes to an end."""
    path = tmp_path / "list"
    path.write_bytes(content)

    assert not is_leaked(str(path), LEAKED)


def test_without_a_file_nothing_is_looked_up_and_one_that_is_gone_is_logged(tmp_path):
    """Without the password, of course."""
    assert not is_leaked(None, LEAKED)
    with structlog.testing.capture_logs() as lines:
        assert not is_leaked(str(tmp_path / "none"), LEAKED)

    assert [each["event"] for each in lines] == ["desk.leaked_passwords_unreadable"]
    assert LEAKED not in str(lines)


async def test_a_leaked_password_is_refused(tmp_path):
    """At the desk, with the reason; another one is taken, and the one that the person has goes on."""
    path = write_list(tmp_path / "list", [LEAKED, PASSWORD, *map(str, range(50))])
    async with desk_at(tmp_path, desk__leaked_passwords=path) as server:
        browser = await signed_in(server, await add_account(server.store))

        refused = await browser.submit("/desk/account/password", {"password": PASSWORD, "new_password": LEAKED})
        taken = await browser.submit(
            "/desk/account/password", {"password": PASSWORD, "new_password": f"{LEAKED}, and so on"}
        )

    assert refused.status_code == 422
    assert "have leaked" in refused.text
    assert taken.status_code == 303
