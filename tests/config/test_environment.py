"""Every key can be set by a variable, which outranks the file."""

import pytest

from config import load
from tests.config.samples import ORG, SAMPLE, problems, write


def at(settings, path):
    for part in path:
        settings = settings[part] if isinstance(settings, dict | tuple) else getattr(settings, part)
    return settings


@pytest.mark.parametrize(
    ("name", "value", "path", "expected"),
    [
        ("SERVER__PORT", "0", ("server", "port"), 0),
        ("server__port", "0", ("server", "port"), 0),
        ("SERVER__PUBLIC_FEEDS", "true", ("server", "public_feeds"), True),
        ("SERVER__PUBLIC_URL", "http://localhost:1/", ("server", "public_url"), "http://localhost:1"),
        ("POLLING__LIVE", "250ms", ("polling", "live"), 0.25),
        ("POLLING__LIVE", "2", ("polling", "live"), 2.0),
        ("LIMITS__CLIENT_PER_SECOND", "0", ("limits", "client_per_second"), 0.0),
        ("WEBHOOKS__ALLOW_HOSTS", "127.0.0.1, 10.0.0.0/8", ("webhooks", "allow_hosts"), ("127.0.0.1", "10.0.0.0/8")),
        ("WEBHOOKS__ALLOW_HOSTS", '["::1"]', ("webhooks", "allow_hosts"), ("::1",)),
        ("WEBHOOKS__ALLOW_HOSTS", "", ("webhooks", "allow_hosts"), ()),
        (f"ORGANIZATIONS__{ORG}__NAME", "Other", ("organizations", ORG, "name"), "Other"),
        (f"ORGANIZATIONS__{ORG.upper()}__NAME", "Other", ("organizations", ORG, "name"), "Other"),
        (
            f"ORGANIZATIONS__{ORG}__PROVIDERS__GN_GSD__LANGUAGE",
            "en",
            ("organizations", ORG, "providers", "gn-gsd", "language"),
            "en",
        ),
        (
            f"ORGANIZATIONS__{ORG}__PROVIDERS__GN-GSD__LANGUAGE",
            "en",
            ("organizations", ORG, "providers", "gn-gsd", "language"),
            "en",
        ),
        (
            f"ORGANIZATIONS__{ORG}__PROVIDERS__HEIM__OPTIONS__IMAGE_URL",
            "https://i.example",
            ("organizations", ORG, "providers", "heim", "options", "image_url"),
            "https://i.example",
        ),
        ("ORGANIZATIONS__CLUB_A__NAME", "Club", ("organizations", "club-a", "name"), "Club"),
        ("CLIENTS__NEWSROOM_CMS__SCOPES", "read", ("clients", "newsroom-cms", "scopes"), ("read",)),
        ("PROVIDERS__GN_GSD__NAMES__PHASE_ID", "phaseKey", ("providers", "gn-gsd", "names", "phase_id"), "phaseKey"),
        ("LIVEBLOGS__DERBY__LOCALE", "en-gb", ("liveblogs", 0, "locale"), "en-gb"),
        ("LIVEBLOGS__1__LEAD", "30m", ("liveblogs", 1, "lead"), 1800.0),
    ],
)
def test_a_variable_outranks_the_file(tmp_path, name, value, path, expected):
    """A variable sets its key; case does not matter, and `_` stands for `-`."""
    settings = load(write(tmp_path, SAMPLE), {f"MATCHWIRE_{name}": value})

    assert at(settings, path) == expected


def test_the_environment_alone_is_enough():
    """A container needs no file: tables and rows that are not there are made."""
    environ = {
        "MATCHWIRE_ORGANIZATIONS__CLUB__NAME": "Club",
        "MATCHWIRE_ORGANIZATIONS__CLUB__PROVIDERS__GN_GSD__BASE_URL": "https://gsd.example",
        "MATCHWIRE_CLIENTS__CMS__SECRET": "0123456789abcdef0123456789abcdef",
        "MATCHWIRE_CLIENTS__CMS__ORGANIZATIONS": "club",
        "MATCHWIRE_LIVEBLOGS__0__KEY": "derby",
        "MATCHWIRE_LIVEBLOGS__0__ORGANIZATION": "club",
        "MATCHWIRE_LIVEBLOGS__0__PROVIDER": "gn-gsd",
        "MATCHWIRE_LIVEBLOGS__0__MATCH_ID": "12",
    }

    settings = load(None, environ)

    assert settings.clients["cms"].organizations == ("club",)
    assert settings.liveblogs[0].selector == ("match", "12")


@pytest.mark.parametrize(
    ("name", "key", "says"),
    [
        ("MATCHWIRE_SERVER__PROT", "server.prot", "nearest known one is server.port"),
        ("MATCHWIRE_SEVER__PORT", "sever", "nearest known one is server"),
        ("MATCHWIRE_SERVER__PORT__X", "server.port.x", "server.port is a value"),
        ("MATCHWIRE_ORGANIZATIONS__A__PROVIDERS__HEIM", "organizations.a.providers.heim", "is a table"),
        ("MATCHWIRE_LIVEBLOGS__7__TITLE", "liveblogs.7", "neither the key of a row nor an index up to 2"),
        ("MATCHWIRE_CLIENTS__NEWSROOM_CMS__SCOPE", "clients.newsroom-cms.scope", "clients.newsroom-cms.scopes"),
        ("MATCHWIRE_SERVER_PORT", "", "MATCHWIRE_SERVER__PORT"),
    ],
)
def test_a_variable_that_sets_nothing_is_named(tmp_path, name, key, says):
    """A variable with a key that nobody knows is an error under its own name."""
    (problem,) = problems(write(tmp_path, SAMPLE), {name: "1"})

    assert (problem.where, problem.key) == (name, key)
    assert says in problem.text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MATCHWIRE_RECORDINGS", "/somewhere"),
        ("MATCHWIRE_SERVICE_HOST", "10.0.0.1"),
        ("MATCHWIRE_PORT_8080_TCP_ADDR", "10.0.0.1"),
        ("MATCHWIRE_SERVER_PORT", "tcp://10.0.0.1:80"),
        ("OTHER_SERVER__PORT", "1"),
    ],
)
def test_variables_of_others_are_left_alone(name, value):
    """What an orchestrator or the tests put beside our settings does no harm."""
    assert load(None, {name: value}) == load(None, {})


def test_a_name_with_two_meanings_is_refused(tmp_path):
    """Where two tables read the same to a variable, the variable is an error rather than a guess."""
    text = "[organizations.a]\nname = 'A'\n" + "".join(
        f"[clients.{name}]\nsecret = '0123456789abcdef0123456789abcdef'\norganizations = ['a']\n"
        for name in ("c-a", "c_a")
    )
    path = write(tmp_path, text)

    (problem,) = problems(path, {"MATCHWIRE_CLIENTS__C_A__SCOPES": "read"})

    assert "could also mean clients.c_a" in problem.text
    assert problems(path) == ()


@pytest.mark.parametrize("text", ["server = 5", "clients = 5", "liveblogs = 5", "liveblogs = [5]"])
def test_a_file_with_another_shape_does_not_break_the_overlay(tmp_path, text):
    """A value where a table should be is a problem, with and without variables that lead through it."""
    environ = {"MATCHWIRE_SERVER__PORT": "1", "MATCHWIRE_CLIENTS__A__SECRET": "x", "MATCHWIRE_LIVEBLOGS__0__TITLE": "x"}

    assert problems(write(tmp_path, text), environ)
    assert problems(write(tmp_path, text))
