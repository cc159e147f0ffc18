"""`config/default.toml` is the documentation of the settings, so it must say what the code does."""

import re

from config import Settings, load
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
