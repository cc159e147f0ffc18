"""Names of providers and event types are compared with what is installed, and all mistakes are reported at once."""

from __future__ import annotations

import pytest

from config import check, load
from tests.config.samples import ORG, SAMPLE, problems, write

VOCABULARY = {
    "heim": {"soccer": ("soccer.goal", "soccer.yellow-card"), "tennis": ("tennis.ace",)},
    "gn-gsd": {"soccer": ("soccer.goal",), "cycling": ()},
}
LATE = 'key = "late"\n'


def errors(text, folder):
    return [line for line in check(write(folder, text), {}, VOCABULARY) if line.startswith("error: ")]


def test_what_is_installed_passes(tmp_path):
    """A configuration whose names all exist has no findings, and is loaded."""
    path = write(tmp_path, SAMPLE)

    assert check(path, {}, VOCABULARY) == []
    assert load(path, {}, VOCABULARY) == load(path, {})


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        (
            ".providers.heim]",
            ".providers.hiem]",
            f"organizations.{ORG}.providers.hiem",
            "no provider hiem is installed",
        ),
        ("[polling]", "[providers.hiem.names]\nphase = 'x'\n[polling]", "providers.hiem", "only gn-gsd, heim"),
        (
            '"soccer.yellow-card"',
            '"soccer.goal", "soccer.yelow-card"',
            "liveblogs[0].exclude_events[1]",
            "no provider has an event type soccer.yelow-card; the nearest is soccer.yellow-card",
        ),
        (
            LATE,
            f'{LATE}exclude_events = ["tennis.ace"]\n',
            "liveblogs[1].exclude_events[0]",
            "tennis.ace belongs to a sport that gn-gsd does not have, only soccer, cycling",
        ),
    ],
)
def test_a_name_that_nobody_has_is_an_error(tmp_path, old, new, key, says):
    """Each is reported with the file and its key, and keeps the daemon from starting."""
    found = errors(SAMPLE.replace(old, new, 1), tmp_path)

    assert [line for line in found if key in line and says in line and str(tmp_path) in line], found


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (LATE, f'{LATE}exclude_events = ["soccer.yellow-card"]\n', "gn-gsd never sends soccer.yellow-card"),
        (
            '"soccer.yellow-card"',
            '"soccer.goal", "tennis.ace"',
            "types of soccer and tennis, but a match has one sport",
        ),
    ],
)
def test_a_type_that_excludes_nothing_is_a_warning(tmp_path, old, new, says):
    """What the interface allows and yet does nothing is said, and does not keep the daemon from starting."""
    (finding,) = check(write(tmp_path, SAMPLE.replace(old, new, 1)), {}, VOCABULARY)

    assert finding.startswith("warning: liveblogs[")
    assert says in finding


def test_all_mistakes_are_reported_at_once(tmp_path):
    """A wrong value, an unknown key, an unreadable secret and names that lead nowhere come in one reading."""
    text = (
        SAMPLE.replace("port = 8080", "port = -1\nprot = 1")
        .replace('password = "upstream-password"', 'password_file = "nowhere"')
        .replace('api_key = "upstream-key"', 'username = "u"')
        .replace('["soccer.yellow-card"]', '["soccer.yelow-card"]')
        .replace('phase_id = "77"', 'phase_id = "77"\nmatch_id = "1"')
        .replace("[polling]", '[organizations.bad]\n[organizations.other]\nname = "O"\n[organizations.other.providers.hiem]\n'
                 'base_url = "https://x.example"\n[clients.x]\nsecret = "s"\norganizations = ["bad", "none"]\n[polling]')
    )  # fmt: skip

    found = {problem.key for problem in problems(write(tmp_path, text), vocabulary=VOCABULARY)}

    assert found == {
        "server.port",
        "server.prot",
        f"organizations.{ORG}.providers.heim.password_file",
        f"organizations.{ORG}.providers.gn-gsd.password",
        "organizations.bad.name",
        "organizations.other.providers.hiem",
        "clients.x.organizations[1]",
        "liveblogs[0].exclude_events[0]",
        "liveblogs[1]",
    }


@pytest.mark.parametrize("text", ["organizations = 5", "liveblogs = 5", "[organizations]\na = 5", "[[liveblogs]]\n"])
def test_tables_of_another_form_are_left_out(tmp_path, text):
    """What cannot be read as a table is one problem, and the rest is looked through all the same."""
    head, _, tables = text.partition("\n") if not text.startswith("[") else ("", "", text)
    found = {problem.key for problem in problems(write(tmp_path, f"{head}\n[polling]\nafter = '2h'\n{tables}"))}

    assert "polling.after_max" in found
    assert len(found) > 1
