"""`matchwire account …` beside a running daemon: who is added signs in, who is disabled is out at once."""

import asyncio
import hashlib

import httpx
import pytest

from config import Settings
from ingest.cli import main as cli
from tests.kit.day import ORGANIZATION, configuration, running
from tests.kit.people import EMAIL, OWN_SITE, PASSWORD
from tests.kit.sqlite import migrated_url


@pytest.fixture
def account(matchwire, config_file):
    """`matchwire account …` where there are two organizations; a password is given to it unless it is said what."""
    config_file.write_text(f'{config_file.read_text()}[organizations.other]\nname = "Other"\n')
    return lambda *words, given=PASSWORD: matchwire("account", *words, given=f"{given}\n")


async def test_accounts_come_and_go_beside_a_running_daemon(account, tmp_path):
    """Added, given another password and role, signed out, disabled, enabled: each counts with the next request."""
    settings = Settings.model_validate(configuration("http://127.0.0.1:9", tmp_path))
    search = "/api/v5/write/ticker/search.json"

    async def command(*words, **more):
        status, said = await asyncio.to_thread(account, *words, **more)
        assert status == 0, said
        return said

    async with running(settings) as address, httpx.AsyncClient(base_url=address, trust_env=False) as http:

        async def sign_in(password=PASSWORD):
            http.cookies.clear()
            form = {"email": EMAIL, "password": password}
            return (await http.post("/desk/sign-in", data=form, headers=OWN_SITE)).status_code

        said = await command("add", EMAIL, "--organization", ORGANIZATION, "--name", "Kim")
        assert PASSWORD not in said
        assert await sign_in() == 303
        assert (await http.get(search)).status_code == 200
        await command("role", EMAIL, "viewer")
        assert "viewer" in await command("list")
        await command("sessions-end", EMAIL)
        assert (await http.get(search)).status_code == 401
        assert await sign_in() == 303
        await command("password", EMAIL, given="another very good one")
        assert (await http.get(search)).status_code == 401
        assert (await sign_in(), await sign_in("another very good one")) == (403, 303)
        await command("disable", EMAIL)
        assert (await http.get(search)).status_code == 401
        assert await sign_in("another very good one") == 403
        await command("enable", EMAIL)
        assert await sign_in("another very good one") == 303
        assert "1 sessions" in await command("sessions-end", "--all")

    heads, *lines = (await command("audit")).splitlines()
    assert heads == "time,organization,account,email,operation,target"
    rows = [each.split(",") for each in lines]
    assert [each[3:5] for each in rows if each[3]] == [[EMAIL, "desk.sign_in"]] * 4
    kim = rows[0][5].split()[0]
    assert [(each[2], each[4], each[5]) for each in rows if not each[3]] == [
        ("operator", "account.add", f"{kim} editor"),
        ("operator", "account.role", f"{kim} viewer"),
        ("operator", "account.sessions-end", kim),
        ("operator", "account.password", kim),
        ("operator", "account.disable", kim),
        ("operator", "account.enable", kim),
        ("operator", "account.sessions-end", kim),
    ]
    assert {each[1] for each in rows} == {ORGANIZATION}


async def test_a_second_factor_that_is_lost_is_reset(account, tmp_path):
    """By whoever runs the service; the list says who has one, sessions end, and it is written down."""
    from functools import partial

    from store.accounts import accounts, second_factors
    from tests.kit.opening import store_at

    command = partial(asyncio.to_thread, account)
    assert (await command("add", EMAIL, "--organization", ORGANIZATION))[0] == 0
    assert (await command("second-factor-reset", EMAIL))[0] == 2
    store = await store_at(migrated_url(tmp_path / "matchwire.db"))
    kim = await store.read(partial(accounts.find_by_email, email=EMAIL))
    await store.write(partial(second_factors.set_secret, account_id=kim.id, secret="GEZDGNBVGY3TQOJQ", step=0))
    assert "password and code" in (await command("list"))[1]

    assert (await command("second-factor-reset", EMAIL))[0] == 0

    assert not await store.read(partial(second_factors.has_one, account_id=kim.id))
    assert await store.read(partial(second_factors.recovery_codes_left, account_id=kim.id)) == 0
    await store.close()
    assert "password and code" not in (await command("list"))[1]
    last = (await command("audit"))[1].splitlines()[-1]
    assert last.endswith(f",operator,,account.second-factor-reset,{kim.id}")


async def test_whoever_waits_for_the_next_try_is_let_in_by_the_operator(account, tmp_path):
    """At once, whatever was tried and from wherever."""
    from functools import partial

    from store.accounts import sign_in_tries
    from tests.kit.opening import store_at

    assert (await asyncio.to_thread(account, "add", EMAIL, "--organization", ORGANIZATION))[0] == 0
    store = await store_at(migrated_url(tmp_path / "matchwire.db"))
    begin = partial(sign_in_tries.begin, delays={"kim": {1: 900}, "network": {1: 900}})
    await store.write(begin)

    assert "2 counts" in (await asyncio.to_thread(account, "unlock"))[1]

    await store.write(begin)
    await store.close()


def test_mistakes_are_said_in_a_line(account):
    """And nothing is made."""
    for words, given, said in (
        (("add", "nobody"), PASSWORD, "not an e-mail address"),
        (("add", EMAIL), PASSWORD, "--organization"),
        (("add", EMAIL, "-o", "none"), PASSWORD, "--organization"),
        (("add", EMAIL, "-o", "other"), "short", "shorter than 12"),
        (("add", EMAIL, "-o", "other"), "", "shorter than 12"),
        (("add", EMAIL, "-o", "other"), "qwertyuiop123", "easily guessed"),
        (("add", EMAIL, "-o", "other", "--name", "x\ny"), PASSWORD, "a name is"),
        (("add", EMAIL, "-o", "other", "--role", "god"), PASSWORD, "god"),
        (("disable", EMAIL), "", f"no account {EMAIL}"),
        (("second-factor-reset", EMAIL), "", f"no account {EMAIL}"),
        (("sessions-end",), "", "--all"),
        (("sessions-end", EMAIL, "--all"), "", "--all"),
    ):
        status, output = account(*words, given=given)
        assert (status, said in output) == (2, True), output
    assert account("list")[1].count("@") == 0


def test_a_leaked_password_is_refused(account, config_file, tmp_path):
    """Where there is a list of them."""
    listed = hashlib.sha1(PASSWORD.encode(), usedforsecurity=False).hexdigest().upper()
    (tmp_path / "leaked").write_text(f"{listed}:3\n")
    config_file.write_text(f'{config_file.read_text()}[desk]\nleaked_passwords = "{tmp_path}/leaked"\n')

    status, output = account("add", EMAIL, "--organization", ORGANIZATION)

    assert status == 2
    assert "have leaked" in output


def test_no_command_takes_a_password_as_a_word():
    """Others on the machine read the words of commands."""
    from typer.main import get_command

    group = get_command(cli.app).commands["account"]
    names = {option for command in group.commands.values() for each in command.params for option in each.opts}

    assert not any("password" in each and each != "--no-password" for each in names)
