"""Settings come from a file, the environment and secret files, and every mistake is named."""

import pytest

from config import Settings, load
from tests.config.samples import ORG, SAMPLE, problems, write


def test_no_file_gives_the_defaults():
    """Without a file and without variables matchwire runs on its defaults."""
    assert load(None, {}) == Settings()


def test_the_documented_keys_are_read(tmp_path):
    """A file with the keys of the documentation gives what it says, with types."""
    settings = load(write(tmp_path, SAMPLE), {})

    endpoint = settings.organizations[ORG].providers["heim"]
    assert endpoint.base_url == "https://customer.provider.example"
    assert endpoint.password.get_secret_value() == "upstream-password"
    assert settings.organizations[ORG].providers["gn-gsd"].api_key.get_secret_value() == "upstream-key"
    assert settings.clients["newsroom-cms"].secrets == ("0123456789abcdef0123456789abcdef",)
    assert settings.clients["newsroom-cms"].scopes == ("read", "write", "external", "stats", "webhooks")
    assert settings.polling.after_window == 48 * 3600
    assert settings.liveblogs[0].selector == ("match", "8315073")
    assert settings.liveblogs[0].exclude_events == ("soccer.yellow-card",)


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("[server]\nprot = 1", "server.prot", "server.port"),
        ("[server]\nPort = 1", "server.Port", "server.port"),
        ("[server]\npublic-url = 'https://x.example'", "server.public-url", "server.public_url"),
        ("[sever]\nport = 1", "sever", "server"),
        ("public_feeds = true", "public_feeds", "server.public_feeds"),
        ("[database]\nurl_fle = 'x'", "database.url_fle", "database.url_file"),
        (
            "[organizations.a.providers.heim]\napikey_file = 'x'",
            "organizations.a.providers.heim.apikey_file",
            "organizations.a.providers.heim.api_key_file",
        ),
        ("[[liveblogs]]\nmatchId = '1'", "liveblogs[0].matchId", "liveblogs[0].match_id"),
        ("[server]\n'a b' = 1\n", 'server."a b"', "server."),
        ("zzz = 1", "zzz", ""),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(tmp_path, text, key, nearest):
    """An unknown key is an error with its full path and the known key that was probably meant."""
    found = {problem.key: problem.text for problem in problems(write(tmp_path, text))}

    assert found[key].startswith(f"unknown key; the nearest known one is {nearest}")


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("[server]\nport = 70000", "server.port", "less than or equal to 65535"),
        ("[server]\nport = 'many'", "server.port", "valid integer"),
        ("server = 5", "server", "a table"),
        ("[server]\npublic_url = 'https://u:p@x.example'", "server.public_url", "user or password"),
        ("[server]\ntrusted_proxies = ['0.0.0.0/0']", "server.trusted_proxies[0]", "whole internet"),
        ("[database]\nurl = 'sqlite:///x.db'", "database.url", "sqlite+aiosqlite"),
        ("[logging]\nlevel = 'loud'", "logging.level", "'info'"),
        ("[polling]\nlive = 0", "polling.live", "greater than"),
        ("[polling]\nafter_growth = 0.5", "polling.after_growth", "greater than or equal to 1"),
        ("[polling]\nafter = '2h'", "polling.after_max", "shorter than polling.after"),
        ('[polling]\nuser_agent = "a\\r\\nb"', "polling.user_agent", "pattern"),
        ("[webhooks]\nallow_hosts = ['*']", "webhooks.allow_hosts[0]", "wildcard"),
        ("[webhooks]\nallow_hosts = 'localhost'", "webhooks.allow_hosts", "a list"),
        ("[organizations.a_b]\nname = 'x'", "organizations.a_b", "no '_'"),
        ("[organizations.a]\n", "organizations.a.name", "is required"),
        (
            "[organizations.a.providers.heim]\nbase_url = 'https://x.example'\ntimezone = 'Berlin'",
            "organizations.a.providers.heim.timezone",
            "Europe/Berlin",
        ),
        (
            "[organizations.a]\nname='A'\n[organizations.a.providers.heim]\nbase_url='https://x.example'\npassword='p'",
            "organizations.a.providers.heim.username",
            "is missing beside the password",
        ),
        (
            "[organizations.a]\nname='A'\n[organizations.a.providers.heim]\nbase_url='https://x.example'\nusername='u'",
            "organizations.a.providers.heim.password",
            "is missing beside the username: give password or password_file",
        ),
        ("[desk]\npasswords = false", "desk.passwords", "nobody could sign in"),
        (
            "[desk.openid]\nissuer = 'http://sso.example'\nclient_id = 'x'",
            "desk.openid.issuer",
            "neither https nor this machine",
        ),
        ("[media]\nstorage = 's3'", "media.s3_bucket", "is missing"),
        ("[media]\nstorage = 'ftp'", "media.storage", "'disk' or 's3'"),
        ("[media]\ns3_prefix = '../a'", "media.s3_prefix", "pattern"),
        ("[media]\ns3_endpoint = 'https://key:secret@s3.example'", "media.s3_endpoint", "password"),
        ("[media]\ns3_access_key = 'a'", "media.s3_secret_key", "give s3_secret_key or s3_secret_key_file"),
        ("[media]\ns3_secret_key = 'a'", "media.s3_access_key", "is missing beside the secret key"),
        ("[clients.'a:b']\nsecret = 'x'\norganizations = []", 'clients."a:b"', "client id"),
        ("[clients.a]\nsecret = ''\norganizations = []", "clients.a.secret", "at least 1"),
        ("[clients.a]\nsecret = 'x'\norganizations = []", "clients.a.organizations", "at least 1"),
        ("[clients.a]\nsecret = 'x'\norganizations = ['b']\nscopes = ['root']", "clients.a.scopes[0]", "'admin'"),
        ("[clients.a]\nsecret = 'sha256:abc'\norganizations = ['b']", "clients.a", "64"),
        ("[clients.a]\nsecret = 'x'\norganizations = ['b']", "clients.a.organizations[0]", "no organization b"),
        ("[[liveblogs]]\nkey = 'a'\norganization = 'a'\nprovider = 'heim'", "liveblogs[0]", "exactly one of match_id"),
        (
            "[[liveblogs]]\nkey = 'a'\norganization = 'a'\nprovider = 'heim'\nmatch_id = '1'\nphase_id = '2'",
            "liveblogs[0]",
            "exactly one of match_id",
        ),
        (
            "[[liveblogs]]\nkey = 'a'\norganization = 'a'\nprovider = 'heim'\nmatch_id = '1'",
            "liveblogs[0].organization",
            "no organization a",
        ),
        (
            (
                "[organizations.a]\nname = 'x'\n"
                "[[liveblogs]]\nkey = 'a'\norganization = 'a'\nprovider = 'heim'\nmatch_id = '1'"
            ),
            "liveblogs[0].provider",
            "no provider heim",
        ),
    ],
)
def test_a_wrong_value_is_named(tmp_path, text, key, says):
    """A value that cannot be used is an error under its own key, in words."""
    found = {problem.key: problem.text for problem in problems(write(tmp_path, text))}

    assert says in found[key]


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ('key = "late"', 'key = "derby"', "liveblogs[1].key", "already the key of liveblogs[0]"),
        ("text_content = true", "text_content = false", "liveblogs[0].include_text_content", "does not deliver text"),
        ('provider = "gn-gsd"', 'provider = "other"', "liveblogs[1].provider", "no provider other"),
    ],
)
def test_tables_must_agree(tmp_path, old, new, key, says):
    """What one table says of another must be true."""
    assert old in SAMPLE

    (problem,) = problems(write(tmp_path, SAMPLE.replace(old, new, 1)))

    assert (problem.key, says in problem.text) == (key, True)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"[server\nport = 1", "is not TOML"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"[server]\nport = 1\nport = 2", "is not TOML"),
    ],
)
def test_a_file_that_is_not_toml_is_refused(tmp_path, content, says):
    """A broken file is one problem of the file as a whole."""
    path = tmp_path / "broken.toml"
    path.write_bytes(content)

    (problem,) = problems(path)

    assert problem.text.startswith(says)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite+aiosqlite:///matchwire.db", "sqlite+aiosqlite:////data/matchwire.db"),
        ("sqlite+aiosqlite:////var/lib/x.db", "sqlite+aiosqlite:////var/lib/x.db"),
        ("sqlite+aiosqlite:///:memory:", "sqlite+aiosqlite:///:memory:"),
        ("postgresql+asyncpg://u:p@h/d", "postgresql+asyncpg://u:p@h/d"),
    ],
)
def test_a_relative_sqlite_file_moves_into_the_data_folder(tmp_path, url, expected):
    """The data folder holds the SQLite file unless the address says where it is."""
    settings = load(write(tmp_path, f"[database]\nurl = '{url}'"), {})

    assert settings.in_folder(type(tmp_path)("/data")).database.url.get_secret_value() == expected
