"""`config/default.toml` is the documentation of the settings, so it must say what the code does."""

import re

import pytest
from pydantic import TypeAdapter, ValidationError

from config import Settings, load, values
from config.schema_walk import FILE_SUFFIX, SHAPE, leaves
from tests.config.samples import write
from tools.default_file import EXAMPLE, TEXT, documented, known_as


def default_of(path):
    """The code's default of a key, or None where it has none."""
    model = Settings
    for part in path[:-1]:
        inner = model.model_fields[part].annotation if part != "*" else model
        while not isinstance(inner, type) or not hasattr(inner, "model_fields"):
            inner = inner.__args__[0 if getattr(inner, "__origin__", None) is not dict else 1]
            if inner is str or inner in (bool, int, float):
                return None
        model = inner
    info = model.model_fields[path[-1]]
    default = info.get_default(call_default_factory=True)
    return None if info.is_required() else default


def test_the_file_changes_nothing(tmp_path):
    """What the file sets is what the code does without it."""
    assert load(write(tmp_path, TEXT), {}) == Settings()


def test_every_known_key_is_documented():
    """The file holds each key that the code knows, and no other."""
    assert {path for path, _ in known_as(documented())} == {path for path, _ in leaves(SHAPE)}


def test_examples_show_the_defaults():
    """Also in the examples, a key that has a default stands there with it."""
    shown = {
        path: (value, default_of(path))
        for path, value in known_as(documented())
        if "*" in path and not path[-1].endswith(FILE_SUFFIX) and default_of(path) is not None
    }

    assert {path for path, (value, default) in shown.items() if value != plain(default)} == set()
    assert len(shown) > 8


def plain(default):
    return list(default) if isinstance(default, tuple) else default


def test_the_examples_are_valid(tmp_path):
    """Whoever uncomments the examples, secrets inline and one selector, has a configuration that works."""
    text = EXAMPLE.sub("", TEXT)
    text = re.sub(r"^[a-z0-9_]+_file = .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(phase|overall)_id = .*\n", "", text, flags=re.MULTILINE)

    settings = load(write(tmp_path, re.sub(r"^# (?=[a-z0-9_]+ = )", "", text, flags=re.MULTILINE)), {})

    assert set(settings.organizations["5f0c1de2a1b2c3d4e5f60718"].providers) == {
        "heim",
        "gn-gsd",
        "openligadb",
        "statsperform",
    }
    assert settings.liveblogs[0].selector == ("match", "8315073")


def test_every_setting_has_a_comment():
    """No setting stands without words above it, alone or as one of a group."""
    for *table, key in {path for path, _ in leaves(SHAPE) if "*" not in path}:
        body = TEXT.split(f"\n[{'.'.join(table)}]\n", 1)[1].split("\n[", 1)[0].splitlines()
        at = next(index for index, line in enumerate(body) if re.match(rf"(# )?{key} = ", line))
        while at and re.match(r"(# )?[a-z0-9_]+ = ", body[at]):
            at -= 1
        assert body[at].startswith("# "), (table, key)


POSTGRES = ["postgresql://u:p@h/d", "postgresql+psycopg://u:p@h/d", "postgresql+asyncpg://u:p@h/d"]


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (5, 5.0), (0, 0.0), (0.25, 0.25), ("5", 5.0), ("0.5", 0.5), ("250ms", 0.25), ("5s", 5.0), ("1.5s", 1.5),
        ("10m", 600.0), ("1h", 3600.0), ("48h", 172800.0), ("7d", 604800.0), (" 5 s ", 5.0),
    ],
)  # fmt: skip
def test_durations(given, seconds):
    """Numbers are seconds; strings carry a unit or are seconds too."""
    assert TypeAdapter(values.Duration).validate_python(given) == seconds


@pytest.mark.parametrize(
    "given",
    [
        -1, True, None, "", "s", "5 minutes", "1h30m", "-5s", "1e3", "5S", "\u0665s", "1_000", "nan", float("nan"),
        float("inf"), 1e12, "99999d", [5],
    ],
)  # fmt: skip
def test_what_is_no_duration(given):
    """Anything else is refused."""
    with pytest.raises(ValidationError):
        TypeAdapter(values.Duration).validate_python(given)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (
            values.OrganizationId,
            ["5f0c1de2a1b2c3d4e5f60718", "club-a", "A"],
            ["", "a_b", "-a", "a-", "a.b", "ä", "a" * 65],
        ),
        (
            values.ClientId,
            ["newsroom-cms", "a_b", "A1"],
            ["", "a.b", "a:b", "a__b", "_a", "a-", "a b", "a/b", "a" * 65],
        ),
        (values.ProviderId, ["heim", "gn-gsd", "f1"], ["", "GN-GSD", "gn_gsd", "-a", "a-", "a--b"]),
        (
            values.WebAddress,
            ["http://x", "https://x.example:8443/a/b", "https://[::1]:8080"],
            ["", "x", "//x", "file:///x", "https://", "https://u@x", "https://x?", "https://x#", "https://x y",
             "https://x:0", "https://x:99999", "https://x:a", "https://[::1", "https://\u00e4.example", "https://x\\y"],
        ),
        (
            values.HostOrNetwork,
            ["localhost", "127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8", "cms.intra.example"],
            ["", "*", "*.example", "0.0.0.0/0", "::/0", "10.0.0", "10.0.0.0/33", "a b", "localhost:80", "http://x"],
        ),
        (
            values.Timezone,
            ["Europe/Berlin", "UTC"],
            ["", "Europe", "Berlin", "../../etc/passwd", "/etc/localtime", "a\0b"],
        ),
        (values.ProviderKey, ["8315073", 8315073, "2018-final"], ["", True, 1.5, "a b", "a/b", "../x"]),
        (values.DatabaseUrl, ["sqlite+aiosqlite:///x.db", *POSTGRES], ["", "x.db", "sqlite:///x.db", "mysql://u:p@h/d"]),
        (values.PostgresUrl, POSTGRES, ["", "sqlite+aiosqlite:///x.db", "postgresql://u:p@h:port/d"]),
        (values.EventType, ["soccer.goal", "american_football.start"], ["", "goal", "soccer.", "soccer goal"]),
        (values.Bytes, [1024, "2048"], [0, -1, True, 1.5, "1k"]),
    ],
)  # fmt: skip
def test_kinds_of_values(kind, good, bad):
    """Each kind takes what is meant by it and refuses the rest."""
    adapter = TypeAdapter(kind)

    for value in good:
        adapter.validate_python(value)
    for value in bad:
        with pytest.raises(ValidationError):
            adapter.validate_python(value)


def test_a_hash_is_no_plain_secret():
    """Only `sha256:` and 64 lower-case hex digits are a hash."""
    assert [values.is_hash(text) for text in (f"sha256:{'a' * 64}", f"sha256:{'A' * 64}", "a" * 64, "sha256:")] == [
        True, False, False, False,
    ]  # fmt: skip
