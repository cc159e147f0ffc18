"""Secrets come from files of their own, and are seen nowhere."""

import pickle

import pytest

from config import ConfigError, load
from tests.config.samples import ORG, SAMPLE, problems, write

HEIM = f"organizations.{ORG}.providers.heim"
PASSWORD_FILE = f"MATCHWIRE_ORGANIZATIONS__{ORG}__PROVIDERS__HEIM__PASSWORD_FILE"


def with_file(name):
    return SAMPLE.replace('password = "upstream-password"', f'password_file = "{name}"')


def password(settings):
    return settings.organizations[ORG].providers["heim"].password.get_secret_value()


@pytest.mark.parametrize(
    ("content", "expected"),
    [("hush", "hush"), ("hush\n", "hush"), ("hush\r\n", "hush"), (" hush ", " hush "), ("hüsh\n", "hüsh")],
)
def test_a_secret_is_the_content_of_its_file(tmp_path, content, expected):
    """The last line end is not part of the secret; everything else is. The name counts from the file that gives it."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "heim").write_bytes(content.encode())

    assert password(load(write(tmp_path, with_file("secrets/heim")), {})) == expected


def test_every_secret_can_stand_in_a_file(tmp_path):
    """Secrets of database, providers, clients and storage all have a `_file` key."""
    word = "abcdefghijklmnopqrstuvwxyz"
    (tmp_path / "word").write_text(word)
    (tmp_path / "url").write_text("postgresql+asyncpg://u:hush@h/d")
    text = f"""
        [database]
        url_file = "url"
        [organizations.a]
        name = "A"
        [organizations.a.providers.heim]
        base_url = "https://x.example"
        username = "u"
        password_file = "{tmp_path}/word"
        api_key_file = "word"
        [clients.c]
        secret_file = "word"
        previous_secret_file = "word"
        organizations = ["a"]
        [media]
        s3_access_key = "newsroom"
        s3_secret_key_file = "word"
    """

    settings = load(write(tmp_path, text), {})

    endpoint = settings.organizations["a"].providers["heim"]
    assert settings.database.url.get_secret_value() == "postgresql+asyncpg://u:hush@h/d"
    assert (endpoint.password.get_secret_value(), endpoint.api_key.get_secret_value()) == (word, word)
    assert settings.clients["c"].secrets == (word, word)
    assert settings.media.s3_secret_key.get_secret_value() == word
    assert word not in repr(settings)


def test_a_variable_can_name_the_file(tmp_path):
    """`…__PASSWORD_FILE` outranks a password in the file."""
    (tmp_path / "heim").write_text("from a file")

    assert password(load(write(tmp_path, SAMPLE), {PASSWORD_FILE: str(tmp_path / "heim")})) == "from a file"


def test_a_variable_outranks_a_secret_file(tmp_path):
    """A secret in the environment takes the place of a file that the configuration names."""
    name = PASSWORD_FILE.removesuffix("_FILE")

    assert password(load(write(tmp_path, with_file("not there")), {name: "direct"})) == "direct"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file"), (b"", "empty"), (b"\n", "empty"), (b"x" * 70_000, "longer than"),
        (b"\xff\xfehush", "UTF-8"), (b"hush\nhush\n", "line break"), (b"hush\x00", "control character"),
    ],
)  # fmt: skip
def test_a_secret_file_that_cannot_be_used_is_one_problem(tmp_path, content, says):
    """What is wrong with the file is reported once, without its content."""
    if content is not None:
        (tmp_path / "heim").write_bytes(content)

    (problem,) = problems(write(tmp_path, with_file("heim")))

    assert problem.key.startswith(f"{HEIM}.password")
    assert says in problem.text
    assert "hush" not in str(problem)


@pytest.mark.parametrize(
    "text",
    [
        SAMPLE.replace('password = "up', 'password_file = "x"\npassword = "up'),
        SAMPLE.replace("[polling]", '[polling]\npassword_file = "x"', 1),
        SAMPLE.replace('password = "upstream-password"', "password_file = 5"),
    ],
)
def test_a_secret_is_given_once_and_where_it_belongs(tmp_path, text):
    """Both a secret and its file, a secret file where there is no secret, or no name of a file: an error."""
    (problem,) = problems(write(tmp_path, text))

    assert "password_file" in problem.key


def test_secrets_are_in_no_representation(tmp_path):
    """Whoever prints or logs settings, or dumps them, prints no secret."""
    text = SAMPLE.replace("sqlite+aiosqlite:///matchwire.db", "postgresql+asyncpg://u:hidden-in-url@h/d")
    settings = load(write(tmp_path, text), {})

    shown = " ".join([repr(settings), str(settings), str(settings.model_dump()), settings.model_dump_json()])

    for secret in ("upstream-password", "upstream-key", "0123456789abcdef", "hidden-in-url"):
        assert secret not in shown
        assert secret in pickle.dumps(settings).decode("latin-1")  # it is there, and would have been found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('password = "upstream-password"', 'pasword = "TELLTALE"'),
        ('password = "upstream-password"', 'password = "TELL\\u0000TALE"'),
        ('password = "upstream-password"', 'password = ["TELLTALE"]'),
        ('username = "newsroom"', 'username = "TELLTALE:x"'),
        ("https://customer.provider.example", "https://u:TELLTALE@customer.provider.example"),
        ("https://customer.provider.example", "https://customer.provider.example?key=TELLTALE"),
        ("sqlite+aiosqlite:///matchwire.db", "mysql://u:TELLTALE@h/d"),
        ("0123456789abcdef0123456789abcdef", "sha256:TELLTALE"),
        ('secret = "0123456789abcdef0123456789abcdef"', "secret = {TELL = 'TELLTALE'}"),
        ('api_key = "upstream-key"', 'api_key = "TELLTALE"\nlanguage = "TELLTALE"'),
        ('name = "Example Newsroom"', f'name = "{"TELLTALE" * 100}"'),
    ],
)
def test_errors_hold_no_values(tmp_path, old, new):
    """An error names the key, never the value: under a mistyped key it may be a secret."""
    assert old in SAMPLE

    with pytest.raises(ConfigError) as raised:
        load(write(tmp_path, SAMPLE.replace(old, new, 1)), {})

    assert "TELLTALE" not in f"{raised.value} {raised.value!r} {raised.value.problems}"
    assert "TELLTALE" not in "".join(map(repr, (raised.value.__cause__, raised.value.__context__)))


def test_errors_of_variables_hold_no_values(tmp_path):
    """The same is true of what the environment says."""
    environ = {
        "MATCHWIRE_CLIENTS__NEWSROOM_CMS__SECRT": "TELLTALE",
        "MATCHWIRE_CLIENTS__NEWSROOM_CMS__SECRET": "TELL\nTALE",
        "MATCHWIRE_DATABASE__URL": "TELLTALE",
    }

    found = problems(write(tmp_path, SAMPLE), environ)

    assert len(found) == len(environ)
    assert "TALE" not in str(found)
